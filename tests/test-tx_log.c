/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of tx_log: life, rows and own writes by hand, spilling, packets, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/tx_log.h"

KIT_UNIT(tx_log, TX_LOG);

static struct gputm_tx_log *make_small(struct kit *kit, uint32_t filter)
{
	return make(kit, "lanes=4 partitions=4 l1_rows=2 reserve_rows=1 filter=%u", filter);
}

static const uint64_t at[4] = { 0x100, 0x104, 0x108, 0x10c };
static const uint64_t other[4] = { 0x200, 0x300, 0x0, 0x304 };
static const uint32_t seven[4] = { 7, 8, 9, 10 }, one[4] = { 1, 2, 3, 4 };

KIT_TEST(test_tx_log_rows_have_void_entries)
{
	struct gputm_tx_log_row row;
	uint64_t set = 0;
	struct gputm_tx_log *log = make_small(kit, GPUTM_TX_LOG_FILTER_SIGNATURE);

	ck_assert_int_eq(gputm_tx_log_append_read(log, 0xf, at, seven), GPUTM_TX_LOG_CACHED);
	ck_assert_int_eq(gputm_tx_log_append_read(log, 0xa, other, one), GPUTM_TX_LOG_CACHED);
	ck_assert_int_eq(gputm_tx_log_append_read(log, 0, other, one), GPUTM_TX_LOG_CACHED);
	ck_assert_uint_eq(gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_READ), 2);
	ck_assert_uint_eq(gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_WRITE), 0);
	ck_assert_int_eq(gputm_tx_log_get_row(log, GPUTM_TX_LOG_KIND_READ, 1, &row), 0);
	ck_assert_uint_eq(row.mask, 0xa);
	ck_assert_uint_eq(row.address[1], 0x300);
	ck_assert_uint_eq(row.value[3], 4);
	ck_assert_int_eq(gputm_tx_log_get_row(log, GPUTM_TX_LOG_KIND_READ, 2, &row), -ERANGE);
	KIT_REFUSED(-EINVAL, gputm_tx_log_get_row(log, (enum gputm_tx_log_kind)2, 0, &row),
		    "kind = 2 is neither 0, the read log, nor 1, the write log");
	KIT_REFUSED(-EINVAL,
		    gputm_tx_log_get_group(log, (enum gputm_tx_log_kind)2, 0, 1, &set, &set),
		    "kind = 2 is neither");
	ck_assert_uint_eq(row.mask, 0xa);
	ck_assert_uint_eq(gputm_tx_log_lanes(log, GPUTM_TX_LOG_KIND_READ), 0xf);
	ck_assert_int_eq(gputm_tx_log_append_write(log, 0x4, other, one), GPUTM_TX_LOG_CACHED);
	ck_assert_uint_eq(gputm_tx_log_lanes(log, GPUTM_TX_LOG_KIND_WRITE), 0x4);
}

KIT_TEST(test_tx_log_refusals_change_nothing)
{
	static const uint64_t first[4] = { 2, 4, 4, 4 };
	uint64_t odd[4] = { 0x100, 0x102, 0, 0 }, wide[4] = { 0, 0, UINT64_C(1) << 32, 0 };
	struct gputm_tx_log_lookup own = { 1, 2, 3 };
	uint32_t value[4] = { 0 }, walked = 9;
	struct gputm_tx_log *log = make_small(kit, GPUTM_TX_LOG_FILTER_SIGNATURE);

	ck_assert_int_eq(gputm_tx_log_append_write(log, 0x1, at, seven), 0);
	kit_guard(kit, unit_of(log));
	KIT_REFUSED(-ERANGE, gputm_tx_log_append_write(log, 0x10, at, seven),
		    "tx_log", "mask = 16", "0 .. 15");
	KIT_REFUSED(-EINVAL, gputm_tx_log_append_read(log, 0x3, odd, seven),
		    "address = 258", "multiple of 4");
	odd[1] = 0x101;
	KIT_REFUSED(-EINVAL, gputm_tx_log_append_read(log, 0x3, odd, seven), "address = 257");
	KIT_REFUSED(-EINVAL, gputm_tx_log_append_read(log, 0xf, first, seven), "address = 2 ");
	KIT_REFUSED(-ERANGE, gputm_tx_log_append_read(log, 0xf, wide, seven),
		    "address = 4294967296", "0 .. 4294967295");
	KIT_REFUSED(-ERANGE, gputm_tx_log_lookup_own_writes(log, 0x10, at, value, &own), "");
	ck_assert_uint_eq(own.hits, 1);
	KIT_REFUSED(-ERANGE, gputm_tx_log_lookup_own_write(log, 4, 0x100, value, &walked), "");
	ck_assert_uint_eq(walked, 9);
	KIT_REFUSED(-ERANGE, gputm_tx_log_restart(log, 0x10), "");
	kit_unchanged(kit);
	/* The lanes outside the mask may hold anything. */
	ck_assert_int_eq(gputm_tx_log_append_read(log, 0x1, odd, seven), 0);
	wide[2] -= 4;
	ck_assert_int_eq(gputm_tx_log_append_read(log, 0x4, wide, seven), 0);
}

