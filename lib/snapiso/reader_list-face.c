/* SPDX-License-Identifier: BSD-2-Clause */
/* The common face of the reader list; see reader_list.c. */
#include "lib/snapiso/reader_list-priv.h"

#define UNIT reader_list

static const struct gputm_param rows[] = {
	PARAM(entries, 1, 1u << 20, 87856, false, "Entries of the pool.", "ISCA 2017 4.3"),
	PARAM(root_bits, 8, 64, 32, true, "Bits of a root vector: leaves of a word.",
	      "ISCA 2017 Fig. 10"),
	PARAM(leaf_bits, 8, 64, 32, true, "Bits of a leaf vector: transactions of a leaf.",
	      "ISCA 2017 Fig. 10"),
	PARAM(address_bits, 16, 64, 32, false, "Width of a byte address, bits.", "ISCA 2017 4.3"),
	PARAM(word_bytes, 4, 4096, 4, true, "Bytes tracked as one word.", "ISCA 2017 4.2"),
	PARAM(fold, 0, 1, 0, false, "Turn vectors back into plain IDs at three readers.", ""),
};

static const struct gputm_preset presets[] = {
	{ "isca-2017",
	  "ISCA 2017 Table 1: 87,856 entries of 69 bits for 1024 transactions.",
	  { { "entries", 87856 }, { "root_bits", 32 }, { "leaf_bits", 32 } } },
	{ "retained",
	  "As many entries for 2048 transactions, committed ones among them.",
	  { { "entries", 87856 }, { "root_bits", 64 }, { "leaf_bits", 32 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(added, COUNTER, "readers", "Readers added: removed, or still there."),
	STAT(already, COUNTER, "readers", "Additions of a transaction that was a reader."),
	STAT(full, COUNTER, "readers", "Additions refused because entries were short."),
	STAT(removed, COUNTER, "readers", "Readers removed."),
	STAT(expanded, COUNTER, "words", "Words that went from plain IDs to vectors."),
	STAT(folded, COUNTER, "words", "Words that went from vectors to plain IDs."),
	STAT(used_max, MAXIMUM, "entries", "Entries in use, at most."),
	STAT(used, GAUGE, "entries", "Entries in use."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_READER_LIST_EVENT_ADD, "add", "A word has a new reader.",
	      VALUE(address, "byte address", "The word."), VALUE(tx, "transaction", "The reader."),
	      VALUE(readers, "readers", "Readers of the word now.")),
	EVENT(GPUTM_READER_LIST_EVENT_REMOVE, "remove", "A word has lost a reader.",
	      VALUE(address, "byte address", "The word."), VALUE(tx, "transaction", "The reader."),
	      VALUE(readers, "readers", "Readers of the word now.")),
	EVENT(GPUTM_READER_LIST_EVENT_REFUSE, "refuse", "There is no room for a reader.",
	      VALUE(address, "byte address", "The word."), VALUE(tx, "transaction", "The reader."),
	      VALUE(entries, "entries", "Entries in use.")),
	EVENT(GPUTM_READER_LIST_EVENT_EXPAND, "expand",
	      "The readers of a word went to a root and leaves; added follows.",
	      VALUE(address, "byte address", "The word."),
	      VALUE(entries, "entries", "Entries that the word has now.")),
	EVENT(GPUTM_READER_LIST_EVENT_FOLD, "fold",
	      "The readers of a word went back to a plain entry; removed follows.",
	      VALUE(address, "byte address", "The word.")),
};

/* ---- life ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_reader_list *l = (void *)unit;
	const struct gputm_reader_list_config *c = &l->config;

	l->address_max = gputm__low_mask(c->address_bits);
	l->leaf_mask = gputm__low_mask(c->leaf_bits);
	l->transactions = c->root_bits * c->leaf_bits;
	l->word_shift = gputm__log2(c->word_bytes);
	l->leaf_shift = gputm__log2(c->leaf_bits);
	l->leaf_first = ~(c->leaf_bits - 1);
	l->block_words = l->transactions / 64;
	l->block_bytes = (uint32_t)sizeof(struct gputm__reader_block) + l->block_words * 8;
	gputm__word_map_setup(&l->map, unit, c->entries);
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_reader_list *l = (void *)unit;

	for (size_t i = 0; l->used && i <= l->map.mask; i++)
		if (l->map.slot[i].key && gputm__readers_in_block(&l->map.slot[i]))
			memset(gputm__reader_block(l, &l->map.slot[i]), 0, l->block_bytes);
	if (l->used) /* the map may be large */
		gputm__word_map_clear(&l->map);
	for (uint32_t i = 0; i < l->blocks; i++)
		l->free_block[i] = (l->blocks - 1 - i) * l->block_bytes;
	l->free_blocks = l->blocks;
	l->used = 0;
}

static uint64_t root_of(const struct gputm_reader_list *l, const struct gputm__reader_block *block)
{
	uint64_t root = 0;

	for (uint32_t leaf = 0; leaf < l->config.root_bits; leaf++)
		root |= (uint64_t)(gputm__reader_leaf(l, block, leaf) != 0) << leaf;
	return root;
}

static uint64_t bits_of(const struct gputm_reader_list *l, const struct gputm__reader_block *block)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < l->block_words; i++)
		bits += gputm__popcount(block->bits[i]);
	return bits;
}

