/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TX_LOG_H
#define GPUTM_TX_LOG_H

/**
 * @file
 * The transaction log unit's read log and write log of one warp (Fung's thesis, 4.2.3
 * and 4.2.4). Each log is a linear buffer in local memory: an access of the warp
 * appends one row, a row has a column for each lane, and a lane that takes no part
 * gets a void entry. An entry is the byte address of a 32-bit word and its value.
 * In packed logs (our own decision) a lane appends after its own last entry, so that rows
 * have no void entries before the lane's end: shorter logs where the lanes run apart.
 *
 * The unit answers reads of the warp's own writes, restarts lanes, and hands out its
 * rows at commit, grouped by the memory partition that holds each word.
 *
 * Arrays called address[] and value[] are per lane: lanes elements, element i belongs
 * to lane i, and only the elements of lanes in the given mask are looked at.
 *
 * Cost model, in rows. A row occupies two 128 B lines for 32 lanes: one of addresses, one of
 * values. Row i of a log is in the L1 share when i < l1_rows, else it is spilled.
 */

#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/** The two logs of one warp. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_tx_log;

/** How a read of the warp's own write is noticed (thesis 4.2.3). */
enum gputm_tx_log_filter {
	GPUTM_TX_LOG_FILTER_NONE = 0,	   /**< not: every read walks the write log */
	GPUTM_TX_LOG_FILTER_SIGNATURE = 1, /**< a 64-bit signature per lane; may walk in vain */
	GPUTM_TX_LOG_FILTER_PERFECT = 2,   /**< exactly, as the paper's evaluation does */
};

/** Geometry; fields are only ever appended. Ranges: gputm_tx_log_params(). */
struct gputm_tx_log_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Lanes of the warp (1..64). */
	uint32_t lanes;
	/** Width of a byte address, bits (8..64). */
	uint32_t address_bits;
	/** Memory partitions (1..64). */
	uint32_t partitions;
	/** Consecutive bytes in one partition (power of two, 64..2^20). */
	uint32_t interleave;
	/** Rows of each log that the L1 share of the warp holds (0..2^20). */
	uint32_t l1_rows;
	/** Rows of each log allocated at once (1..2^20). */
	uint32_t reserve_rows;
	/** How a read of an own write is noticed (enum gputm_tx_log_filter). */
	uint32_t filter;
	/** Bytes of a packet without entries (0..1024). */
	uint32_t header_bytes;
	/** Bytes of a flit (power of two, 8..1024). */
	uint32_t flit_bytes;
	/** 1: a lane appends after its own last entry; 0: all after the last row (0..1). */
	uint64_t packed;
};
/* begin INIT */
#define GPUTM_TX_LOG_CONFIG_INIT \
	{ sizeof(struct gputm_tx_log_config), \
	  /* lanes */ 32, /* address_bits */ 32, /* partitions */ 6, /* interleave */ 256, \
	  /* l1_rows */ 32, /* reserve_rows */ 16, /* filter: signature */ 1, \
	  /* header_bytes */ 8, /* flit_bytes */ 32, /* packed */ 0u }
/* end INIT */

/** Which of the two logs. Rows and lanes of another kind are undefined. */
enum gputm_tx_log_kind {
	GPUTM_TX_LOG_KIND_READ = 0,
	GPUTM_TX_LOG_KIND_WRITE = 1,
};

/** Where an appended row lies. */
enum gputm_tx_log_result {
	GPUTM_TX_LOG_CACHED = 0,  /**< in the L1 share, or there was nothing to append */
	GPUTM_TX_LOG_SPILLED = 1, /**< beyond it */
};

/** Answer of a look-up of own writes. */
struct gputm_tx_log_lookup {
	uint64_t hits;	 /**< lanes that have written their address: value[] is set */
	uint64_t walked; /**< lanes that the filter let through; hits are among them */
	uint32_t rows;	 /**< write-log rows walked; the whole warp waits for them */
};

/** One row, borrowed until the next call that changes the log. */
struct gputm_tx_log_row {
	uint64_t mask;		 /**< lanes with an entry; the others are void */
	const uint64_t *address; /**< per lane, bytes; only of lanes in mask */
	const uint32_t *value;	 /**< per lane; only of lanes in mask */
	bool spilled;		 /**< beyond the L1 share */
};

