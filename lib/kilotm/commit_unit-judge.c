/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pushing messages to the commit unit. A message is judged and noted when it is pushed:
 * every warp has masks of the lanes for which what has been pushed, so that what the protocol
 * forbids is refused at once and nothing that is queued can turn out to be wrong.
 */
#include "lib/kilotm/commit_unit-priv.h"

static int refuse_lane(const struct gputm_commit_unit *self,
		       const struct gputm_commit_message *message, unsigned lane, const char *why)
{
	static const char *const name[] = { "READ_LOG", "WRITE_LOG", "DONE",
					    "VERDICT",	"RESENT",    "RESENT_DONE" };

	return gputm__refuse(&self->unit, "message %s for CID %llu: %s", name[message->kind],
			     (unsigned long long)(message->first_cid + lane), why);
}

static int refuse_shape(const struct gputm_commit_unit *self, const char *field, uint64_t value)
{
	return gputm__refuse(&self->unit, "message with %s = %llu does not fit its kind", field,
			     (unsigned long long)value);
}

static bool is_log(uint32_t kind)
{
	return kind == GPUTM_COMMIT_READ_LOG || kind == GPUTM_COMMIT_WRITE_LOG ||
	       kind == GPUTM_COMMIT_RESENT;
}

static int judge_shape(const struct gputm_commit_unit *self,
		       const struct gputm_commit_message *message)
{
	bool log = is_log(message->kind), resent = message->kind >= GPUTM_COMMIT_RESENT;

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
		return refuse_lane(self, message, gputm__lowest(message->mask), "it has retired");
	return 0;
}

/* All messages of a warp agree on its CIDs. */
static int judge_warp(const struct gputm_commit_unit *self,
		      const struct gputm_commit_message *message)
{
	uint64_t first = message->first_cid, end = first + message->lanes;
	const struct gputm__commit_slot *slot = &self->slot[gputm__commit_last(self, message)];

	if (first >= self->head || end <= self->oldest ||
	    (slot->lanes == message->lanes && slot->lane == message->lanes - 1))
		return 0;
	if (first < self->oldest)
		return refuse_lane(self, message, 0, "its warp has other CIDs");
	for (; first < end; first++)
		if (self->slot[gputm__commit_index(self, first)].lanes)
			return refuse_lane(self, message, 0, "its warp has other CIDs");
	return 0;
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
	const struct gputm_commit_word *word = message->word, *end = word + message->words;
	uint64_t addresses = 0, mask = 0;
	uint32_t lanes = 0;

	for (; word != end; word++) {
		addresses |= word->address;
		lanes |= word->lane;
		mask |= UINT64_C(1) << (word->lane & 63);
	}
	if (GPUTM__UNLIKELY(addresses & ~(self->address_max & ~UINT64_C(3)) || lanes > 63 ||
			    mask != message->mask))
		return refuse_words(self, message);
	return 0;
}

static const char *judge_verdict(const struct gputm_commit_unit *self, uint64_t cid, bool judged,
				 bool passed)
{
	const struct gputm__commit_slot *slot = &self->slot[gputm__commit_index(self, cid)];

	if (cid < self->oldest)
		return passed ? "it has failed or committed" : NULL;
	if (judged)
		return "it has its verdict";
	if (slot->stage == GPUTM_COMMIT_WAIT)
		return NULL;
	if (slot->stage != GPUTM_COMMIT_FINISHED || !(slot->mark & GPUTM__BODY))
		return "its outcome has not been reported";
	return passed ? "it has failed here" : NULL;
}

/* The log asked for must come whole: neither more words nor fewer than before. */
static const char *judge_resent(const struct gputm_commit_unit *self,
				const struct gputm_commit_message *message, uint64_t cid)
{
	uint32_t index = gputm__commit_index(self, cid);
	const struct gputm__commit_entry *entry = &self->entry[index];
	uint64_t words = (uint64_t)entry->answered + message->words;

	if (!(self->slot[index].mark & GPUTM__BODY) || entry->asked != message->purpose + 1 ||
	    self->slot[index].mark & GPUTM__ANSWERED)
		return "its log is not asked for with this purpose";
	if (words > entry->words[message->purpose & 1])
		return "its log was shorter before";
	if (message->kind == GPUTM_COMMIT_RESENT_DONE && words < entry->words[message->purpose & 1])
		return "its log was longer before";
	return NULL;
}

static int judge_verdicts(const struct gputm_commit_unit *self,
			  const struct gputm_commit_message *message, uint64_t judged)
{
	for (uint64_t left = message->mask; left; left &= left - 1) {
		unsigned lane = gputm__lowest(left);
		uint64_t cid = message->first_cid + lane;
		const char *why = judge_verdict(self, cid, judged >> lane & 1,
						message->yes >> lane & 1);

		if (GPUTM__UNLIKELY(why != NULL))
			return refuse_lane(self, message, lane, why);
	}
	return 0;
}

/* What has been pushed for the message's lanes before. */
static int judge_lanes(const struct gputm_commit_unit *self,
		       const struct gputm_commit_message *message)
{
	const struct gputm__commit_warp *warp = &self->warp[gputm__commit_last(self, message)];
	uint64_t mask = message->mask, skipped = mask & ~message->yes & warp->words;
	const char *why;

	switch (message->kind) {
	case GPUTM_COMMIT_VERDICT:
		return judge_verdicts(self, message, warp->judged);
	case GPUTM_COMMIT_RESENT:
	case GPUTM_COMMIT_RESENT_DONE:
		why = judge_resent(self, message, message->first_cid + gputm__lowest(mask));
		return why ? refuse_lane(self, message, gputm__lowest(mask), why) : 0;
	case GPUTM_COMMIT_DONE:
		if (skipped)
			return refuse_lane(self, message, gputm__lowest(skipped),
					   "a skip with log words");
		break;
	default:
		break;
	}
	if (GPUTM__LIKELY(!(mask & warp->closed)))
		return 0;
	return refuse_lane(self, message, gputm__lowest(mask & warp->closed),
			   "its logs are complete");
}

