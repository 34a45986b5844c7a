/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KILO_TM_H
#define SIM_KILO_TM_H
/* The state of a Kilo TM system; see kilo_tm.c. */
#include "gputm/commit_id.h"
#include "gputm/commit_sequencer.h"
#include "gputm/commit_unit.h"
#include "gputm/recency_bloom.h"
#include "gputm/tx_log.h"

#include "../base/slab.h"
#include "../port/port.h"
#include "logs.h"

/* What a message contains; a log message of few words has a small block. */
enum { PACKET_SMALL = SIM_DO_SYSTEM, PACKET_LARGE, REPORT };

#define SMALL_WORDS 6
#define SMALL_BYTES                                                                                \
	(sizeof(struct gputm_commit_unit_message) -                                                \
	 (GPUTM_COMMIT_UNIT_WORDS_MAX - SMALL_WORDS) * sizeof(struct gputm_commit_unit_word))

enum { ISOLATION_WEAK, ISOLATION_STRONG };
enum { BACKOFF_FROM_END, BACKOFF_FROM_OUTCOME };

struct kilo_options {
	size_t size;
	uint32_t isolation, backoff_from;
};

struct kilo_config {
	struct gputm_tx_log_config tx_log;
	struct gputm_commit_id_config commit_id;
	struct gputm_commit_sequencer_config commit_sequencer;
	struct gputm_commit_unit_config commit_unit;
	struct kilo_options system;
	struct gputm_recency_bloom_config isolation;
};

/* The watchdog that checks a warp. */
struct kilo_watch {
	bool on;
	bool passed; /* the check has just ended: the next instruction is due */
	uint32_t row;
	uint64_t looked_at;		/* tick of the last check, from which the watchdog counts */
	uint64_t wrong;			/* lanes that found another value */
	uint64_t lanes;			/* lanes whose logs are read */
	uint32_t loaded[SIM_MAX_LANES]; /* the program's registers, restored afterwards */
};

struct kilo_core {
	struct gputm_commit_sequencer *sequencer;
	struct gputm_commit_sequencer_config config;
	uint64_t ticks;		  /* done by the sequencer */
	struct sim_queue refused; /* resend requests that found no room in the sequencer */
	bool short_of_credits;
};

struct kilo_partition {
	struct gputm_commit_unit *unit;
	uint64_t ticks;		  /* done by the unit */
	struct sim_queue waiting; /* packets refused by a full port */
	struct sim_queue resent;
	/* strong isolation */
	struct gputm_recency_bloom *recent; /* NULL: weak */
	struct sim_queue held;		    /* plain accesses; due: what CIDs are to retire */
};

struct kilo {
	const struct kilo_config *config;
	struct gputm_tx_log **log; /* by warp of the machine */
	uint32_t *walked;	   /* rows walked for the load that waits */
	struct kilo_watch *watch;
	struct gputm_commit_id *vendor;
	struct kilo_core *core;
	struct kilo_partition *partition;
	uint64_t *floor;      /* by warp: CIDs below it come before its next plain access */
	uint32_t impatient;   /* kept accesses; while there are any, no CIDs are given */
	struct sim_slab small, large; /* packets on their way */
	uint64_t empty;		      /* transactions that needed no CID so far */
	uint8_t *owner;		      /* core of a warp, by its first CID modulo owners */
	uint64_t owners;	      /* a power of two, no less than the ring */
	/* NULL unless back-off counts from outcomes: the warp of the core by its first CID modulo
	 * owners, and by warp of the machine when a verdict of failed lanes last left the core. */
	uint8_t *holder;
	uint64_t *failed_at;
	bool at_once; /* validation, outcomes and verdicts take no message and no time */
	/* Called for each write of a commit unit when the L2 serves it; NULL for none. */
	void (*wrote)(struct sim_port *port, uint32_t partition,
		      const struct gputm_mem_request *request);
	/* Called for each message that a commit unit has accepted, and for each report that it
	 * sends; NULL for none. */
	void (*accepted)(struct sim_port *port, uint32_t partition,
			 const struct gputm_commit_unit_message *packet);
	void (*reported)(struct sim_port *port, uint32_t partition,
			 const struct gputm_commit_unit_report *report);
	/* Called when the commit of a warp is over; NULL for none. */
	void (*finished)(struct sim_port *port, const struct sim_warp *warp);
};

/*
 * kilo_tm.c. A system built on Kilo TM has a struct kilo first in its state and a struct
 * kilo_config first in its config. sim_kilo_make() takes over the zeroed state, and makes
 * units from a config that outlives the machine.
 */
