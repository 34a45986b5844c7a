/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_RUN_H
#define SIM_RUN_H
/*
 * A run: a workload under a system, from its making to its result. What is here belongs to every
 * run: the port, the options, the event loop, and what is due at certain times (a save, a swap of
 * units, an observer's look, the patience). What the run is of, says its class: the GPU of
 * machine/, the compute unit of local/, the CPU and the GPU of hetm/.
 *
 *	sim_machine_new(ctx, &config, system, system_config, workload, &options, &run);
 *	sim_run_execute(run);
 *	sim_run_result(run, &result); sim_unit_get(&run->port, i, &info); ...
 *	sim_run_free(run);
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

#include "gputm/base.h"
#include "gputm/tx_throttle.h"
#include "../base/io.h"
#include "../base/memory.h"
#include "../port/port.h"
#include "../port/system.h"
#include "../workloads/workload.h"

/* An observer that is called from time to time, before anything of the present tick happens. It
 * returns the next tick at which to call it, or a later one; SIM_NEVER for none. */
struct sim_look {
	void *state;
	uint64_t (*at)(void *state);
};

/* Receives the state of a run, once, at the first tick from this core cycle on. */
struct sim_saver {
	void *state;
	uint64_t cycle;
	void (*save)(void *state, const struct sim_io *io);
};

struct flow_mechanism;

struct sim_run_options {
	uint32_t concurrency; /* warps per core in transactions, at first; 0 = unlimited */
	const struct gputm_tx_throttle_config *throttle; /* what moves that; NULL: nothing */
	const struct flow_mechanism *mechanism; /* for branches, beside a TM system; NULL: pdom */
	bool apart;	      /* idle warps have units of their own, with names */
	uint64_t seed;
	uint64_t most_cycles; /* give up after so many core cycles; 0 = never */
	const struct sim_observer *observer; /* NULL for none */
	bool check;  /* the units and the times must come out of the run in order */
	bool prove;  /* for the judge() of the run's class */
	FILE *issues; /* a line for every warp that issues, by systems that tell; or NULL */
	/* All systems, NULL-ended, for a system that has another system inside. */
	const struct sim_system_class *const *systems;
	/* Units to share between runs: a run resets and reuses the units of the previous run that
	 * have the same kind, place and config. NULL: all units are made anew. */
	struct sim_kept_units *kept;
	const struct sim_look *look; /* NULL for none */
	const struct sim_saver *saver; /* the same; not together with an observer */
	/* Called now and then with the number of threads that have ended; NULL for none. */
	void (*progress)(void *state, uint64_t ended, uint64_t threads, uint64_t cycles);
	void *progress_state;
	/* If this becomes nonzero, the run ends soon with -EINTR; NULL: never. */
	const volatile sig_atomic_t *stop;
};

struct sim_machine_config;
struct sim_run;
struct sim_verdict;

/* What a run is of. Functions that may be NULL then do nothing. */
struct sim_run_class {
	const char *name; /* for --machine; NULL: any GPU of the table of machines, or none */
	const char *summary;
	size_t size; /* of its struct, which begins with a struct sim_run */
	/* It is the GPU under a TM system: warps are admitted to transactions, and the report has
	 * its traffic, memory and energy. */
	bool tm_gpu;

	/* Make the parts and, with sim_run_fill(), the memory. config: NULL without a machine by
	 * name. 0, -EINVAL or -ENOMEM. */
	int (*make)(struct sim_run *run, const struct sim_machine_config *config);
	void (*free)(struct sim_run *run);
	/* Begin, do all that is due at port.now, and go to the next such time: false at the end.
	 * go_on() is also called after a failure. */
	bool (*begin)(struct sim_run *run);
	void (*step)(struct sim_run *run);
	bool (*go_on)(struct sim_run *run);
	/* The run has ended, or failed. May be NULL. */
	void (*over)(struct sim_run *run);
	/* Save or load the state of the parts other than units and memory. */
	void (*io)(struct sim_run *run, struct sim_io *io);

	/* From time to time: sim_fail() if the run comes no nearer to its end. May be NULL. */
	void (*look)(struct sim_run *run);
	/* Of all registers and words of memory, which a run that goes round does not change. NULL
	 * with look(). */
	uint64_t (*sum)(struct sim_run *run);
	/* Who waits for the thread, such as "; thread 3 of its wavefront waits for it in line 7",
	 * or nothing. */
	void (*waits)(struct sim_run *run, uint32_t thread, char *text, size_t size);

	/* Add what is left to count at the end of these cycles. May be NULL. */
	void (*close)(const struct sim_run *run, struct sim_result *out);
	/* With options.check: why that result cannot be right, or NULL. May be NULL. */
	const char *(*wrong)(const struct sim_run *run, const struct sim_result *result);
	/* How the devices spent their time in a run with that result, device by device; false past
	 * the last row. For each device the sum is the run's cycles times the number of devices of
	 * that name. */
	bool (*time)(const struct sim_run *run, const struct sim_result *result, size_t index,
		     struct sim_time *out);
	/* In a few words, for the text report. NULL: the GPU. */
	void (*describe)(const void *system_config, char *text, size_t size);
	/* Why there is no hardware for this instruction, in a few words, or NULL. With instr =
	 * NULL: for a program of several launches. NULL: there is hardware for all. */
	const char *(*lacks)(const struct sim_instr *instr);

