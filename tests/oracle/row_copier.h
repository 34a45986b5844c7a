/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_ROW_COPIER_H
#define GPUTM_ORACLE_ROW_COPIER_H
/* Copies the slow way: a queue of rows for each subarray, worked on cycle by cycle. */
#include "tests/oracle/stats.h"

#define ORACLE_ROW_COPIER_SUBARRAYS 16
#define ORACLE_ROW_COPIER_REQUESTS 8
#define ORACLE_ROW_COPIER_STATS pushed, full, completed, popped, rows, held_max

struct oracle_row_copier {
	struct gputm_row_copier_config config;
	struct {
		unsigned queue[4096]; /* request that each row is of, by its serial number */
		unsigned first, last; /* of the queue */
		uint32_t left;	      /* cycles of the first row */
	} subarray[ORACLE_ROW_COPIER_SUBARRAYS];
	struct {
		uint64_t tag;
		uint64_t order; /* of completion; 0: not yet */
		unsigned serial, rows_left;
	} held[ORACLE_ROW_COPIER_REQUESTS];
	unsigned count, serial;
	ORACLE_STATS(ORACLE_ROW_COPIER_STATS) stats;
};

static void queue(struct oracle_row_copier *o, uint64_t row)
{
	unsigned at = (unsigned)(row % (o->config.banks * o->config.subarrays));

	if (o->subarray[at].last == 4096)
		abort();
	if (o->subarray[at].first == o->subarray[at].last)
		o->subarray[at].left = o->config.row_cycles;
	o->subarray[at].queue[o->subarray[at].last++] = o->serial;
	o->held[o->count].rows_left++;
	o->stats.rows++;
}

static int oracle_row_copier_push(struct oracle_row_copier *o,
				  const struct gputm_row_copier_request *r)
{
	uint64_t end = (uint64_t)1 << o->config.address_bits;

	if (!r->bytes)
		return -EINVAL;
	if (r->source + r->bytes > end || r->destination + r->bytes > end)
		return -ERANGE;
	if (r->source % o->config.row_bytes != r->destination % o->config.row_bytes)
		return -EINVAL;
	for (uint64_t i = 0; i < r->bytes; i++)
		if (r->source + i == r->destination || r->destination + i == r->source)
			return -EINVAL;
	o->stats.full += o->count == o->config.requests;
	if (o->count == o->config.requests)
		return GPUTM_ROW_COPIER_FULL;
	memset(&o->held[o->count], 0, sizeof(o->held[0]));
	for (uint64_t at = r->source / o->config.row_bytes * o->config.row_bytes;
	     at < r->source + r->bytes; at += o->config.row_bytes)
		queue(o, at / o->config.row_bytes);
	o->held[o->count].tag = r->tag;
	o->held[o->count++].serial = o->serial++;
	o->stats.pushed++;
	oracle_most(&o->stats.held_max, o->count);
	return GPUTM_ROW_COPIER_OK;
}

static void row_done(struct oracle_row_copier *o, unsigned serial)
{
	for (unsigned i = 0; i < o->count; i++)
		if (o->held[i].serial == serial)
			o->held[i].rows_left--;
}

static void oracle_row_copier_tick(struct oracle_row_copier *o)
{
	for (unsigned at = 0; at < o->config.banks * o->config.subarrays; at++) {
		if (o->subarray[at].first == o->subarray[at].last || --o->subarray[at].left)
			continue;
		row_done(o, o->subarray[at].queue[o->subarray[at].first++]);
		o->subarray[at].left = o->config.row_cycles;
		if (o->subarray[at].first == o->subarray[at].last)
			o->subarray[at].first = o->subarray[at].last = 0;
	}
	for (unsigned i = 0; i < o->count; i++)
		if (!o->held[i].rows_left && !o->held[i].order)
			o->held[i].order = ++o->stats.completed;
}

static bool oracle_row_copier_pop(struct oracle_row_copier *o, uint64_t *tag)
{
	unsigned best = o->count;

	for (unsigned i = 0; i < o->count; i++)
		if (o->held[i].order &&
		    (best == o->count || o->held[i].order < o->held[best].order))
			best = i;
	if (best == o->count)
		return false;
	*tag = o->held[best].tag;
	memmove(&o->held[best], &o->held[best + 1],
		(o->count - best - 1) * sizeof(o->held[0]));
	o->count--;
	o->stats.popped++;
	return true;
}

#endif
