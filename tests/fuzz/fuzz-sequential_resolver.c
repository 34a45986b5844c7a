/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry and the logs of warps, resolved beside the oracle. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/oracle/ownership_table.h"
#include "tests/oracle/sequential_resolver.h"

static struct fuzz *input;

static uint64_t below(uint64_t *state, uint64_t limit)
{
	(void)state;
	return limit > 256 ? fuzz_number(input, 8) % limit : fuzz_u8(input) % limit;
}

static void resolve(struct gputm_sequential_resolver *resolver,
		    struct oracle_sequential_resolver *o, struct fuzz *fuzz)
{
	uint64_t active = fuzz_number(fuzz, 8), words = 1 + fuzz_u8(fuzz);
	struct gputm_resolution r, expected;
	struct oracle_logs logs;
	uint32_t buffer;
	int result;

	result = gputm_sequential_resolver_acquire(resolver, active, &buffer);
	if (result == -ERANGE) {
		active &= UINT64_MAX >> (64 - o->config.lanes);
		result = gputm_sequential_resolver_acquire(resolver, active, &buffer);
	}
	FUZZ_CHECK(result == GPUTM_RESOLVER_ACQUIRED);
	oracle_logs_draw(&logs, o->config.lanes, words, below, &words);
	FUZZ_CHECK(!gputm_sequential_resolver_resolve(resolver, buffer, &logs.logs, &r));
	expected = oracle_sequential_resolver_resolve(o, active, &logs.logs);
	FUZZ_CHECK(!memcmp(&r, &expected, sizeof(r)));
	FUZZ_CHECK(oracle_logs_serialisable(&logs.logs, r.survived));
	FUZZ_CHECK(!gputm_unit_check(gputm_sequential_resolver_unit(resolver)));
	FUZZ_CHECK(!gputm_sequential_resolver_release(resolver, buffer));
	FUZZ_CHECK(!gputm_unit_check(gputm_sequential_resolver_unit(resolver)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_sequential_resolver_config config = GPUTM_SEQUENTIAL_RESOLVER_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 1000 ? size : 1000 };
	struct gputm_sequential_resolver *resolver;
	struct oracle_sequential_resolver o;

	input = &fuzz;
	config.lanes = 1 + fuzz_below(&fuzz, 64);
	config.filter_bits = 8u << fuzz_below(&fuzz, 9);
	config.granularity = 1u << fuzz_below(&fuzz, 8);
	config.hashes = 1u << fuzz_below(&fuzz, 4);
	config.exact = fuzz_below(&fuzz, 2);
	config.buffers = 1 + fuzz_below(&fuzz, 3);
	config.seed = fuzz_u8(&fuzz);
	if (gputm_sequential_resolver_new(NULL, &config, &resolver))
		return 0;
	oracle_sequential_resolver_open(&o, &config);
	for (unsigned warps = 0; fuzz_more(&fuzz) && warps < 8; warps++)
		resolve(resolver, &o, &fuzz);
	gputm_sequential_resolver_free(resolver);
	oracle_sequential_resolver_close(&o);
	return 0;
}
