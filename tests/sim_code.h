/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_SIM_CODE_H
#define GPUTM_TESTS_SIM_CODE_H
/* Small programs of the runner in a line each: CODE(two_loads, LOAD, LOAD, EXIT). */
#include "tests/sim_lanes.h"

#define PLAIN(COUNT) { .op = SIM_PLAIN, .count = (COUNT) }
#define LOAD { .op = SIM_LOAD }
#define STORE { .op = SIM_STORE }
#define CAS { .op = SIM_CAS }
#define BRANCH(TARGET, MEET) { .op = SIM_BRANCH, .target = (TARGET), .meet = (MEET) }
#define FENCE { .op = SIM_FENCE }
#define BEGIN { .op = SIM_TX_BEGIN }
#define COMMIT { .op = SIM_TX_COMMIT }
#define EXIT { .op = SIM_EXIT }

struct code {
	const struct sim_instr *instr;
	size_t bytes;
};
#define CODE(NAME, ...)                                                                        \
	static const struct sim_instr NAME##_instr[] = { __VA_ARGS__ };                        \
	static const struct code NAME = { NAME##_instr, sizeof(NAME##_instr) }

static inline void program_of(const struct code *code, lane_fn *function, struct lane_program *out)
{
	const struct sim_program program = LANE_PROGRAM(
		code->instr, (uint32_t)(code->bytes / sizeof(*code->instr)), out);

	*out = (struct lane_program){ program, function };
}

#endif /* GPUTM_TESTS_SIM_CODE_H */
