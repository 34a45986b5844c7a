/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ownership table: two-phase parallel resolution of the conflicts within a warp (2PCR)
 * ====================================================================================
 *
 * W. W. L. Fung, "GPU Computing Architecture for Irregular Parallelism" (PhD thesis,
 * UBC 2015), 6.3.1 (buffers in shared memory), 6.3.3 and Fig. 6.6.
 *
 * A warp whose lanes have finished their transactions wants to know which of them conflict
 * with one another before it sends anything. The table has a byte per region: the
 * lowest lane that writes there, or "read only".
 *
 *	clear the table
 *	for each row of the write log, all lanes at once:	phase 1
 *	    owner[region] = min(owner[region], lane)
 *	for each row of the read log and of the write log:	phase 2
 *	    a lane aborts if owner[region] < lane
 *
 * The paper aborts a writer whose region is owned by *another* lane. After phase 1 the
 * owner of a written region is its writer or a lower lane, so that is the same test. "Read
 * only" is 255, above every lane.
 *
 * Fig. 6.6, lanes 0 to 3 (the figure counts from 1); -- is read only:
 *
 *	region              04 08 0c 10 14
 *	clear               -- -- -- -- --
 *	write 0c 08 10 04    3  1  0  2 --
 *	write 10 14 14 08    3  1  0  0  1
 *	read  04 04 04 04   nobody is above the owner
 *	read  0c 08 10 --   lane 2 aborts: 10 belongs to lane 0
 *	write 0c 08 10 04   (lane 2)
 *	write 10 14 14 08   lane 3 aborts: 08 belongs to lane 1; (lane 2: 14 to lane 1)
 *
 * Why the survivors may commit together: let a < b survive. Whatever a writes has an owner
 * <= a < b in its entry, and b has looked at the entries of all that it reads and writes. So
 * b touches nothing that a writes: in lane order nobody reads or overwrites what an earlier
 * one wrote. That needs no more of the hash than that a region has one entry, so no table is
 * too small to be right. Why the lowest active lane survives: owners are active lanes, and
 * none is below it. So some lane always makes progress.
 *
 * Lanes that abort own what they write like any other; a lane may abort for a conflict
 * with a lane that aborts itself. Sequential resolution (sequential_resolver) does not
 * have these, which is the only difference of the two when neither table nor filter errs.
 *
 * Invariants, as check() names them:
 *   R1  acquired = released + used; a free buffer is empty
 *   R2  survivors and aborted lanes of a buffer make up its active ones, and the
 *       lowest active lane is a survivor
 *   R3  lanes taken = survived + aborted + active in buffers; the lanes that aborted
 *       did so by a read or a write: read_conflicts + write_conflicts
 *   R4  an owner is an active lane of its warp
 *   R5  steps = acquired + log_rows; initialise_cycles = acquired x the cost of one
 *
 * Differences from the paper
 *   - The index comes of "hashing the location's address" (6.3.3), but the paper gives no hash.
 *     Presets have that of the released simulator. Low bits of the region number, the default, hash
 *     nothing: at strides of 8 and 12 bytes they leave many entries without a region, and lanes
 *     abort for no conflict. H3 does without one simulator's numbers.
 *   - The paper counts steps. The cycles are those of one engine that reads a log row
 *     from the L1 cache and then accesses the table; bank conflicts among the
 *     lanes of a row are not modelled.
 *   - The exact table is that of infinite capacity, which the paper evaluates. It is charged as
 *     one of `entries`, so that only its accuracy differs.
 */
#include "lib/warptm/ownership_table-priv.h"

/* ---- entries ---- */

/* The table's addresses by value: C must assume that a store to an owner changes the table. */
struct place {
	const struct gputm_h3 *h3;
	uint64_t index_mask;
	uint32_t shift, index_bits;
	enum gputm_ownership_table_hash hash;
};

static inline struct place place_of(const struct gputm_ownership_table *t,
				    enum gputm_ownership_table_hash hash)
{
	struct place place = { t->h3, t->index_mask, t->shift,
			       gputm__popcount(t->index_mask), hash };

