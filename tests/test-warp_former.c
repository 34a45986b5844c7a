/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of warp_former: life, the starvation eddy of Fig. 3.3 and its absence with the warp
 * barrier, holding, barriers of a block, misuse, whole kernels against threads that run alone,
 * the oracle.
 */
#include "tests/kernels.h"
#include "tests/oracle/warp_former.h"

#define NONE GPUTM_WARP_FORMER_NO_PC

KIT_UNIT(warp_former, WARP_FORMER);

/* The next warp issues at pc with these threads, counted from 1, 0 for none. Gives its slot. */
static uint32_t issue(struct gputm_warp_former *f, uint64_t pc, const unsigned thread[4])
{
	struct gputm_warp_former_warp probed, warp;

	memset(&probed, 0, sizeof(probed));
	memset(&warp, 0, sizeof(warp));
	ck_assert_int_eq(gputm_warp_former_issue_probe(f, &probed), GPUTM_WARP_FORMER_OK);
	ck_assert_int_eq(gputm_warp_former_issue(f, &warp), GPUTM_WARP_FORMER_OK);
	ck_assert(!memcmp(&probed, &warp, sizeof(warp)));
	ck_assert_uint_eq(warp.pc, pc);
	for (unsigned lane = 0; lane < 4; lane++) {
		ck_assert_uint_eq(warp.mask >> lane & 1, thread[lane] != 0);
		ck_assert_uint_eq(warp.thread[lane],
				  thread[lane] ? thread[lane] - 1 : GPUTM_WARP_FORMER_NO_THREAD);
	}
	kit_valid(unit_of(f));
	return warp.slot;
}

/* A warp of these threads executes at pc and goes on at next_pc, or ends with 0. */
static void one(struct gputm_warp_former *f, uint64_t pc, const unsigned thread[4],
		uint64_t next_pc)
{
	uint32_t slot = issue(f, pc, thread);
	uint64_t mask = 0;

	for (unsigned lane = 0; lane < 4; lane++)
		mask |= (uint64_t)(thread[lane] != 0) << lane;
	if (next_pc)
		ck_assert_int_eq(gputm_warp_former_proceed(f, slot, next_pc), 0);
	else
		ck_assert_int_ge(gputm_warp_former_exit(f, slot, mask), 0);
	kit_valid(unit_of(f));
}

KIT_TEST(test_warp_former_configs)
{
	ck_assert(with("dwf-wb").warp_barrier && !with("dwf-wb").hold_partial);
	ck_assert(!with("dwf").warp_barrier && !with("dwf").hold_partial);
}

/* Both warps at A; threads 1 2 4 and 6 7 take the branch to B, 3 and 5 8 go to C. */
static void branch_at_a(struct gputm_warp_former *f)
{
	const struct gputm_warp_former_target at_a = { 'B', 'C', 'D' };
	uint32_t first, second;

	ck_assert_int_eq(gputm_warp_former_launch(f, 0, 0xf, 'A'), 0);
	ck_assert_int_eq(gputm_warp_former_launch(f, 1, 0xf, 'A'), 0);
	first = issue(f, 'A', (const unsigned[]){ 1, 2, 3, 4 });
	second = issue(f, 'A', (const unsigned[]){ 5, 6, 7, 8 });
	ck_assert_int_eq(gputm_warp_former_branch(f, first, 0xb, &at_a), 0);
	ck_assert_int_eq(gputm_warp_former_branch(f, second, 0x6, &at_a), 0);
}

/* The threads of B are served at D before those of C have come: D takes three warps, not two. */
KIT_MADE(test_fig_3_3_starvation_eddy, f, "lanes=4 warps=2 warp_barrier=0")
{
	branch_at_a(f);
	ck_assert_uint_eq(gputm_warp_former_waiting(f, 'B'), 5);
	ck_assert_uint_eq(gputm_warp_former_waiting(f, 'C'), 3);
	one(f, 'B', (const unsigned[]){ 1, 2, 7, 4 }, 'D');
	kit_round_trip(&warp_former_maker, unit_of(f));
	kit_hostile(&warp_former_maker, unit_of(f));
	one(f, 'D', (const unsigned[]){ 1, 2, 7, 4 }, 0);
	one(f, 'C', (const unsigned[]){ 5, 0, 3, 8 }, 'D');
	one(f, 'D', (const unsigned[]){ 5, 0, 3, 8 }, 0);
	one(f, 'B', (const unsigned[]){ 0, 6, 0, 0 }, 'D');
	one(f, 'D', (const unsigned[]){ 0, 6, 0, 0 }, 0);
	ck_assert_uint_eq(gputm_warp_former_live(f), 0);
	/* A 2, B 2, C 1, D 3. */
	ck_assert_uint_eq(kit_stat(unit_of(f), "issued"), 8);
}

