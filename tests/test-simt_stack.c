/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of simt_stack: life, and the worked figures of the thesis state by state. */
#include "tests/simt_stack.h"

/* ---- life ---- */

KIT_TEST(test_simt_stack_life)
{
	kit_common(&simt_stack_maker);
}

KIT_MADE(test_simt_stack_storage, stack, "lanes=32 depth=0 likely_convergence=0")
{
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(stack)), 66 * (32 + 32 + 32 + 2));
	stack = make(kit, "pdom-lcp depth=16");
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(stack)),
			  16 * (32 + 32 + 32 + 2 + 32 + 4));
}

/* ---- the figures ---- */

KIT_WITH(test_fig_2_3_simt_stack_reconvergence, struct gputm_simt_stack *s, launched(kit, FOUR, A))
{
	ROWS(s, ROW(A, NO_PC, 0xf));
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { F, 0x8 }, { B, 0x7 }), SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf), ROW(F, G, 0x8), ROW(B, G, 0x7));
	ck_assert_int_eq(DIVERGE(s, E, NO_PC, { D, 0x6 }, { C, 0x1 }), SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf), ROW(F, G, 0x8), ROW(E, G, 0x7), ROW(D, E, 0x6), ROW(C, E, 0x1));
	advance(s, E, SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf), ROW(F, G, 0x8), ROW(E, G, 0x7), ROW(D, E, 0x6));
	advance(s, E, SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf), ROW(F, G, 0x8), ROW(E, G, 0x7));
	advance(s, G, SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf), ROW(F, G, 0x8));
	advance(s, G, SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf));
	ck_assert_int_eq(gputm_simt_stack_exit(s, 0xf), GPUTM_SIMT_STACK_FINISH);
	ck_assert_uint_eq(gputm_simt_stack_depth(s), 0);
	ck_assert_uint_eq(gputm_simt_stack_pc(s), NO_PC);
}

/* The unit settles inside diverge, so state b of the figure is not seen and c follows a. */
KIT_WITH(test_fig_3_8_likely_convergence, struct gputm_simt_stack *s, launched(kit, FOUR_LIKELY, A))
{
	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x1 }, { C, 0xe }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0), LIKELY(B, F, E, 1, 0x1),
	     LIKELY(C, F, E, 1, 0xe));
	ck_assert_int_eq(DIVERGE(s, F, E, { D, 0xc }, { E, 0x2 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0x2), LIKELY(B, F, E, 1, 0x1),
	     LIKELY(D, F, E, 1, 0xc));
	advance(s, F, SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0x2), LIKELY(B, F, E, 1, 0x1));
	advance(s, E, SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0x3));
	advance(s, F, SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf));
}

/* As drawn: thread 2's entry is there until its next instruction is seen to be E. */
KIT_TEST(test_fig_3_8_likely_convergence_merges_a_running_entry)
{
	struct gputm_simt_stack *s = launched(kit, FOUR_LIKELY, A);

	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x1 }, { C, 0xe }), SWITCH);
	ck_assert_int_eq(DIVERGE(s, F, E, { D, 0xc }, { E - 4, 0x2 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0), LIKELY(B, F, E, 1, 0x1), LIKELY(D, F, E, 1, 0xc),
	     LIKELY(E - 4, F, E, 1, 0x2));
	advance(s, E, SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0x2), LIKELY(B, F, E, 1, 0x1),
	     LIKELY(D, F, E, 1, 0xc));
}

KIT_TEST(test_fig_4_3_transaction_entries)
{
	struct gputm_simt_stack *s = launched(kit, "lanes=8 depth=0 likely_convergence=0", A);

	ck_assert_int_eq(DIVERGE(s, H, NO_PC, { H, 0x30 }, { B, 0xcf }), SWITCH);
	ROWS(s, ROW(H, NO_PC, 0xff), ROW(B, H, 0xcf));
	ck_assert(!gputm_simt_stack_in_transaction(s));
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	ck_assert(gputm_simt_stack_in_transaction(s));
	ROWS(s, ROW(H, NO_PC, 0xff), ROW(B, H, 0xcf), TYPED(C, 0, R), TYPED(C, 0xcf, T));
	advance(s, D, CONTINUE);
	ck_assert_int_eq(DIVERGE(s, F, NO_PC, { F, 0x07 }, { E, 0xc8 }), SWITCH);
	ROWS(s, ROW(H, NO_PC, 0xff), ROW(B, H, 0xcf), TYPED(C, 0, R), TYPED(F, 0xcf, T),
	     ROW(E, F, 0xc8));
	advance(s, F, SWITCH);
	ROWS(s, ROW(H, NO_PC, 0xff), ROW(B, H, 0xcf), TYPED(C, 0, R), TYPED(F, 0xcf, T));
	ck_assert_int_eq(gputm_simt_stack_tx_abort(s, 0xc0), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x0f, G), SWITCH);
	ROWS(s, ROW(H, NO_PC, 0xff), ROW(B, H, 0xcf), TYPED(C, 0xc0, R), TYPED(F, 0, T));
	ck_assert_uint_eq(gputm_simt_stack_tx_retry(s), 0xc0);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_RESTART);
	ROWS(s, ROW(H, NO_PC, 0xff), ROW(B, H, 0xcf), TYPED(C, 0, R), TYPED(C, 0xc0, T));
	advance(s, D, CONTINUE);
	advance(s, F, CONTINUE);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xc0, G), SWITCH);
	ROWS(s, ROW(H, NO_PC, 0xff), ROW(B, H, 0xcf), TYPED(C, 0, R), TYPED(F, 0, T));
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_LEAVE);
	ROWS(s, ROW(H, NO_PC, 0xff), ROW(G, H, 0xcf));
	ck_assert(!gputm_simt_stack_in_transaction(s));
}

