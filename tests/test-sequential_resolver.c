/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of sequential_resolver: life, Fig. 6.6 in 15 steps, refusals, oracle, 2PCR beside it. */
#include "tests/kit.h"
#include "tests/oracle/sequential_resolver.h"

KIT_UNIT(sequential_resolver, SEQUENTIAL_RESOLVER);
KIT_MAKER(ownership_table, OWNERSHIP_TABLE);

#define RESOLVER sequential_resolver
#define RESOLVER_STATS ORACLE_SEQUENTIAL_RESOLVER_STATS
#include "tests/resolver.h"

KIT_TEST(test_sequential_resolver_configs)
{
	make(kit, "filter_bits=8");
	KIT_REFUSED(-EINVAL, refuse(kit, "filter_bits=8 hashes=8"), "hashes = 8", "1 .. 4");
	KIT_REFUSED(-EINVAL, refuse(kit, "filter_bits=8 hashes=1 address_bits=8 granularity=256"),
		    "sequential_resolver", "granularity = 256");
}

/* Of the second warp that is resolved. */
KIT_MADE(test_sequential_resolver_tells_its_observer, resolver, NULL)
{
	struct gputm_resolver_outcome r;

	for (uint32_t b = 0; b < 2; b++) {
		ck_assert_uint_eq(acquire(resolver, 0xf), b);
		ck_assert_int_eq(gputm_sequential_resolver_resolve(resolver, b, &figure, &r), 0);
	}
	ck_assert_int_eq(gputm_sequential_resolver_release(resolver, 1), 0);
	KIT_TOLD("acquire", 2, 1, 0xf);
	KIT_TOLD("lane", 8, 1, 3, GPUTM_SEQUENTIAL_RESOLVER_ABORTS);
	ck_assert(r.initialise_cycles && r.construct_cycles && r.match_cycles);
	KIT_TOLD("release", 1, 1, 0x3, 0xc,
		 r.initialise_cycles + r.construct_cycles + r.match_cycles);
}

/* ---- Fig. 6.6 ---- */

/* X1 inserts 2; X2 checks 4, inserts 2; X3 checks 4, aborts; X4 checks 3, aborts. */
KIT_TESTS(test_fig_6_6_takes_15_steps_one_lane_after_the_other, 2)
{
	static const uint64_t total[4] = { 2, 8, 12, 15 }, survived[4] = { 1, 3, 3, 3 };
	static const uint64_t match[4] = { 0, 20, 40, 56 }, construct[4] = { 10, 20, 20, 20 };
	struct gputm_sequential_resolver *resolver = make(kit, "%s", _i ? "exact" : "warptm");
	uint32_t b = acquire(resolver, 0xf);
	struct gputm_resolver_outcome r, whole;

	for (uint32_t lane = 0; lane < 4; lane++) {
		ck_assert_int_eq(gputm_sequential_resolver_resolve_lane(resolver, b, &figure, lane),
				 lane < 2 ? GPUTM_SEQUENTIAL_RESOLVER_SURVIVES
					  : GPUTM_SEQUENTIAL_RESOLVER_ABORTS);
		ck_assert_int_eq(gputm_sequential_resolver_get_result(resolver, b, &r), 0);
		KIT_HAS(r, steps, total[lane], survived, survived[lane], match_cycles, match[lane],
			construct_cycles, construct[lane]);
		kit_valid(unit_of(resolver));
	}
	ck_assert_uint_eq(r.aborted, 0xc);
	ck_assert_uint_eq(r.initialise_cycles, 4); /* 512 bytes, 128 at a time */
	ck_assert_int_eq(gputm_sequential_resolver_resolve(resolver, acquire(resolver, 0xf),
							   &figure, &whole),
			 0);
	same_resolution(&whole, &r);
	kit_round_trip(&sequential_resolver_maker, unit_of(resolver));
}

/* The lowest active lane cannot abort. */
KIT_MADE(test_sequential_resolver_lowest_lane_in_a_snapshot, unit, "lanes=64")
{
	const uint64_t active = 0x8123456789abcde0;

	acquire(unit, active);
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(unit), active, 16, 8, 0x20), "");
	ck_assert_int_eq(kit_forged(unit_of(unit), active, 16, 8, 0x40), 0);
}

