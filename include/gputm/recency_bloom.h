/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_RECENCY_BLOOM_H
#define GPUTM_RECENCY_BLOOM_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Recency Bloom filter (thesis 4.2.5 and 6.4.2; GETM V-B1): remembers, for every
 * address, a stamp that is never older than the newest one given for it. It backs
 * Kilo TM's last writer history, is the last-written table of temporal conflict
 * detection and GETM's approximate metadata.
 */

/** One filter. Single owner. */
struct gputm_recency_bloom;

/** Geometry. */
struct gputm_recency_bloom_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Sub-arrays, each with a hash of its own (1..8). */
	uint32_t ways;
	/** Entries per sub-array (power of two, 1..2^20). */
	uint32_t entries;
	/** Width of a stored stamp, bits (2..64). */
	uint32_t stamp_bits;
	/** Stamps per entry (1..2). */
	uint32_t stamps;
	/** Bytes that share an entry (power of two, 1..2^16). */
	uint32_t granularity;
	/** Width of an address, bits (16..64). */
	uint32_t address_bits;
	/** Answer for an address that was never written, or is forgotten. */
	uint64_t empty_stamp;
	/** Seed of the H3 rows. */
	uint64_t seed;
	/** Rows brought by the caller, as in struct gputm_h3_config, for keys of
	 * address_bits - log2(granularity) bits; copied. NULL: from the seed. */
	const uint32_t *h3_rows;
};
/* begin INIT */
#define GPUTM_RECENCY_BLOOM_CONFIG_INIT \
	{ sizeof(struct gputm_recency_bloom_config), \
	  /* ways */ 4, /* entries */ 256, /* stamp_bits */ 16, /* stamps */ 1, \
	  /* granularity */ 4, /* address_bits */ 32, /* empty_stamp */ 0u, /* seed */ 1u, NULL }
/* end INIT */

/** Events; gputm_recency_bloom(3) says what each tells. */
enum gputm_recency_bloom_event {
	GPUTM_RECENCY_BLOOM_EVENT_UPDATE = 0,
	GPUTM_RECENCY_BLOOM_EVENT_EXPIRE = 1,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_recency_bloom_params(void);

/**
 * Fill @p config from a preset: "kilo-tm" (4 x 256 x 16 bits, words, 2 kB), "tcd"
 * (4 x 512 x 64 bits, 128 B, 16 kB), "getm" (4 x 256 pairs of 32 bits, 32 B, 8 kB).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_recency_bloom_config_preset(struct gputm_recency_bloom_config *config, const char *name);

/**
 * Make an empty filter; base 0. Allocates ways x entries x stamps host words and the hash tables.
 * @return 0; -EINVAL, a field is out of its range; -E2BIG; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_recency_bloom_new(struct gputm_ctx *ctx, const struct gputm_recency_bloom_config *config,
			struct gputm_recency_bloom **out);
/** Free a filter; NULL allowed. */
GPUTM_API void gputm_recency_bloom_free(struct gputm_recency_bloom *filter);
/** @return the common face. */
GPUTM_API struct gputm_unit *gputm_recency_bloom_unit(struct gputm_recency_bloom *filter);

/**
 * In every sub-array the mapped entry becomes the maximum of itself and @p stamp
 * (one stamp an entry; with two, the second stays as it is). One cycle: all
 * sub-arrays are accessed at once.
 * @param address bytes, below 2^address_bits.
 * @param stamp base .. base + 2^stamp_bits - 1; the base itself records nothing.
 * @return 0; -ERANGE, address or stamp outside that.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_recency_bloom_update(struct gputm_recency_bloom *filter,
							  uint64_t address, uint64_t stamp);

/**
 * Both stamps of an entry at once, each maximised on its own (GETM: wts and rts).
 * @return 0; -ERANGE as above; -ENOTSUP, one stamp an entry.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_recency_bloom_update_pair(struct gputm_recency_bloom *filter,
							       uint64_t address, uint64_t first,
							       uint64_t second);

/**
 * The minimum of the mapped entries over the sub-arrays: never below the newest
 * stamp given for that address since it was last forgotten. One cycle.
 * @param stamp set to that minimum, or to empty_stamp if an entry is empty.
 * @return 0; -ERANGE, address beyond address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_recency_bloom_query(const struct gputm_recency_bloom *filter,
							 uint64_t address, uint64_t *stamp);

/** Both stamps, each minimised on its own. @return 0; -ERANGE; -ENOTSUP, one stamp an entry. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_recency_bloom_query_pair(const struct gputm_recency_bloom *filter, uint64_t address,
			       uint64_t *first, uint64_t *second);

/** Forget everything; the base goes back to 0. One cycle (flash clear). */
GPUTM_API void gputm_recency_bloom_clear(struct gputm_recency_bloom *filter);

/**
 * Forget every stamp below @p floor and move the base to floor - 1, so that a narrow
 * field serves for ever. A floor that does not advance changes nothing; one beyond
 * every stamp forgets all.
 * @param cycles set to the modelled cost: one array pass, that is @c entries cycles
 * (all sub-arrays in parallel), 0 when nothing changed; NULL allowed.
 */
GPUTM_API void gputm_recency_bloom_expire(struct gputm_recency_bloom *filter, uint64_t floor,
					  uint64_t *cycles);

/** @return the base: stamps base .. base + 2^stamp_bits - 1 are accepted. */
GPUTM_API uint64_t gputm_recency_bloom_base(const struct gputm_recency_bloom *filter);

/**
 * For displays: the stored stamp of one entry, 0 when empty; @p which is 0 or 1.
 * @return 0; -ERANGE, no such way, entry or stamp.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_recency_bloom_get_entry(const struct gputm_recency_bloom *filter, uint32_t way,
			      uint32_t index, uint32_t which, uint64_t *out);

GPUTM_END_DECLS
#endif /* GPUTM_RECENCY_BLOOM_H */
