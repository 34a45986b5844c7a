/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshots of the commit unit. Saved is what lives: entries from the oldest to the youngest
 * CID named, words of their buffers, words at the ports, queued messages and reports. Places
 * in arrays are not saved but CIDs and sequence numbers, so equal states give equal bytes;
 * waiting lists, buffer numbers, the table of pending writes and the gauges are rebuilt.
 */
#include "lib/kilotm/commit_unit-priv.h"

#define CID_MAX (UINT64_C(1) << 62)

/* ---- entries ---- */

static void io_buffer(struct gputm_commit_unit *self, struct gputm__io *io, struct entry *entry,
		      uint32_t log)
{
	bool held = !gputm__io_reading(io) && entry->buffer[log];
	uint64_t words = entry->words[log];

	gputm__io_bool(io, &held);
	if (gputm__io_reading(io) && held && !gputm__commit_take_buffer(self, entry, log))
		gputm__io_fail(io, -EINVAL, "more buffers than there are");
	if (held && !is_unbounded(entry, log) && entry->words[log] > self->config.buffer_words)
		gputm__io_fail(io, -EINVAL, "more words than a buffer has");
	if (is_unbounded(entry, log)) /* of a deferred log: the words that have come again */
		words = is_deferred(self, entry, log) && entry == entry_at(self, self->hazard)
				? self->detected - (log ? entry->words[0] : 0)
				: 0;
	if (io->error || !held || words > self->config.buffer_words)
		return;
	for (uint32_t n = 0; n < words; n++) {
		struct gputm_commit_unit_word *word = &buffer_of(self, entry, log)[n];

		gputm__io_u64_max(io, &word->address, self->address_max, "address of a log word");
		gputm__io_u32(io, &word->value);
	}
}

static void io_body(struct gputm__io *io, struct entry *entry)
{
	gputm__io_u64(io, &entry->rcid);
	gputm__io_u64(io, &entry->ycid);
	gputm__io_u32s(io, entry->words, 2);
	gputm__io_u32(io, &entry->resent);
	gputm__io_u8(io, &entry->flags);
	gputm__io_u8(io, &entry->asked);
	if (entry->asked > GPUTM_COMMIT_UNIT_PURPOSE_COMMIT + 1)
		gputm__io_fail(io, -EINVAL, "an unknown purpose");
}

/* The messages pushed for the entry, a bit each; a warp with a gap is refused later. */
static void io_pushed(struct gputm_commit_unit *self, struct gputm__io *io,
		      const struct entry *entry)
{
	uint64_t *lanes = pushed_for(self, entry)->lanes;
	bool whole = entry->lane < entry->lanes &&
		     cid_of(self, entry) + entry->lanes - entry->lane <= self->head;
	uint8_t kinds = 0;

	for (uint32_t n = 0; n < GPUTM__PUSHED_KINDS && whole; n++)
		kinds |= (uint8_t)(lanes[n] & lane_bit(entry) ? 1u << n : 0);
	gputm__io_u8(io, &kinds);
	if (kinds >> GPUTM__PUSHED_KINDS || (kinds && !entry->lanes))
		gputm__io_fail(io, -EINVAL, "C2: an unknown message has been pushed");
	for (uint32_t n = 0; n < GPUTM__PUSHED_KINDS && whole && !io->error; n++)
		lanes[n] |= kinds >> n & 1 ? lane_bit(entry) : 0;
}

static void io_entry(struct gputm_commit_unit *self, struct gputm__io *io, struct entry *entry)
{
	gputm__io_u8(io, &entry->state);
	gputm__io_bool(io, &entry->begun);
	gputm__io_u8(io, &entry->lane);
	gputm__io_u8(io, &entry->lanes);
	io_pushed(self, io, entry);
	if (entry->lanes > self->config.lanes)
		gputm__io_fail(io, -EINVAL, "a warp of more lanes than there are");
	if (!io->error && entry->begun)
		io_body(io, entry);
	if (!io->error && entry->state != GPUTM_COMMIT_UNIT_STATE_UNUSED) {
		io_buffer(self, io, entry, 0);
		io_buffer(self, io, entry, 1);
	}
}

static void io_pointers(struct gputm_commit_unit *self, struct gputm__io *io)
{
	uint64_t span = self->head - self->oldest;

	gputm__io_u64_max(io, &self->oldest, CID_MAX, "CID");
	gputm__io_u64_max(io, &span, self->config.ring, "more CIDs than the ring has");
	if (gputm__io_reading(io) && !io->error) {
		self->head = self->oldest;
		if (span > self->reach && gputm__commit_make_room(self, span))
			gputm__io_fail(io, -ENOMEM, "no memory for the entries");
		else
			self->head += span;
	}
	gputm__io_u64_max(io, &self->hazard, self->head, "hazard pointer");
	if (is_ordered(self))
		gputm__io_u64_max(io, &self->outcome, self->hazard, "outcome pointer");
	else
		self->outcome = self->hazard;
	gputm__io_u64_max(io, &self->commit, self->outcome, "commit pointer");
	if (self->commit < self->oldest)
		gputm__io_fail(io, -EINVAL, "commit pointer");
	gputm__io_u64_max(io, &self->reported, self->oldest, "retirements that are reported");
	gputm__io_u64(io, &self->detected);
}

