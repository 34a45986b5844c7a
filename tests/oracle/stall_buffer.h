/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_STALL_BUFFER_H
#define GPUTM_ORACLE_STALL_BUFFER_H
/* All waiting requests in one list, in the order of their arrival. */
#include "tests/oracle/stats.h"

#define ORACLE_STALL_MAX 4096
#define ORACLE_STALL_BUFFER_STATS                                                              \
	queued, woken, drained, no_line, no_slot, length_sum, waiting_sum, waiting_max,        \
		lines_max, length_max, waiting

struct oracle_stall_buffer {
	struct gputm_stall_buffer_config config;
	struct gputm_stall_buffer_request list[ORACLE_STALL_MAX];
	unsigned count;
	ORACLE_STATS(ORACLE_STALL_BUFFER_STATS) stats;
};

static bool same(const struct oracle_stall_buffer *o, uint64_t a, uint64_t b)
{
	return a / o->config.granularity == b / o->config.granularity;
}

static int oracle_stall_buffer_enqueue(struct oracle_stall_buffer *o,
				       const struct gputm_stall_buffer_request *request)
{
	unsigned mine = 0, lines = 0;

	for (unsigned i = 0; i < o->count; i++) {
		bool seen = false;

		for (unsigned j = 0; j < i; j++)
			seen = seen || same(o, o->list[i].address, o->list[j].address);
		lines += !seen;
		mine += same(o, o->list[i].address, request->address);
	}
	o->stats.no_slot += mine == o->config.requests;
	if (mine == o->config.requests)
		return GPUTM_STALL_BUFFER_NO_SLOT;
	o->stats.no_line += !mine && lines == o->config.lines;
	if (!mine && lines == o->config.lines)
		return GPUTM_STALL_BUFFER_NO_LINE;
	o->list[o->count++] = *request;
	o->stats.queued++;
	o->stats.length_sum += mine + 1;
	o->stats.waiting_sum += o->count;
	o->stats.waiting = o->count;
	oracle_most(&o->stats.waiting_max, o->count);
	oracle_most(&o->stats.lines_max, lines + !mine);
	oracle_most(&o->stats.length_max, mine + 1);
	return GPUTM_STALL_BUFFER_QUEUED;
}

static int take(struct oracle_stall_buffer *o, uint64_t address, uint64_t stamp, int64_t warp,
		struct gputm_stall_buffer_request *out)
{
	unsigned best = o->count;

	for (unsigned i = 0; i < o->count; i++) {
		if (!same(o, o->list[i].address, address) || o->list[i].stamp >= stamp ||
		    (warp >= 0 && o->list[i].warp != warp))
			continue;
		if (best == o->count || o->list[i].stamp < o->list[best].stamp)
			best = i;
	}
	if (best == o->count)
		return GPUTM_STALL_BUFFER_NONE;
	*out = o->list[best];
	for (o->count--; best < o->count; best++)
		o->list[best] = o->list[best + 1];
	o->stats.waiting = o->count;
	return GPUTM_STALL_BUFFER_WOKEN;
}

/* The oldest of the granule with a stamp below `stamp`, and of `warp` unless that is < 0. */
static int oracle_stall_buffer_wake(struct oracle_stall_buffer *o, uint64_t address, uint64_t stamp,
				    int64_t warp, struct gputm_stall_buffer_request *out)
{
	int result = take(o, address, stamp, warp, out);

	o->stats.woken += result == GPUTM_STALL_BUFFER_WOKEN;
	return result;
}

/* The request that the unit has drained has the oldest stamp of its granule. */
static int oracle_stall_buffer_drain(struct oracle_stall_buffer *o, uint64_t address,
				     struct gputm_stall_buffer_request *out)
{
	o->stats.drained++;
	return take(o, address, UINT64_MAX, -1, out);
}

#endif /* GPUTM_ORACLE_STALL_BUFFER_H */
