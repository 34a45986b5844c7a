/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of version_table: life, Fig. 4, 5 and 6, overlaps, tightness, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/version_table.h"

KIT_UNIT(version_table, VERSION_TABLE);

#define OK GPUTM_VERSION_TABLE_OK
#define PLAIN GPUTM_VERSION_TABLE_PLAIN
#define STALE GPUTM_VERSION_TABLE_STALE
#define WAIT GPUTM_VERSION_TABLE_WAIT
#define OVERFLOW GPUTM_VERSION_TABLE_OVERFLOW

static uint32_t add(struct gputm_version_table *t, uint64_t start, uint64_t length,
		    uint64_t relocated, uint64_t now)
{
	uint32_t region = 4711;

	ck_assert_int_eq(gputm_version_table_add_region(t, start, length, relocated, now, &region),
			 OK);
	return region;
}

static void copy(struct gputm_version_table *t, uint32_t region)
{
	uint32_t from, to;

	ck_assert_int_eq(gputm_version_table_begin_copy_probe(t, region), OK);
	ck_assert_int_eq(gputm_version_table_begin_copy(t, region, &from, &to), OK);
}

static void next(struct gputm_version_table *t, uint32_t region, uint64_t now)
{
	copy(t, region);
	ck_assert_int_eq(gputm_version_table_complete_copy(t, region), 0);
	ck_assert_int_eq(gputm_version_table_seal(t, UINT64_C(1) << region, now), OK);
	kit_valid(unit_of(t));
}

/* ---- Fig. 4 ---- */

/* States S1 to S4 of V0 .. V3 as digits, and what may then be read and written. */
static void life(struct gputm_version_table *t, const char *states, uint64_t written)
{
	struct gputm_version_table_version v;
	uint64_t physical = 4711;

	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_int_eq(gputm_version_table_get_version(t, 0, i, &v), 0);
		ck_assert_int_eq((int)v.state, states[i] - '0');
	}
	for (uint64_t time = 0; time < 40; time++) { /* only S3 is read */
		int result = gputm_version_table_resolve(t, 0x800000, time, &physical);

		if (result == OK)
			ck_assert_int_eq(states[(physical - 0x800000) >> 16], '3');
		else
			ck_assert_int_eq(result, STALE);
	}
	ck_assert_int_eq(gputm_version_table_resolve(t, 0x800000, 39, &physical), OK);
	physical = 4711; /* only S2 is written */
	ck_assert_int_eq(gputm_version_table_resolve_write(t, 0x800000, &physical),
			 written ? OK : WAIT);
	ck_assert_uint_eq(physical, written ? written : 4711);
	kit_valid(unit_of(t));
}

KIT_MADE(test_fig_4_life_cycle, t, "versions=4")
{
	struct gputm_version_table_version v;
	uint32_t region, version;

	add(t, 0x800000, 0x400, 0xA00000, 0);
	life(t, "3444", 0);
	ck_assert_int_eq(gputm_version_table_acquire(t, 0x800000, 5, &region, &version), OK);
	copy(t, 0);
	life(t, "3144", 0);
	ck_assert_int_eq(gputm_version_table_complete_copy(t, 0), 0);
	life(t, "3244", 0x810000);
	ck_assert_int_eq(gputm_version_table_seal(t, 1, 10), OK);
	life(t, "3344", 0);
	copy(t, 0);
	life(t, "3314", 0);
	ck_assert_int_eq(gputm_version_table_complete_copy(t, 0), 0);
	life(t, "3324", 0x820000);
	ck_assert_int_eq(gputm_version_table_seal(t, 1, 20), OK);
	life(t, "3334", 0);
	copy(t, 0);
	life(t, "3331", 0);
	ck_assert_int_eq(gputm_version_table_release(t, region, version), 0);
	life(t, "4331", 0);
	ck_assert_int_eq(gputm_version_table_complete_copy(t, 0), 0);
	life(t, "4332", 0x830000);
	for (uint32_t i = 1; i < 3; i++) {
		ck_assert_int_eq(gputm_version_table_get_version(t, 0, i, &v), 0);
		ck_assert_uint_eq(v.created, 10 * i);
	}
	kit_round_trip(&version_table_maker, unit_of(t));
}

