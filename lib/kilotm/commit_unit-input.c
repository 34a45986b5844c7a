/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input of the commit unit. A message is judged and marks its slots when it is pushed; it
 * takes effect when it is consumed, at the end of a tick.
 */
#include "lib/kilotm/commit_unit-can.h"

/* ---- pushing ---- */

static const struct gputm__commit_inbox *inbox_of(const struct gputm_commit_unit *self,
						  const struct gputm_commit_message *message)
{
	return message->kind >= GPUTM_COMMIT_RESENT ? &self->resent : &self->input;
}

int gputm_commit_unit_push_probe(const struct gputm_commit_unit *self,
				 const struct gputm_commit_message *message)
{
	int error = gputm__commit_judge(self, message);
	const struct gputm__commit_inbox *in;

	if (error)
		return error;
	in = inbox_of(self, message);
	return in->count == in->depth ? GPUTM_COMMIT_UNIT_FULL : GPUTM_COMMIT_UNIT_ACCEPTED;
}

/* The first message of a warp names its slots, and marks those it speaks of. */
static void name_warp(struct gputm_commit_unit *self, const struct gputm_commit_message *message,
		      uint8_t mark)
{
	uint64_t cid = message->first_cid, mask = message->mask;
	struct gputm__commit_slot slot = { GPUTM_COMMIT_UNUSED, 0, 0, (uint8_t)message->lanes };

	for (; slot.lane < slot.lanes; slot.lane++, cid++, mask >>= 1) {
		slot.mark = mask & 1 ? mark : 0;
		self->slot[gputm__commit_index(self, cid)] = slot;
	}
	self->slot[gputm__commit_index(self, cid - 1)].mark |= GPUTM__LAST;
	gputm__maximum(&self->head, cid);
	gputm__maximum(&self->span_max, self->head - self->oldest);
}

/* All words are of lanes that are not older than the oldest entry. */
static void mark_words(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	const struct gputm_commit_word *word = message->word, *end = word + message->words;
	uint32_t first = (uint32_t)message->first_cid, mask = self->mask;
	struct gputm__commit_slot *slot = self->slot;

	for (; word != end; word++)
		slot[(first + word->lane) & mask].mark |= GPUTM__WORDS;
}

static void mark_lanes(struct gputm_commit_unit *self, const struct gputm_commit_message *message,
		       uint8_t mark)
{
	for (uint64_t left = message->mask; left; left &= left - 1) {
		uint64_t cid = message->first_cid + gputm__lowest(left);

		if (cid >= self->oldest)
			self->slot[gputm__commit_index(self, cid)].mark |= mark;
	}
}

static void note(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	static const uint8_t marks[] = { GPUTM__WORDS,	GPUTM__WORDS, GPUTM__CLOSED,
					 GPUTM__JUDGED, 0,	      GPUTM__ANSWERED };
	uint64_t first = message->first_cid;

	if (first + message->lanes > self->oldest && gputm__commit_is_new(self, message))
		name_warp(self, message, marks[message->kind]);
	else if (message->kind <= GPUTM_COMMIT_WRITE_LOG)
		mark_words(self, message);
	else
		mark_lanes(self, message, marks[message->kind]);
	if (message->kind == GPUTM_COMMIT_RESENT)
		self->entry[gputm__commit_index(self, first + gputm__lowest(message->mask))]
			.answered += message->words;
}

int gputm_commit_unit_push(struct gputm_commit_unit *self,
			   const struct gputm_commit_message *message)
{
	struct gputm__commit_inbox *in =
		message->kind >= GPUTM_COMMIT_RESENT ? &self->resent : &self->input;
	int error = gputm__commit_judge(self, message);
	uint32_t at;

	if (error)
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

static void pop(struct gputm__commit_inbox *in)
{
	in->word = 0;
	in->count--;
	if (++in->head == in->depth)
		in->head = 0;
}

/* ---- consuming ---- */

static void note_active(struct gputm_commit_unit *self, uint64_t entries)
{
	self->active += entries;
	gputm__maximum(&self->active_max, self->active);
}

static void begin(struct gputm_commit_unit *self, const struct gputm_commit_message *message,
		  unsigned lane)
{
	uint32_t index = gputm__commit_index(self, message->first_cid + lane);
	struct gputm__commit_entry *entry = &self->entry[index];

	self->slot[index].mark |= GPUTM__BODY;
	gputm__commit_stage(self, index, GPUTM_COMMIT_FILL);
	entry->rcid = self->oldest;
	entry->ycid = 0;
	entry->pending = entry->words[0] = entry->words[1] = entry->answered = 0;
	entry->buffer[0] = entry->buffer[1] = GPUTM__NONE;
	entry->flags = entry->asked = 0;
	if (self->config.buffer_policy <= GPUTM_COMMIT_BUFFERS_ACCESSED) {
		gputm__commit_take_buffer(self, index, 0);
		gputm__commit_take_buffer(self, index, 1);
	}
	self->begun++;
	note_active(self, 1);
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_BEGUN, message->first_cid + lane, entry->rcid, 0,
		    0);
}

