/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "progress.h"
#include "kernel/script.h"
#include "study/flow.h"

static int judge_and_report(struct flow_check *check, struct flow_report *report, int status)
{
	struct flow_verdict verdict = { .equivalent = true };

	if (check && !report->ended) {
		flow_check_judge(check, report->gpu, &verdict);
		report->verdict = &verdict;
	}
	if (flow_report_write(report))
		status = sim_complain(SIM_FAILED, "out of memory for the report");
	if (sim_output_close(&report->out, status != SIM_FAILED))
		status = SIM_FAILED;
	if (verdict.equivalent)
		return status;
	fprintf(stderr, "gputm-sim: check failed: %s\n", verdict.failure);
	return SIM_FAILED;
}

static int say_ended(const struct flow_report *report)
{
	fprintf(stderr, "gputm-sim: ended by %s at cycle %llu%s\n", sim_ended_by(report->ended),
		(unsigned long long)report->gpu->result.cycles,
		report->options->check ? "; the check is not made" : "");
	return SIM_ENDED;
}

/* A run that cannot go on is a failure of the check if there is one, else of the run. */
static int run(struct flow_gpu *gpu, struct flow_check *check, struct flow_report *report)
{
	struct sim_bar bar;
	double start = sim_seconds();
	int error;

	sim_bar_init(&bar, report->options->progress);
	gpu->check = check;
	gpu->progress = sim_bar_update;
	gpu->progress_state = &bar;
	gpu->stop = &sim_stop;
	sim_stop_on_signals();
	error = flow_gpu_run(gpu);
	sim_bar_end(&bar);
	report->wall_seconds = sim_seconds() - start;
	report->gpu = gpu;
	if (error == -EINTR)
		report->ended = sim_stop;
	else if (error && !check)
		return sim_complain(SIM_FAILED, gpu->error);
	return judge_and_report(check, report, report->ended ? say_ended(report) : SIM_DONE);
}

static int run_gpu(struct gputm_ctx *ctx, const struct kernel *kernel, struct flow_check *check,
		   struct flow_report *report)
{
	const struct flow_setup *setup = report->setup;
	const struct flow_request request = {
		.core = &setup->core, .machine = setup->machine_name ? &setup->machine : NULL,
		.coalescer = &setup->coalescer, .mechanism = setup->mechanism,
		.mechanism_config = setup->mechanism_config, .kernel = kernel,
		.seed = report->options->seed,
	};
	struct flow_gpu gpu;
	int status, error = flow_gpu_new(ctx, &request, &gpu);

	gpu.issues = report->issues.file;
	if (error)
		status = sim_complain(error == -ENOMEM ? SIM_FAILED : SIM_BAD_INPUT,
				  error == -ENOMEM ? "out of memory" : gpu.error);
	else
		status = run(&gpu, check, report);
	flow_gpu_free(&gpu);
	return status;
}

/* The threads alone come first: what is wrong with the kernel itself is bad input. */
static int check_and_run(struct gputm_ctx *ctx, const struct kernel *kernel,
			 struct flow_report *report)
{
	struct flow_check *check = NULL;
	char message[400] = "out of memory for --check";
	int error = 0, status;

	if (report->options->check)
		error = flow_check_new(kernel, report->options->seed,
				       report->setup->core.most_cycles, &check, message,
				       sizeof(message));
	if (error)
		status = sim_complain(error == -ENOMEM ? SIM_FAILED : SIM_BAD_INPUT, message);
	else
		status = run_gpu(ctx, kernel, check, report);
	flow_check_free(check);
	return status;
}

/* What was issued is of use though the run got stuck; a report there is only of one that ended. */
static int open_and_run(struct gputm_ctx *ctx, const struct kernel *kernel,
			struct flow_report *report)
{
	const struct sim_options *o = report->options;
	int status;

	if ((o->issues && sim_output_open(&report->issues, "issues", o->issues)) ||
	    sim_output_open(&report->out, "out", o->out)) {
		(void)sim_output_close(&report->issues, false);
		return SIM_BAD_INPUT;
	}
	status = check_and_run(ctx, kernel, report);
	(void)sim_output_close(&report->out, false);
	if (sim_output_close(&report->issues, status != SIM_BAD_INPUT))
		status = SIM_FAILED;
	return status;
}

int flow_main(struct gputm_ctx *ctx, const struct sim_options *options)
{
	struct flow_setup setup;
	struct kernel kernel;
	struct flow_report report = { .options = options, .setup = &setup };
	const struct kernel_request request = { .seed = options->seed };
	char message[400];
	int status = flow_setup_make(ctx, options, &setup) ? SIM_BAD_INPUT : SIM_DONE;

	if (status == SIM_DONE &&
	    kernel_load(options->kernel, &request, &kernel, message, sizeof(message)))
		status = sim_complain(SIM_BAD_INPUT, message);
	else if (status == SIM_DONE) {
		if (kernel_setup(&kernel, kernel.initial, message, sizeof(message)))
			status = sim_complain(SIM_BAD_INPUT, message);
		else if (!flow_setup_fits(&setup, options, &kernel))
			status = SIM_BAD_INPUT;
		else
			status = open_and_run(ctx, &kernel, &report);
		kernel_free(&kernel);
	}
	flow_setup_free(&setup);
	return status;
}
