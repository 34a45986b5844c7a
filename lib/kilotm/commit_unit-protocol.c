/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a message may say. Every entry knows what has been pushed for it, so that what the protocol
 * forbids is refused at once, and nothing that is queued can turn out to be wrong. Nothing here
 * changes the unit.
 */
#include "lib/kilotm/commit_unit-priv.h"

static int refuse_lane(const struct gputm_commit_unit *self,
		       const struct gputm_commit_unit_message *m, uint64_t lanes, const char *why)
{
	static const char *const name[] = { "READ_LOG", "WRITE_LOG", "DONE",
					    "VERDICT",  "RESENT",    "RESENT_DONE" };
	uint64_t cid = m->first_cid + gputm__lowest(lanes);

	return gputm__refuse(&self->unit, "message %s for CID %llu: %s", name[m->kind],
			     (unsigned long long)cid, why);
}

static int refuse_shape(const struct gputm_commit_unit *self, const char *field, uint64_t value)
{
	return gputm__refuse(&self->unit, "message with %s = %llu does not fit its kind", field,
			     (unsigned long long)value);
}

static int refuse_range(const struct gputm_commit_unit *self, const char *field, uint64_t value,
			uint64_t min, uint64_t max)
{
	return gputm__refuse(&self->unit, "message with %s = %llu is outside %llu .. %llu", field,
			     (unsigned long long)value, (unsigned long long)min,
			     (unsigned long long)max);
}

/* ---- checks that need no history ---- */

static int judge_shape(const struct gputm_commit_unit *self,
		       const struct gputm_commit_unit_message *m)
{
	bool resent = is_resent(m);
	bool log = m->kind <= GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG ||
		   m->kind == GPUTM_COMMIT_UNIT_MESSAGE_RESENT;

	if (m->kind > GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE)
		return refuse_range(self, "kind", m->kind, 0,
				    GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE);
	if (m->lanes - 1 >= self->config.lanes)
		return gputm__out_of_range(&self->unit, "lanes", m->lanes, 1, self->config.lanes);
	if (!m->mask || m->mask & ~gputm__low_mask(m->lanes) || (resent && m->mask & (m->mask - 1)))
		return refuse_shape(self, "mask", m->mask);
	if (m->yes & (log || resent ? UINT64_MAX : ~m->mask))
		return refuse_shape(self, "yes", m->yes);
	if (log && m->words - 1 >= GPUTM_COMMIT_UNIT_WORDS_MAX)
		return refuse_range(self, "words", m->words, 1, GPUTM_COMMIT_UNIT_WORDS_MAX);
	if (!log && m->words)
		return refuse_shape(self, "words", m->words);
	if (m->purpose > (resent ? (uint32_t)GPUTM_COMMIT_UNIT_PURPOSE_COMMIT : 0))
		return refuse_shape(self, "purpose", m->purpose);
	return 0;
}

static int judge_word(const struct gputm_commit_unit *self,
		      const struct gputm_commit_unit_message *m,
		      const struct gputm_commit_unit_word *word)
{
	if (word->address > self->address_max)
		return gputm__out_of_range(&self->unit, "address", word->address, 0,
					   self->address_max);
	if (word->address & 3)
		return gputm__refuse(&self->unit, "address = %llu is no multiple of 4",
				     (unsigned long long)word->address);
	if (word->lane >= m->lanes)
		return gputm__out_of_range(&self->unit, "lane", word->lane, 0, m->lanes - 1);
	return 0;
}

/* The words' addresses are in range, and their lanes are those of the mask. */
static int judge_words(const struct gputm_commit_unit *self,
		       const struct gputm_commit_unit_message *m)
{
	uint64_t mask = m->words ? 0 : m->mask;

	for (uint32_t n = 0; n < m->words; n++) {
		int error = judge_word(self, m, &m->word[n]);

		if (error)
			return error;
		mask |= UINT64_C(1) << m->word[n].lane;
	}
	return mask == m->mask ? 0 : refuse_shape(self, "mask", m->mask);
}

/* Are these the CIDs of a warp whose entries there are, or has no message come for any of them? */
static bool fits_warps(const struct gputm_commit_unit *self,
		       const struct gputm_commit_unit_message *m)
{
	uint64_t first = m->first_cid, end = first + m->lanes;
	const struct entry *last = entry_at(self, end - 1);
	bool free = first >= self->oldest;

	if (end <= self->head && last->lanes == m->lanes && ends_warp(last))
		return true;
	for (uint64_t cid = first; free && cid < end; cid++)
		free = !entry_at(self, cid)->lanes;
	return free;
}

/* The CIDs have a place in the ring, and all messages of a warp agree on them. */
static int judge_cids(const struct gputm_commit_unit *self,
		      const struct gputm_commit_unit_message *m)
{
	uint64_t beyond = self->oldest + self->config.ring - m->lanes;
	uint64_t first = m->first_cid, end = first + m->lanes;

	if (first > beyond)
		return gputm__out_of_range(&self->unit, "first_cid", first, self->oldest, beyond);
	if (first + gputm__lowest(m->mask) < self->oldest &&
	    m->kind != GPUTM_COMMIT_UNIT_MESSAGE_VERDICT)
		return refuse_lane(self, m, m->mask, "it has retired");
	if (first < self->head && end > self->oldest && !fits_warps(self, m))
		return refuse_lane(self, m, 1, "its warp has other CIDs");
	return 0;
}

static int judge_alone(const struct gputm_commit_unit *self,
		       const struct gputm_commit_unit_message *m)
{
	int error = judge_shape(self, m);

	if (!error)
		error = judge_cids(self, m);
	return error ? error : judge_words(self, m);
}