/** Events; gputm_tx_log(3) says what each tells. */
enum gputm_tx_log_event {
	GPUTM_TX_LOG_EVENT_APPEND = 0,
	GPUTM_TX_LOG_EVENT_LOOKUP = 1,
	GPUTM_TX_LOG_EVENT_RESTART = 2,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_tx_log_params(void);

/**
 * Set @p config to a preset: "kilo-tm" (thesis Table 4.4: 32 lanes, 8 partitions every
 * 256 B, perfect detection of own writes), "warptm" (Table 6.1: 6 partitions).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_log_config_preset(struct gputm_tx_log_config *config,
							  const char *name);

/**
 * Make a pair of empty logs.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets
 * a field newer than this library; -ENOMEM. Free it with gputm_tx_log_free().
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_log_new(struct gputm_ctx *ctx,
						const struct gputm_tx_log_config *config,
						struct gputm_tx_log **out);
/** Free the logs; NULL allowed. */
GPUTM_API void gputm_tx_log_free(struct gputm_tx_log *log);
/** @return the common face; lives as long as @p log. */
GPUTM_API struct gputm_unit *gputm_tx_log_unit(struct gputm_tx_log *log);

/**
 * Append one row to the read log: the lanes of @p mask have read @p value at @p address
 * in global memory. Reads of own writes are not appended (see gputm_tx_log_lookup_own_writes()).
 * An empty mask appends nothing.
 * Cost: the two lines of the row; only the line of addresses is a write of its own.
 * @return enum gputm_tx_log_result; -ERANGE, @p mask names a lane that does not exist or an
 * address does not fit in address_bits; -EINVAL, an address is no multiple of 4; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_tx_log_append_read(struct gputm_tx_log *log, uint64_t mask, const uint64_t *address,
			 const uint32_t *value);
/** Add a row to the write log: the lanes of @p mask will write @p value at @p address. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_tx_log_append_write(struct gputm_tx_log *log, uint64_t mask, const uint64_t *address,
			  const uint32_t *value);

/**
 * Look in the write log, newest row first, for what the lanes of @p mask have written at
 * their addresses. The walk ends when every lane let through by the filter has its
 * answer, or with the oldest row. Cost: @p out->rows, one row per cycle; 0 when the
 * filter lets no lane through.
 * @param value set for the lanes in @p out->hits, untouched for the others.
 * @return 0; -ERANGE, @p mask names a lane that does not exist.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_log_lookup_own_writes(struct gputm_tx_log *log,
							      uint64_t mask,
							      const uint64_t *address,
							      uint32_t *value,
							      struct gputm_tx_log_lookup *out);
/**
 * Look up the own write of one lane.
 * @param value set if it has written @p address; @param rows walked, NULL allowed.
 * @return 1, it has; 0, it has not; -ERANGE, there is no such lane.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_log_lookup_own_write(struct gputm_tx_log *log,
							     uint32_t lane, uint64_t address,
							     uint32_t *value, uint32_t *rows);

/**
 * Void all entries of the lanes of @p mask in both logs. The rows of the other lanes
 * stay where they are; a pair of logs without any entry left starts at row 0 again.
 * Cost: none, the attempt's first row overwrites.
 * @return 0; -ERANGE, @p mask names a lane that does not exist.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_log_restart(struct gputm_tx_log *log, uint64_t mask);

/** @return rows of the log of @p kind, void ones included; 0, there is no such log. */
GPUTM_API uint32_t gputm_tx_log_rows(const struct gputm_tx_log *log, enum gputm_tx_log_kind kind);
/** @return the lanes with at least one entry in the log of @p kind; 0, there is no such log. */
GPUTM_API uint64_t gputm_tx_log_lanes(const struct gputm_tx_log *log, enum gputm_tx_log_kind kind);
/** Give row @p index, the oldest being 0. @return 0; -ERANGE, there is no such row; -EINVAL, there
 * is no such log. */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_log_get_row(const struct gputm_tx_log *log,
						    enum gputm_tx_log_kind kind, uint32_t index,
						    struct gputm_tx_log_row *out);

/**
 * Group the entries of row @p index that belong to lanes of @p mask by memory partition.
 * @param lanes_of per partition (partitions elements): the lanes whose word lies there; only
 * the elements in @p set are written.
 * @param set the partitions with at least one entry, bit i for partition i.
 * @return 0; -ERANGE, there is no such row; -EINVAL, there is no such log.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_log_get_group(const struct gputm_tx_log *log,
						      enum gputm_tx_log_kind kind, uint32_t index,
						      uint64_t mask, uint64_t *lanes_of,
						      uint64_t *set);
/** @return the partition that holds @p address: (address / interleave) mod partitions. */
GPUTM_API uint32_t gputm_tx_log_partition(const struct gputm_tx_log *log, uint64_t address);
/**
 * @return the flits of a packet of header_bytes and so many entries, rounded up, without a mask
 * of lanes.
 */
GPUTM_API uint64_t gputm_tx_log_packet_flits(const struct gputm_tx_log *log, uint32_t entries);

GPUTM_END_DECLS
#endif /* GPUTM_TX_LOG_H */
