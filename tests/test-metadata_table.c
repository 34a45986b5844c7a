/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of metadata_table: life, chains step by step, tightness, the exact map. */
#include "tests/kit.h"
#include "tests/oracle/metadata_table.h"

KIT_UNIT(metadata_table, METADATA_TABLE);

static int set(struct gputm_metadata_table *t, uint64_t address, uint64_t wts, uint64_t rts,
	       uint32_t writes)
{
	struct gputm_metadata_table_entry m = { wts, rts, writes, 3, 0, 0 };

	return gputm_metadata_table_update(t, address, &m, NULL);
}

static uint64_t entry(const struct gputm_metadata_table *t, uint64_t index)
{
	struct gputm_metadata_table_entry m;
	uint64_t address = 0;

	ck_assert_int_eq(gputm_metadata_table_get_entry(t, index, &address, &m), 0);
	ck_assert_uint_eq(m.cycles, 1);
	return address;
}

static uint64_t stat(struct gputm_metadata_table *t, const char *name)
{
	return kit_stat(unit_of(t), name);
}

KIT_TEST(test_metadata_table_stamps_have_64_bits)
{
	struct gputm_metadata_table *t = NULL;

	KIT_REFUSED(-EINVAL, refuse(kit, "time_bits=60 warp_bits=5"), "time_bits", "60",
		    "warp_bits", "5");
	t = make(kit, "time_bits=16 warp_bits=4 address_bits=20");
	KIT_REFUSED(-ERANGE, set(t, 0xfffff, 1u << 20, 0, 1), "wts = 1048576");
	t = make(kit, "time_bits=60 warp_bits=4");
	ck_assert_int_eq(set(t, 0, UINT64_MAX, UINT64_MAX, 1), GPUTM_METADATA_TABLE_FILLED);
}

/* 4096 entries of 128 bits GPU-wide lie between six partitions of the two presets. */
KIT_TEST(test_table_ii_sizes_of_presets)
{
	struct gputm_storage array;
	uint64_t entries[3];

	for (int i = 0; i < 3; i++) {
		static const char *const name[] = { "getm-128", "getm-256", "getm-gpu" };

		ck_assert(gputm_unit_storage(unit_of(make(kit, "%s", name[i])), 0, &array));
		ck_assert_uint_le(array.bits, 128);
		entries[i] = array.entries;
	}
	ck_assert_uint_lt(6 * entries[0], 4096);
	ck_assert_uint_gt(6 * entries[1], 4096);
	ck_assert_uint_eq(entries[2], 4096);
}

/* Two ways of two entries over granules of 32 B; way 0 looks at address bit 5, way 1 at 6. */
static struct gputm_metadata_table *two_by_two(struct kit *kit, uint32_t stash, uint32_t chain)
{
	struct gputm_metadata_table_config config =
		with("ways=2 entries=2 stash=%u address_bits=16 longest_chain=%u "
		     "memory_latency=100", stash, chain);
	uint32_t rows[2 * 11] = { [0] = 1, [11 + 1] = 1 };

	config.table_rows = rows;
	return make_of(kit, &config);
}

/* A filter with rows of zeros has one set for all granules. */
KIT_TEST(test_metadata_table_takes_the_rows_of_its_filter)
{
	struct gputm_metadata_table_config config = GPUTM_METADATA_TABLE_CONFIG_INIT;
	const uint32_t rows[11] = { 0 };
	struct gputm_metadata_table *t;
	uint64_t wts, rts;

	config.ways = config.entries = config.filter_ways = 1;
	config.stash = 0;
	config.address_bits = 16;
	config.filter_rows = rows;
	t = make_of(kit, &config);
	ck_assert_int_eq(set(t, 0x100, 5, 6, 0), GPUTM_METADATA_TABLE_FILLED);
	ck_assert_int_eq(set(t, 0x200, 1, 1, 0), GPUTM_METADATA_TABLE_EVICTED);
	for (uint64_t address = 0x400; address < 0x10000; address += 0x400) {
		ck_assert_int_eq(gputm_metadata_table_estimate(t, address, &wts, &rts), 0);
		ck_assert_uint_eq(wts, 5);
		ck_assert_uint_eq(rts, 6);
	}
}