/* The same with the warp barrier: D takes two warps, the static ones. */
KIT_MADE(test_fig_3_3_no_eddy_with_warp_barrier, f, "lanes=4 warps=2 warp_barrier=1")
{
	uint64_t mask, pc;

	branch_at_a(f);
	one(f, 'B', (const unsigned[]){ 1, 2, 7, 4 }, 'D');
	ck_assert(gputm_warp_former_at_warp_barrier(f, 0, &mask, &pc));
	ck_assert_uint_eq(mask, 0xb);
	ck_assert_uint_eq(pc, 'D');
	kit_round_trip(&warp_former_maker, unit_of(f));
	kit_hostile(&warp_former_maker, unit_of(f));
	one(f, 'C', (const unsigned[]){ 5, 0, 3, 8 }, 'D');
	ck_assert(gputm_warp_former_at_warp_barrier(f, 0, &mask, &pc));
	ck_assert_uint_eq(pc, NONE);
	/* The first static warp is whole again; the second waits for thread 6. */
	one(f, 'D', (const unsigned[]){ 1, 2, 3, 4 }, 0);
	one(f, 'B', (const unsigned[]){ 0, 6, 0, 0 }, 'D');
	one(f, 'D', (const unsigned[]){ 5, 6, 7, 8 }, 0);
	ck_assert_uint_eq(gputm_warp_former_live(f), 0);
	kit_counts(unit_of(f), "issued=7 restored=2");
}

/* PCs with equal low bits are told apart, and each is found again. */
KIT_MADE(test_warp_former_pcs_far_apart, f, "lanes=4 warps=4 warp_barrier=0")
{
	const uint64_t far = UINT64_C(1) << 20;

	for (uint32_t warp = 0; warp < 3; warp++)
		ck_assert_int_eq(gputm_warp_former_launch(f, warp, 0x3, 'A' + warp * far), 0);
	ck_assert_int_eq(gputm_warp_former_launch(f, 3, 0xc, 'A' + far), 0);
	for (uint32_t warp = 0; warp < 3; warp++)
		ck_assert_uint_eq(gputm_warp_former_waiting(f, 'A' + warp * far),
				  warp == 1 ? 4 : 2);
	kit_valid(unit_of(f));
}

/* With the barrier nobody joins a static warp that has not diverged; without it they do. */
KIT_TEST(test_section_3_2_1_static_warps_stay_whole)
{
	struct gputm_warp_former *f;

	for (int barrier = 0; barrier < 2; barrier++) {
		f = make(kit, "lanes=4 warps=2 warp_barrier=%d", barrier);
		ck_assert_int_eq(gputm_warp_former_launch(f, 0, 0x3, 'A'), 0);
		ck_assert_int_eq(gputm_warp_former_launch(f, 1, 0xc, 'A'), 0);
		if (barrier) {
			one(f, 'A', (const unsigned[]){ 1, 2, 0, 0 }, 0);
			one(f, 'A', (const unsigned[]){ 0, 0, 7, 8 }, 0);
		} else {
			one(f, 'A', (const unsigned[]){ 1, 2, 7, 8 }, 0);
		}
		ck_assert_uint_eq(gputm_warp_former_live(f), 0);
	}
}

