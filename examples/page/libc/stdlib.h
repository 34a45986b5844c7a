/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library takes of stdlib.h; libc.c has the functions. */
#include <stddef.h>
void *calloc(size_t count, size_t size);
void free(void *memory);
void *malloc(size_t size);
