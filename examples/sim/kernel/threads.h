/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_THREADS_H
#define SIM_KERNEL_THREADS_H
/*
 * What the threads of a launch hold and what an instruction does to those of a warp. Threads
 * are numbered so that each static warp is a run of `lanes` of them from a multiple of it on;
 * numbers that no thread has (the last warp of a block may be partial) are never in a mask.
 */
#include "../base/io.h"
#include "lanes.h"

struct flow_threads {
	const struct kernel *kernel;
	const struct kernel_code *code;
	uint32_t warps;	   /* of a block */
	uint32_t count;	   /* numbers, those that no thread has included */
	size_t stride;	   /* from a register of a thread to its next one */
	uint32_t *reg;	   /* [registers][stride] */
	uint64_t origin;   /* address of the first word */
	uint32_t *word;	   /* global memory */
	uint32_t *shared;  /* [blocks][shared_words] */
	uint8_t *resident_of; /* [blocks]: slot of the core; the core's */
	uint64_t seed;
	char fault[240];   /* what a thread did that cannot be, "" for nothing */
};

/* A warp as it executes: lane l runs thread slot[l] if bit l of mask is set. */
struct flow_lanes {
	uint32_t mask;
	bool together; /* slot[l] = slot[0] + l for all lanes: a static warp */
	uint32_t slot[KERNEL_LANES];
};

/* What an instruction of a warp asks of the core. */
struct flow_effect {
	uint32_t taken; /* of a branch: lanes that take it; of exit if: lanes that end */
	uint32_t accesses; /* lanes that access memory */
	uint32_t memory; /* lanes that access global memory */
	uint32_t banks; /* cycles that an access of shared memory takes; 0: none */
	uint64_t address[KERNEL_LANES]; /* bytes; of shared memory words */
};

/* 0 or -ENOMEM. */
int flow_threads_new(const struct kernel *kernel, uint64_t seed, struct flow_threads *out);
void flow_threads_free(struct flow_threads *threads);
void flow_threads_io(struct flow_threads *threads, struct sim_io *io);

/*
 * Execute one instruction for the lanes of a mask that is not empty. False after a fault, which
 * is then described; what it has done does not count.
 */
bool flow_execute(struct flow_threads *t, uint32_t pc, const struct flow_lanes *lanes,
		  struct flow_effect *effect);

/* Words of global memory of a kernel on one core, and where they begin. */
static inline uint64_t flow_origin(const struct kernel *k)
{
	return k->launched ? 0 : KERNEL_HEAP;
}

static inline size_t flow_words(const struct kernel *k)
{
	return (size_t)(k->memory_end - flow_origin(k)) / 4;
}

/* First number of warp w of block b. */
static inline uint32_t flow_first_slot(const struct flow_threads *t, uint32_t b, uint32_t w)
{
	return (b * t->warps + w) * t->kernel->lanes;
}

/* Of the thread with a number: its block, its number in the block, its lane, its id. */
static inline uint32_t flow_block_of(const struct flow_threads *t, uint32_t slot)
{
	return slot / (t->warps * t->kernel->lanes);
}

static inline uint32_t flow_thread_of(const struct flow_threads *t, uint32_t slot)
{
	return slot % (t->warps * t->kernel->lanes);
}

static inline uint32_t flow_lane_of(const struct flow_threads *t, uint32_t slot)
{
	return slot % t->kernel->lanes;
}

static inline uint32_t flow_id_of(const struct flow_threads *t, uint32_t slot)
{
	return flow_block_of(t, slot) * t->kernel->block_threads + flow_thread_of(t, slot);
}

/* Slot of the core on which its block is. */
static inline uint32_t flow_resident_of(const struct flow_threads *t, uint32_t slot)
{
	return t->resident_of[flow_block_of(t, slot)];
}

/* Lanes of warp w of a block that have a thread; 0 if the block has fewer warps. */
static inline uint32_t flow_full_mask(const struct kernel *k, uint32_t block, uint32_t w)
{
	uint32_t threads = kernel_threads_of_block(k, block), first = w * k->lanes;

	if (first >= threads)
		return 0;
	return UINT32_MAX >> (32 - (threads - first < k->lanes ? threads - first : k->lanes));
}

/* Has this number a thread? */
static inline bool flow_exists(const struct flow_threads *t, uint32_t slot)
{
	return flow_thread_of(t, slot) < kernel_threads_of_block(t->kernel, flow_block_of(t, slot));
}

/* Lanes of the static warp with this first number; what stood in *out decides if there is work. */
static inline void flow_set_static(uint32_t first, uint32_t mask, struct flow_lanes *out)
{
	out->mask = mask;
	if (out->together && out->slot[0] == first)
		return;
	out->together = true;
	for (uint32_t l = 0; l < KERNEL_LANES; l++)
		out->slot[l] = first + l;
}

#endif /* SIM_KERNEL_THREADS_H */
