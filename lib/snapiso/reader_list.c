/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scalable reader list
 * ====================
 *
 * S. Chen, L. Peng, S. Irving, "Accelerating GPU Hardware Transactional Memory with Snapshot
 * Isolation" (ISCA 2017), 4.2 and Fig. 10; sizes in 4.3 and Table 1. It follows the SCD
 * directory that the paper cites.
 *
 * A transaction that writes a word must post-date all transactions that have read it. The
 * list holds them exactly, in a pool of entries of 30 bits of word number, 2 of type and 37
 * of content:
 *
 *	type 1, plain IDs	count (2), three IDs (10 each)
 *	type 2, root		one bit for each leaf (32)
 *	type 3, leaf		position in the root (5), one bit for each transaction (32)
 *
 *	add(word, tx):
 *	    fewer than three readers	tx joins the plain IDs
 *	    the fourth			a root and the leaves of all four take their place
 *	    more			the bit in the leaf is set, which is made if missing
 *	remove(word, tx):  the bit is cleared; an empty leaf goes, with the last one the root
 *
 * Example (32 x 32), one word; leaves as position:vector
 *
 *	add 5, 683, 1023	plain 5 683 1023					1 entry
 *	add 40			root 80200003	0:00000020 1:00000100 21:00000800 31:80000000	5
 *	remove 683		root 80000003	0:00000020 1:00000100 31:80000000		4
 *
 * In the host a word has one slot with 64 bits of data. Plain IDs are its low three fields of
 * 16 bits, in any order; fields without one, and the fourth, are all ones. Vectors are the place
 * of a block in bytes, below 2^48: the root, the number of readers, and one bit for each
 * transaction, which are the leaves one after the other. A free block is all zero.
 *
 * Invariants, as check() names them:
 *   R1  each word is where a search finds it
 *   R2  plain IDs are 1 to 3, each another transaction
 *   R3  bit l of the root is set iff leaf l is not empty, and vectors hold as many readers
 *       as they count, at least one
 *   R4  used is the sum of the entries of all words, and does not exceed the pool
 *   R5  added = removed + readers of all words
 *
 * Differences from the paper
 *   - The pool is fully associative: it is full when all its entries are in use, not
 *     sooner. The paper counts on a "highly associative" cache and gives no organisation.
 *   - Vectors stay vectors when readers leave, as in SCD; the paper says nothing. With
 *     `fold` they become plain IDs again at three readers.
 *   - Root and leaf widths are config fields: a transaction that has committed stays for a
 *     while (the paper removes it at commit, which loses dependency loops), so that more IDs
 *     than running transactions are needed.
 *   - 87,856 entries of 69 bits are 757,758 bytes: the 740 kB of Table 1 are 740 x 1024
 *     bytes, while the 12 and 15 kB beside it count in thousands or not at all (see
 *     timestamp_table and writer_table).
 */
#include "lib/snapiso/reader_list-priv.h"

static int refuse(const struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	if (address > l->address_max)
		return gputm__out_of_range(&l->unit, "address", address, 0, l->address_max);
	return gputm__out_of_range(&l->unit, "transaction", tx, 0, l->transactions - 1);
}

static inline bool is_out(const struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	return address > l->address_max || tx >= l->transactions;
}

static inline struct gputm__word_slot *find(const struct gputm_reader_list *l, uint64_t address)
{
	return gputm__word_find(&l->map, (address >> l->word_shift) + 1);
}

static inline bool has(const struct gputm__reader_block *block, uint32_t tx)
{
	return block->bits[tx >> 6] >> (tx & 63) & 1;
}

/* Does the word have plain IDs without a free field? */
static inline bool has_three(const struct gputm__word_slot *slot)
{
	return !gputm__readers_in_block(slot) && (uint16_t)(slot->data >> 32) != GPUTM__NO_READER;
}

static inline uint64_t leaf_bit(const struct gputm_reader_list *l, uint32_t tx)
{
	return UINT64_C(1) << (tx >> l->leaf_shift);
}

/* Number of leaves for three plain IDs and one more. */
static uint64_t leaves_of_four(const struct gputm_reader_list *l, uint64_t ids, uint32_t tx)
{
	return leaf_bit(l, tx) | leaf_bit(l, (uint16_t)ids) | leaf_bit(l, (uint16_t)(ids >> 16)) |
	       leaf_bit(l, (uint16_t)(ids >> 32));
}

