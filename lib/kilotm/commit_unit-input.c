/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes in at the commit unit. push() judges a message and queues it: every entry knows what
 * has been pushed for it, so that what the protocol forbids is refused at once and nothing that is
 * queued can turn out to be wrong. A cycle takes a step of the queue: log words are kept and, if
 * read, compared with memory at once; done closes the logs; a verdict ends the wait.
 */
#include "lib/kilotm/commit_unit-priv.h"

static inline bool is_resent(const struct gputm_commit_message *message)
{
	return message->kind >= GPUTM_COMMIT_RESENT;
}

static int refuse_lane(const struct gputm_commit_unit *self,
		       const struct gputm_commit_message *message, uint64_t lanes, const char *why)
{
	static const char *const name[] = { "READ_LOG", "WRITE_LOG", "DONE",
					    "VERDICT",	"RESENT",    "RESENT_DONE" };
	uint64_t cid = message->first_cid + gputm__lowest(lanes);

	return gputm__refuse(&self->unit, "message %s for CID %llu: %s", name[message->kind],
			     (unsigned long long)cid, why);
}

static int refuse_shape(const struct gputm_commit_unit *self, const char *field, uint64_t value)
{
	return gputm__refuse(&self->unit, "message with %s = %llu does not fit its kind", field,
			     (unsigned long long)value);
}

/* ---- what the protocol allows ---- */

static int judge_shape(const struct gputm_commit_unit *self,
		       const struct gputm_commit_message *message)
{
	bool resent = is_resent(message), log = message->kind <= GPUTM_COMMIT_WRITE_LOG ||
						message->kind == GPUTM_COMMIT_RESENT;

	if (message->kind > GPUTM_COMMIT_RESENT_DONE)
		return refuse_shape(self, "kind", message->kind);
	if (message->lanes - 1 >= self->config.lanes)
		return gputm__out_of_range(&self->unit, "lanes", message->lanes, 1,
					   self->config.lanes);
	if (!message->mask || message->mask & ~gputm__low_mask(message->lanes) ||
	    (resent && message->mask & (message->mask - 1)))
		return refuse_shape(self, "mask", message->mask);
	if (message->yes & (log || resent ? UINT64_MAX : ~message->mask))
		return refuse_shape(self, "yes", message->yes);
	if (log ? message->words - 1 >= GPUTM_COMMIT_WORDS : message->words)
		return refuse_shape(self, "words", message->words);
	if (message->purpose > (resent ? (uint32_t)GPUTM_COMMIT_FOR_COMMIT : 0))
		return refuse_shape(self, "purpose", message->purpose);
	return 0;
}

static int judge_cids(const struct gputm_commit_unit *self,
		      const struct gputm_commit_message *message)
{
	uint64_t beyond = self->oldest + self->config.ring - message->lanes;
	uint64_t lowest = message->first_cid + gputm__lowest(message->mask);

	if (message->first_cid > beyond)
		return gputm__out_of_range(&self->unit, "first_cid", message->first_cid, 0, beyond);
	if (lowest < self->oldest && message->kind != GPUTM_COMMIT_VERDICT)
		return refuse_lane(self, message, message->mask, "it has retired");
	return 0;
}

/* All messages of a warp agree on its CIDs. */
static int judge_warp(const struct gputm_commit_unit *self,
		      const struct gputm_commit_message *message)
{
	uint64_t first = message->first_cid, end = first + message->lanes;
	const struct gputm__commit_entry *last = entry_at(self, end - 1);
	bool agrees = last->lanes == message->lanes && last->lane == message->lanes - 1;

	if (first >= self->head || end <= self->oldest || (agrees && end <= self->head))
		return 0;
	while (first >= self->oldest && first < end && !entry_at(self, first)->lanes)
		first++;
	return first < end ? refuse_lane(self, message, 1, "its warp has other CIDs") : 0;
}

GPUTM__COLD static int refuse_words(const struct gputm_commit_unit *self,
				    const struct gputm_commit_message *message)
{
	for (uint32_t n = 0; n < message->words; n++) {
		const struct gputm_commit_word *word = &message->word[n];

		if (word->address > self->address_max)
			return gputm__out_of_range(&self->unit, "address", word->address, 0,
						   self->address_max);
		if (word->address & 3)
			return refuse_shape(self, "address", word->address);
		if (word->lane >= message->lanes)
			return gputm__out_of_range(&self->unit, "lane", word->lane, 0,
						   message->lanes - 1);
	}
	return refuse_shape(self, "mask", message->mask);
}

