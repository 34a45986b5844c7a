/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the runner's compute unit: exact times, control flow in transactions, refusals. */
#include "examples/sim/local/local.h"
#include "examples/sim/systems/systems.h"
#include "tests/kit.h"
#include "tests/sim_code.h"

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	for (uint32_t i = 0; i < 8; i++)
		sim_memory_write(memory, LOCAL_GLOBAL + 4 * i, 70 + i);
}

static const struct sim_workload_class class = { .name = "test", .setup = setup };

struct run {
	const struct sim_system_class *system;
	struct local_config config;
	uint64_t threads;
	const volatile sig_atomic_t *stop;
	struct sim_result result;
	struct sim_memory *memory; /* as the run left it */
	char error[256];
};

static void run_init(struct run *run, const struct sim_system_class *system, uint64_t threads)
{
	memset(run, 0, sizeof(*run));
	run->system = system;
	run->threads = threads;
	system->init(&run->config, NULL);
}

static int run_program(struct run *run, const struct code *code, lane_fn *function)
{
	struct lane_program program;
	struct sim_workload workload = { .class = &class, .threads = run->threads };
	struct sim_run_options options = { .most_cycles = 10000000, .stop = run->stop };
	struct sim_run *sim;
	int error;

	program_of(code, function, &program);
	workload.block_size = (uint32_t)run->threads;
	workload.program[SIM_LOCAL] = &program.program;
	workload.lock_base = UINT64_MAX;
	error = sim_run_new(NULL, &local_runs, NULL, run->system, &run->config, &workload,
			    &options, &sim);
	if (!error)
		error = sim_run_execute(sim);
	sim_run_result(sim, &run->result);
	if (!error)
		run->memory = sim_memory_copy(sim->port.memory);
	strcpy(run->error, sim_run_error(sim));
	sim_run_free(sim);
	return error;
}

/* It does not run, and says why. */
static void refused(struct run *run, const struct code *code, lane_fn *function,
		    const char *says)
{
	ck_assert_int_eq(run_program(run, code, function), -EINVAL);
	KIT_SAYS(run->error, says);
}

static uint32_t word(const struct run *run, uint32_t at)
{
	return sim_memory_read(run->memory, 4 * (uint64_t)at);
}

static uint64_t cycles_of(const struct sim_system_class *system, const struct code *code,
			  lane_fn *function, uint64_t threads)
{
	struct run run;

	run_init(&run, system, threads);
	ck_assert_int_eq(run_program(&run, code, function), 0);
	sim_memory_free(run.memory);
	return run.result.cycles;
}

CODE(store, STORE, EXIT);

/* Every thread its own word. */
static void eval_own(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	step->address = 4 * (uint64_t)lane->thread;
	step->value = lane->thread + 1;
}

/* Every thread a word of bank 0. */
static void eval_bank(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	eval_own(pc, lane, step);
	step->address *= 32;
}

/* ---- time ---- */

KIT_TEST(test_local_time_of_instructions)
{
	CODE(seven, PLAIN(7), EXIT);

	/* 64 lanes take a SIMD unit of 16 four cycles. */
	ck_assert_uint_eq(cycles_of(&sim_local_tm, &seven, eval_own, 64), 7 * 4 + 1);
	/* The second wavefront issues a cycle later, on a unit of its own. */
	ck_assert_uint_eq(cycles_of(&sim_local_tm, &seven, eval_own, 128), 7 * 4 + 2);
	/* Two lanes of each bank: the second one comes out a cycle after the latency. */
	ck_assert_uint_eq(cycles_of(&sim_local_tm, &store, eval_own, 64), 2 + 1 + 1);
	ck_assert_uint_eq(cycles_of(&sim_local_tm, &store, eval_bank, 64), 2 + 63 + 1);
	/* The banks serve one instruction at a time. */
	ck_assert_uint_eq(cycles_of(&sim_local_tm, &store, eval_bank, 128), 64 + 2 + 63 + 1);
}

KIT_TEST(test_local_time_of_transactions)
{
	CODE(empty, BEGIN, COMMIT, EXIT);
	CODE(stores, BEGIN, STORE, COMMIT, EXIT);

	ck_assert_uint_eq(cycles_of(&sim_local_tm, &empty, eval_own, 64), 4 + 1 + 4 + 1 + 1);
	ck_assert_uint_eq(cycles_of(&sim_local_tm_perfect, &empty, eval_own, 64), 4 + 4 + 1);
	/* New accesses: 3 more; then two entries a bank are cleared. */
	ck_assert_uint_eq(cycles_of(&sim_local_tm, &stores, eval_own, 64),
			  (4 + 1) + (3 + 3) + (4 + 1 + 2) + 1);
	ck_assert_uint_eq(cycles_of(&sim_local_tm_perfect, &stores, eval_own, 64), 4 + 3 + 4 + 1);
	/* A turn of the loop takes 4 + 6 x 4 cycles, then two more instructions issue. */
	ck_assert_uint_eq(cycles_of(&sim_local_serialised, &empty, eval_own, 2), 2 * 29 + 1);
	/* The second wavefront begins when the end of the first one has issued. */
	ck_assert_uint_eq(cycles_of(&sim_local_serialised, &empty, eval_own, 128),
			  128 * 29 + 1 + 1);
}

