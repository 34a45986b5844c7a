/* SPDX-License-Identifier: BSD-2-Clause */
/* The worked example of the thesis (Fig. 3.7): seven threads of entry C become two warps. */
#include <gputm/thread_compactor.h>
#include <inttypes.h>
#include <stdio.h>

#define LANES 4

static void show_buffers(const struct gputm_thread_compactor *compactor)
{
	printf("buffers");
	for (uint32_t lane = 0; lane < LANES; lane++) {
		uint64_t buffer = gputm_thread_compactor_buffer(compactor, lane);

		printf(" %u%u%u", (unsigned)(buffer & 1), (unsigned)(buffer >> 1 & 1),
		       (unsigned)(buffer >> 2 & 1));
	}
	printf("\n");
}

static void show_warp(const struct gputm_thread_compactor_warp *warp)
{
	printf("warp %" PRIu32 ": threads", warp->index);
	for (unsigned lane = 0; lane < LANES; lane++) {
		if (warp->mask >> lane & 1)
			printf(" %u", warp->thread[lane] + 1u);
		else
			printf(" -");
	}
	printf("\n");
}

int main(void)
{
	struct gputm_thread_compactor_config config = GPUTM_THREAD_COMPACTOR_CONFIG_INIT;
	const uint64_t entry_c[LANES] = { 2, 1, 5, 3 }; /* bit w: the thread of static warp w */
	struct gputm_thread_compactor_warp warp;
	struct gputm_thread_compactor *compactor;

	config.lanes = LANES;
	config.warps = 3;
	if (gputm_thread_compactor_new(NULL, &config, &compactor) < 0)
		return 1;
	if (gputm_thread_compactor_push_probe(compactor, entry_c) < 0 ||
	    gputm_thread_compactor_push(compactor, 0, entry_c) < 0)
		return 1;
	show_buffers(compactor);
	while (gputm_thread_compactor_warps(compactor)) {
		gputm_thread_compactor_advance(compactor,
					       gputm_thread_compactor_next_event(compactor) + 1);
		if (gputm_thread_compactor_peek(compactor, &warp))
			show_warp(&warp);
		show_buffers(compactor);
		gputm_thread_compactor_pop(compactor);
	}
	gputm_thread_compactor_free(compactor);
	return 0;
}
