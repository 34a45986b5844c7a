/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commit unit
 * ===========
 *
 * W. W. L. Fung, "GPU Computing Architecture for Irregular Parallelism" (PhD thesis,
 * UBC 2015): 4.2.5, Fig. 4.4 and 4.5 (the unit), 4.4.4 and Fig. 4.13 (capacity), chapter 5
 * (why it is correct), 6.2 (warp mode, from WarpTM).
 *
 * Each memory partition has one. Every transaction that wants to commit has a commit ID,
 * which is an entry here (even if it touched nothing here: a skip) and its place in the
 * one order that all partitions agree on. An entry goes through these stages:
 *
 *	fill       read-log words are compared with memory at once, ahead of older writers
 *	hazard     in CID order, a word a cycle: who wrote the words read? a writer with
 *	           RCID <= CID means that the comparison may have seen the old value; then
 *	           the own writes are recorded
 *	validate   no hazard: wait for the comparisons. Hazard: wait until the youngest such
 *	           writer (YCID) has retired, then compare the whole read-set again
 *	finalise   tell the core pass or fail of this partition
 *	wait       the core has heard all partitions and says pass or fail for good
 *	commit     in CID order: a passed entry queues its writes
 *	retire     in CID order, when its writes have completed
 *
 * RCID is the oldest CID not retired when the entry's first message came: the writes of
 * all older ones were in memory before the first comparison.
 *
 * Example. CID 7 writes A; CID 8 has read A = 0 and is here first:
 *
 *	cycle  message or event           entry 7        entry 8        memory A
 *	  1    8: read A = 0              -              fill, RCID 7   0
 *	  2    7: write A = 1; done       fill, hazard   request A      0
 *	  3    8: done                    wait (passed)  A = 0: equal   0
 *	  4    hazard: writer of A is 7   wait           YCID 7 >= 7    0
 *	  9    7: verdict pass            commit         validate       0
 *	 20    write completed            retire         request A      1
 *	 30    A = 1, the log has 0       -              outcome: fail  1
 *
 * Without the hazard, the comparison of cycle 3 would have let 8 pass with a stale value.
 *
 * An entry moves so through its stages, which are the boxes of Fig. 4.5:
 *
 *   UNUSED -> FILL -> HAZARD -> VALIDATE -> FINALISE -> WAIT -> READY -> WRITE -> FINISHED
 *      |                        |      ^        |        |
 *      |                        +------+        +--------+-> FINISHED (failed)
 *      +-> FINISHED (skip)     revalidation
 *
 * A walk through them. push() judges a message and queues it (commit_unit-input.c). The rest is in
 * this file, but for the ports (commit_unit-memory.c). consume() takes a word of a message a cycle:
 * transfer() begins the entry, keeps the word in the entry's buffer and sends a read to the
 * validation port. DONE closes the logs. The boxes that follow are each a pair of functions:
 * whether it can take a step now, and the step.
 * detect() passes the words in CID order through look_up() and record(), then settle() finds the
 * outcome or lets the entry wait for its YCID, after which revalidate() sends the read log
 * again. finalise() reports the outcome, the verdict comes through consume(), commit() queues
 * the writes in CID order, and retire() frees the entry.
 *
 * Four pointers walk the ring in CID order, an entry a cycle: `hazard` passes what has had its
 * words looked up and recorded, `final` what has its outcome, in warp mode a warp at a time
 * (only with ordered_outcomes), `commit` what has failed or queued its writes, `oldest`
 * (retirement) what is finished. The rest is by lists: an entry that waits for its YCID hangs on
 * that entry until it retires, then on the list `revalidate`; one whose outcome is known hangs on
 * `finalise` if outcomes are not ordered.
 *
 * A read or write log that does not fit its buffer, or finds no buffer free, is not kept:
 * the entry is unbounded. Its words are still compared as they come, but whenever a later
 * stage needs the log, the core is asked to send it again. With empty_pool = defer, a log that
 * only lacked a buffer waits in hazard detection for one that an older entry gives back, and
 * comes again once, into that buffer. Only entries before it are waited for: younger ones
 * keep theirs until this one has retired.
 *
 * Invariants, as check() names them:
 *   C1  oldest <= commit <= final <= hazard <= head <= oldest + ring; each pointer has passed
 *       just the entries whose stage says so
 *   C2  the messages' warps tile the CIDs that they have named; retirement is told up to some
 *       lane of the oldest entry's warp
 *   C3  RCID <= oldest; RCID <= YCID < CID for a hazard; flags and stage agree
 *   C4  a log that a later stage needs is in its buffer or unbounded
 *   C5  begun + skips = committed + failed here + failed elsewhere + skips retired + active
 *   C6  words read + requeued = words compared + words at the validation port;
 *       words issued = words written + words at the commit port
 *   C7  buffers in use = buffers that entries hold
 *   C8  outcomes passed = committed + failed elsewhere + entries that passed here; likewise
 *       failed
 *   C9  the table of pending writes holds what entries between pass and retirement write
 *   C10 the lists hold what is ready, once
 * Guarantees of chapter 5, which the test of that name checks from outside:
 *   Claim 1  the comparison that decides comes after the writes of all older transactions
 *            that passed; Claim 2  writes leave in CID order; Claims 3, 6  and after the
 *            verdicts of the own and all older entries; Claim 5  an outcome comes after
 *            all its comparisons
 *
 * Differences from the paper
 *   - Without ordered_outcomes the local outcome is reported as soon as it is known, and only
 *     commit waits for older entries. Fig. 4.5 has one stage for both, in ring order: the
 *     presets do so. Either is correct: the order of writes is that of CIDs.
 *   - Fig. 6.3 has a done for each transaction, the retirement stage one for each entry. With
 *     entry_done an entry that has written reports; skips and failures, for which no core
 *     waits, go with the next report of their warp.
 *   - A done or verdict of several lanes is worked off in a cycle unless serial_input is set,
 *     as in the released simulator without its "parallel input" (6.2.2: a narrow port).
 *   - A local failure finishes at once and its verdict is absorbed when it comes.
 *   - YCID names one entry although several may be hazards: retirement is in order, so
 *     the youngest one's includes the others'. The last comparison counts: a speculative
 *     failure is forgiven if the revalidation passes.
 *   - Revalidation starts when the speculative reads are back, so that a late one cannot
 *     be taken for a second one.
 *   - In warp mode an answer of the history's filter may name the reader's own warp. It is
 *     clamped to the CID before the warp, else the warp would wait for itself.
 *   - CIDs in the history wrap in the paper's 16 bits. Here its base moves each half range,
 *     to the smallest RCID that an entry before the end of hazard detection has.
 *   - The paper leaves limited buffers as future work. Here they are limited, with the
 *     policies of Fig. 4.13 and the resending that 4.2.5 describes or the deferral that 4.4.4
 *     names in a sentence; resent words have an input of their own, so they never queue
 *     behind the logs of younger transactions.
 *   - The paper says nothing of skips' cost. Each in-order pointer passes one entry a
 *     cycle, skip or not, as in the released simulator.
 */
