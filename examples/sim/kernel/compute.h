/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_COMPUTE_H
#define SIM_KERNEL_COMPUTE_H
/* The operators on words, each defined once: for a single word, for a row of a warp's words, and
 * for the words of few lanes. */
#include "kernel.h"

/* Square root of a 16.16 number: the largest r with r * r <= a << 16. */
static inline uint32_t kernel_root(uint32_t a)
{
	uint64_t square = (uint64_t)a << 16, r = 0;

	for (uint64_t bit = UINT64_C(1) << 23; bit; bit >>= 1)
		if ((r + bit) * (r + bit) <= square)
			r += bit;
	return (uint32_t)r;
}

static inline uint32_t kernel_divide(uint32_t a, uint32_t b, uint32_t shift)
{
	return b ? (uint32_t)(((uint64_t)a << (shift & 31)) / b) : UINT32_MAX;
}

static inline uint32_t kernel_signed_shift(uint32_t a, uint32_t b)
{
	return a >> (b & 31) | (a >> 31 ? ~(UINT32_MAX >> (b & 31)) : 0);
}

static inline uint32_t kernel_signed_multiply(uint32_t a, uint32_t b, uint32_t shift)
{
	uint64_t product = (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
	uint64_t sign = product >> 63 ? ~(UINT64_MAX >> (shift & 63)) : 0;

	return (uint32_t)(product >> (shift & 63) | sign);
}

/* Each operator on x, y, z: DO(operator, expression). */
#define KERNEL_EACH_OPERATOR(DO)                                                               \
	DO(COPY, x)                                                                            \
	DO(PLUS, x + y)                                                                        \
	DO(MINUS, x - y)                                                                       \
	DO(TIMES, x * y)                                                                       \
	DO(OVER, y ? x / y : UINT32_MAX)                                                       \
	DO(MODULO, y ? x % y : x)                                                              \
	DO(AND, x & y)                                                                         \
	DO(OR, x | y)                                                                          \
	DO(XOR, x ^ y)                                                                         \
	DO(LEFT, x << (y & 31))                                                                \
	DO(RIGHT, x >> (y & 31))                                                               \
	DO(LEAST, x < y ? x : y)                                                               \
	DO(MOST, x > y ? x : y)                                                                \
	DO(LESS, x < y)                                                                        \
	DO(LESS_EQUAL, x <= y)                                                                 \
	DO(GREATER, x > y)                                                                     \
	DO(GREATER_EQUAL, x >= y)                                                              \
	DO(EQUAL, x == y)                                                                      \
	DO(NOT_EQUAL, x != y)                                                                  \
	DO(SIGNED_LESS, (x ^ 0x80000000u) < (y ^ 0x80000000u))                                 \
	DO(BOTH, (x != 0) & (y != 0))                                                          \
	DO(EITHER, (x | y) != 0)                                                               \
	DO(SIGNED_RIGHT, kernel_signed_shift(x, y))                                            \
	DO(CHOOSE, x ? y : z)                                                                  \
	DO(MULTIPLY, (uint32_t)((uint64_t)x * y >> (z & 63)))                                  \
	DO(SIGNED_MULTIPLY, kernel_signed_multiply(x, y, z))                                   \
	DO(DIVIDE, kernel_divide(x, y, z))                                                     \
	DO(ROOT, kernel_root(x))

/* An operator on words. Operators that look at the kernel are not among them and give 0. */
static inline uint32_t kernel_compute(enum kernel_operator operator, uint32_t x, uint32_t y,
				      uint32_t z)
{
	switch (operator) {
#define WORD(OPERATOR, EXPRESSION)                                                             \
	case KERNEL_##OPERATOR:                                                                \
		return EXPRESSION;
		KERNEL_EACH_OPERATOR(WORD)
#undef WORD
	default:
		return 0;
	}
}

#endif /* SIM_KERNEL_COMPUTE_H */
