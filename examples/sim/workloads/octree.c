/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Octree: the tree of a Barnes-Hut simulation, built by all threads together, and walked.
 *
 *	a: cell k at a + 32 k     = eight children; cell 0 is the root
 *	b: body i at b + 12 i     = { x, y, z }, 24 bits each
 *	c: depth of body i at c + 4 i, as the walk to it has found it
 *
 * A child is 0, or a body, 2 i + 1, or a cell, 2 k. At depth d a body belongs into the child
 * whose number has the bit 23 - d of z, y and x.
 *
 * Insertion goes down from the root, each level in a transaction of its own (Fung's thesis,
 * 4.3): R child; if it is a cell that was all, and most transactions are of this kind. If it
 * is empty: W child = the body, which is then in its place. If it is another body: R its x,
 * y and z; W that body into a new cell; W child = that cell; and further down from there.
 *
 *	 root                  root                      root
 *	 +-+-+-+  insert B     +-+-+-+   next level      +-+-+-+
 *	 | |A| |  ---------->  | |*| |   ---------->     | |*| |
 *	 +-+-+-+               +--|--+                   +--|--+
 *	                       |A| | |                   |A| |B|
 *
 * Then the thread walks from the root to its body in one transaction that only reads, while
 * others still insert, and stores the depth at which it found it. The new cell made for body
 * i below depth d is number 1 + d bodies + i, so that nobody has to ask for one.
 *
 * Positions are drawn denser towards the middle, or evenly; their low bits are the body's
 * number, so that no two are the same.
 *
 * The lock program goes down with plain loads and takes the lock of a child only to change
 * it, after which it looks again. What a new cell holds is fenced before the cell is linked.
 *
 * Left out of Barnes-Hut: centres of mass and forces, which need no transactions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "../base/heap.h"
#include "../base/random.h"
#include "tables.h"

#define CELL_BYTES 32u
#define BODY_BYTES 12u
#define COORDINATE_BITS 24u
#define THREADS 8192u /* unless told otherwise */

struct octree_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t bodies, block_size, clustered;
};

struct position {
	uint32_t axis[3];
};

struct octree {
	struct sim_workload base;
	uint64_t a, b, c;
	uint32_t rounds, bodies, cells;
	struct position *position; /* [bodies] */
};

/* ---- the tree ---- */

static bool is_cell(uint32_t child)
{
	return child && !(child & 1);
}

static bool is_body(uint32_t child)
{
	return child & 1;
}

static uint32_t bit_at(uint32_t coordinate, uint32_t depth)
{
	return coordinate >> (COORDINATE_BITS - 1 - depth) & 1;
}

static uint32_t octant(const uint32_t *axis, uint32_t depth)
{
	return bit_at(axis[0], depth) | bit_at(axis[1], depth) << 1 | bit_at(axis[2], depth) << 2;
}

static uint64_t child_of(const struct octree *tree, uint32_t cell, uint32_t number)
{
	return tree->a + (uint64_t)CELL_BYTES * cell + 4 * number;
}

static uint64_t body_at(const struct octree *tree, uint32_t body)
{
	return tree->b + (uint64_t)BODY_BYTES * body;
}

/* ---- transactions ---- */

enum { X, Y, Z, ROUND, CELL, DEPTH, CHILD, OTHER }; /* registers; OTHER: a child's number */

enum {
	GET_X, GET_Y, GET_Z, ROOT, BEGIN, READ_CHILD, OTHER_X, OTHER_Y, OTHER_Z, MOVE, LINK, COMMIT,
	DOWN, WALK, WALK_BEGIN, WALK_READ, WALK_DOWN, WALK_COMMIT, PUT_DEPTH, MORE, END,
};

