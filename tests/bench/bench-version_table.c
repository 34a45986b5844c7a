/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * version_table: addresses in 42 regions of 8 versions are resolved at random times, so that
 * four versions are passed over on average, and at the first time, where all are. The bound
 * searches the same sorted starts and times; it checks no range and relocates nothing. Plain
 * addresses are anywhere: in the newest version, in the bytes of another, or between the regions.
 */
#include <stdlib.h>

#include "gputm/version_table.h"
#include "tests/bench/bench.h"

#define REGIONS 42
#define VERSIONS 8
#define ACCESSES 4096

struct versions {
	struct gputm_version_table *unit;
	struct {
		uint32_t address, time;
	} access[ACCESSES];
	uint32_t start[64];
	uint32_t created[64][VERSIONS]; /* newest first */
};

static inline uint32_t tight_region(const struct versions *v, uint32_t address)
{
	const uint32_t *at = v->start;

	at = at[32] <= address ? at + 32 : at;
	at = at[16] <= address ? at + 16 : at;
	at = at[8] <= address ? at + 8 : at;
	at = at[4] <= address ? at + 4 : at;
	at = at[2] <= address ? at + 2 : at;
	at = at[1] <= address ? at + 1 : at;
	return (uint32_t)(at - v->start);
}

BENCH_TIGHT static uint32_t tight_resolve(const struct versions *v, uint32_t address, uint32_t time)
{
	const uint32_t *newest = v->created[tight_region(v, address)], *at = newest;

	while (*at > time)
		at++;
	return address + ((uint32_t)(newest + VERSIONS - 1 - at) << 16);
}

static void make_region(struct versions *v, uint32_t i)
{
	uint32_t region, from, to;

	v->start[i] = 0x10000000 + i * 0x100000;
	if (gputm_version_table_add_region(v->unit, v->start[i], 0x1000, 0x40000000 + i * 0x10000,
					   0, &region))
		abort();
	for (uint32_t k = 1; k < VERSIONS; k++)
		if (gputm_version_table_begin_copy(v->unit, region, &from, &to) ||
		    gputm_version_table_copied(v->unit, region) ||
		    gputm_version_table_seal(v->unit, UINT64_C(1) << region, 100 * k))
			abort();
	for (uint32_t k = 0; k < VERSIONS; k++)
		v->created[i][k] = 100 * (VERSIONS - 1 - k);
}

static void *setup(uint64_t times)
{
	struct versions *v = calloc(1, sizeof(*v));
	uint64_t random = 1;

	if (!v || gputm_version_table_new(NULL, NULL, &v->unit)) {
		free(v);
		return NULL;
	}
	for (uint32_t i = 0; i < 64; i++)
		v->start[i] = UINT32_MAX;
	for (uint32_t i = 0; i < REGIONS; i++)
		make_region(v, i);
	for (uint32_t i = 0; i < ACCESSES; i++) {
		uint32_t region = (uint32_t)(bench_next(&random) % REGIONS);

		v->access[i].address = v->start[region] + (uint32_t)(bench_next(&random) % 0x1000);
		v->access[i].time = (uint32_t)(bench_next(&random) % times);
	}
	return v;
}

static void *setup_random(void)
{
	return setup(100 * VERSIONS);
}
static void *setup_oldest(void)
{
	return setup(1);
}

static void teardown(void *state)
{
	struct versions *v = state;

	gputm_version_table_free(v->unit);
	free(v);
}

static void run(void *state, uint64_t count)
{
	struct versions *v = state;
	uint64_t physical = 0, sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (gputm_version_table_resolve(v->unit, v->access[i % ACCESSES].address,
						v->access[i % ACCESSES].time, &physical))
			abort();
		sum += physical;
	}
	bench_use(sum);
}

static void bound(void *state, uint64_t count)
{
	struct versions *v = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_resolve(v, v->access[i % ACCESSES].address,
				     v->access[i % ACCESSES].time);
	bench_use(sum);
}

static void *setup_plain(void)
{
	struct versions *v = setup(1);
	uint64_t random = 2;

	for (uint32_t i = 0; v && i < ACCESSES; i++)
		v->access[i].address =
			0x10000000 + (uint32_t)(bench_next(&random) % (REGIONS * 0x100000));
	return v;
}

static void run_plain(void *state, uint64_t count)
{
	struct versions *v = state;
	uint64_t physical = 0, sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (gputm_version_table_resolve_plain(v->unit, v->access[i % ACCESSES].address,
						      &physical))
			abort();
		sum += physical;
	}
	bench_use(sum);
}

BENCH_TIGHT static uint32_t tight_plain(const struct versions *v, uint32_t address)
{
	uint32_t at = tight_region(v, address), offset = address - v->start[at];
	uint32_t version = offset >> 16;

	offset &= 0xffff;
	if (offset >= 0x1000 || version >= VERSIONS)
		return address;
	return version ? 0x40000000 + at * 0x10000 + (version - 1) * 0x1000 + offset
		       : address + ((VERSIONS - 1) << 16);
}

static void bound_plain(void *state, uint64_t count)
{
	struct versions *v = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_plain(v, v->access[i % ACCESSES].address);
	bench_use(sum);
}

static const struct bench_op operations[] = {
	{ "version_table", "resolve_plain, 42 regions, anywhere", setup_plain, teardown, run_plain,
	  bound_plain, "gputm_version_table_resolve_plain", "tight_plain", 0 },
	{ "version_table", "resolve, 42 regions, any of 8 versions", setup_random, teardown, run,
	  bound, "gputm_version_table_resolve", "tight_resolve", 0 },
	{ "version_table", "resolve, 42 regions, oldest of 8 versions", setup_oldest, teardown, run,
	  bound, "gputm_version_table_resolve", "tight_resolve", 0 },
};

BENCH_TABLE(operations)
