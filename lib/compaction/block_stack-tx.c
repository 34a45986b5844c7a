/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transactions of a block, whose entries are those of Fig. 4.3 for the threads of all its warps:
 *
 *	entry	PC		threads
 *	below	of tx_begin	all that began; those that have committed wait here
 *	R	after tx_begin	those that run again when the attempt is over
 *	T	of the attempt	those of the attempt
 *	...			of branches within the attempt
 *
 * Up to tx_commit T is an entry as all others, compacted whenever it is on top. There its warps
 * are over, and its threads commit or abort by static warps. What is left in R is the next
 * attempt, compacted: threads that fail rarely fill warps together.
 */
#include "lib/compaction/block_stack-priv.h"

#define BEGIN GPUTM__BLOCK_BEGIN
#define COMMIT GPUTM__BLOCK_COMMIT

uint32_t gputm_block_stack_tx_retry(const struct gputm_block_stack *s)
{
	return s->tx_depth ? s->tx_depth - 2 : NO_ENTRY;
}

/* A warp leaves its entry, or it is refused; room[] is what the first one needs. */
static int leave(struct gputm_block_stack *s, const char *what, uint32_t warp, uint32_t way,
		 uint64_t pc, uint32_t room)
{
	uint64_t lanes = gputm__block_warp(s, warp);

	if (!lanes || (s->at_barrier >> warp & 1))
		return gputm__block_refuse(s, what, warp);
	if (!gputm__block_is_pc(s, pc))
		return gputm__out_of_range(&s->unit, way == BEGIN ? "restart PC" : "PC after", pc,
					   0, s->pc_max);
	if (s->way == GPUTM__BLOCK_NONE && s->count + room > s->config.depth) {
		s->full++;
		return GPUTM_BLOCK_STACK_FULL;
	}
	if (!gputm__block_leaves(s, way, pc))
		return gputm__block_refuse(s, what, warp);
	s->running[warp] = 0;
	gputm__emit(&s->unit,
		    way == BEGIN ? GPUTM_BLOCK_STACK_EVENT_TX_BEGIN :
				   GPUTM_BLOCK_STACK_EVENT_TX_COMMIT,
		    warp, pc, lanes, s->wcnt - 1);
	return GPUTM_BLOCK_STACK_CONTINUE;
}

int gputm_block_stack_tx_begin(struct gputm_block_stack *s, uint32_t warp, uint64_t restart_pc)
{
	int result;

	if (s->tx_depth)
		return gputm__refuse(&s->unit, "tx_begin: the block is in a transaction");
	result = leave(s, "tx_begin", warp, BEGIN, restart_pc, 2);
	if (result)
		return result;
	s->warps_begun++;
	return gputm__block_come(s);
}

int gputm_block_stack_tx_commit(struct gputm_block_stack *s, uint32_t warp, uint64_t pc_after)
{
	int result;

	if (!s->tx_depth || s->top != s->tx_depth - 1)
		return gputm__refuse(&s->unit, "tx_commit: the top of stack is no attempt");
	result = leave(s, "tx_commit", warp, COMMIT, pc_after, 0);
	if (result)
		return result;
	s->warps_committed++;
	return gputm__block_come(s);
}

int gputm_block_stack_tx_abort(struct gputm_block_stack *s, uint32_t warp, uint64_t lanes)
{
	uint64_t running = gputm__block_warp(s, warp);

	if (!s->tx_depth)
		return gputm__refuse(&s->unit, "tx_abort: the block is in no transaction");
	if (!running)
		return gputm__block_refuse(s, "tx_abort", warp);
	if (!lanes || (lanes & ~running))
		return gputm__refuse(&s->unit, "lanes = 0x%llx is empty or not within 0x%llx",
				     (unsigned long long)lanes, (unsigned long long)running);
	for (uint64_t m = lanes; m; m &= m - 1) {
		uint32_t lane = gputm__lowest(m), home = gputm__block_home(s, warp)[lane];

		for (uint32_t i = s->tx_depth - 1; i <= s->top; i++)
			gputm__block_mask(s, i)[lane] &= ~home;
		gputm__block_mask(s, s->tx_depth - 2)[lane] |= home;
	}
	s->running[warp] &= ~lanes;
	s->top_threads -= gputm__popcount(lanes);
	s->threads_aborted += gputm__popcount(lanes);
	gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_TX_ABORT, warp, lanes,
		    s->wcnt - !s->running[warp], 0);
	if (s->running[warp])
		return GPUTM_BLOCK_STACK_CONTINUE;
	s->warps_aborted++;
	return gputm__block_come(s);
}

int gputm_block_stack_tx_report(struct gputm_block_stack *s, uint32_t static_warp,
				uint64_t committed, uint64_t aborted)
{
	uint64_t lanes = committed | aborted, open = 0;
	uint32_t *attempt, *retry, bit;

	if (s->way != COMMIT || s->wcnt)
		return gputm__refuse(&s->unit, "tx_report: %u warps are not at tx_commit",
				     s->wcnt);
	if (static_warp >= s->config.warps)
		return gputm__out_of_range(&s->unit, "static warp", static_warp, 0,
					   s->config.warps - 1);
	attempt = gputm__block_mask(s, s->tx_depth - 1);
	retry = gputm__block_mask(s, s->tx_depth - 2);
	bit = 1u << static_warp;
	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		open |= (uint64_t)((attempt[lane] & bit) != 0) << lane;
	if (!lanes || (committed & aborted) || (lanes & ~open))
		return gputm__refuse(&s->unit,
				     "committed = 0x%llx and aborted = 0x%llx do not part 0x%llx",
				     (unsigned long long)committed, (unsigned long long)aborted,
				     (unsigned long long)open);
	for (uint64_t m = lanes; m; m &= m - 1) {
		uint32_t lane = gputm__lowest(m);

		attempt[lane] &= ~bit;
		retry[lane] |= aborted >> lane & 1 ? bit : 0;
	}
	s->top_threads -= gputm__popcount(lanes);
	s->threads_committed += gputm__popcount(committed);
	s->threads_aborted += gputm__popcount(aborted);
	gputm__emit(&s->unit, GPUTM_BLOCK_STACK_EVENT_TX_REPORT, static_warp, committed, aborted,
		    s->top_threads);
	return gputm__block_has_threads(s, s->top) ? GPUTM_BLOCK_STACK_WAIT :
						     gputm__block_settle(s);
}
