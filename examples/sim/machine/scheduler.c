/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler.h"

#define GROUP 8u /* warps of a group (Narasiman et al., MICRO 2011) */

uint32_t sim_schedule_oldest(const struct sim_scheduler *scheduler, uint64_t ready)
{
	uint32_t oldest = (uint32_t)__builtin_ctzll(ready);

	for (SIM_EACH_LANE(i, ready & (ready - 1)))
		if (scheduler->launch[i] < scheduler->launch[oldest])
			oldest = (uint32_t)i;
	return oldest;
}

uint32_t sim_schedule_group(struct sim_scheduler *scheduler, uint32_t slot, uint64_t mine,
			    uint64_t ready, uint64_t pipeline)
{
	uint32_t first = scheduler->group[slot];
	uint64_t group = mine & ((UINT64_C(1) << GROUP) - 1) << first;

	if (ready & group)
		return sim_next_after(ready & group, scheduler->last[slot]);
	if (pipeline & group)
		return SIM_NO_WARP;
	first = sim_next_after(ready, first + GROUP - 1);
	scheduler->group[slot] = first / GROUP * GROUP;
	return first;
}
