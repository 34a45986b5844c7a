/* SPDX-License-Identifier: BSD-2-Clause */
/* stall_buffer, 4 x 4, half full: one request comes, the oldest of its granule goes. */
#include <stdlib.h>

#include "gputm/stall_buffer.h"
#include "tests/bench/bench.h"

static void *setup(void)
{
	struct gputm_stall_buffer *b;
	struct gputm_stall_request r = { 0, 0, 0, 0 };

	if (gputm_stall_buffer_new(NULL, NULL, &b))
		return NULL;
	for (uint64_t i = 0; i < 8; i++) {
		r.address = (i & 3) * 32;
		r.stamp = i;
		bench_use((uint64_t)gputm_stall_buffer_enqueue(b, &r));
	}
	return b;
}

static void teardown(void *state)
{
	gputm_stall_buffer_free(state);
}

static void turn(void *state, uint64_t count)
{
	struct gputm_stall_request r = { 0, 0, 0, 0 }, out;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		r.address = (i & 3) * 32;
		r.stamp = i + 8;
		sum += (uint64_t)gputm_stall_buffer_enqueue(state, &r);
		sum += (uint64_t)gputm_stall_buffer_wake(state, r.address, &out);
	}
	bench_use(sum);
}

static const struct bench_op operations[] = {
	{ "stall_buffer", "enqueue", setup, teardown, turn, NULL, "gputm_stall_buffer_enqueue", "-",
	  0 },
	{ "stall_buffer", "wake", setup, teardown, turn, NULL, "gputm_stall_buffer_wake", "-", 0 },
};

BENCH_TABLE(operations)
