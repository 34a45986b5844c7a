/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the base: context, parameter tables, messages, H3. */
#include "tests/kit.h"

KIT_MAKER(access_coalescer, ACCESS_COALESCER);
KIT_MAKER(recency_bloom, RECENCY_BLOOM);
KIT_MAKER(simt_stack, SIMT_STACK);
KIT_MAKER(tx_throttle, TX_THROTTLE);

static uint8_t image[1 << 16]; /* a snapshot */

static size_t save(const struct gputm_unit *unit)
{
	size_t size = gputm_unit_save(unit, image, sizeof(image));

	ck_assert_uint_le(size, sizeof(image));
	return size;
}

KIT_TEST(test_version_and_marker)
{
	ck_assert_int_eq(gputm_is_present(), 1);
	ck_assert_str_eq(gputm_version(), GPUTM_VERSION);
}

static void *no_alloc(size_t size, void *state)
{
	return NULL;
}

static void no_free(void *memory, void *state)
{
}

KIT_TEST(test_ctx_life)
{
	struct gputm_allocator half = { NULL, NULL, NULL, NULL };
	struct gputm_ctx *ctx = NULL;

	ck_assert_int_eq(gputm_ctx_new(&half, &ctx), -EINVAL);
	half.alloc = no_alloc;
	ck_assert_int_eq(gputm_ctx_new(&half, &ctx), -EINVAL);
	half.free = no_free;
	ck_assert_int_eq(gputm_ctx_new(&half, &ctx), -ENOMEM);
	ck_assert_ptr_null(ctx);
	gputm_ctx_unref(NULL);
	ck_assert_ptr_null(gputm_ctx_ref(NULL));
	ck_assert_int_eq(gputm_ctx_new(NULL, &ctx), 0);
	ck_assert_ptr_eq(gputm_ctx_ref(ctx), ctx);
	gputm_ctx_unref(ctx);
	gputm_ctx_unref(ctx);
}

KIT_BARE_TEST(test_ctx_outlives_its_owner_with_a_unit)
{
	struct gputm_recency_bloom *filter = NULL;
	struct kit kit;

	kit_open(&kit);
	ck_assert_int_eq(gputm_recency_bloom_new(kit.ctx, NULL, &filter), 0);
	gputm_ctx_unref(kit.ctx);
	ck_assert_int_gt(kit.live, 0);
	gputm_recency_bloom_free(filter);
	ck_assert_int_eq(kit.live, 0);
}

