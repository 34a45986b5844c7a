/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of validation_unit: life, Fig. 7, owners, who wakes, misuse. */
#include "tests/validation_unit.h"

KIT_TEST(test_validation_unit_life)
{
	kit_common(&validation_unit_maker);
}

KIT_TEST(test_validation_unit_relations_of_the_config)
{
	KIT_REFUSED(-EINVAL, refuse(kit, "id=1"), "id = 1", "units = 1");
	KIT_REFUSED(-EINVAL, refuse(kit, "id=0 time_bits=8 margin=254"), "margin = 254",
		    "time_bits = 8");
	make(kit, "id=0 time_bits=8 margin=253");
}

/* Every table of the figure; tx1 in warp 1 (p) at 20, tx2 in warp 2 (q) at 10, then 22. */
static void fig_7(struct kit *kit, bool paper_order)
{
	enum { A = 0x100, B = 0x200, p = 1, q = 2 };
	struct gputm_validation_unit *u = make(kit, "paper_order=%d", paper_order);

	cell(u, A, 0, 0, 0, 0);
	ck_assert_int_eq(load(u, A, p, 20), OK);
	cell(u, A, 0, 20, 0, 0);
	ck_assert_int_eq(store(u, A, p, 20), OK);
	cell(u, A, 21, 20, 1, p);
	ck_assert_int_eq(load(u, B, q, 10), OK);
	cell(u, B, 0, 10, 0, 0);
	ck_assert_int_eq(store(u, B, q, 10), OK);
	cell(u, A, 21, 20, 1, p); /* Table 1 */
	cell(u, B, 11, 10, 1, q);
	ck_assert_int_eq(load(u, A, q, 10), ABORT);
	KIT_HAS(last, time, 21, reason, GPUTM_VALIDATION_UNIT_REASON_LOAD_WTS);
	cell(u, A, 21, 20, 1, p);
	release(u, B, q, 10, 1);
	ck_assert_int_eq(retry(u), NONE);
	cell(u, B, 11, 10, 0, 0);
	ck_assert_int_eq(load(u, B, p, 20), OK);
	cell(u, B, 11, 20, 0, 0);
	ck_assert_int_eq(store(u, B, p, 20), OK);
	cell(u, A, 21, 20, 1, p); /* Table 2 */
	cell(u, B, 21, 20, 1, p);
	ck_assert_int_eq(load(u, B, q, 22), STALLED);
	cell(u, B, 21, 20, 1, p);
	kit_round_trip(&validation_unit_maker, unit_of(u));
	kit_hostile(&validation_unit_maker, unit_of(u));
	release(u, A, p, 20, 1);
	ck_assert_int_eq(retry(u), NONE);
	release(u, B, p, 20, 1);
	cell(u, A, 21, 20, 0, 0); /* Table 3 */
	cell(u, B, 21, 20, 0, 0);
	ck_assert_int_eq(retry(u), OK);
	ck_assert_uint_eq(last.tag, q * 100 + 22);
	cell(u, B, 21, 22, 0, 0);
	ck_assert_int_eq(store(u, B, q, 22), OK);
	ck_assert_int_eq(load(u, A, q, 22), OK);
	ck_assert_int_eq(store(u, A, q, 22), OK);
	cell(u, A, 23, 22, 1, q);
	cell(u, B, 23, 22, 1, q);
	release(u, A, q, 22, 1);
	release(u, B, q, 22, 1);
	cell(u, A, 23, 22, 0, 0);
	cell(u, B, 23, 22, 0, 0);
	ck_assert_uint_eq(gputm_validation_unit_writes(u), 0);
}

KIT_TEST(test_fig_7_two_transfers)
{
	fig_7(kit, false);
}

KIT_TEST(test_fig_7_two_transfers_in_paper_order)
{
	fig_7(kit, true);
}

