/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_FIRST_READ_H
#define GPUTM_FIRST_READ_H

/**
 * @file
 * First-read time table of one SIMT core (temporal conflict detection, TCD; Fung's thesis, 6.4
 * and Fig. 6.7): for each transaction the time at which it sent its first load, and whether
 * a load since then has met a conflict. A read-only transaction without one has read a
 * snapshot that memory held at its first load, and commits silently, without a message.
 *
 * The reply to a load carries the time at which its block was last written
 * (gputm/last_written.h) and whether the block may be in the write-set of a transaction
 * that is committing (gputm_commit_unit_write_pending()). A time later than the first load
 * is a conflict. With guard_writeback a pending write is one too: else a snapshot may lie in
 * the midst of another transaction's write-back, a hole that the thesis admits.
 *
 * A time equal to that of the first load is no conflict. So a load must be served at least one
 * cycle after it was sent, as any crossbar sees to, and the reply's two facts must be taken
 * when the L2 cache serves the load.
 *
 * Lane masks have bit i for lane i. Timing: none of its own; the table is read and written
 * beside the load-store unit.
 */

#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/** The table of one core. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_first_read;

/** Geometry; fields are only ever appended. Ranges: gputm_first_read_params(). */
struct gputm_first_read_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Warps of the core (1..4096). */
	uint32_t warps;
	/** Lanes of a warp (1..64). */
	uint32_t lanes;
	/** Width of a time, bits (1..64). */
	uint32_t time_bits;
	/** Whether a pending write is a conflict. */
	bool guard_writeback;
};
/* begin INIT */
#define GPUTM_FIRST_READ_CONFIG_INIT \
	{ sizeof(struct gputm_first_read_config), \
	  /* warps */ 48, /* lanes */ 32, /* time_bits */ 64, /* guard_writeback */ true }
/* end INIT */

/** What a reply says about its transactions. */
enum gputm_first_read_result {
	GPUTM_FIRST_READ_CLEAN = 0,    /**< no conflict */
	GPUTM_FIRST_READ_CONFLICT = 1, /**< a conflict for at least one lane */
};

/** How the transactions of a warp may commit. The three masks are disjoint. */
struct gputm_first_read_verdict {
	uint64_t silent;	/**< read-only, no conflict: done, without a message */
	uint64_t second_chance; /**< read-only with a conflict: to the commit units, which
				 * compare values as for any transaction */
	uint64_t read_write;	/**< wrote: to the commit units in any case */
};

/** Events; gputm_first_read(3) says what each tells. */
enum gputm_first_read_event {
	GPUTM_FIRST_READ_EVENT_BEGIN = 0,
	GPUTM_FIRST_READ_EVENT_FIRST = 1,
	GPUTM_FIRST_READ_EVENT_REPLY = 2,
	GPUTM_FIRST_READ_EVENT_FINISH = 3,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_first_read_params(void);

/**
 * Set @p config to a preset: "warptm-tcd" (48 warps of 32 lanes, 64 bits, guarded),
 * "thesis" (the same without the guard).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_first_read_config_preset(struct gputm_first_read_config *config, const char *name);

/**
 * Make a table in which no transaction runs.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a field
 * newer than this library; -ENOMEM. Free it with gputm_first_read_free().
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_first_read_new(struct gputm_ctx *ctx,
						    const struct gputm_first_read_config *config,
						    struct gputm_first_read **out);
/** Free a table; NULL allowed. */
GPUTM_API void gputm_first_read_free(struct gputm_first_read *table);
/** @return the common face; lives as long as @p table. */
GPUTM_API struct gputm_unit *gputm_first_read_unit(struct gputm_first_read *table);

/**
 * The lanes of @p mask begin an attempt: no first load, no conflict. A lane whose attempt
 * was running has aborted it.
 * @return 0; -ERANGE, there is no such warp or lane.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_first_read_begin(struct gputm_first_read *table,
						      uint32_t warp, uint64_t mask);

/**
 * The lanes of @p mask send a load to global memory at @p time of the core. For lanes
 * that have not loaded yet this is the first load.
 * @return 0; -EINVAL, a lane has no attempt running; -ERANGE, there is no such warp or lane,
 * or the time does not fit in time_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_first_read_issue(struct gputm_first_read *table,
						      uint32_t warp, uint64_t mask, uint64_t time);

/**
 * The reply to a load of the lanes of @p mask arrives. A conflict stays until the next attempt.
 * @param last_written of the block, taken when the load was served.
 * @param write_pending whether a committing transaction may be about to write the block;
 * ignored without guard_writeback.
 * @return enum gputm_first_read_result; -EINVAL, a lane has sent no load; -ERANGE, there is
 * no such warp or lane, or the time does not fit in time_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_first_read_reply(struct gputm_first_read *table,
						      uint32_t warp, uint64_t mask,
						      uint64_t last_written, bool write_pending);
/** @return what gputm_first_read_reply() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_first_read_reply_probe(const struct gputm_first_read *table, uint32_t warp, uint64_t mask,
			     uint64_t last_written, bool write_pending);

/**
 * The attempts of the lanes of @p mask have reached their commit and leave the table.
 * @param writers lanes whose write log is not empty; bits beyond @p mask do not count.
 * @return 0; -EINVAL, a lane has no attempt running; -ERANGE, there is no such warp or lane.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_first_read_finish(struct gputm_first_read *table,
						       uint32_t warp, uint64_t mask,
						       uint64_t writers,
						       struct gputm_first_read_verdict *out);
/** @return what gputm_first_read_finish() would, with the same verdict; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_first_read_finish_probe(const struct gputm_first_read *table, uint32_t warp, uint64_t mask,
			      uint64_t writers, struct gputm_first_read_verdict *out);

/** @return lanes of @p warp that have met a conflict; 0 if there is no such warp. */
GPUTM_API uint64_t gputm_first_read_conflicts(const struct gputm_first_read *table, uint32_t warp);

/**
 * When the running attempt of a lane sent its first load.
 * @param time set if it has.
 * @return 1; 0, it has not, or no attempt is running; -ERANGE, there is no such warp or lane.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_first_read_get_time(const struct gputm_first_read *table,
							 uint32_t warp, uint32_t lane,
							 uint64_t *time);

/**
 * @return the earliest first load of all running attempts, UINT64_MAX if none has loaded: a
 * floor for gputm_last_written_expire(), with those of the other cores and the time now.
 */
GPUTM_API uint64_t gputm_first_read_oldest(const struct gputm_first_read *table);

GPUTM_END_DECLS
#endif /* GPUTM_FIRST_READ_H */
