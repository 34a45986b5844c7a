/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every host of a TM system shares: failures, queues, what the observer is told, and the
 * attempts of a warp, with its registers and its SIMT stack.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port.h"
#include "../base/arena.h"

int sim_fail(struct sim_port *port, int error, const char *message)
{
	if (!port->failed) {
		port->failed = error;
		snprintf(port->error, sizeof port->error, "%s", message);
	}
	return error;
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

bool sim_queue_grow(struct sim_port *port, struct sim_queue *queue)
{
	uint32_t capacity = queue->capacity ? 2 * queue->capacity : 16;
	struct sim_message *item = sim_malloc(capacity * sizeof *item);

	if (!item) {
		sim_fail(port, -ENOMEM, "no memory for a message");
		return false;
	}
	for (uint32_t i = 0; i < queue->count; i++)
		item[i] = queue->item[(queue->head + i) & (queue->capacity - 1)];
	sim_free(queue->item);
	queue->item = item;
	queue->head = 0;
	queue->capacity = capacity;
	return true;
}

void sim_message_check(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		       struct sim_io *io)
{
	sim_io_below(io, "message", message->core, port->shape.cores);
	sim_io_below(io, "message", message->partition, port->shape.partitions);
	sim_io_below(io, "message", message->warp, port->shape.warps);
	sim_io_below(io, "message", message->kind, SIM_TRAFFIC_KINDS);
	if (!sim_io_ok(io))
		return;
	if (message->what < SIM_DO_SYSTEM)
		port->host->check(port, message, way, io);
	else if (port->ops->check)
		port->ops->check(port, message, way, io);
	else
		io->wrong = "message";
}

void sim_queue_io(struct sim_port *port, struct sim_queue *queue, enum sim_way way,
		  struct sim_io *io)
{
	uint32_t count = queue->count;

	SIM_IO(io, count);
	if (io->loading)
		queue->count = 0;
	for (uint32_t i = 0; i < count && sim_io_ok(io); i++) {
		struct sim_message message;

		if (!io->loading)
			message = queue->item[(queue->head + i) & (queue->capacity - 1)];
		SIM_IO(io, message);
		if (io->loading && sim_io_ok(io))
			sim_message_check(port, &message, way, io);
		if (io->loading && sim_io_ok(io))
			sim_queue_push(port, queue, &message);
		io->starved |= port->failed != 0;
	}
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
		observer->load(observer->state, warp->thread[lane], warp->address[lane],
			       warp->loaded[lane], warp->version[lane]);
}

void sim_tell_store(struct sim_port *port, struct sim_warp *warp, uint64_t mask)
{
	const struct sim_observer *observer = port->observer;

	if (!observer)
		return;
	if (port->strong) /* memory reports the other accesses */
		mask &= warp->inside;
	for (SIM_EACH_LANE(lane, mask))
		observer->store(observer->state, warp->thread[lane],
				warp->inside >> lane & 1, warp->address[lane],
				warp->value[lane]);
}

void sim_tell_add(const struct sim_port *port, uint64_t address, uint32_t old, uint32_t value)
{
	if (port->observer && port->observer->add)
		port->observer->add(port->observer->state, address, old, value);
}

void sim_tell_cas(const struct sim_port *port, uint64_t address)
{
	if (port->observer && port->observer->cas)
		port->observer->cas(port->observer->state, address);
}

/* ---- registers ------------------------------------------------------------------------ */

void sim_take_loaded(struct sim_warp *warp)
{
	for (SIM_EACH_LANE(lane, warp->due))
		warp->reg[warp->into * SIM_MAX_LANES + (warp->slot ? warp->slot[lane] : lane)] =
			warp->loaded[lane];
	warp->due = 0;
}

static void set_attempt(struct sim_port *port, struct sim_warp *warp, uint64_t lane,
			uint32_t attempt)
{
	uint16_t reg = port->program ? port->program->special[SIM_OWN_ATTEMPT] : SIM_NO_REGISTER;

	warp->attempt[lane] = attempt;
	if (reg != SIM_NO_REGISTER)
		warp->reg[reg * SIM_MAX_LANES + lane] = attempt;
}

static void save(struct sim_port *port, struct sim_warp *warp, uint64_t mask)
{
	const struct sim_program *program = port->program;

	for (SIM_EACH_LANE(lane, mask))
		set_attempt(port, warp, lane, 0);
	warp->stray = 0;
	sim_take_loaded(warp);
	for (uint32_t i = 0; program && i < program->kept_count; i++)
		memcpy(warp->kept + i * SIM_MAX_LANES,
		       warp->reg + program->kept[i] * SIM_MAX_LANES,
		       SIM_MAX_LANES * sizeof *warp->kept);
}

void sim_put_back(struct sim_port *port, struct sim_warp *warp, uint64_t mask)
{
	const struct sim_program *program = port->program;

	warp->due &= (uint32_t)~mask;
	warp->stray &= ~mask;
	for (uint32_t i = 0; program && i < program->kept_count; i++)
		for (SIM_EACH_LANE(lane, mask))
			warp->reg[program->kept[i] * SIM_MAX_LANES + lane] =
				warp->kept[i * SIM_MAX_LANES + lane];
}

/* Restore the registers of tx_begin, for the next attempt. */
static void restore(struct sim_port *port, struct sim_warp *warp, uint64_t mask)
{
	sim_put_back(port, warp, mask);
	for (SIM_EACH_LANE(lane, mask))
		set_attempt(port, warp, lane, warp->attempt[lane] + 1);
}

static void fail_beyond(struct sim_port *port, uint32_t thread, const struct sim_stray *stray)
{
	char message[sizeof port->error];

	port->program->say_stray(port->program->data, thread, stray, message, sizeof message);
	sim_fail(port, -EINVAL, message);
}

void sim_fail_stray(struct sim_port *port, const struct sim_warp *warp, uint64_t lanes)
{
	int lane = __builtin_ctzll(lanes);

	fail_beyond(port, warp->thread[lane], &warp->stray_of[lane]);
}

uint32_t sim_evaluate_lanes(struct sim_port *port, uint32_t pc, const uint32_t *thread,
			    uint32_t *reg, struct sim_step *step)
{
	const struct sim_program *program = port->program;
	struct sim_stray stray[SIM_MAX_LANES];
	uint32_t slot[SIM_MAX_LANES];

	step->reg = reg;
	step->slot = slot;
	step->stride = 1;
	step->stray_of = stray;
	for (SIM_EACH_LANE(l, step->mask))
		slot[l] = (uint32_t)l * program->registers;
	program->eval(program->data, pc, step);
	for (SIM_EACH_LANE(l, step->stray))
		fail_beyond(port, thread[l], &stray[l]);
	return step->chosen;
}

/* ---- attempts ------------------------------------------------------------------------- */

static void start_attempt(struct sim_port *port, struct sim_warp *warp, bool again, uint64_t tick)
{
	warp->started = sim_now(port);
	warp->begins = tick;
	warp->inside = sim_active(warp);
	warp->passed = warp->failed = 0;
	sim_see(port, warp->number, SIM_SEEN_BEGIN, warp->inside, tick);
	if (port->ops->begin)
		port->ops->begin(port, warp, again);
}

void sim_tx_again(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	start_attempt(port, warp, true, tick);
}

bool sim_tx_begin(struct sim_port *port, struct sim_warp *warp, uint64_t pc)
{
	save(port, warp, sim_active(warp));
	if (warp->stack && gputm_simt_stack_tx_begin(warp->stack, sim_pc_after(port, pc)) !=
				   GPUTM_SIMT_STACK_SWITCH)
		sim_fail(port, -EINVAL, "a transaction could not begin");
	warp->in_tx = true;
	warp->aborts = 0;
	warp->wait = SIM_READY;
	sim_ledger_begin(port, warp, sim_active(warp));
	start_attempt(port, warp, false, sim_now(port));
	return warp->wait == SIM_READY;
}

void sim_tx_abort(struct sim_port *port, struct sim_warp *warp, uint64_t mask,
		  enum sim_abort_reason reason)
{
	const struct sim_observer *observer = port->observer;
	uint64_t count = (uint64_t)__builtin_popcountll(mask);

	port->result.aborted += count;
	port->result.aborted_by_reason[reason] += count;
	sim_ledger_ends(port, warp, mask, SIM_SPENT_TA);
	sim_see(port, warp->number, SIM_SEEN_ABORT, mask, reason);
	if (warp->stack && gputm_simt_stack_tx_abort(warp->stack, mask) < 0)
		sim_fail(port, -EINVAL, "lanes could not be aborted");
	warp->failed |= (uint32_t)mask;
	restore(port, warp, mask);
	for (SIM_EACH_LANE(lane, mask)) {
		if (warp->attempt[lane] > warp->aborts)
			warp->aborts = warp->attempt[lane];
		if (observer)
			observer->abort(observer->state, warp->thread[lane], reason);
	}
}

void sim_tx_commit(struct sim_port *port, struct sim_warp *warp, uint64_t mask,
		   const uint64_t witness[])
{
	const struct sim_observer *observer = port->observer;
	uint64_t count = (uint64_t)__builtin_popcountll(mask);

	port->result.committed += count;
	sim_ledger_ends(port, warp, mask, SIM_SPENT_TU);
	sim_see(port, warp->number, SIM_SEEN_COMMIT, mask, 0);
	if (warp->stray & mask)
		sim_fail_stray(port, warp, warp->stray & mask);
	if (warp->stack && gputm_simt_stack_tx_commit(warp->stack, mask, warp->pc_after) < 0)
		sim_fail(port, -EINVAL, "lanes could not commit");
	warp->passed |= (uint32_t)mask;
	for (SIM_EACH_LANE(lane, observer ? mask : 0))
		observer->commit(observer->state, warp->thread[lane], witness[lane]);
}

void sim_outcome(struct sim_port *port, struct sim_warp *warp)
{
	if (port->host->outcome)
		port->host->outcome(port, warp, (uint32_t)__builtin_popcount(warp->passed),
				    (uint32_t)__builtin_popcount(warp->failed));
}

bool sim_tx_over(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	int result;

	if (!warp->stack) {
		port->host->settled(port, warp, tick);
		return warp->failed;
	}
	sim_outcome(port, warp);
	result = gputm_simt_stack_tx_commit_done(warp->stack);
	sim_wake(port, warp, tick);
	sim_ledger_over(port, warp, result == GPUTM_SIMT_STACK_RESTART, tick);
	sim_see(port, warp->number, SIM_SEEN_OVER, result == GPUTM_SIMT_STACK_RESTART, tick);
	if (result == GPUTM_SIMT_STACK_RESTART) {
		start_attempt(port, warp, true, tick);
		return true;
	}
	if (result != GPUTM_SIMT_STACK_LEAVE)
		sim_fail(port, -EINVAL, "a warp could not leave its transaction");
	warp->in_tx = false;
	warp->inside = 0;
	port->host->left(port, warp, tick);
	return false;
}
