/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_RESOLVER_H
#define SIM_RESOLVER_H
/*
 * Conflicts within a warp, resolved at its tx_commit by the unit of its core. A warp takes a
 * buffer, is resolved, holds the buffer until the core's engine has spent its cycles on it, and is
 * given back with the lanes that must abort. A core resolves one warp after the other, its engine
 * is one; buffers decide how many warps may be in the engine or wait for it.
 */
#include "gputm/ownership_table.h"
#include "gputm/sequential_resolver.h"
#include "gputm/tx_log.h"

#include "../port/port.h"

enum { RESOLVER_NONE, RESOLVER_IDEAL, RESOLVER_2PCR, RESOLVER_SCR };

/* A warp between its tx_commit and what follows it. */
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
	uint64_t resolved;	 /* WarpTM: warps that go, or have gone, to the sequencer */
	uint8_t queue[64];	 /* warps that wait for a buffer, in order */
	uint32_t queued;
};

/* What the units are made from, and who has them. */
struct resolver_use {
	uint32_t kind;
	bool overhead; /* resolution takes time */
	const struct gputm_ownership_table_config *table;
	const struct gputm_sequential_resolver_config *sequence; /* of RESOLVER_IDEAL and _SCR */
	const struct gputm_tx_log *(*log)(const struct sim_port *port, const struct sim_warp *warp);
	/* The resolution is over, these lanes abort. */
	void (*done)(struct sim_port *port, struct sim_warp *warp, uint64_t aborted);
};

struct resolvers {
	struct resolver_use use;
	struct gputm_sequential_resolver_config exact;
	struct resolver *core;	  /* [cores] */
	struct warp_state *state; /* per warp of the machine */
	struct gputm_resolver_row *row;
	size_t rows;
};

int sim_resolvers_make(struct sim_port *port, struct resolvers *resolvers,
		       const struct resolver_use *use);
void sim_resolvers_free(struct resolvers *resolvers);
void sim_resolvers_io(struct sim_port *port, struct resolvers *resolvers, struct sim_io *io);
/* Resolve the warp, as soon as there is a buffer. */
void sim_resolver_push(struct sim_port *port, struct resolvers *resolvers, struct sim_warp *warp);
/* End the resolutions that are over. @return the tick at which the next resolution ends. */
uint64_t sim_resolver_tick(struct sim_port *port, struct resolvers *resolvers, uint32_t core);

#endif
