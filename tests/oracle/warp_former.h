/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_WARP_FORMER_H
#define GPUTM_TESTS_ORACLE_WARP_FORMER_H
#include "gputm/warp_former.h"
#include "tests/oracle/stats.h"

#define ORACLE_FORMER_THREADS 64
#define ORACLE_WARP_FORMER_STATS                                                               \
	formed, issued, returned, threads_issued, width[GPUTM_HISTOGRAM_BUCKETS],              \
		threads_merged, max_pool, max_pcs, threads_launched, threads_ended, diverged,  \
		restored, ended_diverged, barriers

enum oracle_former_place {
	ORACLE_FORMER_ENDED,
	ORACLE_FORMER_IN_POOL,
	ORACLE_FORMER_AT_WARP_BARRIER,
	ORACLE_FORMER_AT_BLOCK_BARRIER,
};

struct oracle_former_warp {
	bool used, flying;
	uint64_t pc, age;
	int thread[64]; /* per lane, -1 without one */
};

/* Thread by thread; warps are looked for one after the other. */
struct oracle_warp_former {
	unsigned lanes, warps, block_warps;
	bool warp_barrier, hold;
	uint64_t pc_max, age;
	struct oracle_former_warp pool[ORACLE_FORMER_THREADS];
	enum oracle_former_place place[ORACLE_FORMER_THREADS];
	bool diverged[ORACLE_FORMER_THREADS];	 /* static warps */
	uint64_t barrier[ORACLE_FORMER_THREADS]; /* PCs of their warp barriers */
	uint64_t block_pc[ORACLE_FORMER_THREADS];
	ORACLE_STATS(ORACLE_WARP_FORMER_STATS) stats;
};

/* Each gives what the unit should answer, and takes the step. */
int oracle_former_launch(struct oracle_warp_former *o, unsigned warp, uint64_t mask, uint64_t pc);
int oracle_former_pop(struct oracle_warp_former *o, unsigned *slot);
int oracle_former_branch(struct oracle_warp_former *o, unsigned slot, uint64_t taken,
			 const struct gputm_warp_former_target *target);
int oracle_former_advance(struct oracle_warp_former *o, unsigned slot, uint64_t pc);
int oracle_former_exit(struct oracle_warp_former *o, unsigned slot, uint64_t lanes);
int oracle_former_barrier(struct oracle_warp_former *o, unsigned slot, uint64_t pc);

uint64_t oracle_former_mask(const struct oracle_warp_former *o, unsigned slot);
/* NULL, or what differs from what can be seen of the unit. */
const char *oracle_former_compare(const struct oracle_warp_former *o,
				  const struct gputm_warp_former *former);

#endif
