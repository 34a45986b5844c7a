/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The oracle of snapshot isolation: an exact dependency graph of transactions, at no cost.
 *
 * Who has accessed a word is a list of records, in a hash table of words. From them come
 * the edges that every serial order must respect:
 *
 *	reader -> running writer, or committed one that the reader's snapshot lacks
 *	last writer that the snapshot has -> reader or writer
 *	a thread's last transaction -> its next one
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

#include "records.h"
#include "si_tm.h"
#include "../base/arena.h"

/* Of a lane: its last transaction with an access, unless forgotten, and the thread of that. */
struct si_last {
	uint32_t id, thread;
};

struct si_graph {
	struct si_last *last; /* [warps][lanes] */
	uint32_t *lane_of;    /* [ids]: index in last */
	uint64_t *followers, *leaders; /* [ids][words] */
	uint32_t words;		       /* of a row of bits */
	bool *over;		       /* [ids]: to be forgotten when no edge leads to it */
	uint64_t *reached, *queue;     /* [words], [ids]: of a search */
	struct sim_records records;
};

static void graph_free(struct sim_port *port)
{
	struct si_graph *graph = sim_si_of(port)->graph;

	if (!graph)
		return;
	sim_free(graph->followers);
	sim_free(graph->leaders);
	sim_free(graph->over);
	sim_free(graph->last);
	sim_free(graph->lane_of);
	sim_records_free(&graph->records);
	sim_free(graph->reached);
	sim_free(graph->queue);
	sim_free(graph);
}

static void graph_io(struct sim_port *port, struct sim_io *io)
{
	struct si *si = sim_si_of(port);
	struct si_graph *graph = si->graph;

	SIM_IO_ARRAY(io, graph->followers, si->ids * graph->words);
	SIM_IO_ARRAY(io, graph->leaders, si->ids * graph->words);
	SIM_IO_ARRAY(io, graph->over, si->ids);
	for (uint32_t i = 0; i < si->ids; i++)
		SIM_IO_FLAG(io, graph->over[i]);
	SIM_IO_ARRAY(io, graph->last, port->shape.cores * port->shape.warps * SIM_MAX_LANES);
	SIM_IO_ARRAY(io, graph->lane_of, si->ids);
	for (uint32_t i = 0; i < si->ids; i++)
		sim_io_below(io, "lane_of", graph->lane_of[i],
			     port->shape.cores * port->shape.warps * SIM_MAX_LANES);
	for (uint32_t i = 0; i < port->shape.cores * port->shape.warps * SIM_MAX_LANES; i++)
		sim_io_must(io, "last", graph->last[i].id == SI_NONE ||
						graph->last[i].id < si->ids);
	sim_records_io(&graph->records, io);
}

static int graph_make(struct sim_port *port)
{
	struct si *si = sim_si_of(port);
	struct si_graph *graph = sim_calloc(1, sizeof *graph);
	uint32_t lanes = port->shape.cores * port->shape.warps * SIM_MAX_LANES;

	si->graph = graph;
	if (!graph)
		return -ENOMEM;
	graph->words = (si->ids + 63) / 64;
	graph->followers = sim_calloc((size_t)si->ids * graph->words, sizeof(uint64_t));
	graph->leaders = sim_calloc((size_t)si->ids * graph->words, sizeof(uint64_t));
	graph->over = sim_calloc(si->ids, sizeof *graph->over);
	graph->reached = sim_calloc(graph->words, sizeof(uint64_t));
	graph->queue = sim_calloc(si->ids, sizeof(uint64_t));
	graph->last = sim_calloc(lanes, sizeof *graph->last);
	graph->lane_of = sim_calloc(si->ids, sizeof *graph->lane_of);
	for (uint32_t i = 0; graph->last && i < lanes; i++)
		graph->last[i].id = SI_NONE;
	if (!graph->followers || !graph->leaders || !graph->over || !graph->reached ||
	    !graph->last || !graph->lane_of || !graph->queue ||
	    !sim_records_make(&graph->records, si->ids))
		return -ENOMEM;
	return 0;
}

/* ---- edges ------------------------------------------------------------------------------- */

static uint64_t *row_of(const struct si_graph *graph, uint64_t *matrix, uint32_t id)
{
	return matrix + (size_t)id * graph->words;
}

/* Is there a path from one to the other? */
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

/* Add an edge for a lane's access. False: the edge would close a loop, and the lane is doomed. */
static bool edge(struct sim_port *port, struct si_warp *warp, uint32_t lane, uint32_t from,
		 uint32_t to)
{
	struct si_graph *graph = sim_si_of(port)->graph;
	uint64_t *followers = row_of(graph, graph->followers, from);

	if (from == to || followers[to / 64] >> to % 64 & 1)
		return true;
	if (leads_to(graph, to, from)) {
		sim_si_doom(port, warp, lane, SIM_ABORT_LOOP);
		return false;
	}
	followers[to / 64] |= UINT64_C(1) << to % 64;
	row_of(graph, graph->leaders, to)[from / 64] |= UINT64_C(1) << from % 64;
	return true;
}

/* Remove a transaction that no other will follow; those before it, which exist only at an abort,
 * lose a follower. */
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

/* Remove it, and then those that only it has kept. */
static void forget(struct sim_port *port, uint32_t id)
{
	struct si *si = sim_si_of(port);
	struct si_graph *graph = si->graph;
	uint64_t *followers = row_of(graph, graph->followers, id);

	if (graph->last[graph->lane_of[id]].id == id)
		graph->last[graph->lane_of[id]].id = SI_NONE;
	sim_records_forget(&graph->records, id);
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
			forget(port, other);
			sim_si_give(port, other);
		}
	}
}

