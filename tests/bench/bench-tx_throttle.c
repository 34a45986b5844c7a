/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_throttle: a warp leaves, the first waiting one enters, and the one that left queues up
 * again. The bound is a counter and a ring of warps without checks or statistics.
 */
#include "tests/bench/bench.h"

#define WARPS 16
#define LIMIT 2

struct core {
	struct gputm_tx_throttle *unit;
	uint32_t oldest; /* the warp that has been in for longest: they enter in turn */
	uint32_t running, head, waiting;
	uint32_t queue[WARPS];
};

BENCH_SETUP(setup, struct core *c)
{
	struct gputm_tx_throttle_config config = GPUTM_TX_THROTTLE_CONFIG_INIT;

	config.warps = WARPS;
	config.limit = LIMIT;
	bench_must(gputm_tx_throttle_new(NULL, &config, &c->unit));
	for (uint32_t warp = 0; warp < WARPS; warp++)
		if (gputm_tx_throttle_admit(c->unit, warp) == GPUTM_TX_THROTTLE_WAIT)
			c->queue[c->waiting++] = warp;
	c->running = LIMIT;
}

BENCH_LOOP(run, struct core *c)
{
	bench_must(gputm_tx_throttle_leave(c->unit, c->oldest));
	bench_must(gputm_tx_throttle_admit(c->unit, (c->oldest + LIMIT) % WARPS));
	bench_must(gputm_tx_throttle_admit(c->unit, c->oldest));
	c->oldest = (c->oldest + 1) % WARPS;
	return 0;
}

BENCH_TIGHT static void tight_leave(struct core *c)
{
	c->running--;
}

BENCH_TIGHT static int tight_admit(struct core *c, uint32_t warp)
{
	if (c->running < LIMIT && (!c->waiting || c->queue[c->head] == warp)) {
		c->head = (c->head + 1) % WARPS;
		c->waiting -= c->waiting != 0;
		c->running++;
		return 0;
	}
	c->queue[(c->head + c->waiting) % WARPS] = warp;
	c->waiting++;
	return 1;
}

BENCH_LOOP(bound, struct core *c)
{
	uint32_t first = c->queue[c->head];

	tight_leave(c);
	return (uint64_t)(tight_admit(c, first) |
			  tight_admit(c, (first + WARPS - LIMIT) % WARPS));
}

static const struct bench_op operations[] = {
	{ "leave, enter from the queue, queue up", setup, 0, run,
	  "gputm_tx_throttle_leave,gputm_tx_throttle_admit",
	  .bound = bound, .bound_inside = "tight_leave,tight_admit" },
};

BENCH_TABLE("tx_throttle", struct core, operations)
