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
KIT_MADE(test_tx_throttle_serves_in_the_order_of_asking, throttle, "warps=48 limit=2")
{
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
	kit_counts(unit_of(throttle), "waits=3 maximum_waiting=3");
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

KIT_MADE(test_tx_throttle_without_a_limit_nobody_waits, throttle, "warps=48 limit=0")
{
	for (uint32_t warp = 0; warp < 48; warp++)
		ck_assert_int_eq(admit(throttle, warp), IN);
	ck_assert_uint_eq(gputm_tx_throttle_running(throttle), 48);
	ck_assert_uint_eq(kit_stat(unit_of(throttle), "waits"), 0);
}

/* A warp that restarts its transaction keeps its place. */
KIT_MADE(test_tx_throttle_a_restart_is_admitted, throttle, "warps=4 limit=1")
{
	ck_assert_int_eq(admit(throttle, 2), IN);
	ck_assert_int_eq(admit(throttle, 0), WAIT);
	ck_assert_int_eq(admit(throttle, 2), IN);
	ck_assert_uint_eq(gputm_tx_throttle_running(throttle), 1);
	ck_assert_uint_eq(kit_stat(unit_of(throttle), "repeats"), 1);
	leave(throttle, 2);
	ck_assert_uint_eq(gputm_tx_throttle_running(throttle), 0);
	ck_assert_int_eq(admit(throttle, 2), WAIT); /* out is out */
}

KIT_MADE(test_tx_throttle_misuse_changes_nothing, throttle, "warps=4 limit=1")
{
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

KIT_MADE(test_tx_throttle_storage_is_one_counter, throttle, "warps=48 limit=2")
{
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(throttle)), 2);
	throttle = make(kit, "warps=48 limit=0");
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(throttle)), 6);
}

/* 6 bits of limit and of counter, 31 of commits; 31 of aborts, or to climb 31 of cycles of lanes,
 * 6 of warps that left, a price and three times of 31 bits each, and whether the limit starts. */
KIT_TEST(test_tx_throttle_storage_of_a_moving_limit)
{
	static const char *const policy[] = { "fixed", "aborts", "climb" };
	static const uint64_t more[] = { 0, 6 + 2 * 31, 6 + 2 * 31 + 6 + 5 * 31 + 1 };
	struct gputm_tx_throttle *throttle;
	struct gputm_storage array;
	uint64_t bits;

	for (int p = 0; p < 3; p++) {
		throttle = make(kit, "warps=48 limit=2 policy=%s", policy[p]);
		ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(throttle)), p ? 6 : 2);
		bits = 0;
		for (size_t i = 3; gputm_unit_storage(unit_of(throttle), i, &array); i++)
			bits += array.entries * array.bits;
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
		ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 0, cycle, cycle),
				 KEPT);
}

/* Thresholds are met exactly: 2 aborts in 16 commits keep the limit, 16 lower it. */
KIT_MADE(test_tx_throttle_aborts_move_the_limit, throttle,
	 "warps=8 limit=2 policy=aborts window=8 raise_below=2 lower_from=16")
{
	commits(throttle, 15, 0);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 1, 0, 1), RAISED);
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 4);
	commits(throttle, 31, 2);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 4, 0, 3), KEPT);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 31, 0, 4), KEPT);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 1, 0, 4), LOWERED);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 16, 0, 5), LOWERED);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 8, 0, 6), KEPT); /* not below 1 */
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 1);
	kit_counts(unit_of(throttle), "windows=5 kept=2");
	kit_valid(unit_of(throttle));
	kit_round_trip(&tx_throttle_maker, unit_of(throttle));
}

/* Without a window each policy is as a fixed limit: the same answers, storage and snapshots. */
KIT_TEST(test_tx_throttle_without_a_window_the_limit_stays)
{
	static const char *const policy[] = { "fixed", "aborts", "climb" };

	for (int p = 0; p < 3; p++) {
		struct gputm_tx_throttle *throttle =
			make(kit, "warps=8 limit=1 policy=%s window=0", policy[p]);

		ck_assert_int_eq(admit(throttle, 0), IN);
		ck_assert_int_eq(admit(throttle, 1), WAIT);
		commits(throttle, 100, 1);
		ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 64, 0, 2), KEPT);
		ck_assert_int_eq(gputm_tx_throttle_leave(throttle, 0), 0);
		ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 1);
		ck_assert_uint_eq(kit_stat(unit_of(throttle), "windows"), 0);
		ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(throttle)), 1);
		kit_round_trip(&tx_throttle_maker, unit_of(throttle));
	}
}