static const struct sim_instr transaction_code[] = {
	[GET_X] = { .op = SIM_LOAD },
	[GET_Y] = { .op = SIM_LOAD },
	[GET_Z] = { .op = SIM_LOAD },
	[ROOT] = { .op = SIM_PLAIN, .count = 1 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[READ_CHILD] = { .op = SIM_LOAD },
	[OTHER_X] = { .op = SIM_LOAD },
	[OTHER_Y] = { .op = SIM_LOAD },
	[OTHER_Z] = { .op = SIM_LOAD },
	[MOVE] = { .op = SIM_STORE },
	[LINK] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[DOWN] = { .op = SIM_BRANCH, .target = BEGIN, .meet = WALK },
	[WALK] = { .op = SIM_PLAIN, .count = 1 },
	[WALK_BEGIN] = { .op = SIM_TX_BEGIN },
	[WALK_READ] = { .op = SIM_LOAD },
	[WALK_DOWN] = { .op = SIM_BRANCH, .target = WALK_READ, .meet = WALK_COMMIT },
	[WALK_COMMIT] = { .op = SIM_TX_COMMIT },
	[PUT_DEPTH] = { .op = SIM_STORE },
	[MORE] = { .op = SIM_BRANCH, .target = GET_X, .meet = END },
	[END] = { .op = SIM_EXIT },
};

static uint32_t body_of(const struct octree *tree, const struct sim_lane *lane)
{
	return lane->thread + (uint32_t)tree->base.threads * lane->reg[ROUND];
}

static uint64_t place_of(const struct octree *tree, const struct sim_lane *lane)
{
	return child_of(tree, lane->reg[CELL], octant(lane->reg, lane->reg[DEPTH]));
}

/* The cell that this lane puts between, should it need one at this depth. */
static uint32_t new_cell(const struct octree *tree, const struct sim_lane *lane)
{
	return 1 + lane->reg[DEPTH] * tree->bodies + body_of(tree, lane);
}

static void read_other(const struct octree *tree, uint32_t axis, struct sim_lane *lane,
		       struct sim_step *step)
{
	uint32_t *reg = lane->reg;

	if (axis)
		reg[OTHER] |= bit_at(lane->loaded, reg[DEPTH] + 1) << (axis - 1);
	step->skip = !is_body(reg[CHILD]);
	step->address = body_at(tree, reg[CHILD] >> 1) + 4 * axis;
}

static void insert(const struct octree *tree, uint32_t pc, struct sim_lane *lane,
		   struct sim_step *step)
{
	uint32_t *reg = lane->reg;

	switch (pc) {
	case OTHER_X:
		reg[CHILD] = lane->loaded;
		reg[OTHER] = 0;
		read_other(tree, 0, lane, step);
		break;
	case OTHER_Y:
	case OTHER_Z:
		read_other(tree, pc - OTHER_X, lane, step);
		break;
	case MOVE:
		read_other(tree, 3, lane, step);
		step->address = child_of(tree, new_cell(tree, lane), reg[OTHER]);
		step->value = reg[CHILD];
		break;
	case LINK:
		step->skip = is_cell(reg[CHILD]);
		step->address = place_of(tree, lane);
		step->value = reg[CHILD] ? new_cell(tree, lane) << 1
					 : body_of(tree, lane) << 1 | 1;
		break;
	case DOWN:
		step->taken = reg[CHILD] != 0;
		if (!step->taken)
			break;
		reg[CELL] = is_cell(reg[CHILD]) ? reg[CHILD] >> 1 : new_cell(tree, lane);
		reg[DEPTH]++;
		break;
	}
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct octree *tree = data;
	uint32_t *reg = lane->reg, body = body_of(tree, lane);

	switch (pc) {
	case GET_X:
	case GET_Y:
	case GET_Z:
		if (pc != GET_X)
			reg[X + pc - GET_Y] = lane->loaded;
		step->address = body_at(tree, body) + 4 * (pc - GET_X);
		break;
	case ROOT:
		reg[Z] = lane->loaded;
		reg[CELL] = reg[DEPTH] = 0;
		break;
	case WALK:
		reg[CELL] = reg[DEPTH] = 0;
		break;
	case READ_CHILD:
	case WALK_READ:
		step->address = place_of(tree, lane);
		break;
	case WALK_DOWN:
		reg[CHILD] = lane->loaded;
		step->taken = is_cell(reg[CHILD]) && reg[DEPTH] < COORDINATE_BITS - 1;
		if (!step->taken)
			break;
		reg[CELL] = reg[CHILD] >> 1;
		reg[DEPTH]++;
		break;
	case PUT_DEPTH:
		step->address = tree->c + 4 * (uint64_t)body;
		step->value = reg[CHILD] == (body << 1 | 1) ? reg[DEPTH] : UINT32_MAX;
		break;
	case MORE:
		step->taken = ++reg[ROUND] < tree->rounds;
		break;
	default:
		insert(tree, pc, lane, step);
	}
}

/* ---- locks ---- */

#define MISSED_IT UINT32_MAX /* in CHILD: the lock was not to be had */

enum {
	PEEK = ROOT + 1, IS_CELL, TAKE, MISSED, ENTER, LOCKED_READ, LOCKED_X, LOCKED_Y, LOCKED_Z,
	LOCKED_MOVE, PUBLISH, LOCKED_LINK, LEAVE, FENCE, RELEASE, LOCK_DOWN, LOCK_WALK,
	LOCK_WALK_READ, LOCK_WALK_DOWN, LOCK_PUT_DEPTH, LOCK_MORE, LOCK_END,
};

static const struct sim_instr lock_code[] = {
	[GET_X] = { .op = SIM_LOAD },
	[GET_Y] = { .op = SIM_LOAD },
	[GET_Z] = { .op = SIM_LOAD },
	[ROOT] = { .op = SIM_PLAIN, .count = 1 },
	[PEEK] = { .op = SIM_LOAD },
	[IS_CELL] = { .op = SIM_BRANCH, .target = LOCK_DOWN, .meet = LOCK_DOWN },
	[TAKE] = { .op = SIM_CAS },
	[MISSED] = { .op = SIM_BRANCH, .target = LOCK_DOWN, .meet = LOCK_DOWN },
	[ENTER] = { .op = SIM_ENTER },
	[LOCKED_READ] = { .op = SIM_LOAD },
	[LOCKED_X] = { .op = SIM_LOAD },
	[LOCKED_Y] = { .op = SIM_LOAD },
	[LOCKED_Z] = { .op = SIM_LOAD },
	[LOCKED_MOVE] = { .op = SIM_STORE },
	[PUBLISH] = { .op = SIM_FENCE },
	[LOCKED_LINK] = { .op = SIM_STORE },
	[LEAVE] = { .op = SIM_LEAVE },
	[FENCE] = { .op = SIM_FENCE },
	[RELEASE] = { .op = SIM_STORE },
	[LOCK_DOWN] = { .op = SIM_BRANCH, .target = PEEK, .meet = LOCK_WALK },
	[LOCK_WALK] = { .op = SIM_PLAIN, .count = 1 },
	[LOCK_WALK_READ] = { .op = SIM_LOAD },
	[LOCK_WALK_DOWN] = { .op = SIM_BRANCH, .target = LOCK_WALK_READ, .meet = LOCK_PUT_DEPTH },
	[LOCK_PUT_DEPTH] = { .op = SIM_STORE },
	[LOCK_MORE] = { .op = SIM_BRANCH, .target = GET_X, .meet = LOCK_END },
	[LOCK_END] = { .op = SIM_EXIT },
};

/* The instruction of the transactions that does the same. */
static const uint8_t same_as[] = {
	[GET_X] = GET_X,
	[GET_Y] = GET_Y,
	[GET_Z] = GET_Z,
	[ROOT] = ROOT,
	[PEEK] = READ_CHILD,
	[LOCKED_READ] = READ_CHILD,
	[LOCKED_X] = OTHER_X,
	[LOCKED_Y] = OTHER_Y,
	[LOCKED_Z] = OTHER_Z,
	[LOCKED_MOVE] = MOVE,
	[LOCKED_LINK] = LINK,
	[LOCK_DOWN] = DOWN,
	[LOCK_WALK] = WALK,
	[LOCK_WALK_READ] = WALK_READ,
	[LOCK_WALK_DOWN] = WALK_DOWN,
	[LOCK_PUT_DEPTH] = PUT_DEPTH,
	[LOCK_MORE] = MORE,
};

static void eval_locks(const void *data, uint32_t pc, struct sim_lane *lane,
		       struct sim_step *step)
{
	const struct octree *tree = data;
	uint32_t *child = &lane->reg[CHILD];

	switch (pc) {
	case IS_CELL:
		*child = lane->loaded;
		step->taken = is_cell(*child);
		break;
	case MISSED:
		step->taken = lane->loaded != 0;
		if (step->taken)
			*child = MISSED_IT;
		break;
	case TAKE:
	case RELEASE:
		step->address = tree->base.lock_base + 256 + (place_of(tree, lane) - tree->a);
		step->value = pc == TAKE;
		break;
	case LOCK_DOWN:
		if (*child == MISSED_IT) {
			step->taken = true;
			break;
		}
		/* fall through */
	default:
		eval(data, same_as[pc], lane, step);
	}
}

/* ---- life ---- */

static void destroy(struct sim_workload *workload)
{
	struct octree *tree = (struct octree *)workload;

	free(tree->position);
	free(tree);
}

/* 16 bits drawn, denser in the middle if clustered, and 8 bits of the body's number. */
static uint32_t coordinate(uint64_t *state, bool clustered, uint32_t number)
{
	int32_t drawn = (int32_t)(sim_random(state) >> 15) - 0x8000;

	if (clustered)
		drawn = drawn * abs(drawn) / 0x8000;
	return (uint32_t)(drawn + 0x8000) << 8 | (number & 0xff);
}

static void draw(struct octree *tree, uint64_t seed, bool clustered)
{
	for (uint32_t i = 0; i < tree->bodies; i++)
		for (uint32_t axis = 0; axis < 3; axis++)
			tree->position[i].axis[axis] = coordinate(&seed, clustered, i >> 8 * axis);
}

static void lay_out(struct octree *tree)
{
	uint64_t end = SIM_HEAP;

	tree->a = sim_heap_take(&end, (uint64_t)CELL_BYTES * tree->cells);
	tree->b = sim_heap_take(&end, (uint64_t)BODY_BYTES * tree->bodies);
	tree->base.region[0] = (struct sim_region){ tree->a, end - tree->a };
	tree->base.regions = 1;
	tree->c = sim_heap_take(&end, (uint64_t)4 * tree->bodies);
	tree->base.lock_base = sim_heap_take(&end, (uint64_t)CELL_BYTES * tree->cells);
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	const struct octree_config *config = request->config;
	struct octree *tree = sim_workload_new(request, sizeof(*tree), error, size);

	if (!tree)
		return -ENOMEM;
	tree->base.threads = request->threads ? request->threads : THREADS;
	tree->rounds = config->bodies;
	tree->bodies = (uint32_t)tree->base.threads * tree->rounds;
	tree->cells = 1 + tree->bodies * (COORDINATE_BITS - 1);
	tree->position = malloc(tree->bodies * sizeof(*tree->position));
	if (!tree->position) {
		free(tree);
		snprintf(error, size, "out of memory");
		return -ENOMEM;
	}
	tree->base.block_size = config->block_size;
	tree->base.most_writes = (uint64_t)tree->bodies * (COORDINATE_BITS + 1);
	draw(tree, request->seed, config->clustered);
	lay_out(tree);
	sim_workload_runs(&tree->base, SIM_TRANSACTIONS, transaction_code, END + 1, eval);
	sim_workload_runs(&tree->base, SIM_LOCKS, lock_code, LOCK_END + 1, eval_locks);
	*out = &tree->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct octree *tree = (const struct octree *)workload;

	for (uint32_t i = 0; i < tree->bodies; i++)
		for (uint32_t axis = 0; axis < 3; axis++)
			sim_memory_write(memory, body_at(tree, i) + 4 * axis,
					 tree->position[i].axis[axis]);
}

/* ---- invariant ---- */

struct search {
	const struct octree *tree;
	const struct sim_memory *memory;
	uint8_t *cell, *body; /* 1: reached */
	char *error;
	size_t size;
};

static bool fail(const struct search *search, const char *what, uint32_t number,
		 const char *wrong)
{
	snprintf(search->error, search->size, "%s %u %s", what, number, wrong);
	return false;
}

/* A body in a child of this corner at this depth. */
static bool judge_body(struct search *search, uint32_t body, const uint32_t *corner,
		       uint32_t depth)
{
	const struct octree *tree = search->tree;
	uint32_t found;

	if (body >= tree->bodies)
		return fail(search, "body", body, "does not exist");
	if (search->body[body]++)
		return fail(search, "body", body, "is reached twice");
	for (uint32_t axis = 0; axis < 3; axis++)
		if (tree->position[body].axis[axis] >> (COORDINATE_BITS - 1 - depth) !=
		    corner[axis])
			return fail(search, "body", body, "belongs into another cell");
	found = sim_memory_read(search->memory, tree->c + 4 * (uint64_t)body);
	return found <= depth || fail(search, "body", body, "was not found by its thread");
}

static bool judge_cell(struct search *search, uint32_t cell, const uint32_t *corner,
		       uint32_t depth)
{
	if (cell >= search->tree->cells || depth == COORDINATE_BITS)
		return fail(search, "cell", cell, "does not exist");
	if (search->cell[cell]++)
		return fail(search, "cell", cell, "is reached twice");
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t inner[3], child = sim_memory_read(search->memory,
							   child_of(search->tree, cell, i));

		for (uint32_t axis = 0; axis < 3; axis++)
			inner[axis] = corner[axis] << 1 | (i >> axis & 1);
		if (is_body(child) && !judge_body(search, child >> 1, inner, depth))
			return false;
		if (is_cell(child) && !judge_cell(search, child >> 1, inner, depth + 1))
			return false;
	}
	return true;
}

