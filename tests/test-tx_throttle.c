/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of tx_throttle: life, the limit, the order of the queue, misuse, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/tx_throttle.h"

KIT_UNIT(tx_throttle, TX_THROTTLE);

enum { IN = GPUTM_TX_THROTTLE_ADMITTED, WAIT = GPUTM_TX_THROTTLE_WAIT };

/* The answer, after making sure that the probe agrees and changes nothing. */
static int admit(struct gputm_tx_throttle *throttle, uint32_t warp)
{
	uint64_t digest = kit_digest(unit_of(throttle));
	int answer = gputm_tx_throttle_admit_probe(throttle, warp);

	ck_assert_uint_eq(kit_digest(unit_of(throttle)), digest);
	ck_assert_int_eq(gputm_tx_throttle_admit(throttle, warp), answer);
	return answer;
}

static void leave(struct gputm_tx_throttle *throttle, uint32_t warp)
{
	ck_assert_int_eq(gputm_tx_throttle_leave(throttle, warp), 0);
}

/* The first waiting warp if there is room for it, else 4711. */
static uint32_t next(const struct gputm_tx_throttle *throttle)
{
	uint32_t warp = 4711;
	bool any = gputm_tx_throttle_next_warp(throttle, &warp);

	ck_assert_int_eq(any, warp != 4711);
	return warp;
}

/* The example that opens the source. */
KIT_TEST(test_tx_throttle_serves_in_the_order_of_asking)
{
	struct gputm_tx_throttle *throttle = make(kit, "warps=48 limit=2");

	ck_assert_int_eq(admit(throttle, 5), IN);
	ck_assert_int_eq(admit(throttle, 7), IN);
	ck_assert_int_eq(admit(throttle, 9), WAIT);
	ck_assert_int_eq(admit(throttle, 3), WAIT);
	ck_assert_uint_eq(next(throttle), 4711);
	leave(throttle, 5);
	ck_assert_uint_eq(next(throttle), 9);
	ck_assert_int_eq(admit(throttle, 3), WAIT);
	ck_assert_int_eq(admit(throttle, 5), WAIT); /* no way past the queue */
	ck_assert_int_eq(admit(throttle, 9), IN);
	ck_assert_uint_eq(next(throttle), 4711);
	ck_assert_int_eq(admit(throttle, 3), WAIT);
	leave(throttle, 7);
	leave(throttle, 9);
	ck_assert_int_eq(admit(throttle, 3), IN);
	ck_assert_int_eq(admit(throttle, 5), IN);
	ck_assert_uint_eq(gputm_tx_throttle_waiting(throttle), 0);
	ck_assert_uint_eq(kit_stat(unit_of(throttle), "waits"), 3);
	ck_assert_uint_eq(kit_stat(unit_of(throttle), "maximum_waiting"), 3);
	kit_valid(unit_of(throttle));
	kit_round_trip(&tx_throttle_maker, unit_of(throttle));
}

/* Table 6.1: 1, 2, 4 or 8 warps at a time; the limit is met exactly. */
KIT_TESTS(test_table_6_1_limits_are_tight, 4)
{
	uint32_t limit = 1u << _i;
	struct gputm_tx_throttle *throttle = make(kit, "warps=48 limit=%u", limit);

	for (uint32_t warp = 0; warp < 48; warp++)
		ck_assert_int_eq(admit(throttle, warp), warp < limit ? IN : WAIT);
	ck_assert_uint_eq(gputm_tx_throttle_running(throttle), limit);
	ck_assert_uint_eq(gputm_tx_throttle_waiting(throttle), 48 - limit);
	kit_valid(unit_of(throttle));
	leave(throttle, 0);
	ck_assert_int_eq(admit(throttle, limit), IN);
	ck_assert_int_eq(admit(throttle, limit + 1), WAIT);
}

KIT_TEST(test_tx_throttle_without_a_limit_nobody_waits)
{
	struct gputm_tx_throttle *throttle = make(kit, "warps=48 limit=0");

	for (uint32_t warp = 0; warp < 48; warp++)
		ck_assert_int_eq(admit(throttle, warp), IN);
	ck_assert_uint_eq(gputm_tx_throttle_running(throttle), 48);
	ck_assert_uint_eq(kit_stat(unit_of(throttle), "waits"), 0);
}