/* A nested branch makes no barrier of its own, and threads that end do not hold the others up. */
KIT_MADE(test_section_3_2_1_top_level_divergence_only, f, "lanes=4 warps=1 warp_barrier=1")
{
	const struct gputm_warp_former_target outer = { 'B', 'C', 'Z' }, inner = { 'E', 'F', 'G' };
	uint64_t mask, pc;
	uint32_t slot;

	ck_assert_int_eq(gputm_warp_former_launch(f, 0, 0xf, 'A'), 0);
	slot = issue(f, 'A', (const unsigned[]){ 1, 2, 3, 4 });
	ck_assert_int_eq(gputm_warp_former_branch(f, slot, 0x7, &outer), 0);
	slot = issue(f, 'B', (const unsigned[]){ 1, 2, 3, 0 });
	ck_assert_int_eq(gputm_warp_former_branch(f, slot, 0x1, &inner), 0);
	ck_assert(gputm_warp_former_at_warp_barrier(f, 0, &mask, &pc));
	ck_assert_uint_eq(pc, 'Z');
	one(f, 'F', (const unsigned[]){ 0, 2, 3, 0 }, 'G');
	one(f, 'G', (const unsigned[]){ 0, 2, 3, 0 }, 'Z');
	one(f, 'C', (const unsigned[]){ 0, 0, 0, 4 }, 0);
	one(f, 'E', (const unsigned[]){ 1, 0, 0, 0 }, 'Z');
	one(f, 'Z', (const unsigned[]){ 1, 2, 3, 0 }, 0);
	ck_assert_uint_eq(kit_stat(unit_of(f), "diverged"), 1);
}

/* A partial warp waits for a thread in flight that has a free lane, and for no other. */
KIT_MADE(test_partial_warp_is_held, f, "lanes=4 warps=2 warp_barrier=0")
{
	const struct gputm_warp_former_target at_a = { 'B', 'C', NONE };
	struct gputm_warp_former_warp warp;
	uint32_t first, second;

	ck_assert_int_eq(gputm_warp_former_issue(f, &warp), GPUTM_WARP_FORMER_EMPTY);
	ck_assert_int_eq(gputm_warp_former_launch(f, 0, 0xf, 'A'), 0);
	ck_assert_int_eq(gputm_warp_former_launch(f, 1, 0x7, 'A'), 0);
	first = issue(f, 'A', (const unsigned[]){ 1, 2, 3, 4 });
	ck_assert_int_eq(gputm_warp_former_issue(f, &warp), GPUTM_WARP_FORMER_HELD);
	ck_assert_int_eq(gputm_warp_former_branch(f, first, 0x3, &at_a), 0);
	second = issue(f, 'A', (const unsigned[]){ 5, 6, 7, 0 });
	/* B has 1 2, C has 3 4; 7 is in flight and could go to B, 5 and 6 to C. */
	ck_assert_int_eq(gputm_warp_former_issue(f, &warp), GPUTM_WARP_FORMER_HELD);
	ck_assert_int_eq(gputm_warp_former_issue_probe(f, &warp), GPUTM_WARP_FORMER_HELD);
	ck_assert_int_eq(gputm_warp_former_exit(f, second, 0x3), GPUTM_WARP_FORMER_OK);
	second = issue(f, 'C', (const unsigned[]){ 0, 0, 3, 4 });
	ck_assert_int_eq(gputm_warp_former_issue(f, &warp), GPUTM_WARP_FORMER_HELD);
	ck_assert_uint_eq(gputm_warp_former_in_flight(f), 2);
}

KIT_MADE(test_warp_former_majority_and_ties, f, "lanes=4 warps=4 warp_barrier=0")
{
	ck_assert_int_eq(gputm_warp_former_launch(f, 0, 0x3, 9), 0);
	ck_assert_int_eq(gputm_warp_former_launch(f, 1, 0x3, 5), 0);
	ck_assert_int_eq(gputm_warp_former_launch(f, 2, 0x7, 7), 0);
	ck_assert_int_eq(gputm_warp_former_launch(f, 3, 0x4, 9), 0);
	one(f, 7, (const unsigned[]){ 9, 10, 11, 0 }, 0);
	one(f, 9, (const unsigned[]){ 1, 2, 15, 0 }, 5);
	/* Lanes 0 and 1 are taken at 5: a second warp there, and the oldest issues first. */
	one(f, 5, (const unsigned[]){ 5, 6, 15, 0 }, 0);
	one(f, 5, (const unsigned[]){ 1, 2, 0, 0 }, 0);
	ck_assert_uint_eq(kit_stat(unit_of(f), "threads_merged"), 2);
}

/* All threads wait at PCs of their own, then all at other ones: the table of PCs grows, then drops
 * those that nobody waits at. Each thread comes twice. */
