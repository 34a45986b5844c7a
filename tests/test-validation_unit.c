/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of validation_unit: Fig. 7, the rules of waking, ports, rollover, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/validation_unit.h"

#include <string.h>

KIT_MAKER(validation_unit, VALIDATION_UNIT);

#define OK GPUTM_VALIDATION_UNIT_OK
#define ABORT GPUTM_VALIDATION_UNIT_ABORT
#define STALLED GPUTM_VALIDATION_UNIT_STALLED
#define NONE GPUTM_VALIDATION_UNIT_NONE

static struct gputm_validation_unit *make(struct kit *kit,
					  const struct gputm_validation_unit_config *config)
{
	struct gputm_validation_unit *u = NULL;

	ck_assert_int_eq(gputm_validation_unit_new(kit->ctx, config, &u), 0);
	return u;
}

static struct gputm_validation_answer last;

/* An access of a warp's attempt number `sequence`; tag = 100 x warp + sequence. */
static int go(struct gputm_validation_unit *u, bool write, uint64_t address, uint32_t warp,
	      uint64_t time, uint64_t sequence)
{
	struct gputm_validation_request r = { warp * 100 + sequence, address, time, sequence, warp,
					      write };
	int probe = gputm_validation_unit_access_probe(u, &r);

	memset(&last, 0x55, sizeof(last));
	ck_assert_int_eq(gputm_validation_unit_access(u, &r, &last), probe);
	ck_assert_uint_eq(last.tag, r.tag);
	ck_assert_uint_eq(last.result, (uint32_t)probe);
	kit_valid(gputm_validation_unit_unit(u));
	return probe;
}

static int load(struct gputm_validation_unit *u, uint64_t address, uint32_t warp, uint64_t time)
{
	return go(u, false, address, warp, time, time);
}

static int store(struct gputm_validation_unit *u, uint64_t address, uint32_t warp, uint64_t time)
{
	return go(u, true, address, warp, time, time);
}

static int retry(struct gputm_validation_unit *u)
{
	int result = gputm_validation_unit_retry(u, &last);

	kit_valid(gputm_validation_unit_unit(u));
	return result;
}

static void release(struct gputm_validation_unit *u, uint64_t address, uint32_t warp,
		    uint64_t sequence, uint32_t count)
{
	ck_assert_int_eq(gputm_validation_unit_release(u, address, warp, sequence, count, NULL), 0);
	kit_valid(gputm_validation_unit_unit(u));
}

static void cell(struct gputm_validation_unit *u, uint64_t address, uint64_t wts, uint64_t rts,
		 uint32_t writes, int owner)
{
	struct gputm_validation_granule g;

	ck_assert_int_eq(gputm_validation_unit_granule(u, address, &g), 0);
	ck_assert_uint_eq(g.wts, wts);
	ck_assert_uint_eq(g.rts, rts);
	ck_assert_uint_eq(g.writes, writes);
	if (writes)
		ck_assert_int_eq((int)g.owner, owner);
}

START_TEST(test_validation_unit_life)
{
	kit_common(&validation_unit_maker);
}
END_TEST

START_TEST(test_validation_unit_relations_of_the_config)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_unit *u = NULL;
	struct kit kit;

	kit_open(&kit);
	config.id = 1;
	ck_assert_int_eq(gputm_validation_unit_new(kit.ctx, &config, &u), -EINVAL);
	kit_said(&kit, "id = 1", "units = 1", NULL);
	config.id = 0;
	config.time_bits = 8;
	config.margin = 254;
	ck_assert_int_eq(gputm_validation_unit_new(kit.ctx, &config, &u), -EINVAL);
	kit_said(&kit, "margin = 254", "time_bits = 8", NULL);
	config.margin = 253;
	gputm_validation_unit_free(make(&kit, &config));
	kit_close(&kit);
}
END_TEST

