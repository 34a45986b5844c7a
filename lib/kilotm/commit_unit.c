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
 * one order that all partitions agree on. An entry goes through the boxes of Fig. 4.5, of which
 * "finalizing outcome" is here finalise and wait:
 *
 *	fill       read-log words are compared with memory at once, ahead of older writers
 *	hazard     in CID order, a word a cycle: who wrote the words read? a writer whose CID is
 *	           not below the reader's RCID had not retired at the comparison, which may
 *	           have seen the old value; then the own writes are recorded
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
 * Example. CID 7 writes A; CID 8 has read A = 0 and is here first. The memory takes 6 cycles. Each
 * line says what is so after the tick of that cycle:
 *
 *	cycle  message or event               entry 7    entry 8    memory A
 *	  1    8: read A = 0                  UNUSED     FILL       0
 *	  2    7: write A = 1; 8 requests A   FILL       FILL       0
 *	  3    7: done                        HAZARD     FILL       0
 *	  4    8: done; 7 is writer of A      HAZARD     HAZARD     0
 *	  5    outcome of 7: pass             WAIT       HAZARD     0
 *	  6    writer 7 >= RCID 7: YCID 7     WAIT       HAZARD     0
 *	  7    8 waits for 7                  WAIT       VALIDATE   0
 *	  8    A is 0, as in the log of 8     WAIT       VALIDATE   0
 *	 13    7: verdict pass                READY      VALIDATE   0
 *	 14    7 queues its write             WRITE      VALIDATE   0
 *	 21    the write has completed        FINISHED   VALIDATE   1
 *	 22    7 retires                      retired    VALIDATE   1
 *	 24    8 requests A again             retired    VALIDATE   1
 *	 30    A is 1, the log of 8 has 0     retired    FINALISE   1
 *	 31    outcome of 8: fail; it retires retired    retired    1
 *
 * Without the hazard, the comparison of cycle 8 would have let 8 pass with a stale value.
 *
 * The states of an entry; enum gputm_commit_unit_state gives the box of each:
 *
 *   UNUSED -> FILL -> HAZARD -> VALIDATE -> FINALISE -> WAIT -> READY -> WRITE -> FINISHED
 *      |                        |      ^        |        |
 *      |                        +------+        +--------+-> FINISHED (failed)
 *      +-> FINISHED (skip)     revalidation
 *
 * A walk through them. push() asks the protocol (commit_unit-protocol.c) and queues the message.
 * consume() takes a word of a message a cycle: transfer() begins the entry, keeps the word in the
 * entry's buffer (commit_unit-ring.c) and queues a read at the validation port
 * (commit_unit-port.c). DONE closes the logs. The boxes that follow take a step each in a cycle
 * (commit_unit-boxes.c). detect() takes the words in CID order to the history
 * (commit_unit-history.c). After that the entry leaves VALIDATE with its outcome, or waits there
 * for its YCID, after which revalidate() queues the read log again. finalise()
 * reports the outcome, the verdict comes through consume(), commit() queues the writes in CID
 * order, tell_written() reports their end if that is asked for, and retire() frees the entry. The
 * words of a log that is not kept come in between, each time that a box needs them (take_resent()).
 *
 * Five pointers part the ring. Four of them move in CID order past an entry a cycle; head moves
 * past all CIDs that a message names:
 *
 *	moved by      retire()       commit()        finalise()     detect()       push()
 *	              oldest         commit          outcome        hazard         head
 *	 -------------+--------------+---------------+--------------+--------------+-----------> CID
 *	   retired,   | WRITE        | WAIT          | VALIDATE     | UNUSED       | no message yet,
 *	   the place  |              | READY         | FINALISE     | FILL         | places up to
 *	   is free    | FINISHED     | FINISHED      |              | HAZARD       | oldest + ring
 *	              | (written or  | (failed)      |              |              |
 *	              | failed)      |               |              |              |
 *
 * A skip is FINISHED from its message on, in whatever part it stands. `outcome` moves only with
 * ordered_outcomes, in warp mode a warp at a time; else it is where `hazard` is, and the two parts
 * beside it are one. With ordered_outcomes = passing it moves past entries in VALIDATE too, whose
 * revalidation has begun. The rest is by lists: an entry that waits for its YCID hangs on the entry
 * of that CID until it retires, then on the list `revalidate`; an entry whose outcome is known
 * hangs on `finalise` if outcomes are not ordered or the pointer is past the entry; an entry whose
 * writes have completed hangs on `untold` until the core has been told.
 *
 * A read or write log that does not fit its buffer, or finds no buffer free, is not kept:
 * the entry is unbounded. Its words are still compared as they come, but whenever a later
 * box needs the log, the core is asked to send it again. With empty_pool = defer, a log that
 * only lacked a buffer waits in hazard detection for one that an older entry gives back, and
 * comes again once, into that buffer. Only entries before it are waited for: younger ones
 * keep theirs until this one has retired.
 *
 * Invariants, as check() names them:
 *   C1  oldest <= commit <= outcome <= hazard <= head <= oldest + ring; each pointer is past
 *       just the entries whose state says so
 *   C2  the messages' warps tile the CIDs that they speak of; retirement is reported up to some
 *       lane of the oldest entry's warp
 *   C3  RCID <= oldest; RCID <= YCID < CID for a hazard; flags and state agree
 *   C4  a log that a later box needs is in its buffer or unbounded
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
 *            verdicts of the own and all older entries, but for entries that have failed here:
 *            these need none, as their verdict can only be fail (Differences); Claim 5  an
 *            outcome comes after all its comparisons
 *
 * Differences from the paper
 *   - Without ordered_outcomes the local outcome is reported as soon as it is known, and only
 *     commit waits for older entries. Fig. 4.5 has one box for both, in ring order: the
 *     presets do so. Either is correct: the order of writes is that of CIDs. An entry that
 *     revalidates may be in Validation Wait, as 4.2.5 has it wait there "until all conflicting
 *     transactions have retired", or in Finalizing Outcome, as Claim 5 says of that stage that
 *     the outcome is sent "after all validation operations are done". In the first case it holds
 *     back all younger outcomes (ordered_outcomes = true); in the second, which is the released
 *     simulator's and the presets', the pointer passes it once its revalidation has begun
 *     (passing).
 *   - Fig. 6.3 has a Done for each transaction, the retirement box one for each entry. With
 *     entry_done = true an entry that has written reports; skips and failures, for which no core
 *     waits, go with the next report of their warp. "Retire" of 4.2.5 frees the entry and informs
 *     the core: in the released simulator the core is informed at the entry's own last write, and
 *     the entry freed in order (written). A credit comes back with the entry, so each warp then has
 *     a report of its retirement too, a message that neither text has: presets have true.
 *   - A done or verdict of several lanes is worked off in a cycle unless serial_input is set,
 *     as in the released simulator without its "parallel input" (6.2.2: a narrow port).
 *   - A local failure finishes at once and its verdict is absorbed when it comes.
 *   - YCID names one entry although several may be hazards: retirement is in order, so
 *     the youngest one's includes the others'. The last comparison counts: a speculative
 *     failure is forgiven if the revalidation passes.
 *   - Revalidation starts when the speculative reads are back, so that a late read of the
 *     first comparison cannot be taken for one of the second.
 *   - An entry whose comparisons have failed before hazard detection is looked up and recorded like
 *     others. The released simulator skips it there: it fails at once and leaves no writer. 4.2.5
 *     has hazard detection before "each transaction waits for the speculative validation to
 *     complete", exempts nobody, and gives a deferred transaction "a second chance to validate and
 *     commit": what the older writer is still to write may be just the value that this one has
 *     read. To skip the entry is safe too, and takes that chance away. On ht-8000 (limit 2) 32 of
 *     483 entries with a hazard had failed before, on atm-1024 (8) 1,050 of 86,313, and no second
 *     comparison of theirs passed; skipping them takes .4 and .7 % fewer cycles. Their records
 *     alone change nothing.
 *   - In warp mode an answer of the history's filter may name the reader's own warp, which
 *     has resolved its conflicts (6.3). The answer is clamped to the CID before the warp, else
 *     the warp would wait for itself.
 *   - CIDs in the history wrap in the paper's 16 bits. Here its base moves each half range,
 *     to the smallest RCID that an entry before the end of hazard detection has.
 *   - The paper leaves limited buffers as future work. Here they are limited, with the
 *     policies of Fig. 4.13 and the resending that 4.2.5 describes or the deferral that 4.4.4
 *     names in a sentence; resent words have an input of their own, so they never wait
 *     for the logs of younger transactions.
 *   - The paper says nothing of skips' cost. Each in-order pointer passes one entry a
 *     cycle, skip or not, as in the released simulator.
 */
