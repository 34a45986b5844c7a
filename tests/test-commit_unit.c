/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_unit: life, decisions, buffers, refusals. */
#include "tests/commit_unit.h"

KIT_TEST(test_commit_unit_life)
{
	kit_common(&commit_unit_maker);
}

/* ---- decisions ---- */

/* The last comparison counts: 8 fails speculatively and passes when 7 has written. */
KIT_TEST(test_commit_unit_last_comparison_counts)
{
	for (uint32_t value = 0; value < 2; value++) {
		struct hand h = play_hazard(kit, value);

		serve(&h, 1, 0);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
		wait_request(&h, 0);
		ck_assert_uint_eq(stat_of(&h, "words_waiting"), 1);
		complete(&h, 0, 1);
		ck_assert_uint_eq(stat_of(&h, "words_waiting"), 0);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 8, value == 1);
	}
}

/* RCID <= CID is a hazard, and retired before the first message is none. */
KIT_TEST(test_commit_unit_hazard_starts_at_rcid)
{
	for (unsigned before = 0; before < 2; before++) {
		struct hand h = hand_of(make(kit, SMALL));

		send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7, 0, 1, 1);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, true);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, true);
		wait_request(&h, 1);
		if (before)
			send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 0, 1, 1);
		ticks(&h, 2);
		complete(&h, 1, 0);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
		if (!before)
			send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 0, 1, 1);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, true);
		ticks(&h, 10);
		ck_assert_uint_eq(stat_of(&h, "hazards"), before);
	}
}

/* The same word read twice with different values: at most one can match. */
KIT_TEST(test_commit_unit_read_twice_fails)
{
	for (unsigned warp_mode = 0; warp_mode < 2; warp_mode++) {
		struct hand h = hand_of(make(kit, SMALL "warp_mode=%u", warp_mode));

		send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 1, 1);
		send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 1, 2);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
		for (unsigned n = 0; n < 2; n++)
			serve(&h, 0, 1);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, false);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, false);
		ticks(&h, 1);
		ck_assert_uint_eq(stat_of(&h, "absorbed"), 1);
	}
}

/* Buffers held after the first word, after done, after the outcome, after the verdict. */
KIT_TEST(test_fig_4_13_buffer_policies)
{
	static const uint64_t expected[4][4] = {
		{ 2, 4, 4, 4 }, { 2, 2, 2, 2 }, { 1, 1, 1, 1 }, { 1, 1, 0, 0 }
	};

	for (uint32_t policy = 1; policy <= 4; policy++) {
		const uint64_t *row = expected[policy - 1];
		struct hand h = hand_of(make(kit, SMALL "buffer_policy=%u", policy));

		send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 0, 1, 0);
		ticks(&h, 1);
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), row[0]);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 9, false);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, true);
		ticks(&h, 2);
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), row[1]);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
		serve(&h, 0, 0);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, true);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 8, true);
		/* 7 is an entry without words: policies all and accessed give it two */
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), row[2] + (policy < 3 ? 2 : 0));
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 8, false);
		ticks(&h, 4);
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), row[3] + (policy < 3 ? 2 : 0));
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, true);
		ticks(&h, 8);
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), 0);
	}
}

/* The whole log of a word, as the unit has asked for it. */
static void send_again(struct hand *h, uint64_t cid, uint32_t purpose)
{
	struct gputm_commit_unit_message m = header(GPUTM_COMMIT_UNIT_MESSAGE_RESENT, cid, 1);

	m.mask = m.words = 1;
	m.purpose = purpose;
	m.word[0] = (struct gputm_commit_unit_word){ 4 * cid, 1, 0 };
	ck_assert_int_eq(push(h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
	m.kind = GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE;
	m.words = 0;
	ck_assert_int_eq(push(h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
}

/* 4.4.4: 8 finds the pool empty. It gets the buffer that 7 gives back, and its log comes once. */
KIT_TEST(test_commit_unit_defers_for_an_older_entry)
{
	struct hand h = hand_of(make(kit, SMALL "buffers=1 empty_pool=defer"));

	for (uint64_t cid = 7; cid < 9; cid++) {
		send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, cid, (uint32_t)cid, 1, 1);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, cid, true);
	}
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, true);
	ticks(&h, 20);
	ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, 8), GPUTM_COMMIT_UNIT_STATE_HAZARD);
	ck_assert_uint_eq(gputm_commit_unit_next_event(h.unit), UINT64_MAX);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, true);
	serve(&h, 1, 0);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RESEND, 8, false);
	ck_assert_uint_eq(stat_of(&h, "deferrals"), 1);
	send_again(&h, 8, GPUTM_COMMIT_UNIT_PURPOSE_RECORD);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 8, true);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 8, true);
	serve(&h, 1, 0);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 8, false);
	ck_assert_uint_eq(stat_of(&h, "resends"), 1);
}

