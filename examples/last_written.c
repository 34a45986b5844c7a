/* SPDX-License-Identifier: BSD-2-Clause */
/* When was a block last written? Never too early, and aliasing grows as the table shrinks. */
#include <gputm/last_written.h>
#include <inttypes.h>
#include <stdio.h>

static int fill(const char *preset)
{
	struct gputm_last_written_config config = GPUTM_LAST_WRITTEN_CONFIG_INIT;
	struct gputm_last_written *table;
	unsigned late = 0, used = 0;
	uint64_t time;

	if (gputm_last_written_config_preset(&config, preset) ||
	    gputm_last_written_new(NULL, &config, &table))
		return 1;
	for (uint64_t block = 1; block <= 300; block++)
		if (gputm_last_written_record(table, block * 128, block))
			return 1;
	for (uint64_t block = 1; block <= 300; block++) {
		if (gputm_last_written_query(table, block * 128 + 64, &time) || time < block)
			return 1;
		late += time > block;
	}
	for (uint32_t i = 0; !gputm_last_written_get_entry(table, 0, i, &time); i++)
		used += time != 0;
	printf("%-20s %6" PRIu64 " bits, %3u of 300 times too late, %3u entries of way 0 used\n",
	       preset, gputm_unit_storage_bits(gputm_last_written_unit(table)), late, used);
	gputm_last_written_clear(table); /* the timers start again */
	if (gputm_last_written_query_probe(table, 128, &time) || time)
		return 1;
	gputm_last_written_free(table);
	return 0;
}

int main(void)
{
	return fill("tcd-128") || fill("tcd-2k") || fill("tcd-2k-1-sub-array") || fill("tcd-4k");
}
