/* SPDX-License-Identifier: BSD-2-Clause */
/* warp_clock: an abort and its restart. */
#include "gputm/warp_clock.h"
#include "tests/bench/bench.h"

static void *setup(void)
{
	struct gputm_warp_clock *c;

	return gputm_warp_clock_new(NULL, NULL, &c) ? NULL : c;
}

static void teardown(void *state)
{
	gputm_warp_clock_free(state);
}

static void turn(void *state, uint64_t count)
{
	uint64_t cycles = 0, sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		sum += (uint64_t)gputm_warp_clock_abort(state, i & 31, i & 0xffff);
		sum += (uint64_t)gputm_warp_clock_restart(state, i & 31, &cycles) + cycles;
	}
	bench_use(sum);
}

static const struct bench_op operations[] = {
	{ "warp_clock", "abort", setup, teardown, turn, NULL, "gputm_warp_clock_abort", "-", 0 },
	{ "warp_clock", "restart", setup, teardown, turn, NULL, "gputm_warp_clock_restart", "-",
	  0 },
};

BENCH_TABLE(operations)
