/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H
#define GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H
/*
 * Layout of the commit unit. Its files, none of which calls one below it in this list:
 *
 *   commit_unit-ring.c      entries, lists of entries, buffers, pending writes
 *   commit_unit-port.c      the words at the two memory ports
 *   commit_unit-history.c   a word in hazard detection: the last writer history
 *   commit_unit-protocol.c  what a message may say
 *   commit_unit-reports.c   what cores hear
 *   commit_unit-boxes.c    the boxes of Fig. 4.5 from hazard detection to retirement
 *   commit_unit.c           essay; what comes in (log transfer, verdicts, logs sent again,
 *                           completions), and the cycle
 *   commit_unit-check.c     invariants
 *   commit_unit-snapshot.c  what is saved
 *   commit_unit-face.c      tables of parameters, statistics and events; life; reports
 *
 * Words with one meaning: an entry is in a state; a message is pushed, then consumed; a log word
 * is queued at a port, then in flight there; a request is offered, popped, completed; a log is
 * kept in a buffer or, if the entry is unbounded, not kept, and then asked for and sent again; an
 * outcome or a retirement is reported. A pointer moves past an entry; a word is detected when the
 * history has looked the word up or recorded it; a transaction passes or fails.
 *
 * Words of the thesis: an outcome is the local outcome, V_k(T) of chapter 5, and a verdict is the
 * final outcome F(T). A done is the done-fill message of 6.2; the Done of Fig. 4.4 and 6.3 is here
 * a retirement that is reported.
 *
 * Mutants (lib/base/unit.h): errors that the properties of thesis chapter 5, and the explorer,
 * must notice.
 */
#include "gputm/commit_unit.h"
#include "gputm/last_writer.h"
#include "lib/base/queue.h"

enum gputm__mutants {
	GPUTM__MUTANT_NONE,
	GPUTM__MUTANT_EQUAL_RCID,  /* a writer with CID = RCID is no hazard */
	GPUTM__MUTANT_EARLY,       /* revalidate when the entry before YCID has retired */
	GPUTM__MUTANT_NO_HAZARD,   /* look nothing up */
	GPUTM__MUTANT_DISORDER,    /* write as soon as the own verdict is in (scalar mode) */
	GPUTM__MUTANT_FORGET_SKIP, /* ignore the skips in a message */
	GPUTM__MUTANT_DROP_RESEND, /* never send the request for a log */
	GPUTM__MUTANT_NO_ORDER,    /* report outcomes as they are known, although ordered */
	GPUTM__MUTANT_LOSE_DONE,   /* a report of retirement names its own lane only */
	GPUTM__MUTANT_BLIND_BIT,   /* look no address up that has bit 5 */
	GPUTM__MUTANTS,
};

/*
 * A short CID refers to an entry: the low bits of its CID, and this one, so that 0 refers to none.
 * It stays right when the ring grows, which the place of the entry does not.
 */
#define GPUTM__SHORT_CID 0x80000000u

/*
 * Entries in a circle, so that both ends are at hand:
 *
 *	list.last ---------------------+
 *	                               v
 *	+-> first --link--> .. --link-> last --link-+
 *	+-------------------------------------------+
 */
struct list {
	uint32_t last; /* its short CID */
};

/* Flags of an entry. */
enum {
	GPUTM__UNBOUNDED = 1,      /* << log: that log is not (wholly) in its buffer */
	GPUTM__FAILED = 4,         /* a comparison of the last validation failed */
	GPUTM__HAZARDOUS = 8,      /* must revalidate */
	GPUTM__AGAIN = 16,         /* has begun its revalidation */
	GPUTM__DECIDED = 32,       /* its outcome is counted in `decided` of its group */
	GPUTM__WRITES_QUEUED = 64, /* its writes are at the commit port, or have completed */
	GPUTM__UNTOLD = 128,       /* they have completed, and the core is to hear of that first */
};

/* The messages that have been pushed for the lanes of a warp, a bit a lane. */
enum {
	GPUTM__PUSHED_WORDS, /* log words */
	GPUTM__PUSHED_DONE,  /* done, or a skip */
	GPUTM__PUSHED_VERDICT,
	GPUTM__PUSHED_RESENT, /* the end of the log asked for */
	GPUTM__PUSHED_KINDS,
};
struct pushed {
	uint64_t lanes[GPUTM__PUSHED_KINDS];
};

/*
 * An entry of the ring; all zero when unused. A skip has `state`, `lane`, `lanes`, those that
 * wait for it, and buffers if the policy says so. The logs have the numbers 0, read, and 1, write,
 * which are those of their messages and of the ports that they go to.
 */
