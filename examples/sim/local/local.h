/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LOCAL_H
#define SIM_LOCAL_H
/*
 * One compute unit with local memory, for systems whose transactions are in local memory
 * (GPU-LocalTM, TRANSACT 2015: AMD's Southern Islands). It runs one work-group.
 *
 * Each cycle one wavefront issues an instruction, the one that has been ready for longest,
 * and then the next one in turn. Cycles until the wavefront is ready again:
 *
 *	plain instruction	lanes / simd_lanes, for each of its `count`
 *	branch			the same, for the comparison, and scalar_cycles
 *	tx_begin, tx_commit	scalar_cycles, and what local_tm adds; in local-serialised
 *				a turn of the loop over the work-items, see tx.c
 *	local memory		lds_latency - 1, and the access itself: as many cycles as the
 *				fullest bank has lanes, and what local_tm adds. One
 *				instruction at a time is in the banks
 *	global memory		global_latency; loads only, outside of transactions
 *
 * Addresses from LOCAL_GLOBAL on are global memory, those below are bytes of local memory.
 */
#include "gputm/local_tm.h"
#include "../run/run.h"

#define LOCAL_GLOBAL 0x10000000u
#define LOCAL_DEPTH 16u /* branches that may nest */
#define LOCAL_LANES 64u
#define LOCAL_WAVES 16u

/* Rows in setup.c. */
struct local_machine_config {
	size_t size; /* of this struct, for its parameter table */
	uint32_t core_mhz, simd_lanes, scalar_cycles, lds_latency, global_latency;
	uint32_t swap_units_every, patience_cycles;
};

extern const struct gputm_params local_machine_params;

/* Config of the systems. */
struct local_config {
	struct local_machine_config machine;
	struct gputm_local_tm_config local_tm;
	bool perfect;	 /* transactions cost nothing */
	bool serialised; /* and there are none: one work-item runs at a time */
};

/* A branch whose two ways have not met: the saved EXEC, and the way that waits. */
struct local_branch {
	uint64_t exec, other;
	uint32_t meet, other_pc;
};

/* How a wavefront spends the time until its next instruction, as in Fig. 3 (b) of the paper. */
enum { LOCAL_NON_TX, LOCAL_TX, LOCAL_MEMORY, LOCAL_BEGIN, LOCAL_COMMIT, LOCAL_IDLE, LOCAL_TIMES };

struct local_wave {
	uint32_t index, pc, does;
	uint64_t since; /* all cycles before this one are in time[] */
	uint64_t ready_at;
	bool ended, waiting; /* waiting: at tx_begin, for another wavefront */
	bool at_barrier;
	uint64_t exec;	     /* as in local_tm, or as the serialising system has it */
	struct local_branch branch[LOCAL_DEPTH];
	uint32_t depth;
	/* in a transaction */
	bool in_tx;
	uint32_t tx_pc, tx_depth;
	uint64_t inside; /* lanes that run the attempt */
	uint64_t first;	 /* EXEC of the first begin */
	uint64_t todo;	 /* lanes that the serialising system has not run */
	uint32_t thread[LOCAL_LANES], attempt[LOCAL_LANES];
	uint16_t into; /* register that what is loaded goes into, or none */
	uint64_t address[LOCAL_LANES];
	uint32_t word[LOCAL_LANES], value[LOCAL_LANES];
};

struct local {
	union {
		struct sim_run run;
		struct sim_port port; /* of the run, which begins with it */
	};
	const struct local_config *config;
	struct gputm_local_tm *tm;
	uint32_t waves, words;
	uint32_t vector_cycles;
	uint32_t overhead; /* 1, or 0 where transactions cost nothing */
	uint32_t *reg; /* state: rows of the registers of all lanes; then those at tx_begin */
	/* state */
	struct local_wave wave[LOCAL_WAVES];
	int owner;	       /* wavefront whose lanes the serialising system runs, or -1 */
	uint32_t last;	       /* wavefront that issued last */
	uint32_t turn;	       /* the one that issues now */
	uint64_t issue_free, lds_free;
	uint64_t time[LOCAL_TIMES]; /* cycles, summed over wavefronts */
};

static inline struct local *local_in(struct sim_run *run)
{
	return (struct local *)run;
}

/* Words of registers of all lanes of a kernel; those of a lane. */
static inline size_t local_rows(const struct local *local)
{
	return (size_t)LOCAL_WAVES * LOCAL_LANES * local->port.program->registers;
}

static inline uint32_t *local_row(struct local *local, const struct local_wave *wave,
				  uint64_t lane)
{
	return local->reg + ((size_t)wave->index * LOCAL_LANES + lane) *
						local->port.program->registers;
}

/* Where the wavefront continues, unless it takes a branch. */
static inline uint32_t local_after(const struct local *local, const struct local_wave *wave)
{
	return (uint32_t)sim_pc_after(&local->port, wave->pc);
}

/* ---- setup.c, as struct sim_run_class says ---- */
int local_unit_make(struct sim_run *run, const struct sim_machine_config *unused);
void local_unit_free(struct sim_run *run);
void local_unit_io(struct sim_run *run, struct sim_io *io);
void local_unit_describe(const void *system_config, char *text, size_t size);
/* What local memory holds at the end is for the check. */
void local_unit_over(struct sim_run *run);

/* ---- compute_unit.c ---- */
extern const struct sim_run_class local_runs;

/* ---- control.c: EXEC, as a compiler's instructions for branches change it ---- */
void local_set_exec(struct local *local, struct local_wave *wave, uint64_t exec);
/* The lanes that execute have evaluated a branch, `taken` take it. */
void local_branch(struct local *local, struct local_wave *wave,
		  const struct sim_instr *instr, uint64_t taken);
/* The wavefront is at pc: join the ways that meet there, or, if the other way has ended, drop
 * it. */
void local_arrive(struct local *local, struct local_wave *wave, uint32_t pc);
/* Lanes that execute end; the wavefront continues with other lanes, or ends. */
void local_leave(struct local *local, struct local_wave *wave, uint64_t lanes);

/* ---- tx.c: begin and commit of the systems; cycles until the wavefront is ready ---- */
uint64_t local_begin(struct local *local, struct local_wave *wave);
uint64_t local_commit(struct local *local, struct local_wave *wave);
/* Lanes leave the attempt: restores their registers. */
void local_abort(struct local *local, struct local_wave *wave, uint64_t lanes);

#endif /* SIM_LOCAL_H */
