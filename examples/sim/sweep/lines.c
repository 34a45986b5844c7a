/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "lines.h"

#include <string.h>

#include "../base/arena.h"
#include "../base/json.h"
#include "../base/quote.h"
#include "../base/source.h"
#include "../study/study_file.h"

const char SWEEP_CUT[] = "expected a whole line of JSON (was the file cut? without the line its "
			 "point is run again)";

struct head {
	char study[20], model[16], version[32];
	uint64_t run, of;
	bool failed;
};

static void take(void *state, const char *path, const char *value, bool quoted)
{
	struct head *head = state;

	if (quoted && !strcmp(path, "study"))
		snprintf(head->study, sizeof head->study, "%.19s", value);
	else if (quoted && !strcmp(path, "model"))
		snprintf(head->model, sizeof head->model, "%.15s", value);
	else if (quoted && !strcmp(path, "version"))
		snprintf(head->version, sizeof head->version, "%.31s", value);
	else if (!strcmp(path, "run"))
		(void)sim_is_number(value, 10, SIM_POINTS, &head->run);
	else if (!strcmp(path, "of"))
		(void)sim_is_number(value, 10, SIM_POINTS, &head->of);
	else if (!strcmp(path, "failed"))
		head->failed = true;
}

int sweep_lines_size(struct sweep_lines *lines, uint64_t count)
{
	lines->count = count;
	lines->place = sim_calloc(count ? count : 1, sizeof *lines->place);
	if (!lines->place)
		fputs("gputm-sim: out of memory\n", stderr);
	return lines->place ? 0 : -1;
}

void sweep_lines_free(struct sweep_lines *lines)
{
	sim_free(lines->place);
	lines->place = NULL;
	if (lines->again)
		fclose(lines->again);
	lines->again = NULL;
}

void sweep_lines_put(struct sweep_lines *lines, uint64_t index, const struct sweep_place *place)
{
	struct sweep_place *old = &lines->place[index];

	if (old->file && !old->failed && (!old->other || place->other))
		return;
	lines->done += !old->file;
	lines->failed += place->failed;
	lines->failed -= old->failed;
	*old = *place;
}

static char *read_place(const struct sweep_place *place)
{
	char *text = sim_malloc((size_t)place->length + 1);

	if (text && (fseeko(place->file, (off_t)place->offset, SEEK_SET) ||
		     fread(text, 1, place->length, place->file) != place->length)) {
		sim_free(text);
		text = NULL;
	}
	if (text)
		text[place->length] = '\0';
	return text;
}

/* A second result of a point must equal the first. */
static bool agrees(const struct sweep_lines *lines, const struct head *head, const char *line)
{
	const struct sweep_place *old = &lines->place[head->run - 1];
	char *text;
	bool same;

	if (!old->file || old->failed || head->failed)
		return true;
	text = read_place(old);
	same = text && !strcmp(text, line);
	sim_free(text);
	return same;
}

/* What is wrong with a line, or NULL. All lines must be of the study and version of the first
 * line. */
static const char *flaw(struct sweep_lines *lines, const char *line, struct head *head)
{
	const char *end = sim_json_each(line, take, head);

	if (!end || *end)
		return SWEEP_CUT;
	if (!*head->study || !head->run || head->run > head->of)
		return "expected the result of a point of a study";
	if (!*lines->study) {
		memcpy(lines->study, head->study, sizeof lines->study);
		memcpy(lines->model, head->model, sizeof lines->model);
		memcpy(lines->version, head->version, sizeof lines->version);
	}
	if (!lines->place && sweep_lines_size(lines, head->of))
		return "out of memory";
	if (strcmp(lines->study, head->study) || lines->count != head->of)
		return "got a result of another study, or of other kernels or files that it "
		       "reads, expected one of this";
	if (!lines->any_model && (strcmp(lines->model, head->model) != 0 ||
				  strcmp(lines->version, head->version) != 0))
		return "got a result of another model or version of gputm-sim than the first one, "
		       "expected one of the same (--resume-any-model takes it)";
	return agrees(lines, head, line) ? NULL : "got another result of a point that has one";
}

