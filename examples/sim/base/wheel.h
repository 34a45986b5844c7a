/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WHEEL_H
#define SIM_WHEEL_H
/*
 * The clock: a wheel of ticks. Each tick has one bit for each part of the machine that asked to be
 * called then. A part keeps its own queues of pending work and asks for a call at the time of the
 * earliest; an extra call does no harm. Ticks without a bit are skipped, so an idle part costs
 * nothing. There are no event records.
 *
 * Within a tick the parts are called in this order, each kind by index: partitions (with their
 * memory), crossbar ports, cores.
 */
#include <stdbool.h>
#include <stdint.h>

#include "time.h"

/* Each is the place of its first word of bits in a tick: up to 64 partitions and 256 cores. */
enum sim_part {
	SIM_PARTITION = 0,
	SIM_PORT_TO_PARTITION = 1,
	SIM_PORT_FROM_PARTITION = 2, /* source ports of the crossbar to the cores */
	SIM_PORT_FROM_CORE = 4,	     /* source ports of the crossbar to memory */
	SIM_PORT_TO_CORE = 8,
	SIM_CORE = 12,
	SIM_PART_WORDS = 16,
};

#define SIM_WHEEL_TICKS 4096u

/* Where each tick has the bit of a part. */
struct sim_turn {
	uint64_t bit;
	uint32_t word;
};

static inline struct sim_turn sim_turn_of(enum sim_part part, uint32_t index)
{
	return (struct sim_turn){ UINT64_C(1) << index % 64, part + index / 64 };
}

struct sim_wheel {
	uint64_t now;
	uint64_t called[SIM_WHEEL_TICKS][SIM_PART_WORDS];
	uint64_t occupied[SIM_WHEEL_TICKS / 64];
};

/* Call the part at tick `at`, or earlier if the wheel does not reach that far. In the present
 * tick, only a part whose turn is still to come may be called. SIM_NEVER: no call. */
static inline void sim_wheel_wake(struct sim_wheel *wheel, const struct sim_turn *turn, uint64_t at)
{
	uint32_t slot;

	if (at - wheel->now >= SIM_WHEEL_TICKS) {
		if (at == SIM_NEVER)
			return;
		at = wheel->now + SIM_WHEEL_TICKS - 1;
	}
	slot = (uint32_t)at % SIM_WHEEL_TICKS;
	wheel->called[slot][turn->word] |= turn->bit;
	wheel->occupied[slot / 64] |= UINT64_C(1) << slot % 64;
}

/* Distance from slot `from` to the first slot whose bit is set; SIM_WHEEL_TICKS if none is. */
static inline uint32_t sim_wheel_gap(const uint64_t occupied[SIM_WHEEL_TICKS / 64], uint32_t from)
{
	uint64_t word = occupied[from / 64] & ~UINT64_C(0) << from % 64;
	uint32_t at = from / 64;

	for (uint32_t i = 0; !word && i < SIM_WHEEL_TICKS / 64; i++) {
		at = (at + 1) % (SIM_WHEEL_TICKS / 64);
		word = occupied[at];
	}
	return word ? (at * 64 + (uint32_t)__builtin_ctzll(word) - from) % SIM_WHEEL_TICKS :
		      SIM_WHEEL_TICKS;
}

/* Go to the next tick with a call; false if there is none. */
static inline bool sim_wheel_next(struct sim_wheel *wheel)
{
	uint32_t from = (uint32_t)(wheel->now + 1) % SIM_WHEEL_TICKS;
	uint32_t gap = sim_wheel_gap(wheel->occupied, from);

	if (gap == SIM_WHEEL_TICKS)
		return false;
	wheel->now += 1 + gap;
	return true;
}

/* The calls at the present tick. */
static inline uint64_t *sim_wheel_calls(struct sim_wheel *wheel)
{
	return wheel->called[wheel->now % SIM_WHEEL_TICKS];
}

/* Take the calls of 64 parts of a kind, from number `first` on. */
static inline uint64_t sim_wheel_take(uint64_t *calls, enum sim_part part, uint32_t first)
{
	uint64_t mask = calls[part + first / 64];

	calls[part + first / 64] = 0;
	return mask;
}

/* The present tick is done. */
static inline void sim_wheel_done(struct sim_wheel *wheel)
{
	uint32_t slot = (uint32_t)wheel->now % SIM_WHEEL_TICKS;

	wheel->occupied[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

#endif
