/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gputm-sim: runs a workload under a transactional memory system on a small machine, or
 * a kernel under a mechanism for branches on one core, and reports. Exit status: base/output.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "base/arena.h"
#include "check/check.h"
#include "check/history.h"
#include "check/record.h"
#include "list.h"
#include "machine/machine.h"
#include "study/options.h"
#include "base/output.h"
#include "study/progress.h"
#include "report/point.h"
#include "report/report.h"
#include "study/kernels.h"
#include "study/setup.h"
#include "sweep/axes.h"
#include "sweep/sweep.h"
#include "view.h"

/* All lanes of a warp may log the same message: print it once. */
static char last[256];

static void say(void *state, enum gputm_log_level level, const char *message)
{
	(void)state;
	(void)level;
	if (!strncmp(last, message, sizeof(last) - 1))
		return;
	snprintf(last, sizeof(last), "%s", message);
	fprintf(stderr, "gputm-sim: %s\n", message);
}

/* The proof of a run: a replay of its transactions, or the machine's own judgement. */
struct proof {
	struct sim_check *replay;
	struct sim_history *history;
	struct sim_conflicts *conflicts;
	void (*judge)(struct sim_run *run, struct sim_verdict *out);
	struct sim_verdict verdict;
};

/* Stuck threads are a finding of a machine that judges itself, and a failed run elsewhere. Errors
 * of the kernel itself are bad input. */
static int run(const struct proof *proof, struct sim_bar *bar, struct sim_report *report)
{
	double start = sim_seconds();
	int error = sim_run_execute(report->run);

	sim_bar_end(bar);
	report->wall_seconds = sim_seconds() - start;
	if (error == -ENOEXEC || (error && error != -EINTR && !proof->judge))
		return sim_complain(error == -ENOEXEC ? SIM_BAD_INPUT : SIM_FAILED,
				    sim_run_error(report->run));
	sim_run_result(report->run, &report->result);
	report->ended = error == -EINTR ? sim_stop : 0;
	if (!report->ended)
		return SIM_DONE;
	fprintf(stderr, "gputm-sim: ended by %s at cycle %llu%s\n", sim_ended_by(report->ended),
		(unsigned long long)report->result.cycles,
		report->options->check ? "; the check is not made" : "");
	return SIM_ENDED;
}

/* Has a unit refused a call although the run went on? */
static void judge_units(struct sim_verdict *v)
{
	if (!*last || !v->passed)
		return;
	v->passed = false;
	snprintf(v->failure, sizeof(v->failure), "a unit has refused a call: %s", last);
}

static int judge(struct proof *proof, struct sim_report *report)
{
	int error = 0;

	proof->verdict.passed = true;
	if (report->ended || (!proof->replay && !proof->judge))
		return 0;
	if (proof->judge)
		proof->judge(report->run, &proof->verdict);
	else
		error = sim_check_judge(proof->replay, report->run->port.memory,
					&proof->verdict);
	judge_units(&proof->verdict);
	report->verdict = &proof->verdict;
	return error;
}

/* 0 or -1, with the reason on stderr. */
static int write_record(const struct sim_check *check, struct sim_report *report)
{
	if (!report->record.file)
		return 0;
	if (sim_check_record(check, report->workload->name, report->record.file)) {
		fprintf(stderr, "gputm-sim: --record: got addresses too far apart, expected those "
				"of a trace, 7fffeffc or less\n");
		return -1;
	}
	return sim_output_close(&report->record, true);
}

/* No check if the run was ended early: half-written transactions have no serial order. */
static int judge_and_report(struct proof *proof, struct sim_report *report, int status)
{
	if (judge(proof, report))
		return sim_complain(SIM_FAILED, "out of memory for --check");
	if (report->verdict && proof->replay && write_record(proof->replay, report))
		status = SIM_FAILED;
	if (report->out.file)
		sim_report_write(report);
	if (!report->options->of && sim_output_close(&report->out, status != SIM_FAILED))
		status = SIM_FAILED;
	if (proof->verdict.passed)
		return status;
	fprintf(stderr, "gputm-sim: check failed: %s\n", proof->verdict.failure);
	return SIM_FAILED;
}

