/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recency_bloom, 4 x 256. The bound packs the four 8-bit indices of a key into one table
 * word per key byte, as H3's linearity allows, and keeps four arrays of stamps; it checks
 * no range, counts nothing and has no observer.
 */
#include "tests/bench/bench.h"

#define WAYS 4
#define ENTRIES 256
#define KEYS 1024

struct filter {
	struct gputm_recency_bloom *unit;
	uint64_t address[KEYS];
	uint64_t stamp; /* of the newest update; only grows */
	uint32_t table[8][256];
	uint32_t entry32[WAYS][ENTRIES];
	uint64_t entry64[WAYS][ENTRIES];
};

BENCH_SETUP(setup, struct filter *f)
{
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	uint64_t random = 1;

	config.ways = WAYS;
	config.entries = ENTRIES;
	config.granularity = 4;
	config.address_bits = given;
	config.stamp_bits = given;
	bench_must(gputm_recency_bloom_new(NULL, &config, &f->unit));
	for (unsigned i = 0; i < KEYS; i++)
		f->address[i] = bench_next(&random) >> (64 - given);
	for (unsigned byte = 0; byte < 8; byte++)
		for (unsigned i = 0; i < 256; i++)
			f->table[byte][i] = (uint32_t)bench_next(&random);
}

BENCH_SETUP(setup_pair, struct filter *f)
{
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;

	setup(f, given);
	gputm_recency_bloom_free(f->unit);
	config.stamps = 2;
	config.stamp_bits = given;
	bench_must(gputm_recency_bloom_new(NULL, &config, &f->unit));
}

BENCH_TURN(update, struct filter *f,
	   gputm_recency_bloom_update(f->unit, f->address[i % KEYS], ++f->stamp))

BENCH_LOOP(query, struct filter *f)
{
	uint64_t stamp;

	bench_must(gputm_recency_bloom_query(f->unit, f->address[i % KEYS], &stamp));
	return stamp;
}

BENCH_LOOP(update_pair, struct filter *f)
{
	uint64_t stamp = ++f->stamp;

	return (uint64_t)gputm_recency_bloom_update_pair(f->unit, f->address[i % KEYS], stamp,
						 stamp + 1);
}

BENCH_LOOP(query_pair, struct filter *f)
{
	uint64_t first, second;

	bench_must(gputm_recency_bloom_query_pair(f->unit, f->address[i % KEYS], &first, &second));
	return first + second;
}

static inline uint32_t indices_32(const struct filter *f, uint32_t key)
{
	return f->table[0][key & 255] ^ f->table[1][key >> 8 & 255] ^
	       f->table[2][key >> 16 & 255] ^ f->table[3][key >> 24];
}

static inline uint32_t indices_64(const struct filter *f, uint64_t key)
{
	return indices_32(f, (uint32_t)key) ^ f->table[4][key >> 32 & 255] ^
	       f->table[5][key >> 40 & 255] ^ f->table[6][key >> 48 & 255] ^
	       f->table[7][key >> 56];
}

#define RAISE(entry, stamp) ((entry) = (entry) < (stamp) ? (stamp) : (entry))
#define LEAST(answer, entry) ((answer) = (entry) < (answer) ? (entry) : (answer))

BENCH_TIGHT static void tight_update_32(struct filter *f, uint32_t address, uint32_t stamp)
{
	uint32_t word = indices_32(f, address >> 2);

	RAISE(f->entry32[0][word & 255], stamp);
	RAISE(f->entry32[1][word >> 8 & 255], stamp);
	RAISE(f->entry32[2][word >> 16 & 255], stamp);
	RAISE(f->entry32[3][word >> 24], stamp);
}

BENCH_TIGHT static uint32_t tight_query_32(const struct filter *f, uint32_t address)
{
	uint32_t word = indices_32(f, address >> 2), answer = f->entry32[0][word & 255];

	LEAST(answer, f->entry32[1][word >> 8 & 255]);
	LEAST(answer, f->entry32[2][word >> 16 & 255]);
	LEAST(answer, f->entry32[3][word >> 24]);
	return answer;
}

BENCH_TIGHT static void tight_update_64(struct filter *f, uint64_t address, uint64_t stamp)
{
	uint32_t word = indices_64(f, address >> 2);

	RAISE(f->entry64[0][word & 255], stamp);
	RAISE(f->entry64[1][word >> 8 & 255], stamp);
	RAISE(f->entry64[2][word >> 16 & 255], stamp);
	RAISE(f->entry64[3][word >> 24], stamp);
}

BENCH_TIGHT static uint64_t tight_query_64(const struct filter *f, uint64_t address)
{
	uint32_t word = indices_64(f, address >> 2);
	uint64_t answer = f->entry64[0][word & 255];

	LEAST(answer, f->entry64[1][word >> 8 & 255]);
	LEAST(answer, f->entry64[2][word >> 16 & 255]);
	LEAST(answer, f->entry64[3][word >> 24]);
	return answer;
}

BENCH_DO(bound_update_32, struct filter *f,
	 tight_update_32(f, (uint32_t)f->address[i % KEYS], (uint32_t)++f->stamp))

BENCH_TURN(bound_query_32, struct filter *f, tight_query_32(f, (uint32_t)f->address[i % KEYS]))

BENCH_DO(bound_update_64, struct filter *f, tight_update_64(f, f->address[i % KEYS], ++f->stamp))

BENCH_TURN(bound_query_64, struct filter *f, tight_query_64(f, f->address[i % KEYS]))

static const struct bench_op operations[] = {
	{ "update, 32-bit", setup, 32, update, "gputm_recency_bloom_update",
	  .bound = bound_update_32, .bound_inside = "tight_update_32" },
	{ "query, 32-bit", setup, 32, query, "gputm_recency_bloom_query",
	  .bound = bound_query_32, .bound_inside = "tight_query_32" },
	{ "update, 64-bit", setup, 64, update, "gputm_recency_bloom_update",
	  .bound = bound_update_64, .bound_inside = "tight_update_64" },
	{ "query, 64-bit", setup, 64, query, "gputm_recency_bloom_query",
	  .bound = bound_query_64, .bound_inside = "tight_query_64" },
	{ "update of a pair", setup_pair, 32, update_pair, "gputm_recency_bloom_update_pair",
	  .unbounded = "the same search with two stamps a cell" },
	{ "query of a pair", setup_pair, 32, query_pair, "gputm_recency_bloom_query_pair",
	  .unbounded = "the same search with two stamps a cell" },
};

BENCH_TABLE("recency_bloom", struct filter, operations)
