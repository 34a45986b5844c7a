/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of recency_bloom: life, the worked example of the thesis, tightness, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/recency_bloom.h"

KIT_UNIT(recency_bloom, RECENCY_BLOOM);

static uint64_t query(const struct gputm_recency_bloom *filter, uint64_t address)
{
	uint64_t stamp = 4711;

	ck_assert_int_eq(gputm_recency_bloom_query(filter, address, &stamp), 0);
	return stamp;
}

static uint64_t entry(const struct gputm_recency_bloom *filter, uint32_t way, uint32_t index,
		      uint32_t which)
{
	uint64_t stamp = UINT64_MAX;

	ck_assert_int_eq(gputm_recency_bloom_get_entry(filter, way, index, which, &stamp), 0);
	return stamp;
}

KIT_TEST(test_recency_bloom_granularity_needs_address_bits)
{
	KIT_REFUSED(-EINVAL, refuse(kit, "address_bits=16 granularity=65536"), "granularity",
		    "65536", "16");
}

KIT_TEST(test_recency_bloom_storage_of_presets)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} expected[] = { { "kilo-tm", 2048 }, { "tcd", 16384 }, { "getm", 8192 } };

	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(make(kit, "%s",
								       expected[i].name))),
				  expected[i].bytes * 8);
}

static void entries_are(const struct gputm_recency_bloom *f, uint64_t a, uint64_t b, uint64_t c,
			uint64_t d)
{
	ck_assert_uint_eq(entry(f, 0, 0, 0), a);
	ck_assert_uint_eq(entry(f, 0, 1, 0), b);
	ck_assert_uint_eq(entry(f, 1, 0, 0), c);
	ck_assert_uint_eq(entry(f, 1, 1, 0), d);
}

/* Hash 1: 0x10->0 0x20->1 0x30->1; hash 2: 0x10->1 0x20->0 0x30->1; both linear. */
KIT_TEST(test_fig_6_8_last_written_time)
{
	struct gputm_recency_bloom_config config =
		with("ways=2 entries=2 granularity=4 address_bits=16");
	uint32_t rows[2 * 14] = { 0 };
	struct gputm_recency_bloom *f;
	uint64_t first_load = 1;

	rows[3] = 1;	  /* way 0: address bit 5 (0x20) */
	rows[14 + 2] = 1; /* way 1: address bit 4 (0x10) */
	config.h3_rows = rows;
	f = make_of(kit, &config);
	entries_are(f, 0, 0, 0, 0);
	ck_assert_uint_eq(query(f, 0x10), 0);
	ck_assert_int_eq(gputm_recency_bloom_update(f, 0x10, 7), 0);
	entries_are(f, 7, 0, 0, 7);
	ck_assert_uint_eq(query(f, 0x30), 0);
	ck_assert_int_eq(gputm_recency_bloom_update(f, 0x20, 15), 0);
	entries_are(f, 7, 15, 15, 7);
	ck_assert_uint_eq(query(f, 0x20), 15);
	ck_assert_uint_gt(query(f, 0x20), first_load);
	kit_round_trip(&recency_bloom_maker, unit_of(f));
}

