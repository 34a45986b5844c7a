/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SIMT stack for hosts that keep a next PC for each lane; see simt_stack.c.
 *
 * Lanes are grouped by PC: the lanes at the PC of the highest one, then those at the PC of the
 * highest lane that is left. To find a group is one comparison for each lane, which is most of
 * the work of a step. Warps of 32 and 64 lanes compare four lanes in an instruction where the
 * processor can (x86-64 with AVX2); others go from lane to lane.
 */
#include "lib/core/simt_stack-priv.h"

#define LANES_MAX 64u
#define INLINE static inline __attribute__((always_inline))

/* Next PC of the highest of some lanes, and all lanes at this PC; other lanes are ignored. */
typedef uint64_t lanes_at_fn(const uint64_t next_pc[], uint64_t among, uint64_t *pc);

INLINE uint64_t any_lanes_at(const uint64_t next_pc[], uint64_t among, uint64_t *pc)
{
	uint64_t same = 0;

	*pc = next_pc[gputm__log2(among)];
	for (; among; among &= among - 1) {
		unsigned lane = gputm__lowest(among);

		same |= (uint64_t)(next_pc[lane] == *pc) << lane;
	}
	return same;
}

/* ---- any step ---- */

/* The targets of lanes, in order; returns their number. */
static size_t group(const uint64_t next_pc[], uint64_t lanes, uint64_t last_pc,
		    struct gputm_simt_stack_target target[])
{
	struct gputm_simt_stack_target next;
	size_t count = 0;

	for (; lanes; lanes &= ~next.mask) {
		next.mask = any_lanes_at(next_pc, lanes, &next.pc);
		target[count] = next;
		if (next.pc == last_pc) {
			memmove(target + 1, target, count * sizeof(*target));
			target[0] = next;
		}
		count++;
	}
	return count;
}

/* The step of the surviving lanes is checked before any lane ends. */
__attribute__((noinline)) static int update_any(struct gputm_simt_stack *s, uint64_t ended,
						const uint64_t next_pc[], uint64_t rpc,
						uint64_t last_pc)
{
	struct gputm_simt_stack_target target[LANES_MAX];
	uint64_t active = s->top->mask, lanes = active & ~ended;
	size_t count = group(next_pc, lanes, last_pc, target);
	int result = 0;

	if (!active)
		return gputm__simt_refuse_step(s, "update", 0);
	if (count == 1)
		rpc = target[0].pc; /* no branch, so any RPC will do */
	if (lanes != active) {
		if (lanes && !s->retry)
			result = gputm__simt_judge(s, lanes, target, count, rpc);
		if (result == GPUTM_SIMT_STACK_FULL)
			s->full++;
		if (result < 0 || result == GPUTM_SIMT_STACK_FULL)
			return result;
		result = gputm_simt_stack_exit(s, active & ended);
		if (result < 0 || !lanes)
			return result;
	}
	return gputm_simt_stack_diverge(s, target, count, rpc, NO_PC);
}

/* ---- steps of one group or two ---- */

typedef int part_fn(struct gputm_simt_stack *s, uint64_t lanes, const uint64_t next_pc[],
		    uint64_t rpc, uint64_t last_pc, uint64_t first_pc);

/* `lanes` are those not at first_pc: they are the second group, or else this is a case for
 * update_any(). */
INLINE int part(struct gputm_simt_stack *s, uint64_t lanes, const uint64_t next_pc[],
		uint64_t rpc, uint64_t last_pc, uint64_t first_pc, lanes_at_fn *lanes_at)
{
	struct gputm_simt_stack_target first = { first_pc, s->top->mask & ~lanes };
	struct gputm_simt_stack_target second = { 0, lanes };

	if (lanes & ~lanes_at(next_pc, lanes, &second.pc))
		return update_any(s, 0, next_pc, rpc, last_pc);
	if (second.pc == last_pc) {
		second = first;
		first.pc = last_pc;
		first.mask = lanes;
	}
	if (!gputm__simt_part(s, &first, &second, rpc))
		return update_any(s, 0, next_pc, rpc, last_pc);
	return GPUTM_SIMT_STACK_SWITCH;
}

