/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_DISPATCH_QUEUES_H
#define GPUTM_DISPATCH_QUEUES_H

/**
 * @file
 * Which device executes a transaction: gputm_dispatch_queues(3).
 *
 * For each type of transaction three queues: CPU_Q and GPU_Q for requests with an affinity,
 * SHARED_Q for the rest. The CPU takes requests one by one, the GPU in batches; each takes
 * from the shared queue when its own has too few, and steals from the other's if it may.
 * What the GPU took stays in flight until its round has succeeded; after a failure it goes
 * back to where it came from. Source: HeTM (PACT 2019), IV-A, V-D.
 *
 * Timing: the queues are software on the CPU; the unit counts no cycles.
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** The queues of one system. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_dispatch_queues;

/** Geometry; fields are only ever appended. Ranges: gputm_dispatch_queues_params(). */
struct gputm_dispatch_queues_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Types of transactions (1..64). */
	uint32_t types;
	/** Requests that feed a GPU kernel (1..2^20). */
	uint32_t batch;
};
/* begin INIT */
#define GPUTM_DISPATCH_QUEUES_CONFIG_INIT \
	{ sizeof(struct gputm_dispatch_queues_config), \
	  /* types */ 1, /* batch */ 1024 }
/* end INIT */

/** Which device a request is for. */
enum gputm_dispatch_queues_affinity {
	GPUTM_DISPATCH_QUEUES_AFFINITY_ANY = 0, /**< SHARED_Q */
	GPUTM_DISPATCH_QUEUES_AFFINITY_CPU = 1, /**< CPU_Q */
	GPUTM_DISPATCH_QUEUES_AFFINITY_GPU = 2, /**< GPU_Q */
};

/** Answers to a device that asks for work. */
enum gputm_dispatch_queues_result {
	GPUTM_DISPATCH_QUEUES_TAKEN = 0, /**< there is work */
	GPUTM_DISPATCH_QUEUES_EMPTY = 1, /**< none, or too little to feed a kernel */
};

/** Events; gputm_dispatch_queues(3) says what each tells. */
enum gputm_dispatch_queues_event {
	GPUTM_DISPATCH_QUEUES_EVENT_PUSH = 0,
	GPUTM_DISPATCH_QUEUES_EVENT_DEQUEUE = 1,
	GPUTM_DISPATCH_QUEUES_EVENT_DEQUEUE_BATCH = 2,
	GPUTM_DISPATCH_QUEUES_EVENT_COMMIT = 3,
	GPUTM_DISPATCH_QUEUES_EVENT_ABORT = 4,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_dispatch_queues_params(void);

/**
 * Set @p config to a preset: "shetm" (one type of transaction).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_dispatch_queues_config_preset(struct gputm_dispatch_queues_config *config,
				    const char *name);

/**
 * Make empty queues. They grow as they need.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a
 * field newer than this library; -ENOMEM. Free it with gputm_dispatch_queues_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_dispatch_queues_new(struct gputm_ctx *ctx, const struct gputm_dispatch_queues_config *config,
			  struct gputm_dispatch_queues **out);
/** Free the queues; NULL allowed. */
GPUTM_API void gputm_dispatch_queues_free(struct gputm_dispatch_queues *queues);
/** @return its common face; lives as long as @p queues. */
GPUTM_API struct gputm_unit *gputm_dispatch_queues_unit(struct gputm_dispatch_queues *queues);

/**
 * Submit a request.
 * @param request the caller's number for it; the unit only hands it on
 * @return 0; -ERANGE, no such type or affinity; -ENOMEM, and nothing is submitted.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_dispatch_queues_push(struct gputm_dispatch_queues *queues, uint32_t type,
			   enum gputm_dispatch_queues_affinity affinity, uint64_t request);

/**
 * A CPU worker takes one request: of the types in turn from CPU_Q, else from SHARED_Q, else,
 * with @p steal, from GPU_Q. It counts as done, as the CPU's transactions are never discarded.
 * @param type,request out
 * @return enum gputm_dispatch_queues_result; the out-parameters are set only for TAKEN.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_dispatch_queues_dequeue(struct gputm_dispatch_queues *queues,
							     bool steal, uint32_t *type,
							     uint64_t *request);

/**
 * The GPU takes a batch of one type: of the types in turn the first that has `batch` requests
 * for it, or with @p partial any. It takes from GPU_Q first, then from SHARED_Q, and with
 * @p steal from CPU_Q; each queue in its order.
 * @param request out, [batch]
 * @return enum gputm_dispatch_queues_result; the out-parameters are set only for TAKEN;
 * -ENOMEM, and nothing is taken.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_dispatch_queues_dequeue_batch(struct gputm_dispatch_queues *queues, bool steal, bool partial,
				    uint32_t *type, uint32_t *count, uint64_t *request);

/** The round has succeeded: what the GPU has in flight is done. @return their number. */
GPUTM_API uint64_t gputm_dispatch_queues_commit(struct gputm_dispatch_queues *queues);

/**
 * The round has failed: what the GPU has in flight goes back, in its order, to the front of
 * the queues that it came from.
 * @return 0; -ENOMEM, and nothing has changed.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_dispatch_queues_abort(struct gputm_dispatch_queues *queues);

/** @return requests that wait in the queues of this affinity, over all types; 0 for none such. */
GPUTM_API uint64_t gputm_dispatch_queues_waiting(const struct gputm_dispatch_queues *queues,
						 enum gputm_dispatch_queues_affinity affinity);
/** @return requests that the GPU has in flight. */
GPUTM_API uint64_t gputm_dispatch_queues_in_flight(const struct gputm_dispatch_queues *queues);

GPUTM_END_DECLS
#endif /* GPUTM_DISPATCH_QUEUES_H */