	return place;
}

static inline uint64_t entry_of(struct place place, uint64_t address)
{
	uint64_t region = address >> place.shift;

	if (place.hash == GPUTM_OWNERSHIP_TABLE_HASH_H3)
		return gputm__h3_index(place.h3, 0, address);
	if (place.hash == GPUTM_OWNERSHIP_TABLE_HASH_RELEASED)
		region += (region >> place.index_bits) * 17;
	return region & place.index_mask;
}

/* Claim entries; true if one of them changed. */
static inline bool claim(struct place place, uint8_t *owner, const uint64_t *address, uint64_t mask)
{
	bool changed = false;

	for (; mask; mask &= mask - 1) {
		uint32_t lane = gputm__lowest(mask);
		uint8_t *entry = &owner[entry_of(place, address[lane])];

		if (lane >= *entry)
			continue;
		*entry = (uint8_t)lane;
		changed = true;
	}
	return changed;
}

/* Lanes that touch an entry of a lower owner. */
static inline uint64_t above(struct place place, const uint8_t *owner,
			     const uint64_t *address, uint64_t mask)
{
	uint64_t found = 0;

	for (; mask; mask &= mask - 1) {
		uint32_t lane = gputm__lowest(mask);

		found |= (uint64_t)(owner[entry_of(place, address[lane])] < lane) << lane;
	}
	return found;
}

static bool claim_exactly(const struct gputm_ownership_table *t, struct gputm__region_map *map,
			  const uint64_t *address, uint64_t mask)
{
	bool changed = false;

	for (; mask; mask &= mask - 1) {
		uint32_t lane = gputm__lowest(mask);
		uint64_t region = address[lane] >> t->shift;
		struct gputm__region_entry *entry = gputm__region_map_find(map, region);

		changed |= !entry || lane < entry->lane;
		if (!entry)
			gputm__region_map_insert(map, region, lane);
		else if (lane < entry->lane)
			entry->lane = lane;
	}
	return changed;
}

static uint64_t above_exactly(const struct gputm_ownership_table *t,
			      const struct gputm__region_map *map, const uint64_t *address,
			      uint64_t mask)
{
	uint64_t found = 0;

	for (; mask; mask &= mask - 1) {
		uint32_t lane = gputm__lowest(mask);
		const struct gputm__region_entry *entry =
			gputm__region_map_find(map, address[lane] >> t->shift);

		found |= (uint64_t)(entry && entry->lane < lane) << lane;
	}
	return found;
}

/* ---- the two phases; rows are checked and room is reserved ---- */

static void construct(struct gputm_ownership_table *t, uint32_t buffer,
		      const struct gputm_resolver_row *row)
{
	struct gputm__resolver_buffer *b = &t->core.buffer[buffer];
	uint64_t mask = row->mask & b->active;
	bool changed;

	b->state = GPUTM__RESOLVER_CONSTRUCT;
	if (t->config.exact)
		changed = claim_exactly(t, &t->map[buffer], row->address, mask);
	else if (t->config.hash == GPUTM_OWNERSHIP_TABLE_HASH_H3)
		changed = claim(place_of(t, GPUTM_OWNERSHIP_TABLE_HASH_H3),
				gputm__owners(t, buffer), row->address, mask);
	else if (t->config.hash == GPUTM_OWNERSHIP_TABLE_HASH_RELEASED)
		changed = claim(place_of(t, GPUTM_OWNERSHIP_TABLE_HASH_RELEASED),
				gputm__owners(t, buffer), row->address, mask);
	else
		changed = claim(place_of(t, GPUTM_OWNERSHIP_TABLE_HASH_LOW_BITS),
				gputm__owners(t, buffer), row->address, mask);
	gputm__resolver_spend(&t->core, b,
			      t->config.log_cycles + t->config.table_cycles * (1u + changed), 0, 1,
			      1);
	gputm__emit(&t->unit, GPUTM_OWNERSHIP_TABLE_EVENT_CONSTRUCT, buffer, mask, 0, 0);
}

