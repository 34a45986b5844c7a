/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of thread_compactor: life, Fig. 3.5 and 3.7, timing, static warps, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/thread_compactor.h"

KIT_UNIT(thread_compactor, THREAD_COMPACTOR);

/* The mask of threads counted from 1, in blocks of four lanes; 0 ends the list. */
static void threads_of(uint64_t mask[4], const unsigned *thread)
{
	memset(mask, 0, 4 * sizeof(*mask));
	for (; *thread; thread++)
		mask[(*thread - 1) % 4] |= UINT64_C(1) << (*thread - 1) / 4;
}

/* The next warp has these threads, counted from 1, 0 for none. */
static struct gputm_thread_compactor_warp expect_warp(struct gputm_thread_compactor *c,
						      const unsigned thread[4])
{
	struct gputm_thread_compactor_warp warp;

	ck_assert_int_eq(gputm_thread_compactor_peek(c, &warp), 1);
	for (unsigned lane = 0; lane < 4; lane++) {
		ck_assert_uint_eq(warp.mask >> lane & 1, thread[lane] != 0);
		ck_assert_uint_eq(warp.thread[lane], thread[lane]
							     ? thread[lane] - 1
							     : GPUTM_THREAD_COMPACTOR_NO_THREAD);
	}
	kit_valid(unit_of(c));
	return warp;
}

static void expect_buffers(const struct gputm_thread_compactor *c, const uint64_t buffer[4])
{
	for (unsigned lane = 0; lane < 4; lane++)
		ck_assert_uint_eq(gputm_thread_compactor_buffer(c, lane), buffer[lane]);
}

KIT_MADE(test_thread_compactor_configs, c, "lanes=32 warps=32 compact=1")
{
	ck_assert(!with("static").compact);
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(c)), 1024);
}

KIT_MADE(test_fig_3_5_compactor, c, "lanes=4 warps=2 compact=1")
{
	const unsigned entry_c[] = { 1, 6, 7, 0 }, entry_b[] = { 2, 3, 4, 5, 8, 0 };
	uint64_t mask[4];

	threads_of(mask, entry_c);
	ck_assert_int_eq(gputm_thread_compactor_push(c, 7, mask), GPUTM_THREAD_COMPACTOR_OK);
	ck_assert_uint_eq(gputm_thread_compactor_warps(c), 1);
	gputm_thread_compactor_tick(c);
	ck_assert_uint_eq(expect_warp(c, (const unsigned[]){ 1, 6, 7, 0 }).tag, 7);
	ck_assert(gputm_thread_compactor_pop(c));
	threads_of(mask, entry_b);
	ck_assert_int_eq(gputm_thread_compactor_push(c, 8, mask), GPUTM_THREAD_COMPACTOR_OK);
	ck_assert_uint_eq(gputm_thread_compactor_warps(c), 2);
	gputm_thread_compactor_tick(c);
	expect_warp(c, (const unsigned[]){ 5, 2, 3, 4 });
	ck_assert(gputm_thread_compactor_pop(c));
	gputm_thread_compactor_tick(c);
	ck_assert_uint_eq(expect_warp(c, (const unsigned[]){ 0, 0, 0, 8 }).index, 1);
	ck_assert(gputm_thread_compactor_pop(c));
	ck_assert_uint_eq(gputm_thread_compactor_warps(c), 0);
}

