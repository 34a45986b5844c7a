/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of timestamp_table: life, Fig. 8 in all six orders, what literal misses, overflow,
 * the oracle, and that no loop is missed in 10^6 random sequences. "test-timestamp_table
 * loops N" runs that last property over N of them and prints what it has seen.
 */
#include <inttypes.h>

#include "tests/kit.h"
#include "tests/oracle/timestamp_table.h"

KIT_UNIT(timestamp_table, TIMESTAMP_TABLE);

#define OK GPUTM_TIMESTAMP_TABLE_OK
#define LOOP GPUTM_TIMESTAMP_TABLE_LOOP
#define OVERFLOW GPUTM_TIMESTAMP_TABLE_OVERFLOW
#define NO_PDTS GPUTM_TIMESTAMP_TABLE_UNSET

/* A table with transactions 0 .. count - 1 begun at 1. */
static struct gputm_timestamp_table *begun(struct kit *kit, uint32_t count, bool literal,
					   bool signed_unset)
{
	struct gputm_timestamp_table *t = make(kit, "transactions=%u literal=%d signed_unset=%d",
					       count, literal, signed_unset);

	for (uint32_t tx = 0; tx < count; tx++)
		ck_assert_int_eq(gputm_timestamp_table_begin(t, tx, 1), OK);
	return t;
}

static void edge(struct gputm_timestamp_table *t, uint32_t pred, uint32_t succ, int result)
{
	ck_assert_int_eq(gputm_timestamp_table_add_edge_probe(t, pred, succ), result);
	ck_assert_int_eq(gputm_timestamp_table_add_edge(t, pred, succ), result);
	kit_valid(unit_of(t));
}

static void stamps(const struct gputm_timestamp_table *t, uint32_t tx, uint32_t cts, uint32_t pdts)
{
	struct gputm_timestamp_table_stamps now;

	ck_assert_int_eq(gputm_timestamp_table_get_stamps(t, tx, &now), 0);
	KIT_HAS(now, cts, cts, pdts, pdts);
}

/* Edges A: T1 -> T2, B: T2 -> T3, C: T3 -> T1; stamps of T1, T2, T3 after each edge. */
static const struct {
	const char *order;
	uint32_t after[3][3][2];
} fig_8[] = {
#define U NO_PDTS
	{ "ABC",
	  { { { 1, 11 }, { 12, U }, { 1, U } },
	    { { 1, 11 }, { 12, 22 }, { 23, U } },
	    { { 1, 11 }, { 12, 22 }, { 23, 33 } } } },
	{ "BCA",
	  { { { 1, U }, { 1, 11 }, { 12, U } },
	    { { 23, U }, { 1, 11 }, { 12, 22 } },
	    { { 23, 33 }, { 1, 11 }, { 12, 22 } } } },
	{ "CAB",
	  { { { 12, U }, { 1, U }, { 1, 11 } },
	    { { 12, 22 }, { 23, U }, { 1, 11 } },
	    { { 12, 22 }, { 23, 33 }, { 1, 11 } } } },
	{ "ACB",
	  { { { 1, 11 }, { 12, U }, { 1, U } },
	    { { 7, 11 }, { 12, U }, { 1, 6 } },
	    { { 7, 11 }, { 12, 22 }, { 1, 6 } } } },
	{ "BAC",
	  { { { 1, U }, { 1, 11 }, { 12, U } },
	    { { 1, 6 }, { 7, 11 }, { 12, U } },
	    { { 1, 6 }, { 7, 11 }, { 12, 22 } } } },
	{ "CBA",
	  { { { 12, U }, { 1, U }, { 1, 11 } },
	    { { 12, U }, { 1, 6 }, { 7, 11 } },
	    { { 12, 22 }, { 1, 6 }, { 7, 11 } } } },
#undef U
};

static void edge_named(struct gputm_timestamp_table *t, char name, int result)
{
	uint32_t pred = (uint32_t)(name - 'A');

	edge(t, pred, (pred + 1) % 3, result);
}

KIT_TESTS(test_fig_8_all_six_orders, 6)
{
	struct gputm_timestamp_table *t = begun(kit, 3, false, false);

	for (unsigned i = 0; i < 3; i++) {
		edge_named(t, fig_8[_i].order[i], i == 2 ? LOOP : OK);
		for (uint32_t tx = 0; tx < 3; tx++)
			stamps(t, tx, fig_8[_i].after[i][tx][0], fig_8[_i].after[i][tx][1]);
	}
	kit_round_trip(&timestamp_table_maker, unit_of(t));
}

