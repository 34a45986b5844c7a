/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SIMT stack for hosts that keep a next PC for each lane; see simt_stack.c.
 *
 * Lanes are grouped by PC: the lanes at the PC of the highest one, then those at the PC of the
 * highest lane that is left. To find a group is one comparison for each lane, which is most of
 * the work of a step; lib/base/lanes.h does it.
 */
#include "lib/base/lanes.h"
#include "lib/core/simt_stack-priv.h"

#define LANES_MAX 64u

/* ---- any step ---- */

/* The targets of lanes, in order; returns their number. */
static size_t group(const uint64_t next_pc[], uint64_t lanes, uint64_t last_pc,
		    struct gputm_simt_stack_target target[])
{
	struct gputm_simt_stack_target next;
	size_t count = 0;

	for (; lanes; lanes &= ~next.mask) {
		next.mask = gputm__lanes_at_each(next_pc, lanes, &next.pc);
		target[count] = next;
		if (next.pc == last_pc) {
			memmove(target + 1, target, count * sizeof(*target));
			target[0] = next;
		}
		count++;
	}
	return count;
}

/* The step of the surviving lanes is checked before any lane ends. */
APART int update_any(struct gputm_simt_stack *s, uint64_t ended, const uint64_t next_pc[],
		     uint64_t rpc, uint64_t last_pc)
{
	struct gputm_simt_stack_target target[LANES_MAX];
	uint64_t active = s->top->mask, lanes = active & ~ended;
	size_t count = group(next_pc, lanes, last_pc, target);
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

/* ---- steps of one group or two ---- */

typedef int part_fn(struct gputm_simt_stack *s, uint64_t lanes, const uint64_t next_pc[],
		    uint64_t rpc, uint64_t last_pc, uint64_t first_pc);

/* `lanes` are those not at first_pc: they are the second group, or else this is a case for
 * update_any(). */
static GPUTM__INLINE int part(struct gputm_simt_stack *s, uint64_t lanes,
			      const uint64_t next_pc[], uint64_t rpc, uint64_t last_pc,
			      uint64_t first_pc, gputm__lanes_at_fn *lanes_at)
{
	struct gputm_simt_stack_target first = { first_pc, s->top->mask & ~lanes };
	struct gputm_simt_stack_target second = { 0, lanes };

	if (lanes & ~lanes_at(next_pc, lanes, &second.pc))
		return update_any(s, 0, next_pc, rpc, last_pc);
	if (second.pc == last_pc) {
		second = first;
		first.pc = last_pc;
		first.mask = lanes;
	}
	if (!gputm__simt_part(s, &first, &second, rpc))
		return update_any(s, 0, next_pc, rpc, last_pc);
	return GPUTM_SIMT_STACK_SWITCH;
}

static GPUTM__INLINE int update(struct gputm_simt_stack *s, uint64_t ended,
				const uint64_t next_pc[], uint64_t rpc, uint64_t last_pc,
				gputm__lanes_at_fn *lanes_at, part_fn *apart)
{
	uint64_t active = s->top->mask, first_pc;

	if ((active & ended) || !active)
		return update_any(s, ended, next_pc, rpc, last_pc);
	active &= ~lanes_at(next_pc, active, &first_pc);
	if (active)
		return apart(s, active, next_pc, rpc, last_pc, first_pc);
	if (first_pc > s->pc_max)
		return gputm__simt_refuse_step(s, "next PC", first_pc);
	return gputm__simt_step(s, first_pc);
}

/* Both functions for one way of comparing. */
#define UPDATE(NAME, TARGET, LANES_AT)                                                         \
	TARGET APART int part_##NAME(                                                          \
		struct gputm_simt_stack *s, uint64_t lanes, const uint64_t next_pc[],          \
		uint64_t rpc, uint64_t last_pc, uint64_t first_pc)                             \
	{                                                                                      \
		return part(s, lanes, next_pc, rpc, last_pc, first_pc, LANES_AT);              \
	}                                                                                      \
	TARGET static int update_##NAME(struct gputm_simt_stack *s, uint64_t ended,            \
					const uint64_t next_pc[], uint64_t rpc,                \
					uint64_t last_pc)                                      \
	{                                                                                      \
		return update(s, ended, next_pc, rpc, last_pc, LANES_AT, part_##NAME);         \
	}

UPDATE(each, , gputm__lanes_at_each)

UPDATE(32, GPUTM__AVX2, gputm__lanes_at_32)
UPDATE(64, GPUTM__AVX2, gputm__lanes_at_64)

gputm__simt_update_fn *gputm__simt_updater(uint32_t lanes)
{
	if (!gputm__lanes_by_four(lanes))
		return update_each;
	return lanes == 32 ? update_32 : update_64;
}

int gputm_simt_stack_update(struct gputm_simt_stack *s, uint64_t ended, const uint64_t next_pc[],
			    uint64_t rpc, uint64_t last_pc)
{
	return s->update(s, ended, next_pc, rpc, last_pc);
}
