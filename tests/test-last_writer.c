/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of last_writer: life, the thesis' sizes, directed cases, tightness, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/last_writer.h"

KIT_UNIT(last_writer, LAST_WRITER);
#define SMALL "sets=1 ways=2 filter_ways=2 filter_buckets=4 cid_bits=4"


/* One set of two ways, before a filter of 2 x 4. */
static uint64_t stat_of(struct gputm_last_writer *history, const char *name)
{
	return kit_stat(unit_of(history), name);
}

#define assert_writer(HISTORY, ADDRESS, RESULT, CID)                                               \
	do {                                                                                       \
		uint64_t writer_ = UINT64_MAX;                                                     \
		ck_assert_int_eq(gputm_last_writer_lookup(HISTORY, ADDRESS, &writer_), RESULT);    \
		ck_assert_uint_eq(writer_, CID);                                                   \
	} while (0)
#define assert_no_writer(HISTORY, ADDRESS)                                                     \
	assert_writer(HISTORY, ADDRESS, GPUTM_LAST_WRITER_NONE, UINT64_MAX)

/* ---- the thesis' sizes ---- */

KIT_MADE(test_section_4_4_3_storage, history, "kilo-tm")
{
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(history)), 5 * 1024 * 8);
	kit_valid(unit_of(history));
	history = make(kit, "small");
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(history)), 512 * 8);
}

/* ---- directed ---- */

/* The example at the head of lib/kilotm/last_writer.c. */
KIT_MADE(test_last_writer_worked_example, history, SMALL)
{
	ck_assert_int_eq(gputm_last_writer_record(history, 0xa0, 3), GPUTM_LAST_WRITER_FILLED);
	ck_assert_int_eq(gputm_last_writer_record(history, 0xb0, 3), GPUTM_LAST_WRITER_FILLED);
	ck_assert_int_eq(gputm_last_writer_record(history, 0xb0, 4), GPUTM_LAST_WRITER_REPLACED);
	assert_no_writer(history, 0xc0);
	ck_assert_int_eq(gputm_last_writer_record(history, 0xc0, 5), GPUTM_LAST_WRITER_EVICTED);
	assert_writer(history, 0xa0, GPUTM_LAST_WRITER_FILTER, 3);
	ck_assert_int_eq(gputm_last_writer_record(history, 0xa0, 6), GPUTM_LAST_WRITER_EVICTED);
	assert_writer(history, 0xa0, GPUTM_LAST_WRITER_EXACT, 6);
	assert_writer(history, 0xb0, GPUTM_LAST_WRITER_FILTER, 4);
	assert_writer(history, 0xc0, GPUTM_LAST_WRITER_EXACT, 5);
}

KIT_MADE(test_last_writer_victim_is_the_lowest_way_among_equals, history,
	 "sets=1 ways=3 filter_ways=2 filter_buckets=4 cid_bits=4")
{
	for (uint64_t address = 0; address < 12; address += 4)
		ck_assert_int_ge(gputm_last_writer_record(history, address, 2), 0);
	ck_assert_int_eq(gputm_last_writer_record(history, 12, 2), GPUTM_LAST_WRITER_EVICTED);
	assert_writer(history, 0, GPUTM_LAST_WRITER_FILTER, 2);
	assert_writer(history, 4, GPUTM_LAST_WRITER_EXACT, 2);
	assert_writer(history, 8, GPUTM_LAST_WRITER_EXACT, 2);
}

/* The filter's bucket is younger than the word's writer, which the table knows. */
KIT_TEST(test_last_writer_table_hit_is_final)
{
	static const uint32_t rows[30] = { 1 };
	struct gputm_last_writer_config config =
		with("sets=2 ways=1 filter_ways=1 filter_buckets=1 cid_bits=4");
	struct gputm_last_writer *history;

	config.table_rows = rows;
	history = make_of(kit, &config);
	ck_assert_int_eq(gputm_last_writer_record(history, 0, 1), GPUTM_LAST_WRITER_FILLED);
	ck_assert_int_eq(gputm_last_writer_record(history, 4, 5), GPUTM_LAST_WRITER_FILLED);
	ck_assert_int_eq(gputm_last_writer_record(history, 12, 6), GPUTM_LAST_WRITER_EVICTED);
	assert_writer(history, 8, GPUTM_LAST_WRITER_FILTER, 5);
	assert_writer(history, 0, GPUTM_LAST_WRITER_EXACT, 1);
}

