/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of simt_stack: a next PC for each lane, against the calls that take masks. */
#include "tests/simt_stack.h"

#define SNAPSHOT 16384

static uint64_t bit(unsigned lane)
{
	return UINT64_C(1) << lane;
}

KIT_MADE(test_simt_stack_top_is_what_runs, s, FOUR)
{
	struct gputm_simt_stack_entry top;

	gputm_simt_stack_top(s, &top);
	ck_assert(top.pc == NO_PC && !top.mask && top.rpc == NO_PC);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
	ck_assert_int_eq(DIVERGE(s, E, NO_PC, { B, 0x3 }, { C, 0xc }), SWITCH);
	gputm_simt_stack_top(s, &top);
	row_is(s, 2, &top);
	ck_assert(top.pc == C && top.mask == 0xc && top.rpc == E);
}

/* Fig. 2.3 as a host sees it: the fall-through (F, then D) is pushed first and runs last. */
KIT_TEST(test_fig_2_3_simt_stack_update_by_next_pc)
{
	const uint64_t at_a[] = { B, B, B, F }, at_b[] = { C, D, D, NO_PC };
	const uint64_t at_c[] = { E, D, D, F }, at_d[] = { E, E, E, F }, at_e[] = { G, G, G, F };
	struct gputm_simt_stack *s = launched(kit, FOUR, A);

	ck_assert_int_eq(gputm_simt_stack_update(s, 0, at_a, G, F), SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf), ROW(F, G, 0x8), ROW(B, G, 0x7));
	ck_assert_int_eq(gputm_simt_stack_update(s, 0, at_b, E, D), SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf), ROW(F, G, 0x8), ROW(E, G, 0x7), ROW(D, E, 0x6), ROW(C, E, 0x1));
	ck_assert_int_eq(gputm_simt_stack_update(s, 0, at_c, NO_PC, NO_PC), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_update(s, 0, at_d, NO_PC, NO_PC), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_update(s, 0, at_e, NO_PC, NO_PC), SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf), ROW(F, G, 0x8));
}

/* The same lanes in the two orders that are asked for, and a third target between them. */
KIT_TEST(test_simt_stack_update_orders_targets)
{
	const uint64_t two[] = { C, B, C, B }, three[] = { D, B, C, B };
	static const struct {
		bool three;
		uint64_t last_pc, pc[3]; /* from below */
	} orders[] = {
		{ false, NO_PC, { B, C } },
		{ false, B, { B, C } },
		{ false, C, { C, B } },
		{ false, E, { B, C } },
		{ true, NO_PC, { B, C, D } },
		{ true, C, { C, B, D } },
		{ true, D, { D, B, C } },
	};

	for (size_t i = 0; i < KIT_COUNT(orders); i++) {
		struct gputm_simt_stack *s = make(kit, FOUR);
		struct gputm_simt_stack_entry entry;

		ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
		ck_assert_int_eq(gputm_simt_stack_update(s, 0, orders[i].three ? three : two, G,
							 orders[i].last_pc), SWITCH);
		ck_assert_uint_eq(gputm_simt_stack_depth(s), orders[i].three ? 4 : 3);
		for (size_t row = 1; row < gputm_simt_stack_depth(s); row++) {
			ck_assert_int_eq(gputm_simt_stack_get_entry(s, row, &entry), 0);
			ck_assert_uint_eq(entry.pc, orders[i].pc[row - 1]);
		}
	}
}

/* ---- refusals ---- */

KIT_MADE(test_simt_stack_update_refuses_and_changes_nothing, s, "lanes=4 pc_bits=8 depth=3")
{
	const uint64_t wide[] = { 0x100, 0x100, 0x100, 0x100 }, one_wide[] = { B, C, 0x100, B };
	const uint64_t apart[] = { B, C, B, C };

	KIT_REFUSED(-EINVAL, gputm_simt_stack_update(s, 0, apart, E, NO_PC),
		    "update", "no lane is active");
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
	kit_guard(kit, unit_of(s));
	KIT_REFUSED(-ERANGE, gputm_simt_stack_update(s, 0, wide, E, NO_PC),
		    "next PC = 256", "0 .. 255");
	for (uint64_t ended = 0; ended < 0x10; ended += 8) {
		KIT_REFUSED(-ERANGE, gputm_simt_stack_update(s, ended, one_wide, E, NO_PC),
			    "PC of a target = 256");
		KIT_REFUSED(-ERANGE, gputm_simt_stack_update(s, ended, apart, 0x100, NO_PC),
			    "rpc = 256");
	}
	kit_unchanged(kit);
	ck_assert_int_eq(gputm_simt_stack_update(s, 0, apart, E, B), SWITCH);
	for (uint64_t ended = 0; ended < 3; ended += 2) { /* of lanes 1 and 3, at B */
		const uint64_t full[] = { A, A, A, F };

		ck_assert_int_eq(gputm_simt_stack_update(s, ended, full, 0xfe, NO_PC),
				 ended ? CONTINUE : FULL);
	}
	ck_assert_uint_eq(kit_stat(unit_of(s), "full"), 1);
}

