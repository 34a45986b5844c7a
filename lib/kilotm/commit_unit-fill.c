/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages that the commit unit has accepted, as its input takes them: log transfer with the
 * first comparison (Fig. 4.5), the end of the logs, skips and verdicts.
 */
#include "lib/kilotm/commit_unit-priv.h"

/* ---- log transfer and speculative validation ---- */

/* Put the entry into use. Policies up to `policy` give it both buffers now. */
static void occupy(struct gputm_commit_unit *self, struct entry *entry,
		   enum gputm_commit_stage stage, enum gputm_commit_policy policy)
{
	enter(self, entry, stage);
	gputm__maximum(&self->active_max, ++self->active);
	if (self->config.buffer_policy > policy)
		return;
	take_buffer(self, entry, 0);
	take_buffer(self, entry, 1);
}

/* The first message of an entry. */
static void begin(struct gputm_commit_unit *self, struct entry *entry)
{
	occupy(self, entry, GPUTM_COMMIT_FILL, GPUTM_COMMIT_BUFFERS_ACCESSED);
	entry->body = true;
	entry->rcid = self->oldest;
	self->begun++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_BEGUN, cid_of(self, entry), entry->rcid,
		    self->cycles, 0);
}

/* Does one more word of the log fit its buffer? The log may take a free buffer. */
static bool has_room(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	if (entry->buffer[log])
		return entry->words[log] < self->config.buffer_words;
	return take_buffer(self, entry, log);
}

/* The log does not fit its buffer, or found none free. */
static void overflow(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	entry->flags |= (uint8_t)(GPUTM__OVERFLOW << log);
	self->overflows++;
	if (self->config.buffer_policy >= GPUTM_COMMIT_BUFFERS_USED)
		drop_buffer(self, entry, log);
}

/* Take the next word of a log; a word read is compared with memory at once. */
static inline void transfer(struct gputm_commit_unit *self, const struct gputm_commit_message *m)
{
	const struct gputm_commit_word *word = &m->word[self->input.word++];
	uint64_t cid = m->first_cid + word->lane;
	struct entry *entry = entry_at(self, cid);
	uint32_t log = m->kind;

	if (entry->stage == GPUTM_COMMIT_UNUSED)
		begin(self, entry);
	if (!is_unbounded(entry, log) && !has_room(self, entry, log))
		overflow(self, entry, log);
	if (!is_unbounded(entry, log))
		kept_words(self, entry, log)[entry->words[log]] = *word;
	entry->words[log]++;
	self->consumed[log]++;
	if (log == GPUTM_COMMIT_READ_LOG)
		send_word(self, entry, (uint32_t)cid | GPUTM__NAMED, 0, word);
}

void gputm__commit_consume_log(struct gputm_commit_unit *self, const struct gputm_commit_message *m)
{
	do {
		transfer(self, m);
	} while (words_a_cycle(self, m) > 1 && self->input.word < m->words);
	if (self->gather.words)
		gputm__commit_send(self, 0);
	if (self->input.word == m->words)
		drop_message(&self->input);
}

/* ---- done and skips ---- */

static void close_logs(struct gputm_commit_unit *self, struct entry *entry)
{
	if (entry->stage == GPUTM_COMMIT_UNUSED)
		begin(self, entry);
	gputm__sample(&self->fill_cycles, waited(self, entry));
	enter(self, entry, GPUTM_COMMIT_HAZARD);
}

static void skip(struct gputm_commit_unit *self, struct entry *entry)
{
	if (gputm__mutant(GPUTM__MUTANT_FORGET_SKIP))
		return;
	occupy(self, entry, GPUTM_COMMIT_FINISHED, GPUTM_COMMIT_BUFFERS_ALL);
	self->skips++;
	last_of(self, entry)->decided++;
}

/* All lanes that are not skips may have been decided before the last skip arrived. */
static void note_decided(struct gputm_commit_unit *self, const struct gputm_commit_message *m)
{
	uint32_t lane = 0;

	if (entry_of(self, m, m->lanes - 1)->decided != m->lanes)
		return;
	while (lane < m->lanes && !entry_of(self, m, lane)->body)
		lane++;
	if (lane < m->lanes)
		append(self, &self->finalise, entry_of(self, m, lane));
}

/* ---- verdicts ---- */

static void judge_entry(struct gputm_commit_unit *self, uint64_t cid, bool passed)
{
	struct entry *entry = entry_at(self, cid);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_VERDICT, cid, passed, self->cycles, 0);
	if (cid < self->oldest || entry->stage != GPUTM_COMMIT_WAIT) {
		self->absorbed++;
		return;
	}
	gputm__sample(&self->verdict_cycles, waited(self, entry));
	if (passed)
		enter(self, entry, GPUTM_COMMIT_READY);
	else
		gputm__commit_finish(self, entry);
	if (gputm__mutant(GPUTM__MUTANT_DISORDER) && passed && !self->config.warp_mode &&
	    !is_unbounded(entry, 1) && room_at(self, 1) >= entry->words[1])
		gputm__commit_issue(self, entry);
}

static inline void consume_lane(struct gputm_commit_unit *self,
				const struct gputm_commit_message *m, uint32_t lane)
{
	if (m->kind == GPUTM_COMMIT_VERDICT)
		judge_entry(self, m->first_cid + lane, m->yes >> lane & 1);
	else if (m->yes >> lane & 1)
		close_logs(self, entry_of(self, m, lane));
	else
		skip(self, entry_of(self, m, lane));
}

/* The next lane to take: the lowest. If all come in one cycle, the skips of a done come last. */
static inline uint32_t next_lane(const struct gputm_commit_unit *self,
				 const struct gputm_commit_message *m)
{
	if (self->config.serial_input || m->kind == GPUTM_COMMIT_VERDICT || !m->yes)
		return gputm__lowest(m->mask);
	return gputm__lowest(m->yes);
}

void gputm__commit_consume_lanes(struct gputm_commit_unit *self, struct gputm_commit_message *m)
{
	do {
		uint32_t lane = next_lane(self, m);

		consume_lane(self, m, lane);
		m->mask &= ~(UINT64_C(1) << lane);
		m->yes &= m->mask;
	} while (m->mask && !self->config.serial_input);
	if (m->mask)
		return;
	if (m->kind == GPUTM_COMMIT_DONE && self->config.warp_mode &&
	    !self->config.ordered_outcomes)
		note_decided(self, m);
	drop_message(&self->input);
}