/* -1 compared as a number: the order A, C, B passes. */
KIT_TEST(test_fig_7_unset_as_minus_one_misses_a_c_b)
{
	struct gputm_timestamp_table *t = begun(kit, 3, true, true);

	edge_named(t, 'A', OK);
	edge_named(t, 'C', OK);
	stamps(t, 2, 1, NO_PDTS);
	stamps(t, 0, 0, 11);
	edge_named(t, 'B', OK);
	t = begun(kit, 3, true, false);
	edge_named(t, 'A', OK);
	edge_named(t, 'C', OK);
	stamps(t, 2, 1, 6);
	edge_named(t, 'B', LOOP);
}

/* The shortest miss of literal: a CTS that goes back. */
KIT_TEST(test_fig_7_literal_misses_a_loop_of_two)
{
	struct gputm_timestamp_table *t;

	for (unsigned literal = 0; literal < 2; literal++) {
		t = begun(kit, 3, literal, false);
		edge(t, 0, 1, OK);
		stamps(t, 0, 1, 11);
		stamps(t, 1, 12, NO_PDTS);
		edge(t, 1, 2, OK);
		stamps(t, 1, 12, 22);
		stamps(t, 2, 23, NO_PDTS);
		edge(t, 0, 2, OK);
		stamps(t, 2, literal ? 12 : 23, NO_PDTS);
		edge(t, 2, 1, literal ? OK : LOOP);
		stamps(t, 2, literal ? 12 : 23, literal ? 17 : 33);
		stamps(t, 1, literal ? 18 : 12, 22);
	}
}

/* Fig. 7, lines 23 to 27, with ts = PDTS if set, else CTS. */
KIT_WITH(test_fig_7_at_commit_or_abort, struct gputm_timestamp_table *t, begun(kit, 3, true, false))
{
	struct gputm_timestamp_table_stamps now;

	edge(t, 0, 1, OK);
	ck_assert_int_eq(gputm_timestamp_table_retire(t, 0, true), OK);
	ck_assert_int_eq(gputm_timestamp_table_get_stamps(t, 0, &now), 0);
	KIT_HAS(now, state, GPUTM_TIMESTAMP_TABLE_STATE_COMMITTED, prev, 1);
	stamps(t, 0, 12, NO_PDTS);
	ck_assert_int_eq(gputm_timestamp_table_retire(t, 1, false), OK);
	ck_assert_int_eq(gputm_timestamp_table_get_stamps(t, 1, &now), 0);
	KIT_HAS(now, state, GPUTM_TIMESTAMP_TABLE_STATE_IDLE, prev, 12);
	stamps(t, 1, 13, NO_PDTS);
	edge(t, 0, 2, OK); /* line 2: a committed predecessor sends its PrevTS */
	stamps(t, 2, 2, NO_PDTS);
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 0, 0), OK);
	stamps(t, 0, 12, NO_PDTS);
}

KIT_TEST(test_timestamp_table_committed_ends_of_an_edge)
{
	struct gputm_timestamp_table *t = begun(kit, 5, false, false);

	edge(t, 0, 1, OK); /* 1: CTS 12 */
	ck_assert_int_eq(gputm_timestamp_table_retire(t, 1, true), OK);
	edge(t, 1, 2, OK);
	stamps(t, 2, 13, NO_PDTS);
	edge(t, 2, 1, LOOP); /* 13 is above 12 - 1 */
	stamps(t, 2, 13, NO_PDTS);
	edge(t, 3, 1, OK);
	stamps(t, 3, 1, 11);
	edge(t, 1, 3, LOOP); /* 12 against 11 */
	ck_assert_int_eq(gputm_timestamp_table_release(t, 1), 0);
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 1, 13), OK);
	stamps(t, 1, 13, NO_PDTS);
}

/* 6 bits: 62 is the largest stamp. Refused with nothing changed, accepted one below. */
KIT_MADE(test_timestamp_table_overflow_is_tight, t, "transactions=4 stamp_bits=6")
{
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 0, 51), OK);
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 1, 52), OK);
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 2, 63), OVERFLOW);
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 2, 62), OK);
	KIT_REFUSED(-ERANGE, gputm_timestamp_table_begin(t, 3, 64), "start = 64", "1 .. 63");
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 3, 0), -ERANGE);
	edge(t, 1, 0, OVERFLOW); /* would be 62 and then 63 */
	stamps(t, 1, 52, NO_PDTS);
	stamps(t, 0, 51, NO_PDTS);
	edge(t, 0, 1, OK); /* 61, 62 */
	stamps(t, 1, 62, NO_PDTS);
	kit_guard(kit, unit_of(t));
	KIT_REFUSED(-EINVAL, gputm_timestamp_table_restart(t), "running = 3");
	kit_unchanged(kit);
	for (uint32_t tx = 0; tx < 3; tx++)
		ck_assert_int_eq(gputm_timestamp_table_retire(t, tx, tx == 0), OK);
	ck_assert_int_eq(gputm_timestamp_table_restart(t), 0);
	stamps(t, 0, 1, NO_PDTS);
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 0, 1), OK);
	ck_assert_uint_eq(kit_stat(unit_of(t), "overflows"), 2);
}

