/* SPDX-License-Identifier: BSD-2-Clause */
/* The second transaction of the paper's Fig. 7: at 10 it meets a write of 20, and again. */
#include <gputm/warp_clock.h>
#include <inttypes.h>
#include <stdio.h>

static int attempt(struct gputm_warp_clock *clock, uint64_t reported)
{
	uint64_t time, cycles;

	if (gputm_warp_clock_get_time(clock, 0, &time) < 0)
		return -1;
	printf("attempt at time %" PRIu64, time);
	if (!reported) {
		printf(" commits\n");
		return gputm_warp_clock_commit(clock, 0);
	}
	printf(" aborts, reporting %" PRIu64 ";", reported);
	if (gputm_warp_clock_abort(clock, 0, reported) < 0 ||
	    gputm_warp_clock_restart(clock, 0, &cycles) < 0)
		return -1;
	printf(" waits for %" PRIu64 " cycles\n", cycles);
	return 0;
}

int main(void)
{
	struct gputm_warp_clock *clock;
	int error;

	if (gputm_warp_clock_new(NULL, NULL, &clock) < 0)
		return 1;
	error = attempt(clock, 9) || attempt(clock, 21) || attempt(clock, 0);
	puts(gputm_warp_clock_exhausted(clock) ? "stamps must roll over" : "time is left");
	gputm_warp_clock_free(clock);
	return error;
}
