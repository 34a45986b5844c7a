/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_TX_THROTTLE_H
#define GPUTM_ORACLE_TX_THROTTLE_H
/* Concurrency control the slow way: a list of warps inside and a list of waiting ones. */
#include "tests/oracle/stats.h"

#define ORACLE_TX_THROTTLE_STATS                                                               \
	admissions, departures, repeats, waits, from_queue, running, waiting, maximum_running, \
		maximum_waiting, limit_now, windows, raised, lowered, kept

struct oracle_tx_throttle {
	struct gputm_tx_throttle_config config;
	uint32_t inside[1024], waiting[1024];
	uint32_t insiders, waiters;
	/* what moves the limit: of the window; of the cheapest one; times; whether it starts */
	uint64_t limit, highest, began, last, commits, aborts, cost, left;
	uint64_t least_commits, least_cost, moved, longest;
	bool starting;
	ORACLE_STATS(ORACLE_TX_THROTTLE_STATS) stats;
};

/* The functions give the same answers as the unit's of their names. */

static void oracle_tx_throttle_open(struct oracle_tx_throttle *o,
				    const struct gputm_tx_throttle_config *config)
{
	memset(o, 0, sizeof *o);
	o->config = *config;
	o->limit = config->limit ? config->limit : config->warps;
	o->highest = config->highest && config->highest < config->warps ? config->highest :
									  config->warps;
	if (config->policy && config->window && o->limit > o->highest)
		o->limit = o->highest;
	o->starting = true;
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

static int decide(struct oracle_tx_throttle *o, uint32_t warp)
{
	uint32_t before = o->waiters, at;

	if (warp >= o->config.warps)
		return -ERANGE;
	if (find(o->inside, o->insiders, warp) < o->insiders) {
		o->stats.repeats++;
		return GPUTM_TX_THROTTLE_ADMITTED;
	}
	at = find(o->waiting, o->waiters, warp);
	if (at == o->waiters)
		o->waiting[o->waiters++] = warp;
	if (at > 0 || o->insiders >= o->limit) {
		o->stats.waits += o->waiters - before;
		return GPUTM_TX_THROTTLE_WAIT;
	}
	take_out(o->waiting, &o->waiters, 0);
	o->inside[o->insiders++] = warp;
	o->stats.admissions++;
	o->stats.from_queue += before - o->waiters;
	return GPUTM_TX_THROTTLE_ADMITTED;
}

static int oracle_tx_throttle_admit(struct oracle_tx_throttle *o, uint32_t warp)
{
	int result = decide(o, warp);

	oracle_most(&o->stats.maximum_running, o->insiders);
	oracle_most(&o->stats.maximum_waiting, o->waiters);
	return result;
}

static int oracle_tx_throttle_leave(struct oracle_tx_throttle *o, uint32_t warp)
{
	uint32_t at = find(o->inside, o->insiders, warp);

	if (warp >= o->config.warps)
		return -ERANGE;
	if (at == o->insiders)
		return -EINVAL;
	take_out(o->inside, &o->insiders, at);
	o->stats.departures++;
	o->left++;
	return 0;
}

static bool oracle_tx_throttle_next(const struct oracle_tx_throttle *o, uint32_t *warp)
{
	if (!o->waiters || o->insiders >= o->limit)
		return false;
	*warp = o->waiting[0];
	return true;
}

/* The limit after a window, by aborts per commit in exact fractions. */
static uint64_t by_aborts(const struct oracle_tx_throttle *o, bool many)
{
	if (many)
		return o->limit / 2;
	return 16 * o->aborts < o->config.raise_below * o->commits ? 2 * o->limit : o->limit;
}

/* A counter stays where it is full. */
static uint64_t in_31_bits(uint64_t count)
{
	return count < 0x7fffffff ? count : 0x7fffffff;
}

/* Of the window, or of its warps: in the start a quarter, rounded up. */
static uint64_t enough(const struct oracle_tx_throttle *o, uint64_t all)
{
	return o->starting ? all / 4 + (all % 4 > 0) : all;
}

/* The same by the price of a commit; each pair of products has one denominator. */
static uint64_t by_price(struct oracle_tx_throttle *o, bool dear)
{
	bool alone = o->limit == 1, first = !o->least_commits, starting = o->starting;
	uint64_t ours = o->cost * o->least_commits, least = o->least_cost * o->commits;

	if (!dear && (alone || first || ours <= least)) {
		o->least_commits = o->commits;
		o->least_cost = o->cost;
		ours = least = o->cost * o->commits;
	}
	o->longest -= o->longest / 4;
	o->starting = starting && !dear && ours <= 2 * least;
	if (dear || ours > 4 * least)
		return 1;
	if (ours > 2 * least)
		return o->limit;
	return starting ? 2 * o->limit : o->limit + (o->limit + 1) / 2;
}

static void open_window(struct oracle_tx_throttle *o)
{
	o->began = o->last;
	o->commits = o->aborts = o->cost = o->left = 0;
}

/* Attempts of more warps than the limit, or that began before it moved, tell nothing of it. */
static bool counts(struct oracle_tx_throttle *o, uint64_t began)
{
	if (o->insiders > o->limit)
		open_window(o);
	return o->insiders <= o->limit && began >= o->moved;
}

static int oracle_tx_throttle_report(struct oracle_tx_throttle *o, uint32_t commits,
				     uint32_t aborts, uint64_t began, uint64_t cycle)
{
	uint64_t all = o->config.window * o->limit, before = o->limit, length = cycle - began;
	bool climb = o->config.policy == GPUTM_TX_THROTTLE_POLICY_CLIMB, many, ended;

	if (commits > 64 || aborts > 64)
		return -ERANGE;
	if (!o->config.policy || !all)
		return GPUTM_TX_THROTTLE_KEPT;
	if (cycle < o->last || began > cycle)
		return -EINVAL;
	o->last = cycle;
	oracle_most(&o->longest, in_31_bits(length));
	if (climb && !counts(o, began))
		return GPUTM_TX_THROTTLE_KEPT;
	o->cost = in_31_bits(o->cost + (commits + aborts) * in_31_bits(length));
	o->commits = in_31_bits(o->commits + commits);
	o->aborts = in_31_bits(o->aborts + aborts);
	many = climb ? o->limit > 1 && o->least_commits &&
			       o->cost * o->least_commits > 4 * o->least_cost * enough(o, all) :
		       o->aborts > 0 && 16 * o->aborts >= o->config.lower_from * all;
	ended = climb ? o->commits && cycle - o->began >= o->longest &&
				(o->commits >= enough(o, all) || o->left >= enough(o, before)) :
			o->commits >= all;
	if (!many && !ended)
		return GPUTM_TX_THROTTLE_KEPT;
	o->limit = climb ? by_price(o, many) : by_aborts(o, many);
	if (o->limit > o->highest)
		o->limit = o->highest;
	if (!o->limit)
		o->limit = 1;
	if (o->limit != before)
		o->moved = cycle;
	open_window(o);
	o->stats.windows++;
	++*(o->limit > before ? &o->stats.raised :
	    o->limit < before ? &o->stats.lowered : &o->stats.kept);
	return o->limit > before ? GPUTM_TX_THROTTLE_RAISED :
	       o->limit < before ? GPUTM_TX_THROTTLE_LOWERED : GPUTM_TX_THROTTLE_KEPT;
}

#endif /* GPUTM_ORACLE_TX_THROTTLE_H */
