/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine: a small GPU on which transactional memory systems are compared.
 *
 * Time. The tick is one cycle of the fastest clock; the others are whole multiples of
 * it. Reported cycles are core cycles. Every part keeps queues of what is due and is
 * called only in ticks in which something is (wheel.h). Within a tick: memory and
 * partitions, crossbar, cores, each by index. Same input, same run.
 *
 * Cores. In each issue slot one warp instruction issues per core cycle, or as many cycles as
 * simd_width lanes at a time take; the scheduler picks it from the slot's ready warps.
 * plain_latency cycles later its warp may issue again; `count` plain
 * instructions take count issues in a row and count latencies. A load or CAS makes
 * the warp wait for all its replies, stores do not, a fence waits for them. Loads and
 * stores of a warp are merged by access_coalescer to one access per line.
 *
 *	core --1 flit--> source port -> 5 cycles -> sink port -> L2 330 [-> DRAM 200] --+
 *	 ^                                                                              |
 *	 +------------ sink port <- 5 cycles <- source port <---8 B + 32 B per sector---+
 *
 *	a load that hits:  1 flit + 5 + 1 + 330 + 5 + 2 flits = 344 cycles
 *
 * Blocks. Block i is on core (i + 1) mod cores, at most `blocks` resident per core, the
 * next one enters when one has left.
 *
 * Memory. One address space of words, partition = (address / interleave) mod
 * partitions. Contents change when the L2 takes an access (partition.c).
 *
 * Transactions. The machine admits warps (tx_throttle), keeps the registers, drives the
 * SIMT stack and counts; all else is done by the system through its port. The warps of a
 * block may be compacted (compaction.c).
 *
 * Differences from GPGPU-Sim, which the papers use. There, instructions come from
 * compiled code and pass fetch, scoreboard and operand collector; here a workload says how
 * many plain instructions it has and each costs one slot and a fixed latency. The papers'
 * L1 holds only transactional and local data: logs cost their cycles on the core, more where
 * they are longer than its share (spill_latency; that their lines are written back costs
 * nothing), and loads go to the L2, unless l1_bytes gives others than transactional ones
 * an L1 (cache.c). Crossbar buffers and L2 queues have no
 * bound, so a full queue never stalls a sender. DRAM is a latency and a channel in order of
 * arrival, or with banks (dram.c), which lose no time between reads and writes. An atomic
 * is done as the L2 takes it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "wiring.h"

/* ---- life ---------------------------------------------------------------------------- */

static uint32_t log2_of(uint32_t value)
{
	return 31 - (uint32_t)__builtin_clz(value);
}

/* Least number of parts of a size that hold so many; at least 1. */
static uint32_t parts(uint32_t number, uint32_t size)
{
	return number > size ? (number - 1) / size + 1 : 1;
}

/* 256ths of a tick that so many DRAM cycles take. */
static uint32_t dram_ticks256(const struct sim_machine_config *config, uint32_t fastest,
			      uint32_t cycles)
{
	return (uint32_t)((uint64_t)cycles * fastest * 256 / config->dram_mhz);
}

static int derive_clocks(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;
	uint32_t fastest = config->core_mhz;

	if (config->crossbar_mhz > fastest)
		fastest = config->crossbar_mhz;
	if (config->unit_mhz > fastest)
		fastest = config->unit_mhz;
	if (fastest % config->core_mhz || fastest % config->crossbar_mhz ||
	    fastest % config->unit_mhz)
		return sim_fail(&machine->port, -EINVAL,
				"machine: the fastest of core_mhz, crossbar_mhz and unit_mhz must "
				"be a multiple of the others");
	machine->tick_mhz = fastest;
	machine->port.core_ticks = fastest / config->core_mhz;
	machine->crossbar_ticks = fastest / config->crossbar_mhz;
	machine->port.unit_ticks = fastest / config->unit_mhz;
	machine->issue_cycles = parts(config->lanes, config->simd_width);
	machine->issue_ticks = machine->port.core_ticks * machine->issue_cycles;
	machine->dram.rc = dram_ticks256(config, fastest, config->dram_rc);
	machine->dram.rrd = dram_ticks256(config, fastest, config->dram_rrd);
	machine->dram.rcd = dram_ticks256(config, fastest, config->dram_rcd);
	machine->dram.rp = dram_ticks256(config, fastest, config->dram_rp);
	machine->dram.cl = dram_ticks256(config, fastest, config->dram_cl);
	machine->line_ticks256 = (uint32_t)((uint64_t)config->line_bytes * fastest * 256 /
					    config->dram_mbps);
	return 0;
}

