/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ARENA_H
#define SIM_ARENA_H
/*
 * All memory of a run, as libc's functions give it, but packed into few large pages: a run makes
 * thousands of small objects, and half of a short run would be the first touch of their pages.
 * What libc itself gives (open_memstream(), realpath(), scandir()) is freed with free().
 *
 * Under valgrind and the sanitizers each allocation is one of libc's, so that they see it.
 */
#include <stdbool.h>
#include <stddef.h>

struct gputm_allocator;

/* NULL and errno ENOMEM when there is no memory. Aligned to 16 bytes. */
void *sim_malloc(size_t size);
void *sim_calloc(size_t count, size_t size);
void *sim_realloc(void *memory, size_t size);
char *sim_strdup(const char *text);
/*
 * Room for `need` elements in an array that has some for *room: it grows to twice that or more.
 * False if there is no memory: nothing has changed. New elements are 0.
 */
#define SIM_ROOM(array, room, need)                                                            \
	((size_t)(need) <= (room) ||                                                           \
	 sim_grow(&(array), sizeof *(array), &(room), sizeof(room), (need)))
bool sim_grow(void *array, size_t element, void *room, size_t room_bytes, size_t need);
void sim_free(void *memory); /* NULL allowed */

/* Is it packed, not libc's? */
bool sim_packs(void);

/* The same memory for units of the library. */
extern const struct gputm_allocator sim_allocator;

#endif
