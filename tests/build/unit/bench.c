/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter_table: accesses to random granules, twice as many as entries. The bound is the array
 * without statistics and events.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "gputm/counter_table.h"
#include "tests/bench/bench.h"

#define ENTRIES 256

struct table {
	struct gputm_counter_table *unit;
	uint64_t granule[ENTRIES], count[ENTRIES], random;
};

static void *setup(void)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t || gputm_counter_table_new(NULL, NULL, &t->unit)) {
		free(t);
		return NULL;
	}
	return t;
}

static void teardown(void *state)
{
	struct table *t = state;

	gputm_counter_table_free(t->unit);
	free(t);
}

static void run(void *state, uint64_t count)
{
	struct table *t = state;
	int answers = 0;

	for (uint64_t i = 0; i < count; i++)
		answers += gputm_counter_table_record(t->unit, bench_next(&t->random) & 0x3fff);
	bench_use((uint64_t)answers);
}

BENCH_TIGHT static int tight_record(struct table *t, uint64_t address)
{
	uint64_t granule = address >> 5;
	uint32_t at = granule & (ENTRIES - 1);
	bool found = t->count[at] && t->granule[at] == granule;

	t->count[at] = found ? t->count[at] + (t->count[at] < 255) : 1;
	t->granule[at] = granule;
	return found;
}

static void bound(void *state, uint64_t count)
{
	struct table *t = state;
	int answers = 0;

	for (uint64_t i = 0; i < count; i++)
		answers += tight_record(t, bench_next(&t->random) & 0x3fff);
	bench_use((uint64_t)answers);
}

static const struct bench_op operations[] = {
	{ "counter_table", "record, random", setup, teardown, run, bound,
	  "gputm_counter_table_record", "tight_record", 0 },
};

BENCH_TABLE(operations)
