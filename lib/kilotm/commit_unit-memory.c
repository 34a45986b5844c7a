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

/* Neighbouring words mostly share their region. @return its number. */
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

void gputm__commit_gather(struct gputm_commit_unit *self, const struct gputm_commit_word *word,
			  uint32_t name)
{
	struct gather *g = &self->gather;

	g->of[g->words] = region_of(g, word->address & self->region_mask);
	g->region[g->of[g->words]].count++;
	g->word[g->words++] = (struct gputm_commit_word){ word->address, word->value, name };
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

void gputm__commit_send_log(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	uint32_t name = name_of(self, entry);

	for (uint32_t n = 0; n < entry->words[log]; n++)
		send_word(self, entry, name, log, &kept_words(self, entry, log)[n]);
}

/* ---- requests leave ---- */

GPUTM__COLD static int refuse_port(const struct gputm_commit_unit *self, unsigned which)
{
	return gputm__out_of_range(&self->unit, "port", which, 0, GPUTM_COMMIT_UNIT_COMMIT);
}

/* Whether a port offers a request: 1 or 0; -ERANGE, there is no such port. */
static GPUTM__INLINE int offers(const struct gputm_commit_unit *self, unsigned which)
{
	return which > GPUTM_COMMIT_UNIT_COMMIT ? refuse_port(self, which)
						: is_offered(self, which);
}

static GPUTM__INLINE void show(const struct gputm_commit_unit *self, unsigned which,
			       struct gputm_mem_request *out)
{
	const struct port *port = &self->port[which];
	const struct flight *flight = flight_at(port, port->issued);
	uint64_t region = self->region_mask;
	uint32_t span = flight->span, mask = 0;

	out->tag = port->issued << 1 | which;
	out->address = flight->word.address & region;
	out->write = which;
	for (uint64_t at = port->issued + 1;; at++) {
		uint32_t lane = (uint32_t)(flight->word.address & ~region) / 4;

		mask |= 1u << lane;
		out->value[lane] = flight->word.value;
		if (!--span)
			break;
		flight = flight_at(port, at);
	}
	out->word_mask = mask;
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

static GPUTM__INLINE void drop(struct gputm_commit_unit *self, unsigned which)
{
	struct port *port = &self->port[which];
	uint32_t span = flight_at(port, port->issued)->span;

	port->issued += span;
	self->offered &= ~port_bit(which);
	if (port->issued == port->filled)
		self->queued &= ~port_bit(which);
	self->requests[which]++;
	if (GPUTM__UNLIKELY(self->unit.observe && which == GPUTM_COMMIT_UNIT_COMMIT))
		tell_writes(self, span);
}

int gputm_commit_unit_mem_peek(const struct gputm_commit_unit *self,
			       enum gputm_commit_unit_port which, struct gputm_mem_request *out)
{
	int result = offers(self, (unsigned)which);

	if (result == 1)
		show(self, (unsigned)which, out);
	return result;
}

int gputm_commit_unit_mem_pop(struct gputm_commit_unit *self, enum gputm_commit_unit_port which)
{
	int result = offers(self, (unsigned)which);

	if (result == 1)
		drop(self, (unsigned)which);
	return result;
}

int gputm_commit_unit_mem_take(struct gputm_commit_unit *self, enum gputm_commit_unit_port which,
			       struct gputm_mem_request *out)
{
	int result = offers(self, (unsigned)which);

	if (result != 1)
		return result;
	show(self, (unsigned)which, out);
	drop(self, (unsigned)which);
	return 1;
}

/* ---- and complete ---- */

/* The oldest request is never marked as done: its room is freed at once. */
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

/* A word of a read or write has completed. */
GPUTM__COLD static void tell_complete(const struct gputm_commit_unit *self, unsigned which,
				      const struct gputm_commit_word *word, uint32_t value)
{
	const struct entry *entry = named(self, word->lane);
	bool again = entry->flags & GPUTM__AGAIN;

	if (which == GPUTM_COMMIT_UNIT_COMMIT)
		gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_WRITTEN, cid_of(self, entry),
			    word->address, word->value, self->cycles);
	else
		gputm__emit(&self->unit,
			    again ? GPUTM_COMMIT_UNIT_REVALIDATED : GPUTM_COMMIT_UNIT_VALIDATED,
			    cid_of(self, entry), word->address, value, word->value);
}

static inline void compare(struct gputm_commit_unit *self, struct entry *entry,
			   const struct gputm_commit_word *word, uint32_t value)
{
	self->compared[entry->flags & GPUTM__AGAIN ? 1 : 0]++;
	if (value == word->value)
		return;
	entry->flags |= GPUTM__FAILED;
	self->mismatches++;
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

		uint32_t value = tag & 1 ? word->value
					 : values[(word->address & ~self->region_mask) / 4];

		if (GPUTM__UNLIKELY(self->unit.observe != NULL))
			tell_complete(self, tag & 1, word, value);
		if (tag & 1)
			self->written++;
		else
			compare(self, entry, word, value);
		if (!--entry->pending)
			gputm__commit_drained(self, entry);
	}
	return 0;
}

/* ---- pending writes ---- */

void gputm__commit_pend(struct gputm_commit_unit *self, const struct entry *entry, int amount)
{
	if (is_unbounded(entry, 1)) {
		self->pending_unbounded += (uint64_t)amount;
		return;
	}
	for (uint32_t n = 0; n < entry->words[1]; n++)
		*pending_at(self, kept_words(self, entry, 1)[n].address) += (uint32_t)amount;
}

bool gputm_commit_unit_write_pending(const struct gputm_commit_unit *self, uint64_t address)
{
	if (!self->config.pending_block)
		return false;
	return self->pending_unbounded || *pending_at(self, address);
}