#include "lib/kilotm/commit_unit-priv.h"

/* ---- push ---- */

/* The first message of a warp defines its entries. */
static void define_warp(struct gputm_commit_unit *self, const struct gputm_commit_unit_message *m)
{
	for (uint32_t lane = 0; lane < m->lanes; lane++) {
		struct entry *entry = entry_of_lane(self, m, lane);

		entry->lane = (uint8_t)lane;
		entry->lanes = (uint8_t)m->lanes;
	}
	gputm__maximum(&self->head, m->first_cid + m->lanes);
	gputm__maximum(&self->span_max, self->head - self->oldest);
}

/* Record for the lanes of the warp what has been pushed. After the warp has retired, only verdicts
 * are accepted, and nobody asks for them any more. */
static void record_message(struct gputm_commit_unit *self,
			   const struct gputm_commit_unit_message *m)
{
	uint64_t end = m->first_cid + m->lanes;

	if (end <= self->oldest)
		return;
	if (!entry_at(self, end - 1)->lanes)
		define_warp(self, m);
	if (is_resent(m))
		entry_of_lane(self, m, gputm__lowest(m->mask))->resent += m->words;
	if (m->kind != GPUTM_COMMIT_UNIT_MESSAGE_RESENT)
		pushed_in(self, m)->lanes[pushed_as(m->kind)] |= m->mask;
}

