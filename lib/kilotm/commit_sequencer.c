/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commit sequencer: the core side of a Kilo TM commit.
 *
 * Sources: W. W. L. Fung's thesis, 4.2.4 (log transfer), 4.2.5 and Fig. 4.4a (what
 * passes between a core and the commit units), 4.4.4 (read-only transactions), 6.2 and
 * Fig. 6.3 (what a warp's messages may be packed into).
 *
 * A commit takes a slot and goes through
 *
 *   CREDITS  wants as many credits as lanes with a log
 *   FILL     has its CIDs; its rows are read, grouped by partition and sent; then every
 *            partition hears of every CID: done-fill where it has words, else skip
 *   WAIT     a lane is decided when each partition it touched has reported an outcome; it
 *            passes if all passed. Its verdict goes to those partitions. The commit is done
 *            when all verdicts are out and every partition in which a passed lane writes has
 *            retired the CID, or reported that all its writes have completed: a lane that only
 *            reads is done with its verdict
 *   DRAIN    done for the core; when every partition has retired every CID, the slot ends
 *
 *   core                         partition 0        partition 1
 *     |-- read log, write log ------->|                  |
 *     |-- done-fill ----------------->|                  |
 *     |-- skip ------------------------------------------>|
 *     |<------------------ outcome ---|                  |
 *     |-- verdict ------------------->|                  |
 *     |<------------------ retired ---|                  |   done
 *     |<------------------------------------- retired ---|   retired: credits are free
 *
 * A packet waits in the output buffer as a description (slot, partition, row, lanes); its
 * words are taken from the log when it leaves. The log cannot change meanwhile: the warp
 * is not done before its words have been answered. A slot outlives its packets.
 *
 * Why the log is free at done, before every partition has retired: a partition asks for a
 * log again before it reports an outcome, or to write what it commits. At done all
 * outcomes are in and all that is committed is written.
 *
 * Why verdicts come first and one by one in scalar mode: an outcome may wait for the
 * retirement of an older lane of the same warp, so the verdict of that lane must not wait
 * for the rest of the warp, nor for a log walk that finds the network full.
 *
 * Invariants, checked by check():
 *   I1  a slot is in the rings that its state says, once, and in no other
 *   I2  wrote (lanes whose writes may not have completed) is in touched; answered is in touched
 *       and closed; retired is closed, and answered where touched; a lane is closed when its
 *       done-fill or skip is in the output
 *   I3  decided lanes are those with all answers (warp mode: all lanes or none)
 *   I4  transactions = passed + failed + lanes of commits that are not done
 *   I5  packets = packets_sent + packets in the output buffer
 *   I6  cids_granted = cids_retired + CIDs of slots
 *   I7  a packet and a resend request belong to a slot with CIDs and to lanes of it
 *
 * Differences from the paper:
 *   - lanes with empty logs pass without a CID: they touch no partition;
 *   - the thesis keeps a log until every partition has retired it; see above;
 *   - a lane that has failed in one partition still waits for the outcomes of the others, as
 *     in the thesis; a core could send the verdict at once;
 *   - the back-off is the released simulator's, but that the lane with the most aborts counts,
 *     and there the last lane; the thesis has no back-off, and no number for its watchdog;
 *   - the order of steps over several warps is ours: the thesis gives no order. The released
 *     simulator has the rate (one row a cycle) and a cycle each for CIDs and done-fill.
 */
#include "lib/core/tx_log.h"
#include "lib/kilotm/commit_sequencer-priv.h"

/* ---- rings ---- */

/* Remove number i, keeping the order. */
static void ring_take(struct gputm_commit_sequencer *s, unsigned ring, uint32_t i)
{
	struct gputm__queue *q = &s->ring[ring];

	for (; i; i--)
		*(uint16_t *)gputm__queue_at(q, i) = (uint16_t)ring_at(s, ring, i - 1);
	ring_pop(s, ring);
}

/* ---- the course of a commit ---- */

void gputm__sequencer_finish(struct gputm_commit_sequencer *s, uint32_t slot)
{
	struct slot *c = &s->slot[slot];
	unsigned failed = gputm__popcount(c->failed);

	c->state = DRAIN;
	ring_push(s, TO_DONE, slot);
	s->failed += failed;
	s->passed += gputm__popcount(c->lanes | c->empty) - failed;
	gputm__sample(&s->latency, s->now - c->begun);
	gputm__emit(&s->unit, GPUTM_COMMIT_SEQUENCER_EVENT_FINISH, c->warp,
		    (c->lanes & ~c->failed) | c->empty, c->failed, s->now - c->begun);
}

void gputm__sequencer_settle_decided(struct gputm_commit_sequencer *s, uint32_t slot)
{
	struct slot *c = &s->slot[slot];

	if (c->state == WAIT && is_done(s, slot))
		gputm__sequencer_finish(s, slot);
	if (!is_over(s, slot))
		return;
	ring_push(s, TO_RETIRE, slot);
	gputm__emit(&s->unit, GPUTM_COMMIT_SEQUENCER_EVENT_RETIRE, c->warp, c->first_cid, c->count,
		    s->now);
}

void gputm__sequencer_decide(struct gputm_commit_sequencer *s, uint32_t slot, uint64_t lanes)
{
	struct slot *c = &s->slot[slot];
	bool together = s->config.mode == GPUTM_COMMIT_SEQUENCER_MODE_WARP;
	uint64_t fresh = together ? complete(s, slot) : complete_of(s, slot, lanes);

	if (!fresh)
		return;
	if (!c->due)
		ring_push(s, TO_DECIDE, slot);
	c->decided |= fresh;
	c->due |= fresh;
}

/* ---- steps: what one tick does ---- */

static void make_packet(struct gputm_commit_sequencer *s, uint32_t slot, uint32_t partition,
			enum gputm_commit_unit_message_kind kind, uint32_t row, uint64_t lanes)
{
	struct packet *packet = gputm__queue_add(&s->output);

	packet->lanes = lanes;
	packet->row = row;
	packet->slot = (uint16_t)slot;
	packet->kind = (uint8_t)kind;
	packet->partition = (uint8_t)partition;
	packet->purpose = 0;
	s->slot[slot].waiting++;
	s->packets++;
	gputm__maximum(&s->max_packets, s->output.count);
}

static void send_words(struct gputm_commit_sequencer *s, uint32_t slot, uint32_t partition,
		       enum gputm_commit_unit_message_kind kind, uint32_t row, uint64_t lanes)
{
	s->words += gputm__popcount(lanes);
	if (s->config.pack == GPUTM_COMMIT_SEQUENCER_PACK_ROWS)
		make_packet(s, slot, partition, kind, row, lanes);
	else
		for (; lanes; lanes &= lanes - 1)
			make_packet(s, slot, partition, kind, row, lanes & -lanes);
}

static bool packs_verdict(const struct gputm_commit_sequencer *s)
{
	return s->config.pack_verdict || s->config.mode == GPUTM_COMMIT_SEQUENCER_MODE_WARP;
}

static void verdict_step(struct gputm_commit_sequencer *s)
{
	uint32_t slot = ring_oldest(s, TO_DECIDE);
	struct slot *c = &s->slot[slot];
	uint64_t lanes = packs_verdict(s) ? c->due : c->due & -c->due;

	for (uint32_t p = 0; p < s->config.partitions; p++)
		if (shares(s, slot)[p].touched & lanes)
			make_packet(s, slot, p, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 0,
				    shares(s, slot)[p].touched & lanes);
	c->due &= ~lanes;
	if (!c->due)
		ring_pop(s, TO_DECIDE);
	gputm__emit(&s->unit, GPUTM_COMMIT_SEQUENCER_EVENT_VERDICT, c->warp, lanes,
		    lanes & ~c->failed, s->now);
	gputm__sequencer_settle(s, slot);
}

/* Rows `row` .. `row` + count - 1 have been read. */
static void walk_rows(struct gputm_commit_sequencer *s, const struct slot *c, uint32_t row,
		      uint32_t count)
{
	const struct gputm_tx_log *log = s->log[c->warp];

	s->rows_walked += count;
	if (log) /* a snapshot may have come without it */
		s->spilled_rows += gputm__tx_log_spilled(log, row + count) -
				   gputm__tx_log_spilled(log, row);
}

/* The cycle from which the walk that reads this row now may read the next row. */
static uint64_t after_row(struct gputm_commit_sequencer *s, const struct slot *c, uint32_t row)
{
	uint64_t spilled = s->spilled_rows;

	walk_rows(s, c, row, 1);
	return gputm__later(s->now, 1 + (s->spilled_rows - spilled) *
					    s->config.spilled_row_cycles);
}

static uint32_t log_rows(const struct gputm_commit_sequencer *s, const struct slot *c,
			 enum gputm_tx_log_kind kind)
{
	return s->log[c->warp] ? gputm_tx_log_rows(s->log[c->warp], kind) : 0;
}

/* ---- resending ---- */

void gputm__sequencer_find_row(struct gputm_commit_sequencer *s)
{
	const struct resend *r = first_resend(s);
	const struct slot *c = &s->slot[r->slot];
	enum gputm_tx_log_kind kind = log_for(r->purpose);

	s->resend_next = s->resend_row;
	if (s->resend.count && s->resend_row < log_rows(s, c, kind))
		s->resend_next = gputm__tx_log_row_of(s->log[c->warp], kind, s->resend_row,
						      gputm__lowest(r->lane), r->partition);
}

static void resend_end(struct gputm_commit_sequencer *s, const struct resend *r)
{
	make_packet(s, r->slot, r->partition, GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE, 0, r->lane);
	s->resends++;
	gputm__emit(&s->unit, GPUTM_COMMIT_SEQUENCER_EVENT_RESEND, s->slot[r->slot].warp,
		    r->partition, gputm__lowest(r->lane), r->purpose);
	gputm__queue_take(&s->resend);
	s->resend_row = 0;
	s->resend_ready = 0;
	gputm__sequencer_find_row(s);
}

static void name_purpose(struct gputm_commit_sequencer *s, uint32_t made, uint8_t purpose)
{
	for (uint32_t i = s->output.count - made; i < s->output.count; i++)
		((struct packet *)gputm__queue_at(&s->output, i))->purpose = purpose;
}

static void resend_step(struct gputm_commit_sequencer *s)
{
	const struct resend r = *first_resend(s);
	const struct slot *c = &s->slot[r.slot];
	uint32_t before = s->output.count;

	if (s->resend_row >= log_rows(s, c, log_for(r.purpose))) {
		resend_end(s, &r);
	} else {
		bool silent = s->resend_row < s->resend_next;

		if (!silent)
			send_words(s, r.slot, r.partition, GPUTM_COMMIT_UNIT_MESSAGE_RESENT,
				   s->resend_row, r.lane);
		s->resend_ready = after_row(s, c, s->resend_row++);
		if (!silent)
			gputm__sequencer_find_row(s);
	}
	name_purpose(s, s->output.count - before, r.purpose);
}

/*
 * How many of the next ticks only walk rows without a word for the resend request: in these no
 * other step is taken, and nothing is sent.
 */
static uint64_t silent_steps(const struct gputm_commit_sequencer *s)
{
	if (!s->resend.count || s->ring[TO_DECIDE].count || s->resend_ready > s->now ||
	    s->config.spilled_row_cycles ||
	    s->config.output_packets - s->output.count < s->burst)
		return 0;
	return s->resend_next - s->resend_row;
}

static void step_silently(struct gputm_commit_sequencer *s, uint32_t steps)
{
	const struct resend *r = first_resend(s);

	walk_rows(s, &s->slot[r->slot], s->resend_row, steps);
	s->resend_row += steps;
	s->now += steps;
	s->resend_ready = s->now;
	s->port_used = false;
}

/* ---- filling ---- */

/* The fill step that follows after `row` rows of the present log have been walked. */
static void next_step(const struct gputm_commit_sequencer *s, struct slot *c)
{
	while (c->step != CLOSE) {
		enum gputm_tx_log_kind kind = c->step == READS ? GPUTM_TX_LOG_KIND_READ
							       : GPUTM_TX_LOG_KIND_WRITE;

		if (c->step != TAKE && c->row < log_rows(s, c, kind))
			return;
		c->step++;
		c->row = 0;
	}
}

static void row_step(struct gputm_commit_sequencer *s, uint32_t slot)
{
	struct slot *c = &s->slot[slot];
	struct share *share = shares(s, slot);
	bool writes = c->step == WRITES;
	uint64_t lanes_of[64], set = 0;

	if (!s->log[c->warp] ||
	    gputm_tx_log_get_group(s->log[c->warp],
				   writes ? GPUTM_TX_LOG_KIND_WRITE : GPUTM_TX_LOG_KIND_READ,
				   c->row, c->lanes, lanes_of, &set))
		gputm__assert(false && "the log has lost rows during the commit");
	gputm__emit(&s->unit, GPUTM_COMMIT_SEQUENCER_EVENT_ROW, c->warp, writes, c->row, set);
	for (; set; set &= set - 1) {
		unsigned p = gputm__lowest(set);

		share[p].touched |= lanes_of[p];
		share[p].wrote |= writes ? lanes_of[p] : 0;
		send_words(s, slot, p,
			   writes ? GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG
				  : GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG,
			   c->row, lanes_of[p]);
	}
	c->ready = after_row(s, c, c->row++);
	next_step(s, c);
}

static void close_step(struct gputm_commit_sequencer *s, uint32_t slot, uint32_t place)
{
	struct slot *c = &s->slot[slot];
	uint64_t lanes = s->config.pack_done ? c->open : c->open & -c->open;

	for (uint32_t p = 0; p < s->config.partitions; p++)
		make_packet(s, slot, p, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 0, lanes);
	c->open &= ~lanes;
	if (c->open)
		return;
	c->state = WAIT;
	ring_take(s, TO_FILL, place);
	gputm__emit(&s->unit, GPUTM_COMMIT_SEQUENCER_EVENT_FILL, c->warp, c->first_cid, s->now, 0);
	gputm__sequencer_settle(s, slot);
}

/* Take a step of number `place` in the ring TO_FILL. */
static void fill_step(struct gputm_commit_sequencer *s, uint32_t place)
{
	uint32_t slot = ring_at(s, TO_FILL, place);
	struct slot *c = &s->slot[slot];

	if (c->step == CLOSE)
		close_step(s, slot, place);
	else if (c->step == TAKE)
		next_step(s, c);
	else
		row_step(s, slot);
}

/* The first fill that can step now; the ring's count if there is none. */
static uint32_t ready_fill(const struct gputm_commit_sequencer *s)
{
	uint32_t i = 0;

	while (i < s->ring[TO_FILL].count && s->slot[ring_at(s, TO_FILL, i)].ready > s->now)
		i++;
	return i;
}

/* Whether a step may be due. */
static inline bool has_steps(const struct gputm_commit_sequencer *s)
{
	return s->ring[TO_DECIDE].count | s->resend.count | s->ring[TO_FILL].count;
}

static void engine(struct gputm_commit_sequencer *s)
{
	bool verdict = s->ring[TO_DECIDE].count;
	bool resend = s->resend.count && s->resend_ready <= s->now;
	uint32_t fill = ready_fill(s);

	if (!verdict && !resend && fill == s->ring[TO_FILL].count)
		return;
	if (s->config.output_packets - s->output.count < s->burst)
		s->stalls++;
	else if (verdict)
		verdict_step(s);
	else if (resend)
		resend_step(s);
	else
		fill_step(s, fill);
}

/* ---- time ---- */

/* The offers at the start of a cycle, in which the port has sent nothing yet. */
static inline int offers(const struct gputm_commit_sequencer *s)
{
	int offers = s->output.count ? GPUTM_COMMIT_SEQUENCER_OFFER_PACKET : 0;

	if (s->ring[TO_DONE].count)
		offers |= GPUTM_COMMIT_SEQUENCER_OFFER_DONE;
	if (s->ring[TO_RETIRE].count)
		offers |= GPUTM_COMMIT_SEQUENCER_OFFER_RETIRED;
	return offers;
}

int gputm_commit_sequencer_tick(struct gputm_commit_sequencer *s)
{
	s->port_used = false;
	if (has_steps(s))
		engine(s);
	s->now++;
	return offers(s);
}

/* Ticks until the first step, or until the port offers the next packet. */
static inline uint64_t idle_ticks(const struct gputm_commit_sequencer *s)
{
	uint64_t ready = UINT64_MAX;

	if ((s->port_used && s->output.count) || s->ring[TO_DECIDE].count)
		return 0;
	if (!has_steps(s))
		return UINT64_MAX;
	if (s->resend.count)
		ready = s->resend_ready;
	for (uint32_t i = 0; i < s->ring[TO_FILL].count; i++) {
		uint64_t at = s->slot[ring_at(s, TO_FILL, i)].ready;

		ready = at < ready ? at : ready;
	}
	return ready > s->now ? ready - s->now : 0;
}

uint64_t gputm_commit_sequencer_next_event(const struct gputm_commit_sequencer *s)
{
	return idle_ticks(s);
}

uint64_t gputm_commit_sequencer_next_offer(const struct gputm_commit_sequencer *s)
{
	uint64_t idle;

	if (offers(s))
		return 0;
	idle = idle_ticks(s);
	return idle ? idle : silent_steps(s);
}

/* Take the next steps, in at most `cycles` ticks. @return the number of ticks. */
static uint64_t step(struct gputm_commit_sequencer *s, uint64_t cycles)
{
	uint64_t silent = silent_steps(s);

	if (!silent) {
		gputm_commit_sequencer_tick(s);
		return 1;
	}
	silent = silent < cycles ? silent : cycles;
	step_silently(s, (uint32_t)silent);
	return silent;
}

int gputm_commit_sequencer_advance(struct gputm_commit_sequencer *s, uint64_t cycles)
{
	while (cycles) {
		uint64_t idle = idle_ticks(s);

		if (!idle) {
			cycles -= step(s, cycles);
			continue;
		}
		idle = idle < cycles ? idle : cycles;
		s->port_used = false;
		s->now = gputm__later(s->now, idle);
		cycles -= idle;
	}
	return s->port_used ? offers(s) & ~GPUTM_COMMIT_SEQUENCER_OFFER_PACKET : offers(s);
}

uint64_t gputm_commit_sequencer_now(const struct gputm_commit_sequencer *s)
{
	return s->now;
}
