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

#include "../kernel/script.h"
#include "alone.h"
#include "l1.h"
#include "mechanism.h"
#include "simt_core.h"
#include "wiring.h"

#define TURNS 4096u /* cycles, or turns, between two checks for an early end */

static int fail_anywhere(struct flow_gpu *gpu, const char *reason, uint64_t cycles)
{
	snprintf(gpu->error, sizeof(gpu->error), "%s: %s after %llu cycles", gpu->kernel->file,
		 reason, (unsigned long long)cycles);
	return -EINVAL;
}

static int fail_stuck(struct flow_gpu *gpu, uint64_t cycles)
{
	return fail_anywhere(gpu, "warps wait for ever, at a barrier or for each other,", cycles);
}

static bool over(const struct flow_gpu *gpu)
{
	return gpu->ended == gpu->kernel->threads;
}

/* Is the run to end early, or past its limit? */
static int look(struct flow_gpu *gpu, uint64_t now)
{
	if (gpu->progress)
		gpu->progress(gpu->progress_state, gpu->ended, gpu->kernel->threads, now);
	if (gpu->stop && *gpu->stop)
		return -EINTR;
	if (now > gpu->config.most_cycles || (gpu->check && flow_check_hopeless(gpu->check)))
		return fail_anywhere(gpu, "given up", now);
	return 0;
}

/* ---- launches ---- */

/* Run kernel `number` of the program, with the present memory. */
static int take_launch(struct flow_gpu *gpu, uint32_t number)
{
	uint64_t seed = gpu->threads.seed;

	kernel_become(&gpu->launched, number);
	gpu->ended = 0;
	flow_threads_free(&gpu->threads);
	return flow_threads_new(gpu->kernel, seed, &gpu->threads);
}

/* All cores go on in the cycle in which the launch before is over. */
static int end_launch(struct flow_gpu *gpu)
{
	struct sim_machine *machine = gpu->machine;
	uint64_t cycle = 0;

	while (machine && sim_machine_step(machine))
		;
	for (uint32_t i = 0; i < gpu->cores; i++)
		cycle = sim_later(cycle, sim_later(gpu->core[i].now, gpu->core[i].stored));
	if (machine) {
		cycle = sim_later(cycle, machine->port.now / machine->port.core_ticks + 1);
		machine->wheel.now = machine->port.now = cycle * machine->port.core_ticks;
	}
	for (uint32_t i = 0; i < gpu->cores; i++) {
		struct flow_core *core = &gpu->core[i];

		core->result.idle += cycle - core->now;
		core->now = cycle;
		sim_blocks_begin(&core->blocks, i, gpu->cores);
	}
	if (gpu->check)
		flow_check_compare(gpu->check, gpu);
	return look(gpu, cycle);
}

/* 1: the host's next launch is ready to run; 0: there is none; or an error. */
static int ask_host(struct flow_gpu *gpu)
{
	bool first = !gpu->launched.code->instr_count;
	uint32_t number;
	int result;

	if (!first)
		gpu->launched.initial = flow_gpu_memory(gpu);
	result = gpu->left->exhausted ? -ENOMEM :
		 kernel_host_next(gpu->host, gpu->launched.initial, &number, gpu->error,
				  sizeof(gpu->error));
	if (result <= 0)
		return result;
	result = first ? 0 : end_launch(gpu);
	if (!result)
		result = take_launch(gpu, number);
	return result ? result : 1;
}

static int next_launch(struct flow_gpu *gpu)
{
	int more, error = 0;

	snprintf(gpu->error, sizeof(gpu->error), "out of memory");
	more = gpu->host ? ask_host(gpu) : !gpu->ended;
	if (more > 0 && gpu->check)
		error = flow_check_launch(gpu->check, gpu->kernel, gpu->error,
					  sizeof(gpu->error));
	return error ? error : more;
}

/* ---- the state of a run ---- */

static void io_all(struct flow_gpu *gpu, struct sim_io *io)
{
	uint32_t number;

	if (gpu->host)
		kernel_host_io(gpu->host, io, &number);
	if (gpu->host && io->loading && sim_io_ok(io))
		io->starved |= take_launch(gpu, number) != 0;
	flow_threads_io(&gpu->threads, io);
	SIM_IO(io, gpu->ended);
	if (gpu->machine)
		sim_machine_bare_io(gpu->machine, io);
	for (uint32_t i = 0; i < gpu->cores && sim_io_ok(io); i++)
		flow_core_io(&gpu->core[i], io);
	sim_units_io(&gpu->port, io);
}

