/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_OWNERSHIP_TABLE_H
#define GPUTM_OWNERSHIP_TABLE_H

/**
 * @file
 * Ownership tables of a SIMT core: two-phase parallel resolution of the conflicts within a
 * warp, 2PCR (Fung's thesis, 6.3.3 and Fig. 6.6). Which lanes of a warp may commit together
 * is found before anything leaves the core.
 *
 * A table is a buffer in shared memory with one byte per region: the lowest lane that
 * writes there, or none. Phase 1: all lanes in lockstep walk the write log and keep the
 * lowest lane per region. Phase 2: they walk the read log and the write log again; a lane
 * aborts if a region that it read is owned by a lower lane, or one that it writes by
 * another. Regions that share an entry give false conflicts, never missed ones.
 *
 * A warp acquires a buffer, resolves, and releases it. One unit has all buffers of a core,
 * so that several warps may resolve at a time, each in a buffer of its own.
 *
 * The sequential resolver (gputm/sequential_resolver.h) has the same acquire, resolve,
 * result and release over the same structs, so that a caller can swap one for the other.
 *
 * What holds for the survivors: run one after the other in lane order they read what they
 * have read before any of them wrote. The lowest active lane always survives.
 *
 * Timing, in cycles of the engine that walks the logs (one event a cycle for the core;
 * buffers hide the misses of log rows, they do not make it faster):
 *   acquire               entries / access_bytes, rounded up, x table_cycles
 *   a row of phase 1      log_cycles + table_cycles, and table_cycles if an entry changes
 *   a row of phase 2      log_cycles + table_cycles
 *   release               0
 */

#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/** The tables of one core. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_ownership_table;

/** How the number of a region picks its entry. */
enum gputm_ownership_table_hash {
	GPUTM_OWNERSHIP_TABLE_HASH_LOW_BITS = 0, /**< its low bits, as Fig. 6.6 draws it */
	GPUTM_OWNERSHIP_TABLE_HASH_H3 = 1,
	/** (region % entries + region / entries x 17) % entries: the released simulator's. */
	GPUTM_OWNERSHIP_TABLE_HASH_RELEASED = 2,
};

/** Geometry; fields are only ever appended. Ranges: gputm_ownership_table_params(). */
struct gputm_ownership_table_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Lanes of a warp (1..64). */
	uint32_t lanes;
	/** Regions that a table tells apart, a byte each (power of two, 1..2^16). */
	uint32_t entries;
	/** Bytes of a region (power of two, 1..2^16). */
	uint32_t granularity;
	/** How the number of a region picks its entry (enum gputm_ownership_table_hash). */
	uint32_t hash;
	/** Whether no two regions share an entry, as in an infinite table. */
	bool exact;
	/** Tables of a core: warps that may resolve at a time (1..64). */
	uint32_t buffers;
	/** Width of a byte address, bits (8..64). */
	uint32_t address_bits;
	/** Bytes that one access clears (power of two, 1..4096). */
	uint32_t access_bytes;
	/** Cycles to read a log row (0..1024). */
	uint32_t log_cycles;
	/** Cycles of a table access by all lanes (0..1024). */
	uint32_t table_cycles;
	/** Seed of the H3 rows. */
	uint64_t seed;
	/** Rows brought by the caller, as in struct gputm_h3_config, for one way and keys of
	 * address_bits - log2(granularity) bits; copied. NULL: from the seed. */
	const uint32_t *h3_rows;
};
/* begin INIT */
#define GPUTM_OWNERSHIP_TABLE_CONFIG_INIT \
	{ sizeof(struct gputm_ownership_table_config), \
	  /* lanes */ 32, /* entries */ 4096, /* granularity */ 4, /* hash: low_bits */ 0, \
	  /* exact */ false, /* buffers */ 3, /* address_bits */ 32, /* access_bytes */ 128, \
	  /* log_cycles */ 1, /* table_cycles */ 1, /* seed */ 1u, NULL }
/* end INIT */

/** One row of a log: what the lanes of a warp accessed at one log position. */
struct gputm_resolver_row {
	uint64_t mask;		 /**< lanes with an entry; the others are void */
	const uint64_t *address; /**< per lane, bytes; only of lanes in mask */
};

/** The logs of one warp. */
struct gputm_resolver_logs {
	const struct gputm_resolver_row *read;	/**< read_rows of them, oldest first */
	const struct gputm_resolver_row *write; /**< write_rows of them, oldest first */
	uint32_t read_rows, write_rows;
};

/** What has come of the resolution of a warp. */
struct gputm_resolver_outcome {
	uint64_t survived; /**< lanes that may commit together */
	uint64_t aborted;  /**< the other active lanes */
	/** Cost; the total is the sum. */
	uint64_t initialise_cycles, construct_cycles, match_cycles;
	uint64_t log_rows; /**< log rows read, each an access of the L1 cache */
	/** As Fig. 6.6 counts: 2PCR 1 for initialising and 1 for each row; sequential
	 * resolution 1 for each address checked and 1 for each inserted. */
	uint64_t steps;
};

