/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Block-wide SIMT stack
 * =====================
 *
 * W. W. L. Fung's thesis (2015), 3.3 and Fig. 3.5, 3.6, 3.7 (thread block compaction), 3.4 and
 * Fig. 3.8 (likely-convergence points).
 *
 * All warps of a thread block share one reconvergence stack. The top of stack is compacted into
 * warps, which run on their own until a branch or the reconvergence point; there they are
 * taken apart, and their threads wait until the last warp of the entry has come: WCnt counts
 * those that have not. The first one at a branch
 *   1. turns the entry into the one that waits at the reconvergence point (PC = RPC);
 *   2. if the branch has a likely-convergence point, pushes an empty entry there;
 *   3. pushes an entry for either target, the taken one on top.
 * Each one adds its threads. When WCnt is zero the entry on top is compacted; when that has
 * happened at its RPC, it is popped first, at its LPC it is popped and joins the entry of step 2.
 *
 *	Fig. 3.7: three static warps of four lanes, which come in the order W2, W3, W1
 *
 *	start		W2 at the branch	W3			W1
 *	A - 111..(3)	D - 111 ...	(2)*	D - ...		(1)*	D - ...		(0)
 *			B D 000 010 010 000	B D 001 011 010 001	B D 101 011 010 001
 *			C D 010 000 000 010	C D 010 000 001 010	C D 010 100 101 110 (2)*
 *
 * The asterisk is the top of stack. C is compacted into two warps, then B, then D again.
 *
 * Steps 1 and 2 are not needed where the entry that branches has the branch's RPC itself, as at
 * the end of a loop: then it gives its place to what lies above it once its last warp has come,
 * or becomes the likely-convergence entry. So a loop does not grow the stack.
 *
 * A mask is kept as columns, a bit per static warp for each lane. A warp knows the bit of its
 * thread in each lane since it was admitted, so that a branch adds the bits of the lanes that
 * take the branch; the other threads are what is left of the entry when the last warp has come.
 *
 * A transaction has two entries more, R and T (block_stack-tx.c). All warps of an entry come to
 * tx_begin before T, with their threads, is compacted; all warps of T come to tx_commit before
 * any thread commits. An aborted thread leaves T, and all entries above it, for R.
 *
 * Every live thread is in one place: in the highest entry that has it, and there, if that is the
 * top of stack, in a warp that runs, among those to be admitted, or among those that wait at
 * the branch or the reconvergence point.
 *
 * Invariants, as check() names them:
 *   B1  PCs fit; masks are within the block; an entry below the top is not at its own RPC
 *   B2  entries with the same RPC between two others have disjoint masks; the entry below them
 *       waits at their RPC and has all their threads
 *   B3  an entry without RPC has nothing but such entries below it
 *   B4  there is an LPos exactly if there is an LPC: a lower entry of the same branch (B2) that
 *       waits at the LPC
 *   B5  the threads of the top of stack are parted among the warps that run, those to be
 *       admitted, and those that wait; WCnt is the number of such warps
 *   B6  entries above the top of stack are those of one branch, and have threads that wait
 *   B7  only warps that run, of a top with all live threads, are at a barrier
 *   B8  R has T above it and an entry below it, which has the threads of both; they have no RPC,
 *       and no common thread; what lies above T has an RPC. WCnt is zero, without a warp that
 *       runs, only if all warps of T came to tx_commit and a thread of T has not been reported
 *   B9  pushed = entries + popped, by each reason for it; launched threads = ended + live ones;
 *       warps formed = admitted + to be admitted, for each entry; admitted = branched + arrived
 *       + ended + begun + committed + aborted + running; threads begun = committed + those of
 *       R and T
 *
 * Differences from the paper
 *   - An entry without threads is popped as soon as the branch is complete, not when it becomes
 *     the top, and so is a target that is the RPC or the LPC: its threads wait there in the
 *     entry below. What runs, and in which order, is the same, but a loop would leave one
 *     such entry for every turn.
 *   - The paper's WCnt of a lower entry keeps its old value or is zero; here it is zero.
 *   - Threads may end anywhere; a warp whose threads all ended counts as one that has come. The
 *     paper does not speak of it. After that, the entry at a reconvergence point may need fewer
 *     warps than before, and threads then leave their static warps.
 *   - A barrier of the block in divergent code, undefined in CUDA, is refused.
 *   - The paper has no transactions on compacted warps (8.1).
 */
