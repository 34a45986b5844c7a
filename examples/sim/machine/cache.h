/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H
/*
 * The tags of a core's L1, of either kind of core: set-associative, the line that was not used
 * for longest out first.
 */
#include <stdbool.h>
#include <stdint.h>

#include "../base/io.h"

struct sim_cache_line {
	uint64_t number;  /* of the line plus 1; 0: empty */
	uint64_t used;	  /* by a counter */
	uint64_t arrives; /* the core's, as is what follows: when its data are there */
	uint32_t waiters;
};

struct sim_cache {
	struct sim_cache_line *line; /* [sets][ways]; NULL: there is no L1 */
	uint64_t used;
	uint32_t sets, ways, shift; /* of an address, to the number of its line */
};

/* 0 or -ENOMEM. The sets are the most that fit: a power of two, and at least 1. */
int sim_cache_make(struct sim_cache *cache, uint32_t bytes, uint32_t ways, uint64_t line_bytes);
void sim_cache_free(struct sim_cache *cache);
void sim_cache_io(struct sim_cache *cache, struct sim_io *io);
/* The line of the address, or the place where it is to come; *hit says which. */
struct sim_cache_line *sim_cache_find(const struct sim_cache *cache, uint64_t address, bool *hit);
/* The address is used: its line is in the cache, whether or not it was. @return its line. */
struct sim_cache_line *sim_cache_use(struct sim_cache *cache, uint64_t address, bool *hit);

#endif /* SIM_CACHE_H */
