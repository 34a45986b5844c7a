/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of local_tm: life, Table 1, layout and capacity, cycles, misuse. */
#include "tests/local_tm.h"

KIT_WITH(test_local_tm_life, struct gputm_local_tm_config config, with("words=64"))
{
	kit_common(&local_tm_maker);
	kit_chaos(&local_tm_maker, &config);
}

/* ---- Table 1 ---- */

/* A row of the table; masks have WI0 in bit 0. */
static void row(const struct gputm_local_tm *t, int line, uint64_t exec, uint64_t tcm,
		uint64_t tcm_old, enum gputm_local_tm_mode mode)
{
	struct gputm_local_tm_masks m;

	ck_assert_int_eq(gputm_local_tm_get_masks(t, 0, &m), 0);
	ck_assert_msg(m.exec == exec && m.tcm == tcm && m.tcm_old == tcm_old && m.mode == mode,
		      "line %d: EXEC %llx TCM %llx TCM_OLD %llx mode %d", line,
		      (unsigned long long)m.exec, (unsigned long long)m.tcm,
		      (unsigned long long)m.tcm_old, m.mode);
}

static uint64_t exec_of(const struct gputm_local_tm *t)
{
	struct gputm_local_tm_masks m;

	ck_assert_int_eq(gputm_local_tm_get_masks(t, 0, &m), 0);
	return m.exec;
}

/* Lines 3 to 15 of Fig. 2: the columns EXEC at 5 and 10 and what is the same in all rows. */
static void attempt(struct gputm_local_tm *t, uint64_t exec5, uint64_t exec10, uint64_t tcm,
		    uint64_t tcm_old, enum gputm_local_tm_mode mode, uint64_t conflict)
{
	uint32_t first[4] = { 9, 9, 0, 1 }, second[4] = { 9, 9, 1, 0 }, value[4] = { 0 };
	uint64_t s0 = exec_of(t), on;
	struct gputm_local_tm_masks m;

	ck_assert_int_eq(gputm_local_tm_set_vcc(t, 0, 3), 0);
	ck_assert_int_eq(gputm_local_tm_get_masks(t, 0, &m), 0);
	ck_assert_uint_eq(m.vcc, s0 & 3);
	ck_assert_int_eq(gputm_local_tm_set_exec(t, 0, s0 & m.vcc), 0);
	row(t, 5, exec5, tcm, tcm_old, mode);
	ck_assert_int_eq(gputm_local_tm_set_exec(t, 0, s0 & ~exec_of(t)), 0);
	row(t, 10, exec10, tcm, tcm_old, mode);
	on = gputm_local_tm_running(t, 0);
	ck_assert_uint_eq(access_all(t, 0, true, on, first, value).conflicts, 0);
	ck_assert_uint_eq(access_all(t, 0, true, on, second, value).conflicts, conflict);
	row(t, 13, exec10, tcm | conflict, tcm_old, mode);
	ck_assert_int_eq(gputm_local_tm_set_exec(t, 0, s0), 0);
	row(t, 15, s0, tcm | conflict, tcm_old, mode);
}

