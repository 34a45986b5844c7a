/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Face of the last writer history: parameters, statistics, life, snapshots and invariants.
 */
#include "lib/kilotm/last_writer-priv.h"

#define TABLE_SEED (UINT64_C(1) << 63) /* flipped in the seed of the table's rows */

#define UNIT last_writer

static const struct gputm_param rows[] = {
	PARAM(sets, 1, 1u << 20, 128, true, "Sets of the table.", "thesis 4.4.3"),
	PARAM(ways, 1, 64, 4, false, "Entries of a set.", "thesis 4.4.3"),
	PARAM(filter_ways, 1, 8, 4, false, "Sub-arrays of the filter.", "thesis 4.4.3"),
	PARAM(filter_buckets, 1, 1u << 20, 256, true, "Commit IDs per sub-array of the filter.",
	      "thesis 4.4.3"),
	PARAM(cid_bits, 2, 63, 16, false, "Width of a stored commit ID, bits.", "thesis 4.4.3"),
	PARAM(address_bits, 16, 64, 32, false, "Width of a byte address, bits.", ""),
	PARAM(word_bytes, 1, 4096, 4, true, "Bytes tracked as one word.", "thesis 4.2.5"),
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the hash rows.", ""),
};

static const struct gputm_preset presets[] = {
	{ "kilo-tm", "Thesis 4.4.3: 512 entries (3 kB) and 1024 buckets (2 kB), 5 kB.",
	  { { "sets", 128 }, { "ways", 4 }, { "filter_ways", 4 }, { "filter_buckets", 256 } } },
	{ "small", "Thesis 4.4.3: 64 entries and 64 buckets, 512 B.",
	  { { "sets", 16 }, { "ways", 4 }, { "filter_ways", 4 }, { "filter_buckets", 16 } } },
};

#define ANSWER(RESULT, NAME, SENTENCE)                                                         \
	STAT_OF(NAME, answers[GPUTM_LAST_WRITER_##RESULT], COUNTER, "lookups", SENTENCE)
static const struct gputm__stat_row stats[] = {
	STAT(lookups, COUNTER, "lookups", "Questions for a youngest writer."),
	ANSWER(NONE, "unknown", "Answered with no writer."),
	ANSWER(EXACT, "exact", "Answered by the table."),
	ANSWER(FILTER, "filtered", "Answered by the filter with a writer."),
	STAT(records, COUNTER, "words", "Writes recorded."),
	STAT(replaced, COUNTER, "words", "Records that found their word in the table."),
	STAT(filled, COUNTER, "words", "Records that took a free entry."),
	STAT(evicted, COUNTER, "words", "Records that moved an entry to the filter."),
	STAT(expiries, COUNTER, "sweeps", "Moves of the base."),
	STAT(forgotten, COUNTER, "words", "Table entries freed by moves of the base."),
	STAT(sweep_cycles, COUNTER, "cycles", "Spent in sweeps of the arrays."),
	STAT(entries_max, MAXIMUM, "entries", "Table entries in use, at most."),
	STAT(entries, GAUGE, "entries", "Table entries in use."),
};

static const char *const results[] = { "none", "exact", "filter" };
static const char *const recorded[] = { "replaced", "filled", "evicted" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_LAST_WRITER_EVENT_LOOKUP, "lookup",
	      "The caller has asked for the youngest writer of a word.",
	      VALUE(address, "byte address", "The word."),
	      NAMED(outcome, results, "Whether the table or the filter has answered."),
	      VALUE(cid, "CID", "The writer; 0 if there is none.")),
	EVENT(GPUTM_LAST_WRITER_EVENT_RECORD, "record", "The unit has recorded a writer of a word.",
	      VALUE(address, "byte address", "The word."),
	      VALUE(cid, "CID", "The writer."),
	      NAMED(outcome, recorded, "Which entry the writer has got.")),
	EVENT(GPUTM_LAST_WRITER_EVENT_EVICT, "evict", "An entry went to the filter.",
	      VALUE(address, "byte address", "The word of the entry."),
	      VALUE(cid, "CID", "The writer of the entry.")),
	EVENT(GPUTM_LAST_WRITER_EVENT_EXPIRE, "expire", "The unit has forgotten old writers.",
	      VALUE(cid, "CID", "The floor, below which writers are old."),
	      VALUE(entries, "entries", "Entries of the table that held an old writer."),
	      VALUE(cost, "cycles", "Cycles that the sweep takes.")),
};

/* ---- life ---- */

static int make_filter(struct gputm_last_writer *self)
{
	const struct gputm_last_writer_config *c = &self->config;
	struct gputm_recency_bloom_config filter = GPUTM_RECENCY_BLOOM_CONFIG_INIT;

	filter.ways = c->filter_ways;
	filter.entries = c->filter_buckets;
	filter.stamp_bits = c->cid_bits;
	filter.address_bits = c->address_bits;
	filter.granularity = c->word_bytes;
	filter.seed = c->seed;
	filter.h3_rows = c->filter_rows;
	return gputm_recency_bloom_new(self->unit.ctx, &filter, &self->filter);
}

/* The caller's rows need not outlive new. */
static void keep_own_rows(struct gputm_last_writer *self)
{
	const struct gputm_recency_bloom_config *filter =
		gputm_unit_config(gputm_recency_bloom_unit(self->filter));

	self->config.filter_rows = filter->h3_rows;
	self->config.table_rows = self->config.table_rows ? self->hash->row : NULL;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_last_writer *self = (void *)unit;
	const struct gputm_last_writer_config *c = &self->config;
	struct gputm_h3_config hash;
	int error;

	self->word_shift = gputm__log2(c->word_bytes);
	self->address_max = gputm__low_mask(c->address_bits);
	hash = gputm__h3_config(1, c->sets, c->address_bits - self->word_shift,
				c->seed ^ TABLE_SEED, c->table_rows);
	error = gputm__h3_own(unit, &hash, self->word_shift, &self->hash);
	if (!error)
		error = make_filter(self);
	if (error)
		return error;
	keep_own_rows(self);
	self->entry = gputm__own(unit, gputm__writer_capacity(self), sizeof(*self->entry));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_last_writer *self = (void *)unit;

	memset(self->entry, 0, gputm__writer_capacity(self) * sizeof(*self->entry));
	gputm__writer_set_base(self, 0);
	self->newest = self->filtered = 0;
	self->entries = 0;
}

/* ---- common face ---- */

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_last_writer *self = (void *)unit;
	size_t count = gputm__writer_capacity(self);

	gputm__io_same(io, self->hash->fingerprint, "its table's hash rows are others");
	gputm__io_u64_max(io, &self->base, GPUTM__FLOOR_MAX, "base");
	gputm__io_u64(io, &self->newest);
	for (size_t i = 0; i < count; i++) {
		gputm__io_u64(io, &self->entry[i].word);
		gputm__io_u64(io, &self->entry[i].code);
	}
	if (!gputm__io_reading(io))
		return;
	gputm__writer_set_base(self, self->base);
	self->filtered = UINT64_MAX;
	for (size_t i = 0; i < count; i++)
		self->entries += self->entry[i].code != 0;
}

