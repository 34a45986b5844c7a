/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_sequencer: its timetable, line by line. */
#include "tests/commit_sequencer.h"

/* Two read rows, one of them for both partitions, and a write row. */
KIT_WITH(test_timing_log_walk, struct core core, core_of(kit, ""))
{
	uint32_t warp, count;

	access(&core, 1, 0xf, false, false);
	access(&core, 1, 0x2, false, true);
	access(&core, 1, 0x6, true, true);
	begin(&core, 1, 0xf);
	for (unsigned i = 0; i < 3; i++)
		quiet_tick(&core);
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core.seq), UINT64_MAX);
	grant(&core, 1, 4, 20);
	ck_assert(!gputm_commit_sequencer_wants(core.seq, &warp, &count));
	quiet_tick(&core);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0xf, 0, 4);
	KIT_HAS(message, first_cid, 20, lanes, 4);
	KIT_HAS(message.word[3], address, 12, value, 13, lane, 3);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0x2, 0, 1);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 0x6, 0, 2);
	tick(&core);
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core.seq), UINT64_MAX);
	takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0xf, 0xf, 0);
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core.seq), 0);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0xf, 0x6, 0);
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core.seq), UINT64_MAX);
	quiet_tick(&core);
	ck_assert_uint_eq(stat(&core, "rows_walked"), 3);
}

/* Lanes 1 and 3 commit: they are CIDs 0 and 1 of the message. */
KIT_WITH(test_timing_lanes_become_cids, struct core core, core_of(kit, ""))
{
	access(&core, 0, 0xf, false, false);
	begun(&core, 0, 0xa, 7);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0x3, 0, 2);
	KIT_HAS(message.word[0], address, 4, lane, 0);
	KIT_HAS(message.word[1], address, 12, lane, 1);
	flush(&core);
	outcome(&core, 0, 7, 2, 0x3, 0x1);
	flush(&core);
	ck_assert(done(&core, 0, 0x2, 0x8));
	retire(&core, 0, 7, 2);
	retire(&core, 1, 7, 2);
	ck_assert(retired(&core, 0, 7, 2));
}

/* A commit is done when its writes are in memory, and over when all partitions have retired it. */
KIT_WITH(test_timing_done_before_retirement, struct core core, core_of(kit, ""))
{
	const uint32_t written = GPUTM_COMMIT_UNIT_REPORT_WRITTEN;

	access(&core, 0, 0x3, true, false);
	begun(&core, 0, 0x3, 7);
	flush(&core);
	KIT_REFUSED(-EINVAL, push(&core, 0, written, 0, 7, 2, 0x3, 0), "end of writing of first");
	outcome(&core, 0, 7, 2, 0x3, 0x3);
	flush(&core);
	KIT_REFUSED(-EINVAL, push(&core, 1, written, 0, 7, 2, 0x1, 0), "not expected");
	ck_assert_int_eq(push(&core, 0, written, 0, 7, 2, 0x1, 0), OK);
	KIT_REFUSED(-EINVAL, push(&core, 0, written, 0, 7, 2, 0x1, 0), "not expected");
	ck_assert(!done(&core, 0, 0x3, 0));
	ck_assert_int_eq(push(&core, 0, written, 0, 7, 2, 0x2, 0), OK);
	ck_assert(done(&core, 0, 0x3, 0));
	retire(&core, 0, 7, 2);
	ck_assert(!retired(&core, 0, 7, 2));
	retire(&core, 1, 7, 2);
	ck_assert(retired(&core, 0, 7, 2));
}

KIT_WITH(test_timing_done_fill_per_lane, struct core core, core_of(kit, "pack_done=0"))
{
	access(&core, 0, 0x3, false, true);
	begun(&core, 0, 0x3, 0);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0x3, 0, 2);
	tick(&core);
	ck_assert_uint_eq(stat(&core, "packets"), 3);
	takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0x1, 0, 0);
	tick(&core);
	ck_assert_uint_eq(stat(&core, "packets"), 5);
	takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0x1, 0x1, 0);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0x2, 0, 0);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0x2, 0x2, 0);
}

KIT_WITH(test_timing_entries_for_themselves, struct core core, core_of(kit, "pack=none"))
{
	access(&core, 0, 0x5, true, true);
	begun(&core, 0, 0x5, 0);
	tick(&core);
	ck_assert_uint_eq(stat(&core, "packets"), 2);
	takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 0x1, 0, 1);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 0x2, 0, 1);
	ck_assert_uint_eq(message.word[0].address, 0x108);
}