/* Three writes of lane 1, the first and the last to one word: the newest answers. */
KIT_TEST(test_tx_log_own_writes_newest_first)
{
	uint64_t b[4] = { 0, 0x500, 0, 0 };
	uint32_t value = 0, rows = 0;
	struct gputm_tx_log *log = make_small(kit, GPUTM_TX_LOG_FILTER_SIGNATURE);

	ck_assert_int_eq(gputm_tx_log_lookup_own_write(log, 1, 0x104, &value, &rows), 0);
	ck_assert_uint_eq(rows, 0);
	ck_assert_int_ge(gputm_tx_log_append_write(log, 0xf, at, seven), 0);
	ck_assert_int_ge(gputm_tx_log_append_write(log, 0x2, b, one), 0);
	ck_assert_int_eq(gputm_tx_log_lookup_own_write(log, 1, 0x104, &value, &rows), 1);
	ck_assert_uint_eq(value, 8);
	ck_assert_uint_eq(rows, 2);
	ck_assert_int_ge(gputm_tx_log_append_write(log, 0x2, at, one), 0);
	ck_assert_int_eq(gputm_tx_log_lookup_own_write(log, 1, 0x104, &value, &rows), 1);
	ck_assert_uint_eq(value, 2);
	ck_assert_uint_eq(rows, 1);
	ck_assert_int_eq(gputm_tx_log_lookup_own_write(log, 0, 0x100, &value, &rows), 1);
	ck_assert_uint_eq(rows, 3);
	value = 77;
	ck_assert_int_eq(gputm_tx_log_lookup_own_write(log, 0, 0x104, &value, NULL), 0);
	ck_assert_uint_eq(value, 77);
	ck_assert_int_eq(gputm_tx_log_restart(log, 0x2), 0);
	ck_assert_int_eq(gputm_tx_log_lookup_own_write(log, 1, 0x104, &value, &rows), 0);
	ck_assert_uint_eq(rows, 0);
}

/* A look-up for a word never written, over 40 written ones: what each filter lets through. */
static uint64_t rows_in_vain(uint32_t filter)
{
	struct gputm_tx_log_lookup own;
	uint64_t word[4], rows = 0;
	struct gputm_tx_log *log;
	uint32_t value[4];
	struct kit kit;

	kit_open(&kit);
	log = make_small(&kit, filter);
	for (uint64_t i = 0; i < 40; i++) {
		for (unsigned lane = 0; lane < 4; lane++)
			word[lane] = 0x1000 + 4 * (4 * i + lane);
		ck_assert_int_ge(gputm_tx_log_append_write(log, 0xf, word, one), 0);
	}
	for (uint64_t i = 0; i < 100; i++) {
		for (unsigned lane = 0; lane < 4; lane++)
			word[lane] = 0x90000 + 64 * i + 4 * lane;
		ck_assert_int_eq(gputm_tx_log_lookup_own_writes(log, 0xf, word, value, &own), 0);
		KIT_HAS(own, hits, 0, rows, own.walked ? 40 : 0);
		rows += own.rows;
	}
	ck_assert_uint_eq(kit_stat(unit_of(log), "rows_walked"), rows);
	kit_valid(unit_of(log));
	kit_close(&kit);
	return rows;
}

