/* SPDX-License-Identifier: BSD-2-Clause */
/* What all transactional systems share on the core: admission, registers, restart. */
#include <string.h>

#include "wiring.h"

/* The first warp that waits for admission would be admitted now: let it ask again. */
static void admit_next(struct sim_machine *machine, const struct sim_core *core)
{
	uint32_t waiting;

	if (gputm_tx_throttle_next(core->throttle, &waiting) &&
	    core->warp[waiting].wait == SIM_THROTTLE)
		sim_warp_until(machine, &core->warp[waiting], sim_now(machine));
}

static void start_attempt(struct sim_machine *machine, struct sim_warp *warp, bool again)
{
	warp->started = sim_now(machine);
	warp->inside = gputm_simt_stack_active_mask(warp->stack);
	if (machine->ops->begin)
		machine->ops->begin(machine, warp, again);
}

/* True when the warp may go on; else it waits for admission or for the system. */
bool sim_tx_begin(struct sim_machine *machine, struct sim_warp *warp, uint64_t pc)
{
	struct sim_core *core = &machine->core[warp->core];
	uint64_t now = sim_now(machine);

	if (!warp->asked)
		warp->asked = now + 1;
	if (gputm_tx_throttle_admit(core->throttle, warp->index) != GPUTM_TX_THROTTLE_ADMITTED) {
		warp->wait = SIM_THROTTLE;
		return false;
	}
	machine->result.tx_wait_cycles += (now + 1 - warp->asked) / machine->core_ticks;
	warp->asked = 0;
	warp->admitted = now;
	admit_next(machine, core);
	for (SIM_EACH_LANE(lane, gputm_simt_stack_active_mask(warp->stack))) {
		warp->lane[lane].attempt = 0;
		warp->saved[lane] = warp->lane[lane];
	}
	if (gputm_simt_stack_tx_begin(warp->stack, pc + 1) != GPUTM_SIMT_STACK_SWITCH)
		sim_fail(machine, -EINVAL, "a transaction could not begin");
	warp->in_tx = true;
	warp->aborts = 0;
	warp->wait = SIM_READY;
	start_attempt(machine, warp, false);
	return warp->wait == SIM_READY;
}

void sim_tx_abort(struct sim_machine *machine, struct sim_warp *warp, uint64_t mask,
		  enum sim_abort_reason reason)
{
	const struct sim_observer *observer = machine->options.observer;
	uint64_t count = (uint64_t)__builtin_popcountll(mask);

	machine->result.aborted += count;
	machine->result.aborted_by_reason[reason] += count;
	if (gputm_simt_stack_tx_abort(warp->stack, mask) < 0)
		sim_fail(machine, -EINVAL, "lanes could not be aborted");
	for (SIM_EACH_LANE(lane, mask)) {
		uint32_t attempt = warp->lane[lane].attempt + 1;

		warp->lane[lane] = warp->saved[lane];
		warp->lane[lane].attempt = attempt;
		if (attempt > warp->aborts)
			warp->aborts = attempt;
		if (observer)
			observer->abort(observer->state, warp->lane[lane].thread, reason);
	}
}

void sim_tx_commit(struct sim_machine *machine, struct sim_warp *warp, uint64_t mask,
		   const uint64_t witness[])
{
	const struct sim_observer *observer = machine->options.observer;

	machine->result.committed += (uint64_t)__builtin_popcountll(mask);
	if (gputm_simt_stack_tx_commit(warp->stack, mask, warp->pc_after) < 0)
		sim_fail(machine, -EINVAL, "lanes could not commit");
	for (SIM_EACH_LANE(lane, observer ? mask : 0))
		observer->commit(observer->state, warp->lane[lane].thread, witness[lane]);
}

bool sim_tx_over(struct sim_machine *machine, struct sim_warp *warp, uint64_t tick)
{
	struct sim_core *core = &machine->core[warp->core];
	uint64_t end = tick > sim_now(machine) ? tick : sim_now(machine);
	int result = gputm_simt_stack_tx_commit_done(warp->stack);

	sim_warp_until(machine, warp, tick);
	if (result == GPUTM_SIMT_STACK_RESTART) {
		start_attempt(machine, warp, true);
		return true;
	}
	if (result != GPUTM_SIMT_STACK_LEAVE ||
	    gputm_tx_throttle_leave(core->throttle, warp->index))
		sim_fail(machine, -EINVAL, "a warp could not leave its transaction");
	machine->result.tx_exec_cycles += (end - warp->admitted) / machine->core_ticks;
	warp->in_tx = false;
	warp->inside = 0;
	admit_next(machine, core);
	return false;
}