#include "lib/kilotm/commit_unit-priv.h"
#include "lib/kilotm/last_writer.h"

/* ---- what every box does ---- */

static inline bool holds_as_needed(const struct gputm_commit_unit *self)
{
	return self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_NEEDED;
}

static void report(struct gputm_commit_unit *self, const struct entry *entry,
		   enum gputm_commit_report_kind kind, uint64_t mask, uint64_t yes)
{
	struct gputm_commit_report *out = gputm__queue_add(&self->output);

	*out = (struct gputm_commit_report){
		.kind = kind,
		.first_cid = first_cid_of(self, entry),
		.lanes = entry->lanes,
		.mask = mask,
		.yes = yes,
		.purpose = kind == GPUTM_COMMIT_RESEND ? entry->asked - 1u : 0,
	};
}

/* Ask the core for a log that is not kept. */
static void ask(struct gputm_commit_unit *self, struct entry *entry,
		enum gputm_commit_purpose purpose)
{
	entry->asked = (uint8_t)(purpose + 1);
	entry->answered = 0;
	said_of(self, entry)->lanes[GPUTM__SAID_AGAIN] &= ~lane_bit(entry);
	self->resends++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_RESEND, cid_of(self, entry), purpose,
		    self->cycles, 0);
	if (!gputm__mutant(GPUTM__MUTANT_DROP_RESEND))
		report(self, entry, GPUTM_COMMIT_RESEND, lane_bit(entry), 0);
}

/* Send a log that is kept to the port of its number. */
static void send_log(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	uint32_t name = name_of(self, entry);

	for (uint32_t n = 0; n < entry->words[log]; n++)
		send_word(self, entry, name, log, &kept_words(self, entry, log)[n]);
}

