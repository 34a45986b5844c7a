/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_SIGNATURE_H
#define GPUTM_SIGNATURE_H

/**
 * @file
 * An array of small Bloom signatures: gputm_signature(3).
 *
 * Each signature is a set of addresses encoded in a few bits: it never forgets an
 * address that was inserted, and may claim one that was not. Uses: the accumulated
 * write-set of sequential intra-warp resolution (Fung's thesis, 6.3.2), the check for
 * reads of own writes (4.2.3), the read- and write-set signatures that the thesis
 * measures against the last writer history (4.4.3), the signature per work-item and
 * bank of GPU-LocalTM (Villegas et al., TRANSACT 2015, 3.3).
 *
 * One unit holds count signatures of the same geometry with the same hash functions,
 * numbered from 0. A signature has one sub-signature per hash function, each of
 * bits / hashes bits; an insertion sets one bit in each.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** An array of signatures. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_signature;

/** How a granule number becomes the place of a bit. */
enum gputm_signature_hash {
	/** H3, drawn from the seed, one function per sub-signature */
	GPUTM_SIGNATURE_HASH_H3 = 0,
	/** the granule number modulo bits; one hash only */
	GPUTM_SIGNATURE_HASH_MODULO = 1,
};

/** Geometry; fields are only ever appended. Ranges: gputm_signature_params(). */
struct gputm_signature_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Signatures in the array (1..2^20). */
	uint32_t count;
	/** Bits of one signature (power of two, 8..32768). */
	uint32_t bits;
	/** Sub-signatures, each with a hash of its own (power of two, 1..8). */
	uint32_t hashes;
	/** How a granule number picks a bit; modulo takes one hash (enum gputm_signature_hash). */
	uint32_t hash;
	/** Bytes that count as one address (power of two, 1..2^16). */
	uint32_t granularity;
	/** Width of an address, bits (8..64). */
	uint32_t address_bits;
	/** Seed of the H3 rows. */
	uint64_t seed;
	/**
	 * H3 rows brought by the caller: hashes x (address_bits - log2(granularity)) numbers
	 * below bits / hashes, hash by hash, lowest bit of the granule number first; copied.
	 * NULL draws them from the seed. Not used by the modulo hash.
	 */
	const uint32_t *h3_rows;
};
/* begin INIT */
#define GPUTM_SIGNATURE_CONFIG_INIT \
	{ sizeof(struct gputm_signature_config), \
	  /* count */ 1, /* bits */ 256, /* hashes */ 4, /* hash: h3 */ 0, /* granularity */ 4, \
	  /* address_bits */ 32, /* seed */ 1u, NULL }
/* end INIT */

/** Answers of a look-up. */
enum gputm_signature_result {
	GPUTM_SIGNATURE_ABSENT = 0, /**< not inserted since the last clear: exact */
	GPUTM_SIGNATURE_MAYBE = 1,  /**< inserted, or a false positive */
};

/** Events; gputm_signature(3) says what each tells. */
enum gputm_signature_event {
	GPUTM_SIGNATURE_EVENT_INSERT = 0,
	GPUTM_SIGNATURE_EVENT_LOOKUP = 1,
	GPUTM_SIGNATURE_EVENT_MATCH = 2,
	GPUTM_SIGNATURE_EVENT_CLEAR = 3,
	GPUTM_SIGNATURE_EVENT_UNION = 4,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_signature_params(void);

/**
 * Set @p config to a preset: "bf-array" (thesis 4.4.3: 512 bits in 4 sub-signatures,
 * one per commit entry), "localtm" (TRANSACT 2015, 3.3: one bank's 256 signatures of
 * 8 bits, modulo).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_signature_config_preset(struct gputm_signature_config *config,
							     const char *name);

/**
 * Make an array of empty signatures.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config
 * sets a field newer than this library; -ENOMEM. Free it with gputm_signature_free().
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_signature_new(struct gputm_ctx *ctx,
						   const struct gputm_signature_config *config,
						   struct gputm_signature **out);
/** Free an array; NULL allowed. */
GPUTM_API void gputm_signature_free(struct gputm_signature *array);
/** @return its common face; lives as long as @p array. */
GPUTM_API struct gputm_unit *gputm_signature_unit(struct gputm_signature *array);

/**
 * Add the granule of @p address to signature @p index. Takes 1 cycle: all
 * sub-signatures are written at once.
 * @return 0; -ERANGE, no such signature, or the address is wider than address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_signature_insert(struct gputm_signature *array,
						      uint32_t index, uint64_t address);

/**
 * Ask whether the granule of @p address is in signature @p index. Takes 1 cycle.
 * @return enum gputm_signature_result; -ERANGE as for gputm_signature_insert().
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_signature_maybe_contains(struct gputm_signature *array,
							      uint32_t index, uint64_t address);
/** @return what gputm_signature_maybe_contains() would; changes nothing, not even statistics. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_signature_maybe_contains_probe(const struct gputm_signature *array, uint32_t index,
				     uint64_t address);

/**
 * Ask all signatures at once, as GPU-LocalTM's banks and the thesis' signature array do.
 * Takes 1 cycle.
 * @param mask (count + 63) / 64 words: bit i % 64 of word i / 64 says whether signature i
 * may contain the granule; bits beyond count are 0.
 * @return the number of signatures that may; -ERANGE, the address is wider than address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_signature_match(struct gputm_signature *array,
						     uint64_t address, uint64_t *mask);

/** Make signature @p index empty: a flash clear, 1 cycle. @return 0; -ERANGE, no such signature. */
GPUTM_API GPUTM_MUST_CHECK int gputm_signature_clear(struct gputm_signature *array,
						     uint32_t index);

/**
 * Add to signature @p into all that signature @p from holds. Takes 1 cycle.
 * @return 0; -ERANGE, no such signature.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_signature_union(struct gputm_signature *array, uint32_t into,
						     uint32_t from);

/** @return the bits set in signature @p index, 0 for one that does not exist. */
GPUTM_API uint32_t gputm_signature_population(const struct gputm_signature *array, uint32_t index);

GPUTM_END_DECLS
#endif /* GPUTM_SIGNATURE_H */
