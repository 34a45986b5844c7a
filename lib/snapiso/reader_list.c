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
 * 16 bits, newest first; fields without one, and the fourth, are all ones. Vectors are the number
 * of a block, below 2^48: the root, the number of readers, and one bit for each transaction,
 * which are the leaves one after the other. A free block is all zero.
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
#include "gputm/reader_list.h"
#include "lib/snapiso/word_map.h"

#define NO_IDS (~UINT64_C(0)) /* plain IDs of a word without readers */
#define PLAIN 3		      /* readers that fit one entry */
#define FREE_ID 0xffff	      /* a field of plain IDs without one */

struct block {
	uint64_t root;
	uint64_t readers;
	uint64_t bits[]; /* bit number: transaction */
};

struct gputm_reader_list {
	struct gputm_unit unit;
	struct gputm_reader_list_config config;
	struct gputm__word_map map;
	unsigned char *memory; /* [blocks][block_bytes] */
	uint32_t *free_block;  /* stack of free blocks */
	uint32_t free_blocks, blocks, block_bytes, block_words;
	uint64_t address_max, leaf_mask;
	uint32_t transactions, word_shift, leaf_shift;

	uint64_t used;
	uint64_t added, already, full, removed, expanded, folded, used_max;
};

#define PARAM(...) GPUTM__PARAM(struct gputm_reader_list_config, __VA_ARGS__)
static const struct gputm_param params[] = {
	PARAM(entries, 1, 1u << 20, 87856, false, "Entries of the pool.", "ISCA 2017 4.3"),
	PARAM(root_bits, 8, 64, 32, true, "Bits of a root vector: leaves of a word.",
	      "ISCA 2017 Fig. 10"),
	PARAM(leaf_bits, 8, 64, 32, true, "Bits of a leaf vector: transactions of a leaf.",
	      "ISCA 2017 Fig. 10"),
	PARAM(address_bits, 16, 64, 32, false, "Width of a byte address, bits.", "ISCA 2017 4.3"),
	PARAM(word_bytes, 4, 4096, 4, true, "Bytes tracked as one word.", "ISCA 2017 4.2"),
	PARAM(fold, 0, 1, 0, false, "Make vectors of three readers plain IDs again.", ""),
};

static const struct gputm_preset presets[] = {
	{ "isca-2017", "ISCA 2017 Table 1: 87,856 entries of 69 bits for 1024 transactions.",
	  { { "entries", 87856 }, { "root_bits", 32 }, { "leaf_bits", 32 } } },
	{ "retained", "As many entries for 2048 transactions, committed ones among them.",
	  { { "entries", 87856 }, { "root_bits", 64 }, { "leaf_bits", 32 } } },
};

static const struct gputm_params table = {
	"reader_list", sizeof(struct gputm_reader_list_config),
	params, GPUTM__COUNT(params), presets, GPUTM__COUNT(presets),
};

#define STAT(...) GPUTM__STAT(struct gputm_reader_list, __VA_ARGS__)
static const struct gputm__stat_row stats[] = {
	STAT(added, COUNTER, "readers", "Readers added: removed, or still there."),
	STAT(already, COUNTER, "readers", "Additions of a transaction that was a reader."),
	STAT(full, COUNTER, "readers", "Additions refused for want of entries."),
	STAT(removed, COUNTER, "readers", "Readers removed."),
	STAT(expanded, COUNTER, "words", "Words that went from plain IDs to vectors."),
	STAT(folded, COUNTER, "words", "Words that went from vectors to plain IDs."),
	STAT(used_max, MAXIMUM, "entries", "Entries in use, at most."),
	STAT(used, GAUGE, "entries", "Entries in use."),
};

static const char *const events[] = { "added", "removed", "full", "expanded", "folded" };

/* ---- life ---- */

static struct gputm_reader_list *self_of(struct gputm_unit *unit)
{
	return (struct gputm_reader_list *)(void *)unit;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_reader_list *l = self_of(unit);
	const struct gputm_reader_list_config *c = &l->config;

