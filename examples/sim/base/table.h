/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TABLE_H
#define SIM_TABLE_H
/* The hash table of all rooms: it numbers the keys that come, from 1 on. What belongs to a key is
 * in an array of its user. And the hash of a text (FNV-1a). */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"

#define SIM_HASH_START UINT64_C(0xcbf29ce484222325)
#define SIM_HASH_FACTOR UINT64_C(0x100000001b3)

static inline uint64_t sim_hash_bytes(uint64_t hash, const char *bytes, size_t size)
{
	while (size--)
		hash = (hash ^ (unsigned char)*bytes++) * SIM_HASH_FACTOR;
	return hash;
}

/* With its end, so that the next text begins anew. */
static inline uint64_t sim_hash_text(uint64_t hash, const char *text)
{
	return sim_hash_bytes(hash, text, strlen(text) + 1);
}

struct sim_table_place {
	uint64_t key;
	size_t number; /* 0: free */
};

struct sim_table {
	struct sim_table_place *place;
	size_t count, places; /* places: 0 or a power of two */
};

static inline struct sim_table_place *sim_table_place(const struct sim_table *table, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (table->places - 1);

	while (table->place[at].number && table->place[at].key != key)
		at = (at + 1) & (table->places - 1);
	return &table->place[at];
}

/* 0: the key has not come. */
static inline size_t sim_table_find(const struct sim_table *table, uint64_t key)
{
	return table->places ? sim_table_place(table, key)->number : 0;
}

static inline bool sim_table_grow(struct sim_table *table)
{
	struct sim_table larger = { .count = table->count };

	larger.places = table->places ? 2 * table->places : 64;
	larger.place = sim_calloc(larger.places, sizeof *larger.place);
	if (!larger.place)
		return false;
	for (size_t i = 0; i < table->places; i++)
		if (table->place[i].number)
			*sim_table_place(&larger, table->place[i].key) = table->place[i];
	sim_free(table->place);
	*table = larger;
	return true;
}

/* A new key gets the next number. 0: no memory. */
static inline size_t sim_table_enter(struct sim_table *table, uint64_t key)
{
	struct sim_table_place *place;

	if (4 * table->count >= 3 * table->places && !sim_table_grow(table))
		return 0;
	place = sim_table_place(table, key);
	if (!place->number)
		*place = (struct sim_table_place){ key, ++table->count };
	return place->number;
}

#endif
