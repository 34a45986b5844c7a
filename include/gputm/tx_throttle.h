/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TX_THROTTLE_H
#define GPUTM_TX_THROTTLE_H

/**
 * @file
 * Transaction concurrency control of one SIMT core: gputm_tx_throttle(3).
 *
 * A counter of the warps that are in a transaction, and a limit on it. A warp that
 * begins a transaction is admitted or waits; waiting warps enter in the order in
 * which they first asked. Source: Fung's thesis, 4.2.6. The limit may move by what
 * the core's attempts come to, which the thesis (8.2.3) leaves open: our own decision.
 *
 * Timing: admission and leaving take no cycle of their own; they happen as tx_begin
 * issues and as the warp leaves its transaction. Nor does a report: the limit that it
 * gives counts from the next admission on.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** One core's control. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_tx_throttle;

/** What moves the limit. */
enum gputm_tx_throttle_policy {
	GPUTM_TX_THROTTLE_POLICY_FIXED = 0,  /**< nothing */
	GPUTM_TX_THROTTLE_POLICY_ABORTS = 1, /**< aborts per commit */
	GPUTM_TX_THROTTLE_POLICY_CLIMB = 2,  /**< cycles of lanes for each commit */
};

/** Geometry; fields are only ever appended. Ranges: gputm_tx_throttle_params(). */
struct gputm_tx_throttle_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Warps resident on the core (1..1024). */
	uint32_t warps;
	/** Warps in a transaction at a time, at first; 0 is no limit (0..1024). */
	uint32_t limit;
	/** Whether the limit moves, from limit on, by aborts or by the price of a commit (enum
	 * gputm_tx_throttle_policy). */
	uint32_t policy;
	/** Commits of a window for each warp of the limit; 0: the limit does not move (0..2^16). */
	uint32_t window;
	/** Policy aborts: fewer aborts than this in 16 commits raise the limit (0..2^16). */
	uint32_t raise_below;
	/** Policy aborts: this many aborts in 16 commits lower the limit (0..2^16). */
	uint32_t lower_from;
	/** Highest limit of an adaptive policy; 0: all warps (0..1024). */
	uint32_t highest;
};
/* begin INIT */
#define GPUTM_TX_THROTTLE_CONFIG_INIT \
	{ sizeof(struct gputm_tx_throttle_config), \
	  /* warps */ 48, /* limit */ 2, /* policy: fixed */ 0, /* window */ 32, \
	  /* raise_below */ 2, /* lower_from */ 16, /* highest */ 0 }
/* end INIT */

/** Answers to a warp that begins a transaction. */
enum gputm_tx_throttle_result {
	GPUTM_TX_THROTTLE_ADMITTED = 0, /**< the warp is in a transaction */
	GPUTM_TX_THROTTLE_WAIT = 1,	/**< the warp has its place in the queue; ask again */
};

/** What a report does to the limit. */
enum gputm_tx_throttle_report_result {
	GPUTM_TX_THROTTLE_KEPT = 0,
	GPUTM_TX_THROTTLE_RAISED = 1,
	GPUTM_TX_THROTTLE_LOWERED = 2,
};

/** Events; gputm_tx_throttle(3) says what each tells. */
enum gputm_tx_throttle_event {
	GPUTM_TX_THROTTLE_EVENT_ADMIT = 0,
	GPUTM_TX_THROTTLE_EVENT_QUEUE = 1,
	GPUTM_TX_THROTTLE_EVENT_LEAVE = 2,
	GPUTM_TX_THROTTLE_EVENT_WINDOW = 3,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_tx_throttle_params(void);

/**
 * Set @p config to a preset: "kilo-tm" (thesis Table 4.4: 2 of 32 warps), "unlimited"
 * (thesis Fig. 4.6: no limit), "warptm" (thesis Table 6.1: 48 warps).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_tx_throttle_config_preset(struct gputm_tx_throttle_config *config, const char *name);

/**
 * Make a control with no warp in a transaction.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config
 * sets a field newer than this library; -ENOMEM. Free it with gputm_tx_throttle_free().
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_throttle_new(struct gputm_ctx *ctx,
						     const struct gputm_tx_throttle_config *config,
						     struct gputm_tx_throttle **out);
/** Free a control; NULL allowed. */
GPUTM_API void gputm_tx_throttle_free(struct gputm_tx_throttle *throttle);
/** @return its common face; lives as long as @p throttle. */
GPUTM_API struct gputm_unit *gputm_tx_throttle_unit(struct gputm_tx_throttle *throttle);

/**
 * Warp @p warp begins a transaction. It is admitted if it is in one already (a restart
 * keeps its place), or if there is room and no other warp is before it in the queue.
 * Otherwise it waits: the first refusal puts it at the end of the queue, where it stays
 * until it is admitted; asking again costs nothing.
 * @return enum gputm_tx_throttle_result; -ERANGE, no such warp.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_throttle_admit(struct gputm_tx_throttle *throttle,
						       uint32_t warp);
/** @return what gputm_tx_throttle_admit() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_tx_throttle_admit_probe(const struct gputm_tx_throttle *throttle, uint32_t warp);

/**
 * All threads of warp @p warp have left the transaction. If that makes room for the
 * first waiting warp, gputm_tx_throttle_next_warp() names it.
 * @return 0; -ERANGE, no such warp; -EINVAL, the warp is not in a transaction.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_throttle_leave(struct gputm_tx_throttle *throttle,
						       uint32_t warp);

/**
 * Name the first waiting warp if it would be admitted now, so that a host need not poll.
 * @return whether there is one; @p warp is set only then.
 */
GPUTM_API bool gputm_tx_throttle_next_warp(const struct gputm_tx_throttle *throttle,
					   uint32_t *warp);

/**
 * An attempt of a warp of the core has ended: @p commits of its lanes have committed,
 * @p aborts have aborted. It lasted from cycle @p began to cycle @p cycle of the core's
 * clock, of which the unit counts 31 bits. Of a warp that leaves this comes before
 * gputm_tx_throttle_leave(). An adaptive policy judges the limit when a window of commits
 * is complete, and earlier when it has too many aborts (aborts) or costs too much (climb);
 * a policy that is fixed takes no notice. A lower limit takes no warp out; after a higher
 * one gputm_tx_throttle_next_warp() may name a warp.
 * @return enum gputm_tx_throttle_report_result; -ERANGE, more than 64 commits or aborts; -EINVAL,
 * @p cycle is before that of the last report, or before @p began.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_tx_throttle_report(struct gputm_tx_throttle *throttle,
							uint32_t commits, uint32_t aborts,
							uint64_t began, uint64_t cycle);

/** @return the limit now; the number of warps if there is none. */
GPUTM_API uint32_t gputm_tx_throttle_limit(const struct gputm_tx_throttle *throttle);
/** @return the warps in a transaction. */
GPUTM_API uint32_t gputm_tx_throttle_running(const struct gputm_tx_throttle *throttle);
/** @return the warps that wait. */
GPUTM_API uint32_t gputm_tx_throttle_waiting(const struct gputm_tx_throttle *throttle);

GPUTM_END_DECLS
#endif /* GPUTM_TX_THROTTLE_H */
