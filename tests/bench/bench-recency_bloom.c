/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recency_bloom, 4 x 256. The bound packs the four 8-bit indices of a key into one table
 * word per key byte, as H3's linearity allows, and keeps four arrays of stamps; it checks
 * no range, counts nothing and has no observer.
 */
#include <stdlib.h>

#include "gputm/recency_bloom.h"
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

static void *setup(uint32_t bits)
{
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	struct filter *f = calloc(1, sizeof(*f));
	uint64_t random = 1;

	config.ways = WAYS;
	config.entries = ENTRIES;
	config.granularity = 4;
	config.address_bits = bits;
	config.stamp_bits = bits;
	if (!f || gputm_recency_bloom_new(NULL, &config, &f->unit)) {
		free(f);
		return NULL;
	}
	for (unsigned i = 0; i < KEYS; i++)
		f->address[i] = bench_next(&random) >> (64 - bits);
	for (unsigned byte = 0; byte < 8; byte++)
		for (unsigned i = 0; i < 256; i++)
			f->table[byte][i] = (uint32_t)bench_next(&random);
	return f;
}

static void *setup_pair(void)
{
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	struct filter *f = setup(32);

	if (!f)
		return NULL;
	gputm_recency_bloom_free(f->unit);
	config.stamps = 2;
	config.stamp_bits = 32;
	if (gputm_recency_bloom_new(NULL, &config, &f->unit)) {
		free(f);
		return NULL;
	}
	return f;
}

static void *setup_32(void)
{
	return setup(32);
}

static void *setup_64(void)
{
	return setup(64);
}

static void teardown(void *state)
{
	struct filter *f = state;

	gputm_recency_bloom_free(f->unit);
	free(f);
}

static void update(void *state, uint64_t count)
{
	struct filter *f = state;
	int error = 0;

	for (uint64_t i = 0; i < count; i++)
		error |= gputm_recency_bloom_update(f->unit, f->address[i % KEYS], ++f->stamp);
	bench_use((uint64_t)error);
}

static void query(void *state, uint64_t count)
{
	struct filter *f = state;
	uint64_t stamp, sum = 0;

	for (uint64_t i = 0; i < count; i++)
		if (!gputm_recency_bloom_query(f->unit, f->address[i % KEYS], &stamp))
			sum += stamp;
	bench_use(sum);
}

static void update_pair(void *state, uint64_t count)
{
	struct filter *f = state;
	int error = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t stamp = ++f->stamp;

		error |= gputm_recency_bloom_update_pair(f->unit, f->address[i % KEYS], stamp,
							 stamp + 1);
	}
	bench_use((uint64_t)error);
}

static void query_pair(void *state, uint64_t count)
{
	struct filter *f = state;
	uint64_t first, second, sum = 0;

	for (uint64_t i = 0; i < count; i++)
		if (!gputm_recency_bloom_query_pair(f->unit, f->address[i % KEYS], &first,
						    &second))
			sum += first + second;
	bench_use(sum);
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

static void bound_update_32(void *state, uint64_t count)
{
	struct filter *f = state;

	for (uint64_t i = 0; i < count; i++)
		tight_update_32(f, (uint32_t)f->address[i % KEYS], (uint32_t)++f->stamp);
	bench_clobber();
}

static void bound_query_32(void *state, uint64_t count)
{
	struct filter *f = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_query_32(f, (uint32_t)f->address[i % KEYS]);
	bench_use(sum);
}

static void bound_update_64(void *state, uint64_t count)
{
	struct filter *f = state;

	for (uint64_t i = 0; i < count; i++)
		tight_update_64(f, f->address[i % KEYS], ++f->stamp);
	bench_clobber();
}

static void bound_query_64(void *state, uint64_t count)
{
	struct filter *f = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_query_64(f, f->address[i % KEYS]);
	bench_use(sum);
}

static const struct bench_op operations[] = {
	{ "recency_bloom", "update, 32-bit", setup_32, teardown, update, bound_update_32,
	  "gputm_recency_bloom_update", "tight_update_32", 0 },
	{ "recency_bloom", "query, 32-bit", setup_32, teardown, query, bound_query_32,
	  "gputm_recency_bloom_query", "tight_query_32", 0 },
	{ "recency_bloom", "update, 64-bit", setup_64, teardown, update, bound_update_64,
	  "gputm_recency_bloom_update", "tight_update_64", 0 },
	{ "recency_bloom", "query, 64-bit", setup_64, teardown, query, bound_query_64,
	  "gputm_recency_bloom_query", "tight_query_64", 0 },
	{ "recency_bloom", "update of a pair", setup_pair, teardown, update_pair, NULL,
	  "gputm_recency_bloom_update_pair", "-", 0 },
	{ "recency_bloom", "query of a pair", setup_pair, teardown, query_pair, NULL,
	  "gputm_recency_bloom_query_pair", "-", 0 },
};

BENCH_TABLE(operations)
