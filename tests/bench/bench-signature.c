/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signature: 256 bits in 4 sub-signatures, the 256 8-bit signatures of a GPU-LocalTM bank and
 * the 1920 signatures of 512 bits of the bf-array preset. The bounds pack the four indices of a
 * key into one table word per key byte; a match is the AND of columns of 64 signatures. They
 * neither check nor count.
 */
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

static const char *const presets[] = { NULL, "localtm", "bf-array" };
enum { ONE, LOCALTM, BF_ARRAY };

BENCH_SETUP(setup, struct array *a)
{
	struct gputm_signature_config config = GPUTM_SIGNATURE_CONFIG_INIT;
	uint64_t random = 1;

	if (presets[given])
		bench_must(gputm_signature_config_preset(&config, presets[given]));
	bench_must(gputm_signature_new(NULL, &config, &a->unit));
	for (unsigned i = 0; i < KEYS; i++)
		a->address[i] = bench_next(&random) >> (64 - config.address_bits);
	for (unsigned byte = 0; byte < 4; byte++)
		for (unsigned i = 0; i < 256; i++)
			a->table[byte][i] = (uint32_t)bench_next(&random) & 0x3f3f3f3f;
	for (unsigned i = 0; i < 12; i++)
		bench_must(gputm_signature_insert(a->unit, i % config.count, a->address[i]));
}

BENCH_TURN(insert, struct array *a, gputm_signature_insert(a->unit, 0, a->address[i % KEYS]))

BENCH_TURN(lookup, struct array *a,
	   gputm_signature_maybe_contains(a->unit, 0, a->address[i % KEYS]))

BENCH_TURN(match, struct array *a, gputm_signature_match(a->unit, a->address[i % KEYS], a->mask))

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

BENCH_DO(bound_insert, struct array *a, tight_insert(a, (uint32_t)a->address[i % KEYS]))

BENCH_TURN(bound_lookup, struct array *a, tight_lookup(a, (uint32_t)a->address[i % KEYS]))

BENCH_DO(bound_match, struct array *a, tight_match(a, (uint32_t)a->address[i % KEYS]))

BENCH_DO(bound_match_bf, struct array *a, tight_match_bf(a, (uint32_t)a->address[i % KEYS]))

static const struct bench_op operations[] = {
	{ "insert, 256 bits, 4 hashes", setup, ONE, insert, "gputm_signature_insert",
	  .bound = bound_insert, .bound_inside = "tight_insert" },
	{ "maybe_contains, 256 bits, 4 hashes", setup, ONE, lookup,
	  "gputm_signature_maybe_contains",
	  .bound = bound_lookup, .bound_inside = "tight_lookup" },
	{ "match, 256 of 8 bits, per signature", setup, LOCALTM, match, "gputm_signature_match",
	  .bound = bound_match, .bound_inside = "tight_match", .per_turn = 256 },
	{ "match, 1920 of 512 bits, 4 hashes", setup, BF_ARRAY, match, "gputm_signature_match",
	  .bound = bound_match_bf, .bound_inside = "tight_match_bf" },
};

BENCH_TABLE("signature", struct array, operations)
