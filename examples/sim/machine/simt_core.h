/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SIMT_CORE_H
#define SIM_SIMT_CORE_H
/*
 * SIMT cores that run a kernel without transactions; what they do with branches is a mechanism's
 * business (mechanism.h). The timing model is told at the top of simt_core.c, what lies between
 * the cores and memory in simt_memory.h.
 */
#include "gputm/access_coalescer.h"
#include "gputm/base.h"
#include "../base/io.h"
#include "../base/wheel.h"
#include "../port/port.h"
#include "../kernel/kernel.h"
#include "../kernel/threads.h"
#include "blocks.h"
#include "scheduler.h"

struct flow_check;
struct flow_mechanism;
struct flow_memory;
struct sim_machine;

#define FLOW_WARPS_MAX 64u
#define FLOW_WIDTHS 8u /* classes of the lanes of a warp: W1-4 .. W29-32 */

/* Rows are in simt_config.c. */
struct flow_core_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t warps;		  /* static warps that are resident, 1..64 */
	uint32_t blocks;	  /* most resident blocks, 1..64 */
	uint32_t simd_width;	  /* lanes that execute in a cycle */
	uint32_t latency;	  /* cycles from an instruction to the next of its warp */
	uint32_t l1_bytes, l1_ways;
	uint32_t l1_latency;	  /* more, of a hit */
	uint32_t memory_latency;  /* more, of a miss */
	uint32_t memory_interval; /* cycles from one line that crosses to the next */
	uint64_t most_cycles;
};
const struct gputm_params *flow_core_params(void);

/* The config of each mechanism begins with these fields. */
struct flow_config {
	struct flow_core_config core;
	struct gputm_access_coalescer_config coalescer;
};

/* A warp, from the moment at which a mechanism makes it ready until it ends. */
struct flow_warp {
	struct flow_lanes lanes;
	uint32_t pc;	   /* PC of the present or next instruction */
	uint32_t taken;	   /* by a branch, or by exit if, that it executes */
	uint32_t resident; /* slot of the block on the core, if all threads are of one block */
	uint32_t name;	   /* for the mechanism's use */
	bool memory;	   /* it waits for memory */
	uint32_t awaited;  /* lines and old words outstanding; at a fence, stores */
	uint64_t due;
	struct flow_warp *next; /* last: no state by itself */
};

struct flow_result {
	uint64_t cycles;
	uint64_t issued;	      /* warp instructions */
	uint64_t executed;	      /* instructions of threads */
	uint64_t width[FLOW_WIDTHS];  /* issued, by active lanes */
	uint64_t busy, stalled;	      /* cycles: issuing; waiting for the memory port */
	uint64_t idle, memory_idle;   /* nothing to issue; some warp waits for memory */
	uint64_t memory_instructions; /* of warps, on global memory */
	uint64_t accesses;	      /* coalesced */
	uint64_t depth;		      /* most entries of a stack */
};

/* A warp that executes is in the list of the cycle in which it completes. */
struct flow_wheel {
	struct flow_warp *first[SIM_WHEEL_TICKS];
	/* state, as are the lists */
	uint64_t occupied[SIM_WHEEL_TICKS / 64];
	uint64_t served; /* all cycles up to this one */
};

struct flow_gpu;

struct flow_core {
	struct flow_gpu *gpu;
	/* the GPU's, for mechanisms */
	const struct kernel *kernel;
	const struct flow_threads *threads;
	const struct flow_mechanism *mechanism;
	void *state; /* the mechanism's */
	struct flow_warp *warps; /* those that the mechanism makes, in one piece */
	uint32_t warp_count;
	struct flow_memory *memory;
	struct flow_wheel wheel;
	struct flow_warp *held; /* picked, but the time of its access has not come */
	uint64_t no_reply_by; /* no reply takes effect up to this cycle */
	uint32_t scheduler; /* of the machine, for mechanisms; SIM_LRR without a machine */
	uint32_t interval; /* cycles that the issue of a warp takes */
	uint32_t slots;	   /* issue slots */
	uint64_t slot_warps; /* of slot 0, of static warps; those of slot i are this shifted by i */
	uint32_t cost;	   /* cycles of its slot that the present issue takes */
	uint32_t residents;
	/* state, as are the wheel, what is held and all that the mechanism and memory have */
	struct sim_blocks blocks; /* threads of them live */
	uint32_t block[SIM_BLOCK_SLOTS]; /* number of each block in the launch */
	uint64_t now;
	uint64_t mechanism_due; /* when to call its tick() */
	uint64_t free[SIM_SLOTS]; /* of several slots: when each is free */
	uint32_t slot; /* that issues now */
	uint64_t gap, gap_slots; /* idle cycles since the last issue; issue slots of these */
	uint64_t stored; /* without a machine: when the last store is done */
	uint64_t in_memory; /* warps that wait for memory */
	uint64_t awaiting;  /* of them those that wait for a reply */
	uint64_t next; /* when to run it again; UINT64_MAX: after a reply, or never */
	struct flow_result result;
};