/* Every table of the figure; tx1 in warp 1 (p) at 20, tx2 in warp 2 (q) at 10, then 22. */
static void fig_7(bool paper_order)
{
	enum { A = 0x100, B = 0x200, p = 1, q = 2 };
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_unit *u;
	struct kit kit;

	config.paper_order = paper_order;
	kit_open(&kit);
	u = make(&kit, &config);
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
	ck_assert_uint_eq(last.time, 21);
	ck_assert_uint_eq(last.reason, GPUTM_VALIDATION_UNIT_LOAD_WTS);
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
	kit_round_trip(&validation_unit_maker, gputm_validation_unit_unit(u));
	kit_hostile(&validation_unit_maker, gputm_validation_unit_unit(u));
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
	gputm_validation_unit_free(u);
	kit_close(&kit);
}

START_TEST(test_fig_7_two_transfers)
{
	fig_7(false);
}
END_TEST

START_TEST(test_fig_7_two_transfers_in_paper_order)
{
	fig_7(true);
}
END_TEST

/* Errata 31: two warps at 10 read A and B, then write B and A. */
START_TEST(test_write_skew_in_paper_order_only)
{
	for (int paper = 0; paper < 2; paper++) {
		struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
		struct gputm_validation_unit *u;
		struct kit kit;

		config.paper_order = paper;
		kit_open(&kit);
		u = make(&kit, &config);
		ck_assert_int_eq(load(u, 0x100, 1, 10), OK);
		ck_assert_int_eq(load(u, 0x200, 2, 10), OK);
		ck_assert_int_eq(store(u, 0x200, 1, 10), paper ? OK : ABORT);
		if (!paper)
			ck_assert_uint_eq(last.reason, GPUTM_VALIDATION_UNIT_STORE_RTS);
		ck_assert_int_eq(store(u, 0x100, 2, 10), OK);
		gputm_validation_unit_free(u);
		kit_close(&kit);
	}
}
END_TEST

/* Errata 14 and 15: the owner needs no check, and each of its stores counts. */
START_TEST(test_owner_passes_and_counts)
{
	struct gputm_validation_unit *u;
	uint32_t left = 77;
	struct kit kit;

	kit_open(&kit);
	u = make(&kit, NULL);
	ck_assert_int_eq(store(u, 0x100, 1, 10), OK);
	ck_assert_int_eq(store(u, 0x104, 1, 10), OK);
	ck_assert_int_eq(load(u, 0x108, 1, 10), OK);
	cell(u, 0x100, 11, 10, 2, 1);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x100, 1, 10, 3, &left), -EINVAL);
	kit_said(&kit, "warp 1", "3 writes", "0x100", NULL);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x100, 2, 10, 1, &left), -EINVAL);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x100, 1, 11, 1, &left), -EINVAL);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x200, 1, 10, 1, &left), -EINVAL);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x100, 1, 10, 0, &left), -EINVAL);
	ck_assert_uint_eq(left, 77);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0x11f, 1, 10, 2, &left), 0);
	ck_assert_uint_eq(left, 0);
	gputm_validation_unit_free(u);
	kit_close(&kit);
}
END_TEST

/* Errata 32: the next attempt of a warp waits for what its earlier one has reserved. */
START_TEST(test_errata_32_earlier_attempt_of_the_warp)
{
	struct gputm_validation_unit *u;
	struct kit kit;

	kit_open(&kit);
	u = make(&kit, NULL);
	ck_assert_int_eq(go(u, true, 0x100, 1, 10, 1), OK);
	ck_assert_int_eq(go(u, false, 0x100, 1, 10, 2), STALLED);
	release(u, 0x100, 1, 1, 1);
	ck_assert_int_eq(retry(u), OK);
	ck_assert_uint_eq(last.tag, 102);
	gputm_validation_unit_free(u);
	kit_close(&kit);
}
END_TEST

/* Errata 44 (a): three loads wait; one release answers them all. */
START_TEST(test_errata_44_a_retries_wake_the_next)
{
	struct gputm_validation_unit *u;
	struct kit kit;

	kit_open(&kit);
	u = make(&kit, NULL);
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
	gputm_validation_unit_free(u);
	kit_close(&kit);
}
END_TEST

