/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commit_sequencer, 32 lanes and 6 partitions: a whole commit of a warp whose lanes read and
 * write one word each, from begin to retired, every tick, packet and report included;
 * per transaction. The bound walks the two rows, groups their words by partition and copies
 * them into messages, and touches a flag per lane and partition three times: done, outcome,
 * verdict. One lane in eight fails. A row of a log that is sent again is one of 60 that a lane
 * has read; its bound looks for the words of the partition and copies them.
 */
#include "tests/bench/bench.h"

#define LANES 32
#define PARTITIONS 6
#define ROWS 60 /* of a log that is sent again */

enum { SCALAR, WARP, RESEND };

struct core {
	struct gputm_commit_sequencer *seq;
	struct gputm_tx_log *log;
	uint64_t address[ROWS][LANES], random;
	uint32_t value[LANES];
	uint64_t touched[PARTITIONS], cid;
	struct gputm_commit_unit_message message;
	struct gputm_commit_unit_message packet[PARTITIONS];
	uint8_t flag[LANES][PARTITIONS];
};

BENCH_SETUP(setup, struct core *c)
{
	struct gputm_commit_sequencer_config config = GPUTM_COMMIT_SEQUENCER_CONFIG_INIT;

	if (given == WARP)
		bench_must(gputm_commit_sequencer_config_preset(&config, "warptm"));
	bench_must(gputm_tx_log_new(NULL, NULL, &c->log));
	bench_must(gputm_commit_sequencer_new(NULL, &config, &c->seq));
	for (unsigned row = 0; row < (given == RESEND ? ROWS : 1); row++) {
		for (unsigned i = 0; i < LANES; i++)
			c->address[row][i] = bench_next(&c->random) >> 40 << 2;
		bench_must(gputm_tx_log_append_read(c->log, UINT32_MAX, c->address[row], c->value));
	}
	if (gputm_tx_log_append_write(c->log, UINT32_MAX, c->address[0], c->value) < 0 ||
	    gputm_commit_sequencer_attach(c->seq, 0, c->log))
		abort();
}

static void report(struct core *c, uint32_t partition, uint32_t kind, uint64_t mask)
{
	uint64_t some = bench_next(&c->random) | bench_next(&c->random) | bench_next(&c->random);
	struct gputm_commit_unit_report r = {
		kind,  0,    c->cid,
		LANES, mask, kind == GPUTM_COMMIT_UNIT_REPORT_OUTCOME ? mask & some : 0
	};

	if (gputm_commit_sequencer_push(c->seq, partition, &r))
		abort();
}

static void drain(struct core *c)
{
	uint32_t partition;

	while (gputm_commit_sequencer_next_event(c->seq) == 0) {
		gputm_commit_sequencer_tick(c->seq);
		if (!gputm_commit_sequencer_peek(c->seq, &partition, &c->message))
			continue;
		if (c->message.kind == GPUTM_COMMIT_UNIT_MESSAGE_DONE)
			c->touched[partition] = c->message.yes;
		gputm_commit_sequencer_pop(c->seq);
	}
}

static void start(struct core *c)
{
	if (gputm_commit_sequencer_begin(c->seq, 0, UINT32_MAX) ||
	    gputm_commit_sequencer_grant(c->seq, c->cid))
		abort();
	drain(c);
}

static void commit(struct core *c, bool warp)
{
	struct gputm_commit_sequencer_retired retired;
	struct gputm_commit_sequencer_done done;

	start(c);
	for (uint32_t p = 0; p < PARTITIONS; p++)
		for (uint64_t m = c->touched[p]; m; m = warp ? 0 : m & (m - 1))
			report(c, p, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, warp ? m : m & -m);
	drain(c);
	for (uint32_t p = 0; p < PARTITIONS; p++)
		report(c, p, GPUTM_COMMIT_UNIT_REPORT_RETIRED, UINT32_MAX);
	if (!gputm_commit_sequencer_take_done(c->seq, &done) ||
	    !gputm_commit_sequencer_take_retired(c->seq, &retired))
		abort();
	c->cid += LANES;
}

BENCH_DO(run_scalar, struct core *c, commit(c, false))

