/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_compactor: a block of 1024 threads, all of them active and half of them; per thread
 * placed. The bound copies the threads of a whole block; else it walks the columns by counting
 * trailing zeros into an array of thread numbers and lane masks: no checks, no order in time. With
 * half of the threads the unit is faster than that, as it takes four columns at a time.
 */
#include "tests/bench/bench.h"

#define LANES 32

struct block {
	struct gputm_thread_compactor *unit;
	uint64_t mask[LANES];
	uint64_t lanes[32];
	uint16_t thread[32][LANES], home[32][LANES]; /* home: every thread in its static warp */
};

BENCH_SETUP(setup, struct block *b)
{
	bench_must(gputm_thread_compactor_new(NULL, NULL, &b->unit));
	for (unsigned thread = 0; thread < 32 * LANES; thread++)
		b->home[thread / LANES][thread % LANES] = (uint16_t)thread;
}

BENCH_SETUP(setup_all, struct block *b)
{
	setup(b, 0);
	for (unsigned lane = 0; lane < LANES; lane++)
		b->mask[lane] = UINT32_MAX;
}

/* 16 threads in each lane on average; 512 in all. */
BENCH_SETUP(setup_half, struct block *b)
{
	uint64_t random = 1;

	setup(b, 0);
	for (unsigned lane = 0; lane < LANES; lane += 2) {
		b->mask[lane] = bench_next(&random) & UINT32_MAX;
		b->mask[lane + 1] = ~b->mask[lane] & UINT32_MAX;
	}
}

/* One mask: in, its cycles, and out. */
BENCH_LOOP(run, struct block *b)
{
	struct gputm_thread_compactor_warp warp = { 0, 0, 0, { 0 } };
	uint64_t sum = 0;

	bench_must(gputm_thread_compactor_push(b->unit, i, b->mask));
	while (gputm_thread_compactor_warps(b->unit)) {
		gputm_thread_compactor_tick(b->unit);
		sum += (uint64_t)gputm_thread_compactor_peek(b->unit, &warp) +
		       warp.thread[0];
		gputm_thread_compactor_pop(b->unit);
	}
	return sum;
}

/* All threads are there: each stays where it is. */
static bool whole(struct block *b)
{
	uint64_t all = UINT32_MAX;

	for (uint32_t lane = 0; lane < LANES; lane++)
		all &= b->mask[lane];
	if (all != UINT32_MAX)
		return false;
	memcpy(b->thread, b->home, sizeof(b->thread));
	for (uint32_t k = 0; k < 32; k++)
		b->lanes[k] = UINT32_MAX;
	return true;
}

BENCH_TIGHT static void tight_compact(struct block *b)
{
	uint32_t end[33], lanes = UINT32_MAX; /* end: lanes without thread from a warp on */

	if (whole(b))
		return;
	memset(end, 0, sizeof(end));
	for (uint32_t lane = 0; lane < LANES; lane++) {
		uint32_t column = (uint32_t)b->mask[lane];
		uint16_t *first = &b->thread[0][lane], *to = first;

		for (; column; column &= column - 1, to += LANES)
			*to = (uint16_t)((uint32_t)__builtin_ctz(column) * LANES + lane);
		end[(to - first) / LANES] |= 1u << lane;
	}
	for (uint32_t k = 0; k < 32; k++)
		b->lanes[k] = lanes &= ~end[k];
}

BENCH_DO(bound, struct block *b, tight_compact(b))

#define INSIDE "gputm_thread_compactor_push,gputm_thread_compactor_tick,gputm_thread_compactor_pop"

static const struct bench_op operations[] = {
	{ "1024 of 1024 threads, per thread", setup_all, 0, run, INSIDE,
	  .bound = bound, .bound_inside = "tight_compact", .per_turn = 1024 },
	{ "512 of 1024 threads, per thread", setup_half, 0, run, INSIDE,
	  .bound = bound, .bound_inside = "tight_compact", .per_turn = 512 },
};

BENCH_TABLE("thread_compactor", struct block, operations)
