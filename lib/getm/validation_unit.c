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
 *	  1  owner check: #writes > 0 and owner is this attempt
 *	         load: rts = max(rts, s);  store: #writes + 1                   ok
 *	  2  timestamp check: wts > s, or a store and rts > s                   abort
 *	  3  write lock check: #writes > 0                                      wait
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
 * wait for ever: those after the oldest, those that can only abort, and those of the very
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
 * The way of a request through this file. push() puts the request into the input port. In each
 * cycle tick() starts one: the oldest woken one (retry), else the oldest of the port. Both go to
 * serve(): metadata_table gives what is known of the granule, and judge() goes down Fig. 6 and
 * names the verdict without touching anything:
 *
 *	owner_check()	is the granule reserved by this attempt?	yes: granted
 *	stamp_check()	has a younger write or read come before?	yes: abort
 *	lock_check()	is the granule reserved by another?		yes: wait, else granted
 *
 * apply() does what the verdict says: grant_load() and grant_store() write stamps and reservation
 * back, park() puts the request into the stall buffer, an abort changes nothing. answer() counts
 * and tells; the answer is at work for the cycles of the metadata, and pop() takes it from the
 * output port. release() is the commit and abort of Fig. 6. A parked request comes back when
 * release() or another request wakes it, and goes down all boxes again. Probes ask judge().
 *
 * Invariants, as check() names them:
 *   V1  processed = granted + aborted + stalled
 *   V2  stalled = woken + waiting (drained ones count as woken)
 *   V3  each slot is free, waiting or woken
 *   V4  woken = retried + those that are woken now
 *   V5  reserved writes = released + in the table
 *   V6  requests fit their widths, answers at the output are final, and the ring has messages only
 *       in a rollover
 *   V7  accepted <= processed - retried + input, and delivered + output + at work <= granted +
 *       aborted: equal in a host that uses the clocked face only, where no access is lost
 *
 * Differences from the paper
 *   - Stamps are totally ordered. The paper compares times; then two warps at the same time
 *     may each read what the other goes on to write, and neither order explains it.
 *     `paper_order` keeps that.
 *   - Fig. 6 sets wts to warpts, the text to warpts + 1: see above.
 *   - What an abort reports has two readings in IV-A: the stamps of what it met, as in the
 *     examples, or "the highest timestamp seen so far at the LLC". `report_highest` is the
 *     second, of the stamps in this unit; no access waits less often for it.
 *   - A full stall buffer aborts, as in the paper; the report may then be below the
 *     attempt's own time, which warp_clock takes care of.
 *   - The wakes above. See also validation_unit-rollover.c.
 */
#include "lib/getm/validation_unit-priv.h"

/* ---- input port ---- */

static int refuse(const struct gputm_validation_unit *u,
		 const struct gputm_validation_unit_request *r)
{
	if (r->address > u->address_max)
		return gputm__out_of_range(&u->unit, "address", r->address, 0, u->address_max);
	if (r->warp > u->warp_max)
		return gputm__out_of_range(&u->unit, "warp", r->warp, 0, u->warp_max);
	return gputm__out_of_range(&u->unit, "time", r->time, 0, u->time_max);
}

static inline int may_push(const struct gputm_validation_unit *u,
			   const struct gputm_validation_unit_request *request)
{
	if (!gputm__validation_fits(u, request))
		return refuse(u, request);
	return gputm__queue_full(&u->input) ? GPUTM_VALIDATION_UNIT_PORT_FULL :
					      GPUTM_VALIDATION_UNIT_ACCEPTED;
}

int gputm_validation_unit_push_probe(const struct gputm_validation_unit *u,
				     const struct gputm_validation_unit_request *request)
{
	return may_push(u, request);
}

int gputm_validation_unit_push(struct gputm_validation_unit *u,
			       const struct gputm_validation_unit_request *request)
{
	int result = may_push(u, request);

	if (result != GPUTM_VALIDATION_UNIT_ACCEPTED)
		return result;
	gputm__queue_put(&u->input, struct gputm_validation_unit_request, *request);
	u->accepted++;
	return result;
}

