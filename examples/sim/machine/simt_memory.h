/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SIMT_MEMORY_H
#define SIM_SIMT_MEMORY_H
/*
 * Times of global memory as a core sees it: accesses of a warp are coalesced and go through an
 * L1 one a cycle. Behind it are the crossbars and partitions of a machine, which need not have an
 * L1; without a machine, misses and all writes cross one after the other to a memory at a fixed
 * distance. Values are elsewhere: this knows addresses.
 */
#include "gputm/access_coalescer.h"
#include "../port/port.h"
#include "l1.h"
#include "simt_core.h"

struct flow_memory;

/* What the accesses of a warp cost. */
struct flow_access {
	uint32_t accesses; /* accesses after coalescing */
	uint32_t port;	   /* cycles of the L1's port */
	uint64_t done;	   /* when the warp may continue, if it awaits no reply */
};

/* 0; -EINVAL; -ENOMEM. */
int flow_memory_new(struct flow_gpu *gpu, uint32_t core,
		    const struct gputm_access_coalescer_config *coalescer,
		    struct flow_memory **out);
void flow_memory_free(struct flow_memory *memory);
/* The instruction of the warp makes the accesses in effect; warp->awaited counts their replies. */
int flow_memory_access(struct flow_memory *memory, uint64_t now, const struct kernel_instr *instr,
		       struct flow_warp *warp, const struct flow_effect *effect,
		       struct flow_access *out);
/* A fence: the warp awaits the replies to the stores of its threads. Without a machine: when these
 * stores are done. */
uint64_t flow_memory_fence(struct flow_memory *memory, struct flow_warp *warp);
/* A reply has arrived: warps of the core that await nothing else continue. */
void flow_memory_reply(struct flow_core *core, const struct sim_message *message, uint64_t now);
/* A message of the core in a state that is loaded. */
void flow_memory_check(struct flow_core *core, const struct sim_message *message,
		       struct sim_io *io);
/* Save or load its state, except that of its unit. */
void flow_memory_io(struct flow_core *core, struct sim_io *io);

#endif /* SIM_SIMT_MEMORY_H */
