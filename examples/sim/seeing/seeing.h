/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SEEING_H
#define SIM_SEEING_H
/*
 * Looking at a run. This module combines the attempts of warps, which the port reports, with the
 * events of units: who ran when, in which stage, who lost against whom, at which access of which
 * unit. Sinks turn this into output, such as a trace for Perfetto. The run itself does not change.
 *
 * Units are observed and the port tells only from the first to the last tick of the window. What
 * was before is not known: a winner that acted before has no name. Of an attempt that is under way
 * the port knows when it began, and how often its transaction was tried before.
 */
#include "../base/table.h"
#include "../machine/machine.h"
#include "../port/port.h"

#define SEEN_NONE UINT32_MAX
#define SEEN_LANES 64 /* of a warp, at most */
#define SEEN_NAME 200 /* bytes of the name of a word, at most */

/* An attempt of a warp; struct seeing holds attempts by number. */
struct seen_attempt {
	uint64_t begin, end; /* ticks; SIM_NEVER: still running */
	uint32_t warp, number; /* number: of the warp's transaction, from 1 */
	uint64_t committed; /* lanes, when it has ended */
};

/* Who did something, and when. */
struct seen_actor {
	uint64_t tick;
	uint32_t attempt; /* SEEN_NONE: not known */
	uint32_t thread : 26, lane : 6; /* small: tables of words have two of them each */
};

/* Why a lane aborts, as far as known. */
struct seen_loss {
	const char *how;  /* what happened, as the begin of a sentence; NULL: not known */
	const char *role; /* the unit that found the conflict; NULL: the core itself */
	const char *wait; /* what it waited for, or NULL */
	uint64_t address, tick;
	uint64_t from, to; /* ticks between which it waited last; at wait_at */
	uint64_t wait_at;
	uint32_t instance;
	bool has_address;
	struct seen_actor winner, holder; /* holder: for whom it waited */
};

struct seen_warp {
	uint64_t since;	  /* tick at which the stage began */
	uint64_t begin;	  /* tick at which the attempt begins; may be in the future */
	uint32_t attempt; /* SEEN_NONE: no attempt */
	uint32_t number;  /* of the attempt that ran last, in its transaction */
	uint64_t lanes, committed, aborted;
	uint8_t stage;	  /* enum sim_stage */
	bool again;	  /* the next attempt is of the same transaction */
};

/* The accesses of a warp's lanes in its attempt, in order. */
struct seen_accesses {
	uint32_t count, capacity;
	struct seen_access {
		uint64_t address, tick;
		uint8_t lane;
		bool write;
	} *one;
};

struct seeing;

/* An observed unit. */
struct seen_tap {
	struct seeing *see;
	const struct gputm_unit *unit;
	const char *role;
	uint32_t instance;
	size_t index; /* among the units of the run */
	void (*event)(struct seeing *see, const struct seen_tap *tap,
		      const struct gputm_event *event); /* NULL: the system does not need it */
	bool told; /* sinks get all its events */
	size_t gauge, gauges; /* its gauges: the first one, and how many */
};

/* Lanes that lost for the same cause; the fields are those of the first lane. */
struct seen_abort {
	uint32_t warp;
	uint32_t thread; /* of the lowest lane */
	uint64_t lanes, tick;
	enum sim_abort_reason reason;
	const struct seen_loss *loss;
};

/* A gauge of a unit. */
struct seen_gauge {
	const struct gputm_unit *unit;
	const char *role;
	uint32_t instance;
	size_t stat;
	uint64_t value; /* last seen */
};

/* What a slice is, besides the stages of attempts. A commit began before the window, so that
   nothing has told its stage. */
enum seen_slice { SEEN_BACKOFF = SIM_STAGES, SEEN_LEAVE, SEEN_ADMISSION, SEEN_COMMIT, SEEN_SLICES };

/* A sink: turns what is observed into output. NULL for calls that it does not need. */
struct seen_sink {
	struct seen_sink *next;
	/* A slice from tick `from` to tick `to`; the kind may also be an enum sim_stage. */
	void (*slice)(struct seen_sink *sink, uint32_t warp, enum seen_slice kind, uint64_t from,
		      uint64_t to);
	void (*attempt)(struct seen_sink *sink, const struct seen_warp *warp,
			const struct seen_attempt *attempt);
	/* Aborts of lanes of one warp, at the same time and for the same reason. */
	void (*abort)(struct seen_sink *sink, const struct seen_abort *abort, size_t aborts);
	void (*gauge)(struct seen_sink *sink, const struct seen_gauge *gauge, uint64_t tick);
	void (*event)(struct seen_sink *sink, const struct seen_tap *tap,
		      const struct gputm_event *event);
	/* An event of a unit that has gauges. */
	void (*change)(struct seen_sink *sink, const struct seen_tap *tap);
	/* The window begins, and ends. */
	void (*begin)(struct seen_sink *sink);
	void (*close)(struct seen_sink *sink);
	/* The run has ended. */
	void (*end)(struct seen_sink *sink);
	/* Called when this tick is due, within the window, before anything of that tick happens. */
	void (*look)(struct seen_sink *sink);
	uint64_t due;
};

