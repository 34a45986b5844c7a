/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Graph-cut: Karger's contraction. Edges are contracted in an order drawn at random, each in
 * a transaction, until two vertices are left; the edges between these two are a cut of the
 * graph, and often a small one (Chen and Peng, ISCA 2017, section 6).
 *
 *	a: vertex v at a + 12 v = { next, head, size }
 *	b: edge i at b + 8 i    = { u, v }, in the order drawn
 *	c: answer to edge i at c + 4 i: 1 it was a loop, 2 contracted, 3 it is of the cut
 *
 * A vertex of the contracted graph is a list of vertices of the given one. next is 1 + the
 * next vertex, 0 at the tail; head and size of the list are those in its tail. Thread t does
 * the edges t, t + threads, ... For each the transaction walks from both ends to the tails of
 * their lists: R next, R next, ... If both have the same tail, the edge has become a loop. If
 * the sizes, R size of both, make up the whole graph, then only two vertices are left and the
 * edge belongs to the cut. Else the second list is hung behind the first one:
 *
 *	head           tail     head       tail         R head of both;
 *	 4 ---> 1 ---> 7         2 ---> 5               W next of 7 = 2,
 *	        u                       v               W head of 5 = 4, W size of 5 = 5
 *
 * So nobody counts the vertices that are left, which would be a word that everybody writes.
 *
 * Differences: the paper does not publish its program; the lists are ours, chosen to give the
 * long reads and the three writes of its Table 3.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "graph_cut.h"
#include "../base/heap.h"
#include "../base/random.h"

#define THREADS 32u /* unless told otherwise */
#define EDGES_MAX (1u << 20)

enum { HEAD_WORD = 4, SIZE_WORD = 8 }; /* offsets in the vertex */
enum { IS_LOOP = 1, CONTRACTED, OF_CUT }; /* answers */

struct graph_cut_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t vertices, edges, block_size;
};

/* ---- transactions ---- */