KIT_TEST(test_params_set_from_text)
{
	const struct gputm_params *params = gputm_recency_bloom_params();
	const struct gputm_params *clocks = gputm_warp_clock_params();
	struct gputm_warp_clock_config clock = GPUTM_WARP_CLOCK_CONFIG_INIT;
	struct gputm_tx_log_config log = GPUTM_TX_LOG_CONFIG_INIT;
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;

	ck_assert_int_eq(gputm_params_init(params, &config, sizeof(config)), 0);
	ck_assert_uint_eq(config.size, sizeof(config));
	ck_assert_int_eq(gputm_params_set(kit->ctx, params, &config, "entries", "0x400"), 0);
	ck_assert_uint_eq(config.entries, 1024);
	KIT_REFUSED(-ERANGE, gputm_params_set(kit->ctx, params, &config, "entries", "1000"),
		    "recency_bloom", "entries", "1000", "power of two", "1048576");
	KIT_REFUSED(-EINVAL, gputm_params_set(kit->ctx, params, &config, "entries", "many"),
		    "entries", "many", "1 .. 1048576");
	ck_assert_int_eq(gputm_params_set(kit->ctx, params, &config, "entries", ""), -EINVAL);
	ck_assert_int_eq(gputm_params_set(kit->ctx, params, &config, "seed",
					  "18446744073709551616"),
			 -EINVAL);
	ck_assert_int_eq(gputm_params_set(kit->ctx, params, &config, "seed",
					  "99999999999999999999999"),
			 -EINVAL);
	ck_assert_int_eq(
		gputm_params_set(kit->ctx, params, &config, "seed", "18446744073709551615"), 0);
	KIT_REFUSED(-EINVAL, gputm_params_set(kit->ctx, params, &config, "colour", "1"),
		    "colour", "there are ways, entries, ", "seed");
	KIT_REFUSED(-EINVAL, gputm_params_set(kit->ctx, params, &config, "entries", "1\n2\x7f"),
		    "entries = \"1\\x0a2\\x7f\" is not a number");
	KIT_REFUSED(-EINVAL, gputm_params_preset(kit->ctx, params, "huge", &config),
		    "huge", "there are kilo-tm, tcd, getm");
	ck_assert_int_eq(gputm_params_set(kit->ctx, gputm_tx_log_params(), &log, "filter", "bloom"),
			 -EINVAL);
	kit_said(kit, "tx_log: filter = \"bloom\"", "0 .. 2", "none, signature, perfect", NULL);
	ck_assert_uint_eq(config.entries, 1024);
	ck_assert_int_eq(gputm_params_set(kit->ctx, clocks, &clock, "per_core", "true"), 0);
	ck_assert(clock.per_core);
	ck_assert_int_eq(gputm_params_set(kit->ctx, clocks, &clock, "per_core", "false"), 0);
	ck_assert(!clock.per_core);
	ck_assert_int_eq(gputm_params_set(kit->ctx, clocks, &clock, "per_core", "1"), 0);
	ck_assert(clock.per_core);
	KIT_REFUSED(-EINVAL, gputm_params_set(kit->ctx, clocks, &clock, "per_core", "yes"),
		    "per_core = \"yes\"", "0 .. 1", "false, true");
	KIT_REFUSED(-EINVAL, gputm_params_set(kit->ctx, clocks, &clock, "warps", "true"), "warps");
}

/* A byte that does not fit, four as it is shown, is left out with all that follow. */
KIT_TEST(test_long_messages_are_cut)
{
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	char text[300], said[520] = "recency_bloom: entries = \"";

	memset(text, '\n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	KIT_REFUSED(-EINVAL, gputm_params_set(kit->ctx, gputm_recency_bloom_params(), &config,
					      "entries", text), "");
	while (strlen(said) + 5 < 516)
		strcat(said, "\\x0a");
	ck_assert_str_eq(kit->message, said);
}

KIT_TEST(test_load_into_another_config_names_the_field)
{
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	struct gputm_unit *a = kit_make(kit, &recency_bloom_maker, &config), *b;
	size_t size = save(a);

	config.stamp_bits = 20;
	b = kit_make(kit, &recency_bloom_maker, &config);
	KIT_REFUSED(-EINVAL, gputm_unit_load(b, image, size), "another config",
		    "stamp_bits = 16, not 20");
	ck_assert_uint_eq(kit->messages, 1);
	KIT_REFUSED(-EINVAL, gputm_unit_clone(b, a), "another config", "stamp_bits = 16, not 20");
}

KIT_TEST(test_load_names_the_other_kind)
{
	struct gputm_unit *filter = kit_make(kit, &recency_bloom_maker, NULL);
	struct gputm_unit *throttle = kit_make(kit, &tx_throttle_maker, NULL);
	size_t size = save(throttle);

	KIT_REFUSED(-EINVAL, gputm_unit_load(filter, image, size),
		    "recency_bloom: snapshot refused", "another kind", "\"tx_throttle\"");
	image[16] = '\n';
	KIT_REFUSED(-EINVAL, gputm_unit_load(filter, image, size), "\"\\x0ax_throttle\"");
	KIT_REFUSED(-EINVAL, gputm_unit_clone(filter, throttle),
		    "clone refused", "another kind", "\"tx_throttle\"");
}

