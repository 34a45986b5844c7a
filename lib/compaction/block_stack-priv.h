/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_COMPACTION_BLOCK_STACK_PRIV_H
#define GPUTM_LIB_COMPACTION_BLOCK_STACK_PRIV_H
/* The inside of the block-wide stack: block_stack.c and block_stack-tx.c work it,
 * block_stack-face.c describes it. */
#include "gputm/block_stack.h"
#include "lib/compaction/columns.h"

#define NO_PC GPUTM_BLOCK_STACK_NO_PC
#define NO_ENTRY GPUTM_BLOCK_STACK_NO_ENTRY

struct gputm__block_entry {
	uint64_t pc, rpc, lpc;
	uint32_t lpos;
};

/* How the warps of the top entry leave it. */
enum gputm__block_way {
	GPUTM__BLOCK_NONE,
	GPUTM__BLOCK_BRANCH,
	GPUTM__BLOCK_ARRIVE,
	GPUTM__BLOCK_BEGIN,
	GPUTM__BLOCK_COMMIT,
};

struct gputm_block_stack {
	struct gputm_unit unit;
	struct gputm__block_entry *entry; /* [config.depth] */
	uint32_t *mask;			  /* [depth][lanes]: columns */
	uint32_t *home;			  /* [warps][lanes]: bit of the thread in each lane */
	uint64_t running[GPUTM__COLUMN_BITS]; /* lanes of the running warps; 0: no warp */
	uint64_t pc_max;
	uint64_t start_pc; /* of the warps of the top; NO_PC when there is none */
	uint32_t count;	  /* entries, those that are being filled included */
	uint32_t top;	  /* index of the entry whose warps run; 0 if count is 0 */
	uint32_t formed;  /* warps of that entry */
	uint32_t admitted; /* how many of these have been admitted */
	uint32_t wcnt;
	uint32_t at_barrier; /* warps, bit by bit */
	uint32_t way;
	struct gputm_block_stack_target target; /* of GPUTM__BLOCK_BRANCH, else zero */
	uint64_t way_pc;			/* of all other ways, else zero */
	uint32_t tx_depth; /* entries up to T, which lies on R; 0 outside a transaction */
	uint32_t top_threads, live;		/* derived */
	struct gputm_block_stack_config config;
	uint32_t left[GPUTM__COLUMNS_MAX]; /* threads of the top entry that are to be admitted */
	uint64_t branches, full, max_depth;
	uint64_t pushed, reconverged, merged, emptied, replaced;
	uint64_t tops, warps_formed, warps_admitted, warps_branched, warps_arrived, warps_ended;
	uint64_t threads_launched, threads_ended, barriers;
	uint64_t transactions, restarts, warps_begun, warps_committed, warps_aborted;
	uint64_t threads_begun, threads_committed, threads_aborted;
};

static inline uint32_t *gputm__block_mask(const struct gputm_block_stack *s, uint32_t index)
{
	return s->mask + (size_t)index * s->config.lanes;
}

static inline uint32_t *gputm__block_home(const struct gputm_block_stack *s, uint32_t warp)
{
	return s->home + (size_t)warp * s->config.lanes;
}

/* Lanes of a warp, 0 unless it runs. */
static inline uint64_t gputm__block_warp(const struct gputm_block_stack *s, uint32_t warp)
{
	return warp < GPUTM__COLUMN_BITS ? s->running[warp] : 0;
}

static inline bool gputm__block_is_pc(const struct gputm_block_stack *s, uint64_t pc)
{
	return pc <= s->pc_max;
}

/* What a branch does to the top entry. */
struct gputm__block_split {
	uint64_t lpc; /* NO_PC if the branch has none that counts */
	uint32_t lpos;
	bool replace; /* the new entries replace the branching entry */
	bool likely;  /* a likely-convergence entry is needed */
	uint32_t pushes;
};

static inline struct gputm__block_split
gputm__block_split(const struct gputm_block_stack *s,
		   const struct gputm_block_stack_target *target)
{
	const struct gputm__block_entry *e = &s->entry[s->top];
	struct gputm__block_split split;

	split.lpc = s->config.likely_convergence && target->lpc != target->rpc ? target->lpc :
										  NO_PC;
	split.replace = target->rpc == e->rpc;
	split.likely = split.lpc != NO_PC && !(split.replace && split.lpc == e->lpc);
	if (split.likely)
		split.lpos = s->top + !split.replace;
	else
		split.lpos = split.lpc == NO_PC ? NO_ENTRY : e->lpos;
	split.pushes = split.likely && !split.replace ? 3 : 2;
	return split;
}

/* Threads of the top entry that have left it (derived, not stored). */
static inline void gputm__block_arrived(const struct gputm_block_stack *s,
					uint32_t arrived[GPUTM__COLUMNS_MAX])
{
	const uint32_t *mask = gputm__block_mask(s, s->top);

	for (uint32_t lane = 0; lane < s->config.lanes; lane++)
		arrived[lane] = mask[lane] & ~s->left[lane];
	for (uint32_t warp = 0; warp < s->admitted; warp++)
		for (uint64_t m = s->running[warp]; m; m &= m - 1)
			arrived[gputm__lowest(m)] &= ~gputm__block_home(s, warp)[gputm__lowest(m)];
}

/* ---- of block_stack.c, for block_stack-tx.c ---- */

/* Refuse a warp that cannot leave its entry in this way. */
int gputm__block_refuse(const struct gputm_block_stack *s, const char *what, uint32_t warp);
/* Does the warp leave its entry in the way of the warps before it? */
bool gputm__block_leaves(struct gputm_block_stack *s, uint32_t way, uint64_t pc);
/* A warp is over. Returns WAIT, or, for the last warp of the entry, what follows. */
int gputm__block_come(struct gputm_block_stack *s);
/* The top entry has been left: choose the next entry to run. */
int gputm__block_settle(struct gputm_block_stack *s);
bool gputm__block_has_threads(const struct gputm_block_stack *s, uint32_t index);

const char *gputm__block_check(const struct gputm_block_stack *s);
void gputm__block_laws(const struct gputm_block_stack *s, struct gputm__laws *laws);

#endif /* GPUTM_LIB_COMPACTION_BLOCK_STACK_PRIV_H */
