/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A warp's accesses outside transactions, in order with its transactions: GETM commits beside the
 * warp, so what the warp does next may reach the L2 before what it has committed.
 */
#include "getm.h"

static bool waits(const struct sim_machine *machine, const struct getm_partition *partition,
		  const struct sim_message *plain)
{
	return partition->unreleased[plain->core * machine->config.warps + plain->warp];
}

bool sim_getm_hold_plain(struct sim_machine *machine, const struct sim_message *message)
{
	struct getm_partition *partition = &sim_getm_of(machine)->partition[message->partition];

	if (!waits(machine, partition, message))
		return false;
	if (!sim_queue_push(&partition->plain, message))
		sim_fail(machine, -ENOMEM, "no memory for an access");
	return true;
}

void sim_getm_let_plain_go(struct sim_machine *machine, struct getm_partition *partition)
{
	for (uint32_t left = partition->plain.count; left; left--) {
		struct sim_message message = *sim_queue_head(&partition->plain);

		sim_queue_pop(&partition->plain);
		if (!waits(machine, partition, &message))
			sim_l2_access(machine, &message);
		else if (!sim_queue_push(&partition->plain, &message))
			sim_fail(machine, -ENOMEM, "no memory for an access");
	}
}

static bool is_of(const struct sim_message *plain, const struct getm_access *access)
{
	return plain->core == access->core && plain->warp == access->index;
}

static bool has_store(const struct sim_queue *queue, const struct getm_access *access)
{
	for (uint32_t i = 0; i < queue->count; i++) {
		const struct sim_message *plain =
			&queue->item[(queue->head + i) & (queue->capacity - 1)];

		if (plain->what == SIM_DO_STORE && is_of(plain, access))
			return true;
	}
	return false;
}

bool sim_getm_behind_plain(struct sim_machine *machine, const struct getm_access *access,
			   uint32_t partition)
{
	return sim_warp_of(machine, access->core, access->index)->stores &&
	       (has_store(&machine->partition[partition].in, access) ||
		has_store(&sim_getm_of(machine)->partition[partition].plain, access));
}
