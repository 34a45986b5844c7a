/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "sweep.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lines.h"
#include "points.h"
#include "resume.h"
#include "seeds.h"
#include "workers.h"
#include "gputm/base.h"
#include "../base/arena.h"
#include "../base/json.h"
#include "../base/output.h"
#include "../base/quote.h"
#include "../study/progress.h"

static int ended(const struct sweep_lines *lines)
{
	fprintf(stderr, "gputm-sim: ended by %s with %llu of %llu points; --resume goes on\n",
		sim_ended_by(sim_stop), (unsigned long long)lines->done,
		(unsigned long long)lines->count);
	return SIM_ENDED;
}

static void take_reason(void *state, const char *path, const char *value, bool quoted)
{
	if (quoted && !strcmp(path, "failed"))
		fprintf(stderr, "; %s: %s", (const char *)state, value);
}

/* The reason of the first failure comes after their number. */
static void tell_failed(const struct sweep_lines *lines)
{
	char first[40], *line = NULL;
	uint64_t i = 0;

	while (!lines->place[i].failed)
		i++;
	snprintf(first, sizeof first, "point %llu", (unsigned long long)i + 1);
	fprintf(stderr, "gputm-sim: %llu of %llu points failed; their lines say why, and which "
			"command repeats them",
		(unsigned long long)lines->failed, (unsigned long long)lines->done);
	line = sweep_line(lines, i);
	if (line)
		(void)sim_json_each(line, take_reason, first);
	sim_free(line);
	fputc('\n', stderr);
}

/* Write the results so far to --out; complete if all points of the shard, or of all shards, have
 * one. */
static int finish(const struct sweep_lines *lines, struct sim_output *out)
{
	int error = sweep_lines_write(lines, out->file);

	if (sim_output_close(out, !error) || error)
		return SIM_FAILED;
	if (sim_stop)
		return ended(lines);
	if (lines->failed)
		tell_failed(lines);
	return lines->failed ? SIM_FAILED : SIM_DONE;
}

/* ---- one study ---- */

/* Results are appended: end the last line, which may end with the file. */
static bool end_line(FILE *journal)
{
	if (fseeko(journal, -1, SEEK_END))
		return true; /* an empty file */
	if (getc(journal) == '\n')
		return true;
	(void)fseeko(journal, 0, SEEK_END);
	return putc('\n', journal) != EOF && !fflush(journal);
}

/* A file to which results are appended as they arrive; its contents are read first. An exit
 * status, with the reason on stderr. */
static int open_journal(const char *name, const struct sweep_points *points, sweep_run_fn *run,
			struct sweep_lines *lines, FILE **out)
{
	int status;

	*out = name ? fopen(name, "a+") : tmpfile();
	if (!*out) {
		fprintf(stderr, "gputm-sim: --resume: got \"%s\", expected a file to read and to "
				"add to: %s\n", name ? sim_quoted(name) : "(temporary file)",
			strerror(errno));
		return SIM_BAD_INPUT;
	}
	status = name ? sweep_resume(points, run, *out, name, lines) : SIM_DONE;
	if (status != SIM_DONE || end_line(*out))
		return status;
	fprintf(stderr, "gputm-sim: --resume: \"%s\" could not be written: %s\n",
		sim_quoted(name), strerror(errno));
	return SIM_FAILED;
}

static int run_points(const struct sweep_points *points, sweep_run_fn *run)
{
	const struct sim_options *o = points->options;
	struct sweep_lines lines = { .count = 0 };
	struct sim_output out = { .file = NULL };
	struct sim_bar bar;
	FILE *journal = NULL;
	int status = sweep_lines_size(&lines, points->count) ? SIM_FAILED : SIM_DONE;
	bool opened;

	sim_bar_init(&bar, (enum sim_progress)o->progress);
	sim_stop_on_signals();
	if (status == SIM_DONE)
		status = open_journal(o->resume, points, run, &lines, &journal);
	if (status == SIM_DONE)
		status = sim_output_open(&out, "out", o->out ? o->out : o->resume);
	opened = status == SIM_DONE;
	if (opened)
		status = sweep_work(points, run, &lines, journal, o->resume ? o->resume : "results",
				    &bar) ? SIM_FAILED : SIM_DONE;
	sim_bar_end(&bar);
	if (status == SIM_DONE)
		status = finish(&lines, &out);
	if (opened && status <= SIM_FAILED && sweep_seeds_tell(points, &lines))
		status = sim_complain(SIM_FAILED, "out of memory");
	(void)sim_output_close(&out, false);
	if (journal)
		fclose(journal);
	sweep_lines_free(&lines);
	return status;
}

int sweep_run(const struct sim_options *options, sweep_run_fn *run)
{
	struct sweep_points points;
	int status = SIM_BAD_INPUT;

	if (!sweep_points_read(options, &points) && !sweep_points_make(&points, run))
		status = run_points(&points, run);
	sweep_points_free(&points);
	return status;
}

/* ---- shards ---- */

static int say_missing(const struct sweep_lines *lines)
{
	uint64_t told = 0;

	fprintf(stderr, "gputm-sim: --merge: %llu of %llu points are missing:",
		(unsigned long long)(lines->count - lines->done), (unsigned long long)lines->count);
	for (uint64_t i = 0; i < lines->count && told < 8; i++)
		if (!lines->place[i].file && ++told)
			fprintf(stderr, " %llu", (unsigned long long)i + 1);
	fprintf(stderr, "%s; nothing is written\n",
		told < lines->count - lines->done ? " ..." : "");
	return SIM_FAILED;
}

static int merge(const struct sim_options *o, FILE *file[], struct sweep_lines *lines)
{
	struct sim_output out;
	int status;

	for (size_t i = 0; i < o->file_count; i++) {
		file[i] = fopen(o->files[i], "r");
		if (!file[i])
			fprintf(stderr, "gputm-sim: --merge: got \"%s\", expected a file with "
					"results: %s\n", sim_quoted(o->files[i]), strerror(errno));
		if (!file[i] || sweep_lines_read(lines, file[i], o->files[i]))
			return SIM_BAD_INPUT;
	}
	if (!lines->count)
		return sim_complain(SIM_FAILED, "--merge: there is no result in any file");
	if (lines->done < lines->count)
		return say_missing(lines);
	status = sim_output_open(&out, "out", o->out);
	return status == SIM_DONE ? finish(lines, &out) : status;
}

int sweep_merge(const struct sim_options *options)
{
	FILE **file = sim_calloc(options->file_count, sizeof(FILE *));
	struct sweep_lines lines = { .any_model = options->any_model };
	int status = file ? merge(options, file, &lines) :
			    sim_complain(SIM_FAILED, "out of memory");

	for (size_t i = 0; file && i < options->file_count; i++)
		if (file[i])
			fclose(file[i]);
	sim_free(file);
	sweep_lines_free(&lines);
	return status;
}
