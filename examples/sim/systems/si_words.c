/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshot isolation: lists of words, which begin in memory that is lent to them. */
#include <string.h>

#include "si_tm.h"
#include "../base/arena.h"

static bool grow(struct si_words *words)
{
	uint32_t capacity = words->capacity ? 2 * words->capacity : SI_FEW;
	uint64_t *own = words->lent ? NULL : words->address;
	uint64_t *grown = sim_realloc(own, capacity * sizeof *grown);

	if (!grown)
		return false;
	if (words->lent)
		memcpy(grown, words->address, words->count * sizeof *grown);
	words->address = grown;
	words->capacity = capacity;
	words->lent = false;
	return true;
}

bool sim_si_words_add(struct si_words *words, uint64_t address)
{
	if (words->count == words->capacity && !grow(words))
		return false;
	words->address[words->count++] = address;
	return true;
}
