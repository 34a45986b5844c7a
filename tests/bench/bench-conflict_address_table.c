/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * conflict_address_table: look-ups among 256 marked words, half of which hit. The bound is a
 * direct-mapped array of marks, without statistics and events.
 */
#include "gputm/conflict_address_table.h"
#include "tests/bench/bench.h"

#define WORDS 512

struct table {
	struct gputm_conflict_address_table *unit;
	uint8_t written[WORDS];
};

BENCH_SETUP(setup, struct table *t)
{
	bench_must(gputm_conflict_address_table_new(NULL, NULL, &t->unit));
	for (unsigned i = 0; i < WORDS; i += 2) {
		bench_must(gputm_conflict_address_table_insert(t->unit, 4 * i, true));
		t->written[i] = 1;
	}
}

BENCH_LOOP(lookup, struct table *t)
{
	return (uint64_t)gputm_conflict_address_table_lookup(t->unit, 4 * (i * 37 % WORDS), false);
}

BENCH_TIGHT static uint64_t tight_lookup(const struct table *t, uint64_t word)
{
	return t->written[word];
}

BENCH_LOOP(bound_lookup, struct table *t)
{
	return tight_lookup(t, i * 37 % WORDS);
}

static const struct bench_op operations[] = {
	{ "lookup, 256 words marked", setup, 0, lookup, "gputm_conflict_address_table_lookup",
	  .bound = bound_lookup, .bound_inside = "tight_lookup" },
};

BENCH_TABLE("conflict_address_table", struct table, operations)
