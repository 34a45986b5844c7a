/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "lines.h"

#include <string.h>

#include "../base/arena.h"
#include "../base/json.h"
#include "../base/quote.h"
#include "../base/source.h"
#include "../study/study_file.h"

struct head {
	char study[20], version[32];
	uint64_t run, of;
	bool failed;
};

static void take(void *state, const char *path, const char *value, bool quoted)
{
	struct head *head = state;

	if (quoted && !strcmp(path, "study"))
		snprintf(head->study, sizeof head->study, "%.19s", value);
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
}

void sweep_lines_put(struct sweep_lines *lines, uint64_t index, const struct sweep_place *place)
{
	struct sweep_place *old = &lines->place[index];

	if (old->file && !old->failed)
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
		return "expected a whole line of JSON (was the file cut? without the line its "
		       "point is run again)";
	if (!*head->study || !head->run || head->run > head->of)
		return "expected the result of a point of a study";
	if (!*lines->study) {
		memcpy(lines->study, head->study, sizeof lines->study);
		memcpy(lines->version, head->version, sizeof lines->version);
	}
	if (!lines->place && sweep_lines_size(lines, head->of))
		return "out of memory";
	if (strcmp(lines->study, head->study) || lines->count != head->of)
		return "got a result of another study, or of other kernels or files that it "
		       "reads, expected one of this";
	if (strcmp(lines->version, head->version))
		return "got a result of another version of gputm-sim, expected one of this";
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

/* A line with something in it. */
static const char *take_result(struct sweep_lines *lines, FILE *file, const char *line,
			       size_t length, uint64_t offset)
{
	struct head head = { .run = 0 };
	struct sweep_place place = { file, offset, (uint32_t)length, false };
	const char *wrong = strlen(line) != length ? "got a NUL" : flaw(lines, line, &head);

	place.failed = head.failed;
	if (!wrong)
		sweep_lines_put(lines, head.run - 1, &place);
	return wrong;
}

int sweep_lines_read(struct sweep_lines *lines, FILE *file, const char *name)
{
	struct sim_source source;
	const char *wrong;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	rewind(file);
	sim_source_begin(&source, file);
	wrong = source.wrong;
	for (unsigned number = 1; !wrong; number++) {
		uint64_t offset = source.place;

		length = take_line(&source, &line, &room);
		if (length < 0)
			break;
		if (length > (ssize_t)strspn(line, " \t"))
			wrong = take_result(lines, file, line, (size_t)length, offset);
		if (wrong)
			fprintf(stderr, "gputm-sim: %s:%u: %s\n", sim_quoted(name), number, wrong);
		source.at = source.count; /* another line of the file may have been read */
		(void)fseeko(file, (off_t)source.place, SEEK_SET);
	}
	if (source.wrong)
		fprintf(stderr, "gputm-sim: %s:1: %s\n", sim_quoted(name), wrong);
	sim_free(line);
	return wrong ? -1 : 0;
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
