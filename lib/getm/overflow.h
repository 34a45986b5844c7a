/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_OVERFLOW_H
#define GPUTM_LIB_GETM_OVERFLOW_H
/*
 * The metadata table's entries, and its overflow in main memory: a hash table of chains, sorted
 * by key so that the cost of a walk does not depend on history. The number of buckets doubles when
 * there are more entries than buckets, so chains stay short.
 */
#include "lib/base/unit.h"

#define GPUTM__NOWHERE UINT32_MAX

/* An exact entry; all zero in a free cell. */
struct gputm__entry {
	uint64_t key; /* address of the granule, with the lowest bit set */
	uint64_t wts, rts;
	uint32_t writes, owner;
};

struct gputm__node {
	struct gputm__entry entry;
	uint32_t next; /* node, or NOWHERE */
};

struct gputm__overflow {
	struct gputm__node *node; /* [count], dense */
	uint32_t *head;		  /* [buckets] */
	size_t capacity, buckets;
	uint64_t count;
};

void gputm__entry_io(struct gputm__entry *entry, struct gputm__io *io);
int gputm__overflow_grow(struct gputm_unit *unit, struct gputm__overflow *overflow);

/* Make room for one node more: 0 or -ENOMEM, with nothing changed. */
static inline int gputm__overflow_reserve(struct gputm_unit *unit,
					  struct gputm__overflow *overflow)
{
	if (overflow->count < overflow->capacity && overflow->count < overflow->buckets)
		return 0;
	return gputm__overflow_grow(unit, overflow);
}

void gputm__overflow_clear(struct gputm__overflow *overflow);
/* The node of a key or NOWHERE; adds the nodes that a walk of its chain visits. */
uint32_t gputm__overflow_find(const struct gputm__overflow *overflow, uint64_t key,
			      uint32_t *visited);
/* The key must be absent and the room reserved. */
void gputm__overflow_add(struct gputm__overflow *overflow, const struct gputm__entry *entry);
/* Takes node number `at` out; the last node takes its number. */
void gputm__overflow_remove(struct gputm__overflow *overflow, uint32_t at);
void gputm__overflow_io(struct gputm__overflow *overflow, struct gputm__io *io);

#endif /* GPUTM_LIB_GETM_OVERFLOW_H */
