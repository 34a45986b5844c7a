/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * first_read: the check of one lane's load, alone and with the query of last_written that
 * comes before it. The bound compares two numbers and sets a bit.
 */
#include <stdlib.h>

#include "gputm/first_read.h"
#include "gputm/last_written.h"
#include "tests/bench/bench.h"

#define KEYS 1024

struct tables {
	struct gputm_first_read *first;
	struct gputm_last_written *last;
	uint32_t address[KEYS];
	uint64_t time[32];
	uint64_t conflict;
};

static void *setup(void)
{
	struct tables *t = calloc(1, sizeof(*t));
	uint64_t random = 1;

	if (!t || gputm_first_read_new(NULL, NULL, &t->first) ||
	    gputm_last_written_new(NULL, NULL, &t->last) ||
	    gputm_first_read_begin(t->first, 0, UINT32_MAX) ||
	    gputm_first_read_issue(t->first, 0, UINT32_MAX, KEYS))
		abort();
	for (unsigned i = 0; i < KEYS; i++) {
		t->address[i] = (uint32_t)bench_next(&random);
		if (i % 2 && gputm_last_written_record(t->last, t->address[i], i))
			abort();
	}
	for (unsigned i = 0; i < 32; i++)
		t->time[i] = KEYS;
	return t;
}

static void teardown(void *state)
{
	struct tables *t = state;

	gputm_first_read_free(t->first);
	gputm_last_written_free(t->last);
	free(t);
}

static void reply(void *state, uint64_t count)
{
	struct tables *t = state;
	int conflicts = 0;

	for (uint64_t i = 0; i < count; i++)
		conflicts += gputm_first_read_reply(t->first, 0, UINT64_C(1) << (i & 31), i % KEYS,
						    false);
	bench_use((uint64_t)conflicts);
}

static void load(void *state, uint64_t count)
{
	struct tables *t = state;
	uint64_t time = 0;
	int conflicts = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (gputm_last_written_query(t->last, t->address[i % KEYS], &time))
			abort();
		conflicts += gputm_first_read_reply(t->first, 0, UINT64_C(1) << (i & 31), time,
						    false);
	}
	bench_use((uint64_t)conflicts);
}

BENCH_TIGHT static void tight_reply(struct tables *t, uint32_t lane, uint64_t time)
{
	t->conflict |= (uint64_t)(t->time[lane] < time) << lane;
}

static void bound_reply(void *state, uint64_t count)
{
	struct tables *t = state;

	for (uint64_t i = 0; i < count; i++)
		tight_reply(t, i & 31, i % KEYS);
	bench_use(t->conflict);
}

static const struct bench_op operations[] = {
	{ "first_read", "reply to one lane", setup, teardown, reply, bound_reply,
	  "gputm_first_read_reply", "tight_reply", 0 },
	{ "first_read", "load: last_written query and reply", setup, teardown, load, NULL,
	  "gputm_last_written_query,gputm_first_read_reply", "-", 0 },
};

BENCH_TABLE(operations)
