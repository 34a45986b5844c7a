/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of access_coalescer: life, regions, duplicates, what memory ends up with, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/access_coalescer.h"

#define MOST 200 /* words of a group in these tests */

KIT_UNIT(access_coalescer, ACCESS_COALESCER);

/* The example that opens the source: five words of five lanes, two regions of 32 B. */
KIT_MADE(test_access_coalescer_merges_a_row, coalescer, NULL)
{
	static const uint64_t address[5] = { 0x40, 0x44, 0x80, 0x5c, 0x44 };
	static const uint32_t value[5] = { 10, 11, 12, 13, 14 };
	struct gputm_access_coalescer_summary summary;
	struct gputm_access_coalescer_access out[5];

	ck_assert_int_eq(
		gputm_access_coalescer_merge_row(coalescer, 0x1f, address, value, out, &summary),
		2);
	KIT_HAS(out[0], address, 0x40, word_mask, 1 | 2 | 128, lane_mask, 1 | 2 | 8 | 16, words, 4);
	ck_assert_uint_eq(out[0].value[0], 10);
	ck_assert_uint_eq(out[0].value[1], 14);
	ck_assert_uint_eq(out[0].value[7], 13);
	KIT_HAS(out[1], address, 0x80, word_mask, 1, lane_mask, 4);
	KIT_HAS(summary, accesses, 2, words, 5, duplicates, 1, saved, 3);
}

/* The address of a lane that is off counts for nothing, also where it lies between two others. */
KIT_MADE(test_access_coalescer_a_lane_that_is_off_accesses_nothing, coalescer, NULL)
{
	static const uint64_t address[3] = { 0x40, 0x44, 0x48 };
	struct gputm_access_coalescer_access out[3];

	ck_assert_int_eq(gputm_access_coalescer_merge_row(coalescer, 5, address, NULL, out, NULL),
			 1);
	KIT_HAS(out[0], word_mask, 5, lane_mask, 5, words, 2);
}

static int row_of_32(struct gputm_access_coalescer *coalescer, const uint64_t *address,
		     struct gputm_access_coalescer_access *out)
{
	return gputm_access_coalescer_merge_row(coalescer, 0xffffffff, address, NULL, out, NULL);
}

/* A warp's 32 adjacent words: one line of 128 B, two of 64 B, four of 32 B (thesis 2.3). */
KIT_TESTS(test_thesis_2_3_adjacent_words_make_whole_lines, 3)
{
	const uint32_t region_bytes = 32u << _i;
	struct gputm_access_coalescer *coalescer = make(kit, "region_bytes=%u", region_bytes);
	struct gputm_access_coalescer_access out[32];
	uint64_t address[32];

	for (unsigned lane = 0; lane < 32; lane++)
		address[lane] = 0x1000 + 4 * (31 - lane);
	ck_assert_int_eq(row_of_32(coalescer, address, out), 4 >> _i);
	KIT_HAS(out[0], address, 0x1080 - region_bytes, word_mask,
		0xffffffff >> (32 - region_bytes / 4), lane_mask, out[0].word_mask);
	for (unsigned lane = 0; lane < 32; lane++)
		address[lane] = 0x1000 + (uint64_t)region_bytes * lane;
	ck_assert_int_eq(row_of_32(coalescer, address, out), 32);
	ck_assert_int_eq(gputm_access_coalescer_merge_row(coalescer, 0, address, NULL, out, NULL),
			 0);
	ck_assert_uint_eq(kit_stat(unit_of(coalescer), "per_group"), 3);
}

/* Regions keep the order in which they first appear; a later word does not move them. */
KIT_MADE(test_access_coalescer_keeps_the_order_of_regions, coalescer, NULL)
{
	static const struct gputm_access_coalescer_word access[] = {
		{ 0x80, 1, 0 }, { 0x00, 2, 0 }, { 0x84, 3, 1 }, { 0x40, 4, 0 }, { 0x80, 5, 2 }
	};
	struct gputm_access_coalescer_access out[5];

	ck_assert_int_eq(gputm_access_coalescer_merge_log(coalescer, 5, access, true, out, NULL),
			 3);
	ck_assert_uint_eq(out[0].address, 0x80);
	ck_assert_uint_eq(out[1].address, 0x00);
	ck_assert_uint_eq(out[2].address, 0x40);
	ck_assert_uint_eq(out[0].value[0], 5);
	ck_assert_uint_eq(out[0].value[1], 3);
	ck_assert_uint_eq(out[0].lane_mask, 7);
}

