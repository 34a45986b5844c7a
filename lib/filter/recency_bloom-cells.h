/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_FILTER_RECENCY_BLOOM_CELLS_H
#define GPUTM_LIB_FILTER_RECENCY_BLOOM_CELLS_H
/*
 * Straight to the cells of a recency Bloom filter, for a unit that owns one and has the
 * bytes of an address at hand: it hashes for its own table and for the filter at once.
 */
#include "gputm/recency_bloom.h"
#include "lib/base/h3.h"

/* Four ways of one stamp whose cells fit 16 bits; valid as long as the filter. */
struct gputm__bloom_cells {
	const uint64_t *table; /* of the filter's H3 family */
	const uint64_t *entry;
	uint64_t end; /* serves addresses below this; 0 if the filter is of another form */
};

struct gputm__bloom_cells gputm__bloom_cells(const struct gputm_recency_bloom *filter);

/* The smallest of four stamps; `cells` has their places in fields of 16 bits. */
static inline uint64_t gputm__bloom_least(const uint64_t *entry, uint64_t cells)
{
	uint64_t a = entry[(uint16_t)cells], b = entry[(uint16_t)(cells >> 16)];
	uint64_t c = entry[(uint16_t)(cells >> 32)], d = entry[cells >> 48];

	a = a < b ? a : b;
	c = c < d ? c : d;
	return a < c ? a : c;
}

/* The newest stamp of an address below end; 0 if it has none. */
static inline uint64_t gputm__bloom_newest(const struct gputm__bloom_cells *cells,
					   uint64_t address)
{
	return gputm__bloom_least(cells->entry, gputm__h3_narrow(cells->table, address));
}

#endif /* GPUTM_LIB_FILTER_RECENCY_BLOOM_CELLS_H */
