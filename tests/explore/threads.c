/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "tests/explore/threads.h"

unsigned threads_subsets(const struct warp *warp, uint32_t what, uint32_t name, bool none,
			 uint32_t choice[])
{
	unsigned count = 0;

	for (uint32_t lanes = none ? 0 : 1; lanes <= warp->lanes; lanes++)
		if (!(lanes & ~warp->lanes))
			choice[count++] = STEP(what, name, lanes, 0);
	return count;
}

static const char *run(struct thread *thread, uint8_t pc)
{
	if (thread->runs)
		return "a thread is in two warps";
	if (thread->waits)
		return "a barrier is passed before all threads have come";
	if (thread->at != pc)
		return "a thread goes on where it has no business";
	thread->runs = true;
	return NULL;
}

const char *threads_run(struct thread *thread, const struct warp *warp, uint32_t lanes)
{
	const char *wrong = NULL;

	for (uint32_t lane = 0; lane < lanes && !wrong; lane++) {
		if (!(warp->lanes >> lane & 1))
			continue;
		if (warp->thread[lane] >= THREADS || warp->thread[lane] % lanes != lane)
			return "a thread is not in its lane";
		wrong = run(&thread[warp->thread[lane]], warp->pc);
	}
	return wrong;
}

void threads_part(struct thread *thread, struct warp *warp, uint32_t lanes, uint8_t at)
{
	for (uint32_t lane = 0; lane < THREADS; lane++) {
		if (!((lanes & warp->lanes) >> lane & 1))
			continue;
		thread[warp->thread[lane]].at = at;
		thread[warp->thread[lane]].runs = false;
	}
	warp->lanes &= ~lanes;
}