/* Errata 44 (b): a store that overtakes the waiters lets the older ones abort at once. */
START_TEST(test_errata_44_b_granted_store_wakes_who_fails)
{
	struct gputm_validation_unit *u;
	struct kit kit;

	kit_open(&kit);
	u = make(&kit, NULL);
	ck_assert_int_eq(store(u, 0x100, 1, 10), OK);
	ck_assert_int_eq(load(u, 0x100, 2, 11), STALLED);
	ck_assert_int_eq(load(u, 0x100, 4, 14), STALLED);
	ck_assert_int_eq(load(u, 0x100, 5, 30), STALLED);
	release(u, 0x100, 1, 10, 1); /* wakes warp 2, which is not at once served */
	ck_assert_int_eq(store(u, 0x100, 3, 20), OK);
	ck_assert_int_eq(retry(u), ABORT);
	ck_assert_uint_eq(last.tag, 211);
	ck_assert_uint_eq(last.time, 21);
	ck_assert_int_eq(retry(u), ABORT);
	ck_assert_uint_eq(last.tag, 414);
	ck_assert_int_eq(retry(u), NONE);
	ck_assert_uint_eq(kit_stat(gputm_validation_unit_buffer(u), "waiting"), 1);
	release(u, 0x100, 3, 20, 1);
	ck_assert_int_eq(retry(u), OK);
	gputm_validation_unit_free(u);
	kit_close(&kit);
}
END_TEST

/* Errata 44 (c): another access of the warp that now owns the granule waits no longer. */
START_TEST(test_errata_44_c_own_warp_wakes)
{
	struct gputm_validation_unit *u;
	struct kit kit;

	kit_open(&kit);
	u = make(&kit, NULL);
	ck_assert_int_eq(store(u, 0x100, 1, 10), OK);
	ck_assert_int_eq(store(u, 0x100, 2, 11), STALLED);
	ck_assert_int_eq(store(u, 0x104, 2, 11), STALLED);
	ck_assert_int_eq(load(u, 0x108, 2, 11), STALLED);
	release(u, 0x100, 1, 10, 1);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(retry(u), OK);
	cell(u, 0x100, 12, 11, 2, 2);
	gputm_validation_unit_free(u);
	kit_close(&kit);
}
END_TEST

START_TEST(test_full_stall_buffer_aborts)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_unit *u;
	struct kit kit;

	config.stall_lines = 1;
	config.stall_requests = 1;
	config.count_bits = 1;
	kit_open(&kit);
	u = make(&kit, &config);
	ck_assert_int_eq(store(u, 0x100, 1, 10), OK);
	ck_assert_int_eq(store(u, 0x100, 1, 10), ABORT);
	ck_assert_uint_eq(last.reason, GPUTM_VALIDATION_UNIT_COUNT);
	ck_assert_int_eq(load(u, 0x100, 2, 11), STALLED);
	ck_assert_int_eq(load(u, 0x100, 3, 12), ABORT);
	ck_assert_uint_eq(last.reason, GPUTM_VALIDATION_UNIT_BUFFER);
	ck_assert_uint_eq(last.time, 11);
	gputm_validation_unit_free(u);
	kit_close(&kit);
}
END_TEST

