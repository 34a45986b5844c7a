/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_TIMESTAMP_TABLE_H
#define GPUTM_ORACLE_TIMESTAMP_TABLE_H
/*
 * Two oracles: the rules of post-dating over plain numbers, where an unset PDTS is infinity,
 * and the graph that the rules stand for, with its loops found by reachability.
 */
#include "gputm/timestamp_table.h"
#include "tests/oracle/stats.h"

#define ORACLE_TIMESTAMP_TABLE_TX 16
#define ORACLE_TIMESTAMP_TABLE_STATS                                                           \
	passed, loops, overflows, begun, committed, aborted, released, restarts, running_max,  \
		retained_max, running, retained

struct oracle_timestamp_table {
	struct gputm_timestamp_table_config config;
	struct {
		int state;
		int64_t cts, pdts, prev; /* PDTS INT64_MAX: unset */
	} tx[ORACLE_TIMESTAMP_TABLE_TX];
	ORACLE_STATS(ORACLE_TIMESTAMP_TABLE_STATS) stats;
};

void oracle_timestamp_table_open(struct oracle_timestamp_table *o,
				 const struct gputm_timestamp_table_config *config);
int oracle_timestamp_table_begin(struct oracle_timestamp_table *o, uint32_t tx, uint64_t start);
int oracle_timestamp_table_edge(struct oracle_timestamp_table *o, uint32_t pred, uint32_t succ);
int oracle_timestamp_table_retire(struct oracle_timestamp_table *o, uint32_t tx, bool committed);
int oracle_timestamp_table_release(struct oracle_timestamp_table *o, uint32_t tx);
void oracle_timestamp_table_restart(struct oracle_timestamp_table *o);

/* before[i] has bit j: there is an edge from i to j. */
struct oracle_order {
	uint32_t before[ORACLE_TIMESTAMP_TABLE_TX];
};

bool oracle_order_closes_loop(const struct oracle_order *o, uint32_t pred, uint32_t succ);
void oracle_order_add(struct oracle_order *o, uint32_t pred, uint32_t succ);
/* An aborted transaction takes its edges with it. */
void oracle_order_forget(struct oracle_order *o, uint32_t tx);
#endif
