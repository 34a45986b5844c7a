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

static uint32_t take_head(struct gputm_commit_unit *self, struct gputm__commit_list *list)
{
	uint32_t index = list->head;

	list->head = self->entry[index].link;
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

static void ask(struct gputm_commit_unit *self, uint32_t index, uint32_t purpose)
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

/* ---- hazard detection ---- */

/* A false answer of the filter may name the entry's own warp: then the writer is older. */
static bool clamp(const struct gputm_commit_unit *self, uint32_t index, uint64_t *writer)
{
	uint64_t first = gputm__commit_first(self, index);

	if (!self->config.warp_mode || *writer < first)
		return true;
	*writer = first - 1;
	return first != 0;
}

static void note_hazard(struct gputm_commit_unit *self, uint32_t index, uint64_t address,
			uint64_t writer)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	if (!clamp(self, index, &writer) || writer < entry->rcid)
		return;
	if (gputm__mutant(GPUTM__MUTANT_EQUAL_RCID) && writer == entry->rcid)
		return;
	self->hazard_words++;
	entry->flags |= GPUTM__HAZARDOUS;
	gputm__maximum(&entry->ycid, writer);
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_HAZARD, gputm__commit_cid(self, index), address,
		    writer, 0);
}

/* The history knows a writer of this word of the entry at the pointer. */
GPUTM__APART static void note_writer(struct gputm_commit_unit *self, uint64_t address,
				     uint64_t writer)
{
	uint32_t index = gputm__commit_index(self, self->hazard);

	writer += self->config.first_cid;
	if (writer >= self->entry[index].rcid)
		note_hazard(self, index, address, writer);
}

static inline void look_up(struct gputm_commit_unit *self, uint64_t address)
{
	uint64_t writer;

	if (gputm__mutant(GPUTM__MUTANT_NO_HAZARD))
		return;
	if (gputm_last_writer_youngest_writer(self->history, address, &writer) >
	    GPUTM_LAST_WRITER_NONE)
		note_writer(self, address, writer);
}

/* The smallest RCID in use before hazard detection; writers below it can be forgotten. */
static uint64_t floor_of(const struct gputm_commit_unit *self)
{
	uint64_t floor = self->oldest;

	for (uint64_t cid = self->hazard; cid < self->head; cid++) {
		uint32_t index = gputm__commit_index(self, cid);

		if ((self->slot[index].mark & GPUTM__BODY) && self->entry[index].rcid < floor)
			floor = self->entry[index].rcid;
	}
	return floor;
}

/* CIDs in the history are relative to the first one. */
static uint64_t told(const struct gputm_commit_unit *self, uint64_t cid)
{
	return cid - self->config.first_cid;
}

void gputm__commit_set_expiry(struct gputm_commit_unit *self)
{
	self->expire_at = gputm_last_writer_base(self->history) + self->config.first_cid +
			  (UINT64_C(1) << (self->config.cid_bits - 1));
}

/* A long run of skips may leave the history several ranges behind. */
GPUTM__COLD static void expire(struct gputm_commit_unit *self)
{
	uint64_t floor = told(self, floor_of(self)), step;
	int error;

	do {
		step = gputm_last_writer_limit(self->history) + 1;
		error = gputm_last_writer_expire(self->history, floor < step ? floor : step, NULL);
		gputm__assert(!error);
		(void)error;
	} while (floor > step);
	gputm__commit_set_expiry(self);
}

static inline void record(struct gputm_commit_unit *self, uint64_t address)
{
	int recorded;

	if (GPUTM__UNLIKELY(self->hazard >= self->expire_at))
		expire(self);
	recorded = gputm_last_writer_record(self->history, address, told(self, self->hazard));
	gputm__assert(recorded >= 0);
	(void)recorded;
}

void gputm__commit_detect(struct gputm_commit_unit *self, uint32_t index, uint64_t address)
{
	if (self->hazard_word++ < self->entry[index].words[0])
		look_up(self, address);
	else
		record(self, address);
}

