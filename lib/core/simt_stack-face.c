/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The common face of the SIMT stack: parameters, statistics, storage, snapshots and
 * the invariants I1 to I7, which stand in simt_stack.c.
 */
#include "lib/core/simt_stack-priv.h"

/* The contents of slot[0]: below all entries, never popped, without lanes. */
static const struct gputm_simt_stack_entry ground = {
	NO_PC, 0, NO_PC, NO_PC, NO_ENTRY, GPUTM_SIMT_STACK_TYPE_RETRY,
};

#define UNIT simt_stack

static const struct gputm_param rows[] = {
	PARAM(lanes, 1, 64, 32, false, "Lanes of the warp.", "thesis 2.3.3"),
	PARAM(pc_bits, 1, 64, 32, false, "Width of a program counter, bits.", ""),
	PARAM(depth, 0, 1024, 0, false,
	      "Entries; 0 stands for 2 x lanes + 2, and 3 x lanes + 2 with likely convergence.",
	      "thesis 3.4, Fig. 3.9"),
	PARAM(likely_convergence, 0, 1, 0, false,
	      "Use likely-convergence points: the fields LPC and LPos.", "thesis 3.4"),
};

static const struct gputm_preset presets[] = {
	{ "pdom",
	  "Thesis 2.3.3: 32 lanes, reconvergence at immediate post-dominators only.",
	  { { "lanes", 32 }, { "likely_convergence", 0 } } },
	{ "pdom-lcp",
	  "Thesis 3.4: 32 lanes, with likely-convergence points.",
	  { { "lanes", 32 }, { "likely_convergence", 1 } } },
	{ "kilo-tm",
	  "Thesis 4.2.1: 32 lanes, post-dominators, transactions.",
	  { { "lanes", 32 }, { "likely_convergence", 0 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(advances, COUNTER, "instructions", "Steps with one next PC."),
	STAT(divergences, COUNTER, "branches", "Branches that split the active lanes."),
	STAT(full, COUNTER, "refusals", "Operations that found no room."),
	STAT(max_depth, MAXIMUM, "entries", "Deepest stack."),
	STAT(pushed, COUNTER, "entries", "Entries pushed."),
	STAT(reconverged, COUNTER, "entries", "Entries popped at their RPC."),
	STAT(merged, COUNTER, "entries", "Entries popped at their LPC."),
	STAT(emptied, COUNTER, "entries", "Entries popped because no lane was left."),
	STAT(replaced, COUNTER, "entries", "Entries that gave way to the targets of their branch."),
	STAT(left, COUNTER, "entries", "R and T entries popped at the end of transactions."),
	STAT(begun, COUNTER, "transactions", "Transactions entered by the warp."),
	STAT(restarts, COUNTER, "attempts", "Attempts after the first."),
	STAT(nested, COUNTER, "transactions", "Nested transactions begun, flattened."),
	STAT(lanes_launched, COUNTER, "lanes", "Lanes launched."),
	STAT(lanes_ended, COUNTER, "lanes", "Lanes that have ended."),
	STAT(lanes_started, COUNTER, "lanes", "Lanes that started an attempt."),
	STAT(lanes_committed, COUNTER, "lanes", "Lanes that committed."),
	STAT(lanes_aborted, COUNTER, "lanes", "Lanes that aborted an attempt."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_SIMT_STACK_EVENT_DIVERGE, "diverge", "A branch has parted the warp.",
	      VALUE(depth_before, "entries", "Depth of the stack before the branch."),
	      VALUE(depth, "entries", "Depth of the stack now."),
	      VALUE(rpc, "PC", "Where the ways meet again; all ones if nowhere."),
	      VALUE(lpc, "PC",
		    "Where the ways are likely to meet before the RPC; all ones if nowhere.")),
	EVENT(GPUTM_SIMT_STACK_EVENT_RECONVERGE, "reconverge",
	      "The lanes of an entry have come to its RPC, and the entry is gone.",
	      VALUE(entry, "stack index", "The entry."),
	      VALUE(pc, "PC", "PC of the entry."),
	      VALUE(lanes, "lane mask", "Lanes of the entry.")),
	EVENT(GPUTM_SIMT_STACK_EVENT_MERGE, "merge",
	      "The lanes of an entry have come to its LPC, and the entry is gone.",
	      VALUE(entry, "stack index", "The entry."),
	      VALUE(pc, "PC", "PC of the entry."),
	      VALUE(lanes, "lane mask", "Lanes of the entry."),
	      VALUE(into, "stack index", "The entry that the lanes have joined.")),
	EVENT(GPUTM_SIMT_STACK_EVENT_BEGIN, "begin", "A transaction begins.",
	      VALUE(entry, "stack index", "The retry entry of the transaction."),
	      VALUE(pc, "PC", "Where attempts start."),
	      VALUE(lanes, "lane mask", "Lanes that run the transaction.")),
	EVENT(GPUTM_SIMT_STACK_EVENT_ABORT, "abort",
	      "Lanes leave an attempt, and wait for a restart.",
	      VALUE(entry, "stack index", "The retry entry of the transaction."),
	      VALUE(lanes, "lane mask", "Lanes that have aborted."),
	      VALUE(restarting, "lane mask", "All lanes that wait for a restart.")),
	EVENT(GPUTM_SIMT_STACK_EVENT_COMMIT, "commit", "Lanes have committed.",
	      VALUE(entry, "stack index", "The retry entry of the transaction."),
	      VALUE(lanes, "lane mask", "Lanes that have committed."),
	      VALUE(pc, "PC", "Where the lanes go on.")),
	EVENT(GPUTM_SIMT_STACK_EVENT_RESTART, "restart",
	      "The aborted lanes run the transaction again.",
	      VALUE(entry, "stack index", "The retry entry of the transaction."),
	      VALUE(pc, "PC", "Where the attempt starts."),
	      VALUE(lanes, "lane mask", "Lanes that run again.")),
	EVENT(GPUTM_SIMT_STACK_EVENT_LEAVE, "leave", "The warp leaves its transaction.",
	      VALUE(entry, "stack index", "The retry entry of the transaction, which is gone."),
	      VALUE(pc, "PC", "Where the warp goes on.")),
	EVENT(GPUTM_SIMT_STACK_EVENT_EXIT, "exit", "Threads have ended.",
	      VALUE(depth, "entries", "Depth of the stack now."),
	      VALUE(lanes, "lane mask", "Lanes of the threads.")),
};

/* ---- the common face ---- */

static uint32_t entries_of(const struct gputm_simt_stack_config *c)
{
	return c->depth ? c->depth : (c->likely_convergence ? 3 : 2) * c->lanes + 2;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_simt_stack *s = (void *)unit;

	s->limit = entries_of(&s->config);
	s->pc_max = gputm__low_mask(s->config.pc_bits);
	if (s->pc_max == NO_PC)
		s->pc_max--;
	s->slot = gputm__own(unit, (size_t)s->limit + 1, sizeof(*s->slot));
	if (!s->slot)
		return -ENOMEM;
	s->slot[0] = ground;
	s->two_below = s->slot + s->limit - 1;
	s->lanes_at = gputm__lanes_at(s->config.lanes);
	s->no_lpc = s->config.likely_convergence ? 0 : NO_PC;
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_simt_stack *s = (void *)unit;

	s->top = s->slot;
	s->highest = s->slot;
	s->retry = 0;
	s->pc_after = NO_PC;
	memset(s->nesting, 0, sizeof(s->nesting));
}

static void io_entry(struct gputm__io *io, struct gputm_simt_stack_entry *entry)
{
	uint32_t type = entry->type;

	gputm__io_u64(io, &entry->pc);
	gputm__io_u64(io, &entry->rpc);
	gputm__io_u64(io, &entry->lpc);
	gputm__io_u64(io, &entry->mask);
	gputm__io_u32(io, &entry->lpos);
	gputm__io_u32_max(io, &type, GPUTM_SIMT_STACK_TYPE_TRANSACTION, "type of an entry");
	if (gputm__io_reading(io))
		entry->type = (enum gputm_simt_stack_type)type;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_simt_stack *s = (void *)unit;
	uint32_t depth = gputm__simt_slot(s, s->top);

	gputm__io_u32_max(io, &depth, s->limit, "depth");
	gputm__io_u32_max(io, &s->retry, depth ? depth - 1 : 0, "place of R"); /* T is above */
	if (io->error)
		return;
	if (gputm__io_reading(io))
		s->top = s->slot + depth;
	for (uint32_t i = 1; i <= depth; i++)
		io_entry(io, &s->slot[i]);
	gputm__io_u64(io, &s->pc_after);
	gputm__io_u64s(io, s->nesting, NESTING_BITS);
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_simt_stack_config *c = gputm_unit_config(unit);
	uint64_t likely = c->pc_bits + gputm__bits_for(entries_of(c));

	gputm__array(out, "entries: PC, RPC, mask, type", entries_of(c),
		     UINT64_C(2) * c->pc_bits + c->lanes + 2, 1);
	gputm__array(out, "entries: LPC, LPos", c->likely_convergence ? entries_of(c) : 0, likely,
		     1);
	gputm__array_apart(out, "PC after the transaction", 1, c->pc_bits, 1);
	gputm__array_apart(out, "nesting counts", c->lanes, NESTING_BITS, 1);
}

/* ---- invariants ---- */

static bool is_pc_or_none(const struct gputm_simt_stack *s, uint64_t pc)
{
	return pc == NO_PC || gputm__simt_is_pc(s, pc);
}

static const char *check_fields(const struct gputm_simt_stack *s,
				const struct gputm_simt_stack_entry *e)
{
	const struct gputm_simt_stack_entry *likely;

	if (!gputm__simt_is_pc(s, e->pc) || !is_pc_or_none(s, e->rpc) || !is_pc_or_none(s, e->lpc))
		return "I1: a PC is wider than configured";
	if (e->mask & ~gputm__low_mask(s->config.lanes))
		return "I1: an entry has lanes that do not exist";
	if (e->pc == e->rpc)
		return "I1: an entry is at its own RPC";
	if (e->lpc == NO_PC && e->lpos == NO_ENTRY)
		return NULL;
	if (!s->config.likely_convergence || e->type != GPUTM_SIMT_STACK_TYPE_NORMAL)
		return "I4: an entry has a likely-convergence PC in a stack without likely "
		       "convergence";
	if (e->lpc == NO_PC || e->lpos >= gputm__simt_slot(s, e) - 1)
		return "I4: LPos is not a lower entry";
	likely = &s->slot[e->lpos + 1];
	if (likely->type != GPUTM_SIMT_STACK_TYPE_NORMAL || likely->pc != e->lpc ||
	    likely->rpc != e->rpc)
		return "I4: LPos is not an entry that waits at the LPC";
	return NULL;
}

/* I2, I3 of a normal entry, against the entries below. */
static const char *check_nest(const struct gputm_simt_stack *s,
			      const struct gputm_simt_stack_entry *e)
{
	const struct gputm_simt_stack_entry *below = e - 1;

	while (below->type == GPUTM_SIMT_STACK_TYPE_NORMAL && below->rpc == e->rpc) {
		if (below->mask & e->mask)
			return "I2: a lane is in two targets of the same branch";
		below--;
	}
	if (e->lpos != NO_ENTRY && e->lpos + 1 <= gputm__simt_slot(s, below))
		return "I4: LPos lies below the branch";
	if (e->rpc == NO_PC)
		return below == s->slot ? NULL : "I3: an entry without RPC lies above one with it";
	if (below->pc != e->rpc || (e->mask & ~below->mask))
		return "I2: an entry's lanes do not wait at its RPC";
	return NULL;
}

static const char *check_transaction(const struct gputm_simt_stack *s)
{
	const struct gputm_simt_stack_entry *retry = s->slot + s->retry, *running = retry + 1;
	uint64_t inside = 0;

	if (s->retry) {
		if (s->retry == 1 || running > s->top)
			return "I5: R or T is missing";
		if (retry->type != GPUTM_SIMT_STACK_TYPE_RETRY ||
		    running->type != GPUTM_SIMT_STACK_TYPE_TRANSACTION || retry->rpc != NO_PC ||
		    running->rpc != NO_PC)
			return "I5: R or T is no such entry";
		if ((retry->mask & running->mask) ||
		    ((retry->mask | running->mask) & ~retry[-1].mask))
			return "I5: R and T do not part lanes of the entry below";
		inside = running->mask;
	}
	for (unsigned bit = 0; bit < NESTING_BITS; bit++)
		if (s->nesting[bit] & ~inside)
			return "I6: a lane outside the attempt has a nesting depth";
	if (s->pc_after != NO_PC && (!s->retry || !gputm__simt_is_pc(s, s->pc_after)))
		return "I6: the PC after the transaction is set outside transactions";
	if (s->retry && s->pc_after == NO_PC && !(retry->mask | running->mask))
		return "I6: all lanes have committed and the PC after the transaction is not set";
	return NULL;
}

static const char *check_entries(const struct gputm_simt_stack *s)
{
	for (const struct gputm_simt_stack_entry *e = s->slot + 1; e <= s->top; e++) {
		const char *broken = check_fields(s, e);

		if (!broken && e->type == GPUTM_SIMT_STACK_TYPE_NORMAL)
			broken = check_nest(s, e);
		else if (!broken && (!s->retry || e - e->type + 1 != s->slot + s->retry))
			broken = "I5: an R or T entry is not that of the transaction";
		if (broken)
			return broken;
	}
	return NULL;
}

/* The operations keep the depth and its maximum as pointers. */
static void settle(struct gputm_unit *unit)
{
	struct gputm_simt_stack *s = (void *)unit;

	s->highest = s->slot + (s->max_depth <= s->limit ? s->max_depth : 0);
}

static const char *check_depth(const struct gputm_simt_stack *s)
{
	if (s->max_depth != gputm__simt_slot(s, s->highest))
		return "I7: max_depth differs from the deepest stack so far";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_simt_stack *s = (const void *)unit;
	const char *broken = check_entries(s);

	if (!broken)
		broken = check_transaction(s);
	if (!broken && !gputm__simt_can_run(s->top))
		broken = "I1: the top entry cannot run";
	return broken ? broken : check_depth(s);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_simt_stack *s = (const void *)unit;
	uint64_t running = gputm_simt_stack_tx_running(s);

	gputm__law(laws, s->pushed,
		   gputm__simt_slot(s, s->top) + s->reconverged + s->merged + s->emptied +
			   s->replaced + s->left,
		   "I7: pushed is not depth + reconverged + merged + emptied + replaced + left");
	gputm__law(laws, s->lanes_launched,
		   s->lanes_ended + gputm__popcount(gputm_simt_stack_live_mask(s)),
		   "I7: launched lanes are not ended + live ones");
	gputm__law(laws, s->lanes_started,
		   s->lanes_committed + s->lanes_aborted + gputm__popcount(running),
		   "I7: started lanes are not committed + aborted + running ones");
	gputm__law(laws, s->left + (s->retry ? 2 : 0), 2 * s->begun,
		   "I7: left is not two for each transaction that is over");
	gputm__law_most(laws, &s->max_depth, gputm__simt_slot(s, s->top), s->limit,
			"I7: max_depth is not between depth and limit");
}

GPUTM__UNIT(simt_stack, .version = 1, .setup = setup, .laws = laws, .settle = settle)