KIT_MADE(test_warp_former_every_thread_at_a_pc_of_its_own, f,
	 "lanes=4 warps=48 warp_barrier=0 hold_partial=0")
{
	struct gputm_warp_former_warp warp;
	uint64_t seen[2] = { 0 };

	for (uint32_t w = 0; w < 48; w++)
		ck_assert_int_eq(gputm_warp_former_launch(f, w, 0xf, 1), 0);
	while (gputm_warp_former_issue(f, &warp) == GPUTM_WARP_FORMER_OK) {
		const uint32_t thread = warp.thread[__builtin_ctzll(warp.mask)];
		const struct gputm_warp_former_target apart = { 1000 + thread, 2000 + thread,
								9999 };

		if (warp.mask & (warp.mask - 1)) {
			ck_assert_int_eq(gputm_warp_former_branch(f, warp.slot,
								  warp.mask & -warp.mask, &apart),
					 0);
		} else if (warp.pc < 3000) {
			seen[0] += thread;
			ck_assert_int_eq(gputm_warp_former_proceed(f, warp.slot, 3000 + thread), 0);
		} else {
			ck_assert_uint_eq(warp.pc, 3000 + thread);
			seen[1] += thread;
			ck_assert_int_ge(gputm_warp_former_exit(f, warp.slot, warp.mask), 0);
		}
		kit_valid(unit_of(f));
	}
	ck_assert_uint_eq(seen[0], 192 * 191 / 2);
	ck_assert_uint_eq(seen[1], 192 * 191 / 2);
	ck_assert_uint_eq(gputm_warp_former_live(f), 0);
}

KIT_MADE(test_warp_former_block_barrier, f, "lanes=4 warps=4 block_warps=2")
{
	struct gputm_warp_former_warp warp;
	uint32_t slot[4];

	for (uint32_t w = 0; w < 4; w++)
		ck_assert_int_eq(gputm_warp_former_launch(f, w, 0xf, 'A'), 0);
	for (unsigned w = 0; w < 4; w++)
		slot[w] = issue(f, 'A', (const unsigned[]){ 4 * w + 1, 4 * w + 2, 4 * w + 3,
							     4 * w + 4 });
	ck_assert_int_eq(gputm_warp_former_barrier(f, slot[1], 'B'), 0);
	ck_assert_uint_eq(gputm_warp_former_at_block_barrier(f, 1), 0xf);
	KIT_REFUSED(-EINVAL, gputm_warp_former_barrier(f, slot[0], 'X'), "block 0");
	ck_assert_int_eq(gputm_warp_former_barrier(f, slot[2], 'X'), 0);
	ck_assert_int_eq(gputm_warp_former_issue(f, &warp), GPUTM_WARP_FORMER_EMPTY);
	kit_round_trip(&warp_former_maker, unit_of(f));
	ck_assert_int_eq(gputm_warp_former_barrier(f, slot[0], 'B'), 0);
	ck_assert_uint_eq(gputm_warp_former_waiting(f, 'B'), 8);
	one(f, 'B', (const unsigned[]){ 1, 2, 3, 4 }, 0);
	one(f, 'B', (const unsigned[]){ 5, 6, 7, 8 }, 0);
	/* The last ones of the other block end instead of coming. */
	ck_assert_int_eq(gputm_warp_former_exit(f, slot[3], 0x7), GPUTM_WARP_FORMER_OK);
	ck_assert_int_eq(gputm_warp_former_issue(f, &warp), GPUTM_WARP_FORMER_EMPTY);
	ck_assert_int_eq(gputm_warp_former_exit(f, slot[3], 0x8), GPUTM_WARP_FORMER_OK);
	one(f, 'X', (const unsigned[]){ 9, 10, 11, 12 }, 0);
	ck_assert_uint_eq(kit_stat(unit_of(f), "barriers"), 2);
}

