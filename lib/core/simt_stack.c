/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Per-warp SIMT stack.
 *
 * Sources: W. W. L. Fung's thesis (2015), 2.3.3 and Fig. 2.3 (reconvergence at the
 * immediate post-dominator), 3.4 and Fig. 3.8 (likely-convergence points), 4.2.1 and
 * Fig. 4.3 (transactions).
 *
 * The top entry runs. A branch that splits its lanes
 *   1. turns the entry into the one that waits at the reconvergence point (PC = RPC of
 *      the branch);
 *   2. if the branch has a likely-convergence point, pushes an empty entry there, in
 *      which lanes gather that come by;
 *   3. pushes one entry per target, in the caller's order, with the branch's RPC and LPC.
 * The last one runs until its PC is its RPC (popped: the entry of step 1 holds its lanes
 * already) or its LPC (popped: its lanes join the entry of step 2, found by LPos). Then
 * the next one runs, and at last the gathered lanes and the reconverged ones.
 *
 *   A -> B {1,2,3} | F {4}, B -> C {1} | D {2,3}, meeting at E, then at G (Fig. 2.3):
 *
 *     A - 1111     G - 1111     G - 1111     G - 1111     G - 1111     G - 1111
 *                  F G 0001     F G 0001     F G 0001     F G 0001
 *                  B G 1110     E G 1110     E G 1110
 *                               D E 0110
 *                               C E 1000
 *     launch       A branches   B branches   C, D at E    E at G       F at G
 *
 * Steps 1 and 2 are not needed when the entry that branches has the branch's RPC itself:
 * what waits there lies below already. Then it gives its place to the likely-convergence
 * entry, or, if that is in the stack too (same LPC), to the first target. So a loop does
 * not grow the stack.
 *
 * A transaction pushes R, empty, and T, with the active lanes. Branches nest above T. A
 * lane that aborts moves from T, and all entries above it, to R; a lane that commits
 * leaves T. When T is empty and on top, R's lanes become T's and start again, or, if R is
 * empty too, both are popped and the entry below goes on after the transaction. Nested
 * transactions only count, lane by lane: bit i of plane p is bit p of lane i's count.
 *
 * Depth. Let a lost lane (ended, aborted, committed) stay in the sets it was in. Then,
 * without likely convergence, the masks of all entries but R and T are pairwise different
 * and either nested or disjoint: at most 2 x lanes - 1 of them, 2 x lanes + 1 entries in
 * all. With likely convergence a program whose likely-convergence points nest can go
 * deeper; an operation that finds no room answers FULL and changes nothing.
 *
 * Invariants, checked by check():
 *   I1  PCs and lanes fit; no entry is at its own RPC; the top one can run: it is a T, or it
 *       has lanes and is not at its LPC
 *   I2  entries with the same RPC between two others (the targets of one branch, and
 *       what they were split into) have disjoint masks; the entry below them waits at
 *       their RPC and has all their lanes
 *   I3  an entry without RPC is R, T, or has nothing but such entries below it
 *   I4  there is an LPos exactly if there is an LPC: a lower entry of the same branch
 *       (I2) that waits at the LPC
 *   I5  R and T come as a pair with nothing but normal entries about it; they are
 *       disjoint and hold only lanes of the entry below
 *   I6  only lanes of T are nested; a PC after the transaction is known only in one
 *   I7  pushed = depth + popped, by each reason for it;
 *       launched lanes = ended + live ones;
 *       started lanes (begin, restart) = committed + aborted + those of T
 *
 * Differences from the paper:
 *   - an entry that branches with its own RPC but another LPC does not stay below the
 *     likely-convergence entry; it would wait where the entry below it waits. It becomes
 *     that entry and keeps its own LPC, at which what has gathered is merged in its turn.
 *     The paper does not speak of such a branch;
 *   - a target that is the RPC or the LPC gets no entry. Fig. 3.8 shows one for the LPC,
 *     which is popped before it executes;
 *   - a lane may abort at any time, and while its attempt is at another branch, as eager
 *     conflict detection needs it;
 *   - lanes that commit leave T at once (Fig. 4.3 keeps no trace of them either);
 *   - no entries for calls and returns.
 */
#include "lib/core/simt_stack-priv.h"

/* ---- looking ---- */

uint64_t gputm_simt_stack_active_mask(const struct gputm_simt_stack *s)
{
	return s->top->mask;
}

