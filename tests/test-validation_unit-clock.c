/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of validation_unit: its timing table, ports, rollovers. */
#include "tests/validation_unit.h"

static uint64_t ticks_to_answer(struct gputm_validation_unit *u, uint64_t address, uint64_t time)
{
	struct gputm_validation_unit_request r = { 1, address, time, 1, 1, true };
	uint64_t ticks = 0;

	ck_assert_int_eq(gputm_validation_unit_push(u, &r), GPUTM_VALIDATION_UNIT_ACCEPTED);
	while (!gputm_validation_unit_peek(u, &last)) {
		ck_assert_int_ge(gputm_validation_unit_tick(u), 0);
		ticks++;
	}
	ck_assert_uint_eq(ticks, last.cycles);
	ck_assert(gputm_validation_unit_pop(u));
	return ticks;
}

KIT_MADE(test_timing_access, u, "ways=1 entries=1 stash=0 longest_chain=0 memory_latency=50")
{
	ck_assert(!gputm_validation_unit_peek(u, &last));
	ck_assert(!gputm_validation_unit_pop(u));
	ck_assert_uint_eq(ticks_to_answer(u, 0, 1), 2); /* look-up, and an entry made */
	ck_assert_uint_eq(ticks_to_answer(u, 0, 1), 1);
	ck_assert_uint_eq(ticks_to_answer(u, 32, 1), 2 + 50);
	ck_assert_uint_eq(ticks_to_answer(u, 32, 1), 1 + 50);
	/* A release in memory takes the table from the next access. */
	ck_assert_int_eq(gputm_validation_unit_release(u, 32, 1, 1, 1, NULL), 0);
	ck_assert_uint_eq(gputm_validation_unit_next_event(u), UINT64_MAX);
	ck_assert_int_ge(gputm_validation_unit_advance(u, 49), 0);
	ck_assert_int_ge(gputm_validation_unit_tick(u), 0);
	ck_assert_uint_eq(ticks_to_answer(u, 0, 1), 1);
	kit_counts(unit_of(u), "accepted=5 delivered=5 cycles=%d", 2 + 1 + 52 + 51 + 50 + 1);
}

/* With access_delay = 1, as the released simulator has it, two cycles each. */
KIT_MADE(test_timing_access_delay, u, "access_delay=1")
{
	struct gputm_validation_unit_request r = { 0x123456, 0x100, 1, 1, 1, true };

	ck_assert_int_eq(gputm_validation_unit_push(u, &r), 0);
	ck_assert_int_ge(gputm_validation_unit_tick(u), 0);
	kit_round_trip(&validation_unit_maker, unit_of(u));
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(u), r.tag, -8, 8, 4), "V6: the access at work");
	ck_assert_int_eq(kit_forged(unit_of(u), r.tag, -8, 8, 3), 0);
	ck_assert_int_ge(gputm_validation_unit_advance(u, 3), 0);
	ck_assert(gputm_validation_unit_pop(u));
	/* A load of the reserved word stalls. It is at work for two cycles, and waits then. */
	r = (struct gputm_validation_unit_request){ 1, 0x100, 2, 2, 1, false };
	ck_assert_int_eq(gputm_validation_unit_push(u, &r), 0);
	ck_assert_int_ge(gputm_validation_unit_tick(u), 0);
	ck_assert_uint_eq(gputm_validation_unit_pending(u), 1);
	kit_round_trip(&validation_unit_maker, unit_of(u));
	u = make(kit, "access_delay=1");
	ck_assert_uint_eq(ticks_to_answer(u, 0, 1), 3);
	ck_assert_uint_eq(ticks_to_answer(u, 0, 1), 2);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0, 1, 1, 2, NULL), 0);
	ck_assert_int_ge(gputm_validation_unit_tick(u), 0);
	ck_assert_uint_eq(ticks_to_answer(u, 0, 1), 2);
}

KIT_MADE(test_ports_are_tight, u, "input=2 output=1")
{
	struct gputm_validation_unit_request r = { 1, 0, 1, 1, 1, false };

	for (int i = 0; i < 3; i++) {
		int expected = i < 2 ? GPUTM_VALIDATION_UNIT_ACCEPTED :
				       GPUTM_VALIDATION_UNIT_PORT_FULL;

		ck_assert_int_eq(gputm_validation_unit_push_probe(u, &r), expected);
		ck_assert_int_eq(gputm_validation_unit_push(u, &r), expected);
	}
	ck_assert_uint_eq(gputm_validation_unit_pending(u), 2);
	ck_assert_uint_eq(kit_stat(unit_of(u), "pending"), 2);
	ck_assert_int_ge(gputm_validation_unit_advance(u, 100), 0);
	ck_assert_uint_eq(gputm_validation_unit_pending(u), 1); /* the output is full */
	ck_assert_uint_eq(gputm_validation_unit_next_event(u), UINT64_MAX);
	ck_assert(gputm_validation_unit_pop(u));
	ck_assert_uint_eq(gputm_validation_unit_next_event(u), 0);
	ck_assert_int_ge(gputm_validation_unit_tick(u), 0);
	ck_assert(gputm_validation_unit_peek(u, &last));
}

