/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_WARP_FORMER_H
#define GPUTM_TESTS_ORACLE_WARP_FORMER_H
#include "tests/oracle/stats.h"

#define ORACLE_FORMER_THREADS 64
#define ORACLE_WARP_FORMER_STATS                                                               \
	formed, issued, returned, threads_issued, width[GPUTM_HISTOGRAM_BUCKETS],              \
		threads_merged, max_pool, max_pcs, threads_launched, threads_ended, diverged,  \
		restored, ended_diverged, barriers

enum oracle_former_place {
	ORACLE_FORMER_ENDED,
	ORACLE_FORMER_IN_POOL,
	ORACLE_FORMER_AT_WARP_BARRIER,
	ORACLE_FORMER_AT_BLOCK_BARRIER,
};

struct oracle_former_warp {
	bool used, flying;
	uint64_t pc, age;
	int thread[64]; /* per lane, -1 without one */
};

/* Thread by thread; warps are looked for one after the other. */
struct oracle_warp_former {
	unsigned lanes, warps, block_warps;
	bool warp_barrier, hold;
	uint64_t pc_max, age;
	struct oracle_former_warp pool[ORACLE_FORMER_THREADS];
	enum oracle_former_place place[ORACLE_FORMER_THREADS];
	bool diverged[ORACLE_FORMER_THREADS];	 /* static warps */
	uint64_t barrier[ORACLE_FORMER_THREADS]; /* PCs of their warp barriers */
	uint64_t block_pc[ORACLE_FORMER_THREADS];
	ORACLE_STATS(ORACLE_WARP_FORMER_STATS) stats;
};

/* Each function of a step gives what the unit should answer, and takes the step. */

static unsigned threads(const struct oracle_warp_former *o)
{
	return o->lanes * o->warps;
}

static bool is_open(const struct oracle_warp_former *o, unsigned thread)
{
	return !o->warp_barrier || o->diverged[thread / o->lanes];
}

static unsigned live_of(const struct oracle_warp_former *o, unsigned from, unsigned to)
{
	unsigned live = 0;

	for (unsigned t = from; t < to && t < threads(o); t++)
		live += o->place[t] != ORACLE_FORMER_ENDED;
	return live;
}

static uint64_t oracle_former_mask(const struct oracle_warp_former *o, unsigned slot)
{
	uint64_t mask = 0;

	for (unsigned lane = 0; lane < o->lanes; lane++)
		if (slot < threads(o) && o->pool[slot].used && o->pool[slot].thread[lane] >= 0)
			mask |= UINT64_C(1) << lane;
	return mask;
}

static int any_thread(const struct oracle_warp_former *o, const int thread[])
{
	for (unsigned lane = 0; lane < o->lanes; lane++)
		if (thread[lane] >= 0)
			return thread[lane];
	return -1;
}

/* The youngest warp that waits at pc and may be joined. */
static struct oracle_former_warp *joinable(struct oracle_warp_former *o, uint64_t pc)
{
	struct oracle_former_warp *best = NULL;

	for (unsigned i = 0; i < threads(o); i++) {
		struct oracle_former_warp *w = &o->pool[i];

		if (w->used && !w->flying && w->pc == pc &&
		    is_open(o, (unsigned)any_thread(o, w->thread)) && (!best || w->age > best->age))
			best = w;
	}
	return best;
}

/* Warps in the pool, and PCs that threads wait at. */
static void count_pool(struct oracle_warp_former *o)
{
	uint64_t used = 0, pcs = 0;

	for (unsigned i = 0; i < threads(o); i++) {
		bool first = o->pool[i].used && !o->pool[i].flying;

		for (unsigned j = 0; j < i; j++)
			first &= !o->pool[j].used || o->pool[j].flying ||
				 o->pool[j].pc != o->pool[i].pc;
		used += o->pool[i].used;
		pcs += first;
	}
	oracle_most(&o->stats.max_pool, used);
	oracle_most(&o->stats.max_pcs, pcs);
}

static void insert(struct oracle_warp_former *o, int thread[], uint64_t pc)
{
	int first = any_thread(o, thread);
	struct oracle_former_warp *w;
	unsigned slot = 0;

	if (first < 0)
		return;
	w = is_open(o, (unsigned)first) ? joinable(o, pc) : NULL;
	for (unsigned lane = 0; w && lane < o->lanes; lane++) {
		if (thread[lane] < 0 || w->thread[lane] >= 0)
			continue;
		w->thread[lane] = thread[lane];
		thread[lane] = -1;
		o->stats.threads_merged++;
	}
	if (any_thread(o, thread) < 0)
		return;
	while (o->pool[slot].used)
		slot++;
	w = &o->pool[slot];
	w->used = true;
	w->flying = false;
	w->pc = pc;
	w->age = o->age++;
	for (unsigned lane = 0; lane < 64; lane++)
		w->thread[lane] = lane < o->lanes ? thread[lane] : -1;
	o->stats.formed++;
	count_pool(o);
}