START_TEST(test_validation_unit_misuse_changes_nothing)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_request r = { 0, 0, 14, 0, 7, true };
	struct gputm_validation_message m = { 1, 0 };
	struct gputm_validation_answer answer;
	struct gputm_validation_granule g;
	struct gputm_validation_unit *u;
	uint64_t digest;
	struct kit kit;

	config.time_bits = 4;
	config.warp_bits = 3;
	config.margin = 0;
	config.address_bits = 16;
	kit_open(&kit);
	u = make(&kit, &config);
	digest = kit_digest(gputm_validation_unit_unit(u));
	r.time = 15;
	ck_assert_int_eq(gputm_validation_unit_access(u, &r, &answer), -ERANGE);
	kit_said(&kit, "time = 15", "0 .. 14", NULL);
	ck_assert_int_eq(gputm_validation_unit_push(u, &r), -ERANGE);
	r.time = 14;
	r.warp = 8;
	ck_assert_int_eq(gputm_validation_unit_access(u, &r, &answer), -ERANGE);
	kit_said(&kit, "warp = 8", "0 .. 7", NULL);
	ck_assert_int_eq(gputm_validation_unit_release(u, 0, 8, 0, 1, NULL), -ERANGE);
	r.warp = 7;
	r.address = 1 << 16;
	ck_assert_int_eq(gputm_validation_unit_access_probe(u, &r), -ERANGE);
	kit_said(&kit, "address = 65536", NULL);
	ck_assert_int_eq(gputm_validation_unit_release(u, 1 << 16, 0, 0, 1, NULL), -ERANGE);
	ck_assert_int_eq(gputm_validation_unit_granule(u, 1 << 16, &g), -ERANGE);
	ck_assert_int_eq(gputm_validation_unit_rollover_go(u), -EINVAL);
	ck_assert_int_eq(gputm_validation_unit_ring_push(u, &m), 0); /* a go that came round */
	m.go = 0;
	ck_assert_int_eq(gputm_validation_unit_ring_push(u, &m), -EINVAL);
	m.from = 1;
	ck_assert_int_eq(gputm_validation_unit_ring_push(u, &m), -EINVAL);
	kit_said(&kit, "stop of unit 1", NULL);
	ck_assert_uint_eq(kit_digest(gputm_validation_unit_unit(u)), digest);
	r.address = 0xffff;
	ck_assert_int_eq(gputm_validation_unit_access(u, &r, &answer), OK);
	ck_assert_int_eq(gputm_validation_unit_state(u), GPUTM_VALIDATION_UNIT_RUNNING);
	gputm_validation_unit_free(u);
	kit_close(&kit);
}
END_TEST

static uint64_t ticks_to_answer(struct gputm_validation_unit *u, uint64_t address, uint64_t time)
{
	struct gputm_validation_request r = { 1, address, time, 1, 1, true };
	uint64_t ticks = 0;

	ck_assert_int_eq(gputm_validation_unit_push(u, &r), GPUTM_VALIDATION_UNIT_ACCEPTED);
	while (!gputm_validation_unit_peek(u, &last)) {
		ck_assert_int_eq(gputm_validation_unit_tick(u), 0);
		ticks++;
	}
	ck_assert_uint_eq(ticks, last.cycles);
	ck_assert(gputm_validation_unit_pop(u));
	return ticks;
}

START_TEST(test_timing_access)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_unit *u;
	struct kit kit;

	config.ways = 1;
	config.entries = 1;
	config.stash = 0;
	config.longest_chain = 0;
	config.memory_latency = 50;
	kit_open(&kit);
	u = make(&kit, &config);
	ck_assert(!gputm_validation_unit_peek(u, &last));
	ck_assert(!gputm_validation_unit_pop(u));
	ck_assert_uint_eq(ticks_to_answer(u, 0, 1), 2); /* look-up, and an entry made */
	ck_assert_uint_eq(ticks_to_answer(u, 0, 1), 1);
	ck_assert_uint_eq(ticks_to_answer(u, 32, 1), 2 + 50);
	ck_assert_uint_eq(ticks_to_answer(u, 32, 1), 1 + 50);
	/* A release in memory takes the table from the next access. */
	ck_assert_int_eq(gputm_validation_unit_release(u, 32, 1, 1, 1, NULL), 0);
	ck_assert_uint_eq(gputm_validation_unit_next_event(u), UINT64_MAX);
	ck_assert_int_eq(gputm_validation_unit_advance(u, 49), 0);
	ck_assert_int_eq(gputm_validation_unit_tick(u), 0);
	ck_assert_uint_eq(ticks_to_answer(u, 0, 1), 1);
	gputm_validation_unit_free(u);
	kit_close(&kit);
}
END_TEST

