/* SPDX-License-Identifier: BSD-2-Clause */
#include "examples/sim/systems/systems.h"
#include "examples/sim/systems/warptm.h"
#include "lib/kilotm/commit_sequencer-priv.h"
#include "lib/kilotm/commit_unit-priv.h"
#include "tests/explore/arena.h"
#include "tests/explore/systems.h"

/* A credit for each transaction, and for each credit an entry; a slot is always free. */
static void configure(void *memory)
{
	struct kilo_config *config = memory;
	struct gputm_commit_unit_config *unit = &config->commit_unit;

	config->tx_log.reserve_rows = 4;
	config->commit_id.credits = config->tx_log.lanes;
	config->commit_id.ring = unit->ring = config->commit_id.cores * config->tx_log.lanes;
	config->commit_sequencer.slots = 2;
	config->commit_sequencer.output_packets = 8;
	config->commit_sequencer.resend_requests = 2;
	config->commit_sequencer.backoff_base = 0;
	unit->cid_bits = 8;
	unit->buffers = 4 * config->tx_log.lanes;
	unit->buffer_words = 4;
	unit->input_depth = unit->output_depth = 4;
	unit->resent_depth = 2;
	unit->port_words = 64;
	unit->history_sets = unit->history_ways = 1;
	unit->filter_ways = unit->filter_buckets = 1;
	unit->pending_entries = 1;
}

/* Times count from now. */
static void tidy_sequencer(struct gputm_commit_sequencer *s)
{
	for (uint32_t i = 0; i < s->config.slots; i++) {
		struct slot *slot = &s->slot[i];

		slot->begun = 0;
		slot->ready = slot->ready > s->now ? slot->ready - s->now : 0;
	}
	s->resend_ready = s->resend_ready > s->now ? s->resend_ready - s->now : 0;
	s->now = 0;
}

/* Sequence numbers count from the first that is in flight, once none is. */
static void tidy_unit(struct gputm_commit_unit *unit)
{
	for (int i = 0; i < 2; i++)
		if (unit->port[i].oldest == unit->port[i].filled)
			unit->port[i].oldest = unit->port[i].issued = unit->port[i].filled = 0;
}

static void tidy(struct sim_port *port)
{
	struct kilo *kilo = port->state;
	uint64_t oldest = gputm_commit_id_oldest(kilo->vendor);

	kilo->empty = 0;
	for (uint64_t i = 0; i < kilo->owners; i++)
		if (i < oldest)
			kilo->owner[i] = 0;
	host_tidy_slab(&kilo->small);
	host_tidy_slab(&kilo->large);
	for (uint32_t i = 0; i < port->shape.cores; i++) {
		host_tidy_queue(port, &kilo->core[i].refused);
		tidy_sequencer(kilo->core[i].sequencer);
		if (port->warp[i].wait != SIM_REPLIES)
			kilo->walked[i] = 0;
	}
	for (uint32_t i = 0; i < port->shape.partitions; i++) {
		host_tidy_queue(port, &kilo->partition[i].waiting);
		host_tidy_queue(port, &kilo->partition[i].resent);
		tidy_unit(kilo->partition[i].unit);
	}
}

/* No commit is under way. */
static bool alone(const struct sim_port *port, const struct sim_warp *warp)
{
	const struct kilo *kilo = port->state;
	const struct kilo_core *core = &kilo->core[warp->core];

	return !core->sequencer->used[0] && !core->refused.count;
}

/* A commit waits for the outcome of the partition before the core sends anything there; or all
 * that is left of commits is to retire. */
static bool waits(const struct sim_port *port, const struct sim_warp *warp, uint32_t partition)
{
	const struct kilo *kilo = port->state;
	const struct gputm_commit_sequencer *s = kilo->core[warp->core].sequencer;
	bool drained = !warp->in_tx, asked = false;

	if (s->output.count || s->resend.count || kilo->core[warp->core].refused.count)
		return false;
	for (uint32_t i = 0; i < s->config.slots; i++) {
		const struct share *share = &shares(s, i)[partition];

		drained &= s->slot[i].state == FREE || s->slot[i].state == DRAIN;
		asked |= s->slot[i].state == WAIT && share->touched & ~share->answered;
	}
	return drained || asked;
}

const struct host_system host_kilo = {
	.class = &sim_kilo_tm, .configure = configure, .tidy = tidy, .alone = alone,
	.waits = waits, .commits_apart = true,
};

/* ---- WarpTM ---- */

#define ROWS 16 /* of the logs of a warp, for which the wiring has room at first */

static void configure_warps(void *memory)
{
	struct warptm_config *config = memory;

	configure(&config->kilo);
	config->system.resolver_overhead = false;
	config->ownership_table.entries = 16;
	config->ownership_table.buffers = config->sequential_resolver.buffers = 1;
}

static void prepare_warps(struct sim_port *port)
{
	struct warptm *tm = port->state;

	tm->row = arena_calloc(ROWS, sizeof(*tm->row));
	tm->rows = ROWS;
}

static void tidy_warps(struct sim_port *port)
{
	struct warptm *tm = port->state;

	tidy(port);
	memset(tm->row, 0, ROWS * sizeof(*tm->row));
	for (uint32_t i = 0; i < port->shape.cores; i++)
		if (tm->resolver[i].warp->phase != RESOLVING)
			tm->resolver[i].warp->aborted = tm->resolver[i].warp->buffer = 0;
}

static bool alone_warp(const struct sim_port *port, const struct sim_warp *warp)
{
	const struct warptm *tm = port->state;
	enum phase phase = tm->resolver[warp->core].warp->phase;

	return alone(port, warp) && phase != QUEUED && phase != RESOLVING;
}

const struct host_system host_warptm = {
	.class = &sim_warptm, .configure = configure_warps, .prepare = prepare_warps,
	.tidy = tidy_warps, .alone = alone_warp, .waits = waits, .commits_apart = true,
};
