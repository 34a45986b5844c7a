/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H
#define GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H
/*
 * Layout of the commit unit, shared by its files, each of which calls only those after it:
 * commit_unit.c (face, reports), commit_unit-clock.c (a cycle), commit_unit-input.c
 * (messages), commit_unit-logs.c (words to buffers), commit_unit-hazard.c (words to the
 * history), commit_unit-stages.c (what entries go through), commit_unit-memory.c (ports);
 * below all are commit_unit-can.h (whether a step can be taken), commit_unit-moves.h (what
 * every entry does) and commit_unit-queue.c (words by region). Beside them:
 * commit_unit-judge.c (pushing), commit_unit-snapshot.c, commit_unit-check.c.
 *
 * Mutants. A test builds these files with -DGPUTM__MUTANT and defines
 * gputm__mutant_now; the unit then errs as that number says, and the properties of
 * thesis chapter 5 must notice. In the library all of them are the constant false.
 */
#include "gputm/commit_unit.h"
#include "gputm/last_writer.h"
#include "lib/base/unit.h"

enum gputm__mutants {
	GPUTM__MUTANT_NONE,
	GPUTM__MUTANT_EQUAL_RCID,    /* a writer with CID = RCID is no hazard */
	GPUTM__MUTANT_EARLY,	     /* revalidate when the entry before YCID has retired */
	GPUTM__MUTANT_NO_HAZARD,     /* look nothing up */
	GPUTM__MUTANT_DISORDER,	     /* write as soon as the own verdict is in (scalar mode) */
	GPUTM__MUTANT_FORGET_SKIP,   /* ignore the skips in a message */
	GPUTM__MUTANT_DROP_RESEND,   /* never send the request for a log */
	GPUTM__MUTANTS,
};
#ifdef GPUTM__MUTANT
extern unsigned gputm__mutant_now;
#define gputm__mutant(number) (gputm__mutant_now == (number))
#else
#define gputm__mutant(number) false
#endif

#define GPUTM__NONE UINT32_MAX
#define GPUTM__LATE GPUTM__END_OF_TIME /* from this cycle on none is noted, lest it wrap */

/* Marks of a ring slot. */
enum {
	GPUTM__LAST = 1,     /* last CID of its warp: retiring it reports the warp */
	GPUTM__WAITED = 2,   /* some entry waits for its retirement */
	GPUTM__BODY = 4,     /* its entry struct is in use: no mere skip */
	GPUTM__ANSWERED = 8, /* the end of the log asked for has been pushed */
	GPUTM__HOLDS = 16    /* a skip with buffers (policy all) */
};

/* The hot part of a ring entry; all that a skip ever touches. */
struct gputm__commit_slot {
	uint8_t stage, mark;
	uint8_t lane, lanes; /* place in its warp; lanes 0: named by no message yet */
};

/* Flags of an entry. */
enum {
	GPUTM__OVERFLOW = 1,   /* << log kind: that log is not (wholly) in its buffer */
	GPUTM__FAILED = 4,     /* a comparison of the last validation failed */
	GPUTM__HAZARDOUS = 8,  /* must revalidate */
	GPUTM__WOKEN = 16,     /* YCID has retired */
	GPUTM__AGAIN = 32,     /* has begun its revalidation */
	GPUTM__COMMITTED = 64, /* its writes have been issued */
	GPUTM__COUNTED = 128   /* its write-set is in the table of write_pending() */
};

struct gputm__commit_entry {
	uint64_t rcid, ycid;
	uint64_t since;	     /* cycle in which the present stage began */
	uint32_t link;	     /* next entry of the list it is in */
	uint32_t waiters, waiters_last; /* entries waiting for this one (if WAITED) */
	uint32_t pending;    /* words queued or in flight at a port; and 1 until VALIDATE */
	uint32_t words[2];   /* of the read and write log */
	uint32_t buffer[2];  /* first pair of the read and write log's */
	uint32_t answered;   /* words pushed of the log asked for */
	uint8_t flags;
	uint8_t asked; /* purpose + 1 of the log asked for */
	uint8_t limit[2]; /* words that the buffers take; 0 without one, and of unused slots */
};

/* What is known of a warp, a bit per lane, kept at the place of its last entry. */
struct gputm__commit_warp {
	uint64_t words, closed, judged; /* log words, done or skip, verdict have been pushed */
};
struct gputm__commit_tally { /* warp mode */
	uint64_t seen, active, decided, passed; /* done or skip consumed, no skip, outcome, pass */
};

struct gputm__commit_list {
	uint32_t head, tail;
};

/*
 * Log words in buffers and at ports have the ring place of their entry as their lane. The
 * first one of a free buffer links to the next by its value.
 */
#define GPUTM__DONE 0x80000000u

/*
 * Words by sequence number: done < oldest <= in flight < issued <= queued < filled. The
 * span of a request's first word is its number of words, or'd with DONE if it has completed
 * before an older one; of its other words 0. In scalar mode it is 1 throughout.
 */
