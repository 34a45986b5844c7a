/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_COMPACTION_COLUMNS_H
#define GPUTM_LIB_COMPACTION_COLUMNS_H
/*
 * Masks of a thread block as the paper draws them (Fung's thesis, 3.3.3): a column per lane,
 * with a bit per static warp. A block has at most 32 warps, so a column is 32 bits, and four
 * of them are worked on at a time. Arrays of columns have a multiple of four elements at least;
 * those beyond the lanes are zero.
 */
#include "lib/base/unit.h"

#define GPUTM__COLUMNS_MAX 64
#define GPUTM__COLUMN_BITS 32

typedef uint32_t gputm__quad __attribute__((vector_size(16), aligned(4), may_alias));
/* The same in memory of gputm__alloc(), at a multiple of 16 bytes from its start. */
typedef uint32_t gputm__home_quad
	__attribute__((vector_size(16), aligned(_Alignof(max_align_t)), may_alias));

/* Threads of eight lanes. */
typedef uint16_t gputm__words __attribute__((vector_size(16), aligned(2), may_alias));

/* Columns with room for this many lanes, and the same in quads. */
static inline uint32_t gputm__columns_quads(uint32_t lanes)
{
	return (lanes + 3) / 4;
}

static inline gputm__quad *gputm__quads(uint32_t *column)
{
	return (gputm__quad *)(void *)column;
}

static inline const gputm__quad *gputm__quads_of(const uint32_t *column)
{
	return (const gputm__quad *)(const void *)column;
}

/*
 * The lanes of `lanes` from the columns `from` join those of `to`; both have a multiple of 32
 * elements, `halves` x 32, and are aligned as those of gputm__alloc().
 */
static inline void gputm__columns_add(uint32_t *to, const uint32_t *from, uint64_t lanes,
				      uint32_t halves)
{
	static const gputm__quad bit[8] = {
#define GPUTM__BITS(N) { 1u << (N), 2u << (N), 4u << (N), 8u << (N) }
		GPUTM__BITS(0),	 GPUTM__BITS(4),  GPUTM__BITS(8),  GPUTM__BITS(12),
		GPUTM__BITS(16), GPUTM__BITS(20), GPUTM__BITS(24), GPUTM__BITS(28),
#undef GPUTM__BITS
	};
	gputm__home_quad *sum = (gputm__home_quad *)(void *)to;
	const gputm__home_quad *more = (const gputm__home_quad *)(const void *)from;
	uint32_t chosen;

#define GPUTM__ADD(I) sum[I] |= more[I] & (gputm__quad)((bit[I] & chosen) == bit[I])
	do {
		chosen = (uint32_t)lanes;
		GPUTM__ADD(0);
		GPUTM__ADD(1);
		GPUTM__ADD(2);
		GPUTM__ADD(3);
		GPUTM__ADD(4);
		GPUTM__ADD(5);
		GPUTM__ADD(6);
		GPUTM__ADD(7);
		sum += 8;
		more += 8;
		lanes >>= 32;
	} while (--halves);
#undef GPUTM__ADD
}

/* Count the bits of four columns, in place: not every ABI passes vectors by value. */
static inline void gputm__quad_popcount(gputm__quad *column)
{
	gputm__quad x = *column;

	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f;
	x += x >> 8;
	*column = (x + (x >> 16)) & 0x3f;
}

/* Counts of a block mask. */
struct gputm__columns_count {
	uint32_t threads;
	uint32_t most; /* in one lane */
	uint32_t any;  /* static warps with a thread */
};

/* Those of `lanes` columns, and of each one in `each` if that is not NULL. */
static inline struct gputm__columns_count gputm__columns_count(const uint32_t *column,
							       uint32_t lanes, uint32_t *each)
{
	gputm__quad threads = { 0 }, most = { 0 }, any = { 0 };
	struct gputm__columns_count count = { 0, 0, 0 };

	for (uint32_t i = 0; i < gputm__columns_quads(lanes); i++) {
		gputm__quad x = gputm__quads_of(column)[i], n = x, more;

		gputm__quad_popcount(&n);
		more = (gputm__quad)(n > most);
		any |= x;
		threads += n;
		most = (n & more) | (most & ~more);
		if (each)
			gputm__quads(each)[i] = n;
	}
	for (unsigned i = 0; i < 4; i++) {
		count.threads += threads[i];
		count.any |= any[i];
		count.most = most[i] > count.most ? most[i] : count.most;
	}
	return count;
}

/* Number of warps that the counted threads form, with or without compaction. */
static inline uint32_t gputm__columns_warps(const struct gputm__columns_count *count,
					    bool compact)
{
	return compact ? count->most : gputm__popcount(count->any);
}

#endif /* GPUTM_LIB_COMPACTION_COLUMNS_H */