/* All words at once: a mask that fits the message leaves no lane outside it. */
static int judge_words(const struct gputm_commit_unit *self,
		       const struct gputm_commit_message *message)
{
	uint64_t addresses = 0, mask = 0;
	uint32_t lanes = 0;

	for (uint32_t n = 0; n < message->words; n++) {
		addresses |= message->word[n].address;
		lanes |= message->word[n].lane;
		mask |= UINT64_C(1) << (message->word[n].lane & 63);
	}
	if (message->words && (addresses & ~(self->address_max & ~UINT64_C(3)) || lanes > 63 ||
			       mask != message->mask))
		return refuse_words(self, message);
	return 0;
}

static const char *judge_verdict(const struct gputm_commit_unit *self, uint64_t cid, bool passed)
{
	const struct gputm__commit_entry *entry = entry_at(self, cid);

	if (cid < self->oldest)
		return passed ? "it has failed or committed" : NULL;
	if (entry->said & GPUTM__SAID_VERDICT)
		return "it has its verdict";
	if (entry->stage == GPUTM_COMMIT_WAIT)
		return NULL;
	if (entry->stage != GPUTM_COMMIT_FINISHED || !entry->body)
		return "its outcome has not been reported";
	return passed ? "it has failed here" : NULL;
}

/* The log asked for must come whole: neither more words nor fewer than before. */
static int judge_resent(const struct gputm_commit_unit *self,
			const struct gputm_commit_message *message)
{
	const struct gputm__commit_entry *entry =
		entry_of(self, message, gputm__lowest(message->mask));
	uint64_t words = (uint64_t)entry->answered + message->words;
	uint32_t before = entry->words[message->purpose & 1];

	if (!entry->body || entry->asked != message->purpose + 1 ||
	    entry->said & GPUTM__SAID_AGAIN)
		return refuse_lane(self, message, message->mask,
				   "its log is not asked for with this purpose");
	if (words > before)
		return refuse_lane(self, message, message->mask, "its log was shorter before");
	if (message->kind == GPUTM_COMMIT_RESENT_DONE && words < before)
		return refuse_lane(self, message, message->mask, "its log was longer before");
	return 0;
}

/* All that has been said of some lanes of the warp. */
static uint8_t said_of(const struct gputm_commit_unit *self,
		       const struct gputm_commit_message *message, uint64_t lanes)
{
	uint8_t said = 0;

	for (; lanes; lanes &= lanes - 1)
		said |= entry_of(self, message, gputm__lowest(lanes))->said;
	return said;
}

GPUTM__COLD static int refuse_said(const struct gputm_commit_unit *self,
				   const struct gputm_commit_message *message, uint64_t lanes,
				   uint8_t said, const char *why)
{
	while (!(said_of(self, message, lanes & -lanes) & said))
		lanes &= lanes - 1;
	return refuse_lane(self, message, lanes, why);
}

static int judge_log(const struct gputm_commit_unit *self,
		     const struct gputm_commit_message *message)
{
	uint64_t others = message->mask & ~message->yes;
	uint8_t said = said_of(self, message, others);

	if (message->kind == GPUTM_COMMIT_DONE && said & GPUTM__SAID_WORDS)
		return refuse_said(self, message, others, GPUTM__SAID_WORDS,
				   "a skip with log words");
	if ((said | said_of(self, message, message->yes)) & GPUTM__SAID_DONE)
		return refuse_said(self, message, message->mask, GPUTM__SAID_DONE,
				   "its logs are complete");
	return 0;
}

static int judge_verdicts(const struct gputm_commit_unit *self,
			  const struct gputm_commit_message *message)
{
	for (uint64_t left = message->mask; left; left &= left - 1) {
		unsigned lane = gputm__lowest(left);
		const char *why = judge_verdict(self, message->first_cid + lane,
						message->yes >> lane & 1);

		if (why)
			return refuse_lane(self, message, left, why);
	}
	return 0;
}

