/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_SIMT_STACK_H
#define GPUTM_ORACLE_SIMT_STACK_H
/*
 * What a warp executes, without a stack. A random structured program (branches, loops
 * with breaks, transactions, early ends) is a table of blocks, one instruction each, the
 * PC being the index. Every choice of a lane comes from a stream of its own, and which
 * lanes abort comes from the number of the step, so two executions need not be in step
 * to be compared.
 *
 * oracle_simt_stack_schedule() executes the program by plain recursion over masks: a branch
 * runs its targets one after the other up to its reconvergence point, a transaction runs its
 * body again for those that failed. It knows nothing of likely convergence.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORACLE_WAYS 4
#define ORACLE_BLOCKS 600
#define ORACLE_STEPS 20000
#define ORACLE_NONE UINT64_MAX

enum oracle_kind {
	ORACLE_PLAIN,
	ORACLE_BRANCH,
	ORACLE_BEGIN,	     /* of a transaction */
	ORACLE_COMMIT,
	ORACLE_INNER_BEGIN,  /* of a nested one */
	ORACLE_INNER_COMMIT,
	ORACLE_EXIT,	     /* lanes with an odd draw end, the others go on */
	ORACLE_END,	     /* all end */
};

struct oracle_block {
	enum oracle_kind kind;
	unsigned ways;
	uint64_t next[ORACLE_WAYS]; /* the last way runs first; way 0 leaves a loop */
	uint64_t rpc, lpc;
};

struct oracle_program {
	struct oracle_block block[ORACLE_BLOCKS];
	size_t blocks;
	uint64_t seed;
	unsigned abort_one_in; /* steps in a transaction after which lanes abort; 0: never */
};

struct oracle_step {
	uint64_t pc, mask;
};

/* Make a program. */
void oracle_simt_stack_program(struct oracle_program *program, uint64_t seed,
			       unsigned abort_one_in);
/* Way that a lane takes at its draw number `draws` from a block. */
unsigned oracle_simt_stack_way(const struct oracle_program *program,
			       const struct oracle_block *block, unsigned lane, unsigned draws);
/* Lanes of `running` that abort after step number `step`. */
uint64_t oracle_simt_stack_aborts(const struct oracle_program *program, size_t step,
				  uint64_t running);
/* Lanes of `mask` that fail at the commit that is step number `step`. */
uint64_t oracle_simt_stack_failures(const struct oracle_program *program, size_t step,
				    uint64_t mask);
/* The steps of a warp of these lanes, in order. Gives their number; ORACLE_STEPS: too many. */
size_t oracle_simt_stack_schedule(const struct oracle_program *program, uint64_t lanes,
				  struct oracle_step *out);

#endif /* GPUTM_ORACLE_SIMT_STACK_H */
