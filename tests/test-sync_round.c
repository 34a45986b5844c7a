/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of sync_round: life, the rounds of Fig. 1, early validation, misuse, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/sync_round.h"

KIT_UNIT(sync_round, SYNC_ROUND);

enum { CPU = GPUTM_SYNC_ROUND_DEVICE_CPU, GPU = GPUTM_SYNC_ROUND_DEVICE_GPU };

/* 1000 cycles of execution, a link of 10 cycles + 1 byte a cycle, copies of 4 bytes a cycle. */
#define SMALL "round_cycles=1000 link_latency=10 link_bytes=1 copy_bytes=4 "

/* The round asks for this at `now`. */
static struct gputm_sync_round_todo expect(struct gputm_sync_round *round, uint64_t now,
					   enum gputm_sync_round_action what)
{
	struct gputm_sync_round_todo todo, again;

	ck_assert_int_eq(gputm_sync_round_step(round, now, &todo), 0);
	ck_assert_int_eq(todo.action, what);
	kit_valid(unit_of(round));
	if (what != GPUTM_SYNC_ROUND_ACTION_END) {
		ck_assert_int_eq(gputm_sync_round_step(round, now, &again), 0);
		ck_assert_int_eq(again.action, what);
	}
	return todo;
}

static void complete(struct gputm_sync_round *round, uint64_t now, uint64_t bytes, uint64_t runs,
		     uint64_t cycles, bool conflict)
{
	struct gputm_sync_round_done done = { bytes, runs, cycles, conflict };

	ck_assert_int_eq(gputm_sync_round_complete(round, now, &done), 0);
	kit_valid(unit_of(round));
}

/* The round asks for this, and it is done. */
static struct gputm_sync_round_todo done(struct gputm_sync_round *round, uint64_t now,
					 enum gputm_sync_round_action what, uint64_t bytes,
					 uint64_t runs, uint64_t cycles, bool conflict)
{
	struct gputm_sync_round_todo todo = expect(round, now, what);

	complete(round, now, bytes, runs, cycles, conflict);
	return todo;
}

/* Who may run: a set of CPU and GPU. */
static unsigned running(const struct gputm_sync_round *round, uint64_t now)
{
	return (gputm_sync_round_may_run(round, GPUTM_SYNC_ROUND_DEVICE_CPU, now) ? CPU : 0u) |
	       (gputm_sync_round_may_run(round, GPUTM_SYNC_ROUND_DEVICE_GPU, now) ? GPU : 0u);
}

/* Nothing until `event`. */
static void expect_run(struct gputm_sync_round *round, uint64_t now, uint64_t event)
{
	expect(round, now, GPUTM_SYNC_ROUND_ACTION_RUN);
	ck_assert_uint_eq(gputm_sync_round_next_time(round), event);
}

/* Fig. 1a: both stand from the end of execution to the end of the merge. */
KIT_MADE(test_fig_1a_basic_round, round, SMALL "early_cycles=0 non_blocking=0 shadow_copy=0")
{
	struct gputm_sync_round_todo todo;

	ck_assert_int_eq(gputm_sync_round_begin(round, 0), 0);
	expect_run(round, 0, 1000);
	ck_assert_uint_eq(running(round, 999), CPU | GPU);
	todo = expect(round, 1000, GPUTM_SYNC_ROUND_ACTION_DRAIN);
	ck_assert_uint_eq(todo.devices, CPU | GPU);
	ck_assert_uint_eq(running(round, 1000), 0);
	complete(round, 1000, 0, 0, 0, false);
	ck_assert(done(round, 1000, GPUTM_SYNC_ROUND_ACTION_SHIP, 48, 0, 5, false).partial);
	expect_run(round, 1000, 1048);
	done(round, 1048, GPUTM_SYNC_ROUND_ACTION_SHIP, 0, 0, 0, false);
	expect_run(round, 1048, 1063);
	ck_assert_int_eq(gputm_sync_round_current_state(round), GPUTM_SYNC_ROUND_STATE_VALIDATION);
	kit_round_trip(&sync_round_maker, unit_of(round));
	ck_assert(done(round, 1063, GPUTM_SYNC_ROUND_ACTION_COPY_BACK, 100, 2, 0, false).success);
	expect_run(round, 1063, 1183);
	ck_assert_uint_eq(running(round, 1182), 0);
	ck_assert(expect(round, 1183, GPUTM_SYNC_ROUND_ACTION_END).success);
	ck_assert_uint_eq(running(round, 1183), CPU | GPU);
	kit_counts(unit_of(round), "cpu_blocked=183 gpu_blocked=183 execution=1000 validation=63 "
		   "merge=120 cpu_waits=63 cpu_merge=120 gpu_waits=58 gpu_validates=5 "
		   "gpu_merge=120 link_logs=48 link_copies=120 link_idle=%d", 1183 - 48 - 120);
	/* What lies between two rounds is no time of the link. */
	ck_assert_int_eq(gputm_sync_round_begin(round, 5000), 0);
	expect(round, 6000, GPUTM_SYNC_ROUND_ACTION_DRAIN);
	complete(round, 6000, 0, 0, 0, false);
	expect(round, 6000, GPUTM_SYNC_ROUND_ACTION_SHIP);
	complete(round, 6000, 48, 0, 5, false);
	kit_counts(unit_of(round), "link_idle=%d", 1183 - 48 - 120 + 1000);
}

