/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of last_written: life, Fig. 6.8, presets of Fig. 6.15, ranges, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/last_written.h"

KIT_UNIT(last_written, LAST_WRITTEN);

/* The answer, after making sure that the probe agrees. */
static uint64_t query(struct gputm_last_written *table, uint64_t address)
{
	uint64_t probed = 1, time = 2;

	ck_assert_int_eq(gputm_last_written_query_probe(table, address, &probed), 0);
	ck_assert_int_eq(gputm_last_written_query(table, address, &time), 0);
	ck_assert_uint_eq(probed, time);
	return time;
}

static uint64_t entry(const struct gputm_last_written *table, uint32_t way, uint32_t index)
{
	uint64_t stamp = UINT64_MAX;

	ck_assert_int_eq(gputm_last_written_get_entry(table, way, index, &stamp), 0);
	return stamp;
}

KIT_TEST(test_last_written_configs)
{
	KIT_REFUSED(-EINVAL, refuse(kit, "entries=4 address_bits=16 granularity=65536"),
		    "granularity = 65536");
}

/* 6.4.2 and 6.7.5: 2048 64-bit times are 16 kB; 128 and 4K for the sensitivity. */
KIT_TEST(test_fig_6_15_storage_of_presets)
{
	static const struct {
		const char *name;
		uint64_t times, granularity;
	} expected[] = { { "tcd-2k", 2048, 128 },
			 { "tcd-128", 128, 128 },
			 { "tcd-4k", 4096, 128 },
			 { "tcd-2k-1-sub-array", 2048, 128 },
			 { "tcd-2k-word", 2048, 4 } };

	for (size_t i = 0; i < KIT_COUNT(expected); i++) {
		struct gputm_last_written *table = make(kit, "%s", expected[i].name);

		ck_assert_uint_eq(with("%s", expected[i].name).granularity,
				  expected[i].granularity);
		ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(table)), expected[i].times * 64);
	}
}

/* Rows for 0x10, 0x20, 0x30: hash 1 gives 0, 1, 1 and hash 2 gives 1, 0, 1. */
static void fig_6_8_config(struct gputm_last_written_config *config, uint32_t rows[24])
{
	*config = with("ways=2 entries=2 address_bits=16 granularity=16");
	for (unsigned i = 0; i < 24; i++)
		rows[i] = 0;
	rows[1] = 1;	  /* hash 1 looks at bit 1 of the block, which 0x20 and 0x30 have */
	rows[12] = 1; /* hash 2 at bit 0 of it, which 0x10 and 0x30 have */
	config->h3_rows = rows;
}

static void arrays_are(const struct gputm_last_written *table, uint64_t a, uint64_t b, uint64_t c,
		       uint64_t d)
{
	ck_assert_uint_eq(entry(table, 0, 0), a);
	ck_assert_uint_eq(entry(table, 0, 1), b);
	ck_assert_uint_eq(entry(table, 1, 0), c);
	ck_assert_uint_eq(entry(table, 1, 1), d);
}

KIT_TEST(test_fig_6_8_every_table_state)
{
	struct gputm_last_written_config config;
	const struct gputm_last_written_config *kept;
	struct gputm_last_written *table;
	uint32_t rows[24];

	fig_6_8_config(&config, rows);
	table = make_of(kit, &config);
	kept = gputm_unit_config(unit_of(table));
	ck_assert(kept->h3_rows != rows);
	arrays_are(table, 0, 0, 0, 0);
	ck_assert_uint_eq(query(table, 0x10), 0); /* at 1 */
	ck_assert_int_eq(gputm_last_written_record(table, 0x10, 7), 0);
	arrays_are(table, 7, 0, 0, 7);
	ck_assert_uint_eq(query(table, 0x30), 0); /* at 10 */
	ck_assert_int_eq(gputm_last_written_record(table, 0x20, 15), 0);
	arrays_are(table, 7, 15, 15, 7);
	ck_assert_uint_eq(query(table, 0x20), 15); /* at 18 */
	kit_counts(unit_of(table), "queries=3 records=2");
	kit_valid(unit_of(table));
	kit_round_trip(&last_written_maker, unit_of(table));
}