static inline bool is_reader(const struct gputm_reader_list *l,
			     const struct gputm__word_slot *slot, uint32_t tx)
{
	if (!slot->key)
		return false;
	if (gputm__readers_in_block(slot))
		return has(gputm__reader_block(l, slot), tx);
	return gputm__reader_field(slot->data, tx) < GPUTM__PLAIN_READERS;
}

/* Entries that the word needs for a new reader. */
static inline uint32_t entries_for(const struct gputm_reader_list *l,
				   const struct gputm__word_slot *slot, uint32_t tx)
{
	if (!slot->key)
		return 1;
	if (gputm__readers_in_block(slot))
		return !(gputm__reader_block(l, slot)->root & leaf_bit(l, tx));
	if (!has_three(slot))
		return 0;
	return gputm__popcount(leaves_of_four(l, slot->data, tx));
}

/* The outcome for a new reader; *entries is what it takes from the pool. */
static inline int judge(const struct gputm_reader_list *l, const struct gputm__word_slot *slot,
			uint32_t tx, uint32_t *entries)
{
	if (is_reader(l, slot, tx))
		return GPUTM_READER_LIST_ALREADY;
	*entries = entries_for(l, slot, tx);
	return l->used + *entries > l->config.entries ? GPUTM_READER_LIST_FULL :
							 GPUTM_READER_LIST_ADDED;
}

static int tell(const struct gputm_reader_list *l, uint32_t kind, uint64_t address, uint32_t tx)
{
	gputm__emit(&l->unit, kind, address, tx, gputm__reader_count(l, find(l, address)), 0);
	return 0;
}

static int not_added(struct gputm_reader_list *l, uint64_t address, uint32_t tx, int why)
{
	l->already += why == GPUTM_READER_LIST_ALREADY;
	l->full += why == GPUTM_READER_LIST_FULL;
	if (why == GPUTM_READER_LIST_FULL)
		gputm__emit(&l->unit, GPUTM_READER_LIST_EVENT_REFUSE, address, tx, l->used, 0);
	return why;
}

static inline void count_added(struct gputm_reader_list *l, uint32_t entries)
{
	l->added++;
	l->used += entries;
	gputm__maximum(&l->used_max, l->used);
}

static inline int tell_added(const struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	if (l->unit.observe != NULL)
		return tell(l, GPUTM_READER_LIST_EVENT_ADD, address, tx);
	return GPUTM_READER_LIST_ADDED;
}

static inline void add_to_block(const struct gputm_reader_list *l,
				struct gputm__reader_block *block, uint32_t tx)
{
	block->bits[tx >> 6] |= UINT64_C(1) << (tx & 63);
	block->root |= leaf_bit(l, tx);
	block->readers++;
}

int gputm__reader_more_blocks(struct gputm_reader_list *l)
{
	int error = gputm__own_more(&l->unit, &l->free_block, &l->free_room, l->blocks + 1u,
				    sizeof(*l->free_block));

	if (!error)
		error = gputm__own_more(&l->unit, &l->memory, &l->block_room, l->free_room,
					l->block_bytes);
	if (error)
		return error;
	memset(&l->memory[(size_t)l->blocks * l->block_bytes], 0,
	       (l->block_room - l->blocks) * l->block_bytes);
	for (; l->blocks < l->block_room; l->blocks++)
		l->free_block[l->free_blocks++] = l->blocks * l->block_bytes;
	return 0;
}

/* Plain IDs become vectors. */
static int add_fourth(struct gputm_reader_list *l, struct gputm__word_slot *slot, uint64_t address,
		      uint32_t tx)
{
	struct gputm__reader_block *block;
	uint64_t ids = slot->data;
	uint32_t entries;
	int result = judge(l, slot, tx, &entries);

	if (result != GPUTM_READER_LIST_ADDED)
		return not_added(l, address, tx, result);
	if (!l->free_blocks && gputm__reader_more_blocks(l))
		return -ENOMEM;
	slot->data = l->free_block[--l->free_blocks];
	block = gputm__reader_block(l, slot);
	for (unsigned i = 0; i < GPUTM__PLAIN_READERS; i++)
		add_to_block(l, block, (uint16_t)(ids >> 16 * i));
	add_to_block(l, block, tx);
	count_added(l, entries);
	l->expanded++;
	gputm__emit(&l->unit, GPUTM_READER_LIST_EVENT_EXPAND, address,
		    gputm__reader_entries(l, slot), 0, 0);
	return tell_added(l, address, tx);
}

