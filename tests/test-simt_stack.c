/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of simt_stack: life, the worked figures of the thesis state by state, what is
 * refused, and random programs against a recursive execution.
 */
#include <stdlib.h>

#include "tests/kit.h"
#include "tests/oracle/simt_stack.h"

KIT_MAKER(simt_stack, SIMT_STACK);

#define NO_PC GPUTM_SIMT_STACK_NO_PC
#define NO_ENTRY GPUTM_SIMT_STACK_NO_ENTRY
#define N GPUTM_SIMT_STACK_NORMAL
#define R GPUTM_SIMT_STACK_RETRY
#define T GPUTM_SIMT_STACK_TRANSACTION
#define CONTINUE GPUTM_SIMT_STACK_CONTINUE
#define SWITCH GPUTM_SIMT_STACK_SWITCH
#define FULL GPUTM_SIMT_STACK_FULL
#define NESTED GPUTM_SIMT_STACK_NESTED

static struct gputm_simt_stack *make(struct kit *kit, uint32_t lanes, uint32_t depth, bool likely)
{
	struct gputm_simt_stack_config config = GPUTM_SIMT_STACK_CONFIG_INIT;
	struct gputm_simt_stack *stack = NULL;

	config.lanes = lanes;
	config.depth = depth;
	config.likely_convergence = likely;
	ck_assert_int_eq(gputm_simt_stack_new(kit->ctx, &config, &stack), 0);
	return stack;
}

/* ---- rows ---- */

static void row_is(const struct gputm_simt_stack *stack, size_t index,
		   const struct gputm_simt_stack_entry *row)
{
	struct gputm_simt_stack_entry entry;

	ck_assert(gputm_simt_stack_entry(stack, index, &entry));
	ck_assert_uint_eq(entry.pc, row->pc);
	ck_assert_uint_eq(entry.rpc, row->rpc);
	ck_assert_uint_eq(entry.lpc, row->lpc);
	ck_assert_uint_eq(entry.lpos, row->lpos);
	ck_assert_uint_eq(entry.mask, row->mask);
	ck_assert_int_eq(entry.type, row->type);
}

/* The whole stack, bottom first, and that it is valid and survives a snapshot. */
static void rows_are(struct gputm_simt_stack *stack, const struct gputm_simt_stack_entry row[],
		     size_t count)
{
	struct gputm_simt_stack_entry entry;

	ck_assert_uint_eq(gputm_simt_stack_depth(stack), count);
	for (size_t i = 0; i < count; i++)
		row_is(stack, i, &row[i]);
	ck_assert(!gputm_simt_stack_entry(stack, count, &entry));
	if (count) {
		ck_assert_uint_eq(gputm_simt_stack_pc(stack), row[count - 1].pc);
		ck_assert_uint_eq(gputm_simt_stack_active_mask(stack), row[count - 1].mask);
	}
	kit_valid(gputm_simt_stack_unit(stack));
	kit_round_trip(&simt_stack_maker, gputm_simt_stack_unit(stack));
}

#define ROWS(stack, ...)                                                                       \
	rows_are(stack, (const struct gputm_simt_stack_entry[]){ __VA_ARGS__ },                \
		 sizeof((const struct gputm_simt_stack_entry[]){ __VA_ARGS__ }) /              \
			 sizeof(struct gputm_simt_stack_entry))
#define ROW(PC, RPC, MASK) { (PC), (MASK), (RPC), NO_PC, NO_ENTRY, N }
#define TYPED(PC, MASK, TYPE) { (PC), (MASK), NO_PC, NO_PC, NO_ENTRY, TYPE }
#define LIKELY(PC, RPC, LPC, LPOS, MASK) { (PC), (MASK), (RPC), (LPC), (LPOS), N }

#define DIVERGE(stack, rpc, lpc, ...)                                                          \
	gputm_simt_stack_diverge(stack, (const struct gputm_simt_stack_target[]){ __VA_ARGS__ }, \
				 sizeof((const struct gputm_simt_stack_target[]){ __VA_ARGS__ }) / \
					 sizeof(struct gputm_simt_stack_target),               \
				 rpc, lpc)

enum { A = 0xa0, B = 0xb0, C = 0xc0, D = 0xd0, E = 0xe0, F = 0xf0, G = 0x100, H = 0x110 };

static void advance(struct gputm_simt_stack *stack, uint64_t next_pc, int result)
{
	ck_assert_int_eq(gputm_simt_stack_advance(stack, next_pc), result);
}

/* ---- life ---- */

START_TEST(test_simt_stack_life)
{
	kit_common(&simt_stack_maker);
}
END_TEST

