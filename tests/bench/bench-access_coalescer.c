/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access_coalescer: rows of 32 lanes in 32 B regions, adjacent words and scattered ones; per
 * lane. The bound for adjacent words compares each address with the first, and writes four
 * regions; the other compares with the last region, and finds others through a table of
 * region numbers that is cleared by its own call number. Neither checks nor counts anything.
 */
#include "tests/bench/bench.h"

#define LANES 32
#define ROWS 64

struct rows {
	struct gputm_access_coalescer *unit;
	uint64_t address[ROWS][LANES];
	uint32_t value[LANES];
	struct gputm_access_coalescer_access out[LANES];
	struct {
		uint64_t region;
		uint32_t call, index;
	} slot[2 * LANES];
	uint32_t call;
};

BENCH_SETUP(setup_adjacent, struct rows *r)
{
	bench_must(gputm_access_coalescer_new(NULL, NULL, &r->unit));
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned lane = 0; lane < LANES; lane++)
			r->address[i][lane] = 128 * i + 4 * lane;
}

BENCH_SETUP(setup_scattered, struct rows *r)
{
	uint64_t random = 1;

	bench_must(gputm_access_coalescer_new(NULL, NULL, &r->unit));
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned lane = 0; lane < LANES; lane++)
			r->address[i][lane] = (bench_next(&random) >> 32) & 0xfffffc;
}

BENCH_TURN(run, struct rows *r,
	   gputm_access_coalescer_merge_row(r->unit, 0xffffffff, r->address[i % ROWS], r->value,
					    r->out, NULL))

static inline uint32_t find(struct rows *r, uint64_t region, uint32_t *wide)
{
	uint32_t i = (uint32_t)(region * UINT64_C(0x9e3779b97f4a7c15) >> 58);

	while (r->slot[i].call == r->call && r->slot[i].region != region)
		i = (i + 1) % (2 * LANES);
	if (r->slot[i].call != r->call) {
		r->slot[i].region = region;
		r->slot[i].call = r->call;
		r->slot[i].index = *wide;
		r->out[*wide].address = region << 5;
		r->out[*wide].word_mask = 0;
		r->out[*wide].lane_mask = 0;
		(*wide)++;
	}
	return r->slot[i].index;
}

BENCH_TIGHT static uint32_t tight_row(struct rows *r, const uint64_t *address)
{
	uint64_t last = UINT64_MAX;
	uint32_t at = 0, wide = 0;

	r->call++;
	for (unsigned lane = 0; lane < LANES; lane++) {
		uint64_t region = address[lane] >> 5;
		uint32_t word = address[lane] >> 2 & 7;

		if (region != last)
			at = find(r, last = region, &wide);
		r->out[at].word_mask |= 1u << word;
		r->out[at].lane_mask |= UINT64_C(1) << lane;
		r->out[at].value[word] = r->value[lane];
	}
	return wide;
}

BENCH_TURN(bound, struct rows *r, tight_row(r, r->address[i % ROWS]))

BENCH_TIGHT static uint32_t tight_run(struct rows *r, const uint64_t *address)
{
	uint64_t differ = address[0] & 31;

	for (unsigned lane = 0; lane < LANES; lane++)
		differ |= address[lane] ^ (address[0] + 4 * lane);
	if (differ)
		return tight_row(r, address);
	for (unsigned at = 0; at < LANES / 8; at++) {
		r->out[at].address = address[0] + 32 * at;
		r->out[at].word_mask = 0xff;
		r->out[at].lane_mask = UINT64_C(0xff) << 8 * at;
		memcpy(r->out[at].value, r->value + 8 * at, 32);
	}
	return LANES / 8;
}

BENCH_TURN(bound_adjacent, struct rows *r, tight_run(r, r->address[i % ROWS]))

static const struct bench_op operations[] = {
	{ "row of 32 adjacent words, per lane", setup_adjacent, 0, run,
	  "gputm_access_coalescer_merge_row",
	  .bound = bound_adjacent, .bound_inside = "tight_run", .per_turn = LANES },
	{ "row of 32 scattered words, per lane", setup_scattered, 0, run,
	  "gputm_access_coalescer_merge_row",
	  .bound = bound, .bound_inside = "tight_row", .per_turn = LANES },
};

BENCH_TABLE("access_coalescer", struct rows, operations)
