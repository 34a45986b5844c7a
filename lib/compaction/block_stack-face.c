/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The common face of the block-wide stack: parameters, statistics, storage, what may be seen
 * of it, and snapshots.
 */
#include "lib/compaction/block_stack-priv.h"

#define UNIT block_stack

static const struct gputm_param rows[] = {
	PARAM(lanes, 1, 64, 32, false, "Lanes of a warp.", "thesis 3.3.3"),
	PARAM(warps, 1, 32, 32, false, "Static warps of the block.", "thesis 3.3.3"),
	PARAM(pc_bits, 1, 64, 32, false, "Width of a program counter, bits.", ""),
	PARAM(depth, 4, 1024, 64, false, "Entries.", "thesis Table 3.3"),
	PARAM(likely_convergence, 0, 1, 0, false,
	      "Use likely-convergence points: the fields LPC and LPos.", "thesis 3.4"),
	PARAM(compact, 0, 1, 1, false,
	      "Pack threads; 0: all stay in their static warps. Must equal the compactor's.",
	      "thesis 3.3.2"),
};

static const struct gputm_preset presets[] = {
	{ "tbc",
	  "Thesis 3.3: blocks of 32 warps of 32 lanes.",
	  { { "lanes", 32 }, { "warps", 32 }, { "likely_convergence", 0 }, { "compact", 1 } } },
	{ "tbc-lcp",
	  "Thesis 3.4: the same with likely-convergence points.",
	  { { "lanes", 32 }, { "warps", 32 }, { "likely_convergence", 1 }, { "compact", 1 } } },
	{ "static",
	  "Thesis 3.3.2: compaction disabled.",
	  { { "lanes", 32 }, { "warps", 32 }, { "likely_convergence", 0 }, { "compact", 0 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(branches, COUNTER, "branches", "Branches of the block, all warps together."),
	STAT(full, COUNTER, "refusals", "Branches that found no room."),
	STAT(max_depth, MAXIMUM, "entries", "Deepest stack."),
	STAT(pushed, COUNTER, "entries", "Entries pushed."),
	STAT(reconverged, COUNTER, "entries", "Entries popped at their RPC."),
	STAT(merged, COUNTER, "entries", "Entries popped at their LPC."),
	STAT(emptied, COUNTER, "entries", "Entries popped because they had no thread."),
	STAT(replaced, COUNTER, "entries", "Entries that gave way to the targets of their branch."),
	STAT(tops, COUNTER, "entries", "Times that an entry became the top of stack."),
	STAT(warps_formed, COUNTER, "warps", "Warps that these entries were compacted into."),
	STAT(warps_admitted, COUNTER, "warps", "Warps admitted."),
	STAT(warps_branched, COUNTER, "warps", "Warps that came to a branch."),
	STAT(warps_arrived, COUNTER, "warps", "Warps that came to a reconvergence point."),
	STAT(warps_ended, COUNTER, "warps", "Warps whose last threads ended."),
	STAT(threads_launched, COUNTER, "threads", "Threads launched."),
	STAT(threads_ended, COUNTER, "threads", "Threads that have ended."),
	STAT(barriers, COUNTER, "barriers", "Barriers of the block passed."),
	STAT(transactions, COUNTER, "transactions", "Transactions of the block begun."),
	STAT(restarts, COUNTER, "attempts", "Attempts after the first one of a transaction."),
	STAT(warps_begun, COUNTER, "warps", "Warps that came to tx_begin."),
	STAT(warps_committed, COUNTER, "warps", "Warps that came to tx_commit."),
	STAT(warps_aborted, COUNTER, "warps", "Warps whose last threads aborted before."),
	STAT(threads_begun, COUNTER, "threads", "Threads that began a transaction."),
	STAT(threads_committed, COUNTER, "threads", "Threads whose transactions committed."),
	STAT(threads_aborted, COUNTER, "threads", "Threads whose attempts aborted."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_BLOCK_STACK_EVENT_LAUNCH, "launch", "A block begins.",
	      VALUE(pc, "PC", "Where the block begins."),
	      VALUE(threads, "threads", "Threads of the block.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_ADMIT, "admit", "A warp of the top entry begins.",
	      VALUE(formed_warp, "formed warp", "Number of the warp within the entry."),
	      VALUE(lanes, "lane mask", "Lanes of the warp."),
	      VALUE(pc, "PC", "Where the warp begins.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_BRANCH, "branch", "A warp has branched, and is over.",
	      VALUE(formed_warp, "formed warp", "Number of the warp within the entry."),
	      VALUE(taken, "lane mask", "Lanes that take the branch."),
	      VALUE(lanes, "lane mask", "All lanes of the warp."),
	      VALUE(warps_left, "warps", "Warps of the entry that are not over.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_ARRIVE, "arrive",
	      "A warp has come to the RPC or LPC of the entry, and is over.",
	      VALUE(formed_warp, "formed warp", "Number of the warp within the entry."),
	      VALUE(pc, "PC", "Where the warp has come to."),
	      VALUE(lanes, "lane mask", "Lanes of the warp."),
	      VALUE(warps_left, "warps", "Warps of the entry that are not over.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_EXIT, "exit", "Threads of a warp have ended.",
	      VALUE(formed_warp, "formed warp", "Number of the warp within the entry."),
	      VALUE(lanes, "lane mask", "Lanes of the threads."),
	      VALUE(warps_left, "warps", "Warps of the entry that are not over.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_RECONVERGE, "reconverge",
	      "All threads of an entry have come to its RPC, and the entry is gone.",
	      VALUE(entry, "stack index", "The entry."),
	      VALUE(pc, "PC", "PC of the entry.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_MERGE, "merge",
	      "All threads of an entry have come to its LPC, and the entry is gone.",
	      VALUE(entry, "stack index", "The entry."),
	      VALUE(pc, "PC", "PC of the entry."),
	      VALUE(into, "stack index", "The entry that the threads have joined.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_EMPTY, "empty", "An entry without threads is gone.",
	      VALUE(entry, "stack index", "The entry."),
	      VALUE(pc, "PC", "PC of the entry.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_TOP, "top", "The stack has a new top entry.",
	      VALUE(entry, "stack index", "The entry."),
	      VALUE(pc, "PC", "PC of the entry."),
	      VALUE(threads, "threads", "Threads of the entry."),
	      VALUE(warps, "warps", "Warps that the threads make.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_RELEASE, "release",
	      "All warps of the entry have come to a barrier, and go on.",
	      VALUE(warps, "warps", "Warps of the entry.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_TX_BEGIN, "tx-begin",
	      "A warp has come to tx_begin, and is over.",
	      VALUE(formed_warp, "formed warp", "Number of the warp within the entry."),
	      VALUE(pc, "PC", "Where attempts start."),
	      VALUE(lanes, "lane mask", "Lanes of the warp."),
	      VALUE(warps_left, "warps", "Warps of the entry that are not over.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_TX_COMMIT, "tx-commit",
	      "A warp has come to tx_commit, and is over.",
	      VALUE(formed_warp, "formed warp", "Number of the warp within the entry."),
	      VALUE(pc, "PC", "Where threads go on that commit."),
	      VALUE(lanes, "lane mask", "Lanes of the warp."),
	      VALUE(warps_left, "warps", "Warps of the attempt that are not over.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_TX_ABORT, "tx-abort",
	      "Threads of a warp have aborted before tx_commit.",
	      VALUE(formed_warp, "formed warp", "Number of the warp within the entry."),
	      VALUE(lanes, "lane mask", "Lanes of the threads."),
	      VALUE(warps_left, "warps", "Warps of the entry that are not over.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_TX_REPORT, "tx-report",
	      "Threads at tx_commit have committed or aborted.",
	      VALUE(static_warp, "static warp", "Static warp of the threads."),
	      VALUE(passed, "lane mask", "Lanes that have committed."),
	      VALUE(aborted, "lane mask", "Lanes that have aborted."),
	      VALUE(threads_left, "threads", "Threads of the attempt that are open.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_RESTART, "restart",
	      "Threads that aborted begin another attempt.",
	      VALUE(entry, "stack index", "The entry T."),
	      VALUE(pc, "PC", "Where the attempt starts.")),
	EVENT(GPUTM_BLOCK_STACK_EVENT_LEAVE, "leave",
	      "All threads have committed, and the transaction is over.",
	      VALUE(entry, "stack index", "The entry that goes on."),
	      VALUE(pc, "PC", "Where the entry goes on.")),
};

/* ---- the common face ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_block_stack *s = (void *)unit;
	const struct gputm_block_stack_config *c = &s->config;

	s->pc_max = gputm__low_mask(c->pc_bits);
	if (s->pc_max == NO_PC)
		s->pc_max--;
	s->entry = gputm__own(unit, c->depth, sizeof(*s->entry));
	s->mask = gputm__own(unit, (size_t)c->depth * c->lanes, sizeof(*s->mask));
	s->home = gputm__own(unit, (size_t)c->warps * c->lanes, sizeof(*s->home));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_block_stack *s = (void *)unit;

	s->count = 0;
	s->top = 0;
	s->formed = 0;
	s->admitted = 0;
	s->wcnt = 0;
	s->at_barrier = 0;
	s->way = GPUTM__BLOCK_NONE;
	s->way_pc = 0;
	s->tx_depth = 0;
	s->start_pc = NO_PC;
	s->live = 0;
	memset(&s->target, 0, sizeof(s->target));
	memset(s->running, 0, sizeof(s->running));
	memset(s->left, 0, sizeof(s->left));
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_block_stack_config *c = gputm_unit_config(unit);
	uint64_t threads = (uint64_t)c->lanes * c->warps;

	gputm__array(out, "entries: PC, RPC, WCnt", c->depth,
		     UINT64_C(2) * c->pc_bits + gputm__bits_for((uint64_t)c->warps + 1), 1);
	gputm__array(out, "entries: mask", c->depth, threads, 1);
	gputm__array(out, "entries: LPC, LPos", c->likely_convergence ? c->depth : 0,
		     c->pc_bits + gputm__bits_for(c->depth), 1);
	gputm__array(out, "warp buffer: static warp of each thread", c->warps,
		     (uint64_t)c->lanes * gputm__bits_for(c->warps), 1);
	gputm__array_apart(out, "threads to be admitted", 1, threads, 1);
}

/* ---- snapshots ---- */

static void io_entries(struct gputm_block_stack *s, struct gputm__io *io)
{
	for (uint32_t i = 0; i < s->count && !io->error; i++) {
		struct gputm__block_entry *e = &s->entry[i];

		gputm__io_u64(io, &e->pc);
		gputm__io_u64(io, &e->rpc);
		gputm__io_u64(io, &e->lpc);
		gputm__io_u32(io, &e->lpos);
		gputm__io_u32s(io, gputm__block_mask(s, i), s->config.lanes);
	}
}

/* A warp that runs: its lanes, and the static warp of the thread in each. */
static void io_warp(struct gputm_block_stack *s, struct gputm__io *io, uint32_t warp)
{
	uint32_t *home = gputm__block_home(s, warp);

	gputm__io_u64_max(io, &s->running[warp], gputm__low_mask(s->config.lanes),
			  "lanes of a warp");
	for (uint64_t m = s->running[warp]; m && !io->error; m &= m - 1) {
		uint32_t lane = gputm__lowest(m);
		uint8_t w = gputm__io_reading(io) ? 0 : (uint8_t)gputm__lowest(home[lane]);

		gputm__io_u8(io, &w);
		if (w >= s->config.warps)
			gputm__io_fail(io, -EINVAL, "a thread is outside the block");
		else if (gputm__io_reading(io))
			home[lane] = 1u << w;
	}
}

static void io_way(struct gputm_block_stack *s, struct gputm__io *io)
{
	gputm__io_u32_max(io, &s->way, GPUTM__BLOCK_COMMIT, "way out of the entry");
	gputm__io_u64(io, &s->way_pc);
	gputm__io_u64(io, &s->target.taken_pc);
	gputm__io_u64(io, &s->target.other_pc);
	gputm__io_u64(io, &s->target.rpc);
	gputm__io_u64(io, &s->target.lpc);
}

/* Threads of the top and of the block; the bottom entries, below a transaction, have all. */
static void derive(struct gputm_block_stack *s)
{
	s->top_threads = 0;
	s->live = 0;
	if (!s->count)
		return;
	s->top_threads =
		gputm__columns_count(gputm__block_mask(s, s->top), s->config.lanes).threads;
	for (uint32_t i = 0; i <= s->top && s->entry[i].rpc == NO_PC && i + 2 != s->tx_depth; i++)
		s->live +=
			gputm__columns_count(gputm__block_mask(s, i), s->config.lanes).threads;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_block_stack *s = (void *)unit;

	gputm__io_u32_max(io, &s->count, s->config.depth, "entries");
	gputm__io_u32_max(io, &s->top, s->count ? s->count - 1 : 0, "top of stack");
	gputm__io_u32_max(io, &s->tx_depth, s->top + 1, "entries of a transaction");
	if (s->tx_depth == 1 || s->tx_depth == 2)
		gputm__io_fail(io, -EINVAL, "the entries of a transaction are not in the stack");
	gputm__io_u32_max(io, &s->formed, s->count ? s->config.warps : 0, "warps of the top");
	gputm__io_u32_max(io, &s->admitted, s->formed, "warps admitted");
	gputm__io_u32(io, &s->wcnt);
	gputm__io_u32(io, &s->at_barrier);
	gputm__io_u64(io, &s->start_pc);
	io_way(s, io);
	io_entries(s, io);
	for (uint32_t warp = 0; warp < s->admitted && !io->error; warp++)
		io_warp(s, io, warp);
	gputm__io_u32s(io, s->left, s->config.lanes);
	if (gputm__io_reading(io) && !io->error)
		derive(s);
}

static const char *check(const struct gputm_unit *unit)
{
	return gputm__block_check((const struct gputm_block_stack *)(const void *)unit);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	gputm__block_laws((const struct gputm_block_stack *)(const void *)unit, laws);
}

GPUTM__UNIT(block_stack, .version = 2, .setup = setup, .laws = laws)

/* ---- looking ---- */

uint64_t gputm_block_stack_pc(const struct gputm_block_stack *s)
{
	return s->start_pc;
}

void gputm_block_stack_mask(const struct gputm_block_stack *s, uint64_t mask[])
{
	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		mask[lane] = s->count ? gputm__block_mask(s, s->top)[lane] : 0;
}

uint32_t gputm_block_stack_live(const struct gputm_block_stack *s)
{
	return s->live;
}

size_t gputm_block_stack_depth(const struct gputm_block_stack *s)
{
	return s->count;
}

size_t gputm_block_stack_top(const struct gputm_block_stack *s)
{
	return s->top;
}

int gputm_block_stack_get_entry(const struct gputm_block_stack *s, size_t index,
				struct gputm_block_stack_entry *out)
{
	const struct gputm__block_entry *e;
	uint32_t others[GPUTM__COLUMNS_MAX];
	const uint32_t *mask;

	if (index >= s->count)
		return gputm__past_end(&s->unit, "entry", index, s->count);
	e = &s->entry[index];
	out->pc = e->pc;
	out->rpc = e->rpc;
	out->lpc = e->lpc;
	out->lpos = e->lpos;
	out->wcnt = index == s->top ? s->wcnt : 0;
	mask = gputm__block_mask(s, (uint32_t)index);
	if (s->way == GPUTM__BLOCK_BRANCH && index == s->count - 2) {
		gputm__block_arrived(s, others);
		for (uint32_t lane = 0; lane < s->config.lanes; lane++)
			others[lane] &= ~gputm__block_mask(s, s->count - 1)[lane];
		mask = others;
	}
	memset(out->mask, 0, sizeof(out->mask));
	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		out->mask[lane] = mask[lane];
	return 0;
}

uint64_t gputm_block_stack_warp(const struct gputm_block_stack *s, uint32_t warp)
{
	return gputm__block_warp(s, warp);
}