struct entry {
	uint64_t rcid, ycid;
	uint64_t since;      /* cycle in which the present state began */
	struct list waiters; /* entries that wait for this one to retire */
	uint32_t link;       /* short CID of the next entry of its list */
	uint32_t at_port;    /* words queued or in flight */
	uint32_t words[2];   /* of each log */
	uint32_t buffer[2];  /* of each log, + 1; 0: none */
	uint32_t resent;     /* words pushed of the log asked for */
	uint8_t state, flags;
	bool begun;          /* no mere skip */
	uint8_t asked;       /* purpose + 1 of the log that has been asked for */
	uint8_t lane, lanes; /* place in its warp; lanes = 0: no message has come yet */
	uint8_t decided;     /* of a group, at its last entry: outcomes known, and skips */
	uint8_t again;       /* there: outcomes that revalidations will bring */
};

/*
 * A port is a ring of words by sequence number. A request is a run of words in it: a word in scalar
 * mode, the words of a region in warp mode. `run` at the first word is their number, 0 at the
 * others; LANDED marks a request that has completed before an older one:
 *
 *	        oldest              popped           end
 *	   free |     in flight     |     queued     | free
 *	  run   | 3  0  0  1L  1  1L| 2  0  1  2  0  |
 *
 * The lane of a word at a port is the short CID of its entry.
 */
#define GPUTM__LANDED 0x80000000u
struct port_word {
	struct gputm_commit_unit_word word;
	uint32_t run;
};
struct port {
	struct port_word *word; /* [mask + 1] */
	uint64_t oldest, popped, end;
	uint32_t mask;
};

struct inbox {
	struct gputm__queue queue; /* of messages */
	uint32_t word;             /* words of the oldest message already consumed */
};

/* Words that go to a port together, in their order; empty between calls. */
struct region {
	uint64_t address, end; /* end: sequence number after its last word at the port */
	uint32_t count;
};
struct gather {
	struct gputm_commit_unit_word *word; /* [most] */
	uint32_t *of;                   /* [most]: region of each word */
	struct region *region;          /* [most] */
	uint32_t words, regions;
};

struct gputm_commit_unit {
	struct gputm_unit unit;
	struct gputm_commit_unit_config config;
	struct gputm_last_writer *history;
	struct entry *entry;               /* [places] */
	struct pushed *pushed;             /* [places]: one a warp, at the place of its last CID */
	struct gputm_commit_unit_word *buffers; /* [pool][buffer_words] */
	uint32_t *returned;                /* [pool]: numbers of the buffers given back */
	/* Capacity for which memory has been allocated; see gputm__commit_make_room(). */
	size_t places, pushed_places, pool, pool_words;
	uint32_t *pending_writes; /* [pending_entries]: words per block */
	struct gather gather;
	struct inbox input, resent;
	struct gputm__queue output; /* of reports */
	struct port port[2];        /* enum gputm_commit_unit_port */
	int offers;                 /* of the ports, as enum gputm_commit_unit_offer */
	uint64_t address_max, region_mask, expire_at;
	uint32_t mask, reach; /* reach: CIDs, from the oldest on, that have a place */
	uint32_t pending_shift;
	uint32_t buffers_touched; /* buffers that have ever been in use, which are the first */

	/* The pointers into the ring, as the essay draws them. */
	uint64_t oldest, commit, outcome, hazard, head;
	uint64_t reported;          /* CIDs below: their retirement is reported */
	uint64_t detected;          /* words of the entry at `hazard` that are detected */
	uint64_t pending_unbounded; /* pending entries whose write-set is not known */
	struct list revalidate, finalise, untold;

	uint64_t now; /* ticks; no state, as all times are relative to it */
	uint64_t cycles, messages, messages_full, absorbed;
	uint64_t begun, skips, committed, failed_here, failed_elsewhere, skips_retired;
	uint64_t consumed[2]; /* words, by log */
	uint64_t compared[2]; /* speculatively, and again */
	uint64_t mismatches, requests[2], written;
	uint64_t requeued, reissued;
	uint64_t hazards, hazard_words, revalidations;
	uint64_t outcomes_passed, outcomes_failed;
	uint64_t overflows, resends, words_resent;
	uint64_t active, active_max, buffers_used, buffers_max, span_max;
	struct gputm__histogram fill_cycles, hazard_cycles, validate_cycles, verdict_cycles;
	struct gputm__histogram commit_cycles, retire_cycles, revalidation_distance;
	uint64_t deferrals;
};

