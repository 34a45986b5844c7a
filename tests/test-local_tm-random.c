/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of local_tm: attempts and what is refused, against the oracle. */
#include "tests/local_tm.h"
#include "tests/oracle/local_tm.h"

/* Plain comparisons: each assertion of check talks to its parent. */
static bool same_word(const struct gputm_local_tm *t, const struct oracle_local_tm *o, uint32_t i)
{
	struct gputm_local_tm_shadow shadow;
	uint32_t value = 0;

	return !gputm_local_tm_lookup(t, i, &value) && value == o->data[i] &&
	       !gputm_local_tm_get_shadow(t, i, &shadow) &&
	       (shadow.owned ? (int)shadow.owner : -1) == o->owner[i] &&
	       (!shadow.owned || shadow.backup == o->backup[i]);
}

static bool same_wave(const struct gputm_local_tm *t, const struct oracle_local_tm *o, uint32_t i)
{
	const struct oracle_local_wave *w = &o->wave[i];
	struct gputm_local_tm_masks m;

	return !gputm_local_tm_get_masks(t, i, &m) && m.exec == w->exec && m.tcm == w->tcm &&
	       m.tcm_old == w->tcm_old;
}

static void same(const struct gputm_local_tm *t, const struct oracle_local_tm *o)
{
	bool equal = gputm_local_tm_holder(t) == o->holder;

	for (uint32_t i = 0; i < o->words; i++)
		equal &= same_word(t, o, i);
	for (uint32_t i = 0; i < o->waves * o->lanes; i++)
		for (uint32_t bank = 0; bank < o->banks; bank++)
			equal &= gputm_local_tm_signature(t, bank, i) == o->signature[i][bank];
	for (uint32_t i = 0; i < o->waves; i++)
		equal &= same_wave(t, o, i);
	ck_assert(equal);
}

static void turn_access(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w,
			struct kit_bytes *bytes)
{
	uint64_t what = kit_number(bytes, 1), on = gputm_local_tm_running(t, w);
	uint64_t lanes = kit_number(bytes, 8) & (what < 250 ? on : UINT64_MAX >> (64 - o->lanes));
	struct gputm_local_tm_answer got = { 0, 0, 0 }, probe = { 0, 0, 0 };
	uint32_t word[64] = { 0 }, value[64], expected[64], range = 1u << (what >> 1) % 10;
	struct oracle_local_answer answer;
	bool write = what & 1, outside = false;
	int error;

	if (what & 96)
		lanes &= kit_number(bytes, 8);
	range = range < o->words ? range : o->words;
	for (unsigned lane = 0; lane < 64; lane++) {
		if (lanes >> lane & 1)
			word[lane] = what == 249 ? o->words : kit_u32(bytes, range);
		value[lane] = expected[lane] = (uint32_t)(bytes->left * 64 + lane);
	}
	outside = what == 249 && lanes;
	error = gputm_local_tm_access_probe(t, w, lanes, word, &probe);
	ck_assert_int_eq(gputm_local_tm_access(t, w, write, lanes, word, value, &got), error);
	if (lanes & ~on || outside) {
		ck_assert_int_eq(error, lanes & ~on ? -EINVAL : -ERANGE);
		return;
	}
	oracle_local_tm_access(o, w, write, lanes, word, expected, &answer);
	ck_assert_int_eq(error, answer.lanes ? GPUTM_LOCAL_TM_CONFLICT : GPUTM_LOCAL_TM_OK);
	ck_assert(!memcmp(&got, &probe, sizeof(got)));
	ck_assert_uint_eq(got.conflicts, answer.lanes);
	KIT_SAME(got, answer, cycles, passes);
	ck_assert(!memcmp(value, expected, o->lanes * sizeof(*value)));
}

static void turn_begin(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w)
{
	struct gputm_local_tm_begun got = { 0, 0, 0, GPUTM_LOCAL_TM_MODE_NORMAL };
	struct oracle_local_wave *wave = &o->wave[w];
	struct gputm_local_tm_ended ended;
	struct oracle_local_answer answer;
	int result = gputm_local_tm_begin(t, w, &got);

	if (wave->inside && !wave->due) {
		ck_assert_int_eq(result, GPUTM_LOCAL_TM_NESTED);
		ck_assert_int_eq(gputm_local_tm_commit(t, w, &ended), GPUTM_LOCAL_TM_NESTED);
		o->stats.nested++;
		return;
	}
	if (!wave->exec) {
		ck_assert_int_eq(result, -EINVAL);
		return;
	}
	if (!oracle_local_tm_begin(o, w, &answer)) {
		ck_assert_int_eq(result, GPUTM_LOCAL_TM_HELD);
		return;
	}
	ck_assert_int_eq(result, GPUTM_LOCAL_TM_OK);
	ck_assert_int_eq((int)got.mode, wave->level);
	KIT_SAME(got, answer, cycles, lanes, evicted);
}

