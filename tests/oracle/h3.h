/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_H3_H
#define GPUTM_TESTS_ORACLE_H3_H
/* H3 for the oracles: the rows are the library's, the index is put together bit by bit. */
#include <stdlib.h>

#include "gputm/base.h"

static inline uint32_t oracle_log2(uint64_t value)
{
	uint32_t bits = 0;

	while (value >>= 1)
		bits++;
	return bits;
}

/* Rows for the numbers of granules of an address space; all that a unit's config says of them. */
static inline struct gputm_h3 *oracle_h3(uint32_t ways, uint64_t entries, uint32_t address_bits,
					 uint64_t granularity, uint64_t seed, const uint32_t *rows)
{
	struct gputm_h3_config config = GPUTM_H3_CONFIG_INIT;
	struct gputm_h3 *h3 = NULL;

	config.ways = ways;
	config.index_bits = oracle_log2(entries);
	config.key_bits = address_bits - oracle_log2(granularity);
	config.seed = seed;
	config.rows = rows;
	if (gputm_h3_new(NULL, &config, &h3))
		abort();
	return h3;
}

static inline uint32_t oracle_h3_index(const struct gputm_h3 *h3, uint32_t way, uint64_t key)
{
	uint32_t index = 0;

	for (EACH_LANE(bit, key))
		index ^= gputm_h3_row(h3, way, bit);
	return index;
}

#endif /* GPUTM_TESTS_ORACLE_H3_H */