KIT_TEST(test_lack_of_memory_is_logged)
{
	struct gputm_recency_bloom *filter = NULL;

	for (kit->fail_at = 1; kit->fail_at < 3; kit->fail_at++) {
		kit->allocations = 1;
		kit->messages = 0;
		ck_assert_int_eq(gputm_recency_bloom_new(kit->ctx, NULL, &filter), -ENOMEM);
		ck_assert_uint_eq(kit->messages, 1);
		kit_said(kit, "no memory for", "bytes", NULL);
	}
}

/* A config that was never initialised has any size; nothing is read where it points. */
KIT_TEST(test_config_of_absurd_size_is_refused)
{
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	static const size_t absurd[] = { 0, sizeof(size_t) - 1, 4097, SIZE_MAX };
	struct gputm_recency_bloom *filter = NULL;

	for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
		config.size = absurd[i];
		KIT_REFUSED(-EINVAL, gputm_recency_bloom_new(kit->ctx, &config, &filter),
			    "config.size", "INIT");
		ck_assert_ptr_null(filter);
	}
}

/* ---- snapshots whose checksum is right and whose contents are not ---- */

#define BODY 64 /* bytes before the body: magic, versions, kind, sections, length */

static uint64_t number_at(size_t at)
{
	uint64_t value = 0;

	for (unsigned i = 8; i-- > 0;)
		value = value << 8 | image[at + i];
	return value;
}

static void put_number(size_t at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		image[at + i] = (uint8_t)(value >> (8 * i));
}

/* Where the state begins: behind version, count of config fields and the fields. */
static size_t state_at(void)
{
	return BODY + 16 + (size_t)number_at(BODY + 8) * 8;
}

KIT_TEST(test_load_refuses_a_histogram_that_does_not_add_up)
{
	struct gputm_unit *unit = kit_make(kit, &access_coalescer_maker, NULL);
	size_t size = save(unit), at = state_at(); /* which is nothing here */
	struct gputm_stat stat;

	for (size_t i = 0; gputm_unit_stat(unit, i, &stat) && !stat.bucket; i++)
		at += 8;
	ck_assert_ptr_nonnull(stat.bucket);
	put_number(at + 8, 1); /* a sample in bucket 0 that was never counted */
	kit_seal(image, size);
	KIT_REFUSED(-EINVAL, gputm_unit_load(unit, image, size),
		    "access_coalescer", "sum of its buckets");
	ck_assert_uint_eq(stat.bucket[0], 0);
	put_number(at + 8, 0);
	kit_seal(image, size);
	ck_assert_int_eq(gputm_unit_load(unit, image, size), 0);
}

KIT_TEST(test_load_refuses_every_layout_but_its_own)
{
	static const struct {
		size_t at; /* of a version in the envelope: of the layout, of the kind */
		uint8_t version;
		int error;
		const char *says;
	} row[] = {
		{ 8, 1, -ENOTSUP, "older version of the library" },
		{ 8, 3, -ENOTSUP, "newer version of the library" },
		{ 48, 2, -EINVAL, "its flag for statistics" },
		{ 12, 0, -ENOTSUP, "older version of this unit" },
		{ 12, 255, -ENOTSUP, "newer version of this unit" },
	};
	struct gputm_unit *unit = kit_make(kit, &access_coalescer_maker, NULL);
	size_t size = save(unit);

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint8_t own = image[row[i].at];

		image[row[i].at] = row[i].version;
		kit_seal(image, size);
		KIT_REFUSED(row[i].error, gputm_unit_load(unit, image, size),
			    "access_coalescer", row[i].says);
		image[row[i].at] = own;
	}
	kit_seal(image, size);
	ck_assert_int_eq(gputm_unit_load(unit, image, size), 0);
}

KIT_TEST(test_load_names_a_number_that_is_too_large)
{
	struct gputm_unit *unit = kit_make(kit, &simt_stack_maker, NULL);
	size_t size = save(unit);

	image[state_at()] = 67; /* the depth; there are 66 entries */
	kit_seal(image, size);
	KIT_REFUSED(-EINVAL, gputm_unit_load(unit, image, size),
		    "simt_stack", "depth", "67", "at most 66");
}

