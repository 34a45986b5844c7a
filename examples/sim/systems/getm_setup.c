/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and checks a GETM system, and verifies that nothing is left over at the end; see getm.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "getm.h"
#include "logs.h"
#include "systems.h"
#include "../base/arena.h"

SIM_UNIT_KIND(warp_clock, SIM_OF_CORE);
SIM_UNIT_KIND(warp_access_filter, SIM_OF_CORE);
SIM_UNIT_KIND(validation_unit, SIM_OF_PARTITION);
SIM_UNIT_KIND(commit_buffer, SIM_OF_PARTITION);

static struct gputm_unit *face_table(void *unit)
{
	return gputm_validation_unit_table(unit);
}

static struct gputm_unit *face_buffer(void *unit)
{
	return gputm_validation_unit_buffer(unit);
}

static const struct sim_unit_kind kind_table = { .face = face_table };
static const struct sim_unit_kind kind_buffer = { .face = face_buffer };

static void getm_free(struct sim_port *port)
{
	struct getm *getm = port->state;
	uint32_t warps = port->shape.cores * port->shape.warps;

	if (!getm)
		return;
	for (uint32_t i = 0; getm->warp && i < warps; i++)
		sim_free(getm->warp[i].granted);
	for (uint32_t i = 0; getm->partition && i < port->shape.partitions; i++) {
		sim_free(getm->partition[i].accesses.item);
		sim_free(getm->partition[i].logs.item);
		sim_free(getm->partition[i].plain.item);
		sim_free(getm->partition[i].unreleased);
		sim_free(getm->partition[i].unsaid);
	}
	sim_resolvers_free(&getm->resolvers);
	sim_free(getm->access.memory);
	sim_free(getm->packet.memory);
	sim_free(getm->warp);
	sim_free(getm->core);
	sim_free(getm->partition);
	sim_free(getm);
}

static uint32_t bits_for(uint64_t values)
{
	uint32_t bits = 0;

	while (UINT64_C(1) << bits < values)
		bits++;
	return bits;
}

/* The other units take fields from validation_unit, and all units from the machine and the
 * addresses used. */
static void derive(struct sim_port *port, struct getm *getm)
{
	const struct getm_config *asked = port->system_config;
	struct getm_config *config = &getm->config;
	struct gputm_validation_unit_config *unit = &config->validation_unit;
	uint32_t address_bits = bits_for(port->workload->lock_base);

	*config = *asked;
	if (unit->address_bits < address_bits)
		unit->address_bits = address_bits < SIM_ADDRESS_BITS ? address_bits :
								       SIM_ADDRESS_BITS;
	unit->units = port->shape.partitions;
	unit->seed += port->seed - 1;
	config->tx_log.address_bits = config->warp_access_filter.address_bits =
		config->commit_buffer.address_bits = config->ownership_table.address_bits =
			unit->address_bits;
	config->commit_buffer.granularity = unit->granularity;
	config->warp_clock.time_bits = unit->time_bits;
	config->warp_clock.margin = unit->margin;
	getm->unit_ticks = port->unit_ticks > 1 ? port->unit_ticks / 2 : 1;
	getm->granule_shift = bits_for(unit->granularity / 4);
	if (getm->granule_shift > 5)
		getm->granule_shift = 5; /* a line is at most 32 words */
	getm->lane_bits = bits_for(port->shape.lanes);
	getm->warp_bits = bits_for((uint64_t)port->shape.cores * port->shape.warps);
	getm->access.block = sizeof(struct getm_access);
	getm->packet.block = sizeof(struct getm_packet);
}

static bool fits(struct sim_port *port, const struct getm_config *config)
{
	return sim_logs_fit(port, &config->tx_log) &&
	       SIM_SAME(port, config, warp_access_filter, lanes) &&
	       SIM_SAME(port, config, warp_access_filter, warps) &&
	       SIM_SAME(port, config, warp_clock, warps);
}

static int make_core(struct sim_port *port, struct getm *getm, uint32_t index)
{
	struct getm_core *core = &getm->core[index];

	core->config = getm->config.warp_clock;
	core->config.seed += port->seed - 1 + ((uint64_t)index << 32);
	return sim_unit_add(port, "warp_clock", &kind_warp_clock, &core->config, &core->clock);
}

