/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions validate words at a partition: what does it tell the cores? */
#include <gputm/reference_count_table.h>
#include <inttypes.h>
#include <stdio.h>

static const char *const said[] = { "counted", "to be told to the cores", "ignored" };

/* Whether the call has been refused. */
static int show(const char *what, uint64_t address, bool write, int foretold, int result)
{
	if (result >= 0 && result == foretold)
		printf("%s 0x%02x %-5s: %s\n", what, (unsigned)address, write ? "write" : "read",
		       said[result]);
	return result < 0 || result != foretold;
}

static int add(struct gputm_reference_count_table *table, uint64_t address, bool write)
{
	int foretold = gputm_reference_count_table_add_probe(table, address, write);

	return show("add   ", address, write, foretold,
		    gputm_reference_count_table_add(table, address, write));
}

static int take(struct gputm_reference_count_table *table, uint64_t address, bool write)
{
	int foretold = gputm_reference_count_table_remove_probe(table, address, write);

	return show("remove", address, write, foretold,
		    gputm_reference_count_table_remove(table, address, write));
}

int main(void)
{
	struct gputm_reference_count_table_config config = GPUTM_REFERENCE_COUNT_TABLE_CONFIG_INIT;
	struct gputm_reference_count_table *table;
	uint32_t readers, writers;

	if (gputm_reference_count_table_config_preset(&config, "getm") ||
	    gputm_reference_count_table_new(NULL, &config, &table))
		return 1;
	printf("%" PRIu64 " bits\n",
	       gputm_unit_storage_bits(gputm_reference_count_table_unit(table)));
	gputm_reference_count_table_free(table);
	config.entries = 2;
	if (gputm_reference_count_table_new(NULL, &config, &table))
		return 1;
	if (add(table, 0x10, false) || add(table, 0x10, false) || add(table, 0x20, true) ||
	    add(table, 0x30, false))
		return 1;
	if (gputm_reference_count_table_get_counts(table, 0x10, &readers, &writers) != 1)
		return 1;
	printf("0x10: %u readers, %u writers\n", (unsigned)readers, (unsigned)writers);
	if (take(table, 0x10, false) || take(table, 0x20, true) || take(table, 0x30, false))
		return 1;
	gputm_reference_count_table_free(table);
	return 0;
}