/* ---- names, observers, and what is lent ---- */

KIT_TEST(test_names_are_in_messages)
{
	static const char wider[] = "123456789012345678901234567890123456789012345678";
	const char *widest = wider + 1;
	struct gputm_validation_unit *unit = NULL;
	struct gputm_unit *face, *table;

	ck_assert_int_eq(gputm_validation_unit_new(kit->ctx, NULL, &unit), 0);
	face = gputm_validation_unit_unit(unit);
	table = gputm_validation_unit_table(unit);
	ck_assert_str_eq(gputm_unit_name(face), "");
	KIT_REFUSED(-EINVAL, gputm_unit_load(face, "", 0), "validation_unit: snapshot refused");
	ck_assert_int_eq(gputm_unit_set_name(face, "partition 3"), 0);
	ck_assert_str_eq(gputm_unit_name(face), "partition 3");
	ck_assert_str_eq(gputm_unit_name(table), "partition 3.table");
	ck_assert_str_eq(gputm_unit_name(gputm_validation_unit_buffer(unit)),
			 "partition 3.buffer");
	KIT_REFUSED(-EINVAL, gputm_unit_load(face, "", 0),
		    "validation_unit (partition 3): snapshot refused");
	ck_assert_int_eq(gputm_unit_set_name(table, "T"), 0);
	KIT_REFUSED(-EINVAL, gputm_unit_load(table, "", 0),
		    "metadata_table (T): this is a part of");
	KIT_REFUSED(-EINVAL, gputm_unit_set_name(face, "two\nlines"),
		    "(partition 3): byte 3 of a name is a control character");
	ck_assert_uint_eq(sizeof(wider), GPUTM_NAME_BYTES + 1);
	ck_assert_int_eq(gputm_unit_set_name(face, widest), 0);
	ck_assert_str_eq(gputm_unit_name(face), widest);
	ck_assert_str_eq(gputm_unit_name(table), widest); /* cut */
	KIT_REFUSED(-ERANGE, gputm_unit_set_name(face, wider),
		    "length of a name = 48 is outside 0 .. 47");
	ck_assert_str_eq(gputm_unit_name(face), widest);
	ck_assert_int_eq(gputm_unit_set_name(face, gputm_unit_name(table)), 0);
	ck_assert_int_eq(gputm_unit_set_name(face, NULL), 0);
	ck_assert_str_eq(gputm_unit_name(table), "");
	gputm_validation_unit_free(unit);
}

/* What an observer saw, and what the library answered to what may not be done. */
struct seen {
	char order[8];
	struct gputm_unit *unit;
	int observe, unobserve, load;
};

static void see(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	strcat(state, "a");
}

static void see_too(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	struct seen *seen = state;
	size_t size = save(unit);

	(void)event;
	strcat(seen->order, "b");
	ck_assert_ptr_null(gputm_unit_check(unit));
	seen->observe = gputm_unit_observe(seen->unit, see, NULL);
	seen->unobserve = gputm_unit_unobserve(seen->unit, see_too, seen);
	seen->load = gputm_unit_load(seen->unit, image, size);
}

