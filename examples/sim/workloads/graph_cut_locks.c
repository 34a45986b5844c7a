/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lock program of the workload graph-cut. It walks with plain loads, takes the locks of
 * the two tails, the higher one first, and looks whether they still are tails; if not it
 * gives back and walks on from there, as a vertex that is no tail will not be one again. An
 * edge that is a loop stays one and needs no lock.
 */
#include "graph_cut.h"

enum {
	AHEAD_U = ENDS + 1, AHEAD_STEP_U, AHEAD_V, AHEAD_STEP_V, TAKE_HIGH, NOT_HIGH, TAKE_LOW,
	NOT_LOW, LOOK_U, LOOK_V, CHANGED, ENTER, LOCKED_LOOP, LOCKED_U, LOCKED_V, LOCKED_FIRST,
	LOCKED_LAST_TWO = LOCKED_FIRST + LAST_TWO - READ_SIZE_U,
	LOCKED_LINK = LOCKED_FIRST + LINK - READ_SIZE_U,
	LOCKED_LAST = LOCKED_FIRST + PUT_SIZE - READ_SIZE_U,
	LEAVE, FENCE, RELEASE_LOW, RELEASE_HIGH, AGAIN, LOCK_PUT_ANSWER, LOCK_MORE, LOCK_END,
};

static const struct sim_instr code[] = {
	[IDLE] = { .op = SIM_BRANCH, .target = LOCK_END, .meet = LOCK_END },
	[GET_U] = { .op = SIM_LOAD },
	[GET_V] = { .op = SIM_LOAD },
	[ENDS] = { .op = SIM_PLAIN, .count = 1 },
	[AHEAD_U] = { .op = SIM_LOAD },
	[AHEAD_STEP_U] = { .op = SIM_BRANCH, .target = AHEAD_U, .meet = AHEAD_V },
	[AHEAD_V] = { .op = SIM_LOAD },
	[AHEAD_STEP_V] = { .op = SIM_BRANCH, .target = AHEAD_V, .meet = TAKE_HIGH },
	[TAKE_HIGH] = { .op = SIM_CAS },
	[NOT_HIGH] = { .op = SIM_BRANCH, .target = AGAIN, .meet = AGAIN },
	[TAKE_LOW] = { .op = SIM_CAS },
	[NOT_LOW] = { .op = SIM_BRANCH, .target = RELEASE_HIGH, .meet = RELEASE_HIGH },
	[LOOK_U] = { .op = SIM_LOAD },
	[LOOK_V] = { .op = SIM_LOAD },
	[CHANGED] = { .op = SIM_BRANCH, .target = RELEASE_LOW, .meet = RELEASE_LOW },
	[ENTER] = { .op = SIM_ENTER },
	[LOCKED_LOOP] = { .op = SIM_BRANCH, .target = LEAVE, .meet = LEAVE },
	[LOCKED_U] = { .op = SIM_LOAD },
	[LOCKED_V] = { .op = SIM_LOAD },
	[LOCKED_FIRST] = { .op = SIM_LOAD },
	[LOCKED_FIRST + 1] = { .op = SIM_LOAD },
	[LOCKED_LAST_TWO] = { .op = SIM_BRANCH, .target = LEAVE, .meet = LEAVE },
	[LOCKED_LAST_TWO + 1] = { .op = SIM_LOAD },
	[LOCKED_LAST_TWO + 2] = { .op = SIM_LOAD },
	[LOCKED_LINK] = { .op = SIM_STORE },
	[LOCKED_LINK + 1] = { .op = SIM_STORE },
	[LOCKED_LAST] = { .op = SIM_STORE },
	[LEAVE] = { .op = SIM_LEAVE },
	[FENCE] = { .op = SIM_FENCE },
	[RELEASE_LOW] = { .op = SIM_STORE },
	[RELEASE_HIGH] = { .op = SIM_STORE },
	[AGAIN] = { .op = SIM_BRANCH, .target = AHEAD_U, .meet = LOCK_PUT_ANSWER },
	[LOCK_PUT_ANSWER] = { .op = SIM_STORE },
	[LOCK_MORE] = { .op = SIM_BRANCH, .target = GET_U, .meet = LOCK_END },
	[LOCK_END] = { .op = SIM_EXIT },
};

static uint64_t lock(const struct graph_cut *cut, const struct sim_lane *lane, bool high)
{
	uint32_t u = lane->reg[U], v = lane->reg[V];

	return cut->base.lock_base + 256 + 4 * (uint64_t)((u > v) == high ? u : v);
}

static void take(const struct graph_cut *cut, uint32_t pc, struct sim_lane *lane,
		 struct sim_step *step)
{
	uint32_t *reg = lane->reg;
	bool loop = reg[U] == reg[V];

	step->skip = loop;
	switch (pc) {
	case TAKE_HIGH:
	case TAKE_LOW:
	case RELEASE_LOW:
	case RELEASE_HIGH:
		step->address = lock(cut, lane, pc == TAKE_HIGH || pc == RELEASE_HIGH);
		step->value = pc == TAKE_HIGH || pc == TAKE_LOW;
		break;
	case NOT_HIGH:
	case NOT_LOW:
		step->taken = !loop && lane->loaded;
		break;
	case LOOK_U:
	case LOOK_V:
		reg[HEAD_U] = lane->loaded;
		step->address = sim_vertex(cut, reg[pc == LOOK_U ? U : V]);
		break;
	case CHANGED:
		step->taken = !loop && (reg[HEAD_U] || lane->loaded);
		break;
	case LOCKED_U:
	case LOCKED_V:
		step->address = sim_vertex(cut, reg[pc == LOCKED_U ? U : V]);
		break;
	case AGAIN:
		step->taken = !reg[ANSWER];
		break;
	}
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct graph_cut *cut = data;

	if (pc >= LOCKED_FIRST && pc <= LOCKED_LAST)
		pc = pc - LOCKED_FIRST + READ_SIZE_U;
	else if (pc >= AHEAD_U && pc <= AHEAD_STEP_V)
		pc = pc - AHEAD_U + READ_U;
	else if (pc == LOCKED_LOOP)
		pc = LOOP;
	else if (pc == LOCK_PUT_ANSWER || pc == LOCK_MORE)
		pc = pc == LOCK_MORE ? MORE : PUT_ANSWER;
	else if (pc >= AHEAD_U) {
		take(cut, pc, lane, step);
		return;
	}
	cut->base.program[SIM_TRANSACTIONS]->eval(data, pc, lane, step);
}

const struct sim_program sim_graph_cut_locks =
	{ .code = code, .length = LOCK_END + 1, .eval = eval };
