/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_COMPACTION_WARP_FORMER_PRIV_H
#define GPUTM_LIB_COMPACTION_WARP_FORMER_PRIV_H
/*
 * The inside of dynamic warp formation: warp_former.c has the pool, the LUT and the warp barrier
 * and issues; above it, warp_former-barrier.c has launch, branches, barriers of blocks and ends;
 * warp_former-face.c describes it.
 */
#include "gputm/warp_former.h"
#include "lib/compaction/warp_lut.h"

#define NO_PC GPUTM_WARP_FORMER_NO_PC
#define NO_THREAD GPUTM_WARP_FORMER_NO_THREAD
#define NO_WARP GPUTM_WARP_FORMER_NO_WARP
#define NO_SLOT UINT32_MAX
#define NO_RANK UINT32_MAX
#define LANES_MAX GPUTM_WARP_FORMER_LANES_MAX
#define WARPS_MAX 128

enum gputm__pool_state { GPUTM__POOL_FREE, GPUTM__POOL_WAITING, GPUTM__POOL_IN_FLIGHT };

/* Threads by lane; NO_THREAD where the mask has no bit. */
struct gputm__lanes {
	uint64_t mask;
	uint32_t home; /* static warp of all the threads, or NO_WARP if there are several */
	uint16_t thread[LANES_MAX];
};

/* A warp of the pool. */
struct gputm__pool_warp {
	uint64_t pc;
	uint64_t order; /* age of a waiting warp, smaller is older; else 0 */
	uint32_t state;
	uint32_t next; /* next younger warp at the same PC, or NO_SLOT */
	struct gputm__lanes lanes;
};

/* A static warp and the barriers at which its lanes wait. */
struct gputm__static_warp {
	uint64_t live;
	uint64_t arrived; /* lanes at its warp barrier */
	uint64_t parked;  /* lanes at the barrier of the block */
	uint64_t pc;	  /* of its warp barrier, if it has diverged; else NO_PC */
	bool diverged;
};

struct gputm__block {
	uint64_t pc; /* after the barrier; 0 unless threads are parked */
	uint32_t live, parked;
};

struct gputm_warp_former {
	struct gputm_unit unit;
	struct gputm__pool_warp *pool; /* [slots] */
	uint64_t *used;		       /* bit by bit */
	struct gputm__lut lut;
	uint8_t *home;			 /* [threads]: static warp of each */
	struct gputm__static_warp *warp; /* [warps] */
	struct gputm__block *block;	 /* [blocks] */
	uint8_t *block_of;		 /* [warps] */
	uint64_t pc_max;
	uint64_t all; /* lanes */
	uint64_t next_order;
	uint32_t slots, words, blocks;
	uint32_t in_use, in_flight, live;
	uint32_t lowest_free; /* slot; `slots` if there is none */
	/* Only counted if warps are held: */
	uint32_t whole;		    /* warps in flight with a thread in every lane */
	uint32_t flying[LANES_MAX]; /* partial warps in flight with a thread in the lane */
	uint64_t some_fly;	    /* lanes whose count is not 0 */
	struct gputm_warp_former_config config;
	uint64_t formed, issued, returned, threads_issued, threads_merged, max_pool, max_pcs;
	uint64_t threads_launched, threads_ended, diverged, restored, ended_diverged, barriers;
	struct gputm__histogram width;
};

static inline uint32_t gputm__former_threads(const struct gputm_warp_former *f, uint64_t mask)
{
	return mask == f->all ? f->config.lanes : gputm__popcount(mask);
}

/* True if the static warps of these threads have diverged; either all have or none. */
static inline bool gputm__former_has_barrier(const struct gputm_warp_former *f,
					     const struct gputm__lanes *lanes)
{
	return f->config.warp_barrier &&
	       f->warp[f->home[lanes->thread[gputm__lowest(lanes->mask)]]].diverged;
}

/* May other threads join these? */
static inline bool gputm__former_is_open(const struct gputm_warp_former *f,
					 const struct gputm__lanes *lanes)
{
	return !f->config.warp_barrier || gputm__former_has_barrier(f, lanes);
}

/* Count a warp with these lanes as in flight (take_off) or not (land), if warps are held. */
static inline void gputm__former_take_off(struct gputm_warp_former *f, uint64_t mask)
{
	if (!f->config.hold_partial)
		return;
	if (mask == f->all) {
		f->whole++;
		return;
	}
	f->some_fly |= mask;
	for (; mask; mask &= mask - 1)
		f->flying[gputm__lowest(mask)]++;
}

static inline void gputm__former_land(struct gputm_warp_former *f, uint64_t mask)
{
	if (!f->config.hold_partial)
		return;
	if (mask == f->all) {
		f->whole--;
		return;
	}
	for (; mask; mask &= mask - 1)
		if (!--f->flying[gputm__lowest(mask)])
			f->some_fly &= ~(mask & -mask);
}

/* ---- warp_former.c ---- */

/* The static warp of all these threads, or NO_WARP. */
uint32_t gputm__former_home(const struct gputm_warp_former *f, const struct gputm__lanes *lanes);
/* Copy the lanes of `mask`. */
void gputm__former_select(const struct gputm_warp_former *f, struct gputm__lanes *restrict to,
			  const struct gputm__lanes *restrict from, uint64_t mask);
/* The contents stay readable until another warp takes the slot. */
void gputm__former_free_slot(struct gputm_warp_former *f, uint32_t slot);
/* Append a warp of the pool to the queue of its PC. */
void gputm__former_queue(struct gputm_warp_former *f, uint32_t slot);
/*
 * Threads, at least one, wait at pc: some join the warp that is there, the others make one.
 * *lanes may lie in a slot that is free.
 */
void gputm__former_insert(struct gputm_warp_former *f, const struct gputm__lanes *lanes,
			  uint64_t pc);
/* Fill *out with the lanes `mask` of a static warp. */
void gputm__former_static_lanes(const struct gputm_warp_former *f, uint32_t warp, uint64_t mask,
				struct gputm__lanes *out);
/* Re-form a static warp whose live lanes are all at its warp barrier. */
void gputm__former_restore(struct gputm_warp_former *f, uint32_t warp);
/* As gputm__former_insert(), for threads of which some may reach their warp barriers at pc. */
void gputm__former_deliver(struct gputm_warp_former *f, const struct gputm__lanes *lanes,
			   uint64_t pc);
/* 0, or -EINVAL if no warp in flight has this slot. */
int gputm__former_find_flying(const struct gputm_warp_former *f, uint32_t slot);
/* Free the slot of a returned warp; the caller places its threads. */
const struct gputm__lanes *gputm__former_take_back(struct gputm_warp_former *f, uint32_t slot);
/* Free the slot of a returned warp; all its threads proceed at pc. */
void gputm__former_go_on(struct gputm_warp_former *f, uint32_t slot, uint64_t pc);

#endif /* GPUTM_LIB_COMPACTION_WARP_FORMER_PRIV_H */
