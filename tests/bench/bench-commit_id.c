/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commit_id: a warp of 32 acquires, and six partitions report it retired; per CID. The bound
 * keeps a counter of reports per CID in a ring that is a power of two; it checks nothing,
 * counts nothing, and cannot tell a report from a repeated one.
 */
#include <stdlib.h>

#include "gputm/commit_id.h"
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

static void *setup(void)
{
	struct gputm_commit_id_config config = GPUTM_COMMIT_ID_CONFIG_INIT;
	struct vendor *v = calloc(1, sizeof(*v));

	config.ring = RING;
	config.pools = GPUTM_COMMIT_ID_SHARED;
	config.credits = RING;
	if (!v || gputm_commit_id_new(NULL, &config, &v->unit)) {
		free(v);
		return NULL;
	}
	v->credits = RING;
	return v;
}

static void teardown(void *state)
{
	struct vendor *v = state;

	gputm_commit_id_free(v->unit);
	free(v);
}

static void run(void *state, uint64_t count)
{
	struct vendor *v = state;
	uint64_t first;
	int back = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (gputm_commit_id_acquire(v->unit, 3, LANES, &first))
			return;
		for (uint32_t p = 0; p < PARTITIONS; p++)
			back += gputm_commit_id_report_retired(v->unit, p, first, LANES, NULL);
	}
	bench_use((uint64_t)back);
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

static void bound(void *state, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t first = tight_acquire(state);

		for (uint32_t p = 0; p < PARTITIONS; p++)
			tight_report(state, first);
	}
	bench_clobber();
}

static const struct bench_op operations[] = {
	{ "commit_id", "acquire 32, six reports, per CID", setup, teardown, run, bound,
	  "gputm_commit_id_acquire,gputm_commit_id_report_retired", "tight_acquire,tight_report",
	  LANES },
};

BENCH_TABLE(operations)
