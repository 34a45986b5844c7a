/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "examples/sim/systems/si_tm.h"
#include "examples/sim/systems/systems.h"
#include "lib/snapiso/version_table-priv.h"
#include "lib/snapiso/writer_table-priv.h"
#include "tests/explore/arena.h"
#include "tests/explore/systems.h"

#define VERSIONS 2
#define WORDS 8 /* of a set or list, for which the wiring has room at first */
#define IDS 4	/* of transactions, at most */

/* Each word has its entries in the tables, and a copy takes a cycle for each word. */
static void configure(void *memory)
{
	struct si_config *config = memory;

	config->system.backoff = 0;
	config->tx_log.reserve_rows = 4;
	config->version_table.regions = 1;
	config->version_table.versions = VERSIONS;
	config->version_table.row_shift = 8;
	config->row_copier.row_bytes = 256;
	config->row_copier.row_cycles = 1;
	config->row_copier.banks = config->row_copier.subarrays = config->row_copier.requests = 1;
	config->writer_table.entries = 2 * HOST_WORDS;
	config->reader_list.entries = HOST_WORDS;
	config->reader_list.root_bits = config->reader_list.leaf_bits = 8;
	config->writer_table.transactions = config->timestamp_table.transactions = IDS;
}

static bool literal; /* timestamps of IDs that are free are still read */

static void reserve(struct si_words *words)
{
	words->address = sim_calloc(WORDS, sizeof(*words->address));
	words->capacity = WORDS;
}

static void prepare(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	literal = si->made.timestamp_table.literal;
	for (uint32_t i = 0; i < si->ids; i++) {
		reserve(&si->tx[i].reads);
		reserve(&si->tx[i].writes);
	}
	reserve(&si->region[0].written);
}

/* ---- what of the state makes no difference ---- */

static void tidy_words(struct si_words *words)
{
	memset(words->address + words->count, 0,
	       (words->capacity - words->count) * sizeof(*words->address));
}

static void tidy_tx(struct si_tx *tx)
{
	tidy_words(&tx->reads);
	tidy_words(&tx->writes);
	if (tx->state == SI_RUNNING) {
		tx->version = tx->next = 0;
		return;
	}
	tx->time = tx->snapshot = tx->held = 0;
	memset(tx->slot, 0, sizeof(tx->slot));
	tx->warp = tx->lane = 0;
	if (tx->state == SI_IDLE)
		tx->version = tx->next = 0;
}

/* The lowest of the free IDs is taken first. */
static void tidy_ids(struct si *si)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < si->ids; i++) {
		tidy_tx(&si->tx[i]);
		if (si->tx[i].state == SI_IDLE)
			si->free_id[count++] = i;
	}
	memset(si->free_id + count, 0, (si->ids - count) * sizeof(*si->free_id));
	si->free_head = 0;
	memset(si->scratch, 0, si->ids * sizeof(*si->scratch));
	memset(si->writer_scratch, 0, (si->ids + 1) * sizeof(*si->writer_scratch));
}

/* Versions count from the oldest that a transaction reads. */
static void tidy_versions(struct si *si)
{
	struct si_version kept[IDS + 2];
	uint64_t count = si->sealed + 2 - si->oldest;

	for (uint64_t i = 0; i < count && i < IDS + 2; i++)
		kept[i] = *sim_si_version(si, si->oldest + i);
	memset(si->version, 0, si->version_capacity * sizeof(*si->version));
	memcpy(si->version, kept, count * sizeof(*kept));
	for (uint32_t i = 0; i < si->ids; i++) {
		struct si_tx *tx = &si->tx[i];

		tx->snapshot -= tx->state == SI_RUNNING ? si->oldest : 0;
		tx->version -= tx->state == SI_COMMITTED ? si->oldest : 0;
	}
	for (uint32_t i = 0; i < si->writers->config.entries; i++)
		if (si->writers->commit[i].version >= si->oldest)
			si->writers->commit[i].version -= si->oldest;
	si->sealed -= si->oldest;
	si->oldest = 0;
}

/* Times are those of the versions, which count from 1. */
static void tidy_times(struct sim_port *port, struct si *si)
{
	struct gputm__region *r = &si->versions->region[0];

	for (uint32_t i = 0; i < si->ids; i++) {
		struct si_tx *tx = &si->tx[i];
		uint32_t at = 0;

		while (tx->state == SI_RUNNING && r->created[at] > tx->time)
			at++;
		if (tx->state == SI_RUNNING)
			tx->time = r->readable - at;
	}
	for (uint32_t i = 0; i < r->readable; i++)
		r->created[i] = r->version[r->number[i]].created = r->readable - i;
	si->born = 0;
	port->now = r->readable - 1;
	si->copied_to = port->now;
}

