/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cycle of the commit unit (thesis Fig. 4.5). Each box of the figure is a pair of functions:
 * whether it can take a step now, and the step. An entry moves so:
 *
 *   UNUSED -> FILL -> HAZARD -> VALIDATE -> FINALISE -> WAIT -> READY -> WRITE -> FINISHED
 *      |                        |      ^        |        |
 *      |                        +------+        +--------+-> FINISHED (failed)
 *      +-> FINISHED (skip)     revalidation
 *
 * Three pointers walk the ring in CID order, an entry a cycle: `hazard` passes what has
 * had its words looked up and recorded, `commit` what has failed or queued its writes,
 * `oldest` (retirement) what is finished. The rest is by lists: an entry that waits for its
 * YCID hangs on that entry until it retires, then on the list `revalidate`; one whose
 * outcome is known hangs on `finalise`.
 */
#include "lib/kilotm/commit_unit-priv.h"
#include "lib/kilotm/last_writer.h"

/* ---- what every box does ---- */

static inline void enter(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
			 enum gputm_commit_stage stage)
{
	entry->stage = (uint8_t)stage;
	entry->since = self->now;
}

static inline uint64_t waited(const struct gputm_commit_unit *self,
			      const struct gputm__commit_entry *entry)
{
	return self->now - entry->since;
}

static inline bool holds_as_needed(const struct gputm_commit_unit *self)
{
	return self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_NEEDED;
}

static void report(struct gputm_commit_unit *self, const struct gputm__commit_entry *entry,
		   enum gputm_commit_report_kind kind, uint64_t mask, uint64_t yes)
{
	struct gputm__commit_outbox *out = &self->output;
	uint32_t at = out->head + out->count++;

	gputm__assert(out->count <= out->depth);
	out->report[at < out->depth ? at : at - out->depth] = (struct gputm_commit_report){
		.kind = kind, .first_cid = gputm__commit_first(self, entry),
		.lanes = entry->lanes, .mask = mask, .yes = yes,
		.purpose = kind == GPUTM_COMMIT_RESEND ? entry->asked - 1u : 0,
	};
}

static inline uint64_t lane_bit(const struct gputm__commit_entry *entry)
{
	return UINT64_C(1) << entry->lane;
}

/* Ask the core for a log that is not kept. */
static void ask(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
		enum gputm_commit_purpose purpose)
{
	entry->asked = (uint8_t)(purpose + 1);
	entry->answered = 0;
	entry->flags &= (uint8_t)~GPUTM__ANSWERED;
	self->resends++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_RESEND, gputm__commit_cid(self, entry), purpose,
		    self->cycles, 0);
	if (!gputm__mutant(GPUTM__MUTANT_DROP_RESEND))
		report(self, entry, GPUTM_COMMIT_RESEND, lane_bit(entry), 0);
}

/* Send a log that is kept to the port of its number. */
static void send_log(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
		     uint32_t log)
{
	for (uint32_t n = 0; n < entry->words[log]; n++)
		gputm__commit_gather(self, entry, log, &gputm__commit_kept(self, entry, log)[n]);
}

/* Failed, or all its writes have completed. */
static void finish(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	if (!(entry->flags & GPUTM__COMMITTED)) {
		if (gputm__commit_is_pending(self, entry))
			gputm__commit_pend(self, entry, -1);
		if (holds_as_needed(self))
			gputm__commit_drop_buffer(self, entry, 1);
	}
	enter(self, entry, GPUTM_COMMIT_FINISHED);
}

/* ---- log transfer and speculative validation ---- */

static void note_active(struct gputm_commit_unit *self, uint64_t entries)
{
	self->active += entries;
	gputm__maximum(&self->active_max, self->active);
}

/* The first that is heard of an entry. */
static void begin(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	entry->body = true;
	entry->rcid = self->oldest;
	enter(self, entry, GPUTM_COMMIT_FILL);
	self->begun++;
	note_active(self, 1);
	if (self->config.buffer_policy <= GPUTM_COMMIT_BUFFERS_ACCESSED) {
		gputm__commit_take_buffer(self, entry, 0);
		gputm__commit_take_buffer(self, entry, 1);
	}
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_BEGUN, gputm__commit_cid(self, entry),
		    entry->rcid, self->cycles, 0);
}

