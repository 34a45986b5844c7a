/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * validation_unit, 4 x 1024: accesses to granules that have entries. Stores reserve and are
 * released again; a stalled load waits for a reserved granule until its release.
 */
#include <stdlib.h>

#include "gputm/validation_unit.h"
#include "tests/bench/bench.h"

#define GRANULES 1024

static void *setup(void)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_request r = { 0, 0, 1, 1, 1, false };
	struct gputm_validation_answer answer;
	struct gputm_validation_unit *u;

	config.entries = 1024;
	if (gputm_validation_unit_new(NULL, &config, &u))
		return NULL;
	for (uint64_t i = 0; i < GRANULES; i++) {
		r.address = i * 32;
		bench_use((uint64_t)gputm_validation_unit_access(u, &r, &answer));
	}
	return u;
}

static void teardown(void *state)
{
	gputm_validation_unit_free(state);
}

static void load(void *state, uint64_t count)
{
	struct gputm_validation_request r = { 0, 0, 1, 1, 1, false };
	struct gputm_validation_answer answer;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		r.address = i % GRANULES * 32;
		r.time = 1 + i / GRANULES;
		sum += (uint64_t)gputm_validation_unit_access(state, &r, &answer);
	}
	bench_use(sum);
}

static void store(void *state, uint64_t count)
{
	struct gputm_validation_request r = { 0, 0, 1, 1, 1, true };
	struct gputm_validation_answer answer;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		r.address = i % GRANULES * 32;
		r.time = 1 + i / GRANULES;
		sum += (uint64_t)gputm_validation_unit_access(state, &r, &answer);
		sum += (uint64_t)gputm_validation_unit_release(state, r.address, 1, 1, 1, NULL);
	}
	bench_use(sum);
}

/* Reserve granule 0 by way of the ports, so that access() counts the loads only. */
static void reserve(struct gputm_validation_unit *u, uint64_t time)
{
	struct gputm_validation_request r = { 0, 0, time, 1, 1, true };

	bench_use((uint64_t)gputm_validation_unit_push(u, &r));
	bench_use((uint64_t)gputm_validation_unit_tick(u));
	bench_use((uint64_t)gputm_validation_unit_pop(u));
}

static void *setup_stalled(void)
{
	void *state = setup();

	if (state)
		reserve(state, 1);
	return state;
}

/* A load waits; its granule is released, it passes, and the granule is reserved again. */
static void stall(void *state, uint64_t count)
{
	struct gputm_validation_request r = { 0, 0, 2, 1, 2, false };
	struct gputm_validation_answer answer;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		r.time = 2 * i + 2;
		sum += (uint64_t)gputm_validation_unit_access(state, &r, &answer);
		sum += (uint64_t)gputm_validation_unit_release(state, 0, 1, 1, 1, NULL);
		sum += (uint64_t)gputm_validation_unit_retry(state, &answer);
		reserve(state, 2 * i + 3);
	}
	bench_use(sum);
}

static const struct bench_op operations[] = {
	{ "validation_unit", "granted load", setup, teardown, load, NULL,
	  "gputm_validation_unit_access", "-", 0 },
	{ "validation_unit", "granted store", setup, teardown, store, NULL,
	  "gputm_validation_unit_access", "-", 0 },
	{ "validation_unit", "release", setup, teardown, store, NULL,
	  "gputm_validation_unit_release", "-", 0 },
	{ "validation_unit", "stalled load", setup_stalled, teardown, stall, NULL,
	  "gputm_validation_unit_access", "-", 0 },
};

BENCH_TABLE(operations)
