/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_WRITE_SET_LOG_H
#define GPUTM_ORACLE_WRITE_SET_LOG_H
/* Logs the slow way: one list of all writes of a round, with a flag per stream that saw it. */
#include "gputm/write_set_log.h"
#include "tests/oracle/stats.h"

#define ORACLE_WRITE_SET_LOG_MOST 8192
#define ORACLE_WRITE_SET_LOG_STATS                                                             \
	appended, before, early, shipped, replayed, chunks, maximum_round

struct oracle_write_set_log {
	struct gputm_write_set_log_config config;
	struct oracle_log_write {
		struct gputm_log_entry entry;
		uint32_t thread;
		bool seen[3];
	} write[ORACLE_WRITE_SET_LOG_MOST];
	uint32_t count;
	uint32_t after[3]; /* the thread that a stream was served from last, + 1 */
	uint64_t round;
	uint64_t last[1024]; /* stamp of each thread */
	ORACLE_STATS(ORACLE_WRITE_SET_LOG_STATS) stats;
};

void oracle_write_set_log_open(struct oracle_write_set_log *o,
			       const struct gputm_write_set_log_config *config);
/* The same answers as the unit's functions of these names. */
int oracle_write_set_log_append(struct oracle_write_set_log *o, uint32_t thread,
				uint64_t address, uint32_t value, uint64_t stamp);
/* As pop; the entries are copied to out[], of config.chunk_bytes / config.entry_bytes. */
int oracle_write_set_log_pop(struct oracle_write_set_log *o, unsigned stream, bool partial,
			     struct gputm_log_entry *out, struct gputm_log_chunk *chunk);
uint64_t oracle_write_set_log_pending(const struct oracle_write_set_log *o, unsigned stream);
int oracle_write_set_log_begin(struct oracle_write_set_log *o);

#endif /* GPUTM_ORACLE_WRITE_SET_LOG_H */
