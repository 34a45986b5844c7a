/* SPDX-License-Identifier: BSD-2-Clause */
/* Eight lanes write a word each: the same row in regions of 32, 64 and 128 bytes. */
#include <gputm/access_coalescer.h>
#include <inttypes.h>
#include <stdio.h>

static void merge(uint32_t region_bytes, const uint64_t *address, const uint32_t *value)
{
	struct gputm_access_coalescer_config config = GPUTM_ACCESS_COALESCER_CONFIG_INIT;
	struct gputm_access_coalescer_summary summary;
	struct gputm_access_coalescer *coalescer;
	struct gputm_access_coalescer_access out[8];
	int wide;

	config.region_bytes = region_bytes;
	config.lanes = 8;
	if (gputm_access_coalescer_new(NULL, &config, &coalescer) < 0)
		return;
	wide = gputm_access_coalescer_merge_row(coalescer, 0xff, address, value, out, &summary);
	if (wide >= 0)
		printf("%" PRIu32 " B: %" PRIu32 " words in %" PRIu32 " accesses, %" PRIu32
		       " saved, %" PRIu32 " duplicate\n",
		       region_bytes, summary.words, summary.accesses, summary.saved,
		       summary.duplicates);
	for (int i = 0; i < wide; i++)
		printf("  %#6" PRIx64 " words %#010" PRIx32 " lanes %#04" PRIx64
		       ", first value %" PRIu32 "\n",
		       out[i].address, out[i].word_mask, out[i].lane_mask,
		       out[i].value[__builtin_ctz(out[i].word_mask)]);
	gputm_access_coalescer_free(coalescer);
}

/* What lanes 0 and 1 have written in one partition, in the order of their logs. */
static void merge_logs(void)
{
	static const struct gputm_access_coalescer_word word[] = {
		{ 0x100, 1, 0 }, { 0x140, 2, 0 }, { 0x104, 3, 1 }, { 0x100, 4, 1 },
	};
	struct gputm_access_coalescer_summary summary;
	struct gputm_access_coalescer *coalescer;
	struct gputm_access_coalescer_access out[4];

	if (gputm_access_coalescer_new(NULL, NULL, &coalescer) < 0)
		return;
	if (gputm_access_coalescer_merge_log(coalescer, 4, word, true, out, &summary) > 0)
		printf("logs: %" PRIu32 " words in %" PRIu32 " accesses; 0x100 becomes %" PRIu32
		       "\n", summary.words, summary.accesses, out[0].value[0]);
	gputm_access_coalescer_free(coalescer);
}

int main(void)
{
	static const uint64_t address[8] = { 0x100, 0x104, 0x108, 0x10c,
					     0x120, 0x1c0, 0x104, 0x17c };
	static const uint32_t value[8] = { 10, 11, 12, 13, 14, 15, 16, 17 };

	for (uint32_t bytes = 32; bytes <= 128; bytes *= 2)
		merge(bytes, address, value);
	merge_logs();
	return 0;
}
