/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WARPTM_H
#define SIM_WARPTM_H
/* The state of a WarpTM system; see warptm.c. */
#include "gputm/first_read.h"
#include "gputm/last_written.h"
#include "gputm/ownership_table.h"
#include "gputm/sequential_resolver.h"

#include "kilo_tm.h"
#include "records.h"

enum { RESOLVER_NONE, RESOLVER_IDEAL, RESOLVER_2PCR, RESOLVER_SCR };

struct options {
	size_t size;
	uint32_t resolver;
	bool resolver_overhead;
	uint32_t isolation;
};

struct warptm_config {
	struct kilo_config kilo;
	struct options system;
	struct gputm_ownership_table_config ownership_table;
	struct gputm_sequential_resolver_config sequential_resolver;
	struct gputm_first_read_config first_read;
	struct gputm_last_written_config last_written;
};

/* A warp between its tx_commit and the sequencer. */
struct warp_state {
	uint32_t buffer;
	uint64_t due; /* tick at which its resolution is over */
	uint64_t aborted;
	bool accessed; /* accesses since the last validation (WarpTM-EL) */
};

struct resolver {
	struct gputm_ownership_table *table;
	struct gputm_sequential_resolver *sequence;
	struct warp_state *warp; /* of this core */
	uint64_t free;		 /* tick from which the engine is free */
	uint64_t resolving;	 /* warps that hold a buffer */
	uint64_t resolved;	 /* warps that go, or have gone, to the sequencer */
	uint8_t queue[64];	 /* warps that wait for a buffer, in order */
	uint32_t queued;
};

struct warptm {
	struct kilo kilo; /* first */
	const struct warptm_config *config;
	struct kilo_config kilo_config; /* what the units are made from */
	struct gputm_sequential_resolver_config exact;
	struct resolver *resolver;	   /* per core */
	struct warp_state *state;	   /* per warp of the machine */
	struct gputm_first_read **first_read;	/* per core; NULL without TCD */
	struct gputm_last_written **last_written; /* per partition; NULL without TCD */
	struct sim_records *committing; /* words by warp; NULL but in WarpTM-EL */
	struct gputm_resolver_row *row;
	size_t rows;
};

static inline struct warptm *sim_warptm_of(const struct sim_port *port)
{
	return port->state;
}

/* warptm_tcd.c: temporal conflict detection. */
int sim_tcd_make(struct sim_port *port, struct warptm *tm);
void sim_tcd_begin(struct sim_port *port, struct sim_warp *warp);
void sim_tcd_load(struct sim_port *port, struct sim_warp *warp);
void sim_tcd_served(struct sim_port *port, struct sim_message *message);
/* Read-only lanes without a conflict commit. @return the lanes that must still commit. */
uint64_t sim_tcd_commit(struct sim_port *port, struct sim_warp *warp, uint64_t lanes);

/* warptm_el.c: validation at each access. */
int sim_el_make(struct sim_port *port, struct warptm *tm);
void sim_el_free(struct warptm *tm);
void sim_el_load(struct sim_port *port, struct sim_warp *warp);
void sim_el_store(struct sim_port *port, struct sim_warp *warp);
bool sim_el_watch(struct sim_port *port, struct sim_warp *warp);
/* At the first attempt of a commit; false: all lanes have aborted. */
bool sim_el_commit(struct sim_port *port, struct sim_warp *warp);

/* warptm_resolver.c: conflicts within a warp. */
int sim_resolvers_make(struct sim_port *port, struct warptm *tm);
/* Resolve the warp: its losers abort, and the other lanes go to the sequencer. */
void sim_resolver_push(struct sim_port *port, struct sim_warp *warp);
/* End the resolutions that are over. @return the tick at which the next resolution ends. */
uint64_t sim_resolver_tick(struct sim_port *port, uint32_t core);
/* Pass the warp to the sequencer, resolved or without need for that. */
void sim_warptm_hand_over(struct sim_port *port, struct sim_warp *warp);

#endif
