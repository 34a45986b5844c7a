/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SI_TM_H
#define SIM_SI_TM_H
/* The state of a snapshot isolation system; see si_tm.c. */
#include "gputm/reader_list.h"
#include "gputm/row_copier.h"
#include "gputm/timestamp_table.h"
#include "gputm/tx_log.h"
#include "gputm/version_table.h"
#include "gputm/writer_table.h"

#include "../base/slab.h"
#include "../port/port.h"

enum { SI_CLAIM = SIM_DO_SYSTEM, SI_CLAIMED, SI_VOTE, SI_WRITE, SI_WRITTEN };

enum { SI_DETECT_NONE, SI_DETECT_POST_DATING };

struct si_options {
	size_t size;
	uint32_t detection;
	uint32_t backoff, most_backoff;
	bool literal, vote;
};

struct si_config {
	struct si_options system;
	struct gputm_tx_log_config tx_log;
	struct gputm_version_table_config version_table;
	/* from here on not with the oracle */
	struct gputm_row_copier_config row_copier;
	struct gputm_writer_table_config writer_table;
	struct gputm_reader_list_config reader_list;
	struct gputm_timestamp_table_config timestamp_table;
};

/* Byte addresses of words. */
struct si_words {
	uint64_t *address;
	uint32_t count, capacity;
	bool lent; /* `address` is part of `few`, not an allocation of its own */
};

#define SI_FEW 8 /* words that most transactions do not exceed */
#define SI_NONE UINT32_MAX

/* A transaction instance, by its ID. */
struct si_tx {
	struct si_words reads, writes;
	enum { SI_IDLE, SI_RUNNING, SI_COMMITTED } state;
	uint64_t time;	   /* of its start */
	uint64_t snapshot; /* number of the last version sealed then */
	uint64_t version;  /* committed: running transactions with this snapshot need not know it */
	uint64_t held;	   /* regions in which it has a reference */
	uint8_t slot[SIM_REGIONS];
	uint32_t next; /* in the list of its version */
	uint32_t warp, lane; /* the thread that runs it, or ran it last */
};

/* What is known of a version, by its number. */
struct si_version {
	uint32_t running;   /* transactions with this snapshot */
	uint32_t committed; /* first of the transactions to be forgotten with it */
};

/* A region of the workload, and where its versions are. */
struct si_region {
	struct sim_region logical;
	uint64_t base; /* of version 0 */
	struct si_words written;	     /* in order, ever since: offsets */
	bool wants_copy, writable;
	uint32_t from, to;		     /* of the copy that runs */
	uint32_t seen[GPUTM_VERSION_TABLE_VERSIONS_MAX]; /* of these, by version; 1 more than */
};

enum si_phase {
	SI_OUTSIDE,   /* the attempt has not begun */
	SI_WAITING,   /* in the queue of those that want to begin */
	SI_INSIDE,
	SI_CLAIMING,  /* at its commit, or its end: answers to claims, or votes, are outstanding */
	SI_COMMITTING, /* in the queue for a version that can be written */
	SI_WRITING,   /* the log is on its way to the memory */
	SI_SEALING,   /* written, the version is not sealed yet */
};

struct si_warp {
	enum si_phase phase;
	uint32_t tx[SIM_MAX_LANES]; /* of the lanes in active */
	uint64_t active;	    /* transactions that run */
	uint64_t doomed;	    /* lanes that are to be aborted */
	uint64_t writers;	    /* lanes that have committed and write */
	bool failed;		    /* a lane has aborted in this attempt */
	uint8_t reason[SIM_MAX_LANES];
	uint64_t logical[SIM_MAX_LANES]; /* addresses of the load that waits */
	uint32_t place[SIM_MAX_LANES];	 /* in the order of commits */
	uint32_t claims, writes;	 /* messages without an answer; claims: votes too */
	bool voted;			 /* the commit units have been asked for their results */
	uint32_t walked;		 /* rows walked for the load that waits */
	uint32_t row;			 /* row of the log that is walked */
	uint64_t left;			 /* partitions that this row still has to be sent to */
	uint64_t physical[SIM_MAX_LANES]; /* places of its words */
};

