/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshot isolation (Chen, Peng, Irving, ISCA 2017): a transaction reads the versions that
 * were sealed when it began, writes into its log and commits into the next version. Reads
 * never wait and are never validated; post-dating keeps what commits serialisable.
 *
 *	core                            beside the memory, one of each for the GPU
 *	tx_log per warp                 version_table, row_copier
 *	  load  --- address of the version ----->  reader_list, then an edge to each writer
 *	  store --- claim --------------------->   writer_table, then an edge from each reader
 *	        <-- answer ---                     timestamp_table judges the edges
 *	  commit -- words of the log --------->    the version that can be written
 *
 * Time. A transaction of a lane is an instance with an ID from a pool. Its snapshot is the
 * last version sealed when its first instruction issues. The address of a version is found as
 * the load leaves the core; the tables are asked when the request is at the L2 (a load) or at
 * its partition (a claim), whose answer leaves after as many cycles as the tables need.
 * A transaction found guilty is taken out of the tables at once, and its lane aborts before
 * its warp's next instruction.
 *
 * Commit. When all claims are answered nothing can stop a transaction any more: a claim
 * says no if the word has a commit that the snapshot lacks. So there is no vote; the log goes
 * to memory once the next version can be written. Other warps may join until the first has
 * written all; then the version is sealed, the warps go on and the next is copied. A thread
 * thus sees its own commits.
 *
 * Retention. A committed transaction stays in the tables until its version is sealed and no
 * running one has an older snapshot; a read-only one counts for the version that it read.
 *
 * Options. system.literal is the paper's text: timestamps by Fig. 7 to the letter, and
 * transactions forgotten when their commit is over. Its parts are timestamp_table.literal and
 * writer_table.release_at_commit. With system.detection = none there is no post-dating. None
 * of these is serialisable, as --check shows.
 *
 * si-tm-oracle finds loops in a graph at no cost, lets any number of transactions write a word
 * (the first that commits wins) and copies in no time.
 *
 * Memory. Versions lie far above the program's addresses, which mean the newest one outside
 * transactions. A plain store changes the newest and the next version as it issues.
 *
 * Full tables. The one that finds a table full aborts and nobody begins until a quarter of the
 * table is free again; then half as many warps may run at a time, and one more for
 * each that commits. Clocks that run out (a timestamp, or three quarters of the range of
 * creation times) abort all that runs; when all commits are sealed the clocks are at 1 again.
 *
 * Differences from the paper. Entries of an aborted or forgotten transaction leave the tables
 * in no time and without messages. The tables are not banked: each partition has a port, and
 * ports do not wait for one another. Cached lines are not written back before a copy.
 */
#include <stdio.h>
#include <stdlib.h>

#include "logs.h"
#include "si_tm.h"
#include "systems.h"
#include "../base/arena.h"

/* ---- life -------------------------------------------------------------------------------- */

static void free_lines(struct sim_port *port, struct si *si)
{
	for (uint32_t i = 0; si->walk && i < port->shape.cores; i++)
		sim_free(si->walk[i].warp);
	sim_free(si->walk);
	sim_free(si->waiting.warp);
	sim_free(si->committing.warp);
	sim_free(si->sealing.warp);
}

static void free_words(struct si_words *words)
{
	if (!words->lent)
		sim_free(words->address);
}

static void si_free(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	if (!si)
		return;
	if (si->detector->free)
		si->detector->free(port);
	for (uint32_t i = 0; si->partition && i < port->shape.partitions; i++) {
		sim_free(si->partition[i].writes.item);
		sim_free(si->partition[i].answers.item);
	}
	for (uint32_t i = 0; si->tx && i < si->ids; i++) {
		free_words(&si->tx[i].reads);
		free_words(&si->tx[i].writes);
	}
	for (uint32_t i = 0; i < SIM_REGIONS; i++)
		free_words(&si->region[i].written);
	free_lines(port, si);
	sim_free(si->packets.memory);
	sim_free(si->log);
	sim_free(si->warp);
	sim_free(si->partition);
	sim_free(si->tx);
	sim_free(si->few);
	sim_free(si->free_id);
	sim_free(si->version);
	sim_free(si->scratch);
	sim_free(si->writer_scratch);
	sim_free(si);
}

