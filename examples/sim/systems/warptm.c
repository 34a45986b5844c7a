/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WarpTM (Fung, thesis 6.2, 6.3) and WarpTM with temporal conflict detection (6.4): Kilo TM
 * whose commits are those of whole warps. What is added here, beside a core:
 *
 *	tx_commit --> first_read: read-only lanes without a conflict commit silently (TCD)
 *	          --> ownership_table or sequential_resolver: lanes that conflict with lower
 *	              lanes abort, before anything leaves the core, and without back-off
 *	          --> commit_sequencer and commit units in warp mode, as in kilo_tm.c
 *
 * and beside a partition last_written, which notes the writes of the commit unit when the
 * L2 serves them and is asked for each line that the L2 serves to a transaction. The
 * answer travels with the reply (8 B). Times are core cycles.
 *
 * As roles first_read is "tcd" and last_written "tcd.filter"; the commit units count
 * pending writes by the blocks of the filter, whatever commit_unit.pending_block says.
 *
 * resolver.h has how a core resolves its warps. Logs are taken to hit the L1.
 *
 * Silent commits have no place of their own in the serial order; with --check the versions
 * of what they read tell where they may stand.
 */
#include <stdio.h>
#include <stdlib.h>

#include "systems.h"
#include "warptm.h"
#include "../base/arena.h"

static void begin(struct sim_port *port, struct sim_warp *warp, bool again)
{
	struct warptm *tm = sim_warptm_of(port);

	(void)again;
	tm->resolvers.core[warp->core].resolved &= ~(UINT64_C(1) << warp->index);
	if (tm->first_read)
		sim_tcd_begin(port, warp);
}

static uint64_t core_tick(struct sim_port *port, uint32_t core)
{
	struct resolvers *resolvers = &sim_warptm_of(port)->resolvers;
	uint64_t next = sim_kilo_core_tick(port, core);
	uint64_t due = sim_resolver_tick(port, resolvers, core);

	if (due <= sim_now(port))
		due = sim_now(port) + port->core_ticks;
	return due < next ? due : next;
}

/* Pass the warp to the sequencer, resolved or without need for that. */
static void hand_over(struct sim_port *port, struct sim_warp *warp)
{
	sim_warptm_of(port)->resolvers.core[warp->core].resolved |= UINT64_C(1) << warp->index;
	sim_kilo_commit(port, warp);
}

static void resolved(struct sim_port *port, struct sim_warp *warp, uint64_t aborted)
{
	if (aborted) {
		sim_tx_abort(port, warp, aborted, SIM_ABORT_INTRA_WARP);
		sim_log_restart(port, sim_warptm_of(port)->kilo.log[warp->number], aborted);
	}
	hand_over(port, warp);
}

static void commit(struct sim_port *port, struct sim_warp *warp)
{
	struct warptm *tm = sim_warptm_of(port);
	uint64_t lanes;

	/* The sequencer had no room at the last try. */
	if (tm->resolvers.core[warp->core].resolved >> warp->index & 1) {
		sim_kilo_commit(port, warp);
		return;
	}
	if (tm->committing && !sim_el_commit(port, warp))
		return;
	lanes = gputm_simt_stack_active_mask(warp->stack);
	if (tm->first_read)
		lanes = sim_tcd_commit(port, warp, lanes);
	if (tm->eapg && lanes)
		lanes = sim_eapg_commit(port, warp, lanes);
	if (!lanes) {
		sim_kilo_end_attempt(port, warp, 0, 0);
	} else if (tm->config->system.resolver == RESOLVER_NONE || !(lanes & (lanes - 1))) {
		hand_over(port, warp);
	} else {
		sim_resolver_push(port, &tm->resolvers, warp);
	}
}

/* ---- life ------------------------------------------------------------------------------------ */

static void warptm_free(struct sim_port *port)
{
	struct warptm *tm = sim_warptm_of(port);

	if (!tm)
		return;
	sim_resolvers_free(&tm->resolvers);
	sim_free(tm->first_read);
	sim_free(tm->last_written);
	sim_el_free(tm);
	sim_eapg_free(port, tm);
	sim_kilo_free(port);
}

