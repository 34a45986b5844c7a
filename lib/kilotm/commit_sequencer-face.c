/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The common face of the commit sequencer: parameters, statistics, events, storage and
 * snapshots.
 */
#include "lib/kilotm/commit_purposes.h"
#include "lib/kilotm/commit_sequencer-priv.h"

static const char *const modes[] = { "scalar", "warp" };
#define UNIT commit_sequencer

static const char *const packs[] = { "none", "rows" };

static const struct gputm_param rows[] = {
	PARAM(warps, 1, MAX_WARPS, 48, false, "Warps of the core.", "thesis Table 6.1"),
	PARAM(lanes, 1, GPUTM_COMMIT_UNIT_LANES_MAX, 32, false, "Lanes of a warp.",
	      "thesis Table 6.1"),
	PARAM(partitions, 1, 64, 6, false, "Memory partitions.", "thesis Table 6.1"),
	CHOICE(mode, 0, 1, GPUTM_COMMIT_SEQUENCER_MODE_SCALAR, modes,
	       "Whether lanes are decided one by one or by warp.", "thesis 6.2"),
	PARAM(intra_warp_resolved, 0, 1, 0, false,
	      "1: warps have no internal conflicts; required in warp mode.", "thesis 6.2"),
	CHOICE(pack, 0, 1, GPUTM_COMMIT_SEQUENCER_PACK_ROWS, packs, "How log entries are grouped.",
	       "thesis 4.2.4"),
	PARAM(pack_done, 0, 1, 1, false, "1: a warp's done-fill and skip share a packet.",
	      "thesis 6.2, Fig. 6.3"),
	PARAM(pack_verdict, 0, 1, 0, false,
	      "1: verdicts due in one cycle share a packet; always so in warp mode.",
	      "thesis 6.2, Fig. 6.3"),
	PARAM(slots, 1, MAX_SLOTS, 96, false, "Commits in flight, retiring ones included.", ""),
	PARAM(output_packets, 1, 1 << 16, 128, false, "Packets that wait for the network.", ""),
	PARAM(resend_requests, 1, 1 << 16, 64, false, "Resend requests that wait.", ""),
	PARAM(spilled_row_cycles, 0, 1 << 16, 0, false, "Cycles lost by the walk of a spilled row.",
	      "thesis 4.2.4"),
	PARAM(backoff_base, 0, 1 << 20, 500, false, "Cycles of back-off per abort.",
	      "released simulator"),
	PARAM(backoff_cap, 0, 1 << 24, 5000, false, "Most cycles of back-off.",
	      "released simulator"),
	PARAM(watchdog_cycles, 0, UINT64_MAX, 100000, false,
	      "Age in cycles above which a transaction is checked; 0 for never.", "thesis 4.2.2"),
};

static const struct gputm_preset presets[] = {
	{ "kilo-tm",
	  "Thesis Table 4.4, 4.2 and Fig. 6.3: log, done-fill and skip packed per warp.",
	  { { "warps", 32 },
	    { "partitions", 8 },
	    { "mode", 0 },
	    { "pack", 1 },
	    { "pack_done", 1 },
	    { "pack_verdict", 0 } } },
	{ "warptm",
	  "Thesis Table 6.1, 6.2: all messages of a warp packed; needs intra-warp resolution.",
	  { { "mode", 1 },
	    { "intra_warp_resolved", 1 },
	    { "pack", 1 },
	    { "pack_done", 1 },
	    { "pack_verdict", 1 } } },
	{ "reference",
	  "The authors' simulator: log, done-fill and skip packed per warp, as in kilo-tm.",
	  { { "mode", 0 }, { "pack", 1 }, { "pack_done", 1 }, { "pack_verdict", 0 } } },
	{ "unpacked",
	  "Each entry and CID in a packet of its own, to show what packing saves.",
	  { { "mode", 0 }, { "pack", 0 }, { "pack_done", 0 }, { "pack_verdict", 0 } } },
};

static uint64_t slots_used(const struct gputm_unit *unit)
{
	return slots_in_use((const void *)unit);
}

static uint64_t packets_waiting(const struct gputm_unit *unit)
{
	const struct gputm_commit_sequencer *s = (const void *)unit;

	return s->output.count;
}