static void leave_hazard(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	gputm__sample(&self->hazard_cycles, gputm__commit_waited(self, index));
	gputm__commit_stage(self, index, GPUTM_COMMIT_VALIDATE);
	self->hazard_word = 0;
	self->hazard++;
	if (entry->flags & GPUTM__HAZARDOUS) {
		self->hazards++;
		gputm__sample(&self->revalidation_distance, self->hazard - 1 - entry->ycid);
		gputm__commit_wait_for(self, index);
	}
	gputm__commit_settle(self, index);
}

static bool ask_for_hazard(struct gputm_commit_unit *self, uint32_t index)
{
	if (!gputm__commit_report_room(self))
		return false;
	ask(self, index,
	    self->hazard_word < self->entry[index].words[0] ? GPUTM_COMMIT_FOR_HAZARD
							    : GPUTM_COMMIT_FOR_RECORD);
	return true;
}

/* The next word that is in a buffer. */
static inline void detect_buffered(struct gputm_commit_unit *self, uint32_t index)
{
	uint32_t reads = self->entry[index].words[0];

	if (self->hazard_word < reads) {
		look_up(self, gputm__commit_buffer(self, index, 0)[self->hazard_word].address);
	} else {
		record(self,
		       gputm__commit_buffer(self, index, 1)[self->hazard_word - reads].address);
	}
	self->hazard_word++;
}

GPUTM__APART static bool hazard_any(struct gputm_commit_unit *self, uint32_t index)
{
	const struct gputm__commit_entry *entry = &self->entry[index];
	uint64_t words = (uint64_t)entry->words[0] + entry->words[1];
	uint32_t rate = self->config.hazard_rate;

	if (entry->asked)
		return false;
	if (gputm__commit_hazard_asks(self, entry))
		return ask_for_hazard(self, index);
	if (self->hazard_word >= words) {
		leave_hazard(self, index);
		return true;
	}
	do
		detect_buffered(self, index);
	while (--rate && self->hazard_word < words && !gputm__commit_hazard_asks(self, entry));
	return true;
}

/* Straight-line code serves a word in a buffer, one a cycle. */
bool gputm__commit_hazard(struct gputm_commit_unit *self, uint32_t index)
{
	const struct gputm__commit_entry *entry = &self->entry[index];
	uint64_t reads = entry->words[0], at = self->hazard_word;
	int log = at >= reads;

	at -= log ? reads : 0;
	if (at >= entry->words[log] || gputm__commit_unbounded(entry, log) || entry->asked ||
	    self->config.hazard_rate != 1)
		return hazard_any(self, index);
	self->hazard_word++;
	at += (uint64_t)entry->buffer[log] * self->config.buffer_words;
	if (log)
		record(self, self->pair[at].address);
	else
		look_up(self, self->pair[at].address);
	return true;
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

void gputm__commit_settle(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	if (self->slot[index].stage != GPUTM_COMMIT_VALIDATE || entry->pending || entry->asked)
		return;
	if (!(entry->flags & GPUTM__HAZARDOUS)) {
		gputm__sample(&self->validate_cycles, gputm__commit_waited(self, index));
		gputm__commit_stage(self, index, GPUTM_COMMIT_FINALISE);
		gputm__commit_append(self, &self->finalise, index);
	} else if (entry->flags & GPUTM__WOKEN) {
		gputm__commit_append(self, &self->revalidate, index);
	}
}

static void revalidate_next(struct gputm_commit_unit *self)
{
	uint32_t index = take_head(self, &self->revalidate);
	struct gputm__commit_entry *entry = &self->entry[index];

	entry->flags &= (uint8_t)~(GPUTM__FAILED | GPUTM__HAZARDOUS);
	entry->flags |= GPUTM__AGAIN;
	self->revalidations++;
	if (gputm__commit_unbounded(entry, 0)) {
		ask(self, index, GPUTM_COMMIT_FOR_REVALIDATE);
		return;
	}
	self->requeued += entry->words[0];
	gputm__commit_send_buffer(self, 0, index);
}

/* In warp mode, as many entries of one warp as wait in a row, coalesced. */
void gputm__commit_revalidate(struct gputm_commit_unit *self)
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
static void announce(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];
	bool passed = !(entry->flags & GPUTM__FAILED);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_OUTCOME, gputm__commit_cid(self, index), passed,
		    entry->words[0], 0);
	if (self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_NEEDED)
		gputm__commit_drop_buffer(self, index, 0);
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
	const struct gputm__commit_group *group = gputm__commit_group_of(self, index);
	uint32_t first = index - self->slot[index].lane;

	report(self, GPUTM_COMMIT_OUTCOME, index, group->active, group->passed, 0);
	for (uint64_t left = group->active; left; left &= left - 1)
		announce(self, (first + gputm__lowest(left)) & self->mask);
}

