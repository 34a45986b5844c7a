/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_EXPLORE_FORMER_H
#define GPUTM_TESTS_EXPLORE_FORMER_H
/* Warps that are formed of threads at one PC, which part, meet and end. See README.md. */
#include <stdbool.h>

#include "tests/explore/explore.h"

struct former_trial {
	uint32_t warps, lanes; /* 4 threads at most */
	bool whole;	       /* static warps stay whole outside divergent code */
	bool holds;	       /* partial warps are held */
	bool apart;	       /* each static warp is a block */
	bool inside;	       /* the block's barrier is in divergent code */
};

/* Explore within the bounds; the chart of what is wrong goes to `out`, if not NULL. */
struct explore_result former_explore(const struct former_trial *trial,
				     struct explore_bounds bounds, FILE *out);

#endif
