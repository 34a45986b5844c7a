/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_THREAD_COMPACTOR_H
#define GPUTM_TESTS_ORACLE_THREAD_COMPACTOR_H
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

static void oracle_thread_compactor_load(struct oracle_thread_compactor *o, const uint64_t mask[])
{
	uint64_t deepest = 0, here, rows = 0;

	for (unsigned lane = 0; lane < o->lanes; lane++) {
		here = 0;
		for (unsigned w = 0; w < o->warps; w++)
			here += o->buffer[lane][w] = mask[lane] >> w & 1;
		oracle_most(&deepest, here);
		o->stats.threads += here;
	}
	for (unsigned w = 0; w < o->warps; w++) {
		here = 0;
		for (unsigned lane = 0; lane < o->lanes; lane++)
			here |= o->buffer[lane][w];
		rows += here;
	}
	o->stats.masks++;
	o->stats.static_warps += rows;
	o->stats.warps_asked += o->compact ? deepest : rows;
}

static unsigned oracle_thread_compactor_left(const struct oracle_thread_compactor *o)
{
	unsigned left = 0;

	for (unsigned lane = 0; lane < o->lanes; lane++)
		for (unsigned w = 0; w < o->warps; w++)
			left += o->buffer[lane][w];
	return left;
}

/* The first static warp that has a thread left. */
static unsigned first_warp(const struct oracle_thread_compactor *o)
{
	for (unsigned w = 0; w < o->warps; w++)
		for (unsigned lane = 0; lane < o->lanes; lane++)
			if (o->buffer[lane][w])
				return w;
	return o->warps;
}

/* One cycle: the thread of each lane, UINT16_MAX without one. Gives the lanes that have one. */
static uint64_t oracle_thread_compactor_cycle(struct oracle_thread_compactor *o, uint16_t thread[])
{
	unsigned from = o->compact ? 0 : first_warp(o), to = o->compact ? o->warps : from + 1;
	uint64_t mask = 0;

	for (unsigned lane = 0; lane < o->lanes; lane++) {
		thread[lane] = UINT16_MAX;
		for (unsigned w = from; w < to && w < o->warps; w++) {
			if (!o->buffer[lane][w])
				continue;
			o->buffer[lane][w] = false;
			thread[lane] = (uint16_t)(w * o->lanes + lane);
			mask |= UINT64_C(1) << lane;
			break;
		}
	}
	o->stats.busy += mask != 0;
	o->stats.warps_made += mask != 0;
	o->stats.full_warps += mask == UINT64_MAX >> (64 - o->lanes);
	return mask;
}

#endif
