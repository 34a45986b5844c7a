/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a controller's timing, then answers and waits, against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/sync_round.h"

static void same(struct gputm_sync_round *round, struct oracle_sync_round *o, uint64_t now,
		 struct gputm_sync_round_todo *todo)
{
	struct gputm_sync_round_todo expected;

	FUZZ_CHECK(!gputm_sync_round_step(round, now, todo));
	oracle_sync_round_next(o, &expected);
	FUZZ_CHECK(todo->what == expected.what && todo->devices == expected.devices);
	FUZZ_CHECK(todo->partial == expected.partial && todo->success == expected.success);
	FUZZ_CHECK(gputm_sync_round_may_run(round, GPUTM_SYNC_ROUND_CPU, now) ==
		   oracle_sync_round_may_run(o, GPUTM_SYNC_ROUND_CPU));
	FUZZ_CHECK(gputm_sync_round_may_run(round, GPUTM_SYNC_ROUND_GPU, now) ==
		   oracle_sync_round_may_run(o, GPUTM_SYNC_ROUND_GPU));
	FUZZ_CHECK(!gputm_unit_check(gputm_sync_round_unit(round)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_sync_round_config config = GPUTM_SYNC_ROUND_CONFIG_INIT;
	static struct oracle_sync_round oracle;
	struct fuzz fuzz = { data, size };
	struct gputm_sync_round_todo todo;
	struct gputm_sync_round *round;
	uint64_t now = 0;

	config.round_cycles = 1u + fuzz_u8(&fuzz);
	config.early_cycles = fuzz_u8(&fuzz);
	config.link_latency = fuzz_u8(&fuzz) % 16;
	config.link_bytes = 1u + fuzz_u8(&fuzz) % 16;
	config.copy_bytes = 1u + fuzz_u8(&fuzz) % 32;
	config.non_blocking = fuzz_u8(&fuzz) & 1;
	config.shadow_copy = fuzz_u8(&fuzz) & 1;
	FUZZ_CHECK(!gputm_sync_round_new(NULL, &config, &round));
	oracle_sync_round_open(&oracle, &config);
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz);

		same(round, &oracle, now, &todo);
		if (todo.what == GPUTM_SYNC_ROUND_RUN || todo.what == GPUTM_SYNC_ROUND_END ||
		    (todo.what == GPUTM_SYNC_ROUND_DRAIN && what & 1)) {
			FUZZ_CHECK((gputm_sync_round_begin(round, now) == 0) ==
				   oracle_sync_round_begin(&oracle));
			if (what & 2)
				FUZZ_CHECK((gputm_sync_round_stop(round, now) == 0) ==
					   oracle_sync_round_stop(&oracle));
			for (uint8_t i = 0; i < what >> 2; i++, now++)
				oracle_sync_round_tick(&oracle);
		} else {
			struct gputm_sync_round_done done = { what & 2 ? what : 0, what & 3,
							      fuzz_u8(&fuzz), false };

			done.conflict = done.bytes > 240;
			if (oracle.kernels == 255)
				break;
			FUZZ_CHECK(!gputm_sync_round_complete(round, now, &done));
			oracle_sync_round_complete(&oracle, &done);
		}
	}
	gputm_sync_round_free(round);
	return 0;
}