/* Entry C, and the continuation with B and D, with the buffers of each cycle. */
KIT_MADE(test_fig_3_7_compactor, c, "lanes=4 warps=3 compact=1")
{
	/* 010 100 101 110 in the figure: W1 is its first bit, and bit 0 here. */
	const uint64_t start[] = { 2, 1, 5, 3 }, after[] = { 0, 0, 4, 2 }, none[4] = { 0 };
	const unsigned entry_b[] = { 1, 6, 7, 9, 10, 12, 0 };
	struct gputm_thread_compactor_warp warp;
	uint64_t mask[4];

	ck_assert_int_eq(gputm_thread_compactor_push(c, 0, start), 0);
	ck_assert_uint_eq(gputm_thread_compactor_warps(c), 2);
	ck_assert_int_eq(gputm_thread_compactor_peek(c, &warp), 0);
	expect_buffers(c, start);
	ck_assert_uint_eq(gputm_thread_compactor_next_event(c), 0);
	gputm_thread_compactor_tick(c);
	expect_warp(c, (const unsigned[]){ 5, 2, 3, 4 });
	expect_buffers(c, after);
	kit_round_trip(&thread_compactor_maker, unit_of(c));
	kit_hostile(&thread_compactor_maker, unit_of(c));
	ck_assert(gputm_thread_compactor_pop(c));
	ck_assert_int_eq(gputm_thread_compactor_peek(c, &warp), 0);
	gputm_thread_compactor_tick(c);
	expect_warp(c, (const unsigned[]){ 0, 0, 11, 8 });
	expect_buffers(c, none);
	ck_assert_uint_eq(gputm_thread_compactor_next_event(c), UINT64_MAX);
	ck_assert(gputm_thread_compactor_pop(c));
	threads_of(mask, entry_b);
	ck_assert_int_eq(gputm_thread_compactor_push(c, 0, mask), 0);
	gputm_thread_compactor_advance(c, 2);
	expect_warp(c, (const unsigned[]){ 1, 6, 7, 12 });
	ck_assert(gputm_thread_compactor_pop(c));
	expect_warp(c, (const unsigned[]){ 9, 10, 0, 0 });
	ck_assert(gputm_thread_compactor_pop(c));
	for (unsigned lane = 0; lane < 4; lane++)
		mask[lane] = 7;
	ck_assert_int_eq(gputm_thread_compactor_push(c, 0, mask), 0);
	for (unsigned w = 0; w < 3; w++) {
		gputm_thread_compactor_tick(c);
		expect_warp(c, (const unsigned[]){ 4 * w + 1, 4 * w + 2, 4 * w + 3, 4 * w + 4 });
		ck_assert(gputm_thread_compactor_pop(c));
	}
}

KIT_MADE(test_thread_compactor_busy, c, "lanes=4 warps=2 compact=1")
{
	const uint64_t mask[] = { 3, 0, 1, 0 };
	uint64_t digest;

	ck_assert(!gputm_thread_compactor_pop(c));
	ck_assert_int_eq(gputm_thread_compactor_push_probe(c, mask), GPUTM_THREAD_COMPACTOR_OK);
	ck_assert_int_eq(gputm_thread_compactor_push(c, 1, mask), GPUTM_THREAD_COMPACTOR_OK);
	for (unsigned warp = 0; warp < 2; warp++) {
		digest = kit_digest(unit_of(c));
		ck_assert_int_eq(gputm_thread_compactor_push_probe(c, mask),
				 GPUTM_THREAD_COMPACTOR_BUSY);
		ck_assert_int_eq(gputm_thread_compactor_push(c, 1, mask),
				 GPUTM_THREAD_COMPACTOR_BUSY);
		ck_assert(!gputm_thread_compactor_pop(c));
		ck_assert_uint_eq(kit_digest(unit_of(c)), digest);
		gputm_thread_compactor_tick(c);
		ck_assert_int_eq(gputm_thread_compactor_push(c, 1, mask),
				 GPUTM_THREAD_COMPACTOR_BUSY);
		ck_assert(gputm_thread_compactor_pop(c));
	}
	ck_assert_int_eq(gputm_thread_compactor_push(c, 1, mask), GPUTM_THREAD_COMPACTOR_OK);
}

KIT_MADE(test_thread_compactor_misuse_changes_nothing, c, "lanes=4 warps=2 compact=1")
{
	const uint64_t outside[] = { 1, 4, 0, 0 }, empty[4] = { 0 };

	kit_guard(kit, unit_of(c));
	KIT_REFUSED(-ERANGE, gputm_thread_compactor_push(c, 0, outside),
		    "static warp", "= 2", "0 .. 1");
	KIT_REFUSED(-ERANGE, gputm_thread_compactor_push_probe(c, outside), "");
	KIT_REFUSED(-EINVAL, gputm_thread_compactor_push(c, 0, empty), "no thread");
	kit_unchanged(kit);
	ck_assert_uint_eq(gputm_thread_compactor_buffer(c, 4), 0);
}