KIT_TEST(test_observers_in_order)
{
	struct gputm_recency_bloom *filter = NULL;
	struct seen seen = { .observe = 0 };
	struct gputm_unit *face;

	ck_assert_int_eq(gputm_recency_bloom_new(kit->ctx, NULL, &filter), 0);
	face = seen.unit = gputm_recency_bloom_unit(filter);
	KIT_REFUSED(-EINVAL, gputm_unit_observe(face, NULL, NULL),
		    "recency_bloom: the function to observe");
	KIT_REFUSED(-EINVAL, gputm_unit_unobserve(face, see, NULL), "no such function observes");
	ck_assert_int_eq(gputm_unit_observe(face, see, seen.order), 0);
	ck_assert_int_eq(gputm_unit_observe(face, see_too, &seen), 0);
	KIT_REFUSED(-EINVAL, gputm_unit_observe(face, see, seen.order),
		    "observes with this state already");
	ck_assert_int_eq(gputm_recency_bloom_update(filter, 4, 5), 0);
	ck_assert_str_eq(seen.order, "ab");
	KIT_HAS(seen, observe, -EBUSY, unobserve, -EBUSY, load, -EBUSY);
	kit_said(kit, "an observer must not", NULL);
	gputm_unit_reset(face);
	ck_assert_int_eq(gputm_unit_load(face, image, gputm_unit_save(face, image, sizeof(image))),
			 0);
	ck_assert_int_eq(gputm_unit_unobserve(face, see, seen.order), 0);
	ck_assert_int_eq(gputm_recency_bloom_update(filter, 4, 6), 0);
	ck_assert_str_eq(seen.order, "abb");
	ck_assert_int_eq(gputm_unit_observe(face, see, seen.order), 0);
	ck_assert_int_eq(gputm_recency_bloom_update(filter, 4, 7), 0);
	ck_assert_str_eq(seen.order, "abbba");
	kit->fail_at = kit->allocations;
	ck_assert_int_eq(gputm_unit_observe(face, see, NULL), -ENOMEM);
	gputm_recency_bloom_free(filter); /* with observers */
}

static void count(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	++*(unsigned *)state;
}

/* What a unit lends stays where it is over a load, with observers and names; so after a refusal. */
KIT_TEST(test_lent_parts_stay_over_a_load)
{
	struct gputm_validation_unit *unit = NULL;
	struct gputm_unit *face, *table, *buffer;
	struct gputm_validation_unit_answer answer;
	struct gputm_validation_unit_request store = { 1, 64, 5, 1, 1, true };
	struct gputm_validation_unit_request other = { 2, 64, 6, 1, 2, true };
	struct gputm_stat stat;
	unsigned events = 0, before;
	uint64_t writes;
	size_t size;

	ck_assert_int_eq(gputm_validation_unit_new(kit->ctx, NULL, &unit), 0);
	face = gputm_validation_unit_unit(unit);
	table = gputm_validation_unit_table(unit);
	buffer = gputm_validation_unit_buffer(unit);
	ck_assert_int_eq(gputm_unit_observe(table, count, &events), 0);
	ck_assert_int_eq(gputm_unit_observe(buffer, count, &events), 0);
	ck_assert_int_eq(gputm_unit_set_name(table, "mine"), 0);
	ck_assert(gputm_unit_stat(table, 0, &stat));
	for (unsigned round = 0; round < 4; round++) {
		ck_assert_int_eq(gputm_validation_unit_access(unit, &store, &answer),
				 GPUTM_VALIDATION_UNIT_OK);
		before = events;
		ck_assert_int_eq(gputm_validation_unit_access(unit, &other, &answer),
				 GPUTM_VALIDATION_UNIT_STALLED);
		ck_assert_uint_gt(events, before);
		size = save(face);
		if (round & 1)
			gputm_unit_reset(face);
		ck_assert_int_eq(gputm_unit_load(face, image, size), 0);
		image[size / 2] ^= 1;
		kit_seal(image, size);
		if (round & 2 && !gputm_unit_load(face, image, size))
			ck_abort_msg("a bent snapshot was taken");
		ck_assert_ptr_eq(gputm_validation_unit_table(unit), table);
		ck_assert_ptr_eq(gputm_validation_unit_buffer(unit), buffer);
		ck_assert_str_eq(gputm_unit_name(table), "mine");
		ck_assert(gputm_unit_stat_value(buffer, "waiting", &writes));
		ck_assert_uint_eq(writes, 1);
		ck_assert_ptr_null(gputm_unit_check(face));
		gputm_unit_reset(face);
	}
	gputm_validation_unit_free(unit);
}

