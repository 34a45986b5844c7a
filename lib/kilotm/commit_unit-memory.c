/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory side of the commit unit: the pool of read and write buffers, the two ports
 * with their words by sequence number, coalescing, and the table behind
 * write_pending().
 *
 * A port is one array used as a ring. A request is a run of words in it; its tag is
 * the sequence number of its first word and the port's number, so tags grow in the
 * order of emission. Room is given back in that order too: a word counts against
 * port_words until it and all words before it have completed.
 */
#include "lib/kilotm/commit_unit-priv.h"

/* ---- buffers ---- */

bool gputm__commit_take_buffer(struct gputm_commit_unit *self, uint32_t index, int log)
{
	uint32_t buffer = self->buffer_free;

	if (buffer != GPUTM__NONE)
		self->buffer_free = self->buffer_next[buffer];
	else if (self->buffer_fresh < self->config.buffers)
		buffer = self->buffer_fresh++;
	else
		return false;
	self->entry[index].buffer[log] = buffer;
	gputm__maximum(&self->buffers_max, ++self->buffers_used);
	return true;
}

void gputm__commit_drop_buffer(struct gputm_commit_unit *self, uint32_t index, int log)
{
	uint32_t buffer = self->entry[index].buffer[log];

	if (buffer == GPUTM__NONE)
		return;
	self->buffer_next[buffer] = self->buffer_free;
	self->buffer_free = buffer;
	self->entry[index].buffer[log] = GPUTM__NONE;
	self->buffers_used--;
}

static void overflow(struct gputm_commit_unit *self, uint32_t index, int log)
{
	self->entry[index].flags |= (uint8_t)(GPUTM__OVERFLOW << log);
	self->overflows++;
	if (self->config.buffer_policy >= GPUTM_COMMIT_BUFFERS_USED)
		gputm__commit_drop_buffer(self, index, log);
}

bool gputm__commit_make_room(struct gputm_commit_unit *self, uint32_t index, int log)
{
	const struct gputm__commit_entry *entry = &self->entry[index];

	if (gputm__commit_unbounded(entry, log))
		return false;
	if (entry->buffer[log] == GPUTM__NONE && gputm__commit_take_buffer(self, index, log))
		return true;
	overflow(self, index, log);
	return false;
}

/* ---- queueing ---- */

/* The region at this address, new and empty if there is none. */
GPUTM__APART static struct gputm__commit_region *region_at(struct gputm__commit_gather *g,
							    uint64_t base)
{
	uint32_t at = (uint32_t)(gputm__mix64(base)) & g->bucket_mask;

	while (g->bucket[at] && g->region[g->bucket[at] - 1].address != base)
		at = (at + 1) & g->bucket_mask;
	if (!g->bucket[at]) {
		g->region[g->regions] = (struct gputm__commit_region){ base, GPUTM__NONE,
								       GPUTM__NONE, 0, at };
		g->bucket[at] = ++g->regions;
	}
	return &g->region[g->bucket[at] - 1];
}

/* Neighbours mostly share their region. */
void gputm__commit_collect(struct gputm_commit_unit *self, uint32_t index, uint64_t address,
			   uint32_t value)
{
	struct gputm__commit_gather *g = &self->gather;
	uint64_t base = address & self->region_mask;
	struct gputm__commit_region *region = g->region + g->regions - !!g->regions;
	uint32_t n = g->words++;

	if (!g->regions || region->address != base)
		region = region_at(g, base);
	g->word[n] = (struct gputm__commit_access){ address, value, 0, index, false };
	g->next[n] = GPUTM__NONE;
	if (region->count)
		g->next[region->last] = n;
	else
		region->first = n;
	region->last = n;
	region->count++;
}

void gputm__commit_flush(struct gputm_commit_unit *self, int port)
{
	struct gputm__commit_gather *g = &self->gather;

	for (uint32_t r = 0; r < g->regions; r++) {
		uint32_t count = g->region[r].count;

		for (uint32_t n = g->region[r].first; n != GPUTM__NONE; n = g->next[n]) {
			gputm__commit_put(&self->port[port], g->word[n].entry, g->word[n].address,
			    g->word[n].value, count);
			count = 0;
		}
		g->bucket[g->region[r].bucket] = 0;
	}
	g->regions = g->words = 0;
}

