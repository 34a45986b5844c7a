/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "../workloads/kernel.h"

bool flow_setup_part(const struct sim_setup *setup, size_t index, const char **path,
		     const struct gputm_params **params, void **config)
{
	if (index == 0) {
		*path = "core";
		*params = &flow_core_params;
		*config = (void *)(uintptr_t)&setup->core;
		return true;
	}
	if (index == 1) {
		*path = "coalescer";
		*params = gputm_access_coalescer_params();
		*config = (void *)(uintptr_t)&setup->coalescer;
		return true;
	}
	return sim_role_part(setup->mechanism->role, setup->mechanism->role_count,
			     setup->mechanism_config, index - 2, path, params, config);
}

static bool set_defaults(struct sim_setup *setup)
{
	struct gputm_access_coalescer_config coalescer = GPUTM_ACCESS_COALESCER_CONFIG_INIT;

	gputm_params_init(&flow_core_params, &setup->core, sizeof setup->core);
	setup->coalescer = coalescer;
	if (gputm_access_coalescer_config_preset(&setup->coalescer, "load-store"))
		return false;
	setup->mechanism_config = calloc(1, setup->mechanism->config_size);
	if (!setup->mechanism_config)
		return false;
	setup->mechanism->init(setup->mechanism_config);
	return true;
}

static const struct sim_unused of_machines[] = {
	{ "core.memory_latency", "the way to memory is the machine's", NULL },
	{ "core.memory_interval", "the way to memory is the machine's", NULL },
	{ "machine.warps", "expected core.warps", NULL },
	{ "machine.blocks", "expected core.blocks", NULL },
	{ "machine.lanes", "the kernel says what a warp is", NULL },
	{ "machine.plain_latency", "expected core.latency", NULL },
	{ "machine.simd_width", "expected core.simd_width", NULL },
	{ "machine.l1_bytes", "expected core.l1_bytes", NULL },
	{ "machine.l1_ways", "expected core.l1_ways", NULL },
	{ "machine.spill_latency", "there are no logs", NULL },
	{ "machine.issue_slots", "the mechanism says which warp issues", NULL },
	{ "machine.scheduler", "the mechanism says which warp issues", NULL },
	{ "machine.unit_latency", "there are no units beside the L2", NULL },
	{ "machine.patience", "nothing is aborted", NULL },
	{ "machine.patience_cycles", "nothing is aborted", NULL },
	SIM_NO_COMMIT_UNITS,
	{ NULL, NULL, NULL },
};

const struct sim_unused *flow_unused(const struct sim_setup *setup)
{
	return setup->machine_name ? of_machines : NULL;
}

/* With a machine the cores take their shape from the machine and execute all lanes of a warp at
 * once; their fields are settings of "core". */
int flow_setup_make(struct gputm_ctx *ctx, const struct sim_parts *parts,
		    const struct sim_given *given, struct sim_setup *out)
{
	if (!set_defaults(out)) {
		fprintf(stderr, "gputm-sim: out of memory\n");
		return -1;
	}
	if (out->machine_name) {
		out->core.warps = out->machine.warps;
		out->core.blocks = out->machine.blocks;
		out->core.latency = out->machine.plain_latency;
		out->core.simd_width = out->machine.simd_width;
		if (!sim_settings_used(given, of_machines, NULL))
			return -1;
	}
	if (sim_settings_apply(ctx, parts, given, "", true))
		return -1;
	out->machine.warps = out->core.warps;
	out->machine.blocks = out->core.blocks;
	out->machine.plain_latency = out->core.latency;
	out->machine.simd_width = out->core.simd_width;
	return 0;
}

/* Fields that follow from the kernel and the core: set them, and refuse other values that the user
 * has set. */
static bool size_fits(const struct sim_given *given, const char *path,
		      const struct gputm_params *params, const void *config,
		      const struct sim_need *need)
{
	for (size_t i = 0; i < params->param_count; i++) {
		const struct gputm_param *row = &params->param[i];
		uint64_t value = gputm_params_get(row, config);
		char name[96];

		snprintf(name, sizeof name, "%s.%s", path, row->name);
		if (strcmp(row->name, need->field) || !sim_given(given, name) ||
		    value == need->least)
			continue;
		fprintf(stderr, "gputm-sim: --set: got %s = %" PRIu64 ", expected %" PRIu64
				" or no such setting, as %s\n", name, value, need->least,
			need->reason);
		return false;
	}
	return true;
}

