/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/warp_clock.h"

void oracle_warp_clock_abort(struct oracle_warp_clock *o, uint32_t warp, uint64_t reported)
{
	o->report[warp][o->reports[warp]++] = reported;
	o->stats.reports++;
}

void oracle_warp_clock_restart(struct oracle_warp_clock *o, uint32_t warp)
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

uint64_t oracle_warp_clock_backoff(const struct oracle_warp_clock *o, uint32_t warp,
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