/* ---- stamps, owners, and the paper's times ---- */

#define NO_SLOT UINT32_MAX /* of a new access */
#define WAITS GPUTM__WAITS

/* An access on its way through Fig. 6. */
struct access {
	const struct gputm_validation_unit_request *request;
	uint64_t stamp;
	uint32_t owner;
	uint32_t slot; /* that the access was woken from, or NO_SLOT */
	struct gputm_metadata_table_entry m; /* what is known of the granule */
	bool estimated;		 /* its stamps, as the granule has no entry */
	uint32_t cycles;	 /* until the answer */
};

static inline uint32_t owner_of(const struct gputm_validation_unit *u, uint32_t warp,
				uint64_t sequence)
{
	return (uint32_t)((sequence & u->sequence_mask) << u->config.warp_bits | warp);
}

static inline void open_access(struct access *a, const struct gputm_validation_unit *u,
			       const struct gputm_validation_unit_request *r, uint32_t slot)
{
	a->request = r;
	a->slot = slot;
	a->stamp = r->time << u->config.warp_bits | r->warp;
	a->owner = owner_of(u, r->warp, r->sequence);
}

/* The time of the last write plus 1; 0 if there was no write. */
static inline uint64_t wts_time(const struct gputm_validation_unit *u, uint64_t wts)
{
	return wts ? ((wts - 1) >> u->config.warp_bits) + 1 : 0;
}

static inline uint64_t rts_time(const struct gputm_validation_unit *u, uint64_t rts)
{
	return rts >> u->config.warp_bits;
}

/* The key that wakes waiters: a waiter fails the stamp check against a write with a larger key. */
static inline uint64_t key_of(const struct gputm_validation_unit *u, const struct access *a)
{
	return u->config.paper_order ? a->request->time : a->stamp;
}

/* ---- judge: Fig. 6 ---- */

/* Has this very attempt reserved the granule? */
static inline bool owner_check(const struct access *a)
{
	return a->m.writes && a->m.owner == a->owner;
}

/* Would the access come before a write, or a store before a read, that is younger? Why it aborts,
 * or GRANTED. */
static inline unsigned stamp_check(const struct gputm_validation_unit *u, const struct access *a)
{
	const struct gputm_validation_unit_request *r = a->request;
	bool younger_write = a->m.wts > a->stamp + 1, younger_read = a->m.rts > a->stamp;

	if (u->config.paper_order) {
		younger_write = wts_time(u, a->m.wts) > r->time;
		younger_read = rts_time(u, a->m.rts) > r->time;
	}
	if (younger_write)
		return r->write ? GPUTM_VALIDATION_UNIT_REASON_STORE_WTS
				: GPUTM_VALIDATION_UNIT_REASON_LOAD_WTS;
	return r->write && younger_read ? GPUTM_VALIDATION_UNIT_REASON_STORE_RTS :
					  GPUTM_VALIDATION_UNIT_REASON_GRANTED;
}

/* Is there room to wait? A woken access keeps its slot. */
static bool has_room(const struct gputm_validation_unit *u, const struct access *a)
{
	return (a->slot != NO_SLOT || u->taken < u->slots) &&
	       gputm_stall_buffer_push_probe(u->buffer, a->request->address) ==
		       GPUTM_STALL_BUFFER_QUEUED;
}

/* Has another attempt reserved the granule? Then the access waits where there is room. */
static inline unsigned lock_check(const struct gputm_validation_unit *u, const struct access *a)
{
	if (!a->m.writes)
		return GPUTM_VALIDATION_UNIT_REASON_GRANTED;
	return has_room(u, a) ? WAITS : GPUTM_VALIDATION_UNIT_REASON_BUFFER;
}

