/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of warp_access_filter: life, who loses, misuse, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/warp_access_filter.h"

KIT_UNIT(warp_access_filter, WARP_ACCESS_FILTER);

static uint64_t access_all(struct gputm_warp_access_filter *f, uint32_t warp, bool write,
			   uint64_t lanes, const uint64_t *address)
{
	uint64_t probe = 77, lost = 78;

	ck_assert_int_eq(gputm_warp_access_filter_access_probe(f, warp, write, lanes, address,
							       &probe), 0);
	ck_assert_int_eq(gputm_warp_access_filter_access(f, warp, write, lanes, address, &lost), 0);
	ck_assert_uint_eq(lost, probe);
	kit_valid(unit_of(f));
	return lost;
}

/* One lane, one word. */
static uint64_t one(struct gputm_warp_access_filter *f, bool write, unsigned lane, uint64_t word)
{
	uint64_t address[64];

	address[lane] = word * 4;
	return access_all(f, 0, write, UINT64_C(1) << lane, address);
}

/* A table that grows gives its old memory back; one that cannot grow gives back what it took. */
KIT_TEST(test_warp_access_filter_grows_in_place)
{
	struct gputm_warp_access_filter *f = make(kit, "lanes=1 warps=1 words=16");
	uint64_t address = 0, lost;
	long live = kit->live;

	ck_assert_int_eq(gputm_warp_access_filter_begin(f, 0, 1), 0);
	for (uint64_t word = 0; word < 2000; word++) {
		address = word * 4;
		for (long nth = 0; nth < 2; nth++) { /* a slot and an entry, in any order */
			kit->fail_at = kit->allocations + nth;
			if (gputm_warp_access_filter_access(f, 0, true, 1, &address, &lost) >= 0)
				break;
			ck_assert_int_eq(kit->live, live);
		}
		kit->fail_at = -1;
		ck_assert_int_eq(gputm_warp_access_filter_access(f, 0, true, 1, &address, &lost),
				 0);
		if (!word)
			live = kit->live;
		ck_assert_int_eq(kit->live, live);
	}
}

/* A word, a bit for each lane that reads, and the lane that writes, or none of them. */
KIT_TEST(test_warp_access_filter_storage)
{
	static const uint32_t lanes[] = { 1, 7, 8, 31, 32, 64 }, bits[] = { 1, 3, 4, 5, 6, 7 };
	struct gputm_storage words;

	for (size_t i = 0; i < KIT_COUNT(lanes); i++) {
		ck_assert(gputm_unit_storage(
			unit_of(make(kit, "lanes=%u warps=2 words=16", lanes[i])), 0, &words));
		KIT_HAS(words, entries, 32, bits, 30 + lanes[i] + bits[i], ports, lanes[i]);
	}
}

/* The table of the source file's essay. */
KIT_MADE(test_v_a_later_access_loses, f, NULL)
{
	ck_assert_int_eq(gputm_warp_access_filter_begin(f, 0, 7), 0);
	ck_assert_uint_eq(one(f, false, 0, 9), 0);
	ck_assert_uint_eq(one(f, false, 1, 9), 0);
	ck_assert_uint_eq(one(f, true, 1, 9), 2);
	ck_assert_uint_eq(gputm_warp_access_filter_running(f, 0), 5);
	ck_assert_uint_eq(one(f, true, 0, 9), 0);
	kit_round_trip(&warp_access_filter_maker, unit_of(f));
	kit_hostile(&warp_access_filter_maker, unit_of(f));
	ck_assert_uint_eq(one(f, false, 2, 9), 4);
	/* A new attempt knows nothing of this one. */
	ck_assert_int_eq(gputm_warp_access_filter_begin(f, 0, 6), 0);
	ck_assert_uint_eq(one(f, true, 2, 9), 0);
	ck_assert_uint_eq(one(f, true, 1, 8), 0);
	ck_assert_uint_eq(one(f, true, 1, 0x3fffffff), 0); /* the last word */
}

KIT_MADE(test_warp_access_filter_lower_lane_of_an_instruction_wins, f, NULL)
{
	uint64_t address[64] = { 4, 8, 7, 8, 4 };

	ck_assert_int_eq(gputm_warp_access_filter_begin(f, 3, 31), 0);
	ck_assert_uint_eq(access_all(f, 3, true, 31, address), 4 | 8 | 16);
	ck_assert_int_eq(gputm_warp_access_filter_begin(f, 3, 31), 0);
	ck_assert_uint_eq(access_all(f, 3, false, 31, address), 0);
	/* Lanes 0, 2, 4 have read word 1, and 1, 3 word 2: all lose until one is left. */
	ck_assert_uint_eq(access_all(f, 3, true, 31, address), 1 | 2 | 4);
}

KIT_MADE(test_warp_access_filter_takes_the_highest_word, f, "address_bits=32")
{
	ck_assert_int_eq(gputm_warp_access_filter_begin(f, 0, 3), 0);
	ck_assert_uint_eq(one(f, true, 0, UINT32_MAX / 4), 0);
	ck_assert_uint_eq(one(f, false, 1, UINT32_MAX / 4), 2);
}