/* A part is saved alone, but loaded with its whole only: else the whole would be broken. */
KIT_TEST(test_a_part_is_not_loaded_alone)
{
	struct gputm_validation_unit_request store = { 1, 64, 5, 1, 1, true };
	struct gputm_validation_unit_answer answer;
	struct gputm_validation_unit *unit = NULL, *other = NULL;
	struct gputm_unit *part[2];
	uint64_t digest;
	size_t size;

	ck_assert_int_eq(gputm_validation_unit_new(kit->ctx, NULL, &unit), 0);
	ck_assert_int_eq(gputm_validation_unit_new(kit->ctx, NULL, &other), 0);
	part[0] = gputm_validation_unit_table(unit);
	part[1] = gputm_validation_unit_buffer(unit);
	for (unsigned i = 0; i < KIT_COUNT(part); i++) {
		size = save(part[i]);
		ck_assert_int_eq(gputm_validation_unit_access(unit, &store, &answer),
				 GPUTM_VALIDATION_UNIT_OK);
		digest = kit_digest(gputm_validation_unit_unit(unit));
		KIT_REFUSED(-EINVAL, gputm_unit_load(part[i], image, size),
			    "part of a validation_unit: load or clone the validation_unit instead");
		KIT_REFUSED(-EINVAL,
			    gputm_unit_clone(part[i], i ? gputm_validation_unit_buffer(other)
							: gputm_validation_unit_table(other)),
			    "part of a validation_unit: load or clone the validation_unit instead");
		ck_assert_uint_eq(kit_digest(gputm_validation_unit_unit(unit)), digest);
	}
	size = save(gputm_validation_unit_unit(unit));
	ck_assert_int_eq(gputm_unit_load(gputm_validation_unit_unit(other), image, size), 0);
	ck_assert_uint_eq(kit_digest(gputm_validation_unit_unit(other)), digest);
	gputm_validation_unit_free(other);
	gputm_validation_unit_free(unit);
}

/* ---- H3 ---- */

static struct gputm_h3 *family(uint32_t ways, uint32_t index_bits, uint32_t key_bits, uint64_t seed)
{
	struct gputm_h3_config config = GPUTM_H3_CONFIG_INIT;
	struct gputm_h3 *h3 = NULL;

	config.ways = ways;
	config.index_bits = index_bits;
	config.key_bits = key_bits;
	config.seed = seed;
	ck_assert_int_eq(gputm_h3_new(NULL, &config, &h3), 0);
	return h3;
}

static uint32_t by_rows(const struct gputm_h3 *h3, uint32_t way, uint64_t key, uint32_t key_bits)
{
	uint32_t index = 0;

	for (uint32_t bit = 0; bit < key_bits; bit++)
		if (key >> bit & 1)
			index ^= gputm_h3_row(h3, way, bit);
	return index;
}

static const uint32_t shape[][3] = { { 4, 8, 32 },  { 4, 10, 30 }, { 1, 0, 64 }, { 16, 32, 64 },
				     { 3, 22, 17 }, { 2, 1, 1 },   { 5, 9, 4 } };

KIT_TESTS(test_h3_is_the_xor_of_its_rows, KIT_COUNT(shape))
{
	uint32_t ways = shape[_i][0], key_bits = shape[_i][2];
	struct gputm_h3 *h3 = family(ways, shape[_i][1], key_bits, 99);
	uint64_t random = 3;

	for (unsigned i = 0; i < 200; i++) {
		uint64_t key = kit_random(&random);

		for (uint32_t way = 0; way < ways; way++)
			ck_assert_uint_eq(gputm_h3_index(h3, way, key),
					  by_rows(h3, way, key, key_bits));
	}
	gputm_h3_free(h3);
}

/* Every aligned run of 2^index_bits keys meets each index once, for many seeds. */
KIT_TEST(test_h3_is_a_bijection_on_a_page)
{
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct gputm_h3 *h3 = family(4, 10, 30, seed);

		for (uint32_t way = 0; way < 4; way++) {
			unsigned char seen[1024] = { 0 };

			for (uint64_t key = 0; key < 1024; key++)
				seen[gputm_h3_index(h3, way, seed << 10 | key)]++;
			for (unsigned i = 0; i < 1024; i++)
				ck_assert_uint_eq(seen[i], 1);
		}
		gputm_h3_free(h3);
	}
}