#include "lib/compaction/block_stack-priv.h"

/* ---- a new top of stack ---- */

static void raise_to(struct gputm_block_stack *s, uint32_t count)
{
	s->count = count;
	gputm__maximum(&s->max_depth, count);
}

static void start_top(struct gputm_block_stack *s)
{
	struct gputm__columns_count n;
	const uint32_t *mask;

	s->top = s->count - 1;
	s->start_pc = s->entry[s->top].pc;
	mask = gputm__block_mask(s, s->top);
	n = gputm__columns_count(mask, s->config.lanes);
	memcpy(s->left, mask, s->config.lanes * sizeof(*mask));
	s->formed = gputm__columns_warps(&n, s->config.compact);
	s->admitted = 0;
	s->wcnt = s->formed;
	s->top_threads = n.threads;
	s->tops++;
	s->warps_formed += s->formed;
	gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_TOP, s->top, s->entry[s->top].pc, n.threads,
		    s->wcnt);
}

bool gputm__block_has_threads(const struct gputm_block_stack *s, uint32_t index)
{
	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		if (gputm__block_mask(s, index)[lane])
			return true;
	return false;
}

static void join(struct gputm_block_stack *s, uint32_t to, uint32_t from)
{
	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		gputm__block_mask(s, to)[lane] |= gputm__block_mask(s, from)[lane];
}

/* True if entry `index` has no thread left to run. Counts the entry; the caller removes it. */
static bool is_over(struct gputm_block_stack *s, uint32_t index)
{
	const struct gputm__block_entry *e = &s->entry[index];

	if (!gputm__block_has_threads(s, index)) {
		s->emptied++;
		gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_EMPTY, index, e->pc, 0, 0);
	} else if (e->pc == e->rpc) {
		s->reconverged++;
		gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_RECONVERGE, index, e->pc, 0, 0);
	} else if (e->pc == e->lpc) {
		s->merged++;
		join(s, e->lpos, index);
		gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_MERGE, index, e->pc, e->lpos, 0);
	} else {
		return false;
	}
	return true;
}

/* Take out entry `index`; the entries above move down. */
static void take_out(struct gputm_block_stack *s, uint32_t index)
{
	size_t above = s->count - index - 1;

	memmove(&s->entry[index], &s->entry[index + 1], above * sizeof(*s->entry));
	memmove(gputm__block_mask(s, index), gputm__block_mask(s, index + 1),
		above * s->config.lanes * sizeof(*s->mask));
	s->count--;
}

/*
 * All warps have come to the branch. The entry that branches, marked by *, has one of three ends:
 *
 *	open		RPC differs	RPC is its own,		RPC is its own,
 *					with a new LPC		no LPC or the same
 *	taken		taken		taken			taken
 *	other		other		other			other
 *	(LPC entry)	(LPC entry)	* at LPC, empty		below
 *	* branching	* at RPC	below
 *	below		below
 *
 * A target without threads, or at its RPC or LPC already, is taken out at once.
 */
static void complete_branch(struct gputm_block_stack *s)
{
	struct gputm__block_split split = gputm__block_split(s, &s->target);
	uint32_t taken = s->count - 1, other = s->count - 2;

	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		gputm__block_mask(s, other)[lane] = gputm__block_mask(s, s->top)[lane] &
						    ~gputm__block_mask(s, taken)[lane];
	if (split.replace && split.likely) {
		s->entry[s->top].pc = split.lpc;
		memset(gputm__block_mask(s, s->top), 0, s->config.lanes * sizeof(*s->mask));
	}
	if (is_over(s, taken))
		take_out(s, taken);
	if (is_over(s, other))
		take_out(s, other);
	if (split.replace && !split.likely) {
		s->replaced++;
		take_out(s, s->top);
	}
}