static int make_partition(struct sim_port *port, struct getm *getm, uint32_t index)
{
	struct getm_partition *partition = &getm->partition[index];

	partition->unreleased = sim_calloc((size_t)port->shape.cores * port->shape.warps,
				       sizeof *partition->unreleased);
	partition->unsaid = sim_calloc((size_t)port->shape.cores * port->shape.warps,
				   sizeof *partition->unsaid);
	if (!partition->unreleased || !partition->unsaid)
		return -ENOMEM;
	partition->config = getm->config.validation_unit;
	partition->config.id = index;
	return sim_unit_add(port, "validation_unit", &kind_validation_unit, &partition->config,
			    &partition->unit);
}

static const struct gputm_tx_log *log_of(const struct sim_port *port, const struct sim_warp *warp)
{
	return sim_getm_warp(port, warp)->log;
}

/* What compares the lanes of a warp: a filter of each access, or a table of those that commit. */
static int make_filters(struct sim_port *port, struct getm *getm)
{
	const struct resolver_use use = { RESOLVER_2PCR, getm->config.system.resolver_overhead,
					  &getm->config.ownership_table, NULL, log_of,
					  sim_getm_resolved };
	int error = 0;

	if (getm->config.system.resolver == GETM_AT_COMMIT)
		return sim_resolvers_make(port, &getm->resolvers, &use);
	for (uint32_t i = 0; !error && i < port->shape.cores; i++)
		error = sim_unit_add(port, "warp_access_filter", &kind_warp_access_filter,
				     &getm->config.warp_access_filter, &getm->core[i].filter);
	return error;
}

static int make_units(struct sim_port *port, struct getm *getm)
{
	uint32_t cores = port->shape.cores, partitions = port->shape.partitions;
	int error = sim_logs_make(port, &getm->config.tx_log, &getm->warp->log,
				  sizeof *getm->warp);

	for (uint32_t i = 0; !error && i < cores; i++)
		error = make_core(port, getm, i);
	if (!error)
		error = make_filters(port, getm);
	for (uint32_t i = 0; !error && i < partitions; i++)
		error = make_partition(port, getm, i);
	for (uint32_t i = 0; !error && i < partitions; i++)
		error = sim_unit_show(port, "metadata_table", &kind_table,
				      &getm->partition[i].unit);
	for (uint32_t i = 0; !error && i < partitions; i++)
		error = sim_unit_show(port, "stall_buffer", &kind_buffer,
				      &getm->partition[i].unit);
	for (uint32_t i = 0; !error && i < partitions; i++)
		error = sim_unit_add(port, "commit_buffer", &kind_commit_buffer,
				     &getm->config.commit_buffer, &getm->partition[i].buffer);
	return error;
}

static void warp_check(const struct sim_port *port, const struct getm_warp *warp,
		       struct sim_io *io)
{
	uint32_t failed = 0;

	for (uint32_t i = 0; i < GETM_FAILURES; i++)
		failed |= warp->failed[i] | warp->load_failed[i];
	SIM_IO_FLAG(io, warp->begun);
	sim_io_below(io, "warp", (unsigned)warp->phase, GETM_OVER + 1);
	sim_lanes_must(port, io, "warp", failed | warp->aborted);
}

/* Of all accesses, as the tags of a unit name them, too. */
static void access_check(const struct sim_port *port, const struct getm_access *access,
			 struct sim_io *io)
{
	const struct getm *getm = port->state;
	const uint32_t warps = port->shape.cores * port->shape.warps;
	uint32_t failed = 0;

	for (uint32_t i = 0; i < GETM_FAILURES; i++)
		failed |= access->failed[i];
	SIM_IO_FLAG(io, access->write);
	sim_io_below(io, "access", access->warp, warps);
	sim_io_must(io, "access", access->index < port->shape.warps &&
					  access->core * port->shape.warps + access->index ==
						  access->warp);
	sim_lanes_must(port, io, "access",
		       access->lanes | access->leads | access->granted | failed);
	for (uint32_t i = 0; i < SIM_MAX_LANES; i++)
		sim_io_below(io, "access", access->word[i], 32);
	sim_io_must(io, "access", !sim_io_ok(io) || !access->write ||
					  access->row < getm->warp[access->warp].granted_rows);
}