typedef void (*seen_event_fn)(struct seeing *see, const struct seen_tap *tap,
			      const struct gputm_event *event);

/* The parts of observing that depend on the TM system. */
struct seen_system {
	const char *stage[SIM_STAGES]; /* names of its own; NULL: the usual names */
	int (*make)(struct seeing *see);
	void (*free)(struct seeing *see);
	/* Events of units of this role; NULL-ended. */
	struct seen_role {
		const char *role;
		seen_event_fn event;
	} role[6];
	/* NULL: that of the port's warp. */
	uint32_t (*thread)(const struct seeing *see, uint32_t warp, uint64_t lane);
	/* Lanes of the warp abort: called last, to find the reason. */
	void (*explain)(struct seeing *see, uint32_t warp, uint64_t lanes,
			enum sim_abort_reason reason);
};


/* The last access to a word. */
struct seen_word {
	struct seen_actor writer;
	uint64_t wtime, rtime;
	struct seen_actor reader;
};

struct seen_words {
	struct sim_table table;
	struct seen_word *word; /* by the number of its key */
	size_t room;
};

struct seeing {
	struct sim_port *port;
	const struct seen_system *system;
	void *state; /* the system's */
	struct sim_seer seer;
	struct sim_look look;
	struct seen_sink *sinks;
	uint64_t from, to; /* ticks of the window */
	uint64_t period;   /* ticks between two looks at the gauges */
	bool on, starved;
	bool opened; /* the window has begun */
	uint64_t opened_at; /* tick */
	bool warps_told;  /* attempts are asked for */
	bool warps_shown; /* by traces and dumps, too */
	struct seen_warp *warp;
	struct seen_loss *loss; /* [warps][SEEN_LANES] */
	uint32_t warps;
	struct seen_attempt *attempt;
	uint32_t attempts, attempt_capacity;
	struct seen_tap *tap;
	size_t taps;
	struct seen_gauge *gauge;
	size_t gauges;
	uint64_t next; /* tick of the next sample of the gauges */
	struct seen_words words; /* in systems without units that report them */
};

/* What to observe. */
struct seeing_request {
	uint64_t from, to; /* cycles; to: SIM_NEVER for the whole run */
	const char *only;  /* roles, or NULL */
	bool happenings;   /* attempts, gauges and events are asked for */
	bool losses;	   /* attempts are, whatever `only` names */
	bool changes;	   /* of units with gauges, too */
	const struct seen_system *system;
};

/*
 * Start to observe the run of this port, before it runs, with the sinks that have been added. The
 * run's options must have the address of see->look, which seeing_init() sets. 0; -EINVAL, an
 * unknown role, with the reason on stderr; -ENOMEM.
 */
void seeing_init(struct seeing *see);
int seeing_attach(struct seeing *see, struct sim_port *port, const struct seeing_request *request);
/* After the run: ends what is open. 0, or -ENOMEM: the record is incomplete. */
int seeing_end(struct seeing *see);
void seeing_free(struct seeing *see);

/* ---- for systems and sinks ---- */

static inline struct seen_loss *seen_loss_of(struct seeing *see, uint32_t warp, uint64_t lane)
{
	return &see->loss[warp * SEEN_LANES + lane];
}

/* The lane of this warp, as the one that acts now. */
struct seen_actor seen_actor_of(const struct seeing *see, uint32_t warp, uint64_t lane);
/* The warp reaches that stage at that tick, now or earlier. */
void seen_stage(struct seeing *see, uint32_t warp, enum sim_stage stage, uint64_t tick);
/* The lane accesses that address now. */
void seen_accessed(struct seeing *see, struct seen_accesses *list, uint64_t lane, uint64_t address,
		   bool write);
/* Is the attempt that acted still running? */
bool seen_running(const struct seeing *see, const struct seen_actor *actor);
/* Of an enum sim_stage or seen_slice. */
const char *seen_slice_name(const struct seeing *see, unsigned kind);

/* The word as the kernel's text spells it, or its address. */
void seen_name_word(const struct seeing *see, uint64_t address, char *name, size_t size);

extern const struct seen_system seen_kilo, seen_getm, seen_si, seen_local;
/* systems.c: what is particular to the system of this port. */
const struct seen_system *seen_system_of(const struct sim_port *port);

/* The core or partition of a unit, by its name. */
enum seen_place { SEEN_GPU, SEEN_CORE, SEEN_PARTITION };
enum seen_place seen_place_of(const struct gputm_unit *unit, uint32_t *number);

/* ---- words ---- */

/* NULL if out of memory, or if the word is absent and `add` is false. */
struct seen_word *seen_word_at(struct seen_words *words, uint64_t key, bool add);
void seen_words_free(struct seen_words *words);

#endif
