/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Invariants of the commit unit, as its essay numbers them. check_entries() looks at
 * one ring entry after the other and is what a loaded state must pass before anything
 * is rebuilt from it.
 */
#include "lib/kilotm/commit_unit-priv.h"
#include "lib/kilotm/last_writer.h"

/* Does the state of an entry allow its flags? tells: the core is told of completed writes. */
static bool flags_fit(const struct entry *entry, bool tells)
{
	uint32_t fit = GPUTM__UNBOUNDED << 0 | GPUTM__UNBOUNDED << 1, state = entry->state;
	bool written = state == GPUTM_COMMIT_UNIT_STATE_FINISHED &&
		       entry->flags & GPUTM__WRITES_QUEUED && entry->words[1];

	fit |= state >= GPUTM_COMMIT_UNIT_STATE_VALIDATE ? GPUTM__AGAIN : 0;
	fit |= state >= GPUTM_COMMIT_UNIT_STATE_FINALISE ? GPUTM__DECIDED : 0;
	fit |= state <= GPUTM_COMMIT_UNIT_STATE_VALIDATE ? GPUTM__HAZARDOUS : 0;
	fit |= state >= GPUTM_COMMIT_UNIT_STATE_WRITE ? GPUTM__WRITES_QUEUED : 0;
	fit |= state < GPUTM_COMMIT_UNIT_STATE_WAIT || state == GPUTM_COMMIT_UNIT_STATE_FINISHED
		       ? GPUTM__FAILED
		       : 0;
	fit |= tells && written ? GPUTM__UNTOLD : 0;
	return !(entry->flags & ~fit);
}

/* Is a log that the state still needs in its buffer, or unbounded? */
static bool buffer_fits(const struct gputm_commit_unit *self, const struct entry *entry,
			uint32_t log)
{
	bool needed = entry->state < (log ? GPUTM_COMMIT_UNIT_STATE_WRITE
					  : GPUTM_COMMIT_UNIT_STATE_WAIT) ||
		      (log && is_write_pending(self, entry));

	if (is_unbounded(entry, log) || !entry->words[log] || !needed)
		return true;
	return entry->buffer[log] && entry->words[log] <= self->config.buffer_words;
}

/* Do the state and the place of an entry explain the log that is asked for? */
static bool asked_fits(const struct gputm_commit_unit *self, const struct entry *entry,
		       uint64_t cid)
{
	if (!entry->asked)
		return true;
	if (!is_unbounded(entry, log_of(entry->asked - 1u)))
		return false;
	if (entry->asked == GPUTM_COMMIT_UNIT_PURPOSE_REVALIDATE + 1)
		return entry->state == GPUTM_COMMIT_UNIT_STATE_VALIDATE;
	if (entry->asked == GPUTM_COMMIT_UNIT_PURPOSE_COMMIT + 1)
		return entry->state == GPUTM_COMMIT_UNIT_STATE_READY && cid == self->commit;
	return entry->state == GPUTM_COMMIT_UNIT_STATE_HAZARD && cid == self->hazard;
}

static const char *check_body(const struct gputm_commit_unit *self, const struct entry *entry,
			      uint64_t cid)
{
	bool hazardous = entry->flags & GPUTM__HAZARDOUS;

	if (entry->rcid > self->oldest || entry->rcid > cid)
		return "C3: an RCID above the oldest CID";
	if (cid - entry->rcid >= self->config.ring)
		return "C3: an RCID from before the ring";
	if (hazardous && (entry->ycid >= cid || entry->ycid < entry->rcid))
		return "C3: a YCID that is no hazard";
	if (entry->state <= GPUTM_COMMIT_UNIT_STATE_HAZARD && !hazardous && entry->ycid)
		return "C3: a YCID without a hazard";
	if (!flags_fit(entry, tells_written(self)))
		return "C3: flags that the state does not know";
	if (!buffer_fits(self, entry, 0) || !buffer_fits(self, entry, 1))
		return "C4: a log that is needed and nowhere";
	return asked_fits(self, entry, cid) ? NULL
					    : "C3: a log is asked for that is not needed now";
}

