/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kilo TM (Fung, thesis chapter 4): lazy, value-based, committed in parallel at the memory
 * partitions. This file only connects the units with the machine:
 *
 *	core                                   partition
 *	simt_stack  tx_throttle                commit_unit (with last_writer)
 *	tx_log per warp                          |  validation and commit ports -> L2
 *	commit_sequencer  ---- packets ---->     |
 *	       ^  |       <--- reports -----     |
 *	       |  +-- CIDs and credits: commit_id (one for the GPU, a cycle, no message)
 *
 * A load looks up the warp's own writes (a cycle per row walked), goes to memory for
 * the other lanes and appends a row to the read log (a cycle); a store appends a row to the
 * write log. tx_commit hands the warp to the sequencer, which says when it is over and
 * which lanes failed. These run again after their back-off. The witness order is the CID.
 *
 * A warp's transaction that is older than the watchdog allows re-reads its read log row
 * by row with ordinary loads before its next instruction; lanes that find another value
 * abort.
 *
 * On a machine that compacts warps the logs of a thread are those of its static warp: an access
 * of threads from several of these takes a row, and a cycle, in each of their logs. The warps of
 * a commit are static ones.
 *
 * Messages that a full commit unit refuses wait at the partition in order of arrival,
 * resent words apart from the others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kilo_tm.h"
#include "logs.h"
#include "systems.h"
#include "../base/arena.h"

SIM_UNIT_KIND(commit_id, SIM_OF_MACHINE);
SIM_UNIT_KIND(commit_sequencer, SIM_OF_CORE);
SIM_UNIT_KIND(commit_unit, SIM_OF_PARTITION);

/* ---- accesses inside a transaction -------------------------------------------------------- */

static void log_read(struct sim_port *port, struct sim_warp *warp, uint64_t mask)
{
	struct kilo *kilo = port->state;
	uint32_t home, value[SIM_MAX_LANES];
	uint64_t rows = kilo->walked[warp->number];

	for (SIM_EACH_LANE(lane, mask))
		value[lane] = warp->loaded[lane];
	for (uint64_t left = mask, lanes; left; left &= ~lanes, rows++) {
		lanes = sim_home_lanes(warp, left, &home);
		sim_must(port,
			 gputm_tx_log_append_read(kilo->log[home], lanes, warp->address, value),
			 "the read log refused a row");
	}
	sim_tell_load(port, warp, mask);
	sim_wake_in(port, warp, rows);
}

void sim_kilo_load(struct sim_port *port, struct sim_warp *warp)
{
	struct kilo *kilo = port->state;
	uint32_t rows = 0, home;
	uint64_t wanted = 0;

	for (uint64_t left = warp->mask, lanes; left; left &= ~lanes) {
		lanes = warp->mask = sim_home_lanes(warp, left, &home);
		rows += sim_log_own_writes(port, kilo->log[home], warp);
		wanted |= warp->mask;
	}
	warp->mask = wanted;
	kilo->walked[warp->number] = rows;
	if (warp->mask)
		sim_access(port, warp, SIM_LOAD, warp->mask);
	else
		sim_wake_in(port, warp, 1 + rows);
}

void sim_kilo_store(struct sim_port *port, struct sim_warp *warp)
{
	struct kilo *kilo = port->state;
	uint64_t logs = 0, all = warp->mask;
	uint32_t home;

	for (uint64_t left = all; left; left &= ~warp->mask, logs++) {
		warp->mask = sim_home_lanes(warp, left, &home);
		sim_log_store(port, kilo->log[home], warp);
	}
	warp->mask = all;
	sim_wake_in(port, warp, port->shape.plain_latency + logs - 1);
}

/* ---- watchdog -------------------------------------------------------------------------- */

/* The watchdog starts to count now; compacted warps share a watchdog for their block. */
static void start_anew(struct sim_port *port, struct sim_warp *warp)
{
	struct kilo *kilo = port->state;

	kilo->watch[warp->number].looked_at = sim_now(port);
	for (uint32_t i = 0; !warp->stack && i < port->shape.warps; i++) {
		struct sim_warp *other = sim_warp_of(port, warp->core, i);

		if (other->block == warp->block)
			kilo->watch[other->number].looked_at = sim_now(port);
	}
}

