/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/compaction/warp_lut.h"

#define ROOM_MIN 64

void gputm__lut_setup(struct gputm_unit *unit, uint32_t most, struct gputm__lut *out)
{
	for (out->room_max = ROOM_MIN; out->room_max < most;)
		out->room_max *= 4;
	out->entry = gputm__own(unit, out->room_max, sizeof(*out->entry));
	out->tree = gputm__own(unit, 2 * out->room_max, sizeof(*out->tree));
	out->table = gputm__own(unit, 4 * out->room_max, sizeof(*out->table));
}

/* Rebuild the tree from the keys of the entries, and the table. */
static void rebuild(struct gputm__lut *lut)
{
	uint32_t mask = 4 * lut->room - 1;

	for (uint32_t level = lut->room; level /= 4;)
		for (uint32_t i = level; i < 2 * level; i++)
			gputm__lut_refresh(lut->tree, i);
	memset(lut->table, 0, 4 * lut->room * sizeof(*lut->table));
	for (uint32_t rank = 0; rank < lut->known; rank++) {
		uint32_t i = (uint32_t)lut->entry[rank].pc & mask;

		while (lut->table[i])
			i = (i + 1) & mask;
		lut->table[i] = (uint16_t)(rank + 1);
	}
}

void gputm__lut_clear(struct gputm__lut *lut)
{
	lut->room = ROOM_MIN;
	lut->known = 0;
	lut->used = 0;
	memset(lut->tree + lut->room, 0, lut->room * sizeof(*lut->tree));
	rebuild(lut);
}

/* Remove the entries without threads; enlarge the table if most entries have threads. */
static void make_room(struct gputm__lut *lut)
{
	uint32_t *key = lut->tree + lut->room, kept = 0;

	for (uint32_t rank = 0; rank < lut->known; rank++)
		if (gputm__lut_key_has_threads(key[rank])) {
			lut->entry[kept] = lut->entry[rank];
			key[kept] = gputm__lut_key(key[rank] >> 16, kept);
			kept++;
		}
	lut->known = kept;
	if (kept > lut->room / 2 && lut->room < lut->room_max)
		lut->room *= 4;
	memmove(lut->tree + lut->room, key, kept * sizeof(*key));
	memset(lut->tree + lut->room + kept, 0, (lut->room - kept) * sizeof(*key));
}

uint32_t gputm__lut_insert(struct gputm__lut *lut, uint64_t pc)
{
	uint32_t *key, at;

	if (lut->known == lut->room)
		make_room(lut);
	key = lut->tree + lut->room;
	for (at = lut->known++; at && lut->entry[at - 1].pc > pc; at--) {
		lut->entry[at] = lut->entry[at - 1];
		key[at] = gputm__lut_key(key[at - 1] >> 16, at);
	}
	lut->entry[at].pc = pc;
	key[at] = gputm__lut_key(0, at);
	rebuild(lut);
	return at;
}
