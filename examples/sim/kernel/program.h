/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H
/*
 * The one form that every program takes: workloads, traces and kernel files.
 *
 * A program is an array of instructions, the same for all threads, with explicit
 * reconvergence points. What an instruction does in one lane is told by the
 * program's eval function, which is pure: it reads the workload's constant data and
 * {pc, registers, last loaded value} of the lane and gives an address, a value or the
 * way of a branch. A lane holds numbers only, so a warp can be saved, restored and
 * re-executed at any point.
 *
 * A warp runs in lockstep: an instruction is evaluated for all active lanes, issued
 * once, and is done for all of them before the next one starts.
 */
#include <stdbool.h>
#include <stdint.h>

enum sim_op {
	SIM_PLAIN,     /* `count` issue slots of arithmetic */
	SIM_LOAD,      /* lane->loaded = word at step.address */
	SIM_STORE,     /* word at step.address = step.value */
	SIM_CAS,       /* lane->loaded = old word; if it was step.compare: word = step.value */
	SIM_BRANCH,    /* step.taken: to `target`, else the next pc; lanes meet at `meet` */
	SIM_FENCE,     /* wait until all stores of the warp have been performed */
	SIM_TX_BEGIN,  /* transactional programs only */
	SIM_TX_COMMIT, /* the transaction's last instruction; an abort restarts at TX_BEGIN */
	SIM_ENTER,     /* lock programs: all locks are held from here; costs nothing */
	SIM_LEAVE,     /* lock programs: the critical section is committed; costs nothing */
	SIM_EXIT,      /* the thread ends; only the last instruction, reached by all lanes */
};

/*
 * SIM_ENTER and SIM_LEAVE are notes for the observer: the loads and stores of that
 * lane between the two form one committed transaction. The locks of a lane must be
 * released after a SIM_FENCE that follows its stores.
 */
struct sim_instr {
	enum sim_op op;
	uint32_t count;	 /* SIM_PLAIN: 1 or more */
	uint32_t target; /* SIM_BRANCH: pc when taken */
	uint32_t meet;	 /* SIM_BRANCH: pc where the two ways reconverge */
};

#define SIM_REGISTERS 8

/* One thread in a lane. The program owns reg[]; the machine writes the rest. */
struct sim_lane {
	uint32_t thread;
	uint32_t attempt; /* aborts of the running transaction so far */
	uint32_t loaded;  /* by the last SIM_LOAD or SIM_CAS of this lane */
	uint32_t reg[SIM_REGISTERS]; /* 0 at the start; restored when a transaction aborts */
};

/* What one lane does at one instruction; all zero before eval is called. */
struct sim_step {
	uint64_t address;     /* LOAD, STORE, CAS: byte address of a word, below 2^40 */
	uint32_t value;	      /* STORE, CAS */
	uint32_t compare;     /* CAS */
	bool taken;	      /* BRANCH */
	bool skip;	      /* LOAD, STORE, CAS: predicated off in this lane */
};

/*
 * Called once per lane and execution, for PLAIN, LOAD, STORE, CAS and BRANCH. It may
 * change lane->reg; the new contents count for the next instruction.
 */
typedef void (*sim_eval_fn)(const void *data, uint32_t pc, struct sim_lane *lane,
			    struct sim_step *step);

struct sim_program {
	const struct sim_instr *code;
	uint32_t length;
	sim_eval_fn eval;
	const void *data; /* handed to eval: the workload */
};

#endif