INLINE int update(struct gputm_simt_stack *s, uint64_t ended, const uint64_t next_pc[],
		  uint64_t rpc, uint64_t last_pc, lanes_at_fn *lanes_at, part_fn *apart)
{
	uint64_t active = s->top->mask, first_pc;

	if (GPUTM__UNLIKELY((active & ended) || !active))
		return update_any(s, ended, next_pc, rpc, last_pc);
	active &= ~lanes_at(next_pc, active, &first_pc);
	if (GPUTM__UNLIKELY(active))
		return apart(s, active, next_pc, rpc, last_pc, first_pc);
	if (GPUTM__UNLIKELY(first_pc > s->pc_max))
		return gputm__simt_refuse_step(s, "next PC", first_pc);
	return gputm__simt_step(s, first_pc);
}

/* Both functions for one way of comparing. */
#define UPDATE(NAME, TARGET, LANES_AT)                                                         \
	TARGET __attribute__((noinline)) static int part_##NAME(                               \
		struct gputm_simt_stack *s, uint64_t lanes, const uint64_t next_pc[],          \
		uint64_t rpc, uint64_t last_pc, uint64_t first_pc)                             \
	{                                                                                      \
		return part(s, lanes, next_pc, rpc, last_pc, first_pc, LANES_AT);              \
	}                                                                                      \
	TARGET static int update_##NAME(struct gputm_simt_stack *s, uint64_t ended,            \
					const uint64_t next_pc[], uint64_t rpc,                \
					uint64_t last_pc)                                      \
	{                                                                                      \
		return update(s, ended, next_pc, rpc, last_pc, LANES_AT, part_##NAME);         \
	}

UPDATE(each, , any_lanes_at)

#ifdef __x86_64__
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,bmi")))

/* All ones or zero for each of eight lanes, 32 bits each, in the order 0 1 4 5 2 3 6 7. */
AVX2 INLINE __m256i eight_at(const uint64_t next_pc[], __m256i pc)
{
	const __m256i *four = (const __m256i *)(const void *)next_pc;

	return _mm256_packs_epi32(_mm256_cmpeq_epi64(_mm256_loadu_si256(four), pc),
				  _mm256_cmpeq_epi64(_mm256_loadu_si256(four + 1), pc));
}

/* The same in 16 bits for each of 16 lanes; pairs of lanes in the order 0 2 4 6 1 3 5 7. */
AVX2 INLINE __m256i sixteen_at(const uint64_t next_pc[], __m256i pc)
{
	return _mm256_packs_epi32(eight_at(next_pc, pc), eight_at(next_pc + 8, pc));
}

/* Every fourth pair of lanes comes first; then quarters, and pairs in halves, change places. */
AVX2 INLINE uint64_t thirty_two_at(const uint64_t next_pc[], __m256i pc)
{
	const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14,
					       15, 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7,
					       14, 15);
	__m256i at = _mm256_packs_epi16(sixteen_at(next_pc, pc), sixteen_at(next_pc + 16, pc));

	at = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(at, 0xd8), pairs);
	return (uint32_t)_mm256_movemask_epi8(at);
}

AVX2 INLINE __m256i highest(const uint64_t next_pc[], uint64_t among, uint64_t *pc)
{
	uint64_t lane = gputm__log2(among);
	__m256i all = _mm256_set1_epi64x((long long)next_pc[lane]);

	*pc = next_pc[gputm__opaque(lane)]; /* loading twice is faster than moving */
	return all;
}

AVX2 INLINE uint64_t lanes_at_32(const uint64_t next_pc[], uint64_t among, uint64_t *pc)
{
	return thirty_two_at(next_pc, highest(next_pc, among, pc));
}

AVX2 INLINE uint64_t lanes_at_64(const uint64_t next_pc[], uint64_t among, uint64_t *pc)
{
	__m256i all = highest(next_pc, among, pc);

	return thirty_two_at(next_pc, all) | thirty_two_at(next_pc + 32, all) << 32;
}

UPDATE(32, AVX2, lanes_at_32)
UPDATE(64, AVX2, lanes_at_64)

gputm__simt_update_fn *gputm__simt_updater(uint32_t lanes)
{
	if (lanes % 32 || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi"))
		return update_each;
	return lanes == 32 ? update_32 : update_64;
}
#else
gputm__simt_update_fn *gputm__simt_updater(uint32_t lanes)
{
	(void)lanes;
	return update_each;
}
#endif

int gputm_simt_stack_update(struct gputm_simt_stack *s, uint64_t ended, const uint64_t next_pc[],
			    uint64_t rpc, uint64_t last_pc)
{
	return s->update(s, ended, next_pc, rpc, last_pc);
}
