/* SPDX-License-Identifier: BSD-2-Clause */
/* Random operations on block_stack, sensible or not, against the oracle. */
#include <string.h>

#include "tests/kit.h"
#include "tests/oracle/block_stack.h"

#define NONE GPUTM_BLOCK_STACK_NO_PC

KIT_MAKER(block_stack, BLOCK_STACK);

static void draw_target(struct gputm_block_stack_target *target, const struct oracle_block_stack *o,
			uint64_t *random)
{
	const struct oracle_block_entry *e = &o->entry[o->top];

	target->taken_pc = kit_below(random, 9);
	target->other_pc = kit_below(random, 9);
	target->rpc = kit_below(random, 3) ? kit_below(random, 9) : e->rpc;
	target->lpc = kit_below(random, 3) ? kit_below(random, 10) : e->lpc;
	if (kit_below(random, 2))
		target->lpc = NONE;
}

static int one_step(struct gputm_block_stack *s, struct oracle_block_stack *o, uint64_t *random)
{
	uint32_t warp = (uint32_t)kit_below(random, o->admitted + 1);
	uint64_t lanes = oracle_block_warp(o, warp), some = kit_random(random) & lanes;
	struct gputm_block_stack_target target;
	uint64_t what = kit_below(random, 16), pc;
	int expected, probe;

	if (what < 7) {
		draw_target(&target, o, random);
		if (o->branching && kit_below(random, 8))
			target = o->target;
		probe = gputm_block_stack_branch_probe(s, warp, some, &target);
		expected = oracle_block_branch(o, warp, some, &target);
		ck_assert_int_eq(probe, expected);
		ck_assert_int_eq(gputm_block_stack_branch(s, warp, some, &target), expected);
	} else if (what < 13) {
		pc = kit_below(random, 9);
		pc = kit_below(random, 3) ? o->entry[o->top].rpc : pc;
		pc = o->arriving && kit_below(random, 8) ? o->way_pc : pc;
		expected = oracle_block_arrive(o, warp, pc);
		ck_assert_int_eq(gputm_block_stack_arrive(s, warp, pc), expected);
	} else if (what < 15) {
		some = kit_below(random, 2) ? some : lanes;
		expected = oracle_block_exit(o, warp, some);
		ck_assert_int_eq(gputm_block_stack_exit(s, warp, some), expected);
	} else {
		expected = oracle_block_barrier(o, warp);
		ck_assert_int_eq(gputm_block_stack_barrier(s, warp), expected);
	}
	return expected;
}

/* A warp by the rule of the compactor, or what may be no warp. */
static void one_admission(struct gputm_block_stack *s, struct oracle_block_stack *o,
			  uint64_t *random)
{
	bool odd = kit_below(random, 6) == 0;
	unsigned row = 0, last = o->lanes * o->warps;
	uint16_t thread[64] = { 0 };
	uint64_t mask = 0;

	while (row < last && o->place[row] != ORACLE_BLOCK_TO_ADMIT)
		row++;
	for (unsigned t = last; t--;) {
		if (o->place[t] != ORACLE_BLOCK_TO_ADMIT ||
		    (!o->compact && t / o->lanes != row / o->lanes))
			continue;
		if (odd && kit_below(random, 4) == 0)
			continue;
		mask |= UINT64_C(1) << t % o->lanes;
		thread[t % o->lanes] = (uint16_t)t;
	}
	if (kit_below(random, 20) == 0)
		thread[kit_below(random, o->lanes)] = (uint16_t)kit_below(random, last + 1);
	ck_assert_int_eq(gputm_block_stack_admit(s, mask, thread),
			 oracle_block_admit(o, mask, thread));
}

static void one_launch(struct gputm_block_stack *s, struct oracle_block_stack *o,
		       uint64_t *random)
{
	uint64_t mask[64], all = (UINT64_C(1) << o->warps) - 1, pc = kit_below(random, 9);

	for (unsigned lane = 0; lane < o->lanes; lane++)
		mask[lane] = all & (kit_below(random, 2) ? kit_random(random) : all);
	ck_assert_int_eq(gputm_block_stack_launch(s, pc, mask), oracle_block_launch(o, pc, mask));
}

static void random_run(struct kit *kit, struct oracle_block_stack *o, unsigned steps,
		       uint64_t *random)
{
	struct gputm_block_stack_config config = GPUTM_BLOCK_STACK_CONFIG_INIT;
	struct gputm_block_stack *s = NULL;

	config.lanes = o->lanes;
	config.warps = o->warps;
	config.depth = o->depth;
	config.pc_bits = 4;
	config.compact = o->compact;
	config.likely_convergence = o->likely;
	o->pc_max = 15;
	ck_assert_int_eq(gputm_block_stack_new(kit->ctx, &config, &s), 0);
	if (kit_below(random, 2))
		kit_observe(gputm_block_stack_unit(s));
	for (unsigned i = 0; i < steps; i++) {
		const char *differs;

		if (!o->count)
			one_launch(s, o, random);
		else if (o->admitted < o->formed && kit_below(random, 2))
			one_admission(s, o, random);
		else
			one_step(s, o, random);
		kit_valid(gputm_block_stack_unit(s));
		differs = oracle_block_compare(o, s);
		ck_assert_msg(!differs, "step %u: %s", i, differs);
		if (i % 61 == 0)
			s = (struct gputm_block_stack *)(void *)kit_swap(
				&block_stack_maker, kit, gputm_block_stack_unit(s));
	}
	gputm_block_stack_free(s);
}

KIT_BARE_TEST(test_block_stack_random)
{
	static const unsigned shape[][2] = { { 4, 3 }, { 1, 5 }, { 16, 4 }, { 5, 7 } };
	uint64_t random = 2;

	for (unsigned i = 0; i < 32; i++) {
		struct oracle_block_stack o = { .lanes = shape[i / 8][0], .warps = shape[i / 8][1],
						.depth = i & 4 ? 64 : 7, .compact = i & 1,
						.likely = i & 2 };
		struct kit kit;

		kit_open(&kit);
		random_run(&kit, &o, kit_scale(3000, 100), &random);
		kit_close(&kit);
	}
}
