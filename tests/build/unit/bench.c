/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter_table: accesses to random granules, twice as many as entries. The bound is the array
 * without statistics and events.
 */
#include <stdbool.h>

#include "gputm/counter_table.h"
#include "tests/bench/bench.h"

#define ENTRIES 256

struct table {
	struct gputm_counter_table *unit;
	uint64_t granule[ENTRIES], count[ENTRIES], random;
};

BENCH_SETUP(setup, struct table *t)
{
	bench_must(gputm_counter_table_new(NULL, NULL, &t->unit));
}

BENCH_LOOP(run, struct table *t)
{
	return (uint64_t)gputm_counter_table_record(t->unit, bench_next(&t->random) & 0x3fff);
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

BENCH_LOOP(bound, struct table *t)
{
	return (uint64_t)tight_record(t, bench_next(&t->random) & 0x3fff);
}

static const struct bench_op operations[] = {
	{ "record, random", setup, 0, run, "gputm_counter_table_record",
	  .bound = bound, .bound_inside = "tight_record" },
};

BENCH_TABLE("counter_table", struct table, operations)