size_t gputm_commit_unit_message_size(const struct gputm_commit_unit_message *message)
{
	return offsetof(struct gputm_commit_unit_message, word) +
	       message->words * sizeof(message->word[0]);
}

int gputm_commit_unit_push(struct gputm_commit_unit *self,
			   const struct gputm_commit_unit_message *message)
{
	struct inbox *in = is_resent(message) ? &self->resent : &self->input;
	int answer = gputm_commit_unit_push_probe(self, message);
	uint64_t end = message->first_cid + message->lanes;

	if (answer != GPUTM_COMMIT_UNIT_ACCEPTED) {
		self->messages_full += answer == GPUTM_COMMIT_UNIT_FULL;
		return answer;
	}
	if (end > self->oldest + self->reach && gputm__commit_make_room(self, end - self->oldest))
		return -ENOMEM;
	record_message(self, message);
	memcpy(gputm__queue_add(&in->queue), message, gputm_commit_unit_message_size(message));
	self->messages++;
	return GPUTM_COMMIT_UNIT_ACCEPTED;
}

/* The oldest message has been consumed. */
static void drop_message(struct inbox *in)
{
	in->word = 0;
	gputm__queue_take(&in->queue);
}

/* ---- log transfer and speculative validation ---- */

/* Put the entry into use. Policies up to `policy` give it both buffers now. */
static void occupy(struct gputm_commit_unit *self, struct entry *entry,
		   enum gputm_commit_unit_state state, enum gputm_commit_unit_buffer_policy policy)
{
	enter_state(self, entry, state);
	gputm__maximum(&self->active_max, ++self->active);
	if (self->config.buffer_policy > policy)
		return;
	gputm__commit_take_buffer(self, entry, 0);
	gputm__commit_take_buffer(self, entry, 1);
}

/* The first message of an entry that is no skip. */
static void begin(struct gputm_commit_unit *self, struct entry *entry)
{
	occupy(self, entry, GPUTM_COMMIT_UNIT_STATE_FILL, GPUTM_COMMIT_UNIT_BUFFER_POLICY_ACCESSED);
	entry->begun = true;
	entry->rcid = self->oldest;
	self->begun++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_EVENT_BEGIN, cid_of(self, entry), entry->rcid,
		    self->cycles, 0);
}

/* Does one more word of the log fit its buffer? The log may take a free buffer. */
static bool has_room(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	if (entry->buffer[log])
		return entry->words[log] < self->config.buffer_words;
	return gputm__commit_take_buffer(self, entry, log);
}

/* The log does not fit its buffer, or found none free. */
static void overflow(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	entry->flags |= (uint8_t)(GPUTM__UNBOUNDED << log);
	self->overflows++;
	if (self->config.buffer_policy >= GPUTM_COMMIT_UNIT_BUFFER_POLICY_USED)
		drop_buffer(self, entry, log);
}

