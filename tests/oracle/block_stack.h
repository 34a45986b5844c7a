/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_BLOCK_STACK_H
#define GPUTM_TESTS_ORACLE_BLOCK_STACK_H
#include "tests/oracle/stats.h"

#define ORACLE_BLOCK_THREADS 64
#define ORACLE_BLOCK_ENTRIES 72
#define ORACLE_BLOCK_STACK_STATS                                                               \
	branches, full, max_depth, pushed, reconverged, merged, emptied, replaced, tops,       \
		warps_formed, warps_admitted, warps_branched, warps_arrived, warps_ended,      \
		threads_launched, threads_ended, barriers, transactions, restarts,             \
		warps_begun, warps_committed, warps_aborted, threads_begun, threads_committed, \
		threads_aborted

/* Where a thread of the top of stack is. */
enum oracle_block_place {
	ORACLE_BLOCK_NOT_THERE,
	ORACLE_BLOCK_TO_ADMIT,
	ORACLE_BLOCK_RUNS,
	ORACLE_BLOCK_TAKEN,
	ORACLE_BLOCK_OTHER,
	ORACLE_BLOCK_ARRIVED,
};

struct oracle_block_entry {
	uint64_t pc, rpc, lpc;
	unsigned lpos;
	bool has[ORACLE_BLOCK_THREADS];
};

/* The stack thread by thread, with one flag for each thread of each entry. */
struct oracle_block_stack {
	unsigned lanes, warps, depth;
	bool compact, likely;
	uint64_t pc_max;
	struct oracle_block_entry entry[ORACLE_BLOCK_ENTRIES];
	unsigned count, top, formed, admitted;
	enum oracle_block_place place[ORACLE_BLOCK_THREADS];
	unsigned warp_of[ORACLE_BLOCK_THREADS]; /* of those that run */
	bool over[32], at_barrier[32];		/* warps of the top */
	bool branching, arriving, beginning, committing;
	unsigned retry; /* the entry R, and T above it; 0 outside a transaction */
	struct gputm_block_stack_target target;
	uint64_t way_pc;
	ORACLE_STATS(ORACLE_BLOCK_STACK_STATS) stats;
};

/* Each function of a step gives what the unit should answer, and takes the step. */

#define NO_PC GPUTM_BLOCK_STACK_NO_PC
#define NO_ENTRY GPUTM_BLOCK_STACK_NO_ENTRY

static unsigned threads(const struct oracle_block_stack *o)
{
	return o->lanes * o->warps;
}

static bool is_pc(const struct oracle_block_stack *o, uint64_t pc)
{
	return pc <= o->pc_max;
}

static unsigned oracle_block_live(const struct oracle_block_stack *o)
{
	unsigned live = 0;

	for (unsigned t = 0; t < threads(o); t++) {
		bool anywhere = false;

		for (unsigned i = 0; i < o->count; i++)
			anywhere |= o->entry[i].has[t];
		live += anywhere;
	}
	return live;
}

static uint64_t oracle_block_warp(const struct oracle_block_stack *o, unsigned warp)
{
	uint64_t lanes = 0;

	for (unsigned t = 0; t < threads(o); t++)
		if (o->place[t] == ORACLE_BLOCK_RUNS && o->warp_of[t] == warp)
			lanes |= UINT64_C(1) << t % o->lanes;
	return lanes;
}

/* Warps that the threads in this place make. */
static unsigned warps_of(const struct oracle_block_stack *o, enum oracle_block_place place)
{
	unsigned in_lane[64] = { 0 }, in_warp[64] = { 0 }, most = 0, rows = 0;

	for (unsigned t = 0; t < threads(o); t++) {
		in_lane[t % o->lanes] += o->place[t] == place;
		in_warp[t / o->lanes] += o->place[t] == place;
	}
	for (unsigned i = 0; i < 64; i++) {
		most = in_lane[i] > most ? in_lane[i] : most;
		rows += in_warp[i] != 0;
	}
	return o->compact ? most : rows;
}

