/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of first_read: life, Fig. 6.8 with last_written, verdicts, refusals, the oracle; and
 * that silent commits have read what memory held at one instant, with the guard only.
 */
#include "tests/kit.h"
#include "tests/oracle/first_read.h"

KIT_UNIT(first_read, FIRST_READ);
KIT_MAKER(last_written, LAST_WRITTEN);

static int reply(struct gputm_first_read *table, uint32_t warp, uint64_t mask, uint64_t time,
		 bool pending)
{
	int result = gputm_first_read_reply_probe(table, warp, mask, time, pending);

	ck_assert_int_eq(gputm_first_read_reply(table, warp, mask, time, pending), result);
	return result;
}

static void verdict_is(struct gputm_first_read *table, uint32_t warp, uint64_t mask,
		       uint64_t writers, uint64_t silent, uint64_t second, uint64_t write)
{
	struct gputm_first_read_verdict probed, verdict;

	ck_assert_int_eq(gputm_first_read_finish_probe(table, warp, mask, writers, &probed), 0);
	ck_assert_int_eq(gputm_first_read_finish(table, warp, mask, writers, &verdict), 0);
	ck_assert_int_eq(memcmp(&probed, &verdict, sizeof(probed)), 0);
	KIT_HAS(verdict, silent, silent, second_chance, second, read_write, write);
	KIT_TOLD("finish", kit_events(GPUTM_FIRST_READ_EVENT_FINISH), warp, silent, second, write);
}

KIT_TEST(test_first_read_configs)
{
	ck_assert(!with("thesis").guard_writeback);
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(make(kit, "thesis"))), 48 * 32 * 64);
}

/* ---- Fig. 6.8 ---- */

/* Hash 1 of blocks 0x10, 0x20, 0x30 is 0, 1, 1; hash 2 is 1, 0, 1. */
static struct gputm_last_written *fig_6_8_table(struct kit *kit)
{
	struct gputm_last_written_config config = last_written_init;
	uint32_t rows[24] = { [1] = 1, [12] = 1 };

	config.ways = 2;
	config.entries = 2;
	config.address_bits = 16;
	config.granularity = 16;
	config.h3_rows = rows;
	return (void *)kit_make(kit, &last_written_maker, &config);
}

static int load(struct gputm_first_read *first, struct gputm_last_written *last, uint64_t address,
		uint64_t now)
{
	uint64_t time = 4711;

	ck_assert_int_eq(gputm_first_read_issue(first, 0, 1, now), 0);
	ck_assert_int_eq(gputm_last_written_query(last, address, &time), 0);
	return reply(first, 0, 1, time, false);
}

KIT_MADE(test_fig_6_8_through_first_read_and_last_written, first, NULL)
{
	struct gputm_last_written *last = fig_6_8_table(kit);
	uint64_t time = 0;

	ck_assert_int_eq(gputm_first_read_begin(first, 0, 1), 0);
	ck_assert_int_eq(gputm_first_read_get_time(first, 0, 0, &time), 0);
	ck_assert_int_eq(load(first, last, 0x10, 1), GPUTM_FIRST_READ_CLEAN);
	ck_assert_int_eq(gputm_first_read_get_time(first, 0, 0, &time), 1);
	ck_assert_uint_eq(time, 1);
	ck_assert_int_eq(gputm_last_written_record(last, 0x10, 7), 0);
	ck_assert_int_eq(load(first, last, 0x30, 10), GPUTM_FIRST_READ_CLEAN);
	ck_assert_uint_eq(gputm_first_read_oldest(first), 1);
	ck_assert_int_eq(gputm_last_written_record(last, 0x20, 15), 0);
	ck_assert_uint_eq(gputm_first_read_conflicts(first, 0), 0);
	ck_assert_int_eq(load(first, last, 0x20, 18), GPUTM_FIRST_READ_CONFLICT);
	ck_assert_uint_eq(gputm_first_read_conflicts(first, 0), 1);
	kit_valid(unit_of(first));
	kit_round_trip(&first_read_maker, unit_of(first));
	verdict_is(first, 0, 1, 0, 0, 1, 0);
	ck_assert_uint_eq(gputm_first_read_oldest(first), UINT64_MAX);
}