static const char *check_place(const struct gputm_commit_unit *self, const struct entry *entry,
			       uint64_t cid)
{
	const struct entry *next = entry_at(self, cid + 1);

	if (!entry->lanes && !entry->lane && !entry->begun && !entry->state)
		return NULL;
	if (entry->state > GPUTM_COMMIT_UNIT_STATE_FINISHED || entry->lane >= entry->lanes)
		return "C2: an impossible place in a warp";
	if (!ends_warp(entry) &&
	    (cid + 1 == self->head || next->lanes != entry->lanes || next->lane != entry->lane + 1))
		return "C2: a warp with a gap";
	return NULL;
}

/* The messages pushed for the entry explain its state. */
static const char *check_pushed(const struct gputm_commit_unit *self, const struct entry *entry)
{
	const uint64_t *pushed = pushed_for(self, entry)->lanes, lane = lane_bit(entry);

	if (entry->state > GPUTM_COMMIT_UNIT_STATE_FILL && !(pushed[GPUTM__PUSHED_DONE] & lane))
		return "C2: an entry has left FILL without its done";
	if (entry->state == GPUTM_COMMIT_UNIT_STATE_FILL &&
	    !((pushed[GPUTM__PUSHED_WORDS] | pushed[GPUTM__PUSHED_DONE]) & lane))
		return "C2: an entry is in FILL without a message";
	return NULL;
}

/* Outcomes before the pointer are reported, or to be brought by a revalidation; others are not. */
static bool order_fits(const struct gputm_commit_unit *self, const struct entry *entry,
		       uint64_t cid)
{
	if (cid >= self->outcome)
		return !entry->begun || entry->state <= GPUTM_COMMIT_UNIT_STATE_FINALISE;
	return entry->state > GPUTM_COMMIT_UNIT_STATE_FINALISE ||
	       (is_passing(self) && is_settling(entry));
}

static const char *check_order(const struct gputm_commit_unit *self, const struct entry *entry,
			       uint64_t cid)
{
	bool held = entry->buffer[0] || entry->buffer[1];

	if (held && entry->state == GPUTM_COMMIT_UNIT_STATE_UNUSED)
		return "C3: buffers without an entry";
	if (entry->begun != (entry->state != GPUTM_COMMIT_UNIT_STATE_UNUSED) &&
	    (entry->begun || entry->state != GPUTM_COMMIT_UNIT_STATE_FINISHED))
		return "C3: a state without an entry";
	if (cid < self->hazard && entry->state <= GPUTM_COMMIT_UNIT_STATE_HAZARD)
		return "C1: hazard detection has passed what it has not done";
	if (cid >= self->hazard && entry->state > GPUTM_COMMIT_UNIT_STATE_HAZARD && entry->begun)
		return "C1: hazard detection has not passed what it has done";
	if (is_ordered(self) && cid < self->hazard && !order_fits(self, entry, cid))
		return "C1: an outcome out of order";
	if (cid < self->commit && entry->state < GPUTM_COMMIT_UNIT_STATE_READY)
		return "C1: commit has passed what it has not done";
	return NULL;
}

/* No retirement is reported before it happens, and the warp's last report can name all that are
 * left. */
static bool reported_fits(const struct gputm_commit_unit *self)
{
	const struct entry *oldest = entry_at(self, self->oldest);
	uint64_t left = self->oldest - self->reported;

	return left <= (self->oldest == self->head ? 0 : oldest->lane);
}