/* A word of a log comes; a word read is compared with memory at once. */
static void transfer(struct gputm_commit_unit *self, struct entry *entry, uint32_t log,
		     const struct gputm_commit_unit_word *word)
{
	if (entry->state == GPUTM_COMMIT_UNIT_STATE_UNUSED)
		begin(self, entry);
	if (!is_unbounded(entry, log) && !has_room(self, entry, log))
		overflow(self, entry, log);
	if (!is_unbounded(entry, log))
		buffer_of(self, entry, log)[entry->words[log]] = *word;
	entry->words[log]++;
	self->consumed[log]++;
	if (log == 0)
		gputm__commit_queue_word(self, entry, GPUTM_COMMIT_UNIT_PORT_VALIDATION, word);
}

static void consume_log(struct gputm_commit_unit *self, const struct gputm_commit_unit_message *m)
{
	struct inbox *in = &self->input;
	uint32_t log = m->kind; /* READ_LOG is 0 and WRITE_LOG is 1, as the logs are */

	do {
		const struct gputm_commit_unit_word *word = &m->word[in->word++];

		transfer(self, entry_of_lane(self, m, word->lane), log, word);
	} while (words_a_cycle(self, m) > 1 && in->word < m->words);
	gputm__commit_send(self, GPUTM_COMMIT_UNIT_PORT_VALIDATION);
	if (in->word == m->words)
		drop_message(in);
}

/* ---- done, skips and verdicts ---- */

static void close_logs(struct gputm_commit_unit *self, struct entry *entry)
{
	if (entry->state == GPUTM_COMMIT_UNIT_STATE_UNUSED)
		begin(self, entry);
	gputm__sample(&self->fill_cycles, cycles_in_state(self, entry));
	enter_state(self, entry, GPUTM_COMMIT_UNIT_STATE_HAZARD);
}

static void skip(struct gputm_commit_unit *self, struct entry *entry)
{
	if (gputm__mutant(GPUTM__MUTANT_FORGET_SKIP))
		return;
	occupy(self, entry, GPUTM_COMMIT_UNIT_STATE_FINISHED, GPUTM_COMMIT_UNIT_BUFFER_POLICY_ALL);
	self->skips++;
	group_last(self, entry)->decided++;
}

/* All lanes that are no skips may have been decided before the last skip came: then one of them
 * finalises the group. */
static void finalise_after_skips(struct gputm_commit_unit *self,
				 const struct gputm_commit_unit_message *m)
{
	uint32_t lane = 0;

	if (entry_of_lane(self, m, m->lanes - 1)->decided != m->lanes)
		return;
	while (lane < m->lanes && !entry_of_lane(self, m, lane)->begun)
		lane++;
	if (lane < m->lanes)
		gputm__commit_append(self, &self->finalise, entry_of_lane(self, m, lane));
}

static void take_verdict(struct gputm_commit_unit *self, uint64_t cid, bool passed)
{
	struct entry *entry = entry_at(self, cid);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_EVENT_VERDICT, cid, passed, self->cycles, 0);
	if (cid < self->oldest || entry->state != GPUTM_COMMIT_UNIT_STATE_WAIT) {
		self->absorbed++;
		return;
	}
	gputm__sample(&self->verdict_cycles, cycles_in_state(self, entry));
	if (passed)
		enter_state(self, entry, GPUTM_COMMIT_UNIT_STATE_READY);
	else
		gputm__commit_finish(self, entry);
	if (gputm__mutant(GPUTM__MUTANT_DISORDER) && passed && !self->config.warp_mode &&
	    !is_unbounded(entry, 1) &&
	    port_room(self, GPUTM_COMMIT_UNIT_PORT_COMMIT) >= entry->words[1])
		gputm__commit_write(self, entry);
}

static void consume_lane(struct gputm_commit_unit *self, const struct gputm_commit_unit_message *m,
			 uint32_t lane)
{
	if (m->kind == GPUTM_COMMIT_UNIT_MESSAGE_VERDICT)
		take_verdict(self, m->first_cid + lane, m->yes >> lane & 1);
	else if (m->yes >> lane & 1)
		close_logs(self, entry_of_lane(self, m, lane));
	else
		skip(self, entry_of_lane(self, m, lane));
}

/* The next lane to take is the lowest. If all lanes of a done come in one cycle, the skips come
 * last: with buffer_policy = all they take buffers too, after the other lanes. */
