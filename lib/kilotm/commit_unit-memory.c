/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory side of the commit unit: the two ports with their words by sequence number.
 *
 * A port is one array used as a ring. A request is a run of words in it; its tag is
 * the sequence number of its first word and the port's number, so tags grow in the
 * order of emission. Room is given back in that order too: a word counts against
 * port_words until it and all words before it have completed.
 */
#include "lib/kilotm/commit_unit-moves.h"

/* ---- words placed ahead ---- */

void gputm__commit_take_back(struct gputm_commit_unit *self)
{
	uint64_t left = self->input_due - self->now;
	uint32_t log = self->cursor.log;

	if (self->input_due <= self->now)
		return;
	self->input_due = 0;
	self->consumed[log] -= left;
	self->input.word -= (uint32_t)left;
	for (; left; left--) {
		uint32_t lane = (--self->cursor.at)->lane;
		struct gputm__commit_entry *entry =
			&self->entry[(self->cursor.first + lane) & self->mask];

		entry->words[log]--;
		entry->pending -= !log;
	}
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

static void describe_region(const struct gputm_commit_unit *self,
			    const struct gputm__commit_port *port, struct gputm_mem_request *out)
{
	const struct gputm_commit_word *word = word_at(port, port->issued);
	const struct gputm_commit_word *wrap = port->word + port->mask + 1;
	uint32_t lanes = (uint32_t)~self->region_mask, mask = 0;

	out->address &= self->region_mask;
	for (uint32_t left = *span_at(port, port->issued); left; left--) {
		uint32_t lane = ((uint32_t)word->address & lanes) / 4;

		mask |= 1u << lane;
		out->value[lane] = word->value;
		word = ++word == wrap ? port->word : word;
	}
	out->word_mask = mask;
}

static inline void describe(const struct gputm__commit_port *port, bool write,
			    struct gputm_mem_request *out)
{
	const struct gputm_commit_word *first = word_at(port, port->issued);

	out->tag = port->issued << 1 | write;
	out->address = first->address;
	out->write = write;
	out->word_mask = 1;
	out->value[0] = first->value;
}

GPUTM__COLD static int refuse_port(const struct gputm_commit_unit *self, unsigned which)
{
	return gputm__out_of_range(&self->unit, "port", which, 0, GPUTM_COMMIT_UNIT_COMMIT);
}

int gputm_commit_unit_mem_peek(const struct gputm_commit_unit *self,
			       enum gputm_commit_unit_port which, struct gputm_mem_request *out)
{
	const struct gputm__commit_port *port;

	if (GPUTM__UNLIKELY((unsigned)which > GPUTM_COMMIT_UNIT_COMMIT))
		return refuse_port(self, (unsigned)which);
	port = &self->port[which];
	if (!port->offered)
		return 0;
	describe(port, which, out);
	if (self->config.warp_mode)
		describe_region(self, port, out);
	return 1;
}

GPUTM__COLD static void tell_writes(const struct gputm_commit_unit *self, uint32_t count)
{
	for (uint64_t sequence = self->port[1].issued - count; count--; sequence++) {
		const struct gputm_commit_word *word = word_at(&self->port[1], sequence);

		gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_WRITE_ISSUED,
			    gputm__commit_cid(self, word->lane), word->address, word->value,
			    gputm__commit_cycle(self));
	}
}

static bool take_out(struct gputm_commit_unit *self, enum gputm_commit_unit_port which)
{
	struct gputm__commit_port *port = &self->port[which];
	uint32_t count = *span_at(port, port->issued);

	port->offered = false;
	port->issued += count;
	self->requests[which]++;
	if (GPUTM__UNLIKELY(self->unit.observe && which == GPUTM_COMMIT_UNIT_COMMIT))
		tell_writes(self, count);
	return true;
}

int gputm_commit_unit_mem_pop(struct gputm_commit_unit *self, enum gputm_commit_unit_port which)
{
	if (GPUTM__UNLIKELY((unsigned)which > GPUTM_COMMIT_UNIT_COMMIT))
		return refuse_port(self, (unsigned)which);
	return self->port[which].offered && take_out(self, which);
}

GPUTM__APART static bool take_any(struct gputm_commit_unit *self,
				  enum gputm_commit_unit_port which,
				  struct gputm_mem_request *out)
{
	describe(&self->port[which], which, out);
	if (self->config.warp_mode)
		describe_region(self, &self->port[which], out);
	return take_out(self, which);
}

static GPUTM__INLINE bool take(struct gputm_commit_unit *self, enum gputm_commit_unit_port which,
			       struct gputm_mem_request *out)
{
	struct gputm__commit_port *port = &self->port[which];

	if (!port->offered)
		return false;
	if (self->config.warp_mode || self->unit.observe)
		return take_any(self, which, out);
	describe(port, which, out);
	port->offered = false;
	port->issued++;
	self->requests[which]++;
	return true;
}

