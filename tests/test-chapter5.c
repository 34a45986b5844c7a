/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thesis' chapter 5, claim by claim and lemma by lemma, over random runs of real
 * commit units. The runs are made once; each property is a test of its own.
 */
#include "tests/chapter5/properties.h"
#include "tests/kit.h"

static struct {
	unsigned runs, expired;
	uint64_t hazards, resends, committed, failed;
	struct {
		unsigned count;
		char first[400]; /* the first run that breaks it */
	} broken[PROPERTIES];
} sum;

static void describe(const struct record *record, char *text, size_t size)
{
	const struct setting *s = &record->setting;

	snprintf(text, size, "run %u: %u units, %s mode, %u lanes; %s", (unsigned)s->seed, s->units,
		 s->unit.warp_mode ? "warp" : "scalar", s->lanes,
		 record->broken[0] ? record->broken : "units sound");
}

static void judge(const struct record *record)
{
	for (unsigned i = 0; i < PROPERTIES; i++)
		if (!properties[i].holds(record) && !sum.broken[i].count++)
			describe(record, sum.broken[i].first, sizeof(sum.broken[i].first));
	sum.hazards += record->hazards;
	sum.resends += record->resends;
	sum.committed += record->committed;
	sum.expired += record->attempts >> record->setting.unit.cid_bits != 0;
	for (unsigned cid = 0; cid < record->attempts; cid++)
		sum.failed += record->attempt[cid].failed;
}

static void make_runs(void)
{
	sum.runs = kit_scale(800, 8);
	for (unsigned i = 0; i < sum.runs; i++) {
		struct setting setting = setting_of(i);
		struct record *record = run_model(&setting);

		judge(record);
		record_free(record);
	}
}

static void assert_property(const char *name)
{
	const struct property *property = find_property(name);
	size_t i;

	ck_assert_ptr_nonnull(property);
	i = (size_t)(property - properties);
	ck_assert_msg(!sum.broken[i].count, "%s (%s) is broken in %u of %u runs, first in %s", name,
		      property->says, sum.broken[i].count, sum.runs, sum.broken[i].first);
}

#define PROPERTY_TEST(TEST, NAME)                                                              \
	KIT_TEST(test_chapter_5_##TEST)                                                        \
	{                                                                                      \
		assert_property(NAME);                                                         \
	}

PROPERTY_TEST(soundness, "soundness")
PROPERTY_TEST(progress, "progress")
PROPERTY_TEST(claim_1, "Claim 1")
PROPERTY_TEST(claim_2, "Claim 2")
PROPERTY_TEST(claim_3, "Claim 3")
PROPERTY_TEST(claim_4, "Claim 4")
PROPERTY_TEST(claim_5, "Claim 5")
PROPERTY_TEST(claim_6, "Claim 6")
PROPERTY_TEST(fig_4_5, "Fig. 4.5")
PROPERTY_TEST(lemma_1, "Lemma 1")
PROPERTY_TEST(lemma_2, "Lemma 2")
PROPERTY_TEST(lemma_3, "Lemma 3")
PROPERTY_TEST(lemma_4, "Lemma 4")
PROPERTY_TEST(serialisability, "serialisability")

/* Everything that may go wrong had its chance. More commit IDs than their width has values
 * have passed only if the history has expired old ones. */
KIT_TEST(test_chapter_5_runs_are_eventful)
{
	ck_assert_uint_gt(sum.hazards, 20 * sum.runs);
	ck_assert_uint_gt(sum.resends, 20 * sum.runs);
	ck_assert_uint_gt(sum.expired, sum.runs / 4);
	ck_assert_uint_gt(sum.committed, 20 * sum.runs);
	ck_assert_uint_gt(sum.failed, 5 * sum.runs);
}

static void assert_same(const struct record *first, const struct record *second)
{
	ck_assert_str_eq(second->broken, "");
	KIT_SAME(*first, *second, cycles, ops);
	for (size_t i = 0; i < first->ops; i++) {
		KIT_SAME(first->op[i], second->op[i], seq, cid, memory);
	}
	ck_assert_mem_eq(first->final, second->final, sizeof(first->final));
}

/* The units are deterministic, and so is the model: the same seed, the same record. */
KIT_WITH(test_chapter_5_runs_repeat, struct setting setting, setting_of(7))
{
	struct record *first = run_model(&setting), *second = run_model(&setting);

	assert_same(first, second);
	record_free(first);
	record_free(second);
}

/*
 * Units that are saved and made anew now and then, and units whose idle cycles are
 * skipped, behave as others do.
 */
KIT_TEST(test_chapter_5_snapshots_and_skipped_time_change_nothing)
{
	for (unsigned i = 0; i < kit_scale(30, 2); i++) {
		struct setting setting = setting_of(i);
		struct record *plain = run_model(&setting), *other;

		setting.swap_every = 7 + i % 50;
		setting.lazy = i % 2;
		other = run_model(&setting);
		assert_same(plain, other);
		record_free(other);
		setting.swap_every = 0;
		setting.lazy = true;
		other = run_model(&setting);
		assert_same(plain, other);
		record_free(other);
		record_free(plain);
	}
}

KIT_SETUP(make_runs)
