/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of warp_clock: life, Fig. 7, fixed times of an attempt, back-off, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/warp_clock.h"

KIT_UNIT(warp_clock, WARP_CLOCK);

static uint64_t now(const struct gputm_warp_clock *c, uint32_t warp)
{
	uint64_t time = 4711;

	ck_assert_int_eq(gputm_warp_clock_get_time(c, warp, &time), 0);
	return time;
}

KIT_MADE(test_table_v_warpts_of_a_core, c, NULL)
{
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(c)), 192 * 8);
}

KIT_MADE(test_fig_7_restart_time, c, NULL)
{
	uint64_t cycles = 0;

	ck_assert_int_eq(gputm_warp_clock_abort(c, 1, 9), 0);
	ck_assert_int_eq(gputm_warp_clock_restart(c, 1, &cycles), GPUTM_WARP_CLOCK_OK);
	ck_assert_uint_eq(now(c, 1), 10);
	/* tx2 at 10 loads A, written at 20; the attempt goes on at 10, the next is at 22. */
	ck_assert_int_eq(gputm_warp_clock_abort(c, 1, 21), 0);
	ck_assert_int_eq(gputm_warp_clock_abort(c, 1, 3), 0);
	ck_assert_uint_eq(now(c, 1), 10);
	ck_assert_int_eq(gputm_warp_clock_restart(c, 1, &cycles), GPUTM_WARP_CLOCK_OK);
	ck_assert_uint_eq(now(c, 1), 22);
	ck_assert_int_eq(gputm_warp_clock_commit(c, 1), 0);
	ck_assert_uint_eq(now(c, 1), 22);
	kit_round_trip(&warp_clock_maker, unit_of(c));
	kit_hostile(&warp_clock_maker, unit_of(c));
}

/* No snapshot brings such times, so memory does: each on its own is wrong. */
KIT_MADE(test_warp_clock_checks_the_width_of_each_time, c, "time_bits=16 margin=10")
{
	uint64_t cycles = 0;

	ck_assert_int_eq(gputm_warp_clock_abort(c, 1, 0x4710), 0);
	ck_assert_int_eq(gputm_warp_clock_restart(c, 1, &cycles), GPUTM_WARP_CLOCK_OK);
	ck_assert_int_eq(gputm_warp_clock_abort(c, 1, 0x4911), 0);
	for (uint64_t time = 0x4711; time <= 0x4911; time += 0x200) { /* own, then reported */
		ck_assert_ptr_null(kit_damaged(unit_of(c), time, 0xffff));
		ck_assert_str_eq(kit_damaged(unit_of(c), time, 0x10000),
				 "warp_clock: W1: a time does not fit its width");
	}
	kit_valid(unit_of(c));
}

/* A full stall buffer turns away an access whose report may lie below its own time. */
KIT_MADE(test_clock_never_goes_back, c, NULL)
{
	uint64_t cycles = 0;

	ck_assert_int_eq(gputm_warp_clock_abort(c, 0, 50), 0);
	ck_assert_int_ge(gputm_warp_clock_restart(c, 0, &cycles), 0);
	ck_assert_int_eq(gputm_warp_clock_abort(c, 0, 7), 0);
	ck_assert_int_ge(gputm_warp_clock_restart(c, 0, &cycles), 0);
	ck_assert_uint_eq(now(c, 0), 52);
}

KIT_TEST(test_warp_clock_rollover_is_asked_for_at_the_margin)
{
	struct gputm_warp_clock *c = NULL;
	uint64_t cycles = 0;

	KIT_REFUSED(-EINVAL, refuse(kit, "time_bits=6 margin=63"), "margin", "63", "time_bits");
	c = make(kit, "time_bits=6 margin=10");
	ck_assert_int_eq(gputm_warp_clock_abort(c, 0, 52), 0);
	ck_assert_int_eq(gputm_warp_clock_restart(c, 0, &cycles), GPUTM_WARP_CLOCK_OK);
	ck_assert(!gputm_warp_clock_exhausted(c));
	ck_assert_int_eq(gputm_warp_clock_abort(c, 0, 53), 0);
	ck_assert_int_eq(gputm_warp_clock_restart(c, 0, &cycles), GPUTM_WARP_CLOCK_ROLLOVER);
	ck_assert(gputm_warp_clock_exhausted(c));
	ck_assert_int_eq(gputm_warp_clock_abort(c, 1, 63), 0);
	ck_assert_int_eq(gputm_warp_clock_restart(c, 1, &cycles), GPUTM_WARP_CLOCK_ROLLOVER);
	ck_assert_uint_eq(now(c, 1), 63);
	gputm_warp_clock_rollover(c);
	ck_assert_uint_eq(now(c, 0), 0);
	ck_assert(!gputm_warp_clock_exhausted(c));
	ck_assert_int_eq(gputm_warp_clock_abort(c, 47, 53), 0);
	ck_assert_int_eq(gputm_warp_clock_restart(c, 47, &cycles), GPUTM_WARP_CLOCK_ROLLOVER);
	ck_assert(gputm_warp_clock_exhausted(c));
}

