/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the report of a run, in the format of the options. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "point.h"
#include "report.h"
#include "../base/names.h"
#include "../base/quote.h"

static void write_data(struct emit *e, const struct sim_report *r)
{
	char hash[20];

	snprintf(hash, sizeof hash, "%016" PRIx64, sim_point_hash(r));
	e->run = hash;
	sim_report_begin(e, r->options);
	sim_report_point(e, r->options, hash);
	e->only = r->options->only;
	sim_report_data(e, r);
}

void sim_report_write(const struct sim_report *r)
{
	struct emit e;

	if (r->options->format == SIM_TEXT && !r->options->only) {
		(sim_setup_alone(r->setup) ? flow_report_text : sim_report_text)(r);
		sim_report_text_rest(r);
		return;
	}
	emit_begin(&e, (enum emit_shape)r->options->format, r->out.file);
	write_data(&e, r);
	emit_finish(&e);
}

uint64_t sim_report_matched(const struct sim_report *r)
{
	static const struct sim_verdict verdict;
	struct sim_report trial = *r;
	struct emit e = { .matched = 0 };

	trial.out.file = r->options->only ? fopen("/dev/null", "w") : NULL;
	if (!trial.out.file)
		return 0;
	trial.verdict = r->options->check ? &verdict : NULL;
	emit_begin(&e, EMIT_JSON, trial.out.file);
	write_data(&e, &trial);
	fclose(trial.out.file);
	return e.matched;
}

/* The names of all figures of the run, each ended by NUL, then an empty name; NULL if out of
 * memory. */
static char *names_of(const struct sim_report *r)
{
	struct sim_options all = *r->options;
	struct sim_report trial = *r;
	char *text = NULL;
	struct emit e;
	size_t size;

	all.only = NULL;
	trial.options = &all;
	trial.out.file = open_memstream(&text, &size);
	if (!trial.out.file)
		return NULL;
	emit_begin(&e, EMIT_NAMES, trial.out.file);
	write_data(&e, &trial);
	return fclose(trial.out.file) ? NULL : text;
}

static const char *name_at(const void *of, size_t index)
{
	const char *name = of;

	while (index-- && *name)
		name += strlen(name) + 1;
	return *name ? name : NULL;
}

/* For the first name without a figure: does it need --check, or which name is close? */
bool sim_report_has(const struct sim_report *r, uint64_t matched)
{
	struct sim_options checked = *r->options;
	struct sim_report trial = *r;
	char pattern[SIM_PATTERN], *names;
	const char *near;
	size_t i = 0;

	checked.check = true;
	trial.options = &checked;
	while (i < 64 && matched >> i & 1)
		i++;
	if (i == 64 || !sim_pattern(checked.only, i, pattern))
		return sim_only_matched(checked.only, matched, "--only");
	if (sim_report_matched(&trial) >> i & 1) {
		fprintf(stderr, "gputm-sim: --only: got \"%s\", which needs --check\n",
			sim_quoted(pattern));
		return false;
	}
	(void)sim_only_matched(checked.only, matched, "--only");
	names = names_of(r);
	near = names ? sim_name_near(pattern, name_at, names) : NULL;
	if (near)
		fprintf(stderr, "gputm-sim: did you mean \"%s\"?\n", near);
	free(names);
	return false;
}

bool sim_only_matched(const char *only, uint64_t matched, const char *where)
{
	char pattern[SIM_PATTERN];

	for (size_t i = 0; sim_pattern(only, i, pattern); i++) {
		if (i < 64 && matched >> i & 1)
			continue;
		fprintf(stderr, "gputm-sim: %s: got \"%s\", expected a figure of the run or a "
				"pattern of some, as --format csv names them (64 names at most)\n",
			where, sim_quoted(pattern));
		return false;
	}
	return true;
}
