/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two memory ports of the commit unit: words are queued, leave as requests, and land when
 * their request has completed. struct port (commit_unit-priv.h) draws the ring that they are in.
 *
 * The tag of a request is the sequence number of its first word and the port's number, so tags grow
 * in the order of emission. Room is given back in that order too: a word counts against
 * port_words until it and all words before it have completed.
 */
#include "lib/kilotm/commit_unit-priv.h"

/* ---- words are queued ---- */

/* The number of the word's region. Neighbouring words mostly share one. */
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

static void gather_word(struct gputm_commit_unit *self, const struct gputm_commit_unit_word *word)
{
	struct gather *g = &self->gather;

	g->of[g->words] = region_of(g, word->address & self->region_mask);
	g->region[g->of[g->words]].count++;
	g->word[g->words++] = *word;
}

void gputm__commit_queue_word(struct gputm_commit_unit *self, struct entry *entry, uint32_t which,
			      const struct gputm_commit_unit_word *word)
{
	struct port *port = &self->port[which];
	const struct gputm_commit_unit_word own = { word->address, word->value,
					       short_cid_of(self, entry) };

	entry->at_port++;
	if (self->config.warp_mode)
		gather_word(self, &own);
	else
		*port_word_at(port, port->end++) = (struct port_word){ own, 1 };
}

void gputm__commit_queue_log(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	for (uint32_t n = 0; n < entry->words[log]; n++)
		gputm__commit_queue_word(self, entry, log, &buffer_of(self, entry, log)[n]);
}

void gputm__commit_send(struct gputm_commit_unit *self, uint32_t which)
{
	struct gather *g = &self->gather;
	struct port *port = &self->port[which];

	for (uint32_t n = 0; n < g->regions; n++) {
		g->region[n].end = port->end;
		port->end += g->region[n].count;
	}
	for (uint32_t n = 0; n < g->words; n++) {
		struct region *region = &g->region[g->of[n]];

		*port_word_at(port, region->end++) =
			(struct port_word){ g->word[n], region->count };
		region->count = 0; /* but at the first of its words */
	}
	g->regions = g->words = 0;
}

/* ---- requests leave ---- */

/* Whether a port offers a request: 1 or 0; -ERANGE, there is no such port. */
static int has_request(const struct gputm_commit_unit *self, unsigned which)
{
	if (which > GPUTM_COMMIT_UNIT_PORT_COMMIT)
		return gputm__out_of_range(&self->unit, "port", which, 0,
					   GPUTM_COMMIT_UNIT_PORT_COMMIT);
	return (self->offers & offer_of(which)) != 0;
}

static void show(const struct gputm_commit_unit *self, unsigned which,
		 struct gputm_mem_request *out)
{
	const struct port *port = &self->port[which];
	const struct port_word *first = port_word_at(port, port->popped);

	out->tag = port->popped << 1 | which;
	out->address = first->word.address & self->region_mask;
	out->write = which;
	out->word_mask = 0;
	for (uint32_t n = 0; n < first->run; n++) {
		const struct gputm_commit_unit_word *word =
			&port_word_at(port, port->popped + n)->word;
		uint32_t at = (uint32_t)(word->address & ~self->region_mask) / 4;

		out->word_mask |= 1u << at;
		out->value[at] = word->value;
	}
}

static void emit_writes(const struct gputm_commit_unit *self, uint64_t from, uint32_t words)
{
	for (uint32_t n = 0; n < words; n++) {
		const struct gputm_commit_unit_word *word =
			&port_word_at(&self->port[GPUTM_COMMIT_UNIT_PORT_COMMIT], from + n)->word;

		gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_EVENT_ISSUE,
			    cid_of(self, entry_at(self, word->lane)), word->address, word->value,
			    self->cycles);
	}
}

static void pop_request(struct gputm_commit_unit *self, unsigned which)
{
	struct port *port = &self->port[which];
	uint64_t first = port->popped;

	port->popped += port_word_at(port, first)->run;
	self->offers &= ~offer_of(which);
	self->requests[which]++;
	if (self->unit.observe && which == GPUTM_COMMIT_UNIT_PORT_COMMIT)
		emit_writes(self, first, (uint32_t)(port->popped - first));
}

int gputm_commit_unit_mem_peek(const struct gputm_commit_unit *self,
			       enum gputm_commit_unit_port which, struct gputm_mem_request *out)
{
	int result = has_request(self, (unsigned)which);

	if (result == 1)
		show(self, (unsigned)which, out);
	return result;
}

int gputm_commit_unit_mem_pop(struct gputm_commit_unit *self, enum gputm_commit_unit_port which)
{
	int result = has_request(self, (unsigned)which);

	if (result == 1)
		pop_request(self, (unsigned)which);
	return result;
}

int gputm_commit_unit_mem_take(struct gputm_commit_unit *self, enum gputm_commit_unit_port which,
			       struct gputm_mem_request *out)
{
	int result = gputm_commit_unit_mem_peek(self, which, out);

	if (result == 1)
		pop_request(self, (unsigned)which);
	return result;
}

/* ---- and land ---- */

/* Is this the first word of a request in flight? The oldest one is never marked as landed: its
 * room is given back at once. */
static bool is_in_flight(const struct port *port, uint64_t sequence)
{
	uint32_t run = port_word_at(port, sequence)->run;

	return sequence - port->oldest < port->popped - port->oldest && run &&
	       !(run & GPUTM__LANDED);
}

int gputm_commit_unit_get_lanes(const struct gputm_commit_unit *self, uint64_t tag,
				uint64_t *first_cid, uint64_t *mask)
{
	unsigned which = tag & 1;
	const struct port *port = &self->port[which];
	const struct port_word *first = port_word_at(port, tag >> 1);
	const struct entry *entry = entry_at(self, first->word.lane);
	bool offered = tag >> 1 == port->popped && self->offers & offer_of(which);

	if (!offered && !is_in_flight(port, tag >> 1))
		return gputm__refuse(&self->unit,
				     "no request with tag %llu is offered or in flight",
				     (unsigned long long)tag);
	*first_cid = cid_of(self, entry) - entry->lane;
	*mask = 0;
	for (uint32_t n = 0; n < first->run; n++) {
		entry = entry_at(self, port_word_at(port, (tag >> 1) + n)->word.lane);
		*mask |= UINT64_C(1) << entry->lane;
	}
	return 0;
}

/* Give back the room of the oldest request, and of those after it that have landed. */
static void give_back(struct port *port)
{
	uint32_t run = port_word_at(port, port->oldest)->run;

	do {
		port->oldest += run & ~GPUTM__LANDED;
		run = port_word_at(port, port->oldest)->run;
	} while (port->oldest != port->popped && run & GPUTM__LANDED);
}

int gputm__commit_land(struct gputm_commit_unit *self, uint64_t tag, const uint32_t *values)
{
	struct port *port = &self->port[tag & 1];
	struct port_word *first = port_word_at(port, tag >> 1);
	uint32_t words = first->run;

	if (!is_in_flight(port, tag >> 1))
		return gputm__refuse(&self->unit, "no request with tag %llu is in flight",
				     (unsigned long long)tag);
	if (!(tag & 1) && !values)
		return gputm__refuse(&self->unit, "a read is completed without values");
	if (tag >> 1 == port->oldest)
		give_back(port);
	else
		first->run |= GPUTM__LANDED;
	return (int)words;
}
