/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_LAST_WRITER_PRIV_H
#define GPUTM_LIB_KILOTM_LAST_WRITER_PRIV_H
/* Layout of the last writer history, shared by its hardware and its face. */
#include "gputm/last_writer.h"
#include "gputm/recency_bloom.h"
#include "lib/base/h3.h"

#define GPUTM__FLOOR_MAX (UINT64_C(1) << 63) /* keeps every code below 2^64 */

struct gputm__writer {
	uint64_t word; /* byte address / word_bytes; 0 when free */
	uint64_t code; /* commit ID + 1; 0 when free */
};

struct gputm_last_writer {
	struct gputm_unit unit;
	struct gputm_last_writer_config config;
	struct gputm_h3 *hash;
	struct gputm_recency_bloom *filter;
	struct gputm__writer *entry; /* [sets][ways] */
	uint64_t address_max;
	uint32_t word_shift;

	uint64_t base, newest, limit;
	uint64_t filtered; /* largest code that the filter may contain */
	uint64_t entries;
	uint64_t lookups, answers[3]; /* by enum gputm_last_writer_result */
	uint64_t records, replaced, filled, evicted;
	uint64_t expiries, forgotten, sweep_cycles;
	uint64_t entries_max;
};

static inline size_t gputm__writer_capacity(const struct gputm_last_writer *self)
{
	return (size_t)self->config.sets * self->config.ways;
}

static inline void gputm__writer_set_base(struct gputm_last_writer *self, uint64_t base)
{
	self->base = base;
	self->limit = base + gputm__low_mask(self->config.cid_bits) - 1;
}

static inline struct gputm__writer *gputm__writer_set(const struct gputm_last_writer *self,
						      uint64_t address)
{
	uint64_t set = gputm__h3_group(self->hash, 0, address);

	return self->entry + set * self->config.ways;
}

static inline struct gputm__writer *gputm__writer_find(const struct gputm_last_writer *self,
						       struct gputm__writer *set, uint64_t word)
{
	for (uint32_t way = 0; way < self->config.ways; way++)
		if (set[way].word == word && set[way].code)
			return &set[way];
	return NULL;
}

#endif /* GPUTM_LIB_KILOTM_LAST_WRITER_PRIV_H */