KIT_TEST(test_recency_bloom_range_is_tight)
{
	struct gputm_recency_bloom_config config = with("stamp_bits=4 address_bits=16");
	uint64_t stamp = 4711, cycles = 4711;
	struct gputm_recency_bloom *f = make_of(kit, &config);

	kit_guard(kit, unit_of(f));
	KIT_REFUSED(-ERANGE, gputm_recency_bloom_update(f, 4, 16),
		    "recency_bloom", "stamp = 16", "0 .. 15");
	KIT_REFUSED(-ERANGE, gputm_recency_bloom_update(f, 1 << 16, 1),
		    "address = 65536", "0 .. 65535");
	KIT_REFUSED(-ERANGE, gputm_recency_bloom_query(f, 1 << 16, &stamp), "");
	KIT_REFUSED(-ENOTSUP, gputm_recency_bloom_query_pair(f, 4, &stamp, &stamp), "");
	KIT_REFUSED(-ENOTSUP, gputm_recency_bloom_update_pair(f, 4, 1, 1), "");
	ck_assert_int_eq(gputm_recency_bloom_update_pair(
				 make(kit, "stamps=2 address_bits=16"), 0xffff, 1, 1), 0);
	ck_assert_uint_eq(stamp, 4711);
	kit_unchanged(kit);

	ck_assert_int_eq(gputm_recency_bloom_update(f, 0xfffc, 15), 0);
	ck_assert_int_eq(gputm_recency_bloom_update(f, 4, 9), 0);
	gputm_recency_bloom_expire(f, 10, &cycles);
	ck_assert_uint_eq(cycles, config.entries);
	ck_assert_uint_eq(gputm_recency_bloom_base(f), 9);
	ck_assert_uint_eq(query(f, 4), 0);
	ck_assert_uint_eq(query(f, 0xfffc), 15);
	KIT_REFUSED(-ERANGE, gputm_recency_bloom_update(f, 4, 8), "");
	KIT_REFUSED(-ERANGE, gputm_recency_bloom_update(f, 4, 25), "");
	ck_assert_int_eq(gputm_recency_bloom_update(f, 4, 24), 0);
	ck_assert_uint_eq(query(f, 4), 24);
	gputm_recency_bloom_expire(f, 3, &cycles);
	ck_assert_uint_eq(cycles, 0);
	ck_assert_uint_eq(query(f, 4), 24);
	gputm_recency_bloom_expire(f, 10000, NULL);
	ck_assert_uint_eq(query(f, 4), 0);
	ck_assert_int_eq(gputm_recency_bloom_update(f, 4, 10000), 0);
	ck_assert_uint_eq(query(f, 4), 10000);
	gputm_recency_bloom_clear(f);
	ck_assert_uint_eq(query(f, 4), 0);
	ck_assert_uint_eq(gputm_recency_bloom_base(f), 0);
}

/* A single stamp is the first of its pair, in four ways, as is usual, or two. */
KIT_TESTS(test_recency_bloom_takes_a_single_stamp_into_a_pair, 2)
{
	struct gputm_recency_bloom *f = make(kit, "stamps=2 ways=%d", _i ? 2 : 4);
	uint64_t first, second;

	for (uint64_t i = 0; i < 100; i++) {
		ck_assert_int_eq(gputm_recency_bloom_update(f, 4 * i, 100 + i), 0);
		ck_assert_int_eq(gputm_recency_bloom_query_pair(f, 4 * i, &first, &second), 0);
		ck_assert_uint_eq(first, 100 + i);
		ck_assert_uint_eq(second, 0);
	}
}

KIT_MADE(test_recency_bloom_query_gives_the_first_of_two_stamps, f, "stamps=2")
{
	uint64_t first, second;

	for (uint64_t i = 0; i < 64; i++)
		ck_assert_int_eq(gputm_recency_bloom_update_pair(f, 4 * i, 100 + i, 300 - i), 0);
	for (uint64_t i = 0; i < 64; i++) {
		ck_assert_int_eq(gputm_recency_bloom_query_pair(f, 4 * i, &first, &second), 0);
		ck_assert_uint_ge(second, 300 - i);
		ck_assert_uint_eq(query(f, 4 * i), first);
	}
}

KIT_MADE(test_recency_bloom_widest_stamps, f, "stamp_bits=64 address_bits=64 empty_stamp=3")
{
	ck_assert_uint_eq(query(f, UINT64_MAX), 3);
	ck_assert_int_eq(gputm_recency_bloom_update(f, UINT64_MAX, UINT64_MAX), 0);
	ck_assert_uint_eq(query(f, UINT64_MAX), UINT64_MAX);
	gputm_recency_bloom_expire(f, UINT64_MAX, NULL);
	ck_assert_uint_eq(query(f, UINT64_MAX), UINT64_MAX);
	KIT_REFUSED(-ERANGE, gputm_recency_bloom_update(f, 8, UINT64_MAX - 2),
		    "stamp = 18446744073709551613", "18446744073709551614 .. 18446744073709551615");
}

/* Geometries of the random runs: ways, entries, stamp bits, stamps, granularity, address bits. */
static const uint32_t geometry[][6] = {
	{ 4, 256, 16, 1, 4, 32 }, { 1, 1, 8, 1, 4, 16 },   { 4, 2, 6, 1, 1, 40 },
	{ 2, 16, 5, 2, 32, 24 },  { 8, 512, 9, 1, 4, 64 }, { 3, 4, 64, 2, 128, 32 },
};

