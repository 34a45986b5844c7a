/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dispatch_queues: a request submitted and taken by the CPU; a batch of 1,024 submitted, taken by
 * the GPU and committed, per request. The bound is one ring.
 */
#include <stdlib.h>

#include "gputm/dispatch_queues.h"
#include "tests/bench/bench.h"

#define BATCH 1024

struct world {
	struct gputm_dispatch_queues *unit;
	uint64_t ring[BATCH], request[BATCH];
	uint64_t head, count;
};

static void *setup(void)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w || gputm_dispatch_queues_new(NULL, NULL, &w->unit)) {
		free(w);
		return NULL;
	}
	return w;
}

static void teardown(void *state)
{
	struct world *w = state;

	gputm_dispatch_queues_free(w->unit);
	free(w);
}

static void run_single(void *state, uint64_t count)
{
	struct world *w = state;
	uint64_t request = 0;
	uint32_t type = 0;

	for (uint64_t i = 0; i < count; i++) {
		bench_use((uint64_t)gputm_dispatch_queues_push(w->unit, 0,
							       GPUTM_DISPATCH_QUEUES_CPU, i));
		bench_use((uint64_t)gputm_dispatch_queues_dequeue(w->unit, false, &type, &request));
		bench_use(request + type);
	}
}

static void run_batch(void *state, uint64_t count)
{
	struct world *w = state;
	uint32_t type, number;

	for (uint64_t i = 0; i < count; i++) {
		for (unsigned j = 0; j < BATCH; j++)
			bench_use((uint64_t)gputm_dispatch_queues_push(
				w->unit, 0, GPUTM_DISPATCH_QUEUES_GPU, j));
		bench_use((uint64_t)gputm_dispatch_queues_dequeue_batch(
			w->unit, false, false, &type, &number, w->request));
		bench_use(gputm_dispatch_queues_commit(w->unit));
	}
}

BENCH_TIGHT static void tight_push(struct world *w, uint64_t request)
{
	w->ring[(w->head + w->count++) & (BATCH - 1)] = request;
}

BENCH_TIGHT static uint64_t tight_pop(struct world *w)
{
	w->count--;
	return w->ring[w->head++ & (BATCH - 1)];
}

static void bound_single(void *state, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		tight_push(state, i);
		bench_use(tight_pop(state));
	}
}

static void bound_batch(void *state, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		for (unsigned j = 0; j < BATCH; j++)
			tight_push(state, j);
		for (unsigned j = 0; j < BATCH; j++)
			bench_use(tight_pop(state));
	}
}

static const struct bench_op operations[] = {
	{ "dispatch_queues", "submit, the CPU takes it", setup, teardown, run_single, bound_single,
	  "gputm_dispatch_queues_push,gputm_dispatch_queues_dequeue", "tight_push,tight_pop", 0 },
	{ "dispatch_queues", "submit, batch of the GPU", setup, teardown, run_batch, bound_batch,
	  "gputm_dispatch_queues_push,gputm_dispatch_queues_dequeue_batch,"
	  "gputm_dispatch_queues_commit",
	  "tight_push,tight_pop", BATCH },
};

BENCH_TABLE(operations)
