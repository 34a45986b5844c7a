/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_set_log: appends to one of eight logs, and the chunks of a round. The bound of an append is
 * three stores to an array that is large enough, without checks or statistics.
 */
#include "tests/bench/bench.h"

#define ROUND 24576 /* entries; eight chunks */

struct world {
	struct gputm_write_set_log *unit;
	struct gputm_write_set_log_entry *list;
	uint64_t stamp, count;
};

static void end_round(struct world *w)
{
	struct gputm_write_set_log_chunk chunk;

	while (gputm_write_set_log_cut(w->unit, GPUTM_WRITE_SET_LOG_STREAM_SHIP, true, &chunk) ==
	       GPUTM_WRITE_SET_LOG_CHUNK)
		bench_use(chunk.count);
	bench_use((uint64_t)gputm_write_set_log_begin(w->unit));
	w->count = 0;
}

BENCH_LOOP(run, struct world *w)
{
	if (w->count++ == ROUND)
		end_round(w);
	w->stamp += w->stamp < UINT32_MAX;
	return (uint64_t)gputm_write_set_log_append(w->unit, i & 7, i * 4 & 0xffffff,
						       (uint32_t)i, w->stamp);
}

BENCH_SETUP(setup, struct world *w)
{
	w->list = calloc(ROUND, sizeof(*w->list));
	if (!w->list)
		abort();
	bench_must(gputm_write_set_log_new(NULL, NULL, &w->unit));
	run(w, ROUND + 1); /* the logs have grown to their length */
}

BENCH_TIGHT static void tight_append(struct world *w, uint64_t address, uint32_t value,
				     uint64_t stamp)
{
	w->list[w->count++] = (struct gputm_write_set_log_entry){ address, stamp, value };
}

BENCH_LOOP(bound, struct world *w)
{
	if (w->count == ROUND)
		w->count = 0;
	tight_append(w, i * 4 & 0xffffff, (uint32_t)i, ++w->stamp);
	return 0;
}

static const struct bench_op operations[] = {
	{ "append, chunks included", setup, 0, run,
	  "gputm_write_set_log_append,gputm_write_set_log_cut,gputm_write_set_log_begin",
	  .bound = bound, .bound_inside = "tight_append" },
};

BENCH_TABLE("write_set_log", struct world, operations)
