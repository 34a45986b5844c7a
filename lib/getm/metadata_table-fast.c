/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A straight way for the chain of an insertion into the metadata table, for four ways whose
 * cells fit a word and tables that evict at any load. What it does is what run_chain() in
 * metadata_table-insert.c does, the model; tests/test-fast.c drives both side by side.
 *
 * The chain is run in two passes. The first goes on from cell to cell, exchanging keys
 * only, until one of the four cells of the key in hand has no reservation; the second moves
 * stamps and reservations along the cells that the first noted. What the first pass sees of
 * reservations is therefore old, and yet right: it only ever leaves a cell whose four
 * neighbours are all reserved, so a cell that it comes back to counts as reserved, as it does
 * for what is there now: another reserved entry, or the one that is being inserted.
 */
#include "lib/getm/metadata_table-priv.h"

#define NOWHERE GPUTM__NOWHERE

static inline uint64_t turned(uint64_t four, uint32_t shift)
{
	return four >> shift | four << (-shift & 63);
}

/* The first of four cells that is free or has no reservation, or NOWHERE. */
static inline size_t open_cell(const struct gputm__hold *hold, uint64_t four)
{
	size_t at;

	if (!hold[at = four & 0xffff].writes || !hold[at = four >> 16 & 0xffff].writes ||
	    !hold[at = four >> 32 & 0xffff].writes || !hold[at = (size_t)(four >> 48)].writes)
		return at;
	return NOWHERE;
}

/* The first free one of them, else the one given. */
static inline size_t free_cell(const struct gputm_metadata_table *t, uint64_t four, size_t open)
{
	const uint64_t *keys = t->at.key;
	size_t at;

	if (t->entries == t->capacity)
		return open;
	if (!keys[at = four & 0xffff] || !keys[at = four >> 16 & 0xffff] ||
	    !keys[at = four >> 32 & 0xffff] || !keys[at = (size_t)(four >> 48)])
		return at;
	return open;
}

/*
 * The first pass, from a key whose cells (turned) are all reserved: exchanges keys and notes
 * the cells. Ends with an open cell or NOWHERE, and the key that is in the hand then.
 */
static inline size_t search_chain(struct gputm_metadata_table *t, uint64_t *key, uint64_t *four,
				  uint32_t *swapped)
{
	const struct gputm__hold *hold = t->at.hold;
	const uint64_t *table = t->h3->table;
	uint32_t *path = t->path, *end = path + t->config.longest_chain, shift = t->turn * 16;
	uint64_t cells = *four, hand = *key, other, *keys = t->at.key;
	size_t at = NOWHERE;

	while (at == NOWHERE && path < end) {
		at = cells & 0xffff;
		*path++ = (uint32_t)at;
		other = keys[at];
		keys[at] = hand;
		hand = other;
		shift += 16;
		cells = turned(gputm__h3_narrow(table, hand), shift & 63);
		at = open_cell(hold, cells);
	}
	t->turn = shift / 16 & 3;
	*key = hand;
	*four = cells;
	*swapped = (uint32_t)(path - t->path);
	return at;
}

/* The second pass: what belongs to the keys, which are there already. */
static inline void follow_chain(struct gputm_metadata_table *t, uint32_t swaps,
				struct gputm__pair *hand)
{
	struct gputm__stamps *stamps = t->at.stamps, in_hand = hand->stamps;
	struct gputm__hold *hold = t->at.hold, held = hand->hold;

	for (const uint32_t *path = t->path, *end = path + swaps; path < end; path++) {
		size_t at = *path;
		struct gputm__stamps s = stamps[at];
		struct gputm__hold h = hold[at];

		stamps[at] = in_hand;
		hold[at] = held;
		in_hand = s;
		held = h;
	}
	hand->stamps = in_hand;
	hand->hold = held;
}

enum gputm_metadata_table_updated gputm__metadata_run_chain_fast(struct gputm_metadata_table *t,
								 struct gputm__pair *hand,
								 uint32_t *swapped)
{
	uint64_t four = turned(gputm__h3_narrow(t->h3->table, hand->key), t->turn * 16);
	size_t at = open_cell(t->at.hold, four);

	*swapped = 0;
	if (at == NOWHERE) {
		at = search_chain(t, &hand->key, &four, swapped);
		follow_chain(t, *swapped, hand);
	}
	if (at == NOWHERE)
		return GPUTM_METADATA_TABLE_UPDATED;
	at = free_cell(t, four, (size_t)gputm__opaque(at));
	if (!t->at.key[at]) {
		t->entries++;
		gputm__metadata_put(t, at, hand);
		return GPUTM_METADATA_TABLE_FILLED;
	}
	gputm__metadata_approximate(t, t->at.key[at], t->at.stamps[at]);
	gputm__metadata_put(t, at, hand);
	return GPUTM_METADATA_TABLE_EVICTED;
}
