/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a limit, then warps that come and go against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/tx_throttle.h"

static void step(struct gputm_tx_throttle *throttle, struct oracle_tx_throttle *o,
		 struct fuzz *fuzz)
{
	uint32_t warp = fuzz_below(fuzz, o->config.warps + 1), next = 4711, expected = 4711;
	int probe = gputm_tx_throttle_admit_probe(throttle, warp);

	if (fuzz_u8(fuzz) % 3) {
		FUZZ_CHECK(gputm_tx_throttle_admit(throttle, warp) == probe);
		FUZZ_CHECK(oracle_tx_throttle_admit(o, warp) == probe);
	} else {
		FUZZ_CHECK(gputm_tx_throttle_leave(throttle, warp) ==
			   oracle_tx_throttle_leave(o, warp));
	}
	FUZZ_CHECK(gputm_tx_throttle_next_warp(throttle, &next) ==
		   oracle_tx_throttle_next(o, &expected));
	FUZZ_CHECK(next == expected);
	FUZZ_CHECK(gputm_tx_throttle_running(throttle) == o->insiders);
	FUZZ_CHECK(gputm_tx_throttle_waiting(throttle) == o->waiters);
	FUZZ_CHECK(!gputm_unit_check(gputm_tx_throttle_unit(throttle)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_tx_throttle_config config = GPUTM_TX_THROTTLE_CONFIG_INIT;
	struct fuzz fuzz = { data, size };
	struct gputm_tx_throttle *throttle;
	struct oracle_tx_throttle oracle;

	config.warps = 1 + fuzz_below(&fuzz, 48);
	config.limit = fuzz_below(&fuzz, 10);
	FUZZ_CHECK(!gputm_tx_throttle_new(NULL, &config, &throttle));
	oracle_tx_throttle_open(&oracle, &config);
	while (fuzz_more(&fuzz))
		step(throttle, &oracle, &fuzz);
	gputm_tx_throttle_free(throttle);
	return 0;
}
