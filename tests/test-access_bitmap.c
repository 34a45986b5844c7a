/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of access_bitmap: life, runs, edges of the region, misuse, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/access_bitmap.h"

KIT_UNIT(access_bitmap, ACCESS_BITMAP);

static void record(struct gputm_access_bitmap *bitmap, uint64_t address)
{
	ck_assert_int_eq(gputm_access_bitmap_record(bitmap, address), 0);
}

static int query(struct gputm_access_bitmap *bitmap, uint64_t address)
{
	return gputm_access_bitmap_query(bitmap, address);
}

/* Is the next run from `from` on this one? bytes 0: there is none. */
static void expect_run(const struct gputm_access_bitmap *bitmap, uint64_t from, uint64_t address,
		       uint64_t bytes)
{
	struct gputm_access_bitmap_run run = { 4711, 4711 };

	ck_assert_int_eq(gputm_access_bitmap_next_run(bitmap, from, &run), bytes != 0);
	KIT_HAS(run, address, bytes ? address : 4711, bytes, bytes ? bytes : 4711);
}

/* The last group of words is cut: to clear it, or to count its marks, stops at the region's end. */
KIT_TEST(test_access_bitmap_ends_in_a_group)
{
	for (unsigned words = 65; words <= 128; words++) {
		struct gputm_access_bitmap *bitmap =
			make(kit, "granule=64 region_bytes=%u", words * 64 * 64);

		record(bitmap, (words * 64 - 1) * 64);
		ck_assert_uint_eq(gputm_access_bitmap_marked(bitmap), 1);
		kit_valid(unit_of(bitmap));
		gputm_access_bitmap_clear(bitmap);
		ck_assert_uint_eq(gputm_access_bitmap_marked(bitmap), 0);
		kit_free(kit, &access_bitmap_maker, unit_of(bitmap)); /* looks behind the end */
	}
}

/* The example that opens the source. */
KIT_MADE(test_access_bitmap_joins_runs, bitmap, "region_bytes=1048576 granule=16384")
{
	record(bitmap, 0x100);
	record(bitmap, 0x3fff);
	record(bitmap, 0x4000);
	record(bitmap, 0x12345);
	ck_assert_uint_eq(gputm_access_bitmap_marked(bitmap), 3);
	expect_run(bitmap, 0, 0, 0x8000);
	expect_run(bitmap, 0x4000, 0x4000, 0x4000);
	expect_run(bitmap, 0x8000, 0x10000, 0x4000);
	expect_run(bitmap, 0x14000, 0, 0);
	ck_assert_int_eq(query(bitmap, 0x13fff), 1);
	ck_assert_int_eq(query(bitmap, 0x14000), 0);
	kit_valid(unit_of(bitmap));
	kit_round_trip(&access_bitmap_maker, unit_of(bitmap));
	gputm_access_bitmap_clear(bitmap);
	expect_run(bitmap, 0, 0, 0);
	ck_assert_int_eq(query(bitmap, 0x100), 0);
	kit_counts(unit_of(bitmap), "cleared=3 maximum_marked=3 made=4");
}

/* The essay's example: marks of 2 bits have numbers 1 to 3, and the map is written after these. */
KIT_MADE(test_access_bitmap_numbers_its_rounds, bitmap, "region_bytes=4096 granule=4 mark_bits=2")
{
	for (unsigned round = 1; round <= 7; round++) {
		record(bitmap, 4 * round);
		ck_assert_int_eq(query(bitmap, 4 * round), 1);
		ck_assert_uint_eq(gputm_access_bitmap_marked(bitmap), 1);
		kit_round_trip(&access_bitmap_maker, unit_of(bitmap));
		gputm_access_bitmap_clear(bitmap);
		ck_assert_int_eq(query(bitmap, 4 * round), 0);
		ck_assert_uint_eq(kit_stat(unit_of(bitmap), "wipes"), round / 3);
		kit_valid(unit_of(bitmap));
	}
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(bitmap)), 2048);
}

