/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The boxes of Fig. 4.5 after the log transfer, in the figure's order: hazard detection, validation
 * wait, finalising the outcome, commit, retire. Each is a pair: can_X() says whether the box can
 * take a step now, X() takes the step if it can. Messages and completions come in commit_unit.c;
 * what is called from there, gputm__commit_X(), stands in the box that the entry leaves.
 */
#include "lib/kilotm/commit_unit-priv.h"

/* ---- hazard detection ---- */

static bool has_words_left(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return self->detected < (uint64_t)entry->words[0] + entry->words[1];
}

/* Is the next word at the core, as its log is not kept? */
static bool is_next_at_core(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return has_words_left(self, entry) && is_unbounded(entry, log_in_detection(self, entry));
}

/* Does an entry before the hazard pointer, in warp mode an entry of an earlier warp, hold a
 * buffer? */
static bool older_holds(const struct gputm_commit_unit *self)
{
	const struct entry *entry = entry_at(self, self->hazard);
	uint64_t end = self->hazard - (self->config.warp_mode ? entry->lane : 0);

	for (uint64_t cid = self->oldest; cid < end; cid++) {
		entry = entry_at(self, cid);
		if (entry->buffer[0] || entry->buffer[1])
			return true;
	}
	return false;
}

/* Must a deferred log wait? It does while the pool is empty, but only for older entries. */
static bool waits_for_buffer(const struct gputm_commit_unit *self, const struct entry *entry)
{
	uint32_t log = log_in_detection(self, entry);

	return is_deferred(self, entry, log) && has_words_left(self, entry) &&
	       !entry->buffer[log] && self->buffers_used == self->config.buffers &&
	       older_holds(self);
}

static inline bool can_detect(const struct gputm_commit_unit *self)
{
	const struct entry *entry = entry_at(self, self->hazard);

	if (entry->state != GPUTM_COMMIT_UNIT_STATE_HAZARD)
		return entry->state > GPUTM_COMMIT_UNIT_STATE_HAZARD;
	if (!is_unbounded(entry, 0) && !is_unbounded(entry, 1))
		return true;
	return !entry->asked && (has_report_room(self) || !is_next_at_core(self, entry)) &&
	       !waits_for_buffer(self, entry);
}

/* Ask for the log that holds the next word, into a buffer if it can have one now. */
static void ask_for_words(struct gputm_commit_unit *self, struct entry *entry)
{
	uint32_t log = log_in_detection(self, entry);

	if (is_deferred(self, entry, log) && !entry->buffer[log])
		self->deferrals += gputm__commit_take_buffer(self, entry, log);
	gputm__commit_ask(self, entry,
			  log ? GPUTM_COMMIT_UNIT_PURPOSE_RECORD
			      : GPUTM_COMMIT_UNIT_PURPOSE_HAZARD);
}

static void detect_words(struct gputm_commit_unit *self, struct entry *entry)
{
	uint32_t words = self->config.hazard_rate;

	do {
		const struct gputm_commit_unit_word *log =
			buffer_of(self, entry, log_in_detection(self, entry));

		gputm__commit_detect_word(self, entry, log[detected_of_log(self, entry)].address);
	} while (--words && has_words_left(self, entry) && !is_next_at_core(self, entry));
}

/* The hazard pointer moves past an entry. */
static void advance_hazard(struct gputm_commit_unit *self)
{
	self->hazard++;
	if (!is_ordered(self))
		self->outcome = self->hazard;
}

/* All words of the entry are detected. */
static void leave_detection(struct gputm_commit_unit *self, struct entry *entry)
{
	gputm__sample(&self->hazard_cycles, cycles_in_state(self, entry));
	enter_state(self, entry, GPUTM_COMMIT_UNIT_STATE_VALIDATE);
	self->detected = 0;
	advance_hazard(self);
	if (entry->flags & GPUTM__HAZARDOUS) {
		self->hazards++;
		gputm__sample(&self->revalidation_distance, self->hazard - 1 - entry->ycid);
		gputm__commit_wait_for_writer(self, entry);
	}
	gputm__commit_leave_validation(self, entry);
}

static bool detect(struct gputm_commit_unit *self)
{
	struct entry *entry = entry_at(self, self->hazard);

	if (!can_detect(self))
		return false;
	if (entry->state == GPUTM_COMMIT_UNIT_STATE_FINISHED)
		advance_hazard(self);
	else if (!has_words_left(self, entry))
		leave_detection(self, entry);
	else if (is_next_at_core(self, entry))
		ask_for_words(self, entry);
	else
		detect_words(self, entry);
	return true;
}

