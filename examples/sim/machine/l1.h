/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_L1_H
#define SIM_L1_H
/*
 * Between a core of a machine, of both kinds, and the crossbar: an L1 for plain loads, if the
 * machine has one. A line is in its set from the miss on; a warp that loads the line while the
 * request is on its way waits for the same reply. A store or an atomic of the core removes the
 * line, as for global data on Fermi. Values are elsewhere: the L1 knows addresses.
 */
#include "../base/slab.h"
#include "../port/port.h"
#include "cache.h"

#define SIM_NOBODY UINT32_MAX

/* Somebody who waits for a reply; a reply carries the number of its first waiter. */
struct sim_waiter {
	uint32_t next; /* first: in a free waiter the other fields keep their old values */
	uint32_t warp;	 /* of the core; or SIM_NOBODY */
	uint32_t thread; /* or anything else, for the core's use */
};

struct sim_l1 {
	struct sim_cache cache; /* without lines: there is no L1 */
	struct sim_slab waiters;
};

enum sim_l1_answer {
	SIM_L1_HERE,
	SIM_L1_JOINED, /* the warp waits for a request that is on its way */
	SIM_L1_MISSED, /* the warp waits for a request that is to be sent, with *first */
};

/* 0 or -ENOMEM. 0 bytes: no L1. */
int sim_l1_make(struct sim_l1 *l1, uint32_t bytes, uint32_t ways, uint64_t line_bytes);
void sim_l1_free(struct sim_l1 *l1);
/* Warps and threads that wait are below these bounds. */
void sim_l1_io(struct sim_l1 *l1, uint32_t warps, uint64_t threads, struct sim_io *io);
/* A message of a state that is loaded names the first waiter. */
void sim_l1_claim(const struct sim_l1 *l1, struct sim_io *io, uint32_t first);

/* Add a waiter after those at `first`; SIM_NOBODY: there are none. @return the first one, or
 * SIM_NOBODY when the run has failed. */
uint32_t sim_l1_await(struct sim_l1 *l1, struct sim_port *port, uint32_t warp, uint32_t thread,
		      uint32_t first);
enum sim_l1_answer sim_l1_load(struct sim_l1 *l1, struct sim_port *port, uint64_t address,
			       uint32_t warp, uint32_t thread, uint32_t *first);
void sim_l1_remove(struct sim_l1 *l1, uint64_t address);
/* The line of the reply is here. */
void sim_l1_arrives(struct sim_l1 *l1, uint64_t address, uint32_t first);
/* Take the first of these waiters; false: there is none. */
bool sim_l1_next(struct sim_l1 *l1, uint32_t *first, struct sim_waiter *out);

/* Send a request of a core for the words of one line: message has the core, what is asked, and
 * what else the receiver needs. A load brings the sectors of its words, or a line for the L1. */
void sim_l1_send(struct sim_port *port, struct sim_message *message, enum sim_op op,
		 const struct gputm_access_coalescer_access *wide, uint32_t line_bytes);

#endif /* SIM_L1_H */
