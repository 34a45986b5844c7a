/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GETM in the runner's machine: the walkthrough of its paper, Fig. 7, instruction by
 * instruction on two cores, with what the validation units hold after each step.
 */
#include "examples/sim/machine/wiring.h"
#include "examples/sim/systems/getm.h"
#include "examples/sim/systems/systems.h"
#include "tests/kit.h"
#include "tests/sim_lanes.h"

#define A 0x1000u /* partition 4 of 6 */
#define B 0x1100u /* partition 5 */
#define AMOUNT 5
#define LENGTH(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/*
 * Two threads on two cores: tx1 transfers from A to B and tx2 from B to A. Loops of plain
 * instructions put their accesses in the figure's order.
 */
enum {
	BEFORE,
	BEFORE_AGAIN, /* to BEFORE */
	BEGIN,
	FIRST,
	FIRST_AGAIN,
	LOAD_FROM,
	STORE_FROM,
	MIDDLE,
	MIDDLE_AGAIN,
	LOAD_TO,
	STORE_TO,
	LAST,
	LAST_AGAIN,
	COMMIT,
	EXIT,
};

static const struct sim_instr code[] = {
	[BEFORE] = { .op = SIM_PLAIN, .count = 1 },
	[BEFORE_AGAIN] = { .op = SIM_BRANCH, .target = BEFORE, .meet = BEGIN },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[FIRST] = { .op = SIM_PLAIN, .count = 1 },
	[FIRST_AGAIN] = { .op = SIM_BRANCH, .target = FIRST, .meet = LOAD_FROM },
	[LOAD_FROM] = { .op = SIM_LOAD },
	[STORE_FROM] = { .op = SIM_STORE },
	[MIDDLE] = { .op = SIM_PLAIN, .count = 1 },
	[MIDDLE_AGAIN] = { .op = SIM_BRANCH, .target = MIDDLE, .meet = LOAD_TO },
	[LOAD_TO] = { .op = SIM_LOAD },
	[STORE_TO] = { .op = SIM_STORE },
	[LAST] = { .op = SIM_PLAIN, .count = 1 },
	[LAST_AGAIN] = { .op = SIM_BRANCH, .target = LAST, .meet = COMMIT },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[EXIT] = { .op = SIM_EXIT },
};

/* Cycles / 16 to spend in a loop. */
static uint32_t turns(uint32_t pc, const struct lane *lane)
{
	bool tx1 = lane->thread == 0;

	switch (pc) {
	case BEFORE_AGAIN:
		return tx1 ? 1 : 60; /* tx2 comes after tx1's store */
	case FIRST_AGAIN:
		return lane->attempt ? 200 : 1; /* again after tx1's second store */
	case MIDDLE_AGAIN:
		return tx1 ? 200 : 5; /* tx1 goes on after tx2's clean-up */
	default:
		return tx1 ? 100 : 1; /* tx1 commits when tx2 waits */
	}
}

static void eval(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	bool from = pc == LOAD_FROM || pc == STORE_FROM;

	step->address = from == (lane->thread == 0) ? A : B;
	step->value = from ? lane->loaded - AMOUNT : lane->loaded + AMOUNT;
	if (code[pc].op != SIM_BRANCH)
		return;
	step->taken = ++lane->count < turns(pc, lane);
	if (!step->taken)
		lane->count = 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	sim_memory_write(memory, A, 100);
	sim_memory_write(memory, B, 100);
}

/* ---- what happens at the validation units ---------------------------------------- */

struct row {
	uint32_t step;	    /* number in the figure's walkthrough */
	uint32_t partition;
	uint32_t event, result; /* of an answer; a release has the writes left as result */
	uint64_t time;		/* reported by an abort */
	struct gputm_validation_unit_granule a, b;
};

#define P 8u /* warp of tx1 and of tx2, GPU-wide */
#define Q 0u
#define ANSWER GPUTM_VALIDATION_UNIT_EVENT_ANSWER
#define RELEASE GPUTM_VALIDATION_UNIT_EVENT_RELEASE
#define OK GPUTM_VALIDATION_UNIT_OK
#define ABORT GPUTM_VALIDATION_UNIT_ABORT
#define WAIT GPUTM_VALIDATION_UNIT_STALLED

static const struct row figure[] = {
	{ 1, 4, ANSWER, OK, 0, { 0, 20, 0, 0 }, { 0, 0, 0, 0 } },
	{ 2, 4, ANSWER, OK, 0, { 21, 20, 1, P }, { 0, 0, 0, 0 } },
	{ 3, 5, ANSWER, OK, 0, { 21, 20, 1, P }, { 0, 10, 0, 0 } },
	{ 4, 5, ANSWER, OK, 0, { 21, 20, 1, P }, { 11, 10, 1, Q } }, /* table 1 */
	{ 5, 4, ANSWER, ABORT, 21, { 21, 20, 1, P }, { 11, 10, 1, Q } },
	{ 6, 5, RELEASE, 0, 0, { 21, 20, 1, P }, { 11, 10, 0, 0 } },
	{ 7, 5, ANSWER, OK, 0, { 21, 20, 1, P }, { 11, 20, 0, 0 } },
	{ 8, 5, ANSWER, OK, 0, { 21, 20, 1, P }, { 21, 20, 1, P } }, /* table 2 */
	{ 9, 5, ANSWER, WAIT, 0, { 21, 20, 1, P }, { 21, 20, 1, P } },
	{ 10, 4, RELEASE, 0, 0, { 21, 20, 0, 0 }, { 21, 20, 1, P } },
	{ 10, 5, RELEASE, 0, 0, { 21, 20, 0, 0 }, { 21, 20, 0, 0 } }, /* table 3 */
	{ 11, 5, ANSWER, OK, 0, { 21, 20, 0, 0 }, { 21, 22, 0, 0 } },
	{ 12, 5, ANSWER, OK, 0, { 21, 20, 0, 0 }, { 23, 22, 1, Q } },
	{ 12, 4, ANSWER, OK, 0, { 21, 22, 0, 0 }, { 23, 22, 1, Q } },
	{ 12, 4, ANSWER, OK, 0, { 23, 22, 1, Q }, { 23, 22, 1, Q } },
	{ 13, 5, RELEASE, 0, 0, { 23, 22, 1, Q }, { 23, 22, 0, 0 } },
	{ 13, 4, RELEASE, 0, 0, { 23, 22, 0, 0 }, { 23, 22, 0, 0 } },
};