START_TEST(test_ports_are_tight)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_request r = { 1, 0, 1, 1, 1, false };
	struct gputm_validation_unit *u;
	struct kit kit;

	config.input = 2;
	config.output = 1;
	kit_open(&kit);
	u = make(&kit, &config);
	for (int i = 0; i < 3; i++) {
		int expected = i < 2 ? GPUTM_VALIDATION_UNIT_ACCEPTED :
				       GPUTM_VALIDATION_UNIT_PORT_FULL;

		ck_assert_int_eq(gputm_validation_unit_push_probe(u, &r), expected);
		ck_assert_int_eq(gputm_validation_unit_push(u, &r), expected);
	}
	ck_assert_uint_eq(gputm_validation_unit_pending(u), 2);
	ck_assert_int_eq(gputm_validation_unit_advance(u, 100), 0);
	ck_assert_uint_eq(gputm_validation_unit_pending(u), 1); /* the output is full */
	ck_assert_uint_eq(gputm_validation_unit_next_event(u), UINT64_MAX);
	ck_assert(gputm_validation_unit_pop(u));
	ck_assert_uint_eq(gputm_validation_unit_next_event(u), 0);
	ck_assert_int_eq(gputm_validation_unit_tick(u), 0);
	ck_assert(gputm_validation_unit_peek(u, &last));
	kit_valid(gputm_validation_unit_unit(u));
	gputm_validation_unit_free(u);
	kit_close(&kit);
}
END_TEST

/* Pass all messages on, round and round, until none is left. */
static void pump(struct gputm_validation_unit **u, unsigned units)
{
	struct gputm_validation_message m;
	bool any = true;

	while (any) {
		any = false;
		for (unsigned i = 0; i < units; i++) {
			if (!gputm_validation_unit_ring_peek(u[i], &m))
				continue;
			ck_assert_int_eq(
				gputm_validation_unit_ring_push(u[(i + 1) % units], &m), 0);
			ck_assert(gputm_validation_unit_ring_pop(u[i]));
			kit_valid(gputm_validation_unit_unit(u[i]));
			any = true;
		}
	}
}

static void rollover_ring(struct kit *kit, unsigned units, unsigned detect)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_unit *u[4];
	unsigned leader = units;

	config.units = units;
	for (unsigned i = 0; i < units; i++) {
		config.id = i;
		u[i] = make(kit, &config);
		ck_assert_int_eq(store(u[i], 0x100, 1, 10), OK);
		ck_assert_int_eq(load(u[i], 0x100, 2, 20), STALLED);
	}
	for (unsigned i = units; i-- > 0;) {
		if (!(detect >> i & 1))
			continue;
		gputm_validation_unit_rollover(u[i]);
		leader = i;
	}
	pump(u, units);
	for (unsigned i = 0; i < units; i++) {
		ck_assert_int_eq(gputm_validation_unit_state(u[i]),
				 i == leader ? GPUTM_VALIDATION_UNIT_ALL_STOPPED :
					       GPUTM_VALIDATION_UNIT_STOPPED);
		ck_assert_int_eq(load(u[i], 0x200, 3, 30), ABORT);
		ck_assert_uint_eq(last.reason, GPUTM_VALIDATION_UNIT_ROLLOVER);
		ck_assert_int_eq(retry(u[i]), ABORT); /* who waited */
		ck_assert_uint_eq(last.tag, 220);
		ck_assert_int_eq(retry(u[i]), NONE);
	}
	ck_assert_int_eq(gputm_validation_unit_rollover_go(u[leader]), 0);
	pump(u, units);
	for (unsigned k = 0; k < units; k++) { /* one after the other, from the leader on */
		unsigned i = (leader + k) % units;

		ck_assert_int_eq(gputm_validation_unit_state(u[i]), GPUTM_VALIDATION_UNIT_ROLLING);
		cell(u[i], 0x100, 11, 0, 1, 1);
		release(u[i], 0x100, 1, 10, 1);
		ck_assert_int_eq(gputm_validation_unit_state(u[i]), GPUTM_VALIDATION_UNIT_RUNNING);
		cell(u[i], 0x100, 0, 0, 0, 0);
		pump(u, units);
	}
	for (unsigned i = 0; i < units; i++) {
		ck_assert_int_eq(load(u[i], 0x100, 1, 0), OK);
		ck_assert_uint_eq(kit_stat(gputm_validation_unit_unit(u[i]), "rollovers"), 1);
		gputm_validation_unit_free(u[i]);
	}
}

