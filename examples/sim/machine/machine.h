/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H
/*
 * A small GPU: cores with warps of lanes, two crossbars, memory partitions with L2 and
 * DRAM. It runs one workload under one TM system. The timing model is told at the top
 * of machine.c.
 *
 *	struct sim_machine_config config;
 *	gputm_params_init(&sim_machine_params, &config, sizeof config);
 *	system->init(system_config, &config);
 *	sim_machine_new(ctx, &config, system, system_config, workload, &options, &machine);
 *	sim_machine_run(machine);
 *	sim_machine_result(machine); sim_machine_unit(machine, i, &info); ...
 *	sim_machine_free(machine);
 */
#include <signal.h>
#include <stddef.h>

#include "gputm/base.h"
#include "../base/memory.h"
#include "system.h"
#include "../workloads/workload.h"

/* Rows and presets ("fermi" = the defaults, "reference") are in config.c. */
struct sim_machine_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t cores;		 /* 1..64 */
	uint32_t warps;		 /* per core, 1..64 */
	uint32_t lanes;		 /* per warp, 1..32 */
	uint32_t blocks;	 /* most resident blocks per core */
	uint32_t partitions;	 /* 1..16 */
	uint32_t interleave;	 /* bytes */
	uint32_t core_mhz;
	uint32_t crossbar_mhz;
	uint32_t unit_mhz;	 /* commit units */
	uint32_t crossbar_latency; /* crossbar cycles */
	uint32_t flit_bytes;
	uint32_t line_bytes;
	uint32_t l2_bytes;	 /* per partition */
	uint32_t l2_ways;
	uint32_t l2_latency;	 /* core cycles */
	uint32_t unit_latency;	 /* core cycles: an L2 access of a unit beside the L2 */
	uint32_t dram_latency;	 /* core cycles, more */
	uint32_t dram_mbps;	 /* megabytes per second per partition */
	uint32_t plain_latency;	 /* core cycles from one instruction of a warp to its next */
	uint32_t pack_messages;	 /* 1: a warp's log, done and skip messages in one packet */
	uint32_t unbounded_ring; /* 1: commit rings are never the limit */
	uint32_t swap_units_every; /* core cycles; 0 = never */
	uint32_t patience;	 /* aborts in a row without a commit; 0 = for ever */
	uint32_t patience_cycles; /* core cycles of aborts without a commit; 0 = for ever */
};

extern const struct gputm_params sim_machine_params;

/* Why a transaction was aborted: a closed list, by name in sim_abort_reason_name[]. */
enum sim_abort_reason {
	SIM_ABORT_VALIDATION, /* a value read had changed (lazy value-based systems) */
	SIM_ABORT_CONFLICT,   /* found at the access (eager systems, ideal) */
	SIM_ABORT_INTRA_WARP, /* lost against a lane of its own warp */
	SIM_ABORT_WATCHDOG,   /* ran too long and had read changed values */
	SIM_ABORT_CAPACITY,   /* a table of the system was full */
	SIM_ABORT_ROLLOVER,   /* the system's clocks started again */
	SIM_ABORT_WRITER,     /* another running transaction writes the word */
	SIM_ABORT_LOOP,	      /* a dependency loop was declared */
	SIM_ABORT_STALE,      /* the versions that it was to read are gone */
	SIM_ABORT_ROUND,      /* its device's round failed */
	SIM_ABORT_REASONS,
};
extern const char *const sim_abort_reason_name[SIM_ABORT_REASONS];

/* What crosses the crossbars, by name in sim_traffic_name[]. */
enum sim_traffic {
	SIM_TRAFFIC_LOAD,
	SIM_TRAFFIC_LOAD_REPLY,
	SIM_TRAFFIC_STORE,
	SIM_TRAFFIC_STORE_REPLY,
	SIM_TRAFFIC_ATOMIC,
	SIM_TRAFFIC_ATOMIC_REPLY,
	SIM_TRAFFIC_READ_LOG,
	SIM_TRAFFIC_WRITE_LOG,
	SIM_TRAFFIC_DONE,
	SIM_TRAFFIC_SKIP,
	SIM_TRAFFIC_OUTCOME, /* local outcomes, partition to core */
	SIM_TRAFFIC_VERDICT, /* core to partition */
	SIM_TRAFFIC_RETIRE,
	SIM_TRAFFIC_RESEND,
	SIM_TRAFFIC_CLEANUP,
	SIM_TRAFFIC_ROLLOVER,
	SIM_TRAFFIC_KINDS,
};
extern const char *const sim_traffic_name[SIM_TRAFFIC_KINDS];