static void watch_end(struct sim_port *port, struct sim_warp *warp)
{
	struct kilo *kilo = port->state;
	uint32_t number = warp->number, home;
	struct kilo_watch *watch = &kilo->watch[number];

	for (uint32_t i = 0; i < port->shape.lanes; i++)
		warp->loaded[i] = watch->loaded[i];
	watch->on = false;
	watch->passed = true;
	start_anew(port, warp);
	sim_wake(port, warp, sim_now(port));
	if (!watch->wrong)
		return;
	for (uint64_t left = watch->wrong, lanes; left; left &= ~lanes) {
		lanes = sim_home_lanes(warp, left, &home);
		sim_log_restart(port, kilo->log[home], lanes);
	}
	if (!warp->stack) {
		port->host->abandon(port, warp, watch->wrong);
		return;
	}
	sim_tx_abort(port, warp, watch->wrong, SIM_ABORT_WATCHDOG);
	if (!gputm_simt_stack_tx_running(warp->stack))
		sim_kilo_end_attempt(port, warp, watch->wrong, 0);
}

/* The entries of the watched lanes in a row of their logs; false: no log has this row. */
static bool watched_row(struct sim_port *port, struct sim_warp *warp, uint64_t *mask,
			uint32_t value[])
{
	struct kilo *kilo = port->state;
	const struct kilo_watch *watch = &kilo->watch[warp->number];
	bool any = false;
	uint32_t home;

	*mask = 0;
	for (uint64_t left = watch->lanes, lanes; left; left &= ~lanes) {
		const struct gputm_tx_log *log;
		struct gputm_tx_log_row row;

		lanes = sim_home_lanes(warp, left, &home);
		log = kilo->log[home];
		if (watch->row >= gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_READ))
			continue;
		row = sim_log_row(port, log, GPUTM_TX_LOG_KIND_READ, watch->row);
		for (SIM_EACH_LANE(lane, row.mask & lanes)) {
			warp->address[lane] = row.address[lane];
			value[lane] = row.value[lane];
		}
		*mask |= row.mask & lanes;
		any = true;
	}
	return any;
}

/* Read the next row of a lane that has not failed. */
static void watch_row(struct sim_port *port, struct sim_warp *warp)
{
	struct kilo *kilo = port->state;
	struct kilo_watch *watch = &kilo->watch[warp->number];
	uint32_t value[SIM_MAX_LANES];
	uint64_t lanes;

	for (; watched_row(port, warp, &lanes, value); watch->row++) {
		warp->mask = lanes & ~watch->wrong;
		if (warp->mask) {
			sim_access(port, warp, SIM_LOAD, warp->mask);
			return;
		}
	}
	watch_end(port, warp);
}

static void watch_loaded(struct sim_port *port, struct sim_warp *warp)
{
	struct kilo *kilo = port->state;
	struct kilo_watch *watch = &kilo->watch[warp->number];
	uint32_t value[SIM_MAX_LANES];
	uint64_t lanes;

	watched_row(port, warp, &lanes, value);
	for (SIM_EACH_LANE(lane, warp->mask & lanes))
		if (warp->loaded[lane] != value[lane])
			watch->wrong |= UINT64_C(1) << lane;
	watch->row++;
	watch_row(port, warp);
}

bool sim_kilo_watch(struct sim_port *port, struct sim_warp *warp)
{
	struct kilo *kilo = port->state;
	struct kilo_watch *state = &kilo->watch[warp->number];
	uint64_t since = warp->started > state->looked_at ? warp->started : state->looked_at;
	uint64_t age = sim_now(port) - since;
	bool passed = state->passed;

	state->passed = false;
	if (passed || !gputm_commit_sequencer_overdue(kilo->core[warp->core].sequencer,
					    age / port->core_ticks))
		return false;
	state->on = true;
	state->row = 0;
	state->wrong = 0;
	state->lanes = warp->stack ? sim_all_lanes(port) : warp->active;
	for (uint32_t i = 0; i < port->shape.lanes; i++)
		state->loaded[i] = warp->loaded[i];
	watch_row(port, warp);
	return true;
}

void sim_kilo_loaded(struct sim_port *port, struct sim_warp *warp)
{
	struct kilo *kilo = port->state;

	if (kilo->watch[warp->number].on)
		watch_loaded(port, warp);
	else
		log_read(port, warp, warp->mask);
}

/* ---- life --------------------------------------------------------------------------------- */

