/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commit_buffer: two words of a block come, are written, and their granule is released. The bound
 * is one ring of blocks, which leave in the order in which they came: it joins the second word to
 * the youngest, checks no range, counts nothing and has no observer.
 */
#include "tests/bench/bench.h"

#define RING 256

struct world {
	struct gputm_commit_buffer *unit;
	struct {
		uint64_t address;
		uint32_t warp, words, value[8], count[8];
	} block[RING];
	uint64_t made, sent, popped;
};

BENCH_SETUP(setup, struct world *w)
{
	bench_must(gputm_commit_buffer_new(NULL, NULL, &w->unit));
}

BENCH_LOOP(turn, struct world *w)
{
	struct gputm_commit_buffer_entry entry = { (i & 0xffff) * 32, 1, 1, 1, 1, false };
	struct gputm_commit_buffer_release release;
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

BENCH_TIGHT static void tight_push(struct world *w, const struct gputm_commit_buffer_entry *entry)
{
	uint64_t address = entry->address & ~UINT64_C(31);
	uint32_t word = entry->address >> 2 & 7, at = (w->made - 1) % RING;

	if (w->made == w->sent || w->block[at].address != address ||
	    w->block[at].warp != entry->warp) {
		at = w->made++ % RING;
		w->block[at].address = address;
		w->block[at].warp = entry->warp;
		w->block[at].words = 0;
		for (unsigned i = 0; i < 8; i++)
			w->block[at].count[i] = 0;
	}
	w->block[at].words |= 1u << word;
	w->block[at].value[word] = (uint32_t)entry->value;
	w->block[at].count[word] += entry->count;
}

BENCH_TIGHT static void tight_tick(struct world *w)
{
	w->sent += w->sent != w->made;
}

BENCH_TIGHT static uint32_t tight_pop(struct world *w)
{
	uint32_t at = w->popped++ % RING, writes = 0;

	for (unsigned i = 0; i < 8; i++)
		writes += w->block[at].count[i];
	return writes;
}

BENCH_LOOP(bound, struct world *w)
{
	struct gputm_commit_buffer_entry entry = { (i & 0xffff) * 32, 1, 1, 1, 1, false };

	tight_push(w, &entry);
	entry.address += 4;
	tight_push(w, &entry);
	tight_tick(w);
	return tight_pop(w);
}

static const struct bench_op operations[] = {
	{ "push of a word", setup, 0, turn, "gputm_commit_buffer_push",
	  .bound = bound, .bound_inside = "tight_push*", .per_turn = 2 },
	{ "tick", setup, 0, turn, "gputm_commit_buffer_tick",
	  .bound = bound, .bound_inside = "tight_tick*" },
	{ "pop of a release", setup, 0, turn, "gputm_commit_buffer_pop",
	  .bound = bound, .bound_inside = "tight_pop*" },
};

BENCH_TABLE("commit_buffer", struct world, operations)