/* ---- rules that the figures do not show ---- */

/* A loop branches at its head again and again: the entry with the loop's RPC is replaced. */
KIT_TEST(test_simt_stack_a_loop_does_not_grow_the_stack)
{
	struct gputm_simt_stack *s;

	for (int likely = 0; likely < 2; likely++) {
		s = make(kit, "lanes=32 depth=0 likely_convergence=%d", likely);
		ck_assert_int_eq(gputm_simt_stack_launch(s, A, UINT32_MAX), 0);
		for (unsigned lane = 0; lane < 31; lane++) {
			uint64_t here = gputm_simt_stack_active_mask(s);
			uint64_t leave = UINT64_C(1) << lane;

			ck_assert_int_eq(DIVERGE(s, F, E, { F, leave }, { C, here & ~leave }),
					 SWITCH);
			kit_valid(unit_of(s));
			advance(s, E, likely ? SWITCH : CONTINUE);
			advance(s, A, CONTINUE);
		}
		ck_assert_uint_eq(kit_stat(unit_of(s), "max_depth"), likely ? 3 : 2);
		advance(s, F, SWITCH);
		ROWS(s, ROW(F, NO_PC, UINT32_MAX));
	}
}

KIT_TEST(test_simt_stack_likely_points_are_ignored_unless_configured)
{
	struct gputm_simt_stack *s = launched(kit, FOUR, A);

	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x1 }, { C, 0xe }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(B, F, 0x1), ROW(C, F, 0xe));
	advance(s, E, CONTINUE);
}

KIT_TEST(test_simt_stack_a_likely_point_at_the_rpc_is_none)
{
	struct gputm_simt_stack *s = launched(kit, FOUR_LIKELY, A);

	ck_assert_int_eq(DIVERGE(s, F, F, { B, 0x1 }, { C, 0x6 }, { F, 0x8 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(B, F, 0x1), ROW(C, F, 0x6));
}

/* Lanes that branch to the likely-convergence point join those that are there. */
KIT_TEST(test_simt_stack_targets_at_the_likely_point_gather)
{
	struct gputm_simt_stack *s = launched(kit, FOUR_LIKELY, A);

	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x7 }, { E, 0x8 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0x8), LIKELY(B, F, E, 1, 0x7));
	ck_assert_int_eq(DIVERGE(s, F, E, { E, 0x4 }, { C, 0x3 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0xc), LIKELY(C, F, E, 1, 0x3));
	ck_assert_int_eq(DIVERGE(s, F, E, { E, 0x2 }, { F, 0x1 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0xe));
}

/* Erratum 8: nobody came by the likely-convergence point. */
KIT_TEST(test_simt_stack_an_empty_likely_entry_is_popped_at_once)
{
	struct gputm_simt_stack *s = launched(kit, FOUR_LIKELY, A);

	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x1 }, { C, 0xe }), SWITCH);
	advance(s, F, SWITCH);
	advance(s, F, SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf));
	ck_assert_uint_eq(kit_stat(unit_of(s), "emptied"), 1);
}

/* The branching entry gives its place to a likely-convergence entry that keeps its own LPC. */
KIT_TEST(test_simt_stack_another_likely_point_of_the_same_branch)
{
	struct gputm_simt_stack *s = launched(kit, FOUR_LIKELY, A);

	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x1 }, { C, 0xe }), SWITCH);
	ck_assert_int_eq(DIVERGE(s, F, D, { C + 4, 0x2 }, { D, 0x4 }, { C + 8, 0x8 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0), LIKELY(B, F, E, 1, 0x1),
	     LIKELY(D, F, E, 1, 0x4), LIKELY(C + 4, F, D, 3, 0x2), LIKELY(C + 8, F, D, 3, 0x8));
	advance(s, D, SWITCH);
	advance(s, D, SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0), LIKELY(B, F, E, 1, 0x1),
	     LIKELY(D, F, E, 1, 0xe));
	advance(s, E, SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0xe), LIKELY(B, F, E, 1, 0x1));
}

