/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

int flow_say(struct flow_reader *r, uint32_t line, const char *format, ...)
{
	va_list list;
	int used = snprintf(r->message, r->message_size, "%.200s:%u: ", r->name, line);

	va_start(list, format);
	if ((size_t)used < r->message_size)
		vsnprintf(r->message + used, r->message_size - (size_t)used, format, list);
	va_end(list);
	return -EINVAL;
}

int flow_no_memory(struct flow_reader *r)
{
	flow_say(r, r->line, "out of memory");
	return -ENOMEM;
}

int flow_unexpected(struct flow_reader *r, const char *expected)
{
	if (r->token == FLOW_END_OF_FILE)
		return flow_say(r, r->line, "got end of file, expected %s", expected);
	if (r->token == FLOW_END_OF_LINE)
		return flow_say(r, r->line, "got end of line, expected %s", expected);
	return flow_say(r, r->line, "got \"%s\", expected %s", r->text, expected);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The token is what stands in front of `stop`; a long one is shown cut. */
static void copy(struct flow_reader *r, const char *stop)
{
	size_t length = (size_t)(stop - r->at), i;

	if (length >= FLOW_NAME_MAX) {
		length = FLOW_NAME_MAX - 1;
		r->token = FLOW_WRONG;
	}
	for (i = 0; i < length; i++)
		r->text[i] = r->at[i] >= ' ' && r->at[i] <= '~' ? r->at[i] : '?';
	r->text[i] = '\0';
	if (length < (size_t)(stop - r->at))
		strcpy(r->text + i, "...");
	r->at = stop;
}

static int digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* Decimal, or hexadecimal after 0x. */
static void number(struct flow_reader *r)
{
	const char *p = r->at;
	int base = 10;
	uint64_t value = 0;

	r->token = FLOW_NUMBER;
	if (r->end - p > 2 && p[0] == '0' && p[1] == 'x') {
		base = 16;
		p += 2;
	}
	for (; p < r->end && (is_letter(*p) || is_digit(*p)); p++) {
		if (digit(*p) >= base)
			r->token = FLOW_WRONG;
		value = value * (unsigned)base + (unsigned)digit(*p);
		if (value > UINT32_MAX) {
			value = 0;
			r->token = FLOW_WRONG;
		}
	}
	r->number = (uint32_t)value;
	copy(r, p);
}

static void word(struct flow_reader *r)
{
	const char *p = r->at;

	r->token = FLOW_WORD;
	while (p < r->end && (is_letter(*p) || is_digit(*p) || *p == '.'))
		p++;
	copy(r, p);
}

static void sign(struct flow_reader *r)
{
	static const char pairs[][3] = { "<<", ">>", "<=", ">=", "==", "!=" };
	size_t length = 1;

	r->token = strchr("+-*/%&|^<>=[]!", *r->at) && *r->at ? FLOW_SIGN : FLOW_WRONG;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (r->end - r->at >= 2 && !memcmp(r->at, pairs[i], 2))
			length = 2;
	copy(r, r->at + length);
}

void flow_next(struct flow_reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
	if (r->at < r->end && *r->at == '#')
		while (r->at < r->end && *r->at != '\n')
			r->at++;
	r->text[0] = '\0';
	if (r->at == r->end)
		r->token = FLOW_END_OF_FILE;
	else if (*r->at == '\n')
		r->token = FLOW_END_OF_LINE;
	else if (is_letter(*r->at))
		word(r);
	else if (is_digit(*r->at))
		number(r);
	else
		sign(r);
}

int flow_take_sign(struct flow_reader *r, const char *sign)
{
	char expected[16];

	if (flow_is(r, FLOW_SIGN, sign)) {
		flow_next(r);
		return 0;
	}
	snprintf(expected, sizeof(expected), "\"%s\"", sign);
	return flow_unexpected(r, expected);
}

int flow_take_number(struct flow_reader *r, uint32_t least, uint32_t most, const char *what,
		     uint32_t *out)
{
	char expected[128];

	if (r->token == FLOW_NUMBER && r->number >= least && r->number <= most) {
		*out = r->number;
		flow_next(r);
		return 0;
	}
	snprintf(expected, sizeof(expected), "%s, %u .. %u", what, least, most);
	return flow_unexpected(r, expected);
}

int flow_take_name(struct flow_reader *r, const char *what, char out[FLOW_NAME_MAX])
{
	if (r->token != FLOW_WORD)
		return flow_unexpected(r, what);
	snprintf(out, FLOW_NAME_MAX, "%.*s", (int)FLOW_NAME_MAX - 1, r->text);
	flow_next(r);
	return 0;
}

int flow_take_end(struct flow_reader *r)
{
	if (r->token != FLOW_END_OF_LINE && r->token != FLOW_END_OF_FILE)
		return flow_unexpected(r, "end of line");
	return 0;
}

bool flow_room(void **array, size_t *room, size_t count, size_t element)
{
	size_t wanted = *room ? 2 * *room : 16;
	void *bigger;

	if (count < *room)
		return true;
	bigger = realloc(*array, wanted * element);
	if (!bigger)
		return false;
	*array = bigger;
	*room = wanted;
	return true;
}