KIT_MADE(test_sequential_resolver_refusals_change_nothing, resolver,
	 "lanes=4 address_bits=16 buffers=1")
{
	static const uint64_t wide[5] = { 4, 4, 0x10000, 4, 4 };
	const struct gputm_resolver_row beyond = { 0x1f, wide };
	const struct gputm_resolver_row rows[2] = { { 0x3, wide }, { 0xf, wide } };
	/* a lane that does not exist; a second row with an address that is too wide */
	const struct gputm_resolver_logs bad[3] = { { &beyond, rows, 1, 0 },
						    { rows, rows, 0, 2 }, { rows, rows, 2, 0 } };
	struct gputm_resolver_outcome r = { 4711, 0, 0, 0, 0, 0, 0 };
	uint32_t b, buffer = 99;

	KIT_REFUSED(-ERANGE, gputm_sequential_resolver_acquire(resolver, 0x10, &buffer),
		    "active = 16", "0 .. 15");
	b = acquire(resolver, 0xd);
	KIT_REFUSED(-ERANGE, gputm_sequential_resolver_resolve_lane(resolver, b, &figure, 64),
		    "lane = 64");
	ck_assert_int_eq(gputm_sequential_resolver_acquire_probe(resolver, 1), GPUTM_RESOLVER_BUSY);
	ck_assert_int_eq(gputm_sequential_resolver_resolve_lane(resolver, b, &figure, 2),
			 GPUTM_SEQUENTIAL_RESOLVER_SURVIVES);
	kit_guard(kit, unit_of(resolver));
	KIT_REFUSED(-ERANGE, gputm_sequential_resolver_resolve_lane(resolver, b, &bad[0], 3),
		    "lanes of a row = 31", "0 .. 15");
	KIT_REFUSED(-ERANGE, gputm_sequential_resolver_resolve_lane(resolver, b, &figure, 4),
		    "lane = 4", "0 .. 3");
	KIT_REFUSED(-EINVAL, gputm_sequential_resolver_resolve_lane(resolver, b, &figure, 1),
		    "lane = 1 is not active");
	KIT_REFUSED(-EINVAL, gputm_sequential_resolver_resolve_lane(resolver, b, &figure, 0),
		    "lane = 0 is not above");
	KIT_REFUSED(-EINVAL, gputm_sequential_resolver_resolve_lane(resolver, b, &figure, 2), "");
	KIT_REFUSED(-EINVAL, gputm_sequential_resolver_resolve(resolver, b, &figure, &r),
		    "has begun to resolve");
	KIT_REFUSED(-ERANGE, gputm_sequential_resolver_resolve_lane(resolver, 1, &figure, 3), "");
	kit_unchanged(kit);
	kit_valid(unit_of(resolver));
	ck_assert_int_eq(gputm_sequential_resolver_release(resolver, b), 0);
	ck_assert_uint_eq(kit_stat(unit_of(resolver), "lanes_unresolved"), 2);
	kit_valid(unit_of(resolver));
	KIT_REFUSED(-EINVAL, gputm_sequential_resolver_resolve_lane(resolver, b, &figure, 3),
		    "was released");
	KIT_REFUSED(-EINVAL, gputm_sequential_resolver_release(resolver, b), "");
	b = acquire(resolver, 0xf);
	for (unsigned i = 1; i < 3; i++)
		KIT_REFUSED(-ERANGE, gputm_sequential_resolver_resolve(resolver, b, &bad[i], &r),
			    "address = 65536", "0 .. 65535");
	ck_assert_uint_eq(r.survived, 4711);
	ck_assert_uint_eq(kit_stat(unit_of(resolver), "used"), 1);
}

KIT_MADE(test_sequential_resolver_exact_without_memory, resolver, "exact=1")
{
	struct gputm_resolver_outcome r;
	uint32_t b;

	b = acquire(resolver, 0xf);
	kit_guard(kit, unit_of(resolver));
	kit->fail_at = kit->allocations;
	KIT_REFUSED(-ENOMEM, gputm_sequential_resolver_resolve(resolver, b, &figure, &r), "");
	kit_unchanged(kit);
	kit->fail_at = kit->allocations;
	KIT_REFUSED(-ENOMEM, gputm_sequential_resolver_resolve_lane(resolver, b, &figure, 0), "");
	kit_unchanged(kit);
	kit->fail_at = -1;
	ck_assert_int_eq(gputm_sequential_resolver_resolve(resolver, b, &figure, &r), 0);
	ck_assert_uint_eq(r.survived, 0x3);
}