/* Fig. 1b: the CPU works on while full chunks are shipped, the GPU after the shadow copy. */
KIT_MADE(test_fig_1b_optimised_round, round, SMALL "early_cycles=0 non_blocking=1 shadow_copy=1")
{
	ck_assert_int_eq(gputm_sync_round_begin(round, 0), 0);
	ck_assert_uint_eq(expect(round, 1000, GPUTM_SYNC_ROUND_ACTION_DRAIN).devices, GPU);
	complete(round, 1004, 0, 0, 0, false);
	ck_assert(!done(round, 1004, GPUTM_SYNC_ROUND_ACTION_SHIP, 48, 0, 5, false).partial);
	ck_assert_uint_eq(running(round, 1004), CPU);
	done(round, 1052, GPUTM_SYNC_ROUND_ACTION_SHIP, 0, 0, 0, false); /* no full chunk is left */
	ck_assert_uint_eq(expect(round, 1052, GPUTM_SYNC_ROUND_ACTION_DRAIN).devices, CPU);
	complete(round, 1053, 0, 0, 0, false);
	ck_assert(done(round, 1053, GPUTM_SYNC_ROUND_ACTION_SHIP, 16, 0, 5, false).partial);
	done(round, 1069, GPUTM_SYNC_ROUND_ACTION_SHIP, 0, 0, 0, false);
	expect_run(round, 1069, 1084);
	ck_assert(done(round, 1084, GPUTM_SYNC_ROUND_ACTION_SHADOW, 40, 0, 0, false).success);
	done(round, 1084, GPUTM_SYNC_ROUND_ACTION_COPY_BACK, 100, 1, 0, false);
	expect_run(round, 1084, 1094); /* the GPU's shadow copy is made */
	ck_assert_uint_eq(running(round, 1093), 0);
	ck_assert_uint_eq(running(round, 1094), GPU);
	expect_run(round, 1094, 1204);
	expect(round, 1204, GPUTM_SYNC_ROUND_ACTION_END);
	ck_assert_uint_eq(running(round, 1204), CPU | GPU);
	kit_counts(unit_of(round), "gpu_blocked=94 cpu_blocked=152 shadow_bytes=40 cpu_drain=1 "
		   "cpu_waits=31 cpu_merge=120 gpu_drain=4 gpu_waits=70 gpu_validates=10 "
		   "gpu_merge=10 link_logs=64 link_copies=110 link_idle=%d", 1204 - 64 - 110);
}

/* A caller that has nothing left to execute need not wait for the deadline. */
KIT_MADE(test_sync_round_is_stopped, round, SMALL "early_cycles=100 non_blocking=1 shadow_copy=1")
{
	KIT_REFUSED(-EINVAL, gputm_sync_round_stop(round, 0), "the state is idle, not execution");
	ck_assert_int_eq(gputm_sync_round_begin(round, 0), 0);
	expect(round, 100, GPUTM_SYNC_ROUND_ACTION_EARLY);
	ck_assert_int_eq(gputm_sync_round_stop(round, 100), -EINVAL);
	complete(round, 100, 0, 0, 0, false);
	ck_assert_int_eq(gputm_sync_round_stop(round, 99), -ERANGE);
	ck_assert_int_eq(gputm_sync_round_stop(round, 150), 0);
	ck_assert_int_eq(gputm_sync_round_stop(round, 150), -EINVAL);
	ck_assert_uint_eq(gputm_sync_round_next_time(round), 150);
	kit_round_trip(&sync_round_maker, unit_of(round));
	ck_assert_uint_eq(expect(round, 150, GPUTM_SYNC_ROUND_ACTION_DRAIN).devices, GPU);
	kit_counts(unit_of(round), "execution=150 cut_short=0");
}