/* A core too small for a block of the workload: too few warps, or lanes if they were set alone. */
static int refuse_block(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;
	uint32_t block = machine->port.workload->block_size, lanes = parts(block, config->warps);
	struct sim_machine_config standard;
	char message[200];
	bool name_lanes;

	gputm_params_init(&sim_machine_params, &standard, sizeof standard);
	name_lanes = config->lanes != standard.lanes && lanes <= SIM_MAX_LANES;
	snprintf(message, sizeof message, "machine: %s = %u is outside %u .. %u, as a block of the "
		 "workload has %u threads, for warps = %u x lanes = %u",
		 name_lanes ? "lanes" : "warps", name_lanes ? config->lanes : config->warps,
		 name_lanes ? lanes : parts(block, config->lanes),
		 name_lanes ? SIM_MAX_LANES : SIM_MAX_WARPS, block, config->warps, config->lanes);
	return sim_fail(&machine->port, -EINVAL, message);
}

static int derive_shape(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;
	char message[160];

	if (config->l2_bytes / config->line_bytes < config->l2_ways)
		return sim_fail(&machine->port, -EINVAL,
				"machine: l2_bytes is less than l2_ways lines");
	machine->sets = 1u << log2_of(config->l2_bytes / config->line_bytes / config->l2_ways);
	machine->port.interleave_shift = log2_of(config->interleave);
	machine->line_shift = log2_of(config->line_bytes);
	if (config->l1_bytes && config->l1_bytes / config->line_bytes < config->l1_ways) {
		snprintf(message, sizeof message, "machine: l1_bytes = %u is outside %u .. %u, for "
			 "l1_ways = %u lines of line_bytes = %u", config->l1_bytes,
			 config->l1_ways * config->line_bytes, 1u << 20, config->l1_ways,
			 config->line_bytes);
		return sim_fail(&machine->port, -EINVAL, message);
	}
	machine->row_shift = log2_of(config->dram_row_bytes) - machine->line_shift;
	machine->slot_warps = ~UINT64_C(0) / ((1u << config->issue_slots) - 1);
	for (uint32_t i = 0; i < config->cores; i++)
		machine->port_of[i] = (uint8_t)(i / config->concentration);
	return 0;
}

static int derive_blocks(struct sim_machine *machine)
{
	uint32_t block = machine->port.workload->block_size;

	if (!block || parts(block, machine->config.lanes) > machine->config.warps)
		return refuse_block(machine);
	machine->launch = (struct sim_launch){ machine->program, machine->port.workload->threads,
					       block };
	return 0;
}

/* A warp that comes takes the first free one: of one launch a core has no more than its share. */
static void derive_idle(struct sim_machine *machine)
{
	const struct sim_launch *launch = &machine->launch;
	uint64_t blocks = (launch->threads + launch->block_size - 1) / launch->block_size;
	uint64_t cores = machine->config.cores, share = (blocks + cores - 1) / cores;

	share *= parts(launch->block_size, machine->config.lanes);
	if (!machine->options.apart && !machine->options.compact && !machine->program->part &&
	    share < machine->config.warps)
		machine->port.idle_from = (uint32_t)share;
}

/* All between the cores and DRAM. */
static int build_memory(struct sim_machine *machine)
{
	return sim_crossbars_make(machine) || sim_partitions_make(machine) ? -ENOMEM : 0;
}

static void derive_units(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;

	machine->stack_config = (struct gputm_simt_stack_config)GPUTM_SIMT_STACK_CONFIG_INIT;
	machine->stack_config.lanes = config->lanes;
	machine->stack_config.likely_convergence = machine->options.likely;
	machine->coalescer_config =
		(struct gputm_access_coalescer_config)GPUTM_ACCESS_COALESCER_CONFIG_INIT;
	machine->coalescer_config.region_bytes = config->line_bytes;
	machine->coalescer_config.lanes = config->lanes;
	machine->coalescer_config.words = config->lanes;
	machine->coalescer_config.address_bits = SIM_ADDRESS_BITS;
	machine->throttle_config = (struct gputm_tx_throttle_config)GPUTM_TX_THROTTLE_CONFIG_INIT;
	if (machine->options.throttle)
		machine->throttle_config = *machine->options.throttle;
	machine->throttle_config.warps = config->warps;
	machine->throttle_config.limit = machine->options.concurrency;
}

