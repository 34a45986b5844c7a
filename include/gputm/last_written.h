/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LAST_WRITTEN_H
#define GPUTM_LAST_WRITTEN_H

/**
 * @file
 * Last-written time table of one memory partition (temporal conflict detection, TCD; Fung's
 * thesis, 6.4.2 and Fig. 6.7): when each block of memory was last written by a committing
 * transaction, never too early. It is a recency Bloom filter of times.
 *
 * Whenever a committing transaction writes a word in the L2 cache the caller records the
 * partition's time; each transactional load that the L2 cache serves carries back the time
 * of its block, and first_read (gputm/first_read.h) on the core compares it with the
 * transaction's first load. Times of all cores and partitions come from timers that run in step.
 *
 * Timing: a record 1 cycle, a query 1 cycle, on one port.
 */

#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/** One table. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_last_written;

/** Geometry; fields are only ever appended. Ranges: gputm_last_written_params(). */
struct gputm_last_written_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Sub-arrays, each with a hash of its own (1..8). */
	uint32_t ways;
	/** Times per sub-array (power of two, 1..2^20). */
	uint32_t entries;
	/** Width of a time, bits (2..64). */
	uint32_t time_bits;
	/** Bytes of a block (power of two, 1..2^16). */
	uint32_t granularity;
	/** Width of a byte address, bits (16..64). */
	uint32_t address_bits;
	/** Seed of the H3 rows. */
	uint64_t seed;
	/** Rows brought by the caller, as in struct gputm_h3_config, for keys of
	 * address_bits - log2(granularity) bits; copied. NULL: from the seed. */
	const uint32_t *h3_rows;
};
/* begin INIT */
#define GPUTM_LAST_WRITTEN_CONFIG_INIT \
	{ sizeof(struct gputm_last_written_config), \
	  /* ways */ 4, /* entries */ 512, /* time_bits */ 64, /* granularity */ 128, \
	  /* address_bits */ 32, /* seed */ 1u, NULL }
/* end INIT */

/** Events; gputm_last_written(3) says what each tells. */
enum gputm_last_written_event {
	GPUTM_LAST_WRITTEN_EVENT_RECORD = 0,
	GPUTM_LAST_WRITTEN_EVENT_QUERY = 1,
	GPUTM_LAST_WRITTEN_EVENT_EXPIRE = 2,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_last_written_params(void);

/**
 * Set @p config to a preset of Fig. 6.15: "tcd-2k" (4 x 512, the default), "tcd-128" (4 x 32),
 * "tcd-4k" (4 x 1024), "tcd-2k-1-sub-array" (1 x 2048), "tcd-2k-word" (4 x 512 over words).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_last_written_config_preset(struct gputm_last_written_config *config, const char *name);

/**
 * Make a table in which nothing was ever written.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a field
 * newer than this library; -ENOMEM. Free it with gputm_last_written_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_last_written_new(struct gputm_ctx *ctx, const struct gputm_last_written_config *config,
		       struct gputm_last_written **out);
/** Free a table; NULL allowed. */
GPUTM_API void gputm_last_written_free(struct gputm_last_written *table);
/** @return the common face; lives as long as @p table. */
GPUTM_API struct gputm_unit *gputm_last_written_unit(struct gputm_last_written *table);

/**
 * Note that a committing transaction has written at @p address, at @p time of the partition.
 * One record serves all words of a block written in that cycle. Takes 1 cycle.
 * @param time 0 is "before everything" and leaves no trace.
 * @return 0; -ERANGE, the address is beyond address_bits, or the time is older than the
 * floor or does not fit in time_bits above it (see gputm_last_written_expire()).
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_last_written_record(struct gputm_last_written *table,
							 uint64_t address, uint64_t time);

/**
 * When the block of @p address was last written. Takes 1 cycle, beside the L2 access.
 * @param time the last time recorded for that block or a later one; 0: never, or forgotten.
 * @return 0; -ERANGE, the address is beyond address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_last_written_query(struct gputm_last_written *table,
							uint64_t address, uint64_t *time);
/** @return what gputm_last_written_query() would; changes nothing, not even statistics. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_last_written_query_probe(const struct gputm_last_written *table, uint64_t address,
			       uint64_t *time);

/**
 * Forget every time before @p floor: no transaction that began before it is still running.
 * It makes answers more exact, and lets a narrow time_bits serve for ever.
 * @param cycles cost: @c entries, or 0 when nothing changed; NULL allowed.
 */
GPUTM_API void gputm_last_written_expire(struct gputm_last_written *table, uint64_t floor,
					 uint64_t *cycles);

/** Forget everything, as at a rollover of the timers. One cycle. Statistics stay. */
GPUTM_API void gputm_last_written_clear(struct gputm_last_written *table);

/**
 * For displays: the stored time of one entry, 0 when empty.
 * @return 0; -ERANGE, no such way or entry.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_last_written_get_entry(const struct gputm_last_written *table,
							    uint32_t way, uint32_t index,
							    uint64_t *out);

GPUTM_END_DECLS
#endif /* GPUTM_LAST_WRITTEN_H */
