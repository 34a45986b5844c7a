/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of reference_count_table: life, the worked example, Table V, limits, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/reference_count_table.h"

KIT_UNIT(reference_count_table, REFERENCE_COUNT_TABLE);

/* The answer, after making sure that the probe agrees. */
static int add(struct gputm_reference_count_table *table, uint64_t address, bool write)
{
	int probed = gputm_reference_count_table_add_probe(table, address, write);

	ck_assert_int_eq(gputm_reference_count_table_add(table, address, write), probed);
	return probed;
}

static int take(struct gputm_reference_count_table *table, uint64_t address, bool write)
{
	int probed = gputm_reference_count_table_remove_probe(table, address, write);

	ck_assert_int_eq(gputm_reference_count_table_remove(table, address, write), probed);
	return probed;
}

static void counts_are(const struct gputm_reference_count_table *table, uint64_t address,
		       uint32_t readers, uint32_t writers)
{
	uint32_t r = 4711, w = 4711;

	ck_assert_int_eq(gputm_reference_count_table_get_counts(table, address, &r, &w),
			 readers || writers);
	ck_assert_uint_eq(r, readers);
	ck_assert_uint_eq(w, writers);
}

KIT_TEST(test_reference_count_table_configs)
{
	KIT_REFUSED(-EINVAL, refuse(kit, "address_bits=16 granularity=65536"),
		    "granularity = 65536");
}

/* Table V: 15 kB a commit unit. */
KIT_TEST(test_table_v_15_kb)
{
	struct gputm_reference_count_table *table = make(kit, "getm");

	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(table)), UINT64_C(15) * 1024 * 8);
}

/* The example at the head of reference_count_table.c. */
KIT_MADE(test_reference_count_table_worked_example, table, "entries=2")
{
	ck_assert_int_eq(add(table, 0x10, false), GPUTM_REFERENCE_COUNT_TABLE_CHANGED);
	ck_assert_int_eq(add(table, 0x10, false), GPUTM_REFERENCE_COUNT_TABLE_COUNTED);
	ck_assert_int_eq(add(table, 0x20, true), GPUTM_REFERENCE_COUNT_TABLE_CHANGED);
	KIT_TOLD("add", 3, 0x20, true, 1);
	counts_are(table, 0x10, 2, 0);
	counts_are(table, 0x20, 0, 1);
	ck_assert_int_eq(add(table, 0x30, false), GPUTM_REFERENCE_COUNT_TABLE_IGNORED);
	KIT_TOLD("ignore", 1, 0x30, false, 0);
	ck_assert_int_eq(take(table, 0x10, false), GPUTM_REFERENCE_COUNT_TABLE_COUNTED);
	counts_are(table, 0x10, 1, 0);
	ck_assert_int_eq(take(table, 0x20, true), GPUTM_REFERENCE_COUNT_TABLE_CHANGED);
	KIT_TOLD("remove", 2, 0x20, true, 0);
	counts_are(table, 0x20, 0, 0);
	ck_assert_int_eq(take(table, 0x30, false), GPUTM_REFERENCE_COUNT_TABLE_IGNORED);
	KIT_TOLD("ignore", 2, 0x30, false, 2);
	kit_counts(unit_of(table), "added=3 removed=2 full=1 absent=1 references=1 used=1");
	kit_valid(unit_of(table));
	kit_round_trip(&reference_count_table_maker, unit_of(table));
}

/* A word of which one kind is counted keeps its entry; a full table has room for the other. */
KIT_MADE(test_reference_count_table_both_kinds_share_an_entry, table, "entries=1")
{
	ck_assert_int_eq(add(table, 8, false), GPUTM_REFERENCE_COUNT_TABLE_CHANGED);
	ck_assert_int_eq(add(table, 11, true), GPUTM_REFERENCE_COUNT_TABLE_CHANGED);
	ck_assert_int_eq(add(table, 12, true), GPUTM_REFERENCE_COUNT_TABLE_IGNORED);
	ck_assert_int_eq(take(table, 8, false), GPUTM_REFERENCE_COUNT_TABLE_CHANGED);
	ck_assert_int_eq(take(table, 8, false), GPUTM_REFERENCE_COUNT_TABLE_IGNORED);
	ck_assert_int_eq(add(table, 12, true), GPUTM_REFERENCE_COUNT_TABLE_IGNORED);
	ck_assert_int_eq(take(table, 8, true), GPUTM_REFERENCE_COUNT_TABLE_CHANGED);
	ck_assert_int_eq(add(table, 12, true), GPUTM_REFERENCE_COUNT_TABLE_CHANGED);
	kit_counts(unit_of(table), "used=1 used_max=1 full=2 first=3 last=2");
}