static void warptm_io(struct sim_port *port, struct sim_io *io)
{
	struct warptm *tm = sim_warptm_of(port);

	sim_kilo_io(port, io);
	sim_resolvers_io(port, &tm->resolvers, io);
	if (tm->committing)
		sim_records_io(tm->committing, io);
	if (tm->eapg)
		sim_eapg_io(port, io);
}

static const struct gputm_tx_log *log_of(const struct sim_port *port, const struct sim_warp *warp)
{
	return sim_warptm_of(port)->kilo.log[warp->number];
}

static int make_resolvers(struct sim_port *port, struct warptm *tm)
{
	const struct warptm_config *config = tm->config;
	const struct resolver_use use = { config->system.resolver, config->system.resolver_overhead,
					  &config->ownership_table, &config->sequential_resolver,
					  log_of, resolved };

	return sim_resolvers_make(port, &tm->resolvers, &use);
}

static int make(struct sim_port *port, bool tcd)
{
	const struct warptm_config *config = port->system_config;
	struct warptm *tm = sim_calloc(1, sizeof *tm);
	int error;

	port->state = tm;
	if (!tm)
		return -ENOMEM;
	tm->config = config;
	if (config->system.resolver == RESOLVER_NONE && config->kilo.commit_unit.warp_mode)
		return sim_fail(port, -EINVAL,
				"system.resolver = none needs commit_unit.warp_mode = 0 and "
				"commit_sequencer.mode = 0: warp mode commits warps without "
				"conflicts between their lanes");
	if (!sim_same(port, "commit_sequencer.mode", config->kilo.commit_sequencer.mode,
		      "commit_unit.warp_mode", config->kilo.commit_unit.warp_mode))
		return -EINVAL;
	tm->kilo_config = config->kilo;
	tm->kilo_config.system.isolation = config->system.isolation;
	tm->kilo_config.system.backoff_from = config->system.backoff_from;
	if (tcd)
		tm->kilo_config.commit_unit.pending_block = config->last_written.granularity;
	error = sim_kilo_make(port, &tm->kilo, &tm->kilo_config);
	if (!error)
		error = make_resolvers(port, tm);
	if (!error && tcd)
		error = sim_tcd_make(port, tm);
	return error;
}

static int make_warptm(struct sim_port *port)
{
	return make(port, false);
}

static int make_warptm_tcd(struct sim_port *port)
{
	return make(port, true);
}

static int make_warptm_el(struct sim_port *port)
{
	int error = make(port, true);
	struct warptm *tm = sim_warptm_of(port);

	if (error)
		return error;
	tm->kilo.at_once = tm->config->system.commit_trips == 1;
	return sim_el_make(port, tm);
}

static int make_eapg(struct sim_port *port)
{
	const struct warptm_config *config = port->system_config;
	int error;

	if (!config->kilo.commit_unit.warp_mode)
		return sim_fail(port, -EINVAL,
				"system eapg needs commit_unit.warp_mode = 1: the words of a warp "
				"leave the tables together");
	error = make(port, true);
	return error ? error : sim_eapg_make(port, sim_warptm_of(port));
}

#define ROW_OF(field, lo, hi, standard, sentence, source, names)                               \
	{ #field, (uint32_t)offsetof(struct options, field),                                   \
	  (uint32_t)sizeof(((struct options *)0)->field), (lo), (hi), (standard), false,       \
	  (sentence), (source), (names) }
#define ROW(field, lo, hi, standard, sentence, names)                                          \
	ROW_OF(field, lo, hi, standard, sentence, "thesis 6.3", names)

static const char *const resolvers[] = { "none", "ideal", "2pcr", "scr" };

static const char *const early_aborts[] = { "none", "commit", "running" };
static const char *const broadcasts[] = { "flit", "addresses" };

#define OPTIONS                                                                                \
	ROW(resolver, RESOLVER_NONE, RESOLVER_SCR, RESOLVER_2PCR,                              \
	    "how conflicts within a warp are resolved; ideal: exact and sequential", resolvers), \
		ROW(resolver_overhead, 0, 1, 1, "whether that takes time", NULL),              \
		SIM_KILO_ROWS(options)

static const struct gputm_param option_rows[] = { OPTIONS };

static const struct gputm_param el_rows[] = {
	OPTIONS,
	ROW_OF(commit_trips, 1, 2, 2,
	       "round trips of a commit; 1: its validation, outcomes and verdicts take no message "
	       "and no time, as accesses have been validated",
	       "GETM, section III: steps (i) and (ii) for every access, with no latency", NULL),
};

