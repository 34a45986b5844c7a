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
 * instructions take count issues and count latencies. A load or an atomic makes
 * the warp wait for all its replies, stores do not, a fence waits for them. Loads and
 * stores of a warp are merged by access_coalescer to one access per line. What differs without
 * a TM system is in plain.c. A former (wiring.h) says where the threads of a warp go on: a SIMT
 * stack for each warp (stacks.c), a stack for all warps of a block (compaction.c), or a pool from
 * which warps are formed all the time (pool.c).
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
 * an L1 (l1.h). Crossbar buffers and L2 queues have no
 * bound, so a full queue never stalls a sender. DRAM is a latency and a channel in order of
 * arrival, or with banks (dram.c), which lose no time between reads and writes. An atomic
 * is done as the L2 takes it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "plain.h"
#include "wiring.h"
#include "../base/arena.h"

/* ---- life ---------------------------------------------------------------------------- */

static int build(struct sim_machine *machine)
{
	bool versions = machine->port.ops->versions && machine->port.observer;
	int error = 0;

	if (machine->run.system->flavour == SIM_ALONE)
		error = sim_plain_make(machine);
	if (!error)
		error = sim_derive_machine(machine);
	if (!error)
		error = sim_derive_launch(machine);
	if (error)
		return error;
	if (versions)
		machine->port.version = sim_memory_new();
	if ((versions && !machine->port.version) || sim_run_fill(&machine->run))
		return -ENOMEM;
	if (!machine->far && (sim_crossbars_make(machine) || sim_partitions_make(machine)))
		return -ENOMEM;
	error = sim_cores_make(machine);
	if (!error && machine->port.ops->make)
		error = machine->port.ops->make(&machine->port);
	if (!error && machine->port.strong && machine->former->store)
		error = sim_fail(&machine->port, -EINVAL,
				 "system.isolation: got \"strong\", expected weak, as plain "
				 "accesses of a thread come from more than one compacted warp");
	return error;
}

static void abandon(struct sim_port *port, struct sim_warp *warp, uint64_t lanes)
{
	sim_machine_of(port)->former->abandon(sim_machine_of(port), warp, lanes);
}

static void settled(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	sim_machine_of(port)->former->settled(sim_machine_of(port), warp, tick);
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
	.abandon = abandon,
	.settled = settled,
	.left = sim_warp_left,
	.check = sim_check_message,
};

static int make(struct sim_run *run, const struct sim_machine_config *config)
{
	struct sim_machine *machine = sim_machine_in(run);
	int error;

	if (config) {
		machine->config = *config;
		machine->port.shape = sim_machine_shape(config);
	}
	machine->port.host = &gpu;
	machine->mechanism = run->system->flavour == SIM_ALONE ?
			     (const struct flow_mechanism *)run->system : run->options.mechanism;
	machine->former = machine->mechanism ? machine->mechanism->former : &sim_stacks;
	machine->words.block = sizeof(struct sim_words);
	error = build(machine);
	run->core_mhz = machine->config.core_mhz;
	run->swap_units_every = machine->config.swap_units_every;
	run->patience = machine->config.patience;
	run->patience_cycles = machine->config.patience_cycles;
	if (run->port.program->device)
		run->patient = "gpu"; /* of hetm */
	return error;
}

static void free_machine(struct sim_run *run)
{
	struct sim_machine *machine = sim_machine_in(run);

	if (machine->port.ops->free)
		machine->port.ops->free(&machine->port);
	sim_cores_free(machine);
	sim_partitions_free(machine);
	if (!machine->far)
		sim_crossbars_free(machine);
	sim_plain_free(machine);
	sim_memory_free(machine->port.version);
	if (machine->between)
		machine->port.workload->class->end_host(machine->between);
	sim_free(machine->words.memory);
}

/* ---- running --------------------------------------------------------------------------- */

