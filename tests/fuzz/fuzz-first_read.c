/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry, then attempts, loads, replies and verdicts against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/first_read.h"

static void finish(struct gputm_first_read *table, struct oracle_first_read *o, uint32_t warp,
		   uint64_t mask, uint64_t writers)
{
	struct gputm_first_read_verdict a = { 0, 0, 0 }, b = { 0, 0, 0 };

	FUZZ_CHECK(gputm_first_read_finish(table, warp, mask, writers, &a) ==
		   oracle_first_read_finish(o, warp, mask, writers, &b));
	FUZZ_CHECK(a.silent == b.silent && a.second_chance == b.second_chance &&
		   a.read_write == b.read_write);
}

static void step(struct gputm_first_read *table, struct oracle_first_read *o, struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz) % 6;
	uint32_t warp = fuzz_below(fuzz, o->config.warps + 1);
	uint64_t mask = fuzz_number(fuzz, 2), time = fuzz_number(fuzz, 2);

	if (what == 0)
		FUZZ_CHECK(gputm_first_read_begin(table, warp, mask) ==
			   oracle_first_read_begin(o, warp, mask));
	else if (what < 3)
		FUZZ_CHECK(gputm_first_read_issue(table, warp, mask, time) ==
			   oracle_first_read_issue(o, warp, mask, time));
	else if (what < 5)
		FUZZ_CHECK(gputm_first_read_reply(table, warp, mask, time, what == 4) ==
			   oracle_first_read_reply(o, warp, mask, time, what == 4));
	else
		finish(table, o, warp, mask, time);
	FUZZ_CHECK(gputm_first_read_oldest(table) == oracle_first_read_oldest(o));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_first_read_config config = GPUTM_FIRST_READ_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 1000 ? size : 1000 };
	struct gputm_first_read *table;
	struct oracle_first_read o;

	config.warps = 1 + fuzz_below(&fuzz, ORACLE_FIRST_READ_WARPS);
	config.lanes = 1 + fuzz_below(&fuzz, 64);
	config.time_bits = 1 + fuzz_below(&fuzz, 64);
	config.guard_writeback = fuzz_below(&fuzz, 2);
	if (gputm_first_read_new(NULL, &config, &table))
		return 0;
	oracle_first_read_open(&o, &config);
	while (fuzz_more(&fuzz)) {
		step(table, &o, &fuzz);
		FUZZ_CHECK(!gputm_unit_check(gputm_first_read_unit(table)));
	}
	gputm_first_read_free(table);
	return 0;
}