/* ---- Fig. 6 ---- */

static struct gputm_version_table *fig_6(struct kit *kit, bool plain_as_given)
{
	static const uint64_t created[2][4] = { { 17, 123, 193, 255 }, { 12, 144, 156, 300 } };
	static const uint32_t references[2][4] = { { 1, 23, 50, 5 }, { 0, 9, 35, 47 } };
	static const uint64_t start[2] = { 0x800000, 0x880000 };
	uint32_t region, version;
	struct gputm_version_table *t = make(kit, "versions=4 plain_as_given=%d", plain_as_given);

	add(t, 0x800000, 0x400, 0xA00000, 17);
	add(t, 0x880000, 0x10000, 0xA10000, 12);
	for (uint32_t r = 0; r < 2; r++)
		for (uint32_t v = 0; v < 4; v++) {
			if (v)
				next(t, r, created[r][v]);
			for (uint32_t i = 0; i < references[r][v]; i++) {
				ck_assert_int_eq(gputm_version_table_acquire(t, start[r],
									     created[r][v],
									     &region, &version),
						 OK);
				ck_assert_uint_eq(region, r);
				ck_assert_uint_eq(version, v);
			}
		}
	return t;
}

static const struct {
	uint64_t address, time, physical; /* 0: stale */
} fig_6_reads[] = {
	{ 0x800000, 16, 0 },	     { 0x800000, 17, 0x800000 },  { 0x800000, 122, 0x800000 },
	{ 0x800000, 123, 0x810000 }, { 0x800000, 192, 0x810000 }, { 0x8003FF, 193, 0x8203FF },
	{ 0x8003FF, 254, 0x8203FF }, { 0x800000, 255, 0x830000 }, { 0x800000, 9999, 0x830000 },
	{ 0x880000, 11, 0 },	     { 0x880000, 12, 0x880000 },  { 0x880000, 143, 0x880000 },
	{ 0x880000, 144, 0x890000 }, { 0x880000, 155, 0x890000 }, { 0x88FFFF, 156, 0x8AFFFF },
	{ 0x88FFFF, 299, 0x8AFFFF }, { 0x880000, 300, 0x8B0000 }, { 0x880000, 9999, 0x8B0000 },
};

static const uint64_t fig_6_plain[][2] = {
	{ 0x810000, 0xA00000 }, { 0x8103FF, 0xA003FF }, { 0x820000, 0xA00400 },
	{ 0x830000, 0xA00800 }, { 0x890000, 0xA10000 }, { 0x8A0000, 0xA20000 },
	{ 0x8B0000, 0xA30000 }, { 0x810400, 0x810400 }, { 0x7FFFFF, 0x7FFFFF },
	{ 0xC00000, 0xC00000 },
};

KIT_WITH(test_fig_6_version_index_table, struct gputm_version_table *t, fig_6(kit, false))
{
	struct gputm_version_table_version v;
	uint64_t physical;

	for (size_t i = 0; i < sizeof(fig_6_reads) / sizeof(fig_6_reads[0]); i++) {
		physical = 0;
		ck_assert_int_eq(gputm_version_table_resolve(t, fig_6_reads[i].address,
							     fig_6_reads[i].time, &physical),
				 fig_6_reads[i].physical ? OK : STALE);
		ck_assert_uint_eq(physical, fig_6_reads[i].physical);
	}
	for (size_t i = 0; i < sizeof(fig_6_plain) / sizeof(fig_6_plain[0]); i++) {
		ck_assert_int_eq(
			gputm_version_table_resolve_plain(t, fig_6_plain[i][0], &physical), 0);
		ck_assert_uint_eq(physical, fig_6_plain[i][1]);
		ck_assert_int_eq(
			gputm_version_table_resolve(t, fig_6_plain[i][0], 99, &physical), PLAIN);
		ck_assert_uint_eq(physical, fig_6_plain[i][1]);
	}
	ck_assert_int_eq(gputm_version_table_get_version(t, 1, 3, &v), 0);
	KIT_HAS(v, references, 47, created, 300, address, 0x8B0000);
	kit_round_trip(&version_table_maker, unit_of(t));
}