static void start(struct oracle_block_stack *o)
{
	o->top = o->count - 1;
	o->branching = false;
	o->arriving = false;
	o->beginning = false;
	o->committing = false;
	o->admitted = 0;
	memset(o->over, 0, sizeof(o->over));
	memset(o->at_barrier, 0, sizeof(o->at_barrier));
	for (unsigned t = 0; t < threads(o); t++)
		o->place[t] = o->entry[o->top].has[t] ? ORACLE_BLOCK_TO_ADMIT :
							ORACLE_BLOCK_NOT_THERE;
	o->formed = warps_of(o, ORACLE_BLOCK_TO_ADMIT);
	o->stats.tops++;
	o->stats.warps_formed += o->formed;
}

static bool nothing_to_run(struct oracle_block_stack *o, unsigned i)
{
	const struct oracle_block_entry *e = &o->entry[i];
	bool any = false;

	for (unsigned t = 0; t < threads(o); t++)
		any |= e->has[t];
	if (any && e->pc != e->rpc && e->pc == e->lpc)
		for (unsigned t = 0; t < threads(o); t++)
			o->entry[e->lpos].has[t] |= e->has[t];
	if (any && e->pc != e->rpc && e->pc != e->lpc)
		return false;
	++*(!any ? &o->stats.emptied :
	    e->pc == e->rpc ? &o->stats.reconverged : &o->stats.merged);
	return true;
}

static void drop(struct oracle_block_stack *o, unsigned i)
{
	for (o->count--; i < o->count; i++)
		o->entry[i] = o->entry[i + 1];
}

static unsigned wcnt(const struct oracle_block_stack *o)
{
	unsigned left = o->formed - o->admitted;

	for (unsigned warp = 0; warp < o->admitted; warp++)
		left += !o->over[warp];
	return left;
}

static void finish_branch(struct oracle_block_stack *o)
{
	unsigned taken = o->count - 1, other = o->count - 2, top = o->top;
	uint64_t lpc = o->entry[taken].lpc;
	bool replace = o->target.rpc == o->entry[top].rpc;
	bool gather = replace && lpc != NO_PC && lpc != o->entry[top].lpc;

	o->stats.replaced += replace && !gather;
	for (unsigned t = 0; t < threads(o); t++)
		o->entry[other].has[t] = o->place[t] == ORACLE_BLOCK_OTHER;
	if (gather) {
		o->entry[top].pc = lpc;
		memset(o->entry[top].has, 0, sizeof(o->entry[top].has));
	}
	if (nothing_to_run(o, taken))
		drop(o, taken);
	if (nothing_to_run(o, other))
		drop(o, other);
	if (replace && !gather)
		drop(o, top);
}

static void push(struct oracle_block_stack *o, uint64_t pc, uint64_t rpc, uint64_t lpc,
		 unsigned lpos)
{
	struct oracle_block_entry *e = &o->entry[o->count++];

	o->stats.pushed++;
	oracle_most(&o->stats.max_depth, o->count);
	memset(e, 0, sizeof(*e));
	e->pc = pc;
	e->rpc = rpc;
	e->lpc = lpc;
	e->lpos = lpos;
}

static bool anyone_in(const struct oracle_block_stack *o, unsigned i)
{
	bool any = false;

	for (unsigned t = 0; t < threads(o); t++)
		any |= o->entry[i].has[t];
	return any;
}

/* R, which is empty, and T, with the threads of the top. */
static void begin_all(struct oracle_block_stack *o)
{
	unsigned below = o->count - 1;

	o->stats.transactions++;
	o->retry = o->count;
	for (unsigned i = 0; i < 2; i++) {
		push(o, o->way_pc, NO_PC, NO_PC, NO_ENTRY);
		for (unsigned t = 0; i && t < threads(o); t++) {
			o->entry[o->retry + 1].has[t] = o->entry[below].has[t];
			o->stats.threads_begun += o->entry[below].has[t];
		}
	}
}

