/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_COUNTER_TABLE_H
#define GPUTM_COUNTER_TABLE_H

/**
 * @file
 * How often granules are accessed, in a direct-mapped table of counters.
 *
 * A granule has one entry, by the low bits of its number; the entry keeps the tag of the granule
 * that it counts. A granule that finds another's tag replaces it.
 * Source: any textbook. Replace these lines by your paper, and the table by your hardware.
 *
 * Timing: one access to the array per call; the unit itself counts no cycles.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** One table. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_counter_table;

/** Geometry; fields are only ever appended. Ranges: gputm_counter_table_params(). */
struct gputm_counter_table_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Entries of the table (power of two, 1..2^20). */
	uint32_t entries;
	/** Bytes of a granule (power of two, 1..4096). */
	uint32_t granularity;
	/** Width of a counter, bits (1..63). */
	uint32_t count_bits;
};
/* begin INIT */
#define GPUTM_COUNTER_TABLE_CONFIG_INIT \
	{ sizeof(struct gputm_counter_table_config), \
	  /* entries */ 256, /* granularity */ 32, /* count_bits */ 8 }
/* end INIT */

/** Outcomes of gputm_counter_table_record(). */
enum gputm_counter_table_result {
	GPUTM_COUNTER_TABLE_HIT = 0,	  /**< counted on; at its maximum a counter stays */
	GPUTM_COUNTER_TABLE_FILLED = 1,	  /**< a free entry begins at 1 */
	GPUTM_COUNTER_TABLE_REPLACED = 2, /**< another granule's entry begins anew at 1 */
};

/** Events; gputm_unit_event() says what each tells. */
enum gputm_counter_table_event {
	GPUTM_COUNTER_TABLE_EVENT_REPLACE = 0,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_counter_table_params(void);

/**
 * Set @p config to a preset: "small" (64 entries of 4 bits).
 * @return 0; -EINVAL, no such preset.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_counter_table_config_preset(struct gputm_counter_table_config *config, const char *name);

/**
 * Make an empty table.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a
 * field newer than this library; -ENOMEM. Free it with gputm_counter_table_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_counter_table_new(struct gputm_ctx *ctx, const struct gputm_counter_table_config *config,
			struct gputm_counter_table **out);
/** Free a table; NULL allowed. */
GPUTM_API void gputm_counter_table_free(struct gputm_counter_table *table);
/** @return its common face; lives as long as @p table. */
GPUTM_API struct gputm_unit *gputm_counter_table_unit(struct gputm_counter_table *table);

/**
 * Count one access.
 * @param address any byte address.
 * @return enum gputm_counter_table_result.
 */
GPUTM_API int gputm_counter_table_record(struct gputm_counter_table *table, uint64_t address);

/** @return the accesses that the table has counted for the granule of @p address, or 0. */
GPUTM_API uint64_t gputm_counter_table_query(const struct gputm_counter_table *table,
					     uint64_t address);

GPUTM_END_DECLS
#endif /* GPUTM_COUNTER_TABLE_H */