void gputm__commit_pend(struct gputm_commit_unit *self, const struct entry *entry, int amount)
{
	if (is_unbounded(entry, 1)) {
		self->pending_unbounded += (uint64_t)amount;
		return;
	}
	for (uint32_t n = 0; n < entry->words[1]; n++)
		*pending_at(self, kept_words(self, entry, 1)[n].address) += (uint32_t)amount;
}

/* Failed, or all its writes have completed. */
static void finish(struct gputm_commit_unit *self, struct entry *entry)
{
	if (!(entry->flags & GPUTM__COMMITTED)) {
		if (is_pending(self, entry))
			gputm__commit_pend(self, entry, -1);
		if (holds_as_needed(self))
			drop_buffer(self, entry, 1);
	}
	enter(self, entry, GPUTM_COMMIT_FINISHED);
}

/* ---- log transfer and speculative validation ---- */

/* The entry is in use, with both buffers at once if the policy is at most that. */
static void occupy(struct gputm_commit_unit *self, struct entry *entry,
		   enum gputm_commit_stage stage, enum gputm_commit_policy policy)
{
	enter(self, entry, stage);
	gputm__maximum(&self->active_max, ++self->active);
	if (self->config.buffer_policy > policy)
		return;
	take_buffer(self, entry, 0);
	take_buffer(self, entry, 1);
}

/* The first that is heard of an entry. */
static void begin(struct gputm_commit_unit *self, struct entry *entry)
{
	occupy(self, entry, GPUTM_COMMIT_FILL, GPUTM_COMMIT_BUFFERS_ACCESSED);
	entry->body = true;
	entry->rcid = self->oldest;
	self->begun++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_BEGUN, cid_of(self, entry), entry->rcid,
		    self->cycles, 0);
}

/* Whether one more word of the log fits its buffer; the log may take a free one. */
static bool has_room(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	if (entry->buffer[log])
		return entry->words[log] < self->config.buffer_words;
	return take_buffer(self, entry, log);
}

/* The log does not fit, or finds no buffer. */
static void overflow(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	entry->flags |= (uint8_t)(GPUTM__OVERFLOW << log);
	self->overflows++;
	if (self->config.buffer_policy >= GPUTM_COMMIT_BUFFERS_USED)
		drop_buffer(self, entry, log);
}

/* A word of a log; what has been read is compared with memory at once. */
static inline void transfer(struct gputm_commit_unit *self, uint64_t cid, uint32_t log,
			    const struct gputm_commit_word *word)
{
	struct entry *entry = entry_at(self, cid);

	if (entry->stage == GPUTM_COMMIT_UNUSED)
		begin(self, entry);
	if (!is_unbounded(entry, log) && !has_room(self, entry, log))
		overflow(self, entry, log);
	if (!is_unbounded(entry, log))
		kept_words(self, entry, log)[entry->words[log]] = *word;
	entry->words[log]++;
	self->consumed[log]++;
	if (log == GPUTM_COMMIT_READ_LOG)
		send_word(self, entry, (uint32_t)cid | GPUTM__NAMED, 0, word);
}

static void close_logs(struct gputm_commit_unit *self, struct entry *entry)
{
	if (entry->stage == GPUTM_COMMIT_UNUSED)
		begin(self, entry);
	gputm__sample(&self->fill_cycles, waited(self, entry));
	enter(self, entry, GPUTM_COMMIT_HAZARD);
}

static void skip(struct gputm_commit_unit *self, struct entry *entry)
{
	if (gputm__mutant(GPUTM__MUTANT_FORGET_SKIP))
		return;
	occupy(self, entry, GPUTM_COMMIT_FINISHED, GPUTM_COMMIT_BUFFERS_ALL);
	self->skips++;
	last_of(self, entry)->decided++;
}

/* ---- hazard detection ---- */

static void settle(struct gputm_commit_unit *self, struct entry *entry);

/* CIDs in the history are relative to the first one. */
static inline uint64_t told(const struct gputm_commit_unit *self, uint64_t cid)
{
	return cid < self->config.first_cid ? 0 : cid - self->config.first_cid;
}

/* Whether a writer that has not retired at the first comparison may write the word. */
static void look_up(struct gputm_commit_unit *self, struct entry *entry, uint64_t address)
{
	uint64_t first = first_cid_of(self, entry), writer;

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
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_HAZARD, cid_of(self, entry), address, writer,
		    self->cycles);
}

