/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_DISPATCH_QUEUES_H
#define GPUTM_ORACLE_DISPATCH_QUEUES_H
/* Dispatch the slow way: one list of all requests in the order of submission, each with where
 * it is; a queue is what of the list waits for it. */
#include "gputm/dispatch_queues.h"
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

void oracle_dispatch_queues_open(struct oracle_dispatch_queues *o,
				 const struct gputm_dispatch_queues_config *config);
/* The same answers as the unit's functions of these names. */
int oracle_dispatch_queues_push(struct oracle_dispatch_queues *o, uint32_t type,
				unsigned affinity, uint64_t request);
int oracle_dispatch_queues_pop(struct oracle_dispatch_queues *o, bool steal, uint32_t *type,
			       uint64_t *request);
int oracle_dispatch_queues_pop_batch(struct oracle_dispatch_queues *o, bool steal, bool partial,
				     uint32_t *type, uint32_t *count, uint64_t *request);
uint64_t oracle_dispatch_queues_commit(struct oracle_dispatch_queues *o);
void oracle_dispatch_queues_abort(struct oracle_dispatch_queues *o);
uint64_t oracle_dispatch_queues_waiting(const struct oracle_dispatch_queues *o,
					unsigned affinity);

#endif /* GPUTM_ORACLE_DISPATCH_QUEUES_H */
