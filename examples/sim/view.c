/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that show a run: opened before it, filled while it runs, closed after it. */
#include "view.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/quote.h"
#include "seeing/aborts.h"
#include "seeing/series.h"
#include "seeing/trace_events.h"
#include "seeing/vcd.h"
#include "seeing/why.h"

int sim_view_open(struct sim_view *view, const struct sim_options *options)
{
	int status = SIM_DONE;

	memset(view, 0, sizeof *view);
	view->options = options;
	view->wanted = options->trace_events || options->series || options->vcd ||
		       options->aborts || options->why;
	seeing_init(&view->see);
	if (options->trace_events)
		status = sim_output_open(&view->trace, "trace-events", options->trace_events);
	if (status == SIM_DONE && options->series)
		status = sim_output_open(&view->series, "series", options->series);
	if (status == SIM_DONE && options->vcd)
		status = sim_output_open(&view->waves, "vcd", options->vcd);
	if (status == SIM_DONE && options->aborts)
		status = sim_output_open(&view->aborts, "aborts", options->aborts);
	if (status == SIM_DONE && options->why)
		status = sim_output_open(&view->answer, "why", NULL);
	return status;
}

const struct sim_look *sim_view_look(const struct sim_view *view)
{
	return view->wanted ? &view->see.look : NULL;
}

static int out_of_memory(void)
{
	return sim_complain(SIM_FAILED, "out of memory for what is seen of the run");
}

/* Of a trace or dump that --trace-only makes without warps. */
static void hide_warps(struct seen_sink *sink)
{
	if (!sink)
		return;
	sink->slice = NULL;
	sink->attempt = NULL;
	sink->abort = NULL;
}

/* 0, -ENOMEM, or -EINVAL with the reason. */
static int add_sinks(struct sim_view *view)
{
	const struct sim_options *o = view->options;
	struct seeing *see = &view->see;

	if (o->trace_events)
		view->tracer = trace_events_new(see, view->trace.file);
	if (o->series)
		view->counter = series_new(see, o->series_cycles, o->only, view->series.file);
	if (o->vcd)
		view->dumper = vcd_new(see, view->waves.file);
	if (o->aborts)
		view->lister = aborts_new(see, view->aborts.file);
	if (o->why)
		view->teller = why_new(see, (uint32_t)o->why_thread, o->why_number);
	if (!see->warps_shown) {
		hide_warps(view->tracer);
		hide_warps(view->dumper);
	}
	if (view->counter && !series_any(view->counter)) {
		fprintf(stderr, "gputm-sim: --series: got --only \"%s\", expected a counter or a "
				"gauge, such as committed\n", sim_quoted(o->only));
		return -EINVAL;
	}
	return (o->trace_events && !view->tracer) || (o->series && !view->counter) ||
			       (o->vcd && !view->dumper) || (o->aborts && !view->lister) ||
			       (o->why && !view->teller) ?
		       -ENOMEM : 0;
}

/* Refuse what the machine cannot show: 0, or -EINVAL. */
static int refuse(const struct sim_view *view, const struct sim_setup *setup,
		  const struct sim_run *run)
{
	const struct sim_options *o = view->options;
	uint64_t threads = run->port.workload->threads;

	if (setup->machine.swap_units_every && (o->trace_events || o->vcd || o->aborts || o->why))
		fputs("gputm-sim: --set: machine.swap_units_every replaces the units that are "
		      "observed, expected 0 with --trace-events, --vcd, --aborts and --why\n",
		      stderr);
	else if ((o->aborts || o->why) && !strcmp(setup->system->name, "hetm"))
		fputs("gputm-sim: --aborts, --why: hetm undoes rounds and not threads, expected "
		      "another system, or --trace-events FILE for the phases of rounds\n", stderr);
	else if (o->why && o->why_thread >= threads && threads)
		fprintf(stderr, "gputm-sim: --why: got \"%s\", expected a thread 0 .. %llu\n",
			o->why, (unsigned long long)(threads - 1));
	else
		return 0;
	return -EINVAL;
}

int sim_view_attach(struct sim_view *view, const struct sim_setup *setup, struct sim_run *run)
{
	const struct sim_options *o = view->options;
	bool losses = o->aborts || o->why;
	struct seeing_request request = {
		o->from, o->to, o->trace_only, o->trace_events || o->vcd || losses, losses, o->vcd,
		NULL,
	};
	int error;

	if (!view->wanted)
		return 0;
	if (refuse(view, setup, run))
		return SIM_BAD_INPUT;
	request.system = seen_system_of(&run->port);
	error = seeing_attach(&view->see, &run->port, &request);
	if (!error)
		error = add_sinks(view);
	return error == -ENOMEM ? out_of_memory() : error ? SIM_BAD_INPUT : 0;
}

int sim_view_end(struct sim_view *view, uint64_t cycles)
{
	int error = view->wanted ? seeing_end(&view->see) : 0;

	if (view->teller)
		view->unanswered = !why_answer(view->teller, view->answer.file) && !sim_stop;
	if (view->wanted && cycles && !view->see.opened && !sim_stop) {
		view->unanswered = true;
		fprintf(stderr, "gputm-sim: --window: the run ended at cycle "
				"%" PRIu64 ", before the window; expected an earlier window\n",
			cycles);
	}
	return error ? out_of_memory() : 0;
}

int sim_view_close(struct sim_view *view, bool wanted)
{
	int error;

	if (!view->wanted)
		return 0;
	trace_events_free(view->tracer);
	series_free(view->counter);
	vcd_free(view->dumper);
	aborts_free(view->lister);
	why_free(view->teller);
	seeing_free(&view->see);
	error = sim_output_close(&view->trace, wanted);
	error |= sim_output_close(&view->waves, wanted);
	error |= sim_output_close(&view->aborts, wanted);
	error |= sim_output_close(&view->answer, wanted);
	error |= sim_output_close(&view->series, wanted);
	return error || view->unanswered ? SIM_FAILED : 0;
}