/* The smallest RCID in use before hazard detection; writers below it can be forgotten. */
static uint64_t floor_of(const struct gputm_commit_unit *self)
{
	uint64_t floor = self->oldest;

	for (uint64_t cid = self->hazard; cid < self->head; cid++) {
		const struct entry *entry = entry_at(self, cid);

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

/* A word of the entry at the hazard pointer passes hazard detection. */
static void detect_word(struct gputm_commit_unit *self, struct entry *entry, uint64_t address)
{
	if (self->hazard_word++ < entry->words[0])
		look_up(self, entry, address);
	else
		record(self, address);
}

static inline bool has_words(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return self->hazard_word < (uint64_t)entry->words[0] + entry->words[1];
}

/* Whether the next word has to be sent again. */
static inline bool is_elsewhere(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return has_words(self, entry) && is_unbounded(entry, log_of(self, entry));
}

/* Whether an entry before this one, in warp mode of a warp before, has a buffer to give back. */
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

/* A deferred log waits while the pool is empty, but only for older entries. */
APART bool must_wait(const struct gputm_commit_unit *self, const struct entry *entry)
{
	uint32_t log = log_of(self, entry);

	return is_deferred(self, entry, log) && has_words(self, entry) && !entry->buffer[log] &&
	       self->buffers_used == self->config.buffers && older_holds(self);
}

static void ask_for_words(struct gputm_commit_unit *self, struct entry *entry)
{
	uint32_t log = log_of(self, entry);

	if (is_deferred(self, entry, log) && !entry->buffer[log])
		self->deferrals += take_buffer(self, entry, log);
	ask(self, entry, log ? GPUTM_COMMIT_FOR_RECORD : GPUTM_COMMIT_FOR_HAZARD);
}

static inline bool can_detect(const struct gputm_commit_unit *self)
{
	const struct entry *entry = entry_at(self, self->hazard);

	if (entry->stage != GPUTM_COMMIT_HAZARD)
		return entry->stage > GPUTM_COMMIT_HAZARD;
	if (!is_unbounded(entry, 0) && !is_unbounded(entry, 1))
		return true;
	return !entry->asked && (report_room(self) || !is_elsewhere(self, entry)) &&
	       !must_wait(self, entry);
}

/* The pointer passes an entry. */
static inline void pass(struct gputm_commit_unit *self)
{
	self->hazard++;
	if (!is_ordered(self))
		self->final = self->hazard;
}

/* All words have passed. */
static void leave_detection(struct gputm_commit_unit *self, struct entry *entry)
{
	gputm__sample(&self->hazard_cycles, waited(self, entry));
	enter(self, entry, GPUTM_COMMIT_VALIDATE);
	self->hazard_word = 0;
	pass(self);
	if (entry->flags & GPUTM__HAZARDOUS) {
		self->hazards++;
		gputm__sample(&self->revalidation_distance, self->hazard - 1 - entry->ycid);
		gputm__commit_wait_for(self, entry);
	}
	settle(self, entry);
}

static void detect(struct gputm_commit_unit *self)
{
	struct entry *entry = entry_at(self, self->hazard);
	uint32_t words = self->config.hazard_rate;

	if (entry->stage == GPUTM_COMMIT_FINISHED)
		pass(self);
	else if (!has_words(self, entry))
		leave_detection(self, entry);
	else if (is_elsewhere(self, entry))
		ask_for_words(self, entry);
	else
		do {
			detect_word(self, entry, next_word(self, entry)->address);
		} while (--words && has_words(self, entry) && !is_elsewhere(self, entry));
}

/* ---- validation wait ---- */

void gputm__commit_wait_for(struct gputm_commit_unit *self, struct entry *entry)
{
	if (!is_woken(self, entry))
		append(self, &entry_at(self, writer_of(entry))->waiters, entry);
}

/* The outcome is known, and counts in that of the warp. */
static void decide(struct gputm_commit_unit *self, struct entry *entry)
{
	if (!(entry->flags & GPUTM__DECIDED))
		last_of(self, entry)->decided++;
	entry->flags |= GPUTM__DECIDED;
}

/* Move an entry on whose validation may be complete. */
static void settle(struct gputm_commit_unit *self, struct entry *entry)
{
	if (entry->stage != GPUTM_COMMIT_VALIDATE || entry->pending || entry->asked)
		return;
	if (!(entry->flags & GPUTM__HAZARDOUS)) {
		gputm__sample(&self->validate_cycles, waited(self, entry));
		enter(self, entry, GPUTM_COMMIT_FINALISE);
		if (is_ordered(self))
			decide(self, entry);
		else
			append(self, &self->finalise, entry);
	} else if (is_woken(self, entry)) {
		append(self, &self->revalidate, entry);
	}
}

void gputm__commit_drained(struct gputm_commit_unit *self, struct entry *entry)
{
	if (entry->stage == GPUTM_COMMIT_WRITE)
		finish(self, entry);
	else
		settle(self, entry);
}

static void wake(struct gputm_commit_unit *self, struct list *waiters)
{
	while (waiters->last)
		settle(self, take(self, waiters));
}

static inline bool can_revalidate(const struct gputm_commit_unit *self)
{
	const struct entry *entry = front(self, &self->revalidate);

	if (!entry)
		return false;
	if (is_unbounded(entry, 0))
		return report_room(self);
	return room_at(self, 0) >= entry->words[0];
}

static void revalidate_entry(struct gputm_commit_unit *self, struct entry *entry)
{
	entry->flags &= (uint8_t)~(GPUTM__FAILED | GPUTM__HAZARDOUS);
	entry->flags |= GPUTM__AGAIN;
	self->revalidations++;
	if (is_unbounded(entry, 0)) {
		ask(self, entry, GPUTM_COMMIT_FOR_REVALIDATE);
		return;
	}
	self->requeued += entry->words[0];
	send_log(self, entry, 0);
}

/* In warp mode, as many entries of one warp as wait in a row, coalesced. */
APART void revalidate(struct gputm_commit_unit *self)
{
	struct entry *entry = front(self, &self->revalidate);
	uint64_t warp = first_cid_of(self, entry);

	do {
		revalidate_entry(self, take(self, &self->revalidate));
		entry = front(self, &self->revalidate);
	} while (self->config.warp_mode && can_revalidate(self) &&
		 first_cid_of(self, entry) == warp);
	if (self->gather.words)
		gputm__commit_send(self, 0);
}

/* ---- finalising the outcome ---- */

/* Whether the entry's outcome is the last one missing of those that are reported together. */
static bool completes(const struct gputm_commit_unit *self, struct entry *entry)
{
	uint32_t missing = together(self, entry) - last_of(self, entry)->decided;

	return missing == !(entry->flags & GPUTM__DECIDED);
}

/* In CID order: all that are reported with the entry at the pointer are decided. */
static inline bool can_finalise_next(const struct gputm_commit_unit *self)
{
	struct entry *entry = entry_at(self, self->final), *last;

	if (self->final == self->hazard || entry->stage < GPUTM_COMMIT_FINALISE)
		return false;
	last = last_of(self, entry);
	return last->decided == together(self, last) &&
	       self->hazard - self->final >= last->decided &&
	       (report_room(self) || (!self->config.warp_mode && !last->body));
}

static inline bool can_finalise(const struct gputm_commit_unit *self)
{
	struct entry *entry;

	if (is_ordered(self))
		return can_finalise_next(self);
	entry = front(self, &self->finalise);
	return entry && (report_room(self) || !completes(self, entry));
}

/* The core is told: from here on a passed entry waits for its verdict. */
static void announce(struct gputm_commit_unit *self, struct entry *entry)
{
	bool passed = !(entry->flags & GPUTM__FAILED);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_OUTCOME, cid_of(self, entry), passed,
		    entry->words[0], self->cycles);
	if (holds_as_needed(self))
		drop_buffer(self, entry, 0);
	if (!passed) {
		self->outcomes_failed++;
		finish(self, entry);
		return;
	}
	self->outcomes_passed++;
	enter(self, entry, GPUTM_COMMIT_WAIT);
	if (is_pending(self, entry))
		gputm__commit_pend(self, entry, 1);
}

/* The outcomes of those that are no skips, in one report. */
APART void announce_all(struct gputm_commit_unit *self, struct entry *last)
{
	uint64_t mask = 0, passed = 0;

	for (uint32_t lanes = together(self, last); lanes--;) {
		struct entry *entry = entry_at(self, place_of(self, last) - lanes);

		if (!entry->body)
			continue;
		mask |= lane_bit(entry);
		passed |= entry->flags & GPUTM__FAILED ? 0 : lane_bit(entry);
		announce(self, entry);
	}
	if (mask)
		report(self, last, GPUTM_COMMIT_OUTCOME, mask, passed);
}

static void finalise(struct gputm_commit_unit *self)
{
	struct entry *entry;
	uint32_t lanes;

	if (is_ordered(self)) {
		entry = entry_at(self, self->final);
		self->final += together(self, entry);
	} else {
		entry = take(self, &self->finalise);
		decide(self, entry);
	}
	lanes = together(self, entry);
	if (last_of(self, entry)->decided == lanes && (lanes > 1 || entry->body))
		announce_all(self, last_of(self, entry));
}

/* ---- commit ---- */

static inline uint32_t words_to_write(const struct entry *entry)
{
	return entry->stage == GPUTM_COMMIT_READY ? entry->words[1] : 0;
}

/* Words to be queued when the pointer passes the last entry of those that write together. */
static uint64_t words_of_all(const struct gputm_commit_unit *self, const struct entry *last)
{
	uint32_t place = place_of(self, last);
	uint64_t words = 0;

	for (uint32_t lanes = together(self, last); lanes; lanes--, place--)
		words += words_to_write(entry_at(self, place));
	return words;
}

static inline bool can_commit(const struct gputm_commit_unit *self)
{
	struct entry *entry = entry_at(self, self->commit);

	if (self->commit == self->final || entry->stage < GPUTM_COMMIT_READY)
		return false;
	if (entry->stage == GPUTM_COMMIT_READY && is_unbounded(entry, 1))
		return !entry->asked && report_room(self);
	if (entry != last_of(self, entry))
		return true;
	return room_at(self, 1) >=
	       (together(self, entry) > 1 ? words_of_all(self, entry) : words_to_write(entry));
}

/* Queue the writes of an entry; those of a log that is not kept were queued as they came. */
static void issue(struct gputm_commit_unit *self, struct entry *entry)
{
	gputm__sample(&self->commit_cycles, waited(self, entry));
	enter(self, entry, GPUTM_COMMIT_WRITE);
	entry->flags |= GPUTM__COMMITTED;
	if (!is_unbounded(entry, 1)) {
		self->reissued += entry->words[1];
		send_log(self, entry, 1);
	}
	if (!entry->pending)
		finish(self, entry);
}

/* Queue the writes of all that write together, in warp mode coalesced. */
APART void issue_all(struct gputm_commit_unit *self, const struct entry *last)
{
	uint32_t place = place_of(self, last);

	for (uint32_t lanes = together(self, last); lanes--;)
		if (entry_at(self, place - lanes)->stage == GPUTM_COMMIT_READY)
			issue(self, entry_at(self, place - lanes));
	if (self->gather.words)
		gputm__commit_send(self, 1);
}

static void commit(struct gputm_commit_unit *self)
{
	struct entry *entry = entry_at(self, self->commit);
	bool ready = entry->stage == GPUTM_COMMIT_READY;

	if (ready && is_unbounded(entry, 1)) {
		ask(self, entry, GPUTM_COMMIT_FOR_COMMIT);
		return;
	}
	self->commit++;
	if (entry == last_of(self, entry) && (ready || together(self, entry) > 1))
		issue_all(self, entry);
}

/* ---- retire ---- */

/* Whether the core is told: of each entry that has written, or of the warp. */
static inline bool tells(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return is_last(entry) || (self->config.entry_done && !self->config.warp_mode &&
				  entry->flags & GPUTM__COMMITTED);
}

/* The lanes up to that of the oldest entry that have retired, and of which nothing is told yet. */
static uint64_t untold(const struct gputm_commit_unit *self, const struct entry *oldest)
{
	unsigned before = (unsigned)(self->oldest - self->told);

	if (gputm__mutant(GPUTM__MUTANT_LOSE_DONE))
		return lane_bit(oldest);
	return UINT64_MAX >> (63 - before) << (oldest->lane - before);
}

static inline bool can_retire(const struct gputm_commit_unit *self)
{
	const struct entry *entry = entry_at(self, self->oldest);

	return self->oldest != self->commit && entry->stage == GPUTM_COMMIT_FINISHED &&
	       (!tells(self, entry) || report_room(self));
}

/* What became of an entry, as the event says. */
static uint64_t count_end(struct gputm_commit_unit *self, const struct entry *entry)
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
	struct entry *entry = entry_at(self, self->oldest);
	struct list waiters = entry->waiters;
	bool last = is_last(entry), is_told = tells(self, entry);

	if (is_pending(self, entry))
		gputm__commit_pend(self, entry, -1);
	drop_buffer(self, entry, 1);
	drop_buffer(self, entry, 0);
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_RETIRED, self->oldest, count_end(self, entry),
		    self->cycles, 0);
	if (is_told) {
		report(self, entry, GPUTM_COMMIT_RETIRED, untold(self, entry), 0);
		self->told = self->oldest + 1;
	}
	if (last)
		*said_of(self, entry) = (struct said){ { 0 } };
	*entry = (struct entry){ 0 };
	self->active--;
	self->oldest++;
	wake(self, &waiters);
}

