/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of reader_list: life, Fig. 10 and Table 1, tightness at a full pool, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/reader_list.h"

KIT_UNIT(reader_list, READER_LIST);

static void add(struct gputm_reader_list *list, uint64_t address, uint32_t tx)
{
	ck_assert_int_eq(gputm_reader_list_add_probe(list, address, tx), GPUTM_READER_LIST_ADDED);
	ck_assert_int_eq(gputm_reader_list_add(list, address, tx), GPUTM_READER_LIST_ADDED);
}

static int count_of(const struct gputm_reader_list *list, uint64_t address)
{
	return gputm_reader_list_readers(list, address, NULL, 0);
}

static void refused(struct gputm_reader_list *list, uint64_t address, uint32_t tx, int why)
{
	uint32_t used = gputm_reader_list_used(list);
	int readers = count_of(list, address);

	ck_assert_int_eq(gputm_reader_list_add_probe(list, address, tx), why);
	ck_assert_int_eq(gputm_reader_list_add(list, address, tx), why);
	ck_assert_uint_eq(gputm_reader_list_used(list), used);
	ck_assert_int_eq(count_of(list, address), readers);
}

static void is_leaf(const struct gputm_reader_list *list, uint64_t address, uint32_t index,
		    uint32_t position, uint64_t vector)
{
	struct gputm_reader_list_entry entry;

	ck_assert_int_eq(gputm_reader_list_get_entry(list, address, index, &entry), 0);
	KIT_HAS(entry, type, GPUTM_READER_LIST_TYPE_LEAF, position, position, vector, vector);
}

static void is_root(const struct gputm_reader_list *list, uint64_t address, uint64_t vector)
{
	struct gputm_reader_list_entry entry;

	ck_assert_int_eq(gputm_reader_list_get_entry(list, address, 0, &entry), 0);
	KIT_HAS(entry, type, GPUTM_READER_LIST_TYPE_ROOT, vector, vector);
}

/* The second round and all later ones need no memory that the first did not take. */
KIT_TESTS(test_reader_list_words_without_readers_give_their_blocks_back, 2)
{
	struct gputm_reader_list *list = make(kit, "fold=%d", _i);
	long allocations = 0;

	for (unsigned round = 0; round < 100; round++) {
		for (uint32_t tx = 0; tx < 8; tx++)
			ck_assert_int_eq(gputm_reader_list_add(list, 64, tx), 0);
		for (uint32_t tx = 0; tx < 8; tx++)
			ck_assert_int_eq(gputm_reader_list_remove(list, 64, tx), 0);
		allocations = round ? allocations : kit->allocations;
	}
	ck_assert_uint_eq(kit_stat(unit_of(list), "folded"), _i ? 100 : 0);
	ck_assert_int_eq(kit->allocations, allocations);
}

KIT_MADE(test_fig_10_bit_11_of_leaf_21_is_683, list, NULL)
{
	struct gputm_reader_list_entry entry;
	uint32_t ids[4] = { 0 };

	ck_assert_uint_eq(32 * 21 + 11, 683);
	add(list, 0x1000, 683);
	add(list, 0x1000, 5);
	add(list, 0x1003, 1023); /* the same word */
	ck_assert_int_eq(gputm_reader_list_get_entry(list, 0x1000, 0, &entry), 0);
	KIT_HAS(entry, type, GPUTM_READER_LIST_TYPE_PLAIN, count, 3);
	ck_assert_uint_eq(entry.id[0], 5);
	ck_assert_uint_eq(entry.id[1], 683);
	ck_assert_uint_eq(entry.id[2], 1023);
	ck_assert_int_eq(gputm_reader_list_get_entry(list, 0x1000, 1, &entry), -ERANGE);

	add(list, 0x1000, 40);
	ck_assert_int_eq(gputm_reader_list_entries(list, 0x1000), 5);
	is_root(list, 0x1000, 0x80200003);
	is_leaf(list, 0x1000, 1, 0, 0x20);
	is_leaf(list, 0x1000, 2, 1, 0x100);
	is_leaf(list, 0x1000, 3, 21, 1 << 11);
	is_leaf(list, 0x1000, 4, 31, 0x80000000);
	ck_assert_int_eq(gputm_reader_list_get_entry(list, 0x1000, 5, &entry), -ERANGE);
	ck_assert_int_eq(gputm_reader_list_readers(list, 0x1000, ids, 3), 4);
	ck_assert_uint_eq(ids[0], 0);
	ck_assert_int_eq(gputm_reader_list_readers(list, 0x1000, ids, 4), 4);
	ck_assert_uint_eq(ids[0], 5);
	ck_assert_uint_eq(ids[1], 40);
	ck_assert_uint_eq(ids[2], 683);
	ck_assert_uint_eq(ids[3], 1023);

	ck_assert_int_eq(gputm_reader_list_remove(list, 0x1000, 683), 0);
	ck_assert_int_eq(gputm_reader_list_entries(list, 0x1000), 4);
	is_root(list, 0x1000, 0x80000003);
	is_leaf(list, 0x1000, 3, 31, 0x80000000);
	kit_round_trip(&reader_list_maker, unit_of(list));
}

