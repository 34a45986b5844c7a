/* SPDX-License-Identifier: BSD-2-Clause */
/* TM systems explored to the end at small sizes: tests/explore/README.md. */
#include "tests/explore/systems.h"
#include "tests/kit.h"

/* The cases and systems that take most of the time, and those alone, as .ci/run has them. */
static bool more(void)
{
	return getenv("EXPLORE_MORE") != NULL;
}

/* The number in a column of a case's row in README.md; 0: there is no such row, or no number. */
static uint64_t in_table(const char *name, unsigned column)
{
	FILE *file = fopen(EXPLORE_TABLE, "r");
	size_t length = strlen(name);
	uint64_t number = 0;
	char line[1024];

	ck_assert_msg(file != NULL, "%s cannot be read", EXPLORE_TABLE);
	while (!number && fgets(line, sizeof(line), file)) {
		const char *at = line;

		if (strncmp(line, "| ", 2) || strncmp(line + 2, name, length) ||
		    !strchr(": ", line[2 + length]))
			continue;
		while (at && column--)
			at = strchr(at + 1, '|');
		for (at = at ? at + 2 : ""; *at == ',' || (*at >= '0' && *at <= '9'); at++)
			number = *at == ',' ? number : 10 * number + (uint64_t)(*at - '0');
		break;
	}
	fclose(file);
	return number;
}

#define STEPS 1 /* columns */
#define STATES 4

KIT_TESTS(test_case, explore_case_count)
{
	const struct explore_case *one = &explore_cases[_i];
	struct explore_bounds bounds = { .most = 1000000 };
	struct explore_result result;
	uint64_t number;

	if (more() ? one->when != EXPLORE_MORE :
		     one->when > kit_scale(EXPLORE_FULL, EXPLORE_ALWAYS))
		return;
	result = explore_run(one, bounds);
	ck_assert_uint_eq(result.steps, one->steps);
	ck_assert_str_eq(result.wrong, one->wrong ? one->wrong : "");
	ck_assert(one->wrong || result.closed);
	ck_assert_uint_eq(result.circles != 0, one->trial.circles);
	number = one->wrong ? result.steps : result.states;
	ck_assert_msg(in_table(one->name, one->wrong ? STEPS : STATES) == number,
		      "tests/explore/README.md has not %llu %s of %s: make explore-table",
		      (unsigned long long)number, one->wrong ? "steps" : "states", one->name);
}

static const struct host_system *const systems[] = { &host_getm, &host_kilo, &host_tcd,
						     &host_si };

static struct explore_result outcomes(const struct host_trial *trial)
{
	const struct explore_bounds bounds = { .most = 1000000 };
	struct explore_result result = host_explore(trial, bounds, NULL);

	ck_assert(result.closed);
	ck_assert_uint_gt(result.outcomes, 1);
	return result;
}

/* What is left out of the key, and which orders, makes no difference to what can come of it. */
KIT_TESTS(test_reductions, KIT_COUNT(systems))
{
	struct host_trial trial = { .system = systems[_i], .cores = 2, .attempts = 1,
				    .word_stride = 256, .ordered = true };
	struct explore_result all, less;

	if (more() != (_i > 0))
		return;
	trial.words = kit_scale(2, 1);
	trial.whole = true;
	all = outcomes(&trial);
	trial.whole = false;
	less = outcomes(&trial);
	ck_assert_mem_eq(&all.all, &less.all, sizeof(all.all));
	ck_assert_uint_lt(less.states, all.states);
	trial.unnamed = true;
	all = outcomes(&trial);
	ck_assert_uint_lt(all.outcomes, less.outcomes);
	trial.in_order = true;
	less = outcomes(&trial);
	ck_assert_mem_eq(&all.all, &less.all, sizeof(all.all));
	ck_assert_uint_lt(less.states, all.states);
	trial.unnamed = trial.in_order = false;
	trial.words = 1;
	trial.grain = HOST_MESSAGES;
	all = outcomes(&trial);
	trial.reduce = true;
	less = outcomes(&trial);
	ck_assert_mem_eq(&all.all, &less.all, sizeof(all.all));
	ck_assert_uint_lt(less.states, all.states);
}