KIT_MADE(test_last_writer_bytes_of_a_word_share_its_writer, history, SMALL " word_bytes=8")
{
	ck_assert_int_ge(gputm_last_writer_record(history, 0x13, 1), 0);
	assert_writer(history, 0x10, GPUTM_LAST_WRITER_EXACT, 1);
	assert_writer(history, 0x17, GPUTM_LAST_WRITER_EXACT, 1);
	assert_no_writer(history, 0x18);
	assert_no_writer(history, 0x0f);
}

/* Words of one set do not share a bucket, even where set and bucket are as many. */
KIT_MADE(test_last_writer_table_and_filter_hash_differently, history,
	 "sets=64 ways=1 filter_ways=1 filter_buckets=64")
{
	uint64_t address = 4, cid;
	unsigned sharing = 0, apart = 0;

	ck_assert_int_ge(gputm_last_writer_record(history, 0, 1), 0);
	while (gputm_last_writer_record_probe(history, address, 2) != GPUTM_LAST_WRITER_EVICTED)
		address += 4;
	ck_assert_int_ge(gputm_last_writer_record(history, address, 2), 0);
	for (address = 4; address < 1 << 16; address += 4) {
		if (gputm_last_writer_record_probe(history, address, 2) !=
		    GPUTM_LAST_WRITER_EVICTED)
			continue;
		sharing++;
		apart += gputm_last_writer_lookup(history, address, &cid) ==
			 GPUTM_LAST_WRITER_NONE;
	}
	ck_assert_uint_ge(sharing, 100);
	ck_assert_uint_ge(apart, sharing * 9 / 10);
}

/* Rows brought by the caller: a linear table of 4 sets by word number, 1 way. */
KIT_TEST(test_last_writer_rows_of_the_caller)
{
	struct gputm_last_writer_config config =
		with("sets=4 ways=1 filter_ways=2 filter_buckets=4 cid_bits=4");
	struct gputm_last_writer *history;
	uint32_t rows[30] = { 1, 2 };

	config.table_rows = rows;
	history = make_of(kit, &config);
	rows[0] = 3;
	ck_assert_int_eq(gputm_last_writer_record(history, 4, 1), GPUTM_LAST_WRITER_FILLED);
	ck_assert_int_eq(gputm_last_writer_record(history, 8, 1), GPUTM_LAST_WRITER_FILLED);
	ck_assert_int_eq(gputm_last_writer_record(history, 12, 1), GPUTM_LAST_WRITER_FILLED);
	ck_assert_int_eq(gputm_last_writer_record(history, 20, 1), GPUTM_LAST_WRITER_EVICTED);
	kit_valid(unit_of(history));
	rows[0] = 4;
	ck_assert_int_eq(gputm_last_writer_new(NULL, &config, &history), -EINVAL);
}

/* All addresses in one bucket of the filter: the writer that the table has lost is anybody's. */
KIT_TEST(test_last_writer_rows_of_the_caller_for_the_filter)
{
	struct gputm_last_writer_config config =
		with("sets=4 ways=1 filter_ways=2 filter_buckets=4 cid_bits=4");
	uint32_t rows[60] = { 0 };
	const struct gputm_last_writer_config *kept;
	struct gputm_last_writer *history;
	uint64_t cid;

	config.filter_rows = rows;
	history = make_of(kit, &config);
	kept = gputm_unit_config(unit_of(history));
	ck_assert(kept->filter_rows != rows);
	rows[0] = 3;
	for (uint64_t word = 0; word < 5; word++)
		ck_assert_int_ge(gputm_last_writer_record(history, 4 * word, 7), 0);
	for (uint64_t word = 5; word < 40; word++) {
		ck_assert_int_eq(gputm_last_writer_lookup(history, 4 * word, &cid),
				 GPUTM_LAST_WRITER_FILTER);
		ck_assert_uint_eq(cid, 7);
	}
}

