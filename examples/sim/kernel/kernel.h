/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_H
#define SIM_KERNEL_H
/*
 * A kernel as it is run. The language of the files is described in gputm-kernel(5).
 *
 * The text becomes up to four pieces of code: the program with transactions, the one with locks,
 * setup and verify. Code is a list of instructions, each of which takes an issue slot (but for
 * notes), and of steps: three-address operations without a cost of their own, which run just
 * before the instruction that they belong to. Instructions form basic blocks, from which the
 * places where branches meet are found. A program counter is the number of an instruction.
 *
 * Operands are columns, a word for each lane of a warp: first the registers, then rows, which are
 * the constants and the scratch of the steps. Registers belong to a thread and outlive an
 * instruction, scratch does not.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/memory.h"
#include "gputm/base.h"
#include "key_file.h"
#include "program.h"

#define KERNEL_LANES 32u
#define KERNEL_BLOCK_THREADS_MAX 1024u
#define KERNEL_BLOCK_WARPS_MAX 32u
#define KERNEL_THREADS_MAX (1u << 22)
#define KERNEL_INSTRUCTIONS_MAX 65536u
#define KERNEL_STEPS_MAX (1u << 18)
#define KERNEL_COLUMNS_MAX 4096u
#define KERNEL_NAME_MAX 32u
#define KERNEL_PATH_MAX 256u /* for messages */
#define KERNEL_NONE UINT32_MAX
#define KERNEL_NO_COLUMN UINT16_MAX
#define KERNEL_HEAP 0x80000000u /* where global memory begins */
#define KERNEL_STEP_LIMIT (1u << 26) /* instructions of setup or verify, and 64 a word of memory */

/* What a step does: d = a OPERATOR b, with some more operands. */
enum kernel_operator {
	KERNEL_COPY, /* a */
	KERNEL_PLUS,
	KERNEL_MINUS,
	KERNEL_TIMES,
	KERNEL_OVER,
	KERNEL_MODULO,
	KERNEL_AND,
	KERNEL_OR,
	KERNEL_XOR,
	KERNEL_LEFT,
	KERNEL_RIGHT,
	KERNEL_LEAST,
	KERNEL_MOST,
	KERNEL_LESS, /* from here on 0 or 1 */
	KERNEL_LESS_EQUAL,
	KERNEL_GREATER,
	KERNEL_GREATER_EQUAL,
	KERNEL_EQUAL,
	KERNEL_NOT_EQUAL,
	KERNEL_SIGNED_LESS,
	KERNEL_BOTH,	     /* a && b */
	KERNEL_EITHER,	     /* a || b */
	KERNEL_SIGNED_RIGHT, /* an arithmetic shift */
	KERNEL_CHOOSE,	     /* a ? b : c */
	KERNEL_MULTIPLY,     /* 64-bit a * b >> c */
	KERNEL_SIGNED_MULTIPLY,
	KERNEL_DIVIDE, /* 64-bit (a << c) / b */
	KERNEL_ROOT,   /* of a, 16.16 */
	KERNEL_RANDOM, /* draw number a of the kernel's seed */
	KERNEL_SPAN,   /* word b of a field of element a: a flat index; extra: the field */
	KERNEL_FETCH,  /* place[a] where c, else 0; extra: the place */
	KERNEL_LISTED, /* the thread's number is in list `extra` */
	KERNEL_CHANCE, /* b times in a hundred; register c counts the visits; extra: the pc */
	KERNEL_TRACED, /* outcome number c of trace `extra` */
	KERNEL_OPERATORS,
};

/* Where an access goes: words of an array, at base + stride * index. */
struct kernel_place {
	uint64_t base;	 /* byte address, of shared arrays from 0; of tables the word in them */
	uint32_t stride; /* bytes */
	uint32_t length; /* indices */
	uint32_t offset; /* words from an element's start, of which base is made */
	uint16_t array;
};

struct kernel_step {
	uint8_t operator;
	uint16_t d, a, b, c;
	uint32_t extra;
	uint32_t line, column; /* of the statement */
};