int gputm_reader_list_add(struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	struct gputm__word_slot *slot;
	uint32_t entries;
	int result;

	if (is_out(l, address, tx))
		return refuse(l, address, tx);
	slot = find(l, address);
	if (has_three(slot))
		return add_fourth(l, slot, address, tx);
	result = judge(l, slot, tx, &entries);
	if (result != GPUTM_READER_LIST_ADDED)
		return not_added(l, address, tx, result);
	count_added(l, entries);
	if (!slot->key)
		*slot = (struct gputm__word_slot){ (address >> l->word_shift) + 1,
						   GPUTM__NO_READERS << 16 | tx };
	else if (gputm__readers_in_block(slot))
		add_to_block(l, gputm__reader_block(l, slot), tx);
	else
		slot->data = slot->data << 16 | tx;
	return tell_added(l, address, tx);
}

int gputm_reader_list_add_probe(const struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	uint32_t entries;

	if (is_out(l, address, tx))
		return refuse(l, address, tx);
	return judge(l, find(l, address), tx, &entries);
}

static int refuse_stranger(const struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	return gputm__refuse(&l->unit, "transaction %u is no reader of address 0x%llx", tx,
			     (unsigned long long)address);
}

/* Free the block, all zero as it was allocated. */
static void free_block(struct gputm_reader_list *l, struct gputm__word_slot *slot)
{
	l->free_block[l->free_blocks++] = (uint32_t)slot->data;
	memset(gputm__reader_block(l, slot), 0, l->block_bytes);
}

/* Vectors become plain IDs. */
static void fold(struct gputm_reader_list *l, struct gputm__word_slot *slot, uint64_t address)
{
	struct gputm__reader_block *block = gputm__reader_block(l, slot);
	uint64_t ids = GPUTM__NO_READERS;

	for (uint32_t i = l->block_words; i-- > 0;)
		for (uint64_t bits = block->bits[i]; bits; bits ^= UINT64_C(1) << gputm__log2(bits))
			ids = ids << 16 | (i * 64 + gputm__log2(bits));
	l->used -= gputm__popcount(block->root);
	free_block(l, slot);
	slot->data = ids;
	l->folded++;
	gputm__emit(&l->unit, GPUTM_READER_LIST_EVENT_FOLD, address, 0, 0, 0);
}

static inline int tell_removed(const struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	if (l->unit.observe != NULL)
		return tell(l, GPUTM_READER_LIST_EVENT_REMOVE, address, tx);
	return 0;
}

/* The word has lost its last reader. */
static int drop_word(struct gputm_reader_list *l, struct gputm__word_slot *slot, uint64_t address,
		     uint32_t tx)
{
	l->used--;
	gputm__word_erase(&l->map, slot);
	return tell_removed(l, address, tx);
}

/* Fold or free vectors with three readers or none. */
static int reform(struct gputm_reader_list *l, struct gputm__word_slot *slot, uint64_t address,
		  uint32_t tx)
{
	if (gputm__reader_block(l, slot)->root) {
		fold(l, slot, address);
		return tell_removed(l, address, tx);
	}
	free_block(l, slot);
	return drop_word(l, slot, address, tx);
}

/* Must the word change its form afterwards? See reform(). */
static inline bool remove_from_block(struct gputm_reader_list *l,
				     struct gputm__reader_block *block, uint32_t tx)
{
	block->bits[tx >> 6] ^= UINT64_C(1) << (tx & 63);
	block->readers--;
	if (!gputm__reader_leaf(l, block, tx >> l->leaf_shift)) {
		block->root ^= leaf_bit(l, tx);
		l->used--;
	}
	return !block->root || (l->config.fold && block->readers <= GPUTM__PLAIN_READERS);
}

/* Remove a field from plain IDs: the higher fields move down. */
static inline uint64_t without(uint64_t ids, uint32_t field)
{
	uint64_t below = (UINT64_C(1) << 16 * field) - 1;

	return (ids & below) | (ids >> 16 & ~below) | UINT64_C(0xffff) << 48;
}

