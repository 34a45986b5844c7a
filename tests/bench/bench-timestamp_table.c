/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timestamp_table: edges among 1024 transactions, most of which pass, since they lead from a
 * lower to a higher number. The bound keeps three arrays and does the same arithmetic; it
 * checks no numbers, states or widths, counts nothing and has no observer.
 */
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

BENCH_SETUP(setup, struct stamps *s)
{
	struct gputm_timestamp_table_config config = GPUTM_TIMESTAMP_TABLE_CONFIG_INIT;
	uint64_t random = 1;

	config.stamp_bits = 31;
	bench_must(gputm_timestamp_table_new(NULL, &config, &s->unit));
	for (uint32_t i = 0; i < TRANSACTIONS; i++) {
		bench_must(gputm_timestamp_table_begin(s->unit, i, 1 + 32 * i));
		s->cts[i] = 1 + 32 * i;
		s->pdts[i] = NONE;
	}
	for (uint32_t i = 0; i < EDGES; i++) {
		uint32_t pred = (uint32_t)(bench_next(&random) % (TRANSACTIONS - 1));
		uint32_t rest = TRANSACTIONS - 1 - pred;

		s->edge[i].pred = pred;
		s->edge[i].succ = pred + 1 + (uint32_t)(bench_next(&random) % rest);
	}
}

BENCH_TURN(run, struct stamps *s,
	   gputm_timestamp_table_add_edge(s->unit, s->edge[i % EDGES].pred,
					  s->edge[i % EDGES].succ))

BENCH_TURN(bound, struct stamps *s, tight_edge(s, s->edge[i % EDGES].pred, s->edge[i % EDGES].succ))

static const struct bench_op operations[] = {
	{ "edge between running transactions", setup, 0, run, "gputm_timestamp_table_add_edge",
	  .bound = bound, .bound_inside = "tight_edge" },
};

BENCH_TABLE("timestamp_table", struct stamps, operations)