/* ---- entries ---- */

/* The entry of a CID, or of a short CID. */
static inline struct entry *entry_at(const struct gputm_commit_unit *self, uint64_t cid)
{
	return &self->entry[(uint32_t)cid & self->mask];
}

/* The entry of a lane of the warp that a message speaks of. */
static inline struct entry *entry_of_lane(const struct gputm_commit_unit *self,
					  const struct gputm_commit_unit_message *m, uint32_t lane)
{
	return entry_at(self, m->first_cid + lane);
}

static inline uint64_t cid_of(const struct gputm_commit_unit *self, const struct entry *entry)
{
	uint32_t place = (uint32_t)(entry - self->entry);

	return self->oldest + ((place - (uint32_t)self->oldest) & self->mask);
}

static inline uint32_t short_cid_of(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return (uint32_t)cid_of(self, entry) | GPUTM__SHORT_CID;
}

static inline uint64_t lane_bit(const struct entry *entry)
{
	return UINT64_C(1) << (entry->lane & 63);
}

static inline bool ends_warp(const struct entry *entry)
{
	return entry->lane + 1 == entry->lanes;
}

/* Entries that are finalised and written together, as a group: in warp mode those of a warp. */
static inline uint32_t group_size(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return self->config.warp_mode ? entry->lanes : 1;
}

/* The last entry of the group, seen from one of its entries. */
static inline struct entry *group_last(const struct gputm_commit_unit *self, struct entry *entry)
{
	uint32_t later = self->config.warp_mode ? entry->lanes - 1u - entry->lane : 0;

	return later ? entry_at(self, (uint32_t)(entry - self->entry) + later) : entry;
}

/* What has been pushed for the warp of an entry: at the entry of the warp that retires last. */
static inline struct pushed *pushed_for(const struct gputm_commit_unit *self,
					const struct entry *entry)
{
	uint32_t place = (uint32_t)(entry - self->entry);

	return &self->pushed[(place + entry->lanes - 1u - entry->lane) & self->mask];
}

/* What has been pushed for the warp of a message, whether or not it has entries yet. */
static inline struct pushed *pushed_in(const struct gputm_commit_unit *self,
				       const struct gputm_commit_unit_message *m)
{
	return &self->pushed[(uint32_t)(m->first_cid + m->lanes - 1) & self->mask];
}

static inline void enter_state(struct gputm_commit_unit *self, struct entry *entry,
			       enum gputm_commit_unit_state state)
{
	entry->state = (uint8_t)state;
	entry->since = self->now;
}

static inline uint64_t cycles_in_state(const struct gputm_commit_unit *self,
				       const struct entry *entry)
{
	return self->now - entry->since;
}

static inline bool is_ordered(const struct gputm_commit_unit *self)
{
	return self->config.ordered_outcomes && !gputm__mutant(GPUTM__MUTANT_NO_ORDER);
}

/* Does the outcome pointer pass entries whose revalidation has begun? */
static inline bool is_passing(const struct gputm_commit_unit *self)
{
	return self->config.ordered_outcomes == GPUTM_COMMIT_UNIT_ORDERED_OUTCOMES_PASSING;
}

/* Is the outcome known, or will the entry's revalidation, which has begun, bring the outcome? */
static inline bool is_settling(const struct entry *entry)
{
	return entry->state > GPUTM_COMMIT_UNIT_STATE_VALIDATE || entry->flags & GPUTM__AGAIN;
}

/* Is the core told when the entry's own writes have completed? */
static inline bool tells_written(const struct gputm_commit_unit *self)
{
	return self->config.entry_done == GPUTM_COMMIT_UNIT_ENTRY_DONE_WRITTEN;
}

/* The writer whose retirement an entry with a hazard waits for. */
static inline uint64_t writer_of(const struct entry *entry)
{
	return entry->ycid - (gputm__mutant(GPUTM__MUTANT_EARLY) && entry->ycid);
}

static inline bool has_writer_retired(const struct gputm_commit_unit *self,
				      const struct entry *entry)
{
	return writer_of(entry) < self->oldest;
}

/* The first entry of a list, or NULL. */
static inline struct entry *list_first(const struct gputm_commit_unit *self,
				       const struct list *list)
{
	return list->last ? entry_at(self, entry_at(self, list->last)->link) : NULL;
}

/* ---- logs and their buffers ---- */

/* The log that the unit asks for with this purpose. */
static inline uint32_t log_of(uint32_t purpose)
{
	return purpose & 1;
}

