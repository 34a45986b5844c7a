/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks are cut from chunks, one after the other. A freed block waits in the list of its class for
 * the next of that class; there are four classes for each power of two, so a block is at most a
 * quarter larger than asked for. A block of two megabytes or more has a mapping of its own, which
 * goes back to the system. Chunks stay until the process ends.
 *
 *     chunk:  |head|block      |head|block   |head|block  ...  |never touched: zero |
 *                                                              next                 end
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <gputm/base.h>

#include "arena.h"

#define HUGE_PAGE ((size_t)2 << 20)
#define CHUNK ((size_t)8 << 20) /* few enough that a small limit of address space holds one */
#define OWN_MAPPING ((size_t)2 << 20)
#define CLASSES 64 /* up to OWN_MAPPING */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(memory_sanitizer))
#else
#define SANITIZED false
#endif

/* Before each block. The first word of a free block is the next one of its class. */
struct head {
	_Alignas(16) size_t room; /* bytes of the block */
	uint32_t class;		  /* CLASSES: it has a mapping of its own */
};

static struct {
	enum { UNKNOWN, PACKED, FROM_LIBC } way;
	char *next, *end; /* of the last chunk */
	void *freed[CLASSES];
} arena;

bool sim_packs(void)
{
	if (arena.way == UNKNOWN) {
		const char *loaded = getenv("LD_PRELOAD"); /* valgrind's own part in this process */

		bool seen = SANITIZED || (loaded && strstr(loaded, "vgpreload"));

		arena.way = seen ? FROM_LIBC : PACKED;
	}
	return arena.way == PACKED;
}

/* `bytes` of zeros from the system, at a multiple of a large page. */
static char *map(size_t bytes)
{
	char *at = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (at == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)at & (HUGE_PAGE - 1);
	if (before)
		munmap(at, before);
	munmap(at + before + bytes, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
	madvise(at + before, bytes, MADV_HUGEPAGE);
#endif
	return at + before;
}

/* Room for `size` bytes: 16, 32, 48, 64; from there four steps for each power of two. */
static uint32_t class_of(size_t size, size_t *room)
{
	size_t last = size ? (size - 1) / 16 : 0;
	uint32_t shift = last < 4 ? 0 : 61 - (uint32_t)__builtin_clzll(last);

	*room = ((last >> shift) + 1) << shift << 4;
	return 4 * shift + (uint32_t)(last >> shift);
}

static void *begin(void *at, size_t room, uint32_t class)
{
	struct head *head = at;

	head->room = room;
	head->class = class;
	return head + 1;
}

static void *own_mapping(size_t size)
{
	size_t bytes = (size + sizeof(struct head) + 4095) & ~(size_t)4095;
	char *at = bytes > size ? map(bytes) : NULL;

	return at ? begin(at, bytes - sizeof(struct head), CLASSES) : NULL;
}

/* A new block of a chunk. What an old chunk has left is lost. */
static void *cut(size_t room, uint32_t class)
{
	size_t bytes = room + sizeof(struct head);
	char *at;

	if ((size_t)(arena.end - arena.next) < bytes) {
		at = map(CHUNK);
		if (!at)
			return NULL;
		arena.next = at;
		arena.end = at + CHUNK;
	}
	at = arena.next;
	arena.next += bytes;
	return begin(at, room, class);
}

/* *zero: the block is of memory that was never written. */
static void *take(size_t size, bool *zero)
{
	size_t room;
	uint32_t class;
	void *block;

	*zero = true;
	if (size >= OWN_MAPPING)
		return own_mapping(size);
	class = class_of(size, &room);
	block = arena.freed[class];
	if (!block)
		return cut(room, class);
	memcpy(&arena.freed[class], block, sizeof(void *));
	*zero = false;
	return block;
}

void *sim_malloc(size_t size)
{
	bool zero;
	void *block;

	if (!sim_packs())
		return malloc(size);
	block = take(size, &zero);
	if (!block)
		errno = ENOMEM;
	return block;
}

void *sim_calloc(size_t count, size_t size)
{
	bool zero;
	size_t bytes;
	void *block;

	if (!sim_packs())
		return calloc(count, size);
	block = __builtin_mul_overflow(count, size, &bytes) ? NULL : take(bytes, &zero);
	if (!block)
		errno = ENOMEM;
	else if (!zero)
		memset(block, 0, bytes);
	return block;
}

void sim_free(void *memory)
{
	struct head *head;

	if (!sim_packs())
		free(memory);
	if (!memory || !sim_packs())
		return;
	head = (struct head *)memory - 1;
	if (head->class == CLASSES) {
		munmap(head, head->room + sizeof(*head));
	} else {
		memcpy(memory, &arena.freed[head->class], sizeof(void *));
		arena.freed[head->class] = memory;
	}
}

void *sim_realloc(void *memory, size_t size)
{
	void *larger;
	size_t room;

	if (!sim_packs())
		return realloc(memory, size ? size : 1);
	room = memory ? ((struct head *)memory - 1)->room : 0;
	if (memory && size <= room)
		return memory;
	larger = sim_malloc(size);
	if (larger && memory) {
		memcpy(larger, memory, room);
		sim_free(memory);
	}
	return larger;
}

char *sim_strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = sim_malloc(bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

/* ---- for units of the library ---- */

static void *alloc(size_t size, void *state)
{
	(void)state;
	return sim_malloc(size);
}

static void *alloc_zero(size_t size, void *state)
{
	(void)state;
	return sim_calloc(1, size);
}

static void give(void *memory, void *state)
{
	(void)state;
	sim_free(memory);
}

const struct gputm_allocator sim_allocator = { alloc, give, NULL, alloc_zero };
