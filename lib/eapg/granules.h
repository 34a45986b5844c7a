/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_EAPG_GRANULES_H
#define GPUTM_LIB_EAPG_GRANULES_H
/* Tables of granules, in ascending order, so that equal tables have equal bytes. The hardware looks
 * at all entries at a time. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The place of the first of `used` granules that is not below this one. */
static inline uint32_t gputm__granule_place(const uint64_t granule[], uint32_t used,
					    uint64_t wanted)
{
	uint32_t low = 0;

	while (low < used) {
		uint32_t middle = low + (used - low) / 2;

		if (granule[middle] < wanted)
			low = middle + 1;
		else
			used = middle;
	}
	return low;
}

static inline bool gputm__granule_is_at(const uint64_t granule[], uint32_t used, uint32_t at,
					uint64_t wanted)
{
	return at < used && granule[at] == wanted;
}

/* Are they ascending, and none above the last? */
static inline bool gputm__granules_ascend(const uint64_t granule[], uint32_t used, uint64_t last)
{
	for (uint32_t i = 1; i < used; i++)
		if (granule[i - 1] >= granule[i])
			return false;
	return !used || granule[used - 1] <= last;
}

/* Make room for an entry at a place of an array of `used` ones, or close the gap of one. */
static inline void gputm__granule_open(void *array, size_t size, uint32_t used, uint32_t at)
{
	char *place = (char *)array + at * size;

	memmove(place + size, place, (used - at) * size);
}

static inline void gputm__granule_close(void *array, size_t size, uint32_t used, uint32_t at)
{
	char *place = (char *)array + at * size;

	memmove(place, place + size, (used - at - 1) * size);
}

#endif /* GPUTM_LIB_EAPG_GRANULES_H */
