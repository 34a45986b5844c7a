/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ownership_table: a warp of 32 lanes with 4 reads and 4 writes each, from acquire to
 * release. The bound clears 4096 bytes, lowers 128 of them and compares with 256; it
 * checks nothing and counts nothing.
 */
#include "tests/bench/logs.h"

#define WARPS 64

struct tables {
	struct gputm_ownership_table *unit;
	struct warp warp[WARPS];
	uint8_t owner[4096];
};

BENCH_SETUP(setup, struct tables *t)
{
	struct gputm_ownership_table_config config = GPUTM_OWNERSHIP_TABLE_CONFIG_INIT;

	config.hash = given;
	bench_must(gputm_ownership_table_new(NULL, &config, &t->unit));
	draw_warps(t->warp, WARPS);
}

BENCH_LOOP(warp, struct tables *t)
{
	struct gputm_resolver_outcome resolution = { 0 };
	uint32_t buffer = 0;

	bench_must(gputm_ownership_table_acquire(t->unit, UINT32_MAX, &buffer));
	bench_must(gputm_ownership_table_resolve(t->unit, buffer, &t->warp[i % WARPS].logs,
						 &resolution));
	bench_must(gputm_ownership_table_release(t->unit, buffer));
	return resolution.survived;
}

BENCH_TIGHT static uint32_t tight_warp(uint8_t *owner, const struct warp *w)
{
	uint32_t aborted = 0;

	memset(owner, 255, 4096);
	for (unsigned i = ROWS; i < 2 * ROWS; i++)
		for (uint8_t lane = 0; lane < 32; lane++) {
			uint8_t *entry = &owner[w->address[i][lane] >> 2 & 4095];

			*entry = lane < *entry ? lane : *entry;
		}
	for (unsigned i = 0; i < 2 * ROWS; i++)
		for (uint8_t lane = 0; lane < 32; lane++)
			aborted |= (uint32_t)(owner[w->address[i][lane] >> 2 & 4095] < lane)
				   << lane;
	return ~aborted;
}

BENCH_TURN(bound, struct tables *t, tight_warp(t->owner, &t->warp[i % WARPS]))

#define INSIDE                                                                                 \
	"gputm_ownership_table_acquire,gputm_ownership_table_resolve,gputm_ownership_table_release"

static const struct bench_op operations[] = {
	{ "warp, 32 x (4 + 4), low bits", setup, GPUTM_OWNERSHIP_TABLE_HASH_LOW_BITS, warp, INSIDE,
	  .bound = bound, .bound_inside = "tight_warp" },
	{ "warp, 32 x (4 + 4), H3", setup, GPUTM_OWNERSHIP_TABLE_HASH_H3, warp, INSIDE,
	  .unbounded = "the row above and 256 hashes, which recency_bloom bounds" },
};

BENCH_TABLE("ownership_table", struct tables, operations)
