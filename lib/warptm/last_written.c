/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Last-written time table of temporal conflict detection
 * ======================================================
 *
 * W. W. L. Fung, "GPU Computing Architecture for Irregular Parallelism" (PhD thesis,
 * UBC 2015), 6.4.2, Fig. 6.7 and 6.8; sizes in 6.4.2 and 6.7.5.
 *
 * Each memory partition remembers when a committing transaction last wrote each of its blocks.
 * A transactional load carries that time back to the core, which compares it with the
 * transaction's first load: a later time means that the value may be newer than the
 * snapshot of the first load. The table is a recency Bloom filter (lib/filter), so a time
 * may be too late (a needless second chance through the commit units), never too early.
 *
 * Fig. 6.8, 2 sub-arrays of 2 times; the reader sent its first load, of 0x10, at 1:
 *
 *	time  event         sub-array 0   sub-array 1   answer
 *	 1    load 0x10      0  0          0  0          0
 *	 7    write 0x10     7  0          0  7
 *	10    load 0x30      7  0          0  7          min(0, 7) = 0     no conflict
 *	15    write 0x20     7 15         15  7
 *	18    load 0x20      7 15         15  7          min(15, 15) = 15  after 1: conflict
 *
 * Invariants, as check() names them:
 *   W1  those of the filter; it has had one update for each record
 *
 * Differences from the paper
 *   - expire() is ours. The paper has 64-bit times, which never run out; forgetting those before
 *     the oldest first load changes no verdict, except to answer 0 where an entry
 *     was young by aliasing with a forgotten one, and a narrow field then serves for ever.
 *   - The paper resets the table when the timers roll over: clear().
 */
#include "gputm/last_written.h"
#include "gputm/recency_bloom.h"
#include "lib/base/unit.h"

struct gputm_last_written {
	struct gputm_unit unit;
	struct gputm_last_written_config config;
	struct gputm_recency_bloom *filter;
	uint64_t address_max; /* largest address */
	uint64_t records, queries, expiries, clears;
};

#define UNIT last_written

static const struct gputm_param rows[] = {
	PARAM(ways, 1, 8, 4, false, "Sub-arrays, each with a hash of its own.", "thesis 6.4.2"),
	PARAM(entries, 1, 1 << 20, 512, true, "Times per sub-array.", "thesis 6.4.2, 6.7.5"),
	PARAM(time_bits, 2, 64, 64, false, "Width of a time, bits.", "thesis 6.4.2"),
	PARAM(granularity, 1, 1 << 16, 128, true, "Bytes of a block.", "thesis 6.4.2, 6.7.5"),
	PARAM(address_bits, 16, 64, 32, false, "Width of a byte address, bits.", ""),
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the H3 rows.", ""),
};