/** What acquire answers. */
enum gputm_resolver_result {
	GPUTM_RESOLVER_ACQUIRED = 0,
	GPUTM_RESOLVER_BUSY = 1, /**< every buffer is in use: ask again after a release */
};

/** Events; gputm_ownership_table(3) says what each tells. */
enum gputm_ownership_table_event {
	GPUTM_OWNERSHIP_TABLE_EVENT_ACQUIRE = 0,
	GPUTM_OWNERSHIP_TABLE_EVENT_CONSTRUCT = 1,
	GPUTM_OWNERSHIP_TABLE_EVENT_MATCH = 2,
	GPUTM_OWNERSHIP_TABLE_EVENT_RELEASE = 3,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_ownership_table_params(void);

/**
 * Set @p config to a preset: "warptm" (4096 entries, thesis 6.3.3), "warptm-2k" (2048),
 * "infinite" (exact).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_ownership_table_config_preset(struct gputm_ownership_table_config *config,
				    const char *name);

/**
 * Make the tables of a core, all free.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a field
 * newer than this library; -ENOMEM. Free it with gputm_ownership_table_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_ownership_table_new(struct gputm_ctx *ctx, const struct gputm_ownership_table_config *config,
			  struct gputm_ownership_table **out);
/** Free the tables; NULL allowed. */
GPUTM_API void gputm_ownership_table_free(struct gputm_ownership_table *table);
/** @return the common face; lives as long as @p table. */
GPUTM_API struct gputm_unit *gputm_ownership_table_unit(struct gputm_ownership_table *table);

/**
 * Take the lowest free buffer for a warp and initialise it. Cost: initialise_cycles of the
 * result.
 * @param active lanes whose transactions are to be resolved; entries of others are ignored.
 * @param buffer set to the number of the buffer, if acquired.
 * @return enum gputm_resolver_result; -ERANGE, a lane beyond lanes.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_ownership_table_acquire(struct gputm_ownership_table *table,
							     uint64_t active, uint32_t *buffer);
/** @return what gputm_ownership_table_acquire() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_ownership_table_acquire_probe(const struct gputm_ownership_table *table, uint64_t active);

/**
 * Both phases over the logs of the warp: the same as gputm_ownership_table_construct_row()
 * for each write row, then gputm_ownership_table_match_read_row() for each read row and
 * gputm_ownership_table_match_write_row() for each write row, but all addresses are checked
 * first. The buffer stays acquired, until the caller's clock has passed the cycles of @p out.
 * @return 0; -EINVAL, the buffer is not acquired or rows were given to it already;
 * -ERANGE, there is no such buffer, or a row with a lane beyond lanes or an address
 * beyond address_bits; -ENOMEM (exact only).
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_ownership_table_resolve(struct gputm_ownership_table *table,
							     uint32_t buffer,
							     const struct gputm_resolver_logs *logs,
							     struct gputm_resolver_outcome *out);

/**
 * Phase 1 of one row of the write log: every region takes the lowest of its lanes.
 * @return 0; -EINVAL, the buffer is not acquired or phase 2 has begun; -ERANGE and -ENOMEM as
 * gputm_ownership_table_resolve().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_ownership_table_construct_row(struct gputm_ownership_table *table, uint32_t buffer,
				    const struct gputm_resolver_row *row);
/**
 * Phase 2 of one row of the read log; phase 1 is over with the first.
 * @return 0; -EINVAL, the buffer is not acquired; -ERANGE as gputm_ownership_table_resolve().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_ownership_table_match_read_row(struct gputm_ownership_table *table, uint32_t buffer,
				     const struct gputm_resolver_row *row);
/** Phase 2 of one row of the write log; every row of phase 1 must be matched. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_ownership_table_match_write_row(struct gputm_ownership_table *table, uint32_t buffer,
				      const struct gputm_resolver_row *row);

/**
 * What has come of a warp so far. @return 0; -EINVAL, the buffer is not acquired; -ERANGE,
 * there is no such buffer.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_ownership_table_get_result(const struct gputm_ownership_table *table, uint32_t buffer,
				 struct gputm_resolver_outcome *out);

/** Give a buffer back. @return 0; -EINVAL, it is not acquired; -ERANGE, there is no such buffer. */
GPUTM_API GPUTM_MUST_CHECK int gputm_ownership_table_release(struct gputm_ownership_table *table,
							     uint32_t buffer);

/**
 * The owner of the entry of @p address; for tests and displays.
 * @return the lane, or -1: no lane writes there, or @p buffer is not acquired.
 */
GPUTM_API int gputm_ownership_table_owner(const struct gputm_ownership_table *table,
					  uint32_t buffer, uint64_t address);

GPUTM_END_DECLS
#endif /* GPUTM_OWNERSHIP_TABLE_H */
