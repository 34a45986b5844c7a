/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_sequencer: life, timetable line by line, refusals, the oracle of commit units. */
#include "tests/kit.h"
#include "tests/oracle/commit_sequencer.h"

KIT_MAKER(commit_sequencer, COMMIT_SEQUENCER);

#define OK GPUTM_COMMIT_SEQUENCER_OK
#define BUSY GPUTM_COMMIT_SEQUENCER_BUSY

/* ---- one core with a few warps, for the directed tests ---- */

struct core {
	struct kit kit;
	struct gputm_commit_sequencer_config config;
	struct gputm_commit_sequencer *seq;
	struct gputm_tx_log *log[4];
};

/* Four lanes, two partitions every 256 B, logs with one row in the L1 share. */
static void core_config(struct core *core)
{
	const struct gputm_commit_sequencer_config init = GPUTM_COMMIT_SEQUENCER_CONFIG_INIT;

	core->config = init;
	core->config.warps = 4;
	core->config.lanes = 4;
	core->config.partitions = 2;
}

static void core_open(struct core *core)
{
	struct gputm_tx_log_config config = GPUTM_TX_LOG_CONFIG_INIT;

	kit_open(&core->kit);
	config.lanes = 4;
	config.partitions = 2;
	config.l1_rows = 1;
	core->seq = NULL;
	ck_assert_int_eq(gputm_commit_sequencer_new(core->kit.ctx, &core->config, &core->seq), 0);
	for (uint32_t w = 0; w < 4; w++) {
		core->log[w] = NULL;
		ck_assert_int_eq(gputm_tx_log_new(core->kit.ctx, &config, &core->log[w]), 0);
		ck_assert_int_eq(gputm_commit_sequencer_attach(core->seq, w, core->log[w]), 0);
	}
}

static void core_close(struct core *core)
{
	kit_valid(gputm_commit_sequencer_unit(core->seq));
	gputm_commit_sequencer_free(core->seq);
	for (uint32_t w = 0; w < 4; w++)
		gputm_tx_log_free(core->log[w]);
	kit_close(&core->kit);
}

static uint64_t stat(const struct core *core, const char *name)
{
	return kit_stat(gputm_commit_sequencer_unit(core->seq), name);
}

/* Lane i reads or writes word i of partition 0, or with `far` of partition 1. */
static void access(struct core *core, uint32_t warp, uint64_t lanes, bool write, bool far)
{
	uint64_t address[4];
	uint32_t value[4];

	for (uint32_t i = 0; i < 4; i++) {
		address[i] = 256 * (uint64_t)far + 4 * i;
		value[i] = 10 * warp + i;
	}
	if (write)
		ck_assert_int_ge(gputm_tx_log_append_write(core->log[warp], lanes, address, value),
				 0);
	else
		ck_assert_int_ge(gputm_tx_log_append_read(core->log[warp], lanes, address, value),
				 0);
}

static void begin(struct core *core, uint32_t warp, uint64_t lanes)
{
	ck_assert_int_eq(gputm_commit_sequencer_begin_probe(core->seq, warp, lanes), OK);
	ck_assert_int_eq(gputm_commit_sequencer_begin(core->seq, warp, lanes), OK);
}

static void grant(struct core *core, uint32_t warp, uint32_t count, uint64_t first_cid)
{
	uint32_t who = 99, many = 99;

	ck_assert(gputm_commit_sequencer_wants(core->seq, &who, &many));
	ck_assert_uint_eq(who, warp);
	ck_assert_uint_eq(many, count);
	ck_assert_int_eq(gputm_commit_sequencer_grant(core->seq, first_cid), 0);
}

static int push(struct core *core, uint32_t partition, uint32_t kind, uint32_t purpose,
		uint64_t first_cid, uint32_t lanes, uint64_t mask, uint64_t yes)
{
	struct gputm_commit_report report = { kind, purpose, first_cid, lanes, mask, yes };
	int probe = gputm_commit_sequencer_push_probe(core->seq, partition, &report);

	ck_assert_int_eq(gputm_commit_sequencer_push(core->seq, partition, &report), probe);
	return probe;
}

static void outcome(struct core *core, uint32_t partition, uint64_t first_cid, uint32_t lanes,
		    uint64_t mask, uint64_t yes)
{
	int result = push(core, partition, GPUTM_COMMIT_OUTCOME, 0, first_cid, lanes, mask, yes);

	ck_assert_int_eq(result, OK);
}

static void retire(struct core *core, uint32_t partition, uint64_t first_cid, uint32_t lanes)
{
	ck_assert_int_eq(push(core, partition, GPUTM_COMMIT_RETIRED, 0, first_cid, lanes,
			      (UINT64_C(1) << lanes) - 1, 0),
			 OK);
}

/* Tick, and let the network take what it can, which must be this. */
static struct gputm_commit_message message;

static void takes(struct core *core, uint32_t partition, uint32_t kind, uint64_t mask, uint64_t yes,
		  uint32_t words)
{
	uint32_t to = 99;

	ck_assert(gputm_commit_sequencer_peek(core->seq, &to, &message));
	ck_assert_uint_eq(to, partition);
	ck_assert_uint_eq(message.kind, kind);
	ck_assert_uint_eq(message.mask, mask);
	ck_assert_uint_eq(message.yes, yes);
	ck_assert_uint_eq(message.words, words);
	ck_assert(gputm_commit_sequencer_pop(core->seq));
	ck_assert(!gputm_commit_sequencer_pop(core->seq));
	ck_assert(!gputm_commit_sequencer_peek(core->seq, &to, NULL));
}

