/* SPDX-License-Identifier: BSD-2-Clause */
/* Warps that are formed all the time: life, saved states, and where their threads are. */
#include "pool.h"
#include "../base/arena.h"

SIM_UNIT_KIND(warp_former, SIM_OF_CORE);

/* ---- places of threads ---- */

/* Threads that wait at a barrier, of a static warp. */
static void place_lanes(const struct sim_warp *home, uint64_t mask, uint32_t pc, sim_place *place,
			void *state)
{
	for (SIM_EACH_LANE(lane, mask))
		place(state, home->thread[lane], pc);
}

void sim_pool_places(struct sim_machine *machine, uint32_t index, sim_place *place, void *state)
{
	const struct sim_pool *p = sim_pool_of(machine, index);
	const struct sim_warp *home = machine->core[index].warp;
	struct gputm_warp_former_warp warp;
	uint64_t mask, pc;
	bool in_flight;

	for (uint32_t i = 0; i < p->count; i++) {
		if (!gputm_warp_former_get_warp(p->former, i, &warp, &in_flight))
			continue;
		for (SIM_EACH_LANE(lane, warp.mask))
			place(state, home[warp.thread[lane] / machine->config.lanes].thread[lane],
			      (uint32_t)warp.pc);
	}
	for (uint32_t w = 0; w < machine->config.warps; w++) {
		if (gputm_warp_former_at_warp_barrier(p->former, w, &mask, &pc))
			place_lanes(&home[w], mask, (uint32_t)pc, place, state);
		mask = gputm_warp_former_at_block_barrier(p->former, w);
		place_lanes(&home[w], mask, p->barrier_pc[home[w].block], place, state);
	}
}

/* ---- life and state ---- */

static int make_core(struct sim_machine *machine, uint32_t index)
{
	struct sim_pool *p = sim_pool_of(machine, index);
	int error = sim_unit_add(&machine->port, "warp_former", &kind_warp_former,
				 &sim_pool_of(machine, 0)->config, &p->former);

	p->count = machine->config.warps * machine->config.lanes;
	p->formed = sim_calloc(p->count, sizeof *p->formed);
	for (uint32_t i = 0; p->formed && i < p->count; i++) {
		p->formed[i].warp.core = (uint8_t)index;
		p->formed[i].warp.number = index * p->count + i;
		p->formed[i].warp.stray_of = machine->plain->stray;
	}
	return error ? error : p->formed ? 0 : -ENOMEM;
}

int sim_pool_make(struct sim_machine *machine)
{
	struct sim_pool *pools = sim_calloc(machine->config.cores, sizeof *pools);
	struct gputm_warp_former_config *config;
	int error = 0;

	machine->forming = pools;
	if (!pools)
		return -ENOMEM;
	config = &pools->config;
	*config = *(const struct gputm_warp_former_config *)sim_role_config(machine, "warp_former");
	config->lanes = machine->config.lanes;
	config->warps = machine->config.warps;
	config->block_warps = machine->plain->block_warps;
	for (uint32_t i = 0; !error && i < machine->config.cores; i++)
		error = make_core(machine, i);
	return error;
}

void sim_pool_free(struct sim_machine *machine)
{
	for (uint32_t i = 0; machine->forming && i < machine->config.cores; i++)
		sim_free(sim_pool_of(machine, i)->formed);
	sim_free(machine->forming);
}

static void formed_io(struct sim_machine *machine, struct sim_pool *p, struct sim_formed *f,
		      struct sim_io *io)
{
	uint32_t words = (uint32_t)sim_register_words(machine);
	bool together = !f->warp.slot;

	SIM_IO(io, f->warp.wait);
	if (f->warp.wait == SIM_FREE)
		return;
	SIM_IO_FROM(io, &f->warp, block);
	SIM_IO_FROM(io, f, due);
	SIM_IO(io, together);
	SIM_IO_FLAG(io, together);
	sim_io_must(io, "warp", f->warp.active && f->after <= p->count);
	if (io->loading && sim_io_ok(io))
		sim_warp_check(machine, &f->warp, io);
	sim_lanes_must(&machine->port, io, "warp", f->taken);
	sim_io_must(io, "warp", f->then <= THEN_BARRIER &&
					f->next < machine->port.program->length);
	if (io->loading && sim_io_ok(io)) {
		for (SIM_EACH_LANE(lane, f->warp.active))
			f->slot[lane] = f->warp.home[lane] * words + (uint32_t)lane;
		sim_formed_find(machine, f, together);
	}
}

/* A warp is in one list of the wheel at most, and lives. */
static void wheel_check(const struct sim_pool *p, struct sim_io *io)
{
	unsigned char *hangs = sim_calloc(p->count + 1, 1);

	io->starved |= !hangs;
	for (uint32_t i = 0; hangs && i < SIM_WHEEL_TICKS; i++)
		for (uint32_t next = p->first[i]; next && sim_io_ok(io);
		     next = p->formed[next - 1].after) {
			sim_io_below(io, "wheel", next - 1, p->count);
			if (!sim_io_ok(io))
				break;
			sim_io_must(io, "wheel", p->formed[next - 1].warp.wait == SIM_UNTIL &&
							 !hangs[next - 1]);
			hangs[next - 1] = 1;
		}
	sim_free(hangs);
}

void sim_pool_io(struct sim_machine *machine, struct sim_io *io)
{
	for (uint32_t i = 0; i < machine->config.cores; i++) {
		struct sim_pool *p = sim_pool_of(machine, i);
		const uint32_t *waiting = p->waiting[0];

		for (uint32_t k = 0; k < p->count && sim_io_ok(io); k++)
			formed_io(machine, p, &p->formed[k], io);
		SIM_IO_FROM(io, p, first);
		if (io->loading && sim_io_ok(io))
			wheel_check(p, io);
		for (uint32_t k = 0; k < SIM_MAX_WARPS * SIM_MAX_LANES; k++)
			sim_io_below(io, "waiting", waiting[k], (uint64_t)p->count + 1);
		for (uint32_t k = 0; k < SIM_BLOCK_SLOTS; k++)
			sim_io_below(io, "barrier_pc", p->barrier_pc[k],
				     machine->port.program->length);
	}
}

void sim_pool_check(struct sim_machine *machine, const struct sim_message *message,
		    struct sim_io *io)
{
	sim_io_must(io, "message", message->what <= SIM_DO_ADD || message->what == SIM_DO_FETCH);
	sim_io_must(io, "message", message->c == SIM_NO_WORDS);
	sim_l1_claim(&machine->core[message->core].l1, io, message->e);
}
