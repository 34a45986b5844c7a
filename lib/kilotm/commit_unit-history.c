/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hazard detection of the commit unit, word by word (Fig. 4.5): who has written what an entry has
 * read, and the writes of the entry, in the last writer history.
 */
#include "lib/kilotm/commit_unit-priv.h"
#include "lib/kilotm/last_writer.h"

/* CIDs in the history are relative to the first one. */
static inline uint64_t told(const struct gputm_commit_unit *self, uint64_t cid)
{
	return cid < self->config.first_cid ? 0 : cid - self->config.first_cid;
}

/* May the writer still write the word, as it had not retired at the first comparison? */
APART void look_up(struct gputm_commit_unit *self, struct entry *entry, uint64_t address)
{
	uint64_t first = first_cid_of(self, entry), writer;

	if (gputm__mutant(GPUTM__MUTANT_NO_HAZARD) ||
	    (gputm__mutant(GPUTM__MUTANT_BLIND_BIT) && address >> 5 & 1) ||
	    !gputm__youngest_writer(self->history, address, told(self, entry->rcid), &writer))
		return;
	writer += self->config.first_cid;
	/* The filter may wrongly name the entry's own warp: then assume that the writer is
	 * older. */
	if (self->config.warp_mode && writer >= first) {
		if (!first)
			return;
		writer = first - 1;
	}
	if (writer < entry->rcid ||
	    (gputm__mutant(GPUTM__MUTANT_EQUAL_RCID) && writer == entry->rcid))
		return;
	self->hazard_words++;
	entry->flags |= GPUTM__HAZARDOUS;
	gputm__maximum(&entry->ycid, writer);
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_HAZARD, cid_of(self, entry), address, writer,
		    self->cycles);
}

/* The smallest RCID in use up to hazard detection; older writers can be forgotten. */
static uint64_t floor_of(const struct gputm_commit_unit *self)
{
	uint64_t floor = self->oldest;

	for (uint64_t cid = self->hazard; cid < self->head; cid++) {
		const struct entry *entry = entry_at(self, cid);

		if (entry->body && entry->rcid < floor)
			floor = entry->rcid;
	}
	return floor;
}

void gputm__commit_set_expiry(struct gputm_commit_unit *self)
{
	self->expire_at = gputm_last_writer_base(self->history) + self->config.first_cid +
			  (UINT64_C(1) << (self->config.cid_bits - 1));
}

/* After a long run of skips the history may be several ranges behind. */
GPUTM__COLD static void expire(struct gputm_commit_unit *self)
{
	uint64_t floor = told(self, floor_of(self)), step;

	do {
		step = gputm_last_writer_limit(self->history) + 1;
		if (gputm_last_writer_expire(self->history, floor < step ? floor : step, NULL))
			gputm__assert(false);
	} while (floor > step);
	gputm__commit_set_expiry(self);
}

static inline void record(struct gputm_commit_unit *self, uint64_t address)
{
	if (GPUTM__UNLIKELY(self->hazard >= self->expire_at))
		expire(self);
	if (gputm_last_writer_record(self->history, address, told(self, self->hazard)) < 0)
		gputm__assert(false);
}

void gputm__commit_detect_word(struct gputm_commit_unit *self, struct entry *entry,
			       uint64_t address)
{
	if (self->hazard_word++ < entry->words[0])
		look_up(self, entry, address);
	else
		record(self, address);
}
