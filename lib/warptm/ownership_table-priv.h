/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_WARPTM_OWNERSHIP_TABLE_PRIV_H
#define GPUTM_LIB_WARPTM_OWNERSHIP_TABLE_PRIV_H
/* What the files of the ownership table share; the essay is in ownership_table.c. */
#include "gputm/ownership_table.h"
#include "lib/base/h3.h"
#include "lib/base/unit.h"
#include "lib/warptm/region_map.h"
#include "lib/warptm/resolver.h"

#define GPUTM__READ_ONLY UINT8_MAX /* owner of an entry without a writer */

struct gputm_ownership_table {
	struct gputm_unit unit;
	struct gputm_ownership_table_config config;
	struct gputm__resolver core;
	struct gputm_h3 *h3;
	uint8_t *owner;			/* [buffers][entries]; unused if exact */
	struct gputm__region_map *map;	/* [buffers]; unused unless exact */
	uint32_t shift;			/* log2(granularity) */
	uint64_t index_mask;
	uint64_t read_conflicts, write_conflicts;
};

/* Entries of a buffer. */
static inline uint8_t *gputm__owners(const struct gputm_ownership_table *t, uint32_t buffer)
{
	return t->owner + (size_t)buffer * t->config.entries;
}

#endif /* GPUTM_LIB_WARPTM_OWNERSHIP_TABLE_PRIV_H */
