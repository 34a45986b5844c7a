/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FLOW_THREADS_H
#define SIM_FLOW_THREADS_H
/*
 * What the threads of a launch hold and what an instruction does to those of a warp. Threads
 * are numbered so that each static warp is a run of `lanes` of them from a multiple of it on;
 * numbers that no thread has (the last warp of a block may be partial) are never in a mask.
 */
#include "kernel.h"

struct flow_threads {
	const struct flow_kernel *kernel;
	uint32_t warps;	     /* of a block */
	uint32_t count;	     /* numbers, those that no thread has included */
	uint32_t **column;   /* [columns][count], or [columns][lanes] of a constant */
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

/* Lanes of the static warp with this first number; what stood in *out decides if there is work. */
static inline void flow_set_static(uint32_t first, uint32_t mask, struct flow_lanes *out)
{
	out->mask = mask;
	if (out->together && out->slot[0] == first)
		return;
	out->together = true;
	for (uint32_t l = 0; l < FLOW_LANES_MAX; l++)
		out->slot[l] = first + l;
}

/* Whether visit number `visit` of a branch with chance `percent` takes it, for thread `id`. */
bool flow_chance(uint64_t seed, uint32_t pc, uint32_t id, uint32_t visit, uint32_t percent);

#endif /* SIM_FLOW_THREADS_H */
