/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A granule is reserved, pushed about by others, released, and forgotten into the filter:
 * its reservation is always exact, its stamps never too old.
 */
#include <gputm/metadata_table.h>
#include <inttypes.h>
#include <stdio.h>

static void show(struct gputm_metadata_table *table, uint64_t address)
{
	struct gputm_metadata_table_entry m = { 0, 0, 0, 0, 0, 0 };
	int found = gputm_metadata_table_lookup(table, address, &m);

	if (found == GPUTM_METADATA_TABLE_MISS &&
	    gputm_metadata_table_estimate(table, address, &m.wts, &m.rts))
		return;
	printf("0x%03" PRIx64 ": %s wts %" PRIu64 " rts %" PRIu64 " writes %u, %u cycles\n",
	       address, found == GPUTM_METADATA_TABLE_HIT ? "entry " : "filter", m.wts, m.rts,
	       m.writes, m.cycles);
}

static int set(struct gputm_metadata_table *table, uint64_t address, uint64_t wts, uint32_t writes)
{
	struct gputm_metadata_table_entry m = { wts, wts, writes, 1, 0, 0 };

	return gputm_metadata_table_update(table, address, &m, NULL);
}

int main(void)
{
	struct gputm_metadata_table_config config = GPUTM_METADATA_TABLE_CONFIG_INIT;
	struct gputm_metadata_table_entry m;
	struct gputm_metadata_table *table;
	uint64_t address;

	config.ways = 2;
	config.entries = 2;
	config.stash = 1;
	if (gputm_metadata_table_new(NULL, &config, &table) < 0)
		return 1;
	for (uint64_t i = 0; i < 8; i++)
		if (set(table, i * 32, 10 + i, 1) < 0)
			return 1;
	printf("8 granules reserved in 4 cells, a stash of 1 and memory\n");
	for (uint64_t i = 0; i < 8; i++)
		show(table, i * 32);
	for (uint64_t i = 0; i < 8; i++)
		if (gputm_metadata_table_add_writes(table, i * 32, -1, 1, NULL) < 0)
			return 1;
	printf("released: %" PRIu64 " reserved writes\n", gputm_metadata_table_writes(table));
	for (uint64_t i = 0; i < 8; i++)
		show(table, i * 32);
	for (uint64_t i = 0; !gputm_metadata_table_get_entry(table, i, &address, &m); i++)
		if (address != UINT64_MAX)
			printf("cell %" PRIu64 " holds 0x%03" PRIx64 "\n", i, address);
	if (gputm_metadata_table_remove(table, 0) == GPUTM_METADATA_TABLE_REMOVED)
		show(table, 0);
	gputm_metadata_table_free(table);
	return 0;
}
