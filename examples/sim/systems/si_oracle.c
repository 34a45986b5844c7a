/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The oracle of snapshot isolation: an exact dependency graph of transactions, at no cost.
 *
 * Who has accessed a word is a list of records, in a hash table of words. From them come
 * the edges that every serial order must respect:
 *
 *	reader -> running writer, or committed one that the reader's snapshot lacks
 *	last writer that the snapshot has -> reader or writer
 *
 * An edge that would close a cycle dooms the transaction whose access made it. Any number
 * may write a word; the first that commits wins, and the others are refused at their commit.
 *
 * A committed transaction can be forgotten when no running one has an older snapshot, so
 * that no edge will lead to it any more, and none does: then it can be on no cycle.
 *
 * Edges are a matrix of bits, both ways.
 */
#include <stdlib.h>
#include <string.h>

#include "si_tm.h"

#define BUCKET_BITS 14

struct record {
	uint64_t address;
	uint32_t id;
	bool write;
	uint32_t before, after; /* in its bucket; before is SI_NONE at the head */
	uint32_t next;		/* of its transaction, or free */
};

struct si_graph {
	uint64_t *followers, *leaders; /* [ids][words] */
	uint32_t words;		       /* of a row of bits */
	uint32_t *first;	       /* [ids]: records of a transaction */
	bool *over;		       /* [ids]: to be forgotten when nobody leads to it */
	struct record *record;
	uint32_t records, free;
	uint64_t *reached, *queue; /* [words], [ids]: of a search */
	uint32_t bucket[1u << BUCKET_BITS];
};

static void graph_free(struct sim_machine *machine)
{
	struct si_graph *graph = sim_si_of(machine)->graph;

	if (!graph)
		return;
	free(graph->followers);
	free(graph->leaders);
	free(graph->first);
	free(graph->over);
	free(graph->record);
	free(graph->reached);
	free(graph->queue);
	free(graph);
}

static int graph_make(struct sim_machine *machine)
{
	struct si *si = sim_si_of(machine);
	struct si_graph *graph = calloc(1, sizeof *graph);

	si->graph = graph;
	if (!graph)
		return -ENOMEM;
	graph->words = (si->ids + 63) / 64;
	graph->followers = calloc((size_t)si->ids * graph->words, sizeof(uint64_t));
	graph->leaders = calloc((size_t)si->ids * graph->words, sizeof(uint64_t));
	graph->first = malloc(si->ids * sizeof *graph->first);
	graph->over = calloc(si->ids, sizeof *graph->over);
	graph->reached = calloc(graph->words, sizeof(uint64_t));
	graph->queue = calloc(si->ids, sizeof(uint64_t));
	if (!graph->followers || !graph->leaders || !graph->first || !graph->over ||
	    !graph->reached || !graph->queue)
		return -ENOMEM;
	graph->free = SI_NONE;
	memset(graph->first, 0xff, si->ids * sizeof *graph->first);
	memset(graph->bucket, 0xff, sizeof graph->bucket);
	return 0;
}

/* ---- records ----------------------------------------------------------------------------- */

static uint32_t *bucket_of(struct si_graph *graph, uint64_t address)
{
	uint64_t hash = (address >> 2) * UINT64_C(0x9e3779b97f4a7c15);

	return &graph->bucket[hash >> (64 - BUCKET_BITS)];
}

static bool grow(struct si_graph *graph)
{
	uint32_t count = graph->records ? 2 * graph->records : 4096;
	struct record *record = realloc(graph->record, count * sizeof *record);

	if (!record)
		return false;
	for (uint32_t i = graph->records; i < count; i++)
		record[i].next = i + 1 < count ? i + 1 : SI_NONE;
	graph->free = graph->records;
	graph->record = record;
	graph->records = count;
	return true;
}

static void note(struct sim_machine *machine, uint32_t id, uint64_t address, bool write)
{
	struct si_graph *graph = sim_si_of(machine)->graph;
	uint32_t *bucket = bucket_of(graph, address), index;

	if (graph->free == SI_NONE && !grow(graph)) {
		sim_fail(machine, -ENOMEM, "no memory for a read or write set");
		return;
	}
	index = graph->free;
	graph->free = graph->record[index].next;
	graph->record[index] =
		(struct record){ address, id, write, SI_NONE, *bucket, graph->first[id] };
	if (*bucket != SI_NONE)
		graph->record[*bucket].before = index;
	*bucket = index;
	graph->first[id] = index;
}

static bool noted(const struct si_graph *graph, uint32_t id, uint64_t address, bool write)
{
	for (uint32_t i = graph->first[id]; i != SI_NONE; i = graph->record[i].next)
		if (graph->record[i].address == address && graph->record[i].write == write)
			return true;
	return false;
}

