/* SPDX-License-Identifier: BSD-2-Clause */
/* commit_buffer: two words of a block come, are written, and their granule is released. */
#include "gputm/commit_buffer.h"
#include "tests/bench/bench.h"

static void *setup(void)
{
	struct gputm_commit_buffer *b;

	return gputm_commit_buffer_new(NULL, NULL, &b) ? NULL : b;
}

static void teardown(void *state)
{
	gputm_commit_buffer_free(state);
}

static void turn(void *state, uint64_t count)
{
	struct gputm_commit_entry entry = { 0, 1, 1, 1, 1, false };
	struct gputm_commit_release release;
	struct gputm_mem_request write;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		entry.address = (i & 0xffff) * 32;
		sum += (uint64_t)gputm_commit_buffer_push(state, &entry);
		entry.address += 4;
		sum += (uint64_t)gputm_commit_buffer_push(state, &entry);
		gputm_commit_buffer_tick(state);
		if (gputm_commit_buffer_mem_peek(state, &write))
			sum += (uint64_t)gputm_commit_buffer_mem_pop(state);
		sum += (uint64_t)gputm_commit_buffer_mem_complete(state, write.tag);
		if (gputm_commit_buffer_peek(state, &release))
			sum += (uint64_t)gputm_commit_buffer_pop(state);
	}
	bench_use(sum);
}

static const struct bench_op operations[] = {
	{ "commit_buffer", "push of a word", setup, teardown, turn, NULL,
	  "gputm_commit_buffer_push", "-", 2 },
	{ "commit_buffer", "tick", setup, teardown, turn, NULL, "gputm_commit_buffer_tick", "-",
	  0 },
	{ "commit_buffer", "pop of a release", setup, teardown, turn, NULL,
	  "gputm_commit_buffer_pop", "-", 0 },
};

BENCH_TABLE(operations)
