/* SPDX-License-Identifier: BSD-2-Clause */
#include "order.h"

#include <errno.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX

/* The graph: who follows whom, as one array of followers by transaction. */
struct graph {
	uint32_t nodes;
	size_t *first;	     /* [nodes + 1], of the followers of each */
	uint32_t *follower;  /* filled in the second pass */
	size_t *filled;	     /* [nodes] */
	uint32_t *before;    /* [nodes]: how many each still waits for */
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

static void edge(struct graph *graph, uint32_t from, uint32_t to)
{
	if (from == to || from == NOBODY)
		return;
	if (!graph->follower) {
		graph->first[from + 1]++;
		return;
	}
	graph->follower[graph->first[from] + graph->filled[from]++] = to;
	graph->before[to]++;
}

/* All edges; the first pass counts them, the second keeps them. */
static void edges(struct graph *graph, const struct sim_order_access *access, size_t count)
{
	uint32_t writer = NOBODY;
	size_t readers = 0;

	for (size_t i = 0; i < count; i++) {
		if (!i || access[i].address != access[i - 1].address) {
			writer = NOBODY;
			readers = i;
		}
		edge(graph, writer, access[i].node);
		if (!access[i].write)
			continue;
		for (; readers < i; readers++)
			edge(graph, access[readers].node, access[i].node);
		writer = access[i].node;
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

int64_t sim_order(struct sim_order_access *access, size_t count, uint32_t nodes, uint32_t *order)
{
	struct graph graph = { .nodes = nodes };
	int64_t placed = -ENOMEM;

	graph.first = calloc((size_t)nodes + 1, sizeof *graph.first);
	graph.filled = calloc((size_t)nodes + 1, sizeof *graph.filled);
	graph.before = calloc((size_t)nodes + 1, sizeof *graph.before);
	if (count)
		qsort(access, count, sizeof *access, by_place);
	if (graph.first && graph.filled && graph.before) {
		edges(&graph, access, count);
		for (uint32_t i = 0; i < nodes; i++)
			graph.first[i + 1] += graph.first[i];
		graph.follower = malloc((graph.first[nodes] + 1) * sizeof *graph.follower);
	}
	if (graph.follower) {
		edges(&graph, access, count);
		placed = place_all(&graph, order);
	}
	free(graph.first);
	free(graph.filled);
	free(graph.before);
	free(graph.follower);
	return placed;
}
