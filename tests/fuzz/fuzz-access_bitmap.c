/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a region, then marks, questions and runs against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/access_bitmap.h"

static void step(struct gputm_access_bitmap *bitmap, struct oracle_access_bitmap *o,
		 struct fuzz *fuzz)
{
	struct gputm_access_bitmap_run run = { 1, 1 }, expected = { 1, 1 };
	uint8_t what = fuzz_u8(fuzz);
	uint64_t address = fuzz_number(fuzz, 2) % (o->config.region_bytes + 2);

	if (what % 16 == 15) {
		gputm_access_bitmap_clear(bitmap);
		oracle_access_bitmap_open(o, &o->config);
	}
	if (what & 1 && o->count < ORACLE_ACCESS_BITMAP_MOST)
		FUZZ_CHECK(gputm_access_bitmap_record(bitmap, address) ==
			   oracle_access_bitmap_record(o, address));
	FUZZ_CHECK(gputm_access_bitmap_query(bitmap, address) ==
		   oracle_access_bitmap_query(o, address));
	FUZZ_CHECK(gputm_access_bitmap_next_run(bitmap, address, &run) ==
		   oracle_access_bitmap_next(o, address, &expected));
	FUZZ_CHECK(run.address == expected.address && run.bytes == expected.bytes);
	FUZZ_CHECK(gputm_access_bitmap_marked(bitmap) == oracle_access_bitmap_marked(o));
	FUZZ_CHECK(!gputm_unit_check(gputm_access_bitmap_unit(bitmap)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_access_bitmap_config config = GPUTM_ACCESS_BITMAP_CONFIG_INIT;
	static struct oracle_access_bitmap oracle;
	struct fuzz fuzz = { data, size };
	struct gputm_access_bitmap *bitmap;

	config.region_bytes = 1 + fuzz_number(&fuzz, 2);
	config.granule = 4u << fuzz_below(&fuzz, 8);
	FUZZ_CHECK(!gputm_access_bitmap_new(NULL, &config, &bitmap));
	oracle_access_bitmap_open(&oracle, &config);
	while (fuzz_more(&fuzz))
		step(bitmap, &oracle, &fuzz);
	gputm_access_bitmap_free(bitmap);
	return 0;
}
