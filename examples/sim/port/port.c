/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every host of a TM system shares: failures, queues, what the observer is told, and the
 * attempts of a warp, with its registers and its SIMT stack.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "port.h"

void sim_fail(struct sim_port *port, int error, const char *message)
{
	if (port->failed)
		return;
	port->failed = error;
	snprintf(port->error, sizeof port->error, "%s", message);
}

bool sim_same(struct sim_port *port, const char *field, uint64_t value, const char *master,
	      uint64_t wanted)
{
	char message[160];

	if (value == wanted)
		return true;
	snprintf(message, sizeof message, "%s = %" PRIu64 " must be %s = %" PRIu64, field, value,
		 master, wanted);
	sim_fail(port, -EINVAL, message);
	return false;
}

bool sim_queue_grow(struct sim_queue *queue)
{
	uint32_t capacity = queue->capacity ? 2 * queue->capacity : 16;
	struct sim_message *item = malloc(capacity * sizeof *item);

	if (!item)
		return false;
	for (uint32_t i = 0; i < queue->count; i++)
		item[i] = queue->item[(queue->head + i) & (queue->capacity - 1)];
	free(queue->item);
	queue->item = item;
	queue->head = 0;
	queue->capacity = capacity;
	return true;
}

bool sim_queue_has_store(const struct sim_queue *queue, const struct sim_warp *warp)
{
	for (uint32_t i = 0; i < queue->count; i++) {
		const struct sim_message *message =
			&queue->item[(queue->head + i) & (queue->capacity - 1)];

		if (message->what == SIM_DO_STORE && message->core == warp->core &&
		    message->warp == warp->index)
			return true;
	}
	return false;
}

/* ---- the observer --------------------------------------------------------------------- */

void sim_tell_load(struct sim_port *port, struct sim_warp *warp, uint64_t mask)
{
	const struct sim_observer *observer = port->observer;

	if (!observer)
		return;
	for (SIM_EACH_LANE(lane, mask))
		observer->load(observer->state, warp->lane[lane].thread, warp->address[lane],
			       warp->lane[lane].loaded, warp->version[lane]);
}

void sim_tell_store(struct sim_port *port, struct sim_warp *warp, uint64_t mask)
{
	const struct sim_observer *observer = port->observer;

	if (!observer)
		return;
	for (SIM_EACH_LANE(lane, mask))
		observer->store(observer->state, warp->lane[lane].thread,
				warp->inside >> lane & 1, warp->address[lane],
				warp->value[lane]);
}

/* ---- attempts ------------------------------------------------------------------------- */

static void start_attempt(struct sim_port *port, struct sim_warp *warp, bool again)
{
	warp->started = sim_now(port);
	warp->inside = gputm_simt_stack_active_mask(warp->stack);
	if (port->ops->begin)
		port->ops->begin(port, warp, again);
}

bool sim_tx_begin(struct sim_port *port, struct sim_warp *warp, uint64_t pc)
{
	for (SIM_EACH_LANE(lane, gputm_simt_stack_active_mask(warp->stack))) {
		warp->lane[lane].attempt = 0;
		warp->saved[lane] = warp->lane[lane];
	}
	if (gputm_simt_stack_tx_begin(warp->stack, pc + 1) != GPUTM_SIMT_STACK_SWITCH)
		sim_fail(port, -EINVAL, "a transaction could not begin");
	warp->in_tx = true;
	warp->aborts = 0;
	warp->wait = SIM_READY;
	start_attempt(port, warp, false);
	return warp->wait == SIM_READY;
}

void sim_tx_abort(struct sim_port *port, struct sim_warp *warp, uint64_t mask,
		  enum sim_abort_reason reason)
{
	const struct sim_observer *observer = port->observer;
	uint64_t count = (uint64_t)__builtin_popcountll(mask);

	port->result.aborted += count;
	port->result.aborted_by_reason[reason] += count;
	if (gputm_simt_stack_tx_abort(warp->stack, mask) < 0)
		sim_fail(port, -EINVAL, "lanes could not be aborted");
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

void sim_tx_commit(struct sim_port *port, struct sim_warp *warp, uint64_t mask,
		   const uint64_t witness[])
{
	const struct sim_observer *observer = port->observer;

	port->result.committed += (uint64_t)__builtin_popcountll(mask);
	if (gputm_simt_stack_tx_commit(warp->stack, mask, warp->pc_after) < 0)
		sim_fail(port, -EINVAL, "lanes could not commit");
	for (SIM_EACH_LANE(lane, observer ? mask : 0))
		observer->commit(observer->state, warp->lane[lane].thread, witness[lane]);
}

bool sim_tx_over(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	int result = gputm_simt_stack_tx_commit_done(warp->stack);

	sim_wake(port, warp, tick);
	if (result == GPUTM_SIMT_STACK_RESTART) {
		start_attempt(port, warp, true);
		return true;
	}
	if (result != GPUTM_SIMT_STACK_LEAVE)
		sim_fail(port, -EINVAL, "a warp could not leave its transaction");
	warp->in_tx = false;
	warp->inside = 0;
	port->host->left(port, warp, tick);
	return false;
}
