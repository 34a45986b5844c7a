/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PLAIN_H
#define SIM_PLAIN_H
/* Runs without a TM system: what their cores do besides. For the machine's files. */
#include "../kernel/kernel.h"
#include "mechanism.h"
#include "wiring.h"

/* Memory at a fixed distance, of the only core; times are cycles. */
struct sim_far {
	uint64_t free;	 /* when the next line may cross */
	uint64_t stored; /* when the last store is done */
	uint64_t stored_by[SIM_MAX_WARPS][SIM_MAX_LANES]; /* of each thread, by its home */
};

/* The present instruction of a warp: its lanes and place, and what the check has still to see: that
 * it completes, and what it loads. */
struct sim_doing {
	uint32_t lanes, pc;
	bool begun, fetched;
	/* state */
	bool memory;	/* it waits for memory */
	bool ending;	/* threads end when it is complete */
	uint32_t taken; /* lanes that take its branch, or end */
};

struct sim_plain {
	struct kernel kernel; /* that is launched */
	struct flow_core_config config;
	struct flow_check *check; /* NULL without --check */
	uint32_t block_warps;	  /* places of a block */
	struct sim_far far;
	struct sim_stray stray[SIM_MAX_LANES]; /* of warps that are formed */
	struct sim_doing *doing; /* of all warps, by number */
	uint32_t warps;		 /* of a core */
};

static inline struct sim_doing *sim_doing_of(const struct sim_machine *machine,
					     const struct sim_warp *warp)
{
	return &machine->plain->doing[warp->number];
}

int sim_plain_make(struct sim_machine *machine);
void sim_plain_free(struct sim_machine *machine);
void sim_plain_io(struct sim_machine *machine, struct sim_io *io);

/* A launch begins; all launches before are over. @return the tick at which the next begins. */
void sim_plain_launch(struct sim_machine *machine);
uint64_t sim_plain_launched(struct sim_machine *machine);
/* The run has ended, or failed. */
void sim_plain_over(struct sim_machine *machine);
/* Give up at the last cycle, and when nothing can become right any more. */
void sim_plain_may_end(struct sim_machine *machine);
/* The proof of the run, as struct sim_run_class says. */
void sim_plain_judge(struct sim_run *run, struct sim_verdict *out);
bool sim_plain_count_checks(const struct sim_run *run, size_t index, const char **name,
			    uint64_t *value);

/* A block takes a place of its core, or leaves the place. */
void sim_plain_block_begins(struct sim_machine *machine, uint32_t core, uint32_t s,
			    uint32_t number);
void sim_plain_block_ended(struct sim_machine *machine, uint32_t core, uint32_t s);
/* The warp begins this instruction, which takes no time or issues; has completed it, and its
 * threads then have other places. The last function: the places of threads are other ones. */
void sim_plain_begins(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
		      uint64_t active);
void sim_plain_issues(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
		      uint64_t active);
void sim_plain_done(struct sim_machine *machine, struct sim_warp *warp);
void sim_plain_moved(struct sim_machine *machine, const struct sim_warp *warp);
void sim_plain_look(struct sim_machine *machine, uint32_t core);
/* The present instruction ends these lanes; is a fence. */
void sim_plain_end(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes);
void sim_plain_fence(struct sim_machine *machine, struct sim_warp *warp);
/* The warps of a core that wait for memory, counted. */
uint32_t sim_plain_in_memory(const struct sim_machine *machine, const struct sim_core *core);
/* Count the idle cycles of a core up to now. */
void sim_plain_count(struct sim_machine *machine, uint32_t core);

/* far.c: accesses of a warp, and a fence; and its accesses change memory, lane by lane. */
void sim_perform_now(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		     uint64_t mask);
void sim_far_access(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		    uint64_t mask);
void sim_far_fence(struct sim_machine *machine, struct sim_warp *warp);

/* Does its instruction end all threads that the warp has, on a machine? */
static inline bool sim_plain_ends(const struct sim_machine *machine, const struct sim_warp *warp)
{
	const struct sim_doing *doing = sim_doing_of(machine, warp);

	return !machine->far && doing->ending && doing->taken == sim_active(warp);
}

/* Ticks that an end or a fence takes when its stores are done. */
static inline uint64_t sim_plain_rest(const struct sim_machine *machine,
				      const struct sim_warp *warp)
{
	return machine->port.core_ticks * (uint64_t)(sim_plain_ends(machine, warp) ?
						     machine->issue_cycles :
						     machine->config.plain_latency);
}

/* The warp waits for memory until it is ready. */
static inline void sim_plain_remember(struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_doing *doing = sim_doing_of(machine, warp);

	machine->core[warp->core].in_memory += !doing->memory;
	doing->memory = true;
}

/* The warp has what it waited for. */
static inline void sim_plain_answered(struct sim_machine *machine, struct sim_core *core,
				      const struct sim_warp *warp)
{
	struct sim_doing *doing = sim_doing_of(machine, warp);

	core->in_memory -= doing->memory;
	doing->memory = false;
}

/* The warp may issue when its core is called. */
static inline void sim_warp_ready(struct sim_machine *machine, struct sim_core *core,
				  struct sim_warp *warp)
{
	uint64_t bit = UINT64_C(1) << warp->index;

	warp->wait = SIM_READY;
	if (core->in_memory)
		sim_plain_answered(machine, core, warp);
	core->ready |= bit;
	core->woken |= bit;
}

/* The instruction that ends threads is complete. @return whether the others of the warp go on. */
static inline bool sim_plain_ended(struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_doing *doing = sim_doing_of(machine, warp);

	doing->ending = false;
	return sim_lanes_end(machine, warp, sim_warp_pc(warp), doing->taken);
}

/* Does somebody see each instruction? */
static inline bool sim_plain_is_seen(const struct sim_machine *machine)
{
	return machine->plain->check || machine->run.options.issues;
}

/* One slot of plain instructions: does it compute, and where does it go on? */
static inline bool sim_plain_computes(const struct sim_machine *machine, uint32_t pc)
{
	return machine->plain->kernel.code->instr[pc].steps;
}

static inline uint32_t sim_plain_next(const struct sim_machine *machine, uint32_t pc)
{
	const struct kernel_instr *i = &machine->plain->kernel.code->instr[pc];

	return i->op == SIM_JUMP ? i->target : i->next;
}

static inline uint32_t *sim_register_of(const struct sim_warp *warp, uint32_t reg, uint32_t lane)
{
	return warp->reg + reg * SIM_MAX_LANES + (warp->slot ? warp->slot[lane] : lane);
}

#endif /* SIM_PLAIN_H */
