/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshots and invariants of the commit unit. Saved is what lives: ring slots from the
 * oldest to the youngest CID named, words of their buffers, words at the ports, queued
 * messages and reports. Places in arrays are not saved but CIDs and sequence numbers, so
 * equal states give equal bytes; waiting lists, buffer numbers, the table of pending
 * writes and the gauges are rebuilt.
 */
#include "lib/kilotm/commit_unit-moves.h"

#define CID_MAX (UINT64_C(1) << 62)

/* ---- entries ---- */

static void io_kept(struct gputm_commit_unit *self, struct gputm__io *io, uint32_t index, int log)
{
	struct gputm__commit_entry *entry = &self->entry[index];
	uint8_t held = !gputm__io_reading(io) && entry->limit[log];
	struct gputm_commit_word *word;

	gputm__io_u8(io, &held);
	if (gputm__io_reading(io)) {
		if (held > 1 || (held && !gputm__commit_take_buffer(self, entry, (uint32_t)log)))
			gputm__io_fail(io, -EINVAL, "more buffers than there are");
	}
	if (io->error || !held || !(self->slot[index].mark & GPUTM__BODY) ||
	    gputm__commit_unbounded(entry, (uint32_t)log))
		return;
	if (entry->words[log] > self->config.buffer_words) {
		gputm__io_fail(io, -EINVAL, "more words than a buffer has");
		return;
	}
	word = &self->kept[entry->buffer[log]];
	for (uint32_t n = 0; n < entry->words[log]; n++, word++) {
		gputm__io_u64_max(io, &word->address, self->address_max, "address of a log word");
		gputm__io_u32(io, &word->value);
		word->lane = index;
	}
}

static void io_entry(struct gputm_commit_unit *self, struct gputm__io *io, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	gputm__io_u64(io, &entry->rcid);
	gputm__io_u64(io, &entry->ycid);
	gputm__io_u32s(io, entry->words, 2);
	gputm__io_u32(io, &entry->answered);
	gputm__io_u8(io, &entry->flags);
	gputm__io_u8(io, &entry->asked);
	if (entry->asked > GPUTM_COMMIT_FOR_COMMIT + 1)
		gputm__io_fail(io, -EINVAL, "an unknown purpose");
	if (gputm__io_reading(io))
		entry->pending = self->slot[index].stage <= GPUTM_COMMIT_HAZARD;
}

static void io_slot(struct gputm_commit_unit *self, struct gputm__io *io, uint64_t cid)
{
	uint32_t index = gputm__commit_index(self, cid);
	struct gputm__commit_slot *slot = &self->slot[index];
	uint8_t mark = slot->mark & (uint8_t)~GPUTM__WAITED;

	gputm__io_u8(io, &slot->stage);
	gputm__io_u8(io, &mark);
	gputm__io_u8(io, &slot->lane);
	gputm__io_u8(io, &slot->lanes);
	if (gputm__io_reading(io))
		slot->mark = mark;
	if (mark > GPUTM__HOLDS * 2 - 1 || mark & GPUTM__WAITED ||
	    slot->lanes > self->config.lanes)
		gputm__io_fail(io, -EINVAL, "an impossible ring slot");
	if (!io->error && mark & GPUTM__BODY)
		io_entry(self, io, index);
	if (!io->error && mark & (GPUTM__BODY | GPUTM__HOLDS)) {
		io_kept(self, io, index, 0);
		io_kept(self, io, index, 1);
	}
	if (!io->error && mark & GPUTM__LAST)
		gputm__io_u64s(io, &self->warp[index].words, 3);
	if (!io->error && mark & GPUTM__LAST && self->config.warp_mode)
		gputm__io_u64s(io, &self->tally[index].seen, 4);
}

static void io_pointers(struct gputm_commit_unit *self, struct gputm__io *io)
{
	uint64_t span = self->head - self->oldest;

	gputm__io_u64_max(io, &self->oldest, CID_MAX, "CID");
	gputm__io_u64_max(io, &span, self->config.ring, "more CIDs than the ring has");
	if (gputm__io_reading(io))
		self->head = self->oldest + span;
	gputm__io_u64_max(io, &self->hazard, self->head, "hazard pointer");
	gputm__io_u64_max(io, &self->commit, self->hazard, "commit pointer");
	if (self->commit < self->oldest)
		gputm__io_fail(io, -EINVAL, "commit pointer");
	gputm__io_u64(io, &self->hazard_word);
}

/* An entry, by its CID. */
static void io_index(struct gputm_commit_unit *self, struct gputm__io *io, uint32_t *index)
{
	uint64_t cid = gputm__io_reading(io) ? 0 : gputm__commit_cid(self, *index);

	gputm__io_u64(io, &cid);
	if (!gputm__io_reading(io) || io->error)
		return;
	*index = gputm__commit_index(self, cid);
	if (cid - self->oldest >= self->head - self->oldest ||
	    !(self->slot[*index].mark & GPUTM__BODY))
		gputm__io_fail(io, -EINVAL, "a word or list of an entry that is not there");
}

