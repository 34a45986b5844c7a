/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One global lock. The lanes of a warp that begin a transaction take turns: the lowest
 * takes the lock with a CAS, repeated until it succeeds, runs the body with ordinary
 * loads and stores, waits until its stores have been performed and stores 0 to the lock.
 * The other lanes wait in the SIMT stack's R entry, as aborted lanes would. So lanes of
 * a warp never wait for each other's lock. The concurrency limit bounds the warps that spin.
 */
#include "../port/port.h"
#include "systems.h"

static void try_lock(struct sim_port *port, struct sim_warp *warp)
{
	uint64_t lane = (uint64_t)__builtin_ctzll(warp->inside);

	warp->started = sim_now(port); /* no attempt has begun for a warp that waits for the lock */
	warp->address[lane] = port->workload->lock_base;
	warp->compare[lane] = 0;
	warp->value[lane] = 1;
	sim_access(port, warp, SIM_CAS, warp->inside);
}

static void begin(struct sim_port *port, struct sim_warp *warp, bool again)
{
	uint64_t others = warp->inside & (warp->inside - 1);

	(void)again;
	if (others && gputm_simt_stack_tx_abort(warp->stack, others) < 0)
		sim_fail(port, -EINVAL, "lanes could not wait for the lock");
	warp->inside &= ~others;
	try_lock(port, warp);
}

static void loaded(struct sim_port *port, struct sim_warp *warp)
{
	uint64_t lane = (uint64_t)__builtin_ctzll(warp->inside);

	if (warp->op == SIM_LOAD) {
		sim_tell_load(port, warp, warp->mask);
	} else if (warp->loaded[lane]) {
		try_lock(port, warp);
		return;
	} else {
		sim_put_back(port, warp, warp->inside);
		warp->witness[lane] = port->witness++;
		sim_locking(port, warp, warp->ledger.locking & ~warp->inside);
	}
	sim_wake(port, warp, sim_now(port));
}

static void commit(struct sim_port *port, struct sim_warp *warp)
{
	uint64_t mask = warp->inside, lane = (uint64_t)__builtin_ctzll(mask);

	if (warp->stores) {
		sim_wait(port, warp, SIM_STORES);
		return;
	}
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
