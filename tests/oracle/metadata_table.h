/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_METADATA_TABLE_H
#define GPUTM_ORACLE_METADATA_TABLE_H
/*
 * The metadata of every granule, exactly, in an array: what the table may overstate in its
 * stamps, never understate, and must give exactly where a reservation lives. And where its entry
 * is: a plain table of granules, without stamps.
 */
#include "tests/oracle/h3.h"
#include "tests/oracle/stats.h"

#define ORACLE_GRANULES 256
#define ORACLE_CELLS 512 /* ways, stash, then the overflow */
#define ORACLE_METADATA_TABLE_STATS                                                            \
	hits, misses, overflow_cycles, insert_cycles, insertions, swaps, filled, evicting,     \
		stashed, spilled, approximated, evictions, flushed, stash_max, overflow_max,   \
		locked_max, entries, stashed_now, overflow_now, locked, writes

struct oracle_metadata_table {
	const struct gputm_metadata_table_config *config;
	struct gputm_h3 *h3;
	struct gputm_metadata_table_entry granule[ORACLE_GRANULES];
	uint32_t capacity, cells;    /* of the ways; with the stash */
	uint32_t cell[ORACLE_CELLS]; /* 1 + granule; 0: free */
	uint32_t turn;
	ORACLE_STATS(ORACLE_METADATA_TABLE_STATS) stats;
};

#define NOWHERE UINT32_MAX

static void oracle_metadata_table_init(struct oracle_metadata_table *o,
				       const struct gputm_metadata_table_config *config)
{
	memset(o, 0, sizeof(*o));
	o->config = config;
	o->h3 = oracle_h3(config->ways, config->entries, config->address_bits,
			  config->granularity, config->seed ^ UINT64_C(1) << 63, NULL);
	o->capacity = config->ways * config->entries;
	o->cells = o->capacity + config->stash;
}

static uint32_t number(const struct oracle_metadata_table *o, uint64_t address)
{
	return (uint32_t)(address / o->config->granularity % ORACLE_GRANULES);
}

/* ---- where the entries are ---- */

static uint32_t find(const struct oracle_metadata_table *o, uint32_t entry)
{
	uint32_t at = 0;

	while (at < ORACLE_CELLS && o->cell[at] != entry)
		at++;
	return at < ORACLE_CELLS ? at : NOWHERE;
}

static uint64_t used(const struct oracle_metadata_table *o, uint32_t from, uint32_t to)
{
	uint64_t entries = 0;

	while (from < to)
		entries += o->cell[from++] != 0;
	return entries;
}

static void recount(struct oracle_metadata_table *o)
{
	o->stats.entries = used(o, 0, o->capacity);
	o->stats.stashed_now = used(o, o->capacity, o->cells);
	o->stats.overflow_now = used(o, o->cells, ORACLE_CELLS);
	oracle_most(&o->stats.stash_max, o->stats.stashed_now);
	oracle_most(&o->stats.overflow_max, o->stats.overflow_now);
}

/* May what is in a cell go, or is there nothing? */
static bool is_open(const struct oracle_metadata_table *o, uint32_t at)
{
	return !o->cell[at] || !o->granule[o->cell[at] - 1].writes;
}

/* Of a cell and of the best after it, the better for an entry: the first free, else open one. */
static uint32_t better(const struct oracle_metadata_table *o, uint32_t at, uint32_t best)
{
	return is_open(o, at) && (best == NOWHERE || o->cell[best] || !o->cell[at]) ? at : best;
}

/* The best of an entry's cells, from the way in turn on, but for `mine`; else the first. */
static uint32_t choose(const struct oracle_metadata_table *o, uint32_t entry, uint32_t mine)
{
	uint32_t best = NOWHERE, at = NOWHERE;

	for (uint32_t i = o->config->ways; i--;) {
		uint32_t way = (o->turn + i) % o->config->ways;

		at = way * o->config->entries + oracle_h3_index(o->h3, way, entry - 1);
		best = at == mine ? best : better(o, at, best);
	}
	return best == NOWHERE ? at : best;
}

/* The chain: gives the cell where it ends, or NOWHERE with an entry in the hand. */
static uint32_t run_chain(struct oracle_metadata_table *o, uint32_t *hand)
{
	uint64_t full = (uint64_t)o->capacity * o->config->evict_above / 100;
	uint32_t inserted = *hand, mine = NOWHERE;

	for (uint32_t swaps = 0;; swaps++) {
		uint32_t at = choose(o, *hand, mine), other = o->cell[at];
		bool last = swaps == o->config->longest_chain, open = at != mine && is_open(o, at);

		o->turn = (o->turn + 1) % o->config->ways;
		o->stats.insert_cycles++;
		if (last || (open && (!other || o->stats.entries >= full)))
			return open ? at : NOWHERE;
		mine = *hand == inserted ? at : at == mine ? NOWHERE : mine;
		o->cell[at] = *hand;
		*hand = other;
		o->stats.swaps++;
	}
}

