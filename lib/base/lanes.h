/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_BASE_LANES_H
#define GPUTM_LIB_BASE_LANES_H
/*
 * Which lanes of a warp have the same value? Warps of 32 and 64 lanes compare four lanes in an
 * instruction where the processor can (x86-64 with AVX2); others go from lane to lane. A function
 * that calls one of the comparisons by four has the attribute GPUTM__AVX2, and may be called only
 * where gputm__lanes_by_four() has said so.
 */
#include "lib/base/bits.h"
#include "lib/base/compiler.h"

/* The value of the highest of some lanes, and all lanes that have it; others are ignored. */
typedef uint64_t gputm__lanes_at_fn(const uint64_t value[], uint64_t among, uint64_t *highest);

static GPUTM__INLINE uint64_t gputm__lanes_at_each(const uint64_t value[], uint64_t among,
						   uint64_t *highest)
{
	uint64_t same = 0;

	*highest = value[gputm__log2(among)];
	for (; among; among &= among - 1) {
		unsigned lane = gputm__lowest(among);

		same |= (uint64_t)(value[lane] == *highest) << lane;
	}
	return same;
}

#ifdef __x86_64__
#include <immintrin.h>
#define GPUTM__AVX2 __attribute__((target("avx2,bmi")))

static inline bool gputm__lanes_by_four(uint32_t lanes)
{
	return lanes % 32 == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}

/* All ones or zero for each of eight lanes, 32 bits each, in the order 0 1 4 5 2 3 6 7. */
GPUTM__AVX2 static GPUTM__INLINE __m256i gputm__eight_at(const uint64_t value[], __m256i wanted)
{
	const __m256i *four = (const __m256i *)(const void *)value;

	return _mm256_packs_epi32(_mm256_cmpeq_epi64(_mm256_loadu_si256(four), wanted),
				  _mm256_cmpeq_epi64(_mm256_loadu_si256(four + 1), wanted));
}

/* The same in 16 bits for each of 16 lanes; pairs of lanes in the order 0 2 4 6 1 3 5 7. */
GPUTM__AVX2 static GPUTM__INLINE __m256i gputm__sixteen_at(const uint64_t value[], __m256i wanted)
{
	return _mm256_packs_epi32(gputm__eight_at(value, wanted),
				  gputm__eight_at(value + 8, wanted));
}

/* Every fourth pair of lanes comes first; then quarters, and pairs in halves, change places. */
GPUTM__AVX2 static GPUTM__INLINE uint64_t gputm__thirty_two_at(const uint64_t value[],
							       __m256i wanted)
{
	const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14,
					       15, 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7,
					       14, 15);
	__m256i at = _mm256_packs_epi16(gputm__sixteen_at(value, wanted),
					gputm__sixteen_at(value + 16, wanted));

	at = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(at, 0xd8), pairs);
	return (uint32_t)_mm256_movemask_epi8(at);
}

GPUTM__AVX2 static GPUTM__INLINE __m256i gputm__highest(const uint64_t value[], uint64_t among,
							uint64_t *highest)
{
	uint64_t lane = gputm__log2(among);
	__m256i all = _mm256_set1_epi64x((long long)value[lane]);

	*highest = value[gputm__opaque(lane)]; /* loading twice is faster than moving */
	return all;
}

GPUTM__AVX2 static GPUTM__INLINE uint64_t gputm__lanes_at_32(const uint64_t value[], uint64_t among,
							     uint64_t *highest)
{
	return gputm__thirty_two_at(value, gputm__highest(value, among, highest));
}

GPUTM__AVX2 static GPUTM__INLINE uint64_t gputm__lanes_at_64(const uint64_t value[], uint64_t among,
							     uint64_t *highest)
{
	__m256i all = gputm__highest(value, among, highest);

	return gputm__thirty_two_at(value, all) | gputm__thirty_two_at(value + 32, all) << 32;
}
#else
#define GPUTM__AVX2
#define gputm__lanes_at_32 gputm__lanes_at_each
#define gputm__lanes_at_64 gputm__lanes_at_each

static inline bool gputm__lanes_by_four(uint32_t lanes)
{
	(void)lanes;
	return false;
}
#endif

#endif /* GPUTM_LIB_BASE_LANES_H */
