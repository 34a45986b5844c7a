/* SPDX-License-Identifier: BSD-2-Clause */
/* commit_buffer: two words of a block come, are written, and their granule is released. */
#include "gputm/commit_buffer.h"
#include "tests/bench/bench.h"

struct world {
	struct gputm_commit_buffer *unit;
};

BENCH_SETUP(setup, struct world *w)
{
	bench_must(gputm_commit_buffer_new(NULL, NULL, &w->unit));
}

BENCH_LOOP(turn, struct world *w)
{
	struct gputm_commit_entry entry = { (i & 0xffff) * 32, 1, 1, 1, 1, false };
	struct gputm_commit_release release;
	struct gputm_mem_request write;

	bench_must(gputm_commit_buffer_push(w->unit, &entry));
	entry.address += 4;
	bench_must(gputm_commit_buffer_push(w->unit, &entry));
	gputm_commit_buffer_tick(w->unit);
	if (!gputm_commit_buffer_mem_peek(w->unit, &write) ||
	    !gputm_commit_buffer_mem_pop(w->unit) ||
	    gputm_commit_buffer_mem_complete(w->unit, write.tag) ||
	    !gputm_commit_buffer_peek(w->unit, &release) ||
	    !gputm_commit_buffer_pop(w->unit))
		abort();
	return 0;
}

static const struct bench_op operations[] = {
	{ "push of a word", setup, 0, turn, "gputm_commit_buffer_push",
	  .bound = NULL, .per_turn = 2 },
	{ "tick", setup, 0, turn, "gputm_commit_buffer_tick", .bound = NULL },
	{ "pop of a release", setup, 0, turn, "gputm_commit_buffer_pop", .bound = NULL },
};

BENCH_TABLE("commit_buffer", struct world, operations)