static const struct gputm__stat_row stats[] = {
	STAT(commits, COUNTER, "commits", "Warps that began to commit."),
	STAT(transactions, COUNTER, "transactions", "Lanes that began to commit."),
	STAT(passed, COUNTER, "transactions", "Lanes that committed."),
	STAT(failed, COUNTER, "transactions", "Lanes that must run again."),
	STAT(without_cid, COUNTER, "transactions", "Lanes that passed with empty logs."),
	STAT(refused, COUNTER, "commits", "Begins refused because no slot was free."),
	STAT(cids_granted, COUNTER, "CIDs", "CIDs taken over."),
	STAT(cids_retired, COUNTER, "CIDs", "CIDs that all partitions have retired."),
	STAT(packets, COUNTER, "packets", "Packets made."),
	STAT(packets_sent, COUNTER, "packets", "Packets taken by the network."),
	STAT(words, COUNTER, "entries", "Log entries in packets made, resent ones included."),
	STAT(rows_walked, COUNTER, "rows", "Log rows read."),
	STAT(spilled_rows, COUNTER, "rows", "Of these, rows beyond the L1 share."),
	STAT(stalls, COUNTER, "cycles", "Steps that waited for room in the output buffer."),
	STAT(resends, COUNTER, "requests", "Logs sent again to a partition."),
	STAT(max_slots, MAXIMUM, "commits", "Most commits in flight."),
	STAT(max_packets, MAXIMUM, "packets", "Most packets in the output buffer."),
	STAT(latency, HISTOGRAM, "cycles", "From begin to done, per warp."),
	STAT_NOW(slots_used, slots_used, "commits", "Commits in flight, retiring ones included."),
	STAT_NOW(packets_waiting, packets_waiting, "packets", "Packets in the output buffer."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_COMMIT_SEQUENCER_EVENT_BEGIN, "begin", "A warp begins to commit.",
	      VALUE(warp, "warp", "The warp."), VALUE(lanes, "lane mask", "Lanes that commit."),
	      VALUE(with_entries, "lane mask", "Lanes whose logs have entries."),
	      VALUE(cycle, "cycle", "Cycle of the unit.")),
	EVENT(GPUTM_COMMIT_SEQUENCER_EVENT_GRANT, "grant", "A warp has got its commit IDs.",
	      VALUE(warp, "warp", "The warp."),
	      VALUE(first_cid, "CID", "The commit ID of the lowest lane that has entries."),
	      VALUE(cids, "CIDs", "How many commit IDs the warp has got."),
	      VALUE(cycle, "cycle", "Cycle of the unit.")),
	EVENT(GPUTM_COMMIT_SEQUENCER_EVENT_ROW, "row", "The unit sends a row of a log.",
	      VALUE(warp, "warp", "The warp of the log."),
	      NAMED(access, gputm__read_write,
		    "Whether the row is of the read log or the write log."),
	      VALUE(row, "log row", "Number of the row."),
	      VALUE(partitions, "partition mask", "Partitions that get words of the row.")),
	EVENT(GPUTM_COMMIT_SEQUENCER_EVENT_FILL, "fill", "The unit has sent both logs of a warp.",
	      VALUE(warp, "warp", "The warp."),
	      VALUE(first_cid, "CID", "The commit ID of the lowest lane that has entries."),
	      VALUE(cycle, "cycle", "Cycle of the unit.")),
	EVENT(GPUTM_COMMIT_SEQUENCER_EVENT_VERDICT, "verdict",
	      "The unit sends the verdict of lanes.", VALUE(warp, "warp", "The warp of the lanes."),
	      VALUE(lanes, "lane mask", "Lanes that get their verdict."),
	      VALUE(passed, "lane mask", "Lanes of them that commit."),
	      VALUE(cycle, "cycle", "Cycle of the unit.")),
	EVENT(GPUTM_COMMIT_SEQUENCER_EVENT_FINISH, "finish",
	      "All lanes of a warp have their verdict.", VALUE(warp, "warp", "The warp."),
	      VALUE(passed, "lane mask", "Lanes that have committed."),
	      VALUE(failed, "lane mask", "Lanes that have to run again."),
	      VALUE(latency, "cycles", "Cycles since the warp began to commit.")),
	EVENT(GPUTM_COMMIT_SEQUENCER_EVENT_RETIRE, "retire",
	      "The commit IDs of a warp have retired at all partitions.",
	      VALUE(warp, "warp", "The warp."),
	      VALUE(first_cid, "CID", "The commit ID of the lowest lane that had entries."),
	      VALUE(cids, "CIDs", "How many commit IDs the warp had."),
	      VALUE(cycle, "cycle", "Cycle of the unit.")),
	EVENT(GPUTM_COMMIT_SEQUENCER_EVENT_RESEND, "resend",
	      "The unit has sent a log to a partition again.",
	      VALUE(warp, "warp", "The warp of the log."),
	      VALUE(partition, "partition", "The partition that has asked."),
	      VALUE(lane, "lane", "The lane whose log was sent."),
	      NAMED(purpose, gputm__commit_purposes, "What the partition needs the log for.")),
};

