/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/recency_bloom.h"

#include <stdlib.h>

static unsigned log2_of(uint64_t value)
{
	unsigned bits = 0;

	while (value >>= 1)
		bits++;
	return bits;
}

void oracle_recency_bloom_open(struct oracle_recency_bloom *o,
			       const struct gputm_recency_bloom_config *config)
{
	struct gputm_h3_config h3 = GPUTM_H3_CONFIG_INIT;

	o->config = *config;
	h3.ways = config->ways;
	h3.index_bits = log2_of(config->entries);
	h3.key_bits = config->address_bits - log2_of(config->granularity);
	h3.seed = config->seed;
	h3.rows = config->h3_rows;
	if (gputm_h3_new(NULL, &h3, &o->h3))
		abort();
	o->update = NULL;
	o->updates = 0;
	o->floor = 0;
}

void oracle_recency_bloom_close(struct oracle_recency_bloom *o)
{
	gputm_h3_free(o->h3);
	free(o->update);
}

void oracle_recency_bloom_update(struct oracle_recency_bloom *o, uint64_t address, uint64_t first,
				 uint64_t second)
{
	o->update = realloc(o->update, (o->updates + 1) * sizeof(*o->update));
	if (!o->update)
		abort();
	o->update[o->updates].address = address;
	o->update[o->updates].stamp[0] = first;
	o->update[o->updates++].stamp[1] = second;
}

void oracle_recency_bloom_expire(struct oracle_recency_bloom *o, uint64_t floor)
{
	if (floor > o->floor)
		o->floor = floor;
}

static uint32_t index_of(const struct oracle_recency_bloom *o, uint32_t way, uint64_t address)
{
	uint64_t key = address / o->config.granularity;
	uint32_t index = 0;

	for (uint32_t bit = 0; bit < 64; bit++)
		if (key >> bit & 1)
			index ^= gputm_h3_row(o->h3, way, bit);
	return index;
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

uint64_t oracle_recency_bloom_query(const struct oracle_recency_bloom *o, uint64_t address,
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

uint64_t oracle_recency_bloom_truth(const struct oracle_recency_bloom *o, uint64_t address,
				    unsigned which)
{
	return newest(o, address, which, -1);
}
