/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/timestamp_table.h"

#define INFINITE INT64_MAX /* an unset PDTS */

enum { IDLE, RUNNING, COMMITTED };

void oracle_timestamp_table_open(struct oracle_timestamp_table *o,
				 const struct gputm_timestamp_table_config *config)
{
	o->config = *config;
	for (unsigned i = 0; i < ORACLE_TIMESTAMP_TABLE_TX; i++) {
		o->tx[i].state = IDLE;
		o->tx[i].cts = 1;
		o->tx[i].pdts = INFINITE;
		o->tx[i].prev = 0;
	}
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

int oracle_timestamp_table_begin(struct oracle_timestamp_table *o, uint32_t tx, uint64_t start)
{
	if (o->tx[tx].state == RUNNING || (o->tx[tx].state == COMMITTED && !o->config.literal))
		return -EINVAL;
	if (!o->config.literal && (int64_t)start > limit(o))
		return GPUTM_TIMESTAMP_TABLE_OVERFLOW;
	if (!o->config.literal)
		o->tx[tx].cts = (int64_t)start;
	o->tx[tx].state = RUNNING;
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

int oracle_timestamp_table_edge(struct oracle_timestamp_table *o, uint32_t pred, uint32_t succ)
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

int oracle_timestamp_table_retire(struct oracle_timestamp_table *o, uint32_t tx, bool committed)
{
	int64_t ts = o->tx[tx].pdts == INFINITE ? o->tx[tx].cts : o->tx[tx].pdts;

	if (o->tx[tx].state != RUNNING)
		return -EINVAL;
	if (o->config.literal && ts + 1 > limit(o))
		return GPUTM_TIMESTAMP_TABLE_OVERFLOW;
	o->tx[tx].prev = o->tx[tx].cts;
	if (o->config.literal)
		o->tx[tx].cts = ts + 1;
	o->tx[tx].pdts = INFINITE;
	o->tx[tx].state = committed ? COMMITTED : IDLE;
	return GPUTM_TIMESTAMP_TABLE_OK;
}

int oracle_timestamp_table_release(struct oracle_timestamp_table *o, uint32_t tx)
{
	if (o->tx[tx].state != COMMITTED)
		return -EINVAL;
	o->tx[tx].state = IDLE;
	return 0;
}

bool oracle_order_closes_loop(const struct oracle_order *o, uint32_t pred, uint32_t succ)
{
	uint32_t reached = 1u << succ, before = 0;

	while (reached != before) {
		before = reached;
		for (unsigned i = 0; i < ORACLE_TIMESTAMP_TABLE_TX; i++)
			if (reached >> i & 1)
				reached |= o->before[i];
	}
	return reached >> pred & 1;
}

void oracle_order_add(struct oracle_order *o, uint32_t pred, uint32_t succ)
{
	o->before[pred] |= 1u << succ;
}

void oracle_order_forget(struct oracle_order *o, uint32_t tx)
{
	o->before[tx] = 0;
	for (unsigned i = 0; i < ORACLE_TIMESTAMP_TABLE_TX; i++)
		o->before[i] &= ~(1u << tx);
}
