/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_sequencer: life, other rules than its timing, refusals. */
#include "tests/commit_sequencer.h"

/* First of all, as snapshots of few units are forged. */
KIT_TEST(test_commit_sequencer_resend_requests_are_tight)
{
	struct core core = core_of(kit, "resend_requests=1");

	access(&core, 0, 0x3, false, false);
	filled(&core, 0, 2, 0);
	resend(&core, 0, 0, 2, 1);
	kit_hostile(&commit_sequencer_maker, unit_of(core.seq));
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_RESEND, 0, 0, 2, 2, 0), BUSY);
	tick(&core);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_RESEND, 0, 0, 2, 2, 0), BUSY);
	tick(&core);
	resend(&core, 0, 0, 2, 2);
}

/* ---- life ---- */

KIT_TEST(test_commit_sequencer_life)
{
	kit_common(&commit_sequencer_maker);
}

KIT_TEST(test_commit_sequencer_config_relations)
{
	const struct gputm_tx_log *logs[4] = { NULL };
	struct gputm_commit_sequencer_config config = with(SMALL);
	struct gputm_commit_sequencer *seq = NULL;
	struct gputm_tx_log *log = kit_make_as(kit, &tx_log_maker, NULL);

	KIT_REFUSED(-EINVAL, refuse(kit, SMALL "mode=warp"), "mode = warp", "intra_warp_resolved");
	KIT_REFUSED(-EINVAL, refuse(kit, SMALL "output_packets=1"), "output_packets = 1", "2");
	ck_assert_int_eq(refuse(kit, SMALL "pack=none output_packets=3"), -EINVAL);
	logs[2] = log;
	config.logs = logs;
	KIT_REFUSED(-EINVAL, gputm_commit_sequencer_new(kit->ctx, &config, &seq),
		    "lanes = 32, partitions = 6", "4 and 2");
	ck_assert_ptr_null(seq);
	seq = make(kit, SMALL "output_packets=2");
	ck_assert_int_eq(gputm_commit_sequencer_attach(seq, 0, log), -EINVAL);
	KIT_REFUSED(-ERANGE, gputm_commit_sequencer_attach(seq, 4, NULL), "warp = 4", "0 .. 3");
	KIT_REFUSED(-EINVAL, gputm_commit_sequencer_begin(seq, 0, 1), "warp 0 has no log");
}

/* ---- other rules ---- */

KIT_WITH(test_commit_sequencer_empty_logs_pass_without_cid, struct core core, core_of(kit, ""))
{
	uint32_t warp, count;

	begin(&core, 0, 0x5);
	ck_assert(!gputm_commit_sequencer_wants(core.seq, &warp, &count));
	ck_assert(done(&core, 0, 0x5, 0));
	access(&core, 0, 0x8, false, false);
	begin(&core, 0, 0xc);
	grant(&core, 0, 1, 3);
	flush(&core);
	outcome(&core, 0, 3, 1, 1, 0);
	flush(&core);
	ck_assert(done(&core, 0, 0x4, 0x8));
	kit_counts(unit_of(core.seq), "without_cid=3 transactions=4");
}

/* A warp may begin again while partitions still retire its last commit. */
KIT_WITH(test_commit_sequencer_slots_are_tight, struct core core, core_of(kit, "slots=2"))
{
	access(&core, 0, 0x1, false, false);
	filled(&core, 0, 1, 0);
	outcome(&core, 0, 0, 1, 1, 1);
	flush(&core);
	KIT_REFUSED(-EINVAL, gputm_commit_sequencer_begin(core.seq, 0, 0x1),
		    "warp 0 commits already");
	KIT_REFUSED(-EINVAL, push(&core, 0, 4, 0, 0, 1, 1, 0), "report.kind = 4 is not");
	ck_assert(done(&core, 0, 1, 0));
	begin(&core, 0, 0x1);
	access(&core, 1, 0x1, false, false);
	ck_assert_int_eq(gputm_commit_sequencer_begin_probe(core.seq, 1, 0x1), BUSY);
	ck_assert_int_eq(gputm_commit_sequencer_begin(core.seq, 1, 0x1), BUSY);
	ck_assert_uint_eq(stat(&core, "refused"), 1);
	retire(&core, 0, 0, 1);
	retire(&core, 1, 0, 1);
	ck_assert_int_eq(gputm_commit_sequencer_begin_probe(core.seq, 1, 0x1), BUSY);
	ck_assert(retired(&core, 0, 0, 1));
	begin(&core, 1, 0x1);
	kit_counts(unit_of(core.seq), "max_slots=2 slots_used=2");
}