START_TEST(test_rollover_ring)
{
	struct kit kit;

	kit_open(&kit);
	for (unsigned units = 1; units <= 4; units++)
		for (unsigned detect = 1; detect < 1u << units; detect++)
			rollover_ring(&kit, units, detect);
	kit_close(&kit);
}
END_TEST

START_TEST(test_rollover_begins_at_the_margin)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_message m;
	struct gputm_validation_unit *u;
	struct kit kit;

	config.time_bits = 6;
	config.margin = 10;
	kit_open(&kit);
	u = make(&kit, &config);
	ck_assert_int_eq(load(u, 0, 1, 52), OK);
	ck_assert_int_eq(gputm_validation_unit_state(u), GPUTM_VALIDATION_UNIT_RUNNING);
	ck_assert_int_eq(load(u, 0, 1, 53), OK);
	ck_assert_int_eq(gputm_validation_unit_state(u), GPUTM_VALIDATION_UNIT_STOPPED);
	ck_assert(gputm_validation_unit_ring_peek(u, &m));
	ck_assert_uint_eq(m.go, 0);
	ck_assert_uint_eq(m.from, 0);
	ck_assert(gputm_validation_unit_ring_pop(u));
	ck_assert(!gputm_validation_unit_ring_pop(u));
	gputm_validation_unit_free(u);
	kit_close(&kit);
}
END_TEST

/* ---- the oracle ---- */

struct run {
	struct kit kit;
	struct gputm_validation_unit *u;
	struct oracle_validation_unit o;
	uint64_t random, sequence[6];
};

static void random_access(struct run *r)
{
	uint32_t warp = (uint32_t)kit_below(&r->random, 6);
	struct gputm_validation_request q = { kit_random(&r->random), 0,
					      kit_below(&r->random, 30), r->sequence[warp], warp,
					      kit_below(&r->random, 2) };
	uint64_t time = 0;
	int probe, mine;

	q.address = kit_below(&r->random, 4) * r->o.config.granularity;
	if (kit_below(&r->random, 4) == 0)
		r->sequence[warp]++;
	probe = gputm_validation_unit_access_probe(r->u, &q);
	mine = gputm_validation_unit_access(r->u, &q, &last);
	ck_assert_int_eq(mine, probe);
	ck_assert_int_eq(mine, oracle_validation_unit_access(&r->o, &q, &time));
	ck_assert_uint_eq(last.time, time);
}

static void random_retry(struct run *r)
{
	uint64_t tag = 0, time = 0;
	int result = gputm_validation_unit_retry(r->u, &last);

	ck_assert_int_eq(result, oracle_validation_unit_retry(&r->o, &tag, &time));
	if (result == NONE)
		return;
	ck_assert_uint_eq(last.tag, tag);
	ck_assert_uint_eq(last.time, time);
}

static void random_release(struct run *r)
{
	unsigned g = (unsigned)kit_below(&r->random, 4);
	uint32_t count = (uint32_t)kit_below(&r->random, 3);
	uint64_t address = g * r->o.config.granularity;
	uint32_t warp = r->o.granule[g].owner;
	uint64_t sequence = r->o.granule[g].sequence;

	if (kit_below(&r->random, 8) == 0)
		warp = (warp + 1) % 6;
	ck_assert_int_eq(gputm_validation_unit_release(r->u, address, warp, sequence, count, NULL),
			 oracle_validation_unit_release(&r->o, address, warp, sequence, count));
}

static void same_granules(struct run *r)
{
	for (unsigned g = 0; g < 4; g++)
		cell(r->u, g * r->o.config.granularity,
		     r->o.granule[g].wts.ever ? r->o.granule[g].wts.time + 1 : 0,
		     r->o.granule[g].rts.ever ? r->o.granule[g].rts.time : 0,
		     r->o.granule[g].writes, (int)r->o.granule[g].owner);
}