/* Granule with bit 5 = a and bit 6 = b, number n of its kind. */
static uint64_t g(unsigned a, unsigned b, unsigned n)
{
	return a * 32 + b * 64 + n * 128;
}

KIT_TEST(test_fig_8_insertion_evicts_what_is_not_reserved)
{
	uint64_t wts, rts;
	struct gputm_metadata_table *t = two_by_two(kit, 0, 32);

	ck_assert_int_eq(set(t, g(0, 0, 1), 5, 6, 1), GPUTM_METADATA_TABLE_FILLED); /* 0/0 */
	ck_assert_int_eq(set(t, g(1, 0, 2), 7, 8, 1), GPUTM_METADATA_TABLE_FILLED); /* 1/0 */
	ck_assert_int_eq(set(t, g(1, 0, 3), 9, 9, 1), GPUTM_METADATA_TABLE_FILLED); /* 0/1 */
	ck_assert_int_eq(set(t, g(0, 1, 4), 11, 12, 0), GPUTM_METADATA_TABLE_FILLED); /* 1/1 */
	ck_assert_uint_eq(entry(t, 0), g(0, 0, 1));
	ck_assert_uint_eq(entry(t, 1), g(1, 0, 3));
	ck_assert_uint_eq(entry(t, 2), g(1, 0, 2));
	ck_assert_uint_eq(entry(t, 3), g(0, 1, 4));
	/* (0,1): its cells are 0/0, reserved, and 1/1, which is not: that one goes. */
	ck_assert_int_eq(set(t, g(0, 1, 5), 1, 1, 1), GPUTM_METADATA_TABLE_EVICTED);
	ck_assert_uint_eq(entry(t, 3), g(0, 1, 5));
	ck_assert_int_eq(gputm_metadata_table_estimate(t, g(0, 1, 4), &wts, &rts), 0);
	ck_assert_uint_ge(wts, 11);
	ck_assert_uint_ge(rts, 12);
	kit_valid(unit_of(t));
	kit_hostile(&metadata_table_maker, unit_of(t));
}

KIT_TEST(test_fig_8_chain_goes_to_stash_then_overflow)
{
	struct gputm_metadata_table_entry m = { 0, 0, 0, 0, 0, 0 };
	uint32_t cycles = 0;
	uint64_t swaps, address;
	struct gputm_metadata_table *t = two_by_two(kit, 1, 3);

	for (unsigned i = 1; i <= 4; i++)
		ck_assert_int_ge(set(t, g(i & 1, i >> 1 & 1, i), 1, 1, 1), 0);
	swaps = stat(t, "swaps");
	m.writes = 2;
	m.wts = 20;
	m.owner = 9;
	ck_assert_uint_eq(stat(t, "entries"), 4);
	ck_assert_int_eq(gputm_metadata_table_update(t, g(0, 0, 9), &m, &cycles),
			 GPUTM_METADATA_TABLE_STASHED);
	ck_assert_uint_eq(cycles, 1 + 3);
	ck_assert_int_eq(gputm_metadata_table_update(t, g(1, 1, 9), &m, &cycles),
			 GPUTM_METADATA_TABLE_SPILLED);
	ck_assert_uint_eq(cycles, 1 + 3 + 100);
	ck_assert_uint_eq(stat(t, "swaps"), swaps + 6);
	for (uint64_t i = 0; i < 6; i++) { /* ways, stash, overflow */
		address = entry(t, i);
		ck_assert_int_eq(gputm_metadata_table_lookup(t, address, &m),
				 GPUTM_METADATA_TABLE_HIT);
		ck_assert_uint_eq(m.cycles, i == 5 ? 101 : 1);
	}
	KIT_REFUSED(-ERANGE, gputm_metadata_table_get_entry(t, 6, &address, &m),
		    "metadata_table: entry 6 is past the end: there are 6");
	kit_valid(unit_of(t));
	kit_round_trip(&metadata_table_maker, unit_of(t));
	kit_hostile(&metadata_table_maker, unit_of(t));
	/* Their last reservation gone, they leave stash and overflow at once. */
	ck_assert_int_eq(set(t, entry(t, 5), 0, 0, 0), GPUTM_METADATA_TABLE_RECLAIMED);
	ck_assert_int_eq(set(t, entry(t, 4), 0, 0, 0), GPUTM_METADATA_TABLE_RECLAIMED);
	kit_counts(unit_of(t), "overflow_now=0 stashed_now=0");
}