/* An entry by its CID; NULL if that is out of range. */
static struct entry *io_cid(struct gputm_commit_unit *self, struct gputm__io *io,
			    struct entry *entry)
{
	uint64_t cid = gputm__io_reading(io) ? 0 : cid_of(self, entry);

	gputm__io_u64(io, &cid);
	if (!io->error &&
	    (cid - self->oldest >= self->head - self->oldest || !entry_at(self, cid)->begun))
		gputm__io_fail(io, -EINVAL, "a word or list of an entry that is not there");
	return io->error ? NULL : entry_at(self, cid);
}

static uint32_t length_of(const struct gputm_commit_unit *self, const struct list *list)
{
	uint32_t count = list->last != 0;

	for (uint32_t n = list->last; n && (n = entry_at(self, n)->link) != list->last;)
		count++;
	return count;
}

static void io_list(struct gputm_commit_unit *self, struct gputm__io *io, struct list *list,
		    enum gputm_commit_unit_state state)
{
	bool reading = gputm__io_reading(io);
	struct entry *next = list_first(self, list);
	uint32_t count = length_of(self, list);

	gputm__io_u32_max(io, &count, self->config.ring, "list longer than the ring");
	for (; count && !io->error; count--) {
		struct entry *entry = io_cid(self, io, next);

		if (entry && (entry->state != state || (reading && entry->link)))
			gputm__io_fail(io, -EINVAL, "a list of entries of another state or list");
		else if (entry && reading)
			gputm__commit_append(self, list, entry);
		next = reading ? NULL : entry_at(self, next->link);
	}
}

/* ---- ports ---- */

/* The words of a request; of a completed request only their number. */
static void io_request(struct gputm_commit_unit *self, struct gputm__io *io, struct port *port,
		       uint64_t sequence, uint32_t run)
{
	uint64_t region = port_word_at(port, sequence)->word.address;

	for (uint32_t n = 0; n < (run & ~GPUTM__LANDED) && !io->error; n++) {
		struct port_word *at = port_word_at(port, sequence + n);
		struct gputm_commit_unit_word *word = &at->word;
		struct entry *entry;

		at->run = n ? 0 : run;
		if (run & GPUTM__LANDED)
			continue;
		gputm__io_u64_max(io, &word->address, self->address_max, "address at a port");
		gputm__io_u32(io, &word->value);
		entry = io_cid(self, io, entry_at(self, word->lane));
		region = n ? region : word->address;
		if (((word->address ^ region) & self->region_mask) || word->address & 3)
			gputm__io_fail(io, -EINVAL, "a request across regions");
		if (gputm__io_reading(io) && !io->error) {
			word->lane = short_cid_of(self, entry);
			entry->at_port++;
		}
	}
}

/* Only requests in flight can have landed, and not the oldest. */
static bool run_fits(const struct gputm_commit_unit *self, const struct port *port,
		     uint64_t sequence, uint32_t run)
{
	uint32_t most = self->config.warp_mode ? self->config.port_words : 1;
	uint32_t words = run & ~GPUTM__LANDED;
	bool flies = sequence - port->oldest < port->popped - port->oldest;

	if (words - 1 >= most || words > (flies ? port->popped : port->end) - sequence)
		return false;
	return words == run || (flies && sequence != port->oldest);
}

static void io_port(struct gputm_commit_unit *self, struct gputm__io *io, uint32_t which)
{
	struct port *port = &self->port[which];
	bool offered = self->offers & offer_of(which);
	uint64_t flying = port->popped - port->oldest, all = port->end - port->oldest;

	gputm__io_u64_max(io, &port->oldest, CID_MAX, "sequence number");
	gputm__io_u64_max(io, &all, self->config.port_words, "more words than a port holds");
	gputm__io_u64_max(io, &flying, all, "more words in flight than there are");
	gputm__io_bool(io, &offered);
	self->offers |= offered ? offer_of(which) : 0;
	port->popped = port->oldest + flying;
	port->end = port->oldest + all;
	if (offered && port->popped == port->end)
		gputm__io_fail(io, -EINVAL, "an empty port offers a request");
	for (uint64_t at = port->oldest; at != port->end && !io->error;) {
		uint32_t run = port_word_at(port, at)->run;

		gputm__io_u32(io, &run);
		if (io->error)
			return;
		if (!run_fits(self, port, at, run))
			gputm__io_fail(io, -EINVAL, "an impossible request");
		else
			io_request(self, io, port, at, run);
		at += run & ~GPUTM__LANDED;
	}
}

/* ---- queues ---- */

