/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access_bitmap: marks and tests at random places of 600 MB, 4 B and 1 KB per bit. The bound
 * is a bitmap without a region to check, counters or a summary.
 */
#include <stdlib.h>

#include "gputm/access_bitmap.h"
#include "tests/bench/bench.h"

#define REGION UINT64_C(629145600)

struct world {
	struct gputm_access_bitmap *unit;
	uint64_t *bits;
	uint32_t shift;
	uint64_t random;
};

static void *setup(uint32_t granule, uint32_t shift)
{
	struct gputm_access_bitmap_config config = GPUTM_ACCESS_BITMAP_CONFIG_INIT;
	struct world *w = calloc(1, sizeof(*w));

	config.granule = granule;
	if (!w)
		return NULL;
	w->shift = shift;
	w->bits = calloc((size_t)(REGION >> shift) / 64 + 1, sizeof(*w->bits));
	if (!w->bits || gputm_access_bitmap_new(NULL, &config, &w->unit)) {
		free(w->bits);
		free(w);
		return NULL;
	}
	for (unsigned i = 0; i < 200000; i++) /* a round's marks */
		bench_use((uint64_t)gputm_access_bitmap_record(
			w->unit, bench_next(&w->random) % REGION));
	return w;
}

static void *setup_small(void)
{
	return setup(4, 2);
}

static void *setup_large(void)
{
	return setup(1024, 10);
}

static void teardown(void *state)
{
	struct world *w = state;

	gputm_access_bitmap_free(w->unit);
	free(w->bits);
	free(w);
}

/* Repeated within 16 MB, as a round of a few hundred thousand marks does. */
static uint64_t place(struct world *w)
{
	return bench_next(&w->random) & 0xfffffc;
}

static void run_record(void *state, uint64_t count)
{
	struct world *w = state;

	for (uint64_t i = 0; i < count; i++)
		bench_use((uint64_t)gputm_access_bitmap_record(w->unit, place(w)));
}

static void run_query(void *state, uint64_t count)
{
	struct world *w = state;

	for (uint64_t i = 0; i < count; i++)
		bench_use((uint64_t)gputm_access_bitmap_query(w->unit, place(w)));
}

BENCH_TIGHT static void tight_record(const struct world *w, uint64_t address)
{
	w->bits[address >> w->shift >> 6] |= UINT64_C(1) << (address >> w->shift & 63);
}

BENCH_TIGHT static int tight_query(const struct world *w, uint64_t address)
{
	return w->bits[address >> w->shift >> 6] >> (address >> w->shift & 63) & 1;
}

static void bound_record(void *state, uint64_t count)
{
	struct world *w = state;

	for (uint64_t i = 0; i < count; i++)
		tight_record(w, place(w));
}

static void bound_query(void *state, uint64_t count)
{
	struct world *w = state;

	for (uint64_t i = 0; i < count; i++)
		bench_use((uint64_t)tight_query(w, place(w)));
}

static const struct bench_op operations[] = {
	{ "access_bitmap", "mark, 4 B", setup_small, teardown, run_record, bound_record,
	  "gputm_access_bitmap_record", "tight_record*", 0 },
	{ "access_bitmap", "mark, 1 KB", setup_large, teardown, run_record, bound_record,
	  "gputm_access_bitmap_record", "tight_record*", 0 },
	{ "access_bitmap", "test, 4 B", setup_small, teardown, run_query, bound_query,
	  "gputm_access_bitmap_query", "tight_query*", 0 },
};

BENCH_TABLE(operations)
