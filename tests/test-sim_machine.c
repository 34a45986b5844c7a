/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the runner's machine: its clock, its memory, and exact times of small programs. */
#include <stdlib.h>
#include <string.h>

#include "examples/sim/machine/machine.h"
#include "examples/sim/base/wheel.h"
#include "examples/sim/port/port.h"
#include "examples/sim/systems/systems.h"
#include "tests/kit.h"

/* ---- a workload in the making: a program over addresses chosen by a function ------------ */

static uint64_t (*address_of)(uint32_t pc, uint32_t thread);

/* A store writes the thread's number plus 1. */
static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	(void)data;
	step->address = address_of(pc, lane->thread);
	step->value = lane->thread + 1;
}

/* Atomic counter: a load gives the first guess, reg[0] remembers it, CAS tries guess + 1. */
static void eval_count(const void *data, uint32_t pc, struct sim_lane *lane,
		       struct sim_step *step)
{
	(void)data;
	step->address = 0x1000;
	if (pc == 1) {
		lane->reg[0] = lane->loaded;
		step->compare = lane->loaded;
		step->value = lane->loaded + 1;
	}
	step->taken = lane->loaded != lane->reg[0];
}

static void eval_spin(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	(void)data;
	(void)pc;
	(void)lane;
	step->taken = true;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	(void)workload;
	(void)memory;
}

static const struct sim_workload_class class = { .name = "test", .setup = setup };

struct run {
	struct sim_machine_config config;
	struct sim_run_options options;
	const struct sim_system_class *system;
	struct sim_region region;
	struct sim_result result;
	struct sim_memory *memory; /* as the run left it */
	void (*made)(const struct sim_machine *machine); /* told before it runs, or NULL */
};

static void run_init(struct run *run)
{
	memset(run, 0, sizeof *run);
	gputm_params_init(&sim_machine_params, &run->config, sizeof(run->config));
	run->config.cores = 2;
	run->config.warps = 8;
	/* a plain machine, whose times are told by hand */
	run->config.scheduler = SIM_LRR;
	run->config.l2_port = run->config.dram_banks = 0;
	run->region = (struct sim_region){ 0x1000, 0x10000 };
	run->system = &sim_fine_lock;
}

/* Run it; the machine's error is the result. */
static int run_program(struct run *run, const struct sim_instr *code, uint32_t length,
		       sim_eval_fn function, uint64_t threads, uint32_t block)
{
	struct sim_program program = { .code = code, .length = length, .eval = function };
	struct sim_workload workload = { .class = &class, .threads = threads };
	struct sim_shape shape = sim_machine_shape(&run->config);
	struct sim_machine *machine;
	void *config = calloc(1, run->system->config_size + 1);
	int error;

	if (run->system->init)
		run->system->init(config, &shape);
	workload.block_size = block;
	workload.program[SIM_LOCKS] = workload.program[SIM_TRANSACTIONS] = &program;
	workload.lock_base = 0x100000;
	workload.region[0] = run->region;
	workload.regions = run->region.length ? 1 : 0;
	error = sim_machine_new(NULL, &run->config, run->system, config, &workload, &run->options,
				&machine);
	if (!error && run->made)
		run->made(machine);
	if (!error)
		error = sim_machine_run(machine);
	if (!error) {
		sim_machine_result(machine, &run->result);
		run->memory = sim_memory_copy(sim_machine_memory(machine));
	}
	sim_machine_free(machine);
	free(config);
	return error;
}

#define LENGTH(code) ((uint32_t)(sizeof(code) / sizeof *(code)))

static uint64_t cycles_of(struct run *run, const struct sim_instr *code, uint32_t length,
			  uint64_t threads)
{
	ck_assert_int_eq(run_program(run, code, length, eval, threads, (uint32_t)threads), 0);
	sim_memory_free(run->memory);
	return run->result.cycles;
}

static uint64_t same_word(uint32_t pc, uint32_t thread)
{
	(void)pc;
	(void)thread;
	return 0x1000;
}

static uint64_t own_line_one_partition(uint32_t pc, uint32_t thread)
{
	(void)pc;
	return 0x1800 * (uint64_t)thread; /* 6 x 1024: partition 0 of 6, 256 B apart in it */
}

