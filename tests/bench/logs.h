/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_BENCH_LOGS_H
#define GPUTM_TESTS_BENCH_LOGS_H
/* Logs of warps of 32 lanes, with 4 reads and 4 writes each, for the resolvers. */
#include "tests/bench/bench.h"

#define ROWS 4

struct warp {
	uint64_t address[2 * ROWS][32];
	struct gputm_resolver_row row[2 * ROWS];
	struct gputm_resolver_logs logs;
};

static inline void draw_warps(struct warp *warp, unsigned count)
{
	uint64_t random = 1;

	for (struct warp *w = warp; w < warp + count; w++) {
		for (unsigned i = 0; i < 2 * ROWS; i++) {
			for (unsigned lane = 0; lane < 32; lane++)
				w->address[i][lane] = bench_next(&random) >> 44 & ~UINT64_C(3);
			w->row[i] = (struct gputm_resolver_row){ UINT32_MAX, w->address[i] };
		}
		w->logs = (struct gputm_resolver_logs){ w->row, w->row + ROWS, ROWS, ROWS };
	}
}

#endif
