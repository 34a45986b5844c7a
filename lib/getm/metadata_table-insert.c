/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Insertion into the metadata table: the chain, where it ends, and the stamps that the filter
 * keeps; see metadata_table.c.
 *
 * The usual chain is run in two passes. The first goes on from cell to cell, exchanging keys
 * only, until one of the four cells of the key in hand has no reservation; the second moves
 * stamps and reservations along the cells that the first noted. What the first pass sees of
 * reservations is therefore old, and yet right: it only ever leaves a cell whose four
 * neighbours are all reserved, so a cell that it comes back to counts as reserved, as it does
 * for what is there now: another reserved entry, or the one that is being inserted.
 */
#include "lib/getm/metadata_table-priv.h"

#define VALID GPUTM__METADATA_VALID
#define NOWHERE GPUTM__NOWHERE
#define APART static __attribute__((noinline))

/* ---- stamps of granules without entry ---- */

/* To the registers, or with somebody who observes. */
APART void approximate_apart(struct gputm_metadata_table *t, uint64_t key, uint64_t wts,
			     uint64_t rts)
{
	if (!t->filter) {
		gputm__maximum(&t->register_wts, wts);
		gputm__maximum(&t->register_rts, rts);
	} else if (gputm_recency_bloom_update_pair(t->filter, key & ~VALID, wts, rts)) {
		gputm__assert(false);
	}
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_EVICT, key & ~VALID, wts, rts, 0);
}

void gputm__metadata_approximate(struct gputm_metadata_table *t, uint64_t key,
				 struct gputm__stamps stamps)
{
	t->evictions++;
	t->latch_key = 0;
	if (GPUTM__UNLIKELY(!t->filter || t->unit.observe))
		approximate_apart(t, key, stamps.wts, stamps.rts);
	else if (gputm_recency_bloom_update_pair(t->filter, key & ~VALID, stamps.wts, stamps.rts))
		gputm__assert(false);
}

int gputm_metadata_table_estimate_probe(const struct gputm_metadata_table *t, uint64_t address,
					uint64_t *wts, uint64_t *rts)
{
	if (GPUTM__LIKELY(t->filter != NULL))
		return gputm_recency_bloom_query_pair(t->filter, address, wts, rts);
	if (address > t->address_max)
		return gputm__out_of_range(&t->unit, "address", address, 0, t->address_max);
	*wts = t->register_wts;
	*rts = t->register_rts;
	return 0;
}

int gputm_metadata_table_estimate(struct gputm_metadata_table *t, uint64_t address, uint64_t *wts,
				  uint64_t *rts)
{
	int error = gputm_metadata_table_estimate_probe(t, address, wts, rts);

	if (error)
		return error;
	t->latch_key = gputm__cells_key(&t->at, address);
	t->latch_wts = *wts;
	t->latch_rts = *rts;
	return 0;
}

/* ---- any table, step by step ---- */

static inline bool unlocked(const struct gputm_metadata_table *t, size_t at, size_t mine)
{
	return !t->at.hold[at].writes && at != mine;
}

size_t gputm__metadata_choose(const struct gputm_metadata_table *t, uint64_t key, size_t mine)
{
	size_t first = NOWHERE, second = NOWHERE;
	uint32_t ways = t->config.ways, way = t->turn;

	for (uint32_t i = 0; i < ways; i++) {
		size_t at = (size_t)gputm__h3_cell(t->h3, way, key);

		if (!t->at.key[at])
			return at;
		if (second == NOWHERE && unlocked(t, at, mine))
			second = at;
		if (first == NOWHERE)
			first = at;
		way = way + 1 == ways ? 0 : way + 1;
	}
	return second == NOWHERE ? first : second;
}

static inline void exchange(struct gputm_metadata_table *t, size_t at, struct gputm__pair *hand)
{
	struct gputm__pair other = { t->at.key[at], t->at.stamps[at], t->at.hold[at] };

	gputm__metadata_put(t, at, hand);
	*hand = other;
}

static inline void pass_turn(struct gputm_metadata_table *t)
{
	t->turn = t->turn + 1 == t->config.ways ? 0 : t->turn + 1;
}

/* Returns how the chain ended; UPDATED: with a pair left in the hand. */
static enum gputm_metadata_table_updated run_chain(struct gputm_metadata_table *t,
						   struct gputm__pair *hand, uint32_t *swapped)
{
	uint64_t inserted = hand->key;
	size_t at, mine = NOWHERE;
	uint32_t swaps = 0;