/* A warp that restarts its transaction keeps its place. */
KIT_TEST(test_tx_throttle_a_restart_is_admitted)
{
	struct gputm_tx_throttle *throttle = make(kit, "warps=4 limit=1");

	ck_assert_int_eq(admit(throttle, 2), IN);
	ck_assert_int_eq(admit(throttle, 0), WAIT);
	ck_assert_int_eq(admit(throttle, 2), IN);
	ck_assert_uint_eq(gputm_tx_throttle_running(throttle), 1);
	ck_assert_uint_eq(kit_stat(unit_of(throttle), "repeats"), 1);
	leave(throttle, 2);
	ck_assert_uint_eq(gputm_tx_throttle_running(throttle), 0);
	ck_assert_int_eq(admit(throttle, 2), WAIT); /* out is out */
}

KIT_TEST(test_tx_throttle_misuse_changes_nothing)
{
	struct gputm_tx_throttle *throttle = make(kit, "warps=4 limit=1");

	ck_assert_int_eq(admit(throttle, 3), IN);
	ck_assert_int_eq(admit(throttle, 0), WAIT);
	kit_guard(kit, unit_of(throttle));
	KIT_REFUSED(-ERANGE, gputm_tx_throttle_admit(throttle, 4),
		    "tx_throttle", "warp = 4", "0 .. 3");
	KIT_REFUSED(-ERANGE, gputm_tx_throttle_leave(throttle, 4), "");
	KIT_REFUSED(-EINVAL, gputm_tx_throttle_leave(throttle, 0), "warp 0");
	KIT_REFUSED(-EINVAL, gputm_tx_throttle_leave(throttle, 1), "");
	kit_unchanged(kit);
}

KIT_TEST(test_tx_throttle_storage_is_one_counter)
{
	struct gputm_tx_throttle *throttle = make(kit, "warps=48 limit=2");

	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(throttle)), 2);
	throttle = make(kit, "warps=48 limit=0");
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(throttle)), 6);
}

/* 6 bits of limit and of counter, 11 of 32 x 48 + 63 commits, 31 of aborts; 94 more to climb. */
KIT_TEST(test_tx_throttle_storage_of_a_moving_limit)
{
	static const char *const policy[] = { "fixed", "aborts", "climb" };
	static const uint64_t more[] = { 0, 6 + 11 + 31, 6 + 11 + 31 + 94 };
	struct gputm_tx_throttle *throttle;
	struct gputm_storage array;
	uint64_t bits;

	for (int p = 0; p < 3; p++) {
		throttle = make(kit, "warps=48 limit=2 policy=%s", policy[p]);
		ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(throttle)), p ? 6 : 2);
		bits = 0;
		for (size_t i = 3; gputm_unit_storage(unit_of(throttle), i, &array); i++)
			bits += array.bits;
		ck_assert_uint_eq(bits, more[p]);
	}
}

enum {
	KEPT = GPUTM_TX_THROTTLE_KEPT,
	RAISED = GPUTM_TX_THROTTLE_RAISED,
	LOWERED = GPUTM_TX_THROTTLE_LOWERED,
};

/* So many reports of one commit each, a cycle apart, after which the window is not complete. */
static void commits(struct gputm_tx_throttle *throttle, uint32_t count, uint64_t cycle)
{
	while (count--)
		ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 0, cycle), KEPT);
}

/* Thresholds are met exactly: 2 aborts in 16 commits keep the limit, 16 lower it. */
KIT_TEST(test_tx_throttle_aborts_move_the_limit)
{
	struct gputm_tx_throttle *throttle =
		make(kit, "warps=8 limit=2 policy=aborts window=8 raise_below=2 lower_from=16");

	commits(throttle, 15, 0);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 1, 1), RAISED);
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 4);
	commits(throttle, 31, 2);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 4, 3), KEPT);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 31, 4), KEPT);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 1, 4), LOWERED);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 16, 5), LOWERED);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 8, 6), KEPT); /* not below 1 */
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 1);
	ck_assert_uint_eq(kit_stat(unit_of(throttle), "windows"), 5);
	ck_assert_uint_eq(kit_stat(unit_of(throttle), "kept"), 2);
	kit_valid(unit_of(throttle));
	kit_round_trip(&tx_throttle_maker, unit_of(throttle));
}

