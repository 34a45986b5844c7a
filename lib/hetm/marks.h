/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_HETM_MARKS_H
#define GPUTM_LIB_HETM_MARKS_H
/*
 * Marks on the granules of a region: a bit each, 64 to a word. Above every 64 of these words
 * is a count of the marks made there, repeated ones too. What is not marked is never looked
 * at word by word, and its memory stays untouched.
 */
#include "lib/base/unit.h"

struct gputm_access_bitmap;

struct gputm__marks {
	uint64_t *bits; /* [words] */
	uint64_t *made; /* [(words + 63) / 64] */
	uint64_t region; /* bytes */
	uint64_t words;
	uint32_t shift; /* log2 of a granule's bytes */
};

static inline bool gputm__marks_has(const struct gputm__marks *marks, uint64_t address)
{
	uint64_t granule = address >> marks->shift;

	return marks->bits[granule >> 6] >> (granule & 63) & 1;
}

static inline void gputm__marks_set(struct gputm__marks *marks, uint64_t address)
{
	uint64_t granule = address >> marks->shift, word = granule >> 6;

	marks->bits[word] |= UINT64_C(1) << (granule & 63);
	marks->made[word >> 6]++;
}

/* The marks of a bitmap, for the units that work with one. */
const struct gputm__marks *gputm__access_bitmap_marks(const struct gputm_access_bitmap *bitmap);

#endif /* GPUTM_LIB_HETM_MARKS_H */