static uint64_t own_line_all_partitions(uint32_t pc, uint32_t thread)
{
	(void)pc;
	return 256 * (uint64_t)thread;
}

static uint64_t own_word(uint32_t pc, uint32_t thread)
{
	(void)pc;
	return 0x1000 + 4 * (uint64_t)thread;
}

/* ---- time --------------------------------------------------------------------------------- */

KIT_TEST(test_timing_plain)
{
	static const struct sim_instr code[] = { { .op = SIM_PLAIN, .count = 7 },
						  { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	address_of = same_word;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 1), 7 * 8 + 1);
	run.config.plain_latency = 1;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 1), 7 + 1);
	/* Two warps share the issue slots: 7 and 7, then an exit each. */
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 64), 7 + 7 + 1 + 1);
}

/* 1 flit + 5, 1 into the L2, 330, 5 + 2 flits: the reply is there after 344 cycles. */
#define HIT 344
/* A miss takes 200 more, and its 128 B line 6.07 cycles of the channel, rounded up. */
#define MISS (HIT + 200 + 7)

KIT_TEST(test_timing_load)
{
	static const struct sim_instr one[] = { { .op = SIM_LOAD }, { .op = SIM_EXIT } };
	static const struct sim_instr two[] = { { .op = SIM_LOAD },
						{ .op = SIM_LOAD },
						{ .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	address_of = same_word;
	ck_assert_uint_eq(cycles_of(&run, one, LENGTH(one), 1), MISS + 1);
	ck_assert_uint_eq(run.result.l2_misses, 1);
	ck_assert_uint_eq(cycles_of(&run, two, LENGTH(two), 1), MISS + HIT + 1);
	ck_assert_uint_eq(run.result.l2_misses, 1);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].bytes, 2 * 8);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD_REPLY].flits, 2 * 2);
	ck_assert_uint_eq(cycles_of(&run, two, LENGTH(two), 32), MISS + HIT + 1);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].packets, 2);
}

/* 32 lines of one partition leave the core one flit a cycle, but the L2 takes one in two
 * cycles and the channel one in 6.07; the replies' two flits fit between. */
KIT_TEST(test_timing_serialisation)
{
	static const struct sim_instr code[] = { { .op = SIM_LOAD },
						 { .op = SIM_LOAD },
						 { .op = SIM_EXIT } };
	struct run run;
	uint64_t both;

	run_init(&run);
	address_of = own_line_one_partition;
	run.config.dram_mbps = 1000000; /* a line in a fifth of a cycle: not the limit */
	both = cycles_of(&run, code, LENGTH(code), 32);
	/* First pass: misses. The last access is taken 31 x 2 cycles after the first. */
	ck_assert_uint_eq(both, (MISS - 6 + 62) + (HIT + 62) + 1);
	address_of = own_line_all_partitions;
	both = cycles_of(&run, code, LENGTH(code), 32);
	/* Six partitions: the core's port is the limit, a request a cycle and a reply in two. */
	ck_assert_uint_lt(both, MISS + HIT + 2 * 70);
	ck_assert_uint_gt(both, MISS + HIT + 2 * 55);
}

KIT_TEST(test_timing_dram_bandwidth)
{
	static const struct sim_instr code[] = { { .op = SIM_LOAD }, { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	address_of = own_line_one_partition;
	/* 32 lines of 128 B at 29500 MB/s and 1400 MHz: 6.07 ticks each. */
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 32),
			  HIT + 200 + (32 * 1555 + 255) / 256 + 1);
	ck_assert_uint_eq(run.result.dram_bytes, 32 * 128);
}