void gputm__commit_send_buffer(struct gputm_commit_unit *self, int port, uint32_t index)
{
	const struct gputm__commit_pair *pair = gputm__commit_buffer(self, index, port);
	const struct gputm__commit_pair *end = pair + self->entry[index].words[port];

	self->entry[index].pending += self->entry[index].words[port];
	for (; pair != end; pair++)
		if (self->config.warp_mode)
			gputm__commit_collect(self, index, pair->address, pair->value);
		else
			gputm__commit_put(&self->port[port], index, pair->address, pair->value, 1);
}

/* ---- ports ---- */

static inline struct gputm__commit_access *at(const struct gputm__commit_port *port,
					      uint64_t sequence)
{
	return &port->word[sequence & port->mask];
}

GPUTM__APART static bool describe_region(const struct gputm_commit_unit *self,
					 const struct gputm__commit_port *port,
					 struct gputm_mem_request *out)
{
	uint32_t count = at(port, port->issued)->count;

	out->address &= self->region_mask;
	out->word_mask = 0;
	for (uint32_t n = 0; n < count; n++) {
		const struct gputm__commit_access *word = at(port, port->issued + n);
		uint32_t lane = (uint32_t)(word->address & ~self->region_mask) / 4;

		out->word_mask |= 1u << lane;
		out->value[lane] = word->value;
	}
	return true;
}

GPUTM__APART static bool describe(const struct gputm_commit_unit *self,
				  const struct gputm__commit_port *port, uint64_t which,
				  struct gputm_mem_request *out)
{
	const struct gputm__commit_access *first = at(port, port->issued);

	out->tag = port->issued << 1 | which;
	out->write = which;
	out->address = first->address;
	if (self->config.warp_mode)
		return describe_region(self, port, out);
	out->word_mask = 1;
	out->value[0] = first->value;
	return true;
}

bool gputm_commit_unit_mem_peek(const struct gputm_commit_unit *self,
				enum gputm_commit_unit_port which, struct gputm_mem_request *out)
{
	const struct gputm__commit_port *port = &self->port[which];

	return port->offered && describe(self, port, which, out);
}

GPUTM__COLD static bool tell_writes(const struct gputm_commit_unit *self, uint32_t count)
{
	for (uint64_t sequence = self->port[1].issued - count; count--; sequence++) {
		const struct gputm__commit_access *word = at(&self->port[1], sequence);

		gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_WRITE_ISSUED,
			    gputm__commit_cid(self, word->entry), word->address, word->value, 0);
	}
	return true;
}

bool gputm_commit_unit_mem_pop(struct gputm_commit_unit *self, enum gputm_commit_unit_port which)
{
	struct gputm__commit_port *port = &self->port[which];
	uint32_t count;

	if (!port->offered)
		return false;
	count = at(port, port->issued)->count;
	port->offered = false;
	port->issued += count;
	if (which == GPUTM_COMMIT_UNIT_VALIDATION) {
		self->read_requests++;
		return true;
	}
	self->write_requests++;
	return GPUTM__LIKELY(!self->unit.observe) || tell_writes(self, count);
}

GPUTM__COLD static void tell_compared(const struct gputm_commit_unit *self,
				      const struct gputm__commit_access *word, uint32_t value)
{
	bool again = self->entry[word->entry].flags & GPUTM__AGAIN;

	gputm__emit(&self->unit,
		    again ? GPUTM_COMMIT_UNIT_REVALIDATED : GPUTM_COMMIT_UNIT_VALIDATED,
		    gputm__commit_cid(self, word->entry), word->address, value, word->value);
}

static inline void compare(struct gputm_commit_unit *self,
			   const struct gputm__commit_access *word, const uint32_t *values)
{
	struct gputm__commit_entry *entry = &self->entry[word->entry];
	uint32_t value = values[(word->address & ~self->region_mask) / 4];

	if (value != word->value) {
		entry->flags |= GPUTM__FAILED;
		self->mismatches++;
	}
	self->compared[!!(entry->flags & GPUTM__AGAIN)]++;
	if (GPUTM__UNLIKELY(self->unit.observe != NULL))
		tell_compared(self, word, value);
}

GPUTM__COLD static void tell_written(const struct gputm_commit_unit *self,
				     const struct gputm__commit_access *word)
{
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_WRITTEN, gputm__commit_cid(self, word->entry),
		    word->address, word->value, 0);
}

/* The oldest request is never done: its room is given back at once. */
static inline bool is_in_flight(const struct gputm__commit_port *port, uint64_t sequence)
{
	const struct gputm__commit_access *first = at(port, sequence);

	if (sequence == port->oldest)
		return sequence != port->issued;
	return sequence - port->oldest < port->issued - port->oldest && !first->done &&
	       first->count;
}