const char *gputm__commit_check_entries(const struct gputm_commit_unit *self)
{
	const struct entry *entry = entry_at(self, self->hazard);
	uint64_t words = (uint64_t)entry->words[0] + entry->words[1];
	const char *broken = reported_fits(self) ? NULL : "C2: a retirement no report can name";

	if (self->detected &&
	    (self->hazard == self->head || entry->state != GPUTM_COMMIT_UNIT_STATE_HAZARD ||
	     self->detected > words))
		broken = "C1: hazard detection is ahead of its entry";
	for (uint64_t cid = self->oldest; cid != self->head && !broken; cid++) {
		entry = entry_at(self, cid);
		broken = check_place(self, entry, cid);
		if (!broken)
			broken = check_pushed(self, entry);
		if (!broken)
			broken = check_order(self, entry, cid);
		if (!broken && entry->begun)
			broken = check_body(self, entry, cid);
	}
	return broken;
}

/* ---- sums ---- */

struct sums {
	uint64_t active, skips, buffers, at_ports, unbounded, pending_words;
	uint64_t failed, passed;
};

static struct sums sums_of(const struct gputm_commit_unit *self)
{
	struct sums sums = { 0 };

	for (uint64_t cid = self->oldest; cid != self->head; cid++) {
		const struct entry *entry = entry_at(self, cid);
		bool failed = entry->flags & GPUTM__FAILED;

		sums.active += entry->state != GPUTM_COMMIT_UNIT_STATE_UNUSED;
		sums.buffers += entry->buffer[0] != 0;
		sums.buffers += entry->buffer[1] != 0;
		sums.skips += !entry->begun && entry->state == GPUTM_COMMIT_UNIT_STATE_FINISHED;
		sums.at_ports += entry->at_port;
		sums.failed += entry->state == GPUTM_COMMIT_UNIT_STATE_FINISHED && failed;
		sums.passed +=
			entry->begun && entry->state >= GPUTM_COMMIT_UNIT_STATE_WAIT && !failed;
		if (!is_write_pending(self, entry))
			continue;
		if (is_unbounded(entry, 1))
			sums.unbounded++;
		else
			sums.pending_words += entry->words[1];
	}
	return sums;
}

static uint64_t words_at(const struct port *port)
{
	uint64_t words = 0;

	for (uint64_t sequence = port->oldest; sequence != port->end;) {
		uint32_t run = port_word_at(port, sequence)->run;

		words += run & GPUTM__LANDED ? 0 : run;
		sequence += run & ~GPUTM__LANDED;
	}
	return words;
}

void gputm__commit_laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_commit_unit *self = (const void *)unit;
	uint64_t reads = words_at(&self->port[0]), writes = words_at(&self->port[1]);
	struct sums sums = sums_of(self);

	gputm__law(laws, self->begun + self->skips,
		   self->committed + self->failed_here + self->failed_elsewhere +
			   self->skips_retired + self->active,
		   "C5: begun + skips is not committed + failed + skips retired + active");
	gputm__law(laws, self->skips, self->skips_retired + sums.skips,
		   "C5: skips is not skips retired + skips in the ring");
	gputm__law(laws, self->consumed[0] + self->requeued,
		   self->compared[0] + self->compared[1] + reads,
		   "C6: words read are not those compared and those at the validation port");
	gputm__law(laws, self->reissued, self->written + writes,
		   "C6: words issued are not those written and those at the commit port");
	gputm__law(laws, self->outcomes_failed, self->failed_here + sums.failed,
		   "C8: outcomes of failure are not entries ended + entries that failed here");
	gputm__law(laws, self->outcomes_passed,
		   self->committed + self->failed_elsewhere + sums.passed,
		   "C8: outcomes of success are not entries ended + entries that passed here");
}

static const char *check_sums(const struct gputm_commit_unit *self)
{
	uint64_t words = words_at(&self->port[0]) + words_at(&self->port[1]), counted = 0;
	struct sums sums = sums_of(self);

	for (uint32_t n = 0; self->config.pending_block && n < self->config.pending_entries; n++)
		counted += self->pending_writes[n];
	if (sums.active != self->active)
		return "C5: active is not the number of entries in a state";
	if (sums.at_ports != words)
		return "C6: the pending words of the entries are not those at the ports";
	if (sums.buffers != self->buffers_used || sums.buffers > self->pool)
		return "C7: buffers in use are not those that entries hold";
	if (sums.unbounded != self->pending_unbounded || sums.pending_words != counted)
		return "C9: the count of pending writes is not that of pending write-sets";
	return NULL;
}

