/* SPDX-License-Identifier: BSD-2-Clause */
#include "examples/sim/systems/getm.h"
#include "examples/sim/systems/systems.h"
#include "lib/getm/validation_unit-priv.h"
#include "tests/explore/arena.h"
#include "tests/explore/systems.h"

static void configure(void *memory)
{
	struct getm_config *config = memory;
	struct gputm_validation_unit_config *unit = &config->validation_unit;

	config->tx_log.reserve_rows = 4;
	config->warp_access_filter.words = 4;
	config->commit_buffer.blocks = 8;
	unit->warp_bits = 2;
	unit->input = unit->output = 2;
	unit->stall_lines = unit->stall_requests = 2;
	unit->ways = 2;
	unit->entries = 2;
	unit->stash = 1;
	unit->filter_ways = 1;
	unit->filter_entries = 2;
	unit->memory_latency = 1;
	config->warp_clock.backoff_base = 0;
	config->system.resolver_overhead = false;
	config->ownership_table.entries = 128; /* for words that are 256 bytes apart */
	config->ownership_table.hash = GPUTM_OWNERSHIP_TABLE_HASH_LOW_BITS;
	config->ownership_table.buffers = 1;
}

#define ROWS 16 /* of a write log whose reservations the wiring has room for at first */

static void prepare(struct sim_port *port)
{
	struct getm *getm = port->state;

	for (uint32_t i = 0; i < port->shape.cores; i++) {
		getm->warp[i].granted = sim_calloc(ROWS, sizeof(*getm->warp[i].granted));
		getm->warp[i].granted_rows = ROWS;
	}
	if (getm->resolvers.core)
		host_prepare_resolvers(&getm->resolvers);
}

/* Places in the serial order and ticks are the witness's and the report's; numbers of attempts
 * are compared as the units keep them. */
static void tidy_warp(const struct getm *getm, struct getm_warp *warp)
{
	uint32_t rows = gputm_tx_log_rows(warp->log, GPUTM_TX_LOG_KIND_WRITE);

	warp->place = warp->order = warp->tick = 0;
	warp->sequence &= (UINT64_C(1) << getm->config.validation_unit.sequence_bits) - 1;
	if (warp->granted)
		memset(warp->granted + rows, 0, (ROWS - rows) * sizeof(*warp->granted));
	if (!warp->begun)
		warp->time = 0;
	if (warp->phase != GETM_LOADING)
		warp->rows = 0;
}

static void tidy(struct sim_port *port)
{
	struct getm *getm = port->state;

	getm->base = getm->latest = 0;
	if (getm->resolvers.core)
		host_tidy_resolvers(port, &getm->resolvers);
	host_tidy_slab(&getm->access);
	host_tidy_slab(&getm->packet);
	for (uint32_t i = 0; i < port->shape.cores; i++) {
		tidy_warp(getm, &getm->warp[i]);
		getm->core[i].walker_free = 0;
	}
	for (uint32_t i = 0; i < port->shape.partitions; i++) {
		struct getm_partition *partition = &getm->partition[i];

		host_tidy_queue(port, &partition->accesses);
		host_tidy_queue(port, &partition->logs);
		host_tidy_queue(port, &partition->plain);
		partition->unit_counted = partition->buffer_counted = 0;
		partition->full = 0; /* without it the wiring asks the port */
		if (!getm->config.system.commit_ack)
			memset(partition->unsaid, 0,
			       port->shape.cores * sizeof(*partition->unsaid));
	}
}

/* Of the clock: what the back-off is drawn from, and counts of aborts, which lengthen it. */
static void blank(const char *kind, uint8_t *bytes, size_t size)
{
	if (!strcmp(kind, "warp_clock") && size == 8 + 8 + 8 + 4 + 1) {
		memset(bytes, 0, 8);
		memset(bytes + 24, 0, 4);
	}
}

/* No answer to a store is outstanding, nothing is resolved; a rollover would come unasked. */
static bool alone(const struct sim_port *port, const struct sim_warp *warp)
{
	const struct getm *getm = port->state;
	const struct resolver *core = getm->resolvers.core;

	if (core && (core[warp->core].queued || core[warp->core].resolving))
		return false;
	return getm->config.validation_unit.time_bits == 32 && !getm->warp[warp->number].reserving;
}

const struct host_system host_getm = {
	.class = &sim_getm, .configure = configure, .prepare = prepare, .tidy = tidy,
	.blank = blank, .alone = alone,
};
