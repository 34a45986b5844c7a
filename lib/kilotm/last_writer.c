/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Last writer history
 * ===================
 *
 * W. W. L. Fung, "GPU Computing Architecture for Irregular Parallelism" (PhD thesis,
 * UBC 2015), 4.2.5 "Hazard Detection, Last Writer History Update" and Fig. 4.4b;
 * sizes in 4.4.3.
 *
 * The commit unit of a memory partition overlaps transactions: one may validate a word
 * that an older one is still to write. Hazard detection walks the transactions in
 * commit order and asks, for each word read, who was its youngest writer, and then
 * records the words written. The answer may be too young (the reader waits longer than
 * it must) but never too old (it would miss a hazard).
 *
 *	record(word, cid):  set = H3(word)
 *	    the word is in the set      its commit ID is replaced
 *	    else a way is free          the word takes it
 *	    else                        the oldest writer of the set goes to the filter
 *	lookup(word):
 *	    the word is in the set      its commit ID, exactly
 *	    else                        the filter's answer, or none
 *
 * Why a table hit is final: a word leaves the table only through the filter, and its
 * commit ID there is older than any it gets on its return, as commit IDs only grow.
 *
 * Example, one set of two ways; each step is "word: commit ID":
 *
 *	                    way 0      way 1      to the filter
 *	record A by 3       A: 3       -
 *	record B by 3       A: 3       B: 3
 *	record B by 4       A: 3       B: 4
 *	record C by 5       C: 5       B: 4       A: 3 (smallest)
 *	record A by 6       C: 5       A: 6       B: 4
 *	youngest writer of A is 6 (table: exact; the filter still holds 3), of B 4 (filter)
 *
 * A stored commit ID is cid_bits wide, relative to a base: its code is
 * cid + 1 - base, and code 0 means "free" in the table and "never" in the filter.
 * expire(floor) moves the base and drops what is older. In memory both keep
 * cid + 1, so that moving the base changes no entry that stays.
 *
 * Invariants, as check() names them:
 *   L1  lookups = exact + filtered + unknown; records = replaced + filled + evicted
 *   L2  filled = entries + forgotten
 *   L3  base <= newest <= limit
 *   L4  each entry in use holds a commit ID in base .. newest
 *   L5  each entry lies in the set of its word, and no set holds a word twice
 *   L6  the filter has had one update for each eviction, and has the same base
 *
 * Differences from the paper
 *   - The paper does not say which entry is evicted. Here it is the oldest writer: it
 *     is the likeliest to have retired, so that young ones stay exact.
 *   - The paper does not mention that commit IDs wrap. Here they do not: the base
 *     moves, at the cost of a sweep of the arrays.
 *   - The paper records what "the current transaction" writes, whether or not it has failed by
 *     then. So does the caller here (commit_unit); a writer that fails later is in the history
 *     anyway, and an answer that is too young costs time alone.
 *   - The paper does not say whether table and filter share a hash. Here the table has
 *     rows of its own; else all victims of a set would meet in one bucket.
 */
#include "lib/kilotm/last_writer.h"
#include "lib/kilotm/last_writer-priv.h"

/* The lowest free way, which has code 0; if none is free, the oldest writer. */
static struct gputm__writer *victim_of(const struct gputm_last_writer *self,
				       struct gputm__writer *set)
{
	struct gputm__writer *victim = set;

	for (uint32_t way = 1; way < self->config.ways; way++)
		if (set[way].code < victim->code)
			victim = &set[way];
	return victim;
}

static int refuse_address(const struct gputm_last_writer *self, uint64_t address)
{
	return gputm__out_of_range(&self->unit, "address", address, 0, self->address_max);
}

static int refuse_record(const struct gputm_last_writer *self, uint64_t address, uint64_t cid)
{
	if (address > self->address_max)
		return refuse_address(self, address);
	return gputm__out_of_range(&self->unit, "cid", cid, self->newest, self->limit);
}

static inline int note(struct gputm_last_writer *self, struct gputm__writer *entry, uint64_t word,
		       uint64_t cid, int recorded)
{
	entry->word = word;
	entry->code = cid + 1;
	self->newest = cid;
	self->records++;
	gputm__emit(&self->unit, GPUTM_LAST_WRITER_EVENT_RECORD, word << self->word_shift, cid,
		    (uint64_t)recorded, 0);
	return recorded;
}

/* A word without an entry takes a free entry, or that of the oldest writer, which moves to the
 * filter. */
static int record_new(struct gputm_last_writer *self, struct gputm__writer *set,
		      uint64_t word, uint64_t cid)
{
	struct gputm__writer *entry = victim_of(self, set);
	uint64_t address = entry->word << self->word_shift;
	int error;

	if (!entry->code) {
		self->filled++;
		gputm__maximum(&self->entries_max, ++self->entries);
		return note(self, entry, word, cid, GPUTM_LAST_WRITER_FILLED);
	}
	gputm__maximum(&self->filtered, entry->code);
	error = gputm_recency_bloom_update(self->filter, address, entry->code);
	gputm__assert(!error);
	(void)error;
	self->evicted++;
	gputm__emit(&self->unit, GPUTM_LAST_WRITER_EVENT_EVICT, address, entry->code - 1, 0, 0);
	return note(self, entry, word, cid, GPUTM_LAST_WRITER_EVICTED);
}

