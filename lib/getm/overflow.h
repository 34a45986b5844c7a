/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_OVERFLOW_H
#define GPUTM_LIB_GETM_OVERFLOW_H
/*
 * The metadata table's overflow in main memory: a hash table of chains, sorted by key so
 * that their order does not depend on history. It doubles its buckets when it has more
 * nodes than buckets, so that a chain is short however many there are.
 */
#include "lib/getm/metadata_cells.h"

struct gputm__node {
	uint64_t key;
	struct gputm__stamps stamps;
	struct gputm__hold hold;
	uint32_t next; /* node, or NOWHERE */
};

struct gputm__overflow {
	struct gputm__node *node; /* [count], dense */
	uint32_t *head;		  /* [buckets] */
	size_t capacity, buckets;
	uint32_t count;
};

static inline bool gputm__overflow_has_room(const struct gputm__overflow *overflow)
{
	return overflow->count < overflow->capacity && overflow->count < overflow->buckets;
}

/* Make room for one node more: 0 or -ENOMEM, with nothing changed. */
int gputm__overflow_reserve(struct gputm_ctx *ctx, struct gputm__overflow *overflow);
void gputm__overflow_free(struct gputm_ctx *ctx, struct gputm__overflow *overflow);
void gputm__overflow_clear(struct gputm__overflow *overflow);
/* The node of a key or NOWHERE; adds the nodes that a walk of its chain visits. */
uint32_t gputm__overflow_find(const struct gputm__overflow *overflow, uint64_t key,
			      uint32_t *visited);
/* The key must be absent and the room reserved. */
void gputm__overflow_add(struct gputm__overflow *overflow, uint64_t key,
			 struct gputm__stamps stamps, struct gputm__hold hold);
/* Takes node number `at` out; the last node takes its number. */
void gputm__overflow_remove(struct gputm__overflow *overflow, uint32_t at);
void gputm__overflow_io(struct gputm__overflow *overflow, struct gputm__io *io);

#endif /* GPUTM_LIB_GETM_OVERFLOW_H */
