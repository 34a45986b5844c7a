/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_WARP_FORMER_H
#define GPUTM_WARP_FORMER_H

/**
 * @file
 * Dynamic warp formation: gputm_warp_former(3).
 *
 * Regroups the threads of a core that go on at the same PC into new warps, each thread in its
 * home lane (Fung, thesis 2015, 2.4 and 3.2). The warp pool holds warps that wait; the warp LUT
 * finds the one at a PC that can still take threads. The majority policy issues the PC at
 * which most threads wait. With the warp barrier (3.2.1) threads stay in their static warps
 * until these diverge, and are put back into them where the branch reconverges.
 *
 *     a static warp starts            gputm_warp_former_launch()
 *     a warp is to issue              gputm_warp_former_issue(): gives its slot; it is in flight
 *     its threads go on at one PC     gputm_warp_former_proceed()
 *     they are at a branch            gputm_warp_former_branch()
 *     threads of it end               gputm_warp_former_exit()
 *     it is at a block barrier        gputm_warp_former_barrier()
 *
 * A warp that has been given back (any of the last four, exit only with all threads) is over:
 * its threads wait in the pool, at the warp barrier or at the block barrier.
 *
 * Thread w * lanes + l is in lane l of static warp w. Program counters are plain numbers; the
 * unit only compares them. Breaking down and merging takes place in the cycle in which the warp
 * comes back.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** No program counter. */
#define GPUTM_WARP_FORMER_NO_PC UINT64_MAX
/** Most lanes of a warp. */
#define GPUTM_WARP_FORMER_LANES_MAX 64
/** In a lane without a thread. */
#define GPUTM_WARP_FORMER_NO_THREAD UINT16_MAX
/** No static warp. */
#define GPUTM_WARP_FORMER_NO_WARP UINT32_MAX

/** One unit of a core. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_warp_former;

/** Geometry; fields are only ever appended. */
struct gputm_warp_former_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Lanes of a warp (1..64). */
	uint32_t lanes;
	/** Static warps of the core (1..128). */
	uint32_t warps;
	/** Static warps of a block: blocks start at multiples of it (1..128). */
	uint32_t block_warps;
	/** Width of a program counter, bits (1..64). */
	uint32_t pc_bits;
	/** Keep static warps whole outside divergent code. */
	bool warp_barrier;
	/** A warp waits while threads in flight could still join it. */
	bool hold_partial;
};
/* begin INIT */
#define GPUTM_WARP_FORMER_CONFIG_INIT \
	{ sizeof(struct gputm_warp_former_config), \
	  /* lanes */ 32, /* warps */ 48, /* block_warps */ 48, /* pc_bits */ 32, \
	  /* warp_barrier */ false, /* hold_partial */ true }
/* end INIT */

/** What an operation answers. */
enum gputm_warp_former_result {
	GPUTM_WARP_FORMER_OK = 0,
	/** pop: nothing waits in the pool. */
	GPUTM_WARP_FORMER_EMPTY = 1,
	/** pop: warps wait, and threads in flight could still join them. */
	GPUTM_WARP_FORMER_HELD = 2,
	/** exit: no thread of the core is left. */
	GPUTM_WARP_FORMER_FINISH = 3,
};

/** A warp that issues. */
struct gputm_warp_former_warp {
	uint32_t slot; /**< its name until it comes back */
	uint64_t pc;
	uint64_t mask;				      /**< lanes with a thread */
	uint16_t thread[GPUTM_WARP_FORMER_LANES_MAX]; /**< per lane; NO_THREAD without one */
	uint32_t home; /**< static warp of all its threads; NO_WARP if they are of several */
};

/** A branch. */
struct gputm_warp_former_target {
	uint64_t taken_pc; /**< of the lanes that take it */
	uint64_t other_pc; /**< of the others */
	uint64_t rpc;	   /**< immediate post-dominator, for the warp barrier; or NO_PC */
};

