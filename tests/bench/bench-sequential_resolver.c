/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequential_resolver: a warp of 32 lanes with 4 reads and 4 writes each, from acquire to
 * release.
 */
#include "gputm/sequential_resolver.h"
#include "tests/bench/bench.h"

#define WARPS 16
#define ROWS 4

struct warp {
	uint64_t address[2 * ROWS][32];
	struct gputm_warp_row row[2 * ROWS];
	struct gputm_warp_logs logs;
};

struct resolver {
	struct gputm_sequential_resolver *unit;
	struct warp warp[WARPS];
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

BENCH_SETUP(setup, struct resolver *r)
{
	uint64_t random = 1;

	bench_must(gputm_sequential_resolver_new(NULL, NULL, &r->unit));
	for (unsigned i = 0; i < WARPS; i++)
		draw(&r->warp[i], &random);
}

BENCH_LOOP(warp, struct resolver *r)
{
	struct gputm_resolution resolution = { 0 };
	uint32_t buffer = 0;

	bench_must(gputm_sequential_resolver_acquire(r->unit, UINT32_MAX, &buffer));
	bench_must(gputm_sequential_resolver_resolve(r->unit, buffer, &r->warp[i % WARPS].logs,
						     &resolution));
	bench_must(gputm_sequential_resolver_release(r->unit, buffer));
	return resolution.survived;
}

static const struct bench_op operations[] = {
	{ "warp, 32 x (4 + 4)", setup, 0, warp,
	  "gputm_sequential_resolver_acquire,gputm_sequential_resolver_resolve,"
	  "gputm_sequential_resolver_release",
	  .unbounded = "the costs are those of the signature, which has one" },
};

BENCH_TABLE("sequential_resolver", struct resolver, operations)