/* The maps of the authors' code: 150 MB of bytes for 600 MB. */
KIT_MADE(test_access_bitmap_of_bytes, bitmap, "authors-read")
{
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(bitmap)), UINT64_C(157286400) * 8);
	for (unsigned i = 0; i < 255; i++)
		gputm_access_bitmap_clear(bitmap);
	ck_assert_uint_eq(kit_stat(unit_of(bitmap), "wipes"), 1);
}

/* Marks that no counter would hold at the next clear are not taken for a state. */
KIT_TEST(test_access_bitmap_counts_below_2_63)
{
	struct gputm_access_bitmap *bitmap = make(kit, "region_bytes=4096 granule=4");
	const char *const many = "access_bitmap: I3: more marks were made than can be counted";

	for (int i = 0; i < 57; i++)
		record(bitmap, 8);
	ck_assert_str_eq(kit_damaged(unit_of(bitmap), 57, UINT64_C(1) << 63), many);
	ck_assert_ptr_null(kit_damaged(unit_of(bitmap), 57, (UINT64_C(1) << 63) - 1));
	gputm_access_bitmap_clear(bitmap);
	record(bitmap, 8);
	ck_assert_str_eq(kit_damaged(unit_of(bitmap), 57, (UINT64_C(1) << 63) - 1), many);
	ck_assert_ptr_null(kit_damaged(unit_of(bitmap), 57, (UINT64_C(1) << 63) - 2));
}

/* Two words of one group have one count; a word of the next group would need another. */
KIT_TEST(test_access_bitmap_counts_each_group)
{
	struct gputm_access_bitmap *bitmap = make(kit, "region_bytes=32768 granule=4");
	const uint64_t some = 0x1234567;

	for (int bit = 0; bit < 32; bit++)
		if (some >> bit & 1)
			record(bitmap, (62 * 64 + (unsigned)bit) * 4);
	record(bitmap, 63 * 64 * 4);
	KIT_REFUSED(-EINVAL, kit_forged_whole(unit_of(bitmap), some, 8, 8, 64),
		    "fewer marks were made than there are");
	ck_assert_int_eq(query(bitmap, 64 * 64 * 4), 0); /* what was read until then is gone */
	ck_assert_int_eq(kit_forged_whole(unit_of(bitmap), some, 8, 8, 63), 0);
}

/* Runs over word and summary borders, and the last granule that is not whole. */
KIT_TEST(test_access_bitmap_runs_end_with_the_region)
{
	uint64_t region = 4 * 64 * 64 * 3 + 6; /* three summaries, one granule and a half */
	struct gputm_access_bitmap *bitmap =
		make(kit, "region_bytes=%llu granule=4", (unsigned long long)region);

	for (uint64_t at = 0; at < region; at += 4)
		record(bitmap, at);
	expect_run(bitmap, 0, 0, region);
	expect_run(bitmap, region - 1, region - 2, 2);
	expect_run(bitmap, region, 0, 0);
	expect_run(bitmap, UINT64_MAX, 0, 0);
	ck_assert_uint_eq(gputm_access_bitmap_marked(bitmap), region / 4 + 1);
	gputm_access_bitmap_clear(bitmap);
	record(bitmap, region - 1);
	record(bitmap, 63 * 4);
	record(bitmap, 64 * 4);
	expect_run(bitmap, 0, 63 * 4, 8);
	expect_run(bitmap, 65 * 4, region - 2, 2);
}