KIT_MADE(test_section_4_2_worst_case_is_33_entries, list, "entries=33")
{
	for (uint32_t leaf = 0; leaf < 32; leaf++)
		add(list, 64, 32 * leaf + leaf);
	ck_assert_uint_eq(gputm_reader_list_used(list), 33);
	refused(list, 68, 0, GPUTM_READER_LIST_FULL);
	for (uint32_t tx = 0; tx < 1024; tx++)
		if (tx % 33)
			add(list, 64, tx);
	ck_assert_uint_eq(gputm_reader_list_used(list), 33);
	ck_assert_int_eq(count_of(list, 64), 1024);
	for (uint32_t tx = 0; tx < 1024; tx++)
		ck_assert_int_eq(gputm_reader_list_remove(list, 64, tx), 0);
	ck_assert_uint_eq(gputm_reader_list_used(list), 0);
	add(list, 68, 0);
}

static uint64_t storage_bits(struct kit *kit, const char *preset)
{
	return gputm_unit_storage_bits(unit_of(make(kit, "%s", preset)));
}

/* 740 kB in the paper are 740 KiB; 87,856 entries are what fits them. */
KIT_TEST(test_table_1_storage)
{
	ck_assert_uint_eq(740 * 1024 * 8 / 69, 87856);
	ck_assert_uint_eq(87856 / 33, 2662);
	ck_assert_uint_eq(storage_bits(kit, "isca-2017"), 87856 * 69);
	ck_assert_uint_eq(87856 * 69 / 8, 757758);
	ck_assert_uint_eq(storage_bits(kit, "retained"), 87856 * (30 + 2 + 64));
}

/* The fourth reader needs a root and its leaves: refused with one entry less. */
KIT_TEST(test_reader_list_fourth_reader_is_tight)
{
	static const uint32_t tx[4] = { 0, 40, 80, 81 };

	for (uint32_t entries = 4; entries < 6; entries++) {
		struct gputm_reader_list *list = make(kit, "entries=%u", entries);

		for (unsigned i = 0; i < 3; i++)
			add(list, 8, tx[i]);
		ck_assert_int_eq(gputm_reader_list_readers(list, 8, NULL, 2), 3);
		add(list, 12, 7);
		if (entries == 4) {
			refused(list, 8, tx[3], GPUTM_READER_LIST_FULL);
			ck_assert_int_eq(gputm_reader_list_entries(list, 8), 1);
			ck_assert_int_eq(gputm_reader_list_remove(list, 12, 7), 0);
		}
		add(list, 8, tx[3]);
		ck_assert_int_eq(gputm_reader_list_entries(list, 8), 4);
		refused(list, 8, tx[2], GPUTM_READER_LIST_ALREADY);
		if (entries == 5)
			refused(list, 8, 1000, GPUTM_READER_LIST_FULL);
		kit_valid(unit_of(list));
	}
}