static void io_words(struct sim_io *io, struct si_words *words)
{
	SIM_IO(io, words->count);
	if (io->loading && words->lent)
		*words = (struct si_words){ .count = words->count };
	words->capacity = io->loading ? words->count : words->capacity;
	sim_io_grown(io, "words", &words->address, words->count, sizeof *words->address);
}

static void io_line(const struct sim_port *port, struct sim_io *io, struct si_line *line)
{
	const uint32_t warps = port->shape.cores * port->shape.warps;

	SIM_IO_ARRAY(io, line->warp, warps);
	SIM_IO(io, line->head);
	SIM_IO(io, line->count);
	sim_io_below(io, "line", line->head, warps);
	sim_io_below(io, "line", line->count, (uint64_t)warps + 1);
	for (uint32_t i = 0; i < warps; i++)
		sim_io_below(io, "line", line->warp[i], warps);
}

static void io_region(const struct si *si, struct sim_io *io, struct si_region *region)
{
	const uint32_t versions = si->made.version_table.versions;

	io_words(io, &region->written);
	SIM_IO_FROM(io, region, wants_copy);
	SIM_IO_FLAG(io, region->wants_copy);
	SIM_IO_FLAG(io, region->writable);
	sim_io_below(io, "region", region->from, versions);
	sim_io_below(io, "region", region->to, versions);
	for (uint32_t i = 0; i < versions; i++)
		sim_io_below(io, "region", region->seen[i], (uint64_t)region->written.count + 2);
	for (uint32_t i = 0; io->loading && sim_io_ok(io) && i < region->written.count; i++)
		sim_io_below(io, "region", region->written.address[i], region->logical.length);
}

/* The transactions that a version is forgotten with are lists, each transaction in one at most. */
static void versions_check(const struct si *si, struct sim_io *io)
{
	const uint64_t capacity = si->version_capacity;
	uint64_t left = si->ids;

	sim_io_must(io, "sealed", si->oldest <= si->sealed &&
					  si->sealed + 1 - si->oldest < capacity);
	for (uint64_t i = si->oldest; io->loading && sim_io_ok(io) && i <= si->sealed + 1; i++)
		for (uint32_t id = sim_si_version(si, i)->committed;
		     id != SI_NONE && sim_io_ok(io);) {
			sim_io_below(io, "version", id, si->ids);
			sim_io_must(io, "version", left-- != 0);
			sim_io_must(io, "version",
				    !sim_io_ok(io) || si->tx[id].state == SI_COMMITTED);
			id = sim_io_ok(io) ? si->tx[id].next : SI_NONE;
		}
}

/* Each transaction that runs is of one lane, which says so too. Each number that no transaction has
 * is free, once. */
static void ids_check(const struct sim_port *port, const struct si *si, struct sim_io *io)
{
	unsigned char *seen = sim_calloc(si->ids, 1);
	uint32_t idle = 0;

	io->starved |= !seen;
	for (uint32_t i = 0; i < port->shape.cores * port->shape.warps; i++)
		for (SIM_EACH_LANE(lane, si->warp[i].active)) {
			const struct si_tx *tx = &si->tx[si->warp[i].tx[lane]];

			sim_io_must(io, "warp", tx->state == SI_RUNNING && tx->warp == i &&
							tx->lane == lane);
		}
	for (uint32_t id = 0; id < si->ids; id++)
		idle += si->tx[id].state == SI_IDLE;
	sim_io_must(io, "free_count", si->free_count == idle);
	for (uint32_t i = 0; i < si->free_count && sim_io_ok(io); i++) {
		uint32_t id = si->free_id[(si->free_head + i) % si->ids];

		sim_io_must(io, "free_id", si->tx[id].state == SI_IDLE && !seen[id]);
		seen[id] = 1;
	}
	sim_free(seen);
}

