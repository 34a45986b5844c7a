/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_COMPACTION_COLUMNS_H
#define GPUTM_LIB_COMPACTION_COLUMNS_H
/*
 * Masks of a thread block as the paper draws them (Fung's thesis, 3.3.3): a column per lane,
 * with a bit per static warp. A block has at most 32 warps, so a column is 32 bits.
 */
#include "lib/base/unit.h"

#define GPUTM__COLUMNS_MAX 64
#define GPUTM__COLUMN_BITS 32

/* The columns of `from` join those of `to` in the lanes of `lanes`. */
static inline void gputm__columns_add(uint32_t to[], const uint32_t from[], uint64_t lanes)
{
	for (; lanes; lanes &= lanes - 1)
		to[gputm__lowest(lanes)] |= from[gputm__lowest(lanes)];
}

/* Counts of a block mask. */
struct gputm__columns_count {
	uint32_t threads;
	uint32_t most; /* in one lane */
	uint32_t any;  /* static warps with a thread */
};

static inline struct gputm__columns_count gputm__columns_count(const uint32_t column[],
							       uint32_t lanes)
{
	struct gputm__columns_count count = { 0, 0, 0 };

	for (uint32_t lane = 0; lane < lanes; lane++) {
		uint32_t threads = gputm__popcount(column[lane]);

		count.threads += threads;
		count.most = threads > count.most ? threads : count.most;
		count.any |= column[lane];
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
