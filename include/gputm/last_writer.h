/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LAST_WRITER_H
#define GPUTM_LAST_WRITER_H

/**
 * @file
 * Last writer history of one memory partition (Fung's thesis, 4.2.5, Fig. 4.4b):
 * which transaction, by commit ID, was the youngest to write a word. A
 * set-associative table holds the recent writers exactly; what it evicts goes to a
 * recency Bloom filter, which may name a younger writer than the true one, never
 * an older one. The commit unit compares the answer with its own retirement
 * points, so a retired writer needs no removal.
 *
 * Commit IDs are kept in cid_bits bits relative to a base that
 * gputm_last_writer_expire() moves, and one code of that field means "never
 * written or forgotten". So a commit ID can be recorded while it lies in
 * base .. base + 2^cid_bits - 2. Answers are conservative for writers that are
 * not older than the base; older ones are forgotten.
 *
 * Timing, in cycles of the unit: a look-up 1, a record 1 (the two share the port of
 * the table: one word a cycle), an expiry as gputm_last_writer_expire() returns.
 */

#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/** One last writer history. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_last_writer;

/** Geometry; fields are only ever appended. Ranges: gputm_last_writer_params(). */
struct gputm_last_writer_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Sets of the table (power of two, 1..2^20). */
	uint32_t sets;
	/** Entries of a set (1..64). */
	uint32_t ways;
	/** Sub-arrays of the filter (1..8). */
	uint32_t filter_ways;
	/** Commit IDs per sub-array of the filter (power of two, 1..2^20). */
	uint32_t filter_buckets;
	/** Width of a stored commit ID, bits (2..63). */
	uint32_t cid_bits;
	/** Width of a byte address, bits (16..64). */
	uint32_t address_bits;
	/** Bytes tracked as one word (power of two, 1..4096). */
	uint32_t word_bytes;
	/** Seed of the hash rows. */
	uint64_t seed;
	/**
	 * Rows of the table's set hash, brought by the caller: address_bits minus
	 * log2(word_bytes) numbers below sets, lowest bit of the word number first; copied.
	 * NULL draws them from the seed with its top bit flipped, so that the table never
	 * shares the hash of a sub-array.
	 */
	const uint32_t *table_rows;
	/** Rows of the filter, sub-array by sub-array; NULL draws them from the seed. */
	const uint32_t *filter_rows;
};
/* begin INIT */
#define GPUTM_LAST_WRITER_CONFIG_INIT \
	{ sizeof(struct gputm_last_writer_config), \
	  /* sets */ 128, /* ways */ 4, /* filter_ways */ 4, /* filter_buckets */ 256, \
	  /* cid_bits */ 16, /* address_bits */ 32, /* word_bytes */ 4, /* seed */ 1u, NULL, NULL }
/* end INIT */

/** Where an answer of gputm_last_writer_lookup() comes from. */
enum gputm_last_writer_result {
	GPUTM_LAST_WRITER_NONE = 0,   /**< no writer that is not forgotten */
	GPUTM_LAST_WRITER_EXACT = 1,  /**< the table: this is the youngest writer */
	GPUTM_LAST_WRITER_FILTER = 2, /**< the filter: the youngest writer is this or older */
};

/** What gputm_last_writer_record() did with the table. */
enum gputm_last_writer_record_result {
	GPUTM_LAST_WRITER_REPLACED = 0, /**< the word was there: its commit ID is replaced */
	GPUTM_LAST_WRITER_FILLED = 1,	/**< a free entry of the set is taken */
	GPUTM_LAST_WRITER_EVICTED = 2,	/**< the entry of the oldest writer goes to the filter */
};

/** Events; gputm_last_writer(3) says what each tells. */
enum gputm_last_writer_event {
	GPUTM_LAST_WRITER_EVENT_LOOKUP = 0,
	GPUTM_LAST_WRITER_EVENT_RECORD = 1,
	GPUTM_LAST_WRITER_EVENT_EVICT = 2,
	GPUTM_LAST_WRITER_EVENT_EXPIRE = 3,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_last_writer_params(void);

/**
 * Set @p config to a preset: "kilo-tm" (512 entries and 1024 buckets, 5 kB) or "small"
 * (64 entries and 64 buckets, 512 B), both of the thesis, 4.4.3.
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_last_writer_config_preset(struct gputm_last_writer_config *config, const char *name);

/**
 * Make an empty history with base 0.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets
 * a field newer than this library; -ENOMEM. Free it with gputm_last_writer_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_last_writer_new(struct gputm_ctx *ctx, const struct gputm_last_writer_config *config,
		      struct gputm_last_writer **out);
/** Free a history; NULL allowed. */
GPUTM_API void gputm_last_writer_free(struct gputm_last_writer *history);
/** @return its common face; lives as long as @p history. */
GPUTM_API struct gputm_unit *gputm_last_writer_unit(struct gputm_last_writer *history);

/**
 * Note that transaction @p cid writes the word at byte @p address. The table entry of
 * the word takes the commit ID; else a free entry of the set does; else the entry with
 * the smallest commit ID of the set (the lowest way among equals) moves to the filter.
 * Takes 1 cycle.
 * @return enum gputm_last_writer_record_result; -ERANGE, @p address is wider than address_bits, or
 * @p cid is below the base or the largest one recorded so far (commit IDs only grow), or
 * beyond base + 2^cid_bits - 2 (expire first).
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_last_writer_record(struct gputm_last_writer *history,
							uint64_t address, uint64_t cid);
/** @return what gputm_last_writer_record() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_last_writer_record_probe(const struct gputm_last_writer *history, uint64_t address,
			       uint64_t cid);

/**
 * Ask for the youngest writer of the word at byte @p address. A table hit is final:
 * the filter is asked only when the table has no entry for the word. Takes 1 cycle.
 * @param cid set unless the answer is GPUTM_LAST_WRITER_NONE; never older than the true
 * youngest writer that is not below the base.
 * @return enum gputm_last_writer_result; -ERANGE, @p address is wider than address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_last_writer_lookup(struct gputm_last_writer *history,
							uint64_t address, uint64_t *cid);
/** @return what gputm_last_writer_lookup() would; changes nothing, not even statistics. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_last_writer_lookup_probe(const struct gputm_last_writer *history, uint64_t address,
			       uint64_t *cid);

/**
 * Forget every writer older than @p floor and make @p floor the base; a floor that is
 * not above the base changes nothing, one above every writer forgets all. Table and
 * filter are swept at the same time, a set and a bucket of every sub-array each cycle.
 * @param cycles cost: the larger of sets and filter_buckets, or 0 when nothing changed;
 * NULL allowed.
 * @return 0; -ERANGE, @p floor is above 2^63.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_last_writer_expire(struct gputm_last_writer *history,
							uint64_t floor, uint64_t *cycles);

/** @return the smallest commit ID that can be stored. */
GPUTM_API uint64_t gputm_last_writer_base(const struct gputm_last_writer *history);
/** @return the largest commit ID that can be stored: base + 2^cid_bits - 2. */
GPUTM_API uint64_t gputm_last_writer_limit(const struct gputm_last_writer *history);

GPUTM_END_DECLS
#endif /* GPUTM_LAST_WRITER_H */
