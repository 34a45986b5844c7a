/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do the straight ways of UNIT-fast.c do what the models do? Two of a unit live the same
 * random life, and the straight way of the second is closed: answers, events, statistics and
 * snapshots are the same.
 */
#include "lib/getm/metadata_table-priv.h"
#include "tests/kit.h"

struct pair {
	struct gputm_metadata_table *unit[2]; /* with and without the straight way */
	uint64_t heard[2]; /* digests of events */
	uint64_t random, granules;
};

static void hear(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	uint64_t *heard = state;

	(void)unit;
	*heard = gputm__mix64(*heard ^ event->kind);
	for (unsigned i = 0; i < 4; i++)
		*heard = gputm__mix64(*heard ^ event->value[i]);
}

static const struct {
	uint32_t entries, stash, longest_chain, approximate;
	bool observed;
} lives[] = {
	{ 8, 4, 32, GPUTM_METADATA_TABLE_FILTER, false },
	{ 8, 4, 32, GPUTM_METADATA_TABLE_FILTER, true },
	{ 16, 0, 3, GPUTM_METADATA_TABLE_FILTER, true },
	{ 4, 2, 0, GPUTM_METADATA_TABLE_REGISTERS, true },
	{ 32, 4, 1024, GPUTM_METADATA_TABLE_REGISTERS, false },
};

static void begin(struct pair *pair, int life)
{
	struct gputm_metadata_table_config config = GPUTM_METADATA_TABLE_CONFIG_INIT;

	config.entries = lives[life].entries;
	config.stash = lives[life].stash;
	config.longest_chain = lives[life].longest_chain;
	config.approximate = lives[life].approximate;
	config.filter_entries = 8;
	pair->granules = config.entries * 8;
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(gputm_metadata_table_new(NULL, &config, &pair->unit[i]), 0);
		if (lives[life].observed)
			ck_assert_int_eq(gputm_unit_observe(
						 gputm_metadata_table_unit(pair->unit[i]), hear,
						 &pair->heard[i]), 0);
	}
	ck_assert_int_eq(pair->unit[0]->fast, GPUTM__FAST);
	pair->unit[1]->fast = false;
}

static void step(struct pair *pair)
{
	struct gputm_metadata m[2] = { { 0 } };
	uint64_t address = kit_below(&pair->random, pair->granules) * 32;
	uint64_t what = kit_random(&pair->random);
	uint32_t cycles[2] = { 0 };
	int answer[2];

	for (int i = 0; i < 2; i++) {
		struct gputm_metadata_table *t = pair->unit[i];

		answer[i] = gputm_metadata_table_get(t, address, &m[i]);
		if (what & 7) {
			m[i].wts += what >> 8 & 15;
			m[i].writes = what >> 16 & 3;
			m[i].owner = 1 + (what >> 20 & 3);
			answer[i] = gputm_metadata_table_update(t, address, &m[i], &cycles[i]);
		} else {
			answer[i] = gputm_metadata_table_remove(t, address);
		}
	}
	ck_assert_int_eq(answer[0], answer[1]);
	ck_assert_uint_eq(cycles[0], cycles[1]);
	ck_assert_int_eq(memcmp(&m[0], &m[1], sizeof(m[0])), 0);
	ck_assert_uint_eq(pair->heard[0], pair->heard[1]);
}

KIT_TESTS(test_fast_metadata_table, (int)(sizeof(lives) / sizeof(lives[0])))
{
	unsigned steps = kit_scale(200000, 5000);
	struct pair pair = { .random = (uint64_t)_i + 1 };

	begin(&pair, _i);
	for (unsigned n = 0; n < steps; n++) {
		step(&pair);
		if (n % 64)
			continue;
		ck_assert_uint_eq(kit_digest(gputm_metadata_table_unit(pair.unit[0])),
				  kit_digest(gputm_metadata_table_unit(pair.unit[1])));
		kit_valid(gputm_metadata_table_unit(pair.unit[0]));
	}
	ck_assert_uint_gt(kit_stat(gputm_metadata_table_unit(pair.unit[0]), "insertions"),
			  steps / 16);
	for (int i = 0; i < 2; i++)
		gputm_metadata_table_free(pair.unit[i]);
}
