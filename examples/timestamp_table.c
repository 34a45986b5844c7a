/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loop of three transactions (ISCA 2017, Fig. 8), found when its last edge is made, in
 * the two orders that the figure shows.
 */
#include <gputm/timestamp_table.h>
#include <inttypes.h>
#include <stdio.h>

static void show(const struct gputm_timestamp_table *table)
{
	struct gputm_timestamp_table_stamps stamps;

	for (uint32_t tx = 0; tx < 3; tx++) {
		if (gputm_timestamp_table_get_stamps(table, tx, &stamps) < 0)
			return;
		printf("   T%" PRIu32 " %2" PRIu32 "/", tx + 1, stamps.cts);
		if (stamps.pdts == GPUTM_TIMESTAMP_TABLE_UNSET)
			printf("- ");
		else
			printf("%-2" PRIu32, stamps.pdts);
	}
	printf("\n");
}

static int play(const char *order)
{
	struct gputm_timestamp_table *table;

	if (gputm_timestamp_table_new(NULL, NULL, &table) < 0)
		return 1;
	for (uint32_t tx = 0; tx < 3; tx++)
		if (gputm_timestamp_table_begin(table, tx, 1) < 0)
			return 1;
	for (const char *name = order; *name; name++) {
		uint32_t pred = (uint32_t)(*name - 'A'), succ = (pred + 1) % 3;
		int result = gputm_timestamp_table_add_edge_probe(table, pred, succ);

		if (gputm_timestamp_table_add_edge(table, pred, succ) != result)
			return 1;
		printf("%c: T%" PRIu32 " before T%" PRIu32 "  %s", *name, pred + 1, succ + 1,
		       result == GPUTM_TIMESTAMP_TABLE_LOOP ? "LOOP" : "ok  ");
		show(table);
	}
	gputm_timestamp_table_free(table);
	return 0;
}

int main(void)
{
	printf("edges in the order A, B, C; CTS/PDTS after each\n");
	if (play("ABC"))
		return 1;
	printf("in the order A, C, B\n");
	return play("ACB");
}