static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	static const uint32_t root[3];
	const struct octree *tree = (const struct octree *)workload;
	struct search search = { tree, memory, calloc(tree->cells, 1), calloc(tree->bodies, 1),
				 error, size };
	bool right = search.cell && search.body;

	if (!right)
		snprintf(error, size, "out of memory");
	right = right && judge_cell(&search, 0, root, 0);
	for (uint32_t i = 0; right && i < tree->bodies; i++)
		if (!search.body[i])
			right = fail(&search, "body", i, "is in no cell");
	free(search.cell);
	free(search.body);
	return right ? NULL : error;
}

/* ---- class ---- */

static const struct gputm_param rows[] = {
	SIM_PARAM(struct octree_config, bodies, 1, 4, 1, "Bodies that each thread inserts."),
	SIM_PARAM(struct octree_config, block_size, 1, 1024, 128, "Threads of a block."),
	SIM_PARAM(struct octree_config, clustered, 0, 1, 1,
		  "1: bodies are denser in the middle; 0: spread evenly."),
};

SIM_WORKLOAD_PARAMS(struct octree_config);

const struct sim_workload_class sim_octree = {
	.name = "octree",
	.summary = "bodies inserted into an octree, and found again: many read-only transactions",
	.params = &params,
	.make = make,
	.free = destroy,
	.setup = setup,
	.invariant = invariant,
};
