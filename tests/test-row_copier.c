/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of row_copier: life, Table 2, queues of subarrays, time, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/row_copier.h"

KIT_UNIT(row_copier, ROW_COPIER);

#define OK GPUTM_ROW_COPIER_OK
#define FULL GPUTM_ROW_COPIER_FULL

/* 4 subarrays, rows of 256 bytes and 10 cycles. */
/* Copy `rows` rows from row `first` on; the cycle of completion. */
static uint64_t copy(struct gputm_row_copier *c, uint64_t first, uint64_t rows)
{
	const struct gputm_row_copier_config *config = gputm_unit_config(unit_of(c));
	struct gputm_row_copier_request request = {
		first, first * config->row_bytes,
		(first + 64 * 1024) * config->row_bytes, rows * config->row_bytes
	};
	uint64_t expected = 0, done_at = 0;

	ck_assert_int_eq(gputm_row_copier_push_probe(c, &request, &expected), OK);
	ck_assert_int_eq(gputm_row_copier_push(c, &request, &done_at), OK);
	ck_assert_uint_eq(done_at, expected);
	kit_valid(unit_of(c));
	return done_at;
}

static void none(struct gputm_row_copier *c)
{
	struct gputm_row_copier_request request;

	ck_assert(!gputm_row_copier_take(c, &request));
}

static void taken(struct gputm_row_copier *c, uint64_t tag)
{
	struct gputm_row_copier_request request = { 0 };

	ck_assert(gputm_row_copier_take(c, &request));
	ck_assert_uint_eq(request.tag, tag);
	kit_valid(unit_of(c));
}

/* 2 kB in 68 ns, 64 subarrays a bank: 62.8 cycles of 924 MHz, 95.2 of 1400 MHz. */
KIT_MADE(test_table_2_row_copy, c, "isca-2017 banks=1")
{
	ck_assert_uint_eq(with("isca-2017").row_cycles, (68 * 924 + 999) / 1000);
	ck_assert_uint_eq(copy(c, 0, 1), 63);
	ck_assert_uint_eq(gputm_row_copier_next_event(c), 62);
	gputm_row_copier_advance(c, 62);
	none(c);
	gputm_row_copier_tick(c);
	taken(c, 0);
	ck_assert_uint_eq(copy(c, 0, 64), 63 + 63);
	gputm_row_copier_advance(c, 63);
	ck_assert_uint_eq(copy(c, 0, 65), 126 + 2 * 63);
	ck_assert_uint_eq(with("isca-2017-core").row_cycles, (68 * 1400 + 999) / 1000);
}

/* The example at the top of the source. */
KIT_MADE(test_row_copier_queues, c, "row_bytes=256 row_cycles=10 subarrays=2 banks=2 requests=3")
{
	struct gputm_row_copier_request request = { 9, 0, 0x100000, 1 };

	ck_assert_uint_eq(gputm_row_copier_next_event(c), UINT64_MAX);
	ck_assert_uint_eq(copy(c, 0, 6), 20);
	ck_assert_uint_eq(copy(c, 2, 2), 20);
	ck_assert_uint_eq(copy(c, 4, 1), 30);
	ck_assert_int_eq(gputm_row_copier_push_probe(c, &request, NULL), FULL);
	ck_assert_int_eq(gputm_row_copier_push(c, &request, NULL), FULL);
	gputm_row_copier_advance(c, 19);
	none(c);
	gputm_row_copier_tick(c);
	ck_assert_uint_eq(gputm_row_copier_now(c), 20);
	kit_round_trip(&row_copier_maker, unit_of(c));
	taken(c, 0);
	taken(c, 2);
	none(c);
	ck_assert_int_eq(gputm_row_copier_push(c, &request, NULL), OK);
	gputm_row_copier_advance(c, 1000);
	taken(c, 4);
	taken(c, 9);
	none(c);
	ck_assert_uint_eq(kit_stat(unit_of(c), "rows"), 10);
}

