/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * device_validator: chunks of 3,072 writes at random places of 64 MB: tested and applied, also
 * where every one conflicts, tested and found stale, or tested only. The bound has the bitmap and
 * the stamps as plain arrays and checks no input.
 */
#include "tests/bench/bench.h"

#define REGION UINT64_C(67108864)
#define CHUNK 3072

struct world {
	struct gputm_device_validator *unit;
	struct gputm_access_bitmap *reads;
	uint64_t *bits, *stamps;
	struct gputm_write_set_log_entry entry[CHUNK];
	uint64_t apply[CHUNK / 64];
	uint64_t stamp, random;
};

BENCH_SETUP(setup, struct world *w)
{
	struct gputm_device_validator_config config = GPUTM_DEVICE_VALIDATOR_CONFIG_INIT;
	struct gputm_access_bitmap_config marks = GPUTM_ACCESS_BITMAP_CONFIG_INIT;

	config.stamp_bits = 63;
	config.region_bytes = marks.region_bytes = REGION;
	w->bits = calloc(REGION / 4 / 64, sizeof(*w->bits));
	w->stamps = calloc(REGION / 4, sizeof(*w->stamps));
	if (!w->bits || !w->stamps)
		abort();
	bench_must(gputm_device_validator_new(NULL, &config, &w->unit));
	bench_must(gputm_access_bitmap_new(NULL, &marks, &w->reads));
	/* 1 MB of the region is in use. */
	for (uint32_t i = 0; i < CHUNK; i++)
		w->entry[i].address = bench_next(&w->random) & 0xffffc;
}

/* The GPU has accessed all of it. */
BENCH_SETUP(setup_conflicts, struct world *w)
{
	setup(w, 0);
	for (uint32_t i = 0; i < CHUNK; i++) {
		uint64_t word = w->entry[i].address >> 2;

		w->bits[word >> 6] |= UINT64_C(1) << (word & 63);
		bench_use((uint64_t)gputm_access_bitmap_record(w->reads, word << 2));
	}
}

static void stamp_all(struct world *w)
{
	for (uint32_t i = 0; i < CHUNK; i++)
		w->entry[i].stamp = ++w->stamp;
}

static void push(struct world *w, enum gputm_device_validator_mode mode)
{
	struct gputm_write_set_log_chunk chunk = { w->entry, CHUNK, 0, 0, 0 };
	struct gputm_device_validator_result r;

	if (gputm_device_validator_push(w->unit, w->reads, &chunk, mode, w->apply, &r))
		abort();
	bench_use(r.applied);
}

BENCH_LOOP(run_apply, struct world *w)
{
	stamp_all(w);
	push(w, GPUTM_DEVICE_VALIDATOR_MODE_APPLY);
	return 0;
}

/* After the first chunk there is nothing new. */
BENCH_LOOP(run_stale, struct world *w)
{
	if (i == 0)
		stamp_all(w);
	push(w, GPUTM_DEVICE_VALIDATOR_MODE_APPLY);
	return 0;
}

BENCH_LOOP(run_early, struct world *w)
{
	stamp_all(w);
	push(w, GPUTM_DEVICE_VALIDATOR_MODE_EARLY);
	return 0;
}

static uint32_t tight(struct world *w, bool apply)
{
	uint32_t conflicts = 0;

	for (uint32_t i = 0; i < CHUNK; i++) {
		uint64_t word = w->entry[i].address >> 2;

		conflicts += (uint32_t)(w->bits[word >> 6] >> (word & 63) & 1);
		if (apply && w->entry[i].stamp > w->stamps[word]) {
			w->stamps[word] = w->entry[i].stamp;
			w->apply[i >> 6] |= UINT64_C(1) << (i & 63);
		}
	}
	return conflicts;
}

BENCH_TIGHT static uint32_t tight_apply(struct world *w)
{
	return tight(w, true);
}

BENCH_TIGHT static uint32_t tight_early(struct world *w)
{
	return tight(w, false);
}

BENCH_LOOP(bound_apply, struct world *w)
{
	stamp_all(w);
	return tight_apply(w);
}

BENCH_LOOP(bound_stale, struct world *w)
{
	if (i == 0)
		stamp_all(w);
	return tight_apply(w);
}

BENCH_LOOP(bound_early, struct world *w)
{
	stamp_all(w);
	return tight_early(w);
}

static const struct bench_op operations[] = {
	{ "an entry tested and applied", setup, 0, run_apply, "gputm_device_validator_push",
	  .bound = bound_apply, .bound_inside = "tight_apply", .per_turn = CHUNK },
	{ "an entry that conflicts, applied", setup_conflicts, 0, run_apply,
	  "gputm_device_validator_push",
	  .bound = bound_apply, .bound_inside = "tight_apply", .per_turn = CHUNK },
	{ "an entry found stale", setup, 0, run_stale, "gputm_device_validator_push",
	  .bound = bound_stale, .bound_inside = "tight_apply", .per_turn = CHUNK },
	{ "an entry tested only", setup, 0, run_early, "gputm_device_validator_push",
	  .bound = bound_early, .bound_inside = "tight_early", .per_turn = CHUNK },
};

BENCH_TABLE("device_validator", struct world, operations)