/* A time is a conflict from one past the first load on. */
KIT_MADE(test_first_read_conflict_is_tight, table, NULL)
{
	ck_assert_int_eq(gputm_first_read_begin(table, 3, 0x7), 0);
	ck_assert_int_eq(gputm_first_read_issue(table, 3, 0x3, 10), 0);
	ck_assert_int_eq(gputm_first_read_issue(table, 3, 0x7, 20), 0);
	ck_assert_int_eq(reply(table, 3, 0x7, 10, false), GPUTM_FIRST_READ_CLEAN);
	ck_assert_int_eq(reply(table, 3, 0x5, 11, false), GPUTM_FIRST_READ_CONFLICT);
	ck_assert_uint_eq(gputm_first_read_conflicts(table, 3), 0x1);
	ck_assert_int_eq(reply(table, 3, 0x4, 20, false), GPUTM_FIRST_READ_CLEAN);
	ck_assert_int_eq(reply(table, 3, 0x4, 21, false), GPUTM_FIRST_READ_CONFLICT);
	ck_assert_uint_eq(gputm_first_read_conflicts(table, 3), 0x5);
	verdict_is(table, 3, 0x7, 0xfff8, 0x2, 0x5, 0);
}

KIT_TESTS(test_first_read_guard_decides_on_pending_writes, 2)
{
	struct gputm_first_read *table = make(kit, "guard_writeback=%d", _i);

	ck_assert_int_eq(gputm_first_read_begin(table, 0, 0xf), 0);
	ck_assert_int_eq(gputm_first_read_issue(table, 0, 0xf, 5), 0);
	ck_assert_int_eq(reply(table, 0, 0x3, 0, true),
			 _i ? GPUTM_FIRST_READ_CONFLICT : GPUTM_FIRST_READ_CLEAN);
	ck_assert_int_eq(reply(table, 0, 0xc, 0, false), GPUTM_FIRST_READ_CLEAN);
	ck_assert_uint_eq(kit_stat(unit_of(table), "guard_conflicts"), _i ? 2 : 0);
	verdict_is(table, 0, 0xf, 0xa, _i ? 0x4 : 0x5, _i ? 0x1 : 0, 0xa);
	ck_assert_int_eq(gputm_first_read_begin(table, 1, 0xf), 0);
	ck_assert_int_eq(gputm_first_read_issue(table, 1, 0xf, 5), 0);
	ck_assert_int_eq(reply(table, 1, 0xf, 6, false), GPUTM_FIRST_READ_CONFLICT);
	verdict_is(table, 1, 0xf, 0, 0, 0xf, 0);
}

KIT_MADE(test_first_read_refusals_change_nothing, table, "warps=2 lanes=4 time_bits=8")
{
	struct gputm_first_read_verdict verdict = { 4711, 0, 0 };
	uint64_t time = 4711;

	ck_assert_int_eq(gputm_first_read_begin(table, 1, 0x3), 0);
	ck_assert_int_eq(gputm_first_read_issue(table, 1, 0x1, 255), 0);
	kit_guard(kit, unit_of(table));
	KIT_REFUSED(-ERANGE, gputm_first_read_begin(table, 2, 1), "warp = 2", "0 .. 1");
	KIT_REFUSED(-ERANGE, gputm_first_read_begin(table, 1, 0x10), "mask = 16", "0 .. 15");
	KIT_REFUSED(-EINVAL, gputm_first_read_issue(table, 1, 0x4, 1),
		    "lane 2 has no attempt running");
	KIT_REFUSED(-ERANGE, gputm_first_read_issue(table, 1, 0x2, 256), "time = 256", "0 .. 255");
	KIT_REFUSED(-ERANGE, gputm_first_read_issue(table, 9, 0x2, 1), "");
	KIT_REFUSED(-EINVAL, gputm_first_read_reply(table, 1, 0x3, 1, false),
		    "lane 1 has sent no load");
	KIT_REFUSED(-ERANGE, gputm_first_read_reply(table, 1, 0x1, 256, false), "");
	KIT_REFUSED(-ERANGE, gputm_first_read_reply(table, 2, 0x1, 1, false), "");
	KIT_REFUSED(-ERANGE, gputm_first_read_reply_probe(table, 2, 0x1, 1, false), "");
	KIT_REFUSED(-EINVAL, gputm_first_read_finish(table, 1, 0x7, 0, &verdict), "");
	KIT_REFUSED(-ERANGE, gputm_first_read_finish(table, 1, 0x10, 0, &verdict), "");
	KIT_REFUSED(-ERANGE, gputm_first_read_get_time(table, 2, 0, &time), "");
	KIT_REFUSED(-ERANGE, gputm_first_read_get_time(table, 1, 4, &time), "lane = 4", "0 .. 3");
	ck_assert_int_eq(gputm_first_read_get_time(table, 1, 1, &time), 0);
	ck_assert_uint_eq(time, 4711);
	ck_assert_uint_eq(verdict.silent, 4711);
	ck_assert_uint_eq(gputm_first_read_conflicts(table, 2), 0);
	kit_unchanged(kit);
}

