/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H
#include <stdint.h>

/* The generator of the reference workloads: SplitMix64, upper 31 bits. */
static inline uint32_t sim_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ z >> 31) >> 33);
}

#endif /* SIM_RANDOM_H */
