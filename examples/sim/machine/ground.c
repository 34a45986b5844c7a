/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that all parts of the machine use; they call none of these parts. */
#include "wiring.h"

uint32_t sim_words_take(struct sim_machine *machine)
{
	uint32_t index = sim_slab_take(&machine->words);

	if (index != SIM_SLAB_NONE)
		return index;
	sim_fail(&machine->port, -ENOMEM, "no memory for a store");
	return 0;
}

void sim_load_lanes(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes)
{
	for (SIM_EACH_LANE(lane, lanes))
		warp->loaded[lane] =
			sim_memory_read(machine->port.memory, warp->address[lane]);
	for (SIM_EACH_LANE(lane, machine->port.version ? lanes : 0))
		warp->version[lane] = sim_memory_read(machine->port.version, warp->address[lane]);
}

void sim_warp_until(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	struct sim_machine *machine = sim_machine_of(port);
	struct sim_core *core = &machine->core[warp->core];
	uint64_t bit = UINT64_C(1) << warp->index, now = sim_now(port);
	uint32_t slot;

	if (machine->pool) {
		machine->former->until(machine, warp, tick);
		return;
	}
	if (tick <= now) {
		warp->wait = SIM_READY;
		if (warp->memory) {
			core->in_memory--;
			warp->memory = false;
		}
		core->ready |= bit;
		core->woken |= bit;
		sim_wheel_wake(&machine->wheel, SIM_CORE, warp->core, now);
		return;
	}
	warp->wait = SIM_UNTIL;
	warp->ready_at = tick;
	if (tick - now >= SIM_TIMER)
		tick = now + SIM_TIMER - 1;
	slot = (uint32_t)tick % SIM_TIMER;
	core->timer[slot] |= bit;
	sim_wheel_wake(&machine->wheel, SIM_CORE, warp->core, tick);
}

void sim_warp_wait(struct sim_port *port, struct sim_warp *warp, enum sim_wait wait)
{
	sim_machine_of(port)->core[warp->core].ready &= ~(UINT64_C(1) << warp->index);
	warp->wait = wait;
}

void sim_core_at(struct sim_port *port, uint32_t index, uint64_t tick)
{
	struct sim_machine *machine = sim_machine_of(port);
	struct sim_core *core = &machine->core[index];

	if (tick >= core->unit_due)
		return;
	core->unit_due = tick;
	sim_wheel_wake(&machine->wheel, SIM_CORE, index, tick);
}

void sim_partition_at(struct sim_port *port, uint32_t index, uint64_t tick)
{
	struct sim_machine *machine = sim_machine_of(port);
	struct sim_partition *partition = &machine->partition[index];

	if (tick >= partition->unit_due)
		return;
	partition->unit_due = tick;
	sim_wheel_wake(&machine->wheel, SIM_PARTITION, index, tick);
}
