/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory side of the commit unit: the two ports with their words by sequence number,
 * coalescing, and the table behind write_pending().
 *
 * A port is one array used as a ring. A request is a run of words in it; its tag is
 * the sequence number of its first word and the port's number, so tags grow in the
 * order of emission. Room is given back in that order too: a word counts against
 * port_words until it and all words before it have completed.
 */
#include "lib/kilotm/commit_unit-moves.h"

/* ---- queueing ---- */

void gputm__commit_to_region(struct gputm__commit_gather *g, uint64_t base)
{
	uint32_t at = (uint32_t)(base * UINT64_C(0x9e3779b97f4a7c15) >> 32) & g->bucket_mask;

	while (g->bucket[at] && g->region[g->bucket[at] - 1].address != base)
		at = (at + 1) & g->bucket_mask;
	if (!g->bucket[at]) {
		g->region[g->regions] = (struct gputm__commit_region){ base, 0, 0, at };
		g->bucket[at] = ++g->regions;
	}
	g->current = g->bucket[at] - 1;
}

void gputm__commit_flush(struct gputm_commit_unit *self, int which)
{
	struct gputm__commit_gather *g = &self->gather;
	struct gputm__commit_region *region = g->region, *end = region + g->regions;
	struct gputm__commit_port *port = &self->port[which];

	for (; region != end; region++) {
		region->end = port->filled;
		port->filled += region->count;
	}
	for (uint32_t n = 0; n < g->words; n++) {
		uint64_t at = g->region[g->of[n]].end++ & port->mask;

		port->word[at] = g->word[n];
		port->span[at] = 0;
	}
	for (region = g->region; region != end; region++) {
		port->span[(region->end - region->count) & port->mask] = region->count;
		g->bucket[region->bucket] = 0;
	}
	g->regions = g->words = 0;
}

void gputm__commit_send_buffer(struct gputm_commit_unit *self, int port, uint32_t index)
{
	const struct gputm_commit_word *word = &self->kept[self->entry[index].buffer[port]];
	const struct gputm_commit_word *end = word + self->entry[index].words[port];

	self->entry[index].pending += self->entry[index].words[port];
	if (self->config.warp_mode)
		for (; word != end; word++)
			gputm__commit_collect(self, index, word);
	else
		for (; word != end; word++)
			gputm__commit_put(&self->port[port], index, word);
}

/* ---- ports ---- */

static inline struct gputm_commit_word *word_at(const struct gputm__commit_port *port,
						   uint64_t sequence)
{
	return &port->word[sequence & port->mask];
}

static inline uint32_t *span_at(const struct gputm__commit_port *port, uint64_t sequence)
{
	return &port->span[sequence & port->mask];
}

GPUTM__APART static bool describe_region(const struct gputm_commit_unit *self,
					 const struct gputm__commit_port *port,
					 struct gputm_mem_request *out)
{
	uint32_t count = *span_at(port, port->issued);

	out->address &= self->region_mask;
	out->word_mask = 0;
	for (uint32_t n = 0; n < count; n++) {
		const struct gputm_commit_word *word = word_at(port, port->issued + n);
		uint32_t lane = (uint32_t)(word->address & ~self->region_mask) / 4;

		out->word_mask |= 1u << lane;
		out->value[lane] = word->value;
	}
	return true;
}

bool gputm_commit_unit_mem_peek(const struct gputm_commit_unit *self,
				enum gputm_commit_unit_port which, struct gputm_mem_request *out)
{
	const struct gputm__commit_port *port = &self->port[which];
	const struct gputm_commit_word *first;

	if (!port->offered)
		return false;
	first = word_at(port, port->issued);
	out->tag = port->issued << 1 | which;
	out->write = which;
	out->address = first->address;
	if (self->config.warp_mode)
		return describe_region(self, port, out);
	out->word_mask = 1;
	out->value[0] = first->value;
	return true;
}

GPUTM__COLD static void tell_writes(const struct gputm_commit_unit *self, uint32_t count)
{
	for (uint64_t sequence = self->port[1].issued - count; count--; sequence++) {
		const struct gputm_commit_word *word = word_at(&self->port[1], sequence);

		gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_WRITE_ISSUED,
			    gputm__commit_cid(self, word->lane), word->address, word->value, 0);
	}
}

bool gputm_commit_unit_mem_pop(struct gputm_commit_unit *self, enum gputm_commit_unit_port which)
{
	struct gputm__commit_port *port = &self->port[which];
	uint32_t count;

	if (!port->offered)
		return false;
	count = *span_at(port, port->issued);
	port->offered = false;
	port->issued += count;
	self->requests[which]++;
	if (GPUTM__UNLIKELY(self->unit.observe && which == GPUTM_COMMIT_UNIT_COMMIT))
		tell_writes(self, count);
	return true;
}

GPUTM__APART static bool take_any(struct gputm_commit_unit *self,
				  enum gputm_commit_unit_port which,
				  struct gputm_mem_request *out)
{
	return gputm_commit_unit_mem_peek(self, which, out) &&
	       gputm_commit_unit_mem_pop(self, which);
}

/* Straight-line code serves scalar mode. */
bool gputm_commit_unit_mem_take(struct gputm_commit_unit *self, enum gputm_commit_unit_port which,
				struct gputm_mem_request *out)
{
	struct gputm__commit_port *port = &self->port[which];
	const struct gputm_commit_word *word;

	if (!port->offered)
		return false;
	if (self->config.warp_mode || self->unit.observe)
		return take_any(self, which, out);
	word = word_at(port, port->issued);
	out->tag = port->issued++ << 1 | which;
	out->address = word->address;
	out->word_mask = 1;
	out->write = which;
	out->value[0] = word->value;
	port->offered = false;
	self->requests[which]++;
	return true;
}

