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
 *	sim_machine_new(ctx, &config, system, system_config, workload, &options, &run);
 */
#include "../run/run.h"
#include "scheduler.h"

#define SIM_BANKS 32u	  /* most of a partition */
#define SIM_BURST_MAX 128u /* bytes */

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
	uint32_t l2_write_miss;	 /* bytes of a burst in which it goes to DRAM; 0: it does not */
	uint32_t dram_mbps;	 /* megabytes per second per partition */
	uint32_t dram_banks;	 /* 0: a channel only, in order of arrival */
	uint32_t dram_row_bytes;
	uint32_t dram_queue;	 /* requests that the controller chooses from */
	uint32_t dram_mhz;	 /* of the times that follow */
	uint32_t dram_rc, dram_rrd, dram_rcd, dram_rp, dram_cl, dram_turn;
	uint32_t dram_groups;	 /* of banks; 0: none */
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

/* What the systems without a class of runs of their own run on; and what a system runs on. */
extern const struct sim_run_class sim_gpu_runs;
const struct sim_run_class *sim_class_of(const struct sim_system_class *system);

/* As sim_run_new(), for what the system runs on. -EINVAL also means that a block is larger than a
 * core. */
int sim_machine_new(struct gputm_ctx *ctx, const struct sim_machine_config *config,
		    const struct sim_system_class *system, const void *system_config,
		    const struct sim_workload *workload, const struct sim_run_options *options,
		    struct sim_run **out);

#endif
