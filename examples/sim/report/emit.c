/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "emit.h"

#include <string.h>

#include "../base/decimal.h"
#include "../base/names.h"

/* ---- which figures ---- */

/* Is the figure of this path and key wanted? */
static bool wanted(struct emit *e, const char *key)
{
	char path[EMIT_PATH + EMIT_KEY];

	if (!e->only)
		return true;
	snprintf(path, sizeof(path), "%s%s", e->path, key);
	return sim_pattern_matches(e->only, path, &e->matched) || e->always;
}

bool emit_wants(const struct emit *e, const char *key)
{
	char pattern[SIM_PATTERN], path[EMIT_KEY + 1];
	size_t plain, length;

	length = (size_t)snprintf(path, sizeof(path), "%s.", key);
	for (size_t i = 0; sim_pattern(e->only, i, pattern); i++) {
		plain = strcspn(pattern, "*?[\\");
		if (!strncmp(pattern, path, pattern[plain] && plain < length ? plain : length))
			return true;
	}
	return !e->only;
}

/* ---- strings ---- */

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 127 && c != '"' && c != '\\';
}

static void json_string(FILE *out, const char *text)
{
	const char *end;

	putc('"', out);
	for (; *text; text = end) {
		unsigned char c = (unsigned char)*text;

		for (end = text; is_plain((unsigned char)*end); end++)
			continue;
		fwrite(text, 1, (size_t)(end - text), out);
		if (end > text)
			continue;
		/* whatever the encoding, JSON stays valid */
		fprintf(out, c == '"' || c == '\\' ? "\\%c" : "\\u%04x", c);
		end++;
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

/* ---- nested ---- */

/* Start a new line for the element at this depth. */
static void indent(struct emit *e, unsigned depth)
{
	static const char line[] = "\n                    ";

	fwrite(line, 1, 2 * depth + 3, e->out);
}

/* The comma, the new line and the key before the next element of this level. */
static void json_key(struct emit *e, unsigned depth, const char *key)
{
	struct emit_level *level = &e->level[depth];

	if (level->filled)
		putc(',', e->out);
	level->filled = true;
	indent(e, depth);
	if (level->array)
		return;
	json_string(e->out, key);
	fputs(": ", e->out);
}

static void json_number(struct emit *e, unsigned depth, const char *key, uint64_t value)
{
	char text[SIM_DECIMAL];

	sim_decimal(text, value);
	json_key(e, depth, key);
	fputs(text, e->out);
}

/* Start a unit: note which one. */
static void name_unit(struct emit *e, unsigned depth)
{
	const struct emit_level *level = &e->level[depth];

	json_key(e, depth, "unit");
	json_string(e->out, level->unit);
	json_key(e, depth, "role");
	json_string(e->out, level->key);
	if (e->instance == EMIT_EACH)
		json_number(e, depth, "instances", level->units);
	else
		json_number(e, depth, "instance", e->instance);
}

static void open_levels(struct emit *e)
{
	while (emit_nested(e) && e->open < e->depth) {
		struct emit_level *level = &e->level[++e->open];

		json_key(e, e->open - 1, level->key);
		putc(level->array ? '[' : '{', e->out);
		if (level->unit)
			name_unit(e, e->open);
	}
}

/* ---- the shapes ---- */

void emit_begin(struct emit *e, enum emit_shape shape, FILE *out)
{
	memset(e, 0, sizeof(*e));
	e->shape = shape;
	e->out = out;
	e->instance = EMIT_EACH;
	if (shape == EMIT_JSON || shape == EMIT_JSONL)
		putc('{', out);
	else if (shape == EMIT_CSV)
		fputs("run,role,instance,statistic,value\n", out);
	else if (shape == EMIT_GEM5)
		fputs("\n---------- Begin Simulation Statistics ----------\n", out);
}

void emit_finish(struct emit *e)
{
	if (e->shape == EMIT_JSON || e->shape == EMIT_JSONL)
		fputs(e->shape == EMIT_JSON ? "\n}\n" : "}\n", e->out);
	else if (e->shape == EMIT_GEM5)
		fputs("\n---------- End Simulation Statistics   ----------\n", e->out);
}

/* Write the figure's path down to this level: `flat` and a dot, or nothing. */
static struct emit_level *push(struct emit *e, const char *key, const char *flat, bool array)
{
	struct emit_level *level = &e->level[++e->depth];
	size_t used = strlen(e->path);

	*level = (struct emit_level){ .array = array, .path_end = used };
	snprintf(level->key, EMIT_KEY, "%s", key);
	if (*flat)
		snprintf(e->path + used, EMIT_PATH - used, "%s.", flat);
	if (!used)
		e->role_end = strlen(flat);
	return level;
}

void emit_hidden(struct emit *e, const char *key, bool array)
{
	push(e, key, "", array);
	if (!e->only)
		open_levels(e);
}

void emit_object(struct emit *e, const char *key)
{
	push(e, key, key, false);
	if (!e->only)
		open_levels(e);
}

void emit_array(struct emit *e, const char *key)
{
	push(e, key, key, true);
	if (!e->only)
		open_levels(e);
}

void emit_unit(struct emit *e, const char *kind, const char *role, uint32_t instance,
	       uint64_t units)
{
	struct emit_level *level = push(e, role, role, false);

	level->unit = kind;
	level->units = units;
	e->instance = instance;
	if (!e->only)
		open_levels(e);
}

void emit_end(struct emit *e)
{
	struct emit_level *level = &e->level[e->depth];

	if (e->open == e->depth) {
		e->open--;
		if (level->filled)
			indent(e, e->depth - 1);
		putc(level->array ? ']' : '}', e->out);
	}
	e->path[level->path_end] = '\0';
	if (level->unit)
		e->instance = EMIT_EACH;
	e->depth--;
}

static void json_value(FILE *out, const char *text, bool words)
{
	if (words && text)
		json_string(out, text);
	else
		fputs(text ? text : "null", out);
}

/* A value as text: a number, or words to be quoted; NULL for none. */
static void figure(struct emit *e, const char *key, const char *text, bool words)
{
	size_t role = e->path[0] ? e->role_end : 0;
	char name[EMIT_PATH + EMIT_KEY + 16], number[16] = "";
	const char *rest = e->path + role + (role != 0), *note = e->note;

	e->note = NULL;
	if (!wanted(e, key))
		return;
	if (emit_nested(e)) {
		open_levels(e);
		json_key(e, e->depth, key);
		json_value(e->out, text, words);
		return;
	}
	if (e->shape == EMIT_NAMES) {
		fprintf(e->out, "%s%s%c", e->path, key, '\0');
		return;
	}
	if (e->instance != EMIT_EACH)
		snprintf(number, sizeof(number), "%u", e->instance);
	snprintf(name, sizeof(name), "%.*s%s%s%s%s%s", (int)role, e->path, *number ? "." : "",
		 number, role ? "." : "", rest, key);
	if (e->shape == EMIT_JSONL) {
		fputs(e->level[0].filled ? "," : "", e->out);
		e->level[0].filled = true;
		json_string(e->out, name);
		putc(':', e->out);
		json_value(e->out, text, words);
	} else if (e->shape == EMIT_CSV) {
		fprintf(e->out, "%s,%.*s,%s,%s%s,", e->run ? e->run : "", (int)role, e->path,
			number, rest, key);
		csv_string(e->out, text ? text : "");
		putc('\n', e->out);
	} else if (e->shape == EMIT_TEXT) {
		fprintf(e->out, "  %-44s %15s\n", name, text ? text : "-");
	} else if (!words) {
		fprintf(e->out, "%-50s %20s    # %s\n", name, text, note ? note : key);
	}
}

void emit_u64(struct emit *e, const char *key, uint64_t value)
{
	char text[SIM_DECIMAL];

	sim_decimal(text, value);
	figure(e, key, text, false);
}

void emit_real(struct emit *e, const char *key, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.6f", value);
	figure(e, key, text, false);
}

void emit_bool(struct emit *e, const char *key, bool value)
{
	bool number = e->shape == EMIT_GEM5;

	figure(e, key, number ? value ? "1" : "0" : value ? "true" : "false", false);
}

void emit_text(struct emit *e, const char *key, const char *value)
{
	figure(e, key, value, true);
}

void emit_value(struct emit *e, const char *key, const char *text, bool quoted)
{
	figure(e, key, text, quoted);
}
