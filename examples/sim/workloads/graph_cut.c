/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Graph-cut: Karger's contraction. Edges drawn at random are contracted, each in a
 * transaction, until two vertices are left; the edges between these two are a cut of the
 * graph, and often a small one (Chen and Peng, ISCA 2017, section 6).
 *
 *	a: vertex v at a + 12 v = { next, head, size }
 *	b: edge i at b + 8 i    = { u, v }, never written
 *	c: contraction k at c + 4 k = 1 + the edge that was contracted
 *
 * A vertex of the contracted graph is a list of vertices of the given one. next is 1 + the
 * next vertex, 0 at the tail; head and size of the list are those in its tail. The
 * transaction walks from both ends of the edge to the tails of their lists: R next, R next,
 * ... If the tail is the same one, the edge is a loop by now and another one is drawn. Else the
 * second list is hung behind the first one:
 *
 *	head           tail     head       tail         R head, R size of both;
 *	 4 ---> 1 ---> 7         2 ---> 5               W next of 7 = 2,
 *	        u                       v               W head of 5 = 4, W size of 5 = 5
 *
 * Which edges are loops is only known by walking, so all edges that are none are as likely.
 * The contractions, vertices - 2, are dealt to the threads beforehand; nobody counts the
 * vertices that are left, which would be a word that everybody writes.
 *
 * The lock program walks with plain loads, takes the locks of the two tails, the higher one
 * first, and looks whether they still are tails; if not it gives back and walks on from there.
 *
 * Differences: the paper does not publish its program; the lists are ours, chosen to give the
 * long reads and the three writes of its Table 3.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../machine/memory.h"
#include "edge_file.h"
#include "heap.h"
#include "random.h"
#include "tables.h"

#define VERTEX_BYTES 12u
#define THREADS 32u /* unless told otherwise */
#define EDGES_MAX (1u << 20)

enum { HEAD_WORD = 4, SIZE_WORD = 8 }; /* offsets in the vertex */

struct graph_cut_config {
	uint32_t vertices, edges, block_size;
};

struct graph_cut {
	struct sim_workload base;
	struct sim_program program[SIM_FLAVOURS];
	uint64_t a, b, c;
	uint64_t seed;
	struct sim_edges graph;
};

/* ---- transactions ---- */

enum { ROUND, DRAWN, EDGE, U, V, HEAD_U, HEAD_V, SIZE }; /* registers; SIZE 0: not contracted */

enum {
	IDLE, DRAW, GET_U, GET_V, ENDS, BEGIN, READ_U, STEP_U, READ_V, STEP_V, LOOP, READ_HEAD_U,
	READ_HEAD_V, READ_SIZE_U, READ_SIZE_V, LINK, PUT_HEAD, PUT_SIZE, COMMIT, NOTE, MORE, END,
};

static const struct sim_instr transaction_code[] = {
	[IDLE] = { .op = SIM_BRANCH, .target = END, .meet = END },
	[DRAW] = { .op = SIM_PLAIN, .count = 8 },
	[GET_U] = { .op = SIM_LOAD },
	[GET_V] = { .op = SIM_LOAD },
	[ENDS] = { .op = SIM_PLAIN, .count = 1 },
	[BEGIN] = { .op = SIM_TX_BEGIN },
	[READ_U] = { .op = SIM_LOAD },
	[STEP_U] = { .op = SIM_BRANCH, .target = READ_U, .meet = READ_V },
	[READ_V] = { .op = SIM_LOAD },
	[STEP_V] = { .op = SIM_BRANCH, .target = READ_V, .meet = LOOP },
	[LOOP] = { .op = SIM_BRANCH, .target = COMMIT, .meet = COMMIT },
	[READ_HEAD_U] = { .op = SIM_LOAD },
	[READ_HEAD_V] = { .op = SIM_LOAD },
	[READ_SIZE_U] = { .op = SIM_LOAD },
	[READ_SIZE_V] = { .op = SIM_LOAD },
	[LINK] = { .op = SIM_STORE },
	[PUT_HEAD] = { .op = SIM_STORE },
	[PUT_SIZE] = { .op = SIM_STORE },
	[COMMIT] = { .op = SIM_TX_COMMIT },
	[NOTE] = { .op = SIM_STORE },
	[MORE] = { .op = SIM_BRANCH, .target = DRAW, .meet = END },
	[END] = { .op = SIM_EXIT },
};

