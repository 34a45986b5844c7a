/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader_list, 4096 words: a reader comes and goes, at words without readers, with two and
 * with 32; and all readers of a word are visited. The bounds hash the word as the unit does
 * and set a bit in a vector of 1024, or walk such vectors by a root; they check no range,
 * hold no plain IDs, count nothing and have no observer.
 */
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

/* Words of `given` readers each: as many as there are, or half of them. */
BENCH_SETUP(setup, struct lists *l)
{
	uint32_t words = given > 2 || given == 1 ? WORDS / 2 : WORDS;
	uint64_t random = 1;

	bench_must(gputm_reader_list_new(NULL, NULL, &l->unit));
	for (uint32_t i = 0; i < WORDS; i++)
		l->address[i] = (uint32_t)bench_next(&random) & ~3u;
	for (uint32_t i = 0; i < words; i++)
		for (uint32_t k = 0; k < given; k++) {
			uint32_t tx = given > 32 ? k : k * 33 % 1024;

			bench_must(gputm_reader_list_add(l->unit, l->address[i], tx));
			tight_add(l, l->address[i], tx);
			if (given == 1)
				l->only[slot_of(l, l->address[i])] = tx + 1;
		}
}

static int come_and_go(struct lists *l, uint32_t address)
{
	return gputm_reader_list_add(l->unit, address, 700) |
	       gputm_reader_list_remove(l->unit, address, 700);
}

BENCH_TURN(run, struct lists *l, come_and_go(l, l->address[i % WORDS]))

BENCH_TURN(run_many, struct lists *l, come_and_go(l, l->address[i % (WORDS / 2)]))

BENCH_LOOP(bound, struct lists *l)
{
	tight_add(l, l->address[i % WORDS], 700);
	tight_remove(l, l->address[i % WORDS], 700);
	return 0;
}

BENCH_TURN(visit, struct lists *l,
	   gputm_reader_list_readers(l->unit, l->address[i % (WORDS / 2)], l->ids, 1024))

BENCH_TURN(bound_visit, struct lists *l, tight_readers(l, l->address[i % (WORDS / 2)]))

#define COME_AND_GO "gputm_reader_list_add,gputm_reader_list_remove"
#define TIGHT "tight_add,tight_remove"
static const struct bench_op operations[] = {
	{ "add and remove the only reader", setup, 0, run, COME_AND_GO,
	  .bound = bound, .bound_inside = TIGHT },
	{ "add and remove a third reader", setup, 2, run, COME_AND_GO,
	  .bound = bound, .bound_inside = TIGHT },
	{ "add and remove a 33rd reader", setup, 32, run_many, COME_AND_GO,
	  .bound = bound, .bound_inside = TIGHT },
	{ "visit 1 reader", setup, 1, visit, "gputm_reader_list_readers",
	  .bound = bound_visit, .bound_inside = "tight_readers" },
	{ "visit 32 readers", setup, 32, visit, "gputm_reader_list_readers",
	  .bound = bound_visit, .bound_inside = "tight_readers" },
	{ "visit 1024 readers", setup, 1024, visit, "gputm_reader_list_readers",
	  .bound = bound_visit, .bound_inside = "tight_readers" },
};

BENCH_TABLE("reader_list", struct lists, operations)
