/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * List: lookups, insertions and removals in one sorted linked list, each operation a
 * transaction (Chen and Peng, ISCA 2017, section 6). key_set.h tells the keys and arrays.
 *
 *	node e = { key, value, next }        node 0 closes the ring: its key is beyond all
 *
 *	   +--> 5 --> 9 --> 12 --+           insert 10: W key, value, next of the new node,
 *	   +--------- 0 <--------+                      W next of 9
 *
 * The transaction walks: R next, R key, until a key is not below the wanted one. Then a lookup
 * is done; an insertion writes its node and links it behind the last smaller one; a removal
 * reads what follows the found node and links that to the one before. Two removals of
 * neighbours write different words, each of which the other one has read: under plain
 * snapshot isolation one of the nodes stays in.
 *
 * The lock program walks with plain loads, takes the lock of the last smaller node, and for a
 * removal that of the found one too; if what follows has changed it gives back and walks
 * again. The lock of a removed node is never given back, so that nobody links behind it. A
 * new node is fenced before it is linked.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "key_set.h"

#define NODE_BYTES 12u
#define THREADS 256u	    /* unless told otherwise */
#define BEYOND UINT32_MAX   /* key of node 0 */
#define GONE 2u		    /* lock of a removed node */

/* ---- transactions ---- */

enum { ROUND, OPERATION, PREVIOUS, CURRENT, FOUND, AFTER, DONE }; /* registers; FOUND: a key */

enum {
	GET_OPERATION, HEAD, BEGIN, READ_NEXT, READ_KEY, STEP, NOTHING, READ_AFTER, PUT_KEY,
	PUT_VALUE, LINK, RELINK, COMMIT, PUT_ANSWER, MORE, END,
};

