/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TIMESTAMP_TABLE_H
#define GPUTM_TIMESTAMP_TABLE_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Logical timestamp table (snapshot isolation on GPU HTM, ISCA 2017, 4.1, Fig. 7 and 8):
 * post-dating, which declares a dependency loop among transactions before it is closed,
 * without a graph. For each transaction it has a current logical timestamp (CTS), a
 * post-dated one (PDTS, maybe unset) and that of its commit (PrevTS).
 *
 * An edge leads from the transaction that has read a word to the one that writes it: the
 * first must come before the second in any serial order. A transaction here is an instance:
 * its number is given to another one after gputm_timestamp_table_release() only.
 *
 * Timing, in cycles of the unit: an edge 2 (predecessor, successor), any other call 1.
 */

/** One table. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_timestamp_table;

/** Geometry; fields are only ever appended. */
struct gputm_timestamp_table_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Transactions (2..2^16). */
	uint32_t transactions;
	/** Width of a timestamp, bits (5..31). */
	uint32_t stamp_bits;
	/** From CTS to a fresh PDTS (1..2^16). */
	uint32_t increment;
	/** Run Fig. 7 to the letter, which misses loops. */
	bool literal;
	/** With literal: compare an unset PDTS as -1. */
	bool signed_unset;
};
/* begin INIT */
#define GPUTM_TIMESTAMP_TABLE_CONFIG_INIT \
	{ sizeof(struct gputm_timestamp_table_config), \
	  /* transactions */ 1024, /* stamp_bits */ 24, /* increment */ 10, /* literal */ false, \
	  /* signed_unset */ false }
/* end INIT */

/** What the table may answer. */
enum gputm_timestamp_table_result {
	GPUTM_TIMESTAMP_TABLE_OK = 0,
	/** The edge may close a loop: abort one of its transactions that still runs. */
	GPUTM_TIMESTAMP_TABLE_LOOP = 1,
	/** A timestamp does not fit, nothing has changed: abort all and restart. */
	GPUTM_TIMESTAMP_TABLE_OVERFLOW = 2,
};

/** States of a transaction: IDLE -begin-> RUNNING -retire-> COMMITTED -release-> IDLE. */
enum gputm_timestamp_table_state {
	GPUTM_TIMESTAMP_TABLE_STATE_IDLE = 0,	   /**< no transaction has this number */
	GPUTM_TIMESTAMP_TABLE_STATE_RUNNING = 1,   /**< it runs */
	GPUTM_TIMESTAMP_TABLE_STATE_COMMITTED = 2, /**< it has committed and may still get edges */
};

/** PDTS of a transaction that has none. */
#define GPUTM_TIMESTAMP_TABLE_UNSET UINT32_MAX

/** The stamps of one transaction. */
struct gputm_timestamp_table_stamps {
	enum gputm_timestamp_table_state state;
	uint32_t cts;
	uint32_t pdts; /**< or GPUTM_TIMESTAMP_TABLE_UNSET */
	uint32_t prev; /**< CTS at the last commit or abort of this number; 0 before */
};

/** Events; gputm_timestamp_table(3) says what each tells. */
enum gputm_timestamp_table_event {
	GPUTM_TIMESTAMP_TABLE_EVENT_BEGIN = 0,
	GPUTM_TIMESTAMP_TABLE_EVENT_EDGE = 1,
	GPUTM_TIMESTAMP_TABLE_EVENT_RETIRE = 2,
	GPUTM_TIMESTAMP_TABLE_EVENT_RELEASE = 3,
	GPUTM_TIMESTAMP_TABLE_EVENT_RESTART = 4,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_timestamp_table_params(void);

/**
 * Set @p config to a preset: "isca-2017" (Table 1: 1024 x 3 x 24 bits), "literal" (the same
 * with Fig. 7 to the letter) or "retained" (2048 transactions, committed ones among them).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_timestamp_table_config_preset(struct gputm_timestamp_table_config *config, const char *name);

/**
 * Make a table of idle transactions with CTS 1 and no PDTS.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is out of its range, or signed_unset without literal; -E2BIG;
 * -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_timestamp_table_new(struct gputm_ctx *ctx, const struct gputm_timestamp_table_config *config,
			  struct gputm_timestamp_table **out);
/** Free a table; NULL allowed. */
GPUTM_API void gputm_timestamp_table_free(struct gputm_timestamp_table *table);
/** @return its common face; lives as long as @p table. */
GPUTM_API struct gputm_unit *gputm_timestamp_table_unit(struct gputm_timestamp_table *table);

/**
 * Transaction @p tx begins: CTS = @p start, PDTS unset.
 * @param start larger than the PrevTS of every transaction in its snapshot, at least 1:
 * gputm_version_table_start_stamp(). Not looked at with literal: the CTS that the number's
 * last transaction has left stays, and the number may be that of a committed one.
 * @return OK; OVERFLOW, @p start is 2^stamp_bits - 1; -EINVAL, the number is in use;
 * -ERANGE, there is no such transaction, or start is 0 or wider than stamp_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_timestamp_table_begin(struct gputm_timestamp_table *table,
							   uint32_t tx, uint64_t start);

/**
 * @p pred must come before @p succ. The predecessor takes a PDTS below that of the successor
 * (increment above its CTS, or the midpoint), and the successor a CTS above it. A committed
 * predecessor answers with its PrevTS; a committed successor bounds the predecessor's PDTS.
 * After LOOP the successor is unchanged, the predecessor keeps its new PDTS.
 * @return enum gputm_timestamp_table_result; -EINVAL, neither transaction runs, one is idle,
 * or they are the same; -ERANGE, there is no such transaction.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_timestamp_table_add_edge(struct gputm_timestamp_table *table,
							      uint32_t pred, uint32_t succ);
/** @return what gputm_timestamp_table_add_edge() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_timestamp_table_add_edge_probe(const struct gputm_timestamp_table *table, uint32_t pred,
				     uint32_t succ);

/**
 * A running transaction ends: PrevTS = CTS, PDTS unset. If it has committed it stays, for
 * edges to come, until it is released; else its number is idle. With literal CTS moves to one
 * above the old PDTS, or CTS if that was unset.
 * @return OK; OVERFLOW, with literal only; -EINVAL, it does not run; -ERANGE.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_timestamp_table_retire(struct gputm_timestamp_table *table,
							    uint32_t tx, bool committed);

/**
 * Give back the number of a committed transaction. Right as soon as no running transaction
 * has a snapshot without its writes.
 * @return 0; -EINVAL, it has not committed; -ERANGE.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_timestamp_table_release(struct gputm_timestamp_table *table, uint32_t tx);

/**
 * Restart all clocks at 1 after an overflow. Committed transactions are released.
 * @return 0; -EINVAL, a transaction is running: abort it first.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_timestamp_table_restart(struct gputm_timestamp_table *table);

/** Give the stamps of a transaction. @return 0; -ERANGE, there is none of that number. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_timestamp_table_get_stamps(const struct gputm_timestamp_table *table, uint32_t tx,
				 struct gputm_timestamp_table_stamps *out);

GPUTM_END_DECLS
#endif /* GPUTM_TIMESTAMP_TABLE_H */