/* Two warps at 10 read A and B, then write B and A. */
KIT_TEST(test_write_skew_in_paper_order_only)
{
	for (int paper = 0; paper < 2; paper++) {
		struct gputm_validation_unit *u = make(kit, "paper_order=%d", paper);

		ck_assert_int_eq(load(u, 0x100, 1, 10), OK);
		ck_assert_int_eq(load(u, 0x200, 2, 10), OK);
		ck_assert_int_eq(store(u, 0x200, 1, 10), paper ? OK : ABORT);
		if (!paper)
			ck_assert_uint_eq(last.reason, GPUTM_VALIDATION_UNIT_REASON_STORE_RTS);
		ck_assert_int_eq(store(u, 0x100, 2, 10), OK);
	}
}

static void push_until_answered(struct gputm_validation_unit *u,
				const struct gputm_validation_unit_request *r,
				struct gputm_validation_unit_answer *answer)
{
	ck_assert_int_eq(gputm_validation_unit_push(u, r), 0);
	while (!gputm_validation_unit_peek(u, answer))
		ck_assert_int_ge(gputm_validation_unit_tick(u), 0);
}

/* A table of one entry forgets what the second granule drives out; the filter has an estimate. */
KIT_MADE(test_aborts_by_estimates_are_counted_apart, u,
	 "ways=1 entries=1 stash=0 filter_ways=1 "
	 "filter_entries=1")
{
	struct gputm_validation_unit_request r = { .address = 0x100, .time = 10, .warp = 2 };
	struct gputm_unit *face = unit_of(u);
	struct gputm_validation_unit_answer answer;

	ck_assert_int_eq(store(u, 0x100, 1, 20), OK);
	ck_assert_int_eq(load(u, 0x100, 2, 10), ABORT);
	ck_assert_uint_eq(kit_stat(face, "abort_estimated"), 0);
	release(u, 0x100, 1, 20, 1);
	ck_assert_int_eq(load(u, 0x200, 3, 30), OK);
	for (unsigned n = 0; n < 2; n++) {
		push_until_answered(u, &r, &answer);
		ck_assert_uint_eq(answer.reason, GPUTM_VALIDATION_UNIT_REASON_LOAD_WTS);
		ck_assert(gputm_validation_unit_estimated(u));
		kit_round_trip(&validation_unit_maker, face);
		ck_assert(gputm_validation_unit_pop(u));
		ck_assert(!gputm_validation_unit_estimated(u));
	}
	r.time = 40;
	r.tag = 0x123456789abcdef;
	push_until_answered(u, &r, &answer);
	ck_assert_int_eq(gputm_validation_unit_peek(u, &answer), 1);
	ck_assert_int_eq(answer.result, OK);
	ck_assert(!gputm_validation_unit_estimated(u));
	KIT_REFUSED(-EINVAL, kit_forged(face, r.tag, 16, 4, GPUTM_VALIDATION_UNIT_STALLED + 1),
		    "result");
	KIT_REFUSED(-EINVAL,
		    kit_forged(face, r.tag, 20, 4, GPUTM_VALIDATION_UNIT_REASON_ROLLOVER + 1),
		    "reason");
	KIT_REFUSED(-EINVAL, kit_forged(face, r.tag, 20, 4, 1000), "reason");
	kit_counts(face, "abort_estimated=2 abort_load_wts=3");
}

/* The owner needs no check, and each of its stores counts. */
KIT_MADE(test_owner_passes_and_counts, u, NULL)
{
	uint32_t left = 77;

	ck_assert_int_eq(store(u, 0x100, 1, 10), OK);
	ck_assert_int_eq(store(u, 0x104, 1, 10), OK);
	ck_assert_int_eq(load(u, 0x108, 1, 10), OK);
	cell(u, 0x100, 11, 10, 2, 1);
	KIT_REFUSED(-EINVAL, gputm_validation_unit_release(u, 0x100, 1, 10, 3, &left),
		    "warp 1", "3 writes", "0x100");
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x100, 2, 10, 1, &left), -EINVAL);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x100, 1, 11, 1, &left), -EINVAL);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x200, 1, 10, 1, &left), -EINVAL);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x100, 1, 10, 0, &left), -EINVAL);
	ck_assert_uint_eq(left, 77);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x11f, 1, 10, 2, &left), 0);
	ck_assert_uint_eq(left, 0);
}

