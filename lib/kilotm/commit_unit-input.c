/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input of the commit unit: a message takes effect when it is consumed, at the end of a tick.
 */
#include "lib/kilotm/commit_unit-can.h"
#include "lib/kilotm/commit_unit-moves.h"

#define LATE (UINT64_C(1) << 63) /* from this cycle on no other is ever noted */

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

/* ---- warp mode: a message a cycle ---- */

/* What is queued at the validation port if its regions come in ascending order. */
struct straight {
	struct gputm__commit_port *port;
	uint64_t at, first, region; /* of the last request */
	bool fits;
};

static GPUTM__INLINE void queue_straight(struct straight *to, uint64_t region, uint32_t index,
					 const struct gputm_commit_word *word)
{
	struct gputm__commit_port *port = to->port;
	uint64_t at = to->at++;

	if (region != to->region) {
		to->fits &= at == port->filled || region > to->region;
		port->span[to->first & port->mask] = (uint32_t)(at - to->first);
		to->first = at;
		to->region = region;
	}
	port->span[at & port->mask] = 0;
	gputm__commit_copy(&port->word[at & port->mask], word, index);
}

static GPUTM__INLINE void place_row(struct gputm_commit_unit *self, uint32_t log,
				    const struct gputm_commit_message *message,
				    struct straight *to)
{
	const struct gputm_commit_word *word = message->word, *end = word + message->words;
	struct gputm_commit_word *kept = self->kept;
	uint32_t first = (uint32_t)message->first_cid, mask = self->mask;

	for (; word != end; word++) {
		uint32_t index = (first + word->lane) & mask;
		struct gputm__commit_entry *entry = &self->entry[index];
		uint32_t n = entry->words[log];

		if (GPUTM__LIKELY(n < entry->limit[log])) {
			entry->words[log] = n + 1;
			gputm__commit_copy(&kept[entry->buffer[log] + n], word, index);
		} else {
			place_apart(self, index, log, word);
		}
		if (log == GPUTM_COMMIT_WRITE_LOG)
			continue;
		entry->pending++;
		queue_straight(to, word->address & self->region_mask, index, word);
	}
}

/* Neighbours mostly share their region, and regions ascend; else they have to be sorted. */
static void consume_read_row(struct gputm_commit_unit *self,
			     const struct gputm_commit_message *message)
{
	struct gputm__commit_port *port = &self->port[0];
	struct straight to = { port, port->filled, port->filled, message->word->address, true };
	uint32_t first = (uint32_t)message->first_cid;

	to.region &= self->region_mask;
	place_row(self, GPUTM_COMMIT_READ_LOG, message, &to);
	if (GPUTM__LIKELY(to.fits)) {
		port->span[to.first & port->mask] = (uint32_t)(to.at - to.first);
		port->filled = to.at;
		return;
	}
	for (uint32_t n = 0; n < message->words; n++)
		gputm__commit_collect(self, (first + message->word[n].lane) & self->mask,
				      &message->word[n]);
	gputm__commit_flush(self, 0);
}

