/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tree: lookups, insertions and removals in one binary search tree, each operation a
 * transaction (Chen and Peng, ISCA 2017, section 6). key_set.h tells the keys and arrays.
 *
 *	node e = { key, value, left, right, parent }       the root is the right child of node 0
 *
 * The transaction walks down: R child, R key, until the key is found or the child is 0. Then a
 * lookup is done, an insertion hangs its node there, and a removal puts in the found node's
 * place: nothing, its only child, or its successor S, the leftmost node to its right, which
 * is first taken out from below:
 *
 *	      N                  S
 *	    /   \              /   \           Up to 8 words are written: the child words of N's
 *	   L     R     -->    L     R          parent and of P, S's left and right, and the
 *	        /                  /           parent of S, of L, of R and of T. If S is R,
 *	       P                  P            its right child stays.
 *	      /                  /
 *	     S                  T
 *	      \
 *	       T
 *
 * A place is a node and a side, 2 e or 2 e + 1. An insertion writes 6 words: the five of its
 * node and the child word. tree_locks.c has the lock program.
 *
 * Differences: the paper does not publish its program; the parent words are inferred from the
 * sizes of the write-sets in its Table 3 (8 and 6). Nothing walks upwards.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "tree.h"

#define THREADS 1000u /* unless told otherwise */

/* ---- transactions ---- */

