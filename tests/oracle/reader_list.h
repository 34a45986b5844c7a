/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_READER_LIST_H
#define GPUTM_ORACLE_READER_LIST_H
/*
 * Readers of words the slow way: a flag per transaction and word, and whether the word has
 * had a fourth reader. What it takes in entries is counted anew after each change.
 */
#include "tests/oracle/stats.h"

#define ORACLE_READER_LIST_WORDS 64
#define ORACLE_READER_LIST_STATS added, already, full, removed, expanded, folded, used_max, used

struct oracle_reader_list {
	struct gputm_reader_list_config config;
	struct {
		uint64_t word;
		bool vectors;
		unsigned entries; /* by settle() */
		bool reader[4096];
	} of[ORACLE_READER_LIST_WORDS];
	unsigned words; /* seen so far */
	ORACLE_STATS(ORACLE_READER_LIST_STATS) stats;
};

static unsigned word_of(struct oracle_reader_list *o, uint64_t address)
{
	uint64_t word = address / o->config.word_bytes;
	unsigned i = 0;

	while (i < o->words && o->of[i].word != word)
		i++;
	if (i == ORACLE_READER_LIST_WORDS)
		abort();
	if (i == o->words)
		o->of[o->words++].word = word;
	return i;
}

static unsigned readers(const struct oracle_reader_list *o, unsigned word)
{
	unsigned sum = 0;

	for (unsigned tx = 0; tx < o->config.root_bits * o->config.leaf_bits; tx++)
		sum += o->of[word].reader[tx];
	return sum;
}

static unsigned entries(const struct oracle_reader_list *o, unsigned word)
{
	unsigned sum = readers(o, word) > 0;

	if (!o->of[word].vectors)
		return sum;
	for (unsigned leaf = 0; leaf < o->config.root_bits; leaf++) {
		bool any = false;

		for (unsigned bit = 0; bit < o->config.leaf_bits; bit++)
			any |= o->of[word].reader[leaf * o->config.leaf_bits + bit];
		sum += any;
	}
	return sum;
}

/* The form that a word takes with the readers it has. */
static void settle(struct oracle_reader_list *o, unsigned word)
{
	unsigned count = readers(o, word);

	if (count > 3)
		o->of[word].vectors = true;
	else if (!count || o->config.fold)
		o->of[word].vectors = false;
	o->of[word].entries = entries(o, word);
}

static unsigned oracle_reader_list_used(const struct oracle_reader_list *o)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < o->words; i++)
		sum += o->of[i].entries;
	return sum;
}

static int oracle_reader_list_add(struct oracle_reader_list *o, uint64_t address, uint32_t tx)
{
	unsigned word = word_of(o, address);
	bool vectors = o->of[word].vectors;

	o->stats.already += o->of[word].reader[tx];
	if (o->of[word].reader[tx])
		return GPUTM_READER_LIST_ALREADY;
	o->of[word].reader[tx] = true;
	settle(o, word);
	if (oracle_reader_list_used(o) <= o->config.entries) {
		o->stats.added++;
		o->stats.expanded += o->of[word].vectors && !vectors;
		o->stats.used = oracle_reader_list_used(o);
		oracle_most(&o->stats.used_max, o->stats.used);
		return GPUTM_READER_LIST_ADDED;
	}
	o->stats.full++;
	o->of[word].reader[tx] = false;
	o->of[word].vectors = vectors;
	o->of[word].entries = entries(o, word);
	return GPUTM_READER_LIST_FULL;
}

static int oracle_reader_list_remove(struct oracle_reader_list *o, uint64_t address, uint32_t tx)
{
	unsigned word = word_of(o, address);
	bool vectors = o->of[word].vectors;

	if (!o->of[word].reader[tx])
		return -EINVAL;
	o->of[word].reader[tx] = false;
	settle(o, word);
	o->stats.removed++;
	o->stats.folded += vectors && !o->of[word].vectors && readers(o, word);
	o->stats.used = oracle_reader_list_used(o);
	return 0;
}

/* ids has room for all transactions. */
static unsigned oracle_reader_list_readers(struct oracle_reader_list *o, uint64_t address,
					   uint32_t *ids)
{
	unsigned word = word_of(o, address), count = 0;

	for (uint32_t tx = 0; tx < o->config.root_bits * o->config.leaf_bits; tx++)
		if (o->of[word].reader[tx])
			ids[count++] = tx;
	return count;
}

static unsigned oracle_reader_list_entries(struct oracle_reader_list *o, uint64_t address)
{
	return entries(o, word_of(o, address));
}

#endif