static const char *check_set(const struct gputm_last_writer *self, struct gputm__writer *set)
{
	for (uint32_t way = 0; way < self->config.ways; way++) {
		const struct gputm__writer *entry = &set[way];

		if (!entry->code) {
			if (entry->word)
				return "L4: a free entry holds a word";
			continue;
		}
		if (entry->code <= self->base || entry->code - 1 > self->newest)
			return "L4: an entry holds a commit ID outside base .. newest";
		if (entry->word > self->address_max >> self->word_shift ||
		    gputm__writer_set(self, entry->word << self->word_shift) != set)
			return "L5: an entry lies outside the set of its word";
		if (gputm__writer_find(self, set, entry->word) != entry)
			return "L5: a set holds a word twice";
	}
	return NULL;
}

static const char *check_counters(const struct gputm_last_writer *self)
{
	uint64_t updates = 0;

	gputm_unit_stat_value(gputm_recency_bloom_unit(self->filter), "updates", &updates);
	if (self->lookups != self->answers[0] + self->answers[1] + self->answers[2] ||
	    self->records != self->replaced + self->filled + self->evicted)
		return "L1: lookups or records do not add up";
	if (self->base > self->newest || self->newest > self->limit)
		return "L3: the newest commit ID is outside base .. limit";
	if (updates != self->evicted)
		return "L6: the updates of the filter differ from the evictions";
	if (gputm_recency_bloom_base(self->filter) != self->base)
		return "L6: the base of the filter differs from the base of the history";
	return NULL;
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_last_writer *self = (const void *)unit;

	gputm__law(laws, self->filled, self->entries + self->forgotten,
		   "L2: filled differs from entries in use + forgotten");
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_last_writer *self = (const void *)unit;
	const char *broken = check_counters(self);

	for (uint32_t set = 0; !broken && set < self->config.sets; set++)
		broken = check_set(self, self->entry + (size_t)set * self->config.ways);
	return broken;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_last_writer *self = (const void *)unit;
	const struct gputm_last_writer_config *c = &self->config;

	gputm__array(out, "table", gputm__writer_capacity(self), c->address_bits + c->cid_bits, 1);
	gputm__array(out, "filter", (uint64_t)c->filter_ways * c->filter_buckets, c->cid_bits,
		     c->filter_ways);
}

GPUTM__UNIT(last_writer, .version = 2, .setup = setup, .laws = laws,
	    .part = { { "filter", offsetof(struct gputm_last_writer, filter) } })