static uint32_t next_lane(const struct gputm_commit_unit *self,
			  const struct gputm_commit_unit_message *m)
{
	if (self->config.serial_input || m->kind == GPUTM_COMMIT_UNIT_MESSAGE_VERDICT || !m->yes)
		return gputm__lowest(m->mask);
	return gputm__lowest(m->yes);
}

static void consume_lanes(struct gputm_commit_unit *self, struct gputm_commit_unit_message *m)
{
	do {
		uint32_t lane = next_lane(self, m);

		consume_lane(self, m, lane);
		m->mask &= ~(UINT64_C(1) << lane);
		m->yes &= m->mask;
	} while (m->mask && !self->config.serial_input);
	if (m->mask)
		return;
	if (m->kind == GPUTM_COMMIT_UNIT_MESSAGE_DONE && self->config.warp_mode &&
	    !self->config.ordered_outcomes)
		finalise_after_skips(self, m);
	drop_message(&self->input);
}

static inline bool can_consume(const struct gputm_commit_unit *self)
{
	const struct gputm_commit_unit_message *m = oldest_message(&self->input);

	if (!self->input.queue.count)
		return false;
	return m->kind != GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG ||
	       port_room(self, GPUTM_COMMIT_UNIT_PORT_VALIDATION) >= words_a_cycle(self, m);
}

static bool consume(struct gputm_commit_unit *self)
{
	struct gputm_commit_unit_message *m = oldest_message(&self->input);

	if (!can_consume(self))
		return false;
	if (m->kind <= GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG)
		consume_log(self, m);
	else
		consume_lanes(self, m);
	return true;
}

/* ---- a log that is not kept comes again ---- */

/* Do resent words with this purpose go to the port of their log? Else to hazard detection. */
static bool is_for_port(uint32_t purpose)
{
	return purpose >= GPUTM_COMMIT_UNIT_PURPOSE_REVALIDATE;
}

static inline bool can_take_resent(const struct gputm_commit_unit *self)
{
	const struct gputm_commit_unit_message *m = oldest_message(&self->resent);

	if (!self->resent.queue.count)
		return false;
	return !is_for_port(m->purpose) || m->kind == GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE ||
	       port_room(self, log_of(m->purpose)) >= words_a_cycle(self, m);
}

/* Detect the word, and keep it in the buffer if the log has come for that. */
static void detect_resent_word(struct gputm_commit_unit *self, struct entry *entry,
			       const struct gputm_commit_unit_word *word)
{
	uint32_t log = log_in_detection(self, entry);

	if (is_deferred(self, entry, log) && entry->buffer[log])
		buffer_of(self, entry, log)[detected_of_log(self, entry)] = *word;
	gputm__commit_detect_word(self, entry, word->address);
}

static void take_resent_word(struct gputm_commit_unit *self, struct entry *entry, uint32_t purpose,
			     const struct gputm_commit_unit_word *word)
{
	self->words_resent++;
	if (!is_for_port(purpose)) {
		detect_resent_word(self, entry, word);
		return;
	}
	if (purpose == GPUTM_COMMIT_UNIT_PURPOSE_REVALIDATE)
		self->requeued++;
	else
		self->reissued++;
	gputm__commit_queue_word(self, entry, log_of(purpose), word);
}

static void finish_resent(struct gputm_commit_unit *self, struct entry *entry, uint32_t purpose)
{
	uint32_t log = log_of(purpose);

	entry->asked = 0;
	if (is_deferred(self, entry, log) && entry->buffer[log])
		entry->flags &= (uint8_t)~(GPUTM__UNBOUNDED << log);
	if (purpose == GPUTM_COMMIT_UNIT_PURPOSE_REVALIDATE)
		gputm__commit_leave_validation(self, entry);
	else if (purpose == GPUTM_COMMIT_UNIT_PURPOSE_COMMIT)
		gputm__commit_write(self, entry);
}

static bool take_resent(struct gputm_commit_unit *self)
{
	struct inbox *in = &self->resent;
	const struct gputm_commit_unit_message *m = oldest_message(in);
	struct entry *entry;
	uint32_t words;

	if (!can_take_resent(self))
		return false;
	entry = entry_of_lane(self, m, gputm__lowest(m->mask));
	words = is_for_port(m->purpose) ? words_a_cycle(self, m) : self->config.hazard_rate;
	for (; words && in->word < m->words; words--)
		take_resent_word(self, entry, m->purpose, &m->word[in->word++]);
	if (is_for_port(m->purpose))
		gputm__commit_send(self, log_of(m->purpose));
	if (m->kind == GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE)
		finish_resent(self, entry, m->purpose);
	if (in->word == m->words)
		drop_message(in);
	return true;
}

