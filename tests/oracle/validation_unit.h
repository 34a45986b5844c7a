/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_VALIDATION_UNIT_H
#define GPUTM_ORACLE_VALIDATION_UNIT_H
/*
 * The protocol over exact metadata of every granule and plain lists: stamps are compared as
 * (time, warp), field by field, waiters are a list in order of arrival.
 */
#include "tests/oracle/stats.h"

#define ORACLE_VU_GRANULES 16
#define ORACLE_VU_WAITERS 256
#define ORACLE_VALIDATION_UNIT_STATS                                                           \
	cycles, accesses, loads, stores, owned, granted, abort_load_wts, abort_store_wts,      \
		abort_store_rts, abort_buffer, abort_count, abort_rollover, stalled,           \
		woken_total, retries, releases, reserved_writes, released_writes,              \
		access_cycles, cost[GPUTM_HISTOGRAM_BUCKETS], rollovers, accepted, delivered,  \
		woken_max, abort_estimated, pending, buffered

struct oracle_stamp {
	bool ever;
	uint64_t time;
	uint32_t warp;
};

struct oracle_validation_unit {
	struct gputm_validation_unit_config config;
	struct {
		struct oracle_stamp wts, rts;
		uint32_t writes, owner;
		uint64_t sequence;
	} granule[ORACLE_VU_GRANULES];
	struct gputm_validation_unit_request waiting[ORACLE_VU_WAITERS], woken[ORACLE_VU_WAITERS];
	unsigned waits, wakes;
	uint64_t highest; /* time of any stamp so far, of writes plus 1 */
	ORACLE_STATS(ORACLE_VALIDATION_UNIT_STATS) stats;
};

static unsigned granule(const struct oracle_validation_unit *o, uint64_t address)
{
	return (unsigned)(address / o->config.granularity);
}

/* Is the stamp younger than the access? */
static bool younger(const struct oracle_validation_unit *o, struct oracle_stamp s, bool is_write,
		    const struct gputm_validation_unit_request *r)
{
	if (!s.ever)
		return false;
	if (o->config.paper_order)
		return s.time + is_write > r->time;
	return s.time != r->time ? s.time > r->time : s.warp > r->warp;
}

static bool fails(const struct oracle_validation_unit *o,
		  const struct gputm_validation_unit_request *r)
{
	unsigned g = granule(o, r->address);

	return younger(o, o->granule[g].wts, true, r) ||
	       (r->write && younger(o, o->granule[g].rts, false, r));
}

static uint64_t report(const struct oracle_validation_unit *o,
		       const struct gputm_validation_unit_request *r)
{
	unsigned g = granule(o, r->address);
	uint64_t wts = o->granule[g].wts.ever ? o->granule[g].wts.time + 1 : 0;
	uint64_t rts = o->granule[g].rts.ever ? o->granule[g].rts.time : 0;

	if (o->config.report_highest)
		return o->highest;
	return r->write && rts > wts ? rts : wts;
}

static void take(struct oracle_validation_unit *o, unsigned at)
{
	o->woken[o->wakes++] = o->waiting[at];
	o->stats.woken_total++;
	oracle_most(&o->stats.woken_max, o->wakes);
	for (o->waits--; at < o->waits; at++)
		o->waiting[at] = o->waiting[at + 1];
}

static bool older(const struct oracle_validation_unit *o,
		  const struct gputm_validation_unit_request *a,
		  const struct gputm_validation_unit_request *b)
{
	if (a->time != b->time || o->config.paper_order)
		return a->time < b->time;
	return a->warp < b->warp;
}

/* The oldest waiter of the granule, of those that fail (if so) or of a warp (if >= 0). */
static bool wake(struct oracle_validation_unit *o, uint64_t address, bool failing, int64_t warp)
{
	unsigned best = o->waits;

	for (unsigned i = 0; i < o->waits; i++) {
		const struct gputm_validation_unit_request *r = &o->waiting[i];

		if (granule(o, r->address) != granule(o, address) || (failing && !fails(o, r)) ||
		    (warp >= 0 && r->warp != warp))
			continue;
		if (best == o->waits || older(o, r, &o->waiting[best]))
			best = i;
	}
	if (best == o->waits)
		return false;
	take(o, best);
	return true;
}

