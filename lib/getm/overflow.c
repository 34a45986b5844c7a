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

/* The link that points to the key's node, or would if there were one. */
static uint32_t *link_of(const struct gputm__overflow *o, uint64_t key)
{
	uint32_t *link = head_of(o, key);

	while (*link != GPUTM__NOWHERE && o->node[*link].entry.key < key)
		link = &o->node[*link].next;
	return link;
}

/* Rebuild all buckets: put the first `count` nodes into their chains. */
static void rebuild(struct gputm__overflow *o, uint64_t count)
{
	for (size_t i = 0; i < o->buckets; i++)
		o->head[i] = GPUTM__NOWHERE;
	for (o->count = 0; o->count < count;)
		gputm__overflow_add(o, &o->node[o->count].entry);
}

static int set_buckets(struct gputm_unit *unit, struct gputm__overflow *o, size_t buckets)
{
	uint32_t *head = gputm__own(unit, buckets, sizeof(*head));

	if (!head)
		return -ENOMEM;
	gputm__disown(unit, o->head);
	o->head = head;
	o->buckets = buckets;
	rebuild(o, o->count);
	return 0;
}

int gputm__overflow_grow(struct gputm_unit *unit, struct gputm__overflow *o)
{
	int error = gputm__own_more(unit, &o->node, &o->capacity, (size_t)o->count + 1,
				    sizeof(*o->node));

	if (!error && o->count >= o->buckets && o->buckets < BUCKETS_MAX)
		error = set_buckets(unit, o, o->buckets ? o->buckets * 2 : BUCKETS_MIN);
	return error;
}

void gputm__overflow_clear(struct gputm__overflow *o)
{
	o->buckets = o->buckets < BUCKETS_MIN ? o->buckets : BUCKETS_MIN;
	rebuild(o, 0);
}

uint32_t gputm__overflow_find(const struct gputm__overflow *o, uint64_t key, uint32_t *visited)
{
	uint32_t at = *head_of(o, key);

	for (; at != GPUTM__NOWHERE; at = o->node[at].next) {
		++*visited;
		if (o->node[at].entry.key >= key)
			break;
	}
	return at != GPUTM__NOWHERE && o->node[at].entry.key == key ? at : GPUTM__NOWHERE;
}

void gputm__overflow_add(struct gputm__overflow *o, const struct gputm__entry *entry)
{
	uint32_t at = (uint32_t)o->count++, *link = link_of(o, entry->key);

	gputm__assert(at < o->capacity);
	o->node[at].entry = *entry;
	o->node[at].next = *link;
	*link = at;
}

void gputm__overflow_remove(struct gputm__overflow *o, uint32_t at)
{
	uint32_t last = (uint32_t)--o->count;

	*link_of(o, o->node[at].entry.key) = o->node[at].next;
	if (at == last)
		return;
	*link_of(o, o->node[last].entry.key) = at;
	o->node[at] = o->node[last];
}

void gputm__entry_io(struct gputm__entry *entry, struct gputm__io *io)
{
	uint64_t reservation = (uint64_t)entry->owner << 32 | entry->writes;

	gputm__io_u64s(io, &entry->key, 3); /* key, wts, rts */
	gputm__io_u64(io, &reservation);
	entry->writes = (uint32_t)reservation;
	entry->owner = (uint32_t)(reservation >> 32);
}

static void read_sizes(struct gputm__overflow *o, uint64_t count, uint64_t buckets,
		       struct gputm__io *io)
{
	int error;

	if (count > (io->size - io->used) / 8 || buckets > BUCKETS_MAX || buckets < BUCKETS_MIN ||
	    !gputm__is_power_of_two(buckets) || (count > buckets && buckets < BUCKETS_MAX)) {
		gputm__io_fail(io, -EINVAL, "its overflow has a size that cannot be");
		return;
	}
	error = gputm__own_more(io->unit, &o->node, &o->capacity, (size_t)count, sizeof(*o->node));
	if (!error && buckets != o->buckets)
		error = set_buckets(io->unit, o, (size_t)buckets);
	if (error)
		gputm__io_fail(io, error, "no memory for its overflow");
}

static bool in_order(const struct gputm__overflow *o, uint64_t key, uint64_t next)
{
	const uint32_t *head = head_of(o, key), *next_head = head_of(o, next);

	return head == next_head ? key < next : head < next_head;
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
				gputm__entry_io(&o->node[at].entry, io);
		return;
	}
	if (!io->error)
		read_sizes(o, count, buckets, io);
	for (uint64_t i = 0; i < count && !io->error; i++) {
		gputm__entry_io(&o->node[i].entry, io);
		if (i && !in_order(o, o->node[i - 1].entry.key, o->node[i].entry.key))
			gputm__io_fail(io, -EINVAL, "the chains of its overflow are out of order");
	}
	if (!io->error)
		rebuild(o, count);
}