/* Whether one more word of the log fits its buffer; the log may take a free one. */
static bool has_room(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
		     uint32_t log)
{
	if (entry->buffer[log])
		return entry->words[log] < self->config.buffer_words;
	return gputm__commit_take_buffer(self, entry, log);
}

/* The log does not fit, or finds no buffer. */
static void overflow(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
		     uint32_t log)
{
	entry->flags |= (uint8_t)(GPUTM__OVERFLOW << log);
	self->overflows++;
	if (self->config.buffer_policy >= GPUTM_COMMIT_BUFFERS_USED)
		gputm__commit_drop_buffer(self, entry, log);
}

/* A word of a log; what has been read is compared with memory at once. */
static void transfer(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
		     uint32_t log, const struct gputm_commit_word *word)
{
	if (entry->stage == GPUTM_COMMIT_UNUSED)
		begin(self, entry);
	if (!gputm__commit_unbounded(entry, log) && !has_room(self, entry, log))
		overflow(self, entry, log);
	if (!gputm__commit_unbounded(entry, log))
		gputm__commit_kept(self, entry, log)[entry->words[log]] = *word;
	entry->words[log]++;
	self->consumed[log]++;
	if (log == GPUTM_COMMIT_READ_LOG)
		gputm__commit_gather(self, entry, 0, word);
}

/* ---- hazard detection ---- */

/* CIDs in the history are relative to the first one. */
static inline uint64_t told(const struct gputm_commit_unit *self, uint64_t cid)
{
	return cid < self->config.first_cid ? 0 : cid - self->config.first_cid;
}

/* Whether a writer that has not retired at the first comparison may write the word. */
static void look_up(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
		    uint64_t address)
{
	uint64_t first = gputm__commit_first(self, entry), writer;

	if (gputm__mutant(GPUTM__MUTANT_NO_HAZARD) ||
	    !gputm__youngest_writer(self->history, address, told(self, entry->rcid), &writer))
		return;
	writer += self->config.first_cid;
	/* A false answer of the filter may name the entry's own warp: then the writer is older. */
	if (self->config.warp_mode && writer >= first) {
		if (!first)
			return;
		writer = first - 1;
	}
	if (writer < entry->rcid ||
	    (gputm__mutant(GPUTM__MUTANT_EQUAL_RCID) && writer == entry->rcid))
		return;
	self->hazard_words++;
	entry->flags |= GPUTM__HAZARDOUS;
	gputm__maximum(&entry->ycid, writer);
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_HAZARD, gputm__commit_cid(self, entry), address,
		    writer, self->cycles);
}

/* The smallest RCID in use before hazard detection; writers below it can be forgotten. */
static uint64_t floor_of(const struct gputm_commit_unit *self)
{
	uint64_t floor = self->oldest;

	for (uint64_t cid = self->hazard; cid < self->head; cid++) {
		const struct gputm__commit_entry *entry = gputm__commit_at(self, cid);

		if (entry->body && entry->rcid < floor)
			floor = entry->rcid;
	}
	return floor;
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

	do {
		step = gputm_last_writer_limit(self->history) + 1;
		if (gputm_last_writer_expire(self->history, floor < step ? floor : step, NULL))
			gputm__assert(false);
	} while (floor > step);
	gputm__commit_set_expiry(self);
}

static void record(struct gputm_commit_unit *self, uint64_t address)
{
	if (GPUTM__UNLIKELY(self->hazard >= self->expire_at))
		expire(self);
	if (gputm_last_writer_record(self->history, address, told(self, self->hazard)) < 0)
		gputm__assert(false);
}

static void detect_word(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
			uint64_t address)
{
	if (self->hazard_word++ < entry->words[0])
		look_up(self, entry, address);
	else
		record(self, address);
}

static inline bool has_words(const struct gputm_commit_unit *self,
			     const struct gputm__commit_entry *entry)
{
	return self->hazard_word < (uint64_t)entry->words[0] + entry->words[1];
}

