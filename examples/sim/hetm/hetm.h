/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HETM_H
#define SIM_HETM_H
/*
 * HeTM: a CPU and a GPU with a replica of the workload's memory each. The units are those of
 * lib/hetm; this code moves the data and runs the devices.
 *
 * Time: cycles of 1 GHz. A thread of the workload is a request; all are submitted at the start.
 *
 * CPU (cpu.c). Workers take requests one by one and interpret the program, an instruction
 * at a time, under a simple opaque TM: writes are buffered; a transaction notes the values it
 * reads, looks at them again whenever another one has committed, and aborts when one
 * has changed (as NOrec does). Its commit is at one instant, and goes to the write-set log.
 *
 * GPU (gpu.c). A kernel is a batch of requests, and a run of the machine of machine/ under
 * any of its systems, on a copy of the replica. As nothing reaches it from outside, the run is
 * made when the kernel begins, and what it did is told when its time has come: what a
 * transaction has read and written is marked when it commits, the replica is written when the
 * kernel ends. The kernels of a round that is lost are of no use, so with stop_kernels the one
 * that runs when this is known ends there: its threads look at a flag that the CPU sets.
 *
 * Rounds (rounds.c) perform the actions that sync_round requests.
 *
 * Times (times.c). The run ends with the round of the last transaction, whose execution phase ends
 * when nothing is left to execute. Every cycle is one of each device's parts.
 *
 * With an observer, the transactions are told in one serial order: those of the CPU as they
 * commit, those of the GPU when their round has succeeded. Each kernel is checked on its own,
 * against the replica that it found (P2-dagger of the paper), the replicas are compared after
 * each round, and the check of the run replays all of it (P1). Whether a round had a conflict is
 * found a second time, by sets of words (exact.c).
 */
#include "gputm/access_bitmap.h"
#include "gputm/device_validator.h"
#include "gputm/dispatch_queues.h"
#include "gputm/sync_round.h"
#include "gputm/write_set_log.h"
#include "../check/check.h"
#include "../machine/machine.h"

#define HETM_WORKERS 64
#define HETM_TIMES 21
#define HETM_NEVER UINT64_MAX

enum { HETM_BOTH, HETM_CPU_ONLY, HETM_GPU_ONLY }; /* devices */

struct hetm_options {
	size_t size; /* of this struct, for its parameter table */
	uint32_t gpu;	  /* number of the GPU's system in hetm_gpu_names[] */
	uint32_t devices; /* enum above */
	uint32_t steal;	  /* 1: a device takes from the other's queue */
	uint32_t cpu_share; /* percent of the threads; 0: the workload says */
	uint32_t concurrency; /* of the GPU: warps of a core in transactions; 0: no limit */
	uint32_t stop_kernels; /* 1: a kernel ends at once if its round is lost */
};

struct hetm_machine_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t workers;
	uint32_t access_cycles; /* of the CPU: a load or store */
	uint32_t plain_cycles;	/* an instruction without memory */
	uint32_t begin_cycles, commit_cycles;
	uint32_t launch_cycles; /* of a GPU kernel, besides its run */
	uint32_t swap_units_every;
};

struct hetm_config {
	struct hetm_options system;
	struct hetm_machine_config machine;
	struct sim_machine_config gpu;
	struct gputm_sync_round_config round;
	struct gputm_write_set_log_config log;
	struct gputm_device_validator_config validator;
	struct gputm_dispatch_queues_config queues;
	struct gputm_access_bitmap_config reads, writes;
};

/* ---- CPU ---- */

struct hetm_word {
	uint64_t address;
	uint64_t value; /* or, in a kernel's list, the time */
};

struct hetm_words {
	struct hetm_word *word;
	uint32_t count, capacity;
};

struct hetm_worker {
	struct hetm_words reads, writes;
	uint32_t thread, attempt;
	uint64_t ready_at; /* time of its next instruction; HETM_NEVER: no request */
	uint64_t snapshot; /* number of commits when its reads were last valid */
	uint64_t loaded;   /* address of its last load; HETM_NEVER: none so far */
	uint32_t pc, begin;
	bool in_tx;
};

/* ---- GPU ---- */

struct hetm_kernel {
	struct hetm_kernel *next; /* of this round */
	uint64_t ends;
	uint32_t *request; /* [count] */
	uint32_t count;
	struct sim_workload workload; /* the batch, as a workload */
	struct sim_workload_class class;
	struct sim_program program;
	const struct sim_memory *found; /* the replica at the start */
	uint64_t begins;	   /* after the launch */
	struct hetm_words *attempt; /* [count] accesses of a thread's present attempt */
	struct hetm_words done;	   /* committed accesses, by time; HETM_COMMIT marks a commit */
	struct hetm_words writes;  /* with the values at its end */
	struct sim_check *check;   /* NULL without an observer */
	struct sim_result result;
	uint32_t marked; /* entries of done[] that are marked */
	uint64_t committed;
};

/* In a kernel's lists the lowest bit of an address is set for a write. */
#define HETM_WRITTEN 1u
#define HETM_COMMIT UINT64_MAX

/* Conflicts of the rounds, found without the units; only with an observer. */
struct hetm_exact {
	struct sim_memory *word, *granule; /* the last round in which the GPU accessed it */
	struct hetm_words written;	   /* by the CPU in this round */
	uint32_t mark; /* of this round */
	uint64_t told; /* entries of this round that conflict, by the units */
	/* Sums; false: the granules are the same, but the words differ. */
	uint64_t entries, false_entries, rounds, failed, false_rounds;
};