	for (;; swaps++) {
		bool last = swaps == t->config.longest_chain;

		at = gputm__metadata_choose(t, hand->key, mine);
		*swapped = swaps;
		if (!t->at.key[at]) {
			t->entries++;
			gputm__metadata_put(t, at, hand);
			return GPUTM_METADATA_TABLE_FILLED;
		}
		if (unlocked(t, at, mine) && (t->entries >= t->evict_from || last)) {
			gputm__metadata_approximate(t, t->at.key[at], t->at.stamps[at]);
			gputm__metadata_put(t, at, hand);
			return GPUTM_METADATA_TABLE_EVICTED;
		}
		if (last)
			return GPUTM_METADATA_TABLE_UPDATED;
		mine = hand->key == inserted ? at : at == mine ? NOWHERE : mine;
		exchange(t, at, hand);
		pass_turn(t);
	}
}

/* ---- four ways in a word, two passes ---- */

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

/* Evict to the filter, when nobody observes. */
static inline int evict(struct gputm_metadata_table *t, uint64_t key, uint64_t wts, uint64_t rts)
{
	t->evictions++;
	t->latch_key = 0;
	return gputm_recency_bloom_update_pair(t->filter, key & ~VALID, wts, rts);
}

/* What was in the cell that ended the chain goes; key 0: nothing. */
static inline enum gputm_metadata_table_updated end_chain(struct gputm_metadata_table *t,
							  uint64_t key, uint64_t wts, uint64_t rts)
{
	if (!key) {
		t->entries++;
		t->ended[GPUTM_METADATA_TABLE_FILLED]++;
		return GPUTM_METADATA_TABLE_FILLED;
	}
	t->ended[GPUTM_METADATA_TABLE_EVICTED]++;
	if (evict(t, key, wts, rts))
		gputm__assert(false);
	return GPUTM_METADATA_TABLE_EVICTED;
}

static inline uint64_t exchange_word(uint64_t *word, uint64_t value)
{
	uint64_t old = *word;

	*word = value;
	return old;
}

/*
 * The first pass, from a key whose cells (turned) are all reserved: exchanges keys and notes
 * the cells. Ends with an open cell or NOWHERE, and the key that is in the hand then.
 */
static inline size_t search_chain(struct gputm_metadata_table *t, uint64_t *key, uint64_t *four,
				  uint32_t *swapped)
{
	const struct gputm__hold *hold = t->at.hold;
	const uint64_t *table = t->at.table;
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

/* ---- after the chain ---- */

static uint32_t stash_place(const struct gputm_metadata_table *t)
{
	uint32_t unlocked = NOWHERE;

	for (uint32_t at = t->capacity; at < t->cells; at++) {
		if (!t->at.key[at])
			return at;
		if (!t->at.hold[at].writes && unlocked == NOWHERE)
			unlocked = at;
	}
	return unlocked;
}

/* Where the pair that the chain left goes. */
APART enum gputm_metadata_table_updated settle(struct gputm_metadata_table *t,
					       const struct gputm__pair *hand, uint32_t *cycles)
{
	uint32_t at = stash_place(t);

	if (at != NOWHERE) {
		if (t->at.key[at]) {
			gputm__metadata_approximate(t, t->at.key[at], t->at.stamps[at]);
			++*cycles;
		} else {
			gputm__maximum(&t->stash_max, ++t->stashed_now);
		}
		gputm__metadata_put(t, at, hand);
		return GPUTM_METADATA_TABLE_STASHED;
	}
	if (!hand->hold.writes) {
		gputm__metadata_approximate(t, hand->key, hand->stamps);
		return GPUTM_METADATA_TABLE_APPROXIMATED;
	}
	gputm__overflow_add(&t->overflow, hand->key, hand->stamps, hand->hold);
	gputm__maximum(&t->overflow_max, ++t->overflow_now);
	*cycles += t->config.memory_latency;
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_SPILL, hand->key & ~VALID,
		    t->overflow_now, 0, 0);
	return GPUTM_METADATA_TABLE_SPILLED;
}

/* Every chain that is not settled may need room. 0 or -ENOMEM. */
static inline int make_room(struct gputm_metadata_table *t)
{
	if (GPUTM__LIKELY(gputm__overflow_has_room(&t->overflow)))
		return 0;
	return gputm__overflow_reserve(t->unit.ctx, &t->overflow);
}

static inline int count_insertion(struct gputm_metadata_table *t,
				  enum gputm_metadata_table_updated end, uint32_t swaps,
				  uint32_t cycles)
{
	pass_turn(t);
	t->insertions++;
	t->swaps += swaps;
	t->ended[end]++;
	t->insert_cycles += cycles;
	return (int)end;
}

/* The stamps of an entry to be made: what the filter knows, or more. */
static inline struct gputm__pair new_pair(const struct gputm_metadata_table *t, uint64_t key,
					  const struct gputm_metadata *in)
{
	struct gputm__pair pair = { key, { t->latch_wts, t->latch_rts }, gputm__metadata_hold(in) };
	int error = 0;

	if (GPUTM__UNLIKELY(t->latch_key != key))
		error = gputm_metadata_table_estimate_probe(t, key & ~VALID, &pair.stamps.wts,
							    &pair.stamps.rts);
	gputm__assert(!error);
	(void)error;
	pair.stamps.wts = gputm__metadata_larger(pair.stamps.wts, in->wts);
	pair.stamps.rts = gputm__metadata_larger(pair.stamps.rts, in->rts);
	return pair;
}

