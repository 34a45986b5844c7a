/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ACCESS_BITMAP_H
#define GPUTM_ACCESS_BITMAP_H

/**
 * @file
 * Which parts of a shared region a device has accessed: gputm_access_bitmap(3).
 *
 * One mark per granule of the region. HeTM keeps two on the GPU: the read-set bitmap, in
 * which writes are marked too, and the write-set bitmap, coarse, for copying back.
 * Source: HeTM (PACT 2019), IV-B, IV-C, IV-D.
 *
 * Addresses are byte offsets from the region's begin, as the replicas lie at different
 * places on the two devices (IV-A).
 *
 * Timing: a mark is one read-modify-write of a memory word by the GPU thread that commits;
 * the unit itself counts no cycles.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** One bitmap. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_access_bitmap;

/** Geometry; fields are only ever appended. Ranges: gputm_access_bitmap_params(). */
struct gputm_access_bitmap_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Bytes of the shared region (1..2^36). */
	uint64_t region_bytes;
	/** Bytes that one mark stands for (power of two, 4..2^20). */
	uint32_t granule;
	/** Bits of a mark; above 1: it holds the number of its round (1..16). */
	uint32_t mark_bits;
};
/* begin INIT */
#define GPUTM_ACCESS_BITMAP_CONFIG_INIT \
	{ sizeof(struct gputm_access_bitmap_config), \
	  /* region_bytes */ 629145600u, /* granule */ 4, /* mark_bits */ 1 }
/* end INIT */

/** Events; gputm_access_bitmap(3) says what each tells. */
enum gputm_access_bitmap_event {
	GPUTM_ACCESS_BITMAP_EVENT_CLEAR = 0,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_access_bitmap_params(void);

/**
 * Set @p config to a preset: "read-small" (V-A: 4 B per bit), "read-large" (V-A: 1 KB),
 * "write-back" (IV-D: 16 KB), and of the authors' code "authors-read" (4 B, bytes as marks),
 * "authors-write" (8 KB, bytes as marks).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_access_bitmap_config_preset(struct gputm_access_bitmap_config *config, const char *name);

/**
 * Make a bitmap with no mark. With libc's allocator the memory of a granule that is never
 * marked is never touched.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a
 * field newer than this library; -ENOMEM. Free it with gputm_access_bitmap_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_access_bitmap_new(struct gputm_ctx *ctx, const struct gputm_access_bitmap_config *config,
			struct gputm_access_bitmap **out);
/** Free a bitmap; NULL allowed. */
GPUTM_API void gputm_access_bitmap_free(struct gputm_access_bitmap *bitmap);
/** @return its common face; lives as long as @p bitmap. */
GPUTM_API struct gputm_unit *gputm_access_bitmap_unit(struct gputm_access_bitmap *bitmap);

/**
 * Mark the granule of one access.
 * @param address byte offset into the region. An access that straddles two granules is
 * recorded once for each.
 * @return 0; -ERANGE, outside the region.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_access_bitmap_record(struct gputm_access_bitmap *bitmap,
							  uint64_t address);

/**
 * Is the granule of @p address marked?
 * @return 1, 0; -ERANGE, outside the region.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_access_bitmap_query(struct gputm_access_bitmap *bitmap,
							 uint64_t address);

/** A run of marked granules that follow one another. */
struct gputm_access_bitmap_run {
	uint64_t address; /**< first byte, a multiple of the granule */
	uint64_t bytes;	  /**< length; the region's last granule counts as far as it goes */
};

/**
 * The first run of marked granules that ends after @p from; a run that begins before it is
 * given from the granule of @p from on. To list all runs start with 0 and go on with
 * address + bytes of each. Looks at unmarked parts 4,096 granules at a time.
 * @return whether there is one; @p run is set only then.
 */
GPUTM_API bool gputm_access_bitmap_next_run(const struct gputm_access_bitmap *bitmap, uint64_t from,
					    struct gputm_access_bitmap_run *run);

/** @return granules marked, counted anew at the cost of those that there are. */
GPUTM_API uint64_t gputm_access_bitmap_marked(const struct gputm_access_bitmap *bitmap);

/**
 * Remove all marks, at the cost of those that there are: a new round begins. The hardware writes
 * its whole map only when the 2^mark_bits - 1 numbers of rounds are used up (counted as a wipe);
 * with mark_bits = 1 that is each time.
 */
GPUTM_API void gputm_access_bitmap_clear(struct gputm_access_bitmap *bitmap);

GPUTM_END_DECLS
#endif /* GPUTM_ACCESS_BITMAP_H */
