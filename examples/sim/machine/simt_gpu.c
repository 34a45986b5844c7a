/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All cores of a run without transactions. On a machine the clock is the machine's wheel; a core
 * that is called runs ahead as far as nothing can reach it. Only accesses of global memory wait for
 * their own cycle, so that those of all cores are done in the order of time. Block i is on core (i
 * + 1) mod cores. A launch begins when all stores of the one before are done.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alone.h"
#include "mechanism.h"
#include "simt_core.h"
#include "simt_memory.h"
#include "wiring.h"
#include "../base/arena.h"

#define TURNS 4096u /* cycles, or turns, between two checks for an early end */

static struct flow_gpu *gpu_of(const struct sim_machine *machine)
{
	return machine->port.state;
}

const struct flow_gpu *flow_gpu_of(struct sim_machine *machine)
{
	return gpu_of(machine);
}

static int fail_anywhere(struct flow_gpu *gpu, const char *reason, uint64_t cycles)
{
	char message[SIM_MESSAGE];

	snprintf(message, sizeof(message), "%s: %s after %llu cycles", gpu->kernel->file, reason,
		 (unsigned long long)cycles);
	return sim_fail(gpu->port, -EINVAL, message);
}

static int fail_stuck(struct flow_gpu *gpu, uint64_t cycles)
{
	return fail_anywhere(gpu, "warps wait for ever, at a barrier or for each other,", cycles);
}

/* Has a signal come, or does the run give up? */
static int look(struct flow_gpu *gpu, uint64_t now)
{
	const struct sim_run_options *options = &gpu->machine->options;
	uint64_t threads = gpu->kernel->threads;

	if (options->progress)
		options->progress(options->progress_state, threads - gpu->machine->threads_left,
				  threads, now);
	if (options->stop && *options->stop)
		return -EINTR;
	if (now > gpu->config.most_cycles)
		return fail_anywhere(gpu, "given up (core.most_cycles)", now);
	if (gpu->check && flow_check_hopeless(gpu->check))
		return fail_anywhere(gpu, "given up", now);
	return flow_lose_patience(gpu, now);
}

/* Let the run be seen at the present tick. Cores of a run that is seen do not go ahead. */
static void show(struct flow_gpu *gpu)
{
	struct sim_result *result = &gpu->port->result;

	if (!gpu->machine->options.look)
		return;
	result->instructions = result->executed = 0;
	for (uint32_t i = 0; i < gpu->cores; i++) {
		result->instructions += gpu->core[i].result.issued;
		result->executed += gpu->core[i].result.executed;
	}
	sim_look_if_due(gpu->machine);
}

/* ---- launches ---- */

/* The contents of global memory, until the next call. */
static struct sim_memory *contents(struct flow_gpu *gpu)
{
	struct sim_memory *memory = gpu->port->memory;

	for (size_t i = 0; i < flow_words(gpu->kernel); i++)
		sim_memory_write(memory, gpu->threads.origin + 4 * i, gpu->threads.word[i]);
	for (size_t i = 0; gpu->kernel->shows_shared && i < gpu->kernel->shared_words; i++)
		sim_memory_write(memory, 4 * i, gpu->threads.shared[i]);
	return memory;
}

/* Run the kernel that is launched, on the present memory. */
static int take_launch(struct flow_gpu *gpu)
{
	uint64_t seed = gpu->threads.seed;

	kernel_become(&gpu->launched, gpu->machine->launch.number);
	gpu->machine->threads_left = gpu->kernel->threads;
	flow_threads_free(&gpu->threads);
	return flow_threads_new(gpu->kernel, seed, &gpu->threads);
}

/* The launch is over. @return what it has left, which the check is to compare. */
static const struct sim_memory *left_behind(struct flow_gpu *gpu)
{
	for (uint32_t b = 0; b < gpu->kernel->blocks; b++)
		flow_check_shared(gpu->check, b,
				  gpu->threads.shared + b * gpu->kernel->shared_words);
	return contents(gpu);
}

