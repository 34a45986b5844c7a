/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the runner's machine: its clock, its memory, and exact times of small programs. */
#include "examples/sim/machine/machine.h"
#include "examples/sim/base/wheel.h"
#include "examples/sim/port/port.h"
#include "examples/sim/systems/systems.h"
#include "tests/kit.h"
#include "tests/sim_code.h"

/* ---- a workload in the making: a program over addresses chosen by a function ------------ */

static uint64_t (*address_of)(uint32_t pc, uint32_t thread);

/* A store writes the thread's number plus 1. */
static void eval(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	step->address = address_of(pc, lane->thread);
	step->value = lane->thread + 1;
}

/* Atomic counter: a load gives the first guess, lane->count remembers it, CAS tries guess + 1. */
static void eval_count(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	step->address = 0x1000;
	if (pc == 1) {
		lane->count = lane->loaded;
		step->compare = lane->loaded;
		step->value = lane->loaded + 1;
	}
	step->taken = lane->loaded != lane->count;
}

static void eval_spin(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	step->taken = true;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
}

static const struct sim_workload_class class = { .name = "test", .setup = setup };

struct run {
	struct sim_machine_config config;
	struct sim_run_options options;
	const struct sim_system_class *system;
	struct sim_region region;
	struct sim_result result;
	void (*made)(const struct sim_run *sim); /* told before it runs, or NULL */
};

CODE(exits, EXIT);
CODE(seven, PLAIN(7), EXIT);
CODE(load, LOAD, EXIT);
CODE(two_loads, LOAD, LOAD, EXIT);
CODE(adds, BEGIN, LOAD, STORE, COMMIT, EXIT);

/* A run of a plain machine, whose times are told by hand, over these addresses. */
static struct run run_over(uint64_t (*addresses)(uint32_t pc, uint32_t thread))
{
	struct run run;

	memset(&run, 0, sizeof run);
	gputm_params_init(&sim_machine_params, &run.config, sizeof(run.config));
	run.config.cores = 2;
	run.config.warps = 8;
	run.config.scheduler = SIM_LRR;
	run.config.l2_port = run.config.dram_banks = 0;
	run.region = (struct sim_region){ 0x1000, 0x10000 };
	run.system = &sim_fine_lock;
	address_of = addresses;
	return run;
}

static struct sim_memory *final; /* as the last run left it */

static uint32_t word(uint64_t address)
{
	return sim_memory_read(final, address);
}

/* Run it; the machine's error is the result. */
static int run_program(struct run *run, const struct code *code, lane_fn *function,
		       uint64_t threads, uint32_t block)
{
	struct lane_program program;
	struct sim_workload workload = { .class = &class, .threads = threads };
	struct sim_shape shape = sim_machine_shape(&run->config);
	struct sim_run *sim;
	void *config = calloc(1, run->system->config_size + 1);
	int error;

	program_of(code, function, &program);
	if (run->system->init)
		run->system->init(config, &shape);
	workload.block_size = block;
	workload.program[SIM_LOCKS] = workload.program[SIM_TRANSACTIONS] = &program.program;
	workload.lock_base = 0x100000;
	workload.region[0] = run->region;
	workload.regions = run->region.length ? 1 : 0;
	error = sim_machine_new(NULL, &run->config, run->system, config, &workload, &run->options,
				&sim);
	if (!error && run->made)
		run->made(sim);
	if (!error)
		error = sim_run_execute(sim);
	if (!error) {
		sim_run_result(sim, &run->result);
		sim_memory_free(final);
		final = sim_memory_copy(sim->port.memory);
	}
	sim_run_free(sim);
	free(config);
	return error;
}

static uint64_t cycles_in(struct run *run, const struct code *code, uint64_t threads,
			  uint32_t block)
{
	ck_assert_int_eq(run_program(run, code, eval, threads, block), 0);
	return run->result.cycles;
}