/* Ship one chunk that conflicts and nothing else; gives the time of the verdict. */
static uint64_t lose(struct gputm_sync_round *round)
{
	complete(round, 1000, 0, 0, 0, false);
	done(round, 1000, GPUTM_SYNC_ROUND_ACTION_SHIP, 10, 0, 0, true);
	done(round, 1010, GPUTM_SYNC_ROUND_ACTION_SHIP, 0, 0, 0, false);
	return 1020;
}

/* IV-D, rollback latency: with a shadow copy the CPU goes on at once. */
KIT_TESTS(test_sync_round_failure_with_and_without_a_shadow_copy, 2)
{
	bool shadow = _i;
	uint64_t now;
	struct gputm_sync_round *round =
		make(kit, SMALL "early_cycles=0 non_blocking=0 shadow_copy=%d", shadow);

	ck_assert_int_eq(gputm_sync_round_begin(round, 0), 0);
	expect(round, 1000, GPUTM_SYNC_ROUND_ACTION_DRAIN);
	now = lose(round);
	expect(round, now,
	       shadow ? GPUTM_SYNC_ROUND_ACTION_REPLAY : GPUTM_SYNC_ROUND_ACTION_REALIGN);
	ck_assert_uint_eq(running(round, now), shadow ? CPU : 0);
	complete(round, now, 400, 2, shadow ? 7 : 0, false);
	ck_assert(!expect(round, now + (shadow ? 107 : 420), GPUTM_SYNC_ROUND_ACTION_END).success);
	kit_counts(unit_of(round), "failed=1 realigned=%d cpu_blocked=%d gpu_blocked=%d",
		   shadow ? 0 : 400, shadow ? 20 : 440, shadow ? 127 : 440);
}

/* IV-D, wasted work: an early conflict ends execution when its verdict is there. */
KIT_MADE(test_sync_round_early_validation_cuts_a_round_short, round,
	 SMALL "early_cycles=100 non_blocking=1 shadow_copy=1")
{
	ck_assert_int_eq(gputm_sync_round_begin(round, 0), 0);
	expect_run(round, 0, 100);
	done(round, 100, GPUTM_SYNC_ROUND_ACTION_EARLY, 0, 0, 0, false); /* no full chunk yet */
	expect_run(round, 100, 200);
	done(round, 200, GPUTM_SYNC_ROUND_ACTION_EARLY, 48, 0, 5, false);
	expect_run(round, 200, 248);
	/* More, as soon as the link is free. */
	done(round, 248, GPUTM_SYNC_ROUND_ACTION_EARLY, 48, 0, 5, true);
	ck_assert_uint_eq(running(round, 248), CPU | GPU);
	expect_run(round, 248, 248 + 48 + 10 + 5);
	ck_assert_uint_eq(expect(round, 311, GPUTM_SYNC_ROUND_ACTION_DRAIN).devices, GPU);
	kit_counts(unit_of(round), "cut_short=1 early_chunks=2");
}

/* A CPU that fills chunks for ever is stopped when validation has lasted a round. */
KIT_MADE(test_sync_round_a_fast_cpu_is_stopped, round,
	 SMALL "early_cycles=0 non_blocking=1 shadow_copy=1")
{
	uint64_t now = 1000;

	ck_assert_int_eq(gputm_sync_round_begin(round, 0), 0);
	done(round, now, GPUTM_SYNC_ROUND_ACTION_DRAIN, 0, 0, 0, false);
	for (; now < 2000; now += 48) {
		ck_assert(!done(round, now, GPUTM_SYNC_ROUND_ACTION_SHIP, 48, 0, 0, false).partial);
	}
	ck_assert_uint_eq(gputm_sync_round_next_time(round), 2000);
	ck_assert_uint_eq(expect(round, 2000, GPUTM_SYNC_ROUND_ACTION_DRAIN).devices, CPU);
}