static void io_block(struct gputm_reader_list *l, struct gputm__word_slot *slot,
		     struct gputm__io *io)
{
	struct gputm__reader_block *block;

	if (gputm__io_reading(io)) {
		if (l->blocks - l->free_blocks == l->config.entries / 2)
			gputm__io_fail(io, -EINVAL, "too many words with vectors");
		else if (!l->free_blocks && gputm__reader_more_blocks(l))
			gputm__io_fail(io, -ENOMEM, "no memory for vectors");
		if (io->error)
			return;
		slot->data = l->free_block[--l->free_blocks];
	}
	block = gputm__reader_block(l, slot);
	gputm__io_u64s(io, block->bits, l->block_words);
	if (!gputm__io_reading(io))
		return;
	block->root = root_of(l, block);
	block->readers = bits_of(l, block);
}

static void io_word(struct gputm_reader_list *l, struct gputm__word_slot *slot,
		    struct gputm__io *io)
{
	bool vectors = gputm__readers_in_block(slot);
	struct gputm__word_slot plain = *slot;

	gputm__io_bool(io, &vectors);
	if (vectors) {
		io_block(l, slot, io);
		return;
	}
	plain.data = gputm__reader_sorted(plain.data);
	gputm__io_u64(io, &plain.data);
	if (gputm__readers_in_block(&plain))
		gputm__io_fail(io, -EINVAL, "plain IDs are vectors");
	else if (plain.data != gputm__reader_sorted(plain.data))
		gputm__io_fail(io, -EINVAL, "plain IDs are not in ascending order");
	else if (gputm__io_reading(io))
		*slot = plain;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_reader_list *l = (void *)unit;
	uint64_t words, used = 0, key_max = (l->address_max >> l->word_shift) + 1;
	size_t at = 0, keys = gputm__word_io(&l->map, io, &words, l->config.entries, key_max,
					     GPUTM__NO_READERS);

	for (uint64_t i = 0; i < words && !io->error; i++) {
		struct gputm__word_slot *slot = gputm__word_nth(&l->map, io, keys, i, &at);

		io_word(l, slot, io);
		used += io->error ? 0 : gputm__reader_entries(l, slot);
	}
	/* clear() skips a list whose `used` is 0; after an error it must clear the words read. */
	l->used = io->error ? 1 : used;
}

static const char *check_plain(const struct gputm_reader_list *l, uint64_t ids)
{
	uint32_t count = gputm__reader_plain_count(ids);

	if (!count || (ids | ~(GPUTM__NO_READERS << (16 * count))) != GPUTM__NO_READERS)
		return "R2: a word has no readers, or a gap before its last field";
	for (uint32_t i = 0; i < count; i++)
		if ((uint16_t)(ids >> 16 * i) >= l->transactions ||
		    gputm__reader_field(ids, (uint16_t)(ids >> 16 * i)) != i)
			return "R2: an ID in a field is not a transaction, or is there twice";
	return NULL;
}

static const char *check_block(const struct gputm_reader_list *l,
			       const struct gputm__reader_block *block)
{
	if (block->root != root_of(l, block))
		return "R3: a root does not show which leaves have readers";
	if (!block->root || (l->config.fold && block->readers <= GPUTM__PLAIN_READERS))
		return "R3: a vector is empty, or holds three readers or fewer and is not folded";
	return block->readers == bits_of(l, block) ? NULL : "R3: vectors do not hold their readers";
}

static const char *check_word(const struct gputm_reader_list *l, size_t at)
{
	const struct gputm__word_slot *slot = &l->map.slot[at];

	if (!gputm__word_is_found(&l->map, at))
		return "R1: a word lies where a look-up does not find it";
	return gputm__readers_in_block(slot) ? check_block(l, gputm__reader_block(l, slot))
					     : check_plain(l, slot->data);
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_reader_list *l = (const void *)unit;
	uint64_t used = 0;

	for (size_t i = 0; i <= l->map.mask; i++) {
		const struct gputm__word_slot *slot = &l->map.slot[i];
		const char *wrong = slot->key ? check_word(l, i) : NULL;

		if (wrong)
			return wrong;
		used += gputm__reader_entries(l, slot);
	}
	return used == l->used && used <= l->config.entries
		       ? NULL
		       : "R4: used is not the entries of all words, or above the pool";
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_reader_list_config *c = gputm_unit_config(unit);
	uint32_t id = gputm__log2(c->root_bits) + gputm__log2(c->leaf_bits);
	uint32_t plain = larger(2 + GPUTM__PLAIN_READERS * id, c->root_bits);
	uint32_t content = larger(plain, gputm__log2(c->root_bits) + c->leaf_bits);

	gputm__array(out, "entries", c->entries,
		     c->address_bits - gputm__log2(c->word_bytes) + 2 + content, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_reader_list *l = (const void *)unit;
	uint64_t readers = 0;

	for (size_t i = 0; i <= l->map.mask; i++)
		readers += gputm__reader_count(l, &l->map.slot[i]);
	gputm__law_most(laws, &l->used_max, l->used, l->config.entries,
			"R4: used is above its maximum");
	gputm__law(laws, l->added, l->removed + readers, "R5: added is not removed + readers");
}

GPUTM__UNIT(reader_list, .version = 2, .setup = setup, .laws = laws)
