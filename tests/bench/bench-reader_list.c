/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader_list, 4096 words: a reader comes and goes, at words without readers, with two and
 * with 32; and all readers of a word are visited. The bounds hash the word as the unit does
 * and set a bit in a vector of 1024, or walk such vectors by a root; they check no range,
 * hold no plain IDs, count nothing and have no observer.
 */
#include <stdlib.h>

#include "gputm/reader_list.h"
#include "tests/bench/bench.h"

#define WORDS 4096
#define SLOTS (4 * WORDS)

struct lists {
	struct gputm_reader_list *unit;
	uint32_t address[WORDS];
	uint32_t key[SLOTS];
	uint32_t root[SLOTS];
	uint32_t only[SLOTS]; /* one more than the one reader that is only visited */
	uint32_t leaf[SLOTS][32];
	uint32_t ids[1024];
};

static inline uint32_t slot_of(const struct lists *l, uint32_t address)
{
	uint32_t key = (address >> 2) + 1, at = key * 0x9e3779b9u >> 18;

	while (l->key[at] != key && l->key[at])
		at = (at + 1) % SLOTS;
	return at;
}

BENCH_TIGHT static void tight_add(struct lists *l, uint32_t address, uint32_t tx)
{
	uint32_t at = slot_of(l, address);

	l->key[at] = (address >> 2) + 1;
	l->leaf[at][tx >> 5] |= 1u << (tx & 31);
	l->root[at] |= 1u << (tx >> 5);
}

BENCH_TIGHT static void tight_remove(struct lists *l, uint32_t address, uint32_t tx)
{
	uint32_t at = slot_of(l, address);

	l->leaf[at][tx >> 5] &= ~(1u << (tx & 31));
	if (!l->leaf[at][tx >> 5])
		l->root[at] &= ~(1u << (tx >> 5));
}

BENCH_TIGHT static uint32_t tight_readers(struct lists *l, uint32_t address)
{
	uint32_t at = slot_of(l, address), *id = l->ids;

	if (l->only[at]) {
		*id = l->only[at] - 1;
		return 1;
	}
	for (uint32_t leaf = 0; leaf < 32; leaf += 2) {
		uint64_t bits = l->leaf[at][leaf] | (uint64_t)l->leaf[at][leaf + 1] << 32;

		for (; bits; bits &= bits - 1)
			*id++ = 32 * leaf + (uint32_t)__builtin_ctzll(bits);
	}
	return (uint32_t)(id - l->ids);
}

static void *setup(uint32_t words, uint32_t readers)
{
	struct lists *l = calloc(1, sizeof(*l));
	uint64_t random = 1;

	if (!l || gputm_reader_list_new(NULL, NULL, &l->unit)) {
		free(l);
		return NULL;
	}
	for (uint32_t i = 0; i < WORDS; i++)
		l->address[i] = (uint32_t)bench_next(&random) & ~3u;
	for (uint32_t i = 0; i < words; i++)
		for (uint32_t k = 0; k < readers; k++) {
			uint32_t tx = readers > 32 ? k : k * 33 % 1024;

			if (gputm_reader_list_add(l->unit, l->address[i], tx) < 0)
				abort();
			tight_add(l, l->address[i], tx);
			if (readers == 1)
				l->only[slot_of(l, l->address[i])] = tx + 1;
		}
	return l;
}

static void *setup_none(void)
{
	return setup(0, 0);
}
static void *setup_two(void)
{
	return setup(WORDS, 2);
}
static void *setup_many(void)
{
	return setup(WORDS / 2, 32);
}
static void *setup_1(void)
{
	return setup(WORDS / 2, 1);
}
static void *setup_1024(void)
{
	return setup(WORDS / 2, 1024);
}

static void teardown(void *state)
{
	struct lists *l = state;

	gputm_reader_list_free(l->unit);
	free(l);
}

static void come_and_go(struct lists *l, uint64_t count, uint32_t words, uint32_t tx)
{
	int error = 0;

	for (uint64_t i = 0; i < count; i++) {
		error |= gputm_reader_list_add(l->unit, l->address[i % words], tx);
		error |= gputm_reader_list_remove(l->unit, l->address[i % words], tx);
	}
	bench_use((uint64_t)error);
}

static void run(void *state, uint64_t count)
{
	come_and_go(state, count, WORDS, 700);
}

static void run_many(void *state, uint64_t count)
{
	come_and_go(state, count, WORDS / 2, 700);
}

static void bound(void *state, uint64_t count)
{
	struct lists *l = state;

	for (uint64_t i = 0; i < count; i++) {
		tight_add(l, l->address[i % WORDS], 700);
		tight_remove(l, l->address[i % WORDS], 700);
	}
	bench_clobber();
}

static void visit(void *state, uint64_t count)
{
	struct lists *l = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += (uint64_t)gputm_reader_list_readers(l->unit, l->address[i % (WORDS / 2)],
							   l->ids, 1024);
	bench_use(sum);
}

static void bound_visit(void *state, uint64_t count)
{
	struct lists *l = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_readers(l, l->address[i % (WORDS / 2)]);
	bench_use(sum);
}

#define COME_AND_GO "gputm_reader_list_add,gputm_reader_list_remove"
#define TIGHT "tight_add,tight_remove"
static const struct bench_op operations[] = {
	{ "reader_list", "add and remove the only reader", setup_none, teardown, run, bound,
	  COME_AND_GO, TIGHT, 0 },
	{ "reader_list", "add and remove a third reader", setup_two, teardown, run, bound,
	  COME_AND_GO, TIGHT, 0 },
	{ "reader_list", "add and remove a 33rd reader", setup_many, teardown, run_many, bound,
	  COME_AND_GO, TIGHT, 0 },
	{ "reader_list", "visit 1 reader", setup_1, teardown, visit, bound_visit,
	  "gputm_reader_list_readers", "tight_readers", 0 },
	{ "reader_list", "visit 32 readers", setup_many, teardown, visit, bound_visit,
	  "gputm_reader_list_readers", "tight_readers", 0 },
	{ "reader_list", "visit 1024 readers", setup_1024, teardown, visit, bound_visit,
	  "gputm_reader_list_readers", "tight_readers", 0 },
};

BENCH_TABLE(operations)