/* Warps that wait to be taken are those of their mask in another unit, too. */
KIT_MADE(test_thread_compactor_tag_in_a_snapshot, c, "lanes=4 warps=2 compact=1")
{
	const uint64_t mask[] = { 3, 0, 1, 0 };
	struct gputm_thread_compactor_warp warp;

	ck_assert_int_eq(gputm_thread_compactor_push(c, 4711, mask), GPUTM_THREAD_COMPACTOR_OK);
	gputm_thread_compactor_tick(c);
	gputm_thread_compactor_tick(c);
	c = KIT_SWAP(thread_compactor, c);
	for (uint32_t k = 0; k < 2; k++) {
		ck_assert(gputm_thread_compactor_peek(c, &warp));
		KIT_HAS(warp, tag, 4711, index, k);
		ck_assert(gputm_thread_compactor_pop(c));
	}
}

/* A snapshot of a mask that loses its only thread is refused. */
KIT_MADE(test_thread_compactor_one_thread, c, "lanes=4 warps=2 compact=1")
{
	const uint64_t mask[] = { 0, 2, 0, 0 };

	ck_assert_int_eq(gputm_thread_compactor_push(c, 1, mask), GPUTM_THREAD_COMPACTOR_OK);
	ck_assert_uint_eq(gputm_thread_compactor_buffer(c, 1), 2);
	ck_assert_uint_eq(gputm_thread_compactor_buffer(c, 4), 0);
	ck_assert_uint_eq(gputm_thread_compactor_buffer(c, UINT32_MAX), 0);
	kit_hostile(&thread_compactor_maker, unit_of(c));
}

static void draw_mask(uint64_t mask[], unsigned lanes, unsigned warps, uint64_t *random)
{
	uint64_t all = warps == 32 ? UINT32_MAX : (UINT64_C(1) << warps) - 1;
	unsigned how = (unsigned)kit_below(random, 4);

	for (unsigned lane = 0; lane < lanes; lane++) {
		uint64_t a = kit_random(random), b = kit_random(random);

		mask[lane] = all & (how == 0 ? a : how == 1 ? a & b : how == 2 ? a | b : a & 3);
	}
	mask[kit_below(random, lanes)] |= 1;
}

/* One mask through both; sometimes by advance(), sometimes swapped on the way. */
/* A unit, its oracle, and the warps that the oracle has made of the mask in the unit. */
struct pair {
	struct gputm_thread_compactor *c;
	struct oracle_thread_compactor o;
	unsigned made, popped, left;
	uint64_t tag, mask[32];
	uint16_t thread[32][64];
};

static void push(struct pair *p, struct kit_bytes *bytes)
{
	uint64_t mask[64] = { 0 }, any = 0, all = UINT32_MAX >> (32 - p->o.warps);
	bool beyond = kit_draw(bytes, 16) == 0;
	unsigned how = kit_u32(bytes, 4);
	int result;

	for (unsigned lane = 0; lane < p->o.lanes; lane++) {
		uint64_t x = kit_number(bytes, 4), y = how ? kit_number(bytes, 4) : 0;

		mask[lane] = how == 0 ? x : how == 1 ? x & y : how == 2 ? x | y : x & y & 3;
		mask[lane] &= beyond ? UINT64_MAX : all;
		any |= mask[lane];
	}
	result = gputm_thread_compactor_push_probe(p->c, mask);
	ck_assert_int_eq(gputm_thread_compactor_push(p->c, ++p->tag, mask), result);
	if (any & ~all || !any)
		ck_assert_int_eq(result, any ? -ERANGE : -EINVAL);
	p->tag -= result != 0;
	if (result)
		return;
	oracle_thread_compactor_load(&p->o, mask);
	p->made = p->popped = 0;
	p->left = gputm_thread_compactor_warps(p->c);
}