/** Events; gputm_warp_former(3) says what each tells. */
enum gputm_warp_former_event {
	GPUTM_WARP_FORMER_EVENT_LAUNCH = 0,
	GPUTM_WARP_FORMER_EVENT_ISSUE = 1,
	GPUTM_WARP_FORMER_EVENT_RETURN = 2,
	GPUTM_WARP_FORMER_EVENT_MERGE = 3,
	GPUTM_WARP_FORMER_EVENT_DIVERGE = 4,
	GPUTM_WARP_FORMER_EVENT_RESTORE = 5,
	GPUTM_WARP_FORMER_EVENT_EXIT = 6,
	GPUTM_WARP_FORMER_EVENT_RELEASE = 7,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_warp_former_params(void);
/** Set @p config to preset "dwf" or "dwf-wb" (thesis 2.4, 3.2.1). @return 0; -EINVAL. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_warp_former_config_preset(struct gputm_warp_former_config *config, const char *name);
/** Make an empty unit. @return 0; -EINVAL; -E2BIG; -ENOMEM. All memory is taken here. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_warp_former_new(struct gputm_ctx *ctx, const struct gputm_warp_former_config *config,
		      struct gputm_warp_former **out);
/** Free a unit; NULL allowed. */
GPUTM_API void gputm_warp_former_free(struct gputm_warp_former *former);
/** @return its common face; lives as long as @p former. */
GPUTM_API struct gputm_unit *gputm_warp_former_unit(struct gputm_warp_former *former);

/**
 * A static warp starts with lanes @p mask at @p pc.
 * @return 0; -EINVAL, @p mask is empty or has lanes that do not exist, or threads of that warp
 * have not ended; -ERANGE, no such warp, or @p pc is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_former_launch(struct gputm_warp_former *former,
							uint32_t warp, uint64_t mask,
							uint64_t pc);

/**
 * Choose a warp by the majority policy and issue it: the PC at which most threads wait, of
 * equal ones the lowest; of its warps the oldest. With hold_partial a PC is passed over if its
 * oldest warp can still be joined (it is the one that the LUT knows) and a warp in flight has a
 * thread in one of its free lanes.
 * @param out set for OK.
 * @return OK; EMPTY; HELD.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_former_issue(struct gputm_warp_former *former,
						       struct gputm_warp_former_warp *out);
/** @return what gputm_warp_former_issue() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_former_issue_probe(const struct gputm_warp_former *former,
							     struct gputm_warp_former_warp *out);

/**
 * All threads of a warp in flight go on at @p next_pc.
 * @return 0; -EINVAL, no warp in flight has that slot; -ERANGE, @p next_pc is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_former_proceed(struct gputm_warp_former *former,
							 uint32_t slot, uint64_t next_pc);
/**
 * The threads of a warp in flight go on at the targets of a branch. With the warp barrier, if
 * they part and belong to a static warp that has not diverged, this makes its barrier at RPC.
 * @param taken lanes that take it.
 * @return 0; -EINVAL, no warp in flight has that slot, or @p taken has other lanes; -ERANGE, a
 * PC is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_warp_former_branch(struct gputm_warp_former *former, uint32_t slot, uint64_t taken,
			 const struct gputm_warp_former_target *target);
/**
 * Threads of a warp in flight end; the others stay in flight.
 * @return OK; FINISH; -EINVAL, no warp in flight has that slot, or @p lanes is empty or has other
 * lanes.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_former_exit(struct gputm_warp_former *former,
						      uint32_t slot, uint64_t lanes);
/**
 * The threads of a warp in flight wait at a barrier of their blocks. Once all live threads of a
 * block wait, they go on at @p next_pc, one static warp after the other.
 * @return 0; -EINVAL, no warp in flight has that slot, or threads of one of its blocks wait at a
 * barrier with another next PC; -ERANGE, @p next_pc is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_former_barrier(struct gputm_warp_former *former,
							 uint32_t slot, uint64_t next_pc);

/** @return threads that wait in the pool at @p pc. */
GPUTM_API uint32_t gputm_warp_former_waiting(const struct gputm_warp_former *former,
					     uint64_t pc);
/** @return warps in flight. */
GPUTM_API uint32_t gputm_warp_former_in_flight(const struct gputm_warp_former *former);
/** @return threads that have not ended, wherever they are. */
GPUTM_API uint32_t gputm_warp_former_live(const struct gputm_warp_former *former);
/**
 * Give the warp in slot @p slot of the pool, waiting or in flight.
 * @return 1; 0, the slot is free; -ERANGE, no such slot.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_warp_former_get_warp(const struct gputm_warp_former *former,
							  uint32_t slot,
							  struct gputm_warp_former_warp *out,
							  bool *in_flight);
/** Lanes of static warp @p warp that wait at its warp barrier, and the PC of it; *pc is NO_PC
 * where it has not diverged. @return false if there is no such warp. */
GPUTM_API bool gputm_warp_former_at_warp_barrier(const struct gputm_warp_former *former,
						 uint32_t warp, uint64_t *mask, uint64_t *pc);
/** Lanes of static warp @p warp that wait at the barrier of their block.
 * @return 0 also if there is no such warp. */
GPUTM_API uint64_t gputm_warp_former_at_block_barrier(const struct gputm_warp_former *former,
						      uint32_t warp);

GPUTM_END_DECLS
#endif /* GPUTM_WARP_FORMER_H */
