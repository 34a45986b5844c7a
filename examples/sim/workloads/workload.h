/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WORKLOAD_H
#define SIM_WORKLOAD_H
/*
 * A workload: initial memory, threads in blocks, one program per flavour, and an
 * invariant of the final memory. Classes are registered in a table.
 */
#include <stddef.h>

#include "gputm/base.h"
#include "../kernel/program.h"

struct kernel;
struct sim_io;
struct sim_memory;

/* The kind of program that a system runs. */
enum sim_flavour {
	SIM_TRANSACTIONS, /* TX_BEGIN ... TX_COMMIT; coarse-lock and ideal run it too */
	SIM_LOCKS,	  /* the fine-grained lock program */
	SIM_LOCAL,	  /* transactions in the local memory of a work-group */
	SIM_FLAVOURS,
	SIM_ALONE = SIM_FLAVOURS, /* none: the kernel itself runs, without a TM system */
};

struct sim_workload_class;
struct sim_workload;

/* For systems of several devices: the device for a thread. */
enum sim_affinity { SIM_ANY_DEVICE, SIM_CPU, SIM_GPU };

#define SIM_REGIONS 42

/* Bytes of memory, whole words. */
struct sim_region {
	uint64_t start, length;
};

/* Threads that begin together, at the start of a program. */
struct sim_launch {
	const struct sim_program *program;
	uint64_t threads;
	uint32_t block_size;
	uint32_t number; /* of several, in the order of the text */
};

struct sim_workload {
	const struct sim_workload_class *class;
	const char *name;
	const struct kernel *kernel; /* NULL: the workload is no kernel */
	enum sim_flavour flavour; /* of the program that runs */
	const char *bare; /* why the program has no transactions; NULL: it has some */
	uint64_t threads;
	uint64_t most_threads; /* of any launch, if there are several; 0: no more than threads */
	uint64_t transactions; /* that a whole run commits; 0 = unknown */
	/* Upper bound on transactions that write plus stores outside of transactions; 0: bounded by
	 * transactions. */
	uint64_t most_writes;
	uint32_t block_size; /* threads per block, at most; a block is on one core */
	uint32_t lanes;	     /* lanes of a warp that the program relies on; 0: any */
	/* NULL, with the reason beside it, if there is no such program. */
	const struct sim_program *program[SIM_FLAVOURS];
	const char *missing[SIM_FLAVOURS];
	/*
	 * A word for the lock of coarse-lock; no data are there. Words from lock_base on are not
	 * data: --check leaves them out.
	 */
	uint64_t lock_base;
	/*
	 * All memory that transactions access, for systems that keep versions: disjoint regions, in
	 * ascending order. Such systems refuse a workload without regions.
	 */
	struct sim_region region[SIM_REGIONS];
	uint32_t regions;
	/* NULL: any. */
	enum sim_affinity (*affinity)(const struct sim_workload *workload, uint32_t thread);
};

/* What a workload is made from. Fields not given are 0 or NULL. */
struct sim_workload_request {
	const struct sim_workload_class *class;
	enum sim_flavour flavour; /* of the program that will run */
	const void *config; /* of class->params */
	uint64_t threads;   /* 0: the class's default */
	uint64_t seed;
	const char *keys;  /* file name */
	const char *edges; /* file name */
	bool renumber;	   /* its vertices */
	const char *trace; /* file name, "-" for standard input */
	bool only_sizes;   /* threads and files that are read, but neither data nor programs */
};

struct sim_workload_class {
	const char *name;
	const char *summary;
	const struct gputm_params *params; /* of its options; NULL if it has none */
	bool fixed_threads;		   /* --threads is refused */
	const void *given;		   /* what the file itself says, such as sizes */
	/* 0, or -EINVAL with a message in error[] (file:line and what was expected). */
	int (*make)(const struct sim_workload_request *request, struct sim_workload **out,
		    char *error, size_t size);
	void (*free)(struct sim_workload *workload);
	/* Write the initial memory. */
	void (*setup)(const struct sim_workload *workload, struct sim_memory *memory);
	/* The first violation of the invariant by the final memory, in error[]; NULL if it holds.
	 * Optional. */
	const char *(*invariant)(const struct sim_workload *workload,
				 const struct sim_memory *memory, char *error, size_t size);
	/* The name of a word of memory in the text of the program, and the lines that load it or
	 * store to it. Optional. */
	void (*name_word)(const struct sim_workload *workload, uint64_t address, bool write,
			  char *out, size_t size);
	/*
	 * Prepare the next launch of a program with several: 1; 0 after the last; -EINVAL or
	 * -ENOMEM with the reason. memory: as the launch before has left it. *state is NULL at
	 * first; end_host() frees it.
	 */
	int (*next)(const struct sim_workload *workload, enum sim_flavour flavour, void **state,
		    const struct sim_memory *memory, struct sim_launch *out, char *error,
		    size_t size);
	void (*end_host)(void *state);
	/* Save or load that state, and the present launch. */
	void (*io_host)(const struct sim_workload *workload, enum sim_flavour flavour, void **state,
			struct sim_io *io, struct sim_launch *out);
};

/* All classes, NULL-ended (workloads/table.c). */
extern const struct sim_workload_class *const sim_workload_classes[];

#endif
