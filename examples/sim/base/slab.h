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
	if (slab->free - 1 < slab->used) {
		uint32_t index = slab->free - 1;

		memcpy(&slab->free, sim_slab_at(slab, index), sizeof slab->free);
		return index;
	}
	/* New blocks are 0, as a saved state has also the bytes that the user never writes. */
	if (slab->used == slab->count && !sim_grow(&slab->memory, slab->block, &slab->count,
						   sizeof slab->count, slab->used + 1u))
		return SIM_SLAB_NONE;
	return slab->used++;
}

/* While a state is loaded, a byte for each block comes after the blocks: has it an owner? */
static inline unsigned char *sim_slab_owned(const struct sim_slab *slab)
{
	return slab->memory + slab->used * slab->block;
}

/* Whatever names a block of a state that is loaded is its only owner; no other names it, and it is
 * not free. */
static inline void sim_slab_claim(const struct sim_slab *slab, struct sim_io *io, uint32_t index)
{
	sim_io_below(io, "slab", index, slab->used);
	if (!io->loading || !sim_io_ok(io))
		return;
	sim_io_below(io, "slab", sim_slab_owned(slab)[index], 1);
	sim_slab_owned(slab)[index] = 1;
}

/* The state has the blocks before anything that names one of them. */
static inline void sim_slab_io(struct sim_slab *slab, struct sim_io *io)
{
	unsigned char *more;

	SIM_IO(io, slab->used);
	SIM_IO(io, slab->free);
	sim_io_grown(io, "slab", &slab->memory, slab->used, slab->block);
	slab->count = io->loading ? slab->used : slab->count;
	sim_io_below(io, "slab", slab->free, (uint64_t)slab->used + 1);
	if (!io->loading || !sim_io_ok(io) || !slab->used)
		return;
	more = sim_realloc(slab->memory, slab->used * (slab->block + 1));
	io->starved |= !more;
	if (!more)
		return;
	slab->memory = more;
	memset(sim_slab_owned(slab), 0, slab->used);
	for (uint32_t next = slab->free; next && sim_io_ok(io);) {
		sim_slab_claim(slab, io, next - 1);
		if (sim_io_ok(io))
			memcpy(&next, sim_slab_at(slab, next - 1), sizeof next);
	}
}

static inline void sim_slab_give(struct sim_slab *slab, uint32_t index)
{
	memcpy(sim_slab_at(slab, index), &slab->free, sizeof slab->free);
	slab->free = index + 1;
}

#endif