	const char *check_kind; /* what --check proves, as one word for the report's list */
	/* With options.prove: a proof of its own; NULL: an observer proves the run. */
	void (*judge)(struct sim_run *run, struct sim_verdict *out);
	/* Further numbers of --check, by name; false past the last one. NULL for none. */
	bool (*check_count)(const struct sim_run *run, size_t index, const char **name,
			    uint64_t *value);
};

/* What the functions of patience.c remember. */
struct sim_patience {
	/* Threads left, and the sum of all that could change; the tick at which either was last
	 * another one, and that of the next sum. */
	uint64_t still_left, sum, still_at, next_sum;
	uint64_t left_before, left_at; /* threads and commits still to come; when last seen less */
	/* when a commit was last seen */
	uint64_t committed_before, committed_at, aborted_before;
	uint64_t reasons_before[SIM_ABORT_REASONS];
};

struct sim_run {
	struct sim_port port;
	const struct sim_run_class *class;
	const struct sim_system_class *system;
	struct sim_run_options options;
	/* set by make() */
	uint32_t core_mhz;
	uint32_t swap_units_every; /* core cycles; 0 = never */
	uint32_t patience, patience_cycles; /* see struct sim_machine_config */
	const char *patient; /* the part of the settings that has these two */
	bool restored; /* in the middle of a run */
	uint64_t next_look, next_save, next_swap;
	/* state */
	uint64_t threads_left, last_work, next_report;
	struct sim_patience waited;
};

static inline struct sim_run *sim_run_of(struct sim_port *port)
{
	return (struct sim_run *)port;
}

/* ---- life ---- */

/* Everything handed over must outlive the run. 0; -EINVAL, the system and the workload or the
 * config do not fit (sim_run_error(*out) says why, and *out must be freed); -ENOMEM (the same, or
 * *out is NULL). */
int sim_run_new(struct gputm_ctx *ctx, const struct sim_run_class *class,
		const struct sim_machine_config *config, const struct sim_system_class *system,
		const void *system_config, const struct sim_workload *workload,
		const struct sim_run_options *options, struct sim_run **out);
void sim_run_free(struct sim_run *run);

/* Before the run, restore the state that a saver got. 0; -EINVAL, the state is of another config or
 * workload (io->wrong names the piece, or a unit refused it); -ENOMEM. After an error the run can
 * only be freed. */
int sim_run_restore(struct sim_run *run, struct sim_io *io);

/* 0 when all threads have ended; -EINTR, options.stop was set; -ETIME past most_cycles, or the
 * patience is at an end; -EDEADLK, nothing can happen any more; -EILSEQ, a unit has broken an
 * invariant (with options.check); -ENOMEM. */
int sim_run_execute(struct sim_run *run);

/* Why sim_run_execute() or sim_run_new() failed, else "". NULL allowed. */
const char *sim_run_error(const struct sim_run *run);
void sim_run_result(const struct sim_run *run, struct sim_result *out);

/* ---- for the classes ---- */

/* Make the memory, as the workload has it at the start. 0 or -ENOMEM. */
int sim_run_fill(struct sim_run *run);
/* The system completes what is left. */
void sim_run_finish(struct sim_run *run);

/* patience.c: attempts abort one another for ever. */
void sim_run_look_patiently(struct sim_run *run);
/* sim_fail() if the run comes no nearer to its end; a thread that is in it is to execute pc.
 * inside: there are attempts, of which the class looks after those that never end. The second
 * function: or if nothing changes any more. */
void sim_run_late(struct sim_run *run, uint32_t thread, uint32_t pc, bool inside);
void sim_run_watch(struct sim_run *run, uint32_t thread, uint32_t pc);
/* @return the cycles in which nothing has changed; SIM_STILL are too many. */
uint64_t sim_run_still(struct sim_run *run);
#define SIM_STILL UINT64_C(50000000)
#define SIM_SAMPLE (UINT64_C(1) << 20) /* ticks between two sums */
/* Add words to the sum of a class. */
uint64_t sim_sum_words(uint64_t sum, const uint32_t *word, size_t count);

/* The name of a thread of the present launch. */
static inline uint32_t sim_name_of(const struct sim_port *port, uint32_t thread)
{
	return port->program->id ? port->program->id[thread] : thread;
}

/* The two ways of a branch that the program calls uniform, by the first thread on each. */
#define SIM_DIVIDED "the branch is said to be uniform, but it divides a warp: thread %u goes one " \
		    "way, thread %u the other"
/* Fail with "FILE:LINE:COLUMN: REASON", of the instruction at pc; and with "thread N REASON". */
void sim_fail_at(struct sim_port *port, uint32_t pc, int error, const char *reason);
void sim_give_up(struct sim_port *port, uint32_t thread, uint32_t pc, const char *reason);

#endif
