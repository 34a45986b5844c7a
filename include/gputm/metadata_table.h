/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_METADATA_TABLE_H
#define GPUTM_METADATA_TABLE_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Transaction metadata of one memory partition (GETM, HPCA 2018, V-B1, Fig. 8): for every
 * granule of memory the stamps wts and rts, the number of writes that are reserved and
 * their owner. A d-ary cuckoo table with a stash and an unbounded overflow in memory holds
 * entries exactly; a recency Bloom filter holds the stamps of all other granules and may
 * answer too young, never too old. An entry with reserved writes is never approximated.
 *
 * Stamps are numbers of time_bits + warp_bits bits whose order is all that counts here.
 * Cycles are those of the validation unit: a look-up takes 1, which reads all ways, the
 * stash and the filter at once.
 */

/** One table. Single owner. */
struct gputm_metadata_table;

/** Geometry. Ranges: gputm_metadata_table_params(). */
struct gputm_metadata_table_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Banks, each with an H3 hash of its own (1..8). */
	uint32_t ways;
	/** Entries of a way of the metadata table (power of two, 1..2^20). */
	uint32_t entries;
	/** Entries of the stash; 0 for none (0..64). */
	uint32_t stash;
	/** Bytes of a granule (power of two, 4..4096). */
	uint32_t granularity;
	/** Width of an address, bits (16..64). */
	uint32_t address_bits;
	/** Width of the time in a stamp, bits (2..64). */
	uint32_t time_bits;
	/** Width of the warp in a stamp, bits; reported apart (0..16). */
	uint32_t warp_bits;
	/** Width of the number of writes, bits (1..32). */
	uint32_t count_bits;
	/** Width of an owner, bits (1..32). */
	uint32_t owner_bits;
	/** Swaps of an insertion, at most (0..1024). */
	uint32_t longest_chain;
	/** Percent of the ways in use below which an entry is displaced, not evicted (0..100). */
	uint32_t evict_above;
	/** Where stamps of granules without an entry are kept (enum
	 * gputm_metadata_table_approximate). */
	uint32_t approximate;
	/** Sub-arrays of the filter (1..8). */
	uint32_t filter_ways;
	/** Pairs of stamps of a sub-array (power of two, 1..2^20). */
	uint32_t filter_entries;
	/** Cycles to visit one overflow entry, or to write one (0..100000). */
	uint32_t memory_latency;
	/** Seed of the hash rows. */
	uint64_t seed;
	/** Rows of the ways' hashes, brought by the caller: as in struct gputm_h3_config, for keys
	 * of address_bits - log2(granularity) bits; copied. NULL: the seed, top bit flipped. */
	const uint32_t *table_rows;
	const uint32_t *filter_rows; /**< the same for the filter; NULL: the seed */
};
/* begin INIT */
#define GPUTM_METADATA_TABLE_CONFIG_INIT \
	{ sizeof(struct gputm_metadata_table_config), \
	  /* ways */ 4, /* entries */ 256, /* stash */ 4, /* granularity */ 32, \
	  /* address_bits */ 32, /* time_bits */ 32, /* warp_bits */ 10, /* count_bits */ 16, \
	  /* owner_bits */ 10, /* longest_chain */ 32, /* evict_above */ 0, \
	  /* approximate: filter */ 0, /* filter_ways */ 4, /* filter_entries */ 64, \
	  /* memory_latency */ 115, /* seed */ 1u, NULL, NULL }
/* end INIT */

/** Where stamps of granules without an entry are kept. */
enum gputm_metadata_table_approximate {
	/** a recency Bloom filter */
	GPUTM_METADATA_TABLE_APPROXIMATE_FILTER = 0,
	/** the largest wts and rts of all evicted entries */
	GPUTM_METADATA_TABLE_APPROXIMATE_REGISTERS = 1,
};

