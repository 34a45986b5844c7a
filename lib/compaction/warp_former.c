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
 * static warps of its threads have diverged. It is that for all of its threads or for none, and
 * as long as it waits.
 *
 * Invariants, as check() names them:
 *   W1  every live thread is in one place: a warp of the pool, its warp barrier or the barrier
 *       of its block, in its home lane
 *   W2  a static warp that has not diverged is whole, and alone in its warp
 *   W3  no thread of a diverged static warp is at the PC of its barrier but not at the barrier;
 *       neither a warp barrier nor that of a block has all the threads it waits for
 *   W4  warps that wait are in the order of their age
 *   W5  warps formed = waiting + issued; issued = returned + in flight; launched threads =
 *       ended + live ones; diverged = restored + ended + those that are
 *
 * Differences from the paper
 *   - The thesis only names the LUT, the pool and the majority policy; the rules are our own:
 *     ties go to the lower PC, the oldest warp of the PC issues, and with hold_partial a warp
 *     that threads in flight could still join is passed over.
 *   - The LUT has an entry for each PC at which warps wait, and the pool a slot for each thread,
 *     so that a warp that comes back is never refused. The LUT of the original may lose a
 *     PC, and a warp then issues as it is.
 *   - A barrier of a block is handled also in divergent code: threads wait one by one.
 */
#include "lib/compaction/warp_former.h"

/* ---- the LUT and the pool ---- */

static struct gputm__lut_entry *find_pc(const struct gputm_warp_former *f, uint64_t pc)
{
	for (uint32_t i = 0; i < f->pcs; i++)
		if (f->lut[i].pc == pc)
			return &f->lut[i];
	return NULL;
}

void gputm__former_queue(struct gputm_warp_former *f, uint32_t slot)
{
	struct gputm__pool_warp *w = &f->pool[slot];
	struct gputm__lut_entry *e = find_pc(f, w->pc);

	w->next = NO_SLOT;
	if (!e) {
		e = &f->lut[f->pcs++];
		*e = (struct gputm__lut_entry){ w->pc, 0, slot, slot, NO_SLOT };
		gputm__maximum(&f->max_pcs, f->pcs);
	} else {
		f->pool[e->last].next = slot;
		e->last = slot;
	}
	e->threads += gputm__popcount(w->mask);
	if (gputm__former_is_open(f, gputm__pool_home(f, slot)[gputm__lowest(w->mask)]))
		e->open = slot;
}

/* The oldest warp of a PC leaves. */
static void unqueue(struct gputm_warp_former *f, struct gputm__lut_entry *e)
{
	struct gputm__pool_warp *w = &f->pool[e->first];

	e->threads -= gputm__popcount(w->mask);
	if (e->open == e->first)
		e->open = NO_SLOT;
	e->first = w->next;
	w->next = NO_SLOT;
	if (e->first == NO_SLOT)
		*e = f->lut[--f->pcs];
}

static uint32_t take_slot(struct gputm_warp_former *f)
{
	uint32_t word = 0, slot;

	while (!~f->used[word])
		word++;
	slot = word * 64 + gputm__lowest(~f->used[word]);
	f->used[word] |= UINT64_C(1) << (slot & 63);
	f->in_use++;
	gputm__maximum(&f->max_pool, f->in_use);
	return slot;
}

static void free_slot(struct gputm_warp_former *f, uint32_t slot)
{
	memset(&f->pool[slot], 0, sizeof(f->pool[slot]));
	f->used[slot / 64] &= ~(UINT64_C(1) << (slot & 63));
	f->in_use--;
}

/* Threads go on at pc: some join the warp that waits there, the others make one. */
static void insert(struct gputm_warp_former *f, uint64_t mask, const uint8_t home[], uint64_t pc)
{
	struct gputm__lut_entry *e = find_pc(f, pc);
	bool open = gputm__former_is_open(f, home[gputm__lowest(mask)]);
	uint32_t slot = e && open ? e->open : NO_SLOT;
	uint64_t fit = slot == NO_SLOT ? 0 : mask & ~f->pool[slot].mask;

	for (uint64_t m = fit; m; m &= m - 1)
		gputm__pool_home(f, slot)[gputm__lowest(m)] = home[gputm__lowest(m)];
	if (fit) {
		f->pool[slot].mask |= fit;
		e->threads += gputm__popcount(fit);
		f->threads_merged += gputm__popcount(fit);
		gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_MERGE, slot, pc, fit, 0);
	}
	mask &= ~fit;
	if (!mask)
		return;
	slot = take_slot(f);
	memcpy(gputm__pool_home(f, slot), home, f->config.lanes);
	f->pool[slot].pc = pc;
	f->pool[slot].mask = mask;
	f->pool[slot].order = f->next_order++;
	f->pool[slot].state = GPUTM__POOL_WAITING;
	f->formed++;
	gputm__former_queue(f, slot);
}

