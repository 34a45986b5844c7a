/* SPDX-License-Identifier: BSD-2-Clause */
/* The invariants B1 to B9 of the block-wide stack, which stand in block_stack.c. */
#include "lib/compaction/block_stack-priv.h"

static bool is_pc_or_none(const struct gputm_block_stack *s, uint64_t pc)
{
	return pc == NO_PC || gputm__block_is_pc(s, pc);
}

/* Are all threads of a in b? And have a and b no common thread? */
static bool within(const struct gputm_block_stack *s, const uint32_t *a, const uint32_t *b)
{
	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		if (a[lane] & ~b[lane])
			return false;
	return true;
}

static bool apart(const struct gputm_block_stack *s, const uint32_t *a, const uint32_t *b)
{
	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		if (a[lane] & b[lane])
			return false;
	return true;
}

static bool is_empty(const struct gputm_block_stack *s, const uint32_t *a)
{
	return apart(s, a, a);
}

static const char *check_fields(const struct gputm_block_stack *s, uint32_t index)
{
	const struct gputm__block_entry *e = &s->entry[index], *likely;
	uint32_t none = ~(uint32_t)gputm__low_mask(s->config.warps);

	if (!gputm__block_is_pc(s, e->pc) || !is_pc_or_none(s, e->rpc) ||
	    !is_pc_or_none(s, e->lpc))
		return "B1: a PC is wider than configured";
	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		if (gputm__block_mask(s, index)[lane] & none)
			return "B1: an entry has threads outside the block";
	if (e->lpc == NO_PC && e->lpos == NO_ENTRY)
		return NULL;
	if (!s->config.likely_convergence)
		return "B4: an entry has a likely-convergence PC in a stack without likely "
		       "convergence";
	if (e->lpc == NO_PC || e->lpc == e->rpc || e->lpos >= index)
		return "B4: LPos is not a lower entry";
	likely = &s->entry[e->lpos];
	if (index <= s->top && (likely->pc != e->lpc || likely->rpc != e->rpc))
		return "B4: LPos is not an entry that waits at the LPC";
	return NULL;
}

/* B8: R and T, which has this index. */
static const char *check_attempt(const struct gputm_block_stack *s, uint32_t attempt)
{
	const struct gputm__block_entry *t = &s->entry[attempt], *r = t - 1;
	const uint32_t *running = gputm__block_mask(s, attempt);
	const uint32_t *retry = gputm__block_mask(s, attempt - 1);

	if (r->rpc != NO_PC || t->rpc != NO_PC || r->lpc != NO_PC || t->lpc != NO_PC)
		return "B8: an entry of a transaction has an RPC or an LPC";
	if (!apart(s, running, retry))
		return "B8: a thread is in an attempt and waits for the next one";
	if (!within(s, running, gputm__block_mask(s, attempt - 2)) ||
	    !within(s, retry, gputm__block_mask(s, attempt - 2)))
		return "B8: a thread of a transaction has not begun it";
	return NULL;
}

/* B2, B3: an entry up to the top of stack against those below it. */
static const char *check_nest(const struct gputm_block_stack *s, uint32_t index)
{
	const struct gputm__block_entry *e = &s->entry[index];
	const uint32_t *mask = gputm__block_mask(s, index);
	uint32_t below = index;

	if (index + 2 == s->tx_depth)
		return NULL;
	if (index + 1 == s->tx_depth)
		return check_attempt(s, index);
	if (index >= s->tx_depth && s->tx_depth && e->rpc == NO_PC)
		return "B8: an entry without RPC lies in a transaction";
	while (below && s->entry[below - 1].rpc == e->rpc)
		if (!apart(s, mask, gputm__block_mask(s, --below)))
			return "B2: a thread is in two targets of the same branch";
	if (e->lpos != NO_ENTRY && e->lpos < below)
		return "B4: LPos lies below the branch";
	if (e->rpc == NO_PC)
		return below ? "B3: an entry without RPC lies above one with it" : NULL;
	if (!below || s->entry[below - 1].pc != e->rpc ||
	    !within(s, mask, gputm__block_mask(s, below - 1)))
		return "B2: the threads of an entry do not wait at its RPC";
	if (e->pc == e->rpc && !(index == s->top && s->way == GPUTM__BLOCK_BRANCH))
		return "B1: an entry is at its own RPC";
	return NULL;
}