/** Metadata of a granule. */
struct gputm_metadata_table_entry {
	uint64_t wts;	 /**< stamp of the last write, as the caller codes it; 0: never */
	uint64_t rts;	 /**< stamp of the last read; 0: never */
	uint32_t writes; /**< reserved and not yet released */
	uint32_t owner;	 /**< who reserved them; any when writes is 0 */
	uint32_t place;	 /**< where a look-up found it: a hint that saves update() a search */
	uint32_t cycles; /**< of the look-up */
};

/** Answers of gputm_metadata_table_lookup(). */
enum gputm_metadata_table_result {
	GPUTM_METADATA_TABLE_MISS = 0, /**< no entry: see gputm_metadata_table_estimate() */
	GPUTM_METADATA_TABLE_HIT = 1,  /**< an exact entry */
};

/** What gputm_metadata_table_update() did; from FILLED on, how the insertion ended. */
enum gputm_metadata_table_update_result {
	GPUTM_METADATA_TABLE_UPDATED = 0, /**< the entry was there */
	/** The entry was in stash or overflow and has no reservation any more: moved to a free
	 * cell of its ways, else its stamps to the filter. */
	GPUTM_METADATA_TABLE_RECLAIMED = 1,
	GPUTM_METADATA_TABLE_FILLED = 2,  /**< a free cell ended the chain */
	GPUTM_METADATA_TABLE_EVICTED = 3, /**< the stamps of an entry without reservation went to
					       the filter */
	GPUTM_METADATA_TABLE_STASHED = 4, /**< the last displaced entry went to the stash */
	GPUTM_METADATA_TABLE_SPILLED = 5, /**< it went to the overflow */
	/** The last in hand has no reservation and the whole stash has: its stamps went to the
	 * filter. */
	GPUTM_METADATA_TABLE_APPROXIMATED = 6,
};

/** Answers of gputm_metadata_table_remove(). */
enum gputm_metadata_table_remove_result {
	GPUTM_METADATA_TABLE_REMOVED = 0, /**< its stamps are in the filter */
	GPUTM_METADATA_TABLE_ABSENT = 1,  /**< there was no entry */
	GPUTM_METADATA_TABLE_LOCKED = 2,  /**< it has reserved writes and stays */
};

