/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads graphs. A line is read whole, as an edge is short; a line that does not fit the buffer is
 * wrong and its message shows a part of it. Union-find tells whether the graph is connected.
 */
#include "edge_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/input.h"

#define LINE_MAX_BYTES 60

struct reader {
	FILE *in;
	const char *name;
	char *message;
	size_t size; /* of message */
	uint32_t line;
	char text[LINE_MAX_BYTES + 4]; /* of the line, without its newline */
	size_t capacity;
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
	bool comment = false;
	int c = getc(r->in);

	if (c == EOF)
		return false;
	for (; c != '\n' && c != EOF; c = getc(r->in)) {
		comment |= !length && c == '#';
		if (length < LINE_MAX_BYTES)
			r->text[length] = (char)(c ? c : '?');
		length++;
	}
	r->text[length < LINE_MAX_BYTES ? length : LINE_MAX_BYTES] = '\0';
	if (length > LINE_MAX_BYTES)
		strcpy(r->text + LINE_MAX_BYTES, comment ? "" : "...");
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Read a vertex at *text; *text moves past the vertex and the blanks after it. */
static bool vertex(const char **text, uint32_t *out)
{
	const char *p = *text;
	uint32_t value = 0;

	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++) {
		value = 10 * value + (uint32_t)(*p - '0');
		if (value > SIM_VERTEX_MAX)
			return false;
	}
	if (*p && !is_blank(*p))
		return false;
	while (is_blank(*p))
		p++;
	*out = value;
	*text = p;
	return true;
}

static bool add(struct reader *r, uint32_t u, uint32_t v)
{
	struct sim_edges *edges = &r->edges;

	if (edges->count == r->capacity) {
		size_t wanted = r->capacity ? 2 * r->capacity : 256;
		void *bigger = realloc(edges->end, wanted * sizeof(*edges->end));

		if (!bigger || edges->count == UINT32_MAX / 2) {
			edges->end = bigger ? bigger : edges->end;
			return false;
		}
		edges->end = bigger;
		r->capacity = wanted;
	}
	edges->end[edges->count][0] = u;
	edges->end[edges->count++][1] = v;
	if (edges->vertices <= (u > v ? u : v))
		edges->vertices = (u > v ? u : v) + 1;
	return true;
}

static int edge(struct reader *r)
{
	const char *text = r->text;
	uint32_t u, v;

	while (is_blank(*text))
		text++;
	if (!*text)
		return say(r, -EINVAL, "an empty line", "an edge \"VERTEX VERTEX\"");
	if (!vertex(&text, &u) || !vertex(&text, &v) || *text)
		return unexpected(r, "an edge \"VERTEX VERTEX\", two numbers 0 .. 1048575");
	if (u == v)
		return unexpected(r, "an edge between two different vertices");
	return add(r, u, v) ? 0 : say(r, -ENOMEM, "out of memory", "room for all edges");
}

uint32_t sim_edges_root(uint32_t *join, uint32_t vertex)
{
	while (join[vertex] != vertex)
		vertex = join[vertex] = join[join[vertex]];
	return vertex;
}

uint32_t sim_edges_apart(const struct sim_edges *edges, uint32_t *join)
{
	uint32_t v;

	for (v = 0; v < edges->vertices; v++)
		join[v] = v;
	for (uint32_t i = 0; i < edges->count; i++) {
		uint32_t a = sim_edges_root(join, edges->end[i][0]);
		uint32_t b = sim_edges_root(join, edges->end[i][1]);

		join[a > b ? a : b] = a > b ? b : a;
	}
	for (v = 0; v < edges->vertices; v++)
		if (sim_edges_root(join, v))
			break;
	return v;
}

static int judge(struct reader *r)
{
	const struct sim_edges *edges = &r->edges;
	char got[80];
	uint32_t *join, apart;

	if (!edges->count)
		return say(r, -EINVAL, "end of file", "an edge \"VERTEX VERTEX\"");
	if (edges->vertices < 3)
		return say(r, -EINVAL, "end of file", "a graph of three vertices or more");
	join = malloc(edges->vertices * sizeof(*join));
	if (!join)
		return say(r, -ENOMEM, "out of memory", "room for all vertices");
	apart = sim_edges_apart(edges, join);
	free(join);
	if (apart == edges->vertices)
		return 0;
	snprintf(got, sizeof(got), "a graph in which vertex %u has no way to vertex 0", apart);
	return say(r, -EINVAL, got, "a connected one");
}

static int lines(struct reader *r)
{
	int error = 0;

	for (r->line = 1; !error && take_line(r); r->line++)
		if (r->text[0] != '#')
			error = edge(r);
	if (error)
		return error;
	if (ferror(r->in))
		return say(r, -EIO, strerror(errno), "to read on");
	return judge(r);
}

int sim_edges_read(FILE *in, const char *name, struct sim_edges *out, char *message, size_t size)
{
	struct reader r = { .in = in, .name = name, .message = message, .size = size };
	int error = lines(&r);

	if (error)
		sim_edges_free(&r.edges);
	else
		*out = r.edges;
	return error;
}

int sim_edges_load(const char *name, struct sim_edges *out, char *message, size_t size)
{
	struct sim_input in;
	int error = sim_input_open(&in, name, message, size);

	if (error)
		return error;
	error = sim_edges_read(in.file, in.name, out, message, size);
	sim_input_close(&in);
	return error;
}

void sim_edges_free(struct sim_edges *edges)
{
	free(edges->end);
	memset(edges, 0, sizeof(*edges));
}
