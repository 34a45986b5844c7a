/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Invariants of the commit unit, as its essay numbers them. check_entries() looks at
 * one ring entry after the other and is what a loaded state must pass before anything
 * is rebuilt from it.
 */
#include "lib/kilotm/commit_unit-can.h"
#include "lib/kilotm/last_writer.h"

/* Flags that an entry of a stage may not have. */
static bool flags_fit(const struct gputm_commit_unit *self, uint32_t index)
{
	uint8_t flags = self->entry[index].flags, stage = self->slot[index].stage;

	if (stage < GPUTM_COMMIT_VALIDATE && flags & (GPUTM__WOKEN | GPUTM__AGAIN))
		return false;
	if (stage > GPUTM_COMMIT_VALIDATE && flags & GPUTM__HAZARDOUS)
		return false;
	if (stage < GPUTM_COMMIT_WRITE && flags & GPUTM__COMMITTED)
		return false;
	if (flags & GPUTM__COUNTED && (stage < GPUTM_COMMIT_WAIT || !self->config.pending_block))
		return false;
	return stage < GPUTM_COMMIT_WAIT || stage == GPUTM_COMMIT_FINISHED ||
	       !(flags & GPUTM__FAILED);
}

/* Whether the stage still needs the log, in its buffer unless it is unbounded. */
static bool buffer_fits(const struct gputm_commit_unit *self, uint32_t index, int log)
{
	const struct gputm__commit_entry *entry = &self->entry[index];
	uint8_t stage = self->slot[index].stage;
	bool needed = stage < (log ? GPUTM_COMMIT_WRITE : GPUTM_COMMIT_WAIT) ||
		      (log && entry->flags & GPUTM__COUNTED);

	if (gputm__commit_unbounded(entry, (uint32_t)log) || !entry->words[log] || !needed)
		return true;
	return entry->words[log] <= entry->limit[log];
}

/* Whether the stage and place of an entry explain the log that is asked for. */
static bool asked_fits(const struct gputm_commit_unit *self, uint64_t cid)
{
	uint32_t index = gputm__commit_index(self, cid);
	const struct gputm__commit_entry *entry = &self->entry[index];
	uint8_t stage = self->slot[index].stage;

	if (!entry->asked)
		return true;
	if (!gputm__commit_unbounded(entry, (entry->asked - 1) & 1))
		return false;
	if (entry->asked == GPUTM_COMMIT_FOR_REVALIDATE + 1)
		return stage == GPUTM_COMMIT_VALIDATE;
	if (entry->asked == GPUTM_COMMIT_FOR_COMMIT + 1)
		return stage == GPUTM_COMMIT_READY && cid == self->commit;
	return stage == GPUTM_COMMIT_HAZARD && cid == self->hazard;
}

static const char *check_body(const struct gputm_commit_unit *self, uint64_t cid)
{
	uint32_t index = gputm__commit_index(self, cid);
	const struct gputm__commit_entry *entry = &self->entry[index];

	if (self->slot[index].stage == GPUTM_COMMIT_UNUSED)
		return "C3: an entry without a stage";
	if (entry->rcid > self->oldest || entry->rcid > cid)
		return "C3: an RCID above the oldest CID";
	if (cid - entry->rcid >= self->config.ring)
		return "C3: an RCID from before the ring";
	if (entry->flags & GPUTM__HAZARDOUS && (entry->ycid >= cid || entry->ycid < entry->rcid))
		return "C3: a YCID that is no hazard";
	if (self->slot[index].stage <= GPUTM_COMMIT_HAZARD && !(entry->flags & GPUTM__HAZARDOUS) &&
	    entry->ycid)
		return "C3: a YCID without a hazard";
	if (entry->flags & GPUTM__WOKEN && entry->ycid >= self->oldest)
		return "C3: an entry woken before its YCID has retired";
	if (!flags_fit(self, index))
		return "C3: flags that the stage does not know";
	if (!buffer_fits(self, index, 0) || !buffer_fits(self, index, 1))
		return "C4: a log that is needed and nowhere";
	if (!asked_fits(self, cid))
		return "C3: a log is asked for that is not needed now";
	return NULL;
}

static const char *check_place(const struct gputm_commit_unit *self, uint64_t cid)
{
	const struct gputm__commit_slot *slot = &self->slot[gputm__commit_index(self, cid)];
	const struct gputm__commit_slot *next = &self->slot[gputm__commit_index(self, cid + 1)];
	bool last = slot->mark & GPUTM__LAST;

	if (!slot->lanes && !slot->lane && !slot->mark && !slot->stage)
		return NULL;
	if (slot->stage > GPUTM_COMMIT_FINISHED || slot->lane >= slot->lanes)
		return "C2: an impossible ring slot";
	if (last != (slot->lane + 1 == slot->lanes))
		return "C2: a warp that ends at another entry";
	if (!last && (cid + 1 == self->head || next->lanes != slot->lanes ||
		      next->lane != slot->lane + 1))
		return "C2: a warp with a gap";
	return NULL;
}