static uint64_t cycles_of(struct run *run, const struct code *code, uint64_t threads)
{
	return cycles_in(run, code, threads, (uint32_t)threads);
}

static uint64_t same_word(uint32_t pc, uint32_t thread)
{
	return 0x1000;
}

static uint64_t own_line_one_partition(uint32_t pc, uint32_t thread)
{
	return 0x1800 * (uint64_t)thread; /* 6 x 1024: partition 0 of 6, 256 B apart in it */
}

static uint64_t own_line_all_partitions(uint32_t pc, uint32_t thread)
{
	return 256 * (uint64_t)thread;
}

static uint64_t own_word(uint32_t pc, uint32_t thread)
{
	return 0x1000 + 4 * (uint64_t)thread;
}

/* ---- time --------------------------------------------------------------------------------- */

KIT_WITH(test_timing_plain, struct run run, run_over(same_word))
{
	ck_assert_uint_eq(cycles_of(&run, &seven, 1), 7 * 8 + 1);
	run.config.plain_latency = 1;
	ck_assert_uint_eq(cycles_of(&run, &seven, 1), 7 + 1);
	/* Two warps share the issue slots: 7 and 7, then an exit each. */
	ck_assert_uint_eq(cycles_of(&run, &seven, 64), 7 + 7 + 1 + 1);
}

/* 1 flit + 5, 1 into the L2, 330, 5 + 2 flits: the reply is there after 344 cycles. */
#define HIT 344
/* A miss takes 200 more, and its 128 B line 6.07 cycles of the channel, rounded up. */
#define MISS (HIT + 200 + 7)

KIT_WITH(test_timing_load, struct run run, run_over(same_word))
{
	ck_assert_uint_eq(cycles_of(&run, &load, 1), MISS + 1);
	ck_assert_uint_eq(run.result.l2_misses, 1);
	ck_assert_uint_eq(cycles_of(&run, &two_loads, 1), MISS + HIT + 1);
	ck_assert_uint_eq(run.result.l2_misses, 1);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].bytes, 2 * 8);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD_REPLY].flits, 2 * 2);
	ck_assert_uint_eq(cycles_of(&run, &two_loads, 32), MISS + HIT + 1);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].packets, 2);
}

/* 32 lines of one partition leave the core one flit a cycle, but the L2 takes one in two
 * cycles and the channel one in 6.07; the replies' two flits fit between. */
KIT_WITH(test_timing_serialisation, struct run run, run_over(own_line_one_partition))
{
	uint64_t both;

	run.config.dram_mbps = 1000000; /* a line in a fifth of a cycle: not the limit */
	both = cycles_of(&run, &two_loads, 32);
	/* First pass: misses. The last access is taken 31 x 2 cycles after the first. */
	ck_assert_uint_eq(both, (MISS - 6 + 62) + (HIT + 62) + 1);
	address_of = own_line_all_partitions;
	both = cycles_of(&run, &two_loads, 32);
	/* Six partitions: the core's port is the limit, a request a cycle and a reply in two. */
	ck_assert_uint_lt(both, MISS + HIT + 2 * 70);
	ck_assert_uint_gt(both, MISS + HIT + 2 * 55);
}

KIT_WITH(test_timing_dram_bandwidth, struct run run, run_over(own_line_one_partition))
{
	/* 32 lines of 128 B at 29500 MB/s and 1400 MHz: 6.07 ticks each. */
	ck_assert_uint_eq(cycles_of(&run, &load, 32),
			  HIT + 200 + (32 * 1555 + 255) / 256 + 1);
	ck_assert_uint_eq(run.result.dram_bytes, 32 * 128);
}