static void compare(const struct gputm_recency_bloom *f, const struct oracle_recency_bloom *o,
		    uint64_t address)
{
	uint64_t stamp[2] = { 0, 0 };

	if (o->config.stamps == 2)
		ck_assert_int_eq(
			gputm_recency_bloom_query_pair(f, address, &stamp[0], &stamp[1]), 0);
	else
		stamp[0] = query(f, address);
	for (unsigned which = 0; which < o->config.stamps; which++) {
		ck_assert_uint_eq(stamp[which], oracle_recency_bloom_query(o, address, which));
		ck_assert_uint_ge(stamp[which], oracle_recency_bloom_truth(o, address, which));
	}
}

static void update(struct gputm_recency_bloom *f, struct oracle_recency_bloom *o, uint64_t address,
		   uint64_t first, uint64_t second)
{
	uint64_t base = gputm_recency_bloom_base(f);
	uint64_t most = UINT64_MAX >> (64 - o->config.stamp_bits);
	bool two = o->config.stamps == 2;
	bool good = first - base <= most && (!two || second - base <= most) && first >= base &&
		    (!two || second >= base);
	int error;

	error = two ? gputm_recency_bloom_update_pair(f, address, first, second)
		    : gputm_recency_bloom_update(f, address, first);
	ck_assert_int_eq(error, good ? 0 : -ERANGE);
	if (good)
		oracle_recency_bloom_update(o, address, first, second);
	compare(f, o, address);
}

static void expire(struct gputm_recency_bloom *f, struct oracle_recency_bloom *o, uint64_t floor)
{
	uint64_t base = gputm_recency_bloom_base(f);

	gputm_recency_bloom_expire(f, floor, NULL);
	ck_assert_uint_eq(gputm_recency_bloom_base(f), floor > base + 1 ? floor - 1 : base);
	if (floor > base + 1)
		oracle_recency_bloom_expire(o, floor);
}

static void step(struct gputm_recency_bloom *f, struct oracle_recency_bloom *o,
		 struct kit_bytes *bytes, uint64_t *now)
{
	uint64_t window = UINT64_C(1) << (o->config.stamp_bits < 10 ? o->config.stamp_bits - 1 : 9);
	uint64_t what = kit_draw(bytes, 256), base = gputm_recency_bloom_base(f), first, second;

	if (what == 0) {
		gputm_recency_bloom_clear(f);
		oracle_recency_bloom_clear(o);
		*now = 0;
	} else if (what < 4) {
		expire(f, o, kit_number(bytes, 2));
	} else if (what < 20) {
		first = kit_number(bytes, 2);
		second = kit_number(bytes, 2);
		update(f, o, second, first, kit_number(bytes, 2));
	}
	if (*now >= base + window)
		expire(f, o, *now - window / 2);
	base = gputm_recency_bloom_base(f);
	*now = (*now > base ? *now : base) + what % 2;
	first = base + kit_draw(bytes, *now - base + 1);
	second = base + kit_draw(bytes, *now - base + 1);
	update(f, o, kit_draw(bytes, 97) << 2, first, second);
	compare(f, o, kit_draw(bytes, 97) << 2);
}

KIT_DRIVE(recency_bloom, KIT_COUNT(geometry), 4000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 8),   1u << kit_u32(bytes, 5),
				 2 + kit_u32(bytes, 14),  1 + kit_u32(bytes, 2),
				 1u << kit_u32(bytes, 8), 32 };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_recency_bloom_config config = with(
		"ways=%u entries=%u stamp_bits=%u stamps=%u granularity=%u address_bits=%u seed=%d",
		g[0], g[1], g[2], g[3], g[4], g[5], bytes->round);
	struct oracle_recency_bloom o;
	uint64_t now = 1;
	struct gputm_recency_bloom *f = make_of(kit, &config);

	oracle_recency_bloom_open(&o, &config);
	for (KIT_TURNS(recency_bloom, f))
		step(f, &o, bytes, &now);
	KIT_STATS_END(recency_bloom, f, &o.stats, ORACLE_RECENCY_BLOOM_STATS);
	oracle_recency_bloom_close(&o);
}

KIT_MADE(test_recency_bloom_tells_its_observer, f, NULL)
{
	ck_assert_int_eq(gputm_recency_bloom_update(f, 4, 5), 0);
	gputm_recency_bloom_expire(f, 6, NULL);
	kit_unobserve();
	ck_assert_int_eq(gputm_recency_bloom_update(f, 4, 7), 0);
	ck_assert_uint_eq(kit_events(GPUTM_RECENCY_BLOOM_EVENT_UPDATE), 1);
	ck_assert_uint_eq(kit_events(GPUTM_RECENCY_BLOOM_EVENT_EXPIRE), 1);
}