/* A control that climbs with windows of 8 commits, and warps 0 and 1 inside. */
static struct gputm_tx_throttle *climber(struct kit *kit, uint32_t limit)
{
	struct gputm_tx_throttle *throttle =
		make(kit, "warps=48 limit=%u policy=climb window=8 highest=12", limit);

	ck_assert_int_eq(admit(throttle, 0), IN);
	ck_assert_int_eq(admit(throttle, 1), IN);
	return throttle;
}

/* In the start 2 x limit commits make a window. The least price is 3; 6 doubles, more does not. */
KIT_TESTS(test_tx_throttle_doubles_in_the_start, 2)
{
	struct gputm_tx_throttle *throttle = climber(kit, 2);

	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 3, 0, 0, 3), KEPT);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 0, 0, 3), RAISED); /* 12 / 4 */
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 4);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 7, 0, 3, 9), KEPT);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 0, _i ? 8 : 9, 15),
			 _i ? KEPT : RAISED);
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), _i ? 4 : 8); /* 49 or 48 / 8 */
	kit_valid(unit_of(throttle));
	kit_round_trip(&tx_throttle_maker, unit_of(throttle));
	/* A window has four times as many commits now if the start is over; half more, then. */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 16, 0, 15, 20), _i ? KEPT : RAISED);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 16, 0, 20, 25), _i ? RAISED : KEPT);
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), _i ? 6 : 12);
}

/* Lanes that abort cost as much. Above 4 times the least price the limit is 1, at once. */
KIT_TESTS(test_tx_throttle_falls_to_one, 2)
{
	struct gputm_tx_throttle *throttle = climber(kit, 2);
	uint32_t waiting;

	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 4, 0, 0, 3), RAISED); /* 3 */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 8, 3, 15), KEPT); /* 96 / 8 */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 1, 15, _i ? 16 : 15),
			 _i ? LOWERED : KEPT); /* 97 or 96 / 8 */
	if (!_i)
		return;
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 1);
	ck_assert_int_eq(admit(throttle, 2), WAIT);
	/* As 2 are inside this does not count; the next is least, and the start is over. */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 64, 0, 17, 300), KEPT);
	leave(throttle, 0);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 8, 0, 300, 583), RAISED);
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 2);
	ck_assert(gputm_tx_throttle_next_warp(throttle, &waiting));
	ck_assert_int_eq(admit(throttle, 2), IN);
	kit_guard(kit, unit_of(throttle));
	KIT_REFUSED(-EINVAL, gputm_tx_throttle_report(throttle, 1, 0, 9, 582), "cycle 582", "583");
	KIT_REFUSED(-EINVAL, gputm_tx_throttle_report(throttle, 1, 0, 601, 600), "601", "600");
	KIT_REFUSED(-ERANGE, gputm_tx_throttle_report(throttle, 65, 0, 0, 1000), "commits = 65");
	KIT_REFUSED(-ERANGE, gputm_tx_throttle_report(throttle, 0, 65, 0, 1000), "aborts = 65");
	kit_unchanged(kit);
}

/* So it does at the end of a window with few commits; at 4 times the least price it stays. */
KIT_TESTS(test_tx_throttle_falls_at_the_end_of_a_window, 2)
{
	struct gputm_tx_throttle *throttle = climber(kit, 4);

	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 8, 0, 0, 1), RAISED); /* 1 */
	leave(throttle, 0);
	leave(throttle, 1);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 0, _i ? 1 : 2, 6),
			 _i ? LOWERED : KEPT);
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), _i ? 1 : 8);
}