/* The text of Fig. 7 gives a transaction that ends its last stamp plus one: there is none. */
KIT_MADE(test_timestamp_table_literal_overflows_at_the_end, t,
	 "transactions=2 stamp_bits=6 literal=1 increment=60")
{
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 0, 1), OK);
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 1, 1), OK);
	edge(t, 0, 1, OK);
	stamps(t, 0, 1, 61);
	stamps(t, 1, 62, NO_PDTS);
	ck_assert_int_eq(gputm_timestamp_table_retire(t, 1, true), OVERFLOW);
	stamps(t, 1, 62, NO_PDTS);
	ck_assert_int_eq(gputm_timestamp_table_retire(t, 0, true), OK);
	stamps(t, 0, 62, NO_PDTS);
	ck_assert_uint_eq(kit_stat(unit_of(t), "overflows"), 1);
}

/* Nor is there one behind a PDTS that is the last stamp. */
KIT_MADE(test_timestamp_table_literal_overflows_behind_the_last_stamp, t,
	 "transactions=2 stamp_bits=6 literal=1 increment=61")
{
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 0, 1), OK);
	ck_assert_int_eq(gputm_timestamp_table_begin(t, 1, 1), OK);
	edge(t, 0, 1, OVERFLOW);
}

KIT_TEST(test_timestamp_table_misuse_changes_nothing)
{
	struct gputm_timestamp_table_stamps now = { .cts = 4711 };
	struct gputm_timestamp_table *t = NULL;

	KIT_REFUSED(-EINVAL, refuse(kit, "transactions=4 signed_unset=1"), "signed_unset",
		    "literal");
	t = make(kit, "transactions=4 signed_unset=0");
	for (uint32_t tx = 0; tx < 3; tx++)
		ck_assert_int_eq(gputm_timestamp_table_begin(t, tx, 1), OK);
	for (uint32_t tx = 0; tx < 2; tx++)
		ck_assert_int_eq(gputm_timestamp_table_retire(t, tx, true), OK);
	kit_guard(kit, unit_of(t));
	edge(t, 0, 1, -EINVAL);
	edge(t, 2, 2, -EINVAL);
	kit_said(kit, "transaction 2", NULL);
	edge(t, 2, 3, -EINVAL);
	edge(t, 3, 2, -EINVAL);
	edge(t, 4, 2, -ERANGE);
	edge(t, 2, 4, -ERANGE);
	kit_said(kit, "transaction = 4", "0 .. 3", NULL);
	KIT_REFUSED(-EINVAL, gputm_timestamp_table_begin(t, 0, 1), "");
	KIT_REFUSED(-EINVAL, gputm_timestamp_table_begin(t, 2, 1), "");
	KIT_REFUSED(-ERANGE, gputm_timestamp_table_begin(t, 4, 1), "");
	KIT_REFUSED(-EINVAL, gputm_timestamp_table_retire(t, 0, true), "");
	KIT_REFUSED(-ERANGE, gputm_timestamp_table_retire(t, 4, true), "");
	KIT_REFUSED(-EINVAL, gputm_timestamp_table_release(t, 2), "");
	KIT_REFUSED(-ERANGE, gputm_timestamp_table_release(t, 4), "");
	KIT_REFUSED(-ERANGE, gputm_timestamp_table_get_stamps(t, 4, &now), "");
	ck_assert_uint_eq(now.cts, 4711);
	kit_unchanged(kit);
}

/* 1024 x 72 bits are 9,216 bytes; with fields of 32 bits they are the 12 kB of Table 1. */
KIT_MADE(test_table_1_storage, t, "isca-2017")
{
	struct gputm_storage padding;
	uint64_t bits;

	bits = gputm_unit_storage_bits(unit_of(t));
	ck_assert_uint_eq(bits, 9216 * 8);
	ck_assert(gputm_unit_storage(unit_of(t), 1, &padding));
	ck_assert(padding.apart);
	ck_assert_uint_eq(bits + padding.entries * padding.bits, 12 * 1024 * 8);
}

