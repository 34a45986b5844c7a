/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequential_resolver: a warp of 32 lanes with 4 reads and 4 writes each, from acquire to
 * release.
 */
#include "tests/bench/logs.h"

#define WARPS 16

struct resolver {
	struct gputm_sequential_resolver *unit;
	struct warp warp[WARPS];
};

BENCH_SETUP(setup, struct resolver *r)
{
	bench_must(gputm_sequential_resolver_new(NULL, NULL, &r->unit));
	draw_warps(r->warp, WARPS);
}

BENCH_LOOP(warp, struct resolver *r)
{
	struct gputm_resolver_outcome resolution = { 0 };
	uint32_t buffer = 0;

	bench_must(gputm_sequential_resolver_acquire(r->unit, UINT32_MAX, &buffer));
	bench_must(gputm_sequential_resolver_resolve(r->unit, buffer, &r->warp[i % WARPS].logs,
						     &resolution));
	bench_must(gputm_sequential_resolver_release(r->unit, buffer));
	return resolution.survived;
}

static const struct bench_op operations[] = {
	{ "warp, 32 x (4 + 4)", setup, 0, warp,
	  "gputm_sequential_resolver_acquire,gputm_sequential_resolver_resolve,"
	  "gputm_sequential_resolver_release",
	  .unbounded = "the costs are those of the signature, which has one" },
};

BENCH_TABLE("sequential_resolver", struct resolver, operations)