KIT_MADE(test_warp_former_misuse_changes_nothing, f, "lanes=4 warps=2 warp_barrier=1")
{
	const struct gputm_warp_former_target wide = { 1, 2, UINT64_C(1) << 32 };
	struct gputm_unit *unit;
	uint64_t mask, pc;
	uint32_t slot;

	unit = unit_of(f);
	kit_guard(kit, unit);
	KIT_REFUSED(-ERANGE, gputm_warp_former_launch(f, 2, 1, 0), "warp = 2", "0 .. 1");
	KIT_REFUSED(-EINVAL, gputm_warp_former_launch(f, 0, 0x10, 0), "0x10", "0xf");
	KIT_REFUSED(-EINVAL, gputm_warp_former_launch(f, 0, 0, 0), "");
	KIT_REFUSED(-ERANGE, gputm_warp_former_launch(f, 0, 1, NONE), "");
	kit_unchanged(kit);
	ck_assert_int_eq(gputm_warp_former_launch(f, 0, 3, 'A'), 0);
	KIT_REFUSED(-EINVAL, gputm_warp_former_launch(f, 0, 4, 'A'), "");
	KIT_REFUSED(-EINVAL, gputm_warp_former_proceed(f, 0, 1), "slot 0");
	slot = issue(f, 'A', (const unsigned[]){ 1, 2, 0, 0 });
	kit_guard(kit, unit);
	KIT_REFUSED(-EINVAL, gputm_warp_former_proceed(f, slot + 1, 1), "");
	KIT_REFUSED(-EINVAL, gputm_warp_former_proceed(f, 4711, 1), "");
	KIT_REFUSED(-ERANGE, gputm_warp_former_proceed(f, slot, UINT64_C(1) << 32), "");
	KIT_REFUSED(-EINVAL, gputm_warp_former_branch(f, slot, 4, &wide), "");
	KIT_REFUSED(-ERANGE, gputm_warp_former_branch(f, slot, 1, &wide), "rpc");
	KIT_REFUSED(-EINVAL, gputm_warp_former_exit(f, slot, 0), "");
	KIT_REFUSED(-EINVAL, gputm_warp_former_exit(f, slot, 6), "");
	KIT_REFUSED(-ERANGE, gputm_warp_former_barrier(f, slot, NONE), "");
	KIT_REFUSED(-EINVAL, gputm_warp_former_barrier(f, slot + 1, 1), "");
	ck_assert(!gputm_warp_former_at_warp_barrier(f, 2, &mask, &pc));
	ck_assert_uint_eq(gputm_warp_former_at_block_barrier(f, 2), 0);
	kit_unchanged(kit);
}

/* ---- whole kernels ---- */

#define LANES 4
#define WARPS 6
#define THREADS (LANES * WARPS)

/* A loop with a hammock in it, whose left side ends some threads, and one after it. */
static const struct block kernel[] = {
	{ 'A', 'B', 'B', 0, 0, 0 },   { 'B', 'C', 'F', 'F', 0, 0 }, { 'C', 'D', 'E', 'G', 0, 0 },
	{ 'D', 'G', 'G', 0, 0, 7 },   { 'E', 'G', 'G', 0, 0, 0 },   { 'G', 'B', 'B', 0, 0, 0 },
	{ 'F', 'H', 'I', 'Z', 0, 0 }, { 'H', 'Z', 'Z', 0, 0, 0 },   { 'I', 'Z', 'Z', 0, 0, 0 },
	{ 'Z', 0, 0, 0, 0, 1 },
};

static void step(struct gputm_warp_former *f, const struct gputm_warp_former_warp *w,
		 struct path path[], uint64_t seed)
{
	const struct block *b = block_at(kernel, w->pc);
	const struct gputm_warp_former_target target = { (uint64_t)b->taken, (uint64_t)b->other,
							 (uint64_t)b->rpc };
	uint64_t ended, taken = execute_all(path, w->thread, w->mask, seed, b, &ended);

	for (unsigned lane = 0; w->mask >> lane; lane++)
		ck_assert(!(w->mask >> lane & 1) || w->thread[lane] % LANES == lane);
	if (ended)
		ck_assert_int_ge(gputm_warp_former_exit(f, w->slot, ended), 0);
	if (ended == w->mask)
		return;
	if (b->taken == b->other)
		ck_assert_int_eq(gputm_warp_former_proceed(f, w->slot, target.taken_pc), 0);
	else
		ck_assert_int_eq(gputm_warp_former_branch(f, w->slot, taken, &target), 0);
}

