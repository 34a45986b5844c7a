/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_LAST_WRITER_H
#define GPUTM_TESTS_ORACLE_LAST_WRITER_H
/*
 * A last writer history by the book: arrays as drawn in the thesis, every step a plain
 * loop. Beside it the truth: all writes ever recorded, in order.
 */
#include "gputm/last_writer.h"

#define ORACLE_LAST_WRITER_STATS                                                               \
	lookups, unknown, exact, filtered, records, replaced, filled, evicted, expiries,       \
		forgotten, sweep_cycles, entries_max, entries

struct oracle_last_writer;

struct oracle_last_writer *oracle_last_writer_new(const struct gputm_last_writer_config *config);
void oracle_last_writer_free(struct oracle_last_writer *oracle);
void oracle_last_writer_reset(struct oracle_last_writer *oracle);
/* The same answers as the unit's functions, -ERANGE included. */
int oracle_last_writer_record(struct oracle_last_writer *oracle, uint64_t address, uint64_t cid);
int oracle_last_writer_youngest_writer(struct oracle_last_writer *oracle, uint64_t address,
				       uint64_t *cid);
int oracle_last_writer_expire(struct oracle_last_writer *oracle, uint64_t floor,
			      uint64_t *cycles);
const uint64_t *oracle_last_writer_stats(const struct oracle_last_writer *oracle);
/* Table entries: sets x ways. */
uint64_t oracle_last_writer_entries(const struct oracle_last_writer *oracle);
/* The true youngest writer that is not older than the base. */
bool oracle_last_writer_truth(const struct oracle_last_writer *oracle, uint64_t address,
			      uint64_t *cid);

#endif
