/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_VERSION_TABLE_H
#define GPUTM_ORACLE_VERSION_TABLE_H
/* Versions of regions the slow way: states in an array, every question a scan of it. */
#include "gputm/version_table.h"
#include "tests/oracle/stats.h"

#define ORACLE_VERSION_TABLE_STATS                                                             \
	acquired, released, stale, copies, sealed, dropped, recycled, invalidated, waits,      \
		readable_max, sharers[GPUTM_HISTOGRAM_BUCKETS], references

struct oracle_version_table {
	struct gputm_version_table_config config;
	struct {
		uint64_t start, length, relocated, stride;
		struct {
			int state;
			uint64_t created, stamp;
			uint32_t references, taken; /* now; in its life */
		} version[16];
	} region[64];
	unsigned regions;
	ORACLE_STATS(ORACLE_VERSION_TABLE_STATS) stats;
};

void oracle_version_table_open(struct oracle_version_table *o,
			       const struct gputm_version_table_config *config);
int oracle_version_table_add(struct oracle_version_table *o, uint64_t start, uint64_t length,
			     uint64_t relocated, uint64_t now);
/* The result of resolve; *region and *version are set for OK. */
int oracle_version_table_find(const struct oracle_version_table *o, uint64_t address, uint64_t time,
			      unsigned *region, unsigned *version);
int oracle_version_table_acquire(struct oracle_version_table *o, uint64_t address, uint64_t time,
				 unsigned *region, unsigned *version);
uint64_t oracle_version_table_plain(const struct oracle_version_table *o, uint64_t address);
int oracle_version_table_release(struct oracle_version_table *o, unsigned region, unsigned version);
int oracle_version_table_begin_copy(struct oracle_version_table *o, unsigned region);
int oracle_version_table_copied(struct oracle_version_table *o, unsigned region);
int oracle_version_table_committed(struct oracle_version_table *o, unsigned region, uint64_t stamp);
int oracle_version_table_seal(struct oracle_version_table *o, uint64_t mask, uint64_t now);
int oracle_version_table_restart(struct oracle_version_table *o, uint64_t now);
/* First version of a region in a state, or -1. */
int oracle_version_table_in(const struct oracle_version_table *o, unsigned region, int state);
#endif