struct watch {
	struct getm *getm;
	uint32_t partition;
	unsigned *seen;
	struct row *row;
};

static void note(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	struct watch *watch = state;
	struct row *row = &watch->row[*watch->seen];
	const struct getm_partition *partition = watch->getm->partition;

	if (*watch->seen == 2 * LENGTH(figure))
		return;
	(*watch->seen)++;
	row->partition = watch->partition;
	row->event = event->kind;
	row->result = (uint32_t)event->value[event->kind == ANSWER ? 1 : 3];
	row->time = event->kind == ANSWER ? event->value[3] : 0;
	ck_assert_int_eq(gputm_validation_unit_get_granule(partition[4].unit, A, &row->a), 0);
	ck_assert_int_eq(gputm_validation_unit_get_granule(partition[5].unit, B, &row->b), 0);
}

static void same_granule(const struct gputm_validation_unit_granule *got,
			 const struct gputm_validation_unit_granule *wanted, unsigned i)
{
	ck_assert_msg(got->wts == wanted->wts && got->rts == wanted->rts &&
			      got->writes == wanted->writes &&
			      (!got->writes || got->owner == wanted->owner),
		      "row %u, step %u: wts %u rts %u writes %u owner %u", i, figure[i].step,
		      (unsigned)got->wts, (unsigned)got->rts, got->writes, got->owner);
}

/* A warp's clock is brought to a time by an abort that reports the one before. */
static void set_clock(struct gputm_warp_clock *clock, uint64_t time)
{
	uint64_t cycles;

	ck_assert_int_eq(gputm_warp_clock_abort(clock, 0, time - 1), 0);
	ck_assert_int_ge(gputm_warp_clock_restart(clock, 0, &cycles), 0);
}

static void compare(const struct row *row, unsigned seen)
{
	ck_assert_uint_eq(seen, LENGTH(figure));
	for (unsigned i = 0; i < seen; i++) {
		ck_assert_msg(row[i].partition == figure[i].partition &&
				      row[i].event == figure[i].event &&
				      row[i].result == figure[i].result &&
				      row[i].time == figure[i].time,
			      "row %u, step %u: partition %u, event %u, result %u, time %u", i,
			      figure[i].step, row[i].partition, row[i].event, row[i].result,
			      (unsigned)row[i].time);
		same_granule(&row[i].a, &figure[i].a, i);
		same_granule(&row[i].b, &figure[i].b, i);
	}
}

static const struct sim_workload_class class = { .name = "test", .setup = setup };
static const struct lane_program program = { LANE_PROGRAM(code, LENGTH(code), &program), eval };

/* The answers are the same in total order and in the paper's. */
KIT_TESTS(test_fig_7_in_the_machine, 2)
{
	struct sim_workload workload = { .class = &class, .threads = 2, .block_size = 1,
					 .lock_base = 0x2000 };
	struct sim_run_options options = { .seed = 1 };
	struct row row[2 * LENGTH(figure)];
	struct sim_machine_config shape;
	struct getm_config config;
	struct sim_run *sim;
	struct sim_shape ports_shape;
	struct watch watch[6];
	unsigned seen = 0;

	memset(&config, 0, sizeof(config));
	gputm_params_init(&sim_machine_params, &shape, sizeof(shape));
	shape.cores = 2;
	shape.warps = 8;
	ports_shape = sim_machine_shape(&shape);
	sim_getm.init(&config, &ports_shape);
	config.validation_unit.paper_order = _i;
	config.warp_clock.backoff_base = 0;
	workload.program[SIM_TRANSACTIONS] = &program.program;
	ck_assert_int_eq(sim_machine_new(NULL, &shape, &sim_getm, &config, &workload, &options,
					 &sim), 0);
	for (uint32_t i = 0; i < shape.partitions; i++) {
		struct getm *getm = sim->port.state;

		watch[i] = (struct watch){ getm, i, &seen, row };
		gputm_unit_observe(gputm_validation_unit_unit(getm->partition[i].unit), note,
				   &watch[i]);
	}
	/* Block 0, tx1, is on core 1. */
	set_clock(((struct getm *)sim->port.state)->core[1].clock, 20);
	set_clock(((struct getm *)sim->port.state)->core[0].clock, 10);
	ck_assert_int_eq(sim_run_execute(sim), 0);
	compare(row, seen);
	KIT_HAS(sim->port.result, committed, 2, aborted, 1);
	ck_assert_uint_eq(sim_memory_read(sim->port.memory, A), 100);
	ck_assert_uint_eq(sim_memory_read(sim->port.memory, B), 100);
	sim_run_free(sim);
}