/* Straight-line code serves scalar mode. */
int gputm_commit_unit_mem_take(struct gputm_commit_unit *self, enum gputm_commit_unit_port which,
			       struct gputm_mem_request *out)
{
	if (which == GPUTM_COMMIT_UNIT_VALIDATION)
		return take(self, GPUTM_COMMIT_UNIT_VALIDATION, out);
	if (which == GPUTM_COMMIT_UNIT_COMMIT)
		return take(self, GPUTM_COMMIT_UNIT_COMMIT, out);
	return refuse_port(self, (unsigned)which);
}

GPUTM__COLD static void tell_completed(const struct gputm_commit_unit *self, uint64_t tag,
				       uint32_t count, const uint32_t *read)
{
	const struct gputm__commit_port *port = &self->port[tag & 1];

	for (uint32_t n = 0; n < count; n++) {
		const struct gputm_commit_word *word = word_at(port, (tag >> 1) + n);
		uint64_t cid = gputm__commit_cid(self, word->lane);
		bool again = self->entry[word->lane].flags & GPUTM__AGAIN;

		if (read)
			gputm__emit(&self->unit, again ? GPUTM_COMMIT_UNIT_REVALIDATED :
							 GPUTM_COMMIT_UNIT_VALIDATED,
				    cid, word->address,
				    read[(word->address & ~self->region_mask) / 4], word->value);
		else
			gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_WRITTEN, cid, word->address,
				    word->value, gputm__commit_cycle(self));
	}
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
		port->detours++;
		return;
	}
	port->oldest += count;
	for (; port->detours && *span_at(port, port->oldest) & GPUTM__DONE; port->detours--) {
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

static void complete_reads(struct gputm_commit_unit *self, const struct gputm_commit_word *word,
			   uint32_t count, const uint32_t *values)
{
	const struct gputm__commit_port *port = &self->port[0];
	const struct gputm_commit_word *wrap = port->word + port->mask + 1;
	uint32_t lanes = (uint32_t)~self->region_mask;

	for (; count; count--) {
		struct gputm__commit_entry *entry = &self->entry[word->lane];

		compare(self, entry, values[((uint32_t)word->address & lanes) / 4], word->value);
		complete_word(self, entry, word->lane);
		word = ++word == wrap ? port->word : word;
	}
}

static void complete_writes(struct gputm_commit_unit *self, const struct gputm_commit_word *word,
			    uint32_t count)
{
	const struct gputm__commit_port *port = &self->port[1];
	const struct gputm_commit_word *wrap = port->word + port->mask + 1;

	self->written += count;
	for (; count; count--) {
		complete_word(self, &self->entry[word->lane], word->lane);
		word = ++word == wrap ? port->word : word;
	}
}

GPUTM__APART static int complete_any(struct gputm_commit_unit *self, uint64_t tag,
				     const uint32_t *values)
{
	struct gputm__commit_port *port = &self->port[tag & 1];
	const struct gputm_commit_word *word = word_at(port, tag >> 1);
	uint32_t count = *span_at(port, tag >> 1);

	if (!is_in_flight(port, tag >> 1))
		return refuse_tag(self, tag);
	if (!(tag & 1) && !values)
		return gputm__refuse(&self->unit, "a read is completed without values");
	if (GPUTM__UNLIKELY(self->unit.observe != NULL))
		tell_completed(self, tag, count, tag & 1 ? NULL : values);
	reclaim(port, tag >> 1, count);
	if (tag & 1)
		complete_writes(self, word, count);
	else
		complete_reads(self, word, count, values);
	return 0;
}

/* Straight-line code serves the oldest request in scalar mode, if no other is done. */
static GPUTM__INLINE int complete(struct gputm_commit_unit *self, uint64_t tag,
				  const uint32_t *values, bool write)
{
	struct gputm__commit_port *port = &self->port[write];
	uint64_t sequence = tag >> 1;
	const struct gputm_commit_word *word = word_at(port, sequence);
	struct gputm__commit_entry *entry;

	if (sequence != port->oldest || sequence == port->issued || port->detours ||
	    self->unit.observe || (!write && !values))
		return complete_any(self, tag, values);
	entry = &self->entry[word->lane];
	port->oldest = sequence + 1;
	if (write)
		self->written++;
	else
		compare(self, entry, *values, word->value);
	return complete_word(self, entry, word->lane);
}

int gputm_commit_unit_mem_complete(struct gputm_commit_unit *self, uint64_t tag,
				   const uint32_t *values)
{
	return tag & 1 ? complete(self, tag, values, true) : complete(self, tag, values, false);
}

bool gputm_commit_unit_write_pending(const struct gputm_commit_unit *self, uint64_t address)
{
	if (!self->config.pending_block)
		return false;
	return self->pending_unbounded || *gputm__commit_pending(self, address);
}