KIT_TEST(test_timing_fence)
{
	static const struct sim_instr store[] = { { .op = SIM_STORE },
						  { SIM_PLAIN, 1, 0, 0, 0, 0, false },
						  { .op = SIM_FENCE },
						  { SIM_PLAIN, 1, 0, 0, 0, 0, false },
						  { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	address_of = same_word;
	/* The store's two flits up and one flit back; then fence, plain and exit. */
	ck_assert_uint_eq(cycles_of(&run, store, LENGTH(store), 1), MISS + 8 + 8 + 1);
}

/* What threads did, of each that the first ones did first; the rest of all lanes is idle. */
static void did(const struct run *run, uint64_t tc, uint64_t to, uint64_t tu, uint64_t at,
		uint64_t ba, uint64_t nl)
{
	const uint64_t *spent = run->result.spent;
	uint64_t all = run->result.cycles * run->config.cores * run->config.warps *
		       run->config.lanes;

	ck_assert_uint_eq(spent[SIM_SPENT_TC], tc);
	ck_assert_uint_eq(spent[SIM_SPENT_TO], to);
	ck_assert_uint_eq(spent[SIM_SPENT_TU], tu);
	ck_assert_uint_eq(spent[SIM_SPENT_AT], at);
	ck_assert_uint_eq(spent[SIM_SPENT_BA], ba);
	ck_assert_uint_eq(spent[SIM_SPENT_NL], nl);
	ck_assert_uint_eq(spent[SIM_SPENT_IDLE], all - tc - to - tu - at - ba - nl);
}

KIT_TEST(test_times_of_threads)
{
	static const struct sim_instr tx[] = { { .op = SIM_TX_BEGIN },
					       { SIM_PLAIN, 10, 0, 0, 0, 0, false },
					       { .op = SIM_TX_COMMIT },
					       { .op = SIM_EXIT } };
	static const struct sim_instr barrier[] = { { .op = SIM_BARRIER }, { .op = SIM_EXIT } };
	static const struct sim_instr lock[] = { { .op = SIM_CAS },
						 { SIM_PLAIN, 1, 0, 0, 0, 0, false },
						 { .op = SIM_ENTER },
						 { SIM_PLAIN, 2, 0, 0, 0, 0, false },
						 { .op = SIM_EXIT } };
	static const struct sim_instr atomic[] = { { .op = SIM_CAS },
						   { SIM_PLAIN, 1, 0, 0, 0, 0, false },
						   { .op = SIM_EXIT } };
	uint64_t cycles;
	struct run run;

	run_init(&run);
	address_of = same_word;
	/* Two warps issue one after the other; the first waits for the second. */
	cycles_of(&run, barrier, LENGTH(barrier), 64);
	did(&run, 0, 0, 0, 0, 32, 32 + 32 * 8 + 32 * 9);
	cycles = cycles_of(&run, atomic, LENGTH(atomic), 1);
	did(&run, 0, 0, 0, cycles - 9, 0, 8);
	ck_assert_uint_eq(cycles_of(&run, lock, LENGTH(lock), 1), cycles + 16);
	did(&run, 0, 0, 0, cycles - 1, 0, 16);
	run.system = &sim_ideal;
	ck_assert_uint_eq(cycles_of(&run, tx, LENGTH(tx), 32), 8 + 10 * 8 + 1 + 1);
	did(&run, 0, 32, 32 * 88, 0, 0, 0);
	ck_assert_uint_eq(run.result.instructions + run.result.longer, 4 + 9);
	ck_assert_uint_eq(run.result.empty, 90); /* of the second core */
	/* One warp after the other; both wait for an issue slot once. */
	run.options.concurrency = 1;
	cycles_of(&run, tx, LENGTH(tx), 64);
	ck_assert_uint_eq(run.result.tx_wait_cycles, 88);
	did(&run, 32 * 88, 64, 64 * 88, 0, 0, 64);
}

KIT_TEST(test_timing_reference_clocks)
{
	static const struct sim_instr code[] = { { .op = SIM_LOAD },
						 { .op = SIM_LOAD },
						 { .op = SIM_EXIT } };
	struct run run;
	uint64_t ticks;

	run_init(&run);
	gputm_params_init(sim_machine_named("reference"), &run.config, sizeof(run.config));
	address_of = same_word;
	/* In ticks of 1400 MHz; each load starts on a whole cycle of 700 MHz. */
	run.config.dram_banks = 0;
	ticks = (1 + 5 + 1 + 240 + 5 + 2) * 2 + 200 + 7;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 1), (ticks + 1 + 1) / 2 + 1);
}

/* The row of an idle bank is opened, 24 DRAM cycles, before the line is on the channel. */
#define OPEN (2 * 4654)
/* The last of so many 256ths of a tick of DRAM is a load's. */
#define DRAM(ticks256) (HIT + 200 + ((ticks256) + 255) / 256)