/* The verdict on an access, box by box of Fig. 6: why it aborts, GRANTED, or WAITS. */
static inline unsigned judge(const struct gputm_validation_unit *u, const struct access *a)
{
	unsigned conflict;

	if (owner_check(a))
		return a->request->write && a->m.writes == u->count_max
			       ? GPUTM_VALIDATION_UNIT_REASON_COUNT
			       : GPUTM_VALIDATION_UNIT_REASON_GRANTED;
	conflict = stamp_check(u, a);
	return conflict ? conflict : lock_check(u, a);
}

static inline enum gputm_validation_unit_result result_of(unsigned verdict)
{
	if (verdict == GPUTM_VALIDATION_UNIT_REASON_GRANTED)
		return GPUTM_VALIDATION_UNIT_OK;
	return verdict == WAITS ? GPUTM_VALIDATION_UNIT_STALLED : GPUTM_VALIDATION_UNIT_ABORT;
}

/* ---- who wakes ---- */

static void wake(struct gputm_validation_unit *u, const struct gputm_stall_buffer_request *woken)
{
	gputm__queue_put(&u->woken, uint32_t, (uint32_t)woken->tag);
	u->woken_total++;
	gputm__maximum(&u->woken_max, u->woken.count);
}

/* After a release, and by rule (a). */
static void wake_oldest(struct gputm_validation_unit *u, uint64_t address)
{
	struct gputm_stall_buffer_request woken;

	if (gputm__validation_waiting(u) && gputm_stall_buffer_wake(u->buffer, address, &woken))
		wake(u, &woken);
}

/* Rules (b) and (c): a store has just reserved the granule. */
static void wake_the_failed_and_own(struct gputm_validation_unit *u, const struct access *a)
{
	uint64_t address = a->request->address, key = key_of(u, a) + u->config.paper_order;
	struct gputm_stall_buffer_request woken;

	while (gputm_stall_buffer_wake_before(u->buffer, address, key, &woken))
		wake(u, &woken);
	while (!gputm__mutant(GPUTM__MUTANT_OWN_SLEEP) &&
	       gputm_stall_buffer_wake_warp(u->buffer, address, a->request->warp, &woken))
		wake(u, &woken);
}

/* The oldest woken access has been judged again. */
static void leave_woken(struct gputm_validation_unit *u)
{
	gputm__queue_take(&u->woken);
	u->retries++;
}

/* ---- apply ---- */

/* A load raises rts; a store raises wts, reserves, and counts. Negative: -ENOMEM. */
static inline int grant_load(struct gputm_validation_unit *u, struct access *a)
{
	if (!a->estimated && a->m.rts >= a->stamp)
		return 0;
	gputm__maximum(&a->m.rts, a->stamp);
	return gputm__metadata_write_back(u->table, a->request->address, &a->m);
}

static inline int grant_store(struct gputm_validation_unit *u, struct access *a)
{
	bool first = !a->m.writes;
	int result;

	gputm__maximum(&a->m.wts, a->stamp + 1);
	a->m.owner = a->owner;
	a->m.writes++;
	result = gputm__metadata_write_back(u->table, a->request->address, &a->m);
	if (result < 0)
		return result;
	u->reserved_writes++;
	if (first && gputm__validation_waiting(u))
		wake_the_failed_and_own(u, a);
	return 0;
}

static uint32_t free_slot(const struct gputm_validation_unit *u)
{
	uint32_t slot = 0;

	while (slot < u->slots && u->slot[slot].taken)
		slot++;
	return slot < u->slots ? slot : NO_SLOT;
}

/* Put the access into the stall buffer. If lock_check() has found no room, the buffer counts a
 * refusal. */
static void park(struct gputm_validation_unit *u, const struct access *a)
{
	const struct gputm_validation_unit_request *r = a->request;
	uint32_t slot = a->slot == NO_SLOT ? free_slot(u) : a->slot;
	struct gputm_stall_buffer_request waiter = { r->address, key_of(u, a), slot, r->warp };

	if (slot == NO_SLOT ||
	    gputm_stall_buffer_push(u->buffer, &waiter) != GPUTM_STALL_BUFFER_QUEUED)
		return;
	if (a->slot != NO_SLOT) {
		leave_woken(u);
		return;
	}
	u->slot[slot] = (struct gputm__slot){ *r, true };
	u->taken++;
}

