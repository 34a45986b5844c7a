/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_EXPLORE_HETM_H
#define GPUTM_TESTS_EXPLORE_HETM_H
/* Rounds of HeTM: transactions of two devices, each on a replica of its own. See README.md. */
#include "tests/explore/explore.h"

/* Errors that are built into the glue. */
enum hetm_hole {
	HETM_WHOLE,
	HETM_BLIND_READS,   /* a load of the GPU is not marked as read */
	HETM_BLIND_WRITES,  /* a store of the GPU is not marked as read */
	HETM_LOST_ENTRY,    /* a commit's write of the second word is not logged */
	HETM_NO_VERDICT,    /* conflicts of validation are not reported */
	HETM_EARLY_IS_LAST, /* what early validation has seen is not tested again */
	HETM_NO_STAMPS,	    /* each entry is written, whether it is newer or not */
	HETM_STALE_ROW,	    /* of a run only the first word is copied back */
	HETM_NO_REALIGN,    /* a lost round leaves the replica as it is */
	HETM_NO_REPLAY,	    /* the shadow copy does not get the CPU's writes */
};

struct hetm_trial {
	uint32_t hosts, devices; /* transactions of the CPU and of the GPU: 4 at most */
	uint32_t words;		 /* that they access: 1 or 2 */
	uint32_t rounds;	 /* that may end at any time; later ones end with nothing to run */
	bool coarse;		 /* both words share all bits, and fill a chunk: else one does */
	bool basic;		 /* no shadow copy, and the CPU waits for validation */
	bool early;		 /* validation */
	bool any;		 /* else loads before stores, the lower word first */
	enum hetm_hole hole;
};

/* Explore within the bounds; the chart of what is wrong goes to `out`, if not NULL. */
struct explore_result hetm_explore(const struct hetm_trial *trial, struct explore_bounds bounds,
				   FILE *out);

#endif