uint64_t gputm_simt_stack_pc(const struct gputm_simt_stack *s)
{
	return s->top->pc;
}

void gputm_simt_stack_top(const struct gputm_simt_stack *s, struct gputm_simt_stack_entry *out)
{
	*out = *s->top;
}

uint64_t gputm_simt_stack_live_mask(const struct gputm_simt_stack *s)
{
	uint64_t live = 0;

	for (const struct gputm_simt_stack_entry *e = s->slot + 1; e <= s->top; e++)
		live |= e->mask;
	return live;
}

size_t gputm_simt_stack_depth(const struct gputm_simt_stack *s)
{
	return gputm__simt_slot(s, s->top);
}

int gputm_simt_stack_get_entry(const struct gputm_simt_stack *s, size_t index,
			       struct gputm_simt_stack_entry *out)
{
	if (index >= gputm__simt_slot(s, s->top))
		return gputm__past_end(&s->unit, "entry", index, gputm__simt_slot(s, s->top));
	*out = s->slot[index + 1];
	return 0;
}

bool gputm_simt_stack_in_transaction(const struct gputm_simt_stack *s)
{
	return s->retry != 0;
}

uint64_t gputm_simt_stack_tx_running(const struct gputm_simt_stack *s)
{
	return s->retry ? s->slot[s->retry + 1].mask : 0;
}

uint64_t gputm_simt_stack_tx_retry(const struct gputm_simt_stack *s)
{
	return s->slot[s->retry].mask;
}

/* ---- refusing ---- */

int gputm__simt_refuse_mask(const struct gputm_simt_stack *s, const char *what, uint64_t mask,
			    uint64_t allowed)
{
	return gputm__refuse(&s->unit, "%s = 0x%llx is empty or not within 0x%llx", what,
			     (unsigned long long)mask, (unsigned long long)allowed);
}

int gputm__simt_refuse_step(const struct gputm_simt_stack *s, const char *what, uint64_t next_pc)
{
	if (!s->top->mask)
		return gputm__refuse(&s->unit, "%s: no lane is active", what);
	return gputm__out_of_range(&s->unit, what, next_pc, 0, s->pc_max);
}

static int refuse_branch(const struct gputm_simt_stack *s, uint64_t active,
			 const struct gputm_simt_stack_target target[], size_t count,
			 uint64_t rpc, uint64_t lpc)
{
	uint64_t seen = 0;

	if (!active)
		return gputm__simt_refuse_step(s, "diverge", 0);
	for (size_t i = 0; i < count; i++) {
		if (!gputm__simt_is_pc(s, target[i].pc))
			return gputm__simt_refuse_step(s, "PC of a target", target[i].pc);
		if (seen & target[i].mask)
			return gputm__refuse(&s->unit, "lanes 0x%llx have two targets",
					     (unsigned long long)(seen & target[i].mask));
		seen |= target[i].mask;
	}
	if (seen != active)
		return gputm__refuse(&s->unit, "targets have lanes 0x%llx, 0x%llx are active",
				     (unsigned long long)seen, (unsigned long long)active);
	if (rpc == NO_PC)
		return gputm__refuse(&s->unit, "no RPC within a branch or transaction");
	if (!gputm__simt_is_pc(s, rpc))
		return gputm__simt_refuse_step(s, "rpc", rpc);
	return gputm__simt_refuse_step(s, "lpc", lpc);
}

/* ---- popping and pushing ---- */

static void pop_at_rpc(struct gputm_simt_stack *s, const struct gputm_simt_stack_entry *e)
{
	s->reconverged++;
	gputm__emit(&s->unit, GPUTM_SIMT_STACK_EVENT_RECONVERGE, gputm__simt_slot(s, e) - 1, e->pc,
		    e->mask, 0);
}

static void pop_at_lpc(struct gputm_simt_stack *s, const struct gputm_simt_stack_entry *e)
{
	s->merged++;
	s->slot[e->lpos + 1].mask |= e->mask;
	gputm__emit(&s->unit, GPUTM_SIMT_STACK_EVENT_MERGE, gputm__simt_slot(s, e) - 1, e->pc,
		    e->mask, e->lpos);
}

