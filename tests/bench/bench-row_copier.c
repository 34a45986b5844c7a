/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * row_copier: a region of 32 rows is copied: push, skip to its completion, pop. The bound
 * does the arithmetic of 32 subarrays and nothing else.
 */
#include "tests/bench/bench.h"

#define ROWS 32
#define SUBARRAYS 1024

struct copier {
	struct gputm_row_copier *unit;
	uint64_t now, idle_at[SUBARRAYS];
};

BENCH_TIGHT static uint64_t tight_copy(struct copier *c, uint64_t row)
{
	uint64_t last = 0;

	for (uint64_t i = 0; i < ROWS; i++) {
		uint64_t *idle = &c->idle_at[(row + i) % SUBARRAYS];

		*idle = (*idle > c->now ? *idle : c->now) + 63;
		last = *idle > last ? *idle : last;
	}
	return last;
}

BENCH_SETUP(setup, struct copier *c)
{
	bench_must(gputm_row_copier_new(NULL, NULL, &c->unit));
}

BENCH_LOOP(run, struct copier *c)
{
	struct gputm_row_copier_request r = { i, i % 64 * 2048 * ROWS, 0x40000000,
					      2048 * ROWS };
	uint64_t done_at = 0;

	if (gputm_row_copier_push(c->unit, &r, &done_at))
		abort();
	gputm_row_copier_advance(c->unit, done_at - gputm_row_copier_now(c->unit));
	if (!gputm_row_copier_take(c->unit, &r))
		abort();
	return 0;
}

BENCH_TURN(bound, struct copier *c, c->now = tight_copy(c, i % 64 * ROWS))

static const struct bench_op operations[] = {
	{ "copy 32 rows: push, advance, pop", setup, 0, run,
	  "gputm_row_copier_push,gputm_row_copier_advance,gputm_row_copier_take",
	  .bound = bound, .bound_inside = "tight_copy" },
};

BENCH_TABLE("row_copier", struct copier, operations)