/* ---- validation wait ---- */

void gputm__commit_wait_for_writer(struct gputm_commit_unit *self, struct entry *entry)
{
	if (!has_writer_retired(self, entry))
		gputm__commit_append(self, &entry_at(self, writer_of(entry))->waiters, entry);
}

/* The outcome is known: count it for the group, once. */
static void decide(struct gputm_commit_unit *self, struct entry *entry)
{
	struct entry *last = group_last(self, entry);

	if (entry->flags & GPUTM__DECIDED)
		return;
	entry->flags |= GPUTM__DECIDED;
	last->decided++;
	if (entry->flags & GPUTM__AGAIN)
		last->again--;
}

/* The outcome is known. It is reported when the pointer comes there; at once if the pointer is past
 * the entry, or there is no order. */
static void know_outcome(struct gputm_commit_unit *self, struct entry *entry)
{
	const struct entry *last = group_last(self, entry);

	if (!is_ordered(self)) {
		gputm__commit_append(self, &self->finalise, entry);
		return;
	}
	decide(self, entry);
	if (is_passing(self) && cid_of(self, entry) < self->outcome &&
	    last->decided == group_size(self, entry))
		gputm__commit_append(self, &self->finalise, entry);
}

void gputm__commit_leave_validation(struct gputm_commit_unit *self, struct entry *entry)
{
	if (entry->state != GPUTM_COMMIT_UNIT_STATE_VALIDATE || entry->at_port || entry->asked)
		return;
	if (!(entry->flags & GPUTM__HAZARDOUS)) {
		gputm__sample(&self->validate_cycles, cycles_in_state(self, entry));
		enter_state(self, entry, GPUTM_COMMIT_UNIT_STATE_FINALISE);
		know_outcome(self, entry);
	} else if (has_writer_retired(self, entry)) {
		gputm__commit_append(self, &self->revalidate, entry);
	}
}

static inline bool can_revalidate(const struct gputm_commit_unit *self)
{
	const struct entry *entry = list_first(self, &self->revalidate);

	if (!entry)
		return false;
	if (is_unbounded(entry, 0))
		return has_report_room(self);
	return port_room(self, GPUTM_COMMIT_UNIT_PORT_VALIDATION) >= entry->words[0];
}

static void revalidate_entry(struct gputm_commit_unit *self, struct entry *entry)
{
	entry->flags &= (uint8_t)~(GPUTM__FAILED | GPUTM__HAZARDOUS);
	entry->flags |= GPUTM__AGAIN;
	group_last(self, entry)->again++;
	self->revalidations++;
	if (is_unbounded(entry, 0)) {
		gputm__commit_ask(self, entry, GPUTM_COMMIT_UNIT_PURPOSE_REVALIDATE);
		return;
	}
	self->requeued += entry->words[0];
	gputm__commit_queue_log(self, entry, 0);
}

/* In warp mode the step takes as many entries of one warp as wait in a row, coalesced. */
static bool revalidate(struct gputm_commit_unit *self)
{
	struct entry *entry;
	uint64_t warp;

	if (!can_revalidate(self))
		return false;
	entry = list_first(self, &self->revalidate);
	warp = cid_of(self, entry) - entry->lane;
	do {
		revalidate_entry(self, gputm__commit_take(self, &self->revalidate));
		entry = list_first(self, &self->revalidate);
	} while (self->config.warp_mode && can_revalidate(self) &&
		 cid_of(self, entry) - entry->lane == warp);
	gputm__commit_send(self, GPUTM_COMMIT_UNIT_PORT_VALIDATION);
	return true;
}

/* ---- finalising the outcome ---- */

/* Are all outcomes of the group known when that of the entry is counted? It is counted already if
 * finalise_after_skips() has put the entry on the list for the second time. */
static bool completes_group(const struct gputm_commit_unit *self, struct entry *entry)
{
	uint32_t missing = group_size(self, entry) - group_last(self, entry)->decided;
	uint32_t own = !(entry->flags & GPUTM__DECIDED); /* 1 if its own outcome is still missing */

	return missing == own;
}

/* In CID order: are all outcomes of the group at the pointer known, or does the pointer pass the
 * group as revalidations will bring the missing ones? A skip needs no room for a report, as nothing
 * is reported of it; in warp mode a warp of skips waits for room all the same. */