static void push(struct gputm_block_stack *s, uint64_t pc, uint64_t rpc, uint64_t lpc,
		 uint32_t lpos)
{
	s->entry[s->count] = (struct gputm__block_entry){ pc, rpc, lpc, lpos };
	memset(gputm__block_mask(s, s->count), 0, s->config.lanes * sizeof(*s->mask));
	raise_to(s, s->count + 1);
	s->pushed++;
}

/* All warps of the top entry have come to tx_begin. */
static void push_attempt(struct gputm_block_stack *s, uint64_t pc)
{
	push(s, pc, NO_PC, NO_PC, NO_ENTRY);
	push(s, pc, NO_PC, NO_PC, NO_ENTRY);
	s->tx_depth = s->count;
	join(s, s->count - 1, s->top);
	s->transactions++;
	s->threads_begun += s->top_threads;
}

/* No thread of the attempt is left. True if the threads of R start another attempt. */
static bool next_attempt(struct gputm_block_stack *s, uint64_t pc_after)
{
	uint32_t retry = s->tx_depth - 2, attempt = s->tx_depth - 1;

	if (gputm__block_has_threads(s, retry)) {
		s->entry[attempt].pc = s->entry[retry].pc;
		join(s, attempt, retry);
		memset(gputm__block_mask(s, retry), 0, s->config.lanes * sizeof(*s->mask));
		s->restarts++;
		gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_RESTART, attempt,
			    s->entry[attempt].pc, 0, 0);
		return true;
	}
	s->tx_depth = 0;
	s->count -= 2;
	s->entry[s->count - 1].pc = pc_after;
	gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_LEAVE, s->count - 1, pc_after, 0, 0);
	return false;
}

/* Pop all entries that have nothing to run. */
static void pop(struct gputm_block_stack *s, uint64_t pc_after)
{
	while (s->count) {
		uint32_t last = s->count - 1;

		if (s->count != s->tx_depth) {
			if (!is_over(s, last))
				return;
			s->count--;
		} else if (gputm__block_has_threads(s, last) || next_attempt(s, pc_after)) {
			return;
		}
	}
}

int gputm__block_settle(struct gputm_block_stack *s)
{
	uint32_t way = s->way;
	uint64_t pc = s->way_pc;

	if (way == GPUTM__BLOCK_COMMIT && gputm__block_has_threads(s, s->top))
		return GPUTM_BLOCK_STACK_COMMIT;
	s->way = GPUTM__BLOCK_NONE;
	if (way == GPUTM__BLOCK_BRANCH)
		complete_branch(s);
	else if (way == GPUTM__BLOCK_ARRIVE)
		s->entry[s->top].pc = pc;
	else if (way == GPUTM__BLOCK_BEGIN)
		push_attempt(s, pc);
	s->way_pc = 0;
	memset(&s->target, 0, sizeof(s->target));
	pop(s, pc);
	if (s->count) {
		start_top(s);
		return GPUTM_BLOCK_STACK_COMPACT;
	}
	s->top = 0;
	s->start_pc = NO_PC;
	s->formed = 0;
	s->admitted = 0;
	s->top_threads = 0;
	return GPUTM_BLOCK_STACK_FINISH;
}

int gputm__block_come(struct gputm_block_stack *s)
{
	return --s->wcnt ? GPUTM_BLOCK_STACK_WAIT : gputm__block_settle(s);
}

/* ---- launch and admission ---- */

int gputm_block_stack_launch(struct gputm_block_stack *s, uint64_t pc, const uint64_t mask[])
{
	uint64_t any = 0;

	if (s->count)
		return gputm__refuse(&s->unit, "launch: %u threads have not ended", s->live);
	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		any |= mask[lane];
	if (any & ~gputm__low_mask(s->config.warps))
		return gputm__out_of_range(&s->unit, "static warp of a thread", gputm__log2(any),
					   0, s->config.warps - 1);
	if (!any)
		return gputm__refuse(&s->unit, "launch: the mask has no thread");
	if (!gputm__block_is_pc(s, pc))
		return gputm__out_of_range(&s->unit, "launch PC", pc, 0, s->pc_max);
	s->entry[0] = (struct gputm__block_entry){ pc, NO_PC, NO_PC, NO_ENTRY };
	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		s->mask[lane] = (uint32_t)mask[lane];
	raise_to(s, 1);
	s->pushed++;
	start_top(s);
	s->live = s->top_threads;
	s->threads_launched += s->live;
	gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_LAUNCH, pc, s->live, 0, 0);
	return 0;
}

