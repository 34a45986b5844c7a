/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_LAST_WRITER_H
#define GPUTM_TESTS_ORACLE_LAST_WRITER_H
/*
 * A last writer history by the book: arrays as drawn in the thesis, every step a plain
 * loop. Beside it the truth: all writes ever recorded, in order.
 */
#include "tests/oracle/stats.h"

#define ORACLE_LAST_WRITER_STATS                                                               \
	lookups, unknown, exact, filtered, records, replaced, filled, evicted, expiries,       \
		forgotten, sweep_cycles, entries_max, entries

struct oracle_last_writer;

struct write {
	uint64_t word, cid;
	bool valid;
};

struct oracle_last_writer {
	struct gputm_last_writer_config config;
	struct gputm_h3 *table_hash, *filter_hash;
	struct write *table;  /* [sets][ways] */
	struct write *filter; /* [filter_ways][filter_buckets]; word unused */
	struct write *all;    /* in order of record */
	size_t count, room;
	uint64_t base, newest;
	ORACLE_STATS(ORACLE_LAST_WRITER_STATS) stats;
};

/* The functions give the same answers as the unit's, -ERANGE included. */

static struct gputm_h3 *hash_of(const struct gputm_last_writer_config *c, uint32_t ways,
				uint32_t entries, uint64_t seed, const uint32_t *rows)
{
	struct gputm_h3_config hash = GPUTM_H3_CONFIG_INIT;
	struct gputm_h3 *out = NULL;

	hash.ways = ways;
	hash.key_bits = c->address_bits;
	for (hash.index_bits = 0; 1u << hash.index_bits < entries;)
		hash.index_bits++;
	for (uint32_t bytes = c->word_bytes; bytes > 1; bytes /= 2)
		hash.key_bits--;
	hash.seed = seed;
	hash.rows = rows;
	return gputm_h3_new(NULL, &hash, &out) ? NULL : out;
}

static struct oracle_last_writer *oracle_last_writer_new(const struct gputm_last_writer_config *c)
{
	struct oracle_last_writer *o = calloc(1, sizeof(*o));

	o->config = *c;
	o->table_hash = hash_of(c, 1, c->sets, c->seed ^ UINT64_C(1) << 63, c->table_rows);
	o->filter_hash = hash_of(c, c->filter_ways, c->filter_buckets, c->seed, c->filter_rows);
	o->table = calloc((size_t)c->sets * c->ways, sizeof(*o->table));
	o->filter = calloc((size_t)c->filter_ways * c->filter_buckets, sizeof(*o->filter));
	return o;
}

static void oracle_last_writer_free(struct oracle_last_writer *o)
{
	gputm_h3_free(o->table_hash);
	gputm_h3_free(o->filter_hash);
	free(o->table);
	free(o->filter);
	free(o->all);
	free(o);
}

static void oracle_last_writer_reset(struct oracle_last_writer *o)
{
	const struct gputm_last_writer_config *c = &o->config;

	memset(o->table, 0, (size_t)c->sets * c->ways * sizeof(*o->table));
	memset(o->filter, 0, (size_t)c->filter_ways * c->filter_buckets * sizeof(*o->filter));
	memset(&o->stats, 0, sizeof(o->stats));
	o->count = 0;
	o->base = o->newest = 0;
}

static bool fits(const struct oracle_last_writer *o, uint64_t address)
{
	return o->config.address_bits == 64 || address >> o->config.address_bits == 0;
}

static uint64_t limit(const struct oracle_last_writer *o)
{
	return o->base + (UINT64_C(1) << o->config.cid_bits) - 2;
}

static struct write *bucket(const struct oracle_last_writer *o, uint32_t way, uint64_t word)
{
	return &o->filter[way * o->config.filter_buckets +
			  gputm_h3_index(o->filter_hash, way, word)];
}

static void evict(struct oracle_last_writer *o, const struct write *victim)
{
	for (uint32_t way = 0; way < o->config.filter_ways; way++) {
		struct write *b = bucket(o, way, victim->word);

		if (!b->valid || b->cid < victim->cid)
			b->cid = victim->cid;
		b->valid = true;
	}
}

static void remember(struct oracle_last_writer *o, uint64_t word, uint64_t cid)
{
	if (o->count == o->room) {
		o->room = o->room ? 2 * o->room : 64;
		o->all = realloc(o->all, o->room * sizeof(*o->all));
	}
	o->all[o->count++] = (struct write){ word, cid, true };
}