void sim_kilo_free(struct sim_port *port)
{
	struct kilo *kilo = port->state;

	if (!kilo)
		return;
	for (uint32_t i = 0; kilo->core && i < port->shape.cores; i++)
		sim_free(kilo->core[i].refused.item);
	for (uint32_t i = 0; kilo->partition && i < port->shape.partitions; i++) {
		sim_free(kilo->partition[i].waiting.item);
		sim_free(kilo->partition[i].resent.item);
		sim_free(kilo->partition[i].held.item);
	}
	sim_free(kilo->small.memory);
	sim_free(kilo->large.memory);
	sim_free(kilo->log);
	sim_free(kilo->walked);
	sim_free(kilo->floor);
	sim_free(kilo->watch);
	sim_free(kilo->core);
	sim_free(kilo->partition);
	sim_free(kilo->owner);
	sim_free(kilo->holder);
	sim_free(kilo->failed_at);
	sim_free(kilo);
}

void sim_kilo_io(struct sim_port *port, struct sim_io *io)
{
	uint32_t cores = port->shape.cores, warps = cores * port->shape.warps;
	struct kilo *kilo = port->state;

	SIM_IO_ARRAY(io, kilo->walked, warps);
	SIM_IO_ARRAY(io, kilo->watch, warps);
	for (uint32_t i = 0; i < warps; i++) {
		SIM_IO_FLAG(io, kilo->watch[i].on);
		SIM_IO_FLAG(io, kilo->watch[i].passed);
		sim_lanes_must(port, io, "watch", kilo->watch[i].wrong | kilo->watch[i].lanes);
	}
	SIM_IO_ARRAY(io, kilo->floor, warps);
	SIM_IO(io, kilo->impatient);
	sim_slab_io(&kilo->small, io);
	sim_slab_io(&kilo->large, io);
	for (uint32_t i = 0; i < cores; i++) {
		SIM_IO(io, kilo->core[i].ticks);
		SIM_IO(io, kilo->core[i].short_of_credits);
		SIM_IO_FLAG(io, kilo->core[i].short_of_credits);
		sim_queue_io(port, &kilo->core[i].refused, SIM_ANSWERING, io);
	}
	for (uint32_t i = 0; i < port->shape.partitions; i++) {
		SIM_IO(io, kilo->partition[i].ticks);
		sim_queue_io(port, &kilo->partition[i].waiting, SIM_ASKING, io);
		sim_queue_io(port, &kilo->partition[i].resent, SIM_ASKING, io);
		sim_queue_io(port, &kilo->partition[i].held, SIM_ASKING, io);
	}
	SIM_IO(io, kilo->empty);
	SIM_IO_ARRAY(io, kilo->owner, kilo->owners);
	for (uint64_t i = 0; i < kilo->owners; i++)
		sim_io_below(io, "owner", kilo->owner[i], cores);
	if (!kilo->holder)
		return;
	SIM_IO_ARRAY(io, kilo->failed_at, warps);
	SIM_IO_ARRAY(io, kilo->holder, kilo->owners);
	for (uint64_t i = 0; i < kilo->owners; i++)
		sim_io_below(io, "holder", kilo->holder[i], port->shape.warps);
}

void sim_kilo_check(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		    struct sim_io *io)
{
	const struct kilo *kilo = port->state;
	bool small = message->what == PACKET_SMALL;
	const struct sim_slab *slab = small ? &kilo->small : &kilo->large;
	const struct gputm_commit_unit_message *packet;

	sim_io_must(io, "message", (message->what == REPORT) == (way == SIM_ANSWERING) &&
					   message->what <= REPORT);
	if (message->what == REPORT) {
		sim_io_below(io, "message", message->c & 0xff,
			     GPUTM_COMMIT_UNIT_REPORT_WRITTEN + 1);
		sim_io_must(io, "message", message->b != 0);
		return;
	}
	sim_slab_claim(slab, io, message->c);
	if (!sim_io_ok(io))
		return;
	packet = sim_slab_at(slab, message->c);
	sim_io_below(io, "message", packet->words,
		     (small ? SMALL_WORDS : GPUTM_COMMIT_UNIT_WORDS_MAX) + 1);
}

static int allocate(struct sim_port *port, struct kilo *kilo)
{
	size_t cores = port->shape.cores, warps = cores * port->shape.warps;

	kilo->small.block = SMALL_BYTES;
	kilo->large.block = sizeof(struct gputm_commit_unit_message);
	for (kilo->owners = 64; kilo->owners < kilo->config->commit_unit.ring;)
		kilo->owners *= 2;
	kilo->log = sim_calloc(warps, sizeof *kilo->log);
	kilo->walked = sim_calloc(warps, sizeof *kilo->walked);
	kilo->watch = sim_calloc(warps, sizeof *kilo->watch);
	kilo->floor = sim_calloc(warps, sizeof *kilo->floor);
	kilo->core = sim_calloc(cores, sizeof *kilo->core);
	kilo->partition = sim_calloc(port->shape.partitions, sizeof *kilo->partition);
	kilo->owner = sim_calloc(kilo->owners, sizeof *kilo->owner);
	if (kilo->config->system.backoff_from == BACKOFF_FROM_OUTCOME) {
		kilo->holder = sim_calloc(kilo->owners, sizeof *kilo->holder);
		kilo->failed_at = sim_calloc(warps, sizeof *kilo->failed_at);
		if (!kilo->holder || !kilo->failed_at)
			return -ENOMEM;
	}
	return kilo->log && kilo->walked && kilo->watch && kilo->floor && kilo->core &&
		       kilo->partition && kilo->owner ? 0 : -ENOMEM;
}

