/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logs that the commit unit does not keep: it asks the core for them when a box needs them, and
 * their words pass that box as they come.
 */
#include "lib/kilotm/commit_unit-priv.h"

/* ---- requests for a log ---- */

void gputm__commit_ask(struct gputm_commit_unit *self, struct entry *entry,
		       enum gputm_commit_purpose purpose)
{
	entry->asked = (uint8_t)(purpose + 1);
	entry->answered = 0;
	said_of(self, entry)->lanes[GPUTM__SAID_AGAIN] &= ~lane_bit(entry);
	self->resends++;
	gputm__emit(&self->unit, GPUTM_COMMIT_UNIT_RESEND, cid_of(self, entry), purpose,
		    self->cycles, 0);
	if (!gputm__mutant(GPUTM__MUTANT_DROP_RESEND))
		gputm__commit_report(self, entry, GPUTM_COMMIT_RESEND, lane_bit(entry), 0);
}

/* Does an earlier entry, in warp mode one of an earlier warp, hold a buffer? */
static bool older_holds(const struct gputm_commit_unit *self)
{
	const struct entry *entry = entry_at(self, self->hazard);
	uint64_t end = self->hazard - (self->config.warp_mode ? entry->lane : 0);

	for (uint64_t cid = self->oldest; cid < end; cid++) {
		entry = entry_at(self, cid);
		if (entry->buffer[0] || entry->buffer[1])
			return true;
	}
	return false;
}

bool gputm__commit_must_wait(const struct gputm_commit_unit *self, const struct entry *entry)
{
	uint32_t log = log_of(self, entry);

	return is_deferred(self, entry, log) && has_words(self, entry) && !entry->buffer[log] &&
	       self->buffers_used == self->config.buffers && older_holds(self);
}

void gputm__commit_ask_for_words(struct gputm_commit_unit *self, struct entry *entry)
{
	uint32_t log = log_of(self, entry);

	if (is_deferred(self, entry, log) && !entry->buffer[log])
		self->deferrals += take_buffer(self, entry, log);
	gputm__commit_ask(self, entry, log ? GPUTM_COMMIT_FOR_RECORD : GPUTM_COMMIT_FOR_HAZARD);
}

/* ---- the log is sent again ---- */

/* The port to which resent words with this purpose go; -1: they go to hazard detection. */
static inline int port_of(uint32_t purpose)
{
	return purpose < GPUTM_COMMIT_FOR_REVALIDATE ? -1 : (int)(purpose & 1);
}

bool gputm__commit_can_take_resent(const struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *m = served(&self->resent);

	return port_of(m->purpose) < 0 || m->kind == GPUTM_COMMIT_RESENT_DONE ||
	       room_at(self, m->purpose & 1) >= words_a_cycle(self, m);
}

static void finish_resent(struct gputm_commit_unit *self, struct entry *entry, uint32_t purpose)
{
	uint32_t log = purpose & 1;

	entry->asked = 0;
	if (is_deferred(self, entry, log) && entry->buffer[log])
		entry->flags &= (uint8_t)~(GPUTM__OVERFLOW << log);
	if (purpose == GPUTM_COMMIT_FOR_REVALIDATE)
		gputm__commit_settle(self, entry);
	else if (purpose == GPUTM_COMMIT_FOR_COMMIT)
		gputm__commit_issue(self, entry);
}

static void take_resent_word(struct gputm_commit_unit *self, struct entry *entry, int port,
			     const struct gputm_commit_word *word)
{
	uint32_t log = log_of(self, entry);

	self->words_resent++;
	if (port < 0) {
		if (is_deferred(self, entry, log) && entry->buffer[log])
			*next_word(self, entry) = *word;
		gputm__commit_detect_word(self, entry, word->address);
		return;
	}
	self->requeued += !port;
	self->reissued += (unsigned)port;
	send_word(self, entry, name_of(self, entry), (uint32_t)port, word);
}

void gputm__commit_take_resent(struct gputm_commit_unit *self)
{
	struct inbox *in = &self->resent;
	const struct gputm_commit_message *m = served(in);
	struct entry *entry = entry_of(self, m, gputm__lowest(m->mask));
	int port = port_of(m->purpose);
	uint32_t words = port < 0 ? self->config.hazard_rate : words_a_cycle(self, m);

	for (; words && in->word < m->words; words--)
		take_resent_word(self, entry, port, &m->word[in->word++]);
	if (self->gather.words)
		gputm__commit_send(self, (uint32_t)port);
	if (m->kind == GPUTM_COMMIT_RESENT_DONE)
		finish_resent(self, entry, m->purpose);
	if (in->word == m->words)
		drop_message(in);
}