/* V: 600 MB at 4 B per bit; marks far apart are found without looking at what is between. */
KIT_TEST(test_access_bitmap_tracks_600_megabytes)
{
	uint64_t region = 629145600, at = 0;
	struct gputm_access_bitmap *bitmap = NULL;
	struct gputm_access_bitmap_run run;
	unsigned runs = 0;

	ck_assert_int_eq(gputm_access_bitmap_new(NULL, NULL, &bitmap), 0);
	for (uint64_t i = 0; i < 1000; i++)
		record(bitmap, i * (region / 1000));
	for (; gputm_access_bitmap_next_run(bitmap, at, &run); at = run.address + run.bytes)
		ck_assert_uint_eq(run.address, runs++ * (region / 1000) / 4 * 4);
	ck_assert_uint_eq(runs, 1000);
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(bitmap)), region / 4);
	/* The snapshot holds the words in use, not the region. */
	ck_assert_uint_lt(gputm_unit_save(unit_of(bitmap), NULL, 0), 30000);
	gputm_access_bitmap_free(bitmap);
}

KIT_MADE(test_access_bitmap_misuse_changes_nothing, bitmap, "region_bytes=1001 granule=4")
{
	record(bitmap, 1000);
	kit_guard(kit, unit_of(bitmap));
	KIT_REFUSED(-ERANGE, gputm_access_bitmap_record(bitmap, 1001),
		    "access_bitmap", "address = 1001", "0 .. 1000");
	KIT_REFUSED(-ERANGE, gputm_access_bitmap_query(bitmap, 1001), "");
	kit_unchanged(kit);
}

/* bytes of the region, granule, bits of a mark */
static const uint32_t geometry[][3] = {
	{ 1, 4, 1 }, { 4096, 4, 3 }, { 65536, 64, 1 }, { 99999, 16, 2 }, { 1 << 22, 16384, 1 },
};

static void step(struct gputm_access_bitmap *bitmap, struct oracle_access_bitmap *o,
		 struct kit_bytes *bytes)
{
	uint64_t address = kit_draw(bytes, o->config.region_bytes + 3);
	struct gputm_access_bitmap_run run = { 1, 1 }, expected = { 1, 1 };

	ck_assert_int_eq(query(bitmap, address), oracle_access_bitmap_query(o, address));
	if (o->count < ORACLE_ACCESS_BITMAP_MOST && kit_draw(bytes, 2))
		ck_assert_int_eq(gputm_access_bitmap_record(bitmap, address),
				 oracle_access_bitmap_record(o, address));
	ck_assert_int_eq(gputm_access_bitmap_next_run(bitmap, address, &run),
			 oracle_access_bitmap_next(o, address, &expected));
	KIT_SAME(run, expected, address, bytes);
	ck_assert_uint_eq(gputm_access_bitmap_marked(bitmap), o->count);
	if (kit_draw(bytes, 256) == 0) {
		gputm_access_bitmap_clear(bitmap);
		oracle_access_bitmap_clear(o);
	}
}

KIT_DRIVE(access_bitmap, KIT_COUNT(geometry), 15000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 65536), 4u << kit_u32(bytes, 8),
				 1 + kit_u32(bytes, 4) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_access_bitmap *bitmap = make(
		kit, "region_bytes=%u granule=%u mark_bits=%u", g[0], g[1], g[2]);
	struct oracle_access_bitmap o;

	ORACLE_OPEN(&o, gputm_unit_config(unit_of(bitmap)));
	for (KIT_TURNS(access_bitmap, bitmap))
		step(bitmap, &o, bytes);
	KIT_STATS_END(access_bitmap, bitmap, &o.stats, ORACLE_ACCESS_BITMAP_STATS);
}

KIT_MADE(test_access_bitmap_tells_its_observer, bitmap, "region_bytes=4096 granule=4")
{
	kit_observe(unit_of(bitmap));
	record(bitmap, 0);
	record(bitmap, 3);
	record(bitmap, 4);
	gputm_access_bitmap_clear(bitmap);
	KIT_TOLD("clear", 1, 2, 3);
	record(bitmap, 4);
	gputm_access_bitmap_clear(bitmap);
	KIT_TOLD("clear", 2, 1, 1);
	ck_assert_uint_eq(kit_stat(unit_of(bitmap), "clears"), 2);
}
