/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_set_log: appends to one of eight logs, and the chunks of a round. The bound of an append is
 * three stores to an array that is large enough, without checks or statistics.
 */
#include <stdlib.h>

#include "gputm/write_set_log.h"
#include "tests/bench/bench.h"

#define ROUND 24576 /* entries; eight chunks */

struct world {
	struct gputm_write_set_log *unit;
	struct gputm_log_entry *list;
	uint64_t stamp, count;
};

static void teardown(void *state)
{
	struct world *w = state;

	gputm_write_set_log_free(w->unit);
	free(w->list);
	free(w);
}

static void end_round(struct world *w)
{
	struct gputm_log_chunk chunk;

	while (gputm_write_set_log_cut(w->unit, GPUTM_WRITE_SET_LOG_SHIP, true, &chunk) ==
	       GPUTM_WRITE_SET_LOG_CHUNK)
		bench_use(chunk.count);
	bench_use((uint64_t)gputm_write_set_log_begin(w->unit));
	w->count = 0;
}

static void run(void *state, uint64_t count)
{
	struct world *w = state;

	for (uint64_t i = 0; i < count; i++) {
		if (w->count++ == ROUND)
			end_round(w);
		w->stamp += w->stamp < UINT32_MAX;
		bench_use((uint64_t)gputm_write_set_log_append(w->unit, i & 7, i * 4 & 0xffffff,
							       (uint32_t)i, w->stamp));
	}
}

static void *setup(void)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->list = calloc(ROUND, sizeof(*w->list));
	if (!w->list || gputm_write_set_log_new(NULL, NULL, &w->unit)) {
		free(w->list);
		free(w);
		return NULL;
	}
	run(w, ROUND + 1); /* the logs have grown to their length */
	return w;
}

BENCH_TIGHT static void tight_append(struct world *w, uint64_t address, uint32_t value,
				     uint64_t stamp)
{
	w->list[w->count++] = (struct gputm_log_entry){ address, stamp, value };
}

static void bound(void *state, uint64_t count)
{
	struct world *w = state;

	for (uint64_t i = 0; i < count; i++) {
		if (w->count == ROUND)
			w->count = 0;
		tight_append(w, i * 4 & 0xffffff, (uint32_t)i, ++w->stamp);
	}
	bench_clobber();
}

static const struct bench_op operations[] = {
	{ "write_set_log", "append, chunks included", setup, teardown, run, bound,
	  "gputm_write_set_log_append,gputm_write_set_log_cut,gputm_write_set_log_begin",
	  "tight_append", 0 },
};

BENCH_TABLE(operations)
