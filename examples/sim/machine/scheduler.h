/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SCHEDULER_H
#define SIM_SCHEDULER_H
/* Which warp issues, in each issue slot of a core with static warps. */
#include "../port/port.h"

#define SIM_SLOTS 4u /* most issue slots of a core */
#define SIM_NO_WARP UINT32_MAX

/* Ready warps in turn; the last one while it is ready, then the oldest; in turn within a group of
 * 8, and another group when all of it wait for more than a pipeline. */
enum { SIM_LRR, SIM_GTO, SIM_TWO_LEVEL };

/* All of it is state. */
struct sim_scheduler {
	uint32_t last[SIM_SLOTS];  /* warp that issued last */
	uint32_t group[SIM_SLOTS]; /* of SIM_TWO_LEVEL */
	uint64_t launched;	   /* warps, so far */
	uint64_t launch[SIM_MAX_WARPS]; /* number of each warp among these */
};

static inline void sim_scheduler_launch(struct sim_scheduler *scheduler, uint32_t warp)
{
	scheduler->launch[warp] = scheduler->launched++;
}

uint32_t sim_schedule_oldest(const struct sim_scheduler *scheduler, uint64_t ready);
uint32_t sim_schedule_group(struct sim_scheduler *scheduler, uint32_t slot, uint64_t mine,
			    uint64_t ready, uint64_t pipeline);

/* The warp to issue in the slot whose warps are `mine`, one of which is ready. pipeline: warps that
 * wait for nothing but the latency of their last instruction, if SIM_TWO_LEVEL.
 * @return SIM_NO_WARP if none is to issue now. */
static inline uint32_t sim_schedule(struct sim_scheduler *scheduler, uint32_t kind, uint32_t slot,
				    uint64_t mine, uint64_t ready, uint64_t pipeline)
{
	uint32_t last = scheduler->last[slot], next = last;

	ready &= mine;
	if (kind == SIM_LRR)
		next = sim_next_after(ready, last);
	else if (kind == SIM_TWO_LEVEL)
		next = sim_schedule_group(scheduler, slot, mine, ready, pipeline);
	else if (!(ready >> last & 1))
		next = sim_schedule_oldest(scheduler, ready);
	if (next != SIM_NO_WARP)
		scheduler->last[slot] = next;
	return next;
}

#endif /* SIM_SCHEDULER_H */