/* ---- tightness ---- */

static void both(struct gputm_last_writer *history, uint64_t address, uint64_t cid, int expected)
{
	uint64_t records = stat_of(history, "records");

	ck_assert_int_eq(gputm_last_writer_record_probe(history, address, cid), expected);
	ck_assert_uint_eq(stat_of(history, "records"), records);
	ck_assert_int_eq(gputm_last_writer_record(history, address, cid), expected);
	ck_assert_uint_eq(stat_of(history, "records"), records + (expected >= 0));
}

KIT_MADE(test_last_writer_commit_ids_only_grow, history, SMALL)
{
	both(history, 0, 5, GPUTM_LAST_WRITER_FILLED);
	both(history, 0, 4, -ERANGE);
	both(history, 0, 5, GPUTM_LAST_WRITER_REPLACED);
}

KIT_MADE(test_last_writer_commit_id_range, history, SMALL)
{
	uint64_t cycles;

	ck_assert_uint_eq(gputm_last_writer_limit(history), 14);
	both(history, 0, 14, GPUTM_LAST_WRITER_FILLED);
	both(history, 4, 15, -ERANGE);
	ck_assert_int_eq(gputm_last_writer_expire(history, 1, &cycles), 0);
	both(history, 4, 15, GPUTM_LAST_WRITER_FILLED);
	both(history, 4, 16, -ERANGE);
	ck_assert_int_eq(gputm_last_writer_expire(history, 16, &cycles), 0);
	both(history, 4, 15, -ERANGE);
	both(history, 4, 16, GPUTM_LAST_WRITER_FILLED);
}

KIT_MADE(test_last_writer_address_range, history, SMALL " address_bits=20")
{
	uint64_t cid = 7;

	both(history, 0xfffff, 1, GPUTM_LAST_WRITER_FILLED);
	both(history, 0x100000, 1, -ERANGE);
	ck_assert_int_ge(gputm_last_writer_lookup(history, 0xfffff, &cid), 0);
	ck_assert_uint_eq(cid, 1);
	ck_assert_int_ge(gputm_last_writer_lookup_probe(history, 0xfffff, &cid), 0);
	cid = 7;
	ck_assert_int_eq(gputm_last_writer_lookup(history, 0x100000, &cid), -ERANGE);
	ck_assert_int_eq(gputm_last_writer_lookup_probe(history, 0x100000, &cid), -ERANGE);
	ck_assert_uint_eq(cid, 7);
}

KIT_MADE(test_last_writer_expire, history, SMALL)
{
	uint64_t cycles = 99;

	ck_assert_int_ge(gputm_last_writer_record(history, 0, 3), 0);
	ck_assert_int_ge(gputm_last_writer_record(history, 4, 4), 0);
	ck_assert_int_ge(gputm_last_writer_record(history, 8, 5), 0);
	ck_assert_int_eq(gputm_last_writer_expire(history, 0, &cycles), 0);
	ck_assert_uint_eq(cycles, 0);
	ck_assert_int_eq(gputm_last_writer_expire(history, 3, &cycles), 0);
	ck_assert_uint_eq(cycles, 4);
	assert_writer(history, 0, GPUTM_LAST_WRITER_FILTER, 3);
	assert_writer(history, 4, GPUTM_LAST_WRITER_EXACT, 4);
	ck_assert_int_eq(gputm_last_writer_expire(history, 4, NULL), 0);
	assert_no_writer(history, 0);
	assert_writer(history, 4, GPUTM_LAST_WRITER_EXACT, 4);
	ck_assert_int_eq(gputm_last_writer_expire(history, 5, &cycles), 0);
	assert_no_writer(history, 4);
	assert_writer(history, 8, GPUTM_LAST_WRITER_EXACT, 5);
	ck_assert_uint_eq(gputm_last_writer_base(history), 5);
	ck_assert_uint_eq(stat_of(history, "sweep_cycles"), 12);
	ck_assert_int_eq(gputm_last_writer_expire(history, 1000, NULL), 0);
	assert_no_writer(history, 8);
	both(history, 8, 1000, GPUTM_LAST_WRITER_FILLED);
}

