/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_SIM_LANES_H
#define GPUTM_TESTS_SIM_LANES_H
/* Programs of the runner that are told lane by lane: what a lane knows and keeps, what it does. */
#include "examples/sim/kernel/program.h"

struct lane {
	uint32_t count; /* the program's; the others are told */
	uint32_t loaded, thread, attempt;
};
struct lane_step {
	uint64_t address;
	uint32_t value, compare;
	bool taken; /* the branch is */
};
typedef void lane_fn(uint32_t pc, struct lane *lane, struct lane_step *step);

struct lane_program {
	struct sim_program program;
	lane_fn *function;
};

/* Its data: a struct lane_program. */
static inline void eval_lanes(const void *data, uint32_t pc, struct sim_step *step)
{
	const struct lane_program *p = data;
	enum sim_op op = p->program.code[pc].op;

	step->into = sim_loads(op) ? 1 : SIM_NO_REGISTER;
	for (uint32_t left = step->mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left);
		struct lane lane = { *sim_register(step, 0, l), *sim_register(step, 1, l),
				     *sim_register(step, 2, l), *sim_register(step, 3, l) };
		struct lane_step does = { 0 };

		p->function(pc, &lane, &does);
		*sim_register(step, 0, l) = lane.count;
		step->address[l] = does.address;
		step->value[l] = does.value;
		if (op == SIM_CAS)
			step->compare[l] = does.compare;
		step->chosen |= (uint32_t)(op < SIM_BRANCH || does.taken) << l;
	}
}

static const uint16_t lane_special[SIM_SPECIALS] = {
	SIM_NO_REGISTER, SIM_NO_REGISTER, SIM_NO_REGISTER, SIM_NO_REGISTER, 2, SIM_NO_REGISTER, 3,
	SIM_NO_REGISTER,
};
static const uint16_t lane_kept[] = { 0, 1 };
#define LANE_PROGRAM(INSTR, LENGTH, DATA)                                                      \
	{ .code = (INSTR), .length = (LENGTH), .eval = eval_lanes, .data = (DATA),             \
	  .registers = 4, .special = lane_special, .kept = lane_kept, .kept_count = 2 }

#endif /* GPUTM_TESTS_SIM_LANES_H */
