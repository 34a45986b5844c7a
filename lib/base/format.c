/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of log messages; see format.h for the conversions it knows. */
#include "lib/base/format.h"
#include "lib/base/compiler.h"

size_t gputm__append(char *text, size_t size, size_t used, const char *more)
{
	while (*more && used + 1 < size)
		text[used++] = *more++;
	text[used] = '\0';
	return used;
}

static size_t append_number(char *text, size_t size, size_t used, unsigned long long value,
			    unsigned base)
{
	char digit[24];
	unsigned i = sizeof(digit) - 1;

	digit[i] = '\0';
	do {
		digit[--i] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	return gputm__append(text, size, used, digit + i);
}

static size_t append_int(char *text, size_t size, size_t used, int value)
{
	unsigned long long magnitude = (unsigned long long)value;

	if (value < 0) {
		used = gputm__append(text, size, used, "-");
		magnitude = 0 - magnitude;
	}
	return append_number(text, size, used, magnitude, 10);
}

size_t gputm__vformat(char *text, size_t size, size_t used, const char *format,
		      va_list arguments)
{
	char one[2] = { 0, 0 };

	for (; *format; format++) {
		if (*format != '%') {
			one[0] = *format;
			used = gputm__append(text, size, used, one);
			continue;
		}
		switch (*++format) {
		case 's':
			used = gputm__append(text, size, used, va_arg(arguments, const char *));
			break;
		case 'u':
			used = append_number(text, size, used, va_arg(arguments, unsigned), 10);
			break;
		case 'x':
			used = append_number(text, size, used, va_arg(arguments, unsigned), 16);
			break;
		case 'd':
			used = append_int(text, size, used, va_arg(arguments, int));
			break;
		case 'l': /* %llu or %llx */
			format += 2;
			used = append_number(text, size, used,
					     va_arg(arguments, unsigned long long),
					     *format == 'x' ? 16 : 10);
			break;
		default:
			gputm__assert(*format == '%');
			one[0] = *format;
			used = gputm__append(text, size, used, one);
		}
	}
	text[used] = '\0';
	return used;
}
