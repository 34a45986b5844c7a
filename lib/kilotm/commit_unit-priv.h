/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H
#define GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H
/*
 * Layout of the commit unit, and what several of its files need. A request goes through them so:
 *
 *   commit_unit-input.c     which messages the protocol allows, and their queues
 *   commit_unit-fill.c      log transfer, the end of the logs, verdicts
 *   commit_unit.c           essay; the boxes of Fig. 4.5 that follow, and the cycle
 *   commit_unit-history.c   the words in hazard detection
 *   commit_unit-resend.c    logs that are not kept
 *   commit_unit-memory.c    the two ports to memory, and the table of pending writes
 *
 * Beside them: commit_unit-face.c (parameters, life), commit_unit-snapshot.c, commit_unit-check.c.
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
	GPUTM__MUTANT_LOSE_DONE,   /* a done names its own lane only */
	GPUTM__MUTANT_BLIND_BIT,   /* look no address up that has bit 5 */
	GPUTM__MUTANTS,
};

/*
 * The name of an entry: the low bits of its CID, and this one, so that 0 names none. It holds
 * when the ring grows, which the place of the entry does not.
 */
#define GPUTM__NAMED 0x80000000u

/* Entries in a circle: the last one links to the first. */
struct list {
	uint32_t last; /* its name */
};

/* Flags of an entry. */
enum {
	GPUTM__OVERFLOW = 1,   /* << log kind: that log is not (wholly) in its buffer */
	GPUTM__FAILED = 4,     /* a comparison of the last validation failed */
	GPUTM__HAZARDOUS = 8,  /* must revalidate */
	GPUTM__AGAIN = 16,     /* has begun its revalidation */
	GPUTM__DECIDED = 32,   /* its outcome waits for that of its warp, or is reported */
	GPUTM__COMMITTED = 64, /* its writes have been issued */
};

/* What has been pushed for the lanes of a warp, a bit a lane. */
enum {
	GPUTM__SAID_WORDS, /* log words */
	GPUTM__SAID_DONE,  /* done, or a skip */
	GPUTM__SAID_VERDICT,
	GPUTM__SAID_AGAIN, /* the end of the log asked for */
	GPUTM__SAYINGS,
};
struct said {
	uint64_t lanes[GPUTM__SAYINGS];
};

/*
 * An entry of the ring; all zero when unused. A skip has `stage`, `lane`, `lanes`, those that
 * wait for it, and buffers if the policy says so; `body`: no mere skip.
 */
struct entry {
	uint64_t rcid, ycid;
	uint64_t since;      /* cycle in which the present stage began */
	struct list waiters; /* entries that wait for this one to retire */
	uint32_t link;       /* name of the next entry of its list */
	uint32_t pending;    /* words queued or in flight at a port */
	uint32_t words[2];   /* of the read and write log */
	uint32_t buffer[2];  /* of the read and write log, + 1; 0: none */
	uint32_t answered;   /* words pushed of the log asked for */
	uint8_t stage, flags;
	bool body;
	uint8_t asked;       /* purpose + 1 of the log that has been asked for */
	uint8_t lane, lanes; /* place in its warp; lanes = 0: no message has named it yet */
	uint8_t decided;     /* of those reported together, at their last: decided, or skips */
};

/*
 * A port's words by sequence number: done < oldest <= in flight < issued <= queued < filled.
 * A request is a run of words; `span` at the first word is their number, 0 at the others; DONE
 * marks a request that has completed before an older one. The lane of a word at a port is the name
 * of its entry.
 */
#define GPUTM__DONE 0x80000000u
struct flight {
	struct gputm_commit_word word;
	uint32_t span;
};
struct port {
	struct flight *flight; /* [mask + 1] */
	uint64_t oldest, issued, filled;
	uint32_t mask;
};

struct inbox {
	struct gputm__queue queue; /* of messages */
	uint32_t word;             /* words of the oldest message already consumed */
};

/* Words that go to a port together, in their order; empty between calls. */
struct region {
	uint64_t address, end; /* end: sequence number behind its last word at the port */
	uint32_t count;
};
struct gather {
	struct gputm_commit_word *word; /* [most] */
	uint32_t *of;                   /* [most]: region of each word */
	struct region *region;          /* [most] */
	uint32_t words, regions;
};

