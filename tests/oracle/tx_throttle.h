/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_TX_THROTTLE_H
#define GPUTM_ORACLE_TX_THROTTLE_H
/* Concurrency control the slow way: a list of warps inside and a list of waiting ones. */
#include "gputm/tx_throttle.h"
#include "tests/oracle/stats.h"

#define ORACLE_TX_THROTTLE_STATS                                                               \
	admissions, departures, repeats, waits, from_queue, running, waiting, maximum_running, \
		maximum_waiting, limit_now, windows, raised, lowered, kept

struct oracle_tx_throttle {
	struct gputm_tx_throttle_config config;
	uint32_t inside[1024], waiting[1024];
	uint32_t insiders, waiters;
	/* what moves the limit: of the window; of the cheapest one; of the one before a halving */
	uint64_t limit, highest, began, last, commits, aborts, cost, left;
	uint64_t least_commits, least_cost, halved_commits, halved_cost;
	ORACLE_STATS(ORACLE_TX_THROTTLE_STATS) stats;
};

void oracle_tx_throttle_open(struct oracle_tx_throttle *o,
			     const struct gputm_tx_throttle_config *config);
/* The same answers as the unit's functions of these names. */
int oracle_tx_throttle_admit(struct oracle_tx_throttle *o, uint32_t warp);
int oracle_tx_throttle_leave(struct oracle_tx_throttle *o, uint32_t warp);
int oracle_tx_throttle_report(struct oracle_tx_throttle *o, uint32_t commits, uint32_t aborts,
			      uint64_t cycle);
bool oracle_tx_throttle_next(const struct oracle_tx_throttle *o, uint32_t *warp);

#endif /* GPUTM_ORACLE_TX_THROTTLE_H */