KIT_TEST(test_tx_log_filters)
{
	uint64_t some = rows_in_vain(GPUTM_TX_LOG_FILTER_SIGNATURE);

	ck_assert_uint_eq(rows_in_vain(GPUTM_TX_LOG_FILTER_PERFECT), 0);
	ck_assert_uint_eq(rows_in_vain(GPUTM_TX_LOG_FILTER_NONE), 4000);
	ck_assert_uint_gt(some, 0);
	ck_assert_uint_lt(some, 4000);
}

KIT_TEST(test_tx_log_perfect_filter_walks_for_hits)
{
	uint64_t word[4] = { 0x100, 0x108, 0x108, 0x100 };
	struct gputm_tx_log_lookup own;
	uint32_t value[4] = { 0 };
	struct gputm_tx_log *log = make_small(kit, GPUTM_TX_LOG_FILTER_PERFECT);

	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_ge(gputm_tx_log_append_write(log, 0xf, i == 1 ? at : other, seven),
				 0);
	ck_assert_int_eq(gputm_tx_log_lookup_own_writes(log, 0xf, word, value, &own), 0);
	KIT_HAS(own, hits, 0x5, walked, 0x5, rows, 2);
	ck_assert_uint_eq(value[0], 7);
	ck_assert_uint_eq(value[1], 0);
	ck_assert_uint_eq(value[2], 9);
}

KIT_TEST(test_tx_log_spills_beyond_its_share)
{
	struct gputm_tx_log_row row;
	struct gputm_tx_log *log = make_small(kit, GPUTM_TX_LOG_FILTER_SIGNATURE);

	ck_assert_int_eq(gputm_tx_log_append_read(log, 1, at, one), GPUTM_TX_LOG_CACHED);
	ck_assert_int_eq(gputm_tx_log_append_read(log, 1, at, one), GPUTM_TX_LOG_CACHED);
	ck_assert_int_eq(gputm_tx_log_append_write(log, 1, at, one), GPUTM_TX_LOG_CACHED);
	ck_assert_int_eq(gputm_tx_log_append_read(log, 1, at, one), GPUTM_TX_LOG_SPILLED);
	kit_counts(unit_of(log), "spilled_rows=1 max_rows=3");
	ck_assert_int_eq(gputm_tx_log_get_row(log, GPUTM_TX_LOG_KIND_READ, 1, &row), 0);
	ck_assert(!row.spilled);
	ck_assert_int_eq(gputm_tx_log_get_row(log, GPUTM_TX_LOG_KIND_READ, 2, &row), 0);
	ck_assert(row.spilled);
	ck_assert_int_eq(gputm_tx_log_restart(log, 1), 0);
	ck_assert_uint_eq(gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_READ), 0);
	ck_assert_int_eq(gputm_tx_log_append_read(log, 1, at, one), GPUTM_TX_LOG_CACHED);
}

/* A row of 32 lanes x (32-bit address + 32-bit value) is two 128 B lines. */
KIT_MADE(test_tx_log_storage_of_a_row_is_two_lines, log, NULL)
{
	struct gputm_storage array;

	ck_assert(gputm_unit_storage(unit_of(log), 0, &array));
	ck_assert_uint_eq(array.bits, 2 * 128 * 8);
	ck_assert(array.apart);
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(log)), 32 * 64);
}

/* Sizes of the released simulator: 8 B of header, 8 B per entry, flits of 32 B. */
KIT_MADE(test_tx_log_packet_sizes, log, NULL)
{
	static const unsigned flits[][2] = { { 0, 1 }, { 3, 1 }, { 4, 2 }, { 7, 2 }, { 32, 9 } };

	for (size_t i = 0; i < sizeof(flits) / sizeof(flits[0]); i++)
		ck_assert_uint_eq(gputm_tx_log_packet_flits(log, flits[i][0]), flits[i][1]);
}

