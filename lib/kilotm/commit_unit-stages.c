/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The logical stages of the commit unit (thesis Fig. 4.5), each a pair of functions:
 * whether it can take a step now, and the step. An entry moves so:
 *
 *   UNUSED -> FILL -> HAZARD -> VALIDATE -> FINALISE -> WAIT -> READY -> WRITE -> FINISHED
 *      |                        |      ^        |        |
 *      |                        +------+        +--------+-> FINISHED (failed)
 *      +-> FINISHED (skip)     revalidation
 *
 * Three pointers walk the ring in CID order, an entry a cycle: hazard passes what has
 * had its words looked up and recorded, commit what has failed or queued its writes,
 * oldest (retirement) what is finished. The rest is by lists: an entry that waits for its
 * YCID hangs on that entry until it retires, then on the list `revalidate`; one whose
 * outcome is known hangs on `finalise`.
 */
#include "lib/kilotm/commit_unit-can.h"
#include "lib/kilotm/commit_unit-moves.h"

/* A stage is not asked again if nothing waits for a step. */
static inline bool keep(struct gputm_commit_unit *self, uint32_t may, bool waits)
{
	if (!waits)
		self->may &= ~may;
	return false;
}

static GPUTM__INLINE void report(struct gputm_commit_unit *self, uint32_t kind, uint32_t index,
				 uint64_t mask, uint64_t yes, uint32_t purpose)
{
	struct gputm__commit_outbox *out = &self->output;
	uint32_t at = out->head + out->count++;
	struct gputm_commit_report *to = &out->report[at < out->depth ? at : at - out->depth];

	gputm__assert(out->count <= out->depth);
	to->kind = kind;
	to->purpose = purpose;
	to->first_cid = gputm__commit_first(self, index);
	to->lanes = self->slot[index].lanes;
	to->mask = mask;
	to->yes = yes;
}

void gputm__commit_ask(struct gputm_commit_unit *self, uint32_t index, uint32_t purpose)
{
	self->entry[index].asked = (uint8_t)(purpose + 1);
	self->entry[index].answered = 0;
	self->slot[index].mark &= (uint8_t)~GPUTM__ANSWERED;
	self->resends++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_RESEND, gputm__commit_cid(self, index), purpose,
		    gputm__commit_cycle(self), 0);
	if (!gputm__mutant(GPUTM__MUTANT_DROP_RESEND))
		report(self, GPUTM_COMMIT_RESEND, index, gputm__commit_bit(self, index), 0,
		       purpose);
}

/* ---- validation wait ---- */

void gputm__commit_wait_for(struct gputm_commit_unit *self, uint32_t index)
{
	uint64_t target = self->entry[index].ycid -
			  (gputm__mutant(GPUTM__MUTANT_EARLY) && self->entry[index].ycid ? 1 : 0);
	uint32_t of = gputm__commit_index(self, target);

	if (target < self->oldest) {
		self->entry[index].flags |= GPUTM__WOKEN;
		return;
	}
	self->entry[index].link = GPUTM__NONE;
	if (self->slot[of].mark & GPUTM__WAITED)
		self->entry[self->entry[of].waiters_last].link = index;
	else
		self->entry[of].waiters = index;
	self->entry[of].waiters_last = index;
	self->slot[of].mark |= GPUTM__WAITED;
}

GPUTM__APART static void wake(struct gputm_commit_unit *self, uint32_t index)
{
	while (index != GPUTM__NONE) {
		uint32_t next = self->entry[index].link;

		self->entry[index].flags |= GPUTM__WOKEN;
		gputm__commit_settle(self, index);
		index = next;
	}
}

static void revalidate_next(struct gputm_commit_unit *self)
{
	uint32_t index = gputm__commit_take(self, &self->revalidate);
	struct gputm__commit_entry *entry = &self->entry[index];

	entry->flags &= (uint8_t)~(GPUTM__FAILED | GPUTM__HAZARDOUS);
	entry->flags |= GPUTM__AGAIN;
	self->revalidations++;
	if (gputm__commit_unbounded(entry, 0)) {
		gputm__commit_ask(self, index, GPUTM_COMMIT_FOR_REVALIDATE);
		return;
	}
	self->requeued += entry->words[0];
	gputm__commit_send_buffer(self, 0, index);
}

/* In warp mode, as many entries of one warp as wait in a row, coalesced. */
static void revalidate(struct gputm_commit_unit *self)
{
	uint64_t warp = gputm__commit_first(self, self->revalidate.head);

	gputm__commit_take_back(self);
	do
		revalidate_next(self);
	while (self->config.warp_mode && gputm__commit_can_revalidate(self) &&
	       gputm__commit_first(self, self->revalidate.head) == warp);
	gputm__commit_flush(self, 0);
}