struct gputm__commit_port {
	struct gputm_commit_word *word; /* [mask + 1] */
	uint32_t *span;			   /* [mask + 1] */
	uint64_t oldest, issued, filled;
	uint64_t detours; /* requests with DONE; one more in warp mode: no straight line */
	uint64_t limit; /* of words queued or in flight */
	uint32_t mask;
	bool offered;
};

struct gputm__commit_inbox {
	struct gputm_commit_message *message; /* [depth] */
	uint32_t depth, head, count;
	uint32_t word; /* words of the oldest message already consumed */
};

struct gputm__commit_outbox {
	struct gputm_commit_report *report; /* [depth] */
	uint32_t depth, head, count;
};

/* The log message that is consumed word by word; at = end: none, or not begun. */
struct gputm__commit_cursor {
	const struct gputm_commit_word *at, *end;
	uint32_t first; /* CID, as far as ring places go */
	uint32_t log;
};

/* Scratch of coalescing, words in the order they come; empty between calls. */
struct gputm__commit_region {
	uint64_t address, end; /* end: sequence number behind what of it is at the port */
	uint32_t count, bucket;
};
struct gputm__commit_gather {
	struct gputm_commit_word *word;
	uint32_t *of; /* region of each word */
	struct gputm__commit_region *region;
	uint32_t *bucket; /* region + 1, by address */
	uint32_t words, regions, bucket_mask;
	uint32_t current; /* region of the last word */
};

/* Stages that may have a step to take; those without their bit have none. */
enum {
	GPUTM__MAY_REVALIDATE = 1,
	GPUTM__MAY_FINALISE = 2,
	GPUTM__MAY_COMMIT = 4,
	GPUTM__MAY_RETIRE = 8,
	GPUTM__MAY_RESENT = 16,
	GPUTM__MAY_ALL = 31
};

struct gputm_commit_unit {
	struct gputm_unit unit;
	struct gputm_commit_unit_config config;
	struct gputm_last_writer *history;
	struct gputm__commit_slot *slot;   /* [mask + 1], at least one more than the ring */
	struct gputm__commit_entry *entry; /* [mask + 1] */
	struct gputm__commit_warp *warp;   /* [mask + 1] */
	struct gputm__commit_tally *tally; /* [mask + 1] in warp mode */
	struct gputm_commit_word *kept;	   /* [buffers][buffer_words] */
	uint32_t *pending;		   /* [pending_entries]: words per block */
	struct gputm__commit_gather gather;
	struct gputm__commit_inbox input, resent;
	struct gputm__commit_outbox output;
	struct gputm__commit_port port[2];
	uint64_t address_max, region_mask, expire_at;
	uint32_t mask, pending_shift;
	uint32_t may; /* GPUTM__MAY_ bits */
	/* Cycles before which hazard detection, or the input port, need not be asked. */
	uint64_t hazard_due, input_due;
	struct gputm__commit_cursor cursor;

	/* oldest <= commit <= hazard <= head <= oldest + ring; head: above all CIDs named. */
	uint64_t oldest, commit, hazard, head;
	uint64_t hazard_word;	/* of the entry at the hazard pointer: passed before hazard_due */
	uint64_t hazard_done;	/* of these: seen by the history */
	uint64_t gathered;		/* ready words of the warp at the commit pointer */
	uint64_t pending_unbounded;	/* entries that are pending with an unknown write-set */
	struct gputm__commit_list revalidate, finalise;
	uint32_t buffer_free, buffer_fresh, buffer_end; /* as first pairs */

	uint64_t now; /* ticks; no state, as all times are relative to it */
	uint64_t cycles, cycles_from; /* now - cycles_from, when somebody looks */
	uint64_t messages, messages_full, absorbed;
	uint64_t begun, skips, committed, failed_here, failed_elsewhere, skips_retired;
	uint64_t consumed[2]; /* words, by log */
	uint64_t compared[2]; /* speculatively, and again */
	uint64_t mismatches, requests[2], written;
	uint64_t requeued, reissued;
	uint64_t hazards, hazard_words, revalidations, rescued;
	uint64_t outcomes_passed, outcomes_failed;
	uint64_t overflows, resends, words_resent;
	uint64_t active, active_max, buffers_used, buffers_max, span_max;
	struct gputm__histogram fill_cycles, hazard_cycles, validate_cycles, verdict_cycles;
	struct gputm__histogram commit_cycles, retire_cycles, revalidation_distance;
};

/* ---- small helpers ---- */

static inline uint32_t gputm__commit_index(const struct gputm_commit_unit *self, uint64_t cid)
{
	return (uint32_t)cid & self->mask;
}

static inline uint64_t gputm__commit_cid(const struct gputm_commit_unit *self, uint32_t index)
{
	return self->oldest + ((index - (uint32_t)self->oldest) & self->mask);
}

static inline uint64_t gputm__commit_bit(const struct gputm_commit_unit *self, uint32_t index)
{
	return UINT64_C(1) << self->slot[index].lane;
}

/* First CID of the warp of an entry. */
static inline uint64_t gputm__commit_first(const struct gputm_commit_unit *self, uint32_t index)
{
	return gputm__commit_cid(self, index) - self->slot[index].lane;
}

