/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The common face of dynamic warp formation: parameters, statistics, storage, snapshots and
 * the invariants W1 to W5, which stand in warp_former.c.
 */
#include "lib/compaction/warp_former-priv.h"

#define UNIT warp_former

static const struct gputm_param rows[] = {
	PARAM(lanes, 1, LANES_MAX, 32, false, "Lanes of a warp.", "thesis 2.4"),
	PARAM(warps, 1, WARPS_MAX, 48, false, "Static warps of the core.", "thesis Table 3.2"),
	PARAM(block_warps, 1, WARPS_MAX, 48, false,
	      "Static warps of a block: blocks start at multiples of it.", ""),
	PARAM(pc_bits, 1, 64, 32, false, "Width of a program counter, bits.", ""),
	PARAM(warp_barrier, 0, 1, 0, false, "Keep static warps whole outside divergent code.",
	      "thesis 3.2.1"),
	PARAM(hold_partial, 0, 1, 1, false,
	      "A warp waits while threads in flight could still join it.", ""),
};

static const struct gputm_preset presets[] = {
	{ "dwf",
	  "Thesis 2.4: dynamic warp formation with the majority policy.",
	  { { "lanes", 32 }, { "warps", 48 }, { "warp_barrier", 0 }, { "hold_partial", 0 } } },
	{ "dwf-wb",
	  "Thesis 3.2.1: the same with the warp barrier.",
	  { { "lanes", 32 }, { "warps", 48 }, { "warp_barrier", 1 }, { "hold_partial", 0 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(formed, COUNTER, "warps", "Warps made in the pool."),
	STAT(issued, COUNTER, "warps", "Warps issued."),
	STAT(returned, COUNTER, "warps", "Warps that came back, or whose threads all ended."),
	STAT(threads_issued, COUNTER, "threads", "Threads of the warps issued."),
	STAT(width, HISTOGRAM, "threads", "Threads of a warp, by the warps issued."),
	STAT(threads_merged, COUNTER, "threads", "Threads that joined a waiting warp."),
	STAT(max_pool, MAXIMUM, "warps", "Most warps in the pool, those in flight included."),
	STAT(max_pcs, MAXIMUM, "PCs", "Most entries of the LUT."),
	STAT(threads_launched, COUNTER, "threads", "Threads launched."),
	STAT(threads_ended, COUNTER, "threads", "Threads that have ended."),
	STAT(diverged, COUNTER, "warps", "Static warps that diverged: warp barriers made."),
	STAT(restored, COUNTER, "warps", "Static warps restored at their barriers."),
	STAT(ended_diverged, COUNTER, "warps", "Static warps that ended in divergent code."),
	STAT(barriers, COUNTER, "barriers", "Barriers of a block passed."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_WARP_FORMER_EVENT_LAUNCH, "launch", "A static warp begins.",
	      VALUE(warp, "warp", "The static warp."),
	      VALUE(pc, "PC", "Where the warp begins."),
	      VALUE(lanes, "lane mask", "Lanes of the warp.")),
	EVENT(GPUTM_WARP_FORMER_EVENT_ISSUE, "issue", "A warp of the pool issues an instruction.",
	      VALUE(slot, "slot", "Pool slot of the warp."),
	      VALUE(pc, "PC", "PC of the warp."),
	      VALUE(lanes, "lane mask", "Lanes of the warp."),
	      VALUE(threads, "threads", "All threads that wait at the PC.")),
	EVENT(GPUTM_WARP_FORMER_EVENT_RETURN, "return", "A warp has come back from the pipeline.",
	      VALUE(slot, "slot", "Pool slot of the warp."),
	      VALUE(lanes, "lane mask", "Lanes of the warp.")),
	EVENT(GPUTM_WARP_FORMER_EVENT_MERGE, "merge", "Threads have joined a warp of the pool.",
	      VALUE(slot, "slot", "Pool slot of the warp."),
	      VALUE(pc, "PC", "PC of the warp."),
	      VALUE(lanes, "lane mask", "Lanes that the threads take.")),
	EVENT(GPUTM_WARP_FORMER_EVENT_DIVERGE, "diverge", "A static warp has parted.",
	      VALUE(warp, "warp", "The static warp."),
	      VALUE(rpc, "PC", "Where the warp will be whole again.")),
	EVENT(GPUTM_WARP_FORMER_EVENT_RESTORE, "restore", "A static warp is whole again.",
	      VALUE(warp, "warp", "The static warp."),
	      VALUE(pc, "PC", "Where the warp goes on."),
	      VALUE(lanes, "lane mask", "Lanes of the warp.")),
	EVENT(GPUTM_WARP_FORMER_EVENT_EXIT, "exit", "Threads of a warp have ended.",
	      VALUE(slot, "slot", "Pool slot of the warp."),
	      VALUE(lanes, "lane mask", "Lanes of the threads.")),
	EVENT(GPUTM_WARP_FORMER_EVENT_RELEASE, "release",
	      "All threads of a block have come to a barrier, and go on.",
	      VALUE(block, "block", "The block."),
	      VALUE(pc, "PC", "Where the threads go on.")),
};

/* ---- the common face ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_warp_former *f = (void *)unit;
	const struct gputm_warp_former_config *c = &f->config;

	f->slots = c->lanes * c->warps;
	f->words = (f->slots + 63) / 64;
	f->blocks = (c->warps + c->block_warps - 1) / c->block_warps;
	f->all = gputm__low_mask(c->lanes);
	f->pc_max = gputm__low_mask(c->pc_bits);
	if (f->pc_max == NO_PC)
		f->pc_max--;
	f->pool = gputm__own(unit, f->slots, sizeof(*f->pool));
	f->home = gputm__own(unit, f->slots, sizeof(*f->home));
	f->used = gputm__own(unit, f->words, sizeof(*f->used));
	f->warp = gputm__own(unit, c->warps, sizeof(*f->warp));
	f->block = gputm__own(unit, f->blocks, sizeof(*f->block));
	f->block_of = gputm__own(unit, c->warps, 1);
	gputm__lut_setup(unit, f->slots, &f->lut);
	if (unit->desk->starved)
		return -ENOMEM;
	for (uint32_t t = 0; t < f->slots; t++)
		f->home[t] = (uint8_t)(t / c->lanes);
	for (uint32_t w = 0; w < c->warps; w++)
		f->block_of[w] = (uint8_t)(w / c->block_warps);
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_warp_former *f = (void *)unit;

	/* A slot that a refused snapshot has left free may have an age. */
	for (uint32_t slot = 0; slot < f->slots; slot++)
		if (f->pool[slot].state != GPUTM__POOL_FREE || f->pool[slot].order)
			f->pool[slot] = (struct gputm__pool_warp){ 0 };
	memset(f->used, 0, f->words * sizeof(*f->used));
	memset(f->warp, 0, f->config.warps * sizeof(*f->warp));
	memset(f->block, 0, f->blocks * sizeof(*f->block));
	memset(f->flying, 0, sizeof(f->flying));
	f->whole = 0;
	f->some_fly = 0;
	gputm__lut_clear(&f->lut);
	for (uint32_t w = 0; w < f->config.warps; w++)
		f->warp[w].pc = NO_PC;
	f->in_use = 0;
	f->lowest_free = 0;
	f->in_flight = 0;
	f->live = 0;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_warp_former *f = (const void *)unit;
	const struct gputm_warp_former_config *c = &f->config;
	uint64_t thread = 1 + gputm__bits_for(c->warps), slot = gputm__bits_for(f->slots);

	gputm__array(out, "warp pool: PC, static warp of each thread", f->slots,
		     c->pc_bits + c->lanes * thread, 1);
	gputm__array(out, "warp LUT: PC, occupancy, pool index", f->slots,
		     c->pc_bits + c->lanes + slot, 1);
	gputm__array(out, "warp barriers: PC, lanes arrived", c->warp_barrier ? c->warps : 0,
		     UINT64_C(1) + c->pc_bits + c->lanes, 1);
	gputm__array_apart(out, "threads waiting at a PC", f->slots, slot + 1, 1);
	gputm__array_apart(out, "lanes at the barrier of their block", c->warps, c->lanes, 1);
}

/* ---- snapshots ---- */

static void io_threads(struct gputm_warp_former *f, struct gputm__io *io,
		       struct gputm__lanes *lanes)
{
	if (gputm__io_reading(io))
		memset(lanes->thread, 0xff, sizeof(lanes->thread));
	for (uint64_t m = lanes->mask; m && !io->error; m &= m - 1) {
		uint32_t lane = gputm__lowest(m);
		uint8_t home = 0;

		if (!gputm__io_reading(io))
			home = f->home[lanes->thread[lane]];
		gputm__io_u8(io, &home);
		if (home >= f->config.warps)
			gputm__io_fail(io, -EINVAL, "a thread is of no static warp");
		else
			lanes->thread[lane] = (uint16_t)(home * f->config.lanes + lane);
	}
	if (gputm__io_reading(io) && !io->error)
		lanes->home = gputm__former_home(f, lanes);
}

/* Rank of a waiting warp by age: the snapshot holds ranks, not absolute orders. */
static uint64_t age_of(const struct gputm_warp_former *f, const struct gputm__pool_warp *w)
{
	uint64_t before = 0;

	for (uint32_t slot = 0; w->state == GPUTM__POOL_WAITING && slot < f->slots; slot++)
		before += f->pool[slot].state == GPUTM__POOL_WAITING &&
			  f->pool[slot].order < w->order;
	return before;
}

static void io_pool_warp(struct gputm_warp_former *f, struct gputm__io *io, uint32_t *slot)
{
	struct gputm__pool_warp *w;
	uint64_t order;

	gputm__io_u32_max(io, slot, f->slots - 1, "slot");
	if (io->error)
		return;
	w = &f->pool[*slot];
	gputm__io_u64_max(io, &w->pc, f->pc_max, "PC of a warp");
	gputm__io_u64_max(io, &w->lanes.mask, f->all, "lanes of a warp");
	order = gputm__io_reading(io) ? 0 : age_of(f, w);
	gputm__io_u64_max(io, &order, f->slots - 1, "age of a warp");
	if (gputm__io_reading(io))
		w->order = order;
	gputm__io_u32_max(io, &w->state, GPUTM__POOL_IN_FLIGHT, "state of a warp");
	io_threads(f, io, &w->lanes);
}

/* The slots in use, in ascending order. */
static void io_pool(struct gputm_warp_former *f, struct gputm__io *io)
{
	uint32_t count = f->in_use, slot = 0, before = 0;

	gputm__io_u32_max(io, &count, f->slots, "warps of the pool");
	for (uint32_t i = 0; i < count && !io->error; i++, before = slot, slot++) {
		while (!gputm__io_reading(io) && !(f->used[slot / 64] >> (slot & 63) & 1))
			slot++;
		io_pool_warp(f, io, &slot);
		if (io->error || !gputm__io_reading(io))
			continue;
		if ((i && slot <= before) || !f->pool[slot].state || !f->pool[slot].lanes.mask)
			gputm__io_fail(io, -EINVAL, "the warps of the pool are not in order");
		f->used[slot / 64] |= UINT64_C(1) << (slot & 63);
	}
	f->in_use = count;
}

static void io_warps(struct gputm_warp_former *f, struct gputm__io *io)
{
	for (uint32_t w = 0; w < f->config.warps && !io->error; w++) {
		struct gputm__static_warp *s = &f->warp[w];

		gputm__io_u64_max(io, &s->live, f->all, "live lanes");
		gputm__io_u64_max(io, &s->parked, s->live, "lanes at a block barrier");
		gputm__io_bool(io, &s->diverged);
		if (!s->diverged)
			continue;
		gputm__io_u64_max(io, &s->arrived, s->live, "lanes at a warp barrier");
		gputm__io_u64(io, &s->pc);
	}
	for (uint32_t b = 0; b < f->blocks; b++)
		gputm__io_u64(io, &f->block[b].pc);
}

/* The oldest waiting warp younger than `order`, or NO_SLOT. */
static uint32_t next_by_age(const struct gputm_warp_former *f, uint64_t order)
{
	uint32_t best = NO_SLOT;

	for (uint32_t i = 0; i < f->slots; i++)
		if (f->pool[i].state == GPUTM__POOL_WAITING && f->pool[i].order >= order &&
		    (best == NO_SLOT || f->pool[i].order < f->pool[best].order))
			best = i;
	return best;
}

/* Derive the LUT and the counts from the pool. */
static void derive(struct gputm_warp_former *f)
{
	uint64_t max_pcs = f->max_pcs;
	uint32_t slot = next_by_age(f, 0);

	while (f->lowest_free < f->slots && f->pool[f->lowest_free].state)
		f->lowest_free++;
	while (slot != NO_SLOT) {
		gputm__former_queue(f, slot);
		slot = next_by_age(f, f->pool[slot].order + 1);
	}
	f->max_pcs = max_pcs;
	for (uint32_t i = 0; i < f->slots; i++) {
		if (f->pool[i].state != GPUTM__POOL_IN_FLIGHT)
			continue;
		f->in_flight++;
		gputm__former_take_off(f, f->pool[i].lanes.mask);
	}
	for (uint32_t w = 0; w < f->config.warps; w++) {
		f->live += gputm__popcount(f->warp[w].live);
		f->block[f->block_of[w]].live += gputm__popcount(f->warp[w].live);
		f->block[f->block_of[w]].parked += gputm__popcount(f->warp[w].parked);
	}
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_warp_former *f = (void *)unit;

	io_warps(f, io);
	io_pool(f, io);
	if (gputm__io_reading(io))
		f->next_order = f->slots;
	for (uint32_t slot = 0; gputm__io_reading(io) && slot < f->slots && !io->error; slot++)
		if (f->pool[slot].order != age_of(f, &f->pool[slot]))
			gputm__io_fail(io, -EINVAL, "the ages of warps are not those of a queue");
	if (gputm__io_reading(io) && !io->error)
		derive(f);
}

/* ---- invariants ---- */

/* W1: add a place's lanes of a static warp to the lanes seen; false if they are there already. */
static bool see(uint64_t *seen, uint64_t lanes)
{
	bool twice = *seen & lanes;

	*seen |= lanes;
	return !twice;
}

static const char *check_pool_warp(const struct gputm_warp_former *f, uint32_t slot,
				   uint64_t seen[])
{
	const struct gputm__pool_warp *w = &f->pool[slot];
	uint16_t first = w->lanes.thread[gputm__lowest(w->lanes.mask)];
	bool open = gputm__former_is_open(f, &w->lanes);

	for (uint64_t m = w->lanes.mask; m; m &= m - 1) {
		uint16_t thread = w->lanes.thread[gputm__lowest(m)];
		uint32_t home = f->home[thread];

		if (!see(&seen[home], m & -m))
			return "W1: a thread is in two places";
		if (f->warp[home].pc == w->pc)
			return "W3: a thread is at its warp barrier and in the pool";
		if (f->warp[home].diverged != f->warp[f->home[first]].diverged ||
		    (!open && home != f->home[first]))
			return "W2: a whole static warp has been joined";
	}
	if (!open && w->lanes.mask != f->warp[f->home[first]].live)
		return "W2: a static warp that has not diverged is not whole";
	if (w->state == GPUTM__POOL_WAITING ? w->order >= f->next_order : w->order != 0)
		return "W4: the age of a warp exceeds the number of warps made";
	return NULL;
}

/* W4 for one PC; adds its waiting warps to the sum. */
static bool check_queue(const struct gputm_warp_former *f, uint32_t rank, uint32_t *queued)
{
	uint32_t slot = f->lut.entry[rank].first, next;

	if (!gputm__lut_threads(&f->lut, rank))
		return true;
	for (; slot != NO_SLOT; slot = next) {
		next = f->pool[slot].next;
		(*queued)++;
		if (next != NO_SLOT && f->pool[next].order <= f->pool[slot].order)
			return false;
	}
	return true;
}

static const char *check_pool(const struct gputm_warp_former *f, uint64_t seen[])
{
	uint32_t waiting = 0, in_flight = 0, queued = 0;

	for (uint32_t slot = 0; slot < f->slots; slot++) {
		const char *broken;

		if (f->pool[slot].state == GPUTM__POOL_FREE)
			continue;
		broken = check_pool_warp(f, slot, seen);
		if (broken)
			return broken;
		waiting += f->pool[slot].state == GPUTM__POOL_WAITING;
		in_flight += f->pool[slot].state == GPUTM__POOL_IN_FLIGHT;
	}
	for (uint32_t i = 0; i < f->lut.known; i++)
		if (!check_queue(f, i, &queued))
			return "W4: the waiting warps are not in the order of their age";
	if (queued != waiting)
		return "W4: two waiting warps have the same age";
	if (in_flight != f->in_flight || waiting + in_flight != f->in_use)
		return "W5: the warps of the pool differ from those waiting + those in flight";
	return NULL;
}

static const char *check_warps(const struct gputm_warp_former *f, uint64_t seen[])
{
	for (uint32_t w = 0; w < f->config.warps; w++) {
		const struct gputm__static_warp *s = &f->warp[w];

		if (!see(&seen[w], s->arrived) || !see(&seen[w], s->parked) || seen[w] != s->live)
			return "W1: a live thread is in no place, or in two";
		if (s->diverged && (!f->config.warp_barrier || !s->live || s->arrived == s->live))
			return "W2: a static warp is marked as diverged and is whole";
		if (s->pc > f->pc_max && (s->pc != NO_PC || s->arrived))
			return "W3: a warp barrier has no PC";
		if (f->config.warp_barrier && !s->diverged && s->parked && s->parked != s->live)
			return "W2: a static warp that has not diverged is not whole";
	}
	for (uint32_t b = 0; b < f->blocks; b++) {
		if (f->block[b].parked && f->block[b].parked == f->block[b].live)
			return "W3: all threads of a block wait at its barrier and none was "
			       "released";
		if (f->block[b].pc > f->pc_max || (!f->block[b].parked && f->block[b].pc))
			return "W3: a barrier of a block has no PC";
	}
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_warp_former *f = (const void *)unit;
	uint64_t seen[WARPS_MAX] = { 0 };
	const char *broken = check_pool(f, seen);

	if (!broken)
		broken = check_warps(f, seen);
	if (!broken && (f->width.samples != f->issued || f->threads_issued < f->issued))
		broken = "W5: the widths are not those of the warps issued";
	return broken;
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_warp_former *f = (const void *)unit;
	uint64_t diverged = 0;

	for (uint32_t w = 0; w < f->config.warps; w++)
		diverged += f->warp[w].diverged;
	gputm__law(laws, f->formed, f->issued + f->in_use - f->in_flight,
		   "W5: warps formed are not issued and waiting");
	gputm__law(laws, f->issued, f->returned + f->in_flight,
		   "W5: warps issued are not back and in flight");
	gputm__law(laws, f->diverged, f->restored + f->ended_diverged + diverged,
		   "W5: diverged is not restored + ended + those diverged now");
	gputm__law(laws, f->threads_launched, f->threads_ended + f->live,
		   "W5: launched threads are not ended + live ones");
	gputm__law_most(laws, &f->max_pool, f->in_use, f->slots,
			"W5: max_pool is not between the warps that there are and the slots");
	gputm__law_most(laws, &f->max_pcs, f->lut.used, f->slots,
			"W5: max_pcs is not between the PCs that there are and the slots");
}

GPUTM__UNIT(warp_former, .version = 2, .setup = setup, .laws = laws)
