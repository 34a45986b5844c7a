/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_RECENCY_BLOOM_H
#define GPUTM_ORACLE_RECENCY_BLOOM_H
/*
 * Recency Bloom filter the slow way: a list of all updates ever made; a query
 * recomputes every entry from it. Hashes come from the H3 family's public rows, bit
 * by bit.
 */
#include <stddef.h>
#include <stdint.h>

#include "gputm/recency_bloom.h"
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

void oracle_recency_bloom_open(struct oracle_recency_bloom *o,
			       const struct gputm_recency_bloom_config *config);
void oracle_recency_bloom_close(struct oracle_recency_bloom *o);
void oracle_recency_bloom_update(struct oracle_recency_bloom *o, uint64_t address, uint64_t first,
				 uint64_t second);
void oracle_recency_bloom_expire(struct oracle_recency_bloom *o, uint64_t floor);
void oracle_recency_bloom_clear(struct oracle_recency_bloom *o);
/* What the filter answers. */
uint64_t oracle_recency_bloom_query(const struct oracle_recency_bloom *o, uint64_t address,
				    unsigned which);
/* The newest stamp truly given for the address (or its granule) since it was forgotten. */
uint64_t oracle_recency_bloom_truth(const struct oracle_recency_bloom *o, uint64_t address,
				    unsigned which);

#endif /* GPUTM_ORACLE_RECENCY_BLOOM_H */
