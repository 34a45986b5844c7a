/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commit unit's last writer history: hazard detection asks, word by word, who may still write
 * what an entry has read, and records the entry's own writes.
 */
#include "lib/kilotm/commit_unit-priv.h"
#include "lib/kilotm/last_writer.h"

/* CIDs in the history count from the first one. An RCID before that is only in forged snapshots, of
 * which the check asks no more than that the RCID be less than a ring before its CID. */
static uint64_t history_cid(const struct gputm_commit_unit *self, uint64_t cid)
{
	return cid < self->config.first_cid ? 0 : cid - self->config.first_cid;
}

/* May a writer still write the word, as it had not retired at the first comparison? */
static void look_up(struct gputm_commit_unit *self, struct entry *entry, uint64_t address)
{
	uint64_t first = cid_of(self, entry) - entry->lane, writer;

	if (gputm__mutant(GPUTM__MUTANT_NO_HAZARD) ||
	    (gputm__mutant(GPUTM__MUTANT_BLIND_BIT) && address >> 5 & 1) ||
	    !gputm__youngest_writer(self->history, address, history_cid(self, entry->rcid),
				    &writer))
		return;
	writer += self->config.first_cid;
	/* No writer of the entry's own warp is a hazard, as the warp has resolved its conflicts
	 * (6.2, 6.3): the filter names one by mistake, the table only if the host has resolved
	 * none. The answer may hide an older writer: assume the youngest. */
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
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_EVENT_HAZARD, cid_of(self, entry), address,
		    writer, self->cycles);
}

/* The smallest RCID of the entries that are not yet detected; older writers can be forgotten. */
static uint64_t smallest_rcid(const struct gputm_commit_unit *self)
{
	uint64_t smallest = self->oldest;

	for (uint64_t cid = self->hazard; cid < self->head; cid++) {
		const struct entry *entry = entry_at(self, cid);

		if (entry->begun && entry->rcid < smallest)
			smallest = entry->rcid;
	}
	return smallest;
}

void gputm__commit_set_expiry(struct gputm_commit_unit *self)
{
	self->expire_at = gputm_last_writer_base(self->history) + self->config.first_cid +
			  (UINT64_C(1) << (self->config.cid_bits - 1));
}

/* Move the history's range of CIDs; after a long run of skips several ranges on. */
static void expire(struct gputm_commit_unit *self)
{
	uint64_t floor = history_cid(self, smallest_rcid(self)), step;

	do {
		step = gputm_last_writer_limit(self->history) + 1;
		if (gputm_last_writer_expire(self->history, floor < step ? floor : step, NULL))
			gputm__assert(false);
	} while (floor > step);
	gputm__commit_set_expiry(self);
}

static void record(struct gputm_commit_unit *self, uint64_t address)
{
	if (self->hazard >= self->expire_at)
		expire(self);
	if (gputm_last_writer_record(self->history, address, history_cid(self, self->hazard)) < 0)
		gputm__assert(false);
}

void gputm__commit_detect_word(struct gputm_commit_unit *self, struct entry *entry,
			       uint64_t address)
{
	if (self->detected++ < entry->words[0])
		look_up(self, entry, address);
	else
		record(self, address);
}