/* Each of up to 256 parts of a kind that is called at this tick, from the lowest number on. */
#define EACH_CALLED(i, calls, part, count)                                                     \
	uint32_t first_ = 0; first_ < (count); first_ += 64)                                   \
	for (uint64_t rest_ = sim_wheel_take(calls, part, first_), i;                          \
	     rest_ && (i = first_ + (uint64_t)__builtin_ctzll(rest_), true);                   \
	     rest_ &= rest_ - 1

/* Memory, and what leads there and back. */
static void tick_memory(struct sim_machine *machine, uint64_t *calls)
{
	uint32_t cores = machine->config.cores;
	const struct sim_message *message;

	for (SIM_EACH_LANE(i, sim_wheel_take(calls, SIM_PARTITION, 0)))
		sim_partition_call(machine, (uint32_t)i);
	for (EACH_CALLED(i, calls, SIM_PORT_FROM_CORE, cores))
		sim_crossbar_source(machine, &machine->up, (uint32_t)i);
	for (SIM_EACH_LANE(i, sim_wheel_take(calls, SIM_PORT_TO_PARTITION, 0)))
		if ((message = sim_crossbar_sink(machine, &machine->up, (uint32_t)i)))
			sim_partition_accept(machine, message);
	for (SIM_EACH_LANE(i, sim_wheel_take(calls, SIM_PORT_FROM_PARTITION, 0)))
		sim_crossbar_source(machine, &machine->down, (uint32_t)i);
	for (EACH_CALLED(i, calls, SIM_PORT_TO_CORE, cores))
		if ((message = sim_crossbar_sink(machine, &machine->down, (uint32_t)i)))
			sim_core_accept(machine, message);
}

static void tick(struct sim_run *run)
{
	struct sim_machine *machine = sim_machine_in(run);
	uint64_t *calls = sim_wheel_calls(&machine->wheel);

	if (!machine->far)
		tick_memory(machine, calls);
	for (EACH_CALLED(i, calls, SIM_CORE, machine->config.cores)) {
		machine->turn = &machine->core[i];
		sim_core_call(machine, (uint32_t)i);
	}
	machine->turn = NULL;
	sim_wheel_done(&machine->wheel);
}

/* ---- the state of a run ---- */

/* The launch that runs, and how far the host of the launches is. */
static void io_launch(struct sim_machine *machine, struct sim_io *io)
{
	const struct sim_workload *w = machine->port.workload;

	if (!machine->port.program->part)
		return;
	w->class->io_host(w, machine->run.system->flavour, &machine->between, io, &machine->launch);
	machine->port.program = machine->launch.program;
}

static void io_parts(struct sim_machine *machine, struct sim_io *io)
{
	if (machine->plain)
		sim_plain_io(machine, io);
	if (io->loading && sim_io_ok(io))
		io->starved |= sim_cores_launch(machine) != 0;
	sim_cores_io(machine, io);
	sim_slab_io(&machine->words, io);
	if (machine->port.ops->io && sim_io_ok(io))
		machine->port.ops->io(&machine->port, io);
}

/* Calls are of parts that there are. Few ticks have some. Memory at a fixed distance has no
 * crossbars. */
static void wheel_io(struct sim_machine *machine, struct sim_io *io)
{
	const uint32_t cores = machine->config.cores, ports = machine->far ? 0 : cores;
	const uint32_t partitions = machine->config.partitions;
	const uint32_t parts[SIM_PART_WORDS] = {
		[SIM_PARTITION] = partitions, [SIM_PORT_TO_PARTITION] = partitions,
		[SIM_PORT_FROM_PARTITION] = partitions, [SIM_PORT_FROM_CORE] = ports,
		[SIM_PORT_TO_CORE] = ports, [SIM_CORE] = cores,
	};
	struct sim_wheel *wheel = &machine->wheel;

	SIM_IO(io, wheel->now);
	sim_io_must(io, "wheel", !cores || wheel->now == machine->port.now);
	SIM_IO(io, wheel->occupied);
	if (io->loading)
		memset(wheel->called, 0, sizeof wheel->called);
	for (uint32_t i = 0; i < SIM_WHEEL_TICKS && sim_io_ok(io); i++) {
		if (!(wheel->occupied[i / 64] >> i % 64 & 1))
			continue;
		SIM_IO(io, wheel->called[i]);
		for (uint32_t word = 0, left = 0; word < SIM_PART_WORDS; word++) {
			left = parts[word] ? parts[word] : left > 64 ? left - 64 : 0;
			sim_io_must(io, "wheel", left >= 64 || !(wheel->called[i][word] >> left));
		}
	}
}

/* The launch that runs has the blocks that it began with, and no more threads. */
static void progress_check(struct sim_machine *machine, struct sim_io *io)
{
	const struct sim_launch *l = &machine->launch;

	SIM_IO(io, machine->blocks);
	sim_io_must(io, "blocks",
		    machine->blocks == (l->threads + l->block_size - 1) / l->block_size);
	sim_io_below(io, "threads_left", machine->run.threads_left, (uint64_t)l->threads + 1);
}

static void io_machine(struct sim_run *run, struct sim_io *io)
{
	struct sim_machine *machine = sim_machine_in(run);

	wheel_io(machine, io);
	io_launch(machine, io);
	io_parts(machine, io);
	if (sim_io_ok(io))
		sim_partitions_io(machine, io);
	if (sim_io_ok(io) && !machine->far)
		sim_crossbars_io(machine, io);
	progress_check(machine, io);
}

/* ---- launches ---- */

/* Ask the workload for the next launch, which may depend on the memory that the last launch
 * left. */
static bool next_launch(struct sim_machine *machine)
{
	const struct sim_workload *w = machine->port.workload;
	const struct sim_observer *observer = machine->port.observer;
	char message[200];
	int more;

	if (machine->between) {
		machine->wheel.now = machine->plain ? sim_plain_launched(machine) :
				     sim_align(machine->wheel.now + 1, machine->port.core_ticks);
		machine->port.now = machine->wheel.now;
		sim_run_finish(&machine->run);
	}
	if (machine->port.failed || machine->run.threads_left)
		return false;
	if (machine->between && observer && observer->launched)
		observer->launched(observer->state, machine->port.memory);
	more = w->class->next(w, machine->run.system->flavour, &machine->between,
			      machine->port.memory, &machine->launch, message, sizeof message);
	if (more < 0)
		sim_fail(&machine->port, more, message);
	machine->port.program = machine->launch.program;
	return more > 0;
}

static void begin_launch(struct sim_machine *machine)
{
	const struct sim_launch *l = &machine->launch;

	machine->blocks = (l->threads + l->block_size - 1) / l->block_size;
	machine->run.threads_left = l->threads;
	machine->run.waited.left_at = machine->port.now;
	if (machine->plain)
		sim_plain_launch(machine);
	if (sim_cores_launch(machine))
		sim_fail(&machine->port, -ENOMEM, "no memory for registers");
	for (uint32_t i = 0; i < machine->config.cores && !machine->port.failed; i++)
		sim_core_fill(machine, i);
}

/* A launch begins when all effects of the previous launch are complete. */
static bool launch(struct sim_machine *machine)
{
	if (!next_launch(machine))
		return false;
	begin_launch(machine);
	return true;
}

static bool begin(struct sim_run *run)
{
	struct sim_machine *machine = sim_machine_in(run);

	if (run->port.program->part)
		return launch(machine);
	begin_launch(machine);
	return true;
}

static bool go_on(struct sim_run *run)
{
	struct sim_machine *machine = sim_machine_in(run);

	if (!sim_wheel_next(&machine->wheel))
		return run->port.program->part && launch(machine);
	run->port.now = machine->wheel.now;
	return true;
}

static void over(struct sim_run *run)
{
	struct sim_machine *machine = sim_machine_in(run);

	if (machine->plain)
		sim_plain_over(machine);
}

/* ---- classes of runs ---- */

#define ON_GPU                                                                                 \
	.size = sizeof(struct sim_machine), .make = make, .free = free_machine,                \
	.begin = begin, .step = tick, .go_on = go_on, .over = over, .io = io_machine,          \
	.look = sim_machine_look, .sum = sim_machine_sum, .waits = sim_machine_waits,          \
	.close = sim_machine_close, .wrong = sim_machine_wrong, .time = sim_machine_time

const struct sim_run_class sim_gpu_runs = {
	ON_GPU,
	.summary = "cores that run a workload under a TM system",
	.tm_gpu = true,
	.check_kind = "serializable",
};

const struct sim_run_class sim_plain_runs = {
	ON_GPU,
	.summary = "cores that run a kernel without a TM system",
	.check_kind = "equivalent",
	.judge = sim_plain_judge,
	.check_count = sim_plain_count_checks,
};

const struct sim_run_class *sim_class_of(const struct sim_system_class *system)
{
	return system->own ? system->own : &sim_gpu_runs;
}

int sim_machine_new(struct gputm_ctx *ctx, const struct sim_machine_config *config,
		    const struct sim_system_class *system, const void *system_config,
		    const struct sim_workload *workload, const struct sim_run_options *options,
		    struct sim_run **out)
{
	return sim_run_new(ctx, sim_class_of(system), config, system, system_config, workload,
			   options, out);
}