static uint32_t largest_step(const struct gputm_commit_sequencer_config *c)
{
	bool single = c->pack == GPUTM_COMMIT_SEQUENCER_PACK_NONE;

	return single && c->lanes > c->partitions ? c->lanes : c->partitions;
}

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_commit_sequencer_config *c = gputm_unit_config(unit);

	if (c->mode == GPUTM_COMMIT_SEQUENCER_MODE_WARP && !c->intra_warp_resolved)
		return gputm__refuse(unit, "mode = warp needs intra_warp_resolved = 1: conflicts "
				     "inside the warp must be resolved before it commits");
	if (c->output_packets >= largest_step(c))
		return 0;
	return gputm__refuse(unit, "output_packets = %u is less than one step makes, %u",
			     c->output_packets, largest_step(c));
}

static int take_logs(struct gputm_commit_sequencer *s)
{
	int error = 0;

	for (uint32_t w = 0; s->config.logs && w < s->config.warps && !error; w++) {
		s->log[w] = s->config.logs[w];
		error = gputm__sequencer_fits(s, s->log[w]);
	}
	s->config.logs = s->log; /* the caller's array may be gone */
	return error;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_commit_sequencer *s = (void *)unit;
	const struct gputm_commit_sequencer_config *c = &s->config;

	s->lane_mask = gputm__low_mask(c->lanes);
	s->burst = largest_step(c);
	s->log = gputm__own(unit, c->warps, sizeof(*s->log));
	s->slot = gputm__own(unit, c->slots, sizeof(*s->slot));
	s->share = gputm__own(unit, (size_t)c->slots * c->partitions, sizeof(*s->share));
	gputm__queue_own(unit, &s->output, c->output_packets, sizeof(struct packet));
	gputm__queue_own(unit, &s->resend, c->resend_requests, sizeof(struct resend));
	s->slot_of = gputm__own(unit, c->warps, sizeof(*s->slot_of));
	for (unsigned r = 0; r < RINGS; r++)
		gputm__queue_own(unit, &s->ring[r], c->slots, sizeof(uint16_t));
	return s->log ? take_logs(s) : -ENOMEM;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_commit_sequencer *s = (void *)unit;
	const struct gputm_commit_sequencer_config *c = &s->config;

	/* A free slot is zero, unless a packet of a refused snapshot names it. */
	for (uint32_t slot = 0; slot < c->slots; slot++)
		if (s->slot[slot].state != FREE || s->slot[slot].waiting) {
			s->slot[slot] = (struct slot){ 0 };
			memset(shares(s, slot), 0, c->partitions * sizeof(struct share));
		}
	memset(s->slot_of, 0, c->warps * sizeof(*s->slot_of));
	memset(s->used, 0, sizeof(s->used));
	for (unsigned r = 0; r < RINGS; r++)
		gputm__queue_clear(&s->ring[r]);
	gputm__queue_clear(&s->output);
	gputm__queue_clear(&s->resend);
	s->resend_row = s->resend_next = 0;
	s->resend_ready = s->now = s->next_cid = 0;
	s->port_used = false;
}

/* ---- state ---- */

static void io_slot(struct gputm_commit_sequencer *s, uint32_t at, struct gputm__io *io)
{
	struct slot *c = &s->slot[at];
	uint64_t *masks[] = { &c->lanes,  &c->empty,   &c->first_cid, &c->open, &c->decided,
			      &c->failed, &c->due, &c->begun,	  &c->ready };

	gputm__io_u8(io, &c->state);
	if (!io->error && c->state == FREE)
		gputm__io_fail(io, -EINVAL, "a slot is used and free");
	gputm__io_u8(io, &c->step);
	gputm__io_bool(io, &c->held);
	gputm__io_u32_max(io, &c->warp, s->config.warps - 1, "a slot names no warp");
	gputm__io_u32(io, &c->row);
	gputm__io_u32(io, &c->count);
	for (size_t i = 0; i < GPUTM__COUNT(masks); i++)
		gputm__io_u64(io, masks[i]);
	for (uint32_t p = 0; p < s->config.partitions; p++)
		gputm__io_u64s(io, &shares(s, at)[p].touched, 4); /* all of it */
}

static const struct gputm_commit_sequencer *io_self(const struct gputm__io *io)
{
	return (const void *)io->unit;
}

