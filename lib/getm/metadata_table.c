/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transaction metadata of a memory partition
 * ==========================================
 *
 * GETM (HPCA 2018), V-B1 and Fig. 8; D. Fotakis et al., "Space efficient hash tables with
 * worst case constant access time", 2005 (d-ary cuckoo hashing); A. Kirsch et al., "More
 * robust hashing: cuckoo hashing with a stash", 2009.
 *
 * A granule has two stamps and, while a transaction is about to write it, a reservation.
 * Reservations must be exact and stamps need not be: one that is too young costs an abort.
 * So entries with #writes > 0 stay in the exact structures, and an entry without reservation
 * may at any time be merged into the recency filter, from where it returns, a little older
 * in its claims, when it is accessed again.
 *
 *	lookup(g):  the cell of g in each way, and the stash: one access
 *	            the chain of g's bucket in the overflow: one memory access per entry
 *	insert(g):  hand = g; repeat
 *	                a cell of hand's is free        put it there           FILLED
 *	                one holds an unreserved entry   filter it, put         EVICTED
 *	                else                            exchange it with the occupant of the
 *	                                                next way in turn
 *	            after longest_chain exchanges
 *	                the stash has room, or an unreserved entry to filter   STASHED
 *	                hand is unreserved              filter it              APPROXIMATED
 *	                else                            to the overflow        SPILLED
 *	An entry of stash or overflow whose last reservation goes is reclaimed at once: to a
 *	free cell of its ways, else to the filter.
 *
 * Example, two ways of two entries, all cells taken; * marks a reservation. X has the
 * cells way 0/1 and way 1/0; the turn is at way 0:
 *
 *	                       way 0     way 1     hand
 *	insert X               A* B*     C* D      X     C* and B* are reserved: no end yet
 *	exchange in way 0      A* X      C* D      B*    B's cells: 0/1 (X, never evicted)
 *	                                                 and 1/1 (D, not reserved)
 *	evict D                A* X      C* B*           filter(D) = max(filter(D), D's stamps)
 *
 * The model keeps ways and stash in one array of cells, stash last, and the keys apart from
 * the rest, so that a search reads nothing but keys. A key is the granule's address with the
 * lowest bit set; 0 is a free cell.
 *
 * Invariants, as check() names them:
 *   M1  a key in a way lies in the cell that the way's hash gives it
 *   M2  no key is in two places
 *   M3  an overflow entry has reserved writes
 *   M4  stamps, owners and numbers of writes fit their widths
 *   M5  insertions = entries in ways, stash and overflow + evictions + flushed
 *   M6  insertions = filled + evicting + stashed + spilled + approximated
 *   M7  gauges equal a recount; chains of the overflow are sorted and complete
 *
 * Differences from the paper
 *   - The paper does not say when an unreserved entry is evicted. Here as soon as the chain
 *     meets one; all cells of the pair in hand are read at each step, as a look-up does, so
 *     it meets four of them a step. `evict_above` puts this off until the ways are so full.
 *   - A pair without reservation that is in the hand when a chain ends before a stash full
 *     of reservations goes to the filter and not to memory: the overflow has only
 *     reservations, and is therefore empty when none is left.
 *   - The paper's overflow is a list that was never used; see overflow.c.
 *   - 128 bits per entry leave more than the fields that the paper names need; widths of
 *     address, count and owner are config fields. The warp part of the stamps, which
 *     the paper does not have, is reported apart.
 */
#include "lib/getm/metadata_table.h"

#define VALID GPUTM__METADATA_VALID
#define NOWHERE GPUTM__NOWHERE

/* ---- search ---- */

/* Kept out of line and called last, so that the data path needs no stack frame. */
#define APART static __attribute__((noinline))

APART int refuse_address(const struct gputm_metadata_table *t, uint64_t address)
{
	return gputm__out_of_range(&t->unit, "address", address, 0, t->address_max);
}

static uint32_t find_in_ways(const struct gputm_metadata_table *t, uint64_t key)
{
	if (t->narrow_end)
		return gputm__metadata_in_four(t, gputm__h3_narrow(t->table, key), key);
	for (uint32_t way = 0; way < t->config.ways; way++) {
		uint32_t at = (uint32_t)gputm__h3_cell(t->h3, way, key);

		if (t->key[at] == key)
			return at;
	}
	return NOWHERE;
}

static uint32_t find_in_stash(const struct gputm_metadata_table *t, uint64_t key)
{
	if (t->stashed_now)
		for (uint32_t at = t->capacity; at < t->cells; at++)
			if (t->key[at] == key)
				return at;
	return NOWHERE;
}

uint32_t gputm__metadata_find(const struct gputm_metadata_table *t, uint64_t key)
{
	uint32_t at = find_in_ways(t, key);

	return at == NOWHERE ? find_in_stash(t, key) : at;
}

static inline int show(const struct gputm__meta *meta, uint32_t place, uint32_t cycles,
		       struct gputm_metadata *out)
{
	memcpy(out, meta, sizeof(*meta)); /* the same fields in the same order */
	out->place = place;
	out->cycles = cycles;
	return GPUTM_METADATA_TABLE_HIT;
}

static int show_overflow(const struct gputm_metadata_table *t, uint64_t key,
			 struct gputm_metadata *out)
{
	uint32_t visited = 0, at = gputm__overflow_find(&t->overflow, key, &visited);
	uint32_t cycles = 1 + visited * t->config.memory_latency;

	if (at != NOWHERE)
		return show(&t->overflow.node[at].meta, NOWHERE, cycles, out);
	out->place = NOWHERE;
	out->cycles = cycles;
	return GPUTM_METADATA_TABLE_MISS;
}

APART int lookup_beyond(struct gputm_metadata_table *t, uint64_t key, struct gputm_metadata *out)
{
	uint32_t at = find_in_stash(t, key);
	int result;

	if (at != NOWHERE) {
		t->hits++;
		return show(&t->meta[at], at, 1, out);
	}
	if (!t->overflow_now) {
		t->misses++;
		out->place = NOWHERE;
		out->cycles = 1;
		return GPUTM_METADATA_TABLE_MISS;
	}
	result = show_overflow(t, key, out);
	t->hits += (unsigned)result;
	t->misses += !result;
	t->overflow_cycles += out->cycles - 1;
	return result;
}

APART int lookup_any(struct gputm_metadata_table *t, uint64_t address, struct gputm_metadata *out)
{
	uint64_t key = gputm__metadata_key(t, address);
	uint32_t at;

	if (address > t->address_max)
		return refuse_address(t, address);
	at = find_in_ways(t, key);
	if (at == NOWHERE)
		return lookup_beyond(t, key, out);
	t->hits++;
	return show(&t->meta[at], at, 1, out);
}

int gputm_metadata_table_lookup(struct gputm_metadata_table *t, uint64_t address,
				struct gputm_metadata *out)
{
	uint64_t key = gputm__metadata_key(t, address);
	uint32_t at;

	if (address >= t->narrow_end)
		return lookup_any(t, address, out);
	at = gputm__metadata_in_four(t, gputm__h3_narrow(t->table, address), key);
	if (at == NOWHERE)
		return lookup_beyond(t, key, out);
	t->hits++;
	return show(&t->meta[at], at, 1, out);
}

int gputm_metadata_table_lookup_probe(const struct gputm_metadata_table *t, uint64_t address,
				      struct gputm_metadata *out)
{
	uint64_t key = gputm__metadata_key(t, address);
	uint32_t at;

	if (address > t->address_max)
		return refuse_address(t, address);
	at = gputm__metadata_find(t, key);
	return at == NOWHERE ? show_overflow(t, key, out) : show(&t->meta[at], at, 1, out);
}

int gputm_metadata_table_estimate_probe(const struct gputm_metadata_table *t, uint64_t address,
					uint64_t *wts, uint64_t *rts)
{
	if (GPUTM__LIKELY(t->filter != NULL))
		return gputm_recency_bloom_query_pair(t->filter, address, wts, rts);
	if (address > t->address_max)
		return refuse_address(t, address);
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
	t->latch_key = gputm__metadata_key(t, address);
	t->latch_wts = *wts;
	t->latch_rts = *rts;
	return 0;
}

/* ---- update ---- */

static inline void merge(struct gputm_metadata_table *t, struct gputm__meta *meta,
			 const struct gputm_metadata *in)
{
	gputm__metadata_locks(t, meta->writes, in->writes);
	meta->wts = gputm__metadata_larger(meta->wts, in->wts);
	meta->rts = gputm__metadata_larger(meta->rts, in->rts);
	meta->writes = in->writes;
	meta->owner = in->owner;
}

static inline bool fits(const struct gputm_metadata_table *t, const struct gputm_metadata *in)
{
	return (in->wts | in->rts) <= t->stamp_max && in->writes <= t->count_max &&
	       in->owner <= t->owner_max;
}

APART int refuse_update(const struct gputm_metadata_table *t, uint64_t address,
			const struct gputm_metadata *in)
{
	if (address > t->address_max)
		return refuse_address(t, address);
	if (in->wts > t->stamp_max)
		return gputm__out_of_range(&t->unit, "wts", in->wts, 0, t->stamp_max);
	if (in->rts > t->stamp_max)
		return gputm__out_of_range(&t->unit, "rts", in->rts, 0, t->stamp_max);
	if (in->writes > t->count_max)
		return gputm__out_of_range(&t->unit, "writes", in->writes, 0, t->count_max);
	return gputm__out_of_range(&t->unit, "owner", in->owner, 0, t->owner_max);
}

/* To a free cell of its ways, else to the filter. */
static int reclaim(struct gputm_metadata_table *t, const struct gputm__pair *pair)
{
	uint32_t at = gputm__metadata_choose(t, pair->key, NOWHERE);

	if (t->key[at]) {
		gputm__metadata_approximate(t, pair->key, &pair->meta);
	} else {
		gputm__metadata_put(t, at, pair);
		t->entries++;
	}
	return GPUTM_METADATA_TABLE_RECLAIMED;
}

static struct gputm__pair take_from_stash(struct gputm_metadata_table *t, uint32_t at)
{
	struct gputm__pair pair = { t->key[at], t->meta[at] };

	t->key[at] = 0;
	t->meta[at] = (struct gputm__meta){ 0, 0, 0, 0 };
	t->stashed_now--;
	return pair;
}

APART int update_stash(struct gputm_metadata_table *t, uint32_t at, const struct gputm_metadata *in)
{
	struct gputm__pair pair;

	merge(t, &t->meta[at], in);
	if (in->writes)
		return GPUTM_METADATA_TABLE_UPDATED;
	pair = take_from_stash(t, at);
	return reclaim(t, &pair);
}

static int update_overflow(struct gputm_metadata_table *t, uint32_t at,
			   const struct gputm_metadata *in)
{
	struct gputm__pair pair;

	merge(t, &t->overflow.node[at].meta, in);
	if (in->writes)
		return GPUTM_METADATA_TABLE_UPDATED;
	pair.key = t->overflow.node[at].key;
	pair.meta = t->overflow.node[at].meta;
	gputm__overflow_remove(&t->overflow, at);
	t->overflow_now--;
	return reclaim(t, &pair);
}

APART int update_apart(struct gputm_metadata_table *t, uint64_t address,
		       const struct gputm_metadata *in, uint32_t *cycles)
{
	uint64_t key = gputm__metadata_key(t, address);
	uint32_t at = gputm__metadata_find(t, key), cost = 0;
	int result;

	if (at != NOWHERE && at >= t->capacity) {
		result = update_stash(t, at, in);
	} else if (at != NOWHERE) {
		merge(t, &t->meta[at], in);
		result = GPUTM_METADATA_TABLE_UPDATED;
	} else {
		at = t->overflow_now ? gputm__overflow_find(&t->overflow, key, &cost) : NOWHERE;
		cost = 0;
		result = at == NOWHERE ? gputm__metadata_insert(t, key, in, &cost) :
					 update_overflow(t, at, in);
	}
	if (cycles && result >= 0)
		*cycles = cost;
	return result;
}

APART int update_elsewhere(struct gputm_metadata_table *t, uint64_t address,
			   const struct gputm_metadata *in, uint32_t *cycles)
{
	int result;

	if (t->narrow_end && !(t->stashed_now | t->overflow_now) && !t->unit.observe) {
		result = gputm__metadata_insert_at_once(t, gputm__metadata_key(t, address), in,
							cycles);
		if (result != GPUTM_METADATA_TABLE_UPDATED)
			return result;
	}
	return update_apart(t, address, in, cycles);
}

int gputm_metadata_table_update(struct gputm_metadata_table *t, uint64_t address,
				const struct gputm_metadata *in, uint32_t *cycles)
{
	uint32_t at = in->place;

	if (GPUTM__UNLIKELY(address > t->address_max || !fits(t, in)))
		return refuse_update(t, address, in);
	if (at >= t->capacity || t->key[at] != gputm__metadata_key(t, address))
		return update_elsewhere(t, address, in, cycles);
	merge(t, &t->meta[at], in);
	if (cycles)
		*cycles = 0;
	return GPUTM_METADATA_TABLE_UPDATED;
}

int gputm_metadata_table_remove(struct gputm_metadata_table *t, uint64_t address)
{
	uint64_t key = gputm__metadata_key(t, address);
	uint32_t visited = 0, at;

	if (address > t->address_max)
		return refuse_address(t, address);
	at = gputm__metadata_find(t, key);
	if (at == NOWHERE)
		return gputm__overflow_find(&t->overflow, key, &visited) == NOWHERE ?
			       GPUTM_METADATA_TABLE_ABSENT : GPUTM_METADATA_TABLE_LOCKED;
	if (t->meta[at].writes)
		return GPUTM_METADATA_TABLE_LOCKED;
	gputm__metadata_approximate(t, key, &t->meta[at]);
	t->key[at] = 0;
	t->meta[at] = (struct gputm__meta){ 0, 0, 0, 0 };
	if (at < t->capacity)
		t->entries--;
	else
		t->stashed_now--;
	return GPUTM_METADATA_TABLE_REMOVED;
}

int gputm_metadata_table_flush(struct gputm_metadata_table *t)
{
	uint64_t forgotten = t->entries + t->stashed_now;

	if (t->locked)
		return gputm__refuse(&t->unit, "flush with %llu entries reserved",
				     (unsigned long long)t->locked);
	gputm__metadata_forget(t);
	t->flushed += forgotten;
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_FLUSH, forgotten, 0, 0, 0);
	return 0;
}

uint64_t gputm_metadata_table_writes(const struct gputm_metadata_table *t)
{
	return t->writes;
}

bool gputm_metadata_table_entry(const struct gputm_metadata_table *t, uint64_t index,
				uint64_t *address, struct gputm_metadata *out)
{
	const struct gputm__node *node;

	if (index < t->cells) {
		*address = t->key[index] ? t->key[index] & ~VALID : UINT64_MAX;
		show(&t->meta[index], (uint32_t)index, 1, out);
		return true;
	}
	if (index - t->cells >= t->overflow.count)
		return false;
	node = &t->overflow.node[index - t->cells];
	*address = node->key & ~VALID;
	show(&node->meta, NOWHERE, 1, out);
	return true;
}