/* A lane that only reads is done with its verdict, one tick after its last outcome. */
KIT_WITH(test_timing_verdict_and_read_only_done, struct core core, core_of(kit, ""))
{
	access(&core, 0, 0x1, false, false);
	access(&core, 0, 0x1, false, true);
	filled(&core, 0, 1, 5);
	outcome(&core, 1, 5, 1, 1, 1);
	quiet_tick(&core);
	outcome(&core, 0, 5, 1, 1, 1);
	ck_assert(!done(&core, 0, 1, 0));
	tick(&core);
	ck_assert(done(&core, 0, 1, 0));
	takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 1, 1, 0);
	retire(&core, 0, 5, 1);
	retire(&core, 1, 5, 1);
	ck_assert(!retired(&core, 0, 5, 1)); /* its verdict has not left */
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 1, 1, 0);
	ck_assert(retired(&core, 0, 5, 1));
	ck_assert(!retired(&core, 0, 5, 1));
}

/* A lane that writes is done when the partitions with its writes have retired it. */
KIT_WITH(test_timing_done_with_retirement_of_writes, struct core core, core_of(kit, ""))
{
	access(&core, 0, 0x3, false, false);
	access(&core, 0, 0x3, true, true);
	filled(&core, 0, 2, 5);
	outcome(&core, 0, 5, 2, 0x3, 0x1);
	outcome(&core, 1, 5, 2, 0x3, 0x3);
	flush(&core);
	ck_assert(!done(&core, 0, 0, 0));
	retire(&core, 0, 5, 2);
	ck_assert(!done(&core, 0, 0, 0));
	retire(&core, 1, 5, 2);
	ck_assert(done(&core, 0, 0x1, 0x2));
	ck_assert(retired(&core, 0, 5, 2));
	kit_counts(unit_of(core.seq), "passed=1 failed=1");
}

/* Failed lanes wait for no retirement: nothing of theirs is written. */
KIT_WITH(test_timing_failed_writers_are_done_at_once, struct core core, core_of(kit, ""))
{
	access(&core, 0, 0x1, true, true);
	filled(&core, 0, 1, 5);
	outcome(&core, 1, 5, 1, 1, 0);
	tick(&core);
	ck_assert(done(&core, 0, 0, 1));
}

/* Scalar: the verdict of a lane does not wait for the others, for it may hold them up. */
KIT_WITH(test_timing_scalar_verdicts_one_by_one, struct core core, core_of(kit, ""))
{
	access(&core, 0, 0xf, true, false);
	filled(&core, 0, 4, 5);
	outcome(&core, 0, 5, 4, 0x1, 0x1);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 0x1, 0x1, 0);
	outcome(&core, 0, 5, 4, 0x6, 0x2);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 0x2, 0x2, 0);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 0x4, 0, 0);
	quiet_tick(&core);
}

KIT_WITH(test_timing_scalar_verdicts_packed, struct core core, core_of(kit, "pack_verdict=1"))
{
	access(&core, 0, 0xf, true, false);
	filled(&core, 0, 4, 5);
	outcome(&core, 0, 5, 4, 0x7, 0x5);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 0x7, 0x5, 0);
	outcome(&core, 0, 5, 4, 0x8, 0x8);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 0x8, 0x8, 0);
}

KIT_TEST(test_timing_warp_verdict_waits_for_all)
{
	struct core core = core_of(kit, "mode=warp intra_warp_resolved=1");

	access(&core, 0, 0x3, true, false);
	access(&core, 0, 0xc, false, true);
	filled(&core, 0, 4, 5);
	outcome(&core, 0, 5, 4, 0x3, 0x2);
	quiet_tick(&core);
	outcome(&core, 1, 5, 4, 0xc, 0xc);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 0x3, 0x2, 0);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 0xc, 0xc, 0);
	retire(&core, 0, 5, 4);
	ck_assert(done(&core, 0, 0xe, 0x1));
}

