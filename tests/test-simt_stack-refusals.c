/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of simt_stack: what is refused, tight, and what its observer is told. */
#include "tests/simt_stack.h"

/* ---- refusals, tight ---- */

KIT_WITH(test_simt_stack_nesting_is_tight, struct gputm_simt_stack *s, launched(kit, FOUR, B))
{
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	for (unsigned i = 0; i < GPUTM_SIMT_STACK_NESTING_MAX; i++) {
		ck_assert_int_eq(gputm_simt_stack_tx_begin_probe(s, C), NESTED);
		ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), NESTED);
	}
	ck_assert_int_eq(gputm_simt_stack_tx_begin_probe(s, C), -ERANGE);
	KIT_REFUSED(-ERANGE, gputm_simt_stack_tx_begin(s, C), "nesting = 256", "0 .. 255");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_commit(s, 0x1, C), "active are 0xf");
	for (unsigned i = 0; i < GPUTM_SIMT_STACK_NESTING_MAX; i++)
		ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xf, C), NESTED);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xf, C), SWITCH);
}

KIT_TEST(test_simt_stack_lanes_at_different_depths_do_not_commit)
{
	struct gputm_simt_stack *s = launched(kit, FOUR, A);

	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, B), SWITCH);
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { C, 0x3 }, { D, 0xc }), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, E), NESTED);
	ck_assert_int_eq(gputm_simt_stack_proceed(s, G), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_proceed(s, G), SWITCH);
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_commit(s, 0xf, C), "as deeply nested");
}

KIT_TEST(test_simt_stack_depth_is_tight)
{
	const struct gputm_simt_stack_target two[] = { { B, 0x1 }, { C, 0x2 } };
	struct gputm_simt_stack *s;

	for (uint32_t depth = 1; depth < 6; depth++) {
		s = make(kit, "lanes=4 depth=%u likely_convergence=1", depth);
		ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0x3), 0);
		for (int likely = 0; likely < 2; likely++) {
			uint64_t lpc = likely ? E : NO_PC;
			int expected = depth < 3u + (uint32_t)likely ? FULL : SWITCH;
			uint64_t digest = kit_digest(unit_of(s));

			ck_assert_int_eq(gputm_simt_stack_diverge_probe(s, two, 2, F, lpc),
					 expected);
			ck_assert_uint_eq(kit_digest(unit_of(s)), digest);
			ck_assert_int_eq(gputm_simt_stack_diverge(s, two, 2, F, lpc), expected);
			if (expected == FULL) {
				ROWS(s, ROW(A, NO_PC, 0x3));
				continue;
			}
			advance(s, F, SWITCH);
			advance(s, F, SWITCH);
			advance(s, A, CONTINUE);
		}
		ck_assert_int_eq(gputm_simt_stack_tx_begin_probe(s, C),
				 depth < 3 ? FULL : SWITCH);
		ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C),
				 depth < 3 ? FULL : SWITCH);
		ck_assert_uint_eq(kit_stat(unit_of(s), "full"), depth < 3 ? 3 : depth < 4);
		kit_valid(unit_of(s));
	}
}

/* One lane after the other splits off the deepest path, then a transaction: 2 x lanes + 1. */
KIT_TEST(test_simt_stack_default_depth_is_enough)
{
	struct gputm_simt_stack *s;

	for (uint32_t lanes = 1; lanes <= 64; lanes++) {
		uint64_t here = lanes < 64 ? (UINT64_C(1) << lanes) - 1 : UINT64_MAX;

		s = make(kit, "lanes=%u depth=0 likely_convergence=0", lanes);
		ck_assert_int_eq(gputm_simt_stack_launch(s, A, here), 0);
		for (uint32_t lane = 0; lane + 1 < lanes; lane++) {
			uint64_t one = UINT64_C(1) << lane;

			here &= ~one;
			ck_assert_int_eq(DIVERGE(s, 0x1000 - lane, NO_PC, { B, one }, { A, here }),
					 SWITCH);
		}
		ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
		ck_assert_uint_eq(gputm_simt_stack_depth(s), 2 * lanes + 1);
		kit_valid(unit_of(s));
	}
}