static void io_list(struct gputm_commit_unit *self, struct gputm__io *io,
		    struct gputm__commit_list *list, uint8_t stage)
{
	uint32_t count = 0, index = list->head;

	for (; !gputm__io_reading(io) && index != GPUTM__NONE; index = self->entry[index].link)
		count++;
	gputm__io_u32_max(io, &count, self->config.ring, "list longer than the ring");
	for (index = list->head; count-- && !io->error;) {
		io_index(self, io, &index);
		if (!gputm__io_reading(io)) {
			index = self->entry[index].link;
			continue;
		}
		if (io->error || self->slot[index].stage != stage) {
			gputm__io_fail(io, -EINVAL, "a list of entries of another stage");
			return;
		}
		gputm__commit_append(self, list, index);
	}
}

/* ---- ports ---- */

/* Words of a request; of one that is done, only how many. */
static void io_request(struct gputm_commit_unit *self, struct gputm__io *io,
		       struct gputm__commit_port *port, uint64_t sequence, uint32_t span)
{
	struct gputm_commit_word *first = &port->word[sequence & port->mask];

	for (uint32_t n = 0; n < (span & ~GPUTM__DONE) && !io->error; n++) {
		struct gputm_commit_word *word = &port->word[(sequence + n) & port->mask];

		if (gputm__io_reading(io))
			port->span[(sequence + n) & port->mask] = n ? 0 : span;
		if (span & GPUTM__DONE)
			continue;
		gputm__io_u64_max(io, &word->address, self->address_max, "address at a port");
		gputm__io_u32(io, &word->value);
		io_index(self, io, &word->lane);
		if (((word->address ^ first->address) & self->region_mask) || word->address & 3)
			gputm__io_fail(io, -EINVAL, "a request across regions");
		if (gputm__io_reading(io) && !io->error)
			self->entry[word->lane].pending++;
	}
}

/* Only what is in flight can be done, but for the oldest. */
static bool span_fits(const struct gputm_commit_unit *self, const struct gputm__commit_port *port,
		      uint64_t sequence, uint32_t span)
{
	uint32_t most = self->config.warp_mode ? self->config.port_words : 1;
	uint32_t words = span & ~GPUTM__DONE;
	bool flies = sequence - port->oldest < port->issued - port->oldest;

	if (words - 1 >= most || words > (flies ? port->issued : port->filled) - sequence)
		return false;
	return words == span || (flies && sequence != port->oldest);
}

static void io_requests(struct gputm_commit_unit *self, struct gputm__io *io,
			struct gputm__commit_port *port)
{
	for (uint64_t at = port->oldest; at != port->filled && !io->error;) {
		uint32_t span = port->span[at & port->mask];

		gputm__io_u32(io, &span);
		if (!io->error && !span_fits(self, port, at, span))
			gputm__io_fail(io, -EINVAL, "an impossible request");
		if (io->error)
			return;
		io_request(self, io, port, at, span);
		port->detours += gputm__io_reading(io) && span & GPUTM__DONE;
		at += span & ~GPUTM__DONE;
	}
}

static void io_port(struct gputm_commit_unit *self, struct gputm__io *io,
		    struct gputm__commit_port *port)
{
	uint64_t flying = port->issued - port->oldest, all = port->filled - port->oldest;

	gputm__io_u64_max(io, &port->oldest, CID_MAX, "sequence number");
	gputm__io_u64_max(io, &all, self->config.port_words, "more words than a port holds");
	gputm__io_u64_max(io, &flying, all, "more words in flight than there are");
	gputm__io_bool(io, &port->offered);
	if (gputm__io_reading(io)) {
		port->issued = port->oldest + flying;
		port->filled = port->oldest + all;
	}
	if (port->offered && port->issued == port->filled)
		gputm__io_fail(io, -EINVAL, "an empty port offers a request");
	io_requests(self, io, port);
}

/* ---- queues ---- */

static void io_message(struct gputm_commit_unit *self, struct gputm__io *io,
		       struct gputm_commit_message *message)
{
	gputm__io_u32(io, &message->kind);
	gputm__io_u32(io, &message->purpose);
	gputm__io_u64(io, &message->first_cid);
	gputm__io_u32(io, &message->lanes);
	gputm__io_u32_max(io, &message->words, GPUTM_COMMIT_WORDS, "words of a message");
	gputm__io_u64(io, &message->mask);
	gputm__io_u64(io, &message->yes);
	for (uint32_t n = 0; n < message->words && !io->error; n++) {
		gputm__io_u64(io, &message->word[n].address);
		gputm__io_u32(io, &message->word[n].value);
		gputm__io_u32(io, &message->word[n].lane);
	}
	if (gputm__io_reading(io) && !io->error && !gputm__commit_queueable(self, message))
		gputm__io_fail(io, -EINVAL, "a queued message that would have been refused");
}

