/* SPDX-License-Identifier: BSD-2-Clause */
/* Four warps begin a transaction on a core that lets two in at a time. */
#include <gputm/tx_throttle.h>
#include <inttypes.h>
#include <stdio.h>

static void begin(struct gputm_tx_throttle *throttle, uint32_t warp)
{
	int answer = gputm_tx_throttle_admit(throttle, warp);

	printf("warp %" PRIu32 " %s: %" PRIu32 " in a transaction, %" PRIu32 " waiting\n", warp,
	       answer == GPUTM_TX_THROTTLE_ADMITTED ? "begins" : "waits",
	       gputm_tx_throttle_running(throttle), gputm_tx_throttle_waiting(throttle));
}

static void finish(struct gputm_tx_throttle *throttle, uint32_t warp)
{
	uint32_t next;

	if (gputm_tx_throttle_leave(throttle, warp) < 0)
		return;
	printf("warp %" PRIu32 " is done\n", warp);
	while (gputm_tx_throttle_next_warp(throttle, &next) &&
	       gputm_tx_throttle_admit_probe(throttle, next) == GPUTM_TX_THROTTLE_ADMITTED)
		begin(throttle, next);
}

int main(void)
{
	struct gputm_tx_throttle_config config = GPUTM_TX_THROTTLE_CONFIG_INIT;
	struct gputm_tx_throttle *throttle;

	if (gputm_tx_throttle_config_preset(&config, "warptm") < 0 ||
	    gputm_tx_throttle_new(NULL, &config, &throttle) < 0)
		return 1;
	printf("at most %" PRIu32 " of %" PRIu32 " warps\n", gputm_tx_throttle_limit(throttle),
	       config.warps);
	begin(throttle, 5);
	begin(throttle, 7);
	begin(throttle, 9);
	begin(throttle, 3);
	finish(throttle, 5);
	finish(throttle, 9);
	begin(throttle, 5);
	gputm_tx_throttle_free(throttle);
	return 0;
}
