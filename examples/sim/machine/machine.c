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

int sim_machine_make_memory(struct sim_machine *machine)
{
	return sim_crossbars_make(machine) || sim_partitions_make(machine) ? -ENOMEM : 0;
}

/* That of the system; NULL: it runs on the GPU. */
static const struct sim_own_machine *own(const struct sim_machine *machine)
{
	return machine->system->own && machine->system->own->make ? machine->system->own : NULL;
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

	if (own(machine) && flavour == SIM_ALONE)
		return build_own(machine);
	if (flavour == SIM_ALONE)
		flavour = SIM_TRANSACTIONS; /* its place is that of the kernel itself */
	machine->program = machine->port.program = workload->program[flavour];
	if (!machine->program)
		return sim_fail(&machine->port, -EINVAL, workload->missing[flavour]);
	if (own(machine))
		return build_own(machine);
	if (machine->system->flavour == SIM_ALONE)
		error = sim_plain_make(machine);
	if (!error)
		error = sim_derive_machine(machine);
	if (!error)
		error = sim_derive_launch(machine);
	if (error)
		return error;
	machine->port.memory = sim_memory_new();
	if (machine->port.ops->versions && machine->options.observer)
		machine->port.version = sim_memory_new();
	if (!machine->port.memory ||
	    (machine->port.ops->versions && machine->options.observer && !machine->port.version))
		return -ENOMEM;
	workload->class->setup(workload, machine->port.memory);
	if (machine->port.memory->exhausted ||
	    (!machine->far && sim_machine_make_memory(machine)))
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
	.check = sim_check_message,
};

static int end_make(struct sim_machine *machine, int error)
{
	if (error && !machine->port.error[0])
		snprintf(machine->port.error, sizeof machine->port.error, "%s",
			 error == -ENOMEM ? "out of memory" : "a unit refused its config");
	return error;
}

int sim_machine_new(struct gputm_ctx *ctx, const struct sim_machine_config *config,
		    const struct sim_system_class *system, const void *system_config,
		    const struct sim_workload *workload, const struct sim_run_options *options,
		    struct sim_machine **out)
{
	struct sim_machine *machine = sim_calloc(1, sizeof *machine);

	*out = machine;
	if (!machine)
		return -ENOMEM;
	machine->port.ctx = ctx;
	if (config && !(system->own && system->own->name)) {
		machine->config = *config;
		machine->port.shape = sim_machine_shape(config);
	}
	machine->system = system;
	machine->port.host = &gpu;
	machine->port.ops = system->ops;
	machine->port.system_config = system_config;
	machine->port.workload = workload;
	machine->options = *options;
	machine->former = system->flavour == SIM_ALONE ?
			  ((const struct flow_mechanism *)system)->former :
			  options->compact ? &sim_block_stacks : &sim_stacks;
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
	if (own(machine))
		own(machine)->free(machine);
	else if (machine->port.ops->free)
		machine->port.ops->free(&machine->port);
	sim_cores_free(machine);
	sim_partitions_free(machine);
	if (!machine->far)
		sim_crossbars_free(machine);
	sim_plain_free(machine);
	sim_memory_free(machine->port.memory);
	sim_memory_free(machine->port.version);
	if (machine->between)
		machine->port.workload->class->end_host(machine->between);
	sim_free(machine->words.memory);
	sim_free(machine);
}

/* ---- running --------------------------------------------------------------------------- */

