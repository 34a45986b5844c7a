/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes into the sequencer and comes out of it between two ticks; the essay stands in
 * commit_sequencer.c.
 */
#include "lib/kilotm/commit_sequencer-priv.h"

/* ---- slots and lanes ---- */

/* The lowest free slot, or slots when there is none. */
static uint32_t free_slot(const struct gputm_commit_sequencer *s)
{
	for (uint32_t at = 0; at < s->config.slots; at += 64)
		if (~s->used[at / 64]) {
			uint32_t slot = at + gputm__lowest(~s->used[at / 64]);

			return slot < s->config.slots ? slot : s->config.slots;
		}
	return s->config.slots;
}

static void end_slot(struct gputm_commit_sequencer *s, uint32_t slot)
{
	memset(&s->slot[slot], 0, sizeof(s->slot[slot]));
	memset(shares(s, slot), 0, s->config.partitions * sizeof(struct share));
	s->used[slot / 64] &= ~(UINT64_C(1) << (slot & 63));
}

/* The slot of a warp's CIDs, or slots when there is none. */
static uint32_t find(const struct gputm_commit_sequencer *s, uint64_t first_cid, uint32_t count)
{
	for (uint32_t at = 0; at < s->config.slots; at += 64)
		for (uint64_t m = s->used[at / 64]; m; m &= m - 1) {
			uint32_t slot = at + gputm__lowest(m);

			if (s->slot[slot].first_cid == first_cid && s->slot[slot].count == count &&
			    count)
				return slot;
		}
	return s->config.slots;
}

static uint64_t to_cids(uint64_t all, uint64_t lanes)
{
	uint64_t cids = 0, bit = 1;

	if (same_lanes(all))
		return lanes;
	if (lanes && !(lanes & (lanes - 1)))
		return bit << gputm__popcount(all & (lanes - 1));
	for (; all; all &= all - 1, bit <<= 1)
		if (lanes & all & -all)
			cids |= bit;
	return cids;
}

static uint64_t to_lanes(uint64_t all, uint64_t cids)
{
	uint64_t lanes = 0;

	if (same_lanes(all))
		return cids;
	for (; all; all &= all - 1, cids >>= 1)
		if (cids & 1)
			lanes |= all & -all;
	return lanes;
}

/* ---- inputs ---- */

static const struct gputm_tx_log_config *config_of(const struct gputm_tx_log *log)
{
	return gputm_unit_config(gputm_tx_log_unit((struct gputm_tx_log *)(uintptr_t)log));
}

int gputm__sequencer_fits(const struct gputm_commit_sequencer *s, const struct gputm_tx_log *log)
{
	const struct gputm_tx_log_config *c = log ? config_of(log) : NULL;

	if (!c || (c->lanes == s->config.lanes && c->partitions == s->config.partitions))
		return 0;
	return gputm__refuse(&s->unit, "log with lanes = %u, partitions = %u; "
			     "the sequencer has %u and %u", c->lanes, c->partitions,
			     s->config.lanes, s->config.partitions);
}

static int refuse_warp(const struct gputm_commit_sequencer *s, uint32_t warp)
{
	return gputm__out_of_range(&s->unit, "warp", warp, 0, s->config.warps - 1);
}

int gputm_commit_sequencer_attach(struct gputm_commit_sequencer *s, uint32_t warp,
				  const struct gputm_tx_log *log)
{
	int error;

	if (warp >= s->config.warps)
		return refuse_warp(s, warp);
	if (s->slot_of[warp] && s->log[warp])
		return gputm__refuse(&s->unit, "warp %u commits: its log stays", warp);
	error = gputm__sequencer_fits(s, log);
	if (error)
		return error;
	s->log[warp] = log;
	gputm__sequencer_find_row(s);
	return 0;
}

int gputm_commit_sequencer_begin_probe(const struct gputm_commit_sequencer *s, uint32_t warp,
				       uint64_t lanes)
{
	if (warp >= s->config.warps)
		return refuse_warp(s, warp);
	if (lanes & ~s->lane_mask)
		return gputm__out_of_range(&s->unit, "lanes", lanes, 1, s->lane_mask);
	if (!lanes)
		return gputm__refuse(&s->unit, "lanes = 0: no lane of warp %u commits", warp);
	if (!s->log[warp])
		return gputm__refuse(&s->unit, "warp %u has no log", warp);
	if (s->slot_of[warp])
		return gputm__refuse(&s->unit, "warp %u commits already", warp);
	return free_slot(s) < s->config.slots ? GPUTM_COMMIT_SEQUENCER_OK
					      : GPUTM_COMMIT_SEQUENCER_BUSY;
}

