/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_TX_LOG_H
#define GPUTM_TESTS_ORACLE_TX_LOG_H
/*
 * Transaction logs as plain lists of entries in order of appending: what a lane has
 * read and written, and nothing about rows as buffers, signatures or masks.
 */
#include "tests/oracle/stats.h"

#define ORACLE_TX_LOG_MAX 8192
#define ORACLE_TX_LOG_STATS                                                                    \
	read_rows, write_rows, read_entries, write_entries, voided_entries, spilled_rows,      \
		max_rows, restarts, lookups, filtered, hits, in_vain, rows_walked

struct oracle_tx_log_entry {
	unsigned kind; /* 0 read, 1 write */
	unsigned row, lane;
	uint64_t address;
	uint32_t value;
	bool live;
};

struct oracle_tx_log {
	unsigned lanes, partitions, interleave, l1_rows;
	bool packed;
	unsigned count;
	unsigned rows[2];
	struct oracle_tx_log_entry entry[ORACLE_TX_LOG_MAX];
	ORACLE_STATS(ORACLE_TX_LOG_STATS) stats;
};

static inline void oracle_tx_log_init(struct oracle_tx_log *o, unsigned lanes, unsigned partitions,
				      unsigned interleave)
{
	memset(o, 0, sizeof(*o));
	o->lanes = lanes;
	o->partitions = partitions;
	o->interleave = interleave;
}

/* How many live entries the lane has. */
static inline unsigned oracle_tx_log_of(const struct oracle_tx_log *o, unsigned kind, unsigned lane)
{
	unsigned live = 0;

	for (unsigned i = 0; i < o->count; i++)
		live += o->entry[i].live && o->entry[i].kind == kind && o->entry[i].lane == lane;
	return live;
}

static inline uint64_t oracle_tx_log_live(const struct oracle_tx_log *o)
{
	uint64_t live = 0;

	for (unsigned i = 0; i < o->count; i++)
		live += o->entry[i].live;
	return live;
}

/* False when the list is full; then nothing is appended. */
static inline bool oracle_tx_log_append(struct oracle_tx_log *o, unsigned kind, uint64_t mask,
					const uint64_t *address, const uint32_t *value)
{
	unsigned last = 0;

	if (!mask)
		return true;
	if (o->count + o->lanes > ORACLE_TX_LOG_MAX)
		return false;
	for (EACH_LANE(lane, mask)) {
		struct oracle_tx_log_entry *e = &o->entry[o->count];

		e->kind = kind;
		e->row = o->rows[kind];
		if (o->packed)
			e->row = oracle_tx_log_of(o, kind, lane);
		last = e->row > last ? e->row : last;
		e->lane = lane;
		e->address = address[lane];
		e->value = value[lane];
		e->live = true;
		o->count++;
		++*(kind ? &o->stats.write_entries : &o->stats.read_entries);
	}
	for (; o->rows[kind] <= last; o->rows[kind]++) {
		++*(kind ? &o->stats.write_rows : &o->stats.read_rows);
		o->stats.spilled_rows += o->rows[kind] >= o->l1_rows;
	}
	oracle_most(&o->stats.max_rows, o->rows[kind]);
	return true;
}

/* Newest write of the lane at the address: its row, or -1. */
static inline int oracle_tx_log_own_write(const struct oracle_tx_log *o, unsigned lane,
					  uint64_t address, uint32_t *value)
{
	int row = -1;

	for (unsigned i = 0; i < o->count; i++) {
		const struct oracle_tx_log_entry *e = &o->entry[i];

		if (e->live && e->kind == 1 && e->lane == lane && e->address == address) {
			row = (int)e->row;
			*value = e->value;
		}
	}
	return row;
}

static inline void oracle_tx_log_restart(struct oracle_tx_log *o, uint64_t mask)
{
	for (unsigned i = 0; i < o->count; i++)
		if (mask >> o->entry[i].lane & 1) {
			o->stats.voided_entries += o->entry[i].live;
			o->entry[i].live = false;
		}
	o->stats.restarts++;
	if (oracle_tx_log_live(o) == 0)
		o->count = o->rows[0] = o->rows[1] = 0;
}

static inline unsigned oracle_tx_log_partition(const struct oracle_tx_log *o, uint64_t address)
{
	return (unsigned)(address / o->interleave % o->partitions);
}

#endif
