/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * K-means in local memory (GPU-LocalTM, TRANSACT 2015, 5.1.2): 256 points of three
 * dimensions, one for each work-item, N centers, one iteration. A work-item loads its point,
 * finds the nearest center, and in a transaction adds the point to what that center gathers:
 * three sums and a count, from which its new place would follow.
 *
 *	tx { for each of x, y, z, count: R sum; W sum + coordinate }
 *
 * All that a center gathers lies in one bank, as in the paper: center k in bank k mod 32, at
 * positions 4 (k div 32) .. + 3. Points lie in global memory. The centers are constants of
 * the kernel, read by scalar loads, which are counted in the 14 instructions of a distance.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "local.h"

#define DIMENSIONS 3u
#define GATHERED 4u /* three sums and a count */
#define RANGE 1000u /* of a coordinate */
#define BANKS 32u

struct k_means {
	struct sim_workload base;
	uint32_t centers;
	uint32_t center[LOCAL_ITEMS][DIMENSIONS], point[LOCAL_ITEMS][DIMENSIONS];
};

enum { CENTER, NEAREST, DISTANCE, POINT }; /* registers; POINT + 0 .. 2 */

enum {
	GET_X, GET_Y, GET_Z, START, NEAR, MORE, PLACE, BEGIN, LOAD, ADD, STORE,
	LAST = LOAD + 3 * GATHERED - 1, COMMIT, END,
};

#define STEP(AT)                                                                               \
	[AT] = { .op = SIM_LOAD }, [AT + 1] = { .op = SIM_PLAIN, .count = 1 },                 \
	[AT + 2] = { .op = SIM_STORE }

static const struct sim_instr code[] = {
	[GET_X] = { .op = SIM_LOAD },
	[GET_Y] = { .op = SIM_LOAD },
	[GET_Z] = { .op = SIM_LOAD },
	[START] = { .op = SIM_PLAIN, .count = 2 },
	[NEAR] = { .op = SIM_PLAIN, .count = 14 },
	[MORE] = { .op = SIM_BRANCH, .target = NEAR, .meet = PLACE },
	[PLACE] = { .op = SIM_PLAIN, .count = 4 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	STEP(LOAD),
	STEP(LOAD + 3),
	STEP(LOAD + 6),
	STEP(LOAD + 9),
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[END] = { .op = SIM_EXIT },
};

static uint32_t word_of(uint32_t center, uint32_t what)
{
	return center % BANKS + BANKS * (GATHERED * (center / BANKS) + what);
}

static uint32_t distance(const struct k_means *k, uint32_t center, const uint32_t *point)
{
	uint32_t sum = 0;

	for (unsigned d = 0; d < DIMENSIONS; d++) {
		uint32_t a = k->center[center][d], b = point[d], apart = a > b ? a - b : b - a;

		sum += apart * apart;
	}
	return sum;
}

static void compare(const struct k_means *k, struct sim_lane *lane)
{
	uint32_t center = lane->reg[CENTER]++, here = distance(k, center, &lane->reg[POINT]);

	if (center && here >= lane->reg[DISTANCE])
		return;
	lane->reg[NEAREST] = center;
	lane->reg[DISTANCE] = here;
}

static void gather(struct sim_lane *lane, uint32_t at, struct sim_step *step)
{
	uint32_t what = at / 3;

	step->address = sim_local_address(word_of(lane->reg[NEAREST], what));
	step->value = lane->loaded + (what < DIMENSIONS ? lane->reg[POINT + what] : 1);
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct k_means *k = data;

	if (pc >= LOAD && pc <= LAST) {
		gather(lane, pc - LOAD, step);
		return;
	}
	if (pc > GET_X && pc <= START)
		lane->reg[POINT + pc - 1] = lane->loaded;
	if (pc <= GET_Z)
		step->address = LOCAL_GLOBAL + 4 * (DIMENSIONS * (uint64_t)lane->thread + pc);
	else if (pc == NEAR)
		compare(k, lane);
	else if (pc == MORE)
		step->taken = lane->reg[CENTER] < k->centers;
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	struct k_means *k = sim_workload_new(request, sizeof(*k), error, size);
	uint64_t state = request->seed;

	if (!k)
		return -ENOMEM;
	k->centers = *(const uint32_t *)request->class->given;
	for (uint32_t i = 0; i < LOCAL_ITEMS; i++)
		for (unsigned d = 0; d < DIMENSIONS; d++) {
			k->point[i][d] = sim_random(&state) % RANGE;
			k->center[i][d] = sim_random(&state) % RANGE;
		}
	sim_workload_runs(&k->base, SIM_LOCAL, code, END + 1, eval);
	sim_local_base(&k->base, word_of(k->centers - 1, GATHERED - 1) + 1);
	k->base.transactions = LOCAL_ITEMS;
	*out = &k->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct k_means *k = (const struct k_means *)workload;

	for (uint32_t i = 0; i < LOCAL_ITEMS; i++)
		for (unsigned d = 0; d < DIMENSIONS; d++)
			sim_memory_write(memory, LOCAL_GLOBAL + 4 * (DIMENSIONS * i + d),
					 k->point[i][d]);
}

static uint32_t nearest(const struct k_means *k, const uint32_t *point)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < k->centers; i++)
		if (distance(k, i, point) < distance(k, best, point))
			best = i;
	return best;
}

/* Every center has gathered the points that are nearest to it. */
static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct k_means *k = (const struct k_means *)workload;
	uint32_t expected[LOCAL_ITEMS][GATHERED] = { { 0 } };

	for (uint32_t i = 0; i < LOCAL_ITEMS; i++) {
		uint32_t center = nearest(k, k->point[i]);

		for (unsigned d = 0; d < GATHERED; d++)
			expected[center][d] += d < DIMENSIONS ? k->point[i][d] : 1;
	}
	for (uint32_t i = 0; i < k->centers; i++)
		for (unsigned d = 0; d < GATHERED; d++) {
			uint32_t is = sim_memory_read(memory, sim_local_address(word_of(i, d)));

			if (is == expected[i][d])
				continue;
			snprintf(error, size, "center %u has gathered %u and not %u", i, is,
				 expected[i][d]);
			return error;
		}
	return NULL;
}

#define CLASS(N)                                                                               \
	const struct sim_workload_class sim_k_means_##N = {                                    \
		.name = "k-means-" #N,                                                         \
		.summary = "one iteration of k-means, 256 points, " #N " centers",             \
		.make = make, .setup = setup, .invariant = invariant,                          \
		.free = sim_workload_free,                                                     \
		.fixed_threads = true, .given = &(const uint32_t){ N },                        \
	};
SIM_LOCAL_FAMILY(CLASS)