/* A fourth reader for whose vectors there is no memory changes nothing, and joins later. */
KIT_TEST(test_reader_list_vectors_without_memory)
{
	struct gputm_reader_list *list;
	unsigned refused = 0;

	ck_assert_int_eq(gputm_reader_list_new(kit->ctx, NULL, &list), 0);
	for (uint64_t address = 0; address < 400; address += 4) {
		uint64_t digest;
		int result;

		for (uint32_t tx = 0; tx < 3; tx++)
			add(list, address, 100 * tx);
		digest = kit_digest(gputm_reader_list_unit(list));
		kit->fail_at = kit->allocations + refused % 2;
		result = gputm_reader_list_add(list, address, 1);
		kit->fail_at = -1;
		if (result == GPUTM_READER_LIST_ADDED)
			continue;
		refused++;
		ck_assert_int_eq(result, -ENOMEM);
		ck_assert_uint_eq(kit_digest(gputm_reader_list_unit(list)), digest);
		add(list, address, 1);
		ck_assert_int_eq(count_of(list, address), 4);
	}
	ck_assert_uint_ge(refused, 3);
	kit_valid(gputm_reader_list_unit(list));
	gputm_reader_list_free(list);
}

KIT_MADE(test_reader_list_fold, list, "entries=16 fold=1")
{
	struct gputm_reader_list_entry entry;

	for (uint32_t tx = 0; tx < 4; tx++)
		add(list, 8, 255 * tx);
	ck_assert_int_eq(gputm_reader_list_remove(list, 8, 255), 0);
	ck_assert_int_eq(gputm_reader_list_entries(list, 8), 1);
	ck_assert_int_eq(gputm_reader_list_get_entry(list, 8, 0, &entry), 0);
	ck_assert_uint_eq(entry.id[0], 0);
	ck_assert_uint_eq(entry.id[1], 510);
	ck_assert_uint_eq(entry.id[2], 765);
	ck_assert_uint_eq(kit_stat(unit_of(list), "folded"), 1);
}

/* A reset empties the place of each word, the last one of the map, too. */
KIT_MADE(test_reader_list_reset_forgets_each_word, list, "entries=8")
{
	uint64_t none = kit_digest(unit_of(list));

	for (uint64_t word = 0; word < 500; word++) {
		for (uint32_t tx = 0; tx < 5; tx++)
			add(list, 4 * word, tx);
		gputm_unit_reset(unit_of(list));
		ck_assert_uint_eq(kit_digest(unit_of(list)), none);
		add(list, 4 * word, 7);
		ck_assert_int_eq(count_of(list, 4 * word), 1);
		gputm_unit_reset(unit_of(list));
	}
}

KIT_MADE(test_reader_list_misuse_changes_nothing, list, "entries=64")
{
	struct gputm_reader_list_entry entry;
	uint32_t id = 4711;

	for (uint32_t tx = 0; tx < 5; tx++)
		add(list, 0xfffffffc, tx);
	add(list, 0, 1023);
	kit_guard(kit, unit_of(list));
	KIT_REFUSED(-EINVAL, gputm_reader_list_remove(list, 0, 5),
		    "reader_list", "transaction 5", "0x0");
	KIT_REFUSED(-EINVAL, gputm_reader_list_remove(list, 4, 1023), "");
	KIT_REFUSED(-EINVAL, gputm_reader_list_remove(list, 0xfffffffc, 5), "");
	KIT_REFUSED(-ERANGE, gputm_reader_list_remove(list, 0, 1024), "");
	KIT_REFUSED(-ERANGE, gputm_reader_list_add(list, 0, 1024),
		    "transaction = 1024", "0 .. 1023");
	KIT_REFUSED(-ERANGE, gputm_reader_list_add_probe(list, UINT64_C(1) << 32, 0),
		    "address = 4294967296");
	KIT_REFUSED(-ERANGE, gputm_reader_list_readers(list, UINT64_C(1) << 32, &id, 1), "");
	KIT_REFUSED(-ERANGE, gputm_reader_list_entries(list, UINT64_C(1) << 32), "");
	KIT_REFUSED(-ERANGE, gputm_reader_list_get_entry(list, UINT64_C(1) << 32, 0, &entry),
		    "address = 4294967296");
	ck_assert_int_eq(gputm_reader_list_readers(list, UINT32_MAX, &id, 1), 5);
	ck_assert_int_eq(gputm_reader_list_readers(list, 4, &id, 1), 0);
	ck_assert_uint_eq(id, 4711);
	kit_unchanged(kit);
}