/* The next attempt of a warp waits for what its earlier one has reserved. */
KIT_MADE(test_earlier_attempt_of_the_warp, u, NULL)
{
	ck_assert_int_eq(go(u, true, 0x100, 1, 10, 1), OK);
	ck_assert_int_eq(go(u, false, 0x100, 1, 10, 2), STALLED);
	release(u, 0x100, 1, 1, 1);
	ck_assert_int_eq(retry(u), OK);
	ck_assert_uint_eq(last.tag, 102);
}

/* Three loads wait; one release answers them all. */
KIT_MADE(test_retries_wake_the_next, u, NULL)
{
	ck_assert_int_eq(store(u, 0x100, 1, 10), OK);
	ck_assert_int_eq(load(u, 0x100, 4, 13), STALLED);
	ck_assert_int_eq(load(u, 0x100, 2, 11), STALLED);
	ck_assert_int_eq(store(u, 0x100, 3, 12), STALLED);
	release(u, 0x100, 1, 10, 1);
	ck_assert_int_eq(retry(u), OK);
	ck_assert_uint_eq(last.tag, 211);
	ck_assert_int_eq(retry(u), OK); /* the store: reserved again */
	ck_assert_uint_eq(last.tag, 312);
	ck_assert_int_eq(retry(u), NONE);
	release(u, 0x100, 3, 12, 1);
	ck_assert_int_eq(retry(u), OK);
	ck_assert_uint_eq(last.tag, 413);
	ck_assert_int_eq(retry(u), NONE);
}

/* A store that overtakes the waiters lets the older ones abort at once. */
KIT_MADE(test_granted_store_wakes_who_fails, u, NULL)
{
	ck_assert_int_eq(store(u, 0x100, 1, 10), OK);
	ck_assert_int_eq(load(u, 0x100, 2, 11), STALLED);
	ck_assert_int_eq(load(u, 0x100, 4, 14), STALLED);
	ck_assert_int_eq(load(u, 0x100, 5, 30), STALLED);
	ck_assert_uint_eq(kit_stat(gputm_validation_unit_unit(u), "buffered"), 3);
	release(u, 0x100, 1, 10, 1); /* wakes warp 2, which is not at once served */
	ck_assert_int_eq(store(u, 0x100, 3, 20), OK);
	ck_assert_int_eq(retry(u), ABORT);
	KIT_HAS(last, tag, 211, time, 21);
	ck_assert_int_eq(retry(u), ABORT);
	ck_assert_uint_eq(last.tag, 414);
	ck_assert_int_eq(retry(u), NONE);
	ck_assert_uint_eq(kit_stat(gputm_validation_unit_buffer(u), "waiting"), 1);
	release(u, 0x100, 3, 20, 1);
	ck_assert_int_eq(retry(u), OK);
}

/* Another access of the warp that now owns the granule waits no longer. */
KIT_MADE(test_own_warp_wakes, u, NULL)
{
	ck_assert_int_eq(store(u, 0x100, 1, 10), OK);
	ck_assert_int_eq(store(u, 0x100, 2, 11), STALLED);
	ck_assert_int_eq(store(u, 0x104, 2, 11), STALLED);
	ck_assert_int_eq(load(u, 0x108, 2, 11), STALLED);
	release(u, 0x100, 1, 10, 1);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(retry(u), OK);
	cell(u, 0x100, 12, 11, 2, 2);
}

KIT_MADE(test_full_stall_buffer_aborts, u, "stall_lines=1 stall_requests=1 count_bits=1")
{
	ck_assert_int_eq(store(u, 0x100, 1, 10), OK);
	ck_assert_int_eq(store(u, 0x100, 1, 10), ABORT);
	ck_assert_uint_eq(last.reason, GPUTM_VALIDATION_UNIT_REASON_COUNT);
	ck_assert_int_eq(load(u, 0x100, 2, 11), STALLED);
	ck_assert_int_eq(load(u, 0x100, 3, 12), ABORT);
	KIT_HAS(last, reason, GPUTM_VALIDATION_UNIT_REASON_BUFFER, time, 11);
}

