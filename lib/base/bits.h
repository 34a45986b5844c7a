/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_BASE_BITS_H
#define GPUTM_LIB_BASE_BITS_H
/* Small arithmetic on masks and widths. */
#include <stdbool.h>
#include <stdint.h>

/* Floor of the logarithm; value must not be 0. */
static inline unsigned gputm__log2(uint64_t value)
{
	return 63u - (unsigned)__builtin_clzll(value);
}

/* Lowest set bit; mask must not be 0. */
static inline unsigned gputm__lowest(uint64_t mask)
{
	return (unsigned)__builtin_ctzll(mask);
}

/* Counts bits in pairs, fours and eights, and then all. __builtin_popcountll() is a function call
 * on targets without the instruction; compilers recognise this form where there is one. */
static inline unsigned gputm__popcount(uint64_t mask)
{
	mask -= mask >> 1 & UINT64_C(0x5555555555555555);
	mask = (mask & UINT64_C(0x3333333333333333)) + (mask >> 2 & UINT64_C(0x3333333333333333));
	mask = (mask + (mask >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(mask * UINT64_C(0x0101010101010101) >> 56);
}

static inline bool gputm__is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* The lowest `width` bits set; width 0 to 64. */
static inline uint64_t gputm__low_mask(unsigned width)
{
	return width >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
}

/* Bits needed to distinguish `values` things. */
static inline unsigned gputm__bits_for(uint64_t values)
{
	return values <= 1 ? 0 : gputm__log2(values - 1) + 1;
}

/*
 * The time `cycles` after `time`, at most UINT64_MAX. So a clock that is told to skip for ever
 * stops at the end of time, where nothing is due any more. Single ticks may go on from there.
 */
#define GPUTM__END_OF_TIME (UINT64_C(1) << 63)
#define GPUTM__CLOCK_MAX (UINT64_C(3) << 62) /* in a snapshot */

static inline uint64_t gputm__later(uint64_t time, uint64_t cycles)
{
	if (time >= GPUTM__END_OF_TIME)
		return time;
	return cycles < GPUTM__END_OF_TIME - time ? time + cycles : GPUTM__END_OF_TIME;
}

/* SplitMix64: the finaliser, and the generator of all seeded choices. */
static inline uint64_t gputm__mix64(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline uint64_t gputm__splitmix64(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return gputm__mix64(*state);
}

#endif /* GPUTM_LIB_BASE_BITS_H */
