/* SPDX-License-Identifier: BSD-2-Clause */
/* Insertion into the metadata table: the chain, and where it ends; see metadata_table.c. */
#include "lib/getm/metadata_table.h"

#define VALID GPUTM__METADATA_VALID
#define NOWHERE GPUTM__NOWHERE
#define APART static __attribute__((noinline))

void gputm__metadata_approximate(struct gputm_metadata_table *t, uint64_t key,
				 const struct gputm__meta *meta)
{
	int error = 0;

	gputm__assert(!meta->writes);
	if (t->filter) {
		error = gputm_recency_bloom_update_pair(t->filter, key & ~VALID, meta->wts,
							meta->rts);
	} else {
		gputm__maximum(&t->register_wts, meta->wts);
		gputm__maximum(&t->register_rts, meta->rts);
	}
	gputm__assert(!error);
	(void)error;
	t->evictions++;
	t->latch_key = 0;
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_EVICT, key & ~VALID, meta->wts, meta->rts,
		    0);
}

static inline bool unlocked(const struct gputm_metadata_table *t, uint32_t at, uint32_t mine)
{
	return !t->meta[at].writes && at != mine;
}

/*
 * The cell for a step of the chain, among those of a key, beginning with the way whose turn
 * it is: a free one, else one without reservation that is not `mine`, else the first.
 */
APART uint32_t choose_any(const struct gputm_metadata_table *t, uint64_t key, uint32_t mine)
{
	uint32_t first = NOWHERE, second = NOWHERE, ways = t->config.ways, way = t->turn;

	for (uint32_t i = 0; i < ways; i++) {
		uint32_t at = (uint32_t)gputm__h3_cell(t->h3, way, key);

		if (!t->key[at])
			return at;
		if (second == NOWHERE && unlocked(t, at, mine))
			second = at;
		if (first == NOWHERE)
			first = at;
		way = way + 1 == ways ? 0 : way + 1;
	}
	return second == NOWHERE ? first : second;
}

/* The same for four ways, whose cells are in the fields of a word. */
static inline uint32_t best_of_four(const struct gputm_metadata_table *t, uint64_t cells,
				    uint32_t mine)
{
	uint32_t a, b, c, d, turn = t->turn * 16;
	const uint64_t *keys = t->key;

	cells = cells >> turn | cells << (-turn & 63);
	a = cells & 0xffff;
	b = cells >> 16 & 0xffff;
	c = cells >> 32 & 0xffff;
	d = (uint32_t)(cells >> 48);
	if (t->entries < t->capacity) {
		uint32_t at = !keys[a] ? a : !keys[b] ? b : !keys[c] ? c : d;

		if (!keys[at])
			return at;
	}
	if (unlocked(t, a, mine))
		return a;
	if (unlocked(t, b, mine))
		return b;
	if (unlocked(t, c, mine))
		return c;
	return unlocked(t, d, mine) ? d : a;
}

uint32_t gputm__metadata_choose(const struct gputm_metadata_table *t, uint64_t key, uint32_t mine)
{
	return t->narrow_end ? best_of_four(t, gputm__h3_narrow(t->table, key), mine) :
			       choose_any(t, key, mine);
}

static inline void exchange(struct gputm_metadata_table *t, uint32_t at, struct gputm__pair *hand)
{
	struct gputm__pair other = { t->key[at], t->meta[at] };

	gputm__metadata_put(t, at, hand);
	*hand = other;
}

static inline void pass_turn(struct gputm_metadata_table *t)
{
	t->turn = t->turn + 1 == t->config.ways ? 0 : t->turn + 1;
}

