/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access_bitmap: marks and tests at random places of 600 MB, 4 B and 1 KB per bit. The bound
 * is a bitmap without a region to check, counters or a summary.
 */
#include "tests/bench/bench.h"

#define REGION UINT64_C(629145600)

struct world {
	struct gputm_access_bitmap *unit;
	uint64_t *bits;
	uint32_t shift;
	uint64_t random;
};

BENCH_SETUP(setup, struct world *w)
{
	struct gputm_access_bitmap_config config = GPUTM_ACCESS_BITMAP_CONFIG_INIT;

	config.granule = 1u << given;
	w->shift = given;
	w->bits = calloc((size_t)(REGION >> given) / 64 + 1, sizeof(*w->bits));
	if (!w->bits)
		abort();
	bench_must(gputm_access_bitmap_new(NULL, &config, &w->unit));
	for (unsigned i = 0; i < 200000; i++) /* a round's marks */
		bench_use((uint64_t)gputm_access_bitmap_record(
			w->unit, bench_next(&w->random) % REGION));
}

/* Repeated within 16 MB, as a round of a few hundred thousand marks does. */
static uint64_t place(struct world *w)
{
	return bench_next(&w->random) & 0xfffffc;
}

BENCH_TURN(run_record, struct world *w, gputm_access_bitmap_record(w->unit, place(w)))

BENCH_TURN(run_query, struct world *w, gputm_access_bitmap_query(w->unit, place(w)))

BENCH_TIGHT static void tight_record(const struct world *w, uint64_t address)
{
	w->bits[address >> w->shift >> 6] |= UINT64_C(1) << (address >> w->shift & 63);
}

BENCH_TIGHT static int tight_query(const struct world *w, uint64_t address)
{
	return w->bits[address >> w->shift >> 6] >> (address >> w->shift & 63) & 1;
}

BENCH_DO(bound_record, struct world *w, tight_record(w, place(w)))

BENCH_TURN(bound_query, struct world *w, tight_query(w, place(w)))

static const struct bench_op operations[] = {
	{ "mark, 4 B", setup, 2, run_record, "gputm_access_bitmap_record",
	  .bound = bound_record, .bound_inside = "tight_record*" },
	{ "mark, 1 KB", setup, 10, run_record, "gputm_access_bitmap_record",
	  .bound = bound_record, .bound_inside = "tight_record*" },
	{ "test, 4 B", setup, 2, run_query, "gputm_access_bitmap_query",
	  .bound = bound_query, .bound_inside = "tight_query*" },
};

BENCH_TABLE("access_bitmap", struct world, operations)
