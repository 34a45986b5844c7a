/* SPDX-License-Identifier: BSD-2-Clause */
/* One running writer per word, and a committed one that a late claimant must not overlook. */
#include <gputm/writer_table.h>
#include <inttypes.h>
#include <stdio.h>

#define WORD 0x40

static void claim(struct gputm_writer_table *table, uint32_t tx, uint64_t snapshot)
{
	static const char *const name[] = { "claimed", "own", "held", "conflict", "full" };
	int result = gputm_writer_table_claim_probe(table, WORD, tx, snapshot);

	if (result == gputm_writer_table_claim(table, WORD, tx, snapshot))
		printf("transaction %" PRIu32 " of snapshot %" PRIu64 ": %s\n", tx, snapshot,
		       name[result]);
}

static void show(const struct gputm_writer_table *table)
{
	struct gputm_writer_table_writer writer[4];
	int count = gputm_writer_table_writers(table, WORD, writer, 4);

	printf("  writers:");
	for (int i = 0; i < count; i++)
		if (writer[i].committed)
			printf(" %" PRIu32 " in version %" PRIu64, writer[i].tx, writer[i].version);
		else
			printf(" %" PRIu32 " running,", writer[i].tx);
	printf("\n");
}

/* Of claims in the same cycle the lowest transaction wins (4.2). */
static void claim_two(struct gputm_writer_table *table)
{
	static const struct gputm_writer_table_request at_once[] = { { 0x80, 4, 6 },
								     { 0x80, 4, 5 } };
	int result[2];

	if (!gputm_writer_table_claim_batch(table, 2, at_once, result))
		printf("6 and 5 at once: 6 %s, 5 %s\n",
		       result[0] == GPUTM_WRITER_TABLE_CLAIMED ? "claims" : "aborts",
		       result[1] == GPUTM_WRITER_TABLE_CLAIMED ? "claims" : "aborts");
}

int main(void)
{
	struct gputm_writer_table *table;

	if (gputm_writer_table_new(NULL, NULL, &table) < 0)
		return 1;
	claim(table, 7, 3);
	claim(table, 8, 3);
	if (gputm_writer_table_commit(table, WORD, 7, 4) < 0)
		return 1;
	show(table);
	claim(table, 9, 3);
	claim(table, 9, 4);
	show(table);
	if (gputm_writer_table_release(table, WORD, 7) < 0)
		return 1;
	show(table);
	claim_two(table);
	printf("storage: %" PRIu64 " bytes\n",
	       gputm_unit_storage_bits(gputm_writer_table_unit(table)) / 8);
	gputm_writer_table_free(table);
	return 0;
}