KIT_MADE(test_warp_clock_misuse_changes_nothing, c, "warps=2 time_bits=16")
{
	uint64_t time = 77;

	kit_guard(kit, unit_of(c));
	KIT_REFUSED(-ERANGE, gputm_warp_clock_get_time(c, 2, &time), "warp = 2", "0 .. 1");
	KIT_REFUSED(-ERANGE, gputm_warp_clock_abort(c, 2, 0), "");
	KIT_REFUSED(-ERANGE, gputm_warp_clock_abort(c, 0, 65536), "reported = 65536");
	KIT_REFUSED(-ERANGE, gputm_warp_clock_restart(c, 2, &time), "");
	KIT_REFUSED(-EINVAL, gputm_warp_clock_restart(c, 0, &time), "warp 0");
	KIT_REFUSED(-ERANGE, gputm_warp_clock_commit(c, 2), "");
	kit_unchanged(kit);
	ck_assert_int_eq(gputm_warp_clock_abort(c, 0, 65535), 0);
	KIT_REFUSED(-EINVAL, gputm_warp_clock_commit(c, 0), "");
	ck_assert_uint_eq(time, 77);
}

/* The count of aborts in a row ends at its width. */
KIT_MADE(test_warp_clock_counts_no_further, c, "warps=2")
{
	uint64_t cycles = 0;

	ck_assert_int_eq(gputm_warp_clock_abort(c, 1, 0x123456), 0);
	ck_assert_int_ge(gputm_warp_clock_restart(c, 1, &cycles), 0);
	ck_assert_int_eq(kit_forged(unit_of(c), 0x123457, 16, 4, UINT32_MAX), 0);
	ck_assert_int_eq(gputm_warp_clock_abort(c, 1, 0), 0);
	ck_assert_int_ge(gputm_warp_clock_restart(c, 1, &cycles), 0);
	ck_assert_uint_eq(kit_stat(unit_of(c), "aborts_top"), UINT32_MAX);
}

/* The released simulator's: attempts have the core's largest time, and their warp's restarts. */
KIT_MADE(test_warp_clock_per_core, c, "per_core=1")
{
	uint64_t cycles = 0;

	ck_assert_int_eq(gputm_warp_clock_abort(c, 1, 9), 0);
	ck_assert_uint_eq(now(c, 0), 0);
	ck_assert_int_ge(gputm_warp_clock_restart(c, 1, &cycles), 0);
	ck_assert_uint_eq(now(c, 0), 10);
	ck_assert_uint_eq(now(c, 1), 10);
	ck_assert_int_eq(gputm_warp_clock_abort(c, 0, 3), 0);
	ck_assert_int_ge(gputm_warp_clock_restart(c, 0, &cycles), 0);
	ck_assert_uint_eq(now(c, 0), 10);
	c = KIT_SWAP(warp_clock, c);
	ck_assert_uint_eq(now(c, 47), 10);
	gputm_warp_clock_rollover(c);
	ck_assert_uint_eq(now(c, 1), 0);
	ck_assert_int_eq(gputm_warp_clock_abort(c, 0, 3), 0);
	ck_assert_int_ge(gputm_warp_clock_restart(c, 0, &cycles), 0);
	ck_assert_uint_eq(now(c, 1), 4);
}

/* Uniform in 0 .. base x 2^doublings: both ends come, the mean is half. */
KIT_TEST(test_warp_clock_backoff_grows)
{
	static const uint64_t most_after[] = { 0, 8, 16, 16, 16, 32, 32, 32, 64 };
	unsigned rounds = kit_scale(4000, 4000);
	struct gputm_warp_clock *c;

	for (unsigned aborts = 1; aborts <= 8; aborts++) {
		uint64_t most = most_after[aborts], low = 99, high = 0, sum = 0, cycles = 0;

		c = make(kit, "backoff_base=4 backoff_limit=2 backoff_patience=3");
		for (unsigned i = 0; i < rounds; i++) {
			for (unsigned j = 0; j < aborts; j++) {
				ck_assert_int_eq(gputm_warp_clock_abort(c, 0, 0), 0);
				ck_assert_int_ge(gputm_warp_clock_restart(c, 0, &cycles), 0);
			}
			ck_assert_int_eq(gputm_warp_clock_commit(c, 0), 0);
			low = cycles < low ? cycles : low;
			high = cycles > high ? cycles : high;
			sum += cycles;
		}
		ck_assert_uint_eq(low, 0);
		ck_assert_uint_eq(high, most);
		ck_assert_uint_gt(sum * 20, most * rounds * 9);
		ck_assert_uint_lt(sum * 20, most * rounds * 11);
	}
}

