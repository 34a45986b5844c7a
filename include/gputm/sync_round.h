/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_SYNC_ROUND_H
#define GPUTM_SYNC_ROUND_H

/**
 * @file
 * Synchronisation rounds of two devices with a replica each: gputm_sync_round(3).
 *
 * The controller of HeTM: execution, validation, merge. It says at which time what is to be
 * done, who is blocked, and what the link between the devices is busy with; the caller does
 * it on its logs, bitmaps and replicas and reports how much there was. Source: HeTM (PACT
 * 2019), IV-C, IV-D, Fig. 1.
 *
 * A caller's loop:
 *
 *	gputm_sync_round_begin(round, now);
 *	for (;;) {
 *		gputm_sync_round_step(round, now, &todo);
 *		if (todo.action == GPUTM_SYNC_ROUND_ACTION_RUN)
 *			now = run both devices until gputm_sync_round_next_time(round);
 *		else if (todo.action == GPUTM_SYNC_ROUND_ACTION_END)
 *			break;
 *		else
 *			do it, then gputm_sync_round_complete(round, now, &done);
 *	}
 *
 * Timing: all times are cycles of one clock that the caller chooses; the defaults take one of
 * 1 GHz and a PCIe 3.0 x16 link. Times that are handed in must not fall.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** One controller. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_sync_round;

/** Timing; fields are only ever appended. Ranges: gputm_sync_round_params(). */
struct gputm_sync_round_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Cycles of the execution phase (1..2^40). */
	uint64_t round_cycles;
	/** Cycles between early validations; 0: no early validation (0..2^40). */
	uint64_t early_cycles;
	/** Cycles of a transfer in addition to those of its bytes (0..2^24). */
	uint32_t link_latency;
	/** Bytes per cycle of the link (1..2^16). */
	uint32_t link_bytes;
	/** Bytes per cycle of a copy within the GPU (1..2^16). */
	uint32_t copy_bytes;
	/** The CPU works on while logs are shipped. */
	bool non_blocking;
	/** The GPU has a shadow copy. */
	bool shadow_copy;
};
/* begin INIT */
#define GPUTM_SYNC_ROUND_CONFIG_INIT \
	{ sizeof(struct gputm_sync_round_config), \
	  /* round_cycles */ 80000000u, /* early_cycles */ 10000000u, /* link_latency */ 5000, \
	  /* link_bytes */ 12, /* copy_bytes */ 160, /* non_blocking */ true, \
	  /* shadow_copy */ true }
/* end INIT */

/** The devices, as bits of a set. */
enum gputm_sync_round_device {
	GPUTM_SYNC_ROUND_DEVICE_CPU = 1,
	GPUTM_SYNC_ROUND_DEVICE_GPU = 2,
};

/** What is to be done. */
enum gputm_sync_round_action {
	/** nothing, until next_time; devices that may, run */
	GPUTM_SYNC_ROUND_ACTION_RUN = 0,
	/** let no transaction begin on `devices`; complete when none runs there */
	GPUTM_SYNC_ROUND_ACTION_DRAIN = 1,
	/** validate one full chunk of the logs, test only */
	GPUTM_SYNC_ROUND_ACTION_EARLY = 2,
	/** validate and apply one chunk; a part with `partial` */
	GPUTM_SYNC_ROUND_ACTION_SHIP = 3,
	/** success: bring the shadow copy up to the working copy; the GPU's next round begins */
	GPUTM_SYNC_ROUND_ACTION_SHADOW = 4,
	/** success: copy what the GPU wrote to the CPU */
	GPUTM_SYNC_ROUND_ACTION_COPY_BACK = 5,
	/** failure: replay the logs on the shadow copy and copy it over what the GPU wrote; the
	 * CPU's next round begins */
	GPUTM_SYNC_ROUND_ACTION_REPLAY = 6,
	/** failure: copy the CPU's state over what the GPU wrote */
	GPUTM_SYNC_ROUND_ACTION_REALIGN = 7,
	/** the round is over: `success` */
	GPUTM_SYNC_ROUND_ACTION_END = 8,
};

/** An answer of gputm_sync_round_step(). */
struct gputm_sync_round_todo {
	enum gputm_sync_round_action action;
	uint32_t devices; /**< DRAIN: a set of enum gputm_sync_round_device */
	bool partial;	  /**< SHIP */
	bool success;	  /**< SHADOW to END: no conflict was found */
};

