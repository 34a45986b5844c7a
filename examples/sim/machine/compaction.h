/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_COMPACTION_H
#define SIM_COMPACTION_H
/* Blocks whose warps are compacted, for the files of compaction.c, which says what they do. */
#include "gputm/block_priority.h"
#include "gputm/block_stack.h"
#include "gputm/thread_compactor.h"
#include "plain.h"
#include "wiring.h"

#define ROWS 32u /* most static warps of a block */

/* What comes before the next instruction of a warp. */
enum {
	THEN_NOTHING,
	THEN_REPORT,
	THEN_LAUNCH,
	THEN_GO,
	THEN_BRANCH,
	THEN_BEGIN,
	THEN_ENTER,
	THEN_COMMIT,
};

struct sim_block {
	struct gputm_block_stack *stack;
	/* state */
	uint64_t warps;	     /* of the core */
	uint8_t place[ROWS]; /* of each static warp: warp of the core */
	uint32_t rows;
	uint32_t pc;	   /* of tx_begin */
	uint64_t pc_after; /* tx_commit */
	uint32_t arrived;  /* where warps of the top of stack that are over wait */
	uint8_t last;	   /* warp of the core that issued last */
};

/* Of a warp of the core, a place for threads of its block. */
struct sim_seat {
	uint8_t row, name; /* static warp of its block; index in the stack of the block */
	uint8_t where[SIM_MAX_LANES]; /* warp that now holds the thread that is at home here */
	uint32_t abandoned; /* threads at home here that the host was asked to abort */
	/* Of the warp in this place: what comes next, at this PC; lanes that take its branch. */
	uint8_t then;
	uint32_t next, taken;
};

struct sim_compaction {
	struct gputm_thread_compactor *compactor;
	uint64_t free; /* tick at which it takes the next mask */
	struct sim_block *block;
	uint32_t blocks;
	struct sim_seat *seat; /* [warps of the core]; state */
	/* In programs with fences: stores on their way, by where their threads are at home. */
	uint32_t (*stores)[SIM_MAX_LANES]; /* [warps of the core] of each thread */
	struct sim_slab sent; /* home[] of the warp that has sent it */
	struct gputm_block_stack_config stack_config; /* the same of all cores, as is the next */
	struct gputm_thread_compactor_config compactor_config;
	/* Without a TM system: which block issues. */
	struct gputm_block_priority *priority;
	struct gputm_block_priority_config priority_config;
};

static inline struct sim_compaction *sim_compaction_of(const struct sim_machine *machine,
						       uint32_t core)
{
	return (struct sim_compaction *)machine->forming + core;
}

static inline struct sim_block *sim_block_of(const struct sim_machine *machine,
					     const struct sim_warp *warp)
{
	return &sim_compaction_of(machine, warp->core)->block[warp->block];
}

static inline struct sim_warp *sim_place_of(const struct sim_machine *machine,
					    const struct sim_warp *warp, uint32_t row)
{
	return sim_warp_of(&machine->port, warp->core, sim_block_of(machine, warp)->place[row]);
}

static inline struct sim_seat *sim_seat_of(const struct sim_machine *machine,
					   const struct sim_warp *warp)
{
	return &sim_compaction_of(machine, warp->core)->seat[warp->index];
}

/* ---- block_threads.c ---- */

/* The thread that is at home in this lane of a warp comes to another one; all go home. */
void sim_threads_fetch(struct sim_machine *machine, struct sim_warp *to,
		       const struct sim_warp *home, uint32_t lane);
void sim_threads_go_home(struct sim_machine *machine, const struct sim_warp *any);
/* A place for a warp with this thread: at home, or where no warp is. */
struct sim_warp *sim_threads_place(const struct sim_machine *machine, const struct sim_warp *any,
				   uint32_t thread);
/* Stores, as struct sim_former says. */
uint32_t sim_threads_store(struct sim_machine *machine, const struct sim_warp *warp,
			   uint64_t lanes);
void sim_threads_stored(struct sim_machine *machine, const struct sim_message *message);
bool sim_threads_stores_done(const struct sim_machine *machine, struct sim_warp *warp);

/* ---- block_state.c: life, state and what the check sees, as struct sim_former says ---- */
int sim_compaction_make(struct sim_machine *machine);
void sim_compaction_free(struct sim_machine *machine);
void sim_compaction_io(struct sim_machine *machine, struct sim_io *io);
void sim_compaction_check(struct sim_machine *machine, const struct sim_message *message,
			  struct sim_io *io);
void sim_compaction_places(struct sim_machine *machine, uint32_t core, sim_place *place,
			   void *state);

#endif