static void consume_word(struct gputm_commit_unit *self, const struct gputm_commit_message *message,
			 const struct gputm_commit_word *word)
{
	uint32_t index = gputm__commit_index(self, message->first_cid + word->lane);

	if (self->slot[index].stage == GPUTM_COMMIT_UNUSED)
		begin(self, message, word->lane);
	if (message->kind == GPUTM_COMMIT_WRITE_LOG) {
		self->writes++;
		gputm__commit_keep(self, index, 1, word->address, word->value);
		return;
	}
	self->reads++;
	gputm__commit_keep(self, index, 0, word->address, word->value);
	gputm__commit_send(self, 0, index, word->address, word->value);
}

static void hold_buffers(struct gputm_commit_unit *self, uint32_t index)
{
	self->slot[index].mark |= GPUTM__HOLDS;
	self->entry[index].buffer[0] = self->entry[index].buffer[1] = GPUTM__NONE;
	gputm__commit_take_buffer(self, index, 0);
	gputm__commit_take_buffer(self, index, 1);
}

static void consume_skips(struct gputm_commit_unit *self, uint64_t first, uint64_t skips)
{
	bool hold = self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_ALL;

	if (gputm__mutant(GPUTM__MUTANT_FORGET_SKIP))
		return;
	self->skips += gputm__popcount(skips);
	note_active(self, gputm__popcount(skips));
	for (; skips; skips &= skips - 1) {
		uint32_t index = gputm__commit_index(self, first + gputm__lowest(skips));

		self->slot[index].stage = GPUTM_COMMIT_FINISHED;
		if (hold)
			hold_buffers(self, index);
	}
}

static void close_logs(struct gputm_commit_unit *self, const struct gputm_commit_message *message,
		       unsigned lane)
{
	uint32_t index = gputm__commit_index(self, message->first_cid + lane);

	if (self->slot[index].stage == GPUTM_COMMIT_UNUSED)
		begin(self, message, lane);
	gputm__sample(&self->fill_cycles, gputm__commit_waited(self, index));
	gputm__commit_stage(self, index, GPUTM_COMMIT_HAZARD);
}

/* Every lane that is no skip may have been decided before the last skip was known. */
static void note_group(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	uint64_t first = message->first_cid;
	struct gputm__commit_group *group =
		&self->group[gputm__commit_index(self, first + message->lanes - 1)];

	group->seen |= message->mask;
	group->active |= message->yes;
	if (group->active && group->active == group->decided &&
	    group->seen == gputm__low_mask(message->lanes))
		gputm__commit_append(
			self, &self->finalise,
			gputm__commit_index(self, first + gputm__lowest(group->active)));
}

static void consume_done(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	for (uint64_t left = message->yes; left; left &= left - 1)
		close_logs(self, message, gputm__lowest(left));
	if (message->mask != message->yes)
		consume_skips(self, message->first_cid, message->mask & ~message->yes);
	if (self->config.warp_mode)
		note_group(self, message);
}

static void judge_entry(struct gputm_commit_unit *self, uint64_t cid, bool passed)
{
	uint32_t index = gputm__commit_index(self, cid);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_VERDICT, cid, passed, 0, 0);
	if (cid < self->oldest || self->slot[index].stage != GPUTM_COMMIT_WAIT) {
		self->absorbed++;
		return;
	}
	gputm__sample(&self->verdict_cycles, gputm__commit_waited(self, index));
	if (!passed) {
		gputm__commit_finish(self, index);
		return;
	}
	gputm__commit_stage(self, index, GPUTM_COMMIT_READY);
	if (gputm__mutant(GPUTM__MUTANT_DISORDER) && !self->config.warp_mode &&
	    !gputm__commit_unbounded(&self->entry[index], 1) &&
	    gputm__commit_room(self, 1) >= self->entry[index].words[1])
		gputm__commit_issue(self, index);
}

static void consume_verdict(struct gputm_commit_unit *self,
			    const struct gputm_commit_message *message)
{
	for (uint64_t left = message->mask; left; left &= left - 1) {
		unsigned lane = gputm__lowest(left);

		judge_entry(self, message->first_cid + lane, message->yes >> lane & 1);
	}
}