static void io(struct sim_port *port, struct sim_io *io)
{
	uint32_t warps = port->shape.cores * port->shape.warps;
	struct getm *getm = sim_getm_of(port);
	const uint32_t lane_bits = getm->lane_bits, warp_bits = getm->warp_bits;

	for (uint32_t i = 0; i < warps; i++) {
		struct getm_warp *warp = &getm->warp[i];

		SIM_IO_FROM(io, warp, sequence);
		SIM_IO(io, warp->granted_rows);
		sim_io_grown(io, "granted", &warp->granted, warp->granted_rows,
			     sizeof *warp->granted);
		warp_check(port, warp, io);
	}
	for (uint32_t i = 0; i < port->shape.cores; i++) {
		struct getm_core *core = &getm->core[i];

		SIM_IO_FROM(io, core, walker_free);
		SIM_IO_FLAG(io, core->rolling);
		SIM_IO_FLAG(io, core->rolled);
		sim_io_below(io, "leader", core->leader, port->shape.partitions);
		sim_io_must(io, "held", !(core->held & ~(UINT64_MAX >> (64 - port->shape.warps))));
	}
	if (getm->resolvers.core)
		sim_resolvers_io(port, &getm->resolvers, io);
	sim_slab_io(&getm->access, io);
	sim_slab_io(&getm->packet, io);
	for (uint32_t i = 0; io->loading && sim_io_ok(io) && i < getm->access.used; i++)
		access_check(port, sim_slab_at(&getm->access, i), io);
	for (uint32_t i = 0; i < port->shape.partitions && sim_io_ok(io); i++) {
		struct getm_partition *partition = &getm->partition[i];

		sim_queue_io(port, &partition->accesses, SIM_ASKING, io);
		sim_queue_io(port, &partition->logs, SIM_ASKING, io);
		sim_queue_io(port, &partition->plain, SIM_ASKING, io);
		SIM_IO_ARRAY(io, partition->unreleased, warps);
		SIM_IO_ARRAY(io, partition->unsaid, warps);
		SIM_IO_FROM(io, partition, unit_ticks);
	}
	SIM_IO_FROM(io, getm, acks);
	sim_io_must(io, "bits", getm->lane_bits == lane_bits && getm->warp_bits == warp_bits);
	SIM_IO_FLAG(io, getm->rolling);
	SIM_IO_FLAG(io, getm->ring);
}

static void check(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		  struct sim_io *io)
{
	struct getm *getm = sim_getm_of(port);
	const bool up = message->what == GETM_ACCESS || message->what == GETM_LOG ||
			message->what == GETM_ROLLED;
	const struct getm_packet *packet;

	sim_io_must(io, "message", up == (way == SIM_ASKING) && message->what <= GETM_WRITTEN);
	if (message->what == GETM_ACCESS)
		sim_slab_claim(&getm->access, io, message->c);
	if (message->what == GETM_RESERVED)
		sim_lanes_must(port, io, "message", (message->b | message->b >> 32 | message->d |
						     message->e) & UINT32_MAX);
	if (message->what != GETM_LOG)
		return;
	sim_slab_claim(&getm->packet, io, message->c);
	if (!sim_io_ok(io))
		return;
	packet = sim_slab_at(&getm->packet, message->c);
	SIM_IO_FLAG(io, packet->cleanup);
	sim_io_below(io, "message", packet->warp, port->shape.cores * port->shape.warps);
	sim_io_below(io, "message", packet->count, SIM_MAX_LANES + 1);
}

