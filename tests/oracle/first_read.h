/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_FIRST_READ_H
#define GPUTM_ORACLE_FIRST_READ_H
/* One record for each lane that says in words what it has seen; verdicts lane by lane. */
#include "gputm/first_read.h"
#include "tests/oracle/stats.h"

#define ORACLE_FIRST_READ_WARPS 8
#define ORACLE_FIRST_READ_STATS                                                                \
	begun, restarted, silent, second_chance, read_write, running, loads, replies,          \
		conflicting, time_conflicts, guard_conflicts

struct oracle_first_read_lane {
	bool running, loaded, conflict;
	uint64_t first;
};

struct oracle_first_read {
	struct gputm_first_read_config config; /* at most ORACLE_FIRST_READ_WARPS warps */
	struct oracle_first_read_lane lane[ORACLE_FIRST_READ_WARPS][64];
	ORACLE_STATS(ORACLE_FIRST_READ_STATS) stats;
};

void oracle_first_read_open(struct oracle_first_read *o,
			    const struct gputm_first_read_config *config);
/* The same answers as the unit's functions of these names. */
int oracle_first_read_begin(struct oracle_first_read *o, uint32_t warp, uint64_t mask);
int oracle_first_read_issue(struct oracle_first_read *o, uint32_t warp, uint64_t mask,
			    uint64_t time);
int oracle_first_read_reply(struct oracle_first_read *o, uint32_t warp, uint64_t mask,
			    uint64_t last_written, bool write_pending);
int oracle_first_read_finish(struct oracle_first_read *o, uint32_t warp, uint64_t mask,
			     uint64_t writers, struct gputm_first_read_verdict *out);
uint64_t oracle_first_read_oldest(const struct oracle_first_read *o);

#endif /* GPUTM_ORACLE_FIRST_READ_H */