int flow_gpu_restore(struct flow_gpu *gpu, struct sim_io *io)
{
	io_all(gpu, io);
	gpu->restored = sim_io_ok(io) && io->at == io->size;
	return gpu->restored ? 0 : io->starved ? -ENOMEM : -EINVAL;
}

static void save_if_due(struct flow_gpu *gpu, uint64_t now)
{
	struct sim_io io = { .loading = false };

	if (!gpu->saver || now < gpu->saver->cycle)
		return;
	io_all(gpu, &io);
	gpu->saver->save(gpu->saver->state, &io);
	gpu->saver = NULL;
	free(io.byte);
}

/* ---- one core, and memory at a distance ---- */

static int run_alone(struct flow_gpu *gpu)
{
	struct flow_core *core = gpu->core;
	int error = 0;

	while (!error && !over(gpu)) {
		uint64_t limit = sim_earlier(core->now + TURNS, gpu->config.most_cycles);

		save_if_due(gpu, core->now);
		if (gpu->saver)
			limit = sim_earlier(limit, gpu->saver->cycle - 1);
		error = flow_core_run(core, UINT64_MAX, limit);
		if (error == -EDEADLK)
			return fail_stuck(gpu, core->now);
		if (!error)
			error = look(gpu, core->now);
	}
	return error;
}

/* ---- a machine ---- */

static struct flow_gpu *gpu_of(const struct sim_machine *machine)
{
	return machine->port.state;
}

static void call(struct sim_machine *machine, uint32_t index)
{
	struct flow_gpu *gpu = gpu_of(machine);
	struct flow_core *core = &gpu->core[index];
	uint64_t cycle = machine->port.now / machine->port.core_ticks;
	int error;

	error = flow_core_run(core, cycle, gpu->issues ? cycle : cycle + TURNS);
	if (error)
		sim_fail(&machine->port, error, gpu->error);
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
	sim_wheel_wake(&machine->wheel, SIM_CORE, message->core,
		       (cycle + gpu->config.latency) * period);
}

static int swap_if_due(struct flow_gpu *gpu, uint64_t cycle)
{
	uint32_t every = gpu->machine->config.swap_units_every;

	if (!every || cycle < gpu->next_swap)
		return 0;
	gpu->next_swap = cycle + every;
	return sim_units_swap(&gpu->port) ?
		       fail_anywhere(gpu, "a unit did not take over its own snapshot", cycle) : 0;
}

static const struct sim_core_ops cores = { .call = call, .accept = accept };

