/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors built into commit units and validation units, each found by the explorer after so many
 * steps and no fewer: what a step is, and what is explored, says tests/explore/README.md.
 */
#include "lib/getm/validation_unit-priv.h"
#include "lib/kilotm/commit_unit-priv.h"
#include "tests/explore/systems.h"
#include "tests/kit.h"

unsigned gputm__mutant_now;

#define SERIAL "no serial order explains this end"
#define STUCK "nothing can happen any more, and a transaction is not over"

static const struct {
	unsigned mutant, steps;
	const char *name, *wrong, *explored;
} holes[] = {
	{ GPUTM__MUTANT_NONE, 0, "none", "", "kilo-tm-resend" },
	{ GPUTM__MUTANT_EQUAL_RCID, 12, "a writer with CID = RCID is no hazard", SERIAL,
	  "kilo-tm-again" },
	{ GPUTM__MUTANT_EARLY, 13, "revalidation one entry early", SERIAL, "kilo-tm-again" },
	{ GPUTM__MUTANT_NO_HAZARD, 12, "no hazard detection", SERIAL, "kilo-tm-again" },
	{ GPUTM__MUTANT_BLIND_BIT, 12, "no hazard at addresses with bit 5", SERIAL,
	  "kilo-tm-again" },
	{ GPUTM__MUTANT_DISORDER, 10, "commit out of order", SERIAL, "kilo-tm-again" },
	{ GPUTM__MUTANT_FORGET_SKIP, 7, "skips forgotten", STUCK, "kilo-tm-again" },
	{ GPUTM__MUTANT_DROP_RESEND, 5, "resend requests dropped", STUCK, "kilo-tm-resend" },
	{ GPUTM__MUTANT_NONE, 0, "none", "", "getm-three-wait" },
	{ GPUTM__MUTANT_NEXT_SLEEPS, 6, "a retry does not wake the next", STUCK,
	  "getm-three-wait" },
	{ GPUTM__MUTANT_OWN_SLEEP, 5, "a store does not wake its own warp", STUCK,
	  "getm-warps-wait" },
};

static const struct explore_case *find(const char *name)
{
	for (unsigned i = 0; i < explore_case_count; i++)
		if (!strcmp(explore_cases[i].name, name))
			return &explore_cases[i];
	return NULL;
}

KIT_TESTS(test_hole, KIT_COUNT(holes))
{
	const struct explore_case *one = find(holes[_i].explored);
	struct explore_bounds bounds = { .most = 100000 };
	struct explore_result result;

	ck_assert_ptr_nonnull(one);
	if (holes[_i].steps > kit_scale(UINT32_MAX, 7) || holes[_i].steps < kit_scale(0, 6))
		return; /* valgrind: those that are near */
	if ((one->when == EXPLORE_LARGE) != (getenv("EXPLORE_MORE") != NULL))
		return; /* .ci/run has those of large cases, and those alone */
	gputm__mutant_now = holes[_i].mutant;
	printf("%s:\n", holes[_i].name);
	result = explore_run(one, bounds);
	gputm__mutant_now = GPUTM__MUTANT_NONE;
	ck_assert_str_eq(result.wrong, holes[_i].wrong);
	ck_assert_uint_eq(result.steps, holes[_i].steps);
}
