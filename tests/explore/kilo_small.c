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
	config->isolation.ways = config->isolation.entries = 1;
	config->commit_id.credits = config->tx_log.lanes;
	config->commit_id.ring = unit->ring = config->commit_id.cores * config->tx_log.lanes;
	config->commit_sequencer.slots = 2;
	config->commit_sequencer.output_packets = 8;
	config->commit_sequencer.resend_requests = 2;
	config->commit_sequencer.backoff_base = 0;
	unit->ordered_outcomes = GPUTM_COMMIT_UNIT_ORDERED_OUTCOMES_TRUE;
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
		if (unit->port[i].oldest == unit->port[i].end)
			unit->port[i].oldest = unit->port[i].popped = unit->port[i].end = 0;
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
		host_tidy_queue(port, &kilo->partition[i].held);
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

static void configure_warps(void *memory)
{
	struct warptm_config *config = memory;

	configure(&config->kilo);
	config->system.resolver_overhead = false;
	config->ownership_table.entries = 16;
	config->ownership_table.hash = GPUTM_OWNERSHIP_TABLE_HASH_LOW_BITS; /* they share some */
	config->ownership_table.buffers = config->sequential_resolver.buffers = 1;
}

static void prepare_warps(struct sim_port *port)
{
	struct warptm *tm = port->state;

	host_prepare_resolvers(&tm->resolvers);
}

static void tidy_warps(struct sim_port *port)
{
	struct warptm *tm = port->state;

	tidy(port);
	host_tidy_resolvers(port, &tm->resolvers);
}

static bool alone_warp(const struct sim_port *port, const struct sim_warp *warp)
{
	const struct warptm *tm = port->state;
	const struct resolver *resolver = &tm->resolvers.core[warp->core];

	return alone(port, warp) && !resolver->queued && !resolver->resolving;
}

const struct host_system host_warptm = {
	.class = &sim_warptm, .configure = configure_warps, .prepare = prepare_warps,
	.tidy = tidy_warps, .alone = alone_warp, .waits = waits, .commits_apart = true,
};

/* ---- temporal conflict detection ---- */

#define BLOCKS 2 /* whose times a partition keeps */
#define TIMED 4	 /* lanes of all cores, at most */

/* Times of first loads, and of writes: how many first loads came before. */
struct order {
	uint32_t first[TIMED], written[HOST_PARTITIONS][BLOCKS];
};

static uint64_t *writes; /* so many so far are the time, which no other unit needs */
static struct order *order;
static const struct sim_system_ops *usual;
static void (*usual_wrote)(struct sim_port *port, uint32_t partition,
			   const struct gputm_mem_request *request);

static void load(struct sim_port *port, struct sim_warp *warp)
{
	port->now = *writes;
	usual->load(port, warp);
	port->now = 0;
}

/* As if it were sent after the next write. */
static void load_late(struct sim_port *port, struct sim_warp *warp)
{
	port->now = *writes + 1;
	usual->load(port, warp);
	port->now = 0;
}

static void wrote(struct sim_port *port, uint32_t partition,
		  const struct gputm_mem_request *request)
{
	port->now = ++*writes;
	usual_wrote(port, partition, request);
	port->now = 0;
}

static void configure_times(void *memory)
{
	struct warptm_config *config = memory;

	configure_warps(memory);
	config->last_written.ways = 1;
	config->last_written.entries = BLOCKS;
}

static void prepare_with(struct sim_port *port, void (*how)(struct sim_port *port,
							   struct sim_warp *warp))
{
	static struct sim_system_ops ops;
	struct warptm *tm = port->state;

	prepare_warps(port);
	writes = arena_take(ARENA_UNITS, sizeof(*writes));
	order = sim_calloc(1, sizeof(*order));
	usual = port->ops;
	usual_wrote = tm->kilo.wrote;
	tm->kilo.wrote = wrote;
	ops = *usual;
	ops.load = how;
	port->ops = &ops;
}

static void prepare_times(struct sim_port *port)
{
	prepare_with(port, load);
}

static void prepare_late(struct sim_port *port)
{
	prepare_with(port, load_late);
}

static uint32_t lanes_of(const struct sim_port *port)
{
	return port->shape.cores * port->shape.lanes;
}

/* The time of the first load of a lane, counted through all cores; false: there is none. */
static bool has_loaded(const struct sim_port *port, uint32_t lane, uint64_t *time)
{
	const struct warptm *tm = port->state;
	const struct gputm_first_read *table = tm->first_read[lane / port->shape.lanes];

	return gputm_first_read_get_time(table, 0, lane % port->shape.lanes, time) > 0;
}

