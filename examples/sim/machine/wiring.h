/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WIRING_H
#define SIM_WIRING_H
/* The inside of the machine, for its own files; systems know it by its port. */
#include "gputm/tx_throttle.h"
#include "../base/wheel.h"
#include "../port/port.h"
#include "blocks.h"
#include "l1.h"
#include "machine.h"

/* The words of a store on its way. */
struct sim_words {
	uint32_t mask;
	uint32_t value[GPUTM_MEM_WORDS_MAX];
};

/* ---- parts of the machine ---------------------------------------------------- */

#define SIM_TIMER 64u

struct sim_core {
	struct sim_turn turn;
	struct sim_l1 l1; /* for loads outside of transactions */
	struct sim_warp *warp;
	struct gputm_access_coalescer *coalescer;
	struct gputm_tx_throttle *throttle;
	/* state, as are the tags of the L1 */
	uint64_t ready;		    /* warps */
	uint64_t woken;		    /* of them those that have become so since the last look */
	uint64_t timer[SIM_TIMER]; /* warps to look at, by tick modulo SIM_TIMER */
	uint64_t issue_free[SIM_SLOTS]; /* ticks */
	uint64_t unit_due;	    /* tick of the system's next call; SIM_NEVER for none */
	struct sim_scheduler scheduler;
	uint64_t empty_since;	    /* cycle; while there is no warp */
	uint32_t free_warps;
	uint32_t in_memory;	    /* warps that wait for memory */
	uint64_t gap, gap_issues;   /* idle cycles since the last issue, and issues of a warp */
	uint64_t counted;	    /* ticks before this one are busy or idle; without a system */
	uint64_t ending;	    /* warps whose threads end when the warps are ready */
	uint32_t block[SIM_BLOCK_SLOTS], alive[SIM_BLOCK_SLOTS]; /* number; threads */
	struct sim_blocks blocks;   /* warps of them live */
};

/* State of an L2 line besides its tag. */
struct sim_line {
	uint64_t ready_at;  /* tick at which the last of its accesses that wait completes */
	uint64_t filled_at; /* tick at which it has come */
	uint32_t used;	    /* by a counter, for LRU */
	/* Requests that have still to get the channel of DRAM, plus 1, or 0: the last one of this
	 * line, after which others complete, and the one that brings it. */
	uint32_t fetch, fill;
	bool dirty;
};

/* Completions are in order within each of these. */
enum { SIM_CORE_HIT, SIM_CORE_MISS, SIM_UNIT_HIT, SIM_UNIT_MISS, SIM_COMPLETIONS };

/* Requests to DRAM that complete no access: a line is written back, or comes for writes. */
enum { SIM_WRITE_BACK = SIM_COMPLETIONS, SIM_FILL };

/* A request to DRAM, or an L2 access that waits for the same line. */
struct sim_fetch {
	struct sim_message message; /* its due: without DRAM */
	uint64_t number, row;	    /* of the line; of its row, plus 1 */
	uint64_t asked;		    /* tick */
	uint64_t seen;		    /* by the controller, in 256ths of a tick */
	uint32_t bank, place;	    /* place: of the line in the L2 */
	uint32_t next, last;	    /* accesses that wait for it, plus 1 */
	uint32_t bytes;		    /* on the channel */
	uint8_t queue;		    /* of its completion, or one of those above */
	bool write;
};

struct sim_bank {
	uint64_t row; /* the open one plus 1; 0: none was opened yet */
	uint64_t activated, column; /* the last commands, in 256ths of a tick */
};

struct sim_dram {
	struct sim_slab fetches;
	uint32_t *waiting; /* requests, by arrival */
	uint32_t capacity, count;
	struct sim_bank bank[SIM_BANKS];
	uint64_t free;	    /* the channel, in 256ths of a tick */
	uint32_t bank_used; /* that it was used for last */
	bool wrote;
	uint64_t activated; /* when another row may be, in 256ths of a tick */
	uint64_t due;	    /* tick at which the next one may have the channel */
};

