/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash table: every thread puts one node at the head of its bucket's chain.
 *
 *	a: bucket h at a + 8 h   = { head, lock }         head 0 ends a chain
 *	b: node e at b + 12 e    = { key, value, next }   e = thread + 1
 *	c: key of node e at c + 4 e
 *
 * The transaction: W node.key; W node.value; R head; W node.next = head; W head = e.
 * The chain is real: what is written to node.next is what was read from head. With
 * key_inside the key is loaded and hashed in the transaction, else before it.
 *
 * The lock program does the same under the bucket's lock, taken by
 *	do if (CAS(lock, 0, 1) == 0) { body; fence; lock = 0; done } while (!done)
 * where a lane that does not get the lock waits for the others at the end of the if,
 * so that no lane spins while another one of its warp holds the lock.
 *
 * The reference workloads are this table with given keys, sizes and blocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/heap.h"
#include "../base/input.h"
#include "key_file.h"
#include "../base/random.h"
#include "tables.h"

#define NODE_BYTES 12u
#define BUCKET_BYTES 8u
#define THREADS 8192u /* unless told otherwise */

struct hash_table_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t buckets, block_size, key_inside;
};

struct hash_table {
	struct sim_workload base;
	uint64_t a, b, c;
	uint32_t buckets;
	uint64_t seed;	      /* of generated keys */
	struct sim_keys keys; /* from a file, else empty */
};

/* Sizes and seed of a reference workload. */
struct given {
	uint64_t threads, seed;
	struct hash_table_config config;
};

/* ---- programs ---- */

enum { BUCKET, KEY, DONE }; /* registers */

enum { LOAD_KEY, HASH, BEGIN, PUT_KEY, PUT_VALUE, GET_HEAD, PUT_NEXT, PUT_HEAD, COMMIT, END };

static const struct sim_instr outside_code[] = {
	[LOAD_KEY] = { .op = SIM_LOAD },    [HASH] = { .op = SIM_PLAIN, .count = 1 },
	[BEGIN] = { .op = SIM_TX_BEGIN },   [PUT_KEY] = { .op = SIM_STORE },
	[PUT_VALUE] = { .op = SIM_STORE },  [GET_HEAD] = { .op = SIM_LOAD },
	[PUT_NEXT] = { .op = SIM_STORE },   [PUT_HEAD] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT }, [END] = { .op = SIM_EXIT },
};

/* The same steps, with the first three in another order. */
static const struct sim_instr inside_code[] = {
	[0] = { .op = SIM_TX_BEGIN },	    [1] = { .op = SIM_LOAD },
	[2] = { .op = SIM_PLAIN, .count = 1 }, [PUT_KEY] = { .op = SIM_STORE },
	[PUT_VALUE] = { .op = SIM_STORE },  [GET_HEAD] = { .op = SIM_LOAD },
	[PUT_NEXT] = { .op = SIM_STORE },   [PUT_HEAD] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT }, [END] = { .op = SIM_EXIT },
};

static void step_transaction(const struct hash_table *t, uint32_t at, struct sim_lane *lane,
			     struct sim_step *step)
{
	uint32_t node = lane->thread + 1;

	switch (at) {
	case LOAD_KEY:
		step->address = t->c + 4u * (uint64_t)node;
		break;
	case HASH:
		lane->reg[KEY] = lane->loaded;
		lane->reg[BUCKET] = lane->loaded % t->buckets;
		break;
	case PUT_KEY:
	case PUT_VALUE:
		step->address = t->b + (uint64_t)NODE_BYTES * node + (at == PUT_KEY ? 0 : 4);
		step->value = at == PUT_KEY ? lane->reg[KEY] : node;
		break;
	case PUT_NEXT:
		step->address = t->b + (uint64_t)NODE_BYTES * node + 8;
		step->value = lane->loaded;
		break;
	case GET_HEAD:
	case PUT_HEAD:
		step->address = t->a + (uint64_t)BUCKET_BYTES * lane->reg[BUCKET];
		step->value = node;
		break;
	}
}

static void eval_outside(const void *data, uint32_t pc, struct sim_lane *lane,
			 struct sim_step *step)
{
	step_transaction(data, pc, lane, step);
}

static void eval_inside(const void *data, uint32_t pc, struct sim_lane *lane,
			struct sim_step *step)
{
	step_transaction(data, pc == 1 ? LOAD_KEY : pc == 2 ? HASH : pc, lane, step);
}

