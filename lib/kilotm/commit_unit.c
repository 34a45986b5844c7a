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
 * A walk through them. push() judges a message and queues it (commit_unit-input.c). consume()
 * takes a word of a message a cycle (commit_unit-fill.c): transfer() begins the entry, keeps the
 * word in the entry's buffer and sends a read to the validation port (commit_unit-memory.c). DONE
 * closes the logs. The boxes that follow are in this file, each a pair of functions: whether it
 * can take a step now, and the step.
 * detect() passes the words in CID order through the history (commit_unit-history.c), then
 * gputm__commit_settle() finds the outcome or lets the entry wait for its YCID, after which
 * revalidate() sends the read log again. finalise() reports the outcome, the verdict comes through
 * consume(), commit() queues the writes in CID order, and retire() frees the entry. Words of a log
 * that is not kept come in between (commit_unit-resend.c).
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

/* ---- what several boxes do ---- */

static inline bool holds_as_needed(const struct gputm_commit_unit *self)
{
	return self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_NEEDED;
}

void gputm__commit_report(struct gputm_commit_unit *self, const struct entry *entry,
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

void gputm__commit_finish(struct gputm_commit_unit *self, struct entry *entry)
{
	if (!(entry->flags & GPUTM__COMMITTED)) {
		if (is_pending(self, entry))
			gputm__commit_pend(self, entry, -1);
		if (holds_as_needed(self))
			drop_buffer(self, entry, 1);
	}
	enter(self, entry, GPUTM_COMMIT_FINISHED);
}

/* ---- hazard detection ---- */

static inline bool can_detect(const struct gputm_commit_unit *self)
{
	const struct entry *entry = entry_at(self, self->hazard);

	if (entry->stage != GPUTM_COMMIT_HAZARD)
		return entry->stage > GPUTM_COMMIT_HAZARD;
	if (!is_unbounded(entry, 0) && !is_unbounded(entry, 1))
		return true;
	return !entry->asked && (report_room(self) || !is_elsewhere(self, entry)) &&
	       !gputm__commit_must_wait(self, entry);
}

/* The hazard pointer moves past an entry. */
static inline void pass(struct gputm_commit_unit *self)
{
	self->hazard++;
	if (!is_ordered(self))
		self->final = self->hazard;
}

/* All words of the entry have passed hazard detection. */
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
	gputm__commit_settle(self, entry);
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
		gputm__commit_ask_for_words(self, entry);
	else
		do {
			gputm__commit_detect_word(self, entry, next_word(self, entry)->address);
		} while (--words && has_words(self, entry) && !is_elsewhere(self, entry));
}

/* ---- validation wait ---- */

void gputm__commit_wait_for(struct gputm_commit_unit *self, struct entry *entry)
{
	if (!is_woken(self, entry))
		append(self, &entry_at(self, writer_of(entry))->waiters, entry);
}

/* The outcome is known: count it for the warp. */
static void decide(struct gputm_commit_unit *self, struct entry *entry)
{
	if (!(entry->flags & GPUTM__DECIDED))
		last_of(self, entry)->decided++;
	entry->flags |= GPUTM__DECIDED;
}

void gputm__commit_settle(struct gputm_commit_unit *self, struct entry *entry)
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
		gputm__commit_finish(self, entry);
	else
		gputm__commit_settle(self, entry);
}

static void wake(struct gputm_commit_unit *self, struct list *waiters)
{
	while (waiters->last)
		gputm__commit_settle(self, take(self, waiters));
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
		gputm__commit_ask(self, entry, GPUTM_COMMIT_FOR_REVALIDATE);
		return;
	}
	self->requeued += entry->words[0];
	gputm__commit_send_log(self, entry, 0);
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

/* Is this the last outcome missing of those that are reported together? */
static bool completes(const struct gputm_commit_unit *self, struct entry *entry)
{
	uint32_t missing = together(self, entry) - last_of(self, entry)->decided;

	return missing == !(entry->flags & GPUTM__DECIDED);
}

/* In CID order: are all outcomes that are reported with the entry at the pointer known? */
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