KIT_MADE(test_warp_access_filter_dropped_lanes_do_not_count, f, NULL)
{
	ck_assert_int_eq(gputm_warp_access_filter_begin(f, 0, 3), 0);
	ck_assert_uint_eq(one(f, true, 0, 5), 0);
	ck_assert_int_eq(gputm_warp_access_filter_drop(f, 0, 1), 0);
	ck_assert_uint_eq(one(f, true, 1, 5), 0);
}

KIT_MADE(test_warp_access_filter_misuse_changes_nothing, f, "lanes=2 warps=1")
{
	uint64_t address[64] = { 4, UINT64_C(1) << 32 }, lost = 77;

	ck_assert_int_eq(gputm_warp_access_filter_begin(f, 0, 3), 0);
	kit_guard(kit, unit_of(f));
	KIT_REFUSED(-ERANGE, gputm_warp_access_filter_begin(f, 1, 1), "warp = 1", "0 .. 0");
	KIT_REFUSED(-ERANGE, gputm_warp_access_filter_begin(f, 0, 4), "lanes = 4", "0 .. 3");
	KIT_REFUSED(-ERANGE, gputm_warp_access_filter_access(f, 1, true, 1, address, &lost), "");
	KIT_REFUSED(-EINVAL, gputm_warp_access_filter_access(f, 0, true, 4, address, &lost), "0x4");
	KIT_REFUSED(-ERANGE, gputm_warp_access_filter_access(f, 0, true, 3, address, &lost),
		    "address = 4294967296");
	KIT_REFUSED(-ERANGE, gputm_warp_access_filter_access_probe(f, 0, true, 3, address, &lost),
		    "");
	KIT_REFUSED(-ERANGE, gputm_warp_access_filter_drop(f, 1, 1), "");
	KIT_REFUSED(-EINVAL, gputm_warp_access_filter_drop(f, 0, 4), "");
	ck_assert_uint_eq(gputm_warp_access_filter_running(f, 1), 0);
	kit->fail_at = kit->allocations;
	KIT_REFUSED(-ENOMEM, gputm_warp_access_filter_access(f, 0, true, 1, address, &lost), "");
	kit->fail_at = kit->allocations + 1;
	KIT_REFUSED(-ENOMEM, gputm_warp_access_filter_access(f, 0, true, 1, address, &lost), "");
	kit->fail_at = -1;
	ck_assert_uint_eq(lost, 77);
	kit_unchanged(kit);
}

static void filter_step(struct gputm_warp_access_filter *f, struct oracle_warp_access_filter *o,
			struct kit_bytes *bytes, unsigned lane_count)
{
	uint64_t mask = UINT64_MAX >> (64 - lane_count), lanes, lost, address[64] = { 0 };
	uint32_t warp = kit_u32(bytes, 3), words = 1u << kit_u32(bytes, 12);
	bool write = kit_draw(bytes, 3) == 0;
	uint64_t what = kit_draw(bytes, 12);

	o += warp;
	if (what == 0 || o->count > ORACLE_ACCESSES - 64) {
		lanes = kit_number(bytes, 8) & mask;
		ck_assert_int_eq(gputm_warp_access_filter_begin(f, warp, lanes), 0);
		oracle_warp_access_filter_begin(o, lanes);
	} else if (what == 1) {
		lanes = kit_number(bytes, 1) & o->running;
		ck_assert_int_eq(gputm_warp_access_filter_drop(f, warp, lanes), 0);
		oracle_warp_access_filter_drop(o, lanes);
	}
	lanes = kit_number(bytes, 8) & mask;
	for (unsigned lane = 0; lane < lane_count; lane++)
		address[lane] = kit_draw(bytes, words * 4);
	if (lanes & ~o->running)
		ck_assert_int_eq(gputm_warp_access_filter_access(f, warp, write, lanes, address,
								 &lost),
				 -EINVAL);
	lanes &= o->running;
	lost = oracle_warp_access_filter_access(o, write, lanes, address);
	ck_assert_uint_eq(access_all(f, warp, write, lanes, address), lost);
	ck_assert_uint_eq(gputm_warp_access_filter_running(f, warp), o->running);
}

KIT_DRIVE(warp_access_filter, 2, 400000)
{
	struct gputm_warp_access_filter_config config = with("warps=3");
	struct oracle_warp_access_filter_stats told = { 0 };
	static struct oracle_warp_access_filter o[3];
	struct gputm_warp_access_filter *f;

	config.lanes = bytes->round % 2 ? 8 : 64;
	config.word_bytes = bytes->round < 2 ? 4 : 1u << kit_u32(bytes, 4);
	f = make_of(kit, &config);
	for (unsigned warp = 0; warp < 3; warp++) {
		memset(&o[warp], 0, sizeof(o[warp]));
		o[warp].word_bytes = config.word_bytes;
		o[warp].stats = &told;
	}
	for (KIT_TURNS(warp_access_filter, f))
		filter_step(f, o, bytes, config.lanes);
	KIT_STATS_END(warp_access_filter, f, &told, ORACLE_WARP_ACCESS_FILTER_STATS);
}