static const struct sim_instr code[] = {
	[IDLE] = { .op = SIM_BRANCH, .target = END, .meet = END },
	[GET_U] = { .op = SIM_LOAD },
	[GET_V] = { .op = SIM_LOAD },
	[ENDS] = { .op = SIM_PLAIN, .count = 1 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[READ_U] = { .op = SIM_LOAD },
	[STEP_U] = { .op = SIM_BRANCH, .target = READ_U, .meet = READ_V },
	[READ_V] = { .op = SIM_LOAD },
	[STEP_V] = { .op = SIM_BRANCH, .target = READ_V, .meet = LOOP },
	[LOOP] = { .op = SIM_BRANCH, .target = COMMIT, .meet = COMMIT },
	[READ_SIZE_U] = { .op = SIM_LOAD },
	[READ_SIZE_V] = { .op = SIM_LOAD },
	[LAST_TWO] = { .op = SIM_BRANCH, .target = COMMIT, .meet = COMMIT },
	[READ_HEAD_U] = { .op = SIM_LOAD },
	[READ_HEAD_V] = { .op = SIM_LOAD },
	[LINK] = { .op = SIM_STORE },
	[PUT_HEAD] = { .op = SIM_STORE },
	[PUT_SIZE] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[PUT_ANSWER] = { .op = SIM_STORE },
	[MORE] = { .op = SIM_BRANCH, .target = GET_U, .meet = END },
	[END] = { .op = SIM_EXIT },
};

static uint64_t edge_of(const struct graph_cut *cut, const struct sim_lane *lane)
{
	return lane->thread + cut->base.threads * lane->reg[ROUND];
}

static void walk(const struct graph_cut *cut, uint32_t pc, struct sim_lane *lane,
		 struct sim_step *step)
{
	uint32_t *reg = lane->reg;
	uint32_t *vertex = &reg[pc < READ_V ? U : V];

	switch (pc) {
	case READ_U:
	case READ_V:
		step->address = sim_vertex(cut, *vertex);
		break;
	case STEP_U:
	case STEP_V:
		step->taken = lane->loaded != 0;
		if (step->taken)
			*vertex = lane->loaded - 1;
		break;
	case LOOP:
		step->taken = reg[U] == reg[V];
		reg[ANSWER] = IS_LOOP;
		break;
	}
}

static void contract(const struct graph_cut *cut, uint32_t pc, struct sim_lane *lane,
		     struct sim_step *step)
{
	uint32_t *reg = lane->reg;
	uint64_t u = sim_vertex(cut, reg[U]), v = sim_vertex(cut, reg[V]);

	switch (pc) {
	case READ_SIZE_U:
		step->address = u + SIZE_WORD;
		break;
	case READ_SIZE_V:
		reg[SIZE] = lane->loaded;
		step->address = v + SIZE_WORD;
		break;
	case LAST_TWO:
		reg[SIZE] += lane->loaded;
		step->taken = reg[SIZE] == cut->graph.vertices;
		reg[ANSWER] = step->taken ? OF_CUT : CONTRACTED;
		break;
	case READ_HEAD_U:
		step->address = u + HEAD_WORD;
		break;
	case READ_HEAD_V:
		reg[HEAD_U] = lane->loaded;
		step->address = v + HEAD_WORD;
		break;
	case LINK:
		reg[HEAD_V] = lane->loaded;
		step->address = u;
		step->value = 1 + reg[HEAD_V];
		break;
	case PUT_HEAD:
		step->address = v + HEAD_WORD;
		step->value = reg[HEAD_U];
		break;
	case PUT_SIZE:
		step->address = v + SIZE_WORD;
		step->value = reg[SIZE];
		break;
	}
}

static void eval(const void *data, uint32_t pc, struct sim_lane *lane, struct sim_step *step)
{
	const struct graph_cut *cut = data;
	uint32_t *reg = lane->reg;
	uint64_t edge = edge_of(cut, lane);

	switch (pc) {
	case IDLE:
		step->taken = edge >= cut->graph.count;
		break;
	case GET_U:
		step->address = cut->b + 8 * edge;
		break;
	case GET_V:
		reg[U] = lane->loaded;
		step->address = cut->b + 8 * edge + 4;
		break;
	case ENDS:
		reg[V] = lane->loaded;
		reg[ANSWER] = 0;
		break;
	case PUT_ANSWER:
		step->address = cut->c + 4 * edge;
		step->value = reg[ANSWER];
		break;
	case MORE:
		reg[ROUND]++;
		step->taken = edge_of(cut, lane) < cut->graph.count;
		break;
	default:
		if (pc <= LOOP)
			walk(cut, pc, lane, step);
		else
			contract(cut, pc, lane, step);
	}
}

/* ---- life ---- */

static void destroy(struct sim_workload *workload)
{
	struct graph_cut *cut = (struct graph_cut *)workload;

	sim_edges_free(&cut->graph);
	free(cut);
}

static int draw_edges(const struct graph_cut_config *config, uint64_t *state,
		      struct sim_edges *graph, char *error, size_t size)
{
	if (config->edges < config->vertices - 1) {
		snprintf(error, size, "workload: edges = %u is not in %u .. %u, as a connected "
				      "graph needs vertices - 1", config->edges,
			 config->vertices - 1, EDGES_MAX);
		return -EINVAL;
	}
	if (sim_edges_draw(config->vertices, config->edges, state, graph))
		return 0;
	snprintf(error, size, "out of memory");
	return -ENOMEM;
}

/* Put the edges in an order drawn at random. */
static void shuffle(struct sim_edges *graph, uint64_t *state)
{
	for (uint32_t i = graph->count; i > 1; i--) {
		uint32_t other = sim_random(state) % i;

		for (uint32_t k = 0; k < 2; k++) {
			uint32_t moved = graph->end[other][k];

			graph->end[other][k] = graph->end[i - 1][k];
			graph->end[i - 1][k] = moved;
		}
	}
}

static void lay_out(struct graph_cut *cut)
{
	uint64_t end = SIM_HEAP;

	cut->a = sim_heap_take(&end, SIM_VERTEX_BYTES * (uint64_t)cut->graph.vertices);
	cut->base.region[0] = (struct sim_region){ cut->a, end - cut->a };
	cut->base.regions = 1;
	cut->b = sim_heap_take(&end, 8 * (uint64_t)cut->graph.count);
	cut->c = sim_heap_take(&end, 4 * (uint64_t)cut->graph.count);
	cut->base.lock_base = sim_heap_take(&end, 4 * (uint64_t)cut->graph.vertices);
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	const struct graph_cut_config *config = request->config;
	const struct sim_program *locks = &sim_graph_cut_locks;
	struct graph_cut *cut = sim_workload_new(request, sizeof(*cut), error, size);
	uint64_t state = request->seed;
	int result;

	if (!cut)
		return -ENOMEM;
	result = request->edges ? sim_edges_load(request->edges, &cut->graph, error, size) :
				  draw_edges(config, &state, &cut->graph, error, size);
	if (result) {
		destroy(&cut->base);
		return result;
	}
	cut->base.threads = request->threads ? request->threads : THREADS;
	cut->base.block_size = config->block_size;
	cut->base.transactions = cut->graph.count;
	cut->base.most_writes = 2 * (uint64_t)cut->graph.count;
	shuffle(&cut->graph, &state);
	lay_out(cut);
	sim_workload_runs(&cut->base, SIM_TRANSACTIONS, code, END + 1, eval);
	sim_workload_runs(&cut->base, SIM_LOCKS, locks->code, locks->length, locks->eval);
	*out = &cut->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct graph_cut *cut = (const struct graph_cut *)workload;

	for (uint32_t v = 0; v < cut->graph.vertices; v++) {
		sim_memory_write(memory, sim_vertex(cut, v) + HEAD_WORD, v);
		sim_memory_write(memory, sim_vertex(cut, v) + SIZE_WORD, 1);
	}
	for (uint32_t i = 0; i < cut->graph.count; i++)
		for (uint32_t k = 0; k < 2; k++)
			sim_memory_write(memory, cut->b + 8 * (uint64_t)i + 4 * k,
					 cut->graph.end[i][k]);
}

/* ---- invariant ---- */

struct search {
	const struct graph_cut *cut;
	const struct sim_memory *memory;
	uint32_t *join; /* [vertices], see sim_edges_root() */
	uint8_t *seen;	/* [vertices] */
	char *error;
	size_t size;
};

static bool fail(const struct search *search, const char *what, uint32_t number,
		 const char *wrong)
{
	snprintf(search->error, search->size, "%s %u %s", what, number, wrong);
	return false;
}

/* The contracted edges must join the vertices into two parts, each edge two parts into one. */
static bool join_parts(struct search *search, const uint32_t *end, uint32_t *parts)
{
	uint32_t a = sim_edges_root(search->join, end[0]), b = sim_edges_root(search->join, end[1]);

	search->join[a] = b;
	*parts -= a != b;
	return a != b;
}

static bool judge_edges(struct search *search)
{
	const struct graph_cut *cut = search->cut;
	uint32_t parts = cut->graph.vertices, i;

	for (i = 0; i < cut->graph.vertices; i++)
		search->join[i] = i;
	for (i = 0; i < cut->graph.count; i++) {
		uint32_t answer = sim_memory_read(search->memory, cut->c + 4 * (uint64_t)i);

		if (answer < IS_LOOP || answer > OF_CUT)
			return fail(search, "edge", i, "has no answer");
		if (answer == CONTRACTED && !join_parts(search, cut->graph.end[i], &parts))
			return fail(search, "edge", i, "was contracted within one part");
	}
	return parts == 2 || fail(search, "the graph has", parts, "parts and not 2");
}

/* An edge is of the cut if and only if its ends are in different parts. */
static bool judge_cut(struct search *search)
{
	const struct graph_cut *cut = search->cut;

	for (uint32_t i = 0; i < cut->graph.count; i++) {
		const uint32_t *end = cut->graph.end[i];
		bool crosses = sim_edges_root(search->join, end[0]) !=
			       sim_edges_root(search->join, end[1]);
		uint32_t answer = sim_memory_read(search->memory, cut->c + 4 * (uint64_t)i);

		if (crosses != (answer == OF_CUT))
			return fail(search, "edge", i, crosses ? "is of the cut and was not told" :
								 "is told to be of the cut");
	}
	return true;
}

/* The list that ends in this tail holds vertices of one part only, and `size` of them. */
static bool judge_list(struct search *search, uint32_t tail)
{
	const struct graph_cut *cut = search->cut;
	uint32_t part = sim_edges_root(search->join, tail), count = 0, next;
	uint32_t v = sim_memory_read(search->memory, sim_vertex(cut, tail) + HEAD_WORD);

	for (;; v = next - 1) {
		if (v >= cut->graph.vertices)
			return fail(search, "vertex", v, "does not exist");
		if (search->seen[v]++)
			return fail(search, "vertex", v, "is reached twice");
		if (sim_edges_root(search->join, v) != part)
			return fail(search, "vertex", v, "is in a list of the other part");
		count++;
		next = sim_memory_read(search->memory, sim_vertex(cut, v));
		if (!next)
			break;
	}
	if (v != tail)
		return fail(search, "vertex", tail, "is not the tail of its list");
	return count == sim_memory_read(search->memory, sim_vertex(cut, tail) + SIZE_WORD) ||
	       fail(search, "vertex", tail, "has another list's size");
}

static bool judge(struct search *search)
{
	uint32_t vertices = search->cut->graph.vertices, v;

	if (!judge_edges(search) || !judge_cut(search))
		return false;
	for (v = 0; v < vertices; v++)
		if (!sim_memory_read(search->memory, sim_vertex(search->cut, v)) &&
		    !judge_list(search, v))
			return false;
	for (v = 0; v < vertices; v++)
		if (!search->seen[v])
			return fail(search, "vertex", v, "is in no list");
	return true;
}

static const char *invariant(const struct sim_workload *workload,
			     const struct sim_memory *memory, char *error, size_t size)
{
	const struct graph_cut *cut = (const struct graph_cut *)workload;
	struct search search = { cut, memory, calloc(cut->graph.vertices, sizeof(uint32_t)),
				 calloc(cut->graph.vertices, 1), error, size };
	bool right = false;

	if (search.join && search.seen)
		right = judge(&search);
	else
		snprintf(error, size, "out of memory");
	free(search.join);
	free(search.seen);
	return right ? NULL : error;
}

/* ---- class ---- */

static const struct gputm_param rows[] = {
	SIM_PARAM(struct graph_cut_config, vertices, 3, SIM_VERTEX_MAX + 1, 60,
		  "Vertices of the graph, where none is read from a file."),
	SIM_PARAM(struct graph_cut_config, edges, 2, EDGES_MAX, 180,
		  "Edges of the graph, where none is read from a file."),
	SIM_PARAM(struct graph_cut_config, block_size, 1, 1024, 32, "Threads of a block."),
};

SIM_WORKLOAD_PARAMS(struct graph_cut_config);

const struct sim_workload_class sim_graph_cut = {
	.name = "graph-cut",
	.summary = "Karger's contraction of a graph to two vertices, each a list of vertices",
	.params = &params,
	.make = make,
	.free = destroy,
	.setup = setup,
	.invariant = invariant,
};
