/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_WARPTM_REGION_MAP_H
#define GPUTM_LIB_WARPTM_REGION_MAP_H
/*
 * Region to lane, exactly: what an infinite table or a filter that never errs would hold.
 * Entries lie in the order of insertion, and an open-addressing index finds them; saved are they
 * by ascending region.
 */
#include "lib/base/unit.h"

struct gputm__region_entry {
	uint64_t region;
	uint64_t lane;
};

struct gputm__region_map {
	struct gputm__region_entry *entry; /* [count] in use */
	uint32_t *index;		   /* [1 << bits]: number of the entry + 1; 0: free */
	size_t count, entries;		   /* entries: capacity */
	size_t slots;			   /* of index; 0 or a power of two */
};

/* Room for `more` insertions. 0 or -ENOMEM, with the contents as they were. */
int gputm__region_map_reserve(struct gputm_unit *unit, struct gputm__region_map *map, size_t more);
void gputm__region_map_clear(struct gputm__region_map *map);
/* The entry of a region, or NULL. */
struct gputm__region_entry *gputm__region_map_find(const struct gputm__region_map *map,
						   uint64_t region);
/* Insert a new region; room must be reserved. */
void gputm__region_map_insert(struct gputm__region_map *map, uint64_t region, uint64_t lane);
void gputm__region_map_io(struct gputm__region_map *map, struct gputm__io *io);

#endif /* GPUTM_LIB_WARPTM_REGION_MAP_H */
