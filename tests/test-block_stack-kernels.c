/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole kernels: block_stack and thread_compactor against threads that run alone. */
#include "tests/kernels.h"

KIT_MAKER(block_stack, BLOCK_STACK);
KIT_MAKER(thread_compactor, THREAD_COMPACTOR);

#define NONE GPUTM_BLOCK_STACK_NO_PC

#define LANES 8
#define WARPS 8
#define THREADS (LANES * WARPS)

/*
 * A loop with a break and a continue, in it a hammock in a hammock, and threads that end in
 * divergent code:
 *
 *	A -> B; B -> C | F (loop); C -> D | E; D -> G | H, both to K; K -> E; E -> B | X (break)
 *	G ends some threads; F and X -> Z, the end
 */
static const struct block kernel[] = {
	{ 'A', 'B', 'B', 0, 0, 0 },   { 'B', 'C', 'F', 'Z', 'E', 0 }, { 'C', 'D', 'E', 'E', 0, 0 },
	{ 'D', 'G', 'H', 'K', 0, 0 }, { 'G', 'K', 'K', 0, 0, 5 },     { 'H', 'K', 'K', 0, 0, 0 },
	{ 'K', 'E', 'E', 0, 0, 0 },   { 'E', 'B', 'X', 'Z', 'B', 0 }, { 'F', 'Z', 'Z', 0, 0, 0 },
	{ 'X', 'Z', 'Z', 0, 0, 0 },   { 'Z', 0, 0, 0, 0, 1 },
};

struct warp {
	uint64_t mask, pc;
	uint16_t thread[LANES];
};

struct machine {
	struct gputm_block_stack *stack;
	struct gputm_thread_compactor *compactor;
	struct warp warp[WARPS];
	struct path path[THREADS];
	uint64_t seed;
	bool compact;
	unsigned ended;
};

/* Every live thread is in one warp that runs, or waits in the highest entry that has it. */
static void check_partition(const struct machine *m)
{
	struct gputm_block_stack_entry e;
	unsigned live = 0, running[THREADS] = { 0 };

	for (unsigned w = 0; w < WARPS; w++)
		for (unsigned lane = 0; lane < LANES; lane++)
			if (gputm_block_stack_warp(m->stack, w) >> lane & 1) {
				ck_assert_uint_eq(m->warp[w].thread[lane] % LANES, lane);
				running[m->warp[w].thread[lane]]++;
			}
	for (unsigned t = 0; t < THREADS; t++) {
		size_t highest = gputm_block_stack_depth(m->stack), i = highest;

		while (i--) {
			ck_assert_int_eq(gputm_block_stack_get_entry(m->stack, i, &e), 0);
			if (!(e.mask[t % LANES] >> t / LANES & 1))
				continue;
			if (highest == gputm_block_stack_depth(m->stack))
				highest = i;
		}
		ck_assert_uint_le(running[t], 1);
		ck_assert(!running[t] || highest == gputm_block_stack_top(m->stack));
		ck_assert_int_eq(m->path[t].ended,
				 highest == gputm_block_stack_depth(m->stack));
		live += !m->path[t].ended;
	}
	ck_assert_uint_eq(gputm_block_stack_live(m->stack), live);
}

