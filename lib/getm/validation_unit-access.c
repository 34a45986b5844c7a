/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * New accesses to the validation unit; see validation_unit.c.
 *
 * Nearly all are loads and stores of granules that have an entry in the ways of the table,
 * while the unit runs, with nobody who observes it. They are answered here, by the entry's
 * cell and without a second search, where the answer is a grant or a wait; everything else is
 * processed step by step.
 */
#include "lib/getm/validation_unit-priv.h"

#define NOWHERE GPUTM__NOWHERE

/* Kept out of line and called last, so that the usual path needs no stack frame. */
APART int access_any(struct gputm_validation_unit *u,
		     const struct gputm_validation_request *request,
		     struct gputm_validation_answer *answer)
{
	if (!gputm__validation_fits(u, request))
		return gputm__validation_refuse(u, request);
	if (u->state)
		return gputm__validation_turn_away(u, request->tag, answer);
	return gputm__validation_process(u, request, GPUTM__NO_SLOT, answer);
}

/* A new access that is granted what has an entry and nobody has reserved: 1 cycle. */
static inline int grant_at_once(struct gputm_validation_unit *u, uint64_t tag,
				struct gputm_validation_answer *answer)
{
	*answer = (struct gputm_validation_answer){ tag, 0, GPUTM_VALIDATION_UNIT_OK,
						    GPUTM_VALIDATION_UNIT_GRANTED, 1 };
	u->cells->hits++;
	u->accesses++;
	u->access_cycles++;
	u->answers[GPUTM_VALIDATION_UNIT_GRANTED]++;
	gputm__sample(&u->cost, 1);
	return GPUTM_VALIDATION_UNIT_OK;
}

static inline int store_at(struct gputm_validation_unit *u,
			   const struct gputm_validation_request *r,
			   struct gputm_validation_answer *answer, size_t at, uint64_t stamp)
{
	struct gputm__cells *c = u->cells;

	if (GPUTM__UNLIKELY(c->stamps[at].rts > stamp || gputm__validation_waits(u)))
		return gputm__validation_process_cell(u, r, answer, at, GPUTM__NO_SLOT);
	c->stamps[at].wts = stamp + 1;
	c->hold[at].writes = 1;
	c->hold[at].owner = gputm__validation_owner(u, r->warp, r->sequence);
	gputm__cells_reserved(c, 0, 1);
	u->reserved_writes++;
	u->stores++;
	return grant_at_once(u, r->tag, answer);
}

static inline void count_waiter(struct gputm_validation_unit *u,
				const struct gputm_validation_request *r, uint64_t slot,
				struct gputm_validation_answer *answer)
{
	u->slot[slot] = *r;
	u->free &= u->free - 1;
	u->free_slots--;
	answer->tag = r->tag;
	answer->time = 0;
	answer->result = GPUTM_VALIDATION_UNIT_STALLED;
	answer->reason = GPUTM_VALIDATION_UNIT_GRANTED;
	answer->cycles = 1;
	u->accesses++;
	u->access_cycles++;
	u->stalled++;
	gputm__sample(&u->cost, 1);
	if (r->write)
		u->stores++;
	else
		u->loads++;
}

/* A new access to what is reserved, while one of the first 64 slots is free. */
APART int access_reserved(struct gputm_validation_unit *u, const struct gputm_validation_request *r,
			  struct gputm_validation_answer *answer, size_t at)
{
	struct gputm__cells *c = u->cells;
	uint64_t stamp = gputm__validation_stamp(u, r);
	struct gputm_stall_request waiter;

	if (c->hold[at].owner == gputm__validation_owner(u, r->warp, r->sequence) ||
	    c->stamps[at].wts > stamp + 1 || (r->write && c->stamps[at].rts > stamp) ||
	    !u->free)
		return gputm__validation_process_cell(u, r, answer, at, GPUTM__NO_SLOT);
	c->hits++;
	waiter.address = r->address;
	waiter.stamp = stamp;
	waiter.tag = gputm__lowest(u->free);
	waiter.warp = r->warp;
	if (gputm_stall_buffer_enqueue(u->buffer, &waiter) != GPUTM_STALL_BUFFER_QUEUED)
		return gputm__validation_unqueued(u, r, answer);
	count_waiter(u, r, waiter.tag, answer);
	return GPUTM_VALIDATION_UNIT_STALLED;
}

/* A new access to what is not. */
APART int access_open(struct gputm_validation_unit *u, const struct gputm_validation_request *r,
		      struct gputm_validation_answer *answer, size_t at)
{
	struct gputm__cells *c = u->cells;
	uint64_t stamp = gputm__validation_stamp(u, r);

	if (GPUTM__UNLIKELY(c->stamps[at].wts > stamp + 1))
		return gputm__validation_process_cell(u, r, answer, at, GPUTM__NO_SLOT);
	if (r->write)
		return store_at(u, r, answer, at, stamp);
	gputm__maximum(&c->stamps[at].rts, stamp);
	u->loads++;
	return grant_at_once(u, r->tag, answer);
}

int gputm__validation_access(struct gputm_validation_unit *u,
			     const struct gputm_validation_request *r,
			     struct gputm_validation_answer *answer)
{
	struct gputm__cells *c = u->cells;
	size_t at;

	if (GPUTM__UNLIKELY(r->address >= c->narrow_end || r->warp > u->warp_max ||
			    r->time >= u->usual_end || u->unit.observe))
		return access_any(u, r, answer);
	at = gputm__cells_find(c, r->address);
	if (GPUTM__UNLIKELY(at == NOWHERE))
		return gputm__validation_process_elsewhere(u, r, answer, GPUTM__NO_SLOT);
	if (c->hold[at].writes)
		return access_reserved(u, r, answer, at);
	return access_open(u, r, answer, at);
}

int gputm_validation_unit_access(struct gputm_validation_unit *u,
				 const struct gputm_validation_request *request,
				 struct gputm_validation_answer *answer)
{
	return gputm__validation_access(u, request, answer);
}