/* The bit of each thread in its column. */
static int read_warp(const struct gputm_block_stack *s, uint64_t mask, const uint16_t thread[],
		     uint32_t home[])
{
	uint32_t lanes = s->config.lanes, threads = lanes * s->config.warps;

	for (; mask; mask &= mask - 1) {
		uint32_t lane = gputm__lowest(mask), t = thread[lane];

		if (t >= threads)
			return gputm__out_of_range(&s->unit, "thread", t, 0, threads - 1);
		if (t % lanes != lane)
			return gputm__refuse(&s->unit, "thread %u is not at home in lane %u", t,
					     lane);
		home[lane] = 1u << t / lanes;
		if (!(s->left[lane] & home[lane]))
			return gputm__refuse(&s->unit, "thread %u is not to be admitted", t);
	}
	return 0;
}

/*
 * Do the threads that the warp leaves in their lanes form the other warps? Packed, a lane gives one
 * thread to each warp; else the threads of a static warp stay together. Mostly no thread is left in
 * the lanes that the warp does not use, so nothing is counted.
 */
static bool others_fit(const struct gputm_block_stack *s, uint64_t mask, const uint32_t home[])
{
	uint64_t rest = gputm__low_mask(s->config.lanes) & ~mask;
	uint32_t row = home[gputm__lowest(mask)], others = s->formed - s->admitted - 1;

	for (; mask && !s->config.compact; mask &= mask - 1)
		if (home[gputm__lowest(mask)] != row)
			return false;
	for (; rest; rest &= rest - 1) {
		uint32_t left = s->left[gputm__lowest(rest)];

		if (left && (s->config.compact ? gputm__popcount(left) > others : left & row))
			return false;
	}
	return true;
}

int gputm_block_stack_admit(struct gputm_block_stack *s, uint64_t mask, const uint16_t thread[])
{
	uint64_t lanes = gputm__low_mask(s->config.lanes);
	uint32_t home[GPUTM__COLUMNS_MAX] = { 0 };
	int error;

	if (s->admitted == s->formed)
		return gputm__refuse(&s->unit, "admit: all %u warps have been", s->formed);
	if (mask & ~lanes)
		return gputm__out_of_range(&s->unit, "lane", gputm__log2(mask), 0,
					   s->config.lanes - 1);
	if (!mask)
		return gputm__refuse(&s->unit, "admit: the warp has no thread");
	error = read_warp(s, mask, thread, home);
	if (error)
		return error;
	if (!others_fit(s, mask, home))
		return gputm__refuse(&s->unit, "admit: the other threads do not make %u warps",
				     s->formed - s->admitted - 1);
	for (uint64_t m = mask; m; m &= m - 1)
		s->left[gputm__lowest(m)] &= ~home[gputm__lowest(m)];
	memcpy(gputm__block_home(s, s->admitted), home, s->config.lanes * sizeof(*home));
	s->running[s->admitted] = mask;
	s->warps_admitted++;
	gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_ADMIT, s->admitted, mask, s->start_pc,
		    0);
	return (int)s->admitted++;
}

/* ---- a warp at a branch ---- */

static inline bool same_target(const struct gputm_block_stack_target *a,
			       const struct gputm_block_stack_target *b)
{
	return a->taken_pc == b->taken_pc && a->other_pc == b->other_pc && a->rpc == b->rpc &&
	       a->lpc == b->lpc;
}

int gputm__block_refuse(const struct gputm_block_stack *s, const char *what, uint32_t warp)
{
	if (!gputm__block_warp(s, warp))
		return gputm__refuse(&s->unit, "%s: no warp %u is running", what, warp);
	if (s->at_barrier >> warp & 1)
		return gputm__refuse(&s->unit, "%s: warp %u waits at a barrier", what, warp);
	if (s->at_barrier)
		return gputm__refuse(&s->unit, "%s: warps 0x%x wait at a barrier", what,
				     s->at_barrier);
	return gputm__refuse(&s->unit, "%s: warps of the entry left it elsewhere", what);
}