BENCH_DO(run_warp, struct core *c, commit(c, true))

/* ---- a log that is sent again ---- */

BENCH_SETUP(setup_resend, struct core *c)
{
	setup(c, given);
	start(c);
}

BENCH_LOOP(resend, struct core *c)
{
	uint32_t p = (uint32_t)i % PARTITIONS, kind = GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, partition;
	uint64_t lane = c->touched[p] & UINT64_C(1) << bench_next(&c->random) % LANES;
	struct gputm_commit_unit_report r = { GPUTM_COMMIT_UNIT_REPORT_RESEND,
					      GPUTM_COMMIT_UNIT_PURPOSE_HAZARD,
					      c->cid,
					      LANES,
					      lane,
					      0 };

	if (!lane || gputm_commit_sequencer_push(c->seq, p, &r))
		abort();
	while (kind != GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE) {
		uint64_t quiet = gputm_commit_sequencer_next_offer(c->seq);

		if (quiet)
			gputm_commit_sequencer_advance(c->seq, quiet);
		gputm_commit_sequencer_tick(c->seq);
		if (!gputm_commit_sequencer_peek(c->seq, &partition, &c->message))
			continue;
		kind = c->message.kind;
		gputm_commit_sequencer_pop(c->seq);
	}
	return 0;
}

/* ---- bounds ---- */

BENCH_TIGHT static void tight_resend(struct core *c, unsigned partition, unsigned lane)
{
	c->packet[0].words = 0;
	for (unsigned row = 0; row < ROWS; row++) {
		struct gputm_commit_unit_word *word = &c->packet[0].word[c->packet[0].words];

		if ((uint32_t)c->address[row][lane] / 256 % PARTITIONS != partition)
			continue;
		word->address = c->address[row][lane];
		word->value = c->value[lane];
		word->lane = lane;
		c->packet[0].words++;
	}
	bench_clobber();
}

BENCH_DO(bound_resend, struct core *c,
	 tight_resend(c, (unsigned)(i % PARTITIONS), bench_next(&c->random) % LANES))

BENCH_TIGHT static void tight_commit(struct core *c)
{
	for (unsigned row = 0; row < 2; row++) {
		for (unsigned p = 0; p < PARTITIONS; p++)
			c->packet[p].words = 0;
		for (unsigned lane = 0; lane < LANES; lane++) {
			unsigned p = (uint32_t)c->address[0][lane] / 256 % PARTITIONS;
			struct gputm_commit_unit_word *word =
				&c->packet[p].word[c->packet[p].words++];

			word->address = c->address[0][lane];
			word->value = c->value[lane];
			word->lane = lane;
			c->flag[lane][p] = 1;
		}
	}
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned p = 0; p < PARTITIONS; p++)
			c->flag[lane][p] = c->flag[lane][p] ? 2 : 0;
}

BENCH_DO(bound, struct core *c, tight_commit(c))

#define CALL(verb) "gputm_commit_sequencer_" verb
#define INSIDE                                                                                     \
	CALL("begin")                                                                              \
	"," CALL("grant") "," CALL("tick") "," CALL("next_event") "," CALL("peek") "," CALL(       \
		"pop") "," CALL("push") "," CALL("take_done") "," CALL("take_retired")

/* Not those that others call. */
#define RESENDING                                                                                  \
	CALL("push")                                                                               \
	"," CALL("tick") "," CALL("next_offer") "," CALL("advance") "," CALL("peek") "," CALL("pop")

static const struct bench_op operations[] = {
	{ "commit, scalar, per transaction of 32", setup, SCALAR, run_scalar, INSIDE,
	  .bound = bound, .bound_inside = "tight_commit", .per_turn = LANES },
	{ "commit, warp, per transaction of 32", setup, WARP, run_warp, INSIDE,
	  .bound = bound, .bound_inside = "tight_commit", .per_turn = LANES },
	{ "row of 60 of a lane's log sent again", setup_resend, RESEND, resend, RESENDING,
	  .bound = bound_resend, .bound_inside = "tight_resend", .per_turn = ROWS },
};

BENCH_TABLE("commit_sequencer", struct core, operations)