/* ---- control flow ---- */

#define SHARED 500u

enum { GET = 1, PUT, ODD, SECOND, EVEN_2 = 6, ODD_1 = 8, MEET = 10, LOOP = 13 };

/*
 * In one transaction: add 1 to a word of all; a branch within a branch that meet at the same
 * place; a loop of thread mod 4 + 1 turns that adds 1 to the thread's own word.
 */
CODE(tangle, BEGIN, [GET] = LOAD, [PUT] = STORE, [ODD] = BRANCH(ODD_1, MEET),
     [SECOND] = BRANCH(EVEN_2, MEET), BRANCH(MEET, MEET),
     [EVEN_2] = STORE, BRANCH(MEET, MEET),
     [ODD_1] = STORE, PLAIN(1),
     [MEET] = PLAIN(1), LOAD, STORE, [LOOP] = BRANCH(MEET + 1, LOOP + 1), COMMIT, EXIT);

static void eval_tangle(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	step->address = 4 * (uint64_t)(pc <= PUT ? SHARED : lane->thread);
	step->value = pc == EVEN_2 ? 20 : pc == ODD_1 ? 30 : lane->loaded + 1;
	step->taken = pc == ODD ? lane->thread & 1 : pc == SECOND ? lane->thread & 2 : true;
	if (pc == LOOP)
		step->taken = ++lane->count < lane->thread % 4 + 1;
}

static void tangled(const struct sim_system_class *system, uint32_t lanes, uint32_t threads)
{
	struct run run;

	run_init(&run, system, threads);
	run.config.local_tm.lanes = lanes;
	ck_assert_int_eq(run_program(&run, &tangle, eval_tangle), 0);
	ck_assert_uint_eq(word(&run, SHARED), threads);
	for (uint32_t i = 0; i < threads; i++)
		ck_assert_uint_eq(word(&run, i), (i & 1 ? 30 : i & 2 ? 20 : 0) + i % 4 + 1);
	ck_assert_uint_eq(run.result.committed, threads);
	ck_assert((run.result.aborted > 0) == (system != &sim_local_serialised));
	sim_memory_free(run.memory);
}

KIT_TEST(test_local_branches_and_loops_in_transactions)
{
	static const struct sim_system_class *const system[] = {
		&sim_local_tm, &sim_local_tm_perfect, &sim_local_serialised,
	};

	for (unsigned i = 0; i < 3; i++) {
		tangled(system[i], 64, 256);
		tangled(system[i], 64, 77);
		tangled(system[i], 4, 15);
	}
}

/* while (turn < thread mod 5) turn++; store 100 + turn, by all lanes in one instruction. */
CODE(leave_at_the_top, BRANCH(3, 3), PLAIN(1), BRANCH(0, 3), STORE, EXIT);

static void eval_while(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	step->address = 4 * (uint64_t)lane->thread;
	step->value = 100 + lane->count;
	step->taken = pc == 2 || lane->count >= lane->thread % 5;
	lane->count += pc == 1;
}

KIT_TEST(test_local_lanes_meet_after_a_loop)
{
	struct run run;

	run_init(&run, &sim_local_tm, 64);
	ck_assert_int_eq(run_program(&run, &leave_at_the_top, eval_while), 0);
	for (uint32_t i = 0; i < 64; i++)
		ck_assert_uint_eq(word(&run, i), 100 + i % 5);
	/* Five tests, four turns of two instructions, the store and the end. */
	ck_assert_uint_eq(run.result.instructions, 5 + 4 * 2 + 2);
	sim_memory_free(run.memory);
}

/* ---- global memory, refusals ---- */

static void eval_global(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	step->address = pc ? 4 * (uint64_t)lane->thread :
			     LOCAL_GLOBAL + 4 * (uint64_t)(lane->thread % 8);
	step->value = lane->loaded;
}

KIT_TEST(test_local_global_loads)
{
	CODE(copy, LOAD, STORE, EXIT);
	struct run run;

	run_init(&run, &sim_local_tm, 64);
	ck_assert_int_eq(run_program(&run, &copy, eval_global), 0);
	ck_assert_uint_eq(word(&run, 13), 75);
	ck_assert_uint_eq(run.result.cycles, 300 + 3 + 1);
	sim_memory_free(run.memory);
	refused(&run, &store, eval_global, "global memory");
}

KIT_TEST(test_local_stop)
{
	static const volatile sig_atomic_t stop = SIGINT;
	CODE(plain, PLAIN(1), EXIT);
	struct run run;

	run_init(&run, &sim_local_tm, 64);
	run.stop = &stop;
	ck_assert_int_eq(run_program(&run, &plain, eval_own), -EINTR);
}

KIT_TEST(test_local_refusals)
{
	CODE(atomic, CAS, EXIT);
	struct run run;

	run_init(&run, &sim_local_tm, 257);
	refused(&run, &store, eval_own, "257 work-items");
	run_init(&run, &sim_local_tm, 64);
	run.config.local_tm.words = 32;
	refused(&run, &store, eval_own, "no word of local memory");
	run_init(&run, &sim_local_tm, 64);
	refused(&run, &atomic, eval_own, "instruction");
}
