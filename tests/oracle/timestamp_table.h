/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_TIMESTAMP_TABLE_H
#define GPUTM_ORACLE_TIMESTAMP_TABLE_H
/*
 * Two oracles: the rules of post-dating over plain numbers, where an unset PDTS is infinity,
 * and the graph that the rules stand for, with its loops found by reachability.
 */
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

/* before[i] has bit j: there is an edge from i to j. */
struct oracle_order {
	uint32_t before[ORACLE_TIMESTAMP_TABLE_TX];
};

#define INFINITE INT64_MAX /* an unset PDTS */

enum { IDLE, RUNNING, COMMITTED };

static void start(struct oracle_timestamp_table *o)
{
	for (unsigned i = 0; i < ORACLE_TIMESTAMP_TABLE_TX; i++) {
		o->tx[i].state = IDLE;
		o->tx[i].cts = 1;
		o->tx[i].pdts = INFINITE;
		o->tx[i].prev = 0;
	}
}

static void oracle_timestamp_table_open(struct oracle_timestamp_table *o,
					const struct gputm_timestamp_table_config *config)
{
	ORACLE_OPEN(o, config);
	start(o);
}

static void oracle_timestamp_table_restart(struct oracle_timestamp_table *o)
{
	for (unsigned i = 0; i < ORACLE_TIMESTAMP_TABLE_TX; i++)
		o->stats.released += o->tx[i].state == COMMITTED;
	o->stats.retained = 0;
	o->stats.restarts++;
	start(o);
}

/* A transaction comes to another state. */
static void enter(struct oracle_timestamp_table *o, uint32_t tx, int state)
{
	o->stats.running -= o->tx[tx].state == RUNNING;
	o->stats.retained -= o->tx[tx].state == COMMITTED;
	o->stats.released += o->tx[tx].state == COMMITTED;
	o->stats.aborted += o->tx[tx].state == RUNNING && state == IDLE;
	o->tx[tx].state = state;
	o->stats.begun += state == RUNNING;
	o->stats.running += state == RUNNING;
	o->stats.committed += state == COMMITTED;
	o->stats.retained += state == COMMITTED;
	oracle_most(&o->stats.running_max, o->stats.running);
	oracle_most(&o->stats.retained_max, o->stats.retained);
}

static int overflow(struct oracle_timestamp_table *o)
{
	o->stats.overflows++;
	return GPUTM_TIMESTAMP_TABLE_OVERFLOW;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t limit(const struct oracle_timestamp_table *o)
{
	return ((int64_t)1 << o->config.stamp_bits) - 2;
}

static int oracle_timestamp_table_begin(struct oracle_timestamp_table *o, uint32_t tx,
					uint64_t from)
{
	if (o->tx[tx].state == RUNNING || (o->tx[tx].state == COMMITTED && !o->config.literal))
		return -EINVAL;
	if (!o->config.literal && (int64_t)from > limit(o))
		return overflow(o);
	if (!o->config.literal)
		o->tx[tx].cts = (int64_t)from;
	enter(o, tx, RUNNING);
	return GPUTM_TIMESTAMP_TABLE_OK;
}

/* What the predecessor's PDTS becomes. */
static int64_t promise(const struct oracle_timestamp_table *o, uint32_t pred, uint32_t succ)
{
	int64_t cts = o->tx[pred].cts, pdts = o->tx[pred].pdts, other = o->tx[succ].pdts;

	if (o->tx[pred].state == COMMITTED)
		return pdts;
	if (!o->config.literal && o->tx[succ].state == COMMITTED)
		return least(pdts, o->tx[succ].prev - 1);
	if (other == INFINITE || cts >= other)
		return pdts == INFINITE ? cts + o->config.increment : pdts;
	if (pdts == INFINITE && o->config.signed_unset)
		return pdts;
	return least(pdts, (cts + other) / 2);
}

static int add_edge(struct oracle_timestamp_table *o, uint32_t pred, uint32_t succ)
{
	int p = o->tx[pred].state, s = o->tx[succ].state;
	int64_t pdts = promise(o, pred, succ), ts = p == COMMITTED ? o->tx[pred].prev : pdts, cts;

	if (pred == succ || p == IDLE || s == IDLE || (p == COMMITTED && s == COMMITTED))
		return -EINVAL;
	if (!o->config.literal && s == COMMITTED) {
		if (pdts < o->tx[pred].cts)
			return GPUTM_TIMESTAMP_TABLE_LOOP;
		o->tx[pred].pdts = pdts;
		return GPUTM_TIMESTAMP_TABLE_OK;
	}
	if (ts == INFINITE) /* signed_unset: an unset PDTS is sent on as -1 */
		ts = -1;
	if (o->tx[succ].pdts != INFINITE && ts >= o->tx[succ].pdts && ts <= limit(o)) {
		o->tx[pred].pdts = pdts;
		return GPUTM_TIMESTAMP_TABLE_LOOP;
	}
	cts = o->config.literal ? ts + 1 : greatest(o->tx[succ].cts, ts + 1);
	if (ts > limit(o) || cts > limit(o))
		return GPUTM_TIMESTAMP_TABLE_OVERFLOW;
	o->tx[pred].pdts = pdts;
	o->tx[succ].cts = cts;
	return GPUTM_TIMESTAMP_TABLE_OK;
}

static int oracle_timestamp_table_edge(struct oracle_timestamp_table *o, uint32_t pred,
				       uint32_t succ)
{
	int result = add_edge(o, pred, succ);

	o->stats.passed += result == GPUTM_TIMESTAMP_TABLE_OK;
	o->stats.loops += result == GPUTM_TIMESTAMP_TABLE_LOOP;
	o->stats.overflows += result == GPUTM_TIMESTAMP_TABLE_OVERFLOW;
	return result;
}

static int oracle_timestamp_table_retire(struct oracle_timestamp_table *o, uint32_t tx,
					 bool committed)
{
	int64_t ts = o->tx[tx].pdts == INFINITE ? o->tx[tx].cts : o->tx[tx].pdts;

	if (o->tx[tx].state != RUNNING)
		return -EINVAL;
	if (o->config.literal && ts + 1 > limit(o))
		return overflow(o);
	o->tx[tx].prev = o->tx[tx].cts;
	if (o->config.literal)
		o->tx[tx].cts = ts + 1;
	o->tx[tx].pdts = INFINITE;
	enter(o, tx, committed ? COMMITTED : IDLE);
	return GPUTM_TIMESTAMP_TABLE_OK;
}

static int oracle_timestamp_table_release(struct oracle_timestamp_table *o, uint32_t tx)
{
	if (o->tx[tx].state != COMMITTED)
		return -EINVAL;
	enter(o, tx, IDLE);
	return 0;
}

static bool oracle_order_closes_loop(const struct oracle_order *o, uint32_t pred, uint32_t succ)
{
	uint32_t reached = 1u << succ, before = 0;

	while (reached != before) {
		before = reached;
		for (EACH_LANE(i, reached))
			reached |= o->before[i];
	}
	return reached >> pred & 1;
}

static void oracle_order_add(struct oracle_order *o, uint32_t pred, uint32_t succ)
{
	o->before[pred] |= 1u << succ;
}

/* An aborted transaction takes its edges with it. */
static void oracle_order_forget(struct oracle_order *o, uint32_t tx)
{
	o->before[tx] = 0;
	for (unsigned i = 0; i < ORACLE_TIMESTAMP_TABLE_TX; i++)
		o->before[i] &= ~(1u << tx);
}

#endif