static const struct gputm_param eapg_rows[] = {
	OPTIONS,
	ROW_OF(early_abort, EARLY_NONE, EARLY_RUNNING, EARLY_COMMIT,
	       "when logs are looked up: before a commit, or also when words have been told",
	       "GETM's simulator", early_aborts),
	ROW_OF(pause, 0, 1, 1, "whether lanes pause at words that are being committed",
	       "GETM's simulator", NULL),
	ROW_OF(broadcast, BROADCAST_FLIT, BROADCAST_ADDRESSES, BROADCAST_FLIT,
	       "a broadcast has 8 bytes; addresses: and 4 for each word that it tells",
	       "GETM VI, footnote 3; EAPG's simulator", broadcasts),
};

static const struct gputm_params option_params = {
	"system", sizeof(struct options), option_rows,
	sizeof option_rows / sizeof *option_rows, NULL, 0,
};

static const struct gputm_params *options(void)
{
	return &option_params;
}

static const struct gputm_params el_params = {
	"system", sizeof(struct options), el_rows, sizeof el_rows / sizeof *el_rows, NULL, 0,
};

static const struct gputm_params *el_options(void)
{
	return &el_params;
}

static const struct gputm_params eapg_params = {
	"system", sizeof(struct options), eapg_rows, sizeof eapg_rows / sizeof *eapg_rows, NULL, 0,
};

static const struct gputm_params *eapg_options(void)
{
	return &eapg_params;
}

static void init(void *memory, const struct sim_shape *shape)
{
	struct warptm_config *config = memory;
	struct gputm_commit_sequencer_config *sequencer = &config->kilo.commit_sequencer;

	sim_kilo_init(&config->kilo, shape);
	sequencer->mode = GPUTM_COMMIT_SEQUENCER_MODE_WARP;
	sequencer->intra_warp_resolved = true;
	sequencer->pack_done = sequencer->pack_verdict = true;
	config->kilo.commit_unit.warp_mode = true;
	config->kilo.commit_unit.serial_input = false;
	config->kilo.commit_unit.entry_done = GPUTM_COMMIT_UNIT_ENTRY_DONE_FALSE;
	gputm_params_init(&option_params, &config->system, sizeof config->system);
	gputm_params_init(gputm_ownership_table_params(), &config->ownership_table,
			  sizeof config->ownership_table);
	gputm_params_init(gputm_sequential_resolver_params(), &config->sequential_resolver,
			  sizeof config->sequential_resolver);
	gputm_params_init(gputm_first_read_params(), &config->first_read,
			  sizeof config->first_read);
	gputm_params_init(gputm_last_written_params(), &config->last_written,
			  sizeof config->last_written);
	config->ownership_table.hash = GPUTM_OWNERSHIP_TABLE_HASH_RELEASED;
	config->ownership_table.lanes = config->sequential_resolver.lanes = shape->lanes;
	config->ownership_table.address_bits = SIM_ADDRESS_BITS;
	config->sequential_resolver.address_bits = SIM_ADDRESS_BITS;
	config->last_written.address_bits = SIM_ADDRESS_BITS;
	config->first_read.lanes = shape->lanes;
	config->first_read.warps = shape->warps;
}

static void init_el(void *memory, const struct sim_shape *shape)
{
	struct warptm_config *config = memory;

	init(memory, shape);
	gputm_params_init(&el_params, &config->system, sizeof config->system);
}

static void init_eapg(void *memory, const struct sim_shape *shape)
{
	struct warptm_config *config = memory;

	init(memory, shape);
	gputm_params_init(&eapg_params, &config->system, sizeof config->system);
	gputm_params_init(gputm_reference_count_table_params(), &config->reference_count_table,
			  sizeof config->reference_count_table);
	gputm_params_init(gputm_conflict_address_table_params(), &config->conflict_address_table,
			  sizeof config->conflict_address_table);
	config->reference_count_table.address_bits = SIM_ADDRESS_BITS;
	config->conflict_address_table.address_bits = SIM_ADDRESS_BITS;
}

