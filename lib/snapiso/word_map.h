/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_SNAPISO_WORD_MAP_H
#define GPUTM_LIB_SNAPISO_WORD_MAP_H
/*
 * How a table finds a word in the host's memory: open addressing with linear probing and
 * a multiplicative hash, at most three quarters full. A removal moves later slots back, so
 * there are no marks of what was removed and a search ends at the first free slot. The
 * modelled tables are associative; none of this is visible in what they answer.
 */
#include "lib/base/unit.h"

struct gputm__word_slot {
	uint64_t key;  /* number of the word + 1; 0: free */
	uint64_t data; /* the table's own data; 0 when free */
};

struct gputm__word_map {
	struct gputm__word_slot *slot; /* [mask + 1] */
	size_t mask;
	uint32_t shift;
};

/* Free every slot. */
static inline void gputm__word_map_clear(struct gputm__word_map *map)
{
	memset(map->slot, 0, (map->mask + 1) * sizeof(*map->slot));
}

/* Room for `words` words, as memory of gputm__own(). */
static inline void gputm__word_map_setup(struct gputm__word_map *map, struct gputm_unit *unit,
					 uint64_t words)
{
	uint32_t bits = gputm__bits_for(words + words / 3 + 2);

	map->mask = ((size_t)1 << bits) - 1;
	map->shift = 64 - bits;
	map->slot = gputm__own(unit, map->mask + 1, sizeof(*map->slot));
}

static inline size_t gputm__word_home(const struct gputm__word_map *map, uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> map->shift);
}

/* The slot at which the search for this key starts. */
static inline struct gputm__word_slot *gputm__word_first(const struct gputm__word_map *map,
							 uint64_t key)
{
	return &map->slot[gputm__word_home(map, key)];
}

/* The end of the search from a slot on: the slot of this key, or a free slot. */
static inline struct gputm__word_slot *gputm__word_search(const struct gputm__word_map *map,
							  struct gputm__word_slot *slot,
							  uint64_t key)
{
	while (slot->key != key && slot->key)
		slot = slot == &map->slot[map->mask] ? map->slot : slot + 1;
	return slot;
}

static inline struct gputm__word_slot *gputm__word_find(const struct gputm__word_map *map,
							uint64_t key)
{
	return gputm__word_search(map, gputm__word_first(map, key), key);
}

/* True if the slot may move to the hole: not before its home. */
static inline bool gputm__word_may_move(const struct gputm__word_map *map, size_t at, size_t hole)
{
	size_t home = gputm__word_home(map, map->slot[at].key);

	return ((at - home) & map->mask) >= ((at - hole) & map->mask);
}

/* Free the slot; later slots of its run move back. */
static inline void gputm__word_erase(struct gputm__word_map *map, struct gputm__word_slot *slot)
{
	size_t hole = (size_t)(slot - map->slot);

	for (size_t at = (hole + 1) & map->mask; map->slot[at].key; at = (at + 1) & map->mask)
		if (gputm__word_may_move(map, at, hole)) {
			map->slot[hole] = map->slot[at];
			hole = at;
		}
	map->slot[hole] = (struct gputm__word_slot){ 0, 0 };
}

static inline uint64_t gputm__word_count(const struct gputm__word_map *map)
{
	uint64_t count = 0;

	for (size_t i = 0; i <= map->mask; i++)
		count += map->slot[i].key != 0;
	return count;
}

/* For io(): the number of words in use and their keys, in ascending order; a load adds the words.
 * @return where the keys are. */
static inline size_t gputm__word_io(struct gputm__word_map *map, struct gputm__io *io,
				    uint64_t *words, uint64_t words_max, uint64_t key_max,
				    uint64_t data)
{
	struct gputm__word_slot *slot = map->slot;
	uint64_t key = 0;
	size_t keys;

	*words = gputm__io_reading(io) ? 0 : gputm__word_count(map);
	gputm__io_u64_max(io, words, words_max, "words");
	keys = io->used;
	for (uint64_t i = 0; i < *words && !io->error; i++, slot++) {
		while (!gputm__io_reading(io) && !slot->key)
			slot++;
		key = slot->key;
		gputm__io_u64_max(io, &key, key_max, "number of a word");
		if (!gputm__io_reading(io) || io->error)
			continue;
		if (!key)
			gputm__io_fail(io, -EINVAL, "a word in use is free");
		*gputm__word_find(map, key) = (struct gputm__word_slot){ key, data };
	}
	gputm__io_ascending(io, keys, 1);
	return keys;
}

/* Then for io(): the slot of word i; start with *at = 0. */
static inline struct gputm__word_slot *gputm__word_nth(struct gputm__word_map *map,
						       const struct gputm__io *io, size_t keys,
						       uint64_t i, size_t *at)
{
	if (io->mode != GPUTM__MEASURE)
		return gputm__word_find(map, gputm__io_number(io, keys + (size_t)i * 8));
	while (!map->slot[*at].key)
		++*at;
	return &map->slot[(*at)++];
}

/* True if a search finds this used slot. */
static inline bool gputm__word_is_found(const struct gputm__word_map *map, size_t at)
{
	return gputm__word_find(map, map->slot[at].key) == &map->slot[at];
}

#endif /* GPUTM_LIB_SNAPISO_WORD_MAP_H */