/* The attempt has no threads left. Does another one begin? */
static bool again(struct oracle_block_stack *o)
{
	struct oracle_block_entry *r = &o->entry[o->retry], *attempt = r + 1;
	bool any = anyone_in(o, o->retry);

	if (any) {
		o->stats.restarts++;
		*attempt = *r;
		memset(r->has, 0, sizeof(r->has));
		return true;
	}
	o->count = o->retry;
	o->retry = 0;
	o->entry[o->count - 1].pc = o->way_pc;
	return false;
}

static int choose(struct oracle_block_stack *o)
{
	if (o->branching)
		finish_branch(o);
	else if (o->arriving)
		o->entry[o->top].pc = o->way_pc;
	else if (o->beginning)
		begin_all(o);
	while (o->count) {
		if (o->retry && o->count == o->retry + 2) {
			if (anyone_in(o, o->retry + 1) || again(o))
				break;
		} else if (nothing_to_run(o, o->count - 1)) {
			o->count--;
		} else {
			break;
		}
	}
	if (o->count) {
		start(o);
		return GPUTM_BLOCK_STACK_COMPACT;
	}
	o->formed = 0;
	o->admitted = 0;
	o->top = 0;
	o->branching = false;
	o->arriving = false;
	o->beginning = false;
	memset(o->place, 0, sizeof(o->place));
	memset(o->at_barrier, 0, sizeof(o->at_barrier));
	return GPUTM_BLOCK_STACK_FINISH;
}

/* A warp is over: is it the last one? */
static int come(struct oracle_block_stack *o, unsigned warp)
{
	o->over[warp] = true;
	if (wcnt(o))
		return GPUTM_BLOCK_STACK_WAIT;
	return o->committing ? GPUTM_BLOCK_STACK_COMMIT : choose(o);
}

static int oracle_block_launch(struct oracle_block_stack *o, uint64_t pc, const uint64_t mask[])
{
	bool any = false;

	if (o->count)
		return -EINVAL;
	for (unsigned lane = 0; lane < o->lanes; lane++) {
		if (mask[lane] >> o->warps)
			return -ERANGE;
		any |= mask[lane] != 0;
	}
	if (!any)
		return -EINVAL;
	if (!is_pc(o, pc))
		return -ERANGE;
	push(o, pc, NO_PC, NO_PC, NO_ENTRY);
	for (unsigned t = 0; t < threads(o); t++)
		o->stats.threads_launched += o->entry[0].has[t] =
			mask[t % o->lanes] >> t / o->lanes & 1;
	start(o);
	return 0;
}

static int oracle_block_admit(struct oracle_block_stack *o, uint64_t mask, const uint16_t thread[])
{
	struct oracle_block_stack before = *o;

	if (o->admitted == o->formed)
		return -EINVAL;
	if (mask >> o->lanes)
		return -ERANGE;
	if (!mask)
		return -EINVAL;
	for (unsigned lane = 0; lane < o->lanes; lane++) {
		if (!(mask >> lane & 1))
			continue;
		if (thread[lane] >= threads(o) || thread[lane] % o->lanes != lane ||
		    o->place[thread[lane]] != ORACLE_BLOCK_TO_ADMIT) {
			int error = thread[lane] >= threads(o) ? -ERANGE : -EINVAL;

			*o = before;
			return error;
		}
		o->place[thread[lane]] = ORACLE_BLOCK_RUNS;
		o->warp_of[thread[lane]] = o->admitted;
	}
	/* Without compaction the warp is one static warp, and all that is left of it. */
	for (unsigned t = 0; !o->compact && t < threads(o); t++)
		for (unsigned u = 0; u < threads(o); u++)
			if (o->place[t] == ORACLE_BLOCK_RUNS && o->warp_of[t] == o->admitted &&
			    ((o->place[u] == ORACLE_BLOCK_RUNS && o->warp_of[u] == o->admitted &&
			      t / o->lanes != u / o->lanes) ||
			     (o->place[u] == ORACLE_BLOCK_TO_ADMIT &&
			      t / o->lanes == u / o->lanes))) {
				*o = before;
				return -EINVAL;
			}
	if (warps_of(o, ORACLE_BLOCK_TO_ADMIT) != o->formed - o->admitted - 1) {
		*o = before;
		return -EINVAL;
	}
	o->stats.warps_admitted++;
	return (int)o->admitted++;
}

