/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow, whoever gives the memory. */
#include <stdint.h>
#include <string.h>

#include "arena.h"

/* The type of the pointer and that of the room (of 4 or 8 bytes) are the caller's. */
bool sim_grow(void *array, size_t element, void *room, size_t room_bytes, size_t need)
{
	size_t had = room_bytes == sizeof(uint32_t) ? *(uint32_t *)room : *(size_t *)room;
	size_t wanted = 2 * had > need ? 2 * had : need;
	void *larger;
	bool first;

	wanted = wanted < 8 ? 8 : wanted;
	memcpy(&larger, array, sizeof larger);
	first = !larger;
	larger = first ? sim_calloc(wanted, element) : sim_realloc(larger, wanted * element);
	if (!larger)
		return false;
	if (!first)
		memset((char *)larger + had * element, 0, (wanted - had) * element);
	memcpy(array, &larger, sizeof larger);
	if (room_bytes == sizeof(uint32_t))
		*(uint32_t *)room = (uint32_t)wanted;
	else
		*(size_t *)room = wanted;
	return true;
}
