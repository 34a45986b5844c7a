/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ideal transactional memory: no log, no messages, and conflicts cost nothing to find.
 *
 * Loads go to memory as any load does. When the value is there, the word is noted as
 * read by that lane; if memory has changed on the way, the lane aborts at once. A store
 * is buffered, free of cost, and its traffic is that of an ordinary store; later loads of
 * the lane see it. A lane commits in the instant it issues tx_commit, lowest lane
 * first: what it wrote becomes memory, and every other lane that has read such a word
 * aborts at once and starts again without delay. So a value read stays the value in memory
 * until the reader commits, and the order of commits is a serial order.
 *
 * A warp whose loads are still on their way aborts its lanes when they have arrived.
 *
 * Readers are records per word and lane; a lane's buffered stores are a list.
 */
#include <stdlib.h>

#include "../base/arena.h"
#include "../port/port.h"
#include "records.h"
#include "systems.h"

struct buffered {
	uint64_t address;
	uint32_t value, next; /* of its lane */
};

/* Indices of the lane's buffered stores; both SIM_SLAB_NONE if it has none. */
struct lane_state {
	uint32_t first, last;
};

struct ideal {
	struct lane_state *lane;
	struct sim_slab writes;
	uint64_t *doomed; /* lanes, by warp: to be aborted when the warp's loads have arrived */
	struct sim_records readers;
};

static uint32_t lane_number(const struct sim_warp *warp, uint64_t lane)
{
	return warp->number * SIM_MAX_LANES + (uint32_t)lane;
}

static struct buffered *write_at(const struct ideal *ideal, uint32_t index)
{
	return sim_slab_at(&ideal->writes, index);
}

/* End the lane's attempt. */
static void forget(struct ideal *ideal, uint32_t lane)
{
	struct lane_state *state = &ideal->lane[lane];

	sim_records_forget(&ideal->readers, lane);
	for (uint32_t next, i = state->first; i != SIM_SLAB_NONE; i = next) {
		next = write_at(ideal, i)->next;
		sim_slab_give(&ideal->writes, i);
	}
	*state = (struct lane_state){ SIM_SLAB_NONE, SIM_SLAB_NONE };
}

/* ---- aborts ------------------------------------------------------------------------- */

static void abort_lanes(struct sim_port *port, struct sim_warp *warp, uint64_t mask)
{
	for (SIM_EACH_LANE(lane, mask))
		forget(port->state, lane_number(warp, lane));
	sim_tx_abort(port, warp, mask, SIM_ABORT_CONFLICT);
}

/* A committing lane has written what this lane has read. */
static void conflict(struct sim_port *port, uint32_t lane)
{
	struct ideal *ideal = port->state;
	uint32_t number = lane / SIM_MAX_LANES, warps = port->shape.warps;
	struct sim_warp *warp = sim_warp_of(port, number / warps, number % warps);

	if (warp->wait == SIM_REPLIES) {
		ideal->doomed[number] |= UINT64_C(1) << lane % SIM_MAX_LANES;
		forget(ideal, lane);
		return;
	}
	abort_lanes(port, warp, UINT64_C(1) << lane % SIM_MAX_LANES);
	if (warp->wait != SIM_SYSTEM && !gputm_simt_stack_tx_running(warp->stack))
		sim_tx_over(port, warp, sim_now(port));
}

static void written(struct sim_port *port, uint32_t by, uint64_t address)
{
	struct ideal *ideal = port->state;
	const struct sim_record *reader = sim_records_first(&ideal->readers, address);

	sim_see_word(port, by / SIM_MAX_LANES, SIM_SEEN_WROTE, by % SIM_MAX_LANES, address);
	while (reader) {
		if (reader->owner == by) {
			reader = sim_records_next(&ideal->readers, reader);
			continue;
		}
		sim_see_word(port, reader->owner / SIM_MAX_LANES, SIM_SEEN_LOST,
			     reader->owner % SIM_MAX_LANES, address);
		conflict(port, reader->owner);
		reader = sim_records_first(&ideal->readers, address);
	}
}