KIT_WITH(test_timing_fence, struct run run, run_over(same_word))
{
	CODE(store, STORE, PLAIN(1), FENCE, PLAIN(1), EXIT);

	/* The store's two flits up and one flit back; then fence, plain and exit. */
	ck_assert_uint_eq(cycles_of(&run, &store, 1), MISS + 8 + 8 + 1);
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

KIT_WITH(test_times_of_threads, struct run run, run_over(same_word))
{
	CODE(tx, BEGIN, PLAIN(10), COMMIT, EXIT);
	CODE(barrier, { .op = SIM_BARRIER }, EXIT);
	CODE(lock, CAS, PLAIN(1), { .op = SIM_ENTER }, PLAIN(2), EXIT);
	CODE(atomic, CAS, PLAIN(1), EXIT);
	uint64_t cycles;

	/* Two warps issue one after the other; the first waits for the second. */
	cycles_of(&run, &barrier, 64);
	did(&run, 0, 0, 0, 0, 32, 32 + 32 * 8 + 32 * 9);
	cycles = cycles_of(&run, &atomic, 1);
	did(&run, 0, 0, 0, cycles - 9, 0, 8);
	ck_assert_uint_eq(cycles_of(&run, &lock, 1), cycles + 16);
	did(&run, 0, 0, 0, cycles - 1, 0, 16);
	run.system = &sim_ideal;
	ck_assert_uint_eq(cycles_of(&run, &tx, 32), 8 + 10 * 8 + 1 + 1);
	did(&run, 0, 32, 32 * 88, 0, 0, 0);
	ck_assert_uint_eq(run.result.instructions + run.result.longer, 4 + 9);
	ck_assert_uint_eq(run.result.empty, 90); /* of the second core */
	/* One warp after the other; both wait for an issue slot once. */
	run.options.concurrency = 1;
	cycles_of(&run, &tx, 64);
	ck_assert_uint_eq(run.result.tx_wait_cycles, 88);
	did(&run, 32 * 88, 64, 64 * 88, 0, 0, 64);
}

KIT_WITH(test_timing_reference_clocks, struct run run, run_over(same_word))
{
	uint64_t ticks;

	gputm_params_init(sim_machine_named("reference"), &run.config, sizeof(run.config));
	address_of = same_word;
	/* In ticks of 1400 MHz; each load starts on a whole cycle of 700 MHz. */
	run.config.dram_banks = 0;
	ticks = (1 + 5 + 1 + 240 + 5 + 2) * 2 + 200 + 7;
	ck_assert_uint_eq(cycles_of(&run, &two_loads, 1), (ticks + 1 + 1) / 2 + 1);
}

/* The row of an idle bank is opened, 24 DRAM cycles, before the line is on the channel. */
#define OPEN (2 * 4654)
/* The last of so many 256ths of a tick of DRAM is a load's. */
#define DRAM(ticks256) (HIT + 200 + ((ticks256) + 255) / 256)

static uint64_t other_rows(uint32_t pc, uint32_t thread)
{
	return 0x60000 * (uint64_t)thread; /* bank 0 of partition 0 */
}

/* Rows 0, 1, 0 of bank 0. */
static uint64_t row_and_back(uint32_t pc, uint32_t thread)
{
	return thread == 2 ? 0x1800 : 0x60000 * (uint64_t)thread;
}

KIT_WITH(test_timing_dram_rows, struct run run, run_over(same_word))
{
	run.config.dram_banks = 16;
	ck_assert_uint_eq(cycles_of(&run, &load, 1), DRAM(OPEN + 1555) + 1);
	/* Two rows of two banks: the second is opened while the first one is read. */
	address_of = own_line_one_partition;
	ck_assert_uint_eq(cycles_of(&run, &load, 32), DRAM(OPEN + 32 * 1555) + 1);
	ck_assert_uint_eq(run.result.dram_bytes, 32 * 128);
	/* Rows of one bank, RC apart. */
	address_of = other_rows;
	ck_assert_uint_eq(cycles_of(&run, &load, 4),
			  DRAM(3 * 15515 + OPEN + 1555) + 1);
	/* The open row is read to its end first. */
	address_of = row_and_back;
	ck_assert_uint_eq(cycles_of(&run, &load, 3), DRAM(15515 + OPEN + 1555) + 1);
	/* In order of arrival it is opened twice. */
	run.config.dram_queue = 1;
	ck_assert_uint_gt(cycles_of(&run, &load, 3), DRAM(2 * 15515 + OPEN));
}

/* A write that misses is answered by its own burst of DRAM, and so is each further one to the line
 * until the line is there. Of this channel a line occupies 60.7 cycles, a burst 15.2. */
#define WRITTEN (15550 / 4)

static uint64_t words_of_line(uint32_t pc, uint32_t thread)
{
	return 0x1000 + 4 * (uint64_t)pc;
}

CODE(store_once, STORE, FENCE, EXIT);
CODE(store_twice, STORE, STORE, FENCE, EXIT);
CODE(store_and_load, STORE, LOAD, EXIT);

KIT_WITH(test_timing_l2_write_miss, struct run run, run_over(words_of_line))
{
	CODE(after_fill, STORE, FENCE, PLAIN(50), STORE, FENCE, EXIT);
	CODE(atomic, CAS, STORE, FENCE, EXIT);

	run.config.dram_mbps = 2950;
	ck_assert_uint_eq(cycles_of(&run, &store_once, 1), DRAM(15550) + 9);
	/* The two replies leave one after the other. */
	ck_assert_uint_eq(cycles_of(&run, &store_twice, 1), DRAM(15550) + 1 + 9);
	run.config.l2_write_miss = 32;
	ck_assert_uint_eq(cycles_of(&run, &store_once, 1), DRAM(WRITTEN) + 9);
	ck_assert_uint_eq(run.result.dram_bytes, 32 + 128);
	ck_assert_uint_eq(cycles_of(&run, &store_twice, 1), DRAM(WRITTEN + 15550 + WRITTEN) + 9);
	ck_assert_uint_eq(run.result.dram_bytes, 32 + 128 + 32);
	/* A load waits for the line, and comes after the write. */
	ck_assert_uint_eq(cycles_of(&run, &store_and_load, 1), DRAM(WRITTEN + 15550) + 2);
	/* A write that finds the line is a hit. */
	ck_assert_uint_eq(cycles_of(&run, &after_fill, 1),
			  DRAM(WRITTEN) + 51 * 8 + HIT + 9);
	ck_assert_uint_eq(run.result.dram_bytes, 32 + 128);
	/* An atomic waits for its word, whose reply is a flit. */
	ck_assert_uint_eq(cycles_of(&run, &atomic, 1), DRAM(15550) - 1 + HIT + 9);
	ck_assert_uint_eq(run.result.dram_bytes, 128);
}

/* The same with banks: the row is opened once. */
KIT_WITH(test_timing_l2_write_miss_banks, struct run run, run_over(words_of_line))
{
	run.config.dram_mbps = 2950;
	run.config.dram_banks = 16;
	run.config.l2_write_miss = 32;
	ck_assert_uint_eq(cycles_of(&run, &store_once, 1), DRAM(OPEN + WRITTEN) + 9);
	ck_assert_uint_eq(cycles_of(&run, &store_twice, 1),
			  DRAM(OPEN + WRITTEN + 15550 + WRITTEN) + 9);
	ck_assert_uint_eq(cycles_of(&run, &store_and_load, 1),
			  DRAM(OPEN + WRITTEN + 15550) + 2);
	/* The channel turns from the write to the line; requests of a row keep their order. */
	run.config.dram_turn = 17;
	ck_assert_uint_eq(cycles_of(&run, &store_twice, 1),
			  DRAM(OPEN + WRITTEN + 17 * 388 + 15550 + WRITTEN) + 9);
}

static uint64_t banks_apart(uint32_t pc, uint32_t thread)
{
	return (pc ? 0x18000 : 0x6000) * (uint64_t)thread; /* banks 0 and 1, and 0 and 4 */
}

KIT_WITH(test_timing_dram_groups, struct run run, run_over(banks_apart))
{
	CODE(other_group, PLAIN(1), LOAD, EXIT);

	run.config.dram_mbps = 2950;
	run.config.dram_banks = 16;
	run.config.dram_groups = 4;
	ck_assert_uint_eq(cycles_of(&run, &load, 2), DRAM(OPEN + 15550 + 388 + 15550) + 1);
	ck_assert_uint_eq(cycles_of(&run, &other_group, 2), DRAM(OPEN + 2 * 15550) + 8 + 1);
}

/* A line of which all is read has the port for two cycles of the L2. */
KIT_WITH(test_timing_l2_port, struct run run, run_over(own_word))
{
	uint64_t apart;

	run.config.dram_mbps = 1000000;
	run.config.flit_bytes = 128;
	apart = cycles_of(&run, &load, 64);
	run.config.l2_port = 64;
	ck_assert_uint_eq(cycles_of(&run, &load, 64), apart + 2);
	run.config.l2_port = 32;
	ck_assert_uint_eq(cycles_of(&run, &load, 64), apart + 6);
	run.config.l2_port = 128;
	ck_assert_uint_eq(cycles_of(&run, &load, 64), apart);
}

KIT_WITH(test_timing_issue, struct run run, run_over(same_word))
{
	/* The second warp issues behind the first one, each time; 7 take 56 cycles. */
	ck_assert_uint_eq(cycles_of(&run, &seven, 64), 1 + 56 + 1);
	run.config.simd_width = 8;
	ck_assert_uint_eq(cycles_of(&run, &seven, 64), 4 + 56 + 1);
	run.config.issue_slots = 2;
	ck_assert_uint_eq(cycles_of(&run, &seven, 64), 56 + 1);
}

/* Of 16 warps that all do the same, those that are the first and the last to write. */
static void first_and_last(uint32_t scheduler, uint32_t first, uint32_t last)
{
	CODE(cas, PLAIN(1), CAS, EXIT);
	CODE(store, PLAIN(1), STORE, EXIT);
	struct run run = run_over(same_word);

	run.config.cores = 1;
	run.config.warps = 16;
	run.config.plain_latency = 1;
	run.config.scheduler = scheduler;
	ck_assert_int_eq(run_program(&run, &cas, eval, 512, 512), 0);
	ck_assert_uint_eq((word(0x1000) - 1) / 32, first);
	ck_assert_int_eq(run_program(&run, &store, eval, 512, 512), 0);
	ck_assert_uint_eq((word(0x1000) - 1) / 32, last);
}

KIT_TEST(test_schedulers)
{
	first_and_last(SIM_LRR, 1, 0);	      /* in turn, after warp 0 */
	first_and_last(SIM_GTO, 0, 15);	      /* each one to its end */
	first_and_last(SIM_TWO_LEVEL, 1, 15); /* the first 8 in turn, then the others */
}

KIT_WITH(test_timing_concentration, struct run run, run_over(own_line_all_partitions))
{
	uint64_t own, shared;

	run.config.dram_mbps = 1000000;
	own = cycles_in(&run, &load, 64, 32);
	run.config.concentration = 2;
	shared = cycles_in(&run, &load, 64, 32);
	/* 64 more flits of the other core's replies through the one port. */
	ck_assert_uint_gt(shared, own + 60);
	ck_assert_uint_lt(shared, own + 70);
}

/* ---- what programs compute --------------------------------------------------------------- */

KIT_WITH(test_cas_is_atomic, struct run run, run_over(same_word))
{
	CODE(code, LOAD, CAS, BRANCH(1, 3), EXIT);

	run.config.cores = 3;
	ck_assert_int_eq(run_program(&run, &code, eval_count, 300, 50), 0);
	ck_assert_uint_eq(word(0x1000), 300);
}

KIT_WITH(test_blocks_refill, struct run run, run_over(own_word))
{
	CODE(code, STORE, PLAIN(100), EXIT);

	run.config.plain_latency = 1000;
	run.config.cores = 15;
	ck_assert_int_eq(run_program(&run, &code, eval, 15 * 8 * 10, 10), 0);
	ck_assert_uint_lt(run.result.cycles, 2 * 100 * 1000);
	for (uint32_t i = 0; i < 15 * 8 * 10; i++)
		ck_assert_uint_eq(word(0x1000 + 4 * i), i + 1);
	/* One block more, on a core that is full: it waits for another to leave. */
	ck_assert_int_eq(run_program(&run, &code, eval, 15 * 8 * 10 + 1, 10), 0);
	ck_assert_uint_gt(run.result.cycles, 2 * 100 * 1000);
}

KIT_WITH(test_l2_replaces_the_oldest, struct run run, run_over(own_line_all_partitions))
{
	run.config.partitions = 1;
	run.config.l2_bytes = 8 * 128;
	cycles_of(&run, &two_loads, 8);
	ck_assert_uint_eq(run.result.l2_misses, 8);
	cycles_of(&run, &two_loads, 9);
	ck_assert_uint_eq(run.result.l2_misses, 18);
}

/* ---- transactions ------------------------------------------------------------------------ */

/* Every thread adds 1 to one word. */
static void eval_add(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	step->address = 0x1000;
	step->value = lane->loaded + 1;
}

/* ---- the L1 ------------------------------------------------------------------------------- */

KIT_WITH(test_l1_of_plain_loads, struct run run, run_over(same_word))
{
	CODE(written, LOAD, STORE, LOAD, EXIT);
	CODE(once, LOAD, EXIT);
	CODE(within, LOAD, BEGIN, LOAD, COMMIT, EXIT);

	run.config.l1_bytes = 48 * 1024;
	/* All four sectors come. The second load takes a pipeline's latency and that of a hit. */
	ck_assert_uint_eq(cycles_of(&run, &two_loads, 32), MISS + 3 + 8 + 8 + 1);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].packets, 1);
	/* A second warp waits for the request of the first one. */
	ck_assert_uint_eq(cycles_of(&run, &once, 64), MISS + 3 + 1 + 1);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].packets, 1);
	/* The core's own store takes the line away. */
	cycles_of(&run, &written, 32);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].packets, 2);
	run.system = &sim_ideal;
	cycles_of(&run, &within, 1);
	ck_assert_uint_eq(run.result.traffic[SIM_TRAFFIC_LOAD].packets, 2);
}

