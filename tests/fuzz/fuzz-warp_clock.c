/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become aborts, restarts and commits against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/warp_clock.h"

static void restart(struct gputm_warp_clock *c, struct oracle_warp_clock *o,
		    const struct gputm_warp_clock_config *config, uint32_t warp)
{
	uint64_t cycles = 0;
	int result = gputm_warp_clock_restart(c, warp, &cycles);

	if (!o->reports[warp]) {
		FUZZ_CHECK(result == -EINVAL);
		return;
	}
	oracle_warp_clock_restart(o, warp);
	FUZZ_CHECK(result == (o->time[warp] > o->time_max - config->margin));
	FUZZ_CHECK(cycles <= oracle_warp_clock_backoff(o, warp, config));
}

static void commit(struct gputm_warp_clock *c, struct oracle_warp_clock *o, uint32_t warp)
{
	FUZZ_CHECK(gputm_warp_clock_commit(c, warp) == (o->reports[warp] ? -EINVAL : 0));
	if (!o->reports[warp])
		o->aborts[warp] = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_warp_clock_config config = GPUTM_WARP_CLOCK_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 4000 ? size : 4000 };
	struct oracle_warp_clock o = { .time_max = 1023 };
	struct gputm_warp_clock *c;
	uint64_t time = 0;

	config.warps = ORACLE_CLOCK_WARPS;
	config.time_bits = 10;
	config.margin = fuzz_number(&fuzz, 1);
	config.backoff_base = fuzz_u8(&fuzz);
	config.backoff_limit = fuzz_below(&fuzz, 8);
	config.backoff_patience = fuzz_below(&fuzz, 4);
	FUZZ_CHECK(!gputm_warp_clock_new(NULL, &config, &c));
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz);
		uint32_t warp = what >> 2 & 7;
		uint64_t reported = fuzz_number(&fuzz, 2);

		if ((what & 3) < 2 && o.reports[warp] < ORACLE_CLOCK_REPORTS) {
			int error = gputm_warp_clock_abort(c, warp, reported);

			FUZZ_CHECK(error == (reported > o.time_max ? -ERANGE : 0));
			if (!error)
				oracle_warp_clock_abort(&o, warp, reported);
		} else if ((what & 3) == 2) {
			restart(c, &o, &config, warp);
		} else {
			commit(c, &o, warp);
		}
		FUZZ_CHECK(!gputm_warp_clock_get_time(c, warp, &time) && time == o.time[warp]);
		FUZZ_CHECK(!gputm_unit_check(gputm_warp_clock_unit(c)));
	}
	gputm_warp_clock_free(c);
	return 0;
}
