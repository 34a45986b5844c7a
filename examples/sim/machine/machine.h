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
#include <stdio.h>

#include "gputm/base.h"
#include "../base/memory.h"
#include "../port/run.h"
#include "../port/system.h"
#include "../workloads/workload.h"
#include "scheduler.h"

#define SIM_BANKS 32u /* most of a partition */

/* Rows, with the values of each machine, are in config.c. */
struct sim_machine_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t cores;		 /* 1..256 */
	uint32_t warps;		 /* per core, 1..64 */
	uint32_t lanes;		 /* per warp, 1..32 */
	uint32_t blocks;	 /* most resident blocks per core */
	uint32_t issue_slots;	 /* 1, 2 or 4 */
	uint32_t simd_width;	 /* lanes of a slot, per core cycle */
	uint32_t scheduler;	 /* SIM_LRR .. */
	uint32_t partitions;	 /* 1..64 */
	uint32_t interleave;	 /* bytes */
	uint32_t core_mhz;
	uint32_t crossbar_mhz;
	uint32_t unit_mhz;	 /* commit units */
	uint32_t crossbar_latency; /* crossbar cycles */
	uint32_t flit_bytes;
	uint32_t concentration;	 /* cores on a crossbar port */
	uint32_t l1_bytes, l1_ways; /* of a core, for plain loads; 0 bytes: none */
	uint32_t l1_latency;	 /* core cycles more, of a load that hits */
	uint32_t spill_latency;	 /* core cycles: a row of a log that the L1 does not hold */
	uint32_t line_bytes;
	uint32_t l2_bytes;	 /* per partition */
	uint32_t l2_ways;
	uint32_t l2_latency;	 /* core cycles */
	uint32_t unit_latency;	 /* core cycles: an L2 access of a unit beside the L2 */
	uint32_t dram_latency;	 /* core cycles, more */
	uint32_t l2_port;	 /* bytes of the port of cores and units; 0: ports apart */
	uint32_t dram_mbps;	 /* megabytes per second per partition */
	uint32_t dram_banks;	 /* 0: a channel only, in order of arrival */
	uint32_t dram_row_bytes;
	uint32_t dram_queue;	 /* requests that the controller chooses from */
	uint32_t dram_mhz;	 /* of the times that follow */
	uint32_t dram_rc, dram_rrd, dram_rcd, dram_rp, dram_cl;
	uint32_t plain_latency;	 /* core cycles from one instruction of a warp to its next */
	uint32_t pack_messages;	 /* 1: a warp's log, done and skip messages in one packet */
	uint32_t unbounded_ring; /* 1: commit rings are never the limit */
	uint32_t swap_units_every; /* core cycles; 0 = never */
	uint32_t patience;	 /* aborts in a row without a commit; 0 = for ever */
	uint32_t patience_cycles; /* core cycles of one attempt, or in which no thread ends
				   * or commits; 0 = for ever */
};

/* The machines to choose from, the default first. Their params differ in values and sources. */
#define SIM_MACHINES 4u
struct sim_machine_kind {
	const char *name, *summary;
	struct gputm_params params;
};
extern const struct sim_machine_kind sim_machine_kinds[SIM_MACHINES];
#define sim_machine_params (sim_machine_kinds[0].params)
/* NULL: there is no such machine. */
const struct gputm_params *sim_machine_named(const char *name);

/* What a system may know of its machine. */
struct sim_shape sim_machine_shape(const struct sim_machine_config *config);

struct sim_kept_units;

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

struct sim_run_options {
	uint32_t concurrency; /* warps per core in transactions, at first; 0 = unlimited */
	const struct gputm_tx_throttle_config *throttle; /* what moves that; NULL: nothing */
	bool likely;	      /* SIMT stacks use likely-convergence points */
	bool compact;	      /* the warps of a block are compacted */
	bool apart;	      /* idle warps have units of their own, with names */
	uint64_t seed;
	uint64_t most_cycles; /* give up after so many core cycles; 0 = never */
	const struct sim_observer *observer; /* NULL without --check */
	bool prove;  /* for system->own->judge() */
	FILE *issues; /* a line for every warp that issues, by systems that tell; or NULL */
	/* All systems, NULL-ended, for a system that has another system inside. */
	const struct sim_system_class *const *systems;
	/* Units to share between runs: a run resets and reuses the units of the previous run that
	 * have the same kind, place and config. NULL: all units are made anew. A run with an
	 * observer makes its own. */
	struct sim_kept_units *kept;
	const struct sim_look *look; /* NULL for none */
	const struct sim_saver *saver; /* the same; not together with an observer */
	/* Called now and then with the number of threads that have ended; NULL for none. */
	void (*progress)(void *state, uint64_t ended, uint64_t threads, uint64_t cycles);
	void *progress_state;
	/* If this becomes nonzero, the run ends soon with -EINTR; NULL: never. */
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

/* Before the run, restore the state that a saver got. 0; -EINVAL, the state is of another config or
 * workload (io->wrong names the piece, or a unit refused it); -ENOMEM. After an error the machine
 * can only be freed. */
int sim_machine_restore(struct sim_machine *machine, struct sim_io *io);

/* 0 when all threads have ended; -EINTR, options.stop was set; -ETIME past most_cycles, or the
 * machine's patience is at an end; -EDEADLK, nothing can happen any more; -EILSEQ, a unit has
 * broken an invariant (looked for with an observer); -ENOMEM. */
int sim_machine_run(struct sim_machine *machine);

/* Why sim_machine_run() or sim_machine_new() failed, else "". NULL allowed. */
const char *sim_machine_error(const struct sim_machine *machine);

void sim_machine_result(const struct sim_machine *machine, struct sim_result *out);
/* What the devices did in a run with that result, device by device; false past the last row. Of the
 * GPU: threads, whose sum is cycles x lanes of all warps, and cores. */
bool sim_machine_time(const struct sim_machine *machine, const struct sim_result *result,
		      size_t index, struct sim_time *out);
/* The port, for observers; it lives as long as the machine. */
struct sim_port *sim_machine_port(struct sim_machine *machine);
const struct sim_memory *sim_machine_memory(const struct sim_machine *machine);
/* Unit number index, in order of roles and instances; false past the last one. */
bool sim_machine_unit(const struct sim_machine *machine, size_t index,
		      struct sim_unit_info *out);

#endif
