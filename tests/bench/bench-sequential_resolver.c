/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequential_resolver: a warp of 32 lanes with 4 reads and 4 writes each, from acquire to
 * release. There is no bound by hand: the costs are those of the signature, which has one.
 */
#include <stdlib.h>

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

static void *setup(void)
{
	struct resolver *r = calloc(1, sizeof(*r));
	uint64_t random = 1;

	if (!r || gputm_sequential_resolver_new(NULL, NULL, &r->unit)) {
		free(r);
		return NULL;
	}
	for (unsigned i = 0; i < WARPS; i++)
		draw(&r->warp[i], &random);
	return r;
}

static void teardown(void *state)
{
	struct resolver *r = state;

	gputm_sequential_resolver_free(r->unit);
	free(r);
}

static void warp(void *state, uint64_t count)
{
	struct gputm_resolution resolution = { 0 };
	struct resolver *r = state;
	uint32_t buffer = 0;
	int error = 0;

	for (uint64_t i = 0; i < count; i++) {
		error |= gputm_sequential_resolver_acquire(r->unit, UINT32_MAX, &buffer);
		error |= gputm_sequential_resolver_resolve(r->unit, buffer,
							   &r->warp[i % WARPS].logs, &resolution);
		error |= gputm_sequential_resolver_release(r->unit, buffer);
		bench_use(resolution.survived);
	}
	if (error)
		abort();
}

static const struct bench_op operations[] = {
	{ "sequential_resolver", "warp, 32 x (4 + 4)", setup, teardown, warp, NULL,
	  "gputm_sequential_resolver_acquire,gputm_sequential_resolver_resolve,"
	  "gputm_sequential_resolver_release",
	  "-", 0 },
};

BENCH_TABLE(operations)