/* Up to three warps are in flight and come back in any order. */
static void run_kernel(struct kit *kit, bool barrier, bool hold, uint64_t seed)
{
	struct gputm_warp_former_warp flying[3];
	struct path path[THREADS] = { { 0, 0, false } };
	struct gputm_warp_former *f = make(kit, "lanes=%d warps=%d warp_barrier=%d hold_partial=%d",
					   LANES, WARPS, barrier, hold);
	unsigned count = 0;
	uint64_t random = seed;

	for (uint32_t w = 0; w < WARPS; w++)
		ck_assert_int_eq(gputm_warp_former_launch(f, w, 0xf, 'A'), 0);
	while (gputm_warp_former_live(f)) {
		unsigned which;

		if (count < 3 && kit_below(&random, 2) &&
		    gputm_warp_former_issue(f, &flying[count]) == GPUTM_WARP_FORMER_OK)
			count++;
		if (!count) /* something can always issue when nothing is in flight */
			ck_assert_int_eq(gputm_warp_former_issue_probe(f, &flying[0]), 0);
		if (!count || kit_below(&random, 2))
			continue;
		which = (unsigned)kit_below(&random, count);
		step(f, &flying[which], path, seed);
		flying[which] = flying[--count];
		kit_valid(unit_of(f));
	}
	same_as_alone(kernel, path, THREADS, seed);
}

KIT_TEST(test_warp_former_kernels_as_threads_alone)
{
	for (unsigned i = 0; i < kit_scale(100, 8); i++)
		run_kernel(kit, i & 1, i & 2, i);
}

KIT_MADE(test_warp_former_reset_forgets_all_pcs, f, "lanes=4 warps=32")
{
	struct gputm_warp_former_warp warp;

	for (uint32_t w = 0; w < 32; w++)
		ck_assert_int_eq(gputm_warp_former_launch(f, w, 0xf, 'A' + w), 0);
	gputm_unit_reset(unit_of(f));
	kit_valid(unit_of(f));
	ck_assert_int_eq(gputm_warp_former_launch(f, 0, 1, 'z'), 0);
	ck_assert_int_eq(gputm_warp_former_issue(f, &warp), GPUTM_WARP_FORMER_OK);
	ck_assert_uint_eq(warp.pc, 'z');
}

/* ---- any operations against the oracle; at last, perhaps, from a bent state ---- */

struct pair {
	struct gputm_warp_former *unit;
	struct oracle_warp_former oracle;
};

static uint64_t draw_pc(struct kit_bytes *bytes)
{
	uint64_t byte = kit_number(bytes, 1);

	return byte >= 0xf0 ? NONE : byte % (byte & 0xe0 ? 5 : 17);
}

static uint64_t draw_lanes(struct kit_bytes *bytes, uint64_t of)
{
	uint64_t byte = kit_number(bytes, 1);

	return byte < 4 ? byte : byte < 128 ? of : kit_number(bytes, 2) & of;
}

static void launch(struct pair *p, struct kit_bytes *bytes)
{
	uint32_t warp = kit_u32(bytes, p->oracle.warps + 1);
	uint64_t mask = kit_u32(bytes, UINT32_C(2) << p->oracle.lanes), pc = draw_pc(bytes);

	if (mask >> p->oracle.lanes && kit_number(bytes, 1) < 0xe0)
		mask >>= 1;
	ck_assert_int_eq(gputm_warp_former_launch(p->unit, warp, mask, pc),
			 oracle_former_launch(&p->oracle, warp, mask, pc));
}

static void pop(struct pair *p)
{
	struct gputm_warp_former_warp probed, warp;
	unsigned slot = 0;
	int result = gputm_warp_former_issue_probe(p->unit, &probed);

	ck_assert_int_eq(gputm_warp_former_issue(p->unit, &warp), result);
	ck_assert_int_eq(oracle_former_pop(&p->oracle, &slot), result);
	ck_assert(result || (warp.slot == slot && probed.slot == slot));
}

static void give_back(struct pair *p, struct kit_bytes *bytes, uint64_t what, uint32_t slot)
{
	const struct gputm_warp_former_target target = { draw_pc(bytes), draw_pc(bytes),
							 draw_pc(bytes) };
	uint64_t lanes = draw_lanes(bytes, oracle_former_mask(&p->oracle, slot));

	if (what < 4)
		ck_assert_int_eq(gputm_warp_former_branch(p->unit, slot, lanes, &target),
				 oracle_former_branch(&p->oracle, slot, lanes, &target));
	else if (what < 6)
		ck_assert_int_eq(gputm_warp_former_proceed(p->unit, slot, target.rpc),
				 oracle_former_advance(&p->oracle, slot, target.rpc));
	else if (what < 7)
		ck_assert_int_eq(gputm_warp_former_exit(p->unit, slot, lanes),
				 oracle_former_exit(&p->oracle, slot, lanes));
	else
		ck_assert_int_eq(gputm_warp_former_barrier(p->unit, slot, target.taken_pc),
				 oracle_former_barrier(&p->oracle, slot, target.taken_pc));
}