static uint64_t other_rows(uint32_t pc, uint32_t thread)
{
	(void)pc;
	return 0x60000 * (uint64_t)thread; /* bank 0 of partition 0 */
}

/* Rows 0, 1, 0 of bank 0. */
static uint64_t row_and_back(uint32_t pc, uint32_t thread)
{
	(void)pc;
	return thread == 2 ? 0x1800 : 0x60000 * (uint64_t)thread;
}

KIT_TEST(test_timing_dram_rows)
{
	static const struct sim_instr code[] = { { .op = SIM_LOAD }, { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	run.config.dram_banks = 16;
	address_of = same_word;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 1), DRAM(OPEN + 1555) + 1);
	/* Two rows of two banks: the second is opened while the first one is read. */
	address_of = own_line_one_partition;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 32), DRAM(OPEN + 32 * 1555) + 1);
	ck_assert_uint_eq(run.result.dram_bytes, 32 * 128);
	/* Rows of one bank, RC apart. */
	address_of = other_rows;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 4),
			  DRAM(3 * 15515 + OPEN + 1555) + 1);
	/* The open row is read to its end first. */
	address_of = row_and_back;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 3), DRAM(15515 + OPEN + 1555) + 1);
	/* In order of arrival it is opened twice. */
	run.config.dram_queue = 1;
	ck_assert_uint_gt(cycles_of(&run, code, LENGTH(code), 3), DRAM(2 * 15515 + OPEN));
}

/* A line of which all is read has the port for two cycles of the L2. */
KIT_TEST(test_timing_l2_port)
{
	static const struct sim_instr code[] = { { .op = SIM_LOAD }, { .op = SIM_EXIT } };
	uint64_t apart;
	struct run run;

	run_init(&run);
	run.config.dram_mbps = 1000000;
	run.config.flit_bytes = 128;
	address_of = own_word;
	apart = cycles_of(&run, code, LENGTH(code), 64);
	run.config.l2_port = 64;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 64), apart + 2);
	run.config.l2_port = 32;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 64), apart + 6);
	run.config.l2_port = 128;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 64), apart);
}

KIT_TEST(test_timing_issue)
{
	static const struct sim_instr code[] = { { .op = SIM_PLAIN, .count = 7 },
						  { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	address_of = same_word;
	/* The second warp starts when the first one's 7 have issued, and takes 56 cycles. */
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 64), 7 + 56 + 1);
	run.config.simd_width = 8;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 64), 4 * 7 + 56 + 1);
	run.config.issue_slots = 2;
	ck_assert_uint_eq(cycles_of(&run, code, LENGTH(code), 64), 56 + 1);
}

