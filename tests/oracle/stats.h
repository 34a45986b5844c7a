/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_STATS_H
#define GPUTM_ORACLE_STATS_H
/*
 * What the statistics of a unit should be. ORACLE_UNIT_STATS names all of them, in the order of
 * the unit, a histogram with its buckets: issued, width[GPUTM_HISTOGRAM_BUCKETS]. The same list
 * goes to ORACLE_STATS(), the struct that the oracle counts in, and to KIT_STATS(), which compares.
 */
#include <stdlib.h>
#include <string.h>

#include "gputm/gputm.h"

#define ORACLE_STATS(...)                                                                      \
	struct {                                                                               \
		uint64_t __VA_ARGS__;                                                          \
	}

/* An oracle of a config, all else 0. */
#define ORACLE_OPEN(O, CONFIG)                                                                 \
	(memset(O, 0, sizeof(*(O))), memcpy(&(O)->config, CONFIG, sizeof((O)->config)))

/* A value that a maximum should have seen. */
static inline void oracle_most(uint64_t *most, uint64_t value)
{
	*most = value > *most ? value : *most;
}

/* A value that a histogram should have counted, in the bucket of its number of bits. */
static inline void oracle_sample(uint64_t *bucket, uint64_t value)
{
	for (; value; value /= 2)
		bucket++;
	++*bucket;
}

/* for (EACH_LANE(lane, mask)) takes the lanes of a mask, the lowest first. */
#define EACH_LANE(LANE, MASK)                                                                  \
	unsigned LANE = oracle_next_lane(MASK, 0);                                             \
	LANE < 64;                                                                             \
	LANE = oracle_next_lane(MASK, LANE + 1)
static inline unsigned oracle_next_lane(uint64_t mask, unsigned from)
{
	return from < 64 && mask >> from ? from + (unsigned)__builtin_ctzll(mask >> from) : 64;
}

/* How many lanes a mask has. */
static inline uint64_t oracle_lanes(uint64_t mask)
{
	uint64_t sum = 0;

	for (; mask; mask /= 2)
		sum += mask % 2;
	return sum;
}

#endif /* GPUTM_ORACLE_STATS_H */