/* How the devices spend the cycles in which they are not blocked; ALONE: no rounds at all. */
enum hetm_part {
	HETM_CPU_RUNS, HETM_CPU_OVERLAPS, HETM_CPU_IDLES, HETM_GPU_LAUNCHES, HETM_GPU_RUNS,
	HETM_GPU_OVERLAPS, HETM_GPU_IDLES, HETM_ALONE, HETM_NO_PART,
};

struct hetm {
	union {
		struct sim_run run;
		struct sim_port port; /* of the run, which begins with it */
	};
	const struct hetm_config *config;
	/* Configs of the units, with the size of the workload's region. */
	struct gputm_write_set_log_config log_config;
	struct gputm_device_validator_config validator_config;
	struct gputm_access_bitmap_config reads_config, writes_config;
	struct gputm_sync_round *round;
	struct gputm_write_set_log *log;
	struct gputm_device_validator *validator;
	struct gputm_dispatch_queues *queues;
	struct gputm_access_bitmap *reads, *writes;

	uint64_t base, region;	       /* of the replicated memory, bytes */
	struct sim_memory *gpu, *shadow; /* the CPU's replica is the memory of the port */
	struct hetm_worker worker[HETM_WORKERS];
	uint32_t *reg; /* [workers][registers] of a kernel; then those at tx_begin */
	uint64_t commits; /* of the CPU: its clock, and the stamps */
	uint64_t place;	  /* in the serial order */

	const struct sim_system_class *system; /* of the GPU */
	void *system_config;
	struct hetm_kernel *running; /* NULL: the GPU is idle */
	struct hetm_kernel *done;    /* kernels of this round, newest first */
	uint64_t *batch;	     /* [queues.batch] */
	struct sim_kept_units kept;  /* from kernel to kernel */
	uint64_t next;		     /* time of the next step */
	struct hetm_exact exact;
	uint64_t spent[HETM_NO_PART], time[HETM_TIMES];
};

static inline struct hetm *hetm_in(struct sim_run *run)
{
	return (struct hetm *)run;
}

/* words.c */
/* Add a word to a list; sim_fail() without memory. */
void hetm_note(struct hetm *h, struct hetm_words *words, uint64_t address,
	       uint64_t value);
void hetm_words_io(struct sim_io *io, struct hetm_words *words);

/* cpu.c */
bool hetm_cpu_idle(const struct hetm *hetm);
void hetm_cpu_run(struct hetm *h);   /* workers with an instruction due */
void hetm_cpu_take(struct hetm *h);  /* give requests to idle workers */
void hetm_cpu_watch(struct hetm *h); /* sim_fail() if a worker makes no progress */
uint64_t hetm_cpu_sum(struct sim_run *run);
void hetm_cpu_waits(struct sim_run *run, uint32_t thread, char *text, size_t size);
uint64_t hetm_cpu_next(const struct hetm *hetm); /* time of the next instruction */
int hetm_cpu_make(struct hetm *h);
void hetm_cpu_free(struct hetm *hetm);
void hetm_cpu_io(struct hetm *h, struct sim_io *io);

/* gpu.c */
int hetm_gpu_try(struct hetm *h);    /* can it run? Else why, in the port's error */
void hetm_gpu_start(struct hetm *h); /* start a kernel, if there are requests */
void hetm_gpu_mark(struct hetm *h);  /* mark what has been committed up to now */
void hetm_gpu_end(struct hetm *h);   /* the running kernel has reached its end */
void hetm_gpu_stop(struct hetm *h);  /* end it now, as its round is lost */
/* Finish the kernels of the round: report them to the observer as done, or drop them. */
void hetm_gpu_commit(struct hetm *h);
void hetm_gpu_abort(struct hetm *h);
void hetm_gpu_free(struct hetm *hetm);
void hetm_gpu_io(struct hetm *h, struct sim_io *io);

/* exact.c */
int hetm_exact_make(struct hetm *hetm);
void hetm_exact_free(struct hetm *hetm);
void hetm_exact_write(struct hetm *h, uint64_t address); /* of the CPU */
/* Call this at a round's end, before its kernels are finished: sim_fail() if the verdict is
 * wrong. */
void hetm_exact_judge(struct hetm *h, bool success);
bool hetm_exact_count(const struct sim_run *run, size_t index, const char **name,
		      uint64_t *value);

/* times.c */
void hetm_time_passes(struct hetm *h, uint64_t until); /* as things are now */
/*
 * Call this where a round has ended, or at the end of a run without rounds: fixes the result of
 * hetm_time(). With an observer, sim_fail() unless the parts of each device add up to the time that
 * has passed.
 */
void hetm_times_take(struct hetm *h);
bool hetm_time(const struct sim_run *run, const struct sim_result *result, size_t index,
	       struct sim_time *out);

/* rounds.c: the event loop, as struct sim_run_class says */
bool hetm_begin(struct sim_run *run);
void hetm_step(struct sim_run *run);
bool hetm_go_on(struct sim_run *run);
void hetm_over(struct sim_run *run);

/* setup.c */
extern const struct gputm_params hetm_options_params, hetm_machine_params;
extern const char *const hetm_gpu_names[];
extern const struct sim_run_class hetm_runs;

#endif