static bool anyone_at_barrier(const struct oracle_block_stack *o)
{
	bool any = false;

	for (unsigned warp = 0; warp < 32; warp++)
		any |= o->at_barrier[warp];
	return any;
}

/* The first warp at a branch makes its entries. */
static int open_branch(struct oracle_block_stack *o, const struct gputm_block_stack_target *b)
{
	struct oracle_block_entry *e = &o->entry[o->top];
	uint64_t lpc = o->likely && b->lpc != b->rpc ? b->lpc : NO_PC;
	bool replace = b->rpc == e->rpc, inherit = replace && lpc == e->lpc;
	unsigned lpos = lpc == NO_PC ? NO_ENTRY : inherit ? e->lpos : replace ? o->top : o->top + 1;
	bool extra = lpc != NO_PC && !replace;

	if (!is_pc(o, b->taken_pc) || !is_pc(o, b->other_pc))
		return b->taken_pc == NO_PC || (is_pc(o, b->taken_pc) && b->other_pc == NO_PC) ?
			       -EINVAL :
			       -ERANGE;
	if (!is_pc(o, b->rpc) && !(b->rpc == NO_PC && e->rpc == NO_PC && !o->retry))
		return b->rpc == NO_PC ? -EINVAL : -ERANGE;
	if (!is_pc(o, b->lpc) && b->lpc != NO_PC)
		return -ERANGE;
	if (o->count + 2 + extra > o->depth) {
		o->stats.full++;
		return GPUTM_BLOCK_STACK_FULL;
	}
	o->stats.branches++;
	if (b->rpc != NO_PC)
		e->pc = b->rpc;
	if (extra)
		push(o, lpc, b->rpc, NO_PC, NO_ENTRY);
	push(o, b->other_pc, b->rpc, lpc, lpos);
	push(o, b->taken_pc, b->rpc, lpc, lpos);
	o->branching = true;
	o->target = *b;
	return 0;
}

static bool same(const struct gputm_block_stack_target *a,
		 const struct gputm_block_stack_target *b)
{
	return a->taken_pc == b->taken_pc && a->other_pc == b->other_pc && a->rpc == b->rpc &&
	       a->lpc == b->lpc;
}

static int oracle_block_branch(struct oracle_block_stack *o, unsigned warp, uint64_t taken,
			       const struct gputm_block_stack_target *target)
{
	uint64_t lanes = oracle_block_warp(o, warp);
	int result;

	if (!lanes || anyone_at_barrier(o) || o->arriving || o->beginning || o->committing ||
	    (o->branching && !same(target, &o->target)) || (taken & ~lanes))
		return -EINVAL;
	if (!o->branching) {
		result = open_branch(o, target);
		if (result)
			return result;
	}
	for (unsigned t = 0; t < threads(o); t++) {
		if (o->place[t] != ORACLE_BLOCK_RUNS || o->warp_of[t] != warp)
			continue;
		o->place[t] = ORACLE_BLOCK_OTHER;
		if (taken >> t % o->lanes & 1) {
			o->place[t] = ORACLE_BLOCK_TAKEN;
			o->entry[o->count - 1].has[t] = true;
		} else {
			o->entry[o->count - 2].has[t] = true;
		}
	}
	o->stats.warps_branched++;
	return come(o, warp);
}

/* The warp is over, and its threads wait. */
static int wait_at(struct oracle_block_stack *o, unsigned warp, uint64_t pc)
{
	o->way_pc = pc;
	++*(o->arriving	 ? &o->stats.warps_arrived :
	    o->beginning ? &o->stats.warps_begun :
			   &o->stats.warps_committed);
	for (unsigned t = 0; t < threads(o); t++)
		if (o->place[t] == ORACLE_BLOCK_RUNS && o->warp_of[t] == warp)
			o->place[t] = ORACLE_BLOCK_ARRIVED;
	return come(o, warp);
}