static uint64_t vertex_at(const struct graph_cut *cut, uint32_t vertex)
{
	return cut->a + (uint64_t)VERTEX_BYTES * vertex;
}

/* Contractions of all threads before this one. */
static uint32_t first_of(const struct graph_cut *cut, uint64_t thread)
{
	uint64_t all = cut->graph.vertices - 2, threads = cut->base.threads, more = all % threads;

	return (uint32_t)(all / threads * thread + (thread < more ? thread : more));
}

static uint32_t share_of(const struct graph_cut *cut, uint32_t thread)
{
	return first_of(cut, (uint64_t)thread + 1) - first_of(cut, thread);
}

/* The edge that a thread draws as its n-th one. */
static uint32_t draw(const struct graph_cut *cut, uint32_t thread, uint32_t n)
{
	uint64_t state = cut->seed ^ ((uint64_t)thread << 32 | n) * 0xd1342543de82ef95;

	return sim_random(&state) % cut->graph.count;
}

static void choose(const struct graph_cut *cut, uint32_t pc, struct sim_lane *lane,
		   struct sim_step *step)
{
	uint32_t *reg = lane->reg;

	switch (pc) {
	case IDLE:
		step->taken = !share_of(cut, lane->thread);
		break;
	case DRAW:
		reg[EDGE] = draw(cut, lane->thread, reg[DRAWN]++);
		reg[SIZE] = 0;
		break;
	case GET_U:
	case GET_V:
		reg[U] = lane->loaded;
		step->address = cut->b + 8 * (uint64_t)reg[EDGE] + (pc == GET_V ? 4 : 0);
		break;
	case ENDS:
		reg[V] = lane->loaded;
		break;
	}
}

static void walk(const struct graph_cut *cut, uint32_t pc, struct sim_lane *lane,
		 struct sim_step *step)
{
	uint32_t *reg = lane->reg;
	uint32_t *vertex = &reg[pc < READ_V ? U : V];

	switch (pc) {
	case READ_U:
	case READ_V:
		step->address = vertex_at(cut, *vertex);
		break;
	case STEP_U:
	case STEP_V:
		step->taken = lane->loaded != 0;
		if (step->taken)
			*vertex = lane->loaded - 1;
		break;
	case LOOP:
		step->taken = reg[U] == reg[V];
		break;
	}
}

static void contract(const struct graph_cut *cut, uint32_t pc, struct sim_lane *lane,
		     struct sim_step *step)
{
	uint32_t *reg = lane->reg;
	uint64_t u = vertex_at(cut, reg[U]), v = vertex_at(cut, reg[V]);

