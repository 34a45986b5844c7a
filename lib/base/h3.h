/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_BASE_H3_H
#define GPUTM_LIB_BASE_H3_H
/*
 * The inside of the H3 family, for units that index tables with it.
 *
 * H3 is linear, so the hash of a key is the XOR of the hashes of its bytes. The
 * hashes of several ways are laid side by side, in fields of 16 or 32 bits of one word,
 * and a table of 256 such words per key byte gives all of them with one load a byte.
 * Where the ways do not fit one word there are several `groups` of them. Tables cover
 * 4 or 8 bytes whatever the width of the key, so that a hash is straight-line code; they
 * may be made for addresses whose lowest bits do not count, which saves the shift.
 *
 * A field holds the cell, way << index_bits | index: its place in an array
 * [ways][2^index_bits]. (XOR is linear over the way's constant too, which sits in the
 * table of byte 0.) Families whose cells would need more than 32 bits hold the index
 * alone; units with such an array bound their configs so that this does not happen.
 */
#include "lib/base/unit.h"

/*
 * What decides how many cells there are and how they are read from a word. The usual shape, as a
 * constant, gives straight-line code: GPUTM__H3_SHAPED calls a rule with it, or else with that of
 * the family. The rule is inlined, and its second argument is the shape.
 */
struct gputm__h3_shape {
	uint32_t ways;
	uint32_t field_bits; /* 16 or 32 */
};
#define GPUTM__H3_USUAL ((struct gputm__h3_shape){ 4, 16 })
#define GPUTM__H3_SHAPED(h3, rule, self, ...) \
	(GPUTM__LIKELY((h3)->usual) ? rule(self, GPUTM__H3_USUAL, __VA_ARGS__) : \
				      rule(self, (h3)->shape, __VA_ARGS__))
/* Before a loop over the ways of a shape. */
#define GPUTM__H3_UNROLL GPUTM__UNROLL(4)

struct gputm_h3 {
	struct gputm_ctx *ctx;
	struct gputm_h3_config config;
	uint32_t *row;		/* [ways][key_bits] */
	uint64_t *table;	/* [groups][key_bytes][256] */
	uint64_t index_mask;
	uint32_t low_bits;   /* of what is hashed, not part of the key */
	uint32_t key_bytes;  /* that the tables cover: 4 or 8 */
	struct gputm__h3_shape shape;
	bool usual; /* shape is GPUTM__H3_USUAL */
	uint32_t ways_per_group, groups;
	size_t group_size; /* words of a group's table */
	uint64_t fingerprint; /* almost certainly differs when any row differs; for snapshots */
};

/* Config from a unit's own fields. */
static inline struct gputm_h3_config gputm__h3_config(uint32_t ways, uint64_t entries,
						      uint32_t key_bits, uint64_t seed,
						      const uint32_t *rows)
{
	struct gputm_h3_config config = GPUTM_H3_CONFIG_INIT;

	config.ways = ways;
	config.index_bits = gputm__log2(entries);
	config.key_bits = key_bits ? key_bits : 1;
	config.seed = seed;
	config.rows = rows;
	return config;
}

/* As gputm_h3_new(), for keys given with `low_bits` more bits at the bottom; freed with the unit
 * that owns the family. */
int gputm__h3_own(struct gputm_unit *owner, const struct gputm_h3_config *config,
		  uint32_t low_bits, struct gputm_h3 **out);

/*
 * The fields of the group whose table this is, for keys of at most 32 bits. The width that
 * the family was made for does not matter: bytes of zero hash to zero.
 */
static inline uint64_t gputm__h3_narrow(const uint64_t *table, uint64_t key)
{
	uint32_t half = (uint32_t)key;
	uint64_t top = gputm__opaque(half >> 24); /* its offset is for the load to add */

	return table[half & 255] ^ table[256 + ((half >> 8) & 255)] ^
	       table[512 + ((half >> 16) & 255)] ^ table[768 + top];
}

/* The fields of the group whose table this is. */
static inline uint64_t gputm__h3_word(const uint64_t *table, uint64_t key)
{
	uint64_t word = gputm__h3_narrow(table, key);

	return key >> 32 ? word ^ gputm__h3_narrow(table + 1024, key >> 32) : word;
}

/* The fields of one group of ways, side by side. */
static inline uint64_t gputm__h3_group(const struct gputm_h3 *h3, uint32_t group, uint64_t key)
{
	return gputm__h3_word(h3->table + group * h3->group_size, key);
}

#define GPUTM__H3_WAYS 16 /* at most */

/* The cells of all ways; what lies after them in the array is overwritten. */
static GPUTM__INLINE void gputm__h3_cells(const struct gputm_h3 *h3, struct gputm__h3_shape shape,
					  uint64_t key, uint32_t cell[GPUTM__H3_WAYS])
{
	const uint64_t *table = h3->table;
	uint32_t per_word = 64 / shape.field_bits;

	for (uint32_t way = 0; way < shape.ways; way += per_word, table += h3->group_size) {
		uint64_t word = gputm__h3_word(table, gputm__opaque(key));

		GPUTM__UNROLL(4)
		for (uint32_t slot = 0; slot < per_word; slot++)
			cell[way + slot] = (uint32_t)(word >> (slot * shape.field_bits) &
						      gputm__low_mask(shape.field_bits));
	}
}

/* The same for the family's own shape, beginning with the way `first`. */
static inline void gputm__h3_cells_from(const struct gputm_h3 *h3, uint32_t first, uint64_t key,
					uint32_t cell[GPUTM__H3_WAYS])
{
	uint32_t in_order[GPUTM__H3_WAYS], ways = h3->shape.ways;

	if (h3->usual)
		gputm__h3_cells(h3, GPUTM__H3_USUAL, key, in_order);
	else
		gputm__h3_cells(h3, h3->shape, key, in_order);
	for (uint32_t way = 0; way < ways; way++)
		cell[way] = in_order[first + way < ways ? first + way : first + way - ways];
}

/* Cell of the way in this slot of a group's word. */
static inline uint64_t gputm__h3_slot(const struct gputm_h3 *h3, uint64_t word, uint32_t slot)
{
	return (word >> (slot * h3->shape.field_bits)) & gputm__low_mask(h3->shape.field_bits);
}

static inline uint64_t gputm__h3_cell(const struct gputm_h3 *h3, uint32_t way, uint64_t key)
{
	uint32_t shift = h3->shape.field_bits == 16 ? 2 : 1; /* log2(ways_per_group) */

	return gputm__h3_slot(h3, gputm__h3_group(h3, way >> shift, key),
			      way & (h3->ways_per_group - 1));
}

static inline uint64_t gputm__h3_index(const struct gputm_h3 *h3, uint32_t way, uint64_t key)
{
	return gputm__h3_cell(h3, way, key) & h3->index_mask;
}

#endif /* GPUTM_LIB_BASE_H3_H */
