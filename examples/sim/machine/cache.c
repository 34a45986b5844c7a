/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache.h"
#include "../base/arena.h"

#include <errno.h>

int sim_cache_make(struct sim_cache *cache, uint32_t bytes, uint32_t ways, uint64_t line_bytes)
{
	*cache = (struct sim_cache){ .sets = 1, .ways = ways };
	while (line_bytes >> cache->shift > 1)
		cache->shift++;
	while (2 * (uint64_t)cache->sets * ways << cache->shift <= bytes)
		cache->sets *= 2;
	cache->line = sim_calloc((size_t)cache->sets * ways, sizeof *cache->line);
	return cache->line ? 0 : -ENOMEM;
}

void sim_cache_free(struct sim_cache *cache)
{
	sim_free(cache->line);
}

void sim_cache_io(struct sim_cache *cache, struct sim_io *io)
{
	SIM_IO(io, cache->used);
	if (cache->line)
		SIM_IO_ARRAY(io, cache->line, cache->sets * cache->ways);
}

struct sim_cache_line *sim_cache_find(const struct sim_cache *cache, uint64_t address, bool *hit)
{
	uint64_t number = (address >> cache->shift) + 1;
	struct sim_cache_line *set = cache->line + (number & (cache->sets - 1)) * cache->ways;
	struct sim_cache_line *oldest = set;

	for (uint32_t i = 0; i < cache->ways; i++) {
		*hit = set[i].number == number;
		if (*hit)
			return &set[i];
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	return oldest;
}

struct sim_cache_line *sim_cache_use(struct sim_cache *cache, uint64_t address, bool *hit)
{
	struct sim_cache_line *line = sim_cache_find(cache, address, hit);

	line->number = (address >> cache->shift) + 1;
	line->used = ++cache->used;
	return line;
}