/* What the exact record has is still there when it has grown. */
KIT_MADE(test_sequential_resolver_exact_grows, resolver, "exact=1 lanes=4")
{
	uint64_t address[64][3];
	struct gputm_resolver_row row[64];
	const struct gputm_resolver_logs first = { NULL, row, 0, 1 }, many = { NULL, row, 0, 64 };
	const struct gputm_resolver_logs last = { row, NULL, 1, 0 };
	uint32_t b = acquire(resolver, 7);

	for (uint64_t i = 0; i < 64; i++) {
		address[i][0] = address[i][2] = 0x1000 + 32 * i;
		address[i][1] = 0x8000 + 32 * i;
		row[i] = (struct gputm_resolver_row){ 7, address[i] };
	}
	ck_assert_int_eq(gputm_sequential_resolver_resolve_lane(resolver, b, &first, 0),
			 GPUTM_SEQUENTIAL_RESOLVER_SURVIVES);
	ck_assert_int_eq(gputm_sequential_resolver_resolve_lane(resolver, b, &many, 1),
			 GPUTM_SEQUENTIAL_RESOLVER_SURVIVES);
	ck_assert_int_eq(gputm_sequential_resolver_resolve_lane(resolver, b, &last, 2),
			 GPUTM_SEQUENTIAL_RESOLVER_ABORTS);
}

/* ---- random ---- */

/* lanes, filter bits, hashes, granularity, exact, bytes of an access, words, buffers */
static const uint32_t geometry[][8] = {
	{ 32, 4096, 4, 4, 0, 128, 300, 3 },
	{ 32, 8, 1, 4, 0, 128, 300, 3 },
	{ 17, 64, 8, 32, 0, 1, 90, 3 },
	{ 64, 32768, 2, 4, 0, 128, 900, 3 },
	{ 32, 4096, 4, 4, 1, 128, 200, 3 },
	{ 4, 512, 4, 8, 1, 32, 20, 3 },
};

/* Another warp gives up at once. */
static void use_room(struct pair *p)
{
	const struct gputm_resolver_outcome none = { .initialise_cycles =
							     p->held->initialise_cycles };
	uint32_t b = acquire(p->unit, 1);

	p->held[b] = none;
	oracle_resolver_resolved(&p->oracle.stats.core, 1, &none);
	release(p, b);
	p->oracle.stats.lanes_unresolved++;
}

KIT_DRIVE(sequential_resolver, KIT_COUNT(geometry), 60000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 64),  8u << kit_u32(bytes, 9),
				 1u << kit_u32(bytes, 4), 1u << kit_u32(bytes, 8),
				 kit_u32(bytes, 2),       128,
				 1 + kit_u32(bytes, 256), 1 + kit_u32(bytes, 3) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_sequential_resolver_config config =
		with("lanes=%u filter_bits=%u hashes=%u granularity=%u exact=%u access_bytes=%u "
		     "buffers=%u seed=%d",
		     g[0], g[1], g[2], g[3], g[4], g[5], g[7], bytes->round);

	drive(kit, bytes, &config, g[6]);
}

/* ---- 6.3.3: how 2PCR and SCR differ ---- */

static uint64_t conflicting(const struct gputm_resolver_logs *logs, uint64_t lanes, uint32_t late)
{
	uint64_t found = 0;

	for (uint32_t early = 0; early < late; early++)
		if (lanes >> early & 1 && oracle_logs_conflict(logs, early, late, 4))
			found |= UINT64_C(1) << early;
	return found;
}

/*
 * Neither errs: whatever survives 2PCR survives SCR, and a lane that only SCR spares conflicts
 * with aborted lanes only.
 */
KIT_MADE(test_6_3_3_2pcr_aborts_more_only_for_conflicts_with_aborted_lanes, scr, "exact")
{
	struct gputm_ownership_table *table = kit_make_as(kit, &ownership_table_maker, "infinite");
	unsigned differ = 0, rounds = kit_scale(300, 60);
	uint64_t random = 20;

	for (unsigned i = 0; i < rounds; i++) {
		struct gputm_resolver_outcome s, p;
		struct oracle_logs logs;
		uint32_t b = acquire(scr, UINT32_MAX), c;

		oracle_logs_draw(&logs, 32, 60 + kit_below(&random, 900), below_of_state, &random);
		ck_assert_int_eq(gputm_sequential_resolver_resolve(scr, b, &logs.logs, &s), 0);
		ck_assert_int_eq(gputm_sequential_resolver_release(scr, b), 0);
		ck_assert_int_eq(gputm_ownership_table_acquire(table, UINT32_MAX, &c), 0);
		ck_assert_int_eq(gputm_ownership_table_resolve(table, c, &logs.logs, &p), 0);
		ck_assert_int_eq(gputm_ownership_table_release(table, c), 0);
		ck_assert_uint_eq(p.survived & ~s.survived, 0);
		differ += p.survived != s.survived;
		for (uint32_t lane = 0; lane < 32; lane++) {
			uint64_t with = conflicting(&logs.logs, UINT32_MAX, lane);

			ck_assert_int_eq(p.aborted >> lane & 1, with != 0);
			ck_assert_int_eq(s.aborted >> lane & 1, (with & s.survived) != 0);
		}
	}
	ck_assert_uint_gt(differ, 0);
}
