/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_COMPACTION_WARP_FORMER_H
#define GPUTM_LIB_COMPACTION_WARP_FORMER_H
/* The inside of dynamic warp formation: warp_former.c works it, warp_former_face.c describes it. */
#include "gputm/warp_former.h"
#include "lib/base/unit.h"

#define NO_PC GPUTM_WARP_FORMER_NO_PC
#define NO_SLOT UINT32_MAX
#define LANES_MAX GPUTM_WARP_FORMER_LANES_MAX
#define WARPS_MAX 128

enum gputm__pool_state { GPUTM__POOL_FREE, GPUTM__POOL_WAITING, GPUTM__POOL_IN_FLIGHT };

/* A warp of the pool. */
struct gputm__pool_warp {
	uint64_t pc, mask;
	uint64_t order; /* of those that wait, by age; else 0 */
	uint32_t state;
	uint32_t next; /* younger one at the same PC, or NO_SLOT */
};

/* An entry of the warp LUT: a PC at which warps wait. Rebuilt from the pool when loaded. */
struct gputm__lut_entry {
	uint64_t pc;
	uint32_t threads;
	uint32_t first, last; /* oldest and youngest warp */
	uint32_t open;	      /* youngest one that can be joined, or NO_SLOT */
};

/* What a static warp waits for. */
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
	uint8_t *home;		       /* [slots][lanes]: static warps */
	uint64_t *used;		       /* bit by bit */
	struct gputm__lut_entry *lut;  /* [slots] */
	struct gputm__static_warp *warp; /* [warps] */
	struct gputm__block *block;	 /* [blocks] */
	uint8_t *block_of;		 /* [warps] */
	uint64_t pc_max, lanes;
	uint64_t next_order;
	uint32_t slots, words, blocks;
	uint32_t pcs; /* entries of the LUT */
	uint32_t in_use, in_flight, live;
	uint32_t whole; /* warps in flight with a thread in every lane */
	uint32_t flying[LANES_MAX]; /* other warps in flight, with a thread in the lane */
	struct gputm_warp_former_config config;
	uint64_t formed, issued, returned, threads_issued, threads_merged, max_pool, max_pcs;
	uint64_t threads_launched, threads_ended, diverged, restored, ended_diverged, barriers;
	struct gputm__histogram width;
};

static inline uint8_t *gputm__pool_home(const struct gputm_warp_former *f, uint32_t slot)
{
	return f->home + (size_t)slot * f->config.lanes;
}

/* Can other threads join those of this static warp? */
static inline bool gputm__former_is_open(const struct gputm_warp_former *f, uint32_t warp)
{
	return !f->config.warp_barrier || f->warp[warp].diverged;
}

/* Warps in flight with these lanes become `by` more, or less. */
static inline void gputm__former_count(struct gputm_warp_former *f, uint64_t mask, uint32_t by)
{
	if (mask == f->lanes) {
		f->whole += by;
		return;
	}
	for (; mask; mask &= mask - 1)
		f->flying[gputm__lowest(mask)] += by;
}

/* Put a warp of the pool at the end of those that wait at its PC. */
void gputm__former_queue(struct gputm_warp_former *f, uint32_t slot);
const char *gputm__former_check(const struct gputm_unit *unit);

#endif /* GPUTM_LIB_COMPACTION_WARP_FORMER_H */