START_TEST(test_simt_stack_storage)
{
	struct gputm_simt_stack_config config;
	struct gputm_simt_stack *stack = NULL;
	struct kit kit;

	kit_open(&kit);
	stack = make(&kit, 32, 0, false);
	ck_assert_uint_eq(gputm_unit_storage_bits(gputm_simt_stack_unit(stack)),
			  66 * (32 + 32 + 32 + 2));
	gputm_simt_stack_free(stack);
	ck_assert_int_eq(gputm_simt_stack_config_preset(&config, "pdom-lcp"), 0);
	config.depth = 16;
	ck_assert_int_eq(gputm_simt_stack_new(kit.ctx, &config, &stack), 0);
	ck_assert_uint_eq(gputm_unit_storage_bits(gputm_simt_stack_unit(stack)),
			  16 * (32 + 32 + 32 + 2 + 32 + 4));
	gputm_simt_stack_free(stack);
	kit_close(&kit);
}
END_TEST

/* ---- the figures ---- */

START_TEST(test_fig_2_3_simt_stack_reconvergence)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, false);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
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
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* The unit settles inside diverge, so state b of the figure is not seen and c follows a. */
START_TEST(test_fig_3_8_likely_convergence)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, true);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
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
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* As drawn: thread 2's entry is there until its next instruction is seen to be E. */
START_TEST(test_fig_3_8_likely_convergence_merges_a_running_entry)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, true);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x1 }, { C, 0xe }), SWITCH);
	ck_assert_int_eq(DIVERGE(s, F, E, { D, 0xc }, { E - 4, 0x2 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0), LIKELY(B, F, E, 1, 0x1), LIKELY(D, F, E, 1, 0xc),
	     LIKELY(E - 4, F, E, 1, 0x2));
	advance(s, E, SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0x2), LIKELY(B, F, E, 1, 0x1),
	     LIKELY(D, F, E, 1, 0xc));
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_fig_4_3_transaction_entries)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 8, 0, false);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xff), 0);
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
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* ---- rules that the figures do not show ---- */

/* A loop branches at its head again and again: the entry with the loop's RPC is replaced. */
START_TEST(test_simt_stack_a_loop_does_not_grow_the_stack)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	for (int likely = 0; likely < 2; likely++) {
		s = make(&kit, 32, 0, likely);
		ck_assert_int_eq(gputm_simt_stack_launch(s, A, UINT32_MAX), 0);
		for (unsigned lane = 0; lane < 31; lane++) {
			uint64_t here = gputm_simt_stack_active_mask(s);
			uint64_t leave = UINT64_C(1) << lane;

			ck_assert_int_eq(DIVERGE(s, F, E, { F, leave }, { C, here & ~leave }),
					 SWITCH);
			kit_valid(gputm_simt_stack_unit(s));
			advance(s, E, likely ? SWITCH : CONTINUE);
			advance(s, A, CONTINUE);
		}
		ck_assert_uint_eq(kit_stat(gputm_simt_stack_unit(s), "max_depth"), likely ? 3 : 2);
		advance(s, F, SWITCH);
		ROWS(s, ROW(F, NO_PC, UINT32_MAX));
		gputm_simt_stack_free(s);
	}
	kit_close(&kit);
}
END_TEST

