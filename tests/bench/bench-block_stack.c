/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block_stack: a block of 32 warps of 32 lanes at a hammock, whose sides take half of the
 * threads of every lane each; per warp. What a last warp costs more (a new top of stack, its
 * count of warps) is shared by the 32 warps that branch and the 16 of each side that arrive. The
 * bound is a stack of exactly such entries without checks, counts and likely convergence: a
 * branch puts each lane's bit where it goes, an arrival counts down.
 */
#include "tests/bench/bench.h"

#define LANES 32
#define WARPS 32
#define SIDE 16

/* Four lanes at a time; an entry begins where such a vector may. */
typedef uint32_t four __attribute__((vector_size(16), aligned(4)));

struct tight_entry {
	uint32_t pc, rpc, wcnt;
	union {
		uint32_t mask[LANES];
		four four[LANES / 4];
	};
};

struct block {
	struct gputm_block_stack *unit;
	struct gputm_thread_compactor_warp warp[3][WARPS]; /* whole, taken, other */
	uint64_t taken[WARPS];
	struct tight_entry entry[8], *top;
	uint32_t home[3][WARPS][LANES];
	uint32_t all[LANES];
};

/* The warps of a mask, by the compactor. */
static bool form(struct block *b, unsigned which, const uint64_t mask[LANES])
{
	struct gputm_thread_compactor *c;
	unsigned k = 0;

	if (gputm_thread_compactor_new(NULL, NULL, &c) ||
	    gputm_thread_compactor_push(c, 0, mask))
		return false;
	for (; gputm_thread_compactor_warps(c); k++) {
		gputm_thread_compactor_tick(c);
		if (!gputm_thread_compactor_peek(c, &b->warp[which][k]))
			break;
		for (unsigned lane = 0; lane < LANES; lane++)
			b->home[which][k][lane] = 1u << b->warp[which][k].thread[lane] / LANES;
		gputm_thread_compactor_pop(c);
	}
	gputm_thread_compactor_free(c);
	return k == (which ? SIDE : WARPS);
}

static void admit(struct block *b, unsigned which)
{
	for (unsigned k = 0; k < (which ? SIDE : WARPS); k++)
		if (gputm_block_stack_admit(b->unit, b->warp[which][k].mask,
					    b->warp[which][k].thread) != (int)k)
			abort();
}

BENCH_SETUP(setup, struct block *b)
{
	uint64_t mask[3][LANES], random = 1;

	bench_must(gputm_block_stack_new(NULL, NULL, &b->unit));
	for (unsigned w = 0; w < WARPS; w += 2) {
		b->taken[w] = bench_next(&random) & UINT32_MAX;
		b->taken[w + 1] = ~b->taken[w] & UINT32_MAX;
	}
	for (unsigned lane = 0; lane < LANES; lane++) {
		mask[0][lane] = UINT32_MAX;
		mask[1][lane] = 0;
		for (unsigned w = 0; w < WARPS; w++)
			mask[1][lane] |= (b->taken[w] >> lane & 1) << w;
		mask[2][lane] = ~mask[1][lane] & UINT32_MAX;
		b->all[lane] = UINT32_MAX;
	}
	for (unsigned which = 0; which < 3; which++)
		if (!form(b, which, mask[which]))
			abort();
	bench_must(gputm_block_stack_launch(b->unit, 1, mask[0]));
	admit(b, 0);
	b->top = b->entry;
	b->top->wcnt = WARPS;
	memcpy(b->top->mask, b->all, sizeof(b->all));
}

/* One hammock: 32 branches, 16 + 16 arrivals, 64 admissions. */
BENCH_LOOP(run, struct block *b)
{
	const struct gputm_block_stack_target target = { 2, 3, 4, GPUTM_BLOCK_STACK_NO_PC };

	for (unsigned w = 0; w < WARPS; w++)
		bench_must(gputm_block_stack_branch(b->unit, w, b->taken[w], &target));
	for (unsigned which = 1; which < 3; which++) {
		admit(b, which);
		for (unsigned w = 0; w < SIDE; w++)
			bench_must(gputm_block_stack_arrive(b->unit, w, 4));
	}
	admit(b, 0);
	return 0;
}

static uint32_t tight_warps(const uint32_t mask[LANES])
{
	int most = 0;

	for (unsigned lane = 0; lane < LANES; lane++)
		if (__builtin_popcount(mask[lane]) > most)
			most = __builtin_popcount(mask[lane]);
	return (uint32_t)most;
}

#define LANES4(N) { 1u << (N), 2u << (N), 4u << (N), 8u << (N) }
static const four bit[LANES / 4] = { LANES4(0),  LANES4(4),  LANES4(8),  LANES4(12),
				     LANES4(16), LANES4(20), LANES4(24), LANES4(28) };

/* The lanes that branch are gathered; what is left is the other side. */
BENCH_TIGHT static void tight_branch(struct block *b, const uint32_t home[LANES], uint64_t taken)
{
	uint32_t t = (uint32_t)taken;
	const four all = { t, t, t, t }, *from = (const four *)(const void *)home;
	four *at = b->top[2].four;

	if (b->top->pc != 4) {
		b->top->pc = 4;
		b->top[1] = (struct tight_entry){ 3, 4, 0, { { 0 } } };
		b->top[2] = (struct tight_entry){ 2, 4, 0, { { 0 } } };
	}
#define FOUR(I) at[I] |= from[I] & (four)((all & bit[I]) == bit[I])
	FOUR(0);
	FOUR(1);
	FOUR(2);
	FOUR(3);
	FOUR(4);
	FOUR(5);
	FOUR(6);
	FOUR(7);
	if (--b->top->wcnt)
		return;
	for (unsigned i = 0; i < LANES / 4; i++) /* the others fall through */
		b->top[1].four[i] = b->top->four[i] & ~at[i];
	b->top += 2;
	b->top->wcnt = tight_warps(b->top->mask);
}

BENCH_TIGHT static void tight_arrive(struct block *b, uint32_t pc)
{
	if (pc != b->top->rpc || --b->top->wcnt)
		return;
	b->top--;
	b->top->wcnt = tight_warps(b->top->mask);
}

BENCH_LOOP(bound, struct block *b)
{
	b->top->pc = 1;
	for (unsigned w = 0; w < WARPS; w++)
		tight_branch(b, b->home[0][w], b->taken[w]);
	for (unsigned w = 0; w < 2 * SIDE; w++)
		tight_arrive(b, 4);
	return b->top->wcnt;
}

static const struct bench_op operations[] = {
	{ "branch, per warp of 32 lanes", setup, 0, run, "gputm_block_stack_branch",
	  .bound = bound, .bound_inside = "tight_branch*", .per_turn = WARPS },
	{ "arrive, per warp of 32 lanes", setup, 0, run, "gputm_block_stack_arrive",
	  .bound = bound, .bound_inside = "tight_arrive*", .per_turn = 2 * SIDE },
	{ "admit, per warp of 16 to 32 lanes", setup, 0, run, "gputm_block_stack_admit",
	  .unbounded = "it checks where each thread of the warp is at home",
	  .per_turn = WARPS + 2 * SIDE },
};

BENCH_TABLE("block_stack", struct block, operations)
