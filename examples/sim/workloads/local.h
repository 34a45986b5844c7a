/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WORKLOADS_LOCAL_H
#define SIM_WORKLOADS_LOCAL_H
/*
 * What the workloads of GPU-LocalTM share: 256 work-items, one work-group, whose data are
 * words of local memory; N = 2, 4, ... 256 sets the contention.
 */
#include "../local/local.h"
#include "../base/random.h"
#include "tables.h"

#define LOCAL_ITEMS 256u

/* Set up the part that all have; `words` of local memory are data. */
static inline void sim_local_base(struct sim_workload *base, uint32_t words)
{
	static const char elsewhere[] = "its data are in local memory, which only local-tm, "
					"local-tm-perfect and local-serialised have";

	base->threads = LOCAL_ITEMS;
	base->block_size = LOCAL_ITEMS;
	base->lock_base = UINT64_MAX;
	for (unsigned i = 0; i < SIM_FLAVOURS; i++)
		base->missing[i] = elsewhere;
	base->region[0] = (struct sim_region){ 0, 4 * (uint64_t)words };
	base->regions = 1;
}

static inline uint64_t sim_local_address(uint32_t word)
{
	return 4 * (uint64_t)word;
}

#endif /* SIM_WORKLOADS_LOCAL_H */
