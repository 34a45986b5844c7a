/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block_priority: a cycle with eight blocks, of which random ones are ready. The bounds: the
 * first ready one in an array, and the lowest bit from a head on; no checks, no counts.
 */
#include <stdlib.h>

#include "gputm/block_priority.h"
#include "tests/bench/bench.h"

#define TIMES 64

struct core {
	struct gputm_block_priority *unit;
	uint64_t ready[TIMES];
	uint8_t order[8];
	uint32_t head;
};

static void *setup(uint32_t policy)
{
	struct gputm_block_priority_config config = GPUTM_BLOCK_PRIORITY_CONFIG_INIT;
	struct core *c = calloc(1, sizeof(*c));
	uint64_t random = 1;

	config.policy = policy;
	if (!c || gputm_block_priority_new(NULL, &config, &c->unit)) {
		free(c);
		return NULL;
	}
	for (uint32_t i = 0; i < 8; i++) {
		c->order[i] = (uint8_t)(7 - i);
		if (gputm_block_priority_admit(c->unit, 7 - i))
			abort();
	}
	for (unsigned i = 0; i < TIMES; i++)
		c->ready[i] = (bench_next(&random) >> 40 & 0xff) | 1u << i % 8;
	return c;
}

static void *setup_age(void)
{
	return setup(GPUTM_BLOCK_PRIORITY_AGE);
}

static void *setup_rrb(void)
{
	return setup(GPUTM_BLOCK_PRIORITY_RRB);
}

static void *setup_srr(void)
{
	return setup(GPUTM_BLOCK_PRIORITY_SRR);
}

static void teardown(void *state)
{
	struct core *c = state;

	gputm_block_priority_free(c->unit);
	free(c);
}

static void run(void *state, uint64_t count)
{
	struct core *c = state;
	uint64_t sum = 0;
	uint32_t slot = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += (uint64_t)gputm_block_priority_pick(c->unit, c->ready[i % TIMES], &slot) +
		       slot;
	bench_use(sum);
}

BENCH_TIGHT static uint32_t tight_age(const struct core *c, uint64_t ready)
{
	const uint8_t *slot = c->order;

	while (!(ready >> *slot & 1))
		slot++;
	return *slot;
}

BENCH_TIGHT static uint32_t tight_round(struct core *c, uint64_t ready, uint32_t step)
{
	uint64_t above = ready >> c->head << c->head;
	uint32_t slot = (uint32_t)__builtin_ctzll(above ? above : ready);

	c->head = step ? (c->head + 1) & 7 : slot;
	return slot;
}

static void bound_age(void *state, uint64_t count)
{
	struct core *c = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_age(c, c->ready[i % TIMES]);
	bench_use(sum);
}

static void bound_rrb(void *state, uint64_t count)
{
	struct core *c = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_round(c, c->ready[i % TIMES], 1);
	bench_use(sum);
}

static void bound_srr(void *state, uint64_t count)
{
	struct core *c = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_round(c, c->ready[i % TIMES], 0);
	bench_use(sum);
}

static const struct bench_op operations[] = {
	{ "block_priority", "cycle, AGE", setup_age, teardown, run, bound_age,
	  "gputm_block_priority_pick", "tight_age*", 0 },
	{ "block_priority", "cycle, RRB", setup_rrb, teardown, run, bound_rrb,
	  "gputm_block_priority_pick", "tight_round*", 0 },
	{ "block_priority", "cycle, SRR", setup_srr, teardown, run, bound_srr,
	  "gputm_block_priority_pick", "tight_round*", 0 },
};

BENCH_TABLE(operations)
