/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lock program of the workload tree. Each node has a lock, and the tree has a version: a
 * word that is odd while a node with two children is being replaced by its successor.
 *
 * A thread walks down with plain loads and takes the lock of the place's node P and, to remove,
 * that of the found node. Then it looks whether the version is the one from before its walk
 * and the place holds what it has seen; if not it gives back and walks again. Why that is
 * enough: insertions, and removals of a node with one child or none, only widen the range of
 * keys that belongs below a node that stays. So a walk may pass over nodes that are taken out
 * meanwhile, and ends at the right P unless P itself was taken out; the lock of such a node is
 * never given back.
 *
 * Only a replacement narrows ranges. It takes the version first of all, so that there is one at
 * a time and no thread waits for the version with a lock in its hands; then P, the node N,
 * and the successor S with the node above it. The keys between N's and S's, whose range it
 * takes away from the others, belong to the left of S.
 *
 * All locks are tried once: a lane that misses one gives back what it has. Of two lanes
 * that miss each other's the one further down gets on. The version is looked at before the
 * first lock as well, or else the lanes of a warp could hold, at each try, the locks that
 * the one with the version misses.
 */
#include "tree.h"

#define GONE 2u		/* lock of a node that was taken out */
#define DONE 0x80000000u /* in OPERATION */

enum {
	START = TOP + 1, KEEP, AHEAD, AHEAD_KEY, AHEAD_STEP, HINT_LEFT, HINT_RIGHT, TAKE_VERSION,
	MISSED_VERSION, PEEK_VERSION, BUSY, TAKE, MISSED, LOOK_VERSION, CHANGED, LOOK, MOVED,
	TAKE_NODE, MISSED_NODE, LOOK_LEFT, OTHER_LEFT, LOOK_RIGHT, OTHER_RIGHT, DOWN, DOWN_STEP,
	TAKE_ABOVE, MISSED_ABOVE, LOOK_ABOVE, OTHER_NEXT, TAKE_NEXT, MISSED_NEXT, LOOK_LOWER,
	NOT_LEAST, ENTER, LOCKED_CHILD, LOCKED_KEY, LOCKED_NOTHING, LOCKED_NEW, LOCKED_LEFT,
	LOCKED_RIGHT, LOCKED_REST, LOCKED_PUT, LOCKED_LAST = LOCKED_PUT + PUT_PARENT - CUT_OUT,
	PUBLISH, LOCKED_REPLACE, LEAVE, SUCCEED, FENCE, RELEASE_NEXT, RELEASE_ABOVE, RELEASE_NODE,
	RELEASE, READ_VERSION, RELEASE_VERSION, AGAIN, LOCK_PUT_ANSWER, LOCK_MORE, LOCK_END,
};

#define ELSE(WHERE) { .op = SIM_BRANCH, .target = (WHERE), .meet = (WHERE) }

