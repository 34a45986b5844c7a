/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_unit: the timing table of gputm/commit_unit.h. */
#include "tests/commit_unit.h"

KIT_TEST(test_timing_input_scalar)
{
	struct hand h = hand_of(make(kit, SMALL));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 5, 0);
	for (unsigned words = 1; words <= 5; words++) {
		ticks(&h, 1);
		ck_assert_uint_eq(stat_of(&h, "reads"), words);
	}
}

KIT_TEST(test_timing_input_warp)
{
	struct gputm_mem_request request;
	struct hand h = hand_of(make(kit, SMALL "warp_mode=1"));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 6, 5, 0);
	ticks(&h, 1);
	ck_assert_uint_eq(stat_of(&h, "reads"), 5);
	ticks(&h, 1);
	ck_assert(gputm_commit_unit_mem_peek(h.unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION, &request));
	KIT_HAS(request, address, 0, word_mask, 0xc0);
	wait_request(&h, 0);
	ck_assert_uint_eq(wait_request(&h, 0), 1);
	ck_assert(!gputm_commit_unit_mem_pop(h.unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION));
}

/* Done of 5 lanes and verdict of 3 take as many cycles, the lowest lane first. */
KIT_TEST(test_timing_serial_input)
{
	struct hand h = hand_of(make(kit, SMALL "serial_input=1"));

	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, 5, 0x1f, 0x15);
	for (unsigned lane = 0; lane < 5; lane++) {
		ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, 7 + lane),
				 GPUTM_COMMIT_UNIT_STATE_UNUSED);
		ticks(&h, 1);
		ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, 7 + lane),
				 lane & 1 ? GPUTM_COMMIT_UNIT_STATE_FINISHED
					  : GPUTM_COMMIT_UNIT_STATE_HAZARD);
	}
	for (unsigned lane = 0; lane < 5; lane += 2) {
		struct gputm_commit_unit_report report;

		while (!gputm_commit_unit_peek(h.unit, &report))
			ticks(&h, 1);
		ck_assert(gputm_commit_unit_pop(h.unit));
		ck_assert_uint_eq(report.mask, 1u << lane);
	}
	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, 5, 0x15, 0);
	for (unsigned lane = 0; lane < 5; lane += 2) {
		ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, 7 + lane),
				 GPUTM_COMMIT_UNIT_STATE_WAIT);
		ticks(&h, 1);
		ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, 7 + lane),
				 GPUTM_COMMIT_UNIT_STATE_FINISHED);
	}
}

/* A narrow port cannot coalesce what it has not seen: in warp mode a word, a request. */
KIT_TEST(test_timing_serial_input_warp)
{
	struct hand h = hand_of(make(kit, SMALL "warp_mode=1 serial_input=1"));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 3, 0);
	for (unsigned words = 1; words <= 3; words++) {
		ticks(&h, 1);
		ck_assert_uint_eq(stat_of(&h, "reads"), words);
	}
	for (unsigned n = 0; n < 3; n++)
		wait_request(&h, 0);
}

/* Lanes whose outcomes are all known, the oldest one last: one report a cycle. */
KIT_TEST(test_timing_ordered_outcomes)
{
	struct gputm_commit_unit_report report;
	struct hand h = hand_of(make(kit, SMALL "ordered_outcomes=1"));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 1, 0);
	for (uint64_t cid = 7; cid < 10; cid++)
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, cid, true);
	wait_request(&h, 0);
	ticks(&h, 20);
	ck_assert(!gputm_commit_unit_peek(h.unit, &report));
	ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, 9),
			 GPUTM_COMMIT_UNIT_STATE_FINALISE);
	ck_assert_uint_eq(gputm_commit_unit_next_event(h.unit), UINT64_MAX);
	complete(&h, 0, 0);
	for (uint64_t cid = 7; cid < 10; cid++)
		ck_assert_uint_eq(wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, cid, true), 1);
}

/* In warp mode the pointer passes a warp a cycle, however many lanes the warp has. */
KIT_TEST(test_timing_ordered_outcomes_warp)
{
	struct gputm_commit_unit_report report;
	struct hand h = hand_of(make(kit, SMALL "ordered_outcomes=1 warp_mode=1"));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 1, 0);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, 8, 0xff, 0x7f);
	wait_request(&h, 0);
	ticks(&h, 40);
	ck_assert(!gputm_commit_unit_peek(h.unit, &report));
	complete(&h, 0, 0);
	ck_assert_uint_eq(wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, true), 1);
	ticks(&h, 1);
	ck_assert(gputm_commit_unit_peek(h.unit, &report));
	KIT_HAS(report, first_cid, 8, yes, 0x7f);
}

KIT_TEST(test_timing_validation)
{
	struct hand h = hand_of(make(kit, SMALL));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 1, 0);
	ticks(&h, 1);
	ck_assert_uint_eq(stat_of(&h, "reads"), 1);
	ck_assert_uint_eq(wait_request(&h, 0), 1);
}

KIT_TEST(test_timing_ports)
{
	struct hand h = hand_of(make(kit, SMALL));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 4, 0);
	ck_assert_uint_eq(wait_request(&h, 0), 2);
	for (unsigned n = 0; n < 3; n++)
		ck_assert_uint_eq(wait_request(&h, 0), 1);
}