/* Report to the core: from here on a passed entry waits for its verdict. */
static void announce(struct gputm_commit_unit *self, struct entry *entry)
{
	bool passed = !(entry->flags & GPUTM__FAILED);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_OUTCOME, cid_of(self, entry), passed,
		    entry->words[0], self->cycles);
	if (holds_as_needed(self))
		drop_buffer(self, entry, 0);
	if (!passed) {
		self->outcomes_failed++;
		gputm__commit_finish(self, entry);
		return;
	}
	self->outcomes_passed++;
	enter(self, entry, GPUTM_COMMIT_WAIT);
	if (is_pending(self, entry))
		gputm__commit_pend(self, entry, 1);
}

/* Report the outcomes of the entries that are not skips together. */
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
		gputm__commit_report(self, last, GPUTM_COMMIT_OUTCOME, mask, passed);
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

/* Words to queue when the pointer passes the last entry of those that write together. */
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

void gputm__commit_issue(struct gputm_commit_unit *self, struct entry *entry)
{
	gputm__sample(&self->commit_cycles, waited(self, entry));
	enter(self, entry, GPUTM_COMMIT_WRITE);
	entry->flags |= GPUTM__COMMITTED;
	if (!is_unbounded(entry, 1)) {
		self->reissued += entry->words[1];
		gputm__commit_send_log(self, entry, 1);
	}
	if (!entry->pending)
		gputm__commit_finish(self, entry);
}

/* Queue the writes of all entries that write together, coalesced in warp mode. */
APART void issue_all(struct gputm_commit_unit *self, const struct entry *last)
{
	uint32_t place = place_of(self, last);

	for (uint32_t lanes = together(self, last); lanes--;)
		if (entry_at(self, place - lanes)->stage == GPUTM_COMMIT_READY)
			gputm__commit_issue(self, entry_at(self, place - lanes));
	if (self->gather.words)
		gputm__commit_send(self, 1);
}

static void commit(struct gputm_commit_unit *self)
{
	struct entry *entry = entry_at(self, self->commit);
	bool ready = entry->stage == GPUTM_COMMIT_READY;

	if (ready && is_unbounded(entry, 1)) {
		gputm__commit_ask(self, entry, GPUTM_COMMIT_FOR_COMMIT);
		return;
	}
	self->commit++;
	if (entry == last_of(self, entry) && (ready || together(self, entry) > 1))
		issue_all(self, entry);
}

/* ---- retire ---- */

/* Does the core get a report? Of each entry that has written, or of the warp. */
static inline bool tells(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return is_last(entry) || (self->config.entry_done && !self->config.warp_mode &&
				  entry->flags & GPUTM__COMMITTED);
}

/* The lanes up to that of the oldest entry that have retired and are not reported yet. */
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

/* How an entry has ended, for the event. */
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
		gputm__commit_report(self, entry, GPUTM_COMMIT_RETIRED, untold(self, entry), 0);
		self->told = self->oldest + 1;
	}
	if (last)
		*said_of(self, entry) = (struct said){ { 0 } };
	*entry = (struct entry){ 0 };
	self->active--;
	self->oldest++;
	wake(self, &waiters);
}

/* ---- messages ---- */

static inline bool can_take_resent(const struct gputm_commit_unit *self)
{
	return self->resent.queue.count && gputm__commit_can_take_resent(self);
}

static inline bool can_consume(const struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *m;

	if (!self->input.queue.count)
		return false;
	m = served(&self->input);
	return m->kind != GPUTM_COMMIT_READ_LOG || room_at(self, 0) >= words_a_cycle(self, m);
}

static inline void consume(struct gputm_commit_unit *self)
{
	struct gputm_commit_message *m = served(&self->input);

	if (m->kind <= GPUTM_COMMIT_WRITE_LOG)
		gputm__commit_consume_log(self, m);
	else
		gputm__commit_consume_lanes(self, m);
}

/* ---- a cycle ---- */

/* Ports that can offer a new request. An offer stands until it is popped. */
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

/* The boxes in the order of a cycle: a condition and a step for each. */
#define BOXES(BOX)                                                                                 \
	BOX(can_offer, offer)                                                                      \
	BOX(can_detect, detect)                                                                    \
	BOX(can_revalidate, revalidate)                                                            \
	BOX(can_finalise, finalise)                                                                \
	BOX(can_commit, commit)                                                                    \
	BOX(can_retire, retire)                                                                    \
	BOX(can_take_resent, gputm__commit_take_resent)                                            \
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

/* If a tick has changed nothing, the following ticks change nothing either. */
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
