/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry, then insertions, look-ups, unions and clears against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/signature.h"

struct pair {
	struct gputm_signature *array;
	struct oracle_signature oracle;
};

static void match(struct pair *p, uint64_t address)
{
	uint64_t mask[2];
	int found = gputm_signature_match(p->array, address, mask);

	FUZZ_CHECK(found == -ERANGE || found >= 0);
	for (uint32_t i = 0; i < p->oracle.config.count; i++) {
		int maybe = oracle_signature_maybe_contains(&p->oracle, i, address);

		FUZZ_CHECK(maybe == gputm_signature_maybe_contains_probe(p->array, i, address));
		FUZZ_CHECK(found < 0 ? maybe < 0 : (int)(mask[i / 64] >> i % 64 & 1) == maybe);
	}
}

static void step(struct pair *p, struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz) % 8;
	uint32_t index = fuzz_below(fuzz, p->oracle.config.count + 1);
	uint64_t operand = fuzz_number(fuzz, 2);

	if (what < 4)
		FUZZ_CHECK(gputm_signature_insert(p->array, index, operand) ==
			   oracle_signature_insert(&p->oracle, index, operand));
	else if (what < 6)
		match(p, operand);
	else if (what == 6)
		FUZZ_CHECK(gputm_signature_union(p->array, index, operand & 3) ==
			   oracle_signature_union(&p->oracle, index, operand & 3));
	else
		FUZZ_CHECK(gputm_signature_clear(p->array, index) ==
			   oracle_signature_clear(&p->oracle, index));
	FUZZ_CHECK(gputm_signature_population(p->array, index) ==
		   oracle_signature_population(&p->oracle, index));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_signature_config config = GPUTM_SIGNATURE_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 300 ? size : 300 };
	struct pair p;

	config.count = 1 + fuzz_below(&fuzz, 70);
	config.bits = 8u << fuzz_below(&fuzz, 5);
	config.hash = fuzz_below(&fuzz, 2);
	config.hashes = config.hash ? 1 : 1u << fuzz_below(&fuzz, 3);
	config.granularity = 1u << fuzz_below(&fuzz, 8);
	config.address_bits = 8 + fuzz_below(&fuzz, 57);
	config.seed = fuzz_u8(&fuzz);
	if (gputm_signature_new(NULL, &config, &p.array))
		return 0;
	oracle_signature_open(&p.oracle, &config);
	while (fuzz_more(&fuzz)) {
		step(&p, &fuzz);
		FUZZ_CHECK(!gputm_unit_check(gputm_signature_unit(p.array)));
	}
	gputm_signature_free(p.array);
	oracle_signature_close(&p.oracle);
	return 0;
}