/* What all copies have is no longer in the list of what was written. */
static void tidy_region(struct sim_port *port, struct si *si)
{
	struct si_region *region = &si->region[0];
	struct gputm__region *r = &si->versions->region[0];
	uint32_t least = region->written.count;

	if (region->wants_copy || region->writable)
		region->from = region->to = 0;
	for (uint32_t i = 0; i < VERSIONS; i++)
		if (region->seen[i] && region->seen[i] - 1 < least)
			least = region->seen[i] - 1;
	region->written.count -= least;
	memmove(region->written.address, region->written.address + least,
		region->written.count * sizeof(*region->written.address));
	tidy_words(&region->written);
	for (uint32_t i = 0; i < VERSIONS; i++) {
		struct gputm__version *version = &r->version[i];
		uint64_t place = gputm__region_version(r, i);

		region->seen[i] -= region->seen[i] ? least : 0;
		version->sharers = version->references;
		for (uint64_t k = 0; k < r->length && version->state == GPUTM__FREE; k += 4)
			if (sim_memory_read(port->memory, place + k))
				sim_memory_write(port->memory, place + k, 0);
	}
}

static void tidy_warp(struct si_warp *warp, bool waits)
{
	for (uint32_t i = 0; i < SIM_MAX_LANES; i++) {
		if (!(warp->active >> i & 1))
			warp->tx[i] = 0;
		if (!(warp->doomed >> i & 1))
			warp->reason[i] = 0;
		if (!waits)
			warp->logical[i] = 0;
		if (!warp->left)
			warp->physical[i] = 0;
		warp->place[i] = 0;
	}
	if (!waits)
		warp->walked = 0;
	if (warp->phase != SI_WRITING) {
		warp->left = 0;
		warp->row = 0;
		warp->writers = 0;
	}
}

static void tidy_line(const struct sim_port *port, struct si_line *line)
{
	host_tidy_line(line->warp, &line->head, line->count,
		       port->shape.cores * port->shape.warps);
}

static void tidy_queue(struct sim_port *port, struct sim_queue *queue)
{
	host_tidy_queue(port, queue);
	for (uint32_t i = 0; i < queue->count; i++)
		queue->item[i].due = 0;
}

/* Places in the order of commits are the witness's, and tell whether one came since a restart. */
static void tidy_places(struct si *si)
{
	si->places = si->places != si->places_before;
	si->places_before = 0;
	si->restarts = si->restarts != 0;
	for (uint32_t i = 0; i < si->packets.used; i++) {
		struct si_packet *packet = sim_slab_at(&si->packets, i);

		for (uint32_t k = 0; k < packet->count && k < SIM_MAX_LANES; k++)
			packet->word[k].place = 0;
	}
}

static void tidy(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	tidy_ids(si);
	tidy_versions(si);
	tidy_times(port, si);
	tidy_region(port, si);
	host_tidy_slab(&si->packets);
	tidy_places(si);
	tidy_line(port, &si->waiting);
	tidy_line(port, &si->committing);
	tidy_line(port, &si->sealing);
	for (uint32_t i = 0; i < port->shape.cores; i++) {
		tidy_line(port, &si->walk[i]);
		tidy_warp(&si->warp[i], port->warp[i].wait == SIM_REPLIES);
	}
	for (uint32_t i = 0; i < port->shape.partitions; i++) {
		tidy_queue(port, &si->partition[i].writes);
		tidy_queue(port, &si->partition[i].answers);
		si->partition[i].write_free = si->partition[i].table_free = 0;
	}
}

static uint64_t number(const uint8_t *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

/* Times of copies count from now; timestamps of free IDs are not read. */
static void blank(const char *kind, uint8_t *bytes, size_t size)
{
	const size_t now = 0, held = 8, idle_at = 12, request = 20, done_at = 32;

	if (!strcmp(kind, "row_copier")) {
		for (size_t at = request; at + done_at < size; at += done_at + 8) {
			uint64_t left = number(bytes + at + done_at) - number(bytes + now);

			memcpy(bytes + at + done_at, &left, sizeof(left));
		}
		memset(bytes + now, 0, held - now);
		memset(bytes + idle_at, 0, request - idle_at); /* one copy at a time */
	}
	for (size_t at = 0; !literal && !strcmp(kind, "timestamp_table") && at < size; at += 16) {
		uint32_t state;

		memcpy(&state, bytes + at + 12, sizeof(state));
		if (!state)
			memset(bytes + at, 0, 12);
	}
}

#define SI                                                                                     \
	.class = &sim_si_tm, .configure = configure, .tidy = tidy, .blank = blank,             \
	.shared = true, .clock = true, .copies = VERSIONS, .copies_at = UINT64_C(1) << 38

const struct host_system host_si = { SI, .prepare = prepare };

/* ---- with errors --------------------------------------------------------------------------- */

/* Reads are not told to the tables. */
static void prepare_blind(struct sim_port *port)
{
	static struct si_detector blind;

	blind = sim_si_post_dating;
	blind.read = NULL;
	prepare(port);
	sim_si_of(port)->detector = &blind;
}

const struct host_system host_si_blind = { SI, .prepare = prepare_blind };

static void keep(struct sim_port *port, uint32_t id)
{
	(void)port;
	(void)id;
}

/* A transaction that has committed is never forgotten. */
static void prepare_leaks(struct sim_port *port)
{
	static struct si_detector leaks;

	leaks = sim_si_post_dating;
	leaks.release = keep;
	prepare(port);
	sim_si_of(port)->detector = &leaks;
}

const struct host_system host_si_leaks = { SI, .prepare = prepare_leaks };
