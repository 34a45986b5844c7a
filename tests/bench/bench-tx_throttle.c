/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_throttle: a warp leaves, the first waiting one enters, and the one that left queues up
 * again. The bound is a counter and a ring of warps without checks or statistics.
 */
#include <stdlib.h>

#include "gputm/tx_throttle.h"
#include "tests/bench/bench.h"

#define WARPS 16
#define LIMIT 2

struct core {
	struct gputm_tx_throttle *unit;
	uint32_t oldest; /* the warp that has been in for longest: they enter in turn */
	uint32_t running, head, waiting;
	uint32_t queue[WARPS];
};

static void *setup(void)
{
	struct gputm_tx_throttle_config config = GPUTM_TX_THROTTLE_CONFIG_INIT;
	struct core *c = calloc(1, sizeof(*c));

	config.warps = WARPS;
	config.limit = LIMIT;
	if (!c || gputm_tx_throttle_new(NULL, &config, &c->unit)) {
		free(c);
		return NULL;
	}
	for (uint32_t warp = 0; warp < WARPS; warp++)
		if (gputm_tx_throttle_admit(c->unit, warp) == GPUTM_TX_THROTTLE_WAIT)
			c->queue[c->waiting++] = warp;
	c->running = LIMIT;
	return c;
}

static void teardown(void *state)
{
	struct core *c = state;

	gputm_tx_throttle_free(c->unit);
	free(c);
}

static void run(void *state, uint64_t count)
{
	struct core *c = state;
	int answers = 0;

	for (uint64_t i = 0; i < count; i++) {
		answers += gputm_tx_throttle_leave(c->unit, c->oldest);
		answers += gputm_tx_throttle_admit(c->unit, (c->oldest + LIMIT) % WARPS);
		answers += gputm_tx_throttle_admit(c->unit, c->oldest);
		c->oldest = (c->oldest + 1) % WARPS;
	}
	bench_use((uint64_t)answers);
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

static void bound(void *state, uint64_t count)
{
	struct core *c = state;
	int answers = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint32_t first = c->queue[c->head];

		tight_leave(c);
		answers += tight_admit(c, first);
		answers += tight_admit(c, (first + WARPS - LIMIT) % WARPS);
	}
	bench_use((uint64_t)answers);
}

static const struct bench_op operations[] = {
	{ "tx_throttle", "leave, enter from the queue, queue up", setup, teardown, run, bound,
	  "gputm_tx_throttle_leave,gputm_tx_throttle_admit", "tight_leave,tight_admit", 0 },
};

BENCH_TABLE(operations)