static inline bool gputm__commit_report_room(const struct gputm_commit_unit *self)
{
	return self->output.count < self->output.depth;
}

static inline uint64_t gputm__commit_room(const struct gputm_commit_unit *self, int port)
{
	const struct gputm__commit_port *p = &self->port[port];

	return p->limit - (p->filled - p->oldest) - self->gather.words;
}

static inline bool gputm__commit_unbounded(const struct gputm__commit_entry *entry, uint32_t log)
{
	return entry->flags & GPUTM__OVERFLOW << log;
}

static inline void gputm__commit_append(struct gputm_commit_unit *self,
					struct gputm__commit_list *list, uint32_t index)
{
	self->entry[index].link = GPUTM__NONE;
	if (list->head == GPUTM__NONE)
		list->head = index;
	else
		self->entry[list->tail].link = index;
	list->tail = index;
}

static inline uint32_t gputm__commit_take(const struct gputm_commit_unit *self,
					  struct gputm__commit_list *list)
{
	uint32_t index = list->head;

	list->head = self->entry[index].link;
	return index;
}

/* Place of the last CID of a message's warp. */
static inline uint32_t gputm__commit_last(const struct gputm_commit_unit *self,
					  const struct gputm_commit_message *message)
{
	return gputm__commit_index(self, message->first_cid + message->lanes - 1);
}

/* The message that an inbox serves next. */
static inline struct gputm_commit_message *
gputm__commit_front(const struct gputm__commit_inbox *in)
{
	return &in->message[in->head];
}

/* ---- commit_unit-judge.c ---- */
/* Whether a message that is being loaded may be queued in the state loaded so far. */
bool gputm__commit_queueable(const struct gputm_commit_unit *self,
			     const struct gputm_commit_message *message);

/* ---- commit_unit-input.c ---- */
/* Consume the oldest message or a word of it. @return whether that could be. */
bool gputm__commit_input(struct gputm_commit_unit *self);
void gputm__commit_resent(struct gputm_commit_unit *self);

/* ---- commit_unit-logs.c ---- */
/* The first that is heard of an entry. */
void gputm__commit_begin(struct gputm_commit_unit *self, uint32_t index);
/* The word at the cursor (scalar mode). @return whether the port has room for it. */
bool gputm__commit_word(struct gputm_commit_unit *self);
/* A whole log message (warp mode); the port has room for it. */
void gputm__commit_row(struct gputm_commit_unit *self, const struct gputm_commit_message *message);

/* ---- commit_unit-clock.c ---- */
void gputm__commit_catch_up(struct gputm_unit *unit);

/* ---- commit_unit-hazard.c ---- */
/* A step of the entry at the pointer. @return whether anything changed. */
bool gputm__commit_hazard(struct gputm_commit_unit *self, uint32_t index);
/* One resent word of it. */
void gputm__commit_detect(struct gputm_commit_unit *self, const struct gputm_commit_word *word);
/* Before anyone looks. */
void gputm__commit_hazard_up_to_now(struct gputm_commit_unit *self);
/* Work out when the history's CID range has to move. */
void gputm__commit_set_expiry(struct gputm_commit_unit *self);

/* ---- commit_unit-stages.c ---- */
/* Ask the core for a log; there is room for the report. */
void gputm__commit_ask(struct gputm_commit_unit *self, uint32_t index, uint32_t purpose);
/* A step of each stage that `may` have one. @return whether anything changed. */
bool gputm__commit_stages(struct gputm_commit_unit *self);
/* Queue the writes of an entry (scalar mode). */
void gputm__commit_issue(struct gputm_commit_unit *self, uint32_t index);
/* Let an entry wait for the retirement of its YCID. */
void gputm__commit_wait_for(struct gputm_commit_unit *self, uint32_t index);

/* ---- commit_unit-memory.c ---- */
/* Undo what the input port has placed ahead of its cycle. */
void gputm__commit_take_back(struct gputm_commit_unit *self);

/* ---- commit_unit-queue.c ---- */
/* Make the region at this address the current one. @return its number. */
uint32_t gputm__commit_to_region(struct gputm__commit_gather *g, uint64_t base);
/* Queue what is collected, a request per region. */
void gputm__commit_flush(struct gputm_commit_unit *self, int port);
/* Collect an entry's log for flush. */
void gputm__commit_collect_buffer(struct gputm_commit_unit *self, uint32_t log, uint32_t index);

/* ---- commit_unit-snapshot.c ---- */
void gputm__commit_io(struct gputm_commit_unit *self, struct gputm__io *io);
/* ---- commit_unit-check.c ---- */
const char *gputm__commit_check(const struct gputm_commit_unit *self);
void gputm__commit_io_stats(struct gputm_commit_unit *self, struct gputm__io *io);
void gputm__commit_laws(const struct gputm_commit_unit *self, struct gputm__laws *laws);
/* The part of it that is about one ring entry after the other. */
const char *gputm__commit_check_entries(const struct gputm_commit_unit *self);

#endif /* GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H */
