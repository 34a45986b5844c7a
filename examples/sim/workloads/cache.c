/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key-value cache as MemcachedGPU under HeTM (PACT 2019, V-D): sets of 8 slots, keys of 16 bytes,
 * values of 32, least recently used slots replaced.
 *
 *	set s at a + 512 s = { put count at +0; slot i at +32 + 56 i }
 *	slot: key 16 bytes, value 32 bytes, time of use by the CPU +48, by the GPU +52
 *
 * Each device has its own times, so that a GET of the CPU never conflicts with one of the GPU.
 * A PUT counts in its set, so that PUTs of both devices to one set conflict.
 *
 * A thread is a request: a key of Zipf's distribution with exponent 0.5, `put` in 100,000 of them
 * a PUT. The set is searched outside of the transaction, as on the paper's GPU: the slot with
 * the key, else the least recently used one. Then
 *
 *	GET	R the slot's key; if it is still the one: R the value, W the time
 *	PUT	R the put count; if it has changed, search again; else W count, key, value, time
 *
 * The last bit of a key says which device it is for: even keys are the GPU's. Of
 * those, `shift` percent are submitted to the CPU (the arrival rates shift), so that the GPU
 * steals what both devices may access.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "../base/heap.h"
#include "../base/random.h"
#include "tables.h"

#define SLOTS 8u
#define SET_BYTES 512u
#define SLOT_AT 32u
#define SLOT_BYTES 56u
#define KEY_WORDS 4u
#define VALUE_AT 16u
#define VALUE_WORDS 8u
#define TIME_AT 48u

struct cache_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t sets, keys, put, shift, block_size;
};

struct cache {
	struct sim_workload base;
	struct cache_config config;
	uint64_t seed, a;
};

/* ---- requests ---- */

struct request {
	uint32_t key;
	bool put, shifted;
};

/* Zipf with exponent 0.5: the share of the keys below k grows with the root of k. */
static struct request request_of(const struct cache *c, uint32_t thread)
{
	uint64_t state = c->seed + (uint64_t)thread * 0x9e3779b97f4a7c15;
	uint64_t uniform = sim_random(&state);
	struct request r;

	r.key = (uint32_t)((uniform * uniform >> 31) * c->config.keys >> 31);
	r.put = sim_random(&state) % 100000 < c->config.put;
	r.shifted = sim_random(&state) % 100 < c->config.shift;
	return r;
}

static uint32_t key_word(uint32_t key, uint32_t index)
{
	return index ? key * 2654435761u + index : key + 1; /* 0 is no key */
}

static uint32_t value_word(uint32_t key, uint32_t index)
{
	return (key + 1) * 2246822519u ^ index;
}

static uint64_t set_of(const struct cache *c, uint32_t key)
{
	return c->a + (uint64_t)SET_BYTES * (key % c->config.sets);
}

/* ---- program ---- */

enum { KEY, FLAGS, SEEN, INDEX, BEST, BEST_TIME }; /* registers */

enum { PUT = 1, FOUND = 2, VALID = 4 }; /* flags */

enum {
	DRAW, GET_COUNT, FIRST, LOOK, LOOK_TIME, NEXT, BEGIN, RECHECK, DECIDE, SKIP, BUMP,
	READ_VALUE, WRITE_WORD, MORE, USE, COMMIT, AGAIN, END,
};

static const struct sim_instr code[] = {
	[DRAW] = { .op = SIM_PLAIN, .count = 4 },
	[GET_COUNT] = { .op = SIM_LOAD },
	[FIRST] = { .op = SIM_PLAIN, .count = 1 },
	[LOOK] = { .op = SIM_LOAD },
	[LOOK_TIME] = { .op = SIM_LOAD },
	[NEXT] = { .op = SIM_BRANCH, .target = LOOK, .meet = BEGIN },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[RECHECK] = { .op = SIM_LOAD },
	[DECIDE] = { .op = SIM_PLAIN, .count = 1 },
	[SKIP] = { .op = SIM_BRANCH, .target = COMMIT, .meet = COMMIT },
	[BUMP] = { .op = SIM_STORE },
	[READ_VALUE] = { .op = SIM_LOAD },
	[WRITE_WORD] = { .op = SIM_STORE },
	[MORE] = { .op = SIM_BRANCH, .target = READ_VALUE, .meet = USE },
	[USE] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[AGAIN] = { .op = SIM_BRANCH, .target = GET_COUNT, .meet = END },
	[END] = { .op = SIM_EXIT },
};

