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
		   uint64_t number)
{
	struct sim_fetch *fetch = sim_fetch_at(dram, index);
	uint64_t row = number >> machine->row_shift;

	fetch->number = number;
	fetch->bank = (uint32_t)(row & (machine->config.dram_banks - 1));
	fetch->row = row + 1;
	fetch->asked = machine->port.now;
	fetch->seen = machine->port.now << 8;
	dram->waiting[dram->count++] = index;
	machine->port.result.dram_bytes += machine->config.line_bytes;
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

/* When the channel can carry its data, at the earliest. */
static uint64_t data_at(const struct sim_machine *machine, const struct sim_dram *dram,
			const struct sim_fetch *fetch)
{
	const struct sim_bank *bank = &dram->bank[fetch->bank];
	uint64_t column = bank->row == fetch->row ?
				  sim_later(fetch->seen, bank->activated + machine->dram.rcd) :
				  activate(machine, dram, fetch) + machine->dram.rcd;

	return sim_later(column + machine->dram.cl, dram->free);
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
	dram->free = data + machine->line_ticks256;
}

/* The queued request whose data can be on the channel first, and when. */
static uint32_t first_ready(const struct sim_machine *machine, const struct sim_dram *dram,
			    uint32_t seen, uint64_t *data)
{
	uint32_t first = 0;

	*data = UINT64_MAX;
	for (uint32_t i = 0; i < seen; i++) {
		uint64_t at = data_at(machine, dram, sim_fetch_at(dram, dram->waiting[i]));

		if (at < *data) {
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