KIT_WITH(test_timing_resend, struct core core, core_of(kit, ""))
{
	access(&core, 0, 0x3, false, false);
	access(&core, 0, 0x2, false, true);
	access(&core, 0, 0x2, false, false);
	access(&core, 0, 0x2, true, false);
	filled(&core, 0, 2, 5);
	resend(&core, GPUTM_COMMIT_UNIT_PURPOSE_HAZARD, 5, 2, 2);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_RESENT, 0x2, 0, 1);
	ck_assert_uint_eq(message.purpose, GPUTM_COMMIT_UNIT_PURPOSE_HAZARD);
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core.seq), 0);
	ck_assert_uint_eq(gputm_commit_sequencer_next_offer(core.seq), 1);
	quiet_tick(&core); /* the row of partition 1 */
	ck_assert_uint_eq(gputm_commit_sequencer_next_offer(core.seq), 0);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_RESENT, 0x2, 0, 1);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE, 0x2, 0, 0);
	ck_assert_uint_eq(message.purpose, GPUTM_COMMIT_UNIT_PURPOSE_HAZARD);
	quiet_tick(&core);
	outcome(&core, 0, 5, 2, 0x3, 0x3);
	outcome(&core, 1, 5, 2, 0x2, 0x2);
	flush(&core);
	resend(&core, GPUTM_COMMIT_UNIT_PURPOSE_COMMIT, 5, 2, 2);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_RESENT, 0x2, 0, 1);
	ck_assert_uint_eq(message.word[0].value, 1);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE, 0x2, 0, 0);
	ck_assert_uint_eq(message.purpose, GPUTM_COMMIT_UNIT_PURPOSE_COMMIT);
	ck_assert_uint_eq(stat(&core, "resends"), 2);
}

/* One row in the L1 share: after the second the walk waits, and the next warp goes on. */
KIT_WITH(test_timing_spilled_row, struct core core, core_of(kit, "spilled_row_cycles=3"))
{
	for (unsigned i = 0; i < 3; i++)
		access(&core, 0, 0x1, false, false);
	begun(&core, 0, 0x1, 0);
	for (unsigned i = 0; i < 2; i++) {
		tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0x1, 0, 1);
	}
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core.seq), 3);
	access(&core, 1, 0x1, false, true);
	begun(&core, 1, 0x1, 1);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0x1, 0, 1);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0x1, 0, 0);
	ck_assert_uint_eq(message.first_cid, 1);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0x1, 0x1, 0);
	ck_assert_uint_eq(stat(&core, "rows_walked"), 4);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0x1, 0, 1);
	ck_assert_uint_eq(stat(&core, "spilled_rows"), 2);
}

/* The oldest CIDs are walked first; a verdict goes before them. */
KIT_WITH(test_timing_order_of_steps, struct core core, core_of(kit, ""))
{
	access(&core, 0, 0x1, true, false);
	filled(&core, 0, 1, 0);
	access(&core, 1, 0x1, false, true);
	access(&core, 2, 0x1, false, false);
	begin(&core, 1, 0x1);
	begin(&core, 2, 0x1);
	grant(&core, 1, 1, 1);
	grant(&core, 2, 1, 2);
	quiet_tick(&core);
	resend(&core, GPUTM_COMMIT_UNIT_PURPOSE_RECORD, 0, 1, 1);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_RESENT, 0x1, 0, 1);
	outcome(&core, 0, 0, 1, 1, 1);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 0x1, 0x1, 0);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE, 0x1, 0, 0);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0x1, 0, 1);
	ck_assert_uint_eq(message.first_cid, 1);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0x1, 0, 0);
	tick_takes(&core, 1, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0x1, 0x1, 0);
	tick_takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0x1, 0, 1);
	ck_assert_uint_eq(message.first_cid, 2);
}

/* Two packets of room: the second step finds one and waits. */
KIT_WITH(test_timing_stall_without_room, struct core core, core_of(kit, "output_packets=2"))
{
	access(&core, 0, 0x1, false, false);
	begin(&core, 0, 0x1);
	grant(&core, 0, 1, 0);
	tick(&core);
	tick(&core);
	ck_assert_uint_eq(stat(&core, "packets"), 1);
	tick(&core);
	tick(&core);
	kit_counts(unit_of(core.seq), "packets=1 stalls=2");
	takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 0x1, 0, 1);
	ck_assert_uint_eq(stat(&core, "packets_waiting"), 0);
	tick(&core);
	kit_counts(unit_of(core.seq), "packets=3 max_packets=2 packets_waiting=2");
}
