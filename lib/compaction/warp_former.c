/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamic warp formation
 * ======================
 *
 * W. W. L. Fung's thesis (2015), 2.4 (dynamic warp formation), 3.2 and Fig. 3.3 (its
 * pathologies), 3.2.1 (the warp barrier).
 *
 * A warp that comes back is broken down by the PCs at which its threads go on. The warp LUT
 * finds the youngest warp that waits at a PC; threads whose lanes are free there join it, the
 * others make a new warp, which the LUT knows from then on. The majority policy issues the PC
 * at which most threads wait.
 *
 *	Fig. 3.3(a): A branches, threads 1 2 4 6 7 to B and 3 5 8 to C, both go on to D
 *
 *	back from A	B: 1 2 7 4 | 6		C: 5 - 3 8
 *	B is issued	1 2 7 4 go on to D, where 4 threads wait now; C has 3, B has 1
 *	D is issued	without the threads of C: the starvation eddy. D takes three warps in
 *			the end, 1 2 7 4, 5 - 3 8 and 6, where two would do
 *
 * With the warp barrier a static warp stays whole and is joined by nobody until it diverges.
 * Then its threads may be regrouped, but where the branch reconverges they wait until all of the
 * static warp have come and go on as that warp. In the example D is issued as 1 2 3 4 and 5 6 7 8.
 *
 * A warp in the pool is open if others may join it: always, or with the warp barrier if the
 * static warps of its threads have diverged. All of them have, or none, as long as it waits.
 *
 * Invariants, as check() names them:
 *   W1  every live thread is in one place: a warp of the pool, its warp barrier or the barrier
 *       of its block, in its home lane
 *   W2  a static warp that has not diverged is whole, and alone in its warp
 *   W3  no thread of a diverged static warp is at the PC of its barrier but not at the barrier;
 *       neither a warp barrier nor that of a block has all the threads it waits for
 *   W4  warps that wait are in the order of their age
 *   W5  warps formed = waiting + issued; issued = returned + in flight; launched threads =
 *       ended + live ones; diverged = restored + ended + those diverged now
 *
 * Differences from the paper
 *   - The thesis only names the LUT, the pool and the majority policy; the rules are our own:
 *     ties go to the lower PC, the oldest warp of the PC issues, and with hold_partial a warp
 *     that threads in flight could still join is passed over. The policy of the thesis is greedy
 *     and passes no warp over, and so are its presets. The default does, as full warps are what
 *     the unit is for where latencies are short.
 *   - The LUT has an entry for each PC at which warps wait, and the pool a slot for each thread,
 *     so that a warp that comes back is never refused. The LUT of the original may lose a
 *     PC, and a warp then issues as it is.
 *   - A barrier of a block is handled also in divergent code: threads wait one by one.
 */
#include "lib/compaction/warp_former-priv.h"

/* ---- threads by lane ---- */

uint32_t gputm__former_home(const struct gputm_warp_former *f, const struct gputm__lanes *lanes)
{
	uint32_t home = NO_WARP;

	for (uint64_t m = lanes->mask; m; m &= m - 1) {
		uint32_t one = f->home[lanes->thread[gputm__lowest(m)]];

		if (home != NO_WARP && one != home)
			return NO_WARP;
		home = one;
	}
	return home;
}

void gputm__former_select(const struct gputm_warp_former *f, struct gputm__lanes *restrict to,
			  const struct gputm__lanes *restrict from, uint64_t mask)
{
	to->mask = mask;
	memset(to->thread, 0xff, sizeof(to->thread)); /* NO_THREAD */
	for (; mask; mask &= mask - 1)
		to->thread[gputm__lowest(mask)] = from->thread[gputm__lowest(mask)];
	to->home = from->home == NO_WARP ? gputm__former_home(f, to) : from->home;
}

/* Add threads in free lanes. */
static void join(struct gputm__lanes *restrict to, const struct gputm__lanes *restrict others)
{
	to->mask |= others->mask;
	for (uint64_t m = others->mask; m; m &= m - 1)
		to->thread[gputm__lowest(m)] = others->thread[gputm__lowest(m)];
	if (to->home != others->home)
		to->home = NO_WARP;
}

/* ---- slots ---- */

static uint32_t take_slot(struct gputm_warp_former *f)
{
	uint32_t slot = f->lowest_free, word = slot / 64;

	f->used[word] |= UINT64_C(1) << (slot & 63);
	while (word < f->words && !~f->used[word])
		word++;
	f->lowest_free = f->slots;
	if (word < f->words)
		f->lowest_free = word * 64 + gputm__lowest(~f->used[word]);
	f->in_use++;
	gputm__maximum(&f->max_pool, f->in_use);
	return slot;
}

