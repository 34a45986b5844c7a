/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become accesses, retries, releases against the oracle; then a rollover of one unit. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/oracle/validation_unit.h"

static struct oracle_validation_unit o;

static void access_one(struct gputm_validation_unit *u, struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz), time = fuzz_u8(fuzz);
	struct gputm_validation_request r = { what, (what & 3) * 32u, time % 32, time >> 5,
					      what >> 3 & 7, what >> 2 & 1 };
	struct gputm_validation_answer answer;
	uint64_t reported = 0;
	int probe = gputm_validation_unit_access_probe(u, &r);

	FUZZ_CHECK(gputm_validation_unit_access(u, &r, &answer) == probe);
	FUZZ_CHECK(oracle_validation_unit_access(&o, &r, &reported) == probe);
	FUZZ_CHECK(answer.time == reported);
}

static void retry(struct gputm_validation_unit *u)
{
	struct gputm_validation_answer answer;
	uint64_t tag = 0, time = 0;
	int result = gputm_validation_unit_retry(u, &answer);

	FUZZ_CHECK(result == oracle_validation_unit_retry(&o, &tag, &time));
	FUZZ_CHECK(result == GPUTM_VALIDATION_UNIT_NONE || answer.tag == tag);
}

static void release(struct gputm_validation_unit *u, struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz);
	unsigned g = what & 3;
	uint32_t warp = (o.granule[g].owner + (what >= 240)) & 7;
	int mine = gputm_validation_unit_release(u, g * 32u, warp, o.granule[g].sequence,
						 what >> 2 & 3, NULL);

	FUZZ_CHECK(mine == oracle_validation_unit_release(&o, g * 32u, warp,
							  o.granule[g].sequence, what >> 2 & 3));
}

static void roll_over(struct gputm_validation_unit *u)
{
	struct gputm_validation_message stop = { 0, 0 };
	struct gputm_validation_answer answer;

	gputm_validation_unit_rollover(u);
	FUZZ_CHECK(gputm_validation_unit_ring_pop(u));
	FUZZ_CHECK(!gputm_validation_unit_ring_push(u, &stop));
	FUZZ_CHECK(!gputm_validation_unit_rollover_go(u));
	while (gputm_validation_unit_retry(u, &answer) != GPUTM_VALIDATION_UNIT_NONE)
		FUZZ_CHECK(answer.reason == GPUTM_VALIDATION_UNIT_ROLLOVER);
	for (unsigned g = 0; g < 4; g++)
		if (o.granule[g].writes)
			FUZZ_CHECK(!gputm_validation_unit_release(u, g * 32u, o.granule[g].owner,
								  o.granule[g].sequence,
								  o.granule[g].writes, NULL));
	FUZZ_CHECK(gputm_validation_unit_state(u) == GPUTM_VALIDATION_UNIT_RUNNING);
	FUZZ_CHECK(!gputm_validation_unit_writes(u) && !gputm_validation_unit_pending(u));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 1500 ? size : 1500 };
	struct gputm_validation_unit *u;

	config.paper_order = fuzz_u8(&fuzz) & 1;
	config.stall_lines = 1 + fuzz_below(&fuzz, 4);
	config.stall_requests = 1 + fuzz_below(&fuzz, 4);
	config.entries = 4; /* room for the four granules; each check looks at every cell */
	config.filter_entries = 4;
	memset(&o, 0, sizeof(o));
	o.config = config;
	FUZZ_CHECK(!gputm_validation_unit_new(NULL, &config, &u));
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz) % 8;

		if (what < 4)
			access_one(u, &fuzz);
		else if (what < 6)
			release(u, &fuzz);
		else
			retry(u);
		FUZZ_CHECK(!gputm_unit_check(gputm_validation_unit_unit(u)));
	}
	roll_over(u);
	FUZZ_CHECK(!gputm_unit_check(gputm_validation_unit_unit(u)));
	gputm_validation_unit_free(u);
	return 0;
}
