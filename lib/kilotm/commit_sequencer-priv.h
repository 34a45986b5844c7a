/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_SEQUENCER_PRIV_H
#define GPUTM_LIB_KILOTM_COMMIT_SEQUENCER_PRIV_H
/* The inside of the sequencer: commit_sequencer.c is the engine,
 * commit_sequencer-port.c what passes through its ports, commit_sequencer-face.c describes it. */
#include "gputm/commit_sequencer.h"
#include "lib/base/unit.h"

#define MAX_SLOTS 4096u
#define MAX_WARPS 1024u

enum state { FREE, CREDITS, FILL, WAIT, DRAIN };

/* Steps of a fill. */
enum step { TAKE, READS, WRITES, CLOSE };

struct packet {
	uint64_t lanes;
	uint32_t row;
	uint16_t slot;
	uint8_t kind; /* enum gputm_commit_message_kind */
	uint8_t partition;
	uint8_t purpose;
};

struct resend {
	uint64_t lane; /* one bit */
	uint16_t slot;
	uint8_t partition;
	uint8_t purpose;
};

struct slot {
	uint8_t state, step;
	bool held; /* the warp's commit: not popped as done */
	uint32_t warp, row, count;
	uint32_t waiting;      /* packets in the output buffer; derived */
	uint64_t lanes, empty; /* with a CID, without */
	uint64_t first_cid;
	uint64_t open; /* done-fill or skip not in the output yet */
	uint64_t decided, failed, due;
	uint64_t begun, ready; /* cycles */
};

/* What the lanes of a slot have to do with one partition. */
struct share {
	uint64_t touched, wrote, answered, retired;
};

struct ring {
	uint16_t *slot;
	uint32_t head, count;
};

enum { TO_GRANT, TO_FILL, TO_DECIDE, TO_DONE, TO_RETIRE, RINGS };

struct gputm_commit_sequencer {
	struct gputm_unit unit;
	struct gputm_commit_sequencer_config config;
	const struct gputm_tx_log **log; /* [warps] */
	struct slot *slot;		 /* [slots] */
	struct share *share;		 /* [slots][partitions] */
	struct ring ring[RINGS];	 /* [slots] each */
	struct packet *packet;		 /* [output_packets] */
	struct resend *resend;		 /* [resend_requests] */
	uint16_t *slot_of;		 /* [warps]: 1 + slot held, or 0; derived */
	uint64_t used[MAX_SLOTS / 64];	 /* bit per slot that is not FREE; derived */
	uint64_t lane_mask;
	uint32_t burst; /* packets of the largest step */
	uint32_t first_packet, packet_count;
	uint32_t first_resend, resend_count, resend_row;
	uint32_t resend_next; /* from resend_row on, the first row to be sent; derived */
	uint64_t resend_ready;
	bool port_used; /* a packet has left in this cycle */
	uint64_t now, next_cid;
	uint64_t commits, transactions, passed, failed, without_cid, refused;
	uint64_t cids_granted, cids_retired, packets, packets_sent, words, rows_walked;
	uint64_t spilled_rows, stalls, resends, max_slots, max_packets;
	struct gputm__histogram latency;
};

static inline uint32_t wrap(uint32_t at, uint32_t size)
{
	return at < size ? at : at - size;
}

static inline uint32_t ring_at(const struct gputm_commit_sequencer *s, unsigned ring, uint32_t i)
{
	return s->ring[ring].slot[wrap(s->ring[ring].head + i, s->config.slots)];
}

static inline void ring_push(struct gputm_commit_sequencer *s, unsigned ring, uint32_t slot)
{
	struct ring *r = &s->ring[ring];

	gputm__assert(r->count < s->config.slots);
	r->slot[wrap(r->head + r->count++, s->config.slots)] = (uint16_t)slot;
}

