/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warp_access_filter: loads of 32 lanes to 32 words of their own; a new attempt every 8. The
 * bound probes a table of words, which a new attempt's number empties, for who has read and
 * written them; it checks no range, counts nothing and has no observer.
 */
#include "tests/bench/bench.h"

#define LANES 32
#define SLOTS 1024

struct world {
	struct gputm_warp_access_filter *unit;
	struct {
		uint32_t word, attempt, readers, writers;
	} slot[SLOTS];
	uint32_t attempt;
};

BENCH_SETUP(setup, struct world *w)
{
	bench_must(gputm_warp_access_filter_new(NULL, NULL, &w->unit));
}

static void draw(uint64_t *address, uint64_t i)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		address[lane] = (lane * 64 + i * 4096) & 0xffffffff;
}

BENCH_LOOP(turn, struct world *w)
{
	uint64_t address[LANES], lost = 0;

	if (i % 8 == 0)
		bench_must(gputm_warp_access_filter_begin(w->unit, 0, 0xffffffff));
	draw(address, i);
	bench_must(gputm_warp_access_filter_access(w->unit, 0, i & 1, 0xffffffff, address, &lost));
	return lost;
}

BENCH_TIGHT static uint32_t tight_access(struct world *w, bool write, const uint64_t *address)
{
	uint32_t lost = 0;

	for (unsigned lane = 0; lane < LANES; lane++) {
		uint32_t word = (uint32_t)address[lane] >> 2, bit = 1u << lane;
		uint32_t at = word * 0x9e3779b9u >> 22;

		while (w->slot[at].attempt == w->attempt && w->slot[at].word != word)
			at = (at + 1) % SLOTS;
		if (w->slot[at].attempt != w->attempt) {
			w->slot[at].attempt = w->attempt;
			w->slot[at].word = word;
			w->slot[at].readers = w->slot[at].writers = 0;
		}
		if ((w->slot[at].writers | (write ? w->slot[at].readers : 0)) & ~lost & ~bit)
			lost |= bit;
		else if (write)
			w->slot[at].writers |= bit;
		else
			w->slot[at].readers |= bit;
	}
	return lost;
}

BENCH_LOOP(bound, struct world *w)
{
	uint64_t address[LANES];

	w->attempt += i % 8 == 0;
	draw(address, i);
	return tight_access(w, i & 1, address);
}

static const struct bench_op operations[] = {
	{ "access, a lane", setup, 0, turn, "gputm_warp_access_filter_access",
	  .bound = bound, .bound_inside = "tight_access*", .per_turn = LANES },
};

BENCH_TABLE("warp_access_filter", struct world, operations)
