/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One transaction at a time, and no lock in memory: "serializing Tx", beside which Fung's thesis
 * (2015) draws Fig. 4.1 and 4.8. The lane whose turn it is runs the body with ordinary loads and
 * stores, and its turn is over when its stores have been performed. Warps have their turns in the
 * order in which they asked, and the next one begins in the next cycle of its core; that a turn
 * is over costs no message. The lanes of a warp ask one after the other (one_lane.h).
 */
#include "one_lane.h"
#include "systems.h"
#include "../base/arena.h"

/* A warp asks once at a time, so that the ring has room for each. */
struct serial {
	uint32_t *waiting; /* [warps of the machine], numbers of warps */
	uint32_t first, count;
	bool taken; /* some warp has its turn */
};

static uint32_t warps_of(const struct sim_port *port)
{
	return port->shape.cores * port->shape.warps;
}

static void begin(struct sim_port *port, struct sim_warp *warp, bool again)
{
	struct serial *serial = port->state;

	(void)again;
	sim_one_lane(port, warp);
	if (serial->taken) {
		serial->waiting[(serial->first + serial->count++) % warps_of(port)] = warp->number;
		sim_wait(port, warp, SIM_SYSTEM);
		return;
	}
	serial->taken = true;
	sim_take_turn(port, warp);
}

/* The warp that asked first has its turn now. */
static void pass_on(struct sim_port *port)
{
	struct serial *serial = port->state;
	struct sim_warp *warp;

	serial->taken = serial->count;
	if (!serial->count)
		return;
	warp = &port->warp[serial->waiting[serial->first]];
	serial->first = (serial->first + 1) % warps_of(port);
	serial->count--;
	warp->started = sim_now(port);
	sim_take_turn(port, warp);
	sim_wake_in(port, warp, 1);
}

static void loaded(struct sim_port *port, struct sim_warp *warp)
{
	sim_tell_load(port, warp, warp->mask);
	sim_wake(port, warp, sim_now(port));
}

static void commit(struct sim_port *port, struct sim_warp *warp)
{
	if (!sim_performed(port, warp))
		return;
	sim_tx_commit(port, warp, warp->inside, warp->witness);
	sim_tx_over(port, warp, sim_now(port) + port->core_ticks);
	pass_on(port);
}

static void serial_free(struct sim_port *port)
{
	struct serial *serial = port->state;

	if (!serial)
		return;
	sim_free(serial->waiting);
	sim_free(serial);
}

static int serial_make(struct sim_port *port)
{
	struct serial *serial = sim_calloc(1, sizeof *serial);

	port->state = serial;
	if (!serial)
		return -ENOMEM;
	serial->waiting = sim_calloc(warps_of(port), sizeof *serial->waiting);
	return serial->waiting ? 0 : -ENOMEM;
}

static void serial_io(struct sim_port *port, struct sim_io *io)
{
	struct serial *serial = port->state;
	uint32_t warps = warps_of(port);

	SIM_IO_ARRAY(io, serial->waiting, warps);
	SIM_IO_FROM(io, serial, first);
	SIM_IO_FLAG(io, serial->taken);
	if (!sim_io_ok(io))
		return;
	sim_io_below(io, "first", serial->first, warps);
	sim_io_below(io, "count", serial->count, warps);
	sim_io_must(io, "taken", serial->taken || !serial->count);
	for (uint32_t i = 0; i < warps; i++)
		sim_io_below(io, "waiting", serial->waiting[i], warps);
}

static const struct sim_system_ops ops = {
	.locks = true,
	.make = serial_make,
	.free = serial_free,
	.io = serial_io,
	.begin = begin,
	.loaded = loaded,
	.commit = commit,
};

static const struct sim_unused unused[] = { SIM_NO_UNITS, SIM_NO_ABORTS, { NULL, NULL, NULL } };

const struct sim_system_class sim_serial = {
	.name = "serial",
	.summary = "one transaction at a time, without a lock in memory",
	.flavour = SIM_TRANSACTIONS,
	.ops = &ops,
	.unused = unused,
};