/*
 * What an instruction does with its operands:
 *	LOAD	d = place[a]			STORE	place[a] = b
 *	ADD	place[a] += b; d: the old word, or none
 *	CAS	d = place[a]; if that is b: place[a] = c
 *	EXIT_IF	threads with a end		BRANCH	lanes with a (without, if negated) take it
 * ENTER, LEAVE and NOTE take no slot. EXIT_IF, JUMP, BRANCH and EXIT are the last ones of a block.
 */
struct kernel_instr {
	uint8_t op; /* enum sim_op */
	bool negate;	/* a branch is taken where the condition does not hold */
	bool uniform;	/* a branch that never divides a warp, says the kernel */
	bool converged; /* the kernel takes for granted that its warp is together here */
	bool last;	/* of its block, also when it falls through to the next one */
	bool inside;	/* a transaction: after its begin, up to its commit */
	uint16_t d, a, b, c;
	uint16_t when; /* memory: lanes with 0 are off; or no column */
	uint16_t place;
	uint16_t block;
	uint16_t count; /* ALU: instructions in a row, of the first one of them */
	uint32_t step, steps;
	uint32_t target, next; /* PCs: of a way that is taken, and else */
	uint32_t line, column;
	uint32_t mix; /* what it adds to the trail of a thread */
};

struct kernel_block {
	char name[KERNEL_NAME_MAX]; /* "" unless the text has one */
	struct sim_spot spot;
	uint32_t first, count;
	uint32_t ways;	  /* 0 (exit) .. 2 */
	uint32_t way[2];  /* blocks: if the branch is taken, if not */
	uint32_t meeting; /* immediate post-dominator of a branch, or KERNEL_NONE */
	uint32_t likely;  /* its likely-convergence point, or KERNEL_NONE */
	bool divided;	  /* within what a branch that is not uniform divides */
};

/* What `require` says. */
struct kernel_message {
	struct {
		char *text; /* NULL: the word of the column */
		uint16_t column;
	} part[8];
	uint32_t parts;
};

struct kernel_register {
	char name[KERNEL_NAME_MAX];
	uint32_t line, column; /* where it is first named */
	uint32_t call; /* line that calls the macro in which that is; 0: in none */
	bool read, set;
	bool named; /* read, if only where a constant condition leaves it out */
	bool let;   /* set by "let", and not in a macro */
};

struct kernel_code {
	struct kernel_instr *instr;
	struct kernel_step *step;
	struct kernel_block *block;
	struct kernel_register *reg;
	struct kernel_message *message;
	uint32_t *constant;
	uint32_t *row; /* [constants + scratch][KERNEL_LANES] */
	size_t instr_count, step_count, block_count, message_count;
	uint32_t registers, constants, scratch;
	uint16_t special[SIM_SPECIALS]; /* registers, or none */
	/* Registers that a transaction must find again when it starts once more. */
	uint16_t *kept;
	size_t kept_count;
	bool transactions, critical; /* it has such */
	bool atomic, barrier, fence; /* it has add; barrier; fence */
	uint32_t line;
};

enum kernel_section {
	KERNEL_TRANSACTIONS, /* also a program without a name */
	KERNEL_LOCKS,
	KERNEL_SETUP,
	KERNEL_VERIFY,
	KERNEL_HOST, /* of the program with transactions; the next one: with locks */
	KERNEL_LOCKS_HOST,
	KERNEL_AFFINITY, /* no section: its first instruction has the operand a */
	KERNEL_SECTIONS,
};

/* A kernel of a program with a host section. */
struct kernel_launch {
	char name[KERNEL_NAME_MAX];
	enum kernel_section section; /* of the program */
	uint64_t threads;
	uint32_t block_threads;
	struct kernel_code code;
};

enum kernel_array_kind { KERNEL_GLOBAL, KERNEL_LOCK_WORDS, KERNEL_SHARED, KERNEL_TABLE };

struct kernel_field {
	char name[KERNEL_NAME_MAX];
	uint32_t offset, count; /* words */
};