KIT_TEST(test_tx_log_partition_of_any_address)
{
	static const uint32_t counts[] = { 1, 2, 3, 5, 6, 7, 48, 63, 64 };
	static const uint64_t edges[] = { 0, 255, 256, UINT32_MAX, UINT64_MAX, UINT64_MAX - 255 };
	struct gputm_tx_log_config config = with("address_bits=64");
	uint64_t random = 3;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct gputm_tx_log *log;

		config.partitions = counts[i];
		config.interleave = i & 1 ? 64 : 256;
		log = make_of(kit, &config);
		for (unsigned j = 0; j < 2000; j++) {
			unsigned shift = (unsigned)kit_below(&random, 64);
			uint64_t a = j < 6 ? edges[j] : kit_random(&random) >> shift;

			ck_assert_uint_eq(gputm_tx_log_partition(log, a),
					  a / config.interleave % config.partitions);
		}
	}
}

/* ---- random against the oracle ---- */

/* Lanes, partitions, interleave, filter. */
static const uint32_t geometry[][4] = {
	{ 32, 6, 256, GPUTM_TX_LOG_FILTER_SIGNATURE },
	{ 4, 4, 64, GPUTM_TX_LOG_FILTER_PERFECT },
	{ 64, 7, 128, GPUTM_TX_LOG_FILTER_SIGNATURE },
	{ 1, 1, 256, GPUTM_TX_LOG_FILTER_NONE },
};

/* Each live entry is in its row, and no row has others or sends others to a partition. */
static void compare_rows(const struct gputm_tx_log *log, const struct oracle_tx_log *o,
			 enum gputm_tx_log_kind kind)
{
	static uint64_t lanes[ORACLE_TX_LOG_MAX], to[ORACLE_TX_LOG_MAX][64];
	const unsigned rows = o->rows[kind];
	uint64_t lanes_of[64], set;
	struct gputm_tx_log_row row;

	ck_assert_uint_eq(gputm_tx_log_rows(log, kind), rows);
	memset(lanes, 0, rows * sizeof(*lanes));
	memset(to, 0, rows * sizeof(*to));
	for (unsigned i = 0; i < o->count; i++) {
		const struct oracle_tx_log_entry *e = &o->entry[i];

		if (!e->live || e->kind != kind)
			continue;
		ck_assert_int_eq(gputm_tx_log_get_row(log, kind, e->row, &row), 0);
		ck_assert_uint_eq(row.address[e->lane], e->address);
		ck_assert_uint_eq(row.value[e->lane], e->value);
		lanes[e->row] |= UINT64_C(1) << e->lane;
		to[e->row][oracle_tx_log_partition(o, e->address)] |= UINT64_C(1) << e->lane;
	}
	for (unsigned r = 0; r < rows; r++) {
		ck_assert_int_eq(gputm_tx_log_get_row(log, kind, r, &row), 0);
		ck_assert_uint_eq(row.mask, lanes[r]);
		ck_assert_int_eq(gputm_tx_log_get_group(log, kind, r, UINT64_MAX, lanes_of, &set),
				 0);
		for (unsigned p = 0; p < o->partitions; p++)
			ck_assert_uint_eq(set >> p & 1 ? lanes_of[p] : 0, to[r][p]);
	}
}

static void look_up(struct gputm_tx_log *log, struct oracle_tx_log *o, uint64_t mask,
		    const uint64_t *address)
{
	struct gputm_tx_log_lookup own;
	uint32_t value[64], rows = 0;
	uint64_t hits = 0;

	ck_assert_int_eq(gputm_tx_log_lookup_own_writes(log, mask, address, value, &own), 0);
	for (EACH_LANE(lane, mask)) {
		uint32_t expected, depth;
		int row;

		row = oracle_tx_log_own_write(o, lane, address[lane], &expected);
		o->stats.lookups++;
		o->stats.filtered += ~own.walked >> lane & 1;
		o->stats.in_vain += row < 0 && own.walked >> lane & 1;
		o->stats.hits += row >= 0;
		if (row < 0)
			continue;
		hits |= UINT64_C(1) << lane;
		depth = o->rows[1] - (uint32_t)row;
		rows = depth > rows ? depth : rows;
		ck_assert_uint_eq(value[lane], expected);
	}
	ck_assert_uint_eq(own.hits, hits);
	ck_assert_uint_eq(own.walked & hits, hits);
	ck_assert_uint_eq(own.walked & ~mask, 0);
	ck_assert_uint_eq(own.rows, own.walked == hits ? rows : o->rows[1]);
	o->stats.rows_walked += own.rows;
}

