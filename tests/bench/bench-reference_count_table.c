/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reference_count_table: 256 words, added and removed in turn, so that entries come and go. The
 * bound is a direct-mapped array of counts, without statistics and events; it cannot be full.
 */
#include <stdbool.h>

#include "gputm/reference_count_table.h"
#include "tests/bench/bench.h"

#define WORDS 256

struct table {
	struct gputm_reference_count_table *unit;
	uint32_t count[WORDS];
};

BENCH_SETUP(setup, struct table *t)
{
	bench_must(gputm_reference_count_table_new(NULL, NULL, &t->unit));
	for (unsigned i = 0; i < WORDS; i += 2)
		bench_must(gputm_reference_count_table_add(t->unit, 4 * i, false));
}

/* An odd word comes in one turn and goes in the next. */
static uint64_t word_of(uint64_t i)
{
	return (i & ~UINT64_C(1)) * 37 % WORDS | 1;
}

BENCH_LOOP(add_remove, struct table *t)
{
	uint64_t address = 4 * word_of(i);

	return (uint64_t)(i & 1 ? gputm_reference_count_table_remove(t->unit, address, true)
				: gputm_reference_count_table_add(t->unit, address, true));
}

BENCH_TIGHT static uint64_t tight_change(struct table *t, uint64_t word, bool add)
{
	uint32_t before = t->count[word];

	t->count[word] = add ? before + 1 : before - 1;
	return !(add ? before : before - 1);
}

BENCH_LOOP(bound_change, struct table *t)
{
	return tight_change(t, word_of(i), !(i & 1));
}

static const struct bench_op operations[] = {
	{ "add and remove", setup, 0, add_remove, "gputm_reference_count_table_add",
	  .bound = bound_change, .bound_inside = "tight_change" },
};

BENCH_TABLE("reference_count_table", struct table, operations)
