/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_SNAPISO_WRITER_TABLE_PRIV_H
#define GPUTM_LIB_SNAPISO_WRITER_TABLE_PRIV_H
/* What the files of the writer table share; the essay is in writer_table.c. */
#include "gputm/writer_table.h"
#include "lib/snapiso/word_map.h"

struct gputm__writer_commit {
	uint64_t version;
	uint32_t tx;
	uint32_t next; /* older commit of the word, or free record; + 1 */
};

struct gputm_writer_table {
	struct gputm_unit unit;
	struct gputm_writer_table_config config;
	struct gputm__word_map map;
	struct gputm__writer_commit *commit; /* [entries] */
	uint64_t address_max, version_max;
	uint32_t word_shift;
	uint32_t free_commit; /* first free record + 1 */

	uint64_t used, retained;
	uint64_t claimed, own, held, conflicts, full, committed, released, used_max, retained_max;
};

static inline uint32_t gputm__writer_running(const struct gputm__word_slot *slot)
{
	return (uint32_t)slot->data;
}

static inline uint32_t gputm__writer_newest(const struct gputm__word_slot *slot)
{
	return (uint32_t)(slot->data >> 32);
}

static inline uint32_t gputm__writer_commits(const struct gputm_writer_table *t,
					     const struct gputm__word_slot *slot)
{
	uint32_t count = 0;

	for (uint32_t at = gputm__writer_newest(slot); at; at = t->commit[at - 1].next)
		count++;
	return count;
}

/* Take a record for the newest commit of a word; there are as many as entries. */
static inline void gputm__writer_push(struct gputm_writer_table *t, struct gputm__word_slot *slot,
				      uint32_t tx, uint64_t version)
{
	uint32_t at = t->free_commit;

	t->free_commit = t->commit[at - 1].next;
	t->commit[at - 1] =
		(struct gputm__writer_commit){ version, tx, gputm__writer_newest(slot) };
	slot->data = (uint64_t)at << 32 | gputm__writer_running(slot);
	t->retained++;
}

static inline bool gputm__writer_committed(const struct gputm_writer_table *t, uint32_t newest,
					   uint32_t tx)
{
	while (newest && t->commit[newest - 1].tx != tx)
		newest = t->commit[newest - 1].next;
	return newest != 0;
}

#endif /* GPUTM_LIB_SNAPISO_WRITER_TABLE_PRIV_H */
