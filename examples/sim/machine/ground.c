/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that all parts of the machine use; they call none of these parts. */
#include "plain.h"
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
	uint64_t now = sim_now(port);
	uint32_t slot;

	if (machine->former->own) {
		machine->former->own->until(machine, warp, tick);
		return;
	}
	if (tick <= now) {
		bool late = machine->turn && machine->turn != core; /* its turn may be over */

		sim_warp_ready(machine, core, warp);
		sim_wheel_wake(&machine->wheel, &core->turn, now + late);
		return;
	}
	warp->wait = SIM_UNTIL;
	warp->ready_at = tick;
	if (tick - now >= SIM_TIMER)
		tick = now + SIM_TIMER - 1;
	slot = (uint32_t)tick % SIM_TIMER;
	core->timer[slot] |= UINT64_C(1) << warp->index;
	sim_wheel_wake(&machine->wheel, &core->turn, tick);
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
	sim_wheel_wake(&machine->wheel, &core->turn, tick);
}

void sim_partition_at(struct sim_port *port, uint32_t index, uint64_t tick)
{
	struct sim_machine *machine = sim_machine_of(port);
	struct sim_partition *partition = &machine->partition[index];

	if (tick >= partition->unit_due)
		return;
	partition->unit_due = tick;
	sim_wheel_wake(&machine->wheel, &partition->turn, tick);
}

void sim_holds_slot(struct sim_machine *machine, const struct sim_warp *warp, uint32_t cycles)
{
	uint32_t slot = warp->index & (machine->config.issue_slots - 1);

	cycles = cycles > machine->issue_cycles ? cycles : machine->issue_cycles;
	machine->core[warp->core].issue_free[slot] =
		machine->port.now + cycles * machine->port.core_ticks;
	machine->port.result.longer += cycles - machine->issue_cycles;
}

void sim_issues_for(struct sim_machine *machine, struct sim_warp *warp, uint32_t cycles,
		    uint64_t latency)
{
	sim_holds_slot(machine, warp, cycles);
	sim_warp_until(&machine->port, warp,
		       machine->port.now + latency * machine->port.core_ticks);
}

uint32_t sim_find_lines(struct sim_port *port, struct sim_warp *warp, bool write, uint64_t mask,
			struct gputm_access_coalescer_access *wide)
{
	struct gputm_access_coalescer *coalescer = sim_machine_of(port)->core[warp->core].coalescer;
	int count = gputm_access_coalescer_merge_row(coalescer, mask, warp->address,
						     write ? warp->value : NULL, wide, NULL);

	if (count < 0)
		sim_fail(port, count, "the program used an impossible address");
	return count < 0 ? 0 : (uint32_t)count;
}

bool sim_stores_done(const struct sim_machine *machine, struct sim_warp *warp)
{
	if (machine->former->stores_done ? machine->former->stores_done(machine, warp) :
					   !warp->stores)
		return true;
	warp->wait = SIM_STORES;
	return false;
}

void sim_stores_look(struct sim_machine *machine, struct sim_warp *warp)
{
	if (warp->wait == SIM_STORES && sim_stores_done(machine, warp))
		sim_warp_until(&machine->port, warp, machine->port.now +
			       (machine->plain ? sim_plain_rest(machine, warp) : 0));
}
