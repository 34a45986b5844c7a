/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_EXPLORE_HOST_H
#define GPUTM_TESTS_EXPLORE_HOST_H
/*
 * The host that the wiring of a TM system is explored on: a few cores with a warp of one lane,
 * two partitions, and transactions that access two words in every way. See README.md.
 */
#include "examples/sim/port/port.h"
#include "examples/sim/systems/resolver.h"
#include "tests/explore/explore.h"

#define HOST_CORES 3 /* at most */
#define HOST_WORDS 2
#define HOST_PARTITIONS 2
#define HOST_COPIES 3 /* of the words, at most */

/* How a system is made small, and what of its state makes no difference. */
struct host_system {
	const struct sim_system_class *class;
	/* The units' sizes. NULL allowed, as is all that follows. */
	void (*configure)(void *config);
	/* Once all is made: take now what the wiring would take later, at places that would depend
	 * on what came first. */
	void (*prepare)(struct sim_port *port);
	/* Give what makes no difference a fixed value: counts, times, what is left of things that
	 * are over. */
	void (*tidy)(struct sim_port *port);
	/* The same for what a kind of unit saves. */
	void (*blank)(const char *kind, uint8_t *bytes, size_t size);
	/* Nothing is on its way to this warp's core but what the warp waits for; nor will be before
	 * the warp does something. */
	bool (*alone)(const struct sim_port *port, const struct sim_warp *warp);
	/* The core sends nothing to the partition before the partition has sent something. */
	bool (*waits)(const struct sim_port *port, const struct sim_warp *warp, uint32_t partition);
	/* To commit takes what cores share: that is a step of its own behind the choice. */
	bool commits_apart;
	/* Steps reach what all cores and partitions share: only replies to loads go first. */
	bool shared;
	/* A load notes when memory was written last: a core that may yet load goes before writes
	 * or after, and no partition first. */
	bool timed;
	/* tidy() has put what units of this kind and their parts hold elsewhere. */
	const char *apart;
	/* Each thing that happens takes a tick: tidy() is to make times relative. */
	bool clock;
	/* The system keeps so many copies of the words, one behind the other from there on. */
	unsigned copies;
	uint64_t copies_at;
};

/* What a step is. */
enum host_grain {
	HOST_ACCESSES, /* an access, a completion; messages arrive at once, units are quiet after */
	HOST_MESSAGES, /* the same, but each message that arrives is a step too */
	HOST_TICKS,    /* and each tick of a unit */
};

struct host_trial {
	const struct host_system *system;
	const char *set[8];   /* "unit.field=value", at most these */
	unsigned cores;	      /* with a warp each */
	unsigned lanes;	      /* of a warp, with a transaction each: 2, or 1 (or 0) */
	unsigned attempts;    /* of each; 0: any number */
	unsigned words;	      /* that they access; 0: HOST_WORDS */
	unsigned word_stride; /* bytes from a word to the next */
	enum host_grain grain;
	bool snapshots;	      /* ends are those of snapshot isolation, if not serial */
	bool plain;	      /* the last core's accesses are outside of transactions */
	bool ordered;	      /* of transactions: loads before stores, the lower word first */
	bool same;	      /* each attempt does what the one before did; one lane */
	bool split;	      /* core 0 only stores, the others only load */
	bool reduce;	      /* leave out orders that make no difference (README.md) */
	bool unnamed;	      /* ends are one if they differ in which core did what; one lane */
	bool in_order;	      /* the same, and a core begins once those before have; one attempt */
	bool whole;	      /* do not tidy: more states, the same ends */
	bool circles;	      /* a fair run may go on for ever */
	const char *seen;     /* a statistic that must count something somewhere, or NULL */
	bool reload;	      /* load each unit's snapshot in each state, and save it again */
	const struct local_trial *local; /* of local memory: all else is unused */
	const struct block_trial *block; /* the same of compacted warps */
	const struct former_trial *former; /* of warps that are formed anew */
	const struct hetm_trial *hetm;   /* of rounds of HeTM */
};

/* Explore within the bounds; the chart of what is wrong goes to `out`, if not NULL. */
struct explore_result host_explore(const struct host_trial *trial, struct explore_bounds bounds,
				   FILE *out);

/* ---- for tidy() ---- */
/* A queue begins at its first place and has nothing else in it; room for 16 messages. */
void host_tidy_queue(struct sim_port *port, struct sim_queue *queue);
/* A ring of `room` numbers, 16 at most, begins at its first place and has nothing else in it. */
void host_tidy_line(uint32_t *item, uint32_t *head, uint32_t count, uint32_t room);
/* Free blocks are zero, and the lowest is taken first. */
void host_tidy_slab(struct sim_slab *slab);
/* Room for 16 rows of logs, in prepare(); warps that do not resolve are zero. */
void host_prepare_resolvers(struct resolvers *resolvers);
void host_tidy_resolvers(struct sim_port *port, struct resolvers *resolvers);

#endif