static bool unit_fits(const struct sim_setup *setup, const struct sim_given *given,
		      const struct kernel *kernel, const char *path,
		      const struct gputm_params *params, const void *config)
{
	uint32_t warps = kernel_warps_of_block(kernel), most = setup->core.warps / warps;
	uint32_t blocks = most < setup->core.blocks ? most : setup->core.blocks;
	bool whole = !strcmp(path, "warp_former"); /* one for all blocks of the core */
	bool sized = strcmp(path, "coalescer") != 0, fits = true;
	const struct sim_need needs[] = {
		{ "lanes", kernel->lanes, "a warp of the kernel has more lanes" },
		{ "pc_bits", sim_bits_of(kernel->code->instr_count - 1),
		  "the kernel has more instructions" },
		{ "address_bits", sim_bits_of(kernel->end - (kernel->end != 0)),
		  "the kernel's arrays have higher addresses" },
	};
	const struct sim_need sizes[] = {
		{ "lanes", kernel->lanes, "that is a warp of the kernel" },
		{ "warps", whole ? blocks * warps : warps,
		  whole ? "the core holds so many warps" : "that is a block of the kernel" },
		{ "block_warps", warps, "that is a block of the kernel" },
		{ "blocks", blocks, "the core holds so many blocks" },
	};

	for (size_t k = 0; fits && k < sizeof needs / sizeof *needs; k++)
		fits = sim_meets(path, params, config, &needs[k]);
	for (size_t k = 0; fits && sized && k < sizeof sizes / sizeof *sizes; k++)
		fits = size_fits(given, path, params, config, &sizes[k]);
	return fits;
}

/* Refuse what one core without a TM system cannot do. */
static bool runs_alone(const struct kernel *kernel)
{
	const struct kernel_code *code = kernel->code;

	for (size_t i = 0; i < code->instr_count; i++) {
		uint8_t op = code->instr[i].op;

		if (op != KERNEL_BEGIN && op != KERNEL_COMMIT)
			continue;
		fprintf(stderr, "gputm-sim: %s:%u:%u: without a TM system there are no "
				"transactions, expected --system or a program locks\n",
			kernel->file, code->instr[i].line, code->instr[i].column);
		return false;
	}
	return true;
}

static bool kernel_fits(const struct sim_setup *setup, const struct sim_given *given,
			const struct kernel *kernel)
{
	const struct sim_need warps = { "warps", kernel_warps_of_block(kernel),
					"a block of the kernel has more warps" };
	const struct gputm_params *params;
	const char *flaw, *path;
	void *config;

	if (!runs_alone(kernel) ||
	    !sim_meets("core", &flow_core_params, &setup->core, &warps))
		return false;
	for (size_t i = 1; flow_setup_part(setup, i, &path, &params, &config); i++)
		if (!unit_fits(setup, given, kernel, path, params, config))
			return false;
	flaw = setup->mechanism->flaw ? setup->mechanism->flaw(setup->mechanism_config) : NULL;
	if (flaw)
		fprintf(stderr, "gputm-sim: %s\n", flaw);
	return !flaw;
}

bool flow_setup_fits(const struct sim_setup *setup, const struct sim_given *given,
		     const struct sim_workload *workload)
{
	struct kernel kernel = *sim_kernel_of(workload);
	bool fits = true;

	if (!kernel_has_host(&kernel))
		return kernel_fits(setup, given, &kernel);
	for (uint32_t i = 0; fits && i < kernel.launches; i++) {
		kernel_become(&kernel, i);
		fits = kernel.launch[i].section != KERNEL_TRANSACTIONS ||
		       kernel_fits(setup, given, &kernel);
	}
	if (!fits || workload->program[SIM_TRANSACTIONS])
		return fits;
	fprintf(stderr, "gputm-sim: %s: %s\n", kernel.file, workload->missing[SIM_TRANSACTIONS]);
	return false;
}

/* The core and its coalescer are the same for all mechanisms, and listed once. */
static bool list_mechanism(const struct sim_setup *setup, const char *name, bool first)
{
	const struct flow_mechanism *mechanism = setup->mechanism;
	bool whole = !name || !strcmp(name, mechanism->name), found = false;
	const struct gputm_params *params;
	const char *path;
	void *config;

	for (size_t i = 0; flow_setup_part(setup, i, &path, &params, &config); i++) {
		bool once = i > 1 || first || (name && whole);

		if (!once || (!whole && strcmp(name, path)))
			continue;
		if (!found)
			printf("\n  %-12s %s\n", mechanism->name, mechanism->summary);
		found = true;
		sim_list_rows(path, params, config);
	}
	return found;
}

bool flow_list(const char *name)
{
	bool found = false;

	for (size_t m = 0; flow_mechanisms[m]; m++) {
		struct sim_setup setup = { .mechanism = flow_mechanisms[m] };

		if (set_defaults(&setup) && list_mechanism(&setup, name, !m))
			found = true;
		free(setup.mechanism_config);
	}
	return found;
}