static void match(struct gputm_ownership_table *t, uint32_t buffer,
		  const struct gputm_resolver_row *row, bool write, uint64_t *conflicts)
{
	struct gputm__resolver_buffer *b = &t->core.buffer[buffer];
	uint64_t fresh, found, mask = row->mask & b->active;

	b->state = GPUTM__RESOLVER_MATCH;
	if (t->config.exact)
		found = above_exactly(t, &t->map[buffer], row->address, mask);
	else if (t->config.hash == GPUTM_OWNERSHIP_TABLE_HASH_H3)
		found = above(place_of(t, GPUTM_OWNERSHIP_TABLE_HASH_H3), gputm__owners(t, buffer),
			      row->address, mask);
	else if (t->config.hash == GPUTM_OWNERSHIP_TABLE_HASH_RELEASED)
		found = above(place_of(t, GPUTM_OWNERSHIP_TABLE_HASH_RELEASED),
			      gputm__owners(t, buffer), row->address, mask);
	else
		found = above(place_of(t, GPUTM_OWNERSHIP_TABLE_HASH_LOW_BITS),
			      gputm__owners(t, buffer), row->address, mask);
	fresh = found & b->so_far.survived;
	b->so_far.survived ^= fresh;
	b->so_far.aborted |= fresh;
	if (fresh)
		*conflicts += gputm__popcount(fresh);
	gputm__resolver_spend(&t->core, b, 0, t->config.log_cycles + t->config.table_cycles, 1, 1);
	gputm__emit(&t->unit, GPUTM_OWNERSHIP_TABLE_EVENT_MATCH, buffer, mask, found, write);
}

static int reserve(struct gputm_ownership_table *t, uint32_t buffer,
		   const struct gputm_resolver_row *row, uint32_t count)
{
	size_t more = 0;

	if (!t->config.exact)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		more += gputm__popcount(row[i].mask & t->core.buffer[buffer].active);
	return gputm__region_map_reserve(&t->unit, &t->map[buffer], more);
}

/* ---- public ---- */

int gputm_ownership_table_acquire_probe(const struct gputm_ownership_table *t, uint64_t active)
{
	return gputm__resolver_acquire_probe(&t->unit, &t->core, active);
}

/* Clear in pieces of constant size, a store or two each: clearing all at once may become a slow
 * string store. */
static void clear_owners(uint8_t *owner, uint32_t entries)
{
	for (; entries >= 256; entries -= 256, owner += 256)
		memset(owner, GPUTM__READ_ONLY, 256);
	memset(owner, GPUTM__READ_ONLY, entries);
}

int gputm_ownership_table_acquire(struct gputm_ownership_table *t, uint64_t active,
				  uint32_t *buffer)
{
	int result = gputm__resolver_acquire(&t->unit, &t->core, active, buffer);
	struct gputm__resolver_buffer *b;

	if (result != GPUTM_RESOLVER_ACQUIRED)
		return result;
	b = &t->core.buffer[*buffer];
	b->so_far.survived = active;
	gputm__resolver_spend(&t->core, b, 0, 0, 0, 1);
	if (t->config.exact)
		gputm__region_map_clear(&t->map[*buffer]);
	else
		clear_owners(gputm__owners(t, *buffer), t->config.entries);
	gputm__emit(&t->unit, GPUTM_OWNERSHIP_TABLE_EVENT_ACQUIRE, *buffer, active, 0, 0);
	return result;
}

static int check_row(const struct gputm_ownership_table *t, uint32_t buffer, uint32_t last,
		     const struct gputm_resolver_row *row)
{
	int error = gputm__resolver_held(&t->unit, &t->core, buffer, last);

	if (error)
		return error;
	return gputm__resolver_check_row(&t->unit, &t->core, t->core.buffer[buffer].active, row);
}

