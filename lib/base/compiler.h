/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_BASE_COMPILER_H
#define GPUTM_LIB_BASE_COMPILER_H
/* Hints for the compiler. */
#include <stdint.h>

#ifdef GPUTM_DEBUG
#include <assert.h>
#define gputm__assert(condition) assert(condition)
#else
#define gputm__assert(condition) ((void)sizeof(condition))
#endif

#define GPUTM__PRINTF(text, first) __attribute__((format(printf, text, first)))
#define GPUTM__LIKELY(x) __builtin_expect(!!(x), 1)
#define GPUTM__UNLIKELY(x) __builtin_expect(!!(x), 0)

/*
 * COLD code is refused or rare. APART keeps a function out of its callers: called last, such a
 * function saves the main path a stack frame. A unit needs a reason from `make bench` for either.
 */
#define GPUTM__COLD __attribute__((noinline, cold))
#define APART static __attribute__((noinline))
#define GPUTM__INLINE inline __attribute__((always_inline))
/* Before a loop of at most 16 turns. */
#define GPUTM__UNROLL(turns) GPUTM__PRAGMA(GCC unroll turns)
#define GPUTM__PRAGMA(text) _Pragma(#text)

/*
 * Returns the value, but hides it from the optimiser: what depends on it is computed after this
 * point. In the search of a few cells this delays the address arithmetic until a cell is found.
 */
static inline uint64_t gputm__opaque(uint64_t value)
{
	__asm__("" : "+r"(value));
	return value;
}

#endif /* GPUTM_LIB_BASE_COMPILER_H */
