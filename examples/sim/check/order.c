/* SPDX-License-Identifier: BSD-2-Clause */
#include "order.h"
#include "../base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

/* The graph: for each transaction, those that must come after it, in one array. */
struct graph {
	uint32_t nodes;
	size_t *first;	     /* [nodes + 1]: where the followers of each node begin */
	uint32_t *follower;  /* filled in the second pass */
	size_t *filled;	     /* [nodes] */
	uint32_t *before;    /* [nodes]: predecessors not yet placed */
	struct sim_order_cycle *cycle; /* the cycle whose steps a third pass looks up */
};

static int by_place(const void *a, const void *b)
{
	const struct sim_order_access *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Record the two accesses that put one transaction of the cycle before the next. */
static void note_step(struct sim_order_cycle *cycle, const struct sim_order_access *before,
		      const struct sim_order_access *after)
{
	for (uint32_t i = 0; i < cycle->length && i < SIM_ORDER_STEPS; i++) {
		if (cycle->step[i].known || cycle->step[i].before.node != before->node ||
		    cycle->step[i].after.node != after->node)
			continue;
		cycle->step[i].before = *before;
		cycle->step[i].after = *after;
		cycle->step[i].known = true;
	}
}

static void edge(struct graph *graph, const struct sim_order_access *before,
		 const struct sim_order_access *after)
{
	uint32_t from, to = after->node;

	if (!before || before->node == to)
		return;
	from = before->node;
	if (graph->cycle) {
		note_step(graph->cycle, before, after);
	} else if (!graph->follower) {
		graph->first[from + 1]++;
	} else {
		graph->follower[graph->first[from] + graph->filled[from]++] = to;
		graph->before[to]++;
	}
}

/* Go through all edges. The first pass counts them, the second stores them. */
static void edges(struct graph *graph, const struct sim_order_access *access, size_t count)
{
	const struct sim_order_access *writer = NULL;
	size_t readers = 0;

	for (size_t i = 0; i < count; i++) {
		if (!i || access[i].address != access[i - 1].address) {
			writer = NULL;
			readers = i;
		}
		edge(graph, writer, &access[i]);
		if (!access[i].write)
			continue;
		for (; readers < i; readers++)
			edge(graph, &access[readers], &access[i]);
		writer = &access[i];
		readers = i + 1;
	}
}

static int64_t place_all(struct graph *graph, uint32_t *order)
{
	uint32_t placed = 0, next = 0;

	for (uint32_t i = 0; i < graph->nodes; i++)
		if (!graph->before[i])
			order[placed++] = i;
	for (; next < placed; next++) {
		uint32_t node = order[next];

		for (size_t i = graph->first[node]; i < graph->first[node + 1]; i++)
			if (!--graph->before[graph->follower[i]])
				order[placed++] = graph->follower[i];
	}
	return placed;
}

/* The length of the shortest cycle through a transaction, if it has at most `most` edges; else 0.
 * from[] then leads back along the cycle; without a cycle all of from[] is NOBODY again. */
static uint32_t go_round(const struct graph *graph, uint32_t start, uint32_t most, uint32_t *from,
			 uint32_t *queue)
{
	uint32_t queued = 1, next = 0;

	queue[0] = start;
	for (uint32_t length = 1; length <= most; length++)
		for (uint32_t end = queued; next < end; next++) {
			uint32_t node = queue[next];

			for (size_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
				uint32_t to = graph->follower[i];

				if (!graph->before[to] || from[to] != NOBODY)
					continue;
				from[to] = node;
				if (to == start)
					return length;
				queue[queued++] = to;
			}
		}
	while (queued)
		from[queue[--queued]] = NOBODY;
	return 0;
}

/* Find a short cycle among the transactions that could not be placed: at most twice as long as the
 * shortest. */
static bool find_cycle(const struct graph *graph, struct sim_order_cycle *cycle)
{
	uint32_t *from = sim_malloc(2 * (size_t)graph->nodes * sizeof *from), start = 0;

	if (!from)
		return false;
	memset(from, 0xff, graph->nodes * sizeof *from);
	for (uint32_t most = 2; !cycle->length; most *= 2)
		for (start = 0; start < graph->nodes; start++) {
			if (graph->before[start])
				cycle->length = go_round(graph, start, most, from,
							 from + graph->nodes);
			if (cycle->length)
				break;
		}
	for (uint32_t i = cycle->length, after = start; i--; after = from[after])
		if (i < SIM_ORDER_STEPS) {
			cycle->step[i].before.node = from[after];
			cycle->step[i].after.node = after;
		}
	sim_free(from);
	return true;
}

int64_t sim_order(struct sim_order_access *access, size_t count, uint32_t nodes, uint32_t *order,
		  struct sim_order_cycle *cycle)
{
	struct graph graph = { .nodes = nodes };
	int64_t placed = -ENOMEM;

	graph.first = sim_calloc((size_t)nodes + 1, sizeof *graph.first);
	graph.filled = sim_calloc((size_t)nodes + 1, sizeof *graph.filled);
	graph.before = sim_calloc((size_t)nodes + 1, sizeof *graph.before);
	if (count)
		qsort(access, count, sizeof *access, by_place);
	if (graph.first && graph.filled && graph.before) {
		edges(&graph, access, count);
		for (uint32_t i = 0; i < nodes; i++)
			graph.first[i + 1] += graph.first[i];
		graph.follower = sim_malloc((graph.first[nodes] + 1) * sizeof *graph.follower);
	}
	if (graph.follower) {
		edges(&graph, access, count);
		placed = place_all(&graph, order);
	}
	memset(cycle, 0, sizeof *cycle);
	if (placed >= 0 && placed < (int64_t)nodes) {
		graph.cycle = cycle;
		if (find_cycle(&graph, cycle))
			edges(&graph, access, count);
		else
			placed = -ENOMEM;
	}
	sim_free(graph.first);
	sim_free(graph.filled);
	sim_free(graph.before);
	sim_free(graph.follower);
	return placed;
}
