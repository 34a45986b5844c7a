/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SLAB_H
#define SIM_SLAB_H
/* Blocks of one size, named by number. The slab moves blocks when it grows: do not keep
 * pointers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "io.h"

#define SIM_SLAB_NONE UINT32_MAX

struct sim_slab {
	unsigned char *memory;
	size_t block; /* bytes, at least 4 */
	uint32_t count, used;
	uint32_t free; /* first free block, plus 1; each free block holds the number of the next */
};

static inline void *sim_slab_at(const struct sim_slab *slab, uint32_t index)
{
	return slab->memory + index * slab->block;
}

/* SIM_SLAB_NONE if out of memory. */
static inline uint32_t sim_slab_take(struct sim_slab *slab)
{
	if (slab->free) {
		uint32_t index = slab->free - 1;

		memcpy(&slab->free, sim_slab_at(slab, index), sizeof slab->free);
		return index;
	}
	if (slab->used == slab->count) {
		uint32_t count = slab->count ? 2 * slab->count : 64;
		void *memory = sim_realloc(slab->memory, count * slab->block);

		if (!memory)
			return SIM_SLAB_NONE;
		slab->memory = memory;
		slab->count = count;
	}
	/* A saved state holds the whole block, including bytes that the user never writes. */
	memset(sim_slab_at(slab, slab->used), 0, slab->block);
	return slab->used++;
}

/* The free blocks are blocks of the slab, each once. */
static inline void sim_slab_check(const struct sim_slab *slab, struct sim_io *io)
{
	uint32_t next = slab->free, count = 0;

	for (; io->loading && sim_io_ok(io) && next; count++) {
		sim_io_below(io, "slab", next - 1, slab->used);
		sim_io_below(io, "slab", count, slab->used);
		if (sim_io_ok(io))
			memcpy(&next, sim_slab_at(slab, next - 1), sizeof next);
	}
}

static inline void sim_slab_io(struct sim_slab *slab, struct sim_io *io)
{
	SIM_IO(io, slab->used);
	SIM_IO(io, slab->free);
	sim_io_grown(io, "slab", &slab->memory, slab->used, slab->block);
	slab->count = io->loading ? slab->used : slab->count;
	sim_slab_check(slab, io);
}

static inline void sim_slab_give(struct sim_slab *slab, uint32_t index)
{
	memcpy(sim_slab_at(slab, index), &slab->free, sizeof slab->free);
	slab->free = index + 1;
}

#endif