KIT_TEST(test_access_coalescer_bounds_are_tight)
{
	struct gputm_access_coalescer_word access[4] = {
		{ 0, 0, 0 }, { 4, 0, 1 }, { 0xfffc, 0, 7 }, { 8, 0, 0 }
	};
	uint64_t address[9] = { 0, 4, 8, 12, 16, 20, 24, 0xfffc, 0 };
	struct gputm_access_coalescer_access out[8], before[8];
	struct gputm_access_coalescer *coalescer;

	memset(out, 0x5a, sizeof(out));
	memcpy(before, out, sizeof(out));
	coalescer = make(kit, "lanes=8 words=3 address_bits=16");
	kit_guard(kit, unit_of(coalescer));
	KIT_REFUSED(-ERANGE,
		    gputm_access_coalescer_merge_row(coalescer, 0x100, address, NULL, out, NULL),
		    "lane_mask = 256", "0 .. 255");
	address[3] = 0x10000;
	KIT_REFUSED(-ERANGE,
		    gputm_access_coalescer_merge_row(coalescer, 0xff, address, NULL, out, NULL),
		    "address = 65536", "0 .. 65535");
	address[3] = 14;
	KIT_REFUSED(-EINVAL,
		    gputm_access_coalescer_merge_row(coalescer, 0xff, address, NULL, out, NULL),
		    "address = 14", "multiple of 4");
	KIT_REFUSED(-ERANGE,
		    gputm_access_coalescer_merge_log(coalescer, 4, access, false, out, NULL),
		    "count = 4", "0 .. 3");
	access[1].lane = 8;
	KIT_REFUSED(-ERANGE,
		    gputm_access_coalescer_merge_log(coalescer, 3, access, false, out, NULL),
		    "lane = 8", "0 .. 7");
	access[1].lane = 1;
	access[1].address = 5;
	KIT_REFUSED(-EINVAL,
		    gputm_access_coalescer_merge_log(coalescer, 3, access, false, out, NULL), "");
	ck_assert_mem_eq(out, before, sizeof(out));
	kit_unchanged(kit);
	/* lane 3 takes no part, so what stands there does not matter */
	ck_assert_int_eq(
		gputm_access_coalescer_merge_row(coalescer, 0xf7, address, NULL, out, NULL), 2);
	access[1].address = 4;
	ck_assert_int_eq(gputm_access_coalescer_merge_log(coalescer, 3, access, false, out, NULL),
			 2);
}

KIT_TEST(test_access_coalescer_widest)
{
	struct gputm_access_coalescer *coalescer;
	struct gputm_access_coalescer_access out[64];
	uint64_t address[64];

	for (unsigned lane = 0; lane < 64; lane++)
		address[lane] = UINT64_MAX - 3 - (uint64_t)lane * 128;
	coalescer = make(kit, "region_bytes=128 lanes=64 words=1 address_bits=64");
	ck_assert_int_eq(
		gputm_access_coalescer_merge_row(coalescer, UINT64_MAX, address, NULL, out, NULL),
		64);
	ck_assert_uint_eq(out[0].address, UINT64_MAX - 127);
	KIT_HAS(out[63], word_mask, UINT32_C(1) << 31, lane_mask, UINT64_C(1) << 63);
}

/* Region bytes, lanes, address bits, span of the addresses in words. */
static const uint32_t geometry[][4] = {
	{ 32, 32, 32, 64 }, { 64, 64, 64, 4000 }, { 128, 32, 32, 100 }, { 32, 1, 12, 1024 },
};

static uint32_t draw(const struct gputm_access_coalescer_config *config, uint32_t span,
		     struct gputm_access_coalescer_word *access, struct kit_bytes *bytes)
{
	uint32_t count = kit_u32(bytes, MOST + 1);

	for (uint32_t i = 0; i < count; i++) {
		access[i].address = kit_draw(bytes, span) * 4;
		access[i].value = (uint32_t)bytes->left;
		access[i].lane = kit_u32(bytes, config->lanes);
		if (i && kit_draw(bytes, 2))
			access[i].address = access[i - 1].address & ~UINT64_C(31);
	}
	if (count && kit_draw(bytes, 20) == 0) {
		struct gputm_access_coalescer_word *odd = &access[kit_draw(bytes, count)];

		odd->address |= UINT64_C(1) << kit_draw(bytes, 20);
	}
	return count;
}

/* What memory holds when the words are written one by one, and region by region. */
static void same_memory(const struct gputm_access_coalescer_word *access, uint32_t count,
			const struct gputm_access_coalescer_access *out, int regions)
{
	static uint32_t one[1 << 19], other[1 << 19];

	for (uint32_t i = 0; i < count; i++)
		one[access[i].address / 4] = access[i].value;
	for (int i = 0; i < regions; i++)
		for (EACH_LANE(word, out[i].word_mask))
			other[out[i].address / 4 + word] = out[i].value[word];
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(one[access[i].address / 4], other[access[i].address / 4]);
}

