/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_OWNERSHIP_TABLE_H
#define GPUTM_ORACLE_OWNERSHIP_TABLE_H
/*
 * Logs of a warp for tests, and 2PCR the slow way: lanes are compared pair by pair, and the
 * entry of an address comes bit by bit from the public rows of the H3 family.
 */
#include "gputm/ownership_table.h"

#define ORACLE_LOG_ROWS 6

/* Logs with room of their own. */
struct oracle_logs {
	struct gputm_warp_logs logs;
	struct gputm_warp_row row[2][ORACLE_LOG_ROWS]; /* read, write */
	uint64_t address[2][ORACLE_LOG_ROWS][64];
};

/* Up to ORACLE_LOG_ROWS rows of each kind over `words` words from address 0. */
void oracle_logs_draw(struct oracle_logs *o, uint32_t lanes, uint64_t words,
		      uint64_t (*below)(void *source, uint64_t limit), void *source);

/*
 * Runs the survivors one after the other in lane order on a memory of words. Whether each
 * reads what stood there before all of them, and no word is written by two.
 */
bool oracle_logs_serialisable(const struct gputm_warp_logs *logs, uint64_t survivors);

/* Whether lane `late` reads or writes a region of these bytes that `early` writes. */
bool oracle_logs_conflict(const struct gputm_warp_logs *logs, uint32_t early, uint32_t late,
			  uint64_t granularity);

/* What both resolvers count, from the lanes and the resolution of each warp. */
#define ORACLE_RESOLVER_STATS                                                                  \
	acquired, refused, released, used, used_max, lanes_taken, lanes_survived,              \
		lanes_aborted, initialise_cycles, construct_cycles, match_cycles, log_rows, steps

struct oracle_resolver {
	uint64_t ORACLE_RESOLVER_STATS;
};

void oracle_resolver_resolved(struct oracle_resolver *o, uint64_t active,
			      const struct gputm_resolution *r);
void oracle_resolver_released(struct oracle_resolver *o, const struct gputm_resolution *r);

#define ORACLE_OWNERSHIP_TABLE_STATS ORACLE_RESOLVER_STATS, read_conflicts, write_conflicts

struct oracle_ownership_table {
	struct gputm_ownership_table_config config;
	struct gputm_h3 *h3;
	struct {
		struct oracle_resolver core;
		uint64_t read_conflicts, write_conflicts;
	} stats;
};

void oracle_ownership_table_open(struct oracle_ownership_table *o,
				 const struct gputm_ownership_table_config *config);
void oracle_ownership_table_close(struct oracle_ownership_table *o);
struct gputm_resolution oracle_ownership_table_resolve(struct oracle_ownership_table *o,
						       uint64_t active,
						       const struct gputm_warp_logs *logs);

#endif /* GPUTM_ORACLE_OWNERSHIP_TABLE_H */