static uint64_t word_of_pc(uint32_t pc, uint32_t thread)
{
	return 0x1000 + 4 * (uint64_t)pc;
}

/* Of 40 rows of the write log 8 are not in the L1, at each walk. @return the cycles of that. */
static uint64_t spill(const struct sim_system_class *system)
{
	struct sim_instr instr[43] = { { .op = SIM_TX_BEGIN } };
	const struct code code = { instr, sizeof(instr) };
	struct run run = run_over(word_of_pc);
	uint64_t held;

	for (uint32_t i = 1; i <= 40; i++)
		instr[i].op = SIM_STORE;
	instr[41].op = SIM_TX_COMMIT;
	instr[42].op = SIM_EXIT;
	run.system = system;
	run.config.spill_latency = 100; /* the writes at memory are through before the walk */
	held = cycles_of(&run, &code, 1);
	run.config.spill_latency = 200;
	return cycles_of(&run, &code, 1) - held;
}

KIT_TEST(test_rows_beyond_the_l1)
{
	ck_assert_uint_ge(spill(&sim_getm), 798);
	ck_assert_uint_le(spill(&sim_getm), 802);
	/* Kilo TM walks them again for words that found a full buffer. */
	ck_assert_uint_ge(spill(&sim_kilo_tm), 2 * 800);
}