/* Pass all messages on, round and round, until none is left. */
static void pump(struct gputm_validation_unit **u, unsigned units)
{
	struct gputm_validation_unit_message m;
	bool any = true;

	while (any) {
		any = false;
		for (unsigned i = 0; i < units; i++) {
			if (!gputm_validation_unit_ring_peek(u[i], &m))
				continue;
			ck_assert_int_eq(
				gputm_validation_unit_ring_push(u[(i + 1) % units], &m), 0);
			ck_assert(gputm_validation_unit_ring_pop(u[i]));
			kit_valid(unit_of(u[i]));
			any = true;
		}
	}
}

static void rollover_ring(struct kit *kit, unsigned units, unsigned detect)
{
	struct gputm_validation_unit *u[4];
	unsigned leader = units;
	struct gputm_validation_unit_config config = with("units=%u", units);

	for (unsigned i = 0; i < units; i++) {
		config.id = i;
		u[i] = make_of(kit, &config);
		ck_assert_int_eq(store(u[i], 0x100, 1, 10), OK);
		ck_assert_int_eq(load(u[i], 0x100, 2, 20), STALLED);
	}
	for (unsigned i = units; i-- > 0;) {
		if (!(detect >> i & 1))
			continue;
		gputm_validation_unit_rollover(u[i]);
		leader = i;
	}
	pump(u, units);
	for (unsigned i = 0; i < units; i++) {
		ck_assert_int_eq(gputm_validation_unit_current_state(u[i]),
				 i == leader ? GPUTM_VALIDATION_UNIT_STATE_ALL_STOPPED
					     : GPUTM_VALIDATION_UNIT_STATE_STOPPED);
		ck_assert_int_eq(load(u[i], 0x200, 3, 30), ABORT);
		ck_assert_uint_eq(last.reason, GPUTM_VALIDATION_UNIT_REASON_ROLLOVER);
		ck_assert_int_eq(retry(u[i]), ABORT); /* who waited */
		ck_assert_uint_eq(last.tag, 220);
		ck_assert_int_eq(retry(u[i]), NONE);
	}
	ck_assert_int_eq(gputm_validation_unit_rollover_go(u[leader]), 0);
	pump(u, units);
	for (unsigned k = 0; k < units; k++) { /* one after the other, from the leader on */
		unsigned i = (leader + k) % units;

		ck_assert_int_eq(gputm_validation_unit_current_state(u[i]),
				 GPUTM_VALIDATION_UNIT_STATE_ROLLING);
		cell(u[i], 0x100, 11, 0, 1, 1);
		release(u[i], 0x100, 1, 10, 1);
		ck_assert_int_eq(gputm_validation_unit_current_state(u[i]),
				 GPUTM_VALIDATION_UNIT_STATE_RUNNING);
		cell(u[i], 0x100, 0, 0, 0, 0);
		pump(u, units);
	}
	for (unsigned i = 0; i < units; i++) {
		ck_assert_int_eq(load(u[i], 0x100, 1, 0), OK);
		ck_assert_uint_eq(kit_stat(unit_of(u[i]), "rollovers"), 1);
	}
}

KIT_TEST(test_rollover_ring)
{
	for (unsigned units = 1; units <= 4; units++)
		for (unsigned detect = 1; detect < 1u << units; detect++)
			rollover_ring(kit, units, detect);
}

/* A unit that is to roll over does so in the last cycle of the access at work. */
KIT_MADE(test_rollover_after_the_access_at_work, u, "units=1 access_delay=1")
{
	const struct gputm_validation_unit_message stop = { 0, 0 };
	const struct gputm_validation_unit_request r = { 1, 0x100, 1, 1, 1, false };

	ck_assert_int_eq(gputm_validation_unit_push(u, &r), 0);
	ck_assert_int_ge(gputm_validation_unit_tick(u), 0);
	gputm_validation_unit_rollover(u);
	ck_assert(gputm_validation_unit_ring_pop(u));
	ck_assert_int_eq(gputm_validation_unit_ring_push(u, &stop), 0);
	ck_assert_int_eq(gputm_validation_unit_rollover_go(u), 0);
	for (unsigned left = 2; left; left--) {
		ck_assert_int_eq(gputm_validation_unit_current_state(u),
				 GPUTM_VALIDATION_UNIT_STATE_ROLLING);
		ck_assert_uint_eq(kit_stat(unit_of(u), "rollovers"), 0);
		ck_assert_int_ge(gputm_validation_unit_tick(u), 0);
	}
	ck_assert_uint_eq(kit_stat(unit_of(u), "rollovers"), 1);
	ck_assert_int_eq(gputm_validation_unit_current_state(u),
			 GPUTM_VALIDATION_UNIT_STATE_RUNNING);
	ck_assert(gputm_validation_unit_pop(u));
}

