/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places of warps on a core: blocks of threads become resident warps and leave when all their warps
 * have ended; and warps wait for admission to transactions.
 */
#include <string.h>

#include "plain.h"
#include "wiring.h"

/* Set the special values of the threads of a warp. */
static void introduce(struct sim_machine *machine, struct sim_warp *warp, uint32_t thread)
{
	const struct sim_program *program = machine->port.program;
	uint16_t id = program->id ? program->special[SIM_OWN_ID] : SIM_NO_REGISTER;

	memset(warp->reg, 0, program->registers * sizeof *warp->reg * SIM_MAX_LANES);
	warp->due = 0;
	warp->stray = 0;
	sim_introduce(program->special, warp->reg, SIM_MAX_LANES, thread, machine->config.lanes,
		      machine->launch.block_size, machine->config.lanes, program->device);
	for (SIM_EACH_LANE(l, id == SIM_NO_REGISTER ? 0 : warp->whole))
		warp->reg[id * SIM_MAX_LANES + l] = program->id[thread + l];
}

static void launch(struct sim_machine *machine, struct sim_core *core, uint64_t thread,
		   uint32_t count, uint32_t block)
{
	uint64_t cycle = machine->port.now / machine->port.core_ticks;
	uint64_t mask = ~UINT64_C(0) >> (64 - count);
	struct sim_warp *warp = core->warp;

	warp += machine->plain ? block * machine->plain->block_warps : 0;
	while (warp->wait != SIM_FREE && warp->index + 1u < machine->config.warps)
		warp++;
	memset(warp->attempt, 0, sizeof warp->attempt);
	memset(warp->loaded, 0, sizeof warp->loaded);
	for (uint32_t i = 0; i < SIM_MAX_LANES; i++)
		warp->thread[i] = i < count ? (uint32_t)thread + i : 0;
	memset(warp->home, warp->index, sizeof warp->home);
	warp->block = (uint8_t)block;
	warp->inside = 0;
	warp->pc = 0;
	if (machine->plain && !machine->former->own)
		sim_doing_of(machine, warp)->pc = 0;
	warp->whole = (uint32_t)mask;
	introduce(machine, warp, (uint32_t)thread);
	if (machine->former->launch)
		machine->former->launch(machine, warp, mask);
	sim_scheduler_launch(&core->scheduler, warp->index);
	sim_living(&machine->port, warp, mask);
	if (core->free_warps == machine->config.warps && cycle > core->empty_since)
		machine->port.result.empty += cycle - core->empty_since;
	core->free_warps--;
	if (machine->former->own) { /* a home of threads */
		warp->wait = SIM_APART;
		sim_wheel_wake(&machine->wheel, &core->turn, machine->port.now);
	} else {
		sim_warp_until(&machine->port, warp, 0);
	}
}

void sim_core_fill(struct sim_machine *machine, uint32_t index)
{
	struct sim_core *core = &machine->core[index];
	uint32_t lanes = machine->config.lanes, size = machine->launch.block_size;
	uint32_t warps = (size + lanes - 1) / lanes;

	while (core->blocks.next < machine->blocks && core->blocks.count < machine->config.blocks &&
	       (machine->plain || core->free_warps >= warps)) {
		uint64_t first = core->blocks.next * size;
		uint64_t last = sim_earlier(first + size, machine->launch.threads);
		uint32_t block = sim_blocks_take(&core->blocks,
						 (uint32_t)((last - first + lanes - 1) / lanes),
						 machine->config.cores);

		memset(sim_shared_of(machine, index, block), 0,
		       machine->port.program->shared_words * sizeof *machine->shared);
		if (machine->plain)
			sim_plain_block_begins(machine, index, block, (uint32_t)(first / size));
		for (; first < last; first += lanes)
			launch(machine, core, first,
			       last - first < lanes ? (uint32_t)(last - first) : lanes, block);
		if (machine->plain)
			sim_plain_look(machine, index);
	}
}