static void tick(struct core *core)
{
	gputm_commit_sequencer_tick(core->seq);
	kit_valid(gputm_commit_sequencer_unit(core->seq));
}

static void quiet_tick(struct core *core)
{
	uint32_t to;

	tick(core);
	ck_assert(!gputm_commit_sequencer_peek(core->seq, &to, NULL));
}

/* Let all packets go. */
static void flush(struct core *core)
{
	for (unsigned i = 0; i < 100; i++) {
		tick(core);
		gputm_commit_sequencer_pop(core->seq);
	}
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core->seq), UINT64_MAX);
}

static bool done(struct core *core, uint32_t warp, uint64_t pass, uint64_t fail)
{
	struct gputm_commit_sequencer_done out;

	if (!gputm_commit_sequencer_pop_done(core->seq, &out))
		return false;
	ck_assert_uint_eq(out.warp, warp);
	ck_assert_uint_eq(out.pass, pass);
	ck_assert_uint_eq(out.fail, fail);
	return true;
}

static bool retired(struct core *core, uint32_t warp, uint64_t first_cid, uint32_t count)
{
	struct gputm_commit_sequencer_retired out;

	if (!gputm_commit_sequencer_pop_retired(core->seq, &out))
		return false;
	ck_assert_uint_eq(out.warp, warp);
	ck_assert_uint_eq(out.first_cid, first_cid);
	ck_assert_uint_eq(out.count, count);
	return true;
}

/* ---- life ---- */

START_TEST(test_commit_sequencer_life)
{
	kit_common(&commit_sequencer_maker);
}
END_TEST

START_TEST(test_commit_sequencer_config_relations)
{
	struct gputm_tx_log_config log_config = GPUTM_TX_LOG_CONFIG_INIT;
	const struct gputm_tx_log *logs[4] = { NULL };
	struct gputm_commit_sequencer *seq = NULL;
	struct gputm_tx_log *log = NULL;
	struct core core;
	struct kit kit;

	kit_open(&kit);
	core_config(&core);
	core.config.mode = GPUTM_COMMIT_SEQUENCER_WARP;
	ck_assert_int_eq(gputm_commit_sequencer_new(kit.ctx, &core.config, &seq), -EINVAL);
	kit_said(&kit, "mode = warp", "intra_warp_resolved", NULL);
	core_config(&core);
	core.config.output_packets = 1;
	ck_assert_int_eq(gputm_commit_sequencer_new(kit.ctx, &core.config, &seq), -EINVAL);
	kit_said(&kit, "output_packets = 1", "2", NULL);
	core.config.pack = GPUTM_COMMIT_SEQUENCER_PACK_NONE;
	core.config.output_packets = 3;
	ck_assert_int_eq(gputm_commit_sequencer_new(kit.ctx, &core.config, &seq), -EINVAL);
	core_config(&core);
	ck_assert_int_eq(gputm_tx_log_new(kit.ctx, &log_config, &log), 0);
	logs[2] = log;
	core.config.logs = logs;
	ck_assert_int_eq(gputm_commit_sequencer_new(kit.ctx, &core.config, &seq), -EINVAL);
	kit_said(&kit, "lanes = 32, partitions = 6", "4 and 2", NULL);
	ck_assert_ptr_null(seq);
	core.config.logs = NULL;
	core.config.output_packets = 2;
	ck_assert_int_eq(gputm_commit_sequencer_new(kit.ctx, &core.config, &seq), 0);
	ck_assert_int_eq(gputm_commit_sequencer_attach(seq, 0, log), -EINVAL);
	ck_assert_int_eq(gputm_commit_sequencer_attach(seq, 4, NULL), -ERANGE);
	kit_said(&kit, "warp = 4", "0 .. 3", NULL);
	ck_assert_int_eq(gputm_commit_sequencer_begin(seq, 0, 1), -EINVAL);
	kit_said(&kit, "warp 0 has no log", NULL);
	gputm_commit_sequencer_free(seq);
	gputm_tx_log_free(log);
	kit_close(&kit);
}
END_TEST

/* ---- timetable ---- */

/* Two read rows, one of them for both partitions, and a write row. */
START_TEST(test_timing_log_walk)
{
	struct core core;
	uint32_t warp, count;

	core_config(&core);
	core_open(&core);
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
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_READ_LOG, 0xf, 0, 4);
	ck_assert_uint_eq(message.first_cid, 20);
	ck_assert_uint_eq(message.lanes, 4);
	ck_assert_uint_eq(message.word[3].address, 12);
	ck_assert_uint_eq(message.word[3].value, 13);
	ck_assert_uint_eq(message.word[3].lane, 3);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_READ_LOG, 0x2, 0, 1);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_WRITE_LOG, 0x6, 0, 2);
	tick(&core);
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core.seq), UINT64_MAX);
	takes(&core, 0, GPUTM_COMMIT_DONE, 0xf, 0xf, 0);
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core.seq), 0);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_DONE, 0xf, 0x6, 0);
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core.seq), UINT64_MAX);
	quiet_tick(&core);
	ck_assert_uint_eq(stat(&core, "rows_walked"), 3);
	core_close(&core);
}
END_TEST

