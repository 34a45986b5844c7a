/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do the properties of chapter 5 notice anything? This program is linked against commit
 * units built with errors to choose from; each error must break the properties named for
 * it in some run, and without an error none may break.
 */
#include "lib/kilotm/commit_unit-priv.h"
#include "tests/chapter5/properties.h"
#include "tests/kit.h"

unsigned gputm__mutant_now;

static const struct {
	const char *name;
	unsigned mutant;
	const char *breaks[3];
} mutants[] = {
	{ "a writer with CID = RCID is no hazard", GPUTM__MUTANT_EQUAL_RCID,
	  { "Claim 1", "Lemma 3", "serialisability" } },
	{ "revalidation one entry early", GPUTM__MUTANT_EARLY,
	  { "Claim 1", "Lemma 3", "serialisability" } },
	{ "no hazard detection", GPUTM__MUTANT_NO_HAZARD,
	  { "Claim 1", "Lemma 4", "serialisability" } },
	{ "commit out of order", GPUTM__MUTANT_DISORDER, { "Claim 2", "Claim 6", "Lemma 4" } },
	{ "skips forgotten", GPUTM__MUTANT_FORGET_SKIP, { "progress", NULL, NULL } },
	{ "resend requests dropped", GPUTM__MUTANT_DROP_RESEND, { "progress", NULL, NULL } },
	{ "outcomes in no order", GPUTM__MUTANT_NO_ORDER, { "Fig. 4.5", NULL, NULL } },
	{ "dones of one lane only", GPUTM__MUTANT_LOSE_DONE, { "progress", NULL, NULL } },
};
#define MUTANTS ((int)(sizeof(mutants) / sizeof(mutants[0])))

/* The number of the first run that breaks the property, or the limit. */
static unsigned runs_to_break(const struct property *property, unsigned limit)
{
	for (unsigned i = 0; i < limit; i++) {
		struct setting setting = setting_of(i);
		struct record *record = run_model(&setting);
		bool holds = property->holds(record);

		record_free(record);
		if (!holds)
			return i;
	}
	return limit;
}

KIT_TESTS(test_chapter_5_mutant, MUTANTS)
{
	unsigned limit = 150;

	gputm__mutant_now = mutants[_i].mutant;
	for (unsigned i = 0; i < 3 && mutants[_i].breaks[i]; i++) {
		const struct property *property = find_property(mutants[_i].breaks[i]);

		ck_assert_ptr_nonnull(property);
		ck_assert_msg(runs_to_break(property, limit) < limit,
			      "%s: %s never breaks (%s)", mutants[_i].name, property->name,
			      property->says);
	}
}

KIT_TEST(test_chapter_5_without_mutant)
{
	gputm__mutant_now = GPUTM__MUTANT_NONE;
	for (unsigned i = 0; i < kit_scale(20, 4); i++) {
		struct setting setting = setting_of(i);
		struct record *record = run_model(&setting);

		ck_assert_ptr_null(broken_property(record));
		record_free(record);
	}
}