/* Read the next line into *line, which grows; -1 at the end of the file, or without memory. */
static ssize_t take_line(struct sim_source *source, char **line, size_t *room)
{
	size_t length = 0;
	int c = sim_source_next(source);

	if (c == EOF)
		return -1;
	for (;; c = sim_source_next(source)) {
		if (!SIM_ROOM(*line, *room, length + 1))
			return -1;
		(*line)[length] = (char)(c == '\n' ? '\0' : c);
		if (c == '\n')
			return (ssize_t)length;
		length++;
	}
}

/* Is this the begin of a result, however short? */
static bool begins(const char *line)
{
	static const char begin[] = "{\"study\":\"";
	size_t length = strlen(line), most = sizeof begin - 1;

	return !strncmp(line, begin, length < most ? length : most);
}

struct reading {
	sweep_line_fn *fn;
	void *state;
	FILE *file;
	uint64_t end;	 /* where a line begins that was cut, or the end of the file */
	unsigned number; /* of the present line */
	unsigned cut;	 /* number of a line that was cut; 0: none yet */
};

/* What is wrong with the line, or NULL. A line that was cut may be the last one. */
static const char *take_result(struct reading *r, const char *line, size_t length, uint64_t offset)
{
	const struct sweep_place place = { r->file, offset, (uint32_t)length, false, false };
	const char *wrong;

	if (r->cut) {
		r->number = r->cut;
		return SWEEP_CUT;
	}
	wrong = strlen(line) != length ? "got a NUL" : r->fn(r->state, line, &place, r->number);
	if (wrong != SWEEP_CUT || !begins(line))
		return wrong;
	r->cut = r->number;
	r->end = offset;
	return NULL;
}

static const char *read_lines(struct reading *r)
{
	struct sim_source source;
	const char *wrong;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	rewind(r->file);
	sim_source_begin(&source, r->file);
	wrong = source.wrong;
	for (r->number = 1; !wrong; r->number++) {
		uint64_t offset = source.place;

		length = take_line(&source, &line, &room);
		if (length < 0)
			break;
		if (length > (ssize_t)strspn(line, " \t"))
			wrong = take_result(r, line, (size_t)length, offset);
		if (wrong)
			break;
		/* another line of the file may have been read */
		(void)fseeko(r->file, (off_t)(source.place + source.count - source.at), SEEK_SET);
	}
	r->end = r->cut ? r->end : source.place;
	sim_free(line);
	return wrong;
}

int sweep_lines_each(FILE *file, const char *name, sweep_line_fn *fn, void *state, uint64_t *end)
{
	struct reading r = { .fn = fn, .state = state, .file = file };
	const char *wrong = read_lines(&r);

	*end = r.end;
	if (wrong)
		fprintf(stderr, "gputm-sim: %s:%u: %s\n", sim_quoted(name), r.number, wrong);
	else if (r.cut)
		fprintf(stderr, "gputm-sim: %s:%u: the last line was cut, as by a full disk: its "
				"point has no result\n", sim_quoted(name), r.cut);
	return wrong ? -1 : 0;
}

static const char *merge_line(void *state, const char *line, const struct sweep_place *place,
			      unsigned number)
{
	struct sweep_lines *lines = state;
	struct sweep_place result = *place;
	struct head head = { .run = 0 };
	const char *wrong = flaw(lines, line, &head);

	(void)number;
	result.failed = head.failed;
	if (!wrong)
		sweep_lines_put(lines, head.run - 1, &result);
	return wrong;
}

int sweep_lines_read(struct sweep_lines *lines, FILE *file, const char *name)
{
	uint64_t end;

	return sweep_lines_each(file, name, merge_line, lines, &end);
}

char *sweep_line(const struct sweep_lines *lines, uint64_t index)
{
	return lines->place[index].file ? read_place(&lines->place[index]) : NULL;
}

int sweep_lines_write(const struct sweep_lines *lines, FILE *out)
{
	int error = 0;

	for (uint64_t i = 0; !error && i < lines->count; i++) {
		const struct sweep_place *place = &lines->place[i];
		char *text = sweep_line(lines, i);

		error = place->file && !text ? -1 : 0;
		if (text)
			fprintf(out, "%s\n", text);
		sim_free(text);
	}
	if (error)
		fputs("gputm-sim: a result cannot be read again\n", stderr);
	return error;
}