int gputm_last_writer_record(struct gputm_last_writer *self, uint64_t address, uint64_t cid)
{
	uint64_t word = address >> self->word_shift;
	struct gputm__writer *set, *entry;

	if (address > self->address_max || cid < self->newest || cid > self->limit)
		return refuse_record(self, address, cid);
	set = gputm__writer_set(self, address);
	entry = gputm__writer_find(self, set, word);
	if (!entry)
		return record_new(self, set, word, cid);
	self->replaced++;
	return note(self, entry, word, cid, GPUTM_LAST_WRITER_REPLACED);
}

int gputm_last_writer_record_probe(const struct gputm_last_writer *self, uint64_t address,
				   uint64_t cid)
{
	struct gputm__writer *set;

	if (address > self->address_max || cid < self->newest || cid > self->limit)
		return refuse_record(self, address, cid);
	set = gputm__writer_set(self, address);
	if (gputm__writer_find(self, set, address >> self->word_shift))
		return GPUTM_LAST_WRITER_REPLACED;
	return victim_of(self, set)->code ? GPUTM_LAST_WRITER_EVICTED : GPUTM_LAST_WRITER_FILLED;
}

/* The answer of the filter; an answer below the floor counts as none. */
static int filter_answer(const struct gputm_last_writer *self, uint64_t address, uint64_t floor,
			 uint64_t *cid)
{
	uint64_t code = 0;

	if (self->filtered > floor && gputm_recency_bloom_query(self->filter, address, &code))
		gputm__assert(false);
	if (code <= floor)
		return GPUTM_LAST_WRITER_NONE;
	*cid = code - 1;
	return GPUTM_LAST_WRITER_FILTER;
}

/* The answer for an address in range. */
static int answer(const struct gputm_last_writer *self, uint64_t address,
		  uint64_t floor, uint64_t *cid)
{
	const struct gputm__writer *entry = gputm__writer_find(
		self, gputm__writer_set(self, address), address >> self->word_shift);

	if (!entry)
		return filter_answer(self, address, floor, cid);
	*cid = entry->code - 1;
	return GPUTM_LAST_WRITER_EXACT;
}

int gputm_last_writer_lookup_probe(const struct gputm_last_writer *self, uint64_t address,
				   uint64_t *cid)
{
	if (address > self->address_max)
		return refuse_address(self, address);
	return answer(self, address, 0, cid);
}

static int look_up(struct gputm_last_writer *self, uint64_t address, uint64_t floor,
		   uint64_t *cid)
{
	int result = answer(self, address, floor, cid);

	self->lookups++;
	self->answers[result]++;
	gputm__emit(&self->unit, GPUTM_LAST_WRITER_EVENT_LOOKUP,
		    address >> self->word_shift << self->word_shift, (uint64_t)result,
		    result ? *cid : 0, 0);
	return result;
}

int gputm__youngest_writer(struct gputm_last_writer *self, uint64_t address, uint64_t floor,
			   uint64_t *cid)
{
	return look_up(self, address, floor, cid);
}

int gputm_last_writer_lookup(struct gputm_last_writer *self, uint64_t address, uint64_t *cid)
{
	if (address > self->address_max)
		return refuse_address(self, address);
	return look_up(self, address, 0, cid);
}

uint64_t gputm__writers_newest(const struct gputm_last_writer *self)
{
	return self->newest;
}

/* ---- expiry ---- */

static uint64_t forget_older(struct gputm_last_writer *self, uint64_t floor)
{
	uint64_t forgotten = 0;

	for (size_t i = 0; i < gputm__writer_capacity(self); i++) {
		struct gputm__writer *entry = &self->entry[i];

		if (!entry->code || entry->code > floor)
			continue;
		*entry = (struct gputm__writer){ 0, 0 };
		forgotten++;
	}
	return forgotten;
}

int gputm_last_writer_expire(struct gputm_last_writer *self, uint64_t floor, uint64_t *cycles)
{
	const struct gputm_last_writer_config *c = &self->config;
	uint64_t cost = c->sets > c->filter_buckets ? c->sets : c->filter_buckets;
	uint64_t forgotten;

	if (floor > GPUTM__FLOOR_MAX)
		return gputm__out_of_range(&self->unit, "floor", floor, 0, GPUTM__FLOOR_MAX);
	if (floor <= self->base)
		cost = 0;
	if (cycles)
		*cycles = cost;
	if (!cost)
		return 0;
	gputm_recency_bloom_expire(self->filter, floor + 1, NULL);
	forgotten = forget_older(self, floor);
	gputm__writer_set_base(self, floor);
	gputm__maximum(&self->newest, floor);
	self->entries -= forgotten;
	self->forgotten += forgotten;
	self->expiries++;
	self->sweep_cycles += cost;
	gputm__emit(&self->unit, GPUTM_LAST_WRITER_EVENT_EXPIRE, floor, forgotten, cost, 0);
	return 0;
}

uint64_t gputm_last_writer_base(const struct gputm_last_writer *self)
{
	return self->base;
}

uint64_t gputm_last_writer_limit(const struct gputm_last_writer *self)
{
	return self->limit;
}
