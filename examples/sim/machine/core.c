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

static int core_make(struct sim_machine *machine, uint32_t index)
{
	struct sim_core *core = &machine->core[index];
	uint32_t cores = machine->config.cores;

	core->next_block = (index + cores - 1) % cores;
	core->free_warps = machine->config.warps;
	core->unit_due = SIM_NEVER;
	core->warp = calloc(machine->config.warps, sizeof *core->warp);
	if (!core->warp)
		return -ENOMEM;
	for (uint32_t i = 0; i < machine->config.warps; i++) {
		int error = sim_unit_add(machine, "simt_stack", &kind_simt_stack,
					 &machine->stack_config, &core->warp[i].stack);

		if (error)
			return error;
		core->warp[i].core = (uint8_t)index;
		core->warp[i].index = (uint8_t)i;
	}
	return 0;
}

/* Units come in the order of their roles: stacks, coalescers, throttles. */
int sim_cores_make(struct sim_machine *machine)
{
	int error = 0;

	machine->core = calloc(machine->config.cores, sizeof *machine->core);
	if (!machine->core)
		return -ENOMEM;
	for (uint32_t i = 0; !error && i < machine->config.cores; i++)
		error = core_make(machine, i);
	for (uint32_t i = 0; !error && i < machine->config.cores; i++)
		error = sim_unit_add(machine, "access_coalescer", &kind_access_coalescer,
				     &machine->coalescer_config, &machine->core[i].coalescer);
	for (uint32_t i = 0; !error && i < machine->config.cores; i++)
		error = sim_unit_add(machine, "tx_throttle", &kind_tx_throttle,
				     &machine->throttle_config, &machine->core[i].throttle);
	return error;
}

void sim_cores_free(struct sim_machine *machine)
{
	for (uint32_t i = 0; machine->core && i < machine->config.cores; i++)
		free(machine->core[i].warp);
	free(machine->core);
}

/* ---- blocks ------------------------------------------------------------------------ */

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

/* ---- ready and waiting ------------------------------------------------------------------ */

void sim_warp_until(struct sim_machine *machine, struct sim_warp *warp, uint64_t tick)
{
	struct sim_core *core = &machine->core[warp->core];
	uint64_t bit = UINT64_C(1) << warp->index, now = sim_now(machine);
	uint32_t slot;

	if (tick <= now) {
		warp->wait = SIM_READY;
		core->ready |= bit;
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

void sim_warp_wait(struct sim_machine *machine, struct sim_warp *warp, enum sim_wait wait)
{
	machine->core[warp->core].ready &= ~(UINT64_C(1) << warp->index);
	warp->wait = wait;
}

static void timers(struct sim_machine *machine, struct sim_core *core)
{
	uint64_t *timer = &core->timer[sim_now(machine) % SIM_TIMER], mask = *timer;

	*timer = 0;
	for (SIM_EACH_LANE(i, mask))
		if (core->warp[i].wait == SIM_UNTIL)
			sim_warp_until(machine, &core->warp[i], core->warp[i].ready_at);
}

static void access_done(struct sim_machine *machine, struct sim_warp *warp)
{
	if (warp->in_tx && machine->ops->loaded) {
		machine->ops->loaded(machine, warp);
		return;
	}
	if (warp->op == SIM_LOAD)
		sim_tell_load(machine, warp, warp->mask & warp->inside);
	sim_warp_until(machine, warp, sim_now(machine));
}

void sim_core_accept(struct sim_machine *machine, const struct sim_message *message)
{
	struct sim_warp *warp = sim_warp_of(machine, message->core, message->warp);

	machine->last_work = sim_now(machine);
	if (message->what >= SIM_DO_SYSTEM) {
		machine->ops->at_core(machine, message);
	} else if (message->what == SIM_DO_STORE) {
		if (!--warp->stores && warp->wait == SIM_STORES)
			sim_warp_until(machine, warp, sim_now(machine));
	} else if (!--warp->outstanding) {
		access_done(machine, warp);
	}
}

void sim_call_core(struct sim_machine *machine, uint32_t index, uint64_t tick)
{
	struct sim_core *core = &machine->core[index];

	if (tick >= core->unit_due)
		return;
	core->unit_due = tick;
	sim_wheel_wake(&machine->wheel, SIM_CORE, index, tick);
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
	core->issue_free = sim_now(machine) + machine->core_ticks;
	machine->result.instructions++;
	sim_issue(machine, &core->warp[index]);
}

void sim_core_call(struct sim_machine *machine, uint32_t index)
{
	struct sim_core *core = &machine->core[index];
	uint64_t now = sim_now(machine), next;

	timers(machine, core);
	if (core->unit_due <= now) {
		core->unit_due = SIM_NEVER;
		sim_call_core(machine, index, machine->ops->core_tick(machine, index));
	}
	if (core->ready && core->issue_free <= now && now % machine->core_ticks == 0)
		issue(machine, core);
	sim_wheel_wake(&machine->wheel, SIM_CORE, index, core->unit_due);
	if (!core->ready)
		return;
	next = core->issue_free > now ? core->issue_free : now + 1;
	sim_wheel_wake(&machine->wheel, SIM_CORE, index, sim_align(next, machine->core_ticks));
}