/* ---- random against the oracle ---- */

/* Warps, lanes, time bits, guard. */
static const uint32_t geometry[][4] = { { 8, 32, 64, 1 }, { 3, 64, 64, 0 }, { 1, 4, 6, 1 } };

static void step(struct gputm_first_read *t, struct oracle_first_read *o, struct kit_bytes *bytes)
{
	uint32_t warp = kit_u32(bytes, o->config.warps + 1);
	uint64_t all = o->config.lanes < 64 ? (UINT64_C(2) << o->config.lanes) - 1 : UINT64_MAX;
	uint64_t mask = kit_number(bytes, 8) & kit_number(bytes, 8) & all;
	uint64_t writers = kit_number(bytes, 8), time = kit_draw(bytes, 80);
	struct gputm_first_read_verdict a, b = { 0 };
	bool pending = kit_draw(bytes, 5) == 0;
	int result;

	if (kit_draw(bytes, 8))
		mask &= all >> 1;
	if (kit_draw(bytes, 2))
		mask &= mask - 1 ? ~(mask - 1) : 1; /* one lane */
	switch (kit_draw(bytes, 6)) {
	case 0:
		ck_assert_int_eq(gputm_first_read_begin(t, warp, mask | 1),
				 oracle_first_read_begin(o, warp, mask | 1));
		break;
	case 1:
	case 2:
		ck_assert_int_eq(gputm_first_read_issue(t, warp, mask, time),
				 oracle_first_read_issue(o, warp, mask, time));
		break;
	case 3:
	case 4:
		ck_assert_int_eq(reply(t, warp, mask, time, pending),
				 oracle_first_read_reply(o, warp, mask, time, pending));
		break;
	default:
		result = gputm_first_read_finish(t, warp, mask, writers, &a);
		ck_assert_int_eq(result, oracle_first_read_finish(o, warp, mask, writers, &b));
		ck_assert(result || (a.silent == b.silent && a.second_chance == b.second_chance &&
				     a.read_write == b.read_write));
	}
	ck_assert_uint_eq(gputm_first_read_oldest(t), oracle_first_read_oldest(o));
}

KIT_DRIVE(first_read, KIT_COUNT(geometry), 800000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, ORACLE_FIRST_READ_WARPS),
				 1 + kit_u32(bytes, 64), 1 + kit_u32(bytes, 64),
				 kit_u32(bytes, 2) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_first_read_config config =
		with("warps=%u lanes=%u time_bits=%u guard_writeback=%u", g[0], g[1], g[2], g[3]);
	struct gputm_first_read *table = NULL;
	struct oracle_first_read o;

	if (gputm_first_read_new(kit->ctx, &config, &table))
		return;
	kit_observe(unit_of(table));
	ORACLE_OPEN(&o, &config);
	for (KIT_TURNS(first_read, table))
		step(table, &o, bytes);
	if (bytes->thorough)
		ck_assert_uint_gt(o.stats.conflicting, 0);
	KIT_STATS_END(first_read, table, &o.stats, ORACLE_FIRST_READ_STATS);
}

/* ---- snapshots ---- */

#define PARTITIONS 2
#define WORDS 4 /* word i lies in partition i % PARTITIONS */

/*
 * A model of memory: one writer at a time commits to some words. It passes locally in each
 * partition, then is given its verdict, then writes its words at random times, and
 * retires in a partition when all is written there.
 */
struct world {
	struct gputm_first_read *first;
	struct gputm_last_written *last[PARTITIONS];
	uint64_t random, now;
	uint32_t value[WORDS]; /* the writer that wrote it */
	uint32_t writer;       /* counts up */
	uint32_t to_write, pending, passed;
	uint32_t state[400][WORDS]; /* after each writer */
	uint32_t seen[WORDS], seen_mask;
};

static void begin_writer(struct world *w)
{
	w->writer++;
	memcpy(w->state[w->writer], w->state[w->writer - 1], sizeof(w->state[0]));
	w->to_write = 1 + (uint32_t)kit_below(&w->random, (1 << WORDS) - 1);
	w->passed = w->pending = 0;
	for (EACH_LANE(i, w->to_write))
		w->state[w->writer][i] = w->writer;
}

