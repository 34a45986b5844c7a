/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_COMMIT_BUFFER_PRIV_H
#define GPUTM_LIB_GETM_COMMIT_BUFFER_PRIV_H
/* What the files of the commit buffer share; the essay is in commit_buffer.c. */
#include "gputm/commit_buffer.h"
#include "lib/base/queue.h"

#define GPUTM__NO_TAG UINT32_MAX

struct gputm__commit_block {
	uint64_t address, sequence;
	uint32_t warp;
	uint32_t words; /* mask */
	uint32_t sum;	/* of the counts */
	bool cleanup;
	uint32_t value[GPUTM_MEM_WORDS_MAX], count[GPUTM_MEM_WORDS_MAX];
};

struct gputm_commit_buffer {
	struct gputm_unit unit;
	struct gputm_commit_buffer_config config;
	struct gputm__commit_block *block;
	struct gputm__queue waiting, releasing; /* uint32_t, numbers of blocks */
	uint32_t *free, free_count; /* numbers of the others, in any order */
	uint32_t *flying;   /* the blocks in flight, by their tags */
	uint64_t *free_tag; /* a bit each for tags not in flight, and a bit after the last */
	uint32_t next_tag;  /* the lowest free one, while the memory port is empty */
	uint32_t port, port_tag; /* the block at the memory port; no tag: there is none */
	uint64_t address_max, block_mask;
	uint32_t step; /* words of a granule within a block */
	uint32_t granule_words; /* mask of those of the first */
	uint64_t writes;
	uint64_t cycles, entries, joined, made, written, cleaned, refused, retired;
	uint64_t writes_in, writes_out, blocks_max;
};

/* The lowest free tag, so that tags depend on what is in flight only. */
static inline void gputm__find_tag(struct gputm_commit_buffer *b)
{
	uint32_t word = 0;

	while (!b->free_tag[word])
		word++;
	b->next_tag = word * 64 + gputm__lowest(b->free_tag[word]);
}

static inline bool gputm__tag_is_free(const struct gputm_commit_buffer *b, uint64_t tag)
{
	return b->free_tag[tag / 64] >> (tag & 63) & 1;
}

static inline uint64_t gputm__block_counts(const struct gputm__commit_block *block)
{
	uint64_t sum = 0;

	for (uint32_t words = block->words; words; words &= words - 1)
		sum += block->count[gputm__lowest(words)];
	return sum;
}

#endif /* GPUTM_LIB_GETM_COMMIT_BUFFER_PRIV_H */