static void consume_row(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	if (message->kind == GPUTM_COMMIT_READ_LOG)
		consume_read_row(self, message);
	else
		place_row(self, GPUTM_COMMIT_WRITE_LOG, message, NULL);
	self->consumed[message->kind] += message->words;
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

/* ---- scalar mode: a word a cycle ---- */

/*
 * Words that find their entry and room in its buffer are placed at once; input_due is the
 * cycle in which all have had their turn, up to which the port shows one more each cycle.
 * The last word is not among them: it frees the message's place.
 */
static GPUTM__INLINE uint32_t place_run(struct gputm_commit_unit *self, bool read)
{
	struct gputm__commit_cursor *cursor = &self->cursor;
	struct gputm__commit_entry *entries = self->entry;
	struct gputm_commit_word *queue = self->port[0].word, *kept = self->kept;
	const struct gputm_commit_word *word = cursor->at, *end = cursor->end - 1;
	uint64_t at = self->port[0].filled, room = gputm__commit_room(self, 0);
	uint32_t first = cursor->first, mask = self->mask, wrap = self->port[0].mask, count;

	if (read && (uint64_t)(end - word) > room)
		end = word + room;
	for (; word < end; word++) {
		uint32_t index = (first + word->lane) & mask;
		struct gputm__commit_entry *entry = &entries[index];
		uint32_t n = entry->words[!read];

		if (n >= entry->limit[!read])
			break;
		entry->words[!read] = n + 1;
		gputm__commit_copy(&kept[entry->buffer[!read] + n], word, index);
		if (!read)
			continue;
		entry->pending++;
		gputm__commit_copy(&queue[at++ & wrap], word, index);
	}
	count = (uint32_t)(word - cursor->at);
	cursor->at = word;
	return count;
}

static GPUTM__INLINE bool note_ahead(struct gputm_commit_unit *self, uint32_t log, uint32_t words)
{
	self->consumed[log] += words;
	self->input.word += words;
	self->input_due = self->cycles + words;
	self->port[0].filled += !log;
	return true;
}

/* A word that may lack its entry or its buffer, or is the last one. */
static GPUTM__INLINE bool consume_word(struct gputm_commit_unit *self, uint32_t log, uint32_t index)
{
	const struct gputm_commit_word *word = self->cursor.at++;

	place_word(self, index, log, word);
	if (log == GPUTM_COMMIT_READ_LOG) {
		self->entry[index].pending++;
		gputm__commit_put(&self->port[0], index, word);
	}
	self->consumed[log]++;
	self->input.word++;
	if (self->cursor.at == self->cursor.end)
		pop(&self->input);
	return true;
}

/* This cycle's word, which has its place, and what can be placed ahead with it. */
GPUTM__APART static bool consume_reads(struct gputm_commit_unit *self)
{
	return note_ahead(self, 0, place_run(self, true));
}

GPUTM__APART static bool consume_writes(struct gputm_commit_unit *self)
{
	return note_ahead(self, 1, place_run(self, false));
}

static GPUTM__INLINE bool consume(struct gputm_commit_unit *self, uint32_t log)
{
	const struct gputm_commit_word *word = self->cursor.at;
	uint32_t index = (self->cursor.first + word->lane) & self->mask;
	const struct gputm__commit_entry *entry = &self->entry[index];

	if (log == GPUTM_COMMIT_READ_LOG && !gputm__commit_room(self, 0))
		return false;
	if (entry->words[log] >= entry->limit[log] || word + 1 == self->cursor.end ||
	    self->cycles >= LATE)
		return consume_word(self, log, index);
	return log == GPUTM_COMMIT_READ_LOG ? consume_reads(self) : consume_writes(self);
}

/* Out of line, as they need more registers than the runs. */
GPUTM__APART static bool consume_read(struct gputm_commit_unit *self)
{
	return consume(self, GPUTM_COMMIT_READ_LOG);
}

GPUTM__APART static bool consume_write(struct gputm_commit_unit *self)
{
	return consume(self, GPUTM_COMMIT_WRITE_LOG);
}

GPUTM__APART static bool begin_message(struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = gputm__commit_front(&self->input);

	if (message->kind > GPUTM_COMMIT_WRITE_LOG || self->config.warp_mode)
		return consume_whole(self, message);
	self->cursor.at = message->word + self->input.word;
	self->cursor.end = message->word + message->words;
	self->cursor.first = (uint32_t)message->first_cid;
	self->cursor.log = message->kind;
	return message->kind == GPUTM_COMMIT_READ_LOG ? consume_read(self) : consume_write(self);
}

bool gputm__commit_input(struct gputm_commit_unit *self)
{
	if (self->cursor.at == self->cursor.end)
		return begin_message(self);
	return self->cursor.log == GPUTM_COMMIT_READ_LOG ? consume_read(self)
							 : consume_write(self);
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
	if (!port)
		gputm__commit_take_back(self);
	while (words-- && self->resent.word < message->words)
		consume_resent_word(self, message);
	if (port >= 0)
		gputm__commit_flush(self, port);
	if (self->resent.word == message->words)
		pop(&self->resent);
}
