/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_CONFLICT_ADDRESS_TABLE_H
#define GPUTM_ORACLE_CONFLICT_ADDRESS_TABLE_H
/* The marks, in a list. */
#include "tests/oracle/stats.h"

#define ORACLE_CONFLICT_ADDRESS_TABLE_STATS                                                    \
	inserted, removed, full, lookups, conflicts, accesses, paused, used, used_max

struct oracle_mark {
	uint64_t word;
	bool write;
};

struct oracle_conflict_address_table {
	struct gputm_conflict_address_table_config config;
	struct oracle_mark *mark;
	size_t marks;
	ORACLE_STATS(ORACLE_CONFLICT_ADDRESS_TABLE_STATS) stats;
};

static void
oracle_conflict_address_table_open(struct oracle_conflict_address_table *o,
				   const struct gputm_conflict_address_table_config *config)
{
	ORACLE_OPEN(o, config);
}

static void oracle_conflict_address_table_close(struct oracle_conflict_address_table *o)
{
	free(o->mark);
}

static bool oracle_is_wide(const struct oracle_conflict_address_table *o, uint64_t address)
{
	return o->config.address_bits < 64 && address >> o->config.address_bits;
}

/* The place of the mark; marks: there is none. */
static size_t oracle_mark(const struct oracle_conflict_address_table *o, uint64_t address,
			  bool write)
{
	size_t i = 0;

	while (i < o->marks && (o->mark[i].word != address / o->config.granularity ||
				o->mark[i].write != write))
		i++;
	return i;
}

static bool oracle_marked(const struct oracle_conflict_address_table *o, uint64_t address,
			  bool write)
{
	return oracle_mark(o, address, write) < o->marks;
}

/* Words with a mark: all marks but the second ones of words with both. */
static uint64_t oracle_words(const struct oracle_conflict_address_table *o)
{
	uint64_t words = o->marks;

	for (size_t i = 0; i < o->marks; i++)
		words -= o->mark[i].write &&
			 oracle_marked(o, o->mark[i].word * o->config.granularity, false);
	return words;
}

static int oracle_conflict_address_table_insert(struct oracle_conflict_address_table *o,
						uint64_t address, bool write)
{
	if (oracle_is_wide(o, address))
		return -ERANGE;
	if (oracle_marked(o, address, write))
		return GPUTM_CONFLICT_ADDRESS_TABLE_UNCHANGED;
	if (!oracle_marked(o, address, !write) && oracle_words(o) == o->config.entries) {
		o->stats.full++;
		return GPUTM_CONFLICT_ADDRESS_TABLE_FULL;
	}
	o->mark = realloc(o->mark, (o->marks + 1) * sizeof(*o->mark));
	if (!o->mark)
		abort();
	o->mark[o->marks++] = (struct oracle_mark){ address / o->config.granularity, write };
	o->stats.inserted++;
	o->stats.used = oracle_words(o);
	oracle_most(&o->stats.used_max, o->stats.used);
	return GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED;
}

static int oracle_conflict_address_table_remove(struct oracle_conflict_address_table *o,
						uint64_t address, bool write)
{
	size_t at = oracle_mark(o, address, write);

	if (oracle_is_wide(o, address))
		return -ERANGE;
	if (at == o->marks)
		return GPUTM_CONFLICT_ADDRESS_TABLE_UNCHANGED;
	o->mark[at] = o->mark[--o->marks];
	o->stats.removed++;
	o->stats.used = oracle_words(o);
	return GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED;
}

static int oracle_conflict_address_table_lookup(struct oracle_conflict_address_table *o,
						uint64_t address, bool write)
{
	bool conflict;

	if (oracle_is_wide(o, address))
		return -ERANGE;
	if (!write)
		conflict = oracle_marked(o, address, true);
	else
		conflict = oracle_marked(o, address, false) ||
			   (o->config.write_write && oracle_marked(o, address, true));
	o->stats.lookups++;
	o->stats.conflicts += conflict;
	return conflict;
}

static int oracle_conflict_address_table_pause(struct oracle_conflict_address_table *o,
					       uint64_t lanes, const uint64_t address[],
					       bool write, uint64_t *paused)
{
	uint64_t found = 0, on = 0;

	for (EACH_LANE(lane, lanes))
		if (oracle_is_wide(o, address[lane]))
			return -ERANGE;
	for (EACH_LANE(lane, lanes)) {
		uint64_t bit = UINT64_C(1) << lane;

		if (oracle_conflict_address_table_lookup(o, address[lane], write))
			found |= bit;
		else
			on |= bit;
	}
	for (EACH_LANE(lane, lanes))
		if (!on) {
			on = UINT64_C(1) << lane;
			found -= on;
		}
	o->stats.accesses++;
	o->stats.paused += oracle_lanes(found);
	*paused = found;
	return 0;
}

#endif /* GPUTM_ORACLE_CONFLICT_ADDRESS_TABLE_H */
