/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 16

struct reader {
	const char *at; /* NULL: the text is not JSON */
	char path[SIM_JSON_PATH], value[SIM_JSON_VALUE];
	sim_json_fn *fn;
	void *state;
};

/* If the next character other than a blank is `c`, go past it. */
static bool take(struct reader *r, char wanted)
{
	if (!r->at)
		return false;
	r->at += strspn(r->at, " \t\r\n");
	if (*r->at != wanted)
		return false;
	r->at++;
	return true;
}

static void expect(struct reader *r, char wanted)
{
	if (!take(r, wanted))
		r->at = NULL;
}

static char escaped(struct reader *r)
{
	static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
	const char *place = strchr(from, *r->at);
	char digits[5] = "", *end;
	unsigned long code;

	if (*r->at != 'u')
		return *r->at && place ? to[place - from] : *r->at;
	snprintf(digits, sizeof digits, "%.4s", r->at + 1);
	code = strtoul(digits, &end, 16);
	if (end != digits + 4 || !code || code > 255) /* each byte is one of ours */
		return '\0';
	r->at += 4;
	return (char)code;
}

/* What stands before the next quotation mark, which has been read then. */
static void words(struct reader *r, char *out, size_t size)
{
	size_t used = 0;

	while (*r->at && *r->at != '"') {
		bool mark = *r->at == '\\';
		char c;

		r->at += mark;
		c = mark ? escaped(r) : *r->at;
		if (!c || (unsigned char)*r->at < ' ') {
			r->at = NULL;
			return;
		}
		r->at++;
		if (used + 1 < size)
			out[used++] = c;
	}
	out[used] = '\0';
	expect(r, '"');
}

static void element(struct reader *r, unsigned depth);

/* The elements of an object or array, whose begin has been read. */
static void elements(struct reader *r, unsigned depth, char end)
{
	size_t used = strlen(r->path), index = 0;

	while (r->at && !take(r, end)) {
		char key[SIM_JSON_PATH];

		if (index)
			expect(r, ',');
		snprintf(key, sizeof key, "%zu", index++);
		if (end == '}') {
			expect(r, '"');
			if (r->at)
				words(r, key, sizeof key);
			expect(r, ':');
		}
		snprintf(r->path + used, sizeof r->path - used, "%s%.*s", used ? "." : "",
			 SIM_JSON_PATH - 2, key);
		if (r->at)
			element(r, depth + 1);
		r->path[used] = '\0';
	}
}

static void element(struct reader *r, unsigned depth)
{
	bool quoted;
	size_t length;

	if (depth == DEPTH) {
		r->at = NULL;
	} else if (take(r, '{')) {
		elements(r, depth, '}');
	} else if (take(r, '[')) {
		elements(r, depth, ']');
	} else {
		quoted = take(r, '"');
		length = strspn(r->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
		if (quoted) {
			words(r, r->value, sizeof r->value);
		} else {
			snprintf(r->value, sizeof r->value, "%.*s", (int)(length % 512), r->at);
			r->at = length ? r->at + length : NULL;
		}
		if (r->at)
			r->fn(r->state, r->path, r->value, quoted);
	}
}

const char *sim_json_each(const char *text, sim_json_fn *fn, void *state)
{
	struct reader r = { .at = text, .fn = fn, .state = state };

	expect(&r, '{');
	if (r.at)
		elements(&r, 0, '}');
	return r.at;
}
