/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void indent(struct emit *e)
{
	fprintf(e->out, "\n%*s", (int)(2 * (e->depth + 1)), "");
}

static void json_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c >= 127) /* whatever the encoding, JSON stays valid */
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

static void csv_string(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

/* Comma, new line and key of the next JSON element. */
static void json_key(struct emit *e, const char *key)
{
	if (e->filled[e->depth])
		putc(',', e->out);
	e->filled[e->depth] = true;
	indent(e);
	if (!e->array[e->depth]) {
		json_string(e->out, key);
		fputs(": ", e->out);
	}
}

/* Header of the next CSV column, and the comma before its value. */
static void csv_key(struct emit *e, const char *key)
{
	char column[2 * EMIT_PATH];

	if (e->filled[0]) {
		putc(',', e->out);
		putc(',', e->row);
	}
	e->filled[0] = true;
	snprintf(column, sizeof(column), "%s%s", e->path, key);
	csv_string(e->out, column);
}

static FILE *next(struct emit *e, const char *key)
{
	if (e->shape == EMIT_JSON) {
		json_key(e, key);
		return e->out;
	}
	csv_key(e, key);
	return e->row;
}

int emit_begin(struct emit *e, enum emit_shape shape, FILE *out)
{
	memset(e, 0, sizeof(*e));
	e->shape = shape;
	e->out = out;
	if (shape == EMIT_JSON) {
		putc('{', out);
		return 0;
	}
	e->row = open_memstream(&e->row_text, &e->row_size);
	return e->row ? 0 : -ENOMEM;
}

int emit_finish(struct emit *e)
{
	if (e->shape == EMIT_JSON) {
		fputs("\n}\n", e->out);
	} else {
		if (fclose(e->row))
			return -ENOMEM;
		fprintf(e->out, "\n%s\n", e->row_text);
		free(e->row_text);
	}
	return 0;
}

static void open_level(struct emit *e, const char *key, bool array)
{
	size_t used = strlen(e->path);

	if (e->shape == EMIT_JSON) {
		json_key(e, key);
		putc(array ? '[' : '{', e->out);
		e->filled[e->depth + 1] = false;
	} else {
		e->path_end[e->depth] = used;
		snprintf(e->path + used, EMIT_PATH - used, "%s.", key);
	}
	e->array[++e->depth] = array;
}

void emit_object(struct emit *e, const char *key)
{
	open_level(e, key, false);
}

void emit_array(struct emit *e, const char *key)
{
	open_level(e, key, true);
}

void emit_end(struct emit *e)
{
	bool array = e->array[e->depth], filled = e->filled[e->depth];

	e->depth--;
	if (e->shape == EMIT_CSV) {
		e->path[e->path_end[e->depth]] = '\0';
		return;
	}
	if (filled)
		indent(e);
	putc(array ? ']' : '}', e->out);
}

void emit_u64(struct emit *e, const char *key, uint64_t value)
{
	fprintf(next(e, key), "%llu", (unsigned long long)value);
}

void emit_real(struct emit *e, const char *key, double value)
{
	fprintf(next(e, key), "%.6f", value);
}

void emit_bool(struct emit *e, const char *key, bool value)
{
	fputs(value ? "true" : "false", next(e, key));
}

void emit_text(struct emit *e, const char *key, const char *value)
{
	FILE *out = next(e, key);

	if (e->shape == EMIT_JSON && value)
		json_string(out, value);
	else if (e->shape == EMIT_JSON)
		fputs("null", out);
	else if (value)
		csv_string(out, value);
}