/* Random runs: entries, root bits, leaf bits, address bits, word bytes, fold, words. */
static const uint32_t geometry[][7] = {
	{ 40, 32, 32, 32, 4, 0, 8 }, { 70, 32, 32, 32, 4, 1, 8 },   { 1, 8, 8, 16, 4, 0, 4 },
	{ 90, 64, 32, 40, 8, 0, 6 }, { 300, 64, 64, 64, 4, 1, 40 }, { 25, 8, 16, 24, 64, 0, 20 },
};

static void compare(const struct gputm_reader_list *list, struct oracle_reader_list *o,
		    uint64_t address)
{
	static uint32_t ids[4096], expected[4096];
	int count = gputm_reader_list_readers(list, address, ids, 4096);

	ck_assert_int_eq(count, (int)oracle_reader_list_readers(o, address, expected));
	ck_assert_mem_eq(ids, expected, (size_t)count * sizeof(*ids));
	ck_assert_int_eq(count_of(list, address), count);
	ck_assert_int_eq(gputm_reader_list_entries(list, address),
			 (int)oracle_reader_list_entries(o, address));
}

/* Additions outweigh removals for a while, then the reverse, so that all fill levels occur. */
static void step(struct gputm_reader_list *list, struct oracle_reader_list *o, unsigned i,
		 uint32_t words, struct kit_bytes *bytes)
{
	uint64_t word = kit_draw(bytes, words);
	uint64_t address = word * word * word * o->config.word_bytes;
	uint32_t all = o->config.root_bits * o->config.leaf_bits;
	uint32_t tx = kit_u32(bytes, kit_draw(bytes, 2) ? all : 8), ids[4096];
	unsigned readers;

	if (kit_draw(bytes, 10) < (i / 300 % 2 ? 4 : 7)) {
		int probe = gputm_reader_list_add_probe(list, address, tx);

		ck_assert_int_eq(gputm_reader_list_add(list, address, tx), probe);
		ck_assert_int_eq(oracle_reader_list_add(o, address, tx), probe);
	} else {
		readers = oracle_reader_list_readers(o, address, ids);
		if (readers && kit_draw(bytes, 8))
			tx = ids[kit_draw(bytes, readers)];
		ck_assert_int_eq(gputm_reader_list_remove(list, address, tx),
				 oracle_reader_list_remove(o, address, tx));
	}
	ck_assert_uint_eq(gputm_reader_list_used(list), oracle_reader_list_used(o));
	compare(list, o, address);
}

KIT_DRIVE(reader_list, KIT_COUNT(geometry), 15000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 80), 8u << kit_u32(bytes, 4),
				 8u << kit_u32(bytes, 4), 32, 4, kit_u32(bytes, 2), 16 };
	struct oracle_reader_list *o = malloc(sizeof(*o));
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_reader_list *list = make(
		kit, "entries=%u root_bits=%u leaf_bits=%u address_bits=%u word_bytes=%u fold=%u",
		g[0], g[1], g[2], g[3], g[4], g[5]);

	ck_assert_ptr_nonnull(o);
	ORACLE_OPEN(o, gputm_unit_config(unit_of(list)));
	for (unsigned i = 0; kit_more(bytes); i++) {
		step(list, o, i, g[6], bytes);
		list = KIT_TURN(reader_list, list);
	}
	KIT_STATS_END(reader_list, list, &o->stats, ORACLE_READER_LIST_STATS);
	free(o);
}

KIT_MADE(test_reader_list_tells_its_observer, list, "entries=5 fold=1")
{
	for (uint32_t tx = 0; tx < 4; tx++)
		add(list, 8, tx * 32);
	refused(list, 12, 0, GPUTM_READER_LIST_FULL);
	ck_assert_int_eq(gputm_reader_list_remove(list, 8, 0), 0);
	kit_heard("add=4 remove=1 refuse=1 expand=1 fold=1");
}
