/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_UNIT_MOVES_H
#define GPUTM_LIB_KILOTM_COMMIT_UNIT_MOVES_H
/* Moves that every entry makes, whichever file it is in at that moment. */
#include "lib/kilotm/commit_unit-priv.h"

/* ---- buffers ---- */

static inline bool gputm__commit_take_buffer(struct gputm_commit_unit *self,
					     struct gputm__commit_entry *entry, uint32_t log)
{
	uint32_t buffer = self->buffer_free;

	if (buffer != GPUTM__NONE) {
		self->buffer_free = self->kept[buffer].value;
	} else if (self->buffer_fresh < self->buffer_end) {
		buffer = self->buffer_fresh;
		self->buffer_fresh += self->config.buffer_words;
	} else {
		return false;
	}
	entry->buffer[log] = buffer;
	entry->limit[log] = (uint8_t)self->config.buffer_words;
	gputm__maximum(&self->buffers_max, ++self->buffers_used);
	return true;
}

static inline void gputm__commit_drop_buffer(struct gputm_commit_unit *self,
					     struct gputm__commit_entry *entry, uint32_t log)
{
	if (!entry->limit[log])
		return;
	self->kept[entry->buffer[log]].value = self->buffer_free;
	self->buffer_free = entry->buffer[log];
	entry->limit[log] = 0;
	self->buffers_used--;
}

/* ---- stages ---- */

static inline void gputm__commit_stage(struct gputm_commit_unit *self, uint32_t index,
				       uint8_t stage)
{
	self->slot[index].stage = stage;
	self->entry[index].since = self->cycles;
}

static inline uint64_t gputm__commit_waited(const struct gputm_commit_unit *self, uint32_t index)
{
	return self->cycles - self->entry[index].since;
}

/* Move an entry on whose validation may be complete. */
static inline void gputm__commit_settle(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	if (self->slot[index].stage != GPUTM_COMMIT_VALIDATE || entry->pending || entry->asked)
		return;
	if (!(entry->flags & GPUTM__HAZARDOUS)) {
		gputm__sample(&self->validate_cycles, gputm__commit_waited(self, index));
		gputm__commit_stage(self, index, GPUTM_COMMIT_FINALISE);
		gputm__commit_append(self, &self->finalise, index);
		self->may |= GPUTM__MAY_FINALISE;
	} else if (entry->flags & GPUTM__WOKEN) {
		gputm__commit_append(self, &self->revalidate, index);
		self->may |= GPUTM__MAY_REVALIDATE;
	}
}

/* Failed, or all its writes have completed. */
static inline void gputm__commit_finish(struct gputm_commit_unit *self, uint32_t index)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	gputm__commit_stage(self, index, GPUTM_COMMIT_FINISHED);
	self->may |= GPUTM__MAY_RETIRE;
	if (entry->flags & GPUTM__COMMITTED)
		return;
	self->may |= GPUTM__MAY_COMMIT;
	gputm__commit_uncount(self, index);
	if (self->config.buffer_policy == GPUTM_COMMIT_BUFFERS_NEEDED)
		gputm__commit_drop_buffer(self, entry, 1);
}

#endif /* GPUTM_LIB_KILOTM_COMMIT_UNIT_MOVES_H */
