/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of conflict_address_table: life, the example, Table V, pauses, limits, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/conflict_address_table.h"

KIT_UNIT(conflict_address_table, CONFLICT_ADDRESS_TABLE);

#define LANES 8

/* The answer, after making sure that the probe agrees. */
static int insert(struct gputm_conflict_address_table *table, uint64_t address, bool write)
{
	int probed = gputm_conflict_address_table_insert_probe(table, address, write);

	ck_assert_int_eq(gputm_conflict_address_table_insert(table, address, write), probed);
	return probed;
}

static int lookup(struct gputm_conflict_address_table *table, uint64_t address, bool write)
{
	int probed = gputm_conflict_address_table_lookup_probe(table, address, write);

	ck_assert_int_eq(gputm_conflict_address_table_lookup(table, address, write), probed);
	return probed;
}

static void marks_are(const struct gputm_conflict_address_table *table, uint64_t address,
		      bool read, bool written)
{
	bool r = !read, w = !written;

	ck_assert_int_eq(gputm_conflict_address_table_get_marks(table, address, &r, &w),
			 read || written);
	ck_assert(r == read && w == written);
}

static uint64_t paused_of(struct gputm_conflict_address_table *table, uint64_t lanes,
			  const uint64_t address[], bool write)
{
	uint64_t paused = 4711;

	ck_assert_int_eq(gputm_conflict_address_table_pause(table, lanes, address, write, &paused),
			 0);
	return paused;
}

KIT_TEST(test_conflict_address_table_configs)
{
	KIT_REFUSED(-EINVAL, refuse(kit, "address_bits=16 granularity=65536"),
		    "granularity = 65536");
}

/* Table V: 12 kB a core. */
KIT_TEST(test_table_v_12_kb)
{
	struct gputm_conflict_address_table *table = make(kit, "getm");

	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(table)), UINT64_C(12) * 1024 * 8);
}

