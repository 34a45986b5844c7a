/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_WRITER_TABLE_H
#define GPUTM_WRITER_TABLE_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Writer table (snapshot isolation on GPU HTM, ISCA 2017, 4.2): the one running transaction
 * that may write a word, and the committed ones that running transactions must still know of.
 * All transactional accesses ask it: a writer claims the word, a reader finds its successors.
 *
 * Versions are numbered as they are made: a commit goes into the version being written, and
 * the snapshot of a transaction contains the versions up to its own.
 *
 * Timing, in cycles of the unit: 1 for each entry read or written, so a claim, commit or
 * release 1, the writers of a word 1 each (at least 1).
 */

/** One writer table. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_writer_table;

/** Geometry; fields are only ever appended. */
struct gputm_writer_table_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Entries, of a word and a writer each (1..2^20). */
	uint32_t entries;
	/** Transactions (2..2^16). */
	uint32_t transactions;
	/** Width of a byte address, bits (16..64). */
	uint32_t address_bits;
	/** Bytes claimed as one word (power of two, 4..4096). */
	uint32_t word_bytes;
	/** Width of the number of a version, bits (8..64). */
	uint32_t version_bits;
	/** Keep no committed writers. */
	bool release_at_commit;
};
/* begin INIT */
#define GPUTM_WRITER_TABLE_CONFIG_INIT \
	{ sizeof(struct gputm_writer_table_config), \
	  /* entries */ 3000, /* transactions */ 1024, /* address_bits */ 32, /* word_bytes */ 4, \
	  /* version_bits */ 32, /* release_at_commit */ false }
/* end INIT */

/** What gputm_writer_table_claim() answers. All but the first two abort the claimant. */
enum gputm_writer_table_result {
	GPUTM_WRITER_TABLE_CLAIMED = 0,	 /**< the transaction is the writer now */
	GPUTM_WRITER_TABLE_OWN = 1,	 /**< it was before */
	GPUTM_WRITER_TABLE_HELD = 2,	 /**< another running transaction is */
	GPUTM_WRITER_TABLE_CONFLICT = 3, /**< a commit that its snapshot does not contain */
	GPUTM_WRITER_TABLE_FULL = 4,	 /**< no free entry: abort and wait */
};

/** Most claims of one batch. */
#define GPUTM_WRITER_TABLE_BATCH_MAX 64

/** A claim of a batch. */
struct gputm_writer_table_request {
	uint64_t address;  /**< bytes */
	uint64_t snapshot; /**< version that the transaction reads */
	uint32_t tx;
};

/** A writer of a word. */
struct gputm_writer_table_writer {
	uint32_t tx;
	bool committed;
	uint64_t version; /**< that holds its commit; 0 if it runs */
};

/** Events; gputm_writer_table(3) says what each tells. */
enum gputm_writer_table_event {
	GPUTM_WRITER_TABLE_EVENT_CLAIM = 0,
	GPUTM_WRITER_TABLE_EVENT_REFUSE = 1,
	GPUTM_WRITER_TABLE_EVENT_COMMIT = 2,
	GPUTM_WRITER_TABLE_EVENT_RELEASE = 3,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_writer_table_params(void);

/**
 * Set @p config to a preset: "isca-2017" (Table 1: 3000 entries of 40 bits, released at
 * commit) or "retained" (as many for 2048 transactions, committed ones among them).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_writer_table_config_preset(struct gputm_writer_table_config *config, const char *name);

/**
 * Make an empty table.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is out of its range; -E2BIG; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_writer_table_new(struct gputm_ctx *ctx, const struct gputm_writer_table_config *config,
		       struct gputm_writer_table **out);
/** Free a table; NULL allowed. */
GPUTM_API void gputm_writer_table_free(struct gputm_writer_table *table);
/** @return its common face; lives as long as @p table. */
GPUTM_API struct gputm_unit *gputm_writer_table_unit(struct gputm_writer_table *table);

/**
 * Transaction @p tx, which reads version @p snapshot, wants to write the word at byte
 * @p address. A running writer wins over it; so does a committed one of a later version.
 * @return enum gputm_writer_table_result; -EINVAL, @p tx is a committed writer of the word;
 * -ERANGE, address, transaction or version too large.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_writer_table_claim(struct gputm_writer_table *table, uint64_t address, uint32_t tx,
			 uint64_t snapshot);
/** @return what gputm_writer_table_claim() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_writer_table_claim_probe(const struct gputm_writer_table *table, uint64_t address,
			       uint32_t tx, uint64_t snapshot);

/**
 * Claims of the same cycle: served by ascending transaction, so that the lowest one wins.
 * @param result an enum gputm_writer_table_result for each claim, in the order given.
 * @return 0; -EINVAL or -ERANGE, one claim is refused as by gputm_writer_table_claim(), or
 * there are more than GPUTM_WRITER_TABLE_BATCH_MAX: none is made.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_writer_table_claim_batch(struct gputm_writer_table *table, uint32_t count,
			       const struct gputm_writer_table_request *claim, int *result);

/**
 * The running writer @p tx of a word has committed into version @p version. It stays until
 * it is released; with release_at_commit its entry is free now.
 * @return 0; -EINVAL, it is not the running writer, or the word has a commit of a later
 * version; -ERANGE, address, transaction or version too large.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_writer_table_commit(struct gputm_writer_table *table,
							 uint64_t address, uint32_t tx,
							 uint64_t version);

/**
 * Free the entry of a writer: a running one that aborts, or a committed one whose version
 * every running transaction's snapshot contains.
 * @return 0; -EINVAL, it is no writer of that word; -ERANGE, address or transaction too large.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_writer_table_release(struct gputm_writer_table *table,
							  uint64_t address, uint32_t tx);

/**
 * Give the writers of a word: the running one first, then the committed from the latest on.
 * @param out room for @p capacity; written only if all fit, NULL allowed with 0.
 * @return their number; -ERANGE, address too large.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_writer_table_writers(const struct gputm_writer_table *table, uint64_t address,
			   struct gputm_writer_table_writer *out, uint32_t capacity);

/** @return entries in use. */
GPUTM_API uint32_t gputm_writer_table_used(const struct gputm_writer_table *table);

GPUTM_END_DECLS
#endif /* GPUTM_WRITER_TABLE_H */
