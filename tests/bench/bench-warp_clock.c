/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warp_clock: an abort and its restart. The bound keeps time, report and aborts of a warp, and
 * draws the back-off; it checks no range, counts nothing and has no observer.
 */
#include "tests/bench/bench.h"

#define WARPS 32

struct world {
	struct gputm_warp_clock *unit;
	uint64_t time[WARPS], pending[WARPS], random;
	uint32_t aborts[WARPS];
};

BENCH_SETUP(setup, struct world *w)
{
	bench_must(gputm_warp_clock_new(NULL, NULL, &w->unit));
}

BENCH_LOOP(turn, struct world *w)
{
	uint64_t cycles = 0;

	bench_must(gputm_warp_clock_abort(w->unit, i % WARPS, i & 0xffff));
	bench_must(gputm_warp_clock_restart(w->unit, i % WARPS, &cycles));
	return cycles;
}

BENCH_TIGHT static void tight_abort(struct world *w, uint32_t warp, uint64_t reported)
{
	if (w->pending[warp] < reported)
		w->pending[warp] = reported;
}

/* 16 cycles, doubled by each of the first five aborts. */
BENCH_TIGHT static uint64_t tight_restart(struct world *w, uint32_t warp)
{
	uint32_t aborts = ++w->aborts[warp];
	uint64_t time = w->time[warp], most = UINT64_C(16) << (aborts < 5 ? aborts : 5);

	w->time[warp] = (w->pending[warp] > time ? w->pending[warp] : time) + 1;
	w->pending[warp] = 0;
	return (bench_next(&w->random) >> 32) * (most + 1) >> 32;
}

BENCH_LOOP(bound, struct world *w)
{
	tight_abort(w, i % WARPS, i & 0xffff);
	return tight_restart(w, i % WARPS);
}

static const struct bench_op operations[] = {
	{ "abort", setup, 0, turn, "gputm_warp_clock_abort",
	  .bound = bound, .bound_inside = "tight_abort*" },
	{ "restart", setup, 0, turn, "gputm_warp_clock_restart",
	  .bound = bound, .bound_inside = "tight_restart*" },
};

BENCH_TABLE("warp_clock", struct world, operations)
