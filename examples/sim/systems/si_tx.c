/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshot isolation: attempts, from their begin until no lane of the warp is left. */
#include "logs.h"
#include "si_tm.h"

/* ---- IDs --------------------------------------------------------------------------------- */

static uint32_t take(struct si *si)
{
	uint32_t id = si->free_id[si->free_head];

	si->free_head = (si->free_head + 1) % si->ids;
	si->free_count--;
	return id;
}

/* ---- begin ------------------------------------------------------------------------------- */

/* Before the first instruction; the transaction itself begins when that issues. */
void sim_si_begin(struct sim_port *port, struct sim_warp *warp, bool again)
{
	(void)again;
	sim_si_warp(port, warp)->phase = SI_OUTSIDE;
}

/* Begin a transaction for one lane. False: the clocks must be restarted. */
static bool begin_lane(struct sim_port *port, struct si_warp *state, uint64_t lane,
		       uint64_t stamp)
{
	struct si *si = sim_si_of(port);
	uint32_t id = take(si);
	struct si_tx *tx = &si->tx[id];
	int result = si->detector->begin ? si->detector->begin(port, id, stamp) : 0;

	sim_must(port, result, "a transaction could not begin");
	if (result) {
		tx->state = SI_IDLE;
		si->free_id[(si->free_head + si->free_count++) % si->ids] = id;
		return false;
	}
	tx->state = SI_RUNNING;
	tx->time = sim_si_time(port);
	tx->snapshot = si->sealed;
	tx->held = 0;
	sim_si_version(si, si->sealed)->running++;
	si->running++;
	tx->warp = (uint32_t)(state - si->warp);
	tx->lane = (uint32_t)lane;
	state->tx[lane] = id;
	state->active |= UINT64_C(1) << lane;
	return true;
}

/* Are there transactions for this many lanes? */
static bool may_begin(struct sim_port *port, uint32_t lanes)
{
	struct si *si = sim_si_of(port);

	sim_si_look_at_time(port);
	return !si->restarting && !si->full && si->inside < si->most_inside &&
	       si->free_count >= lanes;
}

static bool begin_now(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);
	uint64_t lanes = gputm_simt_stack_active_mask(warp->stack), stamp;

	if (!may_begin(port, (uint32_t)__builtin_popcountll(lanes)))
		return false;
	state->phase = SI_INSIDE;
	si->inside++;
	stamp = gputm_version_table_start_stamp(si->versions, sim_si_time(port));
	for (SIM_EACH_LANE(lane, lanes)) {
		state->reason[lane] = SIM_ABORT_ROLLOVER;
		if (!si->restarting && !begin_lane(port, state, lane, stamp))
			sim_si_restart(port);
	}
	state->doomed = lanes & ~state->active;
	return true;
}

/* Let waiting warps begin, in their order. */
void sim_si_admit(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	while (si->waiting.count) {
		struct sim_warp *warp = &port->warp[si->waiting.warp[si->waiting.head]];

		if (!begin_now(port, warp))
			return;
		sim_si_line_pop(port, &si->waiting);
		sim_wake(port, warp, sim_now(port));
		sim_spends(port, warp, SIM_SPENT_TU);
	}
}

/* Before an instruction of a transaction issues. */
bool sim_si_watch(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);

	if (state->phase == SI_OUTSIDE && (si->waiting.count || !begin_now(port, warp))) {
		state->phase = SI_WAITING;
		sim_si_line_push(port, &si->waiting, warp->number);
		sim_wait(port, warp, SIM_SYSTEM);
		sim_spends(port, warp, SIM_SPENT_TC);
		sim_si_poke(port);
		return true;
	}
	if (!state->doomed)
		return false;
	sim_si_abort_doomed(port, warp);
	if (gputm_simt_stack_tx_running(warp->stack))
		return false;
	sim_si_over(port, warp);
	return true;
}

/* ---- abort ------------------------------------------------------------------------------- */

void sim_si_abort_doomed(struct sim_port *port, struct sim_warp *warp)
{
	struct si_warp *state = sim_si_warp(port, warp);

	for (SIM_EACH_LANE(lane, state->doomed))
		sim_tx_abort(port, warp, UINT64_C(1) << lane,
			     (enum sim_abort_reason)state->reason[lane]);
	state->failed |= state->doomed != 0;
	state->doomed = 0;
}

/* ---- the end of an attempt --------------------------------------------------------------- */

/* No lane is left; answers to claims may still be outstanding. */
void sim_si_over(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);
	uint64_t wait = (uint64_t)si->config->system.backoff * warp->aborts;

	if (state->claims) {
		state->phase = SI_CLAIMING;
		sim_wait(port, warp, SIM_SYSTEM);
		return;
	}
	sim_log_restart(port, si->log[warp->number], sim_all_lanes(port));
	if (wait > si->config->system.most_backoff)
		wait = si->config->system.most_backoff;
	if (!state->failed)
		wait = 0;
	state->failed = state->voted = false;
	state->phase = SI_OUTSIDE;
	si->inside--;
	if (si->waiting.count || si->restarting)
		sim_si_poke(port);
	sim_tx_over(port, warp, sim_now(port) + (1 + wait) * port->core_ticks);
}