static inline bool can_finalise_next(const struct gputm_commit_unit *self)
{
	struct entry *entry = entry_at(self, self->outcome);
	const struct entry *last;
	uint32_t size;

	if (!is_settling(entry))
		return false;
	last = group_last(self, entry);
	size = group_size(self, last);
	if (self->hazard - self->outcome < size)
		return false;
	if (last->decided != size)
		return is_passing(self) && last->decided + last->again == size;
	return has_report_room(self) || (!self->config.warp_mode && !last->begun);
}

/* What is on the list comes first: in CID order that is older than the entry at the pointer. */
static inline bool can_finalise(const struct gputm_commit_unit *self)
{
	struct entry *entry = list_first(self, &self->finalise);

	if (entry)
		return has_report_room(self) || !completes_group(self, entry);
	return is_ordered(self) && can_finalise_next(self);
}

/* The core hears the outcome: a passed entry waits for its verdict from here on. */
static void announce(struct gputm_commit_unit *self, struct entry *entry)
{
	bool passed = !(entry->flags & GPUTM__FAILED);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_EVENT_OUTCOME, cid_of(self, entry), passed,
		    entry->words[0], self->cycles);
	if (holds_as_needed(self))
		drop_buffer(self, entry, 0);
	if (!passed) {
		self->outcomes_failed++;
		gputm__commit_finish(self, entry);
		return;
	}
	self->outcomes_passed++;
	enter_state(self, entry, GPUTM_COMMIT_UNIT_STATE_WAIT);
	if (is_write_pending(self, entry))
		gputm__commit_pend(self, entry, 1);
}

/* Report the outcomes of the entries of a group that are no skips. */
static void announce_group(struct gputm_commit_unit *self, const struct entry *last)
{
	uint64_t end = cid_of(self, last) + 1, mask = 0, passed = 0;

	for (uint64_t cid = end - group_size(self, last); cid < end; cid++) {
		struct entry *entry = entry_at(self, cid);

		if (!entry->begun)
			continue;
		mask |= lane_bit(entry);
		passed |= entry->flags & GPUTM__FAILED ? 0 : lane_bit(entry);
		announce(self, entry);
	}
	if (mask)
		gputm__commit_report(self, last, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, mask, passed);
}

static bool finalise(struct gputm_commit_unit *self)
{
	struct entry *entry, *last;

	if (!can_finalise(self))
		return false;
	if (self->finalise.last) {
		entry = gputm__commit_take(self, &self->finalise);
		decide(self, entry);
	} else {
		entry = entry_at(self, self->outcome);
		self->outcome += group_size(self, entry);
	}
	last = group_last(self, entry);
	if (last->decided == group_size(self, entry) && (self->config.warp_mode || entry->begun))
		announce_group(self, last);
	return true;
}

/* ---- commit ---- */

/* Words to queue when the pointer moves past the last entry of a group. */
static uint64_t words_to_write(const struct gputm_commit_unit *self, const struct entry *last)
{
	uint64_t words = 0;

	for (uint32_t n = 0; n < group_size(self, last); n++) {
		const struct entry *entry = entry_at(self, self->commit - n);

		words += entry->state == GPUTM_COMMIT_UNIT_STATE_READY ? entry->words[1] : 0;
	}
	return words;
}

static inline bool can_commit(const struct gputm_commit_unit *self)
{
	struct entry *entry = entry_at(self, self->commit);

	if (self->commit == self->outcome || entry->state < GPUTM_COMMIT_UNIT_STATE_READY)
		return false;
	if (entry->state == GPUTM_COMMIT_UNIT_STATE_READY && is_unbounded(entry, 1))
		return !entry->asked && has_report_room(self);
	return entry != group_last(self, entry) ||
	       port_room(self, GPUTM_COMMIT_UNIT_PORT_COMMIT) >= words_to_write(self, entry);
}

void gputm__commit_write(struct gputm_commit_unit *self, struct entry *entry)
{
	gputm__sample(&self->commit_cycles, cycles_in_state(self, entry));
	enter_state(self, entry, GPUTM_COMMIT_UNIT_STATE_WRITE);
	entry->flags |= GPUTM__WRITES_QUEUED;
	if (!is_unbounded(entry, 1)) {
		self->reissued += entry->words[1];
		gputm__commit_queue_log(self, entry, 1);
	}
	if (!entry->at_port)
		gputm__commit_finish(self, entry);
}

