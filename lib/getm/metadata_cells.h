/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_METADATA_CELLS_H
#define GPUTM_LIB_GETM_METADATA_CELLS_H
/*
 * The cells of a metadata table, for the units of GETM that have one inside.
 *
 * The table owns them, and it alone makes, moves and drops entries. What an access does to an
 * entry that exists is here: find it, read it, raise its stamps, change its reservation. So an
 * access needs one search and no copy of the entry. Everything else, and everything about
 * granules without entry, goes by the table's functions.
 *
 * Cells are [ways][entries], then [stash]. Keys, stamps and reservations are apart: a search
 * reads keys only, and an eviction chain looks for a cell without reservation before it moves
 * anything. A free cell is all zero.
 */
#include "gputm/metadata_table.h"
#include "lib/base/h3.h"

#define GPUTM__NOWHERE UINT32_MAX
#define GPUTM__METADATA_VALID UINT64_C(1) /* set in the key of an entry */

struct gputm__stamps {
	uint64_t wts, rts;
};

struct gputm__hold {
	uint32_t writes, owner;
};

struct gputm__cells {
	uint64_t *key; /* address of the granule, with VALID */
	struct gputm__stamps *stamps;
	struct gputm__hold *hold;
	const struct gputm_h3 *h3; /* of the ways */
	uint64_t narrow_end; /* above all addresses if find() is straight-line code; else 0 */
	uint64_t key_mask; /* of an address: its granule */
	uint64_t writes;	   /* reserved, of all entries; of the overflow, too */
	uint64_t hits;		   /* look-ups that found an entry, by whoever searches */
	uint64_t locked, locked_max; /* entries with reserved writes */
};

/* The cells of a table, as long as it lives. */
struct gputm__cells *gputm__metadata_cells(struct gputm_metadata_table *table);

static inline uint64_t gputm__cells_key(const struct gputm__cells *c, uint64_t address)
{
	return (address & c->key_mask) | GPUTM__METADATA_VALID;
}

static GPUTM__INLINE size_t gputm__cells_among(const struct gputm__cells *c,
					       struct gputm__h3_shape shape, uint64_t key)
{
	uint32_t cell[GPUTM__H3_WAYS];

	gputm__h3_cells(c->h3, shape, key, cell);
	GPUTM__UNROLL(4)
	for (uint32_t way = 0; way < shape.ways; way++)
		if (c->key[cell[way]] == key)
			return cell[way];
	return GPUTM__NOWHERE;
}

size_t gputm__cells_among_any(const struct gputm__cells *c, uint64_t key);

/*
 * The cell of an address in the ways, or NOWHERE: then ask the table. What is found is best
 * made gputm__opaque() before it is used.
 */
static inline size_t gputm__cells_find(const struct gputm__cells *c, uint64_t address)
{
	uint64_t key = gputm__cells_key(c, address);

	return GPUTM__LIKELY(c->h3->usual) ? gputm__cells_among(c, GPUTM__H3_USUAL, key)
					   : gputm__cells_among_any(c, key);
}

/* Count a change of the writes that an entry has reserved. */
static inline void gputm__cells_reserved(struct gputm__cells *c, uint32_t before, uint32_t after)
{
	if (before == after)
		return;
	c->writes += (uint64_t)after - before;
	if (!before) {
		c->locked++;
		gputm__maximum(&c->locked_max, c->locked);
	} else if (!after) {
		c->locked--;
	}
}

#endif /* GPUTM_LIB_GETM_METADATA_CELLS_H */