/* What began before the limit moved says nothing of it, but how long attempts are. */
KIT_TEST(test_tx_throttle_a_window_lasts_as_long_as_attempts)
{
	struct gputm_tx_throttle *throttle = climber(kit, 2);

	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 4, 0, 0, 8), RAISED); /* 8 is 6 now */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 64, 0, 7, 9), KEPT); /* too old */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 32, 0, 9, 13), KEPT); /* too early */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 1, 13, 14), RAISED);
	ck_assert_uint_eq(gputm_tx_throttle_limit(throttle), 8);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 64, 0, 2, 24), KEPT); /* 22 long */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 16, 0, 32, 35), KEPT);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 1, 35, 36), RAISED);
	kit_round_trip(&tx_throttle_maker, unit_of(throttle));
}

/* Warps with few lanes: a window ends when as many have left as the limit, with the next commit. */
KIT_TEST(test_tx_throttle_a_window_ends_when_its_warps_have_left)
{
	struct gputm_tx_throttle *throttle = climber(kit, 4);

	leave(throttle, 0);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 0, 1, 9, 9), KEPT); /* no commit yet */
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 0, 8, 9), RAISED); /* a quarter */
	leave(throttle, 1);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 0, 9, 10), KEPT);
	ck_assert_int_eq(admit(throttle, 0), IN);
	leave(throttle, 0);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 1, 0, 9, 10), RAISED);
	ck_assert_uint_eq(kit_stat(unit_of(throttle), "windows"), 2);
}

/* Warps, limit, policy, window, highest. */
static const uint32_t geometry[][5] = {
	{ 6, 2, 0, 32, 0 }, { 48, 8, 0, 32, 0 }, { 1, 1, 0, 32, 0 },
	{ 9, 0, 0, 32, 0 }, { 5, 1024, 0, 32, 0 }, { 9, 0, 1, 4, 0 },
	{ 9, 2, 2, 4, 6 }, { 6, 1, 2, 1, 0 }, { 12, 4, 2, 1, 0 },
};

static void step(struct gputm_tx_throttle *throttle, struct oracle_tx_throttle *o,
		 struct kit_bytes *bytes)
{
	uint32_t warp = kit_u32(bytes, o->config.warps + 1), expected = 4711, aborts;
	uint64_t began, cycle;

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
		cycle = o->last + kit_u32(bytes, 50) - !kit_draw(bytes, 50);
		began = cycle - kit_u32(bytes, 30);
		if (began > cycle)
			began = cycle + !kit_draw(bytes, 50);
		ck_assert_int_eq(gputm_tx_throttle_report(throttle, warp, aborts, began, cycle),
				 oracle_tx_throttle_report(o, warp, aborts, began, cycle));
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
				 kit_u32(bytes, 9), kit_u32(bytes, 20) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_tx_throttle *throttle =
		make(kit, "warps=%u limit=%u policy=%u window=%u highest=%u", g[0], g[1], g[2],
		     g[3], g[4]);
	struct oracle_tx_throttle o;

	oracle_tx_throttle_open(&o, gputm_unit_config(unit_of(throttle)));
	for (KIT_TURNS(tx_throttle, throttle))
		step(throttle, &o, bytes);
	o.stats.running = o.insiders;
	o.stats.waiting = o.waiters;
	o.stats.limit_now = o.config.policy && o.config.window ? o.limit : 0;
	KIT_STATS_END(tx_throttle, throttle, &o.stats, ORACLE_TX_THROTTLE_STATS);
}

KIT_MADE(test_tx_throttle_tells_its_observer, throttle, "warps=4 limit=1 policy=aborts window=4")
{
	ck_assert_int_eq(admit(throttle, 3), IN);
	ck_assert_int_eq(admit(throttle, 1), WAIT);
	leave(throttle, 3);
	ck_assert_int_eq(gputm_tx_throttle_report(throttle, 4, 0, 0, 7), RAISED);
	KIT_TOLD("window", 1, 2, 4, 0, 7);
	KIT_TOLD("admit", 1, 3, 1, 0);
	KIT_TOLD("queue", 1, 1, 1, 1);
	KIT_TOLD("leave", 1, 3, 0, 1);
}
