/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_HETM_MARKS_H
#define GPUTM_LIB_HETM_MARKS_H
/*
 * Marks on the granules of a region: a bit each, 64 to a word. Above every 64 of these words
 * is a count of the marks made there, repeated ones too. What is not marked is never looked
 * at word by word, and its memory stays untouched.
 *
 * The place of a bit comes from one multiplication by scale = 2^(64 - 6 - shift): the high half
 * of the product is the word, and the topmost 6 bits of the low half are the bit in it.
 */
#include "lib/base/unit.h"

struct gputm_access_bitmap;

struct gputm__marks {
	uint64_t *bits; /* [words] */
	uint64_t *made; /* [(words + 63) / 64] */
	uint64_t region; /* bytes */
	uint64_t scale;
	uint64_t words;
	uint32_t shift; /* log2 of a granule's bytes */
};

struct gputm__mark_place {
	uint64_t word, bit;
};

static inline struct gputm__mark_place gputm__mark_place(uint64_t address, uint64_t scale)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)address * scale;

	return (struct gputm__mark_place){ (uint64_t)(product >> 64),
					   gputm__opaque((uint64_t)product) >> 58 };
#else
	unsigned shift = 64 - gputm__lowest(scale); /* to the word */

	return (struct gputm__mark_place){ address >> shift, address >> (shift - 6) & 63 };
#endif
}

/*
 * The bit of a granule. On x86-64 in a register that the multiplication does not use; otherwise gcc
 * puts it there and copies the product first.
 */
static inline uint64_t gputm__mark_mask(uint64_t bit)
{
#ifdef __x86_64__
	uint64_t mask = 0;

	__asm__("" : "+S"(mask));
	mask |= UINT64_C(1) << bit;
	__asm__("" : "+S"(mask));
	return mask;
#else
	return UINT64_C(1) << bit;
#endif
}

static inline bool gputm__marks_has(const struct gputm__marks *marks, uint64_t address)
{
	uint64_t granule = address >> marks->shift;

	return marks->bits[granule >> 6] >> (granule & 63) & 1;
}

static inline void gputm__marks_set(struct gputm__marks *marks, uint64_t address)
{
	struct gputm__mark_place at = gputm__mark_place(address, marks->scale);

	marks->bits[at.word] |= gputm__mark_mask(at.bit);
	marks->made[at.word >> 6]++;
}

/* The marks of a bitmap, for the units that work with one. */
const struct gputm__marks *gputm__access_bitmap_marks(const struct gputm_access_bitmap *bitmap);

#endif /* GPUTM_LIB_HETM_MARKS_H */
