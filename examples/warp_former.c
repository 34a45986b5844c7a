/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The starvation eddy of the thesis (Fig. 3.3): two warps of four threads branch at A to B and C
 * and meet at D, without the warp barrier and with it.
 */
#include <gputm/warp_former.h>
#include <stdbool.h>
#include <stdio.h>

#define LANES 4

/* What the warp does at its PC. */
static int execute(struct gputm_warp_former *former, const struct gputm_warp_former_warp *warp)
{
	const struct gputm_warp_former_target at_a = { 'B', 'C', 'D' };
	uint64_t taken = 0;

	for (unsigned lane = 0; lane < LANES; lane++) {
		bool active = warp->mask >> lane & 1;
		unsigned thread = active ? warp->thread[lane] + 1u : 0;

		if (thread == 1 || thread == 2 || thread == 4 || thread == 6 || thread == 7)
			taken |= UINT64_C(1) << lane;
		printf(" %c", active ? '0' + (int)thread : '-');
	}
	switch (warp->pc) {
	case 'A':
		return gputm_warp_former_branch(former, warp->slot, taken, &at_a);
	case 'D':
		return gputm_warp_former_exit(former, warp->slot, warp->mask);
	default: return gputm_warp_former_proceed(former, warp->slot, 'D');
	}
}

static int run(const char *preset)
{
	struct gputm_warp_former_config config = GPUTM_WARP_FORMER_CONFIG_INIT;
	struct gputm_warp_former_warp warp;
	struct gputm_warp_former *former;
	unsigned issued = 0;
	int bad;

	bad = gputm_warp_former_config_preset(&config, preset) < 0;
	config.lanes = LANES;
	config.warps = 2;
	if (bad || gputm_warp_former_new(NULL, &config, &former) < 0)
		return 1;
	for (uint32_t w = 0; w < 2; w++)
		bad |= gputm_warp_former_launch(former, w, 0xf, 'A') < 0;
	printf("%s\n", preset);
	while (!bad && gputm_warp_former_issue_probe(former, &warp) == GPUTM_WARP_FORMER_OK) {
		unsigned waiting = gputm_warp_former_waiting(former, warp.pc);

		bad = gputm_warp_former_issue(former, &warp) < 0;
		printf("  %c, %u in flight, %u of %u threads:", (char)warp.pc,
		       gputm_warp_former_in_flight(former),
		       waiting - gputm_warp_former_waiting(former, warp.pc), waiting);
		bad = execute(former, &warp) < 0;
		printf("\n");
		issued++;
	}
	printf("  %u warps, %u threads left\n", issued, (unsigned)gputm_warp_former_live(former));
	gputm_warp_former_free(former);
	return bad;
}

int main(void)
{
	return run("dwf") || run("dwf-wb");
}