static const struct sim_instr transaction_code[] = {
	[GET_OPERATION] = { .op = SIM_LOAD },
	[HEAD] = { .op = SIM_PLAIN, .count = 1 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[READ_NEXT] = { .op = SIM_LOAD },
	[READ_KEY] = { .op = SIM_LOAD },
	[STEP] = { .op = SIM_BRANCH, .target = READ_NEXT, .meet = NOTHING },
	[NOTHING] = { .op = SIM_BRANCH, .target = COMMIT, .meet = COMMIT },
	[READ_AFTER] = { .op = SIM_LOAD },
	[PUT_KEY] = { .op = SIM_STORE },
	[PUT_VALUE] = { .op = SIM_STORE },
	[LINK] = { .op = SIM_STORE },
	[RELINK] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[PUT_ANSWER] = { .op = SIM_STORE },
	[MORE] = { .op = SIM_BRANCH, .target = GET_OPERATION, .meet = END },
	[END] = { .op = SIM_EXIT },
};

static uint64_t next_of(const struct sim_set *set, uint32_t node)
{
	return sim_set_node(set, node) + 8;
}

static bool is(const struct sim_lane *lane, enum sim_set_kind kind)
{
	return (lane->reg[OPERATION] & 3) == kind;
}

static bool present(const struct sim_lane *lane)
{
	return lane->reg[FOUND] == lane->reg[OPERATION] >> 2;
}

static uint32_t new_node(const struct sim_set *set, const struct sim_lane *lane)
{
	return set->elements + 1 + sim_set_operation(set, lane, lane->reg[ROUND]);
}

static void walk(const struct sim_set *set, uint32_t pc, struct sim_lane *lane,
		 struct sim_step *step)
{
	uint32_t *reg = lane->reg;

	switch (pc) {
	case HEAD:
		reg[OPERATION] = lane->loaded;
		reg[CURRENT] = 0;
		break;
	case READ_NEXT:
		reg[PREVIOUS] = reg[CURRENT];
		step->address = next_of(set, reg[PREVIOUS]);
		break;
	case READ_KEY:
		reg[CURRENT] = lane->loaded;
		step->address = sim_set_node(set, reg[CURRENT]);
		break;
	case STEP:
		reg[FOUND] = lane->loaded;
		step->taken = reg[FOUND] < reg[OPERATION] >> 2;
		break;
	}
}

static void change(const struct sim_set *set, uint32_t pc, struct sim_lane *lane,
		   struct sim_step *step)
{
	uint32_t *reg = lane->reg, node = new_node(set, lane);

	switch (pc) {
	case NOTHING:
		step->taken = !sim_set_changes(reg[OPERATION], present(lane));
		break;
	case READ_AFTER:
		step->skip = !is(lane, SIM_SET_REMOVE);
		step->address = next_of(set, reg[CURRENT]);
		break;
	case PUT_KEY:
	case PUT_VALUE:
		reg[AFTER] = is(lane, SIM_SET_REMOVE) ? lane->loaded : node;
		step->skip = !is(lane, SIM_SET_INSERT);
		step->address = sim_set_node(set, node) + (pc == PUT_KEY ? 0 : 4);
		step->value = pc == PUT_KEY ? reg[OPERATION] >> 2 : node;
		break;
	case LINK:
		step->skip = !is(lane, SIM_SET_INSERT);
		step->address = next_of(set, node);
		step->value = reg[CURRENT];
		break;
	case RELINK:
		step->address = next_of(set, reg[PREVIOUS]);
		step->value = reg[AFTER];
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
		step->value = sim_set_answer(reg[OPERATION], present(lane));
		break;
	case MORE:
		step->taken = ++reg[ROUND] < set->rounds;
		break;
	default:
		if (pc < NOTHING)
			walk(set, pc, lane, step);
		else
			change(set, pc, lane, step);
	}
}

/* ---- locks ---- */

enum {
	START = HEAD + 1, AHEAD, AHEAD_KEY, AHEAD_STEP, TAKE, MISSED, LOOK, MOVED, TAKE_FOUND,
	MISSED_FOUND, ENTER, LOCKED_NEXT, LOCKED_KEY, LOCKED_NOTHING, LOCKED_AFTER, LOCKED_PUT_KEY,
	LOCKED_PUT_VALUE, LOCKED_LINK, PUBLISH, LOCKED_RELINK, LEAVE, FENCE, RELEASE_FOUND, RELEASE,
	AGAIN, LOCK_PUT_ANSWER, LOCK_MORE, LOCK_END,
};

static const struct sim_instr lock_code[] = {
	[GET_OPERATION] = { .op = SIM_LOAD },
	[HEAD] = { .op = SIM_PLAIN, .count = 1 },
	[START] = { .op = SIM_PLAIN, .count = 1 },
	[AHEAD] = { .op = SIM_LOAD },
	[AHEAD_KEY] = { .op = SIM_LOAD },
	[AHEAD_STEP] = { .op = SIM_BRANCH, .target = AHEAD, .meet = TAKE },
	[TAKE] = { .op = SIM_CAS },
	[MISSED] = { .op = SIM_BRANCH, .target = AGAIN, .meet = AGAIN },
	[LOOK] = { .op = SIM_LOAD },
	[MOVED] = { .op = SIM_BRANCH, .target = RELEASE, .meet = RELEASE },
	[TAKE_FOUND] = { .op = SIM_CAS },
	[MISSED_FOUND] = { .op = SIM_BRANCH, .target = RELEASE, .meet = RELEASE },
	[ENTER] = { .op = SIM_ENTER },
	[LOCKED_NEXT] = { .op = SIM_LOAD },
	[LOCKED_KEY] = { .op = SIM_LOAD },
	[LOCKED_NOTHING] = { .op = SIM_BRANCH, .target = LEAVE, .meet = LEAVE },
	[LOCKED_AFTER] = { .op = SIM_LOAD },
	[LOCKED_PUT_KEY] = { .op = SIM_STORE },
	[LOCKED_PUT_VALUE] = { .op = SIM_STORE },
	[LOCKED_LINK] = { .op = SIM_STORE },
	[PUBLISH] = { .op = SIM_FENCE },
	[LOCKED_RELINK] = { .op = SIM_STORE },
	[LEAVE] = { .op = SIM_LEAVE },
	[FENCE] = { .op = SIM_FENCE },
	[RELEASE_FOUND] = { .op = SIM_STORE },
	[RELEASE] = { .op = SIM_STORE },
	[AGAIN] = { .op = SIM_BRANCH, .target = START, .meet = LOCK_PUT_ANSWER },
	[LOCK_PUT_ANSWER] = { .op = SIM_STORE },
	[LOCK_MORE] = { .op = SIM_BRANCH, .target = GET_OPERATION, .meet = LOCK_END },
	[LOCK_END] = { .op = SIM_EXIT },
};

/* The instruction of the transactions that does the same. */
static const uint8_t same_as[] = {
	[GET_OPERATION] = GET_OPERATION,
	[HEAD] = HEAD,
	[AHEAD] = READ_NEXT,
	[AHEAD_KEY] = READ_KEY,
	[AHEAD_STEP] = STEP,
	[LOCKED_NOTHING] = NOTHING,
	[LOCKED_AFTER] = READ_AFTER,
	[LOCKED_PUT_KEY] = PUT_KEY,
	[LOCKED_PUT_VALUE] = PUT_VALUE,
	[LOCKED_LINK] = LINK,
	[LOCKED_RELINK] = RELINK,
	[LOCK_PUT_ANSWER] = PUT_ANSWER,
	[LOCK_MORE] = MORE,
};

/* Does this operation take the found node out? */
static bool takes_out(const struct sim_lane *lane)
{
	return is(lane, SIM_SET_REMOVE) && present(lane);
}

static void eval_locks(const void *data, uint32_t pc, struct sim_lane *lane,
		       struct sim_step *step)
{
	const struct sim_set *set = data;
	uint32_t *reg = lane->reg;

	switch (pc) {
	case START:
		reg[CURRENT] = reg[DONE] = 0;
		break;
	case TAKE:
	case RELEASE:
		step->address = sim_set_lock(set, reg[PREVIOUS]);
		step->value = pc == TAKE;
		break;
	case TAKE_FOUND:
	case RELEASE_FOUND:
		step->skip = !takes_out(lane);
		step->address = sim_set_lock(set, reg[CURRENT]);
		step->value = pc == TAKE_FOUND ? 1 : GONE;
		reg[DONE] = pc == RELEASE_FOUND;
		break;
	case MISSED:
		step->taken = lane->loaded != 0;
		break;
	case MISSED_FOUND:
		step->taken = takes_out(lane) && lane->loaded != 0;
		break;
	case LOOK:
	case LOCKED_NEXT:
		step->address = next_of(set, reg[PREVIOUS]);
		break;
	case MOVED:
		step->taken = lane->loaded != reg[CURRENT];
		break;
	case LOCKED_KEY:
		step->address = sim_set_node(set, reg[CURRENT]);
		break;
	case AGAIN:
		step->taken = !reg[DONE];
		break;
	default:
		eval(data, same_as[pc], lane, step);
	}
}

/* ---- start ---- */

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct sim_set *set = (const struct sim_set *)workload;
	uint32_t last = 0;

	sim_set_setup(set, memory);
	sim_memory_write(memory, sim_set_node(set, 0), BEYOND);
	for (uint32_t i = 0; i < set->elements; i++) {
		sim_memory_write(memory, next_of(set, last), set->sorted[i]);
		last = set->sorted[i];
	}
	sim_memory_write(memory, next_of(set, last), 0);
}