/* Logs come first: when a sequencer is made anew, it gets the logs of that moment. */
static int make_units(struct sim_port *port, struct kilo *kilo)
{
	const struct kilo_config *config = kilo->config;
	uint32_t cores = port->shape.cores, warps = port->shape.warps;
	int error = sim_logs_make(port, &config->tx_log, kilo->log, sizeof *kilo->log);

	if (!error)
		error = sim_unit_add(port, "commit_id", &kind_commit_id, &config->commit_id,
				     &kilo->vendor);
	for (uint32_t i = 0; !error && i < cores; i++) {
		struct kilo_core *core = &kilo->core[i];

		core->config = config->commit_sequencer;
		core->config.logs = (const struct gputm_tx_log *const *)&kilo->log[i * warps];
		error = sim_unit_add(port, "commit_sequencer", &kind_commit_sequencer,
				     &core->config, &core->sequencer);
		for (uint32_t w = 0; !error && w < warps; w++)
			error = gputm_commit_sequencer_attach(core->sequencer, w,
							      core->config.logs[w]);
	}
	for (uint32_t i = 0; !error && i < port->shape.partitions; i++)
		error = sim_unit_add(port, "commit_unit", &kind_commit_unit,
				     &config->commit_unit, &kilo->partition[i].unit);
	return error;
}

/* The configs of units must agree with the machine and with one another. */
static bool fits(struct sim_port *port, const struct kilo_config *config)
{
	const struct gputm_commit_id_config *vendor = &config->commit_id;
	const struct gputm_commit_unit_config *unit = &config->commit_unit;

	return sim_logs_fit(port, &config->tx_log) &&
	       SIM_SAME(port, config, commit_sequencer, lanes) &&
	       SIM_SAME(port, config, commit_sequencer, warps) &&
	       SIM_SAME(port, config, commit_sequencer, partitions) &&
	       SIM_SAME(port, config, commit_id, cores) &&
	       SIM_SAME(port, config, commit_id, partitions) &&
	       sim_same(port, "commit_id.ring", vendor->ring, "commit_unit.ring", unit->ring) &&
	       sim_same(port, "commit_id.first_cid", vendor->first_cid, "commit_unit.first_cid",
			unit->first_cid);
}

int sim_kilo_make(struct sim_port *port, struct kilo *kilo,
		  const struct kilo_config *config)
{
	int error;

	port->state = kilo;
	if (!kilo)
		return -ENOMEM;
	kilo->config = config;
	error = fits(port, config) ? allocate(port, kilo) : -EINVAL;
	if (!error)
		error = make_units(port, kilo);
	if (!error && config->system.isolation == ISOLATION_STRONG)
		error = sim_strong_make(port, kilo);
	return error;
}

static const struct gputm_param option_rows[] = { SIM_KILO_ROWS(kilo_options) };
const char *const sim_backoff_names[] = { "end", "outcome" };

static const struct gputm_params option_params = {
	"system", sizeof(struct kilo_options), option_rows,
	sizeof option_rows / sizeof *option_rows, NULL, 0,
};

static const struct gputm_params *options(void)
{
	return &option_params;
}

static int make(struct sim_port *port)
{
	const struct kilo_config *config = port->system_config;

	if (config->commit_unit.warp_mode ||
	    config->commit_sequencer.mode != GPUTM_COMMIT_SEQUENCER_MODE_SCALAR)
		return sim_fail(port, -EINVAL,
				"commit_unit.warp_mode and commit_sequencer.mode = warp need "
				"conflicts resolved within the warp: system warptm");
	return sim_kilo_make(port, sim_calloc(1, sizeof(struct kilo)), config);
}

