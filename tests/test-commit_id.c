/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_id: life, all or nothing, the way of a credit, misuse, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/commit_id.h"

KIT_UNIT(commit_id, COMMIT_ID);
#define SMALL "cores=2 partitions=3 ring=8 pools=per_core credits=4"


/* 2 cores, 3 partitions, a ring of 8. */
static uint64_t acquired(struct gputm_commit_id *vendor, uint32_t core, uint32_t count)
{
	uint64_t first = 4711;

	ck_assert_int_eq(gputm_commit_id_acquire_probe(vendor, core, count), GPUTM_COMMIT_ID_OK);
	ck_assert_int_eq(gputm_commit_id_acquire(vendor, core, count, &first), GPUTM_COMMIT_ID_OK);
	return first;
}

static void refused(struct gputm_commit_id *vendor, uint32_t core, uint32_t count, int answer)
{
	uint64_t first = 4711, next = gputm_commit_id_next_cid(vendor);
	uint32_t available = gputm_commit_id_available(vendor, core);

	ck_assert_int_eq(gputm_commit_id_acquire_probe(vendor, core, count), answer);
	ck_assert_int_eq(gputm_commit_id_acquire(vendor, core, count, &first), answer);
	ck_assert_uint_eq(first, 4711);
	ck_assert_uint_eq(gputm_commit_id_next_cid(vendor), next);
	ck_assert_uint_eq(gputm_commit_id_available(vendor, core), available);
}

static void retire(struct gputm_commit_id *vendor, uint64_t first, uint32_t count)
{
	for (uint32_t p = 0; p < 2; p++)
		ck_assert_int_eq(
			gputm_commit_id_report_retired(vendor, p, first, count, NULL), 0);
	ck_assert_int_eq(gputm_commit_id_report_retired(vendor, 2, first, count, NULL),
			 (int)count);
}

KIT_TEST(test_commit_id_credits_do_not_exceed_the_ring)
{
	make(kit, SMALL);
	KIT_REFUSED(-EINVAL, refuse(kit, "cores=2 partitions=3 ring=8 pools=per_core credits=5"),
		    "commit_id", "credits = 5", "2 pools", "ring = 8");
	make(kit, "cores=2 partitions=3 ring=8 pools=shared credits=8");
	KIT_REFUSED(-EINVAL, refuse(kit, "cores=2 partitions=3 ring=8 pools=shared credits=9"),
		    "credits = 9", "1 pools", "ring = 8");
}

KIT_MADE(test_commit_id_takes_all_or_nothing, vendor, SMALL)
{
	ck_assert_uint_eq(acquired(vendor, 0, 3), 1);
	ck_assert_uint_eq(gputm_commit_id_available(vendor, 0), 1);
	refused(vendor, 0, 2, GPUTM_COMMIT_ID_SHORT);
	ck_assert_uint_eq(acquired(vendor, 1, 4), 4); /* the other core has its own pool */
	ck_assert_uint_eq(acquired(vendor, 0, 1), 8);
	refused(vendor, 0, 1, GPUTM_COMMIT_ID_SHORT);
	ck_assert_uint_eq(gputm_commit_id_in_flight(vendor), 8);
	ck_assert_uint_eq(kit_stat(unit_of(vendor), "refused_short"), 2);
}

KIT_MADE(test_commit_id_shared_pool_serves_all_cores, vendor,
	 "cores=2 partitions=3 ring=8 pools=shared credits=8")
{
	ck_assert_uint_eq(acquired(vendor, 0, 7), 1);
	refused(vendor, 1, 2, GPUTM_COMMIT_ID_SHORT);
	ck_assert_uint_eq(acquired(vendor, 1, 1), 8);
	ck_assert_uint_eq(gputm_commit_id_available(vendor, 0), 0);
}

/* 4.2.5: the credit of an entry is back once the last partition has retired it. */
KIT_MADE(test_commit_id_credit_returns_with_the_last_partition, vendor, SMALL)
{
	uint32_t returned[2] = { 0, 10 };

	ck_assert_uint_eq(acquired(vendor, 0, 2), 1);
	ck_assert_uint_eq(acquired(vendor, 1, 4), 3);
	ck_assert_int_eq(gputm_commit_id_report_retired(vendor, 0, 1, 6, returned), 0);
	ck_assert_int_eq(gputm_commit_id_report_retired(vendor, 2, 1, 3, returned), 0);
	refused(vendor, 1, 1, GPUTM_COMMIT_ID_SHORT);
	ck_assert_int_eq(gputm_commit_id_report_retired(vendor, 1, 1, 6, returned), 3);
	ck_assert_uint_eq(returned[0], 2);
	ck_assert_uint_eq(returned[1], 11);
	ck_assert_uint_eq(gputm_commit_id_oldest(vendor), 4);
	ck_assert_uint_eq(gputm_commit_id_available(vendor, 0), 4);
	refused(vendor, 1, 2, GPUTM_COMMIT_ID_SHORT);
	ck_assert_uint_eq(acquired(vendor, 1, 1), 7);
	kit_valid(unit_of(vendor));
	kit_round_trip(&commit_id_maker, unit_of(vendor));
}

