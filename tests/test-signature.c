/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of signature: life, the example of GPU-LocalTM, the uses of the thesis, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/signature.h"

KIT_UNIT(signature, SIGNATURE);

static void insert(struct gputm_signature *array, uint32_t index, uint64_t address)
{
	ck_assert_int_eq(gputm_signature_insert(array, index, address), 0);
}

/* The answer, after making sure that the probe agrees. */
static int maybe(struct gputm_signature *array, uint32_t index, uint64_t address)
{
	int answer = gputm_signature_maybe_contains_probe(array, index, address);

	ck_assert_int_eq(gputm_signature_maybe_contains(array, index, address), answer);
	return answer;
}

KIT_TEST(test_signature_fields_must_fit_each_other)
{
	make(kit, "bits=8"); /* 4 hashes of 2 bits each */
	KIT_REFUSED(-EINVAL, refuse(kit, "bits=8 hashes=8"), "signature",
		    "hashes = 8 is outside 1 .. 4");
	KIT_REFUSED(-EINVAL, refuse(kit, "bits=8 hash=modulo hashes=2"), "signature",
		    "hashes = 2 is outside 1 .. 1");
	make(kit, "bits=8 hash=modulo hashes=1 address_bits=8 granularity=128");
	KIT_REFUSED(-EINVAL,
		    refuse(kit, "bits=8 hash=modulo hashes=1 address_bits=8 granularity=256"),
		    "signature", "granularity = 256");
}

KIT_TEST(test_signature_storage_of_presets)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} expected[] = { { "bf-array", 120 * 1024 }, { "localtm", 256 } };

	for (size_t i = 0; i < 2; i++)
		ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(make(kit, "%s",
								       expected[i].name))),
				  expected[i].bytes * 8);
}

/* TRANSACT 2015, 3.3: word 35 is in bank 3 at position 1 and takes bit 1 of 8. */
KIT_MADE(test_localtm_3_3_word_35_takes_bit_1, array, "localtm")
{
	uint64_t mask[4] = { 1, 2, 3, 4 };

	insert(array, 3, 35 * 4);
	for (unsigned position = 0; position < 64; position++)
		ck_assert_int_eq(maybe(array, 3, (position * 32 + 3) * 4), position % 8 == 1);
	ck_assert_uint_eq(gputm_signature_population(array, 3), 1);
	insert(array, 200, (9 * 32 + 3) * 4);
	ck_assert_int_eq(gputm_signature_match(array, 35 * 4, mask), 2);
	ck_assert_uint_eq(mask[0], 1 << 3);
	ck_assert_uint_eq(mask[1], 0);
	ck_assert_uint_eq(mask[2], 0);
	ck_assert_uint_eq(mask[3], UINT64_C(1) << (200 - 192));
}

/* Thesis 6.3.2: each lane checks against the union of the write-sets of the lanes before it. */
KIT_MADE(test_signature_accumulates_lanes_before, array, "count=3")
{
	insert(array, 0, 0x100);
	insert(array, 1, 0x2000);
	ck_assert_int_eq(gputm_signature_union(array, 2, 0), 0);
	ck_assert_int_eq(maybe(array, 2, 0x100), GPUTM_SIGNATURE_MAYBE);
	ck_assert_int_eq(maybe(array, 2, 0x2000), GPUTM_SIGNATURE_ABSENT);
	ck_assert_int_eq(gputm_signature_union(array, 2, 1), 0);
	ck_assert_int_eq(maybe(array, 2, 0x100), GPUTM_SIGNATURE_MAYBE);
	ck_assert_int_eq(maybe(array, 2, 0x2000), GPUTM_SIGNATURE_MAYBE);
	ck_assert_int_eq(gputm_signature_clear(array, 2), 0);
	ck_assert_int_eq(maybe(array, 2, 0x100), GPUTM_SIGNATURE_ABSENT);
	ck_assert_int_eq(maybe(array, 0, 0x100), GPUTM_SIGNATURE_MAYBE);
	ck_assert_uint_eq(kit_stat(unit_of(array), "unions"), 2);
}

KIT_TEST(test_signature_one_bit_missing_is_absent)
{
	struct gputm_signature_config config = with("bits=8 hashes=2 granularity=4 address_bits=8");
	struct gputm_signature *array;
	uint32_t rows[2 * 6] = { 0 };

	rows[0] = rows[6 + 1] = 1; /* hash 0 looks at granule bit 0, hash 1 at bit 1 */
	rows[2] = rows[6 + 3] = 2;
	config.h3_rows = rows;
	array = make_of(kit, &config);
	memset(rows, 0xff, sizeof(rows)); /* the unit has a copy */
	insert(array, 0, 0 << 2);
	ck_assert_uint_eq(gputm_signature_population(array, 0), 2);
	ck_assert_int_eq(maybe(array, 0, 1 << 2), GPUTM_SIGNATURE_ABSENT);
	ck_assert_int_eq(maybe(array, 0, 2 << 2), GPUTM_SIGNATURE_ABSENT);
	ck_assert_int_eq(maybe(array, 0, 16 << 2), GPUTM_SIGNATURE_MAYBE); /* as 0 */
	insert(array, 0, 3 << 2);
	ck_assert_int_eq(maybe(array, 0, 1 << 2), GPUTM_SIGNATURE_MAYBE); /* a false positive */
	ck_assert_uint_eq(gputm_signature_population(array, 0), 4);
	kit_round_trip(&signature_maker, unit_of(array));
}