/* ---- accesses ------------------------------------------------------------------------ */

/* The last buffered store to this word, or NULL. */
static bool own_write(const struct ideal *ideal, uint32_t lane, uint64_t address, uint32_t *value)
{
	const struct buffered *write;
	bool found = false;

	for (uint32_t i = ideal->lane[lane].first; i != SIM_SLAB_NONE; i = write->next) {
		write = write_at(ideal, i);
		if (write->address != address)
			continue;
		*value = write->value;
		found = true;
	}
	return found;
}

static void load(struct sim_port *port, struct sim_warp *warp)
{
	struct ideal *ideal = port->state;
	uint64_t remote = 0;

	for (SIM_EACH_LANE(lane, warp->mask))
		if (!own_write(ideal, lane_number(warp, lane), warp->address[lane],
			       &warp->loaded[lane]))
			remote |= UINT64_C(1) << lane;
	sim_tell_load(port, warp, warp->mask & ~remote);
	warp->mask = remote;
	if (remote)
		sim_access(port, warp, SIM_LOAD, remote);
	else
		sim_wake_in(port, warp, 1);
}

/* True if no lane is left and the attempt is over. */
static bool abort_doomed(struct sim_port *port, struct sim_warp *warp)
{
	struct ideal *ideal = port->state;
	uint64_t *doomed = &ideal->doomed[warp->number];

	if (*doomed)
		abort_lanes(port, warp, *doomed);
	*doomed = 0;
	if (gputm_simt_stack_tx_running(warp->stack))
		return false;
	sim_tx_over(port, warp, sim_now(port));
	return true;
}

static void loaded(struct sim_port *port, struct sim_warp *warp)
{
	struct ideal *ideal = port->state;
	uint64_t *doomed = &ideal->doomed[warp->number];

	for (SIM_EACH_LANE(lane, warp->mask & ~*doomed)) {
		uint32_t value = sim_memory_read(port->memory, warp->address[lane]);

		if (value != warp->loaded[lane])
			*doomed |= UINT64_C(1) << lane;
		if (value != warp->loaded[lane])
			sim_see_word(port, warp->number, SIM_SEEN_LOST, lane, warp->address[lane]);
		else if (!sim_records_note(&ideal->readers, lane_number(warp, lane),
					   warp->address[lane], false))
			sim_fail(port, -ENOMEM, "no memory for a read set");
	}
	sim_tell_load(port, warp, warp->mask & ~*doomed);
	sim_wake(port, warp, sim_now(port));
	abort_doomed(port, warp);
}

/* Lanes may be doomed already, as the warp has waited for an add. */
static bool watch(struct sim_port *port, struct sim_warp *warp)
{
	const struct ideal *ideal = port->state;

	return ideal->doomed[warp->number] && abort_doomed(port, warp);
}

static bool buffer(struct ideal *ideal, struct lane_state *state, uint64_t address, uint32_t value)
{
	uint32_t index = sim_slab_take(&ideal->writes);

	if (index == SIM_SLAB_NONE)
		return false;
	*write_at(ideal, index) = (struct buffered){ address, value, SIM_SLAB_NONE };
	if (state->first == SIM_SLAB_NONE)
		state->first = index;
	else
		write_at(ideal, state->last)->next = index;
	state->last = index;
	return true;
}

static void store(struct sim_port *port, struct sim_warp *warp)
{
	struct ideal *ideal = port->state;

	for (SIM_EACH_LANE(lane, warp->mask))
		if (!buffer(ideal, &ideal->lane[lane_number(warp, lane)], warp->address[lane],
			    warp->value[lane]))
			sim_fail(port, -ENOMEM, "no memory for a write set");
	sim_tell_store(port, warp, warp->mask);
	port->host->access(port, warp, SIM_STORE, warp->mask, true);
	sim_wake_in(port, warp, port->shape.plain_latency);
}

