/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warp_former: 48 warps of 32 lanes. A whole warp that issues and goes on, and a hammock that
 * parts the warps and joins their threads again, with eight in flight; per warp issued.
 */
#include "tests/bench/bench.h"

#define WARPS 48

struct core {
	struct gputm_warp_former *unit;
	struct gputm_warp_former_warp warp[WARPS];
};

BENCH_SETUP(setup, struct core *c)
{
	struct gputm_warp_former_config config = GPUTM_WARP_FORMER_CONFIG_INIT;

	config.hold_partial = false;
	bench_must(gputm_warp_former_new(NULL, &config, &c->unit));
	for (uint32_t w = 0; w < WARPS; w++)
		bench_must(gputm_warp_former_launch(c->unit, w, UINT32_MAX, 1));
}

BENCH_LOOP(run_whole, struct core *c)
{
	bench_must(gputm_warp_former_issue(c->unit, &c->warp[0]));
	bench_must(gputm_warp_former_proceed(c->unit, c->warp[0].slot, 1));
	return 0;
}

/* Each static warp's worth of threads goes through A (1), B (2) or C (3), and D (4). */
static void go_on(struct core *c, const struct gputm_warp_former_warp *w, uint64_t turn)
{
	const struct gputm_warp_former_target target = { 2, 3, 4 };
	uint64_t taken = (UINT64_C(0x0f0f0f0f) << turn % 5) & w->mask;
	int error;

	if (w->pc == 1)
		error = gputm_warp_former_branch(c->unit, w->slot, taken, &target);
	else
		error = gputm_warp_former_proceed(c->unit, w->slot, w->pc == 4 ? 1 : 4);
	if (error)
		abort();
}

/* As many warps as come to four for each static one: up to eight are in flight. */
static void run_hammock(void *state, uint64_t count)
{
	struct core *c = state;
	unsigned flying = 0;

	for (uint64_t i = 0; i < count * WARPS; i++) {
		if (gputm_warp_former_issue(c->unit, &c->warp[flying]) == GPUTM_WARP_FORMER_OK)
			flying++;
		if (flying < 8)
			continue;
		while (flying)
			go_on(c, &c->warp[--flying], i);
	}
	while (flying)
		go_on(c, &c->warp[--flying], 0);
}

static const struct bench_op operations[] = {
	{ "issue and advance, whole warp", setup, 0, run_whole,
	  "gputm_warp_former_issue,gputm_warp_former_proceed",
	  .unbounded = "code by hand would be another design of the same rules" },
	{ "hammock, per warp issued", setup, 0, run_hammock,
	  "gputm_warp_former_issue,gputm_warp_former_proceed,gputm_warp_former_branch",
	  .unbounded = "code by hand would be another design of the same rules",
	  .per_turn = WARPS },
};

BENCH_TABLE("warp_former", struct core, operations)