static void forget_records(struct si_graph *graph, uint32_t id)
{
	uint32_t next;

	for (uint32_t i = graph->first[id]; i != SI_NONE; i = next) {
		const struct record *record = &graph->record[i];

		next = record->next;
		if (record->after != SI_NONE)
			graph->record[record->after].before = record->before;
		if (record->before != SI_NONE)
			graph->record[record->before].after = record->after;
		else
			*bucket_of(graph, record->address) = record->after;
		graph->record[i].next = graph->free;
		graph->free = i;
	}
	graph->first[id] = SI_NONE;
}

/* ---- edges ------------------------------------------------------------------------------- */

static uint64_t *row_of(const struct si_graph *graph, uint64_t *matrix, uint32_t id)
{
	return matrix + (size_t)id * graph->words;
}

/* Is there a way from one to the other? */
static bool leads_to(struct si_graph *graph, uint32_t from, uint32_t to)
{
	uint32_t queued = 0;

	memset(graph->reached, 0, graph->words * sizeof(uint64_t));
	graph->reached[from / 64] |= UINT64_C(1) << from % 64;
	graph->queue[queued++] = from;
	for (uint32_t at = 0; at < queued; at++) {
		const uint64_t *next = row_of(graph, graph->followers, (uint32_t)graph->queue[at]);

		for (uint32_t i = 0; i < graph->words; i++)
			for (SIM_EACH_LANE(bit, next[i] & ~graph->reached[i])) {
				graph->reached[i] |= UINT64_C(1) << bit;
				graph->queue[queued++] = 64 * i + bit;
			}
		if (graph->reached[to / 64] >> to % 64 & 1)
			return true;
	}
	return false;
}

/* Of a lane's access. False: it would close a loop, and the lane is doomed. */
static bool edge(struct sim_machine *machine, struct si_warp *warp, uint32_t lane, uint32_t from,
		 uint32_t to)
{
	struct si_graph *graph = sim_si_of(machine)->graph;
	uint64_t *followers = row_of(graph, graph->followers, from);

	if (from == to || followers[to / 64] >> to % 64 & 1)
		return true;
	if (leads_to(graph, to, from)) {
		sim_si_doom(machine, warp, lane, SIM_ABORT_LOOP);
		return false;
	}
	followers[to / 64] |= UINT64_C(1) << to % 64;
	row_of(graph, graph->leaders, to)[from / 64] |= UINT64_C(1) << from % 64;
	return true;
}

/* Nobody follows it any more, and its leaders, which there are at an abort only, lose it. */
static void forget_edges(struct si_graph *graph, uint32_t id)
{
	uint64_t *followers = row_of(graph, graph->followers, id);
	uint64_t *leaders = row_of(graph, graph->leaders, id);

	for (uint32_t i = 0; i < graph->words; i++) {
		for (SIM_EACH_LANE(bit, followers[i]))
			row_of(graph, graph->leaders, 64 * i + (uint32_t)bit)[id / 64] &=
				~(UINT64_C(1) << id % 64);
		for (SIM_EACH_LANE(bit, leaders[i]))
			row_of(graph, graph->followers, 64 * i + (uint32_t)bit)[id / 64] &=
				~(UINT64_C(1) << id % 64);
	}
}

static bool is_led(const struct si_graph *graph, uint32_t id)
{
	const uint64_t *leaders = graph->leaders + (size_t)id * graph->words;

	for (uint32_t i = 0; i < graph->words; i++)
		if (leaders[i])
			return true;
	return false;
}

/* Take it out, and then those that only it has held back. */
static void forget(struct sim_machine *machine, uint32_t id)
{
	struct si *si = sim_si_of(machine);
	struct si_graph *graph = si->graph;
	uint64_t *followers = row_of(graph, graph->followers, id);

	forget_records(graph, id);
	forget_edges(graph, id);
	memset(row_of(graph, graph->leaders, id), 0, graph->words * sizeof(uint64_t));
	graph->over[id] = false;
	for (uint32_t i = 0; i < graph->words; i++) {
		uint64_t held = followers[i];

		followers[i] = 0;
		for (SIM_EACH_LANE(bit, held)) {
			uint32_t other = 64 * i + (uint32_t)bit;

			if (!graph->over[other] || is_led(graph, other))
				continue;
			forget(machine, other);
			sim_si_give(machine, other);
		}
	}
}

/* ---- accesses ---------------------------------------------------------------------------- */

