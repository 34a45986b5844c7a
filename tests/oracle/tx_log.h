/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_TX_LOG_H
#define GPUTM_TESTS_ORACLE_TX_LOG_H
/*
 * Transaction logs as plain lists of entries in order of appending: what a lane has
 * read and written, and nothing about rows as buffers, signatures or masks.
 */
#include <stdbool.h>
#include <stdint.h>
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

void oracle_tx_log_init(struct oracle_tx_log *o, unsigned lanes, unsigned partitions,
			unsigned interleave);
/* False when the list is full; then nothing is appended. */
bool oracle_tx_log_append(struct oracle_tx_log *o, unsigned kind, uint64_t mask,
			  const uint64_t *address, const uint32_t *value);
/* Newest write of the lane at the address: its row, or -1. */
int oracle_tx_log_own_write(const struct oracle_tx_log *o, unsigned lane, uint64_t address,
			    uint32_t *value);
void oracle_tx_log_restart(struct oracle_tx_log *o, uint64_t mask);
/* The entry of a lane in a row, or NULL when it is void. */
const struct oracle_tx_log_entry *oracle_tx_log_at(const struct oracle_tx_log *o, unsigned kind,
						   unsigned row, unsigned lane);
/* The lanes that a row sends to a partition. */
uint64_t oracle_tx_log_to(const struct oracle_tx_log *o, unsigned kind, unsigned row,
			  unsigned partition);
unsigned oracle_tx_log_partition(const struct oracle_tx_log *o, uint64_t address);
uint64_t oracle_tx_log_live(const struct oracle_tx_log *o);

#endif
