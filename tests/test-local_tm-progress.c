/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of local_tm: roll-back, the second level, and that every transaction ends. */
#include "tests/local_tm.h"

/* ---- roll-back ---- */

KIT_MADE(test_3_3_conflict_restores_every_bank_and_nothing_else, t,
	 "wavefronts=2 lanes=4 banks=32 words=512")
{
	struct gputm_local_tm_shadow shadow;

	for (uint32_t i = 0; i < 512; i++)
		ck_assert_int_eq(gputm_local_tm_update(t, i, 1000 + i), 0);
	begin(t, 0);
	begin(t, 1);
	for (uint32_t i = 0; i < 96; i++)
		put(t, 0, 0, i, 5);
	for (uint32_t i = 96; i < 128; i++)
		put(t, 0, 1, i, 6);
	for (uint32_t i = 128; i < 160; i++)
		put(t, 1, 0, i, 7);
	put(t, 0, 0, 7, 55);
	ck_assert_int_eq(gputm_local_tm_get_shadow(t, 7, &shadow), 0);
	ck_assert(shadow.owned && shadow.owner == 0 && shadow.backup == 1007);
	ck_assert_uint_eq(put(t, 0, 0, 128, 5).conflicts, 1);
	for (uint32_t i = 0; i < 512; i++)
		ck_assert_uint_eq(at(t, i), i < 96 ? 1000 + i : i < 128 ? 6 : i < 160 ? 7 :
									  1000 + i);
	for (uint32_t bank = 0; bank < 32; bank++) {
		ck_assert_uint_eq(gputm_local_tm_signature(t, bank, 0), 0);
		ck_assert_uint_eq(gputm_local_tm_signature(t, bank, 1), 1 << 3);
		ck_assert_uint_eq(gputm_local_tm_signature(t, bank, 4), 1 << 4);
	}
	ck_assert_int_eq(gputm_local_tm_get_shadow(t, 7, &shadow), 0);
	ck_assert(!shadow.owned && !shadow.owner && !shadow.backup);
	ck_assert_uint_eq(kit_stat(unit_of(t), "restored"), 96);
	kit_round_trip(&local_tm_maker, unit_of(t));
	kit_hostile(&local_tm_maker, unit_of(t));
	ck_assert_uint_eq(commit(t, 0, GPUTM_LOCAL_TM_RETRY).committed, 0xe);
	ck_assert_uint_eq(at(t, 100), 6);
}

/* Two lanes that cross: both banks are through with stage 1 before anything is restored. */
KIT_MADE(test_3_3_lanes_that_cross_both_conflict, t, "wavefronts=1 lanes=2 banks=32 words=512")
{
	uint32_t there[2] = { 0, 1 }, across[2] = { 1, 0 }, same[2] = { 0, 32 }, value[2] = { 0 };

	begin(t, 0);
	access_all(t, 0, true, 3, there, value);
	ck_assert_uint_eq(access_all(t, 0, true, 3, across, value).conflicts, 3);
	commit(t, 0, GPUTM_LOCAL_TM_RETRY);
	/* Within a bank lanes come one after the other: lane 0 is gone when lane 1 comes. */
	begin(t, 0);
	access_all(t, 0, true, 3, same, value);
	same[0] = 32;
	same[1] = 0;
	ck_assert_uint_eq(access_all(t, 0, true, 3, same, value).conflicts, 1);
}

/* Lane 2 is the second one in bank 1: those that it would have met are gone by its turn. */
KIT_MADE(test_3_3_conflicts_are_broadcast_after_each_turn, t,
	 "wavefronts=1 lanes=4 banks=32 words=512")
{
	uint32_t own[3] = { 0, 1, 2 }, ask[3] = { 1, 2, 1 }, value[3] = { 10, 11, 12 };
	struct gputm_local_tm_answer answer, probe;
	struct gputm_local_tm_shadow shadow;

	begin(t, 0);
	ck_assert_uint_eq(access_all(t, 0, true, 7, own, value).conflicts, 0);
	ck_assert_int_eq(gputm_local_tm_access_probe(t, 0, 7, ask, &probe),
			 GPUTM_LOCAL_TM_CONFLICT);
	answer = access_all(t, 0, true, 7, ask, value);
	ck_assert_uint_eq(answer.conflicts, 3);
	ck_assert_uint_eq(probe.conflicts, 3);
	ck_assert_uint_eq(answer.passes, 2);
	/* The slowest lane is the one that makes a backup; the first turn's broadcast clears an
	 * entry in each of two banks. */
	ck_assert_uint_eq(answer.cycles, 3 + 1);
	ck_assert_uint_eq(at(t, 0), 0);
	ck_assert_uint_eq(at(t, 1), 12);
	ck_assert_int_eq(gputm_local_tm_get_shadow(t, 1, &shadow), 0);
	ck_assert(shadow.owned && shadow.owner == 2 && shadow.backup == 0);
	ck_assert_uint_eq(commit(t, 0, GPUTM_LOCAL_TM_RETRY).committed, 0xc);
}