/* ---- accesses ---------------------------------------------------------------------------- */

/* The last writer of the word that is in this snapshot, if still known. */
static uint32_t last_writer(const struct si *si, uint64_t address, uint64_t snapshot)
{
	const struct sim_records *records = &si->graph->records;
	const struct sim_record *r = sim_records_first(records, address);
	uint32_t last = SI_NONE;

	for (; r; r = sim_records_next(records, r)) {
		const struct si_tx *tx = &si->tx[r->owner];

		if (r->write && tx->state == SI_COMMITTED && tx->version <= snapshot &&
		    (last == SI_NONE || tx->version > si->tx[last].version))
			last = r->owner;
	}
	return last;
}

/* Another transaction has accessed the word, too: add the edge that follows. False: a loop. */
static bool meet(struct sim_port *port, struct si_warp *warp, uint32_t lane, bool write,
		 const struct sim_record *other)
{
	const struct si *si = sim_si_of(port);
	uint32_t id = warp->tx[lane];
	const struct si_tx *tx = &si->tx[other->owner];

	if (write)
		return other->write || edge(port, warp, lane, other->owner, id);
	if (!other->write ||
	    (tx->state == SI_COMMITTED && tx->version <= si->tx[id].snapshot))
		return true;
	return edge(port, warp, lane, id, other->owner);
}

/* At the first access of a transaction: add the edge from the thread's last transaction. */
static void follow(struct sim_port *port, struct si_warp *warp, uint32_t lane)
{
	struct si *si = sim_si_of(port);
	uint32_t number = (uint32_t)(warp - si->warp), at = number * SIM_MAX_LANES + lane;
	struct si_last now = { warp->tx[lane], port->warp[number].thread[lane] };
	struct si_last *last = &si->graph->last[at], before = *last;

	if (before.id == now.id)
		return;
	*last = now;
	si->graph->lane_of[now.id] = at;
	if (before.id != SI_NONE && before.thread == now.thread)
		(void)edge(port, warp, lane, before.id, now.id); /* nothing follows it yet */
}

static void access_word(struct sim_port *port, struct si_warp *warp, uint32_t lane,
			uint64_t address, bool write)
{
	struct si *si = sim_si_of(port);
	struct sim_records *records = &si->graph->records;
	const struct sim_record *r = sim_records_first(records, address);
	uint32_t id = warp->tx[lane], last;

	follow(port, warp, lane);
	if (sim_records_noted(records, id, address, write))
		return;
	last = last_writer(si, address, si->tx[id].snapshot);
	if (last != SI_NONE && !edge(port, warp, lane, last, id))
		return;
	for (; r; r = sim_records_next(records, r))
		if (!meet(port, warp, lane, write, r))
			return;
	if (!sim_records_note(records, id, address, write))
		sim_fail(port, -ENOMEM, "no memory for a read or write set");
	if (write && !sim_si_words_add(&si->tx[id].writes, address))
		sim_fail(port, -ENOMEM, "no memory for a write set");
}

static void oracle_read(struct sim_port *port, struct si_warp *warp, uint32_t lane,
			uint64_t address)
{
	access_word(port, warp, lane, address, false);
}

static uint32_t oracle_write(struct sim_port *port, struct si_warp *warp, uint64_t lanes,
			     const uint64_t *address)
{
	for (SIM_EACH_LANE(lane, lanes))
		access_word(port, warp, (uint32_t)lane, address[lane], true);
	return 0;
}

/* ---- begin and end ----------------------------------------------------------------------- */

/* Has the word been written by a commit that this snapshot lacks? */
static bool is_newer(const struct si *si, uint64_t address, uint64_t snapshot)
{
	const struct sim_records *records = &si->graph->records;
	const struct sim_record *r = sim_records_first(records, address);

	for (; r; r = sim_records_next(records, r)) {
		const struct si_tx *tx = &si->tx[r->owner];

		if (r->write && tx->state == SI_COMMITTED && tx->version > snapshot)
			return true;
	}
	return false;
}

static bool may_commit(struct sim_port *port, uint32_t id)
{
	const struct si *si = sim_si_of(port);
	const struct si_tx *tx = &si->tx[id];

	for (uint32_t k = 0; k < tx->writes.count; k++)
		if (is_newer(si, tx->writes.address[k], tx->snapshot))
			return false;
	return true;
}

static uint64_t oracle_commit(struct sim_port *port, uint32_t id)
{
	(void)port;
	(void)id;
	return 0;
}

static void oracle_release(struct sim_port *port, uint32_t id)
{
	struct si_graph *graph = sim_si_of(port)->graph;

	if (is_led(graph, id)) {
		graph->over[id] = true;
		return;
	}
	forget(port, id);
	sim_si_give(port, id);
}

static const char *left(struct sim_port *port)
{
	const struct si *si = sim_si_of(port);

	for (uint32_t i = 0; i < si->ids; i++)
		if (si->graph->records.first[i] != SIM_NO_RECORD || is_led(si->graph, i))
			return "a transaction is left in the graph";
	return NULL;
}

const struct si_detector sim_si_oracle = {
	.instant = true,
	.make = graph_make,
	.free = graph_free,
	.io = graph_io,
	.read = oracle_read,
	.write = oracle_write,
	.may_commit = may_commit,
	.commit = oracle_commit,
	.abort = forget,
	.release = oracle_release,
	.left = left,
};
