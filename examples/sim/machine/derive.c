/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives times and sizes from the config of a machine, and refuses configs that do not fit
 * together. */
#include <stdio.h>

#include "plain.h"
#include "wiring.h"

static uint32_t log2_of(uint32_t value)
{
	return 31 - (uint32_t)__builtin_clz(value);
}

/* Parts of `size` needed for `number`, at least 1. */
static uint32_t parts(uint32_t number, uint32_t size)
{
	return number > size ? (number - 1) / size + 1 : 1;
}

/* DRAM cycles in 256ths of a tick. */
static uint32_t dram_ticks256(const struct sim_machine_config *config, uint32_t fastest,
			      uint32_t cycles)
{
	return (uint32_t)((uint64_t)cycles * fastest * 256 / config->dram_mhz);
}

static int derive_clocks(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;
	uint32_t fastest = config->core_mhz;

	if (config->crossbar_mhz > fastest)
		fastest = config->crossbar_mhz;
	if (config->unit_mhz > fastest)
		fastest = config->unit_mhz;
	if (fastest % config->core_mhz || fastest % config->crossbar_mhz ||
	    fastest % config->unit_mhz)
		return sim_fail(&machine->port, -EINVAL,
				"machine: the fastest of core_mhz, crossbar_mhz and unit_mhz must "
				"be a multiple of the others");
	machine->tick_mhz = fastest;
	machine->port.core_ticks = fastest / config->core_mhz;
	machine->crossbar_ticks = fastest / config->crossbar_mhz;
	machine->flit_shift = log2_of(config->flit_bytes);
	machine->port.unit_ticks = fastest / config->unit_mhz;
	machine->issue_cycles = parts(config->lanes, config->simd_width);
	machine->issue_ticks = machine->port.core_ticks * machine->issue_cycles;
	machine->dram.rc = dram_ticks256(config, fastest, config->dram_rc);
	machine->dram.rrd = dram_ticks256(config, fastest, config->dram_rrd);
	machine->dram.rcd = dram_ticks256(config, fastest, config->dram_rcd);
	machine->dram.rp = dram_ticks256(config, fastest, config->dram_rp);
	machine->dram.cl = dram_ticks256(config, fastest, config->dram_cl);
	machine->dram.turn = dram_ticks256(config, fastest, config->dram_turn);
	machine->dram.cycle = config->dram_groups ? dram_ticks256(config, fastest, 1) : 0;
	machine->dram.group_shift =
		log2_of(parts(config->dram_banks, parts(config->dram_groups, 1)));
	machine->line_ticks256 = (uint32_t)((uint64_t)config->line_bytes * fastest * 256 /
					    config->dram_mbps);
	return 0;
}

/* Refuse a core that is too small for a block of the workload: too few warps, or lanes if they were
 * set alone. */
static int refuse_block(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;
	uint32_t block = machine->port.workload->block_size, lanes = parts(block, config->warps);
	struct sim_machine_config standard;
	char message[200];
	bool name_lanes;

	gputm_params_init(&sim_machine_params, &standard, sizeof standard);
	name_lanes = config->lanes != standard.lanes && lanes <= SIM_MAX_LANES;
	snprintf(message, sizeof message, "machine: %s = %u is outside %u .. %u, as a block of the "
		 "workload has %u threads, for warps = %u x lanes = %u",
		 name_lanes ? "lanes" : "warps", name_lanes ? config->lanes : config->warps,
		 name_lanes ? lanes : parts(block, config->lanes),
		 name_lanes ? SIM_MAX_LANES : SIM_MAX_WARPS, block, config->warps, config->lanes);
	return sim_fail(&machine->port, -EINVAL, message);
}

/* An L1 has a power of two of sets, so that none of its bytes is left over. */
static bool l1_fits(const struct sim_machine_config *config, char *message, size_t size)
{
	uint32_t set = config->l1_ways * config->line_bytes, below = set, most = 1u << 20;

	if (config->l1_bytes < set) {
		snprintf(message, size, "machine: l1_bytes = %u is outside %u .. %u, for "
			 "l1_ways = %u lines of line_bytes = %u", config->l1_bytes, set, most,
			 config->l1_ways, config->line_bytes);
		return false;
	}
	while (2 * below <= config->l1_bytes)
		below *= 2;
	snprintf(message, size, "machine: l1_bytes = %u has no power of two of sets, for "
		 "l1_ways = %u lines of line_bytes = %u, expected %u or %u, or other l1_ways",
		 config->l1_bytes, config->l1_ways, config->line_bytes, below,
		 2 * below <= most ? 2 * below : below / 2);
	return below == config->l1_bytes;
}