/* Lanes 1 and 3 commit: they are CIDs 0 and 1 of the message. */
START_TEST(test_timing_lanes_become_cids)
{
	struct core core;

	core_config(&core);
	core_open(&core);
	access(&core, 0, 0xf, false, false);
	begin(&core, 0, 0xa);
	grant(&core, 0, 2, 7);
	quiet_tick(&core);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_READ_LOG, 0x3, 0, 2);
	ck_assert_uint_eq(message.word[0].address, 4);
	ck_assert_uint_eq(message.word[0].lane, 0);
	ck_assert_uint_eq(message.word[1].address, 12);
	ck_assert_uint_eq(message.word[1].lane, 1);
	flush(&core);
	outcome(&core, 0, 7, 2, 0x3, 0x1);
	flush(&core);
	ck_assert(done(&core, 0, 0x2, 0x8));
	retire(&core, 0, 7, 2);
	retire(&core, 1, 7, 2);
	ck_assert(retired(&core, 0, 7, 2));
	core_close(&core);
}
END_TEST

START_TEST(test_timing_done_fill_per_lane)
{
	struct core core;

	core_config(&core);
	core.config.pack_done = false;
	core_open(&core);
	access(&core, 0, 0x3, false, true);
	begin(&core, 0, 0x3);
	grant(&core, 0, 2, 0);
	quiet_tick(&core);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_READ_LOG, 0x3, 0, 2);
	tick(&core);
	ck_assert_uint_eq(stat(&core, "packets"), 3);
	takes(&core, 0, GPUTM_COMMIT_DONE, 0x1, 0, 0);
	tick(&core);
	ck_assert_uint_eq(stat(&core, "packets"), 5);
	takes(&core, 1, GPUTM_COMMIT_DONE, 0x1, 0x1, 0);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_DONE, 0x2, 0, 0);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_DONE, 0x2, 0x2, 0);
	core_close(&core);
}
END_TEST

START_TEST(test_timing_entries_for_themselves)
{
	struct core core;

	core_config(&core);
	core.config.pack = GPUTM_COMMIT_SEQUENCER_PACK_NONE;
	core_open(&core);
	access(&core, 0, 0x5, true, true);
	begin(&core, 0, 0x5);
	grant(&core, 0, 2, 0);
	quiet_tick(&core);
	tick(&core);
	ck_assert_uint_eq(stat(&core, "packets"), 2);
	takes(&core, 1, GPUTM_COMMIT_WRITE_LOG, 0x1, 0, 1);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_WRITE_LOG, 0x2, 0, 1);
	ck_assert_uint_eq(message.word[0].address, 0x108);
	core_close(&core);
}
END_TEST

/* One warp up to the point where it waits for outcomes; CIDs from first_cid. */
static void filled(struct core *core, uint32_t warp, uint32_t count, uint64_t first_cid)
{
	begin(core, warp, (UINT64_C(1) << count) - 1);
	grant(core, warp, count, first_cid);
	flush(core);
	ck_assert(!done(core, warp, 0, 0));
}

/* A lane that only reads is done with its verdict, one tick after its last outcome. */
START_TEST(test_timing_verdict_and_read_only_done)
{
	struct core core;

	core_config(&core);
	core_open(&core);
	access(&core, 0, 0x1, false, false);
	access(&core, 0, 0x1, false, true);
	filled(&core, 0, 1, 5);
	outcome(&core, 1, 5, 1, 1, 1);
	quiet_tick(&core);
	outcome(&core, 0, 5, 1, 1, 1);
	ck_assert(!done(&core, 0, 1, 0));
	tick(&core);
	ck_assert(done(&core, 0, 1, 0));
	takes(&core, 0, GPUTM_COMMIT_VERDICT, 1, 1, 0);
	retire(&core, 0, 5, 1);
	retire(&core, 1, 5, 1);
	ck_assert(!retired(&core, 0, 5, 1)); /* its verdict has not left */
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_VERDICT, 1, 1, 0);
	ck_assert(retired(&core, 0, 5, 1));
	ck_assert(!retired(&core, 0, 5, 1));
	core_close(&core);
}
END_TEST

/* A lane that writes is done when the partitions with its writes have retired it. */
START_TEST(test_timing_done_with_retirement_of_writes)
{
	struct core core;

	core_config(&core);
	core_open(&core);
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
	ck_assert_uint_eq(stat(&core, "passed"), 1);
	ck_assert_uint_eq(stat(&core, "failed"), 1);
	core_close(&core);
}
END_TEST

/* Failed lanes wait for no retirement: nothing of theirs is written. */
START_TEST(test_timing_failed_writers_are_done_at_once)
{
	struct core core;

	core_config(&core);
	core_open(&core);
	access(&core, 0, 0x1, true, true);
	filled(&core, 0, 1, 5);
	outcome(&core, 1, 5, 1, 1, 0);
	tick(&core);
	ck_assert(done(&core, 0, 0, 1));
	core_close(&core);
}
END_TEST

/* Scalar: the verdict of a lane does not wait for the others, for it may hold them up. */
START_TEST(test_timing_scalar_verdicts_one_by_one)
{
	struct core core;

	core_config(&core);
	core_open(&core);
	access(&core, 0, 0xf, true, false);
	filled(&core, 0, 4, 5);
	outcome(&core, 0, 5, 4, 0x1, 0x1);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_VERDICT, 0x1, 0x1, 0);
	outcome(&core, 0, 5, 4, 0x6, 0x2);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_VERDICT, 0x2, 0x2, 0);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_VERDICT, 0x4, 0, 0);
	quiet_tick(&core);
	core_close(&core);
}
END_TEST

