/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_WARP_CLOCK_H
#define GPUTM_ORACLE_WARP_CLOCK_H
/* Each warp's clock, from all reports of the attempt kept in a list. */
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

static void oracle_warp_clock_abort(struct oracle_warp_clock *o, uint32_t warp, uint64_t reported)
{
	o->report[warp][o->reports[warp]++] = reported;
	o->stats.reports++;
}

static void oracle_warp_clock_restart(struct oracle_warp_clock *o, uint32_t warp)
{
	uint64_t before = o->time[warp];

	for (unsigned i = 0; i < o->reports[warp]; i++)
		if (o->report[warp][i] > o->time[warp])
			o->time[warp] = o->report[warp][i];
	if (o->time[warp] < o->time_max)
		o->time[warp]++;
	o->reports[warp] = 0;
	o->aborts[warp]++;
	o->stats.restarts++;
	o->stats.advanced += o->time[warp] - before;
	oracle_most(&o->stats.time_top, o->time[warp]);
	oracle_most(&o->stats.aborts_top, o->aborts[warp]);
}

/* The largest back-off that the warp's last restart may have given. */
static uint64_t oracle_warp_clock_backoff(const struct oracle_warp_clock *o, uint32_t warp,
					  const struct gputm_warp_clock_config *config)
{
	uint64_t most = config->backoff_base;

	unsigned doublings = 0, since = 0;

	for (unsigned i = 0; i < o->aborts[warp] && doublings < 16; i++) {
		bool early = i < config->backoff_limit;

		since = early ? 0 : since + 1;
		if (early || (config->backoff_patience && since % config->backoff_patience == 0))
			doublings++;
	}
	while (doublings--)
		most *= 2;
	return most;
}

#endif /* GPUTM_ORACLE_WARP_CLOCK_H */
