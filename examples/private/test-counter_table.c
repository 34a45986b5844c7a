/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of counter_table: life, the worked example, a full counter, random operations. */
#include "counter_table.h"
#include "tests/kit.h"

KIT_UNIT(counter_table, COUNTER_TABLE);

/* The example at the head of counter_table.c. */
KIT_TEST(test_counter_table_worked_example)
{
	struct gputm_counter_table *table = make(kit, "entries=4 granularity=32 count_bits=8");

	ck_assert_int_eq(gputm_counter_table_record(table, 0x00), GPUTM_COUNTER_TABLE_FILLED);
	ck_assert_int_eq(gputm_counter_table_record(table, 0x1f), GPUTM_COUNTER_TABLE_HIT);
	ck_assert_uint_eq(gputm_counter_table_query(table, 0x10), 2);
	ck_assert_int_eq(gputm_counter_table_record(table, 0x80), GPUTM_COUNTER_TABLE_REPLACED);
	ck_assert_uint_eq(kit_event(GPUTM_COUNTER_TABLE_EVENT_REPLACE)[1], 2);
	ck_assert_uint_eq(gputm_counter_table_query(table, 0x00), 0);
	ck_assert_uint_eq(kit_stat(unit_of(table), "hits"), 1);
}

KIT_TEST(test_counter_table_full_counter_is_tight)
{
	struct gputm_counter_table *table = make(kit, "entries=1 granularity=4 count_bits=2");

	for (uint64_t i = 1; i <= 4; i++) {
		ck_assert_int_ge(gputm_counter_table_record(table, 8), 0);
		ck_assert_uint_eq(gputm_counter_table_query(table, 8), i < 3 ? i : 3);
	}
}

/*
 * The slow and obvious way beside the unit: all accesses, from the newest back. The granule's own
 * are counted until one of another granule of the same entry comes.
 */
static uint64_t truth(const uint64_t *granule, unsigned count, uint64_t of, uint64_t entries)
{
	uint64_t found = 0;

	while (count--) {
		if (granule[count] == of)
			found++;
		else if (granule[count] % entries == of % entries)
			break;
	}
	return found;
}

#define MOST 8192

/* entries, granularity, bits of a counter */
static const uint32_t geometry[][3] = { { 256, 32, 8 }, { 1, 1, 63 }, { 8, 4096, 1 }, { 4, 4, 4 } };

KIT_DRIVE(counter_table, KIT_COUNT(geometry), 10000)
{
	const uint32_t any[] = { 1u << kit_u32(bytes, 6), 1u << kit_u32(bytes, 12),
				 1 + kit_u32(bytes, 63) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_counter_table *table =
		make(kit, "entries=%u granularity=%u count_bits=%u", g[0], g[1], g[2]);
	uint64_t most = UINT64_MAX >> (64 - g[2]), address, expected;
	static uint64_t granule[MOST];
	unsigned count = 0;

	while (kit_more(bytes) && count < MOST) {
		address = kit_draw(bytes, 4) ? kit_draw(bytes, 16) * g[1] : kit_number(bytes, 8);
		expected = truth(granule, count, address / g[1], g[0]);
		expected = expected < most ? expected : most;
		ck_assert_uint_eq(gputm_counter_table_query(table, address), expected);
		ck_assert_int_eq(gputm_counter_table_record(table, address) ==
					 GPUTM_COUNTER_TABLE_HIT,
				 expected != 0);
		granule[count++] = address / g[1];
		table = KIT_TURN(counter_table, table);
	}
	KIT_END(counter_table, table);
}