/* What is wrong with the message whatever has been pushed for its lanes before. */
static int judge_alone(const struct gputm_commit_unit *self,
		       const struct gputm_commit_message *message)
{
	int error = judge_shape(self, message);

	if (!error)
		error = judge_cids(self, message);
	if (!error)
		error = judge_warp(self, message);
	return error ? error : judge_words(self, message);
}

static int judge_lanes(const struct gputm_commit_unit *self,
		       const struct gputm_commit_message *message)
{
	bool new = message->first_cid >= self->head; /* its lanes have no entries yet */

	if (message->kind <= GPUTM_COMMIT_DONE)
		return new ? 0 : judge_log(self, message);
	if (new)
		return refuse_lane(self, message, message->mask, "none of its logs have come");
	return is_resent(message) ? judge_resent(self, message) : judge_verdicts(self, message);
}

static inline int judge(const struct gputm_commit_unit *self, const struct gputm__commit_inbox *in,
			const struct gputm_commit_message *message)
{
	int error;

	if (in->count == in->depth)
		return GPUTM_COMMIT_UNIT_FULL;
	error = judge_alone(self, message);
	return error ? error : judge_lanes(self, message);
}

int gputm_commit_unit_push_probe(const struct gputm_commit_unit *self,
				 const struct gputm_commit_message *message)
{
	return judge(self, is_resent(message) ? &self->resent : &self->input, message);
}

/* ---- pushing ---- */

/* The first message of a warp names its entries. */
static void name_warp(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	struct gputm__commit_entry *ring = self->entry;
	uint32_t first = (uint32_t)message->first_cid, lanes = message->lanes, mask = self->mask;

	for (uint32_t lane = 0; lane < lanes; lane++) {
		ring[(first + lane) & mask].lane = (uint8_t)lane;
		ring[(first + lane) & mask].lanes = (uint8_t)lanes;
	}
	gputm__maximum(&self->head, message->first_cid + lanes);
	gputm__maximum(&self->span_max, self->head - self->oldest);
}

/* What a message says of its lanes, by its kind. */
static const uint8_t says[] = { GPUTM__SAID_WORDS,   GPUTM__SAID_WORDS, GPUTM__SAID_DONE,
				GPUTM__SAID_VERDICT, 0,			GPUTM__SAID_AGAIN };

/* Of lanes that have retired, only verdicts are still accepted, and not noted. */
static void note(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	struct gputm__commit_entry *ring = self->entry;
	uint64_t lanes = message->mask, retired = self->oldest - message->first_cid;
	uint32_t first = (uint32_t)message->first_cid, mask = self->mask;
	uint8_t said = says[message->kind];

	if (message->first_cid < self->oldest)
		lanes &= retired < 64 ? ~gputm__low_mask((unsigned)retired) : 0;
	if (!lanes)
		return;
	if (!ring[(first + message->lanes - 1) & mask].lanes)
		name_warp(self, message);
	if (is_resent(message))
		entry_of(self, message, gputm__lowest(lanes))->answered += message->words;
	for (; lanes; lanes &= lanes - 1)
		ring[(first + gputm__lowest(lanes)) & mask].said |= said;
}

size_t gputm_commit_message_size(const struct gputm_commit_message *message)
{
	return offsetof(struct gputm_commit_message, word) +
	       message->words * sizeof(message->word[0]);
}

int gputm_commit_unit_push(struct gputm_commit_unit *self,
			   const struct gputm_commit_message *message)
{
	struct gputm__commit_inbox *in = is_resent(message) ? &self->resent : &self->input;
	int answer = judge(self, in, message);
	uint64_t end = message->first_cid + message->lanes;
	struct gputm_commit_message *queued;
	uint32_t at;

	self->messages_full += answer == GPUTM_COMMIT_UNIT_FULL;
	if (answer != GPUTM_COMMIT_UNIT_ACCEPTED)
		return answer;
	if (GPUTM__UNLIKELY(end > self->oldest + self->reach) &&
	    gputm__commit_make_room(self, end - self->oldest))
		return -ENOMEM;
	note(self, message);
	at = in->head + in->count++;
	queued = &in->message[at < in->depth ? at : at - in->depth];
	memcpy(queued, message, offsetof(struct gputm_commit_message, word));
	if (message->words)
		memcpy(queued->word, message->word, message->words * sizeof(message->word[0]));
	self->messages++;
	return GPUTM_COMMIT_UNIT_ACCEPTED;
}