KIT_MADE(test_row_copier_misuse_changes_nothing, c,
	 "row_bytes=256 row_cycles=10 subarrays=2 banks=2 requests=3")
{
	static const struct {
		struct gputm_row_copier_request request;
		int result;
	} bad[] = {
		{ { 1, 0, 4096, 0 }, -EINVAL },
		{ { 1, 0, 4097, 16 }, -EINVAL },
		{ { 1, 0, 256, 257 }, -EINVAL },
		{ { 1, 256, 0, 257 }, -EINVAL },
		{ { 1, 0, 256, 256 }, OK },
		{ { 1, 0xFFFFFF00, 0, 257 }, -ERANGE },
		{ { 1, 0, 0xFFFFFF00, 257 }, -ERANGE },
		{ { 1, 0, 0xFFFFFF00, UINT64_MAX }, -ERANGE },
		{ { 1, UINT64_C(1) << 32, 0, 1 }, -ERANGE },
		{ { 1, 0xFFFFFF00, 0, 256 }, OK },
		{ { 1, 0, 0xFFFFFF00, 256 }, OK },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t digest = kit_digest(unit_of(c)), done_at = 4711;

		ck_assert_int_eq(gputm_row_copier_push_probe(c, &bad[i].request, NULL),
				 bad[i].result);
		ck_assert_int_eq(gputm_row_copier_push(c, &bad[i].request, &done_at),
				 bad[i].result);
		ck_assert_int_eq(done_at == 4711, bad[i].result != OK);
		ck_assert_int_eq(kit_digest(unit_of(c)) == digest, bad[i].result != OK);
	}
}

/* A row of the whole of memory has a number all the same. */
KIT_MADE(test_row_copier_of_one_row, c, "row_bytes=65536 address_bits=16")
{
	struct gputm_storage array;

	ck_assert(gputm_unit_storage(unit_of(c), 0, &array));
	ck_assert_uint_eq(array.bits, 3);
}

/* advance(n) is n ticks, to the byte, and next_event() ticks change the clock alone. */
KIT_TEST(test_row_copier_advance_is_ticks)
{
	struct gputm_row_copier *a, *b;
	uint64_t random = 5;

	a = make(kit, "row_bytes=256 row_cycles=10 subarrays=2 banks=2 requests=3");
	b = make(kit, "row_bytes=256 row_cycles=10 subarrays=2 banks=2 requests=3");
	for (unsigned i = 0; i < 200; i++) {
		struct gputm_row_copier_request r = { i, kit_below(&random, 64) * 256, 0x100000,
						      1 + kit_below(&random, 4000) };
		uint64_t cycles = kit_below(&random, 60), quiet;

		ck_assert_int_eq(gputm_row_copier_push(a, &r, NULL),
				 gputm_row_copier_push(b, &r, NULL));
		quiet = gputm_row_copier_next_event(a);
		for (uint64_t k = 0; k < cycles; k++) {
			uint64_t before = kit_stat(unit_of(a), "completed");

			gputm_row_copier_tick(a);
			if (k <= quiet)
				ck_assert_int_eq(kit_stat(unit_of(a), "completed") != before,
						 k == quiet);
		}
		gputm_row_copier_advance(b, cycles);
		ck_assert_uint_eq(kit_digest(unit_of(a)), kit_digest(unit_of(b)));
		if (gputm_row_copier_take(a, &r))
			ck_assert(gputm_row_copier_take(b, &r));
	}
}

/* Row bytes, row cycles, subarrays, banks, requests. */
static const uint32_t geometry[][5] = {
	{ 64, 3, 4, 2, 4 }, { 128, 1, 1, 1, 8 }, { 64, 7, 8, 2, 1 }, { 256, 20, 1, 4, 6 },
};

