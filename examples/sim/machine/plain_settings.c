/* SPDX-License-Identifier: BSD-2-Clause */
#include "mechanism.h"

#include <stdlib.h>

const struct sim_system_ops flow_no_ops;

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

static const struct gputm_params params = {
	"core", sizeof(struct flow_core_config), rows, sizeof rows / sizeof *rows, NULL, 0,
};

const struct gputm_params *flow_core_params(void)
{
	return &params;
}

void flow_config_init(struct flow_config *config)
{
	static const struct gputm_access_coalescer_config standard =
		GPUTM_ACCESS_COALESCER_CONFIG_INIT;

	gputm_params_init(&params, &config->core, sizeof config->core);
	config->coalescer = standard;
	if (gputm_access_coalescer_config_preset(&config->coalescer, "load-store"))
		abort(); /* cannot happen: a preset of that name exists */
}

/* With a machine, the cores have its shape. */
const struct sim_tie flow_ties[] = {
	{ "machine.warps", "core.warps" },
	{ "machine.blocks", "core.blocks" },
	{ "machine.plain_latency", "core.latency" },
	{ "machine.simd_width", "core.simd_width" },
	{ "machine.line_bytes", "access_coalescer.region_bytes" },
	{ NULL, NULL },
};

const struct sim_unused flow_unused[] = {
	{ "machine.scheduler", "the mechanism says which warp issues", NULL }, /* FLOW_SCHEDULED */
	{ "core.l1_bytes", "expected machine.l1_bytes", NULL },
	{ "core.l1_ways", "expected machine.l1_ways", NULL },
	{ "core.l1_latency", "expected machine.l1_latency", NULL },
	{ "core.memory_latency", "the way to memory is the machine's", NULL },
	{ "core.memory_interval", "the way to memory is the machine's", NULL },
	{ "machine.warps", "expected core.warps", NULL },
	{ "machine.blocks", "expected core.blocks", NULL },
	{ "machine.lanes", "the kernel says what a warp is", NULL },
	{ "machine.plain_latency", "expected core.latency", NULL },
	{ "machine.simd_width", "expected core.simd_width", NULL },
	{ "machine.spill_latency", "there are no logs", NULL },
	{ "machine.unit_latency", "there are no units beside the L2", NULL },
	{ "machine.patience", "nothing is aborted", NULL },
	{ "machine.patience_cycles", "nothing is aborted", NULL },
	SIM_NO_COMMIT_UNITS,
	{ NULL, NULL, NULL },
};
