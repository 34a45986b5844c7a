/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The former of static warps: a SIMT stack for each warp, with reconvergence at immediate
 * post-dominators and, if asked for, at likely-convergence points (thesis 2.3.3, 3.4). A stack
 * moves on when the instruction issues.
 */
#include "wiring.h"

SIM_UNIT_KIND(simt_stack, SIM_OF_WARP);

static int make(struct sim_machine *machine)
{
	uint32_t warps = machine->config.cores * machine->config.warps;
	int error = 0;

	for (uint32_t i = 0; !error && i < warps; i++)
		error = sim_unit_add(&machine->port, "simt_stack", &kind_simt_stack,
				     &machine->stack_config, &machine->port.warp[i].stack);
	return error;
}

static void launch(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes)
{
	if (gputm_simt_stack_launch(warp->stack, 0, lanes))
		sim_fail(&machine->port, -EINVAL, "a warp could not be launched");
}

static void go(struct sim_machine *machine, struct sim_warp *warp, uint64_t next)
{
	if (gputm_simt_stack_proceed(warp->stack, next) < 0)
		sim_fail(&machine->port, -EINVAL, "the SIMT stack refused to advance");
}

static void branch(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t taken)
{
	const struct sim_instr *instr = &machine->port.program->code[pc];
	uint64_t active = sim_active(warp), after = sim_pc_after(&machine->port, pc);
	struct gputm_simt_stack_target target[2] = { { after, active & ~taken },
						     { instr->target, taken } };
	int result;

	if (!taken || taken == active) {
		go(machine, warp, taken ? instr->target : after);
		return;
	}
	result = gputm_simt_stack_diverge(warp->stack, target, 2, instr->meet,
					  instr->likely ? instr->likely : GPUTM_SIMT_STACK_NO_PC);
	if (result == GPUTM_SIMT_STACK_FULL && machine->plain)
		sim_fail_at(&machine->port, pc, -EINVAL,
			    "the SIMT stack is full (simt_stack.depth)");
	else if (result < 0 || result == GPUTM_SIMT_STACK_FULL)
		sim_fail(&machine->port, -EINVAL, "the SIMT stack refused a branch of the program");
}

static bool leave(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t lanes,
		  uint64_t *ended)
{
	int result = GPUTM_SIMT_STACK_CONTINUE;

	if (lanes) {
		sim_living(&machine->port, warp, warp->ledger.live & ~lanes);
		result = gputm_simt_stack_exit(warp->stack, lanes);
	}
	if (result < 0)
		sim_fail(&machine->port, -EINVAL, "a thread could not end");
	else if (result == GPUTM_SIMT_STACK_CONTINUE)
		go(machine, warp, sim_pc_after(&machine->port, pc));
	if (result == GPUTM_SIMT_STACK_FINISH)
		*ended = UINT64_C(1) << warp->index;
	return result != GPUTM_SIMT_STACK_FINISH;
}

/* Where the lanes of the top entry meet again: at the end of the innermost branch, or where the
 * transaction commits. */
static uint64_t meeting_of(const struct sim_machine *machine, const struct sim_warp *warp,
			   uint32_t pc)
{
	struct gputm_simt_stack_entry top;

	gputm_simt_stack_top(warp->stack, &top);
	if (top.type == GPUTM_SIMT_STACK_TYPE_NORMAL)
		return top.rpc;
	while (machine->port.program->code[pc].op != SIM_TX_COMMIT)
		pc++;
	return pc;
}

static bool park(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t lanes)
{
	const struct gputm_simt_stack_target target[2] = {
		{ pc, lanes }, { pc, sim_active(warp) & ~lanes },
	};
	int result = gputm_simt_stack_diverge(warp->stack, target, 2,
					      meeting_of(machine, warp, pc),
					      GPUTM_SIMT_STACK_NO_PC);

	if (result < 0)
		sim_fail(&machine->port, -EINVAL, "lanes could not be parked");
	return result == GPUTM_SIMT_STACK_SWITCH;
}

static void places_of_warp(const struct sim_warp *warp, sim_place *place, void *state)
{
	struct gputm_simt_stack_entry entry;
	uint32_t slots = warp->plain; /* of the instruction, which the warp has had */
	uint64_t seen = 0;

	for (size_t i = gputm_simt_stack_depth(warp->stack);
	     i-- && !gputm_simt_stack_get_entry(warp->stack, i, &entry); slots = 0) {
		for (SIM_EACH_LANE(lane, entry.mask & ~seen))
			place(state, warp->thread[lane], (uint32_t)entry.pc + slots);
		seen |= entry.mask;
	}
}

static void places(struct sim_machine *machine, uint32_t core, sim_place *place, void *state)
{
	const struct sim_warp *warp = machine->core[core].warp;

	for (uint32_t i = 0; i < machine->config.warps; i++)
		if (warp[i].wait != SIM_FREE)
			places_of_warp(&warp[i], place, state);
}

const struct sim_former sim_stacks = {
	.at_once = true, .make = make, .launch = launch, .go = go, .branch = branch, .exit = leave,
	.park = park, .places = places,
};