/* ---- messages of a cycle ---- */

static void drop_message(struct inbox *in)
{
	in->word = 0;
	gputm__queue_take(&in->queue);
}

static inline void consume_word(struct gputm_commit_unit *self,
				const struct gputm_commit_message *m)
{
	const struct gputm_commit_word *word = &m->word[self->input.word++];

	transfer(self, m->first_cid + word->lane, m->kind, word);
}

/* All words of a message in a cycle. */
APART void consume_row(struct gputm_commit_unit *self, const struct gputm_commit_message *m)
{
	while (self->input.word < m->words)
		consume_word(self, m);
}

APART void consume_log(struct gputm_commit_unit *self, const struct gputm_commit_message *m)
{
	if (words_a_cycle(self, m) == 1)
		consume_word(self, m);
	else
		consume_row(self, m);
	if (self->gather.words)
		gputm__commit_send(self, 0);
	if (self->input.word == m->words)
		drop_message(&self->input);
}

/* Every lane that is no skip may have been decided before the last skip was known. */
static void note_decided(struct gputm_commit_unit *self, const struct gputm_commit_message *m)
{
	uint32_t lane = 0;

	if (entry_of(self, m, m->lanes - 1)->decided != m->lanes)
		return;
	while (lane < m->lanes && !entry_of(self, m, lane)->body)
		lane++;
	if (lane < m->lanes)
		append(self, &self->finalise, entry_of(self, m, lane));
}

