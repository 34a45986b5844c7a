/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_METADATA_TABLE_H
#define GPUTM_ORACLE_METADATA_TABLE_H
/*
 * The metadata of every granule, exactly, in an array: what the table may overstate in its
 * stamps, never understate, and must give exactly where a reservation lives. And where its entry
 * is: a plain table of granules, without stamps.
 */
#include <stdint.h>

#include "gputm/metadata_table.h"
#include "tests/oracle/stats.h"

#define ORACLE_GRANULES 256
#define ORACLE_CELLS 512 /* ways, stash, then the overflow */
#define ORACLE_METADATA_TABLE_STATS                                                            \
	hits, misses, overflow_cycles, insert_cycles, insertions, swaps, filled, evicting,     \
		stashed, spilled, approximated, evictions, flushed, stash_max, overflow_max,   \
		locked_max, entries, stashed_now, overflow_now, locked, writes

struct oracle_metadata_table {
	const struct gputm_metadata_table_config *config;
	struct gputm_h3 *h3;
	struct gputm_metadata granule[ORACLE_GRANULES];
	uint32_t capacity, cells;    /* of the ways; with the stash */
	uint32_t cell[ORACLE_CELLS]; /* 1 + granule; 0: free */
	uint32_t turn;
	ORACLE_STATS(ORACLE_METADATA_TABLE_STATS) stats;
};

void oracle_metadata_table_init(struct oracle_metadata_table *o,
				const struct gputm_metadata_table_config *config);
/* Count a look-up, which the table says to have taken so many cycles. Gives what it finds. */
int oracle_metadata_table_lookup(struct oracle_metadata_table *o, uint64_t address,
				 uint32_t cycles);
void oracle_metadata_table_update(struct oracle_metadata_table *o, uint64_t address,
				  const struct gputm_metadata *in);
int oracle_metadata_table_remove(struct oracle_metadata_table *o, uint64_t address);
void oracle_metadata_table_flush(struct oracle_metadata_table *o);
uint64_t oracle_metadata_table_writes(const struct oracle_metadata_table *o);
/* NULL, or what the table says of this address that cannot be. */
const char *oracle_metadata_table_compare(const struct oracle_metadata_table *o,
					  const struct gputm_metadata_table *table,
					  uint64_t address);

#endif /* GPUTM_ORACLE_METADATA_TABLE_H */
