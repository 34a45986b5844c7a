/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of block_priority: life, the three policies by hand, misuse, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/block_priority.h"

KIT_UNIT(block_priority, BLOCK_PRIORITY);

/* Who issues in these cycles; -1 for nobody. The probe says the same. */
static void expect(struct gputm_block_priority *p, const uint64_t *ready, const int *slot,
		   unsigned cycles)
{
	for (unsigned i = 0; i < cycles; i++) {
		uint32_t probed = 77, issues = 77;
		int result = gputm_block_priority_pick_probe(p, ready[i], &probed);

		ck_assert_int_eq(gputm_block_priority_pick(p, ready[i], &issues), result);
		ck_assert_int_eq(result, slot[i] >= 0);
		ck_assert_uint_eq(issues, slot[i] < 0 ? 77 : (uint32_t)slot[i]);
		ck_assert_uint_eq(probed, issues);
		kit_valid(unit_of(p));
	}
}

KIT_TEST(test_block_priority_configs)
{
	ck_assert_uint_eq(with("srr").policy, GPUTM_BLOCK_PRIORITY_POLICY_SRR);
}

/* Blocks in the slots 0, 1, 2, dispatched in the order 2, 0, 1. */
KIT_TEST(test_section_3_6_2_policies)
{
	static const uint64_t ready[] = { 7, 7, 6, 7, 7, 0, 3, 7, 0, 5 };
	static const int age[] = { 2, 2, 2, 2, 2, -1, 0, 2, -1, 2 };
	/* The head of RRB starts at the first block, 2, and goes on in every cycle. */
	static const int rrb[] = { 2, 0, 1, 2, 0, -1, 0, 0, -1, 2 };
	static const int srr[] = { 2, 2, 2, 2, 2, -1, 0, 0, -1, 0 };
	static const int *const expected[] = { age, rrb, srr };
	struct gputm_block_priority *p;

	for (uint32_t policy = 0; policy < 3; policy++) {
		p = make(kit, "blocks=4 policy=%u", policy);
		ck_assert_int_eq(gputm_block_priority_admit(p, 2), 0);
		ck_assert_int_eq(gputm_block_priority_admit(p, 0), 0);
		ck_assert_int_eq(gputm_block_priority_admit(p, 1), 0);
		ck_assert_uint_eq(gputm_block_priority_blocks(p), 7);
		expect(p, ready, expected[policy], 10);
		kit_round_trip(&block_priority_maker, unit_of(p));
		kit_hostile(&block_priority_maker, unit_of(p));
	}
}

/* Cycles stop at the end of time, and blocks still issue. */
KIT_MADE(test_block_priority_at_the_end_of_time, p, "blocks=2")
{
	const uint64_t END = UINT64_C(1) << 63;
	uint32_t slot;

	ck_assert_int_eq(gputm_block_priority_admit(p, 1), 0);
	gputm_block_priority_advance(p, END - 1);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(gputm_block_priority_pick(p, 2, &slot), 1);
		ck_assert_uint_eq(slot, 1);
		kit_valid(unit_of(p));
	}
	kit_counts(unit_of(p), "cycles=9223372036854775808 issued=3 idle=9223372036854775807");
	kit_round_trip(&block_priority_maker, unit_of(p));
	/* So do the issues, and then no switch is counted. */
	ck_assert_int_eq(kit_forged_whole(unit_of(p), END - 1, -8, 8, END), 0);
	ck_assert_int_eq(gputm_block_priority_admit(p, 0), 0);
	ck_assert_int_eq(gputm_block_priority_pick(p, 1, &slot), 1);
	ck_assert_uint_eq(slot, 0);
	kit_valid(unit_of(p));
	kit_counts(unit_of(p), "issued=9223372036854775808 switches=0");
}

/* SRR: a block that is not ready for a cycle loses its priority to the next. */
KIT_MADE(test_section_3_6_2_srr_sticks, p, "blocks=3 policy=srr")
{
	static const uint64_t ready[] = { 7, 7, 6, 7, 5, 7, 3, 7 };
	static const int slot[] = { 0, 0, 1, 1, 2, 2, 0, 0 };

	for (uint32_t i = 0; i < 3; i++)
		ck_assert_int_eq(gputm_block_priority_admit(p, i), 0);
	expect(p, ready, slot, 8);
	ck_assert_uint_eq(kit_stat(unit_of(p), "switches"), 3);
}