/* What the messages pushed for the warp of the entry have said of its lanes. */
static const char *check_warp(const struct gputm_commit_unit *self, uint64_t cid)
{
	uint32_t index = gputm__commit_index(self, cid);
	const struct gputm__commit_slot *slot = &self->slot[index];
	uint32_t last = (index + slot->lanes - 1 - slot->lane) & self->mask;
	const struct gputm__commit_warp *warp = &self->warp[slot->lanes ? last : index];
	uint64_t all = warp->words | warp->closed | warp->judged;

	if (self->config.warp_mode) {
		const struct gputm__commit_tally *tally =
			&self->tally[slot->lanes ? last : index];

		all |= tally->seen | tally->active | tally->decided | tally->passed;
	}
	if (all & ~gputm__low_mask(slot->lanes))
		return "C2: a warp with more lanes than it has";
	if (slot->stage > GPUTM_COMMIT_FILL && !(warp->closed >> slot->lane & 1))
		return "C2: an entry that nobody has closed";
	if (slot->stage == GPUTM_COMMIT_FILL && !((warp->words | warp->closed) >> slot->lane & 1))
		return "C2: an entry that nobody has begun";
	return NULL;
}

static const char *check_order(const struct gputm_commit_unit *self, uint64_t cid)
{
	const struct gputm__commit_slot *slot = &self->slot[gputm__commit_index(self, cid)];

	if (slot->mark & GPUTM__HOLDS &&
	    (slot->mark & GPUTM__BODY || slot->stage != GPUTM_COMMIT_FINISHED))
		return "C3: a skip's buffers without a skip";
	if (!(slot->mark & GPUTM__BODY) && slot->stage != GPUTM_COMMIT_UNUSED &&
	    slot->stage != GPUTM_COMMIT_FINISHED)
		return "C3: a stage without an entry";
	if (cid < self->hazard && slot->stage <= GPUTM_COMMIT_HAZARD)
		return "C1: hazard detection has passed what it has not done";
	if (cid >= self->hazard && slot->stage > GPUTM_COMMIT_HAZARD &&
	    slot->mark & GPUTM__BODY)
		return "C1: hazard detection has not passed what it has done";
	if (cid < self->commit && slot->stage < GPUTM_COMMIT_READY)
		return "C1: commit has passed what it has not done";
	return NULL;
}

const char *gputm__commit_check_entries(const struct gputm_commit_unit *self)
{
	const char *broken = NULL;
	uint32_t hazard = gputm__commit_index(self, self->hazard);

	for (uint64_t cid = self->oldest; cid != self->head && !broken; cid++) {
		broken = check_place(self, cid);
		if (!broken)
			broken = check_warp(self, cid);
		if (!broken)
			broken = check_order(self, cid);
		if (!broken && self->slot[gputm__commit_index(self, cid)].mark & GPUTM__BODY)
			broken = check_body(self, cid);
	}
	if (!broken && self->hazard_word &&
	    (self->hazard == self->head || self->slot[hazard].stage != GPUTM_COMMIT_HAZARD ||
	     self->hazard_word >
		     (uint64_t)self->entry[hazard].words[0] + self->entry[hazard].words[1]))
		broken = "C1: hazard detection is ahead of its entry";
	return broken;
}

/* ---- sums ---- */

struct sums {
	uint64_t active, skips, buffers, pending, unbounded, pending_words;
	uint64_t failed, passed, committed;
};

static void add_entry(const struct gputm_commit_unit *self, uint32_t index, struct sums *sums)
{
	const struct gputm__commit_entry *entry = &self->entry[index];
	uint8_t mark = self->slot[index].mark, stage = self->slot[index].stage;

	sums->active += stage != GPUTM_COMMIT_UNUSED;
	if (mark & (GPUTM__BODY | GPUTM__HOLDS))
		for (int log = 0; log < 2; log++)
			sums->buffers += !!entry->limit[log];
	if (!(mark & GPUTM__BODY)) {
		sums->skips += stage == GPUTM_COMMIT_FINISHED;
		return;
	}
	sums->pending += entry->pending - (stage <= GPUTM_COMMIT_HAZARD);
	sums->failed += stage == GPUTM_COMMIT_FINISHED && entry->flags & GPUTM__FAILED;
	sums->passed += stage >= GPUTM_COMMIT_WAIT && !(entry->flags & GPUTM__FAILED);
	if (entry->flags & GPUTM__COUNTED && gputm__commit_unbounded(entry, 1))
		sums->unbounded++;
	else if (entry->flags & GPUTM__COUNTED)
		sums->pending_words += entry->words[1];
}

static uint64_t words_at(const struct gputm__commit_port *port)
{
	uint64_t words = 0;

	for (uint64_t sequence = port->oldest; sequence != port->filled;) {
		uint32_t span = port->span[sequence & port->mask];

		words += span & GPUTM__DONE ? 0 : span;
		sequence += span & ~GPUTM__DONE;
	}
	return words;
}

