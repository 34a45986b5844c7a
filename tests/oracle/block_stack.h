/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_BLOCK_STACK_H
#define GPUTM_TESTS_ORACLE_BLOCK_STACK_H
#include "gputm/block_stack.h"
#include "tests/oracle/stats.h"

#define ORACLE_BLOCK_THREADS 64
#define ORACLE_BLOCK_ENTRIES 72
#define ORACLE_BLOCK_STACK_STATS                                                               \
	branches, full, max_depth, pushed, reconverged, merged, emptied, replaced, tops,       \
		warps_formed, warps_admitted, warps_branched, warps_arrived, warps_ended,      \
		threads_launched, threads_ended, barriers, transactions, restarts,             \
		warps_begun, warps_committed, warps_aborted, threads_begun, threads_committed, \
		threads_aborted

/* Where a thread of the top of stack is. */
enum oracle_block_place {
	ORACLE_BLOCK_NOT_THERE,
	ORACLE_BLOCK_TO_ADMIT,
	ORACLE_BLOCK_RUNS,
	ORACLE_BLOCK_TAKEN,
	ORACLE_BLOCK_OTHER,
	ORACLE_BLOCK_ARRIVED,
};

struct oracle_block_entry {
	uint64_t pc, rpc, lpc;
	unsigned lpos;
	bool has[ORACLE_BLOCK_THREADS];
};

/* The stack thread by thread, with one flag for each thread of each entry. */
struct oracle_block_stack {
	unsigned lanes, warps, depth;
	bool compact, likely;
	uint64_t pc_max;
	struct oracle_block_entry entry[ORACLE_BLOCK_ENTRIES];
	unsigned count, top, formed, admitted;
	enum oracle_block_place place[ORACLE_BLOCK_THREADS];
	unsigned warp_of[ORACLE_BLOCK_THREADS]; /* of those that run */
	bool over[32], at_barrier[32];		/* warps of the top */
	bool branching, arriving, beginning, committing;
	unsigned retry; /* the entry R, and T above it; 0 outside a transaction */
	struct gputm_block_stack_target target;
	uint64_t way_pc;
	ORACLE_STATS(ORACLE_BLOCK_STACK_STATS) stats;
};

/* Each gives what the unit should answer, and takes the step. */
int oracle_block_launch(struct oracle_block_stack *o, uint64_t pc, const uint64_t mask[]);
int oracle_block_admit(struct oracle_block_stack *o, uint64_t mask, const uint16_t thread[]);
int oracle_block_branch(struct oracle_block_stack *o, unsigned warp, uint64_t taken,
			const struct gputm_block_stack_target *target);
int oracle_block_arrive(struct oracle_block_stack *o, unsigned warp, uint64_t pc);
int oracle_block_exit(struct oracle_block_stack *o, unsigned warp, uint64_t lanes);
int oracle_block_barrier(struct oracle_block_stack *o, unsigned warp);
int oracle_block_tx_begin(struct oracle_block_stack *o, unsigned warp, uint64_t restart_pc);
int oracle_block_tx_commit(struct oracle_block_stack *o, unsigned warp, uint64_t pc_after);
int oracle_block_tx_abort(struct oracle_block_stack *o, unsigned warp, uint64_t lanes);
int oracle_block_tx_report(struct oracle_block_stack *o, unsigned static_warp, uint64_t committed,
			   uint64_t aborted);

/* What can be seen of the unit, as the oracle has it; NULL or what differs. */
const char *oracle_block_compare(const struct oracle_block_stack *o,
				 const struct gputm_block_stack *stack);
unsigned oracle_block_live(const struct oracle_block_stack *o);
uint64_t oracle_block_warp(const struct oracle_block_stack *o, unsigned warp);

#endif