/* Only 8, which retires after 7, has a buffer: 7 does not wait for it, and its log comes twice. */
KIT_TEST(test_commit_unit_waits_for_no_younger_entry)
{
	struct hand h = hand_of(make(kit, SMALL "buffers=1 empty_pool=defer"));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 8, 8, 1, 1);
	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7, 7, 1, 1);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RESEND, 7, false);
	send_again(&h, 7, GPUTM_COMMIT_UNIT_PURPOSE_RECORD);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, true);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, true);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RESEND, 7, false);
	send_again(&h, 7, GPUTM_COMMIT_UNIT_PURPOSE_COMMIT);
	serve(&h, 1, 0);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
	ck_assert_uint_eq(stat_of(&h, "deferrals"), 0);
}

/* A core that takes no reports holds up the outcomes of all entries but one; a snapshot keeps
 * them, and a check knows of each. */
KIT_TEST(test_commit_unit_outcomes_wait_for_the_core)
{
	struct hand h = hand_of(make(kit, SMALL "output_depth=1"));
	const uint32_t far = 0x10000;

	for (uint64_t cid = 7; cid <= 10; cid++) {
		send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, cid, far + (uint32_t)cid, 1, 1);
		if (cid < 10)
			send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, cid, true);
		serve(&h, 0, 1);
	}
	ticks(&h, 20);
	for (uint64_t cid = 8; cid <= 9; cid++)
		ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, cid),
				 GPUTM_COMMIT_UNIT_STATE_FINALISE);
	kit_round_trip(&commit_unit_maker, unit_of(h.unit));
	kit_hostile(&commit_unit_maker, unit_of(h.unit));
	for (uint64_t cid = 9; cid <= 10; cid++) /* in the list of 8 and 9, in place of 8 */
		KIT_REFUSED(-EINVAL, kit_forged(unit_of(h.unit), 2 | UINT64_C(8) << 32, 4, 8, cid),
			    "another state or list");
	/* 8 has its outcome, and its flags lie before its buffer with the word. */
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(h.unit), 4 * (far + 8), -3, 1, 32),
		    "C10: an outcome on no list");
	for (uint64_t cid = 7; cid <= 9; cid++)
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, cid, true);
}

/* Likewise for the end of writes: 8 does not retire before the core has heard of its write. */
KIT_TEST(test_commit_unit_ends_of_writes_wait_for_the_core)
{
	struct hand h = hand_of(make(kit, SMALL "output_depth=1 entry_done=written"));
	const uint32_t far = 0x10000;

	for (uint64_t cid = 7; cid <= 8; cid++) {
		send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, cid, far + (uint32_t)cid, 1, 1);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, cid, true);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, cid, true);
	}
	for (uint64_t cid = 7; cid <= 8; cid++)
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, cid, true);
	serve(&h, 1, 0);
	serve(&h, 1, 0);
	ticks(&h, 20);
	ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit), 7);
	kit_round_trip(&commit_unit_maker, unit_of(h.unit));
	kit_hostile(&commit_unit_maker, unit_of(h.unit));
	/* The flags of 8 lie before its buffer with the word. */
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(h.unit), 4 * (far + 8), -4, 1, 96),
		    "C10: completed writes on no list");
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_WRITTEN, 7, false);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_WRITTEN, 8, false);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 8, false);
}

