/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FLOW_REFERENCE_H
#define SIM_FLOW_REFERENCE_H
/*
 * The kernel without warps: block after block, thread after thread, each as far as it comes
 * before it has to wait. It has to wait at a barrier for all threads of its block, and where
 * the kernel says "converged" for those of its static warp. Nothing is shared with the cores but
 * what a kernel is and how chance is defined.
 *
 * The trail of a thread is a rolling hash of the instructions that it has executed and of the
 * values that it has loaded, in their order.
 */
#include <signal.h>

#include "kernel.h"

/* What a branch came to, one bit after the other. */
struct flow_outcomes {
	uint64_t *word;
	uint32_t count, room; /* bits, words */
};

/* What a thread has loaded, one word after the other: the first ones. */
struct flow_loads {
	uint32_t *value;
	uint32_t count, room;
};
#define FLOW_LOADS_MAX (1u << 24) /* of all threads */

struct flow_reference {
	const struct kernel *kernel;
	uint64_t seed;
	uint32_t threads;  /* of the launch, numbered by block and thread */
	uint32_t *value;   /* [threads][registers] */
	uint32_t *row;	   /* [constants + scratch] */
	uint32_t *trail;   /* [threads] */
	uint64_t *executed; /* [threads] */
	struct flow_outcomes *outcomes; /* [threads] */
	struct flow_loads *loads; /* [threads] */
	uint32_t loaded; /* by all of them, up to FLOW_LOADS_MAX */
	uint32_t *word, *shared;
	uint64_t most; /* instructions of a thread */
	const volatile sig_atomic_t *stop;
	char *message;
	size_t size;
};

/* 0; -EINVAL, with the kernel's fault as "FILE:LINE: REASON" in message; -EINTR, *stop was set, if
 * there is one; -ENOMEM. */
int flow_reference_run(const struct kernel *kernel, uint64_t seed, uint64_t most,
		       const volatile sig_atomic_t *stop, struct flow_reference *out,
		       char *message, size_t size);
void flow_reference_free(struct flow_reference *reference);

/* Words of global memory of a kernel, and where they begin. */
static inline uint64_t flow_origin(const struct kernel *k)
{
	return k->launched ? 0 : KERNEL_HEAP;
}

static inline size_t flow_words(const struct kernel *k)
{
	return (size_t)(k->memory_end - flow_origin(k)) / 4;
}

/* One step of the trail; a bijection for each value. */
static inline uint32_t flow_mix(uint32_t trail, uint32_t value)
{
	return (trail << 5 | trail >> 27) + value;
}

static inline bool flow_outcome(const struct flow_outcomes *outcomes, uint32_t index)
{
	return outcomes->word[index / 64] >> index % 64 & 1;
}

#endif /* SIM_FLOW_REFERENCE_H */