static void maybe_restore(struct oracle_warp_former *o, unsigned warp)
{
	unsigned from = warp * o->lanes;
	int thread[64];

	if (!o->diverged[warp])
		return;
	for (unsigned t = from; t < from + o->lanes; t++)
		if (o->place[t] == ORACLE_FORMER_IN_POOL ||
		    o->place[t] == ORACLE_FORMER_AT_BLOCK_BARRIER)
			return;
	o->diverged[warp] = false;
	for (unsigned lane = 0; lane < o->lanes; lane++) {
		thread[lane] = -1;
		if (o->place[from + lane] != ORACLE_FORMER_AT_WARP_BARRIER)
			continue;
		o->place[from + lane] = ORACLE_FORMER_IN_POOL;
		thread[lane] = (int)(from + lane);
	}
	++*(any_thread(o, thread) < 0 ? &o->stats.ended_diverged : &o->stats.restored);
	insert(o, thread, o->barrier[warp]);
}

static void deliver(struct oracle_warp_former *o, const int from[], uint64_t pc)
{
	int go_on[64], come[64];

	for (unsigned lane = 0; lane < o->lanes; lane++) {
		int t = from[lane];
		bool here = t >= 0 && o->diverged[(unsigned)t / o->lanes] &&
			    o->barrier[(unsigned)t / o->lanes] == pc;

		go_on[lane] = here ? -1 : t;
		come[lane] = here ? t : -1;
		if (t >= 0)
			o->place[t] = here ? ORACLE_FORMER_AT_WARP_BARRIER :
					     ORACLE_FORMER_IN_POOL;
	}
	insert(o, go_on, pc);
	for (unsigned lane = 0; lane < o->lanes; lane++)
		if (come[lane] >= 0)
			maybe_restore(o, (unsigned)come[lane] / o->lanes);
}

static int oracle_former_launch(struct oracle_warp_former *o, unsigned warp, uint64_t mask,
				uint64_t pc)
{
	int thread[64];

	if (warp >= o->warps)
		return -ERANGE;
	if (!mask || mask >> o->lanes || live_of(o, warp * o->lanes, (warp + 1) * o->lanes))
		return -EINVAL;
	if (pc > o->pc_max)
		return -ERANGE;
	for (unsigned lane = 0; lane < o->lanes; lane++)
		thread[lane] = mask >> lane & 1 ? (int)(warp * o->lanes + lane) : -1;
	for (unsigned lane = 0; lane < o->lanes; lane++)
		o->stats.threads_launched += thread[lane] >= 0;
	deliver(o, thread, pc);
	return 0;
}

static unsigned waiting_at(const struct oracle_warp_former *o, uint64_t pc)
{
	unsigned count = 0;

	for (unsigned i = 0; i < threads(o); i++)
		for (unsigned lane = 0; lane < o->lanes; lane++)
			count += o->pool[i].used && !o->pool[i].flying && o->pool[i].pc == pc &&
				 o->pool[i].thread[lane] >= 0;
	return count;
}

static bool oldest_there(const struct oracle_warp_former *o, unsigned slot)
{
	for (unsigned i = 0; i < threads(o); i++)
		if (o->pool[i].used && !o->pool[i].flying && o->pool[i].pc == o->pool[slot].pc &&
		    o->pool[i].age < o->pool[slot].age)
			return false;
	return true;
}

static bool held(struct oracle_warp_former *o, unsigned slot)
{
	const struct oracle_former_warp *w = &o->pool[slot];

	if (!o->hold || joinable(o, w->pc) != w)
		return false;
	for (unsigned i = 0; i < threads(o); i++)
		for (unsigned lane = 0; lane < o->lanes; lane++)
			if (o->pool[i].used && o->pool[i].flying &&
			    o->pool[i].thread[lane] >= 0 && w->thread[lane] < 0)
				return true;
	return false;
}

