/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_LAST_WRITTEN_H
#define GPUTM_ORACLE_LAST_WRITTEN_H
/* Every write ever recorded, in a list; an answer asks for each sub-array who shares its entry. */
#include <stddef.h>

#include "gputm/last_written.h"
#include "tests/oracle/stats.h"

#define ORACLE_LAST_WRITTEN_STATS records, queries, expiries, clears

struct oracle_last_written {
	struct gputm_last_written_config config;
	struct gputm_h3 *h3;
	uint64_t *block, *time;
	size_t count;
	uint64_t floor; /* times below it are forgotten */
	ORACLE_STATS(ORACLE_LAST_WRITTEN_STATS) stats;
};

void oracle_last_written_open(struct oracle_last_written *o,
			      const struct gputm_last_written_config *config);
void oracle_last_written_close(struct oracle_last_written *o);
int oracle_last_written_record(struct oracle_last_written *o, uint64_t address, uint64_t time);
int oracle_last_written_query(struct oracle_last_written *o, uint64_t address, uint64_t *time);
/* The true time at which that block was last written, 0 if never or forgotten. */
uint64_t oracle_last_written_truth(const struct oracle_last_written *o, uint64_t address);
void oracle_last_written_expire(struct oracle_last_written *o, uint64_t floor);
void oracle_last_written_clear(struct oracle_last_written *o);

#endif /* GPUTM_ORACLE_LAST_WRITTEN_H */