/* The log that the next word is in. */
static inline uint32_t log_of(const struct gputm_commit_unit *self,
			      const struct gputm__commit_entry *entry)
{
	return self->hazard_word >= entry->words[0];
}

/* Whether the next word has to be sent again. */
static inline bool is_elsewhere(const struct gputm_commit_unit *self,
				const struct gputm__commit_entry *entry)
{
	return has_words(self, entry) && gputm__commit_unbounded(entry, log_of(self, entry));
}

static inline bool can_detect(const struct gputm_commit_unit *self)
{
	const struct gputm__commit_entry *entry = gputm__commit_at(self, self->hazard);

	if (entry->stage != GPUTM_COMMIT_HAZARD)
		return entry->stage > GPUTM_COMMIT_HAZARD;
	return !entry->asked && (!is_elsewhere(self, entry) || gputm__commit_report_room(self));
}

static void settle(struct gputm_commit_unit *self, struct gputm__commit_entry *entry);

/* All words have passed. */
static void leave_detection(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	gputm__sample(&self->hazard_cycles, waited(self, entry));
	enter(self, entry, GPUTM_COMMIT_VALIDATE);
	self->hazard_word = 0;
	self->hazard++;
	if (entry->flags & GPUTM__HAZARDOUS) {
		self->hazards++;
		gputm__sample(&self->revalidation_distance, self->hazard - 1 - entry->ycid);
		gputm__commit_wait_for(self, entry);
	}
	settle(self, entry);
}

static void detect(struct gputm_commit_unit *self)
{
	struct gputm__commit_entry *entry = gputm__commit_at(self, self->hazard);
	uint32_t words = self->config.hazard_rate;

	if (entry->stage == GPUTM_COMMIT_FINISHED)
		self->hazard++;
	else if (is_elsewhere(self, entry))
		ask(self, entry, log_of(self, entry) ? GPUTM_COMMIT_FOR_RECORD
						     : GPUTM_COMMIT_FOR_HAZARD);
	else if (!has_words(self, entry))
		leave_detection(self, entry);
	else
		for (; words && has_words(self, entry) && !is_elsewhere(self, entry); words--) {
			uint32_t log = log_of(self, entry);
			uint64_t n = self->hazard_word - (log ? entry->words[0] : 0);

			detect_word(self, entry, gputm__commit_kept(self, entry, log)[n].address);
		}
}

/* ---- validation wait ---- */

void gputm__commit_wait_for(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	uint64_t writer = entry->ycid - (gputm__mutant(GPUTM__MUTANT_EARLY) && entry->ycid);

	if (!gputm__commit_woken(self, entry))
		gputm__commit_append(self, &gputm__commit_at(self, writer)->waiters, entry);
}

/* Move an entry on whose validation may be complete. */
static void settle(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	if (entry->stage != GPUTM_COMMIT_VALIDATE || entry->pending || entry->asked)
		return;
	if (!(entry->flags & GPUTM__HAZARDOUS)) {
		gputm__sample(&self->validate_cycles, waited(self, entry));
		enter(self, entry, GPUTM_COMMIT_FINALISE);
		gputm__commit_append(self, &self->finalise, entry);
	} else if (gputm__commit_woken(self, entry)) {
		gputm__commit_append(self, &self->revalidate, entry);
	}
}

static void wake(struct gputm_commit_unit *self, struct gputm__commit_list *waiters)
{
	while (waiters->head)
		settle(self, gputm__commit_take(self, waiters));
}

void gputm__commit_drained(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	if (entry->stage == GPUTM_COMMIT_WRITE)
		finish(self, entry);
	else
		settle(self, entry);
}

static inline bool can_revalidate(const struct gputm_commit_unit *self)
{
	const struct gputm__commit_entry *entry = gputm__commit_front(self, &self->revalidate);

	if (!entry)
		return false;
	if (gputm__commit_unbounded(entry, 0))
		return gputm__commit_report_room(self);
	return gputm__commit_room(self, 0) >= entry->words[0];
}