static void io_versions(struct sim_io *io, struct si *si)
{
	SIM_IO(io, si->version_capacity);
	sim_io_must(io, "versions", si->version_capacity &&
					    !(si->version_capacity & (si->version_capacity - 1)));
	sim_io_grown(io, "versions", &si->version, si->version_capacity, sizeof *si->version);
	for (uint32_t i = 0; i < SIM_REGIONS; i++)
		io_region(si, io, &si->region[i]);
}

static void io_tx(const struct sim_port *port, struct sim_io *io, struct si_tx *tx)
{
	const struct si *si = sim_si_of(port);

	io_words(io, &tx->reads);
	io_words(io, &tx->writes);
	SIM_IO_FROM(io, tx, state);
	sim_io_below(io, "tx", (unsigned)tx->state, SI_COMMITTED + 1);
	sim_io_must(io, "tx", !(tx->held >> si->regions));
	sim_io_below(io, "tx", tx->warp, port->shape.cores * port->shape.warps);
	sim_io_below(io, "tx", tx->lane, SIM_MAX_LANES);
	for (uint32_t i = 0; io->loading && sim_io_ok(io) && i < tx->writes.count; i++)
		sim_io_must(io, "tx", sim_si_region_of(sim_si_of(port), tx->writes.address[i]));
}

static void io_warp(const struct sim_port *port, struct sim_io *io, const struct si_warp *warp)
{
	const struct si *si = sim_si_of(port);

	sim_io_below(io, "warp", (unsigned)warp->phase, SI_SEALING + 1);
	sim_lanes_must(port, io, "warp", warp->active | warp->doomed | warp->writers);
	SIM_IO_FLAG(io, warp->failed);
	SIM_IO_FLAG(io, warp->voted);
	sim_io_must(io, "warp", !(warp->left >> (port->shape.partitions - 1) >> 1));
	for (uint32_t i = 0; i < SIM_MAX_LANES; i++) {
		sim_io_below(io, "warp", warp->tx[i], si->ids);
		sim_io_below(io, "warp", warp->reason[i], SIM_ABORT_REASONS);
	}
}

static void packet_check(const struct sim_port *port, const struct si_packet *packet,
			 struct sim_io *io)
{
	sim_io_below(io, "packet", packet->core, port->shape.cores);
	sim_io_below(io, "packet", packet->warp, port->shape.warps);
	sim_io_below(io, "packet", packet->count, SIM_MAX_LANES + 1);
}

static void si_check(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		     struct sim_io *io)
{
	const struct si *si = sim_si_of(port);
	const bool up = message->what == SI_CLAIM || message->what == SI_VOTE ||
			message->what == SI_WRITE;

	sim_io_must(io, "message", up == (way == SIM_ASKING) && message->what <= SI_WRITTEN);
	sim_lanes_must(port, io, "message", message->b);
	if (message->what == SI_WRITE)
		sim_slab_claim(&si->packets, io, message->c);
}