/* Rows as published: SplitMix64 started at mix(mix(seed) ^ (index_bits << 8 | way)). */
KIT_WITH(test_h3_rows_come_from_the_published_generator, struct gputm_h3 *h3, family(2, 8, 32, 5))
{
	for (uint32_t way = 0; way < 2; way++) {
		uint64_t z = 5 - UINT64_C(0x9e3779b97f4a7c15), state;

		z = kit_random(&z) ^ (8 << 8 | way);
		z -= UINT64_C(0x9e3779b97f4a7c15);
		state = kit_random(&z);
		ck_assert_uint_eq(gputm_h3_row(h3, way, 0), kit_random(&state) >> 56);
	}
	gputm_h3_free(h3);
}

KIT_TEST(test_h3_config_of_another_size)
{
	struct gputm_h3_config config = GPUTM_H3_CONFIG_INIT;
	struct gputm_h3 *h3 = NULL;

	kit_config_sizes(kit, gputm_h3_params());
	config.size = offsetof(struct gputm_h3_config, seed); /* its rows are those of seed 1 */
	config.seed = 7;
	config.rows = (const uint32_t *)(uintptr_t)8; /* not looked at */
	ck_assert_int_eq(gputm_h3_new(kit->ctx, &config, &h3), 0);
	gputm_h3_free(h3);
	h3 = NULL;
	for (size_t i = 0; i < 4; i++) {
		static const size_t absurd[] = { 0, 7, 4104, SIZE_MAX };

		config.size = absurd[i];
		KIT_REFUSED(-EINVAL, gputm_h3_new(kit->ctx, &config, &h3), "h3", "config.size");
	}
	ck_assert_ptr_null(h3);
}

KIT_TEST(test_h3_brought_rows_are_checked)
{
	struct gputm_h3_config config = GPUTM_H3_CONFIG_INIT;
	uint32_t rows[2] = { 1, 2 };
	struct gputm_h3 *h3 = NULL;

	config.ways = 1;
	config.index_bits = 1;
	config.key_bits = 2;
	config.rows = rows;
	KIT_REFUSED(-EINVAL, gputm_h3_new(kit->ctx, &config, &h3), "rows[1] = 2", "0 .. 1");
	ck_assert_ptr_null(h3);
	rows[1] = 0;
	ck_assert_int_eq(gputm_h3_new(kit->ctx, &config, &h3), 0);
	ck_assert_uint_eq(gputm_h3_index(h3, 0, 3), 1);
	gputm_h3_free(h3);
	gputm_h3_free(NULL);
}

/* ---- rows from another hash ---- */

struct foreign {
	const struct gputm_h3 *h3;
	bool bent;
};

static uint32_t foreign_hash(void *state, uint32_t way, uint64_t key)
{
	const struct foreign *f = state;

	return f->bent && way ? (uint32_t)(key / 128 % 251) : gputm_h3_index(f->h3, way, key / 128);
}

KIT_TEST(test_h3_rows_from_another_hash)
{
	static const uint32_t none[][3] = { { 0, 8, 20 }, { 17, 8, 20 }, { 2, 33, 20 },
					    { 2, 8, 0 }, { 2, 8, 65 } };
	struct foreign f = { family(2, 8, 20, 9), false };
	uint32_t rows[40];

	ck_assert_int_eq(gputm_h3_rows_from(kit->ctx, foreign_hash, &f, 2, 8, 20, 7, rows), 0);
	for (uint32_t i = 0; i < 40; i++)
		ck_assert_uint_eq(rows[i], gputm_h3_row(f.h3, i / 20, i % 20));
	memset(rows, 0x55, sizeof(rows));
	f.bent = true;
	KIT_REFUSED(-EINVAL, gputm_h3_rows_from(kit->ctx, foreign_hash, &f, 2, 8, 20, 7, rows),
		    "hash of way 1 is not linear");
	f.bent = false;
	KIT_REFUSED(-ERANGE, gputm_h3_rows_from(kit->ctx, foreign_hash, &f, 2, 7, 20, 7, rows),
		    "is outside 0 .. 127");
	KIT_REFUSED(-EINVAL, gputm_h3_rows_from(kit->ctx, foreign_hash, &f, 2, 8, 60, 7, rows),
		    "key_bits + shift = 60 + 7");
	for (unsigned i = 0; i < KIT_COUNT(none); i++)
		ck_assert_int_eq(gputm_h3_rows_from(kit->ctx, foreign_hash, &f, none[i][0],
						    none[i][1], none[i][2], 0, rows),
				 -EINVAL);
	for (uint32_t i = 0; i < 40; i++)
		ck_assert_uint_eq(rows[i], 0x55555555);
	gputm_h3_free((struct gputm_h3 *)(uintptr_t)f.h3);
}

