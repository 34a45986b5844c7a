/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FLOW_THREADS_H
#define SIM_FLOW_THREADS_H
/*
 * What the threads of a launch hold and what an instruction does to those of a warp. Threads
 * are numbered so that each static warp is a run of `lanes` of them from a multiple of it on;
 * numbers that no thread has (the last warp of a block may be partial) are never in a mask.
 *
 * The trail of a thread is a rolling hash of the instructions that it has executed and of the
 * values that it has loaded, in their order.
 */
#include "kernel.h"

struct flow_threads {
	const struct flow_kernel *kernel;
	uint32_t warps;	     /* of a block */
	uint32_t count;	     /* numbers, those that no thread has included */
	uint32_t **column;   /* [columns][count], or [columns][lanes] of a constant */
	uint32_t *trail;     /* [count] */
	uint32_t *word;	     /* global memory */
	uint32_t *shared;    /* [blocks][shared_words] */
	uint64_t seed;
	char fault[160];     /* what a thread did that cannot be, "" for nothing */
	uint32_t fault_line;
};

/* A warp as it executes: lane l runs thread slot[l] if bit l of mask is set. */
struct flow_lanes {
	uint32_t mask;
	bool together; /* slot[l] = slot[0] + l for all lanes: a static warp */
	uint32_t slot[FLOW_LANES_MAX];
};

/* What an instruction of a warp asks of the core. */
struct flow_effect {
	uint32_t taken; /* of a branch: lanes that take it; of exit if: lanes that end */
	uint32_t memory; /* lanes that access global memory */
	uint32_t banks; /* cycles that an access of shared memory takes; 0: none */
	uint64_t address[FLOW_LANES_MAX]; /* bytes */
};

/* 0 or -ENOMEM. */
int flow_threads_new(const struct flow_kernel *kernel, uint64_t seed, struct flow_threads *out);
void flow_threads_free(struct flow_threads *threads);

/*
 * Execute one instruction for the lanes of a mask that is not empty. False after a fault, which
 * is then described; nothing was executed.
 */
bool flow_execute(struct flow_threads *t, uint32_t pc, const struct flow_lanes *lanes,
		  struct flow_effect *effect);

/* First number of warp w of block b. */
static inline uint32_t flow_first_slot(const struct flow_threads *t, uint32_t b, uint32_t w)
{
	return (b * t->warps + w) * t->kernel->lanes;
}

/* Lanes of warp w of a block that have a thread. */
static inline uint32_t flow_full_mask(const struct flow_kernel *k, uint32_t w)
{
	uint32_t left = k->threads - w * k->lanes;

	if (left > k->lanes)
		left = k->lanes;
	return UINT32_MAX >> (32 - left);
}

/* One step of the trail; a bijection for each value. */
static inline uint32_t flow_mix(uint32_t trail, uint32_t value)
{
	return (trail << 5 | trail >> 27) + value;
}

/* Execute an instruction that does nothing but count, as flow_execute() would. */
static inline void flow_follow(struct flow_threads *t, const struct flow_lanes *w, uint32_t value)
{
	uint32_t *trail = t->trail;

	if (w->together && w->mask == UINT32_MAX) {
		trail += w->slot[0];
		for (uint32_t l = 0; l < FLOW_LANES_MAX; l++)
			trail[l] = flow_mix(trail[l], value);
		return;
	}
	for (uint32_t left = w->mask; left; left &= left - 1) {
		uint32_t *one = &trail[w->slot[__builtin_ctz(left)]];

		*one = flow_mix(*one, value);
	}
}

/* Whether visit number `visit` of a branch with chance `percent` takes it, for thread `id`. */
bool flow_chance(uint64_t seed, uint32_t pc, uint32_t id, uint32_t visit, uint32_t percent);

#endif /* SIM_FLOW_THREADS_H */
