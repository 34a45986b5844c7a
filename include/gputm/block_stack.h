/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_BLOCK_STACK_H
#define GPUTM_BLOCK_STACK_H

/**
 * @file
 * Block-wide SIMT stack: gputm_block_stack(3).
 *
 * One reconvergence stack for all warps of a thread block (thread block compaction; Fung,
 * thesis 2015, 3.3, Fig. 3.5, 3.7), with likely-convergence points (3.4). An entry has a PC,
 * the reconvergence point RPC, a mask of the block's threads and WCnt, the warps that have not
 * yet come to the end of it. Warps come to a branch in any order; the first one makes the
 * entries of both targets and each adds its threads. When WCnt reaches zero, the new top entry
 * is compacted into warps, which run until the next branch or reconvergence point.
 *
 * What the owner does, with gputm_thread_compactor(3) beside it:
 *
 *     launch, or an answer COMPACT   gputm_block_stack_mask(), push the mask to the compactor
 *     a warp leaves the compactor    gputm_block_stack_admit(): gives its index; it runs
 *     it is at a divergent branch    gputm_block_stack_branch()
 *     it goes on anywhere else       gputm_block_stack_arrive()
 *     threads of it end              gputm_block_stack_exit()
 *     it is at a block barrier       gputm_block_stack_barrier()
 *     it is at tx_begin              gputm_block_stack_tx_begin()
 *     it is at tx_commit             gputm_block_stack_tx_commit()
 *     threads of it abort before     gputm_block_stack_tx_abort()
 *     what became of threads then    gputm_block_stack_tx_report()
 *
 * A warp that gets WAIT is over: its threads come back in other warps. All warps of an entry
 * leave it by the same branch or at the same reconvergence point; a branch on which they may
 * part must be given to gputm_block_stack_branch() also by warps whose threads agree.
 *
 * A transaction of a block has the entries R and T of a warp's stack (4.2.1, Fig. 4.3), for the
 * threads of all its warps: T has those of the attempt, R those that will run again. The warps of
 * an attempt wait for each other at tx_commit, where they are over; from then on threads are known
 * by their static warps, as their logs are. When all have committed or aborted, T takes the
 * threads of R, which are compacted for the next attempt, or both entries are popped. The paper
 * leaves transactions on compacted warps open (8.1), so all of this is ours.
 *
 * Block masks have one word per lane: bit w of mask[l] is the thread in lane l of static warp
 * w, which is thread w * lanes + l of the block. The stack is read and written in the cycle in
 * which the branch issues; only compaction takes cycles, those of the compactor.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** No program counter: of a field that is not used, or no such point. */
#define GPUTM_BLOCK_STACK_NO_PC UINT64_MAX
/** LPos of an entry without a likely-convergence entry. */
#define GPUTM_BLOCK_STACK_NO_ENTRY UINT32_MAX
/** Most lanes of a warp. */
#define GPUTM_BLOCK_STACK_LANES_MAX 64

/** One stack. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_block_stack;

/** Geometry; fields are only ever appended. */
struct gputm_block_stack_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Lanes of a warp (1..64). */
	uint32_t lanes;
	/** Static warps of the block (1..32). */
	uint32_t warps;
	/** Width of a program counter, bits (1..64). */
	uint32_t pc_bits;
	/** Entries (4..1024). */
	uint32_t depth;
	/** Use likely-convergence points: the fields LPC and LPos. */
	bool likely_convergence;
	/** Pack threads; 0: all stay in their static warps. Must equal the compactor's. */
	bool compact;
};
/* begin INIT */
#define GPUTM_BLOCK_STACK_CONFIG_INIT \
	{ sizeof(struct gputm_block_stack_config), \
	  /* lanes */ 32, /* warps */ 32, /* pc_bits */ 32, /* depth */ 64, \
	  /* likely_convergence */ false, /* compact */ true }
/* end INIT */

