/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "tests/oracle/tx_throttle.h"

void oracle_tx_throttle_open(struct oracle_tx_throttle *o,
			     const struct gputm_tx_throttle_config *config)
{
	memset(o, 0, sizeof *o);
	o->config = *config;
	o->limit = config->limit ? config->limit : config->warps;
	o->highest = config->highest && config->highest < config->warps ? config->highest :
									  config->warps;
	if (config->policy && config->window && o->limit > o->highest)
		o->limit = o->highest;
	o->direction = 1;
}

/* Where the warp is in a list, or count. */
static uint32_t find(const uint32_t *list, uint32_t count, uint32_t warp)
{
	uint32_t at = 0;

	while (at < count && list[at] != warp)
		at++;
	return at;
}

static void take_out(uint32_t *list, uint32_t *count, uint32_t at)
{
	for ((*count)--; at < *count; at++)
		list[at] = list[at + 1];
}

int oracle_tx_throttle_admit(struct oracle_tx_throttle *o, uint32_t warp)
{
	uint32_t at;

	if (warp >= o->config.warps)
		return -ERANGE;
	if (find(o->inside, o->insiders, warp) < o->insiders)
		return GPUTM_TX_THROTTLE_ADMITTED;
	at = find(o->waiting, o->waiters, warp);
	if (at == o->waiters)
		o->waiting[o->waiters++] = warp;
	if (at > 0 || o->insiders >= o->limit)
		return GPUTM_TX_THROTTLE_WAIT;
	take_out(o->waiting, &o->waiters, 0);
	o->inside[o->insiders++] = warp;
	return GPUTM_TX_THROTTLE_ADMITTED;
}

int oracle_tx_throttle_leave(struct oracle_tx_throttle *o, uint32_t warp)
{
	uint32_t at = find(o->inside, o->insiders, warp);

	if (warp >= o->config.warps)
		return -ERANGE;
	if (at == o->insiders)
		return -EINVAL;
	take_out(o->inside, &o->insiders, at);
	return 0;
}

bool oracle_tx_throttle_next(const struct oracle_tx_throttle *o, uint32_t *warp)
{
	if (!o->waiters || o->insiders >= o->limit)
		return false;
	*warp = o->waiting[0];
	return true;
}

/* Aborts per commit, or commits per cycle against the window before, in exact fractions. */
static int direction(struct oracle_tx_throttle *o, uint64_t cycles, bool many)
{
	uint64_t ours = o->commits * o->old_cycles, theirs = o->old_commits * cycles;
	uint64_t apart = ours > theirs ? ours - theirs : theirs - ours;

	if (o->config.policy == GPUTM_TX_THROTTLE_ABORTS)
		return many ? -1 : 16 * o->aborts < o->config.raise_below * o->commits;
	if (!o->old_commits)
		return 1;
	if (apart <= theirs / 16 * o->config.slack)
		return 0;
	if (ours < theirs)
		o->direction = -o->direction;
	return o->direction;
}

int oracle_tx_throttle_report(struct oracle_tx_throttle *o, uint32_t commits, uint32_t aborts,
			      uint64_t cycle)
{
	uint64_t all = o->config.window * o->limit, before = o->limit, cycles = cycle - o->began;
	bool many;
	int way;

	if (commits > 64 || aborts > 64)
		return -ERANGE;
	if (!o->config.policy || !all)
		return GPUTM_TX_THROTTLE_KEPT;
	if (cycle < o->began)
		return -EINVAL;
	o->commits += commits;
	o->aborts += aborts;
	many = o->config.policy == GPUTM_TX_THROTTLE_ABORTS && o->aborts > 0 &&
	       16 * o->aborts >= o->config.lower_from * all;
	if (o->commits < all && !many)
		return GPUTM_TX_THROTTLE_KEPT;
	way = direction(o, cycles, many);
	if (way > 0)
		o->limit = before * 2 > o->highest ? o->highest : before * 2;
	if (way < 0 && before > 1)
		o->limit = before / 2;
	o->old_commits = o->commits;
	o->old_cycles = cycles;
	o->began = cycle;
	o->commits = o->aborts = 0;
	return o->limit > before ? GPUTM_TX_THROTTLE_RAISED :
	       o->limit < before ? GPUTM_TX_THROTTLE_LOWERED : GPUTM_TX_THROTTLE_KEPT;
}
