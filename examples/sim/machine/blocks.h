/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BLOCKS_H
#define SIM_BLOCKS_H
/*
 * Thread blocks on a core, of both kinds of core. Block i of a launch is on core (i + 1) mod cores.
 * The next block of a core takes the first free slot, and leaves the slot when all its warps have
 * ended.
 */
#include <stdbool.h>
#include <stdint.h>

#define SIM_BLOCK_SLOTS 64u

struct sim_blocks {
	uint64_t next;	/* next block of the core */
	uint32_t count; /* blocks on the core */
	uint32_t live[SIM_BLOCK_SLOTS]; /* live warps or threads; 0: the slot is free */
};

static inline void sim_blocks_begin(struct sim_blocks *blocks, uint32_t core, uint32_t cores)
{
	blocks->next = (core + cores - 1) % cores;
}

/* The next block begins, with `live` warps or threads. @return its slot; there must be a free
 * slot. */
static inline uint32_t sim_blocks_take(struct sim_blocks *blocks, uint32_t live, uint32_t cores)
{
	uint32_t slot = 0;

	while (blocks->live[slot] && slot + 1 < SIM_BLOCK_SLOTS)
		slot++;
	blocks->next += cores;
	blocks->count++;
	blocks->live[slot] = live;
	return slot;
}

/* `ended` warps or threads of a block have ended. @return whether these were the last. */
static inline bool sim_blocks_leave(struct sim_blocks *blocks, uint32_t slot, uint32_t ended)
{
	blocks->live[slot] -= ended;
	blocks->count -= !blocks->live[slot];
	return !blocks->live[slot];
}

#endif /* SIM_BLOCKS_H */