static void any_operation(struct gputm_warp_former *f, struct kit_bytes *bytes)
{
	const struct gputm_warp_former_target target = { draw_pc(bytes), draw_pc(bytes),
							 draw_pc(bytes) };
	struct gputm_warp_former_warp warp = { 0, 0, 0, { 0 }, 0 };
	uint32_t slot = kit_u32(bytes, 30);
	bool flying = false;
	int ignored = 0;

	if (gputm_warp_former_get_warp(f, slot, &warp, &flying) <= 0 || !flying) {
		ignored = gputm_warp_former_issue(f, &warp);
		kit_valid(unit_of(f));
		return;
	}
	switch (kit_u32(bytes, 4)) {
	case 0:
		ignored = gputm_warp_former_branch(f, slot, draw_lanes(bytes, warp.mask), &target);
		break;
	case 1: ignored = gputm_warp_former_proceed(f, slot, target.taken_pc); break;
	case 2:
		ignored = gputm_warp_former_exit(f, slot, draw_lanes(bytes, warp.mask));
		break;
	default:
		ignored = gputm_warp_former_barrier(f, slot, target.taken_pc);
	}
	(void)ignored;
	kit_valid(unit_of(f));
}

static uint32_t find_flying(const struct pair *p, uint32_t from)
{
	for (uint32_t i = 0; i < p->oracle.lanes * p->oracle.warps; i++) {
		uint32_t slot = (from + i) % (p->oracle.lanes * p->oracle.warps);

		if (p->oracle.pool[slot].used && p->oracle.pool[slot].flying)
			return slot;
	}
	return from;
}

KIT_DRIVE(warp_former, 24, 16000)
{
	static const unsigned shape[][3] = { { 4, 4, 2 }, { 1, 9, 4 }, { 9, 3, 1 }, { 5, 7, 48 } };
	const unsigned any[3] = { 1 + kit_u32(bytes, 6), 1 + kit_u32(bytes, 5),
				  1 + kit_u32(bytes, 5) };
	const unsigned *of = bytes->round < 16 ? shape[bytes->round / 4] : any;
	struct gputm_warp_former_config config =
		with("lanes=%u warps=%u block_warps=%u pc_bits=4", of[0], of[1], of[2]);
	static struct pair p;
	bool bends = false;

	config.warp_barrier = bytes->round & 1;
	config.hold_partial = bytes->round >> 1 & 1;
	p.oracle = (struct oracle_warp_former){ .lanes = of[0], .warps = of[1],
						.block_warps = of[2], .pc_max = 15,
						.warp_barrier = config.warp_barrier,
						.hold = config.hold_partial };
	ck_assert_int_eq(gputm_warp_former_new(kit->ctx, &config, &p.unit), 0);
	kit_observe(unit_of(p.unit));
	while (kit_more(bytes)) {
		uint64_t what = kit_number(bytes, 1), at = kit_number(bytes, 1);
		const char *differs;

		bends = what >= 0xf0 && bytes->left < 64;
		if (bends)
			break;
		if (what % 16 < 3)
			launch(&p, bytes);
		else if (what % 16 < 8)
			pop(&p);
		else
			give_back(&p, bytes, what % 16 - 8,
				  what < 0x10 ? (uint32_t)at : find_flying(&p, (uint32_t)at));
		p.unit = KIT_TURN(warp_former, p.unit);
		differs = oracle_former_compare(&p.oracle, p.unit);
		ck_assert_msg(!differs, "%s", differs);
	}
	KIT_STATS(unit_of(p.unit), &p.oracle.stats, ORACLE_WARP_FORMER_STATS);
	if (bends && kit_bend(unit_of(p.unit), bytes))
		while (kit_more(bytes))
			any_operation(p.unit, bytes);
	KIT_END(warp_former, p.unit);
}