static void turn_commit(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w)
{
	struct oracle_local_wave *wave = &o->wave[w];
	struct oracle_local_answer answer;
	struct gputm_local_tm_ended got;
	int result = gputm_local_tm_commit(t, w, &got);
	bool over;

	if (!wave->inside || wave->due || wave->exec != wave->attempt) {
		ck_assert_int_eq(result, -EINVAL);
		return;
	}
	over = oracle_local_tm_commit(o, w, &answer);
	ck_assert_int_eq(result, over ? GPUTM_LOCAL_TM_OK : GPUTM_LOCAL_TM_RETRY);
	ck_assert_uint_eq(got.cycles, answer.cycles);
	ck_assert_uint_eq(got.committed, answer.lanes);
}

static void turn_exec(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w,
		      uint64_t exec)
{
	struct oracle_local_wave *wave = &o->wave[w];
	bool refused = wave->due || (wave->inside && exec & ~wave->attempt);

	ck_assert_int_eq(gputm_local_tm_set_exec(t, w, exec), refused ? -EINVAL : 0);
	if (!refused)
		wave->exec = exec;
}

static void turn(struct gputm_local_tm *t, struct oracle_local_tm *o, struct kit_bytes *bytes)
{
	uint32_t w = kit_u32(bytes, o->waves), what = kit_u32(bytes, 16);
	uint64_t all = UINT64_MAX >> (64 - o->lanes);
	struct oracle_local_wave *wave = &o->wave[w];

	if (wave->due || (!wave->inside && what < 4)) {
		if (wave->inside || wave->exec)
			turn_begin(t, o, w);
		else
			turn_exec(t, o, w, kit_number(bytes, 8) & all);
	} else if (wave->inside && (what < 3 || (!gputm_local_tm_running(t, w) && what < 12))) {
		turn_exec(t, o, w, what == 1 ? kit_number(bytes, 8) & all : wave->attempt);
		turn_commit(t, o, w);
	} else if (what == 15) {
		uint64_t lanes = kit_draw(bytes, 4) ? wave->attempt : all;

		turn_exec(t, o, w, kit_number(bytes, 8) & lanes);
	} else if (what == 14) {
		turn_begin(t, o, w);
	} else if (what == 13) {
		turn_commit(t, o, w);
	} else {
		turn_access(t, o, w, bytes);
	}
}

/* Wavefronts, lanes, banks, bits of a signature, words. */
static const uint32_t geometry[][5] = {
	{ 4, 64, 32, 8, 700 }, { 3, 5, 4, 8, 101 },   { 16, 2, 1, 1, 20 },
	{ 2, 2, 2, 64, 400 },  { 1, 64, 64, 2, 511 },
};

KIT_DRIVE(local_tm, 20, 60000)
{
	const uint32_t any[] = { 3, 8, 1u << kit_u32(bytes, 4), 1u << kit_u32(bytes, 4), 64 };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_local_tm_config config =
		with("wavefronts=%u lanes=%u banks=%u signature_bits=%u words=%u", g[0], g[1], g[2],
		     g[3], g[4]);
	static struct oracle_local_tm o;
	struct gputm_local_tm *t = NULL;

	config.lane_cost =
		bytes->round & 1 ? GPUTM_LOCAL_TM_LANE_COST_SUM : GPUTM_LOCAL_TM_LANE_COST_SLOWEST;
	ck_assert_int_eq(gputm_local_tm_new(kit->ctx, &config, &t), 0);
	kit_observe(unit_of(t));
	oracle_local_tm_init(&o, g[0], g[1], g[2], g[3], g[4]);
	o.sum = bytes->round & 1;
	for (unsigned i = 0; kit_more(bytes); i++) {
		turn(t, &o, bytes);
		if (i % 8 == 0)
			same(t, &o);
		t = KIT_TURN(local_tm, t);
	}
	same(t, &o);
	if (bytes->thorough)
		ck_assert_uint_gt(o.stats.committed, 0);
	KIT_STATS_END(local_tm, t, &o.stats, ORACLE_LOCAL_TM_STATS);
}
