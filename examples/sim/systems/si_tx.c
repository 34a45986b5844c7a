/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshot isolation: transactions from their begin until nobody needs to know of them. */
#include <stdlib.h>

#include "si_tm.h"

bool sim_si_words_add(struct si_words *words, uint64_t address)
{
	if (words->count == words->capacity) {
		uint32_t capacity = words->capacity ? 2 * words->capacity : 8;
		uint64_t *grown = realloc(words->address, capacity * sizeof *grown);

		if (!grown)
			return false;
		words->address = grown;
		words->capacity = capacity;
	}
	words->address[words->count++] = address;
	return true;
}

/* ---- IDs --------------------------------------------------------------------------------- */

static uint32_t take(struct si *si)
{
	uint32_t id = si->free_id[si->free_head];

	si->free_head = (si->free_head + 1) % si->ids;
	si->free_count--;
	return id;
}

/* The instance is forgotten. */
void sim_si_give(struct sim_machine *machine, uint32_t id)
{
	struct si *si = sim_si_of(machine);
	struct si_tx *tx = &si->tx[id];

	si->running -= tx->state == SI_RUNNING;
	si->retained -= tx->state == SI_COMMITTED;
	tx->state = SI_IDLE;
	tx->reads.count = tx->writes.count = 0;
	si->free_id[(si->free_head + si->free_count++) % si->ids] = id;
	if (si->waiting.count)
		sim_si_poke(machine);
}

/* ---- begin ------------------------------------------------------------------------------- */

/* Before the first instruction; the rest is done when that issues. */
void sim_si_begin(struct sim_machine *machine, struct sim_warp *warp, bool again)
{
	(void)again;
	sim_si_warp(machine, warp)->phase = SI_OUTSIDE;
}

/* One lane. False: the clocks must start again. */
static bool begin_lane(struct sim_machine *machine, struct si_warp *state, uint64_t lane,
		       uint64_t stamp)
{
	struct si *si = sim_si_of(machine);
	uint32_t id = take(si);
	struct si_tx *tx = &si->tx[id];
	int result = si->detector->begin(machine, id, stamp);

	sim_must(machine, result, "a transaction could not begin");
	if (result) {
		tx->state = SI_IDLE;
		si->free_id[(si->free_head + si->free_count++) % si->ids] = id;
		return false;
	}
	tx->state = SI_RUNNING;
	tx->time = sim_si_time(machine);
	tx->snapshot = si->sealed;
	tx->held = 0;
	sim_si_version(si, si->sealed)->running++;
	si->running++;
	state->tx[lane] = id;
	state->active |= UINT64_C(1) << lane;
	return true;
}

/* Can there be a transaction for so many lanes? */
static bool may_begin(struct sim_machine *machine, uint32_t lanes)
{
	struct si *si = sim_si_of(machine);

	sim_si_look_at_time(machine);
	return !si->restarting && !si->full && si->inside < si->most_inside &&
	       si->free_count >= lanes;
}

static bool begin_now(struct sim_machine *machine, struct sim_warp *warp)
{
	struct si *si = sim_si_of(machine);
	struct si_warp *state = sim_si_warp(machine, warp);
	uint64_t lanes = gputm_simt_stack_active_mask(warp->stack), stamp;

	if (!may_begin(machine, (uint32_t)__builtin_popcountll(lanes)))
		return false;
	state->phase = SI_INSIDE;
	si->inside++;
	stamp = gputm_version_table_start_stamp(si->versions, sim_si_time(machine));
	for (SIM_EACH_LANE(lane, lanes)) {
		state->reason[lane] = SIM_ABORT_ROLLOVER;
		if (!si->restarting && !begin_lane(machine, state, lane, stamp))
			sim_si_restart(machine);
	}
	state->doomed = lanes & ~state->active;
	return true;
}

/* Those that wait, in their order. */
void sim_si_admit(struct sim_machine *machine)
{
	struct si *si = sim_si_of(machine);

	while (si->waiting.count) {
		struct sim_warp *warp =
			sim_si_machine_warp(machine, si->waiting.warp[si->waiting.head]);

		if (!begin_now(machine, warp))
			return;
		sim_si_line_pop(machine, &si->waiting);
		sim_warp_until(machine, warp, sim_now(machine));
	}
}

/* Before an instruction of a transaction issues. */
bool sim_si_watch(struct sim_machine *machine, struct sim_warp *warp)
{
	struct si *si = sim_si_of(machine);
	struct si_warp *state = sim_si_warp(machine, warp);

	if (state->phase == SI_OUTSIDE && (si->waiting.count || !begin_now(machine, warp))) {
		state->phase = SI_WAITING;
		sim_si_line_push(machine, &si->waiting, sim_warp_number(machine, warp));
		sim_warp_wait(machine, warp, SIM_SYSTEM);
		sim_si_poke(machine);
		return true;
	}
	if (!state->doomed)
		return false;
	sim_si_abort_doomed(machine, warp);
	if (gputm_simt_stack_tx_running(warp->stack))
		return false;
	sim_si_over(machine, warp);
	return true;
}