/* The widest field, at the highest base: nothing wraps. */
KIT_MADE(test_last_writer_widest_commit_ids, history,
	 "sets=1 ways=2 filter_ways=2 filter_buckets=4 cid_bits=63")
{
	uint64_t top = UINT64_C(1) << 63;

	both(history, 0, top - 2, GPUTM_LAST_WRITER_FILLED);
	both(history, 0, top - 1, -ERANGE);
	ck_assert_int_eq(gputm_last_writer_expire(history, top, NULL), 0);
	ck_assert_int_eq(gputm_last_writer_expire(history, top + 1, NULL), -ERANGE);
	both(history, 0, UINT64_MAX - 1, GPUTM_LAST_WRITER_FILLED);
	both(history, 0, UINT64_MAX, -ERANGE);
	both(history, 4, UINT64_MAX - 1, GPUTM_LAST_WRITER_FILLED);
	both(history, 8, UINT64_MAX - 1, GPUTM_LAST_WRITER_EVICTED);
	assert_writer(history, 0, GPUTM_LAST_WRITER_FILTER, UINT64_MAX - 1);
}

/* ---- observer ---- */

KIT_MADE(test_last_writer_observer, history,
	 "sets=1 ways=1 filter_ways=2 filter_buckets=4 cid_bits=4")
{
	kit_observe(unit_of(history));
	ck_assert_int_ge(gputm_last_writer_record(history, 1, 3), 0);
	KIT_TOLD("record", 1, 0, 3, GPUTM_LAST_WRITER_FILLED);
	assert_writer(history, 2, GPUTM_LAST_WRITER_EXACT, 3);
	KIT_TOLD("lookup", 1, 0, GPUTM_LAST_WRITER_EXACT, 3);
	ck_assert_int_ge(gputm_last_writer_record(history, 8, 4), 0);
	KIT_TOLD("evict", 1, 0, 3, 0);
	KIT_TOLD("record", 2, 8, 4, GPUTM_LAST_WRITER_EVICTED);
	assert_no_writer(history, 0x40);
	KIT_TOLD("lookup", 2, 0x40, GPUTM_LAST_WRITER_NONE, 0);
	ck_assert_int_eq(gputm_last_writer_expire(history, 5, NULL), 0);
	KIT_TOLD("expire", 1, 5, 1, 4);
}

/* ---- random ---- */

/* sets, ways, filter ways, filter buckets, CID bits, address bits, word bytes */
static const uint32_t geometry[][7] = {
	{ 128, 4, 4, 256, 16, 32, 4 }, { 16, 4, 4, 16, 8, 32, 4 }, { 1, 1, 1, 1, 2, 16, 4 },
	{ 4, 2, 8, 2, 5, 64, 1 },      { 2, 3, 3, 4, 63, 20, 64 }, { 1, 8, 2, 8, 4, 40, 4 },
};

static struct gputm_last_writer_config config_of(struct kit_bytes *bytes)
{
	const uint32_t any[] = { 1u << kit_u32(bytes, 4), 1 + kit_u32(bytes, 4),
				 1 + kit_u32(bytes, 4),	  1u << kit_u32(bytes, 4),
				 2 + kit_u32(bytes, 8),	  32,
				 4 };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_last_writer_config config =
		with("sets=%u ways=%u filter_ways=%u filter_buckets=%u cid_bits=%u address_bits=%u "
		     "word_bytes=%u seed=%d",
		     g[0], g[1], g[2], g[3], g[4], g[5], g[6], bytes->round);

	return config;
}