int gputm_ownership_table_construct_row(struct gputm_ownership_table *t, uint32_t buffer,
					const struct gputm_resolver_row *row)
{
	int error = check_row(t, buffer, GPUTM__RESOLVER_CONSTRUCT, row);

	if (!error)
		error = reserve(t, buffer, row, 1);
	if (!error)
		construct(t, buffer, row);
	return error;
}

int gputm_ownership_table_match_read_row(struct gputm_ownership_table *t, uint32_t buffer,
					 const struct gputm_resolver_row *row)
{
	int error = check_row(t, buffer, GPUTM__RESOLVER_MATCH, row);

	if (!error)
		match(t, buffer, row, false, &t->read_conflicts);
	return error;
}

int gputm_ownership_table_match_write_row(struct gputm_ownership_table *t, uint32_t buffer,
					  const struct gputm_resolver_row *row)
{
	int error = check_row(t, buffer, GPUTM__RESOLVER_MATCH, row);

	if (!error)
		match(t, buffer, row, true, &t->write_conflicts);
	return error;
}

static int check_logs(const struct gputm_ownership_table *t, uint32_t buffer,
		      const struct gputm_resolver_logs *logs)
{
	int error = gputm__resolver_held(&t->unit, &t->core, buffer, GPUTM__RESOLVER_FRESH);

	if (error)
		return error;
	return gputm__resolver_check_logs(&t->unit, &t->core, t->core.buffer[buffer].active, logs);
}

int gputm_ownership_table_resolve(struct gputm_ownership_table *t, uint32_t buffer,
				  const struct gputm_resolver_logs *logs,
				  struct gputm_resolver_outcome *out)
{
	int error = check_logs(t, buffer, logs);

	if (!error)
		error = reserve(t, buffer, logs->write, logs->write_rows);
	if (error)
		return error;
	for (uint32_t i = 0; i < logs->write_rows; i++)
		construct(t, buffer, &logs->write[i]);
	for (uint32_t i = 0; i < logs->read_rows; i++)
		match(t, buffer, &logs->read[i], false, &t->read_conflicts);
	for (uint32_t i = 0; i < logs->write_rows; i++)
		match(t, buffer, &logs->write[i], true, &t->write_conflicts);
	t->core.buffer[buffer].state = GPUTM__RESOLVER_MATCH;
	*out = t->core.buffer[buffer].so_far;
	return 0;
}

int gputm_ownership_table_get_result(const struct gputm_ownership_table *t, uint32_t buffer,
				     struct gputm_resolver_outcome *out)
{
	return gputm__resolver_result(&t->unit, &t->core, buffer, out);
}

int gputm_ownership_table_release(struct gputm_ownership_table *t, uint32_t buffer)
{
	struct gputm_resolver_outcome r = { 0 };
	int error = gputm__resolver_result(&t->unit, &t->core, buffer, &r);

	if (error)
		return error;
	error = gputm__resolver_release(&t->unit, &t->core, buffer);
	gputm__assert(!error);
	gputm__emit(&t->unit, GPUTM_OWNERSHIP_TABLE_EVENT_RELEASE, buffer, r.survived, r.aborted,
		    r.initialise_cycles + r.construct_cycles + r.match_cycles);
	return error;
}

int gputm_ownership_table_owner(const struct gputm_ownership_table *t, uint32_t buffer,
				uint64_t address)
{
	const struct gputm__region_entry *entry;
	struct place place;
	uint8_t owner;

	if (buffer >= t->core.buffers || t->core.buffer[buffer].state == GPUTM__RESOLVER_FREE ||
	    address & t->core.reject)
		return -1;
	if (t->config.exact) {
		entry = gputm__region_map_find(&t->map[buffer], address >> t->shift);
		return entry ? (int)entry->lane : -1;
	}
	place = place_of(t, (enum gputm_ownership_table_hash)t->config.hash);
	owner = gputm__owners(t, buffer)[entry_of(place, address)];
	return owner == GPUTM__READ_ONLY ? -1 : owner;
}
