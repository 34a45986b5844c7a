/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_BENCH_BENCH_H
#define GPUTM_TESTS_BENCH_BENCH_H
/*
 * Benchmarks: one file bench-UNIT.c per unit, with a table of operations that
 * registers itself. Each operation is a loop over the public, opaque call, and
 * beside it the same loop over the tightest code by hand that does no more than
 * the mechanism needs: the bound; or else the reason why there is none.
 *
 * Time is taken of the loops. Instructions are counted by callgrind inside the
 * functions named in `inside` and `bound_inside` only, so the loop and the making
 * of its inputs do not count. A name may be a pattern with one trailing '*'.
 */
#include <stdlib.h>
#include <string.h>

#include "gputm/gputm.h"

struct bench_op {
	const char *operation;
	/* Make the state of the loops, which is all 0, as the row is given. */
	void (*setup)(void *state, uint32_t given);
	uint32_t given;
	void (*run)(void *state, uint64_t count);
	const char *inside; /* functions that count, by commas */
	/* The rest by name; `bound` or `unbounded` is there. */
	void (*bound)(void *state, uint64_t count);
	const char *bound_inside;
	const char *unbounded; /* why there is no bound */
	uint64_t per_turn;     /* what one turn of the loop does, such as 32 words; 0 means 1 */
};

struct bench_table {
	const char *unit;
	size_t state_size;
	const struct bench_op *op;
	size_t count;
	struct bench_table *next;
};

void bench_register(struct bench_table *table);

/* Register the operations of one file, without a semicolon. STATE is the type of their state. */
#define BENCH_TABLE(UNIT, STATE, OPS)                                                          \
	__attribute__((constructor)) static void bench_add_this_table(void)                    \
	{                                                                                      \
		static struct bench_table table = { UNIT, sizeof(STATE), OPS,                  \
						    sizeof(OPS) / sizeof(*(OPS)), NULL };      \
		bench_register(&table);                                                        \
	}

/* BENCH_SETUP(name, struct x *x) { ... } makes the state of a row from `given`. */
#define BENCH_SETUP(NAME, STATE)                                                               \
	static void NAME##_of(STATE, uint32_t given);                                          \
	static void NAME(void *state, uint32_t given)                                          \
	{                                                                                      \
		NAME##_of(state, given);                                                       \
	}                                                                                      \
	static void NAME##_of(STATE, uint32_t given __attribute__((unused)))

/* BENCH_LOOP(name, struct x *x) { ... } is turn `i`; what the turns return is summed up. */
#define BENCH_LOOP(NAME, STATE)                                                                \
	static inline uint64_t NAME##_turn(STATE, uint64_t i);                                 \
	static void NAME(void *state, uint64_t count)                                          \
	{                                                                                      \
		uint64_t sum = 0;                                                              \
                                                                                               \
		for (uint64_t i = 0; i < count; i++)                                           \
			sum += NAME##_turn(state, i);                                          \
		bench_use(sum);                                                                \
		bench_clobber();                                                               \
	}                                                                                      \
	static inline uint64_t NAME##_turn(STATE, uint64_t i __attribute__((unused)))

/* The same where the turn is one expression, whose value is returned, or one call without one. */
#define BENCH_TURN(NAME, STATE, ...)                                                           \
	BENCH_LOOP(NAME, STATE)                                                                \
	{                                                                                      \
		return (uint64_t)(__VA_ARGS__);                                                \
	}
#define BENCH_DO(NAME, STATE, ...)                                                             \
	BENCH_LOOP(NAME, STATE)                                                                \
	{                                                                                      \
		__VA_ARGS__;                                                                   \
		return 0;                                                                      \
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

/* What must not fail, as all later turns would be of another state. */
static inline void bench_must(int error)
{
	if (error < 0)
		abort();
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
