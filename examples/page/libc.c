/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All that the library needs of a C library, for targets that have none: nine functions.
 * Memory comes in blocks of 2^n bytes; a block that is freed is the next of its size.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEADER 16 /* of a block; keeps the alignment */

static struct block {
	struct block *next; /* of the spare ones */
	uint32_t n;
} *spare[32];

/* `bytes` that nobody has had, or NULL. */
#ifdef __wasm__
extern unsigned char __heap_base;

static void *fresh(size_t bytes)
{
	static uintptr_t end;
	uintptr_t begin = end ? end : ((uintptr_t)&__heap_base + HEADER - 1) / HEADER * HEADER;
	uintptr_t have = __builtin_wasm_memory_size(0) << 16;

	if (bytes > UINTPTR_MAX - 0xffff - begin)
		return NULL;
	if (begin + bytes > have &&
	    __builtin_wasm_memory_grow(0, (begin + bytes - have + 0xffff) >> 16) == SIZE_MAX)
		return NULL;
	end = begin + bytes;
	return (void *)begin;
}
#else
static void *fresh(size_t bytes)
{
	static _Alignas(HEADER) unsigned char heap[1 << 20];
	static size_t used;

	if (bytes > sizeof(heap) - used)
		return NULL;
	used += bytes;
	return heap + used - bytes;
}
#endif

void *malloc(size_t size)
{
	struct block *block;
	uint32_t n = 5;

	while (n < 31 && size > ((size_t)1 << n) - HEADER)
		n++;
	if (size > ((size_t)1 << n) - HEADER)
		return NULL;
	block = spare[n] ? spare[n] : fresh((size_t)1 << n);
	if (!block)
		return NULL;
	if (block == spare[n])
		spare[n] = block->next;
	block->n = n;
	return (unsigned char *)block + HEADER;
}

void free(void *memory)
{
	struct block *block = (void *)((unsigned char *)memory - HEADER);

	if (!memory)
		return;
	block->next = spare[block->n];
	spare[block->n] = block;
}

void *calloc(size_t count, size_t size)
{
	void *memory = size && count > SIZE_MAX / size ? NULL : malloc(count * size);

	return memory ? memset(memory, 0, count * size) : NULL;
}

void *memmove(void *to, const void *from, size_t size)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	for (size_t i = 0; i < size; i++) {
		size_t at = t < f ? i : size - 1 - i;

		t[at] = f[at];
	}
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	return memmove(to, from, size);
}

void *memset(void *at, int byte, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((unsigned char *)at)[i] = (unsigned char)byte;
	return at;
}

int memcmp(const void *left, const void *right, size_t size)
{
	const unsigned char *l = left, *r = right;
	size_t i = 0;

	while (i < size && l[i] == r[i])
		i++;
	return i < size ? l[i] - r[i] : 0;
}

size_t strlen(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

int strcmp(const char *left, const char *right)
{
	size_t l = strlen(left), r = strlen(right);

	return memcmp(left, right, (l < r ? l : r) + 1);
}
