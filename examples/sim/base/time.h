/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TIME_H
#define SIM_TIME_H
/* Ticks of the fastest clock. */
#include <stdint.h>

#define SIM_NEVER UINT64_MAX

/* First tick at or after `tick` that is a multiple of this clock period. */
static inline uint64_t sim_align(uint64_t tick, uint32_t period)
{
	return period == 1 ? tick : (tick + period - 1) / period * period;
}

static inline uint64_t sim_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t sim_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