struct kernel_array {
	char name[KERNEL_NAME_MAX];
	enum kernel_array_kind kind;
	uint32_t length, words; /* elements; words of one */
	uint64_t base;		/* bytes, of shared arrays from 0; of tables words in theirs */
	struct kernel_field *field;
	size_t fields;
};

/* A set of threads of a block. */
struct kernel_list {
	uint32_t bits[KERNEL_BLOCK_THREADS_MAX / 32];
};

/* Recorded outcomes: those of thread i stand at first[i] .. first[i] + count[i]. */
struct kernel_trace {
	char name[KERNEL_NAME_MAX];
	uint32_t line;
	uint32_t *first, *count; /* [threads] */
	uint8_t *outcome;
	size_t used, capacity;
	uint16_t counter; /* register */
};

#define KERNEL_PARAMS_MAX 32

struct kernel_param {
	char name[KERNEL_NAME_MAX], *text;
	uint32_t least, greatest, standard, value;
};

struct kernel_variant {
	char name[KERNEL_NAME_MAX], *text;
	uint32_t value[KERNEL_PARAMS_MAX]; /* of params; as many as the file has before it: */
	size_t params;
	bool seeded;
	uint64_t seed;
	uint32_t threads; /* 0: the kernel's */
	uint32_t line;
};

/* One that the kernel names. */
struct kernel_file {
	struct kernel_file *next;
	char path[];
};

struct kernel {
	char name[KERNEL_NAME_MAX]; /* of the file, without directory and suffix */
	char file[KERNEL_PATH_MAX]; /* as given, for messages */
	char summary[128];	    /* the first line of the file's comment */
	char unread[KERNEL_NAME_MAX]; /* what "let" sets and nothing reads, or "" */
	uint32_t unread_line;
	bool locks;    /* the program with locks is in the place of the one with transactions */
	bool launched; /* with the head `launch`: one core's addresses, lanes are known */
	uint32_t blocks, block_threads, lanes;
	uint32_t largest_block; /* of the launches, threads */
	bool shows_shared;      /* setup and verify see the shared memory of its only block */
	uint64_t threads, commits; /* that a whole run commits; 0: not known */
	uint64_t most_commits;	   /* at most; 0: not known */
	uint64_t seed; /* of random() and draw */
	struct kernel_param *param;
	struct kernel_variant *variant;
	struct kernel_array *array;
	struct kernel_place *place;
	struct kernel_list *list;
	struct kernel_trace *trace;
	size_t params, variants, arrays, places, lists, traces;
	struct kernel_code code[KERNEL_SECTIONS];
	struct kernel_launch *launch;
	size_t launches;
	struct sim_memory *initial; /* what the head gives arrays */
	uint32_t *table;	    /* [table_words] */
	size_t table_words, shared_words;
	uint64_t end;		/* of global data, bytes */
	uint64_t lock_base;	/* of what is no data */
	uint64_t memory_end;	/* of both */
	uint64_t region_start, region_end; /* what transactions access; equal: not said */
	uint16_t keys; /* array that --keys fills, or KERNEL_NO_COLUMN */
	struct sim_keys word; /* for that array, from the file that the head names */
	uint16_t edges; /* the same for --edges */
	struct kernel_file *beside; /* files that it names, the last one first */
};

/* Opens a file that the kernel names, or gives NULL. */
struct kernel_files {
	FILE *(*open)(void *state, const char *name);
	void *state;
};

/* What a kernel is made with. */
struct kernel_request {
	/* Read no more than what there is to choose: params and variants, whether threads are
	 * fixed by `launch`, and the line of `verify`. No word of these depends on a choice. */
	bool choices;
	const struct kernel_variant *variant; /* of such a reading; NULL: none */
	/* Of params, in their order, after those of the variant; NULL: their defaults. */
	const uint32_t *value;
	uint64_t threads;      /* 0: the kernel's own */
	uint64_t seed;	       /* where the kernel gives none */
	uint32_t data_seed;    /* instead of both; 0: not given */
	uint32_t keys;	       /* words of --keys: the default of threads; 0: not given */
	uint32_t vertices, edges; /* of the graph of --edges; 0: not given */
};