/* ---- loading queued messages ---- */

static bool queued_lane_fits(const struct gputm_commit_unit *self,
			     const struct gputm_commit_message *message, uint32_t lane)
{
	const struct gputm__commit_entry *entry = entry_of(self, message, lane);

	if (message->first_cid + lane < self->oldest)
		return message->kind == GPUTM_COMMIT_VERDICT;
	if (is_resent(message))
		return entry->body && entry->asked == message->purpose + 1;
	if (!(entry->said & says[message->kind]))
		return false;
	return message->kind == GPUTM_COMMIT_VERDICT ? entry->body
						     : entry->stage <= GPUTM_COMMIT_FILL;
}

bool gputm__commit_queueable(const struct gputm_commit_unit *self,
			     const struct gputm_commit_message *message)
{
	if (message->first_cid >= self->head || judge_alone(self, message))
		return false;
	for (uint64_t left = message->mask; left; left &= left - 1)
		if (!queued_lane_fits(self, message, gputm__lowest(left)))
			return false;
	return true;
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
		take_buffer(self, entry, 0);
		take_buffer(self, entry, 1);
	}
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_BEGUN, cid_of(self, entry),
		    entry->rcid, self->cycles, 0);
}

/* Whether one more word of the log fits its buffer; the log may take a free one. */
static bool has_room(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
		     uint32_t log)
{
	if (entry->buffer[log])
		return entry->words[log] < self->config.buffer_words;
	return take_buffer(self, entry, log);
}

/* The log does not fit, or finds no buffer. */
static void overflow(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
		     uint32_t log)
{
	entry->flags |= (uint8_t)(GPUTM__OVERFLOW << log);
	self->overflows++;
	if (self->config.buffer_policy >= GPUTM_COMMIT_BUFFERS_USED)
		drop_buffer(self, entry, log);
}

/* A word of a log; what has been read is compared with memory at once. */
static void transfer(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
		     uint32_t log, const struct gputm_commit_word *word)
{
	if (entry->stage == GPUTM_COMMIT_UNUSED)
		begin(self, entry);
	if (!is_unbounded(entry, log) && !has_room(self, entry, log))
		overflow(self, entry, log);
	if (!is_unbounded(entry, log))
		kept_words(self, entry, log)[entry->words[log]] = *word;
	entry->words[log]++;
	self->consumed[log]++;
	if (log == GPUTM_COMMIT_READ_LOG)
		send_word(self, entry, 0, word);
}

static void drop_message(struct gputm__commit_inbox *in)
{
	in->word = 0;
	in->count--;
	if (++in->head == in->depth)
		in->head = 0;
}

static void drop_consumed(struct gputm__commit_inbox *in,
			  const struct gputm_commit_message *message)
{
	if (in->word == message->words)
		drop_message(in);
}