static bool is_entry(const struct gputm__block_entry *e, uint64_t pc, uint64_t rpc, uint64_t lpc,
		     uint32_t lpos)
{
	return e->pc == pc && e->rpc == rpc && e->lpc == lpc && e->lpos == lpos;
}

static bool is_branch(const struct gputm_block_stack *s)
{
	const struct gputm_block_stack_target *t = &s->target;

	return gputm__block_is_pc(s, t->taken_pc) && gputm__block_is_pc(s, t->other_pc) &&
	       is_pc_or_none(s, t->lpc) &&
	       (t->rpc == NO_PC ? s->entry[s->top].rpc == NO_PC && !s->tx_depth :
				  s->entry[s->top].pc == t->rpc && gputm__block_is_pc(s, t->rpc));
}

/* B6: the entries above the top are those of the branch, with the threads taken so far. */
static const char *check_branch(const struct gputm_block_stack *s, const uint32_t *arrived)
{
	const struct gputm_block_stack_target *t = &s->target;
	struct gputm__block_split split;
	uint32_t taken = s->count - 1, other = s->count - 2;

	if (!is_branch(s))
		return "B6: the open branch has PCs that no branch can have";
	split = gputm__block_split(s, t);
	if (s->count - 1 - s->top != split.pushes)
		return "B6: the entries above the top do not belong to the open branch";
	if (!is_entry(&s->entry[taken], t->taken_pc, t->rpc, split.lpc, split.lpos) ||
	    !is_entry(&s->entry[other], t->other_pc, t->rpc, split.lpc, split.lpos))
		return "B6: an entry being filled does not belong to the open branch";
	if (split.pushes == 3 &&
	    (!is_entry(&s->entry[s->top + 1], split.lpc, t->rpc, NO_PC, NO_ENTRY) ||
	     !is_empty(s, gputm__block_mask(s, s->top + 1))))
		return "B6: the likely-convergence entry of the open branch is of another kind";
	if (!is_empty(s, gputm__block_mask(s, other)) ||
	    !within(s, gputm__block_mask(s, taken), arrived))
		return "B6: threads took the open branch before they reached the branch";
	return NULL;
}

/* B5: running warps have threads of the top, apart from each other and from threads
 * to be admitted. */
static const char *check_warps(const struct gputm_block_stack *s)
{
	uint32_t seen[GPUTM__COLUMNS_MAX], running = 0;
	struct gputm__columns_count n = gputm__columns_count(s->left, s->config.lanes);

	memcpy(seen, s->left, sizeof(seen));
	if (!within(s, s->left, gputm__block_mask(s, s->top)))
		return "B5: a thread to be admitted is not in the top entry";
	for (uint32_t warp = 0; warp < s->admitted; warp++) {
		running += s->running[warp] != 0;
		for (uint64_t m = s->running[warp]; m; m &= m - 1) {
			uint32_t lane = gputm__lowest(m), home = gputm__block_home(s, warp)[lane];

			if ((home & seen[lane]) || (home & ~gputm__block_mask(s, s->top)[lane]))
				return "B5: a thread is in two warps, or in a warp and not in the "
				       "top";
			seen[lane] |= home;
		}
	}
	if (gputm__columns_warps(&n, s->config.compact) != s->formed - s->admitted)
		return "B5: the number of warps to come does not fit the threads to be admitted";
	if (s->wcnt != running + (s->formed - s->admitted) ||
	    (!s->wcnt && s->way != GPUTM__BLOCK_COMMIT))
		return "B5: WCnt is not the warps that run and those to come";
	return NULL;
}

