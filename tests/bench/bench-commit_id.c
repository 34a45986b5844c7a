/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commit_id: a warp of 32 acquires, and six partitions report it retired; per CID. The bound
 * keeps a counter of reports per CID in a ring that is a power of two; it checks nothing,
 * counts nothing, and cannot tell a report from a repeated one.
 */
#include "tests/bench/bench.h"

#define LANES 32
#define PARTITIONS 6
#define RING 2048

struct vendor {
	struct gputm_commit_id *unit;
	uint64_t next;
	uint32_t credits;
	uint8_t reports[RING];
};

BENCH_SETUP(setup, struct vendor *v)
{
	struct gputm_commit_id_config config = GPUTM_COMMIT_ID_CONFIG_INIT;

	config.ring = RING;
	config.pools = GPUTM_COMMIT_ID_POOLS_SHARED;
	config.credits = RING;
	bench_must(gputm_commit_id_new(NULL, &config, &v->unit));
	v->credits = RING;
}

BENCH_LOOP(run, struct vendor *v)
{
	uint64_t first;

	if (gputm_commit_id_acquire(v->unit, 3, LANES, &first))
		abort();
	for (uint32_t p = 0; p < PARTITIONS; p++)
		bench_must(gputm_commit_id_report_retired(v->unit, p, first, LANES, NULL));
	return first;
}

BENCH_TIGHT static uint64_t tight_acquire(struct vendor *v)
{
	uint64_t first = v->next;

	if (v->credits < LANES)
		return UINT64_MAX;
	for (uint32_t i = 0; i < LANES; i++)
		v->reports[(first + i) % RING] = PARTITIONS;
	v->credits -= LANES;
	v->next += LANES;
	return first;
}

BENCH_TIGHT static void tight_report(struct vendor *v, uint64_t first)
{
	for (uint32_t i = 0; i < LANES; i++)
		v->credits += !--v->reports[(first + i) % RING];
}

BENCH_LOOP(bound, struct vendor *v)
{
	uint64_t first = tight_acquire(v);

	for (uint32_t p = 0; p < PARTITIONS; p++)
		tight_report(v, first);
	return first;
}

static const struct bench_op operations[] = {
	{ "acquire 32, six reports, per CID", setup, 0, run,
	  "gputm_commit_id_acquire,gputm_commit_id_report_retired",
	  .bound = bound, .bound_inside = "tight_acquire,tight_report", .per_turn = LANES },
};

BENCH_TABLE("commit_id", struct vendor, operations)