static int judge_pcs(const struct gputm_block_stack *s,
		     const struct gputm_block_stack_target *target)
{
	const struct {
		const char *name;
		uint64_t pc;
		bool optional;
	} field[] = {
		{ "taken_pc", target->taken_pc, false },
		{ "other_pc", target->other_pc, false },
		{ "rpc", target->rpc, s->entry[s->top].rpc == NO_PC && !s->tx_depth },
		{ "lpc", target->lpc, true },
	};

	for (unsigned i = 0; i < GPUTM__COUNT(field); i++) {
		if (gputm__block_is_pc(s, field[i].pc) ||
		    (field[i].pc == NO_PC && field[i].optional))
			continue;
		if (field[i].pc == NO_PC)
			return gputm__refuse(&s->unit, "branch: no %s within a %s", field[i].name,
					     s->tx_depth ? "transaction" : "branch");
		return gputm__out_of_range(&s->unit, field[i].name, field[i].pc, 0, s->pc_max);
	}
	return 0;
}

static int judge_branch(const struct gputm_block_stack *s, uint32_t warp, uint64_t taken,
			const struct gputm_block_stack_target *target)
{
	uint64_t lanes = gputm__block_warp(s, warp);
	int error;

	if (!lanes || s->at_barrier || s->way > GPUTM__BLOCK_BRANCH ||
	    (s->way == GPUTM__BLOCK_BRANCH && !same_target(target, &s->target)))
		return gputm__block_refuse(s, "branch", warp);
	if (taken & ~lanes)
		return gputm__refuse(&s->unit, "taken = 0x%llx has lanes that are not in 0x%llx",
				     (unsigned long long)taken, (unsigned long long)lanes);
	if (s->way == GPUTM__BLOCK_NONE) {
		error = judge_pcs(s, target);
		if (error)
			return error;
		if (s->count + gputm__block_split(s, target).pushes > s->config.depth)
			return GPUTM_BLOCK_STACK_FULL;
	}
	return s->wcnt == 1 ? GPUTM_BLOCK_STACK_COMPACT : GPUTM_BLOCK_STACK_WAIT;
}

int gputm_block_stack_branch_probe(const struct gputm_block_stack *s, uint32_t warp,
				   uint64_t taken, const struct gputm_block_stack_target *target)
{
	return judge_branch(s, warp, taken, target);
}

/* The first warp at a branch pushes the entries. */
static void open_branch(struct gputm_block_stack *s, const struct gputm_block_stack_target *target)
{
	struct gputm__block_split split = gputm__block_split(s, target);

	if (target->rpc != NO_PC)
		s->entry[s->top].pc = target->rpc;
	if (split.likely && !split.replace)
		push(s, split.lpc, target->rpc, NO_PC, NO_ENTRY);
	push(s, target->other_pc, target->rpc, split.lpc, split.lpos);
	push(s, target->taken_pc, target->rpc, split.lpc, split.lpos);
	s->way = GPUTM__BLOCK_BRANCH;
	s->target = *target;
	s->branches++;
}

int gputm_block_stack_branch(struct gputm_block_stack *s, uint32_t warp, uint64_t taken,
			     const struct gputm_block_stack_target *target)
{
	uint64_t lanes = gputm__block_warp(s, warp);
	int result = judge_branch(s, warp, taken, target);

	if (result == GPUTM_BLOCK_STACK_FULL)
		s->full++;
	if (result < 0 || result == GPUTM_BLOCK_STACK_FULL)
		return result;
	if (s->way == GPUTM__BLOCK_NONE)
		open_branch(s, target);
	gputm__columns_add(gputm__block_mask(s, s->count - 1), gputm__block_home(s, warp), taken);
	s->running[warp] = 0;
	s->warps_branched++;
	gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_BRANCH, warp, taken, lanes, s->wcnt - 1);
	return gputm__block_come(s);
}