void gputm__former_free_slot(struct gputm_warp_former *f, uint32_t slot)
{
	f->pool[slot].state = GPUTM__POOL_FREE;
	f->used[slot / 64] &= ~(UINT64_C(1) << (slot & 63));
	if (slot < f->lowest_free)
		f->lowest_free = slot;
	f->in_use--;
}

/* ---- the LUT ---- */

/* Append a warp to the queue of its PC, whose rank is given. */
static inline void queue(struct gputm_warp_former *f, uint32_t slot, uint32_t rank)
{
	struct gputm__pool_warp *w = &f->pool[slot];
	struct gputm__lut_entry *e;

	if (rank == NO_RANK)
		rank = gputm__lut_insert(&f->lut, w->pc);
	e = &f->lut.entry[rank];
	if (gputm__lut_threads(&f->lut, rank)) {
		f->pool[e->last].next = slot;
	} else {
		e->first = slot;
		e->open = NO_SLOT;
	}
	e->last = slot;
	if (gputm__former_is_open(f, &w->lanes))
		e->open = slot;
	w->next = NO_SLOT;
	gputm__lut_add(&f->lut, rank, gputm__former_threads(f, w->lanes.mask));
	gputm__maximum(&f->max_pcs, f->lut.used);
}

void gputm__former_queue(struct gputm_warp_former *f, uint32_t slot)
{
	queue(f, slot, gputm__lut_find(&f->lut, f->pool[slot].pc));
}

/* Remove the oldest warp, of `threads` threads, from the queue of the PC of this rank. */
static void unqueue(struct gputm_warp_former *f, uint32_t rank, uint32_t threads)
{
	struct gputm__lut_entry *e = &f->lut.entry[rank];
	uint32_t slot = e->first;

	if (e->open == slot)
		e->open = NO_SLOT;
	e->first = f->pool[slot].next;
	f->pool[slot].next = NO_SLOT;
	gputm__lut_take(&f->lut, rank, threads);
}

/* ---- threads go on ---- */

/* Threads join the open warp of the PC of this rank: their lanes are free there. */
static void merge(struct gputm_warp_former *f, uint32_t rank, const struct gputm__lanes *lanes,
		  uint64_t fit)
{
	const struct gputm__lut_entry *e = &f->lut.entry[rank];
	uint32_t threads = gputm__popcount(fit);
	struct gputm__lanes joining;

	gputm__former_select(f, &joining, lanes, fit);
	join(&f->pool[e->open].lanes, &joining);
	f->threads_merged += threads;
	gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_MERGE, e->open, e->pc, fit, 0);
	gputm__lut_add(&f->lut, rank, threads);
}

/* The free lanes of the warp that these threads may join. */
static inline uint64_t fitting(const struct gputm_warp_former *f, uint32_t rank,
			const struct gputm__lanes *lanes)
{
	uint32_t open;

	if (rank == NO_RANK || !gputm__lut_threads(&f->lut, rank))
		return 0;
	open = f->lut.entry[rank].open;
	if (open == NO_SLOT || !gputm__former_is_open(f, lanes))
		return 0;
	return lanes->mask & ~f->pool[open].lanes.mask;
}

/* The warp in `slot` starts to wait at pc, the PC of this rank. */
static void wait_at(struct gputm_warp_former *f, uint32_t slot, uint64_t pc, uint32_t rank)
{
	struct gputm__pool_warp *w = &f->pool[slot];

	w->pc = pc;
	w->order = f->next_order++;
	w->state = GPUTM__POOL_WAITING;
	f->formed++;
	queue(f, slot, rank);
}

void gputm__former_insert(struct gputm_warp_former *f, const struct gputm__lanes *lanes,
			  uint64_t pc)
{
	uint32_t rank = gputm__lut_find(&f->lut, pc), slot;
	uint64_t fit = fitting(f, rank, lanes);
	struct gputm__lanes rest;

	if (fit) {
		merge(f, rank, lanes, fit);
		if (fit == lanes->mask)
			return;
		gputm__former_select(f, &rest, lanes, lanes->mask & ~fit);
		lanes = &rest;
	}
	slot = take_slot(f);
	if (&f->pool[slot].lanes != lanes)
		f->pool[slot].lanes = *lanes;
	wait_at(f, slot, pc, rank);
}

