/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The readers of one word, as the hardware holds them: plain IDs, and from the fourth
 * reader on a root and its leaves (ISCA 2017, Fig. 10).
 */
#include <gputm/reader_list.h>
#include <inttypes.h>
#include <stdio.h>

#define WORD 0x1000

static void show(const struct gputm_reader_list *list)
{
	struct gputm_reader_list_entry entry;

	for (uint32_t i = 0; !gputm_reader_list_get_entry(list, WORD, i, &entry); i++)
		switch (entry.type) {
		case GPUTM_READER_LIST_TYPE_PLAIN:
			printf("  plain");
			for (uint32_t k = 0; k < entry.count; k++)
				printf(" %" PRIu32, entry.id[k]);
			printf("\n");
			break;
		case GPUTM_READER_LIST_TYPE_ROOT:
			printf("  root    %08" PRIx64 "\n", entry.vector);
			break;
		default:
			printf("  leaf %-2" PRIu32 " %08" PRIx64 "\n", entry.position,
			       entry.vector);
		}
}

int main(void)
{
	static const uint32_t reader[] = { 5, 683, 1023, 40 };
	struct gputm_reader_list *list;
	uint32_t ids[8];
	int count;

	if (gputm_reader_list_new(NULL, NULL, &list) < 0)
		return 1;
	for (unsigned i = 0; i < 4; i++) {
		if (gputm_reader_list_add_probe(list, WORD, reader[i]) == GPUTM_READER_LIST_FULL)
			return 1; /* the reader would abort */
		if (gputm_reader_list_add(list, WORD, reader[i]) != GPUTM_READER_LIST_ADDED)
			return 1;
		printf("transaction %" PRIu32 " reads\n", reader[i]);
		show(list);
	}
	if (gputm_reader_list_remove(list, WORD, 683) < 0)
		return 1;
	printf("transaction 683 ends\n");
	show(list);
	count = gputm_reader_list_readers(list, WORD, ids, 8);
	printf("a writer must post-date");
	for (int i = 0; i < count; i++)
		printf(" %" PRIu32, ids[i]);
	printf("\n%" PRIu32 " entries in use, storage: %" PRIu64 " bytes\n",
	       gputm_reader_list_used(list),
	       gputm_unit_storage_bits(gputm_reader_list_unit(list)) / 8);
	gputm_reader_list_free(list);
	return 0;
}