/* 8 commits for each warp of the limit: 10 cycles a window, then fewer or more for a commit. */
KIT_TEST(test_tx_throttle_climbs_the_hill)
{
	struct gputm_tx_throttle *throttle =
		make(kit, "warps=48 limit=2 policy=climb window=8 slack=0 highest=12");
	uint32_t waiting;

	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 16, 0, 10), RAISED); /* the first */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 32, 0, 25), RAISED); /* faster */
	for (uint32_t warp = 0; warp < 8; warp++)
		ck_assert_int_eq(admit(throttle, warp), IN);
	ck_assert_int_eq(admit(throttle, 8), WAIT);
	commits(throttle, 63, 25);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 0, 55), KEPT); /* as fast */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 64, 0, 86), LOWERED); /* slower */
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 4);
	kit_valid(unit_of(throttle));
	leave(throttle, 0);
	ck_assert_uint_eq(next(throttle), 4711); /* 7 are inside still */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 32, 0, 110), RAISED); /* slower: turn */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 64, 0, 111), RAISED);
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 12);
	ck_assert(gputm_tx_throttle_next_warp(throttle, &waiting));
	ck_assert_int_eq(admit(throttle, 8), IN);
	kit_guard(kit, unit_of(throttle));
	KIT_REFUSED(-EINVAL, gputm_tx_throttle_report(throttle, 1, 0, 110), "cycle 110", "111");
	KIT_REFUSED(-ERANGE, gputm_tx_throttle_report(throttle, 65, 0, 200), "commits = 65");
	KIT_REFUSED(-ERANGE, gputm_tx_throttle_report(throttle, 0, 65, 200), "aborts = 65");
	kit_unchanged(kit);
}

/* Warps, limit, policy, window, slack, highest. */
static const uint32_t geometry[][6] = {
	{ 6, 2, 0, 32, 0, 0 }, { 48, 8, 0, 32, 0, 0 }, { 1, 1, 0, 32, 0, 0 },
	{ 9, 0, 0, 32, 0, 0 }, { 5, 1024, 0, 32, 0, 0 }, { 9, 0, 1, 4, 0, 0 },
	{ 9, 2, 2, 4, 2, 6 }, { 6, 1, 2, 1, 0, 0 },
};

static void step(struct gputm_tx_throttle *throttle, struct oracle_tx_throttle *o,
		 struct kit_bytes *bytes)
{
	uint32_t warp = kit_u32(bytes, o->config.warps + 1), expected = 4711, aborts;
	uint64_t cycle;

	oracle_tx_throttle_next(o, &expected);
	ck_assert_uint_eq(next(throttle), expected);
	if (expected != 4711 && kit_draw(bytes, 2))
		warp = expected;
	switch (kit_draw(bytes, 5)) {
	case 0:
	case 1:
		ck_assert_int_eq(gputm_tx_throttle_leave(throttle, warp),
				 oracle_tx_throttle_leave(o, warp));
		break;
	case 2:
		aborts = kit_u32(bytes, 9);
		cycle = o->began + kit_u32(bytes, 50) - !kit_draw(bytes, 50);
		ck_assert_int_eq(gputm_tx_throttle_report(throttle, warp, aborts, cycle),
				 oracle_tx_throttle_report(o, warp, aborts, cycle));
		break;
	default:
		ck_assert_int_eq(admit(throttle, warp), oracle_tx_throttle_admit(o, warp));
	}
	ck_assert_uint_eq(gputm_tx_throttle_running(throttle), o->insiders);
	ck_assert_uint_eq(gputm_tx_throttle_waiting(throttle), o->waiters);
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), o->limit);
}

KIT_DRIVE(tx_throttle, KIT_COUNT(geometry), 15000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 48), kit_u32(bytes, 10), kit_u32(bytes, 3),
				 kit_u32(bytes, 9), kit_u32(bytes, 16), kit_u32(bytes, 20) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_tx_throttle *throttle =
		make(kit, "warps=%u limit=%u policy=%u window=%u slack=%u highest=%u", g[0], g[1],
		     g[2], g[3], g[4], g[5]);
	struct oracle_tx_throttle o;

	oracle_tx_throttle_open(&o, gputm_unit_config(unit_of(throttle)));
	while (kit_more(bytes)) {
		step(throttle, &o, bytes);
		throttle = KIT_TURN(tx_throttle, throttle);
	}
	KIT_END(tx_throttle, throttle);
}

KIT_TEST(test_tx_throttle_tells_its_observer)
{
	struct gputm_tx_throttle *throttle =
		make(kit, "warps=4 limit=1 policy=aborts window=4");

	ck_assert_int_eq(admit(throttle, 3), IN);
	ck_assert_int_eq(admit(throttle, 1), WAIT);
	leave(throttle, 3);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 4, 0, 7), RAISED);
	ck_assert_uint_eq(kit_event(GPUTM_TX_THROTTLE_EVENT_WINDOW)[0], 2);
	ck_assert_uint_eq(kit_event(GPUTM_TX_THROTTLE_EVENT_WINDOW)[3], 7);
	ck_assert_uint_eq(kit_event(GPUTM_TX_THROTTLE_EVENT_ADMIT)[0], 3);
	ck_assert_uint_eq(kit_event(GPUTM_TX_THROTTLE_EVENT_QUEUE)[2], 1);
	ck_assert_uint_eq(kit_event(GPUTM_TX_THROTTLE_EVENT_LEAVE)[1], 0);
}