/* First loads before this time that differ from one another. */
static uint32_t loads_before(const struct sim_port *port, uint64_t end)
{
	uint64_t time, other;
	uint32_t count = 0;

	for (uint32_t i = 0; i < lanes_of(port); i++) {
		bool fresh = has_loaded(port, i, &time) && time < end;

		for (uint32_t k = 0; fresh && k < i; k++)
			fresh = !has_loaded(port, k, &other) || other != time;
		count += fresh;
	}
	return count;
}

static void tidy_order(struct sim_port *port)
{
	const struct warptm *tm = port->state;
	uint64_t time;

	tidy_warps(port);
	for (uint32_t i = 0; i < lanes_of(port); i++)
		order->first[i] = has_loaded(port, i, &time) ? 1 + loads_before(port, time) : 0;
	for (uint32_t i = 0; i < port->shape.partitions; i++)
		for (uint32_t k = 0; k < BLOCKS; k++) {
			sim_must(port,
				 gputm_last_written_get_entry(tm->last_written[i], 0, k, &time),
				 "there is no such time");
			order->written[i][k] = loads_before(port, time);
		}
}

static void blank_times(const char *kind, uint8_t *bytes, size_t size)
{
	const size_t masks = 3 * 8;

	if (!strcmp(kind, "first_read"))
		memset(bytes + masks, 0, size - masks); /* of one warp */
}

/* The warp's next load notes no time. */
static bool alone_timed(const struct sim_port *port, const struct sim_warp *warp)
{
	uint64_t time, active = warp->in_tx ? gputm_simt_stack_active_mask(warp->stack) : 0;
	bool noted = true;

	for (SIM_EACH_LANE(lane, active))
		noted &= has_loaded(port, warp->core * port->shape.lanes + (uint32_t)lane, &time);
	return noted && alone_warp(port, warp);
}

#define TCD                                                                                    \
	.class = &sim_warptm_tcd, .configure = configure_times, .tidy = tidy_order,            \
	.blank = blank_times, .alone = alone_timed, .waits = waits, .commits_apart = true,     \
	.timed = true, .apart = "last_written"

const struct host_system host_tcd = { TCD, .prepare = prepare_times };
const struct host_system host_tcd_late = { TCD, .prepare = prepare_late };

/* ---- early abort and pause-and-go ---- */

#define UPDATES 32 /* of a partition, for which the wiring has room at first; as many references */

static void configure_tables(void *memory)
{
	struct warptm_config *config = memory;

	configure_times(memory);
	config->reference_count_table.entries = config->conflict_address_table.entries = HOST_WORDS;
}

static void prepare_tables(struct sim_port *port)
{
	struct eapg *eapg = sim_warptm_of(port)->eapg;

	prepare_times(port);
	for (uint32_t i = 0; i < port->shape.partitions; i++) {
		struct eapg_partition *partition = &eapg->partition[i];

		if (!SIM_ROOM(partition->update, partition->update_room, UPDATES) ||
		    !SIM_ROOM(partition->reference, partition->reference_room, UPDATES))
			sim_fail(port, -ENOMEM, "no memory for the tables");
	}
}

/* No update is kept that all cores have, and nothing is behind the last. */
static void tidy_tables(struct sim_port *port)
{
	struct eapg *eapg = sim_warptm_of(port)->eapg;

	tidy_order(port);
	for (uint32_t i = 0; i < port->shape.partitions; i++) {
		struct eapg_partition *partition = &eapg->partition[i];
		uint32_t old = UINT32_MAX;

		for (uint32_t k = 0; k < port->shape.cores; k++)
			old = partition->got[k] < old ? partition->got[k] : old;
		for (uint32_t k = 0; k < port->shape.cores; k++)
			partition->got[k] -= old;
		partition->updates -= old;
		memmove(partition->update, partition->update + old,
			partition->updates * sizeof(*partition->update));
		memset(partition->update + partition->updates, 0,
		       (partition->update_room - partition->updates) * sizeof(*partition->update));
		memset(partition->reference + partition->references, 0,
		       (partition->reference_room - partition->references) *
			       sizeof(*partition->reference));
	}
}

const struct host_system host_eapg = {
	.class = &sim_eapg, .configure = configure_tables, .prepare = prepare_tables,
	.tidy = tidy_tables, .blank = blank_times, .commits_apart = true, .shared = true,
	.timed = true, .apart = "last_written",
};