KIT_MADE(test_table_1_execution_model, t, "table-1")
{
	const enum gputm_local_tm_mode normal = GPUTM_LOCAL_TM_MODE_NORMAL,
				       tx = GPUTM_LOCAL_TM_MODE_TX,
				       serial = GPUTM_LOCAL_TM_MODE_WAVEFRONT;

	row(t, 1, 0xf, 0, 0, normal);
	begin(t, 0);
	row(t, 2, 0xf, 0, 0, tx);
	attempt(t, 0x3, 0xc, 0, 0, tx, 0xc);
	ck_assert_uint_eq(commit(t, 0, GPUTM_LOCAL_TM_RETRY).committed, 0x3);
	row(t, 16, 0xc, 0xc, 0, tx);
	begin(t, 0);
	row(t, 2, 0xc, 0, 0xc, tx);
	attempt(t, 0, 0xc, 0, 0xc, tx, 0xc);
	ck_assert_int_eq((int)commit(t, 0, GPUTM_LOCAL_TM_RETRY).next, (int)serial);
	row(t, 16, 0xc, 0xc, 0xc, tx);
	ck_assert_uint_eq(begin(t, 0).lanes, 0x4);
	row(t, 2, 0xc, 0x8, 0xc, serial);
	attempt(t, 0, 0xc, 0x8, 0xc, serial, 0);
	ck_assert_uint_eq(commit(t, 0, GPUTM_LOCAL_TM_RETRY).committed, 0x4);
	row(t, 16, 0x8, 0x8, 0xc, serial);
	begin(t, 0);
	row(t, 2, 0x8, 0, 0x8, tx);
	attempt(t, 0, 0x8, 0, 0x8, tx, 0);
	ck_assert_uint_eq(commit(t, 0, GPUTM_LOCAL_TM_OK).committed, 0x8);
	/* Not in the table: EXEC of the first begin is back. */
	row(t, 17, 0xf, 0, 0, normal);
	kit_counts(unit_of(t), "committed=4 wavefront_attempts=1");
}

/* ---- layout and capacity ---- */

KIT_MADE(test_3_3_word_35, t, "wavefronts=4 lanes=64 banks=32 words=0")
{
	struct gputm_local_tm_place place;

	ck_assert_int_eq(gputm_local_tm_get_place(t, 35, &place), 0);
	KIT_HAS(place, bank, 3, position, 1, bit, 1, data_byte, 4, backup_byte, 4 * (227 + 1),
		owner_byte, 8 * 227 + 1);
	begin(t, 0);
	put(t, 0, 3, 35, 7);
	ck_assert_uint_eq(gputm_local_tm_signature(t, 3, 3), 1 << 1);
	ck_assert_uint_eq(gputm_local_tm_signature(t, 2, 3), 0);
	ck_assert_uint_eq(gputm_local_tm_signature(t, 3, 4), 0);
	ck_assert_uint_eq(gputm_local_tm_signature(t, 32, 3), 0);
	ck_assert_uint_eq(gputm_local_tm_signature(t, 3, 256), 0);
	/* Position 9 has the same bit: a false conflict for any other work-item. */
	ck_assert_int_eq(gputm_local_tm_get_place(t, 9 * 32 + 3, &place), 0);
	KIT_HAS(place, position, 9, bit, 1);
	ck_assert_uint_eq(put(t, 0, 4, 9 * 32 + 3, 1).conflicts, 1 << 4);
	ck_assert_uint_eq(kit_stat(unit_of(t), "false_conflicts"), 1);
	ck_assert_uint_eq(put(t, 0, 3, 9 * 32 + 3, 1).cycles, 3);
}

KIT_TEST(test_4_3_capacity)
{
	struct gputm_local_tm_config config = GPUTM_LOCAL_TM_CONFIG_INIT;
	struct gputm_local_tm_capacity c;
	struct gputm_local_tm_place last;
	struct gputm_local_tm *t = NULL;
	struct gputm_storage array;
	uint64_t bits[3] = { 0 };

	ck_assert_int_eq(gputm_local_tm_get_capacity(NULL, &c), 0);
	KIT_HAS(c, data_bytes, 29127, backup_bytes, 29127, owner_bytes, 7282, bank_words, 227);
	ck_assert_uint_eq(4 * c.words, 29056);
	config.words = c.words + 1;
	KIT_REFUSED(-EINVAL, gputm_local_tm_new(kit->ctx, &config, &t),
		    "words = 7265", "0 .. 7264");
	ck_assert_int_eq(gputm_local_tm_get_capacity(&config, &c), -EINVAL);
	config.words = c.words;
	t = make_of(kit, &config);
	/* The last owner lies within the bank of 2,048 bytes. */
	ck_assert_int_eq(gputm_local_tm_get_place(t, c.words - 1, &last), 0);
	ck_assert_uint_lt(last.owner_byte, 2048);
	for (size_t i = 0; i < 3; i++) {
		ck_assert(gputm_unit_storage(unit_of(t), i, &array));
		bits[i] = array.entries * array.bits;
	}
	ck_assert_uint_eq(bits[0], 8192 * 8);
	ck_assert_uint_eq(bits[1], 32 * 7264);
	ck_assert_uint_eq(bits[2], 8 * 7264);
}