APART void consume_log(struct gputm_commit_unit *self,
				     const struct gputm_commit_message *message)
{
	for (uint32_t words = words_a_cycle(self, message); words; words--) {
		const struct gputm_commit_word *word = &message->word[self->input.word++];

		transfer(self, entry_of(self, message, word->lane), message->kind, word);
	}
	if (self->gather.words)
		gputm__commit_send(self, 0);
	drop_consumed(&self->input, message);
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
	if (self->config.warp_mode)
		last_of(self, entry)->decided++;
	if (self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_ALL) {
		take_buffer(self, entry, 0);
		take_buffer(self, entry, 1);
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
		append(self, &self->finalise, entry_of(self, message, lane));
}

/* The lanes of a done or verdict that a cycle takes; the message is over without lanes. */
static uint64_t take_lanes(struct gputm_commit_unit *self, struct gputm_commit_message *message)
{
	uint64_t lanes = self->config.serial_input ? message->mask & -message->mask : message->mask;

	message->mask &= ~lanes;
	if (!message->mask)
		drop_message(&self->input);
	return lanes;
}

APART void consume_done(struct gputm_commit_unit *self, struct gputm_commit_message *message)
{
	uint64_t lanes = take_lanes(self, message), skips = lanes & ~message->yes;

	for (uint64_t left = lanes & message->yes; left; left &= left - 1)
		close_logs(self, entry_of(self, message, gputm__lowest(left)));
	for (uint64_t left = skips; left; left &= left - 1)
		skip(self, entry_of(self, message, gputm__lowest(left)));
	message->yes &= ~lanes;
	if (skips && self->config.warp_mode && !self->config.ordered_outcomes)
		note_decided(self, message);
}

static void judge_entry(struct gputm_commit_unit *self, uint64_t cid, bool passed)
{
	struct gputm__commit_entry *entry = entry_at(self, cid);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_VERDICT, cid, passed, self->cycles, 0);
	if (cid < self->oldest || entry->stage != GPUTM_COMMIT_WAIT) {
		self->absorbed++;
		return;
	}
	gputm__sample(&self->verdict_cycles, waited(self, entry));
	if (passed)
		enter(self, entry, GPUTM_COMMIT_READY);
	else
		gputm__commit_finish(self, entry);
	if (gputm__mutant(GPUTM__MUTANT_DISORDER) && passed && !self->config.warp_mode &&
	    !is_unbounded(entry, 1) &&
	    room_at(self, 1) >= entry->words[1])
		gputm__commit_issue(self, entry);
}

APART void consume_verdict(struct gputm_commit_unit *self, struct gputm_commit_message *message)
{
	uint64_t lanes = take_lanes(self, message);

	for (uint64_t left = lanes; left; left &= left - 1) {
		unsigned lane = gputm__lowest(left);

		judge_entry(self, message->first_cid + lane, message->yes >> lane & 1);
	}
	message->yes &= ~lanes;
}

void gputm__commit_consume(struct gputm_commit_unit *self)
{
	struct gputm_commit_message *message = served(&self->input);

	if (message->kind == GPUTM_COMMIT_DONE)
		consume_done(self, message);
	else if (message->kind == GPUTM_COMMIT_VERDICT)
		consume_verdict(self, message);
	else
		consume_log(self, message);
}

/* ---- logs that have been asked for ---- */

static void finish_resent(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
			  uint32_t purpose)
{
	entry->asked = 0;
	if (is_deferred(self, entry, purpose & 1) && entry->buffer[purpose & 1])
		entry->flags &= (uint8_t)~(GPUTM__OVERFLOW << (purpose & 1));
	if (purpose == GPUTM_COMMIT_FOR_REVALIDATE)
		gputm__commit_settle(self, entry);
	else if (purpose == GPUTM_COMMIT_FOR_COMMIT)
		gputm__commit_issue(self, entry);
}

/* A word on its way through hazard detection; one of a deferred log is kept. */
static void keep_deferred(struct gputm_commit_unit *self, const struct gputm__commit_entry *entry,
			  const struct gputm_commit_word *word)
{
	uint32_t log = self->hazard_word >= entry->words[0];
	uint64_t n = self->hazard_word - (log ? entry->words[0] : 0);

	if (is_deferred(self, entry, log) && entry->buffer[log])
		kept_words(self, entry, log)[n] = *word;
}

static void take_resent_word(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
			     int port, const struct gputm_commit_word *word)
{
	self->words_resent++;
	if (port < 0) {
		keep_deferred(self, entry, word);
		gputm__commit_detect_word(self, entry, word->address);
		return;
	}
	self->requeued += !port;
	self->reissued += (unsigned)port;
	send_word(self, entry, (uint32_t)port, word);
}

void gputm__commit_take_resent(struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = served(&self->resent);
	struct gputm__commit_entry *entry =
		entry_of(self, message, gputm__lowest(message->mask));
	int port = port_of(message->purpose);
	uint32_t words = port < 0 ? self->config.hazard_rate : words_a_cycle(self, message);

	for (; words && self->resent.word < message->words; words--)
		take_resent_word(self, entry, port, &message->word[self->resent.word++]);
	if (self->gather.words)
		gputm__commit_send(self, (uint32_t)port);
	if (message->kind == GPUTM_COMMIT_RESENT_DONE)
		finish_resent(self, entry, message->purpose);
	drop_consumed(&self->resent, message);
}
