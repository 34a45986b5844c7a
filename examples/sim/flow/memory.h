/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FLOW_MEMORY_H
#define SIM_FLOW_MEMORY_H
/*
 * Times of global memory as a core sees it: accesses of a warp are coalesced, go through an
 * L1 one a cycle, and misses and all writes cross to memory one after the other. Values are
 * elsewhere: this knows addresses.
 */
#include "gputm/access_coalescer.h"
#include "core.h"

struct flow_memory;

/* What the accesses of a warp take. */
struct flow_access {
	uint32_t accesses; /* coalesced; cycles of the port of the L1 */
	uint64_t done;	   /* when the warp may go on */
};

/* 0; -EINVAL; -ENOMEM. */
int flow_memory_new(struct gputm_ctx *ctx, const struct flow_core_config *config,
		    const struct gputm_access_coalescer_config *coalescer,
		    struct flow_memory **out);
void flow_memory_free(struct flow_memory *memory);
int flow_memory_access(struct flow_memory *memory, uint64_t now, bool write,
		       const struct flow_effect *effect, struct flow_access *out);
void flow_memory_counts(const struct flow_memory *memory, uint64_t *hits, uint64_t *misses);
const struct gputm_unit *flow_memory_unit(const struct flow_memory *memory);

#endif /* SIM_FLOW_MEMORY_H */
