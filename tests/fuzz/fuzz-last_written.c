/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry, then writes, loads and sweeps against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/last_written.h"

static void step(struct gputm_last_written *table, struct oracle_last_written *o, struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz) % 8;
	uint64_t address = fuzz_number(fuzz, 3), time = fuzz_number(fuzz, 2);
	uint64_t expected = 0, answer = 0;

	if (what < 4) {
		FUZZ_CHECK(gputm_last_written_record(table, address, time) ==
			   oracle_last_written_record(o, address, time));
	} else if (what < 7) {
		FUZZ_CHECK(gputm_last_written_query(table, address, &answer) ==
			   oracle_last_written_query(o, address, &expected));
		FUZZ_CHECK(answer == expected);
	} else {
		gputm_last_written_expire(table, time, NULL);
		oracle_last_written_expire(o, time);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_last_written_config config = GPUTM_LAST_WRITTEN_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 600 ? size : 600 };
	struct gputm_last_written *table;
	struct oracle_last_written o;

	config.ways = 1 + fuzz_below(&fuzz, 8);
	config.entries = 1u << fuzz_below(&fuzz, 10);
	config.time_bits = 2 + fuzz_below(&fuzz, 63);
	config.granularity = 1u << fuzz_below(&fuzz, 8);
	config.address_bits = 16 + fuzz_below(&fuzz, 49);
	config.seed = fuzz_u8(&fuzz);
	if (gputm_last_written_new(NULL, &config, &table))
		return 0;
	oracle_last_written_open(&o, &config);
	while (fuzz_more(&fuzz)) {
		step(table, &o, &fuzz);
		FUZZ_CHECK(!gputm_unit_check(gputm_last_written_unit(table)));
	}
	gputm_last_written_free(table);
	oracle_last_written_close(&o);
	return 0;
}