	l->address_max = gputm__low_mask(c->address_bits);
	l->leaf_mask = gputm__low_mask(c->leaf_bits);
	l->transactions = c->root_bits * c->leaf_bits;
	l->word_shift = gputm__log2(c->word_bytes);
	l->leaf_shift = gputm__log2(c->leaf_bits);
	l->blocks = c->entries / 2;
	l->block_words = l->transactions / 64;
	l->block_bytes = (uint32_t)sizeof(struct block) + l->block_words * 8;
	l->memory = gputm__alloc(unit->ctx, l->blocks, l->block_bytes);
	l->free_block = gputm__alloc(unit->ctx, l->blocks, sizeof(*l->free_block));
	if (!l->memory || !l->free_block)
		return -ENOMEM;
	return gputm__word_map_setup(&l->map, unit->ctx, c->entries);
}

static void teardown(struct gputm_unit *unit)
{
	struct gputm_reader_list *l = self_of(unit);

	gputm__free(unit->ctx, l->map.slot);
	gputm__free(unit->ctx, l->free_block);
	gputm__free(unit->ctx, l->memory);
}

static inline bool has_block(const struct gputm__word_slot *slot)
{
	return slot->data >> 48 == 0;
}

static inline struct block *block_of(const struct gputm_reader_list *l,
				     const struct gputm__word_slot *slot)
{
	return (struct block *)(void *)&l->memory[slot->data * l->block_bytes];
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_reader_list *l = self_of(unit);

	for (size_t i = 0; i <= l->map.mask; i++)
		if (l->map.slot[i].key && has_block(&l->map.slot[i]))
			memset(block_of(l, &l->map.slot[i]), 0, l->block_bytes);
	gputm__word_map_clear(&l->map);
	for (uint32_t i = 0; i < l->blocks; i++)
		l->free_block[i] = l->blocks - 1 - i;
	l->free_blocks = l->blocks;
	l->used = 0;
}

static inline uint64_t leaf_at(const struct gputm_reader_list *l, const struct block *block,
			       uint32_t leaf)
{
	uint32_t bit = leaf << l->leaf_shift;

	return (block->bits[bit >> 6] >> (bit & 63)) & l->leaf_mask;
}

static uint64_t root_of(const struct gputm_reader_list *l, const struct block *block)
{
	uint64_t root = 0;

	for (uint32_t leaf = 0; leaf < l->config.root_bits; leaf++)
		root |= (uint64_t)(leaf_at(l, block, leaf) != 0) << leaf;
	return root;
}

static uint64_t bits_of(const struct gputm_reader_list *l, const struct block *block)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < l->block_words; i++)
		bits += gputm__popcount(block->bits[i]);
	return bits;
}

#define FIELDS UINT64_C(0x0001000100010001) /* 1 in every field of plain IDs */

/* The top bit of each field that holds tx, and maybe of fields above the lowest such. */
static inline uint64_t match(uint64_t ids, uint32_t tx)
{
	uint64_t other = ids ^ tx * FIELDS;

	return (other - FIELDS) & ~other & FIELDS << 15;
}

/* Plain IDs without the lowest field whose top bit is in `matched`. */
static inline uint64_t without(uint64_t ids, uint64_t matched)
{
	uint64_t below = ((matched & -matched) >> 15) - 1;

	return (ids & below) | (ids >> 16 & ~below) | UINT64_C(0xffff) << 48;
}

static uint32_t plain_count(uint64_t ids)
{
	return (uint32_t)((uint16_t)ids != FREE_ID) + ((uint16_t)(ids >> 16) != FREE_ID) +
	       ((uint16_t)(ids >> 32) != FREE_ID);
}

static uint32_t count_of(const struct gputm_reader_list *l, const struct gputm__word_slot *slot)
{
	if (!slot->key)
		return 0;
	return has_block(slot) ? (uint32_t)block_of(l, slot)->readers : plain_count(slot->data);
}

static uint32_t entries_of(const struct gputm_reader_list *l, const struct gputm__word_slot *slot)
{
	if (slot->key && has_block(slot))
		return 1 + gputm__popcount(block_of(l, slot)->root);
	return slot->key != 0;
}

static void io_block(struct gputm_reader_list *l, struct gputm__word_slot *slot,
		     struct gputm__io *io)
{
	struct block *block;

	if (gputm__io_reading(io)) {
		if (!l->free_blocks)
			gputm__io_fail(io, -EINVAL, "too many words with vectors");
		if (io->error)
			return;
		slot->data = l->free_block[--l->free_blocks];
	}
	block = block_of(l, slot);
	gputm__io_u64s(io, block->bits, l->block_words);
	if (!gputm__io_reading(io))
		return;
	block->root = root_of(l, block);
	block->readers = bits_of(l, block);
}