/* ---- random runs against the oracle ---- */

/* Transactions, bits, increment, literal, signed_unset. */
static const uint32_t geometry[][5] = {
	{ 3, 24, 10, 0, 0 }, { 8, 10, 3, 0, 0 }, { 16, 31, 1000, 0, 0 },
	{ 5, 9, 10, 1, 0 },  { 5, 9, 10, 1, 1 }, { 4, 5, 1, 0, 0 },
};

static void compare(const struct gputm_timestamp_table *t, const struct oracle_timestamp_table *o)
{
	struct gputm_timestamp_table_stamps now;

	for (uint32_t tx = 0; tx < o->config.transactions; tx++) {
		ck_assert_int_eq(gputm_timestamp_table_get_stamps(t, tx, &now), 0);
		ck_assert_int_eq((int)now.state, o->tx[tx].state);
		ck_assert_int_eq((int64_t)now.cts, o->tx[tx].cts);
		ck_assert_int_eq((int64_t)now.prev, o->tx[tx].prev);
		ck_assert_int_eq(now.pdts == NO_PDTS ? INT64_MAX : (int64_t)now.pdts,
				 o->tx[tx].pdts);
	}
}

static int restart(struct gputm_timestamp_table *t, struct oracle_timestamp_table *o)
{
	int error = gputm_timestamp_table_restart(t);

	if (!error)
		oracle_timestamp_table_restart(o);
	return error;
}

static void step(struct gputm_timestamp_table *t, struct oracle_timestamp_table *o,
		 struct oracle_order *order, struct kit_bytes *bytes)
{
	uint32_t tx = kit_u32(bytes, o->config.transactions);
	uint32_t other = kit_u32(bytes, o->config.transactions);
	uint64_t what = kit_draw(bytes, 20), start = 1 + kit_draw(bytes, 30);
	bool committed = kit_draw(bytes, 2);
	int result;

	if (what < 4) {
		ck_assert_int_eq(gputm_timestamp_table_begin(t, tx, start),
				 oracle_timestamp_table_begin(o, tx, start));
	} else if (what < 6) {
		result = gputm_timestamp_table_retire(t, tx, committed);
		ck_assert_int_eq(result, oracle_timestamp_table_retire(o, tx, committed));
		if (result == OK && !committed)
			oracle_order_forget(order, tx);
	} else if (what < 7) {
		result = gputm_timestamp_table_release(t, tx);
		ck_assert_int_eq(result, oracle_timestamp_table_release(o, tx));
		if (!result)
			oracle_order_forget(order, tx);
	} else if (what < 8) {
		if (kit_draw(bytes, 8) == 0 && !restart(t, o))
			memset(order, 0, sizeof(*order));
	} else {
		result = gputm_timestamp_table_add_edge_probe(t, tx, other);
		ck_assert_int_eq(gputm_timestamp_table_add_edge(t, tx, other), result);
		ck_assert_int_eq(oracle_timestamp_table_edge(o, tx, other), result);
		if (result == OK) {
			ck_assert(o->config.literal || !oracle_order_closes_loop(order, tx, other));
			oracle_order_add(order, tx, other);
		}
	}
	compare(t, o);
}

