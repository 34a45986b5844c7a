/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_GETM_H
#define SIM_GETM_H
/* The state of a GETM system; see getm.c. */
#include <stddef.h>

#include "gputm/commit_buffer.h"
#include "gputm/tx_log.h"
#include "gputm/validation_unit.h"
#include "gputm/warp_access_filter.h"
#include "gputm/warp_clock.h"

#include "../base/slab.h"
#include "../port/port.h"
#include "resolver.h"

#define GETM_HEADER_BYTES 8

/* Kinds of messages. */
enum {
	GETM_ACCESS = SIM_DO_SYSTEM, /* c: index of a struct getm_access */
	GETM_RESERVED,	 /* a: time to report; b, d, e: lanes that failed, by enum getm_failure */
	GETM_LOG,	 /* c: index of a struct getm_packet */
	GETM_ROLL,	 /* to a core: roll over */
	GETM_ROLLED,	 /* from a core: the core has rolled over */
	GETM_RESUME,	 /* to a core: all validation units have rolled over */
	GETM_WRITTEN,	 /* to a core: so many words of a warp's logs are released (a) */
};

/* How an access of a lane can fail at a validation unit; these are abort reasons. */
enum getm_failure { GETM_CONFLICT, GETM_ESTIMATED, GETM_CAPACITY, GETM_STOPPED, GETM_FAILURES };

/* How conflicts within a warp are found. */
enum { GETM_AT_ACCESS, GETM_AT_COMMIT };

struct getm_options {
	size_t size;
	bool commit_ack;
	bool resolver_overhead;
	uint32_t resolver; /* enum above */
};

struct getm_config {
	struct getm_options system;
	struct gputm_tx_log_config tx_log;
	struct gputm_warp_clock_config warp_clock;
	struct gputm_warp_access_filter_config warp_access_filter;
	struct gputm_validation_unit_config validation_unit;
	struct gputm_commit_buffer_config commit_buffer;
	struct gputm_ownership_table_config ownership_table;
};

/* The accesses of a warp's instruction to one line, on their way through the validation unit. */
struct getm_access {
	uint64_t line; /* its first byte */
	uint64_t time; /* time to be reported */
	uint32_t lanes, leads, granted; /* leads: lanes that ask, the others share their answer */
	uint32_t failed[GETM_FAILURES];
	uint32_t left; /* answers outstanding */
	uint32_t warp; /* GPU-wide */
	uint32_t row;  /* of the write log, if write */
	uint8_t core, index; /* of the warp */
	bool write;
	uint8_t word[SIM_MAX_LANES]; /* of the line */
	uint8_t unused[5]; /* 0: a saved state has no byte that nobody sets */
};
_Static_assert(sizeof(struct getm_access) ==
		       offsetof(struct getm_access, unused) +
			       sizeof(((struct getm_access *)0)->unused),
	       "an access has no padding");

/* A row of a write log, or the words of a row to be cleaned up, for one partition. */
struct getm_packet {
	uint64_t sequence;
	uint32_t warp, count;
	bool cleanup;
	struct {
		uint64_t address;
		uint32_t value;
	} entry[SIM_MAX_LANES];
};

enum getm_phase {
	GETM_RUNNING,
	GETM_LOADING,	 /* waits for replies of a load */
	GETM_COMMITTING, /* at tx_commit; waits for the answers to its stores */
	GETM_DYING,	 /* has no lane left; waits for the answers, too */
	GETM_OVER,	 /* with commit_ack: waits until the writes of its logs are released */
};

struct getm_warp {
	struct gputm_tx_log *log; /* writes, and with GETM_AT_COMMIT reads */
	uint32_t *granted;	  /* per row of the log, the lanes that have reserved */
	uint32_t granted_rows;
	/* state, as is what has been granted */
	uint64_t sequence;	  /* number of the attempt */
	uint64_t time;		  /* of the attempt, once it has begun */
	uint64_t place, order;	  /* last witness: its time, and commits at that time */
	uint64_t report;	  /* largest time reported by the load's aborts */
	uint32_t failed[GETM_FAILURES]; /* lanes to abort */
	uint32_t load_failed[GETM_FAILURES];
	uint32_t aborted; /* lanes aborted in this attempt */
	uint32_t rows;	  /* of the log walked by the load */
	uint32_t reserving; /* store messages not yet answered */
	uint64_t logged; /* with commit_ack: words sent of its logs and not released */
	uint64_t tick;	 /* then it may continue from this tick on */
	enum getm_phase phase;
	bool begun; /* has read the clock */
};

struct getm_core {
	struct gputm_warp_clock *clock;
	struct gputm_warp_clock_config config; /* with a seed of its own */
	struct gputm_warp_access_filter *filter; /* NULL with GETM_AT_COMMIT */
	/* state */
	uint64_t walker_free; /* tick from which the log may be walked */
	uint64_t held;	      /* warps that wait for the rollover's end */
	uint32_t begun;	      /* warps in an attempt that has begun */
	uint8_t leader;	      /* partition that asked for the rollover */
	bool rolling, rolled;
};

