/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Insertion into the metadata table: the chain, where it ends, and the stamps that the filter
 * keeps; see metadata_table.c.
 */
#include "lib/getm/metadata_table-priv.h"

#define VALID GPUTM__METADATA_VALID
#define NOWHERE GPUTM__NOWHERE
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

static GPUTM__INLINE size_t choose(const struct gputm_metadata_table *t,
				   struct gputm__h3_shape shape, uint64_t key, size_t mine)
{
	size_t first = NOWHERE, second = NOWHERE;
	uint32_t cell[GPUTM__H3_WAYS], way = t->turn;

	gputm__h3_cells(t->h3, shape, key, cell);
	for (uint32_t i = 0; i < shape.ways; i++) {
		size_t at = cell[way];

		if (!t->at.key[at])
			return at;
		if (second == NOWHERE && unlocked(t, at, mine))
			second = at;
		if (first == NOWHERE)
			first = at;
		way = way + 1 == shape.ways ? 0 : way + 1;
	}
	return second == NOWHERE ? first : second;
}

size_t gputm__metadata_choose(const struct gputm_metadata_table *t, uint64_t key, size_t mine)
{
	return t->h3->usual ? choose(t, GPUTM__H3_USUAL, key, mine)
			    : choose(t, t->h3->shape, key, mine);
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
	end = t->fast ? gputm__metadata_run_chain_fast(t, &hand, &swaps)
		      : run_chain(t, &hand, &swaps);
	*cycles = 1 + swaps;
	if (end == GPUTM_METADATA_TABLE_UPDATED)
		end = settle(t, &hand, cycles);
	gputm__cells_reserved(&t->at, 0, in->writes);
	count_insertion(t, end, swaps, *cycles);
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_INSERT, key & ~VALID, end, swaps,
		    *cycles);
	return (int)end;
}