KIT_TEST(test_simt_stack_a_target_with_all_lanes_is_an_advance)
{
	struct gputm_simt_stack *s = launched(kit, FOUR, A);

	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { F, 0 }, { B, 0xf }), CONTINUE);
	ROWS(s, ROW(B, NO_PC, 0xf));
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { F, 0x8 }, { C, 0x7 }), SWITCH);
	ck_assert_int_eq(DIVERGE(s, E, NO_PC, { G, 0x7 }), SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf), ROW(F, G, 0x8));
	ck_assert_uint_eq(kit_stat(unit_of(s), "divergences"), 1);
}

KIT_TEST(test_simt_stack_targets_that_never_meet)
{
	struct gputm_simt_stack *s = launched(kit, FOUR, A);

	ck_assert_int_eq(DIVERGE(s, NO_PC, NO_PC, { B, 0x3 }, { C, 0xc }), SWITCH);
	ROWS(s, ROW(B, NO_PC, 0x3), ROW(C, NO_PC, 0xc));
	ck_assert_uint_eq(gputm_simt_stack_live_mask(s), 0xf);
	ck_assert_int_eq(gputm_simt_stack_exit(s, 0x4), CONTINUE);
	ck_assert_uint_eq(gputm_simt_stack_live_mask(s), 0xb);
	ck_assert_int_eq(gputm_simt_stack_exit(s, 0x8), SWITCH);
	ROWS(s, ROW(B, NO_PC, 0x3));
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { D, 0x2 }, { E, 0x1 }), SWITCH);
	ck_assert_int_eq(DIVERGE(s, NO_PC, NO_PC, { D, 0x1 }), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_exit(s, 0x1), SWITCH);
	advance(s, G, SWITCH);
	ROWS(s, ROW(G, NO_PC, 0x2));
	ck_assert_int_eq(gputm_simt_stack_exit(s, 0x2), GPUTM_SIMT_STACK_FINISH);
	ck_assert_int_eq(gputm_simt_stack_launch(s, B, 0x1), 0);
	ROWS(s, ROW(B, NO_PC, 0x1));
}

/* Eager conflicts: lanes abort wherever they are, and the emptied entries go. */
KIT_WITH(test_simt_stack_aborts_within_branches, struct gputm_simt_stack *s, launched(kit, FOUR, B))
{
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	ck_assert_int_eq(DIVERGE(s, F, NO_PC, { D, 0x3 }, { E, 0xc }), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_abort(s, 0x3), CONTINUE);
	ROWS(s, ROW(B, NO_PC, 0xf), TYPED(C, 0x3, R), TYPED(F, 0xc, T), ROW(D, F, 0),
	     ROW(E, F, 0xc));
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xc, G), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_abort(s, 0x3), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_abort(s, 0x4), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_abort(s, 0x8), SWITCH);
	ROWS(s, ROW(B, NO_PC, 0xf), TYPED(C, 0xf, R), TYPED(F, 0, T));
	ck_assert_int_eq(gputm_simt_stack_proceed(s, F), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_RESTART);
	ROWS(s, ROW(B, NO_PC, 0xf), TYPED(C, 0, R), TYPED(C, 0xf, T));
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x1, G), SWITCH);
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_commit(s, 0xe, H), "0x110", "0x100");
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xe, G), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_LEAVE);
	ROWS(s, ROW(G, NO_PC, 0xf));
}

/* The PC after the transaction is where the branch around it reconverges. */
KIT_TEST(test_simt_stack_leaving_a_transaction_reconverges)
{
	struct gputm_simt_stack *s = launched(kit, FOUR, A);

	ck_assert_int_eq(DIVERGE(s, H, NO_PC, { G, 0x3 }, { B, 0xc }), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xc, H), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_LEAVE);
	ROWS(s, ROW(H, NO_PC, 0xf), ROW(G, H, 0x3));
}

/* Nesting counts are of each lane: those that abort in a nested transaction leave it. */
KIT_TEST(test_simt_stack_nested_transactions_are_flattened)
{
	struct gputm_simt_stack *s = launched(kit, FOUR, B);

	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	ck_assert_int_eq(DIVERGE(s, F, NO_PC, { D, 0x3 }, { E, 0xc }), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, E + 4), NESTED);
	ROWS(s, ROW(B, NO_PC, 0xf), TYPED(C, 0, R), TYPED(F, 0xf, T), ROW(D, F, 0x3),
	     ROW(E + 4, F, 0xc));
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x4, E + 8), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_abort(s, 0x8), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, E + 8), NESTED);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x4, E + 12), NESTED);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x4, F), NESTED);
	ROWS(s, ROW(B, NO_PC, 0xf), TYPED(C, 0x8, R), TYPED(F, 0x7, T), ROW(D, F, 0x3));
	advance(s, F, SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x7, G), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_RESTART);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x8, G), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_LEAVE);
	ROWS(s, ROW(G, NO_PC, 0xf));
	ck_assert_uint_eq(kit_stat(unit_of(s), "nested"), 2);
}