static uint64_t slot_of(const struct cache *c, const uint32_t *reg, uint32_t slot)
{
	return set_of(c, reg[KEY]) + SLOT_AT + (uint64_t)SLOT_BYTES * slot;
}

static uint32_t flag(uint32_t flags, uint32_t bit, bool set)
{
	return set ? flags | bit : flags & ~bit;
}

/* Outside of the transaction: the slot with the key, else the least recently used one. */
static void eval_search(const struct cache *c, uint32_t pc, struct sim_lane *lane,
			struct sim_step *step)
{
	uint32_t *reg = lane->reg, gpu = lane->thread >= SIM_ON_GPU;

	switch (pc) {
	case GET_COUNT:
		step->address = set_of(c, reg[KEY]);
		break;
	case FIRST:
		reg[SEEN] = lane->loaded;
		reg[INDEX] = reg[BEST] = 0;
		reg[BEST_TIME] = UINT32_MAX;
		reg[FLAGS] &= PUT;
		break;
	case LOOK:
		step->address = slot_of(c, reg, reg[INDEX]);
		break;
	case LOOK_TIME:
		if (lane->loaded == key_word(reg[KEY], 0)) {
			reg[FLAGS] |= FOUND;
			reg[BEST] = reg[INDEX];
		}
		step->address = slot_of(c, reg, reg[INDEX]) + TIME_AT + 4 * gpu;
		break;
	case NEXT:
		if (!(reg[FLAGS] & FOUND) && lane->loaded < reg[BEST_TIME]) {
			reg[BEST] = reg[INDEX];
			reg[BEST_TIME] = lane->loaded;
		}
		step->taken = ++reg[INDEX] < SLOTS && !(reg[FLAGS] & FOUND);
		break;
	}
}

static void eval_transaction(const struct cache *c, uint32_t pc, struct sim_lane *lane,
			     struct sim_step *step)
{
	uint32_t *reg = lane->reg, gpu = lane->thread >= SIM_ON_GPU;
	bool put = reg[FLAGS] & PUT, found = reg[FLAGS] & FOUND;

	switch (pc) {
	case RECHECK:
		step->address = put ? set_of(c, reg[KEY]) : slot_of(c, reg, reg[BEST]);
		step->skip = !put && !found;
		break;
	case DECIDE:
		reg[FLAGS] = flag(reg[FLAGS], VALID,
				  put ? lane->loaded == reg[SEEN]
				      : found && lane->loaded == key_word(reg[KEY], 0));
		reg[INDEX] = 0;
		break;
	case SKIP:
		step->taken = !(reg[FLAGS] & VALID);
		break;
	case BUMP:
		step->address = set_of(c, reg[KEY]);
		step->value = reg[SEEN] + 1;
		step->skip = !put;
		break;
	case READ_VALUE:
		step->address = slot_of(c, reg, reg[BEST]) + VALUE_AT + 4 * reg[INDEX];
		step->skip = put;
		break;
	case WRITE_WORD:
		step->address = slot_of(c, reg, reg[BEST]) + 4 * reg[INDEX];
		step->value = reg[INDEX] < KEY_WORDS
				      ? key_word(reg[KEY], reg[INDEX])
				      : value_word(reg[KEY], reg[INDEX] - KEY_WORDS);
		step->skip = !put;
		break;
	case MORE:
		step->taken = ++reg[INDEX] < (put ? KEY_WORDS + VALUE_WORDS : VALUE_WORDS);
		break;
	case USE:
		step->address = slot_of(c, reg, reg[BEST]) + TIME_AT + 4 * gpu;
		step->value = (lane->thread & ~SIM_ON_GPU) + 1;
		break;
	case AGAIN:
		step->taken = put && !(reg[FLAGS] & VALID);
		break;
	}
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct cache *c = data;

	if (pc == DRAW) {
		struct request r = request_of(c, lane->thread & ~SIM_ON_GPU);

		lane->reg[KEY] = r.key;
		lane->reg[FLAGS] = r.put ? PUT : 0;
	} else if (pc < BEGIN) {
		eval_search(c, pc, lane, step);
	} else {
		eval_transaction(c, pc, lane, step);
	}
}

/* ---- life ---- */

static enum sim_affinity affinity(const struct sim_workload *workload, uint32_t thread)
{
	struct request r = request_of((const struct cache *)workload, thread);

