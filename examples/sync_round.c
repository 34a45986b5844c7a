/* SPDX-License-Identifier: BSD-2-Clause */
/* Two rounds of a CPU and a GPU, the second with a conflict; what is to be done, and when. */
#include <gputm/sync_round.h>
#include <inttypes.h>
#include <stdio.h>

static const char *const name[] = { "run",    "drain",     "early validation", "ship",
				    "shadow", "copy back", "replay",           "realign",
				    "end" };

/* A round in which `chunks` chunks are shipped, with conflicts or without. */
static uint64_t one_round(struct gputm_sync_round *round, uint64_t now, int chunks, bool conflict)
{
	struct gputm_sync_round_todo todo = { GPUTM_SYNC_ROUND_ACTION_RUN, 0, false, false };

	if (gputm_sync_round_begin(round, now) < 0)
		return now;
	while (gputm_sync_round_step(round, now, &todo) == 0) {
		struct gputm_sync_round_done done = { 0 };

		if (todo.action == GPUTM_SYNC_ROUND_ACTION_RUN) {
			now = gputm_sync_round_next_time(round); /* the devices run till then */
			continue;
		}
		printf("%6" PRIu64 " %-10s", now, name[todo.action]);
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_SHIP && chunks > 0) {
			done.bytes = 4096;
			done.cycles = 50;
			done.conflict = conflict;
			chunks--;
		} else if (todo.action >= GPUTM_SYNC_ROUND_ACTION_SHADOW &&
			   todo.action < GPUTM_SYNC_ROUND_ACTION_END) {
			done.bytes = 16384; /* one granule that the GPU wrote */
			done.runs = 1;
		}
		printf("%6" PRIu64 " bytes, cpu %s, gpu %s\n", done.bytes,
		       gputm_sync_round_may_run(round, GPUTM_SYNC_ROUND_DEVICE_CPU, now) ? "runs"
											 : "-",
		       gputm_sync_round_may_run(round, GPUTM_SYNC_ROUND_DEVICE_GPU, now) ? "runs"
											 : "-");
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_END)
			break;
		if (gputm_sync_round_complete(round, now, &done) < 0)
			break;
	}
	printf("       the round has %s\n", todo.success ? "succeeded" : "failed");
	return now;
}

int main(void)
{
	struct gputm_sync_round_config config = GPUTM_SYNC_ROUND_CONFIG_INIT;
	struct gputm_sync_round *round;
	uint64_t now;

	config.round_cycles = 10000;
	config.early_cycles = 0;
	config.link_latency = 100;
	if (gputm_sync_round_new(NULL, &config, &round) < 0)
		return 1;
	now = one_round(round, 0, 2, false);
	one_round(round, now, 1, true);
	gputm_sync_round_free(round);
	return 0;
}