static void judge_entry(struct gputm_commit_unit *self, uint64_t cid, bool passed)
{
	struct entry *entry = entry_at(self, cid);

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
	    !is_unbounded(entry, 1) && room_at(self, 1) >= entry->words[1])
		issue(self, entry);
}

static inline void consume_lane(struct gputm_commit_unit *self,
				const struct gputm_commit_message *m, unsigned lane)
{
	if (m->kind == GPUTM_COMMIT_VERDICT)
		judge_entry(self, m->first_cid + lane, m->yes >> lane & 1);
	else if (m->yes >> lane & 1)
		close_logs(self, entry_of(self, m, lane));
	else
		skip(self, entry_of(self, m, lane));
}

/* All lanes in a cycle; of a done, skips last. */
APART void consume_all(struct gputm_commit_unit *self, struct gputm_commit_message *m)
{
	uint64_t logs = m->kind == GPUTM_COMMIT_DONE ? m->yes : 0, lanes = logs;

	for (; lanes; lanes &= lanes - 1)
		consume_lane(self, m, gputm__lowest(lanes));
	for (lanes = m->mask & ~logs; lanes; lanes &= lanes - 1)
		consume_lane(self, m, gputm__lowest(lanes));
	m->mask = 0;
}

/* A done or verdict: a lane of it in a cycle, or all of them. */
APART void consume_lanes(struct gputm_commit_unit *self, struct gputm_commit_message *m)
{
	if (!self->config.serial_input) {
		consume_all(self, m);
	} else {
		consume_lane(self, m, gputm__lowest(m->mask));
		m->mask &= m->mask - 1;
	}
	m->yes &= m->mask;
	if (m->mask)
		return;
	if (m->kind == GPUTM_COMMIT_DONE && self->config.warp_mode &&
	    !self->config.ordered_outcomes)
		note_decided(self, m);
	drop_message(&self->input);
}