struct gputm_commit_unit {
	struct gputm_unit unit;
	struct gputm_commit_unit_config config;
	struct gputm_last_writer *history;
	struct entry *entry;             /* [places] */
	struct said *said;               /* [places]: of the warp whose last CID has the place */
	struct gputm_commit_word *kept;  /* [pool][buffer_words] */
	uint32_t *spare;                 /* [pool]: from buffers_used on, the free buffers, + 1 */
	/* Capacity for which memory has been allocated; see make_room(). */
	size_t places, said_places, pool, kept_words;
	uint32_t *pending_writes;        /* [pending_entries]: words per block */
	struct gather gather;
	struct inbox input, resent;
	struct gputm__queue output; /* of reports */
	struct port port[2];
	uint64_t address_max, region_mask, expire_at;
	uint32_t mask, reach; /* CIDs, from the oldest on, that have a place */
	uint32_t pending_shift;
	/* Ports, as enum gputm_commit_unit_offer, with words queued, and with a request offered. */
	uint32_t queued, offered;

	/*
	 * oldest <= commit <= final <= hazard <= head <= oldest + ring; head: above all CIDs named.
	 * Unless outcomes are ordered, `final` is where `hazard` is.
	 */
	uint64_t oldest, commit, final, hazard, head;
	uint64_t told;              /* CIDs below: their retirement is reported */
	uint64_t hazard_word;       /* words that the entry at `hazard` has passed */
	uint64_t pending_unbounded; /* pending entries whose write-set is not known */
	struct list revalidate, finalise;

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

static inline struct entry *entry_at(const struct gputm_commit_unit *self, uint64_t cid)
{
	return &self->entry[(uint32_t)cid & self->mask];
}

static inline uint32_t place_of(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return (uint32_t)(entry - self->entry);
}

static inline uint64_t cid_of(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return self->oldest + ((place_of(self, entry) - (uint32_t)self->oldest) & self->mask);
}

static inline uint32_t name_of(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return (uint32_t)cid_of(self, entry) | GPUTM__NAMED;
}

static inline struct entry *named(const struct gputm_commit_unit *self, uint32_t name)
{
	return &self->entry[name & self->mask];
}

/* The entry of a lane of the warp that a message speaks of. */
static inline struct entry *entry_of(const struct gputm_commit_unit *self,
				     const struct gputm_commit_message *m, uint32_t lane)
{
	return entry_at(self, m->first_cid + lane);
}

/* First CID of the warp of an entry. */
static inline uint64_t first_cid_of(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return cid_of(self, entry) - entry->lane;
}

/* Neighbours that are finalised and written together: in warp mode the entries of a warp. */
static inline uint32_t together(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return self->config.warp_mode ? entry->lanes : 1;
}

/* The last one of them. */
static inline struct entry *last_of(const struct gputm_commit_unit *self, struct entry *entry)
{
	if (!self->config.warp_mode)
		return entry;
	return entry_at(self, place_of(self, entry) + entry->lanes - 1u - entry->lane);
}

static inline uint64_t lane_bit(const struct entry *entry)
{
	return UINT64_C(1) << (entry->lane & 63);
}

/* What has been pushed for the warp of an entry. */
static inline struct said *said_of(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return &self->said[(place_of(self, entry) + entry->lanes - 1u - entry->lane) & self->mask];
}

static inline bool is_last(const struct entry *entry)
{
	return entry->lane + 1 == entry->lanes;
}

static inline bool is_unbounded(const struct entry *entry, uint32_t log)
{
	return entry->flags & GPUTM__OVERFLOW << log;
}

static inline void enter(struct gputm_commit_unit *self, struct entry *entry,
			 enum gputm_commit_stage stage)
{
	entry->stage = (uint8_t)stage;
	entry->since = self->now;
}

/* Cycles in the present stage. */
static inline uint64_t waited(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return self->now - entry->since;
}

static inline bool is_ordered(const struct gputm_commit_unit *self)
{
	return self->config.ordered_outcomes && !gputm__mutant(GPUTM__MUTANT_NO_ORDER);
}

/* The writer whose retirement an entry with a hazard waits for. */
static inline uint64_t writer_of(const struct entry *entry)
{
	return entry->ycid - (gputm__mutant(GPUTM__MUTANT_EARLY) && entry->ycid);
}

/* Whether the entry's hazards have been written: its YCID has retired. */
static inline bool is_woken(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return writer_of(entry) < self->oldest;
}

/* ---- lists ---- */

static inline void append(struct gputm_commit_unit *self, struct list *list, struct entry *entry)
{
	struct entry *last = list->last ? named(self, list->last) : entry;

	if (list->last)
		entry->link = last->link;
	list->last = last->link = name_of(self, entry);
}

/* The first entry of a list, or NULL. */
static inline struct entry *front(const struct gputm_commit_unit *self, const struct list *list)
{
	return list->last ? named(self, named(self, list->last)->link) : NULL;
}

static inline struct entry *take(struct gputm_commit_unit *self, struct list *list)
{
	struct entry *last = named(self, list->last);
	struct entry *first = named(self, last->link);

	last->link = first->link;
	if (first == last)
		list->last = 0;
	return first;
}

/* ---- buffers ---- */

/* The words of a log that is in its buffer. */
static inline struct gputm_commit_word *kept_words(const struct gputm_commit_unit *self,
						   const struct entry *entry, uint32_t log)
{
	return &self->kept[(size_t)(entry->buffer[log] - 1) * self->config.buffer_words];
}

/* The log that contains the next word of hazard detection, and the place of the word there. */
static inline uint32_t log_of(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return self->hazard_word >= entry->words[0];
}

static inline struct gputm_commit_word *next_word(const struct gputm_commit_unit *self,
						  const struct entry *entry)
{
	uint32_t log = log_of(self, entry);

	return kept_words(self, entry, log) + self->hazard_word - (log ? entry->words[0] : 0);
}

static inline bool has_words(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return self->hazard_word < (uint64_t)entry->words[0] + entry->words[1];
}

/* Must the next word be sent again? */
static inline bool is_elsewhere(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return has_words(self, entry) && is_unbounded(entry, log_of(self, entry));
}

static inline bool take_buffer(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	if (self->buffers_used == self->config.buffers)
		return false;
	entry->buffer[log] = self->spare[self->buffers_used++];
	gputm__maximum(&self->buffers_max, self->buffers_used);
	return true;
}

static inline void drop_buffer(struct gputm_commit_unit *self, struct entry *entry, uint32_t log)
{
	if (!entry->buffer[log])
		return;
	self->spare[--self->buffers_used] = entry->buffer[log];
	entry->buffer[log] = 0;
}

/* Does a log that found no buffer wait for one, or has it one now and is being sent again? */
static inline bool is_deferred(const struct gputm_commit_unit *self, const struct entry *entry,
			       uint32_t log)
{
	return self->config.empty_pool == GPUTM_COMMIT_POOL_DEFER && is_unbounded(entry, log) &&
	       entry->words[log] <= self->config.buffer_words;
}

/* ---- pending writes ---- */

/* Is the entry's write-set in the table of write_pending()? */
static inline bool is_pending(const struct gputm_commit_unit *self, const struct entry *entry)
{
	return self->config.pending_block && entry->body && !(entry->flags & GPUTM__FAILED) &&
	       entry->stage >= GPUTM_COMMIT_WAIT &&
	       (entry->stage < GPUTM_COMMIT_FINISHED || entry->flags & GPUTM__COMMITTED);
}

static inline uint32_t *pending_at(const struct gputm_commit_unit *self, uint64_t address)
{
	return &self->pending_writes[address >> self->pending_shift &
				     (self->config.pending_entries - 1)];
}

/* ---- queues ---- */

/* The message that an inbox serves next. */
static inline struct gputm_commit_message *served(const struct inbox *in)
{
	return gputm__queue_oldest(&in->queue);
}

/* Remove the message, which has been consumed. */
static inline void drop_message(struct inbox *in)
{
	in->word = 0;
	gputm__queue_take(&in->queue);
}

static inline bool report_room(const struct gputm_commit_unit *self)
{
	return !gputm__queue_full(&self->output);
}

/* How many more words a port accepts. */
static inline uint64_t room_at(const struct gputm_commit_unit *self, uint32_t port)
{
	const struct port *p = &self->port[port];

	return self->config.port_words - (p->filled - p->oldest) - self->gather.words;
}

/* How many words of a message are consumed in a cycle, if they go to a port. */
static inline uint32_t words_a_cycle(const struct gputm_commit_unit *self,
				     const struct gputm_commit_message *m)
{
	return self->config.warp_mode && !self->config.serial_input ? m->words : 1;
}

/* A port's bit in `queued` and `offered`. */
static inline uint32_t port_bit(uint32_t which)
{
	return (uint32_t)GPUTM_COMMIT_UNIT_OFFERS_READ << which;
}

static inline bool is_offered(const struct gputm_commit_unit *self, uint32_t which)
{
	return self->offered >> which & GPUTM_COMMIT_UNIT_OFFERS_READ;
}

/* ---- commit_unit-face.c ---- */
/*
 * Make places for so many CIDs from the oldest on and buffers for their logs: the ring doubles.
 * The lanes of a warp that have retired keep places beside them, empty, until the warp has.
 * 0; -ENOMEM, nothing has changed.
 */
int gputm__commit_make_room(struct gputm_commit_unit *self, uint64_t cids);

/* ---- commit_unit-input.c ---- */
/* May a message that is being loaded be queued in the state loaded so far? */
bool gputm__commit_queueable(const struct gputm_commit_unit *self,
			     const struct gputm_commit_message *m);

/* ---- commit_unit.c ---- */
/* Let an entry with a hazard wait for the retirement of its YCID. */
void gputm__commit_wait_for(struct gputm_commit_unit *self, struct entry *entry);
/* No word of the entry is at a port any more. */
void gputm__commit_drained(struct gputm_commit_unit *self, struct entry *entry);
/* Move an entry on whose validation may be complete. */
void gputm__commit_settle(struct gputm_commit_unit *self, struct entry *entry);
/* Queue the writes of an entry; those of a log that is not kept were queued as they came. */
void gputm__commit_issue(struct gputm_commit_unit *self, struct entry *entry);
/* The entry has failed, or all its writes have completed: it can retire. */
void gputm__commit_finish(struct gputm_commit_unit *self, struct entry *entry);
/* Queue a report on the entry, or on lanes of its warp. */
void gputm__commit_report(struct gputm_commit_unit *self, const struct entry *entry,
			  enum gputm_commit_report_kind kind, uint64_t mask, uint64_t yes);

/* ---- commit_unit-fill.c ---- */
/* Process one cycle of the oldest message: a word of a log or all its words, a lane of a done or
 * verdict or all its lanes. */
void gputm__commit_consume_log(struct gputm_commit_unit *self,
			       const struct gputm_commit_message *m);
void gputm__commit_consume_lanes(struct gputm_commit_unit *self, struct gputm_commit_message *m);

/* ---- commit_unit-history.c ---- */
/* A word of the entry at the hazard pointer passes hazard detection. */
void gputm__commit_detect_word(struct gputm_commit_unit *self, struct entry *entry,
			       uint64_t address);
/* Work out when the history's CID range has to move. */
void gputm__commit_set_expiry(struct gputm_commit_unit *self);

/* ---- commit_unit-resend.c ---- */
/* Ask the core for a log that is not kept. */
void gputm__commit_ask(struct gputm_commit_unit *self, struct entry *entry,
		       enum gputm_commit_purpose purpose);
/* Ask for the log that holds the next word of hazard detection. */
void gputm__commit_ask_for_words(struct gputm_commit_unit *self, struct entry *entry);
/* Must a deferred log wait? It does while the pool is empty, but only for older entries. */
bool gputm__commit_must_wait(const struct gputm_commit_unit *self, const struct entry *entry);
/* The oldest message of resent words: whether its port has room, and the step. */
bool gputm__commit_can_take_resent(const struct gputm_commit_unit *self);
void gputm__commit_take_resent(struct gputm_commit_unit *self);

/* ---- commit_unit-memory.c ---- */
/* Count the entry's write-set as pending, once more (1) or once less (-1). */
void gputm__commit_pend(struct gputm_commit_unit *self, const struct entry *entry, int amount);
/* Let a word of the named entry follow the others of a row to a port; they are requests when the
 * row is sent. */
void gputm__commit_gather(struct gputm_commit_unit *self, const struct gputm_commit_word *word,
			  uint32_t name);
void gputm__commit_send(struct gputm_commit_unit *self, uint32_t port);
/* Send a log that is kept to the port of its number. */
void gputm__commit_send_log(struct gputm_commit_unit *self, struct entry *entry, uint32_t log);

/* A word of an entry, by its name, goes to a port, in scalar mode as a request of its own. */
static inline void send_word(struct gputm_commit_unit *self, struct entry *entry, uint32_t name,
			     uint32_t which, const struct gputm_commit_word *word)
{
	struct port *port = &self->port[which];
	struct flight *flight;

	entry->pending++;
	self->queued |= port_bit(which);
	if (self->config.warp_mode) {
		gputm__commit_gather(self, word, name);
		return;
	}
	flight = &port->flight[port->filled++ & port->mask];
	flight->word.address = word->address;
	flight->word.value = word->value;
	flight->word.lane = name;
	flight->span = 1;
}

/* ---- commit_unit-snapshot.c, commit_unit-check.c ---- */
void gputm__commit_io(struct gputm_commit_unit *self, struct gputm__io *io);
void gputm__commit_io_stats(struct gputm_unit *unit, struct gputm__io *io);
const char *gputm__commit_check(const struct gputm_commit_unit *self);
void gputm__commit_laws(const struct gputm_unit *unit, struct gputm__laws *laws);
/* The part of the check that is about one ring entry after the other. */
const char *gputm__commit_check_entries(const struct gputm_commit_unit *self);

#endif /* GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H */