static void si_io(struct sim_port *port, struct sim_io *io)
{
	struct si *si = sim_si_of(port);

	SIM_IO_ARRAY(io, si->warp, port->shape.cores * port->shape.warps);
	for (uint32_t i = 0; i < port->shape.cores * port->shape.warps; i++)
		io_warp(port, io, &si->warp[i]);
	sim_slab_io(&si->packets, io);
	for (uint32_t i = 0; io->loading && sim_io_ok(io) && i < si->packets.used; i++)
		if (!sim_slab_owned(&si->packets)[i])
			packet_check(port, sim_slab_at(&si->packets, i), io);
	for (uint32_t i = 0; i < port->shape.partitions; i++) {
		struct si_partition *partition = &si->partition[i];

		sim_queue_io(port, &partition->writes, SIM_ASKING, io);
		sim_queue_io(port, &partition->answers, SIM_ANSWERING, io);
		SIM_IO_FROM(io, partition, write_free);
	}
	for (uint32_t i = 0; i < port->shape.cores; i++)
		io_line(port, io, &si->walk[i]);
	for (uint32_t i = 0; i < port->shape.cores; i++)
		for (uint32_t k = 0; k < port->shape.cores * port->shape.warps; k++)
			sim_io_below(io, "line", si->walk[i].warp[k], port->shape.warps);
	for (uint32_t i = 0; i < si->ids && sim_io_ok(io); i++)
		io_tx(port, io, &si->tx[i]);
	SIM_IO_ARRAY(io, si->free_id, si->ids);
	for (uint32_t i = 0; i < si->ids; i++)
		sim_io_below(io, "free_id", si->free_id[i], si->ids);
	io_line(port, io, &si->waiting);
	io_line(port, io, &si->committing);
	io_line(port, io, &si->sealing);
	io_versions(io, si);
	SIM_IO_FROM(io, si, free_head);
	sim_io_below(io, "free_head", si->free_head, si->ids);
	sim_io_below(io, "free_count", si->free_count, (uint64_t)si->ids + 1);
	sim_io_must(io, "regions", si->regions == port->workload->regions);
	versions_check(si, io);
	if (io->loading && sim_io_ok(io))
		ids_check(port, si, io);
	SIM_IO_FLAG(io, si->full);
	if (sim_io_ok(io))
		sim_io_must(io, "full", !si->full || si->writers);
	SIM_IO_FLAG(io, si->restarting);
	SIM_IO_FLAG(io, si->closing);
	if (si->detector->io)
		si->detector->io(port, io);
}

static bool make_lines(struct sim_port *port, struct si *si)
{
	uint32_t cores = port->shape.cores, warps = cores * port->shape.warps;
	bool made = true;

	si->walk = sim_calloc(cores, sizeof *si->walk);
	for (uint32_t i = 0; si->walk && i < cores; i++)
		made &= (si->walk[i].warp = sim_calloc(warps, sizeof(uint32_t))) != NULL;
	si->waiting.warp = sim_calloc(warps, sizeof(uint32_t));
	si->committing.warp = sim_calloc(warps, sizeof(uint32_t));
	si->sealing.warp = sim_calloc(warps, sizeof(uint32_t));
	return made && si->walk && si->waiting.warp && si->committing.warp && si->sealing.warp;
}

static struct si_words lend(uint64_t *few)
{
	return (struct si_words){ .address = few, .capacity = SI_FEW, .lent = true };
}

static int allocate(struct sim_port *port, struct si *si)
{
	uint32_t warps = port->shape.cores * port->shape.warps;

	si->packets.block = sizeof(struct si_packet);
	si->version_capacity = 64;
	si->most_inside = warps;
	si->log = sim_calloc(warps, sizeof *si->log);
	si->warp = sim_calloc(warps, sizeof *si->warp);
	si->partition = sim_calloc(port->shape.partitions, sizeof *si->partition);
	si->tx = sim_calloc(si->ids, sizeof *si->tx);
	si->few = sim_calloc(si->ids, sizeof *si->few);
	si->free_id = sim_calloc(si->ids, sizeof *si->free_id);
	si->version = sim_calloc(si->version_capacity, sizeof *si->version);
	si->scratch = sim_calloc(si->ids, sizeof *si->scratch);
	si->writer_scratch = sim_calloc((size_t)si->ids + 1, sizeof *si->writer_scratch);
	if (!make_lines(port, si) || !si->log || !si->warp || !si->partition || !si->tx ||
	    !si->few || !si->free_id || !si->version || !si->scratch || !si->writer_scratch)
		return -ENOMEM;
	for (uint32_t i = 0; i < si->ids; i++) {
		si->tx[i].reads = lend(si->few[i][0]);
		si->tx[i].writes = lend(si->few[i][1]);
		si->free_id[i] = i;
	}
	si->free_count = si->ids;
	si->version[0].committed = si->version[1].committed = SI_NONE;
	return 0;
}

#define LEAST_TIME_BITS 15 /* a quarter of the range is longer than any commit */