static void io_place(void *item, struct gputm__io *io)
{
	uint16_t *slot = item;

	gputm__io_u16(io, slot);
	if (*slot >= io_self(io)->config.slots)
		gputm__io_fail(io, -EINVAL, "a ring names no slot");
}

static void io_packet(void *item, struct gputm__io *io)
{
	struct packet *packet = item;

	gputm__io_u64(io, &packet->lanes);
	gputm__io_u32(io, &packet->row);
	gputm__io_u16(io, &packet->slot);
	gputm__io_u8(io, &packet->kind);
	gputm__io_u8(io, &packet->partition);
	gputm__io_u8(io, &packet->purpose);
	if (!io->error && packet->slot >= io_self(io)->config.slots)
		gputm__io_fail(io, -EINVAL, "a packet names no slot");
	if (gputm__io_reading(io) && !io->error)
		io_self(io)->slot[packet->slot].waiting++;
}

static void io_resend(void *item, struct gputm__io *io)
{
	struct resend *r = item;

	gputm__io_u64(io, &r->lane);
	gputm__io_u16(io, &r->slot);
	gputm__io_u8(io, &r->partition);
	gputm__io_u8(io, &r->purpose);
	if (!io->error && (r->slot >= io_self(io)->config.slots || !r->lane))
		gputm__io_fail(io, -EINVAL, "a resend request names no slot or lane");
}

static void derive(struct gputm_commit_sequencer *s, uint32_t slot)
{
	if (s->slot[slot].state == FREE)
		return;
	set_used(s, slot);
	if (s->slot[slot].held)
		s->slot_of[s->slot[slot].warp] = (uint16_t)(slot + 1);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_commit_sequencer *s = (void *)unit;

	gputm__io_u64_max(io, &s->now, GPUTM__CLOCK_MAX, "cycle");
	gputm__io_u64(io, &s->next_cid);
	gputm__io_bool(io, &s->port_used);
	for (uint32_t slot = 0; slot < s->config.slots && !io->error; slot++) {
		bool used = s->slot[slot].state != FREE;

		gputm__io_bool(io, &used);
		if (used && !io->error)
			io_slot(s, slot, io);
		if (gputm__io_reading(io) && !io->error)
			derive(s, slot);
	}
	for (unsigned r = 0; r < RINGS; r++)
		gputm__queue_io(&s->ring[r], io, io_place);
	gputm__queue_io(&s->output, io, io_packet);
	gputm__queue_io(&s->resend, io, io_resend);
	gputm__io_u32(io, &s->resend_row);
	gputm__io_u64(io, &s->resend_ready);
}

static const char *check(const struct gputm_unit *unit)
{
	return gputm__sequencer_check((const struct gputm_commit_sequencer *)(const void *)unit);
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_commit_sequencer_config *c = gputm_unit_config(unit);
	uint64_t slot_bits = gputm__bits_for(c->slots), part = gputm__bits_for(c->partitions);

	gputm__array_apart(out, "commits", c->slots,
			   3 + 2 + 6 * (uint64_t)c->lanes + 64 + gputm__bits_for(c->warps), 1);
	gputm__array_apart(out, "shares", (uint64_t)c->slots * c->partitions,
			   4 * (uint64_t)c->lanes, 1);
	gputm__array_apart(out, "output buffer", c->output_packets,
			   c->lanes + slot_bits + part + 3 + 2 + 32, 1);
	gputm__array_apart(out, "resend requests", c->resend_requests,
			   gputm__bits_for(c->lanes) + slot_bits + part + 2, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_commit_sequencer *s = (const void *)unit;
	uint64_t running = 0, cids = 0;

	for (uint32_t slot = 0; slot < s->config.slots; slot++) {
		const struct slot *c = &s->slot[slot];

		cids += c->count;
		if (c->state != DRAIN)
			running += gputm__popcount(c->lanes | c->empty);
	}
	gputm__law(laws, s->transactions, s->passed + s->failed + running,
		   "I4: transactions are not passed + failed + running");
	gputm__law(laws, s->packets, s->packets_sent + s->output.count,
		   "I5: packets are not sent + waiting");
	gputm__law(laws, s->cids_granted, s->cids_retired + cids,
		   "I6: CIDs granted are not retired + in flight");
}

static void settle(struct gputm_unit *unit)
{
	gputm__sequencer_find_row((void *)unit);
}

GPUTM__UNIT(commit_sequencer, .version = 1, .setup = setup, .validate = validate, .laws = laws,
	    .settle = settle)
