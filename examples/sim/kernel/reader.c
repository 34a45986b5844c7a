/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <errno.h>
#include <stdarg.h>

#include "../base/arena.h"
#include "../base/source.h"

void keep_error(struct reader *r, int error)
{
	if (r->error || !error)
		return;
	r->error = error;
	next_token(r);
}

__attribute__((format(printf, 4, 0))) static void
say_list(struct reader *r, uint32_t line, uint32_t column, const char *format, va_list list)
{
	int used;

	if (r->error)
		return;
	used = snprintf(r->message, r->message_size, "%s:%u:%u: ", r->file, line, column);
	if ((size_t)used < r->message_size)
		vsnprintf(r->message + used, r->message_size - (size_t)used, format, list);
	keep_error(r, -EINVAL);
}

void say_at(struct reader *r, uint32_t line, uint32_t column, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say_list(r, line, column, format, list);
	va_end(list);
}

void say(struct reader *r, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say_list(r, r->token_line, r->token_column, format, list);
	va_end(list);
}

bool no_memory(struct reader *r)
{
	bool first = !r->error;

	say(r, "out of memory");
	if (first)
		r->error = -ENOMEM;
	return false;
}

void unexpected(struct reader *r, const char *expected)
{
	const char *near, *text = r->text;
	uint64_t value;

	near = r->token == TOKEN_WORD ? near_word(r, r->text) : NULL;
	if (r->token == TOKEN_END_OF_FILE)
		say(r, "got end of file, expected %s", expected);
	else if (r->token == TOKEN_END_OF_LINE)
		say(r, "got end of line, expected %s", expected);
	else if (r->token == TOKEN_WRONG &&
		 sim_number(&text, 0, UINT32_MAX, &value) == SIM_TOO_LARGE)
		say(r, "got \"%s\", which is above 4294967295, expected %s", r->text, expected);
	else
		say(r, "got \"%s\", expected %s%s%s%s", r->text, expected,
		    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The token is what stands in front of `stop`; one longer than `most` is shown cut. */
static void copy(struct reader *r, const char *stop, size_t most)
{
	size_t length = (size_t)(stop - r->at), i;
	bool cut = length >= most;

	if (cut) {
		length = most - 1;
		r->token = TOKEN_WRONG;
	}
	for (i = 0; i < length; i++)
		r->text[i] = r->at[i] >= ' ' && r->at[i] <= '~' ? r->at[i] : '?';
	r->text[i] = '\0';
	if (cut)
		strcpy(r->text + i, "...");
	r->at = stop;
}

/* Decimal, or hexadecimal after 0x. */
static void number(struct reader *r)
{
	const char *p = r->at, *text = r->text;
	uint64_t value = 0;

	while (p < r->end && (is_letter(*p) || is_digit(*p)))
		p++;
	r->token = TOKEN_NUMBER;
	copy(r, p, KERNEL_NAME_MAX);
	if (sim_number(&text, 0, UINT32_MAX, &value) != SIM_NUMBER || *text)
		r->token = TOKEN_WRONG;
	r->number = (uint32_t)value;
}

/* Within a macro, a parameter is what the call gave for it. */
static void put_argument(struct reader *r)
{
	for (uint32_t i = 0; r->scope && i < r->scope->bindings; i++) {
		const struct binding *b = &r->scope->binding[i];

		if (!same(b->name, r->text))
			continue;
		r->token = b->token;
		r->number = b->number;
		r->value = b->value;
		strcpy(r->text, b->text);
		return;
	}
}

static void word(struct reader *r)
{
	const char *p = r->at;

	r->token = TOKEN_WORD;
	while (p < r->end && (is_letter(*p) || is_digit(*p) || *p == '.'))
		p++;
	copy(r, p, KERNEL_NAME_MAX);
	if (r->token == TOKEN_WORD)
		put_argument(r);
}

static void text(struct reader *r)
{
	const char *p = ++r->at;

	r->token = TOKEN_TEXT;
	while (p < r->end && *p != '"' && *p != '\n')
		p++;
	copy(r, p, sizeof(r->text) - 4);
	if (p == r->end || *p != '"')
		r->token = TOKEN_WRONG;
	else
		r->at++;
}

static void sign(struct reader *r)
{
	static const char pairs[][3] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||" };
	size_t length = 1;

	r->token = strchr("+-*/%&|^<>=[]!(){},?:~.", *r->at) && *r->at ? TOKEN_SIGN : TOKEN_WRONG;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (r->end - r->at >= 2 && !memcmp(r->at, pairs[i], 2))
			length = 2;
	copy(r, r->at + length, KERNEL_NAME_MAX);
}

/* A line that ends so goes on in the next one. */
static bool goes_on(const struct reader *r)
{
	return r->token == TOKEN_SIGN && !strchr(")]}!~.", *r->text);
}

/* Blanks, comments and, where the line goes on, ends of lines. */
static void skip(struct reader *r)
{
	while (r->at < r->end) {
		if (*r->at == '#')
			while (r->at < r->end && *r->at != '\n')
				r->at++;
		else if (*r->at == '\n' && goes_on(r)) {
			r->line_start = ++r->at;
			r->line++;
		} else if (*r->at == ' ' || *r->at == '\t')
			r->at++;
		else
			return;
	}
}

void next_token(struct reader *r)
{
	if (r->error) {
		r->token = TOKEN_END_OF_FILE;
		r->text[0] = '\0';
		return;
	}
	if (r->token == TOKEN_END_OF_LINE && r->at < r->end && *r->at == '\n') {
		r->line_start = ++r->at;
		r->line++;
	}
	skip(r);
	r->text[0] = '\0';
	r->token_line = r->line;
	r->token_column = (uint32_t)(r->at - r->line_start) + 1;
	if (r->at == r->end)
		r->token = TOKEN_END_OF_FILE;
	else if (*r->at == '\n')
		r->token = TOKEN_END_OF_LINE;
	else if (is_letter(*r->at))
		word(r);
	else if (is_digit(*r->at))
		number(r);
	else if (*r->at == '"')
		text(r);
	else
		sign(r);
}

static void take(struct reader *r, enum token token, const char *text)
{
	char expected[40];

	if (r->token == token && same(r->text, text)) {
		next_token(r);
		return;
	}
	snprintf(expected, sizeof(expected), "\"%s\"", text);
	unexpected(r, expected);
}

void take_sign(struct reader *r, const char *sign)
{
	take(r, TOKEN_SIGN, sign);
}

void take_word(struct reader *r, const char *word)
{
	take(r, TOKEN_WORD, word);
}

uint32_t take_number(struct reader *r, uint32_t least, uint32_t most, const char *what)
{
	uint32_t number = r->number;
	char expected[128];

	if (r->token == TOKEN_NUMBER && number >= least && number <= most) {
		next_token(r);
		return number;
	}
	snprintf(expected, sizeof(expected), "%s, %u .. %u", what, least, most);
	unexpected(r, expected);
	return least;
}

void take_name(struct reader *r, const char *what, char out[KERNEL_NAME_MAX])
{
	if (r->token != TOKEN_WORD)
		unexpected(r, what);
	snprintf(out, KERNEL_NAME_MAX, "%.*s", (int)KERNEL_NAME_MAX - 1, r->text);
	next_token(r);
}

void take_end(struct reader *r)
{
	if (!at_end(r))
		unexpected(r, "end of line");
}

char *take_text(struct reader *r, const char *what)
{
	char *out;

	if (r->token != TOKEN_TEXT) {
		unexpected(r, what);
		return NULL;
	}
	out = sim_strdup(r->text);
	if (!out)
		no_memory(r);
	next_token(r);
	return out;
}
