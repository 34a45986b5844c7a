/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_BASE_PARTITION_H
#define GPUTM_LIB_BASE_PARTITION_H
/*
 * Which memory partition holds an address: (address / interleave) mod partitions, where
 * the interleave is a power of two of at least 64 bytes and there are at most 64
 * partitions, in any number (the papers have 6).
 *
 * The remainder costs two multiplications (Lemire, Kaser, Kurz 2019). With
 * magic = ceil(2^64 / d), the low half of magic x n is the fraction (n mod d) / d of
 * 2^64, too large by n x e / d with e = magic x d - 2^64 < d. The product with d is
 * exact as long as n x e < 2^64: n has at most 58 bits and e is below 64. So every
 * 64-bit address is mapped exactly.
 */
#include "lib/base/bits.h"

struct gputm__partition_map {
	uint64_t magic;
	uint32_t count;
	uint32_t shift;
};

static inline struct gputm__partition_map gputm__partition_map_of(uint32_t count,
								   uint64_t interleave)
{
	struct gputm__partition_map map = { UINT64_MAX / count + 1, count,
					    gputm__log2(interleave) };

	return map;
}

static inline unsigned gputm__partition_of(const struct gputm__partition_map *map,
					   uint64_t address)
{
	uint64_t fraction = map->magic * (address >> map->shift);
	uint64_t low = (fraction & UINT32_MAX) * map->count;

	return (unsigned)(((fraction >> 32) * map->count + (low >> 32)) >> 32);
}

#endif /* GPUTM_LIB_BASE_PARTITION_H */
