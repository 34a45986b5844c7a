/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DRAM of a partition with banks, each with one open row, behind one channel. Requests wait in
 * order of arrival; the controller sees the first dram_queue of them. Whenever the channel is
 * free, the one among these whose data can be there first has it, the oldest of several
 * (first-ready); as long as none can, a later arrival may still be first. Times in 256ths of a
 * tick:
 *
 *	open row	column	 = seen
 *	another row	activate = max(seen or last column of the bank + RP,
 *				       last activate of the bank + RC, of any bank + RRD)
 *			column	 = activate + RCD
 *	data = max(column + CL, channel free)		channel free = data + the time of a line
 *
 * A row that is left stays open until the request for another one has the channel. Writes take
 * the same times as reads. Neighbouring lines of a partition are in one row, neighbouring rows
 * in neighbouring banks.
 *
 * The channel is idle for dram_turn before a read after a write; then requests of one row keep
 * their order, so that a line does not overtake the write that asked for it. With dram_groups the
 * channel is idle for a DRAM cycle between data of one group of banks.
 */
#include <stdlib.h>
#include <string.h>

#include "wiring.h"
#include "../base/arena.h"

uint32_t sim_dram_take(struct sim_machine *machine, struct sim_dram *dram)
{
	uint32_t index;

	index = SIM_ROOM(dram->waiting, dram->capacity, dram->count + 1) ?
		sim_slab_take(&dram->fetches) : SIM_SLAB_NONE;
	if (index == SIM_SLAB_NONE) {
		sim_fail(&machine->port, -ENOMEM, "no memory for an access of DRAM");
		return index;
	}
	memset(sim_fetch_at(dram, index), 0, sizeof(struct sim_fetch));
	return index;
}

void sim_dram_push(struct sim_machine *machine, struct sim_dram *dram, uint32_t index,
		   uint64_t number, uint32_t bytes, bool write)
{
	struct sim_fetch *fetch = sim_fetch_at(dram, index);
	uint64_t row = number >> machine->row_shift;

	fetch->number = number;
	fetch->bytes = bytes;
	fetch->write = write;
	fetch->bank = (uint32_t)(row & (machine->config.dram_banks - 1));
	fetch->row = row + 1;
	fetch->asked = machine->port.now;
	fetch->seen = machine->port.now << 8;
	dram->waiting[dram->count++] = index;
	machine->port.result.dram_bytes += bytes;
}

/* When the row of the request can be activated, at the earliest. */
static uint64_t activate(const struct sim_machine *machine, const struct sim_dram *dram,
			 const struct sim_fetch *fetch)
{
	const struct sim_bank *bank = &dram->bank[fetch->bank];

	if (!bank->row)
		return sim_later(fetch->seen, dram->activated);
	return sim_later(sim_later(fetch->seen, bank->column) + machine->dram.rp,
		     sim_later(bank->activated + machine->dram.rc, dram->activated));
}

/* How long the channel is idle before the data of the request. */
static uint32_t gap(const struct sim_machine *machine, const struct sim_dram *dram,
		    const struct sim_fetch *fetch)
{
	uint32_t idle = 0;

	if (machine->dram.turn && dram->wrote && !fetch->write)
		idle = machine->dram.turn;
	if (machine->dram.cycle && !((fetch->bank ^ dram->bank_used) >> machine->dram.group_shift))
		idle += machine->dram.cycle;
	return idle;
}

/* When the channel can carry its data, at the earliest. */
static uint64_t data_at(const struct sim_machine *machine, const struct sim_dram *dram,
			const struct sim_fetch *fetch)
{
	const struct sim_bank *bank = &dram->bank[fetch->bank];
	uint64_t column = bank->row == fetch->row ?
				  sim_later(fetch->seen, bank->activated + machine->dram.rcd) :
				  activate(machine, dram, fetch) + machine->dram.rcd;

	return sim_later(column + machine->dram.cl, dram->free + gap(machine, dram, fetch));
}

static void give_channel(struct sim_machine *machine, struct sim_dram *dram,
			 const struct sim_fetch *fetch, uint64_t data)
{
	struct sim_bank *bank = &dram->bank[fetch->bank];

	if (bank->row != fetch->row) {
		bank->activated = activate(machine, dram, fetch);
		dram->activated = bank->activated + machine->dram.rrd;
		bank->row = fetch->row;
	}
	bank->column = data - machine->dram.cl;
	dram->free = data + sim_dram_ticks256(machine, fetch->bytes);
	dram->bank_used = fetch->bank;
	dram->wrote = fetch->write;
}

/* Requests for one row are served in order of arrival, also where the channel has to turn. */
static bool follows(const struct sim_dram *dram, uint32_t place)
{
	uint64_t row = sim_fetch_at(dram, dram->waiting[place])->row;
	uint32_t i = 0;

	while (i < place && sim_fetch_at(dram, dram->waiting[i])->row != row)
		i++;
	return i < place;
}

/* The queued request whose data can be on the channel first, and when. */
static uint32_t first_ready(const struct sim_machine *machine, const struct sim_dram *dram,
			    uint32_t seen, uint64_t *data)
{
	uint32_t first = 0;

	*data = UINT64_MAX;
	for (uint32_t i = 0; i < seen; i++) {
		uint64_t at = data_at(machine, dram, sim_fetch_at(dram, dram->waiting[i]));

		if (at < *data && !(machine->dram.turn && follows(dram, i))) {
			*data = at;
			first = i;
		}
	}
	return first;
}

uint32_t sim_dram_serve(struct sim_machine *machine, struct sim_dram *dram)
{
	uint64_t now = machine->port.now, data;
	uint32_t window = machine->config.dram_queue, first, index;
	uint32_t seen = dram->count < window ? dram->count : window;

	dram->due = SIM_NEVER;
	if (!seen)
		return SIM_SLAB_NONE;
	first = first_ready(machine, dram, seen, &data);
	if (data >> 8 > now) {
		dram->due = data >> 8;
		return SIM_SLAB_NONE;
	}
	index = dram->waiting[first];
	give_channel(machine, dram, sim_fetch_at(dram, index), data);
	dram->count--;
	memmove(dram->waiting + first, dram->waiting + first + 1,
		(dram->count - first) * sizeof *dram->waiting);
	if (dram->count >= window)
		sim_fetch_at(dram, dram->waiting[window - 1])->seen = now << 8;
	return index;
}
