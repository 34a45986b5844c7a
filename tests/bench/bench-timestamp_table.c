/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timestamp_table: edges among 1024 transactions, most of which pass, since they lead from a
 * lower to a higher number. The bound keeps three arrays and does the same arithmetic; it
 * checks no numbers, states or widths, counts nothing and has no observer.
 */
#include <stdlib.h>

#include "gputm/timestamp_table.h"
#include "tests/bench/bench.h"

#define TRANSACTIONS 1024
#define EDGES 4096
#define NONE UINT32_MAX

struct stamps {
	struct gputm_timestamp_table *unit;
	struct {
		uint32_t pred, succ;
	} edge[EDGES];
	uint32_t cts[TRANSACTIONS], pdts[TRANSACTIONS];
};

BENCH_TIGHT static int tight_edge(struct stamps *s, uint32_t pred, uint32_t succ)
{
	uint32_t cts = s->cts[pred], mine = s->pdts[pred], other = s->pdts[succ];
	uint32_t ts = cts + 10;

	if (other != NONE && cts < other)
		ts = (cts + other) / 2;
	else if (mine != NONE)
		ts = mine;
	ts = mine < ts ? mine : ts;
	s->pdts[pred] = ts;
	if (ts >= other)
		return 1;
	if (s->cts[succ] <= ts)
		s->cts[succ] = ts + 1;
	return 0;
}

static void *setup(void)
{
	struct gputm_timestamp_table_config config = GPUTM_TIMESTAMP_TABLE_CONFIG_INIT;
	struct stamps *s = calloc(1, sizeof(*s));
	uint64_t random = 1;

	config.stamp_bits = 31;
	if (!s || gputm_timestamp_table_new(NULL, &config, &s->unit)) {
		free(s);
		return NULL;
	}
	for (uint32_t i = 0; i < TRANSACTIONS; i++) {
		if (gputm_timestamp_table_begin(s->unit, i, 1 + 32 * i))
			abort();
		s->cts[i] = 1 + 32 * i;
		s->pdts[i] = NONE;
	}
	for (uint32_t i = 0; i < EDGES; i++) {
		uint32_t pred = (uint32_t)(bench_next(&random) % (TRANSACTIONS - 1));
		uint32_t rest = TRANSACTIONS - 1 - pred;

		s->edge[i].pred = pred;
		s->edge[i].succ = pred + 1 + (uint32_t)(bench_next(&random) % rest);
	}
	return s;
}

static void teardown(void *state)
{
	struct stamps *s = state;

	gputm_timestamp_table_free(s->unit);
	free(s);
}

static void run(void *state, uint64_t count)
{
	struct stamps *s = state;
	int sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += gputm_timestamp_table_edge(s->unit, s->edge[i % EDGES].pred,
						  s->edge[i % EDGES].succ);
	bench_use((uint64_t)sum);
}

static void bound(void *state, uint64_t count)
{
	struct stamps *s = state;
	int sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_edge(s, s->edge[i % EDGES].pred, s->edge[i % EDGES].succ);
	bench_use((uint64_t)sum);
}

static const struct bench_op operations[] = {
	{ "timestamp_table", "edge between running transactions", setup, teardown, run, bound,
	  "gputm_timestamp_table_edge", "tight_edge", 0 },
};

BENCH_TABLE(operations)