#define TCD_ROLES 2 /* the last ones of roles[] */
#define ROLES                                                                                  \
	SIM_KILO_ROLES, SIM_ROLE(struct warptm_config, ownership_table),                       \
		SIM_ROLE(struct warptm_config, sequential_resolver),                           \
		{ "tcd", gputm_first_read_params, offsetof(struct warptm_config, first_read) }, \
		{ "tcd.filter", gputm_last_written_params,                                     \
		  offsetof(struct warptm_config, last_written) }

static const struct sim_role roles[] = {
	{ "system", options, offsetof(struct warptm_config, system) },
	ROLES,
};

static const struct sim_role el_roles[] = {
	{ "system", el_options, offsetof(struct warptm_config, system) },
	ROLES,
};

static const struct sim_role eapg_roles[] = {
	{ "system", eapg_options, offsetof(struct warptm_config, system) },
	ROLES,
	SIM_ROLE(struct warptm_config, reference_count_table),
	SIM_ROLE(struct warptm_config, conflict_address_table),
};

static bool not_2pcr(const void *config)
{
	return ((const struct warptm_config *)config)->system.resolver != RESOLVER_2PCR;
}

static bool not_sequential(const void *config)
{
	uint32_t resolver = ((const struct warptm_config *)config)->system.resolver;

	return resolver != RESOLVER_SCR && resolver != RESOLVER_IDEAL;
}

static bool no_resolver(const void *config)
{
	return ((const struct warptm_config *)config)->system.resolver == RESOLVER_NONE;
}

static const struct sim_tie ties[] = {
	SIM_KILO_TIES,
	{ "commit_unit.warp_mode", "commit_sequencer.mode" },
	{ NULL, NULL },
};

#define RESOLVER_UNUSED                                                                        \
	{ "ownership_table.", "system.resolver = 2pcr alone has that table", not_2pcr },       \
		{ "sequential_resolver.", "system.resolver = scr or ideal alone has that unit", \
		  not_sequential },                                                            \
		{ "system.resolver_overhead", "system.resolver = none resolves nothing",       \
		  no_resolver }

static const struct sim_unused unused[] = {
	SIM_KILO_UNUSED, RESOLVER_UNUSED, { NULL, NULL, NULL },
};

static const struct sim_unused tcd_unused[] = {
	{ "commit_unit.pending_block", "a block is that of tcd.filter.granularity", NULL },
	RESOLVER_UNUSED,
	{ NULL, NULL, NULL },
};

/* Without resolution, a warp cannot commit as a whole. */
static bool settle(void *memory, const struct sim_given *given, char *error, size_t size)
{
	struct warptm_config *config = memory;
	bool mode = sim_given(given, "commit_unit.warp_mode") ||
		    sim_given(given, "commit_sequencer.mode");

	if (config->system.resolver == RESOLVER_NONE && !mode) {
		config->kilo.commit_unit.warp_mode = false;
		config->kilo.commit_sequencer.mode = GPUTM_COMMIT_SEQUENCER_MODE_SCALAR;
	}
	if (!config->kilo.commit_unit.warp_mode) { /* as Kilo TM */
		if (!sim_given(given, "commit_unit.serial_input"))
			config->kilo.commit_unit.serial_input = true;
		if (!sim_given(given, "commit_unit.entry_done"))
			config->kilo.commit_unit.entry_done = GPUTM_COMMIT_UNIT_ENTRY_DONE_TRUE;
	}
	return sim_kilo_settle(&config->kilo, given, error, size);
}

#define RUN_BITS 40 /* a run of so many cycles takes days */

/* Times of the two tables are cycles, which do not start again. */
static bool settle_tcd(void *memory, const struct sim_given *given, char *error, size_t size)
{
	const struct warptm_config *config = memory;
	uint32_t filter = config->last_written.time_bits, table = config->first_read.time_bits;

	if (config->system.isolation == ISOLATION_STRONG) {
		snprintf(error, size, "system.isolation = strong needs system kilo-tm or warptm: "
				      "silent commits are in no order with one another");
		return false;
	}
	if (filter >= RUN_BITS && table >= RUN_BITS)
		return settle(memory, given, error, size);
	snprintf(error, size, "%s: time_bits = %u is outside %u .. 64, as it holds any cycle of a "
			      "run", filter < RUN_BITS ? "tcd.filter" : "tcd",
		 filter < RUN_BITS ? filter : table, RUN_BITS);
	return false;
}

