/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the ways of a branch meet again: its immediate post-dominator, the closest block that
 * all ways to the end go through (Fung, thesis 2015, 2.3.3). Post-dominators are dominators
 * of the reversed graph, with one more node that follows all exits; dominators by the
 * iteration of Cooper, Harvey and Kennedy.
 *
 * The likely-convergence point of a branch is the source of the closest enclosing backward
 * branch (3.4, footnote 5): of the natural loops that hold the branch the smallest one whose
 * back edge starts elsewhere; it counts if it can be reached before the ways meet anyway.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "../base/arena.h"

/* Nodes are blocks, and last the end of all. */
struct graph {
	uint32_t nodes;
	uint32_t *first, *to; /* ways of a node: to[first[n]] .. to[first[n + 1]] */
};

struct analysis {
	struct kernel_code *code;
	struct graph on, back;
	uint32_t *order, *place; /* of nodes, by a walk in depth; KERNEL_NONE if not reached */
	uint32_t *dominator, *post_dominator;
	uint32_t *stack, *next;
	uint32_t *loop; /* blocks of the loop found for a branch, least so far */
	bool *seen;
	struct sim_spot *spot;
	char *reason;
	size_t size;
};

static bool make(struct analysis *a)
{
	size_t n = a->code->block_count + 1;
	uint32_t *words = sim_calloc(16 * n + 8, sizeof(*words));

	a->seen = sim_calloc(n, sizeof(*a->seen));
	if (!words || !a->seen) {
		sim_free(words);
		return false;
	}
	a->on.nodes = a->back.nodes = (uint32_t)n;
	a->on.first = words;
	a->back.first = words + n + 1;
	a->on.to = words + 2 * n + 2;
	a->back.to = words + 4 * n + 2;
	a->order = words + 6 * n + 2;
	a->place = words + 7 * n + 2;
	a->dominator = words + 8 * n + 2;
	a->post_dominator = words + 9 * n + 2;
	a->stack = words + 10 * n + 2;
	a->next = words + 12 * n + 2;
	a->loop = words + 13 * n + 2;
	return true;
}

/* The successors of block b, including the end. */
static uint32_t ways(const struct kernel_code *k, uint32_t b, uint32_t way[2])
{
	if (!k->block[b].ways) {
		way[0] = (uint32_t)k->block_count;
		return 1;
	}
	memcpy(way, k->block[b].way, sizeof(k->block[b].way));
	return k->block[b].ways;
}

static void connect(struct analysis *a)
{
	const struct kernel_code *k = a->code;
	uint32_t n = a->on.nodes, way[2], count;

	for (uint32_t b = 0; b + 1 < n; b++) {
		count = ways(k, b, way);
		a->on.first[b + 1] = count;
		for (uint32_t i = 0; i < count; i++)
			a->back.first[way[i] + 1]++;
	}
	for (uint32_t b = 0; b < n; b++) {
		a->on.first[b + 1] += a->on.first[b];
		a->back.first[b + 1] += a->back.first[b];
		a->next[b] = a->back.first[b];
	}
	for (uint32_t b = 0; b + 1 < n; b++) {
		count = ways(k, b, way);
		for (uint32_t i = 0; i < count; i++) {
			a->on.to[a->on.first[b] + i] = way[i];
			a->back.to[a->next[way[i]]++] = b;
		}
	}
}

/* The nodes reachable from root, in reverse postorder: a->order, and a->place. */
static uint32_t walk(struct analysis *a, const struct graph *g, uint32_t root)
{
	uint32_t depth = 1, count = 0;

	memset(a->place, 0xff, g->nodes * sizeof(*a->place));
	memset(a->seen, 0, g->nodes * sizeof(*a->seen));
	memcpy(a->next, g->first, g->nodes * sizeof(*a->next));
	a->stack[0] = root;
	a->seen[root] = true;
	while (depth) {
		uint32_t node = a->stack[depth - 1];

		if (a->next[node] < g->first[node + 1]) {
			uint32_t to = g->to[a->next[node]++];

			if (!a->seen[to]) {
				a->seen[to] = true;
				a->stack[depth++] = to;
			}
			continue;
		}
		a->order[count] = node;
		a->place[node] = count++;
		depth--;
	}
	return count;
}

/* The closest common dominator of both. */
static uint32_t common(const struct analysis *a, const uint32_t *dominator, uint32_t x, uint32_t y)
{
	while (x != y) {
		while (a->place[x] < a->place[y])
			x = dominator[x];
		while (a->place[y] < a->place[x])
			y = dominator[y];
	}
	return x;
}