static int oracle_former_pop(struct oracle_warp_former *o, unsigned *slot)
{
	int result = GPUTM_WARP_FORMER_EMPTY, best = -1;
	unsigned wide = 0;

	for (unsigned i = 0; i < threads(o); i++) {
		unsigned here, there;

		if (!o->pool[i].used || o->pool[i].flying || !oldest_there(o, i))
			continue;
		if (best < 0)
			result = GPUTM_WARP_FORMER_HELD;
		if (held(o, i))
			continue;
		here = waiting_at(o, o->pool[i].pc);
		there = best < 0 ? 0 : waiting_at(o, o->pool[best].pc);
		if (here > there || (here == there && o->pool[i].pc < o->pool[best].pc))
			best = (int)i;
	}
	if (best < 0)
		return result;
	o->pool[best].flying = true;
	*slot = (unsigned)best;
	for (unsigned lane = 0; lane < o->lanes; lane++)
		wide += o->pool[best].thread[lane] >= 0;
	o->stats.issued++;
	o->stats.threads_issued += wide;
	oracle_sample(o->stats.width, wide);
	return GPUTM_WARP_FORMER_OK;
}

static bool flies(const struct oracle_warp_former *o, unsigned slot)
{
	return slot < threads(o) && o->pool[slot].used && o->pool[slot].flying;
}

static int oracle_former_advance(struct oracle_warp_former *o, unsigned slot, uint64_t pc)
{
	if (!flies(o, slot))
		return -EINVAL;
	if (pc > o->pc_max)
		return -ERANGE;
	o->pool[slot].used = false;
	o->stats.returned++;
	deliver(o, o->pool[slot].thread, pc);
	return 0;
}

static int oracle_former_branch(struct oracle_warp_former *o, unsigned slot, uint64_t taken,
				const struct gputm_warp_former_target *target)
{
	uint64_t mask = oracle_former_mask(o, slot);
	int yes[64], no[64];

	if (!flies(o, slot) || (taken & ~mask))
		return -EINVAL;
	if (target->taken_pc > o->pc_max || target->other_pc > o->pc_max ||
	    (target->rpc > o->pc_max && target->rpc != GPUTM_WARP_FORMER_NO_PC))
		return -ERANGE;
	if (target->taken_pc == target->other_pc)
		return oracle_former_advance(o, slot, target->taken_pc);
	for (unsigned lane = 0; lane < o->lanes; lane++) {
		int t = o->pool[slot].thread[lane];

		yes[lane] = taken >> lane & 1 ? t : -1;
		no[lane] = taken >> lane & 1 ? -1 : t;
		if (!o->warp_barrier || !taken || taken == mask || t < 0 ||
		    o->diverged[(unsigned)t / o->lanes])
			continue;
		o->diverged[(unsigned)t / o->lanes] = true;
		o->stats.diverged++;
		o->barrier[(unsigned)t / o->lanes] = target->rpc;
	}
	o->pool[slot].used = false;
	o->stats.returned++;
	deliver(o, yes, target->taken_pc);
	deliver(o, no, target->other_pc);
	return 0;
}

static void maybe_release(struct oracle_warp_former *o, unsigned block)
{
	unsigned from = block * o->block_warps * o->lanes, to = from + o->block_warps * o->lanes;
	unsigned parked = 0;

	for (unsigned t = from; t < to && t < threads(o); t++)
		parked += o->place[t] == ORACLE_FORMER_AT_BLOCK_BARRIER;
	if (!parked || parked != live_of(o, from, to))
		return;
	o->stats.barriers++;
	for (unsigned first = from; first < to && first < threads(o); first += o->lanes) {
		int thread[64];

		for (unsigned lane = 0; lane < o->lanes; lane++)
			thread[lane] = o->place[first + lane] == ORACLE_FORMER_AT_BLOCK_BARRIER ?
					       (int)(first + lane) :
					       -1;
		deliver(o, thread, o->block_pc[block]);
	}
}

static unsigned block_of(const struct oracle_warp_former *o, unsigned thread)
{
	return thread / o->lanes / o->block_warps;
}

static int oracle_former_barrier(struct oracle_warp_former *o, unsigned slot, uint64_t pc)
{
	int parked[64];

	if (!flies(o, slot))
		return -EINVAL;
	if (pc > o->pc_max)
		return -ERANGE;
	for (unsigned lane = 0; lane < o->lanes; lane++)
		for (unsigned t = 0; t < threads(o); t++)
			if (o->pool[slot].thread[lane] >= 0 &&
			    o->place[t] == ORACLE_FORMER_AT_BLOCK_BARRIER &&
			    block_of(o, t) == block_of(o, (unsigned)o->pool[slot].thread[lane]) &&
			    o->block_pc[block_of(o, t)] != pc)
				return -EINVAL;
	o->pool[slot].used = false;
	o->stats.returned++;
	for (unsigned lane = 0; lane < o->lanes; lane++) {
		parked[lane] = o->pool[slot].thread[lane];
		if (parked[lane] < 0)
			continue;
		o->place[parked[lane]] = ORACLE_FORMER_AT_BLOCK_BARRIER;
		o->block_pc[block_of(o, (unsigned)parked[lane])] = pc;
	}
	for (unsigned lane = 0; lane < o->lanes; lane++)
		if (parked[lane] >= 0)
			maybe_release(o, block_of(o, (unsigned)parked[lane]));
	return 0;
}

