/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_READER_LIST_H
#define GPUTM_READER_LIST_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Scalable reader list (snapshot isolation on GPU HTM, ISCA 2017, 4.2 and Fig. 10): which
 * transactions have read a word, exactly. A writer asks it for its predecessors.
 *
 * Entries of all words share one highly associative pool. A word with one to three readers
 * takes one entry of plain IDs. The fourth reader turns it into one root bit vector, whose
 * bits say which leaves there are, and one leaf bit vector for each group of leaf_bits
 * transactions with a reader. The ID of bit b of leaf l is leaf_bits x l + b.
 *
 * Timing, in cycles of the unit: each entry that is read or written is one access of the
 * pool and one cycle. So an addition or removal takes 1 cycle on plain IDs and 2 on vectors
 * (root, then leaf), the fourth reader 1 and one for each entry that results; readers
 * are visited in gputm_reader_list_entries() cycles.
 */

/** One reader list. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_reader_list;

/** Geometry; fields are only ever appended. Transactions are 0 .. root_bits x leaf_bits - 1. */
struct gputm_reader_list_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Entries of the pool (1..2^20). */
	uint32_t entries;
	/** Bits of a root vector: leaves of a word (power of two, 8..64). */
	uint32_t root_bits;
	/** Bits of a leaf vector: transactions of a leaf (power of two, 8..64). */
	uint32_t leaf_bits;
	/** Width of a byte address, bits (16..64). */
	uint32_t address_bits;
	/** Bytes tracked as one word (power of two, 4..4096). */
	uint32_t word_bytes;
	/** Turn vectors back into plain IDs at three readers. */
	bool fold;
};
/* begin INIT */
#define GPUTM_READER_LIST_CONFIG_INIT \
	{ sizeof(struct gputm_reader_list_config), \
	  /* entries */ 87856, /* root_bits */ 32, /* leaf_bits */ 32, /* address_bits */ 32, \
	  /* word_bytes */ 4, /* fold */ false }
/* end INIT */

/** What gputm_reader_list_add() answers. */
enum gputm_reader_list_result {
	GPUTM_READER_LIST_ADDED = 0,   /**< the transaction is a reader now */
	GPUTM_READER_LIST_ALREADY = 1, /**< it was one before */
	GPUTM_READER_LIST_FULL = 2,    /**< too few free entries; nothing is inserted */
};

/** Types of entries, with the numbers of Fig. 10. */
enum gputm_reader_list_type {
	GPUTM_READER_LIST_TYPE_UNUSED = 0,
	GPUTM_READER_LIST_TYPE_PLAIN = 1, /**< one to three IDs */
	GPUTM_READER_LIST_TYPE_ROOT = 2,  /**< which leaves there are */
	GPUTM_READER_LIST_TYPE_LEAF = 3,  /**< which transactions of the leaf are readers */
};

/** One entry of the pool as the hardware holds it, for displays. */
struct gputm_reader_list_entry {
	enum gputm_reader_list_type type;
	uint32_t count;	   /**< of plain IDs, 1 to 3; else 0 */
	uint32_t id[3];	   /**< plain IDs, ascending; those beyond count are 0 */
	uint64_t vector;   /**< of a root or leaf; else 0 */
	uint32_t position; /**< of a leaf in the root; else 0 */
};

/** Events; gputm_reader_list(3) says what each tells. */
enum gputm_reader_list_event {
	GPUTM_READER_LIST_EVENT_ADD = 0,
	GPUTM_READER_LIST_EVENT_REMOVE = 1,
	GPUTM_READER_LIST_EVENT_REFUSE = 2,
	GPUTM_READER_LIST_EVENT_EXPAND = 3,
	GPUTM_READER_LIST_EVENT_FOLD = 4,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_reader_list_params(void);

/**
 * Set @p config to a preset: "isca-2017" (Table 1: 87,856 entries of 69 bits, 1024
 * transactions) or "retained" (as many entries for 2048 transactions, of which half have
 * committed and stay until no running one has an older snapshot).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_reader_list_config_preset(struct gputm_reader_list_config *config, const char *name);

/**
 * Make an empty list. Allocates for entries x 4 / 3 words and entries / 2 sets of vectors.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is out of its range; -E2BIG; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_reader_list_new(struct gputm_ctx *ctx,
						     const struct gputm_reader_list_config *config,
						     struct gputm_reader_list **out);
/** Free a list; NULL allowed. */
GPUTM_API void gputm_reader_list_free(struct gputm_reader_list *list);
/** @return its common face; lives as long as @p list. */
GPUTM_API struct gputm_unit *gputm_reader_list_unit(struct gputm_reader_list *list);

/**
 * Note that transaction @p tx has read the word at byte @p address.
 * Memory for vectors is taken as words get a fourth reader, twice as much each time.
 * @return enum gputm_reader_list_result; -ERANGE, address or transaction too large; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_reader_list_add(struct gputm_reader_list *list,
						     uint64_t address, uint32_t tx);
/** @return what gputm_reader_list_add() would, but for -ENOMEM; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int gputm_reader_list_add_probe(const struct gputm_reader_list *list,
							   uint64_t address, uint32_t tx);

/**
 * Take transaction @p tx off the readers of a word. A leaf without readers is freed, and
 * with the last one the root or the plain entry.
 * @return 0; -EINVAL, it is no reader of that word; -ERANGE, address or transaction too large.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_reader_list_remove(struct gputm_reader_list *list,
							uint64_t address, uint32_t tx);

/**
 * Give the readers of a word, in ascending order.
 * @param ids room for @p capacity IDs; written only if all readers fit, NULL allowed with 0.
 * @return their number; -ERANGE, address too large.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_reader_list_readers(const struct gputm_reader_list *list, uint64_t address, uint32_t *ids,
			  uint32_t capacity);

/** @return the entries that a word takes, 0 to 1 + root_bits; -ERANGE, address too large. */
GPUTM_API GPUTM_MUST_CHECK int gputm_reader_list_entries(const struct gputm_reader_list *list,
							 uint64_t address);

/**
 * Give entry number @p index of a word: plain IDs, or the root and then the leaves from the
 * lowest position on.
 * @return 0; -ERANGE, past the last one, or the address is too large.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_reader_list_get_entry(const struct gputm_reader_list *list,
							   uint64_t address, uint32_t index,
							   struct gputm_reader_list_entry *out);

/** @return entries of the pool in use. */
GPUTM_API uint32_t gputm_reader_list_used(const struct gputm_reader_list *list);

GPUTM_END_DECLS
#endif /* GPUTM_READER_LIST_H */
