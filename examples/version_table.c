/* SPDX-License-Identifier: BSD-2-Clause */
/* The first region of Fig. 6 (ISCA 2017): four versions, read by time of start. */
#include <gputm/version_table.h>
#include <inttypes.h>
#include <stdio.h>

static int make_versions(struct gputm_version_table *table, uint32_t region)
{
	static const uint64_t created[] = { 123, 193, 255 };
	uint32_t from, to;

	for (unsigned i = 0; i < 3; i++) {
		if (gputm_version_table_begin_copy(table, region, &from, &to) !=
			    GPUTM_VERSION_TABLE_OK ||
		    gputm_version_table_complete_copy(table, region) < 0 ||
		    gputm_version_table_seal(table, 1, created[i]) != GPUTM_VERSION_TABLE_OK)
			return 1;
		printf("version %" PRIu32 ", a copy of %" PRIu32 ", created at %" PRIu64 "\n", to,
		       from, created[i]);
	}
	return 0;
}

static void read_at(const struct gputm_version_table *table, uint64_t time)
{
	uint64_t physical;

	printf("read 0x800000 at %" PRIu64 ": ", time);
	if (gputm_version_table_resolve(table, 0x800000, time, &physical) ==
	    GPUTM_VERSION_TABLE_OK)
		printf("0x%" PRIx64 "\n", physical);
	else
		printf("stale\n");
}

static void plain(const struct gputm_version_table *table, uint64_t address)
{
	uint64_t physical;

	if (gputm_version_table_resolve_plain(table, address, &physical) == 0)
		printf("plain 0x%" PRIx64 ": 0x%" PRIx64 "\n", address, physical);
}

int main(void)
{
	struct gputm_version_table_config config = GPUTM_VERSION_TABLE_CONFIG_INIT;
	struct gputm_version_table *table;
	uint32_t region;

	config.versions = 4;
	if (gputm_version_table_new(NULL, &config, &table) < 0)
		return 1;
	if (gputm_version_table_add_region(table, 0x800000, 0x400, 0xA00000, 17, &region) !=
		    GPUTM_VERSION_TABLE_OK ||
	    make_versions(table, region))
		return 1;
	read_at(table, 16);
	read_at(table, 122);
	read_at(table, 123);
	read_at(table, 192);
	read_at(table, 255);
	plain(table, 0x810000);
	plain(table, 0x820000);
	plain(table, 0x810400);
	gputm_version_table_free(table);
	return 0;
}
