/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TREE_H
#define SIM_TREE_H
/* What the two programs of the workload tree share. */
#include "key_set.h"

#define SIM_TREE_NODE_BYTES 20u

/* Registers; PLACE and BELOW are places: a node and a side. */
enum { ROUND, OPERATION, PLACE, NODE, LEFT, RIGHT, BELOW, NEXT };

#define ROOT 1u /* place: right of node 0 */

/* Instructions of a transaction. */
enum {
	GET_OPERATION, TOP, BEGIN, READ_CHILD, READ_KEY, STEP, NOTHING, IS_NEW, READ_LEFT,
	READ_RIGHT, NO_TWO, READ_LOWER, LOWER, READ_REST, CUT_OUT, REST_PARENT, PUT_KEY, PUT_VALUE,
	PUT_LEFT, LEFT_PARENT, PUT_RIGHT, RIGHT_PARENT, PUT_PARENT, REPLACE, COMMIT, PUT_ANSWER,
	MORE, END,
};

extern const struct sim_program sim_tree_locks; /* without data */

/* Address of the child word at a place. */
static inline uint64_t sim_tree_child(const struct sim_set *set, uint32_t place)
{
	return sim_set_node(set, place >> 1) + 8 + (place & 1 ? 4 : 0);
}

/* Address of a node's parent word. */
static inline uint64_t sim_tree_parent(const struct sim_set *set, uint32_t node)
{
	return sim_set_node(set, node) + 16;
}

#endif /* SIM_TREE_H */