START_TEST(test_timing_scalar_verdicts_packed)
{
	struct core core;

	core_config(&core);
	core.config.pack_verdict = true;
	core_open(&core);
	access(&core, 0, 0xf, true, false);
	filled(&core, 0, 4, 5);
	outcome(&core, 0, 5, 4, 0x7, 0x5);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_VERDICT, 0x7, 0x5, 0);
	outcome(&core, 0, 5, 4, 0x8, 0x8);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_VERDICT, 0x8, 0x8, 0);
	core_close(&core);
}
END_TEST

START_TEST(test_timing_warp_verdict_waits_for_all)
{
	struct core core;

	core_config(&core);
	core.config.mode = GPUTM_COMMIT_SEQUENCER_WARP;
	core.config.intra_warp_resolved = true;
	core_open(&core);
	access(&core, 0, 0x3, true, false);
	access(&core, 0, 0xc, false, true);
	filled(&core, 0, 4, 5);
	outcome(&core, 0, 5, 4, 0x3, 0x2);
	quiet_tick(&core);
	outcome(&core, 1, 5, 4, 0xc, 0xc);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_VERDICT, 0x3, 0x2, 0);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_VERDICT, 0xc, 0xc, 0);
	retire(&core, 0, 5, 4);
	ck_assert(done(&core, 0, 0xe, 0x1));
	core_close(&core);
}
END_TEST

START_TEST(test_timing_resend)
{
	struct core core;

	core_config(&core);
	core_open(&core);
	access(&core, 0, 0x3, false, false);
	access(&core, 0, 0x2, false, true);
	access(&core, 0, 0x2, false, false);
	access(&core, 0, 0x2, true, false);
	filled(&core, 0, 2, 5);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, GPUTM_COMMIT_FOR_HAZARD, 5, 2, 2, 0),
			 OK);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_RESENT, 0x2, 0, 1);
	ck_assert_uint_eq(message.purpose, GPUTM_COMMIT_FOR_HAZARD);
	quiet_tick(&core); /* the row of partition 1 */
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_RESENT, 0x2, 0, 1);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_RESENT_DONE, 0x2, 0, 0);
	ck_assert_uint_eq(message.purpose, GPUTM_COMMIT_FOR_HAZARD);
	quiet_tick(&core);
	outcome(&core, 0, 5, 2, 0x3, 0x3);
	outcome(&core, 1, 5, 2, 0x2, 0x2);
	flush(&core);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, GPUTM_COMMIT_FOR_COMMIT, 5, 2, 2, 0),
			 OK);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_RESENT, 0x2, 0, 1);
	ck_assert_uint_eq(message.word[0].value, 1);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_RESENT_DONE, 0x2, 0, 0);
	ck_assert_uint_eq(message.purpose, GPUTM_COMMIT_FOR_COMMIT);
	ck_assert_uint_eq(stat(&core, "resends"), 2);
	core_close(&core);
}
END_TEST

/* One row in the L1 share: after the second the walk waits, and the next warp goes on. */
START_TEST(test_timing_spilled_row)
{
	struct core core;

	core_config(&core);
	core.config.spilled_row_cycles = 3;
	core_open(&core);
	for (unsigned i = 0; i < 3; i++)
		access(&core, 0, 0x1, false, false);
	begin(&core, 0, 0x1);
	grant(&core, 0, 1, 0);
	quiet_tick(&core);
	for (unsigned i = 0; i < 2; i++) {
		tick(&core);
		takes(&core, 0, GPUTM_COMMIT_READ_LOG, 0x1, 0, 1);
	}
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core.seq), 3);
	access(&core, 1, 0x1, false, true);
	begin(&core, 1, 0x1);
	grant(&core, 1, 1, 1);
	quiet_tick(&core);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_READ_LOG, 0x1, 0, 1);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_DONE, 0x1, 0, 0);
	ck_assert_uint_eq(message.first_cid, 1);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_DONE, 0x1, 0x1, 0);
	ck_assert_uint_eq(stat(&core, "rows_walked"), 4);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_READ_LOG, 0x1, 0, 1);
	ck_assert_uint_eq(stat(&core, "spilled_rows"), 2);
	core_close(&core);
}
END_TEST

/* The oldest CIDs are walked first; a verdict goes before them. */
START_TEST(test_timing_order_of_steps)
{
	struct core core;

	core_config(&core);
	core_open(&core);
	access(&core, 0, 0x1, true, false);
	filled(&core, 0, 1, 0);
	access(&core, 1, 0x1, false, true);
	access(&core, 2, 0x1, false, false);
	begin(&core, 1, 0x1);
	begin(&core, 2, 0x1);
	grant(&core, 1, 1, 1);
	grant(&core, 2, 1, 2);
	quiet_tick(&core);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, GPUTM_COMMIT_FOR_RECORD, 0, 1, 1, 0),
			 OK);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_RESENT, 0x1, 0, 1);
	outcome(&core, 0, 0, 1, 1, 1);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_VERDICT, 0x1, 0x1, 0);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_RESENT_DONE, 0x1, 0, 0);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_READ_LOG, 0x1, 0, 1);
	ck_assert_uint_eq(message.first_cid, 1);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_DONE, 0x1, 0, 0);
	tick(&core);
	takes(&core, 1, GPUTM_COMMIT_DONE, 0x1, 0x1, 0);
	tick(&core);
	takes(&core, 0, GPUTM_COMMIT_READ_LOG, 0x1, 0, 1);
	ck_assert_uint_eq(message.first_cid, 2);
	core_close(&core);
}
END_TEST

