/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_FIRST_READ_H
#define GPUTM_ORACLE_FIRST_READ_H
/* One record for each lane that says in words what it has seen; verdicts lane by lane. */
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

/* The functions give the same answers as the unit's of their names. */

static bool is_out(const struct oracle_first_read *o, uint32_t warp, uint64_t mask)
{
	return warp >= o->config.warps || (o->config.lanes < 64 && mask >> o->config.lanes);
}

static bool is_long(const struct oracle_first_read *o, uint64_t time)
{
	return o->config.time_bits < 64 && time >> o->config.time_bits;
}

/* All of these lanes run an attempt, and `load`: have sent a load. */
static bool all(const struct oracle_first_read *o, uint32_t warp, uint64_t mask, bool load)
{
	for (uint32_t lane = 0; lane < 64; lane++)
		if (mask >> lane & 1 &&
		    !(load ? o->lane[warp][lane].loaded : o->lane[warp][lane].running))
			return false;
	return true;
}

static int oracle_first_read_begin(struct oracle_first_read *o, uint32_t warp, uint64_t mask)
{
	static const struct oracle_first_read_lane begun = { true, false, false, 0 };

	if (is_out(o, warp, mask))
		return -ERANGE;
	for (uint32_t lane = 0; lane < 64; lane++)
		if (mask >> lane & 1) {
			o->stats.begun++;
			o->stats.restarted += o->lane[warp][lane].running;
			o->stats.running += !o->lane[warp][lane].running;
			o->lane[warp][lane] = begun;
		}
	return 0;
}

static int oracle_first_read_issue(struct oracle_first_read *o, uint32_t warp, uint64_t mask,
				   uint64_t time)
{
	if (is_out(o, warp, mask))
		return -ERANGE;
	if (!all(o, warp, mask, false))
		return -EINVAL;
	if (is_long(o, time))
		return -ERANGE;
	for (uint32_t lane = 0; lane < 64; lane++) {
		struct oracle_first_read_lane *l = &o->lane[warp][lane];

		o->stats.loads += mask >> lane & 1;
		if (mask >> lane & 1 && !l->loaded) {
			l->loaded = true;
			l->first = time;
		}
	}
	return 0;
}

static int oracle_first_read_reply(struct oracle_first_read *o, uint32_t warp, uint64_t mask,
				   uint64_t last_written, bool write_pending)
{
	int result = GPUTM_FIRST_READ_CLEAN;

	if (is_out(o, warp, mask))
		return -ERANGE;
	if (!all(o, warp, mask, true))
		return -EINVAL;
	if (is_long(o, last_written))
		return -ERANGE;
	for (uint32_t lane = 0; lane < 64; lane++) {
		struct oracle_first_read_lane *l = &o->lane[warp][lane];
		bool late = last_written > l->first;

		if (mask >> lane & 1 && (late || (write_pending && o->config.guard_writeback))) {
			o->stats.time_conflicts += !l->conflict && late;
			o->stats.guard_conflicts += !l->conflict && !late;
			l->conflict = true;
			result = GPUTM_FIRST_READ_CONFLICT;
		}
	}
	o->stats.replies++;
	o->stats.conflicting += result == GPUTM_FIRST_READ_CONFLICT;
	return result;
}

static int oracle_first_read_finish(struct oracle_first_read *o, uint32_t warp, uint64_t mask,
				    uint64_t writers, struct gputm_first_read_verdict *out)
{
	struct gputm_first_read_verdict verdict = { 0, 0, 0 };

	if (is_out(o, warp, mask))
		return -ERANGE;
	if (!all(o, warp, mask, false))
		return -EINVAL;
	for (EACH_LANE(lane, mask)) {
		struct oracle_first_read_lane *l = &o->lane[warp][lane];

		if (writers >> lane & 1)
			verdict.read_write |= UINT64_C(1) << lane;
		else if (l->conflict)
			verdict.second_chance |= UINT64_C(1) << lane;
		else
			verdict.silent |= UINT64_C(1) << lane;
		++*(writers >> lane & 1 ? &o->stats.read_write :
		    l->conflict		? &o->stats.second_chance :
					  &o->stats.silent);
		o->stats.running--;
		memset(l, 0, sizeof(*l));
	}
	*out = verdict;
	return 0;
}

static uint64_t oracle_first_read_oldest(const struct oracle_first_read *o)
{
	uint64_t oldest = UINT64_MAX;

	for (uint32_t warp = 0; warp < o->config.warps; warp++)
		for (uint32_t lane = 0; lane < 64; lane++)
			if (o->lane[warp][lane].loaded && o->lane[warp][lane].first < oldest)
				oldest = o->lane[warp][lane].first;
	return oldest;
}

#endif /* GPUTM_ORACLE_FIRST_READ_H */
