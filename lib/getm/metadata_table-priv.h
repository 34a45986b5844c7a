/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_METADATA_TABLE_PRIV_H
#define GPUTM_LIB_GETM_METADATA_TABLE_PRIV_H
/*
 * What the files of the metadata table share; the essay is in metadata_table.c. For units that
 * have a table inside, gputm__metadata_get() and _look_up() are the public functions get() and
 * lookup_probe() without a call for entries in the ways, and gputm__metadata_update() writes back
 * what they have given; nothing else is theirs to use.
 */
#include "gputm/metadata_table.h"
#include "gputm/recency_bloom.h"
#include "lib/base/h3.h"
#include "lib/getm/overflow.h"

#define GPUTM__METADATA_VALID UINT64_C(1) /* set in the key of an entry */

/*
 * An entry has a place, a number: that of its cell, [ways][entries] and then [stash], or, from
 * `cells` on, of its node in the overflow.
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
	/* The latest estimate, until something is approximated; key 0: none. */
	uint64_t latch_key, latch_wts, latch_rts;
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

/* ---- search ---- */

static GPUTM__INLINE uint32_t gputm__metadata_among(const struct gputm_metadata_table *t,
						    struct gputm__h3_shape shape, uint64_t key)
{
	uint32_t cell[GPUTM__H3_WAYS];

	gputm__h3_cells(t->h3, shape, key, cell);
	GPUTM__UNROLL(4)
	for (uint32_t way = 0; way < shape.ways; way++)
		if (t->cell[cell[way]].key == key)
			return cell[way];
	return GPUTM__NOWHERE;
}

static inline int gputm__metadata_show(const struct gputm__entry *entry, uint32_t at,
				       uint32_t cycles, struct gputm_metadata *out)
{
	out->wts = entry->wts;
	out->rts = entry->rts;
	out->writes = entry->writes;
	out->owner = entry->owner;
	out->place = at;
	out->cycles = cycles;
	return GPUTM_METADATA_TABLE_HIT;
}

/* In ways of the usual shape; ways of others are searched with the stash. */
static GPUTM__INLINE uint32_t gputm__metadata_in_usual(const struct gputm_metadata_table *t,
						       uint64_t key)
{
	return GPUTM__LIKELY(t->h3->usual) ? gputm__metadata_among(t, GPUTM__H3_USUAL, key) :
					     GPUTM__NOWHERE;
}

/* False: the functions below search the rest, or refuse an address that is too wide. */
static GPUTM__INLINE bool gputm__metadata_in_ways(const struct gputm_metadata_table *t,
						  uint64_t address, struct gputm_metadata *out)
{
	uint32_t at;

	if (GPUTM__UNLIKELY(address > t->address_max))
		return false;
	at = gputm__metadata_in_usual(t, gputm__metadata_key(t, address));
	return at != GPUTM__NOWHERE && gputm__metadata_show(&t->cell[at], at, 1, out);
}

/* What is not in the ways; counted, and with an estimate after a miss. */
int gputm__metadata_look_beyond(const struct gputm_metadata_table *t, uint64_t address,
				struct gputm_metadata *out);
int gputm__metadata_get_beyond(struct gputm_metadata_table *t, uint64_t address,
			       struct gputm_metadata *out);

static GPUTM__INLINE int gputm__metadata_look_up(const struct gputm_metadata_table *t,
						 uint64_t address, struct gputm_metadata *out)
{
	return GPUTM__LIKELY(gputm__metadata_in_ways(t, address, out)) ?
		       GPUTM_METADATA_TABLE_HIT :
		       gputm__metadata_look_beyond(t, address, out);
}

static GPUTM__INLINE int gputm__metadata_get(struct gputm_metadata_table *t, uint64_t address,
					     struct gputm_metadata *out)
{
	if (GPUTM__UNLIKELY(!gputm__metadata_in_ways(t, address, out)))
		return gputm__metadata_get_beyond(t, address, out);
	t->hits++;
	return GPUTM_METADATA_TABLE_HIT;
}

/* ---- update ---- */

static inline bool gputm__metadata_fits(const struct gputm_metadata_table *t,
					const struct gputm_metadata *in)
{
	return (in->wts | in->rts) <= t->stamp_max && in->writes <= t->count_max &&
	       in->owner <= t->owner_max;
}

/* Set a reservation, and count the difference. */
static inline void gputm__metadata_reserve(struct gputm_metadata_table *t,
					   struct gputm__entry *entry,
					   const struct gputm_metadata *in)
{
	if (in->writes != entry->writes) {
		t->writes += (uint64_t)in->writes - entry->writes;
		t->locked += (uint64_t)(in->writes != 0) - (entry->writes != 0);
		gputm__maximum(&t->locked_max, t->locked);
	}
	entry->writes = in->writes;
	entry->owner = in->owner;
}

/* As gputm__metadata_update(), for what is not in the ways. */
int gputm__metadata_update_beyond(struct gputm_metadata_table *t, uint64_t address,
				  struct gputm_metadata *m);

/*
 * An update with what a look-up of the address has given, and its stamps if they have grown; adds
 * to its cycles. 0 or -ENOMEM.
 */
static GPUTM__INLINE int gputm__metadata_update(struct gputm_metadata_table *t, uint64_t address,
						struct gputm_metadata *m)
{
	struct gputm__entry *entry;

	if (m->place >= t->capacity)
		return gputm__metadata_update_beyond(t, address, m);
	entry = &t->cell[m->place];
	gputm__assert(gputm__metadata_fits(t, m) &&
		      entry->key == gputm__metadata_key(t, address));
	entry->wts = m->wts;
	entry->rts = m->rts;
	gputm__metadata_reserve(t, entry, m);
	return 0;
}

/* ---- the others ---- */

/* The place of a key's entry, or NOWHERE. */
uint32_t gputm__metadata_find(const struct gputm_metadata_table *t, uint64_t key);
/* All contents; not the turn, and not the statistics of the filter. */
void gputm__metadata_forget(struct gputm_metadata_table *t);

#endif /* GPUTM_LIB_GETM_METADATA_TABLE_PRIV_H */