static const struct gputm_preset presets[] = {
	{ "tcd-2k", "Thesis 6.4.2: 2048 times in 4 sub-arrays, 16 kB.", { { "entries", 512 } } },
	{ "tcd-128", "Thesis 6.7.5: 128 times in 4 sub-arrays, 1 kB.", { { "entries", 32 } } },
	{ "tcd-4k", "Thesis 6.7.5: 4096 times in 4 sub-arrays, 32 kB.", { { "entries", 1024 } } },
	{ "tcd-2k-1-sub-array",
	  "Thesis 6.7.5: 2048 times in one sub-array, 16 kB.",
	  { { "ways", 1 }, { "entries", 2048 } } },
	{ "tcd-2k-word",
	  "Thesis 6.7.5: 2048 times in 4 sub-arrays over words, 16 kB.",
	  { { "entries", 512 }, { "granularity", 4 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(records, COUNTER, "writes", "Writes recorded."),
	STAT(queries, COUNTER, "loads", "Loads that asked."),
	STAT(expiries, COUNTER, "sweeps", "Sweeps that forgot old times."),
	STAT(clears, COUNTER, "clears", "Times the whole table was forgotten."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_LAST_WRITTEN_EVENT_RECORD, "record", "A transaction has written a word.",
	      VALUE(address, "byte address", "The word."),
	      VALUE(written_at, "cycle", "The time of the write.")),
	EVENT(GPUTM_LAST_WRITTEN_EVENT_QUERY, "query",
	      "The caller has asked when a word was written last.",
	      VALUE(address, "byte address", "The word."),
	      VALUE(written_at, "cycle", "The answer.")),
	EVENT(GPUTM_LAST_WRITTEN_EVENT_EXPIRE, "expire", "The unit has forgotten old writes.",
	      VALUE(floor, "cycle", "The floor, before which writes are old."),
	      VALUE(cost, "cycles", "Cycles that the sweep takes.")),
};

/* ---- life ---- */

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_last_written_config *c = gputm_unit_config(unit);

	return gputm__check_granularity(unit, c->granularity, c->address_bits);
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_last_written *t = (void *)unit;
	struct gputm_last_written_config *c = &t->config;
	struct gputm_recency_bloom_config filter = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	const struct gputm_recency_bloom_config *made;
	int error;

	t->address_max = gputm__low_mask(c->address_bits);
	filter.ways = c->ways;
	filter.entries = c->entries;
	filter.stamp_bits = c->time_bits;
	filter.granularity = c->granularity;
	filter.address_bits = c->address_bits;
	filter.seed = c->seed;
	filter.h3_rows = c->h3_rows;
	error = gputm_recency_bloom_new(unit->ctx, &filter, &t->filter);
	if (error)
		return error;
	made = gputm_unit_config(gputm_recency_bloom_unit(t->filter));
	c->h3_rows = made->h3_rows;
	return 0;
}

/* The state is the state of the filter. */
static void clear(struct gputm_unit *unit)
{
	(void)unit;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	(void)unit;
	(void)io;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_last_written *t = (const void *)unit;
	const struct gputm_unit *filter = gputm_recency_bloom_unit(t->filter);
	uint64_t updates = 0;

	if (!gputm_unit_stat_value(filter, "updates", &updates) || updates != t->records)
		return "W1: the updates of the filter differ from records";
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_last_written_config *c = gputm_unit_config(unit);

	gputm__array(out, "last-written times", (uint64_t)c->ways * c->entries, c->time_bits, 1);
}

GPUTM__UNIT(last_written, .version = 2, .setup = setup, .validate = validate,
	    .part = { { "filter", offsetof(struct gputm_last_written, filter) } })

/* ---- data path ---- */

static int refuse_address(const struct gputm_last_written *t, uint64_t address)
{
	return gputm__out_of_range(&t->unit, "address", address, 0, t->address_max);
}

static int check_record(const struct gputm_last_written *t, uint64_t address, uint64_t time)
{
	uint64_t base = gputm_recency_bloom_base(t->filter);
	uint64_t span = gputm__low_mask(t->config.time_bits);

	if (address > t->address_max)
		return refuse_address(t, address);
	if (time - base > span || time < base)
		return gputm__out_of_range(&t->unit, "time", time, base,
					   span > UINT64_MAX - base ? UINT64_MAX : base + span);
	return 0;
}

int gputm_last_written_record(struct gputm_last_written *t, uint64_t address, uint64_t time)
{
	int error = check_record(t, address, time);

	if (!error)
		error = gputm_recency_bloom_update(t->filter, address, time);
	if (error)
		return error;
	t->records++;
	gputm__emit(&t->unit, GPUTM_LAST_WRITTEN_EVENT_RECORD, address, time, 0, 0);
	return 0;
}

int gputm_last_written_query_probe(const struct gputm_last_written *t, uint64_t address,
				   uint64_t *time)
{
	if (address > t->address_max)
		return refuse_address(t, address);
	return gputm_recency_bloom_query(t->filter, address, time);
}

int gputm_last_written_query(struct gputm_last_written *t, uint64_t address, uint64_t *time)
{
	int error;

	if (address > t->address_max)
		return refuse_address(t, address);
	t->queries++;
	error = gputm_recency_bloom_query(t->filter, address, time);
	gputm__assert(!error);
	gputm__emit(&t->unit, GPUTM_LAST_WRITTEN_EVENT_QUERY, address, *time, 0, 0);
	return error;
}

void gputm_last_written_expire(struct gputm_last_written *t, uint64_t floor, uint64_t *cycles)
{
	uint64_t spent;

	gputm_recency_bloom_expire(t->filter, floor, &spent);
	t->expiries += spent != 0;
	if (cycles)
		*cycles = spent;
	gputm__emit(&t->unit, GPUTM_LAST_WRITTEN_EVENT_EXPIRE, floor, spent, 0, 0);
}

void gputm_last_written_clear(struct gputm_last_written *t)
{
	gputm_recency_bloom_clear(t->filter);
	t->clears++;
}

int gputm_last_written_get_entry(const struct gputm_last_written *t, uint32_t way, uint32_t index,
				 uint64_t *out)
{
	return gputm_recency_bloom_get_entry(t->filter, way, index, 0, out);
}
