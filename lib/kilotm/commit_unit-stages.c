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

/* The stage of the list has nothing left if it is empty then. */
static inline uint32_t take_head(struct gputm_commit_unit *self, struct gputm__commit_list *list,
				 uint32_t may)
{
	uint32_t index = list->head;

	list->head = self->entry[index].link;
	if (list->head == GPUTM__NONE)
		self->may &= ~may;
	return index;
}

static void report(struct gputm_commit_unit *self, uint32_t kind, uint32_t index, uint64_t mask,
		   uint64_t yes, uint32_t purpose)
{
	struct gputm__commit_outbox *out = &self->output;
	uint32_t at = out->head + out->count++;

	gputm__assert(out->count <= out->depth);
	out->report[at < out->depth ? at : at - out->depth] = (struct gputm_commit_report){
		kind, purpose, gputm__commit_first(self, index), self->slot[index].lanes, mask, yes
	};
}

void gputm__commit_ask(struct gputm_commit_unit *self, uint32_t index, uint32_t purpose)
{
	self->entry[index].asked = (uint8_t)(purpose + 1);
	self->entry[index].answered = 0;
	self->slot[index].mark &= (uint8_t)~GPUTM__ANSWERED;
	self->resends++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_RESEND, gputm__commit_cid(self, index), purpose,
		    0, 0);
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

static void wake(struct gputm_commit_unit *self, uint32_t index)
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
	uint32_t index = take_head(self, &self->revalidate, GPUTM__MAY_REVALIDATE);
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

	do
		revalidate_next(self);
	while (self->config.warp_mode && gputm__commit_can_revalidate(self) &&
	       gputm__commit_first(self, self->revalidate.head) == warp);
	gputm__commit_flush(self, 0);
}

/* ---- finalising the outcome ---- */

/* The core is told of it: from here on a passed entry waits for its verdict. */
static GPUTM__INLINE void announce(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];
	bool passed = !(entry->flags & GPUTM__FAILED);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_OUTCOME, gputm__commit_cid(self, index), passed,
		    entry->words[0], 0);
	if (self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_NEEDED)
		gputm__commit_drop_buffer(self, &self->entry[index], 0);
	if (!passed) {
		self->outcomes_failed++;
		gputm__commit_finish(self, index);
		return;
	}
	self->outcomes_passed++;
	gputm__commit_count(self, index);
	gputm__commit_stage(self, index, GPUTM_COMMIT_WAIT);
}

static void announce_warp(struct gputm_commit_unit *self, uint32_t index)
{
	const struct gputm__commit_warp *warp = gputm__commit_warp_of(self, index);
	uint32_t first = index - self->slot[index].lane;

	report(self, GPUTM_COMMIT_OUTCOME, index, warp->active, warp->passed, 0);
	for (uint64_t left = warp->active; left; left &= left - 1)
		announce(self, (first + gputm__lowest(left)) & self->mask);
}

static void finalise(struct gputm_commit_unit *self)
{
	bool whole = !self->config.warp_mode || gputm__commit_completes(self, self->finalise.head);
	uint32_t index = take_head(self, &self->finalise, GPUTM__MAY_FINALISE);
	uint64_t passed =
		self->entry[index].flags & GPUTM__FAILED ? 0 : gputm__commit_bit(self, index);

	if (!self->config.warp_mode) {
		report(self, GPUTM_COMMIT_OUTCOME, index, gputm__commit_bit(self, index), passed,
		       0);
		announce(self, index);
		return;
	}
	gputm__commit_warp_of(self, index)->decided |= gputm__commit_bit(self, index);
	gputm__commit_warp_of(self, index)->passed |= passed;
	if (whole)
		announce_warp(self, index);
}

/* ---- commit ---- */