/* A unit with rows of its own keeps a copy, and its state is for units with the same rows. */
#define ROWS_OF_UNIT(UNIT, UPPER, ROWS, FILTER_ROWS, COUNT, FILTER_COUNT)                      \
	KIT_TEST(test_##UNIT##_takes_rows)                                                     \
	{                                                                                      \
		struct gputm_##UNIT##_config config = GPUTM_##UPPER##_CONFIG_INIT;     \
		const struct gputm_##UNIT##_config *kept;                              \
		struct gputm_unit *a, *b = kit_make(kit, &UNIT##_maker, &config);      \
		struct gputm_##UNIT *none = NULL;                                      \
		uint32_t rows[COUNT], filter_rows[FILTER_COUNT];                       \
                                                                                       \
		for (uint32_t i = 0; i < (COUNT); i++)                                 \
			rows[i] = 1u << i % 7;                                         \
		for (uint32_t i = 0; i < (FILTER_COUNT); i++)                          \
			filter_rows[i] = 1u << i % 5;                                  \
		config.ROWS = rows;                                                    \
		config.FILTER_ROWS = filter_rows;                                      \
		a = kit_make(kit, &UNIT##_maker, &config);                             \
		kept = gputm_unit_config(a);                                           \
		ck_assert(kept->ROWS != rows && kept->FILTER_ROWS != filter_rows);     \
		ck_assert_mem_eq(kept->ROWS, rows, sizeof(rows));                      \
		ck_assert_mem_eq(kept->FILTER_ROWS, filter_rows, sizeof(filter_rows)); \
		KIT_REFUSED(-EINVAL, gputm_unit_clone(b, a), "rows are others");       \
		b = kit_make(kit, &UNIT##_maker, kept);                                \
		ck_assert_int_eq(gputm_unit_clone(b, a), 0);                           \
		rows[0] = 1u << 31;                                                    \
		KIT_REFUSED(-EINVAL, gputm_##UNIT##_new(kit->ctx, &config, &none),     \
			    "rows[0] = 2147483648");                                   \
	}

KIT_MAKER(commit_unit, COMMIT_UNIT);
KIT_MAKER(validation_unit, VALIDATION_UNIT);
ROWS_OF_UNIT(validation_unit, VALIDATION_UNIT, table_rows, filter_rows, 4 * 27, 4 * 27)
ROWS_OF_UNIT(commit_unit, COMMIT_UNIT, history_rows, history_filter_rows, 30, 4 * 30)

KIT_TEST(test_validation_unit_of_a_whole_gpu_has_the_preset_of_its_table)
{
	struct gputm_validation_unit_config unit = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_metadata_table_config table = GPUTM_METADATA_TABLE_CONFIG_INIT;

	ck_assert_int_eq(gputm_validation_unit_config_preset(&unit, "getm-gpu"), 0);
	ck_assert_int_eq(gputm_metadata_table_config_preset(&table, "getm-gpu"), 0);
	ck_assert_uint_eq(unit.units, 1);
	KIT_SAME(unit, table, ways, entries, stash, filter_ways, filter_entries, granularity);
}
