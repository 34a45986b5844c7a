/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_EXPLORE_BLOCK_H
#define GPUTM_TESTS_EXPLORE_BLOCK_H
/* Compacted warps of a block, which part, end, and run a transaction. See README.md. */
#include "tests/explore/explore.h"

struct block_trial {
	uint32_t warps, lanes; /* 4 threads at most */
	uint32_t attempts;     /* of a thread; 0: no transaction */
	bool exits;	       /* threads may end on one side of a branch */
	bool parts;	       /* attempts branch, and threads abort before their commit */
	bool stays;	       /* threads stay in their static warps */
};

/* Explore within the bounds; the chart of what is wrong goes to `out`, if not NULL. */
struct explore_result block_explore(const struct block_trial *trial, struct explore_bounds bounds,
				    FILE *out);

#endif
