/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_SNAPISO_READER_LIST_PRIV_H
#define GPUTM_LIB_SNAPISO_READER_LIST_PRIV_H
/* What the files of the reader list share; the essay is in reader_list.c. */
#include "gputm/reader_list.h"
#include "lib/snapiso/word_map.h"

#define GPUTM__NO_READERS (~UINT64_C(0)) /* plain IDs of a word without readers */
#define GPUTM__PLAIN_READERS 3           /* readers that fit one entry */
#define GPUTM__NO_READER 0xffff          /* an empty field of plain IDs */

struct gputm__reader_block {
	uint64_t root;
	uint64_t readers;
	uint64_t bits[]; /* bit number: transaction */
};

struct gputm_reader_list {
	struct gputm_unit unit;
	struct gputm_reader_list_config config;
	struct gputm__word_map map;
	unsigned char *memory; /* [blocks][block_bytes] */
	uint32_t *free_block;  /* stack of the places of free blocks, bytes */
	uint32_t free_blocks, blocks, block_bytes, block_words;
	size_t block_room, free_room; /* blocks that there is memory for */
	uint64_t address_max, leaf_mask;
	uint32_t transactions, word_shift, leaf_shift;
	uint32_t leaf_first; /* mask that gives the first transaction of a leaf */

	uint64_t used;
	uint64_t added, already, full, removed, expanded, folded, used_max;
};

static inline bool gputm__readers_in_block(const struct gputm__word_slot *slot)
{
	return slot->data >> 48 == 0;
}

static inline struct gputm__reader_block *gputm__reader_block(const struct gputm_reader_list *l,
							      const struct gputm__word_slot *slot)
{
	return (struct gputm__reader_block *)(void *)&l->memory[slot->data];
}

static inline uint64_t gputm__reader_leaf(const struct gputm_reader_list *l,
					  const struct gputm__reader_block *block, uint32_t leaf)
{
	uint32_t bit = leaf << l->leaf_shift;

	return (block->bits[bit >> 6] >> (bit & 63)) & l->leaf_mask;
}

/* The field of plain IDs that holds tx; GPUTM__PLAIN_READERS if none does. */
static inline uint32_t gputm__reader_field(uint64_t ids, uint32_t tx)
{
	uint32_t field = 0;

	while (field < GPUTM__PLAIN_READERS && (uint16_t)(ids >> 16 * field) != tx)
		field++;
	return field;
}

static inline uint32_t gputm__reader_plain_count(uint64_t ids)
{
	return gputm__reader_field(ids, GPUTM__NO_READER);
}

/* Put the lower of two IDs first. */
static inline void gputm__reader_order(uint64_t *a, uint64_t *b)
{
	uint64_t low = *a < *b ? *a : *b;

	*b ^= *a ^ low;
	*a = low;
}

/* Bring plain IDs into ascending order. */
static inline uint64_t gputm__reader_sorted(uint64_t ids)
{
	uint64_t a = (uint16_t)ids, b = (uint16_t)(ids >> 16), c = (uint16_t)(ids >> 32);

	gputm__reader_order(&a, &b);
	gputm__reader_order(&b, &c);
	gputm__reader_order(&a, &b);
	return GPUTM__NO_READERS << 48 | c << 32 | b << 16 | a;
}

static inline uint32_t gputm__reader_count(const struct gputm_reader_list *l,
					   const struct gputm__word_slot *slot)
{
	if (!slot->key)
		return 0;
	if (gputm__readers_in_block(slot))
		return (uint32_t)gputm__reader_block(l, slot)->readers;
	return gputm__reader_plain_count(slot->data);
}

static inline uint32_t gputm__reader_entries(const struct gputm_reader_list *l,
					     const struct gputm__word_slot *slot)
{
	if (slot->key && gputm__readers_in_block(slot))
		return 1 + gputm__popcount(gputm__reader_block(l, slot)->root);
	return slot->key != 0;
}

/* Make twice as many blocks. Returns 0, or -ENOMEM with nothing changed. */
int gputm__reader_more_blocks(struct gputm_reader_list *l);

#endif /* GPUTM_LIB_SNAPISO_READER_LIST_PRIV_H */