/* Each version of a run has its own number, and contains at least one transaction. */
static int versions_fit(struct sim_port *port, uint32_t bits)
{
	uint64_t most = port->workload->transactions;
	uint32_t least = 32;
	char message[160];

	if (most)
		for (least = 1; (most + 1) >> least;)
			least++;
	if (bits >= least || bits >= 32)
		return 0;
	snprintf(message, sizeof message, "writer_table: version_bits = %u is outside %u .. 64, as "
		 "each commit of the run may be a version", bits, least);
	return sim_fail(port, -EINVAL, message);
}

static int fits(struct sim_port *port, const struct si *si)
{
	const struct si_config *made = &si->made;
	int error;

	if (!sim_logs_fit(port, &made->tx_log))
		return port->failed;
	if (si->ids < port->shape.lanes)
		return sim_fail(port, -EINVAL,
				"there must be as many transactions as a warp has lanes");
	if (made->version_table.time_bits < LEAST_TIME_BITS)
		return sim_fail(port, -EINVAL, "version_table.time_bits must be at least 15");
	if (made->version_table.reference_bits < 32 &&
	    si->ids >> made->version_table.reference_bits)
		return sim_fail(port, -EINVAL,
				"2^version_table.reference_bits must be more than the "
				"transactions");
	if (made->version_table.plain_as_given)
		return sim_fail(port, -EINVAL,
				"version_table.plain_as_given = 1 is outside 0 .. 0, as a plain "
				"access is to the newest version");
	if (si->detector->instant)
		return 0;
	error = versions_fit(port, made->writer_table.version_bits);
	if (error)
		return error;
	if (made->row_copier.requests < port->workload->regions)
		return sim_fail(port, -EINVAL,
				"row_copier.requests must be at least the regions of the "
				"workload");
	if (!sim_same(port, "writer_table.transactions", made->writer_table.transactions,
		      "timestamp_table.transactions", si->ids) ||
	    !sim_same(port, "writer_table.word_bytes", made->writer_table.word_bytes,
		      "reader_list.word_bytes", made->reader_list.word_bytes) ||
	    !sim_same(port, "version_table.stamp_bits", made->version_table.stamp_bits,
		      "timestamp_table.stamp_bits", made->timestamp_table.stamp_bits))
		return port->failed;
	if (made->reader_list.root_bits * made->reader_list.leaf_bits < si->ids)
		return sim_fail(port, -EINVAL,
				"reader_list.root_bits x leaf_bits must be at least "
				"timestamp_table.transactions");
	return 0;
}

static int make(struct sim_port *port, struct si *si)
{
	port->state = si;
	if (!si)
		return -ENOMEM;
	si->config = port->system_config;
	si->made = *si->config;
	si->made.timestamp_table.literal |= si->config->system.literal;
	si->made.writer_table.release_at_commit |= si->config->system.literal;
	return 0;
}

static int make_units(struct sim_port *port, struct si *si)
{
	int error = fits(port, si);

	if (!error)
		error = allocate(port, si);
	if (!error)
		error = sim_logs_make(port, &si->made.tx_log, si->log, sizeof *si->log);
	if (!error)
		error = sim_si_regions_make(port);
	if (!error)
		error = si->detector->make(port);
	return error;
}

static int make_si_tm(struct sim_port *port)
{
	struct si *si = sim_calloc(1, sizeof *si);
	int error = make(port, si);

	if (error)
		return error;
	si->ids = si->made.timestamp_table.transactions;
	si->detector = si->config->system.detection == SI_DETECT_NONE ? &sim_si_plain_detector
								      : &sim_si_post_dating;
	return make_units(port, si);
}

#define ORACLE_IDS 4096

static int make_oracle(struct sim_port *port)
{
	struct si *si = sim_calloc(1, sizeof *si);
	int error = make(port, si);

	if (error)
		return error;
	si->ids = ORACLE_IDS;
	si->detector = &sim_si_oracle;
	return make_units(port, si);
}

/* ---- options ----------------------------------------------------------------------------- */

#define ROW(field, lo, hi, standard, sentence, names)                                          \
	{ #field, (uint32_t)offsetof(struct si_options, field),                                \
	  (uint32_t)sizeof(((struct si_options *)0)->field), (lo), (hi), (standard), false,    \
	  (sentence), "", (names) }

