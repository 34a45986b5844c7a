/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_ACCESS_BITMAP_H
#define GPUTM_ORACLE_ACCESS_BITMAP_H
/* Marks the slow way: a list of the addresses that were recorded, searched from the front. */
#include "tests/oracle/stats.h"

#define ORACLE_ACCESS_BITMAP_MOST 4096
#define ORACLE_ACCESS_BITMAP_STATS queries, clears, wipes, made, cleared, maximum_marked

struct oracle_access_bitmap {
	struct gputm_access_bitmap_config config;
	uint64_t address[ORACLE_ACCESS_BITMAP_MOST];
	uint32_t count, made; /* since the last clear */
	ORACLE_STATS(ORACLE_ACCESS_BITMAP_STATS) stats;
};

/* The functions give the same answers as the unit's of their names. */

static int is_marked(const struct oracle_access_bitmap *o, uint64_t address)
{
	if (address >= o->config.region_bytes)
		return -ERANGE;
	for (uint32_t i = 0; i < o->count; i++)
		if (o->address[i] / o->config.granule == address / o->config.granule)
			return 1;
	return 0;
}

static int oracle_access_bitmap_record(struct oracle_access_bitmap *o, uint64_t address)
{
	int known = is_marked(o, address);

	if (known < 0)
		return known;
	o->made++;
	if (!known)
		o->address[o->count++] = address;
	return 0;
}

static int oracle_access_bitmap_query(struct oracle_access_bitmap *o, uint64_t address)
{
	int known = is_marked(o, address);

	o->stats.queries += known >= 0;
	return known;
}

static void oracle_access_bitmap_clear(struct oracle_access_bitmap *o)
{
	o->stats.clears++;
	o->stats.wipes = o->stats.clears / ((1u << o->config.mark_bits) - 1);
	o->stats.made += o->made;
	o->stats.cleared += o->count;
	oracle_most(&o->stats.maximum_marked, o->count);
	o->made = o->count = 0;
}

/* The lowest granule from `granule` on that is marked, or UINT64_MAX. */
static uint64_t lowest(const struct oracle_access_bitmap *o, uint64_t granule)
{
	uint64_t best = UINT64_MAX;

	for (uint32_t i = 0; i < o->count; i++) {
		uint64_t one = o->address[i] / o->config.granule;

		if (one >= granule && one < best)
			best = one;
	}
	return best;
}

static bool oracle_access_bitmap_next(const struct oracle_access_bitmap *o, uint64_t from,
				      struct gputm_access_bitmap_run *run)
{
	uint64_t granule = o->config.granule, first = lowest(o, from / granule);
	uint64_t behind = first, end;

	if (first == UINT64_MAX || from >= o->config.region_bytes)
		return false;
	while (is_marked(o, behind * granule) == 1)
		behind++;
	end = behind * granule;
	if (end > o->config.region_bytes)
		end = o->config.region_bytes;
	run->address = first * granule;
	run->bytes = end - run->address;
	return true;
}

#endif /* GPUTM_ORACLE_ACCESS_BITMAP_H */
