/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of writer_table: life, one writer per word, commits that stay, batches, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/writer_table.h"

KIT_UNIT(writer_table, WRITER_TABLE);

#define CLAIMED GPUTM_WRITER_TABLE_CLAIMED
#define OWN GPUTM_WRITER_TABLE_OWN
#define HELD GPUTM_WRITER_TABLE_HELD
#define CONFLICT GPUTM_WRITER_TABLE_CONFLICT
#define FULL GPUTM_WRITER_TABLE_FULL

static void claim(struct gputm_writer_table *t, uint64_t address, uint32_t tx, uint64_t snapshot,
		  int result)
{
	ck_assert_int_eq(gputm_writer_table_claim_probe(t, address, tx, snapshot), result);
	ck_assert_int_eq(gputm_writer_table_claim(t, address, tx, snapshot), result);
	kit_valid(unit_of(t));
}

/* The example at the top of the source. */
KIT_MADE(test_section_4_2_single_writer, t, NULL)
{
	struct gputm_writer_table_writer writer[3];

	claim(t, 0x40, 7, 3, CLAIMED);
	claim(t, 0x42, 7, 3, OWN);
	claim(t, 0x40, 8, 3, HELD);
	claim(t, 0x44, 8, 3, CLAIMED);
	ck_assert_int_eq(gputm_writer_table_commit(t, 0x40, 7, 4), 0);
	claim(t, 0x40, 9, 3, CONFLICT);
	claim(t, 0x40, 9, 4, CLAIMED);
	memset(writer, 0xff, sizeof(writer));
	ck_assert_int_eq(gputm_writer_table_writers(t, 0x40, writer, 1), 2);
	ck_assert_uint_eq(writer[1].tx, UINT32_MAX);
	ck_assert_int_eq(gputm_writer_table_writers(t, 0x40, writer, 2), 2);
	ck_assert_uint_eq(writer[0].tx, 9);
	ck_assert(!writer[0].committed);
	ck_assert_uint_eq(writer[1].tx, 7);
	ck_assert(writer[1].committed);
	ck_assert_uint_eq(writer[1].version, 4);
	ck_assert_uint_eq(gputm_writer_table_used(t), 3);
	ck_assert_int_eq(gputm_writer_table_release(t, 0x40, 7), 0);
	ck_assert_int_eq(gputm_writer_table_release(t, 0x40, 9), 0);
	ck_assert_int_eq(gputm_writer_table_writers(t, 0x40, NULL, 0), 0);
	kit_round_trip(&writer_table_maker, unit_of(t));
}

KIT_MADE(test_section_5_release_at_commit, t, "entries=1 release_at_commit=1")
{
	claim(t, 0, 7, 3, CLAIMED);
	ck_assert_int_eq(gputm_writer_table_commit(t, 0, 7, 4), 0);
	ck_assert_uint_eq(gputm_writer_table_used(t), 0);
	claim(t, 0, 9, 3, CLAIMED);
}

KIT_MADE(test_section_5_of_two_at_once_the_larger_aborts, t, "entries=8")
{
	static const struct gputm_writer_table_request claims[] = {
		{ 0x40, 0, 9 }, { 0x40, 0, 3 }, { 0x80, 0, 9 }, { 0x40, 0, 5 }, { 0x44, 0, 4 },
	};
	static const int expected[] = { HELD, CLAIMED, FULL, HELD, CLAIMED };
	struct gputm_writer_table_request bad[2] = { { 0x40, 0, 3 }, { 0x40, 0, 1024 } };
	int result[65] = { 0, 0, 4711 };

	ck_assert_int_eq(gputm_writer_table_claim_batch(t, 2, claims, result), 0);
	ck_assert_int_eq(result[2], 4711);
	ck_assert_uint_eq(gputm_writer_table_used(t), 1);
	t = make(kit, "entries=2");
	ck_assert_int_eq(gputm_writer_table_claim_batch(t, 2, bad, result), -ERANGE);
	ck_assert_int_eq(gputm_writer_table_claim_batch(t, 65, bad, result), -ERANGE);
	ck_assert_uint_eq(gputm_writer_table_used(t), 0);
	ck_assert_int_eq(gputm_writer_table_claim_batch(t, 5, claims, result), 0);
	ck_assert_mem_eq(result, expected, sizeof(expected));
}

KIT_MADE(test_writer_table_full_is_tight, t, "entries=3")
{
	for (uint32_t tx = 0; tx < 3; tx++)
		claim(t, 4 * tx, tx, 0, CLAIMED);
	claim(t, 12, 3, 0, FULL);
	ck_assert_int_eq(gputm_writer_table_commit(t, 8, 2, 1), 0);
	claim(t, 12, 3, 0, FULL); /* a committed writer takes its entry as well */
	claim(t, 8, 3, 1, FULL);
	ck_assert_int_eq(gputm_writer_table_release(t, 8, 2), 0);
	claim(t, 12, 3, 0, CLAIMED);
	ck_assert_uint_eq(kit_stat(unit_of(t), "full"), 3);
}

