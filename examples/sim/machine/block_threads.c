/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads of blocks whose warps are compacted: which place holds them, with all that belongs to
 * them, and the stores that they have sent, which do not move with them.
 */
#include "compaction.h"

/* ---- threads and their places ---- */

static void exchange_bit(uint64_t *a, uint64_t *b, uint32_t lane)
{
	uint64_t differs = (*a ^ *b) & UINT64_C(1) << lane;

	*a ^= differs;
	*b ^= differs;
}

#define EXCHANGE(type, a, b)                                                                   \
	do {                                                                                   \
		type kept_ = (a);                                                              \
		(a) = (b);                                                                     \
		(b) = kept_;                                                                   \
	} while (0)

/* The threads in one lane of two warps change places. What was saved at tx_begin stays at home. */
static void exchange(struct sim_machine *machine, struct sim_warp *a, struct sim_warp *b,
		     uint32_t lane)
{
	const struct sim_program *program = machine->port.program;
	struct sim_seat *seat = sim_compaction_of(machine, a->core)->seat;
	uint64_t whole[2] = { a->whole, b->whole };

	for (uint32_t i = 0; i < program->registers; i++)
		EXCHANGE(uint32_t, a->reg[i * SIM_MAX_LANES + lane],
			 b->reg[i * SIM_MAX_LANES + lane]);
	EXCHANGE(struct sim_stray, a->stray_of[lane], b->stray_of[lane]);
	EXCHANGE(uint32_t, a->thread[lane], b->thread[lane]);
	EXCHANGE(uint32_t, a->attempt[lane], b->attempt[lane]);
	EXCHANGE(uint32_t, a->loaded[lane], b->loaded[lane]);
	EXCHANGE(uint8_t, a->home[lane], b->home[lane]);
	seat[a->home[lane]].where[lane] = a->index;
	seat[b->home[lane]].where[lane] = b->index;
	exchange_bit(&a->stray, &b->stray, lane);
	exchange_bit(&a->inside, &b->inside, lane);
	exchange_bit(&whole[0], &whole[1], lane);
	a->whole = (uint32_t)whole[0];
	b->whole = (uint32_t)whole[1];
}

void sim_threads_fetch(struct sim_machine *machine, struct sim_warp *to,
		       const struct sim_warp *home, uint32_t lane)
{
	uint8_t where = sim_seat_of(machine, home)->where[lane];

	if (where != to->index)
		exchange(machine, to, sim_warp_of(&machine->port, to->core, where), lane);
}

void sim_threads_go_home(struct sim_machine *machine, const struct sim_warp *any)
{
	const struct sim_block *block = sim_block_of(machine, any);

	for (uint32_t row = 0; row < block->rows; row++) {
		struct sim_warp *warp = sim_place_of(machine, any, row);

		for (uint32_t lane = 0; lane < machine->config.lanes; lane++)
			sim_threads_fetch(machine, warp, warp, lane);
	}
}

/* ---- stores, which do not move with their threads ---- */

uint32_t sim_threads_store(struct sim_machine *machine, const struct sim_warp *warp, uint64_t lanes)
{
	struct sim_compaction *c = sim_compaction_of(machine, warp->core);
	uint32_t index = sim_slab_take(&c->sent);

	if (index == SIM_SLAB_NONE) {
		sim_fail(&machine->port, -ENOMEM, "no memory for a store");
		return 0;
	}
	memcpy(sim_slab_at(&c->sent, index), warp->home, sizeof warp->home);
	for (SIM_EACH_LANE(lane, lanes))
		c->stores[warp->home[lane]][lane]++;
	return index + 1;
}

/* Of its threads, wherever they have sent them. */
static bool have_stores(const struct sim_machine *machine, const struct sim_warp *warp)
{
	const struct sim_compaction *c = sim_compaction_of(machine, warp->core);

	for (SIM_EACH_LANE(lane, warp->active))
		if (c->stores[warp->home[lane]][lane])
			return true;
	return false;
}

/* At a fence those of the threads of a compacted warp count, too, and not of its place only;
 * without a TM system those of the threads alone. */
bool sim_threads_stores_done(const struct sim_machine *machine, struct sim_warp *warp)
{
	bool fence = machine->port.program->code[warp->pc].op == SIM_FENCE;

	if (machine->plain)
		return !have_stores(machine, warp);
	return !warp->stores && !(fence && have_stores(machine, warp));
}

void sim_threads_stored(struct sim_machine *machine, const struct sim_message *message)
{
	struct sim_compaction *c = sim_compaction_of(machine, message->core);
	const uint8_t *home = sim_slab_at(&c->sent, message->e - 1);

	for (SIM_EACH_LANE(lane, message->b)) {
		uint8_t at = c->seat[home[lane]].where[lane];

		c->stores[home[lane]][lane]--;
		sim_stores_look(machine, sim_warp_of(&machine->port, message->core, at));
	}
	sim_slab_give(&c->sent, message->e - 1);
}

struct sim_warp *sim_threads_place(const struct sim_machine *machine, const struct sim_warp *any,
				   uint32_t thread)
{
	struct sim_warp *warp = sim_place_of(machine, any, thread / machine->config.lanes);

	for (uint32_t row = 0; warp->wait != SIM_APART; row++)
		warp = sim_place_of(machine, any, row);
	return warp;
}
