/* SPDX-License-Identifier: BSD-2-Clause */
/* warp_access_filter: loads of 32 lanes to 32 words of their own; a new attempt every 8. */
#include "gputm/warp_access_filter.h"
#include "tests/bench/bench.h"

static void *setup(void)
{
	struct gputm_warp_access_filter *f;

	return gputm_warp_access_filter_new(NULL, NULL, &f) ? NULL : f;
}

static void teardown(void *state)
{
	gputm_warp_access_filter_free(state);
}

static void turn(void *state, uint64_t count)
{
	uint64_t address[32], lost = 0, sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (i % 8 == 0)
			sum += (uint64_t)gputm_warp_access_filter_begin(state, 0, 0xffffffff);
		for (unsigned lane = 0; lane < 32; lane++)
			address[lane] = (lane * 64 + i * 4096) & 0xffffffff;
		sum += (uint64_t)gputm_warp_access_filter_access(state, 0, i & 1, 0xffffffff,
								 address, &lost);
	}
	bench_use(sum + lost);
}

static const struct bench_op operations[] = {
	{ "warp_access_filter", "access, a lane", setup, teardown, turn, NULL,
	  "gputm_warp_access_filter_access", "-", 32 },
};

BENCH_TABLE(operations)
