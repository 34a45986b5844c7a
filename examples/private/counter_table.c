/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A direct-mapped table of access counters.
 *
 * Source: any textbook.
 *
 *   record(a)  entry g mod entries of granule g = a / granularity: its tag is g: count on;
 *              free, or another's: g's from 1 on
 *   query(a)   the count, if the tag is g
 *
 * Example, 4 entries, granules of 32 bytes:
 *   record 0x00, 0x1f   entry 0: granule 0, filled, then hit: 2
 *   record 0x80         entry 0: granule 4, replaced: 1
 *   query 0x00          0
 *
 * Invariants, proved by check():
 *  I1  an entry in use holds a granule that maps to it, and a count that is not 0
 *  I2  used is the number of entries in use, and of fills
 */
#include "counter_table.h"
#include "lib/base/unit.h"

struct entry {
	uint64_t granule;
	uint64_t count; /* 0: free */
};

struct gputm_counter_table {
	struct gputm_unit unit;
	struct gputm_counter_table_config config;
	struct entry *entry;
	uint32_t shift; /* address to granule */
	uint64_t most;	/* of a count */
	uint64_t used, hits, fills, replacements;
};

#define UNIT counter_table

static const struct gputm_param rows[] = {
	PARAM(entries, 1, 1 << 20, 256, true, "Entries of the table.", ""),
	PARAM(granularity, 1, 4096, 32, true, "Bytes of a granule.", ""),
	PARAM(count_bits, 1, 63, 8, false, "Width of a counter, bits.", ""),
};

static const struct gputm_preset presets[] = {
	{ "small", "64 entries of 4 bits.", { { "entries", 64 }, { "count_bits", 4 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(hits, COUNTER, "accesses", "Accesses that found their granule."),
	STAT(fills, COUNTER, "accesses", "Accesses that took a free entry: used."),
	STAT(replacements, COUNTER, "accesses", "Accesses that took another granule's entry."),
	STAT(used, GAUGE, "entries", "Entries in use."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_COUNTER_TABLE_EVENT_REPLACE, "replace",
	      "A granule takes the entry of another one.",
	      VALUE(old, "granule", "The granule that is counted no more."),
	      VALUE(counted, "accesses", "Its count.")),
};

static int setup(struct gputm_unit *unit)
{
	struct gputm_counter_table *t = (void *)unit;

	t->shift = gputm__log2(t->config.granularity);
	t->most = (UINT64_C(1) << t->config.count_bits) - 1;
	t->entry = gputm__own(unit, t->config.entries, sizeof(*t->entry));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_counter_table *t = (void *)unit;

	memset(t->entry, 0, t->config.entries * sizeof(*t->entry));
	t->used = 0;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_counter_table *t = (void *)unit;

	gputm__io_u64(io, &t->used);
	for (uint32_t i = 0; i < t->config.entries; i++) {
		gputm__io_u64_max(io, &t->entry[i].count, t->most, "a count is too wide");
		if (t->entry[i].count)
			gputm__io_u64(io, &t->entry[i].granule);
	}
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_counter_table *t = (const void *)unit;
	uint64_t used = 0;

	for (uint32_t i = 0; i < t->config.entries; i++) {
		used += t->entry[i].count != 0;
		if (t->entry[i].count && (t->entry[i].granule & (t->config.entries - 1)) != i)
			return "I1: an entry holds a granule that maps to another one";
		if (t->entry[i].count && t->entry[i].granule > UINT64_MAX >> t->shift)
			return "I1: an entry holds a granule past the last address";
	}
	return used == t->used ? NULL : "I2: used is not the number of entries in use";
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_counter_table *t = (const void *)unit;

	gputm__law(laws, t->fills, t->used, "I2: fills are not used");
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_counter_table *t = (const void *)unit;
	uint32_t tag = 64 - t->shift - gputm__log2(t->config.entries);

	gputm__array(out, "entries", t->config.entries, tag + t->config.count_bits, 1);
}

GPUTM__UNIT(counter_table, .version = 1, .setup = setup, .laws = laws)

int gputm_counter_table_record(struct gputm_counter_table *t, uint64_t address)
{
	uint64_t granule = address >> t->shift;
	struct entry *e = &t->entry[granule & (t->config.entries - 1)];
	struct entry old = *e;

	if (old.count && old.granule == granule) {
		e->count += old.count < t->most;
		t->hits++;
		return GPUTM_COUNTER_TABLE_HIT;
	}
	*e = (struct entry){ granule, 1 };
	if (!old.count) {
		t->used++;
		t->fills++;
		return GPUTM_COUNTER_TABLE_FILLED;
	}
	t->replacements++;
	gputm__emit(&t->unit, GPUTM_COUNTER_TABLE_EVENT_REPLACE, old.granule, old.count, 0, 0);
	return GPUTM_COUNTER_TABLE_REPLACED;
}

uint64_t gputm_counter_table_query(const struct gputm_counter_table *t, uint64_t address)
{
	const struct entry *e = &t->entry[address >> t->shift & (t->config.entries - 1)];

	return e->granule == address >> t->shift ? e->count : 0;
}
