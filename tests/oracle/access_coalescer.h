/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_ACCESS_COALESCER_H
#define GPUTM_ORACLE_ACCESS_COALESCER_H
/*
 * The coalescer the slow way: every word is compared with every wide access so far, and
 * addresses are divided.
 */
#include "tests/oracle/stats.h"

#define ORACLE_ACCESS_COALESCER_STATS                                                          \
	reads, writes, words, accesses, saved, duplicates, per_group[GPUTM_HISTOGRAM_BUCKETS]

struct oracle_access_coalescer {
	struct gputm_access_coalescer_config config;
	ORACLE_STATS(ORACLE_ACCESS_COALESCER_STATS) stats;
};

static int refusal(const struct gputm_access_coalescer_config *config, uint32_t count,
		   const struct gputm_access_coalescer_word *access)
{
	if (count > config->words)
		return -ERANGE;
	for (uint32_t i = 0; i < count; i++) {
		if (access[i].lane >= config->lanes)
			return -ERANGE;
		if (access[i].address % 4)
			return -EINVAL;
		if (config->address_bits < 64 && access[i].address >> config->address_bits)
			return -ERANGE;
	}
	return 0;
}

static struct gputm_access_coalescer_access *region_of(struct gputm_access_coalescer_access *out,
						       uint32_t *regions, uint64_t address)
{
	for (uint32_t i = 0; i < *regions; i++)
		if (out[i].address == address)
			return &out[i];
	memset(&out[*regions], 0, sizeof(*out));
	out[*regions].address = address;
	return &out[(*regions)++];
}

/* As gputm_access_coalescer_merge_log(). Words of a wide access that are not written have
 * value 0. */
static int oracle_access_coalescer_log(struct oracle_access_coalescer *o, uint32_t count,
				       const struct gputm_access_coalescer_word *access, bool write,
				       struct gputm_access_coalescer_access *out,
				       struct gputm_access_coalescer_summary *summary)
{
	uint32_t regions = 0, duplicates = 0;
	int error = refusal(&o->config, count, access);

	if (error)
		return error;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t offset = access[i].address % o->config.region_bytes, word = offset / 4;
		struct gputm_access_coalescer_access *wide =
			region_of(out, &regions, access[i].address - offset);

		if (wide->word_mask & UINT32_C(1) << word)
			duplicates++;
		wide->word_mask |= UINT32_C(1) << word;
		wide->lane_mask |= UINT64_C(1) << access[i].lane;
		wide->words++;
		if (write)
			wide->value[word] = access[i].value;
	}
	summary->accesses = regions;
	summary->words = count;
	summary->duplicates = duplicates;
	summary->saved = count - regions;
	++*(write ? &o->stats.writes : &o->stats.reads);
	o->stats.words += count;
	o->stats.accesses += regions;
	o->stats.saved += count - regions;
	o->stats.duplicates += duplicates;
	oracle_sample(o->stats.per_group, regions);
	return (int)regions;
}

/* Whether two wide accesses say the same; values count only where a word is written. */
static bool oracle_access_coalescer_same(const struct gputm_access_coalescer_access *a,
					 const struct gputm_access_coalescer_access *b, bool write)
{
	if (a->address != b->address || a->lane_mask != b->lane_mask ||
	    a->word_mask != b->word_mask || a->words != b->words)
		return false;
	for (unsigned word = 0; write && word < GPUTM_MEM_WORDS_MAX; word++)
		if (a->word_mask >> word & 1 && a->value[word] != b->value[word])
			return false;
	return true;
}

#endif /* GPUTM_ORACLE_ACCESS_COALESCER_H */