enum {
	TAKE = HASH + 1, MISSED, ENTER, FIRST, LAST = FIRST + PUT_HEAD - PUT_KEY, LEAVE, FENCE,
	RELEASE, AGAIN, LOCK_END,
};

static const struct sim_instr lock_code[] = {
	[LOAD_KEY] = { .op = SIM_LOAD },
	[HASH] = { .op = SIM_PLAIN, .count = 1 },
	[TAKE] = { .op = SIM_CAS },
	[MISSED] = { .op = SIM_BRANCH, .target = AGAIN, .meet = AGAIN },
	[ENTER] = { .op = SIM_ENTER },
	[FIRST] = { .op = SIM_STORE },
	[FIRST + 1] = { .op = SIM_STORE },
	[FIRST + 2] = { .op = SIM_LOAD },
	[FIRST + 3] = { .op = SIM_STORE },
	[LAST] = { .op = SIM_STORE },
	[LEAVE] = { .op = SIM_LEAVE },
	[FENCE] = { .op = SIM_FENCE },
	[RELEASE] = { .op = SIM_STORE },
	[AGAIN] = { .op = SIM_BRANCH, .target = TAKE, .meet = LOCK_END },
	[LOCK_END] = { .op = SIM_EXIT },
};

static void eval_locks(const void *data, uint32_t pc, struct sim_lane *lane,
		       struct sim_step *step)
{
	const struct hash_table *t = data;

	if (pc >= FIRST && pc <= LAST) {
		step_transaction(t, pc - FIRST + PUT_KEY, lane, step);
		return;
	}
	switch (pc) {
	case LOAD_KEY:
	case HASH:
		step_transaction(t, pc, lane, step);
		break;
	case TAKE:
	case RELEASE:
		step->address = t->a + (uint64_t)BUCKET_BYTES * lane->reg[BUCKET] + 4;
		step->value = pc == TAKE;
		if (pc == RELEASE)
			lane->reg[DONE] = 1;
		break;
	case MISSED:
		step->taken = lane->loaded != 0;
		break;
	case AGAIN:
		step->taken = !lane->reg[DONE];
		break;
	}
}

/* ---- life ---- */

static void destroy(struct sim_workload *workload)
{
	struct hash_table *t = (struct hash_table *)workload;

	sim_keys_free(&t->keys);
	free(t);
}

static int read_keys(const struct sim_workload_request *request, struct hash_table *t,
		     char *error, size_t size)
{
	struct sim_input in;
	int result = sim_input_open(&in, request->keys, error, size);

	if (result)
		return result;
	result = sim_keys_read(in.file, in.name, &t->keys, error, size);
	sim_input_close(&in);
	if (result)
		return -EINVAL;
	if (!request->threads || request->threads <= t->keys.count)
		return 0;
	snprintf(error, size, "--threads: got \"%llu\", expected 1 .. %u, the words of %s",
		 (unsigned long long)request->threads, t->keys.count, in.name);
	return -EINVAL;
}

static void lay_out(struct hash_table *t)
{
	uint64_t end = SIM_HEAP, nodes = t->base.threads + 1;

	t->a = sim_heap_take(&end, (uint64_t)BUCKET_BYTES * t->buckets);
	t->b = sim_heap_take(&end, NODE_BYTES * nodes);
	t->c = sim_heap_take(&end, 4u * nodes);
	t->base.region[0] = (struct sim_region){ t->a, end - t->a };
	t->base.regions = 1;
	t->base.lock_base = sim_heap_take(&end, 4);
}

static void make_programs(struct hash_table *t, bool inside)
{
	sim_workload_runs(&t->base, SIM_TRANSACTIONS, inside ? inside_code : outside_code, END + 1,
			  inside ? eval_inside : eval_outside);
	sim_workload_runs(&t->base, SIM_LOCKS, lock_code, LOCK_END + 1, eval_locks);
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	const struct given *given = request->class->given;
	const struct hash_table_config *config = given ? &given->config : request->config;
	struct hash_table *t = sim_workload_new(request, sizeof(*t), error, size);

	if (!t)
		return -ENOMEM;
	if (request->keys && read_keys(request, t, error, size)) {
		destroy(&t->base);
		return -EINVAL;
	}
	t->base.threads = request->threads ? request->threads :
			  t->keys.count	   ? t->keys.count :
			  given		   ? given->threads :
					     THREADS;
	t->base.transactions = t->base.threads;
	t->base.block_size = config->block_size;
	t->base.most_accesses = config->key_inside ? 6 : 5;
	t->seed = given ? given->seed : request->seed;
	t->buckets = config->buckets;
	lay_out(t);
	make_programs(t, config->key_inside);
	*out = &t->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct hash_table *t = (const struct hash_table *)workload;
	uint64_t state = t->seed;

	for (uint64_t i = 0; i < t->base.threads; i++)
		sim_memory_write(memory, t->c + 4 * (i + 1),
				 t->keys.count ? t->keys.key[i] : sim_random(&state));
}