static void io_word(struct gputm_reader_list *l, struct gputm__word_slot *slot,
		    struct gputm__io *io)
{
	bool vectors = has_block(slot);

	gputm__io_bool(io, &vectors);
	if (vectors) {
		io_block(l, slot, io);
		return;
	}
	gputm__io_u64(io, &slot->data);
	if (!io->error && has_block(slot))
		gputm__io_fail(io, -EINVAL, "plain IDs are vectors");
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_reader_list *l = self_of(unit);
	uint64_t words = gputm__io_reading(io) ? 0 : gputm__word_count(&l->map), used = 0;
	size_t at = 0;

	gputm__io_u64_max(io, &words, l->config.entries, "words");
	for (uint64_t i = 0; i < words && !io->error; i++) {
		struct gputm__word_slot *slot =
			gputm__word_io(&l->map, io, &at, (l->address_max >> l->word_shift) + 1);

		if (!slot)
			return;
		io_word(l, slot, io);
		used += io->error ? 0 : entries_of(l, slot);
	}
	l->used = used;
}

static const char *check_plain(const struct gputm_reader_list *l, uint64_t ids)
{
	uint32_t count = plain_count(ids);

	if (!count || (ids | ~(NO_IDS << (16 * count))) != NO_IDS)
		return "a word has no readers, or they are not its first fields";
	for (uint32_t i = 0; i < count; i++, ids = ids >> 16 | NO_IDS << 48)
		if ((uint16_t)ids >= l->transactions ||
		    match(ids >> 16 | NO_IDS << 48, (uint16_t)ids))
			return "plain IDs are no transactions, or one is there twice";
	return NULL;
}

static const char *check_block(const struct gputm_reader_list *l, const struct block *block)
{
	if (block->root != root_of(l, block))
		return "a root does not show which leaves have readers";
	if (!block->root || (l->config.fold && block->readers <= PLAIN))
		return "vectors are empty, or of three readers and not folded";
	return block->readers == bits_of(l, block) ? NULL : "vectors do not hold their readers";
}