static void revalidate_entry(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	entry->flags &= (uint8_t)~(GPUTM__FAILED | GPUTM__HAZARDOUS);
	entry->flags |= GPUTM__AGAIN;
	self->revalidations++;
	if (gputm__commit_unbounded(entry, 0)) {
		ask(self, entry, GPUTM_COMMIT_FOR_REVALIDATE);
		return;
	}
	self->requeued += entry->words[0];
	send_log(self, entry, 0);
}

/* In warp mode, as many entries of one warp as wait in a row, coalesced. */
static void revalidate(struct gputm_commit_unit *self)
{
	struct gputm__commit_entry *entry = gputm__commit_front(self, &self->revalidate);
	uint64_t warp = gputm__commit_first(self, entry);

	do {
		revalidate_entry(self, gputm__commit_take(self, &self->revalidate));
		entry = gputm__commit_front(self, &self->revalidate);
	} while (self->config.warp_mode && can_revalidate(self) &&
		 gputm__commit_first(self, entry) == warp);
	gputm__commit_send(self, 0);
}

/* ---- finalising the outcome ---- */

/* Whether the entry's outcome is the last one of its warp that is missing. */
static bool completes(const struct gputm_commit_unit *self,
		      const struct gputm__commit_entry *entry)
{
	bool decides = !(entry->flags & GPUTM__DECIDED);

	return gputm__commit_last(self, entry)->decided + decides == entry->lanes;
}

static inline bool can_finalise(const struct gputm_commit_unit *self)
{
	const struct gputm__commit_entry *entry = gputm__commit_front(self, &self->finalise);

	return entry && (gputm__commit_report_room(self) ||
			 (self->config.warp_mode && !completes(self, entry)));
}

/* The core is told: from here on a passed entry waits for its verdict. */
static void announce(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	bool passed = !(entry->flags & GPUTM__FAILED);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_OUTCOME, gputm__commit_cid(self, entry), passed,
		    entry->words[0], self->cycles);
	if (holds_as_needed(self))
		gputm__commit_drop_buffer(self, entry, 0);
	if (!passed) {
		self->outcomes_failed++;
		finish(self, entry);
		return;
	}
	self->outcomes_passed++;
	enter(self, entry, GPUTM_COMMIT_WAIT);
	if (gputm__commit_is_pending(self, entry))
		gputm__commit_pend(self, entry, 1);
}

/* The outcomes of some neighbours, those that are no skips, in one report. */
static void announce_all(struct gputm_commit_unit *self, struct gputm__commit_entry *last,
			 uint32_t lanes)
{
	uint32_t end = gputm__commit_place(self, last) + 1, place;
	uint64_t mask = 0, passed = 0;

	for (place = end - lanes; place != end; place++) {
		struct gputm__commit_entry *entry = &self->entry[place & self->mask];

		mask |= entry->body ? lane_bit(entry) : 0;
		passed |= entry->body && !(entry->flags & GPUTM__FAILED) ? lane_bit(entry) : 0;
	}
	report(self, last, GPUTM_COMMIT_OUTCOME, mask, passed);
	for (place = end - lanes; place != end; place++)
		if (self->entry[place & self->mask].body)
			announce(self, &self->entry[place & self->mask]);
}

static void finalise(struct gputm_commit_unit *self)
{
	struct gputm__commit_entry *entry = gputm__commit_take(self, &self->finalise);
	struct gputm__commit_entry *last = gputm__commit_last(self, entry);

	if (!(entry->flags & GPUTM__DECIDED))
		last->decided++;
	entry->flags |= GPUTM__DECIDED;
	if (!self->config.warp_mode)
		announce_all(self, entry, 1);
	else if (last->decided == last->lanes)
		announce_all(self, last, last->lanes);
}

/* ---- commit ---- */

