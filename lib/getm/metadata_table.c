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
#include "lib/getm/metadata_table-priv.h"

#define VALID GPUTM__METADATA_VALID
#define NOWHERE GPUTM__NOWHERE

/* ---- search ---- */

/* Kept out of line and called last, so that the data path needs no stack frame. */
APART int refuse_address(const struct gputm_metadata_table *t, uint64_t address)
{
	return gputm__out_of_range(&t->unit, "address", address, 0, t->address_max);
}

size_t gputm__cells_among_any(const struct gputm__cells *c, uint64_t key)
{
	return gputm__cells_among(c, c->h3->shape, key);
}

static size_t find_in_stash(const struct gputm_metadata_table *t, uint64_t key)
{
	if (t->stashed_now)
		for (size_t at = t->capacity; at < t->cells; at++)
			if (t->at.key[at] == key)
				return at;
	return NOWHERE;
}

size_t gputm__metadata_find(const struct gputm_metadata_table *t, uint64_t key)
{
	size_t at = gputm__cells_find(&t->at, key);

	return at == NOWHERE ? find_in_stash(t, key) : at;
}

static inline int show(struct gputm__stamps stamps, struct gputm__hold hold, size_t place,
		       uint32_t cycles, struct gputm_metadata *out)
{
	out->wts = stamps.wts;
	out->rts = stamps.rts;
	out->writes = hold.writes;
	out->owner = hold.owner;
	out->place = (uint32_t)place;
	out->cycles = cycles;
	return GPUTM_METADATA_TABLE_HIT;
}

static inline int show_cell(const struct gputm_metadata_table *t, size_t at,
			    struct gputm_metadata *out)
{
	return show(t->at.stamps[at], t->at.hold[at], at, 1, out);
}

static int show_overflow(const struct gputm_metadata_table *t, uint64_t key,
			 struct gputm_metadata *out)
{
	uint32_t visited = 0, at = gputm__overflow_find(&t->overflow, key, &visited);
	uint32_t cycles = 1 + visited * t->config.memory_latency;

	if (at != NOWHERE)
		return show(t->overflow.node[at].stamps, t->overflow.node[at].hold, NOWHERE, cycles,
			    out);
	out->place = NOWHERE;
	out->cycles = cycles;
	return GPUTM_METADATA_TABLE_MISS;
}

APART int lookup_beyond(struct gputm_metadata_table *t, uint64_t key, struct gputm_metadata *out)
{
	size_t at = find_in_stash(t, key);
	int result;

	if (at != NOWHERE) {
		t->at.hits++;
		return show_cell(t, at, out);
	}
	if (!t->overflow_now) {
		t->misses++;
		out->place = NOWHERE;
		out->cycles = 1;
		return GPUTM_METADATA_TABLE_MISS;
	}
	result = show_overflow(t, key, out);
	t->at.hits += (unsigned)result;
	t->misses += !result;
	t->overflow_cycles += out->cycles - 1;
	return result;
}

int gputm_metadata_table_lookup(struct gputm_metadata_table *t, uint64_t address,
				struct gputm_metadata *out)
{
	size_t at;

	if (GPUTM__UNLIKELY(address > t->address_max))
		return refuse_address(t, address);
	at = gputm__cells_find(&t->at, address);
	if (at == NOWHERE)
		return lookup_beyond(t, gputm__cells_key(&t->at, address), out);
	t->at.hits++;
	return show_cell(t, (size_t)gputm__opaque(at), out);
}

int gputm_metadata_table_lookup_probe(const struct gputm_metadata_table *t, uint64_t address,
				      struct gputm_metadata *out)
{
	uint64_t key = gputm__cells_key(&t->at, address);
	size_t at;

	if (address > t->address_max)
		return refuse_address(t, address);
	at = gputm__metadata_find(t, key);
	return at == NOWHERE ? show_overflow(t, key, out) : show_cell(t, at, out);
}

int gputm_metadata_table_get(struct gputm_metadata_table *t, uint64_t address,
			     struct gputm_metadata *out)
{
	int result = gputm_metadata_table_lookup(t, address, out);

	if (result != GPUTM_METADATA_TABLE_MISS)
		return result;
	out->writes = 0;
	out->owner = 0;
	return gputm_metadata_table_estimate(t, address, &out->wts, &out->rts);
}