/* A stamp of the unit has the time of this access, in the paper's times. */
static inline void see_time(struct gputm_validation_unit *u, const struct access *a)
{
	if (u->config.report_highest)
		gputm__maximum(&u->highest, a->request->time + a->request->write);
}

static inline int grant(struct gputm_validation_unit *u, struct access *a)
{
	int result = a->request->write ? grant_store(u, a) : grant_load(u, a);

	if (result >= 0)
		see_time(u, a);
	return result;
}

/* Carry out the verdict. Negative: -ENOMEM, with nothing changed. */
static inline int apply(struct gputm_validation_unit *u, struct access *a, unsigned verdict)
{
	if (verdict == GPUTM_VALIDATION_UNIT_REASON_GRANTED)
		return grant(u, a);
	if (verdict == WAITS || verdict == GPUTM_VALIDATION_UNIT_REASON_BUFFER)
		park(u, a);
	return 0;
}

/* ---- answer ---- */

/* What an aborted attempt reports to its warp's clock. In a rollover all clocks go to 0. */
static inline uint64_t reported(const struct gputm_validation_unit *u, const struct access *a)
{
	uint64_t wts = wts_time(u, a->m.wts), rts = rts_time(u, a->m.rts);
	uint64_t cause = a->request->write && rts > wts ? rts : wts;

	return u->highest > cause && !u->state ? u->highest : cause;
}

/* Give the answer, count and tell. */
static inline int answer(struct gputm_validation_unit *u, const struct access *a, unsigned verdict,
			 struct gputm__answered *answered)
{
	struct gputm_validation_unit_answer *out = &answered->answer;

	out->tag = a->request->tag;
	out->result = result_of(verdict);
	out->reason = verdict == WAITS ? GPUTM_VALIDATION_UNIT_REASON_GRANTED : verdict;
	out->time = 0;
	answered->estimated = out->result == GPUTM_VALIDATION_UNIT_ABORT && a->estimated;
	out->cycles = a->cycles;
	if (out->result == GPUTM_VALIDATION_UNIT_ABORT)
		out->time = reported(u, a);
	u->abort_estimated += answered->estimated;
	u->answers[verdict]++;
	u->accesses++;
	u->access_cycles += out->cycles;
	gputm__sample(&u->cost, out->cycles);
	gputm__emit(&u->unit, GPUTM_VALIDATION_UNIT_EVENT_ANSWER, out->tag, out->result,
		    out->reason, out->time);
	return (int)out->result;
}

/* While the unit has stopped, an access aborts in one cycle, whatever the delay. */
static int turn_away(struct gputm_validation_unit *u, const struct gputm_validation_unit_request *r,
		     struct gputm__answered *out)
{
	const struct access a = { .request = r, .cycles = 1 };

	return answer(u, &a, GPUTM_VALIDATION_UNIT_REASON_ROLLOVER, out);
}

/* An access, new (NO_SLOT) or woken from a slot. */
static int serve(struct gputm_validation_unit *u, const struct gputm_validation_unit_request *r,
		 uint32_t slot, struct gputm__answered *out)
{
	struct access a;
	unsigned verdict;
	int result;

	if (u->state)
		return turn_away(u, r, out);
	open_access(&a, u, r, slot);
	a.estimated = gputm_metadata_table_query(u->table, r->address, &a.m) ==
		      GPUTM_METADATA_TABLE_MISS;
	u->owned += owner_check(&a);
	verdict = judge(u, &a);
	result = apply(u, &a, verdict);
	if (result < 0)
		return result;
	if (r->write)
		u->stores++;
	else
		u->loads++;
	a.cycles = a.m.cycles + (uint32_t)u->config.access_delay;
	result = answer(u, &a, verdict, out);
	if (slot != NO_SLOT && verdict != WAITS && !a.m.writes &&
	    !gputm__mutant(GPUTM__MUTANT_NEXT_SLEEPS))
		wake_oldest(u, r->address); /* rule (a) */
	if (r->time > u->threshold)
		gputm_validation_unit_rollover(u);
	return result;
}