START_TEST(test_simt_stack_likely_points_are_ignored_unless_configured)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, false);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x1 }, { C, 0xe }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(B, F, 0x1), ROW(C, F, 0xe));
	advance(s, E, CONTINUE);
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_simt_stack_a_likely_point_at_the_rpc_is_none)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, true);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
	ck_assert_int_eq(DIVERGE(s, F, F, { B, 0x1 }, { C, 0x6 }, { F, 0x8 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(B, F, 0x1), ROW(C, F, 0x6));
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* Lanes that branch to the likely-convergence point join those that are there. */
START_TEST(test_simt_stack_targets_at_the_likely_point_gather)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, true);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x7 }, { E, 0x8 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0x8), LIKELY(B, F, E, 1, 0x7));
	ck_assert_int_eq(DIVERGE(s, F, E, { E, 0x4 }, { C, 0x3 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0xc), LIKELY(C, F, E, 1, 0x3));
	ck_assert_int_eq(DIVERGE(s, F, E, { E, 0x2 }, { F, 0x1 }), SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf), ROW(E, F, 0xe));
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* Erratum 8: nobody came by the likely-convergence point. */
START_TEST(test_simt_stack_an_empty_likely_entry_is_popped_at_once)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, true);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
	ck_assert_int_eq(DIVERGE(s, F, E, { B, 0x1 }, { C, 0xe }), SWITCH);
	advance(s, F, SWITCH);
	advance(s, F, SWITCH);
	ROWS(s, ROW(F, NO_PC, 0xf));
	ck_assert_uint_eq(kit_stat(gputm_simt_stack_unit(s), "emptied"), 1);
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* The branching entry gives its place to a likely-convergence entry that keeps its own LPC. */
START_TEST(test_simt_stack_another_likely_point_of_the_same_branch)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, true);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
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
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_simt_stack_a_target_with_all_lanes_is_an_advance)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, false);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { F, 0 }, { B, 0xf }), CONTINUE);
	ROWS(s, ROW(B, NO_PC, 0xf));
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { F, 0x8 }, { C, 0x7 }), SWITCH);
	ck_assert_int_eq(DIVERGE(s, E, NO_PC, { G, 0x7 }), SWITCH);
	ROWS(s, ROW(G, NO_PC, 0xf), ROW(F, G, 0x8));
	ck_assert_uint_eq(kit_stat(gputm_simt_stack_unit(s), "divergences"), 1);
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_simt_stack_targets_that_never_meet)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, false);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
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
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* Eager conflicts: lanes abort wherever they are, and the emptied entries go. */
START_TEST(test_simt_stack_aborts_within_branches)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, false);
	ck_assert_int_eq(gputm_simt_stack_launch(s, B, 0xf), 0);
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
	ck_assert_int_eq(gputm_simt_stack_advance(s, F), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_RESTART);
	ROWS(s, ROW(B, NO_PC, 0xf), TYPED(C, 0, R), TYPED(C, 0xf, T));
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x1, G), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xe, H), -EINVAL);
	kit_said(&kit, "0x110", "0x100", NULL);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xe, G), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_LEAVE);
	ROWS(s, ROW(G, NO_PC, 0xf));
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* The PC after the transaction is where the branch around it reconverges. */
START_TEST(test_simt_stack_leaving_a_transaction_reconverges)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, false);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0xf), 0);
	ck_assert_int_eq(DIVERGE(s, H, NO_PC, { G, 0x3 }, { B, 0xc }), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xc, H), SWITCH);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), GPUTM_SIMT_STACK_LEAVE);
	ROWS(s, ROW(H, NO_PC, 0xf), ROW(G, H, 0x3));
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* Nesting counts are of each lane: those that abort in a nested transaction leave it. */
START_TEST(test_simt_stack_nested_transactions_are_flattened)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, false);
	ck_assert_int_eq(gputm_simt_stack_launch(s, B, 0xf), 0);
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
	ck_assert_uint_eq(kit_stat(gputm_simt_stack_unit(s), "nested"), 2);
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* ---- refusals, tight ---- */

START_TEST(test_simt_stack_nesting_is_tight)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, false);
	ck_assert_int_eq(gputm_simt_stack_launch(s, B, 0xf), 0);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	for (unsigned i = 0; i < GPUTM_SIMT_STACK_NESTING_MAX; i++) {
		ck_assert_int_eq(gputm_simt_stack_tx_begin_probe(s, C), NESTED);
		ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), NESTED);
	}
	ck_assert_int_eq(gputm_simt_stack_tx_begin_probe(s, C), -ERANGE);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), -ERANGE);
	kit_said(&kit, "nesting = 256", "0 .. 255", NULL);
	for (unsigned i = 0; i < GPUTM_SIMT_STACK_NESTING_MAX; i++)
		ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xf, C), NESTED);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0xf, C), SWITCH);
	kit_valid(gputm_simt_stack_unit(s));
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_simt_stack_depth_is_tight)
{
	const struct gputm_simt_stack_target two[] = { { B, 0x1 }, { C, 0x2 } };
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	for (uint32_t depth = 1; depth < 6; depth++) {
		s = make(&kit, 4, depth, true);
		ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0x3), 0);
		for (int likely = 0; likely < 2; likely++) {
			uint64_t lpc = likely ? E : NO_PC;
			int expected = depth < 3u + (uint32_t)likely ? FULL : SWITCH;
			uint64_t digest = kit_digest(gputm_simt_stack_unit(s));

			ck_assert_int_eq(gputm_simt_stack_diverge_probe(s, two, 2, F, lpc),
					 expected);
			ck_assert_uint_eq(kit_digest(gputm_simt_stack_unit(s)), digest);
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
		ck_assert_uint_eq(kit_stat(gputm_simt_stack_unit(s), "full"),
				  depth < 3 ? 3 : depth < 4);
		kit_valid(gputm_simt_stack_unit(s));
		gputm_simt_stack_free(s);
	}
	kit_close(&kit);
}
END_TEST