struct sim_partition {
	struct sim_turn turn;
	struct sim_dram dram; /* of a machine whose DRAM has banks */
	uint64_t *tag;	       /* sets x ways: number of the line plus 1; 0: empty */
	struct sim_line *line; /* the same places */
	uint8_t *recent;       /* of each set, the way found last; a hint only */
	struct sim_queue in;   /* accesses of cores that wait for the L2 */
	struct sim_queue done[SIM_COMPLETIONS];
	uint64_t first[SIM_COMPLETIONS]; /* tick of the first of each; SIM_NEVER: none */
	uint64_t due;	    /* of all */
	uint64_t l2_free;   /* tick */
	uint64_t dram_free; /* in ticks / 256 */
	uint64_t unit_due;  /* tick of the system's next call; SIM_NEVER for none */
	uint32_t used;
};

struct sim_gate {
	struct sim_queue queue;
	uint64_t free; /* tick */
	struct sim_turn turn;
};

/* One direction of the crossbar. */
struct sim_crossbar {
	struct sim_gate *source, *sink;
};

struct flow_mechanism;
struct sim_machine;
struct sim_plain;

/* Receives the place of a thread: where it goes on. */
typedef void sim_place(void *state, uint32_t thread, uint32_t pc);

/* The warps that a former makes itself; those of the core then are the homes of threads, and have
 * their registers. Without a TM system only. */
struct sim_own_warps {
	/* The core is called, and serves its L1 and its slots by itself. */
	void (*call)(struct sim_machine *machine, uint32_t core);
	/* The warp goes on at a tick. */
	void (*until)(struct sim_machine *machine, struct sim_warp *warp, uint64_t tick);
	/* Accesses of global memory, and what replies do. */
	void (*access)(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		       uint64_t mask);
	void (*reply)(struct sim_machine *machine, const struct sim_message *message);
};

/*
 * What forms the warps of a core. Cores place blocks in warps and execute; the former says where
 * the threads of a warp go on when they have come to the end of an instruction. What it keeps is
 * machine->forming. Functions that are NULL do nothing.
 */
struct sim_former {
	/* Threads have their next place when an instruction issues, not when it is complete. */
	bool at_once;
	int (*make)(struct sim_machine *machine); /* its units; 0, -EINVAL or -ENOMEM */
	void (*free)(struct sim_machine *machine);
	void (*io)(struct sim_machine *machine, struct sim_io *io);
	/* A static warp with these lanes has a place on its core. */
	void (*launch)(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes);
	/* Before a warp may issue: false, it does not go on by itself. NULL: warps go on by
	 * themselves. */
	bool (*resume)(struct sim_machine *machine, struct sim_warp *warp);
	/* The warp goes on as a whole; at a branch, which some lanes take; without the lanes that
	 * end, false: it does not go on, and ended: warps of its block that have ended; at the
	 * barrier of its block, NULL: it waits where it goes on. */
	void (*go)(struct sim_machine *machine, struct sim_warp *warp, uint64_t next);
	void (*branch)(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
		       uint64_t taken);
	bool (*exit)(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
		     uint64_t lanes, uint64_t *ended);
	/* Lanes of a transaction wait at this pc while the others go on from there, as after a
	 * branch. False: there is no room, and nothing has changed. */
	bool (*park)(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
		     uint64_t lanes);
	void (*barrier)(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc);
	/* Transactions of a block: the warp has come to their begin, or to their commit. */
	void (*begin)(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc);
	void (*commit)(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc);
	/* As struct sim_host says. */
	void (*abandon)(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes);
	void (*settled)(struct sim_machine *machine, struct sim_warp *warp, uint64_t tick);
	/* Lanes of the warp store: e of their message, 0 without memory; and its reply. NULL: the
	 * stores of a warp are those of all its threads. */
	uint32_t (*store)(struct sim_machine *machine, const struct sim_warp *warp, uint64_t lanes);
	void (*stored)(struct sim_machine *machine, const struct sim_message *message);
	/* Have the stores of its threads been performed? NULL: those of the warp are counted. */
	bool (*stores_done)(const struct sim_machine *machine, struct sim_warp *warp);
	/* A message of a state that was loaded. */
	void (*check)(struct sim_machine *machine, const struct sim_message *message,
		      struct sim_io *io);
	/* Which ready warp issues in the slot; SIM_NO_WARP: none. NULL: the scheduler says it. And
	 * nothing could issue for so many issues of a warp. Both without a TM system only. */
	uint32_t (*pick)(struct sim_machine *machine, uint32_t core, uint32_t slot);
	void (*skip)(struct sim_machine *machine, uint32_t core, uint64_t issues);
	const struct sim_own_warps *own; /* NULL: its warps are those of the core */
	/* The places of all live threads of a core, for --check. */
	void (*places)(struct sim_machine *machine, uint32_t core, sim_place *place, void *state);
};
extern const struct sim_former sim_stacks, sim_block_stacks, sim_warp_pool;

