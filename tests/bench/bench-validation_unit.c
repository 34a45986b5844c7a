/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * validation_unit, 4 x 1024: accesses to granules that have entries. Stores reserve and are
 * released again; a stalled load waits for a reserved granule until its release.
 */
#include "tests/bench/bench.h"

#define GRANULES 1024

struct world {
	struct gputm_validation_unit *unit;
	uint64_t time; /* of the latest access: a later time is never refused */
};

static void access(struct world *w, uint64_t address, bool store)
{
	struct gputm_validation_unit_request r = { .address = address, .time = ++w->time, .warp = 1,
					      .sequence = 1, .write = store };
	struct gputm_validation_unit_answer answer;

	if (gputm_validation_unit_access(w->unit, &r, &answer) != GPUTM_VALIDATION_UNIT_OK)
		abort();
}

/* Reserve granule 0 by way of the ports, so that access() counts the loads only. */
static void reserve(struct world *w)
{
	struct gputm_validation_unit_request r = { .time = ++w->time, .warp = 1, .sequence = 1,
					      .write = true };

	bench_use((uint64_t)gputm_validation_unit_push(w->unit, &r));
	bench_use((uint64_t)gputm_validation_unit_tick(w->unit));
	bench_use((uint64_t)gputm_validation_unit_pop(w->unit));
}

BENCH_SETUP(setup, struct world *w)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;

	config.entries = 1024;
	bench_must(gputm_validation_unit_new(NULL, &config, &w->unit));
	for (uint64_t i = 0; i < GRANULES; i++)
		access(w, i * 32, false);
}

BENCH_SETUP(setup_stalled, struct world *w)
{
	setup(w, 0);
	reserve(w);
}

BENCH_DO(load, struct world *w, access(w, i % GRANULES * 32, false))

BENCH_LOOP(store, struct world *w)
{
	uint64_t address = i % GRANULES * 32;

	access(w, address, true);
	bench_must(gputm_validation_unit_release(w->unit, address, 1, 1, 1, NULL));
	return 0;
}

/* A load waits; its granule is released, it passes, and the granule is reserved again. */
BENCH_LOOP(stall, struct world *w)
{
	struct gputm_validation_unit_request r = { .time = ++w->time, .warp = 2, .sequence = 1 };
	struct gputm_validation_unit_answer answer;

	bench_use((uint64_t)gputm_validation_unit_access(w->unit, &r, &answer));
	bench_must(gputm_validation_unit_release(w->unit, 0, 1, 1, 1, NULL));
	if (gputm_validation_unit_retry(w->unit, &answer) != GPUTM_VALIDATION_UNIT_OK)
		abort();
	reserve(w);
	return 0;
}

static const struct bench_op operations[] = {
	{ "granted load", setup, 0, load, "gputm_validation_unit_access",
	  .unbounded = "a lookup and an update of metadata_table, which says of both" },
	{ "granted store", setup, 0, store, "gputm_validation_unit_access",
	  .unbounded = "a lookup and an update of metadata_table, which says of both" },
	{ "release", setup, 0, store, "gputm_validation_unit_release",
	  .unbounded = "a lookup and an update of metadata_table, which says of both" },
	{ "stalled load", setup_stalled, 0, stall, "gputm_validation_unit_access",
	  .unbounded = "a lookup of metadata_table and an enqueue of stall_buffer, both bounded" },
};

BENCH_TABLE("validation_unit", struct world, operations)
