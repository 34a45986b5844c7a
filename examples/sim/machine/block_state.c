/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks whose warps are compacted: life, saved states, and where their threads are. */
#include "compaction.h"
#include "../base/arena.h"

SIM_UNIT_KIND(block_stack, SIM_OF_BLOCK);
SIM_UNIT_KIND(thread_compactor, SIM_OF_CORE);
SIM_UNIT_KIND(block_priority, SIM_OF_CORE);

/* ---- places of threads, for --check ---- */

struct look {
	uint64_t seen[SIM_MAX_LANES]; /* rows */
	uint32_t first, lanes; /* the first thread of the block */
	sim_place *place;
	void *state;
};

/* Threads of a block mask that have no place yet are at pc. */
static void place_mask(struct look *look, const uint64_t mask[], uint32_t pc)
{
	for (uint32_t lane = 0; lane < look->lanes; lane++) {
		for (SIM_EACH_LANE(row, mask[lane] & ~look->seen[lane]))
			look->place(look->state, look->first + (uint32_t)row * look->lanes + lane,
				    pc);
		look->seen[lane] |= mask[lane];
	}
}

static void place_warp(struct look *look, const struct sim_machine *machine,
		       const struct sim_warp *warp)
{
	const struct sim_doing *doing = sim_doing_of(machine, warp);
	bool launched = sim_seat_of(machine, warp)->then != THEN_LAUNCH;

	for (SIM_EACH_LANE(lane, launched ? warp->active : warp->whole)) {
		uint32_t thread = warp->thread[lane];

		look->place(look->state, thread, !launched ? 0 : doing->begun ? doing->pc :
							       warp->pc + warp->plain);
		look->seen[lane] |= UINT64_C(1) << (thread - look->first) / look->lanes;
	}
}

/* From the top down: targets that are being filled, warps, threads whose warp is over, and what
 * waits in the entries below. */
static void places_of_block(struct sim_machine *machine, uint32_t index, uint32_t s,
			    struct look *look)
{
	const struct sim_core *core = &machine->core[index];
	const struct sim_block *block = &sim_compaction_of(machine, index)->block[s];
	struct gputm_block_stack_entry entry;
	size_t top = gputm_block_stack_top(block->stack);
	bool launched = true;

	look->first = core->block[s] * machine->launch.block_size;
	memset(look->seen, 0, sizeof look->seen);
	for (size_t i = gputm_block_stack_depth(block->stack);
	     i-- > top + 1 && !gputm_block_stack_get_entry(block->stack, i, &entry);)
		place_mask(look, entry.mask, (uint32_t)entry.pc);
	for (uint32_t i = 0; i < machine->config.warps; i++) {
		const struct sim_warp *warp = &core->warp[i];

		if (warp->wait == SIM_FREE || warp->block != s)
			continue;
		launched &= sim_seat_of(machine, warp)->then != THEN_LAUNCH;
		if (warp->wait != SIM_APART)
			place_warp(look, machine, warp);
	}
	for (size_t i = launched ? top + 1 : 0;
	     i-- && !gputm_block_stack_get_entry(block->stack, i, &entry);)
		place_mask(look, entry.mask, i == top ? block->arrived : (uint32_t)entry.pc);
}

void sim_compaction_places(struct sim_machine *machine, uint32_t core, sim_place *place,
			   void *state)
{
	struct look look = { .lanes = machine->config.lanes, .place = place, .state = state };

	for (uint32_t s = 0; s < machine->config.blocks; s++)
		if (machine->core[core].blocks.live[s])
			places_of_block(machine, core, s, &look);
}

/* ---- life and state ---- */

/* The places of a block that has begun are different warps, all of this block. */
static void block_check(const struct sim_machine *machine, uint32_t core, uint32_t number,
			struct sim_io *io)
{
	const struct sim_block *block = &sim_compaction_of(machine, core)->block[number];
	uint64_t places = 0;

	sim_io_below(io, "block", block->rows,
		     sim_compaction_of(machine, 0)->stack_config.warps + 1);
	for (uint32_t row = 0; sim_io_ok(io) && row < block->rows; row++) {
		sim_io_below(io, "block", block->place[row], machine->config.warps);
		places |= UINT64_C(1) << block->place[row] % 64;
	}
	sim_io_must(io, "block", places == block->warps &&
					 (uint32_t)__builtin_popcountll(places) == block->rows);
	sim_io_below(io, "block", block->pc, machine->port.program->length);
	sim_io_below(io, "block", block->last, machine->config.warps);
}

/* Each thread is in one place, and that knows where it is at home. */
static void thread_check(const struct sim_machine *machine, const struct sim_warp *warp,
			 struct sim_io *io)
{
	const struct sim_compaction *c = sim_compaction_of(machine, warp->core);
	const struct sim_seat *seat = &c->seat[warp->index];
	const struct sim_warp *warps = machine->core[warp->core].warp;
	uint64_t mine;

	sim_io_below(io, "warp", warp->block, c->blocks);
	sim_io_below(io, "warp", seat->then, THEN_COMMIT + 1);
	sim_lanes_must(&machine->port, io, "warp", seat->abandoned | seat->taken);
	for (uint32_t lane = 0; lane < SIM_MAX_LANES; lane++)
		sim_io_below(io, "warp", seat->where[lane], machine->config.warps);
	if (!io->loading || !sim_io_ok(io) || warp->wait == SIM_FREE)
		return;
	sim_io_below(io, "warp", seat->next, machine->port.program->length);
	mine = c->block[warp->block].warps;
	if (!(mine >> warp->index & 1))
		return;
	sim_io_must(io, "warp", seat->row < c->block[warp->block].rows &&
					c->block[warp->block].place[seat->row] == warp->index);
	for (uint32_t lane = 0; lane < machine->config.lanes; lane++)
		sim_io_must(io, "warp", warps[seat->where[lane]].home[lane] == warp->index &&
						mine >> seat->where[lane] & 1);
}