/* Words of a commit on their way to memory. */
struct si_packet {
	uint16_t core, warp;
	uint32_t count, issued, done;
	struct {
		uint64_t address;
		uint32_t value, place;
	} word[SIM_MAX_LANES];
};

/* Numbers of warps, first in, first out; has room for all. */
struct si_line {
	uint32_t *warp;
	uint32_t head, count;
};

struct si_partition {
	struct sim_queue writes;  /* packets */
	struct sim_queue answers; /* answers to claims, at the tick when they are due */
	uint64_t write_free, table_free; /* tick */
};

struct si_graph;
struct si;

/* How conflicts are found. A guilty transaction is doomed with sim_si_doom(). begin, read,
 * may_commit and restart may be NULL: nothing to do, or yes. */
struct si_detector {
	bool instant; /* a store asks at once, without a message */
	int (*make)(struct sim_port *port);
	void (*free)(struct sim_port *port);
	void (*io)(struct sim_port *port, struct sim_io *io); /* besides units; NULL: nothing */
	int (*begin)(struct sim_port *port, uint32_t id, uint64_t stamp); /* > 0: overflow */
	/* Lane of the warp reads (writes) a word, cycles are those of the tables. */
	void (*read)(struct sim_port *port, struct si_warp *warp, uint32_t lane,
		     uint64_t address);
	uint32_t (*write)(struct sim_port *port, struct si_warp *warp, uint64_t lanes,
			  const uint64_t *address);
	bool (*may_commit)(struct sim_port *port, uint32_t id);
	/* The transaction commits into the version that is being written. @return its stamp. */
	uint64_t (*commit)(struct sim_port *port, uint32_t id);
	void (*abort)(struct sim_port *port, uint32_t id);
	void (*release)(struct sim_port *port, uint32_t id); /* ends in sim_si_give() */
	int (*restart)(struct sim_port *port);
	const char *(*left)(struct sim_port *port); /* name of what is left at the end */
};

struct si {
	const struct si_config *config;
	struct si_config made; /* what the units are made from */
	const struct si_detector *detector;
	struct gputm_tx_log **log; /* by warp of the machine */
	struct gputm_version_table *versions;
	struct gputm_row_copier *copier; /* NULL with the oracle */
	struct gputm_writer_table *writers;
	struct gputm_reader_list *readers;
	struct gputm_timestamp_table *stamps;
	struct si_graph *graph; /* of the oracle */
	struct si_warp *warp;	/* by warp of the machine */
	struct si_partition *partition;
	struct si_line *walk; /* by core: warps whose logs are walked */
	struct sim_slab packets;
	/* transactions */
	struct si_tx *tx;
	uint32_t ids;
	uint64_t (*few)[2][SI_FEW]; /* [ids]: the first words read and written */
	uint32_t *free_id; /* ring */
	uint32_t *scratch;  /* [ids] */
	struct gputm_writer_table_writer *writer_scratch; /* [ids + 1] */
	struct si_line waiting, committing, sealing;
	struct si_region region[SIM_REGIONS];
	struct si_version *version; /* ring, by number */
	uint64_t version_capacity;
	uint32_t free_head, free_count;
	uint32_t running, retained;   /* transactions */
	uint32_t inside, most_inside; /* warps between begin and end, and how many there may be */
	bool full;		      /* a table was full: nobody begins */
	bool restarting;
	/* versions */
	uint32_t regions, unwritable;
	uint64_t sealed, oldest; /* numbers; the one that is written has sealed + 1 */
	bool closing;	    /* a warp has finished writing: no other commit may join this version */
	uint32_t in_flight; /* warps whose commits are being written */
	uint64_t copied_to; /* core cycle up to which the copier has run */
	uint64_t born;	    /* tick of time 1 */
	uint64_t places;    /* in the order of commits */
	uint64_t restarts, places_before; /* the last one */
};