/* To advance walks rows of other lanes and partitions at once, and stops where words are. */
KIT_WITH(test_commit_sequencer_advance_resends_all_words, struct core core, core_of(kit, ""))
{
	uint32_t to = 99;

	for (unsigned row = 0; row < 3; row++)
		access(&core, 0, 0x3, false, true);
	access(&core, 0, 0x1, false, false);
	access(&core, 0, 0x3, false, false);
	filled(&core, 0, 2, 0);
	ck_assert_int_eq(gputm_commit_sequencer_attach(core.seq, 1, core.log[1]), 0);
	resend(&core, 0, 0, 2, 2);
	ck_assert_int_eq(gputm_commit_sequencer_advance(core.seq, 1000),
			 GPUTM_COMMIT_SEQUENCER_OFFER_PACKET);
	ck_assert(gputm_commit_sequencer_peek(core.seq, &to, &message));
	ck_assert(gputm_commit_sequencer_pop(core.seq));
	KIT_HAS(message, kind, GPUTM_COMMIT_UNIT_MESSAGE_RESENT, words, 1, mask, 2);
	ck_assert_int_eq(gputm_commit_sequencer_advance(core.seq, 1000),
			 GPUTM_COMMIT_SEQUENCER_OFFER_PACKET);
	takes(&core, 0, GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE, 2, 0, 0);
}

KIT_WITH(test_commit_sequencer_refusals_change_nothing, struct core core, core_of(kit, ""))
{
	uint64_t digest;

	ck_assert_int_eq(gputm_commit_sequencer_grant(core.seq, 0), -EINVAL);
	access(&core, 0, 0x3, false, false);
	access(&core, 0, 0x1, true, false);
	filled(&core, 0, 2, 8);
	begin(&core, 1, 0x1);
	ck_assert(done(&core, 1, 0x1, 0));
	access(&core, 1, 0x1, false, false);
	begin(&core, 1, 0x1);
	digest = kit_digest(unit_of(core.seq));
	KIT_REFUSED(-EINVAL, gputm_commit_sequencer_grant(core.seq, 9),
		    "first_cid = 9", "at least 10");
	ck_assert_int_eq(gputm_commit_sequencer_begin(core.seq, 4, 1), -ERANGE);
	ck_assert_int_eq(gputm_commit_sequencer_begin(core.seq, 2, 0x10), -ERANGE);
	ck_assert_int_eq(gputm_commit_sequencer_begin(core.seq, 2, 0), -EINVAL);
	ck_assert_int_eq(gputm_commit_sequencer_attach(core.seq, 0, NULL), -EINVAL);
	ck_assert_int_eq(push(&core, 2, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, 8, 2, 1, 1), -ERANGE);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, 9, 2, 1, 1), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, 8, 1, 1, 1), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, 8, 2, 0, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, 8, 2, 4, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, 8, 2, 1, 3), -EINVAL);
	KIT_REFUSED(-EINVAL, push(&core, 1, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, 8, 2, 1, 1),
		    "outcome of first CID 8", "mask 0x1: it is not");
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 0, 8, 2, 3, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_RESEND, 0, 8, 2, 3, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 1, GPUTM_COMMIT_UNIT_REPORT_RESEND, 0, 8, 2, 1, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_RESEND, 4, 8, 2, 1, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_RESEND,
			      GPUTM_COMMIT_UNIT_PURPOSE_COMMIT, 8, 2, 1, 0),
			 -EINVAL);
	ck_assert_int_eq(push(&core, 0, 3, 0, 8, 2, 1, 0), -EINVAL);
	ck_assert_uint_eq(kit_digest(unit_of(core.seq)), digest);
	outcome(&core, 0, 8, 2, 1, 1);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, 8, 2, 1, 1), -EINVAL);
	ck_assert_int_eq(gputm_commit_sequencer_grant(core.seq, 10), 0);
}

/* protocols: min(500 x aborts, 5000), maximum over the lanes; watchdog above 100,000. */
KIT_WITH(test_commit_sequencer_backoff_and_watchdog, struct core core, core_of(kit, ""))
{
	static const uint32_t aborts[4] = { 1, 9, 10, 4000000000u };

	ck_assert_uint_eq(gputm_commit_sequencer_backoff(core.seq, 0, aborts), 0);
	ck_assert_uint_eq(gputm_commit_sequencer_backoff(core.seq, 0x1, aborts), 500);
	ck_assert_uint_eq(gputm_commit_sequencer_backoff(core.seq, 0x3, aborts), 4500);
	ck_assert_uint_eq(gputm_commit_sequencer_backoff(core.seq, 0x7, aborts), 5000);
	ck_assert_uint_eq(gputm_commit_sequencer_backoff(core.seq, 0x1f, aborts), 5000);
	ck_assert(!gputm_commit_sequencer_overdue(core.seq, 100000));
	ck_assert(gputm_commit_sequencer_overdue(core.seq, 100001));
	core = core_of(kit, "watchdog_cycles=0");
	ck_assert(!gputm_commit_sequencer_overdue(core.seq, UINT64_MAX));
}

KIT_WITH(test_commit_sequencer_tells_its_observer, struct core core, core_of(kit, ""))
{
	kit_observe(unit_of(core.seq));
	access(&core, 0, 0x1, false, false);
	filled(&core, 0, 1, 0);
	resend(&core, 0, 0, 1, 1);
	flush(&core);
	outcome(&core, 0, 0, 1, 1, 1);
	flush(&core);
	ck_assert(done(&core, 0, 1, 0));
	retire(&core, 0, 0, 1);
	retire(&core, 1, 0, 1);
	for (uint32_t kind = 0; kind < 8; kind++)
		ck_assert_uint_eq(kit_events(kind), 1);
}
