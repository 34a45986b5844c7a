/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * last_writer, 128 x 4 and 4 x 256, table hits and a mix of misses. The bound for hits
 * has the set of a key in one byte table per key byte, four words and commit IDs a set; it
 * checks no widths, counts nothing and has no filter.
 */
#include "tests/bench/bench.h"

#define SETS 128
#define WAYS 4
#define KEYS 4096 /* looked up in turn */
#define WORDS 64  /* few enough to stay in the table */

struct history {
	struct gputm_last_writer *unit;
	uint64_t address[KEYS];
	uint64_t cid;
	uint8_t table[4][256];
	uint32_t word[SETS][WAYS], writer[SETS][WAYS];
};

static inline uint32_t set_of(const struct history *h, uint32_t word)
{
	return h->table[0][word & 255] ^ h->table[1][word >> 8 & 255] ^
	       h->table[2][word >> 16 & 255] ^ h->table[3][word >> 24];
}

BENCH_TIGHT static uint32_t tight_youngest(const struct history *h, uint32_t address)
{
	uint32_t word = address >> 2, set = set_of(h, word);

	for (unsigned way = 0; way < WAYS; way++)
		if (h->word[set][way] == word)
			return h->writer[set][way];
	return 0;
}

BENCH_TIGHT static void tight_record(struct history *h, uint32_t address, uint32_t cid)
{
	uint32_t word = address >> 2, set = set_of(h, word), victim = 0;

	for (unsigned way = 0; way < WAYS; way++)
		if (h->word[set][way] == word) {
			h->writer[set][way] = cid;
			return;
		}
	for (unsigned way = 1; way < WAYS; way++)
		if (h->writer[set][way] < h->writer[set][victim])
			victim = way;
	h->word[set][victim] = word;
	h->writer[set][victim] = cid;
}

BENCH_SETUP(setup_words, struct history *h)
{
	struct gputm_last_writer_config config = GPUTM_LAST_WRITER_CONFIG_INIT;
	uint64_t random = 1;

	config.cid_bits = 63;
	bench_must(gputm_last_writer_new(NULL, &config, &h->unit));
	for (unsigned byte = 0; byte < 4; byte++)
		for (unsigned bit = 0; bit < 8; bit++) {
			uint8_t row = bench_next(&random) & (SETS - 1);

			for (unsigned i = 0; i < 256; i++)
				h->table[byte][i] ^= i >> bit & 1 ? row : 0;
		}
	for (unsigned i = 0; i < KEYS; i++) {
		h->address[i] = bench_next(&random) % given * 0x404;
		tight_record(h, (uint32_t)h->address[i], 1);
		bench_must(gputm_last_writer_record(h->unit, h->address[i], ++h->cid));
	}
}

BENCH_LOOP(lookup, struct history *h)
{
	uint64_t cid = 0;

	bench_must(gputm_last_writer_lookup(h->unit, h->address[i % KEYS], &cid));
	return cid;
}

BENCH_TURN(record, struct history *h,
	   gputm_last_writer_record(h->unit, h->address[i % KEYS], ++h->cid))

BENCH_TURN(bound_lookup, struct history *h, tight_youngest(h, (uint32_t)h->address[i % KEYS]))

BENCH_DO(bound_record, struct history *h,
	 tight_record(h, (uint32_t)h->address[i % KEYS], (uint32_t)++h->cid))

static const struct bench_op operations[] = {
	{ "lookup, hit", setup_words, WORDS, lookup, "gputm_last_writer_lookup",
	  .bound = bound_lookup, .bound_inside = "tight_youngest" },
	{ "record, hit", setup_words, WORDS, record, "gputm_last_writer_record",
	  .bound = bound_record, .bound_inside = "tight_record" },
	{ "lookup, mostly misses", setup_words, 1 << 20, lookup,
	  "gputm_last_writer_lookup",
	  .unbounded = "a miss is a query of the filter, which recency_bloom bounds" },
	{ "record, mostly evictions", setup_words, 1 << 20, record, "gputm_last_writer_record",
	  .unbounded = "an eviction updates the filter, which recency_bloom bounds" },
};

BENCH_TABLE("last_writer", struct history, operations)