/* Reserved entries stay where they are; one that is not does without memory. */
KIT_TEST(test_metadata_table_overflow_has_reservations_only)
{
	uint64_t wts = 0, rts = 0;
	struct gputm_metadata_table *t = two_by_two(kit, 0, 0);

	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_ge(set(t, g(i & 1, i >> 1, i), 1, 1, 1), 0);
	ck_assert_int_eq(set(t, g(1, 0, 9), 30, 31, 0), GPUTM_METADATA_TABLE_APPROXIMATED);
	ck_assert_int_eq(gputm_metadata_table_estimate(t, g(1, 0, 9), &wts, &rts), 0);
	ck_assert_uint_eq(wts, 30);
	ck_assert_uint_eq(rts, 31);
	ck_assert_int_eq(set(t, g(1, 0, 9), 0, 0, 1), GPUTM_METADATA_TABLE_SPILLED);
	ck_assert_int_eq(set(t, g(1, 0, 9), 0, 0, 0), GPUTM_METADATA_TABLE_RECLAIMED);
	ck_assert_uint_eq(stat(t, "overflow_now"), 0);
}

/* The released simulator evicts the pair that it has just inserted, and works on unaware. */
KIT_TEST(test_pair_being_inserted_is_not_evicted)
{
	struct gputm_metadata_table_entry m = { 0, 0, 0, 0, 0, 0 };
	struct gputm_metadata_table *t = two_by_two(kit, 1, 32);

	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_ge(set(t, g(i & 1, i >> 1, i), 1, 1, 1), 0);
	ck_assert_int_eq(set(t, g(0, 0, 7), 1, 5, 0), GPUTM_METADATA_TABLE_STASHED);
	ck_assert_int_eq(gputm_metadata_table_lookup(t, g(0, 0, 7), &m), GPUTM_METADATA_TABLE_HIT);
	ck_assert_uint_eq(m.rts, 5);
	ck_assert_uint_eq(stat(t, "evictions"), 0);
}

KIT_TEST(test_metadata_table_evict_above)
{
	struct gputm_metadata_table_config config = with("entries=16");
	struct gputm_metadata_table *t;
	uint64_t evictions[2];

	for (unsigned option = 0; option < 2; option++) {
		config.evict_above = option * 100;
		t = make_of(kit, &config);
		for (uint64_t i = 0; i < 64; i++)
			ck_assert_int_ge(set(t, i * 32, i, i, 0), 0);
		evictions[option] = stat(t, "evictions");
		kit_valid(unit_of(t));
	}
	ck_assert_uint_lt(evictions[1], evictions[0]);
}

