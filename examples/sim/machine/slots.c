/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of threads become resident warps, and leave when all their warps have ended. */
#include <string.h>

#include "wiring.h"

static void launch(struct sim_machine *machine, struct sim_core *core, uint64_t thread,
		   uint32_t count, uint32_t block)
{
	uint64_t mask = ~UINT64_C(0) >> (64 - count);
	struct sim_warp *warp = core->warp;

	while (warp->wait != SIM_FREE)
		warp++;
	memset(warp->lane, 0, sizeof warp->lane);
	for (uint32_t i = 0; i < count; i++)
		warp->lane[i].thread = (uint32_t)thread + i;
	warp->block = (uint8_t)block;
	warp->inside = 0;
	if (gputm_simt_stack_launch(warp->stack, 0, mask))
		sim_fail(machine, -EINVAL, "a warp could not be launched");
	core->free_warps--;
	core->block_warps[block]++;
	sim_warp_until(machine, warp, 0);
}

static uint32_t free_block(const struct sim_core *core)
{
	uint32_t block = 0;

	while (core->block_warps[block])
		block++;
	return block;
}

void sim_core_fill(struct sim_machine *machine, uint32_t index)
{
	struct sim_core *core = &machine->core[index];
	uint32_t lanes = machine->config.lanes, size = machine->workload->block_size;
	uint32_t warps = (size + lanes - 1) / lanes;

	while (core->next_block < machine->blocks && core->resident < machine->config.blocks &&
	       core->free_warps >= warps) {
		uint64_t first = core->next_block * size, last = first + size;
		uint32_t block = free_block(core);

		if (last > machine->workload->threads)
			last = machine->workload->threads;
		for (; first < last; first += lanes)
			launch(machine, core, first,
			       last - first < lanes ? (uint32_t)(last - first) : lanes, block);
		core->resident++;
		core->next_block += machine->config.cores;
	}
}

void sim_warp_ended(struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_core *core = &machine->core[warp->core];

	warp->wait = SIM_FREE;
	machine->last_work = sim_now(machine) + machine->core_ticks;
	core->free_warps++;
	if (--core->block_warps[warp->block])
		return;
	core->resident--;
	sim_core_fill(machine, warp->core);
}