static void refused(struct kit *kit, struct gputm_sync_round *round, uint64_t now,
		    struct gputm_sync_round_done done, int error, const char *says)
{
	kit_guard(kit, unit_of(round));
	KIT_REFUSED(error, gputm_sync_round_complete(round, now, &done), "sync_round", says);
}

KIT_MADE(test_sync_round_misuse_changes_nothing, round,
	 SMALL "early_cycles=100 non_blocking=1 shadow_copy=1")
{
	uint64_t most = UINT64_C(1) << 40;
	struct gputm_sync_round_todo todo;

	expect_run(round, 5, UINT64_MAX);
	refused(kit, round, 5, (struct gputm_sync_round_done){ 0 }, -EINVAL, "no action");
	KIT_REFUSED(-ERANGE, gputm_sync_round_begin(round, 4), "now = 4", "5 ..");
	ck_assert_int_eq(gputm_sync_round_begin(round, 5), 0);
	KIT_REFUSED(-EINVAL, gputm_sync_round_begin(round, 5), "the state is execution, not idle");
	expect(round, 105, GPUTM_SYNC_ROUND_ACTION_EARLY);
	ck_assert_int_eq(gputm_sync_round_step(round, 104, &todo), -ERANGE);
	ck_assert_int_eq(gputm_sync_round_step(round, UINT64_MAX, &todo), -ERANGE);
	refused(kit, round, 104, (struct gputm_sync_round_done){ 1, 0, 0, false }, -ERANGE,
		"now = 104");
	refused(kit, round, 105, (struct gputm_sync_round_done){ 0, 0, 0, true }, -EINVAL,
		"conflict = 1");
	refused(kit, round, 105, (struct gputm_sync_round_done){ most + 1, 0, 0, false }, -ERANGE,
		"bytes = 1099511627777 is outside 0 .. 1099511627776");
	refused(kit, round, 105, (struct gputm_sync_round_done){ 1, 0, most + 1, false }, -ERANGE,
		"cycles = 1099511627777 is outside 0 .. 1099511627776");
	refused(kit, round, 105, (struct gputm_sync_round_done){ 1, most, 0, false }, -ERANGE,
		"runs = 1099511627776");
}

/* ---- against the oracle ---- */

/* Ask both; they agree. */
static struct gputm_sync_round_todo ask(struct gputm_sync_round *round,
					struct oracle_sync_round *o, uint64_t now)
{
	struct gputm_sync_round_todo todo, expected;

	ck_assert_int_eq(gputm_sync_round_step(round, now, &todo), 0);
	oracle_sync_round_next(o, &expected);
	KIT_SAME(todo, expected, action, devices, partial, success);
	ck_assert_int_eq(gputm_sync_round_may_run(round, GPUTM_SYNC_ROUND_DEVICE_CPU, now),
			 oracle_sync_round_may_run(o, GPUTM_SYNC_ROUND_DEVICE_CPU));
	ck_assert_int_eq(gputm_sync_round_may_run(round, GPUTM_SYNC_ROUND_DEVICE_GPU, now),
			 oracle_sync_round_may_run(o, GPUTM_SYNC_ROUND_DEVICE_GPU));
	kit_valid(unit_of(round));
	return todo;
}

static void answer(struct gputm_sync_round *round, struct oracle_sync_round *o, uint64_t now,
		   struct kit_bytes *bytes)
{
	struct gputm_sync_round_done done = { 0 };

	if (kit_draw(bytes, 3))
		done = (struct gputm_sync_round_done){ 1 + kit_draw(bytes, 90),
						       kit_draw(bytes, 4), kit_draw(bytes, 20),
						       kit_draw(bytes, 12) == 0 };
	ck_assert_int_eq(gputm_sync_round_complete(round, now, &done), 0);
	oracle_sync_round_complete(o, &done);
}

static struct gputm_sync_round *random_round(struct kit *kit, struct kit_bytes *bytes)
{
	struct gputm_sync_round_config config = GPUTM_SYNC_ROUND_CONFIG_INIT;
	struct gputm_sync_round *round = NULL;