static void consume_row(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	for (uint32_t n = 0; n < message->words; n++)
		consume_word(self, message, &message->word[n]);
	gputm__commit_flush(self, 0);
}

/* What is consumed in a cycle, whatever its length. */
GPUTM__APART static bool consume_whole(struct gputm_commit_unit *self,
				       const struct gputm_commit_message *message)
{
	if (!gputm__commit_fits(self, message))
		return false;
	if (message->kind == GPUTM_COMMIT_VERDICT)
		consume_verdict(self, message);
	else if (message->kind == GPUTM_COMMIT_DONE)
		consume_done(self, message);
	else
		consume_row(self, message);
	pop(&self->input);
	return true;
}

static inline bool consumed(struct gputm__commit_inbox *in,
			    const struct gputm_commit_message *message)
{
	if (++in->word == message->words)
		pop(in);
	return true;
}

/* A word that lacks its entry, its buffer or room in it: the straight line may serve it then. */
GPUTM__APART static bool consume_first(struct gputm_commit_unit *self,
				       const struct gputm_commit_message *message)
{
	const struct gputm_commit_word *word = &message->word[self->input.word];
	uint32_t index = gputm__commit_index(self, message->first_cid + word->lane);

	if (self->slot[index].stage == GPUTM_COMMIT_UNUSED)
		begin(self, message, word->lane);
	if (gputm__commit_has_room(self, &self->entry[index], (int)message->kind) ||
	    gputm__commit_make_room(self, index, (int)message->kind))
		return gputm__commit_input(self);
	consume_word(self, message, word);
	return consumed(&self->input, message);
}

/* Straight-line code serves a word of an entry that has a buffer with room for it. */
static inline bool input_word(struct gputm_commit_unit *self,
			      const struct gputm_commit_message *message, int log)
{
	const struct gputm_commit_word *word = &message->word[self->input.word];
	uint32_t index = gputm__commit_index(self, message->first_cid + word->lane);
	struct gputm__commit_entry *entry = &self->entry[index];

	if (self->slot[index].stage == GPUTM_COMMIT_UNUSED ||
	    !gputm__commit_has_room(self, entry, log))
		return consume_first(self, message);
	gputm__commit_store(self, entry, log, word->address, word->value);
	if (log) {
		self->writes++;
		return consumed(&self->input, message);
	}
	self->reads++;
	entry->pending++;
	gputm__commit_put(&self->port[0], index, word->address, word->value, 1);
	return consumed(&self->input, message);
}

bool gputm__commit_input(struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = gputm__commit_front(&self->input);

	if (message->kind > GPUTM_COMMIT_WRITE_LOG || self->config.warp_mode)
		return consume_whole(self, message);
	if (message->kind == GPUTM_COMMIT_WRITE_LOG)
		return input_word(self, message, 1);
	return gputm__commit_room(self, 0) && input_word(self, message, 0);
}

/* ---- resent logs ---- */

static uint32_t resent_index(const struct gputm_commit_unit *self,
			     const struct gputm_commit_message *message)
{
	return gputm__commit_index(self, message->first_cid + gputm__lowest(message->mask));
}

static void finish_resent(struct gputm_commit_unit *self,
			  const struct gputm_commit_message *message)
{
	uint32_t index = resent_index(self, message);

	self->entry[index].asked = 0;
	if (message->purpose == GPUTM_COMMIT_FOR_REVALIDATE)
		gputm__commit_settle(self, index);
	else if (message->purpose == GPUTM_COMMIT_FOR_COMMIT)
		gputm__commit_issue(self, index);
}

static void consume_resent_word(struct gputm_commit_unit *self,
				const struct gputm_commit_message *message)
{
	const struct gputm_commit_word *word = &message->word[self->resent.word++];
	uint32_t index = resent_index(self, message);
	int port = gputm__commit_port_of(message->purpose);

	self->words_resent++;
	if (port < 0) {
		gputm__commit_detect(self, index, word->address);
		return;
	}
	if (port)
		self->reissued++;
	else
		self->requeued++;
	gputm__commit_send(self, port, index, word->address, word->value);
}

void gputm__commit_resent(struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = gputm__commit_front(&self->resent);
	int port = gputm__commit_port_of(message->purpose);
	uint32_t words = port < 0 ? self->config.hazard_rate : 1;

	if (message->kind == GPUTM_COMMIT_RESENT_DONE) {
		finish_resent(self, message);
		pop(&self->resent);
		return;
	}
	if (port >= 0 && self->config.warp_mode)
		words = message->words;
	while (words-- && self->resent.word < message->words)
		consume_resent_word(self, message);
	if (port >= 0)
		gputm__commit_flush(self, port);
	if (self->resent.word == message->words)
		pop(&self->resent);
}
