/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_EXPLORE_THREADS_H
#define GPUTM_TESTS_EXPLORE_THREADS_H
/* Threads that a unit regroups into warps: the model knows where each has to go on. */
#include <stdbool.h>
#include <stdint.h>

#define THREADS 4

struct thread {
	uint8_t at;	 /* where it goes on */
	uint8_t aborted; /* attempts */
	uint8_t passed;	 /* attempts: one, or none */
	bool runs;	 /* in a warp */
	bool waits;	 /* at a barrier, before `at` */
	bool early;	 /* it has ended on one side of a branch */
};

struct warp {
	uint32_t lanes;
	uint8_t pc;
	bool waits; /* at a barrier */
	uint16_t thread[THREADS];
};

/* What one warp does, or a static one; the lanes that take a branch, end, abort or fail, and
 * pass. */
#define STEP(what, warp, lanes, pass) \
	((uint32_t)(what) << 24 | (uint32_t)(warp) << 16 | (uint32_t)(pass) << 8 | (lanes))

/* One choice for each set of the warp's lanes, the empty one if `none`; how many. */
unsigned threads_subsets(const struct warp *warp, uint32_t what, uint32_t name, bool none,
			 uint32_t choice[]);
/* The warp begins: each thread in its lane of so many, in no other warp, where it has to go on.
 * NULL, or what is wrong. */
const char *threads_run(struct thread *thread, const struct warp *warp, uint32_t lanes);
/* These lanes of a warp leave it, and go on there. */
void threads_part(struct thread *thread, struct warp *warp, uint32_t lanes, uint8_t at);

#endif
