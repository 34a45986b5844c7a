/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/tx_throttle.h"

void oracle_tx_throttle_open(struct oracle_tx_throttle *o,
			     const struct gputm_tx_throttle_config *config)
{
	o->config = *config;
	o->insiders = o->waiters = 0;
}

/* Where the warp is in a list, or count. */
static uint32_t find(const uint32_t *list, uint32_t count, uint32_t warp)
{
	uint32_t at = 0;

	while (at < count && list[at] != warp)
		at++;
	return at;
}

static void take_out(uint32_t *list, uint32_t *count, uint32_t at)
{
	for ((*count)--; at < *count; at++)
		list[at] = list[at + 1];
}

int oracle_tx_throttle_admit(struct oracle_tx_throttle *o, uint32_t warp)
{
	uint32_t at;

	if (warp >= o->config.warps)
		return -ERANGE;
	if (find(o->inside, o->insiders, warp) < o->insiders)
		return GPUTM_TX_THROTTLE_ADMITTED;
	at = find(o->waiting, o->waiters, warp);
	if (at == o->waiters)
		o->waiting[o->waiters++] = warp;
	if (at > 0 || (o->config.limit && o->insiders >= o->config.limit))
		return GPUTM_TX_THROTTLE_WAIT;
	take_out(o->waiting, &o->waiters, 0);
	o->inside[o->insiders++] = warp;
	return GPUTM_TX_THROTTLE_ADMITTED;
}

int oracle_tx_throttle_leave(struct oracle_tx_throttle *o, uint32_t warp)
{
	uint32_t at = find(o->inside, o->insiders, warp);

	if (warp >= o->config.warps)
		return -ERANGE;
	if (at == o->insiders)
		return -EINVAL;
	take_out(o->inside, &o->insiders, at);
	return 0;
}

bool oracle_tx_throttle_next(const struct oracle_tx_throttle *o, uint32_t *warp)
{
	if (!o->waiters || (o->config.limit && o->insiders >= o->config.limit))
		return false;
	*warp = o->waiting[0];
	return true;
}