static const char *check_word(const struct gputm_reader_list *l, size_t at)
{
	const struct gputm__word_slot *slot = &l->map.slot[at];

	if (!gputm__word_is_found(&l->map, at))
		return "a word is not where it is searched";
	return has_block(slot) ? check_block(l, block_of(l, slot)) : check_plain(l, slot->data);
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_reader_list *l = (const struct gputm_reader_list *)(const void *)unit;
	uint64_t used = 0, readers = 0;

	for (size_t i = 0; i <= l->map.mask; i++) {
		const struct gputm__word_slot *slot = &l->map.slot[i];
		const char *wrong = slot->key ? check_word(l, i) : NULL;

		if (wrong)
			return wrong;
		used += entries_of(l, slot);
		readers += count_of(l, slot);
	}
	if (used != l->used || used > l->config.entries || used > l->used_max)
		return "used is not the entries of all words, or above pool or maximum";
	return l->added == l->removed + readers ? NULL : "added is not removed + readers";
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static bool storage(const struct gputm_unit *unit, size_t index, struct gputm_storage *out)
{
	const struct gputm_reader_list_config *c = gputm_unit_config(unit);
	uint32_t id = gputm__log2(c->root_bits) + gputm__log2(c->leaf_bits);
	uint32_t plain = larger(2 + PLAIN * id, c->root_bits);
	uint32_t content = larger(plain, gputm__log2(c->root_bits) + c->leaf_bits);

	if (index)
		return false;
	out->name = "entries";
	out->entries = c->entries;
	out->bits = c->address_bits - gputm__log2(c->word_bytes) + 2 + content;
	out->ports = 1;
	return true;
}

static const struct gputm__class class = {
	.kind = "reader_list",
	.version = 1,
	.size = sizeof(struct gputm_reader_list),
	.params = &table,
	.config_offset = offsetof(struct gputm_reader_list, config),
	.stat = stats,
	.stat_count = GPUTM__COUNT(stats),
	.event = events,
	.setup = setup,
	.teardown = teardown,
	.clear = clear,
	.io = io,
	.check = check,
	.storage = storage,
};

GPUTM__LIFE(reader_list, class)

/* ---- data path ---- */

#define APART static __attribute__((noinline))

APART int refuse(const struct gputm_reader_list *l, uint64_t address, uint32_t tx)
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

static inline bool has(const struct block *block, uint32_t tx)
{
	return block->bits[tx >> 6] >> (tx & 63) & 1;
}

static inline void flip(struct block *block, uint32_t tx)
{
	block->bits[tx >> 6] ^= UINT64_C(1) << (tx & 63);
}

static inline uint64_t leaf_bit(const struct gputm_reader_list *l, uint32_t tx)
{
	return UINT64_C(1) << (tx >> l->leaf_shift);
}

/* Leaves that three plain IDs and one more need. */
static uint64_t leaves_of_four(const struct gputm_reader_list *l, uint64_t ids, uint32_t tx)
{
	return leaf_bit(l, tx) | leaf_bit(l, (uint16_t)ids) | leaf_bit(l, (uint16_t)(ids >> 16)) |
	       leaf_bit(l, (uint16_t)(ids >> 32));
}

static bool is_reader(const struct gputm_reader_list *l, const struct gputm__word_slot *slot,
		      uint32_t tx)
{
	if (!slot->key)
		return false;
	if (has_block(slot))
		return has(block_of(l, slot), tx);
	return match(slot->data, tx) != 0;
}

/* Entries that a new reader of this word needs. */
static uint32_t entries_for(const struct gputm_reader_list *l, const struct gputm__word_slot *slot,
			    uint32_t tx)
{
	if (!slot->key)
		return 1;
	if (has_block(slot))
		return !(block_of(l, slot)->root & leaf_bit(l, tx));
	if (plain_count(slot->data) < PLAIN)
		return 0;
	return gputm__popcount(leaves_of_four(l, slot->data, tx));
}

static int answer(const struct gputm_reader_list *l, const struct gputm__word_slot *slot,
		  uint32_t tx)
{
	if (is_reader(l, slot, tx))
		return GPUTM_READER_LIST_ALREADY;
	if (l->used + entries_for(l, slot, tx) > l->config.entries)
		return GPUTM_READER_LIST_FULL;
	return GPUTM_READER_LIST_ADDED;
}

APART int tell(const struct gputm_reader_list *l, uint64_t address, uint32_t tx, uint32_t kind,
	       int result)
{
	uint32_t readers = count_of(l, find(l, address));

	gputm__emit(&l->unit, kind, address, tx,
		    kind == GPUTM_READER_LIST_EVENT_FULL ? l->used : readers, 0);
	return result;
}

static inline int added(struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	l->added++;
	if (GPUTM__UNLIKELY(l->unit.observe != NULL))
		return tell(l, address, tx, GPUTM_READER_LIST_EVENT_ADDED,
			    GPUTM_READER_LIST_ADDED);
	return GPUTM_READER_LIST_ADDED;
}

static inline int removed(struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	l->removed++;
	if (GPUTM__UNLIKELY(l->unit.observe != NULL))
		return tell(l, address, tx, GPUTM_READER_LIST_EVENT_REMOVED, 0);
	return 0;
}

APART int already(struct gputm_reader_list *l)
{
	l->already++;
	return GPUTM_READER_LIST_ALREADY;
}

APART int full(struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	l->full++;
	return tell(l, address, tx, GPUTM_READER_LIST_EVENT_FULL, GPUTM_READER_LIST_FULL);
}

static inline void take(struct gputm_reader_list *l, uint32_t entries)
{
	l->used += entries;
	gputm__maximum(&l->used_max, l->used);
}

/* The fourth reader of a word. */
APART int expand(struct gputm_reader_list *l, struct gputm__word_slot *slot, uint64_t address,
		 uint32_t tx)
{
	uint64_t ids = slot->data, root = leaves_of_four(l, ids, tx);
	struct block *block;

	if (l->used + gputm__popcount(root) > l->config.entries)
		return full(l, address, tx);
	slot->data = l->free_block[--l->free_blocks];
	block = block_of(l, slot);
	block->root = root;
	block->readers = PLAIN + 1;
	for (unsigned i = 0; i < PLAIN; i++)
		flip(block, (uint16_t)(ids >> (16 * i)));
	flip(block, tx);
	take(l, gputm__popcount(root));
	l->expanded++;
	gputm__emit(&l->unit, GPUTM_READER_LIST_EVENT_EXPANDED, address, entries_of(l, slot), 0,
		    0);
	return added(l, address, tx);
}

APART int add_to_block(struct gputm_reader_list *l, struct block *block, uint64_t address,
		       uint32_t tx)
{
	uint64_t leaf = leaf_bit(l, tx);

	if (has(block, tx))
		return already(l);
	if (!(block->root & leaf)) {
		if (l->used >= l->config.entries)
			return full(l, address, tx);
		block->root |= leaf;
		take(l, 1);
	}
	flip(block, tx);
	block->readers++;
	return added(l, address, tx);
}

static inline int add_to_ids(struct gputm_reader_list *l, struct gputm__word_slot *slot,
			     uint64_t address, uint32_t tx)
{
	if (match(slot->data, tx))
		return already(l);
	if ((uint16_t)(slot->data >> 32) != FREE_ID)
		return expand(l, slot, address, tx);
	slot->data = slot->data << 16 | tx;
	return added(l, address, tx);
}

int gputm_reader_list_add(struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	struct gputm__word_slot *slot;

	if (GPUTM__UNLIKELY(is_out(l, address, tx)))
		return refuse(l, address, tx);
	slot = find(l, address);
	if (slot->key && has_block(slot))
		return add_to_block(l, block_of(l, slot), address, tx);
	if (slot->key)
		return add_to_ids(l, slot, address, tx);
	if (GPUTM__UNLIKELY(l->used >= l->config.entries))
		return full(l, address, tx);
	slot->key = (address >> l->word_shift) + 1;
	slot->data = NO_IDS << 16 | tx;
	take(l, 1);
	return added(l, address, tx);
}

int gputm_reader_list_add_probe(const struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	return is_out(l, address, tx) ? refuse(l, address, tx) : answer(l, find(l, address), tx);
}

APART int refuse_stranger(const struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	return gputm__refuse(&l->unit, "transaction %u is no reader of address 0x%llx", tx,
			     (unsigned long long)address);
}

/* The block is given back as it was given out: all zero. */
static void free_block(struct gputm_reader_list *l, struct gputm__word_slot *slot)
{
	l->free_block[l->free_blocks++] = (uint32_t)slot->data;
	memset(block_of(l, slot), 0, l->block_bytes);
}

static void fold(struct gputm_reader_list *l, struct gputm__word_slot *slot, uint64_t address)
{
	struct block *block = block_of(l, slot);
	uint64_t ids = NO_IDS;

	for (uint32_t i = l->block_words; i-- > 0;)
		for (uint64_t bits = block->bits[i]; bits; bits ^= UINT64_C(1) << gputm__log2(bits))
			ids = ids << 16 | (i * 64 + gputm__log2(bits));
	l->used -= gputm__popcount(block->root);
	free_block(l, slot);
	slot->data = ids;
	l->folded++;
	gputm__emit(&l->unit, GPUTM_READER_LIST_EVENT_FOLDED, address, 0, 0, 0);
}

/* A removal after which the word takes another form. */
APART int reform(struct gputm_reader_list *l, struct gputm__word_slot *slot, uint64_t address,
		 uint32_t tx)
{
	if (block_of(l, slot)->root) {
		fold(l, slot, address);
		return removed(l, address, tx);
	}
	free_block(l, slot);
	gputm__word_erase(&l->map, slot);
	l->used--;
	return removed(l, address, tx);
}

APART int remove_from_block(struct gputm_reader_list *l, struct gputm__word_slot *slot,
			    uint64_t address, uint32_t tx)
{
	struct block *block = block_of(l, slot);

	if (!has(block, tx))
		return refuse_stranger(l, address, tx);
	flip(block, tx);
	if (!leaf_at(l, block, tx >> l->leaf_shift)) {
		block->root ^= leaf_bit(l, tx);
		l->used--;
	}
	if (--block->readers <= PLAIN && (!block->root || l->config.fold))
		return reform(l, slot, address, tx);
	return removed(l, address, tx);
}

static inline int remove_from_ids(struct gputm_reader_list *l, struct gputm__word_slot *slot,
				  uint64_t address, uint32_t tx)
{
	uint64_t matched = match(slot->data, tx);

	if (!matched)
		return refuse_stranger(l, address, tx);
	slot->data = without(slot->data, matched);
	return removed(l, address, tx);
}

APART int remove_last(struct gputm_reader_list *l, struct gputm__word_slot *slot, uint64_t address,
		      uint32_t tx)
{
	gputm__word_erase(&l->map, slot);
	return removed(l, address, tx);
}

int gputm_reader_list_remove(struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	struct gputm__word_slot *slot;

	if (GPUTM__UNLIKELY(is_out(l, address, tx)))
		return refuse(l, address, tx);
	slot = find(l, address);
	if (slot->data == (NO_IDS << 16 | tx)) {
		l->used--;
		if (!gputm__word_ends_run(slot))
			return remove_last(l, slot, address, tx);
		slot->key = slot->data = 0;
		return removed(l, address, tx);
	}
	if (GPUTM__LIKELY(!has_block(slot)))
		return remove_from_ids(l, slot, address, tx);
	if (slot->key)
		return remove_from_block(l, slot, address, tx);
	return refuse_stranger(l, address, tx);
}

bool gputm_reader_list_contains(const struct gputm_reader_list *l, uint64_t address, uint32_t tx)
{
	return !is_out(l, address, tx) && is_reader(l, find(l, address), tx);
}

/* ---- questions ---- */

static inline void order(uint32_t *a, uint32_t *b)
{
	uint32_t low = *a < *b ? *a : *b;

	*b ^= *a ^ low;
	*a = low;
}

APART uint32_t list_ids(uint64_t ids, uint32_t *out, uint32_t capacity)
{
	uint32_t a = (uint16_t)ids, b = (uint16_t)(ids >> 16), c = (uint16_t)(ids >> 32);
	uint32_t count = plain_count(ids);

	if (count > capacity)
		return count;
	order(&a, &b);
	order(&b, &c);
	order(&a, &b);
	out[0] = a;
	if (count > 1)
		out[1] = b;
	if (count > 2)
		out[2] = c;
	return count;
}

APART uint32_t list_block(const struct gputm_reader_list *l, const struct block *block,
			  uint32_t *ids, uint32_t capacity)
{
	if (block->readers > capacity)
		return (uint32_t)block->readers;
	for (uint64_t root = block->root; root; root &= root - 1) {
		uint32_t leaf = gputm__lowest(root), first = leaf << l->leaf_shift;
		uint64_t bits = leaf_at(l, block, leaf);

		do {
			*ids++ = first + gputm__lowest(bits);
			bits &= bits - 1;
		} while (bits);
	}
	return (uint32_t)block->readers;
}

int gputm_reader_list_readers(const struct gputm_reader_list *l, uint64_t address, uint32_t *ids,
			      uint32_t capacity)
{
	const struct gputm__word_slot *slot;

	if (GPUTM__UNLIKELY(address > l->address_max))
		return refuse(l, address, 0);
	slot = find(l, address);
	if (!slot->key)
		return 0;
	if (slot->data >> 16 == NO_IDS >> 16 && capacity) {
		*ids = (uint16_t)slot->data;
		return 1;
	}
	if (has_block(slot))
		return (int)list_block(l, block_of(l, slot), ids, capacity);
	return (int)list_ids(slot->data, ids, capacity);
}

int gputm_reader_list_count(const struct gputm_reader_list *l, uint64_t address)
{
	if (address > l->address_max)
		return refuse(l, address, 0);
	return (int)count_of(l, find(l, address));
}

int gputm_reader_list_entries(const struct gputm_reader_list *l, uint64_t address)
{
	if (address > l->address_max)
		return refuse(l, address, 0);
	return (int)entries_of(l, find(l, address));
}

static void show_leaf(const struct gputm_reader_list *l, const struct block *block,
		      uint32_t number, struct gputm_reader_list_entry *out)
{
	uint64_t root = block->root;

	while (number--)
		root &= root - 1;
	out->type = GPUTM_READER_LIST_LEAF;
	out->position = gputm__lowest(root);
	out->vector = leaf_at(l, block, out->position);
}

bool gputm_reader_list_entry(const struct gputm_reader_list *l, uint64_t address, uint32_t index,
			     struct gputm_reader_list_entry *out)
{
	const struct gputm__word_slot *slot;

	if (address > l->address_max)
		return false;
	slot = find(l, address);
	if (index >= entries_of(l, slot))
		return false;
	memset(out, 0, sizeof(*out));
	if (!has_block(slot)) {
		out->type = GPUTM_READER_LIST_PLAIN;
		out->count = list_ids(slot->data, out->id, PLAIN);
	} else if (index) {
		show_leaf(l, block_of(l, slot), index - 1, out);
	} else {
		out->type = GPUTM_READER_LIST_ROOT;
		out->vector = block_of(l, slot)->root;
	}
	return true;
}

uint32_t gputm_reader_list_used(const struct gputm_reader_list *l)
{
	return (uint32_t)l->used;
}
