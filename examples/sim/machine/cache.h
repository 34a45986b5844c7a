/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H
/*
 * The tags of a core's L1, for both kinds of core: set-associative, replacing the least recently
 * used line.
 */
#include <stdbool.h>
#include <stdint.h>

#include "../base/io.h"

struct sim_cache_line {
	uint64_t number;  /* number of the line plus 1; 0: empty */
	uint64_t used;	  /* last use, by a counter */
	uint64_t arrives; /* when the data arrive; for the core's use, as is what follows */
	uint32_t waiters;
};

struct sim_cache {
	struct sim_cache_line *line; /* [sets][ways]; NULL: there is no L1 */
	uint64_t used;
	uint32_t sets, ways, shift; /* from an address to the number of its line */
};

/* 0 or -ENOMEM. The sets are the largest power of two that fits, at least 1. */
int sim_cache_make(struct sim_cache *cache, uint32_t bytes, uint32_t ways, uint64_t line_bytes);
void sim_cache_free(struct sim_cache *cache);
void sim_cache_io(struct sim_cache *cache, struct sim_io *io);
/* The line of the address if the cache has it, else the line to replace; *hit tells which. */
struct sim_cache_line *sim_cache_find(const struct sim_cache *cache, uint64_t address, bool *hit);
/* Access an address: afterwards the cache has its line. @return the line. */
struct sim_cache_line *sim_cache_use(struct sim_cache *cache, uint64_t address, bool *hit);

#endif /* SIM_CACHE_H */
