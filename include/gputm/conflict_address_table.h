/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_CONFLICT_ADDRESS_TABLE_H
#define GPUTM_CONFLICT_ADDRESS_TABLE_H

/**
 * @file
 * Conflict address table of a core (EAPG, early abort and pause-and-go, as the baseline of Ren and
 * Lis, GETM, HPCA 2018, Table V): which words transactions that validate anywhere read and write.
 *
 * The partitions' gputm/reference_count_table.h say when a word gets its first reader or writer
 * and when the last is gone; the caller inserts and removes what they say when the message
 * reaches the core. A transaction of the core that accesses such a word is likely to fail:
 *
 *     at an access      gputm_conflict_address_table_pause() names the lanes that are to wait
 *     before a commit   gputm_conflict_address_table_lookup() of each word of the logs: a
 *                       transaction with a conflict aborts, and sends nothing
 *
 * Timing: a look-up is one access. The caller decides when it takes effect; GETM's
 * re-implementation takes no time for it.
 */

#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/** One table. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_conflict_address_table;

/** Geometry; fields are only ever appended. Ranges: gputm_conflict_address_table_params(). */
struct gputm_conflict_address_table_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Addresses that have an entry at a time (1..2^20). */
	uint32_t entries;
	/** Bytes of a word (power of two, 1..2^16). */
	uint32_t granularity;
	/** Width of a byte address, bits (16..64). */
	uint32_t address_bits;
	/** Whether a write conflicts with another's write. */
	bool write_write;
};
/* begin INIT */
#define GPUTM_CONFLICT_ADDRESS_TABLE_CONFIG_INIT \
	{ sizeof(struct gputm_conflict_address_table_config), \
	  /* entries */ 3072, /* granularity */ 4, /* address_bits */ 32, /* write_write */ true }
/* end INIT */

/** Outcomes of insert and remove. */
enum gputm_conflict_address_table_result {
	/** The word is marked now, or no longer. */
	GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED = 0,
	/** Inserted: the word was marked so already. Removed: it was not. */
	GPUTM_CONFLICT_ADDRESS_TABLE_UNCHANGED = 1,
	/** Inserted: no entry is free, and the word stays without a mark. */
	GPUTM_CONFLICT_ADDRESS_TABLE_FULL = 2,
};

/** Events; gputm_conflict_address_table(3) says what each tells. */
enum gputm_conflict_address_table_event {
	GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_INSERT = 0,
	GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_REMOVE = 1,
	GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_CONFLICT = 2,
	GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_PAUSE = 3,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_conflict_address_table_params(void);

/**
 * Set @p config to a preset: "getm" (Table V, 12 kB, the default), "hpca-2016" (the rule of the
 * authors of EAPG: two writes are no conflict).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_conflict_address_table_config_preset(
	struct gputm_conflict_address_table_config *config, const char *name);

/**
 * Make an empty table.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a field
 * newer than this library; -ENOMEM. Free it with gputm_conflict_address_table_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_conflict_address_table_new(struct gputm_ctx *ctx,
				 const struct gputm_conflict_address_table_config *config,
				 struct gputm_conflict_address_table **out);
/** Free a table; NULL allowed. */
GPUTM_API void gputm_conflict_address_table_free(struct gputm_conflict_address_table *table);
/** @return the common face; lives as long as @p table. */
GPUTM_API struct gputm_unit *
gputm_conflict_address_table_unit(struct gputm_conflict_address_table *table);

/**
 * A transaction that validates reads or writes this word.
 * @param write whether it writes the word.
 * @return enum gputm_conflict_address_table_result; -ERANGE, the address is beyond address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_conflict_address_table_insert(struct gputm_conflict_address_table *table, uint64_t address,
				    bool write);
/** @return what gputm_conflict_address_table_insert() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_conflict_address_table_insert_probe(const struct gputm_conflict_address_table *table,
					  uint64_t address, bool write);

/**
 * No transaction that validates reads (writes) this word any more.
 * @return CHANGED; UNCHANGED, the word had no such mark, as the table was full when it was
 * inserted; -ERANGE, the address is beyond address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_conflict_address_table_remove(struct gputm_conflict_address_table *table, uint64_t address,
				    bool write);

/**
 * Does this access of a transaction of the core meet one that validates? A read meets a writer; a
 * write meets a reader and, with write_write, a writer.
 * @return 1, a conflict; 0; -ERANGE, the address is beyond address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_conflict_address_table_lookup(struct gputm_conflict_address_table *table, uint64_t address,
				    bool write);
/** @return what gputm_conflict_address_table_lookup() would; changes nothing, not even
 * statistics. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_conflict_address_table_lookup_probe(const struct gputm_conflict_address_table *table,
					  uint64_t address, bool write);

/**
 * Lanes of a warp are about to access words. Those with a conflict are to wait until the others
 * have gone on; if all have one, the lowest goes on, so that the warp does.
 * @param lanes those that access; lane i accesses @p address [i].
 * @param paused lanes that are to wait.
 * @return 0; -ERANGE, an address is beyond address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_conflict_address_table_pause(struct gputm_conflict_address_table *table, uint64_t lanes,
				   const uint64_t address[], bool write, uint64_t *paused);

/**
 * For displays: the marks of a word.
 * @return 1; 0, the word has no entry, and both marks are false; -ERANGE, the address is beyond
 * address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_conflict_address_table_get_marks(const struct gputm_conflict_address_table *table,
				       uint64_t address, bool *read, bool *written);

GPUTM_END_DECLS
#endif /* GPUTM_CONFLICT_ADDRESS_TABLE_H */