struct sim_machine {
	union {
		struct sim_run run;
		struct sim_port port; /* of the run, which begins with it */
	};
	struct sim_wheel wheel; /* its time is the port's */
	const struct sim_core *turn; /* the core that is called now, or NULL */
	struct sim_machine_config config;
	struct sim_launch launch; /* the program that runs */
	bool enters, fences;	  /* its program enters critical sections; it has fences */
	void *between;		  /* state of the host that launches the program */
	struct sim_core *core;
	const struct sim_former *former;
	const struct flow_mechanism *mechanism; /* whose former that is; NULL: pdom */
	void *forming; /* state of the former */
	struct sim_plain *plain; /* of a run without a TM system */
	bool far;		 /* its core has memory at a fixed distance, and no partitions */
	uint32_t *registers; /* of all warps */
	uint32_t *before;    /* those of a warp before its access; NULL: the system pauses none */
	uint32_t *shared; /* [cores][blocks of a core][words]: shared memory */
	struct sim_stray *stray; /* of all lanes; the host touches those that went astray */
	struct sim_partition *partition;
	struct sim_crossbar up, down; /* cores to partitions, and back */
	struct sim_slab words; /* struct sim_words */
	/* derived from the config, in ticks */
	uint32_t tick_mhz, crossbar_ticks, flit_shift;
	uint32_t issue_ticks, issue_cycles; /* that the issue of a warp takes */
	uint64_t slot_warps;  /* of issue slot 0; those of slot i are this shifted by i */
	uint8_t port_of[256]; /* of each core, in the crossbars */
	uint32_t line_ticks256; /* 256ths of a tick that a line occupies DRAM */
	struct {
		uint32_t rc, rrd, rcd, rp, cl, turn, cycle; /* 256ths of a tick */
		uint32_t group_shift; /* of the number of a bank */
	} dram;
	uint32_t row_shift; /* of the number of a line */
	uint32_t line_shift, sets;
	struct gputm_simt_stack_config stack_config;
	struct gputm_access_coalescer_config coalescer_config;
	struct gputm_tx_throttle_config throttle_config;
	uint64_t blocks; /* of the launch */
};

/* ---- among the machine's files -------------------------------------------------------- */

/* The machine of this port, or of this run. */
static inline struct sim_machine *sim_machine_of(struct sim_port *port)
{
	return (struct sim_machine *)port;
}

static inline struct sim_machine *sim_machine_in(struct sim_run *run)
{
	return (struct sim_machine *)run;
}

/* patience.c: sim_fail() if a thread makes no progress, or all threads together. */
void sim_machine_look(struct sim_run *run);
/* Of all registers and memory. */
uint64_t sim_machine_sum(struct sim_run *run);
/* A thread waits in the stack of its warp for the thread. */
void sim_machine_waits(struct sim_run *run, uint32_t thread, char *text, size_t size);
/* So a run fails in which the warp is at such a branch, unless the threads of each static warp go
 * one way. */
void sim_check_divided(struct sim_machine *machine, const struct sim_warp *warp, uint32_t pc,
		       uint64_t taken);

/* derive.c: from the config, and from the workload's blocks; 0, or -EINVAL after sim_fail(). */
int sim_derive_machine(struct sim_machine *machine);
int sim_derive_launch(struct sim_machine *machine);
/* The config of a role of the system; NULL: the system has no such role. */
const void *sim_role_config(const struct sim_machine *machine, const char *role);