static void start(struct gputm_commit_sequencer *s, uint32_t slot, uint32_t warp, uint64_t lanes)
{
	const struct gputm_tx_log *log = s->log[warp];
	struct slot *c = &s->slot[slot];

	c->lanes = lanes & (gputm_tx_log_lanes(log, GPUTM_TX_LOG_KIND_READ) |
			    gputm_tx_log_lanes(log, GPUTM_TX_LOG_KIND_WRITE));
	c->empty = lanes & ~c->lanes;
	c->open = c->lanes;
	c->warp = warp;
	c->held = true;
	c->begun = s->now;
	s->slot_of[warp] = (uint16_t)(slot + 1);
	set_used(s, slot);
	s->commits++;
	s->transactions += gputm__popcount(lanes);
	s->without_cid += gputm__popcount(c->empty);
	gputm__emit(&s->unit, GPUTM_COMMIT_SEQUENCER_EVENT_BEGIN, warp, lanes, c->lanes,
		    s->now);
}

int gputm_commit_sequencer_begin(struct gputm_commit_sequencer *s, uint32_t warp, uint64_t lanes)
{
	int result = gputm_commit_sequencer_begin_probe(s, warp, lanes);
	uint32_t slot = free_slot(s);

	if (result != GPUTM_COMMIT_SEQUENCER_OK) {
		s->refused += result == GPUTM_COMMIT_SEQUENCER_BUSY;
		return result;
	}
	start(s, slot, warp, lanes);
	if (s->slot[slot].lanes) {
		s->slot[slot].state = CREDITS;
		ring_push(s, TO_GRANT, slot);
	} else {
		gputm__sequencer_finish(s, slot);
	}
	gputm__maximum(&s->max_slots, slots_in_use(s));
	return GPUTM_COMMIT_SEQUENCER_OK;
}

bool gputm_commit_sequencer_wants(const struct gputm_commit_sequencer *s, uint32_t *warp,
				  uint32_t *count)
{
	const struct slot *c;

	if (!s->ring[TO_GRANT].count)
		return false;
	c = &s->slot[ring_oldest(s, TO_GRANT)];
	*warp = c->warp;
	*count = gputm__popcount(c->lanes);
	return true;
}

int gputm_commit_sequencer_grant(struct gputm_commit_sequencer *s, uint64_t first_cid)
{
	struct slot *c;
	uint32_t slot;

	if (!s->ring[TO_GRANT].count)
		return gputm__refuse(&s->unit, "no warp wants a CID");
	slot = ring_oldest(s, TO_GRANT);
	c = &s->slot[slot];
	if (first_cid < s->next_cid || first_cid > UINT64_MAX - GPUTM_COMMIT_UNIT_LANES_MAX)
		return gputm__refuse(&s->unit, "first_cid = %llu is not at least %llu",
				     (unsigned long long)first_cid,
				     (unsigned long long)s->next_cid);
	ring_pop(s, TO_GRANT);
	c->first_cid = first_cid;
	c->count = gputm__popcount(c->lanes);
	c->state = FILL;
	c->step = TAKE;
	ring_push(s, TO_FILL, slot);
	s->next_cid = first_cid + c->count;
	s->cids_granted += c->count;
	gputm__emit(&s->unit, GPUTM_COMMIT_SEQUENCER_EVENT_GRANT, c->warp, first_cid, c->count,
		    s->now);
	return 0;
}

/* Lanes that have passed everywhere, and may not have written all that they write here. */
static inline uint64_t still_writing(const struct slot *c, const struct share *h)
{
	return h->wrote & c->decided & ~c->failed & ~c->due & ~h->retired;
}

static int probe_resend(const struct gputm_commit_sequencer *s, const struct slot *c,
			const struct share *h, uint64_t lanes,
			const struct gputm_commit_unit_report *report)
{
	bool commits = report->purpose == GPUTM_COMMIT_UNIT_PURPOSE_COMMIT;
	uint64_t may = commits ? still_writing(c, h)
			       : h->touched & ~c->open & ~h->answered;

	if (report->purpose > GPUTM_COMMIT_UNIT_PURPOSE_COMMIT || lanes & (lanes - 1) ||
	    lanes & ~may)
		return gputm__refuse(&s->unit,
				     "resend request of first CID %llu, mask 0x%llx, purpose %u: "
				     "no lane to be sent again now",
				     (unsigned long long)report->first_cid,
				     (unsigned long long)report->mask, report->purpose);
	return gputm__queue_full(&s->resend) ? GPUTM_COMMIT_SEQUENCER_BUSY
					     : GPUTM_COMMIT_SEQUENCER_OK;
}

