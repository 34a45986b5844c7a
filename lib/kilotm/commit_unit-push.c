/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pushing messages to the commit unit. A message is judged and noted when it is pushed:
 * every warp has masks of the lanes for which what has been pushed, so that what the protocol
 * forbids is refused at once and nothing that is queued can turn out to be wrong.
 */
#include "lib/kilotm/commit_unit-priv.h"

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

/* The warp that a message speaks of. */
static inline struct gputm__commit_warp *warp_of(const struct gputm_commit_unit *self,
						 const struct gputm_commit_message *message)
{
	uint64_t last = message->first_cid + message->lanes - 1;

	return &self->warp[gputm__commit_index(self, last)];
}

static inline bool is_resent(const struct gputm_commit_message *message)
{
	return message->kind >= GPUTM_COMMIT_RESENT;
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
	const struct gputm__commit_entry *last = gputm__commit_at(self, end - 1);
	bool agrees = last->lanes == message->lanes && last->lane == message->lanes - 1;

	if (first >= self->head || end <= self->oldest || agrees)
		return 0;
	while (first >= self->oldest && first < end && !gputm__commit_at(self, first)->lanes)
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

static const char *judge_verdict(const struct gputm_commit_unit *self, uint64_t cid, bool judged,
				 bool passed)
{
	const struct gputm__commit_entry *entry = gputm__commit_at(self, cid);

	if (cid < self->oldest)
		return passed ? "it has failed or committed" : NULL;
	if (judged)
		return "it has its verdict";
	if (entry->stage == GPUTM_COMMIT_WAIT)
		return NULL;
	if (entry->stage != GPUTM_COMMIT_FINISHED || !entry->body)
		return "its outcome has not been reported";
	return passed ? "it has failed here" : NULL;
}

static int judge_verdicts(const struct gputm_commit_unit *self,
			  const struct gputm_commit_message *message)
{
	for (uint64_t left = message->mask; left; left &= left - 1) {
		unsigned lane = gputm__lowest(left);
		const char *why = judge_verdict(self, message->first_cid + lane,
						warp_of(self, message)->judged >> lane & 1,
						message->yes >> lane & 1);

		if (why)
			return refuse_lane(self, message, left, why);
	}
	return 0;
}

/* The log asked for must come whole: neither more words nor fewer than before. */
static int judge_resent(const struct gputm_commit_unit *self,
			const struct gputm_commit_message *message)
{
	const struct gputm__commit_entry *entry =
		gputm__commit_at(self, message->first_cid + gputm__lowest(message->mask));
	uint64_t words = (uint64_t)entry->answered + message->words;
	uint32_t before = entry->words[message->purpose & 1];

	if (!entry->body || entry->asked != message->purpose + 1 ||
	    entry->flags & GPUTM__ANSWERED)
		return refuse_lane(self, message, message->mask,
				   "its log is not asked for with this purpose");
	if (words > before)
		return refuse_lane(self, message, message->mask, "its log was shorter before");
	if (message->kind == GPUTM_COMMIT_RESENT_DONE && words < before)
		return refuse_lane(self, message, message->mask, "its log was longer before");
	return 0;
}

static int judge_log(const struct gputm_commit_unit *self,
		     const struct gputm_commit_message *message)
{
	const struct gputm__commit_warp *warp = warp_of(self, message);
	uint64_t skipped = message->mask & ~message->yes & warp->words;
	uint64_t closed = message->mask & warp->closed;

	if (message->kind == GPUTM_COMMIT_DONE && skipped)
		return refuse_lane(self, message, skipped, "a skip with log words");
	return closed ? refuse_lane(self, message, closed, "its logs are complete") : 0;
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

static int judge(const struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	int error = judge_alone(self, message);

	if (error)
		return error;
	if (is_resent(message))
		return judge_resent(self, message);
	if (message->kind == GPUTM_COMMIT_VERDICT)
		return judge_verdicts(self, message);
	return judge_log(self, message);
}

static inline const struct gputm__commit_inbox *
inbox_of(const struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	return is_resent(message) ? &self->resent : &self->input;
}

int gputm_commit_unit_push_probe(const struct gputm_commit_unit *self,
				 const struct gputm_commit_message *message)
{
	const struct gputm__commit_inbox *in = inbox_of(self, message);
	int error = judge(self, message);

	if (error)
		return error;
	return in->count == in->depth ? GPUTM_COMMIT_UNIT_FULL : GPUTM_COMMIT_UNIT_ACCEPTED;
}

/* ---- pushing ---- */

/* The first message of a warp names its entries. */
static void name_warp(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	for (uint32_t lane = 0; lane < message->lanes; lane++) {
		struct gputm__commit_entry *entry =
			gputm__commit_at(self, message->first_cid + lane);

		entry->lane = (uint8_t)lane;
		entry->lanes = (uint8_t)message->lanes;
	}
	gputm__maximum(&self->head, message->first_cid + message->lanes);
	gputm__maximum(&self->span_max, self->head - self->oldest);
}

static void note_resent(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	struct gputm__commit_entry *entry =
		gputm__commit_at(self, message->first_cid + gputm__lowest(message->mask));

	entry->answered += message->words;
	if (message->kind == GPUTM_COMMIT_RESENT_DONE)
		entry->flags |= GPUTM__ANSWERED;
}

/* The mask of the warp that says so of lanes for which such a message has been pushed. */
static inline uint64_t *noted(const struct gputm_commit_unit *self,
			      const struct gputm_commit_message *message)
{
	struct gputm__commit_warp *warp = warp_of(self, message);

	if (message->kind <= GPUTM_COMMIT_WRITE_LOG)
		return &warp->words;
	return message->kind == GPUTM_COMMIT_DONE ? &warp->closed : &warp->judged;
}

/* Of a warp that has retired, only verdicts are still accepted. */
static inline bool is_history(const struct gputm_commit_unit *self,
			      const struct gputm_commit_message *message)
{
	return message->first_cid + message->lanes <= self->oldest;
}

static void note(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	if (is_history(self, message))
		return;
	if (!gputm__commit_at(self, message->first_cid + message->lanes - 1)->lanes)
		name_warp(self, message);
	if (is_resent(message))
		note_resent(self, message);
	else
		*noted(self, message) |= message->mask;
}

size_t gputm_commit_message_size(const struct gputm_commit_message *message)
{
	return offsetof(struct gputm_commit_message, word) +
	       message->words * sizeof(message->word[0]);
}

int gputm_commit_unit_push(struct gputm_commit_unit *self,
			   const struct gputm_commit_message *message)
{
	int answer = gputm_commit_unit_push_probe(self, message);
	struct gputm__commit_inbox *in = is_resent(message) ? &self->resent : &self->input;
	uint32_t at;

	self->messages_full += answer == GPUTM_COMMIT_UNIT_FULL;
	if (answer != GPUTM_COMMIT_UNIT_ACCEPTED)
		return answer;
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
	const struct gputm__commit_entry *entry = gputm__commit_at(self, cid);

	if (cid < self->oldest)
		return message->kind == GPUTM_COMMIT_VERDICT;
	if (message->kind <= GPUTM_COMMIT_DONE)
		return entry->stage <= GPUTM_COMMIT_FILL;
	return entry->body && (message->kind == GPUTM_COMMIT_VERDICT ||
			       entry->asked == message->purpose + 1);
}

bool gputm__commit_queueable(const struct gputm_commit_unit *self,
			     const struct gputm_commit_message *message)
{
	if (judge_alone(self, message))
		return false;
	if (!is_history(self, message) && !is_resent(message) &&
	    message->mask & ~*noted(self, message))
		return false;
	for (uint64_t left = message->mask; left; left &= left - 1)
		if (!queued_lane_fits(self, message, message->first_cid + gputm__lowest(left)))
			return false;
	return true;
}