/* ---- finalising the outcome ---- */

/* The core is told of it: from here on a passed entry waits for its verdict. */
static GPUTM__INLINE void pass(struct gputm_commit_unit *self, uint32_t index)
{
	if (self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_NEEDED)
		gputm__commit_drop_buffer(self, &self->entry[index], 0);
	self->outcomes_passed++;
	gputm__commit_stage(self, index, GPUTM_COMMIT_WAIT);
}

static void announce(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];
	bool passed = !(entry->flags & GPUTM__FAILED);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_OUTCOME, gputm__commit_cid(self, index), passed,
		    entry->words[0], gputm__commit_cycle(self));
	if (passed) {
		pass(self, index);
		gputm__commit_count(self, index);
		return;
	}
	if (self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_NEEDED)
		gputm__commit_drop_buffer(self, entry, 0);
	self->outcomes_failed++;
	gputm__commit_finish(self, index);
}

static void announce_warp(struct gputm_commit_unit *self, uint32_t index)
{
	const struct gputm__commit_tally *tally = gputm__commit_tally_of(self, index);
	uint32_t first = index - self->slot[index].lane;

	report(self, GPUTM_COMMIT_OUTCOME, index, tally->active, tally->passed, 0);
	for (uint64_t left = tally->active; left; left &= left - 1)
		announce(self, (first + gputm__lowest(left)) & self->mask);
}

GPUTM__APART static bool finalise_any(struct gputm_commit_unit *self, uint32_t index)
{
	uint64_t bit = gputm__commit_bit(self, index);
	uint64_t passed = self->entry[index].flags & GPUTM__FAILED ? 0 : bit;
	struct gputm__commit_tally *tally;

	if (!self->config.warp_mode) {
		report(self, GPUTM_COMMIT_OUTCOME, index, bit, passed, 0);
		announce(self, index);
		return true;
	}
	tally = gputm__commit_tally_of(self, index);
	tally->passed |= passed;
	tally->decided |= bit;
	if (gputm__commit_completes(self, index))
		announce_warp(self, index);
	return true;
}

/* ---- commit ---- */

/* Of a log that is not kept, the words have been queued as they came. */
static GPUTM__INLINE void issue(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	gputm__sample(&self->commit_cycles, self->now - entry->since);
	gputm__commit_stage(self, index, GPUTM_COMMIT_WRITE);
	entry->flags |= GPUTM__COMMITTED;
	if (!gputm__commit_unbounded(entry, 1)) {
		self->reissued += entry->words[1];
		gputm__commit_send_buffer(self, 1, index);
	}
	if (!entry->pending)
		gputm__commit_finish(self, index);
}

void gputm__commit_issue(struct gputm_commit_unit *self, uint32_t index)
{
	issue(self, index);
}

/* The pointer passes an entry; at the end of a warp its writes are issued, coalesced. */
GPUTM__APART static void commit_in_warp(struct gputm_commit_unit *self, uint32_t last)
{
	self->gathered = gputm__commit_gathered_with(self, last);
	if (!gputm__commit_is_last(self, last))
		return;
	for (uint32_t lane = self->slot[last].lanes; lane--;) {
		uint32_t index = (last - lane) & self->mask;

		if (self->slot[index].stage == GPUTM_COMMIT_READY)
			issue(self, index);
	}
	gputm__commit_flush(self, 1);
	self->gathered = 0;
}

GPUTM__APART static bool commit_any(struct gputm_commit_unit *self, uint32_t index)
{
	bool ready = self->slot[index].stage == GPUTM_COMMIT_READY;

	if (ready && gputm__commit_unbounded(&self->entry[index], 1)) {
		gputm__commit_ask(self, index, GPUTM_COMMIT_FOR_COMMIT);
		return true;
	}
	self->commit++;
	if (!ready)
		self->may |= GPUTM__MAY_RETIRE;
	if (self->config.warp_mode)
		commit_in_warp(self, index);
	return true;
}

/* ---- retirement ---- */

/* What became of an entry that is no skip, as the event says. */
static inline uint64_t count_end(struct gputm_commit_unit *self,
				 const struct gputm__commit_entry *entry)
{
	gputm__sample(&self->retire_cycles, self->now - entry->since);
	if (GPUTM__LIKELY(entry->flags & GPUTM__COMMITTED)) {
		self->committed++;
		return 2;
	}
	if (entry->flags & GPUTM__FAILED)
		self->failed_here++;
	else
		self->failed_elsewhere++;
	return 1;
}