KIT_TEST(test_commit_unit_done_for_each_entry)
{
	struct gputm_commit_unit_report report;
	uint64_t retired[3];
	unsigned count = 0;
	struct hand h = hand_of(make(kit, SMALL "entry_done=1"));

	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, 5, 0x1f, 0x1d);
	for (unsigned outcomes = 0; outcomes < 4; outcomes++) {
		while (!gputm_commit_unit_peek(h.unit, &report))
			ticks(&h, 1);
		ck_assert_uint_eq(report.kind, GPUTM_COMMIT_UNIT_REPORT_OUTCOME);
		ck_assert(gputm_commit_unit_pop(h.unit));
	}
	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, 5, 0x1d, 0x09);
	for (unsigned n = 0; n < 20; n++) {
		ticks(&h, 1);
		if (!gputm_commit_unit_peek(h.unit, &report))
			continue;
		ck_assert_uint_eq(report.kind, GPUTM_COMMIT_UNIT_REPORT_RETIRED);
		ck_assert(gputm_commit_unit_pop(h.unit));
		ck_assert_uint_lt(count, 3);
		retired[count++] = report.mask;
	}
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(retired[0], 0x01);
	ck_assert_uint_eq(retired[1], 0x0e);
	ck_assert_uint_eq(retired[2], 0x10);
}

KIT_TEST(test_commit_unit_retired_lanes_keep_their_places)
{
	struct gputm_commit_unit_report report;
	struct hand h = hand_of(make(kit, SMALL "warp_mode=1 ring=7 lanes=4"));

	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, 4, 0x7, 0);
	ticks(&h, 10);
	ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit), 10);
	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 15, 2, 0x3, 0x3);
	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, 4, 0x8, 0x8);
	ticks(&h, 5);
	for (uint64_t cid = 0; cid < 10; cid++)
		ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, cid),
				 GPUTM_COMMIT_UNIT_STATE_FINISHED);
	ck_assert(gputm_commit_unit_peek(h.unit, &report));
	KIT_HAS(report, kind, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, mask, 8);
}

KIT_TEST(test_commit_unit_write_pending)
{
	struct hand h = hand_of(make(kit, SMALL "pending_block=32"));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7, 8, 1, 1);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
	wait_state(&h, 7, GPUTM_COMMIT_UNIT_STATE_HAZARD);
	ck_assert(!gputm_commit_unit_write_pending(h.unit, 32));
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, true);
	ck_assert(gputm_commit_unit_write_pending(h.unit, 32 + 28));
	ck_assert(!gputm_commit_unit_write_pending(h.unit, 28));
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, true);
	serve(&h, 1, 0);
	ck_assert(gputm_commit_unit_write_pending(h.unit, 32));
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
	ck_assert(!gputm_commit_unit_write_pending(h.unit, 32));
}

/* ---- refusals, each beside what is accepted ---- */

KIT_TEST(test_commit_unit_ring_bound)
{
	struct gputm_commit_unit_message m = header(GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7 + 64, 1);
	struct hand h = hand_of(make(kit, SMALL));

	m.mask = 1;
	ck_assert_int_eq(push(&h, &m), -ERANGE);
	m.first_cid--;
	m.lanes = 2;
	ck_assert_int_eq(push(&h, &m), -ERANGE);
	m.lanes = 1;
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
}

/* A push for which the ring cannot grow changes nothing, and succeeds when there is memory. */
KIT_TEST(test_commit_unit_push_without_memory)
{
	struct gputm_commit_unit_message m = header(GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7 + 40, 1);
	struct hand h = hand_of(make(kit, SMALL "buffers=256"));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 1, 2, 3);
	wait_request(&h, 0);
	m.mask = 1;
	kit_guard(kit, unit_of(h.unit));
	for (long tries = 0; tries < 3; tries++) { /* of spare, kept words, entries */
		kit->fail_at = kit->allocations + (tries != 0);
		KIT_REFUSED(-ENOMEM, gputm_commit_unit_push(h.unit, &m), "");
		kit->fail_at = -1;
		kit_valid(unit_of(h.unit));
	}
	kit_unchanged(kit);
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
	complete(&h, 0, 3);
	serve(&h, 0, 4);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, false);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, true);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 8, false);
}