	switch (pc) {
	case READ_HEAD_U:
		step->address = u + HEAD_WORD;
		break;
	case READ_HEAD_V:
		reg[HEAD_U] = lane->loaded;
		step->address = v + HEAD_WORD;
		break;
	case READ_SIZE_U:
		reg[HEAD_V] = lane->loaded;
		step->address = u + SIZE_WORD;
		break;
	case READ_SIZE_V:
		reg[SIZE] = lane->loaded;
		step->address = v + SIZE_WORD;
		break;
	case LINK:
		reg[SIZE] += lane->loaded;
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

	switch (pc) {
	case NOTE:
		step->skip = !reg[SIZE];
		step->address =
			cut->c + 4 * ((uint64_t)first_of(cut, lane->thread) + reg[ROUND]);
		step->value = 1 + reg[EDGE];
		break;
	case MORE:
		reg[ROUND] += reg[SIZE] != 0;
		step->taken = reg[ROUND] < share_of(cut, lane->thread);
		break;
	default:
		if (pc < BEGIN)
			choose(cut, pc, lane, step);
		else if (pc <= LOOP)
			walk(cut, pc, lane, step);
		else
			contract(cut, pc, lane, step);
	}
}

/* ---- locks ---- */

enum {
	AHEAD_U = ENDS + 1, AHEAD_STEP_U, AHEAD_V, AHEAD_STEP_V, AHEAD_LOOP, TAKE_HIGH, NOT_HIGH,
	TAKE_LOW, NOT_LOW, ENTER, LOCKED_U, LOCKED_V, CHANGED, LOCKED_FIRST,
	LOCKED_LINK = LOCKED_FIRST + LINK - READ_HEAD_U,
	LOCKED_LAST = LOCKED_FIRST + PUT_SIZE - READ_HEAD_U,
	LEAVE, FENCE, RELEASE_LOW, RELEASE_HIGH, AGAIN, LOCK_NOTE, LOCK_MORE, LOCK_END,
};

static const struct sim_instr lock_code[] = {
	[IDLE] = { .op = SIM_BRANCH, .target = LOCK_END, .meet = LOCK_END },
	[DRAW] = { .op = SIM_PLAIN, .count = 8 },
	[GET_U] = { .op = SIM_LOAD },
	[GET_V] = { .op = SIM_LOAD },
	[ENDS] = { .op = SIM_PLAIN, .count = 1 },
	[AHEAD_U] = { .op = SIM_LOAD },
	[AHEAD_STEP_U] = { .op = SIM_BRANCH, .target = AHEAD_U, .meet = AHEAD_V },
	[AHEAD_V] = { .op = SIM_LOAD },
	[AHEAD_STEP_V] = { .op = SIM_BRANCH, .target = AHEAD_V, .meet = AHEAD_LOOP },
	[AHEAD_LOOP] = { .op = SIM_BRANCH, .target = AGAIN, .meet = AGAIN },
	[TAKE_HIGH] = { .op = SIM_CAS },
	[NOT_HIGH] = { .op = SIM_BRANCH, .target = AGAIN, .meet = AGAIN },
	[TAKE_LOW] = { .op = SIM_CAS },
	[NOT_LOW] = { .op = SIM_BRANCH, .target = RELEASE_HIGH, .meet = RELEASE_HIGH },
	[ENTER] = { .op = SIM_ENTER },
	[LOCKED_U] = { .op = SIM_LOAD },
	[LOCKED_V] = { .op = SIM_LOAD },
	[CHANGED] = { .op = SIM_BRANCH, .target = LEAVE, .meet = LEAVE },
	[LOCKED_FIRST] = { .op = SIM_LOAD },
	[LOCKED_FIRST + 1] = { .op = SIM_LOAD },
	[LOCKED_FIRST + 2] = { .op = SIM_LOAD },
	[LOCKED_FIRST + 3] = { .op = SIM_LOAD },
	[LOCKED_LINK] = { .op = SIM_STORE },
	[LOCKED_LINK + 1] = { .op = SIM_STORE },
	[LOCKED_LAST] = { .op = SIM_STORE },
	[LEAVE] = { .op = SIM_LEAVE },
	[FENCE] = { .op = SIM_FENCE },
	[RELEASE_LOW] = { .op = SIM_STORE },
	[RELEASE_HIGH] = { .op = SIM_STORE },
	[AGAIN] = { .op = SIM_BRANCH, .target = AHEAD_U, .meet = LOCK_NOTE },
	[LOCK_NOTE] = { .op = SIM_STORE },
	[LOCK_MORE] = { .op = SIM_BRANCH, .target = DRAW, .meet = LOCK_END },
	[LOCK_END] = { .op = SIM_EXIT },
};

static uint64_t lock(const struct graph_cut *cut, const struct sim_lane *lane, bool high)
{
	uint32_t u = lane->reg[U], v = lane->reg[V];

	return cut->base.lock_base + 4 * (uint64_t)((u > v) == high ? u : v);
}

static void eval_locks(const void *data, uint32_t pc, struct sim_lane *lane,
		       struct sim_step *step)
{
	const struct graph_cut *cut = data;
	uint32_t *reg = lane->reg;