/* CID 1 is out; everything after it comes and goes until the ring is one short of full. */
KIT_MADE(test_commit_id_window_is_tight, vendor,
	 "cores=2 partitions=3 ring=8 pools=shared credits=3")
{
	ck_assert_uint_eq(acquired(vendor, 0, 1), 1);
	for (uint64_t cid = 2; cid <= 6; cid += 2) {
		ck_assert_uint_eq(acquired(vendor, 1, 2), cid);
		retire(vendor, cid, 2);
	}
	ck_assert_uint_eq(gputm_commit_id_oldest(vendor), 1);
	ck_assert_uint_eq(gputm_commit_id_in_flight(vendor), 1);
	refused(vendor, 1, 2, GPUTM_COMMIT_ID_WINDOW);
	ck_assert_uint_eq(acquired(vendor, 1, 1), 8);
	refused(vendor, 1, 1, GPUTM_COMMIT_ID_WINDOW);
	kit_valid(unit_of(vendor));
	retire(vendor, 1, 1);
	ck_assert_uint_eq(gputm_commit_id_oldest(vendor), 8);
	ck_assert_uint_eq(acquired(vendor, 1, 2), 9);
	ck_assert_uint_eq(kit_stat(unit_of(vendor), "refused_window"), 2);
}

KIT_MADE(test_commit_id_misuse_changes_nothing, vendor, SMALL)
{
	uint64_t first = 4711;

	ck_assert_uint_eq(acquired(vendor, 0, 4), 1);
	ck_assert_int_eq(gputm_commit_id_report_retired(vendor, 1, 2, 1, NULL), 0);
	kit_guard(kit, unit_of(vendor));
	KIT_REFUSED(-ERANGE, gputm_commit_id_acquire(vendor, 2, 1, &first), "core = 2", "0 .. 1");
	KIT_REFUSED(-ERANGE, gputm_commit_id_acquire(vendor, 1, 0, &first), "");
	KIT_REFUSED(-ERANGE, gputm_commit_id_acquire(vendor, 1, 5, &first), "count = 5", "1 .. 4");
	KIT_REFUSED(-ERANGE, gputm_commit_id_report_retired(vendor, 3, 1, 1, NULL),
		    "partition = 3", "0 .. 2");
	KIT_REFUSED(-ERANGE, gputm_commit_id_report_retired(vendor, 0, 0, 1, NULL), "");
	KIT_REFUSED(-ERANGE, gputm_commit_id_report_retired(vendor, 0, 5, 1, NULL), "");
	KIT_REFUSED(-ERANGE, gputm_commit_id_report_retired(vendor, 0, 4, 2, NULL),
		    "first_cid = 4", "count = 2", "1 .. 4");
	KIT_REFUSED(-ERANGE, gputm_commit_id_report_retired(vendor, 0, 4, UINT32_MAX, NULL), "");
	KIT_REFUSED(-EINVAL, gputm_commit_id_report_retired(vendor, 0, 1, 0, NULL), "");
	KIT_REFUSED(-EINVAL, gputm_commit_id_report_retired(vendor, 1, 1, 3, NULL),
		    "partition 1", "CID 2");
	ck_assert_uint_eq(first, 4711);
	ck_assert_uint_eq(gputm_commit_id_available(vendor, 2), 0);
	kit_unchanged(kit);
}

/* Table 4.4: two warps of each of 30 cores are 1920 transactions, and no more fit. */
KIT_MADE(test_table_4_4_two_warps_per_core, vendor, "kilo-tm")
{
	for (uint32_t warp = 0; warp < 60; warp++)
		ck_assert_uint_eq(acquired(vendor, warp % 30, 32), 1 + 32 * warp);
	for (uint32_t core = 0; core < 30; core++)
		refused(vendor, core, 1, GPUTM_COMMIT_ID_SHORT);
	ck_assert_uint_eq(gputm_commit_id_in_flight(vendor), 1920);
	for (uint32_t p = 0; p < 8; p++)
		ck_assert_int_eq(gputm_commit_id_report_retired(vendor, p, 1, 1920, NULL),
				 p == 7 ? 1920 : 0);
	ck_assert_uint_eq(gputm_commit_id_in_flight(vendor), 0);
	ck_assert_uint_eq(kit_stat(unit_of(vendor), "maximum_in_flight"), 1920);
}