	config.round_cycles = 1 + kit_draw(bytes, 200);
	config.early_cycles = kit_draw(bytes, 3) ? kit_draw(bytes, 60) : 0;
	config.link_latency = kit_u32(bytes, 15);
	config.link_bytes = 1 + kit_u32(bytes, 20);
	config.copy_bytes = 1 + kit_u32(bytes, 40);
	config.non_blocking = kit_draw(bytes, 2);
	config.shadow_copy = kit_draw(bytes, 2);
	ck_assert_int_eq(gputm_sync_round_new(kit->ctx, &config, &round), 0);
	return round;
}

KIT_DRIVE(sync_round, 12, 20000)
{
	struct gputm_sync_round *round = random_round(kit, bytes);
	static struct oracle_sync_round o;
	uint64_t now = 0, until;

	ORACLE_OPEN(&o, gputm_unit_config(unit_of(round)));
	while (kit_more(bytes)) {
		struct gputm_sync_round_todo todo = ask(round, &o, now);

		if (todo.action == GPUTM_SYNC_ROUND_ACTION_END)
			KIT_STATS(unit_of(round), &o.rounds, ORACLE_SYNC_ROUND_STATS);
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_END ||
		    gputm_sync_round_current_state(round) == GPUTM_SYNC_ROUND_STATE_IDLE) {
			ck_assert_int_eq(gputm_sync_round_begin(round, now), 0);
			ck_assert(oracle_sync_round_begin(&o));
			continue;
		}
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_RUN && kit_draw(bytes, 10) == 0) {
			bool stops = oracle_sync_round_stop(&o);

			ck_assert_int_eq(gputm_sync_round_stop(round, now), stops ? 0 : -EINVAL);
			if (stops)
				continue;
		}
		until = gputm_sync_round_next_time(round);
		if (todo.action != GPUTM_SYNC_ROUND_ACTION_RUN &&
		    (todo.action != GPUTM_SYNC_ROUND_ACTION_DRAIN || kit_draw(bytes, 2))) {
			if (o.kernels == 255)
				break;
			answer(round, &o, now, bytes);
			continue;
		}
		/* On to the next event, or a part of the way; a drain takes some time. */
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_DRAIN)
			until = now + 1 + kit_draw(bytes, 9);
		ck_assert_uint_gt(until, now);
		if (kit_draw(bytes, 2))
			until = now + 1 + kit_draw(bytes, until - now);
		for (; now < until; now++)
			oracle_sync_round_tick(&o);
		round = KIT_TURN(sync_round, round);
	}
	KIT_END(sync_round, round);
}

/* A snapshot has no time past the end of time, to which work may lead. */
KIT_MADE(test_sync_round_last_time, round,
	 "round_cycles=1000 early_cycles=100 link_latency=0 link_bytes=4 "
	 "copy_bytes=4 non_blocking=1 shadow_copy=1")
{
	const uint64_t last = UINT64_C(1) << 63, busy = 0x1234567;

	ck_assert_int_eq(gputm_sync_round_begin(round, 0), 0);
	done(round, 100, GPUTM_SYNC_ROUND_ACTION_EARLY, 4, 0, busy - 101, false);
	kit_guard(kit, unit_of(round));
	for (long field = 0; field < 3; field++) /* the GPU's, the link's, early validation's */
		KIT_REFUSED(-EINVAL, kit_forged(unit_of(round), busy, -8 * field, 8, last + 1),
			    "too late");
	kit_unchanged(kit);
	ck_assert_int_eq(kit_forged(unit_of(round), busy, 0, 8, last), 0);
	round = make(kit, NULL);
	KIT_REFUSED(-ERANGE, gputm_sync_round_begin(round, last / 2 + 1), "4611686018427387904");
	ck_assert_int_eq(gputm_sync_round_begin(round, last / 2), 0);
}

KIT_MADE(test_sync_round_tells_its_observer, round,
	 SMALL "early_cycles=0 non_blocking=1 shadow_copy=1")
{
	ck_assert_int_eq(gputm_sync_round_begin(round, 0), 0);
	KIT_TOLD("state", 1, GPUTM_SYNC_ROUND_STATE_EXECUTION);
	expect(round, 1000, GPUTM_SYNC_ROUND_ACTION_DRAIN);
	KIT_TOLD("state", 2, GPUTM_SYNC_ROUND_STATE_VALIDATION, 1000);
	complete(round, 1002, 0, 0, 0, false);
	KIT_TOLD("complete", 1, GPUTM_SYNC_ROUND_ACTION_DRAIN, 1002);
}
