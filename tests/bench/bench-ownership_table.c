/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ownership_table: a warp of 32 lanes with 4 reads and 4 writes each, from acquire to
 * release. The bound clears 4096 bytes, lowers 128 of them and compares with 256; it
 * checks nothing and counts nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "gputm/ownership_table.h"
#include "tests/bench/bench.h"

#define WARPS 64
#define ROWS 4

struct warp {
	uint64_t address[2 * ROWS][32];
	struct gputm_warp_row row[2 * ROWS];
	struct gputm_warp_logs logs;
};

struct tables {
	struct gputm_ownership_table *unit;
	struct warp warp[WARPS];
	uint8_t owner[4096];
};

static void draw(struct warp *w, uint64_t *random)
{
	for (unsigned i = 0; i < 2 * ROWS; i++) {
		for (unsigned lane = 0; lane < 32; lane++)
			w->address[i][lane] = bench_next(random) >> 44 & ~UINT64_C(3);
		w->row[i].mask = UINT32_MAX;
		w->row[i].address = w->address[i];
	}
	w->logs.read = w->row;
	w->logs.write = w->row + ROWS;
	w->logs.read_rows = w->logs.write_rows = ROWS;
}

static void *make(uint32_t hash)
{
	struct gputm_ownership_table_config config = GPUTM_OWNERSHIP_TABLE_CONFIG_INIT;
	struct tables *t = calloc(1, sizeof(*t));
	uint64_t random = 1;

	config.hash = hash;
	if (!t || gputm_ownership_table_new(NULL, &config, &t->unit)) {
		free(t);
		return NULL;
	}
	for (unsigned i = 0; i < WARPS; i++)
		draw(&t->warp[i], &random);
	return t;
}

static void *setup(void)
{
	return make(GPUTM_OWNERSHIP_TABLE_LOW_BITS);
}

static void *setup_h3(void)
{
	return make(GPUTM_OWNERSHIP_TABLE_H3);
}

static void teardown(void *state)
{
	struct tables *t = state;

	gputm_ownership_table_free(t->unit);
	free(t);
}

static void warp(void *state, uint64_t count)
{
	struct gputm_resolution resolution = { 0 };
	struct tables *t = state;
	uint32_t buffer = 0;
	int error = 0;

	for (uint64_t i = 0; i < count; i++) {
		error |= gputm_ownership_table_acquire(t->unit, UINT32_MAX, &buffer);
		error |= gputm_ownership_table_resolve(t->unit, buffer, &t->warp[i % WARPS].logs,
						       &resolution);
		error |= gputm_ownership_table_release(t->unit, buffer);
		bench_use(resolution.survived);
	}
	if (error)
		abort();
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

static void bound(void *state, uint64_t count)
{
	struct tables *t = state;

	for (uint64_t i = 0; i < count; i++)
		bench_use(tight_warp(t->owner, &t->warp[i % WARPS]));
}

#define INSIDE                                                                                 \
	"gputm_ownership_table_acquire,gputm_ownership_table_resolve,gputm_ownership_table_release"

static const struct bench_op operations[] = {
	{ "ownership_table", "warp, 32 x (4 + 4), low bits", setup, teardown, warp, bound, INSIDE,
	  "tight_warp", 0 },
	{ "ownership_table", "warp, 32 x (4 + 4), H3", setup_h3, teardown, warp, NULL, INSIDE, "-",
	  0 },
};

BENCH_TABLE(operations)