static void step(struct gputm_tx_log *log, struct oracle_tx_log *o, struct kit_bytes *bytes)
{
	uint64_t lanes = o->lanes == 64 ? UINT64_MAX : (UINT64_C(1) << o->lanes) - 1;
	uint64_t mask = kit_draw(bytes, 3) ? kit_number(bytes, 8) & lanes : lanes, address[64];
	unsigned what = (unsigned)kit_draw(bytes, 20);
	uint32_t value[64];

	for (unsigned lane = 0; lane < 64; lane++) {
		address[lane] = lane < o->lanes ? kit_draw(bytes, o->lanes < 9 ? 16 : 400) << 2 : 0;
		value[lane] = (uint32_t)bytes->left + lane;
	}
	if (what < 14 && oracle_tx_log_append(o, what & 1, mask, address, value)) {
		if (what & 1)
			ck_assert_int_ge(gputm_tx_log_append_write(log, mask, address, value), 0);
		else
			ck_assert_int_ge(gputm_tx_log_append_read(log, mask, address, value), 0);
	} else if (what < 19) {
		look_up(log, o, mask, address);
	} else {
		mask = kit_draw(bytes, 3) ? mask & kit_number(bytes, 8) : lanes;
		ck_assert_int_eq(gputm_tx_log_restart(log, mask), 0);
		oracle_tx_log_restart(o, mask);
	}
}

static void bent(struct gputm_tx_log *log, struct kit_bytes *bytes)
{
	uint64_t address[64] = { 0 };
	uint32_t value[64] = { 0 };

	if (kit_bend(unit_of(log), bytes))
		ck_assert_int_ge(gputm_tx_log_append_write(log, 1, address, value), 0);
	kit_valid(unit_of(log));
}

KIT_DRIVE(tx_log, KIT_COUNT(geometry), 400000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 8), 1 + kit_u32(bytes, 8), 64,
				 kit_u32(bytes, 3) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_tx_log_config config =
		with("lanes=%u partitions=%u interleave=%u filter=%u reserve_rows=1 packed=%u",
		     g[0], g[1], g[2], g[3], bytes->round % 3 == 2);
	static struct oracle_tx_log o;
	struct gputm_tx_log *log = make_of(kit, &config);

	oracle_tx_log_init(&o, config.lanes, config.partitions, config.interleave);
	o.packed = config.packed;
	o.l1_rows = config.l1_rows;
	while (bytes->left > 16) {
		step(log, &o, bytes);
		log = KIT_TURN(tx_log, log);
		if (kit_draw(bytes, 25) == 0) {
			compare_rows(log, &o, GPUTM_TX_LOG_KIND_READ);
			compare_rows(log, &o, GPUTM_TX_LOG_KIND_WRITE);
		}
	}
	compare_rows(log, &o, GPUTM_TX_LOG_KIND_READ);
	compare_rows(log, &o, GPUTM_TX_LOG_KIND_WRITE);
	if (bytes->thorough)
		ck_assert_uint_gt(o.stats.hits, 0);
	KIT_STATS(unit_of(log), &o.stats, ORACLE_TX_LOG_STATS);
	if (bytes->round % 2)
		bent(log, bytes);
	KIT_END(tx_log, log);
}

