/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H
#define GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H
/*
 * Layout of the commit unit, shared by its files: commit_unit.c (face, clock, reports),
 * commit_unit-judge.c and commit_unit-input.c (messages), commit_unit-stages.c (what
 * entries go through), commit_unit-memory.c (ports, buffers), commit_unit-snapshot.c and
 * commit_unit-check.c.
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

/*
 * What is rare is out of line; APART is what is merely not the straight line: called
 * last, it spares the straight line a stack frame.
 */
#if defined(__GNUC__)
#define GPUTM__COLD __attribute__((noinline, cold))
#define GPUTM__APART __attribute__((noinline))
#define GPUTM__INLINE inline __attribute__((always_inline))
#else
#define GPUTM__COLD
#define GPUTM__APART
#define GPUTM__INLINE inline
#endif

#define GPUTM__NONE UINT32_MAX

/* Marks of a ring slot. */
enum {
	GPUTM__LAST = 1,     /* last CID of its warp: retiring it reports the warp */
	GPUTM__WAITED = 2,   /* some entry waits for its retirement */
	GPUTM__BODY = 4,     /* its entry struct is in use: no mere skip */
	GPUTM__WORDS = 8,    /* a log word has been pushed */
	GPUTM__CLOSED = 16,  /* done or skip has been pushed */
	GPUTM__JUDGED = 32,  /* a verdict has been pushed */
	GPUTM__ANSWERED = 64, /* the end of the log asked for has been pushed */
	GPUTM__HOLDS = 128   /* a skip with buffers (policy all) */
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
	uint32_t pending;    /* words queued or in flight at a port */
	uint32_t words[2];   /* of the read and write log */
	uint32_t buffer[2];  /* of the read and write log, or NONE */
	uint32_t answered;   /* words pushed of the log asked for */
	uint8_t flags;
	uint8_t asked; /* purpose + 1 of the log asked for */
};

/* Warp mode: what is known of a warp, kept at its last entry. */
struct gputm__commit_group {
	uint64_t seen, active, decided, passed;
};

struct gputm__commit_list {
	uint32_t head, tail;
};

/* A word of a buffer. */
struct gputm__commit_pair {
	uint64_t address;
	uint32_t value;
};

/* A word at a port; the first one of a request says how many belong to it. */
struct gputm__commit_access {
	uint64_t address;
	uint32_t value;
	uint32_t count; /* words of the request; 0 in all but the first */
	uint32_t entry;
	bool done;
};

/* Words by sequence number: done < oldest <= in flight < issued <= queued < filled. */
struct gputm__commit_port {
	struct gputm__commit_access *word; /* [mask + 1] */
	uint64_t oldest, issued, filled;
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

/* Scratch of coalescing; empty between calls. */
struct gputm__commit_region {
	uint64_t address;
	uint32_t first, last, count, bucket;
};
struct gputm__commit_gather {
	struct gputm__commit_access *word;
	struct gputm__commit_region *region;
	uint32_t *next, *bucket;
	uint32_t words, regions, bucket_mask;
};

struct gputm_commit_unit {
	struct gputm_unit unit;
	struct gputm_commit_unit_config config;
	struct gputm_last_writer *history;
	struct gputm__commit_slot *slot;   /* [mask + 1], at least one more than the ring */
	struct gputm__commit_entry *entry; /* [mask + 1] */
	struct gputm__commit_group *group; /* [mask + 1] in warp mode */
	struct gputm__commit_pair *pair;   /* [buffers][buffer_words] */
	uint32_t *buffer_next;		   /* free list */
	uint32_t *pending;		   /* [pending_entries]: words per block */
	struct gputm__commit_gather gather;
	struct gputm__commit_inbox input, resent;
	struct gputm__commit_outbox output;
	struct gputm__commit_port port[2];
	uint64_t address_max, region_mask, expire_at;
	uint32_t mask, pending_shift;

