/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cores: blocks of threads become resident warps, one warp instruction issues per core
 * cycle in loose round robin, and replies and timers make warps ready again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wiring.h"

SIM_UNIT_KIND(simt_stack);
SIM_UNIT_KIND(access_coalescer);
SIM_UNIT_KIND(tx_throttle);

/* Of all warps in one piece, of which the host touches those of warps that run. */
static bool give_registers(struct sim_machine *machine)
{
	const struct sim_program *program = machine->program;
	size_t rows = program->registers + program->kept_count + 1;
	size_t warps = (size_t)machine->config.cores * machine->config.warps;

	free(machine->registers);
	free(machine->stray);
	machine->registers = calloc(warps * rows, SIM_MAX_LANES * sizeof *machine->registers);
	machine->stray = malloc(warps * SIM_MAX_LANES * sizeof *machine->stray);
	if (!machine->registers || !machine->stray)
		return false;
	for (size_t i = 0; i < warps; i++) {
		struct sim_warp *warp = &machine->port.warp[i];

		warp->reg = machine->registers + i * rows * SIM_MAX_LANES;
		warp->kept = warp->reg + program->registers * SIM_MAX_LANES;
		warp->stray_of = machine->stray + i * SIM_MAX_LANES;
	}
	return true;
}

int sim_cores_launch(struct sim_machine *machine)
{
	uint32_t cores = machine->config.cores;

	for (uint32_t i = 0; i < cores; i++)
		machine->core[i].next_block = (i + cores - 1) % cores;
	return machine->program->eval_warp && !give_registers(machine) ? -ENOMEM : 0;
}

static int core_make(struct sim_machine *machine, uint32_t index)
{
	struct sim_core *core = &machine->core[index];

	core->free_warps = machine->config.warps;
	core->unit_due = SIM_NEVER;
	core->warp = sim_warp_of(&machine->port, index, 0);
	for (uint32_t i = 0; i < machine->config.warps; i++) {
		int error = sim_unit_add(&machine->port, "simt_stack", &kind_simt_stack,
					 &machine->stack_config, &core->warp[i].stack);

		if (error)
			return error;
		core->warp[i].core = (uint8_t)index;
		core->warp[i].index = (uint8_t)i;
		core->warp[i].number = index * machine->config.warps + i;
	}
	return 0;
}

/* Units come in the order of their roles: stacks, coalescers, throttles. */
int sim_cores_make(struct sim_machine *machine)
{
	int error = 0;

	machine->core = calloc(machine->config.cores, sizeof *machine->core);
	machine->port.warp = calloc((size_t)machine->config.cores * machine->config.warps,
				    sizeof *machine->port.warp);
	if (!machine->core || !machine->port.warp)
		return -ENOMEM;
	for (uint32_t i = 0; !error && i < machine->config.cores; i++)
		error = core_make(machine, i);
	for (uint32_t i = 0; !error && i < machine->config.cores; i++)
		error = sim_unit_add(&machine->port, "access_coalescer", &kind_access_coalescer,
				     &machine->coalescer_config, &machine->core[i].coalescer);
	for (uint32_t i = 0; !error && i < machine->config.cores; i++)
		error = sim_unit_add(&machine->port, "tx_throttle", &kind_tx_throttle,
				     &machine->throttle_config, &machine->core[i].throttle);
	return error;
}

void sim_cores_free(struct sim_machine *machine)
{
	free(machine->registers);
	free(machine->stray);
	free(machine->port.warp);
	free(machine->core);
}

/* ---- ready and waiting ------------------------------------------------------------------ */

static void timers(struct sim_machine *machine, struct sim_core *core)
{
	uint64_t *timer = &core->timer[machine->port.now % SIM_TIMER], mask = *timer;

	*timer = 0;
	for (SIM_EACH_LANE(i, mask))
		if (core->warp[i].wait == SIM_UNTIL)
			sim_warp_until(&machine->port, &core->warp[i], core->warp[i].ready_at);
}

static void access_done(struct sim_machine *machine, struct sim_warp *warp)
{
	if (warp->in_tx && warp->op != SIM_ADD && machine->port.ops->loaded) {
		machine->port.ops->loaded(&machine->port, warp);
		return;
	}
	if (warp->op == SIM_LOAD)
		sim_tell_load(&machine->port, warp, warp->mask & warp->inside);
	sim_warp_until(&machine->port, warp, machine->port.now);
}

void sim_core_accept(struct sim_machine *machine, const struct sim_message *message)
{
	struct sim_warp *warp = sim_warp_of(&machine->port, message->core, message->warp);

	machine->last_work = machine->port.now;
	if (message->what >= SIM_DO_SYSTEM) {
		machine->port.ops->at_core(&machine->port, message);
	} else if (message->what == SIM_DO_STORE) {
		if (!--warp->stores && warp->wait == SIM_STORES)
			sim_warp_until(&machine->port, warp, machine->port.now);
	} else if (!--warp->outstanding) {
		access_done(machine, warp);
	}
}

/* Next ready warp after the one that issued last. */
static uint32_t pick(const struct sim_core *core)
{
	uint64_t above = core->last == 63 ? 0 : core->ready >> (core->last + 1) << (core->last + 1);

	return (uint32_t)__builtin_ctzll(above ? above : core->ready);
}

static void issue(struct sim_machine *machine, struct sim_core *core)
{
	uint32_t index = pick(core);

	core->last = index;
	core->ready &= ~(UINT64_C(1) << index);
	core->issue_free = machine->port.now + machine->port.core_ticks;
	machine->port.result.instructions++;
	sim_issue(machine, &core->warp[index]);
}

void sim_core_call(struct sim_machine *machine, uint32_t index)
{
	struct sim_core *core = &machine->core[index];
	uint64_t now = machine->port.now, next;

	timers(machine, core);
	if (core->unit_due <= now) {
		core->unit_due = SIM_NEVER;
		sim_core_at(&machine->port, index,
			    machine->port.ops->core_tick(&machine->port, index));
	}
	if (core->ready && core->issue_free <= now && now % machine->port.core_ticks == 0)
		issue(machine, core);
	sim_wheel_wake(&machine->wheel, SIM_CORE, index, core->unit_due);
	if (!core->ready)
		return;
	next = core->issue_free > now ? core->issue_free : now + 1;
	sim_wheel_wake(&machine->wheel, SIM_CORE, index, sim_align(next, machine->port.core_ticks));
}