KIT_MADE(test_metadata_table_ranges_are_tight, t,
	 "time_bits=6 warp_bits=2 count_bits=3 owner_bits=2 address_bits=16")
{
	struct gputm_metadata_table_entry good = { 255, 255, 7, 3, 0, 0 }, m;
	uint64_t wts = 77, rts = 77;
	uint32_t cycles = 77;

	kit_guard(kit, unit_of(t));
#define REFUSED(FIELD, VALUE, ADDRESS, WORD)                                                   \
	m = good;                                                                              \
	m.FIELD = (VALUE);                                                                     \
	KIT_REFUSED(-ERANGE, gputm_metadata_table_update(t, (ADDRESS), &m, &cycles), "");     \
	kit_said(kit, "metadata_table", WORD, NULL)
	REFUSED(wts, 256, 0, "wts = 256");
	REFUSED(rts, 256, 0, "rts = 256");
	REFUSED(writes, 8, 0, "writes = 8");
	REFUSED(owner, 4, 0, "owner = 4");
	REFUSED(owner, 0, 1 << 16, "address = 65536");
	KIT_REFUSED(-ERANGE, gputm_metadata_table_lookup(t, 1 << 16, &m), "");
	KIT_REFUSED(-ERANGE, gputm_metadata_table_lookup_probe(t, 1 << 16, &m), "");
	KIT_REFUSED(-ERANGE, gputm_metadata_table_estimate(t, 1 << 16, &wts, &rts), "");
	KIT_REFUSED(-ERANGE, gputm_metadata_table_query(t, 1 << 16, &m), "");
	KIT_REFUSED(-ERANGE, gputm_metadata_table_add_writes(t, 1 << 16, 1, 0, &cycles), "");
	KIT_REFUSED(-ERANGE, gputm_metadata_table_add_writes(t, 0, 8, 0, &cycles),
		    "writes = 8", "0 .. 7");
	KIT_REFUSED(-ERANGE, gputm_metadata_table_add_writes(t, 0, 1, 4, &cycles), "owner = 4");
	KIT_REFUSED(-EINVAL, gputm_metadata_table_add_writes(t, 0, -1, 0, &cycles),
		    "1 writes released, 0 are reserved");
	KIT_REFUSED(-ERANGE, gputm_metadata_table_remove(t, 1 << 16), "");
	ck_assert_uint_eq(cycles, 77);
	ck_assert_uint_eq(wts, 77);
	kit_unchanged(kit);
	ck_assert_int_eq(gputm_metadata_table_update(t, 0xffff, &good, &cycles),
			 GPUTM_METADATA_TABLE_FILLED);
	ck_assert_uint_eq(cycles, 1);
	ck_assert_int_eq(gputm_metadata_table_remove(t, 0xffe0), GPUTM_METADATA_TABLE_LOCKED);
	ck_assert_int_eq(gputm_metadata_table_remove(t, 0), GPUTM_METADATA_TABLE_ABSENT);
	kit_observe(unit_of(t));
	KIT_REFUSED(-EINVAL, gputm_metadata_table_flush(t), "1 entries reserved");
	ck_assert_int_eq(set(t, 0xffe0, 0, 0, 0), GPUTM_METADATA_TABLE_UPDATED);
	ck_assert_int_eq(gputm_metadata_table_remove(t, 0xffe0), GPUTM_METADATA_TABLE_REMOVED);
	ck_assert_int_eq(gputm_metadata_table_flush(t), 0);
	ck_assert_int_eq(gputm_metadata_table_estimate(t, 0xffe0, &wts, &rts), 0);
	ck_assert_uint_eq(wts, 0);
}

/* 20,000 reservations in a table of one entry: a look-up visits a few entries, not all. */
KIT_MADE(test_metadata_table_overflow_is_short_and_reclaimed, t,
	 "ways=1 entries=1 stash=0 longest_chain=1 memory_latency=1")
{
	unsigned count = kit_scale(20000, 1000);
	struct gputm_metadata_table_entry m = { 0, 0, 0, 0, 0, 0 };
	uint32_t most = 0;

	for (uint64_t i = 0; i < count; i++)
		ck_assert_int_ge(set(t, i * 32, i, i, 1), 0);
	ck_assert_uint_eq(stat(t, "overflow_now"), count - 1);
	for (uint64_t i = 0; i < count; i++) {
		ck_assert_int_eq(gputm_metadata_table_lookup(t, i * 32, &m),
				 GPUTM_METADATA_TABLE_HIT);
		most = m.cycles > most ? m.cycles : most;
	}
	ck_assert_uint_le(most, 16);
	kit_round_trip(&metadata_table_maker, unit_of(t));
	for (uint64_t i = 0; i < count; i++)
		ck_assert_int_ge(set(t, i * 32, 0, 0, 0), 0);
	ck_assert_uint_eq(stat(t, "overflow_now"), 0);
	ck_assert_uint_eq(gputm_metadata_table_writes(t), 0);
}