/* ---- cycles (4.2) ---- */

KIT_MADE(test_4_2_cycles, t, "wavefronts=2 lanes=64 banks=32 words=0")
{
	uint32_t word[64], value[64] = { 0 };
	struct gputm_local_tm_answer a;

	ck_assert_uint_eq(begin(t, 0).cycles, 1);
	for (uint32_t lane = 0; lane < 64; lane++)
		word[lane] = lane;
	/* Two lanes a bank, positions 0 and 1: all new. */
	a = access_all(t, 0, false, UINT64_MAX, word, value);
	KIT_HAS(a, passes, 2, cycles, 3);
	/* Again: all are the owners. */
	ck_assert_uint_eq(access_all(t, 0, true, UINT64_MAX, word, value).cycles, 2);
	/* Own signature only, but another word: as new. */
	ck_assert_uint_eq(put(t, 0, 0, 8 * 32, 1).cycles, 3);
	/* Lane 0 owns two words of bank 0 and now two of bank 1; it conflicts in bank 2: one
	 * for the signatures, two for its fullest bank, two to clear that in the broadcast. */
	ck_assert_uint_eq(put(t, 0, 0, 3 * 32 + 1, 1).cycles, 3);
	ck_assert_uint_eq(put(t, 0, 0, 4 * 32 + 1, 1).cycles, 3);
	a = put(t, 0, 0, 2, 1);
	KIT_HAS(a, conflicts, 1, cycles, 1 + 2 + 2);
	/* Lane 1 owns a word of bank 1 only and conflicts there: restored in stage 1. */
	ck_assert_uint_eq(put(t, 0, 1, 32 + 1, 1).cycles, 1 + 1 + 0);
	/* Lanes 2 .. 63 commit: words 2 .. 63, two in each bank from 2 on. */
	ck_assert_uint_eq(commit(t, 0, GPUTM_LOCAL_TM_RETRY).cycles, 1 + 2);
	/* Nothing was accessed. */
	begin(t, 0);
	ck_assert_uint_eq(commit(t, 0, GPUTM_LOCAL_TM_OK).cycles, 1);
	/* Outside of transactions nothing is added. */
	a = access_all(t, 0, false, UINT64_MAX, word, value);
	KIT_HAS(a, passes, 2, cycles, 0);
	kit_counts(unit_of(t), "begin_cycles=2 commit_cycles=4");
}

KIT_MADE(test_4_2_cycles_of_the_lanes_of_a_bank, t, "lane_cost=%d", GPUTM_LOCAL_TM_LANE_COST_SUM)
{
	uint32_t word[4] = { 0, 32, 64, 1 }, value[4] = { 0 };

	begin(t, 0);
	ck_assert_uint_eq(access_all(t, 0, true, 0xf, word, value).cycles, 3 * 3);
	word[1] = 8 * 32;
	/* Lane 0 owns its word, lane 1 conflicts with it and has one entry, lane 2 owns again. */
	ck_assert_uint_eq(access_all(t, 0, true, 0xf, word, value).cycles, 2 + (1 + 1) + 2);
}

/* ---- the rest ---- */

