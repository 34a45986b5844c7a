/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write skew: two threads read the same two words, each writes one of them.
 *
 *	a: pair i at a + 64 i = { x at +0, y at +32 }      both 1 at the start
 *	b, c: one word each, not used
 *
 * In round r threads i and i + 512 work on pair i + 512 r: R x; R y; if x + y == 2 the
 * first one writes x = 0 and the second one y = 0. One after the other, only the first to
 * come writes. Where both do, each has committed on what the other one overwrote: no serial
 * order explains that, though neither wrote what the other one wrote.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "../base/heap.h"
#include "tables.h"

#define PAIRS 512u /* of a round */
#define PAIR_BYTES 64u
#define HALF 32u /* from x to y */
#define BLOCK 32u

struct skew {
	struct sim_workload base;
	uint64_t a;
	uint32_t rounds;
};

/* ---- program ---- */

enum { ROUND, FIRST, SECOND }; /* registers */

enum { BEGIN, READ_X, READ_Y, WRITE, COMMIT, MORE, END };

static const struct sim_instr code[] = {
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[READ_X] = { .op = SIM_LOAD },
	[READ_Y] = { .op = SIM_LOAD },
	[WRITE] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[MORE] = { .op = SIM_BRANCH, .target = BEGIN, .meet = END },
	[END] = { .op = SIM_EXIT },
};

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct skew *skew = data;
	uint32_t *reg = lane->reg;
	uint64_t pair = lane->thread % PAIRS + (uint64_t)PAIRS * reg[ROUND];

	step->address = skew->a + PAIR_BYTES * pair;
	switch (pc) {
	case READ_Y:
		reg[FIRST] = lane->loaded;
		step->address += HALF;
		break;
	case WRITE:
		reg[SECOND] = lane->loaded;
		step->address += lane->thread < PAIRS ? 0 : HALF;
		step->skip = reg[FIRST] + reg[SECOND] != 2;
		break;
	case MORE:
		step->taken = ++reg[ROUND] < skew->rounds;
		break;
	}
}

/* ---- life ---- */

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	const uint32_t *rounds = request->class->given;
	uint64_t end = SIM_HEAP;
	struct skew *skew = sim_workload_new(request, sizeof(*skew), error, size);

	if (!skew)
		return -ENOMEM;
	skew->rounds = *rounds;
	skew->a = sim_heap_take(&end, (uint64_t)PAIR_BYTES * PAIRS * skew->rounds);
	sim_heap_take(&end, 4);
	sim_heap_take(&end, 4);
	skew->base.threads = 2 * PAIRS;
	skew->base.transactions = 2u * PAIRS * skew->rounds;
	skew->base.block_size = BLOCK;
	skew->base.lock_base = sim_heap_take(&end, 4);
	skew->base.region[0] = (struct sim_region){
		skew->a, (uint64_t)PAIR_BYTES * PAIRS * skew->rounds
	};
	skew->base.regions = 1;
	skew->base.missing[SIM_LOCKS] = "the write-skew test has no lock program";
	sim_workload_runs(&skew->base, SIM_TRANSACTIONS, code, END + 1, eval);
	*out = &skew->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct skew *skew = (const struct skew *)workload;

	for (uint32_t i = 0; i < 2 * PAIRS * skew->rounds; i++)
		sim_memory_write(memory, skew->a + (uint64_t)HALF * i, 1);
}

/* Exactly one word of each pair is 0 and the other one still 1. */
static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct skew *skew = (const struct skew *)workload;

	for (uint32_t i = 0; i < PAIRS * skew->rounds; i++) {
		uint32_t x = sim_memory_read(memory, skew->a + (uint64_t)PAIR_BYTES * i);
		uint32_t y = sim_memory_read(memory, skew->a + (uint64_t)PAIR_BYTES * i + HALF);

		if ((x == 0 && y == 1) || (x == 1 && y == 0))
			continue;
		snprintf(error, size, "pair %u ends as %u, %u and not as 0, 1 or 1, 0", i, x, y);
		return error;
	}
	return NULL;
}

#define SKEW(VARIABLE, NAME, SUMMARY, ROUNDS)                                                  \
	const struct sim_workload_class VARIABLE = {                                           \
		.name = (NAME), .summary = (SUMMARY), .fixed_threads = true,                   \
		.given = &(const uint32_t){ ROUNDS }, .make = make,                            \
		.free = sim_workload_free, .setup = setup, .invariant = invariant,             \
	}

SKEW(sim_skew, "skew", "reference: 512 pairs of transactions that write what the other reads", 1);
SKEW(sim_skewr, "skewr", "reference: skew in 16 rounds, each on new pairs", 16);