/* Words to be queued when the pointer passes: in warp mode those of the warp, at its end. */
static inline uint64_t words_due(const struct gputm_commit_unit *self,
				 const struct gputm__commit_entry *entry)
{
	uint32_t place = gputm__commit_place(self, entry), lanes = entry->lanes;
	uint64_t words = 0;

	if (!self->config.warp_mode)
		lanes = 1;
	else if (!gputm__commit_is_last(entry))
		lanes = 0;
	for (; lanes; lanes--, place--) {
		entry = &self->entry[place & self->mask];
		words += entry->stage == GPUTM_COMMIT_READY ? entry->words[1] : 0;
	}
	return words;
}

static inline bool can_commit(const struct gputm_commit_unit *self)
{
	const struct gputm__commit_entry *entry = gputm__commit_at(self, self->commit);

	if (self->commit == self->hazard || entry->stage < GPUTM_COMMIT_READY)
		return false;
	if (entry->stage == GPUTM_COMMIT_READY && gputm__commit_unbounded(entry, 1))
		return !entry->asked && gputm__commit_report_room(self);
	return gputm__commit_room(self, 1) >= words_due(self, entry);
}

/* Queue the writes of an entry; those of a log that is not kept were queued as they came. */
static void issue(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	gputm__sample(&self->commit_cycles, waited(self, entry));
	enter(self, entry, GPUTM_COMMIT_WRITE);
	entry->flags |= GPUTM__COMMITTED;
	if (!gputm__commit_unbounded(entry, 1)) {
		self->reissued += entry->words[1];
		send_log(self, entry, 1);
	}
	if (!entry->pending)
		finish(self, entry);
}

static void commit(struct gputm_commit_unit *self)
{
	struct gputm__commit_entry *entry = gputm__commit_at(self, self->commit);
	uint32_t place = gputm__commit_place(self, entry), lanes = entry->lanes;

	if (entry->stage == GPUTM_COMMIT_READY && gputm__commit_unbounded(entry, 1)) {
		ask(self, entry, GPUTM_COMMIT_FOR_COMMIT);
		return;
	}
	self->commit++;
	if (self->config.warp_mode && !gputm__commit_is_last(entry))
		return;
	for (lanes = self->config.warp_mode ? lanes : 1; lanes--;) {
		entry = &self->entry[(place - lanes) & self->mask];
		if (entry->stage == GPUTM_COMMIT_READY)
			issue(self, entry);
	}
	gputm__commit_send(self, 1);
}

/* ---- retire ---- */

static inline bool can_retire(const struct gputm_commit_unit *self)
{
	const struct gputm__commit_entry *entry = gputm__commit_at(self, self->oldest);

	return self->oldest != self->commit && entry->stage == GPUTM_COMMIT_FINISHED &&
	       (!gputm__commit_is_last(entry) || gputm__commit_report_room(self));
}

/* What became of an entry, as the event says. */
static uint64_t count_end(struct gputm_commit_unit *self, const struct gputm__commit_entry *entry)
{
	if (!entry->body) {
		self->skips_retired++;
		return 0;
	}
	gputm__sample(&self->retire_cycles, waited(self, entry));
	if (entry->flags & GPUTM__COMMITTED) {
		self->committed++;
		return 2;
	}
	if (entry->flags & GPUTM__FAILED)
		self->failed_here++;
	else
		self->failed_elsewhere++;
	return 1;
}

static void retire(struct gputm_commit_unit *self)
{
	struct gputm__commit_entry *entry = gputm__commit_at(self, self->oldest);
	struct gputm__commit_list waiters = entry->waiters;

	if (gputm__commit_is_pending(self, entry))
		gputm__commit_pend(self, entry, -1);
	gputm__commit_drop_buffer(self, entry, 1);
	gputm__commit_drop_buffer(self, entry, 0);
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_RETIRED, self->oldest, count_end(self, entry),
		    self->cycles, 0);
	if (gputm__commit_is_last(entry)) {
		report(self, entry, GPUTM_COMMIT_RETIRED, gputm__low_mask(entry->lanes), 0);
		self->warp[gputm__commit_place(self, entry)] = (struct gputm__commit_warp){ 0 };
	}
	*entry = (struct gputm__commit_entry){ 0 };
	self->active--;
	self->oldest++;
	wake(self, &waiters);
}