static const struct sim_instr code[] = {
	[GET_OPERATION] = { .op = SIM_LOAD },
	[TOP] = { .op = SIM_PLAIN, .count = 1 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[READ_CHILD] = { .op = SIM_LOAD },
	[READ_KEY] = { .op = SIM_LOAD },
	[STEP] = { .op = SIM_BRANCH, .target = READ_CHILD, .meet = NOTHING },
	[NOTHING] = { .op = SIM_BRANCH, .target = COMMIT, .meet = COMMIT },
	[IS_NEW] = { .op = SIM_BRANCH, .target = CUT_OUT, .meet = CUT_OUT },
	[READ_LEFT] = { .op = SIM_LOAD },
	[READ_RIGHT] = { .op = SIM_LOAD },
	[NO_TWO] = { .op = SIM_BRANCH, .target = CUT_OUT, .meet = CUT_OUT },
	[READ_LOWER] = { .op = SIM_LOAD },
	[LOWER] = { .op = SIM_BRANCH, .target = READ_LOWER, .meet = READ_REST },
	[READ_REST] = { .op = SIM_LOAD },
	[CUT_OUT] = { .op = SIM_STORE },
	[REST_PARENT] = { .op = SIM_STORE },
	[PUT_KEY] = { .op = SIM_STORE },
	[PUT_VALUE] = { .op = SIM_STORE },
	[PUT_LEFT] = { .op = SIM_STORE },
	[LEFT_PARENT] = { .op = SIM_STORE },
	[PUT_RIGHT] = { .op = SIM_STORE },
	[RIGHT_PARENT] = { .op = SIM_STORE },
	[PUT_PARENT] = { .op = SIM_STORE },
	[REPLACE] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[PUT_ANSWER] = { .op = SIM_STORE },
	[MORE] = { .op = SIM_BRANCH, .target = GET_OPERATION, .meet = END },
	[END] = { .op = SIM_EXIT },
};

/* Down to the key, or to where it would be. */
static void walk(const struct sim_set *set, uint32_t pc, struct sim_lane *lane,
		 struct sim_step *step)
{
	uint32_t *reg = lane->reg, key = reg[OPERATION] >> 2;

	switch (pc) {
	case TOP:
		reg[OPERATION] = lane->loaded;
		reg[PLACE] = ROOT;
		break;
	case READ_CHILD:
		step->address = sim_tree_child(set, reg[PLACE]);
		break;
	case READ_KEY:
		reg[NODE] = lane->loaded;
		step->skip = !reg[NODE];
		step->address = sim_set_node(set, reg[NODE]);
		break;
	case STEP:
		step->taken = reg[NODE] && lane->loaded != key;
		if (step->taken)
			reg[PLACE] = reg[NODE] << 1 | (key > lane->loaded);
		break;
	case NOTHING:
		step->taken = !sim_set_changes(reg[OPERATION], reg[NODE] != 0);
		break;
	}
}

/* What comes into the place: the new node, a child, or the successor. */
static void choose(const struct sim_set *set, uint32_t pc, struct sim_lane *lane,
		   struct sim_step *step)
{
	uint32_t *reg = lane->reg;

	switch (pc) {
	case IS_NEW:
		step->taken = (reg[OPERATION] & 3) == SIM_SET_INSERT;
		if (!step->taken)
			break;
		reg[LEFT] = reg[RIGHT] = 0;
		reg[NEXT] = set->elements + 1 + sim_set_operation(set, lane, reg[ROUND]);
		break;
	case READ_LEFT:
		step->address = sim_tree_child(set, reg[NODE] << 1);
		break;
	case READ_RIGHT:
		reg[LEFT] = lane->loaded;
		step->address = sim_tree_child(set, reg[NODE] << 1 | 1);
		break;
	case NO_TWO:
		reg[RIGHT] = lane->loaded;
		step->taken = !reg[LEFT] || !reg[RIGHT];
		reg[NEXT] = reg[RIGHT] ? reg[RIGHT] : reg[LEFT];
		reg[BELOW] = reg[NODE] << 1 | 1;
		break;
	case READ_LOWER:
		step->address = sim_tree_child(set, reg[NEXT] << 1);
		break;
	case LOWER:
		step->taken = lane->loaded != 0;
		if (!step->taken)
			break;
		reg[BELOW] = reg[NEXT] << 1;
		reg[NEXT] = lane->loaded;
		break;
	case READ_REST:
		step->address = sim_tree_child(set, reg[NEXT] << 1 | 1);
		break;
	}
}

/* The writes. Which of them a lane does depends on whether the node has two children. */
static void put(const struct sim_set *set, uint32_t pc, struct sim_lane *lane,
		struct sim_step *step)
{
	const uint32_t *reg = lane->reg;
	bool new = (reg[OPERATION] & 3) == SIM_SET_INSERT, two = reg[LEFT] && reg[RIGHT];
	bool from_below = two && reg[NEXT] != reg[RIGHT];

	step->value = reg[NEXT];
	switch (pc) {
	case CUT_OUT:
		step->skip = !from_below;
		step->address = sim_tree_child(set, reg[BELOW]);
		step->value = lane->loaded;
		break;
	case REST_PARENT:
		step->skip = !from_below || !lane->loaded;
		step->address = sim_tree_parent(set, lane->loaded);
		step->value = reg[BELOW] >> 1;
		break;
	case PUT_KEY:
	case PUT_VALUE:
		step->skip = !new;
		step->address = sim_set_node(set, reg[NEXT]) + (pc == PUT_KEY ? 0 : 4);
		step->value = pc == PUT_KEY ? reg[OPERATION] >> 2 : reg[NEXT];
		break;
	case PUT_LEFT:
	case PUT_RIGHT:
		step->skip = !new && !(pc == PUT_LEFT ? two : from_below);
		step->address = sim_tree_child(set, reg[NEXT] << 1 | (pc == PUT_RIGHT));
		step->value = pc == PUT_LEFT ? reg[LEFT] : reg[RIGHT];
		break;
	case LEFT_PARENT:
		step->skip = !two;
		step->address = sim_tree_parent(set, reg[LEFT]);
		break;
	case RIGHT_PARENT:
		step->skip = !from_below;
		step->address = sim_tree_parent(set, reg[RIGHT]);
		break;
	case PUT_PARENT:
		step->skip = !reg[NEXT];
		step->address = sim_tree_parent(set, reg[NEXT]);
		step->value = reg[PLACE] >> 1;
		break;
	case REPLACE:
		step->address = sim_tree_child(set, reg[PLACE]);
		break;
	}
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct sim_set *set = data;
	uint32_t *reg = lane->reg;
	uint64_t operation = sim_set_operation(set, lane, reg[ROUND]);

	switch (pc) {
	case GET_OPERATION:
		step->address = set->b + 4 * operation;
		break;
	case PUT_ANSWER:
		step->address = set->c + 4 * operation;
		step->value = sim_set_answer(reg[OPERATION], reg[NODE] != 0);
		break;
	case MORE:
		step->taken = ++reg[ROUND] < set->rounds;
		break;
	default:
		if (pc <= NOTHING)
			walk(set, pc, lane, step);
		else if (pc < CUT_OUT)
			choose(set, pc, lane, step);
		else
			put(set, pc, lane, step);
	}
}

/* ---- start ---- */

/* Hang a node whose key is written into the tree. */
static void hang(const struct sim_set *set, struct sim_memory *memory, uint32_t node)
{
	uint32_t key = set->key[node - 1], place = ROOT, child;

	while ((child = sim_memory_read(memory, sim_tree_child(set, place))) != 0)
		place = child << 1 |
			(key > sim_memory_read(memory, sim_set_node(set, child)));
	sim_memory_write(memory, sim_tree_child(set, place), node);
	sim_memory_write(memory, sim_tree_parent(set, node), place >> 1);
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct sim_set *set = (const struct sim_set *)workload;

	sim_set_setup(set, memory);
	for (uint32_t e = 1; e <= set->elements; e++)
		hang(set, memory, e);
}

/* ---- invariant ---- */

/* A subtree still to be judged: its keys lie in low .. high. */
struct subtree {
	uint32_t node, parent, low, high;
};

struct search {
	const struct sim_set *set;
	const struct sim_memory *memory;
	uint8_t *seen;
	struct subtree *todo; /* [nodes + 1] */
	uint32_t count;
};

static void look_into(struct search *search, uint32_t place, uint32_t low, uint32_t high)
{
	uint32_t child = sim_memory_read(search->memory, sim_tree_child(search->set, place));

	if (child)
		search->todo[search->count++] = (struct subtree){ child, place >> 1, low, high };
}

/* What is wrong with the root of a subtree, or NULL; its children are to be judged next. */
static const char *judge(struct search *search, const struct subtree *t)
{
	const struct sim_set *set = search->set;
	const char *wrong = sim_set_judge_node(set, search->memory, t->node, search->seen);
	uint32_t key;

	if (wrong)
		return wrong;
	key = sim_memory_read(search->memory, sim_set_node(set, t->node));
	if (key < t->low || key > t->high)
		return "is on the wrong side of a node above it";
	if (sim_memory_read(search->memory, sim_tree_parent(set, t->node)) != t->parent)
		return "has another one's parent";
	look_into(search, t->node << 1, t->low, key - 1);
	look_into(search, t->node << 1 | 1, key + 1, t->high);
	return NULL;
}

static const char *judge_all(struct search *search, char *error, size_t size)
{
	look_into(search, ROOT, 1, UINT32_MAX);
	while (search->count) {
		const struct subtree next = search->todo[--search->count];
		const char *wrong = judge(search, &next);

		if (wrong) {
			snprintf(error, size, "node %u %s", next.node, wrong);
			return error;
		}
	}
	return sim_set_judge(search->set, search->memory, search->seen, error, size);
}

static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct sim_set *set = (const struct sim_set *)workload;
	uint32_t nodes = sim_set_nodes(set);
	struct search search = { set, memory, calloc(nodes, 1),
				 calloc(nodes + 1, sizeof(struct subtree)), 0 };
	const char *broken = error;

	if (search.seen && search.todo)
		broken = judge_all(&search, error, size);
	else
		snprintf(error, size, "out of memory");
	free(search.seen);
	free(search.todo);
	return broken;
}

/* ---- class ---- */

static const struct gputm_param rows[] = { SIM_SET_ROWS(1000, 2000, 20, 40) };

SIM_WORKLOAD_PARAMS(struct sim_set_config);

static const struct sim_program transactions =
	{ .code = code, .length = END + 1, .eval = eval };
static const struct sim_set_shape shape = {
	.threads = THREADS,
	.node_bytes = SIM_TREE_NODE_BYTES,
	.transactions = &transactions,
	.locks = &sim_tree_locks,
};

const struct sim_workload_class sim_search_tree = {
	.name = "tree",
	.summary = "lookups, insertions and removals in a binary search tree",
	.params = &params,
	.given = &shape,
	.make = sim_set_make,
	.free = sim_set_free,
	.setup = setup,
	.invariant = invariant,
};
