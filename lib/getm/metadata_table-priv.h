/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_METADATA_TABLE_PRIV_H
#define GPUTM_LIB_GETM_METADATA_TABLE_PRIV_H
/* What the files of the metadata table share; the essay is in metadata_table.c. */
#include "gputm/metadata_table.h"
#include "gputm/recency_bloom.h"
#include "lib/base/h3.h"
#include "lib/getm/overflow.h"

#define GPUTM__METADATA_VALID UINT64_C(1) /* set in the key of an entry */

/*
 * The place of an entry is a number:
 *
 *	0	  entries	2 x entries	capacity	cells
 *	| way 0	  | way 1	| ...		| stash		| nodes of the overflow, in memory
 *	  hash 0    hash 1	  hash i	  any entry	  lists by bucket
 *
 * The cells of ways and stash are in cell[]; the node at place p is overflow.node[p - cells].
 */
struct gputm_metadata_table {
	struct gputm_unit unit;
	struct gputm_metadata_table_config config;
	struct gputm__entry *cell; /* [cells] */
	struct gputm_h3 *h3;
	struct gputm_recency_bloom *filter; /* NULL: registers */
	struct gputm__overflow overflow;
	uint64_t address_max, key_mask, stamp_max, register_wts, register_rts;
	uint32_t capacity, cells; /* of the ways; with the stash */
	uint32_t count_max, owner_max, evict_from;
	uint32_t turn; /* way in which the next displacement starts */

	uint64_t entries, stashed_now, locked, writes;
	uint64_t hits, misses, overflow_cycles, insertions, insert_cycles;
	uint64_t swaps, ended[GPUTM_METADATA_TABLE_APPROXIMATED + 1];
	uint64_t evictions, flushed, stash_max, overflow_max, locked_max;
};

static inline uint64_t gputm__metadata_key(const struct gputm_metadata_table *t, uint64_t address)
{
	return (address & t->key_mask) | GPUTM__METADATA_VALID;
}

/* The contents of a place. */
static inline struct gputm__entry *gputm__metadata_at(const struct gputm_metadata_table *t,
						      uint32_t at)
{
	return at < t->cells ? &t->cell[at] :
					      &t->overflow.node[at - t->cells].entry;
}

/* Stamps only grow; the reservation becomes the caller's, and the difference is counted. */
static inline void gputm__metadata_merge(struct gputm_metadata_table *t,
					 struct gputm__entry *entry,
					 const struct gputm_metadata_table_entry *in)
{
	gputm__maximum(&entry->wts, in->wts);
	gputm__maximum(&entry->rts, in->rts);
	if (in->writes != entry->writes) {
		t->writes += (uint64_t)in->writes - entry->writes;
		t->locked += (uint64_t)(in->writes != 0) - (entry->writes != 0);
		gputm__maximum(&t->locked_max, t->locked);
	}
	entry->writes = in->writes;
	entry->owner = in->owner;
}

/* As query(), but without counting. */
int gputm__metadata_get_probe(const struct gputm_metadata_table *t, uint64_t address,
			      struct gputm_metadata_table_entry *out);

/*
 * As update(), for an answer of query() after which nothing else was called; the stamps have been
 * raised and fit their widths. An insertion adds its cycles.
 */
int gputm__metadata_write(struct gputm_metadata_table *t, uint64_t address,
			  struct gputm_metadata_table_entry *m);

/* The same for an entry known to be in the ways. */
static inline int gputm__metadata_write_back(struct gputm_metadata_table *t, uint64_t address,
					     struct gputm_metadata_table_entry *m)
{
	if (m->place >= t->capacity)
		return gputm__metadata_write(t, address, m);
	gputm__metadata_merge(t, &t->cell[m->place], m);
	return GPUTM_METADATA_TABLE_UPDATED;
}

/* All contents; not the turn, and not the statistics of the filter. */
void gputm__metadata_forget(struct gputm_metadata_table *t);

#endif /* GPUTM_LIB_GETM_METADATA_TABLE_PRIV_H */
