/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H
/*
 * The contents of global memory: 32-bit words at byte addresses below 2^40. Pages of 16 KB, and the
 * tables that lead to them, are allocated when first written. A word never written is 0.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io.h"

#define SIM_ADDRESS_BITS 40
#define SIM_PAGE_BITS 14
#define SIM_DIRECTORY_BITS 11

struct sim_memory {
	uint32_t ***root; /* [roots]: directories, or NULL */
	uint32_t roots;
	uint32_t scratch;
	bool exhausted; /* a page could not be allocated: writes to it are lost */
};

struct sim_memory *sim_memory_new(void); /* NULL when there is no memory */
struct sim_memory *sim_memory_copy(const struct sim_memory *memory);
void sim_memory_free(struct sim_memory *memory);

/* Where the word is stored; allocates its page. After exhaustion, the address of a scratch word. */
uint32_t *sim_memory_make(struct sim_memory *memory, uint64_t address);

/* The words of the first allocated page at or above *address, which becomes the page's address. */
const uint32_t *sim_memory_page(const struct sim_memory *memory, uint64_t *address);

/* A load overwrites the pages that exist; each of them is among the saved pages. */
void sim_memory_io(struct sim_memory *memory, struct sim_io *io);

/* Do the memories differ in a word below `end`? *address is that of such a word. */
bool sim_memory_differ(const struct sim_memory *a, const struct sim_memory *b, uint64_t end,
		       uint64_t *address);

static inline uint32_t *sim_memory_find(const struct sim_memory *memory, uint64_t address)
{
	uint64_t root = address >> (SIM_PAGE_BITS + SIM_DIRECTORY_BITS);
	uint32_t **directory = root < memory->roots ? memory->root[root] : NULL, *page;

	if (!directory)
		return NULL;
	page = directory[address >> SIM_PAGE_BITS & ((1u << SIM_DIRECTORY_BITS) - 1)];
	return page ? page + (address & ((1u << SIM_PAGE_BITS) - 1)) / 4 : NULL;
}

static inline uint32_t sim_memory_read(const struct sim_memory *memory, uint64_t address)
{
	const uint32_t *word = sim_memory_find(memory, address);

	return word ? *word : 0;
}

static inline void sim_memory_write(struct sim_memory *memory, uint64_t address, uint32_t value)
{
	uint32_t *word = sim_memory_find(memory, address);

	if (!word)
		word = sim_memory_make(memory, address);
	*word = value;
}

#endif
