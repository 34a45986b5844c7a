/* SPDX-License-Identifier: BSD-2-Clause */
#include "simt_core.h"

#define OURS "our choice"
#define TABLE_3_2 "Fung, thesis 2015, Table 3.2"

#define ROW(field, lo, hi, standard, pow2, sentence, origin)                                   \
	{ #field, (uint32_t)offsetof(struct flow_core_config, field),                          \
	  (uint32_t)sizeof(((struct flow_core_config *)0)->field), (lo), (hi), (standard),     \
	  (pow2), (sentence), (origin), NULL }

static const struct gputm_param rows[] = {
	ROW(warps, 1, FLOW_WARPS_MAX, 32, false, "static warps resident on the core", TABLE_3_2),
	ROW(blocks, 1, FLOW_WARPS_MAX, 8, false, "most thread blocks resident on the core",
	    "Quadro FX5800"),
	ROW(simd_width, 1, 32, 8, false, "lanes that the pipeline takes in a cycle", TABLE_3_2),
	ROW(latency, 1, 1000, 24, false, "cycles from an instruction to the next of its warp",
	    OURS ": about the depth of a pipeline"),
	ROW(l1_bytes, 1024, 1u << 26, 32 * 1024, true, "bytes of the L1 data cache", TABLE_3_2),
	ROW(l1_ways, 1, 32, 8, true, "ways of the L1 data cache", TABLE_3_2),
	ROW(l1_latency, 0, 1000, 8, false, "cycles more for a load that hits in the L1", OURS),
	ROW(memory_latency, 0, 10000, 400, false, "cycles more for a load that misses",
	    OURS ": an L2 hit and some misses"),
	ROW(memory_interval, 1, 1000, 8, false,
	    "cycles between lines that cross from or to memory", OURS),
	ROW(most_cycles, 1, UINT64_MAX >> 1, 4000000000, false,
	    "cycles after which the run is given up", OURS),
};

const struct gputm_params flow_core_params = {
	"core", sizeof(struct flow_core_config), rows, sizeof rows / sizeof *rows, NULL, 0,
};
