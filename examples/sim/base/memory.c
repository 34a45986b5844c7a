/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "memory.h"
#include "arena.h"

#define PAGE_BYTES ((size_t)1 << SIM_PAGE_BITS)
#define DIRECTORY ((size_t)1 << SIM_DIRECTORY_BITS)

struct sim_memory *sim_memory_new(void)
{
	return sim_calloc(1, sizeof(struct sim_memory));
}

void sim_memory_free(struct sim_memory *memory)
{
	if (!memory)
		return;
	for (size_t i = 0; i < memory->roots; i++) {
		if (!memory->root[i])
			continue; /* versions have high addresses: most are empty */
		for (size_t j = 0; j < DIRECTORY; j++)
			if (memory->root[i][j]) /* few are: a call for each place is felt */
				sim_free(memory->root[i][j]);
		sim_free(memory->root[i]);
	}
	sim_free(memory->root);
	sim_free(memory);
}

/* Room for the directory of this address. */
static uint32_t ***directory_at(struct sim_memory *memory, uint64_t address)
{
	uint64_t at = address >> (SIM_PAGE_BITS + SIM_DIRECTORY_BITS);
	uint32_t ***root = memory->root;

	if (at < memory->roots)
		return &root[at];
	if (address >> SIM_ADDRESS_BITS)
		return NULL;
	root = sim_realloc(root, (at + 1) * sizeof *root);
	if (!root)
		return NULL;
	memset(root + memory->roots, 0, (at + 1 - memory->roots) * sizeof *root);
	memory->root = root;
	memory->roots = (uint32_t)at + 1;
	return &root[at];
}

static uint32_t *page_at(struct sim_memory *memory, uint64_t address)
{
	uint32_t ***directory = directory_at(memory, address), **page;

	if (directory && !*directory)
		*directory = sim_calloc(DIRECTORY, sizeof **directory);
	if (!directory || !*directory)
		return NULL;
	page = *directory + (address >> SIM_PAGE_BITS & (DIRECTORY - 1));
	if (!*page)
		*page = sim_calloc(1, PAGE_BYTES);
	return *page;
}

uint32_t *sim_memory_make(struct sim_memory *memory, uint64_t address)
{
	uint32_t *page = page_at(memory, address);

	if (page)
		return page + (address & (PAGE_BYTES - 1)) / 4;
	memory->exhausted = true;
	return &memory->scratch;
}

const uint32_t *sim_memory_page(const struct sim_memory *memory, uint64_t *address)
{
	uint64_t page = *address >> SIM_PAGE_BITS;

	for (uint64_t i = page >> SIM_DIRECTORY_BITS; i < memory->roots;
	     i++, page = i << SIM_DIRECTORY_BITS) {
		uint64_t j = page & (DIRECTORY - 1);

		while (memory->root[i] && j < DIRECTORY && !memory->root[i][j])
			j++;
		if (!memory->root[i] || j == DIRECTORY)
			continue;
		*address = (i << SIM_DIRECTORY_BITS | j) << SIM_PAGE_BITS;
		return memory->root[i][j];
	}
	return NULL;
}

struct sim_memory *sim_memory_copy(const struct sim_memory *memory)
{
	struct sim_memory *copy = sim_memory_new();
	const uint32_t *from;

	for (uint64_t at = 0; copy && (from = sim_memory_page(memory, &at)); at += PAGE_BYTES) {
		uint32_t *to = page_at(copy, at);

		if (to) {
			memcpy(to, from, PAGE_BYTES);
			continue;
		}
		sim_memory_free(copy);
		return NULL;
	}
	return copy;
}

/* Does `b` differ from `a` in a word that lies in a page of `a`? */
static bool differs_from(const struct sim_memory *a, const struct sim_memory *b, uint64_t end,
			 uint64_t *address)
{
	const uint32_t *page;
	uint64_t at = 0;

	for (; (page = sim_memory_page(a, &at)) && at < end; at += 1u << SIM_PAGE_BITS) {
		const uint32_t *other = sim_memory_find(b, at);

		for (uint32_t i = 0; i < (1u << SIM_PAGE_BITS) / 4 && at + 4 * i < end; i++)
			if (page[i] != (other ? other[i] : 0)) {
				*address = at + 4 * i;
				return true;
			}
	}
	return false;
}

bool sim_memory_differ(const struct sim_memory *a, const struct sim_memory *b, uint64_t end,
		       uint64_t *address)
{
	return differs_from(a, b, end, address) || differs_from(b, a, end, address);
}

void sim_memory_io(struct sim_memory *memory, struct sim_io *io)
{
	for (uint64_t at = 0; sim_io_ok(io); at += PAGE_BYTES) {
		uint32_t *page = NULL;

		if (!io->loading && !sim_memory_page(memory, &at))
			at = UINT64_C(1) << SIM_ADDRESS_BITS;
		SIM_IO(io, at);
		if (at >> SIM_ADDRESS_BITS || !sim_io_ok(io))
			break;
		page = page_at(memory, at);
		io->starved |= !page;
		if (page)
			sim_io_bytes(io, "page", page, PAGE_BYTES);
	}
}