static void io_message(struct gputm_commit_unit *self, struct gputm__io *io,
		       struct gputm_commit_unit_message *m)
{
	gputm__io_u32(io, &m->kind);
	gputm__io_u32(io, &m->purpose);
	gputm__io_u64(io, &m->first_cid);
	gputm__io_u32(io, &m->lanes);
	gputm__io_u32_max(io, &m->words, GPUTM_COMMIT_UNIT_WORDS_MAX, "words of a message");
	gputm__io_u64(io, &m->mask);
	gputm__io_u64(io, &m->yes);
	for (uint32_t n = 0; n < m->words && !io->error; n++) {
		gputm__io_u64(io, &m->word[n].address);
		gputm__io_u32(io, &m->word[n].value);
		gputm__io_u32(io, &m->word[n].lane);
	}
	if (gputm__io_reading(io) && !io->error && !gputm__commit_queueable(self, m))
		gputm__io_fail(io, -EINVAL, "a queued message that would have been refused");
}

static void io_inbox(struct gputm_commit_unit *self, struct gputm__io *io, struct inbox *in)
{
	gputm__io_u32_max(io, &in->queue.count, in->queue.capacity, "occupancy of a queue");
	gputm__io_u32(io, &in->word);
	for (uint32_t n = 0; n < in->queue.count && !io->error; n++)
		io_message(self, io, gputm__queue_at(&in->queue, n));
	if (!io->error && in->word &&
	    (!in->queue.count || in->word >= oldest_message(in)->words ||
	     (in == &self->input &&
	      words_a_cycle(self, oldest_message(in)) == oldest_message(in)->words)))
		gputm__io_fail(io, -EINVAL, "words consumed that are not there");
}

static void io_report(void *item, struct gputm__io *io)
{
	struct gputm_commit_unit_report *report = item;

	gputm__io_u32_max(io, &report->kind, GPUTM_COMMIT_UNIT_REPORT_WRITTEN, "kind of a report");
	gputm__io_u32_max(io, &report->purpose, GPUTM_COMMIT_UNIT_PURPOSE_COMMIT, "purpose");
	gputm__io_u64(io, &report->first_cid);
	gputm__io_u32_max(io, &report->lanes, GPUTM_COMMIT_UNIT_LANES_MAX, "lanes of a report");
	gputm__io_u64(io, &report->mask);
	gputm__io_u64(io, &report->yes);
}

/* ---- all of it ---- */

static void rebuild_entry(struct gputm_commit_unit *self, struct entry *entry)
{
	bool skip = !entry->begun && entry->state == GPUTM_COMMIT_UNIT_STATE_FINISHED;

	self->active += entry->state != GPUTM_COMMIT_UNIT_STATE_UNUSED;
	if (skip || entry->flags & GPUTM__DECIDED)
		group_last(self, entry)->decided++;
	else if (entry->flags & GPUTM__AGAIN)
		group_last(self, entry)->again++;
	if (entry->state == GPUTM_COMMIT_UNIT_STATE_VALIDATE && entry->flags & GPUTM__HAZARDOUS)
		gputm__commit_wait_for_writer(self, entry);
	if (is_write_pending(self, entry))
		gputm__commit_pend(self, entry, 1);
}

static void rebuild(struct gputm_commit_unit *self)
{
	struct entry *oldest = entry_at(self, self->oldest);

	if (self->config.warp_mode && self->oldest != self->head &&
	    oldest->lanes) /* those before have retired */
		group_last(self, oldest)->decided = oldest->lane;
	for (uint64_t cid = self->oldest; cid != self->head; cid++)
		rebuild_entry(self, entry_at(self, cid));
	gputm__commit_set_expiry(self);
}

/* How long entries have been in their states; only histograms use this. */
void gputm__commit_io_stats(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_commit_unit *self = (void *)unit;

	for (uint64_t cid = self->oldest; cid != self->head && !io->error; cid++) {
		struct entry *entry = entry_at(self, cid);
		uint64_t age = self->now - entry->since;

		if (!entry->begun)
			continue;
		gputm__io_u64(io, &age);
		entry->since = self->now - age;
	}
}

void gputm__commit_io(struct gputm_commit_unit *self, struct gputm__io *io)
{
	const char *broken;

	io_pointers(self, io);
	for (uint64_t cid = self->oldest; cid != self->head && !io->error; cid++)
		io_entry(self, io, entry_at(self, cid));
	io_list(self, io, &self->revalidate, GPUTM_COMMIT_UNIT_STATE_VALIDATE);
	io_list(self, io, &self->finalise, GPUTM_COMMIT_UNIT_STATE_FINALISE);
	if (tells_written(self))
		io_list(self, io, &self->untold, GPUTM_COMMIT_UNIT_STATE_FINISHED);
	io_port(self, io, GPUTM_COMMIT_UNIT_PORT_VALIDATION);
	io_port(self, io, GPUTM_COMMIT_UNIT_PORT_COMMIT);
	io_inbox(self, io, &self->input);
	io_inbox(self, io, &self->resent);
	gputm__queue_io(&self->output, io, io_report);
	if (!gputm__io_reading(io) || io->error)
		return;
	broken = gputm__commit_check_entries(self);
	if (broken)
		gputm__io_fail(io, -EINVAL, broken);
	else
		rebuild(self);
}
