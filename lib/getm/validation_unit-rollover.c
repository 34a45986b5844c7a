/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The validation unit's part in a rollover; see validation_unit.c.
 *
 * Rollover (V-B1 "Timestamp rollover"): two messages round a ring of all validation units.
 *
 *	a unit meets a time within margin of the largest: it stops, sends stop(self)
 *	stop(o) at a running unit: it stops and passes it on
 *	stop(o) at a stopped unit that follows l: o < l: it follows o and passes it on; else
 *	    the message ends here; o is the unit itself: all have stopped, it leads
 *	    ... the cores abort what runs, send clean-up, set their clocks to 0 ...
 *	go(o): the unit waits until it has no reservation and no waiter, forgets all stamps,
 *	    goes on and passes it on; at o itself it ends
 *
 *	units 0 1 2; 1 and 2 detect at once:   1: stop(1) ->2    2: stop(2) ->0
 *	    0 passes stop(2) on to 1, where it ends, as 1 < 2; 2 passes stop(1) on to 0, which
 *	    follows 1 now and passes it on to 1: all have stopped
 *
 * A stopped unit answers every access with an abort and takes releases. The paper flushes
 * the tables once the cores have acknowledged; the reservations of what runs, or has
 * committed and is on its way, would be lost. Messages that come while a unit waits to roll
 * over are kept: the unit before it may have begun the next rollover.
 */
#include "lib/getm/validation_unit-priv.h"

const char *const gputm__validation_states[4] = { "running", "stopped", "all stopped", "rolling" };

static void set_state(struct gputm_validation_unit *u, enum gputm_validation_unit_state state,
		      uint32_t leader)
{
	u->state = state;
	u->leader = leader;
	gputm__emit(&u->unit, GPUTM_VALIDATION_UNIT_EVENT_STATE, state, leader, 0, 0);
}

static void send(struct gputm_validation_unit *u, uint32_t go, uint32_t from)
{
	const struct gputm_validation_unit_message message = { go, from };

	gputm__queue_put(&u->to_ring, struct gputm_validation_unit_message, message);
}

void gputm_validation_unit_rollover(struct gputm_validation_unit *u)
{
	if (u->state != GPUTM_VALIDATION_UNIT_STATE_RUNNING)
		return;
	set_state(u, GPUTM_VALIDATION_UNIT_STATE_STOPPED, u->config.id);
	send(u, 0, u->config.id);
}

static void receive_stop(struct gputm_validation_unit *u, uint32_t from)
{
	if (u->state == GPUTM_VALIDATION_UNIT_STATE_RUNNING || from < u->leader) {
		set_state(u, GPUTM_VALIDATION_UNIT_STATE_STOPPED, from);
		send(u, 0, from);
	} else if (from == u->config.id && from == u->leader) {
		set_state(u, GPUTM_VALIDATION_UNIT_STATE_ALL_STOPPED, from);
	}
}

static void receive(struct gputm_validation_unit *u,
		    const struct gputm_validation_unit_message *message)
{
	if (!message->go)
		receive_stop(u, message->from);
	else if (u->state == GPUTM_VALIDATION_UNIT_STATE_STOPPED && message->from == u->leader &&
		 message->from != u->config.id)
		set_state(u, GPUTM_VALIDATION_UNIT_STATE_ROLLING, message->from);
}

/* Handle messages in order; while the unit waits to roll over they stay. */
static void receive_all(struct gputm_validation_unit *u)
{
	while (u->from_ring.count && u->state != GPUTM_VALIDATION_UNIT_STATE_ROLLING)
		receive(u, gputm__queue_take(&u->from_ring));
}

void gputm__validation_roll(struct gputm_validation_unit *u)
{
	uint32_t leader = u->leader;

	while (u->state == GPUTM_VALIDATION_UNIT_STATE_ROLLING && !u->woken.count && !u->busy &&
	       !gputm__validation_waiting(u) && !gputm_metadata_table_writes(u->table)) {
		if (gputm_metadata_table_flush(u->table))
			gputm__assert(false);
		u->highest = 0;
		u->rollovers++;
		set_state(u, GPUTM_VALIDATION_UNIT_STATE_RUNNING, leader);
		send(u, 1, leader);
		receive_all(u);
	}
}

/* Which messages may come in the state in which they will be received. */
static bool may_come(const struct gputm_validation_unit *u,
		     const struct gputm_validation_unit_message *message)
{
	if (message->from >= u->config.units || message->go > 1 ||
	    gputm__queue_full(&u->from_ring) ||
	    u->to_ring.count + u->from_ring.count + 4 > u->to_ring.capacity)
		return false;
	if (u->state == GPUTM_VALIDATION_UNIT_STATE_ROLLING)
		return true;
	if (message->go)
		return message->from == u->config.id
			       ? u->state == GPUTM_VALIDATION_UNIT_STATE_RUNNING
			       : u->state == GPUTM_VALIDATION_UNIT_STATE_STOPPED &&
					 message->from == u->leader;
	if (u->state == GPUTM_VALIDATION_UNIT_STATE_RUNNING)
		return message->from != u->config.id;
	return u->state == GPUTM_VALIDATION_UNIT_STATE_STOPPED || message->from > u->leader;
}

int gputm_validation_unit_ring_push(struct gputm_validation_unit *u,
				    const struct gputm_validation_unit_message *message)
{
	if (!may_come(u, message))
		return gputm__refuse(&u->unit, "%s of unit %u cannot come while the unit is %s",
				     message->go ? "go" : "stop", message->from,
				     gputm__validation_states[u->state]);
	gputm__queue_put(&u->from_ring, struct gputm_validation_unit_message, *message);
	receive_all(u);
	gputm__validation_roll(u);
	return 0;
}

int gputm_validation_unit_ring_peek(const struct gputm_validation_unit *u,
				    struct gputm_validation_unit_message *out)
{
	if (!u->to_ring.count)
		return 0;
	*out = *(const struct gputm_validation_unit_message *)gputm__queue_oldest(&u->to_ring);
	return 1;
}

int gputm_validation_unit_ring_pop(struct gputm_validation_unit *u)
{
	return gputm__queue_drop(&u->to_ring);
}

int gputm_validation_unit_rollover_go(struct gputm_validation_unit *u)
{
	if (u->state != GPUTM_VALIDATION_UNIT_STATE_ALL_STOPPED)
		return gputm__refuse(&u->unit, "rollover_go while the unit is %s, not all stopped",
				     gputm__validation_states[u->state]);
	set_state(u, GPUTM_VALIDATION_UNIT_STATE_ROLLING, u->config.id);
	gputm__validation_roll(u);
	return 0;
}

enum gputm_validation_unit_state
gputm_validation_unit_current_state(const struct gputm_validation_unit *u)
{
	return (enum gputm_validation_unit_state)u->state;
}