/* Immediate dominators of all nodes reached from root along g; against is g reversed. */
static uint32_t dominate(struct analysis *a, const struct graph *g, const struct graph *against,
			 uint32_t root, uint32_t *dominator)
{
	uint32_t count = walk(a, g, root), best;
	bool changed = true;

	memset(dominator, 0xff, g->nodes * sizeof(*dominator));
	dominator[root] = root;
	while (changed) {
		changed = false;
		for (uint32_t i = count - 1; i--;) {
			uint32_t node = a->order[i];

			best = KERNEL_NONE;
			for (uint32_t e = against->first[node]; e < against->first[node + 1]; e++) {
				uint32_t from = against->to[e];

				if (dominator[from] == KERNEL_NONE)
					continue;
				best = best == KERNEL_NONE ? from
							   : common(a, dominator, best, from);
			}
			changed |= dominator[node] != best;
			dominator[node] = best;
		}
	}
	return count;
}

static int refuse(struct analysis *a, struct sim_spot spot, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(struct analysis *a, struct sim_spot spot, const char *format, ...)
{
	va_list list;

	*a->spot = spot;
	va_start(list, format);
	vsnprintf(a->reason, a->size, format, list);
	va_end(list);
	return -EINVAL;
}

/* A block in a message. Blocks made from loops and ifs have no name. */
#define BLOCK(b) *k->block[b].name ? "block " : "this place", k->block[b].name

/* Each block must be reachable and must reach an exit; the ways of each branch must meet. */
static int dominators(struct analysis *a)
{
	struct kernel_code *k = a->code;
	uint32_t end = (uint32_t)k->block_count;

	dominate(a, &a->on, &a->back, 0, a->dominator);
	for (uint32_t b = 0; b < end; b++)
		if (a->dominator[b] == KERNEL_NONE)
			return refuse(a, k->block[b].spot, "%s%s cannot be reached", BLOCK(b));
	dominate(a, &a->back, &a->on, end, a->post_dominator);
	for (uint32_t b = 0; b < end; b++)
		if (a->post_dominator[b] == KERNEL_NONE)
			return refuse(a, k->block[b].spot, "from %s%s no exit can be reached",
				      BLOCK(b));
	for (uint32_t b = 0; b < end; b++) {
		struct kernel_block *block = &k->block[b];

		if (block->ways < 2)
			continue;
		block->meeting = a->post_dominator[b];
		if (block->meeting == end)
			return refuse(a, kernel_spot(&k->instr[block->first + block->count - 1]),
				      "branch without reconvergence: the ways of %s%s end in "
				      "different exits", BLOCK(b));
	}
	return 0;
}

/* Mark in a->seen the blocks reachable from branch b before its ways meet. */
static void region(struct analysis *a, uint32_t b)
{
	const struct kernel_block *block = &a->code->block[b];
	uint32_t depth = 0;

	memset(a->seen, 0, a->on.nodes * sizeof(*a->seen));
	a->stack[depth++] = b;
	while (depth) {
		uint32_t node = a->stack[--depth];

		for (uint32_t e = a->on.first[node]; e < a->on.first[node + 1]; e++) {
			uint32_t to = a->on.to[e];

			if (to == block->meeting || a->seen[to])
				continue;
			a->seen[to] = true;
			a->stack[depth++] = to;
		}
	}
}

/* Call the blocks of the region divided. */
static void divide(struct analysis *a)
{
	for (uint32_t n = 0; n < a->code->block_count; n++)
		a->code->block[n].divided |= a->seen[n];
}

/* ---- barriers ---- */

/*
 * Which columns may differ between the threads of a block: what is loaded, what the thread asks
 * about itself, what is computed from these, and what is set in code that a branch on these
 * divides. A barrier may be where only branches divide on which all threads of the block agree.
 */
struct varying {
	struct kernel_code *code;
	bool *column;
	bool *branch, *block; /* of each block: its branch is on such a column; it is divided */
};

static bool differs(const struct varying *v, uint16_t column)
{
	return column != KERNEL_NO_COLUMN && v->column[column];
}

static void set_column(struct varying *v, uint16_t column, bool varies, bool *more)
{
	if (column == KERNEL_NO_COLUMN)
		return;
	if (column < v->code->registers) {
		*more |= varies && !v->column[column];
		varies |= v->column[column];
	}
	v->column[column] = varies;
}

static void follow_instr(struct varying *v, const struct kernel_instr *i, bool *more)
{
	for (uint32_t n = i->step; n < i->step + i->steps; n++) {
		const struct kernel_step *s = &v->code->step[n];

		set_column(v, s->d, v->block[i->block] || s->operator >= KERNEL_LISTED ||
			   differs(v, s->a) || differs(v, s->b) || differs(v, s->c), more);
	}
	if (kernel_accesses(i) && i->op != SIM_STORE)
		set_column(v, i->d, true, more);
}

/* Follow all instructions once; true if more columns or blocks are found. */
static bool follow(struct analysis *a, struct varying *v)
{
	bool more = false;

	for (size_t i = 0; i < v->code->instr_count; i++) {
		const struct kernel_instr *instr = &v->code->instr[i];

		follow_instr(v, instr, &more);
		if (instr->op != SIM_BRANCH || instr->uniform || !differs(v, instr->a))
			continue;
		v->branch[instr->block] = true;
		region(a, instr->block);
		for (uint32_t n = 0; n < v->code->block_count; n++) {
			more |= a->seen[n] && !v->block[n];
			v->block[n] |= a->seen[n];
		}
	}
	return more;
}

/* No barrier may be in the region of branch b. */
static int look_for_barrier(struct analysis *a, uint32_t b)
{
	const struct kernel_code *k = a->code;
	const struct kernel_instr *branch = &k->instr[k->block[b].first + k->block[b].count - 1];

	for (size_t i = 0; i < k->instr_count; i++)
		if (k->instr[i].op == SIM_BARRIER && a->seen[k->instr[i].block])
			return refuse(a, kernel_spot(&k->instr[i]), "barrier in %s%s, which the "
				      "branch of line %u divides, expected a condition that is the "
				      "same in the whole block, or \"uniform\" in that line",
				      BLOCK(k->instr[i].block), branch->line);
	return 0;
}

static void begin_varying(struct varying *v)
{
	for (int i = 0; i < SIM_SPECIALS; i++)
		if (i != SIM_OWN_BLOCK && v->code->special[i] != SIM_NO_REGISTER)
			v->column[v->code->special[i]] = true;
}

static int barriers(struct analysis *a)
{
	struct kernel_code *k = a->code;
	size_t columns = (size_t)k->registers + k->constants + k->scratch;
	struct varying v = { .code = k };
	int error = 0;

	v.column = sim_calloc(columns + 2 * k->block_count, sizeof(bool));
	if (!v.column)
		return -ENOMEM;
	v.branch = v.column + columns;
	v.block = v.branch + k->block_count;
	begin_varying(&v);
	while (follow(a, &v))
		;
	for (uint32_t b = 0; !error && b < k->block_count; b++) {
		if (!v.branch[b])
			continue;
		region(a, b);
		error = look_for_barrier(a, b);
	}
	sim_free(v.column);
	return error;
}

/* ---- likely points ---- */

/* Mark the natural loop of the back edge source -> head in a->seen; returns its number of
 * blocks. */
static uint32_t natural_loop(struct analysis *a, uint32_t source, uint32_t head)
{
	uint32_t depth = 0, count = 1;

	memset(a->seen, 0, a->on.nodes * sizeof(*a->seen));
	a->seen[head] = true;
	if (source != head) {
		a->seen[source] = true;
		a->stack[depth++] = source;
		count++;
	}
	while (depth) {
		uint32_t node = a->stack[--depth];

		for (uint32_t e = a->back.first[node]; e < a->back.first[node + 1]; e++) {
			uint32_t from = a->back.to[e];

			if (a->seen[from])
				continue;
			a->seen[from] = true;
			a->stack[depth++] = from;
			count++;
		}
	}
	return count;
}

static bool dominates(const struct analysis *a, uint32_t above, uint32_t node)
{
	while (node != above && node)
		node = a->dominator[node];
	return node == above;
}

/* For each branch in the loop of this back edge: is this the smallest such loop so far? */
static void offer_loop(struct analysis *a, uint32_t source, uint32_t head)
{
	struct kernel_code *k = a->code;
	uint32_t count = natural_loop(a, source, head);

	for (uint32_t b = 0; b < k->block_count; b++) {
		struct kernel_block *block = &k->block[b];

		if (block->ways < 2 || !a->seen[b] || b == source)
			continue;
		if (block->likely != KERNEL_NONE && a->loop[b] <= count)
			continue;
		block->likely = source;
		a->loop[b] = count;
	}
}

static void find_likely(struct analysis *a)
{
	struct kernel_code *k = a->code;

	for (uint32_t b = 0; b < k->block_count; b++)
		for (uint32_t i = 0; i < k->block[b].ways; i++)
			if (dominates(a, k->block[b].way[i], b))
				offer_loop(a, b, k->block[b].way[i]);
}

static void branches(struct analysis *a)
{
	struct kernel_code *k = a->code;

	for (uint32_t b = 0; b < k->block_count; b++) {
		struct kernel_block *block = &k->block[b];

		if (block->ways < 2)
			continue;
		region(a, b);
		if (block->likely != KERNEL_NONE && !a->seen[block->likely])
			block->likely = KERNEL_NONE;
		if (!k->instr[block->first + block->count - 1].uniform)
			divide(a);
	}
}

int kernel_graph(struct kernel_code *code, struct sim_spot *spot, char *reason, size_t size)
{
	struct analysis a = { .code = code, .spot = spot, .reason = reason, .size = size };
	int error = make(&a) ? 0 : -ENOMEM;

	if (!error) {
		connect(&a);
		error = dominators(&a);
	}
	if (!error) {
		find_likely(&a);
		branches(&a);
		error = code->barrier ? barriers(&a) : 0;
	}
	sim_free(a.on.first);
	sim_free(a.seen);
	return error;
}