/* ---- a request has completed ---- */

static void compare(struct gputm_commit_unit *self, struct entry *entry,
		    const struct gputm_commit_unit_word *word, uint32_t value)
{
	bool again = entry->flags & GPUTM__AGAIN;

	gputm__emit(&self->unit,
		    again ? GPUTM_COMMIT_UNIT_EVENT_REVALIDATE : GPUTM_COMMIT_UNIT_EVENT_VALIDATE,
		    cid_of(self, entry), word->address, value, word->value);
	self->compared[again]++;
	if (value == word->value)
		return;
	entry->flags |= GPUTM__FAILED;
	self->mismatches++;
}

static void count_written(struct gputm_commit_unit *self, const struct entry *entry,
			  const struct gputm_commit_unit_word *word)
{
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_EVENT_WRITE, cid_of(self, entry), word->address,
		    word->value, self->cycles);
	self->written++;
}

/* The entry moves on, as none of its words is at a port any more. */
static void move_on(struct gputm_commit_unit *self, struct entry *entry)
{
	if (entry->state == GPUTM_COMMIT_UNIT_STATE_WRITE)
		gputm__commit_finish(self, entry);
	else
		gputm__commit_leave_validation(self, entry);
}

int gputm_commit_unit_mem_complete(struct gputm_commit_unit *self, uint64_t tag,
				   const uint32_t *values)
{
	int words = gputm__commit_land(self, tag, values);

	for (int n = 0; n < words; n++) {
		const struct gputm_commit_unit_word *word =
			&port_word_at(&self->port[tag & 1], (tag >> 1) + (uint64_t)n)->word;
		struct entry *entry = entry_at(self, word->lane);

		if (tag & 1)
			count_written(self, entry, word);
		else
			compare(self, entry, word,
				values[(word->address & ~self->region_mask) / 4]);
		if (!--entry->at_port)
			move_on(self, entry);
	}
	return words < 0 ? words : 0;
}

/* ---- a cycle ---- */

/* Does the port have a request that it does not offer yet? An offer stands until it is popped. */
static inline bool can_offer(const struct gputm_commit_unit *self, uint32_t which)
{
	const struct port *port = &self->port[which];

	return port->popped != port->end && !(self->offers & offer_of(which));
}

static bool offer(struct gputm_commit_unit *self, uint32_t which)
{
	if (!can_offer(self, which))
		return false;
	self->offers |= offer_of(which);
	return true;
}

static int all_offers(const struct gputm_commit_unit *self)
{
	return self->offers | (self->output.count ? GPUTM_COMMIT_UNIT_OFFER_REPORT : 0);
}

int gputm_commit_unit_tick(struct gputm_commit_unit *self)
{
	bool moved = offer(self, GPUTM_COMMIT_UNIT_PORT_VALIDATION);

	moved |= offer(self, GPUTM_COMMIT_UNIT_PORT_COMMIT);
	moved |= gputm__commit_step(self);
	moved |= take_resent(self);
	moved |= consume(self);
	self->now++;
	self->cycles++;
	return all_offers(self) | (moved ? GPUTM_COMMIT_UNIT_OFFER_MOVED : 0);
}

uint64_t gputm_commit_unit_next_event(const struct gputm_commit_unit *self)
{
	bool moves = can_offer(self, GPUTM_COMMIT_UNIT_PORT_VALIDATION) ||
		     can_offer(self, GPUTM_COMMIT_UNIT_PORT_COMMIT) ||
		     gputm__commit_can_step(self) || can_take_resent(self) || can_consume(self);

	return moves ? 0 : UINT64_MAX;
}

/* If a tick has changed nothing, the following ticks change nothing either. */
int gputm_commit_unit_advance(struct gputm_commit_unit *self, uint64_t cycles)
{
	int result = all_offers(self);
	uint64_t now;

	do {
		if (!cycles)
			return result;
		result = gputm_commit_unit_tick(self);
		cycles--;
	} while (result & GPUTM_COMMIT_UNIT_OFFER_MOVED);
	now = gputm__later(self->now, cycles);
	self->cycles += now - self->now;
	self->now = now;
	return result;
}