enum { RUNS, LEADS, FOLLOWS, ALL_STOPPED, ROLLS, PHASES };

/* Unit 1 of 3 as it runs, stops first, stops after unit 0, knows that all have, or rolls over. */
static struct gputm_validation_unit *in_phase(struct kit *kit, unsigned phase)
{
	const struct gputm_validation_unit_message stop_0 = { 0, 0 }, stop_1 = { 0, 1 };
	struct gputm_validation_unit *u = make(kit, "units=3 id=1");

	ck_assert_int_eq(store(u, 0x100, 1, 10), OK);
	if (phase == FOLLOWS)
		ck_assert_int_eq(gputm_validation_unit_ring_push(u, &stop_0), 0);
	else if (phase != RUNS)
		gputm_validation_unit_rollover(u);
	if (phase >= ALL_STOPPED)
		ck_assert_int_eq(gputm_validation_unit_ring_push(u, &stop_1), 0);
	if (phase == ROLLS)
		ck_assert_int_eq(gputm_validation_unit_rollover_go(u), 0);
	return u;
}

/* Stops of units 0 to 3, of which there is no 3, then goes, then what is neither. */
KIT_TEST(test_rollover_messages_that_can_come)
{
	static const char *const can[PHASES] = {
		"ynyn nynn nn", "yyyn nnnn nn", "yyyn ynnn nn", "nnyn nnnn nn", "yyyn yyyn nn",
	};

	for (unsigned phase = 0; phase < PHASES; phase++) {
		for (uint32_t n = 0; n < 9; n++) {
			struct gputm_validation_unit_message m = { n / 4, n % 4 };
			struct gputm_validation_unit *u = in_phase(kit, phase);
			uint64_t before = kit_digest(unit_of(u));
			bool yes = can[phase][n + n / 4] == 'y';

			ck_assert_int_eq(gputm_validation_unit_ring_push(u, &m), yes ? 0 : -EINVAL);
			ck_assert(yes || kit_digest(unit_of(u)) == before);
			kit_valid(unit_of(u));
		}
	}
}

/* While a unit waits to roll over, so many messages wait with it and no more. */
KIT_TEST(test_rollover_keeps_messages_while_a_unit_waits)
{
	const struct gputm_validation_unit_message stop_2 = { 0, 2 };
	struct gputm_validation_unit *u = in_phase(kit, ROLLS);
	unsigned kept = 0;

	while (gputm_validation_unit_ring_push(u, &stop_2) == 0)
		ck_assert_uint_lt(kept++, 100);
	ck_assert_uint_ge(kept, 2);
	ck_assert_int_eq(gputm_validation_unit_current_state(u),
			 GPUTM_VALIDATION_UNIT_STATE_ROLLING);
	kit_round_trip(&validation_unit_maker, unit_of(u));
	release(u, 0x100, 1, 10, 1);
	ck_assert_int_eq(gputm_validation_unit_current_state(u),
			 GPUTM_VALIDATION_UNIT_STATE_STOPPED);
	ck_assert_uint_eq(kit_stat(unit_of(u), "rollovers"), 1);
	gputm_unit_reset(unit_of(u));
	ck_assert_int_eq(gputm_validation_unit_current_state(u),
			 GPUTM_VALIDATION_UNIT_STATE_RUNNING);
	for (unsigned again = 0; again < kept; again++)
		if (gputm_validation_unit_ring_push(u, &stop_2))
			ck_abort_msg("a message from before the reset is still there");
}

KIT_MADE(test_rollover_begins_at_the_margin, u, "time_bits=6 margin=10")
{
	struct gputm_validation_unit_message m;

	ck_assert_int_eq(load(u, 0, 1, 52), OK);
	ck_assert_int_eq(gputm_validation_unit_current_state(u),
			 GPUTM_VALIDATION_UNIT_STATE_RUNNING);
	ck_assert_int_eq(load(u, 0, 1, 53), OK);
	ck_assert_int_eq(gputm_validation_unit_current_state(u),
			 GPUTM_VALIDATION_UNIT_STATE_STOPPED);
	ck_assert(gputm_validation_unit_ring_peek(u, &m));
	KIT_HAS(m, go, 0, from, 0);
	ck_assert(gputm_validation_unit_ring_pop(u));
	ck_assert(!gputm_validation_unit_ring_pop(u));
}
