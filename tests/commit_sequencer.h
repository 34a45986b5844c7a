/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_COMMIT_SEQUENCER_H
#define GPUTM_TESTS_COMMIT_SEQUENCER_H
/* What the directed tests of commit_sequencer share: one core with a few warps. */
#include "tests/kit.h"

KIT_PART(commit_sequencer, COMMIT_SEQUENCER);
KIT_MAKER(tx_log, TX_LOG);

#define OK GPUTM_COMMIT_SEQUENCER_OK
#define BUSY GPUTM_COMMIT_SEQUENCER_BUSY

struct core {
	struct gputm_commit_sequencer *seq;
	struct gputm_tx_log *log[4];
};

/* Four lanes, two partitions every 256 B, logs with one row in the L1 share. */
#define SMALL "warps=4 lanes=4 partitions=2 "

static inline struct core core_of(struct kit *kit, const char *text)
{
	struct core core = { make(kit, SMALL "%s", text), { NULL } };

	for (uint32_t w = 0; w < 4; w++) {
		core.log[w] = kit_make_as(kit, &tx_log_maker, "lanes=4 partitions=2 l1_rows=1");
		ck_assert_int_eq(gputm_commit_sequencer_attach(core.seq, w, core.log[w]), 0);
	}
	return core;
}

static inline uint64_t stat(const struct core *core, const char *name)
{
	return kit_stat(unit_of(core->seq), name);
}

/* Lane i reads or writes word i of partition 0, or with `far` of partition 1. */
static inline void access(struct core *core, uint32_t warp, uint64_t lanes, bool write, bool far)
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

static inline void begin(struct core *core, uint32_t warp, uint64_t lanes)
{
	ck_assert_int_eq(gputm_commit_sequencer_begin_probe(core->seq, warp, lanes), OK);
	ck_assert_int_eq(gputm_commit_sequencer_begin(core->seq, warp, lanes), OK);
}

static inline void grant(struct core *core, uint32_t warp, uint32_t count, uint64_t first_cid)
{
	uint32_t who = 99, many = 99;

	ck_assert(gputm_commit_sequencer_wants(core->seq, &who, &many));
	ck_assert_uint_eq(who, warp);
	ck_assert_uint_eq(many, count);
	ck_assert_int_eq(gputm_commit_sequencer_grant(core->seq, first_cid), 0);
}

static inline int push(struct core *core, uint32_t partition, uint32_t kind, uint32_t purpose,
		       uint64_t first_cid, uint32_t lanes, uint64_t mask, uint64_t yes)
{
	struct gputm_commit_unit_report report = { kind, purpose, first_cid, lanes, mask, yes };
	int probe = gputm_commit_sequencer_push_probe(core->seq, partition, &report);

	ck_assert_int_eq(gputm_commit_sequencer_push(core->seq, partition, &report), probe);
	return probe;
}

static inline void outcome(struct core *core, uint32_t partition, uint64_t first_cid,
			   uint32_t lanes, uint64_t mask, uint64_t yes)
{
	int result = push(core, partition, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 0, first_cid, lanes,
			  mask, yes);

	ck_assert_int_eq(result, OK);
}

/* Words of these lanes are asked for again. */
static inline void resend(struct core *core, uint32_t purpose, uint64_t first_cid, uint32_t lanes,
			  uint64_t mask)
{
	ck_assert_int_eq(
		push(core, 0, GPUTM_COMMIT_UNIT_REPORT_RESEND, purpose, first_cid, lanes, mask, 0),
		OK);
}

static inline void retire(struct core *core, uint32_t partition, uint64_t first_cid, uint32_t lanes)
{
	ck_assert_int_eq(push(core, partition, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 0, first_cid,
			      lanes, (UINT64_C(1) << lanes) - 1, 0),
			 OK);
}

/* The last packet taken. */
static struct gputm_commit_unit_message message;

/* The network takes the only packet there is, which must be this. */
static inline void takes(struct core *core, uint32_t partition, uint32_t kind, uint64_t mask,
			 uint64_t yes, uint32_t words)
{
	uint32_t to = 99;

	ck_assert(gputm_commit_sequencer_peek(core->seq, &to, &message));
	ck_assert_uint_eq(to, partition);
	KIT_HAS(message, kind, kind, mask, mask, yes, yes, words, words);
	ck_assert(gputm_commit_sequencer_pop(core->seq));
	ck_assert(!gputm_commit_sequencer_pop(core->seq));
	ck_assert(!gputm_commit_sequencer_peek(core->seq, &to, NULL));
}

static inline void tick(struct core *core)
{
	gputm_commit_sequencer_tick(core->seq);
	kit_valid(unit_of(core->seq));
}

static inline void quiet_tick(struct core *core)
{
	uint32_t to;

	tick(core);
	ck_assert(!gputm_commit_sequencer_peek(core->seq, &to, NULL));
}

static inline void tick_takes(struct core *core, uint32_t partition, uint32_t kind, uint64_t mask,
			      uint64_t yes, uint32_t words)
{
	tick(core);
	takes(core, partition, kind, mask, yes, words);
}

/* The warp begins to commit, with a CID for every lane, and walks its log from the next tick. */
static inline void begun(struct core *core, uint32_t warp, uint64_t lanes, uint64_t first_cid)
{
	begin(core, warp, lanes);
	grant(core, warp, (uint32_t)__builtin_popcountll(lanes), first_cid);
	quiet_tick(core);
}

/* Let all packets go. */
static inline void flush(struct core *core)
{
	for (unsigned i = 0; i < 100; i++) {
		tick(core);
		gputm_commit_sequencer_pop(core->seq);
	}
	ck_assert_uint_eq(gputm_commit_sequencer_next_event(core->seq), UINT64_MAX);
}

static inline bool done(struct core *core, uint32_t warp, uint64_t pass, uint64_t fail)
{
	struct gputm_commit_sequencer_done out;

	if (!gputm_commit_sequencer_take_done(core->seq, &out))
		return false;
	KIT_HAS(out, warp, warp, pass, pass, fail, fail);
	return true;
}

static inline bool retired(struct core *core, uint32_t warp, uint64_t first_cid, uint32_t count)
{
	struct gputm_commit_sequencer_retired out;

	if (!gputm_commit_sequencer_take_retired(core->seq, &out))
		return false;
	KIT_HAS(out, warp, warp, first_cid, first_cid, count, count);
	return true;
}

/* One warp up to the point where it waits for outcomes; CIDs from first_cid. */
static inline void filled(struct core *core, uint32_t warp, uint32_t count, uint64_t first_cid)
{
	begin(core, warp, (UINT64_C(1) << count) - 1);
	grant(core, warp, count, first_cid);
	flush(core);
	ck_assert(!done(core, warp, 0, 0));
}

#endif /* GPUTM_TESTS_COMMIT_SEQUENCER_H */
