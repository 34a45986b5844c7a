/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become reads of the GPU and chunks of the CPU, against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/device_validator.h"

#define REGION 512
#define MOST 70

static void push(struct gputm_device_validator *validator, struct gputm_access_bitmap *reads,
		 struct oracle_device_validator *o, const bool *read, struct fuzz *fuzz)
{
	enum gputm_device_validator_mode mode = (enum gputm_device_validator_mode)(
		fuzz_u8(fuzz) % 3);
	struct gputm_device_validator_result r = { 0 }, expected = { 0 };
	struct gputm_log_entry entry[MOST];
	struct gputm_log_chunk chunk = { entry, fuzz_below(fuzz, MOST), 0, o->round, 0 };
	uint64_t apply[2] = { 0 };
	bool should[MOST];
	int answer;

	if (chunk.count + o->count > ORACLE_DEVICE_VALIDATOR_MOST)
		return;
	for (uint32_t i = 0; i < chunk.count; i++)
		entry[i] = (struct gputm_log_entry){ fuzz_u8(fuzz) * 2u, fuzz_u8(fuzz), i };
	answer = oracle_device_validator_push(o, read, &chunk, mode, should, &expected);
	FUZZ_CHECK(gputm_device_validator_push(validator, reads, &chunk, mode, apply, &r) ==
		   answer);
	FUZZ_CHECK(r.conflicts == expected.conflicts && r.applied == expected.applied);
	FUZZ_CHECK(r.stale == expected.stale && r.cycles == expected.cycles);
	for (uint32_t i = 0; !answer && i < chunk.count; i++)
		FUZZ_CHECK((apply[i / 64] >> (i % 64) & 1) == should[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_device_validator_config config = GPUTM_DEVICE_VALIDATOR_CONFIG_INIT;
	struct gputm_access_bitmap_config marks = GPUTM_ACCESS_BITMAP_CONFIG_INIT;
	static struct oracle_device_validator oracle;
	struct gputm_device_validator *validator;
	struct gputm_access_bitmap *reads;
	struct fuzz fuzz = { data, size };
	bool read[REGION / 4] = { 0 };

	config.region_bytes = marks.region_bytes = REGION;
	config.lanes = 1u << fuzz_below(&fuzz, 8);
	FUZZ_CHECK(!gputm_device_validator_new(NULL, &config, &validator));
	FUZZ_CHECK(!gputm_access_bitmap_new(NULL, &marks, &reads));
	oracle_device_validator_open(&oracle, &config);
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz);

		if (what < 64) {
			FUZZ_CHECK(!gputm_access_bitmap_record(reads, what * 8u));
			read[what * 2] = true;
		} else if (what < 80) {
			FUZZ_CHECK(gputm_device_validator_begin(validator, what - 64u) ==
				   oracle_device_validator_begin(&oracle, what - 64u));
		} else {
			push(validator, reads, &oracle, read, &fuzz);
		}
		FUZZ_CHECK(!gputm_unit_check(gputm_device_validator_unit(validator)));
	}
	gputm_device_validator_free(validator);
	gputm_access_bitmap_free(reads);
	return 0;
}