static GPUTM__INLINE void issue(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	gputm__sample(&self->commit_cycles, gputm__commit_waited(self, index));
	gputm__commit_stage(self, index, GPUTM_COMMIT_WRITE);
	entry->flags |= GPUTM__COMMITTED;
	if (entry->words[1] && !gputm__commit_unbounded(entry, 1)) {
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

/* The writes of all ready entries of a warp, coalesced. */
static void issue_warp(struct gputm_commit_unit *self, uint32_t last)
{
	for (uint32_t lane = self->slot[last].lanes; lane--;) {
		uint32_t index = (last - lane) & self->mask;

		if (self->slot[index].stage == GPUTM_COMMIT_READY)
			issue(self, index);
	}
	gputm__commit_flush(self, 1);
	self->gathered = 0;
}

static void commit(struct gputm_commit_unit *self)
{
	uint32_t index = gputm__commit_index(self, self->commit);
	bool ready = self->slot[index].stage == GPUTM_COMMIT_READY;

	if (ready && gputm__commit_unbounded(&self->entry[index], 1)) {
		gputm__commit_ask(self, index, GPUTM_COMMIT_FOR_COMMIT);
		return;
	}
	self->commit++;
	self->may |= GPUTM__MAY_RETIRE;
	if (!self->config.warp_mode) {
		if (ready)
			issue(self, index);
		return;
	}
	self->gathered = gputm__commit_gathered_with(self, index);
	if (gputm__commit_is_last(self, index))
		issue_warp(self, index);
}

/* ---- retirement ---- */

/* What became of an entry that is no skip. */
static uint64_t count_end(struct gputm_commit_unit *self, uint32_t index)
{
	uint8_t flags = self->entry[index].flags;

	gputm__sample(&self->retire_cycles, gputm__commit_waited(self, index));
	self->committed += !!(flags & GPUTM__COMMITTED);
	self->failed_here += !!(flags & GPUTM__FAILED);
	self->failed_elsewhere += !(flags & (GPUTM__COMMITTED | GPUTM__FAILED));
	return flags & GPUTM__COMMITTED ? 2 : 1;
}

/* @return what became of it, as the event says. */
static uint64_t bury(struct gputm_commit_unit *self, uint32_t index)
{
	bool body = self->slot[index].mark & GPUTM__BODY;

	if (body)
		gputm__commit_uncount(self, index);
	gputm__commit_drop_buffer(self, &self->entry[index], 1);
	gputm__commit_drop_buffer(self, &self->entry[index], 0);
	return body ? count_end(self, index) : 0;
}

static void report_retired(struct gputm_commit_unit *self, uint32_t index)
{
	report(self, GPUTM_COMMIT_RETIRED, index, gputm__low_mask(self->slot[index].lanes), 0, 0);
	self->warp[index] = (struct gputm__commit_warp){ 0 };
}

static void retire(struct gputm_commit_unit *self)
{
	uint32_t index = gputm__commit_index(self, self->oldest);
	uint8_t mark = self->slot[index].mark;
	uint64_t end = 0;

	self->active--;
	if (mark & (GPUTM__BODY | GPUTM__HOLDS))
		end = bury(self, index);
	if (!(mark & GPUTM__BODY))
		self->skips_retired++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_RETIRED, self->oldest, end, 0, 0);
	if (mark & GPUTM__LAST)
		report_retired(self, index);
	self->slot[index] = (struct gputm__commit_slot){ GPUTM_COMMIT_UNUSED, 0, 0, 0 };
	self->oldest++;
	if (mark & GPUTM__WAITED)
		wake(self, self->entry[index].waiters);
}

/* ---- a step of each ---- */

static inline bool step_revalidate(struct gputm_commit_unit *self)
{
	bool can = gputm__commit_can_revalidate(self);

	if (can)
		revalidate(self);
	else if (self->revalidate.head == GPUTM__NONE)
		self->may &= ~(uint32_t)GPUTM__MAY_REVALIDATE;
	return can;
}

static inline bool step_finalise(struct gputm_commit_unit *self)
{
	bool can = gputm__commit_can_finalise(self);

	if (can)
		finalise(self);
	else if (self->finalise.head == GPUTM__NONE)
		self->may &= ~(uint32_t)GPUTM__MAY_FINALISE;
	return can;
}

static inline bool step_commit(struct gputm_commit_unit *self)
{
	uint8_t stage = self->slot[gputm__commit_index(self, self->commit)].stage;

	if (self->commit == self->hazard || stage < GPUTM_COMMIT_READY) {
		self->may &= ~(uint32_t)GPUTM__MAY_COMMIT;
		return false;
	}
	if (gputm__commit_passes_commit(self)) {
		self->commit++;
		self->may |= GPUTM__MAY_RETIRE;
		return true;
	}
	if (!gputm__commit_can_commit(self))
		return false;
	commit(self);
	return true;
}

static inline bool step_retire(struct gputm_commit_unit *self)
{
	uint8_t stage = self->slot[gputm__commit_index(self, self->oldest)].stage;

	if (self->oldest == self->commit || stage != GPUTM_COMMIT_FINISHED) {
		self->may &= ~(uint32_t)GPUTM__MAY_RETIRE;
		return false;
	}
	if (!gputm__commit_can_retire(self))
		return false;
	retire(self);
	return true;
}

static inline bool step_resent(struct gputm_commit_unit *self)
{
	bool can = gputm__commit_can_resent(self);

	if (can)
		gputm__commit_resent(self);
	else if (!self->resent.count)
		self->may &= ~(uint32_t)GPUTM__MAY_RESENT;
	return can;
}

bool gputm__commit_entries(struct gputm_commit_unit *self)
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
	if (self->may & GPUTM__MAY_RESENT)
		did |= step_resent(self);
	return did;
}
