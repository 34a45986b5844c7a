/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads graphs. A line is read whole, as an edge is short; of a line that does not fit the buffer
 * only the beginning is looked at. Renumbering sorts the numbers in use: the place of a number
 * there is the vertex.
 */
#include "edge_file.h"

#include <errno.h>
#include <stdlib.h>

#include "../base/arena.h"
#include "../base/input.h"
#include "../base/source.h"

#define LINE_MAX_BYTES 60
#define EDGE "an edge \"VERTEX VERTEX\""

struct reader {
	struct sim_source source;
	const char *name;
	char *message;
	size_t size; /* of message */
	uint32_t line;
	char text[LINE_MAX_BYTES + 4]; /* of the line, without its end */
	size_t capacity;
	bool renumber;
	bool sized; /* the next line with numbers gives the size of a matrix */
	struct sim_edges edges;
};

static int say(struct reader *r, int error, const char *got, const char *expected)
{
	snprintf(r->message, r->size, "%s:%u: got %s, expected %s", r->name, r->line, got,
		 expected);
	return error;
}

static int unexpected(struct reader *r, const char *expected)
{
	char text[2 * sizeof(r->text)], got[sizeof(text) + 2];

	sim_quote(r->text, text, sizeof(text));
	snprintf(got, sizeof(got), "\"%s\"", text);
	return say(r, -EINVAL, got, expected);
}

/* Read the next line; false at the end of the input. */
static bool take_line(struct reader *r)
{
	size_t length = 0;
	int c = sim_source_next(&r->source);

	if (c == EOF)
		return false;
	for (; c != '\n'; c = sim_source_next(&r->source)) {
		if (length < LINE_MAX_BYTES)
			r->text[length] = (char)(c ? c : '?');
		length++;
	}
	r->text[length < LINE_MAX_BYTES ? length : LINE_MAX_BYTES] = '\0';
	if (length > LINE_MAX_BYTES)
		strcpy(r->text + LINE_MAX_BYTES, "...");
	return true;
}

/* Read a vertex after blanks at *text; *text moves past the vertex, which a blank or the end of the
 * line follows. */
static bool vertex(const struct reader *r, const char **text, uint32_t *out)
{
	uint64_t value;

	*text += strspn(*text, " \t");
	if (sim_number(text, 10, r->renumber ? UINT32_MAX : SIM_VERTEX_MAX, &value) != SIM_NUMBER ||
	    (**text && !strchr(" \t", **text)))
		return false;
	*out = (uint32_t)value;
	return true;
}

static bool add(struct reader *r, uint32_t u, uint32_t v)
{
	struct sim_edges *edges = &r->edges;

	if (edges->count == UINT32_MAX / 2 || !SIM_ROOM(edges->end, r->capacity, edges->count + 1))
		return false;
	edges->end[edges->count][0] = u;
	edges->end[edges->count++][1] = v;
	return true;
}

static int edge(struct reader *r)
{
	const char *text = r->text;
	uint32_t u, v;

	if (!vertex(r, &text, &u) || !vertex(r, &text, &v))
		return unexpected(r, r->renumber ? EDGE ", two numbers 0 .. 4294967295" :
						   EDGE ", two numbers 0 .. 1048575 (or any, "
							"renumbered)");
	return add(r, u, v) ? 0 : say(r, -ENOMEM, "out of memory", "room for all edges");
}

/* A line that has no edge: an empty one, a comment, and the size in a file of Matrix Market. */
static bool passes_over(struct reader *r)
{
	size_t blanks = strspn(r->text, " \t");
	bool sized = r->sized;

	if (r->line == 1 && !strncmp(r->text, "%%MatrixMarket", 14))
		r->sized = true;
	if (!r->text[blanks] || strchr("#%", r->text[blanks]))
		return true;
	r->sized = false;
	return sized;
}

/* ---- the whole graph ---- */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Sort the numbers in use, each once, into number[]. Returns how many there are. */
static uint32_t numbers_of(const struct sim_edges *edges, uint32_t *number)
{
	uint32_t count = 0;

	memcpy(number, edges->end, edges->count * sizeof(*edges->end));
	qsort(number, 2 * (size_t)edges->count, sizeof(*number), by_number);
	for (size_t i = 0; i < 2 * (size_t)edges->count; i++)
		if (!i || number[i] != number[count - 1])
			number[count++] = number[i];
	return count;
}

static int renumber(struct reader *r)
{
	struct sim_edges *edges = &r->edges;
	uint32_t *number = sim_malloc(edges->count * sizeof(*edges->end)), count;

	if (!number)
		return say(r, -ENOMEM, "out of memory", "room for all vertices");
	count = numbers_of(edges, number);
	for (size_t i = 0; i < 2 * (size_t)edges->count; i++) {
		uint32_t *end = &edges->end[i / 2][i % 2], *place;

		place = bsearch(end, number, count, sizeof(*number), by_number);
		*end = (uint32_t)(place - number);
	}
	sim_free(number);
	return count <= SIM_VERTEX_MAX + 1 ?
		       0 : say(r, -EINVAL, "more vertices", "1048576 of them at most");
}

static int finish(struct reader *r)
{
	struct sim_edges *edges = &r->edges;
	int error = 0;

	if (r->source.wrong) {
		snprintf(r->message, r->size, "%s:1: %s", r->name, r->source.wrong);
		return -EINVAL;
	}
	if (ferror(r->source.file))
		return say(r, -EIO, strerror(errno), "to read on");
	if (!edges->count)
		return say(r, -EINVAL, "end of file", EDGE);
	if (r->renumber)
		error = renumber(r);
	for (size_t i = 0; i < 2 * (size_t)edges->count; i++)
		if (edges->vertices <= edges->end[i / 2][i % 2])
			edges->vertices = edges->end[i / 2][i % 2] + 1;
	return error;
}

static int lines(struct reader *r)
{
	int error = 0;

	for (r->line = 1; !error && take_line(r); r->line++)
		if (!passes_over(r))
			error = edge(r);
	return error ? error : finish(r);
}

int sim_edges_read(FILE *in, const char *name, bool renumber, struct sim_edges *out, char *message,
		   size_t size)
{
	struct reader r = { .name = name, .message = message, .size = size, .renumber = renumber };
	int error;

	sim_source_begin(&r.source, in);
	error = lines(&r);
	if (error)
		sim_edges_free(&r.edges);
	else
		*out = r.edges;
	return error;
}

int sim_edges_load(const char *name, bool renumber, struct sim_edges *out, char *message,
		   size_t size)
{
	struct sim_input in;
	int error = sim_input_open(&in, name, message, size);

	if (error)
		return error;
	error = sim_edges_read(in.file, in.name, renumber, out, message, size);
	sim_input_close(&in);
	return error;
}

void sim_edges_free(struct sim_edges *edges)
{
	sim_free(edges->end);
	memset(edges, 0, sizeof(*edges));
}
