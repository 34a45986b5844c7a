/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine.h"

#define NONE ""
#define OURS "our choice: about the depth of a pipeline"
#define TABLE_6_1 "Fung, thesis 2015, Table 6.1"
#define RELEASED "GETM's released simulator, its settings"

#define ROW(field, lo, hi, standard, pow2, sentence, origin)                                   \
	{ #field, (uint32_t)offsetof(struct sim_machine_config, field),                        \
	  (uint32_t)sizeof(((struct sim_machine_config *)0)->field), (lo), (hi), (standard),   \
	  (pow2), (sentence), (origin), NULL }

static const struct gputm_param rows[] = {
	ROW(cores, 1, 64, 15, false, "SIMT cores", TABLE_6_1),
	ROW(warps, 1, 64, 48, false, "warps resident on a core", TABLE_6_1),
	ROW(lanes, 1, 32, 32, false, "lanes of a warp", TABLE_6_1),
	ROW(blocks, 1, 64, 8, false, "most thread blocks resident on a core", "Fermi"),
	ROW(partitions, 1, 16, 6, false, "memory partitions", TABLE_6_1),
	ROW(interleave, 128, 1u << 20, 256, true, "consecutive bytes in one partition", RELEASED),
	ROW(core_mhz, 100, 5600, 1400, false, "core clock, MHz", TABLE_6_1),
	ROW(crossbar_mhz, 100, 5600, 1400, false, "crossbar clock, MHz", TABLE_6_1),
	ROW(unit_mhz, 100, 5600, 700, false, "clock of the L2 and of the units beside it, MHz",
	    TABLE_6_1),
	ROW(crossbar_latency, 1, 1000, 5, false, "crossbar cycles that a flit takes", TABLE_6_1),
	ROW(flit_bytes, 8, 128, 32, true, "bytes that a port moves in a crossbar cycle", TABLE_6_1),
	ROW(line_bytes, 32, 128, 128, true, "bytes of an L2 line", TABLE_6_1),
	ROW(l2_bytes, 1024, 1u << 26, 128 * 1024, true, "bytes of L2 in a partition", TABLE_6_1),
	ROW(l2_ways, 1, 32, 8, true, "ways of the L2", TABLE_6_1),
	ROW(l2_latency, 1, 2000, 330, false, "core cycles in the partition for an L2 hit of a core",
	    TABLE_6_1),
	ROW(unit_latency, 1, 2000, 230, false,
	    "core cycles for an L2 hit of a unit beside the L2", RELEASED),
	ROW(dram_latency, 0, 5000, 200, false, "core cycles more for an L2 miss", TABLE_6_1),
	ROW(dram_mbps, 100, 1000000, 29500, false,
	    "megabytes per second between a partition and its DRAM", TABLE_6_1),
	ROW(plain_latency, 1, 1000, 8, false,
	    "core cycles from an instruction to the next of its warp", OURS),
	ROW(pack_messages, 0, 1, 0, false, "1: log, done and skip messages of a warp share packets",
	    RELEASED),
	ROW(unbounded_ring, 0, 1, 0, false, "1: commit entries never run out", RELEASED),
	ROW(swap_units_every, 0, 1u << 30, 0, false,
	    "core cycles after which all units are saved, made anew and loaded; 0: never", NONE),
	ROW(patience, 0, 1u << 30, 1000000, false,
	    "aborted attempts without a commit between that end the run; 0: never", NONE),
	ROW(patience_cycles, 0, 1u << 30, 500000000, false,
	    "core cycles of one attempt, or of aborts without a commit, that end the run; 0: never",
	    NONE),
};

static const struct gputm_preset presets[] = {
	{ "fermi", "GTX 480 as in thesis Table 6.1 and GETM Table II", { { NULL, 0 } } },
	{ "reference",
	  "the machine of the released simulator: cycles are those of a 700 MHz core",
	  { { "core_mhz", 700 },
	    { "l2_ways", 16 },
	    { "l2_latency", 120 },
	    { "unit_latency", 115 },
	    { "dram_latency", 100 },
	    { "dram_mbps", 14784 },
	    { "plain_latency", 4 },
	    { "pack_messages", 1 },
	    { "unbounded_ring", 1 },
	    { NULL, 0 } } },
};

const struct gputm_params sim_machine_params = {
	"machine", sizeof(struct sim_machine_config), rows, sizeof rows / sizeof *rows,
	presets, sizeof presets / sizeof *presets,
};

struct sim_shape sim_machine_shape(const struct sim_machine_config *config)
{
	return (struct sim_shape){
		.cores = config->cores,
		.warps = config->warps,
		.lanes = config->lanes,
		.partitions = config->partitions,
		.interleave = config->interleave,
		.core_mhz = config->core_mhz,
		.flit_bytes = config->flit_bytes,
		.plain_latency = config->plain_latency,
		.pack_messages = config->pack_messages,
		.unbounded_ring = config->unbounded_ring,
	};
}

const char *const sim_abort_reason_name[SIM_ABORT_REASONS] = {
	"validation", "conflict", "intra_warp", "watchdog", "capacity", "rollover", "writer",
	"loop",	      "stale",	  "round",	"estimated",
};

const char *const sim_traffic_name[SIM_TRAFFIC_KINDS] = {
	"load",	     "load_reply", "store", "store_reply", "atomic",  "atomic_reply", "read_log",
	"write_log", "done",	   "skip",  "outcome",	   "verdict", "retire",	      "resend",
	"cleanup",   "rollover",
};
