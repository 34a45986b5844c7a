/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sync_round: whole rounds of eight chunks, per thing to do. Nothing here is hot: a round is 80
 * million cycles long; the figure shows that the controller does not count beside the chunks. The
 * bound is the arithmetic of the link alone.
 */
#include <stdlib.h>

#include "gputm/sync_round.h"
#include "tests/bench/bench.h"

#define STEPS 15 /* questions and answers of a round: 2 drains, 10 of SHIP, merge, end */

struct world {
	struct gputm_sync_round *unit;
	uint64_t now, link, gpu;
};

static void *setup(void)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w || gputm_sync_round_new(NULL, NULL, &w->unit)) {
		free(w);
		return NULL;
	}
	return w;
}

static void teardown(void *state)
{
	struct world *w = state;

	gputm_sync_round_free(w->unit);
	free(w);
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
		if (todo.what == GPUTM_SYNC_ROUND_RUN) {
			w->now = gputm_sync_round_next_time(w->unit);
			continue;
		}
		if (todo.what == GPUTM_SYNC_ROUND_SHIP && chunks++ < 8)
			done.bytes = 49152;
		if (todo.what != GPUTM_SYNC_ROUND_END)
			bench_use((uint64_t)gputm_sync_round_complete(w->unit, w->now, &done));
	} while (todo.what != GPUTM_SYNC_ROUND_END);
}

static void run(void *state, uint64_t count)
{
	struct world *w = state;

	for (uint64_t i = 0; i < count; i++) {
		one_round(w);
		if (w->now > UINT64_C(1) << 60) {
			gputm_unit_reset(gputm_sync_round_unit(w->unit));
			w->now = 0;
		}
	}
}

BENCH_TIGHT static void tight_send(struct world *w, uint64_t bytes, uint32_t per_cycle)
{
	w->link = (w->now > w->link ? w->now : w->link) + (bytes + per_cycle - 1) / per_cycle;
	w->gpu = (w->link + 5000 > w->gpu ? w->link + 5000 : w->gpu) + 400;
}

static void bound(void *state, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		for (unsigned step = 0; step < STEPS; step++)
			tight_send(state, 49152, 12);
	bench_clobber();
}

static const struct bench_op operations[] = {
	{ "sync_round", "a step of a round", setup, teardown, run, bound,
	  "gputm_sync_round_begin,gputm_sync_round_step,gputm_sync_round_next_time,"
	  "gputm_sync_round_complete",
	  "tight_send*", STEPS },
};

BENCH_TABLE(operations)
