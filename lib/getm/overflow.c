/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Overflow of the metadata table (GETM, V-B1: "an unbounded overflow space located in main
 * memory"; the paper's experiments never used it and had a linked list, and it names a hash
 * table as the design to build). See overflow.h.
 *
 * Invariants, checked by the table: each node lies in the chain of its key's bucket, chains
 * ascend by key, and all chains together hold each node once.
 */
#include "lib/getm/overflow.h"

#define BUCKETS_MIN 16
#define BUCKETS_MAX (1u << 22)

static uint32_t *head_of(const struct gputm__overflow *o, uint64_t key)
{
	return &o->head[gputm__mix64(key) & (o->buckets - 1)];
}

/* The link that points, or would point, to the key's node. */
static uint32_t *link_of(const struct gputm__overflow *o, uint64_t key)
{
	uint32_t *link = head_of(o, key);

	while (*link != GPUTM__NOWHERE && o->node[*link].key < key)
		link = &o->node[*link].next;
	return link;
}

static void chain(struct gputm__overflow *o, uint32_t at)
{
	uint32_t *link = link_of(o, o->node[at].key);

	o->node[at].next = *link;
	*link = at;
}

static void rebuild(struct gputm__overflow *o)
{
	for (size_t i = 0; i < o->buckets; i++)
		o->head[i] = GPUTM__NOWHERE;
	for (uint32_t i = 0; i < o->count; i++)
		chain(o, i);
}

static int set_buckets(struct gputm_ctx *ctx, struct gputm__overflow *o, size_t buckets)
{
	uint32_t *head = gputm__alloc(ctx, buckets, sizeof(*head));

	if (!head)
		return -ENOMEM;
	gputm__free(ctx, o->head);
	o->head = head;
	o->buckets = buckets;
	rebuild(o);
	return 0;
}

int gputm__overflow_reserve(struct gputm_ctx *ctx, struct gputm__overflow *o)
{
	void *node = o->node;
	int error;

	if (gputm__overflow_has_room(o))
		return 0;
	error = gputm__grow(ctx, &node, &o->capacity, (size_t)o->count + 1, sizeof(*o->node));
	o->node = node;
	if (!error && o->count >= o->buckets && o->buckets < BUCKETS_MAX)
		error = set_buckets(ctx, o, o->buckets ? o->buckets * 2 : BUCKETS_MIN);
	return error;
}

void gputm__overflow_free(struct gputm_ctx *ctx, struct gputm__overflow *o)
{
	gputm__free(ctx, o->node);
	gputm__free(ctx, o->head);
}

void gputm__overflow_clear(struct gputm__overflow *o)
{
	o->count = 0;
	o->buckets = o->buckets < BUCKETS_MIN ? o->buckets : BUCKETS_MIN;
	rebuild(o);
}

uint32_t gputm__overflow_find(const struct gputm__overflow *o, uint64_t key, uint32_t *visited)
{
	uint32_t at = *head_of(o, key);

	for (; at != GPUTM__NOWHERE; at = o->node[at].next) {
		++*visited;
		if (o->node[at].key >= key)
			break;
	}
	return at != GPUTM__NOWHERE && o->node[at].key == key ? at : GPUTM__NOWHERE;
}

void gputm__overflow_add(struct gputm__overflow *o, uint64_t key, struct gputm__stamps stamps,
			 struct gputm__hold hold)
{
	uint32_t at = o->count++;

	gputm__assert(at < o->capacity);
	o->node[at].key = key;
	o->node[at].stamps = stamps;
	o->node[at].hold = hold;
	chain(o, at);
}

void gputm__overflow_remove(struct gputm__overflow *o, uint32_t at)
{
	uint32_t last = --o->count;

	*link_of(o, o->node[at].key) = o->node[at].next;
	if (at == last)
		return;
	*link_of(o, o->node[last].key) = at;
	o->node[at] = o->node[last];
}

static void read_sizes(struct gputm__overflow *o, uint64_t count, uint64_t buckets,
		       struct gputm__io *io)
{
	void *node = o->node;
	int error;

	if (count > (io->size - io->used) / 8 || buckets > BUCKETS_MAX || buckets < BUCKETS_MIN ||
	    !gputm__is_power_of_two(buckets) || (count > buckets && buckets < BUCKETS_MAX)) {
		gputm__io_fail(io, -EINVAL, "its overflow has a size that cannot be");
		return;
	}
	error = gputm__grow(io->unit->ctx, &node, &o->capacity, (size_t)count,
			    sizeof(*o->node));
	o->node = node;
	if (!error && buckets != o->buckets)
		error = set_buckets(io->unit->ctx, o, (size_t)buckets);
	if (error)
		gputm__io_fail(io, error, "no memory for its overflow");
	else
		o->count = (uint32_t)count;
}

static void io_node(struct gputm__node *node, struct gputm__io *io)
{
	gputm__io_u64(io, &node->key);
	gputm__io_u64(io, &node->stamps.wts);
	gputm__io_u64(io, &node->stamps.rts);
	gputm__io_u32(io, &node->hold.writes);
	gputm__io_u32(io, &node->hold.owner);
}

/* Chain after chain: where a node lies in the array is of no account. */
void gputm__overflow_io(struct gputm__overflow *o, struct gputm__io *io)
{
	uint64_t count = o->count, buckets = o->buckets;

	gputm__io_u64(io, &count);
	gputm__io_u64(io, &buckets);
	if (!gputm__io_reading(io)) {
		for (size_t i = 0; i < o->buckets; i++)
			for (uint32_t at = o->head[i]; at != GPUTM__NOWHERE; at = o->node[at].next)
				io_node(&o->node[at], io);
		return;
	}
	if (!io->error)
		read_sizes(o, count, buckets, io);
	for (uint32_t i = 0; i < o->count && !io->error; i++)
		io_node(&o->node[i], io);
	if (!io->error)
		rebuild(o);
	for (uint32_t i = 1; i < o->count && !io->error; i++)
		if (head_of(o, o->node[i].key) < head_of(o, o->node[i - 1].key) ||
		    (head_of(o, o->node[i].key) == head_of(o, o->node[i - 1].key) &&
		     o->node[i].key <= o->node[i - 1].key))
			gputm__io_fail(io, -EINVAL, "the chains of its overflow are out of order");
}
