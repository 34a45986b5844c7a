/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become accesses of one warp against the oracle. */
#include "gputm/warp_access_filter.h"
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/warp_access_filter.h"

static void turn(struct gputm_warp_access_filter *f, struct oracle_warp_access_filter *o,
		 struct fuzz *fuzz)
{
	uint64_t lanes = fuzz_number(fuzz, 1), address[64], lost = 0, probe = 0;
	bool write = fuzz_u8(fuzz) & 1;
	int error;

	for (unsigned lane = 0; lane < 8; lane++)
		address[lane] = lanes >> lane & 1 ? fuzz_u8(fuzz) : 0;
	error = gputm_warp_access_filter_access_probe(f, 0, write, lanes, address, &probe);
	FUZZ_CHECK(error == (lanes & ~o->running ? -EINVAL : 0));
	FUZZ_CHECK(gputm_warp_access_filter_access(f, 0, write, lanes, address, &lost) == error);
	if (error)
		return;
	FUZZ_CHECK(lost == probe);
	FUZZ_CHECK(lost == oracle_warp_access_filter_access(o, write, lanes, address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_warp_access_filter_config config = GPUTM_WARP_ACCESS_FILTER_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 4000 ? size : 4000 };
	static struct oracle_warp_access_filter o;
	struct gputm_warp_access_filter *f;

	config.warps = 1;
	config.lanes = 8;
	config.word_bytes = o.word_bytes = 1u << fuzz_below(&fuzz, 4);
	FUZZ_CHECK(!gputm_warp_access_filter_new(NULL, &config, &f));
	oracle_warp_access_filter_begin(&o, 0);
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz);

		if (what % 8 == 0) {
			uint64_t lanes = fuzz_u8(&fuzz);

			FUZZ_CHECK(!gputm_warp_access_filter_begin(f, 0, lanes));
			oracle_warp_access_filter_begin(&o, lanes);
		} else if (what % 8 == 1) {
			uint64_t lanes = fuzz_u8(&fuzz) & o.running;

			FUZZ_CHECK(!gputm_warp_access_filter_drop(f, 0, lanes));
			o.running &= ~lanes;
		} else {
			turn(f, &o, &fuzz);
		}
		FUZZ_CHECK(gputm_warp_access_filter_running(f, 0) == o.running);
		FUZZ_CHECK(!gputm_unit_check(gputm_warp_access_filter_unit(f)));
	}
	gputm_warp_access_filter_free(f);
	return 0;
}