/* ---- the warp barrier ---- */

void gputm__former_static_lanes(const struct gputm_warp_former *f, uint32_t warp, uint64_t mask,
				struct gputm__lanes *out)
{
	out->mask = mask;
	out->home = warp;
	memset(out->thread, 0xff, sizeof(out->thread));
	for (; mask; mask &= mask - 1) {
		uint32_t lane = gputm__lowest(mask);

		out->thread[lane] = (uint16_t)(warp * f->config.lanes + lane);
	}
}

void gputm__former_restore(struct gputm_warp_former *f, uint32_t warp)
{
	struct gputm__static_warp *s = &f->warp[warp];
	uint64_t pc = s->pc;
	struct gputm__lanes lanes;

	if (!s->diverged || s->arrived != s->live)
		return;
	s->diverged = false;
	s->arrived = 0;
	s->pc = NO_PC;
	if (!s->live) {
		f->ended_diverged++;
		return;
	}
	f->restored++;
	gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_RESTORE, warp, pc, s->live, 0);
	gputm__former_static_lanes(f, warp, s->live, &lanes);
	gputm__former_insert(f, &lanes, pc);
}

/* Threads of diverged static warps proceed at pc, or reach their warp barriers there. */
static void deliver_open(struct gputm_warp_former *f, const struct gputm__lanes *lanes,
			 uint64_t pc)
{
	struct gputm__lanes come, rest;
	uint64_t here = 0;

	for (uint64_t m = lanes->mask; m; m &= m - 1) {
		struct gputm__static_warp *s =
			&f->warp[f->home[lanes->thread[gputm__lowest(m)]]];

		if (s->pc != pc)
			continue;
		here |= m & -m;
		s->arrived |= m & -m;
	}
	if (!here) {
		gputm__former_insert(f, lanes, pc);
		return;
	}
	gputm__former_select(f, &come, lanes, here);
	gputm__former_select(f, &rest, lanes, lanes->mask & ~here);
	if (rest.mask)
		gputm__former_insert(f, &rest, pc);
	for (uint64_t m = here; m; m &= m - 1)
		gputm__former_restore(f, f->home[come.thread[gputm__lowest(m)]]);
}

void gputm__former_deliver(struct gputm_warp_former *f, const struct gputm__lanes *lanes,
			   uint64_t pc)
{
	if (gputm__former_has_barrier(f, lanes))
		deliver_open(f, lanes, pc);
	else
		gputm__former_insert(f, lanes, pc);
}

/* ---- issue ---- */

/* True if threads in flight could still join the oldest warp of this PC. */
static bool is_held(const struct gputm_warp_former *f, uint32_t rank)
{
	const struct gputm__lut_entry *e = &f->lut.entry[rank];
	uint64_t in_flight = f->whole ? f->all : f->some_fly;

	return e->open == e->first && (in_flight & ~f->pool[e->first].lanes.mask);
}

/* The PC with most threads among PCs whose warps are not held back. */
static uint32_t free_majority(const struct gputm_warp_former *f)
{
	uint32_t best = NO_RANK, most = 0;

	for (uint32_t rank = 0; rank < f->lut.known; rank++) {
		uint32_t threads = gputm__lut_threads(&f->lut, rank);

		if (threads <= most || is_held(f, rank))
			continue;
		best = rank;
		most = threads;
	}
	return best;
}

/* Rank of the PC that issues next, or NO_RANK. */
static inline uint32_t majority(const struct gputm_warp_former *f)
{
	uint32_t rank;

	if (!f->lut.used)
		return NO_RANK;
	rank = gputm__lut_majority(&f->lut);
	return is_held(f, rank) ? free_majority(f) : rank;
}

static void describe(const struct gputm_warp_former *f, uint32_t slot,
		     struct gputm_warp_former_warp *out)
{
	const struct gputm__pool_warp *w = &f->pool[slot];

	out->slot = slot;
	out->pc = w->pc;
	out->mask = w->lanes.mask;
	out->home = w->lanes.home;
	memcpy(out->thread, w->lanes.thread, sizeof(out->thread));
}

static int nothing_to_issue(const struct gputm_warp_former *f)
{
	return f->lut.used ? GPUTM_WARP_FORMER_HELD : GPUTM_WARP_FORMER_EMPTY;
}

int gputm_warp_former_issue_probe(const struct gputm_warp_former *f,
				  struct gputm_warp_former_warp *out)
{
	uint32_t rank = majority(f);

