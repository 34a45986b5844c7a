/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KEY_SET_H
#define SIM_KEY_SET_H
/*
 * A set of keys under lookups, insertions and removals, for the workloads that keep one in a
 * structure of nodes: which keys are in it at the start, what each operation does, and what
 * must be in it at the end.
 *
 *	a: node e at a + node_bytes e = { key, value, ... }
 *	b: operation o at b + 4 o = key << 2 | kind
 *	c: answer to operation o at c + 4 o, a SIM_SET_NO or SIM_SET_YES
 *
 * Node 0 belongs to the structure; 1 .. elements are the nodes of the keys that are in at the
 * start; operation o, if it inserts, uses node elements + 1 + o. So nobody has to ask for a
 * node, and none is used twice. The value of node e is e. Thread t does the operations t,
 * t + threads, ... and stores each answer after the transaction.
 */
#include "tables.h"

enum sim_set_kind { SIM_SET_LOOKUP, SIM_SET_INSERT, SIM_SET_REMOVE };
enum sim_set_answer { SIM_SET_NO = 1, SIM_SET_YES = 2 }; /* 0: the operation was not done */

struct sim_set_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t elements, keys, operations, lookups, removals, distinct, block_size;
};

#define SIM_SET_ROWS(ELEMENTS, KEYS, LOOKUPS, REMOVALS)                                        \
	SIM_PARAM(struct sim_set_config, elements, 0, 1u << 20, (ELEMENTS),                    \
		  "Keys that are in the set at the start."),                                   \
	SIM_PARAM(struct sim_set_config, keys, 1, 1u << 20, (KEYS),                            \
		  "Different keys that there are."),                                           \
	SIM_PARAM(struct sim_set_config, operations, 1, 64, 1, "Operations of each thread."),  \
	SIM_PARAM(struct sim_set_config, lookups, 0, 100, (LOOKUPS),                           \
		  "Share of operations that look a key up, percent."),                         \
	SIM_PARAM(struct sim_set_config, removals, 0, 100, (REMOVALS),                         \
		  "Share of operations that remove, percent; those left insert."),             \
	SIM_PARAM(struct sim_set_config, distinct, 0, 1, 0,                                    \
		  "1: each insertion and each removal has a key of its own, while there are "  \
		  "enough."),                                                                  \
	SIM_PARAM(struct sim_set_config, block_size, 1, 1024, 32, "Threads of a block.")

/* What the structure brings: what its class has as given. */
struct sim_set_shape {
	uint32_t threads; /* unless told otherwise */
	uint32_t node_bytes;
	const struct sim_program *transactions, *locks; /* without data */
};

struct sim_set {
	struct sim_workload base;
	uint64_t a, b, c;
	uint32_t node_bytes, elements, keys, rounds, operations;
	uint32_t *key;	     /* [elements], of nodes 1, 2, ... in an order drawn at random */
	uint32_t *sorted;    /* [elements], these nodes by ascending keys */
	uint32_t *operation; /* [operations] */
};

int sim_set_make(const struct sim_workload_request *request, struct sim_workload **out,
		 char *error, size_t size);
void sim_set_free(struct sim_workload *workload);

/* Operations, and key and value of the nodes that are in at the start. */
void sim_set_setup(const struct sim_set *set, struct sim_memory *memory);

static inline uint32_t sim_set_nodes(const struct sim_set *set)
{
	return 1 + set->elements + set->operations;
}

static inline uint64_t sim_set_node(const struct sim_set *set, uint32_t node)
{
	return set->a + (uint64_t)set->node_bytes * node;
}

/* A lock for each node, that of node 0 first; behind them a word for the structure. They begin
 * 256 bytes behind coarse-lock's. */
static inline uint64_t sim_set_lock(const struct sim_set *set, uint32_t node)
{
	return set->base.lock_base + 256 + 4 * (uint64_t)node;
}

static inline uint32_t sim_set_operation(const struct sim_set *set, const struct sim_lane *lane,
					 uint32_t round)
{
	return lane->thread + (uint32_t)set->base.threads * round;
}

/* Does this operation change the set, given that its key is in it or not? */
static inline bool sim_set_changes(uint32_t operation, bool present)
{
	return (operation & 3) == (present ? SIM_SET_REMOVE : SIM_SET_INSERT);
}

static inline uint32_t sim_set_answer(uint32_t operation, bool present)
{
	bool yes = (operation & 3) == SIM_SET_INSERT ? !present : present;

	return yes ? SIM_SET_YES : SIM_SET_NO;
}

/* What is wrong with a node that is reached in the structure, or NULL; marks it in seen[nodes]. */
const char *sim_set_judge_node(const struct sim_set *set, const struct sim_memory *memory,
			       uint32_t node, uint8_t *seen);

/*
 * Do the nodes seen make up the net effect of all answers? For each key: once in at the start,
 * plus insertions, minus removals. NULL, or what is wrong, in error[].
 */
const char *sim_set_judge(const struct sim_set *set, const struct sim_memory *memory,
			  const uint8_t *seen, char *error, size_t size);

#endif /* SIM_KEY_SET_H */