static uint32_t words_of(uint32_t partition)
{
	uint32_t mask = 0;

	for (uint32_t i = partition; i < WORDS; i += PARTITIONS)
		mask |= 1u << i;
	return mask;
}

static void write_word(struct world *w, uint32_t word)
{
	uint32_t partition = word % PARTITIONS;

	if (!(w->to_write >> word & 1))
		return;
	w->value[word] = w->writer;
	w->to_write &= ~(1u << word);
	ck_assert_int_eq(gputm_last_written_record(w->last[partition], word * 128, w->now), 0);
	if (!(w->to_write & words_of(partition)))
		w->pending &= ~words_of(partition);
}

static void step_writer(struct world *w)
{
	uint32_t partition = (uint32_t)kit_below(&w->random, PARTITIONS);

	if (w->passed != (1 << PARTITIONS) - 1) { /* one more local pass */
		if (!(w->passed >> partition & 1))
			w->pending |= w->to_write & words_of(partition);
		w->passed |= 1u << partition;
	} else if (w->to_write) {
		write_word(w, (uint32_t)kit_below(&w->random, WORDS));
	} else {
		begin_writer(w);
	}
}

/* The load was sent in an earlier step, so it is served at least one cycle later. */
static void serve(struct world *w, uint32_t word)
{
	uint64_t time = 0;

	ck_assert_int_eq(gputm_last_written_query(w->last[word % PARTITIONS], word * 128, &time),
			 0);
	ck_assert_int_ge(reply(w->first, 0, 1, time, w->pending >> word & 1), 0);
	w->seen[word] = w->value[word];
	w->seen_mask |= 1u << word;
}

static bool held(const struct world *w)
{
	for (uint32_t s = 0; s <= w->writer; s++) {
		bool same = true;

		for (uint32_t i = 0; i < WORDS; i++)
			same &= !(w->seen_mask >> i & 1) || w->state[s][i] == w->seen[i];
		if (same)
			return true;
	}
	return false;
}

/* One reader of two words; whether it committed silently, and on a torn snapshot. */
static void read_two(struct world *w, unsigned *silent, unsigned *torn)
{
	struct gputm_first_read_verdict verdict;
	uint32_t word = (uint32_t)kit_below(&w->random, WORDS);

	w->seen_mask = 0;
	ck_assert_int_eq(gputm_first_read_begin(w->first, 0, 1), 0);
	for (unsigned load = 0; load < 2; load++) {
		ck_assert_int_eq(gputm_first_read_issue(w->first, 0, 1, w->now), 0);
		do {
			w->now++;
			step_writer(w);
		} while (kit_below(&w->random, 3));
		serve(w, word);
		word = (word + 1 + (uint32_t)kit_below(&w->random, WORDS - 1)) % WORDS;
	}
	ck_assert_int_eq(gputm_first_read_finish(w->first, 0, 1, 0, &verdict), 0);
	*silent += verdict.silent == 1;
	*torn += verdict.silent == 1 && !held(w);
}

static void run(struct kit *kit, bool guard, unsigned rounds, unsigned *silent, unsigned *torn)
{
	struct world units = { .first = make(kit, "guard_writeback=%d", guard) }, w;

	for (uint32_t p = 0; p < PARTITIONS; p++)
		units.last[p] = kit_make_as(kit, &last_written_maker, NULL);
	kit_unobserve(); /* the way of a host that listens to nothing */
	*silent = *torn = 0;
	for (unsigned i = 0; i < rounds; i++) {
		w = units;
		w.random = i;
		gputm_unit_reset(unit_of(w.first));
		for (uint32_t p = 0; p < PARTITIONS; p++)
			gputm_unit_reset(gputm_last_written_unit(w.last[p]));
		begin_writer(&w);
		for (unsigned reader = 0; reader < 20; reader++)
			read_two(&w, silent, torn);
		ck_assert_uint_lt(w.writer, 399);
	}
}

KIT_TEST(test_silent_commits_read_one_instant_when_guarded)
{
	unsigned silent, torn;

	run(kit, true, kit_scale(200, 10), &silent, &torn);
	ck_assert_uint_gt(silent, 0);
	ck_assert_uint_eq(torn, 0);
}

/* The hole that 6.4 admits: a snapshot in the midst of a write-back. */
KIT_TEST(test_silent_commits_may_be_torn_without_the_guard)
{
	unsigned silent, torn;

	run(kit, false, kit_scale(200, 20), &silent, &torn);
	ck_assert_uint_gt(torn, 0);
}