/* IV-A's other reading: an abort reports the highest time of all stamps, here of other granules; a
 * store's is one more. */
KIT_MADE(test_abort_reports_the_highest_time, u, "report_highest=1")
{
	ck_assert_int_eq(store(u, 0x100, 1, 20), OK);
	ck_assert_int_eq(load(u, 0x200, 2, 30), OK);
	ck_assert_int_eq(load(u, 0x100, 4, 40), STALLED);
	ck_assert_int_eq(load(u, 0x100, 3, 10), ABORT);
	ck_assert_uint_eq(last.time, 30);
	u = KIT_SWAP(validation_unit, u);
	ck_assert_int_eq(load(u, 0x100, 3, 10), ABORT);
	ck_assert_uint_eq(last.time, 30);
	ck_assert_int_eq(store(u, 0x300, 2, 30), OK);
	ck_assert_int_eq(store(u, 0x200, 5, 2), ABORT);
	ck_assert_uint_eq(last.time, 31);
	/* In a rollover all clocks go to 0. */
	gputm_validation_unit_rollover(u);
	ck_assert_int_eq(load(u, 0x400, 6, 50), ABORT);
	ck_assert_uint_eq(last.time, 0);
}

KIT_MADE(test_validation_unit_misuse_changes_nothing, u,
	 "time_bits=4 warp_bits=3 margin=0 address_bits=16")
{
	struct gputm_validation_unit_request r = { 0, 0, 14, 0, 7, true };
	struct gputm_validation_unit_message m = { 1, 0 };
	struct gputm_validation_unit_answer answer;
	struct gputm_validation_unit_granule g;

	kit_guard(kit, unit_of(u));
	r.time = 15;
	KIT_REFUSED(-ERANGE, gputm_validation_unit_access(u, &r, &answer), "time = 15", "0 .. 14");
	KIT_REFUSED(-ERANGE, gputm_validation_unit_push(u, &r), "");
	r.time = 14;
	r.warp = 8;
	KIT_REFUSED(-ERANGE, gputm_validation_unit_access(u, &r, &answer), "warp = 8", "0 .. 7");
	KIT_REFUSED(-ERANGE, gputm_validation_unit_release(u, 0, 8, 0, 1, NULL), "");
	r.warp = 7;
	r.address = 1 << 16;
	KIT_REFUSED(-ERANGE, gputm_validation_unit_access_probe(u, &r), "address = 65536");
	KIT_REFUSED(-ERANGE, gputm_validation_unit_release(u, 1 << 16, 0, 0, 1, NULL), "");
	KIT_REFUSED(-ERANGE, gputm_validation_unit_get_granule(u, 1 << 16, &g), "");
	KIT_REFUSED(-EINVAL, gputm_validation_unit_release(u, 0, 7, 0, 0, NULL), "count = 0");
	KIT_REFUSED(-EINVAL, gputm_validation_unit_rollover_go(u), "running, not all stopped");
	ck_assert_int_eq(gputm_validation_unit_ring_push(u, &m), 0); /* a go that came round */
	m.go = 0;
	KIT_REFUSED(-EINVAL, gputm_validation_unit_ring_push(u, &m), "");
	m.from = 1;
	KIT_REFUSED(-EINVAL, gputm_validation_unit_ring_push(u, &m),
		    "stop of unit 1 cannot come while the unit is running");
	kit_unchanged(kit);
	r.address = 0xffff;
	ck_assert_int_eq(gputm_validation_unit_access(u, &r, &answer), OK);
	ck_assert_int_eq(gputm_validation_unit_current_state(u),
			 GPUTM_VALIDATION_UNIT_STATE_RUNNING);
}
