/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/stall_buffer.h"

#include <stdbool.h>

static bool same(const struct oracle_stall_buffer *o, uint64_t a, uint64_t b)
{
	return a / o->config.granularity == b / o->config.granularity;
}

int oracle_stall_buffer_enqueue(struct oracle_stall_buffer *o,
				const struct gputm_stall_request *request)
{
	unsigned mine = 0, lines = 0;

	for (unsigned i = 0; i < o->count; i++) {
		bool seen = false;

		for (unsigned j = 0; j < i; j++)
			seen = seen || same(o, o->list[i].address, o->list[j].address);
		lines += !seen;
		mine += same(o, o->list[i].address, request->address);
	}
	if (mine == o->config.requests)
		return GPUTM_STALL_BUFFER_NO_SLOT;
	if (!mine && lines == o->config.lines)
		return GPUTM_STALL_BUFFER_NO_LINE;
	o->list[o->count++] = *request;
	return GPUTM_STALL_BUFFER_QUEUED;
}

int oracle_stall_buffer_wake(struct oracle_stall_buffer *o, uint64_t address, uint64_t stamp,
			     int64_t warp, struct gputm_stall_request *out)
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
	return GPUTM_STALL_BUFFER_WOKEN;
}