/* The example at the head of conflict_address_table.c. */
KIT_MADE(test_conflict_address_table_worked_example, table, "entries=2")
{
	ck_assert_int_eq(insert(table, 0x10, false), GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	ck_assert_int_eq(insert(table, 0x20, true), GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	KIT_TOLD("insert", 2, 0x20, true);
	ck_assert_int_eq(insert(table, 0x30, false), GPUTM_CONFLICT_ADDRESS_TABLE_FULL);
	marks_are(table, 0x10, true, false);
	marks_are(table, 0x20, false, true);
	marks_are(table, 0x30, false, false);
	ck_assert_int_eq(lookup(table, 0x10, false), 0);
	ck_assert_int_eq(lookup(table, 0x10, true), 1);
	ck_assert_int_eq(lookup(table, 0x20, false), 1);
	ck_assert_int_eq(lookup(table, 0x20, true), 1);
	KIT_TOLD("conflict", 3, 0x20, true);
	ck_assert_int_eq(gputm_conflict_address_table_remove(table, 0x20, true),
			 GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	KIT_TOLD("remove", 1, 0x20, true);
	ck_assert_int_eq(gputm_conflict_address_table_remove(table, 0x30, false),
			 GPUTM_CONFLICT_ADDRESS_TABLE_UNCHANGED);
	kit_counts(unit_of(table),
		   "inserted=2 removed=1 full=1 lookups=4 conflicts=3 used=1 used_max=2");
	kit_valid(unit_of(table));
	kit_round_trip(&conflict_address_table_maker, unit_of(table));
}

KIT_MADE(test_conflict_address_table_two_writes_by_the_rule_of_the_authors, table, "hpca-2016")
{
	ck_assert_int_eq(insert(table, 0x20, true), GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	ck_assert_int_eq(lookup(table, 0x20, true), 0);
	ck_assert_int_eq(lookup(table, 0x20, false), 1);
	ck_assert_int_eq(insert(table, 0x23, false), GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	ck_assert_int_eq(lookup(table, 0x20, true), 1);
}

/* A full table has room for the second mark of a word; both are removed apart. */
KIT_MADE(test_conflict_address_table_marks_share_an_entry, table, "entries=1")
{
	ck_assert_int_eq(insert(table, 8, false), GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	ck_assert_int_eq(insert(table, 8, true), GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	ck_assert_int_eq(insert(table, 8, true), GPUTM_CONFLICT_ADDRESS_TABLE_UNCHANGED);
	ck_assert_int_eq(insert(table, 12, true), GPUTM_CONFLICT_ADDRESS_TABLE_FULL);
	ck_assert_int_eq(gputm_conflict_address_table_remove(table, 8, false), 0);
	marks_are(table, 8, false, true);
	ck_assert_int_eq(insert(table, 12, true), GPUTM_CONFLICT_ADDRESS_TABLE_FULL);
	ck_assert_int_eq(gputm_conflict_address_table_remove(table, 8, true), 0);
	ck_assert_int_eq(insert(table, 12, true), GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
}

/* Lanes with a conflict wait; if all have one, the lowest goes on. */
KIT_MADE(test_conflict_address_table_at_least_one_lane_goes_on, table, NULL)
{
	const uint64_t address[LANES] = { 0x100, 0x104, 0x108, 0x10c };

	ck_assert_int_eq(insert(table, 0x104, true), GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	ck_assert_int_eq(insert(table, 0x108, true), GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	ck_assert_uint_eq(paused_of(table, 0xf, address, false), 0x6);
	KIT_TOLD("pause", 1, 0xf, 0x6, false);
	ck_assert_uint_eq(paused_of(table, 0x6, address, true), 0x4);
	KIT_TOLD("pause", 2, 0x6, 0x4, true);
	ck_assert_uint_eq(paused_of(table, 0x4, address, false), 0);
	ck_assert_uint_eq(paused_of(table, 0x9, address, true), 0);
	ck_assert_uint_eq(paused_of(table, 0, address, true), 0);
	kit_counts(unit_of(table), "accesses=5 paused=3 lookups=9 conflicts=5");
}

KIT_MADE(test_conflict_address_table_limits_are_tight, table, "address_bits=16")
{
	const uint64_t address[LANES] = { 0xffff, 0x10000 };
	bool read = true, written = true;
	uint64_t paused = 4711;

	ck_assert_int_eq(insert(table, 0xffff, true), GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	ck_assert_uint_eq(paused_of(table, 1, address, false), 0);
	marks_are(table, 0xffff, false, true);
	ck_assert_int_eq(gputm_conflict_address_table_remove(table, 0xffff, true),
			 GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED);
	kit_guard(kit, unit_of(table));
	KIT_REFUSED(-ERANGE, gputm_conflict_address_table_insert(table, 0x10000, true),
		    "address = 65536", "0 .. 65535");
	KIT_REFUSED(-ERANGE, gputm_conflict_address_table_insert_probe(table, 0x10000, true), "");
	KIT_REFUSED(-ERANGE, gputm_conflict_address_table_remove(table, 0x10000, true), "");
	KIT_REFUSED(-ERANGE, gputm_conflict_address_table_lookup(table, 0x10000, true), "");
	KIT_REFUSED(-ERANGE, gputm_conflict_address_table_lookup_probe(table, 0x10000, true), "");
	KIT_REFUSED(-ERANGE,
		    gputm_conflict_address_table_pause(table, 3, address, false, &paused), "");
	KIT_REFUSED(-ERANGE,
		    gputm_conflict_address_table_get_marks(table, 0x10000, &read, &written), "");
	ck_assert(read && written && paused == 4711);
	kit_unchanged(kit);
}

KIT_MADE(test_conflict_address_table_forged_snapshots, table, "entries=4")
{
	struct gputm_unit *unit = unit_of(table);

	ck_assert_int_ge(insert(table, 0x1238, false), 0);
	ck_assert_int_ge(insert(table, 0x5678, true), 0);
	ck_assert_int_eq(kit_forged(unit, 0x1238 / 4, -8, 8, 5), -EINVAL);
	ck_assert_int_eq(kit_forged(unit, 0x1238 / 4, 0, 8, 0x5678 / 4), -EINVAL);
	ck_assert_int_eq(kit_forged(unit, 0x5678 / 4, 0, 8, UINT64_C(1) << 40), -EINVAL);
	ck_assert_int_eq(kit_forged(unit, 0x5678 / 4, 8, 1, 0), -EINVAL);
	ck_assert_int_eq(kit_forged(unit, 0x5678 / 4, 8, 1, 4), -EINVAL);
	kit_forge(unit);
}

/* Entries, granularity, address bits, write_write. */
static const uint32_t geometry[][4] = {
	{ 3072, 4, 32, 1 }, { 1, 1, 16, 0 }, { 4, 4, 16, 1 }, { 16, 32, 40, 0 }, { 7, 8, 64, 1 },
};

static uint64_t address_of(const struct oracle_conflict_address_table *o, struct kit_bytes *bytes)
{
	bool any = kit_draw(bytes, 32) == 0; /* any address, in range or not */

	return any ? kit_number(bytes, 3) : kit_draw(bytes, 24) * o->config.granularity;
}

static void pause_lanes(struct gputm_conflict_address_table *table,
			struct oracle_conflict_address_table *o, bool write,
			struct kit_bytes *bytes)
{
	uint64_t address[LANES], paused = 1, expected = 1;
	uint64_t lanes = kit_draw(bytes, 1 << LANES);

	for (int i = 0; i < LANES; i++)
		address[i] = address_of(o, bytes);
	ck_assert_int_eq(gputm_conflict_address_table_pause(table, lanes, address, write, &paused),
			 oracle_conflict_address_table_pause(o, lanes, address, write, &expected));
	ck_assert_uint_eq(paused, expected);
}

static void step(struct gputm_conflict_address_table *table,
		 struct oracle_conflict_address_table *o, struct kit_bytes *bytes)
{
	uint64_t address = address_of(o, bytes);
	bool write = kit_draw(bytes, 2);

	switch (kit_draw(bytes, 7)) {
	case 0:
	case 1:
		ck_assert_int_eq(insert(table, address, write),
				 oracle_conflict_address_table_insert(o, address, write));
		break;
	case 2:
	case 3:
		ck_assert_int_eq(gputm_conflict_address_table_remove(table, address, write),
				 oracle_conflict_address_table_remove(o, address, write));
		break;
	case 4:
		pause_lanes(table, o, write, bytes);
		break;
	default:
		ck_assert_int_eq(lookup(table, address, write),
				 oracle_conflict_address_table_lookup(o, address, write));
	}
	if (!oracle_is_wide(o, address))
		marks_are(table, address, oracle_marked(o, address, false),
			  oracle_marked(o, address, true));
}

KIT_DRIVE(conflict_address_table, KIT_COUNT(geometry), 3000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 40), 1u << kit_u32(bytes, 8),
				 16 + kit_u32(bytes, 49), kit_u32(bytes, 2) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_conflict_address_table_config config =
		with("entries=%u granularity=%u address_bits=%u write_write=%u", g[0], g[1], g[2],
		     g[3]);
	struct gputm_conflict_address_table *table = NULL;
	struct oracle_conflict_address_table o;

	if (gputm_conflict_address_table_new(kit->ctx, &config, &table))
		return;
	kit_observe(unit_of(table));
	oracle_conflict_address_table_open(&o, &config);
	for (KIT_TURNS(conflict_address_table, table))
		step(table, &o, bytes);
	KIT_STATS_END(conflict_address_table, table, &o.stats,
		      ORACLE_CONFLICT_ADDRESS_TABLE_STATS);
	oracle_conflict_address_table_close(&o);
}
