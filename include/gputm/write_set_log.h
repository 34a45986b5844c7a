/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_WRITE_SET_LOG_H
#define GPUTM_WRITE_SET_LOG_H

/**
 * @file
 * What the CPU has written in a round, thread by thread: gputm_write_set_log(3).
 *
 * Each thread's commits append their writes to a log of its own. The logs leave in chunks, in
 * any order among the threads, over up to three streams: early validation, validation, and
 * the replay on the shadow copy after a failed round. Every stream sees every entry once.
 * Source: HeTM (PACT 2019), IV-B, IV-C, IV-D.
 *
 * Timing: an append is part of the CPU's commit; the transfer of chunks is the
 * business of gputm_sync_round(3). The unit counts no cycles.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** The logs of one CPU. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_write_set_log;

/** Geometry; fields are only ever appended. Ranges: gputm_write_set_log_params(). */
struct gputm_write_set_log_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Bytes of the shared region (4..2^36). */
	uint64_t region_bytes;
	/** CPU threads, each with a log of its own (1..1024). */
	uint32_t threads;
	/** Bytes of a full chunk (16..2^20). */
	uint32_t chunk_bytes;
	/** Bytes of an entry on the link (8..64). */
	uint32_t entry_bytes;
	/** Width of a stamp, bits (8..63). */
	uint32_t stamp_bits;
};
/* begin INIT */
#define GPUTM_WRITE_SET_LOG_CONFIG_INIT \
	{ sizeof(struct gputm_write_set_log_config), \
	  /* region_bytes */ 629145600u, /* threads */ 8, /* chunk_bytes */ 49152, \
	  /* entry_bytes */ 16, /* stamp_bits */ 32 }
/* end INIT */

/** One write of a committed transaction. */
struct gputm_write_set_log_entry {
	uint64_t address; /**< byte offset into the region, a multiple of 4 */
	uint64_t stamp;	  /**< orders the writes of one word; at least 1 */
	uint32_t value;
};

/** A chunk that was handed out. */
struct gputm_write_set_log_chunk {
	/** [count], in the order of the thread's commits */
	const struct gputm_write_set_log_entry *entry;
	uint32_t count;
	uint32_t thread;
	uint64_t round; /**< in which they were written */
	uint64_t bytes; /**< on the link: count x entry_bytes */
};

/** Who takes the chunks. */
enum gputm_write_set_log_stream {
	GPUTM_WRITE_SET_LOG_STREAM_EARLY = 0,  /**< early validation (IV-D) */
	GPUTM_WRITE_SET_LOG_STREAM_SHIP = 1,   /**< validation (IV-C) */
	GPUTM_WRITE_SET_LOG_STREAM_REPLAY = 2, /**< replay on the shadow copy (IV-D) */
};

/** Answers to gputm_write_set_log_cut(). */
enum gputm_write_set_log_result {
	GPUTM_WRITE_SET_LOG_CHUNK = 0, /**< a chunk */
	GPUTM_WRITE_SET_LOG_NONE = 1,  /**< no thread has a full one (or, with partial, any) */
};

/** Events; gputm_write_set_log(3) says what each tells. */
enum gputm_write_set_log_event {
	GPUTM_WRITE_SET_LOG_EVENT_APPEND = 0,
	GPUTM_WRITE_SET_LOG_EVENT_CUT = 1,
	GPUTM_WRITE_SET_LOG_EVENT_BEGIN = 2,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_write_set_log_params(void);

/**
 * Set @p config to a preset: "shetm" (V: 8 threads, 48 KB chunks, 600 MB), "authors" (their code:
 * entries of 12 bytes).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_write_set_log_config_preset(struct gputm_write_set_log_config *config, const char *name);

/**
 * Make empty logs, in round 0.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it), or a chunk holds no entry;
 * -E2BIG, @p config sets a field newer than this library; -ENOMEM. Free it with
 * gputm_write_set_log_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_write_set_log_new(struct gputm_ctx *ctx, const struct gputm_write_set_log_config *config,
			struct gputm_write_set_log **out);
/** Free the logs; NULL allowed. */
GPUTM_API void gputm_write_set_log_free(struct gputm_write_set_log *log);
/** @return its common face; lives as long as @p log. */
GPUTM_API struct gputm_unit *gputm_write_set_log_unit(struct gputm_write_set_log *log);

/**
 * Append one write of a transaction that commits on @p thread. The log grows as it needs.
 * @param address byte offset into the region, a multiple of 4
 * @param stamp 1 .. 2^stamp_bits - 1, not below the thread's one before
 * @return 0; -ERANGE, no such thread, outside the region, or a stamp outside that range;
 * -EINVAL, the address is not a multiple of 4; -ENOMEM, and nothing is appended.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_write_set_log_append(struct gputm_write_set_log *log,
							  uint32_t thread, uint64_t address,
							  uint32_t value, uint64_t stamp);

/**
 * Hand the next chunk to a stream: of the threads in turn the first that has a full chunk
 * which this stream has not seen, or with @p partial one of any length.
 * @param chunk out; its entries stay where they are until the next append, begin, reset,
 * load or free
 * @return enum gputm_write_set_log_result; @p chunk is set only for a chunk; -ERANGE, no such
 * stream.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_write_set_log_cut(struct gputm_write_set_log *log,
						       enum gputm_write_set_log_stream stream,
						       bool partial,
						       struct gputm_write_set_log_chunk *chunk);

/** @return entries that a stream has not been handed yet; 0 for no such stream. */
GPUTM_API uint64_t gputm_write_set_log_pending(const struct gputm_write_set_log *log,
					       enum gputm_write_set_log_stream stream);

/** @return the round that appended entries belong to. */
GPUTM_API uint64_t gputm_write_set_log_round(const struct gputm_write_set_log *log);

/**
 * Begin the next round with empty logs.
 * @return 0; -EINVAL, entries have not been shipped for validation yet.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_write_set_log_begin(struct gputm_write_set_log *log);

GPUTM_END_DECLS
#endif /* GPUTM_WRITE_SET_LOG_H */
