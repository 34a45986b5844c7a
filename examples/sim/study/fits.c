/* SPDX-License-Identifier: BSD-2-Clause */
/* Is a setup large enough for the program? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "setup.h"

/* ---- cores without a TM system ---- */

static const struct flow_config *flow_of(const struct sim_setup *setup)
{
	return setup->system_config;
}

/* A field that follows from the kernel or the core must have that value if it was set. */
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
	const struct flow_core_config *core = &flow_of(setup)->core;
	uint32_t warps = kernel_warps_of_block(kernel), most = core->warps / warps;
	uint32_t blocks = most < core->blocks ? most : core->blocks;
	bool whole = !strcmp(path, "warp_former"); /* one for all blocks of the core */
	bool sized = strcmp(path, "access_coalescer") != 0, fits = true;
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

		if (op != SIM_TX_BEGIN && op != SIM_TX_COMMIT)
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
	const struct sim_system_class *system = setup->system;
	const struct gputm_params *params;
	const char *path;
	void *config;

	if (!runs_alone(kernel) ||
	    !sim_meets("core", flow_core_params(), &flow_of(setup)->core, &warps))
		return false;
	for (size_t i = 1; sim_role_part(system->role, system->role_count, setup->system_config, i,
					 &path, &params, &config); i++)
		if (!unit_fits(setup, given, kernel, path, params, config))
			return false;
	return true;
}

/* Check all kernels that are launched. */
static bool kernels_fit(const struct sim_setup *setup, const struct sim_given *given,
			const struct sim_workload *workload)
{
	struct kernel kernel = *workload->kernel;
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

/* ---- the GPU ---- */

static bool workload_fits(const struct sim_setup *setup, const struct sim_workload *workload)
{
	const struct sim_machine_config *machine = &setup->machine;
	uint32_t last = workload->regions - 1;
	uint64_t end = workload->regions ? workload->region[last].start +
					   workload->region[last].length : 1;
	const struct sim_need needs[] = {
		{ "lanes", machine->lanes, "a warp of the machine has more lanes" },
		{ "warps", machine->warps, "a core of the machine has more warps" },
		{ "warp_bits", sim_bits_of(machine->cores * machine->warps - 1),
		  "the machine has more warps" },
		{ "credits", machine->lanes, "a warp takes one for each of its lanes at once" },
		{ "address_bits", sim_bits_of(end - 1), "the workload has higher addresses" },
	};
	const struct gputm_params *params;
	const char *path;
	void *config;

	if (workload->lanes && workload->lanes != machine->lanes) {
		fprintf(stderr, "gputm-sim: machine: lanes = %u is outside %u .. %u, as the "
				"workload counts on that\n", machine->lanes, workload->lanes,
			workload->lanes);
		return false;
	}
	for (size_t i = 0; sim_setup_part(setup, i, &path, &params, &config); i++)
		for (size_t k = 0; k < sizeof needs / sizeof *needs && strcmp(path, "machine") &&
				   strcmp(path, "workload"); k++)
			if (!sim_meets(path, params, config, &needs[k]))
				return false;
	return true;
}

bool sim_setup_fits(const struct sim_setup *setup, const struct sim_given *given,
		    const struct sim_workload *workload)
{
	if (sim_setup_alone(setup))
		return kernels_fit(setup, given, workload);
	return !setup->on->tm_gpu || workload_fits(setup, workload);
}