static int oracle_block_arrive(struct oracle_block_stack *o, unsigned warp, uint64_t pc)
{
	const struct oracle_block_entry *e = &o->entry[o->top];

	if (!oracle_block_warp(o, warp) || o->at_barrier[warp])
		return -EINVAL;
	if (!is_pc(o, pc))
		return -ERANGE;
	if (pc != e->rpc && pc != e->lpc)
		return GPUTM_BLOCK_STACK_CONTINUE;
	if (anyone_at_barrier(o) || o->branching || o->beginning || o->committing ||
	    (o->arriving && o->way_pc != pc))
		return -EINVAL;
	o->arriving = true;
	return wait_at(o, warp, pc);
}

static int oracle_block_tx_begin(struct oracle_block_stack *o, unsigned warp, uint64_t restart_pc)
{
	if (o->retry || !oracle_block_warp(o, warp) || o->at_barrier[warp])
		return -EINVAL;
	if (!is_pc(o, restart_pc))
		return -ERANGE;
	if (!o->branching && !o->arriving && !o->beginning && o->count + 2 > o->depth) {
		o->stats.full++;
		return GPUTM_BLOCK_STACK_FULL;
	}
	if (anyone_at_barrier(o) || o->branching || o->arriving ||
	    (o->beginning && o->way_pc != restart_pc))
		return -EINVAL;
	o->beginning = true;
	return wait_at(o, warp, restart_pc);
}

static int oracle_block_tx_commit(struct oracle_block_stack *o, unsigned warp, uint64_t pc_after)
{
	if (!o->retry || o->top != o->retry + 1 || !oracle_block_warp(o, warp))
		return -EINVAL;
	if (!is_pc(o, pc_after))
		return -ERANGE;
	if (o->branching || (o->committing && o->way_pc != pc_after))
		return -EINVAL;
	o->committing = true;
	return wait_at(o, warp, pc_after);
}

/* From T and what is above it to R. */
static void abort_thread(struct oracle_block_stack *o, unsigned t)
{
	o->stats.threads_aborted++;
	o->place[t] = ORACLE_BLOCK_NOT_THERE;
	for (unsigned i = o->retry + 1; i < o->count; i++)
		o->entry[i].has[t] = false;
	o->entry[o->retry].has[t] = true;
}

static int oracle_block_tx_abort(struct oracle_block_stack *o, unsigned warp, uint64_t lanes)
{
	uint64_t running = oracle_block_warp(o, warp);

	if (!o->retry || !lanes || (lanes & ~running))
		return -EINVAL;
	for (unsigned t = 0; t < threads(o); t++)
		if (o->place[t] == ORACLE_BLOCK_RUNS && o->warp_of[t] == warp &&
		    lanes >> t % o->lanes & 1)
			abort_thread(o, t);
	o->stats.warps_aborted += lanes == running;
	return lanes == running ? come(o, warp) : GPUTM_BLOCK_STACK_CONTINUE;
}

static int oracle_block_tx_report(struct oracle_block_stack *o, unsigned static_warp,
				  uint64_t committed, uint64_t aborted)
{
	struct oracle_block_stack before = *o;
	uint64_t done = 0;

	if (!o->committing || wcnt(o))
		return -EINVAL;
	if (static_warp >= o->warps)
		return -ERANGE;
	for (unsigned lane = 0; lane < o->lanes; lane++) {
		unsigned t = static_warp * o->lanes + lane;

		if (!((committed | aborted) >> lane & 1) || !o->entry[o->top].has[t])
			continue;
		done |= UINT64_C(1) << lane;
		o->stats.threads_committed += committed >> lane & 1;
		if (aborted >> lane & 1)
			abort_thread(o, t);
		o->entry[o->top].has[t] = false;
	}
	if (!done || done != (committed | aborted) || (committed & aborted)) {
		*o = before;
		return -EINVAL;
	}
	return anyone_in(o, o->top) ? GPUTM_BLOCK_STACK_WAIT : choose(o);
}