static inline bool is_unbounded(const struct entry *entry, uint32_t log)
{
	return entry->flags & GPUTM__UNBOUNDED << log;
}

/* Does a log that found no buffer wait for one, or has it one now and is being sent again? */
static inline bool is_deferred(const struct gputm_commit_unit *self, const struct entry *entry,
			       uint32_t log)
{
	return self->config.empty_pool == GPUTM_COMMIT_UNIT_EMPTY_POOL_DEFER &&
	       is_unbounded(entry, log) && entry->words[log] <= self->config.buffer_words;
}

/* Are buffers given back when no later box reads them? */
static inline bool holds_as_needed(const struct gputm_commit_unit *self)
{
	return self->config.buffer_policy == GPUTM_COMMIT_UNIT_BUFFER_POLICY_NEEDED;
}

/* The words of a log that has a buffer. */
static inline struct gputm_commit_unit_word *buffer_of(const struct gputm_commit_unit *self,
						       const struct entry *entry, uint32_t log)
{
	return &self->buffers[(size_t)(entry->buffer[log] - 1) * self->config.buffer_words];
}

/* Give a buffer back, if the log has one. */
static inline void drop_buffer(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	if (!entry->buffer[log])
		return;
	self->returned[self->buffers_touched - self->buffers_used--] = entry->buffer[log];
	entry->buffer[log] = 0;
}

/* The log that holds the next word to be detected. */
static inline uint32_t log_in_detection(const struct gputm_commit_unit *self,
					const struct entry *entry)
{
	return self->detected >= entry->words[0];
}

/* Words of the log that are detected. */
static inline uint64_t detected_of_log(const struct gputm_commit_unit *self,
				       const struct entry *entry)
{
	return self->detected - (log_in_detection(self, entry) ? entry->words[0] : 0);
}

/* Is the entry's write-set in the table of write_pending()? */
static inline bool is_write_pending(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return self->config.pending_block && entry->begun && !(entry->flags & GPUTM__FAILED) &&
	       entry->state >= GPUTM_COMMIT_UNIT_STATE_WAIT &&
	       (entry->state < GPUTM_COMMIT_UNIT_STATE_FINISHED ||
		entry->flags & GPUTM__WRITES_QUEUED);
}

/* ---- queues ---- */

static inline bool is_resent(const struct gputm_commit_unit_message *m)
{
	return m->kind >= GPUTM_COMMIT_UNIT_MESSAGE_RESENT;
}

/* What is recorded of a message for its lanes, by its kind; of RESENT nothing is. */
static inline uint32_t pushed_as(uint32_t kind)
{
	static const uint8_t as[] = { GPUTM__PUSHED_WORDS, GPUTM__PUSHED_WORDS,
				      GPUTM__PUSHED_DONE,  GPUTM__PUSHED_VERDICT,
				      GPUTM__PUSHED_KINDS, GPUTM__PUSHED_RESENT };

	return as[kind];
}

/* The message that an inbox serves next; to be looked at only if there is one. */
static inline struct gputm_commit_unit_message *oldest_message(const struct inbox *in)
{
	return gputm__queue_oldest(&in->queue);
}

/* How many words of a message are consumed in a cycle. Words that come again for hazard detection
 * have a rate of their own. */
static inline uint32_t words_a_cycle(const struct gputm_commit_unit *self,
				     const struct gputm_commit_unit_message *m)
{
	return self->config.warp_mode && !self->config.serial_input ? m->words : 1;
}

static inline bool has_report_room(const struct gputm_commit_unit *self)
{
	return !gputm__queue_full(&self->output);
}

/* Is there a group whose writes have completed, and room to say so? */
static inline bool can_tell_written(const struct gputm_commit_unit *self)
{
	return self->untold.last && has_report_room(self);
}

static inline struct port_word *port_word_at(const struct port *port, uint64_t sequence)
{
	return &port->word[sequence & port->mask];
}

/* How many more words a port accepts. */
static inline uint64_t port_room(const struct gputm_commit_unit *self, uint32_t which)
{
	const struct port *port = &self->port[which];

	return self->config.port_words - (port->end - port->oldest) - self->gather.words;
}

/* What a port offers when its oldest request can be popped, in `offers`. */
static inline int offer_of(uint32_t which)
{
	return GPUTM_COMMIT_UNIT_OFFER_READ << which;
}

/* ---- commit_unit-ring.c ---- */
/*
 * Make places for so many CIDs from the oldest on and buffers for their logs: the ring doubles.
 * The lanes of a warp that have retired keep places beside them, empty, until the warp has.
 * Returns 0, or -ENOMEM with nothing changed.
 */