static int build_own(struct sim_machine *machine)
{
	machine->port.core_ticks = 1;
	machine->threads_left = machine->port.workload->threads;
	machine->port.memory = sim_memory_new();
	if (!machine->port.memory)
		return -ENOMEM;
	machine->port.workload->class->setup(machine->port.workload, machine->port.memory);
	return machine->port.memory->exhausted ? -ENOMEM : machine->system->own->make(machine);
}

static int build(struct sim_machine *machine)
{
	const struct sim_workload *workload = machine->port.workload;
	enum sim_flavour flavour = machine->system->flavour;
	int error = 0;

	machine->program = machine->port.program = workload->program[flavour];
	if (!machine->program)
		return sim_fail(&machine->port, -EINVAL, workload->missing[flavour]);
	if (machine->system->own)
		return build_own(machine);
	error = derive_clocks(machine);
	if (!error)
		error = derive_shape(machine);
	if (!error)
		error = derive_blocks(machine);
	if (error)
		return error;
	derive_idle(machine);
	derive_units(machine);
	machine->port.memory = sim_memory_new();
	if (machine->port.ops->versions && machine->options.observer)
		machine->port.version = sim_memory_new();
	if (!machine->port.memory ||
	    (machine->port.ops->versions && machine->options.observer && !machine->port.version))
		return -ENOMEM;
	workload->class->setup(workload, machine->port.memory);
	if (machine->port.memory->exhausted || build_memory(machine))
		return -ENOMEM;
	error = sim_cores_make(machine);
	if (!error && machine->port.ops->make)
		error = machine->port.ops->make(&machine->port);
	if (!error && machine->port.strong && machine->compaction)
		error = sim_fail(&machine->port, -EINVAL,
				 "system.isolation: got \"strong\", expected weak, as plain "
				 "accesses of a thread come from more than one compacted warp");
	return error;
}

static const struct sim_host gpu = {
	.to_partition = sim_send_up,
	.to_core = sim_send_down,
	.access = sim_send_accesses,
	.lines = sim_find_lines,
	.serve = sim_l2_access,
	.storing = sim_l2_awaits,
	.unit_access = sim_l2_unit_access,
	.wake = sim_warp_until,
	.wait = sim_warp_wait,
	.call_partition = sim_partition_at,
	.call_core = sim_core_at,
	.outcome = sim_warp_outcome,
	.abandon = sim_compaction_abandon,
	.left = sim_warp_left,
};

static const struct sim_core_ops tm_cores = { .call = sim_core_call, .accept = sim_core_accept };

static int end_make(struct sim_machine *machine, int error)
{
	if (error && !machine->port.error[0])
		snprintf(machine->port.error, sizeof machine->port.error, "%s",
			 error == -ENOMEM ? "out of memory" : "a unit refused its config");
	return error;
}

int sim_machine_bare(struct gputm_ctx *ctx, const struct sim_machine_config *config,
		     const struct sim_core_ops *cores, void *state, struct sim_machine **out)
{
	static const struct sim_system_ops nothing;
	static const struct sim_system_class none = { .name = "none", .ops = &nothing };
	struct sim_machine *machine = calloc(1, sizeof *machine);
	int error;

	*out = machine;
	if (!machine)
		return -ENOMEM;
	machine->port.ctx = ctx;
	machine->port.shape = sim_machine_shape(config);
	machine->port.ops = &nothing;
	machine->port.state = state;
	machine->config = *config;
	machine->system = &none;
	machine->cores = cores;
	error = derive_clocks(machine);
	if (!error)
		error = derive_shape(machine);
	return end_make(machine, error ? error : build_memory(machine));
}

int sim_machine_new(struct gputm_ctx *ctx, const struct sim_machine_config *config,
		    const struct sim_system_class *system, const void *system_config,
		    const struct sim_workload *workload, const struct sim_run_options *options,
		    struct sim_machine **out)
{
	struct sim_machine *machine = calloc(1, sizeof *machine);

