/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * row_copier: a region of 32 rows is copied: push, skip to its completion, pop. The bound
 * does the arithmetic of 32 subarrays and nothing else.
 */
#include <stdlib.h>

#include "gputm/row_copier.h"
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

static void *setup(void)
{
	struct copier *c = calloc(1, sizeof(*c));

	if (!c || gputm_row_copier_new(NULL, NULL, &c->unit)) {
		free(c);
		return NULL;
	}
	return c;
}

static void teardown(void *state)
{
	struct copier *c = state;

	gputm_row_copier_free(c->unit);
	free(c);
}

static void run(void *state, uint64_t count)
{
	struct copier *c = state;

	for (uint64_t i = 0; i < count; i++) {
		struct gputm_row_copier_request r = { i, i % 64 * 2048 * ROWS, 0x40000000,
						      2048 * ROWS };
		uint64_t done_at = 0;

		if (gputm_row_copier_push(c->unit, &r, &done_at))
			abort();
		gputm_row_copier_advance(c->unit, done_at - gputm_row_copier_now(c->unit));
		if (!gputm_row_copier_take(c->unit, &r))
			abort();
	}
}

static void bound(void *state, uint64_t count)
{
	struct copier *c = state;

	for (uint64_t i = 0; i < count; i++)
		c->now = tight_copy(c, i % 64 * ROWS);
	bench_use(c->now);
}

static const struct bench_op operations[] = {
	{ "row_copier", "copy 32 rows: push, advance, pop", setup, teardown, run, bound,
	  "gputm_row_copier_push,gputm_row_copier_advance,gputm_row_copier_take", "tight_copy", 0 },
};

BENCH_TABLE(operations)