/* All cores go on in the cycle in which the launch before is over. */
static int end_launch(struct flow_gpu *gpu)
{
	struct sim_machine *machine = gpu->way;
	uint64_t cycle = 0;

	while (machine && sim_machine_step(machine))
		;
	for (uint32_t i = 0; i < gpu->cores; i++)
		cycle = sim_later(cycle, sim_later(flow_core_end(&gpu->core[i]),
						   gpu->core[i].stored));
	if (machine) {
		cycle = sim_later(cycle, machine->port.now / machine->port.core_ticks) + 1;
		machine->wheel.now = machine->port.now = cycle * machine->port.core_ticks;
	}
	for (uint32_t i = 0; i < gpu->cores; i++) {
		flow_core_rests(&gpu->core[i], cycle);
		sim_blocks_begin(&gpu->core[i].blocks, i, gpu->cores);
		/* a saved state has no warp of threads that are gone */
		memset(gpu->core[i].warps, 0,
		       gpu->core[i].warp_count * sizeof *gpu->core[i].warps);
	}
	if (gpu->check)
		flow_check_compare(gpu->check, left_behind(gpu));
	return look(gpu, cycle);
}

/* 1: the host's next launch is ready to run; 0: there is none; or an error. */
static int ask_host(struct flow_gpu *gpu)
{
	const struct sim_workload *w = gpu->port->workload;
	struct sim_machine *machine = gpu->machine;
	bool first = !machine->between;
	char message[SIM_MESSAGE] = "out of memory";
	int result;

	if (!first)
		gpu->launched.initial = contents(gpu);
	result = gpu->port->memory->exhausted ? -ENOMEM :
		 w->class->next(w, SIM_ALONE, &machine->between, gpu->launched.initial,
				&machine->launch, message, sizeof(message));
	if (result <= 0)
		return result ? sim_fail(gpu->port, result, message) : 0;
	result = first ? 0 : end_launch(gpu);
	if (!result)
		result = take_launch(gpu);
	return result ? result : 1;
}

static int next_launch(struct flow_gpu *gpu)
{
	char message[SIM_MESSAGE] = "out of memory";
	int more = kernel_has_host(gpu->kernel) ? ask_host(gpu) :
						  gpu->machine->threads_left != 0, error = 0;

	if (more > 0 && gpu->check)
		error = flow_check_launch(gpu->check, gpu->kernel, message, sizeof(message));
	return error ? sim_fail(gpu->port, error, message) : more;
}

/* ---- one core, and memory at a distance ---- */

static int run_alone(struct flow_gpu *gpu)
{
	struct flow_core *core = gpu->core;
	int error = 0;

	while (!error && gpu->machine->threads_left) {
		uint64_t turns = gpu->machine->options.look ? 0 : TURNS;
		uint64_t limit = sim_earlier(core->now + turns, gpu->config.most_cycles);

		gpu->port->now = core->now;
		show(gpu);
		sim_save_if_due(gpu->machine, core->now);
		limit = sim_earlier(limit, gpu->machine->next_save - 1);
		error = flow_core_run(core, UINT64_MAX, limit);
		if (error == -EDEADLK)
			return fail_stuck(gpu, core->now);
		if (!error)
			error = look(gpu, core->now);
	}
	return error;
}

/* ---- a machine ---- */

static void call(struct sim_machine *machine, uint32_t index)
{
	struct flow_gpu *gpu = gpu_of(machine);
	struct flow_core *core = &gpu->core[index];
	uint64_t period = machine->port.core_ticks, cycle = machine->port.now / period;
	bool ahead = !gpu->issues && !machine->options.look;
	int error;

	core->no_reply_by = (sim_crossbar_next(machine, index) - 1) / period;
	error = flow_core_run(core, cycle, ahead ? cycle + TURNS : cycle);
	if (error)
		sim_fail(&machine->port, error, "out of memory");
	else if (core->next != UINT64_MAX)
		sim_wheel_wake(&machine->wheel, SIM_CORE, index,
			       (core->next > cycle ? core->next : cycle + 1) *
				       machine->port.core_ticks);
}

static void accept(struct sim_machine *machine, const struct sim_message *message)
{
	struct flow_gpu *gpu = gpu_of(machine);
	uint64_t period = machine->port.core_ticks;
	uint64_t cycle = (machine->port.now + period - 1) / period;

	flow_memory_reply(&gpu->core[message->core], message, cycle);
	sim_wheel_wake(&machine->wheel, SIM_CORE, message->core, cycle * period);
}

static void check(struct sim_machine *machine, const struct sim_message *message,
		  enum sim_way way, struct sim_io *io)
{
	(void)way;
	flow_memory_check(&gpu_of(machine)->core[message->core], message, io);
}

static const struct sim_core_ops cores = { .call = call, .accept = accept, .check = check };