START_TEST(test_validation_unit_random)
{
	static struct run r;

	for (uint64_t seed = 0; seed < kit_scale(40, 4); seed++) {
		memset(&r, 0, sizeof(r));
		r.random = seed;
		r.o.config = (struct gputm_validation_unit_config)GPUTM_VALIDATION_UNIT_CONFIG_INIT;
		r.o.config.paper_order = seed & 1;
		r.o.config.stall_lines = 1 + (uint32_t)kit_below(&r.random, 4);
		r.o.config.stall_requests = 1 + (uint32_t)kit_below(&r.random, 4);
		r.o.config.granularity = 4u << kit_below(&r.random, 6);
		kit_open(&r.kit);
		r.u = make(&r.kit, &r.o.config);
		for (unsigned i = 0; i < 600; i++) {
			uint64_t what = kit_below(&r.random, 6);

			if (what < 3)
				random_access(&r);
			else if (what == 3)
				random_retry(&r);
			else
				random_release(&r);
			same_granules(&r);
			kit_valid(gputm_validation_unit_unit(r.u));
			if (i % 60 == 59)
				r.u = (struct gputm_validation_unit *)(void *)kit_swap(
					&validation_unit_maker, &r.kit,
					gputm_validation_unit_unit(r.u));
		}
		gputm_validation_unit_free(r.u);
		kit_close(&r.kit);
	}
}
END_TEST

/* An observed unit processes each access step by step: no answer and no state is another. */
static void ignore(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	(void)unit;
	(void)event;
	++*(unsigned *)state;
}

static void twin_step(struct gputm_validation_unit *twin[2], uint64_t *random, unsigned seen[])
{
	uint32_t warp = (uint32_t)kit_below(random, 6), granule = (uint32_t)kit_below(random, 12);
	struct gputm_validation_request r = { kit_random(random), granule * 32,
					      kit_below(random, 30), 1, warp,
					      kit_below(random, 2) };
	struct gputm_validation_answer answer[2] = { { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 } };
	uint64_t what = kit_below(random, 4);
	int result[2];

	for (unsigned i = 0; i < 2; i++)
		result[i] = what < 2 ? gputm_validation_unit_access(twin[i], &r, &answer[i]) :
			    what == 2 ? gputm_validation_unit_retry(twin[i], &answer[i]) :
			    gputm_validation_unit_release(twin[i], r.address, warp, 1, 1, NULL);
	ck_assert_int_eq(result[0], result[1]);
	ck_assert_uint_eq(answer[0].tag, answer[1].tag);
	ck_assert_uint_eq(answer[0].time, answer[1].time);
	ck_assert_uint_eq(answer[0].reason, answer[1].reason);
	ck_assert_uint_eq(answer[0].cycles, answer[1].cycles);
	if (what < 2 && result[0] == STALLED)
		seen[GPUTM_VALIDATION_UNIT_REASONS]++;
	else if (what < 2)
		seen[answer[0].reason]++;
}

START_TEST(test_usual_accesses_are_answered_alike)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	unsigned seen[GPUTM_VALIDATION_UNIT_REASONS + 1] = { 0 }, events = 0;
	struct gputm_validation_unit *twin[2];
	uint64_t random = 11;
	struct kit kit;

	config.entries = 4;
	config.stall_lines = 2;
	config.stall_requests = 2;
	config.count_bits = 2;
	kit_open(&kit);
	for (unsigned i = 0; i < 2; i++)
		twin[i] = make(&kit, &config);
	gputm_unit_observe(gputm_validation_unit_unit(twin[1]), ignore, &events);
	for (unsigned i = 0; i < kit_scale(20000, 2000); i++) {
		twin_step(twin, &random, seen);
		ck_assert_uint_eq(kit_digest(gputm_validation_unit_unit(twin[0])),
				  kit_digest(gputm_validation_unit_unit(twin[1])));
	}
	for (unsigned i = 0; i <= GPUTM_VALIDATION_UNIT_REASONS; i++)
		ck_assert(seen[i] || i == GPUTM_VALIDATION_UNIT_ROLLOVER ||
			  i == GPUTM_VALIDATION_UNIT_COUNT);
	ck_assert_uint_gt(events, 0);
	kit_valid(gputm_validation_unit_unit(twin[0]));
	for (unsigned i = 0; i < 2; i++)
		gputm_validation_unit_free(twin[i]);
	kit_close(&kit);
}
END_TEST