static const struct sim_instr code[] = {
	[GET_OPERATION] = { .op = SIM_LOAD },
	[TOP] = { .op = SIM_PLAIN, .count = 1 },
	[START] = { .op = SIM_LOAD },
	[KEEP] = { .op = SIM_PLAIN, .count = 1 },
	[AHEAD] = { .op = SIM_LOAD },
	[AHEAD_KEY] = { .op = SIM_LOAD },
	[AHEAD_STEP] = { .op = SIM_BRANCH, .target = AHEAD, .meet = HINT_LEFT },
	[HINT_LEFT] = { .op = SIM_LOAD },
	[HINT_RIGHT] = { .op = SIM_LOAD },
	[TAKE_VERSION] = { .op = SIM_CAS },
	[MISSED_VERSION] = ELSE(AGAIN),
	[PEEK_VERSION] = { .op = SIM_LOAD },
	[BUSY] = ELSE(AGAIN),
	[TAKE] = { .op = SIM_CAS },
	[MISSED] = ELSE(READ_VERSION),
	[LOOK_VERSION] = { .op = SIM_LOAD },
	[CHANGED] = ELSE(RELEASE),
	[LOOK] = { .op = SIM_LOAD },
	[MOVED] = ELSE(RELEASE),
	[TAKE_NODE] = { .op = SIM_CAS },
	[MISSED_NODE] = ELSE(RELEASE),
	[LOOK_LEFT] = { .op = SIM_LOAD },
	[OTHER_LEFT] = ELSE(RELEASE_NODE),
	[LOOK_RIGHT] = { .op = SIM_LOAD },
	[OTHER_RIGHT] = ELSE(RELEASE_NODE),
	[DOWN] = { .op = SIM_LOAD },
	[DOWN_STEP] = { .op = SIM_BRANCH, .target = DOWN, .meet = TAKE_ABOVE },
	[TAKE_ABOVE] = { .op = SIM_CAS },
	[MISSED_ABOVE] = ELSE(RELEASE_NODE),
	[LOOK_ABOVE] = { .op = SIM_LOAD },
	[OTHER_NEXT] = ELSE(RELEASE_ABOVE),
	[TAKE_NEXT] = { .op = SIM_CAS },
	[MISSED_NEXT] = ELSE(RELEASE_ABOVE),
	[LOOK_LOWER] = { .op = SIM_LOAD },
	[NOT_LEAST] = ELSE(RELEASE_NEXT),
	[ENTER] = { .op = SIM_ENTER },
	[LOCKED_CHILD] = { .op = SIM_LOAD },
	[LOCKED_KEY] = { .op = SIM_LOAD },
	[LOCKED_NOTHING] = ELSE(LEAVE),
	[LOCKED_NEW] = ELSE(LOCKED_PUT),
	[LOCKED_LEFT] = { .op = SIM_LOAD },
	[LOCKED_RIGHT] = { .op = SIM_LOAD },
	[LOCKED_REST] = { .op = SIM_LOAD },
	[LOCKED_PUT] = { .op = SIM_STORE },
	[LOCKED_PUT + 1] = { .op = SIM_STORE },
	[LOCKED_PUT + 2] = { .op = SIM_STORE },
	[LOCKED_PUT + 3] = { .op = SIM_STORE },
	[LOCKED_PUT + 4] = { .op = SIM_STORE },
	[LOCKED_PUT + 5] = { .op = SIM_STORE },
	[LOCKED_PUT + 6] = { .op = SIM_STORE },
	[LOCKED_PUT + 7] = { .op = SIM_STORE },
	[LOCKED_LAST] = { .op = SIM_STORE },
	[PUBLISH] = { .op = SIM_FENCE },
	[LOCKED_REPLACE] = { .op = SIM_STORE },
	[LEAVE] = { .op = SIM_LEAVE },
	[SUCCEED] = { .op = SIM_PLAIN, .count = 1 },
	[FENCE] = { .op = SIM_FENCE },
	[RELEASE_NEXT] = { .op = SIM_STORE },
	[RELEASE_ABOVE] = { .op = SIM_STORE },
	[RELEASE_NODE] = { .op = SIM_STORE },
	[RELEASE] = { .op = SIM_STORE },
	[READ_VERSION] = { .op = SIM_LOAD },
	[RELEASE_VERSION] = { .op = SIM_STORE },
	[AGAIN] = { .op = SIM_BRANCH, .target = START, .meet = LOCK_PUT_ANSWER },
	[LOCK_PUT_ANSWER] = { .op = SIM_STORE },
	[LOCK_MORE] = { .op = SIM_BRANCH, .target = GET_OPERATION, .meet = LOCK_END },
	[LOCK_END] = { .op = SIM_EXIT },
};

/* What an instruction of the transaction does. */
static void as_transaction(const struct sim_set *set, uint32_t pc, struct sim_lane *lane,
			   struct sim_step *step)
{
	set->base.program[SIM_TRANSACTIONS]->eval(set, pc, lane, step);
}

static uint64_t version(const struct sim_set *set)
{
	return sim_set_lock(set, sim_set_nodes(set));
}

/* Does this operation take a node out? */
static bool removes(const struct sim_lane *lane)
{
	return (lane->reg[OPERATION] & 3) == SIM_SET_REMOVE && lane->reg[NODE];
}

