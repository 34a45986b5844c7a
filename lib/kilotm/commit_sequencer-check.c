/* SPDX-License-Identifier: BSD-2-Clause */
/* Invariants I1 to I7 of the commit sequencer, which stand in commit_sequencer.c. */
#include "lib/kilotm/commit_sequencer-priv.h"

static const char *check_shares(const struct gputm_commit_sequencer *s, uint32_t slot)
{
	const struct slot *c = &s->slot[slot];
	uint64_t closed = c->lanes & ~c->open;

	for (uint32_t p = 0; p < s->config.partitions; p++) {
		const struct share *h = &shares(s, slot)[p];

		if (h->touched & ~c->lanes || h->wrote & ~h->touched)
			return "I2: a partition has touched or written lanes outside the commit";
		if (h->answered & ~(h->touched & closed))
			return "I2: a lane that awaits no outcome has an outcome";
		if (h->retired & ~closed || h->retired & h->touched & ~h->answered)
			return "I2: a lane retired before its outcome arrived";
	}
	return NULL;
}

static const char *check_masks(const struct gputm_commit_sequencer *s, uint32_t slot)
{
	const struct slot *c = &s->slot[slot];

	if ((c->lanes | c->empty) & ~s->lane_mask || c->lanes & c->empty || !(c->lanes | c->empty))
		return "I2: a commit has lanes outside its warp";
	if ((c->open | c->decided | c->failed) & ~c->lanes || c->due & ~c->decided)
		return "I2: a lane without a commit ID has an outcome";
	if (c->decided != (c->state >= FILL ? complete(s, slot) : 0))
		return "I3: the decided lanes differ from the lanes with all answers";
	return check_shares(s, slot);
}

static const char *check_slot(const struct gputm_commit_sequencer *s, uint32_t slot)
{
	const struct slot *c = &s->slot[slot];

	if (c->state == FREE || c->state > DRAIN || c->step > CLOSE)
		return "I1: the state or the step of a slot is not valid";
	if (c->count != (c->state >= FILL ? gputm__popcount(c->lanes) : 0))
		return "I6: a commit has more or fewer commit IDs than lanes";
	if (c->count && (c->first_cid > s->next_cid || s->next_cid - c->first_cid < c->count))
		return "I6: a commit ID is newer than the newest one granted";
	if (!c->held && (c->state != DRAIN || !c->lanes))
		return "I1: a commit that is not done has no warp";
	if (!c->lanes && c->state != DRAIN)
		return "I3: a commit whose lanes have no log is not done";
	if (c->state < WAIT ? c->open == 0 : c->open != 0)
		return "I2: the closed flag of a commit does not match its step";
	if (c->state == FILL ? c->open != c->lanes && c->step != CLOSE : c->step && c->state < FILL)
		return "I2: the step of a commit does not match its open lanes";
	if (c->begun > s->now || (c->ready > s->now && c->ready - s->now >
						       s->config.spilled_row_cycles))
		return "I1: a commit began after the current cycle, or is ready too late";
	if (c->state >= WAIT && (c->state == DRAIN) != is_done(s, slot))
		return "I3: the done flag of a commit does not match its lanes";
	if (c->held != (s->slot_of[c->warp] == slot + 1))
		return "I1: a warp has two commits";
	return check_masks(s, slot);
}

static bool belongs(const struct gputm_commit_sequencer *s, unsigned ring, uint32_t slot)
{
	const struct slot *c = &s->slot[slot];

	switch (ring) {
	case TO_GRANT:
		return c->state == CREDITS;
	case TO_FILL:
		return c->state == FILL;
	case TO_DECIDE:
		return c->state >= FILL && c->due;
	case TO_DONE:
		return c->state == DRAIN && c->held;
	default:
		return is_over(s, slot);
	}
}

static const char *check_rings(const struct gputm_commit_sequencer *s)
{
	for (unsigned r = 0; r < RINGS; r++) {
		uint64_t in[MAX_SLOTS / 64] = { 0 };

		for (uint32_t i = 0; i < s->ring[r].count; i++) {
			uint32_t slot = ring_at(s, r, i);

			if (in[slot / 64] >> (slot & 63) & 1)
				return "I1: a slot is twice in a ring";
			in[slot / 64] |= UINT64_C(1) << (slot & 63);
		}
		for (uint32_t slot = 0; slot < s->config.slots; slot++)
			if ((in[slot / 64] >> (slot & 63) & 1) != belongs(s, r, slot))
				return "I1: a slot is missing from the ring of its state";
	}
	return NULL;
}

static bool is_of(const struct gputm_commit_sequencer *s, uint32_t slot, uint32_t partition,
		  uint64_t lanes)
{
	return slot < s->config.slots && s->slot[slot].count && partition < s->config.partitions &&
	       lanes && !(lanes & ~s->slot[slot].lanes);
}

static const char *check_packets(const struct gputm_commit_sequencer *s)
{
	uint64_t waiting = 0;

	for (uint32_t slot = 0; slot < s->config.slots; slot++)
		waiting += s->slot[slot].waiting;
	if (waiting != s->output.count)
		return "I5: packets in the output buffer differ from the sum over the commits";
	for (uint32_t i = 0; i < s->output.count; i++) {
		const struct packet *packet = gputm__queue_at(&s->output, i);

		if (!is_of(s, packet->slot, packet->partition, packet->lanes) ||
		    packet->kind > GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE ||
		    packet->purpose > GPUTM_COMMIT_UNIT_PURPOSE_COMMIT)
			return "I7: a packet belongs to no commit";
	}
	for (uint32_t i = 0; i < s->resend.count; i++) {
		const struct resend *r = gputm__queue_at(&s->resend, i);

		if (!is_of(s, r->slot, r->partition, r->lane) || r->lane & (r->lane - 1) ||
		    r->purpose > GPUTM_COMMIT_UNIT_PURPOSE_COMMIT)
			return "I7: a resend request belongs to no commit";
	}
	if (s->resend_ready > s->now && s->resend_ready - s->now > s->config.spilled_row_cycles)
		return "I7: a resend request arrived after the current cycle";
	return NULL;
}

const char *gputm__sequencer_check(const struct gputm_commit_sequencer *s)
{
	const char *broken = NULL;

	for (uint32_t slot = 0; slot < s->config.slots && !broken; slot++)
		if (s->slot[slot].state != FREE || s->used[slot / 64] >> (slot & 63) & 1)
			broken = check_slot(s, slot);
	for (uint32_t w = 0; w < s->config.warps && !broken; w++)
		if (s->slot_of[w] && s->slot[s->slot_of[w] - 1].warp != w)
			broken = "I1: a warp holds the commit of another";
	if (!broken)
		broken = check_rings(s);
	if (!broken)
		broken = check_packets(s);
	return broken;
}
