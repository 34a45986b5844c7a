/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benchmark program. tests/bench/run drives it:
 *	bench list			number, unit, operation, inside, bound_inside, per turn
 *	bench time NUMBER		nanoseconds of the operation and of its bound
 *	bench loop NUMBER op|bound N	N turns of the loop, for callgrind
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/bench.h"

static struct bench_table *tables;

void bench_register(struct bench_table *table)
{
	struct bench_table **at = &tables;

	while (*at && strcmp((*at)->op->unit, table->op->unit) < 0)
		at = &(*at)->next;
	table->next = *at;
	*at = table;
}

static const struct bench_op *find(unsigned long number)
{
	for (const struct bench_table *t = tables; t; t = t->next) {
		if (number < t->count)
			return &t->op[number];
		number -= t->count;
	}
	return NULL;
}

static uint64_t per_turn(const struct bench_op *op)
{
	return op->per_turn ? op->per_turn : 1;
}

static int list(void)
{
	const struct bench_op *op;

	for (unsigned long i = 0; (op = find(i)) != NULL; i++)
		printf("%lu\t%s\t%s\t%s\t%s\t%" PRIu64 "\n", i, op->unit, op->operation, op->inside,
		       op->bound ? op->bound_inside : "-", per_turn(op));
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Best of seven runs of about ten milliseconds each. */
static double nanoseconds(const struct bench_op *op, void (*loop)(void *, uint64_t), void *state)
{
	uint64_t turns = 16;
	double took, best = 1e300;

	for (;; turns *= 2) {
		double start = now();

		loop(state, turns);
		took = now() - start;
		if (took > 1e7)
			break;
	}
	for (int i = 0; i < 7; i++) {
		double start = now();

		loop(state, turns);
		took = (now() - start) / (double)turns;
		best = took < best ? took : best;
	}
	return best / (double)per_turn(op);
}

static int time_it(const struct bench_op *op, void *state)
{
	printf("%.2f\t", nanoseconds(op, op->run, state));
	if (op->bound)
		printf("%.2f\n", nanoseconds(op, op->bound, state));
	else
		printf("-\n");
	return 0;
}

int main(int argc, char **argv)
{
	const struct bench_op *op;
	void *state;

	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	op = argc > 2 ? find(strtoul(argv[2], NULL, 10)) : NULL;
	state = op ? op->setup() : NULL;
	if (!state) {
		fprintf(stderr, "usage: bench list | time NUMBER | loop NUMBER op|bound COUNT\n");
		return 2;
	}
	if (argc == 3 && !strcmp(argv[1], "time"))
		time_it(op, state);
	else if (argc == 5 && !strcmp(argv[3], "op"))
		op->run(state, strtoull(argv[4], NULL, 10));
	else if (argc == 5 && op->bound)
		op->bound(state, strtoull(argv[4], NULL, 10));
	op->teardown(state);
	return 0;
}
