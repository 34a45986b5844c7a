/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log words of the commit unit on their way from a message to the buffers of their entries
 * and, if they were read, to the validation port: in scalar mode one a cycle, in warp mode a
 * message a cycle.
 */
#include "lib/kilotm/commit_unit-moves.h"

/* ---- entries and their buffers ---- */

static GPUTM__INLINE void make_entry(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	self->slot[index].mark |= GPUTM__BODY;
	gputm__commit_stage(self, index, GPUTM_COMMIT_FILL);
	entry->rcid = self->oldest;
	entry->ycid = 0;
	entry->pending = 1;
	entry->words[0] = entry->words[1] = entry->answered = 0;
	entry->flags = entry->asked = 0;
	self->begun++;
	gputm__commit_note_active(self, 1);
}

/* Whether an entry begins with nothing else to be done for it. */
static inline bool begins_alone(const struct gputm_commit_unit *self)
{
	return self->config.buffer_policy >= GPUTM_COMMIT_BUFFERS_USED && !self->unit.observe;
}

void gputm__commit_begin(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	make_entry(self, index);
	if (self->config.buffer_policy <= GPUTM_COMMIT_BUFFERS_ACCESSED) {
		gputm__commit_take_buffer(self, entry, 0);
		gputm__commit_take_buffer(self, entry, 1);
	}
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_BEGUN, gputm__commit_cid(self, index),
		    entry->rcid, gputm__commit_cycle(self), 0);
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

/* A word that may lack its entry, its buffer or room in it; the log may become unbounded. */
GPUTM__APART static bool place_any(struct gputm_commit_unit *self, uint32_t log, uint32_t index,
				   const struct gputm_commit_word *word)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	if (self->slot[index].stage == GPUTM_COMMIT_UNUSED)
		gputm__commit_begin(self, index);
	entry->pending += !log;
	if (entry->words[log] >= entry->limit[log] && !gputm__commit_unbounded(entry, log) &&
	    (entry->limit[log] || !gputm__commit_take_buffer(self, entry, log)))
		overflow(self, entry, log);
	if (gputm__commit_unbounded(entry, log))
		entry->words[log]++;
	else
		gputm__commit_store(self, index, log, word);
	return true;
}

/* Mostly there is room, or it is the first of its log and finds a buffer. */
static GPUTM__INLINE bool place(struct gputm_commit_unit *self, uint32_t log, uint32_t index,
				const struct gputm_commit_word *word)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	if (self->slot[index].stage == GPUTM_COMMIT_UNUSED && begins_alone(self))
		make_entry(self, index);
	if (self->slot[index].stage == GPUTM_COMMIT_UNUSED ||
	    (entry->words[log] >= entry->limit[log] &&
	     (entry->words[log] || entry->limit[log] ||
	      !gputm__commit_take_buffer(self, entry, log))))
		return place_any(self, log, index, word);
	entry->pending += !log;
	gputm__commit_store(self, index, log, word);
	return true;
}

GPUTM__APART static void place_apart(struct gputm_commit_unit *self, uint32_t log, uint32_t index,
				     const struct gputm_commit_word *word)
{
	place(self, log, index, word);
}

/* ---- scalar mode: a word a cycle ---- */

/*
 * Words that find their entry and room in its buffer are placed at once; input_due is the
 * cycle in which all have had their turn, up to which the port shows one more each cycle.
 * The last word is not among them: it frees the message's place.
 */
static GPUTM__INLINE bool place_run(struct gputm_commit_unit *self, bool read)
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
	self->consumed[!read] += count;
	self->input.word += count;
	self->input_due = self->now + count;
	self->port[0].filled += read;
	return true;
}

GPUTM__APART static bool place_reads(struct gputm_commit_unit *self)
{
	return place_run(self, true);
}

GPUTM__APART static bool place_writes(struct gputm_commit_unit *self)
{
	return place_run(self, false);
}

static GPUTM__INLINE bool consume(struct gputm_commit_unit *self, uint32_t log)
{
	const struct gputm_commit_word *word = self->cursor.at;
	uint32_t index = (self->cursor.first + word->lane) & self->mask;
	const struct gputm__commit_entry *entry = &self->entry[index];

	if (!log && !gputm__commit_room(self, 0))
		return false;
	if (entry->words[log] < entry->limit[log] && word + 1 != self->cursor.end &&
	    self->now < GPUTM__LATE)
		return log ? place_writes(self) : place_reads(self);
	if (!log)
		gputm__commit_put(&self->port[0], index, word);
	self->consumed[log]++;
	self->input.word++;
	if (++self->cursor.at == self->cursor.end)
		gputm__commit_pop(&self->input);
	return place(self, log, index, word);
}

bool gputm__commit_word(struct gputm_commit_unit *self)
{
	return self->cursor.log ? consume(self, GPUTM_COMMIT_WRITE_LOG)
				: consume(self, GPUTM_COMMIT_READ_LOG);
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
		to->fits &= region > to->region;
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
			entry->pending += !log;
			gputm__commit_copy(&kept[entry->buffer[log] + n], word, index);
		} else {
			place_apart(self, log, index, word);
		}
		if (log == GPUTM_COMMIT_READ_LOG)
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

void gputm__commit_row(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	if (message->kind == GPUTM_COMMIT_READ_LOG)
		consume_read_row(self, message);
	else
		place_row(self, GPUTM_COMMIT_WRITE_LOG, message, NULL);
	self->consumed[message->kind] += message->words;
}
