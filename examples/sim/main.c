/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gputm-sim: runs a workload under a transactional memory system on a small machine, or
 * a kernel under a mechanism for branches on one core, and reports. Exit status: base/output.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "study/flow.h"
#include "list.h"
#include "machine/machine.h"
#include "options.h"
#include "base/output.h"
#include "progress.h"
#include "report/report.h"
#include "study/kernels.h"
#include "study/setup.h"

/* What all lanes of a warp run into is said once. */
static void say(void *state, enum gputm_log_level level, const char *message)
{
	static char last[256];

	(void)state;
	(void)level;
	if (!strncmp(last, message, sizeof(last) - 1))
		return;
	snprintf(last, sizeof(last), "%s", message);
	fprintf(stderr, "gputm-sim: %s\n", message);
}

static int run(struct sim_machine *machine, struct sim_bar *bar, struct sim_report *report)
{
	double start = sim_seconds();
	int error = sim_machine_run(machine);

	sim_bar_end(bar);
	report->wall_seconds = sim_seconds() - start;
	if (error && error != -EINTR)
		return sim_complain(SIM_FAILED, sim_machine_error(machine));
	sim_machine_result(machine, &report->result);
	report->ended = error ? sim_stop : 0;
	if (!error)
		return SIM_DONE;
	fprintf(stderr, "gputm-sim: ended by %s at cycle %llu%s\n", sim_ended_by(report->ended),
		(unsigned long long)report->result.cycles,
		report->options->check ? "; the check is not made" : "");
	return SIM_ENDED;
}

/* Transactions that are half written when a run is ended make no serial order: no check. */
static int judge_and_report(struct sim_machine *machine, struct sim_check *check,
			    struct sim_report *report, int status)
{
	struct sim_verdict verdict = { .passed = true };

	if (check && !report->ended) {
		if (sim_check_judge(check, sim_machine_memory(machine), &verdict))
			return sim_complain(SIM_FAILED, "out of memory for --check");
		report->verdict = &verdict;
	}
	if (sim_report_write(report))
		status = sim_complain(SIM_FAILED, "out of memory for the report");
	if (sim_output_close(&report->out, status != SIM_FAILED))
		status = SIM_FAILED;
	if (verdict.passed)
		return status;
	fprintf(stderr, "gputm-sim: check failed: %s\n", verdict.failure);
	return SIM_FAILED;
}

static int simulate(struct gputm_ctx *ctx, struct sim_check *check, struct sim_report *report)
{
	const struct sim_options *options = report->options;
	struct sim_machine *machine;
	struct sim_bar bar;
	struct sim_run_options run_options = {
		.concurrency = (uint32_t)options->concurrency,
		.likely = report->setup->likely,
		.seed = options->seed,
		.observer = check ? sim_check_observer(check) : NULL,
		.systems = sim_system_classes,
		.progress = sim_bar_update,
		.progress_state = &bar,
		.stop = &sim_stop,
	};
	int status, error;

	sim_bar_init(&bar, options->progress);
	error = sim_machine_new(ctx, &report->setup->machine, report->setup->system,
				report->setup->system_config, report->workload, &run_options,
				&machine);
	report->machine = machine;
	if (error)
		status = sim_complain(error == -ENOMEM ? SIM_FAILED : SIM_BAD_INPUT,
				  sim_machine_error(machine));
	else
		status = run(machine, &bar, report);
	if (status == SIM_DONE || status == SIM_ENDED)
		status = judge_and_report(machine, check, report, status);
	sim_machine_free(machine);
	return status;
}

static int check_and_simulate(struct gputm_ctx *ctx, struct sim_report *report)
{
	struct sim_check *check = NULL;
	int status;

	if (report->options->check) {
		check = sim_check_new(report->workload);
		if (!check)
			return sim_complain(SIM_FAILED, "out of memory for --check");
	}
	status = simulate(ctx, check, report);
	sim_check_free(check);
	return status;
}