/* Of 16 warps that all do the same, those that are the first and the last to write. */
static void first_and_last(uint32_t scheduler, uint32_t first, uint32_t last)
{
	static const struct sim_instr cas[] = { { SIM_PLAIN, 1, 0, 0, 0, 0, false },
						{ .op = SIM_CAS },
						{ .op = SIM_EXIT } };
	static const struct sim_instr store[] = { { SIM_PLAIN, 1, 0, 0, 0, 0, false },
						  { .op = SIM_STORE },
						  { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	run.config.cores = 1;
	run.config.warps = 16;
	run.config.plain_latency = 1;
	run.config.scheduler = scheduler;
	address_of = same_word;
	ck_assert_int_eq(run_program(&run, cas, LENGTH(cas), eval, 512, 512), 0);
	ck_assert_uint_eq((sim_memory_read(run.memory, 0x1000) - 1) / 32, first);
	sim_memory_free(run.memory);
	ck_assert_int_eq(run_program(&run, store, LENGTH(store), eval, 512, 512), 0);
	ck_assert_uint_eq((sim_memory_read(run.memory, 0x1000) - 1) / 32, last);
	sim_memory_free(run.memory);
}

KIT_TEST(test_schedulers)
{
	first_and_last(SIM_LRR, 1, 0);	      /* in turn, after warp 0 */
	first_and_last(SIM_GTO, 0, 15);	      /* each one to its end */
	first_and_last(SIM_TWO_LEVEL, 1, 15); /* the first 8 in turn, then the others */
}

KIT_TEST(test_timing_concentration)
{
	static const struct sim_instr code[] = { { .op = SIM_LOAD }, { .op = SIM_EXIT } };
	uint64_t own, shared;
	struct run run;

	run_init(&run);
	run.config.dram_mbps = 1000000;
	address_of = own_line_all_partitions;
	ck_assert_int_eq(run_program(&run, code, LENGTH(code), eval, 64, 32), 0);
	sim_memory_free(run.memory);
	own = run.result.cycles;
	run.config.concentration = 2;
	ck_assert_int_eq(run_program(&run, code, LENGTH(code), eval, 64, 32), 0);
	sim_memory_free(run.memory);
	shared = run.result.cycles;
	/* 64 more flits of the other core's replies through the one port. */
	ck_assert_uint_gt(shared, own + 60);
	ck_assert_uint_lt(shared, own + 70);
}

/* ---- what programs compute --------------------------------------------------------------- */

KIT_TEST(test_cas_is_atomic)
{
	static const struct sim_instr code[] = { { .op = SIM_LOAD },	  { .op = SIM_CAS },
						 { SIM_BRANCH, 0, 1, 3, 0, 0, false },
						 { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	run.config.cores = 3;
	ck_assert_int_eq(run_program(&run, code, LENGTH(code), eval_count, 300, 50), 0);
	ck_assert_uint_eq(sim_memory_read(run.memory, 0x1000), 300);
	sim_memory_free(run.memory);
}

KIT_TEST(test_blocks_refill)
{
	static const struct sim_instr code[] = { { .op = SIM_STORE },
						 { SIM_PLAIN, 100, 0, 0, 0, 0, false },
						 { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	address_of = own_word;
	run.config.plain_latency = 1000;
	run.config.cores = 15;
	ck_assert_int_eq(run_program(&run, code, LENGTH(code), eval, 15 * 8 * 10, 10), 0);
	ck_assert_uint_lt(run.result.cycles, 2 * 100 * 1000);
	for (uint32_t i = 0; i < 15 * 8 * 10; i++)
		ck_assert_uint_eq(sim_memory_read(run.memory, 0x1000 + 4 * i), i + 1);
	sim_memory_free(run.memory);
	/* One block more, on a core that is full: it waits for another to leave. */
	ck_assert_int_eq(run_program(&run, code, LENGTH(code), eval, 15 * 8 * 10 + 1, 10), 0);
	ck_assert_uint_gt(run.result.cycles, 2 * 100 * 1000);
	sim_memory_free(run.memory);
}

KIT_TEST(test_l2_replaces_the_oldest)
{
	static const struct sim_instr code[] = { { .op = SIM_LOAD },
						 { .op = SIM_LOAD },
						 { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	run.config.partitions = 1;
	run.config.l2_bytes = 8 * 128;
	address_of = own_line_all_partitions;
	cycles_of(&run, code, LENGTH(code), 8);
	ck_assert_uint_eq(run.result.l2_misses, 8);
	cycles_of(&run, code, LENGTH(code), 9);
	ck_assert_uint_eq(run.result.l2_misses, 18);
}

/* ---- transactions ------------------------------------------------------------------------ */

/* Every thread adds 1 to one word. */
static void eval_add(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	(void)data;
	(void)pc;
	step->address = 0x1000;
	step->value = lane->loaded + 1;
}

static const struct sim_instr add[] = { { .op = SIM_TX_BEGIN },
					{ .op = SIM_LOAD },
					{ .op = SIM_STORE },
					{ .op = SIM_TX_COMMIT },
					{ .op = SIM_EXIT } };

/* ---- the L1 ------------------------------------------------------------------------------- */

KIT_TEST(test_l1_of_plain_loads)
{
	static const struct sim_instr twice[] = { { .op = SIM_LOAD },
						  { .op = SIM_LOAD },
						  { .op = SIM_EXIT } };
	static const struct sim_instr written[] = { { .op = SIM_LOAD },
						    { .op = SIM_STORE },
						    { .op = SIM_LOAD },
						    { .op = SIM_EXIT } };
	static const struct sim_instr within[] = { { .op = SIM_LOAD },
						   { .op = SIM_TX_BEGIN },
						   { .op = SIM_LOAD },
						   { .op = SIM_TX_COMMIT },
						   { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	run.config.l1_bytes = 48 * 1024;
	address_of = same_word;
	ck_assert_uint_eq(cycles_of(&run, twice, LENGTH(twice), 32), MISS + 8 + 1);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].packets, 1);
	/* The core's own store takes the line away. */
	cycles_of(&run, written, LENGTH(written), 32);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].packets, 2);
	run.system = &sim_ideal;
	cycles_of(&run, within, LENGTH(within), 1);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].packets, 2);
}

static uint64_t word_of_pc(uint32_t pc, uint32_t thread)
{
	(void)thread;
	return 0x1000 + 4 * (uint64_t)pc;
}

/* Of 40 rows of the write log 8 are not in the L1, at each walk. @return the cycles of that. */
static uint64_t spill(const struct sim_system_class *system)
{
	struct sim_instr code[43] = { { .op = SIM_TX_BEGIN } };
	uint64_t held;
	struct run run;

	for (uint32_t i = 1; i <= 40; i++)
		code[i] = (struct sim_instr){ .op = SIM_STORE };
	code[41].op = SIM_TX_COMMIT;
	code[42].op = SIM_EXIT;
	run_init(&run);
	run.system = system;
	run.config.spill_latency = 100; /* the writes at memory are through before the walk */
	address_of = word_of_pc;
	held = cycles_of(&run, code, LENGTH(code), 1);
	run.config.spill_latency = 200;
	return cycles_of(&run, code, LENGTH(code), 1) - held;
}

KIT_TEST(test_rows_beyond_the_l1)
{
	ck_assert_uint_ge(spill(&sim_getm), 798);
	ck_assert_uint_le(spill(&sim_getm), 802);
	/* Kilo TM walks them again for words that found a full buffer. */
	ck_assert_uint_ge(spill(&sim_kilo_tm), 2 * 800);
}

/* ---- systems ------------------------------------------------------------------------------ */

static const struct sim_system_class *const systems[] = { &sim_coarse_lock, &sim_ideal,
							&sim_kilo_tm, &sim_si_tm,
							&sim_si_tm_oracle, &sim_getm };

KIT_TESTS(test_transactions_add_up, 6)
{
	struct run run;

	run_init(&run);
	run.system = systems[_i];
	run.options.concurrency = 2;
	ck_assert_int_eq(run_program(&run, add, LENGTH(add), eval_add, 200, 70), 0);
	ck_assert_uint_eq(sim_memory_read(run.memory, 0x1000), 200);
	ck_assert_uint_eq(run.result.committed, 200);
	sim_memory_free(run.memory);
}

KIT_TESTS(test_swapped_units_change_nothing, 6)
{
	unsigned threads = kit_scale(100, 20);
	struct run plain, swapped;

	run_init(&plain);
	plain.system = systems[_i];
	plain.options.concurrency = 1;
	swapped = plain;
	swapped.config.swap_units_every = 777;
	ck_assert_int_eq(run_program(&plain, add, LENGTH(add), eval_add, threads, 40), 0);
	ck_assert_int_eq(run_program(&swapped, add, LENGTH(add), eval_add, threads, 40), 0);
	ck_assert_mem_eq(&plain.result, &swapped.result, sizeof plain.result);
	sim_memory_free(plain.memory);
	sim_memory_free(swapped.memory);
}

/* A hash of the snapshots and names of all units; how many there are. */
static uint64_t units_hash;
static size_t units;

static void hash_units(const struct sim_machine *machine)
{
	struct sim_unit_info info;

	units_hash = UINT64_C(0xcbf29ce484222325);
	for (units = 0; sim_machine_unit(machine, units, &info); units++) {
		size_t size = gputm_unit_save(info.unit, NULL, 0);
		unsigned char *snapshot = malloc(size);

		ck_assert_uint_eq(gputm_unit_save(info.unit, snapshot, size), size);
		for (size_t i = 0; i < size; i++)
			units_hash = (units_hash ^ snapshot[i]) * UINT64_C(0x100000001b3);
		for (const char *name = gputm_unit_name(info.unit); *name; name++)
			units_hash = (units_hash ^ (uint64_t)*name) * UINT64_C(0x100000001b3);
		free(snapshot);
	}
}

static size_t taken(const struct sim_kept_units *kept)
{
	size_t count = 0;

	for (size_t i = 0; i < kept->units; i++)
		count += !kept->unit[i].unit;
	return count;
}

static struct sim_kept_units kept;
static size_t taken_units;

static void hash_and_count(const struct sim_machine *machine)
{
	hash_units(machine);
	taken_units = taken(&kept);
}

/* Units of the run before are as those that are made anew, before the run and after it. */
KIT_TESTS(test_kept_units_are_as_new, 6)
{
	struct run anew, again;
	uint64_t hash;

	run_init(&anew);
	anew.system = systems[_i];
	anew.options.concurrency = 2;
	anew.made = hash_and_count;
	again = anew;
	again.options.kept = &kept;
	ck_assert_int_eq(run_program(&again, add, LENGTH(add), eval_add, 333, 40), 0);
	sim_memory_free(again.memory);
	ck_assert_uint_eq(taken_units, 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(run_program(&anew, add, LENGTH(add), eval_add, 200, 70), 0);
		hash = units_hash;
		ck_assert_int_eq(run_program(&again, add, LENGTH(add), eval_add, 200, 70), 0);
		ck_assert_uint_eq(units_hash, hash);
		ck_assert_uint_gt(taken_units, 0);
		ck_assert_mem_eq(&anew.result, &again.result, sizeof anew.result);
		sim_memory_free(anew.memory);
		sim_memory_free(again.memory);
	}
	/* Of another limit, throttles are made anew; with fewer warps, other units too. */
	again.options.concurrency = anew.options.concurrency = 1;
	again.config.warps = anew.config.warps = 4;
	ck_assert_int_eq(run_program(&anew, add, LENGTH(add), eval_add, 200, 70), 0);
	ck_assert_int_eq(run_program(&again, add, LENGTH(add), eval_add, 200, 70), 0);
	ck_assert_uint_lt(taken_units, units);
	ck_assert_mem_eq(&anew.result, &again.result, sizeof anew.result);
	sim_memory_free(anew.memory);
	sim_memory_free(again.memory);
	sim_units_forget(&kept);
}

/*
 * Word t is stored plainly, copied to word 1000 + t in a transaction, and read from there plainly
 * into word 40000 + t, which is in no region. Between the transactions others make versions.
 */
static void eval_pass_on(const void *data, uint32_t pc, struct sim_lane *lane,
			 struct sim_step *step)
{
	static const uint32_t first[] = { 0, 0, 0, 0, 1000, 0, 1000, 40000, 0, 0 };

	(void)data;
	step->address = 0x1000 + 4 * ((uint64_t)first[pc] + lane->thread);
	step->value = pc == 0 ? lane->thread + 7 : lane->loaded;
}

static const struct sim_instr pass_on[] = {
	{ .op = SIM_STORE }, { .op = SIM_FENCE }, { .op = SIM_TX_BEGIN },
	{ .op = SIM_LOAD }, { .op = SIM_STORE }, { .op = SIM_TX_COMMIT },
	{ .op = SIM_LOAD }, { .op = SIM_STORE }, { .op = SIM_FENCE },
	{ .op = SIM_EXIT },
};

KIT_TESTS(test_plain_accesses_see_the_newest_version, 6)
{
	struct run run;

	run_init(&run);
	run.system = systems[_i];
	ck_assert_int_eq(run_program(&run, pass_on, LENGTH(pass_on), eval_pass_on, 900, 40), 0);
	for (uint32_t i = 0; i < 900; i++) {
		ck_assert_uint_eq(sim_memory_read(run.memory, 0x1000 + 4 * i), i + 7);
		ck_assert_uint_eq(sim_memory_read(run.memory, 0x1000 + 4 * (1000 + i)), i + 7);
		ck_assert_uint_eq(sim_memory_read(run.memory, 0x1000 + 4 * (40000 + i)), i + 7);
	}
	ck_assert_uint_eq(run.result.committed, 900);
	sim_memory_free(run.memory);
}

/* ---- refusals ------------------------------------------------------------------------------- */

KIT_TEST(test_impossible_machines_are_refused)
{
	static const struct sim_instr code[] = { { .op = SIM_EXIT } };
	struct run run;

	run_init(&run);
	run.config.crossbar_mhz = 1000;
	ck_assert_int_eq(run_program(&run, code, LENGTH(code), eval, 1, 1), -EINVAL);
	run_init(&run);
	ck_assert_int_eq(run_program(&run, code, LENGTH(code), eval, 1, 8 * 32 + 1), -EINVAL);
	run_init(&run);
	run.config.l2_bytes = 1024;
	run.config.l2_ways = 9;
	ck_assert_int_eq(run_program(&run, code, LENGTH(code), eval, 1, 1), -EINVAL);
}

/* Systems with versions need a region, and what transactions access must lie in it. */
KIT_TESTS(test_transactions_stay_in_their_regions, 2)
{
	struct run run;

	run_init(&run);
	run.system = systems[(3 + _i)];
	run.region.length = 0;
	ck_assert_int_eq(run_program(&run, add, LENGTH(add), eval_add, 1, 1), -EINVAL);
	run.region = (struct sim_region){ 0x1004, 0x100 };
	ck_assert_int_eq(run_program(&run, add, LENGTH(add), eval_add, 1, 1), -EINVAL);
	run.region = (struct sim_region){ 0x1000, 4 };
	ck_assert_int_eq(run_program(&run, add, LENGTH(add), eval_add, 1, 1), 0);
	ck_assert_uint_eq(sim_memory_read(run.memory, 0x1000), 1);
	sim_memory_free(run.memory);
}

KIT_TEST(test_endless_programs_are_stopped)
{
	static const struct sim_instr code[] = { { .op = SIM_LOAD },
						 { SIM_BRANCH, 0, 0, 2, 0, 0, false },
						 { .op = SIM_EXIT } };
	static const volatile sig_atomic_t stop = 1;
	struct run run;

	run_init(&run);
	run.options.most_cycles = 100000;
	address_of = same_word;
	ck_assert_int_eq(run_program(&run, code, LENGTH(code), eval_spin, 1, 1), -ETIME);
	run.options = (struct sim_run_options){ .stop = &stop };
	ck_assert_int_eq(run_program(&run, code, LENGTH(code), eval_spin, 1, 1), -EINTR);
}

/* ---- parts ------------------------------------------------------------------------------- */

KIT_TEST(test_wheel_calls_in_order)
{
	struct sim_wheel *wheel = calloc(1, sizeof *wheel);
	uint64_t state = 5, last = 0;

	for (unsigned round = 0; round < kit_scale(20000, 500); round++) {
		uint64_t far = kit_below(&state, 2 * SIM_WHEEL_TICKS) + 1;
		uint64_t due = far < SIM_WHEEL_TICKS ? far : SIM_WHEEL_TICKS - 1;

		sim_wheel_wake(wheel, SIM_CORE, 3, wheel->now + far);
		sim_wheel_wake(wheel, SIM_PARTITION, 63, wheel->now + due);
		ck_assert(sim_wheel_next(wheel));
		ck_assert_uint_eq(wheel->now, last + due);
		ck_assert_uint_eq(sim_wheel_take(wheel, SIM_CORE), 8);
		ck_assert_uint_eq(sim_wheel_take(wheel, SIM_PARTITION), UINT64_C(1) << 63);
		sim_wheel_done(wheel);
		last = wheel->now;
	}
	ck_assert(!sim_wheel_next(wheel));
	free(wheel);
}

KIT_TEST(test_memory_pages)
{
	struct sim_memory *memory = sim_memory_new(), *copy;
	static const uint64_t at[] = { 0, 0x80000000, 0x80004000, 0xfffffffffc };
	uint64_t address = 0;

	for (size_t i = 0; i < 4; i++)
		sim_memory_write(memory, at[i], (uint32_t)i + 1);
	copy = sim_memory_copy(memory);
	sim_memory_write(memory, 0, 9);
	for (size_t i = 0; i < 4; i++, address += 1u << SIM_PAGE_BITS) {
		ck_assert_uint_eq(sim_memory_read(copy, at[i]), i + 1);
		ck_assert_ptr_nonnull(sim_memory_page(copy, &address));
		ck_assert_uint_eq(address, at[i] & ~(uint64_t)0x3fff);
	}
	ck_assert_ptr_null(sim_memory_page(copy, &address));
	ck_assert_uint_eq(sim_memory_read(copy, 0x1234560), 0);
	sim_memory_free(memory);
	sim_memory_free(copy);
}