static void io_inbox(struct gputm_commit_unit *self, struct gputm__io *io,
		     struct gputm__commit_inbox *in)
{
	gputm__io_u32_max(io, &in->count, in->depth, "more messages than the port holds");
	gputm__io_u32(io, &in->word);
	if (gputm__io_reading(io))
		in->head = 0;
	for (uint32_t n = 0; n < in->count && !io->error; n++) {
		uint32_t at = in->head + n;

		io_message(self, io, &in->message[at < in->depth ? at : at - in->depth]);
	}
	if (!io->error && in->word && (!in->count || in->word >= gputm__commit_front(in)->words))
		gputm__io_fail(io, -EINVAL, "words consumed that are not there");
}

static void io_outbox(struct gputm__io *io, struct gputm__commit_outbox *out)
{
	gputm__io_u32_max(io, &out->count, out->depth, "more reports than the queue holds");
	if (gputm__io_reading(io))
		out->head = 0;
	for (uint32_t n = 0; n < out->count && !io->error; n++) {
		uint32_t at = out->head + n;
		struct gputm_commit_report *report =
			&out->report[at < out->depth ? at : at - out->depth];

		gputm__io_u32_max(io, &report->kind, GPUTM_COMMIT_RESEND, "kind of a report");
		gputm__io_u32_max(io, &report->purpose, GPUTM_COMMIT_FOR_COMMIT, "purpose");
		gputm__io_u64(io, &report->first_cid);
		gputm__io_u32_max(io, &report->lanes, GPUTM_COMMIT_LANES, "lanes of a report");
		gputm__io_u64(io, &report->mask);
		gputm__io_u64(io, &report->yes);
	}
}

/* ---- all of it ---- */

static void rebuild_entry(struct gputm_commit_unit *self, uint64_t cid)
{
	uint32_t index = gputm__commit_index(self, cid);
	struct gputm__commit_entry *entry = &self->entry[index];

	self->active += self->slot[index].stage != GPUTM_COMMIT_UNUSED;
	if (!(self->slot[index].mark & GPUTM__BODY))
		return;
	if (self->slot[index].stage == GPUTM_COMMIT_VALIDATE &&
	    (entry->flags & (GPUTM__HAZARDOUS | GPUTM__WOKEN)) == GPUTM__HAZARDOUS)
		gputm__commit_wait_for(self, index);
	if (entry->flags & GPUTM__COUNTED)
		gputm__commit_count(self, index);
}

static void rebuild(struct gputm_commit_unit *self)
{
	for (uint64_t cid = self->oldest; cid != self->head; cid++)
		rebuild_entry(self, cid);
	for (uint64_t cid = self->commit; self->config.warp_mode && cid-- != self->oldest;) {
		uint32_t index = gputm__commit_index(self, cid);

		if (self->slot[index].mark & GPUTM__LAST)
			break;
		if (self->slot[index].stage == GPUTM_COMMIT_READY)
			self->gathered += self->entry[index].words[1];
	}
	self->hazard_done = self->hazard_word;
	gputm__commit_set_expiry(self);
}

/* How long entries have been in their stages: only the histograms want to know. */
void gputm__commit_io_stats(struct gputm_commit_unit *self, struct gputm__io *io)
{
	for (uint64_t cid = self->oldest; cid != self->head && !io->error; cid++) {
		uint32_t index = gputm__commit_index(self, cid);
		uint64_t age = self->now - self->entry[index].since;

		if (!(self->slot[index].mark & GPUTM__BODY))
			continue;
		gputm__io_u64(io, &age);
		self->entry[index].since = self->now - age;
	}
}

void gputm__commit_io(struct gputm_commit_unit *self, struct gputm__io *io)
{
	io_pointers(self, io);
	for (uint64_t cid = self->oldest; cid != self->head && !io->error; cid++)
		io_slot(self, io, cid);
	io_list(self, io, &self->revalidate, GPUTM_COMMIT_VALIDATE);
	io_list(self, io, &self->finalise, GPUTM_COMMIT_FINALISE);
	io_port(self, io, &self->port[0]);
	io_port(self, io, &self->port[1]);
	io_inbox(self, io, &self->input);
	io_inbox(self, io, &self->resent);
	io_outbox(io, &self->output);
	if (gputm__io_reading(io) && !io->error && !gputm__commit_check_entries(self))
		rebuild(self);
	else if (gputm__io_reading(io) && !io->error)
		gputm__io_fail(io, -EINVAL, gputm__commit_check_entries(self));
}