static GPUTM__INLINE void retire(struct gputm_commit_unit *self, uint32_t index)
{
	self->slot[index] = (struct gputm__commit_slot){ GPUTM_COMMIT_UNUSED, 0, 0, 0 };
	self->active--;
	self->oldest++;
	keep(self, GPUTM__MAY_RETIRE, gputm__commit_retire_waits(self));
}

GPUTM__APART static bool retire_any(struct gputm_commit_unit *self, uint32_t index, uint8_t mark)
{
	struct gputm__commit_entry *entry = &self->entry[index];
	uint64_t end = 0;

	if (mark & GPUTM__BODY)
		gputm__commit_uncount(self, index);
	if (mark & (GPUTM__BODY | GPUTM__HOLDS)) {
		gputm__commit_drop_buffer(self, entry, 1);
		gputm__commit_drop_buffer(self, entry, 0);
	}
	if (mark & GPUTM__BODY)
		end = count_end(self, entry);
	else
		self->skips_retired++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_RETIRED, self->oldest, end, self->now, 0);
	if (mark & GPUTM__LAST) {
		report(self, GPUTM_COMMIT_RETIRED, index,
		       gputm__low_mask(self->slot[index].lanes), 0, 0);
		self->warp[index] = (struct gputm__commit_warp){ 0 };
		if (self->config.warp_mode)
			self->tally[index] = (struct gputm__commit_tally){ 0 };
	}
	retire(self, index);
	if (mark & GPUTM__WAITED)
		wake(self, entry->waiters);
	return true;
}

/* ---- a step of each ---- */

/*
 * Straight-line code, without calls and so without a stack frame, serves entries of which
 * nobody else is to be told.
 */
static inline bool is_plain(const struct gputm_commit_unit *self)
{
	return !self->config.warp_mode && !self->config.pending_block && !self->unit.observe;
}

GPUTM__APART static bool step_revalidate(struct gputm_commit_unit *self)
{
	if (!gputm__commit_can_revalidate(self))
		return keep(self, GPUTM__MAY_REVALIDATE, self->revalidate.head != GPUTM__NONE);
	revalidate(self);
	return true;
}

GPUTM__APART static bool step_finalise(struct gputm_commit_unit *self)
{
	uint32_t index = self->finalise.head;

	if (!gputm__commit_can_finalise(self))
		return keep(self, GPUTM__MAY_FINALISE, index != GPUTM__NONE);
	gputm__commit_take(self, &self->finalise);
	keep(self, GPUTM__MAY_FINALISE, self->finalise.head != GPUTM__NONE);
	if (!is_plain(self) || self->entry[index].flags & GPUTM__FAILED)
		return finalise_any(self, index);
	report(self, GPUTM_COMMIT_OUTCOME, index, gputm__commit_bit(self, index),
	       gputm__commit_bit(self, index), 0);
	pass(self, index);
	return true;
}

GPUTM__APART static bool step_commit(struct gputm_commit_unit *self)
{
	uint32_t index = gputm__commit_index(self, self->commit);

	if (!gputm__commit_can_commit(self))
		return keep(self, GPUTM__MAY_COMMIT, gputm__commit_commit_waits(self));
	if (self->config.warp_mode || self->slot[index].stage != GPUTM_COMMIT_READY ||
	    gputm__commit_unbounded(&self->entry[index], 1))
		return commit_any(self, index);
	self->commit++;
	issue(self, index);
	return true;
}

GPUTM__APART static bool step_retire(struct gputm_commit_unit *self)
{
	uint32_t index = gputm__commit_index(self, self->oldest);
	struct gputm__commit_entry *entry = &self->entry[index];
	uint8_t mark = self->slot[index].mark;

	if (!gputm__commit_can_retire(self))
		return keep(self, GPUTM__MAY_RETIRE, gputm__commit_retire_waits(self));
	if (mark != GPUTM__BODY || entry->flags & GPUTM__COUNTED || self->unit.observe)
		return retire_any(self, index, mark);
	gputm__commit_drop_buffer(self, entry, 1);
	gputm__commit_drop_buffer(self, entry, 0);
	count_end(self, entry);
	retire(self, index);
	return true;
}

bool gputm__commit_stages(struct gputm_commit_unit *self)
{
	bool did = false;

	if (self->may & GPUTM__MAY_REVALIDATE)
		did |= step_revalidate(self);
	if (self->may & GPUTM__MAY_FINALISE)
		did |= step_finalise(self);
	if (self->may & GPUTM__MAY_COMMIT)
		did |= step_commit(self);
	if (self->may & GPUTM__MAY_RETIRE)
		did |= step_retire(self);
	return did;
}