int gputm__simt_settle(struct gputm_simt_stack *s)
{
	for (; !gputm__simt_can_run(s->top); s->top--) {
		if (!s->top->mask)
			s->emptied++;
		else if (s->top->pc == s->top->rpc)
			pop_at_rpc(s, s->top);
		else
			pop_at_lpc(s, s->top);
	}
	return GPUTM_SIMT_STACK_SWITCH;
}

/* ---- plain control flow ---- */

int gputm_simt_stack_launch(struct gputm_simt_stack *s, uint64_t pc, uint64_t mask)
{
	uint64_t lanes = gputm__low_mask(s->config.lanes);

	if (s->top != s->slot)
		return gputm__refuse(&s->unit, "launch: lanes 0x%llx are running",
				     (unsigned long long)gputm_simt_stack_live_mask(s));
	if (!mask || (mask & ~lanes))
		return gputm__simt_refuse_mask(s, "launch mask", mask, lanes);
	if (!gputm__simt_is_pc(s, pc))
		return gputm__out_of_range(&s->unit, "launch PC", pc, 0, s->pc_max);
	gputm__simt_set(s->top + 1, pc, NO_PC, mask, GPUTM_SIMT_STACK_TYPE_NORMAL);
	gputm__simt_raise_to(s, s->top + 1);
	s->pushed++;
	s->lanes_launched += gputm__popcount(mask);
	return 0;
}

int gputm_simt_stack_proceed(struct gputm_simt_stack *s, uint64_t next_pc)
{
	if (next_pc > s->pc_max || !s->top->mask)
		return gputm__simt_refuse_step(s, "next PC", next_pc);
	return gputm__simt_step(s, next_pc);
}

/* The result of a branch. */
struct split {
	uint64_t lpc;	     /* NO_PC without likely convergence here */
	uint64_t uniform_pc; /* target with all lanes, or NO_PC */
	size_t pushes;	     /* targets that get an entry */
	bool replace;	     /* the new entries replace the entry that branches */
	bool likely;	     /* a likely-convergence entry is needed */
};

static int judge(const struct gputm_simt_stack *s, uint64_t active,
		 const struct gputm_simt_stack_target target[], size_t count, uint64_t rpc,
		 uint64_t lpc, struct split *split)
{
	struct gputm_simt_stack_entry *top = s->top;
	uint64_t seen = 0, uniform_pc = NO_PC;
	size_t pushes = 0;

	if (!s->config.likely_convergence || lpc == rpc)
		lpc = NO_PC;
	for (size_t i = 0; i < count; i++) {
		uint64_t pc = target[i].pc, mask = target[i].mask;

		if (pc > s->pc_max || (seen & mask))
			return refuse_branch(s, active, target, count, rpc, lpc);
		seen |= mask;
		pushes += mask && pc != rpc && pc != lpc;
		if (mask == active)
			uniform_pc = pc;
	}
	split->replace = rpc == top->rpc && top->type == GPUTM_SIMT_STACK_TYPE_NORMAL;
	if (!seen || seen != active || (rpc > s->pc_max && (rpc != NO_PC || !split->replace)) ||
	    (lpc > s->pc_max && lpc != NO_PC))
		return refuse_branch(s, active, target, count, rpc, lpc);
	split->lpc = lpc;
	split->uniform_pc = uniform_pc;
	split->pushes = pushes;
	split->likely = lpc != NO_PC && !(split->replace && lpc == top->lpc);
	if (uniform_pc != NO_PC)
		return uniform_pc == top->rpc || uniform_pc == top->lpc ?
			       GPUTM_SIMT_STACK_SWITCH :
			       GPUTM_SIMT_STACK_CONTINUE;
	top += (ptrdiff_t)(pushes + split->likely) - split->replace;
	return top > s->slot + s->limit ? GPUTM_SIMT_STACK_FULL : GPUTM_SIMT_STACK_SWITCH;
}

/* Steps 1 and 2; *top is the place for the targets. Returns their LPos. */
static uint32_t make_way(struct gputm_simt_stack *s, const struct split *split, uint64_t rpc,
			 struct gputm_simt_stack_entry **top)
{
	struct gputm_simt_stack_entry *e = s->top;

