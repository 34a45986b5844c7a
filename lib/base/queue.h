/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_BASE_QUEUE_H
#define GPUTM_LIB_BASE_QUEUE_H
/* First-in first-out queues of a fixed capacity: ports, and lists of numbers. */
#include "lib/base/unit.h"

struct gputm__queue {
	unsigned char *item; /* [capacity], a ring */
	size_t size;	     /* of an item */
	uint32_t capacity, first, count;
};

/* Make an empty queue, whose items are the unit's memory. */
static inline void gputm__queue_own(struct gputm_unit *unit, struct gputm__queue *q,
				    uint32_t capacity, size_t size)
{
	q->item = gputm__own(unit, capacity, size);
	q->size = size;
	q->capacity = capacity;
}

static inline void gputm__queue_clear(struct gputm__queue *q)
{
	q->first = 0;
	q->count = 0;
}

static inline bool gputm__queue_full(const struct gputm__queue *q)
{
	return q->count == q->capacity;
}

/* Item number n, counted from the oldest, which is number 0. */
static inline void *gputm__queue_at(const struct gputm__queue *q, uint32_t n)
{
	uint32_t at = q->first + n;

	return q->item + (at < q->capacity ? at : at - q->capacity) * q->size;
}

/* The oldest item; in an empty queue, the place of the next item. */
static inline void *gputm__queue_oldest(const struct gputm__queue *q)
{
	return q->item + q->first * q->size;
}

/* The new youngest item, for the caller to fill in; the queue must not be full. */
static inline void *gputm__queue_add(struct gputm__queue *q)
{
	gputm__assert(!gputm__queue_full(q));
	return gputm__queue_at(q, q->count++);
}

/* Add a value of this type. */
#define gputm__queue_put(queue, type, value) (*(type *)gputm__queue_add(queue) = (value))

/* Remove the oldest item; its bytes stay until the next item is added. */
static inline void *gputm__queue_take(struct gputm__queue *q)
{
	void *oldest = gputm__queue_oldest(q);

	gputm__assert(q->count);
	q->first = q->first + 1 < q->capacity ? q->first + 1 : 0;
	q->count--;
	return oldest;
}

/* Remove the oldest item, if there is one: 1 or 0. */
static inline int gputm__queue_drop(struct gputm__queue *q)
{
	if (!q->count)
		return 0;
	gputm__queue_take(q);
	return 1;
}

/* Save or load count and items, oldest first; a load requires a queue that was just cleared. */
static inline void gputm__queue_io(struct gputm__queue *q, struct gputm__io *io,
				   void (*one)(void *item, struct gputm__io *io))
{
	gputm__io_u32_max(io, &q->count, q->capacity, "occupancy of a queue");
	for (uint32_t n = 0; n < q->count && !io->error; n++)
		one(gputm__queue_at(q, n), io);
}

#endif /* GPUTM_LIB_BASE_QUEUE_H */