/* A snapshot of more entries than there is memory for leaves the unit as it was. */
KIT_TEST(test_commit_unit_load_without_memory)
{
	struct hand a = hand_of(make(kit, SMALL "buffers=256"));
	struct hand b = hand_of(make(kit, SMALL "buffers=256"));
	struct gputm_unit *from = unit_of(a.unit), *to = unit_of(b.unit);
	unsigned refused = 0;
	uint64_t digest;
	int error;

	send_log(&b, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 1, 2, 3);
	send_log(&a, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7 + 40, 1, 2, 3);
	ticks(&a, 2);
	digest = kit_digest(to);
	do {
		kit->fail_at = kit->allocations + refused;
		error = gputm_unit_clone(to, from);
		kit->fail_at = -1;
		kit_valid(to);
		if (error)
			ck_assert_uint_eq(kit_digest(to), digest);
	} while (error == -ENOMEM && ++refused < 50);
	ck_assert_int_eq(error, 0);
	ck_assert_uint_ge(refused, 3);
	ck_assert_uint_eq(kit_digest(to), kit_digest(from));
}

/* Every entry of a ring of any size finds its buffers. */
KIT_TEST(test_commit_unit_buffers_for_all)
{
	for (uint32_t ring = 1; ring <= 40; ring++) {
		struct hand h =
			hand_of(make(kit, SMALL "lanes=1 buffers=256 ring=%u", ring));

		for (uint64_t cid = 7; cid < 7 + ring; cid++) {
			send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, cid, 0, 1, 1);
			send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, cid, 0, 1, 1);
			ticks(&h, 2);
		}
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), 2 * ring);
	}
}

KIT_TEST(test_commit_unit_input_full)
{
	struct gputm_commit_unit_message m = header(GPUTM_COMMIT_UNIT_MESSAGE_DONE, 9, 1);
	struct hand h = hand_of(make(kit, SMALL "input_depth=2"));

	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, false);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, false);
	m.mask = 1;
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_FULL);
	ticks(&h, 1);
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
}

KIT_TEST(test_commit_unit_refuses_what_the_protocol_forbids)
{
	struct gputm_commit_unit_message m = header(GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, 1);
	struct hand h = hand_of(make(kit, SMALL));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 1, 0);
	kit_guard(kit, unit_of(h.unit));
	m.mask = 1;
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_NOT_YET); /* no logs yet */
	m.kind = GPUTM_COMMIT_UNIT_MESSAGE_DONE;
	KIT_REFUSED(-EINVAL, gputm_commit_unit_push(h.unit, &m), "a skip with log words");
	m.yes = 2;
	ck_assert_int_eq(push(&h, &m), -EINVAL);
	m.yes = 1;
	m.lanes = 2;
	ck_assert_int_eq(push(&h, &m), -EINVAL); /* its warp is 7 alone */
	m.lanes = 9;
	ck_assert_int_eq(push(&h, &m), -ERANGE);
	m = header(GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 1);
	m.mask = m.words = 1;
	m.word[0].address = 2;
	KIT_REFUSED(-EINVAL, gputm_commit_unit_push(h.unit, &m), "address = 2 is no multiple of 4");
	m.word[0].address = UINT64_C(1) << 32;
	ck_assert_int_eq(push(&h, &m), -ERANGE);
	m.word[0].address = 0;
	m.word[0].lane = 64; /* not taken for lane 0 */
	ck_assert_int_eq(push(&h, &m), -ERANGE);
	m.word[0].lane = 0;
	m.first_cid = 71;
	KIT_REFUSED(-ERANGE, gputm_commit_unit_push(h.unit, &m),
		    "first_cid = 71 is outside 7 .. 70");
	m.first_cid = 8;
	m.words = 0;
	KIT_REFUSED(-EINVAL, gputm_commit_unit_push(h.unit, &m), "words = 0 is outside 1 .. 64");
	ck_assert_int_eq(push(&h, &m), -EINVAL); /* and by the probe */
	m.words = 1;
	m.kind = GPUTM_COMMIT_UNIT_MESSAGE_DONE;
	KIT_REFUSED(-EINVAL, gputm_commit_unit_push(h.unit, &m), "words = 1 does not fit its kind");
	m.kind = GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE + 1;
	KIT_REFUSED(-EINVAL, gputm_commit_unit_push(h.unit, &m), "kind = 6 is outside 0 .. 5");
	m.kind = GPUTM_COMMIT_UNIT_MESSAGE_RESENT;
	ck_assert_int_eq(push(&h, &m), -EINVAL);
	ck_assert_int_eq(gputm_commit_unit_mem_complete(h.unit, 0, NULL), -EINVAL);
	kit_unchanged(kit);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
	m = header(GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, 1);
	m.mask = m.yes = 1;
	ck_assert_int_eq(push(&h, &m), -EINVAL); /* twice */
}

