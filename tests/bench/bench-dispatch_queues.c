/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dispatch_queues: a request submitted and taken by the CPU; a batch of 1,024 submitted, taken by
 * the GPU and committed, per request. The bound is one ring.
 */
#include "tests/bench/bench.h"

#define BATCH 1024

struct world {
	struct gputm_dispatch_queues *unit;
	uint64_t ring[BATCH], request[BATCH];
	uint64_t head, count;
};

BENCH_SETUP(setup, struct world *w)
{
	bench_must(gputm_dispatch_queues_new(NULL, NULL, &w->unit));
}

BENCH_LOOP(run_single, struct world *w)
{
	uint64_t request = 0;
	uint32_t type = 0;

	bench_must(gputm_dispatch_queues_push(w->unit, 0, GPUTM_DISPATCH_QUEUES_AFFINITY_CPU, i));
	bench_must(gputm_dispatch_queues_dequeue(w->unit, false, &type, &request));
	return request + type;
}

BENCH_LOOP(run_batch, struct world *w)
{
	uint32_t type, number;

	for (unsigned j = 0; j < BATCH; j++)
		bench_use((uint64_t)gputm_dispatch_queues_push(
			w->unit, 0, GPUTM_DISPATCH_QUEUES_AFFINITY_GPU, j));
	bench_use((uint64_t)gputm_dispatch_queues_dequeue_batch(
		w->unit, false, false, &type, &number, w->request));
	bench_use(gputm_dispatch_queues_commit(w->unit));
	return 0;
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

BENCH_LOOP(bound_single, struct world *w)
{
	tight_push(w, i);
	return tight_pop(w);
}

BENCH_LOOP(bound_batch, struct world *w)
{
	uint64_t sum = 0;

	for (unsigned j = 0; j < BATCH; j++)
		tight_push(w, j);
	for (unsigned j = 0; j < BATCH; j++)
		sum += tight_pop(w);
	return sum;
}

static const struct bench_op operations[] = {
	{ "submit, the CPU takes it", setup, 0, run_single,
	  "gputm_dispatch_queues_push,gputm_dispatch_queues_dequeue",
	  .bound = bound_single, .bound_inside = "tight_push,tight_pop" },
	{ "submit, batch of the GPU", setup, 0, run_batch,
	  "gputm_dispatch_queues_push,gputm_dispatch_queues_dequeue_batch,"
	  "gputm_dispatch_queues_commit",
	  .bound = bound_batch, .bound_inside = "tight_push,tight_pop", .per_turn = BATCH },
};

BENCH_TABLE("dispatch_queues", struct world, operations)