static bool room(const struct oracle_validation_unit *o, uint64_t address)
{
	unsigned mine = 0, lines = 0;

	for (unsigned i = 0; i < o->waits; i++) {
		bool seen = false;

		for (unsigned j = 0; j < i; j++)
			seen = seen || granule(o, o->waiting[i].address) ==
					       granule(o, o->waiting[j].address);
		lines += !seen;
		mine += granule(o, o->waiting[i].address) == granule(o, address);
	}
	return mine ? mine < o->config.stall_requests : lines < o->config.stall_lines;
}

static void raise(struct oracle_stamp *s, const struct gputm_validation_unit_request *r)
{
	struct oracle_stamp mine = { true, r->time, r->warp };

	if (!s->ever || s->time < r->time || (s->time == r->time && s->warp < r->warp))
		*s = mine;
}

static void granted(struct oracle_validation_unit *o, const struct gputm_validation_unit_request *r)
{
	unsigned g = granule(o, r->address);

	o->stats.granted++;
	oracle_most(&o->highest, r->time + r->write);
	if (!r->write) {
		raise(&o->granule[g].rts, r);
		return;
	}
	o->stats.reserved_writes++;
	raise(&o->granule[g].wts, r);
	o->granule[g].owner = r->warp;
	o->granule[g].sequence = r->sequence;
	if (o->granule[g].writes++)
		return;
	while (wake(o, r->address, true, -1))
		;
	while (wake(o, r->address, false, r->warp))
		;
}

static int process(struct oracle_validation_unit *o, const struct gputm_validation_unit_request *r,
		   bool fresh, uint64_t *time)
{
	unsigned g = granule(o, r->address);
	bool own = o->granule[g].writes && o->granule[g].owner == r->warp &&
		   o->granule[g].sequence == r->sequence;
	unsigned slots = o->config.stall_lines * o->config.stall_requests;

	*time = 0;
	o->stats.accesses++;
	o->stats.owned += own;
	++*(r->write ? &o->stats.stores : &o->stats.loads);
	if (!own && fails(o, r)) {
		bool by_write = younger(o, o->granule[g].wts, true, r);

		++*(!r->write ? &o->stats.abort_load_wts :
		    by_write  ? &o->stats.abort_store_wts : &o->stats.abort_store_rts);
		*time = report(o, r);
		return GPUTM_VALIDATION_UNIT_ABORT;
	}
	if (own || !o->granule[g].writes) {
		granted(o, r);
		return GPUTM_VALIDATION_UNIT_OK;
	}
	if (room(o, r->address) && (!fresh || o->waits + o->wakes < slots)) {
		o->waiting[o->waits++] = *r;
		o->stats.stalled++;
		return GPUTM_VALIDATION_UNIT_STALLED;
	}
	o->stats.abort_buffer++;
	*time = report(o, r);
	return GPUTM_VALIDATION_UNIT_ABORT;
}

/* The result, and the reported time of an abort. */
static int oracle_validation_unit_access(struct oracle_validation_unit *o,
					 const struct gputm_validation_unit_request *r,
					 uint64_t *time)
{
	return process(o, r, true, time);
}

/* The tag too. */
static int oracle_validation_unit_retry(struct oracle_validation_unit *o, uint64_t *tag,
					uint64_t *time)
{
	struct gputm_validation_unit_request r;
	int result;

	if (!o->wakes)
		return GPUTM_VALIDATION_UNIT_NONE;
	r = o->woken[0];
	*tag = r.tag;
	o->stats.retries++;
	result = process(o, &r, false, time);
	if (result != GPUTM_VALIDATION_UNIT_STALLED && !o->granule[granule(o, r.address)].writes)
		wake(o, r.address, false, -1);
	for (unsigned i = 1; i < o->wakes; i++)
		o->woken[i - 1] = o->woken[i];
	o->wakes--;
	return result;
}

/* 0, or -EINVAL. */
static int oracle_validation_unit_release(struct oracle_validation_unit *o, uint64_t address,
					  uint32_t warp, uint64_t sequence, uint32_t count)
{
	unsigned g = granule(o, address);

	if (!count || o->granule[g].writes < count || o->granule[g].owner != warp ||
	    o->granule[g].sequence != sequence)
		return -EINVAL;
	o->stats.releases++;
	o->stats.released_writes += count;
	o->granule[g].writes -= count;
	if (!o->granule[g].writes)
		wake(o, address, false, -1);
	return 0;
}

#endif /* GPUTM_ORACLE_VALIDATION_UNIT_H */