KIT_MADE(test_reference_count_table_limits_are_tight, table, "address_bits=16 count_bits=2")
{
	uint32_t readers = 4711, writers = 4711;

	for (uint32_t i = 0; i < 3; i++)
		ck_assert_int_ne(add(table, 0xffff, true), GPUTM_REFERENCE_COUNT_TABLE_IGNORED);
	ck_assert_int_eq(add(table, 0xffff, true), GPUTM_REFERENCE_COUNT_TABLE_IGNORED);
	KIT_TOLD("ignore", 1, 0xffff, true, 1);
	counts_are(table, 0xfffc, 0, 3);
	counts_are(table, 0xffff, 0, 3);
	ck_assert_int_eq(take(table, 0xffff, true), GPUTM_REFERENCE_COUNT_TABLE_COUNTED);
	kit_guard(kit, unit_of(table));
	KIT_REFUSED(-ERANGE, gputm_reference_count_table_add(table, 0x10000, true),
		    "address = 65536", "0 .. 65535");
	KIT_REFUSED(-ERANGE, gputm_reference_count_table_add_probe(table, 0x10000, true), "");
	KIT_REFUSED(-ERANGE, gputm_reference_count_table_remove(table, 0x10000, true), "");
	KIT_REFUSED(-ERANGE, gputm_reference_count_table_remove_probe(table, 0x10000, true), "");
	KIT_REFUSED(-ERANGE,
		    gputm_reference_count_table_get_counts(table, 0x10000, &readers, &writers), "");
	ck_assert(readers == 4711 && writers == 4711);
	kit_unchanged(kit);
}

/* Who was ignored is not known: the remove takes another's reference away. */
KIT_MADE(test_reference_count_table_ignored_reference_is_removed, table, "count_bits=1")
{
	ck_assert_int_eq(add(table, 4, false), GPUTM_REFERENCE_COUNT_TABLE_CHANGED);
	ck_assert_int_eq(add(table, 4, false), GPUTM_REFERENCE_COUNT_TABLE_IGNORED);
	ck_assert_int_eq(take(table, 4, false), GPUTM_REFERENCE_COUNT_TABLE_CHANGED);
	counts_are(table, 4, 0, 0);
	ck_assert_int_eq(take(table, 4, false), GPUTM_REFERENCE_COUNT_TABLE_IGNORED);
	kit_counts(unit_of(table), "saturated=1 absent=1 used=0");
}

KIT_MADE(test_reference_count_table_forged_snapshots, table, "entries=4 count_bits=3")
{
	struct gputm_unit *unit = unit_of(table);

	ck_assert_int_ge(add(table, 0x1238, false), 0);
	ck_assert_int_ge(add(table, 0x5678, true), 0);
	ck_assert_int_eq(kit_forged(unit, 0x1238 / 4, -16, 8, 5), -EINVAL);
	ck_assert_int_eq(kit_forged(unit, 0x1238 / 4, 0, 8, 0x5678 / 4), -EINVAL);
	ck_assert_int_eq(kit_forged(unit, 0x5678 / 4, 0, 8, UINT64_C(1) << 40), -EINVAL);
	ck_assert_int_eq(kit_forged(unit, 0x5678 / 4, 8, 4, 8), -EINVAL);
	ck_assert_int_eq(kit_forged(unit, 0x5678 / 4, 8, 4, 0), -EINVAL);
	ck_assert_int_eq(kit_forged(unit, 0x5678 / 4, 8, 4, 2), -EINVAL);
	kit_forge(unit);
}

/* Entries, bits of a count, granularity, address bits. */
static const uint32_t geometry[][4] = {
	{ 3072, 5, 4, 32 }, { 1, 1, 1, 16 }, { 4, 2, 4, 16 }, { 16, 3, 32, 40 }, { 7, 32, 8, 64 },
};

static void step(struct gputm_reference_count_table *table, struct oracle_reference_count_table *o,
		 struct kit_bytes *bytes)
{
	bool any = kit_draw(bytes, 16) == 0; /* any address, in range or not */
	uint64_t address = any ? kit_number(bytes, 3) :
				 kit_draw(bytes, 24) * o->config.granularity;
	bool write = kit_draw(bytes, 2), adds = kit_draw(bytes, 9) < 5;

	if (adds)
		ck_assert_int_eq(add(table, address, write),
				 oracle_reference_count_table_add(o, address, write));
	else
		ck_assert_int_eq(take(table, address, write),
				 oracle_reference_count_table_remove(o, address, write));
	if (!oracle_is_wide(o, address))
		counts_are(table, address,
			   (uint32_t)oracle_count(o, address / o->config.granularity, false),
			   (uint32_t)oracle_count(o, address / o->config.granularity, true));
}

KIT_DRIVE(reference_count_table, KIT_COUNT(geometry), 1500)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 40), 1 + kit_u32(bytes, 32),
				 1u << kit_u32(bytes, 8), 16 + kit_u32(bytes, 49) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_reference_count_table_config config =
		with("entries=%u count_bits=%u granularity=%u address_bits=%u", g[0], g[1], g[2],
		     g[3]);
	struct gputm_reference_count_table *table = NULL;
	struct oracle_reference_count_table o;

	if (gputm_reference_count_table_new(kit->ctx, &config, &table))
		return;
	kit_observe(unit_of(table));
	oracle_reference_count_table_open(&o, &config);
	for (KIT_TURNS(reference_count_table, table))
		step(table, &o, bytes);
	KIT_STATS_END(reference_count_table, table, &o.stats, ORACLE_REFERENCE_COUNT_TABLE_STATS);
	oracle_reference_count_table_close(&o);
}