/* Returns how the chain ended; UPDATED: with a pair left in the hand. */
static inline enum gputm_metadata_table_updated run_chain(struct gputm_metadata_table *t,
							  struct gputm__pair *hand,
							  uint32_t *swapped)
{
	uint64_t inserted = hand->key;
	uint32_t at, mine = NOWHERE, swaps = 0;

	for (;; swaps++) {
		bool last = swaps == t->config.longest_chain;

		at = gputm__metadata_choose(t, hand->key, mine);
		*swapped = swaps;
		if (!t->key[at]) {
			t->entries++;
			gputm__metadata_put(t, at, hand);
			return GPUTM_METADATA_TABLE_FILLED;
		}
		if (unlocked(t, at, mine) && (t->entries >= t->evict_from || last)) {
			gputm__metadata_approximate(t, t->key[at], &t->meta[at]);
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

static uint32_t stash_place(const struct gputm_metadata_table *t)
{
	uint32_t unlocked = NOWHERE;

	for (uint32_t at = t->capacity; at < t->cells; at++) {
		if (!t->key[at])
			return at;
		if (!t->meta[at].writes && unlocked == NOWHERE)
			unlocked = at;
	}
	return unlocked;
}

/* Where the pair that the chain left goes. */
static enum gputm_metadata_table_updated settle(struct gputm_metadata_table *t,
						const struct gputm__pair *hand, uint32_t *cycles)
{
	uint32_t at = stash_place(t);

	if (at != NOWHERE) {
		if (t->key[at]) {
			gputm__metadata_approximate(t, t->key[at], &t->meta[at]);
			++*cycles;
		} else {
			gputm__maximum(&t->stash_max, ++t->stashed_now);
		}
		gputm__metadata_put(t, at, hand);
		return GPUTM_METADATA_TABLE_STASHED;
	}
	if (!hand->meta.writes) {
		gputm__metadata_approximate(t, hand->key, &hand->meta);
		return GPUTM_METADATA_TABLE_APPROXIMATED;
	}
	gputm__overflow_add(&t->overflow, hand->key, &hand->meta);
	gputm__maximum(&t->overflow_max, ++t->overflow_now);
	*cycles += t->config.memory_latency;
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_SPILL, hand->key & ~VALID,
		    t->overflow_now, 0, 0);
	return GPUTM_METADATA_TABLE_SPILLED;
}

static int insert(struct gputm_metadata_table *t, struct gputm__pair *hand, uint32_t *cycles)
{
	uint64_t address = hand->key & ~VALID;
	enum gputm_metadata_table_updated end;
	uint32_t swaps = 0;

	if (GPUTM__UNLIKELY(!gputm__overflow_has_room(&t->overflow)) &&
	    gputm__overflow_reserve(t->unit.ctx, &t->overflow))
		return -ENOMEM;
	end = run_chain(t, hand, &swaps);
	*cycles = 1 + swaps;
	if (end == GPUTM_METADATA_TABLE_UPDATED)
		end = settle(t, hand, cycles);
	pass_turn(t);
	t->insertions++;
	t->swaps += swaps;
	t->ended[end]++;
	t->insert_cycles += *cycles;
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_INSERT, address, end, swaps, *cycles);
	return (int)end;
}

/* The stamps of an entry to be made: what the filter knows, or more. */
static inline struct gputm__pair new_pair(const struct gputm_metadata_table *t, uint64_t key,
					  const struct gputm_metadata *in)
{
	struct gputm__pair pair = { key, { t->latch_wts, t->latch_rts, in->writes, in->owner } };
	int error = 0;

	if (GPUTM__UNLIKELY(t->latch_key != key))
		error = gputm_metadata_table_estimate_probe(t, key & ~VALID, &pair.meta.wts,
							    &pair.meta.rts);
	gputm__assert(!error);
	(void)error;
	pair.meta.wts = gputm__metadata_larger(pair.meta.wts, in->wts);
	pair.meta.rts = gputm__metadata_larger(pair.meta.rts, in->rts);
	return pair;
}

int gputm__metadata_insert(struct gputm_metadata_table *t, uint64_t key,
			   const struct gputm_metadata *in, uint32_t *cycles)
{
	struct gputm__pair hand = new_pair(t, key, in);
	int result = insert(t, &hand, cycles);

	if (result >= 0)
		gputm__metadata_locks(t, 0, in->writes);
	return result;
}

/*
 * The usual insertion by a straight way: four ways, nothing in stash or overflow, and the first
 * step ends the chain. UPDATED when it is not that.
 */
int gputm__metadata_insert_at_once(struct gputm_metadata_table *t, uint64_t key,
				   const struct gputm_metadata *in, uint32_t *cycles)
{
	uint64_t cells = gputm__h3_narrow(t->table, key);
	uint32_t at = best_of_four(t, cells, NOWHERE);
	struct gputm__pair pair;

	if (gputm__metadata_in_four(t, cells, key) != NOWHERE || t->meta[at].writes ||
	    t->entries < t->evict_from)
		return GPUTM_METADATA_TABLE_UPDATED;
	pair = new_pair(t, key, in);
	t->insertions++;
	t->insert_cycles++;
	pass_turn(t);
	gputm__metadata_locks(t, 0, in->writes);
	if (cycles)
		*cycles = 1;
	if (t->key[at]) {
		gputm__metadata_approximate(t, t->key[at], &t->meta[at]);
		gputm__metadata_put(t, at, &pair);
		t->ended[GPUTM_METADATA_TABLE_EVICTED]++;
		return GPUTM_METADATA_TABLE_EVICTED;
	}
	gputm__metadata_put(t, at, &pair);
	t->entries++;
	t->ended[GPUTM_METADATA_TABLE_FILLED]++;
	return GPUTM_METADATA_TABLE_FILLED;
}