static void tick(struct pair *p)
{
	for (unsigned lane = 0; p->left && lane < p->o.lanes; lane++)
		for (unsigned w = 0; w < 32; w++)
			ck_assert_uint_eq(gputm_thread_compactor_buffer(p->c, lane) >> w & 1,
					  p->o.buffer[lane][w]);
	gputm_thread_compactor_tick(p->c);
	p->o.stats.cycles++;
	if (!p->left)
		return;
	p->left--;
	p->mask[p->made] = oracle_thread_compactor_cycle(&p->o, p->thread[p->made]);
	p->made++;
	ck_assert_int_eq(!p->left, !oracle_thread_compactor_left(&p->o));
}

static void pop(struct pair *p)
{
	struct gputm_thread_compactor_warp warp;
	bool some = gputm_thread_compactor_peek(p->c, &warp);

	ck_assert_int_eq(some, p->popped != p->made);
	if (some) {
		KIT_HAS(warp, mask, p->mask[p->popped], index, p->popped);
		ck_assert_uint_eq(warp.tag, p->tag);
		for (unsigned lane = 0; lane < p->o.lanes; lane++)
			ck_assert_uint_eq(warp.thread[lane], p->thread[p->popped][lane]);
	}
	p->popped += some;
	p->o.stats.warps_popped += some;
	ck_assert_int_eq(gputm_thread_compactor_pop(p->c), some);
}

/* A state that no operation leads to still ticks and pops. */
static void bent(struct pair *p, struct kit_bytes *bytes)
{
	struct gputm_unit *unit = unit_of(p->c);

	while (kit_bend(unit, bytes) && kit_more(bytes)) {
		if (kit_draw(bytes, 2))
			gputm_thread_compactor_tick(p->c);
		else
			gputm_thread_compactor_pop(p->c);
		kit_valid(unit);
	}
}

KIT_DRIVE(thread_compactor, 12, 20000)
{
	static const unsigned shape[][2] = { { 1, 1 }, { 3, 5 }, { 32, 32 }, { 64, 16 }, { 5, 32 },
					     { 33, 7 } };
	const unsigned *of = shape[bytes->round / 2 % KIT_COUNT(shape)];
	static struct pair p;

	memset(&p, 0, sizeof(p));
	p.o.lanes = of[0];
	p.o.warps = of[1];
	p.o.compact = bytes->round & 1;
	p.c = make(kit, "lanes=%u warps=%u compact=%u", p.o.lanes, p.o.warps, p.o.compact);
	while (bytes->left > 64) {
		uint64_t what = kit_draw(bytes, 8);

		if (what < 2)
			push(&p, bytes);
		else if (what < 5)
			tick(&p);
		else
			pop(&p);
		p.c = KIT_TURN(thread_compactor, p.c);
	}
	KIT_STATS(unit_of(p.c), &p.o.stats, ORACLE_THREAD_COMPACTOR_STATS);
	bent(&p, bytes);
	KIT_END(thread_compactor, p.c);
}

/* advance(n) is n ticks, to the byte. */
KIT_TEST(test_thread_compactor_advance_is_ticks)
{
	struct gputm_thread_compactor *a, *b;
	uint64_t mask[8], random = 5;

	a = make(kit, "lanes=8 warps=32 compact=1");
	b = make(kit, "lanes=8 warps=32 compact=1");
	for (unsigned i = 0; i < kit_scale(500, 50); i++) {
		uint64_t cycles = kit_below(&random, 20);

		if (!gputm_thread_compactor_warps(a)) {
			draw_mask(mask, 8, 32, &random);
			ck_assert_int_eq(gputm_thread_compactor_push(a, i, mask), 0);
			ck_assert_int_eq(gputm_thread_compactor_push(b, i, mask), 0);
		}
		gputm_thread_compactor_advance(a, cycles);
		while (cycles--)
			gputm_thread_compactor_tick(b);
		ck_assert_uint_eq(kit_digest(unit_of(a)), kit_digest(unit_of(b)));
		for (uint64_t pops = kit_below(&random, 20); pops--;)
			ck_assert_int_eq(gputm_thread_compactor_pop(a),
					 gputm_thread_compactor_pop(b));
	}
}