/* ---- invariant ---- */

/* What is wrong with node e behind a node of key `last`, or NULL; marks it. */
static const char *judge(const struct sim_set *set, const struct sim_memory *memory, uint32_t e,
			 uint32_t last, uint8_t *seen)
{
	const char *wrong = sim_set_judge_node(set, memory, e, seen);

	if (wrong || sim_memory_read(memory, sim_set_node(set, e)) > last)
		return wrong;
	return "stands behind a key that is not smaller";
}

/* Follow the list; marks its nodes. */
static const char *follow(const struct sim_set *set, const struct sim_memory *memory,
			  uint8_t *seen, char *error, size_t size)
{
	uint32_t e = sim_memory_read(memory, next_of(set, 0)), last = 0;

	for (; e; e = sim_memory_read(memory, next_of(set, e))) {
		const char *wrong = judge(set, memory, e, last, seen);

		if (wrong) {
			snprintf(error, size, "node %u %s", e, wrong);
			return error;
		}
		last = sim_memory_read(memory, sim_set_node(set, e));
	}
	return NULL;
}

static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct sim_set *set = (const struct sim_set *)workload;
	uint8_t *seen = calloc(sim_set_nodes(set), 1);
	const char *broken = NULL;

	if (!seen) {
		snprintf(error, size, "out of memory");
		return error;
	}
	if (sim_memory_read(memory, sim_set_node(set, 0)) != BEYOND) {
		snprintf(error, size, "node 0 has another one's key");
		broken = error;
	}
	if (!broken)
		broken = follow(set, memory, seen, error, size);
	if (!broken)
		broken = sim_set_judge(set, memory, seen, error, size);
	free(seen);
	return broken;
}

/* ---- class ---- */

static const struct gputm_param rows[] = { SIM_SET_ROWS(128, 512, 20, 40) };

SIM_WORKLOAD_PARAMS(struct sim_set_config);

static const struct sim_program transactions =
	{ .code = transaction_code, .length = END + 1, .eval = eval };
static const struct sim_program locks =
	{ .code = lock_code, .length = LOCK_END + 1, .eval = eval_locks };
static const struct sim_set_shape shape = {
	.threads = THREADS,
	.node_bytes = NODE_BYTES,
	.transactions = &transactions,
	.locks = &locks,
};

const struct sim_workload_class sim_sorted_list = {
	.name = "list",
	.summary = "lookups, insertions and removals in a sorted linked list",
	.params = &params,
	.given = &shape,
	.make = sim_set_make,
	.free = sim_set_free,
	.setup = setup,
	.invariant = invariant,
};
