/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * validation_unit, 4 x 1024: accesses to granules that have entries. Stores reserve and are
 * released again; a stalled load waits for a reserved granule until its release.
 */
#include "gputm/validation_unit.h"
#include "tests/bench/bench.h"

#define GRANULES 1024

struct world {
	struct gputm_validation_unit *unit;
};

static uint64_t access(struct world *w, uint64_t address, uint64_t time, bool store)
{
	struct gputm_validation_request r = { address, 0, time, 1, 1, store };
	struct gputm_validation_answer answer;

	return (uint64_t)gputm_validation_unit_access(w->unit, &r, &answer);
}

/* Reserve granule 0 by way of the ports, so that access() counts the loads only. */
static void reserve(struct world *w, uint64_t time)
{
	struct gputm_validation_request r = { 0, 0, time, 1, 1, true };

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
		bench_use(access(w, i * 32, 1, false));
}

BENCH_SETUP(setup_stalled, struct world *w)
{
	setup(w, 0);
	reserve(w, 1);
}

BENCH_LOOP(load, struct world *w)
{
	return access(w, i % GRANULES * 32, 1 + i / GRANULES, false);
}

BENCH_LOOP(store, struct world *w)
{
	uint64_t address = i % GRANULES * 32;

	bench_use(access(w, address, 1 + i / GRANULES, true));
	return (uint64_t)gputm_validation_unit_release(w->unit, address, 1, 1, 1, NULL);
}

/* A load waits; its granule is released, it passes, and the granule is reserved again. */
BENCH_LOOP(stall, struct world *w)
{
	struct gputm_validation_request r = { 0, 0, 2 * i + 2, 1, 2, false };
	struct gputm_validation_answer answer;

	bench_use((uint64_t)gputm_validation_unit_access(w->unit, &r, &answer));
	bench_use((uint64_t)gputm_validation_unit_release(w->unit, 0, 1, 1, 1, NULL));
	bench_use((uint64_t)gputm_validation_unit_retry(w->unit, &answer));
	reserve(w, 2 * i + 3);
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
