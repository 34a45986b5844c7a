/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_WARP_CLOCK_H
#define GPUTM_WARP_CLOCK_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Logical clocks of the warps of one core (GETM, HPCA 2018, IV-A and V-A): the time warpts at
 * which a warp's transactions execute. It advances only when transactions abort, to one more
 * than the largest time that their aborts reported, and only at the restart: the accesses of
 * one attempt all have the same time. A restart waits for a random, growing back-off.
 */

/** The clocks of a core. Single owner. */
struct gputm_warp_clock;

/** Geometry and back-off. Ranges: gputm_warp_clock_params(). */
struct gputm_warp_clock_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Warps of the core (1..2^16). */
	uint32_t warps;
	/** Width of a time, bits (2..63). */
	uint32_t time_bits;
	/** Distance from the largest time at which a rollover is requested (0..2^62). */
	uint64_t margin;
	/** Back-off, core cycles; 0 for none, and conflicts may go on for ever (0..2^24). */
	uint32_t backoff_base;
	/** Restarts in a row that double the back-off (0..16). */
	uint32_t backoff_limit;
	/** Seed of the back-off. */
	uint64_t seed;
	/** Further restarts in a row that double the back-off once more; 0: never (0..2^24). */
	uint32_t backoff_patience;
	/** 1: an attempt takes the largest time of the core's warps. */
	bool per_core;
};
/* begin INIT */
#define GPUTM_WARP_CLOCK_CONFIG_INIT \
	{ sizeof(struct gputm_warp_clock_config), \
	  /* warps */ 48, /* time_bits */ 32, /* margin */ 1024u, /* backoff_base */ 500, \
	  /* backoff_limit */ 4, /* seed */ 1u, /* backoff_patience */ 64, /* per_core */ false }
/* end INIT */

/** Answers of gputm_warp_clock_restart(). */
enum gputm_warp_clock_result {
	GPUTM_WARP_CLOCK_OK = 0, /**< the clock has advanced */
	/** The same, and the new time lies within the margin: stamps must roll over. */
	GPUTM_WARP_CLOCK_ROLLOVER = 1,
};

/** Events; gputm_warp_clock(3) says what each tells. */
enum gputm_warp_clock_event {
	GPUTM_WARP_CLOCK_EVENT_RESTART = 0,
	GPUTM_WARP_CLOCK_EVENT_COMMIT = 1,
	GPUTM_WARP_CLOCK_EVENT_RESET = 2,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_warp_clock_params(void);

/** Fill @p config from the preset "getm" (Table V: 48 warps x 32 bits) or "getm-paper" (with a
 * back-off that increases further). @return 0; -EINVAL. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_warp_clock_config_preset(struct gputm_warp_clock_config *config, const char *name);

/** Make clocks at time 0. @return 0; -EINVAL; -E2BIG; -ENOMEM. */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_clock_new(struct gputm_ctx *ctx,
						    const struct gputm_warp_clock_config *config,
						    struct gputm_warp_clock **out);
/** Free the clocks; NULL allowed. */
GPUTM_API void gputm_warp_clock_free(struct gputm_warp_clock *clock);
/** @return the common face. */
GPUTM_API struct gputm_unit *gputm_warp_clock_unit(struct gputm_warp_clock *clock);

/** The time of an attempt that the warp begins now. @return 0; -ERANGE, no such warp. */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_clock_get_time(const struct gputm_warp_clock *clock,
							 uint32_t warp, uint64_t *time);

/**
 * Note that a lane of the warp was aborted by an access that met @p reported (wts of a failed
 * load, the larger of wts and rts of a failed store, in the paper's times). Several lanes may
 * report; the largest counts. The time of the running attempt stays. A lane that lost against
 * another of its warp has met no stamp: it reports 0.
 * @return 0; -ERANGE, no such warp or a time of more than time_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_clock_abort(struct gputm_warp_clock *clock,
						      uint32_t warp, uint64_t reported);

/**
 * The warp's aborted lanes start again: its time becomes max(old, reported) + 1, never beyond
 * the largest. The back-off is uniform in 0 .. backoff_base x 2^d, where each of the first
 * backoff_limit restarts since the last commit, this one included, adds 1 to d, and then every
 * backoff_patience-th; d stops at 16.
 * @param cycles set to the back-off, in core cycles.
 * @return enum gputm_warp_clock_result; -ERANGE, no such warp; -EINVAL, no lane of it aborted.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_clock_restart(struct gputm_warp_clock *clock,
							uint32_t warp, uint64_t *cycles);

/** All lanes of the warp have committed: the back-off begins anew, the time stays.
 * @return 0; -ERANGE, no such warp; -EINVAL, aborted lanes wait for a restart. */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_clock_commit(struct gputm_warp_clock *clock,
						       uint32_t warp);

/** @return true when a clock lies within the margin and none has rolled over since. */
GPUTM_API bool gputm_warp_clock_exhausted(const struct gputm_warp_clock *clock);

/**
 * Rollover: all clocks to 0, reports forgotten; aborts in a row stay for the back-off. In order:
 *  1. attempts that run abort: gputm_warp_clock_abort(), then gputm_warp_clock_restart() as ever,
 *     but no attempt begins yet;
 *  2. gputm_warp_clock_rollover() of a core when no attempt of it is left;
 *  3. gputm_validation_unit_rollover_go() of the unit that leads, when all cores have done so;
 *  4. when its go has come round, attempts begin, with the time of gputm_warp_clock_get_time().
 * A restart after step 2 works too: with no report left, it sets the time to 1.
 */
GPUTM_API void gputm_warp_clock_rollover(struct gputm_warp_clock *clock);

GPUTM_END_DECLS
#endif /* GPUTM_WARP_CLOCK_H */
