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
 * Readers are records in a hash table of words, chained per word and per lane; a lane's
 * buffered stores are a short array.
 */
#include <stdlib.h>
#include <string.h>

#include "../machine/wiring.h"
#include "systems.h"

#define BUCKET_BITS 14
#define NONE UINT32_MAX

struct reader {
	uint64_t address;
	uint32_t lane;		/* number in the whole machine */
	uint32_t before, after; /* in its bucket; before is NONE at the head */
	uint32_t lane_next;	/* in its lane's list, or in the free list */
};

struct buffered {
	uint64_t address;
	uint32_t value;
};

struct lane_state {
	uint32_t reads; /* first reader record, or NONE */
	uint32_t writes, capacity;
	struct buffered *write;
};

struct ideal {
	struct lane_state *lane;
	uint64_t *doomed; /* lanes, by warp: to be aborted when its loads are there */
	struct reader *reader;
	uint32_t readers, free;
	uint32_t bucket[1u << BUCKET_BITS];
};

static uint32_t lane_number(const struct sim_machine *machine, const struct sim_warp *warp,
			    uint64_t lane)
{
	return sim_warp_number(machine, warp) * SIM_MAX_LANES + (uint32_t)lane;
}

static uint32_t *bucket_of(struct ideal *ideal, uint64_t address)
{
	uint64_t hash = (address >> 2) * UINT64_C(0x9e3779b97f4a7c15);

	return &ideal->bucket[hash >> (64 - BUCKET_BITS)];
}

/* ---- readers of words -------------------------------------------------------------- */

static bool readers_grow(struct ideal *ideal)
{
	uint32_t count = ideal->readers ? 2 * ideal->readers : 4096;
	struct reader *reader = realloc(ideal->reader, count * sizeof *reader);

	if (!reader)
		return false;
	for (uint32_t i = ideal->readers; i < count; i++)
		reader[i].lane_next = i + 1 < count ? i + 1 : NONE;
	ideal->free = ideal->readers;
	ideal->reader = reader;
	ideal->readers = count;
	return true;
}

static void note_read(struct sim_machine *machine, uint32_t lane, uint64_t address)
{
	struct ideal *ideal = machine->state;
	uint32_t *bucket = bucket_of(ideal, address), index;
	struct reader *reader;

	if (ideal->free == NONE && !readers_grow(ideal)) {
		sim_fail(machine, -ENOMEM, "no memory for a read set");
		return;
	}
	index = ideal->free;
	reader = &ideal->reader[index];
	ideal->free = reader->lane_next;
	*reader = (struct reader){ address, lane, NONE, *bucket, ideal->lane[lane].reads };
	if (*bucket != NONE)
		ideal->reader[*bucket].before = index;
	*bucket = index;
	ideal->lane[lane].reads = index;
}

static void unlink_reader(struct ideal *ideal, const struct reader *reader)
{
	if (reader->after != NONE)
		ideal->reader[reader->after].before = reader->before;
	if (reader->before != NONE)
		ideal->reader[reader->before].after = reader->after;
	else
		*bucket_of(ideal, reader->address) = reader->after;
}

/* The lane's attempt is over. */
static void forget(struct ideal *ideal, uint32_t lane)
{
	uint32_t next;

	for (uint32_t i = ideal->lane[lane].reads; i != NONE; i = next) {
		next = ideal->reader[i].lane_next;
		unlink_reader(ideal, &ideal->reader[i]);
		ideal->reader[i].lane_next = ideal->free;
		ideal->free = i;
	}
	ideal->lane[lane].reads = NONE;
	ideal->lane[lane].writes = 0;
}

/* ---- aborts ------------------------------------------------------------------------- */

static void abort_lanes(struct sim_machine *machine, struct sim_warp *warp, uint64_t mask)
{
	for (SIM_EACH_LANE(lane, mask))
		forget(machine->state, lane_number(machine, warp, lane));
	sim_tx_abort(machine, warp, mask, SIM_ABORT_CONFLICT);
}

/* A committing lane has written what this lane has read. */
static void conflict(struct sim_machine *machine, uint32_t lane)
{
	struct ideal *ideal = machine->state;
	uint32_t number = lane / SIM_MAX_LANES, warps = machine->config.warps;
	struct sim_warp *warp = sim_warp_of(machine, number / warps, number % warps);

	if (warp->wait == SIM_REPLIES) {
		ideal->doomed[number] |= UINT64_C(1) << lane % SIM_MAX_LANES;
		forget(ideal, lane);
		return;
	}
	abort_lanes(machine, warp, UINT64_C(1) << lane % SIM_MAX_LANES);
	if (warp->wait != SIM_SYSTEM && !gputm_simt_stack_tx_running(warp->stack))
		sim_tx_over(machine, warp, sim_now(machine));
}

static void written(struct sim_machine *machine, uint32_t by, uint64_t address)
{
	struct ideal *ideal = machine->state;
	uint32_t i = *bucket_of(ideal, address);

	while (i != NONE) {
		const struct reader *reader = &ideal->reader[i];

		if (reader->address != address || reader->lane == by) {
			i = reader->after;
			continue;
		}
		conflict(machine, reader->lane);
		i = *bucket_of(ideal, address);
	}
}

/* ---- accesses ------------------------------------------------------------------------ */

static bool own_write(const struct lane_state *state, uint64_t address, uint32_t *value)
{
	for (uint32_t i = state->writes; i-- > 0;) {
		if (state->write[i].address != address)
			continue;
		*value = state->write[i].value;
		return true;
	}
	return false;
}