/* What a plain access within a region means: the newest version, or the address. */
KIT_TEST(test_fig_5_plain_access_within_a_region)
{
	struct gputm_version_table *t;
	uint64_t physical;

	for (unsigned as_given = 0; as_given < 2; as_given++) {
		t = fig_6(kit, as_given);
		ck_assert_int_eq(gputm_version_table_resolve_plain(t, 0x800004, &physical), 0);
		ck_assert_uint_eq(physical, as_given ? 0x800004 : 0x830004);
	}
}

/* 193 bits, 42 regions in 1 kB; 60 + 8 x 32 + 5 would be 321. */
KIT_MADE(test_table_1_storage, t, "isca-2017")
{
	struct gputm_storage regions;

	ck_assert(gputm_unit_storage(unit_of(t), 0, &regions));
	KIT_HAS(regions, bits, 193, entries, 1024 * 8 / 193);
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(t)), 42 * 193);
	t = make(kit, "isca-2017 time_bits=32");
	ck_assert(gputm_unit_storage(unit_of(t), 0, &regions));
	ck_assert_uint_eq(regions.bits, 321);
}

/* What Fig. 21 counts: three transactions share version 0, none version 1. */
KIT_MADE(test_fig_21_sharers_of_a_version, t, "versions=2")
{
	uint32_t region, version;
	struct gputm_stat stat = { .name = "" };

	add(t, 0, 64, 0x1000, 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(gputm_version_table_acquire(t, 0, 0, &region, &version), OK);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(gputm_version_table_release(t, region, version), 0);
	next(t, 0, 10);
	ck_assert_uint_eq(kit_stat(unit_of(t), "sharers"), 0);
	next(t, 0, 20);
	next(t, 0, 30);
	kit_valid(unit_of(t));
	for (size_t i = 0; strcmp(stat.name, "sharers"); i++)
		ck_assert(gputm_unit_stat(unit_of(t), i, &stat));
	ck_assert_uint_eq(stat.value, 2);
	ck_assert_uint_eq(stat.bucket[0], 1);
	ck_assert_uint_eq(stat.bucket[2], 1);
}

/* A version in the middle stays while an older one is read, and the newest always. */
KIT_MADE(test_version_table_recycles_oldest_first, t, "versions=3")
{
	uint32_t region, v0, v1, v2, from = 99, to = 99;

	add(t, 0, 64, 0x1000, 0);
	ck_assert_int_eq(gputm_version_table_acquire(t, 0, 0, &region, &v0), OK);
	next(t, 0, 10);
	ck_assert_int_eq(gputm_version_table_acquire(t, 0, 10, &region, &v1), OK);
	next(t, 0, 20);
	ck_assert_int_eq(gputm_version_table_acquire(t, 0, 20, &region, &v2), OK);
	ck_assert_int_eq(gputm_version_table_begin_copy_probe(t, 0), WAIT);
	ck_assert_int_eq(gputm_version_table_begin_copy(t, 0, &from, &to), WAIT);
	ck_assert_uint_eq(to, 99);
	ck_assert_int_eq(gputm_version_table_release(t, 0, v1), 0);
	ck_assert_int_eq(gputm_version_table_release(t, 0, v2), 0);
	ck_assert_int_eq(gputm_version_table_begin_copy(t, 0, &from, &to), WAIT);
	ck_assert_int_eq(gputm_version_table_release(t, 0, v0), 0);
	ck_assert_int_eq(gputm_version_table_begin_copy(t, 0, &from, &to), OK);
	ck_assert_uint_eq(from, v2);
	ck_assert_uint_eq(to, v0);
	ck_assert_uint_eq(kit_stat(unit_of(t), "waits"), 2);
	kit_valid(unit_of(t));

	t = make(kit, "versions=3 lazy=1");
	add(t, 0, 64, 0x1000, 0);
	ck_assert_int_eq(gputm_version_table_acquire(t, 0, 0, &region, &v0), OK);
	next(t, 0, 10);
	ck_assert_int_eq(gputm_version_table_release(t, 0, v0), 0);
	ck_assert_uint_eq(kit_stat(unit_of(t), "recycled"), 0);
	next(t, 0, 20);
	next(t, 0, 30);
	ck_assert_uint_eq(kit_stat(unit_of(t), "recycled"), 1);
}

KIT_MADE(test_version_table_start_stamps_and_restart, t, "versions=4 time_bits=8 stamp_bits=10")
{
	struct gputm_version_table_version v;
	uint32_t region, version;

	add(t, 0, 64, 0x1000000, 0);
	add(t, 64, 64, 0x2000000, 0);
	ck_assert_uint_eq(gputm_version_table_start_stamp(t, 0), 1);
	copy(t, 0);
	copy(t, 1);
	ck_assert_int_eq(gputm_version_table_seal(t, 3, 5), -EINVAL);
	ck_assert_int_eq(gputm_version_table_commit(t, 1, 7), -EINVAL);
	ck_assert_int_eq(gputm_version_table_complete_copy(t, 0), 0);
	ck_assert_int_eq(gputm_version_table_complete_copy(t, 1), 0);
	ck_assert_int_eq(gputm_version_table_commit(t, 1, 7), 0);
	ck_assert_int_eq(gputm_version_table_commit(t, 1, 3), 0);
	ck_assert_int_eq(gputm_version_table_commit(t, 0, 1023), -ERANGE);
	ck_assert_int_eq(gputm_version_table_seal(t, 3, 256), OVERFLOW);
	ck_assert_int_eq(gputm_version_table_seal(t, 3, 255), OK);
	ck_assert_uint_eq(gputm_version_table_start_stamp(t, 254), 1);
	ck_assert_uint_eq(gputm_version_table_start_stamp(t, 255), 8);
	copy(t, 1); /* inherits the stamp */
	ck_assert_int_eq(gputm_version_table_acquire(t, 64, 255, &region, &version), OK);
	KIT_REFUSED(-EINVAL, gputm_version_table_restart(t, 1), "references = 1");
	ck_assert_int_eq(gputm_version_table_release(t, region, version), 0);
	ck_assert_int_eq(gputm_version_table_restart(t, 256), -ERANGE);
	ck_assert_int_eq(gputm_version_table_restart(t, 1), 0);
	kit_valid(unit_of(t));
	ck_assert_uint_eq(gputm_version_table_start_stamp(t, 1), 1);
	ck_assert_int_eq(gputm_version_table_get_version(t, 1, version, &v), 0);
	KIT_HAS(v, state, GPUTM_VERSION_TABLE_STATE_READABLE, created, 1);
	ck_assert_uint_eq(kit_stat(unit_of(t), "dropped"), 1);
}

static const struct {
	uint64_t start, length, relocated;
	int result;
} bad_regions[] = {
	{ 0x100000, 0, 0x900000, -EINVAL },	     /* a length of zero */
	{ 0x8003FF, 0x400, 0x900000, -EINVAL },	     /* overlaps version 0 */
	{ 0x810000, 4, 0x900000, -EINVAL },	     /* version 1 */
	{ 0xA00BFF, 4, 0x900000, -EINVAL },	     /* what is relocated */
	{ 0x900000, 0x400, 0x8003FF, -EINVAL },	     /* relocated onto version 0 */
	{ 0x900000, 0x400, 0x910000, -EINVAL },	     /* onto its own version 1 */
	{ 0xFFFD0000, 0x400, 0x900000, -ERANGE },    /* versions end beyond 32 bits */
	{ 0x900000, 0x400, 0xFFFFFFF0, -ERANGE },    /* relocated bytes do */
	{ 0x100000000, 0x400, 0x900000, -ERANGE },
	{ 0x900000, 0x400, 0xB00000, OK },	     /* and this is good */
	{ 0x900400, 0x400, 0xB00C00, OK },	     /* rows apart, bytes in between */
	{ 0x100000, 0x400, 0x200000, GPUTM_VERSION_TABLE_FULL },
};

/* Each address finds its region among as many as a table can have, and none between them. */
KIT_MADE(test_version_table_with_64_regions, t, "versions=2 regions=64")
{
	uint64_t physical;

	for (uint64_t i = 0; i < 64; i++) {
		uint64_t n = i * 37 % 64; /* not in the order of addresses */

		ck_assert_uint_eq(add(t, n << 20, 0x400, (64 + n) << 20, 0), i);
		ck_assert_int_eq(gputm_version_table_resolve(t, n << 20 | 0x3fc, 5, &physical), OK);
		ck_assert_int_eq(gputm_version_table_resolve(t, n << 20 | 0x400, 5, &physical),
				 PLAIN);
	}
	for (uint64_t n = 0; n < 64; n++)
		ck_assert_int_eq(gputm_version_table_resolve(t, n << 20, 5, &physical), OK);
}

KIT_MADE(test_version_table_forgets_its_regions, t, "versions=4")
{
	uint64_t physical = 4711;

	add(t, 0x800000, 0x400, 0xA00000, 0);
	add(t, 0x400000, 0x400, 0xC00000, 0);
	next(t, 0, 3);
	gputm_unit_reset(unit_of(t));
	for (uint64_t at = 0x400000; at <= 0x810000; at += 0x10000) {
		ck_assert_int_eq(gputm_version_table_resolve(t, at, 5, &physical), PLAIN);
		ck_assert_uint_eq(physical, at);
		ck_assert_int_eq(gputm_version_table_resolve_write(t, at, &physical), PLAIN);
		ck_assert_uint_eq(physical, at);
	}
}

KIT_MADE(test_version_table_regions_do_not_overlap, t, "versions=4 regions=3")
{
	uint32_t regions = 0;

	add(t, 0x800000, 0x400, 0xA00000, 0);
	for (size_t i = 0; i < sizeof(bad_regions) / sizeof(bad_regions[0]); i++) {
		uint32_t region = 4711;
		uint64_t digest = kit_digest(unit_of(t));

		ck_assert_int_eq(gputm_version_table_add_region(
					 t, bad_regions[i].start, bad_regions[i].length,
					 bad_regions[i].relocated, 0, &region),
				 bad_regions[i].result);
		ck_assert_uint_eq(region, bad_regions[i].result == OK ? ++regions : 4711);
		ck_assert_int_eq(kit_digest(unit_of(t)) == digest, bad_regions[i].result != OK);
	}
	kit_round_trip(&version_table_maker, unit_of(t));
}

KIT_MADE(test_version_table_misuse_changes_nothing, t, "versions=4 reference_bits=1")
{
	struct gputm_version_table_version v;
	uint64_t physical = 4711;
	uint32_t region = 4711, version = 4711;

	ck_assert_int_eq(gputm_version_table_complete_copy(t, 0), -ERANGE);
	add(t, 0x800000, 0x400, 0xA00000, 9);
	ck_assert_int_eq(gputm_version_table_acquire(t, 0x800000, 9, &region, &version), OK);
	region = version = 4711;
	kit_guard(kit, unit_of(t));
	KIT_REFUSED(-ERANGE, gputm_version_table_acquire(t, 0x800000, 9, &region, &version),
		    "references = 2");
	ck_assert_int_eq(gputm_version_table_acquire(t, 0x700000, 9, &region, &version), PLAIN);
	ck_assert_int_eq(gputm_version_table_acquire(t, UINT32_MAX, 9, &region, &version), PLAIN);
	KIT_REFUSED(-EINVAL, gputm_version_table_release(t, 0, 1), "version 1", "no reference");
	KIT_REFUSED(-ERANGE, gputm_version_table_release(t, 1, 0), "");
	KIT_REFUSED(-ERANGE, gputm_version_table_release(t, 0, 4), "");
	KIT_REFUSED(-EINVAL, gputm_version_table_complete_copy(t, 0), "");
	KIT_REFUSED(-EINVAL, gputm_version_table_seal(t, 1, 20), "");
	KIT_REFUSED(-ERANGE, gputm_version_table_seal(t, 2, 20), "");
	KIT_REFUSED(-ERANGE, gputm_version_table_begin_copy(t, 1, &region, &version), "");
	KIT_REFUSED(-EINVAL, gputm_version_table_commit(t, 0, 1), "");
	KIT_REFUSED(-ERANGE, gputm_version_table_commit(t, 1, 1), "");
	KIT_REFUSED(-ERANGE, gputm_version_table_get_version(t, 0, 4, &v), "0 .. 3");
	KIT_REFUSED(-ERANGE, gputm_version_table_get_version(t, 1, 0, &v), "");
	KIT_REFUSED(-ERANGE, gputm_version_table_resolve(t, UINT64_C(1) << 32, 9, &physical), "");
	KIT_REFUSED(-ERANGE, gputm_version_table_resolve_write(t, UINT64_C(1) << 32, &physical),
		    "");
	KIT_REFUSED(-ERANGE, gputm_version_table_resolve_plain(t, UINT64_C(1) << 32, &physical),
		    "");
	ck_assert_uint_eq(physical, 4711);
	ck_assert_int_ge(gputm_version_table_resolve_write(t, UINT32_MAX, &physical), 0);
	ck_assert_uint_eq(region, 4711);
	ck_assert_uint_eq(version, 4711);
	kit_unchanged(kit);
	copy(t, 0);
	KIT_REFUSED(-EINVAL, gputm_version_table_begin_copy(t, 0, &region, &version), "");
	ck_assert_int_eq(gputm_version_table_complete_copy(t, 0), 0);
	KIT_REFUSED(-EINVAL, gputm_version_table_begin_copy(t, 0, &region, &version), "");
	KIT_REFUSED(-EINVAL, gputm_version_table_seal(t, 1, 9), "now = 9");
	ck_assert_int_eq(gputm_version_table_seal(t, 1, 10), OK);
}

/* ---- random runs: regions, versions, row shift, plain as given, lazy ---- */
static const uint32_t geometry[][5] = {
	{ 3, 4, 8, 0, 0 }, { 5, 2, 8, 1, 0 }, { 8, 16, 9, 0, 1 }, { 1, 8, 10, 0, 0 },
};

static void step_region(struct gputm_version_table *t, struct oracle_version_table *o,
			struct kit_bytes *bytes)
{
	uint64_t start = kit_draw(bytes, 300) * 16, length = kit_draw(bytes, 300);
	uint64_t relocated = 0x8000 + kit_draw(bytes, 300) * 32, now = kit_draw(bytes, 300);
	uint32_t region;

	ck_assert_int_eq(
		gputm_version_table_add_region(t, start, length, relocated, now, &region),
		oracle_version_table_add(o, start, length, relocated, now));
}

static void step_version(struct gputm_version_table *t, struct oracle_version_table *o,
			 struct kit_bytes *bytes, uint64_t *now)
{
	uint32_t region = kit_u32(bytes, o->regions), from, to;
	uint64_t what = kit_draw(bytes, 10), mask = kit_number(bytes, 8);
	uint64_t stamp = kit_draw(bytes, 1000);

	*now += kit_draw(bytes, 3);
	mask &= (UINT64_C(1) << o->regions) - 1;
	if (what < 4) {
		int probe = gputm_version_table_begin_copy_probe(t, region);

		ck_assert_int_eq(gputm_version_table_begin_copy(t, region, &from, &to), probe);
		ck_assert_int_eq(oracle_version_table_begin_copy(o, region), probe);
		if (probe == OK)
			ck_assert_uint_eq(to, (uint32_t)oracle_version_table_in(o, region, 1));
	} else if (what < 7)
		ck_assert_int_eq(gputm_version_table_complete_copy(t, region),
				 oracle_version_table_copied(o, region));
	else if (what < 8)
		ck_assert_int_eq(gputm_version_table_commit(t, region, stamp),
				 oracle_version_table_committed(o, region, stamp));
	else
		mask = what == 8 ? mask : UINT64_C(1) << region;
	if (what >= 8)
		ck_assert_int_eq(gputm_version_table_seal(t, mask, *now),
				 oracle_version_table_seal(o, mask, *now));
	if (kit_draw(bytes, 50) == 0 &&
	    gputm_version_table_restart(t, 1) == oracle_version_table_restart(o, 1) &&
	    !o->stats.references)
		*now = 2;
}

static void step_reference(struct gputm_version_table *t, struct oracle_version_table *o,
			   struct kit_bytes *bytes, uint64_t now)
{
	uint32_t region = kit_u32(bytes, o->regions), got_version = 99, got = 99;
	uint32_t version = kit_u32(bytes, o->config.versions);
	uint64_t time = kit_draw(bytes, now + 2);
	uint64_t address = o->region[region].start + kit_draw(bytes, 400);
	unsigned r = 99, v = 99;
	int result;

	if (kit_draw(bytes, 2)) {
		ck_assert_int_eq(gputm_version_table_release(t, region, version),
				 oracle_version_table_release(o, region, version));
		return;
	}
	result = gputm_version_table_acquire(t, address, time, &got, &got_version);
	ck_assert_int_eq(oracle_version_table_acquire(o, address, time, &r, &v), result);
	if (result != OK)
		return;
	ck_assert_uint_eq(got, r);
	ck_assert_uint_eq(got_version, v);
}

static void compare(const struct gputm_version_table *t, const struct oracle_version_table *o,
		    struct kit_bytes *bytes, uint64_t now)
{
	uint64_t address = kit_draw(bytes, 0x3000), time = kit_draw(bytes, now + 2), got = 0;
	struct gputm_version_table_version is;
	unsigned r = 0, v = 0;
	int result = gputm_version_table_resolve(t, address, time, &got);

	ck_assert_int_eq(oracle_version_table_find(o, address, time, &r, &v), result);
	if (result == OK)
		ck_assert_uint_eq(got, address + v * o->region[r].stride);
	ck_assert_int_eq(gputm_version_table_resolve_plain(t, address, &got), 0);
	ck_assert_uint_eq(got, oracle_version_table_plain(o, address));
	for (r = 0; r < o->regions; r++)
		for (v = 0; v < o->config.versions; v++) {
			ck_assert_int_eq(gputm_version_table_get_version(t, r, v, &is), 0);
			KIT_SAME(is, o->region[r].version[v], state, references, stamp);
			if (is.state == GPUTM_VERSION_TABLE_STATE_READABLE)
				ck_assert_uint_eq(is.created, o->region[r].version[v].created);
		}
}

KIT_DRIVE(version_table, 2 * KIT_COUNT(geometry), 30000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 6), 2 + kit_u32(bytes, 6),
				 8 + kit_u32(bytes, 3), kit_u32(bytes, 2), kit_u32(bytes, 2) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_version_table_config config =
		with("versions=%u regions=%u row_shift=%u plain_as_given=%u lazy=%u time_bits=8 "
		     "stamp_bits=16",
		     g[1], g[0], g[2], g[3], g[4]);
	struct oracle_version_table o;
	uint64_t now = 1;
	struct gputm_version_table *t = make_of(kit, &config);

	ORACLE_OPEN(&o, &config);
	for (KIT_TURNS(version_table, t)) {
		if (!o.regions || kit_draw(bytes, 30) == 0)
			step_region(t, &o, bytes);
		else if (kit_draw(bytes, 2))
			step_version(t, &o, bytes, &now);
		else
			step_reference(t, &o, bytes, now);
		compare(t, &o, bytes, now);
	}
	KIT_STATS_END(version_table, t, &o.stats, ORACLE_VERSION_TABLE_STATS);
}

KIT_MADE(test_version_table_tells_its_observer, t, NULL)
{
	uint32_t region, version;

	add(t, 0x800000, 0x400, 0xA00000, 0);
	ck_assert_int_eq(gputm_version_table_acquire(t, 0x800000, 0, &region, &version), OK);
	next(t, 0, 5);
	ck_assert_int_eq(gputm_version_table_release(t, region, version), 0);
	ck_assert_int_eq(gputm_version_table_restart(t, 0), 0);
	for (unsigned i = 0; i < 7; i++)
		ck_assert_uint_eq(kit_events(i), 1);
}