int sim_kilo_make(struct sim_port *port, struct kilo *kilo,
		  const struct kilo_config *config);
void sim_kilo_free(struct sim_port *port);
void sim_kilo_io(struct sim_port *port, struct sim_io *io);
void sim_kilo_check(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		    struct sim_io *io);
void sim_kilo_init(void *config, const struct sim_shape *shape);
void sim_kilo_load(struct sim_port *port, struct sim_warp *warp);
void sim_kilo_store(struct sim_port *port, struct sim_warp *warp);
void sim_kilo_loaded(struct sim_port *port, struct sim_warp *warp);
bool sim_kilo_watch(struct sim_port *port, struct sim_warp *warp);
/* The roles that all such systems begin with. */
#define SIM_KILO_ROLES                                                                         \
	SIM_ROLE(struct kilo_config, tx_log),                                                  \
	SIM_ROLE(struct kilo_config, commit_id),                                               \
	SIM_ROLE(struct kilo_config, commit_sequencer),                                        \
	SIM_ROLE(struct kilo_config, commit_unit)
/* Ties of their fields, and fields that are not used. */
#define SIM_KILO_TIES                                                                          \
	{ "commit_unit.ring", "commit_id.ring" },                                              \
		{ "commit_unit.first_cid", "commit_id.first_cid" }
#define SIM_KILO_UNUSED                                                                        \
	SIM_LOG_UNUSED,                                                                        \
		{ "commit_unit.pending_block", "no table asks for pending writes", NULL },     \
		{ "commit_unit.pending_entries", "no table asks for pending writes", NULL }
bool sim_kilo_settle(void *config, const struct sim_given *given, char *error, size_t size);

/* kilo_strong.c */
/* Cores that were short of credits try again in the next cycle. */
void sim_kilo_ask_again(struct sim_port *port);
void sim_strong_init(struct gputm_recency_bloom_config *filter);
int sim_strong_make(struct sim_port *port, struct kilo *kilo);
/* Transactions have read or written these words. */
void sim_strong_note(struct sim_port *port, struct kilo_partition *partition,
		     const struct gputm_commit_unit_message *packet);
/* CIDs have retired: accesses that waited for them go to the L2. */
void sim_strong_release(struct sim_port *port, struct kilo_partition *partition);
bool sim_strong_keep(struct sim_port *port, struct sim_message *message, uint32_t words);
/* The rows that all have; options is the struct that has them. */
#define SIM_KILO_ROWS(options)                                                                 \
	{ "isolation", (uint32_t)offsetof(struct options, isolation), sizeof(uint32_t),        \
	  ISOLATION_WEAK, ISOLATION_STRONG, ISOLATION_WEAK, false,                             \
	  "strong: accesses outside transactions are ordered with them, too",                  \
	  "thesis 8.2.2", sim_strong_names },                                                  \
	{ "backoff_from", (uint32_t)offsetof(struct options, backoff_from), sizeof(uint32_t),  \
	  BACKOFF_FROM_END, BACKOFF_FROM_OUTCOME, BACKOFF_FROM_END, false,                     \
	  "from when back-off counts: the end of the warp's commit, or its last failed lane's " \
	  "outcome", "released simulator: outcome", sim_backoff_names }
extern const char *const sim_strong_names[], *const sim_backoff_names[];

/* kilo_wires.c */
/* The lanes in fail run again after their back-off, of which so many core cycles are over. */
void sim_kilo_end_attempt(struct sim_port *port, struct sim_warp *warp, uint64_t fail,
			  uint64_t over);
void sim_kilo_commit(struct sim_port *port, struct sim_warp *warp);
void sim_kilo_at_core(struct sim_port *port, const struct sim_message *message);
void sim_kilo_at_partition(struct sim_port *port, const struct sim_message *message);
void sim_kilo_completed(struct sim_port *port, uint32_t partition, uint64_t tag,
			const uint32_t *value);
uint64_t sim_kilo_core_tick(struct sim_port *port, uint32_t core);
uint64_t sim_kilo_partition_tick(struct sim_port *port, uint32_t partition);

/* What all such systems do alike. */
#define SIM_KILO_OPS                                                                           \
	.store = sim_kilo_store, .loaded = sim_kilo_loaded, .watch = sim_kilo_watch,           \
	SIM_KILO_MESSAGES
#define SIM_KILO_MESSAGES                                                                      \
	.at_partition = sim_kilo_at_partition, .at_core = sim_kilo_at_core,                    \
	.completed = sim_kilo_completed, .partition_tick = sim_kilo_partition_tick,            \
	.keep = sim_strong_keep, .check = sim_kilo_check

#endif
