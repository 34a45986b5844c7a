/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gputm-sim: runs a workload under a transactional memory system on a small machine, or
 * a kernel under a mechanism for branches on one core, and reports. Exit status: 0
 * done; 1 the run got stuck or its check failed; 2 usage or bad input.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "study/flow.h"
#include "machine/machine.h"
#include "options.h"
#include "progress.h"
#include "report/report.h"
#include "study/setup.h"

enum { DONE = 0, FAILED = 1, BAD_INPUT = 2 };

static void say(void *state, enum gputm_log_level level, const char *message)
{
	(void)state;
	(void)level;
	fprintf(stderr, "gputm-sim: %s\n", message);
}

static int complain(int status, const char *message)
{
	fprintf(stderr, "gputm-sim: %s\n", message);
	return status;
}

static int run(struct sim_machine *machine, struct sim_bar *bar, struct sim_report *report)
{
	double start = sim_seconds();
	int error = sim_machine_run(machine);

	sim_bar_end(bar);
	report->wall_seconds = sim_seconds() - start;
	if (error)
		return complain(FAILED, sim_machine_error(machine));
	sim_machine_result(machine, &report->result);
	return DONE;
}

static int judge_and_report(struct sim_machine *machine, struct sim_check *check,
			    struct sim_report *report)
{
	struct sim_verdict verdict;
	int status;

	if (check) {
		if (sim_check_judge(check, sim_machine_memory(machine), &verdict))
			return complain(FAILED, "out of memory for --check");
		report->verdict = &verdict;
	}
	status = DONE;
	if (sim_report_write(report))
		status = complain(FAILED, "the report could not be written");
	if (check && !verdict.passed) {
		fprintf(stderr, "gputm-sim: check failed: %s\n", verdict.failure);
		return FAILED;
	}
	return status;
}

static int simulate(struct gputm_ctx *ctx, struct sim_check *check, struct sim_report *report)
{
	const struct sim_options *options = report->options;
	struct sim_machine *machine;
	struct sim_bar bar;
	struct sim_run_options run_options = {
		.concurrency = (uint32_t)options->concurrency,
		.seed = options->seed,
		.observer = check ? sim_check_observer(check) : NULL,
		.systems = sim_system_classes,
		.progress = sim_bar_update,
		.progress_state = &bar,
	};
	int status, error;

	sim_bar_init(&bar, options->progress);
	error = sim_machine_new(ctx, &report->setup->machine, report->setup->system,
				report->setup->system_config, report->workload, &run_options,
				&machine);
	report->machine = machine;
	if (error)
		status = complain(error == -ENOMEM ? FAILED : BAD_INPUT,
				  sim_machine_error(machine));
	else
		status = run(machine, &bar, report);
	if (status == DONE)
		status = judge_and_report(machine, check, report);
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
			return complain(FAILED, "out of memory for --check");
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
	const char *reason;
	char error[256];

	if (options->threads_given && setup->workload->fixed_threads) {
		fprintf(stderr, "gputm-sim: --threads: workload %s has a given number of threads, "
				"expected no --threads\n", setup->workload->name);
		return BAD_INPUT;
	}
	if (setup->workload->make(&request, out, error, sizeof(error)))
		return complain(BAD_INPUT, error);
	if ((*out)->program[setup->system->flavour])
		return DONE;
	reason = (*out)->missing[setup->system->flavour];
	fprintf(stderr, "gputm-sim: workload %s does not run on %s: %s\n", (*out)->name,
		setup->system->name, reason ? reason : "its data are not in local memory");
	(*out)->class->free(*out);
	return BAD_INPUT;
}

static int open_and_simulate(struct gputm_ctx *ctx, struct sim_report *report)
{
	int status;

	report->out = sim_open_output("out", report->options->out);
	if (!report->out)
		return BAD_INPUT;
	status = check_and_simulate(ctx, report);
	if (report->options->out && fclose(report->out) && status == DONE)
		status = complain(FAILED, "the report could not be written");
	return status;
}

static int prepare_and_run(struct gputm_ctx *ctx, const struct sim_options *options)
{
	struct sim_setup setup;
	struct sim_workload *workload;
	struct sim_report report = { .options = options, .setup = &setup };
	int status = sim_setup_make(ctx, options, &setup) ? BAD_INPUT : DONE;

	if (status == DONE)
		status = make_workload(&setup, options, &workload);
	if (status == DONE) {
		report.workload = workload;
		status = sim_setup_fits(&setup, workload) ? open_and_simulate(ctx, &report) :
							    BAD_INPUT;
		workload->class->free(workload);
	}
	sim_setup_free(&setup);
	return status;
}

static int start(const struct sim_options *options)
{
	struct gputm_ctx *ctx;
	int status;

	if (options->help)
		sim_options_help();
	else if (options->version)
		printf("gputm-sim %s\n", gputm_version());
	else if (options->list)
		sim_list();
	if (options->help || options->version || options->list)
		return fflush(stdout) || ferror(stdout) ?
			       complain(FAILED, "standard output could not be written") : DONE;
	if (gputm_ctx_new(NULL, &ctx))
		return complain(FAILED, "out of memory");
	gputm_ctx_set_log(ctx, say, NULL, GPUTM_LOG_ERROR);
	status = options->kernel ? flow_main(ctx, options) : prepare_and_run(ctx, options);
	gputm_ctx_unref(ctx);
	return status;
}

int main(int argc, char **argv)
{
	struct sim_options options;
	int status = BAD_INPUT;

	if (!sim_options_parse(argc, argv, &options))
		status = start(&options);
	sim_options_free(&options);
	return status;
}
