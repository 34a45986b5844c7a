/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry and the logs of warps, resolved beside the oracle. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/oracle/ownership_table.h"

static struct fuzz *input;

static uint64_t below(uint64_t *state, uint64_t limit)
{
	(void)state;
	return limit > 256 ? fuzz_number(input, 8) % limit : fuzz_u8(input) % limit;
}

static void resolve(struct gputm_ownership_table *table, const struct oracle_ownership_table *o,
		    struct fuzz *fuzz)
{
	uint64_t active = fuzz_number(fuzz, 8), words = 1 + fuzz_u8(fuzz);
	struct gputm_resolution r, expected;
	struct oracle_logs logs;
	uint32_t buffer;
	int result;

	result = gputm_ownership_table_acquire(table, active, &buffer);
	if (result == -ERANGE) {
		active &= UINT64_MAX >> (64 - o->config.lanes);
		result = gputm_ownership_table_acquire(table, active, &buffer);
	}
	FUZZ_CHECK(result == GPUTM_RESOLVER_ACQUIRED);
	oracle_logs_draw(&logs, o->config.lanes, words, below, &words);
	FUZZ_CHECK(!gputm_ownership_table_resolve(table, buffer, &logs.logs, &r));
	expected = oracle_ownership_table_resolve(o, active, &logs.logs);
	FUZZ_CHECK(!memcmp(&r, &expected, sizeof(r)));
	FUZZ_CHECK(oracle_logs_serialisable(&logs.logs, r.survived));
	FUZZ_CHECK(!gputm_unit_check(gputm_ownership_table_unit(table)));
	FUZZ_CHECK(!gputm_ownership_table_release(table, buffer));
	FUZZ_CHECK(!gputm_unit_check(gputm_ownership_table_unit(table)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_ownership_table_config config = GPUTM_OWNERSHIP_TABLE_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 1000 ? size : 1000 };
	struct gputm_ownership_table *table;
	struct oracle_ownership_table o;

	input = &fuzz;
	config.lanes = 1 + fuzz_below(&fuzz, 64);
	config.entries = 1u << fuzz_below(&fuzz, 13);
	config.granularity = 1u << fuzz_below(&fuzz, 8);
	config.hash = fuzz_below(&fuzz, 2);
	config.exact = fuzz_below(&fuzz, 2);
	config.buffers = 1 + fuzz_below(&fuzz, 3);
	config.seed = fuzz_u8(&fuzz);
	if (gputm_ownership_table_new(NULL, &config, &table))
		return 0;
	oracle_ownership_table_open(&o, &config);
	for (unsigned warps = 0; fuzz_more(&fuzz) && warps < 8; warps++)
		resolve(table, &o, &fuzz);
	gputm_ownership_table_free(table);
	oracle_ownership_table_close(&o);
	return 0;
}
