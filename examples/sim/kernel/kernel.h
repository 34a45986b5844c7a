/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FLOW_KERNEL_H
#define SIM_FLOW_KERNEL_H
/*
 * A kernel as a control-flow graph: blocks of instructions, each with a way or two out. The
 * language of the files is described in gputm-kernel(5).
 *
 * A program counter is the number of an instruction, and a block is entered at its first one.
 * Operands are columns: one word for each thread (what it is, its registers, the counters of
 * its branches) or one for all (constants).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FLOW_LANES_MAX 32u
#define FLOW_BLOCK_THREADS_MAX 1024u
#define FLOW_BLOCK_WARPS_MAX 32u
#define FLOW_THREADS_MAX (1u << 20)
#define FLOW_INSTRUCTIONS_MAX 65536u
#define FLOW_WORDS_MAX (1u << 24) /* of memory */
#define FLOW_NAME_MAX 32u
#define FLOW_NONE UINT32_MAX

enum flow_op {
	FLOW_ALU,     /* does nothing but count */
	FLOW_SET,     /* d = a OPERATOR b */
	FLOW_LOAD,    /* d = array[a] */
	FLOW_STORE,   /* array[a] = b */
	FLOW_ADD,     /* array[a] += b, atomically */
	FLOW_BARRIER, /* of the block */
	FLOW_EXIT_IF, /* threads with a OPERATOR b end */
	/* the last one of a block */
	FLOW_JUMP,
	FLOW_BRANCH,
	FLOW_EXIT,
};

enum flow_operator {
	FLOW_ALONE, /* a */
	FLOW_PLUS,
	FLOW_MINUS,
	FLOW_TIMES,
	FLOW_OVER,
	FLOW_MODULO,
	FLOW_AND,
	FLOW_OR,
	FLOW_XOR,
	FLOW_LEFT,
	FLOW_RIGHT,
	FLOW_LEAST,
	FLOW_MOST,
	FLOW_LESS, /* from here on: comparisons */
	FLOW_LESS_EQUAL,
	FLOW_GREATER,
	FLOW_GREATER_EQUAL,
	FLOW_EQUAL,
	FLOW_NOT_EQUAL,
	FLOW_OPERATORS,
};
extern const char *const flow_operator_name[FLOW_OPERATORS];

/* What decides a branch. */
enum flow_rule {
	FLOW_COMPARE, /* a OPERATOR b */
	FLOW_LISTED,  /* the thread's number is in list `array` */
	FLOW_CHANCE,  /* b times in a hundred; d counts the visits */
	FLOW_TRACE,   /* outcome number d of trace `array` */
};

/* Columns that every kernel has. */
enum flow_special {
	FLOW_THREAD, /* number in the block */
	FLOW_LANE,
	FLOW_WARP, /* of the block */
	FLOW_BLOCK,
	FLOW_ID,     /* thread number in the launch */
	FLOW_WARP_ID, /* warp number in the launch */
	FLOW_SPECIALS,
};

struct flow_instr {
	uint8_t op, operator, rule;
	bool uniform;	/* a branch that never divides a warp, says the kernel */
	bool converged; /* the kernel takes for granted that its warp is together here */
	bool last;	/* of its block, also when it falls through to the next one */
	uint16_t d, a, b; /* columns */
	uint16_t array;
	uint16_t block;
	uint32_t line;
	uint32_t mix; /* what it adds to the trail of a thread */
};

struct flow_block {
	char name[FLOW_NAME_MAX];
	uint32_t line, first, count;
	uint32_t ways;	  /* 0 (exit) .. 2 */
	uint32_t way[2];  /* blocks: if the branch is taken, if not */
	uint32_t meeting; /* immediate post-dominator of a branch, or FLOW_NONE */
	uint32_t likely;  /* its likely-convergence point, or FLOW_NONE */
	bool divided;	  /* within what a branch that is not uniform divides */
};

struct flow_array {
	char name[FLOW_NAME_MAX];
	uint32_t first, length; /* words */
	bool shared;		/* one copy per block, on the core; first is in that copy */
};

/* A set of threads of a block. */
struct flow_list {
	uint32_t bits[FLOW_BLOCK_THREADS_MAX / 32];
};

/* Recorded outcomes: those of thread i stand at first[i] .. first[i] + count[i]. */
struct flow_trace {
	char name[FLOW_NAME_MAX];
	uint32_t line;
	uint32_t *first, *count; /* [threads] */
	uint8_t *outcome;
	size_t used, capacity;
	uint16_t counter; /* column */
};

enum flow_column_kind { FLOW_THREADS_OWN, FLOW_REGISTER, FLOW_COUNTER, FLOW_CONSTANT };

struct flow_column {
	char name[FLOW_NAME_MAX]; /* of registers and specials */
	enum flow_column_kind kind;
	uint32_t value; /* of a constant */
};

struct flow_kernel {
	char name[FLOW_NAME_MAX]; /* of the file, without directory and suffix */
	char file[256];		  /* as given, for messages */
	uint32_t blocks, threads, lanes;
	struct flow_block *block;
	struct flow_instr *instr;
	struct flow_array *array;
	struct flow_list *list;
	struct flow_trace *trace;
	struct flow_column *column;
	uint32_t *word; /* [words]: global memory at the start */
	size_t block_count, instr_count, array_count, list_count, trace_count, column_count;
	size_t words, shared_words;
};

/* Opens a file that the kernel names, or gives NULL. */
struct flow_files {
	FILE *(*open)(void *state, const char *name);
	void *state;
};

/*
 * Read a kernel from the text of a file. 0; -EINVAL with "NAME:LINE: reason" in message;
 * -ENOMEM likewise. Nothing to free after a failure.
 */
int flow_kernel_read(const char *text, size_t size, const char *name,
		     const struct flow_files *files, struct flow_kernel *out, char *message,
		     size_t message_size);
/* The same from a file, and what it names from the directory that the file is in; -EIO too. */
int flow_kernel_load(const char *path, struct flow_kernel *out, char *message,
		     size_t message_size);
void flow_kernel_free(struct flow_kernel *kernel);

/*
 * Find where branches meet and what they divide (graph.c). 0; -EINVAL with the line and the
 * reason: a block that cannot be reached or cannot end, a branch without reconvergence, a
 * barrier in divided code; -ENOMEM.
 */
int flow_graph(struct flow_kernel *kernel, uint32_t *line, char *reason, size_t size);

static inline uint32_t flow_warps_of_block(const struct flow_kernel *k)
{
	return (k->threads + k->lanes - 1) / k->lanes;
}

/* PC of a block, FLOW_NONE for none. */
static inline uint32_t flow_entry(const struct flow_kernel *k, uint32_t block)
{
	return block == FLOW_NONE ? FLOW_NONE : k->block[block].first;
}

#endif /* SIM_FLOW_KERNEL_H */