static const char *const detections[] = { "none", "post-dating" };

#define BACKOFF_ROWS                                                                           \
	ROW(backoff, 0, 1u << 20, 100,                                                         \
	    "core cycles that a warp waits for each abort of the transaction", NULL),          \
		ROW(most_backoff, 0, 1u << 20, 1000, "core cycles that it waits at most", NULL)

static const struct gputm_param option_rows[] = {
	ROW(detection, SI_DETECT_NONE, SI_DETECT_POST_DATING, SI_DETECT_POST_DATING,
	    "how dependency loops are found; none: plain snapshot isolation", detections),
	ROW(literal, 0, 1, 0, "1: the protocol as the paper prints it, not serialisable", NULL),
	ROW(vote, 0, 1, 1, "1: a commit collects the commit units' results before it writes", NULL),
	BACKOFF_ROWS,
};

static const struct gputm_param oracle_rows[] = { BACKOFF_ROWS };

static const struct gputm_params option_params = {
	"system", sizeof(struct si_options), option_rows,
	sizeof option_rows / sizeof *option_rows, NULL, 0,
};

static const struct gputm_params oracle_params = {
	"system", sizeof(struct si_options), oracle_rows,
	sizeof oracle_rows / sizeof *oracle_rows, NULL, 0,
};

static const struct gputm_params *options(void)
{
	return &option_params;
}

static const struct gputm_params *oracle_options(void)
{
	return &oracle_params;
}

static void init_tables(struct si_config *config, const struct sim_shape *shape)
{
	config->writer_table = (struct gputm_writer_table_config)GPUTM_WRITER_TABLE_CONFIG_INIT;
	config->reader_list = (struct gputm_reader_list_config)GPUTM_READER_LIST_CONFIG_INIT;
	config->timestamp_table =
		(struct gputm_timestamp_table_config)GPUTM_TIMESTAMP_TABLE_CONFIG_INIT;
	if (gputm_writer_table_config_preset(&config->writer_table, "retained") ||
	    gputm_reader_list_config_preset(&config->reader_list, "retained") ||
	    gputm_timestamp_table_config_preset(&config->timestamp_table, "retained"))
		return;
	gputm_params_init(gputm_row_copier_params(), &config->row_copier,
			  sizeof config->row_copier);
	config->row_copier.row_cycles = (68 * shape->core_mhz + 999) / 1000;
	config->row_copier.address_bits = config->writer_table.address_bits =
		config->reader_list.address_bits = SIM_ADDRESS_BITS;
}

static void init(void *memory, const struct sim_shape *shape)
{
	struct si_config *config = memory;

	gputm_params_init(&option_params, &config->system, sizeof config->system);
	sim_logs_init(&config->tx_log, shape);
	gputm_params_init(gputm_version_table_params(), &config->version_table,
			  sizeof config->version_table);
	config->tx_log.address_bits = config->version_table.address_bits = SIM_ADDRESS_BITS;
	config->version_table.time_bits = 32;
	config->version_table.reference_bits = 13;
	init_tables(config, shape);
}

static const struct sim_role roles[] = {
	{ "system", options, offsetof(struct si_config, system) },
	SIM_ROLE(struct si_config, tx_log),
	SIM_ROLE(struct si_config, version_table),
	SIM_ROLE(struct si_config, row_copier),
	SIM_ROLE(struct si_config, writer_table),
	SIM_ROLE(struct si_config, reader_list),
	SIM_ROLE(struct si_config, timestamp_table),
};

static const struct sim_role oracle_roles[] = {
	{ "system", oracle_options, offsetof(struct si_config, system) },
	SIM_ROLE(struct si_config, tx_log),
	SIM_ROLE(struct si_config, version_table),
};

static const struct sim_tie ties[] = {
	{ "timestamp_table.transactions", "writer_table.transactions" },
	{ "timestamp_table.stamp_bits", "version_table.stamp_bits" },
	{ "reader_list.word_bytes", "writer_table.word_bytes" },
	{ NULL, NULL },
};