	if (pc >= LOCKED_FIRST && pc <= LOCKED_LAST) {
		contract(cut, pc - LOCKED_FIRST + READ_HEAD_U, lane, step);
		return;
	}
	if (pc >= AHEAD_U && pc <= AHEAD_LOOP) {
		walk(cut, pc - AHEAD_U + READ_U, lane, step);
		return;
	}
	switch (pc) {
	case TAKE_HIGH:
	case TAKE_LOW:
	case RELEASE_LOW:
	case RELEASE_HIGH:
		step->address = lock(cut, lane, pc == TAKE_HIGH || pc == RELEASE_HIGH);
		step->value = pc == TAKE_HIGH || pc == TAKE_LOW;
		break;
	case NOT_HIGH:
	case NOT_LOW:
		step->taken = lane->loaded != 0;
		break;
	case LOCKED_U:
	case LOCKED_V:
		reg[HEAD_U] = lane->loaded;
		step->address = vertex_at(cut, reg[pc == LOCKED_U ? U : V]);
		break;
	case CHANGED:
		step->taken = reg[HEAD_U] || lane->loaded;
		break;
	case AGAIN:
		step->taken = !reg[SIZE] && reg[U] != reg[V];
		break;
	case LOCK_NOTE:
	case LOCK_MORE:
		eval(data, pc == LOCK_NOTE ? NOTE : MORE, lane, step);
		break;
	default:
		eval(data, pc, lane, step);
	}
}

/* ---- life ---- */

static void destroy(struct sim_workload *workload)
{
	struct graph_cut *cut = (struct graph_cut *)workload;

	sim_edges_free(&cut->graph);
	free(cut);
}

static int draw_edges(const struct graph_cut_config *config, uint64_t seed,
		      struct sim_edges *graph, char *error, size_t size)
{
	if (config->edges < config->vertices - 1) {
		snprintf(error, size, "workload: edges = %u is not in %u .. %u, as a connected "
				      "graph needs vertices - 1", config->edges,
			 config->vertices - 1, EDGES_MAX);
		return -EINVAL;
	}
	if (sim_edges_draw(config->vertices, config->edges, seed, graph))
		return 0;
	snprintf(error, size, "out of memory");
	return -ENOMEM;
}

static void lay_out(struct graph_cut *cut)
{
	uint64_t end = SIM_HEAP;

	cut->a = sim_heap_take(&end, (uint64_t)VERTEX_BYTES * cut->graph.vertices);
	cut->base.region[0] = (struct sim_region){ cut->a, end - cut->a };
	cut->base.regions = 1;
	cut->b = sim_heap_take(&end, 8 * (uint64_t)cut->graph.count);
	cut->c = sim_heap_take(&end, 4 * (uint64_t)cut->graph.vertices);
	cut->base.lock_base = sim_heap_take(&end, 4 * (uint64_t)cut->graph.vertices);
}

static int make(const struct sim_workload_request *request, struct sim_workload **out,
		char *error, size_t size)
{
	const struct graph_cut_config *config = request->config;
	struct graph_cut *cut = calloc(1, sizeof(*cut));
	int result;

	if (!cut) {
		snprintf(error, size, "out of memory");
		return -ENOMEM;
	}
	result = request->edges ? sim_edges_load(request->edges, &cut->graph, error, size) :
				  draw_edges(config, request->seed, &cut->graph, error, size);
	if (result) {
		destroy(&cut->base);
		return result;
	}
	cut->base.class = request->class;
	cut->base.name = request->class->name;
	cut->base.threads = request->threads ? request->threads : THREADS;
	cut->base.block_size = config->block_size;
	cut->base.most_accesses = cut->graph.vertices + 9;
	cut->seed = request->seed;
	lay_out(cut);
	cut->program[SIM_TRANSACTIONS] =
		(struct sim_program){ transaction_code, END + 1, eval, cut };
	cut->program[SIM_LOCKS] =
		(struct sim_program){ lock_code, LOCK_END + 1, eval_locks, cut };
	cut->base.program[SIM_TRANSACTIONS] = &cut->program[SIM_TRANSACTIONS];
	cut->base.program[SIM_LOCKS] = &cut->program[SIM_LOCKS];
	*out = &cut->base;
	return 0;
}

static void setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	const struct graph_cut *cut = (const struct graph_cut *)workload;

