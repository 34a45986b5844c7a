/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_QUOTE_H
#define SIM_QUOTE_H
#include <stddef.h>
#include <stdio.h>

/* Text of a file for a message: what is not printable as \x0d. Cut where out is full. */
static inline void sim_quote(const char *text, char *out, size_t size)
{
	size_t length = 0;

	for (; *text && length + sizeof("\\x00") <= size; text++) {
		unsigned char c = (unsigned char)*text;

		length += (size_t)snprintf(out + length, size - length,
					   c < ' ' || c > '~' ? "\\x%02x" : "%c", c);
	}
	out[length] = '\0';
}

#endif
