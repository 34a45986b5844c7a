/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_DISPATCH_QUEUES_H
#define GPUTM_ORACLE_DISPATCH_QUEUES_H
/* Dispatch the slow way: one list of all requests in the order of submission, each with where
 * it is; a queue is what of the list waits for it. */
#include "tests/oracle/stats.h"

#define ORACLE_DISPATCH_QUEUES_MOST 8192
#define ORACLE_DISPATCH_QUEUES_STATS                                                           \
	pushed, cpu_taken, cpu_shared, cpu_stolen, gpu_taken, gpu_shared, gpu_stolen, batches, \
		committed, returned, in_flight, maximum_in_flight

struct oracle_dispatch_queues {
	struct gputm_dispatch_queues_config config;
	struct oracle_dispatch_request {
		uint64_t request;
		uint32_t type;
		unsigned affinity;
		enum { ORACLE_WAITS, ORACLE_FLIES, ORACLE_DONE } place;
	} list[ORACLE_DISPATCH_QUEUES_MOST];
	uint32_t count;
	uint32_t cpu_turn, gpu_turn;
	ORACLE_STATS(ORACLE_DISPATCH_QUEUES_STATS) stats;
};

/* The functions give the same answers as the unit's of their names. */

static int oracle_dispatch_queues_push(struct oracle_dispatch_queues *o, uint32_t type,
				       unsigned affinity, uint64_t request)
{
	if (type >= o->config.types || affinity > 2)
		return -ERANGE;
	o->list[o->count++] =
		(struct oracle_dispatch_request){ request, type, affinity, ORACLE_WAITS };
	o->stats.pushed++;
	return 0;
}

/* The first request that waits, of a type and an affinity, or NULL. */
static struct oracle_dispatch_request *first(struct oracle_dispatch_queues *o, uint32_t type,
					     unsigned affinity)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (o->list[i].place == ORACLE_WAITS && o->list[i].type == type &&
		    o->list[i].affinity == affinity)
			return &o->list[i];
	return NULL;
}

static int oracle_dispatch_queues_pop(struct oracle_dispatch_queues *o, bool steal, uint32_t *type,
				      uint64_t *request)
{
	static const unsigned order[] = { GPUTM_DISPATCH_QUEUES_AFFINITY_CPU,
					  GPUTM_DISPATCH_QUEUES_AFFINITY_ANY,
					  GPUTM_DISPATCH_QUEUES_AFFINITY_GPU };

	for (unsigned k = 0; k < (steal ? 3 : 2); k++)
		for (uint32_t i = 0; i < o->config.types; i++) {
			uint32_t at = (o->cpu_turn + i) % o->config.types;
			struct oracle_dispatch_request *r = first(o, at, order[k]);

			if (!r)
				continue;
			r->place = ORACLE_DONE;
			o->stats.cpu_taken++;
			o->stats.cpu_shared += r->affinity == GPUTM_DISPATCH_QUEUES_AFFINITY_ANY;
			o->stats.cpu_stolen += r->affinity == GPUTM_DISPATCH_QUEUES_AFFINITY_GPU;
			*type = at;
			*request = r->request;
			o->cpu_turn = at + 1;
			return GPUTM_DISPATCH_QUEUES_TAKEN;
		}
	return GPUTM_DISPATCH_QUEUES_EMPTY;
}

static uint64_t there(const struct oracle_dispatch_queues *o, uint32_t type, bool steal)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < o->count; i++)
		count += o->list[i].place == ORACLE_WAITS && o->list[i].type == type &&
			 (steal || o->list[i].affinity != GPUTM_DISPATCH_QUEUES_AFFINITY_CPU);
	return count;
}

static int oracle_dispatch_queues_pop_batch(struct oracle_dispatch_queues *o, bool steal,
					    bool partial, uint32_t *type, uint32_t *count,
					    uint64_t *request)
{
	static const unsigned order[] = { GPUTM_DISPATCH_QUEUES_AFFINITY_GPU,
					  GPUTM_DISPATCH_QUEUES_AFFINITY_ANY,
					  GPUTM_DISPATCH_QUEUES_AFFINITY_CPU };

	for (uint32_t i = 0; i < o->config.types; i++) {
		uint32_t at = (o->gpu_turn + i) % o->config.types;
		struct oracle_dispatch_request *r;

		if (there(o, at, steal) < (partial ? 1 : o->config.batch))
			continue;
		*count = 0;
		for (unsigned k = 0; k < (steal ? 3 : 2); k++)
			while (*count < o->config.batch && (r = first(o, at, order[k]))) {
				r->place = ORACLE_FLIES;
				request[(*count)++] = r->request;
				o->stats.gpu_taken++;
				o->stats.gpu_shared +=
					r->affinity == GPUTM_DISPATCH_QUEUES_AFFINITY_ANY;
				o->stats.gpu_stolen +=
					r->affinity == GPUTM_DISPATCH_QUEUES_AFFINITY_CPU;
				o->stats.in_flight++;
			}
		o->stats.batches++;
		oracle_most(&o->stats.maximum_in_flight, o->stats.in_flight);
		*type = at;
		o->gpu_turn = at + 1;
		return GPUTM_DISPATCH_QUEUES_TAKEN;
	}
	return GPUTM_DISPATCH_QUEUES_EMPTY;
}

static uint64_t oracle_dispatch_queues_commit(struct oracle_dispatch_queues *o)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < o->count; i++)
		if (o->list[i].place == ORACLE_FLIES) {
			o->list[i].place = ORACLE_DONE;
			count++;
		}
	o->stats.committed += count;
	o->stats.in_flight = 0;
	return count;
}

static void oracle_dispatch_queues_abort(struct oracle_dispatch_queues *o)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (o->list[i].place == ORACLE_FLIES) {
			o->list[i].place = ORACLE_WAITS;
			o->stats.returned++;
		}
	o->stats.in_flight = 0;
}

static uint64_t oracle_dispatch_queues_waiting(const struct oracle_dispatch_queues *o,
					       unsigned affinity)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < o->count; i++)
		count += o->list[i].place == ORACLE_WAITS && o->list[i].affinity == affinity;
	return count;
}

#endif /* GPUTM_ORACLE_DISPATCH_QUEUES_H */
