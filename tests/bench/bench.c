/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benchmark program. tests/bench/run drives it:
 *	bench list			number, unit, operation, inside, bound_inside, per turn,
 *					why there is no bound
 *	bench time NUMBER		nanoseconds of the operation and of its bound
 *	bench count N [UNIT]		2 N turns of each loop between marks, for callgrind: of the
 *					operations in the order of the list, each before its bound
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/bench/bench.h"

static struct bench_table *tables;

void bench_register(struct bench_table *table)
{
	struct bench_table **at = &tables;

	while (*at && strcmp((*at)->unit, table->unit) < 0)
		at = &(*at)->next;
	table->next = *at;
	*at = table;
}

static const struct bench_table *find(unsigned long *number)
{
	const struct bench_table *t = tables;

	for (; t && *number >= t->count; t = t->next)
		*number -= t->count;
	return t;
}

static uint64_t per_turn(const struct bench_op *op)
{
	return op->per_turn ? op->per_turn : 1;
}

static void list(void)
{
	unsigned long number = 0;

	for (const struct bench_table *t = tables; t; t = t->next)
		for (const struct bench_op *op = t->op; op < t->op + t->count; op++)
			printf("%lu\t%s\t%s\t%s\t%s\t%" PRIu64 "\t%s\n", number++, t->unit,
			       op->operation, op->inside, op->bound ? op->bound_inside : "-",
			       per_turn(op), op->unbounded ? op->unbounded : "-");
}

static void *state_of(const struct bench_table *table, const struct bench_op *op)
{
	void *state = calloc(1, table->state_size);

	if (!state)
		abort();
	op->setup(state, op->given);
	return state;
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

static void time_it(const struct bench_table *table, const struct bench_op *op)
{
	void *state = state_of(table, op);

	printf("%.2f\t", nanoseconds(op, op->run, state));
	if (op->bound)
		printf("%.2f\n", nanoseconds(op, op->bound, state));
	else
		printf("-\n");
}

/* A dump of callgrind's begins and ends here. */
BENCH_TIGHT static void bench_mark(void)
{
	bench_clobber();
}

/* In a state that only this loop has been round in, for a while. */
static void count_it(void *state, void (*loop)(void *, uint64_t), uint64_t turns)
{
	loop(state, turns);
	bench_mark();
	loop(state, 2 * turns);
	bench_mark();
}

static void count_all(uint64_t turns, const char *unit)
{
	for (const struct bench_table *t = tables; t; t = t->next)
		for (const struct bench_op *op = t->op; op < t->op + t->count; op++) {
			if (unit && strcmp(unit, t->unit))
				continue;
			count_it(state_of(t, op), op->run, turns);
			if (op->bound)
				count_it(state_of(t, op), op->bound, turns);
		}
}

int main(int argc, char **argv)
{
	unsigned long number = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	const uint64_t turns = number;
	const struct bench_table *table = find(&number);
	const struct bench_op *op = table ? &table->op[number] : NULL;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		list();
	} else if (op && argc == 3 && !strcmp(argv[1], "time")) {
		time_it(table, op);
	} else if (turns && argc <= 4 && !strcmp(argv[1], "count")) {
		count_all(turns, argv[3]);
	} else {
		fprintf(stderr, "usage: bench list | time NUMBER | count TURNS [UNIT]\n");
		return 2;
	}
	return 0;
}
