/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_RECENCY_BLOOM_H
#define GPUTM_ORACLE_RECENCY_BLOOM_H
/*
 * Recency Bloom filter the slow way: a list of all updates ever made; a query
 * recomputes every entry from it. Hashes come from the H3 family's public rows, bit
 * by bit.
 */
#include "tests/oracle/h3.h"
#include "tests/oracle/stats.h"

#define ORACLE_RECENCY_BLOOM_STATS updates, expiries, forgotten

struct oracle_recency_bloom {
	struct gputm_recency_bloom_config config;
	struct gputm_h3 *h3;
	struct {
		uint64_t address, stamp[2];
	} *update;
	size_t updates;
	uint64_t floor;
	ORACLE_STATS(ORACLE_RECENCY_BLOOM_STATS) stats;
};

static void oracle_recency_bloom_open(struct oracle_recency_bloom *o,
				      const struct gputm_recency_bloom_config *config)
{
	ORACLE_OPEN(o, config);
	o->h3 = oracle_h3(config->ways, config->entries, config->address_bits, config->granularity,
			  config->seed, config->h3_rows);
}

static void oracle_recency_bloom_clear(struct oracle_recency_bloom *o)
{
	o->updates = 0;
	o->floor = 0;
}

static void oracle_recency_bloom_close(struct oracle_recency_bloom *o)
{
	gputm_h3_free(o->h3);
	free(o->update);
}

static void oracle_recency_bloom_update(struct oracle_recency_bloom *o, uint64_t address,
					uint64_t first, uint64_t second)
{
	o->update = realloc(o->update, (o->updates + 1) * sizeof(*o->update));
	if (!o->update)
		abort();
	o->update[o->updates].address = address;
	o->update[o->updates].stamp[0] = first;
	o->update[o->updates++].stamp[1] = second;
	o->stats.updates++;
}

static uint32_t index_of(const struct oracle_recency_bloom *o, uint32_t way, uint64_t address)
{
	return oracle_h3_index(o->h3, way, address / o->config.granularity);
}

static uint64_t newest(const struct oracle_recency_bloom *o, uint64_t address, unsigned which,
		       int way)
{
	uint64_t stamp = 0;

	for (size_t i = 0; i < o->updates; i++) {
		uint64_t other = o->update[i].address;
		int same =
			way < 0 ? other / o->config.granularity == address / o->config.granularity
				: index_of(o, (uint32_t)way, other) ==
					  index_of(o, (uint32_t)way, address);

		if (same && o->update[i].stamp[which] > stamp)
			stamp = o->update[i].stamp[which];
	}
	return stamp < o->floor ? 0 : stamp;
}

static void oracle_recency_bloom_expire(struct oracle_recency_bloom *o, uint64_t floor)
{
	uint64_t base = o->floor ? o->floor - 1 : 0; /* a stamp that says nothing */
	uint32_t cells = o->config.ways * o->config.entries;
	uint64_t *newest_of = calloc(2 * cells, sizeof(*newest_of));

	if (!newest_of)
		abort();
	for (size_t i = 0; i < o->updates; i++)
		for (uint32_t cell = 0; cell < 2 * o->config.ways; cell++) {
			uint32_t way = cell / 2, at = index_of(o, way, o->update[i].address);

			oracle_most(&newest_of[2 * (way * o->config.entries + at) + cell % 2],
				    o->update[i].stamp[cell % 2]);
		}
	for (uint32_t i = 0; i < 2 * cells; i++)
		o->stats.forgotten += i % 2 < o->config.stamps && newest_of[i] > base &&
				      newest_of[i] < floor;
	free(newest_of);
	o->stats.expiries++;
	o->floor = floor;
}

/* What the filter answers. */
static uint64_t oracle_recency_bloom_query(const struct oracle_recency_bloom *o, uint64_t address,
					   unsigned which)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t way = 0; way < o->config.ways; way++) {
		uint64_t entry = newest(o, address, which, (int)way);

		if (entry < least)
			least = entry;
	}
	return least ? least : o->config.empty_stamp;
}

/* The newest stamp truly given for the address (or its granule) since it was forgotten. */
static uint64_t oracle_recency_bloom_truth(const struct oracle_recency_bloom *o, uint64_t address,
					   unsigned which)
{
	return newest(o, address, which, -1);
}

#endif /* GPUTM_ORACLE_RECENCY_BLOOM_H */
