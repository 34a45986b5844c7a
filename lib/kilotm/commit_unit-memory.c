/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory side of the commit unit: the two ports with their words by sequence number.
 *
 * A port is one array used as a ring. A request is a run of words in it: a word in scalar
 * mode, the words of a region in warp mode. Its tag is the sequence number of its first word
 * and the port's number, so tags grow in the order of emission. Room is given back in that
 * order too: a word counts against port_words until it and all words before it have completed.
 */
#include "lib/kilotm/commit_unit-priv.h"

static inline struct flight *flight_at(const struct port *port, uint64_t sequence)
{
	return &port->flight[sequence & port->mask];
}

/* ---- words become requests ---- */

/* Neighbours mostly share their region. @return its number. */
static uint32_t region_of(struct gather *g, uint64_t address)
{
	uint32_t n = g->regions;

	while (n && g->region[n - 1].address != address)
		n--;
	if (n)
		return n - 1;
	g->region[g->regions] = (struct region){ address, 0, 0 };
	return g->regions++;
}

void gputm__commit_gather(struct gputm_commit_unit *self, const struct gputm_commit_word *word)
{
	struct gather *g = &self->gather;

	g->of[g->words] = region_of(g, word->address & self->region_mask);
	g->region[g->of[g->words]].count++;
	g->word[g->words++] = *word;
}

void gputm__commit_send(struct gputm_commit_unit *self, uint32_t which)
{
	struct gather *g = &self->gather;
	struct port *port = &self->port[which];

	for (uint32_t n = 0; n < g->regions; n++) {
		g->region[n].end = port->filled;
		port->filled += g->region[n].count;
	}
	for (uint32_t n = 0; n < g->words; n++) {
		struct region *region = &g->region[g->of[n]];

		*flight_at(port, region->end++) = (struct flight){ g->word[n], region->count };
		region->count = 0; /* but at the first of its words */
	}
	g->regions = g->words = 0;
}

/* ---- requests leave ---- */

GPUTM__COLD static int refuse_port(const struct gputm_commit_unit *self, unsigned which)
{
	return gputm__out_of_range(&self->unit, "port", which, 0, GPUTM_COMMIT_UNIT_COMMIT);
}

static GPUTM__INLINE int peek(const struct gputm_commit_unit *self, unsigned which,
			      struct gputm_mem_request *out)
{
	const struct port *port = &self->port[which & 1];
	const struct flight *flight = flight_at(port, port->issued);
	uint32_t lanes = (uint32_t)~self->region_mask, span = flight->span;

	if (which > GPUTM_COMMIT_UNIT_COMMIT)
		return refuse_port(self, which);
	if (!is_offered(self, which))
		return 0;
	out->tag = port->issued << 1 | which;
	out->address = flight->word.address & self->region_mask;
	out->write = which;
	out->word_mask = 0;
	for (uint32_t n = 0; n < span; n++) {
		const struct gputm_commit_word *word = &flight_at(port, port->issued + n)->word;
		uint32_t lane = ((uint32_t)word->address & lanes) / 4;

		out->word_mask |= 1u << lane;
		out->value[lane] = word->value;
	}
	return 1;
}

GPUTM__COLD static void tell_writes(const struct gputm_commit_unit *self, uint32_t count)
{
	const struct port *port = &self->port[GPUTM_COMMIT_UNIT_COMMIT];

	for (; count; count--) {
		const struct gputm_commit_word *word = &flight_at(port, port->issued - count)->word;

		gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_WRITE_ISSUED,
			    cid_of(self, named(self, word->lane)), word->address, word->value,
			    self->cycles);
	}
}