/* ---- abort ------------------------------------------------------------------------------- */

/* It reads no more: the references to versions go back. */
void sim_si_leave(struct sim_machine *machine, uint32_t id)
{
	struct si *si = sim_si_of(machine);
	struct si_tx *tx = &si->tx[id];

	for (SIM_EACH_LANE(region, tx->held))
		sim_must(machine,
			 gputm_version_table_release(si->versions, (uint32_t)region,
						     tx->slot[region]),
			 "a reference to a version was not there");
	if (tx->held)
		sim_si_poke(machine);
	tx->held = 0;
}

/* All that the tables know of it goes at once; the lane aborts when its warp can. */
void sim_si_doom(struct sim_machine *machine, struct si_warp *state, uint32_t lane,
		 enum sim_abort_reason reason)
{
	struct si *si = sim_si_of(machine);
	uint64_t bit = UINT64_C(1) << lane;
	uint32_t id = state->tx[lane];

	if (!(state->active & bit))
		return;
	state->active &= ~bit;
	state->doomed |= bit;
	state->reason[lane] = (uint8_t)reason;
	sim_si_leave(machine, id);
	sim_si_version(si, si->tx[id].snapshot)->running--;
	si->detector->abort(machine, id);
	sim_si_give(machine, id);
	sim_si_reclaim(machine);
}

void sim_si_doom_all(struct sim_machine *machine)
{
	struct si *si = sim_si_of(machine);

	for (uint32_t i = 0; i < machine->config.cores * machine->config.warps; i++)
		for (SIM_EACH_LANE(lane, si->warp[i].active))
			sim_si_doom(machine, &si->warp[i], (uint32_t)lane, SIM_ABORT_ROLLOVER);
}

void sim_si_abort_doomed(struct sim_machine *machine, struct sim_warp *warp)
{
	struct si_warp *state = sim_si_warp(machine, warp);

	for (SIM_EACH_LANE(lane, state->doomed))
		sim_tx_abort(machine, warp, UINT64_C(1) << lane,
			     (enum sim_abort_reason)state->reason[lane]);
	state->failed |= state->doomed != 0;
	state->doomed = 0;
}

/* ---- the end of an attempt --------------------------------------------------------------- */

/* No lane is left; answers to claims may be. */
void sim_si_over(struct sim_machine *machine, struct sim_warp *warp)
{
	struct si *si = sim_si_of(machine);
	struct si_warp *state = sim_si_warp(machine, warp);
	uint64_t wait = (uint64_t)si->config->system.backoff * warp->aborts;

	if (state->claims) {
		state->phase = SI_CLAIMING;
		sim_warp_wait(machine, warp, SIM_SYSTEM);
		return;
	}
	sim_must(machine,
		 gputm_tx_log_restart(si->log[sim_warp_number(machine, warp)], machine->all_lanes),
		 "the logs refused a restart");
	if (wait > si->config->system.most_backoff)
		wait = si->config->system.most_backoff;
	if (!state->failed)
		wait = 0;
	state->failed = false;
	state->phase = SI_OUTSIDE;
	si->inside--;
	if (si->waiting.count || si->restarting)
		sim_si_poke(machine);
	sim_tx_over(machine, warp, sim_now(machine) + (1 + wait) * machine->core_ticks);
}

/* ---- committed ones ---------------------------------------------------------------------- */

/* It runs no more. It stays until all that run have a snapshot of `version`. */
void sim_si_retire(struct sim_machine *machine, uint32_t id, uint64_t version)
{
	struct si *si = sim_si_of(machine);
	struct si_tx *tx = &si->tx[id];
	struct si_version *list = sim_si_version(si, version);

	sim_si_version(si, tx->snapshot)->running--;
	tx->state = SI_COMMITTED;
	tx->version = version;
	si->running--;
	si->retained++;
	tx->next = list->committed;
	list->committed = id;
}

static void release_all(struct sim_machine *machine, struct si_version *version)
{
	struct si *si = sim_si_of(machine);
	uint32_t id = version->committed;

	version->committed = SI_NONE;
	while (id != SI_NONE) {
		uint32_t next = si->tx[id].next;

		si->detector->release(machine, id);
		id = next;
	}
}

/*
 * Forget those that nobody needs to know. The paper's text forgets them with the end of
 * their commit.
 */
void sim_si_reclaim(struct sim_machine *machine)
{
	struct si *si = sim_si_of(machine);

	for (uint64_t i = si->oldest; si->config->system.literal && i <= si->sealed; i++)
		release_all(machine, sim_si_version(si, i));
	release_all(machine, sim_si_version(si, si->oldest));
	while (si->oldest < si->sealed && !sim_si_version(si, si->oldest)->running)
		release_all(machine, sim_si_version(si, ++si->oldest));
}