static int probe_lanes(const struct gputm_commit_sequencer *s,
		       const struct gputm_commit_unit_report *report, uint64_t lanes, uint64_t may)
{
	static const char *const name[] = { "outcome", "retirement", "", "end of writing" };

	if (!(lanes & ~may) && !(report->yes & ~report->mask))
		return GPUTM_COMMIT_SEQUENCER_OK;
	return gputm__refuse(&s->unit, "%s of first CID %llu, mask 0x%llx: it is not expected",
			     name[report->kind], (unsigned long long)report->first_cid,
			     (unsigned long long)report->mask);
}

static inline int probe_report(const struct gputm_commit_sequencer *s, uint32_t partition,
				      const struct gputm_commit_unit_report *report, uint32_t *slot,
				      uint64_t *lanes)
{
	const struct share *h;
	const struct slot *c;

	if (partition >= s->config.partitions)
		return gputm__out_of_range(&s->unit, "partition", partition, 0,
					   s->config.partitions - 1);
	*slot = find(s, report->first_cid, report->lanes);
	if (*slot == s->config.slots || !report->mask ||
	    report->mask & ~gputm__low_mask(report->lanes))
		return gputm__refuse(&s->unit, "report of first CID %llu, lanes %u, mask 0x%llx: "
				     "no such commit",
				     (unsigned long long)report->first_cid, report->lanes,
				     (unsigned long long)report->mask);
	c = &s->slot[*slot];
	h = &shares(s, *slot)[partition];
	*lanes = to_lanes(c->lanes, report->mask);
	switch (report->kind) {
	case GPUTM_COMMIT_UNIT_REPORT_OUTCOME:
		return probe_lanes(s, report, *lanes, h->touched & ~c->open & ~h->answered);
	case GPUTM_COMMIT_UNIT_REPORT_RETIRED:
		return probe_lanes(s, report, *lanes, c->lanes & ~c->open & ~h->retired &
							      ~(h->touched & ~h->answered));
	case GPUTM_COMMIT_UNIT_REPORT_RESEND:
		return probe_resend(s, c, h, *lanes, report);
	case GPUTM_COMMIT_UNIT_REPORT_WRITTEN:
		return probe_lanes(s, report, *lanes, still_writing(c, h));
	default:
		return gputm__refuse(&s->unit, "report.kind = %u is not OUTCOME = 0, RETIRED = 1, "
					       "RESEND = 2 or WRITTEN = 3", report->kind);
	}
}

int gputm_commit_sequencer_push_probe(const struct gputm_commit_sequencer *s, uint32_t partition,
				      const struct gputm_commit_unit_report *report)
{
	uint64_t lanes = 0;
	uint32_t slot = 0;

	return probe_report(s, partition, report, &slot, &lanes);
}

static void queue_resend(struct gputm_commit_sequencer *s, uint32_t slot, uint32_t partition,
			 uint64_t lane, uint32_t purpose)
{
	const struct resend r = { lane, (uint16_t)slot, (uint8_t)partition, (uint8_t)purpose };

	gputm__queue_put(&s->resend, struct resend, r);
	if (s->resend.count == 1)
		gputm__sequencer_find_row(s);
}

int gputm_commit_sequencer_push(struct gputm_commit_sequencer *s, uint32_t partition,
				const struct gputm_commit_unit_report *report)
{
	uint64_t lanes = 0;
	uint32_t slot = 0;
	int result = probe_report(s, partition, report, &slot, &lanes);

	if (result != GPUTM_COMMIT_SEQUENCER_OK)
		return result;
	if (report->kind == GPUTM_COMMIT_UNIT_REPORT_RESEND) {
		queue_resend(s, slot, partition, lanes, report->purpose);
	} else if (report->kind == GPUTM_COMMIT_UNIT_REPORT_OUTCOME) {
		shares(s, slot)[partition].answered |= lanes;
		s->slot[slot].failed |= lanes & ~to_lanes(s->slot[slot].lanes, report->yes);
		gputm__sequencer_decide(s, slot, lanes);
	} else {
		if (report->kind == GPUTM_COMMIT_UNIT_REPORT_WRITTEN)
			shares(s, slot)[partition].wrote &= ~lanes;
		else
			shares(s, slot)[partition].retired |= lanes;
		gputm__sequencer_settle(s, slot);
	}
	return GPUTM_COMMIT_SEQUENCER_OK;
}

/* ---- outputs ---- */

