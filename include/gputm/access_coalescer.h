/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ACCESS_COALESCER_H
#define GPUTM_ACCESS_COALESCER_H

/**
 * @file
 * Access coalescer: gputm_access_coalescer(3).
 *
 * Merges the word accesses of a warp that fall into the same aligned region of 32, 64
 * or 128 bytes into one wide access. Sources: Fung's thesis, 6.2.1 (validation and
 * commit coalescing of WarpTM) and 2.3 (coalesced loads and stores of a warp); GETM
 * (HPCA 2018), V-C (32-byte commit coalescing). A word is 4 bytes.
 *
 * The unit keeps no accesses between calls: each call merges one group and hands the
 * wide accesses to the caller, in the order in which their regions first appear.
 *
 * Timing: one wide access a cycle, which is the cost each call reports.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** One coalescer. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_access_coalescer;

/** Geometry; fields are only ever appended. Ranges: gputm_access_coalescer_params(). */
struct gputm_access_coalescer_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Bytes of a wide access (power of two, 32..128). */
	uint32_t region_bytes;
	/** Lanes of a warp (1..64). */
	uint32_t lanes;
	/** Most word accesses of one log (1..2^16). */
	uint32_t words;
	/** Width of an address, bits (8..64). */
	uint32_t address_bits;
};
/* begin INIT */
#define GPUTM_ACCESS_COALESCER_CONFIG_INIT \
	{ sizeof(struct gputm_access_coalescer_config), \
	  /* region_bytes */ 32, /* lanes */ 32, /* words */ 1024, /* address_bits */ 32 }
/* end INIT */

/** One word that one lane reads or writes. */
struct gputm_access_coalescer_word {
	uint64_t address; /**< bytes, a multiple of 4 */
	uint32_t value;	  /**< what a write stores; ignored for reads */
	uint32_t lane;	  /**< below lanes */
};

/** One access of a whole region. */
struct gputm_access_coalescer_access {
	uint64_t address;   /**< first byte of the region */
	uint64_t lane_mask; /**< lanes that access a word of it */
	uint32_t word_mask; /**< words accessed; word i lies at address + 4 i */
	uint32_t words;	    /**< word accesses merged here, duplicates included */
	/** of the words of a write; the others are untouched */
	uint32_t value[GPUTM_MEM_WORDS_MAX];
};

/** What one call saved. Word accesses = distinct words + duplicates = accesses + saved. */
struct gputm_access_coalescer_summary {
	uint32_t accesses;   /**< wide accesses given out; also the cost in cycles */
	uint32_t words;	     /**< word accesses taken in */
	uint32_t duplicates; /**< of these, repeats of a word */
	uint32_t saved;	     /**< accesses that need not be made: words - accesses */
};

/** Events; gputm_access_coalescer(3) says what each tells. */
enum gputm_access_coalescer_event {
	GPUTM_ACCESS_COALESCER_EVENT_GROUP = 0,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_access_coalescer_params(void);

/**
 * Set @p config to a preset: "warptm" (thesis 6.2: 32 B), "getm" (V-C: 32 B), "load-store"
 * (thesis 2.3: 128 B, one instruction of a warp).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_access_coalescer_config_preset(struct gputm_access_coalescer_config *config,
				     const char *name);

/**
 * Make a coalescer.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config
 * sets a field newer than this library; -ENOMEM. Free it with gputm_access_coalescer_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_access_coalescer_new(struct gputm_ctx *ctx,
			   const struct gputm_access_coalescer_config *config,
			   struct gputm_access_coalescer **out);
/** Free a coalescer; NULL allowed. */
GPUTM_API void gputm_access_coalescer_free(struct gputm_access_coalescer *coalescer);
/** @return its common face; lives as long as @p coalescer. */
GPUTM_API struct gputm_unit *
gputm_access_coalescer_unit(struct gputm_access_coalescer *coalescer);

/**
 * Merge one instruction of a warp or one row of a log: at most one word per lane. Among
 * lanes that write the same word the highest one wins.
 * @param lane_mask lanes that take part; none is allowed.
 * @param address one per lane, bytes; those of other lanes are ignored.
 * @param value one per lane, what a write stores; NULL for reads.
 * @param out room for one wide access per lane of @p lane_mask.
 * @param summary NULL, or what was saved.
 * @return the number of wide accesses; -EINVAL, an address is not a multiple of 4;
 * -ERANGE, a lane beyond lanes, or an address wider than address_bits. @p out is untouched
 * then.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_access_coalescer_merge_row(struct gputm_access_coalescer *coalescer, uint64_t lane_mask,
				 const uint64_t *address, const uint32_t *value,
				 struct gputm_access_coalescer_access *out,
				 struct gputm_access_coalescer_summary *summary);

/**
 * Merge a list of word accesses, such as all that a warp's transactions write in one
 * partition. Among writes of the same word the last one in the list wins.
 * @param count word accesses, 0..words.
 * @param access in log order.
 * @param write whether values are carried over.
 * @param out room for @p count wide accesses.
 * @param summary NULL, or what was saved.
 * @return as gputm_access_coalescer_merge_row(); -ERANGE also for a count above words.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_access_coalescer_merge_log(struct gputm_access_coalescer *coalescer, uint32_t count,
				 const struct gputm_access_coalescer_word *access, bool write,
				 struct gputm_access_coalescer_access *out,
				 struct gputm_access_coalescer_summary *summary);

GPUTM_END_DECLS
#endif /* GPUTM_ACCESS_COALESCER_H */