/* ---- checks against what has been pushed ---- */

/* A lane whose outcome has not been reported, and will be. */
static bool is_early(const struct gputm_commit_unit *self,
		     const struct gputm_commit_unit_message *m, unsigned lane)
{
	return m->first_cid + lane >= self->oldest &&
	       entry_of_lane(self, m, lane)->state < GPUTM_COMMIT_UNIT_STATE_WAIT;
}

static const char *judge_verdict(const struct gputm_commit_unit *self,
				 const struct gputm_commit_unit_message *m, unsigned lane)
{
	const struct entry *entry = entry_of_lane(self, m, lane);
	bool passed = m->yes >> lane & 1;

	if (m->first_cid + lane < self->oldest)
		return passed ? "it has failed or committed" : NULL;
	if (pushed_in(self, m)->lanes[GPUTM__PUSHED_VERDICT] >> lane & 1)
		return "it has its verdict";
	if (entry->state == GPUTM_COMMIT_UNIT_STATE_WAIT)
		return NULL;
	if (is_early(self, m, lane))
		return NULL;
	if (!entry->begun)
		return "it is a skip";
	return passed ? "it has failed here" : NULL;
}

/* The log asked for must come whole: neither more words nor fewer than before. */
static const char *judge_resent(const struct gputm_commit_unit *self,
				const struct gputm_commit_unit_message *m)
{
	const struct entry *entry = entry_of_lane(self, m, gputm__lowest(m->mask));
	uint64_t words = (uint64_t)entry->resent + m->words;
	uint32_t before = entry->words[log_of(m->purpose)];

	if (!entry->begun || entry->asked != m->purpose + 1 ||
	    pushed_in(self, m)->lanes[GPUTM__PUSHED_RESENT] & m->mask)
		return "its log is not asked for with this purpose";
	if (words > before)
		return "its log was shorter before";
	return m->kind == GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE && words < before
		       ? "its log was longer before"
		       : NULL;
}

/* Logs are open until they are done, and a skip has none. */
static int judge_logs(const struct gputm_commit_unit *self,
		      const struct gputm_commit_unit_message *m)
{
	const uint64_t *pushed = pushed_in(self, m)->lanes;
	uint64_t closed = m->mask & pushed[GPUTM__PUSHED_DONE];
	uint64_t skips = m->kind == GPUTM_COMMIT_UNIT_MESSAGE_DONE ? m->mask & ~m->yes : 0;
	uint64_t wrong = closed | (skips & pushed[GPUTM__PUSHED_WORDS]);

	if (!wrong)
		return 0;
	return refuse_lane(self, m, wrong,
			   closed & wrong & -wrong ? "its logs are complete"
						   : "a skip with log words");
}

static int judge_verdicts(const struct gputm_commit_unit *self,
			  const struct gputm_commit_unit_message *m)
{
	bool early = false;

	for (uint64_t left = m->mask; left; left &= left - 1) {
		const char *why = judge_verdict(self, m, gputm__lowest(left));

		if (why)
			return refuse_lane(self, m, left, why);
		early |= is_early(self, m, gputm__lowest(left));
	}
	return early ? GPUTM_COMMIT_UNIT_NOT_YET : GPUTM_COMMIT_UNIT_ACCEPTED;
}

int gputm_commit_unit_push_probe(const struct gputm_commit_unit *self,
				 const struct gputm_commit_unit_message *m)
{
	const struct inbox *in = is_resent(m) ? &self->resent : &self->input;
	const char *why;
	int error;

	if (gputm__queue_full(&in->queue))
		return GPUTM_COMMIT_UNIT_FULL;
	error = judge_alone(self, m);
	if (error)
		return error;
	if (m->first_cid >= self->head) { /* its lanes have no entries yet */
		if (m->kind <= GPUTM_COMMIT_UNIT_MESSAGE_DONE)
			return GPUTM_COMMIT_UNIT_ACCEPTED;
		if (m->kind == GPUTM_COMMIT_UNIT_MESSAGE_VERDICT)
			return GPUTM_COMMIT_UNIT_NOT_YET;
		return refuse_lane(self, m, m->mask, "none of its logs have come");
	}
	if (m->kind <= GPUTM_COMMIT_UNIT_MESSAGE_DONE)
		return judge_logs(self, m);
	if (m->kind == GPUTM_COMMIT_UNIT_MESSAGE_VERDICT)
		return judge_verdicts(self, m);
	why = judge_resent(self, m);
	return why ? refuse_lane(self, m, m->mask, why) : 0;
}

/* ---- loading queued messages ---- */

static bool queued_lane_fits(const struct gputm_commit_unit *self,
			     const struct gputm_commit_unit_message *m, uint32_t lane)
{
	const struct entry *entry = entry_of_lane(self, m, lane);

	if (m->first_cid + lane < self->oldest)
		return m->kind == GPUTM_COMMIT_UNIT_MESSAGE_VERDICT;
	if (is_resent(m))
		return entry->begun && entry->asked == m->purpose + 1;
	if (!(pushed_in(self, m)->lanes[pushed_as(m->kind)] >> lane & 1))
		return false;
	return m->kind == GPUTM_COMMIT_UNIT_MESSAGE_VERDICT
		       ? entry->begun
		       : entry->state <= GPUTM_COMMIT_UNIT_STATE_FILL;
}

bool gputm__commit_queueable(const struct gputm_commit_unit *self,
			     const struct gputm_commit_unit_message *m)
{
	bool fits = m->first_cid < self->head && !judge_alone(self, m);

	for (uint64_t left = m->mask; fits && left; left &= left - 1)
		fits = queued_lane_fits(self, m, gputm__lowest(left));
	return fits;
}
