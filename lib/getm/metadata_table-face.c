/* SPDX-License-Identifier: BSD-2-Clause */
/* The common face of the metadata table; see metadata_table.c. */
#include "lib/getm/metadata_params.h"
#include "lib/getm/metadata_table-priv.h"

#define VALID GPUTM__METADATA_VALID
#define TABLE_SEED (UINT64_C(1) << 63) /* flipped in the seed of the ways' rows */

#define UNIT metadata_table

static const struct gputm_param rows[] = {
	PARAM(ways, 1, 8, 4, false, "Banks, each with an H3 hash of its own.",
	      "GETM V-B1"),
	GPUTM__METADATA_SIZES,
	PARAM(time_bits, 2, 64, 32, false, "Width of the time in a stamp, bits.", "GETM V-B1"),
	PARAM(warp_bits, 0, 16, 10, false, "Width of the warp in a stamp, bits; reported apart.",
	      ""),
	GPUTM__METADATA_COUNT,
	PARAM(owner_bits, 1, 32, 10, false, "Width of an owner, bits.", "GETM IV-A"),
	GPUTM__METADATA_RULES,
};

static const struct gputm_preset presets[] = {
	{ "getm-128", "GETM Table II, one of 6 partitions: 4 x 128 entries, 3072 in all.",
	  { { "ways", 4 }, { "entries", 128 }, { "stash", 4 }, { "filter_entries", 32 } } },
	{ "getm-256", "GETM Table II, one of 6 partitions: 4 x 256 entries, 6144 in all.",
	  { { "ways", 4 }, { "entries", 256 }, { "stash", 4 }, { "filter_entries", 64 } } },
	{ "getm-gpu", "GETM Table II, the whole GPU: 4 x 1024 entries, filter 4 x 256.",
	  { { "ways", 4 }, { "entries", 1024 }, { "stash", 4 }, { "filter_entries", 256 } } },
	{ "released", "The released simulator's defaults, for the whole GPU.",
	  { { "ways", 4 },
	    { "entries", 8192 },
	    { "stash", 48 },
	    { "granularity", 4 },
	    { "evict_above", 70 },
	    { "filter_entries", 256 } } },
};

#define ENDED(HOW, NAME, SENTENCE)                                                             \
	STAT_OF(NAME, ended[GPUTM_METADATA_TABLE_##HOW], COUNTER, "insertions", SENTENCE)
static const struct gputm__stat_row stats[] = {
	STAT(hits, COUNTER, "lookups", "Look-ups that found an entry; 1 cycle each."),
	STAT(misses, COUNTER, "lookups", "Look-ups that found none; 1 cycle each."),
	STAT(overflow_cycles, COUNTER, "cycles", "Look-ups' visits to overflow entries."),
	STAT(insert_cycles, COUNTER, "cycles", "Spent on insertions."),
	STAT(insertions, COUNTER, "insertions", "Entries made."),
	STAT(swaps, COUNTER, "swaps", "Entries displaced by insertions."),
	ENDED(FILLED, "filled", "Insertions that a free cell ended."),
	ENDED(EVICTED, "evicting", "Insertions that an eviction from the ways ended."),
	ENDED(STASHED, "stashed", "Insertions that ended in the stash."),
	ENDED(SPILLED, "spilled", "Insertions that ended in the overflow."),
	ENDED(APPROXIMATED, "approximated", "Insertions that ended in the filter."),
	STAT(evictions, COUNTER, "entries", "Entries whose stamps went to the filter."),
	STAT(flushed, COUNTER, "entries", "Entries forgotten by flushes."),
	STAT(stash_max, MAXIMUM, "entries", "Stash entries in use, at most."),
	STAT(overflow_max, MAXIMUM, "entries", "Overflow entries, at most."),
	STAT(locked_max, MAXIMUM, "entries", "Entries with reserved writes, at most."),
	STAT(entries, GAUGE, "entries", "Cells of the ways in use; load factor x capacity."),
	STAT(stashed_now, GAUGE, "entries", "Stash entries in use."),
	STAT_OF("overflow_now", overflow.count, GAUGE, "entries", "Overflow entries."),
	STAT(locked, GAUGE, "entries", "Entries with reserved writes."),
	STAT(writes, GAUGE, "writes", "Reserved writes of all entries."),
};

static const char *const ends[] = {
	"updated", "reclaimed", "filled", "evicted", "stashed", "spilled", "approximated",
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_METADATA_TABLE_EVENT_INSERT, "insert", "The table has a new entry.",
	      VALUE(address, "byte address", "The granule of the entry."),
	      NAMED(outcome, ends, "How the chain of displaced entries ended."),
	      VALUE(swaps, "swaps", "Entries that the chain displaced."),
	      VALUE(cost, "cycles", "Cycles that the insertion took.")),
	EVENT(GPUTM_METADATA_TABLE_EVENT_EVICT, "evict",
	      "The stamps of an entry went to the filter or the registers.",
	      VALUE(address, "byte address", "The granule of the entry."),
	      VALUE(wts, "logical time", "The last write of the granule."),
	      VALUE(rts, "logical time", "The last read of the granule.")),
	EVENT(GPUTM_METADATA_TABLE_EVENT_SPILL, "spill",
	      "An entry with reserved writes went to the overflow.",
	      VALUE(address, "byte address", "The granule of the entry."),
	      VALUE(entries, "entries", "Entries in the overflow now.")),
	EVENT(GPUTM_METADATA_TABLE_EVENT_FLUSH, "flush", "The table has forgotten all stamps.",
	      VALUE(entries, "entries", "Entries that the table and the stash had.")),
};

/* ---- life ---- */

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_metadata_table_config *c = gputm_unit_config(unit);

	if (c->time_bits + c->warp_bits <= 64)
		return 0;
	return gputm__refuse(unit, "time_bits = %u and warp_bits = %u are more than 64",
			     c->time_bits, c->warp_bits);
}