static bool settle_eapg(void *memory, const struct sim_given *given, char *error, size_t size)
{
	const struct warptm_config *config = memory;

	if (config->system.resolver != RESOLVER_NONE)
		return settle_tcd(memory, given, error, size);
	snprintf(error, size, "system.resolver = none is not for system eapg, which commits whole "
			      "warps");
	return false;
}

static const struct sim_system_ops ops = {
	.make = make_warptm,
	.free = warptm_free,
	.io = warptm_io,
	.begin = begin,
	.load = sim_kilo_load,
	SIM_KILO_OPS,
	.commit = commit,
	.core_tick = core_tick,
};

static const struct sim_system_ops tcd_ops = {
	.versions = true,
	.make = make_warptm_tcd,
	.free = warptm_free,
	.io = warptm_io,
	.begin = begin,
	.load = sim_tcd_load,
	SIM_KILO_OPS,
	.served = sim_tcd_served,
	.commit = commit,
	.core_tick = core_tick,
};

static const struct sim_system_ops el_ops = {
	.versions = true,
	.make = make_warptm_el,
	.free = warptm_free,
	.io = warptm_io,
	.begin = begin,
	.load = sim_el_load,
	.store = sim_el_store,
	.loaded = sim_kilo_loaded,
	.watch = sim_el_watch,
	SIM_KILO_MESSAGES,
	.served = sim_tcd_served,
	.commit = commit,
	.core_tick = core_tick,
};

static const struct sim_system_ops eapg_ops = {
	.versions = true,
	.make = make_eapg,
	.free = warptm_free,
	.io = warptm_io,
	.begin = begin,
	.load = sim_tcd_load,
	.store = sim_kilo_store,
	.pause = sim_eapg_pause,
	.loaded = sim_kilo_loaded,
	.watch = sim_eapg_watch,
	.at_partition = sim_kilo_at_partition,
	.at_core = sim_eapg_at_core,
	.completed = sim_kilo_completed,
	.partition_tick = sim_kilo_partition_tick,
	.keep = sim_strong_keep,
	.check = sim_eapg_check,
	.served = sim_tcd_served,
	.commit = commit,
	.core_tick = core_tick,
	.finished = sim_eapg_finished,
};

const struct sim_system_class sim_warptm = {
	.name = "warptm",
	.summary = "WarpTM: Kilo TM that commits whole warps, conflicts within them resolved",
	.flavour = SIM_TRANSACTIONS,
	.config_size = sizeof(struct warptm_config),
	.role = roles,
	.role_count = sizeof roles / sizeof *roles - TCD_ROLES,
	.init = init,
	.ops = &ops,
	.tie = ties,
	.unused = unused,
	.settle = settle,
};

const struct sim_system_class sim_warptm_tcd = {
	.name = "warptm-tcd",
	.summary = "WarpTM with temporal conflict detection: silent read-only commits",
	.flavour = SIM_TRANSACTIONS,
	.config_size = sizeof(struct warptm_config),
	.role = roles,
	.role_count = sizeof roles / sizeof *roles,
	.init = init,
	.ops = &tcd_ops,
	.tie = ties,
	.unused = tcd_unused,
	.settle = settle_tcd,
};

const struct sim_system_class sim_warptm_el = {
	.name = "warptm-el",
	.summary = "WarpTM with TCD that also validates at each access, for free",
	.flavour = SIM_TRANSACTIONS,
	.config_size = sizeof(struct warptm_config),
	.role = el_roles,
	.role_count = sizeof el_roles / sizeof *el_roles,
	.init = init_el,
	.ops = &el_ops,
	.tie = ties,
	.unused = tcd_unused,
	.settle = settle_tcd,
};

const struct sim_system_class sim_eapg = {
	.name = "eapg",
	.summary = "WarpTM with TCD, early abort and pause-and-go, idealised (GETM's baseline)",
	.flavour = SIM_TRANSACTIONS,
	.config_size = sizeof(struct warptm_config),
	.role = eapg_roles,
	.role_count = sizeof eapg_roles / sizeof *eapg_roles,
	.init = init_eapg,
	.ops = &eapg_ops,
	.tie = ties,
	.unused = tcd_unused,
	.settle = settle_eapg,
};