/* One with two children? LEFT and RIGHT are 0 where nothing is removed. */
static bool two(const struct sim_lane *lane)
{
	return lane->reg[LEFT] && lane->reg[RIGHT];
}

/* Is the node above the successor another one than the node that is removed? */
static bool apart(const struct sim_lane *lane)
{
	return two(lane) && lane->reg[BELOW] >> 1 != lane->reg[NODE];
}

/* The walk, and what is expected of the node that it has found. */
static void walk(const struct sim_set *set, uint32_t pc, struct sim_lane *lane,
		 struct sim_step *step)
{
	uint32_t *reg = lane->reg;

	switch (pc) {
	case START:
		reg[PLACE] = ROOT;
		reg[LEFT] = reg[RIGHT] = reg[NEXT] = 0;
		step->address = version(set);
		break;
	case KEEP:
		reg[BELOW] = lane->loaded;
		break;
	case HINT_LEFT:
		step->skip = !removes(lane);
		step->address = sim_tree_child(set, reg[NODE] << 1);
		break;
	case HINT_RIGHT:
		reg[LEFT] = removes(lane) ? lane->loaded : 0;
		step->skip = !removes(lane);
		step->address = sim_tree_child(set, reg[NODE] << 1 | 1);
		break;
	case TAKE_VERSION:
		reg[RIGHT] = removes(lane) ? lane->loaded : 0;
		step->skip = !two(lane) || reg[BELOW] & 1;
		step->address = version(set);
		step->compare = reg[BELOW];
		step->value = reg[BELOW] + 1;
		break;
	case MISSED_VERSION:
		step->taken = reg[BELOW] & 1 || (two(lane) && lane->loaded != reg[BELOW]);
		break;
	default:
		as_transaction(set, pc - AHEAD + READ_CHILD, lane, step);
	}
}

/* The locks of P and of the node, and a second look. */
static void take(const struct sim_set *set, uint32_t pc, struct sim_lane *lane,
		 struct sim_step *step)
{
	uint32_t *reg = lane->reg;

	switch (pc) {
	case TAKE:
		step->address = sim_set_lock(set, reg[PLACE] >> 1);
		step->value = 1;
		break;
	case MISSED:
		step->taken = lane->loaded != 0;
		break;
	case PEEK_VERSION:
	case LOOK_VERSION:
		step->address = version(set);
		break;
	case BUSY:
	case CHANGED:
		step->taken = lane->loaded != reg[BELOW] + two(lane);
		break;
	case LOOK:
		step->address = sim_tree_child(set, reg[PLACE]);
		break;
	case MOVED:
		step->taken = lane->loaded != reg[NODE];
		break;
	case TAKE_NODE:
		step->skip = !removes(lane);
		step->address = sim_set_lock(set, reg[NODE]);
		step->value = 1;
		break;
	case MISSED_NODE:
		step->taken = removes(lane) && lane->loaded;
		break;
	case LOOK_LEFT:
	case LOOK_RIGHT:
		step->skip = !removes(lane);
		step->address = sim_tree_child(set, reg[NODE] << 1 | (pc == LOOK_RIGHT));
		break;
	case OTHER_LEFT:
		step->taken = removes(lane) && lane->loaded != reg[LEFT];
		break;
	case OTHER_RIGHT:
		step->taken = removes(lane) && lane->loaded != reg[RIGHT];
		reg[NEXT] = reg[RIGHT] ? reg[RIGHT] : reg[LEFT];
		reg[BELOW] = reg[NODE] << 1 | 1;
		break;
	}
}

/* Down to the successor, its lock and that of the node above it. */
static void take_next(const struct sim_set *set, uint32_t pc, struct sim_lane *lane,
		      struct sim_step *step)
{
	uint32_t *reg = lane->reg;