void sim_kilo_init(void *memory, const struct sim_shape *shape)
{
	struct kilo_config *config = memory;
	uint32_t resident = shape->warps * shape->lanes, ring = shape->cores * resident;
	const char *packing = shape->pack_messages ? "reference" : "kilo-tm";

	gputm_params_init(&option_params, &config->system, sizeof config->system);
	sim_strong_init(&config->isolation);
	gputm_params_init(gputm_commit_sequencer_params(), &config->commit_sequencer,
			  sizeof config->commit_sequencer);
	if (gputm_commit_sequencer_config_preset(&config->commit_sequencer, packing))
		abort(); /* unreachable: a preset of that name exists */
	sim_logs_init(&config->tx_log, shape);
	gputm_params_init(gputm_commit_id_params(), &config->commit_id, sizeof config->commit_id);
	gputm_params_init(gputm_commit_unit_params(), &config->commit_unit,
			  sizeof config->commit_unit);
	config->commit_sequencer.spilled_row_cycles = shape->spill_latency;
	config->commit_sequencer.lanes = config->commit_unit.lanes = shape->lanes;
	config->commit_sequencer.partitions = config->commit_id.partitions = shape->partitions;
	config->tx_log.address_bits = config->commit_unit.address_bits = SIM_ADDRESS_BITS;
	config->commit_sequencer.warps = shape->warps;
	config->commit_id.cores = shape->cores;
	config->commit_unit.first_cid = config->commit_id.first_cid;
	config->commit_id.credits = shape->unbounded_ring ? 4 * resident : resident;
	config->commit_id.ring = shape->unbounded_ring ? 4 * ring : ring;
	config->commit_unit.ring = config->commit_id.ring;
	config->commit_unit.serial_input = true;
	config->commit_unit.entry_done = GPUTM_COMMIT_UNIT_ENTRY_DONE_TRUE;
	config->commit_unit.ordered_outcomes = GPUTM_COMMIT_UNIT_ORDERED_OUTCOMES_PASSING;
	config->commit_unit.empty_pool = GPUTM_COMMIT_UNIT_EMPTY_POOL_DEFER;
}

#define RING_MAX (1u << 22)

/* All pools together can have as many credits as the ring has entries. */
bool sim_kilo_settle(void *memory, const struct sim_given *given, char *error, size_t size)
{
	struct kilo_config *config = memory;
	struct gputm_commit_id_config *vendor = &config->commit_id;
	uint64_t pools = vendor->pools == GPUTM_COMMIT_ID_POOLS_PER_CORE ? vendor->cores : 1;
	uint64_t entries = pools * vendor->credits, least = pools * config->tx_log.lanes;
	bool ring = sim_given(given, "commit_unit.ring") || sim_given(given, "commit_id.ring");

	if (entries <= vendor->ring)
		return true;
	if (!ring && entries <= RING_MAX) {
		vendor->ring = config->commit_unit.ring = (uint32_t)entries;
		return true;
	}
	if (!sim_given(given, "commit_id.credits") && vendor->ring >= least) {
		vendor->credits = vendor->ring / (uint32_t)pools;
		return true;
	}
	if (!sim_given(given, "commit_id.credits"))
		entries = least;
	snprintf(error, size, "commit_unit.ring = %" PRIu32 " is outside %" PRIu64 " .. %u, as "
		 "%" PRIu64 " %s of commit_id.credits = %" PRIu64 " may have so many entries",
		 vendor->ring, entries, RING_MAX, pools,
		 pools == 1 ? "pool" : "pools", entries / pools);
	return false;
}

static const struct sim_role roles[] = {
	{ "system", options, offsetof(struct kilo_config, system) },
	SIM_KILO_ROLES,
};

static const struct sim_tie ties[] = { SIM_KILO_TIES, { NULL, NULL } };
static const struct sim_unused unused[] = { SIM_KILO_UNUSED, { NULL, NULL, NULL } };

static const struct sim_system_ops ops = {
	.make = make,
	.free = sim_kilo_free,
	.io = sim_kilo_io,
	.load = sim_kilo_load,
	SIM_KILO_OPS,
	.commit = sim_kilo_commit,
	.core_tick = sim_kilo_core_tick,
};

const struct sim_system_class sim_kilo_tm = {
	.name = "kilo-tm",
	.summary = "Kilo TM: lazy, value-based, committed in parallel at the memory partitions",
	.flavour = SIM_TRANSACTIONS,
	.config_size = sizeof(struct kilo_config),
	.role = roles,
	.role_count = sizeof roles / sizeof *roles,
	.init = sim_kilo_init,
	.ops = &ops,
	.tie = ties,
	.unused = unused,
	.settle = sim_kilo_settle,
	.compacts = true,
};
