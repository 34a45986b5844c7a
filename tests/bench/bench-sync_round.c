/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sync_round: whole rounds of eight chunks, per thing to do. Nothing here is hot: a round is 80
 * million cycles long; the figure shows that the controller does not count beside the chunks. The
 * bound is the arithmetic of the link alone.
 */
#include "tests/bench/bench.h"

#define STEPS 15 /* questions and answers of a round: 2 drains, 10 of SHIP, merge, end */

struct world {
	struct gputm_sync_round *unit;
	uint64_t now, link, gpu;
};

BENCH_SETUP(setup, struct world *w)
{
	bench_must(gputm_sync_round_new(NULL, NULL, &w->unit));
}

static void one_round(struct world *w)
{
	struct gputm_sync_round_todo todo;
	unsigned chunks = 0;

	bench_use((uint64_t)gputm_sync_round_begin(w->unit, w->now));
	do {
		struct gputm_sync_round_done done = { 0 };

		if (gputm_sync_round_step(w->unit, w->now, &todo))
			return;
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_RUN) {
			w->now = gputm_sync_round_next_time(w->unit);
			continue;
		}
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_SHIP && chunks++ < 8)
			done.bytes = 49152;
		if (todo.action != GPUTM_SYNC_ROUND_ACTION_END)
			bench_use((uint64_t)gputm_sync_round_complete(w->unit, w->now, &done));
	} while (todo.action != GPUTM_SYNC_ROUND_ACTION_END);
}

BENCH_LOOP(run, struct world *w)
{
	one_round(w);
	if (w->now > UINT64_C(1) << 60) {
		gputm_unit_reset(gputm_sync_round_unit(w->unit));
		w->now = 0;
	}
	return 0;
}

BENCH_TIGHT static void tight_send(struct world *w, uint64_t bytes, uint32_t per_cycle)
{
	w->link = (w->now > w->link ? w->now : w->link) + (bytes + per_cycle - 1) / per_cycle;
	w->gpu = (w->link + 5000 > w->gpu ? w->link + 5000 : w->gpu) + 400;
}

BENCH_LOOP(bound, struct world *w)
{
	for (unsigned step = 0; step < STEPS; step++)
		tight_send(w, 49152, 12);
	return 0;
}

static const struct bench_op operations[] = {
	{ "a step of a round", setup, 0, run,
	  "gputm_sync_round_begin,gputm_sync_round_step,gputm_sync_round_next_time,"
	  "gputm_sync_round_complete",
	  .bound = bound, .bound_inside = "tight_send*", .per_turn = STEPS },
};

BENCH_TABLE("sync_round", struct world, operations)