static int make_filter(struct gputm_metadata_table *t)
{
	struct gputm_recency_bloom_config filter = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	struct gputm_metadata_table_config *c = &t->config;
	const struct gputm_recency_bloom_config *kept;
	int error;

	if (c->approximate == GPUTM_METADATA_TABLE_APPROXIMATE_REGISTERS) {
		c->filter_rows = NULL;
		return 0;
	}
	gputm__params_share(&t->unit, gputm_recency_bloom_params(), &filter);
	filter.ways = c->filter_ways;
	filter.entries = c->filter_entries;
	filter.stamp_bits = c->time_bits + c->warp_bits;
	filter.stamps = 2;
	filter.h3_rows = c->filter_rows;
	error = gputm_recency_bloom_new(t->unit.ctx, &filter, &t->filter);
	if (error)
		return error;
	kept = gputm_unit_config(gputm_recency_bloom_unit(t->filter));
	c->filter_rows = kept->h3_rows;
	return 0;
}

static int make_hash(struct gputm_metadata_table *t)
{
	struct gputm_metadata_table_config *c = &t->config;
	uint32_t low_bits = gputm__log2(c->granularity);
	struct gputm_h3_config h3 = gputm__h3_config(c->ways, c->entries,
						     c->address_bits - low_bits,
						     c->seed ^ TABLE_SEED, c->table_rows);
	int error = gputm__h3_own(&t->unit, &h3, low_bits, &t->h3);

	if (error)
		return error;
	c->table_rows = c->table_rows ? t->h3->row : NULL;
	return 0;
}

static void derive(struct gputm_metadata_table *t)
{
	const struct gputm_metadata_table_config *c = &t->config;

	t->address_max = gputm__low_mask(c->address_bits);
	t->key_mask = ~(uint64_t)(c->granularity - 1);
	t->stamp_max = gputm__low_mask(c->time_bits + c->warp_bits);
	t->count_max = (uint32_t)gputm__low_mask(c->count_bits);
	t->owner_max = (uint32_t)gputm__low_mask(c->owner_bits);
	t->capacity = c->ways * c->entries;
	t->cells = t->capacity + c->stash;
	t->evict_from = (uint32_t)((uint64_t)t->capacity * c->evict_above / 100);
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_metadata_table *t = (void *)unit;
	int error;

	derive(t);
	t->cell = gputm__own(unit, t->cells, sizeof(*t->cell));
	error = make_hash(t);
	if (!error)
		error = make_filter(t);
	return error ? error : gputm__overflow_reserve(unit, &t->overflow);
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_metadata_table *t = (void *)unit;

	gputm__metadata_forget(t);
	t->turn = 0;
}

/* ---- state ---- */

static uint32_t places(const struct gputm_metadata_table *t)
{
	return t->cells + (uint32_t)t->overflow.count;
}

