/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_WRITER_TABLE_H
#define GPUTM_ORACLE_WRITER_TABLE_H
/* Writers of words the slow way: one list of all entries, oldest first. */
#include "tests/oracle/stats.h"

#define ORACLE_WRITER_TABLE_ENTRIES 256
#define ORACLE_WRITER_TABLE_STATS                                                              \
	claimed, own, held, conflicts, full, committed, released, used_max, retained_max, used, \
		retained

struct oracle_writer_table {
	struct gputm_writer_table_config config;
	struct {
		uint64_t word, version;
		uint32_t tx;
		bool committed;
	} entry[ORACLE_WRITER_TABLE_ENTRIES];
	unsigned used;
	ORACLE_STATS(ORACLE_WRITER_TABLE_STATS) stats;
};

static bool is_of(const struct oracle_writer_table *o, unsigned i, uint64_t address)
{
	return o->entry[i].word == address / o->config.word_bytes;
}

static void count_entries(struct oracle_writer_table *o)
{
	o->stats.used = o->used;
	o->stats.retained = 0;
	for (unsigned i = 0; i < o->used; i++)
		o->stats.retained += o->entry[i].committed;
	oracle_most(&o->stats.used_max, o->stats.used);
	oracle_most(&o->stats.retained_max, o->stats.retained);
}

static int oracle_writer_table_claim(struct oracle_writer_table *o, uint64_t address, uint32_t tx,
				     uint64_t snapshot)
{
	bool own = false, held = false, conflict = false;

	for (unsigned i = 0; i < o->used; i++) {
		if (!is_of(o, i, address))
			continue;
		if (o->entry[i].committed && o->entry[i].tx == tx)
			return -EINVAL;
		own |= !o->entry[i].committed && o->entry[i].tx == tx;
		held |= !o->entry[i].committed && o->entry[i].tx != tx;
		conflict |= o->entry[i].committed && o->entry[i].version > snapshot;
	}
	if (own || held) {
		++*(own ? &o->stats.own : &o->stats.held);
		return own ? GPUTM_WRITER_TABLE_OWN : GPUTM_WRITER_TABLE_HELD;
	}
	o->stats.conflicts += conflict;
	if (conflict)
		return GPUTM_WRITER_TABLE_CONFLICT;
	o->stats.full += o->used == o->config.entries;
	if (o->used == o->config.entries)
		return GPUTM_WRITER_TABLE_FULL;
	o->stats.claimed++;
	o->entry[o->used].word = address / o->config.word_bytes;
	o->entry[o->used].tx = tx;
	o->entry[o->used].version = 0;
	o->entry[o->used++].committed = false;
	count_entries(o);
	return GPUTM_WRITER_TABLE_CLAIMED;
}

static int oracle_writer_table_release(struct oracle_writer_table *o, uint64_t address, uint32_t tx)
{
	for (unsigned i = 0; i < o->used; i++)
		if (is_of(o, i, address) && o->entry[i].tx == tx) {
			memmove(&o->entry[i], &o->entry[i + 1],
				(o->used - i - 1) * sizeof(o->entry[0]));
			o->used--;
			o->stats.released++;
			count_entries(o);
			return 0;
		}
	return -EINVAL;
}

static int oracle_writer_table_commit(struct oracle_writer_table *o, uint64_t address, uint32_t tx,
				      uint64_t version)
{
	unsigned found = o->used;

	for (unsigned i = 0; i < o->used; i++) {
		if (!is_of(o, i, address))
			continue;
		if (o->entry[i].committed && o->entry[i].version > version)
			return -EINVAL;
		if (!o->entry[i].committed && o->entry[i].tx == tx)
			found = i;
	}
	if (found == o->used)
		return -EINVAL;
	o->entry[found].committed = true;
	o->entry[found].version = version;
	o->stats.committed++;
	if (o->config.release_at_commit)
		return oracle_writer_table_release(o, address, tx);
	count_entries(o);
	return 0;
}

static unsigned oracle_writer_table_writers(const struct oracle_writer_table *o, uint64_t address,
					    struct gputm_writer_table_writer *out)
{
	unsigned count = 0;

	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = o->used; i-- > 0;)
			if (is_of(o, i, address) && o->entry[i].committed == (pass == 1)) {
				out[count].tx = o->entry[i].tx;
				out[count].committed = o->entry[i].committed;
				out[count++].version = o->entry[i].version;
			}
	return count;
}

#endif
