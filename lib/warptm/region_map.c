/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/warptm/region_map.h"

#define COUNT_MAX (UINT32_C(1) << 24) /* most entries in a snapshot */

/* The slot at which the search for a region starts. */
static size_t start(const struct gputm__region_map *map, uint64_t region)
{
	return (size_t)gputm__mix64(region) & (map->slots - 1);
}

static void link_entry(struct gputm__region_map *map, size_t number)
{
	size_t at = start(map, map->entry[number].region);

	while (map->index[at])
		at = (at + 1) & (map->slots - 1);
	map->index[at] = (uint32_t)number + 1;
}

static int grow_index(struct gputm_unit *unit, struct gputm__region_map *map, size_t need)
{
	if (need <= map->slots)
		return 0;
	if (gputm__own_more(unit, &map->index, &map->slots, need, sizeof(*map->index)))
		return -ENOMEM;
	memset(map->index, 0, map->slots * sizeof(*map->index));
	for (size_t i = 0; i < map->count; i++)
		link_entry(map, i);
	return 0;
}

int gputm__region_map_reserve(struct gputm_unit *unit, struct gputm__region_map *map, size_t more)
{
	size_t need = map->count + more;
	int error = gputm__own_more(unit, &map->entry, &map->entries, need, sizeof(*map->entry));

	return error ? error : grow_index(unit, map, 2 * need + 1);
}

void gputm__region_map_clear(struct gputm__region_map *map)
{
	if (map->count)
		memset(map->index, 0, map->slots * sizeof(*map->index));
	map->count = 0;
}

struct gputm__region_entry *gputm__region_map_find(const struct gputm__region_map *map,
						   uint64_t region)
{
	if (!map->count)
		return NULL;
	for (size_t at = start(map, region); map->index[at]; at = (at + 1) & (map->slots - 1))
		if (map->entry[map->index[at] - 1].region == region)
			return &map->entry[map->index[at] - 1];
	return NULL;
}

void gputm__region_map_insert(struct gputm__region_map *map, uint64_t region, uint64_t lane)
{
	gputm__assert(map->count < map->entries && 2 * map->count < map->slots);
	map->entry[map->count].region = region;
	map->entry[map->count].lane = lane;
	link_entry(map, map->count++);
}

static void read_entry(struct gputm__region_map *map, struct gputm__io *io)
{
	uint64_t region = 0, lane = 0;

	gputm__io_u64(io, &region);
	gputm__io_u64(io, &lane);
	if (io->error)
		return;
	if (gputm__region_map_reserve(io->unit, map, 1))
		gputm__io_fail(io, -ENOMEM, "no memory for its regions");
	else
		gputm__region_map_insert(map, region, lane);
}

void gputm__region_map_io(struct gputm__region_map *map, struct gputm__io *io)
{
	uint64_t count = map->count;
	size_t from;

	gputm__io_u64_max(io, &count, COUNT_MAX, "number of regions");
	from = io->used;
	for (uint64_t i = 0; i < count && !io->error; i++) {
		if (gputm__io_reading(io)) {
			read_entry(map, io);
			continue;
		}
		gputm__io_u64(io, &map->entry[i].region);
		gputm__io_u64(io, &map->entry[i].lane);
	}
	gputm__io_ascending(io, from, 2);
}