/** What an operation did. */
enum gputm_block_stack_result {
	/** The warp goes on. */
	GPUTM_BLOCK_STACK_CONTINUE = 0,
	/** The warp is over; others of the entry are still to come. */
	GPUTM_BLOCK_STACK_WAIT = 1,
	/** It was the last one: there is a new top entry, to be compacted. */
	GPUTM_BLOCK_STACK_COMPACT = 2,
	/** More entries are needed than there are; nothing changed but the count of that. */
	GPUTM_BLOCK_STACK_FULL = 3,
	/** No thread of the block is left. */
	GPUTM_BLOCK_STACK_FINISH = 4,
	/** At the barrier, or by the exit of the last warp that was not: all warps go on. */
	GPUTM_BLOCK_STACK_RELEASE = 5,
	/** All warps of the attempt are at tx_commit: its threads, those of the top, may commit. */
	GPUTM_BLOCK_STACK_COMMIT = 6,
};

/** One row of the stack. */
struct gputm_block_stack_entry {
	uint64_t pc;   /**< where its warps start */
	uint64_t rpc;  /**< reconvergence point at which it is popped, or NO_PC */
	uint64_t lpc;  /**< likely-convergence point at which it is merged, or NO_PC */
	uint32_t lpos; /**< index of the likely-convergence entry it is merged with, or NO_ENTRY */
	uint32_t wcnt; /**< warps that have not come to its end; 0 unless it is the top of stack */
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX]; /**< its threads */
};

/** A branch: the same for all warps that come to it. */
struct gputm_block_stack_target {
	uint64_t taken_pc; /**< of the threads that take it; they run first */
	uint64_t other_pc; /**< of the others */
	uint64_t rpc;	   /**< immediate post-dominator; NO_PC: the targets never meet */
	uint64_t lpc;	   /**< likely-convergence point, or NO_PC; ignored unless configured */
};