static void insert(struct oracle_metadata_table *o, uint32_t hand)
{
	uint32_t at = run_chain(o, &hand), stash = NOWHERE;

	o->stats.insertions++;
	for (uint32_t cell = o->cells; cell-- > o->capacity;)
		stash = better(o, cell, stash);
	if (at != NOWHERE) {
		++*(o->cell[at] ? &o->stats.evicting : &o->stats.filled);
	} else if (stash != NOWHERE) {
		at = stash;
		o->stats.stashed++;
		o->stats.insert_cycles += o->cell[at] != 0;
	} else if (o->granule[hand - 1].writes) {
		for (at = o->cells; o->cell[at];)
			at++;
		o->stats.spilled++;
		o->stats.insert_cycles += o->config->memory_latency;
	} else {
		o->stats.approximated++;
		o->stats.evictions++;
		return;
	}
	o->stats.evictions += o->cell[at] != 0;
	o->cell[at] = hand;
}

/* What has no reservation any more leaves stash and overflow. */
static void reclaim(struct oracle_metadata_table *o, uint32_t from)
{
	uint32_t entry = o->cell[from], at = choose(o, entry, NOWHERE);

	o->cell[from] = 0;
	o->stats.evictions += o->cell[at] != 0;
	if (!o->cell[at])
		o->cell[at] = entry;
}

/* ---- operations ---- */

/* Count a look-up, which the table says to have taken so many cycles. Gives what it finds. */
static int oracle_metadata_table_lookup(struct oracle_metadata_table *o, uint64_t address,
					uint32_t cycles)
{
	bool found = find(o, number(o, address) + 1) != NOWHERE;

	++*(found ? &o->stats.hits : &o->stats.misses);
	o->stats.overflow_cycles += cycles - 1;
	return found ? GPUTM_METADATA_TABLE_HIT : GPUTM_METADATA_TABLE_MISS;
}

static void oracle_metadata_table_update(struct oracle_metadata_table *o, uint64_t address,
					 const struct gputm_metadata_table_entry *in)
{
	uint32_t entry = number(o, address) + 1, at = find(o, entry);
	struct gputm_metadata_table_entry *g = &o->granule[entry - 1];

	if (in->wts > g->wts)
		g->wts = in->wts;
	if (in->rts > g->rts)
		g->rts = in->rts;
	o->stats.locked += (uint64_t)(in->writes > 0) - (g->writes > 0);
	o->stats.writes += in->writes - (uint64_t)g->writes;
	oracle_most(&o->stats.locked_max, o->stats.locked);
	g->writes = in->writes;
	g->owner = in->owner;
	if (at == NOWHERE)
		insert(o, entry);
	else if (at >= o->capacity && !in->writes)
		reclaim(o, at);
	recount(o);
}

static int oracle_metadata_table_remove(struct oracle_metadata_table *o, uint64_t address)
{
	uint32_t entry = number(o, address) + 1, at = find(o, entry);

	if (at == NOWHERE)
		return GPUTM_METADATA_TABLE_ABSENT;
	if (o->granule[entry - 1].writes)
		return GPUTM_METADATA_TABLE_LOCKED;
	o->cell[at] = 0;
	o->stats.evictions++;
	recount(o);
	return GPUTM_METADATA_TABLE_REMOVED;
}

static void oracle_metadata_table_flush(struct oracle_metadata_table *o)
{
	memset(o->granule, 0, sizeof(o->granule));
	memset(o->cell, 0, sizeof(o->cell));
	o->stats.flushed += o->stats.entries + o->stats.stashed_now;
	recount(o);
}

static uint64_t oracle_metadata_table_writes(const struct oracle_metadata_table *o)
{
	uint64_t writes = 0;

	for (unsigned i = 0; i < ORACLE_GRANULES; i++)
		writes += o->granule[i].writes;
	return writes;
}

/* NULL, or what the table says of this address that cannot be. */
static const char *oracle_metadata_table_compare(const struct oracle_metadata_table *o,
						 const struct gputm_metadata_table *table,
						 uint64_t address)
{
	const struct gputm_metadata_table_entry *g = &o->granule[number(o, address)];
	struct gputm_metadata_table_entry m = { 0, 0, 0, 0, 0, 0 };

	if (gputm_metadata_table_lookup_probe(table, address, &m) < 0)
		return "the address is refused";
	if (m.cycles < 1)
		return "a look-up costs nothing";
	if (gputm_metadata_table_lookup_probe(table, address, &m) == GPUTM_METADATA_TABLE_MISS &&
	    gputm_metadata_table_estimate(table, address, &m.wts, &m.rts))
		return "the estimate is refused";
	if (m.writes != g->writes)
		return "a reservation is lost or invented";
	if (g->writes && m.owner != g->owner)
		return "the owner is another";
	if (m.wts < g->wts)
		return "wts is understated";
	return m.rts < g->rts ? "rts is understated" : NULL;
}

#endif /* GPUTM_ORACLE_METADATA_TABLE_H */
