/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_UNIT_MOVES_H
#define GPUTM_LIB_KILOTM_COMMIT_UNIT_MOVES_H
/* Moves that every entry makes, whichever file it is in at that moment. */
#include "lib/kilotm/commit_unit-priv.h"

static inline void gputm__commit_note_active(struct gputm_commit_unit *self, uint64_t entries)
{
	self->active += entries;
	gputm__maximum(&self->active_max, self->active);
}

static inline void gputm__commit_pop(struct gputm__commit_inbox *in)
{
	in->word = 0;
	in->count--;
	if (++in->head == in->depth)
		in->head = 0;
}

/* ---- buffers ---- */

static inline bool gputm__commit_take_buffer(struct gputm_commit_unit *self,
					     struct gputm__commit_entry *entry, uint32_t log)
{
	uint32_t buffer = self->buffer_free;

	if (buffer != GPUTM__NONE) {
		self->buffer_free = self->kept[buffer].value;
	} else if (self->buffer_fresh < self->buffer_end) {
		buffer = self->buffer_fresh;
		self->buffer_fresh += self->config.buffer_words;
	} else {
		return false;
	}
	entry->buffer[log] = buffer;
	entry->limit[log] = (uint8_t)self->config.buffer_words;
	gputm__maximum(&self->buffers_max, ++self->buffers_used);
	return true;
}

static inline void gputm__commit_drop_buffer(struct gputm_commit_unit *self,
					     struct gputm__commit_entry *entry, uint32_t log)
{
	if (!entry->limit[log])
		return;
	self->kept[entry->buffer[log]].value = self->buffer_free;
	self->buffer_free = entry->buffer[log];
	entry->limit[log] = 0;
	self->buffers_used--;
}

/* ---- words ---- */

/* Words that are kept or at a port have the place of their entry as their lane. */
static inline void gputm__commit_copy(struct gputm_commit_word *to,
				      const struct gputm_commit_word *word, uint32_t index)
{
	*to = *word;
	to->lane = index;
}

/* Keep one more word of the log; there is room in its buffer. */
static inline void gputm__commit_store(struct gputm_commit_unit *self, uint32_t index,
				       uint32_t log, const struct gputm_commit_word *word)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	gputm__commit_copy(&self->kept[entry->buffer[log] + entry->words[log]++], word, index);
}

static inline void gputm__commit_put(struct gputm__commit_port *port, uint32_t index,
				     const struct gputm_commit_word *word)
{
	gputm__commit_copy(&port->word[port->filled++ & port->mask], word, index);
}

/* Neighbours mostly share their region. */
static inline void gputm__commit_collect(struct gputm_commit_unit *self, uint32_t index,
					 const struct gputm_commit_word *word)
{
	struct gputm__commit_gather *g = &self->gather;
	uint64_t base = word->address & self->region_mask;
	uint32_t n = g->words++;

	if (!g->regions || g->region[g->current].address != base)
		gputm__commit_to_region(g, base);
	g->region[g->current].count++;
	g->of[n] = g->current;
	g->word[n] = *word;
	g->word[n].lane = index;
}

/* Queue the log of an entry at the port of its number; in warp mode, collect it for flush. */
static GPUTM__INLINE void gputm__commit_send_buffer(struct gputm_commit_unit *self, uint32_t log,
						    uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];
	struct gputm__commit_port *port = &self->port[log];
	const struct gputm_commit_word *word = &self->kept[entry->buffer[log]];
	uint32_t at = (uint32_t)port->filled, mask = port->mask, left = entry->words[log];
	struct gputm_commit_word *queue = port->word;

	entry->pending += left;
	if (GPUTM__UNLIKELY(self->config.warp_mode)) {
		gputm__commit_collect_buffer(self, log, index);
		return;
	}
	port->filled += left;
	for (; left; left--)
		queue[at++ & mask] = *word++;
}

/* ---- pending writes ---- */

static inline uint32_t *gputm__commit_pending(const struct gputm_commit_unit *self,
						 uint64_t address)
{
	return &self->pending[address >> self->pending_shift & (self->config.pending_entries - 1)];
}

/* Count the entry's write-set, once more or (UINT32_MAX) once less. */
static inline void gputm__commit_pend(struct gputm_commit_unit *self, uint32_t index,
				      uint32_t amount)
{
	const struct gputm_commit_word *word;

	if (gputm__commit_unbounded(&self->entry[index], 1)) {
		self->pending_unbounded += amount == 1 ? UINT64_C(1) : UINT64_MAX;
		return;
	}
	word = &self->kept[self->entry[index].buffer[1]];
	for (uint32_t n = self->entry[index].words[1]; n--; word++)
		*gputm__commit_pending(self, word->address) += amount;
}

/* ---- stages ---- */

static inline void gputm__commit_count(struct gputm_commit_unit *self, uint32_t index)
{
	if (!self->config.pending_block || !self->entry[index].words[1])
		return;
	self->entry[index].flags |= GPUTM__COUNTED;
	gputm__commit_pend(self, index, 1);
}

static inline void gputm__commit_uncount(struct gputm_commit_unit *self, uint32_t index)
{
	if (!(self->entry[index].flags & GPUTM__COUNTED))
		return;
	self->entry[index].flags &= (uint8_t)~GPUTM__COUNTED;
	gputm__commit_pend(self, index, UINT32_MAX);
}

static inline void gputm__commit_stage(struct gputm_commit_unit *self, uint32_t index,
				       uint8_t stage)
{
	self->slot[index].stage = stage;
	self->entry[index].since = self->now;
}

/* Ticks that the statistics know of. */
static inline uint64_t gputm__commit_cycle(const struct gputm_commit_unit *self)
{
	return self->now - self->cycles_from;
}

static inline uint64_t gputm__commit_waited(const struct gputm_commit_unit *self, uint32_t index)
{
	return self->now - self->entry[index].since;
}

/* Move an entry on whose validation may be complete. */
static inline void gputm__commit_settle(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	if (self->slot[index].stage != GPUTM_COMMIT_VALIDATE || entry->pending || entry->asked)
		return;
	if (!(entry->flags & GPUTM__HAZARDOUS)) {
		gputm__sample(&self->validate_cycles, gputm__commit_waited(self, index));
		gputm__commit_stage(self, index, GPUTM_COMMIT_FINALISE);
		gputm__commit_append(self, &self->finalise, index);
		self->may |= GPUTM__MAY_FINALISE;
	} else if (entry->flags & GPUTM__WOKEN) {
		gputm__commit_append(self, &self->revalidate, index);
		self->may |= GPUTM__MAY_REVALIDATE;
	}
}

/* Failed, or all its writes have completed. */
static inline void gputm__commit_finish(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	gputm__commit_stage(self, index, GPUTM_COMMIT_FINISHED);
	self->may |= GPUTM__MAY_RETIRE;
	if (entry->flags & GPUTM__COMMITTED)
		return;
	self->may |= GPUTM__MAY_COMMIT;
	gputm__commit_uncount(self, index);
	if (self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_NEEDED)
		gputm__commit_drop_buffer(self, entry, 1);
}

#endif /* GPUTM_LIB_KILOTM_COMMIT_UNIT_MOVES_H */