/* The first lane of the next wavefront is not one of 64 that have lost. */
KIT_MADE(test_3_3_the_next_wavefront_has_not_lost, t, "wavefronts=2 lanes=64 banks=32 words=512")
{
	uint32_t word[64] = { 1, 0, 33 }, value[64] = { 0 };
	struct gputm_local_tm_answer probe;

	begin(t, 0);
	begin(t, 1);
	put(t, 0, 1, 1, 7);
	put(t, 1, 0, 33, 7);
	ck_assert_int_eq(gputm_local_tm_access_probe(t, 0, 5, word, &probe),
			 GPUTM_LOCAL_TM_CONFLICT);
	ck_assert_uint_eq(probe.conflicts, 5);
	ck_assert_uint_eq(access_all(t, 0, true, 5, word, value).conflicts, 5);
}

/* ---- the second level ---- */

/* Wavefront 1 sits on word 0, so that lane 0 of wavefront 0 conflicts even when it is alone. */
static void need_the_group(struct gputm_local_tm *t)
{
	uint32_t word[4] = { 0, 0, 0, 0 }, value[4] = { 1, 1, 1, 1 };

	begin(t, 1);
	put(t, 1, 2, 0, 99);
	for (int i = 0; i < 2; i++) {
		begin(t, 0);
		access_all(t, 0, true, 0xf, word, value);
		commit(t, 0, GPUTM_LOCAL_TM_RETRY);
	}
	ck_assert_uint_eq(begin(t, 0).lanes, 1);
	ck_assert_uint_eq(put(t, 0, 0, 0, 1).conflicts, 1);
	ck_assert_int_eq((int)commit(t, 0, GPUTM_LOCAL_TM_RETRY).next,
			 (int)GPUTM_LOCAL_TM_MODE_GROUP);
}

/* Of a wavefront whose lanes go one after the other, a snapshot has one lane that runs, or none. */
KIT_MADE(test_3_1_one_lane_after_the_other_in_a_snapshot, t,
	 "wavefronts=2 lanes=64 banks=32 words=512")
{
	const uint64_t lanes = 0x123456789abcdef, others = lanes - 1;
	uint32_t word[64] = { 0 }, value[64] = { 0 };

	begin(t, 1);
	put(t, 1, 2, 0, 99);
	for (int i = 0; i < 2; i++) {
		begin(t, 0);
		access_all(t, 0, true, lanes, word, value);
		commit(t, 0, GPUTM_LOCAL_TM_RETRY);
	}
	ck_assert_uint_eq(begin(t, 0).lanes, 1);
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(t), others, 0, 8, lanes - 3), "");
	ck_assert_int_eq(kit_forged(unit_of(t), others, 0, 8, lanes), 0);
}

KIT_MADE(test_3_1_work_group_serialisation, t, "wavefronts=3 lanes=4 banks=32 words=512")
{
	struct gputm_local_tm_begun begun = { 1, 2, 3, GPUTM_LOCAL_TM_MODE_NORMAL };
	struct gputm_local_tm_masks m;

	ck_assert_int_eq(gputm_local_tm_update(t, 0, 10), 0);
	need_the_group(t);
	put(t, 1, 2, 32, 98);
	put(t, 1, 2, 3, 97);
	ck_assert_int_eq(gputm_local_tm_holder(t), -1);
	/* Two entries in bank 0 of wavefront 1 are cleared. */
	begun = begin(t, 0);
	KIT_HAS(begun, cycles, 1 + 2, evicted, 2, lanes, 1, mode, GPUTM_LOCAL_TM_MODE_GROUP);
	ck_assert_int_eq(gputm_local_tm_holder(t), 0);
	ck_assert_uint_eq(at(t, 0), 10);
	ck_assert_uint_eq(at(t, 32), 0);
	ck_assert_uint_eq(at(t, 3), 0);
	ck_assert_int_eq(gputm_local_tm_get_masks(t, 1, &m), 0);
	ck_assert(m.state == GPUTM_LOCAL_TM_STATE_EVICTED && m.exec == 0xf && m.tcm == 0xf);
	ck_assert_uint_eq(gputm_local_tm_running(t, 1), 0);
	/* The others are held, in a transaction or before one. */
	for (uint32_t i = 1; i < 3; i++) {
		begun.cycles = 55;
		ck_assert_int_eq(gputm_local_tm_begin_probe(t, i), GPUTM_LOCAL_TM_HELD);
		ck_assert_int_eq(gputm_local_tm_begin(t, i, &begun), GPUTM_LOCAL_TM_HELD);
		ck_assert_uint_eq(begun.cycles, 55);
	}
	kit_round_trip(&local_tm_maker, unit_of(t));
	kit_hostile(&local_tm_maker, unit_of(t));
	/* It has the group until its last lane is done; the others run at once, as TCM changed. */
	for (unsigned lane = 0; lane < 4; lane++) {
		uint64_t left = 0xf & ~(UINT64_C(1) << lane | ((UINT64_C(1) << lane) - 1));

		ck_assert_uint_eq(put(t, 0, lane, 0, at(t, 0) + 1).conflicts, 0);
		for (unsigned other = lane + 1; lane && other < 4; other++)
			put(t, 0, other, 0, 77);
		ck_assert_uint_eq(commit(t, 0, left ? GPUTM_LOCAL_TM_RETRY :
						      GPUTM_LOCAL_TM_OK).committed,
				  UINT64_C(1) << lane);
		if (!left)
			break;
		ck_assert_int_eq(gputm_local_tm_begin_probe(t, 1), GPUTM_LOCAL_TM_HELD);
		begun = begin(t, 0);
		ck_assert(begun.cycles == 1 && begun.mode == GPUTM_LOCAL_TM_MODE_TX &&
			  begun.lanes == left && !begun.evicted);
	}
	ck_assert_uint_eq(at(t, 0), 14);
	ck_assert_int_eq(gputm_local_tm_holder(t), -1);
	/* The aborted wavefront begins as it began, not serialised. */
	begun = begin(t, 1);
	ck_assert(begun.lanes == 0xf && begun.mode == GPUTM_LOCAL_TM_MODE_TX);
	put(t, 1, 2, 0, 99);
	commit(t, 1, GPUTM_LOCAL_TM_OK);
	ck_assert_uint_eq(at(t, 0), 99);
	kit_counts(unit_of(t), "evicted=4 group_attempts=1");
}

