/* SPDX-License-Identifier: BSD-2-Clause */
/* What all parts of the machine stand on: it calls none of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "wiring.h"

void sim_fail(struct sim_machine *machine, int error, const char *message)
{
	if (machine->failed)
		return;
	machine->failed = error;
	snprintf(machine->error, sizeof machine->error, "%s", message);
}

bool sim_same(struct sim_machine *machine, const char *field, uint64_t value, const char *master,
	      uint64_t wanted)
{
	char message[160];

	if (value == wanted)
		return true;
	snprintf(message, sizeof message, "%s = %" PRIu64 " must be %s = %" PRIu64, field, value,
		 master, wanted);
	sim_fail(machine, -EINVAL, message);
	return false;
}

/* ---- queues -------------------------------------------------------------------------- */

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

uint32_t sim_words_take(struct sim_machine *machine)
{
	uint32_t index = sim_slab_take(&machine->words);

	if (index != SIM_SLAB_NONE)
		return index;
	sim_fail(machine, -ENOMEM, "no memory for a store");
	return 0;
}

/* ---- time ----------------------------------------------------------------------------- */

void sim_warp_until(struct sim_machine *machine, struct sim_warp *warp, uint64_t tick)
{
	struct sim_core *core = &machine->core[warp->core];
	uint64_t bit = UINT64_C(1) << warp->index, now = sim_now(machine);
	uint32_t slot;

	if (tick <= now) {
		warp->wait = SIM_READY;
		core->ready |= bit;
		sim_wheel_wake(&machine->wheel, SIM_CORE, warp->core, now);
		return;
	}
	warp->wait = SIM_UNTIL;
	warp->ready_at = tick;
	if (tick - now >= SIM_TIMER)
		tick = now + SIM_TIMER - 1;
	slot = (uint32_t)tick % SIM_TIMER;
	core->timer[slot] |= bit;
	sim_wheel_wake(&machine->wheel, SIM_CORE, warp->core, tick);
}

void sim_warp_wait(struct sim_machine *machine, struct sim_warp *warp, enum sim_wait wait)
{
	machine->core[warp->core].ready &= ~(UINT64_C(1) << warp->index);
	warp->wait = wait;
}

void sim_call_core(struct sim_machine *machine, uint32_t index, uint64_t tick)
{
	struct sim_core *core = &machine->core[index];

	if (tick >= core->unit_due)
		return;
	core->unit_due = tick;
	sim_wheel_wake(&machine->wheel, SIM_CORE, index, tick);
}

void sim_call_partition(struct sim_machine *machine, uint32_t index, uint64_t tick)
{
	struct sim_partition *partition = &machine->partition[index];

	if (tick >= partition->unit_due)
		return;
	partition->unit_due = tick;
	sim_wheel_wake(&machine->wheel, SIM_PARTITION, index, tick);
}

/* ---- the observer --------------------------------------------------------------------- */

void sim_tell_load(struct sim_machine *machine, struct sim_warp *warp, uint64_t mask)
{
	const struct sim_observer *observer = machine->options.observer;

	if (!observer)
		return;
	for (SIM_EACH_LANE(lane, mask))
		observer->load(observer->state, warp->lane[lane].thread, warp->address[lane],
			       warp->lane[lane].loaded, warp->version[lane]);
}

void sim_tell_store(struct sim_machine *machine, struct sim_warp *warp, uint64_t mask)
{
	const struct sim_observer *observer = machine->options.observer;

	if (!observer)
		return;
	for (SIM_EACH_LANE(lane, mask))
		observer->store(observer->state, warp->lane[lane].thread,
				warp->inside >> lane & 1, warp->address[lane],
				warp->value[lane]);
}