/* ---- systems ------------------------------------------------------------------------------ */

static const struct sim_system_class *const systems[] = { &sim_serial, &sim_coarse_lock,
							&sim_ideal, &sim_kilo_tm,
							&sim_si_tm, &sim_si_tm_oracle,
							&sim_getm };

KIT_TESTS(test_transactions_add_up, 7)
{
	struct run run = run_over(same_word);

	run.system = systems[_i];
	run.options.concurrency = 2;
	ck_assert_int_eq(run_program(&run, &adds, eval_add, 200, 70), 0);
	ck_assert_uint_eq(word(0x1000), 200);
	ck_assert_uint_eq(run.result.committed, 200);
}

KIT_TESTS(test_swapped_units_change_nothing, 7)
{
	unsigned threads = kit_scale(100, 20);
	struct run plain = run_over(NULL), swapped;

	plain.system = systems[_i];
	plain.options.concurrency = 1;
	swapped = plain;
	swapped.config.swap_units_every = 777;
	ck_assert_int_eq(run_program(&plain, &adds, eval_add, threads, 40), 0);
	ck_assert_int_eq(run_program(&swapped, &adds, eval_add, threads, 40), 0);
	ck_assert_mem_eq(&plain.result, &swapped.result, sizeof plain.result);
}

/* A hash of the snapshots and names of all units; how many there are. */
static uint64_t units_hash;
static size_t units;