/* ---- messages ---- */

static inline struct gputm__commit_entry *
entry_of(const struct gputm_commit_unit *self, const struct gputm_commit_message *message,
	 uint32_t lane)
{
	return gputm__commit_at(self, message->first_cid + lane);
}

static void drop_message(struct gputm__commit_inbox *in)
{
	in->word = 0;
	in->count--;
	if (++in->head == in->depth)
		in->head = 0;
}

/* Words of a message that are consumed in a cycle, if they go to this port. */
static inline uint32_t words_a_cycle(const struct gputm_commit_unit *self,
				     const struct gputm_commit_message *message)
{
	return self->config.warp_mode ? message->words : 1;
}

static void consume_log(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	for (uint32_t words = words_a_cycle(self, message); words; words--) {
		const struct gputm_commit_word *word = &message->word[self->input.word++];

		transfer(self, entry_of(self, message, word->lane), message->kind, word);
	}
	gputm__commit_send(self, 0);
}

static void close_logs(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	if (entry->stage == GPUTM_COMMIT_UNUSED)
		begin(self, entry);
	gputm__sample(&self->fill_cycles, waited(self, entry));
	enter(self, entry, GPUTM_COMMIT_HAZARD);
}

static void skip(struct gputm_commit_unit *self, struct gputm__commit_entry *entry)
{
	if (gputm__mutant(GPUTM__MUTANT_FORGET_SKIP))
		return;
	entry->stage = GPUTM_COMMIT_FINISHED;
	self->skips++;
	note_active(self, 1);
	gputm__commit_last(self, entry)->decided++;
	if (self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_ALL) {
		gputm__commit_take_buffer(self, entry, 0);
		gputm__commit_take_buffer(self, entry, 1);
	}
}

/* Every lane that is no skip may have been decided before the last skip was known. */
static void note_decided(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	uint32_t lane = 0;

	if (entry_of(self, message, message->lanes - 1)->decided != message->lanes)
		return;
	while (lane < message->lanes && !entry_of(self, message, lane)->body)
		lane++;
	if (lane < message->lanes)
		gputm__commit_append(self, &self->finalise, entry_of(self, message, lane));
}

static void consume_done(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	for (uint64_t left = message->yes; left; left &= left - 1)
		close_logs(self, entry_of(self, message, gputm__lowest(left)));
	for (uint64_t left = message->mask & ~message->yes; left; left &= left - 1)
		skip(self, entry_of(self, message, gputm__lowest(left)));
	if (self->config.warp_mode)
		note_decided(self, message);
}

static void judge_entry(struct gputm_commit_unit *self, uint64_t cid, bool passed)
{
	struct gputm__commit_entry *entry = gputm__commit_at(self, cid);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_VERDICT, cid, passed, self->cycles, 0);
	if (cid < self->oldest || entry->stage != GPUTM_COMMIT_WAIT) {
		self->absorbed++;
		return;
	}
	gputm__sample(&self->verdict_cycles, waited(self, entry));
	if (passed)
		enter(self, entry, GPUTM_COMMIT_READY);
	else
		finish(self, entry);
	if (gputm__mutant(GPUTM__MUTANT_DISORDER) && passed && !self->config.warp_mode &&
	    !gputm__commit_unbounded(entry, 1) &&
	    gputm__commit_room(self, 1) >= entry->words[1])
		issue(self, entry);
}

static void consume_verdict(struct gputm_commit_unit *self,
			    const struct gputm_commit_message *message)
{
	for (uint64_t left = message->mask; left; left &= left - 1) {
		unsigned lane = gputm__lowest(left);

		judge_entry(self, message->first_cid + lane, message->yes >> lane & 1);
	}
}

static inline bool can_consume(const struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = gputm__commit_oldest(&self->input);

	if (!self->input.count)
		return false;
	return message->kind != GPUTM_COMMIT_READ_LOG ||
	       gputm__commit_room(self, 0) >= words_a_cycle(self, message);
}