/* The same bytes by advance() as by ticks, with pushes and pops at the same cycles. */
START_TEST(test_advance_is_so_many_ticks)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_unit *a, *b;
	uint64_t random = 77;
	struct kit kit;

	config.ways = 1;
	config.entries = 2;
	config.stash = 1;
	config.memory_latency = 7;
	kit_open(&kit);
	a = make(&kit, &config);
	b = make(&kit, &config);
	for (unsigned i = 0; i < kit_scale(3000, 200); i++) {
		uint32_t warp = (uint32_t)kit_below(&random, 6);
		struct gputm_validation_request r = { i, kit_below(&random, 8) * 32,
						      kit_below(&random, 30), 1, warp,
						      kit_below(&random, 2) };
		uint64_t cycles = kit_below(&random, 20), address = kit_below(&random, 8) * 32;
		struct gputm_validation_granule g;

		ck_assert_int_eq(gputm_validation_unit_push(a, &r),
				 gputm_validation_unit_push(b, &r));
		ck_assert_int_eq(gputm_validation_unit_granule(a, address, &g), 0);
		if (g.writes) {
			release(a, address, g.owner, 1, 1);
			release(b, address, g.owner, 1, 1);
		}
		ck_assert_int_eq(gputm_validation_unit_advance(a, cycles), 0);
		for (uint64_t j = 0; j < cycles; j++) {
			uint64_t quiet = gputm_validation_unit_next_event(b);

			ck_assert_int_eq(gputm_validation_unit_tick(b), 0);
			if (quiet && quiet != UINT64_MAX)
				ck_assert_uint_eq(gputm_validation_unit_next_event(b), quiet - 1);
		}
		ck_assert_uint_eq(kit_digest(gputm_validation_unit_unit(a)),
				  kit_digest(gputm_validation_unit_unit(b)));
		if (kit_below(&random, 2))
			ck_assert_int_eq(gputm_validation_unit_pop(a),
					 gputm_validation_unit_pop(b));
	}
	gputm_validation_unit_free(a);
	gputm_validation_unit_free(b);
	kit_close(&kit);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("validation_unit");
	TCase *tcase = tcase_create("validation_unit");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_validation_unit_life);
	tcase_add_test(tcase, test_validation_unit_relations_of_the_config);
	tcase_add_test(tcase, test_fig_7_two_transfers);
	tcase_add_test(tcase, test_fig_7_two_transfers_in_paper_order);
	tcase_add_test(tcase, test_write_skew_in_paper_order_only);
	tcase_add_test(tcase, test_owner_passes_and_counts);
	tcase_add_test(tcase, test_errata_32_earlier_attempt_of_the_warp);
	tcase_add_test(tcase, test_errata_44_a_retries_wake_the_next);
	tcase_add_test(tcase, test_errata_44_b_granted_store_wakes_who_fails);
	tcase_add_test(tcase, test_errata_44_c_own_warp_wakes);
	tcase_add_test(tcase, test_full_stall_buffer_aborts);
	tcase_add_test(tcase, test_validation_unit_misuse_changes_nothing);
	tcase_add_test(tcase, test_timing_access);
	tcase_add_test(tcase, test_ports_are_tight);
	tcase_add_test(tcase, test_rollover_ring);
	tcase_add_test(tcase, test_rollover_begins_at_the_margin);
	tcase_add_test(tcase, test_validation_unit_random);
	tcase_add_test(tcase, test_usual_accesses_are_answered_alike);
	tcase_add_test(tcase, test_advance_is_so_many_ticks);
	suite_add_tcase(suite, tcase);
	return kit_run(suite);
}
