/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions on the SIMT stack, as entries of type R and T; see simt_stack.c. */
#include "lib/core/simt_stack-priv.h"

static uint64_t nested_lanes(const struct gputm_simt_stack *s)
{
	uint64_t any = 0;

	for (unsigned bit = 0; bit < NESTING_BITS; bit++)
		any |= s->nesting[bit];
	return any;
}

/* Lanes whose nesting depth is at its maximum. */
static uint64_t deepest_lanes(const struct gputm_simt_stack *s)
{
	uint64_t all = ~UINT64_C(0);

	for (unsigned bit = 0; bit < NESTING_BITS; bit++)
		all &= s->nesting[bit];
	return all;
}

static bool same_nesting(const struct gputm_simt_stack *s, uint64_t mask)
{
	for (unsigned bit = 0; bit < NESTING_BITS; bit++)
		if ((s->nesting[bit] & mask) && (~s->nesting[bit] & mask))
			return false;
	return true;
}

static void count_up(struct gputm_simt_stack *s, uint64_t carry)
{
	for (unsigned bit = 0; bit < NESTING_BITS; bit++) {
		uint64_t before = s->nesting[bit];

		s->nesting[bit] ^= carry;
		carry &= before;
	}
}

static void count_down(struct gputm_simt_stack *s, uint64_t borrow)
{
	for (unsigned bit = 0; bit < NESTING_BITS; bit++) {
		s->nesting[bit] ^= borrow;
		borrow &= s->nesting[bit];
	}
}

int gputm_simt_stack_tx_begin_probe(const struct gputm_simt_stack *s, uint64_t restart_pc)
{
	if (!gputm__simt_is_pc(s, restart_pc) || !s->top->mask)
		return gputm__simt_refuse_step(s, "restart PC", restart_pc);
	if (s->retry && (deepest_lanes(s) & s->top->mask))
		return gputm__out_of_range(&s->unit, "nesting", GPUTM_SIMT_STACK_NESTING_MAX + 1,
					   0, GPUTM_SIMT_STACK_NESTING_MAX);
	if (s->retry)
		return GPUTM_SIMT_STACK_NESTED;
	return s->top + 2 > s->slot + s->limit ? GPUTM_SIMT_STACK_FULL : GPUTM_SIMT_STACK_SWITCH;
}

static void enter(struct gputm_simt_stack *s, uint64_t restart_pc)
{
	struct gputm_simt_stack_entry *retry = s->top + 1, *running = retry + 1;
	uint64_t mask = s->top->mask;

	gputm__simt_set(retry, restart_pc, NO_PC, 0, GPUTM_SIMT_STACK_TYPE_RETRY);
	gputm__simt_set(running, restart_pc, NO_PC, mask, GPUTM_SIMT_STACK_TYPE_TRANSACTION);
	s->retry = gputm__simt_slot(s, retry);
	gputm__simt_raise_to(s, running);
	s->pushed += 2;
	s->begun++;
	s->lanes_started += gputm__popcount(mask);
	gputm__emit(&s->unit, GPUTM_SIMT_STACK_EVENT_BEGIN, s->retry - 1, restart_pc, mask, 0);
}

/* Take a step whose arguments have been checked. */
static void step(struct gputm_simt_stack *s, uint64_t next_pc)
{
	int result = gputm_simt_stack_proceed(s, next_pc);

	gputm__assert(result >= 0);
	(void)result;
}

int gputm_simt_stack_tx_begin(struct gputm_simt_stack *s, uint64_t restart_pc)
{
	int result = gputm_simt_stack_tx_begin_probe(s, restart_pc);

	if (result == GPUTM_SIMT_STACK_SWITCH) {
		enter(s, restart_pc);
	} else if (result == GPUTM_SIMT_STACK_NESTED) {
		s->nested++;
		count_up(s, s->top->mask);
		step(s, restart_pc);
	} else if (result == GPUTM_SIMT_STACK_FULL) {
		s->full++;
	}
	return result;
}