/* One lane after the other splits off the deepest path, then a transaction: 2 x lanes + 1. */
START_TEST(test_simt_stack_default_depth_is_enough)
{
	struct gputm_simt_stack *s;
	struct kit kit;

	kit_open(&kit);
	for (uint32_t lanes = 1; lanes <= 64; lanes++) {
		uint64_t here = lanes < 64 ? (UINT64_C(1) << lanes) - 1 : UINT64_MAX;

		s = make(&kit, lanes, 0, false);
		ck_assert_int_eq(gputm_simt_stack_launch(s, A, here), 0);
		for (uint32_t lane = 0; lane + 1 < lanes; lane++) {
			uint64_t one = UINT64_C(1) << lane;

			here &= ~one;
			ck_assert_int_eq(DIVERGE(s, 0x1000 - lane, NO_PC, { B, one }, { A, here }),
					 SWITCH);
		}
		ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
		ck_assert_uint_eq(gputm_simt_stack_depth(s), 2 * lanes + 1);
		kit_valid(gputm_simt_stack_unit(s));
		gputm_simt_stack_free(s);
	}
	kit_close(&kit);
}
END_TEST

START_TEST(test_simt_stack_refusals_change_nothing)
{
	struct gputm_simt_stack_config config = GPUTM_SIMT_STACK_CONFIG_INIT;
	struct gputm_simt_stack *s = NULL;
	uint64_t digest;
	struct kit kit;

	kit_open(&kit);
	config.lanes = 4;
	config.pc_bits = 12;
	config.likely_convergence = true;
	ck_assert_int_eq(gputm_simt_stack_new(kit.ctx, &config, &s), 0);
	digest = kit_digest(gputm_simt_stack_unit(s));
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0x10), -EINVAL);
	kit_said(&kit, "simt_stack", "0x10", "0xf", NULL);
	ck_assert_int_eq(gputm_simt_stack_launch(s, 4096, 0xf), -ERANGE);
	kit_said(&kit, "launch PC = 4096", "0 .. 4095", NULL);
	ck_assert_int_eq(gputm_simt_stack_advance(s, A), -EINVAL);
	kit_said(&kit, "no lane is active", NULL);
	ck_assert_int_eq(gputm_simt_stack_exit(s, 0x1), -EINVAL);
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { A, 0x1 }), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, A), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_abort(s, 0x1), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x1, A), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), -EINVAL);
	ck_assert_uint_eq(kit_digest(gputm_simt_stack_unit(s)), digest);

	ck_assert_int_eq(gputm_simt_stack_launch(s, 4095, 0x7), 0);
	digest = kit_digest(gputm_simt_stack_unit(s));
	ck_assert_int_eq(gputm_simt_stack_launch(s, A, 0x8), -EINVAL);
	kit_said(&kit, "0x7 are running", NULL);
	ck_assert_int_eq(gputm_simt_stack_advance(s, 4096), -ERANGE);
	kit_said(&kit, "next PC = 4096", "0 .. 4095", NULL);
	ck_assert_int_eq(gputm_simt_stack_advance(s, NO_PC), -ERANGE);
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { B, 0x3 }, { C, 0x6 }), -EINVAL);
	kit_said(&kit, "0x2 have two targets", NULL);
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { B, 0x3 }, { C, 0x8 }), -EINVAL);
	kit_said(&kit, "0xb", "0x7", NULL);
	ck_assert_int_eq(gputm_simt_stack_diverge(s, NULL, 0, G, NO_PC), -EINVAL);
	ck_assert_int_eq(DIVERGE(s, G, NO_PC, { B, 0x3 }, { 4096, 0x4 }), -ERANGE);
	ck_assert_int_eq(DIVERGE(s, 4096, NO_PC, { B, 0x3 }, { C, 0x4 }), -ERANGE);
	kit_said(&kit, "rpc = 4096", NULL);
	ck_assert_int_eq(DIVERGE(s, G, 4096, { B, 0x3 }, { C, 0x4 }), -ERANGE);
	kit_said(&kit, "lpc = 4096", NULL);
	ck_assert_int_eq(gputm_simt_stack_exit(s, 0), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_exit(s, 0x8), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, 4096), -ERANGE);
	ck_assert_uint_eq(kit_digest(gputm_simt_stack_unit(s)), digest);

	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	digest = kit_digest(gputm_simt_stack_unit(s));
	ck_assert_int_eq(gputm_simt_stack_exit(s, 0x1), -EINVAL);
	kit_said(&kit, "transaction", NULL);
	ck_assert_int_eq(DIVERGE(s, NO_PC, NO_PC, { B, 0x3 }, { C, 0x4 }), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_abort(s, 0), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_abort(s, 0x8), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0, G), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x8, G), -EINVAL);
	ck_assert_int_eq(gputm_simt_stack_tx_commit(s, 0x1, 4096), -ERANGE);
	ck_assert_int_eq(gputm_simt_stack_tx_commit_done(s), -EINVAL);
	ck_assert_uint_eq(kit_digest(gputm_simt_stack_unit(s)), digest);
	kit_hostile(&simt_stack_maker, gputm_simt_stack_unit(s));
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* A snapshot, well sealed, in which the R entry has become a normal one. */
START_TEST(test_simt_stack_load_needs_the_types_of_r_and_t)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	struct gputm_simt_stack *s;
	static uint8_t image[4096];
	size_t size, contents;
	struct kit kit;

	kit_open(&kit);
	s = make(&kit, 4, 0, false);
	ck_assert_int_eq(gputm_simt_stack_launch(s, B, 0xf), 0);
	ck_assert_int_eq(gputm_simt_stack_tx_begin(s, C), SWITCH);
	size = gputm_unit_save(gputm_simt_stack_unit(s), image, sizeof(image));
	ck_assert_uint_le(size, sizeof(image));
	contents = size - 8 - (3 * 40 + 8 + 64); /* three entries, PC after, nesting */
	ck_assert_uint_eq(image[contents + 40 + 36], R);
	image[contents + 40 + 36] = N;
	for (size_t i = 0; i < size - 8; i++)
		hash = (hash ^ image[i]) * UINT64_C(0x100000001b3);
	for (unsigned i = 0; i < 8; i++)
		image[size - 8 + i] = (uint8_t)(hash >> (8 * i));
	ck_assert_int_eq(gputm_unit_load(gputm_simt_stack_unit(s), image, size), -EINVAL);
	kit_said(&kit, "R or T", NULL);
	ROWS(s, ROW(B, NO_PC, 0xf), TYPED(C, 0, R), TYPED(C, 0xf, T));
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_simt_stack_widest_pcs)
{
	struct gputm_simt_stack_config config = GPUTM_SIMT_STACK_CONFIG_INIT;
	struct gputm_simt_stack *s = NULL;
	struct kit kit;

	kit_open(&kit);
	config.pc_bits = 64;
	config.lanes = 64;
	ck_assert_int_eq(gputm_simt_stack_new(kit.ctx, &config, &s), 0);
	ck_assert_int_eq(gputm_simt_stack_launch(s, 0, UINT64_MAX), 0);
	advance(s, NO_PC - 1, CONTINUE);
	ck_assert_int_eq(gputm_simt_stack_advance(s, NO_PC), -ERANGE);
	kit_valid(gputm_simt_stack_unit(s));
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

/* ---- random programs ---- */

/* As ck_assert, but told to check only when it fails: there are millions. */
#define REQUIRE(condition)                                                                     \
	do {                                                                                   \
		if (!(condition))                                                              \
			ck_abort_msg("%s", #condition);                                        \
	} while (0)

/* A host that executes a program on the stack; every lane keeps a PC of its own. */
struct host {
	struct oracle_program program;
	struct oracle_step expected[ORACLE_STEPS];
	struct gputm_simt_stack *stack;
	uint64_t pc[64];
	unsigned draws[64];
	uint64_t running; /* lanes of the attempt, kept apart from the stack */
	uint64_t waiting; /* lanes that have committed, until all have */
	uint64_t ended;
};

static uint64_t bit(unsigned lane)
{
	return UINT64_C(1) << lane;
}

static void move(struct host *h, uint64_t mask, uint64_t pc)
{
	for (unsigned lane = 0; lane < 64; lane++)
		if (mask >> lane & 1)
			h->pc[lane] = pc;
}

/* Every lane waits in the topmost entry that has it, at its own PC. */
static void lanes_are_in_place(const struct host *h, uint64_t lanes)
{
	size_t depth = gputm_simt_stack_depth(h->stack);
	struct gputm_simt_stack_entry entry;

	REQUIRE(gputm_simt_stack_live_mask(h->stack) == (lanes & ~h->ended));
	REQUIRE(gputm_simt_stack_tx_running(h->stack) == h->running);
	lanes &= ~(h->ended | h->waiting);
	while (depth--) {
		REQUIRE(gputm_simt_stack_entry(h->stack, depth, &entry));
		for (unsigned lane = 0; lane < 64; lane++)
			if (lanes & entry.mask & bit(lane))
				REQUIRE(h->pc[lane] == entry.pc);
		lanes &= ~entry.mask;
	}
	REQUIRE(lanes == 0);
}

static void host_branch(struct host *h, const struct oracle_block *block, uint64_t mask)
{
	struct gputm_simt_stack_target target[ORACLE_WAYS];
	int probe;

	for (unsigned way = 0; way < block->ways; way++)
		target[way] = (struct gputm_simt_stack_target){ block->next[way], 0 };
	for (unsigned lane = 0; lane < 64; lane++) {
		unsigned way;

		if (!(mask & bit(lane)))
			continue;
		way = oracle_simt_stack_way(&h->program, block, lane, h->draws[lane]++);
		target[way].mask |= bit(lane);
		h->pc[lane] = block->next[way];
	}
	probe = gputm_simt_stack_diverge_probe(h->stack, target, block->ways, block->rpc,
					       block->lpc);
	REQUIRE(probe == CONTINUE || probe == SWITCH);
	REQUIRE(gputm_simt_stack_diverge(h->stack, target, block->ways, block->rpc, block->lpc) ==
		probe);
}

static void host_exit(struct host *h, const struct oracle_block *block, uint64_t mask)
{
	struct oracle_block coin = *block;
	uint64_t ended = 0;

	coin.ways = 2;
	for (unsigned lane = 0; lane < 64; lane++)
		if (mask & bit(lane) &&
		    oracle_simt_stack_way(&h->program, &coin, lane, h->draws[lane]++))
			ended |= bit(lane);
	if (ended)
		REQUIRE(gputm_simt_stack_exit(h->stack, ended) >= 0);
	h->ended |= ended;
	move(h, mask & ~ended, block->next[0]);
	if (mask & ~ended)
		REQUIRE(gputm_simt_stack_advance(h->stack, block->next[0]) >= 0);
}

static uint64_t restart_pc(const struct host *h)
{
	struct gputm_simt_stack_entry entry;
	size_t depth = gputm_simt_stack_depth(h->stack);

	do
		REQUIRE(gputm_simt_stack_entry(h->stack, --depth, &entry));
	while (entry.type != R);
	return entry.pc;
}

static void host_abort(struct host *h, uint64_t mask)
{
	if (!mask)
		return;
	h->running &= ~mask;
	move(h, mask, restart_pc(h));
	REQUIRE(gputm_simt_stack_tx_abort(h->stack, mask) >= 0);
}

static void host_commit(struct host *h, const struct oracle_block *block, uint64_t mask,
			size_t step)
{
	uint64_t failed = oracle_simt_stack_failures(&h->program, step, mask);

	REQUIRE(mask == h->running);
	host_abort(h, failed);
	if (mask == failed)
		return;
	REQUIRE(gputm_simt_stack_tx_commit(h->stack, mask & ~failed, block->next[0]) == SWITCH);
	h->running = 0;
	h->waiting |= mask & ~failed;
	move(h, mask & ~failed, block->next[0]);
}

static void host_step(struct host *h, size_t step)
{
	uint64_t mask = gputm_simt_stack_active_mask(h->stack);
	uint64_t pc = gputm_simt_stack_pc(h->stack);
	const struct oracle_block *block = &h->program.block[pc];

	if (block->kind == ORACLE_BRANCH) {
		host_branch(h, block, mask);
	} else if (block->kind == ORACLE_EXIT) {
		host_exit(h, block, mask);
	} else if (block->kind == ORACLE_END) {
		REQUIRE(gputm_simt_stack_exit(h->stack, mask) >= 0);
		h->ended |= mask;
	} else if (block->kind == ORACLE_COMMIT) {
		host_commit(h, block, mask, step);
		return;
	} else {
		move(h, mask, block->next[0]);
		if (block->kind == ORACLE_BEGIN) {
			h->running = mask;
			REQUIRE(gputm_simt_stack_tx_begin(h->stack, block->next[0]) == SWITCH);
		} else if (block->kind == ORACLE_INNER_BEGIN) {
			REQUIRE(gputm_simt_stack_tx_begin(h->stack, block->next[0]) == NESTED);
		} else if (block->kind == ORACLE_INNER_COMMIT) {
			REQUIRE(gputm_simt_stack_tx_commit(h->stack, mask, block->next[0]) ==
				NESTED);
		} else {
			REQUIRE(gputm_simt_stack_advance(h->stack, block->next[0]) >= 0);
		}
	}
	if (gputm_simt_stack_in_transaction(h->stack))
		host_abort(h, oracle_simt_stack_aborts(&h->program, step, h->running));
}

static void host_end_attempt(struct host *h)
{
	if (!gputm_simt_stack_in_transaction(h->stack) || h->running)
		return;
	if (gputm_simt_stack_tx_commit_done(h->stack) == GPUTM_SIMT_STACK_RESTART)
		h->running = gputm_simt_stack_active_mask(h->stack);
	else
		h->waiting = 0;
}

/* Runs to the end, or ORACLE_STEPS; gives the steps. */
static size_t host_run(struct host *h, struct kit *kit, uint64_t lanes, bool swap)
{
	uint64_t random = h->program.seed;
	size_t step;

	ck_assert_int_eq(gputm_simt_stack_launch(h->stack, 0, lanes), 0);
	for (step = 0; step < ORACLE_STEPS && gputm_simt_stack_depth(h->stack); step++) {
		for (unsigned lane = 0; lane < 64; lane++)
			if (gputm_simt_stack_active_mask(h->stack) & bit(lane))
				REQUIRE(h->pc[lane] == gputm_simt_stack_pc(h->stack));
		h->expected[step].pc -= gputm_simt_stack_pc(h->stack);
		h->expected[step].mask -= gputm_simt_stack_active_mask(h->stack);
		host_step(h, step);
		host_end_attempt(h);
		REQUIRE(!gputm_unit_check(gputm_simt_stack_unit(h->stack)));
		lanes_are_in_place(h, lanes);
		if (swap && kit_below(&random, 40) == 0)
			h->stack = (struct gputm_simt_stack *)(void *)kit_swap(
				&simt_stack_maker, kit, gputm_simt_stack_unit(h->stack));
	}
	return step;
}

static struct host *host_new(struct kit *kit, uint64_t seed, uint32_t lanes, bool likely)
{
	static struct host host;

	memset(&host, 0, sizeof(host));
	oracle_simt_stack_program(&host.program, seed, seed % 3 ? 6 : 0);
	host.stack = make(kit, lanes, 0, likely);
	return &host;
}

static const uint32_t widths[] = { 1, 2, 3, 5, 8, 32, 64 };

/* The same instructions with the same lanes in the same order as the recursive execution. */
START_TEST(test_simt_stack_random_programs_against_recursion)
{
	unsigned rounds = kit_scale(60, 3);
	uint32_t lanes = widths[_i];
	uint64_t all = lanes < 64 ? bit(lanes) - 1 : UINT64_MAX;
	struct kit kit;

	kit_open(&kit);
	for (unsigned round = 0; round < rounds; round++) {
		struct host *h = host_new(&kit, 1000 * lanes + round, lanes, false);
		size_t expected = oracle_simt_stack_schedule(&h->program, all, h->expected);
		size_t steps = host_run(h, &kit, all, true);

		ck_assert_msg(steps == expected, "%u lanes, round %u: %zu steps, not %zu", lanes,
			      round, steps, expected);
		for (size_t i = 0; i < steps; i++)
			ck_assert_msg(!h->expected[i].pc && !h->expected[i].mask,
				      "%u lanes, round %u: step %zu differs", lanes, round, i);
		if (!round)
			kit_hostile(&simt_stack_maker, gputm_simt_stack_unit(h->stack));
		gputm_simt_stack_free(h->stack);
	}
	kit_close(&kit);
}
END_TEST

/* With likely convergence the order is another one, but every lane does the same. */
START_TEST(test_simt_stack_random_likely_convergence)
{
	unsigned rounds = kit_scale(60, 3);
	uint32_t lanes = widths[_i];
	uint64_t all = lanes < 64 ? bit(lanes) - 1 : UINT64_MAX;
	struct kit kit;

	kit_open(&kit);
	for (unsigned round = 0; round < rounds; round++) {
		struct host *h = host_new(&kit, 1000 * lanes + round, lanes, true);

		ck_assert_uint_lt(host_run(h, &kit, all, true), ORACLE_STEPS);
		ck_assert_uint_eq(h->ended, all);
		gputm_simt_stack_free(h->stack);
	}
	kit_close(&kit);
}
END_TEST

static uint64_t digest_of_run(uint64_t seed)
{
	struct host *h;
	uint64_t digest;
	struct kit kit;

	kit_open(&kit);
	h = host_new(&kit, seed, 32, true);
	host_run(h, &kit, UINT32_MAX, false);
	digest = kit_digest(gputm_simt_stack_unit(h->stack));
	gputm_simt_stack_free(h->stack);
	kit_close(&kit);
	return digest;
}

START_TEST(test_simt_stack_is_deterministic)
{
	ck_assert_uint_eq(digest_of_run(1), digest_of_run(1));
	ck_assert_uint_ne(digest_of_run(1), digest_of_run(2));
}
END_TEST

/* ---- observer ---- */

struct seen {
	unsigned count[9];
	struct gputm_event last[9];
};

static void see(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	struct seen *seen = state;

	ck_assert_str_eq(gputm_unit_kind(unit), "simt_stack");
	ck_assert_uint_lt(event->kind, 9);
	seen->count[event->kind]++;
	seen->last[event->kind] = *event;
}

static void value_is(const struct seen *seen, enum gputm_simt_stack_event kind, const char *name,
		     unsigned count, const uint64_t value[4])
{
	ck_assert_uint_eq(seen->count[kind], count);
	ck_assert_str_eq(seen->last[kind].name, name);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(seen->last[kind].value[i], value[i]);
}

#define SEEN(seen, KIND, name, count, ...)                                                     \
	value_is(seen, GPUTM_SIMT_STACK_EVENT_##KIND, name, count,                            \
		 (const uint64_t[4]){ __VA_ARGS__ })

START_TEST(test_simt_stack_tells_its_observer)
{
	struct gputm_simt_stack *s;
	struct seen seen;
	struct kit kit;

	memset(&seen, 0, sizeof(seen));
	kit_open(&kit);
	s = make(&kit, 4, 0, true);
	gputm_unit_observe(gputm_simt_stack_unit(s), see, &seen);
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
	SEEN(&seen, DIVERGE, "diverge", 1, 1, 4, F, E);
	SEEN(&seen, MERGE, "merge", 1, 3, E, 0xe, 1);
	SEEN(&seen, RECONVERGE, "reconverge", 1, 2, F, 0x1, 0);
	SEEN(&seen, BEGIN, "begin", 1, 2, C, 0xe, 0);
	SEEN(&seen, ABORT, "abort", 1, 2, 0x2, 0x2, 0);
	SEEN(&seen, COMMIT, "commit", 2, 2, 0x2, G, 0);
	SEEN(&seen, RESTART, "restart", 1, 2, C, 0x2, 0);
	SEEN(&seen, LEAVE, "leave", 1, 2, G, 0, 0);
	SEEN(&seen, EXIT, "exit", 1, 2, 0x8, 0, 0);
	gputm_simt_stack_free(s);
	kit_close(&kit);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("simt_stack");
	TCase *tests = tcase_create("all");
	const int count = (int)(sizeof(widths) / sizeof(widths[0]));

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, test_simt_stack_life);
	tcase_add_test(tests, test_simt_stack_storage);
	tcase_add_test(tests, test_fig_2_3_simt_stack_reconvergence);
	tcase_add_test(tests, test_fig_3_8_likely_convergence);
	tcase_add_test(tests, test_fig_3_8_likely_convergence_merges_a_running_entry);
	tcase_add_test(tests, test_fig_4_3_transaction_entries);
	tcase_add_test(tests, test_simt_stack_a_loop_does_not_grow_the_stack);
	tcase_add_test(tests, test_simt_stack_likely_points_are_ignored_unless_configured);
	tcase_add_test(tests, test_simt_stack_a_likely_point_at_the_rpc_is_none);
	tcase_add_test(tests, test_simt_stack_targets_at_the_likely_point_gather);
	tcase_add_test(tests, test_simt_stack_an_empty_likely_entry_is_popped_at_once);
	tcase_add_test(tests, test_simt_stack_another_likely_point_of_the_same_branch);
	tcase_add_test(tests, test_simt_stack_a_target_with_all_lanes_is_an_advance);
	tcase_add_test(tests, test_simt_stack_targets_that_never_meet);
	tcase_add_test(tests, test_simt_stack_aborts_within_branches);
	tcase_add_test(tests, test_simt_stack_leaving_a_transaction_reconverges);
	tcase_add_test(tests, test_simt_stack_nested_transactions_are_flattened);
	tcase_add_test(tests, test_simt_stack_nesting_is_tight);
	tcase_add_test(tests, test_simt_stack_depth_is_tight);
	tcase_add_test(tests, test_simt_stack_default_depth_is_enough);
	tcase_add_test(tests, test_simt_stack_refusals_change_nothing);
	tcase_add_test(tests, test_simt_stack_load_needs_the_types_of_r_and_t);
	tcase_add_test(tests, test_simt_stack_widest_pcs);
	tcase_add_loop_test(tests, test_simt_stack_random_programs_against_recursion, 0, count);
	tcase_add_loop_test(tests, test_simt_stack_random_likely_convergence, 0, count);
	tcase_add_test(tests, test_simt_stack_is_deterministic);
	tcase_add_test(tests, test_simt_stack_tells_its_observer);
	suite_add_tcase(suite, tests);
	return kit_run(suite);
}
