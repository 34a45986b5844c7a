/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BLOCKS_H
#define SIM_BLOCKS_H
/*
 * Thread blocks on a core, of either kind. Block i of a launch is on core (i + 1) mod cores; the
 * core's next one takes the first free slot, and leaves it when all of it has ended.
 */
#include <stdbool.h>
#include <stdint.h>

#define SIM_BLOCK_SLOTS 64u

struct sim_blocks {
	uint64_t next;	/* that comes to the core */
	uint32_t count; /* that are there */
	uint32_t live[SIM_BLOCK_SLOTS]; /* warps or threads that have not ended; 0: a free slot */
};

static inline void sim_blocks_begin(struct sim_blocks *blocks, uint32_t core, uint32_t cores)
{
	blocks->next = (core + cores - 1) % cores;
}

/* The next block comes, so much of it lives. @return its slot; one is free. */
static inline uint32_t sim_blocks_take(struct sim_blocks *blocks, uint32_t live, uint32_t cores)
{
	uint32_t slot = 0;

	while (blocks->live[slot])
		slot++;
	blocks->next += cores;
	blocks->count++;
	blocks->live[slot] = live;
	return slot;
}

/* So much of a block has ended. @return whether that is all. */
static inline bool sim_blocks_leave(struct sim_blocks *blocks, uint32_t slot, uint32_t ended)
{
	blocks->live[slot] -= ended;
	blocks->count -= !blocks->live[slot];
	return !blocks->live[slot];
}

#endif /* SIM_BLOCKS_H */