KIT_TEST(test_simt_stack_update_ends_no_lane_in_a_transaction)
{
	const uint64_t next[] = { B, B };
	struct gputm_simt_stack *s = launched(kit, "lanes=2 depth=0 likely_convergence=0", A);

	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, B), SWITCH);
	KIT_REFUSED(-EINVAL, gputm_simt_stack_update(s, 0x1, next, NO_PC, NO_PC),
		    "in a transaction");
	ck_assert_int_eq(gputm_simt_stack_update(s, 0x3, next, NO_PC, NO_PC), -EINVAL);
	ROWS(s, ROW(A, NO_PC, 0x3), TYPED(B, 0, R), TYPED(B, 0x3, T));
}

/* Lanes commit one after the other, as the header tells hosts to do. */
KIT_TEST(test_simt_stack_lanes_commit_one_by_one)
{
	struct gputm_simt_stack *s = launched(kit, FOUR, A);
	int result = 0;

	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, B), SWITCH);
	advance(s, C, CONTINUE);
	for (unsigned i = 0; i < 8; i++) {
		uint64_t lane = bit(i % 4);

		if (!(gputm_simt_stack_tx_running(s) & lane))
			continue;
		if (i < 4 && i & 1)
			ck_assert_int_ge(gputm_simt_stack_tx_abort(s, lane), 0);
		else
			ck_assert_int_eq(gputm_simt_stack_tx_commit(s, lane, D), SWITCH);
		if (!gputm_simt_stack_tx_running(s))
			result = gputm_simt_stack_tx_commit_done(s);
		if (i == 3)
			ck_assert_int_eq(result, GPUTM_SIMT_STACK_RESTART);
	}
	ck_assert_int_eq(result, GPUTM_SIMT_STACK_LEAVE);
	ROWS(s, ROW(D, NO_PC, 0xf));
}

/* ---- at random, beside the calls that take masks ---- */

struct twins {
	struct gputm_simt_stack *a, *b; /* update() works a */
	uint8_t before[SNAPSHOT];
	uint64_t random;
	uint32_t lanes;
};

/* The slow way: each lane looks for a target of its PC; targets by highest lane, then last_pc. */
static size_t targets_of(const struct twins *t, uint64_t lanes, const uint64_t next_pc[],
			 uint64_t last_pc, struct gputm_simt_stack_target target[])
{
	size_t count = 0, at;

	for (unsigned lane = t->lanes; lane-- > 0;) {
		if (!(lanes & bit(lane)))
			continue;
		for (at = 0; at < count && target[at].pc != next_pc[lane]; at++)
			;
		if (at == count)
			target[count++] = (struct gputm_simt_stack_target){ next_pc[lane], 0 };
		target[at].mask |= bit(lane);
	}
	for (at = count; at-- > 1;) {
		if (target[at].pc == last_pc) {
			struct gputm_simt_stack_target below = target[at - 1];

			target[at - 1] = target[at];
			target[at] = below;
		}
	}
	return count;
}

/* Returns what update() has to return; b is as it was when that is a refusal. */
static int by_masks(struct twins *t, uint64_t ended, const uint64_t next_pc[], uint64_t rpc,
		    uint64_t last_pc)
{
	struct gputm_unit *unit = unit_of(t->b);
	struct gputm_simt_stack_target target[64];
	uint64_t active = gputm_simt_stack_active_mask(t->b);
	size_t size = gputm_unit_save(unit, t->before, SNAPSHOT);
	int result = 0;

	ck_assert_uint_le(size, SNAPSHOT);
	if (active & ended)
		result = gputm_simt_stack_exit(t->b, active & ended);
	if (result >= 0 && (active & ~ended)) {
		size_t count = targets_of(t, active & ~ended, next_pc, last_pc, target);

		if (count == 1)
			result = gputm_simt_stack_proceed(t->b, target[0].pc);
		else
			result = gputm_simt_stack_diverge(t->b, target, count, rpc, NO_PC);
	}
	if (result == FULL) {
		size = gputm_unit_save(unit_of(t->a), t->before, SNAPSHOT);
		ck_assert_int_eq(gputm_unit_load(unit, t->before, size), 0);
	} else if (result < 0) {
		ck_assert_int_eq(gputm_unit_load(unit, t->before, size), 0);
	}
	return result;
}

/* Few PCs, so that lanes meet; often all go to one. */
static uint64_t draw_pc(struct twins *t)
{
	return kit_below(&t->random, 30) ? kit_below(&t->random, 6) * 16 : 256;
}

