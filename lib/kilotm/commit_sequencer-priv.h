/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_KILOTM_COMMIT_SEQUENCER_PRIV_H
#define GPUTM_LIB_KILOTM_COMMIT_SEQUENCER_PRIV_H
/* The inside of the sequencer: commit_sequencer.c is the engine,
 * commit_sequencer-port.c what passes through its ports, commit_sequencer-face.c describes it. */
#include "gputm/commit_sequencer.h"
#include "lib/base/queue.h"

#define MAX_SLOTS 4096u
#define MAX_WARPS 1024u

enum state { FREE, CREDITS, FILL, WAIT, DRAIN };

/* Steps of a fill. */
enum step { TAKE, READS, WRITES, CLOSE };

struct packet {
	uint64_t lanes;
	uint32_t row;
	uint16_t slot;
	uint8_t kind; /* enum gputm_commit_unit_message_kind */
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
	bool held; /* the warp's commit has not been popped as done */
	uint32_t warp, row, count;
	uint32_t waiting;      /* packets in the output buffer; derived */
	uint64_t lanes, empty; /* with a CID, without */
	uint64_t first_cid;
	uint64_t open; /* its done-fill or skip is not in the output yet */
	uint64_t decided, failed, due;
	uint64_t begun, ready; /* cycles */
};

/* The lanes of a slot, as one partition sees them. */
struct share {
	uint64_t touched, wrote, answered, retired; /* wrote: and the writes may not be complete */
};

enum { TO_GRANT, TO_FILL, TO_DECIDE, TO_DONE, TO_RETIRE, RINGS };

struct gputm_commit_sequencer {
	struct gputm_unit unit;
	struct gputm_commit_sequencer_config config;
	const struct gputm_tx_log **log; /* [warps] */
	struct slot *slot;		 /* [slots] */
	struct share *share;		 /* [slots][partitions] */
	struct gputm__queue ring[RINGS]; /* uint16_t, numbers of slots */
	struct gputm__queue output;	 /* struct packet */
	struct gputm__queue resend;	 /* struct resend */
	uint16_t *slot_of;		 /* [warps]: 1 + slot held, or 0; derived */
	uint64_t used[MAX_SLOTS / 64];	 /* bit per slot that is not FREE; derived */
	uint64_t lane_mask;
	uint32_t burst; /* packets of the largest step */
	uint32_t resend_row; /* of the first resend request */
	uint32_t resend_next; /* first row to send, from resend_row on; derived */
	uint64_t resend_ready;
	bool port_used; /* a packet has left in the present cycle */
	uint64_t now, next_cid;
	uint64_t commits, transactions, passed, failed, without_cid, refused;
	uint64_t cids_granted, cids_retired, packets, packets_sent, words, rows_walked;
	uint64_t spilled_rows, stalls, resends, max_slots, max_packets;
	struct gputm__histogram latency;
};

static inline uint32_t ring_at(const struct gputm_commit_sequencer *s, unsigned ring, uint32_t i)
{
	return *(const uint16_t *)gputm__queue_at(&s->ring[ring], i);
}

static inline uint32_t ring_oldest(const struct gputm_commit_sequencer *s, unsigned ring)
{
	return *(const uint16_t *)gputm__queue_oldest(&s->ring[ring]);
}

static inline void ring_push(struct gputm_commit_sequencer *s, unsigned ring, uint32_t slot)
{
	gputm__queue_put(&s->ring[ring], uint16_t, (uint16_t)slot);
}

static inline uint32_t ring_pop(struct gputm_commit_sequencer *s, unsigned ring)
{
	return *(const uint16_t *)gputm__queue_take(&s->ring[ring]);
}

/* The next packet to leave, and the resend request being served. */
static inline const struct packet *first_packet(const struct gputm_commit_sequencer *s)
{
	return gputm__queue_oldest(&s->output);
}

static inline const struct resend *first_resend(const struct gputm_commit_sequencer *s)
{
	return gputm__queue_oldest(&s->resend);
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
	for (uint32_t p = 0; p < s->config.partitions && !writing; p++)
		writing = share[p].wrote & ~share[p].retired & ~c->failed;
	return !writing;
}

/* Closed lanes, of those given, whose answers have all arrived. */
static inline uint64_t complete_of(const struct gputm_commit_sequencer *s, uint32_t slot,
				   uint64_t lanes)
{
	const struct share *share = shares(s, slot);

	for (uint32_t p = 0; p < s->config.partitions && lanes; p++)
		lanes &= ~share[p].touched | share[p].answered;
	return lanes;
}

/* The lanes whose answers have all arrived; in warp mode all lanes or none. */
static inline uint64_t complete(const struct gputm_commit_sequencer *s, uint32_t slot)
{
	const struct slot *c = &s->slot[slot];
	uint64_t lanes = complete_of(s, slot, c->lanes & ~c->open);

	return s->config.mode == GPUTM_COMMIT_SEQUENCER_MODE_WARP && lanes != c->lanes ? 0 : lanes;
}

/* If no lane below is missing, the message's mask by lanes of the warp equals its mask by CIDs. */
static inline bool same_lanes(uint64_t lanes)
{
	return !(lanes & (lanes + 1));
}

static inline enum gputm_tx_log_kind log_for(uint32_t purpose)
{
	return purpose == GPUTM_COMMIT_UNIT_PURPOSE_RECORD ||
			       purpose == GPUTM_COMMIT_UNIT_PURPOSE_COMMIT
		       ? GPUTM_TX_LOG_KIND_WRITE
		       : GPUTM_TX_LOG_KIND_READ;
}

/* The commit is done, as far as the core is concerned. */
void gputm__sequencer_finish(struct gputm_commit_sequencer *s, uint32_t slot);
/* The commit is decided: check whether it is done, and whether it has ended. */
void gputm__sequencer_settle_decided(struct gputm_commit_sequencer *s, uint32_t slot);
/* Check which of these lanes have all their answers. */
void gputm__sequencer_decide(struct gputm_commit_sequencer *s, uint32_t slot, uint64_t lanes);
/* Find the next row with a word for the partition of the first resend request. */
void gputm__sequencer_find_row(struct gputm_commit_sequencer *s);
/* Does the log have the lanes and partitions of the sequencer? 0, or -EINVAL; NULL fits. */
int gputm__sequencer_fits(const struct gputm_commit_sequencer *s, const struct gputm_tx_log *log);
/* NULL or the first broken invariant (commit_sequencer-check.c). */
const char *gputm__sequencer_check(const struct gputm_commit_sequencer *s);

/* Check whether the commit is done, and whether it has ended. */
static inline void gputm__sequencer_settle(struct gputm_commit_sequencer *s, uint32_t slot)
{
	const struct slot *c = &s->slot[slot];

	if (c->state >= WAIT && c->decided == c->lanes)
		gputm__sequencer_settle_decided(s, slot);
}

#endif /* GPUTM_LIB_KILOTM_COMMIT_SEQUENCER_PRIV_H */