	return r.key % 2 || r.shifted ? SIM_CPU : SIM_GPU;
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	struct cache *c = sim_workload_new(request, sizeof(*c), error, size);
	uint64_t end = SIM_HEAP, bytes;

	if (!c)
		return -ENOMEM;
	c->config = *(const struct cache_config *)request->config;
	c->seed = request->seed;
	bytes = (uint64_t)SET_BYTES * c->config.sets;
	c->a = sim_heap_take(&end, bytes);
	c->base.threads = request->threads ? request->threads : 20000;
	c->base.block_size = c->config.block_size;
	c->base.most_writes = c->base.threads; /* a PUT that fails has written nothing */
	c->base.region[0] = (struct sim_region){ c->a, bytes };
	c->base.regions = 1;
	c->base.affinity = affinity;
	c->base.device_bit = true;
	c->base.missing[SIM_LOCKS] = "the cache has no lock program";
	sim_workload_runs(&c->base, SIM_TRANSACTIONS, code, END + 1, eval);
	c->base.lock_base = sim_heap_take(&end, 4);
	*out = &c->base;
	return 0;
}

static void fill(struct sim_memory *memory, uint64_t slot, uint32_t key)
{
	for (uint32_t i = 0; i < KEY_WORDS; i++)
		sim_memory_write(memory, slot + 4 * i, key_word(key, i));
	for (uint32_t i = 0; i < VALUE_WORDS; i++)
		sim_memory_write(memory, slot + VALUE_AT + 4 * i, value_word(key, i));
}

/* The first keys are there, as many as fit. */
static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct cache *c = (const struct cache *)workload;

	for (uint32_t key = 0; key < c->config.keys && key < SLOTS * c->config.sets; key++)
		fill(memory,
		     set_of(c, key) + SLOT_AT + (uint64_t)SLOT_BYTES * (key / c->config.sets),
		     key);
}

/* What is wrong with a slot that holds a key, or NULL. */
static const char *check_slot(const struct cache *c, const struct sim_memory *memory,
			      uint64_t slot, uint32_t set)
{
	uint32_t key = sim_memory_read(memory, slot) - 1;

	if (key >= c->config.keys || key % c->config.sets != set)
		return "holds a key of another set";
	for (uint32_t i = 1; i < KEY_WORDS; i++)
		if (sim_memory_read(memory, slot + 4 * i) != key_word(key, i))
			return "holds parts of two keys";
	for (uint32_t i = 0; i < VALUE_WORDS; i++)
		if (sim_memory_read(memory, slot + VALUE_AT + 4 * i) != value_word(key, i))
			return "holds the value of another key";
	return NULL;
}

/* Every slot holds one key of its set with its value, and no set a key twice. */
static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct cache *c = (const struct cache *)workload;

	for (uint32_t i = 0; i < c->config.sets * SLOTS; i++) {
		uint64_t set = c->a + (uint64_t)SET_BYTES * (i / SLOTS) + SLOT_AT;
		uint64_t slot = set + (uint64_t)SLOT_BYTES * (i % SLOTS);
		const char *broken = NULL;

		if (!sim_memory_read(memory, slot))
			continue;
		broken = check_slot(c, memory, slot, i / SLOTS);
		for (uint64_t other = set; !broken && other < slot; other += SLOT_BYTES)
			if (sim_memory_read(memory, other) == sim_memory_read(memory, slot))
				broken = "holds a key that its set has twice";
		if (!broken)
			continue;
		snprintf(error, size, "slot %u of set %u %s", i % SLOTS, i / SLOTS, broken);
		return error;
	}
	return NULL;
}

static const struct gputm_param rows[] = {
	SIM_PARAM(struct cache_config, sets, 1, 1u << 22, 4096, "Sets of 8 slots."),
	SIM_PARAM(struct cache_config, keys, 2, 1u << 26, 40000, "Keys that are asked for."),
	SIM_PARAM(struct cache_config, put, 0, 100000, 100, "PUTs of 100,000 requests."),
	SIM_PARAM(struct cache_config, shift, 0, 100, 0,
		  "Percent of the GPU's requests that come to the CPU."),
	SIM_PARAM(struct cache_config, block_size, 1, 1024, 128, "Threads of a block."),
};

SIM_WORKLOAD_PARAMS(struct cache_config);

const struct sim_workload_class sim_cache = {
	.name = "cache",
	.summary = "HeTM's key-value cache: GETs and PUTs of Zipf's distribution",
	.params = &params,
	.make = make,
	.free = sim_workload_free,
	.setup = setup,
	.invariant = invariant,
};
