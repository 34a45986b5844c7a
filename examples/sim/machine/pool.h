/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_POOL_H
#define SIM_POOL_H
/* Warps that are formed all the time, for the files of pool.c, which says what they do. */
#include "gputm/warp_former.h"
#include "plain.h"

/* What comes when an instruction has completed. */
enum { THEN_GO = 1, THEN_BRANCH, THEN_BARRIER };

struct sim_formed {
	struct sim_warp warp; /* its reg and slot follow from its threads */
	uint32_t slot[SIM_MAX_LANES];
	/* state, as is the warp */
	uint64_t due;	/* cycle */
	uint32_t after; /* the next one in the list of a cycle: its place plus 1 */
	uint32_t next, taken; /* PC, of a branch: its own; lanes that take it */
	uint8_t then;
};

struct sim_pool {
	struct gputm_warp_former_config config; /* the same of all cores: that of the first one */
	struct gputm_warp_former *former;
	struct sim_formed *formed; /* [count]; the place of a warp is its slot in the unit */
	uint32_t count;
	/* state, as are the warps */
	uint32_t first[SIM_WHEEL_TICKS]; /* place plus 1 of the first warp of a cycle */
	uint64_t occupied[SIM_WHEEL_TICKS / 64];
	uint64_t served; /* all cycles up to this one */
	uint32_t barrier_pc[SIM_BLOCK_SLOTS]; /* where the blocks go on */
	/* Of each thread, by its home: stores on their way, and the warp that waits for them. */
	uint32_t stores[SIM_MAX_WARPS][SIM_MAX_LANES], waiting[SIM_MAX_WARPS][SIM_MAX_LANES];
};

static inline struct sim_pool *sim_pool_of(const struct sim_machine *machine, uint32_t core)
{
	return (struct sim_pool *)machine->forming + core;
}

static inline struct sim_formed *sim_formed_of(struct sim_warp *warp)
{
	return (struct sim_formed *)warp;
}

static inline uint32_t sim_formed_place(const struct sim_pool *p, const struct sim_warp *warp)
{
	return warp->number - warp->core * p->count;
}

/* Registers of the threads: of a static warp in place; else lane by lane, in its slots, from those
 * of the first home on. */
static inline void sim_formed_find(const struct sim_machine *machine, struct sim_formed *f,
				   bool together)
{
	const struct sim_warp *home = machine->core[f->warp.core].warp;

	f->warp.slot = together ? NULL : f->slot;
	f->warp.reg = home[together ? f->warp.home[__builtin_ctz(f->warp.active)] : 0].reg;
}

/* ---- pool_state.c ---- */

/* Life, state and what the check sees, as struct sim_former says. */
int sim_pool_make(struct sim_machine *machine);
void sim_pool_free(struct sim_machine *machine);
void sim_pool_io(struct sim_machine *machine, struct sim_io *io);
void sim_pool_check(struct sim_machine *machine, const struct sim_message *message,
		    struct sim_io *io);
void sim_pool_places(struct sim_machine *machine, uint32_t index, sim_place *place, void *state);

#endif