void gputm__commit_finalise(struct gputm_commit_unit *self)
{
	bool whole = !self->config.warp_mode || gputm__commit_completes(self, self->finalise.head);
	uint32_t index = take_head(self, &self->finalise);
	uint64_t passed =
		self->entry[index].flags & GPUTM__FAILED ? 0 : gputm__commit_bit(self, index);

	if (!self->config.warp_mode) {
		report(self, GPUTM_COMMIT_OUTCOME, index, gputm__commit_bit(self, index), passed,
		       0);
		announce(self, index);
		return;
	}
	gputm__commit_group_of(self, index)->decided |= gputm__commit_bit(self, index);
	gputm__commit_group_of(self, index)->passed |= passed;
	if (whole)
		announce_warp(self, index);
}

void gputm__commit_finish(struct gputm_commit_unit *self, uint32_t index)
{
	gputm__commit_stage(self, index, GPUTM_COMMIT_FINISHED);
	if (self->entry[index].flags & GPUTM__COMMITTED)
		return;
	gputm__commit_uncount(self, index);
	if (self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_NEEDED)
		gputm__commit_drop_buffer(self, index, 1);
}

/* ---- commit ---- */

void gputm__commit_issue(struct gputm_commit_unit *self, uint32_t index)
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

/* The writes of all ready entries of a warp, coalesced. */
static void issue_warp(struct gputm_commit_unit *self, uint32_t last)
{
	for (uint32_t lane = self->slot[last].lanes; lane--;) {
		uint32_t index = (last - lane) & self->mask;

		if (self->slot[index].stage == GPUTM_COMMIT_READY)
			gputm__commit_issue(self, index);
	}
	gputm__commit_flush(self, 1);
	self->gathered = 0;
}

void gputm__commit_commit(struct gputm_commit_unit *self)
{
	uint32_t index = gputm__commit_index(self, self->commit);
	bool ready = self->slot[index].stage == GPUTM_COMMIT_READY;

	if (ready && gputm__commit_unbounded(&self->entry[index], 1)) {
		ask(self, index, GPUTM_COMMIT_FOR_COMMIT);
		return;
	}
	self->commit++;
	if (!self->config.warp_mode) {
		if (ready)
			gputm__commit_issue(self, index);
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
	gputm__commit_drop_buffer(self, index, 1);
	gputm__commit_drop_buffer(self, index, 0);
	return body ? count_end(self, index) : 0;
}

static void report_retired(struct gputm_commit_unit *self, uint32_t index)
{
	report(self, GPUTM_COMMIT_RETIRED, index, gputm__low_mask(self->slot[index].lanes), 0, 0);
	if (self->config.warp_mode)
		memset(&self->group[index], 0, sizeof(self->group[index]));
}

void gputm__commit_retire(struct gputm_commit_unit *self)
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
