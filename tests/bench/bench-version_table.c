/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * version_table: addresses in 42 regions of 8 versions are resolved at random times, so that
 * four versions are passed over on average, and at the first time, where all are. The bound
 * searches the same sorted starts and times; it checks no range and relocates nothing. Plain
 * addresses are anywhere: in the newest version, in the bytes of another, or between the regions.
 */
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
		    gputm_version_table_complete_copy(v->unit, region) ||
		    gputm_version_table_seal(v->unit, UINT64_C(1) << region, 100 * k))
			abort();
	for (uint32_t k = 0; k < VERSIONS; k++)
		v->created[i][k] = 100 * (VERSIONS - 1 - k);
}

BENCH_SETUP(setup, struct versions *v)
{
	uint64_t random = 1;

	bench_must(gputm_version_table_new(NULL, NULL, &v->unit));
	for (uint32_t i = 0; i < 64; i++)
		v->start[i] = UINT32_MAX;
	for (uint32_t i = 0; i < REGIONS; i++)
		make_region(v, i);
	for (uint32_t i = 0; i < ACCESSES; i++) {
		uint32_t region = (uint32_t)(bench_next(&random) % REGIONS);

		v->access[i].address = v->start[region] + (uint32_t)(bench_next(&random) % 0x1000);
		v->access[i].time = (uint32_t)(bench_next(&random) % given);
	}
}

BENCH_LOOP(run, struct versions *v)
{
	uint64_t physical = 0;

	if (gputm_version_table_resolve(v->unit, v->access[i % ACCESSES].address,
					v->access[i % ACCESSES].time, &physical))
		abort();
	return physical;
}

BENCH_TURN(bound, struct versions *v,
	   tight_resolve(v, v->access[i % ACCESSES].address, v->access[i % ACCESSES].time))

BENCH_SETUP(setup_plain, struct versions *v)
{
	uint64_t random = 2;

	setup(v, 1);
	for (uint32_t i = 0; i < ACCESSES; i++)
		v->access[i].address =
			0x10000000 + (uint32_t)(bench_next(&random) % (REGIONS * 0x100000));
}

BENCH_LOOP(run_plain, struct versions *v)
{
	uint64_t physical = 0;

	if (gputm_version_table_resolve_plain(v->unit, v->access[i % ACCESSES].address,
					      &physical))
		abort();
	return physical;
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

BENCH_TURN(bound_plain, struct versions *v, tight_plain(v, v->access[i % ACCESSES].address))

static const struct bench_op operations[] = {
	{ "resolve_plain, 42 regions, anywhere", setup_plain, 0, run_plain,
	  "gputm_version_table_resolve_plain",
	  .bound = bound_plain, .bound_inside = "tight_plain" },
	{ "resolve, 42 regions, any of 8 versions", setup, 100 * VERSIONS, run,
	  "gputm_version_table_resolve",
	  .bound = bound, .bound_inside = "tight_resolve" },
	{ "resolve, 42 regions, oldest of 8 versions", setup, 1, run, "gputm_version_table_resolve",
	  .bound = bound, .bound_inside = "tight_resolve" },
};

BENCH_TABLE("version_table", struct versions, operations)
