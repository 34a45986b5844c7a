/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock of the commit unit: what happens in a cycle, in this order. The ports offer a
 * request each. Hazard detection and the input port know the cycle in which they have to be
 * asked again. Stages of whole entries are asked only if their bit in `may` says that there
 * may be something to do.
 */
#include "lib/kilotm/commit_unit-can.h"
#include "lib/kilotm/commit_unit-moves.h"

/* ---- a cycle ---- */

/* What a port offers stays until it is popped. */
static inline bool offer(struct gputm__commit_port *port)
{
	bool before = port->offered;

	port->offered = port->issued != port->filled;
	return port->offered != before;
}

static inline bool step_hazard(struct gputm_commit_unit *self)
{
	uint32_t index;

	if (self->now < self->hazard_due)
		return true;
	index = gputm__commit_index(self, self->hazard);
	if (self->slot[index].stage < GPUTM_COMMIT_HAZARD)
		return false;
	if (self->slot[index].stage == GPUTM_COMMIT_HAZARD)
		return gputm__commit_hazard(self, index);
	self->hazard++;
	self->may |= GPUTM__MAY_COMMIT;
	return true;
}

static bool step_resent(struct gputm_commit_unit *self)
{
	bool can = gputm__commit_can_resent(self);

	if (can)
		gputm__commit_resent(self);
	else if (!self->resent.count)
		self->may &= ~(uint32_t)GPUTM__MAY_RESENT;
	return can;
}

static inline bool step_input(struct gputm_commit_unit *self)
{
	if (self->now >= self->input_due)
		return self->input.count && gputm__commit_input(self);
	self->port[0].filled += self->cursor.log == GPUTM_COMMIT_READ_LOG;
	return true;
}

/* One cycle but for the count of it. @return whether anything changed. */
static GPUTM__INLINE bool step(struct gputm_commit_unit *self)
{
	bool did = offer(&self->port[0]);

	did |= offer(&self->port[1]);
	did |= step_hazard(self);
	if (self->may) {
		did |= gputm__commit_stages(self);
		if (GPUTM__UNLIKELY(self->may & GPUTM__MAY_RESENT))
			did |= step_resent(self);
	}
	return step_input(self) || did;
}

/* The same out of line, for advance. */
GPUTM__APART static bool step_apart(struct gputm_commit_unit *self)
{
	return step(self);
}

static inline int offers(const struct gputm_commit_unit *self)
{
	return (self->output.count != 0) | self->port[0].offered << 1 | self->port[1].offered << 2;
}

int gputm_commit_unit_tick(struct gputm_commit_unit *self)
{
	step(self);
	self->now++;
	return offers(self);
}

uint64_t gputm_commit_unit_next_event(const struct gputm_commit_unit *self)
{
	bool some = self->now < self->hazard_due || gputm__commit_can_offer(&self->port[0]) ||
		    gputm__commit_can_offer(&self->port[1]) || gputm__commit_can_hazard(self) ||
		    gputm__commit_passes_hazard(self) ||
		    gputm__commit_can_revalidate(self) || gputm__commit_can_finalise(self) ||
		    gputm__commit_can_commit(self) || gputm__commit_can_retire(self) ||
		    gputm__commit_can_resent(self) || gputm__commit_can_input(self);

	return some ? 0 : UINT64_MAX;
}

/* Nothing but the in-order pointers can move, and they stand at one entry. */
static inline bool is_quiet(const struct gputm_commit_unit *self)
{
	return self->oldest == self->hazard && !self->unit.observe && !self->input.count &&
	       !self->resent.count &&
	       self->revalidate.head == GPUTM__NONE && self->finalise.head == GPUTM__NONE &&
	       !gputm__commit_can_offer(&self->port[0]) && !gputm__commit_can_offer(&self->port[1]);
}

/* Then skips pass all three in a cycle each. @return how many did. */
static uint64_t pass_skips(struct gputm_commit_unit *self, uint64_t most)
{
	uint64_t cid = self->oldest, end = cid + most, skips;

	for (; cid != end && gputm__commit_is_plain(self, cid); cid++)
		self->slot[gputm__commit_index(self, cid)] =
			(struct gputm__commit_slot){ GPUTM_COMMIT_UNUSED, 0, 0, 0 };
	skips = cid - self->oldest;
	self->oldest = self->commit = self->hazard = cid;
	self->active -= skips;
	self->skips_retired += skips;
	self->may |= skips ? GPUTM__MAY_COMMIT | GPUTM__MAY_RETIRE : 0;
	return skips;
}

int gputm_commit_unit_advance(struct gputm_commit_unit *self, uint64_t cycles)
{
	while (cycles) {
		uint64_t passed = is_quiet(self) ? pass_skips(self, cycles) : 0;

		if (!passed && !step_apart(self))
			break;
		passed += !passed;
		self->now = gputm__later(self->now, passed);
		cycles -= passed;
	}
	self->now = gputm__later(self->now, cycles);
	return offers(self);
}

/* Nobody is to see what has been done ahead, or put off. */
void gputm__commit_catch_up(struct gputm_unit *unit)
{
	struct gputm_commit_unit *self = (struct gputm_commit_unit *)(void *)unit;

	gputm__commit_take_back(self);
	gputm__commit_hazard_up_to_now(self);
	self->cycles = gputm__commit_cycle(self);
}
