/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_EXPLORE_LOCAL_H
#define GPUTM_TESTS_EXPLORE_LOCAL_H
/* Transactions in local memory: each work-item of a group has one, of two words. See README.md. */
#include "tests/explore/explore.h"

struct local_trial {
	uint32_t wavefronts, lanes; /* 4 work-items at most */
	uint32_t words;		    /* that they access: 1 or 2 */
	uint32_t banks;		    /* 1: both words share a signature bit, 2: they do not */
	bool ordered;		    /* loads before stores, the lower word first */
	bool together;		    /* all lanes that run access in each step */
};

/* Explore within the bounds; the chart of what is wrong goes to `out`, if not NULL. */
struct explore_result local_explore(const struct local_trial *trial, struct explore_bounds bounds,
				    FILE *out);

#endif
