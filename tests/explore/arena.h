/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_EXPLORE_ARENA_H
#define GPUTM_TESTS_EXPLORE_ARENA_H
/*
 * Memory at a fixed place, so that a whole system is copied by copying bytes. One room is for the
 * units, whose states are told apart by what they save; one for all that is around them: the
 * wiring and the host, whose bytes are
 * compared as they lie. So a block is zeroed when it is given back.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gputm/base.h"
#include "examples/sim/base/arena.h"

enum { ARENA_AROUND, ARENA_UNITS, ARENA_ROOMS };

#define ARENA_WORDS ((1u << 16) - 1) /* of a room */
#define ARENA_PAGE 4096u

struct arena_room {
	_Alignas(ARENA_PAGE) uint64_t used; /* words of `word`; blocks are at multiples of 16 */
	uint64_t word[ARENA_WORDS];
};
extern struct arena_room arena[ARENA_ROOMS];

#define ARENA_PAGES (sizeof(arena) / ARENA_PAGE)

/* Between these two it is noted which pages are written: the others hold what they held. */
void arena_watch(void);
void arena_unwatch(void);
bool arena_is_written(size_t page);

/* Where the wiring's memory comes from: the room around the units, or libc's heap (for what is
 * large and does not change). */
void arena_open(void);
void arena_close(void);
/* Empty both rooms. */
void arena_forget(void);

void *arena_take(int room, size_t bytes); /* zeroed; NULL: the room is full */
void arena_give(void *memory);
/* The units' room, for a context. */
extern const struct gputm_allocator arena_units;

#endif