static int judge(const struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	int error = judge_shape(self, message);

	if (!error)
		error = judge_cids(self, message);
	if (!error)
		error = judge_warp(self, message);
	if (!error && message->words)
		error = judge_words(self, message);
	return error ? error : judge_lanes(self, message);
}

/* ---- pushing ---- */

static const struct gputm__commit_inbox *inbox_of(const struct gputm_commit_unit *self,
						  const struct gputm_commit_message *message)
{
	return message->kind >= GPUTM_COMMIT_RESENT ? &self->resent : &self->input;
}

int gputm_commit_unit_push_probe(const struct gputm_commit_unit *self,
				 const struct gputm_commit_message *message)
{
	int error = judge(self, message);
	const struct gputm__commit_inbox *in;

	if (error)
		return error;
	in = inbox_of(self, message);
	return in->count == in->depth ? GPUTM_COMMIT_UNIT_FULL : GPUTM_COMMIT_UNIT_ACCEPTED;
}

/* The first message of a warp names its slots. */
static void name_warp(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	uint64_t cid = message->first_cid;
	struct gputm__commit_slot slot = { GPUTM_COMMIT_UNUSED, 0, 0, (uint8_t)message->lanes };

	for (; slot.lane < slot.lanes; slot.lane++, cid++)
		self->slot[gputm__commit_index(self, cid)] = slot;
	self->slot[gputm__commit_index(self, cid - 1)].mark = GPUTM__LAST;
	gputm__maximum(&self->head, cid);
	gputm__maximum(&self->span_max, self->head - self->oldest);
}

static void note_resent(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	uint64_t cid = message->first_cid + gputm__lowest(message->mask);
	uint32_t index = gputm__commit_index(self, cid);

	self->may |= GPUTM__MAY_RESENT;
	if (message->kind == GPUTM_COMMIT_RESENT)
		self->entry[index].answered += message->words;
	else
		self->slot[index].mark |= GPUTM__ANSWERED;
}

/* Of a warp that has retired, only verdicts are still accepted. */
static void note(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	uint32_t last = gputm__commit_last(self, message);
	struct gputm__commit_warp *warp = &self->warp[last];

	if (message->first_cid + message->lanes <= self->oldest)
		return;
	if (!self->slot[last].lanes)
		name_warp(self, message);
	if (message->kind <= GPUTM_COMMIT_WRITE_LOG)
		warp->words |= message->mask;
	else if (message->kind == GPUTM_COMMIT_DONE)
		warp->closed |= message->mask;
	else if (message->kind == GPUTM_COMMIT_VERDICT)
		warp->judged |= message->mask;
	else
		note_resent(self, message);
}

size_t gputm_commit_message_size(const struct gputm_commit_message *message)
{
	return offsetof(struct gputm_commit_message, word) +
	       message->words * sizeof(message->word[0]);
}

int gputm_commit_unit_push(struct gputm_commit_unit *self,
			   const struct gputm_commit_message *message)
{
	struct gputm__commit_inbox *in =
		message->kind >= GPUTM_COMMIT_RESENT ? &self->resent : &self->input;
	int error = judge(self, message);
	uint32_t at;

	if (GPUTM__UNLIKELY(error))
		return error;
	if (in->count == in->depth) {
		self->messages_full++;
		return GPUTM_COMMIT_UNIT_FULL;
	}
	note(self, message);
	at = in->head + in->count++;
	memcpy(&in->message[at < in->depth ? at : at - in->depth], message,
	       gputm_commit_message_size(message));
	self->messages++;
	return GPUTM_COMMIT_UNIT_ACCEPTED;
}

/* ---- loading queued messages ---- */

static bool queued_lane_fits(const struct gputm_commit_unit *self,
			     const struct gputm_commit_message *message, uint64_t cid)
{
	uint32_t index = gputm__commit_index(self, cid);
	uint8_t stage = self->slot[index].stage;
	bool body = self->slot[index].mark & GPUTM__BODY;

	if (cid < self->oldest)
		return message->kind == GPUTM_COMMIT_VERDICT;
	if (message->kind <= GPUTM_COMMIT_DONE)
		return stage <= GPUTM_COMMIT_FILL;
	if (message->kind == GPUTM_COMMIT_VERDICT)
		return body;
	return body && self->entry[index].asked == message->purpose + 1;
}

/* Whether the warp's masks say that the message has been pushed. */
static bool is_noted(const struct gputm_commit_unit *self,
		     const struct gputm_commit_message *message)
{
	const struct gputm__commit_warp *warp = &self->warp[gputm__commit_last(self, message)];

	if (message->first_cid + message->lanes <= self->oldest)
		return true;
	if (message->kind <= GPUTM_COMMIT_WRITE_LOG)
		return !(message->mask & ~warp->words);
	if (message->kind == GPUTM_COMMIT_DONE)
		return !(message->mask & ~warp->closed);
	return message->kind > GPUTM_COMMIT_VERDICT || !(message->mask & ~warp->judged);
}

bool gputm__commit_queueable(const struct gputm_commit_unit *self,
			     const struct gputm_commit_message *message)
{
	if (judge_shape(self, message) || judge_cids(self, message) || judge_warp(self, message) ||
	    (message->words && judge_words(self, message)) || !is_noted(self, message))
		return false;
	for (uint64_t left = message->mask; left; left &= left - 1)
		if (!queued_lane_fits(self, message, message->first_cid + gputm__lowest(left)))
			return false;
	return true;
}
