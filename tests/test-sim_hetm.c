/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the check of system hetm notice rounds with a wrong verdict, and times that do not add
 * up? The rounds are built into
 * this program with errors to choose from. A run has one conflict at most, where the CPU writes
 * what was there before: no replay of values can notice that it was let pass, the sets of
 * words do. Without an error they find what there is: conflicts, and false ones by granularity.
 */
#include "examples/sim/hetm/hetm.h"

static enum mutant {
	NO_ERROR, FORGETS, INVENTS, SEES_NONE, SEES_MORE, LOSES_TIME, WORKS_TWICE
} mutant;

/* The round is told of no conflict, or of one that is none. */
static int complete(struct gputm_sync_round *round, uint64_t now,
		    const struct gputm_sync_round_done *done)
{
	struct gputm_sync_round_done told = *done;

	told.conflict |= mutant == INVENTS && told.bytes;
	told.conflict &= mutant != FORGETS;
	return gputm_sync_round_complete(round, now, &told);
}

/* The validator's tests fail to find, or find what is not there. */
static int push(struct gputm_device_validator *v, const struct gputm_access_bitmap *reads,
		const struct gputm_write_set_log_chunk *chunk,
		enum gputm_device_validator_mode mode, uint64_t *apply,
		struct gputm_device_validator_result *result)
{
	int error = gputm_device_validator_push(v, reads, chunk, mode, apply, result);

	if (mutant == SEES_NONE)
		result->conflicts = 0;
	result->conflicts += mutant == SEES_MORE;
	return error;
}

/* A cycle is counted nowhere, or one of the GPU is counted twice. */
static void pass(struct hetm *h, uint64_t until)
{
	bool early = mutant == LOSES_TIME && h->port.now == 0;

	hetm_time_passes(h, until - early);
	h->spent[HETM_GPU_RUNS] += mutant == WORKS_TWICE && h->port.now == 0;
}

#define gputm_sync_round_complete complete
#define gputm_device_validator_push push
#define hetm_time_passes pass
#include "examples/sim/hetm/rounds.c"
#undef gputm_sync_round_complete
#undef gputm_device_validator_push
#undef hetm_time_passes

#include "examples/sim/systems/systems.h"
#include "examples/sim/base/heap.h"
#include "tests/kit.h"
#include "tests/sim_lanes.h"

/* ---- a workload: each thread counts a word of its own up, two meet ------------------------ */

#define THREADS 256
#define SHARED (SIM_HEAP + 0x8000u) /* the GPU's thread 1 reads it */
#define WRITER 40		    /* of the CPU's threads */

static uint32_t mark; /* that of the round before the first */
static uint32_t distance; /* of what the writer writes from what is read; 4711: nowhere near */

static void eval(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	step->address = SIM_HEAP + 0x4000 * (lane->thread % 2) + 4 * (uint64_t)lane->thread;
	step->value = lane->thread;
	if (lane->thread == 1 && pc == 1)
		step->address = SHARED;
	if (lane->thread == WRITER && pc == 2) {
		step->address = SHARED + distance;
		step->value = 0;
	}
}

static const struct sim_instr code[] = {
	{ .op = SIM_TX_BEGIN }, { .op = SIM_LOAD }, { .op = SIM_STORE }, { .op = SIM_TX_COMMIT },
	{ .op = SIM_EXIT },
};
static const struct lane_program program = { LANE_PROGRAM(code, 5, &program), eval };

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	sim_memory_write(memory, SIM_HEAP, 1);
}

static const char *invariant(const struct sim_workload *workload, const struct sim_memory *memory,
			     char *error, size_t size)
{
	return NULL;
}

static enum sim_affinity affinity(const struct sim_workload *workload, uint32_t thread)
{
	return thread % 2 ? SIM_GPU : SIM_CPU;
}

/* ---- runs --------------------------------------------------------------------------------- */

struct run {
	int error;
	char message[256];
	bool passed;
	uint64_t count[5]; /* of hetm_exact_count() */
};