static int make_machine(struct gputm_ctx *ctx, const struct proof *proof, struct sim_bar *bar,
			struct sim_report *report, const struct sim_view *view,
			const struct sim_saver *saver)
{
	const struct sim_run_options options = {
		.concurrency = (uint32_t)report->options->concurrency,
		.throttle = &report->setup->throttle,
		.mechanism = report->setup->mechanism,
		.apart = view->wanted || report->options->report == SIM_INSTANCES,
		.seed = report->options->seed,
		.observer = proof->conflicts ? sim_conflicts_observer(proof->conflicts) :
			    proof->history   ? sim_history_observer(proof->history) :
			    proof->replay    ? sim_check_observer(proof->replay) : NULL,
		.check = proof->replay != NULL,
		.prove = proof->judge != NULL,
		.issues = report->issues.file,
		.systems = sim_system_classes,
		/* a check looks at the units of its run only */
		.kept = report->options->of && !report->options->check ?
			report->options->of->kept : NULL,
		.look = sim_view_look(view),
		.saver = saver,
		.progress = sim_bar_update,
		.progress_state = bar,
		.stop = &sim_stop,
	};

	return sim_machine_new(ctx, report->setup->machine_name ? &report->setup->machine : NULL,
			       report->setup->system, report->setup->system_config,
			       report->workload, &options, &report->run);
}

/* A figure that only some points of a study have is no error here: the study checks its figures as
 * a whole. */
static int look_and_run(struct proof *proof, struct sim_bar *bar, struct sim_report *report,
			struct sim_view *view)
{
	const struct sim_options *o = report->options;
	uint64_t matched = !o->of || o->of->trial ? sim_report_matched(report) : 0;
	int status = SIM_BAD_INPUT;

	if (o->of && o->of->trial) {
		o->of->matched = matched;
		return SIM_DONE;
	}
	if (o->cacti)
		return sim_report_cacti(report);
	if (o->of || sim_report_has(report, matched))
		status = sim_view_attach(view, report->setup, report->run);
	else
		return status;
	if (status == SIM_DONE)
		status = sim_checkpoint_restore(report);
	if (status == SIM_DONE)
		status = run(proof, bar, report);
	if (status != SIM_BAD_INPUT && sim_view_end(view, report->result.cycles))
		status = SIM_FAILED;
	return status == SIM_DONE || status == SIM_ENDED ?
		       judge_and_report(proof, report, status) : status;
}

static int simulate(struct gputm_ctx *ctx, struct proof *proof, struct sim_report *report,
		    struct sim_view *view)
{
	struct sim_checkpoint checkpoint;
	struct sim_bar bar;
	int status, error;

	sim_bar_init(&bar, (enum sim_progress)report->options->progress);
	status = sim_checkpoint_open(&checkpoint, report);
	if (status != SIM_DONE)
		return status;
	error = make_machine(ctx, proof, &bar, report, view, sim_checkpoint_saver(&checkpoint));
	if (error)
		status = sim_complain(error == -ENOMEM ? SIM_FAILED : SIM_BAD_INPUT,
				      sim_run_error(report->run));
	else
		status = look_and_run(proof, &bar, report, view);
	status = sim_checkpoint_close(&checkpoint, status);
	sim_run_free(report->run);
	return status;
}

static int make_history(struct proof *proof, const struct sim_report *report)
{
	proof->history = sim_history_new(report->workload, report->options->trace != NULL,
					 report->history.file,
					 proof->replay ? sim_check_observer(proof->replay) : NULL);
	return proof->history ? 0 : -ENOMEM;
}

/* 0 or an exit status, with the reason on stderr. */
static int make_conflicts(struct proof *proof, struct sim_report *report)
{
	if (!report->setup->on->tm_gpu)
		return sim_complain(SIM_BAD_INPUT, "--conflicts: it is for systems with cores, "
				    "crossbars and partitions, expected another --system");
	proof->conflicts = sim_conflicts_new(report->workload->threads);
	report->conflicts = proof->conflicts;
	return proof->conflicts ? SIM_DONE :
				  sim_complain(SIM_FAILED, "out of memory for --conflicts");
}

