/* SPDX-License-Identifier: BSD-2-Clause */
/* Two granules that take turns in one entry of a small table. */
#include <gputm/counter_table.h>
#include <inttypes.h>
#include <stdio.h>

static void record(struct gputm_counter_table *table, uint64_t address)
{
	static const char *const answer[] = { "hit", "filled", "replaced" };
	int result = gputm_counter_table_record(table, address);

	printf("0x%03" PRIx64 " %s, counted %" PRIu64 "\n", address, answer[result],
	       gputm_counter_table_query(table, address));
}

int main(void)
{
	struct gputm_counter_table_config config = GPUTM_COUNTER_TABLE_CONFIG_INIT;
	struct gputm_counter_table *table;

	if (gputm_counter_table_config_preset(&config, "small") < 0 ||
	    gputm_counter_table_new(NULL, &config, &table) < 0)
		return 1;
	record(table, 0x000);
	record(table, 0x01f);
	record(table, 0x800);
	record(table, 0x000);
	gputm_counter_table_free(table);
	return 0;
}