static void consume(struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = gputm__commit_oldest(&self->input);

	if (message->kind == GPUTM_COMMIT_DONE)
		consume_done(self, message);
	else if (message->kind == GPUTM_COMMIT_VERDICT)
		consume_verdict(self, message);
	else
		consume_log(self, message);
	if (self->input.word == message->words)
		drop_message(&self->input);
}

/* ---- logs that have been asked for ---- */

/* The port that resent words of this purpose go to; -1: to hazard detection. */
static inline int port_of(uint32_t purpose)
{
	return purpose < GPUTM_COMMIT_FOR_REVALIDATE ? -1 : (int)(purpose & 1);
}

static inline bool can_take_resent(const struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = gputm__commit_oldest(&self->resent);
	int port;

	if (!self->resent.count)
		return false;
	port = port_of(message->purpose);
	return port < 0 || message->kind == GPUTM_COMMIT_RESENT_DONE ||
	       gputm__commit_room(self, (uint32_t)port) >= words_a_cycle(self, message);
}

static void finish_resent(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
			  uint32_t purpose)
{
	entry->asked = 0;
	if (purpose == GPUTM_COMMIT_FOR_REVALIDATE)
		settle(self, entry);
	else if (purpose == GPUTM_COMMIT_FOR_COMMIT)
		issue(self, entry);
}

static void take_resent_word(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
			     int port, const struct gputm_commit_word *word)
{
	self->words_resent++;
	if (port < 0) {
		detect_word(self, entry, word->address);
		return;
	}
	self->requeued += !port;
	self->reissued += (unsigned)port;
	gputm__commit_gather(self, entry, (uint32_t)port, word);
}

static void take_resent(struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = gputm__commit_oldest(&self->resent);
	struct gputm__commit_entry *entry =
		entry_of(self, message, gputm__lowest(message->mask));
	int port = port_of(message->purpose);
	uint32_t words = port < 0 ? self->config.hazard_rate : words_a_cycle(self, message);

	for (; words && self->resent.word < message->words; words--)
		take_resent_word(self, entry, port, &message->word[self->resent.word++]);
	if (port >= 0)
		gputm__commit_send(self, (uint32_t)port);
	if (message->kind == GPUTM_COMMIT_RESENT_DONE)
		finish_resent(self, entry, message->purpose);
	if (self->resent.word == message->words)
		drop_message(&self->resent);
}

/* ---- a cycle ---- */

static inline bool can_offer(const struct gputm__commit_port *port)
{
	return !port->offered && port->issued != port->filled;
}

/* What a port offers stays until it is popped. */
static inline void offer(struct gputm__commit_port *port)
{
	port->offered = port->issued != port->filled;
}

static inline int offers(const struct gputm_commit_unit *self)
{
	return (self->output.count != 0) | self->port[0].offered << 1 | self->port[1].offered << 2;
}

int gputm_commit_unit_tick(struct gputm_commit_unit *self)
{
	offer(&self->port[0]);
	offer(&self->port[1]);
	if (can_detect(self))
		detect(self);
	if (can_revalidate(self))
		revalidate(self);
	if (can_finalise(self))
		finalise(self);
	if (can_commit(self))
		commit(self);
	if (can_retire(self))
		retire(self);
	if (can_take_resent(self))
		take_resent(self);
	if (can_consume(self))
		consume(self);
	self->now++;
	self->cycles++;
	return offers(self);
}

uint64_t gputm_commit_unit_next_event(const struct gputm_commit_unit *self)
{
	bool some = can_offer(&self->port[0]) || can_offer(&self->port[1]) || can_detect(self) ||
		    can_revalidate(self) || can_finalise(self) || can_commit(self) ||
		    can_retire(self) || can_take_resent(self) || can_consume(self);

	return some ? 0 : UINT64_MAX;
}

int gputm_commit_unit_advance(struct gputm_commit_unit *self, uint64_t cycles)
{
	uint64_t now;

	for (; cycles && !gputm_commit_unit_next_event(self); cycles--)
		gputm_commit_unit_tick(self);
	now = gputm__later(self->now, cycles);
	self->cycles += now - self->now;
	self->now = now;
	return offers(self);
}