static struct write *set_of(const struct oracle_last_writer *o, uint64_t word)
{
	return &o->table[(size_t)gputm_h3_index(o->table_hash, 0, word) * o->config.ways];
}

static int oracle_last_writer_record(struct oracle_last_writer *o, uint64_t address, uint64_t cid)
{
	uint64_t word = address / o->config.word_bytes;
	struct write *set = set_of(o, word), *at = NULL;
	int result = GPUTM_LAST_WRITER_REPLACED;

	if (!fits(o, address) || cid < o->base || cid < o->newest || cid > limit(o))
		return -ERANGE;
	for (uint32_t way = 0; way < o->config.ways; way++)
		if (set[way].valid && set[way].word == word)
			at = &set[way];
	if (!at) {
		result = GPUTM_LAST_WRITER_FILLED;
		for (uint32_t way = o->config.ways; way--;)
			if (!set[way].valid)
				at = &set[way];
	}
	if (!at) {
		result = GPUTM_LAST_WRITER_EVICTED;
		at = &set[0];
		for (uint32_t way = 0; way < o->config.ways; way++)
			if (set[way].cid < at->cid)
				at = &set[way];
		evict(o, at);
	}
	o->stats.records++;
	++*(result == GPUTM_LAST_WRITER_REPLACED ? &o->stats.replaced :
	    result == GPUTM_LAST_WRITER_FILLED	 ? &o->stats.filled :
						   &o->stats.evicted);
	o->stats.entries += result == GPUTM_LAST_WRITER_FILLED;
	oracle_most(&o->stats.entries_max, o->stats.entries);
	*at = (struct write){ word, cid, true };
	o->newest = cid;
	remember(o, word, cid);
	return result;
}

static int youngest(const struct oracle_last_writer *o, uint64_t word, uint64_t *cid)
{
	struct write *set = set_of(o, word);
	uint64_t least = UINT64_MAX;

	for (uint32_t way = 0; way < o->config.ways; way++)
		if (set[way].valid && set[way].word == word) {
			*cid = set[way].cid;
			return GPUTM_LAST_WRITER_EXACT;
		}
	for (uint32_t way = 0; way < o->config.filter_ways; way++) {
		const struct write *b = bucket(o, way, word);

		if (!b->valid)
			return GPUTM_LAST_WRITER_NONE;
		if (b->cid < least)
			least = b->cid;
	}
	*cid = least;
	return GPUTM_LAST_WRITER_FILTER;
}

static int oracle_last_writer_youngest_writer(struct oracle_last_writer *o, uint64_t address,
					      uint64_t *cid)
{
	int result;

	if (!fits(o, address))
		return -ERANGE;
	result = youngest(o, address / o->config.word_bytes, cid);
	o->stats.lookups++;
	++*(result == GPUTM_LAST_WRITER_NONE  ? &o->stats.unknown :
	    result == GPUTM_LAST_WRITER_EXACT ? &o->stats.exact :
						&o->stats.filtered);
	return result;
}

/* Gives the number of those dropped. */
static uint64_t drop_older(struct write *array, size_t count, uint64_t floor)
{
	uint64_t dropped = 0;

	for (size_t i = 0; i < count; i++)
		if (array[i].valid && array[i].cid < floor) {
			array[i].valid = false;
			dropped++;
		}
	return dropped;
}

static int oracle_last_writer_expire(struct oracle_last_writer *o, uint64_t floor, uint64_t *cycles)
{
	const struct gputm_last_writer_config *c = &o->config;

	if (floor > UINT64_C(1) << 63)
		return -ERANGE;
	*cycles = 0;
	if (floor <= o->base)
		return 0;
	o->stats.forgotten += drop_older(o->table, (size_t)c->sets * c->ways, floor);
	o->stats.entries = o->stats.filled - o->stats.forgotten;
	drop_older(o->filter, (size_t)c->filter_ways * c->filter_buckets, floor);
	o->base = floor;
	*cycles = c->sets > c->filter_buckets ? c->sets : c->filter_buckets;
	o->stats.expiries++;
	o->stats.sweep_cycles += *cycles;
	return 0;
}

/* The true youngest writer that is not older than the base. */
static bool oracle_last_writer_truth(const struct oracle_last_writer *o, uint64_t address,
				     uint64_t *cid)
{
	for (size_t i = o->count; i--;) {
		if (o->all[i].word != address / o->config.word_bytes)
			continue;
		*cid = o->all[i].cid;
		return o->all[i].cid >= o->base;
	}
	return false;
}

#endif
