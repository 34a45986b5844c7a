/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Orders a warp's accesses outside transactions with its transactions: GETM commits beside the
 * warp, so a later access of the warp might reach the L2 before its committed writes.
 */
#include "getm.h"

static bool waits(const struct sim_port *port, const struct getm_partition *partition,
		  const struct sim_message *plain)
{
	return partition->unreleased[plain->core * port->shape.warps + plain->warp];
}

bool sim_getm_hold_plain(struct sim_port *port, const struct sim_message *message)
{
	struct getm_partition *partition = &sim_getm_of(port)->partition[message->partition];

	if (!waits(port, partition, message))
		return false;
	sim_queue_push(port, &partition->plain, message);
	return true;
}

void sim_getm_let_plain_go(struct sim_port *port, struct getm_partition *partition)
{
	for (uint32_t left = partition->plain.count; left; left--) {
		struct sim_message message = *sim_queue_head(&partition->plain);

		sim_queue_pop(&partition->plain);
		if (!waits(port, partition, &message))
			port->host->serve(port, &message);
		else sim_queue_push(port, &partition->plain, &message);
	}
}

bool sim_getm_behind_plain(struct sim_port *port, const struct getm_access *access,
			   uint32_t partition)
{
	const struct sim_warp *warp = &port->warp[access->warp];

	return warp->stores &&
	       (port->host->storing(port, partition, warp) ||
		sim_queue_has_store(&sim_getm_of(port)->partition[partition].plain, warp));
}
