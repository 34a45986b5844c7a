/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H
/*
 * The one form that every program takes: workloads, traces and kernel files.
 *
 * A program is an array of instructions, the same for all threads, with explicit
 * reconvergence points. The program's eval function computes what an instruction does in the lanes
 * of a warp. It is pure: it reads the workload's constant data and {pc, registers} of the lanes and
 * gives addresses, values or the directions of a branch. Registers are numbers in rows of 32 lanes,
 * which the machine keeps, so a warp can be saved, restored and re-executed at any point.
 *
 * A warp runs in lockstep: an instruction is evaluated for all active lanes, issued
 * once, and is done for all of them before the next one starts.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Room for a message about a kernel: its file as given, the place and the fault. */
#define SIM_MESSAGE 640

enum sim_op {
	SIM_PLAIN,     /* `count` issue slots of arithmetic */
	SIM_LOAD,      /* register step.into = word at step.address */
	SIM_STORE,     /* word at step.address = step.value */
	SIM_CAS,       /* step.into = old word; if it was step.compare: word = step.value */
	SIM_ADD,       /* step.into = old word; word += step.value; no abort undoes it */
	SIM_BRANCH,    /* step.chosen: to `target`, else the next pc; lanes meet at `meet` */
	SIM_EXIT_IF,   /* step.chosen: the thread ends; outside transactions */
	SIM_BARRIER,   /* of the block; outside transactions */
	SIM_FENCE,     /* wait until all stores of the warp have been performed */
	SIM_TX_BEGIN,  /* transactional programs only */
	SIM_TX_COMMIT, /* the transaction's last instruction; an abort restarts at TX_BEGIN */
	SIM_ENTER,     /* lock programs: all locks are held from here; costs nothing */
	SIM_LEAVE,     /* lock programs: the critical section is committed; costs nothing */
	SIM_NOTE,      /* evaluated; costs nothing */
	SIM_EXIT,      /* the thread ends */
	/* Of a kernel only; in a program they are SIM_PLAIN. */
	SIM_SET,       /* nothing but its steps */
	SIM_JUMP,      /* goes on at its target */
	SIM_DRAW,      /* setup: d = a random number below a; b: exponent of Zipf's law */
	SIM_REQUIRE,   /* verify: a, or the words of message b are said */
	SIM_LAUNCH,    /* host: kernel number `count` of the launches */
};

/* Does it load a word? */
static inline bool sim_loads(enum sim_op op)
{
	return op == SIM_LOAD || op == SIM_CAS || op == SIM_ADD;
}

/*
 * SIM_ENTER and SIM_LEAVE are notes for the observer: the loads and stores of that
 * lane between the two form one committed transaction. After its stores a lane must execute a
 * SIM_FENCE before it releases its locks.
 */
struct sim_instr {
	enum sim_op op;
	uint32_t count;	 /* SIM_PLAIN: 1 or more */
	uint32_t target; /* SIM_BRANCH: pc when taken */
	uint32_t meet;	 /* SIM_BRANCH: pc where the two ways reconverge */
	uint32_t likely; /* SIM_BRANCH: pc where they may meet before; 0: nowhere */
	int32_t hop;	 /* where it goes on, unless it takes a branch: from the next pc on */
	bool shared;	 /* LOAD .. ADD: of the block's shared memory, bytes from 0 on */
	bool uniform;	 /* BRANCH: the program promises that it divides no warp */
};

/* An index beyond an array's end: of an access, or of a step of the kernel. */
#define SIM_OPERANDS 5
#define SIM_NO_STEP UINT32_MAX
struct sim_stray {
	uint32_t pc, step, index, part; /* step: or SIM_NO_STEP; part: word of a field */
	uint32_t operand[SIM_OPERANDS];
};

/* A warp at an instruction, and what it does there. */
struct sim_step {
	uint32_t *reg;	   /* register r of lane l: reg[32 r + l]; 0 at the start */
	/* NULL; or register r of lane l is reg[slot[l] + r * stride]. */
	const uint32_t *slot;
	uint32_t stride;
	uint32_t mask;	   /* lanes that execute */
	uint32_t whole;	   /* lanes that have a thread */
	/* By lane, for lanes that take part: the byte address of a word, below 2^40, ... */
	uint64_t *address;
	uint32_t *value, *compare; /* STORE, CAS, ADD; CAS */
	uint32_t chosen;   /* BRANCH, EXIT_IF: lanes that take it; memory: that take part */
	uint16_t into;	   /* LOAD, CAS, ADD: the register for the loaded word, or none */
	/* Lanes with an index beyond an array's end. They take no part, and load 0. */
	uint32_t stray;
	struct sim_stray *stray_of; /* the caller's, by lane */
};

