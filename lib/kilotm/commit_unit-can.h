/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_UNIT_CAN_H
#define GPUTM_LIB_KILOTM_COMMIT_UNIT_CAN_H
/* Whether a stage of the commit unit can take a step now. */
#include "lib/kilotm/commit_unit-priv.h"

static inline bool gputm__commit_can_offer(const struct gputm__commit_port *port)
{
	return !port->offered && port->issued != port->filled;
}

/* Whether the next word of the entry at the pointer is in a log that has to be sent again. */
static inline bool gputm__commit_hazard_asks(const struct gputm_commit_unit *self,
			const struct gputm__commit_entry *entry)
{
	if (self->hazard_word < entry->words[0])
		return gputm__commit_unbounded(entry, 0);
	return self->hazard_word < (uint64_t)entry->words[0] + entry->words[1] &&
	       gputm__commit_unbounded(entry, 1);
}

/* What has nothing left to do at a pointer: it passes without a look at its entry. */
static inline bool gputm__commit_passes_hazard(const struct gputm_commit_unit *self)
{
	return self->slot[gputm__commit_index(self, self->hazard)].stage == GPUTM_COMMIT_FINISHED;
}

/* A skip whose retirement concerns no core and no other entry. */
static inline bool gputm__commit_is_plain(const struct gputm_commit_unit *self, uint64_t cid)
{
	const struct gputm__commit_slot *slot = &self->slot[gputm__commit_index(self, cid)];

	return slot->stage == GPUTM_COMMIT_FINISHED &&
	       !(slot->mark & (GPUTM__LAST | GPUTM__WAITED | GPUTM__BODY | GPUTM__HOLDS));
}

static inline bool gputm__commit_can_hazard(const struct gputm_commit_unit *self)
{
	uint32_t index = gputm__commit_index(self, self->hazard);
	const struct gputm__commit_entry *entry = &self->entry[index];

	if (self->slot[index].stage != GPUTM_COMMIT_HAZARD || entry->asked)
		return false;
	return !gputm__commit_hazard_asks(self, entry) || gputm__commit_report_room(self);
}

static inline bool gputm__commit_can_revalidate(const struct gputm_commit_unit *self)
{
	uint32_t index = self->revalidate.head;

	if (index == GPUTM__NONE)
		return false;
	if (gputm__commit_unbounded(&self->entry[index], 0))
		return gputm__commit_report_room(self);
	return gputm__commit_room(self, 0) >= self->entry[index].words[0];
}

/* The outcomes of the warp that an entry belongs to. */
static inline struct gputm__commit_tally *
gputm__commit_tally_of(const struct gputm_commit_unit *self, uint32_t index)
{
	const struct gputm__commit_slot *slot = &self->slot[index];

	return &self->tally[(index + slot->lanes - 1 - slot->lane) & self->mask];
}

/* Whether this outcome is the last one of its warp that is missing. */
static inline bool gputm__commit_completes(const struct gputm_commit_unit *self, uint32_t index)
{
	const struct gputm__commit_tally *tally = gputm__commit_tally_of(self, index);

	return tally->seen == gputm__low_mask(self->slot[index].lanes) &&
	       (tally->decided | gputm__commit_bit(self, index)) == tally->active;
}

static inline bool gputm__commit_can_finalise(const struct gputm_commit_unit *self)
{
	uint32_t index = self->finalise.head;

	if (index == GPUTM__NONE)
		return false;
	return gputm__commit_report_room(self) ||
	       (self->config.warp_mode && !gputm__commit_completes(self, index));
}

static inline bool gputm__commit_is_last(const struct gputm_commit_unit *self, uint32_t index)
{
	return self->slot[index].mark & GPUTM__LAST;
}

/* Words that wait for the end of their warp, were the pointer to pass this entry. */
static inline uint64_t gputm__commit_gathered_with(const struct gputm_commit_unit *self,
						   uint32_t index)
{
	if (self->slot[index].stage != GPUTM_COMMIT_READY)
		return self->gathered;
	return self->gathered + self->entry[index].words[1];
}

/* Whether an entry at the pointer waits to be passed. */
static inline bool gputm__commit_commit_waits(const struct gputm_commit_unit *self)
{
	return self->commit != self->hazard &&
	       self->slot[gputm__commit_index(self, self->commit)].stage >= GPUTM_COMMIT_READY;
}

static inline bool gputm__commit_retire_waits(const struct gputm_commit_unit *self)
{
	return self->oldest != self->commit &&
	       self->slot[gputm__commit_index(self, self->oldest)].stage == GPUTM_COMMIT_FINISHED;
}

static inline bool gputm__commit_can_commit(const struct gputm_commit_unit *self)
{
	uint32_t index = gputm__commit_index(self, self->commit);
	bool ready = self->slot[index].stage == GPUTM_COMMIT_READY;

	if (!gputm__commit_commit_waits(self))
		return false;
	if (ready && gputm__commit_unbounded(&self->entry[index], 1))
		return !self->entry[index].asked && gputm__commit_report_room(self);
	if (!self->config.warp_mode)
		return !ready || gputm__commit_room(self, 1) >= self->entry[index].words[1];
	return !gputm__commit_is_last(self, index) ||
	       gputm__commit_room(self, 1) >= gputm__commit_gathered_with(self, index);
}

static inline bool gputm__commit_can_retire(const struct gputm_commit_unit *self)
{
	uint32_t index = gputm__commit_index(self, self->oldest);

	return gputm__commit_retire_waits(self) &&
	       (!gputm__commit_is_last(self, index) || gputm__commit_report_room(self));
}

/* Whether the port has room for what the oldest message queues in a cycle. */
static inline bool gputm__commit_fits(const struct gputm_commit_unit *self,
				      const struct gputm_commit_message *message)
{
	return message->kind != GPUTM_COMMIT_READ_LOG ||
	       gputm__commit_room(self, 0) >= (self->config.warp_mode ? message->words : 1);
}

static inline bool gputm__commit_can_input(const struct gputm_commit_unit *self)
{
	return self->input.count && gputm__commit_fits(self, gputm__commit_front(&self->input));
}

/* The port that resent words of this purpose go to; -1: to hazard detection. */
static inline int gputm__commit_port_of(uint32_t purpose)
{
	return purpose < GPUTM_COMMIT_FOR_REVALIDATE ? -1 : (int)(purpose & 1);
}

static inline bool gputm__commit_can_resent(const struct gputm_commit_unit *self)
{
	const struct gputm_commit_message *message;
	int port;

	if (!self->resent.count)
		return false;
	message = gputm__commit_front(&self->resent);
	port = gputm__commit_port_of(message->purpose);
	if (message->kind == GPUTM_COMMIT_RESENT_DONE || port < 0)
		return true;
	return gputm__commit_room(self, port) >= (self->config.warp_mode ? message->words : 1);
}

#endif /* GPUTM_LIB_KILOTM_COMMIT_UNIT_CAN_H */