static int make(struct sim_port *port)
{
	struct getm *getm = sim_calloc(1, sizeof *getm);
	uint32_t cores = port->shape.cores;

	port->state = getm;
	if (!getm)
		return -ENOMEM;
	derive(port, getm);
	getm->warp = sim_calloc((size_t)cores * port->shape.warps, sizeof *getm->warp);
	getm->core = sim_calloc(cores, sizeof *getm->core);
	getm->partition = sim_calloc(port->shape.partitions, sizeof *getm->partition);
	if (!getm->warp || !getm->core || !getm->partition)
		return -ENOMEM;
	return fits(port, &getm->config) ? make_units(port, getm) : -EINVAL;
}

/* At the end every reservation must have been released, and no access may wait. */
static void finished(struct sim_port *port)
{
	const struct getm *getm = port->state;
	char message[160];

	sim_getm_count(port);
	for (uint32_t i = 0; i < port->shape.partitions; i++) {
		const struct getm_partition *partition = &getm->partition[i];
		uint64_t writes = gputm_validation_unit_writes(partition->unit);
		uint64_t pending = gputm_validation_unit_pending(partition->unit);

		if (!writes && !pending)
			continue;
		snprintf(message, sizeof message,
			 "validation_unit %u: %" PRIu64 " reserved writes and %" PRIu64
			 " requests are left", i, writes, pending);
		sim_fail(port, -EILSEQ, message);
	}
}

static uint64_t core_tick(struct sim_port *port, uint32_t core)
{
	struct resolvers *resolvers = &sim_getm_of(port)->resolvers;
	uint64_t next;

	if (!resolvers->core) /* a forged state may call a core all the same */
		return SIM_NEVER;
	next = sim_resolver_tick(port, resolvers, core);
	return next <= sim_now(port) ? sim_now(port) + port->core_ticks : next;
}

static const char *const resolvers[] = { "access", "2pcr" };

static const struct gputm_param option_rows[] = {
	{ "commit_ack", (uint32_t)offsetof(struct getm_options, commit_ack), sizeof(bool), 0, 1, 0,
	  false, "1: a warp continues when its commit or cleanup is written, not when it is sent",
	  "released simulator", NULL },
	{ "resolver", (uint32_t)offsetof(struct getm_options, resolver), sizeof(uint32_t),
	  GETM_AT_ACCESS, GETM_AT_COMMIT, GETM_AT_ACCESS, false,
	  "how conflicts within a warp are found: at each access, or at the commit with an "
	  "ownership table", "GETM V-A; 2pcr: Table II", resolvers },
	{ "resolver_overhead", (uint32_t)offsetof(struct getm_options, resolver_overhead),
	  sizeof(bool), 0, 1, 1, false, "whether resolver = 2pcr takes time", "thesis 6.3", NULL },
};

static const struct gputm_params option_params = {
	"system", sizeof(struct getm_options), option_rows,
	sizeof option_rows / sizeof *option_rows, NULL, 0,
};

static const struct gputm_params *options(void)
{
	return &option_params;
}

static void init(void *memory, const struct sim_shape *shape)
{
	struct getm_config *config = memory;
	uint32_t warp_bits = bits_for((uint64_t)shape->cores * shape->warps);

	gputm_params_init(&option_params, &config->system, sizeof config->system);
	sim_logs_init(&config->tx_log, shape);
	gputm_params_init(gputm_warp_clock_params(), &config->warp_clock,
			  sizeof config->warp_clock);
	gputm_params_init(gputm_warp_access_filter_params(), &config->warp_access_filter,
			  sizeof config->warp_access_filter);
	gputm_params_init(gputm_validation_unit_params(), &config->validation_unit,
			  sizeof config->validation_unit);
	gputm_params_init(gputm_commit_buffer_params(), &config->commit_buffer,
			  sizeof config->commit_buffer);
	gputm_params_init(gputm_ownership_table_params(), &config->ownership_table,
			  sizeof config->ownership_table);
	config->ownership_table.hash = GPUTM_OWNERSHIP_TABLE_HASH_RELEASED;
	config->ownership_table.lanes = config->warp_access_filter.lanes = shape->lanes;
	config->warp_access_filter.warps = config->warp_clock.warps = shape->warps;
	config->validation_unit.units = shape->partitions;
	if (config->validation_unit.warp_bits < warp_bits)
		config->validation_unit.warp_bits = warp_bits;
}

