/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_METADATA_TABLE_PRIV_H
#define GPUTM_LIB_GETM_METADATA_TABLE_PRIV_H
/* What the files of the metadata table share; the essay is in metadata_table.c. */
#include "gputm/metadata_table.h"
#include "gputm/recency_bloom.h"
#include "lib/getm/metadata_cells.h"
#include "lib/getm/overflow.h"

#define GPUTM__METADATA_WAYS 8 /* at most */

/* An entry on its way. */
struct gputm__pair {
	uint64_t key;
	struct gputm__stamps stamps;
	struct gputm__hold hold;
};

struct gputm_metadata_table {
	struct gputm_unit unit;
	struct gputm_metadata_table_config config;
	struct gputm__cells at;
	struct gputm_h3 *h3;
	struct gputm_recency_bloom *filter; /* NULL: registers */
	struct gputm__overflow overflow;
	bool fast; /* metadata_table-fast.c serves: four ways in a word, no evict_above */
	uint32_t *path; /* [longest_chain], if fast: cells that a chain goes through */
	uint64_t hold_unused; /* bits of a reservation, as a number, beyond its widths */
	uint64_t address_max, stamp_max, register_wts, register_rts;
	uint32_t capacity, cells; /* of the ways; with the stash */
	uint32_t count_max, owner_max, evict_from;
	/* The latest estimate, until something is approximated; key 0: none. */
	uint64_t latch_key, latch_wts, latch_rts;
	uint32_t turn; /* way in which the next displacement starts */

	uint64_t entries, stashed_now, overflow_now;
	uint64_t insertions, misses, overflow_cycles, insert_cycles;
	uint64_t swaps, ended[GPUTM_METADATA_TABLE_APPROXIMATED + 1];
	uint64_t evictions, flushed, stash_max, overflow_max;
};

static inline void gputm__metadata_put(struct gputm_metadata_table *t, size_t at,
				       const struct gputm__pair *pair)
{
	t->at.key[at] = pair->key;
	t->at.stamps[at] = pair->stamps;
	t->at.hold[at] = pair->hold;
}

static inline void gputm__metadata_free(struct gputm_metadata_table *t, size_t at)
{
	t->at.key[at] = 0;
	t->at.stamps[at] = (struct gputm__stamps){ 0, 0 };
	t->at.hold[at] = (struct gputm__hold){ 0, 0 };
}

/* Free the cell and hold what was in it. */
static inline struct gputm__pair gputm__metadata_take(struct gputm_metadata_table *t, size_t at)
{
	struct gputm__pair pair = { t->at.key[at], t->at.stamps[at], t->at.hold[at] };

	gputm__metadata_free(t, at);
	return pair;
}

static inline uint64_t gputm__metadata_larger(uint64_t a, uint64_t b)
{
	return a < b ? b : a;
}

/* The reservation that a caller wants. */
static inline struct gputm__hold gputm__metadata_hold(const struct gputm_metadata *in)
{
	struct gputm__hold hold;

	memcpy(&hold, (const unsigned char *)in + offsetof(struct gputm_metadata, writes),
	       sizeof(hold)); /* the same fields in the same order */
	return hold;
}

/* Put a key's stamps into the filter or the registers; it must not be reserved. */
void gputm__metadata_approximate(struct gputm_metadata_table *t, uint64_t key,
				 struct gputm__stamps stamps);
/* The cell of a key in ways or stash, or NOWHERE. */
size_t gputm__metadata_find(const struct gputm_metadata_table *t, uint64_t key);
/*
 * The cell for a step of the chain, among those of a key, beginning with the way whose turn
 * it is: a free one, else one without reservation that is not `mine`, else the first.
 */
size_t gputm__metadata_choose(const struct gputm_metadata_table *t, uint64_t key, size_t mine);
/* Make an entry for a key that has none: enum gputm_metadata_table_updated or -ENOMEM. */
int gputm__metadata_insert(struct gputm_metadata_table *t, uint64_t key,
			   const struct gputm_metadata *in, uint32_t *cycles);
/* The chain of an insertion, as run_chain() in metadata_table-insert.c, which says how it ends. */
enum gputm_metadata_table_updated gputm__metadata_run_chain_fast(struct gputm_metadata_table *t,
								 struct gputm__pair *hand,
								 uint32_t *swapped);
/* All contents; not the turn, and not the statistics of the filter. */
void gputm__metadata_forget(struct gputm_metadata_table *t);

#endif /* GPUTM_LIB_GETM_METADATA_TABLE_PRIV_H */
