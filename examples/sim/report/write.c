/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of a run, in the shape that was asked for. */
#include <inttypes.h>
#include <string.h>

#include "point.h"
#include "report.h"
#include "../base/quote.h"

const struct sim_port *sim_units_of(const struct sim_report *r)
{
	return r->gpu ? &r->gpu->port : sim_machine_port(r->machine);
}

static void write_data(struct emit *e, const struct sim_report *r)
{
	const struct sim_port *units = sim_units_of(r);
	char hash[20];

	snprintf(hash, sizeof hash, "%016" PRIx64, sim_point_hash(r));
	e->run = hash;
	sim_report_begin(e, r->options);
	sim_report_point(e, r->options, hash);
	e->only = r->options->only;
	if (r->gpu)
		flow_report_data(e, r, units);
	else
		sim_report_data(e, r, units);
}

void sim_report_write(const struct sim_report *r)
{
	const struct sim_port *units = sim_units_of(r);
	struct emit e;

	if (r->options->format == SIM_TEXT && !r->options->only) {
		if (r->gpu)
			flow_report_text(r, units);
		else
			sim_report_text(r, units);
		return;
	}
	emit_begin(&e, (enum emit_shape)r->options->format, r->out.file);
	write_data(&e, r);
	emit_finish(&e);
}

uint64_t sim_report_matched(const struct sim_report *r)
{
	static const struct sim_verdict verdict;
	static const struct flow_verdict found;
	struct sim_report trial = *r;
	struct emit e = { .matched = 0 };

	trial.out.file = r->options->only ? fopen("/dev/null", "w") : NULL;
	if (!trial.out.file)
		return 0;
	trial.verdict = r->options->check ? &verdict : NULL;
	trial.found = r->options->check ? &found : NULL;
	emit_begin(&e, EMIT_JSON, trial.out.file);
	write_data(&e, &trial);
	fclose(trial.out.file);
	return e.matched;
}

bool sim_only_matched(const char *only, uint64_t matched, const char *where)
{
	char pattern[EMIT_PATH];

	for (size_t i = 0; emit_pattern(only, i, pattern); i++) {
		if (i < 64 && matched >> i & 1)
			continue;
		fprintf(stderr, "gputm-sim: %s: got \"%s\", expected a figure of the run or a "
				"pattern of some, as --format csv names them (64 at most)\n", where,
			sim_quoted(pattern));
		return false;
	}
	return true;
}