struct sim_traffic_count {
	uint64_t packets, bytes, flits;
};

/*
 * Told of what the threads do, for --check. Within an attempt the accesses of a thread
 * come in program order. Exactly one of abort and commit ends an attempt.
 * Accesses outside transactions and critical sections come with inside = false, loads of
 * that kind are not told. No function may change the machine. All four must be set.
 */
#define SIM_NO_PLACE UINT64_MAX
/* Added to a place: it counts among the writers of a word; reads stand where their versions do. */
#define SIM_BY_VERSION (UINT64_C(1) << 62)
/* Version of what a transaction has written itself. */
#define SIM_OWN_VERSION UINT32_MAX
struct sim_observer {
	void *state;
	/* version: witness of the transaction that wrote the value, 0 for none; only systems
	 * that commit with SIM_NO_PLACE tell it. */
	void (*load)(void *state, uint32_t thread, uint64_t address, uint32_t value,
		     uint32_t version);
	void (*store)(void *state, uint32_t thread, bool inside, uint64_t address,
		      uint32_t value);
	void (*abort)(void *state, uint32_t thread, enum sim_abort_reason reason);
	/* Committed, at this place in the system's serial order (unique, any order of calls),
	 * or with SIM_NO_PLACE anywhere that the versions of its loads allow, or with
	 * SIM_BY_VERSION where these and its place among the writers allow. */
	void (*commit)(void *state, uint32_t thread, uint64_t witness);
};

struct sim_run_options {
	uint32_t concurrency; /* warps per core in transactions; 0 = unlimited */
	uint64_t seed;
	uint64_t most_cycles; /* give up after so many core cycles; 0 = never */
	const struct sim_observer *observer; /* NULL without --check */
	/* All that there are, NULL-ended, for a system that has another within. */
	const struct sim_system_class *const *systems;
	/* Told now and then how many threads have ended; NULL for none. */
	void (*progress)(void *state, uint64_t ended, uint64_t threads, uint64_t cycles);
	void *progress_state;
	/* The run ends soon, with -EINTR, when this is not 0; NULL: never. */
	const volatile sig_atomic_t *stop;
};

struct sim_result {
	uint64_t cycles; /* core cycles until the last thread ended and all was written */
	uint32_t core_mhz;
	uint64_t committed, aborted;
	uint64_t aborted_by_reason[SIM_ABORT_REASONS];
	/* Core cycles, summed over warps: in transactions, and waiting to be admitted to one. */
	uint64_t tx_exec_cycles, tx_wait_cycles;
	struct sim_traffic_count traffic[SIM_TRAFFIC_KINDS];
	/* of the machine itself */
	uint64_t instructions; /* warp instructions issued */
	uint64_t l2_accesses, l2_misses, dram_bytes;
};

/* One unit of libgputm in the machine. */
struct sim_unit_info {
	const char *role;  /* as in --set */
	uint32_t instance; /* numbered from 0 within a role */
	const struct gputm_unit *unit;
};

struct sim_machine;

/*
 * 0; -EINVAL, the machine and the workload or system do not fit: the program is missing, a
 * block is larger than a core, the config is not possible (sim_machine_error(*out) says so,
 * and *out must be freed); -ENOMEM (the same, or *out is NULL). Everything handed over
 * must outlive the machine. The workload's memory is set up here.
 */
int sim_machine_new(struct gputm_ctx *ctx, const struct sim_machine_config *config,
		    const struct sim_system_class *system, const void *system_config,
		    const struct sim_workload *workload, const struct sim_run_options *options,
		    struct sim_machine **out);
void sim_machine_free(struct sim_machine *machine);

/* 0 when all threads have ended; -EINTR, options.stop was set; -ETIME past most_cycles, or the
 * machine's patience is at an end; -EDEADLK, nothing can happen any more; -EILSEQ, a unit has
 * broken an invariant (looked for with an observer); -ENOMEM. */
int sim_machine_run(struct sim_machine *machine);

/* Why sim_machine_run() or sim_machine_new() gave an error, else "". NULL allowed. */
const char *sim_machine_error(const struct sim_machine *machine);

void sim_machine_result(const struct sim_machine *machine, struct sim_result *out);
const struct sim_memory *sim_machine_memory(const struct sim_machine *machine);
/* Unit number index, in order of roles and instances; false past the last one. */
bool sim_machine_unit(const struct sim_machine *machine, size_t index,
		      struct sim_unit_info *out);

#endif
