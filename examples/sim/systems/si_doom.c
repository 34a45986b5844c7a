/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshot isolation: the ends of transactions. A guilty transaction is doomed; a committed
 * transaction stays until nobody needs to know it; and when a clock runs out, all are doomed.
 */
#include "si_tm.h"

/* Forget the instance. */
void sim_si_give(struct sim_port *port, uint32_t id)
{
	struct si *si = sim_si_of(port);
	struct si_tx *tx = &si->tx[id];

	si->running -= tx->state == SI_RUNNING;
	si->retained -= tx->state == SI_COMMITTED;
	tx->state = SI_IDLE;
	tx->reads.count = tx->writes.count = 0;
	si->free_id[(si->free_head + si->free_count++) % si->ids] = id;
	if (si->waiting.count)
		sim_si_poke(port);
}

/* ---- committed ones ---------------------------------------------------------------------- */

/* The transaction runs no more. It stays until all running transactions have a snapshot of
 * `version`. */
void sim_si_retire(struct sim_port *port, uint32_t id, uint64_t version)
{
	struct si *si = sim_si_of(port);
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

static void release_all(struct sim_port *port, struct si_version *version)
{
	struct si *si = sim_si_of(port);
	uint32_t id = version->committed;

	version->committed = SI_NONE;
	while (id != SI_NONE) {
		uint32_t next = si->tx[id].next;

		si->detector->release(port, id);
		id = next;
	}
}

/*
 * Forget committed transactions that nobody needs any more. The paper's text forgets them with the
 * end of their commit.
 */
void sim_si_reclaim(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	for (uint64_t i = si->oldest; si->config->system.literal && i <= si->sealed; i++)
		release_all(port, sim_si_version(si, i));
	release_all(port, sim_si_version(si, si->oldest));
	while (si->oldest < si->sealed && !sim_si_version(si, si->oldest)->running)
		release_all(port, sim_si_version(si, ++si->oldest));
}

/* ---- doom --------------------------------------------------------------------------------- */

/* It reads no more: release its references to versions. */
void sim_si_leave(struct sim_port *port, uint32_t id)
{
	struct si *si = sim_si_of(port);
	struct si_tx *tx = &si->tx[id];

	for (SIM_EACH_LANE(region, tx->held))
		sim_must(port,
			 gputm_version_table_release(si->versions, (uint32_t)region,
						     tx->slot[region]),
			 "a reference to a version was not there");
	if (tx->held)
		sim_si_poke(port);
	tx->held = 0;
}

/* Remove the transaction from all tables at once; the lane aborts when its warp can. */
void sim_si_doom(struct sim_port *port, struct si_warp *state, uint32_t lane,
		 enum sim_abort_reason reason)
{
	struct si *si = sim_si_of(port);
	uint64_t bit = UINT64_C(1) << lane;
	uint32_t id = state->tx[lane];

	if (!(state->active & bit))
		return;
	state->active &= ~bit;
	state->doomed |= bit;
	state->reason[lane] = (uint8_t)reason;
	sim_si_leave(port, id);
	sim_si_version(si, si->tx[id].snapshot)->running--;
	si->detector->abort(port, id);
	sim_si_give(port, id);
	sim_si_reclaim(port);
}

static void doom_all(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	for (uint32_t i = 0; i < port->shape.cores * port->shape.warps; i++)
		for (SIM_EACH_LANE(lane, si->warp[i].active))
			sim_si_doom(port, &si->warp[i], (uint32_t)lane, SIM_ABORT_ROLLOVER);
}

/* Stop all running transactions; committed ones are written and sealed first. */
void sim_si_restart(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	if (si->restarting)
		return;
	si->restarting = true;
	doom_all(port);
	sim_si_poke(port);
}

/* The last quarter of the range is for commits on their way. */
void sim_si_look_at_time(struct sim_port *port)
{
	uint64_t end = UINT64_C(1) << sim_si_of(port)->made.version_table.time_bits;

	if (sim_si_time(port) > end - end / 4)
		sim_si_restart(port);
}