static void step(struct gputm_row_copier *c, struct oracle_row_copier *o, struct kit_bytes *bytes)
{
	struct gputm_row_copier_request r = { 0, 0, 0, 0 };
	uint64_t tag = 0, what = kit_draw(bytes, 256), cycles = what % 2 ? what / 2 : 1;
	bool any;
	int probe;

	if (what < 20) {
		r = (struct gputm_row_copier_request){ bytes->left, kit_number(bytes, 2),
						       kit_number(bytes, 2),
						       kit_draw(bytes, 6000) };
		if (kit_draw(bytes, 8))
			r.destination -= (r.destination - r.source) % o->config.row_bytes;
		r.destination &= 0xffff;
		probe = gputm_row_copier_push_probe(c, &r, NULL);
		ck_assert_int_eq(gputm_row_copier_push(c, &r, NULL), probe);
		ck_assert_int_eq(oracle_row_copier_push(o, &r), probe);
	} else if (what < 60) {
		any = gputm_row_copier_take(c, &r);
		ck_assert_int_eq(any, oracle_row_copier_pop(o, &tag));
		ck_assert_uint_eq(r.tag, tag);
	} else if (what >= 220) {
		gputm_row_copier_advance(c, cycles);
		while (cycles--)
			oracle_row_copier_tick(o);
	} else {
		gputm_row_copier_tick(c);
		oracle_row_copier_tick(o);
	}
}

KIT_DRIVE(row_copier, KIT_COUNT(geometry), 60000)
{
	const uint32_t any[] = { 64u << kit_u32(bytes, 3), 1 + kit_u32(bytes, 20),
				 1u << kit_u32(bytes, 3), 1u << kit_u32(bytes, 3),
				 1 + kit_u32(bytes, 8) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_row_copier_config config =
		with("row_bytes=%u row_cycles=%u subarrays=%u banks=%u requests=%u address_bits=16",
		     g[0], g[1], g[2], g[3], g[4]);
	static struct oracle_row_copier o;
	struct gputm_row_copier *c = make_of(kit, &config);

	ORACLE_OPEN(&o, &config);
	for (KIT_TURNS(row_copier, c))
		step(c, &o, bytes);
	KIT_STATS_END(row_copier, c, &o.stats, ORACLE_ROW_COPIER_STATS);
}

KIT_MADE(test_row_copier_tells_its_observer, c, NULL)
{
	copy(c, 0, 10);
	copy(c, 0, 10);
	ck_assert_uint_eq(kit_events(GPUTM_ROW_COPIER_EVENT_PUSH), 2);
	gputm_row_copier_advance(c, 63);
	ck_assert_uint_eq(kit_events(GPUTM_ROW_COPIER_EVENT_COMPLETE), 1);
	gputm_row_copier_advance(c, 63);
	ck_assert_uint_eq(kit_events(GPUTM_ROW_COPIER_EVENT_COMPLETE), 2);
}

KIT_MADE(test_row_copier_at_the_end_of_time, c, NULL)
{
	struct gputm_row_copier_request request = { 1, 0, 1 << 20, 5000 };

	for (unsigned times = 0; times < 3; times++) {
		request.tag = times;
		ck_assert_int_eq(gputm_row_copier_push(c, &request, NULL), 0);
		if (times < 2)
			ck_assert_int_eq(gputm_row_copier_advance(c, UINT64_MAX),
					 GPUTM_ROW_COPIER_OFFER_COPY);
		kit_valid(unit_of(c));
		kit_round_trip(&row_copier_maker, unit_of(c));
		ck_assert_int_eq(gputm_row_copier_take(c, &request), 1);
		ck_assert_uint_eq(request.tag, times);
		ck_assert_uint_eq(kit_events(GPUTM_ROW_COPIER_EVENT_COMPLETE), times + 1);
		ck_assert_uint_eq(kit_event(GPUTM_ROW_COPIER_EVENT_COMPLETE)[0], times);
		kit_valid(unit_of(c));
	}
}
