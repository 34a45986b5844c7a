/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_COMMIT_ID_H
#define GPUTM_ORACLE_COMMIT_ID_H
/*
 * The vendor the slow way: a list of all CIDs ever given out, with every report about
 * them. What a pool holds, and which CID is the oldest in flight, is counted afresh.
 */
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

/* The functions give the same answers as the unit's of their names. */

static bool is_back(const struct oracle_commit_id *o, size_t i)
{
	for (uint32_t p = 0; p < o->config.partitions; p++)
		if (!o->given[i].reported[p])
			return false;
	return true;
}

static uint32_t oracle_commit_id_available(const struct oracle_commit_id *o, uint32_t core)
{
	uint32_t out = 0;

	if (core >= o->config.cores)
		return 0;
	for (size_t i = 0; i < o->count; i++)
		if (!is_back(o, i) && (o->given[i].core == core ||
				       o->config.pools == GPUTM_COMMIT_ID_POOLS_SHARED))
			out++;
	return o->config.credits - out;
}

static uint32_t oracle_commit_id_in_flight(const struct oracle_commit_id *o)
{
	uint32_t out = 0;

	for (size_t i = 0; i < o->count; i++)
		out += !is_back(o, i);
	return out;
}

static uint64_t oracle_commit_id_next(const struct oracle_commit_id *o)
{
	return o->config.first_cid + o->count;
}

static uint64_t oracle_commit_id_oldest(const struct oracle_commit_id *o)
{
	for (size_t i = 0; i < o->count; i++)
		if (!is_back(o, i))
			return o->config.first_cid + i;
	return oracle_commit_id_next(o);
}

/* The oldest CID that this partition has not reported. */
static uint64_t oracle_commit_id_unreported(const struct oracle_commit_id *o, uint32_t partition)
{
	for (size_t i = 0; i < o->count; i++)
		if (!o->given[i].reported[partition])
			return o->config.first_cid + i;
	return oracle_commit_id_next(o);
}

static int oracle_commit_id_acquire(struct oracle_commit_id *o, uint32_t core, uint32_t count,
				    uint64_t *first_cid)
{
	if (core >= o->config.cores || count < 1 || count > 64 || count > o->config.credits)
		return -ERANGE;
	if (oracle_commit_id_available(o, core) < count) {
		o->stats.refused_short++;
		return GPUTM_COMMIT_ID_SHORT;
	}
	if (oracle_commit_id_next(o) + count - 1 >= oracle_commit_id_oldest(o) + o->config.ring) {
		o->stats.refused_window++;
		return GPUTM_COMMIT_ID_WINDOW;
	}
	o->stats.grants++;
	*first_cid = oracle_commit_id_next(o);
	o->given = realloc(o->given, (o->count + count) * sizeof(*o->given));
	if (!o->given)
		abort();
	for (; count; count--) {
		o->given[o->count].core = core;
		for (unsigned p = 0; p < 64; p++)
			o->given[o->count].reported[p] = false;
		o->count++;
	}
	o->stats.issued = o->count;
	o->stats.in_flight = oracle_commit_id_in_flight(o);
	oracle_most(&o->stats.maximum_in_flight, o->stats.in_flight);
	return GPUTM_COMMIT_ID_OK;
}

static int oracle_commit_id_report_retired(struct oracle_commit_id *o, uint32_t partition,
					   uint64_t first_cid, uint32_t count, uint32_t *returned)
{
	int back = 0;

	if (partition >= o->config.partitions)
		return -ERANGE;
	if (!count)
		return -EINVAL;
	for (uint64_t cid = first_cid; cid - first_cid < count; cid++)
		if (cid < oracle_commit_id_oldest(o) || cid >= oracle_commit_id_next(o))
			return -ERANGE;
	for (uint64_t cid = first_cid; cid - first_cid < count; cid++)
		if (o->given[cid - o->config.first_cid].reported[partition])
			return -EINVAL;
	for (uint64_t cid = first_cid; cid - first_cid < count; cid++) {
		size_t i = (size_t)(cid - o->config.first_cid);

		o->given[i].reported[partition] = true;
		if (is_back(o, i)) {
			returned[o->given[i].core]++;
			back++;
		}
	}
	o->stats.reports += count;
	o->stats.in_flight = oracle_commit_id_in_flight(o);
	o->stats.returned = o->count - o->stats.in_flight;
	return back;
}

#endif /* GPUTM_ORACLE_COMMIT_ID_H */
