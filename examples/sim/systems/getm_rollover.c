/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rollover of GETM's logical time (V-B1, and what it leaves open):
 *
 *	unit    meets a time near the largest; a stop goes round the ring of units
 *	leader  has its stop back: it tells every core to roll over             ROLL
 *	core    issues no access any more; attempts that run abort as soon as they wait for
 *	        nothing, those at tx_commit end; with none left, clocks to 0    ROLLED
 *	leader  has heard from all cores: a go passes round the ring, each unit waits for its
 *	        last reservation, forgets all stamps and runs
 *	leader  has its go back: cores issue again                               RESUME
 *
 * A message of the ring takes a cycle from one unit to the next. Each message to or from a core
 * is a header.
 */
#include "getm.h"

static void tell_cores(struct sim_port *port, uint32_t leader, uint8_t what)
{
	struct sim_message message = { .what = what, .kind = SIM_TRAFFIC_ROLLOVER };

	message.partition = (uint8_t)leader;
	for (uint32_t i = 0; i < port->shape.cores; i++) {
		message.core = (uint8_t)i;
		sim_to_core(port, &message, GETM_HEADER_BYTES);
	}
}

/* A message from the previous unit of the ring has arrived. */
static void pull(struct sim_port *port, uint32_t index,
		 const struct gputm_validation_unit_message *message)
{
	struct getm *getm = sim_getm_of(port);
	struct gputm_validation_unit *unit = getm->partition[index].unit;

	sim_must(port, gputm_validation_unit_ring_push(unit, message),
		 "the validation unit refused a message of the ring");
	if (message->go && message->from == index) {
		getm->rolling = false;
		tell_cores(port, index, GETM_RESUME);
	}
}

void sim_getm_ring(struct sim_port *port, uint32_t index)
{
	struct getm *getm = sim_getm_of(port);
	uint32_t last = port->shape.partitions - 1;
	struct gputm_validation_unit *before = getm->partition[index ? index - 1 : last].unit;
	struct gputm_validation_unit_message message;

	while (gputm_validation_unit_ring_peek(before, &message)) {
		gputm_validation_unit_ring_pop(before);
		pull(port, index, &message);
	}
	if (gputm_validation_unit_current_state(getm->partition[index].unit) ==
		    GPUTM_VALIDATION_UNIT_STATE_ALL_STOPPED &&
	    !getm->rolling) {
		getm->rolling = true;
		getm->acks = port->shape.cores;
		tell_cores(port, index, GETM_ROLL);
	}
}

void sim_getm_rolled(struct sim_port *port, const struct sim_message *message)
{
	struct getm *getm = sim_getm_of(port);

	if (--getm->acks)
		return;
	getm->base += getm->latest + 1;
	getm->latest = 0;
	sim_must(port,
		 gputm_validation_unit_rollover_go(getm->partition[message->partition].unit),
		 "the validation unit refused to roll over");
}

/* ---- on the core ---------------------------------------- */

void sim_getm_roll(struct sim_port *port, const struct sim_message *message)
{
	struct getm_core *core = &sim_getm_of(port)->core[message->core];

	core->rolling = true;
	core->leader = message->partition;
	for (uint32_t i = 0; i < port->shape.warps; i++) {
		struct sim_warp *warp = sim_warp_of(port, message->core, i);
		const struct getm_warp *state = sim_getm_warp(port, warp);

		if (warp->wait == SIM_FREE || !warp->in_tx || !state->begun ||
		    state->phase != GETM_RUNNING)
			continue;
		sim_wait(port, warp, SIM_SYSTEM);
		sim_getm_kill(port, warp);
	}
	sim_getm_calm(port, message->core);
}

bool sim_getm_hold(struct sim_port *port, struct sim_warp *warp)
{
	struct getm_core *core = &sim_getm_of(port)->core[warp->core];

	if (!core->rolling)
		return false;
	sim_wait(port, warp, SIM_SYSTEM);
	core->held |= UINT64_C(1) << warp->index;
	return true;
}

void sim_getm_resume(struct sim_port *port, const struct sim_message *message)
{
	struct getm_core *core = &sim_getm_of(port)->core[message->core];

	core->rolling = core->rolled = false;
	for (SIM_EACH_LANE(i, core->held))
		sim_wake(port, sim_warp_of(port, message->core, (uint32_t)i),
			       sim_now(port));
	core->held = 0;
}