/* The buckets of a snapshot stand before the key and the stamps of the entry in the overflow. */
KIT_MADE(test_metadata_table_bounds_the_overflow_of_a_snapshot, t, "ways=1 entries=1 stash=0")
{
	static const uint64_t bad[] = { 0, 8, 24, 1u << 23 }, good[] = { 16, 32, 1u << 22 };

	ck_assert_int_ge(set(t, 0, 1, 1, 1), 0);
	ck_assert_int_ge(set(t, 32, 0x123456, 1, 1), 0);
	for (size_t i = 0; i < KIT_COUNT(bad); i++)
		KIT_REFUSED(-EINVAL, kit_forged(unit_of(t), 0x123456, -16, 8, bad[i]),
			    "overflow has a size that cannot be");
	for (size_t i = 0; i < KIT_COUNT(good); i++)
		ck_assert_int_eq(kit_forged(unit_of(t), 0x123456, -16, 8, good[i]), 0);
}

KIT_MADE(test_metadata_table_without_memory_nothing_changes, t, "ways=1 entries=1 stash=0")
{
	struct gputm_metadata_table_entry m = { 1, 1, 1, 1, 0, 0 };
	unsigned failures = 0;

	for (uint64_t i = 0; i < 100; i++) {
		uint64_t digest = kit_digest(unit_of(t));
		uint32_t cycles = 77;
		int result;

		kit->fail_at = kit->allocations;
		result = gputm_metadata_table_update(t, i * 32, &m, &cycles);
		kit->fail_at = -1;
		if (result != -ENOMEM)
			continue;
		failures++;
		ck_assert_uint_eq(cycles, 77);
		ck_assert_uint_eq(kit_digest(unit_of(t)), digest);
		ck_assert_int_ge(gputm_metadata_table_update(t, i-- * 32, &m, NULL), 0);
	}
	ck_assert_uint_ge(failures, 3);
}

/* An observer changes nothing: two tables, one of them observed, take the same steps. */
static void twin_step(struct gputm_metadata_table *a, struct gputm_metadata_table *b,
		      uint64_t *random, uint64_t granules)
{
	struct gputm_metadata_table_entry m = { 0, 0, 0, 0, UINT32_MAX, 0 };
	uint64_t address = kit_below(random, granules) * 32, wts[2] = { 0 }, rts[2] = { 0 };
	uint32_t cycles[2] = { 77, 77 };

	if (kit_below(random, 8) == 0) {
		ck_assert_int_eq(gputm_metadata_table_remove(a, address),
				 gputm_metadata_table_remove(b, address));
		return;
	}
	if (kit_below(random, 2)) {
		ck_assert_int_eq(gputm_metadata_table_estimate(a, address, &wts[0], &rts[0]), 0);
		ck_assert_int_eq(gputm_metadata_table_estimate(b, address, &wts[1], &rts[1]), 0);
		ck_assert(wts[0] == wts[1] && rts[0] == rts[1]);
	}
	m.wts = kit_below(random, 1000);
	m.rts = kit_below(random, 1000);
	m.writes = (uint32_t)kit_below(random, 4);
	m.owner = (uint32_t)kit_below(random, 48);
	ck_assert_int_eq(gputm_metadata_table_update(a, address, &m, &cycles[0]),
			 gputm_metadata_table_update(b, address, &m, &cycles[1]));
	ck_assert_uint_eq(cycles[0], cycles[1]);
}

KIT_TEST(test_observed_metadata_table_is_the_same)
{
	struct gputm_metadata_table_config config = with("entries=16 stash=2 filter_entries=4");
	static const uint32_t chain[] = { 0, 1, 2, 3, 8, 32, 200 };
	struct gputm_metadata_table *a, *b;
	uint64_t random = 3;

	for (unsigned c = 0; c < sizeof(chain) / sizeof(*chain); c++) {
		config.longest_chain = chain[c];
		config.seed = kit_random(&random);
		a = make_of(kit, &config);
		kit_unobserve();
		b = make_of(kit, &config);
		for (unsigned i = 0; i < kit_scale(2000, 300); i++) {
			twin_step(a, b, &random, 100);
			ck_assert_uint_eq(kit_digest(unit_of(a)), kit_digest(unit_of(b)));
		}
		kit_valid(unit_of(a));
		ck_assert(!chain[c] || stat(a, "swaps") > 10);
	}
}

/* ---- against the exact map ---- */

#define GRANULES 64

struct run {
	struct gputm_metadata_table *t;
	struct oracle_metadata_table oracle;
	const struct gputm_metadata_table_config *config;
};