/* ---- update ---- */

/* The entry's, or more, and the caller's reservation. */
static inline void merge(struct gputm_metadata_table *t, struct gputm__stamps *stamps,
			 struct gputm__hold *hold, const struct gputm_metadata *in)
{
	gputm__cells_reserved(&t->at, hold->writes, in->writes);
	stamps->wts = gputm__metadata_larger(stamps->wts, in->wts);
	stamps->rts = gputm__metadata_larger(stamps->rts, in->rts);
	*hold = gputm__metadata_hold(in);
}

static inline void merge_cell(struct gputm_metadata_table *t, size_t at,
			      const struct gputm_metadata *in)
{
	merge(t, &t->at.stamps[at], &t->at.hold[at], in);
}

static inline bool fits(const struct gputm_metadata_table *t, const struct gputm_metadata *in)
{
	struct gputm__hold hold = gputm__metadata_hold(in);
	uint64_t writes_and_owner;

	memcpy(&writes_and_owner, &hold, sizeof(hold));
	return (in->wts | in->rts) <= t->stamp_max && !(writes_and_owner & t->hold_unused);
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
	size_t at = gputm__metadata_choose(t, pair->key, NOWHERE);

	if (t->at.key[at]) {
		gputm__metadata_approximate(t, pair->key, pair->stamps);
	} else {
		gputm__metadata_put(t, at, pair);
		t->entries++;
	}
	return GPUTM_METADATA_TABLE_RECLAIMED;
}

APART int update_stash(struct gputm_metadata_table *t, size_t at, const struct gputm_metadata *in)
{
	struct gputm__pair pair;

	merge_cell(t, at, in);
	if (in->writes)
		return GPUTM_METADATA_TABLE_UPDATED;
	pair = gputm__metadata_take(t, at);
	t->stashed_now--;
	return reclaim(t, &pair);
}

static int update_overflow(struct gputm_metadata_table *t, uint32_t at,
			   const struct gputm_metadata *in)
{
	struct gputm__node *node = &t->overflow.node[at];
	struct gputm__pair pair;

	merge(t, &node->stamps, &node->hold, in);
	if (in->writes)
		return GPUTM_METADATA_TABLE_UPDATED;
	pair = (struct gputm__pair){ node->key, node->stamps, node->hold };
	gputm__overflow_remove(&t->overflow, at);
	t->overflow_now--;
	return reclaim(t, &pair);
}

/* An address that is not in the ways. */
static int update_beyond(struct gputm_metadata_table *t, uint64_t key,
			 const struct gputm_metadata *in, uint32_t *cycles)
{
	uint32_t visited = 0, at;
	size_t stashed = find_in_stash(t, key);

	if (stashed != NOWHERE)
		return update_stash(t, stashed, in);
	at = t->overflow_now ? gputm__overflow_find(&t->overflow, key, &visited) : NOWHERE;
	return at == NOWHERE ? gputm__metadata_insert(t, key, in, cycles) :
			       update_overflow(t, at, in);
}

/* No hint. */
APART int update_elsewhere(struct gputm_metadata_table *t, uint64_t address,
			   const struct gputm_metadata *in, uint32_t *cycles)
{
	size_t at = gputm__cells_find(&t->at, address);
	int result = GPUTM_METADATA_TABLE_UPDATED;
	uint32_t cost = 0;

	if (at != NOWHERE)
		merge_cell(t, at, in);
	else
		result = update_beyond(t, gputm__cells_key(&t->at, address), in, &cost);
	if (cycles && result >= 0)
		*cycles = cost;
	return result;
}

int gputm_metadata_table_update(struct gputm_metadata_table *t, uint64_t address,
				const struct gputm_metadata *in, uint32_t *cycles)
{
	size_t at = in->place;

	if (GPUTM__UNLIKELY(address > t->address_max || !fits(t, in)))
		return refuse_update(t, address, in);
	if (at >= t->capacity || t->at.key[at] != gputm__cells_key(&t->at, address))
		return update_elsewhere(t, address, in, cycles);
	merge_cell(t, at, in);
	if (cycles)
		*cycles = 0;
	return GPUTM_METADATA_TABLE_UPDATED;
}

int gputm_metadata_table_add_writes(struct gputm_metadata_table *t, uint64_t address,
				    int32_t change, uint32_t owner, uint32_t *cycles)
{
	struct gputm_metadata m = { 0 };
	int result = gputm_metadata_table_lookup_probe(t, address, &m);
	int64_t writes;

	if (result == GPUTM_METADATA_TABLE_MISS)
		result = gputm_metadata_table_estimate_probe(t, address, &m.wts, &m.rts);
	if (result < 0)
		return result;
	writes = (int64_t)m.writes + change;
	if (writes < 0)
		return gputm__refuse(&t->unit, "%llu writes released, %u are reserved",
				     (unsigned long long)-(int64_t)change, m.writes);
	if (writes > t->count_max)
		return gputm__out_of_range(&t->unit, "writes", (uint64_t)writes, 0, t->count_max);
	m.writes = (uint32_t)writes;
	m.owner = owner;
	return gputm_metadata_table_update(t, address, &m, cycles);
}

APART int remove_beyond(struct gputm_metadata_table *t, uint64_t key)
{
	size_t at = find_in_stash(t, key);
	uint32_t visited = 0;

	if (at == NOWHERE)
		return gputm__overflow_find(&t->overflow, key, &visited) == NOWHERE ?
			       GPUTM_METADATA_TABLE_ABSENT : GPUTM_METADATA_TABLE_LOCKED;
	if (t->at.hold[at].writes)
		return GPUTM_METADATA_TABLE_LOCKED;
	t->stashed_now--;
	gputm__metadata_approximate(t, key, gputm__metadata_take(t, at).stamps);
	return GPUTM_METADATA_TABLE_REMOVED;
}

int gputm_metadata_table_remove(struct gputm_metadata_table *t, uint64_t address)
{
	uint64_t key = gputm__cells_key(&t->at, address);
	struct gputm__stamps old;
	size_t at;

	if (GPUTM__UNLIKELY(address > t->address_max))
		return refuse_address(t, address);
	at = gputm__cells_find(&t->at, address);
	if (at == NOWHERE)
		return remove_beyond(t, key);
	at = (size_t)gputm__opaque(at);
	if (t->at.hold[at].writes)
		return GPUTM_METADATA_TABLE_LOCKED;
	old = t->at.stamps[at];
	gputm__metadata_free(t, at);
	t->entries--;
	gputm__metadata_approximate(t, key, old);
	return GPUTM_METADATA_TABLE_REMOVED;
}

void gputm__metadata_forget(struct gputm_metadata_table *t)
{
	memset(t->at.key, 0, t->cells * sizeof(*t->at.key));
	memset(t->at.stamps, 0, t->cells * sizeof(*t->at.stamps));
	memset(t->at.hold, 0, t->cells * sizeof(*t->at.hold));
	gputm__overflow_clear(&t->overflow);
	if (t->filter)
		gputm_recency_bloom_clear(t->filter);
	t->latch_key = 0;
	t->register_wts = 0;
	t->register_rts = 0;
	t->entries = 0;
	t->stashed_now = 0;
	t->overflow_now = 0;
	t->at.locked = 0;
	t->at.writes = 0;
}

int gputm_metadata_table_flush(struct gputm_metadata_table *t)
{
	uint64_t forgotten = t->entries + t->stashed_now;

	if (t->at.locked)
		return gputm__refuse(&t->unit, "flush with %llu entries reserved",
				     (unsigned long long)t->at.locked);
	gputm__metadata_forget(t);
	t->flushed += forgotten;
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_FLUSH, forgotten, 0, 0, 0);
	return 0;
}

uint64_t gputm_metadata_table_writes(const struct gputm_metadata_table *t)
{
	return t->at.writes;
}

int gputm_metadata_table_get_entry(const struct gputm_metadata_table *t, uint64_t index,
				   uint64_t *address, struct gputm_metadata *out)
{
	const struct gputm__node *node;

	if (index < t->cells) {
		*address = t->at.key[index] ? t->at.key[index] & ~VALID : UINT64_MAX;
		show_cell(t, (size_t)index, out);
		return 0;
	}
	if (index - t->cells >= t->overflow.count)
		return gputm__past_end(&t->unit, "entry", index, t->cells + t->overflow.count);
	node = &t->overflow.node[index - t->cells];
	*address = node->key & ~VALID;
	show(node->stamps, node->hold, NOWHERE, 1, out);
	return 0;
}