static int make_workload(const struct sim_setup *setup, const struct sim_options *options,
			 struct sim_workload **out)
{
	struct sim_workload_request request = {
		.class = setup->workload,
		.config = setup->workload_config,
		.threads = options->threads,
		.seed = options->seed,
		.keys = options->keys,
		.edges = options->edges,
		.trace = options->trace,
	};
	const struct sim_program *program;
	const char *reason;
	char error[256];

	if (options->threads_given && setup->workload->fixed_threads) {
		fprintf(stderr, "gputm-sim: --threads: workload %s has a given number of threads, "
				"expected no --threads\n", setup->workload->name);
		return SIM_BAD_INPUT;
	}
	if (setup->workload->make(&request, out, error, sizeof(error)))
		return sim_complain(SIM_BAD_INPUT, error);
	program = (*out)->program[setup->system->flavour];
	if (program && !(program->gpu_only && setup->system->own))
		return SIM_DONE;
	reason = program ? "it has add, barrier or exit, which its machine does not know" :
			   (*out)->missing[setup->system->flavour];
	fprintf(stderr, "gputm-sim: workload %s does not run on %s: %s\n", (*out)->name,
		setup->system->name, reason ? reason : "its data are not in local memory");
	(*out)->class->free(*out);
	return SIM_BAD_INPUT;
}

static int open_and_simulate(struct gputm_ctx *ctx, struct sim_report *report)
{
	int status;

	sim_stop_on_signals();
	if (sim_output_open(&report->out, "out", report->options->out))
		return SIM_BAD_INPUT;
	status = check_and_simulate(ctx, report);
	(void)sim_output_close(&report->out, false);
	return status;
}

static int prepare_and_run(struct gputm_ctx *ctx, const struct sim_options *options)
{
	struct sim_setup setup;
	struct sim_workload *workload;
	struct sim_report report = { .options = options, .setup = &setup };
	int status = sim_setup_make(ctx, options, &setup) ? SIM_BAD_INPUT : SIM_DONE;

	if (status == SIM_DONE)
		status = make_workload(&setup, options, &workload);
	if (status == SIM_DONE) {
		report.workload = workload;
		status = sim_setup_fits(&setup, workload) ? open_and_simulate(ctx, &report) :
							    SIM_BAD_INPUT;
		workload->class->free(workload);
	}
	sim_setup_free(&setup);
	return status;
}

/* What only prints. */
static int tell(const struct sim_options *options)
{
	const char *name = options->list_name ? options->list_name :
			   options->system_given ? options->system :
			   options->workload_given ? options->workload : options->divergence;
	struct sim_output out;
	int status = SIM_DONE;

	if (sim_output_open(&out, "out", NULL))
		return SIM_FAILED;
	if (options->help)
		sim_options_help();
	else if (options->version)
		printf("gputm-sim %s\n", gputm_version());
	else if (sim_list(options->machine, name))
		status = SIM_BAD_INPUT;
	return sim_output_close(&out, true) ? SIM_FAILED : status;
}

static int start(const struct sim_options *o)
{
	const struct sim_file files[] = {
		{ "out", o->out },     { "issues", o->issues }, { "keys", o->keys },
		{ "edges", o->edges }, { "trace", o->trace },	{ "kernel", o->kernel },
	};
	struct gputm_ctx *ctx;
	int status;

	sim_kernels_beside(o->program);
	if (o->help || o->version || o->list)
		return tell(o);
	if (!sim_outputs_apart(files, 2, sizeof files / sizeof *files))
		return SIM_BAD_INPUT;
	if (gputm_ctx_new(NULL, &ctx))
		return sim_complain(SIM_FAILED, "out of memory");
	gputm_ctx_set_log(ctx, say, NULL, GPUTM_LOG_ERROR);
	status = o->kernel && !o->system_given ? flow_main(ctx, o) : prepare_and_run(ctx, o);
	gputm_ctx_unref(ctx);
	return status;
}

int main(int argc, char **argv)
{
	struct sim_options options;
	int status = SIM_BAD_INPUT;

	sim_outputs_init();
	if (!sim_options_parse(argc, argv, &options))
		status = start(&options);
	sim_options_free(&options);
	return status;
}
