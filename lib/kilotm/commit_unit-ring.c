/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring of the commit unit: places of entries, lists of entries, buffers of logs, and the table
 * of pending writes.
 */
#include "lib/kilotm/commit_unit-priv.h"

/* ---- places ---- */

#define PLACES_LEAST 8 /* as gputm__own_more() gives */

/*
 * The entries move to where the larger mask puts their CIDs. From 4 places to 8, CIDs 6 to 8:
 *
 *	place  0 1 2 3         0 1 2 3 4 5 6 7
 *	CID    8 - 6 7   ->    8 - - - - - 6 7
 *
 * An entry stays or goes to a new place, and all new places are free: the order does not matter.
 */
static void spread(struct gputm_commit_unit *self, uint32_t before)
{
	for (uint64_t cid = self->oldest; cid != self->head; cid++) {
		uint32_t from = (uint32_t)cid & (before - 1), to = (uint32_t)cid & self->mask;

		if (from == to)
			continue;
		self->entry[to] = self->entry[from];
		self->entry[from] = (struct entry){ 0 };
		self->pushed[to] = self->pushed[from];
		self->pushed[from] = (struct pushed){ { 0 } };
	}
}

/* Memory for buffers is touched when a buffer is first used, and not here. */
static int make_buffers(struct gputm_commit_unit *self, size_t buffers)
{
	int error = gputm__own_more(&self->unit, &self->returned, &self->pool, buffers,
				    sizeof(*self->returned));

	if (error)
		return error;
	return gputm__own_more(&self->unit, &self->buffers, &self->pool_words,
			       buffers * self->config.buffer_words, sizeof(*self->buffers));
}

int gputm__commit_make_room(struct gputm_commit_unit *self, uint64_t cids)
{
	const struct gputm_commit_unit_config *c = &self->config;
	uint32_t need = (uint32_t)cids + c->lanes, before = (uint32_t)self->places;
	uint32_t places = 1u << gputm__bits_for(need < PLACES_LEAST ? PLACES_LEAST : need);
	int error = make_buffers(self, 2 * places < c->buffers ? 2 * places : c->buffers);

	if (!error)
		error = gputm__own_more(&self->unit, &self->pushed, &self->pushed_places, places,
					sizeof(*self->pushed));
	if (!error)
		error = gputm__own_more(&self->unit, &self->entry, &self->places, places,
					sizeof(*self->entry));
	if (error)
		return error;
	memset(&self->entry[before], 0, (self->places - before) * sizeof(*self->entry));
	memset(&self->pushed[before], 0, (self->places - before) * sizeof(*self->pushed));
	self->mask = (uint32_t)self->places - 1;
	self->reach = (uint32_t)self->places - c->lanes;
	spread(self, before);
	return 0;
}

/* ---- lists ---- */

void gputm__commit_append(struct gputm_commit_unit *self, struct list *list, struct entry *entry)
{
	struct entry *last = list->last ? entry_at(self, list->last) : entry;

	if (list->last)
		entry->link = last->link;
	list->last = last->link = short_cid_of(self, entry);
}

struct entry *gputm__commit_take(struct gputm_commit_unit *self, struct list *list)
{
	struct entry *last = entry_at(self, list->last);
	struct entry *first = entry_at(self, last->link);

	last->link = first->link;
	if (first == last)
		list->last = 0;
	return first;
}

/* ---- buffers ---- */

/*
 * The buffer that was given back last, or the first that has never been in use:
 *
 *	buffers   1 .. touched: in use, or in returned[]   |   never in use
 *	returned  [0 .. touched - used), the last one given back last
 */
bool gputm__commit_take_buffer(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	uint64_t returned = self->buffers_touched - self->buffers_used;

	if (self->buffers_used == self->config.buffers)
		return false;
	entry->buffer[log] = returned ? self->returned[returned - 1] : ++self->buffers_touched;
	self->buffers_used++;
	gputm__maximum(&self->buffers_max, self->buffers_used);
	return true;
}

/* ---- pending writes ---- */

static uint32_t *pending_at(const struct gputm_commit_unit *self, uint64_t address)
{
	return &self->pending_writes[address >> self->pending_shift &
				     (self->config.pending_entries - 1)];
}

void gputm__commit_pend(struct gputm_commit_unit *self, const struct entry *entry, int amount)
{
	if (is_unbounded(entry, 1)) {
		self->pending_unbounded += (uint64_t)amount;
		return;
	}
	for (uint32_t n = 0; n < entry->words[1]; n++)
		*pending_at(self, buffer_of(self, entry, 1)[n].address) += (uint32_t)amount;
}

bool gputm_commit_unit_write_pending(const struct gputm_commit_unit *self, uint64_t address)
{
	if (!self->config.pending_block)
		return false;
	return self->pending_unbounded || *pending_at(self, address);
}
