/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_THREAD_COMPACTOR_H
#define GPUTM_THREAD_COMPACTOR_H

/**
 * @file
 * Thread compactor: gputm_thread_compactor(3).
 *
 * Packs the active threads of a thread block into as few warps as they fill, each thread in
 * its home lane (Fung, thesis 2015, 3.3.2, 3.3.3, Fig. 3.6, 3.7). Each lane has a buffer with
 * one bit per static warp of the block and a priority encoder, which takes the first thread
 * of the lane; what was taken is reset, and the next cycle takes the next ones.
 *
 * A block mask has one word per lane, as the paper draws it: bit w of mask[l] is the thread in
 * lane l of static warp w, which is thread w * lanes + l of the block. Its number of warps is
 * the most bits set in any word.
 *
 * Timing, in cycles of the core:
 *	event					after			test
 *	warp k (0, 1, ...) can be peeked	the (k + 1)-th tick	test_fig_3_7_compactor
 *	the next mask is taken			the last pop, no tick	test_thread_compactor_busy
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** Most lanes of a warp. */
#define GPUTM_THREAD_COMPACTOR_LANES_MAX 64
/** In a lane without a thread. */
#define GPUTM_THREAD_COMPACTOR_NO_THREAD UINT16_MAX

/** One compactor. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_thread_compactor;

/** Geometry; fields are only ever appended. */
struct gputm_thread_compactor_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Lanes of a warp: priority encoders (1..64). */
	uint32_t lanes;
	/** Static warps of a block: inputs of an encoder (1..32). */
	uint32_t warps;
	/** Pack threads; 0: all stay in their static warps. */
	bool compact;
};
/* begin INIT */
#define GPUTM_THREAD_COMPACTOR_CONFIG_INIT \
	{ sizeof(struct gputm_thread_compactor_config), \
	  /* lanes */ 32, /* warps */ 32, /* compact */ true }
/* end INIT */

/** What gputm_thread_compactor_push() answers. */
enum gputm_thread_compactor_result {
	GPUTM_THREAD_COMPACTOR_OK = 0,
	GPUTM_THREAD_COMPACTOR_BUSY = 1, /**< warps of the mask before have not been popped */
};

/** A warp as it leaves the unit. */
struct gputm_thread_compactor_warp {
	uint64_t tag;	/**< of the mask */
	uint64_t mask;	/**< lanes with a thread */
	uint32_t index; /**< 0, 1, ... of this mask */
	uint16_t thread[GPUTM_THREAD_COMPACTOR_LANES_MAX]; /**< per lane; NO_THREAD without one */
};

/** Events; gputm_thread_compactor(3) says what each tells. */
enum gputm_thread_compactor_event {
	GPUTM_THREAD_COMPACTOR_EVENT_PUSH = 0,
	GPUTM_THREAD_COMPACTOR_EVENT_WARP = 1,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_thread_compactor_params(void);
/**
 * Set @p config to a preset: "tbc" (thesis 3.3: blocks of 32 warps of 32 lanes) or "static"
 * (the same with compaction disabled, for programs that rely on their static warps).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_thread_compactor_config_preset(struct gputm_thread_compactor_config *config,
				     const char *name);
/** Make an idle compactor. @return 0; -EINVAL; -E2BIG; -ENOMEM. All memory is taken here. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_thread_compactor_new(struct gputm_ctx *ctx,
			   const struct gputm_thread_compactor_config *config,
			   struct gputm_thread_compactor **out);
/** Free a compactor; NULL allowed. */
GPUTM_API void gputm_thread_compactor_free(struct gputm_thread_compactor *compactor);
/** @return its common face; lives as long as @p compactor. */
GPUTM_API struct gputm_unit *
gputm_thread_compactor_unit(struct gputm_thread_compactor *compactor);

/**
 * Load the buffers with a block mask. The first warp comes with the next tick.
 * @param tag comes back with each warp.
 * @param mask one word per lane; not empty.
 * @return enum gputm_thread_compactor_result; -EINVAL, no thread; -ERANGE, a thread of a
 * static warp that the block has not.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_thread_compactor_push(struct gputm_thread_compactor *compactor, uint64_t tag,
			    const uint64_t mask[]);
/** @return what gputm_thread_compactor_push() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_thread_compactor_push_probe(const struct gputm_thread_compactor *compactor,
				  const uint64_t mask[]);

/** What there is to take after a tick. */
enum gputm_thread_compactor_offer {
	GPUTM_THREAD_COMPACTOR_OFFER_WARP = 1, /**< warps */
};
/** One cycle: every encoder takes a thread of its buffer, which make one warp.
 * @return enum gputm_thread_compactor_offer. */
GPUTM_API int gputm_thread_compactor_tick(struct gputm_thread_compactor *compactor);
/** @return how many ticks from now on change nothing but the count of cycles: 0 or UINT64_MAX. */
GPUTM_API uint64_t
gputm_thread_compactor_next_event(const struct gputm_thread_compactor *compactor);
/**
 * Does what @p cycles ticks do, and returns what the last of them would; idle cycles cost nothing.
 */
GPUTM_API int gputm_thread_compactor_advance(struct gputm_thread_compactor *compactor,
					     uint64_t cycles);

/** Give the oldest warp made and not yet popped. @return 1; 0, there is none. */
GPUTM_API int gputm_thread_compactor_peek(const struct gputm_thread_compactor *compactor,
					  struct gputm_thread_compactor_warp *out);
/** Drop the warp. @return 1; 0, there was none. */
GPUTM_API int gputm_thread_compactor_pop(struct gputm_thread_compactor *compactor);

/** @return warps of the mask in the unit, made or not, popped or not; 0: it is idle. */
GPUTM_API uint32_t gputm_thread_compactor_warps(const struct gputm_thread_compactor *compactor);
/** @return buffer of lane @p lane: its threads not yet taken, a bit per static warp; 0 also
 * for a lane that does not exist. */
GPUTM_API uint64_t gputm_thread_compactor_buffer(const struct gputm_thread_compactor *compactor,
						 uint32_t lane);

GPUTM_END_DECLS
#endif /* GPUTM_THREAD_COMPACTOR_H */
