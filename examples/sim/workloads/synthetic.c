/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The synthetic workloads W1 and W2 of HeTM (PACT 2019, V-A): transactions at random words of one
 * array.
 *
 *	w1	update: reads and updates 4 words; read-only: reads 4
 *	w2	the same with 40 words read; an update writes the first 4 of them
 *
 * A thread is a request of one transaction. The array has two halves: requests with an even
 * number are for the CPU and stay in the first one, the others are for the GPU and stay in
 * the second one, so that the devices never conflict (V-B). Of the CPU's updates `conflict` in a
 * million write, in place of their last word, the last word of the second half (V-C). Where
 * there are such, every 16th request of the GPU reads it in place of its own last word, so that
 * it does in every round.
 *
 * What an update writes depends on all that it has read, so a wrong read is found.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "../base/heap.h"
#include "../base/random.h"
#include "tables.h"

#define WRITES 4u

struct synthetic_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t kilobytes, update, conflict, block_size;
};

struct synthetic {
	struct sim_workload base;
	struct synthetic_config config;
	uint64_t seed, a;
	uint32_t reads, half; /* half: words */
};

/* ---- program ---- */

enum { COUNT, SUM, UPDATE }; /* registers */

enum { DRAW, BEGIN, READ, MORE_READS, READ_ONLY, WRITE, MORE_WRITES, COMMIT, END };

static const struct sim_instr code[] = {
	[DRAW] = { .op = SIM_PLAIN, .count = 1 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[READ] = { .op = SIM_LOAD },
	[MORE_READS] = { .op = SIM_BRANCH, .target = READ, .meet = READ_ONLY },
	[READ_ONLY] = { .op = SIM_BRANCH, .target = COMMIT, .meet = COMMIT },
	[WRITE] = { .op = SIM_STORE },
	[MORE_WRITES] = { .op = SIM_BRANCH, .target = WRITE, .meet = COMMIT },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[END] = { .op = SIM_EXIT },
};

/* Number `index` of what a thread draws. */
static uint32_t draw(const struct synthetic *s, uint32_t thread, uint32_t index)
{
	uint64_t state = s->seed + ((uint64_t)thread << 8 | index) * 0x9e3779b97f4a7c15;

	return sim_random(&state);
}

static bool conflicts(const struct synthetic *s, uint32_t thread)
{
	return thread % 2 == 0 && draw(s, thread, 254) % 1000000 < s->config.conflict;
}

/* Word number `index` of a transaction. */
static uint64_t word(const struct synthetic *s, uint32_t thread, uint32_t index)
{
	return s->a + 4 * ((uint64_t)(thread % 2) * s->half + draw(s, thread, index) % s->half);
}

/* What some requests of the GPU read and some of the CPU write. */
static uint64_t shared_word(const struct synthetic *s)
{
	return s->a + 4 * (2 * (uint64_t)s->half - 1);
}

static bool reads_shared(const struct synthetic *s, uint32_t thread, uint32_t index)
{
	return s->config.conflict && thread % 32 == 1 && index == s->reads - 1;
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct synthetic *s = data;
	uint32_t *reg = lane->reg;

	switch (pc) {
	case DRAW:
		reg[UPDATE] = draw(s, lane->thread, 255) % 100 < s->config.update;
		break;
	case READ:
		step->address = reads_shared(s, lane->thread, reg[COUNT])
					? shared_word(s)
					: word(s, lane->thread, reg[COUNT]);
		break;
	case MORE_READS:
		reg[SUM] = (reg[SUM] + lane->loaded) * 2654435761u;
		step->taken = ++reg[COUNT] < s->reads;
		break;
	case READ_ONLY:
		reg[COUNT] = 0;
		step->taken = !reg[UPDATE];
		break;
	case WRITE:
		step->address = word(s, lane->thread, reg[COUNT]);
		if (reg[COUNT] == WRITES - 1 && conflicts(s, lane->thread))
			step->address = shared_word(s);
		step->value = reg[SUM] + reg[COUNT];
		break;
	case MORE_WRITES:
		step->taken = ++reg[COUNT] < WRITES;
		break;
	}
}

/* ---- life ---- */

static enum sim_affinity affinity(const struct sim_workload *workload, uint32_t thread)
{
	(void)workload;
	return thread % 2 ? SIM_GPU : SIM_CPU;
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	const uint32_t *reads = request->class->given;
	struct synthetic *s = sim_workload_new(request, sizeof(*s), error, size);
	uint64_t end = SIM_HEAP;

	if (!s)
		return -ENOMEM;
	s->config = *(const struct synthetic_config *)request->config;
	s->seed = request->seed;
	s->reads = *reads;
	s->half = s->config.kilobytes * 128;
	s->a = sim_heap_take(&end, 8 * (uint64_t)s->half);
	s->base.threads = request->threads ? request->threads : 20000;
	s->base.block_size = s->config.block_size;
	s->base.region[0] = (struct sim_region){ s->a, 8 * (uint64_t)s->half };
	s->base.regions = 1;
	s->base.affinity = affinity;
	s->base.missing[SIM_LOCKS] = "the synthetic workloads of HeTM have no lock program";
	sim_workload_runs(&s->base, SIM_TRANSACTIONS, code, END + 1, eval);
	s->base.transactions = s->base.threads;
	s->base.lock_base = sim_heap_take(&end, 4);
	*out = &s->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct synthetic *s = (const struct synthetic *)workload;
	uint64_t state = s->seed;

	for (uint32_t i = 0; i < 2 * s->half; i++)
		sim_memory_write(memory, s->a + 4 * (uint64_t)i, sim_random(&state));
}

/* Nothing is known of random words but what the replay says; words outside stay 0. */
static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct synthetic *s = (const struct synthetic *)workload;
	uint64_t behind = s->a + 8 * (uint64_t)s->half;

	if (!sim_memory_read(memory, behind))
		return NULL;
	snprintf(error, size, "the word behind the array was written");
	return error;
}

static const struct gputm_param rows[] = {
	SIM_PARAM(struct synthetic_config, kilobytes, 1, 1u << 20, 4096, "Size of the array, KB."),
	SIM_PARAM(struct synthetic_config, update, 0, 100, 100,
		  "Percent of the transactions that write."),
	SIM_PARAM(struct synthetic_config, conflict, 0, 1000000, 0,
		  "Of a million updates of the CPU, those that write what the GPU reads."),
	SIM_PARAM(struct synthetic_config, block_size, 1, 1024, 128, "Threads of a block."),
};

SIM_WORKLOAD_PARAMS(struct synthetic_config);

#define SYNTHETIC(VARIABLE, NAME, SUMMARY, READS)                                              \
	const struct sim_workload_class VARIABLE = {                                           \
		.name = (NAME), .summary = (SUMMARY), .params = &params,                       \
		.given = &(const uint32_t){ READS }, .make = make,                             \
		.free = sim_workload_free, .setup = setup, .invariant = invariant,             \
	}

SYNTHETIC(sim_w1, "w1", "HeTM's W1: 4 random words read, and updated", 4);
SYNTHETIC(sim_w2, "w2", "HeTM's W2: 40 random words read, 4 updated", 40);
