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

static const uint32_t geometry[][2] = { { 6, 2 }, { 48, 8 }, { 1, 1 }, { 9, 0 }, { 5, 1024 } };

static void step(struct gputm_tx_throttle *throttle, struct oracle_tx_throttle *o,
		 struct kit_bytes *bytes)
{
	uint32_t warp = kit_u32(bytes, o->config.warps + 1), expected = 4711;

	oracle_tx_throttle_next(o, &expected);
	ck_assert_uint_eq(next(throttle), expected);
	if (expected != 4711 && kit_draw(bytes, 2))
		warp = expected;
	if (kit_draw(bytes, 3))
		ck_assert_int_eq(admit(throttle, warp), oracle_tx_throttle_admit(o, warp));
	else
		ck_assert_int_eq(gputm_tx_throttle_leave(throttle, warp),
				 oracle_tx_throttle_leave(o, warp));
	ck_assert_uint_eq(gputm_tx_throttle_running(throttle), o->insiders);
	ck_assert_uint_eq(gputm_tx_throttle_waiting(throttle), o->waiters);
}

KIT_DRIVE(tx_throttle, KIT_COUNT(geometry), 15000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 48), kit_u32(bytes, 10) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_tx_throttle *throttle = make(kit, "warps=%u limit=%u", g[0], g[1]);
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
	struct gputm_tx_throttle *throttle = make(kit, "warps=4 limit=1");

	ck_assert_int_eq(admit(throttle, 3), IN);
	ck_assert_int_eq(admit(throttle, 1), WAIT);
	leave(throttle, 3);
	ck_assert_uint_eq(kit_event(GPUTM_TX_THROTTLE_EVENT_ADMIT)[0], 3);
	ck_assert_uint_eq(kit_event(GPUTM_TX_THROTTLE_EVENT_QUEUE)[2], 1);
	ck_assert_uint_eq(kit_event(GPUTM_TX_THROTTLE_EVENT_LEAVE)[1], 0);
}