	/* oldest <= commit <= hazard <= head <= oldest + ring; head: above all CIDs named. */
	uint64_t oldest, commit, hazard, head;
	uint64_t hazard_word;		/* words done of the entry at the hazard pointer */
	uint64_t gathered;		/* ready words of the warp at the commit pointer */
	uint64_t pending_unbounded;	/* entries that are pending with an unknown write-set */
	struct gputm__commit_list revalidate, finalise;
	uint32_t buffer_free, buffer_fresh;

	uint64_t cycles;
	uint64_t messages, messages_full, absorbed;
	uint64_t begun, skips, committed, failed_here, failed_elsewhere, skips_retired;
	uint64_t reads, writes;
	uint64_t compared[2]; /* speculatively, and again */
	uint64_t mismatches, read_requests, write_requests, written;
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
	return self->config.port_words - (self->port[port].filled - self->port[port].oldest) -
	       self->gather.words;
}

static inline bool gputm__commit_unbounded(const struct gputm__commit_entry *entry, int log)
{
	return entry->flags & GPUTM__OVERFLOW << log;
}

static inline void gputm__commit_stage(struct gputm_commit_unit *self, uint32_t index,
				       uint8_t stage)
{
	self->slot[index].stage = stage;
	self->entry[index].since = self->cycles;
}

static inline uint64_t gputm__commit_waited(const struct gputm_commit_unit *self, uint32_t index)
{
	return self->cycles - self->entry[index].since;
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

/* The slot of the last CID of a message's warp. */
static inline const struct gputm__commit_slot *
gputm__commit_last_slot(const struct gputm_commit_unit *self,
			const struct gputm_commit_message *message)
{
	uint64_t last = message->first_cid + message->lanes - 1;

	return &self->slot[gputm__commit_index(self, last)];
}

/* Whether no message has named the warp before. Not for warps that have retired. */
static inline bool gputm__commit_is_new(const struct gputm_commit_unit *self,
					const struct gputm_commit_message *message)
{
	return !gputm__commit_last_slot(self, message)->lanes;
}

/* The message that an inbox serves next. */
static inline struct gputm_commit_message *
gputm__commit_front(const struct gputm__commit_inbox *in)
{
	return &in->message[in->head];
}

/* ---- commit_unit-judge.c ---- */
/* 0 if the message may be pushed now; else a negative errno, and why in the log. */
int gputm__commit_judge(const struct gputm_commit_unit *self,
			const struct gputm_commit_message *message);
/* Whether a message that is being loaded may be queued in the state loaded so far. */
bool gputm__commit_queueable(const struct gputm_commit_unit *self,
			     const struct gputm_commit_message *message);

/* ---- commit_unit-input.c ---- */
/* One word, or one whole message; false if the port lacks room for it. */
bool gputm__commit_input(struct gputm_commit_unit *self);
void gputm__commit_resent(struct gputm_commit_unit *self);

/* ---- commit_unit-stages.c ---- */
/* Words of the entry at the pointer, which is in stage HAZARD; false if it has to wait. */
bool gputm__commit_hazard(struct gputm_commit_unit *self, uint32_t index);
void gputm__commit_revalidate(struct gputm_commit_unit *self);
void gputm__commit_finalise(struct gputm_commit_unit *self);
void gputm__commit_commit(struct gputm_commit_unit *self);
void gputm__commit_retire(struct gputm_commit_unit *self);
/* One word of hazard detection, and the end of an entry's. */
void gputm__commit_detect(struct gputm_commit_unit *self, uint32_t index, uint64_t address);
/* Move an entry on whose validation may be complete. */
void gputm__commit_settle(struct gputm_commit_unit *self, uint32_t index);
/* Failed, or all its writes have completed. */
void gputm__commit_finish(struct gputm_commit_unit *self, uint32_t index);
/* Queue the writes of an entry (scalar mode). */
void gputm__commit_issue(struct gputm_commit_unit *self, uint32_t index);
/* Work out when the history's CID range has to move. */
void gputm__commit_set_expiry(struct gputm_commit_unit *self);
/* Let an entry wait for the retirement of its YCID. */
void gputm__commit_wait_for(struct gputm_commit_unit *self, uint32_t index);

/* ---- commit_unit-memory.c ---- */
bool gputm__commit_take_buffer(struct gputm_commit_unit *self, uint32_t index, int log);
void gputm__commit_drop_buffer(struct gputm_commit_unit *self, uint32_t index, int log);
/* A word of that log finds no buffer or a full one: whether it has a place now. */
bool gputm__commit_make_room(struct gputm_commit_unit *self, uint32_t index, int log);
void gputm__commit_collect(struct gputm_commit_unit *self, uint32_t index, uint64_t address,
			   uint32_t value);
/* Queue what is collected, a request per region. */
void gputm__commit_flush(struct gputm_commit_unit *self, int port);
void gputm__commit_send_buffer(struct gputm_commit_unit *self, int port, uint32_t index);
/* Count the entry's write-set as pending, or no longer. */
void gputm__commit_count(struct gputm_commit_unit *self, uint32_t index);
void gputm__commit_uncount(struct gputm_commit_unit *self, uint32_t index);

static inline bool gputm__commit_can_offer(const struct gputm__commit_port *port)
{
	return !port->offered && port->issued != port->filled;
}

static inline const struct gputm__commit_pair *
gputm__commit_buffer(const struct gputm_commit_unit *self, uint32_t index, int log)
{
	return self->pair + (size_t)self->entry[index].buffer[log] * self->config.buffer_words;
}

static inline bool gputm__commit_has_room(const struct gputm_commit_unit *self,
					  const struct gputm__commit_entry *entry, int log)
{
	return entry->buffer[log] != GPUTM__NONE && entry->words[log] < self->config.buffer_words;
}

static inline void gputm__commit_store(struct gputm_commit_unit *self,
				       struct gputm__commit_entry *entry, int log,
				       uint64_t address, uint32_t value)
{
	struct gputm__commit_pair *pair = self->pair + entry->words[log]++ +
					  (size_t)entry->buffer[log] * self->config.buffer_words;

	pair->address = address;
	pair->value = value;
}

/* Keep a log word in the entry's buffer; the log is unbounded if it does not fit. */
static inline void gputm__commit_keep(struct gputm_commit_unit *self, uint32_t index, int log,
				      uint64_t address, uint32_t value)
{
	struct gputm__commit_entry *entry = &self->entry[index];

	if (gputm__commit_has_room(self, entry, log) || gputm__commit_make_room(self, index, log))
		gputm__commit_store(self, entry, log, address, value);
	else
		entry->words[log]++;
}

static inline void gputm__commit_put(struct gputm__commit_port *port, uint32_t index,
				     uint64_t address, uint32_t value, uint32_t count)
{
	struct gputm__commit_access *word = &port->word[port->filled++ & port->mask];

	word->address = address;
	word->value = value;
	word->count = count;
	word->entry = index;
	word->done = false;
}

/* Queue a word as a request (scalar mode), or collect it for flush (warp mode). */
static inline void gputm__commit_send(struct gputm_commit_unit *self, int port, uint32_t index,
				      uint64_t address, uint32_t value)
{
	self->entry[index].pending++;
	if (self->config.warp_mode)
		gputm__commit_collect(self, index, address, value);
	else
		gputm__commit_put(&self->port[port], index, address, value, 1);
}

/* ---- commit_unit-snapshot.c ---- */
void gputm__commit_io(struct gputm_unit *unit, struct gputm__io *io);
/* ---- commit_unit-check.c ---- */
const char *gputm__commit_check(const struct gputm_unit *unit);
/* The part of it that is about one ring entry after the other. */
const char *gputm__commit_check_entries(const struct gputm_commit_unit *self);

#endif /* GPUTM_LIB_KILOTM_COMMIT_UNIT_PRIV_H */