static void judge(struct run *run, struct sim_run *sim, struct sim_check *check)
{
	struct sim_verdict verdict;
	const char *name;

	run->error = sim_run_execute(sim);
	strcpy(run->message, sim_run_error(sim));
	for (size_t i = 0; hetm_runs.check_count(sim, i, &name, &run->count[i]); i++)
		ck_assert_uint_lt(i, 5);
	ck_assert_int_eq(sim_check_judge(check, sim->port.memory, &verdict), 0);
	run->passed = !run->error && verdict.passed;
}

static struct run run_with(enum mutant error_of_ours, uint32_t bytes_apart, uint32_t granule,
			   uint64_t early)
{
	static const struct sim_workload_class class = {
		.name = "test", .setup = setup, .invariant = invariant,
	};
	struct sim_workload workload = { .class = &class, .threads = THREADS, .block_size = 32,
					 .transactions = THREADS, .affinity = affinity };
	struct sim_check *check = sim_check_new(&workload);
	struct sim_run_options options = { .observer = sim_check_observer(check), .check = true,
					   .systems = sim_system_classes };
	struct sim_run *sim;
	struct hetm_config config;
	struct run run;

	mutant = error_of_ours;
	distance = bytes_apart;
	workload.program[SIM_TRANSACTIONS] = &program.program;
	workload.lock_base = SIM_HEAP + 0x10000;
	sim_hetm.init(&config, NULL);
	config.queues.batch = 64;
	config.reads.granule = granule;
	config.round.early_cycles = early;
	config.round.round_cycles = 40000;
	ck_assert_int_eq(sim_machine_new(NULL, NULL, &sim_hetm, &config, &workload, &options,
					 &sim), 0);
	hetm_in(sim)->exact.mark = mark;
	judge(&run, sim, check);
	sim_run_free(sim);
	sim_check_free(check);
	return run;
}

#define EXPECT_COUNTS(run, failed, false_rounds, conflicts, false_conflicts)                   \
	do {                                                                                   \
		ck_assert_str_eq((run).message, "");                                           \
		ck_assert((run).passed);                                                       \
		ck_assert_uint_eq((run).count[1], failed);                                     \
		ck_assert_uint_eq((run).count[2], false_rounds);                               \
		ck_assert_uint_eq((run).count[3], conflicts);                                  \
		ck_assert_uint_eq((run).count[4], false_conflicts);                            \
	} while (0)

KIT_TEST(test_hetm_counts_true_and_false_conflicts)
{
	for (uint64_t early = 0; early <= 1000; early += 1000) {
		mark = early ? UINT32_MAX : 0; /* it rolls over */
		struct run none = run_with(NO_ERROR, 4096, 64, early);
		struct run false_one = run_with(NO_ERROR, 4, 64, early);
		struct run true_one = run_with(NO_ERROR, 0, 64, early);
		struct run fine = run_with(NO_ERROR, 4, 4, early);

		EXPECT_COUNTS(none, 0, 0, 0, 0);
		EXPECT_COUNTS(false_one, 1, 1, 1, 1);
		EXPECT_COUNTS(true_one, 1, 0, 1, 0);
		EXPECT_COUNTS(fine, 0, 0, 0, 0);
	}
}

/* Each error in a run that shows it, and what is said of it. */
static const struct {
	enum mutant mutant;
	uint32_t distance;
	const char *says;
} errors[] = {
	{ FORGETS, 0, "it has succeeded, and words were accessed by both (1, expected 0)" },
	{ SEES_NONE, 0, "it has succeeded, and words were accessed by both (1, expected 0)" },
	{ SEES_NONE, 4, "another number of entries conflict (0, expected 1)" },
	{ INVENTS, 4096, "it has failed, and no granule was accessed by both (0, expected 1)" },
	{ SEES_MORE, 0, "another number of entries conflict" },
	{ LOSES_TIME, 4096, "round 0: the times of the cpu add up to 29211 cycles where 29212 have "
			    "passed, a difference of -1" },
	{ WORKS_TWICE, 4096, "round 0: the times of the gpu add up to 29213 cycles where 29212 "
			     "have passed, a difference of 1" },
};

KIT_TESTS(test_hetm_finds_errors, KIT_COUNT(errors))
{
	struct run run = run_with(errors[_i].mutant, errors[_i].distance, 64, 0);

	ck_assert_int_eq(run.error, -EILSEQ);
	ck_assert_msg(strstr(run.message, errors[_i].says) != NULL, "%s", run.message);
}
