/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_QUOTE_H
#define SIM_QUOTE_H
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SIM_QUOTE 160

/* User text for a message: unprintable bytes as \x0d, long text cut with "...". */
static inline void sim_quote(const char *text, char *out, size_t size)
{
	size_t length = 0;

	for (; *text && length + sizeof("\\x00...") <= size; text++) {
		unsigned char c = (unsigned char)*text;

		length += (size_t)snprintf(out + length, size - length,
					   c < ' ' || c > '~' ? "\\x%02x" : "%c", c);
	}
	strcpy(out + length, *text ? "..." : "");
}

/* The same in a static buffer; the last few results stay valid. */
static inline const char *sim_quoted(const char *text)
{
	static char quoted[4][SIM_QUOTE];
	static unsigned turn;
	char *out = quoted[turn++ % 4];

	sim_quote(text, out, SIM_QUOTE);
	return out;
}

#endif