/* Unless literal, no edge that is accepted closes a loop. */
KIT_DRIVE(timestamp_table, 2 * KIT_COUNT(geometry), 30000)
{
	const uint32_t any[] = { 2 + kit_u32(bytes, 15), 6 + kit_u32(bytes, 26),
				 1 + kit_u32(bytes, 256), kit_u32(bytes, 4) == 0,
				 kit_u32(bytes, 2) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_timestamp_table_config config =
		with("transactions=%u stamp_bits=%u increment=%u literal=%u signed_unset=%u", g[0],
		     g[1], g[2], g[3], g[3] && g[4]);
	struct oracle_order order = { { 0 } };
	struct oracle_timestamp_table o;
	struct gputm_timestamp_table *t = make_of(kit, &config);

	oracle_timestamp_table_open(&o, &config);
	for (KIT_TURNS(timestamp_table, t))
		step(t, &o, &order, bytes);
	KIT_STATS_END(timestamp_table, t, &o.stats, ORACLE_TIMESTAMP_TABLE_STATS);
}

/* ---- loops ---- */

struct tally {
	uint64_t edges, loops; /* edges that passed or not */
	uint64_t missed;       /* passed and closed a loop */
	uint64_t false_alarms; /* declared and would not have closed one */
};

/* Is there an edge to ask for, and does it make a new order? */
static bool may_ask(const struct gputm_timestamp_table *t, uint32_t pred, uint32_t succ)
{
	return pred != succ && gputm_timestamp_table_add_edge_probe(t, pred, succ) >= 0;
}

static void ask(struct gputm_timestamp_table *t, struct oracle_order *order, uint32_t pred,
		uint32_t succ, struct tally *tally)
{
	bool closes = oracle_order_closes_loop(order, pred, succ);
	struct gputm_timestamp_table_stamps now;
	uint32_t victim = succ;

	if (gputm_timestamp_table_add_edge(t, pred, succ) == OK) {
		tally->edges++;
		tally->missed += closes;
		oracle_order_add(order, pred, succ);
		return;
	}
	tally->loops++;
	tally->false_alarms += !closes;
	REQUIRE(gputm_timestamp_table_get_stamps(t, succ, &now) == 0);
	if (now.state != GPUTM_TIMESTAMP_TABLE_STATE_RUNNING)
		victim = pred;
	REQUIRE(gputm_timestamp_table_retire(t, victim, false) == OK);
	oracle_order_forget(order, victim);
}

/*
 * Two to six transactions, 24 random edges among them; now and then one commits and stays. An
 * aborted one takes its edges along and begins again. Ends at the first loop that is missed.
 */
static void sequence(struct gputm_timestamp_table *t, uint64_t *random, struct tally *tally)
{
	uint32_t count = 2 + (uint32_t)kit_below(random, 5);
	struct oracle_order order = { { 0 } };
	uint64_t missed = tally->missed;

	gputm_unit_reset(unit_of(t));
	for (unsigned i = 0; i < 24 && tally->missed == missed; i++) {
		uint32_t pred = (uint32_t)kit_below(random, count);
		uint32_t succ = (uint32_t)kit_below(random, count);
		struct gputm_timestamp_table_stamps now;

		REQUIRE(gputm_timestamp_table_get_stamps(t, pred, &now) == 0);
		if (now.state == GPUTM_TIMESTAMP_TABLE_STATE_IDLE)
			REQUIRE(gputm_timestamp_table_begin(t, pred, 1 + kit_below(random, 20)) ==
				OK);
		else if (may_ask(t, pred, succ))
			ask(t, &order, pred, succ, tally);
		REQUIRE(gputm_timestamp_table_get_stamps(t, pred, &now) ==
			0); /* it may be a victim */
		if (now.state == GPUTM_TIMESTAMP_TABLE_STATE_RUNNING && !kit_below(random, 16))
			REQUIRE(gputm_timestamp_table_retire(t, pred, true) == OK);
	}
}

static struct tally loops(uint64_t sequences, bool literal)
{
	struct gputm_timestamp_table_config config = with("transactions=6 literal=%d", literal);
	struct gputm_timestamp_table *t = NULL;
	struct tally tally = { 0, 0, 0, 0 };
	uint64_t random = 1;

	ck_assert_int_eq(gputm_timestamp_table_new(NULL, &config, &t), 0);
	for (uint64_t i = 0; i < sequences; i++)
		sequence(t, &random, &tally);
	gputm_timestamp_table_free(t);
	return tally;
}

KIT_TEST(test_timestamp_table_misses_no_loop)
{
	struct tally sound = loops(kit_scale(1000000, 2000), false);

	ck_assert_uint_eq(sound.missed, 0);
	ck_assert_uint_gt(sound.loops, sound.false_alarms);
}

KIT_TEST(test_timestamp_table_literal_misses_loops)
{
	ck_assert_uint_ge(loops(kit_scale(1000000, 2000), true).missed, 1);
}

KIT_MADE(test_timestamp_table_tells_its_observer, t, "transactions=3")
{
	for (uint32_t tx = 0; tx < 3; tx++)
		ck_assert_int_eq(gputm_timestamp_table_begin(t, tx, 1), OK);
	edge(t, 0, 1, OK);
	edge(t, 1, 0, LOOP);
	for (uint32_t tx = 0; tx < 3; tx++)
		ck_assert_int_eq(gputm_timestamp_table_retire(t, tx, true), OK);
	ck_assert_int_eq(gputm_timestamp_table_release(t, 0), 0);
	ck_assert_int_eq(gputm_timestamp_table_restart(t), 0);
	kit_heard("begin=3 edge=2 retire=3 release=1 restart=1");
	KIT_TOLD("restart", 1, 1);
}