static const char *check_way(const struct gputm_block_stack *s)
{
	static const struct gputm_block_stack_target none = { 0, 0, 0, 0 };
	const struct gputm__block_entry *e = &s->entry[s->top];
	bool branch = s->way == GPUTM__BLOCK_BRANCH, arrive = s->way == GPUTM__BLOCK_ARRIVE;
	uint32_t arrived[GPUTM__COLUMNS_MAX];

	gputm__block_arrived(s, arrived);
	if (is_empty(s, arrived) != (s->way == GPUTM__BLOCK_NONE))
		return "B5: the waiting threads and the point where they wait disagree";
	if (s->way != GPUTM__BLOCK_NONE && s->wcnt == s->formed)
		return "B5: threads wait although no warp has arrived";
	if (!branch && (s->top != s->count - 1 || e->pc != s->start_pc ||
			memcmp(&s->target, &none, sizeof(none))))
		return "B6: a target, a PC or entries of a branch are left, and no branch is open";
	if (!gputm__block_is_pc(s, s->start_pc) || (!branch && e->pc == e->lpc))
		return "B1: the start PC does not fit pc_bits, or is the likely-convergence PC";
	if (arrive ? s->way_pc != e->rpc && s->way_pc != e->lpc :
	    s->way < GPUTM__BLOCK_BEGIN && s->way_pc != 0)
		return "B5: warps wait at a PC where their entry does not end";
	if (!gputm__block_is_pc(s, s->way_pc))
		return "B5: warps wait at a PC where their entry does not end";
	if (s->way == GPUTM__BLOCK_BEGIN && (s->tx_depth || s->count + 2 > s->config.depth))
		return "B8: warps wait at tx_begin in a transaction, or without room for it";
	if (s->way == GPUTM__BLOCK_COMMIT && s->top + 1 != s->tx_depth)
		return "B8: warps wait at tx_commit that are not of an attempt";
	for (uint32_t warp = 0; warp < GPUTM__COLUMN_BITS; warp++)
		if ((s->at_barrier >> warp & 1) && !gputm__block_warp(s, warp))
			return "B7: a warp at the barrier has no running threads";
	if (s->at_barrier && (s->way != GPUTM__BLOCK_NONE || s->top_threads != s->live ||
			      s->tx_depth ||
			      gputm__popcount(s->at_barrier) >= s->wcnt))
		return "B7: warps wait at a barrier that should have opened, or within a branch";
	return branch ? check_branch(s, arrived) : NULL;
}

void gputm__block_laws(const struct gputm_block_stack *s, struct gputm__laws *laws)
{
	uint32_t running = s->wcnt - (s->formed - s->admitted), in_tx = 0;

	for (uint32_t i = 2; i && s->tx_depth; i--)
		in_tx += gputm__columns_count(gputm__block_mask(s, s->tx_depth - i),
					      s->config.lanes).threads;
	gputm__law(
		laws, s->pushed,
		s->count + s->reconverged + s->merged + s->emptied + s->replaced +
			2 * (s->transactions - (s->tx_depth != 0)),
		"B9: pushed is not entries + reconverged + merged + emptied + replaced + those of "
		"transactions that are over");
	gputm__law(laws, s->threads_begun, s->threads_committed + in_tx,
		   "B9: threads begun are not committed ones + those of the transaction");
	gputm__law(laws, s->threads_launched, s->threads_ended + s->live,
		   "B9: launched threads are not ended + live ones");
	gputm__law(laws, s->warps_formed, s->warps_admitted + (s->formed - s->admitted),
		   "B9: warps formed are not admitted + to be admitted");
	gputm__law(laws, s->warps_admitted,
		   s->warps_branched + s->warps_arrived + s->warps_ended + s->warps_begun +
			   s->warps_committed + s->warps_aborted + running,
		   "B9: admitted warps are not branched + arrived + ended + begun + committed + "
		   "aborted + running ones");
	gputm__law_most(laws, &s->max_depth, s->count, s->config.depth,
			"B9: max_depth is not between entries and depth");
}

static const char *check_empty(const struct gputm_block_stack *s)
{
	static const struct gputm_block_stack_target none = { 0, 0, 0, 0 };

	if (s->wcnt || s->at_barrier || s->way || s->way_pc || s->tx_depth ||
	    s->start_pc != NO_PC ||
	    memcmp(&s->target, &none, sizeof(none)) || !is_empty(s, s->left))
		return "B9: an empty stack has entries";
	return NULL;
}

const char *gputm__block_check(const struct gputm_block_stack *s)
{
	const char *broken = s->count ? NULL : check_empty(s);

	if (s->tx_depth && (s->tx_depth < 3 || s->tx_depth > s->top + 1))
		broken = "B8: the entries of a transaction are not in the stack";
	for (uint32_t i = 0; i < s->count && !broken; i++)
		if (i <= s->top || s->way == GPUTM__BLOCK_BRANCH)
			broken = check_fields(s, i);
	for (uint32_t i = 0; s->count && i <= s->top && !broken; i++)
		broken = check_nest(s, i);
	if (!broken && s->count)
		broken = check_warps(s);
	if (!broken && s->count)
		broken = check_way(s);
	return broken;
}