static inline bool can_consume(const struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *m;

	if (!self->input.queue.count)
		return false;
	m = served(&self->input);
	return m->kind != GPUTM_COMMIT_READ_LOG || room_at(self, 0) >= words_a_cycle(self, m);
}

static void consume(struct gputm_commit_unit *self)
{
	struct gputm_commit_message *m = served(&self->input);

	if (m->kind <= GPUTM_COMMIT_WRITE_LOG)
		consume_log(self, m);
	else
		consume_lanes(self, m);
}

/* ---- logs that have been asked for ---- */

/* The port that resent words of this purpose go to; -1: to hazard detection. */
static inline int port_of(uint32_t purpose)
{
	return purpose < GPUTM_COMMIT_FOR_REVALIDATE ? -1 : (int)(purpose & 1);
}

static inline bool can_take_resent(const struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *m;

	if (!self->resent.queue.count)
		return false;
	m = served(&self->resent);
	return port_of(m->purpose) < 0 || m->kind == GPUTM_COMMIT_RESENT_DONE ||
	       room_at(self, m->purpose & 1) >= words_a_cycle(self, m);
}

static void finish_resent(struct gputm_commit_unit *self, struct entry *entry, uint32_t purpose)
{
	uint32_t log = purpose & 1;

	entry->asked = 0;
	if (is_deferred(self, entry, log) && entry->buffer[log])
		entry->flags &= (uint8_t)~(GPUTM__OVERFLOW << log);
	if (purpose == GPUTM_COMMIT_FOR_REVALIDATE)
		settle(self, entry);
	else if (purpose == GPUTM_COMMIT_FOR_COMMIT)
		issue(self, entry);
}