static int run_on_machine(struct flow_gpu *gpu)
{
	struct sim_machine *machine = gpu->machine;
	int error = 0;

	for (uint32_t i = 0; i < gpu->cores && !gpu->restored; i++)
		sim_wheel_wake(&machine->wheel, SIM_CORE, i, machine->port.now);
	for (uint32_t turn = 1; !error && !over(gpu); turn++) {
		uint64_t cycle = machine->port.now / machine->port.core_ticks;

		save_if_due(gpu, cycle + TURNS); /* before a core can go beyond its cycle */
		error = swap_if_due(gpu, cycle);
		if (!error && !sim_machine_step(machine) && !machine->port.failed && !over(gpu))
			return fail_stuck(gpu, cycle);
		error = error ? error : machine->port.failed;
		if (!error && !(turn % TURNS))
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

	for (size_t i = 0; sim_unit_get(&gpu->port, i, &unit); i++)
		if (gputm_unit_stat_value(unit.unit, "max_depth", &depth))
			most = sim_later(most, depth);
	return most;
}

/* Cycles and depth are not sums; all else is. */
static void add_result(struct flow_result *all, const struct flow_core *core)
{
	const uint64_t *from = &core->result.issued;
	uint64_t *to = &all->issued, hits, misses;

	for (size_t i = 0; i < (sizeof(*all) - offsetof(struct flow_result, issued)) / 8; i++)
		to[i] += from[i];
	flow_memory_counts(core->memory, &hits, &misses);
	all->hits += hits;
	all->misses += misses;
	all->cycles = core->now > all->cycles ? core->now : all->cycles;
}

struct sim_memory *flow_gpu_memory(struct flow_gpu *gpu)
{
	for (size_t i = 0; i < flow_words(gpu->kernel); i++)
		sim_memory_write(gpu->left, gpu->threads.origin + 4 * i, gpu->threads.word[i]);
	for (size_t i = 0; gpu->kernel->shows_shared && i < gpu->kernel->shared_words; i++)
		sim_memory_write(gpu->left, 4 * i, gpu->threads.shared[i]);
	return gpu->left;
}

int flow_gpu_run(struct flow_gpu *gpu)
{
	struct sim_unit_info unit;
	int error = look(gpu, 0), more = 1;

	while (!error && (gpu->restored || (more = next_launch(gpu)) > 0)) {
		error = gpu->machine ? run_on_machine(gpu) : run_alone(gpu);
		gpu->restored = false;
	}
	error = more < 0 ? more : error;
	for (uint32_t i = 0; i < gpu->cores; i++)
		add_result(&gpu->result, &gpu->core[i]);
	gpu->result.depth = depth(gpu);
	if (error && error != -EINTR && error != -ENOEXEC && gpu->check)
		flow_check_stopped(gpu->check, gpu->error);
	for (size_t i = 0; gpu->check && sim_unit_get(&gpu->port, i, &unit); i++)
		flow_check_unit(gpu->check, &unit);
	return error;
}

/* ---- life ---- */

static int make_core(struct flow_gpu *gpu, const struct flow_request *request, uint32_t index)
{
	const struct flow_core_config *config = &gpu->config;
	struct flow_core *core = &gpu->core[index];
	uint32_t most = config->warps / gpu->threads.warps;
	int error;

	core->gpu = gpu;
	core->kernel = gpu->kernel;
	core->threads = &gpu->threads;
	core->mechanism = gpu->mechanism;
	core->mechanism_due = UINT64_MAX;
	sim_blocks_begin(&core->blocks, index, gpu->cores);
	core->residents = most < config->blocks ? most : config->blocks;
	core->interval = (gpu->kernel->lanes + config->simd_width - 1) / config->simd_width;
	gpu->port.shape.warps = core->residents * gpu->threads.warps; /* of a core, in names */
	error = gpu->mechanism->make(core, request->mechanism_config, &core->state);
	return error ? error : flow_memory_new(gpu, index, request->coalescer, &core->memory);
}

static int make_cores(struct flow_gpu *gpu, const struct flow_request *request)
{
	int error = 0;

	if (gpu->threads.warps > gpu->config.warps) {
		snprintf(gpu->error, sizeof(gpu->error), "%s: a block has %u warps, the core "
			 "has room for %u", gpu->kernel->file, gpu->threads.warps,
			 gpu->config.warps);
		return -EINVAL;
	}
	gpu->core = calloc(gpu->cores, sizeof(*gpu->core));
	if (!gpu->core)
		return -ENOMEM;
	for (uint32_t i = 0; !error && i < gpu->cores; i++)
		error = make_core(gpu, request, i);
	if (error == -EINVAL && !*gpu->error)
		snprintf(gpu->error, sizeof(gpu->error), "%s: %s cannot run it so",
			 gpu->kernel->file, gpu->mechanism->name);
	return error;
}

int flow_gpu_new(struct gputm_ctx *ctx, const struct flow_request *request, struct flow_gpu *out)
{
	int error = 0;

	memset(out, 0, sizeof(*out));
	out->port.ctx = ctx;
	out->config = *request->core;
	out->kernel = &out->launched;
	out->launched = *request->kernel;
	out->mechanism = request->mechanism;
	out->cores = request->machine ? request->machine->cores : 1;
	if (request->machine)
		error = sim_machine_bare(ctx, request->machine, &cores, out, &out->machine);
	if (error == -EINVAL)
		snprintf(out->error, sizeof(out->error), "%s", sim_machine_error(out->machine));
	out->left = sim_memory_new();
	if (kernel_has_host(out->kernel))
		out->host = kernel_host_new(out->kernel, KERNEL_HOST);
	if (!error && (!out->left || (kernel_has_host(out->kernel) && !out->host)))
		error = -ENOMEM;
	if (!error)
		error = flow_threads_new(out->kernel, request->seed, &out->threads);
	return error ? error : make_cores(out, request);
}

void flow_gpu_free(struct flow_gpu *gpu)
{
	sim_units_free(&gpu->port);
	for (uint32_t i = 0; gpu->core && i < gpu->cores; i++) {
		gpu->mechanism->free(gpu->core[i].state);
		flow_memory_free(gpu->core[i].memory);
	}
	flow_threads_free(&gpu->threads);
	sim_machine_free(gpu->machine);
	free(gpu->core);
	kernel_host_free(gpu->host);
	sim_memory_free(gpu->left);
	memset(gpu, 0, sizeof(*gpu));
}