static void hash_units(const struct sim_run *sim)
{
	struct sim_unit_info info;

	units_hash = UINT64_C(0xcbf29ce484222325);
	for (units = 0; sim_unit_get(&sim->port, units, &info); units++) {
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

static void hash_and_count(const struct sim_run *sim)
{
	hash_units(sim);
	taken_units = taken(&kept);
}

/* Units of the run before are as those that are made anew, before the run and after it. */
KIT_TESTS(test_kept_units_are_as_new, 7)
{
	struct run anew = run_over(NULL), again;
	uint64_t hash;

	anew.system = systems[_i];
	anew.options.concurrency = 2;
	anew.made = hash_and_count;
	again = anew;
	again.options.kept = &kept;
	ck_assert_int_eq(run_program(&again, &adds, eval_add, 333, 40), 0);
	ck_assert_uint_eq(taken_units, 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(run_program(&anew, &adds, eval_add, 200, 70), 0);
		hash = units_hash;
		ck_assert_int_eq(run_program(&again, &adds, eval_add, 200, 70), 0);
		ck_assert_uint_eq(units_hash, hash);
		ck_assert_uint_gt(taken_units, 0);
		ck_assert_mem_eq(&anew.result, &again.result, sizeof anew.result);
	}
	/* Of another limit, throttles are made anew; with fewer warps, other units too. */
	again.options.concurrency = anew.options.concurrency = 1;
	again.config.warps = anew.config.warps = 4;
	ck_assert_int_eq(run_program(&anew, &adds, eval_add, 200, 70), 0);
	ck_assert_int_eq(run_program(&again, &adds, eval_add, 200, 70), 0);
	ck_assert_uint_lt(taken_units, units);
	ck_assert_mem_eq(&anew.result, &again.result, sizeof anew.result);
	sim_units_forget(&kept);
}

/*
 * Word t is stored plainly, copied to word 1000 + t in a transaction, and read from there plainly
 * into word 40000 + t, which is in no region. Between the transactions others make versions.
 */
static void eval_pass_on(uint32_t pc, struct lane *lane, struct lane_step *step)
{
	static const uint32_t first[] = { 0, 0, 0, 0, 1000, 0, 1000, 40000, 0, 0 };

	step->address = 0x1000 + 4 * ((uint64_t)first[pc] + lane->thread);
	step->value = pc == 0 ? lane->thread + 7 : lane->loaded;
}

CODE(pass_on, STORE, FENCE, BEGIN, LOAD, STORE, COMMIT, LOAD, STORE, FENCE, EXIT);

KIT_TESTS(test_plain_accesses_see_the_newest_version, 7)
{
	struct run run = run_over(same_word);

	run.system = systems[_i];
	ck_assert_int_eq(run_program(&run, &pass_on, eval_pass_on, 900, 40), 0);
	for (uint32_t i = 0; i < 900; i++) {
		ck_assert_uint_eq(word(0x1000 + 4 * i), i + 7);
		ck_assert_uint_eq(word(0x1000 + 4 * (1000 + i)), i + 7);
		ck_assert_uint_eq(word(0x1000 + 4 * (40000 + i)), i + 7);
	}
	ck_assert_uint_eq(run.result.committed, 900);
}

/* ---- refusals ------------------------------------------------------------------------------- */

KIT_WITH(test_impossible_machines_are_refused, struct run run, run_over(same_word))
{
	run.config.crossbar_mhz = 1000;
	ck_assert_int_eq(run_program(&run, &exits, eval, 1, 1), -EINVAL);
	run = run_over(NULL);
	ck_assert_int_eq(run_program(&run, &exits, eval, 1, 8 * 32 + 1), -EINVAL);
	run = run_over(NULL);
	run.config.l2_bytes = 1024;
	run.config.l2_ways = 9;
	ck_assert_int_eq(run_program(&run, &exits, eval, 1, 1), -EINVAL);
}

/* Systems with versions need a region, and what transactions access must lie in it. */
KIT_TESTS(test_transactions_stay_in_their_regions, 2)
{
	struct run run = run_over(same_word);

	run.system = systems[(4 + _i)];
	run.region.length = 0;
	ck_assert_int_eq(run_program(&run, &adds, eval_add, 1, 1), -EINVAL);
	run.region = (struct sim_region){ 0x1004, 0x100 };
	ck_assert_int_eq(run_program(&run, &adds, eval_add, 1, 1), -EINVAL);
	run.region = (struct sim_region){ 0x1000, 4 };
	ck_assert_int_eq(run_program(&run, &adds, eval_add, 1, 1), 0);
	ck_assert_uint_eq(word(0x1000), 1);
}

KIT_WITH(test_endless_programs_are_stopped, struct run run, run_over(same_word))
{
	CODE(code, LOAD, BRANCH(0, 2), EXIT);
	static const volatile sig_atomic_t stop = 1;

	run.options.most_cycles = 100000;
	ck_assert_int_eq(run_program(&run, &code, eval_spin, 1, 1), -ETIME);
	run.options = (struct sim_run_options){ .stop = &stop };
	ck_assert_int_eq(run_program(&run, &code, eval_spin, 1, 1), -EINTR);
}

/* ---- parts ------------------------------------------------------------------------------- */

KIT_TEST(test_wheel_calls_in_order)
{
	struct sim_wheel *wheel = calloc(1, sizeof *wheel);
	struct sim_turn core = sim_turn_of(SIM_CORE, 67);
	struct sim_turn partition = sim_turn_of(SIM_PARTITION, 63);
	uint64_t state = 5, last = 0, *calls;

	for (unsigned round = 0; round < kit_scale(20000, 500); round++) {
		uint64_t far = kit_below(&state, 2 * SIM_WHEEL_TICKS) + 1;
		uint64_t due = far < SIM_WHEEL_TICKS ? far : SIM_WHEEL_TICKS - 1;

		sim_wheel_wake(wheel, &core, wheel->now + far);
		sim_wheel_wake(wheel, &partition, wheel->now + due);
		ck_assert(sim_wheel_next(wheel));
		ck_assert_uint_eq(wheel->now, last + due);
		calls = sim_wheel_calls(wheel);
		ck_assert_uint_eq(sim_wheel_take(calls, SIM_CORE, 64), 8);
		ck_assert_uint_eq(sim_wheel_take(calls, SIM_PARTITION, 0), UINT64_C(1) << 63);
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