struct getm_partition {
	struct gputm_validation_unit *unit;
	struct gputm_validation_unit_config config;
	struct gputm_commit_buffer *buffer;
	/* state */
	struct sim_queue accesses;	   /* messages not yet handed over to the unit completely */
	struct sim_queue logs;		   /* the same for the buffer */
	uint32_t *unreleased; /* by GPU-wide warp: words of its logs that came and are not done */
	uint32_t *unsaid;     /* the same: words that are done, without the core knowing */
	struct sim_queue plain; /* accesses outside transactions that wait for these */
	uint64_t unit_ticks, buffer_ticks; /* ticks that the two have done */
	uint64_t unit_counted, buffer_counted; /* ticks that their statistics count at the end */
	uint64_t unit_due; /* tick of the next event; UINT64_MAX: waits for input */
	uint32_t issuing; /* the buffer has a block to issue in its next tick */
	uint32_t full; /* the unit's port was full before its last tick: now it has room for one */
	uint32_t pushed;		   /* lanes of the first access that are in the port */
	uint32_t entries;		   /* words of the first log that are in the buffer */
};

struct getm {
	struct getm_config config; /* what the units are made from */
	struct getm_warp *warp;	   /* by GPU-wide number */
	struct getm_core *core;
	struct getm_partition *partition;
	struct resolvers resolvers; /* of GETM_AT_COMMIT */
	struct sim_slab access, packet;
	uint32_t unit_ticks; /* period of the validation units */
	uint32_t granule_shift; /* words of a granule, log 2 */
	uint32_t acks;	     /* of cores, that a rollover still waits for */
	bool rolling;
	bool ring; /* a unit has left the running state, once */
	/* Places in the serial order: (time over all epochs, warp, order, lane). */
	uint64_t base;	 /* times of earlier epochs */
	uint64_t latest; /* time of a commit of this epoch */
	uint32_t lane_bits, warp_bits;
};

static inline struct getm *sim_getm_of(const struct sim_port *port)
{
	return port->state;
}

static inline struct getm_warp *sim_getm_warp(const struct sim_port *port,
					      const struct sim_warp *warp)
{
	return &sim_getm_of(port)->warp[warp->number];
}

/* getm.c: the attempts of warps. */
void sim_getm_begin(struct sim_port *port, struct sim_warp *warp, bool again);
void sim_getm_load(struct sim_port *port, struct sim_warp *warp);
void sim_getm_loaded(struct sim_port *port, struct sim_warp *warp);
void sim_getm_store(struct sim_port *port, struct sim_warp *warp);
void sim_getm_commit(struct sim_port *port, struct sim_warp *warp);
/* The reservations of a store message have been answered. */
void sim_getm_reserved(struct sim_port *port, const struct sim_message *message);
/* Words of a warp's logs are released. */
void sim_getm_written(struct sim_port *port, const struct sim_message *message);
/* The conflicts within a warp that commits are resolved: these lanes abort. */
void sim_getm_resolved(struct sim_port *port, struct sim_warp *warp, uint64_t lost);
/* Abort all lanes of a warp that waits for nothing. */
void sim_getm_kill(struct sim_port *port, struct sim_warp *warp);

/* getm_send.c */
/* Send the accesses of mask to the validation units. */
void sim_getm_send(struct sim_port *port, struct sim_warp *warp, bool write, uint64_t mask);
/* Send the write log of these lanes to the commit buffers, to be written or cleaned up. */
void sim_getm_send_log(struct sim_port *port, struct sim_warp *warp, uint64_t lanes,
		       bool cleanup);
/* An attempt of this core has ended: if no other attempt runs, the core has rolled over. */
void sim_getm_calm(struct sim_port *port, uint32_t core);

/* getm_wires.c: messages that arrive, and the units beside a partition. */
void sim_getm_at_partition(struct sim_port *port, const struct sim_message *message);
void sim_getm_at_core(struct sim_port *port, const struct sim_message *message);
void sim_getm_completed(struct sim_port *port, uint32_t partition, uint64_t tag,
			const uint32_t *value);
uint64_t sim_getm_partition_tick(struct sim_port *port, uint32_t partition);
/* Add the cycles of idle units to their statistics: all cycles in which their partition was
 * called. */
void sim_getm_count(struct sim_port *port);

/* getm_plain.c */
/* Hold back a plain access that must follow what its warp has committed before. */
bool sim_getm_hold_plain(struct sim_port *port, const struct sim_message *message);
/* Plain accesses that waited for words now released go to the L2, in their order. */
void sim_getm_let_plain_go(struct sim_port *port, struct getm_partition *partition);
/* Is a plain store of the access's warp, from before its transaction, still on its way to the
 * L2? */
bool sim_getm_behind_plain(struct sim_port *port, const struct getm_access *access,
			   uint32_t partition);

/* getm_rollover.c */
/* Pass the messages of the ring to this unit, and do what follows from them. */
void sim_getm_ring(struct sim_port *port, uint32_t partition);
void sim_getm_roll(struct sim_port *port, const struct sim_message *message);
void sim_getm_rolled(struct sim_port *port, const struct sim_message *message);
void sim_getm_resume(struct sim_port *port, const struct sim_message *message);
/* Stop a warp that would issue while its core rolls over. */
bool sim_getm_hold(struct sim_port *port, struct sim_warp *warp);

#endif