/* V-A: an increasing back-off. The paper's preset goes to 256 x 500 cycles at once, and further. */
KIT_TEST(test_warp_clock_backoff_of_the_paper)
{
	struct gputm_warp_clock_config config = GPUTM_WARP_CLOCK_CONFIG_INIT;
	struct gputm_warp_clock *c;
	uint64_t cycles = 0, high = 0;

	ck_assert_int_eq(gputm_warp_clock_config_preset(&config, "getm-paper"), 0);
	c = make_of(kit, &config);
	for (unsigned i = 1; i < 8 + 64 + 64; i++) {
		ck_assert_int_eq(gputm_warp_clock_abort(c, 0, 0), 0);
		ck_assert_int_ge(gputm_warp_clock_restart(c, 0, &cycles), 0);
		ck_assert_uint_le(cycles, 500u << (i < 8 ? i : i < 8 + 64 ? 8 : 9));
		high = cycles > high ? cycles : high;
	}
	ck_assert_uint_gt(high, 500 << 8);
}

/* After 16 doublings, or without patience after the limit, it is as long as it gets. */
KIT_TEST(test_warp_clock_backoff_stops_growing)
{
	for (unsigned patience = 0; patience < 2; patience++) {
		struct gputm_warp_clock_config config =
			with("backoff_base=1 backoff_limit=2 backoff_patience=%u", patience);
		uint64_t most = patience ? 1 << 16 : 4, high = 0, cycles = 0;
		struct gputm_warp_clock *c;

		c = make_of(kit, &config);
		for (unsigned i = 0; i < 200; i++) {
			ck_assert_int_eq(gputm_warp_clock_abort(c, 0, 0), 0);
			ck_assert_int_ge(gputm_warp_clock_restart(c, 0, &cycles), 0);
			ck_assert_uint_le(cycles, most);
			high = cycles > high ? cycles : high;
		}
		ck_assert_uint_gt(high * 10, most * 9);
	}
}

static void step(struct gputm_warp_clock *c, struct oracle_warp_clock *o,
		 const struct gputm_warp_clock_config *config, struct kit_bytes *bytes)
{
	uint64_t what = kit_draw(bytes, 100), reported = kit_draw(bytes, 200), cycles = 0;
	uint32_t warp = kit_u32(bytes, ORACLE_CLOCK_WARPS);
	int result;

	if (what == 0)
		reported += kit_number(bytes, 2);
	if (what < 60 && o->reports[warp] < ORACLE_CLOCK_REPORTS) {
		result = gputm_warp_clock_abort(c, warp, reported);
		ck_assert_int_eq(result, reported > o->time_max ? -ERANGE : 0);
		if (!result)
			oracle_warp_clock_abort(o, warp, reported);
	} else if (what < 85) {
		result = gputm_warp_clock_restart(c, warp, &cycles);
		if (o->reports[warp]) {
			oracle_warp_clock_restart(o, warp);
			ck_assert_int_eq(result, o->time[warp] > o->time_max - config->margin);
			ck_assert_uint_le(cycles, oracle_warp_clock_backoff(o, warp, config));
			o->stats.backoff_cycles += cycles;
		} else {
			ck_assert_int_eq(result, -EINVAL);
		}
	} else if (what < 99) {
		ck_assert_int_eq(gputm_warp_clock_commit(c, warp), o->reports[warp] ? -EINVAL : 0);
		o->stats.commits += !o->reports[warp];
		if (!o->reports[warp])
			o->aborts[warp] = 0;
	} else {
		gputm_warp_clock_rollover(c);
		o->stats.rollovers++;
		for (uint32_t i = 0; i < ORACLE_CLOCK_WARPS; i++) {
			o->time[i] = 0;
			for (unsigned j = 0; j < o->reports[i]; j++)
				o->report[i][j] = 0;
		}
	}
	for (uint32_t i = 0; i < ORACLE_CLOCK_WARPS; i++)
		ck_assert_uint_eq(now(c, i), o->time[i]);
}

KIT_DRIVE(warp_clock, 4, 30000)
{
	struct gputm_warp_clock_config config =
		with("warps=%d time_bits=8 margin=20 backoff_patience=1", ORACLE_CLOCK_WARPS);
	struct oracle_warp_clock o = { .time_max = 255 };
	struct gputm_warp_clock *c;

	if (bytes->round) {
		config.time_bits = 10;
		o.time_max = 1023;
		config.margin = kit_u32(bytes, 256);
		config.backoff_base = kit_u32(bytes, 256);
		config.backoff_limit = kit_u32(bytes, 8);
		config.backoff_patience = kit_u32(bytes, 4);
	}
	c = make_of(kit, &config);
	for (KIT_TURNS(warp_clock, c))
		step(c, &o, &config, bytes);
	KIT_STATS_END(warp_clock, c, &o.stats, ORACLE_WARP_CLOCK_STATS);
}
