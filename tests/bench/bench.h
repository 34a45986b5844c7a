/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_BENCH_BENCH_H
#define GPUTM_TESTS_BENCH_BENCH_H
/*
 * Benchmarks: one file bench-UNIT.c per unit, with a table of operations that
 * registers itself. Each operation is a loop over the public, opaque call, and
 * beside it the same loop over the tightest code by hand that does no more than
 * the mechanism needs: the bound.
 *
 * Time is taken of the loops. Instructions are counted by callgrind inside the
 * functions named in `inside` and `bound_inside` only, so the loop and the making
 * of its inputs do not count. A name may be a pattern with one trailing '*'.
 * Functions named must not call one another: callgrind toggles at each entry.
 */
#include <stddef.h>
#include <stdint.h>

struct bench_op {
	const char *unit;
	const char *operation;
	/* Make the state of both loops. NULL is failure. */
	void *(*setup)(void);
	void (*teardown)(void *state);
	/* Do the operation `count` times. */
	void (*run)(void *state, uint64_t count);
	void (*bound)(void *state, uint64_t count); /* NULL: no bound is known */
	const char *inside;			    /* functions that count, by commas */
	const char *bound_inside;
	/* What one turn of the loop does, such as 32 words; 0 means 1. */
	uint64_t per_turn;
};

struct bench_table {
	const struct bench_op *op;
	size_t count;
	struct bench_table *next;
};

void bench_register(struct bench_table *table);

/* Register the operations of one file, without a semicolon: BENCH_TABLE(operations) */
#define BENCH_TABLE(OPS)                                                                       \
	static struct bench_table bench_this_table = { OPS, sizeof(OPS) / sizeof(*OPS), NULL }; \
	__attribute__((constructor)) static void bench_add_this_table(void)                    \
	{                                                                                      \
		bench_register(&bench_this_table);                                             \
	}

/* A bound by hand is a function of its own, so that it can be counted. */
#define BENCH_TIGHT __attribute__((noinline))

/* Keep the compiler from dropping a result. */
static inline void bench_use(uint64_t value)
{
	__asm__ volatile("" : : "r"(value));
}

/* Pointer laundering: the compiler must assume that memory has changed. */
static inline void bench_clobber(void)
{
	__asm__ volatile("" : : : "memory");
}

/* A cheap stream of inputs: SplitMix64. */
static inline uint64_t bench_next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif
