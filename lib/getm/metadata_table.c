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
 * The two tables, and who moves an entry from where to where:
 *
 *	exact: an entry of each granule			approximate: maxima over granules
 *	+-----------+-----------+--------------+	+------------------------------+
 *	| ways      | stash     | overflow     |	| filter, or a register a      |
 *	| reserved  | reserved  | reserved     |	| stamp                        |
 *	| or not    | or not    | only         |	| never reserved               |
 *	+-----------+-----------+--------------+	+------------------------------+
 *	 run_chain()  settle()    settle()		 approximate(): stamps only
 *	      ^---------+-------------+--- reclaim() ---------^
 *	 update() of a granule without entry: a new one, with the filter's stamps at least
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
 * The model keeps ways and stash in one array of cells, stash last; a place is the number of a
 * cell, or what follows for the overflow. A key is the granule's address with the lowest bit
 * set; 0 is a free cell.
 *
 * Invariants, as check() names them:
 *   M1  a key in a way lies in the cell that the way's hash gives it
 *   M2  no key is in two places
 *   M3  an overflow entry has reserved writes
 *   M4  stamps, owners and numbers of writes fit their widths; a free cell has none
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

static int refuse_address(const struct gputm_metadata_table *t, uint64_t address)
{
	return gputm__out_of_range(&t->unit, "address", address, 0, t->address_max);
}

/* In the ways. */
static GPUTM__INLINE uint32_t among(const struct gputm_metadata_table *t,
				    struct gputm__h3_shape shape, uint64_t key)
{
	uint32_t cell[GPUTM__H3_WAYS];

	gputm__h3_cells(t->h3, shape, key, cell);
	GPUTM__H3_UNROLL
	for (uint32_t way = 0; way < shape.ways; way++)
		if (t->cell[cell[way]].key == key)
			return cell[way];
	return NOWHERE;
}

/* In the stash, or in memory. */
static uint32_t beside(const struct gputm_metadata_table *t, uint64_t key, uint32_t *cycles)
{
	uint32_t visited = 0, at;

	for (at = t->capacity; at < t->cells; at++)
		if (t->cell[at].key == key)
			return at;
	if (!t->overflow.count)
		return NOWHERE;
	at = gputm__overflow_find(&t->overflow, key, &visited);
	*cycles += visited * t->config.memory_latency;
	return at == NOWHERE ? NOWHERE : t->cells + at;
}

/*
 * The place of a key's entry or NOWHERE, and the cycles of the search: the stash is read together
 * with the ways, and memory after them.
 */
static uint32_t find(const struct gputm_metadata_table *t, uint64_t key, uint32_t *cycles)
{
	uint32_t at = GPUTM__H3_SHAPED(t->h3, among, t, key);

	*cycles = 1;
	if (at == NOWHERE && (t->stashed_now || t->overflow.count))
		return beside(t, key, cycles);
	return at;
}

static GPUTM__INLINE int look_up(const struct gputm_metadata_table *t, uint64_t address,
				 struct gputm_metadata_table_entry *out)
{
	const struct gputm__entry *entry;

	if (address > t->address_max)
		return refuse_address(t, address);
	out->place = find(t, gputm__metadata_key(t, address), &out->cycles);
	if (out->place == NOWHERE)
		return GPUTM_METADATA_TABLE_MISS;
	entry = gputm__metadata_at(t, out->place);
	out->wts = entry->wts;
	out->rts = entry->rts;
	out->writes = entry->writes;
	out->owner = entry->owner;
	return GPUTM_METADATA_TABLE_HIT;
}

int gputm_metadata_table_lookup_probe(const struct gputm_metadata_table *t, uint64_t address,
				      struct gputm_metadata_table_entry *out)
{
	return look_up(t, address, out);
}

/* Count the answer of a look-up. */
static int counted(struct gputm_metadata_table *t, int result,
		   const struct gputm_metadata_table_entry *out)
{
	if (result < 0)
		return result;
	if (result == GPUTM_METADATA_TABLE_HIT)
		t->hits++;
	else
		t->misses++;
	t->overflow_cycles += out->cycles - 1;
	return result;
}

int gputm_metadata_table_lookup(struct gputm_metadata_table *t, uint64_t address,
				struct gputm_metadata_table_entry *out)
{
	return counted(t, look_up(t, address, out), out);
}

/* ---- stamps of granules without entry ---- */

static int estimate(const struct gputm_metadata_table *t, uint64_t address, uint64_t *wts,
		    uint64_t *rts)
{
	if (t->filter)
		return gputm_recency_bloom_query_pair(t->filter, address, wts, rts);
	if (address > t->address_max)
		return refuse_address(t, address);
	*wts = t->register_wts;
	*rts = t->register_rts;
	return 0;
}

int gputm_metadata_table_estimate(const struct gputm_metadata_table *t, uint64_t address,
				  uint64_t *wts, uint64_t *rts)
{
	return estimate(t, address, wts, rts);
}

/* The entry, or the estimate without a reservation. */
static int known(const struct gputm_metadata_table *t, uint64_t address,
		 struct gputm_metadata_table_entry *out)
{
	int result = look_up(t, address, out);

	if (result != GPUTM_METADATA_TABLE_MISS)
		return result;
	out->writes = 0;
	out->owner = 0;
	return estimate(t, address, &out->wts, &out->rts);
}

int gputm_metadata_table_query(struct gputm_metadata_table *t, uint64_t address,
			       struct gputm_metadata_table_entry *out)
{
	return counted(t, known(t, address, out), out);
}

int gputm__metadata_get_probe(const struct gputm_metadata_table *t, uint64_t address,
			      struct gputm_metadata_table_entry *out)
{
	return known(t, address, out);
}

/* Put an entry's stamps into the filter or the registers; it has no reservation. */
static void approximate(struct gputm_metadata_table *t, const struct gputm__entry *entry)
{
	uint64_t address = entry->key & ~VALID;

	t->evictions++;
	if (!t->filter) {
		gputm__maximum(&t->register_wts, entry->wts);
		gputm__maximum(&t->register_rts, entry->rts);
	} else if (gputm_recency_bloom_update_pair(t->filter, address, entry->wts, entry->rts)) {
		gputm__assert(false);
	}
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_EVICT, address, entry->wts, entry->rts, 0);
}

/* ---- cells ---- */

static inline void put(struct gputm_metadata_table *t, uint32_t at,
		       const struct gputm__entry *entry)
{
	t->cell[at] = *entry;
	t->entries++;
}

/* Take the contents out of a place, which is free then. */
static inline struct gputm__entry take(struct gputm_metadata_table *t, uint32_t at)
{
	struct gputm__entry entry = *gputm__metadata_at(t, at);

	if (at >= t->cells) {
		gputm__overflow_remove(&t->overflow, at - t->cells);
		return entry;
	}
	t->cell[at] = (struct gputm__entry){ 0, 0, 0, 0, 0 };
	if (at < t->capacity)
		t->entries--;
	else
		t->stashed_now--;
	return entry;
}

/* ---- insertion: the chain ---- */

/* May the chain evict the entry in this cell? It may not evict the entry that is being inserted, in
 * `mine`. */
static inline bool unlocked(const struct gputm_metadata_table *t, uint32_t at, uint32_t mine)
{
	return !t->cell[at].writes && at != mine;
}

/* The first free cell from `way` on; if none is free, that way's own cell, which may be evicted. */
static uint32_t free_or_open(const struct gputm_metadata_table *t, const uint32_t *cell,
			     uint32_t way)
{
	for (uint32_t later = way; t->entries < t->capacity && later < t->config.ways; later++)
		if (!t->cell[cell[later]].key)
			return cell[later];
	return cell[way];
}

/*
 * The cell for a step of the chain, among those of a key, beginning with the way whose turn
 * it is: a free one, else one without reservation that is not `mine`, else the first.
 */
static uint32_t choose(const struct gputm_metadata_table *t, uint64_t key, uint32_t mine)
{
	uint32_t cell[GPUTM__H3_WAYS];

	gputm__h3_cells_from(t->h3, t->turn, key, cell);
	for (uint32_t way = 0; way < t->config.ways; way++)
		if (unlocked(t, cell[way], mine))
			return free_or_open(t, cell, way);
	return cell[0];
}

static inline void exchange(struct gputm__entry *cell, struct gputm__entry *hand)
{
	struct gputm__entry other = *cell;

	*cell = *hand;
	*hand = other;
}

static inline void pass_turn(struct gputm_metadata_table *t)
{
	t->turn = t->turn + 1 == t->config.ways ? 0 : t->turn + 1;
}

/* Returns how the chain ended; UPDATED: an entry is left in the hand. */
static enum gputm_metadata_table_update_result run_chain(struct gputm_metadata_table *t,
							 struct gputm__entry *hand, uint32_t *swaps)
{
	uint64_t inserted = hand->key;
	uint32_t at, mine = NOWHERE;

	for (;; ++*swaps) {
		bool last = *swaps == t->config.longest_chain;

		at = choose(t, hand->key, mine);
		if (!t->cell[at].key) {
			put(t, at, hand);
			return GPUTM_METADATA_TABLE_FILLED;
		}
		if (unlocked(t, at, mine) && (t->entries >= t->evict_from || last)) {
			approximate(t, &t->cell[at]);
			t->cell[at] = *hand;
			return GPUTM_METADATA_TABLE_EVICTED;
		}
		if (last)
			return GPUTM_METADATA_TABLE_UPDATED;
		mine = hand->key == inserted ? at : at == mine ? NOWHERE : mine;
		exchange(&t->cell[at], hand);
		pass_turn(t);
	}
}

/* ---- insertion: after the chain ---- */

/* A free cell of the stash, else one without reservation, else NOWHERE. */
static uint32_t stash_cell(const struct gputm_metadata_table *t)
{
	uint32_t open = NOWHERE;

	for (uint32_t at = t->capacity; at < t->cells; at++) {
		if (!t->cell[at].key)
			return at;
		if (open == NOWHERE && unlocked(t, at, NOWHERE))
			open = at;
	}
	return open;
}

/* Store the entry that the chain left in the hand. */
static enum gputm_metadata_table_update_result
settle(struct gputm_metadata_table *t, const struct gputm__entry *hand, uint32_t *cycles)
{
	uint32_t at = stash_cell(t);

	if (at != NOWHERE) {
		if (t->cell[at].key) {
			approximate(t, &t->cell[at]);
			++*cycles;
		} else {
			gputm__maximum(&t->stash_max, ++t->stashed_now);
		}
		t->cell[at] = *hand;
		return GPUTM_METADATA_TABLE_STASHED;
	}
	if (!hand->writes) {
		approximate(t, hand);
		return GPUTM_METADATA_TABLE_APPROXIMATED;
	}
	gputm__overflow_add(&t->overflow, hand);
	gputm__maximum(&t->overflow_max, t->overflow.count);
	*cycles += t->config.memory_latency;
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_SPILL, hand->key & ~VALID,
		    t->overflow.count, 0, 0);
	return GPUTM_METADATA_TABLE_SPILLED;
}

/* Make an entry, whose stamps are not below the estimate. */
static int insert(struct gputm_metadata_table *t, uint64_t key,
		  struct gputm_metadata_table_entry *m)
{
	enum gputm_metadata_table_update_result end;
	struct gputm__entry hand = { .key = key };
	uint32_t swaps = 0, cost;

	if (gputm__overflow_reserve(&t->unit, &t->overflow))
		return -ENOMEM;
	gputm__metadata_merge(t, &hand, m);
	end = run_chain(t, &hand, &swaps);
	cost = 1 + swaps;
	if (end == GPUTM_METADATA_TABLE_UPDATED)
		end = settle(t, &hand, &cost);
	pass_turn(t);
	t->insertions++;
	t->swaps += swaps;
	t->ended[end]++;
	t->insert_cycles += cost;
	m->cycles += cost;
	gputm__emit(&t->unit, GPUTM_METADATA_TABLE_EVENT_INSERT, key & ~VALID, end, swaps, cost);
	return (int)end;
}

/* ---- update ---- */

static int refuse_update(const struct gputm_metadata_table *t, uint64_t address,
			 const struct gputm_metadata_table_entry *in)
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

/* Move an entry without reservation out of stash or overflow: to a free cell of its ways, or to the
 * filter. */
static int reclaim(struct gputm_metadata_table *t, uint32_t from)
{
	struct gputm__entry entry = take(t, from);
	uint32_t at = choose(t, entry.key, NOWHERE);

	if (t->cell[at].key)
		approximate(t, &entry);
	else
		put(t, at, &entry);
	return GPUTM_METADATA_TABLE_RECLAIMED;
}

static inline bool fits(const struct gputm_metadata_table *t,
			const struct gputm_metadata_table_entry *in)
{
	return (in->wts | in->rts) <= t->stamp_max && in->writes <= t->count_max &&
	       in->owner <= t->owner_max;
}

int gputm__metadata_write(struct gputm_metadata_table *t, uint64_t address,
			  struct gputm_metadata_table_entry *m)
{
	if (m->place == NOWHERE)
		return insert(t, gputm__metadata_key(t, address), m);
	gputm__metadata_merge(t, gputm__metadata_at(t, m->place), m);
	return m->place < t->capacity || m->writes ? GPUTM_METADATA_TABLE_UPDATED :
						     reclaim(t, m->place);
}

int gputm_metadata_table_update(struct gputm_metadata_table *t, uint64_t address,
				const struct gputm_metadata_table_entry *in, uint32_t *cycles)
{
	struct gputm_metadata_table_entry m = *in;
	int result;

	if (address > t->address_max || !fits(t, in))
		return refuse_update(t, address, in);
	if (m.place >= t->capacity || t->cell[m.place].key != gputm__metadata_key(t, address)) {
		if (gputm__metadata_get_probe(t, address, &m) < 0) /* the place is out of date */
			gputm__assert(false);
		gputm__maximum(&m.wts, in->wts);
		gputm__maximum(&m.rts, in->rts);
		m.writes = in->writes;
		m.owner = in->owner;
	}
	m.cycles = 0;
	result = gputm__metadata_write(t, address, &m);
	if (cycles && result >= 0)
		*cycles = m.cycles;
	return result;
}

int gputm_metadata_table_add_writes(struct gputm_metadata_table *t, uint64_t address,
				    int32_t change, uint32_t owner, uint32_t *cycles)
{
	struct gputm_metadata_table_entry m = { 0 };
	int result = gputm__metadata_get_probe(t, address, &m);
	int64_t writes;

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

/* ---- what leaves ---- */

int gputm_metadata_table_remove(struct gputm_metadata_table *t, uint64_t address)
{
	struct gputm__entry entry;
	uint32_t at, cycles;

	if (address > t->address_max)
		return refuse_address(t, address);
	at = find(t, gputm__metadata_key(t, address), &cycles);
	if (at == NOWHERE)
		return GPUTM_METADATA_TABLE_ABSENT;
	if (gputm__metadata_at(t, at)->writes)
		return GPUTM_METADATA_TABLE_LOCKED;
	entry = take(t, at);
	approximate(t, &entry);
	return GPUTM_METADATA_TABLE_REMOVED;
}

void gputm__metadata_forget(struct gputm_metadata_table *t)
{
	memset(t->cell, 0, t->cells * sizeof(*t->cell));
	gputm__overflow_clear(&t->overflow);
	if (t->filter)
		gputm_recency_bloom_clear(t->filter);
	t->register_wts = 0;
	t->register_rts = 0;
	t->entries = 0;
	t->stashed_now = 0;
	t->locked = 0;
	t->writes = 0;
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

/* ---- views ---- */

uint64_t gputm_metadata_table_writes(const struct gputm_metadata_table *t)
{
	return t->writes;
}

int gputm_metadata_table_get_entry(const struct gputm_metadata_table *t, uint64_t index,
				   uint64_t *address, struct gputm_metadata_table_entry *out)
{
	const struct gputm__entry *e;

	if (index >= t->cells + t->overflow.count)
		return gputm__past_end(&t->unit, "entry", index, t->cells + t->overflow.count);
	e = gputm__metadata_at(t, (uint32_t)index);
	*address = e->key ? e->key & ~VALID : UINT64_MAX;
	*out = (struct gputm_metadata_table_entry){ e->wts,   e->rts,          e->writes,
						    e->owner, (uint32_t)index, 1 };
	return 0;
}
