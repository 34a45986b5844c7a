/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry, then requests and wakes against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/stall_buffer.h"

static void enqueue(struct gputm_stall_buffer *b, struct oracle_stall_buffer *o, struct fuzz *fuzz)
{
	struct gputm_stall_request r = { fuzz_number(fuzz, 1), fuzz_number(fuzz, 1),
					 fuzz_number(fuzz, 2), fuzz_u8(fuzz) };
	int probe = gputm_stall_buffer_enqueue_probe(b, r.address);

	FUZZ_CHECK(gputm_stall_buffer_enqueue(b, &r) == probe);
	FUZZ_CHECK(oracle_stall_buffer_enqueue(o, &r) == probe);
}

static void wake(struct gputm_stall_buffer *b, struct oracle_stall_buffer *o, struct fuzz *fuzz,
		 unsigned how)
{
	struct gputm_stall_request mine = { 0, 0, 0, 0 }, his = { 0, 0, 0, 0 };
	uint64_t address = fuzz_number(fuzz, 1), limit = UINT64_MAX;
	uint32_t warp = fuzz_u8(fuzz);
	int a;

	if (how == 0)
		a = gputm_stall_buffer_wake(b, address, &mine);
	else if (how == 1)
		a = gputm_stall_buffer_wake_before(b, address, limit = warp, &mine);
	else
		a = gputm_stall_buffer_wake_warp(b, address, warp, &mine);
	FUZZ_CHECK(a == oracle_stall_buffer_wake(o, address, limit, how == 2 ? (int64_t)warp : -1,
						 &his));
	FUZZ_CHECK(mine.tag == his.tag && mine.address == his.address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct oracle_stall_buffer o;
	struct gputm_stall_buffer_config config = GPUTM_STALL_BUFFER_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 2000 ? size : 2000 };
	struct gputm_stall_request out, his;
	struct gputm_stall_buffer *b;

	config.lines = 1 + fuzz_below(&fuzz, 6);
	config.requests = 1 + fuzz_below(&fuzz, 6);
	config.granularity = 4u << fuzz_below(&fuzz, 6);
	o.config = config;
	o.count = 0;
	FUZZ_CHECK(!gputm_stall_buffer_new(NULL, &config, &b));
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz) % 8;

		if (what < 5)
			enqueue(b, &o, &fuzz);
		else
			wake(b, &o, &fuzz, what - 5u);
		FUZZ_CHECK(gputm_stall_buffer_waiting(b) == o.count);
		FUZZ_CHECK(!gputm_unit_check(gputm_stall_buffer_unit(b)));
	}
	while (gputm_stall_buffer_drain(b, &out)) {
		FUZZ_CHECK(oracle_stall_buffer_wake(&o, out.address, UINT64_MAX, -1, &his));
		FUZZ_CHECK(out.tag == his.tag);
	}
	FUZZ_CHECK(!o.count);
	gputm_stall_buffer_free(b);
	return 0;
}
