/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_RESULT_H
#define SIM_RESULT_H
/* What a run counts, and what it reports to an observer. */
#include <stdbool.h>
#include <stdint.h>

struct sim_memory;

/* Why a transaction was aborted: a closed list, with names in sim_abort_reason_name[]. */
enum sim_abort_reason {
	SIM_ABORT_VALIDATION, /* a value read had changed (lazy value-based systems) */
	SIM_ABORT_CONFLICT,   /* found at the access (eager systems, ideal) */
	SIM_ABORT_INTRA_WARP, /* lost against a lane of its own warp */
	SIM_ABORT_WATCHDOG,   /* ran too long and had read changed values */
	SIM_ABORT_CAPACITY,   /* a table of the system was full */
	SIM_ABORT_ROLLOVER,   /* the system's clocks started again */
	SIM_ABORT_WRITER,     /* another running transaction writes the word */
	SIM_ABORT_LOOP,	      /* a dependency loop was declared */
	SIM_ABORT_STALE,      /* the versions that it was to read are gone */
	SIM_ABORT_ROUND,      /* its device's round failed */
	SIM_ABORT_ESTIMATED,  /* found by stamps that a filter estimates (GETM) */
	SIM_ABORT_REASONS,
};
extern const char *const sim_abort_reason_name[SIM_ABORT_REASONS];

/* What crosses the crossbars, by name in sim_traffic_name[]. */
enum sim_traffic {
	SIM_TRAFFIC_LOAD,
	SIM_TRAFFIC_LOAD_REPLY,
	SIM_TRAFFIC_STORE,
	SIM_TRAFFIC_STORE_REPLY,
	SIM_TRAFFIC_ATOMIC,
	SIM_TRAFFIC_ATOMIC_REPLY,
	SIM_TRAFFIC_READ_LOG,
	SIM_TRAFFIC_WRITE_LOG,
	SIM_TRAFFIC_DONE,
	SIM_TRAFFIC_SKIP,
	SIM_TRAFFIC_OUTCOME, /* local outcomes, partition to core */
	SIM_TRAFFIC_VERDICT, /* core to partition */
	SIM_TRAFFIC_RETIRE,
	SIM_TRAFFIC_RESEND,
	SIM_TRAFFIC_CLEANUP,
	SIM_TRAFFIC_ROLLOVER,
	SIM_TRAFFIC_BROADCAST, /* partition to all cores */
	SIM_TRAFFIC_KINDS,
};
extern const char *const sim_traffic_name[SIM_TRAFFIC_KINDS];

/* What a thread does with a cycle, see times.c of the machine. */
enum sim_spent {
	SIM_SPENT_TC,
	SIM_SPENT_TO,
	SIM_SPENT_TW,
	SIM_SPENT_TA,
	SIM_SPENT_TU,
	SIM_SPENT_AT,
	SIM_SPENT_BA,
	SIM_SPENT_NL,
	SIM_SPENT_BACKOFF,
	SIM_SPENT_IDLE,
	SIM_SPENT_KINDS,
};

struct sim_traffic_count {
	uint64_t packets, bytes, flits;
};

/*
 * Gets what the threads do, for --check. Within an attempt the accesses of a thread come in program
 * order. Exactly one of abort and commit ends an attempt. Accesses outside transactions and
 * critical sections come with inside = false; loads of that kind are not reported. No function may
 * change the machine. All functions but the last three must be set.
 */
#define SIM_NO_PLACE UINT64_MAX
/* Added to a place: the place orders writes only; reads are ordered by the versions that they
 * read. */
#define SIM_BY_VERSION (UINT64_C(1) << 62)
/* Version of a value that the transaction has written itself. */
#define SIM_OWN_VERSION UINT32_MAX
struct sim_observer {
	void *state;
	/* version: witness of the transaction that wrote the value, 0 for none; only systems that
	 * commit with SIM_NO_PLACE or SIM_BY_VERSION set it. */
	void (*load)(void *state, uint32_t thread, uint64_t address, uint32_t value,
		     uint32_t version);
	void (*store)(void *state, uint32_t thread, bool inside, uint64_t address,
		      uint32_t value);
	void (*abort)(void *state, uint32_t thread, enum sim_abort_reason reason);
	/* The transaction has committed at this place in the system's serial order (places are
	 * unique; calls come in any order). SIM_NO_PLACE: at any place that the versions of its
	 * loads allow. SIM_BY_VERSION: as these versions and its place among the writers allow. */
	void (*commit)(void *state, uint32_t thread, uint64_t witness);
	/* An add, which belongs to no transaction, has found `old` and added `value`; a cas has
	 * changed the word. Calls come in the order in which memory performs them. NULL allowed. */
	void (*add)(void *state, uint64_t address, uint32_t old, uint32_t value);
	void (*cas)(void *state, uint64_t address);
	/* A launch has ended and left this memory; another launch begins. NULL allowed. */
	void (*launched)(void *state, const struct sim_memory *memory);
	/* Called instead of store() for a plain store under strong isolation: memory has changed.
	 * In the serial order the store comes before the transactions with this place as witness
	 * and higher ones. NULL allowed. */
	void (*placed)(void *state, uint64_t address, uint32_t value, uint64_t place);
};

#define SIM_WIDTHS 8u /* classes of active lanes: W1-4 .. W29-32 */

struct sim_result {
	uint64_t cycles; /* core cycles until the last thread ended and all was written */
	uint32_t core_mhz;
	uint64_t committed, aborted;
	uint64_t aborted_by_reason[SIM_ABORT_REASONS];
	/* Core cycles, summed over warps: in transactions, and waiting to be admitted to one. */
	uint64_t tx_exec_cycles, tx_wait_cycles;
	uint64_t spent[SIM_SPENT_KINDS]; /* core cycles, summed over lanes of warps */
	struct sim_traffic_count traffic[SIM_TRAFFIC_KINDS];
	/* of the machine itself */
	uint64_t instructions; /* warp instructions issued */
	uint64_t executed;     /* by threads: their lanes were active */
	uint64_t longer;       /* cycles of the issue slot beyond the first of each instruction */
	uint64_t empty;	       /* cycles of cores without a warp */
	uint64_t l1_hits, l1_misses; /* of loads outside of transactions */
	uint64_t l2_accesses, l2_misses, dram_bytes;
	/* of runs without a TM system */
	uint64_t width[SIM_WIDTHS]; /* instructions, by active lanes */
	uint64_t stalled; /* of longer: cycles in which accesses hold the issue slot */
	uint64_t idle, memory_idle; /* nothing to issue; and some warp waits for memory */
	uint64_t memory_instructions; /* of warps, on global memory */
	uint64_t accesses; /* coalesced */
};

/* One unit of libgputm in the machine. */
struct sim_unit_info {
	const char *role;  /* as in --set */
	uint32_t instance; /* numbered from 0 within a role */
	const struct gputm_unit *unit;
	bool idle; /* it is the one before, too: of warps without threads, and counts nothing */
};

#endif
