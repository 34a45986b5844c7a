/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_COMPACTION_WARP_LUT_H
#define GPUTM_LIB_COMPACTION_WARP_LUT_H
/*
 * The warp LUT of dynamic warp formation: an entry for each PC at which warps wait.
 *
 * Entries are sorted by PC, and a program comes back to its PCs: an entry without threads stays
 * until its place is needed. So adding one, which moves others, is rare. A table
 * gives the rank of a PC by its low bits. A tree of maxima over the entries, four to a node, has at
 * its root the one with the majority, the lowest of equal PCs. Neither is part of the state: a
 * loaded snapshot makes them anew from the pool.
 */
#include "lib/base/unit.h"

struct gputm__lut_entry {
	uint64_t pc;
	/* Slots of the warp pool; valid while threads wait. */
	uint32_t first, last; /* oldest and youngest warp */
	uint32_t open;	      /* youngest one that can be joined, or none */
};

struct gputm__lut {
	struct gputm__lut_entry *entry; /* [room], of which `known` are in use */
	uint32_t *tree;	 /* [2 * room] keys: root 1, four below i from 4 i, entries from room */
	uint16_t *table; /* [4 * room]: rank + 1 by PC, 0 for none; open addressing */
	uint32_t room, room_max; /* powers of four */
	uint32_t known, used;	 /* entries; those with threads */
};

/* For up to `most` entries with threads, in memory of gputm__own(). */
void gputm__lut_setup(struct gputm_unit *unit, uint32_t most, struct gputm__lut *out);
void gputm__lut_clear(struct gputm__lut *lut);
/* Insert an entry without threads; returns its rank. Other ranks change. */
uint32_t gputm__lut_insert(struct gputm__lut *lut, uint64_t pc);

/* The greater of two keys has more threads or else the lower rank. Both are below 2^14. */
static inline uint32_t gputm__lut_key(uint32_t threads, uint32_t rank)
{
	return threads << 16 | (0xffff - rank);
}

static inline bool gputm__lut_key_has_threads(uint32_t key)
{
	return key > 0xffff;
}

/* The rank of a PC; UINT32_MAX if there is no entry. */
static inline uint32_t gputm__lut_find(const struct gputm__lut *lut, uint64_t pc)
{
	uint32_t mask = 4 * lut->room - 1, i = (uint32_t)pc & mask;

	while (lut->table[i] && lut->entry[lut->table[i] - 1].pc != pc)
		i = (i + 1) & mask;
	return lut->table[i] - UINT32_C(1);
}

static inline uint32_t gputm__lut_threads(const struct gputm__lut *lut, uint32_t rank)
{
	return lut->tree[lut->room + rank] >> 16;
}

/* The rank of the PC at which most threads wait, of equal ones the lowest. */
static inline uint32_t gputm__lut_majority(const struct gputm__lut *lut)
{
	return 0xffff - (lut->tree[1] & 0xffff);
}

/* Add threads to an entry; update the nodes whose majority it becomes. */
static inline void gputm__lut_add(struct gputm__lut *lut, uint32_t rank, uint32_t threads)
{
	uint32_t *tree = lut->tree, i = lut->room + rank, key = tree[i] + (threads << 16);

	lut->used += !gputm__lut_key_has_threads(tree[i]);
	for (tree[i] = key; i > 1 && tree[i / 4] < key; tree[i] = key)
		i /= 4;
}

/* Recompute a node from its four children. */
static inline void gputm__lut_refresh(uint32_t *tree, uint32_t i)
{
	const uint32_t *below = tree + 4 * i;
	uint32_t a = below[0] > below[1] ? below[0] : below[1];
	uint32_t b = below[2] > below[3] ? below[2] : below[3];

	tree[i] = a > b ? a : b;
}

/* Remove threads from an entry. */
static inline void gputm__lut_take(struct gputm__lut *lut, uint32_t rank, uint32_t threads)
{
	uint32_t *tree = lut->tree, i = lut->room + rank;

	tree[i] -= threads << 16;
	lut->used -= !gputm__lut_key_has_threads(tree[i]);
	while (i /= 4)
		gputm__lut_refresh(tree, i);
}

#endif /* GPUTM_LIB_COMPACTION_WARP_LUT_H */