/* Cores, partitions, ring, pools, credits, reports in order. */
static const uint32_t geometry[][6] = {
	{ 3, 2, 24, 1, 8, 1 },  { 3, 2, 24, 1, 8, 0 }, { 1, 1, 1, 1, 1, 0 },
	{ 4, 64, 40, 0, 40, 0 }, { 2, 5, 7, 0, 3, 0 },	{ 5, 3, 80, 1, 16, 1 },
};

static void compare(const struct gputm_commit_id *vendor, const struct oracle_commit_id *o)
{
	ck_assert_uint_eq(gputm_commit_id_next_cid(vendor), oracle_commit_id_next(o));
	ck_assert_uint_eq(gputm_commit_id_oldest(vendor), oracle_commit_id_oldest(o));
	ck_assert_uint_eq(gputm_commit_id_in_flight(vendor), oracle_commit_id_in_flight(o));
	for (uint32_t core = 0; core <= o->config.cores; core++)
		ck_assert_uint_eq(gputm_commit_id_available(vendor, core),
				  oracle_commit_id_available(o, core));
	for (uint32_t p = 0; p < o->config.partitions; p++)
		ck_assert_uint_le(oracle_commit_id_next(o) - oracle_commit_id_unreported(o, p),
				  o->config.ring);
}

static void step_acquire(struct gputm_commit_id *vendor, struct oracle_commit_id *o,
			 struct kit_bytes *bytes)
{
	uint32_t core = kit_u32(bytes, o->config.cores + 1);
	uint32_t count = kit_u32(bytes, o->config.credits + 2);
	uint64_t first = 0, expected = 0;
	int probe = gputm_commit_id_acquire_probe(vendor, core, count);

	ck_assert_int_eq(gputm_commit_id_acquire(vendor, core, count, &first), probe);
	ck_assert_int_eq(oracle_commit_id_acquire(o, core, count, &expected), probe);
	ck_assert_uint_eq(first, expected);
}

static void step_report(struct gputm_commit_id *vendor, struct oracle_commit_id *o, bool in_order,
			struct kit_bytes *bytes)
{
	uint32_t p = kit_u32(bytes, o->config.partitions + !in_order);
	uint32_t count = kit_u32(bytes, 5), got[8] = { 0 }, expected[8] = { 0 };
	uint64_t first = oracle_commit_id_oldest(o) + kit_draw(bytes, o->config.ring + 1) - 1;

	if (in_order)
		first = oracle_commit_id_unreported(o, p);
	ck_assert_int_eq(gputm_commit_id_report_retired(vendor, p, first, count, got),
			 oracle_commit_id_report_retired(o, p, first, count, expected));
	ck_assert_mem_eq(got, expected, sizeof(got));
}

KIT_DRIVE(commit_id, 2 * KIT_COUNT(geometry), 20000)
{
	const uint32_t shape[] = { 1 + kit_u32(bytes, 4), kit_u32(bytes, 2),
				   1 + kit_u32(bytes, 16) };
	const uint32_t any[] = { shape[0],
				 1 + kit_u32(bytes, 4),
				 shape[2] * (shape[1] ? shape[0] : 1) + kit_u32(bytes, 8),
				 shape[1],
				 shape[2],
				 0 };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_commit_id_config config = with(
		"cores=%u partitions=%u ring=%u pools=%u credits=%u", g[0], g[1], g[2], g[3], g[4]);
	struct gputm_commit_id *vendor;
	struct oracle_commit_id o;

	config.first_cid = bytes->round * UINT64_C(1000);
	vendor = make_of(kit, &config);
	ORACLE_OPEN(&o, &config);
	while (kit_more(bytes)) {
		if (kit_draw(bytes, config.partitions + 1) == 0)
			step_acquire(vendor, &o, bytes);
		else
			step_report(vendor, &o, g[5], bytes);
		vendor = KIT_TURN(commit_id, vendor);
		compare(vendor, &o);
	}
	if (g[5])
		ck_assert_uint_eq(o.stats.refused_window, 0);
	KIT_STATS_END(commit_id, vendor, &o.stats, ORACLE_COMMIT_ID_STATS);
	free(o.given);
}

KIT_MADE(test_commit_id_tells_its_observer, vendor, SMALL)
{
	ck_assert_uint_eq(acquired(vendor, 1, 3), 1);
	refused(vendor, 1, 2, GPUTM_COMMIT_ID_SHORT);
	retire(vendor, 1, 3);
	KIT_TOLD("acquire", 1, 1, 1, 3, 1);
	KIT_TOLD("refuse", 1, 1, GPUTM_COMMIT_ID_SHORT, 2, 1);
	KIT_TOLD("return", 3, 1, 3, 4);
}