static void write_lane(struct sim_port *port, struct sim_warp *warp, uint64_t lane)
{
	struct ideal *ideal = port->state;
	uint32_t number = lane_number(warp, lane);

	for (uint32_t i = ideal->lane[number].first; i != SIM_SLAB_NONE;) {
		const struct buffered write = *write_at(ideal, i);

		sim_memory_write(port->memory, write.address, write.value);
		written(port, number, write.address);
		i = write.next;
	}
	forget(ideal, number);
	warp->witness[lane] = port->witness++;
}

/* A lane that commits may abort later lanes of its own warp. */
static void commit(struct sim_port *port, struct sim_warp *warp)
{
	uint64_t left, done = 0;

	while (!port->failed && (left = gputm_simt_stack_tx_running(warp->stack) & ~done)) {
		write_lane(port, warp, (uint64_t)__builtin_ctzll(left));
		done |= left & -left;
	}
	if (done)
		sim_tx_commit(port, warp, done, warp->witness);
	sim_tx_over(port, warp, sim_now(port) + port->core_ticks);
}

/* ---- life ----------------------------------------------------------------------------- */

static void ideal_free(struct sim_port *port)
{
	struct ideal *ideal = port->state;

	if (!ideal)
		return;
	sim_free(ideal->writes.memory);
	sim_free(ideal->lane);
	sim_free(ideal->doomed);
	sim_records_free(&ideal->readers);
	sim_free(ideal);
}

static int ideal_make(struct sim_port *port)
{
	uint32_t warps = port->shape.cores * port->shape.warps, lanes = warps * SIM_MAX_LANES;
	struct ideal *ideal = sim_calloc(1, sizeof *ideal);

	port->state = ideal;
	if (!ideal)
		return -ENOMEM;
	ideal->doomed = sim_calloc(warps, sizeof *ideal->doomed);
	ideal->lane = sim_malloc(lanes * sizeof *ideal->lane);
	ideal->writes.block = sizeof(struct buffered);
	if (!ideal->doomed || !ideal->lane || !sim_records_make(&ideal->readers, lanes))
		return -ENOMEM;
	memset(ideal->lane, 0xff, lanes * sizeof *ideal->lane);
	return 0;
}

/* The stores of a lane are a list to its last one. */
static void lane_check(const struct ideal *ideal, const struct lane_state *lane, struct sim_io *io)
{
	uint32_t last = SIM_SLAB_NONE;

	for (uint32_t i = lane->first; i != SIM_SLAB_NONE && sim_io_ok(io);) {
		sim_slab_claim(&ideal->writes, io, i);
		last = i;
		i = sim_io_ok(io) ? write_at(ideal, i)->next : SIM_SLAB_NONE;
	}
	sim_io_must(io, "lane", last == lane->last);
}

static void ideal_io(struct sim_port *port, struct sim_io *io)
{
	uint32_t warps = port->shape.cores * port->shape.warps;
	struct ideal *ideal = port->state;

	SIM_IO_ARRAY(io, ideal->doomed, warps);
	for (uint32_t i = 0; i < warps; i++)
		sim_lanes_must(port, io, "doomed", ideal->doomed[i]);
	sim_records_io(&ideal->readers, io);
	sim_slab_io(&ideal->writes, io);
	SIM_IO_ARRAY(io, ideal->lane, warps * SIM_MAX_LANES);
	for (uint32_t i = 0; io->loading && i < warps * SIM_MAX_LANES; i++)
		lane_check(ideal, &ideal->lane[i], io);
}

static const struct sim_system_ops ops = {
	.make = ideal_make,
	.free = ideal_free,
	.io = ideal_io,
	.load = load,
	.store = store,
	.loaded = loaded,
	.watch = watch,
	.commit = commit,
};

static const struct sim_unused unused[] = { SIM_NO_UNITS, { NULL, NULL, NULL } };

const struct sim_system_class sim_ideal = {
	.name = "ideal",
	.summary = "ideal transactional memory: conflicts are found and resolved at once, for free",
	.flavour = SIM_TRANSACTIONS,
	.ops = &ops,
	.unused = unused,
};
