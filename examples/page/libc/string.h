/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library takes of string.h; libc.c has the functions. */
#include <stddef.h>
int memcmp(const void *left, const void *right, size_t size);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *at, int byte, size_t size);
int strcmp(const char *left, const char *right);
size_t strlen(const char *text);