static void take_words(const struct gputm_commit_sequencer *s, const struct packet *packet,
		       struct gputm_commit_unit_message *out)
{
	const struct slot *c = &s->slot[packet->slot];
	enum gputm_tx_log_kind kind =
		packet->kind == GPUTM_COMMIT_UNIT_MESSAGE_RESENT     ? log_for(packet->purpose)
		: packet->kind == GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG ? GPUTM_TX_LOG_KIND_READ
								     : GPUTM_TX_LOG_KIND_WRITE;
	struct gputm_commit_unit_word *word = out->word;
	struct gputm_tx_log_row row;
	uint64_t cids = out->mask; /* in the order of the lanes */

	if (!s->log[c->warp] || gputm_tx_log_get_row(s->log[c->warp], kind, packet->row, &row))
		return;
	for (uint64_t m = packet->lanes; m; m &= m - 1, cids &= cids - 1) {
		unsigned lane = gputm__lowest(m);

		word->address = row.address[lane];
		word->value = row.value[lane];
		word->lane = gputm__lowest(cids);
		word += row.mask >> lane & 1;
	}
	out->words = (uint32_t)(word - out->word);
}

static void compose(const struct gputm_commit_sequencer *s, const struct packet *packet,
		    struct gputm_commit_unit_message *out)
{
	const struct slot *c = &s->slot[packet->slot];

	out->kind = packet->kind;
	out->purpose = packet->purpose;
	out->first_cid = c->first_cid;
	out->lanes = c->count;
	out->words = 0;
	out->mask = to_cids(c->lanes, packet->lanes);
	out->yes = 0;
	switch (packet->kind) {
	case GPUTM_COMMIT_UNIT_MESSAGE_DONE:
		out->yes = to_cids(c->lanes, packet->lanes &
				   shares(s, packet->slot)[packet->partition].touched);
		break;
	case GPUTM_COMMIT_UNIT_MESSAGE_VERDICT:
		out->yes = to_cids(c->lanes, packet->lanes & ~c->failed);
		break;
	case GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE:
		break;
	default:
		take_words(s, packet, out);
	}
}

int gputm_commit_sequencer_peek(const struct gputm_commit_sequencer *s, uint32_t *partition,
				struct gputm_commit_unit_message *out)
{
	const struct packet *packet = first_packet(s);

	if (!s->output.count || s->port_used)
		return 0;
	*partition = packet->partition;
	if (out)
		compose(s, packet, out);
	return 1;
}

int gputm_commit_sequencer_pop(struct gputm_commit_sequencer *s)
{
	uint32_t slot = first_packet(s)->slot;

	if (!s->output.count || s->port_used)
		return 0;
	gputm__queue_take(&s->output);
	s->packets_sent++;
	s->port_used = true;
	if (!--s->slot[slot].waiting)
		gputm__sequencer_settle(s, slot);
	return 1;
}

int gputm_commit_sequencer_take_done(struct gputm_commit_sequencer *s,
				     struct gputm_commit_sequencer_done *out)
{
	struct slot *c;
	uint32_t slot;

	if (!s->ring[TO_DONE].count)
		return 0;
	slot = ring_pop(s, TO_DONE);
	c = &s->slot[slot];
	out->warp = c->warp;
	out->pass = (c->lanes & ~c->failed) | c->empty;
	out->fail = c->failed;
	out->first_cid = c->first_cid;
	out->with_cid = c->lanes;
	c->held = false;
	s->slot_of[c->warp] = 0;
	if (c->lanes)
		gputm__sequencer_settle(s, slot);
	else
		end_slot(s, slot);
	return 1;
}

int gputm_commit_sequencer_take_retired(struct gputm_commit_sequencer *s,
					struct gputm_commit_sequencer_retired *out)
{
	const struct slot *c;
	uint32_t slot;

	if (!s->ring[TO_RETIRE].count)
		return 0;
	slot = ring_pop(s, TO_RETIRE);
	c = &s->slot[slot];
	out->warp = c->warp;
	out->first_cid = c->first_cid;
	out->count = c->count;
	s->cids_retired += c->count;
	end_slot(s, slot);
	return 1;
}

/* ---- back-off and watchdog ---- */

uint64_t gputm_commit_sequencer_backoff(const struct gputm_commit_sequencer *s, uint64_t fail,
					const uint32_t *aborts)
{
	uint64_t most = 0, cycles;

	for (uint64_t m = fail & s->lane_mask; m; m &= m - 1)
		gputm__maximum(&most, aborts[gputm__lowest(m)]);
	cycles = most * s->config.backoff_base;
	return cycles < s->config.backoff_cap ? cycles : s->config.backoff_cap;
}

bool gputm_commit_sequencer_overdue(const struct gputm_commit_sequencer *s, uint64_t age)
{
	return s->config.watchdog_cycles && age > s->config.watchdog_cycles;
}