/* ---- the warp barrier ---- */

static void insert_static(struct gputm_warp_former *f, uint32_t warp, uint64_t mask, uint64_t pc)
{
	uint8_t home[LANES_MAX];

	memset(home, (int)warp, sizeof(home));
	insert(f, mask, home, pc);
}

/* Has all of a static warp come to its barrier? */
static void maybe_restore(struct gputm_warp_former *f, uint32_t warp)
{
	struct gputm__static_warp *s = &f->warp[warp];
	uint64_t pc = s->pc;

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
	insert_static(f, warp, s->live, pc);
}

/* Threads go on at pc, or have come to their warp barriers there. */
static void deliver(struct gputm_warp_former *f, uint64_t mask, const uint8_t home[], uint64_t pc)
{
	uint64_t come = 0;

	if (f->config.warp_barrier && gputm__former_is_open(f, home[gputm__lowest(mask)]))
		for (uint64_t m = mask; m; m &= m - 1)
			if (f->warp[home[gputm__lowest(m)]].pc == pc)
				come |= m & -m;
	for (uint64_t m = come; m; m &= m - 1)
		f->warp[home[gputm__lowest(m)]].arrived |= m & -m;
	if (mask & ~come)
		insert(f, mask & ~come, home, pc);
	for (uint64_t m = come; m; m &= m - 1)
		maybe_restore(f, home[gputm__lowest(m)]);
}

/* The threads of a warp part: static warps that were whole have diverged. */
static void part(struct gputm_warp_former *f, uint64_t mask, const uint8_t home[], uint64_t rpc)
{
	for (uint64_t m = mask; m; m &= m - 1) {
		struct gputm__static_warp *s = &f->warp[home[gputm__lowest(m)]];

		if (s->diverged)
			continue;
		s->diverged = true;
		s->pc = rpc;
		f->diverged++;
		gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_DIVERGE, home[gputm__lowest(m)], rpc,
			    0, 0);
	}
}

/* ---- in and out ---- */

int gputm_warp_former_launch(struct gputm_warp_former *f, uint32_t warp, uint64_t mask,
			     uint64_t pc)
{
	uint32_t threads = gputm__popcount(mask);

	if (warp >= f->config.warps)
		return gputm__out_of_range(&f->unit, "warp", warp, 0, f->config.warps - 1);
	if (!mask || (mask & ~f->lanes))
		return gputm__refuse(&f->unit, "mask = 0x%llx is empty or not within 0x%llx",
				     (unsigned long long)mask, (unsigned long long)f->lanes);
	if (f->warp[warp].live)
		return gputm__refuse(&f->unit, "launch: lanes 0x%llx of warp %u have not ended",
				     (unsigned long long)f->warp[warp].live, warp);
	if (pc > f->pc_max)
		return gputm__out_of_range(&f->unit, "PC", pc, 0, f->pc_max);
	f->warp[warp].live = mask;
	f->live += threads;
	f->block[f->block_of[warp]].live += threads;
	f->threads_launched += threads;
	gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_LAUNCH, warp, pc, mask, 0);
	insert_static(f, warp, mask, pc);
	return 0;
}

/* Could threads in flight join the oldest warp of this PC? */
static bool is_held(const struct gputm_warp_former *f, const struct gputm__lut_entry *e)
{
	if (!f->config.hold_partial || !f->in_flight || e->open != e->first)
		return false;
	for (uint64_t m = f->lanes & ~f->pool[e->first].mask; m; m &= m - 1)
		if (f->whole || f->flying[gputm__lowest(m)])
			return true;
	return false;
}

static struct gputm__lut_entry *majority(const struct gputm_warp_former *f)
{
	struct gputm__lut_entry *best = NULL;

	for (uint32_t i = 0; i < f->pcs; i++) {
		struct gputm__lut_entry *e = &f->lut[i];

		if (best && (e->threads < best->threads ||
			     (e->threads == best->threads && e->pc > best->pc)))
			continue;
		if (!is_held(f, e))
			best = e;
	}
	return best;
}

static void describe(const struct gputm_warp_former *f, uint32_t slot,
		     struct gputm_warp_former_warp *out)
{
	const struct gputm__pool_warp *w = &f->pool[slot];
	const uint8_t *home = gputm__pool_home(f, slot);