	*out = machine;
	if (!machine)
		return -ENOMEM;
	machine->port.ctx = ctx;
	if (!system->own) {
		machine->config = *config;
		machine->port.shape = sim_machine_shape(config);
	}
	machine->system = system;
	machine->cores = &tm_cores;
	machine->port.host = &gpu;
	machine->port.ops = system->ops;
	machine->port.system_config = system_config;
	machine->port.workload = workload;
	machine->options = *options;
	machine->port.observer = options->observer;
	machine->port.kept = options->kept;
	machine->port.seed = options->seed;
	machine->words.block = sizeof(struct sim_words);
	return end_make(machine, build(machine));
}

void sim_machine_free(struct sim_machine *machine)
{
	if (!machine)
		return;
	sim_units_free(&machine->port);
	if (machine->system->own)
		machine->system->own->free(machine);
	else if (machine->port.ops->free)
		machine->port.ops->free(&machine->port);
	sim_cores_free(machine);
	sim_partitions_free(machine);
	sim_crossbars_free(machine);
	sim_memory_free(machine->port.memory);
	sim_memory_free(machine->port.version);
	if (machine->between)
		machine->port.workload->class->end_host(machine->between);
	free(machine->words.memory);
	free(machine);
}

/* ---- running --------------------------------------------------------------------------- */

static void tick(struct sim_machine *machine)
{
	struct sim_wheel *wheel = &machine->wheel;
	void (*call)(struct sim_machine *machine, uint32_t index) = machine->cores->call;

	for (SIM_EACH_LANE(i, sim_wheel_take(wheel, SIM_PARTITION)))
		sim_partition_call(machine, (uint32_t)i);
	for (SIM_EACH_LANE(i, sim_wheel_take(wheel, SIM_PORT_FROM_CORE)))
		sim_crossbar_source(machine, &machine->up, (uint32_t)i);
	for (SIM_EACH_LANE(i, sim_wheel_take(wheel, SIM_PORT_TO_PARTITION)))
		sim_crossbar_sink(machine, &machine->up, (uint32_t)i, sim_partition_accept);
	for (SIM_EACH_LANE(i, sim_wheel_take(wheel, SIM_PORT_FROM_PARTITION)))
		sim_crossbar_source(machine, &machine->down, (uint32_t)i);
	for (SIM_EACH_LANE(i, sim_wheel_take(wheel, SIM_PORT_TO_CORE)))
		sim_crossbar_sink(machine, &machine->down, (uint32_t)i, machine->cores->accept);
	for (SIM_EACH_LANE(i, sim_wheel_take(wheel, SIM_CORE)))
		call(machine, (uint32_t)i);
	sim_wheel_done(wheel);
}

bool sim_machine_step(struct sim_machine *machine)
{
	tick(machine);
	if (!sim_wheel_next(&machine->wheel))
		return false;
	machine->port.now = machine->wheel.now;
	return true;
}

/* @return the tick of the next one. */
static uint64_t swap(struct sim_machine *machine)
{
	uint64_t every = (uint64_t)machine->config.swap_units_every * machine->port.core_ticks;
	int error = every ? sim_units_swap(&machine->port) : 0;

	if (error)
		sim_fail(&machine->port, error, "a unit did not take over its own snapshot");
	return every ? machine->port.now + every : SIM_NEVER;
}

/* ---- the state of a run ---- */

/* Which program runs, and where the one is that launches it. */
static void io_launch(struct sim_machine *machine, struct sim_io *io)
{
	const struct sim_workload *w = machine->port.workload;

	if (!machine->program->part || machine->system->own)
		return;
	w->class->io_host(w, machine->system->flavour, &machine->between, io, &machine->launch);
	machine->program = machine->port.program = machine->launch.program;
}

void sim_machine_bare_io(struct sim_machine *machine, struct sim_io *io)
{
	SIM_IO(io, machine->port.now);
	SIM_IO(io, machine->port.result);
	SIM_IO(io, machine->wheel);
	sim_crossbars_io(machine, io);
	sim_partitions_io(machine, io);
}

static void io_gpu(struct sim_machine *machine, struct sim_io *io)
{
	io_launch(machine, io);
	if (io->loading && sim_io_ok(io))
		io->starved |= sim_cores_launch(machine) != 0;
	sim_cores_io(machine, io);
	sim_slab_io(&machine->words, io);
	if (machine->port.ops->io)
		machine->port.ops->io(&machine->port, io);
}

