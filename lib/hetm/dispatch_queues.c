/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dispatch of transactions to the CPU and the GPU.
 *
 * Source: HeTM (PACT 2019), IV-A (three queues per type of transaction, affinity, a kernel
 * when there are enough requests to feed it, the CPU one by one, types in turn), V-D
 * (the GPU takes from the CPU's queue).
 *
 *   CPU   CPU_Q, else SHARED_Q, else GPU_Q if it may steal
 *   GPU   `batch` of one type from GPU_Q + SHARED_Q, + CPU_Q if it may steal
 *
 * Example, one type, batch 3:
 *   push GPU 1, GPU 2, ANY 3, CPU 4, ANY 5
 *   dequeue_batch    1 2 3      in flight: 1 2 3
 *   dequeue          4          CPU_Q first
 *   dequeue          5          then SHARED_Q
 *   abort            GPU_Q 1 2, SHARED_Q 3, as if never taken
 *   dequeue_batch    1 2 3 again
 *   commit           done
 *
 * Invariants, proved by check():
 *  I1  pushed = waiting + cpu_taken + in flight + committed
 *  I2  gpu_taken = in flight + committed + returned
 *  I3  the shared and stolen requests of a device are among those that it has taken
 *
 * Differences from the paper:
 *  - The GPU controller of the paper looks at GPU_Q alone to start a kernel; that it then
 *    fills up from SHARED_Q follows from the stealing policy, which is not given.
 *  - Whether a device may steal from the other's queue is an argument of each call: the
 *    paper's experiment does it with a probability.
 *  - Requests of a failed round go back to the front, which the paper does not say.
 */
#include "gputm/dispatch_queues.h"
#include "lib/base/unit.h"

#define KINDS 3 /* enum gputm_dispatch_queues_affinity */

/* A ring of requests that grows; capacity is 0 or a power of two. */
struct queue {
	uint64_t *request;
	size_t capacity;
	uint64_t head, count;
};

/* The batch that the GPU executes. */
struct flight {
	uint64_t request;
	uint32_t queue; /* where it came from */
};

struct gputm_dispatch_queues {
	struct gputm_unit unit;
	struct gputm_dispatch_queues_config config;
	struct queue *queue; /* [KINDS x types], those of a kind together */
	struct flight *flight;
	size_t flight_capacity;
	uint64_t in_flight;
	uint32_t cpu_turn, gpu_turn; /* the type that is served first */
	uint64_t pushed, cpu_taken, gpu_taken, committed, returned, batches;
	uint64_t cpu_shared, cpu_stolen, gpu_shared, gpu_stolen, maximum_in_flight;
};

#define UNIT dispatch_queues

static const struct gputm_param rows[] = {
	PARAM(types, 1, 64, 1, false, "Types of transactions.", "HeTM IV-A"),
	PARAM(batch, 1, 1 << 20, 1024, false, "Requests that feed a GPU kernel.", "HeTM IV-A"),
};

static const struct gputm_preset presets[] = {
	{ "shetm", "HeTM V: one type of transaction.", { { "types", 1 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(pushed, COUNTER, "requests", "Requests submitted."),
	STAT(cpu_taken, COUNTER, "requests", "Requests that the CPU took."),
	STAT(cpu_shared, COUNTER, "requests", "Of these, requests from SHARED_Q."),
	STAT(cpu_stolen, COUNTER, "requests", "Of these, requests from GPU_Q."),
	STAT(gpu_taken, COUNTER, "requests",
	     "Requests that the GPU took: in_flight + committed + returned."),
	STAT(gpu_shared, COUNTER, "requests", "Of these, requests from SHARED_Q."),
	STAT(gpu_stolen, COUNTER, "requests", "Of these, requests from CPU_Q."),
	STAT(batches, COUNTER, "batches", "Batches that the GPU took."),
	STAT(committed, COUNTER, "requests", "Requests of the GPU whose round has succeeded."),
	STAT(returned, COUNTER, "requests", "Requests of the GPU whose round has failed."),
	STAT(in_flight, GAUGE, "requests", "Requests that the GPU has in flight."),
	STAT(maximum_in_flight, MAXIMUM, "requests", "Most requests in flight at a time."),
};

static const char *const affinities[] = { "any", "cpu", "gpu" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_DISPATCH_QUEUES_EVENT_PUSH, "push", "A request waits in a queue.",
	      VALUE(type, "request type", "Type of the request."),
	      NAMED(affinity, affinities, "Where the request may run; each affinity has a queue."),
	      VALUE(request, "request", "The caller's number of the request.")),
	EVENT(GPUTM_DISPATCH_QUEUES_EVENT_DEQUEUE, "dequeue", "The CPU has taken a request.",
	      VALUE(type, "request type", "Type of the request."),
	      NAMED(affinity, affinities, "The queue that had the request."),
	      VALUE(request, "request", "The caller's number of the request.")),
	EVENT(GPUTM_DISPATCH_QUEUES_EVENT_DEQUEUE_BATCH, "dequeue-batch",
	      "The GPU has taken requests of a type.",
	      VALUE(type, "request type", "Type of the requests."),
	      VALUE(requests, "requests", "Requests that the GPU has taken."),
	      VALUE(stolen, "requests", "Requests of them that the CPU's queue had.")),
	EVENT(GPUTM_DISPATCH_QUEUES_EVENT_COMMIT, "commit", "The GPU's requests are done.",
	      VALUE(requests, "requests", "Requests that are done.")),
	EVENT(GPUTM_DISPATCH_QUEUES_EVENT_ABORT, "abort",
	      "The GPU's requests went back to their queues.",
	      VALUE(requests, "requests", "Requests that went back.")),
};

static uint32_t queue_count(const struct gputm_dispatch_queues *d)
{
	return KINDS * d->config.types;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_dispatch_queues *d = (void *)unit;

	d->queue = gputm__own(unit, queue_count(d), sizeof(*d->queue));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_dispatch_queues *d = (void *)unit;

	for (uint32_t i = 0; i < queue_count(d); i++)
		d->queue[i].head = d->queue[i].count = 0;
	d->in_flight = 0;
	d->cpu_turn = d->gpu_turn = 0;
}

/* ---- rings ---- */

static uint64_t *slot(const struct queue *q, uint64_t position)
{
	return &q->request[(q->head + position) & (q->capacity - 1)];
}

/* Room for `more` requests. 0 or -ENOMEM. */
static int reserve(struct gputm_dispatch_queues *d, struct queue *q, uint64_t more)
{
	size_t old = q->capacity;
	uint64_t wrapped;
	int error;

	if (q->count + more <= old)
		return 0;
	error = gputm__own_more(&d->unit, &q->request, &q->capacity,
			    (size_t)(q->count + more), sizeof(*q->request));
	if (error)
		return error;
	/* The capacity has at least doubled: move the wrapped part after the rest. */
	wrapped = q->head + q->count > old ? q->head + q->count - old : 0;
	memcpy(q->request + old, q->request, (size_t)wrapped * sizeof(*q->request));
	return 0;
}

static void put_last(struct queue *q, uint64_t request)
{
	*slot(q, q->count++) = request;
}

static void put_first(struct queue *q, uint64_t request)
{
	q->head = (q->head - 1) & (q->capacity - 1);
	q->count++;
	*slot(q, 0) = request;
}

static uint64_t take_first(struct queue *q)
{
	uint64_t request = *slot(q, 0);

	q->head = (q->head + 1) & (q->capacity - 1);
	q->count--;
	return request;
}

/* ---- the rest of the face ---- */

static void io_queue(struct gputm__io *io, struct gputm_dispatch_queues *d, struct queue *q)
{
	uint64_t count = q->count, request;

	gputm__io_u64(io, &count);
	for (uint64_t i = 0; i < count && !io->error; i++) {
		request = gputm__io_reading(io) ? 0 : *slot(q, i);
		gputm__io_u64(io, &request);
		if (!gputm__io_reading(io) || io->error)
			continue;
		/* Grow with each request read: a forged count must not allocate. */
		if (reserve(d, q, 1))
			gputm__io_fail(io, -ENOMEM, "no memory");
		else
			put_last(q, request);
	}
}

static void io_flight(struct gputm__io *io, struct gputm_dispatch_queues *d)
{
	uint64_t count = d->in_flight;

	gputm__io_u64(io, &count);
	for (uint64_t i = 0; i < count && !io->error; i++) {
		if (gputm__io_reading(io) &&
		    gputm__own_more(&d->unit, &d->flight, &d->flight_capacity,
				(size_t)i + 1, sizeof(*d->flight))) {
			gputm__io_fail(io, -ENOMEM, "no memory");
			return;
		}
		gputm__io_u64(io, &d->flight[i].request);
		gputm__io_u32_max(io, &d->flight[i].queue, queue_count(d) - 1, "no such queue");
	}
	if (!io->error && gputm__io_reading(io))
		d->in_flight = count;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_dispatch_queues *d = (void *)unit;

	gputm__io_u32_max(io, &d->cpu_turn, d->config.types - 1, "no such type");
	gputm__io_u32_max(io, &d->gpu_turn, d->config.types - 1, "no such type");
	for (uint32_t i = 0; i < queue_count(d) && !io->error; i++)
		io_queue(io, d, &d->queue[i]);
	io_flight(io, d);
}

static uint64_t waiting(const struct gputm_dispatch_queues *d)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < queue_count(d); i++)
		count += d->queue[i].count;
	return count;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_dispatch_queues *d = (const void *)unit;

	if (d->cpu_shared > d->cpu_taken || d->cpu_stolen > d->cpu_taken - d->cpu_shared)
		return "I3: the CPU shared or stole more than it took";
	if (d->gpu_shared > d->gpu_taken || d->gpu_stolen > d->gpu_taken - d->gpu_shared)
		return "I3: the GPU shared or stole more than it took";
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_dispatch_queues *d = (const void *)unit;

	gputm__array_apart(out, "batch", d->config.batch, 64, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_dispatch_queues *d = (const void *)unit;

	gputm__law(laws, d->pushed, waiting(d) + d->cpu_taken + d->in_flight + d->committed,
		   "I1: pushed is not waiting + cpu_taken + in_flight + committed");
	gputm__law(laws, d->gpu_taken, d->in_flight + d->committed + d->returned,
		   "I2: gpu_taken is not in_flight + committed + returned");
}

GPUTM__UNIT(dispatch_queues, .version = 1, .setup = setup, .laws = laws)

/* ---- data path ---- */

static uint32_t index_of(const struct gputm_dispatch_queues *d, unsigned kind, uint32_t type)
{
	return kind * d->config.types + type;
}

static uint32_t next_type(const struct gputm_dispatch_queues *d, uint32_t type)
{
	return type + 1 < d->config.types ? type + 1 : 0;
}

int gputm_dispatch_queues_push(struct gputm_dispatch_queues *d, uint32_t type,
			       enum gputm_dispatch_queues_affinity affinity, uint64_t request)
{
	struct queue *q;

	if (type >= d->config.types)
		return gputm__out_of_range(&d->unit, "type", type, 0, d->config.types - 1);
	if ((unsigned)affinity >= KINDS)
		return gputm__out_of_range(&d->unit, "affinity", affinity, 0, KINDS - 1);
	q = &d->queue[index_of(d, affinity, type)];
	if (reserve(d, q, 1))
		return -ENOMEM;
	put_last(q, request);
	d->pushed++;
	gputm__emit(&d->unit, GPUTM_DISPATCH_QUEUES_EVENT_PUSH, type, affinity, request, 0);
	return 0;
}

/* Take a request of a kind, types in turn. False if there is none. */
static bool take_of(struct gputm_dispatch_queues *d, unsigned kind, uint32_t *type,
		    uint64_t *request)
{
	uint32_t at = d->cpu_turn;

	for (uint32_t i = 0; i < d->config.types; i++, at = next_type(d, at)) {
		struct queue *q = &d->queue[index_of(d, kind, at)];

		if (!q->count)
			continue;
		*request = take_first(q);
		*type = at;
		d->cpu_turn = next_type(d, at);
		d->cpu_taken++;
		gputm__emit(&d->unit, GPUTM_DISPATCH_QUEUES_EVENT_DEQUEUE, at, kind, *request, 0);
		return true;
	}
	return false;
}

int gputm_dispatch_queues_dequeue(struct gputm_dispatch_queues *d, bool steal, uint32_t *type,
				  uint64_t *request)
{
	if (take_of(d, GPUTM_DISPATCH_QUEUES_AFFINITY_CPU, type, request))
		return GPUTM_DISPATCH_QUEUES_TAKEN;
	if (take_of(d, GPUTM_DISPATCH_QUEUES_AFFINITY_ANY, type, request)) {
		d->cpu_shared++;
		return GPUTM_DISPATCH_QUEUES_TAKEN;
	}
	if (steal && take_of(d, GPUTM_DISPATCH_QUEUES_AFFINITY_GPU, type, request)) {
		d->cpu_stolen++;
		return GPUTM_DISPATCH_QUEUES_TAKEN;
	}
	return GPUTM_DISPATCH_QUEUES_EMPTY;
}

static uint64_t count_of(const struct gputm_dispatch_queues *d, unsigned kind, uint32_t type)
{
	return d->queue[index_of(d, kind, type)].count;
}

/* Take up to `most` requests of one queue into the batch. */
static uint32_t take_many(struct gputm_dispatch_queues *d, uint32_t index, uint32_t most,
			  uint64_t *request)
{
	struct queue *q = &d->queue[index];
	uint32_t count = q->count < most ? (uint32_t)q->count : most;

	for (uint32_t i = 0; i < count; i++) {
		request[i] = take_first(q);
		d->flight[d->in_flight++] = (struct flight){ request[i], index };
	}
	return count;
}

static int take_batch(struct gputm_dispatch_queues *d, uint32_t type, bool steal, uint32_t count,
		      uint64_t *request)
{
	uint32_t taken, shared, stolen = 0;

	if (gputm__own_more(&d->unit, &d->flight, &d->flight_capacity,
			(size_t)d->in_flight + count, sizeof(*d->flight)))
		return -ENOMEM;
	taken = take_many(d, index_of(d, GPUTM_DISPATCH_QUEUES_AFFINITY_GPU, type), count, request);
	shared = take_many(d, index_of(d, GPUTM_DISPATCH_QUEUES_AFFINITY_ANY, type), count - taken,
			   request + taken);
	taken += shared;
	if (steal)
		stolen = take_many(d, index_of(d, GPUTM_DISPATCH_QUEUES_AFFINITY_CPU, type),
				   count - taken, request + taken);
	d->gpu_taken += count;
	d->gpu_shared += shared;
	d->gpu_stolen += stolen;
	d->batches++;
	gputm__maximum(&d->maximum_in_flight, d->in_flight);
	gputm__emit(&d->unit, GPUTM_DISPATCH_QUEUES_EVENT_DEQUEUE_BATCH, type, count, stolen, 0);
	return GPUTM_DISPATCH_QUEUES_TAKEN;
}

int gputm_dispatch_queues_dequeue_batch(struct gputm_dispatch_queues *d, bool steal, bool partial,
					uint32_t *type, uint32_t *count, uint64_t *request)
{
	uint32_t batch = d->config.batch, at = d->gpu_turn;

	for (uint32_t i = 0; i < d->config.types; i++, at = next_type(d, at)) {
		uint64_t there = count_of(d, GPUTM_DISPATCH_QUEUES_AFFINITY_GPU, at) +
				 count_of(d, GPUTM_DISPATCH_QUEUES_AFFINITY_ANY, at);

		if (steal)
			there += count_of(d, GPUTM_DISPATCH_QUEUES_AFFINITY_CPU, at);
		if (there < (partial ? 1 : batch))
			continue;
		if (there > batch)
			there = batch;
		if (take_batch(d, at, steal, (uint32_t)there, request))
			return -ENOMEM;
		d->gpu_turn = next_type(d, at);
		*type = at;
		*count = (uint32_t)there;
		return GPUTM_DISPATCH_QUEUES_TAKEN;
	}
	return GPUTM_DISPATCH_QUEUES_EMPTY;
}

uint64_t gputm_dispatch_queues_commit(struct gputm_dispatch_queues *d)
{
	uint64_t count = d->in_flight;

	d->committed += count;
	d->in_flight = 0;
	gputm__emit(&d->unit, GPUTM_DISPATCH_QUEUES_EVENT_COMMIT, count, 0, 0, 0);
	return count;
}

int gputm_dispatch_queues_abort(struct gputm_dispatch_queues *d)
{
	uint64_t count = d->in_flight;

	for (uint32_t q = 0; q < queue_count(d); q++) {
		uint64_t back = 0;

		for (uint64_t i = 0; i < count; i++)
			back += d->flight[i].queue == q;
		if (reserve(d, &d->queue[q], back))
			return -ENOMEM;
	}
	for (uint64_t i = count; i-- > 0;)
		put_first(&d->queue[d->flight[i].queue], d->flight[i].request);
	d->returned += count;
	d->in_flight = 0;
	gputm__emit(&d->unit, GPUTM_DISPATCH_QUEUES_EVENT_ABORT, count, 0, 0, 0);
	return 0;
}

uint64_t gputm_dispatch_queues_waiting(const struct gputm_dispatch_queues *d,
				       enum gputm_dispatch_queues_affinity affinity)
{
	uint64_t count = 0;

	for (uint32_t type = 0; (unsigned)affinity < KINDS && type < d->config.types; type++)
		count += count_of(d, affinity, type);
	return count;
}

uint64_t gputm_dispatch_queues_in_flight(const struct gputm_dispatch_queues *d)
{
	return d->in_flight;
}