/* A snapshot that is said to be of a smaller table: two words, one of them written twice. */
KIT_TEST(test_writer_table_refuses_more_commits_than_entries)
{
	struct gputm_writer_table *t = make(kit, "entries=3"), *less = make(kit, "entries=2");
	const struct gputm_params *params = gputm_writer_table_params();
	size_t size, field = 0;
	uint8_t *bytes;

	claim(t, 0, 0, 0, CLAIMED);
	ck_assert_int_eq(gputm_writer_table_commit(t, 0, 0, 1), 0);
	claim(t, 0, 1, 1, CLAIMED);
	ck_assert_int_eq(gputm_writer_table_commit(t, 0, 1, 2), 0);
	claim(t, 4, 2, 0, CLAIMED);
	ck_assert_int_eq(gputm_writer_table_commit(t, 4, 2, 1), 0);
	size = gputm_unit_save_state(unit_of(t), NULL, 0);
	bytes = malloc(size);
	ck_assert_ptr_nonnull(bytes);
	gputm_unit_save_state(unit_of(t), bytes, size);
	while (strcmp(params->param[field].name, "entries"))
		field++;
	bytes[64 + 16 + 8 * field] = 2;
	kit_seal(bytes, size);
	kit_guard(kit, unit_of(less));
	KIT_REFUSED(-EINVAL, gputm_unit_load(unit_of(less), bytes, size),
		    "more commits than entries");
	kit_guard(kit, NULL);
	free(bytes);
}

KIT_MADE(test_writer_table_misuse_changes_nothing, t, "entries=8 version_bits=8")
{
	claim(t, 8, 1, 0, CLAIMED);
	ck_assert_int_eq(gputm_writer_table_commit(t, 8, 1, 9), 0);
	claim(t, 8, 2, 9, CLAIMED);
	kit_guard(kit, unit_of(t));
	claim(t, 8, 1, 9, -EINVAL);
	kit_said(kit, "transaction 1", "committed", NULL);
	claim(t, 8, 1024, 0, -ERANGE);
	claim(t, UINT64_C(1) << 32, 1, 0, -ERANGE);
	claim(t, 8, 3, 256, -ERANGE);
	kit_said(kit, "version = 256", "0 .. 255", NULL);
	KIT_REFUSED(-EINVAL, gputm_writer_table_commit(t, 8, 1, 10), "");
	KIT_REFUSED(-EINVAL, gputm_writer_table_commit(t, 8, 2, 8), "version = 8");
	KIT_REFUSED(-ERANGE, gputm_writer_table_commit(t, 8, 2, 256), "");
	KIT_REFUSED(-EINVAL, gputm_writer_table_release(t, 8, 3), "transaction 3", "0x8");
	KIT_REFUSED(-EINVAL, gputm_writer_table_release(t, 12, 2), "");
	KIT_REFUSED(-ERANGE, gputm_writer_table_release(t, 8, 1024), "transaction = 1024");
	KIT_REFUSED(-ERANGE, gputm_writer_table_writers(t, UINT64_C(1) << 32, NULL, 0), "");
	kit_unchanged(kit);
}

KIT_MADE(test_table_1_storage, t, "isca-2017")
{
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(t)), 15000 * 8);
}

/* Entries, transactions, address bits, word bytes, release at commit, words. */
static const uint32_t geometry[][6] = {
	{ 20, 8, 32, 4, 0, 6 }, { 200, 64, 64, 64, 0, 40 }, { 1, 2, 16, 4, 0, 2 },
	{ 30, 32, 32, 4, 1, 9 },
};

static void step(struct gputm_writer_table *t, struct oracle_writer_table *o, uint32_t words,
		 struct kit_bytes *bytes)
{
	uint64_t word = kit_draw(bytes, words);
	uint64_t address = word * word * o->config.word_bytes, version = kit_draw(bytes, 40);
	struct gputm_writer_table_writer got[64], expected[64];
	uint32_t tx = kit_u32(bytes, o->config.transactions);
	uint64_t what = kit_draw(bytes, 10);
	int count;

	if (what < 5) {
		int probe = gputm_writer_table_claim_probe(t, address, tx, version);

		ck_assert_int_eq(gputm_writer_table_claim(t, address, tx, version), probe);
		ck_assert_int_eq(oracle_writer_table_claim(o, address, tx, version), probe);
	} else {
		count = (int)oracle_writer_table_writers(o, address, expected);
		if (count && kit_draw(bytes, 8))
			tx = expected[kit_draw(bytes, (uint64_t)count)].tx;
		if (what < 8)
			ck_assert_int_eq(gputm_writer_table_commit(t, address, tx, version),
					 oracle_writer_table_commit(o, address, tx, version));
		else
			ck_assert_int_eq(gputm_writer_table_release(t, address, tx),
					 oracle_writer_table_release(o, address, tx));
	}
	ck_assert_uint_eq(gputm_writer_table_used(t), o->used);
	count = gputm_writer_table_writers(t, address, got, 64);
	ck_assert_int_eq(count, (int)oracle_writer_table_writers(o, address, expected));
	for (int i = 0; i < count; i++) {
		KIT_SAME(got[i], expected[i], tx, version, committed);
	}
}

KIT_DRIVE(writer_table, KIT_COUNT(geometry), 20000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 40), 2 + kit_u32(bytes, 15), 32, 4,
				 kit_u32(bytes, 4) == 0, 16 };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_writer_table_config config = with(
		"entries=%u transactions=%u address_bits=%u word_bytes=%u release_at_commit=%u",
		g[0], g[1], g[2], g[3], g[4]);
	struct oracle_writer_table o;
	struct gputm_writer_table *t = make_of(kit, &config);

	ORACLE_OPEN(&o, &config);
	for (KIT_TURNS(writer_table, t))
		step(t, &o, g[5], bytes);
	KIT_STATS_END(writer_table, t, &o.stats, ORACLE_WRITER_TABLE_STATS);
}

KIT_MADE(test_writer_table_tells_its_observer, t, NULL)
{
	claim(t, 8, 1, 0, CLAIMED);
	claim(t, 8, 2, 0, HELD);
	ck_assert_int_eq(gputm_writer_table_commit(t, 8, 1, 1), 0);
	ck_assert_int_eq(gputm_writer_table_release(t, 8, 1), 0);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(kit_events(i), 1);
}