int gputm_validation_unit_access(struct gputm_validation_unit *u,
				 const struct gputm_validation_unit_request *r,
				 struct gputm_validation_unit_answer *out)
{
	struct gputm__answered made;
	int result;

	if (!gputm__validation_fits(u, r))
		return refuse(u, r);
	result = serve(u, r, NO_SLOT, &made);
	if (result >= 0)
		*out = made.answer;
	return result;
}

int gputm_validation_unit_access_probe(const struct gputm_validation_unit *u,
				       const struct gputm_validation_unit_request *r)
{
	struct access a;

	if (!gputm__validation_fits(u, r))
		return refuse(u, r);
	open_access(&a, u, r, NO_SLOT);
	if (u->state || gputm__metadata_get_probe(u->table, r->address, &a.m) < 0)
		return GPUTM_VALIDATION_UNIT_ABORT;
	return (int)result_of(judge(u, &a));
}

/* Does retry() have anything to do? While the unit has stopped, it aborts all waiting accesses. */
static inline bool may_retry(const struct gputm_validation_unit *u)
{
	return u->woken.count || (u->state && gputm__validation_waiting(u));
}

/* The oldest woken access is judged again. Answers NONE if none is woken, else as serve() does. */
static int retry(struct gputm_validation_unit *u, struct gputm__answered *out)
{
	struct gputm_stall_buffer_request waiter;
	uint32_t slot;
	int result;

	if (!may_retry(u))
		return GPUTM_VALIDATION_UNIT_NONE;
	if (!u->woken.count && gputm_stall_buffer_drain(u->buffer, &waiter))
		wake(u, &waiter);
	slot = *(const uint32_t *)gputm__queue_oldest(&u->woken);
	result = serve(u, &u->slot[slot].request, slot, out);
	if (result < 0 || result == GPUTM_VALIDATION_UNIT_STALLED)
		return result;
	leave_woken(u);
	u->slot[slot].taken = false;
	u->taken--;
	gputm__validation_roll(u);
	return result;
}

int gputm_validation_unit_retry(struct gputm_validation_unit *u,
				struct gputm_validation_unit_answer *out)
{
	struct gputm__answered made;
	int result = retry(u, &made);

	if (result >= 0 && result != GPUTM_VALIDATION_UNIT_NONE)
		*out = made.answer;
	return result;
}

/* ---- clock ---- */

static inline bool may_start(const struct gputm_validation_unit *u)
{
	return !gputm__queue_full(&u->output) &&
	       ((u->input.count && u->state != GPUTM_VALIDATION_UNIT_STATE_ROLLING) ||
		may_retry(u));
}

/* A cycle of the access at work; in its last cycle the answer, if there is one, goes to the output
 * port. */
static inline void work(struct gputm_validation_unit *u)
{
	const struct gputm__answered *made = gputm__validation_work(u);

	if (!--u->busy && made->answer.result != GPUTM_VALIDATION_UNIT_STALLED)
		u->output.count++;
}

/* The first cycle of the oldest woken access, else of the oldest at the port. 0 or -ENOMEM. */
static inline int start(struct gputm_validation_unit *u)
{
	struct gputm__answered *made = gputm__validation_work(u);
	int result;

	if (may_retry(u)) {
		result = retry(u, made);
	} else {
		result = serve(u, gputm__queue_oldest(&u->input), NO_SLOT, made);
		if (result >= 0)
			gputm__queue_take(&u->input);
	}
	if (result < 0)
		return result;
	u->busy = made->answer.cycles;
	work(u);
	return 0;
}

static inline int offers(const struct gputm_validation_unit *u)
{
	return (u->output.count != 0) * GPUTM_VALIDATION_UNIT_OFFER_ANSWER |
	       (u->to_ring.count != 0) * GPUTM_VALIDATION_UNIT_OFFER_MESSAGE;
}