	switch (pc) {
	case DOWN:
	case LOOK_LOWER:
		step->skip = !two(lane);
		step->address = sim_tree_child(set, reg[NEXT] << 1);
		break;
	case DOWN_STEP:
		step->taken = two(lane) && lane->loaded;
		if (!step->taken)
			break;
		reg[BELOW] = reg[NEXT] << 1;
		reg[NEXT] = lane->loaded;
		break;
	case TAKE_ABOVE:
		step->skip = !apart(lane);
		step->address = sim_set_lock(set, reg[BELOW] >> 1);
		step->value = 1;
		break;
	case MISSED_ABOVE:
		step->taken = apart(lane) && lane->loaded;
		break;
	case LOOK_ABOVE:
		step->skip = !two(lane);
		step->address = sim_tree_child(set, reg[BELOW]);
		break;
	case OTHER_NEXT:
		step->taken = two(lane) && lane->loaded != reg[NEXT];
		break;
	case TAKE_NEXT:
		step->skip = !two(lane);
		step->address = sim_set_lock(set, reg[NEXT]);
		step->value = 1;
		break;
	case MISSED_NEXT:
	case NOT_LEAST:
		step->taken = two(lane) && lane->loaded;
		break;
	}
}

static void give_back(const struct sim_set *set, uint32_t pc, struct sim_lane *lane,
		      struct sim_step *step)
{
	uint32_t *reg = lane->reg;

	switch (pc) {
	case SUCCEED:
		reg[OPERATION] |= DONE;
		break;
	case RELEASE_NEXT:
		step->skip = !two(lane);
		step->address = sim_set_lock(set, reg[NEXT]);
		break;
	case RELEASE_ABOVE:
		step->skip = !apart(lane);
		step->address = sim_set_lock(set, reg[BELOW] >> 1);
		break;
	case RELEASE_NODE:
		step->skip = !removes(lane);
		step->address = sim_set_lock(set, reg[NODE]);
		step->value = reg[OPERATION] & DONE ? GONE : 0;
		break;
	case RELEASE:
		step->address = sim_set_lock(set, reg[PLACE] >> 1);
		break;
	case READ_VERSION:
	case RELEASE_VERSION:
		step->skip = !two(lane);
		step->address = version(set);
		step->value = lane->loaded + 1;
		break;
	case AGAIN:
		step->taken = !(reg[OPERATION] & DONE);
		break;
	}
}

/* The instruction of the transactions that does the same. */
static const uint8_t same_as[] = {
	[GET_OPERATION] = GET_OPERATION,
	[TOP] = TOP,
	[LOCKED_CHILD] = READ_CHILD,
	[LOCKED_NOTHING] = NOTHING,
	[LOCKED_NEW] = IS_NEW,
	[LOCKED_LEFT] = READ_LEFT,
	[LOCKED_RIGHT] = READ_RIGHT,
	[LOCKED_REPLACE] = REPLACE,
	[LOCK_PUT_ANSWER] = PUT_ANSWER,
	[LOCK_MORE] = MORE,
};

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct sim_set *set = data;

	if (pc >= START && pc <= MISSED_VERSION)
		walk(set, pc, lane, step);
	else if (pc >= PEEK_VERSION && pc <= OTHER_RIGHT)
		take(set, pc, lane, step);
	else if (pc >= DOWN && pc <= NOT_LEAST)
		take_next(set, pc, lane, step);
	else if (pc >= SUCCEED && pc <= AGAIN)
		give_back(set, pc, lane, step);
	else if (pc >= LOCKED_PUT && pc <= LOCKED_LAST)
		as_transaction(set, pc - LOCKED_PUT + CUT_OUT, lane, step);
	else if (pc == LOCKED_KEY || pc == LOCKED_REST) {
		uint32_t node = lane->reg[pc == LOCKED_KEY ? NODE : NEXT];

		step->skip = pc == LOCKED_KEY ? !node : !two(lane);
		step->address = pc == LOCKED_KEY ? sim_set_node(set, node) :
						   sim_tree_child(set, node << 1 | 1);
	} else
		as_transaction(data, same_as[pc], lane, step);
}

const struct sim_program sim_tree_locks =
	{ .code = code, .length = LOCK_END + 1, .eval = eval };