/* Two packets of room: the second step finds one and waits. */
START_TEST(test_timing_stall_without_room)
{
	struct core core;

	core_config(&core);
	core.config.output_packets = 2;
	core_open(&core);
	access(&core, 0, 0x1, false, false);
	begin(&core, 0, 0x1);
	grant(&core, 0, 1, 0);
	tick(&core);
	tick(&core);
	ck_assert_uint_eq(stat(&core, "packets"), 1);
	tick(&core);
	tick(&core);
	ck_assert_uint_eq(stat(&core, "packets"), 1);
	ck_assert_uint_eq(stat(&core, "stalls"), 2);
	takes(&core, 0, GPUTM_COMMIT_READ_LOG, 0x1, 0, 1);
	tick(&core);
	ck_assert_uint_eq(stat(&core, "packets"), 3);
	ck_assert_uint_eq(stat(&core, "max_packets"), 2);
	core_close(&core);
}
END_TEST

/* ---- other rules ---- */

START_TEST(test_commit_sequencer_empty_logs_pass_without_cid)
{
	uint32_t warp, count;
	struct core core;

	core_config(&core);
	core_open(&core);
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
	ck_assert_uint_eq(stat(&core, "without_cid"), 3);
	ck_assert_uint_eq(stat(&core, "transactions"), 4);
	core_close(&core);
}
END_TEST

/* A warp may begin again while partitions still retire its last commit. */
START_TEST(test_commit_sequencer_slots_are_tight)
{
	struct core core;

	core_config(&core);
	core.config.slots = 2;
	core_open(&core);
	access(&core, 0, 0x1, false, false);
	filled(&core, 0, 1, 0);
	outcome(&core, 0, 0, 1, 1, 1);
	flush(&core);
	ck_assert_int_eq(gputm_commit_sequencer_begin(core.seq, 0, 0x1), -EINVAL);
	kit_said(&core.kit, "warp 0 commits already", NULL);
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
	ck_assert_uint_eq(stat(&core, "max_slots"), 2);
	core_close(&core);
}
END_TEST

START_TEST(test_commit_sequencer_resend_requests_are_tight)
{
	struct core core;

	core_config(&core);
	core.config.resend_requests = 1;
	core_open(&core);
	access(&core, 0, 0x3, false, false);
	filled(&core, 0, 2, 0);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, 0, 0, 2, 1, 0), OK);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, 0, 0, 2, 2, 0), BUSY);
	tick(&core);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, 0, 0, 2, 2, 0), BUSY);
	tick(&core);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, 0, 0, 2, 2, 0), OK);
	core_close(&core);
}
END_TEST

START_TEST(test_commit_sequencer_refusals_change_nothing)
{
	struct core core;
	uint64_t digest;

	core_config(&core);
	core_open(&core);
	ck_assert_int_eq(gputm_commit_sequencer_grant(core.seq, 0), -EINVAL);
	access(&core, 0, 0x3, false, false);
	access(&core, 0, 0x1, true, false);
	filled(&core, 0, 2, 8);
	begin(&core, 1, 0x1);
	ck_assert(done(&core, 1, 0x1, 0));
	access(&core, 1, 0x1, false, false);
	begin(&core, 1, 0x1);
	digest = kit_digest(gputm_commit_sequencer_unit(core.seq));
	ck_assert_int_eq(gputm_commit_sequencer_grant(core.seq, 9), -EINVAL);
	kit_said(&core.kit, "first_cid = 9", "at least 10", NULL);
	ck_assert_int_eq(gputm_commit_sequencer_begin(core.seq, 4, 1), -ERANGE);
	ck_assert_int_eq(gputm_commit_sequencer_begin(core.seq, 2, 0x10), -ERANGE);
	ck_assert_int_eq(gputm_commit_sequencer_begin(core.seq, 2, 0), -EINVAL);
	ck_assert_int_eq(gputm_commit_sequencer_attach(core.seq, 0, NULL), -EINVAL);
	ck_assert_int_eq(push(&core, 2, GPUTM_COMMIT_OUTCOME, 0, 8, 2, 1, 1), -ERANGE);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_OUTCOME, 0, 9, 2, 1, 1), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_OUTCOME, 0, 8, 1, 1, 1), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_OUTCOME, 0, 8, 2, 0, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_OUTCOME, 0, 8, 2, 4, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_OUTCOME, 0, 8, 2, 1, 3), -EINVAL);
	ck_assert_int_eq(push(&core, 1, GPUTM_COMMIT_OUTCOME, 0, 8, 2, 1, 1), -EINVAL);
	kit_said(&core.kit, "outcome of first CID 8", NULL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RETIRED, 0, 8, 2, 3, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, 0, 8, 2, 3, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 1, GPUTM_COMMIT_RESEND, 0, 8, 2, 1, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, 4, 8, 2, 1, 0), -EINVAL);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, GPUTM_COMMIT_FOR_COMMIT, 8, 2, 1, 0),
			 -EINVAL);
	ck_assert_int_eq(push(&core, 0, 3, 0, 8, 2, 1, 0), -EINVAL);
	ck_assert_uint_eq(kit_digest(gputm_commit_sequencer_unit(core.seq)), digest);
	outcome(&core, 0, 8, 2, 1, 1);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_OUTCOME, 0, 8, 2, 1, 1), -EINVAL);
	ck_assert_int_eq(gputm_commit_sequencer_grant(core.seq, 10), 0);
	core_close(&core);
}
END_TEST