KIT_MADE(test_last_written_ranges_are_tight, table, "address_bits=16 time_bits=8")
{
	uint64_t time = 4711, cycles;

	ck_assert_int_eq(gputm_last_written_record(table, 0xffff, 255), 0);
	kit_guard(kit, unit_of(table));
	KIT_REFUSED(-ERANGE, gputm_last_written_record(table, 0xffff, 256),
		    "time = 256", "0 .. 255");
	KIT_REFUSED(-ERANGE, gputm_last_written_record(table, 0x10000, 255),
		    "address = 65536", "0 .. 65535");
	KIT_REFUSED(-ERANGE, gputm_last_written_query(table, 0x10000, &time), "");
	KIT_REFUSED(-ERANGE, gputm_last_written_query_probe(table, 0x10000, &time), "");
	ck_assert_uint_eq(time, 4711);
	kit_unchanged(kit);
	gputm_last_written_expire(table, 101, &cycles);
	ck_assert_uint_eq(cycles, 512);
	gputm_last_written_expire(table, 101, &cycles);
	ck_assert_uint_eq(cycles, 0);
	ck_assert_int_eq(gputm_last_written_record(table, 0, 355), 0);
	KIT_REFUSED(-ERANGE, gputm_last_written_record(table, 0, 356), "");
	KIT_REFUSED(-ERANGE, gputm_last_written_record(table, 0, 99), "time = 99", "100 .. 355");
	ck_assert_uint_eq(query(table, 0xffff), 255);
	gputm_last_written_clear(table);
	ck_assert_uint_eq(query(table, 0xffff), 0);
}

/* Ways, entries, time bits, granularity, address bits. */
static const uint32_t geometry[][5] = {
	{ 4, 512, 64, 128, 32 }, { 4, 32, 64, 128, 32 }, { 1, 2, 64, 4, 16 },
	{ 3, 4, 10, 128, 40 },	 { 2, 1, 64, 1, 64 },	 { 8, 16, 12, 4, 20 },
};

static void step(struct gputm_last_written *table, struct oracle_last_written *o, uint64_t *now,
		 struct kit_bytes *bytes)
{
	bool any = kit_draw(bytes, 8) == 0; /* any address and time, in range or not */
	uint64_t address = any ? kit_number(bytes, 3) : kit_draw(bytes, 40) * o->config.granularity;
	uint64_t written = any ? kit_number(bytes, 2) : *now + kit_draw(bytes, 3);
	uint64_t expected = 0, time = 0;
	int error = gputm_last_written_record(table, address, written);

	ck_assert_int_eq(error, oracle_last_written_record(o, address, written));
	*now = !error && written > *now ? written : *now;
	if (!any) {
		address = kit_draw(bytes, 41) * o->config.granularity;
		address += kit_draw(bytes, 4);
	}
	error = gputm_last_written_query(table, address, &time);
	ck_assert_int_eq(error, oracle_last_written_query(o, address, &expected));
	ck_assert_uint_eq(time, expected);
	ck_assert(error || time >= oracle_last_written_truth(o, address));
	if (kit_draw(bytes, 40) == 0) {
		gputm_last_written_expire(table, *now - *now / 4, NULL);
		oracle_last_written_expire(o, *now - *now / 4);
	}
	if (kit_draw(bytes, 150) == 0) {
		gputm_last_written_clear(table);
		oracle_last_written_clear(o);
		*now = 0;
	}
}

KIT_DRIVE(last_written, KIT_COUNT(geometry), 3000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 8), 1u << kit_u32(bytes, 10),
				 2 + kit_u32(bytes, 63), 1u << kit_u32(bytes, 8),
				 16 + kit_u32(bytes, 49) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_last_written_config config =
		with("ways=%u entries=%u time_bits=%u granularity=%u address_bits=%u seed=%d", g[0],
		     g[1], g[2], g[3], g[4], bytes->round);
	struct gputm_last_written *table = NULL;
	struct oracle_last_written o;
	uint64_t now = 0;

	if (gputm_last_written_new(kit->ctx, &config, &table))
		return;
	kit_observe(unit_of(table));
	oracle_last_written_open(&o, &config);
	for (KIT_TURNS(last_written, table))
		step(table, &o, &now, bytes);
	KIT_STATS_END(last_written, table, &o.stats, ORACLE_LAST_WRITTEN_STATS);
	oracle_last_written_close(&o);
}
