/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * last_writer, 128 x 4 and 4 x 256, table hits and a mix of misses. The bound for hits
 * has the set of a key in one byte table per key byte, four words and commit IDs a set; it
 * checks no widths, counts nothing and has no filter.
 */
#include <stdlib.h>

#include "gputm/last_writer.h"
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

static void *setup_words(uint64_t words)
{
	struct gputm_last_writer_config config = GPUTM_LAST_WRITER_CONFIG_INIT;
	struct history *h = calloc(1, sizeof(*h));
	uint64_t random = 1;

	config.cid_bits = 63;
	if (!h || gputm_last_writer_new(NULL, &config, &h->unit)) {
		free(h);
		return NULL;
	}
	for (unsigned byte = 0; byte < 4; byte++)
		for (unsigned bit = 0; bit < 8; bit++) {
			uint8_t row = bench_next(&random) & (SETS - 1);

			for (unsigned i = 0; i < 256; i++)
				h->table[byte][i] ^= i >> bit & 1 ? row : 0;
		}
	for (unsigned i = 0; i < KEYS; i++) {
		h->address[i] = bench_next(&random) % words * 0x404;
		tight_record(h, (uint32_t)h->address[i], 1);
		if (gputm_last_writer_record(h->unit, h->address[i], ++h->cid) < 0)
			abort();
	}
	return h;
}

static void *setup_hits(void)
{
	return setup_words(WORDS);
}

static void *setup_misses(void)
{
	return setup_words(1 << 20);
}

static void teardown(void *state)
{
	struct history *h = state;

	gputm_last_writer_free(h->unit);
	free(h);
}

static void lookup(void *state, uint64_t count)
{
	struct history *h = state;
	uint64_t cid = 0, sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (gputm_last_writer_youngest_writer(h->unit, h->address[i % KEYS], &cid) < 0)
			abort();
		sum += cid;
	}
	bench_use(sum);
}

static void record(void *state, uint64_t count)
{
	struct history *h = state;
	int least = 0;

	for (uint64_t i = 0; i < count; i++)
		least |= gputm_last_writer_record(h->unit, h->address[i % KEYS], ++h->cid);
	bench_use((uint64_t)least);
}

static void bound_lookup(void *state, uint64_t count)
{
	struct history *h = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_youngest(h, (uint32_t)h->address[i % KEYS]);
	bench_use(sum);
}

static void bound_record(void *state, uint64_t count)
{
	struct history *h = state;

	for (uint64_t i = 0; i < count; i++)
		tight_record(h, (uint32_t)h->address[i % KEYS], (uint32_t)++h->cid);
	bench_clobber();
}

static const struct bench_op operations[] = {
	{ "last_writer", "lookup, hit", setup_hits, teardown, lookup, bound_lookup,
	  "gputm_last_writer_youngest_writer", "tight_youngest", 0 },
	{ "last_writer", "record, hit", setup_hits, teardown, record, bound_record,
	  "gputm_last_writer_record", "tight_record", 0 },
	{ "last_writer", "lookup, mostly misses", setup_misses, teardown, lookup, NULL,
	  "gputm_last_writer_youngest_writer", NULL, 0 },
	{ "last_writer", "record, mostly evictions", setup_misses, teardown, record, NULL,
	  "gputm_last_writer_record", NULL, 0 },
};

BENCH_TABLE(operations)