void sim_barrier_look(struct sim_machine *machine, uint32_t index, uint32_t block)
{
	struct sim_core *core = &machine->core[index];
	uint64_t mine = 0, waiting = 0, tick = machine->port.now;

	for (uint32_t i = 0; i < sim_used_warps(&machine->port, index); i++) {
		const struct sim_warp *warp = &core->warp[i];

		if (warp->wait == SIM_FREE || warp->block != block)
			continue;
		mine |= UINT64_C(1) << i;
		waiting |= (uint64_t)(warp->wait == SIM_AT_BARRIER) << i;
		tick = sim_later(tick, machine->plain ? warp->ready_at :
							machine->port.now + sim_pipeline(machine));
	}
	for (SIM_EACH_LANE(i, mine == waiting ? mine : 0)) {
		sim_spends(&machine->port, &core->warp[i], SIM_SPENT_NL);
		sim_warp_until(&machine->port, &core->warp[i], tick);
	}
}

bool sim_block_left(struct sim_machine *machine, struct sim_warp *first, uint64_t warps)
{
	struct sim_core *core = &machine->core[first->core];
	uint32_t ended = (uint32_t)__builtin_popcountll(warps);

	machine->run.last_work = machine->port.now;
	if (!machine->plain) { /* its last issue ends with the warp */
		machine->port.result.longer -= machine->issue_cycles - 1;
		machine->run.last_work += machine->port.core_ticks;
	}
	for (SIM_EACH_LANE(i, warps))
		core->warp[i].wait = SIM_FREE;
	core->free_warps += ended;
	if (!sim_blocks_leave(&core->blocks, first->block, ended))
		return false;
	if (machine->plain)
		sim_plain_block_ended(machine, first->core, first->block);
	if (core->free_warps == machine->config.warps)
		core->empty_since = machine->port.now / machine->port.core_ticks + 1;
	return true;
}

void sim_block_ended(struct sim_machine *machine, struct sim_warp *first, uint64_t warps)
{
	if (sim_block_left(machine, first, warps))
		sim_core_fill(machine, first->core);
	else
		sim_barrier_look(machine, first->core, first->block);
}

/* ---- transactions ----------------------------------------------------------------------- */

/* The first warp that waits for admission could be admitted now: let it ask again. */
static void admit_next(struct sim_machine *machine, const struct sim_core *core)
{
	uint32_t waiting;

	if (gputm_tx_throttle_next_warp(core->throttle, &waiting) &&
	    core->warp[waiting].wait == SIM_THROTTLE)
		sim_warp_until(&machine->port, &core->warp[waiting], machine->port.now);
}

bool sim_warp_admitted(struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_core *core = &machine->core[warp->core];
	uint64_t now = machine->port.now;

	if (!warp->asked)
		warp->asked = now + 1;
	if (gputm_tx_throttle_admit(core->throttle, warp->index) != GPUTM_TX_THROTTLE_ADMITTED) {
		warp->wait = SIM_THROTTLE;
		sim_spends(&machine->port, warp, SIM_SPENT_TC);
		return false;
	}
	machine->port.result.tx_wait_cycles += (now + 1 - warp->asked) / machine->port.core_ticks;
	warp->asked = 0;
	warp->admitted = now;
	admit_next(machine, core);
	return true;
}

void sim_warp_outcome(struct sim_port *port, struct sim_warp *warp, uint32_t commits,
		      uint32_t aborts)
{
	const struct sim_core *core = &sim_machine_of(port)->core[warp->core];
	int move = gputm_tx_throttle_report(core->throttle, commits, aborts,
					    warp->started / port->core_ticks,
					    port->now / port->core_ticks);

	if (move < 0)
		sim_fail(port, -EINVAL, "the limit of transactions refused an outcome");
	if (move == GPUTM_TX_THROTTLE_RAISED)
		admit_next(sim_machine_of(port), core);
}

void sim_warp_left(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	const struct sim_core *core = &sim_machine_of(port)->core[warp->core];
	uint64_t end = tick > sim_now(port) ? tick : sim_now(port);

	if (gputm_tx_throttle_leave(core->throttle, warp->index))
		sim_fail(port, -EINVAL, "a warp could not leave its transaction");
	port->result.tx_exec_cycles += (end - warp->admitted) / port->core_ticks;
	admit_next(sim_machine_of(port), core);
}