static void refuse_message(struct kit *kit, struct hand *h,
			   const struct gputm_commit_unit_message *m, const char *why)
{
	KIT_REFUSED(-EINVAL, gputm_commit_unit_push(h->unit, m), why);
}

/* 8 fails here: what the core says of its outcome has to agree, while 7 stands and after. */
KIT_TEST(test_commit_unit_refuses_verdicts_that_cannot_be)
{
	struct gputm_commit_unit_message pass = header(GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 8, 1),
					 fail;
	struct hand h = hand_of(make(kit, SMALL));

	pass.mask = pass.yes = 1;
	fail = pass;
	fail.yes = 0;
	ck_assert_int_eq(push(&h, &pass), GPUTM_COMMIT_UNIT_NOT_YET);
	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 0, 1, 1);
	kit_guard(kit, unit_of(h.unit));
	ck_assert_int_eq(push(&h, &pass), GPUTM_COMMIT_UNIT_NOT_YET);
	kit_unchanged(kit);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, true);
	wait_request(&h, 0);
	KIT_REFUSED(-EINVAL, gputm_commit_unit_mem_complete(h.unit, h.tag[0], NULL),
		    "without values");
	complete(&h, 0, 0);
	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 1, 0);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
	serve(&h, 0, 0);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, true);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 8, false);
	refuse_message(kit, &h, &pass, "it has failed here");
	ck_assert_int_eq(push(&h, &fail), 0);
	refuse_message(kit, &h, &fail, "it has its verdict");
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, true);
	ticks(&h, 20);
	ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit), 9);
	refuse_message(kit, &h, &pass, "it has failed or committed");
}

/* A snapshot whose queued log has no words is not taken. */
KIT_TEST(test_commit_unit_refuses_a_snapshot_with_an_empty_log)
{
	struct gputm_commit_unit_message m = header(GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 1);
	struct hand h = hand_of(make(kit, SMALL));

	m.mask = 1;
	m.words = 3;
	for (uint32_t n = 0; n < m.words; n++)
		m.word[n] = (struct gputm_commit_unit_word){ 4 * n, 1, 0 };
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(h.unit), 1 | UINT64_C(3) << 32, 4, 4, 0),
		    "a queued message that would have been refused");
}

/* A log that is sent again is asked for, and is as long as it was. */
KIT_TEST(test_commit_unit_refuses_another_log_than_before)
{
	struct gputm_commit_unit_message m = header(GPUTM_COMMIT_UNIT_MESSAGE_RESENT, 7, 1);
	struct hand h = hand_of(make(kit, SMALL "buffers=0"));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7, 7, 1, 1);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RESEND, 7, false);
	m.mask = m.words = 1;
	m.purpose = GPUTM_COMMIT_UNIT_PURPOSE_COMMIT;
	m.word[0] = m.word[1] = (struct gputm_commit_unit_word){ 28, 1, 0 };
	refuse_message(kit, &h, &m, "its log is not asked for with this purpose");
	m.purpose = GPUTM_COMMIT_UNIT_PURPOSE_RECORD;
	m.words = 2;
	refuse_message(kit, &h, &m, "its log was shorter before");
	m.words = 0;
	m.kind = GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE;
	refuse_message(kit, &h, &m, "its log was longer before");
	send_again(&h, 7, GPUTM_COMMIT_UNIT_PURPOSE_RECORD);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, true);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, true);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RESEND, 7, false);
	send_again(&h, 7, GPUTM_COMMIT_UNIT_PURPOSE_COMMIT);
	serve(&h, 1, 0);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
}

KIT_TEST(test_commit_unit_config_relations)
{
	KIT_REFUSED(-EINVAL, refuse(kit, SMALL "cid_bits=7"), "ring = 64", "cid_bits");
	KIT_REFUSED(-EINVAL, refuse(kit, SMALL "cid_bits=8 buffer_words=9"), "port_words = 64",
		    "lanes x buffer_words");
	KIT_REFUSED(-EINVAL, refuse(kit, SMALL "cid_bits=8 buffer_words=8 pending_block=48"),
		    "pending_block = 48", "4 .. 1048576");
	make(kit, SMALL "cid_bits=8 buffer_words=8 pending_block=64");
}