	out->slot = slot;
	out->pc = w->pc;
	out->mask = w->mask;
	memset(out->thread, 0xff, sizeof(out->thread));
	for (uint64_t m = w->mask; m; m &= m - 1) {
		uint32_t lane = gputm__lowest(m);

		out->thread[lane] = (uint16_t)(home[lane] * f->config.lanes + lane);
	}
}

int gputm_warp_former_pop_probe(const struct gputm_warp_former *f,
				struct gputm_warp_former_warp *out)
{
	const struct gputm__lut_entry *e = majority(f);

	if (!e)
		return f->pcs ? GPUTM_WARP_FORMER_HELD : GPUTM_WARP_FORMER_EMPTY;
	describe(f, e->first, out);
	return GPUTM_WARP_FORMER_OK;
}

int gputm_warp_former_pop(struct gputm_warp_former *f, struct gputm_warp_former_warp *out)
{
	struct gputm__lut_entry *e = majority(f);
	struct gputm__pool_warp *w;

	if (!e)
		return f->pcs ? GPUTM_WARP_FORMER_HELD : GPUTM_WARP_FORMER_EMPTY;
	describe(f, e->first, out);
	w = &f->pool[e->first];
	gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_ISSUE, out->slot, out->pc, out->mask,
		    e->threads);
	unqueue(f, e);
	w->state = GPUTM__POOL_IN_FLIGHT;
	w->order = 0;
	gputm__former_count(f, w->mask, 1);
	f->in_flight++;
	f->issued++;
	f->threads_issued += gputm__popcount(w->mask);
	gputm__sample(&f->width, gputm__popcount(w->mask));
	return GPUTM_WARP_FORMER_OK;
}

static int find_flying(const struct gputm_warp_former *f, uint32_t slot)
{
	if (slot >= f->slots || f->pool[slot].state != GPUTM__POOL_IN_FLIGHT)
		return gputm__refuse(&f->unit, "no warp in flight has slot %u", slot);
	return 0;
}

/* A warp in flight is over; its threads are with the caller. */
static uint64_t take_back(struct gputm_warp_former *f, uint32_t slot, uint8_t home[])
{
	uint64_t mask = f->pool[slot].mask;

	memcpy(home, gputm__pool_home(f, slot), f->config.lanes);
	gputm__former_count(f, mask, UINT32_MAX);
	f->in_flight--;
	f->returned++;
	free_slot(f, slot);
	gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_RETURN, slot, mask, 0, 0);
	return mask;
}

int gputm_warp_former_advance(struct gputm_warp_former *f, uint32_t slot, uint64_t next_pc)
{
	uint8_t home[LANES_MAX];
	int error = find_flying(f, slot);

	if (error)
		return error;
	if (next_pc > f->pc_max)
		return gputm__out_of_range(&f->unit, "next PC", next_pc, 0, f->pc_max);
	deliver(f, take_back(f, slot, home), home, next_pc);
	return 0;
}

static int judge_target(const struct gputm_warp_former *f,
			const struct gputm_warp_former_target *target)
{
	if (target->taken_pc > f->pc_max)
		return gputm__out_of_range(&f->unit, "taken_pc", target->taken_pc, 0, f->pc_max);
	if (target->other_pc > f->pc_max)
		return gputm__out_of_range(&f->unit, "other_pc", target->other_pc, 0, f->pc_max);
	if (target->rpc > f->pc_max && target->rpc != NO_PC)
		return gputm__out_of_range(&f->unit, "rpc", target->rpc, 0, f->pc_max);
	return 0;
}

int gputm_warp_former_branch(struct gputm_warp_former *f, uint32_t slot, uint64_t taken,
			     const struct gputm_warp_former_target *target)
{
	uint8_t home[LANES_MAX];
	uint64_t mask, other;
	int error = find_flying(f, slot);

	if (error)
		return error;
	mask = f->pool[slot].mask;
	if (taken & ~mask)
		return gputm__refuse(&f->unit, "taken = 0x%llx has lanes that are not in 0x%llx",
				     (unsigned long long)taken, (unsigned long long)mask);
	error = judge_target(f, target);
	if (error)
		return error;
	take_back(f, slot, home);
	other = mask & ~taken;
	if (f->config.warp_barrier && taken && other && target->taken_pc != target->other_pc)
		part(f, mask, home, target->rpc);
	if (target->taken_pc == target->other_pc) {
		deliver(f, mask, home, target->taken_pc);
		return 0;
	}
	if (taken)
		deliver(f, taken, home, target->taken_pc);
	if (other)
		deliver(f, other, home, target->other_pc);
	return 0;
}

