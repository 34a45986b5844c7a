/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of a run, its event loop, and what is due at certain times. */
#include "run.h"

#include <errno.h>

#include "../base/arena.h"

#define REPORT_TICKS (UINT64_C(1) << 18)

/* ---- life ---- */

int sim_run_fill(struct sim_run *run)
{
	struct sim_port *port = &run->port;

	port->memory = sim_memory_new();
	if (!port->memory)
		return -ENOMEM;
	port->workload->class->setup(port->workload, port->memory);
	return port->memory->exhausted ? -ENOMEM : 0;
}

static int make(struct sim_run *run, const struct sim_machine_config *config)
{
	enum sim_flavour flavour = run->system->flavour;

	if (flavour == SIM_ALONE)
		flavour = SIM_TRANSACTIONS; /* its place is that of the kernel itself */
	run->port.program = run->port.workload->program[flavour];
	if (!run->port.program)
		return sim_fail(&run->port, -EINVAL, run->port.workload->missing[flavour]);
	return run->class->make(run, config);
}

int sim_run_new(struct gputm_ctx *ctx, const struct sim_run_class *class,
		const struct sim_machine_config *config, const struct sim_system_class *system,
		const void *system_config, const struct sim_workload *workload,
		const struct sim_run_options *options, struct sim_run **out)
{
	struct sim_run *run = sim_calloc(1, class->size);
	int error;

	*out = run;
	if (!run)
		return -ENOMEM;
	run->port.ctx = ctx;
	run->port.ops = system->ops;
	run->port.system_config = system_config;
	run->port.workload = workload;
	run->port.observer = options->observer;
	run->port.kept = options->kept;
	run->port.seed = options->seed;
	run->port.core_ticks = 1;
	run->class = class;
	run->system = system;
	run->options = *options;
	run->patient = "machine";
	error = make(run, config);
	if (error && !run->port.error[0])
		snprintf(run->port.error, sizeof run->port.error, "%s",
			 error == -ENOMEM ? "out of memory" : "a unit refused its config");
	return error;
}

void sim_run_free(struct sim_run *run)
{
	if (!run)
		return;
	sim_units_free(&run->port);
	run->class->free(run);
	sim_memory_free(run->port.memory);
	sim_free(run);
}

const char *sim_run_error(const struct sim_run *run)
{
	return run ? run->port.error : "out of memory";
}

void sim_run_result(const struct sim_run *run, struct sim_result *out)
{
	uint64_t last, period = run->port.core_ticks;

	*out = run->port.result;
	out->core_mhz = run->core_mhz;
	last = run->port.failed == -EINTR ? run->port.now : run->last_work;
	out->cycles = (last + period - 1) / period;
	if (run->class->close)
		run->class->close(run, out);
}

/* ---- the state ---- */

#define LAST_TICK (UINT64_C(1) << 62) /* of a state; later times are sums with it */

static void io_all(struct sim_run *run, struct sim_io *io)
{
	sim_memory_io(run->port.memory, io);
	SIM_IO(io, run->port.now);
	sim_io_below(io, "now", run->port.now, LAST_TICK);
	SIM_IO(io, run->port.result);
	SIM_IO_FROM(io, run, threads_left);
	sim_io_must(io, "next_report", run->next_report <= run->port.now + REPORT_TICKS);
	run->class->io(run, io);
	sim_units_io(&run->port, io);
}

int sim_run_restore(struct sim_run *run, struct sim_io *io)
{
	io_all(run, io);
	run->restored = sim_io_ok(io) && io->at == io->size;
	return run->restored ? 0 : io->starved ? -ENOMEM : -EINVAL;
}

/* ---- what is due at certain times; each function returns the next one ---- */

static uint64_t save(struct sim_run *run)
{
	const struct sim_saver *saver = run->options.saver;
	uint64_t at = saver ? saver->cycle * run->port.core_ticks : SIM_NEVER;
	struct sim_io io = { .loading = false };

	if (run->port.now < at)
		return at;
	io_all(run, &io);
	saver->save(saver->state, &io);
	sim_free(io.byte);
	return SIM_NEVER;
}

static uint64_t swap(struct sim_run *run)
{
	uint64_t every = (uint64_t)run->swap_units_every * run->port.core_ticks;
	int error = every ? sim_units_swap(&run->port) : 0;

	if (error)
		sim_fail(&run->port, error, "a unit did not take over its own snapshot");
	return every ? run->port.now + every : SIM_NEVER;
}

static void look_if_due(struct sim_run *run)
{
	const struct sim_look *look = run->options.look;
	uint64_t now = run->port.now, next;

	if (now < run->next_look)
		return;
	next = look ? look->at(look->state) : SIM_NEVER;
	if (now >= run->next_save)
		run->next_save = save(run);
	if (now >= run->next_swap)
		run->next_swap = swap(run);
	run->next_look = sim_earlier(next, sim_earlier(run->next_save, run->next_swap));
}

static void look_at_memory(struct sim_run *run)
{
	if (run->port.memory->exhausted ||
	    (run->port.version && run->port.version->exhausted))
		sim_fail(&run->port, -ENOMEM, "no memory for the contents of global memory");
}

static void report_if_due(struct sim_run *run)
{
	const struct sim_run_options *options = &run->options;
	uint64_t cycles, threads = run->port.workload->threads;

	if (run->port.now < run->next_report)
		return;
	cycles = run->port.now / run->port.core_ticks;
	run->next_report = run->port.now + REPORT_TICKS;
	if (options->progress)
		options->progress(options->progress_state, threads - run->threads_left, threads,
				  cycles);
	if (options->stop && *options->stop)
		sim_fail(&run->port, -EINTR, "the run was stopped");
	if (options->most_cycles && cycles > options->most_cycles)
		sim_fail(&run->port, -ETIME, "the run took more cycles than it may");
	sim_run_look_patiently(run);
	if (run->class->look)
		run->class->look(run);
	look_at_memory(run);
}

/* ---- running ---- */

/* The event loop of every run. */
static void loop(struct sim_run *run)
{
	bool more = run->restored || run->class->begin(run);

	run->restored = false;
	while (more && !run->port.failed) {
		look_if_due(run);
		run->class->step(run);
		report_if_due(run);
		more = run->class->go_on(run);
	}
}

void sim_run_finish(struct sim_run *run)
{
	if (!run->port.failed && run->port.ops && run->port.ops->finished)
		run->port.ops->finished(&run->port);
}

static void check_units(struct sim_run *run)
{
	struct sim_unit_info info;

	for (size_t i = 0; run->options.check && sim_unit_get(&run->port, i, &info); i++) {
		const char *broken = gputm_unit_check(info.unit);
		char message[256];

		if (!broken)
			continue;
		snprintf(message, sizeof message, "%s %u: %s", info.role, info.instance, broken);
		sim_fail(&run->port, -EILSEQ, message);
	}
}

static void check_result(struct sim_run *run)
{
	struct sim_result result;
	const char *wrong;

	if (!run->options.check || !run->class->wrong || run->port.failed)
		return;
	sim_run_result(run, &result);
	wrong = run->class->wrong(run, &result);
	if (wrong)
		sim_fail(&run->port, -EILSEQ, wrong);
}

int sim_run_execute(struct sim_run *run)
{
	loop(run);
	look_at_memory(run);
	if (run->class->over)
		run->class->over(run);
	look_at_memory(run);
	if (run->threads_left)
		sim_fail(&run->port, -EDEADLK,
			 "nothing can happen any more, but threads have not ended");
	sim_run_finish(run);
	check_units(run);
	check_result(run);
	return run->port.failed;
}
