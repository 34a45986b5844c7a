/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* sigaction */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/explore/arena.h"

struct arena_room arena[ARENA_ROOMS];
static bool is_open;

/* ---- which pages are written ---- */

static bool written[ARENA_PAGES];
static struct sigaction others;

bool arena_is_written(size_t page)
{
	return written[page];
}

/* The first write to a page; what is outside is not ours. */
static void note_page(int signal, siginfo_t *info, void *context)
{
	size_t page = ((uintptr_t)info->si_addr - (uintptr_t)arena) / ARENA_PAGE;

	(void)context;
	if (page >= ARENA_PAGES || written[page]) {
		sigaction(signal, &others, NULL);
		return;
	}
	written[page] = true;
	mprotect((char *)arena + page * ARENA_PAGE, ARENA_PAGE, PROT_READ | PROT_WRITE);
}

void arena_watch(void)
{
	struct sigaction ours = { .sa_sigaction = note_page, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &ours, &others);
	/* Where pages are larger, all count as written. */
	memset(written, mprotect(arena, sizeof(arena), PROT_READ) != 0, sizeof(written));
}

void arena_unwatch(void)
{
	mprotect(arena, sizeof(arena), PROT_READ | PROT_WRITE);
	sigaction(SIGSEGV, &others, NULL);
}

/* ---- blocks ---- */

/* Before each block: its words, and whether it is taken. */
#define TAKEN 1u

void arena_open(void)
{
	is_open = true;
}

void arena_close(void)
{
	is_open = false;
}

void arena_forget(void)
{
	memset(arena, 0, sizeof(arena));
}

void *arena_take(int number, size_t bytes)
{
	struct arena_room *room = &arena[number];
	uint64_t words = (bytes + 7) / 8 / 2 * 2 + 2, at = 0; /* heads are at even places */

	while (at < room->used && (room->word[at] & TAKEN || room->word[at] >> 1 != words))
		at += room->word[at] >> 1;
	if (at >= room->used) {
		if (words > ARENA_WORDS - room->used)
			return NULL;
		at = room->used;
		room->used += words;
	}
	room->word[at] = words << 1 | TAKEN;
	return &room->word[at + 1];
}

static int room_of(const void *memory)
{
	for (int i = 0; i < ARENA_ROOMS; i++)
		if ((const uint64_t *)memory >= arena[i].word &&
		    (const uint64_t *)memory < arena[i].word + ARENA_WORDS)
			return i;
	return ARENA_ROOMS;
}

static size_t bytes_of(const void *memory)
{
	return (((const uint64_t *)memory)[-1] >> 1) * 8 - 8;
}

void arena_give(void *memory)
{
	uint64_t *words = memory;

	if (!memory)
		return;
	memset(memory, 0, bytes_of(memory));
	words[-1] &= ~(uint64_t)TAKEN;
}

static void *take_unit(size_t bytes, void *state)
{
	(void)state;
	return arena_take(ARENA_UNITS, bytes);
}

static void give_unit(void *memory, void *state)
{
	(void)state;
	arena_give(memory);
}

const struct gputm_allocator arena_units = { .alloc = take_unit, .free = give_unit,
					    .alloc_zero = take_unit };

void *sim_malloc(size_t bytes)
{
	return is_open ? arena_take(ARENA_AROUND, bytes) : malloc(bytes);
}

void *sim_calloc(size_t count, size_t bytes)
{
	return is_open ? arena_take(ARENA_AROUND, count * bytes) : calloc(count, bytes);
}

void sim_free(void *memory)
{
	if (room_of(memory) == ARENA_AROUND)
		arena_give(memory);
	else
		free(memory);
}

void *sim_realloc(void *memory, size_t bytes)
{
	void *larger;

	if (room_of(memory) != ARENA_AROUND && (memory || !is_open))
		return realloc(memory, bytes);
	larger = arena_take(ARENA_AROUND, bytes);
	if (!larger || !memory)
		return larger;
	memcpy(larger, memory, bytes < bytes_of(memory) ? bytes : bytes_of(memory));
	arena_give(memory);
	return larger;
}