/* Queue the writes of all entries of a group, coalesced in warp mode. */
static void write_group(struct gputm_commit_unit *self, const struct entry *last)
{
	uint64_t end = cid_of(self, last) + 1;

	for (uint64_t cid = end - group_size(self, last); cid < end; cid++)
		if (entry_at(self, cid)->state == GPUTM_COMMIT_UNIT_STATE_READY)
			gputm__commit_write(self, entry_at(self, cid));
	gputm__commit_send(self, GPUTM_COMMIT_UNIT_PORT_COMMIT);
}

static bool commit(struct gputm_commit_unit *self)
{
	struct entry *entry = entry_at(self, self->commit);
	bool ready = entry->state == GPUTM_COMMIT_UNIT_STATE_READY;

	if (!can_commit(self))
		return false;
	if (ready && is_unbounded(entry, 1)) {
		gputm__commit_ask(self, entry, GPUTM_COMMIT_UNIT_PURPOSE_COMMIT);
		return true;
	}
	if (entry == group_last(self, entry) && (self->config.warp_mode || ready))
		write_group(self, entry);
	self->commit++;
	if (tells_written(self) && entry == group_last(self, entry))
		gputm__commit_list_written(self, entry);
	return true;
}

/* ---- retire ---- */

/* Does the core get a report when the entry retires? It does at the end of the warp, and with
 * entry_done = true for each entry that has written. */
static bool reports_retirement(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return ends_warp(entry) || (self->config.entry_done == GPUTM_COMMIT_UNIT_ENTRY_DONE_TRUE &&
				    !self->config.warp_mode &&
				    entry->flags & GPUTM__WRITES_QUEUED);
}

/* The lanes up to that of the oldest entry that have retired and are not reported yet. */
static uint64_t unreported(const struct gputm_commit_unit *self, const struct entry *oldest)
{
	unsigned before = (unsigned)(self->oldest - self->reported);

	if (gputm__mutant(GPUTM__MUTANT_LOSE_DONE))
		return lane_bit(oldest);
	return UINT64_MAX >> (63 - before) << (oldest->lane - before);
}

static inline bool can_retire(const struct gputm_commit_unit *self)
{
	const struct entry *entry = entry_at(self, self->oldest);

	return self->oldest != self->commit && entry->state == GPUTM_COMMIT_UNIT_STATE_FINISHED &&
	       !(entry->flags & GPUTM__UNTOLD) &&
	       (!reports_retirement(self, entry) || has_report_room(self));
}

/* Count how the entry has ended. @return the number of that end in the event. */
static uint64_t count_end(struct gputm_commit_unit *self, const struct entry *entry)
{
	if (!entry->begun) {
		self->skips_retired++;
		return 0;
	}
	gputm__sample(&self->retire_cycles, cycles_in_state(self, entry));
	if (entry->flags & GPUTM__WRITES_QUEUED) {
		self->committed++;
		return 2;
	}
	if (entry->flags & GPUTM__FAILED)
		self->failed_here++;
	else
		self->failed_elsewhere++;
	return 1;
}

static bool retire(struct gputm_commit_unit *self)
{
	struct entry *entry = entry_at(self, self->oldest);
	struct list waiters = entry->waiters;

	if (!can_retire(self))
		return false;
	if (is_write_pending(self, entry))
		gputm__commit_pend(self, entry, -1);
	drop_buffer(self, entry, 1);
	drop_buffer(self, entry, 0);
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_EVENT_RETIRE, self->oldest,
		    count_end(self, entry), self->cycles, 0);
	if (reports_retirement(self, entry)) {
		gputm__commit_report(self, entry, GPUTM_COMMIT_UNIT_REPORT_RETIRED,
				     unreported(self, entry), 0);
		self->reported = self->oldest + 1;
	}
	if (ends_warp(entry))
		*pushed_for(self, entry) = (struct pushed){ { 0 } };
	*entry = (struct entry){ 0 };
	self->active--;
	self->oldest++;
	while (waiters.last)
		gputm__commit_leave_validation(self, gputm__commit_take(self, &waiters));
	return true;
}

/* ---- a cycle ---- */

bool gputm__commit_step(struct gputm_commit_unit *self)
{
	bool moved = detect(self);

	moved |= revalidate(self);
	moved |= finalise(self);
	moved |= gputm__commit_tell_written(self);
	moved |= commit(self);
	moved |= retire(self);
	return moved;
}

bool gputm__commit_can_step(const struct gputm_commit_unit *self)
{
	return can_detect(self) || can_revalidate(self) || can_finalise(self) ||
	       can_tell_written(self) || can_commit(self) || can_retire(self);
}