static void update(struct run *r, struct kit_bytes *bytes, uint64_t address,
		   const struct gputm_metadata_table_entry *found)
{
	uint64_t stamps = UINT64_C(1) << (r->config->time_bits + r->config->warp_bits);
	uint64_t what = kit_number(bytes, 1);
	struct gputm_metadata_table_entry m = {
		kit_draw(bytes, 1200), kit_draw(bytes, 1200), 0, 0, 0, 0
	};
	bool good;

	m.writes = kit_u32(bytes, 5) * (what & 1);
	m.owner = kit_u32(bytes, 18);
	m.place = what & 6 ? found->place : kit_u32(bytes, 256);
	good = m.wts < stamps && m.rts < stamps && !(m.writes >> r->config->count_bits) &&
	       !(m.owner >> r->config->owner_bits);
	if (!good) {
		ck_assert_int_eq(gputm_metadata_table_update(r->t, address, &m, NULL), -ERANGE);
		return;
	}
	ck_assert_int_ge(gputm_metadata_table_update(r->t, address, &m, NULL), 0);
	oracle_metadata_table_update(&r->oracle, address, &m);
}

/* As a host adds to a number of writes: what get() gives, and add_writes(). */
static void reserve(struct run *r, struct kit_bytes *bytes, uint64_t address)
{
	struct gputm_metadata_table_entry m, exact = { 0, 0, 0, 0, 0, 0 };
	int found = gputm_metadata_table_lookup_probe(r->t, address, &exact), result;
	int32_t change = (int32_t)kit_draw(bytes, 8) - 4;
	uint64_t digest;
	int64_t writes;

	memset(&m, 0xff, sizeof(m));
	ck_assert_int_eq(gputm_metadata_table_query(r->t, address, &m), found);
	ck_assert_int_eq(oracle_metadata_table_lookup(&r->oracle, address, m.cycles), found);
	ck_assert(m.writes == exact.writes && m.owner == exact.owner && m.cycles == exact.cycles);
	if (found == GPUTM_METADATA_TABLE_MISS)
		ck_assert_int_eq(gputm_metadata_table_estimate(r->t, address, &exact.wts,
							       &exact.rts), 0);
	ck_assert(m.wts == exact.wts && m.rts == exact.rts);
	digest = kit_digest(unit_of(r->t));
	m.owner = kit_u32(bytes, 18);
	writes = (int64_t)m.writes + change;
	result = gputm_metadata_table_add_writes(r->t, address, change, m.owner, NULL);
	if (writes < 0 || writes >> r->config->count_bits || m.owner >> r->config->owner_bits) {
		ck_assert_int_eq(result, writes < 0 ? -EINVAL : -ERANGE);
		ck_assert_uint_eq(kit_digest(unit_of(r->t)), digest);
		return;
	}
	ck_assert_int_ge(result, 0);
	m.writes = (uint32_t)writes;
	oracle_metadata_table_update(&r->oracle, address, &m);
}

static void flush(struct run *r)
{
	bool none = oracle_metadata_table_writes(&r->oracle) == 0;

	ck_assert_int_eq(gputm_metadata_table_flush(r->t), none ? 0 : -EINVAL);
	if (none)
		oracle_metadata_table_flush(&r->oracle);
}

static void step(struct run *r, struct kit_bytes *bytes)
{
	uint64_t address = kit_draw(bytes, GRANULES) * r->config->granularity;
	struct gputm_metadata_table_entry m = { 0, 0, 0, 0, 0, 0 };
	uint64_t what = kit_draw(bytes, 64);
	int found = gputm_metadata_table_lookup(r->t, address, &m);

	ck_assert_int_eq(oracle_metadata_table_lookup(&r->oracle, address, m.cycles), found);
	if (what & 1)
		ck_assert_int_eq(gputm_metadata_table_estimate(r->t, address, &m.wts, &m.rts), 0);
	if (what < 40) {
		update(r, bytes, address, &m);
	} else if (what < 54) {
		reserve(r, bytes, address);
	} else if (what < 63) {
		ck_assert_int_eq(gputm_metadata_table_remove(r->t, address),
				 oracle_metadata_table_remove(&r->oracle, address));
	} else {
		flush(r);
	}
	for (uint64_t i = 0; i < GRANULES; i++) {
		const char *wrong = oracle_metadata_table_compare(&r->oracle, r->t,
								  i * r->config->granularity);

		ck_assert_msg(!wrong, "granule %u: %s", (unsigned)i, wrong);
	}
	ck_assert_uint_eq(gputm_metadata_table_writes(r->t),
			  oracle_metadata_table_writes(&r->oracle));
}

