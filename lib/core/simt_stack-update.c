/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SIMT stack for hosts that keep a next PC for each lane; see simt_stack.c.
 *
 * Lanes are grouped by PC: the lanes at the PC of the highest one, then those at the PC of the
 * highest lane that is left. To find a group is one comparison for each lane, which is most of
 * the work of a step; lib/base/lanes.h does it.
 */
#include "lib/core/simt_stack-priv.h"

#define LANES_MAX 64u

/* The targets of lanes, in order; returns their number. */
static size_t group(const struct gputm_simt_stack *s, const uint64_t next_pc[], uint64_t lanes,
		    uint64_t last_pc, struct gputm_simt_stack_target target[])
{
	struct gputm_simt_stack_target next;
	size_t count = 0;

	for (; lanes; lanes &= ~next.mask) {
		next.mask = s->lanes_at(next_pc, lanes, &next.pc);
		target[count] = next;
		if (next.pc == last_pc) {
			memmove(target + 1, target, count * sizeof(*target));
			target[0] = next;
		}
		count++;
	}
	return count;
}

/* Take a step of any kind. The step of the surviving lanes is checked before any lane ends. */
static int update_any(struct gputm_simt_stack *s, uint64_t ended, const uint64_t next_pc[],
		      uint64_t rpc, uint64_t last_pc)
{
	struct gputm_simt_stack_target target[LANES_MAX];
	uint64_t active = s->top->mask, lanes = active & ~ended;
	size_t count = group(s, next_pc, lanes, last_pc, target);
	int result = 0;

	if (!active)
		return gputm__simt_refuse_step(s, "update", 0);
	if (count == 1)
		rpc = target[0].pc; /* no branch, so any RPC will do */
	if (lanes != active) {
		if (lanes && !s->retry)
			result = gputm__simt_judge(s, lanes, target, count, rpc);
		if (result == GPUTM_SIMT_STACK_FULL)
			s->full++;
		if (result < 0 || result == GPUTM_SIMT_STACK_FULL)
			return result;
		result = gputm_simt_stack_exit(s, active & ended);
		if (result < 0 || !lanes)
			return result;
	}
	return gputm_simt_stack_diverge(s, target, count, rpc, NO_PC);
}

/*
 * A step in which no lane ends, of two groups: some lanes go to first_pc, and others elsewhere. It
 * is apart, as a step of one group needs no room for targets: 63 instructions, not 68.
 */
APART int part(struct gputm_simt_stack *s, uint64_t lanes, const uint64_t next_pc[],
		uint64_t rpc, uint64_t last_pc, uint64_t first_pc)
{
	uint64_t others = s->top->mask & ~lanes;
	struct gputm_simt_stack_target first = { first_pc, lanes };
	struct gputm_simt_stack_target second = { 0, others };

	if (others != s->lanes_at(next_pc, others, &second.pc))
		return update_any(s, 0, next_pc, rpc, last_pc);
	if (second.pc == last_pc) {
		second = first;
		first.pc = last_pc;
		first.mask = others;
	}
	if (!gputm__simt_part(s, &first, &second, rpc))
		return update_any(s, 0, next_pc, rpc, last_pc);
	return GPUTM_SIMT_STACK_SWITCH;
}

int gputm_simt_stack_update(struct gputm_simt_stack *s, uint64_t ended, const uint64_t next_pc[],
			    uint64_t rpc, uint64_t last_pc)
{
	uint64_t first_pc, first;

	if (!s->top->mask || (s->top->mask & ended))
		return update_any(s, ended, next_pc, rpc, last_pc);
	first = s->lanes_at(next_pc, s->top->mask, &first_pc);
	if (first != s->top->mask)
		return part(s, first, next_pc, rpc, last_pc, first_pc);
	if (first_pc > s->pc_max)
		return gputm__simt_refuse_step(s, "next PC", first_pc);
	return gputm__simt_step(s, first_pc);
}