GPUTM__COLD static void tell_completed(const struct gputm_commit_unit *self,
				       const struct gputm_commit_word *word,
				       const uint32_t *read)
{
	bool again = self->entry[word->lane].flags & GPUTM__AGAIN;
	uint64_t cid = gputm__commit_cid(self, word->lane);

	if (read)
		gputm__emit(&self->unit,
			    again ? GPUTM_COMMIT_UNIT_REVALIDATED : GPUTM_COMMIT_UNIT_VALIDATED,
			    cid, word->address, *read, word->value);
	else
		gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_WRITTEN, cid, word->address,
			    word->value, 0);
}

/* The oldest request is never done: its room is given back at once. */
static inline bool is_in_flight(const struct gputm__commit_port *port, uint64_t sequence)
{
	return sequence - port->oldest < port->issued - port->oldest &&
	       *span_at(port, sequence) - 1 < GPUTM__DONE - 1;
}

static inline void reclaim(struct gputm__commit_port *port, uint64_t sequence, uint32_t count)
{
	if (sequence != port->oldest) {
		*span_at(port, sequence) |= GPUTM__DONE;
		port->ahead++;
		return;
	}
	port->oldest += count;
	for (; port->ahead && *span_at(port, port->oldest) & GPUTM__DONE; port->ahead--) {
		*span_at(port, port->oldest) ^= GPUTM__DONE;
		port->oldest += *span_at(port, port->oldest);
	}
}

GPUTM__COLD static int refuse_tag(const struct gputm_commit_unit *self, uint64_t tag)
{
	return gputm__refuse(&self->unit, "no request with tag %llu is in flight",
			     (unsigned long long)tag);
}

/* No word of an entry that has left hazard detection is left at a port. */
GPUTM__APART static int drained(struct gputm_commit_unit *self, uint32_t index)
{
	if (self->slot[index].stage == GPUTM_COMMIT_WRITE)
		gputm__commit_finish(self, index);
	else
		gputm__commit_settle(self, index);
	return 0;
}

static inline void compare(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
			   uint32_t value, uint32_t logged)
{
	if (value != logged) {
		entry->flags |= GPUTM__FAILED;
		self->mismatches++;
	}
	self->compared[!!(entry->flags & GPUTM__AGAIN)]++;
}

/* One word of its entry less at the ports. */
static inline int complete_word(struct gputm_commit_unit *self, struct gputm__commit_entry *entry,
				uint32_t index)
{
	return --entry->pending ? 0 : drained(self, index);
}

GPUTM__APART static int complete_any(struct gputm_commit_unit *self, uint64_t tag,
				     const uint32_t *values)
{
	struct gputm__commit_port *port = &self->port[tag & 1];
	uint64_t sequence = tag >> 1;
	bool write = tag & 1;
	uint32_t count;

	if (!is_in_flight(port, sequence))
		return refuse_tag(self, tag);
	if (!write && !values)
		return gputm__refuse(&self->unit, "a read is completed without values");
	count = *span_at(port, sequence);
	reclaim(port, sequence, count);
	self->written += write ? count : 0;
	do {
		const struct gputm_commit_word *word = word_at(port, sequence++);
		struct gputm__commit_entry *entry = &self->entry[word->lane];
		uint64_t lane = (word->address & ~self->region_mask) / 4;

		if (!write)
			compare(self, entry, values[lane], word->value);
		if (GPUTM__UNLIKELY(self->unit.observe != NULL))
			tell_completed(self, word, write ? NULL : &values[lane]);
		complete_word(self, entry, word->lane);
	} while (--count);
	return 0;
}

/* Straight-line code serves the oldest request in scalar mode, if no other is done. */
static GPUTM__INLINE bool is_next(const struct gputm_commit_unit *self,
				  const struct gputm__commit_port *port, uint64_t sequence)
{
	return sequence == port->oldest && sequence != port->issued && !port->ahead &&
	       !self->config.warp_mode && !self->unit.observe;
}

static GPUTM__INLINE int complete_next(struct gputm_commit_unit *self,
				       struct gputm__commit_port *port, const uint32_t *values)
{
	const struct gputm_commit_word *word = word_at(port, port->oldest++);
	struct gputm__commit_entry *entry = &self->entry[word->lane];

	if (values)
		compare(self, entry, *values, word->value);
	else
		self->written++;
	return complete_word(self, entry, word->lane);
}

int gputm_commit_unit_mem_complete(struct gputm_commit_unit *self, uint64_t tag,
				   const uint32_t *values)
{
	if (tag & 1 && is_next(self, &self->port[1], tag >> 1))
		return complete_next(self, &self->port[1], NULL);
	if (!(tag & 1) && is_next(self, &self->port[0], tag >> 1) && values)
		return complete_next(self, &self->port[0], values);
	return complete_any(self, tag, values);
}

/* ---- pending writes ---- */

static inline uint32_t *pending_of(const struct gputm_commit_unit *self, uint64_t address)
{
	return &self->pending[address >> self->pending_shift & (self->config.pending_entries - 1)];
}

void gputm__commit_pend(struct gputm_commit_unit *self, uint32_t index, uint32_t amount)
{
	const struct gputm_commit_word *word;

	if (gputm__commit_unbounded(&self->entry[index], 1)) {
		self->pending_unbounded += amount == 1 ? UINT64_C(1) : UINT64_MAX;
		return;
	}
	word = &self->kept[self->entry[index].buffer[1]];
	for (uint32_t n = self->entry[index].words[1]; n--; word++)
		*pending_of(self, word->address) += amount;
}

bool gputm_commit_unit_write_pending(const struct gputm_commit_unit *self, uint64_t address)
{
	if (!self->config.pending_block)
		return false;
	return self->pending_unbounded || *pending_of(self, address);
}
