/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One global lock. The lanes of a warp that begin a transaction take turns: the lowest
 * takes the lock with a CAS, repeated until it succeeds, runs the body with ordinary
 * loads and stores, waits until its stores have been performed and stores 0 to the lock.
 * The other lanes wait (one_lane.h). So lanes of a warp never wait for each other's lock. The
 * concurrency limit bounds the warps that spin.
 */
#include "one_lane.h"
#include "systems.h"

static void try_lock(struct sim_port *port, struct sim_warp *warp)
{
	uint32_t lane = sim_lane_inside(port, warp);

	warp->started = sim_now(port); /* no attempt has begun for a warp that waits for the lock */
	warp->address[lane] = port->workload->lock_base;
	warp->compare[lane] = 0;
	warp->value[lane] = 1;
	sim_access(port, warp, SIM_CAS, warp->inside);
}

static void begin(struct sim_port *port, struct sim_warp *warp, bool again)
{
	(void)again;
	sim_one_lane(port, warp);
	try_lock(port, warp);
}

static void loaded(struct sim_port *port, struct sim_warp *warp)
{
	uint32_t lane = sim_lane_inside(port, warp);

	if (warp->op == SIM_LOAD) {
		sim_tell_load(port, warp, warp->mask);
	} else if (warp->loaded[lane]) {
		try_lock(port, warp);
		return;
	} else {
		sim_put_back(port, warp, warp->inside);
		sim_take_turn(port, warp);
	}
	sim_wake(port, warp, sim_now(port));
}

static void commit(struct sim_port *port, struct sim_warp *warp)
{
	uint64_t mask = warp->inside;
	uint32_t lane = sim_lane_inside(port, warp);

	if (!sim_performed(port, warp))
		return;
	warp->address[lane] = port->workload->lock_base;
	warp->value[lane] = 0;
	sim_access(port, warp, SIM_STORE, mask);
	sim_tx_commit(port, warp, mask, warp->witness);
	sim_tx_over(port, warp, sim_now(port) + port->core_ticks);
}

static const struct sim_system_ops ops = {
	.locks = true,
	.begin = begin,
	.loaded = loaded,
	.commit = commit,
};

static const struct sim_unused unused[] = { SIM_NO_UNITS, SIM_NO_ABORTS, { NULL, NULL, NULL } };

const struct sim_system_class sim_coarse_lock = {
	.name = "coarse-lock",
	.summary = "one global lock around every transaction",
	.flavour = SIM_TRANSACTIONS,
	.ops = &ops,
	.unused = unused,
};