/*
 * Read a kernel from the text of a file. 0; -EINVAL with "NAME:LINE:COLUMN: reason" in
 * message; -ENOMEM likewise. Nothing to free after a failure.
 */
int kernel_read(const char *text, size_t size, const char *name,
		const struct kernel_request *request, const struct kernel_files *files,
		struct kernel *out, char *message, size_t message_size);
/* The text of a file, to be freed also after a failure; its path must outlive it. */
struct kernel_text {
	const char *path;
	char name[KERNEL_PATH_MAX]; /* for messages */
	char *text;
	size_t size;
};
/* 0; -EIO or -ENOMEM with the reason in message. */
int kernel_text_read(const char *path, struct kernel_text *out, char *message,
		     size_t message_size);
/* kernel_read() of it; what it names is looked for in the directory that the file is in. */
int kernel_load(const struct kernel_text *text, const struct kernel_request *request,
		struct kernel *out, char *message, size_t message_size);
void kernel_free(struct kernel *kernel);

/*
 * Find where branches meet and what they divide (graph.c). 0; -EINVAL with the place and the
 * reason: a block that cannot be reached or cannot end, a branch without reconvergence, a
 * barrier in divided code; -ENOMEM.
 */
int kernel_graph(struct kernel_code *code, struct sim_spot *spot, char *reason, size_t size);
/*
 * Transactions of the code (rules.c): every way from begin comes to its commit, nothing in
 * between is forbidden there; and what begin has to keep. As kernel_graph().
 */
int kernel_rules(struct kernel_code *code, struct sim_spot *spot, char *reason, size_t size);

static inline struct sim_spot kernel_spot(const struct kernel_instr *i)
{
	return (struct sim_spot){ i->line, i->column };
}

/* Does a host launch kernels of it? */
static inline bool kernel_has_host(const struct kernel *k)
{
	return k->code[KERNEL_HOST].instr_count;
}

/* Make a copy of one with a host that kernel, on its own. */
void kernel_become(struct kernel *copy, uint32_t number);
/* Runs without a TM system: if the one program has transactions, or is not there, the other one
 * takes its place. */
void kernel_go_without(struct kernel *kernel);

static inline uint32_t kernel_warps_of_block(const struct kernel *k)
{
	return (k->largest_block + k->lanes - 1) / k->lanes;
}

/* Of the block; the last one may have fewer than the others. */
static inline uint32_t kernel_threads_of_block(const struct kernel *k, uint32_t block)
{
	uint64_t left = k->threads - (uint64_t)block * k->block_threads;

	return left < k->block_threads ? (uint32_t)left : k->block_threads;
}

/* Does it access memory; that of its block? */
static inline bool kernel_accesses(const struct kernel_instr *i)
{
	return i->op >= SIM_LOAD && i->op <= SIM_ADD;
}

/* Does it put a word of memory into a register? (cas is not run alone.) */
static inline bool kernel_fetches(const struct kernel_instr *i)
{
	return i->op == SIM_LOAD || (i->op == SIM_ADD && i->d != KERNEL_NO_COLUMN);
}

static inline bool kernel_shares(const struct kernel *k, const struct kernel_instr *i)
{
	return kernel_accesses(i) && k->array[k->place[i->place].array].kind == KERNEL_SHARED;
}

/* PC of a block, KERNEL_NONE for none. */
static inline uint32_t kernel_entry(const struct kernel_code *code, uint32_t block)
{
	return block == KERNEL_NONE ? KERNEL_NONE : code->block[block].first;
}

/* Draw number n, from 1 on, of a seed: SplitMix64, upper 31 bits. */
static inline uint32_t kernel_random(uint64_t seed, uint64_t n)
{
	uint64_t z = seed + n * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) >> 33);
}

#endif /* SIM_KERNEL_H */
