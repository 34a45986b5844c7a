/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash table in local memory (GPU-LocalTM, TRANSACT 2015, 5.1.1): each work-item puts its
 * number into bucket number mod N, the first place of the bucket that is empty. It looks at
 * one place at a time, in a transaction of its own:
 *
 *	slot = 0
 *	do { tx { R place; if it is empty W place = number + 1 } slot++ } while it was not empty
 *
 * Bucket b has 256 / N places, place s is word b + N s; so places of a bank differ in their
 * signature's bit where the paper has no conflicts (N = 256).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "local.h"

struct local_hash {
	struct sim_workload base;
	uint32_t buckets;
};

enum { SLOT, PUT }; /* registers */

enum { HASH, BEGIN, LOOK, EMPTY, STORE, COMMIT, NEXT, AGAIN, END };

static const struct sim_instr code[] = {
	[HASH] = { .op = SIM_PLAIN, .count = 4 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[LOOK] = { .op = SIM_LOAD },
	[EMPTY] = { .op = SIM_PLAIN, .count = 1 },
	[STORE] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[NEXT] = { .op = SIM_PLAIN, .count = 2 },
	[AGAIN] = { .op = SIM_BRANCH, .target = BEGIN, .meet = END },
	[END] = { .op = SIM_EXIT },
};

static uint32_t place(const struct local_hash *hash, uint32_t item, uint32_t slot)
{
	return item % hash->buckets + hash->buckets * slot;
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct local_hash *hash = data;

	step->address = sim_local_address(place(hash, lane->thread, lane->reg[SLOT]));
	switch (pc) {
	case STORE:
		lane->reg[PUT] = !lane->loaded;
		step->value = lane->thread + 1;
		step->skip = lane->loaded != 0;
		break;
	case NEXT:
		lane->reg[SLOT]++;
		break;
	case AGAIN:
		step->taken = !lane->reg[PUT];
		break;
	}
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	struct local_hash *hash = sim_workload_new(request, sizeof(*hash), error, size);

	if (!hash)
		return -ENOMEM;
	hash->buckets = *(const uint32_t *)request->class->given;
	sim_workload_runs(&hash->base, SIM_LOCAL, code, END + 1, eval);
	sim_local_base(&hash->base, LOCAL_ITEMS);
	*out = &hash->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	(void)workload;
	(void)memory;
}

/* Every number once, in its bucket. */
static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct local_hash *hash = (const struct local_hash *)workload;
	bool seen[LOCAL_ITEMS] = { false };

	for (uint32_t word = 0; word < LOCAL_ITEMS; word++) {
		uint32_t item = sim_memory_read(memory, sim_local_address(word)) - 1;

		if (item >= LOCAL_ITEMS || item % hash->buckets != word % hash->buckets ||
		    seen[item]) {
			snprintf(error, size, "place %u of bucket %u holds %u",
				 word / hash->buckets, word % hash->buckets, item + 1);
			return error;
		}
		seen[item] = true;
	}
	return NULL;
}

#define CLASS(N)                                                                               \
	const struct sim_workload_class sim_local_hash_##N = {                                 \
		.name = "local-hash-" #N,                                                      \
		.summary = "256 insertions into a local hash table of " #N " buckets",         \
		.make = make, .setup = setup, .invariant = invariant,                          \
		.free = sim_workload_free,                                                     \
		.fixed_threads = true, .given = &(const uint32_t){ N },                        \
	};
SIM_LOCAL_FAMILY(CLASS)