int gputm_reader_list_remove(struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	struct gputm__word_slot *slot;

	if (is_out(l, address, tx))
		return refuse(l, address, tx);
	slot = find(l, address);
	if (!is_reader(l, slot, tx))
		return refuse_stranger(l, address, tx);
	l->removed++;
	if (gputm__readers_in_block(slot)) {
		if (remove_from_block(l, gputm__reader_block(l, slot), tx))
			return reform(l, slot, address, tx);
	} else {
		slot->data = without(slot->data, gputm__reader_field(slot->data, tx));
		if (slot->data == GPUTM__NO_READERS)
			return drop_word(l, slot, address, tx);
	}
	return tell_removed(l, address, tx);
}

/* ---- questions ---- */

static uint32_t list_ids(uint64_t ids, uint32_t *out, uint32_t capacity)
{
	uint32_t count = gputm__reader_plain_count(ids);

	if (count > capacity)
		return count;
	ids = count > 1 ? gputm__reader_sorted(ids) : ids;
	for (uint32_t i = 0; i < count; i++, ids >>= 16)
		out[i] = (uint16_t)ids;
	return count;
}

/* Look at 64 transactions at a time, where the root names leaves. */
static uint32_t list_block(const struct gputm_reader_list *l,
			   const struct gputm__reader_block *block,
			   uint32_t *ids, uint32_t capacity)
{
	uint32_t leaf_shift = l->leaf_shift;
	uint64_t root = block->root;

	if (block->readers > capacity)
		return (uint32_t)block->readers;
	do {
		uint32_t first = gputm__lowest(root) << leaf_shift & ~63u;
		uint64_t bits = block->bits[first >> 6];

		root &= ~UINT64_C(1) << ((first | 63) >> leaf_shift);
		do {
			*ids++ = first + gputm__lowest(bits);
			bits &= bits - 1;
		} while (bits);
	} while (root);
	return (uint32_t)block->readers;
}

int gputm_reader_list_readers(const struct gputm_reader_list *l, uint64_t address, uint32_t *ids,
			      uint32_t capacity)
{
	const struct gputm__word_slot *slot;

	if (address > l->address_max)
		return refuse(l, address, 0);
	slot = find(l, address);
	if (!slot->key)
		return 0;
	if (gputm__readers_in_block(slot))
		return (int)list_block(l, gputm__reader_block(l, slot), ids, capacity);
	return (int)list_ids(slot->data, ids, capacity);
}

int gputm_reader_list_entries(const struct gputm_reader_list *l, uint64_t address)
{
	if (address > l->address_max)
		return refuse(l, address, 0);
	return (int)gputm__reader_entries(l, find(l, address));
}

static void show_leaf(const struct gputm_reader_list *l, const struct gputm__reader_block *block,
		      uint32_t number, struct gputm_reader_list_entry *out)
{
	uint64_t root = block->root;

	while (number--)
		root &= root - 1;
	out->type = GPUTM_READER_LIST_TYPE_LEAF;
	out->position = gputm__lowest(root);
	out->vector = gputm__reader_leaf(l, block, out->position);
}

int gputm_reader_list_get_entry(const struct gputm_reader_list *l, uint64_t address, uint32_t index,
				struct gputm_reader_list_entry *out)
{
	const struct gputm__word_slot *slot;

	if (address > l->address_max)
		return gputm__out_of_range(&l->unit, "address", address, 0, l->address_max);
	slot = find(l, address);
	if (index >= gputm__reader_entries(l, slot))
		return gputm__past_end(&l->unit, "entry", index, gputm__reader_entries(l, slot));
	memset(out, 0, sizeof(*out));
	if (!gputm__readers_in_block(slot)) {
		out->type = GPUTM_READER_LIST_TYPE_PLAIN;
		out->count = list_ids(slot->data, out->id, GPUTM__PLAIN_READERS);
	} else if (index) {
		show_leaf(l, gputm__reader_block(l, slot), index - 1, out);
	} else {
		out->type = GPUTM_READER_LIST_TYPE_ROOT;
		out->vector = gputm__reader_block(l, slot)->root;
	}
	return 0;
}

uint32_t gputm_reader_list_used(const struct gputm_reader_list *l)
{
	return (uint32_t)l->used;
}