KIT_MADE(test_block_priority_misuse_changes_nothing, p, "blocks=4 policy=rrb")
{
	uint32_t slot = 77;

	ck_assert_int_eq(gputm_block_priority_admit(p, 1), 0);
	kit_guard(kit, unit_of(p));
	KIT_REFUSED(-EINVAL, gputm_block_priority_admit(p, 1), "slot 1", "occupied");
	KIT_REFUSED(-ERANGE, gputm_block_priority_admit(p, 4), "slot = 4", "0 .. 3");
	KIT_REFUSED(-ERANGE, gputm_block_priority_leave(p, 4), "");
	KIT_REFUSED(-EINVAL, gputm_block_priority_leave(p, 0), "slot 0", "free");
	KIT_REFUSED(-EINVAL, gputm_block_priority_pick(p, 3, &slot), "0x3", "0x2");
	ck_assert_uint_eq(slot, 77);
	kit_unchanged(kit);
}

static void come_or_go(struct gputm_block_priority *p, struct oracle_block_priority *o, bool come,
		       uint32_t slot)
{
	bool there = slot < o->slots && o->there[slot];
	int error = slot >= o->slots ? -ERANGE : there == come ? -EINVAL : 0;

	if (come)
		ck_assert_int_eq(gputm_block_priority_admit(p, slot), error);
	else
		ck_assert_int_eq(gputm_block_priority_leave(p, slot), error);
	if (!error && come)
		oracle_block_priority_admit(o, slot);
	else if (!error)
		oracle_block_priority_leave(o, slot);
}

static void one_step(struct gputm_block_priority *p, struct oracle_block_priority *o,
		     struct kit_bytes *bytes)
{
	uint32_t slot = kit_u32(bytes, o->slots + 2), issues = 77, probed = 77;
	uint64_t there = gputm_block_priority_blocks(p), ready = kit_number(bytes, 8);
	uint64_t what = kit_draw(bytes, 20), cycles;
	int expected, result;

	if (what < 6) {
		come_or_go(p, o, what < 4, slot);
	} else if (what < 8) {
		cycles = kit_draw(bytes, 200);
		gputm_block_priority_advance(p, cycles);
		while (cycles--)
			ck_assert_int_eq(oracle_block_priority_tick(o, 0), -1);
	} else {
		ready &= what == 8 ? UINT64_MAX : there;
		expected = ready & ~there ? -EINVAL : oracle_block_priority_tick(o, ready);
		result = expected == -EINVAL ? -EINVAL : expected >= 0;
		ck_assert_int_eq(gputm_block_priority_pick_probe(p, ready, &probed), result);
		ck_assert_int_eq(gputm_block_priority_pick(p, ready, &issues), result);
		ck_assert_uint_eq(issues, probed);
		ck_assert_uint_eq(issues, result == 1 ? (uint32_t)expected : 77);
	}
}

/* A state that no operation leads to still answers. */
static void bent(struct gputm_block_priority *p, struct kit_bytes *bytes)
{
	struct gputm_unit *unit = unit_of(p);
	uint32_t slot;

	while (kit_bend(unit, bytes) && kit_more(bytes)) {
		uint64_t ready = kit_number(bytes, 8) & gputm_block_priority_blocks(p);

		ck_assert_int_ge(gputm_block_priority_pick(p, ready, &slot), 0);
		kit_valid(unit);
	}
}

KIT_DRIVE(block_priority, 12, 40000)
{
	static const unsigned slots[] = { 1, 8, 13, 64 };
	struct oracle_block_priority o = { .slots = slots[bytes->round / 3 % 4],
					   .policy = bytes->round % 3 };
	struct gputm_block_priority *p;

	if (bytes->round >= 12)
		o.slots = 1 + kit_u32(bytes, 64);
	p = make(kit, "blocks=%u policy=%u", o.slots, o.policy);
	while (bytes->left > 64) {
		one_step(p, &o, bytes);
		p = KIT_TURN(block_priority, p);
	}
	KIT_STATS(unit_of(p), &o.stats, ORACLE_BLOCK_PRIORITY_STATS);
	bent(p, bytes);
	KIT_END(block_priority, p);
}
