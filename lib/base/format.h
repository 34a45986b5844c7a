/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_BASE_FORMAT_H
#define GPUTM_LIB_BASE_FORMAT_H
/*
 * Messages without stdio, which the library does not call. Knows %s, %u and %x (unsigned),
 * %d (int), %llu and %llx (unsigned long long) and %%, without flags or widths; cuts what
 * does not fit and always ends in NUL.
 */
#include <stdarg.h>

#include "gputm/base.h"

/* Both give the new length of `text`, whose room is `size` bytes and length `used`. */
size_t gputm__append(char *text, size_t size, size_t used, const char *more);
size_t gputm__vformat(char *text, size_t size, size_t used, const char *format,
		      va_list arguments);

/* Log with a prefix ("KIND: "); the one place where messages leave the library. */
void gputm__vlog(struct gputm_ctx *ctx, enum gputm_log_level level, const char *prefix,
		 const char *format, va_list arguments);

#endif /* GPUTM_LIB_BASE_FORMAT_H */