static int maybe_release(struct oracle_block_stack *o)
{
	unsigned waiting = 0;

	for (unsigned warp = 0; warp < 32; warp++)
		waiting += o->at_barrier[warp];
	if (!waiting || waiting != wcnt(o))
		return GPUTM_BLOCK_STACK_WAIT;
	memset(o->at_barrier, 0, sizeof(o->at_barrier));
	o->stats.barriers++;
	return GPUTM_BLOCK_STACK_RELEASE;
}

static int oracle_block_exit(struct oracle_block_stack *o, unsigned warp, uint64_t lanes)
{
	uint64_t running = oracle_block_warp(o, warp);
	int result;

	if (o->retry || !running || o->at_barrier[warp] || !lanes || (lanes & ~running))
		return -EINVAL;
	for (unsigned t = 0; t < threads(o); t++) {
		if (o->place[t] != ORACLE_BLOCK_RUNS || o->warp_of[t] != warp ||
		    !(lanes >> t % o->lanes & 1))
			continue;
		o->stats.threads_ended++;
		o->place[t] = ORACLE_BLOCK_NOT_THERE;
		for (unsigned i = 0; i < o->count; i++)
			o->entry[i].has[t] = false;
	}
	if (oracle_block_warp(o, warp))
		return GPUTM_BLOCK_STACK_CONTINUE;
	o->stats.warps_ended++;
	result = come(o, warp);
	return result == GPUTM_BLOCK_STACK_WAIT ? maybe_release(o) : result;
}

static int oracle_block_barrier(struct oracle_block_stack *o, unsigned warp)
{
	unsigned here = 0;

	for (unsigned t = 0; o->count && t < threads(o); t++)
		here += o->entry[o->top].has[t];
	if (o->retry || !oracle_block_warp(o, warp) || o->at_barrier[warp] || o->branching ||
	    o->arriving || o->beginning || here != oracle_block_live(o))
		return -EINVAL;
	o->at_barrier[warp] = true;
	return maybe_release(o);
}

static const char *compare_entry(const struct oracle_block_stack *o, unsigned i,
				 const struct gputm_block_stack_entry *e)
{
	const struct oracle_block_entry *own = &o->entry[i];

	if (e->pc != own->pc || e->rpc != own->rpc)
		return "PC or RPC of an entry";
	if (e->lpc != own->lpc || e->lpos != own->lpos)
		return "LPC or LPos of an entry";
	if (e->wcnt != (i == o->top ? wcnt(o) : 0))
		return "WCnt of an entry";
	for (unsigned t = 0; t < threads(o); t++)
		if ((e->mask[t % o->lanes] >> t / o->lanes & 1) != own->has[t])
			return "threads of an entry";
	return NULL;
}

/* What can be seen of the unit, as the oracle has it; NULL or what differs. */
static const char *oracle_block_compare(const struct oracle_block_stack *o,
					const struct gputm_block_stack *stack)
{
	struct gputm_block_stack_entry e;
	const char *differs;

	if (gputm_block_stack_depth(stack) != o->count)
		return "depth";
	if (gputm_block_stack_top(stack) != o->top)
		return "top of stack";
	if (gputm_block_stack_live(stack) != oracle_block_live(o))
		return "live threads";
	if (gputm_block_stack_tx_retry(stack) != (o->retry ? o->retry : NO_ENTRY))
		return "entry R";
	for (unsigned i = 0; i < o->count; i++) {
		if (gputm_block_stack_get_entry(stack, i, &e))
			return "an entry that is not there";
		differs = compare_entry(o, i, &e);
		if (differs)
			return differs;
	}
	for (unsigned warp = 0; warp < 33; warp++)
		if (gputm_block_stack_warp(stack, warp) != oracle_block_warp(o, warp))
			return "a warp";
	return !gputm_block_stack_get_entry(stack, o->count, &e) ? "one entry more" : NULL;
}

#endif