static inline void reclaim(struct gputm__commit_port *port, uint64_t sequence, uint32_t count)
{
	if (sequence != port->oldest) {
		at(port, sequence)->done = true;
		return;
	}
	port->oldest += count;
	while (port->oldest != port->issued && at(port, port->oldest)->done)
		port->oldest += at(port, port->oldest)->count;
}

GPUTM__COLD static int refuse_tag(const struct gputm_commit_unit *self, uint64_t tag)
{
	return gputm__refuse(&self->unit, "no request with tag %llu is in flight",
			     (unsigned long long)tag);
}

/* No word of an entry that has passed hazard detection is left at a port. */
GPUTM__APART static int drained(struct gputm_commit_unit *self, uint32_t index)
{
	if (self->slot[index].stage == GPUTM_COMMIT_WRITE)
		gputm__commit_finish(self, index);
	else
		gputm__commit_settle(self, index);
	return 0;
}

static inline int complete_word(struct gputm_commit_unit *self,
				const struct gputm__commit_access *word, const uint32_t *values)
{
	uint32_t index = word->entry;

	if (values)
		compare(self, word, values);
	else
		self->written++;
	if (--self->entry[index].pending || self->slot[index].stage < GPUTM_COMMIT_VALIDATE)
		return 0;
	return drained(self, index);
}

GPUTM__APART static int complete_any(struct gputm_commit_unit *self, uint64_t tag,
				     const uint32_t *values)
{
	struct gputm__commit_port *port = &self->port[tag & 1];
	uint64_t sequence = tag >> 1;
	uint32_t count;

	if (!is_in_flight(port, sequence))
		return refuse_tag(self, tag);
	if (!(tag & 1) && !values)
		return gputm__refuse(&self->unit, "a read is completed without values");
	count = at(port, sequence)->count;
	reclaim(port, sequence, count);
	do {
		const struct gputm__commit_access *word = at(port, sequence++);

		if (tag & 1 && self->unit.observe)
			tell_written(self, word);
		complete_word(self, word, tag & 1 ? NULL : values);
	} while (--count);
	return 0;
}

/* Straight-line code serves the oldest request, of one word, if the next is not done. */
int gputm_commit_unit_mem_complete(struct gputm_commit_unit *self, uint64_t tag,
				   const uint32_t *values)
{
	struct gputm__commit_port *port = &self->port[tag & 1];
	uint64_t sequence = tag >> 1;
	const struct gputm__commit_access *word = at(port, sequence);

	if (sequence != port->oldest || sequence == port->issued || word->count != 1 ||
	    (sequence + 1 != port->issued && at(port, sequence + 1)->done) || self->unit.observe)
		return complete_any(self, tag, values);
	if (tag & 1)
		values = NULL;
	else if (!values)
		return complete_any(self, tag, values);
	port->oldest = sequence + 1;
	return complete_word(self, word, values);
}

/* ---- pending writes ---- */

static inline uint32_t *pending_of(const struct gputm_commit_unit *self, uint64_t address)
{
	return &self->pending[address >> self->pending_shift & (self->config.pending_entries - 1)];
}

static void add_pending(struct gputm_commit_unit *self, uint32_t index, uint32_t amount)
{
	const struct gputm__commit_pair *pair = gputm__commit_buffer(self, index, 1);

	if (gputm__commit_unbounded(&self->entry[index], 1)) {
		self->pending_unbounded += amount == 1 ? UINT64_C(1) : UINT64_MAX;
		return;
	}
	for (uint32_t n = self->entry[index].words[1]; n--; pair++)
		*pending_of(self, pair->address) += amount;
}

void gputm__commit_count(struct gputm_commit_unit *self, uint32_t index)
{
	if (!self->config.pending_block || !self->entry[index].words[1])
		return;
	self->entry[index].flags |= GPUTM__COUNTED;
	add_pending(self, index, 1);
}

void gputm__commit_uncount(struct gputm_commit_unit *self, uint32_t index)
{
	if (!(self->entry[index].flags & GPUTM__COUNTED))
		return;
	self->entry[index].flags &= (uint8_t)~GPUTM__COUNTED;
	add_pending(self, index, UINT32_MAX);
}

bool gputm_commit_unit_write_pending(const struct gputm_commit_unit *self, uint64_t address)
{
	if (!self->config.pending_block)
		return false;
	return self->pending_unbounded || *pending_of(self, address);
}