/* Two wavefronts that both need the group: the second one waits for the first. */
KIT_MADE(test_3_1_two_need_the_group, t, "wavefronts=3 lanes=1 banks=32 words=512")
{
	struct gputm_local_tm_begun begun;

	begin(t, 2);
	put(t, 2, 0, 0, 99);
	for (int i = 0; i < 3; i++)
		for (uint32_t w = 0; w < 2; w++) {
			begin(t, w);
			ck_assert_uint_eq(put(t, w, 0, 0, 1).conflicts, 1);
			commit(t, w, GPUTM_LOCAL_TM_RETRY);
		}
	ck_assert_uint_eq(begin(t, 1).evicted, 4);
	ck_assert_int_eq(gputm_local_tm_begin(t, 0, &begun), GPUTM_LOCAL_TM_HELD);
	put(t, 1, 0, 0, 1);
	commit(t, 1, GPUTM_LOCAL_TM_OK);
	begun = begin(t, 0);
	ck_assert(begun.mode == GPUTM_LOCAL_TM_MODE_GROUP && !begun.evicted);
	put(t, 0, 0, 0, 2);
	commit(t, 0, GPUTM_LOCAL_TM_OK);
	begin(t, 2);
	put(t, 2, 0, 0, 3);
	commit(t, 2, GPUTM_LOCAL_TM_OK);
	ck_assert_uint_eq(at(t, 0), 3);
}

/*
 * All work-items add 1 to the same few words, taken in an order of their own, under a fair
 * and hostile schedule. It ends, and the sums are right. With cross: the orders are such that
 * nothing but serialisation helps.
 */
static unsigned race(struct kit *kit, uint64_t seed, bool cross)
{
	struct gputm_local_tm *t = make(kit, "wavefronts=4 lanes=8 banks=4 words=64");
	uint32_t step[4] = { 0 }, word[64], value[4][64] = { { 0 } }, done = 0, turn = 0;
	unsigned steps = 0, group;

	for (; done != 0xf; steps++) {
		uint32_t w = cross ? turn++ % 4 : (uint32_t)kit_below(&seed, 4);
		struct gputm_local_tm_begun begun;
		struct gputm_local_tm_masks m;
		uint64_t on = gputm_local_tm_running(t, w);

		ck_assert_uint_lt(steps, 20000);
		if (done >> w & 1)
			continue;
		ck_assert_int_eq(gputm_local_tm_get_masks(t, w, &m), 0);
		if (m.state != GPUTM_LOCAL_TM_STATE_RUNNING) {
			step[w] = 0;
			ck_assert_int_ge(gputm_local_tm_begin(t, w, &begun), 0);
			continue;
		}
		for (unsigned lane = 0; lane < 8; lane++) {
			word[lane] = (step[w] / 2 + (cross ? w : lane + w)) % 4;
			value[w][lane] += step[w] % 2;
		}
		if (step[w] < 8)
			access_all(t, w, step[w] % 2, on, word, value[w]);
		else if (commit(t, w, m.tcm ? GPUTM_LOCAL_TM_RETRY : GPUTM_LOCAL_TM_OK).committed)
			done |= m.tcm ? 0 : 1u << w;
		step[w]++;
	}
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(at(t, i), 32);
	group = (unsigned)kit_stat(unit_of(t), "group_attempts");
	return group;
}

KIT_TEST(test_3_1_every_transaction_ends)
{
	for (uint64_t seed = 0; seed < kit_scale(40, 4); seed++)
		race(kit, seed, false);
	ck_assert_uint_gt(race(kit, 1, true), 0);
}