KIT_MADE(test_local_tm_nested_transactions_are_flattened, t,
	 "wavefronts=1 lanes=4 banks=32 words=512")
{
	struct gputm_local_tm_begun begun;

	begin(t, 0);
	for (unsigned i = 0; i < 255; i++)
		ck_assert_int_eq(gputm_local_tm_begin(t, 0, &begun), GPUTM_LOCAL_TM_NESTED);
	ck_assert_uint_eq(begun.cycles, 0);
	KIT_REFUSED(-ERANGE, gputm_local_tm_begin_probe(t, 0), "nesting = 256", "0 .. 255");
	put(t, 0, 1, 5, 6);
	for (unsigned i = 0; i < 255; i++)
		commit(t, 0, GPUTM_LOCAL_TM_NESTED);
	ck_assert_uint_eq(put(t, 0, 0, 5, 7).conflicts, 1);
	ck_assert_uint_eq(commit(t, 0, GPUTM_LOCAL_TM_RETRY).committed, 0xe);
	ck_assert_uint_eq(at(t, 5), 6);
}

KIT_MADE(test_local_tm_plain_accesses, t, "wavefronts=2 lanes=64 banks=32 words=512")
{
	uint32_t word[64], value[64], got[64];

	for (uint32_t i = 0; i < 64; i++) {
		word[i] = i & 1 ? 7 : 8 * i;
		value[i] = i;
	}
	ck_assert_uint_eq(access_all(t, 0, true, UINT64_MAX, word, value).passes, 32);
	ck_assert_uint_eq(access_all(t, 1, false, UINT64_MAX, word, got).cycles, 0);
	for (uint32_t i = 0; i < 64; i++)
		ck_assert_uint_eq(got[i], i & 1 ? 63 : i);
	begin(t, 1);
	put(t, 1, 0, 7, 1);
	put(t, 0, 0, 7, 2);
	kit_counts(unit_of(t), "clashes=1 plain=129");
}

/* ---- misuse ---- */

static void misuse_of_masks(struct kit *kit, struct gputm_local_tm *t)
{
	struct gputm_local_tm_masks m;

	KIT_REFUSED(-ERANGE, gputm_local_tm_set_exec(t, 2, 1), "wavefront = 2", "0 .. 1");
	KIT_REFUSED(-ERANGE, gputm_local_tm_set_exec(t, 1, 16), "exec = 16", "0 .. 15");
	ck_assert_int_eq(gputm_local_tm_set_vcc(t, 1, 16), -ERANGE);
	ck_assert_int_eq(gputm_local_tm_set_vcc(t, 2, 0), -ERANGE);
	ck_assert_int_eq(gputm_local_tm_get_masks(t, 2, &m), -ERANGE);
	ck_assert_uint_eq(gputm_local_tm_running(t, 2), 0);
	/* Lane 0 is not part of the attempt of wavefront 0. */
	KIT_REFUSED(-EINVAL, gputm_local_tm_set_exec(t, 0, 15), "0xf", "0xe");
}

static void misuse_of_accesses(struct kit *kit, struct gputm_local_tm *t)
{
	uint32_t word[64] = { 0, 511, 512 }, value[64] = { 5, 5, 5 };
	struct gputm_local_tm_answer a = { 77, 78, 79 };

	ck_assert_int_eq(gputm_local_tm_access(t, 2, true, 2, word, value, &a), -ERANGE);
	KIT_REFUSED(-ERANGE, gputm_local_tm_access(t, 0, true, 32, word, value, &a),
		    "lanes = 32", "0 .. 15");
	KIT_REFUSED(-EINVAL, gputm_local_tm_access(t, 0, true, 3, word, value, &a),
		    "0x1", "wavefront 0");
	KIT_REFUSED(-ERANGE, gputm_local_tm_access(t, 0, true, 6, word, value, &a),
		    "word = 512", "0 .. 511");
	ck_assert_int_eq(gputm_local_tm_access(t, 1, false, 6, word, value, &a), -ERANGE);
	ck_assert_int_eq(gputm_local_tm_access_probe(t, 0, 6, word, &a), -ERANGE);
	ck_assert_uint_eq(a.conflicts, 77);
	ck_assert_uint_eq(value[2], 5);
}