static void load(struct sim_machine *machine, struct sim_warp *warp)
{
	struct ideal *ideal = machine->state;
	uint64_t remote = 0;

	for (SIM_EACH_LANE(lane, warp->mask))
		if (!own_write(&ideal->lane[lane_number(machine, warp, lane)],
			       warp->address[lane], &warp->lane[lane].loaded))
			remote |= UINT64_C(1) << lane;
	sim_tell_load(machine, warp, warp->mask & ~remote);
	warp->mask = remote;
	if (remote)
		sim_access(machine, warp, SIM_LOAD, remote);
	else
		sim_warp_until(machine, warp, sim_now(machine) + machine->core_ticks);
}

static void loaded(struct sim_machine *machine, struct sim_warp *warp)
{
	struct ideal *ideal = machine->state;
	uint64_t *doomed = &ideal->doomed[sim_warp_number(machine, warp)];

	for (SIM_EACH_LANE(lane, warp->mask & ~*doomed)) {
		uint32_t value = sim_memory_read(machine->memory, warp->address[lane]);

		if (value != warp->lane[lane].loaded)
			*doomed |= UINT64_C(1) << lane;
		else
			note_read(machine, lane_number(machine, warp, lane), warp->address[lane]);
	}
	sim_tell_load(machine, warp, warp->mask & ~*doomed);
	sim_warp_until(machine, warp, sim_now(machine));
	if (*doomed)
		abort_lanes(machine, warp, *doomed);
	*doomed = 0;
	if (!gputm_simt_stack_tx_running(warp->stack))
		sim_tx_over(machine, warp, sim_now(machine));
}

static bool buffer(struct lane_state *state, uint64_t address, uint32_t value)
{
	if (state->writes == state->capacity) {
		uint32_t capacity = state->capacity ? 2 * state->capacity : 4;
		struct buffered *write = realloc(state->write, capacity * sizeof *write);

		if (!write)
			return false;
		state->write = write;
		state->capacity = capacity;
	}
	state->write[state->writes++] = (struct buffered){ address, value };
	return true;
}

static void store(struct sim_machine *machine, struct sim_warp *warp)
{
	struct ideal *ideal = machine->state;

	for (SIM_EACH_LANE(lane, warp->mask))
		if (!buffer(&ideal->lane[lane_number(machine, warp, lane)], warp->address[lane],
			    warp->value[lane]))
			sim_fail(machine, -ENOMEM, "no memory for a write set");
	sim_tell_store(machine, warp, warp->mask);
	sim_touch(machine, warp, warp->mask);
	sim_warp_until(machine, warp,
		       sim_now(machine) + machine->config.plain_latency * machine->core_ticks);
}

static void commit_lane(struct sim_machine *machine, struct sim_warp *warp, uint64_t lane)
{
	struct ideal *ideal = machine->state;
	uint32_t number = lane_number(machine, warp, lane);
	const struct lane_state *state = &ideal->lane[number];

	for (uint32_t i = 0; i < state->writes; i++) {
		sim_memory_write(machine->memory, state->write[i].address, state->write[i].value);
		written(machine, number, state->write[i].address);
	}
	forget(ideal, number);
	warp->witness[lane] = machine->witness++;
	sim_tx_commit(machine, warp, UINT64_C(1) << lane, warp->witness);
}

static void commit(struct sim_machine *machine, struct sim_warp *warp)
{
	uint64_t running;

	while ((running = gputm_simt_stack_tx_running(warp->stack)))
		commit_lane(machine, warp, (uint64_t)__builtin_ctzll(running));
	sim_tx_over(machine, warp, sim_now(machine) + machine->core_ticks);
}

/* ---- life ----------------------------------------------------------------------------- */

static void ideal_free(struct sim_machine *machine)
{
	struct ideal *ideal = machine->state;
	uint32_t lanes = machine->config.cores * machine->config.warps * SIM_MAX_LANES;

	if (!ideal)
		return;
	for (uint32_t i = 0; ideal->lane && i < lanes; i++)
		free(ideal->lane[i].write);
	free(ideal->lane);
	free(ideal->doomed);
	free(ideal->reader);
	free(ideal);
}

static int ideal_make(struct sim_machine *machine)
{
	uint32_t warps = machine->config.cores * machine->config.warps;
	struct ideal *ideal = calloc(1, sizeof *ideal);

	machine->state = ideal;
	if (!ideal)
		return -ENOMEM;
	ideal->free = NONE;
	memset(ideal->bucket, 0xff, sizeof ideal->bucket);
	ideal->doomed = calloc(warps, sizeof *ideal->doomed);
	ideal->lane = calloc((size_t)warps * SIM_MAX_LANES, sizeof *ideal->lane);
	if (!ideal->doomed || !ideal->lane)
		return -ENOMEM;
	for (uint32_t i = 0; i < warps * SIM_MAX_LANES; i++)
		ideal->lane[i].reads = NONE;
	return 0;
}

static const struct sim_system_ops ops = {
	.make = ideal_make,
	.free = ideal_free,
	.load = load,
	.store = store,
	.loaded = loaded,
	.commit = commit,
};

const struct sim_system_class sim_ideal = {
	.name = "ideal",
	.summary = "ideal transactional memory: conflicts are found and resolved at once, for free",
	.flavour = SIM_TRANSACTIONS,
	.ops = &ops,
};