static int check_and_simulate(struct gputm_ctx *ctx, struct sim_report *report,
			      struct sim_view *view)
{
	struct proof proof = { .replay = NULL };
	bool checks = report->options->check;
	struct sim_pairs pairs;
	int status;

	if (checks)
		proof.judge = report->setup->on->judge;
	if (checks && !proof.judge)
		proof.replay = sim_check_new(report->workload);
	if ((checks && !proof.replay && !proof.judge) ||
	    (report->history.file && make_history(&proof, report)))
		status = sim_complain(SIM_FAILED, "out of memory for --check");
	else
		status = report->options->conflicts ? make_conflicts(&proof, report) : SIM_DONE;
	if (status == SIM_DONE)
		status = simulate(ctx, &proof, report, view);
	if (proof.history && sim_history_end(proof.history))
		status = sim_complain(SIM_FAILED, "out of memory for --history");
	if (proof.conflicts && !sim_conflicts_get(proof.conflicts, &pairs))
		status = sim_complain(SIM_FAILED, "out of memory for --conflicts");
	sim_history_free(proof.history);
	sim_conflicts_free(proof.conflicts);
	sim_check_free(proof.replay);
	return status;
}

/* Does the workload run on the system? If not, print the reason. */
static bool runs_on(const struct sim_workload *workload, const struct sim_system_class *system)
{
	const struct sim_program *program = workload->program[system->flavour];
	const char *(*lacks)(const struct sim_instr *instr) = sim_class_of(system)->lacks;
	const char *reason = workload->missing[system->flavour];
	uint32_t pc = 0;

	if (program)
		reason = lacks && program->part ? lacks(NULL) : NULL;
	else if (!reason)
		reason = "its data are not in local memory";
	if (reason) {
		fprintf(stderr, "gputm-sim: workload %s does not run on %s: %s\n",
			workload->name, system->name, reason);
		return false;
	}
	while (lacks && pc < program->length && !(reason = lacks(&program->code[pc])))
		pc++;
	if (reason)
		fprintf(stderr, "gputm-sim: %s:%u:%u: there is no hardware for this under %s: %s\n",
			program->file, program->spot[pc].line, program->spot[pc].column,
			system->name, reason);
	return !reason;
}

static int make_workload(const struct sim_setup *setup, const struct sim_options *options,
			 struct sim_workload **out)
{
	struct sim_workload_request request = {
		.class = setup->workload,
		.flavour = setup->system->flavour,
		.config = setup->workload_config,
		.threads = options->threads,
		.seed = options->seed,
		.keys = options->keys,
		.edges = options->edges,
		.renumber = options->vertices == SIM_RENUMBERED,
		.trace = options->trace,
		.only_sizes = options->of && options->of->only_hash,
	};
	char error[SIM_MESSAGE];

	if (options->threads_given && setup->workload->fixed_threads) {
		fprintf(stderr, "gputm-sim: --threads: workload %s has a given number of threads, "
				"expected no --threads\n", setup->workload->name);
		return SIM_BAD_INPUT;
	}
	if (setup->workload->make(&request, out, error, sizeof(error)))
		return sim_complain(SIM_BAD_INPUT, error);
	if (request.only_sizes)
		return SIM_DONE;
	if (setup->kernel)
		sim_kernel_warn(*out);
	if (sim_setup_alone(setup) || runs_on(*out, setup->system))
		return SIM_DONE;
	(*out)->class->free(*out);
	return SIM_BAD_INPUT;
}

static int open_files(struct sim_report *report, struct sim_view *view)
{
	const struct sim_options *o = report->options;
	int status = sim_view_open(view, o);

	if (status == SIM_DONE && o->issues)
		status = sim_output_open(&report->issues, "issues", o->issues);
	if (status == SIM_DONE && o->record)
		status = sim_output_open(&report->record, "record", o->record);
	if (status == SIM_DONE && o->history)
		status = sim_output_open(&report->history, "history", o->history);
	if (status == SIM_DONE && (o->out || !o->why))
		status = sim_output_open(&report->out, "out", o->out);
	return status;
}

