/* SPDX-License-Identifier: BSD-2-Clause */
/* Exit 0 if standard input is exactly one JSON value (RFC 8259), or N with an argument, else 1. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

static int next;

static void advance(void)
{
	next = getchar();
}

static void blanks(void)
{
	while (next == ' ' || next == '\t' || next == '\n' || next == '\r')
		advance();
}

static bool take(int c)
{
	if (next != c)
		return false;
	advance();
	return true;
}

static bool word(const char *text)
{
	while (*text)
		if (!take(*text++))
			return false;
	return true;
}

static bool digits(void)
{
	if (!isdigit(next))
		return false;
	while (isdigit(next))
		advance();
	return true;
}

static bool number(void)
{
	take('-');
	if (!take('0') && !digits())
		return false;
	if (take('.') && !digits())
		return false;
	if (next != 'e' && next != 'E')
		return true;
	advance();
	if (next == '+' || next == '-')
		advance();
	return digits();
}

static bool escape(void)
{
	if (!take('u')) {
		if (next == EOF || !strchr("\"\\/bfnrt", next))
			return false;
		advance();
		return true;
	}
	for (int i = 0; i < 4; i++, advance())
		if (!isxdigit(next))
			return false;
	return true;
}

/* Bytes from 128 on are not looked into: the reports of this project have none. */
static bool string(void)
{
	if (!take('"'))
		return false;
	while (next != '"') {
		if (next == EOF || next < ' ' || next > 126)
			return false;
		if (take('\\')) {
			if (!escape())
				return false;
		} else {
			advance();
		}
	}
	return take('"');
}

static bool value(unsigned depth);

/* What follows an opening bracket, up to the closing one. */
static bool elements(unsigned depth, bool object)
{
	int end = object ? '}' : ']';

	blanks();
	if (take(end))
		return true;
	do {
		blanks();
		if (object) {
			if (!string())
				return false;
			blanks();
			if (!take(':'))
				return false;
		}
		if (!value(depth + 1))
			return false;
		blanks();
	} while (take(','));
	return take(end);
}

static bool value(unsigned depth)
{
	blanks();
	if (depth > DEPTH_MAX)
		return false;
	switch (next) {
	case '{':
	case '[': {
		bool object = next == '{';

		advance();
		return elements(depth, object);
	}
	case '"':
		return string();
	case 't':
		return word("true");
	case 'f':
		return word("false");
	case 'n':
		return word("null");
	default:
		return number();
	}
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1, i = 0;

	advance();
	for (; i < count && value(0); i++)
		blanks();
	return !(i == count && next == EOF);
}
