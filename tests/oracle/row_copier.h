/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_ROW_COPIER_H
#define GPUTM_ORACLE_ROW_COPIER_H
/* Copies the slow way: a queue of rows for each subarray, worked on cycle by cycle. */
#include "gputm/row_copier.h"
#include "tests/oracle/stats.h"

#define ORACLE_ROW_COPIER_SUBARRAYS 16
#define ORACLE_ROW_COPIER_REQUESTS 8
#define ORACLE_ROW_COPIER_STATS pushed, full, completed, popped, rows, held_max

struct oracle_row_copier {
	struct gputm_row_copier_config config;
	struct {
		unsigned queue[4096]; /* request that each row is of, by its serial number */
		unsigned first, last; /* of the queue */
		uint32_t left;	      /* cycles of the first row */
	} subarray[ORACLE_ROW_COPIER_SUBARRAYS];
	struct {
		uint64_t tag;
		uint64_t order; /* of completion; 0: not yet */
		unsigned serial, rows_left;
	} held[ORACLE_ROW_COPIER_REQUESTS];
	unsigned count, serial;
	ORACLE_STATS(ORACLE_ROW_COPIER_STATS) stats;
};

void oracle_row_copier_open(struct oracle_row_copier *o,
			    const struct gputm_row_copier_config *config);
int oracle_row_copier_push(struct oracle_row_copier *o,
			   const struct gputm_row_copier_request *request);
bool oracle_row_copier_pop(struct oracle_row_copier *o, uint64_t *tag);
void oracle_row_copier_tick(struct oracle_row_copier *o);
#endif