static void misuse_of_words(struct gputm_local_tm *t)
{
	struct gputm_local_tm_shadow shadow;
	struct gputm_local_tm_place place;
	uint32_t value = 7;

	ck_assert_int_eq(gputm_local_tm_update(t, 512, 1), -ERANGE);
	ck_assert_int_eq(gputm_local_tm_update(t, 9, 1), -EINVAL);
	ck_assert_int_eq(gputm_local_tm_lookup(t, 512, &value), -ERANGE);
	ck_assert_int_eq(gputm_local_tm_get_place(t, 512, &place), -ERANGE);
	ck_assert_int_eq(gputm_local_tm_get_shadow(t, 512, &shadow), -ERANGE);
	ck_assert_uint_eq(value, 7);
}

static void misuse_of_transactions(struct kit *kit, struct gputm_local_tm *t)
{
	struct gputm_local_tm_begun begun = { 77, 0, 0, GPUTM_LOCAL_TM_MODE_NORMAL };
	struct gputm_local_tm_ended ended = { 77, 0, GPUTM_LOCAL_TM_MODE_NORMAL };

	ck_assert_int_eq(gputm_local_tm_begin(t, 2, &begun), -ERANGE);
	ck_assert_int_eq(gputm_local_tm_begin_probe(t, 2), -ERANGE);
	KIT_REFUSED(-EINVAL, gputm_local_tm_begin(t, 1, &begun), "exec = 0", "wavefront 1");
	ck_assert_int_eq(gputm_local_tm_commit(t, 2, &ended), -ERANGE);
	ck_assert_int_eq(gputm_local_tm_commit(t, 1, &ended), -EINVAL);
	KIT_REFUSED(-EINVAL, gputm_local_tm_commit(t, 0, &ended), "exec = 0x2", "0xe");
	ck_assert_uint_eq(ended.committed, 77);
	ck_assert_uint_eq(begun.cycles, 77);
}

KIT_TEST(test_local_tm_misuse_changes_nothing)
{
	struct gputm_local_tm_ended ended;
	struct gputm_local_tm *t = NULL;
	uint64_t digest;

	KIT_REFUSED(-EINVAL, refuse(kit, "wavefronts=5"), "wavefronts x lanes = 320", "1 .. 256");
	KIT_REFUSED(-EINVAL, refuse(kit, "wavefronts=4 local_bytes=256"), "local_bytes = 256",
		    "32 banks");
	t = make(kit, "wavefronts=2 lanes=4 banks=32 words=512");
	ck_assert_int_eq(gputm_local_tm_set_exec(t, 0, 14), 0);
	begin(t, 0);
	put(t, 0, 1, 9, 3);
	ck_assert_int_eq(gputm_local_tm_set_exec(t, 0, 2), 0);
	ck_assert_int_eq(gputm_local_tm_set_exec(t, 1, 0), 0);
	digest = kit_digest(unit_of(t));
	misuse_of_masks(kit, t);
	misuse_of_words(t);
	misuse_of_transactions(kit, t);
	ck_assert_int_eq(gputm_local_tm_set_exec(t, 1, 15), 0);
	ck_assert_uint_ne(kit_digest(unit_of(t)), digest);
	ck_assert_int_eq(gputm_local_tm_set_exec(t, 0, 14), 0);
	digest = kit_digest(unit_of(t));
	misuse_of_accesses(kit, t);
	ck_assert_uint_eq(kit_digest(unit_of(t)), digest);
	/* tx_begin is due: nothing else is possible. */
	put(t, 0, 2, 9, 3);
	commit(t, 0, GPUTM_LOCAL_TM_RETRY);
	digest = kit_digest(unit_of(t));
	KIT_REFUSED(-EINVAL, gputm_local_tm_set_exec(t, 0, 0), "wavefront 0", "tx_begin");
	ck_assert_int_eq(gputm_local_tm_set_vcc(t, 0, 0), -EINVAL);
	ck_assert_int_eq(gputm_local_tm_commit(t, 0, &ended), -EINVAL);
	ck_assert_uint_eq(kit_digest(unit_of(t)), digest);
}