/* protocols: min(500 x aborts, 5000), maximum over the lanes; watchdog above 100,000. */
START_TEST(test_commit_sequencer_backoff_and_watchdog)
{
	static const uint32_t aborts[4] = { 1, 9, 10, 4000000000u };
	struct core core;

	core_config(&core);
	core_open(&core);
	ck_assert_uint_eq(gputm_commit_sequencer_backoff(core.seq, 0, aborts), 0);
	ck_assert_uint_eq(gputm_commit_sequencer_backoff(core.seq, 0x1, aborts), 500);
	ck_assert_uint_eq(gputm_commit_sequencer_backoff(core.seq, 0x3, aborts), 4500);
	ck_assert_uint_eq(gputm_commit_sequencer_backoff(core.seq, 0x7, aborts), 5000);
	ck_assert_uint_eq(gputm_commit_sequencer_backoff(core.seq, 0x1f, aborts), 5000);
	ck_assert(!gputm_commit_sequencer_overdue(core.seq, 100000));
	ck_assert(gputm_commit_sequencer_overdue(core.seq, 100001));
	core_close(&core);
	core_config(&core);
	core.config.watchdog_cycles = 0;
	core_open(&core);
	ck_assert(!gputm_commit_sequencer_overdue(core.seq, UINT64_MAX));
	core_close(&core);
}
END_TEST

static void count_event(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	unsigned *seen = state;

	ck_assert_str_eq(gputm_unit_kind(unit), "commit_sequencer");
	seen[event->kind]++;
}

