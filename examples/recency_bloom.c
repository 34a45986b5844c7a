/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worked example of the thesis (Fig. 6.8): was a word written after the first
 * load of a transaction? Two sub-arrays of two stamps, with the hashes of the figure.
 */
#include <gputm/recency_bloom.h>
#include <inttypes.h>
#include <stdio.h>

static void load(const struct gputm_recency_bloom *filter, uint64_t address, uint64_t first_load)
{
	uint64_t written;

	if (gputm_recency_bloom_query(filter, address, &written) == 0)
		printf("load 0x%" PRIx64 ": last written at %" PRIu64 ", %s\n", address, written,
		       written > first_load ? "conflict" : "no conflict");
}

int main(void)
{
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	uint32_t rows[2 * 14] = { 0 }; /* 2 ways of 14 key bits: 16 address bits, words */
	struct gputm_recency_bloom *filter;

	config.ways = 2;
	config.entries = 2;
	config.address_bits = 16;
	rows[3] = 1;	  /* way 0 looks at address bit 5 */
	rows[14 + 2] = 1; /* way 1 looks at address bit 4 */
	config.h3_rows = rows;
	if (gputm_recency_bloom_new(NULL, &config, &filter) < 0)
		return 1;
	load(filter, 0x10, 1);
	if (gputm_recency_bloom_update(filter, 0x10, 7) < 0)
		return 1;
	load(filter, 0x30, 1);
	if (gputm_recency_bloom_update(filter, 0x20, 15) < 0)
		return 1;
	load(filter, 0x20, 1);
	printf("storage: %" PRIu64 " bits\n",
	       gputm_unit_storage_bits(gputm_recency_bloom_unit(filter)));
	gputm_recency_bloom_free(filter);
	return 0;
}
