/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * device_validator: chunks of 3,072 writes at random places of 64 MB: tested and applied, also
 * where every one conflicts, tested and found stale, or tested only. The bound has the bitmap and
 * the stamps as plain arrays and checks no input.
 */
#include <stdlib.h>

#include "gputm/device_validator.h"
#include "tests/bench/bench.h"

#define REGION UINT64_C(67108864)
#define CHUNK 3072

struct world {
	struct gputm_device_validator *unit;
	struct gputm_access_bitmap *reads;
	uint64_t *bits, *stamps;
	struct gputm_log_entry entry[CHUNK];
	uint64_t apply[CHUNK / 64];
	uint64_t stamp, random;
};

static void teardown(void *state)
{
	struct world *w = state;

	gputm_device_validator_free(w->unit);
	gputm_access_bitmap_free(w->reads);
	free(w->bits);
	free(w->stamps);
	free(w);
}

static void *setup(void)
{
	struct gputm_device_validator_config config = GPUTM_DEVICE_VALIDATOR_CONFIG_INIT;
	struct gputm_access_bitmap_config marks = GPUTM_ACCESS_BITMAP_CONFIG_INIT;
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	config.stamp_bits = 63;
	config.region_bytes = marks.region_bytes = REGION;
	w->bits = calloc(REGION / 4 / 64, sizeof(*w->bits));
	w->stamps = calloc(REGION / 4, sizeof(*w->stamps));
	if (!w->bits || !w->stamps || gputm_device_validator_new(NULL, &config, &w->unit) ||
	    gputm_access_bitmap_new(NULL, &marks, &w->reads)) {
		teardown(w);
		return NULL;
	}
	/* 1 MB of the region is in use. */
	for (uint32_t i = 0; i < CHUNK; i++)
		w->entry[i].address = bench_next(&w->random) & 0xffffc;
	return w;
}

/* The GPU has accessed all of it. */
static void *setup_conflicts(void)
{
	struct world *w = setup();

	for (uint32_t i = 0; w && i < CHUNK; i++) {
		uint64_t word = w->entry[i].address >> 2;

		w->bits[word >> 6] |= UINT64_C(1) << (word & 63);
		bench_use((uint64_t)gputm_access_bitmap_record(w->reads, word << 2));
	}
	return w;
}

static void stamp_all(struct world *w)
{
	for (uint32_t i = 0; i < CHUNK; i++)
		w->entry[i].stamp = ++w->stamp;
}

static void push(struct world *w, enum gputm_device_validator_mode mode)
{
	struct gputm_log_chunk chunk = { w->entry, CHUNK, 0, 0, 0 };
	struct gputm_device_validator_result r;

	if (gputm_device_validator_push(w->unit, w->reads, &chunk, mode, w->apply, &r))
		abort();
	bench_use(r.applied);
}

static void run_apply(void *state, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		stamp_all(state);
		push(state, GPUTM_DEVICE_VALIDATOR_APPLY);
	}
}

/* After the first chunk there is nothing new. */
static void run_stale(void *state, uint64_t count)
{
	stamp_all(state);
	for (uint64_t i = 0; i < count; i++)
		push(state, GPUTM_DEVICE_VALIDATOR_APPLY);
}

static void run_early(void *state, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		stamp_all(state);
		push(state, GPUTM_DEVICE_VALIDATOR_EARLY);
	}
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

static void bound_apply(void *state, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		stamp_all(state);
		bench_use(tight_apply(state));
	}
}

static void bound_stale(void *state, uint64_t count)
{
	stamp_all(state);
	for (uint64_t i = 0; i < count; i++)
		bench_use(tight_apply(state));
}

static void bound_early(void *state, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		stamp_all(state);
		bench_use(tight_early(state));
	}
}

static const struct bench_op operations[] = {
	{ "device_validator", "an entry tested and applied", setup, teardown, run_apply,
	  bound_apply, "gputm_device_validator_push", "tight_apply", CHUNK },
	{ "device_validator", "an entry that conflicts, applied", setup_conflicts, teardown,
	  run_apply, bound_apply, "gputm_device_validator_push", "tight_apply", CHUNK },
	{ "device_validator", "an entry found stale", setup, teardown, run_stale, bound_stale,
	  "gputm_device_validator_push", "tight_apply", CHUNK },
	{ "device_validator", "an entry tested only", setup, teardown, run_early, bound_early,
	  "gputm_device_validator_push", "tight_early", CHUNK },
};

BENCH_TABLE(operations)
