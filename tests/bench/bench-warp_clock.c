/* SPDX-License-Identifier: BSD-2-Clause */
/* warp_clock: an abort and its restart. */
#include "gputm/warp_clock.h"
#include "tests/bench/bench.h"

struct world {
	struct gputm_warp_clock *unit;
};

BENCH_SETUP(setup, struct world *w)
{
	bench_must(gputm_warp_clock_new(NULL, NULL, &w->unit));
}

BENCH_LOOP(turn, struct world *w)
{
	uint64_t cycles = 0;

	bench_must(gputm_warp_clock_abort(w->unit, i & 31, i & 0xffff));
	bench_must(gputm_warp_clock_restart(w->unit, i & 31, &cycles));
	return cycles;
}

static const struct bench_op operations[] = {
	{ "abort", setup, 0, turn, "gputm_warp_clock_abort", .bound = NULL },
	{ "restart", setup, 0, turn, "gputm_warp_clock_restart", .bound = NULL },
};

BENCH_TABLE("warp_clock", struct world, operations)