/* Called once per warp and execution, for PLAIN, LOAD .. EXIT_IF and NOTE. It may change registers;
 * the next instruction sees the new contents. */
typedef void (*sim_eval_fn)(const void *data, uint32_t pc, struct sim_step *step);

static inline uint32_t *sim_register(const struct sim_step *step, uint32_t reg, uint32_t lane)
{
	return &step->reg[step->slot ? step->slot[lane] + reg * step->stride : 32 * reg + lane];
}

/* Special values: what a thread can ask about itself. */
enum sim_special {
	SIM_OWN_THREAD, /* number in its block */
	SIM_OWN_LANE,
	SIM_OWN_WARP, /* of the block */
	SIM_OWN_BLOCK,
	SIM_OWN_ID, /* number in the launch */
	SIM_OWN_WARP_ID, /* of the launch */
	SIM_OWN_ATTEMPT, /* aborts of the running transaction */
	SIM_OWN_DEVICE, /* enum sim_affinity: the one of several that runs it */
	SIM_SPECIALS,
};
#define SIM_NO_REGISTER UINT16_MAX

/* That of a thread, by its number in its block of so many threads. */
static inline uint32_t sim_own(enum sim_special special, uint32_t block, uint32_t thread,
			       uint32_t threads, uint32_t lanes)
{
	switch (special) {
	case SIM_OWN_THREAD:
		return thread;
	case SIM_OWN_LANE:
		return thread % lanes;
	case SIM_OWN_WARP:
		return thread / lanes;
	case SIM_OWN_BLOCK:
		return block;
	case SIM_OWN_ID:
		return block * threads + thread;
	case SIM_OWN_WARP_ID:
		return block * ((threads + lanes - 1) / lanes) + thread / lanes;
	default: /* no attempt has been aborted */
		return 0;
	}
}

/* Put the special values of threads first .. into their registers. All are of one block. Register r
 * of the first thread is reg[r * stride]; the others follow. special: as of a program. */
static inline void sim_introduce(const uint16_t *special, uint32_t *reg, size_t stride,
				 uint32_t thread, uint32_t count, uint32_t block_size,
				 uint32_t lanes, uint32_t device)
{
	uint32_t block = thread / block_size, own = thread % block_size;

	for (int i = 0; i < SIM_SPECIALS; i++) {
		uint32_t *to = reg + special[i] * stride;

		for (uint32_t n = 0; special[i] != SIM_NO_REGISTER && n < count; n++)
			to[n] = i == SIM_OWN_DEVICE ? device :
				sim_own((enum sim_special)i, block, own + n, block_size, lanes);
	}
}

/* A place in the kernel's text. */
struct sim_spot {
	uint32_t line, column;
};

struct sim_program {
	const struct sim_instr *code;
	uint32_t length;
	sim_eval_fn eval;
	const void *data; /* handed to eval: the workload */
	uint32_t registers;
	const uint16_t *special;  /* [SIM_SPECIALS]: registers for it, or SIM_NO_REGISTER */
	const uint16_t *kept;	  /* registers that an aborted transaction must find again */
	uint32_t kept_count;
	const char *file;	  /* the kernel's, and the place of each instruction; or NULL */
	const struct sim_spot *spot;
	/* "FILE:LINE:COLUMN: thread N uses ..." */
	void (*say_stray)(const void *data, uint32_t thread, const struct sim_stray *stray,
			  char *out, size_t size);
	const uint32_t *id;	  /* name of a thread in messages; NULL: its number */
	uint32_t shared_words; /* of a block */
	uint32_t device; /* that runs it; 0: there is one */
	bool part;     /* one of several that are launched one after the other */
};

/* The row of a thread's registers is as it was kept, but for the number of the attempt. */
static inline void sim_row_again(const struct sim_program *program, uint32_t attempt, uint32_t *reg,
				 const uint32_t *kept)
{
	uint16_t own = program->special[SIM_OWN_ATTEMPT];

	memcpy(reg, kept, program->registers * sizeof *reg);
	if (own != SIM_NO_REGISTER)
		reg[own] = attempt;
}

#define SIM_SHARED_BANKS 32
/* Cycles of an access in the banks of shared memory, of 32 words each: the most different words in
 * a bank. */
static inline uint32_t sim_bank_cycles(const uint64_t *index, uint32_t mask)
{
	uint64_t word[SIM_SHARED_BANKS];
	uint32_t taken[SIM_SHARED_BANKS] = { 0 }, most = 0;

	for (uint32_t left = mask; left; left &= left - 1) {
		uint64_t at = index[__builtin_ctz(left)];
		uint32_t bank = (uint32_t)(at % SIM_SHARED_BANKS);

		if (taken[bank] && word[bank] == at)
			continue;
		word[bank] = at;
		if (++taken[bank] > most)
			most = taken[bank];
	}
	return most;
}

#endif