static void step(struct twins *t)
{
	uint64_t next_pc[64], active = gputm_simt_stack_active_mask(t->a), ended = 0, rpc, last_pc;
	unsigned ways = (unsigned)kit_below(&t->random, 4);
	int result, expected;

	for (unsigned lane = 0; lane < t->lanes; lane++)
		next_pc[lane] = lane && kit_below(&t->random, 3) >= ways ? next_pc[lane - 1]
									 : draw_pc(t);
	if (!kit_below(&t->random, 8))
		ended = kit_random(&t->random) & kit_random(&t->random);
	if (!kit_below(&t->random, 60))
		ended = active;
	rpc = kit_below(&t->random, 4) ? 96 + gputm_simt_stack_depth(t->a) * 16 % 144 : NO_PC;
	if (!kit_below(&t->random, 3) && gputm_simt_stack_depth(t->a) > 1) {
		struct gputm_simt_stack_entry top;

		gputm_simt_stack_top(t->a, &top);
		rpc = top.rpc;
		for (unsigned lane = 0; lane < t->lanes; lane++)
			if (kit_below(&t->random, 2))
				next_pc[lane] = rpc;
	}
	last_pc = kit_below(&t->random, 2) ? draw_pc(t) : NO_PC;
	if (gputm_simt_stack_in_transaction(t->a) && kit_below(&t->random, 4))
		ended &= ~active;
	/* update() of a comes first, except for the count of FULL, which b takes over */
	result = gputm_simt_stack_update(t->a, ended, next_pc, rpc, last_pc);
	expected = by_masks(t, ended, next_pc, rpc, last_pc);
	if (result >= 0 || expected >= 0) /* of two reasons to refuse either may be told */
		ck_assert_int_eq(result, expected);
}

static void both(struct twins *t)
{
	uint64_t running = gputm_simt_stack_tx_running(t->a);
	uint64_t some = running & kit_random(&t->random);

	if (!gputm_simt_stack_depth(t->a)) {
		uint64_t mask = kit_random(&t->random) | 1;

		mask |= kit_random(&t->random);
		mask &= t->lanes < 64 ? bit(t->lanes) - 1 : UINT64_MAX;
		ck_assert_int_eq(gputm_simt_stack_launch(t->a, 0, mask), 0);
		ck_assert_int_eq(gputm_simt_stack_launch(t->b, 0, mask), 0);
	} else if (gputm_simt_stack_in_transaction(t->a) && !running) {
		ck_assert_int_eq(gputm_simt_stack_tx_commit_done(t->a),
				 gputm_simt_stack_tx_commit_done(t->b));
	} else if (some) {
		ck_assert_int_eq(gputm_simt_stack_tx_abort(t->a, some),
				 gputm_simt_stack_tx_abort(t->b, some));
	} else if (gputm_simt_stack_active_mask(t->a)) {
		ck_assert_int_eq(gputm_simt_stack_tx_begin(t->a, 16),
				 gputm_simt_stack_tx_begin(t->b, 16));
	}
	running = gputm_simt_stack_active_mask(t->a);
	if (gputm_simt_stack_tx_running(t->a) && !kit_below(&t->random, 3))
		ck_assert_int_eq(gputm_simt_stack_tx_commit(t->a, running, 32),
				 gputm_simt_stack_tx_commit(t->b, running, 32));
}

static void look_away(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
}

static const uint32_t widths[] = { 1, 2, 3, 8, 31, 32, 33, 64 };

KIT_TESTS(test_simt_stack_update_is_exit_proceed_and_diverge, KIT_COUNT(widths))
{
	unsigned rounds = kit_scale(30000, 8000);
	static struct twins t;

	for (unsigned kind = 0; kind < 4; kind++) {
		struct gputm_simt_stack_config config = GPUTM_SIMT_STACK_CONFIG_INIT;

		t.random = 10 * widths[_i] + kind;
		t.lanes = config.lanes = widths[_i];
		config.pc_bits = 8;
		config.depth = kind & 1 ? 9 : 0;
		t.a = make_of(kit, &config);
		t.b = make_of(kit, &config);
		if (kind > 1)
			ck_assert_int_eq(gputm_unit_observe(unit_of(t.a), look_away, NULL), 0);
		for (unsigned round = 0; round < rounds / 10; round++) {
			if (!gputm_simt_stack_active_mask(t.a) || !kit_below(&t.random, 20))
				both(&t);
			else
				step(&t);
			ck_assert_ptr_null(gputm_unit_check(unit_of(t.a)));
			ck_assert_uint_eq(kit_digest(unit_of(t.a)), kit_digest(unit_of(t.b)));
		}
	}
}