	if (split->replace && !split->likely) {
		s->replaced++;
		*top = e - 1;
		return split->lpc == NO_PC ? NO_ENTRY : e->lpos;
	}
	if (split->replace) {
		e->pc = split->lpc;
		e->mask = 0;
	} else {
		e->pc = rpc;
		if (split->likely) {
			gputm__simt_set(++e, split->lpc, rpc, 0, GPUTM_SIMT_STACK_TYPE_NORMAL);
			s->pushed++;
		}
	}
	*top = e;
	return split->likely ? gputm__simt_slot(s, e) - 1 : NO_ENTRY;
}

static int diverged(struct gputm_simt_stack *s, struct gputm_simt_stack_entry *top, uint64_t rpc,
		    uint64_t lpc)
{
	uint32_t before = gputm__simt_slot(s, s->top);

	s->divergences++;
	gputm__simt_raise_to(s, top);
	gputm__emit(&s->unit, GPUTM_SIMT_STACK_EVENT_DIVERGE, before, gputm__simt_slot(s, top),
		    rpc, lpc);
	return gputm__simt_settle(s);
}

static int diverge_any(struct gputm_simt_stack *s, const struct gputm_simt_stack_target target[],
		      size_t count, uint64_t rpc, uint64_t lpc)
{
	struct gputm_simt_stack_entry *top;
	struct split split;
	uint32_t lpos;
	int result = judge(s, s->top->mask, target, count, rpc, lpc, &split);

	if (result < 0)
		return result;
	if (split.uniform_pc != NO_PC)
		return gputm_simt_stack_proceed(s, split.uniform_pc);
	if (result == GPUTM_SIMT_STACK_FULL) {
		s->full++;
		return result;
	}
	lpos = make_way(s, &split, rpc, &top);
	for (size_t i = 0; i < count; i++) {
		if (!target[i].mask || target[i].pc == rpc)
			continue;
		if (target[i].pc == split.lpc) {
			s->slot[lpos + 1].mask |= target[i].mask;
			continue;
		}
		gputm__simt_set(++top, target[i].pc, rpc, target[i].mask,
				GPUTM_SIMT_STACK_TYPE_NORMAL);
		top->lpc = split.lpc;
		top->lpos = lpos;
	}
	s->pushed += split.pushes;
	return diverged(s, top, rpc, split.lpc);
}

/*
 * Nearly every branch has two targets and no likely-convergence point. Anything else, and
 * anything to refuse, is for diverge_any().
 */
int gputm_simt_stack_diverge(struct gputm_simt_stack *s,
			     const struct gputm_simt_stack_target target[], size_t count,
			     uint64_t rpc, uint64_t lpc)
{
	if (count != 2 || (lpc | s->no_lpc) != NO_PC || !target[0].mask || !target[1].mask ||
	    (target[0].mask & target[1].mask) ||
	    (target[0].mask | target[1].mask) != s->top->mask ||
	    !gputm__simt_part(s, &target[0], &target[1], rpc))
		return diverge_any(s, target, count, rpc, lpc);
	return GPUTM_SIMT_STACK_SWITCH;
}

int gputm_simt_stack_diverge_probe(const struct gputm_simt_stack *s,
				   const struct gputm_simt_stack_target target[], size_t count,
				   uint64_t rpc, uint64_t lpc)
{
	struct split split;

	return judge(s, s->top->mask, target, count, rpc, lpc, &split);
}

int gputm__simt_judge(const struct gputm_simt_stack *s, uint64_t active,
		      const struct gputm_simt_stack_target target[], size_t count, uint64_t rpc)
{
	struct split split;

	return judge(s, active, target, count, rpc, NO_PC, &split);
}

int gputm_simt_stack_exit(struct gputm_simt_stack *s, uint64_t mask)
{
	struct gputm_simt_stack_entry *top = s->top;

	if (s->retry)
		return gputm__refuse(&s->unit, "exit: the warp is in a transaction");
	if (!mask || (mask & ~top->mask))
		return gputm__simt_refuse_mask(s, "exit mask", mask, top->mask);
	s->lanes_ended += gputm__popcount(mask);
	gputm__simt_take_away(s->slot + 1, top, mask);
	gputm__simt_settle(s);
	gputm__emit(&s->unit, GPUTM_SIMT_STACK_EVENT_EXIT, gputm__simt_slot(s, s->top), mask, 0, 0);
	if (s->top == top)
		return GPUTM_SIMT_STACK_CONTINUE;
	return s->top == s->slot ? GPUTM_SIMT_STACK_FINISH : GPUTM_SIMT_STACK_SWITCH;
}
