/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input of the commit unit. A message is judged and marks its slots when it is pushed; it
 * takes effect when it is consumed, at the end of a tick.
 */
#include "lib/kilotm/commit_unit-can.h"
#include "lib/kilotm/commit_unit-moves.h"

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

int gputm_commit_unit_push(struct gputm_commit_unit *self,
			   const struct gputm_commit_message *message)
{
	struct gputm__commit_inbox *in =
		message->kind >= GPUTM_COMMIT_RESENT ? &self->resent : &self->input;
	int error = gputm__commit_judge(self, message);
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

static void begin(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	self->slot[index].mark |= GPUTM__BODY;
	gputm__commit_stage(self, index, GPUTM_COMMIT_FILL);
	entry->rcid = self->oldest;
	entry->ycid = 0;
	entry->pending = 1;
	entry->words[0] = entry->words[1] = entry->answered = 0;
	entry->flags = entry->asked = 0;
	if (self->config.buffer_policy <= GPUTM_COMMIT_BUFFERS_ACCESSED) {
		gputm__commit_take_buffer(self, entry, 0);
		gputm__commit_take_buffer(self, entry, 1);
	}
	self->begun++;
	note_active(self, 1);
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_BEGUN, gputm__commit_cid(self, index),
		    entry->rcid, 0, 0);
}

/* There is no room in the buffer, or no buffer yet: whether there is room now. */
static inline bool make_room(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
			     uint32_t log)
{
	if (gputm__commit_unbounded(entry, log))
		return false;
	if (!entry->limit[log] && gputm__commit_take_buffer(self, entry, log))
		return true;
	entry->flags |= (uint8_t)(GPUTM__OVERFLOW << log);
	self->overflows++;
	if (self->config.buffer_policy >= GPUTM_COMMIT_BUFFERS_USED)
		gputm__commit_drop_buffer(self, entry, log);
	return false;
}

/* A word that may lack its entry, its buffer or room in it; the log may become unbounded. */
static GPUTM__INLINE void place_word(struct gputm_commit_unit *self, uint32_t index, uint32_t log,
				     const struct gputm_commit_word *word)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	if (self->slot[index].stage == GPUTM_COMMIT_UNUSED)
		begin(self, index);
	if (entry->words[log] < entry->limit[log] || make_room(self, entry, log))
		gputm__commit_store(self, index, log, word);
	else
		entry->words[log]++;
}

GPUTM__APART static void place_apart(struct gputm_commit_unit *self, uint32_t index, uint32_t log,
				     const struct gputm_commit_word *word)
{
	place_word(self, index, log, word);
}

static void hold_buffers(struct gputm_commit_unit *self, uint32_t index)
{
	self->slot[index].mark |= GPUTM__HOLDS;
	gputm__commit_take_buffer(self, &self->entry[index], 0);
	gputm__commit_take_buffer(self, &self->entry[index], 1);
}

static void consume_skips(struct gputm_commit_unit *self, uint64_t first, uint64_t skips)
{
	bool hold = self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_ALL;

	if (gputm__mutant(GPUTM__MUTANT_FORGET_SKIP))
		return;
	self->may |= GPUTM__MAY_COMMIT | GPUTM__MAY_RETIRE;
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
		begin(self, index);
	gputm__sample(&self->fill_cycles, gputm__commit_waited(self, index));
	gputm__commit_stage(self, index, GPUTM_COMMIT_HAZARD);
}

/* Every lane that is no skip may have been decided before the last skip was known. */
static void note_warp(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	struct gputm__commit_warp *warp = &self->warp[gputm__commit_last(self, message)];
	uint64_t first = message->first_cid;

	warp->seen |= message->mask;
	warp->active |= message->yes;
	if (warp->active && warp->active == warp->decided &&
	    warp->seen == gputm__low_mask(message->lanes)) {
		first += gputm__lowest(warp->active);
		gputm__commit_append(self, &self->finalise, gputm__commit_index(self, first));
		self->may |= GPUTM__MAY_FINALISE;
	}
}

static void consume_done(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	for (uint64_t left = message->yes; left; left &= left - 1)
		close_logs(self, message, gputm__lowest(left));
	if (message->mask != message->yes)
		consume_skips(self, message->first_cid, message->mask & ~message->yes);
	if (self->config.warp_mode)
		note_warp(self, message);
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
	self->may |= GPUTM__MAY_COMMIT;
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

/* A log message in warp mode. */
static void consume_row(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	const struct gputm_commit_word *word = message->word, *end = word + message->words;
	uint32_t log = message->kind, first = (uint32_t)message->first_cid;

	for (; word != end; word++) {
		uint32_t index = (first + word->lane) & self->mask;
		struct gputm__commit_entry *entry = &self->entry[index];

		if (GPUTM__LIKELY(entry->words[log] < entry->limit[log]))
			gputm__commit_store(self, index, log, word);
		else
			place_apart(self, index, log, word);
		if (log == GPUTM_COMMIT_WRITE_LOG)
			continue;
		entry->pending++;
		gputm__commit_collect(self, index, word);
	}
	self->consumed[log] += message->words;
	if (log == GPUTM_COMMIT_READ_LOG)
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

void gputm__commit_consumed(struct gputm_commit_unit *self)
{
	if (self->cursor.at == self->cursor.end)
		pop(&self->input);
}

bool gputm__commit_word(struct gputm_commit_unit *self)
{
	const struct gputm_commit_word *word = self->cursor.at;
	uint32_t index = (self->cursor.first + word->lane) & self->mask, log = self->cursor.log;

	if (log == GPUTM_COMMIT_READ_LOG && !gputm__commit_room(self, 0))
		return false;
	place_word(self, index, log, word);
	if (log == GPUTM_COMMIT_READ_LOG) {
		self->entry[index].pending++;
		gputm__commit_put(&self->port[0], index, word);
	}
	self->consumed[log]++;
	self->cursor.at++;
	self->input.word++;
	gputm__commit_consumed(self);
	return true;
}

bool gputm__commit_input(struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = gputm__commit_front(&self->input);

	if (message->kind > GPUTM_COMMIT_WRITE_LOG || self->config.warp_mode)
		return consume_whole(self, message);
	self->cursor.at = message->word + self->input.word;
	self->cursor.end = message->word + message->words;
	self->cursor.first = (uint32_t)message->first_cid;
	self->cursor.log = message->kind;
	return gputm__commit_word(self);
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
		gputm__commit_detect(self, word);
		return;
	}
	if (port)
		self->reissued++;
	else
		self->requeued++;
	gputm__commit_send(self, port, index, word);
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
