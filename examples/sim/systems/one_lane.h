/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ONE_LANE_H
#define SIM_ONE_LANE_H
/* Transactions as critical sections: of a warp one lane at a time is in one. */
#include "../port/port.h"

/* Of the lanes that begin a transaction the lowest goes on. The others wait in the SIMT stack's R
 * entry, as aborted lanes would. */
static inline void sim_one_lane(struct sim_port *port, struct sim_warp *warp)
{
	uint64_t others = warp->inside & (warp->inside - 1);

	if (others && gputm_simt_stack_tx_abort(warp->stack, others) < 0)
		sim_fail(port, -EINVAL, "lanes could not wait for their turn");
	warp->inside &= ~others;
}

/* The lane of the warp that is in a transaction. A forged state may have none, and ends the run. */
static inline uint32_t sim_lane_inside(struct sim_port *port, const struct sim_warp *warp)
{
	if (warp->inside)
		return (uint32_t)__builtin_ctzll(warp->inside);
	sim_fail(port, -EINVAL, "a warp without a transaction has its turn");
	return 0;
}

/* The lane has its turn, at the next place of the serial order. */
static inline void sim_take_turn(struct sim_port *port, struct sim_warp *warp)
{
	warp->witness[sim_lane_inside(port, warp)] = port->witness++;
	sim_locking(port, warp, warp->ledger.locking & ~warp->inside);
}

/* At tx_commit. True if the stores of the transaction have all been performed; else the warp waits
 * for them, and tx_commit issues again. */
static inline bool sim_performed(struct sim_port *port, struct sim_warp *warp)
{
	if (warp->stores)
		sim_wait(port, warp, SIM_STORES);
	return !warp->stores;
}

#endif
