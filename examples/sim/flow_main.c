/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "progress.h"
#include "study/flow.h"

enum { DONE = 0, FAILED = 1, BAD_INPUT = 2 };

static int complain(int status, const char *message)
{
	fprintf(stderr, "gputm-sim: %s\n", message);
	return status;
}

static int judge_and_report(struct flow_check *check, struct flow_report *report)
{
	struct flow_verdict verdict;
	int status = DONE;

	if (check) {
		flow_check_judge(check, report->core, &verdict);
		report->verdict = &verdict;
	}
	if (flow_report_write(report))
		status = complain(FAILED, "the report could not be written");
	if (check && !verdict.equivalent) {
		fprintf(stderr, "gputm-sim: check failed: %s\n", verdict.failure);
		status = FAILED;
	}
	return status;
}

/* A run that cannot go on is a failure of the check if there is one, else of the run. */
static int run(struct flow_core *core, struct flow_check *check, struct flow_report *report)
{
	struct sim_bar bar;
	double start = sim_seconds();
	int error;

	sim_bar_init(&bar, report->options->progress);
	core->check = check;
	core->progress = sim_bar_update;
	core->progress_state = &bar;
	error = flow_core_run(core);
	sim_bar_end(&bar);
	report->wall_seconds = sim_seconds() - start;
	report->core = core;
	if (error && !check)
		return complain(FAILED, core->error);
	return judge_and_report(check, report);
}

static int run_core(struct gputm_ctx *ctx, const struct flow_kernel *kernel, FILE *issues,
		    struct flow_check *check, struct flow_report *report)
{
	const struct flow_setup *setup = report->setup;
	struct flow_core core;
	int status, error;

	error = flow_core_new(ctx, &setup->core, &setup->coalescer, kernel, setup->mechanism,
			      setup->mechanism_config, report->options->seed, &core);
	core.issues = issues;
	if (error)
		status = complain(error == -ENOMEM ? FAILED : BAD_INPUT,
				  error == -ENOMEM ? "out of memory" : core.error);
	else
		status = run(&core, check, report);
	flow_core_free(&core);
	return status;
}

/* The threads alone come first: what is wrong with the kernel itself is bad input. */
static int check_and_run(struct gputm_ctx *ctx, const struct flow_kernel *kernel, FILE *issues,
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
		status = complain(error == -ENOMEM ? FAILED : BAD_INPUT, message);
	else
		status = run_core(ctx, kernel, issues, check, report);
	flow_check_free(check);
	return status;
}

FILE *sim_open_output(const char *option, const char *name)
{
	FILE *out = name ? fopen(name, "w") : stdout;

	if (!out)
		fprintf(stderr, "gputm-sim: --%s: got \"%s\", expected a file to write to: %s\n",
			option, name, strerror(errno));
	return out;
}

static int close_output(const char *name, FILE *file, int status)
{
	if (name && file && fclose(file) && status == DONE)
		return complain(FAILED, "the report could not be written");
	return status;
}

static int open_and_run(struct gputm_ctx *ctx, const struct flow_kernel *kernel,
			struct flow_report *report)
{
	const struct sim_options *o = report->options;
	FILE *issues = o->issues ? sim_open_output("issues", o->issues) : NULL;
	int status = BAD_INPUT;

	if (o->issues && !issues)
		return status;
	report->out = sim_open_output("out", o->out);
	if (report->out)
		status = check_and_run(ctx, kernel, issues, report);
	status = close_output(o->out, report->out, status);
	return close_output(o->issues, issues, status);
}

int flow_main(struct gputm_ctx *ctx, const struct sim_options *options)
{
	struct flow_setup setup;
	struct flow_kernel kernel;
	struct flow_report report = { .options = options, .setup = &setup };
	char message[400];
	int status = flow_setup_make(ctx, options, &setup) ? BAD_INPUT : DONE;

	if (status == DONE &&
	    flow_kernel_load(options->kernel, &kernel, message, sizeof(message)))
		status = complain(BAD_INPUT, message);
	else if (status == DONE) {
		status = flow_setup_fits(&setup, &kernel) ? open_and_run(ctx, &kernel, &report) :
							    BAD_INPUT;
		flow_kernel_free(&kernel);
	}
	flow_setup_free(&setup);
	return status;
}
