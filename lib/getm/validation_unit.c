/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Validation unit
 * ===============
 *
 * GETM (HPCA 2018), IV-A, Fig. 6 and 7, V-B. Conflicts are found when a transaction meets
 * them: each access brings the stamp of its attempt, each granule has the stamps of its last
 * write and read, and a store reserves its granule until the attempt's writes are
 * released.
 *
 *	access(s) to granule (wts, rts, #writes, owner)
 *	  1  #writes > 0 and owner is this attempt:
 *	         load: rts = max(rts, s);  store: #writes + 1                   ok
 *	  2  wts > s, or a store and rts > s                                    abort
 *	  3  #writes > 0                                                        wait
 *	  4  load: rts = max(rts, s);  store: wts = s, #writes = 1, owner       ok
 *	release(n): #writes - n; the last wakes the oldest that waits
 *
 * A stamp is the number time << warp_bits | warp. wts is kept as stamp + 1, 0 meaning never,
 * so "wts > s" reads wts > s + 1. In the paper's times, wts is reported as time + 1:
 *
 *	Fig. 7, A after tx1 (warp p, time 20) has loaded and stored it:
 *	    stored: wts = (20, p) + 1, rts = (20, p)     reported: wts 21, rts 20
 *	    tx2 (warp q, time 10) loads: (20, p) > (10, q): abort, reports 21, restarts at 22
 *
 * Who wakes. The paper wakes the oldest when #writes reaches 0. Alone that lets accesses
 * wait for ever: those behind the oldest, those that can only abort, and those of the very
 * warp that now owns the granule. So also
 *   (a) a retry that leaves its granule without reservation wakes the next oldest;
 *   (b) a granted store wakes all that would now fail the stamp check;
 *   (c) and all of its own warp.
 * Woken accesses go before new ones, so that those that wait and those that are woken
 * together never need more slots than the stall buffer has.
 *
 * A warp may run ahead of its own commit. What it owns through an earlier attempt it does not
 * own for this one: the new value is not there yet. Owners are therefore (warp, number of
 * the attempt), and such an access goes through 2 and 3 like anybody's.
 *
 * Invariants, as check() names them:
 *   V1  processed = granted + aborted + stalled
 *   V2  stalled = woken + waiting (drained ones count as woken)
 *   V3  each slot is free, waiting or woken
 *   V4  accepted = delivered + input + at work + waiting + woken + output (clocked face)
 *   V5  reserved writes = released + in the table
 *
 * Differences from the paper
 *   - Stamps are totally ordered. The paper compares times; then two warps at the same time
 *     may each read what the other goes on to write, and neither order explains it.
 *     `paper_order` keeps that.
 *   - Fig. 6 sets wts to warpts, the text to warpts + 1: see above.
 *   - A full stall buffer aborts, as in the paper; the report may then be below the
 *     attempt's own time, which warp_clock takes care of.
 *   - The wakes above. See also validation_unit-rollover.c.
 *
 * Usual new accesses take a straight way to the same answers: validation_unit-access.c.
 */
#include "lib/getm/validation_unit-priv.h"

#define NOWHERE GPUTM__NOWHERE

/* Kept out of line and called last, so that the usual path needs no stack frame. */
struct access {
	const struct gputm_validation_request *request;
	struct gputm_metadata m;
	size_t at; /* cell of the table, or NOWHERE: then by way of the table's functions */
	uint64_t stamp;
	uint32_t owner;
	bool hit;
};

/* The paper's wts: one more than the time of the last write, 0 if there was none. */
static inline uint64_t wts_time(const struct gputm_validation_unit *u, uint64_t wts)
{
	return wts ? ((wts - 1) >> u->config.warp_bits) + 1 : 0;
}

static inline uint64_t rts_time(const struct gputm_validation_unit *u, uint64_t rts)
{
	return rts >> u->config.warp_bits;
}

/* By what accesses wait: a waiter fails the stamp check against a write of a larger key. */
static inline uint64_t key_of(const struct gputm_validation_unit *u,
			      const struct gputm_validation_request *r)
{
	return u->config.paper_order ? r->time : gputm__validation_stamp(u, r);
}

int gputm__validation_refuse(const struct gputm_validation_unit *u,
			     const struct gputm_validation_request *r)
{
	if (r->address > u->address_max)
		return gputm__out_of_range(&u->unit, "address", r->address, 0, u->address_max);
	if (r->warp > u->warp_max)
		return gputm__out_of_range(&u->unit, "warp", r->warp, 0, u->warp_max);
	return gputm__out_of_range(&u->unit, "time", r->time, 0, u->time_max);
}

/* ---- the checks ---- */

static inline bool is_owned(const struct access *a)
{
	return a->m.writes && a->m.owner == a->owner;
}

static inline enum gputm_validation_unit_reason conflict(const struct gputm_validation_unit *u,
							 const struct access *a)
{
	bool younger_write = a->m.wts > a->stamp + 1, younger_read = a->m.rts > a->stamp;

	if (GPUTM__UNLIKELY(u->config.paper_order)) {
		younger_write = wts_time(u, a->m.wts) > a->request->time;
		younger_read = rts_time(u, a->m.rts) > a->request->time;
	}
	if (younger_write)
		return a->request->write ? GPUTM_VALIDATION_UNIT_STORE_WTS :
					   GPUTM_VALIDATION_UNIT_LOAD_WTS;
	return younger_read && a->request->write ? GPUTM_VALIDATION_UNIT_STORE_RTS :
						   GPUTM_VALIDATION_UNIT_GRANTED;
}

static uint64_t reported(const struct gputm_validation_unit *u, const struct access *a)
{
	uint64_t wts = wts_time(u, a->m.wts), rts = rts_time(u, a->m.rts);

	return a->request->write && rts > wts ? rts : wts;
}

static inline bool count_is_full(const struct gputm_validation_unit *u, const struct access *a)
{
	return a->request->write && a->m.writes == gputm__low_mask(u->config.count_bits);
}

/* ---- waking ---- */

static void wake(struct gputm_validation_unit *u, const struct gputm_stall_request *woken)
{
	u->woken[gputm__place(&u->woken_at, u->woken_at.count++)] = (uint32_t)woken->tag;
	u->woken_total++;
	gputm__maximum(&u->woken_max, u->woken_at.count);
}

static void wake_oldest(struct gputm_validation_unit *u, uint64_t address)
{
	struct gputm_stall_request woken;

	if (gputm_stall_buffer_wake(u->buffer, address, &woken))
		wake(u, &woken);
}

/* Rules (b) and (c): a store of this access has just reserved the granule. */
static void wake_the_failed_and_own(struct gputm_validation_unit *u,
				    const struct gputm_validation_request *r)
{
	uint64_t key = key_of(u, r) + u->config.paper_order;
	struct gputm_stall_request woken;

	while (gputm_stall_buffer_wake_before(u->buffer, r->address, key, &woken))
		wake(u, &woken);
	while (gputm_stall_buffer_wake_warp(u->buffer, r->address, r->warp, &woken))
		wake(u, &woken);
}

/* ---- outcomes ---- */

static int answer_with(struct gputm_validation_unit *u, struct gputm_validation_answer *answer,
		       enum gputm_validation_unit_result result,
		       enum gputm_validation_unit_reason reason, uint64_t time)
{
	answer->result = result;
	answer->reason = reason;
	answer->time = time;
	u->answers[reason] += result != GPUTM_VALIDATION_UNIT_STALLED;
	u->access_cycles += answer->cycles;
	gputm__sample(&u->cost, answer->cycles);
	gputm__emit(&u->unit, GPUTM_VALIDATION_UNIT_EVENT_ANSWER, answer->tag, result, reason,
		    time);
	return (int)result;
}

int gputm__validation_turn_away(struct gputm_validation_unit *u, uint64_t tag,
				struct gputm_validation_answer *answer)
{
	answer->tag = tag;
	answer->cycles = 1;
	u->accesses++;
	return answer_with(u, answer, GPUTM_VALIDATION_UNIT_ABORT, GPUTM_VALIDATION_UNIT_ROLLOVER,
			   0);
}

static bool park(struct gputm_validation_unit *u, const struct access *a, uint32_t slot)
{
	struct gputm_stall_request waiter = { a->request->address, key_of(u, a->request), slot,
					      a->request->warp };
	bool fresh = slot == GPUTM__NO_SLOT;

	if (fresh && !u->free_slots)
		return false;
	if (fresh)
		waiter.tag = gputm__validation_free_slot(u);
	if (gputm_stall_buffer_enqueue(u->buffer, &waiter) != GPUTM_STALL_BUFFER_QUEUED)
		return false;
	if (fresh)
		gputm__validation_fill_slot(u, waiter.tag, a->request);
	u->stalled++;
	return true;
}

/* Set what the access changed: its cell, or by a search. The table's answer. */
static inline int write_back(struct gputm_validation_unit *u, const struct access *a,
			     uint32_t *cycles)
{
	struct gputm__cells *c = u->cells;

	if (a->at == NOWHERE)
		return gputm_metadata_table_update(u->table, a->request->address, &a->m, cycles);
	c->stamps[a->at].wts = a->m.wts;
	c->stamps[a->at].rts = a->m.rts;
	gputm__cells_reserved(c, c->hold[a->at].writes, a->m.writes);
	c->hold[a->at].writes = a->m.writes;
	c->hold[a->at].owner = a->m.owner;
	return GPUTM_METADATA_TABLE_UPDATED;
}

static inline int grant(struct gputm_validation_unit *u, struct access *a,
			struct gputm_validation_answer *answer)
{
	const struct gputm_validation_request *r = a->request;
	bool first = r->write && !a->m.writes;
	uint32_t cycles = 0;
	int result = 0;

	if (r->write) {
		a->m.wts = a->m.wts > a->stamp + 1 ? a->m.wts : a->stamp + 1;
		a->m.owner = a->owner;
		a->m.writes++;
	}
	if (r->write || a->m.rts < a->stamp || !a->hit) {
		a->m.rts = !r->write && a->m.rts < a->stamp ? a->stamp : a->m.rts;
		result = write_back(u, a, &cycles);
	}
	if (result < 0)
		return result;
	u->reserved_writes += r->write;
	answer->cycles += cycles;
	if (first && gputm__validation_waits(u))
		wake_the_failed_and_own(u, r);
	return answer_with(u, answer, GPUTM_VALIDATION_UNIT_OK, GPUTM_VALIDATION_UNIT_GRANTED, 0);
}

static inline void look_up(const struct gputm_validation_unit *u, struct access *a)
{
	struct gputm__cells *c = u->cells;

	a->hit = true;
	if (a->at != NOWHERE) {
		c->hits++;
		a->m.wts = c->stamps[a->at].wts;
		a->m.rts = c->stamps[a->at].rts;
		a->m.writes = c->hold[a->at].writes;
		a->m.owner = c->hold[a->at].owner;
		a->m.cycles = 1;
		return;
	}
	a->hit = gputm_metadata_table_lookup(u->table, a->request->address, &a->m) ==
		 GPUTM_METADATA_TABLE_HIT;
	if (a->hit)
		return;
	a->m.writes = 0;
	a->m.owner = 0;
	if (gputm_metadata_table_estimate(u->table, a->request->address, &a->m.wts, &a->m.rts))
		gputm__assert(false);
}

static inline int decide(struct gputm_validation_unit *u, struct access *a, uint32_t slot,
			 struct gputm_validation_answer *answer)
{
	bool owned = is_owned(a);
	enum gputm_validation_unit_reason reason = owned ? GPUTM_VALIDATION_UNIT_GRANTED :
							   conflict(u, a);

	if (reason)
		return answer_with(u, answer, GPUTM_VALIDATION_UNIT_ABORT, reason, reported(u, a));
	if (owned || !a->m.writes) {
		if (GPUTM__LIKELY(!count_is_full(u, a)))
			return grant(u, a, answer);
		return answer_with(u, answer, GPUTM_VALIDATION_UNIT_ABORT,
				   GPUTM_VALIDATION_UNIT_COUNT, reported(u, a));
	}
	if (park(u, a, slot))
		return answer_with(u, answer, GPUTM_VALIDATION_UNIT_STALLED,
				   GPUTM_VALIDATION_UNIT_GRANTED, 0);
	return answer_with(u, answer, GPUTM_VALIDATION_UNIT_ABORT, GPUTM_VALIDATION_UNIT_BUFFER,
			   reported(u, a));
}

static inline int process(struct gputm_validation_unit *u,
			  const struct gputm_validation_request *r,
			  struct gputm_validation_answer *answer, size_t at, uint32_t slot)
{
	struct gputm_validation_answer got = { r->tag, 0, 0, 0, 0 };
	struct access a;
	bool owned;
	int result;

	a.request = r;
	a.at = at;
	a.stamp = gputm__validation_stamp(u, r);
	a.owner = gputm__validation_owner(u, r->warp, r->sequence);
	look_up(u, &a);
	got.cycles = a.m.cycles;
	owned = is_owned(&a);
	u->accesses++;
	u->loads += !r->write;
	u->stores += r->write;
	u->owned += owned;
	result = decide(u, &a, slot, &got);
	if (GPUTM__UNLIKELY(result < 0)) {
		u->accesses--;
		u->loads -= !r->write;
		u->stores -= r->write;
		u->owned -= owned;
		return result;
	}
	*answer = got;
	if (slot != GPUTM__NO_SLOT && result != GPUTM_VALIDATION_UNIT_STALLED && !a.m.writes)
		wake_oldest(u, r->address); /* rule (a) */
	if (GPUTM__UNLIKELY(r->time > u->threshold))
		gputm_validation_unit_rollover(u);
	return result;
}

int gputm__validation_process_cell(struct gputm_validation_unit *u,
				   const struct gputm_validation_request *r,
				   struct gputm_validation_answer *answer, size_t at, uint32_t slot)
{
	gputm__assert(at != NOWHERE);
	return process(u, r, answer, at, slot);
}

int gputm__validation_process_elsewhere(struct gputm_validation_unit *u,
					const struct gputm_validation_request *r,
					struct gputm_validation_answer *answer, uint32_t slot)
{
	return process(u, r, answer, NOWHERE, slot);
}

int gputm__validation_process(struct gputm_validation_unit *u,
			      const struct gputm_validation_request *r, uint32_t slot,
			      struct gputm_validation_answer *answer)
{
	size_t at = r->address < u->cells->narrow_end ? gputm__cells_find(u->cells, r->address) :
							NOWHERE;

	return at == NOWHERE ? gputm__validation_process_elsewhere(u, r, answer, slot) :
			       gputm__validation_process_cell(u, r, answer, at, slot);
}

int gputm__validation_unqueued(struct gputm_validation_unit *u,
			       const struct gputm_validation_request *r,
			       struct gputm_validation_answer *answer)
{
	size_t at = gputm__cells_find(u->cells, r->address);
	struct access a = { r, { 0, 0, 0, 0, 0, 0 }, at, 0, 0, true };

	a.m.wts = u->cells->stamps[at].wts;
	a.m.rts = u->cells->stamps[at].rts;
	u->accesses++;
	u->loads += !r->write;
	u->stores += r->write;
	answer->tag = r->tag;
	answer->cycles = 1;
	return answer_with(u, answer, GPUTM_VALIDATION_UNIT_ABORT, GPUTM_VALIDATION_UNIT_BUFFER,
			   reported(u, &a));
}

/* ---- synchronous core ---- */

int gputm_validation_unit_access_probe(const struct gputm_validation_unit *u,
				       const struct gputm_validation_request *r)
{
	struct access a = { r, { 0, 0, 0, 0, 0, 0 }, NOWHERE, gputm__validation_stamp(u, r),
			    gputm__validation_owner(u, r->warp, r->sequence), false };

	if (!gputm__validation_fits(u, r))
		return gputm__validation_refuse(u, r);
	if (u->state)
		return GPUTM_VALIDATION_UNIT_ABORT;
	if (!gputm_metadata_table_lookup_probe(u->table, r->address, &a.m) &&
	    gputm_metadata_table_estimate_probe(u->table, r->address, &a.m.wts, &a.m.rts))
		gputm__assert(false);
	if (is_owned(&a) || (!conflict(u, &a) && !a.m.writes))
		return count_is_full(u, &a) ? GPUTM_VALIDATION_UNIT_ABORT :
					      GPUTM_VALIDATION_UNIT_OK;
	if (conflict(u, &a))
		return GPUTM_VALIDATION_UNIT_ABORT;
	return u->free_slots && !gputm_stall_buffer_enqueue_probe(u->buffer, r->address) ?
		       GPUTM_VALIDATION_UNIT_STALLED : GPUTM_VALIDATION_UNIT_ABORT;
}

static void free_slot(struct gputm_validation_unit *u, uint32_t slot)
{
	if (GPUTM__LIKELY(slot < 64))
		u->free |= UINT64_C(1) << slot;
	else
		*gputm__validation_free(u, slot) |= UINT64_C(1) << (slot & 63);
	u->free_slots++;
}

/* While the unit has stopped, whoever waits is woken to abort. */
static int retry_stopped(struct gputm_validation_unit *u, struct gputm_validation_answer *answer)
{
	struct gputm_stall_request waiter;
	uint32_t slot;
	int result;

	if (!u->woken_at.count && gputm_stall_buffer_drain(u->buffer, &waiter))
		wake(u, &waiter);
	slot = u->woken[gputm__place_take(&u->woken_at)];
	u->retries++;
	result = gputm__validation_turn_away(u, u->slot[slot].tag, answer);
	free_slot(u, slot);
	gputm__validation_roll(u);
	return result;
}

int gputm_validation_unit_retry(struct gputm_validation_unit *u,
				struct gputm_validation_answer *answer)
{
	uint32_t slot;
	int result;

	if (!gputm__validation_may_retry(u))
		return GPUTM_VALIDATION_UNIT_NONE;
	if (u->state)
		return retry_stopped(u, answer);
	slot = u->woken[u->woken_at.first];
	result = gputm__validation_process(u, &u->slot[slot], slot, answer);
	if (result < 0)
		return result;
	gputm__place_take(&u->woken_at);
	u->retries++;
	if (result != GPUTM_VALIDATION_UNIT_STALLED)
		free_slot(u, slot);
	return result;
}

/* ---- release ---- */

APART int refuse_release(const struct gputm_validation_unit *u, uint64_t address, uint32_t warp,
			 uint64_t sequence, uint32_t count)
{
	if (address > u->address_max || warp > u->warp_max)
		return gputm__validation_refuse(u, &(struct gputm_validation_request){
							  0, address, 0, 0, warp, false });
	return gputm__refuse(&u->unit,
			     "warp %u has not reserved %u writes at 0x%llx in attempt %llu", warp,
			     count, (unsigned long long)address, (unsigned long long)sequence);
}

static int released(struct gputm_validation_unit *u, uint64_t address, uint32_t warp,
		    uint32_t count, uint32_t left)
{
	u->releases++;
	u->released_writes += count;
	gputm__emit(&u->unit, GPUTM_VALIDATION_UNIT_EVENT_RELEASE, address, warp, count, left);
	if (!left && gputm__validation_waits(u))
		wake_oldest(u, address);
	if (GPUTM__UNLIKELY(u->state))
		gputm__validation_roll(u);
	return 0;
}

/* The entry is in none of the ways. */
APART int release_elsewhere(struct gputm_validation_unit *u, uint64_t address, uint32_t warp,
			    uint64_t sequence, uint32_t count, uint32_t *left)
{
	struct gputm_metadata m = { 0, 0, 0, 0, 0, 0 };
	uint32_t cycles = 0;

	if (gputm_metadata_table_lookup_probe(u->table, address, &m) != GPUTM_METADATA_TABLE_HIT ||
	    m.owner != gputm__validation_owner(u, warp, sequence) || !count || count > m.writes)
		return refuse_release(u, address, warp, sequence, count);
	u->owed += m.cycles - 1;
	m.writes -= count;
	if (gputm_metadata_table_update(u->table, address, &m, &cycles) < 0)
		gputm__assert(false); /* the entry is there: nothing is allocated */
	if (left)
		*left = m.writes;
	return released(u, address, warp, count, m.writes);
}

int gputm_validation_unit_release(struct gputm_validation_unit *u, uint64_t address, uint32_t warp,
				  uint64_t sequence, uint32_t count, uint32_t *left)
{
	struct gputm__cells *c = u->cells;
	struct gputm__hold *hold;
	size_t at;

	if (address > u->address_max || warp > u->warp_max)
		return refuse_release(u, address, warp, sequence, count);
	at = address < c->narrow_end ? gputm__cells_find(c, address) : NOWHERE;
	if (GPUTM__UNLIKELY(at == NOWHERE))
		return release_elsewhere(u, address, warp, sequence, count, left);
	hold = &c->hold[gputm__opaque(at)];
	if (hold->owner != gputm__validation_owner(u, warp, sequence) || !count ||
	    count > hold->writes)
		return refuse_release(u, address, warp, sequence, count);
	gputm__cells_reserved(c, hold->writes, hold->writes - count);
	hold->writes -= count;
	if (left)
		*left = hold->writes;
	return released(u, address, warp, count, hold->writes);
}

int gputm_validation_unit_get_granule(const struct gputm_validation_unit *u, uint64_t address,
				      struct gputm_validation_granule *out)
{
	struct gputm_metadata m = { 0, 0, 0, 0, 0, 0 };
	int found = gputm_metadata_table_lookup_probe(u->table, address, &m);

	if (found < 0)
		return found;
	if (!found && gputm_metadata_table_estimate_probe(u->table, address, &m.wts, &m.rts))
		gputm__assert(false);
	out->wts = wts_time(u, m.wts);
	out->rts = rts_time(u, m.rts);
	out->writes = m.writes;
	out->owner = m.owner & (uint32_t)u->warp_max;
	return 0;
}

uint64_t gputm_validation_unit_writes(const struct gputm_validation_unit *u)
{
	return gputm_metadata_table_writes(u->table);
}