/** Events; gputm_block_stack(3) says what each tells. */
enum gputm_block_stack_event {
	GPUTM_BLOCK_STACK_EVENT_LAUNCH = 0,
	GPUTM_BLOCK_STACK_EVENT_ADMIT = 1,
	GPUTM_BLOCK_STACK_EVENT_BRANCH = 2,
	GPUTM_BLOCK_STACK_EVENT_ARRIVE = 3,
	GPUTM_BLOCK_STACK_EVENT_EXIT = 4,
	GPUTM_BLOCK_STACK_EVENT_RECONVERGE = 5,
	GPUTM_BLOCK_STACK_EVENT_MERGE = 6,
	GPUTM_BLOCK_STACK_EVENT_EMPTY = 7,
	GPUTM_BLOCK_STACK_EVENT_TOP = 8,
	GPUTM_BLOCK_STACK_EVENT_RELEASE = 9,
	GPUTM_BLOCK_STACK_EVENT_TX_BEGIN = 10,
	GPUTM_BLOCK_STACK_EVENT_TX_COMMIT = 11,
	GPUTM_BLOCK_STACK_EVENT_TX_ABORT = 12,
	GPUTM_BLOCK_STACK_EVENT_TX_REPORT = 13,
	GPUTM_BLOCK_STACK_EVENT_RESTART = 14,
	GPUTM_BLOCK_STACK_EVENT_LEAVE = 15,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_block_stack_params(void);
/**
 * Set @p config to a preset: "tbc" (thesis 3.3: blocks of 32 warps of 32 lanes), "tbc-lcp" (3.4)
 * or "static" (compaction disabled).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_block_stack_config_preset(struct gputm_block_stack_config *config, const char *name);
/** Make an empty stack. @return 0; -EINVAL; -E2BIG; -ENOMEM. All memory is taken here. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_block_stack_new(struct gputm_ctx *ctx, const struct gputm_block_stack_config *config,
		      struct gputm_block_stack **out);
/** Free a stack; NULL allowed. */
GPUTM_API void gputm_block_stack_free(struct gputm_block_stack *stack);
/** @return its common face; lives as long as @p stack. */
GPUTM_API struct gputm_unit *gputm_block_stack_unit(struct gputm_block_stack *stack);

/**
 * Start a block: one entry of the threads @p mask at @p pc, to be compacted.
 * @param mask one word per lane.
 * @return 0; -EINVAL, threads are still there, or @p mask has none; -ERANGE, it has a thread of
 * a static warp that the block has not, or @p pc is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_stack_launch(struct gputm_block_stack *stack,
							uint64_t pc, const uint64_t mask[]);

/** @return where the warps of the top of stack start, also once some of them have branched; NO_PC
 * when the stack is empty. */
GPUTM_API uint64_t gputm_block_stack_pc(const struct gputm_block_stack *stack);
/** Give the threads of the top of stack, one word per lane; all zero when it is empty. */
GPUTM_API void gputm_block_stack_mask(const struct gputm_block_stack *stack, uint64_t mask[]);
/** @return threads that have been launched and have not ended. */
GPUTM_API uint32_t gputm_block_stack_live(const struct gputm_block_stack *stack);
/** @return number of entries, those above the top of stack that are being filled included. */
GPUTM_API size_t gputm_block_stack_depth(const struct gputm_block_stack *stack);
/** @return index of the top of stack: lies below the targets that are being filled. */
GPUTM_API size_t gputm_block_stack_top(const struct gputm_block_stack *stack);
/** Give entry @p index; 0 is the bottom. @return 0; -ERANGE, past the last one. */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_stack_get_entry(const struct gputm_block_stack *stack,
							   size_t index,
							   struct gputm_block_stack_entry *out);
/** @return lanes of running warp @p warp; 0 if there is none of that index. */
GPUTM_API uint64_t gputm_block_stack_warp(const struct gputm_block_stack *stack, uint32_t warp);

/**
 * A warp of the top entry has been made and starts. With compaction it has a thread of each
 * lane that has as many left as warps are to come; else all threads of one static warp.
 * @param mask lanes with a thread.
 * @param thread of each lane of @p mask: w * lanes + l; other elements are not read.
 * @return its index, 0 .. warps - 1, for the calls below; -EINVAL, all warps have been
 * admitted, a thread is not in its home lane, is not in the entry or is in another warp, or
 * the others do not fit the warps to come; -ERANGE, a lane or a thread that does not exist.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_stack_admit(struct gputm_block_stack *stack,
						       uint64_t mask, const uint16_t thread[]);

/**
 * A warp is at a branch on which threads may part. Its threads go to the entries of the
 * targets and the warp is over.
 *
 * The first warp makes the entries: the entry that branches waits at the RPC from then on; if
 * there is a likely-convergence point (other than the RPC), an empty entry follows, and then
 * those of both targets, the taken one on top, each with its threads, which may be none. An
 * entry that branches with its own RPC gives its place to the entry above it once all its
 * warps have come; with another LPC it becomes the likely-convergence entry and keeps its own.
 * @param taken lanes that take the branch.
 * @return WAIT; COMPACT; FULL; -EINVAL, no such warp runs or it is at a barrier, @p taken has
 * other lanes, other warps of the entry left it elsewhere, or NO_PC as RPC where the entry has
 * an RPC itself or in a transaction; -ERANGE, a PC is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_block_stack_branch(struct gputm_block_stack *stack, uint32_t warp, uint64_t taken,
			 const struct gputm_block_stack_target *target);
/** @return what gputm_block_stack_branch() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_block_stack_branch_probe(const struct gputm_block_stack *stack, uint32_t warp,
			       uint64_t taken, const struct gputm_block_stack_target *target);

/**
 * A warp goes on at @p next_pc. If that is the RPC or the LPC of its entry, the warp is over;
 * with the last one the entry is popped (and merged with its likely-convergence entry).
 * @return CONTINUE, @p next_pc is neither; WAIT; COMPACT; -EINVAL, no such warp runs or it is at
 * a barrier, or other warps of the entry left it elsewhere; -ERANGE, @p next_pc is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_stack_arrive(struct gputm_block_stack *stack,
							uint32_t warp, uint64_t next_pc);

/**
 * Threads end: they leave every entry. A warp without threads is over.
 * @param lanes of the warp.
 * @return CONTINUE, others of the warp go on; WAIT; COMPACT; FINISH; RELEASE, all other warps are
 * at a barrier and go on; -EINVAL, no such warp runs or it is at a barrier, @p lanes is
 * empty or has other lanes, or the block is in a transaction.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_stack_exit(struct gputm_block_stack *stack,
						      uint32_t warp, uint64_t lanes);

/**
 * A warp is at a barrier of the block; it runs again after RELEASE, and no other operation is
 * allowed on it before. Only where all live threads are: in divergent code it is refused.
 * @return WAIT; RELEASE, it is the last one and all warps go on; -EINVAL, no such warp runs, it
 * is at the barrier, the top of stack has not all threads of the block, or the block is in a
 * transaction.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_stack_barrier(struct gputm_block_stack *stack,
							 uint32_t warp);

/** @return index of the entry R, which T lies on; NO_ENTRY outside a transaction. */
GPUTM_API uint32_t gputm_block_stack_tx_retry(const struct gputm_block_stack *stack);

/**
 * A warp is at tx_begin, and is over. With the last one of its entry, R (empty) and T (the threads
 * of the entry) are pushed, and T is to be compacted. There is no transaction within another.
 * @param restart_pc where attempts start; the same for all warps of the entry.
 * @return WAIT; COMPACT; FULL; -EINVAL, no such warp runs or it is at a barrier, other warps of
 * the entry left it elsewhere, or the block is in a transaction; -ERANGE, @p restart_pc is too
 * wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_stack_tx_begin(struct gputm_block_stack *stack,
							  uint32_t warp, uint64_t restart_pc);

/**
 * A warp of T is at tx_commit, and is over. After the last one no warp runs until
 * gputm_block_stack_tx_report() has told the fate of each thread of the attempt:
 * gputm_block_stack_mask() gives those whose fate is open.
 * @param pc_after where threads go on that commit; the same for all warps of the attempt.
 * @return WAIT; COMMIT; -EINVAL, no such warp runs, other warps of the attempt left it elsewhere,
 * or T is not the top of stack; -ERANGE, @p pc_after is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_stack_tx_commit(struct gputm_block_stack *stack,
							   uint32_t warp, uint64_t pc_after);

/**
 * Threads of a running warp abort before they come to tx_commit: they leave T and all entries
 * above it and wait in R. A warp without threads is over.
 * @param lanes of the warp.
 * @return CONTINUE, others of the warp go on; WAIT; COMPACT, which may be that of the next
 * attempt; COMMIT, all other warps are at tx_commit; -EINVAL, no such warp runs, @p lanes is empty
 * or has other lanes, or the block is not in a transaction.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_stack_tx_abort(struct gputm_block_stack *stack,
							  uint32_t warp, uint64_t lanes);

/**
 * Threads at tx_commit have committed or aborted: those that aborted wait in R. With the last
 * ones the attempt is over. If threads wait in R, T takes them at R's PC and R is empty again;
 * else R and T are popped, and the entry below goes on after tx_commit.
 * @param static_warp in which the threads are at home.
 * @param committed, aborted lanes of these threads.
 * @return WAIT, others are to come; COMPACT; -EINVAL, the attempt is not at tx_commit with all its
 * warps, both masks are empty or have a common lane, or they have a thread that is not open;
 * -ERANGE, the block has no such static warp.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_stack_tx_report(struct gputm_block_stack *stack,
							   uint32_t static_warp,
							   uint64_t committed, uint64_t aborted);

GPUTM_END_DECLS
#endif /* GPUTM_BLOCK_STACK_H */