/* The writer of the word whose commit is the last in this snapshot, if it is still known. */
static uint32_t last_writer(const struct si *si, uint32_t bucket, uint64_t address,
			    uint64_t snapshot)
{
	uint32_t last = SI_NONE;

	for (uint32_t i = bucket; i != SI_NONE; i = si->graph->record[i].after) {
		const struct record *record = &si->graph->record[i];
		const struct si_tx *tx = &si->tx[record->id];

		if (record->address == address && record->write && tx->state == SI_COMMITTED &&
		    tx->version <= snapshot &&
		    (last == SI_NONE || tx->version > si->tx[last].version))
			last = record->id;
	}
	return last;
}

/* The other one has accessed the word too: the edge that follows, and whether it passes. */
static bool meet(struct sim_machine *machine, struct si_warp *warp, uint32_t lane, bool write,
		 const struct record *other)
{
	const struct si *si = sim_si_of(machine);
	uint32_t id = warp->tx[lane];
	const struct si_tx *tx = &si->tx[other->id];

	if (write)
		return other->write || edge(machine, warp, lane, other->id, id);
	if (!other->write ||
	    (tx->state == SI_COMMITTED && tx->version <= si->tx[id].snapshot))
		return true;
	return edge(machine, warp, lane, id, other->id);
}

static void access_word(struct sim_machine *machine, struct si_warp *warp, uint32_t lane,
			uint64_t address, bool write)
{
	struct si *si = sim_si_of(machine);
	uint32_t id = warp->tx[lane], next, last;
	uint32_t bucket = *bucket_of(si->graph, address);

	if (noted(si->graph, id, address, write))
		return;
	last = last_writer(si, bucket, address, si->tx[id].snapshot);
	if (last != SI_NONE && !edge(machine, warp, lane, last, id))
		return;
	for (uint32_t i = bucket; i != SI_NONE; i = next) {
		next = si->graph->record[i].after;
		if (si->graph->record[i].address == address &&
		    !meet(machine, warp, lane, write, &si->graph->record[i]))
			return;
	}
	note(machine, id, address, write);
	if (write && !sim_si_words_add(&si->tx[id].writes, address))
		sim_fail(machine, -ENOMEM, "no memory for a write set");
}

static void oracle_read(struct sim_machine *machine, struct si_warp *warp, uint32_t lane,
			uint64_t address)
{
	access_word(machine, warp, lane, address, false);
}

static uint32_t oracle_write(struct sim_machine *machine, struct si_warp *warp, uint64_t lanes,
			     const uint64_t *address)
{
	for (SIM_EACH_LANE(lane, lanes))
		access_word(machine, warp, (uint32_t)lane, address[lane], true);
	return 0;
}

/* ---- begin and end ----------------------------------------------------------------------- */

static int oracle_begin(struct sim_machine *machine, uint32_t id, uint64_t stamp)
{
	(void)machine;
	(void)id;
	(void)stamp;
	return 0;
}

/* No word that it writes has a commit that it does not know. */
static bool may_commit(struct sim_machine *machine, uint32_t id)
{
	struct si *si = sim_si_of(machine);
	const struct si_words *writes = &si->tx[id].writes;

	for (uint32_t k = 0; k < writes->count; k++) {
		uint64_t address = writes->address[k];

		for (uint32_t i = *bucket_of(si->graph, address); i != SI_NONE;
		     i = si->graph->record[i].after) {
			const struct record *record = &si->graph->record[i];
			const struct si_tx *tx = &si->tx[record->id];

			if (record->address == address && record->write &&
			    tx->state == SI_COMMITTED && tx->version > si->tx[id].snapshot)
				return false;
		}
	}
	return true;
}

static uint64_t oracle_commit(struct sim_machine *machine, uint32_t id)
{
	(void)machine;
	(void)id;
	return 0;
}

static void oracle_release(struct sim_machine *machine, uint32_t id)
{
	struct si_graph *graph = sim_si_of(machine)->graph;

	if (is_led(graph, id)) {
		graph->over[id] = true;
		return;
	}
	forget(machine, id);
	sim_si_give(machine, id);
}

static int oracle_restart(struct sim_machine *machine)
{
	(void)machine;
	return 0;
}

static const char *left(struct sim_machine *machine)
{
	const struct si *si = sim_si_of(machine);

	for (uint32_t i = 0; i < si->ids; i++)
		if (si->graph->first[i] != SI_NONE || is_led(si->graph, i))
			return "a transaction is left in the graph";
	return NULL;
}

const struct si_detector sim_si_oracle = {
	.instant = true,
	.make = graph_make,
	.free = graph_free,
	.begin = oracle_begin,
	.read = oracle_read,
	.write = oracle_write,
	.may_commit = may_commit,
	.commit = oracle_commit,
	.abort = forget,
	.release = oracle_release,
	.restart = oracle_restart,
	.left = left,
};
