/* SPDX-License-Identifier: BSD-2-Clause */
/* stall_buffer, 4 x 4, half full: one request comes, the oldest of its granule goes. */
#include "gputm/stall_buffer.h"
#include "tests/bench/bench.h"

struct world {
	struct gputm_stall_buffer *unit;
};

static void enqueue(struct world *w, uint64_t i)
{
	struct gputm_stall_request r = { .address = (i & 3) * 32, .stamp = i };

	bench_must(gputm_stall_buffer_enqueue(w->unit, &r));
}

BENCH_SETUP(setup, struct world *w)
{
	bench_must(gputm_stall_buffer_new(NULL, NULL, &w->unit));
	for (uint64_t i = 0; i < 8; i++)
		enqueue(w, i);
}

BENCH_LOOP(turn, struct world *w)
{
	struct gputm_stall_request out;

	enqueue(w, i + 8);
	return (uint64_t)gputm_stall_buffer_wake(w->unit, (i & 3) * 32, &out);
}

static const struct bench_op operations[] = {
	{ "enqueue", setup, 0, turn, "gputm_stall_buffer_enqueue", .bound = NULL },
	{ "wake", setup, 0, turn, "gputm_stall_buffer_wake", .bound = NULL },
};

BENCH_TABLE("stall_buffer", struct world, operations)
