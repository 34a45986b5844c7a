/* SPDX-License-Identifier: BSD-2-Clause */
/* warp_access_filter: loads of 32 lanes to 32 words of their own; a new attempt every 8. */
#include "gputm/warp_access_filter.h"
#include "tests/bench/bench.h"

struct world {
	struct gputm_warp_access_filter *unit;
};

BENCH_SETUP(setup, struct world *w)
{
	bench_must(gputm_warp_access_filter_new(NULL, NULL, &w->unit));
}

BENCH_LOOP(turn, struct world *w)
{
	uint64_t address[32], lost = 0;

	if (i % 8 == 0)
		bench_must(gputm_warp_access_filter_begin(w->unit, 0, 0xffffffff));
	for (unsigned lane = 0; lane < 32; lane++)
		address[lane] = (lane * 64 + i * 4096) & 0xffffffff;
	bench_must(gputm_warp_access_filter_access(w->unit, 0, i & 1, 0xffffffff, address, &lost));
	return lost;
}

static const struct bench_op operations[] = {
	{ "access, a lane", setup, 0, turn, "gputm_warp_access_filter_access",
	  .bound = NULL, .per_turn = 32 },
};

BENCH_TABLE("warp_access_filter", struct world, operations)
