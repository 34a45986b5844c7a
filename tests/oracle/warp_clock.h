/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_WARP_CLOCK_H
#define GPUTM_ORACLE_WARP_CLOCK_H
/* Each warp's clock, from all reports of the attempt kept in a list. */
#include "gputm/warp_clock.h"
#include "tests/oracle/stats.h"

#define ORACLE_CLOCK_WARPS 8
#define ORACLE_CLOCK_REPORTS 64
#define ORACLE_WARP_CLOCK_STATS                                                                \
	reports, restarts, commits, rollovers, advanced, backoff_cycles, time_top, aborts_top

struct oracle_warp_clock {
	uint64_t time[ORACLE_CLOCK_WARPS];
	uint64_t report[ORACLE_CLOCK_WARPS][ORACLE_CLOCK_REPORTS];
	unsigned reports[ORACLE_CLOCK_WARPS], aborts[ORACLE_CLOCK_WARPS];
	uint64_t time_max;
	ORACLE_STATS(ORACLE_WARP_CLOCK_STATS) stats;
};

void oracle_warp_clock_abort(struct oracle_warp_clock *o, uint32_t warp, uint64_t reported);
void oracle_warp_clock_restart(struct oracle_warp_clock *o, uint32_t warp);
/* The largest back-off that the warp's last restart may have given. */
uint64_t oracle_warp_clock_backoff(const struct oracle_warp_clock *o, uint32_t warp,
				   const struct gputm_warp_clock_config *config);

#endif /* GPUTM_ORACLE_WARP_CLOCK_H */
