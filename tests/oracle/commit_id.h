/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_COMMIT_ID_H
#define GPUTM_ORACLE_COMMIT_ID_H
/*
 * The vendor the slow way: a list of all CIDs ever given out, with every report about
 * them. What a pool holds, and which CID is the oldest in flight, is counted afresh.
 */
#include <stddef.h>

#include "gputm/commit_id.h"
#include "tests/oracle/stats.h"

#define ORACLE_COMMIT_ID_STATS                                                                 \
	grants, refused_short, refused_window, issued, returned, reports, in_flight,           \
		maximum_in_flight

struct oracle_commit_id {
	struct gputm_commit_id_config config;
	struct {
		uint32_t core;
		bool reported[64];
	} *given;
	size_t count;
	ORACLE_STATS(ORACLE_COMMIT_ID_STATS) stats;
};

void oracle_commit_id_open(struct oracle_commit_id *o, const struct gputm_commit_id_config *config);
void oracle_commit_id_close(struct oracle_commit_id *o);
/* The same answers as the unit's functions of these names. */
int oracle_commit_id_acquire(struct oracle_commit_id *o, uint32_t core, uint32_t count,
			     uint64_t *first_cid);
int oracle_commit_id_report_retired(struct oracle_commit_id *o, uint32_t partition,
				    uint64_t first_cid, uint32_t count, uint32_t *returned);
uint32_t oracle_commit_id_available(const struct oracle_commit_id *o, uint32_t core);
uint32_t oracle_commit_id_in_flight(const struct oracle_commit_id *o);
uint64_t oracle_commit_id_oldest(const struct oracle_commit_id *o);
uint64_t oracle_commit_id_next(const struct oracle_commit_id *o);
/* The oldest CID that this partition has not reported. */
uint64_t oracle_commit_id_unreported(const struct oracle_commit_id *o, uint32_t partition);

#endif /* GPUTM_ORACLE_COMMIT_ID_H */