/* Of the port, as port.h says. */
void sim_send_up(struct sim_port *port, struct sim_message *message, uint32_t bytes);
void sim_send_down(struct sim_port *port, struct sim_message *message, uint32_t bytes);
void sim_send_accesses(struct sim_port *port, struct sim_warp *warp, enum sim_op op, uint64_t mask,
		       bool touch);
uint32_t sim_find_lines(struct sim_port *port, struct sim_warp *warp, bool write, uint64_t mask,
			struct gputm_access_coalescer_access *wide);
void sim_l2_access(struct sim_port *port, const struct sim_message *message);
bool sim_l2_awaits(const struct sim_port *port, uint32_t partition, const struct sim_warp *warp);
void sim_l2_unit_access(struct sim_port *port, uint32_t partition,
			const struct gputm_mem_request *request);
void sim_warp_until(struct sim_port *port, struct sim_warp *warp, uint64_t tick);
void sim_warp_wait(struct sim_port *port, struct sim_warp *warp, enum sim_wait wait);
void sim_partition_at(struct sim_port *port, uint32_t partition, uint64_t tick);
void sim_core_at(struct sim_port *port, uint32_t core, uint64_t tick);
void sim_warp_outcome(struct sim_port *port, struct sim_warp *warp, uint32_t commits,
		      uint32_t aborts);
void sim_warp_left(struct sim_port *port, struct sim_warp *warp, uint64_t tick);
void sim_check_message(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		       struct sim_io *io);

uint32_t sim_words_take(struct sim_machine *machine);

static inline struct sim_words *sim_words_at(const struct sim_machine *machine, uint32_t index)
{
	return sim_slab_at(&machine->words, index);
}

static inline void sim_words_give(struct sim_machine *machine, uint32_t index)
{
	sim_slab_give(&machine->words, index);
}

/* Give these lanes of a load the values in memory. */
void sim_load_lanes(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes);
/* times.c: as struct sim_run_class says. */
void sim_machine_close(const struct sim_run *run, struct sim_result *out);
const char *sim_machine_wrong(const struct sim_run *run, const struct sim_result *result);
/* Threads, whose sum is cycles x lanes of all warps, and cores. */
bool sim_machine_time(const struct sim_run *run, const struct sim_result *result, size_t index,
		      struct sim_time *out);

int sim_crossbars_make(struct sim_machine *machine);
void sim_crossbars_free(struct sim_machine *machine);
void sim_crossbars_io(struct sim_machine *machine, struct sim_io *io);
void sim_crossbar_source(struct sim_machine *machine, struct sim_crossbar *crossbar,
			 uint32_t port);
/* The message that has arrived at a sink port, as long as the crossbar brings no other one there;
 * a tick lets one arrive, as each has a flit. NULL: there is none. */
const struct sim_message *sim_crossbar_sink(struct sim_machine *machine,
					    struct sim_crossbar *crossbar, uint32_t port);

static inline struct sim_fetch *sim_fetch_at(const struct sim_dram *dram, uint32_t index)
{
	return sim_slab_at(&dram->fetches, index);
}

/* 256ths of a tick that so many bytes occupy DRAM. */
static inline uint64_t sim_dram_ticks256(const struct sim_machine *machine, uint32_t bytes)
{
	return (uint64_t)machine->line_ticks256 * bytes >> machine->line_shift;
}

/* A new request or waiting access; SIM_SLAB_NONE when the run has failed. */
uint32_t sim_dram_take(struct sim_machine *machine, struct sim_dram *dram);
/* The request to read or write so many bytes of a line takes its place in the queue. */
void sim_dram_push(struct sim_machine *machine, struct sim_dram *dram, uint32_t index,
		   uint64_t number, uint32_t bytes, bool write);
/* The request that gets the channel now, which is busy until its line is through. SIM_SLAB_NONE: no
 * request; ask again at dram->due, or after a push. */
uint32_t sim_dram_serve(struct sim_machine *machine, struct sim_dram *dram);

