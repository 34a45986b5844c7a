/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_REFERENCE_COUNT_TABLE_H
#define GPUTM_REFERENCE_COUNT_TABLE_H

/**
 * @file
 * Reference count table of a commit unit (EAPG, early abort and pause-and-go, as the baseline of
 * Ren and Lis, GETM, HPCA 2018, Table V): which words transactions that validate here read and
 * write, and how many do.
 *
 * The caller adds each word of a log that arrives and removes it when the validation of its
 * transaction has ended. The first reader or writer of a word, and the last that leaves, are what
 * the partition tells all cores, whose gputm/conflict_address_table.h note it.
 *
 * Timing: an add or a remove is one access. The caller decides when they take effect; GETM's
 * re-implementation takes one cycle for a whole log.
 */

#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/** One table. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_reference_count_table;

/** Geometry; fields are only ever appended. Ranges: gputm_reference_count_table_params(). */
struct gputm_reference_count_table_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Addresses that have an entry at a time (1..2^20). */
	uint32_t entries;
	/** Width of a count, bits (1..32). */
	uint32_t count_bits;
	/** Bytes of a word (power of two, 1..2^16). */
	uint32_t granularity;
	/** Width of a byte address, bits (16..64). */
	uint32_t address_bits;
};
/* begin INIT */
#define GPUTM_REFERENCE_COUNT_TABLE_CONFIG_INIT \
	{ sizeof(struct gputm_reference_count_table_config), \
	  /* entries */ 3072, /* count_bits */ 5, /* granularity */ 4, /* address_bits */ 32 }
/* end INIT */

/** Outcomes. */
enum gputm_reference_count_table_result {
	/** Counted: the word has another reader (writer), or fewer and still some. */
	GPUTM_REFERENCE_COUNT_TABLE_COUNTED = 0,
	/** Counted: the word has its first reader (writer), or none any more. */
	GPUTM_REFERENCE_COUNT_TABLE_CHANGED = 1,
	/** Not counted: the table is full, the count is at its maximum, or none is to remove. */
	GPUTM_REFERENCE_COUNT_TABLE_IGNORED = 2,
};

/** Events; gputm_reference_count_table(3) says what each tells. */
enum gputm_reference_count_table_event {
	GPUTM_REFERENCE_COUNT_TABLE_EVENT_ADD = 0,
	GPUTM_REFERENCE_COUNT_TABLE_EVENT_REMOVE = 1,
	GPUTM_REFERENCE_COUNT_TABLE_EVENT_IGNORE = 2,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_reference_count_table_params(void);

/**
 * Set @p config to a preset: "getm" (Table V, 15 kB, the default).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_reference_count_table_config_preset(
	struct gputm_reference_count_table_config *config, const char *name);

/**
 * Make an empty table.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a field
 * newer than this library; -ENOMEM. Free it with gputm_reference_count_table_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_reference_count_table_new(struct gputm_ctx *ctx,
				const struct gputm_reference_count_table_config *config,
				struct gputm_reference_count_table **out);
/** Free a table; NULL allowed. */
GPUTM_API void gputm_reference_count_table_free(struct gputm_reference_count_table *table);
/** @return the common face; lives as long as @p table. */
GPUTM_API struct gputm_unit *
gputm_reference_count_table_unit(struct gputm_reference_count_table *table);

/**
 * A transaction that begins to validate reads or writes this word.
 * @param write whether it is in the write log.
 * @return enum gputm_reference_count_table_result; -ERANGE, the address is beyond address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_reference_count_table_add(struct gputm_reference_count_table *table, uint64_t address,
				bool write);
/** @return what gputm_reference_count_table_add() would; changes nothing, not even statistics. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_reference_count_table_add_probe(const struct gputm_reference_count_table *table,
				      uint64_t address, bool write);

/**
 * The validation of a transaction that was added with this word has ended. The table does not
 * know whose references were ignored: such a remove takes away another one, so that a count is
 * never above the truth and may be below it.
 * @return enum gputm_reference_count_table_result; -ERANGE, the address is beyond address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_reference_count_table_remove(struct gputm_reference_count_table *table, uint64_t address,
				   bool write);
/** @return what gputm_reference_count_table_remove() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_reference_count_table_remove_probe(const struct gputm_reference_count_table *table,
					 uint64_t address, bool write);

/**
 * For displays: the counts of a word.
 * @return 1; 0, the word has no entry, and both counts are 0; -ERANGE, the address is beyond
 * address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_reference_count_table_get_counts(const struct gputm_reference_count_table *table,
				       uint64_t address, uint32_t *readers, uint32_t *writers);

GPUTM_END_DECLS
#endif /* GPUTM_REFERENCE_COUNT_TABLE_H */