static void io_all(struct sim_machine *machine, struct sim_io *io)
{
	sim_memory_io(machine->port.memory, io);
	sim_machine_bare_io(machine, io);
	if (machine->system->own)
		machine->system->own->io(machine, io);
	else
		io_gpu(machine, io);
	SIM_IO_FROM(io, machine, threads_left);
	sim_units_io(&machine->port, io);
}

int sim_machine_restore(struct sim_machine *machine, struct sim_io *io)
{
	io_all(machine, io);
	machine->restored = sim_io_ok(io) && io->at == io->size;
	return machine->restored ? 0 : io->starved ? -ENOMEM : -EINVAL;
}

/* @return the tick at which that is due; SIM_NEVER: it is done. */
static uint64_t save(struct sim_machine *machine)
{
	const struct sim_saver *saver = machine->options.saver;
	uint64_t at = saver ? saver->cycle * machine->port.core_ticks : SIM_NEVER;
	struct sim_io io = { .loading = false };

	if (machine->port.now < at)
		return at;
	io_all(machine, &io);
	saver->save(saver->state, &io);
	free(io.byte);
	return SIM_NEVER;
}

void sim_look_if_due(struct sim_machine *machine)
{
	const struct sim_look *look = machine->options.look;
	uint64_t next;

	if (machine->port.now < machine->next_look)
		return;
	next = look ? look->at(look->state) : SIM_NEVER;
	if (machine->port.now >= machine->next_save)
		machine->next_save = save(machine);
	if (machine->port.now >= machine->next_swap)
		machine->next_swap = swap(machine);
	machine->next_look = sim_earlier(next, sim_earlier(machine->next_save, machine->next_swap));
}

#define REPORT_TICKS (UINT64_C(1) << 18)

#define SURE_ABORTS 1000 /* a commit may be rare, but not as rare */

/* What most of the attempts since the last commit were aborted for. */
static const char *main_reason(const struct sim_machine *machine)
{
	uint64_t most = 0;
	unsigned main = 0;

	for (unsigned i = 0; i < SIM_ABORT_REASONS; i++) {
		uint64_t aborted = machine->port.result.aborted_by_reason[i] -
				   machine->reasons_before[i];

		if (aborted > most) {
			most = aborted;
			main = i;
		}
	}
	return sim_abort_reason_name[main];
}

/* Of which part of the settings it has its patience: a GPU of hetm has none of its own. */
static const char *patient(const struct sim_machine *machine)
{
	if (machine->system->own)
		return machine->system->own->patient;
	return machine->program->device ? "gpu" : "machine";
}

/* Transactions that abort one another for ever are busy, so that the run does not end by itself. */
static void lose_patience(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;
	const struct sim_result *result = &machine->port.result;
	uint64_t cycles = (machine->port.now - machine->committed_at) / machine->port.core_ticks;
	uint64_t aborted = result->aborted - machine->aborted_before;
	bool many = config->patience && aborted > config->patience;
	bool late = config->patience_cycles && aborted > SURE_ABORTS &&
		    cycles > config->patience_cycles;
	char message[200];

	if (result->committed != machine->committed_before) {
		machine->committed_before = result->committed;
		machine->committed_at = machine->port.now;
		machine->aborted_before = result->aborted;
		memcpy(machine->reasons_before, result->aborted_by_reason,
		       sizeof machine->reasons_before);
	} else if (many || late) {
		snprintf(message, sizeof message, "more than %s.%s = %u %s since the last "
			 "commit; most attempts were aborted for: %s", patient(machine),
			 many ? "patience" : "patience_cycles",
			 many ? config->patience : config->patience_cycles,
			 many ? "attempts were aborted" : "cycles have passed",
			 main_reason(machine));
		sim_fail(&machine->port, -ETIME, message);
	}
}

/* "FILE:LINE:COLUMN: thread N REASON", of the instruction that is next. */
static void give_up(struct sim_machine *machine, uint32_t thread, uint32_t pc, const char *reason)
{
	const struct sim_program *program = machine->program;
	char message[SIM_MESSAGE];

	if (program->id)
		thread = program->id[thread];
	if (program->spot)
		snprintf(message, sizeof message, "%s:%u:%u: thread %u %s", program->file,
			 program->spot[pc].line, program->spot[pc].column, thread, reason);
	else
		snprintf(message, sizeof message, "instruction %u: thread %u %s", pc, thread,
			 reason);
	sim_fail(&machine->port, -ETIME, message);
}