KIT_WITH(test_commit_unit_bytes, struct gputm_commit_unit_message m,
	 header(GPUTM_COMMIT_UNIT_MESSAGE_DONE, 1, 32))
{
	struct gputm_commit_unit_report report = {
		GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, 1, 32, 1, 0
	};

	m.mask = 1;
	ck_assert_uint_eq(gputm_commit_unit_message_bytes(&m), 8);
	m.mask = UINT32_MAX;
	ck_assert_uint_eq(gputm_commit_unit_message_bytes(&m), 8 + 2 * 4);
	m.kind = GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG;
	m.words = 3;
	ck_assert_uint_eq(gputm_commit_unit_message_bytes(&m), 8 + 3 * 8 + 4);
	ck_assert_uint_eq(gputm_commit_unit_report_bytes(&report), 8);
	report.mask = 3;
	ck_assert_uint_eq(gputm_commit_unit_report_bytes(&report), 8 + 2 * 4);
	report.kind = GPUTM_COMMIT_UNIT_REPORT_RETIRED;
	ck_assert_uint_eq(gputm_commit_unit_report_bytes(&report), 8);
}

KIT_TEST(test_section_4_4_4_storage)
{
	struct gputm_unit *unit = unit_of(make(kit, "kilo-tm"));
	struct gputm_storage array;

	ck_assert(gputm_unit_storage(unit, 0, &array));
	ck_assert_uint_eq(array.entries, 1920);
	ck_assert_uint_eq(array.bits, 74); /* the thesis: 10 B */
	ck_assert(gputm_unit_storage(unit, 1, &array));
	ck_assert_uint_eq(array.entries * array.bits, 32 * 1024 * 8);
}

/* ---- requests ---- */

/* Lanes 1 and 3 of a warp read words of one region: a request each, or one for both. */
KIT_TESTS(test_commit_unit_requests_name_their_lanes, 2)
{
	struct hand h = hand_of(make(kit, SMALL "warp_mode=%d", _i));
	struct gputm_commit_unit_message m = header(GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 4);
	struct gputm_mem_request request;
	uint64_t cid = 0, lanes = 0, all = 0;

	m.words = 2;
	m.mask = 0xa;
	m.word[0] = (struct gputm_commit_unit_word){ 0, 5, 1 };
	m.word[1] = (struct gputm_commit_unit_word){ 4, 5, 3 };
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
	for (unsigned n = 0; all != m.mask; n++) {
		ck_assert_uint_lt(n, 100);
		gputm_commit_unit_tick(h.unit);
		if (!gputm_commit_unit_mem_peek(h.unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION,
						&request))
			continue;
		ck_assert_int_eq(gputm_commit_unit_get_lanes(h.unit, request.tag, &cid, &lanes), 0);
		ck_assert_uint_eq(lanes, _i ? m.mask : request.address ? 8 : 2);
		ck_assert(gputm_commit_unit_mem_pop(h.unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION));
		all |= lanes;
		lanes = 0; /* and in flight the same */
		ck_assert_int_eq(gputm_commit_unit_get_lanes(h.unit, request.tag, &cid, &lanes), 0);
		ck_assert_uint_eq(cid, 8);
		ck_assert_uint_eq(lanes & ~all, 0);
	}
	KIT_REFUSED(-EINVAL, gputm_commit_unit_get_lanes(h.unit, request.tag + 2, &cid, &lanes),
		    "is offered or in flight");
}

KIT_TESTS(test_commit_unit_take_is_peek_and_pop, 2)
{
	struct gputm_mem_request seen, taken;
	struct hand h = hand_of(make(kit, SMALL "warp_mode=%d", _i));

	memset(&seen, 0, sizeof(seen));
	memset(&taken, 0, sizeof(taken));
	ck_assert(!gputm_commit_unit_mem_take(h.unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION, &taken));
	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 2, 5);
	ticks(&h, 2);
	ck_assert(gputm_commit_unit_mem_peek(h.unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION, &seen));
	ck_assert(gputm_commit_unit_mem_take(h.unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION, &taken));
	ck_assert_mem_eq(&seen, &taken, sizeof(seen));
	ck_assert_uint_eq(stat_of(&h, "read_requests"), 1);
	ck_assert(!gputm_commit_unit_mem_take(h.unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION, &taken));
	ck_assert_mem_eq(&seen, &taken, sizeof(seen));
}
