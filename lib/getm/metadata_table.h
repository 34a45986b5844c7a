/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_METADATA_TABLE_H
#define GPUTM_LIB_GETM_METADATA_TABLE_H
/* What the files of the metadata table share; the essay is in metadata_table.c. */
#include "gputm/metadata_table.h"
#include "gputm/recency_bloom.h"
#include "lib/base/h3.h"
#include "lib/getm/overflow.h"

#define GPUTM__METADATA_VALID UINT64_C(1) /* set in the key of an entry */
#define GPUTM__METADATA_WAYS 8		  /* at most */

/* An entry on its way. */
struct gputm__pair {
	uint64_t key;
	struct gputm__meta meta;
};

struct gputm_metadata_table {
	struct gputm_unit unit;
	struct gputm_metadata_table_config config;
	uint64_t *key;		  /* [ways][entries], then [stash] */
	struct gputm__meta *meta; /* beside each key */
	/* Straight-line code serves four ways whose cells fit 16 bits, below narrow_end. */
	uint64_t narrow_end;
	uint64_t key_mask; /* of an address: its granule */
	const uint64_t *table; /* of h3 */
	struct gputm_h3 *h3;
	struct gputm_recency_bloom *filter; /* NULL: registers */
	struct gputm__overflow overflow;
	uint64_t address_max, stamp_max, register_wts, register_rts;
	uint32_t capacity, cells; /* of the ways; with the stash */
	uint32_t count_max, owner_max, evict_from;
	/* The latest estimate, until something is approximated; key 0: none. */
	uint64_t latch_key, latch_wts, latch_rts;
	uint32_t turn; /* way in which the next displacement starts */

	uint64_t entries, stashed_now, overflow_now, locked, writes;
	uint64_t hits, misses, overflow_cycles, insert_cycles;
	uint64_t insertions, swaps, ended[GPUTM_METADATA_TABLE_APPROXIMATED + 1];
	uint64_t evictions, flushed, stash_max, overflow_max, locked_max;
};

static inline uint64_t gputm__metadata_key(const struct gputm_metadata_table *t, uint64_t address)
{
	return (address & t->key_mask) | GPUTM__METADATA_VALID;
}

/* The cell of a key among four, which are in the fields of a word, or NOWHERE. */
static inline uint32_t gputm__metadata_in_four(const struct gputm_metadata_table *t,
					       uint64_t cells, uint64_t key)
{
	const uint64_t *keys = t->key;
	uint32_t at;

	if (keys[at = cells & 0xffff] == key || keys[at = cells >> 16 & 0xffff] == key ||
	    keys[at = cells >> 32 & 0xffff] == key || keys[at = (uint32_t)(cells >> 48)] == key)
		return at;
	return GPUTM__NOWHERE;
}

static inline void gputm__metadata_put(struct gputm_metadata_table *t, uint32_t at,
				       const struct gputm__pair *hand)
{
	t->key[at] = hand->key;
	t->meta[at] = hand->meta;
}

static inline uint64_t gputm__metadata_larger(uint64_t a, uint64_t b)
{
	return a < b ? b : a;
}

static inline void gputm__metadata_locks(struct gputm_metadata_table *t, uint32_t before,
					 uint32_t after)
{
	if (before == after)
		return;
	t->writes += (uint64_t)after - before;
	t->locked += (uint64_t)(after != 0) - (before != 0);
	gputm__maximum(&t->locked_max, t->locked);
}

/* The cell of a key in ways or stash, or NOWHERE. */
uint32_t gputm__metadata_find(const struct gputm_metadata_table *t, uint64_t key);
/* Put a key's stamps into the filter or the registers; it must not be reserved. */
void gputm__metadata_approximate(struct gputm_metadata_table *t, uint64_t key,
				 const struct gputm__meta *meta);
/*
 * The cell for a step of the chain, among those of a key, beginning with the way whose turn
 * it is: a free one, else one without reservation that is not `mine`, else the first.
 */
uint32_t gputm__metadata_choose(const struct gputm_metadata_table *t, uint64_t key, uint32_t mine);
/* Make an entry for a key that has none: enum gputm_metadata_table_updated or -ENOMEM. */
int gputm__metadata_insert(struct gputm_metadata_table *t, uint64_t key,
			   const struct gputm_metadata *in, uint32_t *cycles);
/*
 * The usual insertion by a straight way: four ways, nothing in stash or overflow, and the first
 * step ends the chain. UPDATED when it is not that.
 */
int gputm__metadata_insert_at_once(struct gputm_metadata_table *t, uint64_t key,
				   const struct gputm_metadata *in, uint32_t *cycles);
/* All contents; not the turn, and not the statistics of the filter. */
void gputm__metadata_forget(struct gputm_metadata_table *t);

#endif /* GPUTM_LIB_GETM_METADATA_TABLE_H */