static uint32_t first_thread(const struct sim_warp *warp)
{
	uint64_t active = sim_active(warp);

	return active ? warp->thread[__builtin_ctzll(active)] : 0;
}

/* A transaction that goes round in what it reads, and finds nothing changed, ends by itself never.
 * One that waits for its system does not go round. */
static void lose_patience_with(struct sim_machine *machine, const struct sim_warp *warp)
{
	uint64_t cycles = (machine->port.now - warp->started) / machine->port.core_ticks;
	char reason[120];

	if (!warp->in_tx || warp->wait == SIM_SYSTEM || cycles <= machine->config.patience_cycles)
		return;
	snprintf(reason, sizeof reason, "is in one attempt for more than %s.patience_cycles = %u "
		 "cycles", patient(machine), machine->config.patience_cycles);
	give_up(machine, first_thread(warp), sim_warp_pc(warp), reason);
}

/*
 * Nor does a run, with this thread in it, that comes no nearer to its end: there are so many
 * threads to end and, where the workload knows their number, transactions to commit. Threads that
 * wait for each other may change memory for ever, or commit transactions that find nothing new.
 * Attempts of which none commits have rules of their own, above.
 */
void sim_lose_patience(struct sim_machine *machine, uint32_t thread, uint32_t pc, bool inside)
{
	uint64_t most = machine->port.workload->transactions;
	uint64_t left = machine->threads_left - (most ? machine->port.result.committed : 0);
	uint64_t cycles = (machine->port.now - machine->left_at) / machine->port.core_ticks;
	bool commits = machine->committed_at > machine->left_at;
	char reason[200];

	if (left != machine->left_before) {
		machine->left_before = left;
		machine->left_at = machine->port.now;
		cycles = 0;
	}
	if (most && machine->port.result.committed > most)
		snprintf(reason, sizeof reason, "goes on, but the run has %llu transactions "
			 "(commits), and %llu have committed", (unsigned long long)most,
			 (unsigned long long)machine->port.result.committed);
	else if ((commits || !inside) && cycles > machine->config.patience_cycles)
		snprintf(reason, sizeof reason, "goes round: no thread has ended%s for more than "
			 "%s.patience_cycles = %u cycles%s", most ? " or committed" : "",
			 patient(machine), machine->config.patience_cycles,
			 most ? "" : ", and how many commit is not known (commits)");
	else
		return;
	give_up(machine, thread, pc, reason);
}

static void lose_patience_with_threads(struct sim_machine *machine)
{
	const struct sim_warp *awake = NULL, *warp = machine->port.warp;
	bool inside = false;

	for (uint32_t i = machine->config.cores * machine->config.warps; i--; warp++) {
		if (warp->wait == SIM_FREE)
			continue;
		lose_patience_with(machine, warp);
		inside |= warp->in_tx;
		if (!awake && warp->wait != SIM_AT_BARRIER)
			awake = warp;
	}
	if (awake)
		sim_lose_patience(machine, first_thread(awake), sim_warp_pc(awake), inside);
}

void sim_report_if_due(struct sim_machine *machine)
{
	const struct sim_run_options *options = &machine->options;
	uint64_t cycles, threads = machine->port.workload->threads;

	if (machine->port.now < machine->next_report)
		return;
	cycles = machine->port.now / machine->port.core_ticks;
	machine->next_report = machine->port.now + REPORT_TICKS;
	if (options->progress)
		options->progress(options->progress_state, threads - machine->threads_left, threads,
				  cycles);
	if (options->stop && *options->stop)
		sim_fail(&machine->port, -EINTR, "the run was stopped");
	if (options->most_cycles && cycles > options->most_cycles)
		sim_fail(&machine->port, -ETIME, "the run took more cycles than it may");
	lose_patience(machine);
	if (machine->config.patience_cycles)
		lose_patience_with_threads(machine);
	if (machine->port.memory->exhausted)
		sim_fail(&machine->port, -ENOMEM, "no memory for the contents of global memory");
}

/* With an observer, the units must come out of the run in order as well. */
static void check_units(struct sim_machine *machine)
{
	struct sim_unit_info info;

	for (size_t i = 0; machine->options.observer && sim_machine_unit(machine, i, &info); i++) {
		const char *broken = gputm_unit_check(info.unit);
		char message[256];

		if (!broken)
			continue;
		snprintf(message, sizeof message, "%s %u: %s", info.role, info.instance, broken);
		sim_fail(&machine->port, -EILSEQ, message);
	}
}

