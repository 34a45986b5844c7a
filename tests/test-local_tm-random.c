/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of local_tm: random attempts against the oracle. */
#include <string.h>

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

static void random_access(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w,
			  uint64_t *random)
{
	uint64_t lanes = kit_random(random) & gputm_local_tm_running(t, w);
	uint32_t word[64], value[64], expected[64];
	struct oracle_local_answer answer;
	struct gputm_local_tm_answer got;
	uint64_t range = UINT64_C(1) << kit_below(random, 10);
	bool write = kit_below(random, 2);

	if (kit_below(random, 3))
		lanes &= kit_random(random) & kit_random(random);
	for (unsigned lane = 0; lane < 64; lane++) {
		word[lane] = (uint32_t)(kit_below(random, range < o->words ? range : o->words));
		value[lane] = expected[lane] = (uint32_t)kit_random(random);
	}
	oracle_local_tm_access(o, w, write, lanes, word, expected, &answer);
	got = access_all(t, w, write, lanes, word, value);
	ck_assert_uint_eq(got.conflicts, answer.lanes);
	ck_assert_uint_eq(got.cycles, answer.cycles);
	ck_assert_uint_eq(got.passes, answer.passes);
	ck_assert(!memcmp(value, expected, o->lanes * sizeof(*value)));
}

static void random_begin(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w)
{
	struct gputm_local_tm_begun got = { 0 };
	struct oracle_local_answer answer;
	bool begun = oracle_local_tm_begin(o, w, &answer);

	ck_assert_int_eq(gputm_local_tm_begin(t, w, &got),
			 begun ? GPUTM_LOCAL_TM_OK : GPUTM_LOCAL_TM_HELD);
	if (!begun)
		return;
	ck_assert_uint_eq(got.cycles, answer.cycles);
	ck_assert_uint_eq(got.lanes, answer.lanes);
	ck_assert_uint_eq(got.evicted, answer.evicted);
	ck_assert_int_eq((int)got.mode, o->wave[w].level);
}

static void random_commit(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w)
{
	struct oracle_local_answer answer;
	struct gputm_local_tm_ended got;
	bool over;

	ck_assert_int_eq(gputm_local_tm_set_exec(t, w, o->wave[w].attempt), 0);
	o->wave[w].exec = o->wave[w].attempt;
	over = oracle_local_tm_commit(o, w, &answer);
	got = commit(t, w, over ? GPUTM_LOCAL_TM_OK : GPUTM_LOCAL_TM_RETRY);
	ck_assert_uint_eq(got.committed, answer.lanes);
	ck_assert_uint_eq(got.cycles, answer.cycles);
}

static void random_exec(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w,
			uint64_t *random)
{
	uint64_t all = o->lanes == 64 ? UINT64_MAX : (UINT64_C(1) << o->lanes) - 1;
	uint64_t exec = (kit_random(random) | kit_random(random)) &
			(o->wave[w].inside ? o->wave[w].attempt : all);

	ck_assert_int_eq(gputm_local_tm_set_exec(t, w, exec), 0);
	o->wave[w].exec = exec;
}

static void turn(struct gputm_local_tm *t, struct oracle_local_tm *o, uint64_t *random)
{
	uint32_t w = (uint32_t)kit_below(random, o->waves);
	uint64_t what = kit_below(random, 16);
	struct oracle_local_wave *wave = &o->wave[w];

	if (wave->due || (!wave->inside && what < 4)) {
		if (wave->inside || wave->exec)
			random_begin(t, o, w);
		else
			random_exec(t, o, w, random);
	} else if (wave->inside && (what < 3 || (!gputm_local_tm_running(t, w) && what < 12))) {
		random_commit(t, o, w);
	} else if (what == 15) {
		random_exec(t, o, w, random);
	} else if (wave->inside || what == 14) {
		random_access(t, o, w, random);
	}
}

static void random_run(uint32_t waves, uint32_t lanes, uint32_t banks, uint32_t bits,
		       uint32_t words, unsigned turns)
{
	struct gputm_local_tm_config config = GPUTM_LOCAL_TM_CONFIG_INIT;
	static struct oracle_local_tm o;
	struct gputm_local_tm *t = NULL;
	uint64_t random = waves * 1000 + lanes;
	bool sum = words % 2;
	struct kit kit;

	config.wavefronts = waves;
	config.lanes = lanes;
	config.banks = banks;
	config.signature_bits = bits;
	config.words = words;
	config.lane_cost = sum ? GPUTM_LOCAL_TM_SUM : GPUTM_LOCAL_TM_SLOWEST;
	kit_open(&kit);
	ck_assert_int_eq(gputm_local_tm_new(kit.ctx, &config, &t), 0);
	kit_observe(gputm_local_tm_unit(t));
	oracle_local_tm_init(&o, waves, lanes, banks, bits, words);
	o.sum = sum;
	for (unsigned i = 0; i < turns; i++) {
		turn(t, &o, &random);
		kit_valid(gputm_local_tm_unit(t));
		if (i % 8 == 0)
			same(t, &o);
		if (i % 61 == 0)
			t = (struct gputm_local_tm *)(void *)kit_swap(&local_tm_maker, &kit,
								      gputm_local_tm_unit(t));
	}
	same(t, &o);
	ck_assert_uint_gt(kit_stat(gputm_local_tm_unit(t), "committed"), 0);
	gputm_local_tm_free(t);
	kit_close(&kit);
}

KIT_TEST(test_local_tm_random)
{
	unsigned turns = kit_scale(6000, 200);

	random_run(4, 64, 32, 8, 700, turns);
	random_run(3, 5, 4, 8, 101, turns);
	random_run(16, 2, 1, 1, 20, turns);
	random_run(2, 2, 2, 64, 400, turns);
	random_run(1, 64, 64, 2, 511, turns);
}