/* Ways, entries, stash, address bits, evict_above, approximate. */
static const uint32_t geometry[][6] = {
	{ 4, 8, 4, 32, 0, 0 }, { 4, 4, 0, 32, 0, 1 }, { 4, 2, 2, 40, 70, 0 },
	{ 1, 1, 1, 32, 0, 0 }, { 8, 2, 0, 32, 0, 0 }, { 2, 4, 2, 64, 0, 0 },
	{ 3, 1, 0, 32, 0, 0 }, { 5, 16, 4, 32, 70, 1 },
};

KIT_DRIVE(metadata_table, 4 * KIT_COUNT(geometry), 2000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 8), 1u << kit_u32(bytes, 5), kit_u32(bytes, 5),
				 32 + 8 * kit_u32(bytes, 2), kit_u32(bytes, 101),
				 kit_u32(bytes, 2) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_metadata_table_config config =
		with("ways=%u entries=%u stash=%u address_bits=%u evict_above=%u approximate=%u",
		     g[0], g[1], g[2], g[3], g[4], g[5]);
	struct run r = { .config = &config };

	config.granularity = 16u << kit_u32(bytes, 4);
	config.longest_chain = kit_u32(bytes, 8);
	config.filter_ways = 1 + kit_u32(bytes, 4);
	config.filter_entries = 1u << kit_u32(bytes, 5);
	config.seed = kit_number(bytes, 1);
	if (kit_u32(bytes, 2)) { /* narrow */
		config.time_bits = 8;
		config.warp_bits = 2;
		config.count_bits = 2;
		config.owner_bits = 4;
	}
	oracle_metadata_table_init(&r.oracle, &config);
	r.t = make_of(kit, &config);
	kit_unobserve();
	for (KIT_TURNS(metadata_table, r.t))
		step(&r, bytes);
	KIT_STATS(unit_of(r.t), &r.oracle.stats, ORACLE_METADATA_TABLE_STATS);
	gputm_h3_free(r.oracle.h3);
	for (uint64_t i = 0; i < GRANULES; i++)
		ck_assert_int_ge(set(r.t, i * config.granularity, 0, 0, 0), 0);
	ck_assert_uint_eq(gputm_metadata_table_writes(r.t), 0);
	ck_assert_uint_eq(stat(r.t, "overflow_now"), 0);
	ck_assert_int_eq(gputm_metadata_table_flush(r.t), 0);
	KIT_END(metadata_table, r.t);
}

/* Every bit of the hash rows is compared with the public family, bit by bit. */
KIT_TEST(test_metadata_table_cells_are_those_of_h3)
{
	struct gputm_metadata_table_config config = GPUTM_METADATA_TABLE_CONFIG_INIT;
	struct gputm_h3_config rows = GPUTM_H3_CONFIG_INIT;
	struct gputm_h3 *h3 = NULL;
	struct gputm_metadata_table *t;
	uint64_t random = 5;

	rows.ways = 4;
	rows.index_bits = 8;
	rows.key_bits = 27;
	rows.seed = config.seed ^ UINT64_C(1) << 63;
	ck_assert_int_eq(gputm_h3_new(kit->ctx, &rows, &h3), 0);
	t = make_of(kit, &config);
	for (unsigned i = 0; i < 600; i++)
		ck_assert_int_ge(set(t, kit_below(&random, UINT64_C(1) << 32), 1, 1, 0), 0);
	for (uint32_t at = 0; at < 1024; at++) {
		uint64_t granule = entry(t, at) / 32;

		if (entry(t, at) != UINT64_MAX)
			ck_assert_uint_eq(gputm_h3_index(h3, at / 256, granule), at % 256);
	}
	gputm_h3_free(h3);
}