static int oracle_former_exit(struct oracle_warp_former *o, unsigned slot, uint64_t lanes)
{
	int ended[64];

	if (!flies(o, slot) || !lanes || (lanes & ~oracle_former_mask(o, slot)))
		return -EINVAL;
	for (unsigned lane = 0; lane < o->lanes; lane++) {
		ended[lane] = lanes >> lane & 1 ? o->pool[slot].thread[lane] : -1;
		if (ended[lane] < 0)
			continue;
		o->stats.threads_ended++;
		o->place[ended[lane]] = ORACLE_FORMER_ENDED;
		o->pool[slot].thread[lane] = -1;
	}
	o->pool[slot].used = any_thread(o, o->pool[slot].thread) >= 0;
	o->stats.returned += !o->pool[slot].used;
	for (unsigned lane = 0; lane < o->lanes; lane++) {
		if (ended[lane] < 0)
			continue;
		maybe_restore(o, (unsigned)ended[lane] / o->lanes);
		maybe_release(o, block_of(o, (unsigned)ended[lane]));
	}
	return live_of(o, 0, threads(o)) ? GPUTM_WARP_FORMER_OK : GPUTM_WARP_FORMER_FINISH;
}

static bool is_at_home(const struct oracle_warp_former *o, unsigned slot, unsigned home)
{
	for (unsigned lane = 0; lane < o->lanes; lane++)
		if (o->pool[slot].thread[lane] >= 0 &&
		    (unsigned)o->pool[slot].thread[lane] / o->lanes != home)
			return false;
	return true;
}

static const char *compare_pool(const struct oracle_warp_former *o,
				const struct gputm_warp_former *former)
{
	unsigned in_flight = 0;

	for (unsigned i = 0; i <= threads(o); i++) {
		const struct oracle_former_warp *w = &o->pool[i];
		struct gputm_warp_former_warp seen;
		bool flying;

		if ((gputm_warp_former_get_warp(former, i, &seen, &flying) > 0) !=
		    (i < threads(o) && w->used))
			return "slots in use";
		if (i == threads(o) || !w->used)
			continue;
		in_flight += w->flying;
		if (flying != w->flying || seen.pc != w->pc ||
		    seen.mask != oracle_former_mask(o, i) || seen.slot != i)
			return "a warp of the pool";
		for (unsigned lane = 0; lane < 64; lane++)
			if (seen.thread[lane] !=
			    (lane < o->lanes ? (uint16_t)w->thread[lane] : UINT16_MAX))
				return "threads of a warp";
		for (unsigned home = 0; home < o->warps; home++)
			if ((seen.home == home) != is_at_home(o, i, home))
				return "static warp of a warp";
		if (gputm_warp_former_waiting(former, w->pc) != waiting_at(o, w->pc))
			return "threads that wait at a PC";
	}
	return gputm_warp_former_in_flight(former) == in_flight ? NULL : "warps in flight";
}

/* NULL, or what differs from what can be seen of the unit. */
static const char *oracle_former_compare(const struct oracle_warp_former *o,
					 const struct gputm_warp_former *former)
{
	if (gputm_warp_former_live(former) != live_of(o, 0, threads(o)))
		return "live threads";
	for (unsigned w = 0; w < o->warps; w++) {
		uint64_t wb = 0, bb = 0, mask, pc;

		for (unsigned lane = 0; lane < o->lanes; lane++) {
			enum oracle_former_place place = o->place[w * o->lanes + lane];

			wb |= (uint64_t)(place == ORACLE_FORMER_AT_WARP_BARRIER) << lane;
			bb |= (uint64_t)(place == ORACLE_FORMER_AT_BLOCK_BARRIER) << lane;
		}
		if (!gputm_warp_former_at_warp_barrier(former, w, &mask, &pc) || mask != wb ||
		    pc != (o->diverged[w] ? o->barrier[w] : GPUTM_WARP_FORMER_NO_PC))
			return "a warp barrier";
		if (gputm_warp_former_at_block_barrier(former, w) != bb)
			return "a barrier of a block";
	}
	return compare_pool(o, former);
}

#endif
