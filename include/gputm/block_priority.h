/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_BLOCK_PRIORITY_H
#define GPUTM_BLOCK_PRIORITY_H

/**
 * @file
 * Thread block priority: gputm_block_priority(3).
 *
 * Which of the thread blocks on a core issues first (Fung, thesis 2015, 3.6.2, Fig. 3.13):
 *
 *     AGE  the oldest one, in the order in which blocks were dispatched to the core
 *     RRB  round-robin: priority goes to the next block every cycle
 *     SRR  sticky round-robin: a block keeps priority as long as it has a warp to issue
 *
 * Blocks are named by the slots that they occupy. Which warp of the block issues is the
 * scheduler's business. One call to gputm_block_priority_pick() is one cycle.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** One arbiter. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_block_priority;

/** The policies. */
enum gputm_block_priority_policy {
	GPUTM_BLOCK_PRIORITY_POLICY_AGE = 0,
	GPUTM_BLOCK_PRIORITY_POLICY_RRB = 1,
	GPUTM_BLOCK_PRIORITY_POLICY_SRR = 2,
};

/** Geometry; fields are only ever appended. */
struct gputm_block_priority_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Slots of the core: thread blocks at a time (1..64). */
	uint32_t blocks;
	/** Which block issues first: the oldest, round-robin, or sticky round-robin (enum
	 * gputm_block_priority_policy). */
	uint32_t policy;
};
/* begin INIT */
#define GPUTM_BLOCK_PRIORITY_CONFIG_INIT \
	{ sizeof(struct gputm_block_priority_config), \
	  /* blocks */ 8, /* policy: age */ 0 }
/* end INIT */

/** What a cycle gave. */
enum gputm_block_priority_result {
	GPUTM_BLOCK_PRIORITY_IDLE = 0,	/**< no block is ready */
	GPUTM_BLOCK_PRIORITY_ISSUE = 1, /**< the block in *slot issues */
};

/** Events; gputm_block_priority(3) says what each tells. */
enum gputm_block_priority_event {
	GPUTM_BLOCK_PRIORITY_EVENT_ADMIT = 0,
	GPUTM_BLOCK_PRIORITY_EVENT_LEAVE = 1,
	GPUTM_BLOCK_PRIORITY_EVENT_ISSUE = 2,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_block_priority_params(void);
/** Set @p config to preset "age", "rrb" or "srr" (thesis 3.6.2). @return 0; -EINVAL. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_block_priority_config_preset(struct gputm_block_priority_config *config, const char *name);
/** Make an arbiter without blocks. @return 0; -EINVAL; -E2BIG; -ENOMEM. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_block_priority_new(struct gputm_ctx *ctx, const struct gputm_block_priority_config *config,
			 struct gputm_block_priority **out);
/** Free an arbiter; NULL allowed. */
GPUTM_API void gputm_block_priority_free(struct gputm_block_priority *priority);
/** @return its common face; lives as long as @p priority. */
GPUTM_API struct gputm_unit *gputm_block_priority_unit(struct gputm_block_priority *priority);

/** A block is dispatched to @p slot; it is the youngest.
 * @return 0; -EINVAL, the slot is occupied; -ERANGE, no such slot. */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_priority_admit(struct gputm_block_priority *priority,
							  uint32_t slot);
/** The block in @p slot has ended.
 * @return 0; -EINVAL, the slot is free; -ERANGE, no such slot. */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_priority_leave(struct gputm_block_priority *priority,
							  uint32_t slot);
/** @return slots with a block, bit by bit. */
GPUTM_API uint64_t gputm_block_priority_blocks(const struct gputm_block_priority *priority);

/**
 * One cycle: choose among the ready blocks, and move the priority on as the policy says.
 * @param ready slots whose block has a warp that can issue.
 * @param slot set for ISSUE.
 * @return enum gputm_block_priority_result; -EINVAL, a slot of @p ready has no block.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_block_priority_pick(struct gputm_block_priority *priority,
							 uint64_t ready, uint32_t *slot);
/** @return what gputm_block_priority_pick() would, and gives the slot; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_block_priority_pick_probe(const struct gputm_block_priority *priority, uint64_t ready,
				uint32_t *slot);
/**
 * @p cycles cycles pass without a ready block, as by gputm_block_priority_pick() of none in each;
 * costs less.
 */
GPUTM_API void gputm_block_priority_advance(struct gputm_block_priority *priority, uint64_t cycles);

GPUTM_END_DECLS
#endif /* GPUTM_BLOCK_PRIORITY_H */