static void compare_log(struct gputm_access_coalescer *coalescer,
			struct oracle_access_coalescer *o, uint32_t count,
			const struct gputm_access_coalescer_word *access, bool write)
{
	static struct gputm_access_coalescer_access out[MOST], expected[MOST];
	struct gputm_access_coalescer_summary summary, sum;
	int regions =
		gputm_access_coalescer_merge_log(coalescer, count, access, write, out, &summary);

	ck_assert_int_eq(regions,
			 oracle_access_coalescer_log(o, count, access, write, expected, &sum));
	if (regions < 0)
		return;
	for (int i = 0; i < regions; i++)
		ck_assert(oracle_access_coalescer_same(&out[i], &expected[i], write));
	ck_assert_mem_eq(&summary, &sum, sizeof(sum));
	ck_assert_uint_eq(summary.words, summary.accesses + summary.saved);
	if (write)
		same_memory(access, count, out, regions);
}

/* A row is the log of its lanes in ascending order. */
static void compare_row(struct gputm_access_coalescer *coalescer,
			struct oracle_access_coalescer *o, uint32_t count,
			const struct gputm_access_coalescer_word *access, bool write)
{
	struct gputm_access_coalescer_summary summary, sum;
	struct gputm_access_coalescer_access out[64], expected[64];
	struct gputm_access_coalescer_word row[64];
	uint64_t address[64] = { 0 }, lanes = 0;
	uint32_t value[64] = { 0 }, words = 0;
	int regions;

	for (uint32_t i = 0; i < count; i++) {
		lanes |= UINT64_C(1) << access[i].lane;
		address[access[i].lane] = access[i].address;
		value[access[i].lane] = access[i].value;
	}
	for (uint32_t lane = 0; lane < o->config.lanes; lane++) {
		struct gputm_access_coalescer_word word = { address[lane], value[lane], lane };

		if (lanes >> lane & 1)
			row[words++] = word;
	}
	regions = gputm_access_coalescer_merge_row(coalescer, lanes, address, write ? value : NULL,
						   out, &summary);
	ck_assert_int_eq(regions,
			 oracle_access_coalescer_log(o, words, row, write, expected, &sum));
	for (int i = 0; i < regions; i++)
		ck_assert(oracle_access_coalescer_same(&out[i], &expected[i], write));
	if (regions >= 0)
		ck_assert_mem_eq(&summary, &sum, sizeof(sum));
}

/* Neighbouring lanes, one word after the other; now and then one is off, or nears an end. */
static uint32_t draw_run(const struct gputm_access_coalescer_config *config,
			 struct gputm_access_coalescer_word *access, struct kit_bytes *bytes)
{
	uint64_t top = config->address_bits == 64 ? 0 : UINT64_C(1) << config->address_bits;
	uint32_t first = kit_u32(bytes, config->lanes);
	uint32_t count = 1 + kit_u32(bytes, config->lanes - first);
	uint64_t base = 4 * kit_draw(bytes, 256);

	if (kit_draw(bytes, 4) == 0)
		base = top - 4 * kit_draw(bytes, 40);
	for (uint32_t i = 0; i < count; i++)
		access[i] = (struct gputm_access_coalescer_word){ base + 4 * i, i, first + i };
	if (kit_draw(bytes, 3) == 0) {
		struct gputm_access_coalescer_word *odd = &access[kit_draw(bytes, count)];

		odd->address += kit_draw(bytes, 16);
	}
	if (kit_draw(bytes, 3) == 0)
		access[kit_draw(bytes, count)].lane = access[0].lane;
	return count;
}

KIT_DRIVE(access_coalescer, KIT_COUNT(geometry), 300000)
{
	const uint32_t any[] = { 32u << kit_u32(bytes, 3), 1 + kit_u32(bytes, 64),
				 8 + kit_u32(bytes, 57), 4000 };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_access_coalescer_config config =
		with("region_bytes=%u lanes=%u address_bits=%u words=%d", g[0], g[1], g[2], MOST);
	struct gputm_access_coalescer_word access[MOST];
	struct gputm_access_coalescer *coalescer = make_of(kit, &config);
	struct oracle_access_coalescer o = { .config = config };

	for (KIT_TURNS(access_coalescer, coalescer)) {
		uint32_t count = draw(&config, g[3], access, bytes);

		compare_log(coalescer, &o, count, access, kit_draw(bytes, 2));
		compare_row(coalescer, &o, count, access, kit_draw(bytes, 2));
		for (unsigned i = 0; i < 8; i++) {
			count = draw_run(&config, access, bytes);
			compare_row(coalescer, &o, count, access, kit_draw(bytes, 2));
		}
	}
	KIT_STATS_END(access_coalescer, coalescer, &o.stats, ORACLE_ACCESS_COALESCER_STATS);
}

KIT_MADE(test_access_coalescer_tells_its_observer, coalescer, NULL)
{
	static const struct gputm_access_coalescer_word access[] = { { 4, 0, 0 },
								     { 4, 0, 1 },
								     { 64, 0, 2 } };
	struct gputm_access_coalescer_access out[3];

	ck_assert_int_eq(gputm_access_coalescer_merge_log(coalescer, 3, access, true, out, NULL),
			 2);
	KIT_TOLD("group", 1, 3, 2, 1, 1);
}