	for (uint32_t v = 0; v < cut->graph.vertices; v++) {
		sim_memory_write(memory, vertex_at(cut, v) + HEAD_WORD, v);
		sim_memory_write(memory, vertex_at(cut, v) + SIZE_WORD, 1);
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

/* The edges noted must join the vertices into two parts, each edge two parts into one. */
static bool judge_contractions(struct search *search)
{
	const struct graph_cut *cut = search->cut;

	for (uint32_t v = 0; v < cut->graph.vertices; v++)
		search->join[v] = v;
	for (uint32_t k = 0; k < cut->graph.vertices - 2; k++) {
		uint32_t edge = sim_memory_read(search->memory, cut->c + 4 * (uint64_t)k), a, b;

		if (!edge || edge > cut->graph.count)
			return fail(search, "contraction", k, "was not done");
		a = sim_edges_root(search->join, cut->graph.end[edge - 1][0]);
		b = sim_edges_root(search->join, cut->graph.end[edge - 1][1]);
		if (a == b)
			return fail(search, "contraction", k, "is of an edge within one part");
		search->join[a] = b;
	}
	return true;
}

/* The list that ends in this tail holds vertices of one part only, and `size` of them. */
static bool judge_list(struct search *search, uint32_t tail)
{
	const struct graph_cut *cut = search->cut;
	uint32_t part = sim_edges_root(search->join, tail), count = 0, next;
	uint32_t v = sim_memory_read(search->memory, vertex_at(cut, tail) + HEAD_WORD);

	for (;; v = next - 1) {
		if (v >= cut->graph.vertices)
			return fail(search, "vertex", v, "does not exist");
		if (search->seen[v]++)
			return fail(search, "vertex", v, "is reached twice");
		if (sim_edges_root(search->join, v) != part)
			return fail(search, "vertex", v, "is in a list of the other part");
		count++;
		next = sim_memory_read(search->memory, vertex_at(cut, v));
		if (!next)
			break;
	}
	if (v != tail)
		return fail(search, "vertex", tail, "is not the tail of its list");
	return count == sim_memory_read(search->memory, vertex_at(cut, tail) + SIZE_WORD) ||
	       fail(search, "vertex", tail, "has another list's size");
}

static bool judge(struct search *search)
{
	uint32_t vertices = search->cut->graph.vertices, v;

	if (!judge_contractions(search))
		return false;
	for (v = 0; v < vertices; v++)
		if (!sim_memory_read(search->memory, vertex_at(search->cut, v)) &&
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

static const struct gputm_params params = {
	.kind = "workload",
	.config_size = sizeof(struct graph_cut_config),
	.param = rows,
	.param_count = sizeof(rows) / sizeof(rows[0]),
};

const struct sim_workload_class sim_graph_cut = {
	.name = "graph-cut",
	.summary = "Karger's contraction of a graph to two vertices, each a list of vertices",
	.params = &params,
	.make = make,
	.free = destroy,
	.setup = setup,
	.invariant = invariant,
};