void sim_compaction_check(struct sim_machine *machine, const struct sim_message *message,
		  struct sim_io *io)
{
	const struct sim_slab *sent = &sim_compaction_of(machine, message->core)->sent;
	const uint8_t *home;

	if (message->what != SIM_DO_STORE || !message->e)
		return;
	sim_slab_claim(sent, io, message->e - 1);
	sim_lanes_must(&machine->port, io, "message", message->b);
	if (!sim_io_ok(io))
		return;
	home = sim_slab_at(sent, message->e - 1);
	for (SIM_EACH_LANE(lane, message->b))
		sim_io_below(io, "message", home[lane], machine->config.warps);
}

/* A run without a TM system says itself what the units are. */
static void derive_plain(struct sim_machine *machine, struct sim_compaction *c)
{
	const struct gputm_block_stack_config *stack = sim_role_config(machine, "block_stack");
	const struct gputm_thread_compactor_config *compactor =
		sim_role_config(machine, "thread_compactor");
	const struct gputm_block_priority_config *priority =
		sim_role_config(machine, "block_priority");

	c->stack_config = *stack;
	c->compactor_config = *compactor;
	c->priority_config = *priority;
	c->stack_config.compact &= compactor->compact;
	c->compactor_config.compact = c->stack_config.compact;
}

void sim_compaction_io(struct sim_machine *machine, struct sim_io *io)
{
	for (uint32_t i = 0; machine->forming && i < machine->config.cores; i++) {
		struct sim_compaction *c = sim_compaction_of(machine, i);

		SIM_IO(io, c->free);
		SIM_IO_ARRAY(io, c->seat, machine->config.warps);
		SIM_IO_ARRAY(io, c->stores, machine->config.warps);
		sim_slab_io(&c->sent, io);
		for (uint32_t k = 0; k < c->blocks; k++) {
			SIM_IO_FROM(io, &c->block[k], warps);
			block_check(machine, i, k, io);
		}
		for (uint32_t k = 0; k < machine->config.warps; k++)
			thread_check(machine, &machine->core[i].warp[k], io);
	}
}

static int make_core(struct sim_machine *machine, struct sim_compaction *c, uint32_t rows)
{
	uint32_t fit = machine->config.warps / rows;
	int error = 0;

	c->blocks = fit < machine->config.blocks ? fit : machine->config.blocks;
	c->block = sim_calloc(c->blocks, sizeof *c->block);
	c->seat = sim_calloc(machine->config.warps, sizeof *c->seat);
	c->stores = sim_calloc(machine->config.warps, sizeof *c->stores);
	c->sent.block = SIM_MAX_LANES;
	if (!c->block || !c->seat || !c->stores)
		return -ENOMEM;
	machine->port.shape.blocks = c->blocks; /* in names */
	for (uint32_t i = 0; !error && i < c->blocks; i++)
		error = sim_unit_add(&machine->port, "block_stack", &kind_block_stack,
				     &sim_compaction_of(machine, 0)->stack_config,
				     &c->block[i].stack);
	return error;
}

int sim_compaction_make(struct sim_machine *machine)
{
	uint32_t lanes = machine->config.lanes, cores = machine->config.cores;
	uint32_t rows = (machine->launch.block_size + lanes - 1) / lanes;
	struct sim_compaction *c = sim_calloc(cores, sizeof *c);
	int error = 0;

	machine->forming = c;
	if (!c)
		return -ENOMEM;
	if (rows > ROWS)
		return sim_fail(&machine->port, -EINVAL,
				"a block of the workload has more than 32 warps");
	c->stack_config = (struct gputm_block_stack_config)GPUTM_BLOCK_STACK_CONFIG_INIT;
	c->stack_config.likely_convergence = machine->mechanism->likely;
	c->compactor_config =
		(struct gputm_thread_compactor_config)GPUTM_THREAD_COMPACTOR_CONFIG_INIT;
	if (machine->plain)
		derive_plain(machine, c);
	c->stack_config.lanes = lanes;
	c->stack_config.warps = rows;
	c->compactor_config.lanes = lanes;
	c->compactor_config.warps = rows;
	for (uint32_t i = 0; !error && i < cores; i++)
		error = make_core(machine, &c[i], rows);
	for (uint32_t i = 0; !error && i < cores; i++)
		error = sim_unit_add(&machine->port, "thread_compactor", &kind_thread_compactor,
				     &c->compactor_config, &c[i].compactor);
	c->priority_config.blocks = c->blocks;
	for (uint32_t i = 0; !error && machine->plain && i < cores; i++)
		error = sim_unit_add(&machine->port, "block_priority", &kind_block_priority,
				     &c->priority_config, &c[i].priority);
	return error;
}

void sim_compaction_free(struct sim_machine *machine)
{
	for (uint32_t i = 0; machine->forming && i < machine->config.cores; i++) {
		sim_free(sim_compaction_of(machine, i)->block);
		sim_free(sim_compaction_of(machine, i)->seat);
		sim_free(sim_compaction_of(machine, i)->stores);
		sim_free(sim_compaction_of(machine, i)->sent.memory);
	}
	sim_free(machine->forming);
}