START_TEST(test_commit_sequencer_tells_its_observer)
{
	static const unsigned expected[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	unsigned seen[8] = { 0 };
	struct core core;

	core_config(&core);
	core_open(&core);
	gputm_unit_observe(gputm_commit_sequencer_unit(core.seq), count_event, seen);
	access(&core, 0, 0x1, false, false);
	filled(&core, 0, 1, 0);
	ck_assert_int_eq(push(&core, 0, GPUTM_COMMIT_RESEND, 0, 0, 1, 1, 0), OK);
	flush(&core);
	outcome(&core, 0, 0, 1, 1, 1);
	flush(&core);
	ck_assert(done(&core, 0, 1, 0));
	retire(&core, 0, 0, 1);
	retire(&core, 1, 0, 1);
	ck_assert_mem_eq(seen, expected, sizeof(seen));
	core_close(&core);
}
END_TEST

/* ---- random against the oracle ---- */

#define WARPS 4

static const struct shape {
	uint32_t lanes, partitions, mode, pack, pack_done, pack_verdict;
	uint32_t slots, output_packets, resend_requests, spilled_row_cycles;
} shapes[] = {
	{ 8, 6, 0, 1, 1, 0, 6, 16, 4, 0 }, { 8, 3, 1, 1, 1, 1, 8, 4, 4, 2 },
	{ 4, 2, 0, 0, 0, 0, 3, 4, 1, 5 },  { 5, 8, 0, 1, 0, 1, 16, 64, 64, 1 },
	{ 1, 1, 1, 0, 0, 0, 2, 1, 1, 3 },
};

struct world {
	struct kit kit;
	struct gputm_commit_sequencer *seq;
	struct gputm_tx_log *log[WARPS];
	struct oracle_tx_log mirror[WARPS];
	bool busy[WARPS];
	uint64_t want[WARPS], with_cid[WARPS]; /* lanes that began, and that need a CID */
	uint32_t slots, in_use;
	struct oracle_commit_sequencer oracle;
	uint64_t random, next_cid, cids;
};

static struct gputm_unit *unit_of(const struct world *w)
{
	return gputm_commit_sequencer_unit(w->seq);
}

static void world_open(struct world *w, const struct shape *shape, uint64_t seed)
{
	struct gputm_commit_sequencer_config config = GPUTM_COMMIT_SEQUENCER_CONFIG_INIT;
	struct gputm_tx_log_config log_config = GPUTM_TX_LOG_CONFIG_INIT;

	memset(w, 0, sizeof(*w));
	kit_open(&w->kit);
	w->random = seed;
	w->slots = shape->slots;
	config.warps = WARPS;
	config.lanes = log_config.lanes = shape->lanes;
	config.partitions = log_config.partitions = shape->partitions;
	config.mode = shape->mode;
	config.intra_warp_resolved = shape->mode;
	config.pack = shape->pack;
	config.pack_done = shape->pack_done;
	config.pack_verdict = shape->pack_verdict;
	config.slots = shape->slots;
	config.output_packets = shape->output_packets;
	config.resend_requests = shape->resend_requests;
	config.spilled_row_cycles = shape->spilled_row_cycles;
	log_config.l1_rows = 2;
	for (unsigned i = 0; i < WARPS; i++) {
		ck_assert_int_eq(gputm_tx_log_new(w->kit.ctx, &log_config, &w->log[i]), 0);
		oracle_tx_log_init(&w->mirror[i], shape->lanes, shape->partitions, 256);
	}
	config.logs = (const struct gputm_tx_log *const *)w->log;
	ck_assert_int_eq(gputm_commit_sequencer_new(w->kit.ctx, &config, &w->seq), 0);
	oracle_commit_sequencer_init(&w->oracle, shape->partitions, shape->mode);
}

static void world_close(struct world *w)
{
	gputm_commit_sequencer_free(w->seq);
	for (unsigned i = 0; i < WARPS; i++)
		gputm_tx_log_free(w->log[i]);
	kit_close(&w->kit);
}

static uint64_t below(struct world *w, uint64_t limit)
{
	return kit_below(&w->random, limit);
}

static void fill_logs(struct world *w, unsigned warp)
{
	uint64_t all = (UINT64_C(1) << w->mirror[warp].lanes) - 1, address[ORACLE_SEQ_LANES];
	uint32_t value[ORACLE_SEQ_LANES];

	ck_assert_int_eq(gputm_tx_log_restart(w->log[warp], all), 0);
	oracle_tx_log_restart(&w->mirror[warp], all);
	for (uint64_t rows = below(w, 7); rows; rows--) {
		uint64_t mask = kit_random(&w->random) & kit_random(&w->random) & all;
		unsigned kind = (unsigned)below(w, 2);

		for (unsigned i = 0; i < ORACLE_SEQ_LANES; i++) {
			address[i] = below(w, 1024) << 2;
			value[i] = (uint32_t)kit_random(&w->random);
		}
		ck_assert(oracle_tx_log_append(&w->mirror[warp], kind, mask, address, value));
		if (kind)
			ck_assert_int_ge(gputm_tx_log_append_write(w->log[warp], mask, address,
								   value), 0);
		else
			ck_assert_int_ge(gputm_tx_log_append_read(w->log[warp], mask, address,
								  value), 0);
	}
}

static void try_begin(struct world *w)
{
	unsigned warp = (unsigned)below(w, WARPS);
	uint64_t lanes = 0;
	int result;

	if (w->busy[warp])
		return;
	fill_logs(w, warp);
	while (!lanes)
		lanes = below(w, UINT64_C(1) << w->mirror[warp].lanes);
	result = gputm_commit_sequencer_begin_probe(w->seq, (uint32_t)warp, lanes);
	ck_assert_int_eq(result, w->in_use < w->slots ? OK : BUSY);
	ck_assert_int_eq(gputm_commit_sequencer_begin(w->seq, (uint32_t)warp, lanes), result);
	if (result != OK)
		return;
	w->busy[warp] = true;
	w->in_use++;
	w->want[warp] = lanes;
	w->with_cid[warp] = 0;
	for (unsigned i = 0; i < w->mirror[warp].count; i++)
		if (lanes >> w->mirror[warp].entry[i].lane & 1)
			w->with_cid[warp] |= UINT64_C(1) << w->mirror[warp].entry[i].lane;
}

static void try_grant(struct world *w)
{
	uint32_t warp, count;

	if (!gputm_commit_sequencer_wants(w->seq, &warp, &count))
		return;
	ck_assert_uint_eq(count, (unsigned)__builtin_popcountll(w->with_cid[warp]));
	w->next_cid += below(w, 3) ? 0 : below(w, 100);
	ck_assert_int_eq(gputm_commit_sequencer_grant(w->seq, w->next_cid), 0);
	oracle_commit_sequencer_begin(&w->oracle, warp, w->next_cid, w->with_cid[warp],
				      &w->mirror[warp]);
	w->next_cid += count;
	w->cids += count;
}

static void try_pop(struct world *w)
{
	const char *wrong;
	uint32_t partition;

	if (!gputm_commit_sequencer_peek(w->seq, &partition, &message))
		return;
	wrong = oracle_commit_sequencer_message(&w->oracle, partition, &message);
	ck_assert_msg(!wrong, "%s", wrong);
	ck_assert(gputm_commit_sequencer_pop(w->seq));
}

static void try_report(struct world *w)
{
	struct gputm_commit_report report;
	uint64_t pick = kit_random(&w->random);
	unsigned partition;
	int result;

	if (!oracle_commit_sequencer_report(&w->oracle, pick, &partition, &report))
		return;
	result = gputm_commit_sequencer_push_probe(w->seq, partition, &report);
	ck_assert_int_eq(gputm_commit_sequencer_push(w->seq, partition, &report), result);
	ck_assert_msg(result == OK || (result == BUSY && report.kind == GPUTM_COMMIT_RESEND), "%s",
		      w->kit.message);
	if (result == OK)
		oracle_commit_sequencer_sent(&w->oracle, partition, &report);
}

static void try_done(struct world *w)
{
	struct gputm_commit_sequencer_done out;
	const char *wrong = NULL;
	uint64_t failed = 0;

	if (!gputm_commit_sequencer_pop_done(w->seq, &out))
		return;
	ck_assert(w->busy[out.warp]);
	ck_assert_uint_eq(out.with_cid, w->with_cid[out.warp]);
	if (out.with_cid)
		wrong = oracle_commit_sequencer_done(&w->oracle, out.first_cid, &failed);
	else
		w->in_use--;
	ck_assert_msg(!wrong, "%s", wrong);
	ck_assert_uint_eq(out.fail, failed);
	ck_assert_uint_eq(out.pass, w->want[out.warp] & ~failed);
	w->busy[out.warp] = false;
}

static void try_retired(struct world *w)
{
	struct gputm_commit_sequencer_retired out;
	const char *wrong;

	if (!gputm_commit_sequencer_pop_retired(w->seq, &out))
		return;
	wrong = oracle_commit_sequencer_retired(&w->oracle, out.first_cid, out.count);
	ck_assert_msg(!wrong, "%s", wrong);
	w->in_use--;
}

/* n ticks, and a twin that advances by n from the same snapshot: the same bytes. */
static void compare_advance(struct world *w)
{
	static uint8_t image[1 << 16];
	size_t size = gputm_unit_save(unit_of(w), image, sizeof(image));
	uint64_t n = below(w, 12), ahead = gputm_commit_sequencer_next_event(w->seq);
	uint64_t packets = kit_stat(unit_of(w), "packets");
	struct gputm_unit *twin = NULL;

	ck_assert_uint_le(size, sizeof(image));
	commit_sequencer_make(w->kit.ctx, gputm_unit_config(unit_of(w)), &twin);
	ck_assert_ptr_nonnull(twin);
	ck_assert_int_eq(gputm_unit_load(twin, image, size), 0);
	gputm_commit_sequencer_advance((struct gputm_commit_sequencer *)(void *)twin, n);
	for (uint64_t i = 0; i < n; i++) {
		gputm_commit_sequencer_tick(w->seq);
		if (i < ahead)
			ck_assert_uint_eq(kit_stat(unit_of(w), "packets"), packets);
		if (i + 1 < ahead && ahead != UINT64_MAX)
			ck_assert_uint_eq(gputm_commit_sequencer_next_event(w->seq), ahead - i - 1);
	}
	ck_assert_uint_eq(kit_digest(unit_of(w)), kit_digest(twin));
	commit_sequencer_destroy(twin);
}

static void step(struct world *w, bool begins)
{
	switch (below(w, 8)) {
	case 0:
		if (begins)
			try_begin(w);
		break;
	case 1:
		try_grant(w);
		break;
	case 2:
	case 3:
		try_pop(w);
		break;
	case 4:
		try_report(w);
		break;
	case 5:
		try_done(w);
		try_retired(w);
		break;
	default:
		gputm_commit_sequencer_tick(w->seq);
	}
	kit_valid(unit_of(w));
}

static void swap(struct world *w)
{
	struct gputm_unit *other = kit_swap(&commit_sequencer_maker, &w->kit, unit_of(w));

	w->seq = (struct gputm_commit_sequencer *)(void *)other;
}

START_TEST(test_commit_sequencer_random_against_oracle)
{
	static struct world w;
	unsigned steps = kit_scale(20000, 800), left = 400000;

	world_open(&w, &shapes[_i], 41 + (uint64_t)_i);
	for (unsigned i = 0; i < steps; i++) {
		step(&w, true);
		if (below(&w, 200) == 0)
			swap(&w);
		if (below(&w, 100) == 0)
			compare_advance(&w);
	}
	kit_hostile(&commit_sequencer_maker, unit_of(&w));
	while (w.in_use && left--)
		step(&w, false);
	ck_assert_uint_eq(w.in_use, 0);
	ck_assert_uint_eq(oracle_commit_sequencer_live(&w.oracle), 0);
	ck_assert_uint_eq(kit_stat(unit_of(&w), "cids_granted"), w.cids);
	ck_assert_uint_eq(kit_stat(unit_of(&w), "cids_retired"), w.cids);
	ck_assert_uint_gt(kit_stat(unit_of(&w), "resends"), 0);
	ck_assert_uint_gt(kit_stat(unit_of(&w), "passed"), 0);
	ck_assert_uint_gt(kit_stat(unit_of(&w), "failed"), 0);
	world_close(&w);
}
END_TEST

static uint64_t digest_of_run(uint64_t seed)
{
	static struct world w;
	uint64_t digest;

	world_open(&w, &shapes[0], seed);
	for (unsigned i = 0; i < 500; i++)
		step(&w, true);
	digest = kit_digest(unit_of(&w));
	world_close(&w);
	return digest;
}

START_TEST(test_commit_sequencer_is_deterministic)
{
	ck_assert_uint_eq(digest_of_run(1), digest_of_run(1));
	ck_assert_uint_ne(digest_of_run(1), digest_of_run(2));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("commit_sequencer");
	TCase *tests = tcase_create("all");

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, test_commit_sequencer_life);
	tcase_add_test(tests, test_commit_sequencer_config_relations);
	tcase_add_test(tests, test_timing_log_walk);
	tcase_add_test(tests, test_timing_lanes_become_cids);
	tcase_add_test(tests, test_timing_done_fill_per_lane);
	tcase_add_test(tests, test_timing_entries_for_themselves);
	tcase_add_test(tests, test_timing_verdict_and_read_only_done);
	tcase_add_test(tests, test_timing_done_with_retirement_of_writes);
	tcase_add_test(tests, test_timing_failed_writers_are_done_at_once);
	tcase_add_test(tests, test_timing_scalar_verdicts_one_by_one);
	tcase_add_test(tests, test_timing_scalar_verdicts_packed);
	tcase_add_test(tests, test_timing_warp_verdict_waits_for_all);
	tcase_add_test(tests, test_timing_resend);
	tcase_add_test(tests, test_timing_spilled_row);
	tcase_add_test(tests, test_timing_order_of_steps);
	tcase_add_test(tests, test_timing_stall_without_room);
	tcase_add_test(tests, test_commit_sequencer_empty_logs_pass_without_cid);
	tcase_add_test(tests, test_commit_sequencer_slots_are_tight);
	tcase_add_test(tests, test_commit_sequencer_resend_requests_are_tight);
	tcase_add_test(tests, test_commit_sequencer_refusals_change_nothing);
	tcase_add_test(tests, test_commit_sequencer_backoff_and_watchdog);
	tcase_add_test(tests, test_commit_sequencer_tells_its_observer);
	tcase_add_loop_test(tests, test_commit_sequencer_random_against_oracle, 0,
			    (int)(sizeof(shapes) / sizeof(shapes[0])));
	tcase_add_test(tests, test_commit_sequencer_is_deterministic);
	suite_add_tcase(suite, tests);
	return kit_run(suite);
}
