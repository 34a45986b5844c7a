/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block_priority: a cycle with eight blocks, of which random ones are ready. The bounds: the
 * first ready one in an array, and the lowest bit from a head on; no checks, no counts.
 */
#include "tests/bench/bench.h"

#define TIMES 64

struct core {
	struct gputm_block_priority *unit;
	uint64_t ready[TIMES];
	uint8_t order[8];
	uint32_t head;
};

BENCH_SETUP(setup, struct core *c)
{
	struct gputm_block_priority_config config = GPUTM_BLOCK_PRIORITY_CONFIG_INIT;
	uint64_t random = 1;

	config.policy = given;
	bench_must(gputm_block_priority_new(NULL, &config, &c->unit));
	for (uint32_t i = 0; i < 8; i++) {
		c->order[i] = (uint8_t)(7 - i);
		bench_must(gputm_block_priority_admit(c->unit, 7 - i));
	}
	for (unsigned i = 0; i < TIMES; i++)
		c->ready[i] = (bench_next(&random) >> 40 & 0xff) | 1u << i % 8;
}

BENCH_LOOP(run, struct core *c)
{
	uint32_t slot = 0;

	return (uint64_t)gputm_block_priority_pick(c->unit, c->ready[i % TIMES], &slot) +
	       slot;
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

BENCH_TURN(bound_age, struct core *c, tight_age(c, c->ready[i % TIMES]))

BENCH_TURN(bound_rrb, struct core *c, tight_round(c, c->ready[i % TIMES], 1))

BENCH_TURN(bound_srr, struct core *c, tight_round(c, c->ready[i % TIMES], 0))

static const struct bench_op operations[] = {
	{ "cycle, AGE", setup, GPUTM_BLOCK_PRIORITY_POLICY_AGE, run, "gputm_block_priority_pick",
	  .bound = bound_age, .bound_inside = "tight_age*" },
	{ "cycle, RRB", setup, GPUTM_BLOCK_PRIORITY_POLICY_RRB, run, "gputm_block_priority_pick",
	  .bound = bound_rrb, .bound_inside = "tight_round*" },
	{ "cycle, SRR", setup, GPUTM_BLOCK_PRIORITY_POLICY_SRR, run, "gputm_block_priority_pick",
	  .bound = bound_srr, .bound_inside = "tight_round*" },
};

BENCH_TABLE("block_priority", struct core, operations)