/* The system is done with what has run. */
static void finish(struct sim_machine *machine)
{
	if (!machine->port.failed && machine->port.ops && machine->port.ops->finished)
		machine->port.ops->finished(&machine->port);
}

/* What to launch next, which the memory that the last launch has left decides. */
static bool next_launch(struct sim_machine *machine)
{
	const struct sim_workload *w = machine->port.workload;
	const struct sim_observer *observer = machine->options.observer;
	char message[200];
	int more;

	if (machine->between) {
		machine->wheel.now = sim_align(machine->wheel.now + 1, machine->port.core_ticks);
		machine->port.now = machine->wheel.now;
		finish(machine);
	}
	if (machine->port.failed || machine->threads_left)
		return false;
	if (machine->between && observer && observer->launched)
		observer->launched(observer->state, machine->port.memory);
	more = w->class->next(w, machine->system->flavour, &machine->between, machine->port.memory,
			      &machine->launch, message, sizeof message);
	if (more < 0)
		sim_fail(&machine->port, more, message);
	machine->program = machine->port.program = machine->launch.program;
	return more > 0;
}

static void begin_launch(struct sim_machine *machine)
{
	const struct sim_launch *l = &machine->launch;

	machine->blocks = (l->threads + l->block_size - 1) / l->block_size;
	machine->threads_left = l->threads;
	machine->left_at = machine->port.now;
	if (sim_cores_launch(machine))
		sim_fail(&machine->port, -ENOMEM, "no memory for registers");
	for (uint32_t i = 0; i < machine->config.cores && !machine->port.failed; i++)
		sim_core_fill(machine, i);
}

static void run_launch(struct sim_machine *machine)
{
	if (!machine->restored)
		begin_launch(machine);
	machine->restored = false;
	while (!machine->port.failed) {
		sim_look_if_due(machine);
		tick(machine);
		sim_report_if_due(machine);
		if (!sim_wheel_next(&machine->wheel))
			break;
		machine->port.now = machine->wheel.now;
	}
}

/* A launch begins when all that the one before has caused is done. */
static void run_gpu(struct sim_machine *machine)
{
	if (machine->restored || !machine->program->part)
		run_launch(machine);
	while (machine->program->part && next_launch(machine))
		run_launch(machine);
}

static void check_times(struct sim_machine *machine)
{
	struct sim_result result;

	if (!machine->options.observer || machine->system->own || machine->port.failed)
		return;
	sim_machine_result(machine, &result);
	if (!sim_times_add_up(machine, &result))
		sim_fail(&machine->port, -EILSEQ, "the times of threads or cores do not add up to "
						  "the cycles of the run");
}

int sim_machine_run(struct sim_machine *machine)
{
	if (machine->system->own)
		machine->system->own->run(machine);
	else
		run_gpu(machine);
	if (machine->port.memory->exhausted ||
	    (machine->port.version && machine->port.version->exhausted))
		sim_fail(&machine->port, -ENOMEM, "no memory for the contents of global memory");
	if (machine->threads_left)
		sim_fail(&machine->port, -EDEADLK,
			 "nothing can happen any more, but threads have not ended");
	finish(machine);
	check_units(machine);
	check_times(machine);
	return machine->port.failed;
}

const char *sim_machine_error(const struct sim_machine *machine)
{
	return machine ? machine->port.error : "out of memory";
}

void sim_machine_result(const struct sim_machine *machine, struct sim_result *out)
{
	uint64_t last, period = machine->port.core_ticks;

	*out = machine->port.result;
	out->core_mhz = machine->config.core_mhz;
	last = machine->port.failed == -EINTR ? machine->port.now : machine->last_work;
	out->cycles = (last + period - 1) / period;
	if (!machine->system->own)
		sim_close_ledgers(machine, out);
}

struct sim_port *sim_machine_port(struct sim_machine *machine)
{
	return &machine->port;
}

const struct sim_memory *sim_machine_memory(const struct sim_machine *machine)
{
	return machine->port.memory;
}

bool sim_machine_unit(const struct sim_machine *machine, size_t index, struct sim_unit_info *out)
{
	return sim_unit_get(&machine->port, index, out);
}
