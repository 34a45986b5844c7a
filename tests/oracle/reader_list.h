/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_READER_LIST_H
#define GPUTM_ORACLE_READER_LIST_H
/*
 * Readers of words the slow way: a flag per transaction and word, and whether the word has
 * had a fourth reader. What it takes in entries is counted anew each time.
 */
#include "gputm/reader_list.h"
#include "tests/oracle/stats.h"

#define ORACLE_READER_LIST_WORDS 64
#define ORACLE_READER_LIST_STATS added, already, full, removed, expanded, folded, used_max, used

struct oracle_reader_list {
	struct gputm_reader_list_config config;
	struct {
		uint64_t word;
		bool vectors;
		bool reader[4096];
	} of[ORACLE_READER_LIST_WORDS];
	unsigned words; /* seen so far */
	ORACLE_STATS(ORACLE_READER_LIST_STATS) stats;
};

void oracle_reader_list_open(struct oracle_reader_list *o,
			     const struct gputm_reader_list_config *config);
int oracle_reader_list_add(struct oracle_reader_list *o, uint64_t address, uint32_t tx);
int oracle_reader_list_remove(struct oracle_reader_list *o, uint64_t address, uint32_t tx);
/* ids has room for all transactions. */
unsigned oracle_reader_list_readers(struct oracle_reader_list *o, uint64_t address, uint32_t *ids);
unsigned oracle_reader_list_entries(struct oracle_reader_list *o, uint64_t address);
unsigned oracle_reader_list_used(const struct oracle_reader_list *o);
#endif