static int derive_shape(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;
	char message[200];

	if (config->l2_bytes / config->line_bytes < config->l2_ways)
		return sim_fail(&machine->port, -EINVAL,
				"machine: l2_bytes is less than l2_ways lines");
	machine->sets = 1u << log2_of(config->l2_bytes / config->line_bytes / config->l2_ways);
	machine->port.interleave_shift = log2_of(config->interleave);
	machine->line_shift = log2_of(config->line_bytes);
	if (config->l1_bytes && !l1_fits(config, message, sizeof message))
		return sim_fail(&machine->port, -EINVAL, message);
	machine->row_shift = log2_of(config->dram_row_bytes) - machine->line_shift;
	machine->slot_warps = ~UINT64_C(0) / ((1u << config->issue_slots) - 1);
	for (uint32_t i = 0; i < config->cores; i++)
		machine->port_of[i] = (uint8_t)(i / config->concentration);
	return 0;
}

static int derive_blocks(struct sim_machine *machine)
{
	uint32_t block = machine->port.workload->block_size;

	if (!block || parts(block, machine->config.lanes) > machine->config.warps)
		return refuse_block(machine);
	machine->launch = (struct sim_launch){
		machine->port.program, machine->port.workload->threads, block, 0
	};
	return 0;
}

/* The next warp takes the first free slot: a launch gives a core at most its share of blocks, and
 * none to the last cores if there are fewer blocks than cores. */
static void derive_idle(struct sim_machine *machine)
{
	const struct sim_launch *launch = &machine->launch;
	bool compacts = machine->mechanism && machine->mechanism->compacts;
	uint64_t blocks = (launch->threads + launch->block_size - 1) / launch->block_size;
	uint64_t cores = machine->config.cores, share = (blocks + cores - 1) / cores;

	share *= parts(launch->block_size, machine->config.lanes);
	if (machine->run.options.apart || compacts || machine->port.program->part)
		return;
	if (share < machine->config.warps)
		machine->port.idle_from = (uint32_t)share;
	if (blocks < cores)
		machine->port.idle_cores = (uint32_t)(cores - blocks);
}

const void *sim_role_config(const struct sim_machine *machine, const char *role)
{
	const struct sim_system_class *system = machine->run.system;

	for (size_t i = 0; i < system->role_count; i++)
		if (!strcmp(system->role[i].role, role))
			return (const char *)machine->port.system_config + system->role[i].offset;
	return NULL;
}

/* A run without a TM system says itself what the units of its cores are. */
static void derive_plain_units(struct sim_machine *machine)
{
	const struct gputm_simt_stack_config *stack = sim_role_config(machine, "simt_stack");
	const struct flow_config *all = machine->port.system_config;

	if (stack) {
		machine->stack_config = *stack;
		machine->stack_config.lanes = machine->config.lanes;
	}
	machine->coalescer_config = all->coalescer;
}

static void derive_units(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;

	machine->stack_config = (struct gputm_simt_stack_config)GPUTM_SIMT_STACK_CONFIG_INIT;
	machine->stack_config.lanes = config->lanes;
	machine->stack_config.likely_convergence =
		machine->mechanism && machine->mechanism->likely;
	machine->coalescer_config =
		(struct gputm_access_coalescer_config)GPUTM_ACCESS_COALESCER_CONFIG_INIT;
	machine->coalescer_config.region_bytes = config->line_bytes;
	machine->coalescer_config.lanes = config->lanes;
	machine->coalescer_config.words = config->lanes;
	machine->coalescer_config.address_bits = SIM_ADDRESS_BITS;
	machine->throttle_config = (struct gputm_tx_throttle_config)GPUTM_TX_THROTTLE_CONFIG_INIT;
	if (machine->run.options.throttle)
		machine->throttle_config = *machine->run.options.throttle;
	machine->throttle_config.warps = config->warps;
	machine->throttle_config.limit = machine->run.options.concurrency;
	if (machine->plain)
		derive_plain_units(machine);
}

/* One core, and nothing besides. */
static int derive_core(struct sim_machine *machine)
{
	machine->port.core_ticks = machine->port.unit_ticks = machine->crossbar_ticks = 1;
	machine->issue_cycles = parts(machine->config.lanes, machine->config.simd_width);
	machine->issue_ticks = machine->issue_cycles;
	machine->slot_warps = ~UINT64_C(0);
	return 0;
}

int sim_derive_machine(struct sim_machine *machine)
{
	int error = machine->far ? derive_core(machine) : derive_clocks(machine);

	if (machine->far)
		return error;

	return error ? error : derive_shape(machine);
}

int sim_derive_launch(struct sim_machine *machine)
{
	int error = derive_blocks(machine);

	if (error)
		return error;
	derive_idle(machine);
	derive_units(machine);
	return 0;
}
