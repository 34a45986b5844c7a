/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Genetic algorithm for the knapsack in local memory (GPU-LocalTM, TRANSACT 2015, 5.1.3): N
 * solutions, each a mask of the 8 objects that are in the bag, whose weight is to come close
 * to the bag's capacity. In each round a work-item draws two of them:
 *
 *	tx { R a; R b; for each object: add its weight to a's or b's; W a; W b }
 *
 * The better one stays, the other one takes some of the better one's bits (crossover). Solution
 * i is word i. The loop over the objects counts in a vector register, as it must in a
 * transaction (3.2), so it is left when no lane of the wavefront executes any more. The paper
 * does not give the number of rounds.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "local.h"

#define OBJECTS 8u

struct genetic_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t rounds;
};

struct genetic {
	struct sim_workload base;
	uint32_t solutions, rounds, capacity;
	uint32_t weight[OBJECTS], initial[LOCAL_ITEMS];
	uint64_t seed;
};

enum { ROUND, FIRST, SECOND, CROSS, A, B, OBJECT }; /* registers */

enum {
	DRAW,
	BEGIN, GET_A, GET_B, START, WEIGH, OBJECTS_LEFT, JUDGE, PUT_A, PUT_B, COMMIT,
	NEXT, MORE, END
};

static const struct sim_instr code[] = {
	[DRAW] = { .op = SIM_PLAIN, .count = 12 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[GET_A] = { .op = SIM_LOAD },
	[GET_B] = { .op = SIM_LOAD },
	[START] = { .op = SIM_PLAIN, .count = 3 },
	[WEIGH] = { .op = SIM_PLAIN, .count = 2 * 3 + 1 }, /* bit, select, add; count */
	[OBJECTS_LEFT] = { .op = SIM_BRANCH, .target = WEIGH, .meet = JUDGE },
	[JUDGE] = { .op = SIM_PLAIN, .count = 6 },
	[PUT_A] = { .op = SIM_STORE },
	[PUT_B] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[NEXT] = { .op = SIM_PLAIN, .count = 1 },
	[MORE] = { .op = SIM_BRANCH, .target = DRAW, .meet = END },
	[END] = { .op = SIM_EXIT },
};

/* How far a solution is from the capacity. */
static uint32_t far(const struct genetic *g, uint32_t solution)
{
	uint32_t weight = 0;

	for (unsigned i = 0; i < OBJECTS; i++)
		weight += solution >> i & 1 ? g->weight[i] : 0;
	return weight > g->capacity ? weight - g->capacity : g->capacity - weight;
}

static void draw(const struct genetic *g, struct sim_lane *lane)
{
	uint64_t drawn = OBJECTS + g->solutions +
			 3 * ((uint64_t)lane->thread * g->rounds + lane->reg[ROUND]);
	uint64_t state = g->seed + drawn * UINT64_C(0x9e3779b97f4a7c15);

	lane->reg[FIRST] = sim_random(&state) % g->solutions;
	lane->reg[SECOND] = (lane->reg[FIRST] + 1 + sim_random(&state) % (g->solutions - 1)) %
			    g->solutions;
	lane->reg[CROSS] = sim_random(&state) & 255;
}

static void judge(const struct genetic *g, struct sim_lane *lane)
{
	uint32_t *a = &lane->reg[A], *b = &lane->reg[B];

	if (far(g, *a) <= far(g, *b))
		*b ^= (*a ^ *b) & lane->reg[CROSS];
	else
		*a ^= (*a ^ *b) & lane->reg[CROSS];
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct genetic *g = data;
	bool first = pc == GET_A || pc == PUT_A;

	step->address = sim_local_address(lane->reg[first ? FIRST : SECOND]);
	step->value = lane->reg[first ? A : B];
	switch (pc) {
	case DRAW:
		draw(g, lane);
		break;
	case GET_B:
		lane->reg[A] = lane->loaded;
		break;
	case START:
		lane->reg[B] = lane->loaded;
		lane->reg[OBJECT] = 0;
		break;
	case WEIGH:
		lane->reg[OBJECT]++;
		break;
	case OBJECTS_LEFT:
		step->taken = lane->reg[OBJECT] < OBJECTS;
		break;
	case JUDGE:
		judge(g, lane);
		break;
	case NEXT:
		lane->reg[ROUND]++;
		break;
	case MORE:
		step->taken = lane->reg[ROUND] < g->rounds;
		break;
	}
}

static void draw_problem(struct genetic *g)
{
	uint64_t state = g->seed;
	uint32_t all = 0;

	for (unsigned i = 0; i < OBJECTS; i++) {
		g->weight[i] = 1 + sim_random(&state) % 100;
		all += g->weight[i];
	}
	g->capacity = all / 2;
	for (uint32_t i = 0; i < g->solutions; i++)
		g->initial[i] = sim_random(&state) & 255;
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	const struct genetic_config *config = request->config;
	struct genetic *g = sim_workload_new(request, sizeof(*g), error, size);

	if (!g)
		return -ENOMEM;
	g->solutions = *(const uint32_t *)request->class->given;
	g->rounds = config->rounds;
	g->seed = request->seed;
	draw_problem(g);
	sim_workload_runs(&g->base, SIM_LOCAL, code, END + 1, eval);
	sim_local_base(&g->base, g->solutions);
	g->base.transactions = (uint64_t)LOCAL_ITEMS * g->rounds;
	*out = &g->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct genetic *g = (const struct genetic *)workload;

	for (uint32_t i = 0; i < g->solutions; i++)
		sim_memory_write(memory, sim_local_address(i), g->initial[i]);
}

/* All are solutions, and the best one is at least as good as the best at the start. */
static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct genetic *g = (const struct genetic *)workload;
	uint32_t before = UINT32_MAX, after = UINT32_MAX;

	for (uint32_t i = 0; i < g->solutions; i++) {
		uint32_t solution = sim_memory_read(memory, sim_local_address(i));

		if (solution > 255) {
			snprintf(error, size, "0x%x is no solution", solution);
			return error;
		}
		before = far(g, g->initial[i]) < before ? far(g, g->initial[i]) : before;
		after = far(g, solution) < after ? far(g, solution) : after;
	}
	if (after <= before)
		return NULL;
	snprintf(error, size, "the best solution is %u away and was %u", after, before);
	return error;
}

static const struct gputm_param rows[] = {
	SIM_PARAM(struct genetic_config, rounds, 1, 1000, 4, "Rounds of each work-item."),
};

SIM_WORKLOAD_PARAMS(struct genetic_config);

#define CLASS(N)                                                                               \
	const struct sim_workload_class sim_genetic_##N = {                                    \
		.name = "genetic-" #N,                                                         \
		.summary = "a genetic algorithm on " #N " solutions of a knapsack",            \
		.make = make, .setup = setup, .invariant = invariant,                          \
		.free = sim_workload_free,                                                     \
		.params = &params, .fixed_threads = true, .given = &(const uint32_t){ N },     \
	};
SIM_LOCAL_FAMILY(CLASS)