static int run_on_machine(struct flow_gpu *gpu)
{
	struct sim_machine *machine = gpu->machine;
	int error = 0;

	for (uint32_t i = 0; i < gpu->cores && !machine->restored; i++)
		sim_wheel_wake(&machine->wheel, SIM_CORE, i, machine->port.now);
	for (uint32_t turn = 1; !error && machine->threads_left; turn++) {
		uint64_t cycle = machine->port.now / machine->port.core_ticks;

		show(gpu);
		/* before a core passes this cycle */
		sim_save_if_due(machine, (cycle + TURNS) * machine->port.core_ticks);
		sim_swap_if_due(machine);
		if (!machine->port.failed && !sim_machine_step(machine) &&
		    !machine->port.failed && machine->threads_left)
			return fail_stuck(gpu, cycle);
		error = machine->port.failed;
		if (!error && (!(turn % TURNS) || cycle > gpu->config.most_cycles))
			error = look(gpu, cycle);
	}
	return error;
}

/* ---- results ---- */

/* The largest depth of a stack; 0 if there is none. */
static uint64_t depth(const struct flow_gpu *gpu)
{
	struct sim_unit_info unit;
	uint64_t most = 0, depth = 0;

	for (size_t i = 0; sim_unit_get(gpu->port, i, &unit); i++)
		if (gputm_unit_stat_value(unit.unit, "max_depth", &depth))
			most = sim_later(most, depth);
	return most;
}

/* Cycles and depth are not sums; all else is. */
static void add_result(struct flow_result *all, const struct flow_core *core)
{
	const uint64_t *from = &core->result.issued;
	uint64_t *to = &all->issued;

	for (size_t i = 0; i < (sizeof(*all) - offsetof(struct flow_result, issued)) / 8; i++)
		to[i] += from[i];
}

static void run(struct sim_machine *machine)
{
	struct flow_gpu *gpu = gpu_of(machine);
	struct sim_unit_info unit;
	int error = look(gpu, 0), more = 1;
	uint64_t cycles = 0;

	while (!error && (machine->restored || (more = next_launch(gpu)) > 0)) {
		error = gpu->way ? run_on_machine(gpu) : run_alone(gpu);
		machine->restored = false;
	}
	error = more < 0 ? more : error;
	if (error)
		sim_fail(&machine->port, error, "out of memory");
	for (uint32_t i = 0; i < gpu->cores; i++)
		cycles = sim_later(cycles, flow_core_end(&gpu->core[i]));
	for (uint32_t i = 0; i < gpu->cores; i++) {
		flow_core_rests(&gpu->core[i], cycles);
		add_result(&gpu->result, &gpu->core[i]);
	}
	gpu->result.cycles = cycles;
	gpu->result.depth = depth(gpu);
	gpu->port->result.instructions = gpu->result.issued;
	gpu->port->result.executed = gpu->result.executed;
	machine->port.now = machine->last_work = gpu->result.cycles * machine->port.core_ticks;
	if (error && error != -EINTR && error != -ENOEXEC && gpu->check)
		flow_check_stopped(gpu->check, machine->port.error);
	for (size_t i = 0; gpu->check && sim_unit_get(gpu->port, i, &unit); i++)
		flow_check_unit(gpu->check, &unit);
}

/* Check against each thread run alone, and against what the kernel's verify requires. */
static void judge(struct sim_machine *machine, struct sim_verdict *out)
{
	const struct sim_workload *workload = machine->port.workload;
	struct flow_gpu *gpu = gpu_of(machine);
	char reason[SIM_MESSAGE] = "";
	const char *broken = NULL;
	bool verifies;

	verifies = flow_check_judge(gpu->check, left_behind(gpu), out) &&
		   workload->class->invariant;
	if (verifies)
		broken = workload->class->invariant(workload, contents(gpu), reason,
						    sizeof(reason));
	out->passed = out->serializable && !broken;
	if (!out->serializable && verifies)
		snprintf(out->failure + strlen(out->failure),
			 sizeof(out->failure) - strlen(out->failure), "; verify: %s",
			 broken ? broken : "passed");
	else if (broken)
		snprintf(out->failure, sizeof(out->failure),
			 "the workload's invariant is broken: %s", broken);
}

static bool count(const struct sim_machine *machine, size_t index, const char **name,
		  uint64_t *value)
{
	return flow_check_count(gpu_of(machine)->check, index, name, value);
}

/* ---- life ---- */