KIT_MADE(test_signature_ranges_are_tight, array, "count=2 address_bits=16")
{
	uint64_t mask = 4711;

	insert(array, 1, 0xffff);
	kit_guard(kit, unit_of(array));
	KIT_REFUSED(-ERANGE, gputm_signature_insert(array, 2, 0), "index = 2", "0 .. 1");
	KIT_REFUSED(-ERANGE, gputm_signature_insert(array, 1, 0x10000),
		    "address = 65536", "0 .. 65535");
	KIT_REFUSED(-ERANGE, gputm_signature_maybe_contains(array, 2, 0), "");
	KIT_REFUSED(-ERANGE, gputm_signature_maybe_contains(array, 1, 0x10000), "");
	KIT_REFUSED(-ERANGE, gputm_signature_match(array, UINT64_MAX, &mask), "");
	KIT_REFUSED(-ERANGE, gputm_signature_clear(array, 2), "");
	KIT_REFUSED(-ERANGE, gputm_signature_union(array, 2, 0), "");
	KIT_REFUSED(-ERANGE, gputm_signature_union(array, 0, 2), "");
	ck_assert_uint_eq(gputm_signature_population(array, 2), 0);
	ck_assert_uint_eq(mask, 4711);
	kit_unchanged(kit);
}

/* Count, bits, hashes, hash, granularity, address bits. */
static const uint32_t geometry[][6] = {
	{ 3, 64, 4, 0, 4, 32 },	 { 5, 8, 1, 1, 128, 16 }, { 70, 16, 1, 1, 4, 10 },
	{ 2, 32768, 8, 0, 1, 64 }, { 4, 8, 4, 0, 32, 40 },	 { 1, 512, 4, 0, 4, 32 },
};

static void compare(struct gputm_signature *array, struct oracle_signature *o, uint64_t address)
{
	uint64_t mask[2] = { 0, 0 }, expected[2] = { 0, 0 };
	int found = gputm_signature_match(array, address, mask);

	ck_assert_int_eq(found, oracle_signature_match(o, address, expected));
	ck_assert_mem_eq(mask, expected, sizeof(mask));
	if (found < 0)
		return;
	for (uint32_t i = 0; i < o->config.count; i++) {
		int answer = maybe(array, i, address);

		ck_assert_int_eq(answer, oracle_signature_maybe_contains(o, i, address));
		ck_assert(answer || !oracle_signature_truth(o, i, address));
		ck_assert_int_eq(mask[i >> 6] >> (i & 63) & 1, answer);
	}
	ck_assert_int_eq(gputm_signature_match(array, address, mask),
			 oracle_signature_match(o, address, expected));
}

static void step(struct gputm_signature *array, struct oracle_signature *o, struct kit_bytes *bytes)
{
	uint64_t address = kit_draw(bytes, 60) * o->config.granularity;
	uint32_t index = kit_u32(bytes, o->config.count + 1);
	uint32_t other = kit_u32(bytes, o->config.count + 1);

	address += kit_draw(bytes, 3);
	switch (kit_draw(bytes, 8)) {
	case 0:
		ck_assert_int_eq(gputm_signature_clear(array, index),
				 oracle_signature_clear(o, index));
		break;
	case 1:
		ck_assert_int_eq(gputm_signature_union(array, index, other),
				 oracle_signature_union(o, index, other));
		break;
	default:
		ck_assert_int_eq(gputm_signature_insert(array, index, address),
				 oracle_signature_insert(o, index, address));
	}
	ck_assert_uint_eq(gputm_signature_population(array, index),
			  oracle_signature_population(o, index));
	address = kit_draw(bytes, 64);
	compare(array, o, address < 60 ? address * o->config.granularity : kit_number(bytes, 2));
}

KIT_DRIVE(signature, KIT_COUNT(geometry), 2400)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 70),  8u << kit_u32(bytes, 5),
				 1u << kit_u32(bytes, 3), 0,
				 1u << kit_u32(bytes, 8), 8 + kit_u32(bytes, 57) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_signature_config config =
		with("count=%u bits=%u hashes=%u hash=%u granularity=%u address_bits=%u seed=%d",
		     g[0], g[1], g[2], g[3], g[4], g[5], bytes->round);
	struct gputm_signature *array = NULL;
	struct oracle_signature o;

	if (gputm_signature_new(kit->ctx, &config, &array))
		return;
	kit_observe(unit_of(array));
	oracle_signature_open(&o, &config);
	for (KIT_TURNS(signature, array))
		step(array, &o, bytes);
	oracle_signature_count_bits(&o);
	KIT_STATS_END(signature, array, &o.stats, ORACLE_SIGNATURE_STATS);
	oracle_signature_close(&o);
}

KIT_MADE(test_signature_tells_its_observer, array, "count=2")
{
	uint64_t mask;

	insert(array, 1, 0x40);
	ck_assert_int_eq(gputm_signature_union(array, 0, 1), 0);
	ck_assert_int_eq(gputm_signature_maybe_contains(array, 0, 0x40), 1);
	ck_assert_int_eq(gputm_signature_match(array, 0x40, &mask), 2);
	ck_assert_int_eq(gputm_signature_clear(array, 1), 0);
	KIT_TOLD("insert", 1, 1, 0x40, 4);
	KIT_TOLD("lookup", 1, 0, 0x40, GPUTM_SIGNATURE_MAYBE);
	KIT_TOLD("match", 1, 0x40, 2);
	KIT_TOLD("union", 1, 0, 1);
	KIT_TOLD("clear", 1, 1);
}
