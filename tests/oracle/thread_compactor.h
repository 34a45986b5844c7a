/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_THREAD_COMPACTOR_H
#define GPUTM_TESTS_ORACLE_THREAD_COMPACTOR_H
#include <stdbool.h>
#include <stdint.h>
#include "tests/oracle/stats.h"

#define ORACLE_THREAD_COMPACTOR_STATS                                                          \
	masks, threads, static_warps, warps_asked, warps_made, warps_popped, cycles, busy,     \
		full_warps

/* Buffers of flags, and encoders that look at one flag after the other. */
struct oracle_thread_compactor {
	unsigned lanes, warps;
	bool compact;
	bool buffer[64][32]; /* [lane][static warp] */
	ORACLE_STATS(ORACLE_THREAD_COMPACTOR_STATS) stats;
};

void oracle_thread_compactor_load(struct oracle_thread_compactor *o, const uint64_t mask[]);
unsigned oracle_thread_compactor_left(const struct oracle_thread_compactor *o);
/* One cycle: the thread of each lane, UINT16_MAX without one. Gives the lanes that have one. */
uint64_t oracle_thread_compactor_cycle(struct oracle_thread_compactor *o, uint16_t thread[]);

#endif