/* Compact the top; where nobody has ended yet, whole static warps come out whole. */
static void form_warps(struct machine *m)
{
	struct gputm_block_stack_entry top;
	struct gputm_thread_compactor_warp out;
	uint64_t mask[LANES];
	bool whole = true;

	gputm_block_stack_mask(m->stack, mask);
	for (unsigned lane = 0; lane < LANES; lane++)
		whole &= mask[lane] == (UINT64_C(1) << WARPS) - 1;
	ck_assert_int_eq(gputm_thread_compactor_push(m->compactor, 0, mask), 0);
	ck_assert_int_eq(gputm_block_stack_get_entry(m->stack, gputm_block_stack_top(m->stack),
						     &top), 0);
	ck_assert_uint_eq(gputm_thread_compactor_warps(m->compactor), top.wcnt);
	while (gputm_thread_compactor_warps(m->compactor)) {
		int index;

		gputm_thread_compactor_tick(m->compactor);
		ck_assert_int_eq(gputm_thread_compactor_peek(m->compactor, &out), 1);
		index = gputm_block_stack_admit(m->stack, out.mask, out.thread);
		ck_assert_int_eq(index, (int)out.index);
		m->warp[index].mask = out.mask;
		m->warp[index].pc = gputm_block_stack_pc(m->stack);
		memcpy(m->warp[index].thread, out.thread, sizeof(m->warp[index].thread));
		for (unsigned lane = 0; lane < LANES; lane++) {
			unsigned own = (unsigned)index * LANES + lane;

			ck_assert(!whole || out.thread[lane] == own);
			ck_assert(m->compact || !(out.mask >> lane & 1) ||
				  out.thread[lane] / LANES ==
					  out.thread[__builtin_ctzll(out.mask)] / LANES);
		}
		gputm_thread_compactor_pop(m->compactor);
	}
}

/* One block of one warp. */
static int step(struct machine *m, uint32_t index)
{
	struct warp *w = &m->warp[index];
	const struct block *b = block_at(kernel, w->pc);
	struct gputm_block_stack_target target = { (uint64_t)b->taken, (uint64_t)b->other,
						   (uint64_t)b->rpc, b->lpc ? (uint64_t)b->lpc :
									      NONE };
	uint64_t taken, ended;
	int result;

	ck_assert_uint_eq(gputm_block_stack_warp(m->stack, index), w->mask);
	taken = execute_all(m->path, w->thread, w->mask, m->seed, b, &ended);
	if (ended) {
		result = gputm_block_stack_exit(m->stack, index, ended);
		w->mask &= ~ended;
		if (!w->mask)
			return result;
		ck_assert_int_eq(result, GPUTM_BLOCK_STACK_CONTINUE);
	}
	if (b->taken != b->other)
		return gputm_block_stack_branch(m->stack, index, taken, &target);
	w->pc = target.taken_pc;
	return gputm_block_stack_arrive(m->stack, index, w->pc);
}

static uint32_t draw_warp(const struct machine *m, uint64_t *random)
{
	uint32_t index;

	do
		index = (uint32_t)kit_below(random, WARPS);
	while (!gputm_block_stack_warp(m->stack, index));
	return index;
}

static void run_kernel(struct kit *kit, bool compact, bool likely, uint64_t seed)
{
	struct machine m = { .seed = seed, .compact = compact };
	uint64_t mask[LANES], random = seed;
	int result;

	m.stack = kit_make_as(kit, &block_stack_maker,
			      "lanes=%d warps=%d compact=%d likely_convergence=%d", LANES, WARPS,
			      compact, likely);
	m.compactor = kit_make_as(kit, &thread_compactor_maker, "lanes=%d warps=%d compact=%d",
				  LANES, WARPS, compact);
	for (unsigned lane = 0; lane < LANES; lane++)
		mask[lane] = (UINT64_C(1) << WARPS) - 1;
	ck_assert_int_eq(gputm_block_stack_launch(m.stack, 'A', mask), 0);
	do {
		form_warps(&m);
		do {
			result = step(&m, draw_warp(&m, &random));
			ck_assert_int_ge(result, 0);
			ck_assert_int_ne(result, GPUTM_BLOCK_STACK_FULL);
			kit_valid(gputm_block_stack_unit(m.stack));
			check_partition(&m);
		} while (result < GPUTM_BLOCK_STACK_COMPACT);
	} while (result == GPUTM_BLOCK_STACK_COMPACT);
	ck_assert_int_eq(result, GPUTM_BLOCK_STACK_FINISH);
	same_as_alone(kernel, m.path, THREADS, seed);
	ck_assert_uint_le(kit_stat(gputm_block_stack_unit(m.stack), "max_depth"), 16);
}

KIT_TEST(test_block_stack_kernels_as_threads_alone)
{
	for (unsigned i = 0; i < kit_scale(40, 4); i++)
		run_kernel(kit, i & 1, i & 2, i);
}