static const struct sim_role roles[] = {
	{ "system", options, offsetof(struct getm_config, system) },
	SIM_ROLE(struct getm_config, tx_log),
	SIM_ROLE(struct getm_config, warp_clock),
	SIM_ROLE(struct getm_config, warp_access_filter),
	SIM_ROLE(struct getm_config, validation_unit),
	SIM_ROLE(struct getm_config, commit_buffer),
	SIM_ROLE(struct getm_config, ownership_table),
};

/* The other units take fields from validation_unit. */
static const struct sim_tie ties[] = {
	{ "validation_unit.address_bits", "tx_log.address_bits" },
	{ "validation_unit.address_bits", "warp_access_filter.address_bits" },
	{ "validation_unit.address_bits", "commit_buffer.address_bits" },
	{ "validation_unit.address_bits", "ownership_table.address_bits" },
	{ "validation_unit.granularity", "commit_buffer.granularity" },
	{ "validation_unit.time_bits", "warp_clock.time_bits" },
	{ "validation_unit.margin", "warp_clock.margin" },
	{ NULL, NULL },
};

#define LEAST_MARGIN 2 /* an access in flight exceeds the margin by one, and its warp by another */

/* The margin is a part of the range of times. */
static bool settle(void *memory, const struct sim_given *given, char *error, size_t size)
{
	struct getm_config *config = memory;
	uint64_t times = UINT64_C(1) << config->validation_unit.time_bits;

	if (!sim_given(given, "validation_unit.margin") &&
	    !sim_given(given, "warp_clock.margin") && config->validation_unit.margin >= times)
		config->validation_unit.margin = config->warp_clock.margin = times / 4;
	if (config->validation_unit.margin >= LEAST_MARGIN &&
	    config->validation_unit.margin < times)
		return true;
	snprintf(error, size, "validation_unit: margin = %" PRIu64 " is outside %u .. %" PRIu64
			      ", as time_bits = %u", config->validation_unit.margin, LEAST_MARGIN,
		 times - 1, config->validation_unit.time_bits);
	return false;
}

static bool at_access(const void *config)
{
	return ((const struct getm_config *)config)->system.resolver == GETM_AT_ACCESS;
}

static bool at_commit(const void *config)
{
	return !at_access(config);
}

static const struct sim_unused unused[] = {
	{ "ownership_table.", "system.resolver = 2pcr alone has that table", at_access },
	{ "system.resolver_overhead", "system.resolver = 2pcr alone takes time", at_access },
	{ "warp_access_filter.", "system.resolver = access alone has that unit", at_commit },
	SIM_NO_COMMIT_UNITS,
	SIM_LOG_UNUSED,
	SIM_LOG_BY_ROWS,
	{ "validation_unit.id", "each unit has the number of its partition", NULL },
	{ "validation_unit.units", "there is a unit in each of machine.partitions", NULL },
	{ NULL, NULL, NULL },
};

static const struct sim_inner inner[] = {
	{ "metadata_table", "validation_unit" },
	{ "stall_buffer", "validation_unit" },
	{ NULL, NULL },
};

static const struct sim_system_ops ops = {
	.make = make,
	.free = getm_free,
	.io = io,
	.check = check,
	.begin = sim_getm_begin,
	.load = sim_getm_load,
	.store = sim_getm_store,
	.loaded = sim_getm_loaded,
	.commit = sim_getm_commit,
	.at_partition = sim_getm_at_partition,
	.at_core = sim_getm_at_core,
	.completed = sim_getm_completed,
	.partition_tick = sim_getm_partition_tick,
	.core_tick = core_tick,
	.watch = sim_getm_hold,
	.hold = sim_getm_hold_plain,
	.finished = finished,
};

const struct sim_system_class sim_getm = {
	.name = "getm",
	.summary = "GETM: conflicts found at each access by logical time, commits beside the warp",
	.flavour = SIM_TRANSACTIONS,
	.config_size = sizeof(struct getm_config),
	.role = roles,
	.role_count = sizeof roles / sizeof *roles,
	.init = init,
	.ops = &ops,
	.tie = ties,
	.unused = unused,
	.inner = inner,
	.settle = settle,
};