static GPUTM__INLINE int pop(struct gputm_commit_unit *self, unsigned which)
{
	struct port *port = &self->port[which & 1];
	uint32_t span = flight_at(port, port->issued)->span;

	if (which > GPUTM_COMMIT_UNIT_COMMIT)
		return refuse_port(self, which);
	if (!is_offered(self, which))
		return 0;
	port->issued += span;
	self->offered &= ~port_bit(which);
	if (port->issued == port->filled)
		self->queued &= ~port_bit(which);
	self->requests[which]++;
	if (GPUTM__UNLIKELY(self->unit.observe && which == GPUTM_COMMIT_UNIT_COMMIT))
		tell_writes(self, span);
	return 1;
}

int gputm_commit_unit_mem_peek(const struct gputm_commit_unit *self,
			       enum gputm_commit_unit_port which, struct gputm_mem_request *out)
{
	return peek(self, (unsigned)which, out);
}

int gputm_commit_unit_mem_pop(struct gputm_commit_unit *self, enum gputm_commit_unit_port which)
{
	return pop(self, (unsigned)which);
}

int gputm_commit_unit_mem_take(struct gputm_commit_unit *self, enum gputm_commit_unit_port which,
			       struct gputm_mem_request *out)
{
	int result = peek(self, (unsigned)which, out);

	return result == 1 ? pop(self, (unsigned)which) : result;
}

/* ---- and complete ---- */

/* The oldest request is never done: its room is given back at once. */
static bool is_in_flight(const struct port *port, uint64_t sequence)
{
	return sequence - port->oldest < port->issued - port->oldest &&
	       flight_at(port, sequence)->span - 1 < GPUTM__DONE - 1;
}

static inline void reclaim(struct port *port, uint64_t sequence)
{
	uint32_t span = flight_at(port, sequence)->span;

	if (sequence != port->oldest) {
		flight_at(port, sequence)->span |= GPUTM__DONE;
		return;
	}
	do {
		port->oldest += span & ~GPUTM__DONE;
		span = flight_at(port, port->oldest)->span;
	} while (port->oldest != port->issued && span & GPUTM__DONE);
}

static inline void complete_read(struct gputm_commit_unit *self, struct entry *entry,
				 const struct gputm_commit_word *word, uint32_t value)
{
	bool again = entry->flags & GPUTM__AGAIN;

	gputm__emit(&self->unit,
		    again ? GPUTM_COMMIT_UNIT_REVALIDATED : GPUTM_COMMIT_UNIT_VALIDATED,
		    cid_of(self, entry), word->address, value, word->value);
	self->compared[again]++;
	if (value == word->value)
		return;
	entry->flags |= GPUTM__FAILED;
	self->mismatches++;
}

static inline void complete_write(struct gputm_commit_unit *self, struct entry *entry,
				  const struct gputm_commit_word *word)
{
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_WRITTEN, cid_of(self, entry), word->address,
		    word->value, self->cycles);
	self->written++;
}

int gputm_commit_unit_mem_complete(struct gputm_commit_unit *self, uint64_t tag,
				   const uint32_t *values)
{
	struct port *port = &self->port[tag & 1];
	uint64_t sequence = tag >> 1;
	uint32_t span = flight_at(port, sequence)->span;

	if (!is_in_flight(port, sequence))
		return gputm__refuse(&self->unit, "no request with tag %llu is in flight",
				     (unsigned long long)tag);
	if (!(tag & 1) && !values)
		return gputm__refuse(&self->unit, "a read is completed without values");
	reclaim(port, sequence);
	for (; span; span--) {
		const struct gputm_commit_word *word = &flight_at(port, sequence++)->word;
		struct entry *entry = named(self, word->lane);

		if (tag & 1)
			complete_write(self, entry, word);
		else
			complete_read(self, entry, word,
				      values[(word->address & ~self->region_mask) / 4]);
		if (!--entry->pending)
			gputm__commit_drained(self, entry);
	}
	return 0;
}

bool gputm_commit_unit_write_pending(const struct gputm_commit_unit *self, uint64_t address)
{
	if (!self->config.pending_block)
		return false;
	return self->pending_unbounded || *pending_at(self, address);
}