static const struct sim_unused unused[] = {
	SIM_NO_COMMIT_UNITS, SIM_LOG_UNUSED, SIM_LOG_BY_ROWS, { NULL, NULL, NULL },
};

/* A part of the paper's text that the user has set to 0, although literal asks for all of it. */
static bool contradicts(const struct sim_given *given, const char *part, uint32_t value,
			char *error, size_t size)
{
	if (value || !sim_given(given, part))
		return false;
	snprintf(error, size, "--set: got system.literal = 1 and %s = 0, expected one of them: the "
			      "first sets the other to 1", part);
	return true;
}

/* Sizes that follow from the number of transactions, unless they are set. */
static bool settle(void *memory, const struct sim_given *given, char *error, size_t size)
{
	struct si_config *config = memory;
	uint32_t ids = config->timestamp_table.transactions;
	bool leaf = sim_given(given, "reader_list.leaf_bits");
	bool root = sim_given(given, "reader_list.root_bits");
	uint32_t most = ((1u << (config->timestamp_table.stamp_bits - 1)) - 1) / 3;

	if (config->system.literal &&
	    (contradicts(given, "timestamp_table.literal", config->timestamp_table.literal, error,
			 size) ||
	     contradicts(given, "writer_table.release_at_commit",
			 config->writer_table.release_at_commit, error, size)))
		return false;
	if (config->timestamp_table.increment > most) {
		snprintf(error, size, "timestamp_table: increment = %u is outside 1 .. %u, as a "
			 "stamp of stamp_bits = %u holds three of them",
			 config->timestamp_table.increment, most,
			 config->timestamp_table.stamp_bits);
		return false;
	}
	while (!leaf && config->reader_list.leaf_bits < 64 &&
	       config->reader_list.root_bits * config->reader_list.leaf_bits < ids)
		config->reader_list.leaf_bits *= 2;
	while (!root && config->reader_list.root_bits < 64 &&
	       config->reader_list.root_bits * config->reader_list.leaf_bits < ids)
		config->reader_list.root_bits *= 2;
	while (!sim_given(given, "version_table.reference_bits") &&
	       config->version_table.reference_bits < 32 &&
	       ids >> config->version_table.reference_bits)
		config->version_table.reference_bits++;
	return true;
}

#define OPS(maker)                                                                             \
	{                                                                                      \
		.versions = true, .make = (maker), .free = si_free, .io = si_io,               \
		.begin = sim_si_begin,                                                         \
		.load = sim_si_load, .store = sim_si_store, .served = sim_si_served,           \
		.plain = sim_si_plain, .loaded = sim_si_loaded, .commit = sim_si_commit,       \
		.at_partition = sim_si_at_partition, .at_core = sim_si_at_core,                \
		.completed = sim_si_completed, .partition_tick = sim_si_partition_tick,        \
		.core_tick = sim_si_core_tick, .watch = sim_si_watch,                          \
		.finished = sim_si_finished, .check = si_check,                                \
	}

static const struct sim_system_ops ops = OPS(make_si_tm);
static const struct sim_system_ops oracle_ops = OPS(make_oracle);

const struct sim_system_class sim_si_tm = {
	.name = "si-tm",
	.summary = "snapshot isolation: versions of memory, loops found by post-dating",
	.flavour = SIM_TRANSACTIONS,
	.config_size = sizeof(struct si_config),
	.role = roles,
	.role_count = sizeof roles / sizeof *roles,
	.init = init,
	.ops = &ops,
	.tie = ties,
	.unused = unused,
	.settle = settle,
};

const struct sim_system_class sim_si_tm_oracle = {
	.name = "si-tm-oracle",
	.summary = "snapshot isolation with loops found in a graph and copies in no time, for free",
	.flavour = SIM_TRANSACTIONS,
	.config_size = sizeof(struct si_config),
	.role = oracle_roles,
	.role_count = sizeof oracle_roles / sizeof *oracle_roles,
	.init = init,
	.ops = &oracle_ops,
	.unused = unused,
};
