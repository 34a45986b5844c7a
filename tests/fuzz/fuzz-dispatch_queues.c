/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become requests, two devices that take them, and rounds, against the oracle. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/oracle/dispatch_queues.h"

static void take(struct gputm_dispatch_queues *queues, struct oracle_dispatch_queues *o,
		 uint8_t how)
{
	uint64_t request[16] = { 0 }, expected[16] = { 0 };
	uint32_t type = 0, expected_type = 0, count = 0, expected_count = 0;

	if (how & 1)
		FUZZ_CHECK(gputm_dispatch_queues_dequeue(queues, how & 2, &type, request) ==
			   oracle_dispatch_queues_pop(o, how & 2, &expected_type, expected));
	else
		FUZZ_CHECK(gputm_dispatch_queues_dequeue_batch(queues, how & 2, how & 4, &type,
							       &count, request) ==
			   oracle_dispatch_queues_pop_batch(o, how & 2, how & 4, &expected_type,
							    &expected_count, expected));
	FUZZ_CHECK(type == expected_type && count == expected_count);
	FUZZ_CHECK(!memcmp(request, expected, sizeof(request)));
}

static void step(struct gputm_dispatch_queues *queues, struct oracle_dispatch_queues *o,
		 struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz);

	if (what < 160) {
		unsigned affinity = what & 3;

		if (o->count < ORACLE_DISPATCH_QUEUES_MOST)
			FUZZ_CHECK(gputm_dispatch_queues_push(
					   queues, what >> 2 & 3,
					   (enum gputm_dispatch_queues_affinity)affinity,
					   o->count) ==
				   oracle_dispatch_queues_push(o, what >> 2 & 3, affinity,
							       o->count));
	} else if (what < 240) {
		take(queues, o, what);
	} else if (what & 1) {
		FUZZ_CHECK(gputm_dispatch_queues_commit(queues) ==
			   oracle_dispatch_queues_commit(o));
	} else {
		FUZZ_CHECK(!gputm_dispatch_queues_abort(queues));
		oracle_dispatch_queues_abort(o);
	}
	FUZZ_CHECK(!gputm_unit_check(gputm_dispatch_queues_unit(queues)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_dispatch_queues_config config = GPUTM_DISPATCH_QUEUES_CONFIG_INIT;
	static struct oracle_dispatch_queues oracle;
	struct gputm_dispatch_queues *queues;
	struct fuzz fuzz = { data, size };

	config.types = 1 + fuzz_below(&fuzz, 4);
	config.batch = 1 + fuzz_below(&fuzz, 16);
	FUZZ_CHECK(!gputm_dispatch_queues_new(NULL, &config, &queues));
	oracle_dispatch_queues_open(&oracle, &config);
	while (fuzz_more(&fuzz))
		step(queues, &oracle, &fuzz);
	gputm_dispatch_queues_free(queues);
	return 0;
}
