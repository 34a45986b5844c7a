/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the threads of dynamic warps come from, part, wait for their block and end: launch,
 * branches, barriers, exit.
 */
#include "lib/compaction/warp_former-priv.h"

/* ---- in and out ---- */

int gputm_warp_former_launch(struct gputm_warp_former *f, uint32_t warp, uint64_t mask,
			     uint64_t pc)
{
	uint32_t threads = gputm__popcount(mask);
	struct gputm__lanes lanes;

	if (warp >= f->config.warps)
		return gputm__out_of_range(&f->unit, "warp", warp, 0, f->config.warps - 1);
	if (!mask || (mask & ~f->all))
		return gputm__refuse(&f->unit, "mask = 0x%llx is empty or not within 0x%llx",
				     (unsigned long long)mask, (unsigned long long)f->all);
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
	gputm__former_static_lanes(f, warp, mask, &lanes);
	gputm__former_insert(f, &lanes, pc);
	return 0;
}

/* The threads of a warp take two ways: mark its whole static warps as diverged. */
static void part(struct gputm_warp_former *f, const struct gputm__lanes *lanes, uint64_t rpc)
{
	for (uint64_t m = lanes->mask; m; m &= m - 1) {
		uint32_t warp = f->home[lanes->thread[gputm__lowest(m)]];
		struct gputm__static_warp *s = &f->warp[warp];

		if (s->diverged)
			continue;
		s->diverged = true;
		s->pc = rpc;
		f->diverged++;
		gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_DIVERGE, warp, rpc, 0, 0);
	}
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

/* The threads of a returned warp proceed at two PCs. */
static void divide(struct gputm_warp_former *f, const struct gputm__lanes *lanes, uint64_t taken,
		   const struct gputm_warp_former_target *target)
{
	struct gputm__lanes yes, no;

	if (f->config.warp_barrier)
		part(f, lanes, target->rpc);
	gputm__former_select(f, &yes, lanes, taken);
	gputm__former_select(f, &no, lanes, lanes->mask & ~taken);
	gputm__former_deliver(f, &yes, target->taken_pc);
	gputm__former_deliver(f, &no, target->other_pc);
}

int gputm_warp_former_branch(struct gputm_warp_former *f, uint32_t slot, uint64_t taken,
			     const struct gputm_warp_former_target *target)
{
	const struct gputm__lanes *lanes;
	int error = gputm__former_find_flying(f, slot);

	if (error)
		return error;
	lanes = &f->pool[slot].lanes;
	if (taken & ~lanes->mask)
		return gputm__refuse(&f->unit, "taken = 0x%llx has lanes that are not in 0x%llx",
				     (unsigned long long)taken, (unsigned long long)lanes->mask);
	error = judge_target(f, target);
	if (error)
		return error;
	if (taken == lanes->mask || target->taken_pc == target->other_pc)
		gputm__former_go_on(f, slot, target->taken_pc);
	else if (!taken)
		gputm__former_go_on(f, slot, target->other_pc);
	else
		divide(f, gputm__former_take_back(f, slot), taken, target);
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
		struct gputm__lanes lanes;

		if (!mask)
			continue;
		f->warp[w].parked = 0;
		gputm__former_static_lanes(f, w, mask, &lanes);
		gputm__former_deliver(f, &lanes, pc);
	}
}

static uint32_t block_of(const struct gputm_warp_former *f, uint16_t thread)
{
	return f->block_of[f->home[thread]];
}

/* True if a block of these threads waits at its barrier with another next PC. */
static int judge_barrier(const struct gputm_warp_former *f, const struct gputm__lanes *lanes,
			 uint64_t next_pc)
{
	for (uint64_t m = lanes->mask; m; m &= m - 1) {
		uint32_t b = block_of(f, lanes->thread[gputm__lowest(m)]);

		if (f->block[b].parked && f->block[b].pc != next_pc)
			return gputm__refuse(&f->unit, "next PC = %llu, block %u waits for %llu",
					     (unsigned long long)next_pc, b,
					     (unsigned long long)f->block[b].pc);
	}
	return 0;
}

int gputm_warp_former_barrier(struct gputm_warp_former *f, uint32_t slot, uint64_t next_pc)
{
	struct gputm__lanes lanes;
	int error = gputm__former_find_flying(f, slot);

	if (error)
		return error;
	if (next_pc > f->pc_max)
		return gputm__out_of_range(&f->unit, "next PC", next_pc, 0, f->pc_max);
	lanes = f->pool[slot].lanes;
	error = judge_barrier(f, &lanes, next_pc);
	if (error)
		return error;
	gputm__former_take_back(f, slot);
	for (uint64_t m = lanes.mask; m; m &= m - 1) {
		uint16_t thread = lanes.thread[gputm__lowest(m)];
		struct gputm__block *b = &f->block[block_of(f, thread)];

		f->warp[f->home[thread]].parked |= m & -m;
		b->parked++;
		b->pc = next_pc;
	}
	for (uint64_t m = lanes.mask; m; m &= m - 1)
		maybe_release(f, block_of(f, lanes.thread[gputm__lowest(m)]));
	return 0;
}

static void end_threads(struct gputm_warp_former *f, const struct gputm__lanes *ended)
{
	for (uint64_t m = ended->mask; m; m &= m - 1) {
		uint16_t thread = ended->thread[gputm__lowest(m)];

		f->warp[f->home[thread]].live &= ~(m & -m);
		f->block[block_of(f, thread)].live--;
		f->live--;
		f->threads_ended++;
	}
}

int gputm_warp_former_exit(struct gputm_warp_former *f, uint32_t slot, uint64_t lanes)
{
	struct gputm__lanes ended, before;
	int error = gputm__former_find_flying(f, slot);

	if (error)
		return error;
	before = f->pool[slot].lanes;
	if (!lanes || (lanes & ~before.mask))
		return gputm__refuse(&f->unit, "lanes = 0x%llx is empty or not within 0x%llx",
				     (unsigned long long)lanes, (unsigned long long)before.mask);
	gputm__former_select(f, &ended, &before, lanes);
	gputm__former_select(f, &f->pool[slot].lanes, &before, before.mask & ~lanes);
	end_threads(f, &ended);
	gputm__former_land(f, before.mask);
	gputm__emit(&f->unit, GPUTM_WARP_FORMER_EVENT_EXIT, slot, lanes, 0, 0);
	if (lanes != before.mask) {
		gputm__former_take_off(f, before.mask & ~lanes);
	} else {
		f->in_flight--;
		f->returned++;
		gputm__former_free_slot(f, slot);
	}
	for (uint64_t m = lanes; m; m &= m - 1) {
		uint16_t thread = ended.thread[gputm__lowest(m)];

		gputm__former_restore(f, f->home[thread]);
		maybe_release(f, block_of(f, thread));
	}
	return f->live ? GPUTM_WARP_FORMER_OK : GPUTM_WARP_FORMER_FINISH;
}
