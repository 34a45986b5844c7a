/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparison of the lanes of a warp. Warps of 32 and 64 lanes compare four lanes in an instruction
 * where the processor can (x86-64 with AVX2); others go from lane to lane.
 */
#include "lib/base/lanes.h"
#include "lib/base/bits.h"
#include "lib/base/compiler.h"

static uint64_t at_each(const uint64_t value[], uint64_t among, uint64_t *highest)
{
	uint64_t same = 0, wanted = value[gputm__log2(among)];

	*highest = wanted;
	for (; among; among &= among - 1) {
		unsigned lane = gputm__lowest(among);

		same |= (uint64_t)(value[lane] == wanted) << lane;
	}
	return same;
}

#ifdef __x86_64__
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,bmi")))

/* All ones or zero for each of eight lanes, 32 bits each, in the order 0 1 4 5 2 3 6 7. */
AVX2 static inline __m256i eight_at(const uint64_t value[], __m256i wanted)
{
	const __m256i *four = (const __m256i *)(const void *)value;

	return _mm256_packs_epi32(_mm256_cmpeq_epi64(_mm256_loadu_si256(four), wanted),
				  _mm256_cmpeq_epi64(_mm256_loadu_si256(four + 1), wanted));
}

/* The same in 16 bits for each of 16 lanes; pairs of lanes in the order 0 2 4 6 1 3 5 7. */
AVX2 static inline __m256i sixteen_at(const uint64_t value[], __m256i wanted)
{
	return _mm256_packs_epi32(eight_at(value, wanted), eight_at(value + 8, wanted));
}

/* Every fourth pair of lanes comes first; then quarters, and pairs in halves, change places. */
AVX2 static inline uint64_t thirty_two_at(const uint64_t value[], __m256i wanted)
{
	const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14,
					       15, 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7,
					       14, 15);
	__m256i at = _mm256_packs_epi16(sixteen_at(value, wanted), sixteen_at(value + 16, wanted));

	at = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(at, 0xd8), pairs);
	return (uint32_t)_mm256_movemask_epi8(at);
}

AVX2 static uint64_t at_32(const uint64_t value[], uint64_t among, uint64_t *highest)
{
	uint64_t wanted = *highest = value[gputm__log2(among)];

	return among & thirty_two_at(value, _mm256_set1_epi64x((long long)wanted));
}

AVX2 static uint64_t at_64(const uint64_t value[], uint64_t among, uint64_t *highest)
{
	uint64_t wanted = *highest = value[gputm__log2(among)];
	__m256i all = _mm256_set1_epi64x((long long)wanted);

	return among & (thirty_two_at(value, all) | thirty_two_at(value + 32, all) << 32);
}

gputm__lanes_at_fn *gputm__lanes_at(uint32_t lanes)
{
	if (lanes % 32 || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi"))
		return at_each;
	return lanes == 32 ? at_32 : at_64;
}
#else
gputm__lanes_at_fn *gputm__lanes_at(uint32_t lanes)
{
	(void)lanes;
	return at_each;
}
#endif
