/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_ACCESS_BITMAP_H
#define GPUTM_ORACLE_ACCESS_BITMAP_H
/* Marks the slow way: a list of the addresses that were recorded, searched from the front. */
#include "gputm/access_bitmap.h"
#include "tests/oracle/stats.h"

#define ORACLE_ACCESS_BITMAP_MOST 4096
#define ORACLE_ACCESS_BITMAP_STATS queries, clears, made, cleared, maximum_marked

struct oracle_access_bitmap {
	struct gputm_access_bitmap_config config;
	uint64_t address[ORACLE_ACCESS_BITMAP_MOST];
	uint32_t count, made; /* since the last clear */
	ORACLE_STATS(ORACLE_ACCESS_BITMAP_STATS) stats;
};

void oracle_access_bitmap_open(struct oracle_access_bitmap *o,
			       const struct gputm_access_bitmap_config *config);
/* The same answers as the unit's functions of these names. */
int oracle_access_bitmap_record(struct oracle_access_bitmap *o, uint64_t address);
void oracle_access_bitmap_clear(struct oracle_access_bitmap *o);
int oracle_access_bitmap_query(struct oracle_access_bitmap *o, uint64_t address);
bool oracle_access_bitmap_next(const struct oracle_access_bitmap *o, uint64_t from,
			       struct gputm_access_bitmap_run *run);
uint64_t oracle_access_bitmap_marked(const struct oracle_access_bitmap *o);

#endif /* GPUTM_ORACLE_ACCESS_BITMAP_H */
