/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry and groups of word accesses, which the oracle merges too. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/oracle/access_coalescer.h"

#define MOST 70

static struct gputm_word_access word_of(struct fuzz *fuzz, uint32_t lanes)
{
	struct gputm_word_access access;
	uint8_t how = fuzz_u8(fuzz);

	access.address = fuzz_number(fuzz, how & 1 ? 2 : 1) * (how & 0xfe ? 4 : 1);
	access.lane = how % (lanes + (how == 0xff));
	access.value = fuzz_u8(fuzz);
	return access;
}

static void compare(struct gputm_access_coalescer *coalescer,
		    const struct gputm_access_coalescer_config *config, uint32_t count,
		    const struct gputm_word_access *access, bool write)
{
	struct gputm_access_coalescer_summary summary = { 0, 0, 0, 0 }, sum = summary;
	struct gputm_wide_access out[MOST], expected[MOST];
	int regions =
		gputm_access_coalescer_log(coalescer, count, access, write, out, &summary);

	FUZZ_CHECK(regions ==
		   oracle_access_coalescer_log(config, count, access, write, expected, &sum));
	for (int i = 0; i < regions; i++)
		FUZZ_CHECK(oracle_access_coalescer_same(&out[i], &expected[i], write));
	FUZZ_CHECK(!memcmp(&summary, &sum, sizeof(sum)));
	FUZZ_CHECK(!gputm_unit_check(gputm_access_coalescer_unit(coalescer)));
}

/* The words as a row: each lane's last word, lanes in ascending order. */
static void compare_row(struct gputm_access_coalescer *coalescer,
			const struct gputm_access_coalescer_config *config, uint32_t count,
			const struct gputm_word_access *access)
{
	struct gputm_wide_access out[64], expected[64];
	struct gputm_access_coalescer_summary sum;
	struct gputm_word_access row[64];
	uint64_t address[64] = { 0 }, lanes = 0;
	uint32_t words = 0, value[64] = { 0 };
	int regions, truth;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t lane = access[i].lane % config->lanes;

		lanes |= UINT64_C(1) << lane;
		address[lane] = access[i].address;
		value[lane] = access[i].value;
	}
	for (uint32_t lane = 0; lane < config->lanes; lane++) {
		struct gputm_word_access word = { address[lane], value[lane], lane };

		if (lanes >> lane & 1)
			row[words++] = word;
	}
	regions = gputm_access_coalescer_row(coalescer, lanes, address, value, out, NULL);
	if (words > config->words)
		return; /* a row may be longer than a log */
	truth = oracle_access_coalescer_log(config, words, row, true, expected, &sum);
	FUZZ_CHECK(regions == truth);
	for (int i = 0; i < regions; i++)
		FUZZ_CHECK(oracle_access_coalescer_same(&out[i], &expected[i], true));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_access_coalescer_config config = GPUTM_ACCESS_COALESCER_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 4000 ? size : 4000 };
	struct gputm_access_coalescer *coalescer;
	struct gputm_word_access access[MOST];

	config.region_bytes = 32u << fuzz_below(&fuzz, 3);
	config.lanes = 1 + fuzz_below(&fuzz, 64);
	config.words = 1 + fuzz_below(&fuzz, MOST);
	config.address_bits = 8 + fuzz_below(&fuzz, 57);
	FUZZ_CHECK(!gputm_access_coalescer_new(NULL, &config, &coalescer));
	while (fuzz_more(&fuzz)) {
		uint32_t count = fuzz_below(&fuzz, MOST + 1);

		for (uint32_t i = 0; i < count; i++)
			access[i] = word_of(&fuzz, config.lanes);
		compare(coalescer, &config, count, access, fuzz_u8(&fuzz) & 1);
		compare_row(coalescer, &config, count, access);
	}
	gputm_access_coalescer_free(coalescer);
	return 0;
}
