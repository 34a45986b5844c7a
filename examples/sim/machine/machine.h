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
 *	shape = sim_machine_shape(&config);
 *	system->init(system_config, &shape);
 *	sim_machine_new(ctx, &config, system, system_config, workload, &options, &machine);
 *	sim_machine_run(machine);
 *	sim_machine_result(machine); sim_machine_unit(machine, i, &info); ...
 *	sim_machine_free(machine);
 */
#include <signal.h>
#include <stddef.h>

#include "gputm/base.h"
#include "../base/memory.h"
#include "../port/run.h"
#include "../port/system.h"
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
	uint32_t patience_cycles; /* core cycles of one attempt, or of aborts without a
					 * commit; 0 = for ever */
};

extern const struct gputm_params sim_machine_params;

/* What a system may know of a machine of this config. */
struct sim_shape sim_machine_shape(const struct sim_machine_config *config);

struct sim_kept_units;

struct sim_run_options {
	uint32_t concurrency; /* warps per core in transactions; 0 = unlimited */
	bool likely;	      /* SIMT stacks use likely-convergence points */
	uint64_t seed;
	uint64_t most_cycles; /* give up after so many core cycles; 0 = never */
	const struct sim_observer *observer; /* NULL without --check */
	/* All that there are, NULL-ended, for a system that has another within. */
	const struct sim_system_class *const *systems;
	/* Units that runs in a row have in common: those of the run before that have the same
	 * kind, place and config are reset and used again. NULL: all are made anew. A run with
	 * an observer makes its own. */
	struct sim_kept_units *kept;
	/* Told now and then how many threads have ended; NULL for none. */
	void (*progress)(void *state, uint64_t ended, uint64_t threads, uint64_t cycles);
	void *progress_state;
	/* The run ends soon, with -EINTR, when this is not 0; NULL: never. */
	const volatile sig_atomic_t *stop;
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
