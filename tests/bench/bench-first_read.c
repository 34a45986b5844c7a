/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * first_read: the check of one lane's load, alone and with the query of last_written that
 * comes before it. The bound compares two numbers and sets a bit.
 */
#include "tests/bench/bench.h"

#define KEYS 1024

struct tables {
	struct gputm_first_read *first;
	struct gputm_last_written *last;
	uint32_t address[KEYS];
	uint64_t time[32];
	uint64_t conflict;
};

BENCH_SETUP(setup, struct tables *t)
{
	uint64_t random = 1;

	bench_must(gputm_first_read_new(NULL, NULL, &t->first));
	bench_must(gputm_last_written_new(NULL, NULL, &t->last));
	bench_must(gputm_first_read_begin(t->first, 0, UINT32_MAX));
	bench_must(gputm_first_read_issue(t->first, 0, UINT32_MAX, KEYS));
	for (unsigned i = 0; i < KEYS; i++) {
		t->address[i] = (uint32_t)bench_next(&random);
		if (i % 2)
			bench_must(gputm_last_written_record(t->last, t->address[i], i));
	}
	for (unsigned i = 0; i < 32; i++)
		t->time[i] = KEYS;
}

BENCH_TURN(reply, struct tables *t,
	   gputm_first_read_reply(t->first, 0, UINT64_C(1) << (i & 31), i % KEYS, false))

BENCH_LOOP(load, struct tables *t)
{
	uint64_t time = 0;

	bench_must(gputm_last_written_query(t->last, t->address[i % KEYS], &time));
	return (uint64_t)gputm_first_read_reply(t->first, 0, UINT64_C(1) << (i & 31), time,
					    false);
}

BENCH_TIGHT static void tight_reply(struct tables *t, uint32_t lane, uint64_t time)
{
	t->conflict |= (uint64_t)(t->time[lane] < time) << lane;
}

BENCH_LOOP(bound_reply, struct tables *t)
{
	tight_reply(t, i & 31, i % KEYS);
	return t->conflict;
}

static const struct bench_op operations[] = {
	{ "reply to one lane", setup, 0, reply, "gputm_first_read_reply",
	  .bound = bound_reply, .bound_inside = "tight_reply" },
	{ "load: last_written query and reply", setup, 0, load,
	  "gputm_last_written_query,gputm_first_read_reply",
	  .unbounded = "it is the row above and a query, which last_written bounds" },
};

BENCH_TABLE("first_read", struct tables, operations)