void gputm__commit_laws(const struct gputm_commit_unit *self, struct gputm__laws *laws)
{
	uint64_t reads = words_at(&self->port[0]), writes = words_at(&self->port[1]);
	struct sums sums = { 0 };

	for (uint64_t cid = self->oldest; cid != self->head; cid++)
		add_entry(self, gputm__commit_index(self, cid), &sums);
	gputm__law(laws, self->begun + self->skips,
		   self->committed + self->failed_here + self->failed_elsewhere +
			   self->skips_retired + self->active,
		   "C5: begun + skips = committed + failed + skips retired + active");
	gputm__law(laws, self->skips, self->skips_retired + sums.skips,
		   "C5: skips = skips retired + skips in the ring");
	gputm__law(laws, self->consumed[0] + self->requeued,
		   self->compared[0] + self->compared[1] + reads,
		   "C6: read words = words compared + words at the validation port");
	gputm__law(laws, self->reissued, self->written + writes,
		   "C6: words issued = words written + words at the commit port");
	gputm__law(laws, self->outcomes_failed, self->failed_here + sums.failed,
		   "C8: outcomes of failure = ends + entries that wait for theirs");
	gputm__law(laws, self->outcomes_passed,
		   self->committed + self->failed_elsewhere + sums.passed,
		   "C8: outcomes of success = ends + entries that wait for theirs");
}

static const char *check_sums(const struct gputm_commit_unit *self, const struct sums *sums)
{
	uint64_t reads = words_at(&self->port[0]), writes = words_at(&self->port[1]);
	uint64_t counted = 0;

	for (uint32_t n = 0; self->config.pending_block && n < self->config.pending_entries; n++)
		counted += self->pending[n];
	if (sums->active != self->active)
		return "C5: active = entries in a stage";
	if (sums->pending != reads + writes)
		return "C6: pending words of the entries = words at the ports";
	if (sums->buffers != self->buffers_used)
		return "C7: buffers in use = buffers held by entries";
	if (sums->unbounded != self->pending_unbounded || sums->pending_words != counted)
		return "C9: pending writes counted = write-sets that are pending";
	return NULL;
}

/* ---- lists ---- */

static const char *check_lists(const struct gputm_commit_unit *self)
{
	uint64_t finalise = 0, left = self->active + 1;

	for (uint32_t n = self->revalidate.head; n != GPUTM__NONE; n = self->entry[n].link)
		if (!left-- || self->slot[n].stage != GPUTM_COMMIT_VALIDATE ||
		    self->entry[n].pending || !(self->entry[n].flags & GPUTM__WOKEN))
			return "C10: an entry that is not ready for revalidation";
	left = self->active + 1;
	for (uint32_t n = self->finalise.head; n != GPUTM__NONE;
	     n = self->entry[n].link, finalise++)
		if (!left-- || self->slot[n].stage != GPUTM_COMMIT_FINALISE ||
		    self->entry[n].pending)
			return "C10: an entry that is not ready for its outcome";
	for (uint64_t cid = self->oldest; cid != self->head && !self->config.warp_mode; cid++)
		finalise -=
			self->slot[gputm__commit_index(self, cid)].stage == GPUTM_COMMIT_FINALISE;
	return self->config.warp_mode || !finalise ? NULL : "C10: an outcome that nobody reports";
}

/* A stage without its bit has no step to take; those with it look for themselves. */
static const char *check_may(const struct gputm_commit_unit *self)
{
	uint32_t can = 0;

	can |= gputm__commit_can_revalidate(self) ? GPUTM__MAY_REVALIDATE : 0;
	can |= gputm__commit_can_finalise(self) ? GPUTM__MAY_FINALISE : 0;
	can |= gputm__commit_can_commit(self) ? GPUTM__MAY_COMMIT : 0;
	can |= gputm__commit_can_retire(self) ? GPUTM__MAY_RETIRE : 0;
	can |= gputm__commit_can_resent(self) ? GPUTM__MAY_RESENT : 0;
	return can & ~self->may ? "C11: a stage that is not asked although it has a step" : NULL;
}

const char *gputm__commit_check(const struct gputm_commit_unit *self)
{
	struct sums sums = { 0 };
	const char *broken;

	if (self->oldest > self->commit || self->commit > self->hazard ||
	    self->hazard > self->head || self->head - self->oldest > self->config.ring)
		return "C1: oldest <= commit <= hazard <= head <= oldest + ring";
	if (self->oldest < self->config.first_cid ||
	    gputm__writers_newest(self->history) > self->hazard - self->config.first_cid)
		return "C1: hazard detection is behind its history";
	broken = gputm__commit_check_entries(self);
	for (uint64_t cid = self->oldest; cid != self->head && !broken; cid++)
		add_entry(self, gputm__commit_index(self, cid), &sums);
	if (!broken)
		broken = check_sums(self, &sums);
	if (!broken)
		broken = check_lists(self);
	if (!broken)
		broken = check_may(self);
	return broken;
}