/* 3 reads and 2 writes; done is consumed in the tick that makes the state HAZARD. */
KIT_TEST(test_timing_hazard)
{
	static const unsigned expected[] = { 5 + 1, 3 + 1, 2 + 1, 2 + 1, 1 + 1 };

	for (uint32_t rate = 1; rate <= 5; rate++) {
		struct hand h = hand_of(make(kit, SMALL "hazard_rate=%u", rate));

		send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 3, 0);
		send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7, 0, 2, 0);
		send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
		wait_state(&h, 7, GPUTM_COMMIT_UNIT_STATE_HAZARD);
		ck_assert_uint_eq(wait_state(&h, 7, GPUTM_COMMIT_UNIT_STATE_VALIDATE),
				  expected[rate - 1]);
	}
}

KIT_TEST(test_timing_skip)
{
	struct gputm_commit_unit_report report;
	struct hand h = hand_of(make(kit, SMALL));

	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, 8, 0xff, 0);
	ticks(&h, 1);
	for (uint64_t n = 1; n <= 8; n++) {
		ck_assert(!gputm_commit_unit_peek(h.unit, &report));
		ticks(&h, 1);
		ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit), 7 + n);
	}
	ck_assert(gputm_commit_unit_peek(h.unit, &report));
	KIT_HAS(report, kind, GPUTM_COMMIT_UNIT_REPORT_RETIRED, mask, 0xff);
}

/* The example at the head of lib/kilotm/commit_unit.c: the message of a cycle, and the states of 7
 * and 8 after it. */
static const struct {
	unsigned cycle;
	int kind, cid; /* 0: no message */
	unsigned state[2];
} example[] = {
#define STATES(of_7, of_8) { GPUTM_COMMIT_UNIT_STATE_##of_7, GPUTM_COMMIT_UNIT_STATE_##of_8 }
	{ 1, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, STATES(UNUSED, FILL) },
	{ 2, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7, STATES(FILL, FILL) },
	{ 3, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, STATES(HAZARD, FILL) },
	{ 4, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, STATES(HAZARD, HAZARD) },
	{ 5, 0, 0, STATES(WAIT, HAZARD) },
	{ 6, 0, 0, STATES(WAIT, HAZARD) },
	{ 7, 0, 0, STATES(WAIT, VALIDATE) },
	{ 8, 0, 0, STATES(WAIT, VALIDATE) },
	{ 13, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, STATES(READY, VALIDATE) },
	{ 14, 0, 0, STATES(WRITE, VALIDATE) },
	{ 21, 0, 0, STATES(FINISHED, VALIDATE) },
	{ 22, 0, 0, STATES(FINISHED, VALIDATE) },
	{ 24, 0, 0, STATES(FINISHED, VALIDATE) },
	{ 30, 0, 0, STATES(FINISHED, FINALISE) },
	{ 31, 0, 0, STATES(FINISHED, FINISHED) },
};

KIT_TEST(test_timing_example)
{
	struct hand h = hand_of(make(kit, SMALL));

	for (unsigned cycle = 1, n = 0; cycle <= 31; cycle++) {
		bool in_table = cycle == example[n].cycle;
		uint32_t kind = (uint32_t)example[n].kind;
		uint64_t cid = (uint64_t)example[n].cid;

		if (in_table && cid && kind <= GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG)
			send_log(&h, kind, cid, 0, 1, kind);
		else if (in_table && cid)
			send_mask(&h, kind, cid, true);
		ticks(&h, 1);
		if (cycle == 2 || cycle == 15 || cycle == 24)
			ck_assert_uint_eq(wait_request(&h, cycle == 15), 0);
		if (cycle == 8 || cycle == 21 || cycle == 30) /* 6 later */
			complete(&h, cycle == 21, cycle == 30);
		if (cycle == 5 || cycle == 31)
			ck_assert_uint_eq(wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME,
						      cycle == 5 ? 7 : 8, cycle == 5),
					  0);
		if (cycle == 22)
			wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
		ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit),
				  cycle < 22 ? 7 : cycle < 31 ? 8 : 9);
		for (uint64_t i = 0; i < 2 && in_table; i++)
			ck_assert_uint_eq(gputm_commit_unit_entry_state(h.unit, 7 + i),
					  example[n].state[i]);
		n += in_table;
	}
	ck_assert_uint_eq(stat_of(&h, "hazards"), 1);
}

KIT_WITH(test_timing_commit, struct hand h, play_hazard(kit, 1))
{
	ticks(&h, 1);
	ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, 7), GPUTM_COMMIT_UNIT_STATE_READY);
	ck_assert_uint_eq(wait_request(&h, 1), 2);
}

KIT_WITH(test_timing_retire, struct hand h, play_hazard(kit, 1))
{
	serve(&h, 1, 0);
	ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit), 7);
	ck_assert_uint_eq(wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false), 1);
	ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit), 8);
}

KIT_WITH(test_timing_revalidation, struct hand h, play_hazard(kit, 1))
{
	serve(&h, 1, 0);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, false);
	ck_assert_uint_eq(wait_request(&h, 0), 2);
}

KIT_TEST(test_timing_outcome)
{
	struct hand h = hand_of(make(kit, SMALL));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 7, 0, 1, 5);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
	wait_request(&h, 0);
	wait_state(&h, 7, GPUTM_COMMIT_UNIT_STATE_VALIDATE);
	complete(&h, 0, 5);
	ck_assert_uint_eq(wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, true), 1);
	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 8, 0, 1, 5);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, true);
	wait_state(&h, 8, GPUTM_COMMIT_UNIT_STATE_HAZARD);
	ck_assert_uint_eq(wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 8, true), 1 + 1);
	ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, 8), GPUTM_COMMIT_UNIT_STATE_WAIT);
}
