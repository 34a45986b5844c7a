/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input of the commit unit: a message takes effect when it is consumed, at the end of a tick.
 */
#include "lib/kilotm/commit_unit-can.h"
#include "lib/kilotm/commit_unit-moves.h"

/* ---- the end of logs, verdicts ---- */

static void hold_buffers(struct gputm_commit_unit *self, uint32_t index)
{
	self->slot[index].mark |= GPUTM__HOLDS;
	gputm__commit_take_buffer(self, &self->entry[index], 0);
	gputm__commit_take_buffer(self, &self->entry[index], 1);
}

static void consume_skips(struct gputm_commit_unit *self, uint64_t first, uint64_t skips)
{
	bool hold = self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_ALL;

	if (gputm__mutant(GPUTM__MUTANT_FORGET_SKIP))
		return;
	self->may |= GPUTM__MAY_COMMIT | GPUTM__MAY_RETIRE;
	self->skips += gputm__popcount(skips);
	gputm__commit_note_active(self, gputm__popcount(skips));
	for (; skips; skips &= skips - 1) {
		uint32_t index = gputm__commit_index(self, first + gputm__lowest(skips));

		self->slot[index].stage = GPUTM_COMMIT_FINISHED;
		if (hold)
			hold_buffers(self, index);
	}
}

static void close_logs(struct gputm_commit_unit *self, const struct gputm_commit_message *message,
		       unsigned lane)
{
	uint32_t index = gputm__commit_index(self, message->first_cid + lane);

	if (self->slot[index].stage == GPUTM_COMMIT_UNUSED)
		gputm__commit_begin(self, index);
	gputm__sample(&self->fill_cycles, gputm__commit_waited(self, index));
	gputm__commit_stage(self, index, GPUTM_COMMIT_HAZARD);
}

/* Every lane that is no skip may have been decided before the last skip was known. */
static void note_warp(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	struct gputm__commit_tally *tally = &self->tally[gputm__commit_last(self, message)];
	uint64_t first = message->first_cid;

	tally->seen |= message->mask;
	tally->active |= message->yes;
	if (tally->active && tally->active == tally->decided &&
	    tally->seen == gputm__low_mask(message->lanes)) {
		first += gputm__lowest(tally->active);
		gputm__commit_append(self, &self->finalise, gputm__commit_index(self, first));
		self->may |= GPUTM__MAY_FINALISE;
	}
}

static void consume_done(struct gputm_commit_unit *self, const struct gputm_commit_message *message)
{
	for (uint64_t left = message->yes; left; left &= left - 1)
		close_logs(self, message, gputm__lowest(left));
	if (message->mask != message->yes)
		consume_skips(self, message->first_cid, message->mask & ~message->yes);
	if (self->config.warp_mode)
		note_warp(self, message);
}

static void judge_entry(struct gputm_commit_unit *self, uint64_t cid, bool passed)
{
	uint32_t index = gputm__commit_index(self, cid);

	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_VERDICT, cid, passed,
		    gputm__commit_cycle(self), 0);
	if (cid < self->oldest || self->slot[index].stage != GPUTM_COMMIT_WAIT) {
		self->absorbed++;
		return;
	}
	gputm__sample(&self->verdict_cycles, gputm__commit_waited(self, index));
	if (!passed) {
		gputm__commit_finish(self, index);
		return;
	}
	gputm__commit_stage(self, index, GPUTM_COMMIT_READY);
	self->may |= GPUTM__MAY_COMMIT;
	if (gputm__mutant(GPUTM__MUTANT_DISORDER) && !self->config.warp_mode &&
	    !gputm__commit_unbounded(&self->entry[index], 1) &&
	    gputm__commit_room(self, 1) >= self->entry[index].words[1])
		gputm__commit_issue(self, index);
}

static void consume_verdict(struct gputm_commit_unit *self,
			    const struct gputm_commit_message *message)
{
	for (uint64_t left = message->mask; left; left &= left - 1) {
		unsigned lane = gputm__lowest(left);

		judge_entry(self, message->first_cid + lane, message->yes >> lane & 1);
	}
}

/* What is consumed in a cycle, whatever its length. */
GPUTM__APART static bool consume_whole(struct gputm_commit_unit *self,
				       const struct gputm_commit_message *message)
{
	if (!gputm__commit_fits(self, message))
		return false;
	if (message->kind == GPUTM_COMMIT_VERDICT)
		consume_verdict(self, message);
	else if (message->kind == GPUTM_COMMIT_DONE)
		consume_done(self, message);
	else
		gputm__commit_row(self, message);
	gputm__commit_pop(&self->input);
	return true;
}

GPUTM__APART static bool begin_message(struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = gputm__commit_front(&self->input);

	if (message->kind > GPUTM_COMMIT_WRITE_LOG || self->config.warp_mode)
		return consume_whole(self, message);
	self->cursor.at = message->word + self->input.word;
	self->cursor.end = message->word + message->words;
	self->cursor.first = (uint32_t)message->first_cid;
	self->cursor.log = message->kind;
	return gputm__commit_word(self);
}

bool gputm__commit_input(struct gputm_commit_unit *self)
{
	return self->cursor.at == self->cursor.end ? begin_message(self) : gputm__commit_word(self);
}

/* ---- resent logs ---- */

static uint32_t resent_index(const struct gputm_commit_unit *self,
			     const struct gputm_commit_message *message)
{
	return gputm__commit_index(self, message->first_cid + gputm__lowest(message->mask));
}

static void finish_resent(struct gputm_commit_unit *self,
			  const struct gputm_commit_message *message)
{
	uint32_t index = resent_index(self, message);

	self->entry[index].asked = 0;
	if (message->purpose == GPUTM_COMMIT_FOR_REVALIDATE)
		gputm__commit_settle(self, index);
	else if (message->purpose == GPUTM_COMMIT_FOR_COMMIT)
		gputm__commit_issue(self, index);
}

static void consume_resent_word(struct gputm_commit_unit *self,
				const struct gputm_commit_message *message)
{
	const struct gputm_commit_word *word = &message->word[self->resent.word++];
	uint32_t index = resent_index(self, message);
	int port = gputm__commit_port_of(message->purpose);

	self->words_resent++;
	if (port < 0) {
		gputm__commit_detect(self, word);
		return;
	}
	if (port)
		self->reissued++;
	else
		self->requeued++;
	self->entry[index].pending++;
	if (self->config.warp_mode)
		gputm__commit_collect(self, index, word);
	else
		gputm__commit_put(&self->port[port], index, word);
}

void gputm__commit_resent(struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message = gputm__commit_front(&self->resent);
	int port = gputm__commit_port_of(message->purpose);
	uint32_t words = port < 0 ? self->config.hazard_rate : 1;

	if (message->kind == GPUTM_COMMIT_RESENT_DONE) {
		finish_resent(self, message);
		gputm__commit_pop(&self->resent);
		return;
	}
	if (port >= 0 && self->config.warp_mode)
		words = message->words;
	if (!port)
		gputm__commit_take_back(self);
	while (words-- && self->resent.word < message->words)
		consume_resent_word(self, message);
	if (port >= 0)
		gputm__commit_flush(self, port);
	if (self->resent.word == message->words)
		gputm__commit_pop(&self->resent);
}