int gputm__metadata_insert(struct gputm_metadata_table *t, uint64_t key,
			   const struct gputm_metadata *in, uint32_t *cycles)
{
	struct gputm__pair hand = new_pair(t, key, in);
	enum gputm_metadata_table_updated end;
	uint32_t swaps = 0;

	if (make_room(t))
		return -ENOMEM;
	end = run_chain(t, &hand, &swaps);
	*cycles = 1 + swaps;
	if (end == GPUTM_METADATA_TABLE_UPDATED)
		end = settle(t, &hand, cycles);
	gputm__cells_reserved(&t->at, 0, in->writes);
	count_insertion(t, end, swaps, *cycles);
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_INSERT, key & ~VALID, end, swaps,
		    *cycles);
	return (int)end;
}

static inline void count_chain(struct gputm_metadata_table *t, const struct gputm_metadata *in,
			      uint32_t swaps, uint32_t cost, uint32_t *cycles)
{
	gputm__cells_reserved(&t->at, 0, in->writes);
	if (cycles)
		*cycles = cost;
	t->turn = (t->turn + 1) & 3;
	t->insertions++;
	t->swaps += swaps;
	t->insert_cycles += cost;
}

/* The chain found no open cell. */
APART int settle_chain(struct gputm_metadata_table *t, const struct gputm__pair *hand,
		       const struct gputm_metadata *in, uint32_t swaps, uint32_t *cycles)
{
	uint32_t cost = 1 + swaps;
	enum gputm_metadata_table_updated end = settle(t, hand, &cost);

	count_chain(t, in, swaps, cost, cycles);
	t->ended[end]++;
	return (int)end;
}

APART int insert_by_chain(struct gputm_metadata_table *t, uint64_t key, uint64_t four,
			  const struct gputm_metadata *in, uint32_t *cycles)
{
	struct gputm__pair hand = new_pair(t, key, in);
	uint32_t swaps;
	size_t at = search_chain(t, &hand.key, &four, &swaps);

	follow_chain(t, swaps, &hand);
	if (GPUTM__UNLIKELY(at == NOWHERE))
		return settle_chain(t, &hand, in, swaps, cycles);
	at = free_cell(t, four, (size_t)gputm__opaque(at));
	count_chain(t, in, swaps, 1 + swaps, cycles);
	t->at.hold[at] = hand.hold;
	hand.key = exchange_word(&t->at.key[at], hand.key);
	hand.stamps.wts = exchange_word(&t->at.stamps[at].wts, hand.stamps.wts);
	hand.stamps.rts = exchange_word(&t->at.stamps[at].rts, hand.stamps.rts);
	return (int)end_chain(t, hand.key, hand.stamps.wts, hand.stamps.rts);
}

/* No estimate is at hand. */
APART int insert_unasked(struct gputm_metadata_table *t, uint64_t key, uint64_t four,
			 const struct gputm_metadata *in, uint32_t *cycles)
{
	if (gputm_metadata_table_estimate_probe(t, key & ~VALID, &t->latch_wts, &t->latch_rts))
		gputm__assert(false);
	t->latch_key = key;
	return gputm__metadata_insert_four(t, key, four, in, cycles);
}

/* The latch has the estimate, and the cell is open. */
APART int insert_at(struct gputm_metadata_table *t, uint64_t key, size_t at,
		    const struct gputm_metadata *in, uint32_t *cycles)
{
	struct gputm__stamps *stamps = &t->at.stamps[at];
	uint64_t wts, rts;

	count_chain(t, in, 0, 1, cycles);
	t->at.hold[at] = gputm__metadata_hold(in);
	key = exchange_word(&t->at.key[at], key);
	wts = exchange_word(&stamps->wts, gputm__metadata_larger(t->latch_wts, in->wts));
	rts = exchange_word(&stamps->rts, gputm__metadata_larger(t->latch_rts, in->rts));
	return (int)end_chain(t, key, wts, rts);
}

int gputm__metadata_insert_four(struct gputm_metadata_table *t, uint64_t key, uint64_t four,
				const struct gputm_metadata *in, uint32_t *cycles)
{
	size_t at;

	if (GPUTM__UNLIKELY(t->latch_key != key))
		return insert_unasked(t, key, four, in, cycles);
	four = turned(four, t->turn * 16);
	at = open_cell(t->at.hold, four);
	if (at == NOWHERE)
		return insert_by_chain(t, key, four, in, cycles);
	return insert_at(t, key, free_cell(t, four, (size_t)gputm__opaque(at)), in, cycles);
}
