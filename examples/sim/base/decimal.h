/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_DECIMAL_H
#define SIM_DECIMAL_H
#include <stdint.h>
#include <string.h>

#define SIM_DECIMAL 24

/* Put the digits of a number and a NUL at `text`, with room for SIM_DECIMAL. @return that NUL. */
static inline char *sim_decimal(char *text, uint64_t number)
{
	char digits[SIM_DECIMAL], *first = digits + sizeof digits;
	size_t count;

	do
		*--first = (char)('0' + number % 10);
	while (number /= 10);
	count = (size_t)(digits + sizeof digits - first);
	memcpy(text, first, count);
	text[count] = '\0';
	return text + count;
}

#endif /* SIM_DECIMAL_H */