/** Events; gputm_metadata_table(3) says what each tells. */
enum gputm_metadata_table_event {
	GPUTM_METADATA_TABLE_EVENT_INSERT = 0,
	GPUTM_METADATA_TABLE_EVENT_EVICT = 1,
	GPUTM_METADATA_TABLE_EVENT_SPILL = 2,
	GPUTM_METADATA_TABLE_EVENT_FLUSH = 3,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_metadata_table_params(void);

/**
 * Fill @p config from a preset: "getm-128" and "getm-256" (one of six partitions, 4 ways of
 * 128 or 256 entries: the paper's 4096 lie between), "getm-gpu" (the whole GPU in one table:
 * 4 x 1024, filter 4 x 256), "released" (the released simulator: 4 x 8192, stash of 48, words,
 * evict_above 70).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_metadata_table_config_preset(struct gputm_metadata_table_config *config, const char *name);

/**
 * Make an empty table: every granule has the stamps 0 and no reservation.
 * @return 0; -EINVAL, a field is out of its range or time_bits + warp_bits is above 64; -E2BIG;
 * -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_metadata_table_new(struct gputm_ctx *ctx, const struct gputm_metadata_table_config *config,
			 struct gputm_metadata_table **out);
/** Free a table; NULL allowed. */
GPUTM_API void gputm_metadata_table_free(struct gputm_metadata_table *table);
/** @return the common face. */
GPUTM_API struct gputm_unit *gputm_metadata_table_unit(struct gputm_metadata_table *table);

/**
 * Search ways and stash (1 cycle), then the overflow (memory_latency for each entry visited in
 * the chain of one bucket).
 * @param address bytes, below 2^address_bits; any byte of the granule.
 * @param out set on a hit; on a miss only out->cycles and out->place are.
 * @return enum gputm_metadata_table_result; -ERANGE, @p address is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_metadata_table_lookup(struct gputm_metadata_table *table, uint64_t address,
			    struct gputm_metadata_table_entry *out);
/** @return what gputm_metadata_table_lookup() would; changes nothing, not even statistics. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_metadata_table_lookup_probe(const struct gputm_metadata_table *table, uint64_t address,
				  struct gputm_metadata_table_entry *out);

/**
 * What an access needs, in one call: a look-up, counted as one, and on a miss the estimate of the
 * stamps, without a reservation.
 * @param out set in all fields, on a hit and on a miss.
 * @return enum gputm_metadata_table_result; -ERANGE, @p address is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_metadata_table_query(struct gputm_metadata_table *table,
							  uint64_t address,
							  struct gputm_metadata_table_entry *out);

/**
 * The stamps that filter or registers know for a granule without entry: never below those that
 * it had. No cycles: the filter is read together with the table.
 * @return 0; -ERANGE, @p address is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_metadata_table_estimate(const struct gputm_metadata_table *table, uint64_t address,
			      uint64_t *wts, uint64_t *rts);

/**
 * Set the metadata of a granule, and insert an entry if it has none. Stamps only grow: each
 * becomes the larger of @p metadata's and what is known (the entry's, or the estimate). Number
 * of writes and owner become those given.
 *
 * An insertion takes 1 cycle for each cell that it writes (the first included), 1 more when it
 * evicts from the stash and memory_latency when it spills. At each step all ways of the pair in
 * hand are read: a free cell ends the chain, else an entry without reservation is evicted to
 * the filter (never the one being inserted), else one of them is displaced and goes on. After
 * longest_chain swaps the pair in hand goes to the stash, for an entry without reservation if
 * the stash is full, and else to the overflow.
 * @param metadata place may be anything (a hint); cycles is not used.
 * @param cycles set to the cost; 0 when the entry was there; NULL allowed.
 * @return enum gputm_metadata_table_update_result; -ERANGE, address, stamp, owner or number of
 * writes is too wide; -ENOMEM, no memory for the overflow (nothing has changed).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_metadata_table_update(struct gputm_metadata_table *table, uint64_t address,
			    const struct gputm_metadata_table_entry *metadata, uint32_t *cycles);

/**
 * Reserve, or release, writes of a granule whose stamps stay as they are known: an update() of
 * what query() gave, without a look-up of its own in the statistics.
 * @param change added to the number of reserved writes; below 0 they are released.
 * @param owner of the reservation.
 * @param cycles as update() sets it; NULL allowed.
 * @return as update(); -EINVAL, more are released than are reserved.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_metadata_table_add_writes(struct gputm_metadata_table *table, uint64_t address,
				int32_t change, uint32_t owner, uint32_t *cycles);

/**
 * Move the stamps of an entry without reservation to the filter and free its place. 1 cycle.
 * @return enum gputm_metadata_table_remove_result; -ERANGE.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_metadata_table_remove(struct gputm_metadata_table *table,
							   uint64_t address);

/**
 * Forget all stamps, those of the filter too (rollover). 1 cycle (flash clear).
 * @return 0; -EINVAL, a reservation lives.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_metadata_table_flush(struct gputm_metadata_table *table);

/** @return the number of reserved writes over all granules. */
GPUTM_API uint64_t gputm_metadata_table_writes(const struct gputm_metadata_table *table);

/**
 * For displays and tests: entry number @p index; ways x entries cells (by way), the stash, then
 * the overflow in no particular order. Sets writes 0 and *address to UINT64_MAX for a free cell.
 * @return 0; -ERANGE, past the last one.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_metadata_table_get_entry(const struct gputm_metadata_table *table, uint64_t index,
			       uint64_t *address, struct gputm_metadata_table_entry *out);

GPUTM_END_DECLS
#endif /* GPUTM_METADATA_TABLE_H */