int gputm_simt_stack_tx_abort(struct gputm_simt_stack *s, uint64_t mask)
{
	struct gputm_simt_stack_entry *retry = s->slot + s->retry, *top = s->top;
	uint64_t running = gputm_simt_stack_tx_running(s), active = top->mask;

	if (!mask || (mask & ~running))
		return gputm__simt_refuse_mask(s, "abort mask", mask, running);
	gputm__simt_take_away(retry + 1, top, mask);
	retry->mask |= mask;
	for (unsigned bit = 0; bit < NESTING_BITS; bit++)
		s->nesting[bit] &= ~mask;
	s->lanes_aborted += gputm__popcount(mask);
	gputm__simt_settle(s);
	gputm__emit(&s->unit, GPUTM_SIMT_STACK_EVENT_ABORT, s->retry - 1, mask, retry->mask, 0);
	return s->top == top && top->mask == active ? GPUTM_SIMT_STACK_CONTINUE :
						      GPUTM_SIMT_STACK_SWITCH;
}

static int commit_nested(struct gputm_simt_stack *s, uint64_t mask, uint64_t pc_after)
{
	if (mask != s->top->mask || !same_nesting(s, mask))
		return gputm__refuse(&s->unit, "commit mask = 0x%llx: active are 0x%llx, not all "
				     "as deeply nested", (unsigned long long)mask,
				     (unsigned long long)s->top->mask);
	count_down(s, mask);
	step(s, pc_after);
	return GPUTM_SIMT_STACK_NESTED;
}

int gputm_simt_stack_tx_commit(struct gputm_simt_stack *s, uint64_t mask, uint64_t pc_after)
{
	uint64_t active = s->retry ? s->top->mask : 0;

	if (!mask || (mask & ~active))
		return gputm__simt_refuse_mask(s, "commit mask", mask, active);
	if (!gputm__simt_is_pc(s, pc_after))
		return gputm__simt_refuse_step(s, "PC after the transaction", pc_after);
	if (mask & nested_lanes(s))
		return commit_nested(s, mask, pc_after);
	if (s->top->type != GPUTM_SIMT_STACK_TYPE_TRANSACTION)
		return gputm__refuse(&s->unit, "commit within a branch of the transaction");
	if (s->pc_after != NO_PC && s->pc_after != pc_after)
		return gputm__refuse(&s->unit, "PC after the transaction = 0x%llx, it was 0x%llx",
				     (unsigned long long)pc_after,
				     (unsigned long long)s->pc_after);
	s->pc_after = pc_after;
	s->top->mask &= ~mask;
	s->lanes_committed += gputm__popcount(mask);
	gputm__emit(&s->unit, GPUTM_SIMT_STACK_EVENT_COMMIT, s->retry - 1, mask, pc_after, 0);
	return GPUTM_SIMT_STACK_SWITCH;
}

static void restart(struct gputm_simt_stack *s)
{
	struct gputm_simt_stack_entry *retry = s->slot + s->retry;

	gputm__simt_set(s->top, retry->pc, NO_PC, retry->mask, GPUTM_SIMT_STACK_TYPE_TRANSACTION);
	retry->mask = 0;
	s->restarts++;
	s->lanes_started += gputm__popcount(s->top->mask);
	gputm__emit(&s->unit, GPUTM_SIMT_STACK_EVENT_RESTART, s->retry - 1, s->top->pc,
		    s->top->mask, 0);
}

static void leave(struct gputm_simt_stack *s)
{
	gputm__emit(&s->unit, GPUTM_SIMT_STACK_EVENT_LEAVE, s->retry - 1, s->pc_after, 0, 0);
	s->top -= 2;
	s->top->pc = s->pc_after;
	s->left += 2;
	s->retry = 0;
	s->pc_after = NO_PC;
	gputm__simt_settle(s);
}

int gputm_simt_stack_tx_commit_done(struct gputm_simt_stack *s)
{
	if (!s->retry)
		return gputm__refuse(&s->unit, "commit done: the warp is in no transaction");
	if (gputm_simt_stack_tx_running(s))
		return gputm__refuse(&s->unit, "commit done: lanes 0x%llx have not ended",
				     (unsigned long long)gputm_simt_stack_tx_running(s));
	if (s->slot[s->retry].mask) {
		restart(s);
		return GPUTM_SIMT_STACK_RESTART;
	}
	leave(s);
	return GPUTM_SIMT_STACK_LEAVE;
}
