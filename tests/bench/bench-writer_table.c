/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer_table: a word is claimed and released, among 1024 words that are held. The bound
 * hashes and probes as the unit does; it checks no range, keeps no commits, counts nothing
 * and has no observer.
 */
#include "tests/bench/bench.h"

#define WORDS 2048
#define SLOTS 8192

struct writers {
	struct gputm_writer_table *unit;
	uint32_t address[WORDS];
	uint32_t key[SLOTS + 1], writer[SLOTS];
};

static inline uint32_t slot_of(const struct writers *w, uint32_t address)
{
	uint32_t key = (address >> 2) + 1, at = key * 0x9e3779b9u >> 19;

	while (w->key[at] != key && w->key[at])
		at = (at + 1) % SLOTS;
	return at;
}

BENCH_TIGHT static int tight_claim(struct writers *w, uint32_t address, uint32_t tx)
{
	uint32_t at = slot_of(w, address);

	if (w->key[at])
		return w->writer[at] != tx;
	w->key[at] = (address >> 2) + 1;
	w->writer[at] = tx;
	return 0;
}

/* The words claimed last are released first, so nothing lies behind them. */
BENCH_TIGHT static void tight_release(struct writers *w, uint32_t address)
{
	w->key[slot_of(w, address)] = 0;
}

BENCH_SETUP(setup, struct writers *w)
{
	uint64_t random = 1;

	bench_must(gputm_writer_table_new(NULL, NULL, &w->unit));
	for (uint32_t i = 0; i < WORDS; i++) {
		w->address[i] = (uint32_t)bench_next(&random) & ~3u;
		if (i % 2 == 0)
			continue;
		bench_must(gputm_writer_table_claim(w->unit, w->address[i], i / 2, 0));
		tight_claim(w, w->address[i], i / 2);
	}
}

BENCH_LOOP(run, struct writers *w)
{
	bench_must(gputm_writer_table_claim(w->unit, w->address[2 * i % WORDS], 5, 0));
	bench_must(gputm_writer_table_release(w->unit, w->address[2 * i % WORDS], 5));
	return 0;
}

BENCH_LOOP(bound, struct writers *w)
{
	int error = tight_claim(w, w->address[2 * i % WORDS], 5);

	tight_release(w, w->address[2 * i % WORDS]);
	return (uint64_t)error;
}

static const struct bench_op operations[] = {
	{ "claim and release", setup, 0, run, "gputm_writer_table_claim,gputm_writer_table_release",
	  .bound = bound, .bound_inside = "tight_claim,tight_release" },
};

BENCH_TABLE("writer_table", struct writers, operations)
