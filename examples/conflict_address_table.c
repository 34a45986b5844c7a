/* SPDX-License-Identifier: BSD-2-Clause */
/* A core has been told which words validate: which lanes pause, which transactions abort? */
#include <gputm/conflict_address_table.h>
#include <inttypes.h>
#include <stdio.h>

static int show_lookup(struct gputm_conflict_address_table *table, uint64_t address, bool write)
{
	int foretold = gputm_conflict_address_table_lookup_probe(table, address, write);
	int conflict = gputm_conflict_address_table_lookup(table, address, write);

	if (conflict < 0 || conflict != foretold)
		return 1;
	printf("%s of 0x%x: %s\n", write ? "write" : "read ", (unsigned)address,
	       conflict ? "conflict" : "none");
	return 0;
}

int main(void)
{
	struct gputm_conflict_address_table_config config =
		GPUTM_CONFLICT_ADDRESS_TABLE_CONFIG_INIT;
	const uint64_t address[4] = { 0x10, 0x14, 0x20, 0x24 };
	struct gputm_conflict_address_table *table;
	bool read, written;
	uint64_t paused;

	if (gputm_conflict_address_table_config_preset(&config, "getm") ||
	    gputm_conflict_address_table_new(NULL, &config, &table))
		return 1;
	printf("%" PRIu64 " bits\n",
	       gputm_unit_storage_bits(gputm_conflict_address_table_unit(table)));
	if (gputm_conflict_address_table_insert_probe(table, 0x10, false) ||
	    gputm_conflict_address_table_insert(table, 0x10, false) ||
	    gputm_conflict_address_table_insert(table, 0x20, true))
		return 1;
	if (show_lookup(table, 0x10, false) || show_lookup(table, 0x10, true) ||
	    show_lookup(table, 0x20, false) || show_lookup(table, 0x24, true))
		return 1;
	if (gputm_conflict_address_table_pause(table, 0xf, address, false, &paused))
		return 1;
	printf("of 4 lanes that read, these pause: 0x%" PRIx64 "\n", paused);
	if (gputm_conflict_address_table_remove(table, 0x20, true) ||
	    gputm_conflict_address_table_get_marks(table, 0x20, &read, &written))
		return 1;
	printf("0x20 %s\n", read || written ? "is marked" : "is free");
	gputm_conflict_address_table_free(table);
	return 0;
}