static int make_core(struct flow_gpu *gpu, uint32_t index)
{
	const struct flow_config *all = gpu->port->system_config;
	const struct flow_core_config *config = &gpu->config;
	struct flow_core *core = &gpu->core[index];
	uint32_t most = config->warps / gpu->threads.warps;
	int error;

	core->gpu = gpu;
	core->kernel = gpu->kernel;
	core->threads = &gpu->threads;
	core->mechanism = gpu->mechanism;
	core->mechanism_due = UINT64_MAX;
	core->scheduler = gpu->way ? gpu->way->config.scheduler : SIM_LRR;
	core->slots = gpu->way ? gpu->way->config.issue_slots : 1;
	core->slot_warps = gpu->way ? gpu->way->slot_warps : UINT64_MAX;
	sim_blocks_begin(&core->blocks, index, gpu->cores);
	core->residents = most < config->blocks ? most : config->blocks;
	core->interval = (gpu->kernel->lanes + config->simd_width - 1) / config->simd_width;
	gpu->port->shape.blocks = core->residents; /* this and the next, in names */
	gpu->port->shape.warps = core->residents * gpu->threads.warps;
	error = gpu->mechanism->make(core, all, &core->state);
	return error ? error : flow_memory_new(gpu, index, &all->coalescer, &core->memory);
}

static int make_cores(struct flow_gpu *gpu)
{
	char message[SIM_MESSAGE];
	int error = 0;

	if (gpu->threads.warps > gpu->config.warps)
		return sim_fail(gpu->port, -EINVAL, "a block has more warps than the core");
	gpu->core = sim_calloc(gpu->cores, sizeof(*gpu->core));
	if (!gpu->core)
		return -ENOMEM;
	for (uint32_t i = 0; !error && i < gpu->cores; i++)
		error = make_core(gpu, i);
	snprintf(message, sizeof(message), "%s: %s cannot run it so", gpu->kernel->file,
		 gpu->mechanism->class.name);
	return error == -EINVAL ? sim_fail(gpu->port, error, message) : error;
}

static int make_way(struct flow_gpu *gpu)
{
	static const struct sim_system_ops nothing;
	struct sim_machine *machine = gpu->machine;
	int error = sim_derive_machine(machine);

	gpu->way = machine;
	gpu->cores = machine->config.cores;
	machine->cores = &cores;
	machine->port.ops = &nothing;
	return error ? error : sim_machine_make_memory(machine);
}

static int make(struct sim_machine *machine)
{
	const struct flow_config *config = machine->port.system_config;
	const struct sim_run_options *options = &machine->options;
	struct flow_gpu *gpu = sim_calloc(1, sizeof(*gpu));
	int error = 0;

	machine->port.state = gpu;
	if (!gpu)
		return -ENOMEM;
	gpu->machine = machine;
	gpu->port = &machine->port;
	gpu->config = config->core;
	gpu->kernel = &gpu->launched;
	gpu->launched = *machine->port.workload->kernel;
	gpu->mechanism = (const struct flow_mechanism *)machine->system;
	gpu->issues = options->issues;
	gpu->cores = 1;
	if (machine->config.cores)
		error = make_way(gpu);
	if (options->prove)
		gpu->check = flow_check_new(options->seed, config->core.most_cycles, options->stop);
	if (kernel_has_host(gpu->kernel))
		machine->threads_left = 0;
	if (!error && options->prove && !gpu->check)
		error = -ENOMEM;
	if (!error)
		error = flow_threads_new(gpu->kernel, options->seed, &gpu->threads);
	return error ? error : make_cores(gpu);
}

static void unmake(struct sim_machine *machine)
{
	struct flow_gpu *gpu = gpu_of(machine);

	if (!gpu)
		return;
	for (uint32_t i = 0; gpu->core && i < gpu->cores; i++) {
		gpu->mechanism->free(gpu->core[i].state);
		flow_memory_free(gpu->core[i].memory);
	}
	flow_check_free(gpu->check);
	flow_threads_free(&gpu->threads);
	sim_free(gpu->core);
	sim_free(gpu);
}

static void io(struct sim_machine *machine, struct sim_io *io)
{
	const struct sim_workload *w = machine->port.workload;
	struct flow_gpu *gpu = gpu_of(machine);
	bool launched = kernel_has_host(gpu->kernel);

	if (launched)
		w->class->io_host(w, SIM_ALONE, &machine->between, io, &machine->launch);
	if (launched && io->loading && sim_io_ok(io))
		io->starved |= take_launch(gpu) != 0;
	flow_threads_io(&gpu->threads, io);
	for (uint32_t i = 0; i < gpu->cores && sim_io_ok(io); i++)
		flow_core_io(&gpu->core[i], io);
}

const struct sim_own_machine flow_cores = {
	.summary = "cores that run a kernel without a TM system",
	.make = make,
	.free = unmake,
	.run = run,
	.io = io,
	.check_kind = "equivalent",
	.judge = judge,
	.check_count = count,
};
