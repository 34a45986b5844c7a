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
	/* Straight-line code serves addresses below narrow_end: four ways, cells of 16 bits. */
	const uint64_t *table; /* of their hashes */
	uint64_t narrow_end;
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

/*
 * The cell of a key among four, in the fields of a word, or NOWHERE. What is found is best made
 * gputm__opaque() before it is used.
 */
static inline size_t gputm__cells_among(const struct gputm__cells *c, uint64_t four, uint64_t key)
{
	const uint64_t *keys = c->key;
	size_t at;

	if (keys[at = four & 0xffff] == key || keys[at = four >> 16 & 0xffff] == key ||
	    keys[at = four >> 32 & 0xffff] == key || keys[at = (size_t)(four >> 48)] == key)
		return at;
	return GPUTM__NOWHERE;
}

/* The cell of an address below narrow_end in the ways, or NOWHERE: then ask the table. */
static inline size_t gputm__cells_find(const struct gputm__cells *c, uint64_t address)
{
	return gputm__cells_among(c, gputm__h3_narrow(c->table, address),
				  gputm__cells_key(c, address));
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