/* ---- lists ---- */

static bool is_ready(const struct gputm_commit_unit *self, const struct entry *entry,
		     enum gputm_commit_unit_state state)
{
	return entry->state == state && !entry->at_port &&
	       (state != GPUTM_COMMIT_UNIT_STATE_VALIDATE || has_writer_retired(self, entry));
}

/* Count the entries of the list; UINT64_MAX if one of them is not ready for what follows. */
static uint64_t ready_in(const struct gputm_commit_unit *self, const struct list *list,
			 enum gputm_commit_unit_state state)
{
	const struct entry *entry = list_first(self, list);
	uint64_t count = 0;

	if (!entry)
		return 0;
	do {
		if (count++ > self->active || !entry->link || !is_ready(self, entry, state))
			return UINT64_MAX;
		entry = entry_at(self, entry->link);
	} while (entry != list_first(self, list));
	return count;
}

static const char *check_lists(const struct gputm_commit_unit *self)
{
	uint64_t finalise = ready_in(self, &self->finalise, GPUTM_COMMIT_UNIT_STATE_FINALISE);
	uint64_t untold = ready_in(self, &self->untold, GPUTM_COMMIT_UNIT_STATE_FINISHED);

	if (ready_in(self, &self->revalidate, GPUTM_COMMIT_UNIT_STATE_VALIDATE) == UINT64_MAX)
		return "C10: an entry that is not ready for revalidation";
	if (finalise == UINT64_MAX)
		return "C10: an entry that is not ready for its outcome";
	for (uint64_t cid = self->oldest; cid != self->head; cid++) {
		const struct entry *entry = entry_at(self, cid);

		finalise -= entry->state == GPUTM_COMMIT_UNIT_STATE_FINALISE &&
			    (is_ordered(self) ? cid < self->outcome
					      : !(entry->flags & GPUTM__DECIDED));
		untold -= entry->flags & GPUTM__UNTOLD && cid < self->commit;
	}
	if (self->config.warp_mode)
		return NULL;
	if (finalise)
		return "C10: an outcome on no list";
	return untold ? "C10: completed writes on no list" : NULL;
}

static const char *check_decided(const struct gputm_commit_unit *self)
{
	uint32_t decided = 0, again = 0;

	if (!self->config.warp_mode)
		return NULL;
	for (uint64_t cid = self->oldest; cid != self->head; cid++) {
		const struct entry *entry = entry_at(self, cid);
		bool known = entry->flags & GPUTM__DECIDED;

		decided = entry->lane && cid != self->oldest ? decided : entry->lane;
		decided += entry->begun ? known : entry->state == GPUTM_COMMIT_UNIT_STATE_FINISHED;
		again = entry->lane ? again : 0;
		again += entry->flags & GPUTM__AGAIN && !known;
		if (!entry->lanes || !ends_warp(entry))
			continue;
		if (entry->decided != decided || entry->again != again)
			return "C8: the decided lanes of a warp are not its outcomes and skips";
	}
	return NULL;
}

const char *gputm__commit_check(const struct gputm_commit_unit *self)
{
	const char *broken;

	if (self->oldest > self->commit || self->commit > self->outcome ||
	    self->outcome > self->hazard || self->hazard > self->head ||
	    self->head - self->oldest > self->config.ring)
		return "C1: oldest, commit, outcome, hazard, head, oldest + ring do not ascend";
	if (self->oldest < self->config.first_cid ||
	    gputm__writers_newest(self->history) > self->hazard - self->config.first_cid)
		return "C1: the history has a younger writer than the hazard pointer";
	broken = gputm__commit_check_entries(self);
	if (!broken)
		broken = check_sums(self);
	if (!broken)
		broken = check_decided(self);
	return broken ? broken : check_lists(self);
}
