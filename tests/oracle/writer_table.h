/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_WRITER_TABLE_H
#define GPUTM_ORACLE_WRITER_TABLE_H
/* Writers of words the slow way: one list of all entries, oldest first. */
#include "gputm/writer_table.h"
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

void oracle_writer_table_open(struct oracle_writer_table *o,
			      const struct gputm_writer_table_config *config);
int oracle_writer_table_claim(struct oracle_writer_table *o, uint64_t address, uint32_t tx,
			      uint64_t snapshot);
int oracle_writer_table_commit(struct oracle_writer_table *o, uint64_t address, uint32_t tx,
			       uint64_t version);
int oracle_writer_table_release(struct oracle_writer_table *o, uint64_t address, uint32_t tx);
unsigned oracle_writer_table_writers(const struct oracle_writer_table *o, uint64_t address,
				     struct gputm_writer_table_writer *out);
#endif
