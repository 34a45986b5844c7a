/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the commit unit reports to cores, and how an entry comes to its end: an end that the core
 * has to hear of (entry_done = written) waits on a list for room among the reports.
 */
#include "lib/kilotm/commit_unit-priv.h"

void gputm__commit_report(struct gputm_commit_unit *self, const struct entry *entry,
			  enum gputm_commit_unit_report_kind kind, uint64_t mask, uint64_t yes)
{
	struct gputm_commit_unit_report *out = gputm__queue_add(&self->output);

	*out = (struct gputm_commit_unit_report){
		.kind = kind,
		.first_cid = cid_of(self, entry) - entry->lane,
		.lanes = entry->lanes,
		.mask = mask,
		.yes = yes,
		.purpose = kind == GPUTM_COMMIT_UNIT_REPORT_RESEND ? entry->asked - 1u : 0,
	};
}

void gputm__commit_ask(struct gputm_commit_unit *self, struct entry *entry,
		       enum gputm_commit_unit_purpose purpose)
{
	entry->asked = (uint8_t)(purpose + 1);
	entry->resent = 0;
	pushed_for(self, entry)->lanes[GPUTM__PUSHED_RESENT] &= ~lane_bit(entry);
	self->resends++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_EVENT_RESEND, cid_of(self, entry), purpose,
		    self->cycles, 0);
	if (!gputm__mutant(GPUTM__MUTANT_DROP_RESEND))
		gputm__commit_report(self, entry, GPUTM_COMMIT_UNIT_REPORT_RESEND, lane_bit(entry),
				     0);
}

/* The first entry of the group that the core is to hear of, once the group writes no more; else
 * NULL. */
static struct entry *first_untold(const struct gputm_commit_unit *self, struct entry *entry)
{
	uint64_t end = cid_of(self, group_last(self, entry)) + 1;
	uint64_t cid = end - group_size(self, entry);
	struct entry *first = NULL;

	if (self->commit < end)
		return NULL;
	for (cid = cid < self->oldest ? self->oldest : cid; cid < end; cid++) {
		entry = entry_at(self, cid);
		if (entry->state < GPUTM_COMMIT_UNIT_STATE_FINISHED)
			return NULL;
		if (!first && entry->flags & GPUTM__UNTOLD)
			first = entry;
	}
	return first;
}

void gputm__commit_list_written(struct gputm_commit_unit *self, struct entry *entry)
{
	struct entry *first = first_untold(self, entry);

	if (first)
		gputm__commit_append(self, &self->untold, first);
}

void gputm__commit_finish(struct gputm_commit_unit *self, struct entry *entry)
{
	if (!(entry->flags & GPUTM__WRITES_QUEUED)) {
		if (is_write_pending(self, entry))
			gputm__commit_pend(self, entry, -1);
		if (holds_as_needed(self))
			drop_buffer(self, entry, 1);
	}
	enter_state(self, entry, GPUTM_COMMIT_UNIT_STATE_FINISHED);
	if (!(entry->flags & GPUTM__WRITES_QUEUED) || !tells_written(self))
		return;
	if (entry->words[1])
		entry->flags |= GPUTM__UNTOLD;
	gputm__commit_list_written(self, entry);
}

bool gputm__commit_tell_written(struct gputm_commit_unit *self)
{
	struct entry *first;
	uint64_t end, mask = 0;

	if (!can_tell_written(self))
		return false;
	first = gputm__commit_take(self, &self->untold);
	end = cid_of(self, group_last(self, first)) + 1;
	for (uint64_t cid = cid_of(self, first); cid < end; cid++) {
		struct entry *entry = entry_at(self, cid);

		mask |= entry->flags & GPUTM__UNTOLD ? lane_bit(entry) : 0;
		entry->flags &= (uint8_t)~GPUTM__UNTOLD;
	}
	gputm__commit_report(self, first, GPUTM_COMMIT_UNIT_REPORT_WRITTEN, mask, 0);
	return true;
}