KIT_MADE(test_simt_stack_refusals_change_nothing, s, "lanes=4 pc_bits=12 likely_convergence=1")
{
	kit_guard(kit, unit_of(s));
	KIT_REFUSED(-EINVAL, gputm_simt_stack_launch(s, A, 0), "");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_launch(s, A, 0x10), "simt_stack", "0x10", "0xf");
	KIT_REFUSED(-ERANGE, gputm_simt_stack_launch(s, 4096, 0xf),
		    "launch PC = 4096", "0 .. 4095");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_proceed(s, A), "no lane is active");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_exit(s, 0x1), "");
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { A, 0x1 }), -EINVAL);
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_begin(s, A), "");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_abort(s, 0x1), "");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_commit(s, 0x1, A), "");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_commit_done(s), "");
	kit_unchanged(kit);

	ck_assert_int_eq(gputm_simt_stack_launch(s, 4095, 0x7), 0);
	kit_guard(kit, unit_of(s));
	KIT_REFUSED(-EINVAL, gputm_simt_stack_launch(s, A, 0x8), "0x7 are running");
	KIT_REFUSED(-ERANGE, gputm_simt_stack_proceed(s, 4096), "next PC = 4096", "0 .. 4095");
	KIT_REFUSED(-ERANGE, gputm_simt_stack_proceed(s, NO_PC), "");
	KIT_REFUSED(-EINVAL, DIVERGE(s, G, NO_PC, { B, 0x3 }, { C, 0x6 }), "0x2 have two targets");
	KIT_REFUSED(-EINVAL, DIVERGE(s, G, NO_PC, { B, 0x3 }, { C, 0x8 }), "0xb", "0x7");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_diverge(s, NULL, 0, G, NO_PC), "");
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { B, 0x3 }, { 4096, 0x4 }), -ERANGE);
	KIT_REFUSED(-ERANGE, DIVERGE(s, 4096, NO_PC, { B, 0x3 }, { C, 0x4 }), "rpc = 4096");
	KIT_REFUSED(-ERANGE, DIVERGE(s, G, 4096, { B, 0x3 }, { C, 0x4 }), "lpc = 4096");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_exit(s, 0), "");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_exit(s, 0x8), "");
	KIT_REFUSED(-ERANGE, gputm_simt_stack_tx_begin(s, 4096), "");
	kit_unchanged(kit);

	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	kit_guard(kit, unit_of(s));
	KIT_REFUSED(-EINVAL, gputm_simt_stack_exit(s, 0x1), "transaction");
	ck_assert_int_eq(DIVERGE(s, NO_PC, NO_PC, { B, 0x3 }, { C, 0x4 }), -EINVAL);
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_abort(s, 0), "");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_abort(s, 0x8), "");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_commit(s, 0, G), "");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_commit(s, 0x8, G), "");
	KIT_REFUSED(-ERANGE, gputm_simt_stack_tx_commit(s, 0x1, 4096), "");
	KIT_REFUSED(-EINVAL, gputm_simt_stack_tx_commit_done(s), "");
	kit_unchanged(kit);
	kit_hostile(&simt_stack_maker, unit_of(s));
}

/* A snapshot, well sealed, in which the R entry has become a normal one. */
KIT_TEST(test_simt_stack_load_needs_the_types_of_r_and_t)
{
	static uint8_t image[4096];
	size_t size, contents;
	struct gputm_simt_stack *s = launched(kit, FOUR, B);

	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	size = gputm_unit_save_state(unit_of(s), image, sizeof(image));
	ck_assert_uint_le(size, sizeof(image));
	contents = size - 8 - (3 * 40 + 8 + 64); /* three entries, PC after, nesting */
	ck_assert_uint_eq(image[contents + 40 + 36], R);
	image[contents + 40 + 36] = N;
	kit_seal(image, size);
	KIT_REFUSED(-EINVAL, gputm_unit_load(unit_of(s), image, size), "R or T");
	ROWS(s, ROW(B, NO_PC, 0xf), TYPED(C, 0, R), TYPED(C, 0xf, T));
}

/*
 * Two entries wait at E for the same RPC F: [1], of the branch at A, and [6], of a branch in the
 * way of lanes 2 and 3, to G. The lanes of the inner branch join [6] alone.
 */
KIT_TEST(test_simt_stack_load_needs_an_lpos_of_the_same_branch)
{
	const uint64_t here = 0x123456;
	struct gputm_simt_stack *s = launched(kit, "lanes=4 depth=9 likely_convergence=1", A);

	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x1 }, { C, 0xe }), SWITCH);
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { D, 0x2 }, { H, 0xc }), SWITCH);
	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x4 }, { here, 0x8 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0), LIKELY(B, F, E, 1, 0x1),
	     LIKELY(G, F, E, 1, 0xe), ROW(D, G, 0x2), ROW(F, G, 0xc), ROW(E, F, 0),
	     LIKELY(B, F, E, 6, 0x4), LIKELY(here, F, E, 6, 0x8));
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(s), here, 32, 4, 1),
		    "I4: LPos lies below the branch");
	ck_assert_int_eq(kit_forged(unit_of(s), here, 32, 4, 6), 0);
}

KIT_TEST(test_simt_stack_widest_pcs)
{
	struct gputm_simt_stack *s = launched(kit, "pc_bits=64 lanes=64", 0);

	advance(s, NO_PC - 1, CONTINUE);
	ck_assert_int_eq(gputm_simt_stack_proceed(s, NO_PC), -ERANGE);
}

/* ---- observer ---- */

KIT_MADE(test_simt_stack_tells_its_observer, s, FOUR_LIKELY)
{
	kit_observe(unit_of(s));
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x1 }, { C, 0xe }), SWITCH);
	advance(s, E, SWITCH);
	advance(s, F, SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_abort(s, 0x2), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xc, G), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_RESTART);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x2, G), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_LEAVE);
	ck_assert_int_eq(gputm_simt_stack_exit(s, 0x8), CONTINUE);
	KIT_TOLD("diverge", 1, 1, 4, F, E);
	KIT_TOLD("merge", 1, 3, E, 0xe, 1);
	KIT_TOLD("reconverge", 1, 2, F, 0x1, 0);
	KIT_TOLD("begin", 1, 2, C, 0xe, 0);
	KIT_TOLD("abort", 1, 2, 0x2, 0x2, 0);
	KIT_TOLD("commit", 2, 2, 0x2, G, 0);
	KIT_TOLD("restart", 1, 2, C, 0x2, 0);
	KIT_TOLD("leave", 1, 2, G, 0, 0);
	KIT_TOLD("exit", 1, 2, 0x8, 0, 0);
}