static void take_resent_word(struct gputm_commit_unit *self, struct entry *entry, int port,
			     const struct gputm_commit_word *word)
{
	uint32_t log = log_of(self, entry);

	self->words_resent++;
	if (port < 0) {
		if (is_deferred(self, entry, log) && entry->buffer[log])
			*next_word(self, entry) = *word;
		detect_word(self, entry, word->address);
		return;
	}
	self->requeued += !port;
	self->reissued += (unsigned)port;
	send_word(self, entry, name_of(self, entry), (uint32_t)port, word);
}

APART void take_resent(struct gputm_commit_unit *self)
{
	struct inbox *in = &self->resent;
	const struct gputm_commit_message *m = served(in);
	struct entry *entry = entry_of(self, m, gputm__lowest(m->mask));
	int port = port_of(m->purpose);
	uint32_t words = port < 0 ? self->config.hazard_rate : words_a_cycle(self, m);

	for (; words && in->word < m->words; words--)
		take_resent_word(self, entry, port, &m->word[in->word++]);
	if (self->gather.words)
		gputm__commit_send(self, (uint32_t)port);
	if (m->kind == GPUTM_COMMIT_RESENT_DONE)
		finish_resent(self, entry, m->purpose);
	if (in->word == m->words)
		drop_message(in);
}

/* ---- a cycle ---- */

/* Ports that can offer a request anew. What a port offers stays until it is popped. */
static inline uint32_t can_offer(const struct gputm_commit_unit *self)
{
	return self->queued & ~self->offered;
}

static inline void offer(struct gputm_commit_unit *self)
{
	self->offered = self->queued;
}

static inline int offers(const struct gputm_commit_unit *self)
{
	return (int)self->offered | (self->output.count != 0);
}

/* The boxes in the order of a cycle: whether each can take a step, and the step. */
#define BOXES(BOX)                                                                                 \
	BOX(can_offer, offer)                                                                      \
	BOX(can_detect, detect)                                                                    \
	BOX(can_revalidate, revalidate)                                                            \
	BOX(can_finalise, finalise)                                                                \
	BOX(can_commit, commit)                                                                    \
	BOX(can_retire, retire)                                                                    \
	BOX(can_take_resent, take_resent)                                                          \
	BOX(can_consume, consume)

#define STEP(can, step)                                                                            \
	if (can(self)) {                                                                           \
		step(self);                                                                        \
		moved = GPUTM_COMMIT_UNIT_MOVED;                                                   \
	}

int gputm_commit_unit_tick(struct gputm_commit_unit *self)
{
	int moved = 0;

	BOXES(STEP)
	self->now++;
	self->cycles++;
	return offers(self) | moved;
}

#define CAN(can, step) can(self) ||

uint64_t gputm_commit_unit_next_event(const struct gputm_commit_unit *self)
{
	return BOXES(CAN) false ? 0 : UINT64_MAX;
}

/* Once a tick has changed nothing, the others change nothing either. */
int gputm_commit_unit_advance(struct gputm_commit_unit *self, uint64_t cycles)
{
	int result = offers(self);
	uint64_t now;

	do {
		if (!cycles)
			return result;
		result = gputm_commit_unit_tick(self);
		cycles--;
	} while (result & GPUTM_COMMIT_UNIT_MOVED);
	now = gputm__later(self->now, cycles);
	self->cycles += now - self->now;
	self->now = now;
	return result;
}
