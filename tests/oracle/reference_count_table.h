/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_REFERENCE_COUNT_TABLE_H
#define GPUTM_ORACLE_REFERENCE_COUNT_TABLE_H
/* Every reference that counts, in a list; all numbers are found by counting in it. */
#include "tests/oracle/stats.h"

#define ORACLE_REFERENCE_COUNT_TABLE_STATS                                                     \
	added, removed, first, last, full, saturated, absent, references, used, used_max

struct oracle_reference {
	uint64_t word;
	bool write;
};

struct oracle_reference_count_table {
	struct gputm_reference_count_table_config config;
	struct oracle_reference *reference;
	ORACLE_STATS(ORACLE_REFERENCE_COUNT_TABLE_STATS) stats;
};

static void
oracle_reference_count_table_open(struct oracle_reference_count_table *o,
				  const struct gputm_reference_count_table_config *config)
{
	ORACLE_OPEN(o, config);
}

static void oracle_reference_count_table_close(struct oracle_reference_count_table *o)
{
	free(o->reference);
}

static bool oracle_is_wide(const struct oracle_reference_count_table *o, uint64_t address)
{
	return o->config.address_bits < 64 && address >> o->config.address_bits;
}

static uint64_t oracle_count(const struct oracle_reference_count_table *o, uint64_t word,
			     bool write)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < o->stats.references; i++)
		count += o->reference[i].word == word && o->reference[i].write == write;
	return count;
}

static uint64_t oracle_words(const struct oracle_reference_count_table *o)
{
	uint64_t words = 0;

	for (uint64_t i = 0; i < o->stats.references; i++) {
		bool before = false;

		for (uint64_t k = 0; k < i; k++)
			before |= o->reference[k].word == o->reference[i].word;
		words += !before;
	}
	return words;
}

static int oracle_reference_count_table_add(struct oracle_reference_count_table *o,
					    uint64_t address, bool write)
{
	uint64_t word = address / o->config.granularity;
	uint64_t same = oracle_count(o, word, write), other = oracle_count(o, word, !write);

	if (oracle_is_wide(o, address))
		return -ERANGE;
	if (!same && !other && oracle_words(o) == o->config.entries) {
		o->stats.full++;
		return GPUTM_REFERENCE_COUNT_TABLE_IGNORED;
	}
	if ((same + 1) >> o->config.count_bits) {
		o->stats.saturated++;
		return GPUTM_REFERENCE_COUNT_TABLE_IGNORED;
	}
	o->reference = realloc(o->reference, (o->stats.references + 1) * sizeof(*o->reference));
	if (!o->reference)
		abort();
	o->reference[o->stats.references++] = (struct oracle_reference){ word, write };
	o->stats.added++;
	o->stats.first += !same;
	o->stats.used = oracle_words(o);
	oracle_most(&o->stats.used_max, o->stats.used);
	return same ? GPUTM_REFERENCE_COUNT_TABLE_COUNTED : GPUTM_REFERENCE_COUNT_TABLE_CHANGED;
}

static int oracle_reference_count_table_remove(struct oracle_reference_count_table *o,
					       uint64_t address, bool write)
{
	uint64_t word = address / o->config.granularity, i = 0;

	if (oracle_is_wide(o, address))
		return -ERANGE;
	while (i < o->stats.references &&
	       (o->reference[i].word != word || o->reference[i].write != write))
		i++;
	if (i == o->stats.references) {
		o->stats.absent++;
		return GPUTM_REFERENCE_COUNT_TABLE_IGNORED;
	}
	o->reference[i] = o->reference[--o->stats.references];
	o->stats.removed++;
	o->stats.used = oracle_words(o);
	if (oracle_count(o, word, write))
		return GPUTM_REFERENCE_COUNT_TABLE_COUNTED;
	o->stats.last++;
	return GPUTM_REFERENCE_COUNT_TABLE_CHANGED;
}

#endif /* GPUTM_ORACLE_REFERENCE_COUNT_TABLE_H */