static inline uint32_t ring_pop(struct gputm_commit_sequencer *s, unsigned ring)
{
	uint32_t slot = ring_at(s, ring, 0);

	s->ring[ring].head = wrap(s->ring[ring].head + 1, s->config.slots);
	s->ring[ring].count--;
	return slot;
}

static inline struct share *shares(const struct gputm_commit_sequencer *s, uint32_t slot)
{
	return &s->share[(size_t)slot * s->config.partitions];
}

static inline void set_used(struct gputm_commit_sequencer *s, uint32_t slot)
{
	s->used[slot / 64] |= UINT64_C(1) << (slot & 63);
}

static inline uint32_t slots_in_use(const struct gputm_commit_sequencer *s)
{
	uint32_t count = 0;

	for (uint32_t at = 0; at < s->config.slots; at += 64)
		count += gputm__popcount(s->used[at / 64]);
	return count;
}

static inline bool all_retired(const struct gputm_commit_sequencer *s, uint32_t slot)
{
	const struct share *share = shares(s, slot);
	uint64_t retired = UINT64_MAX;

	for (uint32_t p = 0; p < s->config.partitions; p++)
		retired &= share[p].retired;
	return (retired & s->slot[slot].lanes) == s->slot[slot].lanes;
}

static inline bool is_over(const struct gputm_commit_sequencer *s, uint32_t slot)
{
	const struct slot *c = &s->slot[slot];

	return c->state == DRAIN && !c->held && !c->waiting && all_retired(s, slot);
}

static inline bool is_done(const struct gputm_commit_sequencer *s, uint32_t slot)
{
	const struct slot *c = &s->slot[slot];
	const struct share *share = shares(s, slot);
	uint64_t writing = 0;

	if (c->open || c->decided != c->lanes || c->due)
		return false;
	for (uint32_t p = 0; p < s->config.partitions; p++)
		writing |= share[p].wrote & ~share[p].retired;
	return !(writing & ~c->failed);
}

/* The lanes of which every answer is in. */
static inline uint64_t complete(const struct gputm_commit_sequencer *s, uint32_t slot)
{
	const struct share *share = shares(s, slot);
	uint64_t lanes = s->slot[slot].lanes & ~s->slot[slot].open;

	for (uint32_t p = 0; p < s->config.partitions; p++)
		lanes &= ~share[p].touched | share[p].answered;
	if (s->config.mode == GPUTM_COMMIT_SEQUENCER_WARP && lanes != s->slot[slot].lanes)
		return 0;
	return lanes;
}

/* Lanes of the warp and CIDs of the message are the same when no lane below is left out. */
static inline bool same_lanes(uint64_t lanes)
{
	return !(lanes & (lanes + 1));
}

static inline enum gputm_tx_log_kind log_for(uint32_t purpose)
{
	return purpose == GPUTM_COMMIT_FOR_RECORD || purpose == GPUTM_COMMIT_FOR_COMMIT
		       ? GPUTM_TX_LOG_WRITE
		       : GPUTM_TX_LOG_READ;
}

/* The commit is done for the core. */
void gputm__sequencer_finish(struct gputm_commit_sequencer *s, uint32_t slot);
/* See whether the commit is done, and whether it is over. */
void gputm__sequencer_settle(struct gputm_commit_sequencer *s, uint32_t slot);
/* See which lanes have all their answers. */
void gputm__sequencer_decide(struct gputm_commit_sequencer *s, uint32_t slot);
/* Find the next row of the first resend request that has a word for the partition. */
void gputm__sequencer_find_row(struct gputm_commit_sequencer *s);
/* 0, or -EINVAL: the log is of another geometry. NULL fits. */
int gputm__sequencer_fits(const struct gputm_commit_sequencer *s, const struct gputm_tx_log *log);
/* NULL or the first broken invariant (commit_sequencer-check.c). */
const char *gputm__sequencer_check(const struct gputm_commit_sequencer *s);

#endif /* GPUTM_LIB_KILOTM_COMMIT_SEQUENCER_PRIV_H */