/* When a thread has ended, and when a register or a word of memory has changed; no state. */
struct flow_patience {
	uint64_t left, left_at, still_at; /* threads; cycles */
	uint64_t sum, next; /* of all registers and words; the cycle of the next look at them */
};

struct flow_gpu {
	struct sim_machine *machine;
	struct sim_port *port;	 /* the machine's, with the units, core by core */
	struct sim_machine *way; /* the machine, if it has crossbars and partitions; else NULL */
	const struct kernel *kernel; /* the program, or the kernel of it that is launched: */
	struct kernel launched;
	struct flow_core_config config;
	struct flow_threads threads;
	const struct flow_mechanism *mechanism;
	struct flow_check *check; /* NULL without --check */
	FILE *issues;		  /* a line for every warp that issues, or NULL */
	uint32_t cores;
	struct flow_core *core;
	struct flow_patience patience;
	struct flow_result result; /* of all cores, after the run */
};

/* The GPU of a machine whose system is a mechanism. */
const struct flow_gpu *flow_gpu_of(struct sim_machine *machine);

/* ---- shared by the files of the cores ---- */

/*
 * Run to this cycle, and on to limit while nothing can arrive from outside, which is so up to
 * core->no_reply_by. An access of global memory waits for its cycle. 0; -EINVAL;
 * -EDEADLK, nothing will happen on a core without a machine.
 */
int flow_core_run(struct flow_core *core, uint64_t cycle, uint64_t limit);

/* When its last issue is over. Nothing issues any more up to a cycle, to which the core goes on. */
uint64_t flow_core_end(const struct flow_core *core);
void flow_core_rests(struct flow_core *core, uint64_t cycle);

/* On a machine a warp whose instruction ends all its threads waits for their stores. */
static inline bool flow_core_ends(const struct flow_core *core, const struct flow_warp *warp)
{
	uint8_t op = core->kernel->code->instr[warp->pc].op;

	return core->gpu->way && (op == KERNEL_EXIT || (op == KERNEL_EXIT_IF &&
							warp->taken == warp->lanes.mask));
}

/* Cycles that the warp's instruction takes when what it awaits is here. */
static inline uint32_t flow_core_rest(const struct flow_core *core, const struct flow_warp *warp)
{
	bool fence = core->kernel->code->instr[warp->pc].op == KERNEL_FENCE;

	return fence ? core->gpu->config.latency : flow_core_ends(core, warp) ? core->interval : 0;
}

/* Does the run come nearer to its end? 0, or -EINVAL after sim_fail() with thread and line. */
int flow_lose_patience(struct flow_gpu *gpu, uint64_t now);

/* Save or load its state, except that of units. */
void flow_core_io(struct flow_core *core, struct sim_io *io);

/* The core looks at the warp in the cycle in which the warp is due. */
static inline void flow_core_hang(struct flow_core *core, struct flow_warp *warp)
{
	struct flow_wheel *wheel = &core->wheel;
	uint64_t at = warp->due;
	uint32_t slot;

	if (at - wheel->served >= SIM_WHEEL_TICKS) /* looked at again then */
		at = wheel->served + SIM_WHEEL_TICKS - 1;
	slot = (uint32_t)at % SIM_WHEEL_TICKS;
	warp->next = wheel->first[slot];
	wheel->first[slot] = warp;
	wheel->occupied[slot / 64] |= UINT64_C(1) << slot % 64;
}

/* ---- for mechanisms ---- */

/* Resident block s has warps s * warps .. of the core. */
static inline uint32_t flow_warps(const struct flow_core *core)
{
	return core->threads->warps;
}

/* Lanes of warp w of resident block s that have a thread. */
static inline uint32_t flow_mask(const struct flow_core *core, uint32_t s, uint32_t w)
{
	return flow_full_mask(core->kernel, core->block[s], w);
}

/* First thread number of warp w of resident block s. */
static inline uint32_t flow_resident_slot(const struct flow_core *core, uint32_t s, uint32_t w)
{
	return flow_first_slot(core->threads, core->block[s], w);
}

/* -EINVAL, after "FILE:LINE: REASON" has been noted for the instruction at pc. */
int flow_fail(struct flow_core *core, uint32_t pc, const char *reason);

#endif /* SIM_SIMT_CORE_H */