static void compare_lookup(struct gputm_last_writer *history, struct oracle_last_writer *oracle,
			   uint64_t address)
{
	uint64_t got = 1, probed = 1, expected = 1, truth;
	int result = oracle_last_writer_youngest_writer(oracle, address, &expected);

	ck_assert_int_eq(gputm_last_writer_lookup_probe(history, address, &probed), result);
	ck_assert_int_eq(gputm_last_writer_lookup(history, address, &got), result);
	ck_assert_uint_eq(got, expected);
	ck_assert_uint_eq(probed, expected);
	if (!oracle_last_writer_truth(oracle, address, &truth))
		return;
	ck_assert_int_ne(result, GPUTM_LAST_WRITER_NONE);
	ck_assert_uint_ge(got, truth);
	if (result == GPUTM_LAST_WRITER_EXACT)
		ck_assert_uint_eq(got, truth);
}

static void compare_expire(struct gputm_last_writer *history, struct oracle_last_writer *oracle,
			   uint64_t floor)
{
	uint64_t got = 1, expected = 1;

	ck_assert_int_eq(gputm_last_writer_expire(history, floor, &got),
			 oracle_last_writer_expire(oracle, floor, &expected));
	ck_assert_uint_eq(got, expected);
}

static int compare_record(struct gputm_last_writer *history, struct oracle_last_writer *oracle,
			  uint64_t address, uint64_t cid)
{
	int expected = oracle_last_writer_record(oracle, address, cid);

	ck_assert_int_eq(gputm_last_writer_record_probe(history, address, cid), expected);
	ck_assert_int_eq(gputm_last_writer_record(history, address, cid), expected);
	return expected;
}

static void step(struct gputm_last_writer *history, struct oracle_last_writer *oracle,
		 struct kit_bytes *bytes, uint64_t *cid)
{
	uint64_t words = (uint64_t)oracle->config.sets * oracle->config.ways * 3 + 5;
	uint64_t address = kit_draw(bytes, 4 * words);
	uint8_t what = (uint8_t)kit_draw(bytes, 256);

	compare_lookup(history, oracle, address);
	if (what >= 250) { /* any address and commit ID, in range or not */
		uint64_t any = *cid + kit_draw(bytes, 256) - 8;

		compare_record(history, oracle, address << 40, any);
		if (compare_record(history, oracle, address, any) >= 0)
			*cid = any;
		return;
	}
	if (what == 2 && address < 4) {
		gputm_unit_reset(unit_of(history));
		oracle_last_writer_reset(oracle);
		*cid = 0;
	}
	*cid += what % 3 == 0;
	if (*cid < gputm_last_writer_base(history))
		*cid = gputm_last_writer_base(history);
	if (*cid > gputm_last_writer_limit(history) || what == 1)
		compare_expire(history, oracle, *cid - kit_draw(bytes, *cid < 3 ? *cid + 1 : 3));
	compare_record(history, oracle, address, *cid);
	compare_lookup(history, oracle, kit_draw(bytes, 4 * words));
}

/* A state that no record leads to takes records and lookups. */
static void bent(struct gputm_last_writer *history, struct kit_bytes *bytes)
{
	uint64_t cid;

	if (!kit_bend(unit_of(history), bytes))
		return;
	ck_assert_int_ge(
		gputm_last_writer_record(history, 0, gputm_last_writer_limit(history)), 0);
	ck_assert_int_ge(gputm_last_writer_lookup(history, 0, &cid), 0);
}

KIT_DRIVE(last_writer, KIT_COUNT(geometry), 20000)
{
	struct gputm_last_writer_config config = config_of(bytes);
	struct oracle_last_writer *oracle = oracle_last_writer_new(&config);
	struct gputm_last_writer *history = NULL;
	uint64_t cid = 0;

	ck_assert_int_eq(gputm_last_writer_new(kit->ctx, &config, &history), 0);
	if (config.seed & 1)
		kit_observe(unit_of(history));
	while (bytes->left > 16) {
		step(history, oracle, bytes, &cid);
		history = KIT_TURN(last_writer, history);
	}
	KIT_STATS(unit_of(history), &oracle->stats.lookups, ORACLE_LAST_WRITER_STATS);
	bent(history, bytes);
	KIT_END(last_writer, history);
	oracle_last_writer_free(oracle);
}