/* ---- a warp elsewhere ---- */

bool gputm__block_leaves(struct gputm_block_stack *s, uint32_t way, uint64_t pc)
{
	if (s->way == GPUTM__BLOCK_NONE && !s->at_barrier) {
		s->way = way;
		s->way_pc = pc;
	}
	return s->way == way && s->way_pc == pc;
}

int gputm_block_stack_arrive(struct gputm_block_stack *s, uint32_t warp, uint64_t next_pc)
{
	uint64_t lanes = gputm__block_warp(s, warp);
	const struct gputm__block_entry *e = &s->entry[s->top];

	if (!lanes || (s->at_barrier >> warp & 1))
		return gputm__block_refuse(s, "arrive", warp);
	if (!gputm__block_is_pc(s, next_pc))
		return gputm__out_of_range(&s->unit, "next PC", next_pc, 0, s->pc_max);
	if (next_pc != e->rpc && next_pc != e->lpc)
		return GPUTM_BLOCK_STACK_CONTINUE;
	if (!gputm__block_leaves(s, GPUTM__BLOCK_ARRIVE, next_pc))
		return gputm__block_refuse(s, "arrive", warp);
	s->running[warp] = 0;
	s->warps_arrived++;
	gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_ARRIVE, warp, next_pc, lanes, s->wcnt - 1);
	return gputm__block_come(s);
}

static int release(struct gputm_block_stack *s)
{
	s->at_barrier = 0;
	s->barriers++;
	gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_RELEASE, s->wcnt, 0, 0, 0);
	return GPUTM_BLOCK_STACK_RELEASE;
}

/* Remove threads of a warp from every entry. */
static void take_away(struct gputm_block_stack *s, uint32_t warp, uint64_t lanes)
{
	const uint32_t *home = gputm__block_home(s, warp);

	for (uint64_t m = lanes; m; m &= m - 1) {
		uint32_t lane = gputm__lowest(m);

		for (uint32_t i = 0; i <= s->top; i++)
			gputm__block_mask(s, i)[lane] &= ~home[lane];
	}
	s->running[warp] &= ~lanes;
	s->top_threads -= gputm__popcount(lanes);
	s->live -= gputm__popcount(lanes);
	s->threads_ended += gputm__popcount(lanes);
}

int gputm_block_stack_exit(struct gputm_block_stack *s, uint32_t warp, uint64_t lanes)
{
	uint64_t running = gputm__block_warp(s, warp);
	int result;

	if (!running || (s->at_barrier >> warp & 1))
		return gputm__block_refuse(s, "exit", warp);
	if (s->tx_depth)
		return gputm__refuse(&s->unit, "exit: the block is in a transaction");
	if (!lanes || (lanes & ~running))
		return gputm__refuse(&s->unit, "lanes = 0x%llx is empty or not within 0x%llx",
				     (unsigned long long)lanes, (unsigned long long)running);
	take_away(s, warp, lanes);
	gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_EXIT, warp, lanes,
		    s->wcnt - !s->running[warp], 0);
	if (s->running[warp])
		return GPUTM_BLOCK_STACK_CONTINUE;
	s->warps_ended++;
	result = gputm__block_come(s);
	if (result == GPUTM_BLOCK_STACK_WAIT && gputm__popcount(s->at_barrier) == s->wcnt)
		return release(s);
	return result;
}

int gputm_block_stack_barrier(struct gputm_block_stack *s, uint32_t warp)
{
	if (!gputm__block_warp(s, warp) || (s->at_barrier >> warp & 1) ||
	    s->way != GPUTM__BLOCK_NONE)
		return gputm__block_refuse(s, "barrier", warp);
	if (s->tx_depth)
		return gputm__refuse(&s->unit, "barrier: the block is in a transaction");
	if (s->top_threads != s->live)
		return gputm__refuse(&s->unit, "barrier in divergent code: %u of %u threads",
				     s->top_threads, s->live);
	s->at_barrier |= 1u << warp;
	return gputm__popcount(s->at_barrier) == s->wcnt ? release(s) : GPUTM_BLOCK_STACK_WAIT;
}