/* ---- barriers of a block, and the end ---- */

static void maybe_release(struct gputm_warp_former *f, uint32_t block)
{
	struct gputm__block *b = &f->block[block];
	uint64_t pc = b->pc;

	if (!b->parked || b->parked != b->live)
		return;
	b->parked = 0;
	b->pc = 0;
	f->barriers++;
	gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_RELEASE, block, pc, 0, 0);
	for (uint32_t w = 0; w < f->config.warps; w++) {
		uint64_t mask = f->block_of[w] == block ? f->warp[w].parked : 0;
		uint8_t home[LANES_MAX];

		if (!mask)
			continue;
		f->warp[w].parked = 0;
		memset(home, (int)w, sizeof(home));
		deliver(f, mask, home, pc);
	}
}

int gputm_warp_former_barrier(struct gputm_warp_former *f, uint32_t slot, uint64_t next_pc)
{
	uint8_t home[LANES_MAX];
	uint64_t mask;
	int error = find_flying(f, slot);

	if (error)
		return error;
	if (next_pc > f->pc_max)
		return gputm__out_of_range(&f->unit, "next PC", next_pc, 0, f->pc_max);
	for (uint64_t m = f->pool[slot].mask; m; m &= m - 1) {
		uint32_t b = f->block_of[gputm__pool_home(f, slot)[gputm__lowest(m)]];

		if (f->block[b].parked && f->block[b].pc != next_pc)
			return gputm__refuse(&f->unit, "next PC = %llu, block %u waits for %llu",
					     (unsigned long long)next_pc, b,
					     (unsigned long long)f->block[b].pc);
	}
	mask = take_back(f, slot, home);
	for (uint64_t m = mask; m; m &= m - 1) {
		uint32_t w = home[gputm__lowest(m)], b = f->block_of[w];

		f->warp[w].parked |= m & -m;
		f->block[b].parked++;
		f->block[b].pc = next_pc;
	}
	for (uint64_t m = mask; m; m &= m - 1)
		maybe_release(f, f->block_of[home[gputm__lowest(m)]]);
	return 0;
}

int gputm_warp_former_exit(struct gputm_warp_former *f, uint32_t slot, uint64_t lanes)
{
	struct gputm__pool_warp *w;
	uint8_t home[LANES_MAX];
	int error = find_flying(f, slot);

	if (error)
		return error;
	w = &f->pool[slot];
	if (!lanes || (lanes & ~w->mask))
		return gputm__refuse(&f->unit, "lanes = 0x%llx is empty or not within 0x%llx",
				     (unsigned long long)lanes, (unsigned long long)w->mask);
	memcpy(home, gputm__pool_home(f, slot), f->config.lanes);
	for (uint64_t m = lanes; m; m &= m - 1) {
		uint32_t lane = gputm__lowest(m);

		f->warp[home[lane]].live &= ~(m & -m);
		f->block[f->block_of[home[lane]]].live--;
		f->live--;
		f->threads_ended++;
	}
	gputm__former_count(f, w->mask, UINT32_MAX);
	w->mask &= ~lanes;
	gputm__former_count(f, w->mask, 1);
	gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_EXIT, slot, lanes, 0, 0);
	if (!w->mask) {
		f->in_flight--;
		f->returned++;
		free_slot(f, slot);
	}
	for (uint64_t m = lanes; m; m &= m - 1) {
		maybe_restore(f, home[gputm__lowest(m)]);
		maybe_release(f, f->block_of[home[gputm__lowest(m)]]);
	}
	return f->live ? GPUTM_WARP_FORMER_OK : GPUTM_WARP_FORMER_FINISH;
}

/* ---- looking ---- */

uint32_t gputm_warp_former_waiting(const struct gputm_warp_former *f, uint64_t pc)
{
	const struct gputm__lut_entry *e = find_pc(f, pc);

	return e ? e->threads : 0;
}

uint32_t gputm_warp_former_in_flight(const struct gputm_warp_former *f)
{
	return f->in_flight;
}

uint32_t gputm_warp_former_live(const struct gputm_warp_former *f)
{
	return f->live;
}

bool gputm_warp_former_warp(const struct gputm_warp_former *f, uint32_t slot,
			    struct gputm_warp_former_warp *out, bool *in_flight)
{
	if (slot >= f->slots || f->pool[slot].state == GPUTM__POOL_FREE)
		return false;
	describe(f, slot, out);
	*in_flight = f->pool[slot].state == GPUTM__POOL_IN_FLIGHT;
	return true;
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