/* Add what the table holds to the gauges of `count`, the table itself or another. */
static void recount(const struct gputm_metadata_table *t, struct gputm_metadata_table *count)
{
	for (uint32_t at = 0; at < places(t); at++) {
		const struct gputm__entry *entry = gputm__metadata_at(t, at);

		count->entries += at < t->capacity && entry->key;
		count->stashed_now += at >= t->capacity && at < t->cells && entry->key;
		count->locked += entry->writes != 0;
		count->writes += entry->writes;
	}
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_metadata_table *t = (void *)unit;

	gputm__io_same(io, t->h3->fingerprint, "its hash rows are others");
	for (uint32_t at = 0; at < t->cells; at++)
		gputm__entry_io(&t->cell[at], io);
	gputm__overflow_io(&t->overflow, io);
	gputm__io_u32_max(io, &t->turn, t->config.ways - 1, "turn");
	gputm__io_u64_max(io, &t->register_wts, t->stamp_max, "register wts");
	gputm__io_u64_max(io, &t->register_rts, t->stamp_max, "register rts");
	if (gputm__io_reading(io) && !io->error)
		recount(t, t);
}

/* What is wrong with a place. A search is for keys of granules only. */
static const char *check_place(const struct gputm_metadata_table *t, uint32_t at)
{
	const struct gputm__entry *entry = gputm__metadata_at(t, at);
	uint64_t address = entry->key & ~VALID;
	struct gputm_metadata_table_entry m;

	if (!entry->key)
		return entry->wts | entry->rts | entry->writes | entry->owner ?
			       "M4: a free cell has metadata" : NULL;
	if ((entry->wts | entry->rts) > t->stamp_max || entry->writes > t->count_max ||
	    entry->owner > t->owner_max)
		return "M4: a stamp, owner or number of writes is too wide";
	if (gputm__metadata_key(t, entry->key) != entry->key || address > t->address_max)
		return "M1: an entry is of no granule";
	if (at < t->capacity && gputm__h3_cell(t->h3, at / t->config.entries, entry->key) != at)
		return "M1: an entry is in a cell that its hash does not give";
	if (at >= t->cells && !entry->writes)
		return "M3: an overflow entry has no reservation";
	return gputm_metadata_table_lookup_probe(t, address, &m) > 0 && m.place == at ?
		       NULL : "M2: a granule has two entries";
}

static const char *check_counts(const struct gputm_metadata_table *t)
{
	struct gputm_metadata_table now = { .entries = 0 };

	recount(t, &now);
	if (now.entries != t->entries || now.stashed_now != t->stashed_now ||
	    now.locked != t->locked || now.writes != t->writes)
		return "M7: a gauge is not what a recount gives";
	return NULL;
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_metadata_table *t = (const void *)unit;
	uint64_t ended = 0;

	for (int how = GPUTM_METADATA_TABLE_FILLED; how <= GPUTM_METADATA_TABLE_APPROXIMATED; how++)
		ended += t->ended[how];
	gputm__law(laws, t->insertions,
		   t->entries + t->stashed_now + t->overflow.count + t->evictions + t->flushed,
		   "M5: insertions are not entries + evictions + flushed");
	gputm__law(laws, t->insertions, ended,
		   "M6: insertions are not filled + evicting + stashed + spilled + approximated");
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_metadata_table *t = (const void *)unit;
	const char *broken = NULL;

	for (uint32_t at = 0; at < places(t) && !broken; at++)
		broken = check_place(t, at);
	return broken ? broken : check_counts(t);
}

static uint64_t entry_bits(const struct gputm_metadata_table_config *c)
{
	return 1 + c->address_bits - gputm__log2(c->granularity) + 2 * c->time_bits +
	       c->count_bits + c->owner_bits;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_metadata_table_config *c = gputm_unit_config(unit);
	bool filter = c->approximate == GPUTM_METADATA_TABLE_APPROXIMATE_FILTER;
	uint64_t exact = (uint64_t)c->ways * c->entries + c->stash;
	uint64_t pairs = filter ? (uint64_t)c->filter_ways * c->filter_entries : 1;

	gputm__array(out, "ways", exact - c->stash, entry_bits(c), 1);
	gputm__array(out, "stash", c->stash, entry_bits(c), 1);
	gputm__array(out, filter ? "filter" : "registers", pairs, 2 * (uint64_t)c->time_bits, 1);
	gputm__array_apart(out, "warps of stamps", exact + pairs, 2 * (uint64_t)c->warp_bits, 1);
}

GPUTM__UNIT(metadata_table, .version = 3, .setup = setup, .validate = validate, .laws = laws,
	    .part = { { "filter", offsetof(struct gputm_metadata_table, filter) } })
