/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HEAP_H
#define SIM_HEAP_H
#include <stdint.h>

/* Device arrays are allocated one after the other from here, each start rounded up. */
#define SIM_HEAP 0x80000000u
#define SIM_HEAP_ALIGN 256u

/* Take `bytes` from the heap that ends at *end. */
static inline uint64_t sim_heap_take(uint64_t *end, uint64_t bytes)
{
	uint64_t start = (*end + SIM_HEAP_ALIGN - 1) & ~(uint64_t)(SIM_HEAP_ALIGN - 1);

	*end = start + bytes;
	return start;
}

#endif /* SIM_HEAP_H */
