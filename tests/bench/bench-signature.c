/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signature: 256 bits in 4 sub-signatures, the 256 8-bit signatures of a GPU-LocalTM bank and
 * the 1920 signatures of 512 bits of the bf-array preset. The bounds pack the four indices of a
 * key into one table word per key byte; a match is the AND of columns of 64 signatures. They
 * neither check nor count.
 */
#include <stdlib.h>

#include "gputm/signature.h"
#include "tests/bench/bench.h"

#define KEYS 1024
#define BF_GROUPS 30 /* of the 1920 signatures of bf-array */

struct array {
	struct gputm_signature *unit;
	uint64_t address[KEYS];
	uint32_t table[4][256];
	uint64_t sub[4];
	uint64_t column[BF_GROUPS][512]; /* a bit of 64 signatures each */
	uint64_t mask[BF_GROUPS];
};

static void *make(const struct gputm_signature_config *config)
{
	struct array *a = calloc(1, sizeof(*a));
	uint64_t random = 1;

	if (!a || gputm_signature_new(NULL, config, &a->unit)) {
		free(a);
		return NULL;
	}
	for (unsigned i = 0; i < KEYS; i++)
		a->address[i] = bench_next(&random) >> (64 - config->address_bits);
	for (unsigned byte = 0; byte < 4; byte++)
		for (unsigned i = 0; i < 256; i++)
			a->table[byte][i] = (uint32_t)bench_next(&random) & 0x3f3f3f3f;
	for (unsigned i = 0; i < 12; i++)
		if (gputm_signature_insert(a->unit, i % config->count, a->address[i]))
			abort();
	return a;
}

static void *setup(void)
{
	struct gputm_signature_config config = GPUTM_SIGNATURE_CONFIG_INIT;

	return make(&config);
}

static void *setup_localtm(void)
{
	struct gputm_signature_config config = GPUTM_SIGNATURE_CONFIG_INIT;

	return gputm_signature_config_preset(&config, "localtm") ? NULL : make(&config);
}

static void *setup_bf(void)
{
	struct gputm_signature_config config = GPUTM_SIGNATURE_CONFIG_INIT;

	return gputm_signature_config_preset(&config, "bf-array") ? NULL : make(&config);
}

static void teardown(void *state)
{
	struct array *a = state;

	gputm_signature_free(a->unit);
	free(a);
}

static void insert(void *state, uint64_t count)
{
	struct array *a = state;
	int error = 0;

	for (uint64_t i = 0; i < count; i++)
		error |= gputm_signature_insert(a->unit, 0, a->address[i % KEYS]);
	bench_use((uint64_t)error);
}

static void lookup(void *state, uint64_t count)
{
	struct array *a = state;
	int maybe = 0;

	for (uint64_t i = 0; i < count; i++)
		maybe += gputm_signature_maybe_contains(a->unit, 0, a->address[i % KEYS]);
	bench_use((uint64_t)maybe);
}

static void match(void *state, uint64_t count)
{
	struct array *a = state;
	int found = 0;

	for (uint64_t i = 0; i < count; i++)
		found += gputm_signature_match(a->unit, a->address[i % KEYS], a->mask);
	bench_use((uint64_t)found);
}

static inline uint32_t indices(const struct array *a, uint32_t key)
{
	return a->table[0][key & 255] ^ a->table[1][key >> 8 & 255] ^ a->table[2][key >> 16 & 255] ^
	       a->table[3][key >> 24];
}

BENCH_TIGHT static void tight_insert(struct array *a, uint32_t address)
{
	uint32_t word = indices(a, address >> 2);

	a->sub[0] |= UINT64_C(1) << (word & 63);
	a->sub[1] |= UINT64_C(1) << (word >> 8 & 63);
	a->sub[2] |= UINT64_C(1) << (word >> 16 & 63);
	a->sub[3] |= UINT64_C(1) << (word >> 24);
}

BENCH_TIGHT static uint64_t tight_lookup(const struct array *a, uint32_t address)
{
	uint32_t word = indices(a, address >> 2);

	return a->sub[0] >> (word & 63) & a->sub[1] >> (word >> 8 & 63) &
	       a->sub[2] >> (word >> 16 & 63) & a->sub[3] >> (word >> 24) & 1;
}

BENCH_TIGHT static void tight_match(struct array *a, uint32_t address)
{
	for (unsigned i = 0; i < 4; i++)
		a->mask[i] = a->column[i][address >> 7 & 7];
}

BENCH_TIGHT static void tight_match_bf(struct array *a, uint32_t address)
{
	uint32_t word = indices(a, address >> 2);
	uint32_t p = word & 127, q = 128 + (word >> 8 & 127), r = 256 + (word >> 16 & 127),
		 s = 384 + (word >> 24 & 127);

	for (unsigned i = 0; i < BF_GROUPS; i++) {
		const uint64_t *column = a->column[i];

		a->mask[i] = column[p] & column[q] & column[r] & column[s];
	}
}

static void bound_insert(void *state, uint64_t count)
{
	struct array *a = state;

	for (uint64_t i = 0; i < count; i++)
		tight_insert(a, (uint32_t)a->address[i % KEYS]);
	bench_clobber();
}

static void bound_lookup(void *state, uint64_t count)
{
	struct array *a = state;
	uint64_t maybe = 0;

	for (uint64_t i = 0; i < count; i++)
		maybe += tight_lookup(a, (uint32_t)a->address[i % KEYS]);
	bench_use(maybe);
}

static void bound_match(void *state, uint64_t count)
{
	struct array *a = state;

	for (uint64_t i = 0; i < count; i++)
		tight_match(a, (uint32_t)a->address[i % KEYS]);
	bench_clobber();
}

static void bound_match_bf(void *state, uint64_t count)
{
	struct array *a = state;

	for (uint64_t i = 0; i < count; i++)
		tight_match_bf(a, (uint32_t)a->address[i % KEYS]);
	bench_clobber();
}

static const struct bench_op operations[] = {
	{ "signature", "insert, 256 bits, 4 hashes", setup, teardown, insert, bound_insert,
	  "gputm_signature_insert", "tight_insert", 0 },
	{ "signature", "maybe_contains, 256 bits, 4 hashes", setup, teardown, lookup, bound_lookup,
	  "gputm_signature_maybe_contains", "tight_lookup", 0 },
	{ "signature", "match, 256 of 8 bits, per signature", setup_localtm, teardown, match,
	  bound_match, "gputm_signature_match", "tight_match", 256 },
	{ "signature", "match, 1920 of 512 bits, 4 hashes", setup_bf, teardown, match,
	  bound_match_bf, "gputm_signature_match", "tight_match_bf", 0 },
};

BENCH_TABLE(operations)