/* Lanes that run apart fill rows together, and one that runs again begins at row 0. */
KIT_MADE(test_tx_log_packed, log, "lanes=4 partitions=4 l1_rows=2 reserve_rows=1 packed=1")
{
	static const uint64_t odd[4] = { 0x102 }, wide[4] = { UINT64_C(1) << 32 };
	struct gputm_tx_log_row row;

	ck_assert_int_eq(gputm_tx_log_append_read(log, 0x3, at, seven), GPUTM_TX_LOG_CACHED);
	ck_assert_int_eq(gputm_tx_log_append_read(log, 0xc, other, one), GPUTM_TX_LOG_CACHED);
	ck_assert_int_eq(gputm_tx_log_append_read(log, 0x5, other, seven), GPUTM_TX_LOG_CACHED);
	ck_assert_uint_eq(gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_READ), 2);
	ck_assert_int_eq(gputm_tx_log_get_row(log, GPUTM_TX_LOG_KIND_READ, 0, &row), 0);
	ck_assert_uint_eq(row.mask, 0xf);
	ck_assert_uint_eq(row.address[1], 0x104);
	ck_assert_uint_eq(row.address[3], 0x304);
	ck_assert_int_eq(gputm_tx_log_get_row(log, GPUTM_TX_LOG_KIND_READ, 1, &row), 0);
	ck_assert_uint_eq(row.mask, 0x5);
	ck_assert_uint_eq(row.value[2], 9);
	ck_assert_int_eq(gputm_tx_log_append_read(log, 0x1, at, seven), GPUTM_TX_LOG_SPILLED);
	ck_assert_int_eq(gputm_tx_log_restart(log, 0x1), 0);
	ck_assert_int_eq(gputm_tx_log_append_read(log, 0x1, at, one), GPUTM_TX_LOG_CACHED);
	ck_assert_int_eq(gputm_tx_log_get_row(log, GPUTM_TX_LOG_KIND_READ, 0, &row), 0);
	ck_assert_uint_eq(row.value[0], 1);
	kit_counts(unit_of(log), "read_rows=3 spilled_rows=1");
	kit->fail_at = kit->allocations;
	ck_assert_int_eq(gputm_tx_log_append_write(log, 0x2, at, one), -ENOMEM);
	kit->fail_at = -1;
	ck_assert_int_eq(gputm_tx_log_append_write(log, 0x2, at, one), GPUTM_TX_LOG_CACHED);
	kit_round_trip(&tx_log_maker, unit_of(log));
	kit_hostile(&tx_log_maker, unit_of(log));
	KIT_REFUSED(-EINVAL, gputm_tx_log_append_read(log, 0x1, odd, one), "address = 258");
	KIT_REFUSED(-ERANGE, gputm_tx_log_append_read(log, 0x1, wide, one), "4294967296");
}

/* An append that finds no memory for a row leaves the logs as they were. */
KIT_TEST(test_tx_log_append_without_memory)
{
	unsigned refused = 0;
	uint64_t digest;
	int error;
	struct gputm_tx_log *log = make_small(kit, GPUTM_TX_LOG_FILTER_SIGNATURE);

	for (long i = 0; i < 200; i++) {
		digest = kit_digest(unit_of(log));
		kit->fail_at = kit->allocations + i % 3;
		error = gputm_tx_log_append_write(log, 0xf, at, seven);
		kit->fail_at = -1;
		kit_valid(unit_of(log));
		if (error >= 0)
			continue;
		refused++;
		ck_assert_int_eq(error, -ENOMEM);
		ck_assert_uint_eq(kit_digest(unit_of(log)), digest);
	}
	ck_assert_uint_ge(refused, 3);
	ck_assert_uint_eq(gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_WRITE), 200 - refused);
}

KIT_TEST(test_tx_log_tells_its_observer)
{
	struct gputm_tx_log_lookup own;
	uint32_t value[4];
	struct gputm_tx_log *log = make_small(kit, GPUTM_TX_LOG_FILTER_SIGNATURE);

	ck_assert_int_ge(gputm_tx_log_append_read(log, 1, at, one), 0);
	ck_assert_int_ge(gputm_tx_log_append_write(log, 1, at, one), 0);
	ck_assert_int_eq(gputm_tx_log_lookup_own_writes(log, 1, at, value, &own), 0);
	ck_assert_int_eq(gputm_tx_log_restart(log, 1), 0);
	kit_heard("append=2 lookup=1 restart=1");
}
