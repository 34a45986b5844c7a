/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_SIMT_STACK_H
#define GPUTM_TESTS_SIMT_STACK_H
/* What the tests of simt_stack share: the stack of a test, and its rows. */
#include "tests/kit.h"

KIT_PART(simt_stack, SIMT_STACK);

#define NO_PC GPUTM_SIMT_STACK_NO_PC
#define NO_ENTRY GPUTM_SIMT_STACK_NO_ENTRY
#define N GPUTM_SIMT_STACK_TYPE_NORMAL
#define R GPUTM_SIMT_STACK_TYPE_RETRY
#define T GPUTM_SIMT_STACK_TYPE_TRANSACTION
#define CONTINUE GPUTM_SIMT_STACK_CONTINUE
#define SWITCH GPUTM_SIMT_STACK_SWITCH
#define FULL GPUTM_SIMT_STACK_FULL
#define NESTED GPUTM_SIMT_STACK_NESTED

#define FOUR "lanes=4 depth=0 likely_convergence=0"
#define FOUR_LIKELY "lanes=4 depth=0 likely_convergence=1"

/* A stack of such a config with all its lanes at this PC. */
static inline struct gputm_simt_stack *launched(struct kit *kit, const char *text, uint64_t pc)
{
	struct gputm_simt_stack *stack = make(kit, "%s", text);
	const struct gputm_simt_stack_config *config = gputm_unit_config(unit_of(stack));

	ck_assert_int_eq(gputm_simt_stack_launch(stack, pc, UINT64_MAX >> (64 - config->lanes)),
			 0);
	return stack;
}

/* ---- rows ---- */

static inline void row_is(const struct gputm_simt_stack *stack, size_t index,
			  const struct gputm_simt_stack_entry *row)
{
	struct gputm_simt_stack_entry entry;

	ck_assert_int_eq(gputm_simt_stack_get_entry(stack, index, &entry), 0);
	KIT_SAME(entry, *row, pc, rpc, lpc, lpos, mask, type);
}

/* The whole stack, bottom first, and that it is valid and survives a snapshot. */
static inline void rows_are(struct gputm_simt_stack *stack,
			    const struct gputm_simt_stack_entry row[], size_t count)
{
	struct gputm_simt_stack_entry entry;

	ck_assert_uint_eq(gputm_simt_stack_depth(stack), count);
	for (size_t i = 0; i < count; i++)
		row_is(stack, i, &row[i]);
	ck_assert_int_eq(gputm_simt_stack_get_entry(stack, count, &entry), -ERANGE);
	if (count) {
		ck_assert_uint_eq(gputm_simt_stack_pc(stack), row[count - 1].pc);
		ck_assert_uint_eq(gputm_simt_stack_active_mask(stack), row[count - 1].mask);
	}
	kit_valid(unit_of(stack));
	kit_round_trip(&simt_stack_maker, unit_of(stack));
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

static inline void advance(struct gputm_simt_stack *stack, uint64_t next_pc, int result)
{
	ck_assert_int_eq(gputm_simt_stack_proceed(stack, next_pc), result);
}

#endif /* GPUTM_TESTS_SIMT_STACK_H */