	if (rank == NO_RANK)
		return nothing_to_issue(f);
	describe(f, f->lut.entry[rank].first, out);
	return GPUTM_WARP_FORMER_OK;
}

int gputm_warp_former_issue(struct gputm_warp_former *f, struct gputm_warp_former_warp *out)
{
	uint32_t rank = majority(f), threads;
	struct gputm__pool_warp *w;

	if (rank == NO_RANK)
		return nothing_to_issue(f);
	describe(f, f->lut.entry[rank].first, out);
	gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_ISSUE, out->slot, out->pc, out->mask,
		    gputm__lut_threads(&f->lut, rank));
	w = &f->pool[out->slot];
	threads = gputm__former_threads(f, w->lanes.mask);
	unqueue(f, rank, threads);
	w->state = GPUTM__POOL_IN_FLIGHT;
	w->order = 0;
	gputm__former_take_off(f, w->lanes.mask);
	f->in_flight++;
	f->issued++;
	f->threads_issued += threads;
	gputm__sample(&f->width, threads);
	return GPUTM_WARP_FORMER_OK;
}

/* ---- in flight ---- */

int gputm__former_find_flying(const struct gputm_warp_former *f, uint32_t slot)
{
	if (slot >= f->slots || f->pool[slot].state != GPUTM__POOL_IN_FLIGHT)
		return gputm__refuse(&f->unit, "no warp in flight has slot %u", slot);
	return 0;
}

/* The flight of a warp ends. */
static void land(struct gputm_warp_former *f, uint32_t slot)
{
	uint64_t mask = f->pool[slot].lanes.mask;

	gputm__former_land(f, mask);
	f->in_flight--;
	f->returned++;
	gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_RETURN, slot, mask, 0, 0);
}

const struct gputm__lanes *gputm__former_take_back(struct gputm_warp_former *f, uint32_t slot)
{
	land(f, slot);
	gputm__former_free_slot(f, slot);
	return &f->pool[slot].lanes;
}

void gputm__former_go_on(struct gputm_warp_former *f, uint32_t slot, uint64_t pc)
{
	const struct gputm__lanes *lanes = &f->pool[slot].lanes;
	uint32_t rank = gputm__lut_find(&f->lut, pc);

	if (slot > f->lowest_free || gputm__former_has_barrier(f, lanes) ||
	    fitting(f, rank, lanes)) {
		gputm__former_deliver(f, gputm__former_take_back(f, slot), pc);
		return;
	}
	/* The same threads would form the same warp in the same slot. */
	land(f, slot);
	wait_at(f, slot, pc, rank);
}

int gputm_warp_former_proceed(struct gputm_warp_former *f, uint32_t slot, uint64_t next_pc)
{
	int error = gputm__former_find_flying(f, slot);

	if (error)
		return error;
	if (next_pc > f->pc_max)
		return gputm__out_of_range(&f->unit, "next PC", next_pc, 0, f->pc_max);
	gputm__former_go_on(f, slot, next_pc);
	return 0;
}

/* ---- looking ---- */

uint32_t gputm_warp_former_waiting(const struct gputm_warp_former *f, uint64_t pc)
{
	uint32_t rank = gputm__lut_find(&f->lut, pc);

	return rank == NO_RANK ? 0 : gputm__lut_threads(&f->lut, rank);
}

uint32_t gputm_warp_former_in_flight(const struct gputm_warp_former *f)
{
	return f->in_flight;
}

uint32_t gputm_warp_former_live(const struct gputm_warp_former *f)
{
	return f->live;
}

int gputm_warp_former_get_warp(const struct gputm_warp_former *f, uint32_t slot,
			       struct gputm_warp_former_warp *out, bool *in_flight)
{
	if (slot >= f->slots)
		return gputm__past_end(&f->unit, "slot", slot, f->slots);
	if (f->pool[slot].state == GPUTM__POOL_FREE)
		return 0;
	describe(f, slot, out);
	*in_flight = f->pool[slot].state == GPUTM__POOL_IN_FLIGHT;
	return 1;
}

bool gputm_warp_former_at_warp_barrier(const struct gputm_warp_former *f, uint32_t warp,
				       uint64_t *mask, uint64_t *pc)
{
	if (warp >= f->config.warps)
		return false;
	*mask = f->warp[warp].arrived;
	*pc = f->warp[warp].pc;
	return true;
}

uint64_t gputm_warp_former_at_block_barrier(const struct gputm_warp_former *f, uint32_t warp)
{
	return warp < f->config.warps ? f->warp[warp].parked : 0;
}