/** What a caller reports when it has done it. */
struct gputm_sync_round_done {
	uint64_t bytes;	 /**< EARLY, SHIP: of the chunk, 0 if there was none; else copied */
	uint64_t runs;	 /**< COPY_BACK, REALIGN: transfers that the bytes came in */
	uint64_t cycles; /**< EARLY, SHIP, REPLAY: of the GPU's kernel */
	bool conflict;	 /**< EARLY, SHIP: the chunk had a conflict */
};

/** Where a round is. */
enum gputm_sync_round_state {
	GPUTM_SYNC_ROUND_STATE_IDLE = 0,
	GPUTM_SYNC_ROUND_STATE_EXECUTION = 1,
	GPUTM_SYNC_ROUND_STATE_VALIDATION = 2,
	GPUTM_SYNC_ROUND_STATE_MERGE = 3,
};

/** Events; gputm_sync_round(3) says what each tells. */
enum gputm_sync_round_event {
	GPUTM_SYNC_ROUND_EVENT_STATE = 0,
	GPUTM_SYNC_ROUND_EVENT_COMPLETE = 1,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_sync_round_params(void);

/**
 * Set @p config to a preset: "shetm" (IV-D: all optimisations), "basic" (IV-C: none).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_sync_round_config_preset(struct gputm_sync_round_config *config, const char *name);

/**
 * Make an idle controller.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a
 * field newer than this library; -ENOMEM. Free it with gputm_sync_round_free().
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_sync_round_new(struct gputm_ctx *ctx,
						    const struct gputm_sync_round_config *config,
						    struct gputm_sync_round **out);
/** Free a controller; NULL allowed. */
GPUTM_API void gputm_sync_round_free(struct gputm_sync_round *round);
/** @return its common face; lives as long as @p round. */
GPUTM_API struct gputm_unit *gputm_sync_round_unit(struct gputm_sync_round *round);

/**
 * Begin a round at time @p now: both devices may run.
 * @return 0; -EINVAL, a round is going on; -ERANGE, @p now lies in the past or above 2^62.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_sync_round_begin(struct gputm_sync_round *round,
						      uint64_t now);

/**
 * There is nothing left to execute: the execution phase ends at time @p now and not at its
 * deadline.
 * @return 0; -EINVAL, no execution phase goes on, or an early validation is not complete;
 * -ERANGE, @p now lies in the past or above 2^62.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_sync_round_stop(struct gputm_sync_round *round, uint64_t now);

/**
 * What is to be done at time @p now. A thing to do is answered with
 * gputm_sync_round_complete() before anything else happens; only a DRAIN may take time, and
 * asking again gives it again. END leaves the controller idle.
 * @return 0, and @p todo is set; -ERANGE, @p now lies in the past or above 2^62.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_sync_round_step(struct gputm_sync_round *round, uint64_t now,
						     struct gputm_sync_round_todo *todo);

/**
 * The thing to do is done, or begun: the controller adds the time that the link and
 * the GPU take for it.
 * @return 0; -EINVAL, no action is requested, or a chunk without bytes has a conflict;
 * -ERANGE, @p now lies in the past or above 2^62, bytes or cycles are above 2^40, or runs
 * above 2^32.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_sync_round_complete(struct gputm_sync_round *round,
							 uint64_t now,
							 const struct gputm_sync_round_done *done);

/**
 * May transactions begin on @p device at time @p now? After SHADOW the GPU, and after a
 * failure the CPU, already work for the next round.
 * @return whether they may; false for another device.
 */
GPUTM_API bool gputm_sync_round_may_run(const struct gputm_sync_round *round,
					enum gputm_sync_round_device device, uint64_t now);

/** @return the next time (not a number of cycles) at which gputm_sync_round_step() or
 * gputm_sync_round_may_run() has something new to say; UINT64_MAX if it waits for the caller, or
 * is idle. */
GPUTM_API uint64_t gputm_sync_round_next_time(const struct gputm_sync_round *round);

/** @return where the round is. */
GPUTM_API enum gputm_sync_round_state
gputm_sync_round_current_state(const struct gputm_sync_round *round);

GPUTM_END_DECLS
#endif /* GPUTM_SYNC_ROUND_H */
