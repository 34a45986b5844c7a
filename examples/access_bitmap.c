/* SPDX-License-Identifier: BSD-2-Clause */
/* A round of GPU writes, and the transfers that copy them back to the CPU. */
#include <gputm/access_bitmap.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	static const uint64_t written[] = { 0x100, 0x3ffc, 0x4000, 0x12344, 0x4fffc, 0x50000 };
	struct gputm_access_bitmap_config config = GPUTM_ACCESS_BITMAP_CONFIG_INIT;
	struct gputm_access_bitmap *bitmap;
	struct gputm_access_bitmap_run run;
	uint64_t bytes = 0;

	if (gputm_access_bitmap_config_preset(&config, "write-back") < 0)
		return 1;
	config.region_bytes = 1 << 20;
	if (gputm_access_bitmap_new(NULL, &config, &bitmap) < 0)
		return 1;
	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
		if (gputm_access_bitmap_record(bitmap, written[i]) < 0)
			return 1;
	printf("%" PRIu64 " granules of %" PRIu32 " bytes are marked\n",
	       gputm_access_bitmap_marked(bitmap), config.granule);
	for (uint64_t at = 0; gputm_access_bitmap_next_run(bitmap, at, &run);
	     at = run.address + run.bytes) {
		printf("copy 0x%05" PRIx64 " .. 0x%05" PRIx64 "\n", run.address,
		       run.address + run.bytes - 1);
		bytes += run.bytes;
	}
	printf("%" PRIu64 " bytes of %" PRIu64 "\n", bytes, config.region_bytes);
	gputm_access_bitmap_clear(bitmap);
	printf("0x100 in the next round: %d\n", gputm_access_bitmap_query(bitmap, 0x100));
	gputm_access_bitmap_free(bitmap);
	return 0;
}