int gputm_validation_unit_tick(struct gputm_validation_unit *u)
{
	int error = 0;

	if (u->busy)
		work(u);
	else if (u->owed)
		u->owed--;
	else if (may_start(u))
		error = start(u);
	if (error)
		return error;
	if (u->state)
		gputm__validation_roll(u);
	u->cycles++;
	return offers(u);
}

static inline uint64_t quiet(const struct gputm_validation_unit *u)
{
	if (u->busy)
		return u->busy - 1;
	return may_start(u) ? u->owed : UINT64_MAX;
}

uint64_t gputm_validation_unit_next_event(const struct gputm_validation_unit *u)
{
	return quiet(u);
}

static void skip(struct gputm_validation_unit *u, uint64_t cycles)
{
	u->cycles = gputm__later(u->cycles, cycles);
	if (u->busy)
		u->busy -= cycles;
	else
		u->owed -= u->owed < cycles ? u->owed : cycles;
}

int gputm_validation_unit_advance(struct gputm_validation_unit *u, uint64_t cycles)
{
	for (uint64_t left = quiet(u); left < cycles; left = quiet(u)) {
		int error;

		skip(u, left);
		error = gputm_validation_unit_tick(u);
		if (error < 0)
			return error;
		cycles -= left + 1;
	}
	skip(u, cycles);
	return offers(u);
}

/* ---- output port ---- */

int gputm_validation_unit_peek(const struct gputm_validation_unit *u,
			       struct gputm_validation_unit_answer *out)
{
	if (!u->output.count)
		return 0;
	*out = ((const struct gputm__answered *)gputm__queue_oldest(&u->output))->answer;
	return 1;
}

bool gputm_validation_unit_estimated(const struct gputm_validation_unit *u)
{
	const struct gputm__answered *oldest = gputm__queue_oldest(&u->output);

	return u->output.count && oldest->estimated;
}

int gputm_validation_unit_pop(struct gputm_validation_unit *u)
{
	int left = gputm__queue_drop(&u->output);

	u->delivered += (uint64_t)left;
	return left;
}

uint64_t gputm_validation_unit_pending(const struct gputm_validation_unit *u)
{
	return u->input.count + gputm__validation_waiting(u) + u->woken.count +
	       gputm__validation_at_work(u);
}

/* ---- release ---- */

int gputm_validation_unit_release(struct gputm_validation_unit *u, uint64_t address, uint32_t warp,
				  uint64_t sequence, uint32_t count, uint32_t *left)
{
	const struct gputm_validation_unit_request r = { .address = address, .warp = warp };
	struct gputm_metadata_table_entry m;

	if (!gputm__validation_fits(u, &r))
		return refuse(u, &r);
	if (!count)
		return gputm__refuse(&u->unit, "count = 0: release at least one reserved write");
	if (gputm_metadata_table_lookup_probe(u->table, address, &m) <= 0 ||
	    m.owner != owner_of(u, warp, sequence) || count > m.writes)
		return gputm__refuse(&u->unit,
				     "warp %u has not reserved %u writes at 0x%llx in attempt %llu",
				     warp, count, (unsigned long long)address,
				     (unsigned long long)sequence);
	m.writes -= count;
	u->owed += m.cycles - 1 + u->config.access_delay;
	if (gputm__metadata_write_back(u->table, address, &m) < 0)
		gputm__assert(false); /* the entry is there: nothing is allocated */
	u->releases++;
	u->released_writes += count;
	if (left)
		*left = m.writes;
	gputm__emit(&u->unit, GPUTM_VALIDATION_UNIT_EVENT_RELEASE, address, warp, count, m.writes);
	if (!m.writes)
		wake_oldest(u, address);
	if (u->state)
		gputm__validation_roll(u);
	return 0;
}

/* ---- views ---- */

int gputm_validation_unit_get_granule(const struct gputm_validation_unit *u, uint64_t address,
				      struct gputm_validation_unit_granule *out)
{
	struct gputm_metadata_table_entry m;
	int result = gputm__metadata_get_probe(u->table, address, &m);

	if (result < 0)
		return result;
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