static inline struct si *sim_si_of(const struct sim_port *port)
{
	return port->state;
}

static inline struct si_warp *sim_si_warp(const struct sim_port *port,
					  const struct sim_warp *warp)
{
	return &sim_si_of(port)->warp[warp->number];
}

static inline uint64_t sim_si_time(const struct sim_port *port)
{
	return sim_now(port) - sim_si_of(port)->born + 1;
}

/* The version controller has something to do in the next tick. */
static inline void sim_si_poke(struct sim_port *port)
{
	sim_call_partition(port, 0, sim_now(port) + 1);
}

static inline void sim_si_line_push(const struct sim_port *port, struct si_line *line,
				    uint32_t warp)
{
	uint32_t room = port->shape.cores * port->shape.warps;

	line->warp[(line->head + line->count++) % room] = warp;
}

static inline uint32_t sim_si_line_pop(const struct sim_port *port, struct si_line *line)
{
	uint32_t room = port->shape.cores * port->shape.warps;
	uint32_t warp = line->warp[line->head];

	line->head = (line->head + 1) % room;
	line->count--;
	return warp;
}

static inline struct si_version *sim_si_version(const struct si *si, uint64_t number)
{
	return &si->version[number & (si->version_capacity - 1)];
}

/* si_doom.c: transactions that are over. */
bool sim_si_words_add(struct si_words *words, uint64_t address);
void sim_si_give(struct sim_port *port, uint32_t id);
void sim_si_leave(struct sim_port *port, uint32_t id);
void sim_si_doom(struct sim_port *port, struct si_warp *warp, uint32_t lane,
		 enum sim_abort_reason reason);
void sim_si_retire(struct sim_port *port, uint32_t id, uint64_t version);
void sim_si_reclaim(struct sim_port *port);
void sim_si_restart(struct sim_port *port);
void sim_si_look_at_time(struct sim_port *port); /* restart the clocks if it is time */

/* si_tx.c: attempts. */
bool sim_si_watch(struct sim_port *port, struct sim_warp *warp);
void sim_si_begin(struct sim_port *port, struct sim_warp *warp, bool again);
void sim_si_admit(struct sim_port *port);
void sim_si_abort_doomed(struct sim_port *port, struct sim_warp *warp);
void sim_si_over(struct sim_port *port, struct sim_warp *warp);

/* si_access.c: loads, stores and claims. */
void sim_si_load(struct sim_port *port, struct sim_warp *warp);
void sim_si_store(struct sim_port *port, struct sim_warp *warp);
void sim_si_served(struct sim_port *port, struct sim_message *message);
void sim_si_loaded(struct sim_port *port, struct sim_warp *warp);
void sim_si_plain(struct sim_port *port, struct sim_warp *warp, enum sim_op op);
void sim_si_claim(struct sim_port *port, const struct sim_message *message);
struct si_region *sim_si_region_of(struct si *si, uint64_t address);
uint64_t sim_si_place_of(const struct si_region *region, uint64_t address);

/* si_commit.c: from tx_commit until all is written. */
void sim_si_commit(struct sim_port *port, struct sim_warp *warp);
void sim_si_commit_now(struct sim_port *port, struct sim_warp *warp);
uint64_t sim_si_core_tick(struct sim_port *port, uint32_t core);
void sim_si_write(struct sim_port *port, uint32_t partition);
void sim_si_at_core(struct sim_port *port, const struct sim_message *message);
void sim_si_at_partition(struct sim_port *port, const struct sim_message *message);
void sim_si_completed(struct sim_port *port, uint32_t partition, uint64_t tag,
		      const uint32_t *value);

/* si_versions.c: copies, seals, restarts. */
int sim_si_regions_make(struct sim_port *port);
uint64_t sim_si_partition_tick(struct sim_port *port, uint32_t partition);
void sim_si_finished(struct sim_port *port);

extern const struct si_detector sim_si_post_dating, sim_si_plain_detector, sim_si_oracle;

#endif