/* Each of up to 256 parts of a kind that is called at this tick, from the lowest number on. */
#define EACH_CALLED(i, wheel, part, count)                                                     \
	uint32_t first_ = 0; first_ < (count); first_ += 64)                                   \
	for (uint64_t rest_ = sim_wheel_take(wheel, part, first_), i;                          \
	     rest_ && (i = first_ + (uint64_t)__builtin_ctzll(rest_), true);                   \
	     rest_ &= rest_ - 1

static void tick(struct sim_machine *machine)
{
	struct sim_wheel *wheel = &machine->wheel;
	uint32_t cores = machine->config.cores;

	for (SIM_EACH_LANE(i, sim_wheel_take(wheel, SIM_PARTITION, 0)))
		sim_partition_call(machine, (uint32_t)i);
	for (EACH_CALLED(i, wheel, SIM_PORT_FROM_CORE, cores))
		sim_crossbar_source(machine, &machine->up, (uint32_t)i);
	for (SIM_EACH_LANE(i, sim_wheel_take(wheel, SIM_PORT_TO_PARTITION, 0)))
		sim_crossbar_sink(machine, &machine->up, (uint32_t)i, sim_partition_accept);
	for (SIM_EACH_LANE(i, sim_wheel_take(wheel, SIM_PORT_FROM_PARTITION, 0)))
		sim_crossbar_source(machine, &machine->down, (uint32_t)i);
	for (EACH_CALLED(i, wheel, SIM_PORT_TO_CORE, cores))
		sim_crossbar_sink(machine, &machine->down, (uint32_t)i, sim_core_accept);
	for (EACH_CALLED(i, wheel, SIM_CORE, cores))
		sim_core_call(machine, (uint32_t)i);
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

#define REPORT_TICKS (UINT64_C(1) << 18)

/* The launch that runs, and how far the host of the launches is. */
static void io_launch(struct sim_machine *machine, struct sim_io *io)
{
	const struct sim_workload *w = machine->port.workload;

	if (!machine->program->part || own(machine))
		return;
	w->class->io_host(w, machine->system->flavour, &machine->between, io, &machine->launch);
	machine->program = machine->port.program = machine->launch.program;
}

static void io_gpu(struct sim_machine *machine, struct sim_io *io)
{
	io_launch(machine, io);
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
static void progress_io(struct sim_machine *machine, struct sim_io *io)
{
	const struct sim_launch *l = &machine->launch;

	SIM_IO_FROM(io, machine, threads_left);
	sim_io_must(io, "next_report", machine->next_report <= machine->port.now + REPORT_TICKS);
	if (own(machine))
		return;
	sim_io_must(io, "blocks",
		    machine->blocks == (l->threads + l->block_size - 1) / l->block_size);
	sim_io_below(io, "threads_left", machine->threads_left, (uint64_t)l->threads + 1);
}

static void io_all(struct sim_machine *machine, struct sim_io *io)
{
	sim_memory_io(machine->port.memory, io);
	SIM_IO(io, machine->port.now);
	SIM_IO(io, machine->port.result);
	wheel_io(machine, io);
	if (own(machine))
		own(machine)->io(machine, io);
	else
		io_gpu(machine, io);
	if (sim_io_ok(io))
		sim_partitions_io(machine, io);
	if (sim_io_ok(io) && !machine->far)
		sim_crossbars_io(machine, io);
	progress_io(machine, io);
	sim_units_io(&machine->port, io);
}

int sim_machine_restore(struct sim_machine *machine, struct sim_io *io)
{
	io_all(machine, io);
	machine->restored = sim_io_ok(io) && io->at == io->size;
	return machine->restored ? 0 : io->starved ? -ENOMEM : -EINVAL;
}

/* @return the tick at which that is due; SIM_NEVER: it is done. */
static uint64_t save(struct sim_machine *machine, uint64_t tick)
{
	const struct sim_saver *saver = machine->options.saver;
	uint64_t at = saver ? saver->cycle * machine->port.core_ticks : SIM_NEVER;
	struct sim_io io = { .loading = false };

	if (tick < at)
		return at;
	io_all(machine, &io);
	saver->save(saver->state, &io);
	sim_free(io.byte);
	return SIM_NEVER;
}

void sim_save_if_due(struct sim_machine *machine, uint64_t tick)
{
	if (tick >= machine->next_save)
		machine->next_save = save(machine, tick);
}

void sim_swap_if_due(struct sim_machine *machine)
{
	if (machine->port.now >= machine->next_swap)
		machine->next_swap = swap(machine);
}

void sim_look_if_due(struct sim_machine *machine)
{
	const struct sim_look *look = machine->options.look;
	uint64_t next;

	if (machine->port.now < machine->next_look)
		return;
	next = look ? look->at(look->state) : SIM_NEVER;
	sim_save_if_due(machine, machine->port.now);
	sim_swap_if_due(machine);
	machine->next_look = sim_earlier(next, sim_earlier(machine->next_save, machine->next_swap));
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
	if (machine->plain) {
		machine->next_report = sim_earlier(machine->next_report,
						   sim_plain_last_cycle(machine) *
						   machine->port.core_ticks);
		sim_plain_may_end(machine, cycles);
	}
	sim_look_patiently(machine);
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

/* Let the system finish what has run. */
static void finish(struct sim_machine *machine)
{
	if (!machine->port.failed && machine->port.ops && machine->port.ops->finished)
		machine->port.ops->finished(&machine->port);
}

/* Ask the workload for the next launch, which may depend on the memory that the last launch
 * left. */
static bool next_launch(struct sim_machine *machine)
{
	const struct sim_workload *w = machine->port.workload;
	const struct sim_observer *observer = machine->options.observer;
	char message[200];
	int more;

	if (machine->between) {
		machine->wheel.now = machine->plain ? sim_plain_launched(machine) :
				     sim_align(machine->wheel.now + 1, machine->port.core_ticks);
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
	if (machine->plain)
		sim_plain_launch(machine);
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

/* A launch begins when all effects of the previous launch are complete. */
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

	if (!machine->options.observer || own(machine) || machine->port.failed)
		return;
	sim_machine_result(machine, &result);
	if (!sim_times_add_up(machine, &result))
		sim_fail(&machine->port, -EILSEQ, "the times of threads or cores do not add up to "
						  "the cycles of the run");
}

int sim_machine_run(struct sim_machine *machine)
{
	if (own(machine))
		own(machine)->run(machine);
	else
		run_gpu(machine);
	if (machine->port.memory->exhausted ||
	    (machine->port.version && machine->port.version->exhausted))
		sim_fail(&machine->port, -ENOMEM, "no memory for the contents of global memory");
	if (machine->plain)
		sim_plain_over(machine);
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
	if (!own(machine))
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