/* Bytes of the line that an access moves. */
uint32_t sim_access_bytes(const struct sim_message *message);
/* The L2 takes an access of the line of message->a now: its completion comes into this queue, or
 * into the next one after a miss. */
void sim_l2_take(struct sim_machine *machine, struct sim_partition *partition,
		 struct sim_message *message, uint32_t queue, bool write, uint32_t latency);
/* DRAM serves what it can serve now. */
void sim_l2_serve(struct sim_machine *machine, struct sim_partition *partition);

int sim_partitions_make(struct sim_machine *machine);
void sim_partitions_free(struct sim_machine *machine);
void sim_partitions_io(struct sim_machine *machine, struct sim_io *io);
void sim_partition_accept(struct sim_machine *machine, const struct sim_message *message);
void sim_partition_call(struct sim_machine *machine, uint32_t index);

int sim_cores_make(struct sim_machine *machine);
/* The cores take over the blocks of a launch, and allocate registers for its program. 0 or
 * -ENOMEM. */
int sim_cores_launch(struct sim_machine *machine);
void sim_cores_free(struct sim_machine *machine);
void sim_cores_io(struct sim_machine *machine, struct sim_io *io);
void sim_core_accept(struct sim_machine *machine, const struct sim_message *message);
void sim_core_check(struct sim_machine *machine, const struct sim_message *message,
		    enum sim_way way, struct sim_io *io);
void sim_core_call(struct sim_machine *machine, uint32_t index);
void sim_core_fill(struct sim_machine *machine, uint32_t index);
/* Words of registers of a warp, with those that are kept at tx_begin. */
static inline size_t sim_register_words(const struct sim_machine *machine)
{
	const struct sim_program *program = machine->port.program;

	return (program->registers + program->kept_count + 1u) * (size_t)SIM_MAX_LANES;
}

/* The shared memory of a block that is on a core. */
static inline uint32_t *sim_shared_of(const struct sim_machine *machine, uint32_t core,
				      uint32_t block)
{
	return machine->shared + ((size_t)core * machine->config.blocks + block) *
					 machine->port.program->shared_words;
}

/* Let the warps of a block continue if all live ones wait at its barrier. */
void sim_barrier_look(struct sim_machine *machine, uint32_t core, uint32_t block);
void sim_issue(struct sim_machine *machine, struct sim_warp *warp);
/* Ticks from an instruction to the next of its warp. */
static inline uint64_t sim_pipeline(const struct sim_machine *machine)
{
	return (uint64_t)machine->config.plain_latency * machine->port.core_ticks;
}

/* The issue of the warp takes `cycles`, but no fewer than others, and its next instruction may
 * issue `latency` cycles later. */
void sim_holds_slot(struct sim_machine *machine, const struct sim_warp *warp, uint32_t cycles);
void sim_issues_for(struct sim_machine *machine, struct sim_warp *warp, uint32_t cycles,
		    uint64_t latency);
/* The lanes that run end now; true: others of the warp go on. */
bool sim_lanes_end(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t lanes);
/* These warps of the block of `first` have ended. */
void sim_block_ended(struct sim_machine *machine, struct sim_warp *first, uint64_t warps);
/* The same, before another block takes their places. @return whether the block is over. */
bool sim_block_left(struct sim_machine *machine, struct sim_warp *first, uint64_t warps);
/* Of a state that was loaded. */
void sim_warp_check(const struct sim_machine *machine, const struct sim_warp *warp,
		    struct sim_io *io);

/* Have the stores of the warp's threads been performed? If not, the warp waits for them. The second
 * function lets a warp that waited continue if they have. */
bool sim_stores_done(const struct sim_machine *machine, struct sim_warp *warp);
void sim_stores_look(struct sim_machine *machine, struct sim_warp *warp);
static inline uint32_t sim_warp_pc(const struct sim_warp *warp)
{
	return warp->stack ? (uint32_t)gputm_simt_stack_pc(warp->stack) : warp->pc;
}

/* Is the warp admitted to its transaction? Else it waits. */
bool sim_warp_admitted(struct sim_machine *machine, struct sim_warp *warp);

#endif