int gputm__commit_make_room(struct gputm_commit_unit *self, uint64_t cids);
void gputm__commit_append(struct gputm_commit_unit *self, struct list *list, struct entry *entry);
/* Remove the first entry of a list that has one. */
struct entry *gputm__commit_take(struct gputm_commit_unit *self, struct list *list);
/* Give a log of the entry a buffer; false: the pool is empty. */
bool gputm__commit_take_buffer(struct gputm_commit_unit *self, struct entry *entry, uint32_t log);
/* Count the entry's write-set as pending, once more (1) or once less (-1). */
void gputm__commit_pend(struct gputm_commit_unit *self, const struct entry *entry, int amount);

/* ---- commit_unit-port.c ---- */
/* Queue a word of the entry. In warp mode it is a request when the words gathered are sent. */
void gputm__commit_queue_word(struct gputm_commit_unit *self, struct entry *entry, uint32_t which,
			      const struct gputm_commit_unit_word *word);
/* Queue a log that is kept at the port of its number. */
void gputm__commit_queue_log(struct gputm_commit_unit *self, struct entry *entry, uint32_t log);
/* The words that have been gathered for a port become requests. */
void gputm__commit_send(struct gputm_commit_unit *self, uint32_t which);
/* A request has completed: its words, from sequence number tag >> 1 on, are no longer in flight.
 * Returns how many they are; -EINVAL if no request has this tag, or a read has no values. */
int gputm__commit_land(struct gputm_commit_unit *self, uint64_t tag, const uint32_t *values);

/* ---- commit_unit-history.c ---- */
/* Look up or record the next word of the entry at the hazard pointer. */
void gputm__commit_detect_word(struct gputm_commit_unit *self, struct entry *entry,
			       uint64_t address);
/* Work out when the history's CID range has to move. */
void gputm__commit_set_expiry(struct gputm_commit_unit *self);

/* ---- commit_unit-protocol.c ---- */
/* May a message that is being loaded be queued in the state loaded so far? */
bool gputm__commit_queueable(const struct gputm_commit_unit *self,
			     const struct gputm_commit_unit_message *m);

/* ---- commit_unit-reports.c ---- */
/* Queue a report on the entry, or on lanes of its warp. */
void gputm__commit_report(struct gputm_commit_unit *self, const struct entry *entry,
			  enum gputm_commit_unit_report_kind kind, uint64_t mask, uint64_t yes);
/* Ask the core for a log that is not kept. */
void gputm__commit_ask(struct gputm_commit_unit *self, struct entry *entry,
		       enum gputm_commit_unit_purpose purpose);
/* The entry has failed, or all its writes have completed: it can retire. */
void gputm__commit_finish(struct gputm_commit_unit *self, struct entry *entry);
/* Put the group of the entry on the list of those that the core is to hear of, if its lanes are
 * past the commit pointer and write no more. */
void gputm__commit_list_written(struct gputm_commit_unit *self, struct entry *entry);
/* Tell the core of the first group on that list, if there is room; whether it has been told. */
bool gputm__commit_tell_written(struct gputm_commit_unit *self);

/* ---- commit_unit-boxes.c ---- */
/* A step of each box, in the order of Fig. 4.5: whether one has changed something. */
bool gputm__commit_step(struct gputm_commit_unit *self);
bool gputm__commit_can_step(const struct gputm_commit_unit *self);
/* Let an entry with a hazard wait for the retirement of its YCID. */
void gputm__commit_wait_for_writer(struct gputm_commit_unit *self, struct entry *entry);
/* Move an entry on from VALIDATE, to FINALISE or its revalidation, if nothing holds it there. */
void gputm__commit_leave_validation(struct gputm_commit_unit *self, struct entry *entry);
/* Queue the writes of an entry; those of a log that is not kept were queued as they came. */
void gputm__commit_write(struct gputm_commit_unit *self, struct entry *entry);

/* ---- commit_unit-check.c ---- */
const char *gputm__commit_check(const struct gputm_commit_unit *self);
void gputm__commit_laws(const struct gputm_unit *unit, struct gputm__laws *laws);
/* The part of the check that is about one ring entry after the other. */
const char *gputm__commit_check_entries(const struct gputm_commit_unit *self);

/* ---- commit_unit-snapshot.c ---- */
void gputm__commit_io(struct gputm_commit_unit *self, struct gputm__io *io);
void gputm__commit_io_stats(struct gputm_unit *unit, struct gputm__io *io);

#endif /* GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H */