/* ---- invariant ---- */

/* What is wrong with node e, reached in this bucket, or NULL. */
static const char *judge(const struct hash_table *t, const struct sim_memory *memory,
			 uint32_t bucket, uint32_t e, const uint8_t *seen)
{
	uint64_t node = t->b + (uint64_t)NODE_BYTES * e;
	uint32_t key;

	if (e > t->base.threads)
		return "does not exist";
	if (seen[e])
		return "is reached twice";
	key = sim_memory_read(memory, node);
	if (key != sim_memory_read(memory, t->c + 4u * (uint64_t)e))
		return "has another one's key";
	if (sim_memory_read(memory, node + 4) != e)
		return "has another one's value";
	return key % t->buckets == bucket ? NULL : "belongs into another bucket";
}

/* Follow one chain; marks its nodes. */
static const char *follow(const struct hash_table *t, const struct sim_memory *memory,
			  uint32_t bucket, uint8_t *seen, char *error, size_t size)
{
	uint32_t e = sim_memory_read(memory, t->a + (uint64_t)BUCKET_BYTES * bucket);
	const char *wrong;

	for (; e; e = sim_memory_read(memory, t->b + (uint64_t)NODE_BYTES * e + 8)) {
		wrong = judge(t, memory, bucket, e, seen);
		if (wrong) {
			snprintf(error, size, "node %u in bucket %u %s", e, bucket, wrong);
			return error;
		}
		seen[e] = 1;
	}
	return NULL;
}

static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct hash_table *t = (const struct hash_table *)workload;
	uint8_t *seen = calloc(t->base.threads + 1, 1);
	const char *broken = NULL;

	if (!seen) {
		snprintf(error, size, "out of memory");
		return error;
	}
	for (uint32_t bucket = 0; !broken && bucket < t->buckets; bucket++)
		broken = follow(t, memory, bucket, seen, error, size);
	for (uint64_t e = 1; !broken && e <= t->base.threads; e++)
		if (!seen[e]) {
			snprintf(error, size, "node %llu is in no chain", (unsigned long long)e);
			broken = error;
		}
	free(seen);
	return broken;
}

/* ---- classes ---- */

static const struct gputm_param rows[] = {
	SIM_PARAM(struct hash_table_config, buckets, 1, 1u << 26, 8000,
		  "Buckets of the table; a key's bucket is key modulo buckets."),
	SIM_PARAM(struct hash_table_config, block_size, 1, 1024, 128, "Threads of a block."),
	SIM_PARAM(struct hash_table_config, key_inside, 0, 1, 0,
		  "1: the key is loaded and hashed inside the transaction."),
};

SIM_WORKLOAD_PARAMS(struct hash_table_config);

#define FACE(NAME, SUMMARY)                                                                    \
	.name = (NAME), .summary = (SUMMARY), .make = make, .free = destroy, .setup = setup,   \
	.invariant = invariant

const struct sim_workload_class sim_hash_table = {
	FACE("hash-table", "one insertion into a chained hash table per thread"),
	.params = &params,
};

#define HT(VARIABLE, NAME, BUCKETS)                                                            \
	const struct sim_workload_class VARIABLE = {                                           \
		FACE(NAME, "reference: 8192 insertions into " #BUCKETS " buckets, "            \
			   "key hashed before the transaction"),                               \
		.fixed_threads = true,                                                         \
		.given = &(const struct given){ 8192, 2011, { 0, BUCKETS, 128, 0 } },          \
	}
#define HTK(VARIABLE, NAME, BUCKETS)                                                           \
	const struct sim_workload_class VARIABLE = {                                           \
		FACE(NAME, "reference: 23040 insertions into " #BUCKETS " buckets, "           \
			   "key hashed inside the transaction"),                               \
		.given = &(const struct given){ 23040, 2011, { 0, BUCKETS, 192, 1 } },         \
	}

HT(sim_ht_800, "ht-800", 800);
HT(sim_ht_8000, "ht-8000", 8000);
HT(sim_ht_80000, "ht-80000", 80000);
HTK(sim_htk_8000, "htk-8000", 8000);
HTK(sim_htk_80000, "htk-80000", 80000);