/* The file of --issues is kept even if the run got stuck; the other files only if it ended. */
static int open_and_simulate(struct gputm_ctx *ctx, struct sim_report *report)
{
	const struct sim_options *o = report->options;
	struct sim_view view = { .options = o };
	int status;

	if (o->of) {
		report->out.file = o->of->out;
		return check_and_simulate(ctx, report, &view);
	}
	sim_stop_on_signals();
	status = open_files(report, &view);
	if (status != SIM_DONE) {
		(void)sim_output_close(&report->issues, false);
		(void)sim_output_close(&report->record, false);
		(void)sim_output_close(&report->history, false);
		(void)sim_view_close(&view, false);
		return status;
	}
	status = check_and_simulate(ctx, report, &view);
	if (sim_output_close(&report->history, status != SIM_BAD_INPUT))
		status = SIM_FAILED;
	if (sim_view_close(&view, status != SIM_BAD_INPUT))
		status = SIM_FAILED;
	(void)sim_output_close(&report->record, false);
	(void)sim_output_close(&report->out, false);
	if (sim_output_close(&report->issues, status != SIM_BAD_INPUT))
		status = SIM_FAILED;
	return status;
}

static int prepare_and_run(struct gputm_ctx *ctx, const struct sim_options *options)
{
	const struct sim_given given = { options->set, options->set_count };
	struct sim_setup setup;
	struct sim_workload *workload;
	struct sim_report report = { .options = options, .setup = &setup };
	int status = sim_setup_make(ctx, options, &setup) ? SIM_BAD_INPUT : SIM_DONE;

	if (status == SIM_DONE)
		status = make_workload(&setup, options, &workload);
	if (status == SIM_DONE) {
		report.workload = workload;
		if (options->of && options->of->only_hash)
			options->of->point_hash = sim_point_hash(&report);
		else
			status = sim_setup_apart(&setup, options, workload->kernel) &&
			 sim_setup_fits(&setup, &given, workload) ?
				 open_and_simulate(ctx, &report) : SIM_BAD_INPUT;
		workload->class->free(workload);
	}
	sim_setup_free(&setup);
	return status;
}

/* Options that only print. */
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

/* Run what the options describe, which may be a point of a study. */
static int run_one(const struct sim_options *o)
{
	struct gputm_ctx *ctx;
	int status;

	*last = '\0';
	if (gputm_ctx_new(&sim_allocator, &ctx))
		return sim_complain(SIM_FAILED, "out of memory");
	gputm_ctx_set_log(ctx, say, NULL, GPUTM_LOG_ERROR);
	status = prepare_and_run(ctx, o);
	gputm_ctx_unref(ctx);
	return status;
}

/* Check the input files known by now. Files read later are checked when they are opened. */
static bool inputs_apart(const struct sim_options *o)
{
	bool apart = sim_input_apart("the file of", "config", o->config) &&
		     sim_input_apart("the file of", "restore", o->restore);

	for (size_t i = 1; apart && i < o->given.texts; i++)
		apart = sim_input_apart("read by", "config", o->given.path[i]);
	for (size_t i = 0; apart && (o->merge || o->compare) && i < o->file_count; i++)
		apart = sim_input_apart("the file of", o->merge ? "merge" : "compare",
					o->files[i]);
	return apart;
}

static int start(const struct sim_options *o)
{
	bool resumes = o->out && o->resume && !strcmp(o->out, o->resume); /* as without --out */
	const struct sim_file files[] = {
		{ "out", resumes ? NULL : o->out }, { "issues", o->issues },
		{ "record", o->record }, { "trace-events", o->trace_events },
		{ "series", o->series }, { "vcd", o->vcd }, { "history", o->history },
		{ "save-at", o->save }, { "resume", o->resume },
	};

	sim_kernels_beside(o->program);
	if (o->help || o->version || o->list)
		return tell(o);
	if (!sim_outputs_apart(files, sizeof files / sizeof *files) || !inputs_apart(o))
		return SIM_BAD_INPUT;
	return o->compare ? sweep_compare(o) : o->merge ? sweep_merge(o) :
	       o->axes ? sweep_axes(o) :
	       o->study ? sweep_run(o, run_one) : run_one(o);
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
